"""Running sums within segments of an array."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def ragged_cumsum(value_in: object, ptr_in: object) -> vec[float]:
    # Each segment starts at 0. A difference of two running totals over all segments would include the rounding errors
    # of earlier segments.
    value = cast(vec[float], value_in)
    ptr = cast(vec[i64], ptr_in)
    total = vec[float]([0.0] * len(value))
    n_segments: i64 = len(ptr) - 1
    for s in range(n_segments):
        running = 0.0
        for p in range(ptr[s], ptr[s + 1]):
            running += value[p]
            total[p] = running
    return total
