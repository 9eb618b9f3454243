"""Cheapest assignment of items to places under bounds for groups, pins and orders, with a proof.

A cell is a pair of an item and a place. The linear programme starts with a few of the n^2 cells: for each item, the
places near its place in two orders. These are the best order without rules, and an order that satisfies the rules.
After each programme, the cells with negative reduced costs are added, until there are no such cells. This procedure is
called column generation. The programme then bounds the cost of every order. Its solution is nearly always an order, and
then this order is optimal. Otherwise an integer programme branches over the cells that reduced costs do not exclude.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from ._budget import Budget, Unfinished
from ._costs import Bracket, granularity
from ._place_programme import SMALL, PlaceProgramme
from ._place_rules import feasible_place
from ._worker import Unstarted, Worker

# From this number of items on, the assignment takes a fraction of a second or longer. The solver cannot be interrupted,
# so it then runs in a separate process, which Ctrl-C can end.
_OWN_PROCESS = 1000
# A programme for at most _FEW_ITEMS items starts with all cells. A larger programme starts with the cells that are at
# most _NEAR places away from the item's place in one of the two orders above.
_FEW_ITEMS, _NEAR = 30, 6
# A solution is an order if the value of each cell is at most this far from an integer.
_INTEGRAL = 1e-5


def solve_assignment(cost):
    """Call SciPy's ``linear_sum_assignment``; a large problem runs in a separate process that Ctrl-C can end."""
    if len(cost) < _OWN_PROCESS:
        return linear_sum_assignment(cost)
    worker = Worker()
    try:
        return worker.call(linear_sum_assignment, cost)
    except Unstarted:
        return linear_sum_assignment(cost)
    finally:
        worker.close()


def assign(cost):
    """Assign items to places with the least total cost; return the place of each item and the total cost.

    Places are counted from 0.
    """
    items, places = solve_assignment(cost)
    found = np.empty(len(cost), dtype=np.int64)
    found[items] = places
    return found, float(cost[items, places].sum())


class BestPlaces(NamedTuple):
    """Result of a search: the best known order, its cost, a lower bound, and the reason why the search ended.

    `place` contains the place of each item in the order.
    """

    place: np.ndarray
    cost: float
    bound: float
    reason: str


def solve_bounded(cost, rules, free, time_limit):
    """Find the cheapest order that satisfies the rules of a query and, if time allows, prove that it is optimal.

    The rules are the bounds, pins and orders of :class:`FootruleOptimal`.

    `cost` has shape (n, n), and `free` contains the places of the items in the best order without rules. At least one
    order must satisfy the rules. Returns a BestPlaces.
    """
    items = np.arange(len(cost))

    def total(place):
        return float(cost[items, place].sum())

    if rules.kept_by(free):
        return BestPlaces(free, total(free), total(free), "optimal")
    start = feasible_place(rules, free, lambda own, places: places[assign(cost[np.ix_(own, places)])[0]])
    with Budget(time_limit) as budget:
        found = BoundedAssignment(cost, rules, free, start, budget)
        found.solve()
    least = total(found.place)
    if found.reason == "optimal":
        return BestPlaces(found.place, least, least, "optimal")
    return BestPlaces(found.place, least, max(least - (found.cost - found.bound), total(free)), found.reason)


