"""Construction of ranked lists from matrices of queries by items, one for each voter."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._support._values import show
from ..exceptions import InputError, InputTypeError
from ._frames import first_row, is_frame, show_id
from ._id_codes import encode_ids
from ._long_rows import LowerIsBetter, Weights, falling_voters, weights_of_voters
from ._matrices_of_lists import as_table
from ._matrix_cells import read_cells, read_names
from ._similar_ids import warn_of_similar_ids

_CALLER = "RankedLists.from_scores"


def from_scores(
    cls,
    scores: Mapping[Any, Any] | Sequence[Any] | ArrayLike,
    *,
    queries: Sequence[Hashable] | pd.Index | None = None,
    items: Sequence[Hashable] | pd.Index | None = None,
    voters: Sequence[Hashable] | pd.Index | None = None,
    lower_is_better: LowerIsBetter = False,
    weights: Weights = None,
):
    """Encode matrices of queries by items, one for each voter, such as the probabilities of several classifiers.

    Parameters
    ----------
    scores : dict of voter to matrix, sequence of matrices, or array-like of shape (n_voters, n_queries, n_items)
        A score for each query and item; NaN if the item is not in the voter's list. All matrices have the same shape.
        The index of a DataFrame contains the ids of the queries, and its columns are the ids of the items. Several
        DataFrames are matched by these ids.
    queries, items : sequence of hashable, default=None
        Ids of the rows and of the columns. Several DataFrames are put into the order of the first one. None uses the
        index and the columns of the first DataFrame, or numbers from 0 for arrays.
    voters : sequence of hashable, default=None
        Names of the voters; must be None if `scores` is a dict. None numbers the voters of a sequence from 0.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for distances. A sequence names the voters for which smaller scores are
        better. Such scores are negated.
    weights : mapping of voter to float, or sequence of float in the order of the voters, default=None
        Weights of the lists.

    Returns
    -------
    RankedLists
        A list for each voter and query. A query, item or voter whose cells are all NaN is left out.

    Raises
    ------
    TypeError
        If a matrix contains text, or its rows have different lengths. If ids or names cannot be hashed or sorted.
    ValueError
        If matrices have different shapes, a cell is infinite, or the number of ids or names does not match the shape.
        If all cells are NaN.

    See Also
    --------
    Qrels.from_labels : Encodes the classes of the samples as judgements.
    from_matrix : Encodes a matrix of items by voters for one query.

    Notes
    -----
    For classifiers, each sample is a query, each class is an item, and each classifier is a voter. Pass
    ``items=classifier.classes_``. A consensus puts the predicted class first, so the accuracy is ``p@1``, the precision
    at 1. The sum of the probabilities, ``CombSUM(norm=None)``, is soft voting.

    Examples
    --------
    Probabilities of two classes for three samples, by two classifiers:

    >>> from skrankagg import CombSUM, Qrels, RankedLists, evaluate
    >>> probabilities = {
    ...     "logistic": [[0.9, 0.1], [0.4, 0.6], [0.7, 0.3]],
    ...     "forest": [[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]],
    ... }
    >>> lists = RankedLists.from_scores(probabilities, items=["no", "yes"])
    >>> lists
    RankedLists(n_queries=3, n_voters=2, n_items=2, n_lists=6, n_rows=12, ranks and scores)
    >>> fused = CombSUM(norm=None).fit_transform(lists)
    >>> fused[fused["rank"] == 1]["item"].tolist()
    ['no', 'yes', 'yes']
    >>> float(evaluate(fused, Qrels.from_labels(["no", "yes", "no"]), "p@1")["p@1"].iloc[0]
    ...       .round(3))
    0.667
    """
    named = _by_voter(scores, voters)
    read = {name: as_table(matrix, _CALLER) for name, matrix in named.items()}
    queries, items, read = _labels(read, queries, items)
    cells = [_cells(matrix, name) for name, matrix in read.items()]
    _check_shapes(cells, list(read))
    _refuse_inexact(cells, list(read))
    n_queries, n_items = cells[0].shape
    voters = list(read)
    query_code, query_ids = _codes(read_names(queries, "queries", n_queries, _CALLER), queries, "queries")
    item_code, item_ids = _codes(read_names(items, "items", n_items, _CALLER), items, "items")
    voter_code, voter_ids = _codes(voters, None, "voters")
    falling = falling_voters(lower_is_better, voters, "score")
    weights = None if weights is None else weights_of_voters(weights, voters)

    # The cube has the axes query, voter and item, all in the order of the sorted ids.
    cube = np.stack([_negative(one) if low else one for one, low in zip(cells, falling, strict=True)], axis=1)
    del cells
    cube = _sorted_axes(cube, (query_code, voter_code, item_code))
    present = ~np.isnan(cube) if cube.dtype.kind == "f" else np.ones(cube.shape, dtype=bool)
    frame = {
        name: np.broadcast_to(np.arange(size, dtype=np.int32).reshape(-1, *[1] * n_later), cube.shape)[present]
        for name, size, n_later in (("query", n_queries, 2), ("voter", len(voters), 1), ("item", n_items, 0))
    }
    frame["score"] = cube[present]
    del cube, present
    if not len(frame["score"]):
        raise InputError(f"`scores` of {_CALLER} must have at least one number; got none.")
    _refuse_infinite(frame, {"query": query_ids, "voter": voter_ids, "item": item_ids})
    if weights is not None:
        frame["weight"] = weights[np.argsort(voter_code)][frame["voter"]]
    # Positions in the sorted ids are encoded instead of the ids, because this is faster. Both have the same order.
    lists = cls.from_frame(pd.DataFrame(frame, copy=False))
    lists = cls(
        **{
            **lists._fields(),
            "queries": query_ids[lists.queries],
            "voters": voter_ids[lists.voters],
            "items": item_ids[lists.items],
        }
    )
    warn_of_similar_ids(lists, _CALLER)
    return lists


def _by_voter(scores, voters):
    """Check the parameter `scores`, and return it as a dict of voter to matrix."""
    if isinstance(scores, Mapping):
        if voters is not None:
            raise InputError(
                f"`voters` of {_CALLER} must be None if `scores` is a dict, because the keys of the dict are the "
                f"voters; got {show(voters)}. Leave out `voters`."
            )
        named = dict(scores)
    else:
        if isinstance(scores, pd.Series) and voters is None:
            return _by_voter(scores.to_dict(), None)
        if isinstance(scores, str | bytes) or is_frame(scores) or not np.iterable(scores):
            raise InputTypeError(
                f"`scores` of {_CALLER} must be a dict of voter to matrix, or an array of shape (n_voters, n_queries, "
                f"n_items); got {type(scores).__name__}. Wrap a single matrix: {{'voter': matrix}}."
            )
        if isinstance(scores, np.ndarray) and scores.ndim != 3:
            raise InputError(
                f"`scores` of {_CALLER} must have three axes, for voters, queries and items; got an array of shape "
                f"{scores.shape}. Wrap a single matrix: {{'voter': matrix}}."
            )
        matrices = list(scores)
        named = dict(zip(read_names(voters, "voters", len(matrices), _CALLER), matrices, strict=True))
    if not named:
        raise InputError(f"`scores` of {_CALLER} must have at least one voter; got none.")
    return named


def _labels(read, queries, items):
    """Return the ids of the queries, the ids of the items, and the dict `read` of voter to matrix of scores.

    If the matrices are DataFrames and `queries` or `items` is None, these ids are read from the first DataFrame. The
    rows and columns of the other DataFrames are put into its order.
    """
    frames = {name: one for name, one in read.items() if isinstance(one, pd.DataFrame)}
    if not frames:
        return queries, items, read
    if len(frames) < len(read):
        other = next(name for name in read if name not in frames)
        raise InputError(
            f"`scores` of {_CALLER} must have a data frame for each voter, or for no voter; got "
            f"{type(read[other]).__name__} for {show(other)}. Convert all of them to arrays, or to data frames."
        )
    (first, model), *others = frames.items()
    for axis, what in ((0, "queries"), (1, "items")):
        own = model.axes[axis]
        for name, frame in others:
            theirs = frame.axes[axis]
            if theirs.equals(own):
                continue
            differing = own.symmetric_difference(theirs, sort=False)
            if len(differing) or not (own.is_unique and theirs.is_unique):
                which = f"; {show(differing.tolist()[0])} is only in one of them" if len(differing) else ""
                raise InputError(
                    f"The data frames in `scores` of {_CALLER} must have the same {what}; the {what} of {show(first)} "
                    f"and {show(name)} differ{which}. Reindex the frames, with NaN for absent items."
                )
            frames[name] = frames[name].reindex(own, axis=axis)
    return (
        model.index if queries is None else queries,
        model.columns if items is None else items,
        frames,
    )


def _cells(matrix, name):
    return read_cells(matrix, _CALLER, name=f"`scores[{show(name)}]`", row="query", column="item")


def _check_shapes(cells, voters):
    for one, name in zip(cells, voters, strict=True):
        if one.shape != cells[0].shape:
            raise InputError(
                f"The matrices in `scores` of {_CALLER} must have the same shape; got {cells[0].shape} for "
                f"{show(voters[0])} and {one.shape} for {show(name)}. Add columns of NaN for absent items."
            )


def _refuse_inexact(cells, voters):
    """Raise an error if matrices have different dtypes and some integers are too large for float64."""
    if len({one.dtype for one in cells}) == 1:
        return
    for one, name in zip(cells, voters, strict=True):
        if one.dtype.kind not in "iu":
            continue
        with np.errstate(invalid="ignore"):
            large = one.astype(np.float64).astype(one.dtype) != one
        if large.any():
            raise InputError(
                f"If matrices in `scores` of {_CALLER} differ in dtype, float64 must represent all integers exactly; "
                f"{show(name)} has {show(one[large][0].item())}. Divide all scores by one number, or pass ranks."
            )


def _codes(names, given, what):
    """Return the position of each name in the sorted names, and an index of the sorted names."""
    if isinstance(given, pd.MultiIndex):
        raise InputTypeError(
            f"`{what}` of {_CALLER} must have one level of names; got an index of {given.nlevels} levels. Join the "
            "levels, for example with index.map(str)."
        )
    ids = pd.Series(given if isinstance(given, pd.Index | np.ndarray) else names)
    try:
        codes, index = encode_ids(ids)
    except (TypeError, ValueError) as error:  # pandas raises a ValueError for ids such as arrays and ranges
        raise InputTypeError(
            f"`{what}` of {_CALLER} must have ids that can be sorted, such as strings or integers; got {show(names)} "
            f"({error}). Convert them to one type, such as strings."
        ) from None
    if (codes < 0).any():
        raise InputError(
            f"`{what}` of {_CALLER} must have no missing ids; got {show(names[first_row(codes < 0)])} at position "
            f"{first_row(codes < 0)}. Give each position an id."
        )
    return codes, index


def _negative(cells):
    """Return the negated numbers; 0 does not become -0."""
    if cells.dtype.kind == "u":
        cells = cells.astype(np.int64 if cells.max(initial=0) <= np.iinfo(np.int64).max else np.float64)
    return 0 - cells


def _sorted_axes(cube, codes):
    """Sort each axis of an array by codes; ``codes[k]`` contains a code for each position of axis k."""
    for axis, code in enumerate(codes):
        if (code[1:] < code[:-1]).any():
            cube = cube.take(np.argsort(code), axis=axis)
    return np.ascontiguousarray(cube)


def _refuse_infinite(frame, ids):
    bad = np.isinf(frame["score"])
    if bad.any():
        row = first_row(bad)
        place = ", ".join(f"{name} {show_id(index, frame[name][row])}" for name, index in ids.items())
        raise InputError(
            f"`scores` of {_CALLER} must be finite numbers, or NaN for absent items; {int(bad.sum())} are infinite, "
            f"the first for {place}. Replace them."
        )
