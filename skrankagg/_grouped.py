"""Sorting and slicing of rows that come in groups: pure functions on arrays.

Everything ragged in the library is a flat array and a pointer array: group ``g`` is ``rows[ptr[g]:ptr[g + 1]]``. What
has to be sorted is sorted here, once for all callers, by one trick: several small integer codes and the row number
share one 64-bit integer, which NumPy sorts several times faster than it finds an order.

>>> import numpy as np
>>> group_order(np.array([1, 0, 1, 0]), np.array([0.5, 0.9, 0.1, 0.2]))
array([3, 1, 2, 0])
"""

import numpy as np

__all__ = ["expand", "gather_ranges", "group_order", "mid_ranks", "positions", "sort_codes", "starts_to_ptr"]


def _n_bits(size):
    return max(int(size) - 1, 1).bit_length()


def sort_codes(codes, sizes):
    """Sort rows by several integer codes, the first one first, equal rows in their old order.

    Parameters
    ----------
    codes : list of ndarray of shape (n_rows,), dtype=int
        Non-negative codes.
    sizes : list of int
        For each code, a number that all its values are below.

    Returns
    -------
    order : ndarray of shape (n_rows,), dtype=int64
        Row numbers in sorted order.
    starts : list of ndarray of shape (n_rows,), dtype=bool
        For each code, where in sorted order a new group of equal values of this code and those before it starts.
    """
    n_rows = len(codes[0])
    row_bits = _n_bits(n_rows)
    bits = [_n_bits(size) for size in sizes]
    if sum(bits) + row_bits > 63:
        order = np.lexsort(codes[::-1])
        starts, start = [], np.zeros(n_rows, dtype=bool)
        start[:1] = True
        for code in codes:
            code = code[order]
            start = start.copy()
            start[1:] |= code[1:] != code[:-1]
            starts.append(start)
        return order, starts
    packed = codes[0].astype(np.int64)
    for code, n_bits in zip(codes[1:], bits[1:], strict=True):
        packed <<= n_bits
        packed |= code
    packed <<= row_bits
    packed |= np.arange(n_rows)
    packed.sort()
    starts = []
    for k in range(len(codes)):
        shifted = packed >> (row_bits + sum(bits[k + 1 :]))
        start = np.ones(n_rows, dtype=bool)
        np.not_equal(shifted[1:], shifted[:-1], out=start[1:])
        starts.append(start)
    packed &= (1 << row_bits) - 1
    return packed, starts


def group_order(group, value):
    """Order rows by group, then by ascending value, equal rows in their old order.

    Parameters
    ----------
    group : ndarray of shape (n_rows,), dtype=int
        Non-negative group of each row.
    value : ndarray of shape (n_rows,), dtype=float64
        Finite or infinite, not NaN.

    Returns
    -------
    ndarray of shape (n_rows,), dtype=int64
        Row numbers in sorted order.
    """
    n_rows = len(group)
    if n_rows == 0:
        return np.zeros(0, dtype=np.int64)
    n_groups = int(group.max()) + 1
    low, high = value.min(), value.max()
    if low >= 0 and high < 2**31:
        code = value.astype(np.int64)
        if np.array_equal(code, value):
            return sort_codes([group, code], [n_groups, int(high) + 1])[0]
    by_value = np.argsort(value, kind="stable")
    by_group, _ = sort_codes([group[by_value]], [n_groups])
    return by_value[by_group]


def starts_to_ptr(start):
    """Turn the marks of group starts into a pointer array.

    Parameters
    ----------
    start : ndarray of shape (n_rows,), dtype=bool
        True where a group starts; the first row does.

    Returns
    -------
    ndarray of shape (n_groups + 1,), dtype=int64
        Where each group starts, and the number of rows.
    """
    return np.append(np.flatnonzero(start), len(start))


def expand(ptr):
    """Number of the group of each row.

    Parameters
    ----------
    ptr : ndarray of shape (n_groups + 1,), dtype=int

    Returns
    -------
    ndarray of shape (n_rows,), dtype=int32
    """
    return np.repeat(np.arange(len(ptr) - 1, dtype=np.int32), np.diff(ptr))


def positions(ptr):
    """Position of each row within its group, from 1.

    Parameters
    ----------
    ptr : ndarray of shape (n_groups + 1,), dtype=int

    Returns
    -------
    ndarray of shape (n_rows,), dtype=int64
    """
    return np.arange(1, ptr[-1] + 1) - np.repeat(ptr[:-1], np.diff(ptr))


def gather_ranges(ptr, groups):
    """Row numbers of some groups, one group after the other.

    Parameters
    ----------
    ptr : ndarray of shape (n_groups + 1,), dtype=int
    groups : ndarray of shape (n_chosen,), dtype=int

    Returns
    -------
    rows : ndarray of shape (n_chosen_rows,), dtype=int64
    new_ptr : ndarray of shape (n_chosen + 1,), dtype=int64
        Pointer array over ``rows``.
    """
    sizes = np.diff(ptr)[groups]
    new_ptr = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.arange(new_ptr[-1]) + np.repeat(ptr[:-1][groups] - new_ptr[:-1], sizes)
    return rows, new_ptr


def mid_ranks(row_ptr, tie_start):
    """Mean position of each group of ties within its list.

    Parameters
    ----------
    row_ptr : ndarray of shape (n_lists + 1,), dtype=int
        Lists, sorted best first.
    tie_start : ndarray of shape (n_rows,), dtype=bool
        Where a new group of tied rows starts; every list starts one.

    Returns
    -------
    ndarray of shape (n_rows,), dtype=float64
        From 1 on; tied rows share the mean of the positions that they occupy.

    Examples
    --------
    >>> import numpy as np
    >>> mid_ranks(np.array([0, 4]), np.array([True, True, False, True]))
    array([1. , 2.5, 2.5, 4. ])
    """
    rank = positions(row_ptr).astype(np.float64)
    if not tie_start.all():
        ptr = starts_to_ptr(tie_start)
        size = np.diff(ptr)
        rank = np.repeat(rank[ptr[:-1]] + (size - 1) / 2, size)
    return rank
