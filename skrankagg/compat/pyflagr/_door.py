"""The door of the room: files and frames come in as FLAGR reads them, and are encoded once.

The order of the file counts here, for FLAGR adds up in that order: queries and voters are numbered by their first
appearance, items are sorted as bytes. Ids are text. What FLAGR mangles, drops or dies of is read as it stands, or
refused with a reason.
"""

import os
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..._grouped import mid_ranks, positions
from ..._lists import RankedLists
from ..._pairwise import preference_counts
from ..._qrels import Qrels
from ...datasets import read_lists, read_qrels

__all__ = ["ABSENT", "Profile", "QueryTable", "encode_judgements", "encode_profile", "ids_out"]

#: The rank that FLAGR gives an item that a list does not hold.
ABSENT = 1_000_000.0

# Cells of all matrices of lists by items and items by items up to which they are kept for the next method.
_KEPT_CELLS = 1 << 22

_LISTS_BY_PLACE = {
    5: ["query", "voter", "item", "score", "source"],
    6: ["query", "voter", "item", "rank", "score", "source"],
}
_QRELS_BY_PLACE = {4: ["query", "iteration", "item", "relevance"]}


@dataclass(frozen=True)
class QueryTable:
    """The lists of one query as matrices of lists by items.

    Parameters
    ----------
    rank : ndarray of shape (n_lists, n_items), dtype=float64
        Rank of each item in each list, :data:`ABSENT` where the list does not hold it.
    place : ndarray of shape (n_lists, n_items), dtype=int64
        Place in the list as it is sorted, from 0; -1 where the list does not hold the item.
    score : ndarray of shape (n_lists, n_items), dtype=float64, or None
        Scores, 0 for absent items.
    length : ndarray of shape (n_lists,), dtype=int64
        Length of each list; lists that are cut keep the old one if `low` pruning cut them.
    stats : ndarray of shape (4, n_lists), dtype=float64, or None
        Lowest, highest and mean score and standard deviation of each list.
    items : ndarray of shape (n_items,), dtype=int64
        The items, numbered within the query in the order of their bytes.
    profile : Profile
        Where it is from.
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
        """The lists that hold something, encoded for the parts of the main estimators; voters are their numbers."""
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
            row_ptr=row_ptr,
            pair=item.astype(np.int32),
            rank=mid_ranks(row_ptr, start | (np.diff(rank, prepend=-1.0) != 0)),
            score=None,
            pair_ptr=np.array([0, n]),
            pair_item=np.arange(n, dtype=np.int32),
        )

    @property
    def shape(self):
        """Numbers of lists and items."""
        return self.rank.shape

    @cached_property
    def held(self):
        """Which list holds which item."""
        return self.place >= 0

    @cached_property
    def hits(self):
        """Number of lists that hold each item."""
        return np.count_nonzero(self.held, axis=0)

    def whole_ranks(self, gap=1):
        """Twice the ranks, which is whole where ties share a mean; absent items are at least `gap` below all others.

        Parameters
        ----------
        gap : int, default=1

        Returns
        -------
        ndarray of shape (n_lists, n_items), dtype=int16 or int64
            To which `gap` can be added without overflow.
        """
        twice = np.where(self.held, 2 * self.rank, 0.0)
        absent = twice.max(initial=0.0) + gap
        return np.where(self.held, twice, absent).astype(np.int16 if absent + gap < 2**15 else np.int64)

    @cached_property
    def twice_rank(self):
        """The whole ranks, to compare them."""
        return self.whole_ranks()

    @cached_property
    def above(self):
        """Number of lists that rank the row's item above the column's; absent items are below all others."""
        return preference_counts(self.twice_rank + np.int16(1), self.twice_rank, gap=0).astype(np.float64)

    @cached_property
    def both(self):
        """Number of lists that hold both items."""
        held = self.held.astype(np.float64)
        return held.T @ held

    @cached_property
    def above_held(self):
        """Number of lists that hold both and rank the row's item above the column's."""
        return self.above - (self.hits[:, None] - self.both)

    @cached_property
    def hash_order(self):
        """The items in the order of FLAGR's hash table, which is where its searches and sums begin."""
        lists = self.profile.lists
        slot = self.profile.item_slots[lists.pair_item[lists.pair_ptr[self.query] + self.items]]
        # The newest of a slot comes first; items come list by list.
        first = np.where(self.held, self.place + np.cumsum(self.length)[:, None], np.iinfo(np.int64).max).min(axis=0)
        return np.lexsort((-first, slot))

    def cut(self, kept):
        """Keep some places of the lists, and the items that are left.

        Parameters
        ----------
        kept : ndarray of shape (n_lists, n_items), dtype=bool

        Returns
        -------
        QueryTable
            With the old lengths and statistics.
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
        """Put the lists in another order, as lists of their own with new lengths and statistics.

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
    """All lists that came in.

    Parameters
    ----------
    lists : RankedLists
        Queries and voters are numbers, by their first appearance; items are str.
    rank : ndarray of shape (n_rows,), dtype=float64
        What counts as the rank of a row.
    queries : pandas.Index
        Names of the queries.
    absent_voters : bool
        Whether every voter has a list in every query.
    """

    lists: RankedLists
    rank: np.ndarray
    queries: pd.Index
    absent_voters: bool

    @cached_property
    def item_slots(self):
        """Slot of each item in a table of 1024 under Bernstein's hash of its bytes."""
        slots = np.empty(self.lists.n_items, dtype=np.int64)
        for number, name in enumerate(self.lists.items):
            value = 5381
            for byte in name.encode():
                value = (33 * value + (byte ^ 128) - 128) & 0x3FF  # bytes are signed there
            slots[number] = value
        return slots

    @cached_property
    def _stats(self):
        lists = self.lists
        return _score_stats(lists.row_list, lists.score, lists.list_length) if lists.has_scores else None

    def tables(self):
        """Iterate over the tables of the queries."""
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
            n = int(lists.pair_ptr[q + 1] - lists.pair_ptr[q])
            present = lists.list_voter[own].astype(np.int64) if self.absent_voters else np.arange(own.stop - own.start)
            m = lists.n_voters if self.absent_voters else own.stop - own.start
            cells = present[lists.row_list[rows] - own.start], lists.pair[rows] - lists.pair_ptr[q]

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
    """Lowest, highest and mean score and standard deviation, added up along each list."""

    def mean(value):
        return np.bincount(row_list, weights=value, minlength=len(length)) / np.maximum(length, 1)

    low, high = np.full(len(length), np.inf), np.full(len(length), -np.inf)
    np.minimum.at(low, row_list, score)
    np.maximum.at(high, row_list, score)
    centre = mean(score)
    stats = np.stack([low, high, centre, np.sqrt(mean((score - centre[row_list]) ** 2))])
    return np.where(length > 0, stats, 0.0)


