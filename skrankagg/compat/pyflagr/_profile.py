"""Encoded input lists of all queries, and the lists of each query as matrices."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..._arrays._pairwise import preference_counts
from ..._arrays._ragged import mid_ranks, positions
from ..._data._ranked_lists import RankedLists

#: FLAGR's rank of an item that is absent from a list.
ABSENT = 1_000_000.0

# Matrices of lists by items, and of items by items, are kept for the next method if together they have at most this
# number of cells.
_KEPT_CELLS = 1 << 22


@dataclass(frozen=True)
class QueryTable:
    """The lists of one query as matrices with a row for each list and a column for each item.

    Parameters
    ----------
    rank : ndarray of shape (n_lists, n_items), dtype=float64
        Rank of each item in each list, or :data:`ABSENT` if the list lacks the item.
    place : ndarray of shape (n_lists, n_items), dtype=int64
        Place in the sorted list, counted from 0, or -1 if the list lacks the item.
    score : ndarray of shape (n_lists, n_items), dtype=float64, or None
        Scores; absent items have 0.
    length : ndarray of shape (n_lists,), dtype=int64
        Length of each list; lists cut by `low` pruning keep their old length.
    stats : ndarray of shape (4, n_lists), dtype=float64, or None
        Lowest score, highest score, mean score, and standard deviation of the scores of each list.
    items : ndarray of shape (n_items,), dtype=int64
        Numbers of the items; the items of a query are numbered in the order of their bytes.
    profile : Profile
        The encoded lists of all queries.
    query : int
        Number of the query.
    """

    rank: np.ndarray
    place: np.ndarray
    score: np.ndarray | None
    length: np.ndarray
    stats: np.ndarray | None
    items: np.ndarray
    profile: "Profile"
    query: int

    @cached_property
    def lists(self):
        """Return the nonempty lists as RankedLists, for skrankagg's estimators; the id of a voter is its number."""
        voter, item = np.nonzero(self.held)
        order = np.lexsort((self.place[voter, item], voter))
        voter, item = voter[order], item[order]
        start = np.diff(voter, prepend=-1) != 0
        row_ptr = np.append(np.flatnonzero(start), len(voter))
        rank = self.rank[voter, item]
        present = voter[start]
        m, n = self.shape
        return RankedLists(
            queries=pd.RangeIndex(1),
            voters=pd.RangeIndex(m),
            items=pd.RangeIndex(n),
            list_ptr=np.array([0, len(present)]),
            list_voter=present.astype(np.int32),
            list_weight=np.ones(len(present)),
            list_conflict=None,
            list_merged=None,
            row_ptr=row_ptr,
            candidate=item.astype(np.int32),
            rank=mid_ranks(row_ptr, start | (np.diff(rank, prepend=-1.0) != 0)),
            score=None,
            candidate_ptr=np.array([0, n]),
            candidate_item=np.arange(n, dtype=np.int32),
        )

    @property
    def shape(self):
        """Return the number of lists and the number of items."""
        return self.rank.shape

    @cached_property
    def held(self):
        """Return a mask of the items that each list contains."""
        return self.place >= 0

    @cached_property
    def hits(self):
        """Count the lists that contain each item."""
        return np.count_nonzero(self.held, axis=0)

    def whole_ranks(self, gap=1):
        """Return the doubled ranks; absent items get the largest doubled rank plus `gap`.

        Doubled ranks are integers, even for ties.

        Parameters
        ----------
        gap : int, default=1

        Returns
        -------
        ndarray of shape (n_lists, n_items), dtype=int16 or int64
            The doubled ranks; adding `gap` to them does not overflow.
        """
        twice = np.where(self.held, 2 * self.rank, 0.0)
        absent = twice.max(initial=0.0) + gap
        return np.where(self.held, twice, absent).astype(np.int16 if absent + gap < 2**15 else np.int64)

    @cached_property
    def twice_rank(self):
        """Return the ranks times 2, which are integers even for ties; see :meth:`whole_ranks`."""
        return self.whole_ranks()

    @cached_property
    def above(self):
        """For each pair of items, count the lists that rank the row's item higher; absent items are ranked last."""
        return preference_counts(self.twice_rank + np.int16(1), self.twice_rank, gap=0).astype(np.float64)

    @cached_property
    def both(self):
        """For each pair of items, count the lists that contain both items."""
        held = self.held.astype(np.float64)
        return held.T @ held

    @cached_property
    def above_held(self):
        """For each pair of items, count the lists that contain both items and rank the row's item higher."""
        return self.above - (self.hits[:, None] - self.both)

    @cached_property
    def hash_order(self):
        """Return the column numbers of the items in the order in which FLAGR's hash table stores the items.

        FLAGR visits the items in this order when it searches or adds up numbers.
        """
        lists = self.profile.lists
        slot = self.profile.item_slots[lists.candidate_item[lists.candidate_ptr[self.query] + self.items]]
        # The newest item of a slot comes first. Items are added list by list.
        first = np.where(self.held, self.place + np.cumsum(self.length)[:, None], np.iinfo(np.int64).max).min(axis=0)
        return np.lexsort((-first, slot))

    def cut(self, kept):
        """Cut each list to the items that the mask `kept` selects; then remove the items that are left in no list.

        Parameters
        ----------
        kept : ndarray of shape (n_lists, n_items), dtype=bool

        Returns
        -------
        QueryTable
            The cut lists, with the old lengths and statistics.
        """
        kept = kept & self.held
        left = kept.any(axis=0)
        return replace(
            self,
            rank=np.where(kept, self.rank, ABSENT)[:, left],
            place=np.where(kept, self.place, -1)[:, left],
            score=None if self.score is None else np.where(kept, self.score, 0.0)[:, left],
            items=self.items[left],
        )

    def take_lists(self, order):
        """Put the lists in another order, and compute places, lengths and statistics again.

        Parameters
        ----------
        order : ndarray of shape (n_lists,), dtype=int64

        Returns
        -------
        QueryTable
        """
        place = np.where(self.held, self.place, np.iinfo(np.int64).max)
        place = np.where(self.held, place.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable"), -1)
        table = replace(
            self,
            rank=self.rank[order],
            place=place[order],
            score=None if self.score is None else self.score[order],
            length=np.count_nonzero(place >= 0, axis=1)[order],
        )
        if self.score is None:
            return table
        voter, item = np.nonzero(table.held)
        rows = np.lexsort((table.place[voter, item], voter))
        stats = _score_stats(voter[rows], table.score[voter, item][rows], table.length)
        return replace(table, stats=stats)


@dataclass(frozen=True)
class Profile:
    """Encoded input lists of all queries.

    Parameters
    ----------
    lists : RankedLists
        Queries and voters are numbered by their first appearance; items are str.
    rank : ndarray of shape (n_rows,), dtype=float64
        Rank of each row, as used by the methods.
    queries : pandas.Index
        Names of the queries.
    absent_voters : bool
        Whether the quirk ``absent_voters`` is followed. If so, every voter has a list in every query; the list may be
        empty.
    """

    lists: RankedLists
    rank: np.ndarray
    queries: pd.Index
    absent_voters: bool

    @cached_property
    def item_slots(self):
        """Compute the number of each item's slot in FLAGR's hash table, which has 1024 slots.

        The number is Bernstein's hash of the bytes of the item's id.
        """
        slots = np.empty(self.lists.n_items, dtype=np.int64)
        for number, name in enumerate(self.lists.items):
            value = 5381
            for byte in name.encode():
                value = (33 * value + (byte ^ 128) - 128) & 0x3FF  # FLAGR treats bytes as signed numbers
            slots[number] = value
        return slots

    @cached_property
    def _stats(self):
        lists = self.lists
        return _score_stats(lists.row_list, lists.score, lists.list_length) if lists.has_scores else None

    def tables(self):
        """Return an iterable with a QueryTable, the matrices of ranks and scores, for each query."""
        lists = self.lists
        n_lists = lists.n_voters if self.absent_voters else int(np.diff(lists.list_ptr).max())
        n_cells = (lists.query_n_items * (n_lists + lists.query_n_items)).sum()
        return self._kept_tables if n_cells <= _KEPT_CELLS else self._make_tables()

    @cached_property
    def _kept_tables(self):
        return list(self._make_tables())

    def _make_tables(self):
        lists = self.lists
        place = positions(lists.row_ptr) - 1
        for q in range(lists.n_queries):
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            rows = slice(lists.row_ptr[own.start], lists.row_ptr[own.stop])
            n = int(lists.candidate_ptr[q + 1] - lists.candidate_ptr[q])
            present = lists.list_voter[own].astype(np.int64) if self.absent_voters else np.arange(own.stop - own.start)
            m = lists.n_voters if self.absent_voters else own.stop - own.start
            cells = present[lists.row_list[rows] - own.start], lists.candidate[rows] - lists.candidate_ptr[q]

            def spread(value, absent, where=cells, shape=(m, n)):
                matrix = np.full(shape, absent)
                matrix[where] = value
                return matrix

            length, stats = np.zeros(m, dtype=np.int64), None
            length[present] = lists.list_length[own]
            if self._stats is not None:
                stats = np.zeros((4, m))
                stats[:, present] = self._stats[:, own]
            yield QueryTable(
                rank=spread(self.rank[rows], ABSENT),
                place=spread(place[rows], -1),
                score=spread(lists.score[rows], 0.0) if lists.has_scores else None,
                length=length,
                stats=stats,
                items=np.arange(n),
                profile=self,
                query=q,
            )


def _score_stats(row_list, score, length):
    """Compute the lowest score, highest score, mean score and standard deviation of each list."""

    def mean(value):
        return np.bincount(row_list, weights=value, minlength=len(length)) / np.maximum(length, 1)

    low, high = np.full(len(length), np.inf), np.full(len(length), -np.inf)
    np.minimum.at(low, row_list, score)
    np.maximum.at(high, row_list, score)
    centre = mean(score)
    stats = np.stack([low, high, centre, np.sqrt(mean((score - centre[row_list]) ** 2))])
    return np.where(length > 0, stats, 0.0)
