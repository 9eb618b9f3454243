"""Relevant rows of ranked lists; most measures need only these rows."""

from functools import cached_property

import numpy as np

from ..._arrays._ragged import expand, positions


class RelevantRows:
    """The relevant rows of several ranked lists, with their places.

    Parameters
    ----------
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The list of query ``q`` consists of the rows ``ptr[q]`` to ``ptr[q + 1] - 1``.
    relevant : ndarray of shape (n_rows,), dtype=bool
        Mask of the relevant rows.

    Attributes
    ----------
    rows : ndarray of shape (n_relevant,), dtype=int64
        Relevant rows in ascending order.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The relevant rows of query ``q`` are ``rows[ptr[q]:ptr[q + 1]]``.
    query : ndarray of shape (n_relevant,), dtype=int32
        Query of each relevant row.
    place : ndarray of shape (n_relevant,), dtype=int64
        Place of each relevant row in its list, counted from 1.
    """

    def __init__(self, ptr, relevant):
        (self.rows,) = relevant.nonzero()
        self.ptr = self.rows.searchsorted(ptr)
        self.query = expand(self.ptr)
        self.place = self.rows - ptr[self.query] + 1

    @cached_property
    def number(self):
        """Return the number of each relevant row among the relevant rows of its list, counted from 1."""
        return positions(self.ptr)

    @cached_property
    def precision(self):
        """Return the precision at the place of each relevant row."""
        return self.number / self.place

    @cached_property
    def best_precision(self):
        """Return, for each relevant row, the highest precision at this row or at a relevant row below it."""
        best = self.precision.copy()
        step, longest = 1, int(np.diff(self.ptr).max(initial=0))
        while step < longest:  # after each step, twice as many rows below each row are considered
            below = np.where(self.query[step:] == self.query[:-step], best[step:], 0.0)
            best[:-step] = np.maximum(best[:-step], below)
            step *= 2
        return best

    def total(self, value, k=None):
        """For each list, sum the values of the relevant rows among the first `k` rows.

        `k` may be an array with a number for each query.
        """
        query = self.query
        if k is not None:
            near = self.place <= (k[query] if np.ndim(k) else k)
            query, value = query[near], value[near]
        return np.bincount(query, weights=value, minlength=len(self.ptr) - 1).astype(np.float64, copy=False)

    def count(self, k=None):
        """For each list, count the relevant rows among the first `k`, as a float64 array of shape (n_queries,)."""
        if k is None:
            return (self.ptr[1:] - self.ptr[:-1]).astype(np.float64)
        near = self.place <= k
        return np.bincount(self.query[near], minlength=len(self.ptr) - 1).astype(np.float64)

    def count_above(self, mask):
        """For each relevant row, count the rows selected by `mask` that are above it in its list.

        `mask` must not select relevant rows. The result has the shape (n_relevant,).
        """
        total = np.concatenate([[0], np.cumsum(mask)])
        return total[self.rows] - total[self.rows - self.place + 1]
