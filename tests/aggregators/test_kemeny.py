"""Kemeny, compared with all orders, dynamic programming over subsets and published numbers, and its axioms."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from skrankagg import Kemeny
from skrankagg._kernels import cheapest_orders
from skrankagg.aggregators import (
    condorcet_components,
    kemeny_lower_bound,
    kemeny_score,
    local_kemenization,
    mean_tau_x,
    pairwise_preferences,
)
from skrankagg.aggregators._kemeny import _branching, _budget, _cuts, _estimator, _proof, _solver, _weak
from skrankagg.aggregators._kemeny._budget import Budget, Unfinished
from skrankagg.aggregators._kemeny._components import stacked_components
from skrankagg.aggregators._kemeny._costs import granularity
from skrankagg.aggregators._kemeny._relations import RelationProgramme
from skrankagg.aggregators._kemeny._search import order_cost
from skrankagg.aggregators._kemeny._triangles import TrianglePolytope
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

METHODS = ("auto", "exact", "iterated-local-search", "local-search")


def profile(*orders, **columns):
    rows = [("q", f"v{v}", item, rank) for v, items in enumerate(orders) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"]).assign(**columns)


def uniform(n, m, seed):
    """Return full lists in random order."""
    rng = np.random.default_rng(seed)
    return profile(*([f"i{k:03d}" for k in rng.permutation(n)] for _ in range(m)))


def weigh(frame, weights):
    return frame.assign(weight=frame["voter"].map(dict(zip(sorted(frame["voter"].unique()), weights, strict=False))))


def ballots(frame, absent):
    """Yield each list as ranks of all items, None for missing opinions, and its weight."""
    items = sorted(frame["item"].unique())
    for _, rows in frame.groupby("voter"):
        ranks = dict(zip(rows["item"], rows["rank"], strict=True))
        weight = rows["weight"].iloc[0] if "weight" in rows else 1
        yield [ranks.get(item, np.inf if absent == "last" else None) for item in items], weight


def cost(order, frame, absent, penalty):
    """Sum Kendall's distance with a penalty for one-sided ties, pair by pair."""
    total = 0
    for ranks, weight in ballots(frame, absent):
        for i, j in itertools.combinations(range(len(order)), 2):
            if ranks[i] is None or ranks[j] is None:
                continue
            here = (ranks[i] > ranks[j]) - (ranks[i] < ranks[j])
            there = (order[i] > order[j]) - (order[i] < order[j])
            total += weight * (1 if here * there < 0 else penalty if here != there else 0)
    return total


def weak_orders(n):
    return [rank for rank in itertools.product(range(n), repeat=n) if set(rank) == set(range(max(rank) + 1))]


def least_by_subsets(margin):
    """Compute the cost of the best order beyond the majorities' by dynamic programming over subsets."""
    n = len(margin)
    dear = np.maximum(margin, 0.0)
    best = np.full(1 << n, np.inf)
    best[0] = 0.0
    above = np.zeros((1 << n, n))  # cost of all items of the subset before an item
    for subset in range(1, 1 << n):
        low = (subset & -subset).bit_length() - 1
        above[subset] = above[subset & (subset - 1)] + dear[low]
    for subset in range(1, 1 << n):
        best[subset] = min(best[subset ^ (1 << k)] + above[subset ^ (1 << k), k] for k in range(n) if subset >> k & 1)
    return best[-1]


# ---------------------------------------------------------------------- the optimum


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 5),
    weights=st.sampled_from([(1,) * 5, (1, 2, 3, 1, 4), (0.3, 0.1, 0.2, 0.7, 1.5), (2**0.5, 1.1, 0.7, 3**0.5, 1)]),
    absent=st.sampled_from(["last", "ignore"]),
    penalty=st.sampled_from([0.5, 0.7, 1.0]),
    ties=st.sampled_from(["strict", "weak"]),
    full=st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_kemeny_exact_equals_the_optimum_over_all_orders(seed, n, weights, absent, penalty, ties, full):
    frame = weigh(example_lists(seed, n_queries=1, n_items=n, full=full), weights)
    n = frame["item"].nunique()
    orders = weak_orders(n) if ties == "weak" else itertools.permutations(range(n))
    # The score of an order by the matrices, of all orders; that of the best one pair by pair.
    prefer, tied = pairwise_preferences(frame, absent=absent)
    least = min(kemeny_score(order, prefer, tied, penalty=penalty) for order in orders)
    consensus, info = Kemeny(method="exact", consensus_ties=ties, absent=absent, penalty=penalty).aggregate(frame)
    consensus = consensus.sort_values("item")
    found = -consensus["score"].to_numpy() if ties == "weak" else consensus["rank"].to_numpy()
    assert cost(found.tolist(), frame, absent, penalty) == pytest.approx(least, abs=1e-9)
    assert info.loc[0, "kemeny_score"] == pytest.approx(least, abs=1e-9)
    assert info.loc[0, "lower_bound"] == pytest.approx(least, abs=1e-9)
    assert info.loc[0, "optimal"] and info.loc[0, "stop_reason"] == "optimal"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(6))
