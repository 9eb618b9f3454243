"""The estimator Kemeny and its report for each query."""

from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral, Real
from typing import Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from ..._arrays._preferences import margins, n_below
from ..._arrays._ragged import is_whole
from ..._arrays._weight_units import count_in_units
from ..._data._frames import known_or_missing
from ..._kernels import draw_places
from ..._support._callbacks import Task, fit_task, without_callbacks
from ..._support._progress import Progress
from ..._support._random import draw_seed
from ..._support._sklearn import N_JOBS, Interval, StrOptions
from ...base import BaseAggregator, Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._budget import Budget
from ._components import condorcet_components, ordered_components, stacked_components
from ._costs import lower_bounds
from ._dispersion import fit_mallows
from ._pins_and_orders import PINS_AND_ORDERS, Orders, Pins, check_constraints, feasible_order, read_constraints
from ._restriction import Restriction
from ._solver import Search, solve_strict
from ._stacks import by_item, n_below_place, preference_and_tie_blocks
from ._unique import only_order
from ._weak import solve_weak

__all__ = ["Kemeny"]

# Number of groups of queries per process. A query with more items than _FEW_ITEMS begins a new group: small queries
# take milliseconds.
_GROUPS, _FEW_ITEMS = 8, 20
# Largest component, in items, that method="auto" proves without a time limit. The proof takes about a second.
_EASY_ITEMS = 60
# Share of the time limit for the search of a strict order, before the search of an order with ties.
_SHARE = 0.25
# Share of the time limit for the search without pins and orders, before the search of an order that satisfies them.
_UNCONSTRAINED_SHARE = 0.5


@dataclass
class _Query:
    """Pairwise preferences and components of one query.

    A component is a group of items that can be ordered separately from the other items. `base` is the part of the cost
    that is the same for all orders.
    """

    prefer: np.ndarray
    tied: np.ndarray
    margin: np.ndarray
    components: list
    base: float


