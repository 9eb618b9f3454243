"""Search for cheap orders by moving single items."""

import numpy as np

from . import _insertion, loading
from .loading import VI, as_vf, as_vi


def insertion_descent(margin, order, tolerance=0.0, *, until=None):
    """Move single items of an order as long as a move lowers the cost by more than a tolerance.

    `margin`, of shape (n, n), is the extra cost of placing the row's item before the column's item instead of after it.
    ``until()`` is called repeatedly; if it returns True, the search stops early. Returns two values. The first is the
    new order, read-only int64 of shape (n,). The second is the change of the cost, which is at most 0. A pass over all
    items takes O(n^2) time.
    """
    n, order, margin = len(order), as_vi(order), as_vf(np.ravel(margin))
    at, change = VI(np.zeros(2, dtype=np.int64)), 0.0
    while at[1] < n and not (until is not None and until()):
        change = _insertion.descend(margin, order, n, tolerance, at, change, max(1, loading.BLOCK // (4 * n)))
    return np.asarray(order), change


def insertion_rounds(margin, order, costs, uniform, n_moves, span, slack, tolerance=0.0):
    """Improve an order in rounds, each with random moves and a local search as in :func:`insertion_descent`.

    A round first moves `n_moves` random items by up to `span` places. `costs` contains the cost of the given order and
    the cost of the best known order. The search continues from orders whose cost is within `slack` of the best cost.
    `uniform` contains ``2 * n_moves`` random numbers from 0 to 1 for each round. Returns three values: the cheapest
    order of these rounds, the last order, and a tuple with the costs of the last order and of the best order. Both
    orders are read-only. If the best cost did not fall, the cheapest order is the given order.
    """
    order = as_vi(order)
    best, order, costs = _insertion.iterate(
        as_vf(np.ravel(margin)),
        order,
        len(order),
        tolerance,
        as_vf(costs),
        as_vf(uniform),
        n_moves,
        span,
        slack,
    )
    return np.asarray(best), np.asarray(order), tuple(np.asarray(costs).tolist())
