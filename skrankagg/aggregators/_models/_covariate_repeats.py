"""Fit PlackettLuce with covariates to many sets of list weights at once, such as bootstrap samples.

A replicate is one set of list weights. Each replicate starts at the estimate of all lists. Its steps use the second
derivatives at this estimate, so they need only the gradient of the replicate (chord steps). A replicate that does not
converge in this way is fitted by Newton's method.
"""

import numpy as np
from scipy.sparse import csr_array

from ..._arrays._ragged import gather_ranges
from ..._support._threads import one_blas_thread
from ._duel_rows import DuelRows
from ._posterior import plain_prior

# Largest number of rows times replicates that are fitted at a time.
_CELLS = 1 << 22
# A replicate has converged if its last step was at most _SMALL. The next step would be about ten times smaller. After
# _MOST_STEPS steps, Newton's method takes over.
_SMALL, _MOST_STEPS = 1e-7, 15


class CovariateFits:
    """Callable that fits the model to many sets of list weights, and returns the scores of each fit.

    Parameters
    ----------
    model : CovariateModel
        The model of all lists, with a prior.
    published : PublishedScale
        Conversion of log-worths to the returned scores.
    """

    def __init__(self, model, published):
        self.lists, self.published = model.lists, published
        self.parts = [
            (
                gather_ranges(model.lists.list_ptr, queries)[0],
                gather_ranges(model.lists.candidate_ptr, queries)[0],
                _ChordFits(model, queries, rows),
            )
            for queries, _, rows in model.parts
        ]
        self.some = max(1, _CELLS // max(model.lists.n_lists, model.lists.n_candidates))

    def __call__(self, weights):
        """Return scores of shape (n_candidates, n_replicates) for weights of shape (n_lists, n_replicates)."""
        return self._fit_parts(lambda part: weights[:, part], weights.shape[1])

    def of_draws(self, weights):
        """Return the scores for DrawnWeights; list weights are computed for a few replicates at a time."""
        return self._fit_parts(lambda part: weights.of_draws(part).dense(), weights.shape[1])

    def _fit_parts(self, dense, n):
        found = np.empty((self.lists.n_candidates, n))
        for start in range(0, n, self.some):
            part = slice(start, min(start + self.some, n))
            weights = dense(part)
            for mine, candidates, fits in self.parts:
                found[candidates, part] = fits(weights[mine] if len(self.parts) > 1 else weights)
        return self.published(found)


class _ChordFits:
    """Fits of some queries to many sets of list weights, by chord steps (see the top of the module).

    The steps start from the estimate with the original weights of all lists.
    """

    def __init__(self, model, queries, rows):
        self.model, self.queries, self.rows = model, queries, rows
        self.prior, self.ridge = model.method.prior, model.method.ridge
        self.start = model.fit(queries, rows)
        self.coefficients = self.start.coefficients * rows.scale
        state = rows._derivatives(self.start.log_worth, self.coefficients, self.prior, self.ridge)[1]
        self.steps = rows._solver(state, self.start.log_worth, self.prior, self.ridge, None)
        self.design = _design(rows) if isinstance(rows, DuelRows) else None
        self.transposed = None if self.design is None else self.design.T.tocsr()

    @one_blas_thread
    def __call__(self, weights):
        """Fit the queries to each set of weights, and return log-worths of shape (n_candidates, n_replicates)."""
        n_replicates = weights.shape[1]
        weights = self.model.weights_of_rows(self.rows, weights)
        worth = np.repeat(self.start.log_worth[:, None], n_replicates, axis=1)
        coefficients = np.repeat(self.coefficients[:, :, None], n_replicates, axis=2)
        found = np.full(worth.shape, np.nan)
        # The ridge penalty is for covariates that are scaled to unit variation under the weights of the replicate.
        ridge = np.zeros(coefficients.shape)
        if self.ridge > 0:
            ridge += self.ridge * self.rows.variation(weights)
        penalties = ridge
        left, last, own = np.arange(n_replicates), np.full(n_replicates, np.inf), weights
        for _ in range(_MOST_STEPS):
            steps = self.steps(self._gradients(worth, coefficients, own, ridge))
            worth, coefficients = worth + steps[0], coefficients + steps[1]
            reach = np.maximum(np.abs(steps[0]).max(axis=0), np.abs(steps[1]).max(axis=(0, 1), initial=0.0))
            done = reach <= _SMALL
            found[:, left[done]] = worth[:, done]
            # If the steps of a replicate grow, Newton's method fits it below.
            going = ~done & (reach < 2 * last)
            if not going.any():
                break
            if not going.all():
                left, worth, coefficients, own = left[going], worth[:, going], coefficients[:, :, going], own[:, going]
                ridge = ridge[:, :, going]
            last = reach[going]
        for k in np.flatnonzero(np.isnan(found[0])).tolist():
            rows = self.rows.with_weight(weights[:, k])
            found[:, k] = self.model.fit(self.queries, rows, self.start, penalties[:, :, k]).log_worth
        return found

    def _gradients(self, worth, coefficients, weights, ridge):
        """Return the gradients of the log posterior for many sets of list weights (replicates).

        The first result is the gradient for log-worths, and the second is the gradient for scaled coefficients.
        """
        rows, n = self.rows, len(worth)
        if self.design is None:
            columns = [
                rows.with_weight(weights[:, k])._derivatives(
                    worth[:, k], coefficients[:, :, k], self.prior, ridge[:, :, k]
                )
                for k in range(worth.shape[1])
            ]
            return tuple(np.stack([gradient[part] for gradient, _ in columns], axis=-1) for part in range(2))
        residual = self.design @ np.concatenate([worth, coefficients.reshape(-1, worth.shape[1])])
        np.negative(residual, out=residual)
        with np.errstate(over="ignore"):
            np.exp(residual, out=residual)
        residual += 1.0
        np.reciprocal(residual, out=residual)
        np.subtract(rows.share[:, None], residual, out=residual)
        residual *= weights
        sums = self.transposed @ residual
        by_worth = sums[:n] + plain_prior(self.prior, worth)[1]
        return by_worth, sums[n:].reshape(coefficients.shape) - ridge * coefficients


def _design(rows):
    """Return the derivatives of the log-odds of each duel: a row for each duel, a column for each variable.

    The variables are all log-worths, followed by all scaled coefficients.
    """
    n, number = len(rows.share), rows.n_covariates
    of_set = np.zeros(n, dtype=np.intp) if rows.pooled else rows.query
    places = [rows.first, rows.second, *(rows.n_candidates + of_set * number + k for k in range(number))]
    values = [np.ones(n), -np.ones(n), *rows.scaled]
    width = len(places)
    shape = n, rows.n_candidates + rows.n_sets * number
    entries = np.stack(values, axis=1).ravel(), np.stack(places, axis=1).ravel(), width * np.arange(n + 1)
    return csr_array(entries, shape=shape)
