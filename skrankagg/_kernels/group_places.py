"""Places of the members of groups."""

import numpy as np

from . import _group_places
from .loading import VF, as_vf, as_vi, blocks


def mean_places(ptr, value, order, tolerance):
    """Place the members of groups by descending value, neighbours within the tolerance at their mean place.

    Groups are given by `ptr` (n_groups + 1,). `order` (n_members,) contains the members of each group in any order; the
    closer it is to the order by `value` (n_members,), the faster the sorting. The tolerance is multiplied by the
    largest finite absolute value in the group. Returns the places, from 1, float64 (n_members,), and the members in
    order, int64; both are read-only. A group of n members in reverse order costs O(n^2).
    """
    order, place = as_vi(order), VF(np.zeros(len(value)))
    arrays = as_vi(ptr), as_vf(value), order, tolerance, place
    for first, last in blocks(np.cumsum(np.diff(ptr) ** 2.0)):
        _group_places.mean_places(first, last, *arrays)
    return np.asarray(place), np.asarray(order)
