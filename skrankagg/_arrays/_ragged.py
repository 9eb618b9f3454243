"""Functions that sort and slice rows stored in groups.

Groups of different sizes are stored as a flat array and a pointer array: group ``g`` is ``rows[ptr[g]:ptr[g + 1]]``.
All sorting of the library happens here and uses two tricks. First, several small integer codes and the row number share
one 64-bit integer. NumPy's ``sort`` of these integers is several times faster than ``argsort``. Second, if the number
of codes is not much larger than the number of rows, a counting sort is used. SciPy uses the same method to convert
between sparse matrix formats.

>>> import numpy as np
>>> from skrankagg._arrays._ragged import group_order
>>> group_order(np.array([1, 0, 1, 0]), np.array([0.5, 0.9, 0.1, 0.2]))
array([3, 1, 2, 0])
"""

from math import prod

import numpy as np
from scipy.sparse import coo_array, csr_array

from ._code_tables import number_by_table

#: Number of rows in a step of a long pass: the extra memory of a step is then a fraction of the result.
_CHUNK = 1 << 18

# With at most this number of rows, comparing is faster than counting.
_FEW = 10_000

# Up to this number of rows, a product takes less time with bincount than with SciPy's sparse matrices.
_FEW_PRODUCTS = 1_000

# Groups with more rows are sorted all at once, which needs less memory than counting.
_MOST_IN_A_BLOCK = 1 << 20


def _n_bits(size):
    return max(int(size) - 1, 1).bit_length()


def _chunks(n_rows):
    return (slice(start, start + _CHUNK) for start in range(0, n_rows, _CHUNK))


def is_whole(value):
    """Return True if all numbers of an array are integers."""
    flat = value.reshape(-1)
    return all((np.trunc(flat[part]) == flat[part]).all() for part in _chunks(len(flat)))


def _sort_packed(packed, row_bits, ptr=None):
    """Shift each integer of `packed` left by `row_bits` bits, add its row number, and sort these integers in place.

    If the pointer array `ptr` is given, integers are sorted only within its ranges.
    """
    for rows in _chunks(len(packed)):
        packed[rows] <<= row_bits
        packed[rows] |= np.arange(rows.start, min(rows.stop, len(packed)))
    if ptr is None:
        packed.sort()
    else:
        _sort_ranges(packed, ptr)


def _sort_ranges(packed, ptr):
    """Sort each range of the integers `packed` separately, in place; range ``k`` is ``packed[ptr[k]:ptr[k + 1]]``.

    A batch of several ranges is sorted as the rows of a table. This is several times faster than sorting one array. If
    the table would be mostly empty, the batch is sorted as one array.
    """
    first, n_ranges = 0, len(ptr) - 1
    while first < n_ranges:
        last = max(first + 1, int(np.searchsorted(ptr, ptr[first] + _CHUNK, side="right")) - 1)
        part, sizes = packed[ptr[first] : ptr[last]], np.diff(ptr[first : last + 1])
        n_cells = len(sizes) * int(sizes.max())
        if n_cells > 2 * len(part):
            part.sort()
        elif n_cells == len(part):
            part.reshape(len(sizes), -1).sort(axis=1)
        else:
            table = np.full((len(sizes), int(sizes.max())), np.iinfo(np.int64).max)
            held = np.arange(table.shape[1]) < sizes[:, None]
            table[held] = part
            table.sort(axis=1)
            part[:] = table[held]
        first = last


def _key_starts(packed, shift):
    """Return a mask of the integers that begin a new key; the key of an integer lacks its lowest `shift` bits."""
    start = np.ones(len(packed), dtype=bool)
    for rows in _chunks(len(packed) - 1):
        key = packed[rows.start : rows.stop + 1] >> shift
        np.not_equal(key[1:], key[:-1], out=start[rows.start + 1 : rows.stop + 1])
    return start


def sort_codes(codes, sizes):
    """Sort rows by several non-negative integer codes, the most important code first; equal rows keep their order.

    Each code is an array of shape (n_rows,), and its values are below the corresponding entry of `sizes`. `codes` may
    be an iterator that creates the codes one by one, so that they are never all in memory.

    Returns the row numbers in sorted order, as int64 of shape (n_rows,), and one mask for each code, as bool of shape
    (n_rows,). The mask marks, in sorted order, each row that differs from the previous row in this code or an earlier
    code.
    """
    codes = iter(codes)
    bits = [_n_bits(size) for size in sizes]
    first = next(codes)
    n_rows = len(first)
    row_bits = _n_bits(n_rows)
    if sum(bits) + row_bits > 63:
        return _sort_wide_codes([first, *codes])
    packed = first.astype(np.int64)
    for code, n_bits in zip(codes, bits[1:], strict=True):
        packed <<= n_bits
        packed |= code
    _sort_packed(packed, row_bits)
    starts = [_key_starts(packed, row_bits + sum(bits[k + 1 :])) for k in range(len(bits))]
    packed &= (1 << row_bits) - 1
    return packed, starts


