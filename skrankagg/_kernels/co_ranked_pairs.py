"""Preferences between items of the same list."""

import numpy as np

from . import _co_ranked
from .loading import VF, as_vf, as_vi, blocks


def co_ranked(row_ptr, item, rank, weight, list_matrix, n_items, n_matrices, *, ties=True):
    """Sum the preferences between items that occur in the same list, in one or many square matrices.

    `row_ptr`, of shape (n_lists + 1,), delimits the rows of the lists, best first. `item`, `rank` and `weight`, of
    shape (n_rows,), contain the item, the rank and the weight of each row. Items are numbered from 0 to
    ``n_items - 1``, and tied neighbours have equal ranks. `list_matrix`, of shape (n_lists,), contains the matrix to
    which each list is added. `ties` is False if no two rows of a list tie.

    Returns `above` and `level`, float64 of shape (n_matrices, n_items, n_items). ``above[:, i, j]`` is the total weight
    of the rows of item i in lists that rank item j above item i. ``level[:, i, j]`` is the total weight of the rows of
    item i in lists that tie the two items. An item ties with itself. The matrices may be read-only.
    """
    shape = n_matrices, n_items, n_items
    above, level = VF(np.zeros(n_matrices * n_items**2)), VF(np.zeros(n_matrices * n_items**2))
    base = list_matrix * (n_items * n_items)
    arrays = as_vi(row_ptr), as_vi(item), as_vf(rank), as_vf(weight), as_vi(base), n_items, ties, above, level
    length = np.diff(row_ptr)
    for first, last in blocks(np.cumsum(np.repeat(length, length), dtype=np.float64)):
        v = int(np.searchsorted(row_ptr, first, side="right")) - 1
        _co_ranked.co_ranked(first, last, v, *arrays)
    return np.asarray(above).reshape(shape), np.asarray(level).reshape(shape)
