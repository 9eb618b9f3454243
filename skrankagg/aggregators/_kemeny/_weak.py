"""Orders with ties: a local search finds groups of tied items (buckets), and integer programmes find bounds.

A small component is proven by dynamic programming over the sets of items that may come first. This proof also shows
whether several orders have the lowest cost, and finds the one with the most tied pairs.

A larger component is proven by programmes. Then a row is added that excludes the order that was found. The programme
now finds another order of the same cost, or proves that there is none. If there are several orders, a second search
looks for the order with the most ties. Each tie then gets a bonus that is too small to outweigh any cost.
"""

import numpy as np

from ..._arrays import TOLERANCE
from ..._kernels import COMPILED, bucket_descent, cheapest_buckets
from ._budget import Unfinished
from ._components import ordered_components
from ._costs import Bracket, granularity, kemeny_score, pair_costs
from ._levels import Stack
from ._relations import RelationProgramme
from ._triangles import Infeasible

# Largest number of items for which dynamic programming over sets of items is used, its largest number of steps, and the
# seconds of a step.
_FEW_ITEMS, _STEPS, _SECONDS_PER_STEP = 15, 3_000_000 if COMPILED else 30_000, 4e-9 if COMPILED else 4e-7
# Each search among the orders of lowest cost may solve this number of programmes, plus the number of programmes of the
# first proof.
_PROGRAMMES = 10


def solve_weak(prefer, tied, penalty, rank, budget, *, proves, report, restriction=None):
    """Find an order with ties that has the lowest score; if `proves` is true and time allows, prove that it is optimal.

    The search starts from the ranks in `rank`. `report` is called with the score and the bound. If a `restriction` is
    given, only orders that satisfy it are considered.

    Returns five results. The first, int64 of shape (n,), contains the number of each item's bucket (group of tied
    items); the best bucket is 0. The second and third are the score and the bound. The fourth is the stop reason:
    "optimal", "time limit" or "solver", or None if no proof was requested. The last is True if no other order has the
    lowest score, False if another order has this score, and None if this is not known.
    """
    before, level = pair_costs(prefer, tied, penalty)
    tolerance, strength = TOLERANCE * np.abs(before).sum(), (before - before.T).sum(axis=1)
    if restriction is not None:
        before, level = restriction.forbid(before, level)
    least = np.minimum(np.minimum(before, before.T), level)
    # An arc leads from the row's item to the column's item if the opposite order costs more than the least cost of the
    # pair.
    arc = least + tolerance < before.T
    np.fill_diagonal(arc, False)
    bound, reasons, parts = 0.0, {"optimal"}, []
    across = float(np.triu(least, 1).sum())
    together = restriction is not None and restriction.has_pins
    for items in [np.arange(len(arc))] if together else ordered_components(arc, strength):
        square = items[:, None], items
        own = None if restriction is None else restriction.within(items)
        part = _Component(before[square], level[square], budget, own)
        if len(items) > 1:
            start = np.argsort(np.argsort(rank[items]))
            part.search(start)
            part.search(np.zeros_like(start))
            if proves:
                part.prove(lambda high, low, b=bound: report(across + b + high, across + b + low))
        bound += part.bound
        reasons.add("optimal" if part.met() else part.reason if proves else "unproven")
        parts.append((items, part))
    for _, part in parts:
        part.tie()
        if proves and reasons == {"optimal"}:
            part.settle()
    stack = Stack([(items, part.bucket) for items, part in parts], before - least, level - least, tolerance)
    bucket = stack.levels()
    unique = _is_unique([part for _, part in parts], stack.is_forced())
    score = kemeny_score(bucket, prefer, tied, penalty=penalty)
    if reasons == {"optimal"}:
        return bucket, score, score, "optimal", unique
    reason = max(reasons - {"optimal"})
    return bucket, score, min(across + bound, score), None if reason == "unproven" else reason, unique


def _is_unique(parts, forced):
    """Return True if there is only one best order of all items, False if there are several, None if this is unknown.

    `parts` contains the components, best first. `forced` is the mask from :meth:`Stack.is_forced`.
    """
    met = np.array([part.met() for part in parts])
    if any(part.only is False for part in parts if part.met()) or (met[:-1] & met[1:] & ~forced).any():
        return False
    return True if all(part.only and part.met() for part in parts) else None


