"""Places of the members of groups by their values: independent of rounding, and for repeated calls."""

import numpy as np

from .._kernels import mean_places
from . import TOLERANCE
from ._ragged import expand, group_order, mid_ranks

# Groups of up to this many members are sorted by insertion.
_SMALL = 64


def class_starts(value, start, scale, tolerance=TOLERANCE):
    """Mark where a new class of equal values starts in descending values: bool of shape (n_members,).

    A class begins at each start, and where a gap is wider than the tolerance times the scale, (n_members,).
    """
    starts = start.copy()
    with np.errstate(invalid="ignore"):  # infinity minus infinity: equal, not apart
        starts[1:] |= (value[:-1] - value[1:] > tolerance * scale[1:]) & (value[:-1] != value[1:])
    return starts


def places_again(ptr, tolerance=TOLERANCE):
    """Make a function that places the members of groups by values, (n_members,), that change from call to call.

    It returns their places, from 1 for the highest value, float64 of shape (n_members,), perhaps read-only. Neighbours
    tie if they differ by at most the tolerance times the largest finite size of a value in the group; they share their
    mean place. Groups are given by `ptr`; every group has a member. Small groups are sorted starting from their order
    in the last call, which takes one pass if the order stays the same.

    >>> import numpy as np
    >>> from skrankagg._arrays._places import places_again
    >>> places = places_again(np.array([0, 3, 5]))
    >>> places(np.array([2.0, 5.0, 2.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5, 2.0, 1.0]
    """
    if np.diff(ptr).max() > _SMALL:
        return lambda value: _places(ptr, value, tolerance)
    order = np.arange(ptr[-1])

    def places(value):
        nonlocal order
        place, order = mean_places(ptr, value, order, tolerance)
        return place

    return places


def _places(ptr, value, tolerance):
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
    return place
