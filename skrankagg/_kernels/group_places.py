"""Ranking of the members of groups by value."""

import numpy as np

from . import _group_places
from .loading import VF, as_vf, as_vi, blocks


def mean_places(ptr, value, order, tolerance):
    """Rank the members of each group by descending value; neighbours within the tolerance share their mean place.

    `ptr`, of shape (n_groups + 1,), delimits the groups. `value`, of shape (n_members,), contains the values. `order`,
    of the same shape, contains the members of each group in any order. Sorting is fast if this order is close to the
    order by value. The tolerance is multiplied by the largest finite absolute value in the group. Returns two read-only
    arrays of shape (n_members,). The first contains the places, counted from 1, as float64. The second contains the
    members sorted by value, as int64. If `order` is the reverse order, a group of n members takes O(n^2) time.
    """
    order, place = as_vi(order), VF(np.zeros(len(value)))
    arrays = as_vi(ptr), as_vf(value), order, tolerance, place
    for first, last in blocks(np.cumsum(np.diff(ptr) ** 2.0)):
        _group_places.mean_places(first, last, *arrays)
    return np.asarray(place), np.asarray(order)
