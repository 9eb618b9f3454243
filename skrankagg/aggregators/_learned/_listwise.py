"""Listwise softmax loss for the weights of a linear model; the loss is small if relevant items get high scores.

>>> import numpy as np
>>> from scipy.sparse import csr_array
>>> from skrankagg.aggregators._learned._listwise import ListwiseLoss, minimize_loss
>>> gains = csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]))  # three items of a query, two voters
>>> loss = ListwiseLoss(gains, np.array([0, 3]), np.array([1.0, 0.0, 0.0]), alpha=1.0)
>>> minimize_loss(loss, positive=True, max_iter=100, tol=1e-6)[0].round(4)
array([0.429, 0.   ])
"""

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from ..._arrays import TOLERANCE

# With more voters, the Newton steps for the last digits are left out, because they need a matrix of shape (n_voters,
# n_voters).
_NEWTON_VOTERS = 300


class ListwiseLoss:
    """Listwise loss of given weights: cross-entropy of a softmax over each query's item scores, plus a ridge penalty.

    Parameters
    ----------
    gains : csr_array of shape (n_items, n_voters)
        Contribution of each voter to each item; the items are sorted by query.
    ptr : ndarray of shape (n_queries + 1,)
        Row offsets: query q has the items ``ptr[q]`` to ``ptr[q + 1] - 1``. Each query has at least one item.
    share : ndarray of shape (n_items,)
        Share of each item in the relevance of its query; the shares of a query add up to 1.
    alpha : float
        Factor of the ridge penalty, which is ``alpha / 2`` times the sum of the squared weights. The penalty is added
        once, not for each query.
    """

    def __init__(self, gains, ptr, share, alpha):
        self.gains = gains
        self.columns = gains.T.tocsr()
        self.ptr = ptr
        self.share = share
        self.alpha = alpha
        self.query = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))

    def __call__(self, weight):
        """Return the loss and its gradient, which has shape (n_voters,)."""
        score, probability, log_total = self._softmax(weight)
        loss = log_total.sum() - self.share @ score + self.alpha / 2 * (weight @ weight)
        return loss, self.columns @ (probability - self.share) + self.alpha * weight

    def hessian(self, weight):
        """Return the second derivatives of the loss as a matrix of shape (n_voters, n_voters)."""
        _, probability, _ = self._softmax(weight)
        rows = np.repeat(probability, np.diff(self.gains.indptr))
        weighted = csr_array((self.gains.data * rows, self.gains.indices, self.gains.indptr), self.gains.shape)
        # Each query's mean gain under the probabilities is the product of a (queries x items) matrix and an (items x
        # voters) matrix.
        one = np.ones(len(probability))
        queries = csr_array((one, np.arange(len(one)), self.ptr), (len(self.ptr) - 1, len(one)))
        means = (queries @ weighted).toarray()
        found = (self.columns @ weighted).toarray() - means.T @ means
        found[np.diag_indices_from(found)] += self.alpha
        return found

    def _softmax(self, weight):
        """Return the items' scores and probabilities, and the logarithm of each query's sum of exponentials."""
        score = self.gains @ weight
        highest = np.maximum.reduceat(score, self.ptr[:-1])
        size = np.exp(score - highest[self.query])
        total = np.add.reduceat(size, self.ptr[:-1])
        return score, size / total[self.query], np.log(total) + highest


def minimize_loss(loss, *, positive, max_iter, tol):
    """Find the weights with the least loss.

    Returns the weights, the number of steps, and whether the search has converged. With `positive` the weights are at
    least 0. The search has converged if the largest component of the gradient, divided by the number of queries, is at
    most `tol`.
    """
    n_queries, n_voters = len(loss.ptr) - 1, loss.gains.shape[1]

    def mean(weight):
        value, slope = loss(weight)
        return value / n_queries, slope / n_queries

    bounds = [(0.0, None)] * n_voters if positive else None
    options = {"maxiter": max_iter, "gtol": tol, "ftol": TOLERANCE}
    found = minimize(mean, np.zeros(n_voters), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    converged = found.status == 0
    weight = found.x
    if converged and n_voters <= _NEWTON_VOTERS and loss.alpha > 0:
        weight = _polish(loss, weight, positive)
    return weight, int(found.nit), converged


def _polish(loss, weight, positive):
    """Take Newton steps near the minimum, so that the last digits do not depend on the path of the search."""
    for _ in range(5):
        slope = loss(weight)[1]
        free = (weight > 0) | (slope < 0) if positive else np.ones(len(weight), dtype=bool)
        if not free.any():
            break
        step = np.linalg.solve(loss.hessian(weight)[np.ix_(free, free)], slope[free])
        after = weight.copy()
        after[free] -= step
        if positive:
            np.maximum(after, 0.0, out=after)
        if loss(after)[0] > loss(weight)[0] + TOLERANCE * abs(loss(weight)[0]):
            break
        moved = np.abs(after - weight).max()
        weight = after
        if moved <= 1e-15 * max(np.abs(weight).max(), 1e-300):
            break
    return weight
