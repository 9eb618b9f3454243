"""Common input of all measures: the relevance of the returned items, in the order in which they are returned."""

from functools import cached_property

import numpy as np

from ..._arrays._ragged import expand, gather_ranges, group_order, positions
from ..._data._conflicts import describe_conflict
from ..._data._frames import plain_index
from ..._data._qrels import encode_run
from ..._kernels import ragged_cumsum
from ...exceptions import InputError
from ._relevant_rows import RelevantRows

# 2 ** 1024 overflows. A grade above this limit is probably a score, which needs the linear gain.
_MAX_EXPONENT = 1000

# With fewer rows than this, selecting the first rows of each list takes longer than it saves.
_FEW = 10_000


class RelevanceList:
    """Grades of the items in the ranked lists of several queries, and running sums that the measures share.

    The lists are stored one after the other, and a row is an item of a list. Each running sum is computed only once for
    all measures and cutoffs. Before a measure adds up values of rows, it passes the values to :meth:`rate`. For an
    expectation over ties, :meth:`rate` replaces each value by the mean over the tied items.

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
        self._found = {}

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

    def once(self, key, compute):
        """Return the result of ``compute()``, which is called only the first time that this `key` is given."""
        if key not in self._found:
            self._found[key] = compute()
        return self._found[key]

    def relevant(self, threshold=None):
        """Return a mask of the rows with a grade above 0, or with a grade of at least `threshold` unless it is None."""
        return self.grade > 0 if threshold is None else self.grade >= threshold

    def not_relevant(self, threshold=None):
        """Return the mask of the rows that are judged not relevant; rows with negative grades are not included."""
        return (self.grade >= 0) & ~self.relevant(threshold)

    def relevant_rows(self, threshold=None):
        """Return the relevant rows as :class:`RelevantRows`."""
        return self.once(("rows", threshold), lambda: RelevantRows(self.ptr, self.relevant(threshold)))

    def _part(self, threshold, k):
        """Return the result of :meth:`head` for the cutoff `k` if this saves time, otherwise self."""
        return self if ("rows", threshold) in self._found or len(self.grade) < _FEW else self.head(k)

    def rate(self, value):
        """Convert `value`, which has a number for each row, to a float64 array of shape (n_rows,).

        The subclass for expectations over ties overrides this method: it replaces each value by the mean over the tied
        items.
        """
        return value.astype(np.float64, copy=False)

    def hits(self, threshold=None, k=None):
        """For each list, count the relevant items among the first `k`, as a float64 array of shape (n_queries,)."""
        return self._part(threshold, k).relevant_rows(threshold).count(k)

    def hits_from(self, border, threshold, k):
        """For each list, count the relevant items with at least the grade `border` among the first `k` items.

        `border` and `k` have a value for each query.
        """
        found = self.relevant_rows(threshold)
        return found.total((self.grade[found.rows] >= border[found.query]).astype(np.float64), k)

    def head(self, k):
        """Return the lists without the rows far below place k, which a measure with the cutoff `k` does not need.

        Return self if there are few such rows, if `k` is None, or if `k` is an array with a value for each query.
        """
        depth = self._depth(k)
        return self if depth is None else self.once(("head", depth), lambda: self._first_rows(depth))

    def _depth(self, k):
        """Return the number of rows that :meth:`head` keeps of each list, or None if it keeps all rows."""
        if k is None or np.ndim(k):
            return None
        depth = max(16, 1 << (int(k) - 1).bit_length())
        return None if len(self.grade) < 2 * depth * self.n_queries else depth

    def _first_rows(self, depth):
        size = np.minimum(np.diff(self.ptr), depth)
        ptr = np.concatenate([[0], np.cumsum(size)])
        rows = np.arange(ptr[-1]) + np.repeat(self.ptr[:-1] - ptr[:-1], size)
        return RelevanceList(self.grade[rows], ptr)

    def precisions(self, threshold=None, k=None):
        """For each list, sum the precisions at the places of the relevant items among the first `k` items."""
        found = self._part(threshold, k).relevant_rows(threshold)
        return found.total(found.precision, k)

    def mean_precisions(self, threshold=None, k=None):
        """For each list, average the precisions at the places of the relevant items among the first `k` items.

        The value is 0 for a list without such items.
        """
        found = self.hits(threshold, k)
        return np.divide(self.precisions(threshold, k), found, out=np.zeros(len(found)), where=found > 0)

    def firsts(self, threshold=None, k=None):
        """Find the first relevant row of each list, if it is among the first `k` rows.

        The result consists of three arrays: the query and the place of each found row, and the probability that the row
        is the first relevant row. Only the subclass for ties returns probabilities below 1.
        """
        found = self._part(threshold, k).relevant_rows(threshold)
        first = found.ptr[:-1][found.ptr[1:] > found.ptr[:-1]]
        if k is not None:
            first = first[found.place[first] <= k]
        return found.query[first], found.place[first], np.ones(len(first))

    def sum_by(self, query, value):
        """Sum values by query into a float64 array of shape (n_queries,); `query` contains the query of each value."""
        return np.bincount(query, weights=value, minlength=self.n_queries).astype(np.float64, copy=False)

    def gains(self, k, gain, discount):
        """For each list, compute the discounted cumulative gain of the first `k` rows."""
        part, depth = self._part(None, k), self._depth(k)
        value = part.once(("gains", gain, discount, depth), lambda: part._gains_of(gain, discount, depth))
        return part.relevant_rows().total(value, k)

    def _gains_of(self, gain, discount, depth):
        """Return the discounted gain of each relevant row; rows below place `depth` get 0."""
        found = self.relevant_rows()
        near = slice(None) if depth is None else found.place <= depth
        value = np.zeros(len(found.rows))
        value[near] = GAINS[gain](self.grade[found.rows[near]]) / self._discounts(discount)[found.place[near]]
        return value

    def _discounts(self, discount):
        longest = int((self.ptr[1:] - self.ptr[:-1]).max(initial=0))
        return _DISCOUNTS[discount](np.arange(longest + 1))

    def stops(self, chance):
        """Return, for each row, the probability that a user who reads the list from the top stops at this row.

        `chance` contains, for each row, the probability that a user who reaches the row stops there.
        """
        goes_on = np.log1p(-chance)
        return chance * np.exp(ragged_cumsum(goes_on, self.ptr) - goes_on)

    def total(self, value, k=None):
        """For each list, sum the values of its first `k` rows; `k` may be an array with a number for each query."""
        if k is not None:
            value = np.where(self.position <= (k[self.row_query] if np.ndim(k) else k), value, 0.0)
        sums = np.zeros(self.n_queries)
        filled = np.diff(self.ptr) > 0
        if filled.any():
            sums[filled] = np.add.reduceat(value, self.ptr[:-1][filled], dtype=np.float64)
        return sums

    def total_of(self, found, value):
        """For each list, sum `value`, which has a number for each relevant row in the RelevantRows object `found`."""
        every = np.zeros(len(self.grade))
        every[found.rows] = value
        return self.total(every)


class RankedRelevance(RelevanceList):
    """Grades of the returned items, in the order in which they are returned, and grades of all judged items.

    Every measure is a function of this object. The arrays of the object describe the returned items. `judged` describes
    all judged items, as an ideal ranking.

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
        `relevance` contains the grade of each candidate. `judged` contains the grades of all judged items of each
        query, including items that are not in the lists.
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
        # These columns are computed only on demand, because some rules for ties do not need them.
        ranked._get_columns = lambda: (
            lists.score[rows] if lists.has_scores else None,
            lists.rank[rows],
            (lists.candidate_item[lists.candidate[rows]], lists.items),
        )
        return ranked

    @classmethod
    def from_codes(cls, lists, order, encoded, judged, *, score=None):
        """Look up the grades of a consensus that ranks the candidates of `lists` in the given order.

        `order` contains the positions of the candidates, best first within each query. ``encoded.relevance`` contains
        the grade of each candidate, and `judged` contains the grades of all judged items of each query. `score`
        contains the scores of the candidates in the given order, or is None if no items are tied.
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
        """Return the number R of relevant items of each query, as an array of shape (n_queries,).

        Relevant items that are not returned are also counted.
        """
        return self.judged.hits(threshold)

    def preferences(self, threshold=None):
        """For each query, compute the sum in the formula of :func:`bpref`; it runs over the returned relevant items."""
        found = self.relevant_rows(threshold)
        above = self.others_above(threshold)
        worst, scale = self._preference_scale(threshold)
        return self.total_of(found, 1 - np.minimum(above, worst[found.query]) / scale[found.query])

    def others_above(self, threshold):
        """Count, for each relevant row, the nonrelevant judged items above it."""
        found = self.relevant_rows(threshold)
        return self.once(("others", threshold), lambda: found.count_above(self.not_relevant(threshold)))

    def _preference_scale(self, threshold):
        """Return, for each query, R and max(min(R, N), 1), with R and N as in the formula of :func:`bpref`."""
        n_relevant = self.n_relevant(threshold)
        others = RelevantRows(self.judged.ptr, self.judged.not_relevant(threshold))
        return n_relevant, np.maximum(np.minimum(n_relevant, others.count()), 1.0)


def _exponential(grade):
    if len(grade) and np.fmax.reduce(grade) > _MAX_EXPONENT:
        raise InputError(
            f"Grades must be at most {_MAX_EXPONENT} for gain='exponential'; the highest grade is "
            f"{np.nanmax(grade):g}. Use gain='linear'."
        )
    return np.exp2(np.fmax(grade, 0.0)) - 1


#: Gains of grades.
GAINS = {"exponential": _exponential, "linear": lambda grade: np.fmax(grade, 0.0)}
_DISCOUNTS = {
    "log2": lambda position: np.log2(position + 1),
    "ln": lambda position: np.log(position + 1),
    "letor": lambda position: np.log2(np.maximum(position, 2)),
}
