"""Sums of what the rows of the lists give their candidates."""

import numpy as np

from ..._arrays._ragged import sparse_rows

__all__ = ["smallest_size", "sum_rows", "sum_rows_again", "weigh_rows"]


def weigh_rows(lists, value):
    """What each row gives its candidate, times the weight of its list."""
    weight = lists.row_weight
    return value if weight is None else value * weight


def sum_rows(lists, value):
    """Add up what each row gives its candidate, times the weight of its list: (n_rows,) to (n_candidates,)."""
    return np.bincount(lists.candidate, weights=weigh_rows(lists, value), minlength=lists.n_candidates)


def sum_rows_again(lists, value):
    """As :func:`sum_rows` under other weights each time: a function of the list weights, (n_lists,).

    Only the weights change from one call to the next, so the sum is a product with a matrix that stays; it adds in the
    order of the rows, too.
    """
    values = sparse_rows(lists.row_ptr, lists.candidate, value, lists.n_candidates).T
    return lambda weight: values @ weight


def smallest_size(value):
    """The smallest absolute value that is not 0; 1 where there is none."""
    size = np.abs(value)
    return size[size > 0].min(initial=1.0)