def _sort_wide_codes(codes):
    order = np.lexsort(codes[::-1])
    starts, start = [], np.zeros(len(order), dtype=bool)
    start[:1] = True
    for code in codes:
        code = code[order]
        start = start.copy()
        start[1:] |= code[1:] != code[:-1]
        starts.append(start)
    return order, starts


def count_codes(codes, sizes):
    """Count the rows with equal combinations of several non-negative integer codes.

    Each code is an array of shape (n_rows,), and its values are below the corresponding entry of `sizes`. Returns two
    values. The first is a list with an int64 array for each code; the entries k of all arrays together form combination
    k. Combinations are sorted by the first code, then by the second code, and so on. The second value contains the
    number of rows with each combination, as int64.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import count_codes
    >>> count_codes([np.array([1, 0, 1]), np.array([2, 5, 2])], [2, 6])
    ([array([0, 1]), array([5, 2])], array([1, 2]))
    """
    n_cells = prod(map(int, sizes))
    if n_cells > 2**62:
        order, starts = _sort_wide_codes(codes)
        heads = np.flatnonzero(starts[-1])
        count = np.diff(np.append(heads, len(order)))
        return [code[order[heads]].astype(np.int64) for code in codes], count
    key = codes[0].astype(np.int64)
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        if size > 1:  # otherwise the codes are 0
            key *= size
            key += code
    if n_cells <= len(key):
        count = np.bincount(key, minlength=n_cells)
        found = np.flatnonzero(count)
        count = count[found]
    else:
        key.sort()
        heads = np.flatnonzero(np.append(True, key[1:] != key[:-1])[: len(key)])
        found, count = key[heads], np.diff(np.append(heads, len(key)))
    combinations = []
    for size in sizes[:0:-1]:
        found, code = np.divmod(found, size)
        combinations.append(code)
    return [found, *combinations[::-1]], count


