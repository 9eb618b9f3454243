"""Likelihood of ranked lists under the Plackett-Luce model, with its gradient and its information matrix.

In the model, the items of a list are chosen one after the other from the remaining items, with probabilities in
proportion to their worths. A row is one item of one list. The total worth of the items that remain at a row is a
running total from the end of the list. The contribution of the row to the gradient is a running total from the start of
the list. A few array operations on the rows therefore handle all lists of all queries.

The tied items of a list form a class, and a class of d items takes d choices, numbered r = 0, ..., d - 1. With
``ties="efron"``, the share r/d of the worth of the class is subtracted from the remaining worth before choice r. With
``ties="breslow"``, nothing is subtracted. Both are rules for tied event times in Cox's proportional hazards model, and
the likelihood computed here is the partial likelihood of Cox's model.
"""

import copy
from itertools import pairwise

import numpy as np

from ..._arrays._ragged import gather_ranges, starts_to_ptr
from ..._data._compared_items import ranks_absent_last
from ..._kernels import ragged_cumsum


class Stages:
    """Plackett-Luce likelihood of ranked lists, prepared for many evaluations.

    Parameters
    ----------
    lists : RankedLists
        Lists of weight 0 are ignored.
    absent : {"auto", "last", "ignore"}
        How to treat items missing from a list: with "last" they are available at every choice but never chosen.
    ties : {"efron", "breslow"}
        Model of the choice among tied items.
    """

    #: Number of wins that each of two tied items gets. None means that lists of two items need other formulas.
    tied_win = 1.0
    #: Whether the log-worths are the only variables, so that queries without ties have the likelihood of this class.
    is_plain = True

    def __init__(self, lists, absent, ties, *, is_strict=None):
        self.lists, self.options = lists, {"absent": absent, "ties": ties}
        #: Mask of the lists that rank absent items last, and whether there are such lists.
        self.below = ranks_absent_last(lists, absent)
        self.any_below = bool(self.below.any())
        # If all such lists contain all items of their query, there are no absent items to count.
        self.any_absent = bool((self.below & (lists.list_length < lists.query_n_items[lists.list_query])).any())
        self.weight = lists.list_weight[lists.row_list]
        self.candidate, self.row_list, self.ptr = lists.candidate, lists.row_list, lists.row_ptr
        #: Masks of the tie sizes with a parameter; this model has no such parameters.
        self.seen = self.free = np.zeros((lists.n_queries, 0), dtype=bool)
        self.list_ptr = lists.list_ptr
        # Rows are sorted by rank; a class begins where the rank changes.
        start = np.ones(lists.n_rows, dtype=bool)
        start[1:] = (lists.rank[1:] != lists.rank[:-1]) | (self.row_list[1:] != self.row_list[:-1])
        self.is_strict = bool(start.all()) if is_strict is None else is_strict
        if not self.is_strict:
            self.class_ptr = starts_to_ptr(start)
            self.row_class = np.cumsum(start) - 1
            size = np.diff(self.class_ptr)[self.row_class]
            place = np.arange(lists.n_rows) - self.class_ptr[self.row_class]
            #: Share of the worth of the row's class that is subtracted from the remaining worth.
            self.taken = place / size if ties == "efron" else np.zeros(lists.n_rows)
        # Rows from the end of each list to its beginning.
        ends = self.ptr[1:][self.row_list] - 1
        self.backwards = ends - (np.arange(lists.n_rows) - self.ptr[self.row_list])

    def start(self, log_worth):
        """Return the start values of the variables; in this model the log-worths are the only variables."""
        return log_worth

    def extra_query(self):
        """Return an empty array, because there are no variables besides the log-worths."""
        return np.empty(0, dtype=np.int64)

    def with_list_weight(self, weight):
        """Return a copy that uses other list weights; `weight` has shape (n_lists,)."""
        other = copy.copy(self)
        other.weight = weight[self.row_list]
        return other

    def take(self, queries):
        """Return the likelihood of some queries; its results for these queries are the same to the last bit."""
        lists = self.lists
        other = type(self)(lists.take(queries), **self.options, is_strict=self.is_strict)
        own_lists, _ = gather_ranges(lists.list_ptr, queries)
        own_rows, _ = gather_ranges(self.ptr, own_lists)
        other.weight = self.weight[own_rows]
        return other

    def tie_sizes_of(self, other):
        """Do nothing, because this model has no tie sizes that could be copied."""

    def n_choices(self):
        """Return the total weight of the lists that contain each candidate (a pair of a query and an item)."""
        return np.bincount(self.candidate, weights=self.weight, minlength=self.lists.n_candidates)

    def value_and_gradient(self, log_worth):
        """Compute the log-likelihood of each query, and its derivative with respect to each candidate's log-worth."""
        worth, shift = self._worths(log_worth)
        left = self._left(worth)
        logs, share, rest = self._logs_and_shares(worth, left)
        gradient = np.bincount(
            self.candidate, weights=self.weight - worth[self.candidate] * share, minlength=self.lists.n_candidates
        )
        if rest is not None:
            gradient -= worth * self._over_absent(rest)
        return self._sum_of_logs(log_worth - shift, logs), gradient

    def log_likelihood(self, log_worth):
        """Compute the log-likelihood of each query, bitwise equal to the first result of `value_and_gradient`."""
        worth, shift = self._worths(log_worth)
        return self._sum_of_logs(log_worth - shift, self._logs(worth, self._left(worth)))

    def curvature(self, log_worth):
        """Compute -1 times the second derivative of the log-likelihood with respect to each candidate's log-worth."""
        worth, _ = self._worths(log_worth)
        left = self._left(worth)
        share, rest = self._shares(worth, left, self.weight)
        square, square_rest = self._shares(worth, left, self.weight, order=2, both=True)
        mine = worth[self.candidate]
        diagonal = np.bincount(
            self.candidate, weights=mine * (share - mine * square), minlength=self.lists.n_candidates
        )
        if rest is not None:
            diagonal += worth * (self._over_absent(rest) - worth * self._over_absent(square_rest))
        return np.maximum(diagonal, 0.0)

    def by_list(self, log_worth):
        """Yield, for each query, an array of shape (n_lists, n_items): the derivatives of each list's log-likelihood.

        The derivatives are with respect to the log-worths of the items. The log-likelihood of a list is not multiplied
        by the weight of the list.
        """
        worth, _ = self._worths(log_worth)
        share, rest = self._shares(worth, self._left(worth), np.ones_like(self.weight))
        slope = 1.0 - worth[self.candidate] * share
        for own, mine, rows in self._of_queries():
            score = np.zeros((mine.stop - mine.start, own.stop - own.start))
            if rest is not None:
                score -= worth[own] * rest[mine, None]
            score[self.row_list[rows] - mine.start, self.candidate[rows] - own.start] = slope[rows]
            yield score

    def information(self, log_worth):
        """Yield the information matrix of each query; its shape is (n_items, n_items).

        This is the matrix of the second derivatives of the log-likelihood with respect to the log-worths, multiplied by
        -1.
        """
        worth, _ = self._worths(log_worth)
        left = self._left(worth)
        share, rest = self._shares(worth, left, self.weight)
        square, square_rest = self._shares(worth, left, self.weight, order=2)
        pairs = self._pairs_of_classes(worth, left)
        for own, mine, _ in self._of_queries():
            n = own.stop - own.start
            curvature, diagonal = np.zeros((n, n)), np.zeros(n)
            for k in range(mine.start, mine.stop):
                rows = slice(self.ptr[k], self.ptr[k + 1])
                item = self.candidate[rows] - own.start
                # Two items are both available until the upper one is chosen.
                shared = np.minimum.outer(square[rows], square[rows])
                if not self.is_strict:
                    pairs(rows, shared)
                if rest is None or not self.below[k]:
                    curvature[np.ix_(item, item)] += shared
                    diagonal[item] += share[rows]
                else:
                    # Absent items are available at every choice.
                    whole, every = np.full((n, n), square_rest[k]), np.full(n, rest[k])
                    whole[item] = square[rows][:, None]
                    whole[:, item] = square[rows]
                    whole[np.ix_(item, item)] = shared
                    every[item] = share[rows]
                    curvature += whole
                    diagonal += every
            curvature *= -worth[own][:, None] * worth[own]
            curvature[np.arange(n), np.arange(n)] += worth[own] * diagonal
            yield curvature

    def _sum_of_logs(self, log_worth, logs):
        """Return the log-likelihood of each query; `logs` contains the logarithm of the worth available at each row."""
        terms = self.weight * (log_worth[self.candidate] - logs)
        return np.bincount(self.lists.list_query[self.row_list], weights=terms, minlength=self.lists.n_queries)

    def _of_queries(self):
        """Yield three slices for each query, which select its candidates, its lists and its rows."""
        lists = self.lists
        for own, mine in zip(pairwise(lists.candidate_ptr), pairwise(lists.list_ptr), strict=True):
            yield slice(*own), slice(*mine), slice(*self.ptr[list(mine)])

    def _worths(self, log_worth):
        """Scale the worths of each query to a maximum of 1, and return the worths and their shifts.

        A candidate is an item of a query. Its shift is the number that is subtracted from its log-worth.
        """
        lists = self.lists
        shift = np.maximum.reduceat(log_worth, lists.candidate_ptr[:-1])[lists.candidate_query]
        return np.exp(log_worth - shift), shift

    def _left(self, worth):
        """Add up, for each row, the worths of the items that are available when the row's item is chosen."""
        mine = worth[self.candidate]
        left = self._from_end(mine)
        if not self.is_strict:
            left = self._without_chosen(mine, left)
        if self.any_absent:
            lists = self.lists
            held = np.add.reduceat(mine, self.ptr[:-1])
            total = np.add.reduceat(worth, lists.candidate_ptr[:-1])[lists.list_query]
            # If a list contains all items, the worth of its absent items is exactly 0, whatever the rounding.
            full = lists.list_length == lists.query_n_items[lists.list_query]
            left = left + np.where(full | ~self.below, 0.0, np.maximum(total - held, 0.0))[self.row_list]
        return left

    def _from_end(self, mine):
        """Add up, for each row, the worths from this row to the end of its list."""
        return ragged_cumsum(mine[self.backwards], self.ptr)[self.backwards]

    def _without_chosen(self, mine, left):
        """Return the worth available at each row, if earlier choices in a tied class have used up a share of the class.

        The attribute `taken` contains this share for each row. `left` contains the total worth from each row to the end
        of its list.
        """
        of_class = np.add.reduceat(mine, self.class_ptr[:-1])
        return left[self.class_ptr[:-1]][self.row_class] - self.taken * of_class[self.row_class]

    def _logs(self, worth, left):
        """Return the logarithm of `left`, the worth that is available at each choice."""
        return np.log(left)

    def _logs_and_shares(self, worth, left):
        """Return the results of `_logs` and of `_shares`."""
        return self._logs(worth, left), *self._shares(worth, left, self.weight)

    def _shares(self, worth, left, weight, *, order=1, both=False):
        """Compute, for each row, the sum of ``weight / left**order`` over the choices at which its item is available.

        The second result contains the sum over all choices of each list. It is None if no list ranks absent items last.
        `left` contains the total worth of the items available at each choice. Choices before the class of the item are
        added in full. A choice within the item's own class is multiplied by the share of the class that is still
        available at this choice. If `both` is true, this share is squared, which is needed for derivatives with respect
        to two items of the class.
        """
        chance = weight / left if order == 1 else weight / left**2
        running = ragged_cumsum(chance, self.ptr)
        rest = self._of_whole_lists(running)
        if self.is_strict:
            return running, rest
        head = self.class_ptr[:-1]
        before = running[head] - chance[head]
        inside = np.add.reduceat(chance * (1.0 - self.taken) ** (2 if both else 1), head)
        return (before + inside)[self.row_class], rest

    def _of_whole_lists(self, running):
        """Return the running total at the end of each list that ranks absent items last, and 0 for other lists."""
        return np.where(self.below, running[self.ptr[1:] - 1], 0.0) if self.any_absent else None

    def _pairs_of_classes(self, worth, left):
        """Return a function that corrects the matrix of second derivatives of one list, or None if no items tie.

        The function replaces, in place, the elements for two items of the same tied class.
        """
        if self.is_strict:
            return None
        both = self._shares(worth, left, self.weight, order=2, both=True)[0]

        def correct(rows, shared):
            tied = np.equal.outer(self.row_class[rows], self.row_class[rows])
            shared[tied] = np.broadcast_to(both[rows], shared.shape)[tied]

        return correct

    def _over_absent(self, rest):
        """For each candidate, add up the values in `rest` (one for each list) of the lists that do not contain it."""
        lists = self.lists
        held = np.bincount(self.candidate, weights=rest[self.row_list], minlength=lists.n_candidates)
        total = lists.sum_over_lists(rest)[lists.candidate_query]
        everywhere = (
            np.bincount(self.candidate, minlength=lists.n_candidates) == np.diff(lists.list_ptr)[lists.candidate_query]
        )
        return np.where(everywhere, 0.0, np.maximum(total - held, 0.0))