class BoundedAssignment(Bracket):
    """Search for the cheapest order that satisfies the rules, with a proven lower bound on its cost.

    `cost`, of shape (n, n), contains the cost of each cell, which is a pair of an item (row) and a place (column).
    `free` contains the places of the best order without rules. `start` contains the places of an order that satisfies
    the rules.
    """

    def __init__(self, cost, rules, free, start, budget):
        n = len(cost)
        # The difference between the costs of two orders is a sum of these numbers.
        inner = cost - cost[:, :1]
        inner = inner - inner[:1]
        step = granularity(inner, budget)
        self.unit = step or float(np.abs(inner).max()) / n or 1.0
        super().__init__(self._cost_of(inner, start), float(np.abs(inner).max(axis=1).sum()), step, budget)
        self.inner, self.rules, self.place = inner, rules, start
        self.bound = -np.inf
        self.possible = rules.allowed()
        self.programme = PlaceProgramme(np.ones(n, dtype=np.int64), rules.bounds, rules.pairs, budget)
        self.used = np.ones((n, n), dtype=bool)
        if n > _FEW_ITEMS:
            distance = np.minimum(*(np.abs(np.arange(n) - one[:, None]) for one in (free, start)))
            self.used = distance <= _NEAR
        self.n_rounds, self.reason, self._root, self.branched = 0, "optimal", None, False

    @staticmethod
    def _cost_of(inner, place):
        return float(inner[np.arange(len(place)), place].sum())

    def _cells(self, mask):
        """Return the items and the places of the cells in a mask, without cells that no cheaper order can contain.

        A cell is a pair of an item (row) and a place (column). The cells of the best known order are always included.
        """
        mask = mask & self.possible
        mask[np.arange(len(mask)), self.place] = True
        return np.nonzero(mask)

    def solve(self):
        """Search for the best order and, if time allows, prove that it is optimal."""
        try:
            if not self._relax():
                self._branch()
        except Unfinished as stopped:
            self.reason = stopped.reason
        if self.met():
            self.bound, self.reason = self.cost, "optimal"
        return self

    def _relax(self):
        """Solve the linear programme, each time with more cells, until its lower bound holds for all orders.

        A cell is a pair of an item and a place. Returns True if the best known order is proven to be optimal.
        """
        cost = self.inner / self.unit
        while True:
            self.n_rounds += 1
            row, place = self._cells(self.used)
            solution = self.programme.relax(cost, row, place, self.possible)
            self._take(row, place, solution.x)
            self._root = solution.bound, solution.reduced
            self._raise(*self._root)
            if self.met():
                return True
            new = (solution.reduced < -SMALL) & ~self.used
            if not new.any():
                break
            self.used |= new
        if not self.step:
            # The solver's rounding errors may exceed the differences between costs. An assignment problem gives a bound
            # with smaller errors.
            priced = np.where(self.possible, solution.priced, np.abs(solution.priced).max() * (1 + 2 * len(cost)))
            self._raise(assign(priced)[1] + solution.constant)
        return self.met()

    def _raise(self, bound, reduced=None):
        """Raise the lower bound on the cost, and exclude each cell (item, place) that no cheaper order can contain.

        `bound` is the bound of the linear programme. `reduced` contains the reduced cost of each cell; None excludes no
        cells.
        """
        self.raise_bound(self.unit * bound)
        if reduced is not None:
            most = self.most / self.unit - bound
            self.possible &= np.maximum(reduced, 0.0) <= most

    def _branch(self):
        """Search for the best order with an integer programme over all cells that are not excluded.

        A cell is a pair of an item and a place. If the linear programme used fewer than half of these cells, an integer
        programme with only the used cells is solved first.
        """
        self.branched = True
        if np.count_nonzero(self.possible) > 2 * np.count_nonzero(self.possible & self.used):
            self._solve_integers(self.used)
            self._raise(*self._root)
            if self.met():
                return
        status, bound = self._solve_integers(self.possible)
        if status == 0:
            self.bound = self.cost
        else:
            self.raise_bound(self.unit * bound)
            raise Unfinished(reason="time limit" if status == 1 else "solver")

    def _solve_integers(self, mask):
        row, place = self._cells(mask)
        x, bound, status = self.programme.integers(self.inner / self.unit, row, place)
        if x is not None:
            self._take(row, place, x)
        return status, bound

    def _take(self, row, place, x):
        """Store a solution if it is an order that satisfies the rules and costs less than the best known order.

        The solution gives the value ``x[k]`` to the assignment of item ``row[k]`` to place ``place[k]``.
        """
        chosen = x > 0.5
        if np.abs(x - chosen).max() > _INTEGRAL or np.count_nonzero(chosen) < len(self.place):
            return
        found = np.empty_like(self.place)
        found[row[chosen]] = place[chosen]
        cost = self._cost_of(self.inner, found)
        if cost < self.cost and self.rules.kept_by(found):
            self.place, self.cost = found, cost
