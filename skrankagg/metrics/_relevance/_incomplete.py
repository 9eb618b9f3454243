"""Measures for incomplete judgements.

An item is *relevant* if its grade is above 0, or at least `relevance_threshold` if given. A query without
relevant items has the value 0.
"""

from typing import Any

import numpy as np

from ._conventions import Missing, TieOrder, Ties
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run
from ._precision import ratio

__all__ = [
    "bpref",
    "inferred_average_precision",
]


def bpref(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute the share of items judged not relevant that are not above the relevant ones.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
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
    average_precision : Treats unjudged items as not relevant.
    inferred_average_precision : Estimates the relevance of unjudged items.

    Notes
    -----
    With R relevant items and N items judged not relevant [1]_,

    .. math:: \frac{1}{R} \sum_r \left(1 - \frac{\min(n_r, R)}{\min(R, N)}\right),

    where :math:`n_r` of the N items are above the relevant item r. If there are none above it, its term is 1. Unjudged
    items are ignored, and so are negative grades, by which trec_eval marks items that were pooled but not judged.

    References
    ----------
    .. [1] C. Buckley and E. M. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Examples
    --------
    >>> from skrankagg.metrics import bpref
    >>> bpref(["a", "x", "b", "y"], {"a": 1, "b": 0, "y": 1})
    0.5
    """
    return measure_run(
        "bpref",
        run,
        qrels,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _bpref(ranked, *, relevance_threshold):
    return ratio(ranked.total(ranked.preferences(relevance_threshold)), ranked.n_relevant(relevance_threshold))


define("bpref", bpref, _bpref, "Binary preference")


def inferred_average_precision(
    run: RunLike,
    qrels: QrelsLike,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: TieOrder = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute average precision; pooled but unjudged items are assumed to be relevant as often as judged ones.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    relevance_threshold : float, default=None
        Lowest grade that counts as relevant; None means any grade above 0.
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
    average_precision : A measure for complete judgements.
    bpref : A measure that ignores unjudged items.

    Notes
    -----
    Negative grades mark items that were pooled but not judged. Consider a relevant item of rank i, with r relevant, n
    nonrelevant and u pooled but unjudged items above it. With :math:`\varepsilon = 10^{-5}`, its precision is estimated
    as [1]_

    .. math:: \frac{1}{i} + \frac{r + n + u}{i} \cdot \frac{r + \varepsilon}{r + n + 2\varepsilon}.

    References
    ----------
    .. [1] E. Yilmaz and J. A. Aslam, "Estimating average precision with incomplete and imperfect judgments", CIKM 2006.

    Examples
    --------
    >>> from skrankagg.metrics import average_precision, inferred_average_precision
    >>> judgements = {"a": 1, "b": -1, "c": 1}
    >>> round(inferred_average_precision(["a", "b", "c"], judgements), 4)
    1.0
    >>> round(average_precision(["a", "b", "c"], judgements), 4)
    0.8333
    """
    return measure_run(
        "infap",
        run,
        qrels,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _inferred_average_precision(ranked, *, relevance_threshold):
    tiny = 1e-5
    relevant = ranked.relevant(relevance_threshold)
    above = ranked.hits(relevance_threshold) - relevant
    others = ranked.total_above(relevance_threshold)  # a relevant place does not count itself
    pooled = ranked.cumulate("pooled", lambda: (ranked.grade < 0).astype(np.float64))
    share = (above + others + pooled) * (above + tiny) / (above + others + 2 * tiny)
    terms = np.where(relevant, (1 + np.where(ranked.position > 1, share, 0.0)) / ranked.position, 0.0)
    return ratio(ranked.total(terms), ranked.n_relevant(relevance_threshold))


define(
    "infap",
    inferred_average_precision,
    _inferred_average_precision,
    "Inferred average precision",
    has_expectation=False,
)
