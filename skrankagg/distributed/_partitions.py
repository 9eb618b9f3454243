"""What the engines have in common: rows in partitions, and a way to do something with those of whole queries."""

from abc import ABC, abstractmethod
from collections import Counter

import numpy as np
import pandas as pd

from .._data._titles import query_ids
from ..exceptions import InputError
from ._work import FindQueries, HashQueries

#: Columns that lists, runs and judgements have; others are not read.
COLUMNS = ("query", "voter", "item", "rank", "score", "weight", "relevance")


class Partitions(ABC):
    """Rows in the hands of an engine.

    Parameters
    ----------
    data : object
        The engine's own frame.
    partitioned : bool
        Whether each partition is said to hold whole queries; otherwise the engine brings them together.
    """

    def __init__(self, data, partitioned):
        missing = [name for name in ("query", "item") if name not in self._names(data)]
        if missing:
            raise InputError(
                f"A frame in partitions has the columns 'query' and 'item'; {' and '.join(map(repr, missing))} "
                f"{'is' if len(missing) == 1 else 'are'} missing among {', '.join(map(repr, self._names(data)))}. "
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
        """Names of the columns."""
        return list(self._names(self.data))

    @property
    def used(self):
        """Names of the columns that are read."""
        return [name for name in self.names if name in COLUMNS]

    @staticmethod
    def _names(data):
        """Names of the columns of an engine's frame."""
        return list(data.columns)

    @abstractmethod
    def map(self, work, types):
        """Apply work to the rows of whole queries: the engine's frame of what it returns, lazily where it can.

        `work` takes a frame or an Arrow table and returns a frame; ``types(known)`` says what its columns hold, by the
        engine's own types of the columns that come in.
        """

    @abstractmethod
    def gather(self, work):
        """Apply work to the rows of whole queries now, and return the list of what it returned."""

    @abstractmethod
    def gather_pairs(self, work, other):
        """As `gather`, of work that takes the rows of the same queries from this frame and from another."""

    @abstractmethod
    def rows_of(self, queries):
        """All rows of some queries, as a frame of pandas."""


def check_whole(partitions):
    """Raise InputError where partitions that are said to hold whole queries do not; reads the column of queries."""
    if partitions.partitioned:
        refuse_torn(partitions, partitions.gather(HashQueries()))


def refuse_torn(partitions, hashes):
    """Raise InputError where several partitions hold rows of one query, by the hashes of the queries of each.

    Where the engine has brought the rows of each query together there is nothing to refuse.
    """
    torn = find_torn(hashes) if partitions.partitioned else ()
    if not len(torn):
        return
    # Two queries may share a hash; their ids decide.
    found = Counter(query for part in partitions.gather(FindQueries(torn)) for query in part)
    torn = [query for query, count in found.items() if count > 1]
    if torn:
        raise InputError(
            f"{len(torn)} quer{'y stands' if len(torn) == 1 else 'ies stand'} in several partitions, the first is "
            f"{torn[0]!r}; partitioned=True says that each partition holds whole queries. Leave it out, and the rows "
            "of each query are brought together."
        )


def find_torn(hashes):
    """Hashes that several of some arrays hold, each at most once."""
    together = np.sort(np.concatenate([*hashes, np.empty(0, dtype=np.uint64)]))
    return pd.unique(together[1:][together[1:] == together[:-1]])