def number_codes(ptr, code, n_codes, parts):
    """Number the distinct codes of each group consecutively.

    The codes of a group get ascending numbers, and each group continues the numbering of the previous group.

    Group ``g`` is ``code[ptr[g]:ptr[g + 1]]`` and is not empty. Codes are int32 and below `n_codes`. The pointer array
    `parts` includes all of `ptr` and divides each group into parts, such as a query into its lists. A part contains
    each code at most once.

    Returns three arrays. The first contains the number of each row's code, as int32 of shape (n_rows,). The second is a
    pointer array that delimits the numbers of each group. The third contains the code that belongs to each number, as
    int32. Returns None if a part repeats a code, or if sorting would need less time or less memory than this function.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import number_codes
    >>> ptr, code = np.array([0, 3, 5]), np.array([4, 2, 4, 0, 1], dtype=np.int32)
    >>> number_codes(ptr, code, 5, np.array([0, 2, 3, 5]))
    (array([1, 0, 1, 2, 3], dtype=int32), array([0, 2, 4]), array([2, 4, 0, 1], dtype=int32))
    """
    by_table = number_by_table(ptr, code, parts)
    if by_table is not None:
        return by_table
    n_rows = len(code)
    if n_rows <= _FEW or np.diff(ptr).max() > _MOST_IN_A_BLOCK:
        return None
    # Groups are processed in blocks for locality; each block passes over all codes once.
    block = max(_CHUNK, n_codes // 2)
    number, new_ptr = np.empty(n_rows, dtype=np.int32), np.zeros(len(ptr), dtype=np.int64)
    found, n_found, first = [], 0, 0
    while first < len(ptr) - 1:
        last = max(first + 1, int(np.searchsorted(ptr, ptr[first] + block, side="right")) - 1)
        begin, end = ptr[first], ptr[last]
        heads = (ptr[first : last + 1] - begin).astype(np.int32)
        rows = np.arange(end - begin, dtype=np.int32)
        by_code = csr_array((rows, code[begin:end], heads), shape=(last - first, n_codes)).tocsc().tocsr()
        rows, ordered = by_code.data, by_code.indices
        start = np.ones(len(rows), dtype=bool)
        np.not_equal(ordered[1:], ordered[:-1], out=start[1:])
        start[heads[:-1]] = True
        within = slice(*np.searchsorted(parts, [begin, end]))
        part = expand(np.append(parts[within], end))[rows]
        if ((part[1:] == part[:-1]) & ~start[1:]).any():
            return None
        numbers = np.cumsum(start, dtype=np.int32)
        numbers += n_found - 1
        number[begin:end][rows] = numbers
        new_ptr[first:last] = numbers[heads[:-1]]
        found.append(ordered[start])
        n_found += len(found[-1])
        first = last
    new_ptr[-1] = n_found
    return number, new_ptr, np.concatenate(found)


def group_order(group, value):
    """Return the row numbers sorted by group, then by ascending value, as int64; equal rows keep their order.

    Group numbers must be non-negative, and values must not be NaN. Integers are sorted unchanged. Other values are
    first scaled to integers, so that group, value and row number fit into 64 bits. Different values can become equal
    integers; rows with equal integers are then sorted again by their original values.
    """
    n_rows = len(group)
    if n_rows < _FEW:  # the passes below would cost more time than they save
        return np.lexsort((value, group))
    group_bits, row_bits = _n_bits(group.max() + 1), _n_bits(n_rows)
    left = 63 - group_bits - row_bits
    low, high = value.min(), value.max()
    if left < 8 or not (np.isfinite(low) and np.isfinite(high)):
        return np.lexsort((value, group))
    low, high = low.item(), high.item()
    # Differences of integers are exact in floating point up to 2 ** 53.
    whole = high - low < 2 ** min(left, 53) and (value.dtype.kind == "i" or is_whole(value))
    n_values = int(high) - int(low) + 1
    if whole and n_values <= n_rows and group.dtype == np.int32 and group.max() < n_rows:
        return _count_into_place(group, value, int(low), n_values)
    value_bits = _n_bits(n_values) if whole else min(left, 40)
    # Halves of the range cannot overflow; the factor keeps the highest value below 2 ** value_bits after rounding.
    span = high / 2 - low / 2
    scale = 2.0**value_bits * (1 - 1e-9) / span if span > 1e-290 else 0.0
    packed = group.astype(np.int64)
    packed <<= value_bits
    for rows in _chunks(n_rows):
        above = value[rows] - low if whole else (value[rows] / 2 - low / 2) * scale
        packed[rows] |= above.astype(np.int64)
    in_order = (group[1:] >= group[:-1]).all()
    _sort_packed(packed, row_bits, starts_to_ptr(np.append(True, group[1:] != group[:-1])) if in_order else None)
    start = None if whole else _key_starts(packed, row_bits)
    packed &= (1 << row_bits) - 1
    if start is not None and not start.all():
        ptr = starts_to_ptr(start)
        rows, run_ptr = gather_ranges(ptr, np.flatnonzero(np.diff(ptr) > 1))
        chosen, run = packed[rows], expand(run_ptr)
        ordered = value[chosen]
        falls = (ordered[1:] < ordered[:-1]) & (run[1:] == run[:-1])
        if falls.any():
            packed[rows] = chosen[np.lexsort((ordered, run))]
    return packed


def _count_into_place(group, value, low, n_values):
    """Return the result of :func:`group_order`, computed by a counting sort.

    Values are integers from `low` to ``low + n_values - 1``.
    """
    place = np.empty(len(group), dtype=np.int32)
    for rows in _chunks(len(group)):
        np.subtract(value[rows], low, out=place[rows], casting="unsafe")
    rows = np.arange(len(group), dtype=np.int32)
    cells = coo_array((rows, (place, group)), shape=(n_values, int(group.max()) + 1))
    cells.has_canonical_format = True  # rows with equal group and value stay separate
    del place, rows
    return cells.tocsr().tocsc().data.astype(np.int64)


def tie_starts(ptr, value):
    """Return a mask of shape (n_rows,): True for each row that starts a new group of equal values.

    The values are sorted within each range. Range ``k`` contains the rows ``ptr[k]`` to ``ptr[k + 1] - 1`` and may be
    empty. The first row of a range always starts a new group.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import tie_starts
    >>> tie_starts(np.array([0, 3, 5]), np.array([1.0, 2.0, 2.0, 2.0, 3.0]))
    array([ True,  True, False,  True,  True])
    """
    start = np.ones(len(value), dtype=bool)
    start[1:] = value[1:] != value[:-1]
    start[ptr[:-1][np.diff(ptr) > 0]] = True
    return start


def starts_to_ptr(start):
    """Convert a mask of group starts to a pointer array of shape (n_groups + 1,); the first row must be a start."""
    return np.append(np.flatnonzero(start), len(start))


def expand(ptr):
    """Return the group number of each row, as int32 of shape (n_rows,), from the pointer array of the groups."""
    return np.arange(len(ptr) - 1, dtype=np.int32).repeat(ptr[1:] - ptr[:-1])


def positions(ptr):
    """Return the position of each row within its group, counted from 1, as int64 of shape (n_rows,)."""
    position = np.arange(1, ptr[-1] + 1)
    position -= ptr[:-1].astype(np.int32).repeat(ptr[1:] - ptr[:-1])
    return position


def group_medians(group, value, n_groups):
    """Return the median of each group's values, as float64 of shape (n_groups,); a group without values gets NaN.

    `group` and `value` have shape (n_values,), in any order. Values must not be NaN.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import group_medians
    >>> group_medians(np.array([2, 0, 0, 2, 2]), np.array([5.0, 1.0, 2.0, 7.0, 6.0]), 3)
    array([1.5, nan, 6. ])
    """
    order = group_order(group, value)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n_groups))])
    some = np.flatnonzero(np.diff(ptr))
    low, high = (ptr[some] + ptr[some + 1] - 1) // 2, (ptr[some] + ptr[some + 1]) // 2
    medians = np.full(n_groups, np.nan)
    medians[some] = value[order[low]] / 2 + value[order[high]] / 2
    return medians


