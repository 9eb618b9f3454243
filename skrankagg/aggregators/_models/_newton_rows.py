"""Newton's method for log-worths and coefficients of covariates, for many queries at once.

The utility of item i in list l is t_i + x_li'b. Here t are the log-worths, x are covariates, and b are their
coefficients. Subclasses of :class:`NewtonRows` compute the derivatives of the log-likelihood.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ..._support._threads import one_blas_thread
from ._posterior import plain_curvature

# A scaled coefficient beyond this size separates winners from losers: odds of e ** 16 at a typical difference. If a
# coefficient and a difference of worths grow together, both stop at about 18, because rounding then hides the slope.
FAR = 16.0
# A step is halved if the slope at its end points back, and exceeds this share of the slope at its start.
_TOO_FAR = 0.5
# If steps are smaller than this number and no longer shrink, rounding prevents further progress.
_NEAR = 1e-8
# A direction is undetermined if its second derivative is below _NULL times the largest. Matrices of worths become
# invertible by adding _JITTER times the mean of the diagonal to the diagonal.
_NULL, _JITTER = 1e-12, 1e-13


class RowsFit(NamedTuple):
    """Result of :meth:`NewtonRows.fit`.

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


class NewtonRows:
    """Base class of models that fit the log-worths and coefficients of some queries.

    A subclass sets the attribute `scale`, of shape (n_sets, P), and defines three methods:
    ``_derivatives(worth, coefficients, prior, ridge)``, ``_curvatures(state)`` and ``_components()``. Inside these
    methods, covariates are divided by `scale`.

    Parameters
    ----------
    candidate_ptr : array-like of shape (n_queries + 1,)
        Candidates of query ``q`` are ``candidate_ptr[q]`` to ``candidate_ptr[q + 1] - 1``.
    pooled : bool
        Whether all queries have the same coefficients.
    """

    def __init__(self, candidate_ptr, pooled):
        self.candidate_ptr, self.pooled = np.asarray(candidate_ptr, dtype=np.int64), pooled
        self.candidate_query = np.repeat(np.arange(self.n_queries), np.diff(self.candidate_ptr))
        sizes = np.diff(self.candidate_ptr)
        #: The matrices of all queries are stored one after the other; the cells of query q begin at ``cell_ptr[q]``.
        self.cell_ptr = np.concatenate([[0], np.cumsum(sizes**2)])
        #: For each number of items: the queries of this size, their candidates, and the cells of their matrices.
        self.blocks = []
        for n in np.unique(sizes).tolist():
            queries = np.flatnonzero(sizes == n)
            cells = self.cell_ptr[queries][:, None] + np.arange(n * n)
            self.blocks.append(
                (queries, self.candidate_ptr[queries][:, None] + np.arange(n), cells.reshape(len(queries), n, n))
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
        return self.scale.shape[1]

    @property
    def n_sets(self):
        """Number of sets of coefficients: one for each query, or one for all queries."""
        return 1 if self.pooled else self.n_queries

    @one_blas_thread
    def fit(self, *, prior=0.5, ridge=0.0, tol=1e-12, max_iter=100, start=None, far=FAR):
        """Maximise the posterior of the log-worths and coefficients; return a RowsFit.

        `prior` is PlackettLuce's prior of the worths. The penalty ``ridge / 2`` times the sum of the squared scaled
        coefficients is subtracted from the log-likelihood. A scaled coefficient is a coefficient times the covariate's
        `scale`. A `ridge` of shape (n_sets, P) has a number for each coefficient. The iteration ends if a scaled
        coefficient exceeds `far`. `start` is an earlier RowsFit of the same rows.
        """
        worth = np.zeros(self.n_candidates) if start is None else np.array(start.log_worth, dtype=np.float64)
        coefficients = np.zeros((self.n_sets, self.n_covariates))
        if start is not None:
            coefficients = start.coefficients * self.scale
        component = None if prior else self._components()
        if start is not None and component is not None:
            # Newton steps do not change the mean of a connected component, so the start values get the mean 0.
            worth -= (np.bincount(component, weights=worth) / np.bincount(component))[component]
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
            left |= moving & (np.abs(coefficients).max(axis=1, initial=0.0) > far)
            if (converged | left).all():
                break
        return RowsFit(worth, coefficients / self.scale, n_iter, converged & ~left)

    def information(self, log_worth, coefficients):
        """Yield the negative second derivatives of each query's weighted log-likelihood, without the prior.

        Each matrix has the shape (n_items + P, n_items + P); the coefficients come last, in the units of the
        covariates. With `pooled`, the information about the coefficients is the sum over the queries.
        """
        scaled = np.asarray(coefficients) * self.scale
        by_worth, crossed, by_coefficient = self._curvatures(self._derivatives(log_worth, scaled, 0.0, 0.0)[1])
        place = {q: (block, k) for block, (queries, *_) in enumerate(self.blocks) for k, q in enumerate(queries)}
        for q in range(self.n_queries):
            block, k = place[q]
            cross = crossed[self.candidate_ptr[q] : self.candidate_ptr[q + 1]]
            whole = np.block([[by_worth[block][k], cross], [cross.T, by_coefficient[q]]])
            scale = np.append(np.ones(len(cross)), self.scale[0 if self.pooled else q])
            yield whole * scale[:, None] * scale

    def undetermined(self):
        """Return, for each covariate, the share of its information that remains after elimination of other parameters.

        The information is the second derivative of the log-likelihood, times -1. The eliminated parameters are the
        log-worths of the items and the coefficients of the covariates before this one.

        The result has the shape (n_sets, P). The information is computed for equal worths and for coefficients of 0, so
        the shares depend only on the covariates and on the items of the lists.
        """
        zero = np.zeros(self.n_candidates), np.zeros((self.n_sets, self.n_covariates))
        state = self._derivatives(*zero, 0.0, 0.0)[1]
        by_worth, crossed, by_coefficient = self._curvatures(state)
        whole = self._of_sets(by_coefficient)
        size = np.maximum(np.einsum("skk->sk", whole), np.finfo(np.float64).tiny)
        rest = self._eliminate(by_worth, crossed, by_coefficient, np.zeros(self.n_candidates), self._components())[0]
        shares = np.zeros(size.shape)
        for k in range(self.n_covariates):
            crossed = rest[:, :k, k]
            explained = np.einsum("si,sij,sj->s", crossed, invert_determined(rest[:, :k, :k], 1e-9), crossed)
            shares[:, k] = (rest[:, k, k] - explained) / size[:, k]
        return shares

    # ------------------------------------------------------------------ in scaled covariates

    def _steps(self, gradient, state, worth, prior, ridge, component):
        """Return Newton's steps of the log-worths and of the scaled coefficients."""
        columns = gradient[0][:, None], gradient[1][:, :, None]
        of_worths, of_coefficients = self._solver(state, worth, prior, ridge, component)(columns)
        return of_worths[:, 0], of_coefficients[:, :, 0]

    def _solver(self, state, worth, prior, ridge, component):
        """Return a function that computes Newton's steps for many gradients at once.

        The gradients for log-worths have the shape (n_candidates, n), and the gradients for scaled coefficients have
        the shape (n_sets, P, n). The steps have the same shapes.
        """
        by_worth, crossed, by_coefficient = self._curvatures(state)
        rest, follow, inverses = self._eliminate(
            by_worth, crossed, by_coefficient, plain_curvature(prior, worth), component
        )
        penalty = np.asarray(ridge)[..., None] * np.eye(self.n_covariates)
        inverse_rest = invert_determined(rest + penalty, _NULL)

        def steps(gradients):
            plain = np.empty(gradients[0].shape)
            for inverse, (_, candidates, _) in zip(inverses, self.blocks, strict=True):
                plain[candidates] = inverse @ gradients[0][candidates]
            carried = np.add.reduceat(follow[:, :, None] * gradients[0][:, None], self.candidate_ptr[:-1], axis=0)
            move = inverse_rest @ (gradients[1] - self._of_sets(carried))
            of_candidate = move[self._set_of_candidate()]
            for k in range(self.n_covariates):
                plain -= follow[:, k, None] * of_candidate[:, k]
            return plain, move

        return steps

    def _eliminate(self, by_worth, crossed, by_coefficient, curvature, component):
        """Eliminate the log-worths from the equations of a Newton step.

        There are three results. The first contains, for each set of coefficients, the matrix of the remaining
        equations. The second has shape (n_candidates, P). It is multiplied by a step of the coefficients and subtracted
        from the step of the log-worths. The third contains, for each block of queries of the same size, the inverse
        matrices of the equations for the log-worths alone.
        """
        follow, rest, inverses = np.empty(crossed.shape), by_coefficient.copy(), []
        for matrix, (queries, candidates, _) in zip(by_worth, self.blocks, strict=True):
            each = np.arange(candidates.shape[1])
            size = np.maximum(matrix[:, each, each].mean(axis=1), np.finfo(np.float64).tiny)
            matrix[:, each, each] += curvature[candidates] + _JITTER * size[:, None]
            if component is not None:
                # Adding a number to all log-worths of a component changes nothing. This term keeps their mean fixed.
                same = component[candidates][:, :, None] == component[candidates][:, None, :]
                matrix += same * size[:, None, None]
            inverse = np.linalg.inv(matrix)
            cross = crossed[candidates]
            follow[candidates] = inverse @ cross
            rest[queries] -= cross.transpose(0, 2, 1) @ follow[candidates]
            inverses.append(inverse)
        return self._of_sets(rest), follow, inverses

    def _variation(self, columns, query, weights):
        """Return the weighted mean squares of the covariates for each set of coefficients and each replicate.

        The result has shape (n_sets, P, n_replicates).

        A row is a duel or a list. `columns` has shape (n_rows, 1 + P). Its first column contains the number of values
        that are squared in each row. The other columns contain the sum of the squares for each covariate. `query`
        contains the query of each row, and `weights`, of shape (n_rows, n_replicates), contains the weights of the
        rows.
        """
        of_set = np.zeros(len(query), dtype=np.intp) if self.pooled else query
        place = of_set, np.arange(len(query))
        sums = [csr_array((one, place), shape=(self.n_sets, len(query))) @ weights for one in columns.T]
        return np.stack(sums[1:], axis=1) / np.where(sums[0] > 0, sums[0], 1.0)[:, None]

    def _of_sets(self, of_queries):
        """Add up the values of all queries that belong to the same set of coefficients."""
        return of_queries.sum(axis=0, keepdims=True) if self.pooled else of_queries

    def _set_of_candidate(self):
        return np.zeros(self.n_candidates, dtype=np.intp) if self.pooled else self.candidate_query

    def _largest(self, of_worths, of_coefficients):
        """Return the largest absolute step of any log-worth or coefficient, for each set of coefficients."""
        largest = np.abs(of_coefficients).max(axis=1, initial=0.0)
        np.maximum.at(largest, self._set_of_candidate(), np.abs(of_worths))
        return largest

    def _slope(self, gradient, steps):
        products = np.bincount(self._set_of_candidate(), weights=gradient[0] * steps[0], minlength=self.n_sets)
        return products + (gradient[1] * steps[1]).sum(axis=1)


def invert_determined(matrices, null):
    """Compute the pseudo-inverses of n symmetric matrices, given as an array of shape (n, P, P).

    A direction is treated as undetermined if its eigenvalue is below `null` times the largest eigenvalue.
    """
    if not matrices.shape[1]:
        return matrices
    size, vectors = np.linalg.eigh(matrices)
    fine = size > null * np.maximum(size[:, -1:], np.finfo(np.float64).tiny)
    inverse = np.divide(1.0, size, out=np.zeros_like(size), where=fine)
    return (vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1)
