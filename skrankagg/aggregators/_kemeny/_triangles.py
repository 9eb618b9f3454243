"""Linear programme for strict orders: variables are pairs of items, and rows are violated triangles.

A variable is 1 if the first item of its pair is before the second item. An orientation of all pairs is an order if no
three items form a cycle. So each row belongs to a cycle ``i -> j -> k -> i`` and allows at most two of its three arcs.
There are too many rows to use all of them; each round adds some rows that the last solution violates.

Bounds do not depend on the solver's tolerances. The bounds are recomputed from the multipliers of the rows: any
nonpositive multipliers give a lower bound on the optimum.
"""

import numpy as np
from scipy.sparse import csr_array, vstack

from ..._support._memory import check_memory
from ._budget import Unfinished
from ._cuts import half_cuts

#: Smaller violations are ignored.
VIOLATION = 1e-6
# Most rows that a round adds, per item and per pair.
_ROWS_PER_ITEM, _ROWS_PER_PAIR = 20, 6
# Memory of each violated triple in bytes, until the triples of a round are chosen.
_BYTES_PER_TRIPLE = 170.0
# From this number of free pairs on, the interior-point method is faster than the simplex method. With 5000 free pairs
# it is four times as fast.
_INTERIOR_PAIRS = 2500
# Expected seconds: for each pair to build the programme, for each cycle to sort the cycles, and for each row to collect
# the rows.
_SECONDS_PER_PAIR, _SECONDS_PER_CYCLE, _SECONDS_PER_ROW = 1e-7, 8e-7, 4e-6


def check_triples(n_found, n):
    """Raise MemoryError if the violated triples of a round cannot fit into memory."""
    check_memory(
        _BYTES_PER_TRIPLE * n_found,
        lambda: (
            "Kemeny's proof",
            f"more than {n_found} violated triples of a component of {n} items",
            "choose method='iterated-local-search', which makes no proof",
        ),
    )


class Infeasible(Exception):
    """Error that is raised if no order is cheaper than the best known order."""


