r"""Agreement between two rankings: correlations, and distances of Kendall and Spearman.

Every public function takes two rankings as lists of items, best first, in which a set ties its items, or as mappings of
item to rank. The correlations look at the items that both rankings hold; the distances of Fagin et al. at all items,
with a stated place for absent ones. Where nothing can be compared the value is NaN.

With two items there is one pair. Of the P pairs, C are in the same order in both rankings and D in opposite ones,
:math:`P_1` and :math:`P_2` are not tied in the first and in the second, and T are tied in both.
"""

import numpy as np
from scipy.stats import rankdata, weightedtau

from .._kernels import discordant_pairs
from ._rankings import align

__all__ = [
    "footrule_distance",
    "goodman_kruskal_gamma",
    "kendall_distance",
    "kendall_tau",
    "kendall_w",
    "spearman_rho",
    "tau_ap",
    "weighted_tau",
]


def ratio_or_nan(numerator, denominator):
    """Divide, NaN where the divisor is 0."""
    numerator, denominator = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    return np.divide(
        numerator, denominator, out=np.full(np.broadcast(numerator, denominator).shape, np.nan), where=denominator > 0
    )


#: Correlations of Kendall's family, from what :func:`pair_counts` gives.
FROM_COUNTS = {
    "a": lambda discordant, both, first, second, pairs: ratio_or_nan(both - 2 * discordant, pairs),
    "b": lambda discordant, both, first, second, pairs: ratio_or_nan(both - 2 * discordant, np.sqrt(first * second)),
    # A tied pair scores 1 in both directions: the product adds up to 0 unless both tie.
    "x": lambda discordant, both, first, second, pairs: ratio_or_nan(
        both - 2 * discordant + (pairs - first - second + both), pairs
    ),
    "gamma": lambda discordant, both, first, second, pairs: ratio_or_nan(both - 2 * discordant, both),
}


def pair_counts(first, second):
    """Count pairs in two complete vectors of ranks.

    Parameters
    ----------
    first, second : ndarray of shape (n_items,)

    Returns
    -------
    tuple of float
        Discordant pairs, pairs that both order, that the first orders, that the second orders, and all pairs.
    """
    n = len(first)
    if n < 2:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    order = np.argsort(first, kind="stable")
    ordered = first[order]
    tie_end = np.searchsorted(ordered, ordered, side="right")
    dense = np.unique(second, return_inverse=True)[1][order]
    discordant, both = discordant_pairs(np.array([0, n]), tie_end, dense)
    pairs = n * (n - 1) / 2
    return float(discordant[0]), float(both[0]), pairs - _tied_pairs(first), pairs - _tied_pairs(second), pairs


def _tied_pairs(rank):
    size = np.unique(rank, return_counts=True)[1]
    return float((size * (size - 1) // 2).sum())


def common(first, second):
    """Ranks of the items that both hold, ranked anew."""
    both = ~np.isnan(first) & ~np.isnan(second)
    return rankdata(first[both]), rankdata(second[both])


def union(first, second):
    """Ranks of the items that either holds, absent ones tied below all others."""
    either = ~np.isnan(first) | ~np.isnan(second)
    return tuple(rankdata(np.where(np.isnan(rank), np.inf, rank)[either]) for rank in (first, second))


def kendall_tau(first, second, *, variant="b"):
    r"""Kendall's rank correlation of the items that both rankings hold.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    variant : {"a", "b", "x"}, default="b"
        How ties count.

    Returns
    -------
    float
        From -1 to 1.

    See Also
    --------
    goodman_kruskal_gamma : Ties are left out.
    tau_ap : Weighs the top.

    Notes
    -----
    :math:`\tau_a = (C - D)/P`; :math:`\tau_b = (C - D)/\sqrt{P_1 P_2}` [1]_; :math:`\tau_x = (C - D + T)/P` [2]_, the
    only one that is a metric's complement: :math:`P (1 - \tau_x)` is the distance of Kemeny and Snell. O(n log n).

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
    >>> [round(kendall_tau(["a", "b", "c"], ["a", {"b", "c"}], variant=v), 4) for v in "abx"]
    [0.6667, 0.8165, 0.6667]
    """
    if variant not in ("a", "b", "x"):
        raise ValueError(f"variant must be one of a, b, x; got {variant!r}.")
    return float(FROM_COUNTS[variant](*pair_counts(*common(*align(first, second)))))


def goodman_kruskal_gamma(first, second):
    r"""Goodman and Kruskal's gamma of the items that both rankings hold, :math:`(C - D)/(C + D)`.

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
    kendall_tau : Ties count.

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


def kendall_distance(first, second, *, p=0.5, normalize=False):
    r"""Kendall's distance between partial rankings and top-k lists, Fagin's :math:`K^{(p)}`.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    p : float, default=0.5
        Penalty from 0 to 1 of a pair that one ranking orders and the other does not: 0 is optimistic, 1/2 neutral.
    normalize : bool, default=False
        Whether to divide by the number of pairs of items that either ranking holds.

    Returns
    -------
    float

    See Also
    --------
    kendall_tau : The correlation.

    Notes
    -----
    A pair in opposite orders costs 1, one that is tied in one ranking only costs p. Items that a ranking lacks are tied
    below those that it holds, which gives the four cases of [1]_: two items of which one is in both lists and the other
    in one cost 0 or 1, two items each in one list only cost 1, and two items of the same list only cost p.

    References
    ----------
    .. [1] R. Fagin, R. Kumar and D. Sivakumar, "Comparing top k lists", SIAM Journal on Discrete Mathematics 17, 2003.

    Examples
    --------
    >>> from skrankagg.metrics import kendall_distance
    >>> kendall_distance(["a", "b", "c"], ["c", "b", "a"])
    3.0
    >>> [kendall_distance(["a", "b"], ["c", "d"], p=p) for p in (0, 0.5)]
    [4.0, 5.0]
    """
    if not 0 <= p <= 1:
        raise ValueError(f"p must be a penalty from 0 to 1; got {p!r}.")
    return top_distance(*align(first, second), p=p, normalize=normalize)


def top_distance(first, second, *, p=0.5, normalize=False):
    """K^(p) of two vectors of ranks with NaN for absent items."""
    discordant, both, one, other, pairs = pair_counts(*union(first, second))
    distance = discordant + p * (one - both + other - both)
    return float(ratio_or_nan(distance, pairs)) if normalize else distance


def footrule_distance(first, second, *, location=None, normalize=False):
    r"""Spearman's footrule between rankings and top-k lists, Fagin's :math:`F^{(l)}`.

    Parameters
    ----------
    first, second : list, or mapping or Series of item to rank
        Rankings.
    location : float, default=None
        Rank of the items that a list lacks; None takes one more than its length.
    normalize : bool, default=False
        Whether to divide by the distance of opposite rankings, :math:`\lfloor n^2/2 \rfloor`, or, where a list lacks
        items of the other, by that of two lists as long without a common item.

    Returns
    -------
    float

    See Also
    --------
    kendall_distance : At most as large, and at least half of it, for full rankings.

    Notes
    -----
    :math:`\sum_i |r_1(i) - r_2(i)|` over the items that either list holds [1]_; ties share their mean rank.

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
    """F^(l) of two vectors of ranks with NaN for absent items."""
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
