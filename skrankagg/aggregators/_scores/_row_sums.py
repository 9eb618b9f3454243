"""Weighted sums over the rows of the lists."""

import numpy as np

from ..._arrays._ragged import column_products


def weigh_rows(lists, value):
    """Multiply the value of each row by the weight of its list."""
    weight = lists.row_weight
    return value if weight is None else value * weight


def sum_rows(lists, value, given=None):
    """Add up, for each candidate, the values of its rows, multiplied by the weights of their lists.

    `given` contains one value for each list. The list adds this value, times its weight, to all items of its query.
    None means 0.
    """
    total = np.bincount(lists.candidate, weights=weigh_rows(lists, value), minlength=lists.n_candidates)
    if given is not None:
        total += lists.sum_over_lists(given * lists.list_weight)[lists.candidate_query]
    return total


def sum_sizes(lists, value, given=None):
    """Compute the same sums as :func:`sum_rows`, but with the absolute value of each term.

    If positive and negative terms may cancel, the rounding errors are estimated from these sums.
    """
    return sum_rows(lists, np.abs(value), None if given is None else np.abs(given))


def sum_rows_again(lists, value, given=None):
    """Return a function that computes :func:`sum_rows` from list weights of shape (n_lists,).

    The function also accepts an array of shape (n_lists, n_replicates), in which each column contains other list
    weights. Each result is bitwise equal to the result of a separate call of :func:`sum_rows`, because the terms are
    added in the same order.
    """
    held = column_products(lists.row_ptr, lists.candidate, value, lists.n_candidates)
    if given is None:
        return held

    def total(weight):
        score = held(weight)
        score += lists.sum_over_lists(times(given, weight))[lists.candidate_query]
        return score

    return total


def times(value, weight):
    """Multiply the value of each list by its weights.

    `weight` has shape (n_lists,) or (n_lists, n_replicates); the result has the same shape.
    """
    return (value * weight.T).T


def smallest_size(value):
    """Return the smallest absolute value that is not 0, or 1 if no such value is below 1."""
    size = np.abs(value)
    return size[size > 0].min(initial=1.0)
