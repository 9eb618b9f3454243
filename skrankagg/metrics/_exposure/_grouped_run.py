"""Runs whose items belong to groups, with sums over the items of each group in each query."""

from collections.abc import Mapping

import numpy as np

from ..._arrays._ragged import expand, positions, starts_to_ptr
from ..._data._frames import plain_index
from ..._data._ranked_lists import check_run
from .._relevance._inputs import is_nested, is_plain


class GroupedRun:
    """Places of the items of a run, and the group of each item.

    A *cell* is a group with at least one item in the ranking of a query. Rows are the items of all rankings, query by
    query, best first. Cells are sorted by query, then by group.

    Parameters
    ----------
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        Rows of query q are ``ptr[q]`` to ``ptr[q + 1] - 1``.
    group : ndarray of shape (n_rows,), dtype=int
        Group of each row's item, or -1 if the item has no group.
    """

    def __init__(self, ptr, group):
        self.ptr = ptr
        self.n_queries = len(ptr) - 1
        self.place = positions(ptr)
        #: Rows whose item has a group. All further arrays of rows contain only these rows.
        self.rows = np.flatnonzero(group >= 0)
        self.query = expand(ptr)[self.rows].astype(np.int64)
        width = int(group.max(initial=-1)) + 1
        cells, cell = np.unique(self.query * max(width, 1) + group[self.rows], return_inverse=True)
        self.cell = cell.reshape(-1)
        self.cell_query, self.cell_group = np.divmod(cells, max(width, 1))
        self.size = np.bincount(self.cell, minlength=len(cells))
        self.n_grouped = np.bincount(self.query, minlength=self.n_queries)

    @property
    def grouped_place(self):
        """Return the place of each item with a group among all items of its query, counted from 1."""
        return self.place[self.rows]

    def sum_by_cell(self, values):
        """Sum `values` over the items of each cell; a cell is a group in one query.

        `values` has a number for each item that has a group.
        """
        return np.bincount(self.cell, weights=values, minlength=len(self.size))

    def spread(self, values):
        """Return the largest minus the smallest value among the groups of each query; NaN if there are no groups."""
        low, high = self._extremes(values)
        return high - low

    def ratio(self, values):
        """Divide the smallest value among the groups of each query by the largest value.

        The result is NaN for a query without groups, or if all values of the query are 0.
        """
        low, high = self._extremes(values)
        return np.divide(low, high, out=np.full(self.n_queries, np.nan), where=high > 0)

    def lowest(self, values):
        """Return the smallest value among the groups of each query; NaN for a query without groups."""
        return self._extremes(values)[0]

    def highest(self, values):
        """Return the largest value among the groups of each query; NaN for a query without groups."""
        return self._extremes(values)[1]

    def _extremes(self, values):
        low, high = np.full(self.n_queries, np.nan), np.full(self.n_queries, np.nan)
        if len(values):
            heads = starts_to_ptr(np.diff(self.cell_query, prepend=-1) != 0)[:-1]
            low[self.cell_query[heads]] = np.minimum.reduceat(values, heads)
            high[self.cell_query[heads]] = np.maximum.reduceat(values, heads)
        return low, high


def read_run(run):
    """Encode a run; a list of items is the ranking of one query, and a list of lists has a ranking for each query."""
    if is_plain(run) and not isinstance(run, Mapping):
        run = dict(enumerate(run if is_nested(run) else [run]))
    elif isinstance(run, Mapping) and run and not is_nested(run):
        run = {0: run}
    return check_run(run)


def group_run(run, groups):
    """Look up the group of each item of an encoded run, and return a :class:`GroupedRun`.

    The queries keep the order of the run.
    """
    group = groups.of_candidates(run)[run.candidate]
    return GroupedRun(run.row_ptr[run.list_ptr], group)


def query_ids(run):
    """Return the ids of the queries of an encoded run as an index named `query`."""
    return plain_index(run.queries).rename("query")
