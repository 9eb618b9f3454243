"""Measures that count items.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. Unjudged items and items with
negative grades are not relevant.
"""

from typing import Any

import numpy as np

from ._conventions import Missing, Ties
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run
from ._precision import ratio

__all__ = [
    "judged_share",
    "num_rel",
    "num_rel_ret",
    "num_ret",
]


def num_ret(
    run: RunLike,
    qrels: QrelsLike,
    *,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Count the items returned.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    per_query : bool, default=False
        Whether to return the value of each query instead of their sum.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The sum over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    num_rel : Number of relevant items.
    num_rel_ret : Number of relevant items returned.

    Examples
    --------
    >>> from skrankagg.metrics import num_ret
    >>> num_ret([["a", "b"], ["c"]], [["a"], ["a"]])
    3.0
    """
    return measure_run("num_ret", run, qrels, per_query=per_query, ties=ties, missing_queries=missing_queries)


def _num_ret(ranked):
    return ranked.n_retrieved.astype(np.float64)


define("num_ret", num_ret, _num_ret, "Items returned", summary="sum", greater_is_better=None)


def num_rel(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Count the relevant items, returned or not.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their sum.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The sum over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    num_rel_ret : Number of relevant items returned.

    Examples
    --------
    >>> from skrankagg.metrics import num_rel
    >>> num_rel(["a"], {"a": 1, "b": 2, "c": 0})
    2.0
    """
    return measure_run(
        "num_rel",
        run,
        qrels,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _num_rel(ranked, *, relevance_threshold):
    return ranked.n_relevant(relevance_threshold)


define("num_rel", num_rel, _num_rel, "Relevant items", summary="sum", greater_is_better=None)


def num_rel_ret(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Count the relevant items returned.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
    per_query : bool, default=False
        Whether to return the value of each query instead of their sum.
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}, default="order"
        Rule for items of equal score, see :func:`evaluate`.
    missing_queries : {"zero", "skip"} or None, default=None
        Treatment of judged queries without results, see :func:`evaluate`.

    Returns
    -------
    float or pandas.Series of shape (n_queries,)
        The sum over the queries, or with ``per_query`` the value of each.

    See Also
    --------
    num_rel : Number of relevant items, returned or not.
    recall : Share of all relevant items that are returned.

    Examples
    --------
    >>> from skrankagg.metrics import num_rel_ret
    >>> num_rel_ret(["a", "c"], {"a": 1, "b": 2, "c": 0})
    1.0
    """
    return measure_run(
        "num_rel_ret",
        run,
        qrels,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _num_rel_ret(ranked, *, relevance_threshold):
    return ranked.at(ranked.hits(relevance_threshold))


define("num_rel_ret", num_rel_ret, _num_rel_ret, "Relevant items returned", summary="sum")


def judged_share(
    run: RunLike,
    qrels: QrelsLike,
    k: int,
    *,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the share of judged items, relevant or not, among the first k places.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int
        Cutoff; if fewer items are returned, the share of judged items among them.
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
    rank_biased_residual : The most that unjudged items could add to a measure.
    bpref : A measure of judged items only.

    Examples
    --------
    >>> from skrankagg.metrics import judged_share
    >>> judged_share(["a", "b", "c", "d"], {"a": 1, "c": 0}, k=3)
    0.6666666666666666
    """
    return measure_run("judged", run, qrels, k, per_query=per_query, ties=ties, missing_queries=missing_queries)


def _judged_share(ranked, k):
    known = ranked.rate(~np.isnan(ranked.grade))
    return ratio(ranked.total(known, k), np.minimum(ranked.n_retrieved, k))


define("judged", judged_share, _judged_share, "Share of judged items", greater_is_better=None)
