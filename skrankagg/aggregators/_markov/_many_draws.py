"""Long-run distributions of one query for many draws of its lists, as in a bootstrap.

A draw is a set of weights of the lists.

>>> import numpy as np
>>> from skrankagg import RankedLists
>>> from skrankagg.aggregators._markov._chains import CHAINS
>>> from skrankagg.aggregators._markov._many_draws import scores_of_draws
>>> lists = RankedLists.from_lists([["a", "b"], ["b", "a"]])
>>> counts = np.array([[1, 2], [1, 0]], dtype=np.float32)
>>> scores_of_draws(lists, 0, CHAINS["mc4"], "last", 0.15, counts).round(2)
array([[0.5 , 0.87],
       [0.5 , 0.13]])
"""

import numpy as np

from ..._arrays._pairwise import rank_matrix
from ..._kernels import COMPILED, majority_walks
from ._chains import MC4
from ._walks import long_run, start_of

#: Largest number of items for which it is faster to compute all draws together. In larger queries, nearly all time is
#: spent on solving linear systems.
MOST_ITEMS = 256
# Largest number of cells that are computed at a time: of the preferences of all lists, or of the matrices of some
# draws.
_CELLS = 1 << 22
# In plain Python, the kernel `majority_walks` is slower than NumPy.
_HAS_KERNEL = COMPILED
# Number of margins that are computed at a time.
_WALKED_CELLS = 1 << 19
# Number of cells of the matrices of draws that are solved at a time, so that they stay in the cache.
_SOLVED_CELLS = 1 << 16


def scores_of_draws(lists, q, chain, absent, ergodic_number, counts):
    """Compute the scores of query `q` for many draws of its lists, as an array of shape (n_items, n_draws).

    `counts`, of shape (n_query_lists, n_draws), contains the weights of the lists: integers in single precision, below
    2^24 in total. `chain` is a value of ``CHAINS``, and `ergodic_number` is between 0 and 1.
    """
    ranks = rank_matrix(lists, q)
    if not _HAS_KERNEL or chain is not MC4 or ranks.size * ranks.shape[1] // 2 > _CELLS:
        return _solved(lists, q, ranks, chain, absent, ergodic_number, counts)
    score, converged = _walked(ranks, absent, ergodic_number, counts)
    if not converged.all():
        score[:, ~converged] = _solved(lists, q, ranks, chain, absent, ergodic_number, counts[:, ~converged])
    return score


