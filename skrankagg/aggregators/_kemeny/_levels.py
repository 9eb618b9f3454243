"""Joining of the components' orders with ties: buckets of different components share a level where that is free.

Pairs across components have their least cost if the components follow each other. Where a tie costs as little, the
consensus ties. The buckets fall into as few levels as their orders and the pairs that may not tie allow. Each bucket
takes the level half way between the highest and the lowest level that it can have, so names do not matter.
"""

import numpy as np


class Stack:
    """Buckets of all components, in the components' order.

    `parts` contains the items of each component and their buckets, from 0 for the best. `before` and `level`, (n, n),
    are the costs of the row's item before the column's, and of a tie, beyond the lowest cost of the pair. Costs up to
    the tolerance count as 0.
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
            return  # a single component needs no joining
        #: Pairs of buckets that may tie at no cost, and pairs where the row's bucket may come after the column's.
        self.may_tie = self._never(level > tolerance)
        self.may_follow = self._never(before > tolerance).T

    def _never(self, chosen):
        """Find the pairs of buckets without any chosen pair of items, one from each; `chosen` is (n, n)."""
        never = np.ones((len(self.component), len(self.component)), dtype=bool)
        first, second = np.nonzero(chosen)
        never[self.place[first], self.place[second]] = False
        return never

    def is_forced(self):
        """Check for each component but the last if it must precede the next: bool of shape (n_components - 1,).

        It need not where its last bucket and the first bucket of the next one can tie, or change places, at no cost.
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
        # Number of levels that the column's bucket must be below the row's, which comes first; -1 where it need
        # not. Of two buckets that may change places, but not tie, the first stays first.
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
