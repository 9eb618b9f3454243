"""Sums of what the rows of the lists give their candidates, and what the lists give all items."""

import numpy as np

from ..._arrays._ragged import sparse_rows


def weigh_rows(lists, value):
    """What each row gives its candidate, times the weight of its list."""
    weight = lists.row_weight
    return value if weight is None else value * weight


def sum_rows(lists, value, given=None):
    """Add up what each row gives its candidate, times the weight of its list: (n_rows,) to (n_candidates,).

    `given` (n_lists,) is what each list gives all items of its query, held or not, before its weight; None for nothing.
    """
    total = np.bincount(lists.candidate, weights=weigh_rows(lists, value), minlength=lists.n_candidates)
    if given is not None:
        total += lists.sum_over_lists(given * lists.list_weight)[lists.candidate_query]
    return total


def sum_sizes(lists, value, given=None):
    """As :func:`sum_rows`, of absolute values: rounding is of this size where terms of both signs may cancel."""
    return sum_rows(lists, np.abs(value), None if given is None else np.abs(given))


def sum_rows_again(lists, value, given=None):
    """As :func:`sum_rows` under other weights each time: a function of the list weights, (n_lists,).

    It takes the weights of many replicates as columns, too, (n_lists, n_replicates), and sums each to the same bits.
    Only the weights change from one call to the next, so the sum is a product with a matrix that stays; it adds in the
    order of the rows, too.
    """
    values = sparse_rows(lists.row_ptr, lists.candidate, value, lists.n_candidates).T
    if given is None:
        return lambda weight: values @ weight

    def total(weight):
        score = values @ weight
        score += lists.sum_over_lists(times(given, weight))[lists.candidate_query]
        return score

    return total


def times(value, weight):
    """A number of each list, (n_lists,), times its weight or its weights, (n_lists,) or (n_lists, n_replicates)."""
    return (value * weight.T).T


def smallest_size(value):
    """The smallest absolute value that is not 0; 1 where there is none."""
    size = np.abs(value)
    return size[size > 0].min(initial=1.0)
