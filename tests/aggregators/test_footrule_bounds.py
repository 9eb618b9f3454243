"""FootruleOptimal under bounds for groups, pins and orders, compared with all orders of few items."""

import itertools
import math
import pickle
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import LinearConstraint, milp
from sklearn.base import clone

from skrankagg import FootruleOptimal, RankedLists
from skrankagg.aggregators._kemeny import _bounded_assignment, _budget, _group_bounds, _place_rules
from skrankagg.aggregators._kemeny._budget import Budget
from skrankagg.aggregators._kemeny._footrule import _footrule_costs
from skrankagg.aggregators._kemeny._group_bounds import GroupBounds, feasible_pattern, is_feasible, smallest_conflict
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import estimated_cost
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

ALL_ORDERS = {n: np.array(list(itertools.permutations(range(n)))) for n in range(1, 9)}


def random_rules(rng, items, n_groups):
    """Draw parameters of FootruleOptimal; most draws have orders that do not contradict each other."""
    n = len(items)
    groups = {item: "abc"[rng.integers(n_groups)] for item in items if rng.random() < 0.85} or {items[0]: "a"}
    known, kwargs = sorted(set(groups.values())), {}

    def bound(low, high):
        return float(rng.uniform(low, high)) if rng.random() < 0.6 else int(rng.integers(0, n))

    if rng.random() < 0.8:
        kwargs["item_groups"] = groups
        kwargs["at_least"] = {group: bound(0, 0.6) for group in known if rng.random() < 0.6}
        kwargs["at_most"] = {group: bound(0.4, 1) for group in known if rng.random() < 0.4}
        kwargs["bounded"] = [None, int(rng.integers(1, n + 3)), [int(k) for k in rng.integers(1, n + 3, 2)]][
            rng.integers(3)
        ]
    if rng.random() < 0.5:
        hidden = rng.permutation(items).tolist()
        pairs = [sorted(rng.choice(items, 2, replace=False).tolist(), key=hidden.index) for _ in range(rng.integers(4))]
        kwargs["orders"] = [tuple(pair) for pair in pairs]
    if rng.random() < 0.3:
        kwargs["pins"] = {str(rng.choice(items)): int(rng.integers(1, n + 1))}
    return kwargs


def keeping(orders, items, kwargs):
    """Return a mask of the orders, of shape (n_orders, n), that keep the rules, by counting the items of each group."""
    n = orders.shape[1]
    place, number = np.argsort(orders, axis=1), {item: i for i, item in enumerate(items)}
    kept = np.ones(len(orders), dtype=bool)
    for item, rank in kwargs.get("pins", {}).items():
        kept &= place[:, number[item]] == rank - 1
    for above, below in kwargs.get("orders", ()):
        kept &= place[:, number[above]] < place[:, number[below]]
    if "item_groups" not in kwargs:
        return kept
    bounded = kwargs["bounded"]
    for k in range(1, n + 1) if bounded is None else range(1, bounded + 1) if isinstance(bounded, int) else bounded:
        for group in "abc":
            own = np.array([kwargs["item_groups"].get(item) == group for item in items])
            count = own[orders[:, :k]].sum(axis=1)
            # Random shares of k places are never a whole number.
            if (least := kwargs["at_least"].get(group)) is not None:
                kept &= count >= min(least if isinstance(least, int) else math.floor(least * k), own.sum())
            if (most := kwargs["at_most"].get(group)) is not None:
                kept &= count <= (most if isinstance(most, int) else math.ceil(most * k))
    return kept


def least_under(kwargs, cost, items):
    """Return the least cost of an order that keeps the rules, or None."""
    orders = ALL_ORDERS[len(items)]
    costs = cost[orders, np.arange(len(items))].sum(axis=1)[keeping(orders, items, kwargs)]
    return costs.min() if len(costs) else None


def costs_of(lists):
    """Return the items of the first query, sorted, and the distance of each item from each place."""
    return lists.items[lists.candidate_item].tolist(), _footrule_costs(lists, np.array([0]))[0]


def random_lists(rng, n):
    """Draw a few lists of n items; some are not full."""
    items = [f"d{i}" for i in range(n)]
    lists = [rng.permutation(items).tolist() for _ in range(rng.integers(1, 5))]
    # Lists of two items would be paired comparisons.
    return RankedLists.from_lists([lists[0]] + [one[: rng.integers(3, n + 1)] for one in lists[1:]])


