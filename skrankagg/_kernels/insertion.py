"""Local search over orders, by insertion."""

import numpy as np

from . import _insertion, loading
from .loading import VI, as_vf, as_vi


def insertion_descent(margin, order, tolerance=0.0, *, until=None):
    """Move items of an order by insertion while that lowers the cost by more than a tolerance.

    `margin`, (n, n), is the extra cost of an order with the row before the column rather than the other way round.
    ``until()`` is called now and then and returns True to stop early. Returns the order, int64 of shape (n,) and
    read-only, and its extra cost over the first one, at most 0. A pass over all items is O(n^2).
    """
    n, order, margin = len(order), as_vi(order), as_vf(np.ravel(margin))
    at, change = VI(np.zeros(2, dtype=np.int64)), 0.0
    while at[1] < n and not (until is not None and until()):
        change = _insertion.descend(margin, order, n, tolerance, at, change, max(1, loading.BLOCK // (4 * n)))
    return np.asarray(order), change


def insertion_rounds(margin, order, costs, uniform, n_moves, span, slack, tolerance=0.0):
    """Continue from an order in rounds: displace `n_moves` items by up to `span` places, then descend again.

    `costs` are the costs of this order and of the best known order; the search continues from orders within `slack` of
    the best. `uniform` contains ``2 * n_moves`` random numbers from 0 to 1 for each round. Returns the cheapest order
    of these rounds and the last one, both read-only, and the costs of the last and of the best order. If the best cost
    did not fall, the cheapest order is the one that the rounds started from.
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
