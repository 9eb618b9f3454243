"""KwikSort, pick-a-perm, footrule-optimal and local Kemenization: compared with all orders, and their guarantees."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
)
from skrankagg.aggregators import kemeny_score, pairwise_preferences
from skrankagg.aggregators._kemeny._near import kwik_sort
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


def full_lists(seed, n_items=6):
    return example_lists(seed, n_queries=1, n_voters=4, n_items=n_items, full=True, ties=False)


def scored(consensus, prefer, tied):
    return kemeny_score(consensus.sort_values("item")["rank"], prefer, tied)


@given(seed=st.integers(0, 10**6), full=st.booleans())
@settings(max_examples=15, deadline=None)
def test_the_footrule_is_the_least_of_all_orders(seed, full):
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


def test_the_footrule_weighs_lists():
    frame = pd.DataFrame({"query": "q", "voter": list("uuvv"), "item": list("abba"), "rank": [1, 2, 1, 2]})
    consensus, info = FootruleOptimal(voter_weights={"u": 2, "v": 1}).aggregate(frame)
    assert consensus["item"].tolist() == ["a", "b"] and info.loc[0, "footrule"] == 2.0


@pytest.mark.parametrize("seed", range(5))
def test_kwik_sort_finds_the_order_that_majorities_agree_on(seed):
    prefer = np.array([[0, 2, 2], [1, 0, 2], [1, 1, 0]])
    assert kwik_sort(prefer, np.random.default_rng(seed)).tolist() == [0, 1, 2]


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_guarantees_on_full_lists(seed):
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
def test_the_picked_list_is_the_best_one(seed):
    frame = example_lists(seed, n_queries=1, n_items=6)
    prefer, tied = pairwise_preferences(frame)
    items = sorted(frame["item"].unique())
    costs = []
    for _, rows in frame.groupby("voter"):
        ranks = dict(zip(rows["item"], rows["rank"], strict=True))
        costs.append(kemeny_score([ranks.get(item, 99) for item in items], prefer, tied))
    assert PickAPerm().aggregate(frame)[1].loc[0, "kemeny_score"] == pytest.approx(min(costs))


def test_a_list_of_weight_zero_is_not_picked():
    frame = full_lists(3)
    consensus = PickAPerm(voter_weights={"v0": 0, "v1": 0, "v2": 1, "v3": 0}).fit_transform(frame)
    mine = frame[frame["voter"] == "v2"].sort_values("rank")["item"].tolist()
    assert consensus["item"].tolist() == mine


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_kwik_sort_keeps_the_best_and_its_order_costs_what_it_says(seed):
    frame = example_lists(seed, n_queries=1, n_items=7)
    prefer, tied = pairwise_preferences(frame)
    one, many = (KwikSort(n_init=n).aggregate(frame) for n in (1, 20))
    assert many[1].loc[0, "kemeny_score"] <= one[1].loc[0, "kemeny_score"]
    assert many[1].loc[0, "kemeny_score"] == pytest.approx(scored(many[0], prefer, tied))


@pytest.mark.parametrize("aggregator", [None, CombSUM(norm="rank"), Condorcet(), DIBRA()])
@pytest.mark.parametrize("seed", range(5))
def test_the_repair_never_costs_more_and_leaves_no_majority_against_neighbours(aggregator, seed):
    frame = example_lists(seed, n_queries=1)
    prefer, tied = pairwise_preferences(frame)
    before = (BordaCount() if aggregator is None else aggregator).fit_transform(frame)
    after = LocalKemenization(aggregator).fit_transform(frame)
    assert scored(after, prefer, tied) <= scored(before, prefer, tied)
    order = np.argsort(after.sort_values("item")["rank"].to_numpy())
    assert (prefer[order[:-1], order[1:]] >= prefer[order[1:], order[:-1]]).all()


def test_the_repair_takes_what_its_method_learnt():
    train, test = example_lists(0), example_lists(1)
    pooled = LocalKemenization(DIBRA(weighting="global")).fit(train)
    expected = LocalKemenization().fit(train)
    assert pooled.transform(test).columns.tolist() == expected.transform(test).columns.tolist()
    pd.testing.assert_frame_equal(
        pooled.aggregator_.voter_weights_, DIBRA(weighting="global").fit(train).voter_weights_
    )
    with pytest.raises(Exception, match="not fitted"):
        LocalKemenization(DIBRA(weighting="global")).transform(test)


def test_parameters_of_the_method_are_reached():
    repaired = LocalKemenization(CombSUM()).set_params(aggregator__norm="rank")
    assert repaired.aggregator.norm == "rank"