def test_kemeny_of_seven_items_equals_the_optimum_over_all_orders(seed):
    frame = weigh(example_lists(seed, n_queries=1, n_items=7), (1, 1, 2, 1, 0.5))
    prefer, tied = pairwise_preferences(frame)
    least = min(kemeny_score(order, prefer, tied) for order in itertools.permutations(range(len(prefer))))
    assert Kemeny().aggregate(frame)[1].loc[0, "kemeny_score"] == pytest.approx(least, abs=1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [9, 11, 12, 13, 14])
@pytest.mark.parametrize("real", [False, True])
def test_prove_equals_dynamic_programming_over_subsets(n, real):
    rng = np.random.default_rng(n)
    margin = rng.normal(size=(n, n)) if real else rng.integers(-4, 5, size=(n, n)).astype(float)
    margin = np.triu(margin, 1) - np.triu(margin, 1).T
    proven = _proof.prove(margin, np.arange(n), rng, Budget())
    assert proven.reason == "optimal"
    assert proven.cost == proven.bound == pytest.approx(least_by_subsets(margin), abs=1e-9)


def orders_by_subsets(margin):
    """Count the cheapest orders by dynamic programming over subsets."""
    n = len(margin)
    dear = np.maximum(margin, 0.0)
    best, count = {0: 0.0}, {0: 1}
    for subset in range(1, 1 << n):
        items = [k for k in range(n) if subset >> k & 1]
        cost = {k: best[subset ^ (1 << k)] + sum(dear[i, k] for i in items) for k in items}
        best[subset] = min(cost.values())
        count[subset] = sum(count[subset ^ (1 << k)] for k in items if cost[k] == best[subset])
    return count[(1 << n) - 1]


@given(seed=st.integers(0, 10**6), n=st.integers(1, 8), most=st.integers(1, 4), several=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_cheapest_orders_counts_the_cheapest_orders(seed, n, most, several):
    rng = np.random.default_rng(seed)
    margins, costs = [], []
    for k in range(several):
        margin = np.triu(rng.integers(-most, most + 1, size=(n + k, n + k)).astype(float), 1)
        margins.append(margin - margin.T)
        known = np.triu(np.maximum(margins[-1], 0.0), 1).sum()  # of the items in their order
        costs.append(known if rng.random() < 0.5 else least_by_subsets(margins[-1]))
    size = np.arange(n, n + several)
    cost, n_ways = cheapest_orders(size, np.concatenate([margin.ravel() for margin in margins]), np.array(costs))
    assert cost.tolist() == [least_by_subsets(margin) for margin in margins]
    assert n_ways.tolist() == [min(2, orders_by_subsets(margin)) for margin in margins]


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(seed=st.integers(0, 10**6), weights=st.sampled_from([(1,) * 5, (1, 2, 3, 1, 4), (0.3, 0.1, 0.2, 0.7, 1.5)]))
@settings(max_examples=15, deadline=None)
def test_kemeny_is_the_same_with_subsets_and_integer_programmes(seed, weights):
    frame = weigh(example_lists(seed, n_queries=6, n_items=3 + seed % 9), weights)
    for absent in ("last", "ignore"):
        found = Kemeny(absent=absent).aggregate(frame)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_proof, "_FEW_ITEMS", 0)
            expected = Kemeny(absent=absent).aggregate(frame)
        pd.testing.assert_frame_equal(found[0], expected[0], check_exact=True)
        known = expected[1]["unique"].notna()
        pd.testing.assert_frame_equal(found[1].drop(columns="unique"), expected[1].drop(columns="unique"))
        assert (found[1]["unique"] == expected[1]["unique"])[known].all()


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_kemeny_treats_queries_independently():
    frame = pd.concat(
        weigh(example_lists(n, n_queries=3, n_items=n), (1, 2, 1, 3, 0.5)).assign(
            query=lambda f, n=n: f["query"] + str(n)
        )
        for n in range(1, 10)
    )
    for method in (Kemeny(), Kemeny(consensus_ties="weak"), Kemeny(method="local-search", absent="ignore")):
        alone = [method.aggregate(lists) for _, lists in frame.groupby("query")]
        for n_jobs in (1, 2):
            together = method.set_params(n_jobs=n_jobs).aggregate(frame)
            for found, parts in zip(together, zip(*alone, strict=True), strict=True):
                pd.testing.assert_frame_equal(found, pd.concat(parts, ignore_index=True), check_exact=True)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 9), most=st.integers(1, 5), sparse=st.booleans())
