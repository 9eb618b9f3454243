"""Division of Arrow tables into chunks of whole queries."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def whole_queries(tables, *, n_rows=None, n_queries=None):
    """Join tables in which the rows of a query are consecutive, and divide the rows into chunks of whole queries.

    Parameters
    ----------
    tables : iterable of pyarrow.Table
        Tables in their order, each with a column `query`.
    n_rows, n_queries : int, default=None
        Smallest number of rows in a chunk (`n_rows`), or exact number of queries in a chunk (`n_queries`). Pass exactly
        one of the two. The last chunk contains the rows that are left and may be smaller.

    Yields
    ------
    pyarrow.Table
        A chunk, which shares the memory of the input tables.
    """
    held, n_held, n_begun, last = [], 0, 0, None
    for table in tables:
        if not len(table):
            continue
        heads, last = _heads(table.column("query"), last)
        if n_queries is not None:
            begun = n_begun + np.arange(len(heads))
            cuts = heads[(begun > 0) & (begun % n_queries == 0)]
            n_begun = (n_begun + len(heads) - 1) % n_queries + 1 if n_begun + len(heads) else 0
        else:
            cuts = _cuts_by_rows(heads, n_held, n_rows)
        start = 0
        for cut in cuts.tolist():
            yield pa.concat_tables([*held, table.slice(start, cut - start)])
            held, n_held, start = [], 0, cut
        held.append(table.slice(start))
        n_held += len(table) - start
    if held:
        yield pa.concat_tables(held)


def _heads(queries, last):
    """Return the positions of the rows that begin a new query, and the query of the last row.

    `queries` contains the query of each row. `last` is the query of the row before the first of these rows, or None.
    """
    if pa.types.is_dictionary(queries.type):
        queries = queries.cast(queries.type.value_type)
    changes = pc.fill_null(pc.not_equal(queries.slice(1), queries.slice(0, len(queries) - 1)), True)
    heads = np.flatnonzero(changes.to_numpy()) + 1
    if last is None or queries[0] != last:
        heads = np.concatenate([[0], heads])
    return heads, queries[-1]


def _cuts_by_rows(heads, n_held, n_rows):
    cuts, start = [], -n_held
    while True:
        k = np.searchsorted(heads, max(start + n_rows, 0 if n_held else 1))
        if k == len(heads):
            return np.array(cuts, dtype=np.int64)
        start = int(heads[k])
        cuts.append(start)


class HashSet:
    """Growing set of hashes, stored in a few sorted arrays.

    Each array is at least twice as long as the array that follows it.
    """

    def __init__(self):
        self._runs = []

    def add(self, hashes):
        """Add an array of uint64 hashes, and return the hashes that were already in the set."""
        hashes = np.unique(hashes)
        known = np.zeros(len(hashes), dtype=bool)
        for run in self._runs:
            known |= run[np.minimum(np.searchsorted(run, hashes), len(run) - 1)] == hashes
        new = hashes[~known]
        if len(new):
            self._runs.append(new)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            last = self._runs.pop()
            self._runs[-1] = np.sort(np.concatenate([self._runs[-1], last]))
        return hashes[known]
