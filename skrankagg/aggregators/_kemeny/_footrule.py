"""FootruleOptimal: an order with the least total distance to the ranks in the lists, from an assignment problem."""

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Literal

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import candidates_of, query_blocks
from ..._arrays._ragged import positions
from ..._arrays._weight_units import count_in_units
from ..._data._item_groups import AnyItemGroups
from ..._support._sklearn import Interval
from ...base import Consensus
from ...base._consensus import order_candidates
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._approximations import ABSENT, BaseNearKemeny
from ._bounded_assignment import assign, solve_bounded
from ._pins_and_orders import PINS_AND_ORDERS, Orders, Pins
from ._place_rules import BoundsOfGroups, Prefixes, read_rules
from ._stacks import by_item, interchangeable, n_below_place, preference_and_tie_blocks, rank_stack, scores

__all__ = ["FootruleOptimal"]

# Largest number of cells in the cost matrices of the queries that are processed together.
_CELLS = 1 << 14
# With bounds, pins or orders, a query takes about _TIMES_AS_LONG times as long. It needs _MORE_PAIR_BYTES more bytes
# for each pair of items.
_TIMES_AS_LONG, _MORE_PAIR_BYTES = 60.0, 110.0


def _footrule_costs(lists, queries):
    """For each item and each place, return the total distance between the item's ranks in the lists and the place.

    The result has shape (n_queries, n, n); the rows are items, and the columns are places.
    """
    n = int(lists.query_n_items[queries[0]])
    # Absent items share the remaining places.
    chosen, query, place = rank_stack(lists, queries, lists.rank, (lists.list_length + 1 + n) / 2.0)
    weight = lists.list_weight[chosen]
    if (weight % 1 == 0).all():
        return _whole_costs(query, place, weight, len(queries))
    start, position = np.searchsorted(query, np.arange(len(queries) + 1)), np.arange(1, n + 1)
    cost = np.empty((len(queries), n, n))
    for k in range(len(queries)):
        own = slice(start[k], start[k + 1])
        for p in position:
            cost[k, :, p - 1] = weight[own] @ np.abs(place[own] - p)
        if not (weight[own] % 1 == 0).all():
            # Sums of the same weights in another order differ by rounding. Make them equal, so that this difference
            # does not decide the assignment.
            grid = 2.0 ** np.ceil(np.log2(TOLERANCE * n * cost[k].max(initial=1.0)))
            cost[k] = np.round(cost[k] / grid) * grid
    return cost