@settings(max_examples=40, deadline=None)
def test_stacked_components_equals_condorcet_components_of_each_query(seed, n, most, sparse):
    rng = np.random.default_rng(seed)
    prefer = rng.integers(0, most + 1, size=(5, n, n)) * 1.0
    if sparse:
        prefer *= rng.random((5, n, n)) < 0.3
    prefer[:, np.arange(n), np.arange(n)] = 0.0
    for found, one in zip(stacked_components(prefer.swapaxes(1, 2) - prefer), prefer, strict=True):
        assert [items.tolist() for items in found] == [items.tolist() for items in condorcet_components(one)]


def test_kemeny_finds_the_optimum_if_the_local_search_misses_it(monkeypatch):
    # An order reversed is what the search returns.
    frame = uniform(7, 5, 1)
    least = Kemeny().aggregate(frame)[1]
    monkeypatch.setattr(_proof, "descend", lambda margin, order, budget: np.argsort(margin.sum(axis=1))[::-1])
    monkeypatch.setattr(_proof, "iterate", lambda margin, order, *args, **options: order)
    info = Kemeny().aggregate(frame)[1]
    assert info.equals(least) and info["optimal"][0]


def least_by_all_triangles(margin, integrality=1):
    """Compute the least cost by one integer programme with a row for every triangle; 0 allows fractions."""
    pairs = {pair: k for k, pair in enumerate(itertools.combinations(range(len(margin)), 2))}
    rows = np.zeros((len(margin) * (len(margin) - 1) * (len(margin) - 2) // 6, len(pairs)))
    for row, (i, j, k) in zip(rows, itertools.combinations(range(len(margin)), 3), strict=True):
        row[[pairs[i, j], pairs[j, k], pairs[i, k]]] = 1, 1, -1
    value = np.array([margin[pair] for pair in pairs])
    done = milp(
        value,
        integrality=np.full(len(pairs), integrality),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows, 0, 1),
        options={"mip_rel_gap": 0},
    )
    return done.fun - np.minimum(value, 0).sum()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("n", "seed"), [(17, 25), (18, 14), (20, 7)])
def test_branching_and_cuts_close_the_gap_of_triangle_inequalities(n, seed, monkeypatch):
    # A random tournament is the hardest profile. The triangles of these few leave a gap, which cuts close in the
    # first two and branching in the last one; without cuts branching must close all three.
    rng = np.random.default_rng(seed)
    margin = rng.choice([-1.0, 1.0], size=(n, n))
    margin = np.triu(margin, 1) - np.triu(margin, 1).T
    least = least_by_all_triangles(margin)
    branched = []
    monkeypatch.setattr(_proof, "branch", lambda *args, branch=_proof.branch: branched.append(1) or branch(*args))
    for cuts in (True, False):
        proven = _proof.prove(margin, np.arange(n), np.random.default_rng(0), Budget())
        assert proven.reason == "optimal" and proven.cost == proven.bound == pytest.approx(least)
        if cuts:
            assert bool(branched) == (n == 20)
            monkeypatch.setattr(_proof.TrianglePolytope, "cut_halves", lambda self, x: 0)
            branched.clear()
    assert branched


class Scripted:
    """A programme that has cycles to add or not, and one bound after the other; it notes what is asked of it."""

    cost, first, second = np.ones(3), np.array([0, 0, 1]), np.array([1, 2, 2])

    def __init__(self, cycle, bounds):
        self.cycle, self.bounds, self.asked = np.array(cycle).reshape(-1, 3), iter(bounds), []

    def violated(self, x):
        return self.cycle

    def add(self, cycle):
        self.asked.append("triangles")

    def cut_halves(self, x):
        self.asked.append("cuts")
        return 0 if len(self.cycle) else 1

    def relax(self):
        return np.full(3, 0.5), next(self.bounds)

    def order(self, x):
        return np.arange(3)

    def fix(self, most):
        pass

    purge = close = lambda self: None


