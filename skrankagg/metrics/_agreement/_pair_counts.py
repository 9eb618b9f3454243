"""Counts of item pairs that two orders put in the same or in opposite orders, or tie."""

from typing import NamedTuple

import numpy as np

from ..._arrays._ragged import starts_to_ptr, tie_starts
from ..._kernels import discordant_pairs


class KendallCounts(NamedTuple):
    """Five counts of item pairs for each group, each of shape (n_groups,).

    They count discordant pairs, pairs ordered by both orders, pairs ordered by the first order, pairs ordered by the
    second order, and all pairs.
    """

    discordant: np.ndarray
    both: np.ndarray
    first: np.ndarray
    second: np.ndarray
    all: np.ndarray


def pair_counts(first, second):
    """Count pairs in two complete vectors of ranks, of shape (n_items,); return five numbers as in KendallCounts."""
    n = len(first)
    if n < 2:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    order = np.argsort(first, kind="stable")
    second = np.unique(second, return_inverse=True)[1][order]
    return tuple(float(count[0]) for count in count_pairs(np.array([0, n]), first[order], second))


def count_pairs(ptr, first, second):
    """Count pairs of rows in each group, and return KendallCounts.

    `first` and `second` contain the classes of the rows in two orders. Rows are sorted by group and by `first`. In
    `second`, the classes of each group are numbered from 0.
    """
    tie_ptr = starts_to_ptr(tie_starts(ptr, first))
    discordant, both = discordant_pairs(ptr, np.repeat(tie_ptr[1:], np.diff(tie_ptr)), second)
    n = np.diff(ptr)
    pairs = n * (n - 1) / 2
    ties = [sum_over_ties(ptr, one, lambda t: t * (t - 1) / 2) for one in (class_numbers(ptr, first), second)]
    return KendallCounts(discordant, both, pairs - ties[0], pairs - ties[1], pairs)


def class_numbers(ptr, ordered):
    """For each row, return the number of its class within its group, counted from 0; rows are sorted by class."""
    number = np.cumsum(tie_starts(ptr, ordered))
    return number - np.repeat(number[ptr[:-1]], np.diff(ptr))


def sum_over_ties(ptr, dense, value):
    """For each group, apply the function `value` to the size of each class, and return the sum.

    In `dense`, the classes of each group are numbered from 0. Groups must not be empty.
    """
    size = np.bincount(dense + np.repeat(ptr[:-1], np.diff(ptr)), minlength=ptr[-1]).astype(np.float64)
    return np.add.reduceat(value(size), ptr[:-1])
