"""Cross-validation: each query is aggregated by an estimator that was fitted on other queries."""

import numpy as np
from joblib import Parallel, delayed

from ..._support._sklearn import clone
from ._judged_lists import join_parts, rank


def spread_folds(has_relevant, n_folds):
    """Return the positions of the training and the test queries of each fold.

    A fold consists of neighbouring queries. Queries with relevant items and queries without them are divided
    separately. Each training set therefore contains queries with relevant items. `has_relevant` is a mask of the
    queries.
    """
    fold = np.empty(len(has_relevant), dtype=np.int64)
    for chosen in (has_relevant, ~has_relevant):
        size = int(chosen.sum())
        fold[chosen] = np.arange(size) * n_folds // max(size, 1)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(n_folds)]


def hold_out(estimator, lists, aligned, folds, n_jobs=None):
    """For each fold, fit a clone of the estimator on the training queries and aggregate the test queries.

    The result contains all queries in the order of `lists`. `aligned` contains the judgements aligned with the lists.
    It is None if the estimator contains its own judgements. If the estimator is one of the library's aggregators, the
    result is an EncodedConsensus. For other estimators the result is a frame.
    """
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_run_fold)(clone(estimator), lists, aligned, *fold) for fold in folds
    )
    return join_parts(lists, parts, [test for _, test in folds])


def fit_judged(estimator, lists, aligned):
    """Fit an estimator on lists and aligned judgements, or on lists alone if the judgements are None."""
    return estimator.fit(lists) if aligned is None else estimator.fit(lists, aligned)


def _run_fold(estimator, lists, aligned, train, test):
    fit_judged(estimator, lists[train], None if aligned is None else aligned[train])
    held_out = lists[test]
    return rank(estimator, held_out, held_out)
