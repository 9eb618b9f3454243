"""The door of the measures: runs and judgements in any form, a :class:`RankedRelevance` out.

Frames and encoded lists state their queries by id. Plain Python lists are queries by position: the items of each,
best first, or a mapping of item to score; and beside them what is relevant, the items or a mapping of item to grade.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from .._frames import plain_index
from .._lists import check_run
from .._qrels import check_qrels
from ._relevance import RankedRelevance, RelevanceList

__all__ = ["rank_relevance"]

_PLAIN = (list, tuple, range, set, frozenset, np.ndarray, Mapping)


def rank_relevance(run, qrels, missing="zero"):
    """Look up the grades of a run.

    Parameters
    ----------
    run : DataFrame or RankedLists, or list of lists or of dicts
        One list for each query.
    qrels : DataFrame or Qrels, or list of lists, sets or dicts
        Judgements, of the same kind.
    missing : {"zero", "skip"}, default="zero"
        Whether judged queries without results are looked at.

    Returns
    -------
    ranked : RankedRelevance
    queries : pandas.Index
        The queries looked at.
    """
    if isinstance(run, _PLAIN):
        return _plain(run, qrels, missing)
    qrels, run = check_qrels(qrels), check_run(run)
    queries = np.arange(qrels.n_queries)
    if missing == "skip":
        queries = queries[plain_index(qrels.queries).isin(plain_index(run.queries))]
    return RankedRelevance.from_run(run, qrels, queries), pd.Index(qrels.queries[queries], name="query")


def _plain(run, qrels, missing):
    if not isinstance(qrels, _PLAIN):
        raise TypeError(
            "A run of plain lists needs relevant items in plain lists, sets or dicts, one for each query; got "
            f"{type(qrels).__name__}. Give both as frames, or both as lists."
        )
    if not _is_nested(run) and (isinstance(qrels, (set, frozenset, Mapping)) or not _is_nested(qrels)):
        run, qrels = [run], [qrels]
    if isinstance(run, Mapping) != isinstance(qrels, Mapping):
        raise TypeError("A run that is a dict by query needs judgements that are one too, and a list a list.")
    if isinstance(qrels, Mapping):
        queries = pd.Index(list(qrels), name="query")
        run, qrels = [run.get(query, ()) for query in qrels], list(qrels.values())
    else:
        if len(run) != len(qrels):
            raise ValueError(
                f"Each list needs its relevant items, in the same order; there are {len(run)} lists and {len(qrels)} "
                "collections of relevant items. Give an empty list where nothing was returned."
            )
        queries = pd.RangeIndex(len(run), name="query")
    chosen = [k for k, returned in enumerate(run) if len(returned) or missing == "zero"]
    if not chosen:
        raise ValueError("At least one list is expected, and with missing='skip' one that is not empty; none came.")
    returned = [_ranking(run[k], queries[k]) for k in chosen]
    grades = [_grades(qrels[k], queries[k]) for k in chosen]
    item = [item for items, _ in returned for item in items]
    score = [score for _, scores in returned for score in scores]
    ranked = RankedRelevance(
        np.array(
            [grade.get(item, np.nan) for (items, _), grade in zip(returned, grades, strict=True) for item in items]
        ),
        _ptr(len(items) for items, _ in returned),
        RelevanceList(
            np.array([one for grade in grades for one in sorted(grade.values(), reverse=True)], dtype=np.float64),
            _ptr(map(len, grades)),
        ),
        score=np.array(score, dtype=np.float64),
        item=_encode(item),
    )
    return ranked, queries[chosen]


def _is_nested(given):
    values = given.values() if isinstance(given, Mapping) else given
    return any(isinstance(value, _PLAIN) for value in values)


def _ptr(lengths):
    return np.concatenate([[0], np.cumsum(np.fromiter(lengths, dtype=np.int64))])


def _encode(items):
    # By the ids as they are written, which is all that the bytes of an id ask for; several may be written alike.
    names, codes = np.unique(np.array([str(item) for item in items], dtype=object), return_inverse=True)
    return codes, pd.Index(names, dtype=object)


def _ranking(returned, query):
    """Items, best first, and numbers that fall where the order does."""
    if isinstance(returned, Mapping):
        items = sorted(returned, key=lambda item: (-returned[item], item))
        scores = [float(returned[item]) for item in items]
        if not np.isfinite(scores).all():
            raise ValueError(f"Scores must be finite numbers; query {query!r} has others. Drop those items.")
        return items, scores
    items = list(returned)
    if len(set(items)) != len(items):
        raise ValueError(f"Each list must hold an item once; that of query {query!r} repeats one. Drop the repeats.")
    return items, [float(-k) for k in range(len(items))]


def _grades(truth, query):
    if isinstance(truth, Mapping):
        grades = {item: float(grade) for item, grade in truth.items()}
        if not np.isfinite(list(grades.values())).all():
            raise ValueError(f"Grades must be finite numbers; query {query!r} has others. Drop those items.")
        return grades
    if not isinstance(truth, Iterable) or isinstance(truth, str):
        raise TypeError(f"Relevant items must be a list, a set or a dict; query {query!r} has {truth!r}.")
    return dict.fromkeys(truth, 1.0)
