"""kemeny_ties: neighbours in Kemeny's order that can be swapped, compared with the costs of all orders."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import Kemeny, RankedLists
from skrankagg.aggregators import condorcet_components, kemeny_score, pairwise_preferences
from skrankagg.datasets import make_mallows
from skrankagg.exceptions import InputError
from skrankagg.inspection import kemeny_ties
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

COLUMNS = ["query", "item", "next_item", "cost", "component", "optimal", "unique"]


def test_kemeny_ties_equals_an_example_by_hand():
    # a and b draw, c is below both in 3 of 4 lists at least, and c is above d in 3 of 4.
    lists = [list("abcd"), list("bacd"), list("abdc"), list("bacd")]
    found = kemeny_ties(lists, max_cost=math.inf)
    assert found.columns.tolist() == COLUMNS
    assert found[["item", "next_item", "cost"]].to_numpy().tolist() == [
        ["a", "b", 0.0],
        ["b", "c", 4.0],
        ["c", "d", 2.0],
    ]
    assert found["optimal"].all() and not found["unique"].any() and found["component"].isna().all()
    assert kemeny_ties(lists, max_cost=2)["item"].tolist() == ["a", "c"]
    assert kemeny_ties(lists)["item"].tolist() == ["a"]


def test_kemeny_ties_of_a_symmetric_cycle_is_empty_though_orders_are_not_unique():
    cycle = [list("abc"), list("bca"), list("cab")]
    assert kemeny_ties(cycle).empty
    found = kemeny_ties(cycle, max_cost=1)
    assert found["cost"].tolist() == [1.0, 1.0] and found["component"].tolist() == [1, 1]
    assert not found["unique"].any() and found["optimal"].all()


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(
    seed=st.integers(0, 10**6),
    absent=st.sampled_from(["last", "ignore"]),
    max_cost=st.sampled_from([0.0, 1.0, math.inf]),
)
@settings(max_examples=60, deadline=None)
def test_kemeny_ties_costs_equal_those_of_all_orders(seed, absent, max_cost):
    X = example_lists(seed, n_queries=2, n_voters=4, n_items=5)
    weight = np.random.default_rng(seed).choice([1.0, 1.0, 2.0, 0.5], 100)
    X = X.assign(weight=weight[X.groupby(["query", "voter"]).ngroup()])
    found = kemeny_ties(X, absent=absent, max_cost=max_cost)
    consensus = Kemeny(absent=absent).fit_transform(X)
    rows = []
    for query, one in X.groupby("query"):
        prefer, tied = pairwise_preferences(one, absent=absent)
        items = sorted(one["item"].unique())
        scores = {
            order: kemeny_score(np.argsort(order), prefer, tied) for order in itertools.permutations(range(len(items)))
        }
        least = min(scores.values())
        best = [order for order, score in scores.items() if score <= least + 1e-9]
        order = [items.index(item) for item in consensus[consensus["query"] == query]["item"]]
        assert scores[tuple(order)] == pytest.approx(least)
        parts = {int(i): k for k, part in enumerate(condorcet_components(prefer), 1) for i in part}
        for k in range(len(order) - 1):
            turned = [*order[:k], order[k + 1], order[k], *order[k + 2 :]]
            cost = scores[tuple(turned)] - least
            if cost <= max_cost + 1e-9:
                one, two = order[k], order[k + 1]
                part = parts[one] if parts[one] == parts[two] else None
                rows.append([query, items[one], items[two], cost, part, True, len(best) == 1])
            # A swap at no cost gives another best order, so a unique order has no such neighbours.
            assert (cost < 1e-9) == (tuple(turned) in best)
    assert len(found) == len(rows)
    for (_, row), expected in zip(found.iterrows(), rows, strict=True):
        assert row["cost"] == pytest.approx(expected.pop(3), abs=1e-9)
        got = [None if value is pd.NA else value for value in row.drop("cost")]
        assert got == expected


def test_kemeny_ties_applies_query_and_voter_weights():
    X = example_lists(3, n_queries=3, n_voters=3, n_items=6, full=True)
    every = kemeny_ties(X, max_cost=math.inf)
    one = kemeny_ties(RankedLists.from_frame(X), max_cost=math.inf, query="q1")
    pd.testing.assert_frame_equal(one, every[every["query"] == "q1"].reset_index(drop=True))
    first = X["voter"].iloc[0]
    heavy = kemeny_ties(X, max_cost=math.inf, voter_weights={voter: 1 + 2 * (voter == first) for voter in X["voter"]})
    weighed = kemeny_ties(X.assign(weight=1.0 + 2.0 * (X["voter"] == first)), max_cost=math.inf)
    pd.testing.assert_frame_equal(heavy, weighed)


def test_kemeny_ties_does_not_claim_unproven_optimality():
    lists = make_mallows(n_voters=9, n_items=70, phi=1.0, random_state=0)
    found = kemeny_ties(lists, max_cost=math.inf)
    assert len(found) == 69 and not found["optimal"].any() and (found["cost"] >= 0).all()
    assert found["unique"].dropna().empty or not found["unique"].dropna().any()


def test_kemeny_ties_of_a_single_item_is_empty():
    found = kemeny_ties([["a"]])
    assert found.empty and found.columns.tolist() == COLUMNS
    full = kemeny_ties([list("abcd"), list("bacd"), list("abdc"), list("bacd")])
    assert found.dtypes.astype(str).tolist()[3:] == full.dtypes.astype(str).tolist()[3:]


def test_kemeny_ties_rejects_invalid_arguments():
    for cost in (-1, math.nan, "0", True):
        with pytest.raises(InputError, match="`max_cost` must be a number of at least 0"):
            kemeny_ties([["a", "b"]], max_cost=cost)
    with pytest.raises(InputError, match="queries"):
        kemeny_ties([["a", "b"]], query="p")
    with pytest.raises(ValueError, match="absent"):
        kemeny_ties([["a", "b"]], absent="first")
