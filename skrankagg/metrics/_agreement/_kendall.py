r"""Agreement between two rankings: Kendall's correlations and the distances of Kendall and Spearman.

Every public function accepts two rankings as lists of items, best first, or as mappings of item to rank. If a list
contains a set, the items of the set are tied. The correlations compare the items that both rankings contain. The
distances of Fagin et al. compare all items; their docstrings state where absent items are placed. If nothing can be
compared, the value is NaN.

Any two items form a pair, and P is the number of pairs. C pairs have the same order in both rankings, and D pairs have
opposite orders. :math:`P_1` pairs are untied in the first ranking, and :math:`P_2` pairs are untied in the second
ranking. T pairs are tied in both rankings.
"""

from typing import Literal

import numpy as np

from ..._support._checks import check_choice, check_share
from ._pair_counts import pair_counts
from ._rankings import Ranking, align, mid_rank

__all__ = ["footrule_distance", "goodman_kruskal_gamma", "kendall_distance", "kendall_tau"]


def ratio_or_nan(numerator, denominator):
    """Divide a numerator by a denominator; the result is NaN where the denominator is 0."""
    numerator, denominator = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    return np.divide(
        numerator, denominator, out=np.full(np.broadcast(numerator, denominator).shape, np.nan), where=denominator > 0
    )


#: Kendall's correlations, computed from the counts of :func:`pair_counts`.
FROM_COUNTS = {
    "a": lambda discordant, both, first, second, pairs: ratio_or_nan(both - 2 * discordant, pairs),
    "b": lambda discordant, both, first, second, pairs: ratio_or_nan(both - 2 * discordant, np.sqrt(first * second)),
    # A pair that both rankings tie counts as agreement, and a pair that only one ranking ties counts 0.
    "x": lambda discordant, both, first, second, pairs: ratio_or_nan(
        both - 2 * discordant + (pairs - first - second + both), pairs
    ),
    "gamma": lambda discordant, both, first, second, pairs: ratio_or_nan(both - 2 * discordant, both),
}


def common(first, second):
    """Return the mid-ranks of two vectors, restricted to the items that both vectors contain."""
    both = ~np.isnan(first) & ~np.isnan(second)
    return mid_rank(first[both]), mid_rank(second[both])


def union(first, second):
    """Return the mid-ranks of two vectors, restricted to the items that at least one vector contains.

    In each vector, absent items are tied below all other items.
    """
    either = ~np.isnan(first) | ~np.isnan(second)
    return tuple(mid_rank(np.where(np.isnan(rank), np.inf, rank)[either]) for rank in (first, second))


def kendall_tau(first: Ranking, second: Ranking, *, variant: Literal["a", "b", "x"] = "b") -> float:
    r"""Compute Kendall's rank correlation of two rankings over the items that both rankings contain.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    variant : {"a", "b", "x"}, default="b"
        Treatment of tied pairs; the Notes define the variants.

    Returns
    -------
    float
        From -1 to 1.

    See Also
    --------
    goodman_kruskal_gamma : A correlation that ignores tied pairs.
    tau_ap : A correlation that gives the top more weight.

    Notes
    -----
    Any two items form a pair, and P is the number of pairs. C pairs have the same order in both rankings, and D pairs
    have opposite orders. :math:`P_1` pairs are untied in the first ranking, and :math:`P_2` pairs are untied in the
    second ranking. T pairs are tied in both rankings. The variants are :math:`\tau_a = (C - D)/P`, :math:`\tau_b = (C -
    D)/\sqrt{P_1 P_2}` [1]_ and :math:`\tau_x = (C - D + T)/P` [2]_. Only :math:`\tau_x` corresponds to a metric:
    :math:`P (1 - \tau_x)` is the distance of Kemeny and Snell. The computation takes O(n log n) time.

    References
    ----------
    .. [1] M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33(3), 1945.
    .. [2] E. J. Emond and D. W. Mason, "A new rank correlation coefficient with application to the consensus ranking
       problem", Journal of Multi-Criteria Decision Analysis 11, 2002.

    Examples
    --------
    >>> from skrankagg.metrics import kendall_tau
    >>> kendall_tau(["a", "b", "c"], ["a", "c", "b"])
    0.3333333333333333
    >>> [round(kendall_tau(["a", "b", "c"], ["a", {"b", "c"}], variant=v), 4)
    ...  for v in ("a", "b", "x")]
    [0.6667, 0.8165, 0.6667]
    """
    check_choice("variant", variant, ("a", "b", "x"))
    return float(FROM_COUNTS[variant](*pair_counts(*common(*align(first, second)))))


