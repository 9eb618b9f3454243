"""compare_consensus, compared with examples by hand and with measures of single rankings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata

from skrankagg import BordaCount, CombSUM, Copeland, RankedLists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import compare_consensus
from skrankagg.metrics import kendall_tau, overlap
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

COLUMNS = [
    "query", "n_common", "tau_b", "top_overlap", "leader_changed", "largest_rise", "rising_item", "largest_fall",
    "falling_item",
]  # fmt: skip


def consensus(orders, scores=None):
    frame = pd.DataFrame([(q, item, k + 1) for q, order in orders.items() for k, item in enumerate(order)])
    frame.columns = ["query", "item", "rank"]
    return frame if scores is None else frame.assign(score=np.asarray(scores, dtype=float))


def test_compare_consensus_equals_an_example_by_hand():
    a = consensus({"p": "abc", "q": "xyz"}, [3, 2, 1, 2, 2, 1])
    b = consensus({"p": "bca", "q": "xyz"}, [3, 2, 1, 3, 2, 1])
    found = compare_consensus(a, b, top=1)
    assert found.columns.tolist() == COLUMNS
    assert found["tau_b"].tolist() == pytest.approx([-1 / 3, 2 / np.sqrt(2 * 3)])
    assert found["n_common"].tolist() == [3, 3] and found["top_overlap"].tolist() == [0.0, 1.0]
    assert found["leader_changed"].tolist() == [True, False]
    assert found["largest_rise"].tolist() == [1, 0] and found["rising_item"].tolist() == ["b", None]
    assert found["largest_fall"].tolist() == [2, 0] and found["falling_item"].tolist() == ["a", None]


def test_compare_consensus_uses_ranks_where_ranks_and_scores_conflict():
    ranks, other = consensus({"p": "abcd", "q": "abcd"}), consensus({"p": "bacd", "q": "abcd"})
    conflicting = ranks.assign(score=[1.0, 2.0, 2.0, 0.5, 4.0, 3.0, 2.0, 1.0])  # b and c are tied by score only
    with pytest.warns(UserWarning, match="order the items differently in 1 of"):
        found = compare_consensus(conflicting, other)
    pd.testing.assert_frame_equal(found, compare_consensus(ranks, other))
    assert found["tau_b"].tolist() == pytest.approx([1 - 2 / 6, 1.0])


def test_compare_consensus_of_runs_without_common_items_has_no_tau():
    found = compare_consensus(consensus({"p": "ab"}), consensus({"p": "xyz"}))
    assert found["n_common"].tolist() == [0] and found["top_overlap"].tolist() == [0.0]
    assert found[["tau_b", "largest_rise", "rising_item", "largest_fall", "falling_item"]].isna().all(axis=None)


def test_compare_consensus_handles_items_and_queries_of_one_side_only():
    a = consensus({"p": "abcd", "q": "ab", "r": "ab"})
    b = consensus({"p": "dxb", "r": "xy", "s": "ab"})
    found = compare_consensus(a, b, top=3)
    assert found["query"].tolist() == ["p", "q", "r", "s"] and found["n_common"].tolist() == [2, 0, 0, 0]
    # b is the first, and d the second of the common items in a; b has x between them.
    assert found.loc[0, ["tau_b", "largest_rise", "rising_item", "falling_item"]].tolist() == [-1.0, 1, "d", "b"]
    np.testing.assert_allclose(found["top_overlap"], [1 / 3, np.nan, 0.0, np.nan])
    assert found["leader_changed"].isna().tolist() == [False, True, False, True]
    assert found["leader_changed"].iloc[[0, 2]].all()
    assert found.loc[1:, ["tau_b", "largest_rise", "rising_item", "largest_fall", "falling_item"]].isna().all(axis=None)


@pytest.mark.exhaustive
@given(seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_compare_consensus_equals_measures_of_single_rankings(seed):
    rng = np.random.default_rng(seed)
    X = example_lists(seed, n_queries=4, n_voters=3, n_items=9)
    a, b = BordaCount().fit_transform(X), CombSUM(norm="rank").fit_transform(X)
    # Without some rows and one query, so ranks have gaps.
    b = b[rng.random(len(b)) < 0.8].reset_index(drop=True)
    a = a[(rng.random(len(a)) < 0.9) & (a["query"] != rng.choice(a["query"].unique()))].reset_index(drop=True)
    if not set(a["query"]) & set(b["query"]):
        return
    top = int(rng.integers(1, 6))
    found = compare_consensus(a, b, top=top)
    assert found["query"].tolist() == [*a["query"].unique(), *sorted(set(b["query"]) - set(a["query"]))]
    for row in found.itertuples():
        one, two = (frame[frame["query"] == row.query] for frame in (a, b))
        ranks = [dict(zip(c["item"], rankdata(-c["score"]), strict=True)) for c in (one, two)]
        common = [item for item in one["item"] if item in set(two["item"])]
        assert row.n_common == len(common)
        if not len(one) or not len(two):
            assert np.isnan(row.tau_b) and np.isnan(row.top_overlap) and row.leader_changed is pd.NA
            continue
        np.testing.assert_allclose(row.tau_b, kendall_tau(*ranks))
        orders = one["item"].tolist(), two["item"].tolist()
        np.testing.assert_allclose(row.top_overlap, overlap(*orders, top, ties="w"))
        assert row.leader_changed == (orders[0][0] != orders[1][0])
        if not common:
            continue
        there = [item for item in orders[1] if item in common]
        moves = [common.index(item) - there.index(item) for item in common]
        assert (row.largest_rise, row.largest_fall) == (max(moves), -min(moves))
        if max(moves):
            assert row.rising_item == common[moves.index(max(moves))]
            assert row.falling_item == common[moves.index(min(moves))]


def test_compare_consensus_finds_no_difference_to_itself_in_any_form():
    X = example_lists(1, n_queries=3)
    a = Copeland().fit_transform(X)
    for other in (a, RankedLists.from_frame(a), a.drop(columns="score")):
        found = compare_consensus(a, other)
        assert (found["largest_rise"] == 0).all() and not found["leader_changed"].any()
        assert (found["top_overlap"] == 1).all() and found["rising_item"].isna().all()
    pl = pytest.importorskip("polars", reason="frames of polars")
    assert (compare_consensus(pl.DataFrame(a.to_dict("list")), a)["largest_rise"] == 0).all()


def test_compare_consensus_keeps_the_types_of_ids():
    a = pd.DataFrame({"query": [1, 1, 2, 2], "item": [5, 6, 5, 6], "rank": [1, 2, 1, 2]})
    b = a.assign(rank=[2, 1, 2, 1])
    found = compare_consensus(a, b)
    assert found.dtypes[["query", "rising_item", "falling_item"]].astype(str).unique().tolist() == ["int64"]
    assert found["rising_item"].tolist() == [6, 6] and found["falling_item"].tolist() == [5, 5]


def test_compare_consensus_rejects_invalid_input():
    a = consensus({1: "abc"})
    with pytest.raises(
        InputError, match=r"must share at least one query; they have none in common.*Compare consensuses"
    ):
        compare_consensus(a, a.assign(query="1"))
    with pytest.raises(InputError, match="has 2, one for each voter"):
        compare_consensus(a, pd.concat([a.assign(voter="u"), a.assign(voter="v")]))
    with pytest.raises(InputError, match="`top` must be"):
        compare_consensus(a, a, top=0)
    with pytest.raises(InputTypeError, match="must be a data frame"):
        compare_consensus(a, "abc")
