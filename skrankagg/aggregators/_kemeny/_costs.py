"""What an order costs by pairwise preferences, and what no order can save."""

from typing import Literal

import numpy as np
import numpy.typing as npt

from ..._support._memory import check_matrix

__all__ = ["kemeny_lower_bound", "kemeny_score", "mean_tau_x"]


def kemeny_score(
    rank: npt.ArrayLike, prefer: npt.ArrayLike, tied: npt.ArrayLike | None = None, *, penalty: float = 0.5
) -> float:
    r"""Add up the disagreements of an order, with or without ties, with the lists.

    Parameters
    ----------
    rank : array-like of shape (n_items,)
        Lower is better, equal is tied; only the order of the numbers counts.
    prefer, tied : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns them; without `tied` no list ties any items.
    penalty : float, default=0.5
        What a pair costs that is tied on one side only.

    Returns
    -------
    float
        0 where all lists agree with the order.

    See Also
    --------
    kemeny_lower_bound : What every order costs at least.

    Notes
    -----
    The total weight of the lists times their generalised Kendall distance :math:`K^{(p)}` to the order [1]_: a pair in
    opposite orders costs 1, a pair tied on one side only `penalty`.

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
    """Add up what each pair of items costs at least, in any order.

    Parameters
    ----------
    prefer, tied : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns them; without `tied` no list ties any items.
    penalty : float, default=0.5
        What a pair costs that is tied on one side only.
    consensus_ties : {"strict", "weak"}, default="strict"
        Whether the order may tie items.

    Returns
    -------
    float
        No order costs less; without majority cycles a strict order costs just that.

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
    """The same for each query of stacks of preferences and ties (n_queries, n, n): (n_queries,)."""
    before, level = pair_costs(prefer, tied, penalty)
    least = np.minimum(before, before.swapaxes(1, 2))
    if consensus_ties == "weak":
        np.minimum(least, level, out=least)
    return np.triu(least, 1).reshape(len(least), -1).sum(axis=1)


def mean_tau_x(rank: npt.ArrayLike, prefer: npt.ArrayLike, tied: npt.ArrayLike, total_weight: float) -> float:
    r"""Average the correlation tau_x of an order, with or without ties, with the lists.

    Parameters
    ----------
    rank : array-like of shape (n_items,)
        Lower is better, equal is tied; at least 2 items.
    prefer, tied : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns them.
    total_weight : float
        Total weight of the lists.

    Returns
    -------
    float
        1 for the order of all lists, -1 for its reverse.

    See Also
    --------
    kemeny_score : The order of the highest tau_x is the one of the lowest score with a penalty of 0.5.

    Notes
    -----
    Emond and Mason [1]_ give an order the scores :math:`a_{ij} = 1` if :math:`i` is above or tied with :math:`j`, else
    -1, and 0 if a list does not hold both; :math:`\tau_x = \sum_{i \ne j} a_{ij} b_{ij} / (n (n - 1))`. A pair that
    list and order place alike, tied or not, adds 2 to the sum, one in opposite orders takes 2 away and one tied on one
    side only adds nothing: so, with :math:`N` the total weight of the pairs that lists hold and :math:`K` the Kemeny
    score at penalty 1/2, the mean is :math:`(2 N - 4 K) / (n (n - 1) m)`.

    References
    ----------
    .. [1] E. J. Emond and D. W. Mason, "A new rank correlation coefficient with application to the consensus ranking
       problem", Journal of Multi-Criteria Decision Analysis 11, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import mean_tau_x
    >>> mean_tau_x([1, 2, 3], np.array([[0, 2, 2], [0, 0, 1], [0, 1, 0]]), np.zeros((3, 3)), 2)
    0.6666666666666666
    """
    check_matrix("mean_tau_x", len(prefer), 26.0)
    prefer = np.asarray(prefer, dtype=np.float64)
    n = len(prefer)
    held = np.triu(prefer + prefer.T + np.asarray(tied, dtype=np.float64), 1).sum()
    score = kemeny_score(rank, prefer, tied, penalty=0.5)
    return float((2 * held - 4 * score) / (n * (n - 1) * total_weight))


def pair_costs(prefer, tied, penalty):
    """Cost of the row's item before the column's, and of a tie of the two: two matrices (n, n), or two stacks."""
    prefer = np.asarray(prefer, dtype=np.float64)
    before = prefer.swapaxes(-1, -2).copy()
    if tied is not None:
        before += penalty * np.asarray(tied, dtype=np.float64)
    return before, penalty * (prefer + prefer.swapaxes(-1, -2))


def granularity(value, budget):
    """Largest number that all values are whole multiples of.

    It is 0 where all values are 0, where it would be below a ten-thousandth of the largest value, and where there is no
    time left to find it.
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
            if step - rest <= 1e-9 * largest:  # a whole multiple, up to rounding
                rest = 0.0
        if step < 1e-4 * largest:
            return 0.0
    multiple = value / step
    return step if (np.abs(multiple - np.round(multiple)) < 1e-9 * multiple[-1]).all() else 0.0
