"""Tukey's smoother 3RS3R: running medians of three values, and a split of the peaks and valleys that remain."""

import numpy as np


def smooth_3rs3r(values):
    """Smooth each row of a matrix by repeated running medians of three values.

    Peaks and valleys of two equal values are then split, because running medians do not remove them. After this split,
    the running medians are repeated.

    The method, including the rule for the ends, is from J. W. Tukey, "Exploratory Data Analysis", 1977, chapter 7. Rows
    of fewer than three columns are returned unchanged.

    >>> import numpy as np
    >>> from skrankagg.aggregators._gene_lists._tukey import smooth_3rs3r
    >>> smooth_3rs3r(np.array([[4.0, 1, 3, 6, 6, 4, 1, 6, 2, 4, 2]]))
    array([[3., 3., 3., 3., 4., 4., 4., 4., 2., 2., 2.]])
    """
    return repeat_medians(split_flats(repeat_medians(values)))


def repeat_medians(values):
    """Take running medians of three values along the rows until nothing changes, and then adjust the two ends."""
    smooth = values.copy()
    if smooth.shape[1] < 3:
        return smooth
    moved = True
    while moved:
        median = _median(smooth[:, :-2], smooth[:, 1:-1], smooth[:, 2:])
        moved = (median != smooth[:, 1:-1]).any()
        smooth[:, 1:-1] = median
    # The new value of an end is the median of three values: the old value, the neighbour's value, and the line through
    # the next two values, extended to one place beyond the end.
    for end, first, second in ((0, 1, 2), (-1, -2, -3)):
        smooth[:, end] = _median(smooth[:, end], smooth[:, first], _extrapolate(smooth[:, first], smooth[:, second]))
    return smooth


def split_flats(values):
    """Smooth peaks and valleys that consist of two equal columns, because running medians do not remove them.

    The row is split between the two columns. Each of the two columns is then smoothed as the end of its part.
    """
    split = values.copy()
    if values.shape[1] < 6:
        return split
    # Columns 2, 3, ..., where a flat may begin: two columns remain on each side.
    before, left, right, after = (values[:, k : values.shape[1] - 5 + k] for k in (1, 2, 3, 4))
    peak, valley = (before < left) & (after < left), (before > left) & (after > left)
    row, column = np.nonzero((left == right) & (peak | valley))
    column += 2
    for half, step in ((column, -1), (column + 1, 1)):
        near, far = values[row, half + step], values[row, half + 2 * step]
        split[row, half] = _median(values[row, half], near, _extrapolate(near, far))
    return split


def _median(one, two, three):
    return np.maximum(np.minimum(one, two), np.minimum(np.maximum(one, two), three))


def _extrapolate(near, far):
    return 3 * near - 2 * far
