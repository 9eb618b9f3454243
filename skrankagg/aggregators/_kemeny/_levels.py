"""Merging of the components' orders with ties: buckets of different components share a level if this costs nothing.

Pairs across components have their least cost if the components follow each other. Where a tie costs as little, the
consensus has a tie. Some buckets are ordered and some pairs may not tie; apart from this, there are as few levels as
possible. Each bucket gets the level half way between the highest and the lowest level that is possible for it, so names
do not matter.
"""

import numpy as np


class Stack:
    """Buckets of all components, in the components' order.

    `parts` contains the items of each component and their buckets; the best bucket is 0. `before` and `level` have
    shape (n, n). `before` is the cost of placing the row's item before the column's item, and `level` is the cost of a
    tie, each minus the lowest cost of the pair. Costs up to the tolerance count as 0.
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
        """Find the pairs of buckets for which no pair of items, one from each bucket, is marked in `chosen`."""
        never = np.ones((len(self.component), len(self.component)), dtype=bool)
        first, second = np.nonzero(chosen)
        never[self.place[first], self.place[second]] = False
        return never

    def is_forced(self):
        """For each component except the last, check if it must precede the next; return a mask (n_components - 1,).

        It must precede unless its last bucket and the next component's first bucket can tie or swap at no cost.
        """
        if self.n_components == 1:
            return np.empty(0, dtype=bool)
        last = np.flatnonzero(np.diff(self.component))
        return ~(self.may_tie | self.may_follow)[last, last + 1]

    def levels(self):
        """Number the levels of the items without gaps, from 0 for the best; return int64 of shape (n,)."""
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
