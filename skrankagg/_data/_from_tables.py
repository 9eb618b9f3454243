"""Construction of ranked lists from tables with a column for each list, and from matrices of items by voters."""

from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._arrays._ragged import positions
from .._support._checks import check_choice, check_flag
from ..exceptions import InputError
from ._column_pairs import read_pairs
from ._frames import AnyFrame, Columns
from ._from_comparisons import from_wins
from ._long_rows import (
    Duplicates,
    LowerIsBetter,
    MissingIds,
    Weights,
    encode_rows,
    has_own_mask,
    join_ids,
    repeat_id,
)
from ._matrices_of_lists import as_table, check_pvalues, warn_of_rows
from ._matrix_cells import check_ranks, read_cells, read_names
from ._other_shapes import holds_pairs, show_titles


def from_wide(
    cls,
    frame: AnyFrame,
    *,
    pairs: bool = False,
    query: Hashable = "q",
    lower_is_better: LowerIsBetter | None = None,
    duplicates: Duplicates = "error",
    missing_ids: MissingIds = "error",
    strip: bool = False,
    weights: Weights = None,
):
    """Encode a table with a column of items for each voter, and optionally a second column of scores or p-values.

    Parameters
    ----------
    frame : DataFrame of pandas, polars or pyarrow
        Each column contains the items of one voter, best first. NaN or None fills the end of shorter columns. With
        `pairs`, each voter has two neighbouring columns: items, and then their scores or p-values. The rows of a pair
        may be in any order, and blank rows are ignored.
    pairs : bool, default=False
        Whether each voter has two columns. The voter's name consists of the words that both titles share, such as Smith
        in "Smith gene" and "Smith p". If they share no words, the name is the title of the items. If these names do not
        distinguish the pairs, the voters are numbered from 1.
    query : hashable, default="q"
        Id of the query.
    lower_is_better : bool or sequence of voters, default=None
        Whether smaller numbers are better, as for p-values. A sequence names the voters for which smaller numbers are
        better. Required with `pairs`; must be None without `pairs`.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice. Without `pairs`, both "first" and "best" keep the item's best
        place.
    missing_ids : {"error", "drop"}, default="error"
        How to treat a missing item before the end of a column or, with `pairs`, an item without a number.
    strip : bool, default=False
        Whether to remove blanks around text ids; an item that consists of blanks counts as missing.
    weights : mapping of voter to float, or sequence of float in the order of the columns, default=None
        Weights of the lists.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If `frame` is not a data frame.
    ValueError
        If the frame has no items. With `pairs`, if the number of columns is odd, the second column of a pair does not
        contain numbers, or `lower_is_better` is missing.

    See Also
    --------
    from_matrix : Encodes a table with items as rows and numbers as cells.
    to_wide : Writes such a table, with one column for each voter.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> table = pd.DataFrame({"Smith": ["TP53", "KRAS", None],
    ...     "Wu": ["KRAS", "TP53", "MYC"]})
    >>> RankedLists.from_wide(table).to_frame()
      query  voter  item  rank
    0     q  Smith  TP53   1.0
    1     q  Smith  KRAS   2.0
    2     q     Wu  KRAS   1.0
    3     q     Wu  TP53   2.0
    4     q     Wu   MYC   3.0

    Genes and their p-values, with a gene that one study tested twice:

    >>> table = pd.DataFrame({
    ...     "Smith gene": ["TP53", "KRAS", "TP53"], "Smith p": [0.001, 0.04, 0.2],
    ...     "Wu gene": ["KRAS", "MYC", None], "Wu p": [0.003, 0.01, None],
    ... })
    >>> RankedLists.from_wide(table, pairs=True, lower_is_better=True,
    ...     duplicates="best").to_runs()
    {'Smith': {'q': {'TP53': -0.001, 'KRAS': -0.04}}, 'Wu': {'q': {'KRAS': -0.003, 'MYC': -0.01}}}
    """
    caller = "RankedLists.from_wide"
    check_flag("pairs", pairs)
    columns = Columns(frame, {}, caller, lazy=False)
    options: dict[str, Any] = {
        "caller": caller,
        "duplicates": duplicates,
        "missing_ids": missing_ids,
        "strip": strip,
        "weights": weights,
    }
    if pairs:
        return _encode_pairs(cls, columns, frame, query, lower_is_better, options)
    if lower_is_better is not None:
        raise InputError(
            f"`lower_is_better` of {caller} must be given only with pairs=True, because a column of items has no "
            f"numbers; got {lower_is_better!r}. Leave it out, or pass pairs=True."
        )
    names = columns.available
    if len(set(names)) != len(names):
        raise InputError(f"`frame` of {caller} must have columns of different names, one for each voter; got {names}.")
    if holds_pairs(columns):
        raise InputError(
            f"`frame` of {caller} must have a column of items for each voter; its columns {show_titles(columns)} look "
            "like pairs of items and numbers. Pass pairs=True and lower_is_better."
        )
    parts = []
    for name in names:
        values = columns.series(name)
        known = np.flatnonzero(values.notna().to_numpy())
        parts.append(values.iloc[: known[-1] + 1 if len(known) else 0])
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    if not lengths.sum():
        raise InputError(f"`frame` of {caller} must have at least one item; got none.")
    rows = {
        "query": repeat_id(query, lengths.sum()),
        "voter": np.repeat(np.arange(len(names)), lengths),
        "item": join_ids([part for part in parts if len(part)]),
        "rank": positions(np.concatenate([[0], np.cumsum(lengths)])).astype(np.float64),
    }
    options["plain_ids"] = not any(has_own_mask(columns, name) for name in names)
    return encode_rows(cls, rows, voters=names, **options)