class _Component(Bracket):
    """Best known order of a component (a set of items solved separately), and a lower bound on the cost of its orders.

    The order is stored as the bucket (group of tied items) of each item.

    Costs are relative: a pair of items has three possibilities (either order, or a tie), and the cheapest possibility
    has the cost 0. With a `restriction`, possibilities that it forbids have high costs.
    """

    def __init__(self, before, level, budget, restriction=None):
        least = np.minimum(np.minimum(before, before.T), level)
        self.before, self.level = before - least, level - least
        self.n, self.restriction = len(before), restriction
        usual = self.before, self.level, before
        if restriction is not None:  # forbidden possibilities occur in no order
            fixed = restriction.above | restriction.above.T
            usual = [np.where(fixed, 0.0, one) for one in usual]
        costs = np.round(np.concatenate([usual[0].ravel(), usual[1].ravel()]) * 2, 9)
        step = granularity(costs, budget) / 2 if self.n > 1 else 0.0
        super().__init__(np.inf, float(np.abs(usual[2]).sum()), step, budget)
        self.tolerance = TOLERANCE * self.scale
        #: Bonus for each tied pair. It decides between orders of equal cost: the bonuses of all pairs add up to less
        #: than the least difference between two costs.
        self.bonus = self.step / (self.n * (self.n - 1) // 2 + 1) or 2 * self.tolerance
        self.bucket, self.reason = None, "time limit"
        #: True if no other order costs as little, False if another order does, and None if this is not known.
        self.only = None
        if self.n == 1:
            self.cost, self.bucket, self.only = 0.0, np.zeros(1, dtype=np.int64), True
        #: Among several orders of the lowest cost, an order with the most ties; None if no such order is known.
        self.most_tied = None
        self.programme = None

    def search(self, bucket):
        """Search for a cheaper order by local moves from `bucket`, and store the order if it is cheaper."""
        bucket = self._descend(self.level, bucket)
        cost = self._cost(bucket, self.level)
        if cost < self.cost and self._allows(bucket):
            self.bucket, self.cost = bucket, cost

    def _allows(self, bucket):
        return self.restriction is None or self.restriction.allows_buckets(bucket)

    def _cost(self, bucket, level):
        """Return the total cost of an order with ties; ``level[i, j]`` is the cost of tying items i and j."""
        ordered = float(self.before[bucket[:, None] < bucket].sum())
        same, item = bucket[:, None] == bucket, np.arange(self.n)
        same &= item[:, None] < item
        return ordered + float(np.where(same, level, 0.0).sum())

    def _descend(self, level, bucket):
        def until():
            return self.budget.late

        if self.restriction is not None:
            return self.restriction.descend_buckets(self.before, level, bucket, self.tolerance, until)
        return np.array(bucket_descent(self.before, level, bucket, self.tolerance, until=until))

    def prove(self, report):
        """Raise the bound until it meets the cost, or until time runs out."""
        self.report = report
        self._count()
        if not self.met():
            self._prove()

    def _count(self):
        """Prove the order by dynamic programming, if there are few items and the costs are exact.

        Among several cheapest orders, an order with the most ties is chosen, if possible the order from the local
        search. Components with pinned items are not proven in this way.
        """
        if self.restriction is not None and self.restriction.has_pins:
            return
        if self.n > _FEW_ITEMS or self.tolerance >= 0.25 or self.budget.left < _STEPS * _SECONDS_PER_STEP:
            return
        order = np.argsort(-self.bucket, kind="stable")
        halves = 2 * np.stack([self.before, self.level])[:, order[:, None], order]
        if (np.rint(halves) != halves).any():
            return
        least, n_ways, _, n_ways_to_tie, place = cheapest_buckets(*halves, 2 * self.cost, _STEPS)
        if n_ways < 1:
            return
        bucket, known = np.empty_like(self.bucket), least == 2 * self.cost
        bucket[order] = place
        self.cost = self.bound = least / 2
        self.only = n_ways == 1
        if not self.only:
            self.most_tied = bucket
        if not known or (not self.only and n_ways_to_tie == 1):
            self.bucket = bucket

    def _prove(self):
        try:
            self._open()
            for y, bound in self.programme.rounds(self.level):
                self.raise_bound(bound)
                self.search(_buckets(y))
                if self.met():
                    return
        except Unfinished as stopped:
            self.reason = stopped.reason
            self.bound = max(self.bound, min(stopped.bound, self.cost))
            return
        self.bound = self.cost  # the cost of an integer solution without violations

    def _open(self):
        if self.programme is None:
            unit = self.step or self.scale / self.n**2 or 1.0
            self.programme = RelationProgramme(self.before, self.level, unit, self.budget, self.restriction)

    # ------------------------------------------------------------------ orders of equal cost

    def tie(self):
        """Move items and merge groups of tied items as long as this adds ties and does not increase the cost."""
        if self.only or self._ties_most():
            return
        level = self.level - self.bonus
        while not self.budget.late and self._take(self._merged(self._descend(level, self.bucket))):
            pass

    def _ties_most(self):
        return self.most_tied is not None and n_ties(self.bucket) == n_ties(self.most_tied)

    def _merged(self, bucket):
        """Merge neighbouring groups of tied items if the merge costs nothing.

        The groups are treated in order, from the best to the worst.
        """
        bucket, k = np.array(bucket), 0
        while k < bucket.max() and not self.budget.late:
            above, below = np.flatnonzero(bucket == k), np.flatnonzero(bucket == k + 1)
            pairs = above[:, None], below
            pinned = self.restriction is not None and (self.restriction.place[below] >= 0).any()
            if not pinned and self.level[pairs].sum() - self.before[pairs].sum() <= self.tolerance:
                bucket[bucket > k] -= 1
            else:
                k += 1
        return bucket

    def _take(self, bucket):
        """Store an order if it is better than the best known order, and return True if it was stored.

        An order is better if it costs less, or if it costs the same and has more ties.
        """
        cost = self._cost(bucket, self.level)
        if cost > self.cost + self.tolerance or (bucket == self.bucket).all() or not self._allows(bucket):
            return False
        equal = cost >= self.cost - self.tolerance
        if equal:
            self.only = False
            if n_ties(bucket) <= n_ties(self.bucket):
                return False
        else:
            self.only = None
        self.bucket, self.cost = bucket, min(cost, self.cost)
        return True

    def settle(self):
        """Check whether other orders have the same cost; if so, search for the order with the most ties."""
        if self.most_tied is not None and not self._ties_most():
            self.bucket = self.most_tied
        if self.only or self.most_tied is not None:
            return
        try:
            self._open()
            limit = _PROGRAMMES + self.programme.n_solved
            if self.only is None:
                self._look_for_another(limit)
            if self.only is False and self.step:
                self._look_for_ties(limit)
        except Unfinished:
            pass

    def _look_for_another(self, limit):
        most = self.cost + (1e-3 * self.step or 1e-9 * self.scale)
        # The solver's bound is valid up to its tolerances only.
        beyond = self.cost + (1e-3 * self.step or 1e-6 * self.scale)
        try:
            for y, bound in self.programme.rounds(self.level, excluded=self.bucket, most=most, limit=limit):
                if bound > beyond:
                    break
                self._take(_buckets(y))
                self._take(self._descend(self.level, _buckets(y)))
                if self.only is False:
                    return
            else:
                return
        except Infeasible:
            pass
        self.only = True

    def _look_for_ties(self, limit):
        level = self.level - self.bonus
        most = self._cost(self.bucket, level) - 0.999 * self.bonus
        try:
            for y, bound in self.programme.rounds(level, most=most, limit=limit):
                self._take(_buckets(y))
                self.tie()
                if bound > self._cost(self.bucket, level) - 0.999 * self.bonus:
                    return
        except Infeasible:
            pass


def n_ties(bucket):
    """Count the pairs of items that are in the same bucket."""
    size = np.bincount(bucket)
    return int((size * (size - 1)).sum()) // 2


def _buckets(y):
    """Convert a solution to groups of tied items (buckets); return the number of each item's group.

    `y[i, j]` is 1 if item i is before item j or tied with it. Items are sorted by the number of items that are after
    them or tied with them, the largest number first.
    """
    return np.unique(np.round(-y.sum(axis=1), 6), return_inverse=True)[1]
