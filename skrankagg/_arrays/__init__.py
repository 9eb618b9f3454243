"""Pure functions on arrays: ragged groups, pairwise preferences, distances and normalisations of lists.

`COMPILED` is True if the kernels are compiled.
"""

from .._kernels.loading import COMPILED as COMPILED

#: Differences up to this share of the largest value, or of the total weight, count as rounding and are ignored.
TOLERANCE = 1e-12
