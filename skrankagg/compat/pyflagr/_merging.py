"""Agglomerative merging of lists as in FLAGR."""

import numpy as np

from ..._arrays._pairwise import majority_agreement
from ._ranking import single


def merged_scores(table, c1, c2, quirks):
    """Merge the two most similar lists until one list remains; return the scores of its items.

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
    weight = majority_agreement(table.twice_rank, table.above) + ("agg.start_1" in quirks)
    lists = _Lists(table, quirks)
    left = list(range(table.shape[0]))
    while len(left) > 1:
        a, b = lists.most_similar() or left[:2]
        lists.merge(a, b, weight)
        light, heavy = weight[a], weight[b]
        if "agg.first_list" not in quirks and light > heavy:
            light, heavy = heavy, light
        weight[a] = (c1 * light + c2 * heavy) / (c1 + c2)
        left.remove(b)
    return lists.score[left[0]]


class _Lists:
    """Scores and places of the items in each list, and similarities of all pairs of lists, during merging.

    The similarity of two lists is Spearman's rho. Lists that were merged into other lists are not compared again.
    Squared differences of places are multiples of 1/4, so their sums are exact in any order.
    """

    def __init__(self, table, quirks):
        m, n = table.shape
        self.partial = "agg.rho_partial" in quirks
        self.held = table.held.copy()
        self.hits = self.held.astype(np.int64)
        length = table.length[:, None].astype(np.float64)
        if "agg.missing_keeps" in quirks:
            self.score = np.where(self.held, 0.5 * length * (length + 1.0 - 2.0 * table.rank), -np.inf)
        else:
            # The items that are absent from a list share the places after the last item of the list.
            rank = np.where(self.held, table.rank, (length + 1.0 + n) / 2.0)
            self.score = n * (n + 1.0 - 2.0 * rank) / 2.0
            self.held[:] = True
        if self.partial:
            # Places are counted from 0. Items that are absent from a list have place 0.
            order = np.argsort(-self.score, axis=1, kind="stable")
            self.place = np.empty((m, n))
            np.put_along_axis(self.place, order, np.broadcast_to(np.arange(float(n)), (m, n)), axis=1)
            self.place *= self.held
            self.shared = self.held.astype(np.float64)
        else:
            self.place = np.stack([_mid_places(score) for score in self.score])
            self.shared = np.ones((m, n))
        self.square = self.place**2
        # A list of one item cannot be compared with any other list. A list that was merged into another list is not
        # compared again.
        self.base, self.scale, self.gone = np.ones(m), np.ones(m), np.zeros(m)
        for k in range(m):
            self._set_scale(k)
        squares = self.square @ self.shared.T
        squares = squares + squares.T - 2.0 * self.place @ self.place.T
        self.rho = self.base[:, None] - 6.0 * squares / self.scale[:, None]
        np.fill_diagonal(self.rho, -np.inf)

    def _set_scale(self, k):
        length = self.shared[k].sum()
        self.base[k], self.scale[k] = (1.0, length**3 - length) if length > 1 else (-np.inf, 1.0)

    def most_similar(self):
        """Return the first pair of lists with the greatest similarity, or None if no lists can be compared."""
        a, b = divmod(int(np.argmax(self.rho)), len(self.rho))
        return (a, b) if self.rho[a, b] > -2.0 else None

    def merge(self, a, b, weight):
        """Merge list `b` into list `a`; an item with a score in both lists gets the weighted mean of the two scores.

        The array `weight` contains the weight of each list in this mean.
        """
        both = self.held[a] & self.held[b]
        with np.errstate(invalid="ignore"):  # items that are absent from one of the two lists
            mean = (weight[a] * self.score[a] + weight[b] * self.score[b]) / (weight[a] + weight[b] or 1.0)
        self.score[a] = np.where(both, mean, np.maximum(self.score[a], self.score[b]))
        self.hits[a] += self.hits[b]
        self.held[a] |= self.held[b]
        if self.partial:
            order = np.lexsort((-self.hits[a], -self.score[a]))[: np.count_nonzero(self.held[a])]
            self.place[a, order] = np.arange(float(len(order)))
            self.shared[a] = self.held[a]
        else:
            self.place[a] = _mid_places(self.score[a])
        np.multiply(self.place[a], self.place[a], out=self.square[a])
        self._set_scale(a)
        squares = self.square @ self.shared[a] + self.shared @ self.square[a] - 2.0 * (self.place @ self.place[a])
        self.gone[b] = self.base[b] = -np.inf
        self.rho[a] = self.base[a] - 6.0 * squares / self.scale[a] + self.gone
        self.rho[:, a] = self.base - 6.0 * squares / self.scale
        self.rho[a, a] = -np.inf
        self.rho[b] = self.rho[:, b] = -np.inf


def _mid_places(score):
    """Compute places by descending score; tied items share their mean place."""
    _, number, size = np.unique(-score, return_inverse=True, return_counts=True)
    return (np.cumsum(size) - (size + 1) / 2.0)[number]
