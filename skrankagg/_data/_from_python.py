"""Construction of ranked lists from Python dicts and lists: runs, lists of one query, search hits and ballots."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._arrays._ragged import positions
from .._support._values import is_hashable, show
from ..exceptions import InputError, InputTypeError
from ._ballot_tables import read_ballot_table
from ._ballots import count_ballots
from ._encoding import ONE_VOTER
from ._frames import AnyFrame, is_frame, new_series
from ._frames_of_voters import encode_frames, holds_frames
from ._hit_forms import find_form, is_scored_hit, open_response
from ._hits import as_hits, check_key, hold_pairs, read_list, split_pairs
from ._long_rows import (
    Duplicates,
    LowerIsBetter,
    MissingIds,
    Weights,
    as_mapping,
    check_query,
    encode_rows,
    flat_ids,
    repeat_id,
)
from ._matrices_of_lists import holds_matrices
from ._peer_objects import holds_tuples, is_ranx, plain_objects
from ._usual_lists import encode_usual_runs

_KINDS = "a dict of item to score, a list of (item, score), or a list of items, best first"


def from_runs(
    cls,
    runs: Mapping[Any, Any] | Sequence[Any],
    *,
    lower_is_better: LowerIsBetter = False,
    duplicates: Duplicates = "error",
    missing_ids: MissingIds = "error",
    strip: bool = False,
    weights: Weights = None,
):
    """Encode a dict of voter to run, where a run is a dict of query to results.

    Parameters
    ----------
    runs : dict of str to dict or DataFrame, or sequence of ranx.Run or DataFrame
        The results of a voter for a query are a dict of item to score, a list of (item, score) pairs, or a list of
        items, best first. Either all or none of the results must have scores. Alternatively, pass a dict or a list with
        a data frame for each voter, with the columns of :meth:`from_frame`. The frames of a list may have a column
        `voter`; otherwise, the voters are numbered from 1. Iterables of named tuples, such as ``ScoredDoc`` of
        ir_measures, are read as frames. A run may also be a ``Run`` of ranx; in a list, its name becomes the name of
        the voter.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for distances and p-values. A sequence names the voters for which smaller
        scores are better. Such scores are negated.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice; see :meth:`from_frame`.
    missing_ids : {"error", "drop"}, default="error"
        How to treat items that are None or NaN.
    strip : bool, default=False
        Whether to remove blanks around text ids; an item that consists of blanks counts as missing.
    weights : mapping of voter to float, or sequence of float in the order of the voters, default=None
        Weights of the lists; None gives each list weight 1.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If the runs are not dicts of dicts or lists. For matrices, call :meth:`from_scores`.
    ValueError
        If there are no runs, if only some results have scores, or if a frame contains several voters. If a list of
        items contains fractions, which are probably scores.

    See Also
    --------
    from_lists : Encodes the lists of one query.
    to_runs : The inverse.

    Examples
    --------
    >>> from skrankagg import RankedLists, ReciprocalRankFusion
    >>> lists = RankedLists.from_runs({
    ...     "bm25": {"q1": {"d1": 9.1, "d2": 7.5}, "q2": {"d3": 4.0}},
    ...     "dense": {"q1": {"d2": 0.8, "d3": 0.7}, "q2": {"d3": 0.9, "d1": 0.2}},
    ... })
    >>> ReciprocalRankFusion().fit_transform(lists).head(2)
      query item  score  rank
    0    q1   d2  0.033     1
    1    q1   d1  0.016     2

    A data frame for each voter:

    >>> import pandas as pd
    >>> bm25 = pd.DataFrame({"query": "q1", "item": ["d1", "d2"], "score": [9.1, 7.5]})
    >>> dense = pd.DataFrame({"query": "q1", "item": ["d2", "d3"], "score": [0.8, 0.7]})
    >>> RankedLists.from_runs({"bm25": bm25, "dense": dense}).voters.tolist()
    ['bm25', 'dense']
    """
    caller = "RankedLists.from_runs"
    options: dict[str, Any] = {
        "lower_is_better": lower_is_better,
        "duplicates": duplicates,
        "missing_ids": missing_ids,
        "strip": strip,
        "weights": weights,
    }
    runs = plain_objects(runs)
    if holds_matrices(runs):
        raise InputTypeError(
            f"`runs` of {caller} must have a dict keyed by query, or a frame of lists, for each voter; got a matrix of "
            "numbers for each voter. Read them with RankedLists.from_scores."
        )
    if holds_frames(runs):
        return encode_frames(cls, runs, caller, **options)
    return _encode_runs(cls, named_runs(runs, caller), caller, options)


def _encode_runs(cls, runs, caller, options):
    """Encode a dict of voter to run; `caller` is the constructor that the user called."""
    usual = encode_usual_runs(cls, runs, options)
    if usual is not None:
        return usual
    voter, query, items, scores = [], [], [], []
    for code, (name, run) in enumerate(runs.items()):
        if hasattr(run, "to_dict") and not isinstance(run, type):
            run = run.to_dict()
        if not isinstance(run, Mapping):
            raise InputTypeError(
                f"`runs` of {caller} must have a dict keyed by query for each voter; the value of {show(name)} is of "
                f"type {type(run).__name__}. Pass lists of one query to from_lists."
            )
        for one, results in run.items():
            if not isinstance(results, Mapping) and not _is_list(results):
                raise InputTypeError(
                    f"`runs` of {caller} must have {_KINDS} for each query; query {show(one)} of voter "
                    f"{show(name)} has {type(results).__name__}."
                )
            if _has_fractions(results):
                reader = "from_scores, with a matrix of queries by items" if caller.endswith("runs") else "from_matrix"
                raise InputError(
                    f"A list passed to {caller} must contain items, best first; query {show(one)} of voter "
                    f"{show(name)} has fractions such as {show(results[0])}. Read scores with RankedLists.{reader}."
                )
            voter.append(code)
            query.append(one)
            if isinstance(results, Mapping):
                scores.append(results.values())
            elif hold_pairs(results):
                results, values = split_pairs(
                    results, caller, lambda one=one, name=name: f"query {show(one)} of voter {show(name)}"
                )
                scores.append(values)
            items.append(results)
    if scores and sum(map(len, scores)) != sum(map(len, items)):
        raise InputError(
            f"`runs` of {caller} must all have results of the same kind: {_KINDS}; got several kinds. Convert the "
            "results to one kind."
        )
    lengths = np.fromiter(map(len, items), dtype=np.int64, count=len(items))
    columns = {
        "query": _repeat_ids(query, lengths),
        "voter": np.repeat(np.array(voter, dtype=np.int64), lengths),
        "item": flat_ids(items),
        **_values(scores, lengths),
    }
    return encode_rows(cls, columns, voters=list(runs), caller=caller, plain_ids=True, **options)


def from_lists(
    cls,
    lists: Mapping[Any, Any] | Sequence[Any],
    *,
    query: Hashable = "q",
    lower_is_better: LowerIsBetter = False,
    duplicates: Duplicates = "error",
    missing_ids: MissingIds = "error",
    strip: bool = False,
    weights: Weights = None,
):
    """Encode the lists of one query.

    Parameters
    ----------
    lists : dict of voter to list, or sequence of lists
        Each list contains items, best first, or (item, score) pairs. A dict of item to score is accepted instead of a
        list. The voters of a sequence are numbered from 1. Data frames and named tuples are read as in
        :meth:`from_runs`, but they need no column of queries.
    query : hashable, default="q"
        Id of the query. Data frames with a column of queries keep the ids of this column.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for p-values and times. A sequence names the voters for which smaller
        scores are better.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice; see :meth:`from_frame`.
    missing_ids : {"error", "drop"}, default="error"
        How to treat items that are None or NaN.
    strip : bool, default=False
        Whether to remove blanks around text ids; an item that consists of blanks counts as missing.
    weights : mapping of voter to float, or sequence of float in the order of the lists, default=None
        Weights of the lists.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If a list is neither a list nor a dict.
    ValueError
        If all lists are empty, or if only some lists have scores. If a list of items contains fractions, which are
        probably scores.

    See Also
    --------
    from_runs : Encodes the lists of many queries.
    from_wide : Encodes a table with a list in each column.

    Examples
    --------
    >>> from skrankagg import BordaCount, RankedLists
    >>> lists = RankedLists.from_lists({"Smith": ["TP53", "KRAS"],
    ...     "Wu": ["KRAS", "TP53", "MYC"], "Lee": ["KRAS"]})
    >>> BordaCount().fit_transform(lists)["item"].tolist()
    ['KRAS', 'TP53', 'MYC']
    """
    caller = "RankedLists.from_lists"
    check_query(query)
    options: dict[str, Any] = {
        "lower_is_better": lower_is_better,
        "duplicates": duplicates,
        "missing_ids": missing_ids,
        "strip": strip,
        "weights": weights,
    }
    lists = plain_objects(lists)
    if holds_frames(lists):
        return encode_frames(cls, lists, caller, query=query, **options)
    named = as_mapping(lists, caller)
    return _encode_runs(cls, {voter: {query: one} for voter, one in named.items()}, caller, options)


def from_hits(
    cls,
    hits: Mapping[Any, Any] | Sequence[Any],
    *,
    key: str | Callable[[Any], Hashable] | Mapping[Any, Any] | None = None,
    score: str | Callable[[Any], float] | None = None,
    query: Hashable = "q",
    lower_is_better: LowerIsBetter = False,
    duplicates: Duplicates = "error",
    strip: bool = False,
    weights: Weights = None,
):
    """Encode the hits that search clients return for one query.

    Parameters
    ----------
    hits : dict of voter to hits, or sequence with the hits of each voter
        The hits of each voter, best first, or the raw response of a client. A hit is a dict or an object. The hits of
        known clients are recognised, as in :func:`skrankagg.fuse`. The voters of a sequence are numbered from 1.
    key : str, callable, or mapping of voter to str or callable, default=None
        Location of the id in a hit: a key of the dict, an attribute of the object, or a function of the hit. The id may
        also be stored under this key in the hit's metadata. The function may return an (id, score) pair. With None, the
        ids of known clients are read. A mapping may have keys for only some voters; the other voters are read as with
        None.
    score : str or callable, default=None
        Location of the score in a hit: a key, an attribute, or a function of the hit. With None, the scores of known
        clients are read; other hits are ranked by their order.
    query : hashable, default="q"
        Id of the query.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for distances. A sequence names the voters for which smaller scores are
        better. The distances of known clients are recognised without this parameter.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice, such as several passages of one document.
    strip : bool, default=False
        Whether to remove blanks around text ids; an item that consists of blanks counts as missing.
    weights : mapping of voter to float, or sequence of float in the order of the lists, default=None
        Weights of the lists.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If a voter has no list of hits.
    ValueError
        If a hit lacks its id, its score is not a number, or only some lists have scores.

    See Also
    --------
    from_lists : Encodes lists of ids.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> sparse = {
    ...     "hits": {"hits": [{"_id": "d1", "_score": 9.1}, {"_id": "d2", "_score": 7.5}]}}
    >>> dense = [{"id": "d2", "score": 0.8}]
    >>> RankedLists.from_hits({"bm25": sparse, "dense": dense}).to_runs()
    {'bm25': {'q': {'d1': 9.1, 'd2': 7.5}}, 'dense': {'q': {'d2': 0.8}}}
    """
    caller = "RankedLists.from_hits"
    named = as_mapping(hits, caller)
    check_key(key, named if isinstance(hits, Mapping) else None, False, caller)
    rows: dict[str, list[Any]] = {"voter": [], "item": [], "value": []}
    scored, distances = {}, []
    by_name = np.iterable(lower_is_better) and not isinstance(lower_is_better, str)
    for code, (voter, found) in enumerate(named.items()):
        of_list = key.get(voter) if isinstance(key, Mapping) else key
        found = as_hits(found, caller, voter, scores=of_list is None and score is None)
        declared = voter in list(lower_is_better) if by_name else bool(lower_is_better)
        ids, scores, _, lower = read_list(found, of_list, caller, voter, declared=declared, score=score)
        odd = next((place for place, one in enumerate(ids, 1) if not is_hashable(one)), None)
        if odd is not None:
            raise InputTypeError(
                f"Ids passed to {caller} must be hashable, such as str or int; hit {odd} of voter {show(voter)} has "
                f"{show(ids[odd - 1])}. Name the id of a hit with key=."
            )
        if lower and not declared:
            distances.append(voter)
        if ids:
            scored[voter] = scores is not None
        rows["voter"] += [code] * len(ids)
        rows["item"] += ids
        rows["value"] += range(1, len(ids) + 1) if scores is None else scores
    if len(set(scored.values())) > 1:
        raise InputError(
            f"The lists passed to {caller} must all have scores, or all lack scores; the lists of "
            f"{show([voter for voter, has in scored.items() if not has])} lack scores. Name the score of a hit with "
            "score=, or pass lists of ids."
        )
    rows["score" if any(scored.values()) else "rank"] = rows.pop("value")
    return encode_rows(
        cls,
        {"query": repeat_id(query, len(rows["voter"])), **rows},
        voters=list(named),
        caller=caller,
        lower_is_better=[*(lower_is_better if by_name else ()), *distances] if distances else lower_is_better,
        duplicates=duplicates,
        strip=strip,
        weights=weights,
    )


def from_ballots(
    cls,
    ballots: Sequence[Any] | AnyFrame,
    *,
    counts: Sequence[float] | str | None = None,
    cells: Literal["rank", "item"] | None = None,
    rows: Literal["items", "voters"] | None = None,
    query: Hashable = "q",
    strip: bool = False,
):
    """Encode ballots: text such as "A > B = C", lists of levels, or a table of ranks or of names.

    Parameters
    ----------
    ballots : sequence of str or list, or DataFrame
        Each ballot is text or a list of levels, best level first. In text, ">" separates the levels, and "=" separates
        the tied items of a level; blanks around ids are ignored. In a list, a level is an item or a list of tied items.
        A data frame of pandas, polars or pyarrow has one of these forms, see Notes:

        - a table of ranks, with a row for each item and a column for each voter, or the other way round. Equal ranks
          are ties. An empty cell means that the voter does not rank the item;
        - a table of names, with a row for each ballot, and columns for the first place, the second place, and so on;
        - a single column of ballots as text.
    counts : sequence of float or str, default=None
        Number of voters who cast each ballot, at least 0. None counts each ballot once. The counts of equal ballots are
        added up. If each row of a data frame is a ballot, `counts` may be the name of a column.
    cells : {"rank", "item"} or None, default=None
        Contents of the cells of a data frame: ranks or names of items. None means ranks if the cells are numbers,
        otherwise names.
    rows : {"items", "voters"} or None, default=None
        Whether each row of a table of ranks is an item or the ballot of a voter. None infers this from the table; if
        the table is ambiguous, an error is raised.
    query : hashable, default="q"
        Id of the query.
    strip : bool, default=False
        Whether to remove blanks around the text ids of ballots that are lists, and around the names of the items in a
        table of ranks. In text and in tables of names, these blanks are always removed.

    Returns
    -------
    RankedLists
        A list for each distinct ballot, weighted by its count; the voters are numbered from 1.

    Raises
    ------
    TypeError
        If a ballot is neither text nor a list, or if the items of a level cannot be sorted.
    ValueError
        If a ballot is empty or contains an item twice. If the number of counts differs from the number of ballots, or a
        count is negative or not finite. If the form of a table is ambiguous, or a table contains no ballot.

    Warns
    -----
    AmbiguousInputWarning
        If the rows of a table of ranks have names and are read as items, although they may be ballots.

    See Also
    --------
    from_matrix : Encodes a table of ranks with a list for each voter, and keeps the names of the voters.
    skrankagg.datasets.read_preflib : Reads ballots from files.

    Notes
    -----
    **Tables of ranks.** The names of the rows are the index, or the first column if it is the only column of text. If
    the title of this column is "candidate", "item" or similar, the rows are items. If the title is "voter", "ballot",
    "id" or similar, the rows are voters. Otherwise, rows with names are items. Rows without names are items if the
    lowest rank of each column is 1, and voters if the lowest rank of each row is 1. If both or neither are true, pass
    `rows`. Ranks may have gaps, and empty ballots are left out.

    **Tables of names.** Empty cells are skipped, so a voter may leave out a place. A cell with text such as "B = C", or
    with a list, ties several items. A first column with the title "voter" or similar is left out, because equal ballots
    are merged. If all titles except the first are places, such as "2nd", an error is raised, because the first column
    may contain voters. If the items are numbers, pass ``cells="item"``. This is not necessary if the numbers are text
    and the titles are places.

    Examples
    --------
    >>> from skrankagg import Copeland, RankedLists
    >>> lists = RankedLists.from_ballots(["A > B = C", "B > A", "C"], counts=[3, 2, 2])
    >>> Copeland().fit_transform(lists)["item"].tolist()
    ['A', 'B', 'C']

    A table of candidates and voters:

    >>> import pandas as pd
    >>> ranks = pd.DataFrame({"Ann": [1, 2, 2], "Ben": [1, None, 2], "Cleo": [2, 1, None]},
    ...     index=["A", "B", "C"])
    >>> RankedLists.from_ballots(ranks).to_runs()
    {1: {'q': ['A', 'B', 'C']}, 2: {'q': ['A', 'C']}, 3: {'q': ['B', 'A']}}

    A table of ballots:

    >>> table = pd.DataFrame({"first": ["A", "B"], "second": ["B", None], "votes": [3, 2]})
    >>> RankedLists.from_ballots(table, counts="votes").to_runs()
    {1: {'q': ['A', 'B']}, 2: {'q': ['B']}}
    """
    check_query(query)
    caller = "RankedLists.from_ballots"
    if is_frame(ballots):
        ballots, counts = read_ballot_table(ballots, counts, cells, rows, caller)
    elif cells is not None or rows is not None:
        name = "cells" if cells is not None else "rows"
        raise InputError(f"`{name}` of {caller} must be None if the ballots are not a data frame. Leave out {name}.")
    total = count_ballots(ballots, counts, caller, strip=strip)
    table = [
        (query, voter, item, level, float(count))
        for voter, (levels, count) in enumerate(total.items(), 1)
        for level, tied in enumerate(levels, 1)
        for item in tied
    ]
    return cls.from_frame(pd.DataFrame(table, columns=["query", "voter", "item", "rank", "weight"]))


def plain_lists(cls, X, *, sequences=True):
    """Encode dicts and lists with the constructor for their form; return any other object unchanged.

    A run of ranx is encoded, too; its name becomes the voter. With ``sequences=False``, lists stay unchanged.
    """
    if is_ranx(X):
        return cls.from_runs({ONE_VOTER if getattr(X, "name", None) is None else X.name: X})
    if holds_tuples(X) or (isinstance(X, list | tuple) and not sequences):
        return X
    if isinstance(X, Mapping | list | tuple):
        X = plain_objects(X)
    if holds_matrices(X):
        return cls.from_scores(X)
    if holds_frames(X):
        return cls.from_runs(X)
    if isinstance(X, Mapping):
        if any(map(_holds_hits, X.values())):
            return cls.from_hits(X)
        runs = [run for run in X.values() if not (isinstance(run, Mapping) and not run)]  # a voter's list may be empty
        if runs and all(hasattr(run, "to_dict") or _is_by_query(run) for run in runs):
            return cls.from_runs(X)
        return cls.from_lists(X)
    if isinstance(X, list | tuple):
        if X and all(map(_is_named_run, X)):
            return cls.from_runs(X)
        if not X or any(isinstance(one, list | tuple | Mapping) for one in X):
            return cls.from_lists(X)
    return X


def _has_fractions(results):
    """Return True if a list contains numbers with a fraction, which are scores instead of ids of items."""
    if isinstance(results, np.ndarray):
        return results.dtype.kind == "f" and bool((results[np.isfinite(results)] % 1 != 0).any())
    # The first element shows this for most lists, so that long lists of ids are not searched.
    return (
        isinstance(results, list | tuple)
        and len(results) > 0
        and isinstance(results[0], float)
        and all(isinstance(one, float) for one in results)
        and any(math.isfinite(one) and one % 1 != 0 for one in results)
    )


def _is_list(results):
    return isinstance(results, Sequence | np.ndarray) and not isinstance(results, str | bytes) and np.iterable(results)


def _is_by_query(run):
    """Return True for a dict with lists or dicts as values, so that its keys are queries."""
    return isinstance(run, Mapping) and any(
        isinstance(results, list | tuple | Mapping) or (isinstance(results, np.ndarray) and results.ndim == 1)
        for results in run.values()
    )


def _holds_hits(one):
    """Return True for a list of hits of a known search client, or for a raw response with such hits."""
    if isinstance(one, str | np.ndarray):
        return False
    hits = one if isinstance(one, list | tuple) else open_response(one)
    return bool(hits) and (find_form(hits[0]) is not None or is_scored_hit(hits[0]))


def _is_named_run(run):
    """Return True for a run in ranx's format."""
    return hasattr(run, "to_dict") and hasattr(run, "name")


def named_runs(runs, caller):
    """Return runs as a dict of voter to run; the runs of a list must have names, as in ranx."""
    if isinstance(runs, Mapping):
        return dict(runs)
    if isinstance(runs, Sequence) and len(runs) and all(map(_is_named_run, runs)):
        names = [run.name for run in runs]
        if None in names or len(set(names)) != len(names):
            raise InputError(f"`runs` of {caller} must have different names; got {names}. Rename some runs.")
        return dict(zip(names, runs, strict=True))
    raise InputTypeError(
        f"`runs` of {caller} must be a dict that maps each voter to its run; got {type(runs).__name__}."
    )


def _repeat_ids(ids, lengths):
    return pd.Series(ids).repeat(lengths).to_numpy() if len(ids) else np.array([], dtype=object)


def _values(scores, lengths):
    """Return a dict with a single column: the scores if they are given, and otherwise the ranks.

    The rank of an item is its position in its list; `lengths` contains the lengths of the lists.
    """
    if scores:
        # Integers stay integers, because rounding could change their order.
        return {"score": new_series(list(chain.from_iterable(scores)))}
    return {"rank": positions(np.concatenate([[0], np.cumsum(lengths)])).astype(np.float64)}
