"""Base class of methods that learn from judgements which positions in a voter's lists have relevant items.

A list is divided into consecutive *cells*: its positions, segments or bins. Each voter has a table with a number for
each cell that some training list of the voter reaches. The tables of all voters are concatenated; the last table
contains the numbers for all voters together. Tied items share their positions: each item is divided equally among these
positions.
"""

from numbers import Real
from typing import Literal

import numpy as np

from ..._arrays._ragged import positions, starts_to_ptr, tie_starts
from ..._data._frames import frame_of, take_ids
from ..._data._types import AnyQrels
from ..._support._sklearn import Interval, StrOptions, check_is_fitted
from ...base import Consensus, SupervisedAggregator
from ...base._consensus import Contributions
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ...base._weighted import match_voters
from ...exceptions import InputError
from .._scores._row_sums import sum_rows, sum_rows_again, sum_sizes, times, weigh_rows


def tie_means(lists, value):
    """Return, for each row, the mean value of the rows in its tie group.

    The result is float64 of shape (n_rows,).

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators._learned._position_tables import tie_means
    >>> frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["a", "b", "c"], "rank": [1, 2, 2]})
    >>> tie_means(RankedLists.from_frame(frame), np.array([1.0, 0.0, 1.0]))
    array([1. , 0.5, 0.5])
    """
    start = tie_starts(lists.row_ptr, lists.rank)
    if start.all():
        return value
    ptr = starts_to_ptr(start)
    size = np.diff(ptr)
    return np.repeat(np.add.reduceat(value, ptr[:-1]) / size, size)


class CellSums:
    """Sums over the cells of each voter's training lists; a cell is a position, a segment or a bin of a list.

    Lists of weight 0 are left out.

    Parameters
    ----------
    lists : RankedLists
        Training lists.
    cell : ndarray of shape (n_rows,), dtype=int64
        Cell of each row, from 0. Within a list the cells are in ascending order, and no cell is skipped.

    Attributes
    ----------
    voters : ndarray of shape (n_known,)
        Indices of the voters that have a list.
    ptr : ndarray of shape (n_known + 1,)
        Offsets: ``voters[k]`` has the entries ``ptr[k]`` to ``ptr[k + 1] - 1``. A voter has one entry for each cell
        that some of its lists reach.
    place : ndarray of shape (n_entries,)
        Cell of each entry.
    """

    def __init__(self, lists, cell):
        counts = lists.list_weight > 0
        depth = np.zeros(lists.n_voters, dtype=np.int64)
        np.maximum.at(depth, lists.list_voter[counts], cell[lists.row_ptr[1:] - 1][counts] + 1)
        self.voters = np.flatnonzero(depth)
        self.ptr = np.concatenate([[0], np.cumsum(depth[self.voters])])
        self.place = positions(self.ptr) - 1
        self.voter_weight = np.bincount(lists.list_voter, weights=lists.list_weight, minlength=lists.n_voters)
        self.voter_weight = self.voter_weight[self.voters]
        self.voter_lists = np.bincount(lists.list_voter[counts], minlength=lists.n_voters)[self.voters]
        # The rows of a cell are consecutive rows of its list.
        self._heads = np.flatnonzero(tie_starts(lists.row_ptr, cell))
        of_list = lists.row_list[self._heads]
        self._kept = np.flatnonzero(counts[of_list])
        of_list = of_list[self._kept]
        first = np.cumsum(depth) - depth
        self._entry = first[lists.list_voter[of_list]] + cell[self._heads[self._kept]]
        self._weight = lists.list_weight[of_list]
        self._n_rows = lists.n_rows

    def sizes(self):
        """Count the rows in each cell of each list."""
        return np.diff(np.append(self._heads, self._n_rows))[self._kept]

    def of_rows(self, value):
        """Add up the values of the rows in each cell of each list; `value` is float64 of shape (n_rows,)."""
        return np.add.reduceat(value, self._heads)[self._kept]

    def of_lists(self, value):
        """Compute, for each entry (voter and cell), the weighted sum of the cell's values over the voter's lists."""
        return np.bincount(self._entry, weights=self._weight * value, minlength=len(self.place))

    def n_lists(self):
        """Count, for each entry (voter and cell), the lists of the voter that reach the cell."""
        return np.bincount(self._entry, minlength=len(self.place))

    def pool(self, value):
        """Add up, for each cell, the values of all voters with a list that reaches the cell."""
        return np.bincount(self.place, weights=value)


