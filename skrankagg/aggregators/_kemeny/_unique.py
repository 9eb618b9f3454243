"""Check whether a cheapest strict order is unique.

In every cheapest order, pairs across components have the order of their majorities, and the items of each component
form a cheapest order of this component. The cheapest order of all items is unique if two conditions are met. First,
each component has only one cheapest order. Second, a majority prefers the last item of each component to the first item
of the next component.

The proof of a small component counts the cheapest orders. In a larger component, if two adjacent blocks of items can
change places at no cost, this gives another cheapest order at once. Otherwise the proof is repeated with a row that
excludes the known order. The second proof finds another cheapest order, or shows that there is none.
"""

from itertools import pairwise

import numpy as np

from ..._arrays import TOLERANCE
from ._branching import branch
from ._budget import Unfinished
from ._costs import granularity
from ._proof import State, relax
from ._search import descend, order_cost
from ._triangles import Infeasible, TrianglePolytope

# Largest number of linear programmes in the search for another order: a constant, plus a number for each programme of
# the first proof.
_PROGRAMMES, _PER_PROGRAMME = 10, 1


def only_order(margin, parts, budget, restriction=None):
    """Return True if there is only one cheapest order, False if there are several, and None if this is not known.

    `parts` contains a pair for each component, best first: the items of the component, and the result of its proof. If
    a `restriction` is given, only orders that satisfy it are considered.
    """
    ends = [(items[part.order[0]], items[part.order[-1]], part.reason == "optimal") for items, part in parts]
    for (_, last, above), (first, _, below) in pairwise(ends):
        free = restriction is None or not restriction.above[last, first]
        if above and below and free and margin[last, first] == 0:
            return False
    cycles = [(items, part) for items, part in parts if len(items) > 2]
    proven = [(items, part) for items, part in cycles if part.reason == "optimal"]
    if any(part.only is False for _, part in proven):
        return False
    unknown = [
        (margin[np.ix_(items, items)], part, None if restriction is None else restriction.within(items))
        for items, part in proven
        if part.only is None
    ]
    try:
        if any(_blocks_can_change_places(inner, part.order, budget, own) for inner, part, own in unknown):
            return False
    except Unfinished:
        return None
    if len(proven) < len(cycles):
        return None
    answers = {True}
    for inner, part, own in sorted(unknown, key=lambda one: len(one[0])):
        answers.add(_only_order(inner, part, budget, own))
        if False in answers:
            return False
    return None if None in answers else True


def _blocks_can_change_places(margin, order, budget, restriction=None):
    """Return True if an order contains two adjacent blocks of items that can change places at no cost."""
    tolerance = TOLERANCE * np.abs(margin).sum()
    sums = _block_sums(margin, order)
    # Number of pairs that must keep their order, if there are such pairs.
    n_settled = None if restriction is None else _block_sums(restriction.settled().astype(np.float64), order)
    for middle in range(1, len(order)):
        budget.check()
        drawn = np.abs(_sums_at(sums, middle)) <= tolerance
        if n_settled is not None:
            drawn &= _sums_at(n_settled, middle) == 0
        if drawn.any():
            return True
    return False


def _block_sums(table, order):
    """Sort the rows and columns of a table by `order`, and compute its cumulative sums.

    Entry [i, k] of the result is the sum over the first i rows and the first k columns.
    """
    return np.pad(table[np.ix_(order, order)], ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)


def _sums_at(sums, middle):
    """For each pair of adjacent blocks of places that meet at `middle`, add up a part of the table.

    Entry [i, j] of the result is the sum over the rows from i to ``middle - 1`` and the columns from ``middle`` to
    ``middle + j``. `sums` is the result of :func:`_block_sums` for the table.
    """
    start, end = slice(0, middle), slice(middle + 1, None)
    return sums[middle, end] - sums[start, end] - sums[middle, middle] + sums[start, middle][:, None]


class _Found(Exception):
    """Exception that ends the search when another order of the same cost is found."""


class _Another(State):
    """Search for another order with the same cost as the known order.

    An order is accepted if its cost is less than the cost of the known order plus one step. A step is the least
    difference between two costs.
    """

    def __init__(self, margin, known, step, budget, restriction=None):
        super().__init__(margin, known, step, budget, restriction=restriction)
        self.least, self.known = self.cost, known
        self.cost += step or 2e-9 * self.scale

    def search(self, order, rng, n_rounds):
        self.take(order)
        if self.restriction is None:
            self.take(descend(self.margin, order, self.budget))
        else:
            self.take(self.restriction.search(self.margin, order, 0, rng, self.budget))

    def take(self, order):
        if self.restriction is not None and not self.restriction.allows(order):
            return
        excess = order_cost(self.margin, order) - self.least
        if (order == self.known).all() or excess > self.most - self.least:
            return
        if excess > TOLERANCE * self.scale:
            # The solver cannot distinguish the costs, but they are not equal.
            raise Unfinished
        raise _Found


def _only_order(margin, part, budget, restriction=None):
    known = part.order
    state = _Another(margin, known, granularity(margin, budget), budget, restriction)
    rng = np.random.default_rng(0)
    try:
        polytope = TrianglePolytope(margin, budget, restriction)
        polytope.exclude(known)
        polytope.cycle = part.cycle
        polytope.most_programmes = _PROGRAMMES + _PER_PROGRAMME * part.n_programmes
        if relax(state, polytope, rng):
            branch(state, polytope, rng)
    except Infeasible:
        return True
    except _Found:
        return False
    except Unfinished:
        return None
    return True if state.met() else None
