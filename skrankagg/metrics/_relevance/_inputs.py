"""The entry point of the measures: runs and judgements in any form, a :class:`RankedRelevance` out.

Frames and encoded lists state their queries by id. Plain Python lists are queries by position: the items of each,
best first, or a mapping of item to score; and next to them what is relevant, the items or a mapping of item to grade.

A run of which nothing is judged is measured like any other, with a warning, and so is one that lacks most queries.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ..._data._frames import plain_index
from ..._data._frames_of_voters import holds_frames
from ..._data._grades import read_grades
from ..._data._qrels import Qrels, check_qrels, match_ids, show_ids
from ..._data._ranked_lists import RankedLists, check_lists, check_run
from ..._data._types import AnyLists, AnyQrels
from ..._support._numbers import is_finite
from ..._support._shown import show
from ..._support._warn import warn_user
from ...exceptions import InputError, InputTypeError, MissingQueriesWarning, NothingJudgedWarning
from ._ranked_relevance import RankedRelevance, RelevanceList

# What the public measures take.
RunLike: TypeAlias = AnyLists | Sequence[Any] | Mapping[Any, Any] | np.ndarray
QrelsLike: TypeAlias = AnyQrels | Sequence[Any] | Set[Any] | Mapping[Any, Any] | np.ndarray

_PLAIN = (list, tuple, range, set, frozenset, np.ndarray, Mapping)


@dataclass
class GradedRun:
    """Grades of a run, and what is wrong with it.

    Parameters
    ----------
    ranked : RankedRelevance
    queries : pandas.Index
        The queries looked at.
    fault : str or None
        Why nothing of it is judged, as the predicate of a sentence about the run.
    """

    ranked: RankedRelevance
    queries: pd.Index
    fault: str | None

    def __post_init__(self):
        self.ranked.queries = self.queries


def rank_relevance(caller, run, qrels, missing_queries=None):
    """Look up the grades of a run, and warn of what is wrong with it.

    Parameters
    ----------
    caller : str
        Name of the function that was called, for messages.
    run : DataFrame or RankedLists, or list of lists or of dicts
        One list for each query.
    qrels : DataFrame or Qrels, or list of lists, sets or dicts
        Judgements, of the same kind.
    missing_queries : {"zero", "skip"} or None, default=None
        Whether judged queries without results are looked at; None looks at them, and warns where they are the most.

    Returns
    -------
    ranked : RankedRelevance
    queries : pandas.Index
        The queries looked at.
    """
    check_order(caller, run, qrels)
    if holds_frames(run):
        raise InputTypeError(
            f"{caller} measures one run, and {len(run)} came as frames in a {type(run).__name__}. Write "
            f"evaluate(runs, qrels, ...), or {caller}(run, qrels) for one of them."
        )
    graded = look_up(run, qrels, missing_queries)
    warn_of_runs({None: graded}, missing_queries)
    return graded.ranked, graded.queries


def look_up(run, qrels, missing_queries=None):
    """Look up the grades of a run, as :func:`rank_relevance` does, without warnings; returns a :class:`GradedRun`."""
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
    """Encode a run as :func:`check_run` does, or return None where it holds nothing."""
    empty = _holds_nothing(run) if is_plain(run) else _has_no_rows(run)
    return None if empty else check_run(run)


def encode_frame(run):
    """Encode a frame that holds something; plain lists and empty frames stay as they are."""
    return run if is_plain(run) or _has_no_rows(run) else check_lists(run)


def is_plain(given):
    """Whether a run or judgements are plain Python, or an array of items."""
    return isinstance(given, _PLAIN) and getattr(given, "ndim", 1) != 0


def _has_no_rows(run):
    shape = getattr(run, "shape", ())
    return isinstance(shape, tuple) and len(shape) > 0 and shape[0] == 0


def grade_run(run, qrels, queries):
    """Look up the grades of an encoded run for some judged queries.

    Parameters
    ----------
    run : RankedLists or None
        None is an empty run.
    qrels : Qrels
    queries : ndarray of shape (n_chosen,), dtype=int
        Judged queries to look at.

    Returns
    -------
    ranked : RankedRelevance
    fault : str or None
        Why nothing of it is judged.
    """
    ranked = RankedRelevance.from_run(run, qrels, queries)
    if run is None:
        return ranked, "is empty"
    return ranked, find_fault(run.queries, run.items, qrels) if np.isnan(ranked.grade).all() else None


def find_fault(queries, items, qrels):
    """Say why nothing is judged of lists with these ids, as the predicate of a sentence, or return None."""
    for kind, theirs, ours in (("query", queries, qrels.queries), ("item", items, qrels.items)):
        if (match_ids(theirs, ours, kind) < 0).all():
            return f"holds no judged {kind}: it has {show_ids(theirs)}, the qrels judge {show_ids(ours)}"
    return None


def check_order(caller, run, qrels):
    """Raise InputTypeError where it is certain that the judgements stand in the place of the run.

    Dicts of item to number, and lists, may be either, and pass.
    """
    if isinstance(run, Qrels):
        what = "a Qrels"
    elif isinstance(qrels, RankedLists):
        what, run = "a RankedLists second", None
    elif not isinstance(run, _PLAIN) and _only_judges(run):
        what = "a frame with a column relevance and neither rank nor score"
    elif isinstance(run, _PLAIN) and not isinstance(qrels, _PLAIN) and _only_ranks(qrels):
        what, run = "a frame with a column rank or score and no relevance second", None
    elif isinstance(run, _PLAIN) and _holds_sets(run):
        what = "a set, which has no order and so can only be judgements,"
    elif isinstance(qrels, Mapping) and _holds_runs(qrels):
        what, run = "a dict of runs second", None
    else:
        return
    place = "" if run is None else " first"
    raise InputTypeError(
        f"{caller} expects the run first, then the judgements; got {what}{place}. Write {caller}(run, qrels)."
    )


def _only_judges(frame):
    names = _column_names(frame)
    return "relevance" in names and not names & {"rank", "score"}


def _only_ranks(frame):
    names = _column_names(frame)
    return "relevance" not in names and bool(names & {"rank", "score"})


def _holds_runs(qrels):
    """Whether a dict holds runs by name, each a dict by query, and not judgements by query."""
    runs = [one for one in qrels.values() if not (isinstance(one, Mapping) and not one)]
    return bool(runs) and all(isinstance(one, Mapping) and is_nested(one) for one in runs)


def _column_names(frame):
    names = getattr(frame, "column_names", None)  # pyarrow's, whose columns are arrays
    if hasattr(frame, "collect_schema"):  # polars', which warns where a lazy frame is asked for its columns
        names = frame.collect_schema().names()
    return {name for name in (getattr(frame, "columns", ()) if names is None else names) if isinstance(name, str)}


def _holds_sets(run):
    values = run.values() if isinstance(run, Mapping) else [run] if isinstance(run, (set, frozenset)) else run
    return np.iterable(values) and any(isinstance(value, (set, frozenset)) for value in values)


def warn_of_runs(runs, missing_queries, kind="run"):
    """Warn of runs of which nothing is judged, and of those that lack results for most of the judged queries.

    Parameters
    ----------
    runs : dict of str to GradedRun
        By name; a single run has the name None.
    missing_queries : {"zero", "skip"} or None
        Only None, the default, warns of queries without results: the other two are choices.
    kind : {"run", "voter"}, default="run"
        What the names are names of.
    """
    lacking, of = {}, "in" if kind == "run" else "by"
    for name, graded in runs.items():
        n_queries = len(graded.queries)
        n_lacking = int((graded.ranked.n_retrieved == 0).sum())
        if graded.fault is not None:
            title = f"The {kind}" if name is None else f"The {kind} {name!r}"
            value = "0" if n_queries else "NaN, for missing_queries='skip' leaves out all queries"
            message = f"{title} {graded.fault}; it scores {value}. Check its ids, and how it was made."
            warn_user(message, NothingJudgedWarning)
        elif missing_queries is None and 2 * n_lacking > n_queries:
            lacking[name] = f"{n_lacking} of the {n_queries} judged queries have no results" + (
                "" if name is None else f" {of} the {kind} {name!r}"
            )
    if lacking:
        others = f", and most have none {of} {len(lacking) - 1} of the other {kind}s," if len(lacking) > 1 else ""
        warn_user(
            f"{next(iter(lacking.values()))}{others} and count as 0; leave them out by missing_queries='skip', "
            "give only the "
            "qrels of the queries that were run, or score by make_ranking_scorer in model selection. "
            "missing_queries='zero' "
            "says that 0 is meant.",
            MissingQueriesWarning,
        )


def _plain(run, qrels, missing_queries):
    if not is_plain(qrels):
        raise InputTypeError(
            "A run of plain lists needs relevant items in plain lists, sets or dicts, one for each query; got "
            f"{type(qrels).__name__}. Give both as frames, or both as lists."
        )
    if not is_nested(run) and (isinstance(qrels, (set, frozenset)) or not is_nested(qrels)):
        run, qrels = [run], [qrels]
    elif isinstance(qrels, Mapping) and not qrels:
        raise InputError("At least one judged query is expected; the dict of judgements is empty. Check its source.")
    elif isinstance(qrels, Set):
        raise InputTypeError(
            "A set has no order, so it can hold the relevant items of one query only; got it for several."
        )
    elif len(run) == 0:
        run = {} if isinstance(qrels, Mapping) else [()] * len(qrels)
    fault = None
    if isinstance(run, Mapping) != isinstance(qrels, Mapping):
        raise InputTypeError("A run that is a dict by query needs judgements that are one too, and a list a list.")
    if isinstance(qrels, Mapping):
        queries = pd.Index(list(qrels), name="query", tupleize_cols=False)
        fault = _plain_fault(run, qrels)
        run, qrels = [run.get(query, ()) for query in qrels], list(qrels.values())
    else:
        if len(run) != len(qrels):
            raise InputError(
                f"Each list needs its relevant items, in the same order; there are {len(run)} lists and {len(qrels)} "
                "collections of relevant items. Give an empty list where nothing was returned."
            )
        queries = pd.RangeIndex(len(run), name="query")
    for query, returned in zip(queries, run, strict=True):
        if isinstance(returned, str | bytes) or not np.iterable(returned) or not hasattr(returned, "__len__"):
            raise InputTypeError(
                f"Each query needs its items in a list or a dict; query {show(query)} has {show(returned)}."
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
        # That no item is relevant is nothing to warn of: those that are not need not be named.
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


def _plain_fault(run, qrels):
    """Why no query of a dict by query is judged, or None."""
    theirs, ours = _distinct(run), _distinct(qrels)
    if len(theirs) and (match_ids(theirs, ours, "query") < 0).all():
        return f"holds no judged query: it has {show_ids(theirs)}, the qrels judge {show_ids(ours)}"
    return None


def _distinct(ids):
    return pd.Index(list(dict.fromkeys(ids)), dtype=object, tupleize_cols=False)


def _holds_nothing(run):
    """Whether there is no item in plain lists: not one list, or only empty ones."""
    values = run.values() if isinstance(run, Mapping) else run
    return all(isinstance(value, _PLAIN) and len(value) == 0 for value in values)


def is_nested(given):
    """Whether plain Python holds lists or dicts, and not ids or numbers alone."""
    values = given.values() if isinstance(given, Mapping) else given
    return any(isinstance(value, _PLAIN) for value in values)


def _ptr(lengths):
    return np.concatenate([[0], np.cumsum(np.fromiter(lengths, dtype=np.int64))])


def _encode(items):
    if all(isinstance(item, str) for item in items):
        names, codes = np.unique(np.array(items, dtype=object), return_inverse=True)
        return codes, pd.Index(names, dtype=object)
    places = {item: place for place, item in enumerate(dict.fromkeys(items))}
    return np.array([places[item] for item in items]), pd.Index(list(places), dtype=object, tupleize_cols=False)


def _ranking(returned, query):
    """Items, best first, and numbers that fall where the order does."""
    if isinstance(returned, Mapping):
        # An unsigned integer of NumPy has no negative.
        given = {item: score.item() if isinstance(score, np.generic) else score for item, score in returned.items()}
        for item, score in given.items():
            if not is_finite(score):
                raise InputError(
                    f"Scores must be finite numbers; that of item {show(item)} of query {show(query)} is {show(score)}."
                    " Drop that item, or convert the score with float."
                )
        try:
            items = sorted(given, key=lambda item: (-given[item], item))
        except TypeError as error:
            raise InputTypeError(
                f"Items of equal score are sorted by their ids, which must be of one type; those of query "
                f"{show(query)} are not ({error}). Convert them, say with str."
            ) from None
        return items, [float(returned[item]) for item in items]
    items = list(returned)
    try:
        n_different = len(set(items))
    except TypeError as error:
        raise InputTypeError(
            f"Items must be ids, such as str or int; those of query {show(query)} cannot be hashed ({error}). Name "
            "their ids."
        ) from None
    if n_different != len(items):
        raise InputError(
            f"Each list must hold an item once; that of query {show(query)} repeats one. Drop the repeats."
        )
    return items, [float(-k) for k in range(len(items))]