def goodman_kruskal_gamma(first: Ranking, second: Ranking) -> float:
    r"""Compute Goodman and Kruskal's gamma of two rankings over the items that both rankings contain.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.

    Returns
    -------
    float
        From -1 to 1.

    See Also
    --------
    kendall_tau : A correlation that takes tied pairs into account.

    Notes
    -----
    The value is :math:`(C - D)/(C + D)`. C pairs of items have the same order in both rankings, and D pairs have
    opposite orders [1]_.

    References
    ----------
    .. [1] L. A. Goodman and W. H. Kruskal, "Measures of association for cross classifications", JASA 49, 1954.

    Examples
    --------
    >>> from skrankagg.metrics import goodman_kruskal_gamma
    >>> goodman_kruskal_gamma(["a", "b", "c"], ["a", {"b", "c"}])
    1.0
    """
    return float(FROM_COUNTS["gamma"](*pair_counts(*common(*align(first, second)))))


def kendall_distance(first: Ranking, second: Ranking, *, penalty: float = 0.5, normalize: bool = False) -> float:
    r"""Compute Kendall's distance between two partial rankings or top-k lists, Fagin's :math:`K^{(p)}`.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    penalty : float, default=0.5
        Cost, from 0 to 1, of a pair that is tied in only one of the rankings. The optimistic choice is 0, and the
        neutral choice is 1/2.
    normalize : bool, default=False
        Whether to divide by the number of pairs of items. Items that only one ranking contains are also counted.

    Returns
    -------
    float
        The distance, which is 0 for equal rankings. With ``normalize=True``, the distance is at most 1.

    See Also
    --------
    kendall_tau : The correlation of two rankings.

    Notes
    -----
    A pair in opposite orders costs 1. A pair tied in only one ranking costs p, the `penalty`. Items absent from a
    ranking are tied below the items that the ranking contains. This rule gives the cases of [1]_. Suppose that list A
    contains both items of a pair, and list B contains only one. The pair costs 0 if A ranks the item of B higher, and 1
    if A ranks it lower. A pair costs 1 if each list contains only one of the items, and not the same one. A pair costs
    p if one list contains both items and the other list contains neither.

    References
    ----------
    .. [1] R. Fagin, R. Kumar and D. Sivakumar, "Comparing top k lists", SIAM Journal on Discrete Mathematics 17, 2003.

    Examples
    --------
    >>> from skrankagg.metrics import kendall_distance
    >>> kendall_distance(["a", "b", "c"], ["c", "b", "a"])
    3.0
    >>> [kendall_distance(["a", "b"], ["c", "d"], penalty=p) for p in (0, 0.5)]
    [4.0, 5.0]
    """
    check_share("penalty", penalty)
    return top_distance(*align(first, second), penalty=penalty, normalize=normalize)


def top_distance(first, second, *, penalty=0.5, normalize=False):
    """Compute Kendall's distance of two vectors of ranks; NaN marks absent items."""
    discordant, both, one, other, pairs = pair_counts(*union(first, second))
    distance = discordant + penalty * (one - both + other - both)
    return float(ratio_or_nan(distance, pairs)) if normalize else distance


def footrule_distance(
    first: Ranking, second: Ranking, *, location: float | None = None, normalize: bool = False
) -> float:
    r"""Compute Spearman's footrule between two rankings or top-k lists, Fagin's :math:`F^{(l)}`.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    location : float, default=None
        Rank of the items that are absent from a list; None uses one more than the length of the list.
    normalize : bool, default=False
        Whether to divide by the distance of opposite rankings, :math:`\lfloor n^2/2 \rfloor`. If a list lacks items of
        the other list, the divisor is the distance between two lists of these lengths without a common item.

    Returns
    -------
    float
        0 for equal rankings.

    See Also
    --------
    kendall_distance : For full rankings, this distance is at most the footrule and at least half of it.

    Notes
    -----
    The distance is :math:`\sum_i |r_1(i) - r_2(i)|` over the items that either list contains [1]_. Tied items share
    their mean rank.

    References
    ----------
    .. [1] R. Fagin, R. Kumar and D. Sivakumar, "Comparing top k lists", SIAM Journal on Discrete Mathematics 17, 2003.

    Examples
    --------
    >>> from skrankagg.metrics import footrule_distance
    >>> footrule_distance(["a", "b", "c"], ["c", "b", "a"])
    4.0
    >>> footrule_distance(["a", "b"], ["b", "c"], normalize=True)
    0.6666666666666666
    """
    return rank_footrule(*align(first, second), location=location, normalize=normalize)


def rank_footrule(first, second, *, location=None, normalize=False):
    """Compute Spearman's footrule of two vectors of ranks; NaN marks absent items."""
    either = ~np.isnan(first) | ~np.isnan(second)
    first, second = first[either], second[either]
    n_first, n_second = (int((~np.isnan(rank)).sum()) for rank in (first, second))
    below = [n + 1 if location is None else location for n in (n_first, n_second)]
    filled = [np.where(np.isnan(rank), place, rank) for rank, place in zip((first, second), below, strict=True)]
    distance = float(np.abs(filled[0] - filled[1]).sum())
    if not normalize:
        return distance
    if n_first == n_second == len(first):
        worst = len(first) ** 2 // 2
    else:
        worst = np.abs(np.arange(1, n_first + 1) - below[1]).sum() + np.abs(np.arange(1, n_second + 1) - below[0]).sum()
    return float(ratio_or_nan(distance, worst))