class LearnsFromPositions(SupervisedAggregator):
    """Base class of methods that learn a value for each cell, and add up the values of the cells that contain an item.

    A cell is a position, a segment or a bin of a voter's lists.

    A subclass defines three methods. ``_cells(lists)`` returns the cell of each row. ``_learn(lists, judged)`` learns
    tables and stores them with ``_keep_tables``. ``_values(lists)`` reads the tables.
    """

    _any_numbering = True
    _repeats_columns = True
    _tags = {"smooth": True}
    _parameter_constraints: dict = {
        "relevance_threshold": [Interval(Real, 0, None, closed="neither"), None],
        "unknown_voter": [StrOptions({"mean", "ignore", "error"})],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports errors in anything else
        **VOTER_WEIGHTS,
    }

    def __init__(
        self,
        *,
        relevance_threshold: float | None = None,
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        voter_weights: VoterWeights | None = None,
        qrels: AnyQrels | None = None,
    ):
        self.relevance_threshold = relevance_threshold
        self.unknown_voter = unknown_voter
        self.voter_weights = voter_weights
        self.qrels = qrels

    def _cells(self, lists):
        raise NotImplementedError

    def _values(self, lists):
        """Return the lists, the value of each row, and the value of each list's absent items.

        The lists of ignored voters are returned with list weight 0. The values have shapes (n_rows,) and (n_lists,);
        they are not yet multiplied by the weights of the lists. If all absent items have the value 0, the last result
        is None.
        """
        raise NotImplementedError

    def _relevant(self, lists, judged):
        """Return a mask of the relevant candidates.

        Raises InputError if no list of positive weight contains a relevant candidate.
        """
        self._check_range(lists, lists.n_candidates)
        grade, threshold = judged.relevance, self.relevance_threshold
        relevant = grade > 0 if threshold is None else grade >= threshold
        if not (relevant[lists.candidate] & (lists.list_weight > 0)[lists.row_list]).any():
            least = "" if threshold is None else f" of at least {threshold:g}"
            raise InputError(
                f"{type(self).__name__} learns from relevant items, but no training list with a weight above 0 "
                f"contains an item with a relevance{least or ' above 0'}. Lower relevance_threshold, check the "
                "weights, or judge more queries."
            )
        return relevant

    def _check_range(self, lists, size):
        """Raise InputError if the sum of the list weights, multiplied by `size`, is not finite."""
        with np.errstate(over="ignore"):
            if lists.is_weighted and not np.isfinite(lists.list_weight.sum() * size):
                raise InputError(
                    f"The sum of the list weights must be within the range of floating-point numbers; "
                    f"{type(self).__name__} got weights up to {lists.list_weight.max():g}. Divide the weights of all "
                    "lists by the largest weight."
                )

    def _keep_tables(self, lists, sums, table, pooled):
        """Store the tables of learnt values: one for each voter, and `pooled`, which is used for unknown voters.

        `table` contains the tables of the voters one after the other; ``sums.ptr`` contains their offsets.
        """
        self._known = frame_of({"voter": take_ids(lists.voters, sums.voters)})
        self._ptr = np.append(sums.ptr, sums.ptr[-1] + len(pooled))
        self._table = np.concatenate([table, pooled])

    def _match(self, lists):
        """Return the lists, and for each list the number of the table to use; lists of ignored voters get weight 0."""
        check_is_fitted(self)
        lists, place = match_voters(
            self,
            lists,
            self._known,
            "table",
            "the table pooled over all voters, and the tables of single voters are not used",
            "fit it on lists of these voters",
        )
        return lists, np.where(place < 0, len(self._known), place)

    def _entries(self, number, row_list, cell):
        """Return, for each row, the index of its learnt value in the concatenated tables.

        A row is an item in a list; `number` contains the number of the table of each list. If no training list reaches
        the cell of a row, the last value of the voter's table is used.
        """
        depth = np.diff(self._ptr)[number]
        return self._ptr[:-1][number][row_list] + np.minimum(cell, (depth - 1)[row_list])

    def _names_voters(self):
        # Lists of ignored voters must not affect the order of tied items; `_rank` sets their weights to 0.
        return super()._names_voters() or self.unknown_voter == "ignore"

    def _rank(self, lists):
        if self.unknown_voter == "ignore":
            lists, _ = self._match(lists)
        return super()._rank(lists)

    def _aggregate(self, lists):
        lists, held, absent = self._values(lists)
        self._check_range(lists, 1 + np.abs(held).max() + (0 if absent is None else np.abs(absent).max()))
        if absent is None:
            return Consensus(sum_rows(lists, held))
        gain = held - absent[lists.row_list]
        return Consensus(sum_rows(lists, gain, absent), scale=sum_sizes(lists, gain, absent))

    def _repeat(self, lists):
        # The input has only weights of 1, so the lists with weight 0 in the result belong to ignored voters.
        silenced, held, absent = self._values(lists.with_list_weight(np.ones(lists.n_lists)))
        total = sum_rows_again(lists, held if absent is None else held - absent[lists.row_list], absent)
        return lambda weight: total(times(silenced.list_weight, weight))

    def _contributions(self, lists):
        lists, held, absent = self._values(lists)
        return Contributions(weigh_rows(lists, held), None if absent is None else absent * lists.list_weight)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # A learnt value can be higher at a worse rank.
        tags.aggregator_tags.unanimity = False
        return tags
