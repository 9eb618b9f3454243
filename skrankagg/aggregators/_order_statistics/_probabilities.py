"""Logarithms of probabilities of order statistics of independent uniform numbers.

If the lists of a query were drawn at random, the normalised ranks of an item would be m uniform numbers. This module
computes how unlikely the k-th smallest of these numbers is, and how unlikely the most extreme of these order statistics
is. The probabilities can be far below the smallest float: 500 lists that agree on the first of 2,000 items have
probability 1e-1650.

>>> import numpy as np
>>> from skrankagg.aggregators._order_statistics._probabilities import log_binomial_tail
>>> places, ranks = np.array([1, 2]), np.array([0.1, 0.5])
>>> np.exp(log_binomial_tail(places, 2, ranks))  # 1 - 0.9 ** 2 and 0.5 ** 2
array([0.19, 0.25])
"""

import numpy as np
from scipy.special import betainc, betaincinv, gammaln

from ..._arrays._ragged import group_order

# Smallest log probabilities for which betainc and betaincinv are used. Near the smallest floats, betainc has an error
# of 1e-9, and betaincinv returns NaN or wrong numbers.
_BETAINC = -570.0
_BETAINCINV = -150.0
# Number of values that are processed at a time, so that they stay in the cache.
_BLOCK = 1 << 15


def log_binomial_tail(k, n, x):
    """Compute the log probability that at least k of n uniform numbers are at most x, where x is above 0.

    This is the log probability that the k-th smallest number is at most x, log P(Beta(k, n - k + 1) <= x). It is
    computed element by element. Its error is about 1e-13, however small the probability is.
    """
    k, n, x = (np.asarray(value, dtype=np.float64) for value in np.broadcast_arrays(k, n, x))
    probability = betainc(k, n - k + 1, x)
    with np.errstate(divide="ignore"):
        log_tail = np.atleast_1d(np.log(probability))
    tiny = log_tail < _BETAINC
    if tiny.any():
        k, n, x = (np.atleast_1d(value)[tiny] for value in (k, n, x))
        log_tail[tiny] = _log_binomial(n, k) + k * np.log(x) + (n - k) * np.log1p(-x) + _log_tail_ratio(k, n, x)
    return log_tail.reshape(probability.shape)


def _log_binomial(n, k):
    return gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)


def _log_tail_ratio(k, n, x):
    # log of P(S >= k) / P(S = k), S binomial: a sum of ratios of neighbours, all positive. A term too small to count
    # for one element changes nothing there, so the number of terms for other elements does not matter.
    odds = x / (1 - x)
    total, term, step = np.ones_like(x), np.ones_like(x), 1
    while (term > 1e-17 * total).any():
        term = term * ((n - k - step + 1) / (k + step) * odds)
        total += term
        step += 1
    return np.log(total)


def log_poisson_binomial_tail(x, k_max, chance):
    """Compute the log probability that at least k of n uniform numbers are at most x and not hidden.

    Number i is hidden if it is above ``chance[i]``. So with probability ``min(x, chance[i])`` it is at most x and not
    hidden. `x` has shape (n_values,) and lies between 0 and 1. The result has shape (k_max + 1, n_values), with one row
    for each k from 0. All terms of the recurrence are positive.
    """
    log_tail = np.full((k_max + 1, len(x)), -np.inf)
    log_tail[0] = 0.0
    for most in chance:
        p = np.minimum(x, most)
        log_tail[1:] = np.logaddexp(np.log1p(-p) + log_tail[1:], np.log(p) + log_tail[:-1])
    return log_tail


def thresholds(log_rho, n):
    """Return the logarithm of the rho-quantile of the k-th smallest of n uniform numbers, for each k.

    `log_rho` contains logarithms of numbers rho below 1, and has shape (n_values,). The result has shape (n, n_values).
    Its k-th row contains the logarithms of the rho-quantiles of Beta(k, n - k + 1), for k from 1 to n.
    """
    k = np.arange(1.0, n + 1)[:, None]
    k, log_rho = (value.ravel() for value in np.broadcast_arrays(k, log_rho))
    fair = log_rho > _BETAINCINV
    log_b = np.empty(k.shape)
    log_b[fair] = np.log(betaincinv(k[fair], n - k[fair] + 1, np.exp(log_rho[fair])))
    # Start with the first term of the binomial tail alone. This start is exact if b is tiny; otherwise it is below b.
    # Log P is concave in log b and below its tangents, so Newton's steps never overshoot.
    log_b[~fair] = (log_rho[~fair] - _log_binomial(n, k[~fair])) / k[~fair]
    # If rho is large, betaincinv is accurate without a step, and the slope may be 0.
    active = np.flatnonzero((log_b > -600) & (log_rho < -0.7))
    while len(active):
        step = _newton_step(log_b[active], k[active], n, log_rho[active])
        log_b[active] += step
        active = active[(np.abs(step) > 1e-9) & ~fair[active]]
    return np.maximum.accumulate(log_b.reshape(n, -1), axis=0)


