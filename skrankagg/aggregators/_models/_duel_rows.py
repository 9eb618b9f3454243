"""Bradley and Terry's model of duels with covariates, fitted by Newton's method.

In a duel of items i and j, the log-odds that i wins are t_i - t_j + x'b. Here t are the log-worths, x contains the
differences of the covariates (first item minus second item), and b are their coefficients. Every evaluation consists of
a few operations on arrays of duels, so a million duels take less than a second.
"""

import copy

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ._newton_rows import NewtonRows
from ._posterior import plain_prior

# A set of coefficients is large if it has at least _LARGE duels, and at least _DUELS_PER_VARIABLE duels for each item
# and covariate. The iteration of a large set starts from the fit of every _SAMPLE-th duel.
_LARGE, _DUELS_PER_VARIABLE, _SAMPLE = 50_000, 1_000, 16


class DuelRows(NewtonRows):
    """Bradley-Terry model of duels with covariates; each row is a duel.

    Parameters
    ----------
    first, second : array-like of shape (n_duels,), dtype=int
        Indices of the two items of each duel, among the candidates. Both items belong to the same query.
    share : array-like of shape (n_duels,)
        Share of the win that the first item gets, from 0 to 1; a tie is 1/2.
    weight : array-like of shape (n_duels,), default=None
        Weights of the duels, at least 0. None means 1.
    covariates : array-like of shape (n_duels, P), default=None
        Differences of the covariates, first item minus second item. A column of ones is the advantage of the first
        item. None means no covariates.
    candidate_ptr : array-like of shape (n_queries + 1,)
        Candidates of query ``q`` are ``candidate_ptr[q]`` to ``candidate_ptr[q + 1] - 1``.
    pooled : bool, default=False
        Whether all queries have the same coefficients.
    """

    def __init__(self, first, second, share, weight=None, covariates=None, *, candidate_ptr, pooled=False):
        self.first, self.second = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp)
        self.share = np.asarray(share, dtype=np.float64)
        self.weight = np.ones(len(self.share)) if weight is None else np.asarray(weight, dtype=np.float64)
        super().__init__(candidate_ptr, pooled)
        #: Query of each duel.
        self.query = self.candidate_query[self.first]
        is_sorted = bool((self.query[1:] >= self.query[:-1]).all())
        #: Indices that sort the duels by query, or None if the duels are already sorted.
        self.order = None if is_sorted else np.argsort(self.query, kind="stable")
        self.n_duels = np.bincount(self.query, minlength=self.n_queries)
        self._set_covariates(covariates)
        # Index of the pair (first, second) in the concatenated matrices of all queries.
        sizes = np.diff(self.candidate_ptr)[self.query]
        place = self.first - self.candidate_ptr[self.query], self.second - self.candidate_ptr[self.query]
        self.cell = self.cell_ptr[self.query] + place[0] * sizes + place[1]

    @classmethod
    def of_lists(cls, lists, covariates=None, *, tied_win=0.5, pooled=False):
        """Convert lists of two items to duels.

        Every list must have two items. The upper item of a list is the first item. `covariates`, of shape (n_rows, P),
        contains the covariates of the rows. A tie counts as `tied_win` wins for each of the two items.
        """
        upper = lists.row_ptr[:-1]
        tied = lists.rank[upper] == lists.rank[upper + 1]
        return cls(
            lists.candidate[upper],
            lists.candidate[upper + 1],
            np.where(tied, 0.5, 1.0),
            lists.list_weight * np.where(tied, 2 * tied_win, 1.0),
            None if covariates is None else covariates[upper] - covariates[upper + 1],
            candidate_ptr=lists.candidate_ptr,
            pooled=pooled,
        )

    def fit(self, *, prior=0.5, start=None, **options):
        """Maximise the posterior like :meth:`NewtonRows.fit`; with many duels, start from the fit of a sample."""
        if start is None:
            start = self._fit_of_sample(prior or 0.5, **options)
        return super().fit(prior=prior, start=start, **options)

    def _fit_of_sample(self, prior, **options):
        """Fit a sample of the duels, to get start values for the sets of coefficients that have many duels.

        The result is a RowsFit, or None if no set has many duels. The log-worths and coefficients are 0 in sets with
        few duels, and in sets whose fit has not converged.
        """
        n_duels, n_items = self._of_sets(self.n_duels), self._of_sets(np.diff(self.candidate_ptr))
        large = n_duels >= np.maximum(_LARGE, _DUELS_PER_VARIABLE * (n_items + self.n_covariates))
        if not large.any():
            return None
        # Every _SAMPLE-th duel of each query, so that a sample does not depend on other queries.
        place = np.arange(len(self.query))
        if self.order is not None:
            place[self.order] = place.copy()
        place -= (np.cumsum(self.n_duels) - self.n_duels)[self.query]
        of_set = np.zeros(len(place), dtype=np.intp) if self.pooled else self.query
        fit = NewtonRows.fit(self.take(large[of_set] & (place % _SAMPLE == 0)), prior=prior, **options)
        good = large & fit.converged
        log_worth = np.where(good[self._set_of_candidate()], fit.log_worth, 0.0)
        return fit._replace(log_worth=log_worth, coefficients=np.where(good[:, None], fit.coefficients, 0.0))

    @property
    def covariates(self):
        """Differences of the covariates, as an array of shape (n_duels, P)."""
        return self.columns.T

    def with_covariates(self, covariates):
        """Return the same duels with other covariates, for example covariates computed from fitted log-worths."""
        other = copy.copy(self)
        other._set_covariates(covariates)
        return other

    def with_weight(self, weight):
        """Return the same duels with other weights; covariates keep their scale."""
        other = copy.copy(self)
        other.weight = np.asarray(weight, dtype=np.float64)
        return other

    def take(self, chosen):
        """Return some of the duels; `chosen` is a mask or an array of indices. Candidates stay the same."""
        return DuelRows(
            self.first[chosen],
            self.second[chosen],
            self.share[chosen],
            self.weight[chosen],
            self.covariates[chosen],
            candidate_ptr=self.candidate_ptr,
            pooled=self.pooled,
        )

    def variation(self, weights):
        """Return the variation of scaled covariates under other weights of the duels.

        The result has shape (n_sets, P, n_replicates).

        The variation is the mean square of the differences. `weights` contains the weights of the duels and has the
        shape (n_duels, n_replicates).
        """
        columns = np.stack([np.ones(len(self.share)), *(one**2 for one in self.scaled)], axis=1)
        return self._variation(columns, self.query, weights)

    def log_likelihood(self, log_worth, coefficients):
        """Return an array of shape (n_queries,): the log-likelihood of each query."""
        odds = self.log_odds(log_worth, coefficients)
        terms = self.weight * (self.share * odds - np.logaddexp(0.0, odds))
        return self._by_query(terms)

    def log_odds(self, log_worth, coefficients):
        """Return an array of shape (n_duels,): the log-odds that the first item of each duel wins."""
        return self._odds(log_worth, self.columns, np.asarray(coefficients))

    def residuals(self, log_worth, coefficients):
        """Return an array of shape (n_duels,): each duel's share minus the probability that its first item wins."""
        return self.share - _logistic(self.log_odds(log_worth, coefficients))

    def scores(self, log_worth, coefficients):
        """Return the derivatives of each duel's log-likelihood, without the weight of the duel.

        The derivatives with respect to the log-worths are a sparse array of shape (n_duels, n_candidates). The
        derivatives with respect to the coefficients are an array of shape (n_duels, P), even if each query has its own
        coefficients.
        """
        residual = self.residuals(log_worth, coefficients)
        n = len(residual)
        index = np.stack([self.first, self.second], axis=1).ravel()
        values = np.stack([residual, -residual], axis=1).ravel()
        by_worth = csr_array((values, index, 2 * np.arange(n + 1)), shape=(n, self.n_candidates))
        return by_worth, residual[:, None] * self.covariates

    # ------------------------------------------------------------------ in scaled covariates

    def _set_covariates(self, covariates):
        n = len(self.first)
        columns = np.zeros((n, 0)) if covariates is None else np.asarray(covariates, dtype=np.float64).reshape(n, -1)
        #: Differences of the covariates, a contiguous row for each covariate.
        self.columns = np.ascontiguousarray(columns.T)
        count = self._by_set(self.weight)
        squares = self._stack([self._by_set(self.weight * one**2) for one in self.columns])
        size = np.sqrt(squares / np.where(count > 0, count, 1.0)[:, None])
        #: Root mean square of each difference, of shape (n_sets, P); 1 for a covariate that is always 0.
        self.scale = np.where(size > 0, size, 1.0)
        self.scaled = [
            one / (scale[0] if self.n_sets == 1 else scale[self.query])
            for one, scale in zip(self.columns, self.scale.T, strict=True)
        ]

    def _odds(self, worth, columns, coefficients):
        odds = worth.take(self.first)
        odds -= worth.take(self.second)
        for column, coefficient in zip(columns, coefficients.T, strict=True):
            odds += column * (coefficient[0] if len(coefficient) == 1 else coefficient.take(self.query))
        return odds

    def _of_candidates(self, values):
        """Add up the values of each candidate's duels, with a minus sign where the candidate is the second item."""
        # If each pair has many duels, adding up by pair first takes half the time.
        pairs = np.bincount(self.cell, weights=values, minlength=int(self.cell_ptr[-1]))
        sums = np.empty(self.n_candidates)
        for _, candidates, cells in self.blocks:
            matrix = pairs[cells]
            sums[candidates] = matrix.sum(axis=2) - matrix.sum(axis=1)
        return sums

    def _by_set(self, values):
        return np.array([values.sum()]) if self.pooled else self._by_query(values)

    def _stack(self, columns):
        """Stack P columns, each of shape (n_sets,), into an array of shape (n_sets, P)."""
        return np.stack(columns, axis=1) if columns else np.zeros((self.n_sets, 0))

    def _by_query(self, values):
        sums, held = np.zeros(self.n_queries), self.n_duels > 0
        ptr = (np.cumsum(self.n_duels) - self.n_duels)[held]
        sums[held] = np.add.reduceat(values if self.order is None else values[self.order], ptr)
        return sums

    def _components(self):
        """Return the connected component of each candidate; duels of weight 0 do not connect items."""
        played = self.weight > 0
        edges = np.ones(int(played.sum())), (self.first[played], self.second[played])
        return connected_components(csr_array(edges, shape=(self.n_candidates,) * 2), directed=False)[1]

    def _derivatives(self, worth, coefficients, prior, ridge):
        """Compute the gradients for log-worths and for scaled coefficients, and the weighted variance of each duel.

        A scaled coefficient is a coefficient times the `scale` of its covariate. The weighted variance is the
        weight of the duel times p (1 - p), where p is the probability that the first item wins.
        """
        odds = self._odds(worth, self.scaled, coefficients)
        probability = _logistic(odds)
        residual = np.subtract(self.share, probability, out=odds)
        residual *= self.weight
        by_worth = self._of_candidates(residual) + plain_prior(prior, worth)[1]
        by_coefficient = self._stack([self._by_set(residual * column) for column in self.scaled])
        variance = np.subtract(1.0, probability, out=odds)
        variance *= probability
        variance *= self.weight
        return (by_worth, by_coefficient - ridge * coefficients), variance

    def _curvatures(self, variance):
        """Compute the negative second derivatives of the log-likelihood, for scaled covariates.

        The first result contains the derivatives with respect to two log-worths: one array for all queries with the
        same number of items. The second, of shape (n_candidates, P), contains the derivatives with respect to a
        log-worth and a coefficient. The third, of shape (n_queries, P, P), contains the derivatives with respect to two
        coefficients.
        """
        n, number = self.n_candidates, self.n_covariates
        both = np.bincount(self.cell, weights=variance, minlength=int(self.cell_ptr[-1]))
        by_worth = []
        for _, _, cells in self.blocks:
            matrix = -both[cells]
            matrix += matrix.transpose(0, 2, 1)
            each = np.arange(cells.shape[1])
            matrix[:, each, each] = -matrix.sum(axis=2)
            by_worth.append(matrix)
        crossed, by_coefficient = np.empty((n, number)), np.empty((self.n_queries, number, number))
        for k, column in enumerate(self.scaled):
            weighted = variance * column
            crossed[:, k] = self._of_candidates(weighted)
            for j in range(k + 1):
                by_coefficient[:, k, j] = by_coefficient[:, j, k] = self._by_query(weighted * self.scaled[j])
        return by_worth, crossed, by_coefficient


def _logistic(odds):
    """Return 1 / (1 + exp(-odds)) in a new array."""
    with np.errstate(over="ignore"):
        result = np.exp(-odds)
    result += 1.0
    return np.reciprocal(result, out=result)
