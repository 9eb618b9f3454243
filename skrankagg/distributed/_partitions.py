"""Base class of engines, which store rows in partitions and apply functions to the rows of whole queries."""

from abc import ABC, abstractmethod
from collections import Counter

import numpy as np
import pandas as pd

from .._data._titles import query_ids
from ..exceptions import InputError
from ._work import FindQueries, HashQueries

#: Columns of lists, runs and judgements; other columns are not read.
COLUMNS = ("query", "voter", "item", "rank", "score", "weight", "duel", "relevance")


class Partitions(ABC):
    """Rows of a data frame that an engine, such as Dask, stores in partitions.

    Parameters
    ----------
    data : object
        Data frame of the engine, such as a Dask data frame.
    partitioned : bool
        Whether the caller states that each partition contains whole queries. If False, the engine collects the rows of
        each query.
    """

    def __init__(self, data, partitioned):
        missing = [name for name in ("query", "item") if name not in self._names(data)]
        if missing:
            raise InputError(
                f"A frame in partitions must have the columns 'query' and 'item'; {' and '.join(map(repr, missing))} "
                f"{'is' if len(missing) == 1 else 'are'} missing from {', '.join(map(repr, self._names(data)))}. "
                "Rename the columns first."
            )
        ids = query_ids(self._names(data))
        if ids:
            raise InputError(
                f"A frame in partitions must have one column of query ids; it has 'query' and {ids[0]!r}. Drop the "
                f"text of the queries and rename {ids[0]!r} to 'query', or drop {ids[0]!r}."
            )
        self.data, self.partitioned = data, partitioned

    @property
    def names(self):
        """List the names of the columns."""
        return list(self._names(self.data))

    @property
    def used(self):
        """List the names of the columns that are read; other columns of the frame are ignored."""
        return [name for name in self.names if name in COLUMNS]

    @staticmethod
    def _names(data):
        """List the names of the columns of an engine's frame."""
        return list(data.columns)

    @abstractmethod
    def map(self, work, types):
        """Apply `work` to each group of whole queries, lazily if possible; return the results as a frame of the engine.

        `work` converts a frame or an Arrow table to a frame. ``types(known)`` returns the types of the columns of the
        new frame; `known` contains the engine's types of the input columns.
        """

    @abstractmethod
    def gather(self, work):
        """Apply `work` to each group of whole queries immediately, and return the list of results."""

    @abstractmethod
    def gather_pairs(self, work, other):
        """Apply `work` to each group of whole queries, and return the list of results.

        `work` takes two arguments: the rows of these queries in this frame, and their rows in `other`.
        """

    @abstractmethod
    def rows_of(self, queries):
        """Return all rows of the given queries as a pandas frame."""


def check_whole(partitions):
    """Raise InputError if a query is split across partitions, although the caller set ``partitioned=True``."""
    if partitions.partitioned:
        refuse_torn(partitions, partitions.gather(HashQueries()))


def refuse_torn(partitions, hashes):
    """Raise InputError if several partitions contain rows of one query.

    For each partition, `hashes` contains the hashes of the partition's queries. If the engine has collected the rows of
    each query, nothing is checked.
    """
    torn = find_torn(hashes) if partitions.partitioned else ()
    if not len(torn):
        return
    # Two queries may have the same hash, so their ids are compared.
    found = Counter(query for part in partitions.gather(FindQueries(torn)) for query in part)
    torn = [query for query, count in found.items() if count > 1]
    if torn:
        raise InputError(
            "With partitioned=True, all rows of a query must be in the same partition; the rows of "
            f"{len(torn)} {'query' if len(torn) == 1 else 'queries'}, such as {torn[0]!r}, are in several partitions. "
            "Leave out partitioned=True; the engine then collects the rows of each query."
        )


def find_torn(hashes):
    """Return the distinct values that occur in more than one of the arrays in `hashes`.

    Each array contains distinct hashes of the query ids of one partition.
    """
    together = np.sort(np.concatenate([*hashes, np.empty(0, dtype=np.uint64)]))
    return pd.unique(together[1:][together[1:] == together[:-1]])