def check_against_all_orders(seed):
    """Check one random instance; return "infeasible", "optimal" or "capped"."""
    rng = np.random.default_rng(seed)
    lists = random_lists(rng, int(rng.integers(3, 7)) if seed % 10 else 8)
    items, cost = costs_of(lists)
    kwargs = random_rules(rng, items, 2 + seed % 2)
    least = least_under(kwargs, cost, items)
    method = FootruleOptimal(**kwargs)
    if least is None:
        with pytest.raises(InputError, match="must allow an order of the items; query"):
            method.aggregate(lists)
        return "infeasible"
    consensus, info = method.aggregate(lists)
    order = np.array([[items.index(item) for item in consensus["item"]]])
    assert keeping(order, items, kwargs)[0]
    found = info.loc[0]
    assert found["footrule"] == pytest.approx(least, rel=1e-9)
    assert cost[order[0], np.arange(len(items))].sum() == pytest.approx(least, rel=1e-9)
    if kwargs:
        assert found["optimal"] and found["gap"] == 0 and found["stop_reason"] == "optimal"
        assert found["lower_bound"] == found["footrule"] >= found["unconstrained_footrule"]
        free = FootruleOptimal().aggregate(lists)[1]
        assert found["unconstrained_footrule"] == free.loc[0, "footrule"]
    return "optimal"


@pytest.mark.sampled(2)
@pytest.mark.interpreted(1)
@pytest.mark.parametrize("block", range(10))
def test_footrule_optimal_under_rules_equals_the_best_of_all_orders(block, monkeypatch):
    if block % 2:
        # Column generation with few cells at the start.
        monkeypatch.setattr(_bounded_assignment, "_FEW_ITEMS", 1)
        monkeypatch.setattr(_bounded_assignment, "_NEAR", 0)
    kinds = [check_against_all_orders(seed) for seed in range(100 * block, 100 * block + 100)]
    assert 5 < kinds.count("infeasible") < 60


def fractional(cost, orders):
    """Return the least cost of fractional assignments of all cells under orders, by a programme written out in full."""
    n = len(cost)
    rows, low, high = [], [], []
    for i in range(n):
        for cells in (np.s_[i, :], np.s_[:, i]):
            rows.append(np.zeros((n, n)))
            rows[-1][cells] = 1
            low.append(1)
            high.append(1)
    for above, below in orders:
        for k in range(1, n + 1):
            rows.append(np.zeros((n, n)))
            rows[-1][below, :k] = 1
            rows[-1][above, : k - 1] -= 1
            low.append(-np.inf)
            high.append(0)
    matrix = np.array([row.ravel() for row in rows])
    return milp(cost.ravel(), constraints=LinearConstraint(matrix, low, high)).fun


def test_footrule_optimal_branches_where_the_relaxation_is_fractional(monkeypatch):
    calls = []
    solve_integers = _bounded_assignment.BoundedAssignment._branch

    def noted(self):
        calls.append(1)
        return solve_integers(self)

    monkeypatch.setattr(_bounded_assignment.BoundedAssignment, "_branch", noted)
    n_fractional = 0
    for seed in itertools.count():
        rng = np.random.default_rng(seed)
        n = int(rng.integers(4, 8))
        lists = random_lists(rng, n)
        if lists.n_lists == 1:
            continue
        # These weights are not multiples of one number, so the bound cannot be rounded up to the next cost.
        lists = lists.with_list_weight(rng.random(lists.n_lists) + 0.1)
        items, cost = costs_of(lists)
        hidden = rng.permutation(n)
        pairs = [sorted(rng.choice(n, 2, replace=False).tolist(), key=hidden.tolist().index) for _ in range(2)]
        least = least_under({"orders": [(items[a], items[b]) for a, b in pairs]}, cost, items)
        relaxed = fractional(cost, pairs)
        assert relaxed <= least + 1e-6
        if relaxed > least - 1e-6:
            continue
        n_fractional += 1
        before = len(calls)
        found = FootruleOptimal(orders=[(items[a], items[b]) for a, b in pairs]).aggregate(lists)[1].loc[0]
        assert len(calls) == before + 1
        assert found["optimal"] and found["footrule"] == pytest.approx(least, rel=1e-9)
        if n_fractional == 25:
            break


