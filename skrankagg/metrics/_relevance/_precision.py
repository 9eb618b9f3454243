"""Measures that count relevant items among the first places.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. Unjudged items and items with
negative grades are not relevant. A measure whose divisor is 0 has the value 0.
"""

from typing import Any

import numpy as np

from ._conventions import Missing, Ties
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run

__all__ = [
    "f1",
    "precision",
    "recall",
    "success",
]


def hits_at(ranked, k, threshold):
    """Count the relevant items among the first k places of each list."""
    ranked = ranked.head(k)
    return ranked.at(ranked.hits(threshold), k)


def ratio(numerator, denominator):
    """Divide; the result is 0 where the divisor is 0."""
    denominator = np.broadcast_to(np.asarray(denominator, dtype=np.float64), numerator.shape)
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the share of relevant items among the first k places.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int
        Cutoff; also the divisor if fewer items are returned.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    recall : The same number divided by the number of relevant items.
    r_precision : Precision at the number of relevant items.

    Examples
    --------
    The first 4 of 15 returned items are relevant: P@20 is 4/20. Then the mean over two queries:

    >>> from skrankagg.metrics import precision
    >>> precision(list(range(15)), [0, 1, 2, 3], k=20)
    0.2
    >>> precision([[1, 2], [4, 5]], [[1], [4, 5]], k=2)
    0.75
    """
    return measure_run(
        "p",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _precision(ranked, k, *, relevance_threshold):
    return hits_at(ranked, k, relevance_threshold) / k


define("p", precision, _precision, "Precision")


def recall(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the share of the relevant items that are among the first k places.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    precision : The same number divided by the number of places.
    f1 : Precision and recall in one number.

    Examples
    --------
    >>> from skrankagg.metrics import recall
    >>> [recall(list("12345678"), ["2", "4", "5", "7"], k=k) for k in range(1, 9)]
    [0.0, 0.25, 0.25, 0.5, 0.75, 0.75, 1.0, 1.0]
    """
    return measure_run(
        "recall",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _recall(ranked, k, *, relevance_threshold):
    return ratio(hits_at(ranked, k, relevance_threshold), ranked.n_relevant(relevance_threshold))


define("recall", recall, _recall, "Recall")


def f1(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the harmonic mean of precision and recall at k, ``2 P R / (P + R)``.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    precision : Share of the places that contain relevant items.
    recall : Share of the relevant items that are returned.

    Examples
    --------
    >>> from skrankagg.metrics import f1
    >>> [round(f1(list("abcdefgh"), ["a", "c", "d", "f"], k=k), 2) for k in range(1, 9)]
    [0.4, 0.33, 0.57, 0.75, 0.67, 0.8, 0.73, 0.67]
    """
    return measure_run(
        "f1",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _f1(ranked, k, *, relevance_threshold):
    hits = hits_at(ranked, k, relevance_threshold)
    # 2 (h/k) (h/R) / (h/k + h/R), multiplied out.
    return ratio(2 * hits, np.where(hits > 0, k + ranked.n_relevant(relevance_threshold), 0.0))


define("f1", f1, _f1, "F1")


def success(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Check whether a relevant item is among the first k places; the mean is the hit rate.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int
        Cutoff.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    precision : Share of relevant items, not only whether there is one.
    reciprocal_rank : Measures how early the first relevant item is returned.

    Examples
    --------
    >>> from skrankagg.metrics import success
    >>> success([["a", "b"], ["a", "b"]], [["b"], ["c"]], k=2)
    0.5
    """
    return measure_run(
        "success",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _success(ranked, k, *, relevance_threshold):
    ranked = ranked.head(k)
    return ranked.sum_of(*ranked.firsts(relevance_threshold), k)


define("success", success, _success, "Success")
