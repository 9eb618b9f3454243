"""Kemeny with several cheapest orders: the returned order with ties, and the column `unique`."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import Kemeny
from skrankagg._kernels import cheapest_buckets
from skrankagg.aggregators import condorcet_components, pairwise_preferences
from skrankagg.aggregators._kemeny import _budget, _components, _estimator, _proof, _unique, _weak
from skrankagg.aggregators._kemeny._budget import Budget, Unfinished
from skrankagg.aggregators._kemeny._costs import pair_costs
from skrankagg.aggregators._kemeny._levels import Stack
from skrankagg.aggregators._kemeny._relations import RelationProgramme
from skrankagg.aggregators._kemeny._triangles import Infeasible, TrianglePolytope
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


def profile(*orders):
    rows = [("q", f"v{v}", item, rank) for v, items in enumerate(orders) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


def orders(n, ties):
    """Return all orders of n items as ranks."""
    if ties == "strict":
        return np.array(list(itertools.permutations(range(n))))
    return np.array([rank for rank in itertools.product(range(n), repeat=n) if set(rank) == set(range(max(rank) + 1))])


ORDERS = {(n, ties): orders(n, ties) for n in range(1, 6) for ties in ("strict", "weak")}


def costs(ranks, frame, absent, penalty):
    before, level = pair_costs(*pairwise_preferences(frame, absent=absent), penalty)
    total = np.zeros(len(ranks))
    for i, j in itertools.combinations(range(len(before)), 2):
        above, below = ranks[:, i] < ranks[:, j], ranks[:, i] > ranks[:, j]
        total += np.where(above, before[i, j], np.where(below, before[j, i], level[i, j]))
    return total, 1e-9 * max(np.abs(before).sum(), 1e-300)


def published(consensus):
    """Return dense ranks from 0 of the items in the order of ids; equal scores tie."""
    return np.unique(-consensus.sort_values("item")["score"].to_numpy(), return_inverse=True)[1]


def random_lists(rng):
    """Draw up to five lists of up to five items: full, partial or tied, with four kinds of weights."""
    n, m = rng.integers(1, 6), rng.integers(1, 6)
    kind, weight = rng.integers(3), rng.integers(4)
    weights = [np.ones(m), rng.integers(0, 4, m), rng.integers(1, 4, m) * 0.1, (rng.random(m) + 0.1) * 1e-7][weight]
    rows = []
    for v in range(m):
        items = rng.permutation(n)[: n if kind == 0 else rng.integers(1, n + 1)]
        ranks = np.arange(len(items)) if kind < 2 else rng.integers(0, max(1, len(items) - 1), len(items))
        rows += [("q", v, item, rank, weights[v]) for item, rank in zip(items, ranks, strict=True)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


# ---------------------------------------------------------------------- against all orders


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("seed", range(80))
def test_kemeny_unique_and_ties_equal_a_search_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    frame, absent = random_lists(rng), rng.choice(["last", "ignore"])
    penalty, n = rng.choice([0.5, 0.5, 0.5, 0.3, 0.7, 1.0, 0.0]), frame["item"].nunique()
    for ties in ("strict", "weak"):
        total, tolerance = costs(ORDERS[n, ties], frame, absent, penalty)
        n_optimal = np.count_nonzero(total <= total.min() + tolerance)
        consensus, info = Kemeny(consensus_ties=ties, absent=absent, penalty=penalty).aggregate(frame)
        assert info["optimal"][0]
        # With so few items everything is known.
        assert info["unique"][0] is not pd.NA and info["unique"][0] == (n_optimal == 1)
        for method in ("local-search", "iterated-local-search"):
            known = Kemeny(method=method, consensus_ties=ties, absent=absent, penalty=penalty).aggregate(frame)[1][
                "unique"
            ][0]
            assert known is pd.NA or known == (n_optimal == 1)
    rank = published(consensus)
    assert costs(rank[None], frame, absent, penalty)[0][0] <= total.min() + tolerance
    searched = Kemeny(method="local-search", consensus_ties="weak", absent=absent, penalty=penalty).fit_transform(frame)
    for found in (rank, published(searched)):
        merged = np.array([found] + [np.where(found > k, found - 1, found) for k in range(found.max())])
        total, tolerance = costs(merged, frame, absent, penalty)
        assert (total[1:] > total[0] + tolerance).all()


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(
    seed=st.integers(0, 10**6),
    n_items=st.integers(2, 12),
    unit=st.sampled_from([1.0, 0.1, 2**0.5]),
    penalty=st.sampled_from([0.5, 0.3, 0.7, 1.0]),
    absent=st.sampled_from(["last", "ignore"]),
    method=st.sampled_from(["local-search", "iterated-local-search", "auto"]),
)
@settings(max_examples=200, deadline=None)
def test_kemeny_weak_leaves_no_buckets_that_could_be_merged_at_no_cost(seed, n_items, unit, penalty, absent, method):
    rng = np.random.default_rng(seed)
    n_queries = 1 if method == "auto" else 3
    lists = example_lists(seed, n_queries=n_queries, n_voters=int(rng.integers(1, 7)), n_items=n_items)
    weight = rng.integers(1, 4, 7) * unit
    lists = lists.assign(weight=lists["voter"].str[1:].astype(int).map(lambda v: weight[v]))
    consensus, info = Kemeny(method=method, consensus_ties="weak", absent=absent, penalty=penalty).aggregate(lists)
    for query, score in zip(info["query"], info["kemeny_score"], strict=True):
        own = lists[lists["query"] == query]
        rank = published(consensus[consensus["query"] == query])
        merged = np.array([rank] + [np.where(rank > k, rank - 1, rank) for k in range(rank.max())])
        total, tolerance = costs(merged, own, absent, penalty)
        assert total[0] == pytest.approx(score, abs=tolerance)
        assert (total[1:] > total[0] + tolerance).all()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("seed", range(30))
def test_kemeny_weak_has_the_fewest_levels_without_cycles(seed):
    rng = np.random.default_rng(seed)
    frame = profile(*(rng.permutation(list("abcde")) for _ in range(2 * rng.integers(1, 3))))
    if any(len(component) > 1 for component in condorcet_components(pairwise_preferences(frame)[0])):
        return
    rank = published(Kemeny(consensus_ties="weak").fit_transform(frame))
    total, tolerance = costs(ORDERS[5, "weak"], frame, "last", 0.5)
    assert rank.max() == ORDERS[5, "weak"][total <= total.min() + tolerance].max(axis=1).min()
    names = rng.permutation(5)
    renamed = frame.assign(item=frame["item"].map(dict(zip("abcde", np.array(list("abcde"))[names], strict=True))))
    np.testing.assert_array_equal(published(Kemeny(consensus_ties="weak").fit_transform(renamed))[names], rank)


def n_cheapest(margin):
    """Count the orders of the lowest cost by dynamic programming over subsets."""
    n = len(margin)
    dear = np.maximum(margin, 0.0)
    best, count = np.full(1 << n, np.inf), np.zeros(1 << n)
    best[0], count[0] = 0.0, 1
    above = np.zeros((1 << n, n))  # cost of all items of the subset before an item
    for subset in range(1, 1 << n):
        low = (subset & -subset).bit_length() - 1
        above[subset] = above[subset & (subset - 1)] + dear[low]
        rest = [(subset ^ (1 << k), k) for k in range(n) if subset >> k & 1]
        found = np.array([best[one] + above[one, k] for one, k in rest])
        best[subset] = found.min()
        count[subset] = sum(
            count[one] for (one, _), cost in zip(rest, found, strict=True) if cost < best[subset] + 1e-9
        )
    return count[-1]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(30))
def test_prove_detects_whether_another_optimal_order_exists(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 11))
    margin = [rng.normal(size=(n, n)), rng.integers(-6, 7, (n, n)).astype(float), rng.integers(-40, 41, (n, n)) * 0.1]
    margin = np.triu(margin[seed % 3], 1) - np.triu(margin[seed % 3], 1).T
    only = n_cheapest(margin) == 1
    assert _proof.prove(margin, np.arange(n), rng, Budget()).only == (only if seed % 3 == 1 else None)
    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    part = _proof.prove(margin, np.arange(n), rng, Budget())
    assert _unique._only_order(margin, part, Budget()) == only
    if _unique._blocks_can_change_places(margin, part.order, Budget()):
        assert not only


@pytest.mark.parametrize("seed", range(8))
def test_only_order_finds_another_cheapest_order_without_trying_blocks(seed, monkeypatch):
    n = 6
    margin = antisymmetric(np.random.default_rng(seed).integers(-1, 2, (n, n)) * 1.0)
    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    part = _proof.prove(margin, np.arange(n), np.random.default_rng(0), Budget())
    assert part.reason == "optimal" and part.only is None
    monkeypatch.setattr(_unique, "_blocks_can_change_places", lambda *arguments: False)
    assert _unique.only_order(margin, [(np.arange(n), part)], Budget()) == (n_cheapest(margin) == 1)


def antisymmetric(upper):
    return np.triu(upper, 1) - np.triu(upper, 1).T


@pytest.mark.parametrize("seed", range(10))
def test_polytope_exclude_cuts_off_one_order_only(seed):
    n, rng = 5, np.random.default_rng(seed)
    polytope, known = TrianglePolytope(antisymmetric(rng.normal(size=(n, n))), Budget()), rng.permutation(n)
    polytope.exclude(known)
    for rank in ORDERS[n, "strict"]:
        x = (rank[polytope.first] < rank[polytope.second]) * 1.0
        assert (polytope.cut @ x <= polytope.cut_most).all() == (np.argsort(rank) != known).any()


@pytest.mark.parametrize("seed", range(20))
def test_unique_search_tries_all_swaps_of_adjacent_blocks(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    margin, order = antisymmetric(rng.integers(-9, 10, (n, n)) * 1.0), rng.permutation(n)
    expected = any(
        margin[np.ix_(order[start:middle], order[middle:end])].sum() == 0
        for start, middle, end in itertools.combinations(range(n + 1), 3)
    )
    assert _unique._blocks_can_change_places(margin, order, Budget()) == expected


def test_unique_search_is_unfinished_after_a_nearly_equal_cost():
    # Costs in steps of 1000, up to a thousandth of one, which is what the other order costs more.
    margin = antisymmetric(np.array([[0.0, -1.0, -9.0], [0.0, 0.0, -9.0], [0.0, 0.0, 0.0]]))
    state = _unique._Another(margin, np.arange(3), 1000.0, Budget())
    state.take(np.array([0, 1, 2]))
    state.take(np.array([0, 2, 1]))
    with pytest.raises(Unfinished):
        state.take(np.array([1, 0, 2]))


def cheapest_weak_orders(before, level):
    """Return the lowest cost, the number of its orders, their most ties, and the number of these."""
    n = len(before)
    within, ties = np.zeros(1 << n), np.zeros(1 << n, dtype=int)
    above = np.zeros((1 << n, n))  # cost of all items of the subset before an item
    member = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    for subset in range(1, 1 << n):
        rest = subset & (subset - 1)
        low = (subset & -subset).bit_length() - 1
        within[subset] = within[rest] + level[low, member[rest] > 0].sum()
        ties[subset] = ties[rest] + member[rest].sum()
        above[subset] = above[rest] + before[low]
    best, count, most = np.full(1 << n, np.inf), np.zeros(1 << n), np.zeros(1 << n, dtype=int)
    count_most = np.zeros(1 << n)
    best[0], count[0], count_most[0] = 0.0, 1, 1
    for subset in range(1, 1 << n):
        last = [subset]  # the last bucket: each part of the subset but the empty one
        while last[-1]:
            last.append((last[-1] - 1) & subset)
        last = np.array(last[:-1])
        ahead = subset ^ last
        total = best[ahead] + within[last] + (above[ahead] * member[last]).sum(axis=1)
        best[subset] = total.min()
        kept = total <= best[subset] + 1e-9
        count[subset] = count[ahead[kept]].sum()
        n_tied = most[ahead[kept]] + ties[last[kept]]
        most[subset] = n_tied.max()
        count_most[subset] = count_most[ahead[kept]][n_tied == n_tied.max()].sum()
    return best[-1], count[-1], most[-1], count_most[-1]


@pytest.mark.parametrize(
    ("n", "seed"), [(7, 0), (7, 1), (8, 2), (8, 3), (7, 23), (7, 112), (7, 395), (8, 51), (8, 81), (8, 214)]
)
def test_kemeny_weak_selects_a_cheapest_order_with_the_most_ties(n, seed):
    rng = np.random.default_rng(seed)
    rows = [("q", v, item, rank) for v in range(6) for item, rank in enumerate(rng.integers(0, 6, n))]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    cost, count, most, _ = cheapest_weak_orders(*pair_costs(*pairwise_preferences(frame), 0.5))
    consensus, info = Kemeny(consensus_ties="weak").aggregate(frame)
    assert info["kemeny_score"][0] == cost and info["unique"][0] == (count == 1)
    rank = published(consensus)
    n_ties = (np.bincount(rank) * (np.bincount(rank) - 1)).sum() // 2
    # Each of several components has the most ties; seeds with one component have the most overall.
    assert n_ties == most if seed > 3 else n_ties <= most


# ---------------------------------------------------------------------- by hand


@pytest.mark.parametrize("seed", range(30))
def test_cheapest_buckets_counts_the_cheapest_orders_with_ties(seed):
    rng = np.random.default_rng(seed)
    n, most = int(rng.integers(1, 6)), int(rng.integers(1, 5))
    before, level = rng.integers(0, most + 1, (2, n, n)) * 1.0
    level = np.minimum(level, level.T)
    ranks, total = ORDERS[n, "weak"], 0.0
    for i, j in itertools.combinations(range(n), 2):
        above, below = ranks[:, i] < ranks[:, j], ranks[:, i] > ranks[:, j]
        total = total + np.where(above, before[i, j], np.where(below, before[j, i], level[i, j]))
    total = total + np.zeros(len(ranks))
    n_tied = np.array([_weak.n_ties(rank) for rank in ranks])
    least, optimal = total.min(), total == total.min()
    for known in (least, total.max() + 1):
        cost, n_ways, most_ties, n_ways_to_tie, bucket = cheapest_buckets(before, level, known, 10**6)
        assert (cost, n_ways, most_ties) == (least, min(2, optimal.sum()), n_tied[optimal].max())
        assert n_ways_to_tie == min(2, np.count_nonzero(optimal & (n_tied == most_ties)))
        own = (ranks == bucket).all(axis=1)
        assert optimal[own].all() and n_tied[own] == most_ties
    assert cheapest_buckets(before, level, least - 1, 10**6)[1] == 0
    assert cheapest_buckets(before, level, least, 3)[1] == -1


@pytest.mark.parametrize("seed", range(3))
def test_cheapest_buckets_is_independent_of_the_order_of_items(seed):
    rng = np.random.default_rng(seed)
    n = 8
    before, level = rng.integers(0, 4, (2, n, n)) * 1.0
    level = np.minimum(level, level.T)
    cost, count, most, count_most = cheapest_weak_orders(before, level)
    for _ in range(5):
        items = rng.permutation(n)
        found = cheapest_buckets(before[items[:, None], items], level[items[:, None], items], cost + 5, 10**8)
        assert found[:4] == (cost, min(2, count), most, min(2, count_most))
        bucket = np.empty(n, dtype=int)
        bucket[items] = found[4]
        assert _weak.n_ties(bucket) == most
        assert costs_of(before, level, bucket) == cost


def costs_of(before, level, bucket):
    """Sum the cost of an order with ties, pair by pair."""
    total = 0.0
    for i, j in itertools.combinations(range(len(bucket)), 2):
        total += before[i, j] if bucket[i] < bucket[j] else before[j, i] if bucket[i] > bucket[j] else level[i, j]
    return total


def settled(before, level, start, few, monkeypatch):
    """Return a component after proof and tie rule, with subsets of up to `few` items or by programmes."""
    monkeypatch.setattr(_weak, "_FEW_ITEMS", few)
    part = _weak._Component(before, level, Budget())
    part.search(start)
    part.search(np.zeros_like(start))
    part.prove(lambda cost, bound: None)
    assert part.met()
    part.tie()
    part.settle()
    return part


@given(seed=st.integers(0, 10**6))
@settings(max_examples=80, deadline=None)
def test_small_components_select_the_order_with_the_most_ties(seed):
    rng = np.random.default_rng(seed)
    n, m, spread = int(rng.integers(2, 8)), int(rng.integers(2, 8)), int(rng.integers(2, 9))
    rank, weight = rng.integers(0, spread, (m, n)), rng.integers(1, 4, m)
    rows = [("q", v, i, rank[v, i], weight[v]) for v in range(m) for i in range(n) if v == 0 or rng.random() < 0.8]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    matrices = pairwise_preferences(frame, absent=rng.choice(["last", "ignore"]))
    before, level = pair_costs(*matrices, rng.choice([0.5, 0.5, 1.0]))
    start = rng.permutation(n)
    with pytest.MonkeyPatch.context() as monkeypatch:
        found = settled(before, level, start, 15, monkeypatch)
        expected = settled(before, level, start, 0, monkeypatch)
    assert found.programme is None and expected.programme is not None
    cost, count, most, count_most = cheapest_weak_orders(found.before, found.level)
    assert found.cost == found.bound == found._cost(found.bucket, found.level) == cost == expected.cost
    assert found.only == (count == 1) and _weak.n_ties(found.bucket) == most
    # Of orders that tie as many pairs, the one that the search finds stays.
    searched = _weak._Component(before, level, Budget())
    searched.search(start)
    searched.search(np.zeros_like(start))
    if searched.cost == cost and _weak.n_ties(searched.bucket) == most:
        assert found.bucket.tolist() == searched.bucket.tolist()
    # Where several orders tie the most pairs, the solver takes any of them.
    if count_most == 1 and _weak.n_ties(expected.bucket) == most:
        assert found.bucket.tolist() == expected.bucket.tolist()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("part", [0.1, 0.25, 0.4])
@pytest.mark.parametrize("seed", range(8))
def test_settle_components_does_not_treat_fractional_costs_as_integers(part, seed, monkeypatch):
    # A tie costs a part, which rounds down, more than the cheaper order.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    before = rng.integers(0, 5, (n, n)) * 1.0
    level = np.minimum(before, before.T) + part / 2
    found = settled(before, level, rng.permutation(n), 15, monkeypatch)
    assert found.programme is not None
    cost, count, _, _ = cheapest_weak_orders(found.before, found.level)
    assert found.cost == pytest.approx(cost, abs=1e-9) and found.only in (None, count == 1)


@given(seed=st.integers(0, 10**6), unit=st.sampled_from([1.0, 0.1, 2**0.5]), near=st.sampled_from([0.0, 2e-9, 1e-7]))
@settings(max_examples=60, deadline=None)
def test_component_step_divides_its_costs_and_exceeds_all_tie_bonuses(seed, unit, near):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    before, level = (rng.integers(0, 6, (2, n, n)) + near * rng.integers(0, 2, (2, n, n))) * unit
    part = _weak._Component(before, np.minimum(level, level.T), Budget())
    costs = np.concatenate([part.before.ravel(), part.level.ravel()])
    if part.step:
        assert np.abs(costs - part.step * np.round(costs / part.step)).max() <= 1e-9 * max(1, costs.max())
        assert part.bonus * n * (n - 1) / 2 < part.step
    else:
        assert near or not costs.any()


@pytest.mark.parametrize("seed", range(20))
def test_levels_keep_component_orders_at_no_cost(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    # Components of neighbours, whose first bucket is 0; any pair may tie, or change places, at no cost.
    component = np.sort(rng.integers(0, 3, n))
    parts = []
    for k in np.unique(component):
        items = np.flatnonzero(component == k)
        parts.append((items, np.unique(rng.integers(0, 3, len(items)), return_inverse=True)[1]))
    level, after = rng.integers(0, 2, (2, n, n)) * 1.0
    level = np.minimum(level, level.T)
    first = component[:, None] < component
    found = Stack(parts, np.where(first, 0.0, after), level, 1e-9).levels()
    assert set(found) == set(range(max(found) + 1))
    for items, bucket in parts:
        np.testing.assert_array_equal(np.sign(np.subtract.outer(found[items], found[items])),
                                      np.sign(np.subtract.outer(bucket, bucket)))  # fmt: skip
    for i, j in zip(*np.nonzero(first), strict=True):
        assert found[i] < found[j] or (level if found[i] == found[j] else after.T)[i, j] == 0


@pytest.mark.parametrize("seed", range(25))
def test_ordered_components_is_the_same_for_few_items(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    arc = rng.random((n, n)) < rng.choice([0.05, 0.15, 0.3])
    np.fill_diagonal(arc, False)
    strength = rng.integers(-3, 4, n) * 1.0
    found = _components.ordered_components(arc, strength)
    monkeypatch.setattr(_components, "_FEW_ITEMS", 0)
    expected = _components.ordered_components(arc, strength)
    assert [one.tolist() for one in found] == [one.tolist() for one in expected]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(12))
def test_kemeny_weak_is_the_same_with_subsets_and_integer_programmes(seed, monkeypatch):
    frame = example_lists(seed, n_queries=3, n_items=5 + seed % 5)
    method = Kemeny(consensus_ties="weak", absent=("last", "ignore")[seed % 2])
    found = method.aggregate(frame)
    monkeypatch.setattr(_weak, "_FEW_ITEMS", 0)
    expected = method.aggregate(frame)
    pd.testing.assert_frame_equal(found[0], expected[0], check_exact=True)
    known = expected[1]["unique"].notna()
    pd.testing.assert_frame_equal(found[1].drop(columns="unique"), expected[1].drop(columns="unique"))
    assert (found[1]["unique"] == expected[1]["unique"])[known].all()


def test_kemeny_weak_ties_opposite_lists():
    opposite = profile("ab", "ba")
    consensus, info = Kemeny(consensus_ties="weak").aggregate(opposite)
    assert consensus["score"].tolist() == [0, 0] and info["kemeny_score"][0] == 1
    assert not info["unique"][0]
    assert not Kemeny().aggregate(opposite)[1]["unique"][0]


@pytest.mark.parametrize("ties", ["strict", "weak"])
def test_kemeny_is_unique_for_one_item_or_one_list(ties):
    for frame in (profile("a"), profile("abc")):
        info = Kemeny(consensus_ties=ties).aggregate(frame)[1]
        assert info["unique"].dtype == "boolean" and info["unique"][0]


def test_kemeny_weak_puts_an_undetermined_item_on_the_middle_level():
    # d is first in one list and last in the other: it may tie with each of a, b and c, which follow one another.
    consensus = Kemeny(consensus_ties="weak").fit_transform(profile("dabc", "abcd"))
    assert published(consensus).tolist() == [0, 1, 2, 1]


def test_kemeny_unique_is_missing_if_not_proven(monkeypatch):
    cycle = profile("abc", "bca", "cab")
    for method in ("local-search", "iterated-local-search"):
        assert Kemeny(method=method).aggregate(cycle)[1]["unique"][0] is pd.NA
    # The same cycle below two items that no majority separates: that is enough.
    draw = profile("xyabc", "yxbca", "xycab", "yxabc")
    assert Kemeny(method="local-search").aggregate(draw)[1]["unique"][0] == False  # noqa: E712, is False or NA
    monkeypatch.setattr(_estimator, "_EASY_ITEMS", 2)
    info = Kemeny().aggregate(cycle)[1]
    assert info["stop_reason"][0] == "large component" and info["unique"][0] is pd.NA


def test_kemeny_unique_is_missing_if_the_search_limit_is_reached(monkeypatch):
    # Unequal weights leave one order of each kind; without programmes there is no proof of it.
    frame = profile("abcde", "bcdea", "cdeab", "deabc", "eabcd")
    frame["weight"] = frame["voter"].map(dict(zip([f"v{v}" for v in range(5)], (10, 11, 13, 17, 23), strict=True)))
    for ties in ("strict", "weak"):
        assert Kemeny(consensus_ties=ties).aggregate(frame)[1]["unique"][0]
    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    monkeypatch.setattr(_weak, "_FEW_ITEMS", 0)
    monkeypatch.setattr(_unique, "_PROGRAMMES", 0)
    monkeypatch.setattr(_unique, "_PER_PROGRAMME", 0)
    monkeypatch.setattr(_weak, "_PROGRAMMES", -np.inf)
    for ties in ("strict", "weak"):
        info = Kemeny(consensus_ties=ties).aggregate(frame)[1]
        assert info["optimal"][0] and info["unique"][0] is pd.NA


def component(before, level):
    return _weak._Component(np.array(before, dtype=float), np.array(level, dtype=float), Budget())


def test_merged_ties_two_groups_if_only_the_whole_merge_costs_nothing():
    # With a, b above c, d: tying a-c and b-d saves 1 each, and tying a-d and b-c costs 1 each.
    before, level = np.zeros((4, 4)), np.zeros((4, 4))
    before[2:, :2] = 9
    before[[0, 1, 0, 1, 2, 3], [2, 3, 1, 0, 3, 2]] = 1
    level[[0, 1, 3, 2], [3, 2, 0, 1]] = 1
    part, groups, one = component(before, level), np.array([0, 0, 1, 1]), np.zeros(4, dtype=int)
    assert costs_of(before, level, groups) == costs_of(before, level, one) == 2
    assert all(costs_of(before, level, np.where(np.arange(4) == k, 1 - groups, groups)) > 2 for k in range(4))
    assert part._merged(groups).tolist() == [0] * 4
    level[0, 3] = level[3, 0] = 1.5
    assert component(before, level)._merged(groups).tolist() == [0, 0, 1, 1]


def test_take_of_a_cheaper_order_makes_uniqueness_unknown():
    part = component([[0, 0], [5, 0]], [[0, 2], [2, 0]])
    part.bucket, part.cost, part.only = np.array([1, 0]), 5.0, False
    assert part._take(np.array([0, 0])) and part.cost == 2 and part.only is None
    assert part._take(np.array([0, 1])) and part.cost == 0 and part.only is None


def test_settle_replaces_an_order_by_the_counted_order_with_more_ties():
    # Each order of two items costs nothing, and neither does a tie.
    part = component(np.zeros((2, 2)), np.zeros((2, 2)))
    part.bucket, part.cost, part.only, part.most_tied = np.array([0, 1]), 0.0, False, np.array([0, 0])
    part.settle()
    assert part.bucket.tolist() == [0, 0]


class Rounds:
    """A programme with given solutions, which may end with an exception."""

    n_solved = 0

    def __init__(self, solutions, error=None):
        self.solutions, self.error = solutions, error

    def rounds(self, level, **options):
        yield from self.solutions
        if self.error is not None:
            raise self.error


def above(rank):
    return (np.array(rank)[:, None] <= np.array(rank)).astype(float)


def test_prove_component_raises_the_bound_to_the_cost_after_the_last_programme():
    # A cycle whose cheapest pair costs 0.3; the solver's bound is slightly too low, and costs have no common divisor.
    before = np.zeros((3, 3))
    before[[1, 2, 0], [0, 1, 2]] = 0.3, 2**0.5, 0.7
    part = component(before, np.full((3, 3), 2.0))
    part.search(np.array([2, 1, 0]))
    part.programme = Rounds([(above([2, 0, 1]), 0.3 - 1e-6)])
    part._prove()
    assert part.bucket.tolist() == [2, 0, 1] and part.bound == part.cost == pytest.approx(0.3)


@pytest.mark.parametrize("error", [None, Infeasible()])
def test_look_for_ties_keeps_the_order_if_no_programme_finds_more_ties(error):
    part = component(np.zeros((2, 2)), np.ones((2, 2)))
    part.bucket, part.cost, part.only = np.array([0, 1]), 0.0, False
    part.programme = Rounds([(above([1, 0]), -9.0)], error)
    part._look_for_ties(5)
    assert part.bucket.tolist() == [0, 1] and part.cost == 0 and part.only is False


def test_look_for_another_leaves_uniqueness_open_if_the_programmes_end_without_a_proof():
    part = component([[0, 0], [1, 0]], np.ones((2, 2)))
    part.bucket, part.cost = np.array([0, 1]), 0.0
    part.programme = Rounds([(above([0, 1]), 0.0)])
    part._look_for_another(5)
    assert part.only is None
    part.programme = Rounds([(above([1, 0]), 1.0)])  # another order costs more
    part._look_for_another(5)
    assert part.only is True


@pytest.mark.parametrize("seed", range(4))
def test_count_leaves_the_proof_to_programmes_after_too_many_steps(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    before, level = rng.integers(0, 5, (2, 5, 5)) * 1.0
    level = np.minimum(level, level.T)
    monkeypatch.setattr(_weak, "_STEPS", 1)
    found = settled(before, level, np.arange(5), 15, monkeypatch)
    cost, count, _, _ = cheapest_weak_orders(found.before, found.level)
    assert found.programme is not None and found.cost == found.bound == cost and found.only == (count == 1)


@pytest.mark.parametrize(("status", "reason"), [(1, "time limit"), (4, "solver")])
def test_relation_programme_without_a_bound_of_the_solver_is_unfinished(status, reason, monkeypatch):
    before, level = np.ones((3, 3)), np.ones((3, 3))
    programme = RelationProgramme(before, level, 1.0, Budget())
    bounds = np.stack([np.zeros(6), np.ones(6)])
    stopped = SimpleNamespace(status=status, x=None, mip_dual_bound=None)
    monkeypatch.setattr(_budget, "milp", lambda *args, **options: stopped)
    with pytest.raises(Unfinished) as caught:
        programme._solve(level, None, bounds, None, True, {})
    assert caught.value.bound == -np.inf and caught.value.reason == reason


def test_kemeny_weak_local_search_has_an_unproven_score_and_a_valid_bound():
    frame = rotations()
    least = Kemeny(consensus_ties="weak").aggregate(frame)[1].loc[0]
    found = Kemeny(consensus_ties="weak", method="local-search").aggregate(frame)[1].loc[0]
    assert least["optimal"] and not found["optimal"]
    assert found["lower_bound"] <= least["kemeny_score"] <= found["kemeny_score"]


def rotations():
    """Five lists of five items, each beginning with another one; one order costs least."""
    frame = profile("abcde", "bcdea", "cdeab", "deabc", "eabcd")
    return frame.assign(weight=frame["voter"].map({f"v{v}": w for v, w in enumerate((10, 11, 13, 17, 23))}))


def test_kemeny_weak_skips_the_search_for_ties_if_the_order_is_unique(monkeypatch):
    monkeypatch.setattr(_weak, "_FEW_ITEMS", 0)
    looked = []
    monkeypatch.setattr(_weak._Component, "_look_for_ties", lambda self, limit: looked.append(self.only))
    assert Kemeny(consensus_ties="weak").aggregate(rotations())[1]["unique"][0]
    assert looked == []
    # Where there is another one, they do.
    cycle = profile("abc", "bca", "cab")
    assert not Kemeny(consensus_ties="weak").aggregate(cycle)[1]["unique"][0]
    assert looked == [False]


@pytest.mark.parametrize("seed", [7, 146])
def test_kemeny_weak_proves_uniqueness_in_several_rounds(seed, monkeypatch):
    # The first round after the known order is cut off ends with fractions.
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(5, 9)), int(rng.integers(3, 8))
    ranks, weights = [rng.permutation(n) for _ in range(m)], rng.integers(1, 30, m)
    rows = [("q", v, item, ranks[v][item], weights[v]) for v in range(m) for item in range(n)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    before, level = pair_costs(*pairwise_preferences(frame), 0.5)
    found = settled(before, level, np.arange(n), 0, monkeypatch)
    assert found.only and cheapest_weak_orders(found.before, found.level)[1] == 1


def test_kemeny_weak_unique_is_missing_if_the_solver_fails(monkeypatch):
    monkeypatch.setattr(_weak, "_FEW_ITEMS", 0)
    settle = _weak._Component.settle

    def give_up(self):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_budget, "linprog", lambda *args, **options: SimpleNamespace(status=4, x=None))
            settle(self)

    monkeypatch.setattr(_weak._Component, "settle", give_up)
    info = Kemeny(consensus_ties="weak").aggregate(rotations())[1]
    assert info["optimal"][0] and info["unique"][0] is pd.NA


def noting(solved, now, solve):
    """A solver that records its calls."""

    def solver(*args, **parameters):
        solved.append(now[0])
        return solve(*args, **parameters)

    return solver


@pytest.mark.parametrize("ties", ["strict", "weak"])
def test_kemeny_does_not_search_another_order_after_the_time_limit(ties, monkeypatch):
    # The clock passes the limit as soon as the optimum is proven.
    frame = profile("abcde", "bcdea", "cdeab", "deabc", "eabcd")
    frame["weight"] = frame["voter"].map(dict(zip([f"v{v}" for v in range(5)], (10, 11, 13, 17, 23), strict=True)))
    now, late = [0.0], (_unique, "only_order") if ties == "strict" else (_weak._Component, "settle")
    original = getattr(*late)

    def pass_time(*args):
        now[0] = 100.0
        return original(*args)

    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    monkeypatch.setattr(_weak, "_FEW_ITEMS", 0)
    monkeypatch.setattr(late[0] if ties == "weak" else _estimator, late[1], pass_time)
    monkeypatch.setattr(_budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    solved = []
    for name in ("linprog", "milp"):
        monkeypatch.setattr(_budget, name, noting(solved, now, getattr(_budget, name)))
    info = Kemeny(consensus_ties=ties, method="exact", time_limit=50).aggregate(frame)[1]
    assert info["optimal"][0] and info["unique"][0] is pd.NA
    assert solved and 100.0 not in solved