def _walked(ranks, absent, ergodic_number, counts):
    """Compute the scores of the chain "mc4" from the majorities; also return a mask of the draws that converged.

    The kernel is fast if most majorities prefer the first item of a pair. So the items are first sorted by their wins
    minus their defeats, the largest difference first. When wins and defeats are counted, all lists have the same
    weight.
    """
    n = ranks.shape[1]
    contained = ranks <= 2 * n
    ranks = np.where(contained, ranks, 2 * n + 1)
    preferred = sum(np.sign(one - one[:, None]) for one in ranks)  # [i, j] above 0: i is preferred
    order = np.lexsort((-preferred.sum(axis=1), -np.sign(preferred).sum(axis=1)))
    ranks, contained = ranks[:, order], contained[:, order]
    upper, lower = np.triu_indices(n, 1)
    pairs = np.sign(ranks[:, lower] - ranks[:, upper]).astype(np.float32)
    if absent == "ignore":
        pairs *= contained[:, lower] & contained[:, upper]
    held = (counts.T @ contained.astype(np.float32)) > 0
    n_states, start = np.maximum(held.sum(axis=1), 1), start_of(held)
    score, converged = np.empty((n, counts.shape[1])), np.empty(counts.shape[1], dtype=bool)
    some = max(1, _WALKED_CELLS // max(1, len(upper)))
    for first in range(0, counts.shape[1], some):
        own = slice(first, first + some)
        margin = counts[:, own].T @ pairs
        if not held[own].all():
            margin *= held[own][:, upper] & held[own][:, lower]
        shares, converged[own] = majority_walks(margin, upper, lower, start[own], n_states[own], ergodic_number)
        score[order, own] = shares.T
    return score, converged


def _solved(lists, q, ranks, chain, absent, ergodic_number, counts):
    """Compute the scores of any chain by solving a linear system for each draw."""
    n, n_draws = ranks.shape[1], counts.shape[1]
    contained = ranks <= 2 * n
    factor = _row_factor(lists, q, chain, absent, ranks.shape)
    held = (counts.T @ contained.astype(np.float32)).astype(np.float64)
    total = counts.sum(axis=0, dtype=np.float64)
    ranked = np.where(contained, ranks, -1)
    in_order = np.sort(ranked, axis=1)
    ties = ((in_order[:, 1:] == in_order[:, :-1]) & (in_order[:, 1:] > 0)).any()
    score = np.empty((n, n_draws))
    above_pairs, level_pairs = (_Pairs(ranked, factor, compare) for compare in (np.less, np.equal))
    size = max(1, (_CELLS if above_pairs.many else 4 * _SOLVED_CELLS) // n**2)
    some = max(1, _SOLVED_CELLS // n**2)
    for first in range(0, n_draws, size):
        part = counts[:, first : first + size]
        above = above_pairs.weigh(part)
        level = level_pairs.weigh(part) if ties else np.zeros(above.shape)
        on = held[first : first + size] if factor is None else part.T @ (factor * contained)
        level[:, np.arange(n), np.arange(n)] = on
        for k in range(0, len(above), some):
            own, draws = slice(k, k + some), slice(first + k, min(first + k + some, first + size))
            if absent == "last":
                moves = chain.completed(above[own], level[own], held[draws], total[draws])
            else:
                moves = chain.transitions(above[own], level[own], held[draws])
            # The number of steps and the tolerance have no effect, because a linear system is solved.
            score[:, draws] = long_run(moves, start_of(held[draws]), ergodic_number, 1, 1.0)[0].T
    return score


def _row_factor(lists, q, chain, absent, shape):
    """Return the result of ``chain.row_weight`` for lists of weight 1.

    The result has shape (n_lists, n); None means that all values are 1.
    """
    factor = chain.row_weight(lists.with_list_weight(np.ones(lists.n_lists)), absent)
    if factor is None:
        return None
    first, last = lists.list_ptr[q], lists.list_ptr[q + 1]
    rows = slice(lists.row_ptr[first], lists.row_ptr[last])
    matrix = np.zeros(shape)
    matrix[lists.row_list[rows] - first, lists.candidate[rows] - lists.candidate_ptr[q]] = factor[rows]
    return matrix


class _Pairs:
    """Pairs of items whose ranks in a list satisfy the comparison `compare`, for example np.less.

    `ranked`, of shape (n_lists, n), contains the ranks; absent items have the rank -1.
    """

    def __init__(self, ranked, factor, compare):
        self.ranked, self.factor, self.compare = ranked, factor, compare
        n_lists, n = ranked.shape
        self.n_rows = max(1, _CELLS // (n_lists * n))
        #: Whether the pairs of all lists are too many to be stored between two calls of `weigh`.
        self.many = self.n_rows < n
        self.whole = None

    def weigh(self, counts):
        """Return, for each draw and pair, the total weight of the lists in which the pair satisfies the comparison.

        The result has shape (n_draws, n, n).
        """
        n = self.ranked.shape[1]
        if not self.many and self.whole is None:
            self.whole = self._of_items(0)
        result = np.empty((counts.shape[1], n, n))
        weights = counts.T if self.factor is None else counts.T.astype(np.float64)
        for first in range(0, n, self.n_rows):
            pairs = self._of_items(first) if self.whole is None else self.whole
            result[:, first : first + self.n_rows] = (weights @ pairs).reshape(len(result), -1, n)
        return result

    def _of_items(self, first):
        own = self.ranked[:, first : first + self.n_rows, None]
        pairs = self.compare(own, self.ranked[:, None, :]) & (own > 0)
        if self.factor is None:
            return pairs.reshape(len(pairs), -1).astype(np.float32)
        return (pairs * self.factor[:, None, :]).reshape(len(pairs), -1)
