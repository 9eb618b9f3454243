"""Orders with ties of the components: buckets of different components share a level where that costs nothing.

The pairs across components cost the least that they can where the components follow each other. Where a tie costs as
little, the consensus ties: the buckets fall into as few levels as their orders and the pairs that may not tie allow,
and each takes the level half way between the highest and the lowest one that it can have. So names do not matter.
"""

import numpy as np


class Stack:
    """Buckets of all components, in the components' order.

    `parts` are the items of each component and their buckets, from 0 for the best; `before` and `level`, (n, n), the
    costs of the row's item before the column's, and of a tie, beyond the lowest cost of the pair; costs up to the
    tolerance count as 0.
    """

    def __init__(self, parts, before, level, tolerance):
        n = len(before)
        self.place = np.empty(n, dtype=np.int64)  # number of each item's bucket
        component = []
        for k, (items, bucket) in enumerate(parts):
            self.place[items] = len(component) + bucket
            component += [k] * (int(bucket.max()) + 1)
        self.component = np.array(component)
        self.n_components = len(parts)
        if self.n_components == 1:
            return  # it stands alone
        #: Whether the buckets of row and column may tie at no cost, and whether the row's may stand after the column's.
        self.may_tie = self._never(level > tolerance)
        self.may_follow = self._never(before > tolerance).T

    def _never(self, chosen):
        """Whether no pair of an item of the row's bucket and one of the column's is chosen, of the items' (n, n)."""
        never = np.ones((len(self.component), len(self.component)), dtype=bool)
        first, second = np.nonzero(chosen)
        never[self.place[first], self.place[second]] = False
        return never

    def is_forced(self):
        """For each component but the last, whether it must stand before the next: bool of shape (n_components - 1,).

        It need not where a tie of its last bucket and the other's first one, or their change of places, costs nothing.
        """
        if self.n_components == 1:
            return np.empty(0, dtype=bool)
        last = np.flatnonzero(np.diff(self.component))
        return ~(self.may_tie | self.may_follow)[last, last + 1]

    def levels(self):
        """Number the levels of the items from 0 for the best, without gaps: int64 of shape (n,)."""
        if self.n_components == 1:
            return self.place
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
