"""Linear and integer programmes that assign items to places, with bounds on counts of items among the first places.

A cell is a pair of an item and a place. A programme contains some of the cells as columns, and has four kinds of rows:

- each item has one place, and each place has one item;
- each count of a group's items among the first k places is the previous count plus the cells on the places between;
- bounds on the counts;
- orders: the lower item of a pair is among the first k + 1 places only if the upper item is among the first k.

Because each count builds on the previous count, the rows are short: a cell is only in the row of the next count of its
group. Items with the same rules may share a row of cells, and then have several places together.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import coo_array

from ._budget import Unfinished

# Expected seconds of a linear programme for each of its columns.
_SECONDS_PER_COLUMN = 4e-5
# Smaller multipliers and violations are rounding errors of the solver, if the unit of the costs is the least difference
# between two costs.
SMALL = 1e-6


@dataclass
class Solution:
    """Solution of a linear programme over some cells; a cell is a pair of an item and a place.

    `x` contains the values of the cells. `reduced`, of shape (n_rows, n), contains the reduced costs of the cells that
    orders may use, and infinity for all other cells. If the reduced cost of a cell is positive, every order with this
    cell costs at least `bound` plus the reduced cost. `priced` contains the cost of each cell minus the multipliers of
    its counts; the top of the module describes these counts. The cost of the best assignment with the costs in
    `priced`, plus `constant`, is another lower bound on the cost of every order.
    """

    x: np.ndarray
    reduced: np.ndarray
    bound: float
    priced: np.ndarray
    constant: float


class PlaceProgramme:
    """Programme that assigns the items of one query to places, with bounds for groups and required orders of pairs.

    Parameters
    ----------
    size : ndarray of shape (n_rows,)
        Number of items of each row. A row stands for a single item, or for several items with the same rules, and gets
        a place for each of its items.
    bounds : GroupBounds
        Bounds, with ``group`` of shape (n_rows,).
    orders : ndarray of shape (n_orders, 2)
        Pairs of rows, each of a single item; the first item must be above the second item.
    budget : Budget
        Time limit of the programmes.
    """

    def __init__(self, size, bounds, orders, budget):
        self.size, self.budget = size, budget
        self.n = n = int(size.sum())
        places, n_groups = np.arange(1, n + 1), bounds.low.shape[1]
        of_group = np.bincount(bounds.group, weights=size, minlength=n_groups + 1).astype(np.int64)
        #: For each group and each place, the number of the count whose row contains the cell, or -1.
        self.group, self.count_of_group = bounds.group, np.full((n_groups + 1, n), -1)
        low, high, first = [], [], [0]
        for g in range(n_groups):
            least = np.maximum(of_group[g] - (n - bounds.prefix), 0)
            most = np.minimum(of_group[g], bounds.prefix)
            matters = (bounds.low[:, g] > least) | (bounds.high[:, g] < most)
            cut = bounds.prefix[matters]
            self._add_counts(self.count_of_group[g], cut, first)
            low.append(np.maximum(bounds.low[matters, g], least[matters]))
            high.append(np.minimum(bounds.high[matters, g], most[matters]))
        #: The rows of items with orders, and for each of their places the number of the count.
        self.ordered = np.unique(orders)
        self.count_of_ordered = np.full((len(self.ordered), n), -1)
        for k in range(len(self.ordered)):
            self._add_counts(self.count_of_ordered[k], places[:-1], first)
            low.append(np.zeros(n - 1))
            high.append(np.ones(n - 1))
        self.low = np.concatenate([*low, np.empty(0)]).astype(np.float64)
        self.high = np.concatenate([*high, np.empty(0)]).astype(np.float64)
        self.n_counts = first[-1]
        # The first count of a chain has no previous count.
        self.follows = np.ones(self.n_counts, dtype=bool)
        self.follows[[start for start in first[:-1] if start < self.n_counts]] = False
        # For each pair and each k, the numbers of two counts: the lower item among the first k + 1 places, and the
        # upper item among the first k places.
        above, below = np.searchsorted(self.ordered, orders).reshape(-1, 2).T
        self.lower = self.count_of_ordered[below, 1 : n - 1].ravel() if n > 2 else np.empty(0, dtype=np.int64)
        self.upper = self.count_of_ordered[above, : n - 2].ravel() if n > 2 else np.empty(0, dtype=np.int64)
        self._count_rows = self._rows_of_counts()

    @staticmethod
    def _add_counts(count, cut, first):
        """Assign numbers to the counts of one group or item, and store a number for each place in `count`.

        A count is a variable: the number of items of the group among the first k places. There is a count for each k in
        `cut`. A place gets the number of the first count that includes it.
        """
        segment = np.searchsorted(cut, np.arange(1, len(count) + 1))
        inside = segment < len(cut)
        count[inside] = first[-1] + segment[inside]
        first.append(first[-1] + len(cut))

    def _rows_of_counts(self):
        """Return the coefficients of the counts in two sets of rows: in the equations, and in the rows for orders.

        A count is a variable of the programme: the number of items of a group (or of one item) among the first k
        places. Both results are sparse matrices with a column for each count.
        """
        number = np.arange(self.n_counts)
        later = number[self.follows]
        ones = np.ones(self.n_counts)
        equal = coo_array(
            (np.append(-ones, ones[later]), (np.append(number, later), np.append(number, later - 1))),
            shape=(self.n_counts, self.n_counts),
        )
        row, one = np.arange(len(self.lower)), np.ones(len(self.lower))
        order = coo_array(
            (np.append(one, -one), (np.append(row, row), np.append(self.lower, self.upper))),
            shape=(len(row), self.n_counts),
        )
        return equal, order

    def _matrices(self, row, place):
        """Build the rows of the programme for some cells; a cell is a pair of an item and a place.

        Returns the matrix of the equations, their right sides, and the matrix of the rows for required orders. `row`
        and `place` contain the item (or the row of equivalent items) and the place of each cell.
        """
        n_rows, n_cells = len(self.size), len(row)
        cell, one = np.arange(n_cells), np.ones(n_cells)
        index, column, value = [row, n_rows + place], [cell, cell], [one, one]
        start = n_rows + self.n
        counts = [self.count_of_group[self.group[row], place]]
        if len(self.ordered):
            position = np.full(n_rows, -1)
            position[self.ordered] = np.arange(len(self.ordered))
            counts.append(np.where(position[row] >= 0, self.count_of_ordered[position[row], place], -1))
        for count in counts:
            counted = count >= 0
            index.append(start + count[counted])
            column.append(cell[counted])
            value.append(one[counted])
        equal, order = self._count_rows
        index.append(start + equal.row)
        column.append(n_cells + equal.col)
        value.append(equal.data)
        shape = start + self.n_counts, n_cells + self.n_counts
        equations = _csr(np.concatenate(value), np.concatenate(index), np.concatenate(column), shape)
        right = np.concatenate([self.size, np.ones(self.n), np.zeros(self.n_counts)])
        orders = _csr(order.data, order.row, n_cells + order.col, (order.shape[0], shape[1]))
        return equations, right, orders

    def relax(self, cost, row, place, possible):
        """Solve the linear programme over the cells given by `row` and `place`, and return a Solution.

        `cost`, of shape (n_rows, n), contains the costs of all cells. The lower bound in the Solution holds for all
        orders that use only cells in the mask `possible`.
        """
        equations, right, orders = self._matrices(row, place)
        bounds = np.column_stack(
            [
                np.concatenate([np.zeros(len(row)), self.low]),
                np.concatenate([np.full(len(row), np.inf), self.high]),
            ]
        )
        done = self.budget.linprog(
            np.concatenate([cost[row, place], np.zeros(self.n_counts)]),
            orders if orders.shape[0] else None,
            np.zeros(orders.shape[0]) if orders.shape[0] else None,
            bounds,
            "highs-ds",
            foreseen=_SECONDS_PER_COLUMN * len(bounds),
            A_eq=equations,
            b_eq=right,
        )
        if done.status != 0:
            raise Unfinished(reason="time limit" if done.status == 1 else "solver")
        multiplier = np.minimum(done.ineqlin.marginals, 0.0) if orders.shape[0] else np.empty(0)
        return self._priced(cost, done.x[: len(row)], done.eqlin.marginals, multiplier, possible)

    def _priced(self, cost, x, equal, order, possible):
        """Compute reduced costs and a lower bound from the multipliers (dual values) of the rows; return a Solution.

        `equal` contains the multipliers of the equations, and `order` contains the multipliers of the rows for required
        orders. The bound is valid for any multipliers, even if they are not optimal.
        """
        n_rows = len(self.size)
        u, v, given = equal[:n_rows], equal[n_rows : n_rows + self.n], equal[n_rows + self.n :]
        # The multiplier of a count is the next multiplier of its chain plus the reduced cost of the count. Without
        # rounding errors, only counts at a bound have a reduced cost that is not 0.
        own = np.zeros(self.n_counts)
        np.add.at(own, self.lower, order)
        np.add.at(own, self.upper, -order)
        following = np.append(np.where(self.follows[1:], given[1:], 0.0), 0.0) if self.n_counts else given
        reduced = given - following - own
        reduced[np.abs(reduced) < SMALL] = 0.0
        price = _sum_from_right(reduced + own, self.follows)
        constant = float(np.where(reduced > 0, reduced * self.low, reduced * self.high).sum())
        table = np.append(price, 0.0)
        priced = cost - table[self.count_of_group][self.group]
        if len(self.ordered):
            priced[self.ordered] -= table[self.count_of_ordered]
        rest = np.where(possible, priced - u[:, None] - v, np.inf)
        # Every order uses a cell of each row. So the bound falls by the least reduced cost of a row if this cost is
        # negative.
        least = np.minimum(rest.min(axis=1), 0.0)
        bound = float(self.size @ (u + least) + v.sum()) + constant
        return Solution(x, rest, bound, priced, constant)

    def integers(self, cost, row, place):
        """Solve the integer programme over the cells given by `row` and `place`.

        Returns three results: the values of the cells (None if there is no solution), the solver's lower bound on the
        cost, and SciPy's status code. The status is 0 for an optimal solution and 2 if there is no solution.
        """
        equations, right, orders = self._matrices(row, place)
        n_cells = len(row)
        rows = [LinearConstraint(equations, right, right)]
        if orders.shape[0]:
            rows.append(LinearConstraint(orders, -np.inf, 0.0))
        done = self.budget.milp(
            np.concatenate([cost[row, place], np.zeros(self.n_counts)]),
            {"mip_rel_gap": 0.0},
            integrality=np.concatenate([np.ones(n_cells), np.zeros(self.n_counts)]),
            bounds=Bounds(
                np.concatenate([np.zeros(n_cells), self.low]),
                np.concatenate([np.ones(n_cells) * self.size[row], self.high]),
            ),
            constraints=rows,
        )
        bound = -np.inf if done.mip_dual_bound is None else done.mip_dual_bound
        return None if done.x is None else done.x[:n_cells], bound, done.status


def _csr(value, row, column, shape):
    matrix = coo_array((value, (row, column)), shape=shape).tocsr()
    # HiGHS needs 32-bit indices, and SciPy 1.13 and 1.14 do not convert them.
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix


def _sum_from_right(value, follows):
    """Add to each entry of `value` all later entries of its chain.

    A chain is a run of entries. It starts at an entry where `follows` is False, and ends before the next such entry.
    """
    if len(value) == 0:
        return value
    total = np.cumsum(value[::-1])[::-1]
    chain = np.cumsum(~follows) - 1
    start = np.append(np.flatnonzero(~follows), len(value))
    after = np.append(total, 0.0)[start[1:]]
    return total - after[chain]
