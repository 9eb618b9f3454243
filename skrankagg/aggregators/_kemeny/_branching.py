"""Branch and bound over the pairs of items of a component, with bounds from linear programmes.

A node is a set of fixed pairs that is closed under transitivity. A side of a pair is one of the two possible orders of
its items. In each node, several pairs with fractional values and high costs are tried. The search branches on the pair
that raises the bound most on its two sides. To try a pair, one linear programme is solved for each side. A side that
cannot contain a cheaper order is excluded at once.
"""

from dataclasses import dataclass

import numpy as np

from ._budget import Unfinished
from ._triangles import VIOLATION, Infeasible

# Number of pairs that are tried before a branching, number of rounds that add rows in a node, and number of rounds of
# the search that starts from the order of a node.
_TRIED, _ROUNDS, _SEARCH_ROUNDS = 8, 12, 200


@dataclass
class _Node:
    bound: float
    x: np.ndarray
    before: np.ndarray
    cycle: np.ndarray


def branch(state, polytope, rng):
    """Search all orders that are cheaper than the best known order; store the best order and the bound in `state`.

    The bound is a lower bound on the cost of all orders. The pairs of items whose order is fixed in `polytope` stay
    fixed during the search. The function always ends with an exception. The exception Infeasible means that all orders
    have been searched, so the best known order is optimal. The exception Unfinished means that time has run out.
    """
    root = _bounded(state, polytope, polytope.before, polytope.cycle)
    stack = [root] if root else []
    while stack:
        state.raise_bound(min(node.bound for node in stack))
        node = stack.pop()  # the last one found: depth first
        if node.bound > state.most:
            continue
        try:
            stack.extend(_children(state, polytope, node, rng))
        except Unfinished:
            # An order in the unsearched part of this node may cost as little as the bound of the node.
            state.raise_bound(min([node.bound, *(other.bound for other in stack)]))
            raise
    raise Infeasible


def _children(state, polytope, node, rng):
    """Divide a node of the search tree, and return its child nodes; the most promising child comes last.

    A node represents the orders in which some pairs of items have a fixed order. The most promising child comes from
    the trial with the smallest lower bound (see :func:`_sides`). The result is empty if the node contains no further
    order that is cheaper than the best known order.
    """
    rows = node.cycle
    if np.abs(node.x - np.round(node.x)).max() < VIOLATION:
        polytope.before, polytope.cycle = node.before, node.cycle
        cycle = polytope.violated(node.x)
        if len(cycle) == 0 and polytope.agrees(node.x):  # an order, and the cheapest of the node
            state.take(polytope.order(node.x))
            state.search(state.order, rng, _SEARCH_ROUNDS)
            return []
        sides, rows = [(node.bound, node.before)], np.concatenate([node.cycle, cycle])
    else:
        sides = _sides(state, polytope, node)
    children = [_bounded(state, polytope, before, rows) for _, before in sorted(sides, key=lambda side: -side[0])]
    return [child for child in children if child]


def _bounded(state, polytope, before, cycle):
    """Create a node of the search tree from fixed pairs, and compute a lower bound on the cost of its orders.

    The node represents all orders that agree with the fixed pairs, which are pairs of items in a fixed order. `before`,
    of shape (n, n), is True where the row's item must precede the column's item. The bound comes from a linear
    programme. Rows that forbid cycles of three items are added to it in several rounds, if the solution violates them.
    `cycle` contains the rows of the first round. Returns None if the node contains no order that is cheaper than the
    best known order.
    """
    polytope.before, polytope.cycle = before.copy(), cycle
    last = -np.inf
    try:
        polytope.close()
        for k in range(_ROUNDS):
            x, bound = polytope.relax()
            polytope.fix(state.most)
            cycle = polytope.violated(x)
            # If the solution contradicts a newly fixed pair, it does not show that all rows are satisfied.
            if (len(cycle) == 0 and polytope.agrees(x)) or (k > 2 and bound - last < 0.02 * (state.most - bound)):
                break
            last = bound
            polytope.add(cycle)
    except Infeasible:
        return None
    return _Node(bound, x, polytope.before.copy(), polytope.cycle)


def _sides(state, polytope, node):
    """Choose a pair of items to branch on, and return a tuple for each order of the two items.

    A tuple contains a lower bound on the cost, and a matrix of the pairs that are then fixed, as `before` in
    :func:`_bounded`. A trial fixes one order of a pair and solves the linear programme. If the trials exclude only one
    order of a pair, the other order is fixed, and the result is a single tuple. If they exclude both orders of a pair,
    the result is empty.
    """
    before, best = node.before, None
    dear = np.minimum(node.x, 1 - node.x) * (np.abs(polytope.cost) + 0.5 * state.step)
    for pair in np.argsort(-dear, kind="stable")[:_TRIED]:
        i, j = polytope.first[pair], polytope.second[pair]
        if before[i, j] or before[j, i]:
            continue
        tried = [_try(state, polytope, before, node.cycle, arc) for arc in ((i, j), (j, i))]
        possible = [side for side in tried if side]
        if not possible:
            return []
        if len(possible) == 1:
            before = possible[0][1]
            continue
        low, high = sorted(bound for bound, _ in possible)
        if best is None or low + 0.2 * high > best[0]:
            best = low + 0.2 * high, possible
    if best is None or before is not node.before:
        return [(node.bound, before)]
    return best[1]


def _try(state, polytope, before, cycle, arc):
    polytope.before, polytope.cycle = before.copy(), cycle
    polytope.before[arc] = True
    try:
        polytope.close()
        _, bound = polytope.relax()
        polytope.fix(state.most)
    except Infeasible:
        return None
    return bound, polytope.before
