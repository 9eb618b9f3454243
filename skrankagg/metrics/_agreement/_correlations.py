r"""Spearman's correlation, top-weighted correlations, and the concordance of many rankings.

Every public function accepts rankings as lists of items, best first, or as mappings of item to rank. If a list contains
a set, the items of the set are tied. Only items that all rankings contain are compared. If nothing can be compared, the
value is NaN.
"""

from collections.abc import Iterable

import numpy as np
from scipy.stats import weightedtau

from ...exceptions import InputError
from ._kendall import common, ratio_or_nan
from ._rankings import Ranking, align, mid_rank

__all__ = ["kendall_w", "spearman_rho", "tau_ap", "weighted_tau"]

# Largest number of pairs of items that are compared at once, to limit the memory.
_CELLS = 1 << 20


def spearman_rho(first: Ranking, second: Ranking) -> float:
    r"""Compute Spearman's rank correlation of two rankings over the items that both rankings contain.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.

    Returns
    -------
    float
        Pearson's correlation of the mid-ranks; NaN if all items are tied in one of the rankings.

    See Also
    --------
    kendall_tau : A correlation that counts pairs instead of comparing places.
    footrule_distance : A distance between places that also counts absent items.

    Examples
    --------
    >>> from skrankagg.metrics import spearman_rho
    >>> spearman_rho(["a", "b", "c"], ["a", "c", "b"])
    0.5
    """
    return rank_rho(*align(first, second))


def rank_rho(first, second):
    """Compute Spearman's correlation of two vectors of ranks; NaN marks absent items."""
    first, second = common(first, second)
    first, second = first - first.mean() if len(first) else first, second - second.mean() if len(second) else second
    return float(ratio_or_nan(first @ second, np.sqrt((first @ first) * (second @ second))))


def weighted_tau(first: Ranking, second: Ranking) -> float:
    r"""Compute Vigna's additive, hyperbolic weighted tau of the items that both rankings contain.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.

    Returns
    -------
    float
        Mean of two correlations, as in :func:`scipy.stats.weightedtau`. The first ranking determines the weights of one
        correlation, and the second ranking the weights of the other.

    See Also
    --------
    tau_ap : A correlation that gives the top of one ranking more weight.
    kendall_tau : A correlation in which all places have the same weight.

    Notes
    -----
    An exchange of the items at ranks r and s has the weight :math:`1/r + 1/s` [1]_.

    References
    ----------
    .. [1] S. Vigna, "A weighted correlation index for rankings with ties", WWW 2015.

    Examples
    --------
    >>> from skrankagg.metrics import weighted_tau
    >>> weighted_tau(["a", "b", "c"], ["a", "c", "b"]) > weighted_tau(["a", "b", "c"],
    ...     ["b", "a", "c"])
    True
    """
    return rank_weighted_tau(*align(first, second))


def rank_weighted_tau(first, second):
    """Compute Vigna's correlation of two vectors of ranks; NaN marks absent items."""
    first, second = common(first, second)
    return float(weightedtau(-first, -second).statistic) if len(first) > 1 else np.nan


def tau_ap(first: Ranking, second: Ranking) -> float:
    r"""Compute the AP correlation, in which agreement at the top of the first ranking counts most.

    Parameters
    ----------
    first : list, or mapping or Series of item to rank
        The ranking whose top counts most.
    second : list, or mapping or Series of item to rank
        The ranking to compare with the first ranking.

    Returns
    -------
    float
        From -1 to 1. The measure is not symmetric.

    See Also
    --------
    kendall_tau : A correlation in which all places have the same weight.

    Notes
    -----
    For the n items that both rankings contain, the value is :math:`\frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} -
    1`. C(i) is the number of items that both rankings place above the item at place i of the first ranking [1]_. If
    items are tied, the value is the mean over all orders of the tied items of both rankings, as in variant a of [2]_.
    The computation takes O(n^2) time.

    References
    ----------
    .. [1] E. Yilmaz, J. A. Aslam and S. Robertson, "A new rank correlation coefficient for information retrieval",
       SIGIR 2008.
    .. [2] J. Urbano and M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017.

    Examples
    --------
    >>> from skrankagg.metrics import tau_ap
    >>> tau_ap(["a", "b", "c"], ["a", "c", "b"]), tau_ap(["a", "b", "c"], ["b", "a", "c"])
    (0.5, 0.0)
    """
    return rank_tau_ap(*align(first, second))


def rank_tau_ap(first, second):
    """Compute the average precision correlation of two vectors of ranks; NaN marks absent items."""
    first, second = common(first, second)
    n = len(first)
    if n < 2:
        return np.nan
    order = np.argsort(first, kind="stable")
    first, second = first[order], second[order]
    # For each item, count the items above its tie group that the second ranking also places above it. A tie in the
    # second ranking counts as one half.
    start = np.searchsorted(first, first, side="left")
    above = np.empty(n)
    width = max(1, _CELLS // n)
    for low in range(0, n, width):
        rows = slice(low, low + width)
        own = second[rows, None]
        agrees = (second < own) + 0.5 * (second == own)
        above[rows] = np.where(np.arange(n) < start[rows, None], agrees, 0.0).sum(axis=1)
    # In half of the orders of a tie group, an item of the group is above another item of the group.
    _, group, size = np.unique(start, return_inverse=True, return_counts=True)
    mean = (np.bincount(group, weights=above) / size)[group]
    places = np.arange(n)
    agreeing = ((mean + (places - start) * 0.5)[1:] / places[1:]).sum()
    return float(2 * agreeing / (n - 1) - 1)


def kendall_w(rankings: Iterable[Ranking]) -> float:
    r"""Compute Kendall's coefficient of concordance of several rankings, corrected for ties.

    Parameters
    ----------
    rankings : sequence of rankings
        Two or more rankings: lists, or mappings or Series of item to rank. Only items that all rankings contain are
        compared.

    Returns
    -------
    float
        From 0 to 1; NaN if all items are tied in every ranking.

    See Also
    --------
    concordance : Kendall's coefficient for the voters of each query.
    spearman_rho : Correlation of two rankings. Without ties, its mean over all pairs of rankings determines W.

    Notes
    -----
    Let there be m rankings of n items. The sum of the ranks of item i is :math:`R_i`, and t is the size of a group of
    tied items. Then [1]_

    .. math:: W = \frac{12 \sum_i (R_i - \bar R)^2}{m^2 (n^3 - n) - m \sum (t^3 - t)}.

    References
    ----------
    .. [1] M. G. Kendall and B. Babington Smith, "The problem of m rankings", Annals of Mathematical Statistics 10,
       1939.

    Examples
    --------
    >>> from skrankagg.metrics import kendall_w
    >>> kendall_w([["a", "b", "c"], ["a", "b", "c"], ["b", "a", "c"]])
    0.7777777777777778
    """
    rankings = list(rankings)
    if len(rankings) < 2:
        raise InputError(f"`rankings` must contain at least two rankings; got {len(rankings)}.")
    return rank_w(align(*rankings))


def rank_w(table):
    """Compute Kendall's W from an array of shape (n_rankings, n_items) that contains ranks; NaN marks absent items."""
    table = table[:, ~np.isnan(table).any(axis=0)]
    m, n = table.shape
    if n < 2:
        return np.nan
    table = np.array([mid_rank(row) for row in table])
    total = table.sum(axis=0)
    ties = sum(float((size**3 - size).sum()) for size in (np.unique(row, return_counts=True)[1] for row in table))
    return float(ratio_or_nan(12 * ((total - total.mean()) ** 2).sum(), m**2 * (n**3 - n) - m * ties))
