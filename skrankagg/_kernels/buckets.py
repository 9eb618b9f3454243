"""Search for cheap orders with ties by moving single items."""

import numpy as np

from . import _buckets, loading
from .loading import VI, as_vf, as_vi


def bucket_descent(before, tied, bucket, tolerance=0.0, *, until=None):
    """Move single items of an order with ties as long as a move lowers the cost by more than a tolerance.

    The items of a bucket are tied. `before` contains the cost of placing the row's item before the column's item, and
    `tied` contains the cost of a tie. Both have shape (n, n). `bucket`, of shape (n,), contains the bucket of each
    item, numbered from 0 without gaps. ``until()`` is called repeatedly; if it returns True, the search stops early.
    Returns the new bucket of each item, as read-only int64. A complete search ends when no move of an item to another
    bucket or to a new bucket lowers the cost by more than the tolerance. A pass takes O(n^2) time.
    """
    n, bucket, before, tied = len(bucket), as_vi(bucket), as_vf(np.ravel(before)), as_vf(np.ravel(tied))
    at = VI(np.zeros(2, dtype=np.int64))
    while at[1] < n and not (until is not None and until()):
        _buckets.descend(before, tied, bucket, n, tolerance, at, max(1, loading.BLOCK // (10 * n)))
    return np.asarray(bucket)
