"""R-precision: precision at the number R of relevant items, and at several cutoffs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ._conventions import Missing, Ties
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run
from ._precision import ratio

__all__ = [
    "mean_average_r_precision",
    "r_precision",
]


def r_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute R-precision, the share of relevant items among the first R places; with a cutoff, Rp@z.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff z; None uses R.
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
    mean_average_r_precision : Mean of Rp@z over several cutoffs.

    Notes
    -----
    At cutoff z, an item is relevant if its grade is at least the z-th best of the query, so all items that tie at the
    border are relevant. The divisor is :math:`\min(R, z)` [1]_.

    References
    ----------
    .. [1] ECML/PKDD 2011 discovery challenge, VideoLectures.Net recommender system.

    Examples
    --------
    Items 5, 6 and 7 tie at the fifth place of the solution:

    >>> from skrankagg.metrics import r_precision
    >>> solution = {1: 100, 2: 99, 3: 98, 4: 97, 5: 96, 6: 96, 7: 96, 8: 93, 9: 92, 10: 91}
    >>> r_precision([1, 2, 3, 7, 20, 6, 21, 8, 22, 23], solution, k=5)
    0.8
    """
    return measure_run(
        "rprec",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _r_precision(ranked, k, *, relevance_threshold):
    judged = ranked.judged
    n_relevant = ranked.n_relevant(relevance_threshold)
    places = n_relevant if k is None else np.minimum(n_relevant, k)
    # The grade at place k of the ideal list: items with at least this grade are relevant at k.
    border = np.full(ranked.n_queries, np.inf)
    some = places > 0
    border[some] = judged.grade[(judged.ptr[:-1] + places.astype(np.int64) - 1)[some]]
    hits = ranked.rate(ranked.grade >= border[ranked.row_query])
    return ratio(ranked.total(hits, (n_relevant if k is None else np.int64(k)).astype(np.int64)), places)


define("rprec", r_precision, _r_precision, "R-precision")


def mean_average_r_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | Sequence[int],
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the mean of Rp@z over several cutoffs.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int or sequence of int
        Cutoffs.
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
    r_precision : The measure at one cutoff.

    Examples
    --------
    >>> from skrankagg.metrics import mean_average_r_precision
    >>> solutions = [{k: 101 - k for k in range(1, 11)}, {k: 151 - k for k in range(101, 111)}]
    >>> found = [[1, 2, 3, 20, 10, 6, 7, 8, 21, 22], [101, 102, 103, 50, 30, 106, 107, 108, 109, 52]]
    >>> mean_average_r_precision(found, solutions, k=(5, 10))
    0.65
    """
    return measure_run(
        "marp",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _mean_average_r_precision(ranked, k, *, relevance_threshold):
    return np.mean([_r_precision(ranked, z, relevance_threshold=relevance_threshold) for z in k], axis=0)


define("marp", mean_average_r_precision, _mean_average_r_precision, "Mean average R-precision", cutoff_kind="ks")