def _encode_pairs(cls, columns, frame, query, lower_is_better, options):
    """Encode a table with two columns for each voter; `options` contains the other arguments of `encode_rows`."""
    caller = options["caller"]
    if lower_is_better is None:
        raise InputError(
            f"`lower_is_better` of {caller} must be given if pairs=True; got none. Pass True for p-values, False for "
            "scores, or a list of the voters with p-values."
        )
    check_choice("missing_ids", options["missing_ids"], ("error", "drop"))
    voters, rows, options["plain_ids"] = read_pairs(columns, frame, caller, options["missing_ids"])
    rows = {"query": repeat_id(query, len(rows["item"])), **rows}
    return encode_rows(cls, rows, voters=voters, lower_is_better=lower_is_better, **options)


def wide_table(lists):
    """Return the lists of one query as a table with a column for each list; None fills the end of shorter lists."""
    items = lists.items.take(lists.candidate_item[lists.candidate]).tolist()
    columns = {
        voter: items[start:stop]
        for voter, start, stop in zip(
            lists.voters.take(lists.list_voter).tolist(), lists.row_ptr[:-1], lists.row_ptr[1:], strict=True
        )
    }
    longest = max(map(len, columns.values()))
    return pd.DataFrame({voter: one + [None] * (longest - len(one)) for voter, one in columns.items()}, dtype=object)


