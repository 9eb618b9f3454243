"""Merging of components: groups of tied items from different components share a level if this costs nothing.

A bucket is a group of tied items of one component. Two items from different components have their least cost if the
components follow one another. If a tie of the two items costs the same, they are tied. There are as few levels as
possible, given the buckets that must be ordered and the pairs that must not tie. Each bucket gets the level half way
between the highest and the lowest level that is possible for the bucket. So the result does not depend on the names of
the items.
"""

import numpy as np


class Stack:
    """Buckets (groups of tied items) of all components, in the order of the components.

    A component is a set of items that is solved separately from the other items. `parts` contains a pair for each
    component: its items, and the number of each item's bucket; the best bucket is 0. `before` and `level` have shape
    (n, n). `before` is the cost of placing the row's item before the column's item, and `level` is the cost of a tie of
    the two items. These costs are relative: a pair of items has three possibilities (either order, or a tie), and the
    cheapest possibility has the cost 0. Costs up to the tolerance are treated as 0.
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
        #: Masks of pairs of buckets: pairs that may tie at no cost, and pairs in which the row's bucket may come after
        #: the column's bucket at no cost.
        self.may_tie = self._never(level > tolerance)
        self.may_follow = self._never(before > tolerance).T

    def _never(self, chosen):
        """Return a mask of pairs of buckets: True if `chosen` contains no pair of items from the two buckets.

        `chosen` is a mask of pairs of items, of shape (n, n).
        """
        never = np.ones((len(self.component), len(self.component)), dtype=bool)
        first, second = np.nonzero(chosen)
        never[self.place[first], self.place[second]] = False
        return never

    def is_forced(self):
        """Return a mask of shape (n_components - 1,): True if a component must precede the next component.

        Where the mask is False, the last bucket of the component may tie or change places with the first bucket of the
        next component at no cost.
        """
        if self.n_components == 1:
            return np.empty(0, dtype=bool)
        last = np.flatnonzero(np.diff(self.component))
        return ~(self.may_tie | self.may_follow)[last, last + 1]

    def levels(self):
        """Return the level of each item, int64 of shape (n,); items of the same level tie.

        The best level is 0, and levels have no gaps.
        """
        if self.n_components == 1:
            return self.place
        n = len(self.component)
        same = self.component[:, None] == self.component
        # Least number of levels from the row's bucket down to the column's bucket, or -1 if the column's bucket may be
        # above. If two buckets may change places but may not tie, the first stays first.
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
