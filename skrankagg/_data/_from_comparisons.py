"""Construction of ranked lists from paired comparisons: games, duels of an arena, and verdicts of judges."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from .._arrays._ragged import count_codes, sort_codes
from .._support._checks import check_flag
from .._support._suggestions import did_you_mean
from .._support._values import show
from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning, InputError, InputTypeError
from ._comparisons import read_ties, refuse_outcomes
from ._covariates import codes_to_merge, fields_of_pairs, key_of, read_sides, titles_of_sides
from ._frames import AnyFrame, Columns, first_row, is_frame, known_frame, titles_of
from ._id_codes import can_encode_together, encode_ids, encode_together
from ._list_columns import COUNTED, WEIGHTED, check_groupings, grouping_column
from ._long_rows import index_of_one, join_ids, strip_ids
from ._matrices_of_lists import as_table
from ._matrix_cells import read_cells, read_names
from ._outcomes import read_outcomes
from ._similar_ids import warn_of_similar_ids

_CALLER = "RankedLists.from_comparisons"

# Key of the queries in the dict of groupings. The other keys are names, which are strings.
_QUERY = None

#: Usual columns for the first item, the second item and the outcome.
USUAL = (
    ("model_a", "model_b", "winner"),
    ("left", "right", "winner"),
    ("x", "y", "winner"),
    ("player1", "player2", "winner"),
    ("player1", "player2", "result"),
    ("first", "second", "outcome"),
)


def from_comparisons(
    cls,
    frame: AnyFrame | Sequence[tuple[Any, ...]],
    *,
    winner: str = "winner",
    loser: str = "loser",
    tie: str | None = "tie",
    first: str | None = None,
    second: str | None = None,
    outcome: str | None = None,
    outcomes: Mapping[Any, float | tuple[float, float]] | None = None,
    weight: str | None = "weight",
    voter: str | None = None,
    groups: Sequence[str] | None = None,
    covariates: Sequence[str] | Mapping[str, str | tuple[str, str]] | None = None,
    position: bool = False,
    reconcile: bool = False,
    query: Hashable = "q",
    query_column: str | None = None,
    strip: bool = False,
):
    """Encode paired comparisons, such as games, duels of an arena, or choices between two items.

    Equal comparisons are merged into one list of two items, with the number of comparisons as its weight. The lists are
    marked as comparisons, which means that the voter saw only these two items.

    Parameters
    ----------
    frame : DataFrame of pandas, polars or pyarrow, or sequence of tuples
        A row for each comparison. Tuples have the form (first, second, outcome), or (winner, loser).
    winner, loser : str, default="winner", "loser"
        Names of the columns that contain the winner and the loser of each comparison. If the frame has no such columns,
        the usual names of the columns `first`, `second` and `outcome` are tried, see Notes.
    tie : str or None, default="tie"
        Name of an optional column of booleans, or of the numbers 0 and 1. True or 1 means that the winner and the loser
        tied. None ignores the column.
    first, second, outcome : str, default=None
        Names of the columns that contain the two items and the outcome. The outcome is a word, the id of the winner, or
        the first item's share of the win, from 0 to 1.
    outcomes : mapping, default=None
        Meaning of further outcomes: the first item's share of the win, or a pair of this share and a weight factor. For
        example, ``{"A>>B": (1, 3.0)}`` means a win of the first item with three times the weight of other wins. All
        other words and numbers keep their usual meaning, see Notes.
    weight : str or None, default="weight"
        Name of the column of weights; None ignores weights. The default column "weight" is optional. Rows with weights
        are not merged.
    voter : str, default=None
        Name of the column of voters, such as "judge". The column becomes a grouping of this name, which ``reconcile``
        and ``reliability_of`` use.
    groups : sequence of str, default=None
        Names of further columns that become groupings, such as "prompt". Only comparisons of the same groups are
        merged.
    covariates : sequence of str or mapping, default=None
        Numbers that `PlackettLuce` may take into account. A mapping such as ``{"length": ("tokens_a", "tokens_b")}``
        names the columns of the first and the second item. A single column contains the difference, first item
        minus second item. Only comparisons with equal covariates are merged.
    position : bool, default=False
        Whether to add the covariate "position", which is 1 for the item shown first and 0 for the item shown second.
        Its coefficient is the advantage of the item shown first. This option needs `first`, `second` and `outcome`.
    reconcile : bool, default=False
        Whether to merge two verdicts on the same two items, one for each order in which they were shown. If both
        verdicts prefer the same item, the share is the mean of the two shares; otherwise the comparison is a tie. This
        option needs `first`, `second` and `outcome`. It also needs `voter` or `groups`, because only verdicts of the
        same voter and the same groups are merged.
    query : hashable, default="q"
        Id of the query if there is no `query_column`.
    query_column : str, default=None
        Name of a column of queries, such as "category". The items of each query are ranked separately, and only
        comparisons of the same query are merged. None means that all comparisons belong to one query.
    strip : bool, default=False
        Whether to remove blanks around text ids; an id that consists of blanks counts as missing.

    Returns
    -------
    RankedLists
        Lists of two items, with voters that are numbered from 0. A comparison whose share is not 0, 1/2 or 1 becomes
        two lists, one for each order of the items. These two lists together count as one comparison.

    Raises
    ------
    TypeError
        If `frame` is not a data frame.
    ValueError
        If a column, an id or an outcome is missing, an item is compared with itself, or `tie` has invalid values. If an
        outcome is unknown, names neither of the two items, or is both a word and the id of an item. If the values of
        another column are the names of the two item columns, so that it probably contains the outcome.

    Warns
    -----
    AmbiguousInputWarning
        If there is a column `query`, but `query_column` is None, so that this column is ignored.
    UserWarning
        With `reconcile`, if verdicts in the two orders differ. The warning states how many.

    See Also
    --------
    from_matrix : Encodes a matrix of wins with ``kind="wins"``.
    from_ballots : Encodes ballots, which may rank more than two items.
    skrankagg.aggregators.PlackettLuce : The model of Bradley and Terry, for comparisons.
    skrankagg.aggregators.MarkovChain : Uses the comparisons directly with ``chain="mct"``.

    Notes
    -----
    The outcome may be one of these words, in upper or lower case:

    - the first item wins: ``model_a, a, first, left, x``
    - the second item wins: ``model_b, b, second, right, y``
    - tie: ``tie, draw, both, tie (bothbad), bothbad, both_bad, both bad, =``

    The outcome may also be the name of an item's column, which means that this item wins. The numbers 1 and True mean
    that the first item wins. The numbers 0 and False mean that the second item wins, and 0.5 means a tie. The number 2
    must be mapped with `outcomes`, because libraries number outcomes in different ways. If 2 means a win of the second
    item, 0 must be mapped as well, because both numbers would otherwise mean the same. With ``outcomes={2: 0.5}``, 1
    and 0 keep their meaning.

    If the frame has no column `loser` and no columns are named, these columns are tried: ``model_a, model_b, winner``;
    ``left, right, winner``; ``x, y, winner``; ``player1, player2`` with ``winner`` or ``result``; and ``first, second,
    outcome``.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import MarkovChain, PlackettLuce, RankedLists
    >>> games = pd.DataFrame({"winner": ["a", "a", "b", "c"],
    ...     "loser": ["b", "b", "c", "a"]})
    >>> lists = RankedLists.from_comparisons(games)
    >>> lists.to_frame()
      query  voter item  rank  weight  duel
    0     q      0    a   1.0     2.0    -1
    1     q      0    b   2.0     2.0    -1
    2     q      1    b   1.0     1.0    -1
    3     q      1    c   2.0     1.0    -1
    4     q      2    c   1.0     1.0    -1
    5     q      2    a   2.0     1.0    -1
    >>> MarkovChain(chain="mct").fit_transform(lists)["item"].tolist()
    ['a', 'b', 'c']

    The columns of an arena are found, and each judge is a group:

    >>> battles = pd.DataFrame({
    ...     "model_a": ["x", "y", "z"], "model_b": ["y", "z", "x"],
    ...     "winner": ["model_a", "tie", "model_b"],
    ...     "judge": ["Ann", "Ben", "Ann"],
    ... })
    >>> duels = RankedLists.from_comparisons(battles, voter="judge")
    >>> duels.to_frame()[["voter", "item", "rank", "judge"]]
       voter item  rank judge
    0      0    x   1.0   Ann
    1      0    y   2.0   Ann
    2      1    x   1.0   Ann
    3      1    z   2.0   Ann
    4      2    y   1.5   Ben
    5      2    z   1.5   Ben
    >>> PlackettLuce().fit_transform(duels)["item"].tolist()
    ['x', 'y', 'z']
    """
    check_flag("strip", strip)
    check_flag("reconcile", reconcile)
    check_flag("position", position)
    if query is None or query is pd.NA or query != query:
        raise InputError(f"`query` of {_CALLER} must be an id; got {query!r}. Pass any text, such as 'q'.")
    if query_column is not None and query != "q":
        raise InputError(
            f"`query` of {_CALLER} must be left out if `query_column` is given, because that column contains the ids; "
            f"got {query!r}."
        )
    if not is_frame(frame) and isinstance(frame, Sequence) and not isinstance(frame, str | bytes):
        frame = _frame_of_tuples(frame)
    available = titles_of(known_frame(frame, _CALLER))
    titles = [one for one in available if isinstance(one, str)]
    if "query" in titles and query_column is None:
        warn_user(
            f"The column 'query' is not read by {_CALLER}, so all comparisons belong to one query, {query!r}. Drop the "
            "column, or pass query_column='query' to rank each query.",
            AmbiguousInputWarning,
        )
    names = {"winner": winner, "loser": loser, "tie": tie, "weight": weight, "voter": voter}
    tie_is_asked = tie is not None and tie != "tie"
    of_sides = {"first": first, "second": second, "outcome": outcome}
    if all(one is None for one in of_sides.values()):
        if (winner, loser) == ("winner", "loser") and not has_losers(titles) and not tie_is_asked:
            of_sides = _usual_columns(titles) or of_sides
            if of_sides["first"] is None:
                raise InputError(
                    f"`frame` of {_CALLER} must have columns such as winner and loser, or model_a, model_b and winner; "
                    f"its columns are {available}. Name winner= and loser=, or first=, second= and outcome=. Read a "
                    "matrix of wins by RankedLists.from_matrix(kind='wins')."
                )
    elif any(one is None for one in of_sides.values()):
        raise InputError(
            "`first`, `second` and `outcome` must be named together; got "
            f"{', '.join(f'{name}={one!r}' for name, one in of_sides.items())}. Name all three columns."
        )
    by_side = of_sides["first"] is not None
    if not by_side and outcomes is not None:
        raise InputError(
            f"`outcomes` of {_CALLER} must be None if no column of outcomes is named; got a mapping. Pass the column "
            "names as first=, second= and outcome=."
        )
    if by_side and tie_is_asked:
        raise InputError(
            f"`tie` must be None if there is a column of outcomes; got {tie!r}. Write ties in the column of outcomes, "
            "for example as 'tie' or 0.5."
        )
    if query_column is not None and (not isinstance(query_column, str) or query_column not in available):
        raise InputError(
            f"`query_column` of {_CALLER} must be a column of the frame; {show(query_column)} is not among "
            f"{available}{did_you_mean(str(query_column), titles)}. Name one of these columns."
        )
    if voter is not None:
        check_groupings([voter], available, _CALLER, "voter")
    groups = check_groupings(groups, available, _CALLER)
    read = {**of_sides, "weight": weight, "voter": voter} if by_side else names
    sides = titles_of_sides(covariates, position, available, _CALLER, [*groups, voter], by_side)
    titles_read = dict.fromkeys(one for pair in sides.values() for one in pair)
    named = groups if query_column is None else [*groups, query_column]
    if weight == "weight" and weight not in titles:
        weight = read["weight"] = None  # the default column is optional
    read = read | {one: one for one in named} | {key_of(one): one for one in titles_read}
    columns = Columns(frame, read, _CALLER)
    needed = ("first", "second", "outcome") if by_side else ("winner", "loser")
    has_tie = not by_side and columns.has("tie")
    columns.require(*needed, *(["tie"] if has_tie else []), *(["weight"] if weight is not None else []))
    item_columns = [columns.name(name) for name in needed[:2]]
    try:
        upper, lower, items = _encode_items([columns.series(name) for name in item_columns], strip)
    except (InputError, InputTypeError):
        if not by_side:
            refuse_outcomes(frame, *item_columns, _CALLER)
        raise
    if not by_side:
        refuse_outcomes(frame, *item_columns, _CALLER, None if strip else items)
    _check_pairs(upper, lower, items)
    if by_side:
        share, factor = read_outcomes(columns.series(of_sides["outcome"]), upper, lower, items, outcomes, of_sides)
    else:
        tied = np.zeros(columns.n_rows, dtype=bool)
        if has_tie:
            tied = read_ties(columns.series(columns.name("tie")), columns.name("tie"))
        share, factor = np.where(tied, 0.5, 1.0), np.ones(columns.n_rows)
    size = None
    if weight is not None:
        size = columns.numbers("weight")
        if (size < 0).any():
            raise InputError(
                f"Weights passed to {_CALLER} must be at least 0; got {size[first_row(size < 0)]:g} in row "
                f"{first_row(size < 0)}. Drop the row, or give it weight 0."
            )
    who = {}
    if query_column is not None:
        who[_QUERY] = _encode_group(columns.series(query_column), query_column, strip)
    for name in dict.fromkeys(([voter] if voter is not None else []) + groups):
        who[name] = _encode_group(columns.series(name), name, strip)
    if reconcile:
        if not by_side or not who.keys() - {_QUERY}:
            raise InputError(
                "`reconcile` must be False if the frame has no columns of a first and a second item, or if neither "
                "voter= nor groups= shows which verdicts belong together. Name the missing columns with first=, "
                "second= and outcome=, or with voter= or groups=."
            )
        if size is not None:
            raise InputError(
                "`weight` must be None with reconcile=True, because reconcile=True merges rows; got column "
                f"{weight!r}. Pass weight=None."
            )
        if sides:
            raise InputError(
                f"`covariates` and `position` of {_CALLER} must be left out with reconcile=True, because each merged "
                "comparison has two values of a covariate, one for each order. Leave out reconcile=True, or leave "
                "out these two parameters."
            )
        upper, lower, share, factor, who = _reconcile(upper, lower, share, factor, who)
    values = read_sides(columns, sides)
    queries = who.pop(_QUERY, None) or (None, index_of_one(query))
    lists = _encode(cls, queries, items, upper, lower, share, factor, size, who, values)
    warn_of_similar_ids(lists, _CALLER)
    return lists


def from_wins(cls, values, items, query, strip, given):
    """Encode a matrix of wins as comparisons; ``values[i, j]`` is the number of wins of item i against item j.

    `given` contains the names of parameters that the user has passed, but that have no meaning for wins.
    """
    caller = "RankedLists.from_matrix"
    if given:
        raise InputError(
            f"`{given[0]}` of {caller} must be left out if kind='wins', because the rows and the columns of this "
            "matrix are items."
        )
    has_index, values = isinstance(values, pd.DataFrame), as_table(values, caller)
    if isinstance(values, pd.DataFrame) and items is not None:
        columns = list(values.columns)
        if columns != list(items) and set(columns) == set(items):
            raise InputError(
                f"With kind='wins', `items` of {caller} must have the order of the columns; got {show(items)} for the "
                f"columns {show(columns)}. Put the rows, the columns and `items` in the same order."
            )
    if isinstance(values, pd.DataFrame) and items is None:
        items = list(values.index)
        if not has_index:
            raise InputError(
                f"`items` of {caller} must name the items in the rows if kind='wins' and the frame has no index; got "
                "None. Drop columns without wins, and pass items=frame.columns if rows and columns have the same order."
            )
        if set(items) != set(values.columns) or len(set(items)) < len(items):
            raise InputError(
                "If kind='wins', the rows and the columns of the matrix must be the same items; the index and the "
                "columns differ. Give both the same names."
            )
        values = values[items]
    wins = read_cells(values, caller)
    if wins.shape[0] != wins.shape[1]:
        raise InputError(
            f"With kind='wins', `values` of {caller} must be a square matrix; got the shape {wins.shape}. Give a row "
            "and a column for each item."
        )
    items = read_names(items, "items", len(wins), caller)
    wins = np.nan_to_num(wins.astype(np.float64), nan=0.0, posinf=-1.0)
    bad = (wins < 0) | (np.eye(len(wins), dtype=bool) & (wins != 0))
    if bad.any():
        row, column = (int(one[0]) for one in np.nonzero(bad))
        raise InputError(
            f"Numbers of wins passed to {caller} must be finite and at least 0, and 0 for an item against itself; got "
            f"{np.asarray(values, dtype=object)[row, column]} for {items[row]!r} against {items[column]!r}. Correct "
            "this number."
        )
    codes, index = _sorted_ids(pd.Series(items), strip, f"`items` of {caller} must be sortable")
    upper, lower = np.nonzero(wins)
    size = wins[upper, lower]
    marks = np.full(len(upper), COUNTED if (size % 1 == 0).all() else WEIGHTED)
    queries, tied = (None, index_of_one(query)), np.zeros(len(upper), dtype=bool)
    return _make(cls, queries, index, codes[upper], codes[lower], tied, size, marks, {}, fields_of_pairs({}, [], []))


def comparison_columns(titles):
    """Return a dict of the columns of comparisons, found by their usual names, or None if they are missing."""
    if has_losers(titles):
        return {"winner": "winner", "loser": "loser"}
    return _usual_columns(titles)


def has_losers(titles):
    """Return True if there are columns called winner and loser, in upper or lower case."""
    return {"winner", "loser"} <= {one.strip().casefold() for one in titles}


def _usual_columns(titles):
    """Return the usual columns of two items and an outcome as a dict, or None if the frame lacks them."""
    # The case of titles is ignored.
    known = {one.strip().casefold(): one for one in reversed(titles)}
    found = [trio for trio in USUAL if all(one in known for one in trio)]
    if not found:
        return None
    if len(found) > 1:
        raise InputError(
            f"{_CALLER} cannot tell which columns of the frame contain the compared items and the outcome: "
            f"{' and '.join(str(one) for one in found)} are all possible. Pass the column names as first=, second= "
            "and outcome=."
        )
    return {side: known[one] for side, one in zip(("first", "second", "outcome"), found[0], strict=True)}


def _frame_of_tuples(rows):
    sizes = {len(row) if isinstance(row, tuple | list) else 0 for row in rows}
    if sizes not in ({2}, {3}):
        raise InputTypeError(
            f"Tuples passed to {_CALLER} must all have the form (first, second, outcome), or all the form (winner, "
            f"loser); got {show(rows[0]) if len(rows) else 'no tuples'}. Pass a data frame for other columns."
        )
    titles = ["winner", "loser"] if sizes == {2} else ["first", "second", "outcome"]
    return pd.DataFrame({title: pd.Series([row[k] for row in rows]) for k, title in enumerate(titles)})


def _sorted_ids(values, strip, rule):
    """Return the codes and the sorted ids of a Series.

    `rule` is the first clause of the error message for ids that cannot be sorted.
    """
    return _as_sortable(rule, lambda: encode_ids(strip_ids(values) if strip else values))


def _as_sortable(rule, encode, *columns):
    """Call a function that encodes ids, and convert TypeError to InputTypeError.

    `rule` is the first clause of the new message.
    """
    try:
        return encode(*columns)
    except TypeError as error:
        raise InputTypeError(
            f"{rule}, such as strings or integers; got other values ({error}). Convert them to one type, such as "
            "strings."
        ) from None


def _encode_items(sides, strip):
    """Return the codes of the two items of each row, and the sorted ids of all items.

    `sides` contains the two columns of items. The code of a missing item is -1.
    """
    rule = f"Items passed to {_CALLER} must be sortable"
    if not strip and can_encode_together(sides):
        (first, second), items = _as_sortable(rule, encode_together, sides)
    else:
        codes, items = _sorted_ids(join_ids(sides), strip, rule)
        first, second = codes[: len(sides[0])], codes[len(sides[0]) :]
    return first, second, items


def _check_pairs(first, second, items):
    """Raise InputError if an item is missing, or if an item is compared with itself."""
    if first.min() < 0 or second.min() < 0:
        n_missing = int(np.count_nonzero(first < 0) + np.count_nonzero(second < 0))
        raise InputError(
            f"Each row passed to {_CALLER} must have two items; {n_missing} items are missing. Drop the rows with "
            "missing items."
        )
    same = first == second
    if same.any():
        row = first_row(same)
        raise InputError(
            f"Each row passed to {_CALLER} must have two different items; row {row} has {show(items[first[row]])} "
            "twice. Drop this row."
        )


def _encode_group(values, name, strip):
    """Return the codes and the sorted ids of a column that divides the comparisons into groups, such as the judge."""
    codes, index = _sorted_ids(values, strip, f"Column {name!r} passed to {_CALLER} must have ids that can be sorted")
    if (codes < 0).any():
        raise InputError(
            f"Column {name!r} passed to {_CALLER} must have an id in every row; {int((codes < 0).sum())} are missing, "
            f"the first in row {first_row(codes < 0)}. Drop those rows, or fill in the ids."
        )
    return codes, index


def _reconcile(first, second, share, factor, who):
    """Merge two verdicts on the same two items, one for each order in which the items were shown.

    Verdicts are merged only within the same groups. If they prefer different items, the result is a tie.

    `first` and `second` contain the two items of each comparison. `share` is the first item's share of the win, and
    `factor` multiplies the weight of the comparison. `who` maps each column of groups, such as the judge, to its codes
    and ids. Returns these five values for the merged comparisons.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    keys = [*(codes for codes, _ in who.values()), low, high]
    order, starts = sort_codes(keys, [int(key.max(initial=0)) + 1 for key in keys])
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.cumsum(starts[-1]) - 1
    n = int(number.max(initial=-1)) + 1
    is_low = first == low
    in_order, turned = (np.bincount(number[side], minlength=n) for side in (is_low, ~is_low))
    both = (in_order > 0) & (turned > 0)
    several = both & ((in_order > 1) | (turned > 1))
    if several.any():
        raise InputError(
            f"With reconcile=True, two items must have at most one verdict in each order of presentation; in "
            f"{int(several.sum())} cases there are more. The first case is in row {first_row(several[number])}. Name "
            "the column that tells these verdicts apart, such as groups=['prompt']."
        )
    of_low = np.where(is_low, share, 1 - share)
    least, most, total = np.full(n, np.inf), np.full(n, -np.inf), np.bincount(number, weights=of_low, minlength=n)
    np.minimum.at(least, number, np.sign(of_low - 0.5))
    np.maximum.at(most, number, np.sign(of_low - 0.5))
    flipped = both & (least < most)
    if flipped.any():
        warn_user(
            f"{int(flipped.sum()):,} of the {int(both.sum()):,} comparisons that were made in both orders "
            f"({flipped.sum() / both.sum():.1%}) were decided differently in the two orders. They count as ties.",
            UserWarning,
        )
    # If a comparison has two rows, the first row is kept.
    position = np.full(n, len(order))
    np.minimum.at(position, number, np.arange(len(order)))
    mean = np.where(is_low, (total / 2)[number], 1 - (total / 2)[number])
    share = np.where(flipped[number], 0.5, np.where(both[number], mean, share))
    factor = np.where(both[number], np.bincount(number, weights=factor, minlength=n)[number] / 2, factor)
    kept = ~both[number] | (np.arange(len(order)) == position[number])
    who = {name: (codes[kept], index) for name, (codes, index) in who.items()}
    return first[kept], second[kept], share[kept], factor[kept], who


