"""Pairwise majorities of one query for many replicates of its list weights, computed as matrix products.

A replicate is one set of list weights, for example from a bootstrap. A list's preference between two items is 1 if the
list prefers the first item, -1 if the list prefers the second item, and 0 otherwise. These preferences are the same in
all replicates. The matrix product of preferences and weights gives the margins of all replicates. Products in single
precision are twice as fast. Integers below 2^24 are exact in single precision, so the order of addition does not
matter.

>>> import numpy as np
>>> from skrankagg._arrays._many_weights import count_many_majorities
>>> ranks = np.array([[2, 4, 6], [4, 2, 6], [6, 4, 2]], dtype=np.int16)
>>> weights = np.array([[1, 3], [1, 0], [1, 0]], dtype=np.float32)
>>> wins, draws = count_many_majorities(ranks, weights)
>>> wins.T
array([[1., 2., 0.],
       [2., 1., 0.]], dtype=float32)
"""

from itertools import pairwise

import numpy as np

from ._pairwise import rank_matrix
from ._weight_units import common_unit

# Integers up to this number are exact in single precision.
_WHOLE = 2**24
# Number of cells of the preference matrix that are computed at a time.
_CELLS = 1 << 22


def count_in_whole_units(list_ptr, weights):
    """Divide the weights of each query by a unit that makes all of them integers; return None if no unit does.

    The weights have shape (n_lists, n_replicates). The result has the same shape and contains integers as float32. Sums
    of these integers are exact, so comparing two sums gives the same result as with exact weights. The result is also
    None if the integers of a query add up to 2^24 or more.
    """
    counts = np.empty(weights.shape, dtype=np.float32)
    for first, last in pairwise(list_ptr):
        own = weights[first:last]
        if not (np.trunc(own) == own).all():
            own = own / common_unit(own.ravel())
            whole = np.round(own)
            if not np.allclose(own, whole, rtol=1e-14, atol=0.0):
                return None
            own = whole
        if own.sum(axis=0).max(initial=0.0) >= _WHOLE:
            return None
        counts[first:last] = own
    return counts


def score_many_weights(lists, score_query, one_by_one):
    """Return a function that computes the scores of all replicates from weights of shape (n_lists, n_replicates).

    Each replicate has its own weight for each list, for example because the weights are drawn at random.

    The function `score_query` computes the scores of one query, as an array of shape (n_items, n_replicates). Its
    arguments are the ranks, as returned by :func:`~skrankagg._arrays._pairwise.rank_matrix`, and the list weights
    converted to integers. If :func:`count_in_whole_units` cannot convert the weights, ``one_by_one(weights)`` computes
    the scores of all queries instead.
    """

    def score(weights):
        counts = count_in_whole_units(lists.list_ptr, weights)
        if counts is None:
            return one_by_one(weights)
        scores = np.empty((lists.n_candidates, weights.shape[1]))
        for q in range(lists.n_queries):
            own, mine = slice(*lists.list_ptr[q : q + 2]), slice(*lists.candidate_ptr[q : q + 2])
            scores[mine] = score_query(rank_matrix(lists, q), counts[own])
        return scores

    return score


def count_many_majorities(ranks, weights, absent="last"):
    """For each replicate and each item, count the opponents that the item beats, and the opponents it ties with.

    Each replicate has its own weight for each list; an item beats an opponent if the lists that prefer it have the
    greater total weight.

    `ranks`, of shape (n_lists, n_items), are returned by :func:`~skrankagg._arrays._pairwise.rank_matrix`. `weights`,
    of shape (n_lists, n_replicates), are integers in single precision. With ``absent="last"`` a list prefers its own
    items to all others. Returns two arrays of shape (n_items, n_replicates): the numbers of beaten opponents, and the
    numbers of ties.
    """
    n, n_replicates = ranks.shape[1], weights.shape[1]
    balance, decided = (np.zeros((n, n_replicates), dtype=np.float32) for _ in range(2))
    held = _held(ranks) if absent == "ignore" else None
    for i in range(n - 1):
        says = _says(ranks[:, i : i + 1], ranks[:, i + 1 :])
        if held is not None:
            says *= held[:, i : i + 1] & held[:, i + 1 :]
        margin = says.T @ weights
        np.clip(margin, -1, 1, out=margin)
        ones = np.ones(len(margin), dtype=np.float32)
        balance[i] += ones @ margin
        balance[i + 1 :] -= margin
        np.abs(margin, out=margin)
        decided[i] += ones @ margin
        decided[i + 1 :] += margin
    return (decided + balance) / 2, n - 1 - decided


def weigh_many_preferences(ranks, weights, absent="last"):
    """For each replicate and pair of items, add up the weights of the lists that prefer the first item to the second.

    The arguments are the same as for :func:`count_many_majorities`. Returns float64 of shape (n_replicates, n_items,
    n_items). Entry (i, j) of a matrix belongs to the pair with first item i and second item j.
    """
    m, n = ranks.shape
    lower = np.where(_held(ranks), ranks, -1) if absent == "ignore" else ranks
    prefer = np.empty((weights.shape[1], n, n))
    n_rows = max(1, _CELLS // (m * n))
    for first in range(0, n, n_rows):
        above = ranks[:, first : first + n_rows, None] < lower[:, None, :]
        prefer[:, first : first + n_rows] = (weights.T @ above.reshape(m, -1).astype(np.float32)).reshape(
            len(prefer), -1, n
        )
    return prefer


def _held(ranks):
    return ranks <= 2 * ranks.shape[1]


def _says(one, others):
    return np.subtract(one < others, one > others, dtype=np.float32)
