"""Search for the cheapest orders by dynamic programming over subsets of items."""

import numpy as np

from . import _subsets
from .loading import as_vf, as_vi, blocks


def cheapest_buckets(before, level, most, n_steps):
    """Find the cheapest orders with ties, and among them the orders with the most ties.

    Orders that cost more than `most` are ignored. `before` contains the cost of placing the row's item before the
    column's item, and `level` the cost of a tie. Both have shape (n, n) and contain integers of at least 0. The search
    is faster if the items are numbered from the last item of a cheap order to its first item.

    Returns five values. The first is the least cost. The second is the number of orders with this cost, where 2 means
    two or more. The second value is -1 if `n_steps` steps are too few to decide. The third is the largest number of
    ties at this cost. The fourth is the number of orders with this cost and this number of ties, where 2 means two or
    more. The fifth is one of these orders. It contains the bucket of each item, and bucket 0 is the best.
    """
    n = len(before)
    arrays = as_vf(np.ravel(before)), as_vf(np.ravel(level))
    *found, place = _subsets.cheapest_buckets(n, *arrays, most, n_steps)
    place = np.asarray(place)
    return *found, place.max() - place


def cheapest_orders(size, margin, most):
    """For each matrix of integer margins, find the least cost of an order, and the number of orders with this cost.

    The number 2 means two or more orders. `size` contains the number of items of each matrix. `margin` contains the
    matrices one after the other, and `most` contains the costs of known orders; both are flat arrays. If majorities
    often contradict each other, the time grows with 2 to the power of the size.
    """
    start = np.cumsum(size * size) - size * size
    arrays = *map(as_vi, (size, start)), *map(as_vf, (margin, most))
    parts = blocks(np.cumsum(2.0**size * size**2))
    found = [_subsets.cheapest_orders(*ends, 1 << int(size[slice(*ends)].max()), *arrays) for ends in parts]
    cost, ways = zip(*found, strict=True) if found else (((),), ((),))
    return np.concatenate(cost), np.concatenate(ways)
