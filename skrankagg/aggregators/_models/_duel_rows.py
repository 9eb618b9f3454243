"""Bradley and Terry's model of duels with covariates, fitted by Newton's method.

In a duel of items i and j, the log-odds that i wins are t_i - t_j + x'b. Here t are the log-worths, x contains the
differences of the covariates (first item minus second item), and b are their coefficients. Every evaluation consists of
a few operations on arrays of duels, so a million duels take less than a second.
"""

import copy
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..._support._threads import one_blas_thread
from ._posterior import plain_curvature, plain_prior

# A scaled coefficient beyond this size separates winners from losers: odds of e ** 20 at a typical difference.
FAR = 20.0
# A step is halved if the slope behind it is steeper than this share of the slope before it.
_TOO_FAR = 0.5
# Below this size of a step, rounding prevents further progress once steps do not shrink any more.
_NEAR = 1e-8
# Shares of the largest second derivative: of directions that count as undetermined, and of the diagonal added to
# matrices of worths, which makes them invertible.
_NULL, _JITTER = 1e-12, 1e-13


class DuelFit(NamedTuple):
    """Result of :meth:`DuelRows.fit`.

    Attributes
    ----------
    log_worth : ndarray of shape (n_candidates,)
        Log-worths. Without a prior, the mean of each connected component is 0.
    coefficients : ndarray of shape (n_sets, P)
        Coefficients in the units of the covariates. There is a set for each query, or one set for all queries.
    n_iter : ndarray of shape (n_sets,)
        Number of Newton steps.
    converged : ndarray of shape (n_sets,), dtype=bool
        False if coefficients or worths grow without bound, or if `max_iter` was reached.
    """

    log_worth: np.ndarray
    coefficients: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


