"""Strict orders of all items, found component by component and, on request, proven to be optimal."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..._arrays import TOLERANCE
from ..._arrays._preferences import margins
from ..._support._memory import check_matrix
from ._budget import Budget
from ._components import condorcet_components
from ._proof import Proven, prove
from ._search import borda_order, descend, iterate, order_cost

__all__ = ["kemeny_order"]


_ALONE = Proven(np.zeros(1, dtype=np.int64), 0.0, 0.0, "optimal")


def kemeny_order(prefer: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Find an order of items that disagrees least with the preferences, and prove that it is optimal.

    Parameters
    ----------
    prefer : ndarray of shape (n_items, n_items), dtype=float64
        Weight of the lists that prefer the row's item to the column's item.

    Returns
    -------
    ndarray of shape (n_items,), dtype=int64
        Items, best first.

    See Also
    --------
    Kemeny : The estimator, with a time limit and a proven bound.
    pairwise_preferences : The preferences of ranked lists.

    Notes
    -----
    The cost of an order is the total weight of the preferences that the order contradicts. In the worst case, the time
    grows exponentially with the size of the largest majority cycle.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import kemeny_order
    >>> kemeny_order(np.array([[0.0, 1.0, 2.0], [2.0, 0.0, 3.0], [1.0, 0.0, 0.0]]))
    array([1, 0, 2])
    """
    prefer = np.asarray(prefer, dtype=np.float64)
    check_matrix("kemeny_order", len(prefer), 50.0)
    with Budget() as budget:
        components = condorcet_components(prefer)
        search = Search(np.random.default_rng(0), budget, proves=lambda n: True)
        return solve_strict(margins(prefer), components, search)[0]


@dataclass
class Search:
    """Settings for the search for a good order of each component, and for the proof that no order is cheaper.

    A component is a set of items that is solved separately from the other items. A proof is tried for a component of n
    items if ``proves(n)`` is True. For other components there is only a search, with `n_restarts` rounds of the
    iterated local search. The stop reason of such a component is "optimal" if its order has the least possible cost,
    and otherwise the value of `unproven`. `report` is called with the current cost and the lower bound.
    """

    rng: np.random.Generator
    budget: Budget
    proves: Callable[[int], bool]
    n_restarts: int = 0
    unproven: str = "search"
    report: Callable[[float, float], None] = lambda cost, bound: None


def solve_strict(margin, components, search, restriction=None):
    """Find a strict order of low cost from margins of shape (n, n), one component after the other.

    If a `restriction` is given, the order satisfies it, and the components must take it into account. The smallest
    component is solved first. Returns five results. The first is the order, int64 of shape (n,). The second and third
    are its cost and the bound; the cost of ordering every pair by its majority is subtracted from both. The fourth is
    "optimal", or the reason why some component is not proven. The last contains a pair for each component, the best
    component first: the items of the component, and the result of its proof (a Proven).
    """
    solved, cost, bound, reasons = {}, 0.0, 0.0, {"optimal"}

    def report_part(high, low):
        search.report(cost + high, bound + low)

    for k in sorted(range(len(components)), key=lambda k: len(components[k])):
        items = components[k]
        if len(items) == 1:
            solved[k] = items, _ALONE
            continue
        inner = margin[np.ix_(items, items)]
        order, own = borda_order(inner), None if restriction is None else restriction.within(items)
        if len(items) < 3:
            # Only a restriction can make a component of two items, and it allows only one order of them.
            order = own.near(order)
            least = order_cost(inner, order)
            part = Proven(order, least, least, "optimal")
        elif search.proves(len(items)):
            part = prove(inner, order, search.rng, search.budget, report=report_part, restriction=own)
        else:
            part = _search(inner, order, search, own)
        solved[k] = items, part
        cost, bound = cost + part.cost, bound + part.bound
        reasons.add(part.reason)
    parts = [solved[k] for k in range(len(components))]
    reason = "optimal" if reasons == {"optimal"} else max(reasons - {"optimal"})
    return np.concatenate([items[part.order] for items, part in parts]), cost, bound, reason, parts


def _search(margin, order, search, restriction):
    """Search for a cheaper order without a proof, and return a Proven.

    The stop reason is "optimal" if the order costs no more than a known lower bound, and otherwise ``search.unproven``.
    """
    if restriction is not None:
        order = restriction.search(margin, order, search.n_restarts, search.rng, search.budget)
        cost, least = order_cost(margin, order), restriction.least_cost(margin)
        optimal = cost <= least + TOLERANCE * np.abs(margin).sum()
        return Proven(order, cost, cost if optimal else least, "optimal" if optimal else search.unproven)
    order = descend(margin, order, search.budget)
    order = iterate(margin, order, search.n_restarts, search.rng, search.budget)
    cost = order_cost(margin, order)
    return Proven(order, cost, 0.0, search.unproven if cost > 0 else "optimal")
