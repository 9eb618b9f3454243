"""Measures based on models of a user who reads from the top and stops at some place."""

import numpy as np

from ...exceptions import InputError
from ._measure import define

__all__ = [
    "expected_reciprocal_rank",
    "rank_biased_precision",
    "rank_biased_residual",
    "reciprocal_rank",
]


@define(
    "mrr",
    "Mean reciprocal rank",
    formula=r"$1/i$ for the first relevant place $i \le k$, 0 if there is none",
    agrees="trec_eval `recip_rank`; ir_measures `RR@k`",
    other_names=(
        "mean_reciprocal_rank",
        "recip_rank",
        "rr",
    ),
)
def reciprocal_rank(ranked, k: int | None = None, *, relevance_threshold: float | None = None):
    """Compute one divided by the rank of the first relevant item, or 0 if no relevant item is returned.

    Parameters
    ----------
    k : int, default=None
        Cutoff; items below place k are ignored. None uses all places.

    See Also
    --------
    expected_reciprocal_rank : A similar measure for graded judgements.
    success : A measure of whether a relevant item is returned.

    Examples
    --------
    >>> from skrankagg.metrics import reciprocal_rank
    >>> actual = [[2, 4, 5, 7], [1, 4, 5, 7], [5, 8]]
    >>> round(reciprocal_rank([range(1, 9)] * 3, actual), 2)
    0.57
    """
    query, place, chance = ranked.firsts(relevance_threshold, k)
    return ranked.sum_by(query, chance / place)


def _check_scale(grade, max_grade):
    highest = np.fmax.reduce(grade, initial=0.0)
    if highest > max_grade:
        raise InputError(f"`max_grade` must be at least the highest given grade, {highest:g}; got {max_grade:g}.")


@define(
    "rbp",
    "Rank-biased precision",
    formula=(
        r"$(1 - p) \sum_{i \le k} g_i\, p^{i - 1}$, $p$ the `persistence` (0.8), $g_i = 1$ if relevant, or $rel_i$ "
        r"/ `max_grade`"
    ),
    agrees="cwl_eval `RBP`; trec_eval `rbp` on binary judgements",
)
def rank_biased_precision(
    ranked,
    k: int | None = None,
    *,
    persistence: float = 0.8,
    max_grade: float | None = None,
    relevance_threshold: float | None = None,
):
    r"""Compute the expected gain per viewed place, if a user continues to the next place with a fixed probability.

    Parameters
    ----------
    persistence : float, default=0.8
        Probability p that the user continues to the next place, between 0 and 1.
    max_grade : float, default=None
        Grade with a gain of 1; the gain of an item is its grade divided by `max_grade`. None gives every relevant item
        a gain of 1.

    See Also
    --------
    rank_biased_residual : The largest amount that unjudged items could add to this measure.

    Notes
    -----
    The value is :math:`(1 - p) \sum_i g_i p^{i - 1}` [1]_, where :math:`g_i` is the gain at place i. It is at most 1.

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
    gain = ranked.relevant(relevance_threshold).astype(np.float64)
    if max_grade is not None:
        _check_scale(ranked.judged.grade, max_grade)
        gain *= np.nan_to_num(ranked.grade) / max_grade
    return (1 - persistence) * ranked.total(ranked.rate(gain) * persistence ** (ranked.position - 1.0), k)


@define(
    "rbp_resid",
    "Residual of rank-biased precision",
    formula=r"$p^{m} + (1 - p) \sum_{i \in U} p^{i - 1}$ with $m = \min(k, n)$, and $U$ the unjudged places up to $m$",
    agrees="trec_eval `rbp_resid`",
    greater_is_better=False,
)
def rank_biased_residual(ranked, k: int | None = None, *, persistence: float = 0.8):
    r"""Compute by how much rank-biased precision would increase if every unjudged item were relevant.

    Parameters
    ----------
    persistence : float, default=0.8
        Probability p that the user continues to the next place, between 0 and 1.

    See Also
    --------
    rank_biased_precision : The lower bound, in which unjudged items count as not relevant.

    Notes
    -----
    The value is :math:`p^n + (1 - p) \sum_i p^{i - 1}` over the places i of unjudged items. Here n is the number of
    returned items up to the cutoff. For a query without results the value is 0, as in trec_eval.

    Examples
    --------
    >>> from skrankagg.metrics import rank_biased_residual
    >>> rank_biased_residual(["a", "x", "b"], ["a", "b"], persistence=0.5)
    0.375
    """
    seen = ranked.n_retrieved if k is None else np.minimum(ranked.n_retrieved, k)
    unknown = ranked.rate(np.isnan(ranked.grade)) * persistence ** (ranked.position - 1.0)
    residual = persistence ** seen.astype(np.float64) + (1 - persistence) * ranked.total(unknown, k)
    return np.where(seen > 0, residual, 0.0)


@define(
    "err",
    "Expected reciprocal rank",
    formula=(
        r"$\sum_{i \le k} \frac{s_i}{i} \prod_{j < i} (1 - s_j)$ with $s_i = (2^{rel_i} - 1) / 2^{G}$, $G$ the "
        r"`max_grade` (4)"
    ),
    agrees="gdeval `ERR@k`",
)
def expected_reciprocal_rank(ranked, k: int | None = None, *, max_grade: float = 4.0):
    r"""Compute the expected value of 1 / i, where i is the place at which a user is satisfied.

    Parameters
    ----------
    max_grade : float, default=4.0
        Highest grade of the scale of judgements, even if no item has this grade.

    See Also
    --------
    reciprocal_rank : A measure for binary judgements; the first relevant item satisfies the user.
    rank_biased_precision : A measure in which the user continues with the same probability after every item.

    Notes
    -----
    An item of grade g satisfies the user with probability :math:`R = (2^g - 1) / 2^{g_{max}}`, and the measure is
    :math:`\sum_i \frac{R_i}{i} \prod_{j < i} (1 - R_j)` [1]_. An item with a negative grade never satisfies the user.
    With ``ties="expected"``, the time is quadratic in the size of each group of tied items.

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
    _check_scale(ranked.judged.grade, max_grade)
    satisfied = (np.exp2(np.fmax(ranked.grade, 0.0)) - 1) / 2.0**max_grade
    return ranked.total(ranked.stops(satisfied) / ranked.position, k)