class DuelRows:
    """Arrays of duels, with a row for each duel.

    Parameters
    ----------
    first, second : array-like of shape (n_duels,), dtype=int
        Candidates of the two items. Both belong to one query.
    share : array-like of shape (n_duels,)
        Share of the first item in the win, from 0 to 1; 1/2 is a tie.
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
        self.candidate_ptr, self.pooled = np.asarray(candidate_ptr, dtype=np.int64), pooled
        self.candidate_query = np.repeat(np.arange(self.n_queries), np.diff(self.candidate_ptr))
        #: Query of each duel.
        self.query = self.candidate_query[self.first]
        self._set_covariates(covariates)
        sizes = np.diff(self.candidate_ptr)
        cell_ptr = np.concatenate([[0], np.cumsum(sizes**2)])
        # Cell of the pair (first, second) in the matrices of all queries, one after the other.
        place = self.first - self.candidate_ptr[self.query], self.second - self.candidate_ptr[self.query]
        self.cell, self.n_cells = cell_ptr[self.query] + place[0] * sizes[self.query] + place[1], int(cell_ptr[-1])
        #: For each number of items: the queries of this size, their candidates, and the cells of their matrices.
        self.blocks = []
        for n in np.unique(sizes).tolist():
            queries = np.flatnonzero(sizes == n)
            cells = cell_ptr[queries][:, None] + np.arange(n * n)
            self.blocks.append(
                (queries, self.candidate_ptr[queries][:, None] + np.arange(n), cells.reshape(len(queries), n, n))
            )

    @classmethod
    def of_lists(cls, lists, covariates=None, *, tied_win=0.5, pooled=False):
        """Return a duel for each list; every list must have two items.

        The upper item of a list is the first item. `covariates`, of shape (n_rows, P), contains the covariates of the
        rows. A tie counts as `tied_win` wins for each of the two items.
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

    @property
    def n_queries(self):
        """Number of queries."""
        return len(self.candidate_ptr) - 1

    @property
    def n_candidates(self):
        """Number of candidates, which are the items of all queries."""
        return int(self.candidate_ptr[-1])

    @property
    def n_covariates(self):
        """Number of covariates."""
        return len(self.columns)

    @property
    def n_sets(self):
        """Number of sets of coefficients: one for each query, or one for all queries."""
        return 1 if self.pooled else self.n_queries

    @property
    def covariates(self):
        """Differences of the covariates, of shape (n_duels, P)."""
        return self.columns.T

    def with_covariates(self, covariates):
        """Return the same duels with other covariates, such as a function of fitted log-worths."""
        other = copy.copy(self)
        other._set_covariates(covariates)
        return other

    def with_weight(self, weight):
        """Return the same duels with other weights; covariates keep their scale."""
        other = copy.copy(self)
        other.weight = np.asarray(weight, dtype=np.float64)
        return other

    def take(self, chosen):
        """Return some of the duels; `chosen` is a mask or an array of positions. Candidates stay the same."""
        return DuelRows(
            self.first[chosen],
            self.second[chosen],
            self.share[chosen],
            self.weight[chosen],
            self.covariates[chosen],
            candidate_ptr=self.candidate_ptr,
            pooled=self.pooled,
        )

    @one_blas_thread
    def fit(self, *, prior=0.5, ridge=0.0, tol=1e-12, max_iter=100, start=None):
        """Maximise the posterior of the log-worths and coefficients; return a DuelFit.

        `prior` is PlackettLuce's prior of the worths. `ridge` times half the sum of the squared scaled coefficients is
        subtracted from the log-likelihood. A scaled coefficient is a coefficient times the covariate's `scale`.
        `start` is an earlier DuelFit of the same duels.
        """
        worth = np.zeros(self.n_candidates) if start is None else np.array(start.log_worth, dtype=np.float64)
        coefficients = np.zeros((self.n_sets, self.n_covariates))
        if start is not None:
            coefficients = start.coefficients * self.scale
        component = None if prior else self._components()
        n_iter, converged = np.zeros(self.n_sets, dtype=np.int64), np.zeros(self.n_sets, dtype=bool)
        left = np.zeros(self.n_sets, dtype=bool)
        last = np.full(self.n_sets, np.inf)
        gradient, variance = self._derivatives(worth, coefficients, prior, ridge)
        for _ in range(max_iter):
            steps = self._steps(gradient, variance, worth, prior, ridge, component)
            reach = self._largest(*steps)
            # Rounding may prevent steps below `tol`. The last small step is still taken.
            done = (reach <= tol) | ((reach <= _NEAR) & (reach >= last / 2))
            last, moving = reach, ~(converged | left)
            n_iter += moving
            slope = self._slope(gradient, steps)
            length = np.where(moving, 1.0, 0.0)
            for _ in range(60):
                new_worth = worth + length[self._set_of_candidate()] * steps[0]
                new_coefficients = coefficients + length[:, None] * steps[1]
                new = self._derivatives(new_worth, new_coefficients, prior, ridge)
                too_far = moving & ~done & ~(self._slope(new[0], steps) >= -_TOO_FAR * slope)
                if not too_far.any():
                    break
                length[too_far] *= 0.5
            worth, coefficients, (gradient, variance) = new_worth, new_coefficients, new
            converged |= done & moving
            left |= moving & (np.abs(coefficients).max(axis=1, initial=0.0) > FAR)
            if (converged | left).all():
                break
        return DuelFit(worth, coefficients / self.scale, n_iter, converged & ~left)

    def log_likelihood(self, log_worth, coefficients):
        """Return the log-likelihood of each query, of shape (n_queries,)."""
        odds = self.log_odds(log_worth, coefficients)
        terms = self.weight * (self.share * odds - np.logaddexp(0.0, odds))
        return np.bincount(self.query, weights=terms, minlength=self.n_queries)

    def log_odds(self, log_worth, coefficients):
        """Return the log-odds of each duel's first item, of shape (n_duels,)."""
        return self._odds(log_worth, self.columns, np.asarray(coefficients))

    def residuals(self, log_worth, coefficients):
        """Return each duel's share minus the probability that its first item wins, of shape (n_duels,)."""
        return self.share - _logistic(self.log_odds(log_worth, coefficients))

    def scores(self, log_worth, coefficients):
        """Return the derivatives of each duel's log-likelihood, which is not multiplied by the duel's weight.

        The derivatives by the log-worths are a sparse array of shape (n_duels, n_candidates). The derivatives by the
        coefficients are an array of shape (n_duels, P), also for coefficients by query.
        """
        residual = self.residuals(log_worth, coefficients)
        n = len(residual)
        index = np.stack([self.first, self.second], axis=1).ravel()
        values = np.stack([residual, -residual], axis=1).ravel()
        by_worth = csr_array((values, index, 2 * np.arange(n + 1)), shape=(n, self.n_candidates))
        return by_worth, residual[:, None] * self.covariates

    def information(self, log_worth, coefficients):
        """For each query, yield the negative second derivatives of the weighted log-likelihood, without the prior.

        They have the shape (n_items + P, n_items + P); the coefficients come last, in the units of the covariates. With
        `pooled`, the information about the coefficients is the sum over the queries.
        """
        probability = _logistic(self.log_odds(log_worth, coefficients))
        by_worth, crossed, by_coefficient = self._curvatures(self.weight * probability * (1 - probability))
        place = {q: (block, k) for block, (queries, *_) in enumerate(self.blocks) for k, q in enumerate(queries)}
        for q in range(self.n_queries):
            block, k = place[q]
            cross = crossed[self.candidate_ptr[q] : self.candidate_ptr[q + 1]]
            whole = np.block([[by_worth[block][k], cross], [cross.T, by_coefficient[q]]])
            scale = np.append(np.ones(len(cross)), self.scale[0 if self.pooled else q])
            yield whole * scale[:, None] * scale

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
        """For each candidate, sum the values of its duels as first item, minus the values as second item."""
        n = self.n_candidates
        return np.bincount(self.first, weights=values, minlength=n) - np.bincount(
            self.second, weights=values, minlength=n
        )

    def _by_set(self, values):
        return np.array([values.sum()]) if self.pooled else self._by_query(values)

    def _stack(self, columns):
        """Return the columns, each of shape (n_sets,), as an array of shape (n_sets, P)."""
        return np.stack(columns, axis=1) if columns else np.zeros((self.n_sets, 0))

    def _set_of_candidate(self):
        return np.zeros(self.n_candidates, dtype=np.intp) if self.pooled else self.candidate_query

    def _by_query(self, values):
        if self.n_queries == 1:
            return np.array([values.sum()])
        return np.bincount(self.query, weights=values, minlength=self.n_queries)

    def _components(self):
        """Return the connected component of each candidate; duels of weight 0 do not connect."""
        played = self.weight > 0
        edges = np.ones(int(played.sum())), (self.first[played], self.second[played])
        return connected_components(csr_array(edges, shape=(self.n_candidates,) * 2), directed=False)[1]

    def _derivatives(self, worth, coefficients, prior, ridge):
        """Return the gradients by log-worths and by scaled coefficients, and the weighted variance of each duel."""
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
        """Return the negative second derivatives of the log-likelihood, in scaled covariates.

        These are a list of the matrices by log-worths for each block, the matrix by log-worths and coefficients, of
        shape (n_candidates, P), and the matrices by coefficients, of shape (n_queries, P, P).
        """
        n, number = self.n_candidates, self.n_covariates
        both = np.bincount(self.cell, weights=variance, minlength=self.n_cells)
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

    def _steps(self, gradient, variance, worth, prior, ridge, component):
        """Return Newton's steps of the log-worths and of the scaled coefficients."""
        by_worth, crossed, by_coefficient = self._curvatures(variance)
        plain, follow = np.empty(self.n_candidates), np.empty(crossed.shape)
        rest, slope = by_coefficient, np.zeros((self.n_queries, self.n_covariates))
        slope[:] = 0.0 if self.pooled else gradient[1]
        curvature = plain_curvature(prior, worth)
        for matrix, (queries, candidates, _) in zip(by_worth, self.blocks, strict=True):
            each = np.arange(candidates.shape[1])
            size = np.maximum(matrix[:, each, each].mean(axis=1), np.finfo(np.float64).tiny)
            matrix[:, each, each] += curvature[candidates] + _JITTER * size[:, None]
            if component is not None:
                # Worths of a component may all grow by one number. The mean of the component stays where it is.
                same = component[candidates][:, :, None] == component[candidates][:, None, :]
                matrix += same * size[:, None, None]
            cross = crossed[candidates]
            right = np.concatenate([gradient[0][candidates][:, :, None], cross], axis=2)
            found = np.linalg.solve(matrix, right)
            plain[candidates], follow[candidates] = found[:, :, 0], found[:, :, 1:]
            rest[queries] -= cross.transpose(0, 2, 1) @ found[:, :, 1:]
            slope[queries] -= (cross.transpose(0, 2, 1) @ found[:, :, :1])[:, :, 0]
        if self.pooled:
            rest, slope = rest.sum(axis=0, keepdims=True), gradient[1] + slope.sum(axis=0)
        move = solve_determined(rest + ridge * np.eye(self.n_covariates), slope)
        return plain - (follow * move[self._set_of_candidate()]).sum(axis=1), move

    def _largest(self, of_worths, of_coefficients):
        """Return the largest step of each set."""
        largest = np.abs(of_coefficients).max(axis=1, initial=0.0)
        np.maximum.at(largest, self._set_of_candidate(), np.abs(of_worths))
        return largest

    def _slope(self, gradient, steps):
        products = np.bincount(self._set_of_candidate(), weights=gradient[0] * steps[0], minlength=self.n_sets)
        return products + (gradient[1] * steps[1]).sum(axis=1)


def solve_determined(matrices, right):
    """Solve symmetric equations of shape (n, P, P) for right sides of shape (n, P); undetermined directions are 0."""
    if not matrices.shape[1]:
        return np.zeros(right.shape)
    size, vectors = np.linalg.eigh(matrices)
    fine = size > _NULL * np.maximum(size[:, -1:], np.finfo(np.float64).tiny)
    inverse = np.divide(1.0, size, out=np.zeros_like(size), where=fine)
    turned = (vectors.transpose(0, 2, 1) @ right[:, :, None])[:, :, 0]
    return (vectors @ (inverse * turned)[:, :, None])[:, :, 0]


def _logistic(odds):
    """Return 1 / (1 + exp(-odds)) in a new array."""
    with np.errstate(over="ignore"):
        result = np.exp(-odds)
    result += 1.0
    return np.reciprocal(result, out=result)