def gather_ranges(ptr, groups):
    """Return the row numbers of the selected `groups`, and a pointer array that delimits the groups in the result."""
    sizes = np.diff(ptr)[groups]
    new_ptr = np.concatenate([[0], np.cumsum(sizes)])
    rows = np.arange(new_ptr[-1]) + np.repeat(ptr[:-1][groups] - new_ptr[:-1], sizes)
    return rows, new_ptr


def mid_ranks(row_ptr, tie_start):
    """Return each row's rank in its list, counted from 1; tied rows share their mean position.

    The ranks are float64 of shape (n_rows,). Rows are sorted best first. ``tie_start`` marks the rows that start a new
    group of ties, including the first row of every list.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import mid_ranks
    >>> mid_ranks(np.array([0, 4]), np.array([True, True, False, True]))
    array([1. , 2.5, 2.5, 4. ])
    """
    rank = positions(row_ptr).astype(np.float64)
    if not tie_start.all():
        ptr = starts_to_ptr(tie_start)
        size = np.diff(ptr)
        rank = np.repeat(rank[ptr[:-1]] + (size - 1) / 2, size)
    return rank


def dense_ranks(ptr, value):
    """Number the distinct values of each group from 0, smallest first; return int64 of shape (n_rows,).

    No group may be empty.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import dense_ranks
    >>> dense_ranks(np.array([0, 3, 5]), np.array([9.0, 2.0, 9.0, 1.0, 0.0]))
    array([1, 0, 1, 1, 0])
    """
    order = group_order(expand(ptr), value)
    ordered = value[order]
    step = np.zeros(len(value), dtype=np.int64)
    step[1:] = ordered[1:] != ordered[:-1]
    step[ptr[:-1]] = 0
    number = np.cumsum(step)
    dense = np.empty(len(value), dtype=np.int64)
    dense[order] = number - np.repeat(number[ptr[:-1]], np.diff(ptr))
    return dense


def sparse_rows(ptr, column, value, n_columns):
    """Return a sparse matrix of shape (n_groups, n_columns), in which row g contains the values of group g.

    Group ``g`` has the values ``value[ptr[g]:ptr[g + 1]]`` in the columns ``column[ptr[g]:ptr[g + 1]]``.
    """
    return csr_array((value, column, ptr), shape=(len(ptr) - 1, n_columns))


def row_products(ptr, column, value, n_columns):
    """Return a function that multiplies the matrix of :func:`sparse_rows` by a vector, for many calls.

    The function turns a vector of shape (n_columns,) into a vector of shape (n_groups,). It adds the products of a
    group in the order of the rows.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import row_products
    >>> product = row_products(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]), 2)
    >>> product(np.array([5.0, 7.0])).tolist()
    [19.0, 21.0]
    """
    if len(value) > _FEW_PRODUCTS:
        return sparse_rows(ptr, column, value, n_columns).__matmul__
    group, n_groups = expand(ptr), len(ptr) - 1
    return lambda vector: np.bincount(group, value * vector[column], n_groups)


def column_products(ptr, column, value, n_columns):
    """Return a function that multiplies the transpose of :func:`sparse_rows` by a vector or matrix, for many calls.

    The function turns a vector of shape (n_groups,) into a vector of shape (n_columns,). It turns a matrix of shape
    (n_groups, n_replicates) into a matrix of shape (n_columns, n_replicates). It adds the products of a column in the
    order of the rows.

    >>> import numpy as np
    >>> from skrankagg._arrays._ragged import column_products
    >>> product = column_products(np.array([0, 2, 3]), np.array([0, 1, 1]), np.array([1.0, 2.0, 3.0]), 2)
    >>> product(np.array([5.0, 7.0])).tolist()
    [5.0, 31.0]
    """
    if len(value) > _FEW_PRODUCTS:
        return sparse_rows(ptr, column, value, n_columns).T.__matmul__
    group, table = expand(ptr), None

    def product(factor):
        nonlocal table
        if factor.ndim == 1:
            return np.bincount(column, value * factor[group], n_columns)
        if table is None:
            table = sparse_rows(ptr, column, value, n_columns).T
        return table @ factor

    return product
