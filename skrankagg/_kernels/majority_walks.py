"""Long-run distributions of walkers that move to items preferred by a majority, for many draws of the lists."""

import numpy as np

from . import _majority_walks
from .loading import as_vf, as_vi


def majority_walks(margin, upper, lower, start, n_states, jump):
    """For each draw, compute the long-run distribution of a random walker over the items.

    The states of a draw are the items that its lists contain. A step draws one of the states at random. The walker
    moves to the drawn item if a majority prefers this item to the walker's present item, and otherwise stays. With
    probability `jump`, above 0, the walker instead goes to an item drawn from `start`.

    `upper` and `lower`, of shape (n_pairs,), contain all pairs of items 0 to n - 1 with upper < lower, in ascending
    order. `margin`, of shape (n_draws, n_pairs), is the margin of the upper over the lower item; it must be exact, and
    0 for items that are not states. The kernel is faster if fewer margins are 0 or less. `start` has the
    shape (n_draws, n), and `n_states`, of shape (n_draws,), is the number of states of each draw.

    Returns the distributions, of shape (n_draws, n), and a mask of the draws that have converged up to rounding errors.
    """
    n_draws, n_pairs = margin.shape
    flat = margin.ravel()
    exception = np.flatnonzero(flat <= 0)
    ptr = np.searchsorted(exception, np.arange(n_draws + 1) * n_pairs)
    wins = flat[exception] < 0
    exception -= np.repeat(np.arange(n_draws) * n_pairs, np.diff(ptr))
    share, converged = _majority_walks.majority_walks(
        as_vi(exception),
        as_vi(wins),
        as_vi(ptr),
        as_vi(upper),
        as_vi(lower),
        as_vf(start.ravel()),
        as_vf(n_states),
        start.shape[1],
        jump,
    )
    return np.asarray(share).reshape(start.shape), np.asarray(converged) != 0
