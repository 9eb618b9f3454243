"""Maximum-likelihood dispersion of Mallows' model around a consensus, computed for many queries at once."""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._ragged import expand, positions

# Number of items, in all queries together, that are processed at one time.
_CELLS = 1 << 16
# If theta times the number of items is below this number, a power series is used to avoid cancellation.
_SMALL = 0.05
_MOST_STEPS = 100


def fit_mallows(lists, distance):
    """Fit the dispersion of each query, given the total distance of its lists to the consensus.

    Returns the dispersion, from 0 to 1, and the log-likelihood of the lists, each of shape (n_queries,). Both values of
    a query are NaN if it has a single item, or if all its lists have weight 0. They are also NaN if some list does not
    contain all items, or has ties. Lists of weight 0 are ignored.
    """
    n, query = lists.query_n_items, lists.list_query
    strict = np.logical_and.reduceat(lists.rank == positions(lists.row_ptr), lists.row_ptr[:-1])
    bad = (lists.list_weight > 0) & ~(strict & (lists.list_length == n[query]))
    weight = lists.sum_over_lists(lists.list_weight)
    chosen = np.flatnonzero((n > 1) & (weight > 0) & ~np.logical_or.reduceat(bad, lists.list_ptr[:-1]))
    phi, likelihood = np.full(len(n), np.nan), np.full(len(n), np.nan)
    for block in np.split(chosen, np.flatnonzero(np.diff(np.cumsum(n[chosen]) // _CELLS)) + 1):
        if len(block):
            phi[block], likelihood[block] = dispersion(n[block], distance[block], weight[block])
    return phi, likelihood


def dispersion(n, distance, weight):
    """For each query, return the maximum-likelihood dispersion of Mallows' model, and the log-likelihood.

    The dispersion is between 0 and 1. The arguments are arrays with a number for each query. `n` is the number of
    items, at least 2. `distance` is the total weighted distance of the lists to the centre. `weight` is the total
    weight of the lists.

    >>> import numpy as np
    >>> from skrankagg.aggregators._kemeny._dispersion import dispersion
    >>> dispersion(np.array([2, 3]), np.array([1.0, 0.0]), np.array([4.0, 1.0]))
    (array([0.33333333, 0.        ]), array([-2.24934058,  0.        ]))
    """
    mean, uniform = distance / weight, n * (n - 1) / 4
    # A mean distance that is only a rounding error of the score counts as 0.
    central = mean <= TOLERANCE * uniform
    inner = np.flatnonzero(~central & (mean < uniform))
    theta = np.where(central, np.inf, 0.0)
    theta[inner] = _solve(n[inner], mean[inner])
    # The arrays contain a number for each place of each query. So sums round as they would for a single query.
    ptr = np.append(0, np.cumsum(n))
    j, at = positions(ptr), expand(ptr)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(theta[at] > 0, np.expm1(-theta[at] * j) / np.expm1(-theta[at]), j)
        spread = np.where(central, 0.0, theta * distance)
    return np.exp(-theta), -spread - weight * np.add.reduceat(np.log(ratio), ptr[:-1])


def _solve(n, mean):
    """For each query, find theta so that the expected distance under Mallows' model equals `mean`.

    Theta is minus the logarithm of the dispersion. Each value of `mean` is between 0 and the mean distance under the
    uniform distribution.
    """
    if len(n) == 0:
        return np.empty(0)
    ptr = np.append(0, np.cumsum(n))
    heads, j, at = ptr[:-1], positions(ptr).astype(np.float64), expand(ptr)
    # The expected distance is at most (n - 1) / (exp(theta) - 1).
    low, high = np.zeros(len(n)), np.log1p((n - 1) / mean)
    theta, found = high * np.sqrt(1 - mean / (n * (n - 1) / 4)), np.zeros(len(n), dtype=bool)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        for _ in range(_MOST_STEPS):
            odds = 1.0 / np.expm1(j * theta[at])
            products = odds * odds + odds
            expected = n * odds[heads] - np.add.reduceat(j * odds, heads)
            variance = n * products[heads] - np.add.reduceat(j**2 * products, heads)
            above = expected > mean
            low, high = np.where(above, theta, low), np.where(above, high, theta)
            # Take Newton's step on the logarithms, where the curve is nearly straight.
            new = theta + np.log(expected / mean) * expected / variance
            new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
            # The number of correct digits doubles in each step. After a query has converged, its theta is not changed.
            done = np.abs(new - theta) <= 1e-9 * theta
            theta = np.where(found, theta, new)
            found |= done | (theta * n < _SMALL)
            if found.all():
                break
    small = theta * n < _SMALL
    if small.any():
        theta[small] = _solve_small(n[small].astype(np.float64), mean[small])
    return theta


def _solve_small(n, mean):
    """Solve the equation of :func:`_solve` for theta near 0, with the power series of the expected distance."""
    ptr = np.append(0, np.cumsum(n.astype(np.int64)))
    j = positions(ptr).astype(np.float64)
    # With f(x) = 1 / (exp(x) - 1) - 1 / x, the expected distance is the sum over j of f(theta) - j f(j theta). The
    # factors are the coefficients of x, x^3 and x^5 in the power series of f.
    slopes = [
        factor * np.add.reduceat(1 - j**power, ptr[:-1])
        for factor, power in ((1 / 12, 2), (-1 / 720, 4), (1 / 30240, 6))
    ]
    theta = np.zeros(len(n))
    for _ in range(4):
        square = theta**2
        theta = (mean - n * (n - 1) / 4) / (slopes[0] + square * (slopes[1] + square * slopes[2]))
    return theta