def _whole_costs(query, place, weight, n_queries):
    """Compute the result of :func:`_footrule_costs` for integer weights, whose sums are exact in any order."""
    n = place.shape[1]
    cost, first = np.zeros((n_queries, n, n)), np.zeros(n_queries * n)
    cost[:, :, 0] = -np.bincount(query, weight, minlength=n_queries)[:, None]
    bend = cost.reshape(-1)
    # Consider an item in a list. Up to the item's rank, the distance falls by the list's weight from one place to the
    # next. Beyond the rank the distance rises by this weight. So the slope changes by twice the weight at the rank. If
    # the rank is between two places, the slope changes by the weight at each of the two places. A change of the slope
    # at a place is stored at the next place. The last place has no next place, so its change is left out.
    step = max(1, _CELLS // n)
    for start in range(0, len(place), step):
        some = slice(start, start + step)
        row = (query[some, None] * n + np.arange(n)).ravel()
        ranks, share = place[some].ravel(), np.repeat(weight[some], n)
        np.add.at(first, row, share * (ranks - 1.0))
        for nearest in (np.floor(ranks), np.ceil(ranks)):
            inner = nearest < n
            np.add.at(bend, row[inner] * n + nearest[inner].astype(np.int64), share[inner])
    np.cumsum(cost, axis=2, out=cost)
    cost[:, :, 0] = first.reshape(n_queries, n)
    return np.cumsum(cost, axis=2, out=cost)


class FootruleOptimal(BaseNearKemeny):
    r"""Rank items so that their places are as close as possible to their ranks in the lists.

    The order minimises Spearman's footrule instead of Kendall's distance. Finding this order is an assignment problem
    between items and places, and the problem is solved exactly.

    Parameters
    ----------
    item_groups : dict or DataFrame, default=None
        Groups of the items, for `at_least` and `at_most`: a dict of item to group, or a frame with the columns `item`
        and `group`. If the frame also has a column `query`, each query has its own groups. Items without a group have
        no bounds.
    at_least, at_most : mapping of group to int or float, default=None
        Bounds on the number of items of a group among the first k places. An int is a number of places. A float is a
        share of the k places; its product with k is rounded down for `at_least` and up for `at_most`. So 1 is one place
        and 1.0 is every place. If a group has fewer items in a query than `at_least` requires, all items that it has
        there are required.
    bounded : int or sequence of int, default=None
        Numbers k for which the bounds hold: with an int, every k up to this number; with a sequence, only its numbers.
        None means every k.
    pins : mapping of item to int, default=None
        Places of items, counted from 1.
    orders : collection of (item, item), default=None
        Pairs of items (above, below): the first item must be above the second item.
    time_limit : float, default=None
        Time limit for each query in seconds; None means no limit. It applies to the search and the proof under
        constraints (bounds, pins or orders). It does not apply to two earlier steps: finding the best order without
        constraints, and finding a first order that satisfies them.
    absent : {"last", "ignore"}, default="last"
        How `kemeny_score` in ``query_info_`` treats absent items. The parameter does not change the order.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query`, `footrule` and `kemeny_score`. `footrule` is the total distance of the order from the lists.
        `kemeny_score` is the Kemeny score of the published order, without ties, with a penalty of 0.5. With constraints
        (bounds, pins or orders) there are more columns:

        - `unconstrained_footrule`: the least total distance without constraints;
        - `lower_bound`: a proven lower bound on the total distance of all orders that satisfy the constraints; `gap` is
          `footrule` minus this bound;
        - `optimal`, whether the order is proven to be the nearest to the lists among the orders that satisfy the
          constraints;
        - `stop_reason`: "optimal", "time limit" or "solver" (the solver gave up);
        - `capped`: the number of groups for which `at_least` requires more items than the query has;
        - `left_out`: the number of pins and orders with an item that the query lacks.

    See Also
    --------
    Kemeny : Minimises the number of pairs in opposite orders; it accepts pins and orders.
    skrankagg.metrics.min_skew : Measures how much a group is underrepresented among the first places.

    Notes
    -----
    The order :math:`a` minimises :math:`\sum_v w_v \sum_i |r_v(i) - a(i)|` over all permutations, where :math:`r_v(i)`
    is the mid-rank of item :math:`i` in list :math:`v`. The :math:`n - L_v` items missing from a list share the mean of
    the remaining places, :math:`(L_v + 1 + n) / 2`. If all lists are full, the Kemeny score of the order is at most
    twice the optimum [1]_.

    `score` is the number of items below the item. Two neighbours tie if both have the same cost at every place, belong
    to the same bounded group, and have no pins or orders. If there are several best orders, one of them is returned.
    The time is :math:`O(m n^2 + n^3)`.

    **Bounds.** Let :math:`x_{ip}` be 1 if item :math:`i` has place :math:`p`, and 0 otherwise. A bound limits
    :math:`\sum_{i \in g} \sum_{p \le k} x_{ip}` for a group :math:`g` and a number :math:`k` of first places. The
    consensus always contains all items, so if k exceeds the number of items, all items are among the first k places. If
    no ranking of a query satisfies the bounds, pins and orders, the method raises an error. The message contains a set
    of rules that contradict each other. If bounds alone contradict each other, the set is as small as possible. If pins
    or orders are involved, another set may be smaller. But the contradiction needs each rule of the set: if any one
    rule is left out, some ranking satisfies the others.

    Each pair in `orders` adds one row for each number :math:`k` to the programme [2]_. The lower item may be among the
    first :math:`k + 1` places only if the upper item is among the first :math:`k`.

    **Proof.** A linear programme bounds the cost of all orders. It starts with cells :math:`(i, p)` near two orders:
    the best order without constraints, and an order that satisfies the constraints. It then adds cells with negative
    reduced costs until no such cell is left. Its solution is nearly always an order, and this order is then optimal.
    Otherwise an integer programme branches over the cells that reduced costs cannot exclude. The programmes are solved
    by HiGHS, through SciPy. The bound is recomputed from the multipliers of the solver, so it does not depend on the
    solver's tolerances. But the bound of an integer programme depends on them. With orders the problem is NP-hard. With
    bounds for groups, a fit usually takes 50 to 250 times as long as without bounds.

    References
    ----------
    .. [1] C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the web", WWW 2001.
    .. [2] A. A. B. Pritsker, L. J. Watters and P. M. Wolfe, "Multiproject scheduling with limited resources: a zero-one
       programming approach", Management Science 16(1), 1969.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import FootruleOptimal
    >>> FootruleOptimal().aggregate(lists)[1]
      query  footrule  kemeny_score
    0     q       8.0           4.0

    At least half of the first k places must go to the items of the group "new", for every k:

    >>> groups = {"a": "old", "b": "old", "c": "new", "d": "new"}
    >>> bounded = FootruleOptimal(item_groups=groups, at_least={"new": 0.5})
    >>> consensus, info = bounded.aggregate(lists)
    >>> consensus["item"].tolist()
    ['b', 'c', 'a', 'd']
    >>> info[["footrule", "unconstrained_footrule", "optimal"]]
       footrule  unconstrained_footrule  optimal
    0       9.0                     8.0     True
    """

    _guide = {
        "absent": "the mean of the remaining places, (L + 1 + n) / 2; its `absent` only changes the reported score",
        "ties": "mean rank",
        "cost": "$m n^2 + n^3$",
    }
    _cost_terms = ("m n^2", "n^3")
    _parameter_constraints: dict = {
        "item_groups": "no_validation",  # read_item_groups checks it
        "at_least": [Mapping, None],
        "at_most": [Mapping, None],
        "bounded": [Interval(Integral, 1, None, closed="left"), Sequence, np.ndarray, None],
        **PINS_AND_ORDERS,
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        **ABSENT,
        **VOTER_WEIGHTS,
    }
    # `absent` only changes the reported score; it does not change the order.
    _tags = {"absent_below": True, "compares": "last"}
    _cell_bytes = 26.0

    def __init__(
        self,
        *,
        item_groups: AnyItemGroups | None = None,
        at_least: BoundsOfGroups | None = None,
        at_most: BoundsOfGroups | None = None,
        bounded: Prefixes | None = None,
        pins: Pins | None = None,
        orders: Orders | None = None,
        time_limit: float | None = None,
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.item_groups = item_groups
        self.at_least = at_least
        self.at_most = at_most
        self.bounded = bounded
        self.pins = pins
        self.orders = orders
        self.time_limit = time_limit
        self.absent = absent
        self.voter_weights = voter_weights

    @property
    def _is_constrained(self):
        return not (self.item_groups is None and self.pins is None and self.orders is None)

    @property
    def _query_columns(self):
        more = ("unconstrained_footrule", "lower_bound", "gap", "optimal", "stop_reason", "capped", "left_out")
        return ("footrule", *(more if self._is_constrained else ()), "kemeny_score")

    @property
    def _pair_bytes(self):
        return 37.0 + _MORE_PAIR_BYTES * self._is_constrained

    def _limited_seconds(self, seconds, n_queries):
        if not self._is_constrained:
            return seconds
        return np.minimum(_TIMES_AS_LONG * seconds, np.inf if self.time_limit is None else seconds + self.time_limit)

    def _rules(self, lists):
        """Return the PlaceRules of each query, or None if the parameters set no rules."""
        groups = self.item_groups, self.at_least, self.at_most, self.bounded
        return read_rules(lists, *groups, self.pins, self.orders)

    def _aggregate(self, lists):
        score, kemeny, distance = np.empty(lists.n_candidates), np.empty(lists.n_queries), np.empty(lists.n_queries)
        rules, solved = self._rules(lists), {}
        counted, unit = count_in_units(lists)
        for queries in query_blocks(lists):
            # Compute the costs of a few queries at a time, so that they stay in the cache.
            n = int(lists.query_n_items[queries[0]])
            step = max(1, _CELLS // n**2)
            for first in range(0, len(queries), step):
                some = queries[first : first + step]
                cost = _footrule_costs(counted, some)
                place = np.empty((len(some), n), dtype=np.int64)
                for k, q in enumerate(some):
                    place[k], distance[q] = assign(cost[k])
                    if rules is not None:
                        solved[q] = solve_bounded(cost[k], rules[q], place[k], self.time_limit)
                        place[k] = solved[q].place
                order = np.argsort(place, axis=1)
                level = interchangeable(cost, order)
                if rules is not None:
                    level = _divided_levels(level, order, np.array([rules[q].kind for q in some]))
                score[candidates_of(lists, some)] = by_item(order, n_below_place(level))
        # Swapping two interchangeable items does not change the footrule, but it may change the Kemeny score. So the
        # Kemeny score is computed for the published order.
        rank = np.empty(lists.n_candidates)
        rank[order_candidates(lists, score)[0]] = positions(lists.candidate_ptr)
        for queries, prefer, tied in preference_and_tie_blocks(counted, self.absent):
            kemeny[queries] = scores(rank[candidates_of(lists, queries)], prefer, tied)
        info = {"footrule": unit * distance, "kemeny_score": unit * kemeny}
        return Consensus(score, queries=info if rules is None else info | _info_of_rules(rules, solved, unit, distance))


def _divided_levels(level, order, kind):
    """Split groups of tied items so that only items of the same kind tie, and return the new group of each place.

    `kind` contains a number for each item. Items with the same number can change places without breaking a rule (a
    bound, pin or order). `level` and the result contain the number of the group at each place, in ascending order.
    """
    kind = np.take_along_axis(kind, order, axis=1)
    out = np.zeros_like(level)
    np.cumsum((np.diff(level, axis=1) > 0) | (np.diff(kind, axis=1) != 0), axis=1, out=out[:, 1:])
    return out


def _info_of_rules(rules, solved, unit, free):
    """Return the columns of ``query_info_`` for queries with bounds, pins or orders."""
    solved = [solved[q] for q in range(len(rules))]
    cost, bound = (unit * np.array([getattr(one, name) for one in solved]) for name in ("cost", "bound"))
    reason = np.array([one.reason for one in solved], dtype=object)
    return {
        "footrule": cost,
        "unconstrained_footrule": unit * free,
        "lower_bound": bound,
        "gap": cost - bound,
        "optimal": reason == "optimal",
        "stop_reason": reason,
        "capped": np.array([one.n_capped for one in rules], dtype=np.int64),
        "left_out": np.array([one.own.n_left_out for one in rules], dtype=np.int64),
    }
