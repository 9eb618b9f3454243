"""Outranking, compared with exact fractions, plain loops and the published number, and its thresholds."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import ballots, order, outranking
from skrankagg import Outranking, RankedLists, evaluate
from skrankagg._arrays import _pairwise
from skrankagg._arrays._pairwise import rank_matrix
from skrankagg.aggregators._majorities._outranking import (
    _half_places,
    _QueryCounts,
    net_qualification,
    outranking_relation,
)
from skrankagg.datasets import make_rasdagen
from skrankagg.utils._checks._aggregators import check_unanimity
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice


def exact(value, whole):
    return value if isinstance(value, int) else Fraction(str(value)) * whole


def profile(*orders):
    rows = [("q", f"v{v}", item, rank) for v, items in enumerate(orders) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


@given(
    seed=st.integers(0, 10**6),
    weighted=st.booleans(),
    preference=st.sampled_from([0, 1, 3, 0.0, 0.1, 0.3, 1.0]),
    veto=st.sampled_from([0, 1, 2, 100, 0.2, 0.3, 0.75]),
    concordance=st.sampled_from([0, 1, 2, 0.3, 0.5, 0.7]),
    discordance=st.sampled_from([0, 1, 2, 0.0, 0.25, 0.3, 1.0]),
    both_absent=st.sampled_from(["concordant", "ignore"]),
)
@settings(max_examples=150, deadline=None)
def test_outranking_equals_exact_fractions(seed, weighted, preference, veto, concordance, discordance, both_absent):
    frame = example_lists(seed, n_queries=1)
    if weighted:
        frame["weight"] = frame["voter"].map({"v0": 0.1, "v1": 0.2, "v2": 0.3, "v3": 0.1, "v4": 0.0})
    lists, weights = ballots(frame)
    n, total = frame["item"].nunique(), sum(weights.values())
    expected = outranking(
        lists,
        weights,
        exact(preference, n),
        exact(veto, n),
        exact(concordance, total),
        exact(discordance, total),
        both_absent,
    )
    method = Outranking(
        preference=preference, veto=veto, concordance=concordance, discordance=discordance, both_absent=both_absent
    )
    consensus = method.fit_transform(frame)
    assert consensus["item"].tolist() == order(expected, lists, weights)
    assert consensus["score"].tolist() == [float(expected[item]) for item in consensus["item"]]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method",
    [
        Outranking(),
        Outranking(concordance=0.0),
        Outranking(concordance=0.0, both_absent="ignore"),
    ],
    ids=repr,
)
def test_outranking_reproduces_map_on_flagrs_data(method):
    lists, qrels = make_rasdagen()
    assert round(evaluate(method.fit_transform(lists), qrels, "map").loc["run", "map"], 4) == 0.4836


# ---------------------------------------------------------------------- relation and exploitation


def test_outranking_relation_needs_enough_agreement_and_few_objections():
    concordant, discordant = np.array([[3, 2], [1, 3]]), np.array([[0, 0], [1, 0]])
    relation = outranking_relation(concordant, discordant, concordance=1, discordance=0)
    assert relation.tolist() == [[False, True], [False, False]]


def test_net_qualification_removes_the_best_class_in_each_step():
    # a outranks all others and d outranks b. c is ahead of b until d is removed; then neither is.
    relation = np.zeros((4, 4), dtype=bool)
    relation[[0, 0, 0, 3], [1, 2, 3, 1]] = True
    assert net_qualification(relation).tolist() == [2.0, 0.0, 0.0, 1.0]


def test_net_qualification_ties_items_that_outrank_each_other():
    assert net_qualification(np.ones((3, 3), dtype=bool)).tolist() == [0.0, 0.0, 0.0]


@given(seed=st.integers(0, 10**6), n=st.integers(1, 9))
@settings(max_examples=25, deadline=None)
def test_net_qualification_treats_stacked_relations_independently(seed, n):
    relations = np.random.default_rng(seed).random((5, n, n)) < 0.4
    relations[:, np.arange(n), np.arange(n)] = False
    for relation, places in zip(relations, net_qualification(relations), strict=True):
        left, classes = set(range(n)), []
        while left:
            net = {i: sum(int(relation[i, j]) - int(relation[j, i]) for j in left) for i in left}
            classes.append({i for i in left if net[i] == max(net.values())})
            left -= classes[-1]
        assert places.tolist() == [len(classes) - 1 - k for i in range(n) for k, c in enumerate(classes) if i in c]


# ---------------------------------------------------------------------- thresholds


def test_outranking_keeps_a_unanimous_order():
    assert "".join(Outranking().fit_transform(profile(*["gcafbed"] * 4))["item"]) == "gcafbed"


def test_outranking_veto_blocks_a_majority():
    # Two of three lists put a above b; the third has it four places below.
    lists = profile("abcde", "abcde", "bcdea")
    assert Outranking(discordance=1.0).fit_transform(lists)["score"].tolist() == [4.0, 3.0, 2.0, 1.0, 0.0]
    assert Outranking(veto=4, discordance=0).fit_transform(lists)["score"].tolist() == [3.0, 3.0, 2.0, 1.0, 0.0]
    assert Outranking(veto=5, discordance=0).fit_transform(lists)["score"].tolist() == [4.0, 3.0, 2.0, 1.0, 0.0]


def test_outranking_reads_ints_as_counts_and_floats_as_shares():
    lists = example_lists(1, n_queries=1, n_items=10, full=True)
    places = Outranking(preference=1, veto=3, concordance=2, discordance=1).fit_transform(lists)
    shares = Outranking(preference=0.1, veto=0.3, concordance=0.4, discordance=0.2).fit_transform(lists)
    pd.testing.assert_frame_equal(places, shares)
    all_lists = Outranking(concordance=1.0).fit_transform(lists)
    one_list = Outranking(concordance=1).fit_transform(lists)
    assert not all_lists.equals(one_list)


def test_outranking_thresholds_tolerate_rounding():
    # 0.1 + 0.2 is 0.30000000000000004, and 0.3 of 30 items is 9: both reach 0.3.
    lists = profile("ab", "ba", "ba").assign(weight=[0.7, 0.7, 0.1, 0.1, 0.2, 0.2])
    assert Outranking(concordance=0.3, discordance=1.0).fit_transform(lists)["score"].tolist() == [0.0, 0.0]
    shares = [(0.1, 30, 6), (0.3, 10, 6), (0.35, 10, 7), (0.36, 10, 8)]
    assert all(_half_places(share, n) == places for share, n, places in shares)


@pytest.mark.parametrize("seed", range(40))
def test_outranking_tolerates_rounding_of_equal_half_weights(seed):
    # The lists of each half weigh the same, whatever rounding makes of their sum: each item has just enough of both.
    rng = np.random.default_rng(seed)
    weight = rng.random(5)
    frame = profile(*["ab"] * 5, *["ba"] * 5)
    frame["weight"] = np.repeat(np.concatenate([weight, rng.permutation(weight)]), 2)
    method = Outranking(veto=1, concordance=0.5, discordance=0.5)
    assert method.fit_transform(frame)["score"].tolist() == [0.0, 0.0]
    # Items that outrank each other tie, as do items without a relation; a third item separates the two cases.
    frame = profile(*["abc"] * 5, *["bac"] * 5).assign(weight=np.repeat(frame["weight"].to_numpy()[::2], 3))
    relation = method._relation(_query_counts(frame), frame["weight"].sum() / 3)
    assert relation.tolist() == [[False, True, True], [True, False, True], [False, False, False]]


def _query_counts(frame):
    lists = RankedLists.from_frame(frame)
    return _QueryCounts(rank_matrix(lists, 0), lists.list_weight)


def test_outranking_puts_absent_items_below_ranked_ones_by_any_gap():
    lists = profile("a", "a", "b")
    assert Outranking(preference=100).fit_transform(lists)["item"].tolist() == ["a", "b"]
    assert Outranking(veto=100, concordance=0, discordance=1).fit_transform(lists)["score"].tolist() == [1.0, 0.0]


def test_outranking_both_absent_ties_or_ignores_two_absent_items():
    lists = profile("ab", "cd", "cd", "cd")
    level = Outranking(discordance=1.0).fit_transform(lists).set_index("item")["score"]
    assert level["a"] == level["b"]
    said = Outranking(concordance=0.25, discordance=1.0, both_absent="ignore").fit_transform(lists)
    said = said.set_index("item")["score"]
    assert said["a"] > said["b"]


def test_outranking_unanimity_tag_depends_on_parameters():
    for method, promised in (
        (Outranking(), True),
        (Outranking(concordance=1.0, veto=0, discordance=0), True),
        (Outranking(preference=1), False),
        (Outranking(concordance=0), False),
        (Outranking(concordance=0.0), False),
    ):
        assert method.__sklearn_tags__().aggregator_tags.unanimity is promised
        check_unanimity(method)


def test_outranking_rejects_parameters_out_of_range():
    for name, value in (
        ("preference", -1),
        ("veto", 1.5),
        ("concordance", 2.0),
        ("discordance", -0.1),
        ("both_absent", "apart"),
    ):
        with pytest.raises(ValueError, match=f"The '{name}' parameter of Outranking must be"):
            Outranking(**{name: value}).fit(example_lists())


def test_outranking_is_independent_of_blocks_of_queries(monkeypatch):
    lists = RankedLists.from_frame(example_lists(n_queries=12))
    whole = Outranking().transform(lists)
    monkeypatch.setattr(_pairwise, "_BLOCK_CELLS", 100)
    pd.testing.assert_frame_equal(Outranking().transform(lists), whole)
