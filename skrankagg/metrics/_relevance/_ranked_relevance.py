"""Common input of all measures: the relevance of the returned items, in the order in which they are returned."""

from functools import cached_property

import numpy as np

from ..._arrays._ragged import expand, gather_ranges, group_order, positions
from ..._data._conflicts import describe_conflict
from ..._data._frames import plain_index
from ..._data._qrels import encode_run
from ..._kernels import ragged_cumsum
from ...exceptions import InputError

# 2 ** 1024 overflows. A grade this high is probably a score, which needs the linear gain.
_MAX_EXPONENT = 1000


class RelevanceList:
    """Grades of the items in the ranked lists of several queries, and running sums that the measures share.

    The lists are stored one after the other, and a row is an item of a list. Each running sum is computed only once for
    all measures and cutoffs. A measure that adds up values over rows first passes the values to :meth:`rate`. For an
    expectation over ties, :meth:`rate` replaces the values by their means over tied items.

    Parameters
    ----------
    grade : ndarray of shape (n_rows,), dtype=float64
        Grade of each item, best item of a list first; NaN if an item is not judged.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The list of query ``q`` is ``grade[ptr[q]:ptr[q + 1]]``; it may be empty.
    """

    def __init__(self, grade, ptr):
        self.grade = grade
        self.ptr = ptr
        self._cumulated = {}
        self._heads = {}

    @cached_property
    def position(self):
        """Return the place of each row in its list, counted from 1."""
        return positions(self.ptr)

    @cached_property
    def row_query(self):
        """Return the index of each row's query."""
        return expand(self.ptr)

    @property
    def n_queries(self):
        """Return the number of queries, including queries without results."""
        return len(self.ptr) - 1

    def relevant(self, threshold=None):
        """Return the mask of the relevant rows, whose grade is above 0, or at least `threshold` if it is given."""
        return self.grade > 0 if threshold is None else self.grade >= threshold

    def not_relevant(self, threshold=None):
        """Return the mask of the rows that are judged not relevant; rows with negative grades are not included."""
        return (self.grade >= 0) & ~self.relevant(threshold)

    def rate(self, value):
        """Return the value of each row as float64, of shape (n_rows,).

        The subclass for expectations over ties overrides this method and returns means over tied items.
        """
        return value.astype(np.float64, copy=False)

    def hits(self, threshold=None):
        """Count, for each row, the relevant items of its list up to this row; the result has the shape (n_rows,)."""
        key = ("hits", threshold)
        if key not in self._cumulated:
            self._cumulated[key] = self._count(self.relevant(threshold))
        return self._cumulated[key]

    def _count(self, mask):
        # Totals are integers, so the difference of two running totals is exact.
        total = np.cumsum(mask, dtype=np.int32)
        before = np.concatenate([np.zeros(1, dtype=np.int32), total])[self.ptr[:-1]]
        total -= np.repeat(before, np.diff(self.ptr))
        return total

    def head(self, k):
        """Return self without the rows far below place k, which a measure with the cutoff `k` does not need.

        Nothing is left out if this would save few rows, if `k` is None, or if `k` is an array with a value for each
        query.
        """
        if k is None or np.ndim(k):
            return self
        depth = max(16, 1 << (int(k) - 1).bit_length())
        if len(self.grade) < 2 * depth * self.n_queries:
            return self
        if depth not in self._heads:
            size = np.minimum(np.diff(self.ptr), depth)
            ptr = np.concatenate([[0], np.cumsum(size)])
            rows = np.arange(ptr[-1]) + np.repeat(self.ptr[:-1] - ptr[:-1], size)
            self._heads[depth] = RelevanceList(self.grade[rows], ptr)
        return self._heads[depth]

    def precisions(self, threshold=None, k=None):
        """For each list, sum the precisions at the places of the relevant items among the first `k` items."""
        rows = np.flatnonzero(self.relevant(threshold))
        return self.sum_of(rows, self.hits(threshold)[rows] / self.position[rows], k)

    def mean_precisions(self, threshold=None, k=None):
        """For each list, average the precisions at the places of the relevant items among the first `k` items.

        The value is 0 for a list without such items.
        """
        found = self.at(self.hits(threshold), k)
        return np.divide(self.precisions(threshold, k), found, out=np.zeros(len(found)), where=found > 0)

    def firsts(self, threshold=None):
        """Return the candidates for the first relevant row of each list, and the probability of each candidate."""
        rows = np.flatnonzero(self.relevant(threshold) & (self.hits(threshold) == 1))
        return rows, np.ones(len(rows))

    def sum_of(self, rows, value, k=None):
        """For each list, sum the values of the given `rows`; only the first `k` rows of a list are included."""
        if k is not None:
            near = self.position[rows] <= k
            rows, value = rows[near], value[near]
        return np.bincount(self.row_query[rows], weights=value, minlength=self.n_queries).astype(np.float64)

    def gains(self, gain, discount):
        """Compute, for each row, the discounted cumulative gain of its list up to this row."""
        return self.cumulate(
            ("gains", gain, discount), lambda: self.rate(_GAINS[gain](self.grade)) / self._discounts(discount)
        )

    def _discounts(self, discount):
        longest = int(np.diff(self.ptr).max(initial=0))
        return _DISCOUNTS[discount](np.arange(longest + 1))[self.position]

    def stops(self, chance):
        """Return, for each row, the probability that a user who reads the list from the top stops at this row.

        `chance` contains, for each row, the probability that a user who reaches the row stops there.
        """
        goes_on = np.log1p(-chance)
        return chance * np.exp(ragged_cumsum(goes_on, self.ptr) - goes_on)

    def cumulate(self, key, values):
        """Return the running sums of the row values that ``values()`` returns; cache the sums under `key`.

        The result has the shape (n_rows,). The sum starts again from 0 at the first row of each list.
        """
        if key not in self._cumulated:
            self._cumulated[key] = ragged_cumsum(values(), self.ptr)
        return self._cumulated[key]

    def at(self, cumulated, k=None):
        """For each list, return the running sum at place `k`, or at the end of a shorter list.

        The result has the shape (n_queries,). It is 0 for an empty list.
        """
        start, end = self.ptr[:-1], self.ptr[1:]
        if k is not None:
            end = np.minimum(end, start + k)
        if len(cumulated) == 0:
            return np.zeros(len(start))
        return np.where(end > start, cumulated[end - 1], 0.0).astype(np.float64, copy=False)

    def total(self, value, k=None):
        """For each list, sum the values of its first `k` rows; `k` may be an array with a number for each query."""
        if k is not None:
            value = np.where(self.position <= (k[self.row_query] if np.ndim(k) else k), value, 0.0)
        sums = np.zeros(self.n_queries)
        filled = np.diff(self.ptr) > 0
        if filled.any():
            sums[filled] = np.add.reduceat(value, self.ptr[:-1][filled], dtype=np.float64)
        return sums

    def best(self, value):
        """For each list, return the largest row value, or 0 if no value is above 0; the shape is (n_queries,)."""
        largest = np.zeros(self.n_queries)
        filled = np.diff(self.ptr) > 0
        if filled.any():
            largest[filled] = np.maximum(np.maximum.reduceat(value, self.ptr[:-1][filled]), 0.0)
        return largest


