"""The likelihood of lists of voters who differ in reliability: each follows a power of the worths.

The lists of one voter in a query are a query of their own to the plain likelihood, whose log-worths are those of the
query times the reliability of the voter; derivatives go back by the chain rule. So ties and absent items need no second
formula.

Reliabilities are learnt by the EM algorithm, for which the worths are unknown with a variance. To maximise by worths
and reliabilities at once would be wrong: each query brings worths of its own, and with many short queries the likeliest
of all is to follow one voter everywhere.
"""

import numpy as np

from ..._data._divided import divide_queries
from ._duels import merge_equal_pairs
from ._stages import Stages

__all__ = ["ReliableStages"]


class ReliableStages:
    """Lists divided by voter, with the interface of Stages and TiedStages.

    Parameters
    ----------
    lists : RankedLists
        Lists of weight 0 do not count.
    voter : ndarray of shape (n_lists,), dtype=int64
        The voter of each list, from 0: lists of one voter have one reliability.
    make : callable
        ``make(lists, owner)`` prepares the plain likelihood of lists, `owner` (n_queries of these,) being the query
        here that each of theirs belongs to.
    absent : {"last", "ignore"}
        Whether the items that a list does not hold are left at its end.
    """

    def __init__(self, lists, voter, make, absent):
        self.lists = lists
        inner, order, self.cell_query, self.cell_voter, self.origin = divide_queries(
            lists, voter, whole=absent == "last"
        )
        # Lists of pairs that leave items over are few, and to merge them would lose these items.
        merged, pattern = merge_equal_pairs(inner) if absent == "ignore" else (inner, None)
        self.inner = make(merged, self.cell_query)
        #: The likelihood by which choices vary with the worths; ties hardly change it.
        self.uncertain = self.inner if isinstance(self.inner, Stages) else Stages(merged, absent, "efron")
        #: The list of the divided ones that each list has become.
        self.pattern = np.empty(lists.n_lists, dtype=np.int64)
        self.pattern[order] = np.arange(lists.n_lists) if pattern is None else pattern
        cell_ptr = np.searchsorted(self.cell_query, np.arange(lists.n_queries + 1))
        self.list_ptr = merged.list_ptr[cell_ptr]
        self.cell = merged.candidate_query
        #: Which tie sizes occur in each query.
        self.seen = self.inner.seen[cell_ptr[:-1]]
        self.reliability, self.strength, self.spread = None, None, np.zeros(len(self.cell_query))

    def known(self, reliability):
        """Take the reliability of each list as known, (n_lists,): the variables are those of the plain likelihood."""
        self.reliability = np.empty(len(self.cell_query))
        self.reliability[self._cell_of_lists()] = reliability
        return self

    def learnt(self, shape, size, *, of_query):
        """Make the logarithms of the reliabilities variables: each of one voter of all queries, or of one `of_query`.

        `size` (n_lists,) is how many voters the voter of each list stands for, each of whom has the prior, a gamma
        distribution of this `shape`. Reliabilities are relative to their mean, of the query or of all.
        """
        self.of_query = of_query
        self.place = np.arange(len(self.cell_voter)) if of_query else self.cell_voter
        self.voter_query = self.cell_query if of_query else np.zeros(int(self.place.max()) + 1, dtype=np.int64)
        n_voters = len(self.voter_query)
        of_list = self.place[self._cell_of_lists()]
        total = np.bincount(of_list, weights=size, minlength=n_voters)
        self.size = total / np.bincount(of_list, minlength=n_voters)
        per_query = np.bincount(self.voter_query, weights=self.size)[self.voter_query]
        #: Share of each voter in the mean.
        self.share = np.divide(self.size, per_query, out=np.zeros(n_voters), where=per_query > 0)
        self.strength = shape * self.size
        return self

    def _reliabilities(self, log_reliability):
        """Relative to their mean, (n_voters,); of voters that do not count, 1."""
        greatest = np.full(int(self.voter_query.max()) + 1, -np.inf)
        np.maximum.at(greatest, self.voter_query, log_reliability)
        plain = np.exp(log_reliability - greatest[self.voter_query])
        mean = np.bincount(self.voter_query, weights=self.share * plain)[self.voter_query]
        return np.divide(plain, mean, out=np.ones_like(plain), where=self.share > 0)

    def update_spread(self, variables, worth_curvature, moved):
        """Take the uncertainty of the worths into account, as it is at these variables, for the queries that `moved`.

        Log-worths vary by the inverse of their curvature, to which the prior adds `worth_curvature` (n_candidates,).
        How much a voter's choices vary by that is what a larger reliability costs.
        """
        log_worth, _, log_reliability = self._split(variables)
        factor = self._reliabilities(log_reliability)[self.place]
        curvature = self.uncertain.curvature(factor[self.cell] * log_worth[self.origin])
        of_worth = np.bincount(self.origin, weights=factor[self.cell] ** 2 * curvature, minlength=len(log_worth))
        variance = 1.0 / np.maximum(of_worth + worth_curvature, np.finfo(np.float64).tiny)
        spread = np.bincount(self.cell, weights=curvature * variance[self.origin], minlength=len(self.spread))
        self.spread = np.where(moved[self.cell_query], spread, self.spread)

    def reliability_of_lists(self, variables):
        """What was learnt, (n_lists,)."""
        return self._reliabilities(self._split(variables)[2])[self.place][self._cell_of_lists()]

    def log_reliabilities(self, variables):
        """Their logarithms, (n_voters,)."""
        return np.log(self._reliabilities(self._split(variables)[2]))

    @property
    def learns(self):
        """Whether reliabilities are among the variables."""
        return self.strength is not None

    @property
    def is_joint(self):
        """Whether variables of several queries depend on each other."""
        return self.learns and not self.of_query

    def start(self, log_worth):
        """Variables to begin with: all voters are alike."""
        ties = np.where(self.seen, np.log(0.1), 0.0).ravel()
        return np.concatenate([log_worth, ties, np.zeros(0 if self.strength is None else len(self.strength))])

    def extra_query(self):
        """The query of each variable besides the log-worths; 0 where it has none of its own."""
        ties = np.repeat(np.arange(self.lists.n_queries), self.seen.shape[1])
        return ties if self.strength is None else np.append(ties, self.voter_query)

    def tie_sizes_of(self, other):
        """Give chances to the tie sizes that other lists of the same queries have, and to no others."""
        self.seen = other.seen
        self.inner.tie_sizes_of(other.inner)

    def n_choices(self):
        """About the second derivatives by all variables."""
        worths, ties = np.split(self.inner.n_choices(), [len(self.origin)])
        per_cell = np.bincount(self.cell, weights=worths, minlength=len(self.cell_query))
        worths = np.bincount(self.origin, weights=worths, minlength=self.lists.n_candidates)
        parts = [worths, self._of_queries(ties).ravel()]
        if self.strength is not None:
            parts.append(self.strength + np.bincount(self.place, weights=per_cell, minlength=len(self.strength)))
        return np.concatenate(parts)

    def prevalence(self, variables):
        """d_1, d_2, ... of each query, (n_queries, largest class)."""
        ties = self._split(variables)[1]
        return np.column_stack([np.ones(self.lists.n_queries), np.where(self.seen, np.exp(ties), 0.0)])

    def value_and_gradient(self, variables):
        """Log-likelihood of each query, with what the reliabilities add if they are learnt, and its derivatives."""
        lists = self.lists
        log_worth, ties, log_reliability = self._split(variables)
        learns = self.learns
        reliability = self._reliabilities(log_reliability) if learns else None
        factor = reliability[self.place] if learns else self.reliability
        mine, my_ties = log_worth[self.origin], ties[self.cell_query]
        value, gradient = self.inner.value_and_gradient(self._to_cells(mine, my_ties, factor))
        if learns:
            value = value - self.spread * factor**2 / 2
        value = np.bincount(self.cell_query, weights=value, minlength=lists.n_queries)
        worths, of_ties = np.split(gradient, [len(self.origin)])
        of_ties = of_ties.reshape(my_ties.shape)
        parts = [
            np.bincount(self.origin, weights=factor[self.cell] * worths, minlength=lists.n_candidates),
            self._of_queries(factor[:, None] * of_ties).ravel(),
        ]
        if learns:
            slope = np.bincount(self.cell, weights=worths * mine, minlength=len(factor)) + (of_ties * my_ties).sum(1)
            slope = factor * (slope - self.spread * factor)
            slope = np.bincount(self.place, weights=slope, minlength=len(reliability)) + self.strength
            # All that count are relative to their mean.
            slope = np.where(self.share > 0, slope, 0.0)
            total = np.bincount(self.voter_query, weights=slope)[self.voter_query]
            parts.append(slope - self.share * reliability * total)
            prior = self.strength * np.log(reliability)
            value = value + np.bincount(self.voter_query, weights=prior, minlength=lists.n_queries)
        return value, np.concatenate(parts)

    def by_list(self, variables):
        """Derivatives of the log-likelihood of one copy of each list, query by query: (n_lists, n_items + n_sizes)."""
        lists, cells = self.lists, iter(self.inner.by_list(self._inner(variables)))
        for q in range(lists.n_queries):
            blocks = []
            for cell in np.flatnonzero(self.cell_query == q):
                score, own = next(cells), self._own(cell, q)
                mine = np.zeros((len(score), lists.query_n_items[q] + int(self.seen[q].sum())))
                mine[:, own] = score[:, : len(own)]
                mine[:, lists.query_n_items[q] :] = score[:, len(own) :]
                blocks.append(self.reliability[cell] * mine)
            yield np.concatenate(blocks)

    def information(self, variables):
        """Minus the second derivatives by the same variables, query by query, at the reliabilities as they are."""
        lists, cells = self.lists, iter(self.inner.information(self._inner(variables)))
        for q in range(lists.n_queries):
            n = lists.query_n_items[q]
            whole = np.zeros((n + int(self.seen[q].sum()),) * 2)
            for cell in np.flatnonzero(self.cell_query == q):
                own = np.append(self._own(cell, q), np.arange(n, len(whole)))
                whole[np.ix_(own, own)] += self.reliability[cell] ** 2 * next(cells)
            yield whole

    def _own(self, cell, q):
        """The items of a voter in a query, as they are numbered in the query."""
        ptr = self.inner.lists.candidate_ptr
        return self.origin[ptr[cell] : ptr[cell + 1]] - self.lists.candidate_ptr[q]

    def _cell_of_lists(self):
        return self.inner.lists.list_query[self.pattern]

    def _split(self, variables):
        n, n_ties = self.lists.n_candidates, self.seen.size
        log_worth, ties, rest = np.split(variables, [n, n + n_ties])
        return log_worth, ties.reshape(self.seen.shape), rest

    def _inner(self, variables):
        log_worth, ties, _ = self._split(variables)
        return self._to_cells(log_worth[self.origin], ties[self.cell_query], self.reliability)

    def _to_cells(self, log_worth, ties, factor):
        return np.concatenate([factor[self.cell] * log_worth, (factor[:, None] * ties).ravel()])

    def _of_queries(self, value):
        """Sums over the voters of each query of what each tie size has, (n_queries, n_sizes)."""
        value, total = value.reshape(len(self.cell_query), -1), np.zeros(self.seen.shape)
        np.add.at(total, self.cell_query, value)
        return total
