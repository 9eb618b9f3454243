"""Local search over orders with ties."""

import numpy as np

from . import _buckets, loading
from .loading import VI, as_vf, as_vi


def bucket_descent(before, tied, bucket, tolerance=0.0, *, until=None):
    """Move items between the buckets of an order with ties while that lowers the cost by more than a tolerance.

    `before` and `tied`, (n, n), are the costs of the row before the column and of a tie; `bucket`, (n,), rises from 0
    without gaps. ``until()`` is called now and then and returns True to stop early. Returns buckets of the same form,
    int64 and read-only: no single item can move to another bucket, or into its own, for less. A pass is O(n^2).
    """
    n, bucket, before, tied = len(bucket), as_vi(bucket), as_vf(np.ravel(before)), as_vf(np.ravel(tied))
    at = VI(np.zeros(2, dtype=np.int64))
    while at[1] < n and not (until is not None and until()):
        _buckets.descend(before, tied, bucket, n, tolerance, at, max(1, loading.BLOCK // (10 * n)))
    return np.asarray(bucket)
