"""Aggregation of each query by a fit on other queries."""

from joblib import Parallel, delayed

from ..._support._sklearn import clone
from ._judged_lists import join_parts, rank


def hold_out(estimator, lists, aligned, folds, n_jobs=None):
    """Fit a clone on the training queries of each fold and aggregate its test queries, all in the order of `lists`.

    `aligned` contains judgements aligned with the lists, or is None if the estimator uses its own. The library's
    aggregators work on the codes and return an EncodedConsensus; other estimators return a frame.
    """
    parts = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(_run_fold)(clone(estimator), lists, aligned, *fold) for fold in folds
    )
    return join_parts(lists, parts, [test for _, test in folds])


def fit_judged(estimator, lists, aligned):
    """Fit an estimator on lists, with judgements if there are any."""
    return estimator.fit(lists) if aligned is None else estimator.fit(lists, aligned)


def _run_fold(estimator, lists, aligned, train, test):
    fit_judged(estimator, lists[train], None if aligned is None else aligned[train])
    held_out = lists[test]
    return rank(estimator, held_out, held_out)
