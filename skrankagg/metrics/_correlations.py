r"""More correlations of rankings: Spearman's, those that weigh the top, and the concordance of many rankings.

Every public function takes rankings as lists of items, best first, in which a set ties its items, or as mappings of
item to rank, and looks at the items that all of them hold. Where nothing can be compared the value is NaN.
"""

import numpy as np
from scipy.stats import rankdata, weightedtau

from ._agreement import common, ratio_or_nan
from ._rankings import align

__all__ = ["kendall_w", "spearman_rho", "tau_ap", "weighted_tau"]


def spearman_rho(first, second):
    r"""Spearman's rank correlation of the items that both rankings hold.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.

    Returns
    -------
    float
        Pearson's correlation of the mid-ranks, NaN where a ranking ties all items.

    Examples
    --------
    >>> from skrankagg.metrics import spearman_rho
    >>> spearman_rho(["a", "b", "c"], ["a", "c", "b"])
    0.5
    """
    return rank_rho(*align(first, second))


def rank_rho(first, second):
    """Correlation of two vectors of ranks with NaN for absent items."""
    first, second = common(first, second)
    first, second = first - first.mean() if len(first) else first, second - second.mean() if len(second) else second
    return float(ratio_or_nan(first @ second, np.sqrt((first @ first) * (second @ second))))


def weighted_tau(first, second):
    r"""Vigna's weighted tau of the items that both rankings hold, additive and hyperbolic.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.

    Returns
    -------
    float
        The mean of the values with the weights by either ranking, as :func:`scipy.stats.weightedtau` gives it.

    Notes
    -----
    An exchange of the items at ranks r and s weighs :math:`1/r + 1/s` [1]_.

    References
    ----------
    .. [1] S. Vigna, "A weighted correlation index for rankings with ties", WWW 2015.

    Examples
    --------
    >>> from skrankagg.metrics import weighted_tau
    >>> weighted_tau(["a", "b", "c"], ["a", "c", "b"]) > weighted_tau(["a", "b", "c"], ["b", "a", "c"])
    True
    """
    return rank_weighted_tau(*align(first, second))


def rank_weighted_tau(first, second):
    """Vigna's correlation of two vectors of ranks with NaN for absent items."""
    first, second = common(first, second)
    return float(weightedtau(-first, -second).statistic) if len(first) > 1 else np.nan


def tau_ap(first, second):
    r"""Average precision correlation: how well the second ranking agrees with the top of the first.

    Parameters
    ----------
    first : list, or mapping or Series of item to rank
        Ranking whose top counts most.
    second : list, or mapping or Series of item to rank
        Ranking that it is compared with.

    Returns
    -------
    float
        From -1 to 1; not symmetric.

    See Also
    --------
    kendall_tau : All places count alike.

    Notes
    -----
    Over the items that both hold, :math:`\frac{2}{n - 1} \sum_{i=2}^{n} \frac{C(i)}{i - 1} - 1`, where C(i) of the
    items above place i of the first ranking are above its item in the second as well [1]_. Where items tie, the value
    is the mean over all orders of the ties of both rankings, as in the variant a of [2]_. O(n^2).

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
    """Average precision correlation of two vectors of ranks with NaN for absent items."""
    first, second = common(first, second)
    n = len(first)
    if n < 2:
        return np.nan
    order = np.argsort(first, kind="stable")
    first, second = first[order], second[order]
    # How many of the items of a tie group above, and of its own, are above each item in the second ranking.
    starts = np.flatnonzero(np.append(True, first[1:] != first[:-1]))
    ends = np.append(starts[1:], n)
    agreeing = 0.0
    for start, end in zip(starts, ends, strict=True):
        group = second[start:end, None]
        above = ((second[:start] < group) + 0.5 * (second[:start] == group)).sum(axis=1).mean()
        size = end - start
        # Within the group each of two items is above the other in half of the orders: chance alone decides.
        inside = np.arange(size) * 0.5
        places = np.arange(start, end)
        agreeing += np.divide(above + inside, places, out=np.zeros(size), where=places > 0).sum()
    return float(2 * agreeing / (n - 1) - 1)


def kendall_w(rankings):
    r"""Kendall's coefficient of concordance of several rankings, corrected for ties.

    Parameters
    ----------
    rankings : sequence of rankings
        Two or more lists, or mappings or Series of item to rank; the items that all of them hold are compared.

    Returns
    -------
    float
        From 0 to 1; NaN where every ranking ties all items.

    Notes
    -----
    With m rankings of n items, R the sums of ranks and t the sizes of the groups of ties [1]_,

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
        raise ValueError(f"kendall_w expects two or more rankings; got {len(rankings)}.")
    return rank_w(align(*rankings))


def rank_w(table):
    """Concordance of a matrix of ranks, rankings by items, with NaN for absent items."""
    table = table[:, ~np.isnan(table).any(axis=0)]
    m, n = table.shape
    if n < 2:
        return np.nan
    table = rankdata(table, axis=1)
    total = table.sum(axis=0)
    ties = sum(float((size**3 - size).sum()) for size in (np.unique(row, return_counts=True)[1] for row in table))
    return float(ratio_or_nan(12 * ((total - total.mean()) ** 2).sum(), m**2 * (n**3 - n) - m * ties))
