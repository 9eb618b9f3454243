"""Counts of the pairs of items that have the same order in two rankings, have opposite orders, or are tied.

Several groups of items, such as queries, are counted at once. A row is an item, and rows are sorted by group. Rows of a
group that are tied in a ranking form a class.
"""

from typing import NamedTuple

import numpy as np

from ..._arrays._ragged import starts_to_ptr, tie_starts
from ..._kernels import discordant_pairs


class KendallCounts(NamedTuple):
    """Counts of pairs of items within each group of items, such as a query, as five arrays of shape (n_groups,).

    `discordant` counts the pairs with opposite orders in two rankings, and `both` the pairs that are untied in both
    rankings. `first` and `second` count the pairs that are untied in the first and in the second ranking, respectively.
    `all` counts all pairs.
    """

    discordant: np.ndarray
    both: np.ndarray
    first: np.ndarray
    second: np.ndarray
    all: np.ndarray


def pair_counts(first, second):
    """Count the item pairs of two vectors of ranks; return the five counts of KendallCounts as floats.

    Both vectors have the shape (n_items,) and contain no NaN.
    """
    n = len(first)
    if n < 2:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    order = np.argsort(first, kind="stable")
    second = np.unique(second, return_inverse=True)[1][order]
    return tuple(float(count[0]) for count in count_pairs(np.array([0, n]), first[order], second))


def count_pairs(ptr, first, second):
    """Count the pairs of rows in each group, and return KendallCounts.

    A row is an item, and the rows of group g are ``ptr[g]`` to ``ptr[g + 1] - 1``. `first` and `second` contain a
    number for each row, which determines the place of the item in the first and in the second ranking. Rows of a group
    are tied if they have the same number. Rows must be sorted by group, then by `first`. In each group, the numbers in
    `second` must be 0, 1, 2 and so on.
    """
    tie_ptr = starts_to_ptr(tie_starts(ptr, first))
    discordant, both = discordant_pairs(ptr, np.repeat(tie_ptr[1:], np.diff(tie_ptr)), second)
    n = np.diff(ptr)
    pairs = n * (n - 1) / 2
    ties = [sum_over_ties(ptr, one, lambda t: t * (t - 1) / 2) for one in (class_numbers(ptr, first), second)]
    return KendallCounts(discordant, both, pairs - ties[0], pairs - ties[1], pairs)


def class_numbers(ptr, ordered):
    """Number the sets of tied rows in each group from 0, and return for each row the number of its set.

    The rows of group g are ``ptr[g]`` to ``ptr[g + 1] - 1``. `ordered` contains a value for each row; rows of a group
    with equal values are tied. Rows must be sorted by group, then by value.
    """
    number = np.cumsum(tie_starts(ptr, ordered))
    return number - np.repeat(number[ptr[:-1]], np.diff(ptr))


def sum_over_ties(ptr, dense, value):
    """For each group of rows, sum ``value(size)`` over its sets of tied rows; `size` is the number of rows in a set.

    The rows of group g are ``ptr[g]`` to ``ptr[g + 1] - 1``. `dense` contains, for each row, the number of its set,
    counted from 0 in each group. Groups must not be empty.
    """
    size = np.bincount(dense + np.repeat(ptr[:-1], np.diff(ptr)), minlength=ptr[-1]).astype(np.float64)
    return np.add.reduceat(value(size), ptr[:-1])
