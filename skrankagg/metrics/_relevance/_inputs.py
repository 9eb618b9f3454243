"""Conversion of runs and judgements in any accepted form to a :class:`RankedRelevance`, the input of all measures.

Frames and encoded lists name their queries by id. Plain Python lists identify queries by position. A run contains the
items of each query, best first, or a mapping of item to score. Judgements contain the relevant items, or a mapping of
item to grade.

A run without any judged item is measured like any other run, but causes a warning. A run that has no results for most
judged queries also causes a warning.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ..._arrays._ragged import gather_ranges
from ..._data._frames import plain_index
from ..._data._frames_of_voters import holds_frames
from ..._data._grades import read_grades
from ..._data._peer_objects import plain_object
from ..._data._qrels import Qrels, check_qrels, match_ids, show_ids
from ..._data._ranked_lists import RankedLists, check_lists, check_run
from ..._data._types import AnyLists, AnyQrels
from ..._kernels import grade_dicts
from ..._support._values import is_finite, show
from ..._support._warn import warn_user
from ...exceptions import InputError, InputTypeError, MissingQueriesWarning, NothingJudgedWarning
from ._ranked_relevance import RankedRelevance, RelevanceList

# Types that the public measures accept.
RunLike: TypeAlias = AnyLists | Sequence[Any] | Mapping[Any, Any] | np.ndarray
QrelsLike: TypeAlias = AnyQrels | Sequence[Any] | Set[Any] | Mapping[Any, Any] | np.ndarray

_PLAIN = (list, tuple, range, set, frozenset, np.ndarray, Mapping)
# Types of ids, grades and scores.
_SINGLE = {str, int, float}


@dataclass
class GradedRun:
    """Grades of the items in a run, with an explanation if the run has no judged item.

    Parameters
    ----------
    ranked : RankedRelevance
    queries : pandas.Index
        The evaluated queries.
    fault : str or None
        Reason why no item of the run is judged, such as "is empty". In a warning it follows the words "The run". None
        if some item is judged.
    """

    ranked: RankedRelevance
    queries: pd.Index
    fault: str | None

    def __post_init__(self):
        self.ranked.queries = self.queries


def rank_relevance(caller, run, qrels, missing_queries=None):
    """Look up the grades of the items in a run, and warn about problems with the run.

    Parameters
    ----------
    caller : str
        Name of the called function, for messages.
    run : DataFrame or RankedLists, or list of lists or of dicts
        One list for each query.
    qrels : DataFrame or Qrels, or list of lists, sets or dicts
        Judgements in the same form as the run.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results: "zero" includes these queries, and "skip" leaves them out. None is
        like "zero", but gives a warning if more than half of the judged queries have no results.

    Returns
    -------
    ranked : RankedRelevance
    queries : pandas.Index
        The evaluated queries.
    """
    run, qrels = plain_object(run), plain_object(qrels)
    check_order(caller, run, qrels)
    if holds_frames(run):
        raise InputTypeError(
            f"{caller} accepts one run; got {len(run)} frames in a {type(run).__name__}. Call evaluate(runs, qrels, "
            f"...), or {caller}(run, qrels) for one of them."
        )
    graded = look_up(run, qrels, missing_queries)
    warn_of_runs({None: graded}, missing_queries)
    return graded.ranked, graded.queries


def look_up(run, qrels, missing_queries=None):
    """Return the :class:`GradedRun` of a run; unlike :func:`rank_relevance`, this function does not warn."""
    if isinstance(run, Mapping) and not isinstance(qrels, _PLAIN) and not _holds_nothing(run):
        run = RankedLists.from_runs({"run": run})
    elif is_plain(run) and (is_plain(qrels) or not _holds_nothing(run)):
        return _plain(run, qrels, missing_queries)
    qrels, run = check_qrels(qrels), check_optional_run(run)
    queries = np.arange(qrels.n_queries)
    if missing_queries == "skip":
        queries = queries[plain_index(qrels.queries).isin([] if run is None else plain_index(run.queries))]
    ranked, fault = grade_run(run, qrels, queries)
    return GradedRun(ranked, pd.Index(qrels.queries[queries], name="query"), fault)


def check_optional_run(run):
    """Encode a run as :func:`check_run` does; return None if the run is empty."""
    empty = _holds_nothing(run) if is_plain(run) else _has_no_rows(run)
    return None if empty else check_run(run)


def encode_frame(run):
    """Encode a frame that is not empty; plain lists and empty frames are returned unchanged."""
    return run if is_plain(run) or _has_no_rows(run) else check_lists(run)


def is_plain(given):
    """Return True if `given`, a run or judgements, is a plain Python object or an array of items."""
    return isinstance(given, _PLAIN) and getattr(given, "ndim", 1) != 0


def _has_no_rows(run):
    shape = getattr(run, "shape", ())
    return isinstance(shape, tuple) and len(shape) > 0 and shape[0] == 0


def grade_run(run, qrels, queries):
    """Look up the grades of the items in an encoded run for some judged queries.

    Parameters
    ----------
    run : RankedLists or None
        A run, or None for an empty run.
    qrels : Qrels
    queries : ndarray of shape (n_chosen,), dtype=int
        Positions in `qrels` of the judged queries to evaluate.

    Returns
    -------
    ranked : RankedRelevance
    fault : str or None
        Reason why no item of the run is judged; None if some item is judged.
    """
    ranked = RankedRelevance.from_run(run, qrels, queries)
    if run is None:
        return ranked, "is empty"
    return ranked, find_fault(run.queries, run.items, qrels) if np.isnan(ranked.grade).all() else None


def find_fault(queries, items, qrels):
    """Return the reason why no query or no item of a run is judged, or None if some query and some item are judged.

    In a warning, the reason follows the words "The run". An example is "contains no judged query: ...".
    """
    for kind, theirs, ours in (("query", queries, qrels.queries), ("item", items, qrels.items)):
        if (match_ids(theirs, ours, kind) < 0).all():
            return f"contains no judged {kind}: it has {show_ids(theirs)}, but the qrels judge {show_ids(ours)}"
    return None


def check_order(caller, run, qrels):
    """Raise InputTypeError if the run and the judgements have clearly been swapped, or are paths of files.

    Lists and dicts of item to number are always accepted, because they can be a run or judgements.
    """
    paths = [one for one in (run, qrels) if isinstance(one, str | PathLike)]
    if paths:
        raise InputTypeError(
            f"{caller} must be called with a run and judgements, not with files; got {show(str(paths[0]))}. Read the "
            f"files first: {caller}(read_lists(runs), read_qrels(judgements))."
        )
    if isinstance(run, Qrels):
        what = "a Qrels as the run"
    elif isinstance(qrels, RankedLists):
        what = "a RankedLists as the judgements"
    elif not isinstance(run, _PLAIN) and _only_judges(run):
        what = "a frame with a column relevance but without rank or score as the run"
    elif isinstance(run, _PLAIN) and not isinstance(qrels, _PLAIN) and _only_ranks(qrels):
        what = "a frame with a column rank or score but without relevance as the judgements"
    elif isinstance(run, _PLAIN) and _holds_sets(run):
        what = "a set, which has no order, as the run"
    elif isinstance(qrels, Mapping) and _holds_runs(qrels):
        what = "a dict of runs as the judgements"
    else:
        return
    raise InputTypeError(
        f"{caller} must be called with the run first, then the judgements; got {what}. Call {caller}(run, qrels)."
    )


def _only_judges(frame):
    names = _column_names(frame)
    return "relevance" in names and not names & {"rank", "score"}


def _only_ranks(frame):
    names = _column_names(frame)
    return "relevance" not in names and bool(names & {"rank", "score"})


def _holds_runs(qrels):
    """Return True if a dict maps names to runs, each a dict keyed by query; such a dict cannot be judgements."""
    runs = [one for one in qrels.values() if not (isinstance(one, Mapping) and not one)]
    return bool(runs) and all(isinstance(one, Mapping) and is_nested(one) for one in runs)


def _column_names(frame):
    names = getattr(frame, "column_names", None)  # pyarrow frames, whose columns are arrays
    if hasattr(frame, "collect_schema"):  # polars, which warns if `columns` of a lazy frame is read
        names = frame.collect_schema().names()
    return {name for name in (getattr(frame, "columns", ()) if names is None else names) if isinstance(name, str)}


def _holds_sets(run):
    values = run.values() if isinstance(run, Mapping) else [run] if isinstance(run, (set, frozenset)) else run
    return np.iterable(values) and any(isinstance(value, (set, frozenset)) for value in values)


def warn_of_runs(runs, missing_queries, kind="run"):
    """Warn about runs that contain no judged item, and about runs that have no results for most judged queries.

    Parameters
    ----------
    runs : dict of str to GradedRun
        Runs, keyed by name; a single run has the name None.
    missing_queries : {"zero", "skip"} or None
        Treatment of judged queries without results. A warning about these queries is given only for None, the default.
    kind : {"run", "voter"}, default="run"
        Kind of the objects in `runs`, as written in the warnings.
    """
    lacking, of = {}, "in" if kind == "run" else "from"
    for name, graded in runs.items():
        n_queries = len(graded.queries)
        n_lacking = int((graded.ranked.n_retrieved == 0).sum())
        if graded.fault is not None:
            title = f"The {kind}" if name is None else f"The {kind} {name!r}"
            value = "0" if n_queries else "NaN, because missing_queries='skip' leaves out all queries"
            message = f"{title} {graded.fault}; it scores {value}. Check its ids and its source."
            warn_user(message, NothingJudgedWarning)
        elif missing_queries is None and 2 * n_lacking > n_queries:
            lacking[name] = f"{n_lacking} of the {n_queries} judged queries have no results" + (
                "" if name is None else f" {of} the {kind} {name!r}"
            )
    if lacking:
        others = len(lacking) - 1
        more = (
            f" Most queries also have no results {of} {others} other {kind}{'s' if others > 1 else ''}."
            if others
            else ""
        )
        warn_user(
            f"{next(iter(lacking.values()))} and count as 0.{more} Leave these queries out with "
            "missing_queries='skip', or pass only the qrels of the queries that were run. In model selection, use "
            "make_ranking_scorer. If 0 is intended, pass missing_queries='zero'.",
            MissingQueriesWarning,
        )


def _plain(run, qrels, missing_queries):
    usual = grade_dicts(run, qrels)
    if usual is not None:
        return _usual_dicts(qrels, missing_queries, *usual)
    if not is_plain(qrels):
        raise InputTypeError(
            "For a run of plain lists, judgements must be plain lists, sets or dicts, one for each query; got "
            f"{type(qrels).__name__}. Pass both as frames, or both as lists."
        )
    if not is_nested(run) and (isinstance(qrels, (set, frozenset)) or not is_nested(qrels)):
        run, qrels = [run], [qrels]
    elif isinstance(qrels, Mapping) and not qrels:
        raise InputError("`qrels` must contain at least one judged query; the dict is empty. Check its source.")
    elif isinstance(qrels, Set):
        raise InputTypeError(
            "A set has no order, so it can contain only the relevant items of one query; got a set for several "
            "queries. Use a dict of query to relevant items."
        )
    elif len(run) == 0:
        run = {} if isinstance(qrels, Mapping) else [()] * len(qrels)
    fault = None
    if isinstance(run, Mapping) != isinstance(qrels, Mapping):
        raise InputTypeError(
            "The run and the judgements must both be dicts keyed by query, or both be lists; got a dict and a list. "
            "Convert one of them."
        )
    if isinstance(qrels, Mapping):
        queries = pd.Index(list(qrels), name="query", tupleize_cols=False)
        fault = _plain_fault(run, qrels)
        run, qrels = [run.get(query, ()) for query in qrels], list(qrels.values())
    else:
        if len(run) != len(qrels):
            raise InputError(
                f"`qrels` must have a collection of relevant items for each list, in the same order; got {len(run)} "
                f"lists and {len(qrels)} collections. Pass an empty list for a query without results."
            )
        queries = pd.RangeIndex(len(run), name="query")
    for query, returned in zip(queries, run, strict=True):
        if isinstance(returned, str | bytes) or not np.iterable(returned) or not hasattr(returned, "__len__"):
            raise InputTypeError(
                f"The items of each query must be a list or a dict; got {show(returned)} for query {show(query)}."
            )
    chosen = [k for k, returned in enumerate(run) if len(returned) or missing_queries != "skip"]
    returned = [_ranking(run[k], queries[k]) for k in chosen]
    grades = [read_grades(qrels[k], queries[k]) for k in chosen]
    item = [item for items, _ in returned for item in items]
    score = [score for _, scores in returned for score in scores]
    found = [grade.get(item, np.nan) for (items, _), grade in zip(returned, grades, strict=True) for item in items]
    if fault is None and not item:
        fault = "is empty"
    elif item and np.isnan(found).all():
        # A run without judged items is allowed, because judgements may omit nonrelevant items. Ids of different types
        # raise an error.
        match_ids(_distinct(item), _distinct(one for grade in grades for one in grade), "item")
    ranked = RankedRelevance(
        np.array(found, dtype=np.float64),
        _ptr(len(items) for items, _ in returned),
        RelevanceList(
            np.array([one for grade in grades for one in sorted(grade.values(), reverse=True)], dtype=np.float64),
            _ptr(map(len, grades)),
        ),
        score=np.array(score, dtype=np.float64),
        item=_encode(item),
    )
    ranked.scored = [isinstance(run[k], Mapping) for k in chosen]
    return GradedRun(ranked, queries[chosen], fault)


def _usual_dicts(qrels, missing_queries, grade, score, ptr, best_first, judged_ptr, items):
    """Build a GradedRun from arrays that the kernel `grade_dicts` computed from a run and judgements in dicts."""
    queries = pd.Index(list(qrels), name="query", tupleize_cols=False)
    if missing_queries == "skip":
        chosen = np.flatnonzero(np.diff(ptr))
        rows, judged_ptr = gather_ranges(judged_ptr, chosen)
        best_first, ptr, queries = best_first[rows], np.append(ptr[:1], ptr[chosen + 1]), queries[chosen]
        items = [items[k] for k in chosen]
    ranked = RankedRelevance(grade, ptr, RelevanceList(best_first, judged_ptr))
    # The items are encoded only on demand, because most rules for ties do not need them.
    ranked._get_columns = lambda: (score, None, _encode(list(chain.from_iterable(filter(None, items)))))
    ranked.scored = [returned is not None for returned in items]
    return GradedRun(ranked, queries, None)


def _plain_fault(run, qrels):
    """Return the reason why no query of a run in plain Python objects is judged, or None if some query is judged."""
    theirs, ours = _distinct(run), _distinct(qrels)
    if len(theirs) and (match_ids(theirs, ours, "query") < 0).all():
        return f"contains no judged query: it has {show_ids(theirs)}, but the qrels judge {show_ids(ours)}"
    return None


def _distinct(ids):
    return pd.Index(list(dict.fromkeys(ids)), dtype=object, tupleize_cols=False)


def _holds_nothing(run):
    """Return True if plain lists contain no items: there are no lists, or all lists are empty."""
    values = run.values() if isinstance(run, Mapping) else run
    return all(isinstance(value, _PLAIN) and len(value) == 0 for value in values)


def is_nested(given):
    """Return True if a plain Python object contains lists or dicts, and not only ids or numbers."""
    values = given.values() if isinstance(given, Mapping) else given
    # The comparison of types is much faster, and is enough for collections of ids or numbers.
    return not _SINGLE.issuperset(map(type, values)) and any(isinstance(value, _PLAIN) for value in values)


def _ptr(lengths):
    return np.concatenate([[0], np.cumsum(np.fromiter(lengths, dtype=np.int64))])


def _encode(items):
    if all(isinstance(item, str) for item in items):
        names, codes = np.unique(np.array(items, dtype=object), return_inverse=True)
        return codes, pd.Index(names, dtype=object)
    places = {item: place for place, item in enumerate(dict.fromkeys(items))}
    return np.array([places[item] for item in items]), pd.Index(list(places), dtype=object, tupleize_cols=False)


def _ranking(returned, query):
    """Return the items of a query, best first, and the decreasing scores of these items."""
    if isinstance(returned, Mapping):
        # Unsigned NumPy integers cannot be negated.
        given = {item: score.item() if isinstance(score, np.generic) else score for item, score in returned.items()}
        for item, score in given.items():
            if not is_finite(score):
                raise InputError(
                    f"Scores must be finite numbers; got {show(score)} for item {show(item)} of query {show(query)}. "
                    "Drop that item, or convert the score with float."
                )
        try:
            items = sorted(given, key=lambda item: (-given[item], item))
        except TypeError as error:
            raise InputTypeError(
                f"Items of equal score are sorted by their ids, which must be of one type; query {show(query)} mixes "
                f"types ({error}). Convert the ids, for example with str."
            ) from None
        return items, [float(returned[item]) for item in items]
    items = list(returned)
    try:
        n_different = len(set(items))
    except TypeError as error:
        raise InputTypeError(
            f"Items must be ids, such as str or int; query {show(query)} has items that cannot be hashed ({error}). "
            "Pass the ids of the items."
        ) from None
    if n_different != len(items):
        raise InputError(
            f"Each list must contain each item once; the list of query {show(query)} repeats an item. Drop the repeats."
        )
    return items, [float(-k) for k in range(len(items))]
