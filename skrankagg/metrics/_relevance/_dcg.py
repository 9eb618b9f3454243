"""Measures of graded relevance, discounted by rank."""

from typing import Any

import numpy as np

from ._conventions import Discount, Gain, Ideal, Missing, Ties, Truncate
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run
from ._precision import ratio

__all__ = [
    "dcg",
    "ndcg",
]


def _cumulated_gain(ranked, k, gain, discount):
    ranked = ranked.head(k)
    return ranked.at(ranked.gains(gain, discount), k)


def dcg(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    gain: Gain = "exponential",
    discount: Discount = "log2",
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute the discounted cumulative gain, :math:`\sum_{i \le k} g(rel_i) / d(i)`.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff; None uses all places.
    gain : {"exponential", "linear"}, default="exponential"
        :math:`2^{rel} - 1`, or :math:`rel` as in trec_eval; the two are equal on binary judgements.
    discount : {"log2", "ln", "letor"}, default="log2"
        Logarithm of :math:`i + 1` to base 2 or e, or of :math:`\max(i, 2)` to base 2 as in LETOR's script, where the
        first two places count in full.
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
    ndcg : The same measure divided by its best possible value.

    Examples
    --------
    >>> from skrankagg.metrics import dcg
    >>> items, grades = list("abcdefgh"), [0, 4, 1, 3, 4, 1, 3, 2]
    >>> truth = dict(zip(items, grades))
    >>> [round(dcg(items, truth, k, gain="linear"), 2) for k in range(1, 9)]
    [0.0, 2.52, 3.02, 4.32, 5.86, 6.22, 7.22, 7.85]
    """
    return measure_run(
        "dcg",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        gain=gain,
        discount=discount,
    )


def _dcg(ranked, k, *, gain, discount):
    return _cumulated_gain(ranked, k, gain, discount)


define("dcg", dcg, _dcg, "Discounted cumulative gain")


def ndcg(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    gain: Gain = "exponential",
    discount: Discount = "log2",
    ideal: Ideal = "judged",
    truncate: Truncate = "cutoff",
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute the discounted cumulative gain divided by the gain of an ideal ranking.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff; None uses all places.
    gain : {"exponential", "linear"}, default="exponential"
        See :func:`dcg`. trec_eval and most tools use "linear": state the gain wherever numbers are compared.
    discount : {"log2", "ln", "letor"}, default="log2"
        See :func:`dcg`.
    ideal : {"judged", "retrieved"}, default="judged"
        Items of the ideal ranking: all judged items of the query, or only the returned ones.
    truncate : {"cutoff", "relevant"}, default="cutoff"
        Whether places below the number R of relevant items count, or the list is cut at min(k, R), as in some
        recommender toolkits.
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
    dcg : The numerator.

    Examples
    --------
    >>> from skrankagg.metrics import ndcg
    >>> items, grades = list("abcdefgh"), [0, 4, 1, 3, 4, 1, 3, 2]
    >>> truth = dict(zip(items, grades))
    >>> [round(ndcg(items, truth, k, gain="linear"), 2) for k in range(1, 9)]
    [0.0, 0.39, 0.38, 0.46, 0.58, 0.6, 0.67, 0.73]
    >>> [round(ndcg(["b", "a"], ["a"], k=2, truncate=rule), 4) for rule in ("cutoff", "relevant")]
    [0.6309, 0.0]
    """
    return measure_run(
        "ndcg",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        gain=gain,
        discount=discount,
        ideal=ideal,
        truncate=truncate,
    )


def _ndcg(ranked, k, *, gain, discount, ideal, truncate):
    best = ranked.judged if ideal == "judged" else ranked.retrieved
    if truncate == "relevant":
        n_relevant = ranked.n_relevant().astype(np.int64)
        k = n_relevant if k is None else np.minimum(n_relevant, k)
    return ratio(*(_cumulated_gain(part, k, gain, discount) for part in (ranked, best)))


define("ndcg", ndcg, _ndcg, "Normalised DCG")
