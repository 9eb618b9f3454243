"""Proof that a strict order is optimal: lower the cost and raise the bound until they meet or time runs out."""

from dataclasses import dataclass

import numpy as np

from ..._arrays import TOLERANCE
from ..._kernels import COMPILED, cheapest_orders
from ._branching import branch
from ._budget import Unfinished
from ._costs import Bracket, granularity
from ._search import descend, iterate, n_drawn, order_cost
from ._triangles import Infeasible, TrianglePolytope

# Number of rounds of the first search, per item. Number of rounds of the search that starts from a fractional solution,
# per squared number of items.
_SEARCH_ROUNDS, _LONG_SEARCH_ROUNDS = 10, 0.25
# Largest number of items for which dynamic programming over sets of items is used, and its expected seconds for each
# set and pair of items. Number of rounds of search after which the cost is compared with the least cost.
_FEW_ITEMS, _SECONDS_PER_SET, _FEW_ROUNDS = 15, 2e-9 if COMPILED else 2e-7, 8
# A further round of half cuts follows only if the last round closed at least this share of the gap.
_WORTH = 0.1
# Half cuts follow after _IDLE successive rounds of triangles that each close less than the share _STEP of the gap.
_IDLE, _STEP = 4, 0.01
# Share of the remaining time that a search may use. The bound needs the rest of the time.
_SHARE = 0.4


@dataclass
class Proven:
    """Order of a component with its cost, a lower bound on the cost of all orders, and the reason why the search ended.

    Cost and bound are differences from the cost of ordering every pair by its majority. The reason is "optimal", "time
    limit", or "solver" if the solver gave up. `cycle`, of shape (n_cycles, 3), contains the cycles of three items that
    the last linear programme of the proof forbids. `n_programmes` is the number of linear programmes. `only` is True if
    no other order is as cheap, False if another order is, and None if the proof leaves this open.
    """

    order: np.ndarray
    cost: float
    bound: float
    reason: str
    cycle: np.ndarray | None = None
    n_programmes: int = 0
    only: bool | None = None


def prove(margin, order, rng, budget, *, report=None, restriction=None):
    """Find a cheapest order of a component and prove that no order is cheaper.

    `margin` has shape (n, n), and the search starts from `order`. The search stops when the time limit has passed.
    After each step, `report` is called with the cost and the bound. If a `restriction` is given, only orders that
    satisfy it are considered.
    """
    if restriction is not None:
        order = restriction.near(order)
    part = _prove_few(margin, order, rng, budget, restriction)
    if part is not None:
        return part
    state = State(margin, order, granularity(margin, budget), budget, report, restriction)
    state.search(order, rng, _SEARCH_ROUNDS * len(margin))
    reason = "solver"
    try:
        polytope = TrianglePolytope(margin, budget, restriction)
        if relax(state, polytope, rng):
            branch(state, polytope, rng)
    except Infeasible:
        state.bound = state.cost
    except Unfinished as stopped:
        reason = stopped.reason
    if state.met():
        return Proven(state.order, state.cost, state.cost, "optimal", polytope.cycle, polytope.n_programmes)
    return Proven(state.order, state.cost, state.bound, reason)


def _prove_few(margin, order, rng, budget, restriction=None):
    """Find a cheapest order of a small component; prove it by dynamic programming over the sets of first items.

    No linear programme is solved. Dynamic programming computes the least cost, and the local search then finds an order
    with this cost. Returns None if the search does not find such an order, if the time may not suffice, or if items are
    pinned. Also returns None if the margins are not integers, or if they are so large that different costs could differ
    by less than the tolerance. The generator `rng` is advanced as if the full search had run.
    """
    n = len(margin)
    if n > _FEW_ITEMS or budget.left < _SECONDS_PER_SET * 2.0**n * n**2:
        return None
    if (np.rint(margin) != margin).any() or TOLERANCE * np.abs(margin).sum() >= 0.5:
        return None
    fixed = 0.0
    if restriction is not None:
        if restriction.has_pins:
            return None
        fixed, margin = restriction.least_cost(margin), restriction.guarded(margin)
    first = descend(margin, order, budget)
    known, n_rounds = order_cost(margin, first), _SEARCH_ROUNDS * n
    (least,), (n_ways,) = cheapest_orders(np.array([n]), margin.ravel(), np.array([known]))
    if least < known:
        before = rng.bit_generator.state
        first = iterate(margin, first, n_rounds, rng, budget, target=least, most_rounds=_FEW_ROUNDS)
        rng.bit_generator.state = before
        if order_cost(margin, first) > least:
            return None
    rng.bit_generator.advance(n_drawn(n_rounds))
    least = float(least) + fixed
    return Proven(np.asarray(first), least, least, "optimal", only=bool(n_ways == 1))


class State(Bracket):
    """Best known strict order of a component, and a proven bound on the cost; `margin` has shape (n, n)."""

    def __init__(self, margin, order, step, budget, report=None, restriction=None):
        super().__init__(order_cost(margin, order), float(np.abs(margin).sum()), step, budget, report)
        self.margin, self.order, self.restriction = margin, order, restriction
        if restriction is not None:
            self.bound = min(restriction.least_cost(margin), self.cost)

    def search(self, order, rng, n_rounds):
        """Search for an order cheaper than the best known order, in `n_rounds` rounds that start from `order`."""
        share = self.budget.share(_SHARE)
        if self.restriction is not None:
            if self.restriction.has_pins:  # a round is slower
                n_rounds = -(-n_rounds // _SEARCH_ROUNDS)
            self.take(self.restriction.search(self.margin, order, n_rounds, rng, share, target=self.bound))
            return
        order = descend(self.margin, order, share)
        self.take(iterate(self.margin, order, n_rounds, rng, share, target=self.bound))

    def take(self, order):
        """Store an order if it is cheaper than the best known order and satisfies the restriction."""
        cost = order_cost(self.margin, order)
        if self.restriction is not None and not self.restriction.allows(order):
            return
        if cost < self.cost - TOLERANCE * self.scale:
            self.order, self.cost = order, cost


def relax(state, polytope, rng):
    """Raise the lower bound of `state` by adding rows (constraints) to the linear programme `polytope`.

    The first rows forbid cycles of three items, and later rows are half cuts (see :func:`half_cuts`). Returns True if
    the bound remains below the cost of the best known order. Rounds of half cuts end if a round closes too little of
    the gap between the bound and this cost.
    """
    place = np.argsort(state.order)
    x = np.where(polytope.cost == 0, place[polytope.first] < place[polytope.second], polytope.cost < 0).astype(float)
    if state.restriction is not None:
        x = polytope.with_fixed(x)
        if state.restriction.has_pins:
            x, bound = polytope.relax()
            state.raise_bound(bound)
            polytope.fix(state.most)
    last, before, idle = -np.inf, None, 0
    while not state.met():
        state.budget.check()
        cycle = polytope.violated(x)
        if len(cycle) and idle < _IDLE:
            polytope.add(cycle)
        else:
            idle = 0
            if before is None:
                n_rounds = int(_LONG_SEARCH_ROUNDS * len(state.order) ** 2)
                state.search(polytope.order(x), rng, n_rounds)
                polytope.fix(state.most)
            elif last - before < _WORTH * (state.cost - before):
                return True
            before = last
            if polytope.cut_halves(x) == 0:
                return not state.met()
        x, bound = polytope.relax()
        idle = 0 if bound > last + _STEP * (state.cost - bound) else idle + 1
        if bound > last + 1e-6 * state.scale:
            polytope.purge()
        last = max(last, bound)
        state.raise_bound(bound)
        polytope.fix(state.most)
    return False
