"""Kemeny with pins and orders, compared with all orders that meet them."""

import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest

from skrankagg import Kemeny, RankedLists
from skrankagg._kernels import COMPILED
from skrankagg.aggregators import kemeny_order, kemeny_score, pairwise_preferences
from skrankagg.aggregators._kemeny import _proof, _restriction, _unique
from skrankagg.aggregators._kemeny._branching import branch
from skrankagg.aggregators._kemeny._budget import Budget
from skrankagg.aggregators._kemeny._pins_and_orders import Constraints, Order, Pin
from skrankagg.aggregators._kemeny._restriction import Restriction
from skrankagg.aggregators._kemeny._search import order_cost
from skrankagg.aggregators._kemeny._triangles import TrianglePolytope
from skrankagg.datasets import make_mallows, make_ranked_lists
from skrankagg.exceptions import InputError

pytestmark = [
    pytest.mark.twice,
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning"),
    pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning"),
]

WEIGHTS = (
    [1] * 7,
    [1, 2, 3, 1, 4, 2, 1],
    [0.3, 0.1, 0.2, 0.7, 1.5, 0.9, 0.4],
    [2**0.5, 1.1, 0.7, 3**0.5, 1, 0.6, 5**0.5],
)


@cache
def all_ranks(n, ties):
    """Return all orders of n items, int8 of shape (n_orders, n): the level of each item, levels without gaps."""
    if not ties:
        return np.array(list(itertools.permutations(range(n))), dtype=np.int8)
    ranks = {(0,)}
    for _ in range(n - 1):
        new = set()
        for rank in ranks:
            for k in range(max(rank) + 1):
                new.add((*rank, k))
            for k in range(max(rank) + 2):
                new.add((*(r + (r >= k) for r in rank), k))
        ranks = new
    return np.array(sorted(ranks), dtype=np.int8)


def feasible(ranks, items, pins, orders):
    """Return a mask of the orders that meet the pins and orders; entries with other items do not count."""
    position = {item: k for k, item in enumerate(items)}
    mask = np.ones(len(ranks), dtype=bool)
    for item, place in pins.items():
        if item in position:
            mask &= (ranks < ranks[:, [position[item]]]).sum(axis=1) == place - 1
    for above, below in orders:
        if above in position and below in position:
            mask &= ranks[:, position[above]] < ranks[:, position[below]]
    return mask


def scores(ranks, frame, absent, penalty):
    """Return the Kemeny score of each order, pair by pair."""
    prefer, tied = pairwise_preferences(frame, absent=absent)
    total = np.zeros(len(ranks))
    for i, j in itertools.combinations(range(ranks.shape[1]), 2):
        a, b = ranks[:, i], ranks[:, j]
        choices = [prefer[j, i] + penalty * tied[i, j], prefer[i, j] + penalty * tied[i, j]]
        total += np.select([a < b, a > b], choices, penalty * (prefer[i, j] + prefer[j, i]))
    return total