class RankedRelevance(RelevanceList):
    """Grades of the returned items, in the order in which they are returned, and grades of all judged items.

    Every measure is a function of this object. The arrays of the object describe the returned items. `judged` describes
    all items that could have been returned.

    Parameters
    ----------
    grade : ndarray of shape (n_rows,), dtype=float64
        Grade of each returned item, best item of a list first; NaN if an item is not judged.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The list of query ``q`` is ``grade[ptr[q]:ptr[q + 1]]``; it may be empty.
    judged : RelevanceList
        Grades of all judged items of each query, whether they are returned or not, in descending order.
    score, rank : ndarray of shape (n_rows,), default=None
        Scores of the returned items, or ranks if there are no scores. Items with equal values are tied. If both are
        None, there are no ties.
    item : tuple of ndarray of shape (n_rows,) and pandas.Index, default=None
        Codes of the items, and the ids that the codes refer to. ``ties="trec_eval"`` orders tied items by their ids.
    conflict : tuple of (str, str), default=None
        Description of the lists whose scores contradict their ranks, and advice to the user; None if there is no such
        list.
    """

    def __init__(self, grade, ptr, judged, *, score=None, rank=None, item=None, conflict=None):
        super().__init__(grade, ptr)
        self.judged = judged
        self.conflict = conflict
        self.views = {}
        # Inputs of user-defined measures: the ids of the queries, the queries to measure, and a mask of lists with
        # scores.
        self.queries = self.chosen = self.scored = None
        self._get_columns = lambda: (score, rank, item)

    @cached_property
    def _columns(self):
        return self._get_columns()

    @property
    def score(self):
        """Return the score of each row, or None if there are no scores."""
        return self._columns[0]

    @property
    def rank(self):
        """Return the rank of each row, or None if the ranks are not needed."""
        return self._columns[1]

    @property
    def item(self):
        """Return the item code of each row and the index that the codes refer to, or None if ids are not needed."""
        return self._columns[2]

    @classmethod
    def from_run(cls, run, qrels, queries):
        """Look up the grades of the items in a run, for the judged queries at the positions `queries` in `qrels`.

        `run` is None if the run is empty.
        """
        places, judged_ptr = gather_ranges(qrels.ptr, queries)
        judged = RelevanceList(qrels.best_first[places], judged_ptr)
        if run is None:
            nothing = np.zeros(0, dtype=np.int64), qrels.items[:0]
            return cls(np.zeros(0), np.zeros(len(queries) + 1, dtype=np.int64), judged, item=nothing)
        place = plain_index(run.queries).get_indexer(plain_index(qrels.queries)[queries])
        return cls.from_lists(run, place, encode_run(qrels, run).relevance, judged)

    @classmethod
    def from_lists(cls, lists, place, relevance, judged):
        """Look up the grades of the items in one list for each query.

        For each query, `place` contains the position of the query's list in `lists`, or -1 for an empty list.
        `relevance` contains the grade of each candidate, and `judged` contains all grades of each query.
        """
        if np.array_equal(place, np.arange(lists.n_lists)):
            rows, ptr = slice(None), lists.row_ptr
        else:  # the position after the last list has an empty range of rows
            rows, ptr = gather_ranges(np.append(lists.row_ptr, lists.n_rows), np.where(place < 0, lists.n_lists, place))
        ranked = cls(
            relevance[lists.candidate[rows]],
            ptr,
            judged,
            conflict=describe_conflict(lists, np.isin(np.arange(lists.n_lists), place)),
        )
        # Most rules for ties need only these values.
        ranked._get_columns = lambda: (
            lists.score[rows] if lists.has_scores else None,
            lists.rank[rows],
            (lists.candidate_item[lists.candidate[rows]], lists.items),
        )
        return ranked

    @classmethod
    def from_codes(cls, lists, order, encoded, judged, *, score=None):
        """Look up the grades of a consensus of `lists`, in which the candidates are ranked in the given order.

        `encoded` contains the judgements aligned with the lists, and `judged` contains all grades of each query.
        `score` contains the scores of the candidates in this order, or is None if there are no ties.
        """
        ranked = cls(encoded.relevance[order], lists.candidate_ptr, judged)
        ranked._get_columns = lambda: (score, None, (lists.candidate_item[order], lists.items))
        return ranked

    @cached_property
    def retrieved(self):
        """Return the grades of the returned items in descending order, as in an ideal ranking of these items."""
        grade = np.nan_to_num(self.grade)
        return RelevanceList(grade[group_order(self.row_query, -grade)] if len(grade) else grade, self.ptr)

    @property
    def n_retrieved(self):
        """Return the number of items returned for each query."""
        return np.diff(self.ptr)

    def n_relevant(self, threshold=None):
        """Return the number R of relevant items of each query, returned or not, of shape (n_queries,)."""
        return self.judged.total(self.judged.relevant(threshold))

    def preferences(self, threshold=None):
        """For each relevant row, return the share of the nonrelevant judged items that are not above this row.

        If there are R relevant items, only the first R nonrelevant items are counted. Rows that are not relevant have
        the value 0. The result has the shape (n_rows,).
        """
        above = self.total_above(threshold)
        worst, scale = self._preference_scale(threshold)
        return np.where(self.relevant(threshold), 1 - np.minimum(above, worst) / scale, 0.0)

    def total_above(self, threshold):
        """Count, for each row, the nonrelevant judged items of its list up to this row."""
        return self.cumulate(("not relevant", threshold), lambda: self.not_relevant(threshold).astype(np.float64))

    def _preference_scale(self, threshold):
        n_relevant = self.n_relevant(threshold)
        n_others = self.judged.total(self.judged.not_relevant(threshold).astype(np.float64))
        scale = np.maximum(np.minimum(n_relevant, n_others), 1.0)
        return n_relevant[self.row_query], scale[self.row_query]


def _exponential(grade):
    if len(grade) and np.fmax.reduce(grade) > _MAX_EXPONENT:
        raise InputError(
            f"Grades must be at most {_MAX_EXPONENT} for gain='exponential'; the highest grade is "
            f"{np.nanmax(grade):g}. Use gain='linear'."
        )
    return np.exp2(np.fmax(grade, 0.0)) - 1


_GAINS = {"exponential": _exponential, "linear": lambda grade: np.fmax(grade, 0.0)}
_DISCOUNTS = {
    "log2": lambda position: np.log2(position + 1),
    "ln": lambda position: np.log(position + 1),
    "letor": lambda position: np.log2(np.maximum(position, 2)),
}
