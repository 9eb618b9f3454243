"""Agglomerative merging as FLAGR does it."""

import numpy as np

from ..._pairwise import majority_agreement, preference_counts
from ._ranking import single

__all__ = ["merged_scores"]


def merged_scores(table, c1, c2, quirks):
    """Merge the two most similar lists until one is left.

    Parameters
    ----------
    table : QueryTable
    c1, c2 : float
        Coefficients of the weight of a merged list.
    quirks : frozenset of str

    Returns
    -------
    ndarray of shape (n_items,), dtype=float64
    """
    c1, c2 = single(c1, quirks), single(c2, quirks)
    ranks = table.twice_rank
    agreement = majority_agreement(ranks, preference_counts(ranks + 1, ranks, gap=0))
    weight = agreement + ("agg.start_1" in quirks)
    lists = _Lists(table, quirks)
    alive = np.ones(table.shape[0], dtype=bool)
    last = 0
    for _ in range(table.shape[0] - 1):
        a, b = lists.most_similar(alive)
        lists.merge(a, b, weight)
        light, heavy = weight[a], weight[b]
        if "agg.first_list" not in quirks and light > heavy:
            light, heavy = heavy, light
        weight[a] = (c1 * light + c2 * heavy) / (c1 + c2)
        alive[b] = False
        last = a
    return lists.score[last]


class _Lists:
    """The lists still to be merged: scores, places and similarities."""

    def __init__(self, table, quirks):
        m, n = table.shape
        self.partial = "agg.rho_partial" in quirks
        self.held = table.held.copy()
        self.hits = self.held.astype(np.int64)
        length = table.length[:, None].astype(np.float64)
        if "agg.missing_keeps" in quirks:
            self.score = np.where(self.held, 0.5 * length * (length + 1.0 - 2.0 * table.rank), 0.0)
        else:
            # The items that a list does not hold share the places behind it.
            rank = np.where(self.held, table.rank, (length + 1.0 + n) / 2.0)
            self.score = n * (n + 1.0 - 2.0 * rank) / 2.0
            self.held[:] = True
        self.place = np.zeros((m, n))
        for k in range(m):
            self._sort(k)
        self._compare_all()

    def _sort(self, k):
        """Places of the items of a list by its scores, from 0; 0 for items that it does not hold."""
        items = np.flatnonzero(self.held[k])
        score, n = self.score[k], self.held.shape[1]
        if self.partial:
            order = items[np.lexsort((-self.hits[k, items], -score[items]))]
            self.place[k] = 0.0
            self.place[k, order] = np.arange(len(order))
        else:
            # Mid-ranks over all items, absent ones level at the end.
            value = np.where(self.held[k], -score, np.inf)
            _, number, size = np.unique(value, return_inverse=True, return_counts=True)
            self.place[k] = (np.cumsum(size) - (size + 1) / 2.0)[number]
        self.norm = n

    def _rho(self, squares, length):
        length = length.astype(np.float64) if self.partial else np.full(len(length), float(self.norm))
        with np.errstate(invalid="ignore", divide="ignore"):
            return 1.0 - 6.0 * squares / (length**3 - length)

    def _compare_all(self):
        shared = self.held.astype(np.float64) if self.partial else np.ones(self.held.shape)
        place, square = self.place * shared, self.place**2 * shared
        squares = square @ shared.T + shared @ square.T - 2.0 * place @ place.T
        self.rho = self._rho(squares, np.broadcast_to(self.held.sum(axis=1)[:, None], squares.shape))
        np.fill_diagonal(self.rho, np.nan)

    def _compare(self, k):
        shared = self.held & self.held[k] if self.partial else np.ones(self.held.shape, dtype=bool)
        squares = np.where(shared, (self.place - self.place[k]) ** 2, 0.0).sum(axis=1)
        length = self.held.sum(axis=1)
        self.rho[k] = self._rho(squares, np.broadcast_to(length[k], length.shape))
        self.rho[:, k] = self._rho(squares, length)
        self.rho[k, k] = np.nan

    def most_similar(self, alive):
        """First pair of the greatest similarity, row by row; lists that compare with none come last."""
        candidates = np.where(alive[:, None] & alive, self.rho, np.nan)
        best = np.nanmax(candidates, initial=-np.inf)
        if best > -2.0:
            return divmod(int(np.argmax(candidates == best)), len(alive))
        return np.flatnonzero(alive)[:2]

    def merge(self, a, b, weight):
        """Merge the second list into the first one."""
        both, second = self.held[a] & self.held[b], self.held[b] & ~self.held[a]
        with np.errstate(invalid="ignore"):
            mean = (weight[a] * self.score[a] + weight[b] * self.score[b]) / (weight[a] + weight[b])
        self.score[a] = np.where(both, mean, np.where(second, self.score[b], self.score[a]))
        self.hits[a] += self.hits[b]
        self.held[a] |= self.held[b]
        self._sort(a)
        self._compare(a)
