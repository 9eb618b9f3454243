"""Construction of ranked lists from a long frame, which has a row for each item of each list."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..exceptions import InputError, InputTypeError
from ._covariates import check_covariates, key_of
from ._encoding import ONE_QUERY, ONE_VOTER, encode_lists
from ._frames import AnyRows, Columns, known_frame, titles_of
from ._id_codes import encode_ids
from ._list_columns import check_groupings
from ._long_rows import Duplicates, LowerIsBetter, MissingIds, encode_rows, repeat_id, strip_ids
from ._other_shapes import refuse_other_shape
from ._peer_objects import read_tuples
from ._similar_ids import warn_of_similar_ids

_CALLER = "RankedLists.from_frame"


def from_frame(
    cls,
    frame: AnyRows,
    *,
    query: str | None = "query",
    voter: str | None = "voter",
    item: str = "item",
    rank: str | None = "rank",
    score: str | None = "score",
    weight: str | None = "weight",
    duel: str | None = "duel",
    groups: Sequence[str] | None = None,
    covariates: Sequence[str] | None = None,
    lower_is_better: LowerIsBetter = False,
    duplicates: Duplicates = "error",
    missing_ids: MissingIds = "error",
    strip: bool = False,
    weights: Mapping[Any, float] | pd.Series | None = None,
):
    """Check and encode a long frame of ranked lists.

    Parameters
    ----------
    frame : DataFrame of pandas, polars or pyarrow, a lazy frame of polars, DuckDB or Ibis, or iterable of named tuples
        A row for each item of each list, in any order. Other columns are ignored; in a lazy frame, they are not
        collected. Named tuples, such as ``ScoredDoc`` of ir_measures, are read as rows, with their fields as columns.
    query, voter, item : str or None, default="query", "voter", "item"
        Names of the columns of ids, which may have any sortable dtype. With ``query=None``, all rows belong to one
        query, ``q``. With ``voter=None``, or without a column of voters, all rows belong to one voter, ``consensus``.
        For this reason, the result of an aggregation can be aggregated again.
    rank : str or None, default="rank"
        Name of the column of ranks, where 1 is the best rank; None ignores the column.
    score : str or None, default="score"
        Name of the column of scores, where higher scores are better; None ignores the column. A frame needs only one
        of ``rank`` and ``score``.
    weight : str or None, default="weight"
        Name of the optional column of list weights; None ignores the column. A weight is at least 0, and is the same in
        all rows of a list.
    duel : str or None, default="duel"
        Name of the optional column that marks lists as paired comparisons, as :meth:`to_frame` writes it; None ignores
        the column. :meth:`from_comparisons` reads frames with a row for each comparison.
    groups : sequence of str, default=None
        Names of columns that are the same in all rows of a list, such as the judge or the prompt. Methods and
        resampling refer to them by these names. The names "list", "voter", "query" and "model" are refused.
    covariates : sequence of str, default=None
        Names of columns of numbers that `PlackettLuce` may take into account, such as the position of an item on the
        screen, or the length of an answer. Other methods ignore them.
    lower_is_better : bool or sequence of voters, default=False
        Whether smaller scores are better, as for distances and p-values. A sequence names the voters for which smaller
        scores are better. Such scores are negated.
    duplicates : {"error", "first", "best", "mean"}, default="error"
        How to treat an item that a list contains twice: raise an error, keep the first row, keep the best row, or
        average its ranks and scores.
    missing_ids : {"error", "drop"}, default="error"
        How to treat rows whose item is None or NaN.
    strip : bool, default=False
        Whether to remove blanks around text ids; an id that consists of blanks counts as missing.
    weights : mapping or Series of voter to float, default=None
        Weight of the lists of each voter. Pass either this parameter or a column of weights.

    Returns
    -------
    RankedLists

    Raises
    ------
    TypeError
        If `frame` is not a data frame, or if ids cannot be sorted.
    ValueError
        If a column or an id is missing, there are no rows, or a number is NaN or infinite. If a rank or weight is
        negative, a weight varies within a list, or a list contains an item twice. If two columns have names with the
        same meaning, such as ``qid`` and ``topic``, see Notes.

    Warns
    -----
    AmbiguousInputWarning
        If the ids of the queries are read from ``qid`` or ``query_id``, although there is a column ``query``.
    RankScoreConflictWarning
        If ranks and scores of a list order its items differently. Methods that use ranks ignore the scores. Methods
        that use scores refuse the list.
    SimilarIdsWarning
        If two ids differ only in case or blanks.
    SplitQueryWarning
        If rows in the middle of lists or at the start of the frame are missing, for example because the frame was split
        by rows.

    Notes
    -----
    If a column is missing under its default name, other common names are tried. These names may be in upper or lower
    case:

    - query: ``qid, query_id, q, topic, topic_id``
    - voter: ``voter_id, system, run, run_id, ranker, tag``
    - item: ``item_id, docno, doc_id, doc, document, document_id``
    - rank and score, if both are missing: ``position`` and ``sim``

    Blanks, dots, hyphens and underscores in these names are ignored. If two columns match, an error is raised. A column
    of ids that is found under such a name must not contain floats, because a column "q" may contain q-values. If you
    pass a name, only this name is looked up.

    If a frame has a column ``query`` and also ``qid`` or ``query_id``, the column ``query`` usually contains the text
    of the queries. The ids are then read from ``qid`` or ``query_id``, and a warning is issued. There is no warning for
    frames of PyTerrier, which have the columns ``qid``, ``query`` and ``docno``. Their column ``docid`` is ignored,
    because it contains the numbers of the documents in an index.

    The order of the rows affects the result only with ``duplicates="first"``. Lazy frames are refused with this option,
    because their rows have no order.
    """
    frame = read_tuples(frame)
    names = {"query": query, "voter": voter, "item": item, "rank": rank, "score": score, "weight": weight, "duel": duel}
    available = [] if groups is None and covariates is None else titles_of(known_frame(frame, _CALLER))
    groups = check_groupings(groups, available, _CALLER)
    covariates = check_covariates(covariates, available, _CALLER, groups)
    names |= {name: name for name in groups} | {key_of(name): name for name in covariates}
    columns = Columns(frame, names, _CALLER, lazy=duplicates != "first")
    optional = [name for name in ("voter", "rank", "score", "weight", "duel", *groups) if columns.has(name)]
    refuse_other_shape(columns)
    columns.require(
        *([] if query is None else ["query"]),
        "item",
        *optional,
        *map(key_of, covariates),
        *([] if {"rank", "score"} & set(optional) else ["rank or score"]),
    )
    as_given = lower_is_better is False and duplicates == "error" and missing_ids == "error"
    if not (as_given and weights is None and not strip):
        return _encode_as_asked(
            cls,
            columns,
            optional,
            groups=groups,
            covariates=covariates,
            lower_is_better=lower_is_better,
            duplicates=duplicates,
            missing_ids=missing_ids,
            strip=strip,
            weights=weights,
        )
    lists = cls(**encode_lists(columns, groups, covariates))
    warn_of_similar_ids(lists, _CALLER)
    return lists


def _encode_as_asked(cls, columns, optional, *, groups, covariates, strip, weights, **options):
    """Encode a frame with options that change or drop rows, or that add weights."""
    if weights is not None:
        if not isinstance(weights, Mapping | pd.Series):
            raise InputTypeError(
                f"`weights` of {_CALLER} must map each voter to its weight, such as {{'bm25': 2.0}}; got "
                f"{type(weights).__name__}."
            )
        if "weight" in optional:
            raise InputError(
                f"Weights must be passed to {_CALLER} either in a column or as weights=; got both. Pass weight=None "
                f"to ignore the column {columns.name('weight')!r}."
            )
    rows: dict[str, Any] = {}
    if columns.name("query") is None:
        rows["query"] = repeat_id(ONE_QUERY, columns.n_rows)
    else:
        columns.ids("query")  # raises an error for missing ids, with the column's name in this frame
        rows["query"] = columns.series(columns.name("query"))
    if "voter" in optional:
        codes, voters = columns.ids("voter")
    else:
        codes, voters = np.zeros(columns.n_rows, dtype=np.int32), pd.Index([ONE_VOTER])
    if strip:  # voters with equal ids after the removal of blanks are the same voter
        names = strip_ids(pd.Series(voters))
        if names.isna().any():
            raise InputError(
                f"Column {columns.name('voter')!r} must have an id in every row; some are blank. Fill them in."
            )
        new_codes, voters = encode_ids(names)
        codes = new_codes[codes]
    rows["voter"] = codes
    rows["item"] = columns.series(columns.name("item"))
    for name in optional:
        if name in groups:
            rows[name] = columns.id_column(name)
        elif name != "voter":
            columns.numbers(name)  # raises an error with the column's name for values that are not numbers
            rows[name] = columns.series(columns.name(name))
    for name in covariates:
        rows[name] = columns.numbers(key_of(name))
    return encode_rows(
        cls,
        {name: pd.Series(column).reset_index(drop=True) for name, column in rows.items()},
        voters=voters,
        caller=_CALLER,
        strip=strip,
        weights=weights,
        groups=groups,
        covariates=covariates,
        plain_ids=not columns.is_pandas,
        index=columns.index,
        **options,
    )
