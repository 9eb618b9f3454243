"""Average precision: the precisions at the places of the relevant items.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. A query without
relevant items has the value 0.
"""

from typing import Any

import numpy as np

from ._conventions import Denominator, Missing, Ties
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run
from ._precision import ratio

__all__ = [
    "average_precision",
    "geometric_average_precision",
]


def average_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    ap_denominator: Denominator = "relevant",
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the mean of the precisions at the places of the relevant items; unreturned items have precision 0.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff; None uses all places.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    ap_denominator : {"relevant", "cutoff", "retrieved"}, default="relevant"
        Divisor of the sum of precisions. "relevant": the number R of relevant items, as in trec_eval at every cutoff.
        "cutoff": min(R, k), as in recommender toolkits. "retrieved": the number of relevant items among the first k.
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
    geometric_average_precision : The same measure, averaged by the geometric mean.
    inferred_average_precision : An estimate for few judgements.
    mean_average_r_precision : A measure for judgements with many grades.

    Examples
    --------
    Relevant items at ranks 1, 3, 4 and 6 of 8, cut at 5:

    >>> from skrankagg.metrics import average_precision
    >>> average_precision(list("abcdefgh"), ["a", "c", "d", "f"], k=5)
    0.6041666666666666
    >>> average_precision(list("abcdefgh"), ["a", "c", "d", "f"], k=5, ap_denominator="retrieved")
    0.8055555555555555

    Three queries and their mean:

    >>> actual = [[2, 4, 5, 7], [1, 4, 5, 7], [5, 8]]
    >>> [round(value, 2) for value in average_precision([range(1, 9)] * 3, actual, k=8, per_query=True)]
    [0.54, 0.67, 0.23]
    """
    return measure_run(
        "map",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
        ap_denominator=ap_denominator,
    )


def _average_precision(ranked, k, *, relevance_threshold, ap_denominator):
    if ap_denominator == "retrieved":
        return ranked.head(k).mean_precisions(relevance_threshold, k)
    total = ranked.head(k).precisions(relevance_threshold, k)
    n_relevant = ranked.n_relevant(relevance_threshold)
    return ratio(total, np.minimum(n_relevant, k) if ap_denominator == "cutoff" and k is not None else n_relevant)


define("map", average_precision, _average_precision, "Mean average precision")


def geometric_average_precision(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute average precision, averaged over queries by the geometric mean, with a floor of 1e-5.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their geometric mean.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The geometric mean over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    average_precision : The same measure, averaged by the arithmetic mean.

    Examples
    --------
    >>> from skrankagg.metrics import geometric_average_precision
    >>> round(geometric_average_precision([["a", "b"], ["a", "b"]], [["a"], ["b"]]), 4)
    0.7071
    """
    return measure_run(
        "gmap",
        run,
        qrels,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _geometric_average_precision(ranked, *, relevance_threshold):
    return ratio(ranked.precisions(relevance_threshold), ranked.n_relevant(relevance_threshold))


define(
    "gmap",
    geometric_average_precision,
    _geometric_average_precision,
    "Geometric mean average precision",
    summary="gmean",
)