def fractional_instance(seed):
    """Return lists of seven items and orders; for the seeds used here, the relaxation has a fractional solution."""
    rng, items = np.random.default_rng(seed), [f"d{i}" for i in range(7)]
    lists = RankedLists.from_lists([rng.permutation(items).tolist() for _ in range(3)])
    hidden = rng.permutation(7).tolist()
    pairs = [sorted(rng.choice(7, 2, replace=False).tolist(), key=hidden.index) for _ in range(4)]
    orders = [(items[above], items[below]) for above, below in pairs]
    return lists, orders, least_under({"orders": orders}, costs_of(lists)[1], items)


def test_footrule_optimal_branches_over_few_cells_first(monkeypatch):
    relax, solve = (getattr(_bounded_assignment.BoundedAssignment, name) for name in ("_relax", "_solve_integers"))
    n_cells = []

    def relax_with_few_cells(self):
        is_proven = relax(self)
        self.used &= np.abs(np.arange(len(self.place)) - self.place[:, None]) <= 1
        return is_proven

    def noted(self, mask):
        n_cells.append(np.count_nonzero(mask))
        return solve(self, mask)

    monkeypatch.setattr(_bounded_assignment.BoundedAssignment, "_relax", relax_with_few_cells)
    monkeypatch.setattr(_bounded_assignment.BoundedAssignment, "_solve_integers", noted)
    twice = 0
    for seed in (2, 38, 47, 59):  # the few cells contain an optimal order of the last one
        lists, orders, least = fractional_instance(seed)
        n_cells.clear()
        found = FootruleOptimal(orders=orders).aggregate(lists)[1].loc[0]
        assert found["optimal"] and found["footrule"] == least
        twice += len(n_cells) == 2 and n_cells[0] < n_cells[1]
    assert twice


@pytest.mark.parametrize(("status", "reason"), [(1, "time limit"), (4, "solver")])
@pytest.mark.parametrize("solver", ["linprog", "milp"])
def test_footrule_optimal_reports_why_the_solver_has_stopped(solver, status, reason, monkeypatch):
    lists, orders, least = fractional_instance(2)
    stopped = SimpleNamespace(status=status, x=None, mip_dual_bound=None)
    monkeypatch.setattr(_budget, solver, lambda *args, **options: stopped)
    found = FootruleOptimal(orders=orders).aggregate(lists)[1].loc[0]
    assert not found["optimal"] and found["stop_reason"] == reason
    assert found["unconstrained_footrule"] <= found["lower_bound"] <= least <= found["footrule"]


def test_feasible_place_raises_if_the_solver_fails(monkeypatch):
    items = [f"d{i}" for i in range(4)]
    groups = dict(zip(items, "abab", strict=True))
    method = FootruleOptimal(item_groups=groups, at_least={"a": 0.5}, bounded=4, orders=[(items[1], items[0])])
    rules = method._rules(RankedLists.from_lists([items, items[::-1]]))[0]
    assert rules.kept_by(_place_rules.feasible_place(rules))
    monkeypatch.setattr(_place_rules, "_order_by_choice", lambda rules, order: None)
    assert rules.kept_by(_place_rules.feasible_place(rules))
    monkeypatch.setattr(
        _budget, "milp", lambda *args, **options: SimpleNamespace(status=4, x=None, mip_dual_bound=None)
    )
    with pytest.raises(RuntimeError, match="status 4"):
        _place_rules.feasible_place(rules)


# ---------------------------------------------------------------------- bounds of groups by counts


def random_bounds(rng):
    n, n_groups = int(rng.integers(2, 8)), int(rng.integers(1, 4))
    group = rng.integers(0, n_groups + 1, n)
    prefix = np.sort(rng.choice(np.arange(1, n + 1), size=rng.integers(1, min(n, 3) + 1), replace=False))
    shape = len(prefix), n_groups
    kind = rng.random(shape)
    low = np.where(kind < 0.4, rng.integers(0, n + 1, shape), 0)
    low = np.minimum(low, np.bincount(group, minlength=n_groups + 1)[:-1])
    return GroupBounds(group, prefix, low, np.where((kind > 0.3) & (kind < 0.7), rng.integers(0, n + 1, shape), n))


def patterns_of(bounds):
    return np.array(sorted(set(itertools.permutations(sorted(bounds.group.tolist())))))


def kept(bounds, pattern):
    counts = [[(pattern[:k] == g).sum() for g in range(bounds.low.shape[1])] for k in bounds.prefix]
    return bool((counts >= bounds.low).all() and (counts <= bounds.high).all())


