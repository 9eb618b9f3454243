"""Preferences between items of the same list."""

import numpy as np

from . import _co_ranked
from .loading import VF, as_vf, as_vi, blocks


def co_ranked(row_ptr, item, rank, weight, list_matrix, n_items, n_matrices, *, ties=True):
    """Sum the preferences between items that occur in the same list, in one square matrix or many.

    `row_ptr` (n_lists + 1,) gives the rows of the lists, best first. Of each row, (n_rows,), `item` is the item, from 0
    to ``n_items - 1``, `rank` its rank, equal for tied neighbours, and `weight` its weight. `list_matrix` (n_lists,) is
    the matrix that a list adds to, and `ties` is False if no two rows of a list tie. Returns `above` and `level`,
    float64 (n_matrices, n_items, n_items). Row i and column j contain the total weight of the rows of i in lists that
    rank j above i, and in lists that rank both alike. An item and itself count as alike. The matrices may be read-only.
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