def relaxed(programme):
    """Return True if relaxing a component of cost 100 leaves a gap."""
    state = _proof.State(np.zeros((3, 3)), np.arange(3), 1.0, Budget())
    state.cost, state.search = 100.0, lambda *arguments: None
    return _proof.relax(state, programme, None)


def test_relaxation_adds_cuts_after_consecutive_idle_rounds(monkeypatch):
    monkeypatch.setattr(_proof, "_IDLE", 3)
    programme = Scripted([0, 1, 2], [0, 0, 0, 50, 50, 50, 50])
    assert relaxed(programme)
    assert programme.asked == ["triangles"] * 7 + ["cuts"]


def test_relaxation_continues_cuts_while_each_round_closes_enough_of_the_gap(monkeypatch):
    monkeypatch.setattr(_proof, "_WORTH", 0.3)
    programme = Scripted([], [0, 50, 75, 76])
    assert relaxed(programme)
    assert programme.asked == ["cuts"] * 4


def test_branching_selects_the_pair_whose_two_sides_raise_the_bound(monkeypatch):
    rises = {(0, 1): 1, (1, 0): 1, (0, 2): 2, (2, 0): 2, (1, 2): 0, (2, 1): 4}
    monkeypatch.setattr(_branching, "_try", lambda state, polytope, before, cycle, arc: (rises[arc], arc))
    node = SimpleNamespace(bound=0.0, x=np.full(3, 0.5), before=np.zeros((3, 3), dtype=bool), cycle=None)
    assert _branching._sides(SimpleNamespace(step=1.0), Scripted([], []), node) == [(2, (0, 2)), (2, (2, 0))]


def test_sides_fixes_the_other_side_of_a_pair_if_a_trial_excludes_one(monkeypatch):
    fixed = np.zeros((3, 3), dtype=bool)
    fixed[2, 1] = True
    monkeypatch.setattr(
        _branching,
        "_try",
        lambda state, polytope, before, cycle, arc: None if arc == (1, 2) else (3, fixed if arc == (2, 1) else before),
    )
    node = SimpleNamespace(bound=1.0, x=np.full(3, 0.5), before=np.zeros((3, 3), dtype=bool), cycle=None)
    ((bound, before),) = _branching._sides(SimpleNamespace(step=1.0), Scripted([], []), node)
    assert bound == 1 and before is fixed


def random_tournament(n, seed):
    margin = np.random.default_rng(seed).choice([-1.0, 1.0, -2.0, 2.0], size=(n, n))
    return np.triu(margin, 1) - np.triu(margin, 1).T


@pytest.mark.parametrize("seed", range(4))
def test_bounded_adds_violated_triangles_in_rounds(seed, monkeypatch):
    n, none = 9, np.empty((0, 3), dtype=np.int64)
    margin = random_tournament(n, seed)
    triangles = least_by_all_triangles(margin, integrality=0)
    state = _proof.State(margin, np.arange(n), 0.0, Budget())
    state.cost = least_by_all_triangles(margin) + 1.0  # the best order is cheaper by one
    bounds = []
    for rounds in (1, 2, 12):
        monkeypatch.setattr(_branching, "_ROUNDS", rounds)
        polytope = TrianglePolytope(margin, Budget())
        bounds.append(_branching._bounded(state, polytope, np.zeros((n, n), dtype=bool), none).bound)
    assert bounds[0] == 0 and bounds[0] < bounds[1] <= bounds[2] <= triangles + 1e-6
    assert bounds[2] >= triangles - 0.02 * state.cost


def test_children_of_an_integral_node_with_a_cycle_gets_the_row_of_the_cycle():
    # a beats b by 1, b beats c by 2, c beats a by 3: reversing the first pair is cheapest.
    margin = np.array([[0.0, -1.0, 3.0], [1.0, 0.0, -2.0], [-3.0, 2.0, 0.0]])
    state, polytope = _proof.State(margin, np.array([0, 1, 2]), 1.0, Budget()), TrianglePolytope(margin, Budget())
    state.cost = 2.0
    x, nothing = np.array([1.0, 0.0, 1.0]), np.zeros((3, 3), dtype=bool)  # the cycle itself
    node = _branching._Node(0.0, x, nothing, np.empty((0, 3), dtype=np.int64))
    (child,) = _branching._children(state, polytope, node, None)
    assert child.bound == pytest.approx(1) and polytope.order(child.x).tolist() == [1, 2, 0]


