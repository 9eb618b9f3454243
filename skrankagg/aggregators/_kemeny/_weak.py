"""Orders with ties: buckets from a local search, bounds from integer programmes with rows added as they are violated.

A variable for each ordered pair is 1 where the first item is before the second or tied with it. One of the two
directions holds, and what holds from a to b and from b to c holds from a to c: the rows of the triples, of which a
round adds those that the last solution violates.
"""

import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from ..._kernels import bucket_descent
from ._preferences import TOLERANCE, granularity, kemeny_score, ordered_components, pair_costs

__all__ = []

_VIOLATION = 1e-6
# Rows that a round adds at most, for each item.
_ROWS_PER_ITEM = 40


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
    """
    before, level = pair_costs(prefer, tied, penalty)
    least = np.minimum(np.minimum(before, before.T), level)
    tolerance = TOLERANCE * np.abs(before).sum()
    # What may stand in the way of the column before the row, at the lowest cost of the pair.
    arc = least + tolerance < before.T
    np.fill_diagonal(arc, False)
    bucket, bound, n_buckets, reasons = np.empty(len(rank), dtype=np.int64), 0.0, 0, {"optimal"}
    across = float(np.triu(least, 1).sum())
    for items in ordered_components(arc, (before - before.T).sum(axis=1)):
        square = np.ix_(items, items)
        part = _Component(before[square], level[square], deadline)
        start = np.argsort(np.argsort(rank[items]))
        part.search(start)
        part.search(np.zeros_like(start))
        if proves and len(items) > 1:
            part.prove(lambda high, low, b=bound: report(across + b + high, across + b + low))
        bucket[items] = part.bucket + n_buckets
        n_buckets += part.bucket.max() + 1
        bound += part.bound
        reasons.add("optimal" if part.met() else part.reason if proves else "unproven")
    score = kemeny_score(bucket, prefer, tied, penalty=penalty)
    if reasons == {"optimal"}:
        return bucket, score, score, "optimal"
    reason = max(reasons - {"optimal"})
    return bucket, score, min(across + bound, score), None if reason == "unproven" else reason


class _Component:
    """A component's best buckets and bound, as costs beyond the lowest of each pair."""

    def __init__(self, before, level, deadline):
        least = np.minimum(np.minimum(before, before.T), level)
        self.before, self.level = before - least, level - least
        self.n, self.deadline = len(before), deadline
        self.scale = float(np.abs(before).sum())
        self.step = granularity(np.round(np.concatenate([self.before.ravel(), self.level.ravel()]) * 2, 9)) / 2
        self.cost, self.bound, self.bucket, self.reason = np.inf, 0.0, None, "time limit"

    def search(self, bucket):
        """Descend from these buckets."""
        bucket = np.array(bucket_descent(self.before, self.level, bucket, TOLERANCE * self.scale))
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
        n = self.n
        self.pair = np.full((n, n), -1)
        off = ~np.eye(n, dtype=bool)
        self.pair[off] = np.arange(n * (n - 1))
        # Cost of a pair by its two variables: after + before of the other way round, less what a tie saves.
        cost = (self.level - self.before.T)[off]
        base = float(np.triu(self.before + self.before.T - self.level, 1).sum())
        first, second = np.nonzero(np.triu(off))
        pairs = np.column_stack([self.pair[first, second], self.pair[second, first]])
        self.row, self.most_row = [(-1.0, pairs)], [np.full(len(pairs), -1.0)]
        triple = np.empty((0, 3), dtype=np.int64)
        y = (cost < 0).astype(float)
        integer = False
        while not self.met():
            new = self._violated(y)
            if len(new) == 0 and integer:
                break
            if len(new) == 0 and np.abs(y - np.round(y)).max() < _VIOLATION:
                break
            integer = integer or len(new) == 0
            triple = np.unique(np.concatenate([triple, new]), axis=0)
            found = self._solve(cost, base, pairs, triple, integer)
            if found is None:
                return
            y, bound = found
            self.raise_bound(bound, report)
            self.search(_buckets(y, self.pair))
        if not self.met():  # a whole solution without violations
            self.search(_buckets(y, self.pair))
            self.bound = self.cost

    def _violated(self, y):
        n = self.n
        value = np.ones((n, n))
        value[self.pair >= 0] = y
        found, excess = [], []
        for a in range(n):
            sums = value[a][:, None] + value - value[a][None, :] - 1.0
            sums[a], sums[:, a] = -1.0, -1.0
            np.fill_diagonal(sums, -1.0)
            b, c = np.nonzero(sums > _VIOLATION)
            found.append(np.column_stack([np.full(len(b), a), b, c]))
            excess.append(sums[b, c])
        found, excess = np.concatenate(found), np.concatenate(excess)
        return found[np.argsort(-excess, kind="stable")[: _ROWS_PER_ITEM * n]]

    def _solve(self, cost, base, pairs, triple, integer):
        """Solve with these rows: a solution and a bound, or None if there was no time."""
        a, b, c = triple.T
        rows = np.column_stack([self.pair[a, b], self.pair[b, c], self.pair[a, c]])
        value = np.concatenate([np.full(pairs.size, -1.0), np.tile([1.0, 1.0, -1.0], len(rows))])
        ptr = np.concatenate([2 * np.arange(len(pairs)), 2 * len(pairs) + 3 * np.arange(len(rows) + 1)])
        matrix = csr_array((value, np.concatenate([pairs.ravel(), rows.ravel()]), ptr), shape=(len(ptr) - 1, len(cost)))
        most = np.concatenate([np.full(len(pairs), -1.0), np.ones(len(rows))])
        options = {} if self.deadline == np.inf else {"time_limit": max(self.deadline - time.monotonic(), 1e-3)}
        if integer:
            done = milp(
                cost,
                integrality=np.ones(len(cost)),
                bounds=Bounds(0, 1),
                constraints=LinearConstraint(matrix, -np.inf, most),
                options={"mip_rel_gap": 0.0, **options},
            )
            bound = -np.inf if done.mip_dual_bound is None else base + done.mip_dual_bound
        else:
            done = linprog(cost, A_ub=matrix, b_ub=most, bounds=(0, 1), method="highs-ds", options=options)
            bound = -np.inf
            if done.status == 0:
                multiplier = np.minimum(done.ineqlin.marginals, 0.0)
                reduced = cost - matrix.T @ multiplier
                bound = base + float(most @ multiplier) + float(np.minimum(reduced, 0.0).sum())
        if done.status != 0:
            self.bound = max(self.bound, min(bound, self.cost))
            self.reason = "time limit" if done.status == 1 else "solver"
            return None
        # Whole numbers are whole to a tolerance of the solver, which must not pass for violations.
        return np.round(done.x) if integer else done.x, bound


def kemeny_cost(bucket, before, level):
    """Add up the costs of the pairs."""
    above, same = bucket[:, None] < bucket[None, :], bucket[:, None] == bucket[None, :]
    return float(before[above].sum() + np.triu(np.where(same, level, 0.0), 1).sum())


def _buckets(y, pair):
    """Make an order with ties of a solution: by the number of items that it puts before or level."""
    ahead = np.where(pair >= 0, y[pair], 1.0).sum(axis=1)
    return np.unique(np.round(-ahead, 6), return_inverse=True)[1]
