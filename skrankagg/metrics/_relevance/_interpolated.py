"""Interpolated precision at fixed recalls.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. A query without
relevant items has the value 0.
"""

from typing import Any

import numpy as np

from ._conventions import Missing, Rounding, TieOrder
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run

__all__ = [
    "interpolated_precision",
    "interpolated_precision_11pt",
]


def _interpolated(ranked, level, threshold, rounding):
    hits, n_relevant = ranked.hits(threshold), ranked.n_relevant(threshold)
    exact = level * n_relevant
    whole = np.floor(exact)
    needed = whole + (exact - whole >= 0.5) if rounding == "nearest" else np.floor(exact + 0.9)
    return ranked.best(np.where(hits >= needed[ranked.row_query], hits / ranked.position, 0.0))


def interpolated_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: float,
    *,
    relevance_threshold: float | None = None,
    rounding: Rounding = "nearest",
    per_query: bool = False,
    ties: TieOrder = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the highest precision at any place where the recall is at least `k`.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : float
        Recall from 0 to 1.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    rounding : {"nearest", "up"}, default="nearest"
        Number of relevant items needed for a recall c of R items. "nearest": c R rounded to the nearest whole number,
        halves up, as in today's trec_eval. "up": ``floor(c R + 0.9)``, as in its versions up to 9.0.8 and pytrec_eval.
    per_query : bool, default=False
        Whether to return the value of each query instead of their mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    interpolated_precision_11pt : The mean over eleven recalls.

    Examples
    --------
    >>> from skrankagg.metrics import interpolated_precision
    >>> [interpolated_precision(["a", "x", "b", "c"], ["a", "b", "c"], k) for k in (0, 0.5, 1)]
    [1.0, 0.75, 0.75]
    """
    return measure_run(
        "iprec",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
        rounding=rounding,
    )


def _interpolated_precision(ranked, k, *, relevance_threshold, rounding):
    return _interpolated(ranked, k, relevance_threshold, rounding)


define(
    "iprec",
    interpolated_precision,
    _interpolated_precision,
    "Interpolated precision",
    cutoff_kind="recall",
    has_expectation=False,
)


_LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def interpolated_precision_11pt(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    rounding: Rounding = "nearest",
    per_query: bool = False,
    ties: TieOrder = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the mean of the interpolated precisions at the recalls 0, 0.1, ..., 1.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    rounding : {"nearest", "up"}, default="nearest"
        Number of relevant items needed for a recall c of R items. "nearest": c R rounded to the nearest whole number,
        halves up, as in today's trec_eval. "up": ``floor(c R + 0.9)``, as in its versions up to 9.0.8 and pytrec_eval.
    per_query : bool, default=False
        Whether to return the value of each query instead of their mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    interpolated_precision : The precision at one recall.

    Examples
    --------
    >>> from skrankagg.metrics import interpolated_precision_11pt
    >>> round(interpolated_precision_11pt(["a", "x", "b", "c"], ["a", "b", "c"]), 4)
    0.8636
    """
    return measure_run(
        "11pt",
        run,
        qrels,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
        rounding=rounding,
    )


def _interpolated_precision_11pt(ranked, *, relevance_threshold, rounding):
    return np.mean([_interpolated(ranked, level, relevance_threshold, rounding) for level in _LEVELS], axis=0)


define(
    "11pt",
    interpolated_precision_11pt,
    _interpolated_precision_11pt,
    "Eleven-point interpolated precision",
    has_expectation=False,
)
