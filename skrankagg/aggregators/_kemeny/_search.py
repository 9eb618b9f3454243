"""Local search among strict orders: swaps of neighbours, insertions, and rounds of random moves and repairs."""

import numpy as np
import numpy.typing as npt

from ..._arrays import TOLERANCE
from ..._arrays._preferences import margins
from ..._kernels import COMPILED, insertion_descent, insertion_rounds, majority_insertions
from ..._support._memory import check_matrix

__all__ = ["local_kemenization"]

# Number of items that a round displaces, and number of places that each of these items moves. Other values that were
# tried are slower.
_MOVES, _SPAN = 8, 20
# Steps of the kernel between two checks of the clock: some tens of milliseconds.
_CHUNK_STEPS = 20_000_000 if COMPILED else 100_000


def local_kemenization(order: npt.ArrayLike, prefer: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Repair an order: move each item up while a majority prefers it to the item just above it.

    Parameters
    ----------
    order : array-like of shape (n_items,), dtype=int
        Items, best first.
    prefer : ndarray of shape (n_items, n_items)
        Preferences as :func:`pairwise_preferences` returns them.

    Returns
    -------
    ndarray of shape (n_items,), dtype=int64
        An order in which no two neighbours contradict a strict majority. Among all orders with this property, it is the
        closest to the given order. It also meets the extended Condorcet criterion.

    See Also
    --------
    LocalKemenization : Repairs the result of any aggregator in the same way.

    Notes
    -----
    The items are inserted one by one, from the first to the last [1]_. The time is :math:`O(n^2)`.

    References
    ----------
    .. [1] C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the web", WWW 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import local_kemenization
    >>> local_kemenization([2, 0, 1], np.array([[0, 2, 2], [1, 0, 2], [1, 1, 0]]))
    array([0, 1, 2])
    """
    check_matrix("local_kemenization", len(prefer), 19.0)
    return majority_insertions(margins(prefer)[None], np.asarray(order)[None])[0].astype(np.int64)


def borda_order(margin):
    """Sort items by the row sums of `margin`, the smallest sum first; this is Borda's order of the lists."""
    return np.argsort(margin.sum(axis=1), kind="stable")


def order_cost(margin, order):
    """Return the cost of an order minus the cost of ordering every pair by its majority."""
    ordered = margin[np.ix_(order, order)]
    return float(np.triu(np.maximum(ordered, 0.0), 1).sum())


def descend(margin, order, budget, tolerance=None):
    """Move single items to cheaper places until no move lowers the cost, or until time runs out; return the order.

    Changes of the cost up to `tolerance` count as rounding errors. With None, the tolerance is computed from the
    margins.
    """
    tolerance = TOLERANCE * np.abs(margin).sum() if tolerance is None else tolerance
    return insertion_descent(margin, order, tolerance, until=lambda: budget.late)[0]


def n_drawn(n_rounds):
    """Return the number of random numbers that :func:`iterate` draws in `n_rounds` rounds."""
    return 2 * _MOVES * n_rounds


def iterate(margin, order, n_rounds, rng, budget, *, target=-np.inf, most_rounds=None, tolerance=None):
    """Search in rounds: displace some items at random, then descend; return the best order, int64 of shape (n,).

    The search stops after `n_rounds` rounds, or when the time limit has passed. It also stops at an order with the cost
    `target`, which is a lower bound on :func:`order_cost`. The cost is compared with `target` at least once in
    `most_rounds` rounds; this number does not change the result. `tolerance` is the tolerance of :func:`descend`.
    """
    n = len(order)
    tolerance = TOLERANCE * np.abs(margin).sum() if tolerance is None else tolerance
    cost = order_cost(margin, order)
    best, costs = np.asarray(order), (cost, cost)
    chunk = min(max(1, _CHUNK_STEPS // (12 * n * n)), most_rounds or n_rounds)
    while n_rounds > 0 and costs[1] > target + tolerance and not budget.late:
        uniform = rng.random(n_drawn(min(chunk, n_rounds)))
        found, order, after = insertion_rounds(margin, order, costs, uniform, _MOVES, _SPAN, 0.0, tolerance)
        best, costs = (found if after[1] < costs[1] else best), after
        n_rounds -= chunk
    return best
