"""Costs of orders, computed from pairwise preferences, and lower bounds on these costs."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..._support._memory import check_matrix

__all__ = ["kemeny_lower_bound", "kemeny_score", "mean_tau_x"]


def kemeny_score(
    rank: npt.ArrayLike, prefer: npt.ArrayLike, tied: npt.ArrayLike | None = None, *, penalty: float = 0.5
) -> float:
    r"""Return the total disagreement between an order, which may have ties, and the lists.

    Parameters
    ----------
    rank : array-like of shape (n_items,)
        Ranks of the items: lower ranks are better, and equal ranks are ties. Only the order of the numbers matters.
    prefer, tied : ndarray of shape (n_items, n_items)
        Preferences as :func:`pairwise_preferences` returns them; if `tied` is None, the lists are assumed to have
        no ties.
    penalty : float, default=0.5
        Cost of a pair that is tied only in the list or only in the order.

    Returns
    -------
    float
        The total cost; it is 0 if all lists agree with the order.

    See Also
    --------
    kemeny_lower_bound : A lower bound on the cost of any order.

    Notes
    -----
    The score is a sum over the lists: the weight of each list times its generalised Kendall distance :math:`K^{(p)}` to
    the order [1]_. A pair in opposite orders costs 1. A pair that is tied only in the list or only in the order costs
    `penalty`.

    References
    ----------
    .. [1] R. Fagin, R. Kumar, M. Mahdian, D. Sivakumar and E. Vee, "Comparing partial rankings", SIAM Journal on
       Discrete Mathematics 20(3), 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import kemeny_score
    >>> prefer = np.array([[0, 2, 3], [1, 0, 2], [0, 1, 0]])
    >>> kemeny_score([1, 2, 3], prefer), kemeny_score([1, 1, 2], prefer)
    (2.0, 2.5)
    """
    rank = np.asarray(rank)
    check_matrix("kemeny_score", len(rank), 19.0)
    prefer = np.asarray(prefer, dtype=np.float64)
    above, level = rank[:, None] < rank[None, :], rank[:, None] == rank[None, :]
    np.fill_diagonal(level, False)
    score = prefer.T[above].sum() + penalty * prefer[level].sum()
    return float(score if tied is None else score + penalty * np.asarray(tied, dtype=np.float64)[above].sum())


def kemeny_lower_bound(
    prefer: npt.ArrayLike,
    tied: npt.ArrayLike | None = None,
    *,
    penalty: float = 0.5,
    consensus_ties: Literal["strict", "weak"] = "strict",
) -> float:
    """Return a lower bound on the cost of any order: the sum of the least costs of all pairs of items.

    Parameters
    ----------
    prefer, tied : ndarray of shape (n_items, n_items)
        Preferences as :func:`pairwise_preferences` returns them; if `tied` is None, the lists are assumed to have
        no ties.
    penalty : float, default=0.5
        Cost of a pair that is tied only in the list or only in the order.
    consensus_ties : {"strict", "weak"}, default="strict"
        Whether the order may tie items.

    Returns
    -------
    float
        A lower bound on the cost of any order. If there are no majority cycles, some strict order has exactly this
        cost.

    See Also
    --------
    Kemeny : Proves a bound that takes the cycles into account.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import kemeny_lower_bound
    >>> kemeny_lower_bound(np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]]))
    3.0
    """
    check_matrix("kemeny_lower_bound", len(prefer), 42.0)
    prefer = np.asarray(prefer)[None]
    return float(lower_bounds(prefer, None if tied is None else np.asarray(tied)[None], penalty, consensus_ties)[0])


def lower_bounds(prefer, tied, penalty, consensus_ties):
    """For each query, compute a lower bound on the cost of all orders of its items.

    `prefer` has shape (n_queries, n, n). `tied` has the same shape or is None.
    """
    before, level = pair_costs(prefer, tied, penalty)
    least = np.minimum(before, before.swapaxes(1, 2))
    if consensus_ties == "weak":
        np.minimum(least, level, out=least)
    return np.triu(least, 1).reshape(len(least), -1).sum(axis=1)


def mean_tau_x(rank: npt.ArrayLike, prefer: npt.ArrayLike, tied: npt.ArrayLike, total_weight: float) -> float:
    r"""Return the mean correlation tau_x between an order, which may have ties, and the lists.

    Parameters
    ----------
    rank : array-like of shape (n_items,)
        Ranks of at least 2 items: lower ranks are better, and equal ranks are ties.
    prefer, tied : ndarray of shape (n_items, n_items)
        Preferences as :func:`pairwise_preferences` returns them.
    total_weight : float
        Total weight of the lists.

    Returns
    -------
    float
        The mean correlation. It is 1 if all lists have this order, and -1 if all lists have the reverse order.

    See Also
    --------
    kemeny_score : With a penalty of 0.5, the order with the lowest score has the highest tau_x.

    Notes
    -----
    Emond and Mason [1]_ define scores for the pairs of a ranking. The score :math:`a_{ij}` is 1 if item :math:`i` is
    above item :math:`j` or tied with it, and -1 otherwise. The score is 0 if a list does not contain both items. Let
    :math:`b_{ij}` be the scores of a second ranking. Then :math:`\tau_x = \sum_{i \ne j} a_{ij} b_{ij} / (n (n - 1))`.
    A pair that has the same order or is tied in both rankings adds 2 to the sum. A pair in opposite orders subtracts 2.
    A pair that is tied in only one of the two rankings adds 0. Let :math:`N = \sum_v w_v N_v`, where list :math:`v` has
    the weight :math:`w_v` and orders or ties :math:`N_v` pairs of items. Let :math:`m` be the total weight of the lists
    and :math:`K` the Kemeny score with a penalty of 1/2. Then the mean is :math:`(2 N - 4 K) / (n (n - 1) m)`.

    References
    ----------
    .. [1] E. J. Emond and D. W. Mason, "A new rank correlation coefficient with application to the consensus ranking
       problem", Journal of Multi-Criteria Decision Analysis 11, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import mean_tau_x
    >>> mean_tau_x([1, 2, 3], np.array([[0, 2, 2], [0, 0, 1], [0, 1, 0]]), np.zeros((3, 3)),
    ...            2)
    0.6666666666666666
    """
    check_matrix("mean_tau_x", len(prefer), 26.0)
    prefer = np.asarray(prefer, dtype=np.float64)
    n = len(prefer)
    held = np.triu(prefer + prefer.T + np.asarray(tied, dtype=np.float64), 1).sum()
    score = kemeny_score(rank, prefer, tied, penalty=0.5)
    return float((2 * held - 4 * score) / (n * (n - 1) * total_weight))


def pair_costs(prefer, tied, penalty):
    """Return the costs of placing the row's item before the column's item, and the costs of tying the two items.

    Each result is a matrix of shape (n, n), or a stack of shape (n_queries, n, n) if `prefer` is a stack.
    """
    prefer = np.asarray(prefer, dtype=np.float64)
    before = prefer.swapaxes(-1, -2).copy()
    if tied is not None:
        before += penalty * np.asarray(tied, dtype=np.float64)
    return before, penalty * (prefer + prefer.swapaxes(-1, -2))


def granularity(value, budget):
    """Return the largest number that divides all values, up to rounding.

    Return 0 in three cases: all values are 0, the divisor would be below a ten-thousandth of the largest value, or time
    runs out.
    """
    if budget.left < 1.5e-7 * np.size(value):
        return 0.0
    value = np.unique(np.abs(value))
    value = value[value > 0]
    if len(value) == 0:
        return 0.0
    if (value % 1 == 0).all() and value[-1] < 2**53:
        return float(np.gcd.reduce(value.astype(np.int64)))
    largest = step = float(value[-1])
    for rest in map(float, value):
        if budget.late:
            return 0.0
        while rest > 1e-9 * largest:
            step, rest = rest, step % rest
            if step - rest <= 1e-9 * largest:  # an integer multiple, up to rounding
                rest = 0.0
        if step < 1e-4 * largest:
            return 0.0
    multiple = value / step
    return step if (np.abs(multiple - np.round(multiple)) < 1e-9 * multiple[-1]).all() else 0.0


class Bracket:
    """Cost of the best known order, and a proven lower bound on the cost of all orders of the same items.

    ``scale`` is the magnitude of the costs, which determines the tolerance for rounding errors. ``step`` is the least
    difference between two costs, or 0 if this difference is not known. ``report`` is called with the cost and the bound
    after each new bound.
    """

    def __init__(self, cost, scale, step, budget, report=None):
        self.cost, self.bound = cost, 0.0
        self.scale, self.step, self.budget, self.report = scale, step, budget, report

    def raise_bound(self, bound):
        """Store a lower bound, rounded up to a possible cost of an order."""
        if self.step:
            bound = self.step * np.ceil(bound / self.step - 1e-3)
        self.bound = max(self.bound, min(bound, self.cost))
        if self.report is not None:
            self.report(self.cost, self.bound)

    @property
    def most(self):
        """Return the highest cost at which an order counts as cheaper than the best known order."""
        return self.cost - (0.999 * self.step or 1e-9 * self.scale)

    def met(self):
        """Return True if the bound proves that the best known order is optimal."""
        return self.bound >= self.most