def _newton_step(log_b, k, n, log_rho):
    # The derivative of log P(S >= k) by log b is k P(S = k) / P(S >= k), S binomial(n, b).
    b = np.exp(log_b)
    log_tail = log_binomial_tail(k, n, b)
    log_equal = _log_binomial(n, k) + k * log_b + (n - k) * np.log1p(-b)
    return (log_rho - log_tail) / (k * np.exp(log_equal - log_tail))


def log_crossing(log_rho, n, *, most=1.0):
    r"""Compute the log probability that some order statistic of n uniform numbers is at or below its rho-quantile.

    `log_rho` and the result have shape (n_values,). The result is the probability that U_(k) <= b_k for some k. Here
    b_k is the smaller of `most` and the quantile of U_(k) at rho. Numbers above `most` are ignored.

    Take the last k with :math:`U_{(k)} \le b_k`. For this k, exactly k numbers are at most :math:`b_k`, because one
    more would also be at most :math:`b_{k+1}`. Let :math:`N(b)` be the count of numbers up to b. Then

    .. math:: p = \sum_k P(N(b_k) = k) \, R_k, \qquad R_k = 1 - \sum_{j > k} P(N(b_j) = j \mid N(b_k) = k) \, R_j,

    where :math:`R_k` is the probability that no later index has this property. The sum over k has only positive terms.
    Each term is rho times a number between 0 and 1, so p never underflows. The subtraction in :math:`R_k` loses no
    relevant digits. Let C be the matrix of the conditional probabilities. Then :math:`(I + C) R = 1` and :math:`(I +
    C)^{-1} = I - F`, where F contains the probability that j is the next such index after k. A relative error e in C
    therefore causes an error of at most 2 e in each R, and of at most 2 n e in p. The time for each value is quadratic
    in n.
    """
    log_p = np.empty_like(log_rho)
    size = max(1, _BLOCK // n)
    for start in range(0, len(log_rho), size):
        block = slice(start, start + size)
        log_p[block] = _log_crossing(log_rho[block], n, most)
    return log_p


def _log_crossing(log_rho, n, most):
    certain = log_rho > -1e-15
    log_b = np.minimum(thresholds(np.where(certain, -1.0, log_rho), n), np.log(most))
    b = np.exp(log_b)
    log_factorial = gammaln(np.arange(n + 1.0) + 1)
    k = np.arange(1, n + 1)
    above = (n - k)[:, None] * np.log1p(-np.minimum(b, 1 - 1e-16)) - log_factorial[n - k, None]
    log_equal = log_factorial[n] - log_factorial[k, None] + k[:, None] * log_b + above
    none_after = np.ones_like(b)
    total = np.zeros_like(log_rho)
    with np.errstate(divide="ignore"):
        for j in range(n - 1, -1, -1):
            total += np.exp(log_equal[j] - log_rho) * none_after[j]
            more = np.arange(j, 0, -1)
            log_chance = more[:, None] * np.log(b[j] - b[:j]) - log_factorial[more, None]
            log_chance += above[j] - above[:j]
            none_after[:j] -= np.exp(log_chance) * none_after[j]
    # Rounding must not violate the bounds: the probability of one of the n events, and the sum over all n events.
    log_p = np.where(certain, 0.0, log_rho + np.log(total))
    return np.clip(log_p, log_rho, np.minimum(log_rho + np.log(n), 0.0))


def sorted_places(candidate, x, n_candidates, *, weight=None):
    """Sort rows by candidate and normalised rank `x`, and number the rows of each candidate from 1 in this order.

    Returns the indices of the sorted rows, and for each sorted row the number of the candidate's rows up to this row.
    `weight` contains integers of shape (n_rows,): a row of weight w counts as w equal rows, and rows of weight 0 are
    left out. Both results are int64 arrays of shape (n_kept,).
    """
    rows = group_order(candidate, x)
    if weight is None:
        count = np.ones(len(rows), dtype=np.int64)
    else:
        rows = rows[weight[rows] > 0]
        count = weight[rows].astype(np.int64)
    total = np.bincount(candidate[rows], weights=count, minlength=n_candidates).astype(np.int64)
    before = np.cumsum(total) - total
    return rows, np.cumsum(count) - before[candidate[rows]]