def check_conflict(bounds, patterns):
    """Check that a conflict is a conflict, and that no smaller set of bounds is one; return its size."""
    conflict = smallest_conflict(bounds)

    def possible(members):
        part = bounds.only(members)
        return any(kept(part, pattern) for pattern in patterns)

    assert not possible(conflict)
    fewer = itertools.combinations(bounds.members, len(conflict) - 1)
    assert all(possible(members) for members in fewer)
    return len(conflict)


def test_counts_decide_bounds_and_find_smallest_conflicts(monkeypatch):
    rng, sizes = np.random.default_rng(0), []
    for k in range(300):
        monkeypatch.setattr(_group_bounds, "_CELLS", 1 if k % 2 else 1 << 20)
        bounds = random_bounds(rng)
        patterns = patterns_of(bounds)
        assert is_feasible(bounds) == any(kept(bounds, pattern) for pattern in patterns)
        if is_feasible(bounds):
            assert kept(bounds, feasible_pattern(bounds, rng.permutation(len(bounds.group))))
        else:
            sizes.append(check_conflict(bounds, patterns))
    assert set(sizes) >= {1, 2} and 50 < len(sizes) < 250


def test_smallest_conflicts_may_need_bounds_of_several_groups():
    # Three groups need 2 of the first 5 places each.
    group, none = np.repeat([0, 1, 2, 3], [2, 2, 2, 1]), np.full((1, 3), 7)
    bounds = GroupBounds(group, np.array([5]), np.full((1, 3), 2), none)
    assert check_conflict(bounds, patterns_of(bounds)) == 3
    # Neither of two groups may have one of the first 2 places, and both need one of the first 3.
    low, high = np.array([[0, 0], [1, 1]]), np.array([[0, 0], [7, 7]])
    bounds = GroupBounds(np.repeat([0, 1, 2], [2, 2, 3]), np.array([2, 3]), low, high)
    assert check_conflict(bounds, patterns_of(bounds)) == 4


@pytest.mark.parametrize("n_items", [30, 120])
def test_feasible_patterns_keep_natural_bounds(n_items):
    rng = np.random.default_rng(n_items)
    group = rng.integers(0, 3, n_items)
    bounds, _ = _group_bounds.query_bounds(group, np.arange(1, n_items + 1), [0.3, 0.3, None], [0.5, None, 0.9])
    assert is_feasible(bounds)
    assert kept(bounds, feasible_pattern(bounds, rng.permutation(n_items)))


@pytest.mark.parametrize("quick", [True, False])
def test_feasible_places_exist_exactly_if_some_order_keeps_the_rules(quick, monkeypatch):
    if not quick:
        monkeypatch.setattr(_place_rules, "_order_by_choice", lambda rules, order: None)
    monkeypatch.setattr(_place_rules, "_check_rules", lambda *args: None)
    rng, found = np.random.default_rng(5), []
    for _ in range(150):
        lists = random_lists(rng, int(rng.integers(3, 7)))
        kwargs = random_rules(rng, costs_of(lists)[0], 2)
        rules = FootruleOptimal(**kwargs)._rules(lists)
        if rules is None:
            continue
        rules, orders = rules[0], ALL_ORDERS[lists.n_candidates]
        near = rng.permutation(lists.n_candidates)
        place = _place_rules.feasible_place(rules, near)
        found.append(place is not None)
        assert found[-1] == any(rules.kept_by(one) for one in orders)
        assert place is None or (rules.kept_by(place) and sorted(place) == sorted(near))
    assert 0.1 < np.mean(found) < 0.95


