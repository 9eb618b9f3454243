"""Ranking of the members of groups by value."""

import numpy as np

from . import _group_places
from .loading import VF, as_vf, as_vi, blocks


def mean_places(ptr, tolerance):
    """Return a function that ranks the members of each group by descending value, for many calls.

    `ptr`, of shape (n_groups + 1,), delimits the groups. Neighbours within the tolerance share their mean place. The
    tolerance is multiplied by the largest finite absolute value in the group.

    The returned function has the arguments `value` and `order`. `value`, of shape (n_members,), contains the values.
    `order`, of the same shape, contains the members of each group in any order. Sorting is fast if this order is close
    to the order by value. The results are two read-only arrays of shape (n_members,). The first contains the places,
    counted from 1, as float64. The second contains the members sorted by value, as int64. If `order` is the reverse
    order, a group of n members takes O(n^2) time.
    """
    parts, ptr = list(blocks(np.cumsum(np.diff(ptr) ** 2.0))), as_vi(ptr)

    def places(value, order):
        order, place = as_vi(order), VF(np.zeros(len(value)))
        value = as_vf(value)
        for first, last in parts:
            _group_places.mean_places(first, last, ptr, value, order, tolerance, place)
        return np.asarray(place), np.asarray(order)

    return places