def random_instance(seed, sizes=(2, 3, 4, 5, 6, 7, 8), weights=None):
    """Return a frame of partial lists with ties, pins and orders, and parameters of Kemeny."""
    rng = np.random.default_rng(seed)
    ties = bool(rng.integers(2))
    n = min(int(rng.choice(sizes)), 7 if ties else 8)
    rows = []
    own = WEIGHTS[rng.integers(len(WEIGHTS))] if weights is None else weights
    for v in range(int(rng.integers(1, 8))):
        length = n if rng.random() < 0.4 else int(rng.integers(1, n + 1))
        rank = 1 + np.arange(length) - np.cumsum(rng.random(length) < rng.choice([0.0, 0.3]))
        chosen = rng.permutation(n)[:length]
        rows += [("q", f"v{v}", f"i{k}", int(r), own[v]) for k, r in zip(chosen, rank, strict=True)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    items = sorted(frame["item"].unique())
    pins = {
        item: int(rng.integers(1, len(items) + 1)) for item in rng.permutation(items)[: rng.choice([0, 0, 1, 1, 2, 3])]
    }
    pairs = (
        [tuple(rng.choice(items, 2, replace=False)) for _ in range(rng.choice([0, 1, 2, 3, 5]))]
        if len(items) > 1
        else []
    )
    options = {
        "consensus_ties": "weak" if ties else "strict",
        "absent": str(rng.choice(["last", "ignore"])),
        "penalty": float(rng.choice([0.5, 0.7, 1.0])),
    }
    return frame, pins, pairs, options


def published(consensus, ties):
    """Return the level of each item, in the order of the items, from the scores or the ranks of a consensus."""
    consensus = consensus.sort_values("item")
    return -consensus["score"].to_numpy() if ties else consensus["rank"].to_numpy()


def check_instance(frame, pins, orders, options):
    """Compare Kemeny with all feasible orders; return True if some order is feasible."""
    items, ties = sorted(frame["item"].unique()), options["consensus_ties"] == "weak"
    ranks = all_ranks(len(items), ties)
    cost, mask = scores(ranks, frame, options["absent"], options["penalty"]), feasible(ranks, items, pins, orders)
    kemeny = Kemeny(method="exact", pins=pins, orders=orders, **options)
    if not mask.any():
        with pytest.raises(InputError, match="must allow an order of the items"):
            kemeny.aggregate(frame)
        return False
    consensus, info = kemeny.aggregate(frame)
    info, level = info.iloc[0], published(consensus, ties)
    assert feasible(level[None], items, pins, orders).all()
    assert sorted(consensus["rank"]) == list(range(1, len(items) + 1))
    least = cost[mask].min()
    assert info["kemeny_score"] == pytest.approx(least, abs=1e-9)
    assert scores(level[None], frame, options["absent"], options["penalty"])[0] == pytest.approx(least, abs=1e-9)
    assert info["lower_bound"] == pytest.approx(least, abs=1e-9)
    assert info["optimal"] and info["stop_reason"] == "optimal"
    assert info["unconstrained_score"] == pytest.approx(cost.min(), abs=1e-9)
    if info["unique"] is not pd.NA:
        assert info["unique"] == (np.count_nonzero(cost[mask] <= least + 1e-9) == 1)
    return True


@pytest.mark.sampled(3)
@pytest.mark.interpreted(1)
@pytest.mark.parametrize("batch", range(50))
def test_kemeny_with_pins_and_orders_equals_the_best_of_all_feasible_orders(batch):
    found = [check_instance(*random_instance(seed)) for seed in range(20 * batch, 20 * batch + 20)]
    assert any(found)


# ---------------------------------------------------------------------- parts of the search and of the proof


def least_by_subsets(margin, own):
    """Compute the cost of the best feasible order beyond the majorities' by dynamic programming over first items."""
    n = len(margin)
    subset = np.arange(1 << n)
    member = (subset[:, None] >> np.arange(n)) & 1
    added = member @ np.maximum(margin, 0.0)  # cost of all items of the subset before an item
    size, best = member.sum(axis=1), np.full(1 << n, np.inf)
    best[0] = 0.0
    for place in range(1, n + 1):
        whole = subset[size == place]
        for k in range(n):
            pinned = [pin for pin in own.pins if (pin.item == k) != (pin.place == place)]
            if any(k == item or place == other for item, other in pinned):
                continue
            needed = sum({1 << above for above, below in own.orders if below == k})
            chosen = whole[(whole >> k & 1 == 1) & (whole & needed == needed)]
            before = chosen ^ (1 << k)
            best[chosen] = np.minimum(best[chosen], best[before] + added[before, k])
    return best[-1]


def demands(rng, n, n_pins, n_orders):
    """Return random pins and orders that the random order of their items meets."""
    hidden = rng.permutation(n)
    pins = tuple(Pin(int(hidden[k]), int(k) + 1) for k in rng.choice(n, n_pins, replace=False))
    pairs = np.sort(np.stack([rng.choice(n, 2, replace=False) for _ in range(n_orders)])) if n_orders else []
    return Constraints(0, n, pins, tuple(Order(*map(int, hidden[pair])) for pair in pairs))


def antisymmetric(rng, n, most=3):
    margin = np.triu(rng.integers(-most, most + 1, size=(n, n)), 1).astype(float)
    return margin - margin.T


@pytest.mark.sampled(4)
@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize(("n_pins", "n_orders"), [(0, 4), (1, 0), (3, 0), (2, 3)])
@pytest.mark.parametrize("n", [10, 12])
def test_prove_with_restriction_equals_dynamic_programming_over_subsets(n, n_pins, n_orders, real):
    rng = np.random.default_rng(n + 10 * n_pins + real)
    own = demands(rng, n, n_pins, n_orders)
    margin = antisymmetric(rng, n) * (2**0.5 if real else 1.0)
    if real:
        margin = margin * np.triu(rng.random((n, n)), 1)
        margin = margin - margin.T
    restriction = Restriction(own)
    proven = _proof.prove(margin, rng.permutation(n), rng, Budget(), restriction=restriction)
    assert proven.reason == "optimal" and restriction.allows(proven.order)
    assert proven.cost == proven.bound == pytest.approx(least_by_subsets(margin, own), abs=1e-9)
    assert order_cost(margin, proven.order) == pytest.approx(proven.cost, abs=1e-9)


@pytest.mark.exhaustive
@pytest.mark.parametrize("pinned", [False, True])
def test_branching_with_restriction_equals_dynamic_programming_over_subsets(pinned, monkeypatch):
    branched = []
    monkeypatch.setattr(_proof, "_FEW_ITEMS", 0)
    monkeypatch.setattr(_proof, "_SEARCH_ROUNDS", 0)
    monkeypatch.setattr(
        _proof.State, "search", lambda self, order, rng, n_rounds: self.take(self.restriction.near(order))
    )
    monkeypatch.setattr(TrianglePolytope, "cut_halves", lambda self, x: 0)
    monkeypatch.setattr(_proof, "branch", lambda *given: (branched.append(1), branch(*given)))
    for n, seed in ((14, 0), (14, 6), (15, 2)):
        rng = np.random.default_rng(seed)
        margin = rng.choice([-1.0, 1.0], size=(n, n))
        margin = np.triu(margin, 1) - np.triu(margin, 1).T
        own = demands(rng, n, 2 if pinned else 0, 0 if pinned else 1)
        proven = _proof.prove(margin, np.arange(n), rng, Budget(), restriction=Restriction(own))
        assert proven.cost == proven.bound == least_by_subsets(margin, own)
    assert len(branched) > 1


def test_swap_costs_equal_the_costs_of_the_swapped_orders():
    rng = np.random.default_rng(0)
    margin = rng.normal(size=(7, 7))
    margin -= margin.T
    order = rng.permutation(7)
    change = _restriction._swap_costs(margin[np.ix_(order, order)])
    for a, b in itertools.combinations(range(7), 2):
        swapped = order.copy()
        swapped[[a, b]] = order[[b, a]]
        assert change[a, b] == pytest.approx(order_cost(margin, swapped) - order_cost(margin, order))


def test_polytope_pin_allows_exactly_the_orders_with_the_item_on_its_place():
    for item, place in itertools.product(range(4), range(1, 5)):
        own = Constraints(0, 4, (Pin(item, place),))
        polytope = TrianglePolytope(np.zeros((4, 4)), Budget(), Restriction(own))
        for order in itertools.permutations(range(4)):
            rank = np.argsort(order)
            x = (rank[polytope.first] < rank[polytope.second]).astype(float)
            assert (polytope.cut @ x <= polytope.cut_most).all() == (rank[item] == place - 1)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("n_pins", [0, 1, 3])
def test_restriction_search_returns_feasible_orders_from_any_start(n_pins, ties):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        own = demands(rng, 9, n_pins, 3)
        restriction = Restriction(own, ties=ties)
        margin = antisymmetric(rng, 9)
        if not ties:
            start = rng.permutation(9)
            order = restriction.search(margin, start, 5, rng, Budget())
            assert restriction.allows(order) and sorted(order) == list(range(9))
            assert order_cost(margin, order) <= order_cost(margin, restriction.near(start))
            continue
        start = rng.integers(0, 3, size=9)
        start = np.unique(start, return_inverse=True)[1]
        before, level = restriction.forbid(np.maximum(margin, 0.0), np.abs(margin) / 2)
        bucket = restriction.descend_buckets(before, level, start, 1e-9, lambda: False)
        assert restriction.allows_buckets(bucket) and set(bucket) == set(range(bucket.max() + 1))
        rank = np.array([np.count_nonzero(bucket < one) for one in bucket])
        assert all(rank[item] == place - 1 for item, place in own.pins)


# ---------------------------------------------------------------------- the estimator


def several_queries(seed, n_queries=5, n_items=9):
    lists = make_ranked_lists(n_queries=n_queries, n_voters=4, n_items=n_items, list_length=6, random_state=seed)[0]
    return lists.assign(item=lists["item"].str.replace(r"^q\d+_?", "", regex=True))


@pytest.mark.sampled(4)
@pytest.mark.interpreted(1)
@pytest.mark.parametrize("ties", ["strict", "weak"])
@pytest.mark.parametrize("method", ["auto", "exact", "iterated-local-search", "local-search"])
def test_all_methods_of_kemeny_obey_pins_and_orders(method, ties):
    lists = make_mallows(n_voters=5, n_items=25, phi=0.95, random_state=3)
    items = sorted(lists["item"].unique())
    pins, orders = {items[3]: 9, items[20]: 1, items[8]: 25}, [(items[k + 1], items[k]) for k in (1, 5, 9, 10, 11)]
    kemeny = Kemeny(method=method, consensus_ties=ties, pins=pins, orders=orders, n_restarts=5)
    consensus, info = kemeny.aggregate(lists)
    assert feasible(published(consensus, ties == "weak")[None], items, pins, orders).all()
    info, best = info.iloc[0], Kemeny(method="exact", consensus_ties=ties, pins=pins, orders=orders).aggregate(lists)[1]
    assert info["lower_bound"] <= best["kemeny_score"][0] <= info["kemeny_score"]
    if info["optimal"]:
        assert info["kemeny_score"] == best["kemeny_score"][0]
    assert info["stop_reason"] in ("optimal", "search")
    assert (
        info["unconstrained_score"]
        == Kemeny(method=method, consensus_ties=ties, n_restarts=5).aggregate(lists)[1]["kemeny_score"][0]
    )


@pytest.mark.skipif(not COMPILED, reason="plain Python takes seconds, and other tests run its kernels")
def test_kemeny_with_orders_equals_kemeny_order_with_large_preferences():
    lists = make_mallows(n_voters=9, n_items=35, phi=0.97, random_state=1)
    items = sorted(lists["item"].unique())
    prefer, tied = pairwise_preferences(lists)
    rng = np.random.default_rng(0)
    hidden = rng.permutation(len(items))
    pairs = [sorted(rng.choice(len(items), 2, replace=False), key=hidden.__getitem__) for _ in range(8)]
    forced = prefer.copy()
    for above, below in pairs:
        forced[above, below] += 1e5
    best = kemeny_score(np.argsort(kemeny_order(forced)), prefer, tied)
    info = Kemeny(orders=[(items[above], items[below]) for above, below in pairs]).aggregate(lists)[1].iloc[0]
    assert info["kemeny_score"] == info["lower_bound"] == best > info["unconstrained_score"]


@pytest.mark.parametrize("ties", ["strict", "weak"])
def test_kemeny_applies_pins_and_orders_to_each_query_alone(ties):
    lists = pd.concat(
        [
            pd.DataFrame({"query": query, "voter": voter, "item": list(items), "rank": range(1, len(items) + 1)})
            for query, votes in {"q1": ["abcd", "bcad"], "q2": ["bca", "abc"], "q3": ["xyz", "zyx", "yxz"]}.items()
            for voter, items in zip("uvw", votes, strict=False)
        ]
    )
    options = {"consensus_ties": ties, "pins": {"d": 1, "x": 1}, "orders": [("c", "a"), ("x", "b"), ("d", "b")]}
    consensus, info = Kemeny(**options).aggregate(lists)
    assert info["left_out"].tolist() == [2, 4, 4]
    free = Kemeny(consensus_ties=ties).aggregate(lists)[1]
    assert info["unconstrained_score"].tolist() == free["kemeny_score"].tolist()
    encoded = RankedLists.from_frame(lists)
    for q, query in enumerate(["q1", "q2", "q3"]):
        own, alone = Kemeny(**options).aggregate(encoded.take([q]))
        pd.testing.assert_frame_equal(own, consensus[consensus["query"] == query].reset_index(drop=True))
        pd.testing.assert_frame_equal(alone, info[[*alone]].iloc[[q]].reset_index(drop=True))
    third = consensus[consensus["query"] == "q3"]
    assert third["item"].iloc[0] == "x"


@pytest.mark.parametrize("demand", [{"orders": [("a", "b")]}, {"pins": {"a": 1}}])
def test_kemeny_of_two_items_obeys_a_demand_against_the_majority(demand):
    consensus, info = Kemeny(**demand).aggregate(RankedLists.from_lists([["a", "b"]] + [["b", "a"]] * 3))
    assert consensus["item"].tolist() == ["a", "b"]
    assert info.loc[0, ["kemeny_score", "lower_bound", "unconstrained_score"]].tolist() == [3, 3, 1]
    assert info.loc[0, "unique"] and info.loc[0, "stop_reason"] == "optimal"


def test_kemeny_ties_undecided_neighbours_only_in_queries_without_demands():
    lists = pd.DataFrame(
        [
            (query, voter, item, rank)
            for query, votes in {"q1": ["abc", "bac"], "q2": ["xyz", "yxz"]}.items()
            for voter, items in zip("uv", votes, strict=True)
            for rank, item in enumerate(items, 1)
        ],
        columns=["query", "voter", "item", "rank"],
    )
    consensus = Kemeny(orders=[("b", "a")]).fit_transform(lists)
    score = consensus.set_index("item")["score"]
    assert score["b"] > score["a"] > score["c"] and score["x"] == score["y"] > score["z"]


def test_state_take_leaves_out_cheaper_orders_that_break_a_demand():
    margin = antisymmetric(np.random.default_rng(0), 4)
    best = min(map(np.array, itertools.permutations(range(4))), key=lambda order: order_cost(margin, order))
    known = best[::-1]
    own = Constraints(0, 4, (), (Order(int(best[-1]), int(best[0])),))
    for kind in (_proof.State, _unique._Another):
        state = kind(margin, known, 1.0, Budget(), restriction=Restriction(own))
        cost = state.cost
        assert order_cost(margin, best) < cost
        state.take(best)
        assert state.order is known and state.cost == cost


def test_kemeny_without_applicable_demands_is_unchanged():
    lists = several_queries(0)
    consensus, info = Kemeny().aggregate(lists)
    for demand in ({"pins": {}}, {"orders": []}):
        same, more = Kemeny(**demand).aggregate(lists)
        pd.testing.assert_frame_equal(same, consensus)
        pd.testing.assert_frame_equal(more[list(info)], info)
        assert (more["left_out"] == 0).all() and more["unconstrained_score"].equals(info["kemeny_score"])
    assert "left_out" not in info and "unconstrained_score" not in info


def test_kemeny_refuses_contradictions_before_any_search(monkeypatch):
    monkeypatch.setattr(Kemeny, "_solve", None)
    lists = {"v": {"q1": ["a", "b", "c"], "q2": ["a", "b", "c", "d"]}}
    with pytest.raises(InputError, match=r"query 'q1' of 3 items has no order with 'c' on place 4\. Drop it\.$"):
        Kemeny(pins={"c": 4}).aggregate(lists)
    with pytest.raises(
        InputError, match=r"^`orders` must allow .* has no order with 'a' above 'b' and 'b' above 'a'\."
    ):
        Kemeny(orders=[("a", "b"), ("c", "b"), ("b", "a")]).aggregate(lists)
    both = {"pins": {"a": 1, "b": 1}}
    with pytest.raises(InputError, match=r"^`pins` must allow .* with 'a' on place 1 and 'b' on place 1\."):
        Kemeny(**both).aggregate(lists)
    with pytest.raises(InputError, match=r"^`pins` and `orders` must .* with 'a' on place 1 and 'b' above 'a'\."):
        Kemeny(**both, consensus_ties="weak", orders=[("b", "c"), ("b", "a")]).aggregate(lists)


def test_kemeny_weak_ties_items_with_the_same_pin():
    consensus, info = Kemeny(consensus_ties="weak", pins={"a": 2, "d": 2}).aggregate([list("abcd"), list("abcd")])
    score = consensus.set_index("item")["score"]
    # b is above a and d, which tie, and c is below: the pairs a-b and c-d cost 2, and the tie costs 1.
    assert score["a"] == score["d"] < score["b"] and score["c"] == 0
    assert info["kemeny_score"][0] == 5.0 and info["optimal"][0]


@pytest.mark.parametrize("ties", ["strict", "weak"])
def test_kemeny_never_ties_pinned_or_ordered_items_that_draw(ties):
    lists = [list("abcd"), list("dcba")]
    consensus = Kemeny(consensus_ties=ties, orders=[("d", "a")]).fit_transform(lists)
    score = consensus.set_index("item")["score"]
    assert score["d"] > score["a"]
    pinned = Kemeny(consensus_ties=ties, pins={"d": 1, "a": 3}).fit_transform(lists)
    assert pinned.set_index("item").loc[["d", "a"], "rank"].tolist() == [1, 3] or ties == "weak"
    score = pinned.set_index("item")["score"]
    assert (score > score["d"]).sum() == 0 and (score > score["a"]).sum() == 2


@pytest.mark.parametrize("ties", ["strict", "weak"])
@pytest.mark.parametrize("limit", [1e-6, 0.05])
def test_kemeny_obeys_pins_and_orders_at_the_time_limit(limit, ties):
    lists = make_mallows(n_voters=4, n_items=70, phi=1.0, random_state=0)
    items = sorted(lists["item"].unique())
    pins, orders = {items[0]: 70, items[1]: 33}, [(items[5], items[4]), (items[6], items[5])]
    kemeny = Kemeny(consensus_ties=ties, pins=pins, orders=orders, time_limit=limit)
    consensus, info = kemeny.aggregate(lists)
    assert feasible(published(consensus, ties == "weak")[None], items, pins, orders).all()
    info = info.iloc[0]
    assert info["lower_bound"] <= info["kemeny_score"] and info["unconstrained_score"] <= info["kemeny_score"]
    assert info["stop_reason"] == "time limit" and not info["optimal"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("ties", ["strict", "weak"])
def test_kemeny_with_pins_and_orders_is_independent_of_n_jobs(ties):
    lists = several_queries(1)
    items = sorted(lists["item"].unique())
    options = {"consensus_ties": ties, "pins": {items[0]: 2}, "orders": [(items[3], items[1]), (items[2], items[0])]}
    one, two = (Kemeny(n_jobs=n, **options).aggregate(lists) for n in (None, 2))
    pd.testing.assert_frame_equal(one[0], two[0])
    pd.testing.assert_frame_equal(one[1], two[1])


def test_tags_of_kemeny_with_pins_or_orders_promise_less():
    for demand in ({"pins": {"a": 1}}, {"orders": [("a", "b")]}):
        tags = Kemeny(method="exact", **demand).__sklearn_tags__().aggregator_tags
        assert not tags.condorcet_winner and not tags.unanimity
    tags = Kemeny(method="exact").__sklearn_tags__().aggregator_tags
    assert tags.condorcet_winner and tags.unanimity