@pytest.mark.parametrize("up", [False, True])
def test_shares_are_rounded_as_exact_fractions(up):
    for hundredths in range(101):
        k = np.arange(1, 301)
        exact = -(-hundredths * k // 100) if up else hundredths * k // 100
        np.testing.assert_array_equal(_group_bounds.number_of_places(hundredths / 100, k, up=up), exact)
    np.testing.assert_array_equal(_group_bounds.number_of_places(1, np.array([1, 5]), up=up), [1, 1])
    np.testing.assert_array_equal(_group_bounds.number_of_places(1.0, np.array([1, 5]), up=up), [1, 5])
    np.testing.assert_array_equal(_group_bounds.number_of_places(1 / 3, np.array([3, 6]), up=up), [1, 2])


# ---------------------------------------------------------------------- larger queries


def large(n, seed=0, weights=None):
    """Return lists of n items, the groups of the items, and FootruleOptimal with three groups."""
    rng = np.random.default_rng(seed)
    quality, group = rng.normal(size=n), rng.choice(3, size=n, p=[0.3, 0.3, 0.4])
    quality -= group == 0
    lists = RankedLists.from_lists([np.argsort(-(quality + rng.normal(size=n))).tolist() for _ in range(8)])
    if weights is not None:
        lists = lists.with_list_weight(weights(rng, 8))
    groups = {i: "abc"[g] for i, g in enumerate(group)}
    return lists, FootruleOptimal(item_groups=groups, at_least={"a": 0.4, "b": 0.3}, bounded=n // 3)


def full_programme(method, lists):
    """Return the least cost by an integer programme over all cells, with a row for each bound."""
    items, cost = costs_of(lists)
    n = len(items)
    group = np.array([method.item_groups[item] for item in items])
    rows, low = [np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))], []
    for k in range(1, method.bounded + 1):
        for name, share in method.at_least.items():
            rows.append((np.outer(group == name, np.arange(n) < k) * 1.0).reshape(1, -1))
            low.append(min(int(share * k + 1e-9), (group == name).sum()))
    high = np.concatenate([np.ones(2 * n), np.full(len(low), np.inf)])
    limits = LinearConstraint(np.concatenate(rows), np.concatenate([np.ones(2 * n), low]), high)
    return milp(cost.ravel(), integrality=np.ones(n * n), constraints=limits, options={"mip_rel_gap": 0}).fun


@pytest.mark.parametrize("weights", [None, lambda rng, m: rng.random(m) + 0.1], ids=["equal", "random"])
def test_column_generation_equals_the_programme_over_all_cells(weights):
    lists, method = large(45, weights=weights)
    found = method.aggregate(lists)[1].loc[0]
    assert found["optimal"] and found["footrule"] > found["unconstrained_footrule"]
    assert found["footrule"] == pytest.approx(full_programme(method, lists), rel=1e-9)


@pytest.mark.exhaustive
def test_programmes_of_large_queries_are_solved_in_another_process():
    lists, method = large(300)
    found = method.aggregate(lists)[1].loc[0]
    assert found["optimal"] and found["gap"] == 0 and found["footrule"] > found["unconstrained_footrule"]


def test_footrule_optimal_reports_the_gap_when_time_is_over():
    rng = np.random.default_rng(3)
    lists = RankedLists.from_lists([rng.permutation(40).tolist() for _ in range(5)])
    pairs = [tuple(sorted(pair)) for pair in rng.integers(0, 40, (12, 2)).tolist() if pair[0] != pair[1]]
    method = FootruleOptimal(orders=pairs, time_limit=1e-6)
    consensus, info = method.aggregate(lists)
    found, order = info.loc[0], consensus["item"].tolist()
    assert all(order.index(above) < order.index(below) for above, below in pairs)
    assert found["stop_reason"] == "time limit" and not found["optimal"]
    assert found["gap"] == found["footrule"] - found["lower_bound"] > 0
    assert found["lower_bound"] >= found["unconstrained_footrule"]
    proven = method.set_params(time_limit=None).aggregate(lists)[1].loc[0]
    assert proven["optimal"] and found["lower_bound"] <= proven["footrule"] <= found["footrule"]


def test_bounds_of_programmes_hold_for_any_multipliers():
    lists, method = large(20)
    rules = method._rules(lists)[0]
    cost = costs_of(lists)[1]
    least = full_programme(method, lists)
    with Budget() as budget:
        programme = _bounded_assignment.PlaceProgramme(np.ones(20, dtype=np.int64), rules.bounds, rules.pairs, budget)
        rng = np.random.default_rng(0)
        for _ in range(20):
            multipliers = rng.normal(scale=5, size=40 + programme.n_counts)
            solution = programme._priced(cost, None, multipliers, np.empty(0), np.ones((20, 20), dtype=bool))
            assert solution.bound <= least
            assert _bounded_assignment.assign(solution.priced)[1] + solution.constant <= least + 1e-9


# ---------------------------------------------------------------------- queries, ties and parameters


