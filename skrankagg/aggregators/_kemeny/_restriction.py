"""Pins and orders of a query as matrices, and the search for orders of low cost that satisfy them.

Orders fix the direction of pairs of items. The local search then runs on margins in which the forbidden direction of
such a pair costs more than all other pairs together. Pins fix places. The local search then moves the other items only:
inside the ranges between pinned places, and by swaps of two items.
"""

from dataclasses import replace

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._ragged import is_whole
from ..._kernels import bucket_descent
from ._components import reached
from ._pins_and_orders import Order, Pin, feasible_order
from ._search import descend, iterate, order_cost

# Number of random swaps in a round of the search among orders with pins.
_SWAPS = 4


class Restriction:
    """Pins and required orders of pairs, for a query or a component; the methods test, repair and search orders.

    `own` is a Constraints. With `ties`, orders may tie items. A pin is then 1 plus the number of items above the item,
    and the two items of a pair must not tie. `above`, of shape (n, n), is True where the row's item must be above the
    column's item; it is closed under transitivity. `place`, of shape (n,), is the number of items above each pinned
    item, and -1 for other items.
    """

    def __init__(self, own, *, ties=False):
        n = own.n_items
        self.own, self.ties, self.n = own, ties, n
        self.place = np.full(n, -1)
        for item, place in own.pins:
            self.place[item] = place - 1
        arc = np.zeros((n, n), dtype=bool)
        for above, below in own.orders:
            arc[above, below] = True
        self.pinned = np.flatnonzero(self.place >= 0)
        arc[np.ix_(self.pinned, self.pinned)] |= self.place[self.pinned, None] < self.place[self.pinned]
        self.above = reached(arc[None])[0] if arc.any() else arc
        self._pairs = np.nonzero(self.above)

    @property
    def has_pins(self):
        """Return True if some item is pinned."""
        return len(self.pinned) > 0

    def within(self, items):
        """Return the restriction of a component, given the sorted items of the component."""
        if len(items) == self.n:
            return self
        number = np.full(self.n, -1)
        number[items] = np.arange(len(items))
        pins = [Pin(int(number[item]), place) for item, place in self.own.pins if number[item] >= 0]
        orders = [Order(*map(int, number[list(pair)])) for pair in self.own.orders if number[list(pair)].min() >= 0]
        own = replace(self.own, n_items=len(items), pins=tuple(pins), orders=tuple(orders))
        return Restriction(own, ties=self.ties)

    def without_ties(self):
        """Return a restriction of strict orders: items with the same pin get neighbouring places."""
        rank = np.argsort(feasible_order(self.own, ties=True))
        return Restriction(replace(self.own, pins=tuple(Pin(item, int(rank[item]) + 1) for item, _ in self.own.pins)))

    # ------------------------------------------------------------------ strict orders

    def allows(self, order):
        """Return True if a strict order satisfies the pins and orders."""
        rank = np.empty(self.n, dtype=np.int64)
        rank[order] = np.arange(self.n)
        first, second = self._pairs
        return bool((rank[self.pinned] == self.place[self.pinned]).all() and (rank[first] < rank[second]).all())

    def near(self, order):
        """Return a strict order that satisfies the pins and orders: `order` if possible, otherwise a similar order."""
        order = np.asarray(order)
        return order if self.allows(order) else feasible_order(self.own, preferred=order)

    def _size(self, scale):
        # Return a power of two, so that sums of integer margins are exact.
        return 2.0 ** np.ceil(np.log2(scale)) if scale > 0 else 1.0

    def guarded(self, margin):
        """Return margins with which violating one required order costs more than all other pairs together."""
        size = self._size(np.abs(margin).sum())
        margin = np.array(margin)
        margin[self.above], margin[self.above.T] = -size, size
        return margin

    def settled(self):
        """Return a mask of shape (n, n): True if a pair has a fixed order, or if one of its items is pinned."""
        settled = self.above | self.above.T
        settled[self.pinned] = settled[:, self.pinned] = True
        return settled

    def least_cost(self, margin):
        """Return the cost of the pairs whose order is required; this cost is the same in every feasible order."""
        return float(np.maximum(margin[self._pairs], 0.0).sum())

    def tolerance(self, margin):
        """Return the smallest change of the cost that is not a rounding error, for margins from :meth:`guarded`."""
        scale = np.abs(margin).sum()
        return max(TOLERANCE * scale, 0.0 if is_whole(margin) else self._rounding(self._size(scale)))

    def _rounding(self, size):
        """Return the largest rounding error of a sum over all pairs that contain one item.

        `size` is the cost of a pair whose required order is violated.
        """
        n_fixed = (self.above.sum(axis=0) + self.above.sum(axis=1)).max(initial=0)
        return np.finfo(np.float64).eps * self.n * (n_fixed + 1) * size

    def search(self, margin, order, n_rounds, rng, budget, *, target=-np.inf):
        """Search for a feasible order of low cost, starting near `order`; see :func:`iterate` for the parameters."""
        order, guarded, tolerance = self.near(order), self.guarded(margin), self.tolerance(margin)
        target -= self.least_cost(margin)
        if self.has_pins:
            return self._search_pinned(guarded, order, n_rounds, rng, budget, target + tolerance, tolerance)
        order = descend(guarded, order, budget, tolerance)
        return iterate(guarded, order, n_rounds, rng, budget, target=target, tolerance=tolerance)

    def _search_pinned(self, guarded, order, n_rounds, rng, budget, target, tolerance):
        free = np.setdiff1d(np.arange(self.n), self.place[self.pinned])
        best = self._descend_pinned(guarded, order, free, budget, tolerance)
        cost = order_cost(guarded, best)
        for _ in range(n_rounds if len(free) > 1 else 0):
            if cost <= target or budget.late:
                break
            trial = best.copy()
            for pair in free[rng.integers(len(free), size=(_SWAPS, 2))]:
                trial[pair] = trial[pair[::-1]]
            trial = self._descend_pinned(guarded, trial, free, budget, tolerance)
            new = order_cost(guarded, trial)
            if new <= cost:
                best, cost = trial, new
        return best

    def _descend_pinned(self, guarded, order, free, budget, tolerance):
        """Move and swap the items on the `free` places until no step lowers the cost, or until time runs out.

        `guarded` contains the margins from :meth:`guarded`. Returns the order.
        """
        order = np.array(order)
        ranges = np.split(free, np.flatnonzero(np.diff(free) > 1) + 1)
        both = np.zeros((self.n, self.n), dtype=bool)
        both[np.ix_(free, free)] = True
        both = np.triu(both, 1)
        while not budget.late:
            for own in ranges:
                if len(own) > 1:
                    items = order[own]
                    inner = guarded[np.ix_(items, items)]
                    order[own] = items[descend(inner, np.arange(len(own)), budget, tolerance)]
            change = np.where(both, _swap_costs(guarded[np.ix_(order, order)]), 0.0)
            first, second = np.unravel_index(np.argmin(change), change.shape)
            if not change[first, second] < -tolerance:
                break
            order[[first, second]] = order[[second, first]]
        return order

    # ------------------------------------------------------------------ orders with ties

    def allows_buckets(self, bucket):
        """Return True if an order with ties, given as the bucket of each item, satisfies the pins and orders."""
        first, second = self._pairs
        n_above = np.append(0, np.cumsum(np.bincount(bucket)))[bucket[self.pinned]]
        return bool((n_above == self.place[self.pinned]).all() and (bucket[first] < bucket[second]).all())

    def near_buckets(self, bucket):
        """Return an order with ties that satisfies the pins and orders, similar to `bucket` if possible."""
        bucket = np.asarray(bucket)
        if self.allows_buckets(bucket):
            return bucket
        order = np.argsort(bucket, kind="stable")
        grouped = self._grouped(order)
        if self.allows_buckets(grouped):
            return grouped
        return self._grouped(feasible_order(self.own, ties=True, preferred=order))

    def _grouped(self, order):
        """Return the buckets of a strict order, in which only neighbours with the same pin are tied."""
        place = self.place[order]
        new = np.append(True, (place[1:] != place[:-1]) | (place[1:] < 0))
        bucket = np.empty(self.n, dtype=np.int64)
        bucket[order] = np.cumsum(new) - 1
        return bucket

    def forbid(self, before, level):
        """Return costs in which breaking one required order of two items costs more than all other pairs together.

        A tie of the two items also breaks their order.
        """
        size = self._size(np.abs(before).sum() + np.abs(level).sum())
        before, level = np.array(before), np.array(level)
        level[self.above] = level[self.above.T] = size
        before[self.above.T] = size
        return before, level

    def descend_buckets(self, before, level, bucket, tolerance, until):
        """Move items between buckets until no move lowers the cost, or until ``until()`` is True; pins are kept.

        A bucket is a group of tied items. The places of pinned items divide the order into ranges, and every other item
        stays in its range. If a range has pinned items, they form its first bucket.
        """
        bucket = np.array(self.near_buckets(bucket))
        size = self._size(np.abs(before).sum() + np.abs(level).sum())
        tolerance = max(tolerance, self._rounding(size))
        if not self.has_pins:
            return np.array(bucket_descent(before, level, bucket, tolerance, until=until))
        start = np.append(0, np.cumsum(np.bincount(bucket)))[bucket]
        edges = np.unique(np.append(0, self.place[self.pinned]))
        part = np.searchsorted(edges, start, side="right") - 1
        out, n_buckets = np.empty_like(bucket), 0
        for k in range(len(edges)):
            items = np.flatnonzero(part == k)
            square = np.ix_(items, items)
            inner, tie = before[square].copy(), level[square].copy()
            first = np.flatnonzero(self.place[items] >= 0)
            inner[:, first] = size
            tie[np.ix_(first, first)] = 0.0
            own = np.unique(bucket[items], return_inverse=True)[1]
            out[items] = n_buckets + np.array(bucket_descent(inner, tie, own, tolerance, until=until))
            n_buckets = out[items].max() + 1
        return out


def _swap_costs(margin):
    """Return the change of an order's cost for each swap of two items, as a matrix of shape (n, n).

    Rows and columns of `margin` and of the result are the places of the order. Only the values above the diagonal are
    meaningful.
    """
    right, down = margin.cumsum(axis=1), margin.cumsum(axis=0)
    # The upper item passes all items down to the lower place, and the lower item passes the items between.
    upper = right - np.diag(right)[:, None]
    lower = np.append(0.0, np.diag(down, 1)) - down
    return -(upper + lower)
