"""Functions that compute the costs of many orders at once, and find orders of lower cost."""

import numpy as np

from . import _orders
from .loading import VI, as_vf, as_vi, blocks


def order_costs(margin, tied, query, order, bucket):
    """Return the cost of each order: the sum of the margins of all items against the items below them.

    Two items in one bucket are tied: their margin is not added, and their value in `tied` is subtracted.

    `margin` and `tied` have shape (n_queries, n, n). `order` contains the orders. `bucket` contains the bucket number
    of each place, which increases along the order. Both have shape (n_orders, n). `query`, of shape (n_orders,),
    contains the query of each order. Returns float64 of shape (n_orders,).
    """
    (m, n), margin = order.shape, as_vf(np.ravel(margin))  # only one copy is made, because the array may be large
    arrays = margin, as_vf(np.ravel(tied)), *map(as_vi, (query, order.ravel(), bucket.ravel()))
    work = np.arange(1, m + 1) * n**2
    return np.concatenate([np.empty(0), *(_orders.order_costs(*ends, n, *arrays) for ends in blocks(work))])


def pivot_orders(margin, n_orders, draw):
    """Sort the items of queries by the signs of their margins, with a quicksort that chooses random pivots.

    `margin` has shape (n_queries, n, n). ``draw(k)`` returns the first k numbers of a random stream as uint64. Each
    query uses the stream from its beginning. Returns `n_orders` orders of each query, int64 of shape (n_queries,
    n_orders, n).
    """
    b, n = margin.shape[:2]
    orders, n_drawn, margin = [], 4 * n_orders * n, as_vf(np.ravel(margin))
    for first, last in blocks(np.arange(1, b + 1) * n_orders * n**2):
        order = VI(np.zeros((last - first) * n_orders * n, dtype=np.int64))
        while True:
            bits = draw(n_drawn)
            drawn = as_vi(bits & 0xFFFFFFFF), as_vi(bits >> 32), as_vf((bits >> 11) * 2.0**-53)
            if _orders.pivot_orders(first, last, n, n_orders, margin, *drawn, order) == last:
                break
            n_drawn *= 2
        orders.append(np.asarray(order).reshape(-1, n_orders, n))
    return np.concatenate(orders)


def majority_insertions(margin, order):
    """In each order, move each item up as long as swapping it with the item above lowers the cost.

    `margin[q, i, j]` is the extra cost of placing item i before item j instead of after it. A swap lowers the cost if
    this margin of the two items is negative. `order` has shape (n_queries, n), and `margin` has shape (n_queries, n,
    n). Returns the new orders.
    """
    (b, n), order, margin = order.shape, as_vi(order.ravel()), as_vf(np.ravel(margin))
    for first, last in blocks(np.arange(1, b + 1) * n**2):
        _orders.majority_insertions(first, last, n, margin, order)
    return np.asarray(order).reshape(b, n)


def draw_places(margin, order):
    """For each place of each order, return the first place of its tie group, as int64 of shape (n_queries, n).

    A tie group consists of neighbouring items whose margins against each other are all 0. `margin` has shape
    (n_queries, n, n).
    """
    (b, n), margin, order = order.shape, as_vf(np.ravel(margin)), as_vi(order.ravel())
    parts = blocks(np.arange(1, b + 1) * n**2)
    return np.concatenate([_orders.draw_places(*ends, n, margin, order) for ends in parts]).reshape(b, n)