def test_capped_and_left_out_are_counted_for_each_query():
    lists = {"v": {"p": list("abcd"), "q": list("cde")}, "w": {"p": list("badc"), "q": list("dce")}}
    groups = pd.DataFrame({"query": list("ppqq"), "item": list("cdcd"), "group": ["new", "new", "new", "old"]})
    method = FootruleOptimal(
        item_groups=groups, at_least={"new": 2, "old": 0}, bounded=[3], pins={"a": 4}, orders=[("d", "c")]
    )
    consensus, info = method.aggregate(lists)
    assert info["capped"].tolist() == [0, 1] and info["left_out"].tolist() == [0, 1]
    assert consensus[consensus["query"] == "p"]["item"].tolist() == ["b", "d", "c", "a"]
    assert consensus[consensus["query"] == "q"]["item"].tolist() == ["d", "c", "e"]


def test_answers_of_a_query_do_not_depend_on_other_queries():
    frame = example_lists(3, n_queries=4, n_voters=3, n_items=7)
    items = sorted(frame["item"].unique())
    groups = {item: "xyz"[k % 3] for k, item in enumerate(items)}
    method = FootruleOptimal(item_groups=groups, at_least={"x": 0.4}, at_most={"z": 0.7}, bounded=3)
    consensus, info = method.aggregate(frame)
    for query, own in frame.groupby("query"):
        alone, facts = method.aggregate(own)
        pd.testing.assert_frame_equal(alone, consensus[consensus["query"] == query].reset_index(drop=True))
        pd.testing.assert_frame_equal(facts, info[info["query"] == query].reset_index(drop=True))


def test_items_tie_only_if_they_can_change_places_under_the_rules():
    level = RankedLists.from_lists([list("abcd"), list("badc")])
    assert FootruleOptimal().fit_transform(level)["score"].tolist() == [2, 2, 0, 0]
    groups = dict(zip("abcd", "xxyy", strict=True))
    same = FootruleOptimal(item_groups=groups, at_least={"y": 0.2}).fit_transform(level)
    assert same["score"].tolist() == [2, 2, 0, 0]
    groups = dict(zip("abcd", "xyxy", strict=True))
    apart = FootruleOptimal(item_groups=groups, at_least={"y": 0.5}, bounded=[2]).fit_transform(level)
    assert apart["score"].tolist() == [3, 2, 1, 0]
    ordered = FootruleOptimal(orders=[("b", "a")]).fit_transform(level)
    assert ordered["item"].tolist() == list("bacd") and ordered["score"].tolist() == [3, 2, 0, 0]
    pinned = FootruleOptimal(pins={"d": 3}).fit_transform(level)
    assert pinned["item"].tolist() == list("abdc") and pinned["score"].tolist() == [2, 2, 1, 0]


def test_rules_without_effect_change_nothing():
    frame = example_lists(0, n_queries=2, n_items=6)
    groups = dict.fromkeys(frame["item"], "x")
    free, facts = FootruleOptimal().aggregate(frame)
    for kwargs in ({"item_groups": groups, "at_least": {}}, {"pins": {}}, {"orders": []}):
        consensus, info = FootruleOptimal(**kwargs).aggregate(frame)
        pd.testing.assert_frame_equal(consensus, free)
        pd.testing.assert_frame_equal(info[list(facts)], facts)
        assert info["optimal"].all() and (info["footrule"] == info["unconstrained_footrule"]).all()


def test_weights_scale_all_costs_of_the_report():
    lists, method = large(12)
    half = lists.with_list_weight(np.full(lists.n_lists, 0.5))
    whole, halves = method.aggregate(lists)[1], method.aggregate(half)[1]
    for name in ("footrule", "unconstrained_footrule", "lower_bound", "gap"):
        assert halves.loc[0, name] == whole.loc[0, name] / 2


def test_estimated_time_includes_the_programmes_and_the_time_limit():
    lists, method = large(300)
    free = estimated_cost(FootruleOptimal(), lists).seconds
    bounded = estimated_cost(method, lists).seconds
    assert bounded > 20 * free
    limited = estimated_cost(method.set_params(time_limit=bounded / 10), lists).seconds
    assert free < limited < bounded / 5


def test_bounds_survive_clone_and_pickle():
    lists, method = large(12)
    expected = method.fit_transform(lists)
    for copy in (clone(method), pickle.loads(pickle.dumps(method))):
        pd.testing.assert_frame_equal(copy.fit_transform(lists), expected)
        assert copy.query_info_["optimal"].all()


