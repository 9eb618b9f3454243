"""Orders with ties of the components: buckets of different components share a level where that costs nothing.

The pairs across components cost the least that they can where the components follow each other. Where a tie costs as
little, the consensus ties: the buckets fall into as few levels as their orders and the pairs that may not tie allow,
and each takes the level half way between the highest and the lowest one that it can have. So names do not matter.
"""

import numpy as np

__all__ = []


class Stack:
    """Buckets of all components, in the components' order.

    Parameters
    ----------
    parts : list of (ndarray of int, ndarray of int)
        Items of each component and their buckets, from 0 for the best.
    before, level : ndarray of shape (n, n)
        Cost of the row's item before the column's, and of a tie, beyond the lowest cost of the pair.
    tolerance : float
        Costs up to this are none.
    """

    def __init__(self, parts, before, level, tolerance):
        n = len(before)
        self.place = np.empty(n, dtype=np.int64)  # number of each item's bucket
        component = []
        for k, (items, bucket) in enumerate(parts):
            self.place[items] = len(component) + bucket
            component += [k] * (int(bucket.max()) + 1)
        self.component = np.array(component)
        held = np.zeros((len(component), n))
        held[self.place, np.arange(n)] = 1.0
        #: Whether the buckets of row and column may tie at no cost, and whether the row's may stand after the column's.
        self.may_tie = held @ (level > tolerance) @ held.T == 0
        self.may_follow = (held @ (before > tolerance) @ held.T == 0).T

    def is_forced(self):
        """Whether each component must stand where it stands.

        Returns
        -------
        ndarray of shape (n_components - 1,), dtype=bool
            For each component and the next: whether neither a tie of its last bucket and the other's first one nor
            their change of places is for nothing.
        """
        last = np.flatnonzero(np.diff(self.component))
        return ~(self.may_tie | self.may_follow)[last, last + 1]

    def levels(self):
        """Number the levels of the items.

        Returns
        -------
        ndarray of shape (n,), dtype=int64
            From 0 for the best, without gaps.
        """
        n = len(self.component)
        same = self.component[:, None] == self.component
        # By how many levels the column's bucket must stand below the row's, of those that come first; -1 where it need
        # not. Of two that may change places, but not tie, the first stays the first.
        step = np.where(self.may_tie & ~same, np.where(self.may_follow, -1, 0), 1)
        highest, below = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        for k in range(n):
            bound = step[:k, k] >= 0
            highest[k] = (highest[:k] + step[:k, k])[bound].max(initial=0)
        for k in range(n - 1, -1, -1):
            bound = step[k, k + 1 :] >= 0
            below[k] = (below[k + 1 :] + step[k, k + 1 :])[bound].max(initial=0)
        lowest = highest.max() - below
        return ((highest + lowest) // 2)[self.place]
