"""Ranked lists from a long frame with a row for each place of each list."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..exceptions import InputError, InputTypeError
from ._encoding import ONE_QUERY, ONE_VOTER, encode_lists
from ._frames import AnyFrame, Columns
from ._id_codes import encode_ids
from ._long_rows import Duplicates, LowerIsBetter, MissingIds, encode_rows, repeat_id, strip_ids
from ._similar_ids import warn_of_similar_ids

_CALLER = "RankedLists.from_frame"


def from_frame(
    cls,
    frame: AnyFrame,
    *,
    query: str | None = "query",
    voter: str | None = "voter",
    item: str = "item",
    rank: str | None = "rank",
    score: str | None = "score",
    weight: str | None = "weight",
    lower_is_better: LowerIsBetter = False,
    duplicates: Duplicates = "error",
    missing_ids: MissingIds = "error",
    strip: bool = False,
    weights: Mapping[Any, float] | pd.Series | None = None,
):
    """Check and encode a long frame of ranked lists.

    Parameters
    ----------
    frame : DataFrame of pandas, polars or pyarrow, or a lazy frame of polars, DuckDB or Ibis
        A row for each item of each list, in any order. Other columns are ignored. From a lazy frame, only the
        columns that are read are collected.
    query, voter, item : str or None, default="query", "voter", "item"
        Names of the id columns, of any sortable dtype. With ``query=None`` the frame is one query, ``q``. A frame
        without a column of voters, or with ``voter=None``, is one voter, ``consensus``, so the result of an
        aggregation can be aggregated again.
    rank : str or None, default="rank"
        Name of the column of ranks, 1 for the best; None ignores it.
    score : str or None, default="score"
        Name of the column of scores, higher is better; None ignores it. One of ``rank`` and ``score`` is enough.
    weight : str or None, default="weight"
        Name of the optional column of list weights, at least 0 and constant within a list; None ignores it.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for distances and p-values; or the voters with such scores. Their
        scores are negated.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice: refuse it, or keep its first row, its best row, or the
        mean.
    missing_ids : {"error", "drop"}, default="error"
        How to treat rows whose item is None or NaN.
    strip : bool, default=False
        Whether to remove blanks around text ids; an id that consists of blanks counts as missing.
    weights : mapping or Series of voter to float, default=None
        Weights of the lists, instead of a column of weights.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If `frame` is not a data frame, or if ids cannot be sorted.
    ValueError
        If a column or an id is missing, there are no rows, or a number is NaN or infinite. If a rank or weight is
        negative, a weight varies within a list, or a list contains an item twice. If several columns match a
        missing one.

    Warns
    -----
    AmbiguousInputWarning
        If the ids of the queries are read from ``qid`` or ``query_id``, although there is a column ``query``.
    RankScoreConflictWarning
        If ranks and scores of a list order its items differently: methods of ranks use the ranks, methods of scores
        refuse the list.
    SimilarIdsWarning
        If two ids differ only in case or blanks.
    SplitQueryWarning
        If lists lack rows as after a row-wise split: in the middle, or at the start of the frame.

    Notes
    -----
    A column missing under its default name is found by the names that files use for it, in any case:

    - query: ``qid, query_id, q, topic, topic_id``
    - voter: ``voter_id, system, run, run_id, ranker, tag``
    - item: ``item_id, docno, doc_id, doc, document, document_id``
    - rank and score, if both are missing: ``position`` and ``sim``

    Blanks, dots, hyphens and underscores in these names do not count. Two matching columns are refused, and so is a
    column of fractions as ids, because "q" may contain q-values. If you pass a name, only this name is looked up.
    If a frame has both ``query`` and ``qid`` or ``query_id``, the latter contains the ids, and ``query`` the text
    of the queries.

    The order of the rows changes nothing, except which duplicate ``duplicates="first"`` keeps. A lazy frame has no
    order.
    """
    names = {"query": query, "voter": voter, "item": item, "rank": rank, "score": score, "weight": weight}
    columns = Columns(frame, names, _CALLER, lazy=duplicates != "first")
    optional = [name for name in ("voter", "rank", "score", "weight") if columns.has(name)]
    columns.require(
        *([] if query is None else ["query"]),
        "item",
        *optional,
        *([] if {"rank", "score"} & set(optional) else ["rank or score"]),
    )
    as_given = lower_is_better is False and duplicates == "error" and missing_ids == "error"
    if not (as_given and weights is None and not strip):
        return _encode_as_asked(
            cls,
            columns,
            optional,
            lower_is_better=lower_is_better,
            duplicates=duplicates,
            missing_ids=missing_ids,
            strip=strip,
            weights=weights,
        )
    lists = cls(**encode_lists(columns))
    warn_of_similar_ids(lists)
    return lists


def _encode_as_asked(cls, columns, optional, *, strip, weights, **options):
    """Encode a frame with rows to change or leave out: collect its columns by their canonical names."""
    if weights is not None:
        if not isinstance(weights, Mapping | pd.Series):
            raise InputTypeError(
                f"`weights` of {_CALLER} must be given by voter, such as {{'bm25': 2.0}}; got {type(weights).__name__}."
            )
        if "weight" in optional:
            raise InputError(
                f"Weights of {_CALLER} must come in a column or as weights=; got both. Pass weight=None to ignore the "
                f"column {columns.name('weight')!r}."
            )
    rows: dict[str, Any] = {}
    if columns.name("query") is None:
        rows["query"] = repeat_id(ONE_QUERY, columns.n_rows)
    else:
        columns.ids("query")  # refuses missing ids, with the column's name in this frame
        rows["query"] = columns.series(columns.name("query"))
    if "voter" in optional:
        codes, voters = columns.ids("voter")
    else:
        codes, voters = np.zeros(columns.n_rows, dtype=np.int32), pd.Index([ONE_VOTER])
    if strip:  # rows: voters with equal stripped ids are one
        names = strip_ids(pd.Series(voters))
        if names.isna().any():
            raise InputError(f"Column {columns.name('voter')!r} must have an id in every row; some are blank.")
        new_codes, voters = encode_ids(names)
        codes = new_codes[codes]
    rows["voter"] = codes
    rows["item"] = columns.series(columns.name("item"))
    for name in optional:
        if name != "voter":
            columns.numbers(name)  # refuses values that are not numbers, likewise
            rows[name] = columns.series(columns.name(name))
    return encode_rows(
        cls,
        {name: pd.Series(column).reset_index(drop=True) for name, column in rows.items()},
        voters=voters,
        caller=_CALLER,
        strip=strip,
        weights=weights,
        plain_ids=not columns.is_pandas,
        index=columns.index,
        **options,
    )
