"""Linear and integer programme for orders with ties: variables are ordered pairs, and rows are violated triples.

The variable of an ordered pair is 1 if the first item is before the second item or tied with it. For each pair, at
least one of the two directions is 1. If a is before b or tied with b, and b is before c or tied with c, then a is
before c or tied with c. Each triple of items has a row for this implication; each round adds rows that the last
solution violates.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import csr_array, vstack

from ._budget import Unfinished
from ._triangles import VIOLATION, Infeasible, check_triples

# Most rows that a round adds, per item.
_ROWS_PER_ITEM = 40
# Largest number of nodes of an integer programme, if :meth:`RelationProgramme.rounds` gets a `limit`.
_NODES = 200
# Expected seconds to build a programme: for each ordered pair, and for each row.
_SECONDS_PER_PAIR, _SECONDS_PER_ROW = 1e-7, 2e-6


class RelationProgramme:
    """Linear or integer programme for orders with ties; it stores its current rows.

    `before` is the cost of placing the row's item before the column's item, and `level` is the cost of a tie. `before`
    and `level` have shape (n, n). The solver gets the costs as multiples of `unit`, so that its tolerances are small
    compared with the costs. If a `restriction` is given, only orders that satisfy it are solutions.
    """

    def __init__(self, before, level, unit, budget, restriction=None):
        n = len(before)
        budget.check(_SECONDS_PER_PAIR * n**2)
        self.n, self.before, self.unit, self.budget = n, before, unit, budget
        self.off = ~np.eye(n, dtype=bool)
        self.number = np.full((n, n), -1)
        self.number[self.off] = np.arange(n * (n - 1))
        # Pairs in which the row's item must be above the column's item.
        self.above = np.zeros((n, n), dtype=bool) if restriction is None else restriction.above
        self.pins = None if restriction is None or not restriction.has_pins else self._pins(restriction)
        y = (level < before.T) | self.above
        y[self.above.T] = False
        self.triple = self.violated(y.astype(np.float64))
        #: Number of programmes solved in calls of `rounds` without `limit`.
        self.n_solved = 0

    def rounds(self, level, *, excluded=None, most=None, limit=None):
        """Solve linear programmes with rows for more and more triples, then integer programmes.

        `level`, of shape (n, n), is the cost of a tie. `excluded`, of shape (n,), describes an order to exclude: the
        number of each item's group of tied items. Only orders that cost at most `most` are searched for: a variable is
        fixed if it has the same value in all these orders. With `limit`, at most this number of programmes is solved,
        and the branch and bound of integer programmes is limited to a few nodes.

        Yields y, of shape (n, n), and a lower bound on the cost of every order. y is 1 where the row's item is before
        the column's item or tied with it. The last y is an order. Raises Infeasible if no order costs at most `most`.
        Raises Unfinished, with a bound and a reason, in three cases: the time limit has passed, `limit` is reached, or
        the solver gives up. Other long steps raise Unfinished without a bound when time runs out.
        """
        bounds, integer, n_left = np.zeros((2, self.n * (self.n - 1))), False, np.inf if limit is None else limit
        bounds[1] = 1.0
        bounds[0, self.number[self.above]], bounds[1, self.number[self.above.T]] = 1.0, 0.0
        row = None if excluded is None else np.where(excluded[:, None] <= excluded[None, :], 1.0, -1.0)[self.off]
        while n_left > 0:
            self.budget.check()
            n_left -= 1
            self.n_solved += limit is None
            options = {}
            if integer:
                options = {"mip_rel_gap": 0.0} | ({} if limit is None else {"node_limit": _NODES})
            y, bound = self._solve(level, row, bounds, most, integer, options)
            yield y, bound
            new = self.violated(y)
            if len(new) == 0 and (integer or np.abs(y - np.round(y)).max() < VIOLATION):
                return
            integer = integer or len(new) == 0
            self.triple = np.unique(np.concatenate([self.triple, new]), axis=0)
        raise Unfinished

    def _pins(self, restriction):
        """Build the rows that fix how many items are below each pinned item or tied with it; return rows and limits."""
        count = np.zeros((len(restriction.pinned), self.n * (self.n - 1)))
        for row, item in zip(count, restriction.pinned, strict=True):
            row[self.number[item, np.arange(self.n) != item]] = 1.0
        n_rest = self.n - 1.0 - restriction.place[restriction.pinned]
        return csr_array(np.concatenate([count, -count])), np.concatenate([n_rest, -n_rest])

    def violated(self, y):
        """Return triples of items for which `y` violates a constraint, the most violated triple first.

        The result has shape (n_triples, 3). The number of triples is limited to the rows that one round may add.
        """
        n = self.n
        found, excess, n_found = [], [], 0
        for a in range(n):
            self.budget.check()
            sums = y[a][:, None] + y - y[a][None, :] - 1.0
            sums[a], sums[:, a] = -1.0, -1.0
            np.fill_diagonal(sums, -1.0)
            b, c = np.nonzero(sums > VIOLATION)
            found.append(np.column_stack([np.full(len(b), a), b, c]))
            excess.append(sums[b, c])
            n_found += len(b)
            check_triples(n_found, n)
        self.budget.check(4e-7 * sum(map(len, excess)))
        found, excess = np.concatenate(found), np.concatenate(excess)
        return found[np.argsort(-excess, kind="stable")[: _ROWS_PER_ITEM * n]]

    def _rows(self, excluded):
        """Build the rows (constraints) for pairs, triples and the excluded order; return them and their limits."""
        number = self.number
        self.budget.check(_SECONDS_PER_PAIR * self.n**2 + _SECONDS_PER_ROW * len(self.triple))
        first, second = np.nonzero(np.triu(self.off))
        a, b, c = self.triple.T
        column = [
            np.column_stack([number[first, second], number[second, first]]).ravel(),
            np.column_stack([number[a, b], number[b, c], number[a, c]]).ravel(),
        ]
        value = np.concatenate([np.full(2 * len(first), -1.0), np.tile([1.0, 1.0, -1.0], len(a))])
        ptr = np.concatenate([2 * np.arange(len(first)), 2 * len(first) + 3 * np.arange(len(a) + 1)])
        matrix = csr_array((value, np.concatenate(column), ptr), shape=(len(ptr) - 1, self.n * (self.n - 1)))
        most = np.concatenate([np.full(len(first), -1.0), np.ones(len(a))])
        if self.pins is not None:
            matrix, most = vstack([matrix, self.pins[0]], format="csr"), np.append(most, self.pins[1])
        if excluded is not None:
            matrix = vstack([matrix, csr_array(excluded[None, :])], format="csr")
            # The upper limit is one less than the value of the excluded order.
            most = np.append(most, np.count_nonzero(excluded > 0) - 1.0)
        # HiGHS needs 32-bit indices, and SciPy 1.13 and 1.14 do not convert them.
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
        return matrix, most

    def _solve(self, level, excluded, bounds, useful, integer, options):
        # The cost of a pair is a constant plus a term for each of its two variables. The coefficient of a variable is
        # the cost of a tie minus the cost of the opposite order.
        before = self.before
        if self.above.any():  # an ordered pair costs 0
            fixed = self.above | self.above.T
            before, level = np.where(fixed, 0.0, before), np.where(fixed, 0.0, level)
        cost = (level - before.T)[self.off] / self.unit
        base = float(np.triu(before + before.T - level, 1).sum())
        matrix, most = self._rows(excluded)
        bound = -np.inf
        if integer:
            done = self.budget.milp(
                cost,
                options,
                integrality=np.ones(len(cost)),
                bounds=Bounds(*bounds),
                constraints=LinearConstraint(matrix, -np.inf, most),
            )
            if done.mip_dual_bound is not None:
                bound = base + self.unit * done.mip_dual_bound
        else:
            done = self.budget.linprog(cost, matrix, most, bounds.T, "highs-ds")
            if done.status == 0:
                multiplier = np.minimum(done.ineqlin.marginals, 0.0)
                reduced = cost - matrix.T @ multiplier
                least = float(np.minimum(reduced * bounds[0], reduced * bounds[1]).sum())
                bound = base + self.unit * (float(most @ multiplier) + least)
                if useful is not None:
                    dear = (bound + self.unit * np.abs(reduced) > useful) & (bounds[0] < bounds[1])
                    bounds[1, dear & (reduced > 0)] = 0.0
                    bounds[0, dear & (reduced < 0)] = 1.0
        if done.status == 2 and useful is not None:
            raise Infeasible
        if done.status != 0:
            raise Unfinished(bound, "time limit" if done.status == 1 else "solver")
        y = np.ones((self.n, self.n))
        # The solver returns integers only up to its tolerance. Such small differences must not count as violations.
        y[self.off] = np.round(done.x) if integer else done.x
        return y, bound
