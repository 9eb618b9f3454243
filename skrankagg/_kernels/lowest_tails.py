"""Smallest probabilities of robust rank aggregation, for many draws of the lists."""

import numpy as np

from . import _lowest_tails
from .loading import as_vf, as_vi


def lowest_tails(count, row_list, which, ptr, first_cell, table, n_distinct):
    """For each draw of lists, return the smallest log probability among the rows of each candidate.

    A draw is a sample of the lists, in which a list may occur several times. `count`, of shape (n_draws, n_lists),
    contains the number of copies of each list. Each row has a normalised rank x. The rows of each candidate are in
    ascending order of x, and `ptr`, of shape (n_candidates + 1,), delimits the rows. `row_list`, of shape (n_rows,),
    contains the list of each row. `which`, of the same shape, contains the position of the row's x among the
    `n_distinct` distinct values of x. Let k be the place of a row among the rows of its candidate, where copies are
    counted. The log probability of the row is ``table[first_cell + k * n_distinct + which]``. `first_cell` has the
    shape (n_draws,). The result has shape (n_draws, n_candidates), and its entries are at most 0.
    """
    found = _lowest_tails.lowest_tails(
        as_vi(count.ravel()),
        as_vi(row_list),
        as_vi(which),
        as_vi(ptr),
        as_vi(first_cell),
        as_vf(table),
        count.shape[1],
        n_distinct,
    )
    return np.asarray(found).reshape(len(first_cell), len(ptr) - 1)
