"""Measures based on models of a user who reads from the top and stops at some place."""

from typing import Any

import numpy as np

from ...exceptions import InputError
from ._conventions import Missing, Ties
from ._inputs import QrelsLike, RunLike
from ._measure import define, measure_run

__all__ = [
    "expected_reciprocal_rank",
    "rank_biased_precision",
    "rank_biased_residual",
    "reciprocal_rank",
]


def reciprocal_rank(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    """Compute one divided by the rank of the first relevant item, or 0 if none is returned.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff, below which items are ignored; None uses all places.
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
    expected_reciprocal_rank : A measure with grades.
    success : Checks only whether a relevant item is returned.

    Examples
    --------
    >>> from skrankagg.metrics import reciprocal_rank
    >>> actual = [[2, 4, 5, 7], [1, 4, 5, 7], [5, 8]]
    >>> round(reciprocal_rank([range(1, 9)] * 3, actual), 2)
    0.57
    """
    return measure_run(
        "mrr",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        relevance_threshold=relevance_threshold,
    )


def _reciprocal_rank(ranked, k, *, relevance_threshold):
    ranked = ranked.head(k)
    rows, chance = ranked.firsts(relevance_threshold)
    return ranked.sum_of(rows, chance / ranked.position[rows], k)


define("mrr", reciprocal_rank, _reciprocal_rank, "Mean reciprocal rank")


def _check_scale(grade, max_grade):
    highest = np.fmax.reduce(grade, initial=0.0)
    if highest > max_grade:
        raise InputError(f"`max_grade` must be at least the highest given grade, {highest:g}; got {max_grade:g}.")


def rank_biased_precision(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    max_grade: float | None = None,
    relevance_threshold: float | None = None,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute the rate of gain of a user who goes on to the next place with a fixed probability.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff; None uses all places.
    persistence : float, default=0.8
        Probability p of going on, between 0 and 1.
    max_grade : float, default=None
        Grade with full gain: the gain is the grade divided by it. None gives a relevant item a gain of 1.
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
    rank_biased_residual : The most that unjudged items could add.

    Notes
    -----
    The value is :math:`(1 - p) \sum_i g_i p^{i - 1}` [1]_, at most 1.

    References
    ----------
    .. [1] A. Moffat and J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness", ACM TOIS 27(1),
       2008.

    Examples
    --------
    >>> from skrankagg.metrics import rank_biased_precision
    >>> round(rank_biased_precision(["a", "x", "b"], ["a", "b"], persistence=0.5), 4)
    0.625
    """
    return measure_run(
        "rbp",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        persistence=persistence,
        max_grade=max_grade,
        relevance_threshold=relevance_threshold,
    )


def _rank_biased_precision(ranked, k, *, persistence, max_grade, relevance_threshold):
    gain = ranked.relevant(relevance_threshold).astype(np.float64)
    if max_grade is not None:
        _check_scale(ranked.judged.grade, max_grade)
        gain *= np.nan_to_num(ranked.grade) / max_grade
    return (1 - persistence) * ranked.total(ranked.rate(gain) * persistence ** (ranked.position - 1.0), k)


define("rbp", rank_biased_precision, _rank_biased_precision, "Rank-biased precision")


def rank_biased_residual(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute the gain of rank-biased precision if every unjudged item were relevant.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff; None uses all places.
    persistence : float, default=0.8
        Probability p of going on, between 0 and 1.
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
    rank_biased_precision : The measure itself, a lower bound.

    Notes
    -----
    The value is :math:`p^n + (1 - p) \sum_i p^{i - 1}` over the places i of unjudged items, where n is the number of
    evaluated items. It is 0 for a query without results, as in trec_eval.

    Examples
    --------
    >>> from skrankagg.metrics import rank_biased_residual
    >>> rank_biased_residual(["a", "x", "b"], ["a", "b"], persistence=0.5)
    0.375
    """
    return measure_run(
        "rbp_resid",
        run,
        qrels,
        k,
        per_query=per_query,
        ties=ties,
        missing_queries=missing_queries,
        persistence=persistence,
    )


def _rank_biased_residual(ranked, k, *, persistence):
    seen = ranked.n_retrieved if k is None else np.minimum(ranked.n_retrieved, k)
    unknown = ranked.rate(np.isnan(ranked.grade)) * persistence ** (ranked.position - 1.0)
    residual = persistence ** seen.astype(np.float64) + (1 - persistence) * ranked.total(unknown, k)
    return np.where(seen > 0, residual, 0.0)


define(
    "rbp_resid",
    rank_biased_residual,
    _rank_biased_residual,
    "Residual of rank-biased precision",
    greater_is_better=False,
)


def expected_reciprocal_rank(
    run: RunLike,
    qrels: QrelsLike,
    k: int | None = None,
    *,
    max_grade: float = 4.0,
    per_query: bool = False,
    ties: Ties = "order",
    missing_queries: Missing = None,
) -> Any:
    r"""Compute the expected reciprocal rank of the place where a user is satisfied.

    Parameters
    ----------
    run : DataFrame, RankedLists, or list or dict of items
        One list for each query, in any form that :func:`evaluate` accepts.
    qrels : DataFrame, Qrels, or list, set or dict of items
        Judgements of the same kind; they determine the queries.
    k : int, default=None
        Cutoff; None uses all places.
    max_grade : float, default=4.0
        Highest grade of the scale of judgements, whether it occurs or not.
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
    reciprocal_rank : A measure with one grade, whose user is satisfied by the first relevant item.
    rank_biased_precision : A measure whose user goes on whatever was found.

    Notes
    -----
    An item of grade g satisfies the user with probability :math:`R = (2^g - 1) / 2^{g_{max}}`, and the measure is
    :math:`\sum_i \frac{R_i}{i} \prod_{j < i} (1 - R_j)` [1]_. Negative grades satisfy no user. The expectation over
    ties needs time quadratic in the size of a group of ties.

    References
    ----------
    .. [1] O. Chapelle, D. Metzler, Y. Zhang and P. Grinspan, "Expected reciprocal rank for graded relevance", CIKM
       2009.

    Examples
    --------
    >>> from skrankagg.metrics import expected_reciprocal_rank
    >>> expected_reciprocal_rank(["a", "b"], {"a": 1, "b": 2}, max_grade=2)
    0.53125
    """
    return measure_run(
        "err", run, qrels, k, per_query=per_query, ties=ties, missing_queries=missing_queries, max_grade=max_grade
    )


def _expected_reciprocal_rank(ranked, k, *, max_grade):
    _check_scale(ranked.judged.grade, max_grade)
    satisfied = (np.exp2(np.fmax(ranked.grade, 0.0)) - 1) / 2.0**max_grade
    return ranked.total(ranked.stops(satisfied) / ranked.position, k)


define("err", expected_reciprocal_rank, _expected_reciprocal_rank, "Expected reciprocal rank")