def _named(frame, by_place, needed, what):
    if set(needed) <= set(frame.columns):
        return frame
    names = by_place.get(frame.shape[1])
    if names is None:
        raise ValueError(
            f"{what} must have the columns {', '.join(needed)} by name, or {' or '.join(map(str, by_place))} columns "
            f"by place ({'; '.join(', '.join(one) for one in by_place.values())}); it has {list(frame.columns)}."
        )
    return frame.set_axis(names, axis=1)


def _table(file, frame, read, by_place, needed, what):
    if isinstance(file, os.PathLike) or len(file):
        return read(file)
    if frame is None:
        raise ValueError(f"{what} must be given, as a file or as a frame; neither was.")
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"{what} must be a pandas DataFrame; got {type(frame).__name__}.")
    return _named(frame, by_place, needed, what)


def _text(column):
    values = column.astype(str) if column.notna().all() else None
    if values is None:
        raise ValueError(
            f"Column {column.name!r} must hold an id in every row; {int(column.isna().sum())} are missing."
        )
    return values


def _refuse_duplicates(frame):
    # Said here, in the ids that came in.
    names = ["query", "voter", "item"]
    twice = frame[frame.duplicated(names)]
    if len(twice):
        query, voter, item = twice[names].iloc[0]
        raise ValueError(
            f"A list must hold an item once; {len(twice)} rows repeat one, the first list, of voter {voter!r} for "
            f"query "
            f"{query!r} holds {item!r} twice. Keep one of them, say with drop_duplicates."
        ) from None


