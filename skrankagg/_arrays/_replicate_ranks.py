"""Places of members within their groups by score, for many replicates at once; each replicate is a column of scores.

>>> import numpy as np
>>> from skrankagg._arrays._replicate_ranks import places_of_replicates
>>> first, last = places_of_replicates(np.array([0, 3]), np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 2.0]]))
>>> first
array([[1, 3],
       [2, 1],
       [3, 1]], dtype=int32)
>>> last
array([[1, 3],
       [2, 2],
       [3, 2]], dtype=int32)
"""

from itertools import pairwise

import numpy as np

from . import TOLERANCE

# Number of cells sorted in one call; more cells would not fit into the cache.
_CELLS = 1 << 18


def places_of_replicates(ptr, score, scale=None):
    """Return the places of the members of each group in each replicate.

    Members are, for example, the items of a query. A replicate is a column of `score`, which has shape (n_members,
    n_replicates). A member's place follows from its score; the highest score has place 1.

    `ptr`, of shape (n_groups + 1,), delimits the groups, which must not be empty. Each column of `score` is treated
    separately. Neighbours tie if they differ by at most the tolerance times the largest finite absolute score in their
    group and column. If the scores are sums whose terms cancel, rounding errors may be larger than this tolerance. To
    make the tolerance larger, pass `scale`, an array of shape (n_groups,). If an entry of `scale` is larger than the
    largest absolute score of its group, the entry is used instead.

    Tied members form a class. Returns the first and the last place of each member's class, counted from 1, as two int32
    arrays of the same shape as the scores. If no scores tie, both results are the same array. If a group contains NaN
    in a column, all its members have first and last place 0 in this column.
    """
    first = np.empty(score.shape, dtype=np.int32)
    last = None
    for group, (start, stop) in enumerate(pairwise(ptr)):
        some = max(1, _CELLS // (stop - start))
        for column in range(0, score.shape[1], some):
            own = slice(start, stop), slice(column, column + some)
            high, low = _place(score[own], 0.0 if scale is None else scale[group])
            first[own] = high.T
            if low is not high:
                if last is None:
                    last = first.copy() if column == 0 and start == 0 else _with(first, ptr, group, column)
                last[own] = low.T
            elif last is not None:
                last[own] = high.T
    return first, first if last is None else last


def _with(first, ptr, group, column):
    """Create an array like `first`, and copy the cells of `first` that come before a given column of a given group.

    These are all cells of earlier groups, and the cells of this group in earlier columns. The remaining cells are not
    initialized; the caller fills them.
    """
    last = np.empty_like(first)
    last[: ptr[group]] = first[: ptr[group]]
    own = slice(ptr[group], ptr[group + 1])
    last[own, :column] = first[own, :column]
    return last


def _place(score, scale):
    value = -np.ascontiguousarray(score.T)
    n_columns, n = value.shape
    order = value.argsort(axis=1)
    order += np.arange(0, value.size, n)[:, None]
    value = value.ravel()[order]
    ends = np.abs(value[:, [0, -1]])
    if not np.isfinite(ends).all():
        known = np.where(np.isfinite(value), np.abs(value), 0.0)
        ends = known.max(axis=1, keepdims=True)
    tolerance = TOLERANCE * np.maximum(ends.max(axis=1, keepdims=True), scale)
    with np.errstate(invalid="ignore"):  # equal infinite values have the difference NaN
        apart = (value[:, 1:] - value[:, :-1]) > tolerance
    places = np.empty(value.size, dtype=np.int32)
    places[order] = np.arange(1, n + 1, dtype=np.int32)
    places = places.reshape(n_columns, n)
    tied = np.flatnonzero(~apart.all(axis=1))
    unknown = np.isnan(value[:, -1])  # NaN is sorted last
    if not len(tied):
        return places, places
    # The first and the last place of each class, in sorted order.
    place = np.arange(1, n + 1, dtype=np.int32)
    begin = np.ones((len(tied), n), dtype=bool)
    begin[:, 1:] = apart[tied]
    high = np.maximum.accumulate(np.where(begin, place, 1), axis=1)
    end = np.ones((len(tied), n), dtype=bool)
    end[:, :-1] = apart[tied]
    low = np.minimum.accumulate(np.where(end, place, n)[:, ::-1], axis=1)[:, ::-1]
    member = order[tied] - tied[:, None] * n
    firsts, lasts = places, places.copy()
    firsts[tied[:, None], member] = high
    lasts[tied[:, None], member] = low
    firsts[unknown] = lasts[unknown] = 0
    return firsts, lasts
