"""The view that every measure takes: the relevance of the returned items, in the order in which they are returned."""

from functools import cached_property

import numpy as np

from .._frames import plain_index
from .._grouped import expand, gather_ranges, group_order, positions
from .._kernels import ragged_cumsum

__all__ = ["RankedRelevance", "RelevanceList"]

# 2 ** 1024 overflows; so high a grade is a score, and a linear gain is meant.
_MAX_EXPONENT = 1000


class RelevanceList:
    """Grades along ragged lists, with the running sums that the measures share.

    Each running sum is computed once, whatever the number of measures and cutoffs that read it.

    Parameters
    ----------
    grade : ndarray of shape (n_rows,), dtype=float64
        Grade at each place, best place first; 0 where an item is not judged.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        List of query ``q`` is ``grade[ptr[q]:ptr[q + 1]]``; it may be empty.
    """

    def __init__(self, grade, ptr):
        self.grade = grade
        self.ptr = ptr
        self._cumulated = {}

    @cached_property
    def position(self):
        """Position of each place in its list, from 1."""
        return positions(self.ptr)

    def relevant(self, threshold=None):
        """Which places hold a relevant item: a grade above 0, or of at least `threshold`."""
        return self.grade > 0 if threshold is None else self.grade >= threshold

    def hits(self, threshold=None):
        """Number of relevant items up to each place."""
        return self._cumulate(("hits", threshold), lambda: self.relevant(threshold).astype(np.float64))

    def precisions(self, threshold=None):
        """Sum of the precisions at relevant places up to each place."""
        return self._cumulate(
            ("precisions", threshold),
            lambda: np.where(self.relevant(threshold), self.hits(threshold) / self.position, 0.0),
        )

    def gains(self, gain, discount):
        """Discounted cumulative gain up to each place."""
        return self._cumulate(
            ("gains", gain, discount), lambda: _GAINS[gain](self.grade) / _DISCOUNTS[discount](self.position)
        )

    def at(self, cumulated, k=None):
        """Read a running sum at position `k` of each list, or at its end where that comes first.

        Parameters
        ----------
        cumulated : ndarray of shape (n_rows,)
        k : int, default=None
            None reads at the end.

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
        return np.where(end > start, cumulated[end - 1], 0.0)

    def _cumulate(self, key, values):
        if key not in self._cumulated:
            self._cumulated[key] = ragged_cumsum(values(), self.ptr)
        return self._cumulated[key]


class RankedRelevance(RelevanceList):
    """Grades of the returned items in the order returned, beside those of all judged items.

    Parameters
    ----------
    grade : ndarray of shape (n_rows,), dtype=float64
        Grade at each place, best place first; 0 where an item is not judged.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        List of query ``q`` is ``grade[ptr[q]:ptr[q + 1]]``; it may be empty.
    judged : RelevanceList
        All grades of each query, retrieved or not, in descending order.

    Examples
    --------
    Five items returned, the first and third relevant, and one more relevant item that was not returned:

    >>> import numpy as np
    >>> from skrankagg.metrics import RankedRelevance, RelevanceList, precision, recall
    >>> judged = RelevanceList(np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]), np.array([0, 6]))
    >>> ranked = RankedRelevance(np.array([1.0, 0.0, 1.0, 0.0, 0.0]), np.array([0, 5]), judged)
    >>> precision(ranked, 5), recall(ranked, 5)
    (array([0.4]), array([0.66666667]))
    """

    def __init__(self, grade, ptr, judged):
        super().__init__(grade, ptr)
        self.judged = judged

    @classmethod
    def from_run(cls, run, qrels, queries):
        """Look up the grades of a run for some judged queries.

        Parameters
        ----------
        run : RankedLists
            One list for each query.
        qrels : Qrels
        queries : ndarray of shape (n_chosen,), dtype=int
            Judged queries to look at; one without results has an empty list.

        Returns
        -------
        RankedRelevance
        """
        place = plain_index(run.queries).get_indexer(plain_index(qrels.queries)[queries])
        # A place behind the last query is an empty range.
        rows, ptr = gather_ranges(np.append(run.row_ptr, run.n_rows), np.where(place < 0, run.n_queries, place))
        grade = np.nan_to_num(qrels.encode(run).relevance[run.pair[rows]])
        places, judged_ptr = gather_ranges(qrels.ptr, queries)
        return cls(grade, ptr, RelevanceList(qrels.best_first[places], judged_ptr))

    @classmethod
    def from_codes(cls, lists, order, encoded, judged):
        """Look up the grades of a consensus.

        Parameters
        ----------
        lists : RankedLists
        order : ndarray of shape (n_pairs,), dtype=int
            Pairs of each query in the order returned.
        encoded : EncodedQrels
            Judgements aligned with `lists`.
        judged : RelevanceList
            All grades of each query, which several runs over the same lists share.

        Returns
        -------
        RankedRelevance
        """
        return cls(np.nan_to_num(encoded.relevance[order]), lists.pair_ptr, judged)

    @cached_property
    def retrieved(self):
        """Grades of the returned items in descending order: the ideal ranking of what was returned."""
        return RelevanceList(self.grade[group_order(expand(self.ptr), -self.grade)], self.ptr)

    @property
    def n_retrieved(self):
        """Number of items returned for each query."""
        return np.diff(self.ptr)

    def n_relevant(self, threshold=None):
        """Number of relevant items of each query, returned or not."""
        return self.judged.at(self.judged.hits(threshold))


def _exponential(grade):
    if len(grade) and grade.max() > _MAX_EXPONENT:
        raise ValueError(
            f"gain='exponential' expects grades of at most {_MAX_EXPONENT}; the highest is {grade.max():g}. Use "
            "gain='linear'."
        )
    return np.exp2(np.maximum(grade, 0.0)) - 1


_GAINS = {"exponential": _exponential, "linear": lambda grade: np.maximum(grade, 0.0)}
_DISCOUNTS = {"log2": lambda position: np.log2(position + 1), "ln": lambda position: np.log(position + 1)}
