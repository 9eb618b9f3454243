"""Cheapest orders by dynamic programming over subsets."""

import numpy as np

from . import _subsets
from .loading import as_vf, as_vi, blocks


def cheapest_buckets(before, level, most, n_steps):
    """Find the cheapest orders with ties that cost up to `most`, and among them the most ties.

    `before` and `level`, (n, n), are the costs of the row before the column and of a tie, whole numbers of at least 0.
    It is faster if the items run from the last of a cheap order to its first. Returns the least cost; the number of
    ways to reach it, 2 for several, or -1 if `n_steps` are too few to tell; and the most ties at this cost. Then come
    the number of ways to reach the most ties, 2 for several, and an order of the least cost and the most ties. It is
    given as the bucket of each item, from 0 for the best.
    """
    n = len(before)
    arrays = as_vf(np.ravel(before)), as_vf(np.ravel(level))
    *found, place = _subsets.cheapest_buckets(n, *arrays, most, n_steps)
    place = np.asarray(place)
    return *found, place.max() - place


def cheapest_orders(size, margin, most):
    """Find the least costs of orders of few items by margins, whole numbers, and the number of ways, 2 for several.

    `margin` contains the matrices of `size` rows, one after the other, and `most` the costs of known orders; both are
    flat arrays. If majorities contradict each other much, the time grows with 2 to the power of the size.
    """
    start = np.cumsum(size * size) - size * size
    arrays = *map(as_vi, (size, start)), *map(as_vf, (margin, most))
    parts = blocks(np.cumsum(2.0**size * size**2))
    found = [_subsets.cheapest_orders(*ends, 1 << int(size[slice(*ends)].max()), *arrays) for ends in parts]
    cost, ways = zip(*found, strict=True) if found else (((),), ((),))
    return np.concatenate(cost), np.concatenate(ways)
