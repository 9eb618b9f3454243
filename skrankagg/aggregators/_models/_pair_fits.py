"""Fits of the worths to paired comparisons under many sets of list weights at once."""

import numpy as np

from ._many_minima import minimise
from ._posterior import plain_prior

# Pairs and replicates that are fitted at one time.
_CELLS = 1 << 20


class PairFits:
    """Function of the weights of the lists in many replicates that returns the scores.

    Parameters
    ----------
    pairs : PairCounts
        The comparisons.
    start : ndarray of shape (n_candidates,)
        Log-worths from which each fit starts.
    published : PublishedScale
        Scale of the results.
    prior, tol, max_iter : float, float, int
        Parameters of PlackettLuce.
    """

    def __init__(self, pairs, start, published, *, prior, tol, max_iter):
        self.pairs, self.start, self.published, self.prior = pairs, start, published, prior
        self.options = {"tol": tol, "max_iter": max_iter}

    def __call__(self, weights):
        """Return scores of shape (n_candidates, n_replicates) for weights of shape (n_lists, n_replicates)."""
        return self._fit_parts(lambda matrix, part: matrix @ weights[:, part], weights.shape[1])

    def of_draws(self, weights):
        """Return the same for DrawnWeights, without computing the weight of each list in each draw."""
        return self._fit_parts(lambda matrix, part: weights.of_draws(part).sums(matrix), weights.shape[1])

    def _fit_parts(self, sums, n):
        """Fit some replicates at a time; ``sums(matrix, part)`` multiplies a matrix by the weights in these."""
        some = max(1, _CELLS // max(len(self.pairs.one), self.pairs.lists.n_candidates))
        parts = [slice(k, min(k + some, n)) for k in range(0, n, some)]
        found = [self._fit(lambda matrix, part=part: sums(matrix, part), part.stop - part.start) for part in parts]
        return np.concatenate(found, axis=1)

    def _fit(self, sums, n):
        lists = self.pairs.lists
        won, likelihood = self.pairs.likelihood(sums)
        shape = lists.n_candidates, n

        def minus_log_posterior(log_worth):
            log_worth = log_worth.reshape(shape)
            value, gradient = likelihood(log_worth)
            terms, slopes = plain_prior(self.prior, log_worth)
            value = value + np.add.reduceat(terms, lists.candidate_ptr[:-1], axis=0)
            return -value.ravel(), -(gradient + slopes).ravel()

        group = (lists.candidate_query[:, None].astype(np.int64) * n + np.arange(n)).ravel()
        start, scale = np.repeat(self.start[:, None], n, axis=1).ravel(), (won + self.prior).ravel()
        found = minimise(minus_log_posterior, start, group, lists.n_queries * n, scale, **self.options)
        return self.published(found[0].reshape(shape))