def _encode(cls, queries, items, first, second, share, factor, size, who, sides):
    """Merge equal comparisons, and return them as ranked lists.

    `queries` is a pair. The first element contains the code of each comparison's query, or is None if there is only one
    query. The second element is the index of the queries.

    `first` and `second` contain the two items of each comparison, and `share` the first item's share of the win. The
    weight of a comparison is `factor`, multiplied by `size` unless `size` is None. `who` maps each column of groups,
    such as the judge, to its codes and ids. `sides` contains the covariates, as returned by
    :func:`~skrankagg._data._covariates.read_sides`.
    """
    tied = share == 0.5
    whole = tied | (share == 0.0) | (share == 1.0)
    # True if the second item of a row becomes the first item of its list.
    turned = (share < 0.5) | (tied & (first > second))
    merged = whole & (factor == 1) if size is None else np.zeros(len(share), dtype=bool)
    weight = factor if size is None else factor * size
    # `row` selects the row of each list. Indexing with a slice does not copy the arrays.
    row, split = slice(None), ~whole
    if split.any():
        # A comparison with a fractional share becomes two lists, one for each order, with the shares as weights.
        extra = np.flatnonzero(split)
        row = np.concatenate([np.arange(len(share)), extra])
        more, less = np.maximum(share, 1 - share), np.minimum(share, 1 - share)
        weight = np.concatenate([np.where(split, more * weight, weight), (less * weight)[extra]])
        turned = np.concatenate([turned, ~turned[extra]])
    upper, lower, tied = first[row], second[row], tied[row]
    if turned.any():
        upper, lower = np.where(turned, lower, upper), np.where(turned, upper, lower)
    keys = [*(codes[row] for codes, _ in who.values()), upper, lower, tied]
    if queries[0] is not None:
        keys.insert(0, queries[0][row])
    if merged.all() and not sides:
        return _encode_counts(cls, queries, items, keys, who)
    code = codes_to_merge(sides, row, turned)
    if code is not None:
        # Comparisons that must not be merged get different numbers.
        apart = np.where(merged, 0, np.arange(1, len(share) + 1))[row]
        keys += [apart, code] if sides else [apart]
    order, starts = sort_codes(keys, [int(key.max(initial=0)) + 1 for key in keys])
    kept, total = order, weight[order]
    if code is not None:
        heads = np.flatnonzero(starts[-1])
        kept, total = order[heads], np.add.reduceat(total, heads)
    source = kept if isinstance(row, slice) else row[kept]
    groups = {name: grouping_column(codes[source], index) for name, (codes, index) in who.items()}
    marks = np.full(len(kept), COUNTED)
    if not merged.all():
        # A weight from the user may be a number of comparisons.
        single = ~merged & (split | (factor != 1))
        marks = np.where(merged, COUNTED, np.where(single, np.cumsum(single), WEIGHTED))[source]
        if (marks > 0).any():
            marks[marks > 0] = pd.factorize(marks[marks > 0])[0] + 1  # in the order of the lists, not of the rows
    queries = (None if queries[0] is None else keys[0][kept]), queries[1]
    rows = fields_of_pairs(sides, source, turned[kept])
    return _make(cls, queries, items, upper[kept], lower[kept], tied[kept], total, marks, groups, rows)