def from_matrix(
    cls,
    values: ArrayLike | AnyFrame,
    *,
    kind: Literal["score", "rank", "pvalue", "wins"],
    rows: Literal["items", "voters"] | None = None,
    items: Sequence[Hashable] | pd.Index | None = None,
    voters: Sequence[Hashable] | pd.Index | None = None,
    query: Hashable = "q",
    lower_is_better: LowerIsBetter = False,
    strip: bool = False,
    weights: Weights = None,
):
    """Encode a matrix of items by voters.

    Parameters
    ----------
    values : array-like of shape (n_items, n_voters), or DataFrame
        A number for each item and voter; NaN if the voter does not rank the item. The index of a DataFrame contains the
        names of the items, and its columns contain the names of the voters. With ``rows="voters"``, each row is a voter
        and each column is an item.
    kind : {"score", "rank", "pvalue", "wins"}
        Kind of the numbers. Higher scores are better, rank 1 is the best rank, and lower p-values are better. All
        p-values must be present and from 0 to 1. With "wins", rows and columns are the same items, and the number in
        row i and column j counts the wins of item i against item j. Count a tie as half a win for each item.
    rows : {"items", "voters"} or None, default=None
        Whether each row is an item, or the list of a voter, such as a ballot. None means "items", with a warning if the
        rows may be voters.
    items, voters : sequence of hashable, default=None
        Names of the items and of the voters. None uses the names of the DataFrame, or numbers from 0 if there are no
        names.
    query : hashable, default="q"
        Id of the query.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for times. A sequence names the voters for which smaller scores are
        better. Leave `lower_is_better` out for p-values.
    strip : bool, default=False
        Whether to remove blanks around text ids; an item that consists of blanks counts as missing.
    weights : mapping of voter to float, or sequence of float in the order of the voters, default=None
        Weights of the lists.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If the matrix is text, a dict or rows of different lengths, or if names cannot be hashed.
    ValueError
        If the matrix does not have two dimensions or is empty, a cell is not a number, or names do not match its
        shape. If a p-value is missing or not from 0 to 1.

    Warns
    -----
    AmbiguousInputWarning
        If the rows may be ballots, and neither `rows` nor names are given. Rows may be ballots if there are more rows
        than columns, and the rows are numbered from 0 or all contain the same numbers in some order. Rows may also be
        ballots if the numbers are ranks, and each row contains a rank 1, but some columns do not.

    See Also
    --------
    from_wide : Encodes a table with items as cells.

    Examples
    --------
    Importances of three features in two folds:

    >>> from skrankagg import RankedLists
    >>> importances = [[0.5, 0.4], [0.3, 0.6], [0.2, float("nan")]]
    >>> lists = RankedLists.from_matrix(importances, kind="score",
    ...     items=["age", "dose", "sex"])
    >>> lists.to_frame()
      query  voter  item  rank  score
    0     q      0   age   1.0    0.5
    1     q      0  dose   2.0    0.3
    2     q      0   sex   3.0    0.2
    3     q      1  dose   1.0    0.6
    4     q      1   age   2.0    0.4

    Three voters rank two candidates, and each row is a ballot:

    >>> ballots = [[1, 2], [1, 2], [2, 1]]
    >>> RankedLists.from_matrix(ballots, kind="rank", rows="voters",
    ...     items=["Ann", "Bob"]).to_runs()
    {0: {'q': ['Ann', 'Bob']}, 1: {'q': ['Ann', 'Bob']}, 2: {'q': ['Bob', 'Ann']}}
    """
    caller = "RankedLists.from_matrix"
    check_choice("kind", kind, ("score", "rank", "pvalue", "wins"))
    if kind == "wins":
        given = {"rows": rows, "voters": voters, "weights": weights, "lower_is_better": lower_is_better or None}
        return from_wins(cls, values, items, query, strip, [name for name, one in given.items() if one is not None])
    check_choice("rows", rows, (None, "items", "voters"))
    is_named = items is not None or voters is not None
    values = as_table(values, caller)
    if isinstance(values, pd.DataFrame):
        own = (values.columns, values.index) if rows == "voters" else (values.index, values.columns)
        items = list(own[0]) if items is None else items
        voters = list(own[1]) if voters is None else voters
    matrix = read_cells(values, caller)
    if rows is None and not is_named:
        warn_of_rows(matrix, items, caller, ranks=kind == "rank")
    if rows == "voters":
        matrix = matrix.T
    n_items, n_voters = matrix.shape
    # The names may match the transposed matrix.
    turned = (None, None) if rows == "voters" else (n_voters, n_items)
    items = read_names(items, "items", n_items, caller, turned[0])
    voters = read_names(voters, "voters", n_voters, caller, turned[1])
    if kind == "rank":
        check_ranks(matrix, items, voters, caller)
    if kind == "pvalue":
        check_pvalues(matrix, items, voters, lower_is_better)
        lower_is_better = True
    voter, item = np.nonzero(~np.isnan(matrix.T))
    if not len(voter):
        raise InputError(f"`values` of {caller} must have at least one number; got none.")
    table = {
        "query": repeat_id(query, len(voter)),
        "voter": voter,
        "item": pd.Series(items).take(item).to_numpy(),
        "rank" if kind == "rank" else "score": matrix[item, voter],
    }
    return encode_rows(
        cls, table, voters=voters, caller=caller, lower_is_better=lower_is_better, strip=strip, weights=weights
    )