class TrianglePolytope:
    """Linear programme for orders that are cheaper than a known order, with its current rows and fixed pairs.

    `margin`, of shape (n, n), contains the cost of placing the row's item before the column's item, minus the cost of
    the opposite order. If a `restriction` is given, only orders that satisfy it are searched. All long steps check the
    time limit, and raise Unfinished if the time limit has passed.
    """

    def __init__(self, margin, budget, restriction=None):
        n = len(margin)
        budget.check(_SECONDS_PER_PAIR * n**2)
        self.n, self.budget = n, budget
        self.first, self.second = np.triu_indices(n, 1)
        self.cost = margin[self.first, self.second]
        self.pair = np.zeros((n, n), dtype=np.int64)
        self.pair[self.first, self.second] = self.pair[self.second, self.first] = np.arange(len(self.cost))
        #: Constant part of the cost: with it, the cheapest orientation of all pairs costs 0.
        self.base = -np.minimum(self.cost, 0.0).sum()
        self.before = np.zeros((n, n), dtype=bool)  # arcs that are fixed
        self.cycle = np.empty((0, 3), dtype=np.int64)
        self.row_slack = np.empty(0)
        self.bound, self.reduced = 0.0, np.zeros(len(self.cost))
        self.cut, self.cut_most = csr_array((0, len(self.cost))), np.empty(0)
        self.n_kept = 0  # number of cuts at the start that exclude orders or pin items; they are never removed
        #: Number of linear programmes solved, and the largest number allowed.
        self.n_programmes, self.most_programmes = 0, np.inf
        if restriction is not None:
            self.before = restriction.above.copy()
            for item in restriction.pinned:
                self._pin(item, int(restriction.place[item]))

    def _pin(self, item, n_above):
        """Add two rows that fix the number of items above an item to `n_above`."""
        others = np.flatnonzero(np.arange(self.n) != item)
        # The variable of a pair is 1 if the item with the smaller number is above.
        sign = np.where(others < item, 1.0, -1.0)
        row = csr_array((sign, self.pair[item, others], [0, len(sign)]), shape=(1, len(self.cost)))
        row.sort_indices()
        most = n_above - np.count_nonzero(others > item)
        self.cut = vstack([row, -row, self.cut], format="csr")
        self.cut_most = np.concatenate([[most, -most], self.cut_most])
        self.n_kept += 2

    # ------------------------------------------------------------------ fixed pairs

    @property
    def free(self):
        """Return a mask of shape (n_pairs,): True for each pair that is not fixed."""
        return ~(self.before[self.first, self.second] | self.before[self.second, self.first])

    def fix(self, most):
        """Fix the pairs that have the same direction in all orders that cost at most `most`.

        A pair is only fixed if the bound of the last programme proves that its direction is the same in all these
        orders. Raises Infeasible if no order costs at most `most`.
        """
        if self.bound > most:
            raise Infeasible
        reduced = self.reduced
        fixed = np.flatnonzero(self.free & (self.bound + np.abs(reduced) > most))
        if len(fixed) == 0:
            return
        forward = reduced[fixed] < 0
        head = np.where(forward, self.first[fixed], self.second[fixed])
        tail = np.where(forward, self.second[fixed], self.first[fixed])
        self.before[head, tail] = True
        self.close()

    def close(self):
        """Fix the pairs that follow from fixed pairs by transitivity."""
        before = self.before
        while True:
            self.budget.check(1e-10 * self.n**3)
            closed = before | ((before.astype(np.float32) @ before.astype(np.float32)) > 0)
            if (closed & closed.T).any():
                raise Infeasible
            if (closed == before).all():
                break
            before = closed
        self.before = before
        # Drop rows that the fixed pairs satisfy in any case.
        i, j, k = self.cycle.T
        needed = ~(before[j, i] | before[k, j] | before[i, k])
        self.cycle = self.cycle[needed]

    def exclude(self, order):
        """Add a row that excludes an order: at least one pair of neighbours in this order must be reversed."""
        above, below = order[:-1], order[1:]
        sign = np.where(above < below, 1.0, -1.0)
        shape = (1, len(self.cost))
        row = csr_array((sign, self.pair[above, below], [0, len(sign)]), shape=shape)
        row.sort_indices()
        self.cut = vstack([row, self.cut], format="csr")
        # The upper limit is one less than the value of the excluded order.
        self.cut_most = np.append(np.count_nonzero(sign > 0) - 1.0, self.cut_most)
        self.n_kept += 1

    def with_fixed(self, x):
        """Return a solution in which the fixed pairs have their direction, and the other pairs are as in `x`."""
        forward, backward = self.before[self.first, self.second], self.before[self.second, self.first]
        return np.where(forward, 1.0, np.where(backward, 0.0, x))

    def agrees(self, x):
        """Return True if the solution `x` orders every fixed pair in its fixed direction.

        This includes pairs that were fixed after the solution was found.
        """
        forward, backward = self.before[self.first, self.second], self.before[self.second, self.first]
        return bool((x[forward] > 1 - VIOLATION).all() and (x[backward] < VIOLATION).all())

    # ------------------------------------------------------------------ rows

    def violated(self, x, *, above=VIOLATION, limited=True):
        """Return an array of shape (n_cycles, 3): the cycles that a solution violates, the most violated cycle first.

        A cycle is returned if the values of its three arcs add up to more than 2 plus `above`. A negative number for
        `above` also finds nearly violated cycles. Cycles with an arc against a fixed pair are left out. With `limited`,
        cycles beyond the limit of one round are left out as well.
        """
        arc = np.zeros((self.n, self.n))
        arc[self.first, self.second] = x
        arc[self.second, self.first] = 1.0 - x
        never = self.before.T
        found, excess, n_found = [], [], 0
        for i in range(self.n - 2):
            self.budget.check()
            rest = arc[i + 1 :, i + 1 :]
            sums = (arc[i, i + 1 :, None] + (arc[i + 1 :, i] - 2.0)) + rest
            j, k = np.nonzero(sums > above)
            if len(j):
                found.append(np.column_stack([np.full(len(j), i), j + i + 1, k + i + 1]))
                excess.append(sums[j, k])
                n_found += len(j)
                check_triples(n_found, self.n)
        if not found:
            return np.empty((0, 3), dtype=np.int64)
        self.budget.check(_SECONDS_PER_CYCLE * sum(map(len, excess)))
        cycle, excess = np.concatenate(found), np.concatenate(excess)
        i, j, k = cycle.T
        possible = ~(never[i, j] | never[j, k] | never[k, i])
        cycle, excess = cycle[possible], excess[possible]
        cost = np.abs(self.cost)
        pairs = self._pairs(cycle)
        # Among equally violated cycles, cycles that are costly to break come first.
        order = np.lexsort((-cost[pairs].min(axis=1), -np.round(excess, 6)))
        if limited:
            order = order[: 40 * _ROWS_PER_ITEM * self.n]
            order = order[_occurrence(pairs[order]).max(axis=1) < _ROWS_PER_PAIR][: _ROWS_PER_ITEM * self.n]
        return cycle[order]

    def add(self, cycle):
        """Add the rows of cycles, except rows that already exist; return the number of added rows."""
        key = np.concatenate([self.cycle, cycle]) @ np.array([self.n**2, self.n, 1])
        _, place = np.unique(key, return_index=True)
        n_old = len(self.cycle)
        self.cycle = np.concatenate([self.cycle, cycle])[np.sort(place)]
        return len(self.cycle) - n_old

    def _pairs(self, cycle):
        i, j, k = cycle.T
        return np.column_stack([self.pair[i, j], self.pair[j, k], self.pair[k, i]])

    def _rows(self, free):
        """Return the rows (constraints) as a sparse matrix with a column for each free pair, and their upper limits."""
        self.budget.check(_SECONDS_PER_ROW * len(self.cycle))
        i, j, k = self.cycle.T
        pairs = self._pairs(self.cycle)
        sign = np.where(np.column_stack([i < j, j < k, k < i]), 1.0, -1.0)
        most = 2.0 - (sign < 0).sum(axis=1)
        value = self.before[self.first, self.second].astype(np.float64)
        known = ~free[pairs]
        most = most - np.where(known, sign * value[pairs], 0.0).sum(axis=1)
        number = np.cumsum(free) - 1
        row = np.repeat(np.arange(len(pairs)), 3).reshape(-1, 3)[~known]
        matrix = csr_array(
            (sign[~known], (row, number[pairs[~known]])), shape=(len(pairs), int(np.count_nonzero(free)))
        )
        if len(self.cut_most):
            matrix = vstack([matrix, self.cut[:, np.flatnonzero(free)]], format="csr")
            most = np.concatenate([most, self.cut_most - self.cut[:, np.flatnonzero(~free)] @ value[~free]])
        return matrix, most

    def _fixed_value(self, free):
        value = self.before[self.first, self.second].astype(np.float64)
        return value, self.base + float(self.cost[~free] @ value[~free])

    # ------------------------------------------------------------------ solving

    def relax(self):
        """Solve the linear programme of the current rows; return a solution of shape (n_pairs,) and a bound.

        Stores two results for :meth:`fix`. The first is a lower bound on the cost of orders with the fixed pairs. The
        second is the reduced cost of each pair. If a pair is fixed in the direction that its reduced cost penalizes,
        the bound increases by the absolute value of this cost. Raises Infeasible if no order has the fixed pairs.
        Raises Unfinished if time or the number of programmes is used up.
        """
        free = self.free
        x, fixed_cost = self._fixed_value(free)
        self.bound, self.reduced = fixed_cost, np.zeros(len(x))
        if not free.any():
            if (self.cut @ x > self.cut_most + VIOLATION).any():
                raise Infeasible
            self.row_slack = np.zeros(len(self.cycle) + len(self.cut_most))
            return x, fixed_cost
        if self.n_programmes >= self.most_programmes:
            raise Unfinished
        self.n_programmes += 1
        matrix, most = self._rows(free)
        cost = self.cost[free]
        method = "highs-ds" if len(cost) < _INTERIOR_PAIRS else "highs-ipm"
        done = self.budget.linprog(cost, matrix, most, (0.0, 1.0), method)
        if done.status == 2:
            raise Infeasible
        if done.status != 0:
            raise Unfinished(reason="time limit" if done.status == 1 else "solver")
        multiplier = np.minimum(done.ineqlin.marginals, 0.0)
        reduced = cost - matrix.T @ multiplier
        self.reduced[free] = reduced
        self.bound += float(most @ multiplier) + float(np.minimum(reduced, 0.0).sum())
        x[free] = done.x
        self.row_slack = np.where(multiplier < -1e-9, 0.0, most - matrix @ done.x)
        return x, self.bound

    def purge(self):
        """Remove the rows (constraints) that are not tight in the last solution, except rows that must be kept.

        A row is tight if the solution satisfies it with equality.
        """
        touched = self.row_slack < 1e-3
        touched, cut = touched[: len(self.cycle)], touched[len(self.cycle) :]
        cut[: self.n_kept] = True
        cut = np.flatnonzero(cut)
        self.cycle, self.cut, self.cut_most = self.cycle[touched], self.cut[cut], self.cut_most[cut]

    def cut_halves(self, x):
        """Add half cuts that the solution `x` violates; return the number of added cuts.

        `x` has some values between 0 and 1. A half cut is a constraint: half the sum of some rows, rounded down (see
        :func:`half_cuts`).
        """
        free = self.free
        held = self.cycle
        self.add(self.violated(x, above=-0.5, limited=False)[:8000])
        matrix, most = self._rows(free)
        self.cycle = held
        cuts, limit = half_cuts(matrix, most, x[free], self.budget)
        if len(limit):
            wide = csr_array((cuts.data, np.flatnonzero(free)[cuts.indices], cuts.indptr), shape=(len(limit), len(x)))
            self.cut, self.cut_most = vstack([self.cut, wide], format="csr"), np.append(self.cut_most, limit)
        return len(limit)

    def order(self, x):
        """Sort the items by the number of items that a solution places below each item, the largest number first."""
        arc = np.zeros((self.n, self.n))
        arc[self.first, self.second] = x
        arc[self.second, self.first] = 1.0 - x
        return np.argsort(-arc.sum(axis=1), kind="stable")


def _occurrence(table):
    """For each cell of a table, count the cells with the same value that precede it in reading order."""
    flat = table.ravel()
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    start = np.ones(len(flat), dtype=bool)
    start[1:] = ordered[1:] != ordered[:-1]
    first = np.maximum.accumulate(np.where(start, np.arange(len(flat)), 0))
    count = np.empty(len(flat), dtype=np.int64)
    count[order] = np.arange(len(flat)) - first
    return count.reshape(table.shape)
