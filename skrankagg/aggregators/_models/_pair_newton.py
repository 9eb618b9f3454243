"""Most likely worths of items that are compared in pairs, by Newton's method for many boards at once.

A board is the set of comparisons of one query, under one set of weights. Along the difference of two log-worths, the
third derivative of the log-likelihood is at most as large as the second derivative. For such functions, a step of
Newton's method increases the likelihood if it changes no difference by more than 1. A longer step also increases the
likelihood if it is multiplied by log(1 + r) / r, where r is the largest change of a difference [1]_. The first step
from equal worths increases the likelihood at any length, because the second derivatives are largest for equal worths.
The method therefore needs no values of the likelihood.

.. [1] T. Sun and Q. Tran-Dinh, "Generalized self-concordant functions: a recipe for Newton-type methods", Mathematical
   Programming 178, 2019. https://doi.org/10.1007/s10107-018-1282-4
"""

import numpy as np

from ..._arrays._ragged import expand, gather_ranges
from ._duels import list_pairs, pair_queries

#: Largest number of elements, in total, of the matrices that are computed at a time.
CELLS = 1 << 17
# Boards of up to _FEW items always use Newton's method; larger boards do if n_items**3 is at most _SHARE times the
# number of different lists. For larger boards L-BFGS is faster, because solving n equations takes long.
_FEW, _SHARE, _MOST = 64, 5_000, 1_000
# Newton's method needs few steps. If it needs more than _STEPS, another method must take over.
_STEPS = 100
# If steps are below _NEAR and do not halve, rounding prevents further progress. A small prior hardly determines the
# mean of the log-worths. So it is enough that differences move by less than _NEAR, and the mean by less than
# _NEAR_MEAN.
_NEAR, _NEAR_MEAN = 1e-8, 1e-3


def small_boards(lists, n_different):
    """Return a mask of the queries that have only lists of two items, and few enough items for Newton's method.

    `n_different`, of shape (n_queries,), is the number of different lists of each query.
    """
    n = lists.query_n_items
    few = (n <= _FEW) | ((n <= _MOST) & (n**3 <= _SHARE * n_different))
    return pair_queries(lists) & few


