"""Joint distribution of order statistics."""

import numpy as np

from . import _joint, loading
from .loading import VF, VI, as_vf, as_vi, blocks


def log_joint_probability(ptr, x, n):
    """Compute the log probability that each of n sorted uniform numbers is at most the value at the same position.

    The values of item ``i`` are ``x[ptr[i]:ptr[i + 1]]``. They are ascending and from 1e-100 to 1. `n`, of shape
    (n_items,), contains the number of uniform numbers of each item. If an item has fewer values in `x`, its missing
    last values are 1. Returns natural logarithms as float64 of shape (n_items,). They are at most 0, up to rounding.
    """
    widest = int(np.max(n, initial=0))
    # Space for the probabilities of a Poisson number with mean `widest`, which may be slightly larger than its mean.
    chances = widest + int(16 * widest**0.5) + 64
    out = VF(np.zeros(len(n)))
    arrays = as_vi(ptr), as_vf(x), as_vi(n), VF(np.zeros(widest + 1)), VF(np.zeros(chances))
    arrays = *arrays, VI(np.zeros(widest + 2, dtype=np.int64)), VI(np.zeros(3, dtype=np.int64))
    # Each value needs about 20 steps for each count within ten standard deviations of the mean.
    steps = 20 * np.minimum(n, 10 * np.sqrt(n))
    for first, last in blocks(np.cumsum(np.diff(ptr) * steps)):
        n_values = max(1, int(loading.BLOCK / steps[first])) if last == first + 1 else widest
        place, log_q = 0, 0.0
        while True:
            place, log_q = _joint.log_joint_probability(first, last, *arrays, place, log_q, n_values, out)
            if place == 0:
                break
    return np.asarray(out)