class Kemeny(BaseAggregator):
    r"""Rank items in the order that disagrees with the lists on the fewest pairs, and prove that it is optimal.

    The consensus is the order with the least total distance to all lists, where the distance counts pairs in opposite
    orders. Finding this order is NP-hard, but on most real data the order is found and proven to be optimal. If there
    is no proof, the result reports the gap between the score and the proven bound.

    Parameters
    ----------
    method : {"auto", "exact", "iterated-local-search", "local-search"}, default="auto"
        "exact" searches until the order is proven to be optimal, or until `time_limit` has passed. "auto" does the same
        if there is a time limit. Without a time limit, "auto" proves the optimal order of components with up to 60
        items; in larger components it only searches for a good order. A component is a group of items connected by
        cycles of majorities, see :func:`condorcet_components`. The other two methods do not prove optimality.
    consensus_ties : {"strict", "weak"}, default="strict"
        Whether the consensus orders all items ("strict") or may tie items ("weak"). If tying two items costs the same
        as ordering them, the tie is preferred.
    penalty : float, default=0.5
        Cost, from 0 to 1, of a pair that is tied in a list or in the consensus but not in both. Below 0.5 the score is
        not a distance, and at 0 the weak consensus ties all items. The penalty never changes the best strict order,
        only its score.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" for paired comparisons.
    time_limit : float, default=None
        Time limit for each query in seconds; None means no limit. For any number of items, the time used exceeds the
        limit by at most a tenth of the limit or 0.2 seconds, whichever is more. The limit does not cover two steps:
        counting the pairs of all items, and starting the `n_jobs` processes, which happens once for several queries.
    n_restarts : int, default=200
        Number of rounds of the iterated local search in each component whose optimal order is not proven.
    random_state : int, RandomState instance or None, default=0
        Source of randomness of the search. Each query starts from the same random state; an int gives the same
        consensus on every call.
    n_jobs : int, default=None
        Number of processes that work on queries in parallel; None means 1, and -1 means all processors.
    verbose : bool or "auto", default="auto"
        Whether to show the score and the bound while a query takes long. "auto" shows them in a terminal and in a
        notebook. Nothing is shown with more than one process.
    pins : mapping of item to int, default=None
        Places that items must have, counted from 1, such as ``{"a": 1}``. With ``consensus_ties="weak"``, the place of
        an item is 1 plus the number of items above it, so several items can have the same place. If a query lacks the
        item, the pin does not apply to this query.
    orders : list of tuple (item, item), default=None
        Pairs of items, such as ``[("a", "b")]``: the first item must be above the second item, and must not tie with
        it. If a query lacks one of the two items, the pair does not apply to this query. An error is raised if pins and
        orders contradict each other, or if they name an item that is in no query.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        A row for each query given to ``fit``:

        - `query`;
        - `kemeny_score`, the proven `lower_bound` and their difference `gap`;
        - `optimal`, whether the consensus is proven to be optimal;
        - `unique`: True if the consensus is proven to be the only optimal order, False if another order is known to
          have the same score, and NA otherwise;
        - `stop_reason`: "optimal", "time limit", "large component" (only for ``method="auto"``), "search" (only for the
          methods without a proof) or "solver" (the solver gave up);
        - `unconstrained_score`, only with `pins` or `orders`: the score of the consensus without them;
        - `left_out`, only with `pins` or `orders`: the number of pins and pairs that do not apply, because the query
          lacks an item;
        - `dispersion` of Mallows' model, see Notes, and its `log_likelihood`. The dispersion is 0 if all lists are the
          same as the consensus. It is 1 if the lists are no closer to the consensus than random lists. Both columns are
          NaN for a single item and with ``consensus_ties="weak"``. They are also NaN if some list of the query does not
          contain all items, or has ties.

        :meth:`aggregate` returns this table for any lists.

    See Also
    --------
    kemeny_score : Computes the cost of an order.
    condorcet_components : Splits the items of a query into groups that can be solved separately.
    LocalKemenization : Repairs another method's consensus with the least change.
    skrankagg.datasets.make_mallows : Draws lists from Mallows' model with a given dispersion.
    Schulze : Resolves majority cycles in another way, in polynomial time.

    Notes
    -----
    Let :math:`W_{ij}` be the total weight of the lists that rank item :math:`i` above item :math:`j`. Let
    :math:`T_{ij}` be the total weight of the lists that tie the two items. A consensus costs [1]_ [2]_

    .. math::

       \sum_{i \text{ above } j} (W_{ji} + p T_{ij}) + \sum_{i \text{ tied with } j} p (W_{ij} + W_{ji}),

    where :math:`p` is `penalty`. With :math:`p = 1/2` and ``absent="ignore"`` the cheapest weak order also has the
    highest mean :math:`\tau_x` of Emond and Mason [3]_. The function :func:`mean_tau_x` computes this mean.

    **Strict orders** are solved separately in each component of the majority relation. A local search by insertions
    starts from Borda's order. Linear programmes over the pairs of items bound the cost of any order. The rows of these
    programmes forbid cycles of three items; half cuts are added [4]_. A pair is fixed if no cheaper order can have the
    other direction. Branching on pairs completes the proof [5]_. The programmes are solved by HiGHS, through SciPy.
    Bounds are recomputed from the multipliers of the solver, so they do not depend on the solver's tolerances. But if
    the solver reports that a programme is infeasible, this report is not checked. Weak orders are found and proven in
    the same way, with mixed-integer programmes.

    `score` is the number of items below the item. Tied items have equal scores. Two neighbours also get equal scores if
    no majority prefers one to the other. If there are several best orders, only one of them is returned, and `unique`
    is False or NA. Among several best strict orders, the result depends on the search.

    **Weak orders.** Among several best weak orders, an order with many ties is chosen in two steps. First, among the
    best orders of each component, an order with the most ties is chosen. In a component that was proven by programmes,
    the search for this order stops after about as many programmes as the proof needed. The chosen order may then have
    fewer ties. Among orders with the same number of ties, the result depends on the search.

    Second, the groups of tied items are placed on levels; groups of different components share a level if tying their
    items costs no more than ordering them. There are as few levels as possible, given the pairs that must not tie. Each
    group gets the level half way between the highest and the lowest level that is possible for the group. If there are
    two middle levels, the group gets the upper one. So merging any two neighbouring levels would increase the score. If
    each component has only one best order, the result does not depend on the names of the items. There is an exception:
    with a `penalty` above 0.5, tying a pair without a majority may cost more than ordering it. The names may then
    decide the order of this pair.

    **Small components.** Components of up to 15 items are proven by dynamic programming over the sets of items that may
    come first. This requires that all margins are integers or multiples of one number. Dynamic programming also counts
    the best orders, and `unique` is derived from their number. In larger components `unique` requires a second proof,
    from which the best order is excluded. The second proof must end within the time limit, and it may use only about as
    many programmes as the first proof.

    **Dispersion.** Under Mallows' model [6]_ a list at the distance :math:`d` from the centre has a probability
    proportional to :math:`\phi^d`. A best strict order is the most likely centre of full lists without ties, for any
    :math:`\phi`. Given this centre, the `dispersion` is the most likely :math:`\phi`. For this :math:`\phi`, the
    expected distance

    .. math:: \sum_{j=1}^{n} \left( \frac{\phi}{1 - \phi} - \frac{j \phi^j}{1 - \phi^j} \right)

    equals the weighted mean distance of the lists; if this mean is :math:`n (n - 1) / 4` or more, the dispersion is 1.
    If there are only a few lists, they are closer to their own consensus than to the true centre, and the dispersion is
    too small. If the consensus is not proven, the two columns describe the order that was found.

    **Pins and orders.** The consensus has the lowest score among all rankings that satisfy `pins` and `orders`, and
    `lower_bound`, `optimal` and `unique` refer to these rankings only. A pair in `orders` has a fixed direction in the
    search and in the programmes. The components are then computed from the majorities and these pairs together. Each
    pin adds an equation to the programmes: the number of items above the pinned item is known. The items of a query
    with a pin form a single component, so "auto" proves such a query if it has up to 60 items. Neighbours without a
    majority do not tie if they are pinned or ordered. The query is also solved without pins and orders, within at most
    half of the time limit. If that result is not proven to be optimal, `unconstrained_score` is the lowest score
    that was found.

    **Time.** Programmes that may take longer than a fraction of a second are solved in a separate process. This process
    is ended at the time limit and by Ctrl-C, because the solver itself does not stop reliably. A step that cannot be
    stopped is not started if it is expected to end after the limit. The searches use at most two fifths of the
    remaining time.

    Counting the pairs takes :math:`O(m n^2)`, and the local search takes about :math:`n^3`. The proof takes
    milliseconds for most data of up to a hundred items. In the worst case its time is exponential. The memory is
    :math:`O(n^2)` for the matrices and about the same for the rows of the programmes.

    References
    ----------
    .. [1] J. G. Kemeny, "Mathematics without numbers", Daedalus 88(4), 1959.
    .. [2] R. Fagin, R. Kumar, M. Mahdian, D. Sivakumar and E. Vee, "Comparing partial rankings", SIAM Journal on
       Discrete Mathematics 20(3), 2006.
    .. [3] E. J. Emond and D. W. Mason, "A new rank correlation coefficient with application to the consensus ranking
       problem", Journal of Multi-Criteria Decision Analysis 11, 2002.
    .. [4] A. Caprara and M. Fischetti, "{0, 1/2}-Chvátal-Gomory cuts", Mathematical Programming 74, 1996.
    .. [5] M. Grötschel, M. Jünger and G. Reinelt, "A cutting plane algorithm for the linear ordering problem",
       Operations Research 32(6), 1984.
    .. [6] C. L. Mallows, "Non-null ranking models", Biometrika 44, 1957.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Kemeny
    >>> consensus, info = Kemeny().aggregate(lists)
    >>> consensus
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    >>> info.iloc[0].to_dict()
    {'query': 'q', 'kemeny_score': 4.0, 'lower_bound': 4.0, 'gap': 0.0, 'optimal': True, 'unique': True,
     'stop_reason': 'optimal', 'dispersion': nan, 'log_likelihood': nan}
    """

    _guide = {
        "absent": ('`absent="last"`: tied below every item of the list; `"ignore"`: no opinion'),
        "ties": "cost `penalty` each if the consensus orders them",
        "cost": "$m n^2 + n^3$, and the proof: exponential at worst",
    }
    _cost_terms = ("m n^2", "n^2", "n^3")
    _tag_notes = {
        "unanimity": 'with `method="exact"` and no time limit',
        "condorcet_winner": 'not with `consensus_ties="weak"`',
    }
    _parameter_constraints: dict = {
        "method": [StrOptions({"auto", "exact", "iterated-local-search", "local-search"})],
        "consensus_ties": [StrOptions({"strict", "weak"})],
        "penalty": [Interval(Real, 0, 1, closed="both")],
        "absent": [StrOptions({"last", "ignore"})],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "n_restarts": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": N_JOBS,
        "verbose": ["boolean", StrOptions({"auto"})],
        **PINS_AND_ORDERS,
        **VOTER_WEIGHTS,
    }
    _tags = {"neutral": False}
    _variants = ({}, {"consensus_ties": "weak"})
    _cost_variants = ({"method": "local-search"}, {"method": "iterated-local-search"}, {"method": "exact"})
    _quick_rows = 200

    def __init__(
        self,
        *,
        method: Literal["auto", "exact", "iterated-local-search", "local-search"] = "auto",
        consensus_ties: Literal["strict", "weak"] = "strict",
        penalty: float = 0.5,
        absent: Literal["last", "ignore"] = "last",
        time_limit: float | None = None,
        n_restarts: int = 200,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        verbose: bool | Literal["auto"] = "auto",
        pins: Pins | None = None,
        orders: Orders | None = None,
        voter_weights: VoterWeights | None = None,
    ):
        self.method = method
        self.consensus_ties = consensus_ties
        self.penalty = penalty
        self.absent = absent
        self.time_limit = time_limit
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.pins = pins
        self.orders = orders
        self.voter_weights = voter_weights

    @property
    def _is_constrained(self):
        return self.pins is not None or self.orders is not None

    @property
    def _query_columns(self):
        constrained = ("unconstrained_score", "left_out") if self._is_constrained else ()
        return (
            "kemeny_score",
            "lower_bound",
            "gap",
            "optimal",
            "unique",
            "stop_reason",
            *constrained,
            "dispersion",
            "log_likelihood",
        )

    @property
    def _pair_bytes(self):
        if self.consensus_ties == "weak":
            return 170.0 if self._is_constrained else 142.0
        return 105.0 if self._is_constrained else 60.0

    def _memory(self, lists):
        # Each process has the matrices of its own query.
        return super()._memory(lists) * min(effective_n_jobs(self.n_jobs), lists.n_queries)

    def _limited_seconds(self, seconds, n_queries):
        limit = np.inf if self.time_limit is None else self.time_limit
        return np.minimum(seconds, limit) / min(effective_n_jobs(self.n_jobs), n_queries)

    @property
    def _cost_advice(self):
        return f"set time_limit, or {super()._cost_advice}"

    def _aggregate(self, lists):
        constraints = self._constraints(lists)
        seed = draw_seed(self.random_state)
        verbose = self.verbose if self.n_jobs in (None, 1) else False
        progress = Progress(type(self).__name__, verbose)
        task = fit_task(self, lists.n_queries)
        try:
            # A single query is solved in this process, because another process would take a second to start.
            if lists.n_queries == 1 or effective_n_jobs(self.n_jobs) == 1:
                solved = self._solve(lists, constraints, seed, progress, task)
            else:
                solve = delayed(without_callbacks(self)._solve)
                groups = Parallel(n_jobs=self.n_jobs, return_as="generator")(
                    solve(lists.take(group), [constraints[q] for q in group], seed, progress, Task())
                    for group in self._groups(lists)
                )
                solved = []
                for one in chain.from_iterable(groups):
                    with task.part(f"query {lists.queries[len(solved)]!r}"):
                        solved.append(one)
        finally:
            progress.close()
        score, cost, bound, unconstrained, reason, unique = zip(*solved, strict=True)
        cost, bound = np.array(cost), np.array(bound)
        unknown = np.full(lists.n_queries, np.nan)
        dispersion, likelihood = fit_mallows(lists, cost) if self.consensus_ties == "strict" else (unknown, unknown)
        reason = np.array(reason, dtype=object)
        return Consensus(
            np.concatenate(score),
            queries={
                "kemeny_score": cost,
                "lower_bound": bound,
                "gap": cost - bound,
                "optimal": reason == "optimal",
                "unique": known_or_missing(unique),
                "stop_reason": reason,
                "unconstrained_score": np.array(unconstrained),
                "left_out": np.array([own.n_left_out for own in constraints if own is not None], dtype=np.int64),
                "dispersion": dispersion,
                "log_likelihood": likelihood,
            },
        )

    def _constraints(self, lists):
        """Read the pins and orders of each query; raise InputError if they contradict each other.

        Without these parameters, the result is None for each query.
        """
        if not self._is_constrained:
            return [None] * lists.n_queries
        constraints, ties = read_constraints(lists, self.pins, self.orders), self.consensus_ties == "weak"
        check_constraints(lists, constraints, lambda own: feasible_order(own, ties=ties) is not None)
        return constraints

    def _groups(self, lists):
        """Yield groups of consecutive queries that one process solves together; each large query starts a new group."""
        few = -(-lists.n_queries // (_GROUPS * effective_n_jobs(self.n_jobs)))
        group = []
        for q, n in enumerate(lists.query_n_items):
            if group and (len(group) >= few or n > _FEW_ITEMS):
                yield group
                group = []
            group.append(q)
        yield group

    def _solve(self, lists, constraints, seed, progress, task):
        """Solve the queries, and return six results for each query.

        The results are the scores of the items, the cost of the order, the lower bound on the cost, the cost without
        pins and orders, the stop reason, and `unique`. `unique` is True if the order is the only best one, False if
        there is another, and None if this is unknown.
        """
        lists, unit = count_in_units(lists)
        rng = np.random.default_rng(seed)
        start = rng.bit_generator.state
        n_restarts = 0 if self.method == "local-search" else self.n_restarts
        solved = [()] * lists.n_queries
        for queries, prefer, tied in preference_and_tie_blocks(lists, self.absent):
            margin = margins(prefer)
            stacked = stacked_components(margin) if len(queries) > 1 and is_whole(margin) else None
            base = lower_bounds(prefer, tied, self.penalty, self.consensus_ties)
            orders = np.empty(margin.shape[:2], dtype=np.int64)
            for k, q in enumerate(queries):
                rng.bit_generator.state = start

                def report(cost, bound, q=q, unit=unit[q]):
                    progress.show(f"{lists.queries[q]!r}: at most {unit * cost:g}, at least {unit * bound:g}")

                with task.part(f"query {lists.queries[q]!r}"), Budget(self.time_limit) as budget:
                    solve = self._solve_weak if self.consensus_ties == "weak" else self._solve_strict
                    components = condorcet_components(prefer[k]) if stacked is None else stacked[k]
                    query = _Query(prefer[k], tied[k], margin[k], components, base[k])
                    search = Search(rng, budget, self._proves, n_restarts, self._unproven, report)
                    if constraints[q]:
                        found = self._solve_constrained(query, constraints[q], search, solve, start)
                    else:
                        found = solve(query, search)
                        found = *found[:3], found[1], *found[3:]
                    orders[k], *numbers, reason, unique = found
                solved[q] = (unit[q] * number for number in numbers), reason, unique
            if self.consensus_ties == "weak":
                below = map(n_below, orders)  # the buckets of the items
            else:
                below = by_item(
                    orders, n_below_place(draw_places(self._separated(margin, queries, constraints), orders))
                )
            for q, own in zip(queries, below, strict=True):
                numbers, reason, unique = solved[q]
                solved[q] = own, *numbers, reason, unique
        return solved

    def _solve_constrained(self, query, own, search, solve, start):
        """Solve a query first without and then with its pins and orders.

        Returns six results: the order, its score, the lower bound, the score without pins and orders, the stop reason,
        and `unique`. `unique` is True if the order is the only best one, False if there is another, and None if this is
        unknown. All results except the fourth are computed with the pins and orders.
        """
        part = replace(search, budget=search.budget.share(_UNCONSTRAINED_SHARE))
        free = order, score, bound, reason, unique = solve(query, part)
        restriction = Restriction(own, ties=self.consensus_ties == "weak")
        meets = restriction.allows_buckets if restriction.ties else restriction.allows
        if not (reason == "optimal" and unique and meets(order)):
            search.rng.bit_generator.state = start
            free = solve(replace(query, components=self._joined(query, restriction)), search, restriction)
        if free[3] != "optimal":
            free = *free[:2], min(max(free[2], bound), free[1]), *free[3:]
        # Without a proof, the first search may have missed a cheaper order that the second search found.
        return *free[:3], min(score, free[1]), *free[3:]

    @staticmethod
    def _joined(query, restriction):
        """Compute the components of a query from its majorities and required orders.

        If some item is pinned, all items form one component.
        """
        if restriction.has_pins:
            return [np.arange(restriction.n)]
        return ordered_components((query.margin < 0) | restriction.above, query.margin.sum(axis=1))

    @staticmethod
    def _separated(margin, queries, constraints):
        """Return the margins, after setting some of them to 1 so that constrained items do not tie with neighbours.

        Set to 1 are the margins of all pairs with a pinned item, and of all pairs whose order is required.
        """
        if not any(constraints[q] for q in queries):
            return margin
        margin = margin.copy()
        for own, q in zip(margin, queries, strict=True):
            if constraints[q]:
                own[Restriction(constraints[q]).settled()] = 1.0
        return margin

    def _solve_strict(self, query, search, restriction=None):
        order, cost, bound, reason, parts = solve_strict(query.margin, query.components, search, restriction)
        score = query.base + cost
        bound = score if reason == "optimal" else query.base + bound
        return order, score, bound, reason, only_order(query.margin, parts, search.budget, restriction)

    def _solve_weak(self, query, search, restriction=None):
        part = replace(search, budget=search.budget.share(_SHARE), proves=lambda n: False)
        strict = None if restriction is None else restriction.without_ties()
        order = solve_strict(query.margin, query.components, part, strict)[0]
        proves = search.proves(len(order))
        rank, score, bound, reason, unique = solve_weak(
            query.prefer,
            query.tied,
            self.penalty,
            np.argsort(order),
            search.budget,
            proves=proves,
            report=search.report,
            restriction=restriction,
        )
        return rank, score, max(bound, query.base), reason or search.unproven, unique

    @property
    def _unproven(self):
        return "large component" if self.method == "auto" else "search"

    def _proves(self, n):
        if self.method == "auto":
            return self.time_limit is not None or n <= _EASY_ITEMS
        return self.method == "exact"

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        own = tags.aggregator_tags
        free = self.consensus_ties == "strict" and not self._is_constrained
        own.condorcet_winner = free
        own.unanimity = free and self.method == "exact" and self.time_limit is None
        return tags