def test_branch_raises_the_bound_to_the_lowest_open_node_if_time_runs_out(monkeypatch):
    raised, nodes = [], iter([[SimpleNamespace(bound=3.0), SimpleNamespace(bound=2.5)]])

    def children(state, polytope, node, rng):
        for found in nodes:
            return found
        raise Unfinished

    monkeypatch.setattr(_branching, "_bounded", lambda *arguments: SimpleNamespace(bound=1.0))
    monkeypatch.setattr(_branching, "_children", children)
    state, polytope = SimpleNamespace(most=5, raise_bound=raised.append), SimpleNamespace(before=None, cycle=None)
    with pytest.raises(Unfinished):
        _branching.branch(state, polytope, None)
    # The node of bound 2.5 is open, because its search has ended early.
    assert raised == [1, 2.5, 2.5]


def test_relax_of_a_polytope_with_a_complete_order_costs_as_much_as_the_order():
    margin, order = random_tournament(5, 0), np.array([3, 0, 4, 1, 2])
    polytope = TrianglePolytope(margin, Budget())
    polytope.before = np.argsort(order)[:, None] < np.argsort(order)
    x, bound = polytope.relax()
    assert bound == order_cost(margin, order) > 0 and polytope.order(x).tolist() == order.tolist()
    assert polytope.n_programmes == 0


@pytest.mark.parametrize(("status", "reason"), [(1, "time limit"), (4, "solver")])
def test_kemeny_reports_why_the_solver_has_stopped(status, reason, monkeypatch):
    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    monkeypatch.setattr(_weak, "_FEW_ITEMS", 0)
    monkeypatch.setattr(_proof.State, "search", lambda *args: None)  # which leaves the order to the programmes
    frame = profile("abcd", "bcda", "cdab", "dabc", "abcd")
    for ties in ("strict", "weak"):
        expected = Kemeny(consensus_ties=ties).aggregate(frame)[1].loc[0]
        with monkeypatch.context() as patch:
            patch.setattr(_budget, "linprog", lambda *args, **options: SimpleNamespace(status=status, x=None))
            info = Kemeny(consensus_ties=ties).aggregate(frame)[1].loc[0]
        assert expected["optimal"] and not info["optimal"] and info["stop_reason"] == reason
        assert info["lower_bound"] < expected["kemeny_score"] <= info["kemeny_score"]


def test_half_cuts_are_valid_and_exclude_the_fractional_solution():
    # Three rows in a ring: x + y <= 1, y + z <= 1, z + x <= 1; the half of their sum is x + y + z <= 1.
    rows = csr_array(np.array([[1.0, 1, 0], [0, 1, 1], [1, 0, 1]]))
    cuts, most = _cuts.half_cuts(rows, np.ones(3), np.full(3, 0.5), Budget())
    np.testing.assert_array_equal(cuts.toarray(), [[1, 1, 1]])
    np.testing.assert_array_equal(most, [1])


def test_half_cuts_of_limited_number_are_the_sparsest(monkeypatch):
    # A ring of five rows and a ring of three rows: each gives one cut.
    rows = np.zeros((8, 8))
    for row, (i, j) in enumerate([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 6), (6, 7), (7, 5)]):
        rows[row, [i, j]] = 1
    arguments = csr_array(rows), np.ones(8), np.full(8, 0.5), Budget()
    assert sorted(_cuts.half_cuts(*arguments)[0].toarray().tolist()) == [[0] * 5 + [1] * 3, [1] * 5 + [0] * 3]
    monkeypatch.setattr(_cuts, "_MOST_CUTS", 1)
    cuts, most = _cuts.half_cuts(*arguments)
    assert cuts.toarray().tolist() == [[0] * 5 + [1] * 3] and most.tolist() == [1]


def relations(rank):
    """The variables of an order with ties: whether the row's item is before the column's or level with it."""
    return (np.array(rank)[:, None] <= np.array(rank)).astype(float)


def weak_costs(before, level, ranks):
    """Add up the cost of orders with ties, pair by pair."""
    return np.array(
        [
            sum(
                before[i, j] if rank[i] < rank[j] else before[j, i] if rank[j] < rank[i] else level[i, j]
                for i, j in itertools.combinations(range(len(before)), 2)
            )
            for rank in ranks
        ]
    )


WEAK = weak_orders(4)


def random_costs(rng, real):
    before, level = rng.random((2, 4, 4)) if real else rng.integers(0, 5, (2, 4, 4)) * 1.0
    return before, np.minimum(level, level.T)


