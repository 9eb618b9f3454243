"""Numbering of the distinct integer codes of groups by lookup tables, a fast alternative to sorting.

The table of a group has a cell for each code from the group's lowest to its highest code. Tables are several times
faster than sorting if the codes of each group and of each list are close together. This is so if there are few items,
or if the items were sorted query by query.
"""

import numpy as np

# Largest number of cells of all tables, as a multiple of the number of rows.
_CELLS_PER_ROW = 16

# Largest number of cells of a table, and usual number of rows in one step.
_CELLS, _ROWS = 1 << 20, 1 << 16


def number_by_table(ptr, code, parts):
    """Number the distinct codes of each group consecutively, by looking codes up in tables.

    The codes of a group get ascending numbers, and each group continues the numbering of the previous group.

    The arguments and the result are the same as for :func:`~skrankagg._arrays._ragged.number_codes`. The array `parts`
    divides each group into parts, such as a query into its lists. The table of a group or part has a cell for each code
    from its lowest to its highest code. Returns None if a part repeats a code, or if the tables would be too large.

    >>> import numpy as np
    >>> from skrankagg._arrays._code_tables import number_by_table
    >>> ptr, code = np.array([0, 3, 5]), np.array([4, 2, 4, 0, 1], dtype=np.int32)
    >>> number_by_table(ptr, code, np.array([0, 2, 3, 5]))
    (array([1, 0, 1, 2, 3], dtype=int32), array([0, 2, 4]), array([2, 4, 0, 1], dtype=int32))
    """
    most = _CELLS_PER_ROW * len(code)
    low, high = np.minimum.reduceat(code, parts[:-1]), np.maximum.reduceat(code, parts[:-1])
    shift, cell_ptr = _lay_out(low, high)
    if cell_ptr[-1] > most:
        return None
    first = np.searchsorted(parts, ptr[:-1])
    of_groups = _lay_out(np.minimum.reduceat(low, first), np.maximum.reduceat(high, first))
    if of_groups[1][-1] > most or np.diff(of_groups[1]).max() > _CELLS:
        return None
    for begin, end in _blocks(parts, cell_ptr):
        present = _mark(parts[begin : end + 1], code, shift[begin:end], cell_ptr[begin : end + 1])
        if np.count_nonzero(present) < parts[end] - parts[begin]:
            return None
    shift, cell_ptr = of_groups
    number, new_ptr = np.empty(len(code), dtype=np.int32), np.zeros(len(ptr), dtype=np.int64)
    found, n_found = [], 0
    for begin, end in _blocks(ptr, cell_ptr):
        block = ptr[begin : end + 1], code, shift[begin:end], cell_ptr[begin : end + 1]
        used = np.flatnonzero(_mark(*block))
        table = np.empty(cell_ptr[end] - cell_ptr[begin], dtype=np.int32)
        table[used] = np.arange(n_found, n_found + len(used), dtype=np.int32)
        for rows, cell in _steps(*block):
            np.take(table, cell, out=number[rows], mode="clip")
        used += cell_ptr[begin]
        used_ptr = np.searchsorted(used, cell_ptr[begin : end + 1])
        new_ptr[begin : end + 1] = n_found + used_ptr
        found.append((used - np.repeat(shift[begin:end], np.diff(used_ptr))).astype(np.int32))
        n_found += len(used)
    return number, new_ptr, np.concatenate(found)


def _lay_out(low, high):
    """Lay out a table with a cell for each code of several ranges, one range after the other.

    A range contains all codes from its entry in `low` to its entry in `high`.

    Returns, for each range, the number that must be added to a code to get its cell. Also returns the pointer array
    that delimits the cells of the ranges.
    """
    ptr = np.zeros(len(low) + 1, dtype=np.int64)
    np.cumsum(high.astype(np.int64) - low + 1, out=ptr[1:])
    return ptr[:-1] - low, ptr


def _blocks(ptr, cell_ptr):
    """Divide groups of codes into blocks of neighbours; yield the first group of each block, and the group after it.

    `ptr` delimits the codes of each group, and `cell_ptr` delimits the cells of its table (see the module docstring).

    A block has at most `_CELLS` cells and `_ROWS` rows, unless a single group has more; such a group is a block of its
    own.
    """
    begin = 0
    while begin < len(ptr) - 1:
        most = np.searchsorted(cell_ptr, cell_ptr[begin] + _CELLS, side="right")
        end = max(begin + 1, int(min(most, np.searchsorted(ptr, ptr[begin] + _ROWS, side="right"))) - 1)
        yield begin, end
        begin = end


def _steps(ptr, code, shift, cell_ptr):
    """Divide the codes of a block into slices; yield each slice, and the cell of each code in the tables of the block.

    A block consists of neighbouring groups (see :func:`_blocks`), and each group has a table (see the module
    docstring).

    Cells are counted from the first cell of the block.
    """
    shift = shift - cell_ptr[0]
    for start in range(ptr[0], ptr[-1], _ROWS):
        rows = slice(start, min(start + _ROWS, int(ptr[-1])))
        cell = np.repeat(shift, np.diff(np.clip(ptr, rows.start, rows.stop)))
        cell += code[rows]
        yield rows, cell


def _mark(ptr, code, shift, cell_ptr):
    """Return a mask that is True for each table cell whose code occurs in its group.

    The arguments describe a block of neighbouring groups, see :func:`_blocks`.
    """
    present = np.zeros(cell_ptr[-1] - cell_ptr[0], dtype=bool)
    for _, cell in _steps(ptr, code, shift, cell_ptr):
        present[cell] = True
    return present
