"""Orders with ties: buckets from a local search, bounds from integer programmes with rows added as they are violated.

A variable for each ordered pair is 1 where the first item is before the second or tied with it. One of the two
directions holds, and what holds from a to b and from b to c holds from a to c: the rows of the triples, of which a
round adds those that the last solution violates.

Once the lowest cost is proven, a row that cuts the buckets off finds others of the same cost, or that there are none;
of several the one with the most ties is looked for, by a bonus for ties that is too small to make up for any cost.
"""

import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array, vstack

from ..._kernels import bucket_descent
from ._levels import Stack
from ._preferences import TOLERANCE, granularity, kemeny_score, ordered_components, pair_costs
from ._triangles import Unfinished

__all__ = []

_VIOLATION = 1e-6
# Rows that a round adds at most, for each item.
_ROWS_PER_ITEM = 40
# Programmes that each search among orders of the lowest cost may take beyond those of the first proof, and nodes of
# each programme.
_PROGRAMMES, _NODES = 10, 200


def solve_weak(prefer, tied, penalty, rank, *, proves, deadline, report):
    """Find an order with ties of the lowest score.

    Parameters
    ----------
    prefer, tied : ndarray of shape (n, n)
    penalty : float
    rank : ndarray of shape (n,)
        Where the local search starts.
    proves : bool
        Whether to prove the optimum.
    deadline : float
        When to stop, by `time.monotonic`.
    report : callable
        Called with the score and the bound.

    Returns
    -------
    rank : ndarray of shape (n,), dtype=int64
        Number of each item's bucket, from 0 for the best.
    score, bound : float
    reason : str or None
        "optimal", "time limit" or "solver"; None where nothing was to be proven.
    unique : bool or None
        Whether no other order has the lowest score; None where that is not known.
    """
    before, level = pair_costs(prefer, tied, penalty)
    least = np.minimum(np.minimum(before, before.T), level)
    tolerance = TOLERANCE * np.abs(before).sum()
    # What may stand in the way of the column before the row, at the lowest cost of the pair.
    arc = least + tolerance < before.T
    np.fill_diagonal(arc, False)
    bound, reasons, parts = 0.0, {"optimal"}, []
    across = float(np.triu(least, 1).sum())
    for items in ordered_components(arc, (before - before.T).sum(axis=1)):
        square = np.ix_(items, items)
        part = _Component(before[square], level[square], deadline)
        start = np.argsort(np.argsort(rank[items]))
        part.search(start)
        part.search(np.zeros_like(start))
        if proves and len(items) > 1:
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
    """Whether each component has one order only, and all of them only one: of what is proven alone."""
    met = np.array([part.met() for part in parts])
    if any(part.only is False for part in parts if part.met()) or (met[:-1] & met[1:] & ~forced).any():
        return False
    return True if all(part.only and part.met() for part in parts) else None


