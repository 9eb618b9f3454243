"""Likelihood of lists whose voters differ in reliability.

A voter chooses in proportion to a power of the worths; the exponent is the reliability of the voter.

The lists of each voter in a query are passed to the plain likelihood, without reliabilities, as a separate query. The
log-worths of this separate query are the log-worths of the original query times the reliability of the voter. The chain
rule gives the derivatives. So ties and absent items need no second formula.
"""

import numpy as np

from ..._data._compared_items import ranks_absent_last
from ..._data._divided import divide_queries
from ._duels import merge_equal_pairs
from ._stages import Stages


class ReliableStages:
    """Likelihood of lists whose voters differ in reliability, with the interface of Stages and TiedStages.

    Parameters
    ----------
    lists : RankedLists
        Lists of weight 0 are ignored.
    voter : ndarray of shape (n_lists,), dtype=int64
        Number of each list's voter, from 0. All lists of a voter have the same reliability.
    make : callable
        ``make(lists, owner)`` prepares the plain likelihood of lists in which each original query is divided into one
        query for each voter. `owner` contains, for each new query, the original query.
    absent : {"auto", "last", "ignore"}
        How to treat items missing from a list. With "last" they are available at every choice but never chosen, and
        with "ignore" they are not available. "auto" is "ignore" for lists that were read as paired comparisons, and
        "last" for all others.
    """

    #: None, because lists of two items need the formulas of this class.
    tied_win = None
    #: False, because the likelihood differs from Stages.
    is_plain = False

    def __init__(self, lists, voter, make, absent):
        self.lists = lists
        any_below = bool(ranks_absent_last(lists, absent).any())
        inner, order, self.cell_query, self.cell_voter, self.origin = divide_queries(lists, voter, whole=any_below)
        # With "last" few lists are pairs without absent items, and merging pairs would lose the absent items.
        merged, pattern = (inner, None) if any_below else merge_equal_pairs(inner)
        self.inner = make(merged, self.cell_query)
        #: Likelihood for the variance of choices under uncertain worths; ties hardly change it.
        self.uncertain = self.inner if isinstance(self.inner, Stages) else Stages(merged, absent, "efron")
        #: Position of each list among the divided and merged lists.
        self.pattern = np.empty(lists.n_lists, dtype=np.int64)
        self.pattern[order] = np.arange(lists.n_lists) if pattern is None else pattern
        cell_ptr = np.searchsorted(self.cell_query, np.arange(lists.n_queries + 1))
        self.list_ptr = merged.list_ptr[cell_ptr]
        self.cell = merged.candidate_query
        #: Masks of the tie sizes that occur in each query, and of the tie sizes with an estimated prevalence.
        self.seen, self.free = self.inner.seen[cell_ptr[:-1]], self.inner.free[cell_ptr[:-1]]
        self.reliability = np.ones(len(self.cell_query))

    def known(self, reliability):
        """Store the reliability of each list's voter, and return self."""
        self.reliability[self.cell_of_lists()] = reliability
        return self

    def cell_of_lists(self):
        """Return the cell of each list; a cell contains the lists of one voter in one query."""
        return self.inner.lists.list_query[self.pattern]

    def curvature(self, variables):
        """Return -1 times the second derivative of each cell's log-likelihood with respect to each of its log-worths.

        A cell contains the lists of one voter in one query. Ties hardly change these derivatives, so all ties are
        treated by Efron's rule.
        """
        return self.uncertain.curvature(self.reliability[self.cell] * variables[self.origin])

    def by_reliability(self, variables, reliability):
        """Compute each cell's log-likelihood at its reliability, and the derivative with respect to the reliability.

        A cell contains the lists of one voter in one query.
        """
        log_worth, ties = self._split(variables)
        mine, my_ties = log_worth[self.origin], ties[self.cell_query]
        value, gradient = self.inner.value_and_gradient(self._to_cells(mine, my_ties, reliability))
        worths, of_ties = np.split(gradient, [len(self.origin)])
        slope = np.bincount(self.cell, weights=worths * mine, minlength=len(reliability))
        return value, slope + (of_ties.reshape(my_ties.shape) * my_ties).sum(axis=1)

    def start(self, log_worth):
        """Return the start values of the variables: the given log-worths, followed by logarithms of tie prevalences."""
        return np.concatenate([log_worth, np.where(self.free, np.log(0.1), 0.0).ravel()])

    def extra_query(self):
        """Return the query of each logarithm of a tie prevalence; these variables follow the log-worths."""
        return np.repeat(np.arange(self.lists.n_queries), self.seen.shape[1])

    def tie_sizes_of(self, other):
        """Allow the same tie sizes (numbers of tied items) as `other`, which must contain the same queries."""
        self.seen, self.free = other.seen, other.free
        self.inner.tie_sizes_of(other.inner)

    def n_choices(self):
        """Approximate the second derivative of the log-likelihood with respect to each variable, multiplied by -1."""
        worths, ties = np.split(self.inner.n_choices(), [len(self.origin)])
        square = self.reliability**2
        worths = np.bincount(self.origin, weights=square[self.cell] * worths, minlength=self.lists.n_candidates)
        return np.concatenate([worths, self._of_queries(square[:, None] * ties.reshape(len(square), -1)).ravel()])

    def prevalence(self, variables):
        """Return the prevalence d_k of choosing k items at once, for each query and each k.

        Column k - 1 of the result contains d_k. There is a column for each k up to the largest number of tied items.
        """
        ties = self._split(variables)[1]
        return np.column_stack([np.ones(self.lists.n_queries), np.where(self.seen, np.exp(ties), 0.0)])

    def value_and_gradient(self, variables):
        """Compute the log-likelihood of each query, and its derivatives with respect to all variables."""
        lists, factor = self.lists, self.reliability
        value, gradient = self.inner.value_and_gradient(self._inner(variables))
        worths, ties = np.split(gradient, [len(self.origin)])
        worths = np.bincount(self.origin, weights=factor[self.cell] * worths, minlength=lists.n_candidates)
        ties = self._of_queries(factor[:, None] * ties.reshape(len(factor), -1))
        value = np.bincount(self.cell_query, weights=value, minlength=lists.n_queries)
        return value, np.concatenate([worths, ties.ravel()])

    def log_likelihood(self, variables):
        """Compute the log-likelihood of each query."""
        value = self.inner.log_likelihood(self._inner(variables))
        return np.bincount(self.cell_query, weights=value, minlength=self.lists.n_queries)

    def by_list(self, variables):
        """Yield, for each query, the derivatives of each list's log-likelihood.

        The derivatives of a query have shape (n_lists, n_items + n_sizes).

        The first n_items columns are derivatives with respect to the log-worths. The last n_sizes columns are for the
        prevalences that are estimated, each for a tie size (a number of tied items).
        """
        lists, cells = self.lists, iter(self.inner.by_list(self._inner(variables)))
        for q in range(lists.n_queries):
            blocks = []
            for cell in np.flatnonzero(self.cell_query == q):
                score, own = next(cells), self._own(cell, q)
                mine = np.zeros((len(score), lists.query_n_items[q] + int(self.free[q].sum())))
                mine[:, own] = score[:, : len(own)]
                mine[:, lists.query_n_items[q] :] = score[:, len(own) :]
                blocks.append(self.reliability[cell] * mine)
            yield np.concatenate(blocks)

    def information(self, variables):
        """Yield the information matrix of each query, for the variables in the columns of `by_list`.

        This is the matrix of the second derivatives of the log-likelihood, multiplied by -1. The reliabilities keep
        their current values.
        """
        lists, cells = self.lists, iter(self.inner.information(self._inner(variables)))
        for q in range(lists.n_queries):
            n = lists.query_n_items[q]
            whole = np.zeros((n + int(self.free[q].sum()),) * 2)
            for cell in np.flatnonzero(self.cell_query == q):
                own = np.append(self._own(cell, q), np.arange(n, len(whole)))
                whole[np.ix_(own, own)] += self.reliability[cell] ** 2 * next(cells)
            yield whole

    def _own(self, cell, q):
        """Return the items of a cell (the lists of one voter in one query), numbered within the query."""
        ptr = self.inner.lists.candidate_ptr
        return self.origin[ptr[cell] : ptr[cell + 1]] - self.lists.candidate_ptr[q]

    def _split(self, variables):
        log_worth, ties = np.split(variables, [self.lists.n_candidates])
        return log_worth, ties.reshape(self.seen.shape)

    def _inner(self, variables):
        log_worth, ties = self._split(variables)
        return self._to_cells(log_worth[self.origin], ties[self.cell_query], self.reliability)

    def _to_cells(self, log_worth, ties, factor):
        return np.concatenate([factor[self.cell] * log_worth, (factor[:, None] * ties).ravel()])

    def _of_queries(self, value):
        """Add up the values of all voters, for each query and tie size; the result has shape (n_queries, n_sizes).

        A tie size is a number of tied items. `value` has one row for each pair of a query and a voter.
        """
        value, total = value.reshape(len(self.cell_query), -1), np.zeros(self.seen.shape)
        np.add.at(total, self.cell_query, value)
        return total
