"""Running sums within segments."""

import numpy as np

from . import _running_sums
from .loading import as_vf, as_vi


def ragged_cumsum(value, ptr):
    """Compute running totals within consecutive segments.

    Segment ``s`` is ``value[ptr[s]:ptr[s + 1]]``. The entry i of the result is the sum of the values from the start of
    its segment up to and including i. Returns read-only float64 of shape (n,).
    """
    return np.asarray(_running_sums.ragged_cumsum(as_vf(value), as_vi(ptr)))
