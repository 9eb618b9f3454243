"""The view that every measure takes: the relevance of the returned items, in the order in which they are returned."""

from functools import cached_property

import numpy as np

from ..._arrays._ragged import expand, gather_ranges, group_order, positions
from ..._data._conflicts import describe_conflict
from ..._data._frames import plain_index
from ..._data._qrels import encode_run
from ..._kernels import ragged_cumsum
from ...exceptions import InputError

__all__ = ["RankedRelevance", "RelevanceList"]

# 2 ** 1024 overflows; so high a grade is a score, and a linear gain is meant.
_MAX_EXPONENT = 1000


class RelevanceList:
    """Grades along ragged lists, with the running sums that the measures share.

    Each running sum is computed once, whatever the number of measures and cutoffs that read it. What a measure adds up
    at each place goes through :meth:`rate`, which a view of the expectation over ties turns into means.

    Parameters
    ----------
    grade : ndarray of shape (n_rows,), dtype=float64
        Grade at each place, best place first; NaN where an item is not judged.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        List of query ``q`` is ``grade[ptr[q]:ptr[q + 1]]``; it may be empty.

    See Also
    --------
    RankedRelevance : With the judgements of what was not returned.

    Examples
    --------
    Two lists, of three places and of two:

    >>> import numpy as np
    >>> from skrankagg.metrics import RelevanceList
    >>> lists = RelevanceList(np.array([1.0, 0.0, 2.0, 0.0, 1.0]), np.array([0, 3, 5]))
    >>> lists.hits()
    array([1, 1, 2, 0, 1], dtype=int32)
    >>> lists.at(lists.hits(), k=2)
    array([1., 1.])
    """

    def __init__(self, grade, ptr):
        self.grade = grade
        self.ptr = ptr
        self._cumulated = {}
        self._heads = {}

    @cached_property
    def position(self):
        """Position of each place in its list, from 1."""
        return positions(self.ptr)

    @cached_property
    def row_query(self):
        """Query of each place."""
        return expand(self.ptr)

    @property
    def n_queries(self):
        """Number of queries, those without results among them."""
        return len(self.ptr) - 1

    def relevant(self, threshold=None):
        """Tell which places hold a relevant item.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=bool
            Whether the grade is above 0, or at least `threshold`.
        """
        return self.grade > 0 if threshold is None else self.grade >= threshold

    def not_relevant(self, threshold=None):
        """Tell which places hold an item that is judged not relevant.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=bool
            False for an item that is not judged, or has a negative grade.
        """
        return (self.grade >= 0) & ~self.relevant(threshold)

    def rate(self, value):
        """Turn a value of the item at each place into what the place has of it.

        Parameters
        ----------
        value : ndarray of shape (n_rows,)
            Such as the gain of the item that stands there.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=float64
            The same here; the mean over a group of ties in a view of the expectation over ties.
        """
        return value.astype(np.float64, copy=False)

    def hits(self, threshold=None):
        """Count the relevant items up to each place.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=int32 or float64
            Counted from the top of each list; their expected number in a view of the expectation over ties.
        """
        key = ("hits", threshold)
        if key not in self._cumulated:
            self._cumulated[key] = self._count(self.relevant(threshold))
        return self._cumulated[key]

    def _count(self, mask):
        # Whole numbers: the difference of two running totals over everything is exact.
        total = np.cumsum(mask, dtype=np.int32)
        before = np.concatenate([np.zeros(1, dtype=np.int32), total])[self.ptr[:-1]]
        total -= np.repeat(before, np.diff(self.ptr))
        return total

    def head(self, k):
        """The same lists without places far behind the k-th, where measures at small cutoffs need not look.

        Parameters
        ----------
        k : int or None
            Cutoff; None, or an array of one for each query, leaves nothing out.

        Returns
        -------
        RelevanceList
            Itself where there is little to leave out; one list for several cutoffs.
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
        """Add up the precisions at the relevant places among the first `k` of each list.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.
        k : int, default=None
            Cutoff; None takes all places.

        Returns
        -------
        ndarray of shape (n_queries,), dtype=float64
            What average precision divides by the number of relevant items.
        """
        rows = np.flatnonzero(self.relevant(threshold))
        return self.sum_of(rows, self.hits(threshold)[rows] / self.position[rows], k)

    def firsts(self, threshold=None):
        """Find where the first relevant item of each list may stand.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        rows : ndarray of shape (n_firsts,), dtype=int64
            The places, at most one of a list here.
        chance : ndarray of shape (n_firsts,), dtype=float64
            Probability of each, here 1.
        """
        rows = np.flatnonzero(self.relevant(threshold) & (self.hits(threshold) == 1))
        return rows, np.ones(len(rows))

    def sum_of(self, rows, value, k=None):
        """Add up a value of some rows along the first `k` places of each list.

        Parameters
        ----------
        rows : ndarray of shape (n_chosen,), dtype=int
            The rows, places of any list.
        value : ndarray of shape (n_chosen,), dtype=float64
            Their values.
        k : int, default=None
            None takes all places.

        Returns
        -------
        ndarray of shape (n_queries,)
            0 for a list without such rows.
        """
        if k is not None:
            near = self.position[rows] <= k
            rows, value = rows[near], value[near]
        return np.bincount(self.row_query[rows], weights=value, minlength=self.n_queries).astype(np.float64)

    def gains(self, gain, discount):
        """Add up the discounted gains up to each place.

        Parameters
        ----------
        gain : {"exponential", "linear"}
            What a grade gains.
        discount : {"log2", "ln"}
            By how much a place lowers it.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=float64
            Discounted cumulative gain.
        """
        return self.cumulate(
            ("gains", gain, discount), lambda: self.rate(_GAINS[gain](self.grade)) / self._discounts(discount)
        )

    def _discounts(self, discount):
        longest = int(np.diff(self.ptr).max(initial=0))
        return _DISCOUNTS[discount](np.arange(longest + 1))[self.position]

    def stops(self, chance):
        """Probability that a user who reads from the top stops at each place.

        Parameters
        ----------
        chance : ndarray of shape (n_rows,)
            That the user stops at the item, once there; below 1.

        Returns
        -------
        ndarray of shape (n_rows,)
            That the user comes there and stops.
        """
        goes_on = np.log1p(-chance)
        return chance * np.exp(ragged_cumsum(goes_on, self.ptr) - goes_on)

    def cumulate(self, key, values):
        """Add up along each list, once for each key.

        Parameters
        ----------
        key : hashable
            Name of the sum, with all that it depends on.
        values : callable
            Gives the terms, float64 of shape (n_rows,).

        Returns
        -------
        ndarray of shape (n_rows,), dtype=float64
            The sum from the top of the list to each place.
        """
        if key not in self._cumulated:
            self._cumulated[key] = ragged_cumsum(values(), self.ptr)
        return self._cumulated[key]

    def at(self, cumulated, k=None):
        """Read a running sum at position `k` of each list, or at its end where that comes first.

        Parameters
        ----------
        cumulated : ndarray of shape (n_rows,)
            Such as :meth:`cumulate` gives.
        k : int or ndarray of shape (n_queries,), default=None
            None reads at the end; at 0 the sum is 0.

        Returns
        -------
        ndarray of shape (n_queries,)
            0 for an empty list.
        """
        start, end = self.ptr[:-1], self.ptr[1:]
        if k is not None:
            end = np.minimum(end, start + k)
        if len(cumulated) == 0:
            return np.zeros(len(start))
        return np.where(end > start, cumulated[end - 1], 0.0).astype(np.float64, copy=False)

    def total(self, value, k=None):
        """Add up a value along the first `k` places of each list.

        Parameters
        ----------
        value : ndarray of shape (n_rows,)
            Value of each place.
        k : int or ndarray of shape (n_queries,), default=None
            Cutoff; None takes all places.

        Returns
        -------
        ndarray of shape (n_queries,), dtype=float64
            0 for an empty list.
        """
        if k is not None:
            value = np.where(self.position <= (k[self.row_query] if np.ndim(k) else k), value, 0.0)
        sums = np.zeros(self.n_queries)
        filled = np.diff(self.ptr) > 0
        if filled.any():
            sums[filled] = np.add.reduceat(value, self.ptr[:-1][filled], dtype=np.float64)
        return sums

    def best(self, value):
        """Find the largest value of each list.

        Parameters
        ----------
        value : ndarray of shape (n_rows,)
            Value of each place.

        Returns
        -------
        ndarray of shape (n_queries,), dtype=float64
            At least 0, also for an empty list.
        """
        largest = np.zeros(self.n_queries)
        filled = np.diff(self.ptr) > 0
        if filled.any():
            largest[filled] = np.maximum(np.maximum.reduceat(value, self.ptr[:-1][filled]), 0.0)
        return largest


class RankedRelevance(RelevanceList):
    """Grades of the returned items in the order returned, beside those of all judged items.

    Every measure is a function of it: what was returned is in its own arrays, what could have been in `judged`.

    Parameters
    ----------
    grade : ndarray of shape (n_rows,), dtype=float64
        Grade at each place, best place first; NaN where an item is not judged.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        List of query ``q`` is ``grade[ptr[q]:ptr[q + 1]]``; it may be empty.
    judged : RelevanceList
        All grades of each query, retrieved or not, in descending order.
    score, rank : ndarray of shape (n_rows,), default=None
        Scores of the places, or their ranks where there are no scores: equal ones tie. Without either there are no
        ties.
    item : tuple of ndarray of shape (n_rows,) and pandas.Index, default=None
        Codes of the items, and the ids behind the codes, which break the ties of trec_eval.
    conflict : str, default=None
        Lists whose ranks and scores order their items differently, in words; None where there is no such list.

    See Also
    --------
    get_measure : What is computed from it.
    evaluate : From frames.

    Examples
    --------
    Five items returned, the first and third relevant, and one more relevant item that was not returned:

    >>> import numpy as np
    >>> from skrankagg.metrics import RankedRelevance, RelevanceList, get_measure
    >>> judged = RelevanceList(np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), np.array([0, 6]))
    >>> ranked = RankedRelevance(np.array([1.0, 0.0, 1.0, 0.0, 0.0]), np.array([0, 5]), judged)
    >>> get_measure("p@5")(ranked), get_measure("recall@5")(ranked)
    (array([0.4]), array([0.66666667]))
    """

    def __init__(self, grade, ptr, judged, *, score=None, rank=None, item=None, conflict=None):
        super().__init__(grade, ptr)
        self.judged = judged
        self.conflict = conflict
        self.views = {}
        self._get_columns = lambda: (score, rank, item)

    @cached_property
    def _columns(self):
        return self._get_columns()

    @property
    def score(self):
        """Score of each place, or None."""
        return self._columns[0]

    @property
    def rank(self):
        """Rank of each place, or None."""
        return self._columns[1]

    @property
    def item(self):
        """Codes of the items of each place and the index behind them, or None."""
        return self._columns[2]

    @classmethod
    def from_run(cls, run, qrels, queries):
        """Look up the grades of a run for some judged queries.

        Parameters
        ----------
        run : RankedLists or None
            One list for each query; None is an empty run.
        qrels : Qrels
            Judgements.
        queries : ndarray of shape (n_chosen,), dtype=int
            Judged queries to look at; one without results has an empty list.

        Returns
        -------
        RankedRelevance
        """
        places, judged_ptr = gather_ranges(qrels.ptr, queries)
        judged = RelevanceList(qrels.best_first[places], judged_ptr)
        if run is None:
            return cls(np.zeros(0), np.zeros(len(queries) + 1, dtype=np.int64), judged)
        place = plain_index(run.queries).get_indexer(plain_index(qrels.queries)[queries])
        if np.array_equal(place, np.arange(run.n_queries)):
            rows, ptr = slice(None), run.row_ptr
        else:  # a place behind the last query is an empty range
            rows, ptr = gather_ranges(np.append(run.row_ptr, run.n_rows), np.where(place < 0, run.n_queries, place))
        ranked = cls(
            encode_run(qrels, run).relevance[run.candidate[rows]],
            ptr,
            judged,
            conflict=describe_conflict(run, np.isin(np.arange(run.n_queries), place)),
        )
        # Most rules for ties look at nothing else.
        ranked._get_columns = lambda: (
            run.score[rows] if run.has_scores else None,
            run.rank[rows],
            (run.candidate_item[run.candidate[rows]], run.items),
        )
        return ranked

    @classmethod
    def from_codes(cls, lists, order, encoded, judged, *, score=None):
        """Look up the grades of a consensus.

        Parameters
        ----------
        lists : RankedLists
            What was aggregated.
        order : ndarray of shape (n_candidates,), dtype=int
            Candidates of each query in the order returned.
        encoded : EncodedQrels
            Judgements aligned with `lists`.
        judged : RelevanceList
            All grades of each query, which several runs over the same lists share.
        score : ndarray of shape (n_candidates,), default=None
            Scores in this order; None means that there are no ties.

        Returns
        -------
        RankedRelevance
        """
        ranked = cls(encoded.relevance[order], lists.candidate_ptr, judged)
        ranked._get_columns = lambda: (score, None, (lists.candidate_item[order], lists.items))
        return ranked

    def positive_only(self):
        """Take items with scores of at most 0 for not relevant, as FLAGR's evaluation does; without scores, none.

        Returns
        -------
        RankedRelevance
            A view with grades of at most 0 at those places; itself where there are none.
        """
        if self.score is None or (self.score > 0).all():
            return self
        if "positive" not in self.views:
            grade = np.where(self.score > 0, self.grade, np.fmin(self.grade, 0.0))
            self.views["positive"] = RankedRelevance(
                grade,
                self.ptr,
                self.judged,
                score=self.score,
                rank=self.rank,
                item=self.item,
                conflict=self.conflict,
            )
        return self.views["positive"]

    @cached_property
    def retrieved(self):
        """Grades of the returned items in descending order: the ideal ranking of what was returned."""
        grade = np.nan_to_num(self.grade)
        return RelevanceList(grade[group_order(self.row_query, -grade)] if len(grade) else grade, self.ptr)

    @property
    def n_retrieved(self):
        """Number of items returned for each query."""
        return np.diff(self.ptr)

    def n_relevant(self, threshold=None):
        """Count the relevant items of each query, returned or not.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        ndarray of shape (n_queries,), dtype=float64
            R of the measures.
        """
        return self.judged.total(self.judged.relevant(threshold))

    def preferences(self, threshold=None):
        """Find the share of the items judged not relevant that do not stand above each relevant place.

        Only the first R of them are looked at, with R relevant items.

        Parameters
        ----------
        threshold : float, default=None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=float64
            0 at places without a relevant item.
        """
        above = self.total_above(threshold)
        worst, scale = self._preference_scale(threshold)
        return np.where(self.relevant(threshold), 1 - np.minimum(above, worst) / scale, 0.0)

    def total_above(self, threshold):
        """Count the items judged not relevant up to each place.

        Parameters
        ----------
        threshold : float or None
            Lowest grade that is relevant; None means above 0.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=float64
            Counted from the top of each list.
        """
        return self.cumulate(("not relevant", threshold), lambda: self.not_relevant(threshold).astype(np.float64))

    def _preference_scale(self, threshold):
        n_relevant = self.n_relevant(threshold)
        n_others = self.judged.total(self.judged.not_relevant(threshold).astype(np.float64))
        scale = np.maximum(np.minimum(n_relevant, n_others), 1.0)
        return n_relevant[self.row_query], scale[self.row_query]


def _exponential(grade):
    if len(grade) and np.fmax.reduce(grade) > _MAX_EXPONENT:
        raise InputError(
            f"gain='exponential' expects grades of at most {_MAX_EXPONENT}; the highest is {np.nanmax(grade):g}. Use "
            "gain='linear'."
        )
    return np.exp2(np.fmax(grade, 0.0)) - 1


_GAINS = {"exponential": _exponential, "linear": lambda grade: np.fmax(grade, 0.0)}
_DISCOUNTS = {"log2": lambda position: np.log2(position + 1), "ln": lambda position: np.log(position + 1)}
