"""Places (ranks) of members within their groups, by descending value; values that differ only by rounding tie."""

import numpy as np

from .._kernels import mean_places
from . import TOLERANCE
from ._ragged import expand, group_order, mid_ranks

# Groups with at most this number of members are sorted by insertion.
_SMALL = 64
# Larger groups are sorted by insertion if at most one in three neighbours is out of order since the last call.
_NEARLY = 3
# Groups with more members are always sorted from scratch, because an insertion may move far.
_LARGE = 1024


def class_starts(value, start, scale, tolerance=TOLERANCE):
    """Return a mask that is True for each value that starts a new class of equal values.

    The values of several groups stand one after the other, in descending order within each group.

    A class begins at each value that the mask `start` marks. A class also begins where the difference from the previous
    value is larger than the tolerance times the value's entry in `scale`. This entry is, for example, the largest
    absolute value of the group. All arrays have shape (n_values,).
    """
    starts = start.copy()
    with np.errstate(invalid="ignore"):  # equal infinite values have the difference NaN
        starts[1:] |= (value[:-1] - value[1:] > tolerance * scale[1:]) & (value[:-1] != value[1:])
    return starts


def places_again(ptr, tolerance=TOLERANCE):
    """Return a function that ranks the members of each group by their values, and returns the place of each member.

    Members are, for example, the items of a query. The returned function is meant for many calls with changing values.
    The values are an array of shape (n_members,). The places are float64 of the same shape and may be read-only. The
    highest value of a group has place 1. Neighbours tie if they differ by at most the tolerance times the largest
    finite absolute value in the group. Tied neighbours share their mean place. `ptr` delimits the groups; every group
    has at least one member. If no group is very large, sorting starts from the order of the last call, so an unchanged
    order needs only one pass.

    >>> import numpy as np
    >>> from skrankagg._arrays._places import places_again
    >>> places = places_again(np.array([0, 3, 5]))
    >>> places(np.array([2.0, 5.0, 2.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5, 2.0, 1.0]
    """
    largest = np.diff(ptr).max()
    if largest > max(_SMALL, _LARGE):
        return lambda value: _places(ptr, value, tolerance)[0]
    order, insert = np.arange(ptr[-1]), mean_places(ptr, tolerance)
    inside = None if largest <= _SMALL else np.diff(expand(ptr)) == 0

    def places(value):
        nonlocal order
        if inside is not None:
            ordered = value[order]
            n_falls = np.count_nonzero((ordered[1:] > ordered[:-1]) & inside)
            if n_falls * _NEARLY > len(value):
                place, order = _places(ptr, value, tolerance)
                return place
        place, order = insert(value, order)
        return place

    return places


def _places(ptr, value, tolerance):
    """Sort the members of each group by value, without the order of an earlier call.

    Returns the place of each member, and the positions of the members in sorted order: group by group, best first.
    """
    group = expand(ptr)
    order = group_order(group, -value)
    ordered = value[order]
    size = np.abs(ordered)
    size[np.isinf(size)] = 0.0
    heads = ptr[:-1]
    start = np.zeros(len(value), dtype=bool)
    start[heads] = True
    place = np.empty(len(value))
    scale = np.maximum.reduceat(size, heads)[group]
    place[order] = mid_ranks(ptr, class_starts(ordered, start, scale, tolerance))
    return place, order