def fit_boards(stages, start, **options):
    """Fit the queries that have few items and only lists of two items, by Newton's method.

    Returns the variables, the number of iterations of each query, and a mask of the queries whose fit has converged.
    The variables are the log-worths, followed by the tie parameters. The variables of all other queries are copied
    from `start`. `options` contains the prior, `tol` and `max_iter`.
    """
    lists = stages.lists
    variables, n_iter = np.array(start, dtype=np.float64), np.zeros(lists.n_queries, dtype=np.int64)
    converged = np.zeros(lists.n_queries, dtype=bool)
    if stages.tied_win is None:
        return variables, n_iter, converged
    chosen = small_boards(lists, np.diff(lists.list_ptr))
    if stages.any_below:
        chosen &= ~np.logical_or.reduceat(stages.below, lists.list_ptr[:-1])
    chosen = np.flatnonzero(chosen)
    n_items = lists.query_n_items[chosen]
    for n in np.unique(n_items).tolist():
        alike = chosen[n_items == n]
        some = max(1, CELLS // n**2)
        for first in range(0, len(alike), some):
            queries = alike[first : first + some]
            wins = _wins(stages, queries, n)
            own = lists.candidate_ptr[queries][:, None] + np.arange(n)
            fitted = newton(wins, variables[own], **options)
            variables[own[fitted[2]]] = fitted[0][fitted[2]]
            n_iter[queries], converged[queries] = fitted[1:]
    return variables, n_iter, converged


def _wins(stages, queries, n):
    """Count the wins of each item against each other item, for queries of n items.

    The result has shape (n_queries, n, n).
    """
    lists = stages.lists
    chosen, ptr = gather_ranges(lists.list_ptr, queries)
    upper, lower, tied = list_pairs(lists, chosen)
    # Cells are numbered through all matrices.
    number = expand(ptr).astype(np.int64)
    first = lists.candidate_ptr[queries][number]
    weight = stages.weight[lists.row_ptr[chosen]]
    upper, lower, number = upper - first, lower - first, number * n
    cells, shares = [(number + upper) * n + lower], [np.where(tied, stages.tied_win, 1.0) * weight]
    if tied.any():
        cells.append(((number + lower) * n + upper)[tied])
        shares.append(stages.tied_win * weight[tied])
    size = len(queries) * n * n
    return np.bincount(np.concatenate(cells), np.concatenate(shares), minlength=size).reshape(-1, n, n)


def newton(wins, start, *, prior, tol, max_iter):
    """Maximise the posterior of some boards of n items; a board is the set of comparisons of one query.

    Parameters
    ----------
    wins : ndarray of shape (n_boards, n, n)
        Number of wins of each item against each other item; the diagonal is 0.
    start : ndarray of shape (n_boards, n)
        Log-worths from which the iteration starts.
    prior, tol, max_iter : float, float, int
        Parameters of PlackettLuce.

    Returns
    -------
    log_worth : ndarray of shape (n_boards, n)
        Log-worths.
    n_iter : ndarray of shape (n_boards,)
        Number of steps.
    converged : ndarray of shape (n_boards,), dtype=bool
        True if the last step moved no log-worth by more than `tol`, or if rounding prevents further progress. False for
        boards that need more than 100 steps, or have equations without a solution in floating point.
    """
    log_worth, nearest = np.array(start), np.full(len(wins), np.inf)
    n_iter, converged = np.zeros(len(wins), dtype=np.int64), np.zeros(len(wins), dtype=bool)
    is_equal = (log_worth == log_worth[:, :1]).all(axis=1) & (log_worth[:, 0] == 0)
    active = slice(None)  # all boards; later the positions of some boards
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for _ in range(min(max_iter, _STEPS)):
            try:
                step = _step(wins, log_worth[active], prior)
            except np.linalg.LinAlgError:
                break
            highest, lowest = step.max(axis=1), step.min(axis=1)
            largest = np.maximum(highest, -lowest)
            # The worth of the invented item of the prior never moves.
            reach = np.maximum(highest, 0.0) - np.minimum(lowest, 0.0)
            long = (reach > 1) & ~is_equal
            if long.any():
                step *= np.where(long, np.log1p(reach) / reach, 1.0)[:, None]
            log_worth[active] += step
            n_iter[active] += 1
            near = (largest <= _NEAR) | ((largest <= _NEAR_MEAN) & (highest - lowest <= _NEAR))
            ends = (largest <= tol) | (near & (largest > nearest[active] / 2))
            nearest[active] = largest
            converged[active] = ends
            stays, is_equal = ~ends & np.isfinite(largest), np.zeros(len(wins), dtype=bool)
            if not stays.any():
                break
            if not stays.all():
                active = np.arange(len(log_worth))[active][stays]
                wins, is_equal = wins[stays], is_equal[stays]
    return log_worth, n_iter, converged


def _step(wins, log_worth, prior):
    """Compute the step of Newton's method for each board (the comparisons of one query)."""
    n = log_worth.shape[1]
    worth = np.exp(log_worth - log_worth.max(axis=1, keepdims=True))
    both = worth[:, :, None] + worth[:, None, :]
    share = wins / both
    # The difference of wins and expected wins would lose digits if an item almost never loses.
    gradient = (share @ worth[:, :, None])[:, :, 0] - worth * share.sum(axis=1)
    share = share + share.transpose(0, 2, 1)
    share /= both
    share *= worth[:, :, None]
    share *= worth[:, None, :]
    curvature = share.sum(axis=2)
    if prior:
        odds = np.exp(-np.abs(log_worth))
        gradient += prior * np.sign(log_worth) * (odds - 1) / (1 + odds)
        curvature += 2 * prior * odds / (1 + odds) ** 2
    else:
        # Adding a number to all log-worths changes nothing. This term keeps their sum fixed.
        constant = curvature.sum(axis=1) / n**2
        share -= constant[:, None, None]
        curvature += constant[:, None]
    np.negative(share, out=share)
    share.reshape(len(share), n * n)[:, :: n + 1] = curvature  # the diagonals
    return np.linalg.solve(share, gradient[:, :, None])[:, :, 0]