@given(seed=st.integers(0, 10**6), real=st.booleans())
@settings(max_examples=40, deadline=None)
def test_rounds_of_programmes_end_with_an_order_of_the_least_cost(seed, real):
    before, level = random_costs(np.random.default_rng(seed), real)
    costs = weak_costs(before, level, WEAK)
    programme = RelationProgramme(before, level, 1.0, Budget())
    found = list(itertools.islice(programme.rounds(level), 100))
    assert len(found) < 100
    assert max(bound for _, bound in found) <= costs.min() + 1e-6
    last = [k for k, rank in enumerate(WEAK) if np.abs(relations(rank) - found[-1][0]).max() < 1e-5]
    assert len(last) == 1 and costs[last[0]] == pytest.approx(costs.min(), abs=1e-5)


@given(seed=st.integers(0, 10**6), real=st.booleans(), share=st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_relation_bounds_include_all_orders_within_the_cost(seed, real, share):
    before, level = random_costs(np.random.default_rng(seed), real)
    costs = weak_costs(before, level, WEAK)
    most = costs.min() + share * np.ptp(costs) + 1e-6
    programme, off = RelationProgramme(before, level, 1.0, Budget()), ~np.eye(4, dtype=bool)
    bounds = np.stack([np.zeros(12), np.ones(12)])
    programme._solve(level, None, bounds, most, False, {})
    for rank, cost in zip(WEAK, costs, strict=True):
        y = relations(rank)[off]
        assert cost > most or ((y >= bounds[0]) & (y <= bounds[1])).all()


def test_relation_programme_fixes_both_directions_of_forced_relations():
    rank = np.array([2, 0, 3, 1])
    before, level = np.where(rank[:, None] < rank, 0.0, 9.0), np.full((4, 4), 5.0)
    programme, off = RelationProgramme(before, level, 1.0, Budget()), ~np.eye(4, dtype=bool)
    bounds = np.stack([np.zeros(12), np.ones(12)])
    programme._solve(level, None, bounds, 1.0, False, {})
    np.testing.assert_array_equal(bounds, [relations(rank)[off]] * 2)


# ---------------------------------------------------------------------- documented properties


def test_kemeny_heuristics_are_optimal_only_if_the_bound_is_reached():
    frame = profile("abc", "bca", "cab")  # a cycle: the pairs alone cost 3, every order 4 at least
    for method in ("local-search", "iterated-local-search"):
        info = Kemeny(method=method).aggregate(frame)[1].loc[0]
        assert (info["kemeny_score"], info["lower_bound"], info["gap"]) == (4, 3, 1)
        assert not info["optimal"] and info["stop_reason"] == "search"
        info = Kemeny(method=method).aggregate(profile("abc", "acb", "abc"))[1].loc[0]
        assert info["optimal"] and info["gap"] == 0


def test_kemeny_auto_reports_a_large_component(monkeypatch):
    monkeypatch.setattr(_estimator, "_EASY_ITEMS", 2)
    info = Kemeny().aggregate(profile("abc", "bca", "cab"))[1].loc[0]
    assert not info["optimal"] and info["stop_reason"] == "large component"
    assert Kemeny(time_limit=60).aggregate(profile("abc", "bca", "cab"))[1].loc[0, "optimal"]


def test_auto_proves_components_of_up_to_60_items(monkeypatch):
    # As the documentation says. Three lists, each beginning at another third, make one cycle of all items.
    def prove(margin, order, *args, **options):
        return _proof.Proven(order, 1.0, 1.0, "optimal", only=True)

    monkeypatch.setattr(_solver, "prove", prove)
    for n, reason in ((60, "optimal"), (61, "large component")):
        items = [f"i{k:02}" for k in range(n)]
        info = Kemeny(n_restarts=0).aggregate(profile(*(np.roll(items, k * n // 3) for k in range(3))))[1]
        assert info["stop_reason"].tolist() == [reason]


def test_state_met_allows_a_gap_within_rounding():
    # Costs without a unit: what a solver leaves of the gap is no room for a cheaper order; a millionth may be.
    margin = np.triu(np.array([[0.0, 1.0, 2**0.5], [0.0, 0.0, 3**0.5], [0.0, 0.0, 0.0]]), 1)
    for gap, met in ((1e-11, True), (1e-6, False)):
        state = _proof.State(margin - margin.T, np.arange(3), 0.0, Budget())
        state.raise_bound(state.cost - gap)
        assert state.met() == met


@pytest.mark.exhaustive
def test_kemeny_is_independent_of_n_jobs_and_seed():
    frame = example_lists(n_queries=3, full=True)
    expected, info = Kemeny().aggregate(frame)
    found, same = Kemeny(n_jobs=2).aggregate(frame)
    pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(same, info)
    other = Kemeny(random_state=7).aggregate(frame)[1]
    pd.testing.assert_frame_equal(other, info)


def test_kemeny_gives_neighbours_without_majority_equal_scores():
    consensus = Kemeny().fit_transform(profile("abcd", "bacd"))
    assert consensus["item"].tolist() == list("abcd")
    assert consensus["score"].tolist() == [2, 2, 1, 0]
    # b and c draw, as do a and c, and a beats b: not all of a, b and c are level.
    consensus = Kemeny().fit_transform(profile("abc", "cab"))
    assert consensus.set_index("item")["rank"]["a"] < consensus.set_index("item")["rank"]["b"]


def test_kemeny_prints_progress_only_if_verbose(monkeypatch, capsys):
    from skrankagg._support import _progress

    clock = iter(range(0, 10**6, 2))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: next(clock))
    Kemeny(verbose=True).fit(uniform(16, 5, 1))
    assert "at most" in capsys.readouterr().out
    Kemeny(verbose=False).fit(uniform(16, 5, 1))
    assert capsys.readouterr().out == ""


# ---------------------------------------------------------------------- axioms


@st.composite
def profiles(draw):
    n, m = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    return profile(*(draw(st.permutations("abcdef"[:n])) for _ in range(m)))


@given(frame=profiles())
@settings(max_examples=25, deadline=None)
def test_kemeny_satisfies_the_extended_condorcet_criterion(frame):
    prefer, _ = pairwise_preferences(frame)
    components = condorcet_components(prefer)
    assert sorted(np.concatenate(components)) == list(range(len(prefer)))
    for method in METHODS:
        place = Kemeny(method=method).fit_transform(frame).sort_values("item")["rank"].to_numpy()
        for above, below in itertools.combinations(components, 2):
            assert (prefer[np.ix_(above, below)] >= prefer[np.ix_(below, above)].T).all()
            wins = prefer[np.ix_(above, below)] > prefer[np.ix_(below, above)].T
            assert (place[above][:, None] < place[below])[wins].all()


@given(frame=profiles(), seed=st.integers(0, 100))
@settings(max_examples=25, deadline=None)
def test_kemeny_satisfies_anonymity_neutrality_and_reversal(frame, seed):
    rng = np.random.default_rng(seed)
    least = Kemeny().aggregate(frame)[1].loc[0, "kemeny_score"]
    items = sorted(frame["item"].unique())
    names = dict(zip(items, rng.permutation(items), strict=True))
    voters = frame["voter"].unique()
    renamed = frame.assign(
        item=frame["item"].map(names), voter=frame["voter"].map(dict(zip(voters, rng.permutation(voters), strict=True)))
    )
    consensus, info = Kemeny().aggregate(renamed)
    assert info.loc[0, "kemeny_score"] == least
    reverse = Kemeny().aggregate(frame.assign(rank=10 - frame["rank"]))[1]
    assert reverse.loc[0, "kemeny_score"] == least
    prefer, _ = pairwise_preferences(frame)
    best = [o for o in itertools.permutations(range(len(items))) if kemeny_score(o, prefer) == least]
    if len(best) == 1:
        expected = [names[items[k]] for k in np.argsort(best[0])]
        assert consensus["item"].tolist() == expected


def test_kemeny_handles_edge_cases():
    disjoint = profile("ab", "cd")
    # Each list puts its own above the others: only a-b and c-d are decided.
    consensus, info = Kemeny().aggregate(disjoint)
    place = consensus.set_index("item")["rank"]
    assert place["a"] < place["b"] and place["c"] < place["d"]
    assert info.loc[0, "optimal"]
    assert Kemeny(consensus_ties="weak").aggregate(profile("a"))[1].loc[0, "kemeny_score"] == 0
    tied = profile("abc", "abc", rank=1)
    consensus, info = Kemeny(consensus_ties="weak").aggregate(tied)
    assert consensus["score"].tolist() == [0, 0, 0] and info.loc[0, "kemeny_score"] == 0
    assert Kemeny().aggregate(tied)[1].loc[0, "kemeny_score"] == 3  # half for each pair of each list


def test_kemeny_ignores_lists_of_weight_zero():
    frame = profile("abc", "cba", "cab", "bca")
    consensus, info = Kemeny(voter_weights={"v0": 1, "v1": 0, "v2": 0, "v3": 0}).aggregate(frame)
    assert consensus["item"].tolist() == ["a", "b", "c"] and info.loc[0, "kemeny_score"] == 0


# ---------------------------------------------------------------------- the parts


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_local_kemenization_leaves_no_neighbours_against_a_majority(seed):
    frame = example_lists(seed, n_queries=1)
    prefer, tied = pairwise_preferences(frame)
    start = np.random.default_rng(seed).permutation(len(prefer))
    order = local_kemenization(start, prefer)
    assert sorted(order) == list(range(len(prefer)))
    assert (prefer[order[:-1], order[1:]] >= prefer[order[1:], order[:-1]]).all()
    before, after = (kemeny_score(np.argsort(one), prefer, tied) for one in (start, order))
    assert after <= before


def test_kemeny_lower_bound_equals_the_score_of_a_consistent_profile():
    prefer, tied = pairwise_preferences(profile("abc", "acb", "abc"))
    assert kemeny_lower_bound(prefer, tied) == kemeny_score([1, 2, 3], prefer, tied) == 1


def test_granularity_finds_the_common_unit_of_fractions():
    assert granularity(np.array([6.0, -4.0, 0.0]), Budget()) == 2
    assert granularity(np.array([0.3, 0.5, -0.1]), Budget()) == pytest.approx(0.1)
    assert granularity(np.array([1.0, 2**0.5]), Budget()) == 0
    assert granularity(np.zeros(3), Budget()) == 0


def test_granularity_is_a_common_divisor_up_to_rounding():
    # 0.3 is three times 0.1 but for its last digit, 1000 thirds but for a billionth of the largest value.
    assert granularity(np.array([0.1, 0.2, 0.3, -0.7]), Budget()) == 0.1
    assert granularity(np.array([0.666666667, 666.666666667]), Budget()) == 0.666666667
    assert granularity(np.array([0.666666667, 666.66666]), Budget()) == 0


def test_pairwise_preferences_rejects_unknown_options_and_several_queries():
    with pytest.raises(ValueError, match="one query"):
        pairwise_preferences(example_lists())
    with pytest.raises(ValueError, match="`absent` must be one of 'last', 'ignore'"):
        pairwise_preferences(profile("ab"), absent="below")


# ---------------------------------------------------------------------- published figures


def test_mean_tau_x_of_an_order_with_itself_is_1():
    prefer, tied = pairwise_preferences(profile("abc"))
    assert mean_tau_x([1, 2, 3], prefer, tied, 1) == 1 and mean_tau_x([3, 2, 1], prefer, tied, 1) == -1


def test_kemeny_ranks_the_capitals_of_tennessee():
    # The textbook example: 42, 26, 15 and 17 of 100 voters; the consensus agrees with 393 of 600 opinions on pairs.
    frame = weigh(profile("MNCK", "NCKM", "CKNM", "KCNM"), (42, 26, 15, 17))
    consensus, info = Kemeny().aggregate(frame)
    assert consensus["item"].tolist() == list("NCKM")
    assert info.loc[0, "kemeny_score"] == 600 - 393 and info.loc[0, "optimal"]


def read_ranks(path):
    """Read a table of ConsRank: a column for each item, NA if not ranked, and optional weights."""
    table = pd.read_csv(path)
    weight = table.pop("Wk") if "Wk" in table else pd.Series(1, index=table.index)
    if path.stem == "Idea":
        table = 6 - table
    long = table.assign(voter=table.index, weight=weight).melt(["voter", "weight"], var_name="item", value_name="rank")
    return long.dropna(subset="rank").assign(query="q"), list(table.columns), weight.sum()


def test_kemeny_reproduces_consrank(shared_data):
    folder = shared_data / "bioinf" / "ConsRank"
    expected = pd.read_csv(folder / "expected_consensus.csv")
    for (dataset, full), rows in expected[expected["algorithm"] == "BB"].groupby(["dataset", "full"]):
        frame, items, total = read_ranks(folder / f"{dataset.removesuffix('_reversed')}.csv")
        ties = "strict" if full else "weak"
        consensus, info = Kemeny(method="exact", consensus_ties=ties, absent="ignore").aggregate(frame)
        assert info.loc[0, "optimal"]
        consensus = consensus.set_index("item").loc[items]
        prefer, tied = pairwise_preferences(frame, absent="ignore")
        place = [sorted(items).index(item) for item in items]
        rank = -consensus["score"].to_numpy() if ties == "weak" else consensus["rank"].to_numpy()
        tau_x = mean_tau_x(rank, prefer[np.ix_(place, place)], tied[np.ix_(place, place)], total)
        assert tau_x == pytest.approx(rows["tau_x"].iloc[0], abs=1e-12), (dataset, full)
