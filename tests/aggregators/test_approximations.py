"""KwikSort, PickAPerm, FootruleOptimal and LocalKemenization, compared with all orders, and their guarantees."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles
from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Condorcet,
    FootruleOptimal,
    Kemeny,
    KwikSort,
    LocalKemenization,
    PickAPerm,
    RankedLists,
)
from skrankagg._arrays import TOLERANCE
from skrankagg._kernels import pivot_orders
from skrankagg.aggregators import kemeny_score, pairwise_preferences
from skrankagg.aggregators._kemeny import _footrule, _stacks
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


def full_lists(seed, n_items=6):
    return example_lists(seed, n_queries=1, n_voters=4, n_items=n_items, full=True, with_ties=False)


def scored(consensus, prefer, tied):
    return kemeny_score(consensus.sort_values("item")["rank"], prefer, tied)


@given(seed=st.integers(0, 10**6), full=st.booleans())
@settings(max_examples=15, deadline=None)
def test_footrule_optimal_minimizes_the_footrule_over_all_orders(seed, full):
    frame = example_lists(seed, n_queries=1, n_items=5, full=full)
    items = sorted(frame["item"].unique())
    n = len(items)
    places = []
    for _, rows in frame.groupby("voter"):
        ranks = dict(zip(rows["item"], rows["rank"].rank(method="average"), strict=True))
        places.append([ranks.get(item, (len(rows) + 1 + n) / 2) for item in items])
    least = min(
        sum(abs(place - there) for one in places for place, there in zip(one, order, strict=True))
        for order in itertools.permutations(range(1, n + 1))
    )
    consensus, info = FootruleOptimal().aggregate(frame)
    order = consensus.sort_values("item")["rank"].tolist()
    assert info.loc[0, "footrule"] == pytest.approx(least)
    assert sum(abs(p - t) for one in places for p, t in zip(one, order, strict=True)) == pytest.approx(least)


@given(
    seed=st.integers(0, 10**6),
    n_queries=st.integers(1, 3),
    full=st.booleans(),
    unit=st.sampled_from([1.0, 0.3]),
    cells=st.sampled_from([1, 1 << 14]),
)
@settings(max_examples=40, deadline=None)
@example(seed=2735, n_queries=1, full=False, unit=0.3, cells=1)
def test_footrule_costs_equal_the_sums_over_the_lists(seed, n_queries, full, unit, cells):
    frame = example_lists(seed, n_queries=n_queries, n_voters=6, n_items=5, full=full)
    voters = frame["voter"].unique()
    weight = dict(zip(voters, np.random.default_rng(seed).integers(0, 4, len(voters)) * unit, strict=True))
    lists = RankedLists.from_frame(frame.assign(weight=frame["voter"].map(weight)))
    for n in np.unique(lists.query_n_items):
        queries = np.flatnonzero(lists.query_n_items == n)
        expected = np.zeros((len(queries), n, n))
        for k, q in enumerate(queries):
            for v in range(lists.list_ptr[q], lists.list_ptr[q + 1]):
                rows = slice(lists.row_ptr[v], lists.row_ptr[v + 1])
                place = np.full(n, (lists.list_length[v] + 1 + n) / 2)
                place[lists.candidate[rows] - lists.candidate_ptr[q]] = lists.rank[rows]
                expected[k] += lists.list_weight[v] * np.abs(place[:, None] - np.arange(1, n + 1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_footrule, "_CELLS", cells)  # lists are added block by block
            found = _footrule._footrule_costs(lists, queries)
        # Whole weights give exact sums. Others are rounded to a grid, by this at most from a query's largest cost.
        most = 0 if unit == 1 else TOLERANCE * n * np.maximum(1, expected.max(axis=(1, 2), keepdims=True))
        assert (np.abs(found - expected) <= 1.01 * most).all()


@pytest.mark.parametrize("seed", range(5))
def test_footrule_costs_are_independent_of_the_order_of_lists(seed):
    # None of the weights is whole, so that sums of them round.
    rng = np.random.default_rng(seed)
    orders, weights = [rng.permutation(6) for _ in range(7)], rng.random(7) + 0.1
    costs = []
    for _ in range(4):
        shuffled = rng.permutation(7)
        lists = RankedLists.from_lists([orders[v].tolist() for v in shuffled])
        costs.append(_footrule._footrule_costs(lists.with_list_weight(weights[shuffled]), np.array([0])))
    for other in costs[1:]:
        np.testing.assert_array_equal(other, costs[0])


def test_footrule_optimal_weights_lists():
    frame = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abba"), "rank": [1, 2, 1, 2]})
    consensus, info = FootruleOptimal(voter_weights={"u": 2, "v": 1}).aggregate(frame)
    assert consensus["item"].tolist() == ["a", "b"] and info.loc[0, "footrule"] == 2.0


@pytest.mark.parametrize("seed", range(5))
def test_pivot_orders_finds_the_order_of_consistent_majorities(seed):
    prefer = np.array([[0, 2, 2], [1, 0, 2], [1, 1, 0]])
    (order,) = pivot_orders((prefer.T - prefer)[None] * 1.0, 1, np.random.PCG64(seed).random_raw)[0]
    assert order.tolist() == [0, 1, 2]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_approximations_cost_at_most_twice_the_optimum_on_full_lists(seed):
    frame = full_lists(seed)
    least = Kemeny().aggregate(frame)[1].loc[0, "kemeny_score"]
    prefer, tied = pairwise_preferences(frame)
    for method in (FootruleOptimal(), PickAPerm()):
        consensus, info = method.aggregate(frame)
        assert least <= info.loc[0, "kemeny_score"] <= 2 * least
        assert scored(consensus, prefer, tied) <= 2 * least
    kwik = KwikSort(n_init=30).aggregate(frame)[1].loc[0, "kemeny_score"]
    assert least <= kwik <= 2 * least


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_pick_a_perm_picks_the_cheapest_list(seed):
    frame = example_lists(seed, n_queries=1, n_items=6)
    prefer, tied = pairwise_preferences(frame)
    items = sorted(frame["item"].unique())
    costs = []
    for _, rows in frame.groupby("voter"):
        ranks = dict(zip(rows["item"], rows["rank"], strict=True))
        costs.append(kemeny_score([ranks.get(item, 99) for item in items], prefer, tied))
    assert PickAPerm().aggregate(frame)[1].loc[0, "kemeny_score"] == pytest.approx(min(costs))


def test_pick_a_perm_never_picks_a_list_of_weight_zero():
    frame = full_lists(3)
    consensus = PickAPerm(voter_weights={"v0": 0, "v1": 0, "v2": 1, "v3": 0}).fit_transform(frame)
    mine = frame[frame["voter"] == "v2"].sort_values("rank")["item"].tolist()
    assert consensus["item"].tolist() == mine


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_kwik_sort_keeps_the_best_order_and_reports_its_score(seed):
    frame = example_lists(seed, n_queries=1, n_items=7)
    prefer, tied = pairwise_preferences(frame)
    one, many = (KwikSort(n_init=n).aggregate(frame) for n in (1, 20))
    assert many[1].loc[0, "kemeny_score"] <= one[1].loc[0, "kemeny_score"]
    assert many[1].loc[0, "kemeny_score"] == pytest.approx(scored(many[0], prefer, tied))


@pytest.mark.parametrize("aggregator", [None, CombSUM(norm="rank"), Condorcet(), DIBRA()])
@pytest.mark.parametrize("seed", range(5))
def test_local_kemenization_never_costs_more_and_respects_adjacent_majorities(aggregator, seed):
    frame = example_lists(seed, n_queries=1)
    prefer, tied = pairwise_preferences(frame)
    before = (BordaCount() if aggregator is None else aggregator).fit_transform(frame)
    after = LocalKemenization(aggregator).fit_transform(frame)
    assert scored(after, prefer, tied) <= scored(before, prefer, tied)
    order = np.argsort(after.sort_values("item")["rank"].to_numpy())
    assert (prefer[order[:-1], order[1:]] >= prefer[order[1:], order[:-1]]).all()


def test_local_kemenization_uses_the_fitted_method():
    train, test = example_lists(0), example_lists(1)
    pooled = LocalKemenization(DIBRA(weighting="global")).fit(train)
    expected = LocalKemenization().fit(train)
    assert pooled.transform(test).columns.tolist() == expected.transform(test).columns.tolist()
    pd.testing.assert_frame_equal(
        pooled.aggregator_.voter_weights_, DIBRA(weighting="global").fit(train).voter_weights_
    )
    with pytest.raises(Exception, match="not fitted"):
        LocalKemenization(DIBRA(weighting="global")).transform(test)


def test_local_kemenization_sets_nested_parameters():
    repaired = LocalKemenization(CombSUM()).set_params(aggregator__norm="rank")
    assert repaired.aggregator.norm == "rank"


# ---------------------------------------------------------------------- many queries at once

WEIGHTS = [(1, 1, 1, 1, 1), (1, 2, 3, 1, 4), (0, 2, 0, 1, 0), (0.3, 0.1, 0.2, 0.7, 1.5), (2**0.5, 1.1, 0.7, 3**0.5, 1)]


def of_all_sizes(seed, weights, ties=True):
    """Return queries of 1 to 7 items with up to 5 lists, two of each size."""
    frames = [
        example_lists(seed + n, n_queries=2, n_items=n, with_ties=ties).assign(
            query=lambda frame, n=n: frame["query"] + str(n)
        )
        for n in range(1, 8)
    ]
    frame = pd.concat(frames)
    return frame.assign(weight=frame["voter"].map({f"v{v}": weight for v, weight in enumerate(weights)}))


def each_query(method, frame):
    """Yield for each query its lists, the scores in item order and the published cost."""
    consensus, info = method.aggregate(frame)
    for query, cost in zip(info["query"], info["kemeny_score"], strict=True):
        own = consensus[consensus["query"] == query].sort_values("item")
        yield frame[frame["query"] == query], own["score"].tolist(), cost


def below(rank):
    return [sum(other > mine for other in rank) for mine in rank]


def places(order):
    return [list(order).index(item) for item in range(len(order))]


profiles = {"seed": st.integers(0, 10**6), "weights": st.sampled_from(WEIGHTS), "ties": st.booleans()}
absences = st.sampled_from(["last", "ignore"])


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(**profiles, absent=absences, n_init=st.integers(1, 12), random_state=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_kwik_sort_equals_quicksort_with_the_same_random_pivots(seed, weights, ties, absent, n_init, random_state):
    frame = of_all_sizes(seed, weights, ties)
    drawn = np.random.RandomState(random_state).randint(2**31 - 1)
    method = KwikSort(n_init=n_init, absent=absent, random_state=random_state)
    for lists, score, cost in each_query(method, frame):
        prefer, tied = pairwise_preferences(lists, absent=absent)
        margin = np.round(prefer.T - prefer, 9)
        rng = np.random.default_rng(drawn)
        orders = [oracles.kwik_sort(margin, rng) for _ in range(n_init)]
        costs = [round(oracles.disagreements(places(order), prefer, tied), 9) for order in orders]
        order = orders[costs.index(min(costs))]
        assert cost == pytest.approx(min(costs), abs=1e-8)
        draws = oracles.places_of_draws(margin, order)
        assert score == below([draws[item] for item in range(len(order))])


@pytest.mark.parametrize("n_queries", [1, 2])
def test_pick_a_perm_prefers_a_list_that_contains_the_first_item(n_queries):
    rows = [(q, "u", item, rank) for q in range(n_queries) for rank, item in enumerate("cba", 1)]
    rows += [(q, "v", item, rank) for q in range(n_queries) for rank, item in enumerate("bc", 1)]
    found = PickAPerm().fit_transform(pd.DataFrame(rows, columns=["query", "voter", "item", "rank"]))
    assert found["item"].tolist() == list("cba") * n_queries


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(**profiles, absent=absences)
@settings(max_examples=20, deadline=None)
def test_pick_a_perm_breaks_ties_by_the_ranks_of_the_first_items(seed, weights, ties, absent):
    for lists, score, cost in each_query(PickAPerm(absent=absent), of_all_sizes(seed, weights, ties)):
        prefer, tied = pairwise_preferences(lists, absent=absent)
        items, found = sorted(lists["item"].unique()), []
        weighed = lists[lists["weight"] > 0] if (lists["weight"] > 0).any() else lists
        for _, rows in weighed.groupby("voter"):
            own = rows.set_index("item")["rank"].rank(method="average")
            rank = [own.get(item, 99) for item in items]
            found.append((round(oracles.disagreements(rank, prefer, tied), 9), rank))
        least, rank = min(found)
        assert cost == pytest.approx(least, abs=1e-8) and score == below(rank)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(**profiles, absent=absences)
@settings(max_examples=20, deadline=None)
# All lists of a query weigh 0: nothing is compared.
@example(seed=100, weights=(0, 2, 0, 1, 0), ties=False, absent="last")
def test_local_kemenization_equals_inserting_items_one_by_one(seed, weights, ties, absent):
    frame = of_all_sizes(seed, weights, ties)
    given = BordaCount().fit_transform(frame)
    for lists, score, cost in each_query(LocalKemenization(absent=absent), frame):
        prefer, tied = pairwise_preferences(lists, absent=absent)
        margin = np.round(prefer.T - prefer, 9)
        items = sorted(lists["item"].unique())
        before = given[given["query"] == lists["query"].iloc[0]]["item"]
        order = oracles.inserted(margin, [items.index(item) for item in before])
        assert cost == pytest.approx(oracles.disagreements(places(order), prefer, tied), abs=1e-8)
        group = 0
        rank = {order[0]: 0}
        for above, item in itertools.pairwise(order):
            group += (margin[above] != margin[item]).any()
            rank[item] = group
        assert score == below([rank[item] for item in range(len(order))])


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize(
    "method",
    [KwikSort(), PickAPerm(absent="ignore"), LocalKemenization(), FootruleOptimal(), FootruleOptimal(absent="ignore")],
)
@given(**profiles)
@settings(max_examples=10, deadline=None)
def test_near_methods_treat_queries_independently(method, seed, weights, ties):
    frame = of_all_sizes(seed, weights, ties)
    alone = [method.aggregate(lists) for _, lists in frame.groupby("query")]
    for together, parts in zip(method.aggregate(frame), zip(*alone, strict=True), strict=True):
        pd.testing.assert_frame_equal(together, pd.concat(parts, ignore_index=True), check_exact=True)


@pytest.mark.parametrize("method", [KwikSort(), PickAPerm(), LocalKemenization(), FootruleOptimal()])
def test_near_methods_are_independent_of_stacks_of_queries(method, monkeypatch):
    frame = of_all_sizes(5, WEIGHTS[1])
    expected = method.aggregate(frame)
    monkeypatch.setattr(_stacks, "_SMALL", 4)
    monkeypatch.setattr(_stacks, "_CELLS", 1)
    for one, other in zip(expected, method.aggregate(frame), strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("n", [2, 3, 40])
def test_pivot_orders_uses_the_random_numbers_of_a_generator(n):
    rng = np.random.default_rng(n)
    margin = np.round(rng.normal(size=(n, n)))
    margin = np.triu(margin, 1) - np.triu(margin, 1).T
    found = pivot_orders(
        np.stack([margin, -margin]), 50, lambda k: np.random.default_rng(7).bit_generator.random_raw(k)
    )
    for one, orders in zip((margin, -margin), found, strict=True):
        rng = np.random.default_rng(7)
        assert orders.tolist() == [oracles.kwik_sort(one, rng) for _ in range(50)]


def test_pivot_orders_rejects_biased_draws_of_32_bits():
    # For 3 items to be equally likely, 32 bits are left out whose product with 3 ends in less than 2 ** 32 % 3: zeros.
    bits = np.array([0, 1 << 32 | 1 << 31, 1 << 63, 1 << 63, 0, 0], dtype=np.uint64)
    (order,) = pivot_orders(np.zeros((1, 3, 3)), 1, lambda k: np.resize(bits, k))[0]
    # Half of the range is the item in the middle; numbers of 1/2 put the others below it.
    assert order.tolist() in ([1, 0, 2], [1, 2, 0])


@pytest.mark.parametrize("n", [45, 70, 100])
@pytest.mark.parametrize("seed", range(3))
def test_pivot_orders_draws_more_numbers_if_many_items_tie(n, seed):
    asked = []

    def draw(k):
        asked.append(k)
        return np.random.default_rng(seed).bit_generator.random_raw(k)

    found = pivot_orders(np.zeros((1, n, n)), 2, draw)
    assert len(asked) > 1 and asked[1] == 2 * asked[0]
    rng = np.random.default_rng(seed)
    assert found[0].tolist() == [oracles.kwik_sort(np.zeros((n, n)), rng) for _ in range(2)]


def test_pivot_orders_draws_more_numbers_if_many_are_rejected():
    asked = []

    def draw(k):
        asked.append(k)
        bits = np.zeros(max(k, 31), dtype=np.uint64)  # zeros would favour some of 3 items
        bits[30:] = 1 << 63 | 1 << 31
        return bits[:k]

    margin = np.sign(np.arange(3) - np.arange(3)[:, None]) * -1.0  # each item beats the items after it
    assert pivot_orders(margin[None], 1, draw)[0].tolist() == [[0, 1, 2]]
    assert asked == [12, 24, 48]