def encode_profile(input_file, input_df, quirks):
    """Read and encode ranked lists.

    Parameters
    ----------
    input_file : str or path-like
        File; "" for none.
    input_df : DataFrame or None
        Frame with named columns, or with five or six columns as in the file.
    quirks : frozenset of str

    Returns
    -------
    Profile
    """
    frame = _table(input_file, input_df, read_lists, _LISTS_BY_PLACE, ("query", "voter", "item"), "The lists")
    if len(frame) == 0:
        raise ValueError("The lists must have at least one row; there is none.")
    query, queries = pd.factorize(_text(frame["query"]))
    voter, _ = pd.factorize(_text(frame["voter"]))
    columns = {"query": query, "voter": voter, "item": _text(frame["item"]).array}
    columns |= {name: frame[name].to_numpy() for name in ("rank", "score") if name in frame}
    rows = pd.DataFrame(columns)
    verbatim = "rank.verbatim" in quirks and "rank" in rows
    if verbatim:
        rank = rows["rank"].to_numpy(dtype=np.float64)
        if not (np.isfinite(rank).all() and (rank >= 0).all()):
            raise ValueError("Column 'rank' must hold finite numbers of at least 0; some are not.")
        value = -rows["score"].to_numpy(dtype=np.float64) if "score" in rows else rank
        rows = rows.iloc[np.lexsort((rank, value, voter, query))].reset_index(drop=True)
        rank = np.trunc(rows["rank"].to_numpy(dtype=np.float64))
        start = np.diff(rows["query"], prepend=-1) | np.diff(rows["voter"], prepend=-1)
        rows["rank"] = positions(np.append(np.flatnonzero(start), len(rows)))
    elif "rank" not in rows:
        # In FLAGR's older form of five columns the order is that of the scores, and equal ones keep that of the file.
        if "score" not in rows:
            raise ValueError(f"The lists must have a column 'rank' or 'score'; they have {list(frame.columns)}.")
        if "rank.verbatim" in quirks:
            rows = rows.iloc[np.lexsort((-rows["score"].to_numpy(), voter, query))].reset_index(drop=True)
            start = np.diff(rows["query"], prepend=-1) | np.diff(rows["voter"], prepend=-1)
            rows["rank"] = positions(np.append(np.flatnonzero(start), len(rows)))
    try:
        lists = RankedLists.from_frame(rows)
    except ValueError:
        _refuse_duplicates(frame)
        raise
    return Profile(lists, rank if verbatim else lists.rank, pd.Index(queries), "absent_voters" in quirks)


def encode_judgements(rels_file, rels_df, profile):
    """Read judgements and align them with the lists.

    Parameters
    ----------
    rels_file : str or path-like
        File; "" for none.
    rels_df : DataFrame or None
        Frame with named columns, or with four columns as in the file.
    profile : Profile

    Returns
    -------
    EncodedQrels
        Judgements of queries without lists are left out.
    """
    needed = ("query", "item", "relevance")
    frame = _table(rels_file, rels_df, read_qrels, _QRELS_BY_PLACE, needed, "The judgements")
    names = _text(frame["query"])
    query = profile.queries.get_indexer(pd.Index(names))
    if (query < 0).all():
        raise ValueError(
            f"The judgements must judge some query of the lists; they share none: the lists have "
            f"{profile.queries[0]!r}, ..., the judgements {names.iloc[:1].tolist()}."
        )
    known = query >= 0
    judged = pd.DataFrame({"query": query, "item": _text(frame["item"]).array, "relevance": frame["relevance"].array})
    return Qrels.from_frame(judged[known]).encode(profile.lists)


def ids_out(names):
    """Ids as PyFLAGR's frames have them: integers if all are written as such, else text.

    Parameters
    ----------
    names : pandas.Index
        Distinct ids, as text.

    Returns
    -------
    pandas.Index
    """
    numbers = pd.to_numeric(names, errors="coerce")
    if names.str.fullmatch(r"-?\d{1,18}").all():
        numbers = pd.Index(np.array(names, dtype=object).astype(np.int64))
        if (numbers.astype(str) == names).all():
            return numbers
    return names