REFUSED = [
    ({"at_least": {"x": 1}}, "`at_least` needs the groups of the items; got no `item_groups`"),
    ({"bounded": 3}, "`bounded` needs the groups"),
    ({"item_groups": {"a": "x"}}, "`item_groups` has no effect without bounds"),
    ({"item_groups": {"a": "x"}, "at_least": {"y": 1}}, "must contain groups of `item_groups`; got 'y'"),
    ({"item_groups": {"a": "x"}, "at_least": {"x": 3.0}}, r"or shares from 0 to 1; got 3\.0 for group 'x'"),
    ({"item_groups": {"a": "x"}, "at_most": {"x": -1}}, "got -1 for group 'x'"),
    ({"item_groups": {"a": "x"}, "at_most": {"x": True}}, "got True for group 'x'"),
    (
        {"item_groups": {"a": "x"}, "at_most": {"x": 1}, "bounded": []},
        "must contain at least one number k of first places",
    ),
    (
        {"item_groups": {"a": "x"}, "at_most": {"x": 1}, "bounded": [0]},
        "`bounded` must be a whole number of at least 1",
    ),
    ({"pins": {"nowhere": 1}}, "`pins` must be among the ids"),
    (
        {"item_groups": {"a": "x", "b": "x"}, "at_least": {"x": 2}},
        r"`at_least` must allow an order of the items; query 'q' of 4 items has no order with at least 2 of the 2 "
        r"items of group 'x' on the first place\. Change this bound, or bound other places with `bounded`\.",
    ),
    (
        {"item_groups": {"a": "x", "b": "x", "c": "y"}, "at_least": {"x": 2, "y": 1}, "bounded": [2]},
        r"no order with at least 2 of the 2 items of group 'x' among the first 2 places and at least 1 of the 1 item "
        r"of group 'y' among the first 2 places\. Change one of them",
    ),
    (
        {"item_groups": {"a": "x"}, "at_least": {"x": 1}, "bounded": [1], "pins": {"b": 1}},
        r"`at_least` and `pins` must allow .* no order with at least 1 of the 1 item of group 'x' on the first place "
        r"and 'b' on place 1",
    ),
    ({"pins": {"a": 1}, "orders": [("b", "a")]}, "`pins` and `orders` must allow"),
]


@pytest.mark.parametrize(("kwargs", "message"), REFUSED)
def test_footrule_optimal_refuses_rules(kwargs, message):
    lists = pd.DataFrame({"query": "q", "voter": "v", "item": list("abcd"), "rank": [1, 2, 3, 4]})
    with pytest.raises(InputError, match=message):
        FootruleOptimal(**kwargs).fit(lists)


def test_item_groups_of_another_type_are_refused():
    with pytest.raises(InputTypeError, match="`item_groups` must be a dict"):
        FootruleOptimal(item_groups=["x"], at_least={"x": 1}).fit(RankedLists.from_lists([["a", "b", "c"]]))


@pytest.mark.parametrize("seed", range(12))
def test_conflicts_with_pins_and_orders_are_minimal(seed):
    rng = np.random.default_rng(seed)
    for _ in range(500):
        lists = random_lists(rng, int(rng.integers(4, 7)))
        items, cost = costs_of(lists)
        kwargs = random_rules(rng, items, 2) | {"pins": {items[0]: int(rng.integers(1, 4))}}
        method = FootruleOptimal(**kwargs)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_place_rules, "_check_rules", lambda *args: None)
            rules = method._rules(lists)[0]
        parts = _place_rules.feasible_place(_place_rules.PlaceRules(rules.bounds, rules.own.only([])))
        if parts is None or least_under(kwargs, cost, items) is not None:
            continue
        seen = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_place_rules, "_conflict_error", partial(_noted, seen))
            with pytest.raises(InputError):
                method.fit(lists)
        if not seen:  # pins and orders alone
            continue
        orders = ALL_ORDERS[len(items)]
        possible = [any(rules.only(part).kept_by(place) for place in orders) for part in _parts(seen[0])]
        assert not possible[0] and all(possible[1:])
        return
    pytest.fail("no conflict was drawn")


def _noted(seen, lists, rules, conflict, names):
    """Keep a conflict in a list, in place of the error with its description."""
    seen.append(conflict)
    return InputError("conflict")


def _parts(members):
    """Yield all members, and the members without each one."""
    yield members
    for k in range(len(members)):
        yield members[:k] + members[k + 1 :]
