"""Fit worths to paired comparisons for many sets of list weights at once, such as bootstrap samples.

A replicate is one set of list weights. A board is the set of comparisons of one query, under one set of weights.
"""

import numpy as np

from ._many_minima import minimise
from ._pair_newton import CELLS, newton, small_boards
from ._posterior import plain_prior

# Largest number of pairs times replicates that are fitted at a time.
_CELLS = 1 << 20


class PairFits:
    """Callable that fits the worths to many sets of list weights, and returns the scores of each fit.

    Parameters
    ----------
    pairs : PairCounts
        The comparisons.
    start : ndarray of shape (n_candidates,)
        Log-worths from which each fit starts.
    published : PublishedScale
        Conversion of log-worths to the returned scores.
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
        """Return the scores for random list weights, given as a DrawnWeights object.

        The weight of each list in each replicate is not computed.
        """
        return self._fit_parts(lambda matrix, part: weights.of_draws(part).sums(matrix), weights.shape[1])

    def _fit_parts(self, sums, n):
        """Compute the scores of `n` replicates in chunks.

        A replicate is a set of list weights. ``sums(matrix, part)`` multiplies a matrix by the list weights of the
        replicates in the slice `part`.
        """
        some = max(1, _CELLS // max(len(self.pairs.one), self.pairs.lists.n_candidates))
        parts = [slice(k, min(k + some, n)) for k in range(0, n, some)]
        found = [self._fit(lambda matrix, part=part: sums(matrix, part), part.stop - part.start) for part in parts]
        return np.concatenate(found, axis=1)

    def _fit(self, sums, n):
        wins = sums(self.pairs.directed)
        log_worth, converged = self._fit_boards(wins)
        if not converged.all():
            log_worth = self._fit_others(*self.pairs.counts(wins), log_worth, converged)
        return self.published(log_worth)

    def _fit_boards(self, wins):
        """Fit the small boards by Newton's method; return the log-worths, and a mask of the converged fits.

        A board is the set of comparisons of one query in one replicate. The mask has the shape (n_queries,
        n_replicates).
        """
        lists, pairs, n_replicates = self.pairs.lists, self.pairs, wins.shape[1]
        log_worth = np.repeat(self.start[:, None], n_replicates, axis=1)
        converged = np.zeros((lists.n_queries, n_replicates), dtype=bool)
        pair_ptr = np.searchsorted(pairs.one, lists.candidate_ptr)
        for q in np.flatnonzero(small_boards(lists, np.diff(pair_ptr))):
            own, mine = slice(*lists.candidate_ptr[q : q + 2]), slice(*pair_ptr[q : q + 2])
            one, other, n = pairs.one[mine] - own.start, pairs.other[mine] - own.start, own.stop - own.start
            some = max(1, CELLS // n**2)
            for first in range(0, n_replicates, some):
                part = slice(first, min(first + some, n_replicates))
                matrix = np.zeros((part.stop - first, n, n))
                matrix[:, one, other] = wins[: len(pairs.one)][mine, part].T
                matrix[:, other, one] = wins[len(pairs.one) :][mine, part].T
                start = np.ascontiguousarray(log_worth[own, part].T)
                found, _, ends = newton(matrix, start, prior=self.prior, **self.options)
                log_worth[own, part] = np.where(ends[:, None], found, start).T
                converged[q, part] = ends
        return log_worth, converged

    def _fit_others(self, compared, won, start, converged):
        """Use L-BFGS to fit the boards that have not converged; return the log-worths of all boards.

        A board is the set of comparisons of one query in one replicate.
        """
        lists, n = self.pairs.lists, won.shape[1]
        likelihood = self.pairs.likelihood(compared, won)
        shape = lists.n_candidates, n

        def minus_log_posterior(log_worth):
            log_worth = log_worth.reshape(shape)
            value, gradient = likelihood(log_worth)
            terms, slopes = plain_prior(self.prior, log_worth)
            value = value + np.add.reduceat(terms, lists.candidate_ptr[:-1], axis=0)
            return -value.ravel(), -(gradient + slopes).ravel()

        group = (lists.candidate_query[:, None].astype(np.int64) * n + np.arange(n)).ravel()
        found = minimise(
            minus_log_posterior,
            start.ravel(),
            group,
            lists.n_queries * n,
            (won + self.prior).ravel(),
            converged=converged.ravel(),
            **self.options,
        )
        return found[0].reshape(shape)
