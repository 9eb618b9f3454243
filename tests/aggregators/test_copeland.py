"""Copeland and Condorcet, compared with exact fractions, and cases in which they differ."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import ballots, order, pairwise
from skrankagg import Condorcet, Copeland, RankedLists, _kernels
from skrankagg._arrays import _pairwise
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize(("method", "draw"), [(Condorcet, 0), (Copeland, Fraction(1, 2))])
@pytest.mark.parametrize("absent", ["last", "ignore"])
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=40, deadline=None)
def test_copeland_and_condorcet_equal_exact_fractions(method, draw, absent, seed, weighted):
    frame = example_lists(seed, n_queries=1)
    if weighted:
        frame["weight"] = frame["voter"].map({"v0": 0.1, "v1": 0.2, "v2": 0.3, "v3": 0.1, "v4": 0.0})
    lists, weights = ballots(frame)
    expected = pairwise(lists, weights, draw, absent)
    consensus = method(absent=absent).fit_transform(frame)
    assert consensus["item"].tolist() == order(expected, lists, weights)
    assert consensus["score"].tolist() == [float(expected[item]) for item in consensus["item"]]


def profile(*orders):
    rows = [("q", f"v{v}", item, rank) for v, items in enumerate(orders) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


def test_copeland_counts_a_draw_as_half_a_win_unlike_condorcet():
    frame = profile("ab", "ba")
    assert Condorcet().fit_transform(frame)["score"].tolist() == [0.0, 0.0]
    assert Copeland().fit_transform(frame)["score"].tolist() == [0.5, 0.5]


def test_copeland_ties_the_items_of_a_cycle():
    assert Copeland().fit_transform(profile("abc", "bca", "cab"))["score"].tolist() == [1.0, 1.0, 1.0]


def test_copeland_counts_ranked_items_as_winners_over_absent_ones():
    consensus = Copeland().fit_transform(pd.concat([profile("a"), profile("cb").assign(voter="w", query="r")]))
    assert consensus["score"].tolist() == [0.0, 1.0, 0.0]
    consensus = Copeland().fit_transform(profile("a", "a", "bc")).set_index("item")["score"]
    assert consensus.to_dict() == {"a": 2.0, "b": 1.0, "c": 0.0}


def test_copeland_with_absent_ignore_skips_lists_without_both_items():
    # By the lists that hold both, a beats b and b beats c; a and c never met.
    frame = profile("ab", "b", "b", "bc", "c", "c", "c")
    assert Copeland().fit_transform(frame)["item"].tolist() == ["b", "c", "a"]
    consensus = Copeland(absent="ignore").fit_transform(frame).set_index("item")["score"]
    assert consensus.to_dict() == {"a": 1.5, "b": 1.0, "c": 0.5}
    assert Condorcet(absent="ignore").fit_transform(frame)["score"].tolist() == [1.0, 1.0, 0.0]


def test_condorcet_winner_tag_is_set_for_the_expected_methods():
    promises = {
        type(method).__name__
        for _, method in default_methods()
        if method.__sklearn_tags__().aggregator_tags.condorcet_winner
    }
    assert promises == {
        *("Condorcet", "Copeland", "Minimax", "RankedPairs", "Schulze"),
        *("Kemeny", "KwikSort", "LocalKemenization", "MarkovChain", "SequentialElimination"),
    }


@pytest.mark.parametrize("method", [Condorcet, Copeland])
def test_copeland_and_condorcet_are_independent_of_absent_on_full_lists(method):
    frame = example_lists(full=True)
    pd.testing.assert_frame_equal(method(absent="ignore").fit_transform(frame), method().fit_transform(frame))


@pytest.mark.parametrize("method", [Condorcet, Copeland])
def test_copeland_and_condorcet_reject_an_unknown_absent_option(method):
    with pytest.raises(ValueError, match=f"The 'absent' parameter of {method.__name__} must be a str among"):
        method(absent="below").fit(example_lists())


def test_copeland_treats_rounding_differences_as_draws():
    # 0.1 + 0.2 for a, 0.3 for b: equal, and their floating-point sums are not.
    frame = profile("ab", "ab", "ba").assign(weight=[0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
    assert Copeland().fit_transform(frame)["score"].tolist() == [0.5, 0.5]


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_copeland_is_independent_of_blocks_of_queries(absent, monkeypatch):
    lists = RankedLists.from_frame(example_lists(n_queries=12))
    whole = Copeland(absent=absent).transform(lists)
    monkeypatch.setattr(_kernels.loading, "BLOCK", 50)
    pd.testing.assert_frame_equal(Copeland(absent=absent).transform(lists), whole)


@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_copeland_is_the_same_with_both_counting_algorithms(absent, monkeypatch):
    lists = RankedLists.from_frame(example_lists(n_queries=6, n_voters=300, n_items=12))
    method, consensus = Copeland(absent=absent), {}
    for way in ("kernel", "dense"):
        monkeypatch.setattr(_pairwise, "is_dense", lambda lists, way=way: np.full(lists.n_queries, way == "dense"))
        consensus[way] = method.transform(lists)
    pd.testing.assert_frame_equal(consensus["kernel"], consensus["dense"])
    monkeypatch.setattr(_pairwise, "is_dense", lambda lists: np.arange(lists.n_queries) % 2 == 0)
    pd.testing.assert_frame_equal(method.transform(lists), consensus["dense"])