class _Component:
    """A component's best buckets and bound, as costs beyond the lowest of each pair."""

    def __init__(self, before, level, deadline):
        least = np.minimum(np.minimum(before, before.T), level)
        self.before, self.level = before - least, level - least
        self.n, self.deadline = len(before), deadline
        self.scale = float(np.abs(before).sum())
        self.tolerance = TOLERANCE * self.scale
        self.step = granularity(np.round(np.concatenate([self.before.ravel(), self.level.ravel()]) * 2, 9)) / 2
        #: What a tie is worth among orders of equal cost: all ties together less than the least difference in cost.
        self.bonus = self.step / (self.n * (self.n - 1) // 2 + 1) or 2 * self.tolerance
        self.cost, self.bound, self.bucket, self.reason = np.inf, 0.0, None, "time limit"
        #: Whether no other order costs as little; None where that is not known.
        self.only = True if self.n == 1 else None
        self.off = ~np.eye(self.n, dtype=bool)
        self.triple, self.n_programmes = np.empty((0, 3), dtype=np.int64), 0

    def search(self, bucket):
        """Descend from these buckets."""
        bucket = np.array(bucket_descent(self.before, self.level, bucket, self.tolerance))
        cost = kemeny_cost(bucket, self.before, self.level)
        if cost < self.cost:
            self.bucket, self.cost = bucket, cost

    @property
    def most(self):
        """What an order may cost to be worth looking for."""
        return self.cost - (0.999 * self.step or 1e-9 * self.scale)

    def met(self):
        """Whether the bound proves the buckets to be optimal."""
        return self.bound >= self.most

    def raise_bound(self, bound, report):
        """Take note of a lower bound, rounded up to what orders can cost."""
        if self.step:
            bound = self.step * np.ceil(bound / self.step - 1e-3)
        self.bound = max(self.bound, min(bound, self.cost))
        report(self.cost, self.bound)

    def prove(self, report):
        """Raise the bound until it meets the cost, or time is over."""
        if self.met():
            return
        self.triple = self._violated((self.level < self.before.T).astype(np.float64))
        try:
            for y, bound in self._rounds(self.level):
                self.raise_bound(bound, report)
                self.search(_buckets(y))
                if self.met():
                    return
        except Unfinished as stopped:
            bound, self.reason = stopped.args
            self.bound = max(self.bound, min(bound, self.cost))
            return
        self.bound = self.cost  # that of a whole solution without violations

    # ------------------------------------------------------------------ orders of equal cost

    def tie(self):
        """Move items and merge neighbouring buckets as long as that ties more pairs and costs no more."""
        level = self.level - self.bonus
        while self._take(self._merged(bucket_descent(self.before, level, self.bucket, self.tolerance))):
            pass

    def _merged(self, bucket):
        """Merge neighbouring buckets, from the best ones down, where that costs nothing."""
        bucket, k = np.array(bucket), 0
        while k < bucket.max():
            above, below = np.flatnonzero(bucket == k), np.flatnonzero(bucket == k + 1)
            pairs = np.ix_(above, below)
            if self.level[pairs].sum() - self.before[pairs].sum() <= self.tolerance:
                bucket[bucket > k] -= 1
            else:
                k += 1
        return bucket

    def _take(self, bucket):
        """Take buckets that cost less, or as much with more ties; returns whether these do."""
        cost = kemeny_cost(bucket, self.before, self.level)
        if cost > self.cost + self.tolerance or (bucket == self.bucket).all():
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
        """Find out whether no other order costs as little, and if some do, look for one with the most ties."""
        try:
            if self.only is None:
                self._look_for_another()
            if self.only is False and self.step:
                self._look_for_ties()
        except Unfinished:
            pass

    def _look_for_another(self):
        known = self.bucket[:, None] <= self.bucket[None, :]
        sign = np.where(known, 1.0, -1.0)[self.off]
        for y, bound in self._rounds(self.level, excluded=(sign, np.count_nonzero(sign > 0) - 1.0), patient=False):
            if bound > self.cost + (1e-3 * self.step or 1e-6 * self.scale):
                self.only = True
                return
            self._take(_buckets(y))
            self._take(np.array(bucket_descent(self.before, self.level, _buckets(y), self.tolerance)))
            if self.only is False:
                return

    def _look_for_ties(self):
        level = self.level - self.bonus
        for y, bound in self._rounds(level, patient=False):
            self._take(_buckets(y))
            self.tie()
            if bound > kemeny_cost(self.bucket, self.before, level) - 0.999 * self.bonus:
                return

    # ------------------------------------------------------------------ programmes

    def _rounds(self, level, excluded=None, *, patient=True):
        """Solve programmes with more and more triples, and whole ones in the end.

        Parameters
        ----------
        level : ndarray of shape (n, n)
            Cost of ties.
        excluded : (ndarray of shape (n_variables,), float), default=None
            A row more, and what it may be at most.
        patient : bool, default=True
            Whether nothing but the deadline limits them.

        Yields
        ------
        y : ndarray of shape (n, n)
            1 where the row's item is before the column's or tied with it; the last one is an order.
        bound : float
            What each order costs at least.

        Raises
        ------
        Unfinished
            At the deadline, and where the solver gives up.
        """
        integer, most_programmes = False, np.inf if patient else _PROGRAMMES + self.n_programmes
        options = {} if patient else {"node_limit": _NODES}
        while most_programmes > 0 and time.monotonic() < self.deadline:
            most_programmes -= 1
            self.n_programmes += patient
            y, bound = self._solve(level, excluded, integer, options)
            yield y, bound
            new = self._violated(y)
            if len(new) == 0 and (integer or np.abs(y - np.round(y)).max() < _VIOLATION):
                return
            integer = integer or len(new) == 0
            self.triple = np.unique(np.concatenate([self.triple, new]), axis=0)
        raise Unfinished(-np.inf, "time limit")

    def _violated(self, y):
        """Find the triples that a solution violates, the most violated first."""
        n = self.n
        found, excess = [], []
        for a in range(n):
            sums = y[a][:, None] + y - y[a][None, :] - 1.0
            sums[a], sums[:, a] = -1.0, -1.0
            np.fill_diagonal(sums, -1.0)
            b, c = np.nonzero(sums > _VIOLATION)
            found.append(np.column_stack([np.full(len(b), a), b, c]))
            excess.append(sums[b, c])
        found, excess = np.concatenate(found), np.concatenate(excess)
        return found[np.argsort(-excess, kind="stable")[: _ROWS_PER_ITEM * n]]

    def _solve(self, level, excluded, integer, options):
        """Solve with the triples held: a solution and a bound."""
        n, off = self.n, self.off
        number = np.full((n, n), -1)
        number[off] = np.arange(n * (n - 1))
        # Costs as multiples of what the solver's tolerances are small against.
        unit = self.step or self.scale / n**2
        # Cost of a pair by its two variables: after + before of the other way round, less what a tie saves.
        cost = (level - self.before.T)[off] / unit
        base = float(np.triu(self.before + self.before.T - level, 1).sum())
        first, second = np.nonzero(np.triu(off))
        a, b, c = self.triple.T
        rows = np.concatenate(
            [
                np.column_stack([number[first, second], number[second, first]]).ravel(),
                np.column_stack([number[a, b], number[b, c], number[a, c]]).ravel(),
            ]
        )
        value = np.concatenate([np.full(2 * len(first), -1.0), np.tile([1.0, 1.0, -1.0], len(a))])
        ptr = np.concatenate([2 * np.arange(len(first)), 2 * len(first) + 3 * np.arange(len(a) + 1)])
        matrix = csr_array((value, rows, ptr), shape=(len(ptr) - 1, len(cost)))
        most = np.concatenate([np.full(len(first), -1.0), np.ones(len(a))])
        if excluded:
            matrix, most = vstack([matrix, csr_array(excluded[0][None, :])], format="csr"), np.append(most, excluded[1])
        if self.deadline < np.inf:
            options = {"time_limit": max(self.deadline - time.monotonic(), 1e-3), **options}
        bound = -np.inf
        if integer:
            done = milp(
                cost,
                integrality=np.ones(len(cost)),
                bounds=Bounds(0, 1),
                constraints=LinearConstraint(matrix, -np.inf, most),
                options={"mip_rel_gap": 0.0, **options},
            )
            if done.mip_dual_bound is not None:
                bound = base + unit * done.mip_dual_bound
        else:
            options.pop("node_limit", None)
            done = linprog(cost, A_ub=matrix, b_ub=most, bounds=(0, 1), method="highs-ds", options=options)
            if done.status == 0:
                multiplier = np.minimum(done.ineqlin.marginals, 0.0)
                reduced = cost - matrix.T @ multiplier
                bound = base + unit * (float(most @ multiplier) + float(np.minimum(reduced, 0.0).sum()))
        if done.status != 0:
            raise Unfinished(bound, "time limit" if done.status == 1 else "solver")
        y = np.ones((n, n))
        # Whole numbers are whole to a tolerance of the solver, which must not pass for violations.
        y[off] = np.round(done.x) if integer else done.x
        return y, bound


def kemeny_cost(bucket, before, level):
    """Add up the costs of the pairs."""
    above, same = bucket[:, None] < bucket[None, :], bucket[:, None] == bucket[None, :]
    return float(before[above].sum() + np.triu(np.where(same, level, 0.0), 1).sum())


def n_ties(bucket):
    """Count the pairs that are tied."""
    size = np.bincount(bucket)
    return int((size * (size - 1)).sum()) // 2


def _buckets(y):
    """Make an order with ties of a solution: by the number of items that it puts before or level."""
    return np.unique(np.round(-y.sum(axis=1), 6), return_inverse=True)[1]