def _encode_counts(cls, queries, items, keys, who):
    """Merge equal comparisons into one list with the number of comparisons as its weight; return ranked lists.

    `keys` is a list of arrays of codes; comparisons are equal if all their codes are equal. If there are several
    queries, the first array contains the queries. The next arrays contain the groups of the comparisons, with one array
    for each column of groups in `who`, such as the judge. The last three arrays contain the better item, the worse
    item, and 1 for a tie.
    """
    keys, count = count_codes(keys, [int(key.max(initial=0)) + 1 for key in keys])
    upper, lower, tied = keys[-3:]
    of_query = None if queries[0] is None else keys[0]
    of_groups = zip(keys[-3 - len(who) : -3], who.items(), strict=True)
    groups = {name: grouping_column(codes, index) for codes, (name, (_, index)) in of_groups}
    marks, rows = np.full(len(count), COUNTED), fields_of_pairs({}, [], [])
    return _make(cls, (of_query, queries[1]), items, upper, lower, tied == 1, count, marks, groups, rows)


def _make(cls, queries, items, upper, lower, tied, weight, marks, groups, covariates):
    """Return ranked lists of two items each; `upper` is the better and `lower` the worse item of each list.

    Both are positions in the sorted index `items`. The mask `tied` marks the lists whose two items tie. `queries` is a
    pair. The first element contains the code of each list's query, in ascending order, or is None if there is only one
    query. The second element is the index of the queries. `marks` is stored as `list_duel`, see
    :class:`~skrankagg.RankedLists`. `covariates` is a dict of the RankedLists fields of covariates.
    """
    n = len(upper)
    if not n:
        raise InputError(f"{_CALLER} must get at least one comparison; got none. Check how the data were read.")
    of_list, index = queries
    code = np.empty(2 * n, dtype=np.int64)
    code[0::2], code[1::2] = upper, lower
    if of_list is None:
        of_list = np.zeros(n, dtype=np.int64)
    else:
        of_list = of_list.astype(np.int64)
        code += np.repeat(of_list * len(items), 2)
    # A candidate is a pair of a query and an item.
    n_codes = len(index) * len(items)
    if n_codes <= 8 * len(code):
        present = np.zeros(n_codes, dtype=bool)
        present[code] = True
        used, number = np.flatnonzero(present), (np.cumsum(present, dtype=np.int32) - 1)[code]
    else:
        used, number = np.unique(code, return_inverse=True)
    query_of, item_of = np.divmod(used, len(items))
    rank = np.tile([1.0, 2.0], n)
    rank.reshape(n, 2)[tied] = 1.5
    each = np.arange(len(index) + 1)
    return cls(
        queries=index,
        voters=pd.RangeIndex(n),
        items=items,
        list_ptr=np.searchsorted(of_list, each),
        list_voter=np.arange(n, dtype=np.int32),
        list_weight=np.asarray(weight, dtype=np.float64),
        list_conflict=None,
        list_merged=None,
        row_ptr=2 * np.arange(n + 1),
        candidate=number.astype(np.int32, copy=False),
        rank=rank,
        score=None,
        candidate_ptr=np.searchsorted(query_of, each),
        candidate_item=item_of.astype(np.int32),
        list_duel=np.asarray(marks, dtype=np.int64),
        list_groups=pd.DataFrame(groups) if groups else None,
        **covariates,
    )
