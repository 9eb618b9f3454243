"""HodgeRank: least squares on the incidence matrix, Borda's order on full lists, cycles and components."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import ballots, universe
from skrankagg import BordaCount, HodgeRank, RankedLists
from skrankagg._arrays import _pairwise
from skrankagg.exceptions import NotComparedWarning
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

every_flow = pytest.mark.parametrize("flow", ["margin", "logit"])
every_absence = pytest.mark.parametrize("absent", ["last", "ignore"])


def profile(*orders, query="q"):
    rows = [(query, f"v{v}", item, rank) for v, items in enumerate(orders) for rank, item in enumerate(items, 1)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])


def by_incidence(frame, flow, absent):
    """Return items, minimum-norm scores and residual share, with a row for each compared pair."""
    lists, weights = ballots(frame)
    items = universe(lists)
    rows, weight, measured = [], [], []
    for i, one in enumerate(items):
        for j, other in enumerate(items[:i]):
            wins, compared = [Fraction(0), Fraction(0)], Fraction(0)
            for voter, ballot in lists.items():
                held = (one in ballot) + (other in ballot)
                if held == 2 or (held == 1 and absent == "last"):
                    place, other_place = (ballot[x][0] if x in ballot else 10**9 for x in (one, other))
                    compared += weights[voter]
                    wins[0] += weights[voter] * (Fraction(place < other_place) + Fraction(place == other_place, 2))
                    wins[1] += weights[voter] * (Fraction(place > other_place) + Fraction(place == other_place, 2))
            if compared:
                rows.append(np.eye(len(items))[i] - np.eye(len(items))[j])
                weight.append(float(compared))
                half = Fraction(1, 2)
                odds = np.log(float((wins[0] + half) / (wins[1] + half)))
                measured.append(float((wins[0] - wins[1]) / compared) if flow == "margin" else odds)
    if not rows:
        return items, np.zeros(len(items)), np.nan
    root, measured = np.sqrt(weight), np.array(measured)
    score = np.linalg.lstsq(root[:, None] * np.array(rows), root * measured, rcond=1e-12)[0]
    left, total = (np.sum((root * flow) ** 2) for flow in (measured - np.array(rows) @ score, measured))
    return items, score, left / total if total else np.nan


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@every_flow
@every_absence
@given(seed=st.integers(0, 10**6), weighted=st.booleans(), full=st.booleans(), longest=st.sampled_from([1, 2, 3, 9]))
@settings(max_examples=40, deadline=None)
def test_hodge_rank_scores_are_minimum_norm_least_squares(flow, absent, seed, weighted, full, longest):
    frame = example_lists(seed, n_queries=1, n_voters=4, n_items=7, full=full).drop(columns="score")
    frame = frame[frame["rank"] <= longest].copy()
    if weighted:
        frame["weight"] = frame["voter"].map({"v0": 0.1, "v1": 0.2, "v2": 0.3, "v3": 0.0})
    if frame.empty or (weighted and not frame["weight"].any()):
        return
    items, expected, left = by_incidence(frame, flow, absent)
    method = HodgeRank(flow=flow, absent=absent)
    score = method.fit_transform(frame).set_index("item")["score"]
    np.testing.assert_allclose(score[items], expected, rtol=0, atol=1e-11)
    np.testing.assert_allclose(method.query_info_["inconsistency"], left, rtol=1e-9, atol=1e-12)


@every_absence
@given(seed=st.integers(0, 10**6), ties=st.booleans())
@settings(max_examples=40, deadline=None)
def test_hodge_rank_equals_borda_order_on_full_lists(absent, seed, ties):
    frame = example_lists(seed, full=True, with_ties=ties)
    found, borda = (method.fit_transform(frame) for method in (HodgeRank(absent=absent), BordaCount()))
    assert found["item"].tolist() == borda["item"].tolist()
    n_lists, n = frame["voter"].nunique(), frame["item"].nunique()
    # Borda's points are n + 1 less the rank: a mean margin is twice their mean, less n + 1, over n.
    np.testing.assert_allclose(found["score"], (2 * borda["score"] / n_lists - n - 1) / n, rtol=0, atol=1e-12)


@every_flow
@every_absence
def test_hodge_rank_ties_a_cycle_with_inconsistency_1(flow, absent):
    method = HodgeRank(flow=flow, absent=absent)
    assert method.fit_transform(profile("abc", "bca", "cab"))["score"].tolist() == [0.0, 0.0, 0.0]
    assert method.query_info_["inconsistency"].tolist() == [pytest.approx(1.0)]
    pairs = profile("ab", "bc", "ca")
    assert HodgeRank(flow=flow, absent="ignore").fit(pairs).query_info_["inconsistency"].tolist() == [1.0]


@every_flow
@pytest.mark.parametrize(("n", "weight"), [(3, 1 / 3), (5, 0.7), (7, 0.1), (7, 0.3)])
def test_hodge_rank_inconsistency_of_a_cycle_never_exceeds_1(n, weight, flow):
    lists = RankedLists.from_lists([[(k + j) % n for j in range(n)] for k in range(n)], weights=[weight] * n)
    found = HodgeRank(flow=flow).fit(lists).query_info_["inconsistency"][0]
    assert found == pytest.approx(1.0) and found <= 1


def test_hodge_rank_inconsistency_of_identical_lists_equals_its_formula():
    for n in (2, 3, 5, 20):
        method = HodgeRank().fit(profile(*[[f"i{k:02d}" for k in range(n)]] * 3))
        assert method.query_info_["inconsistency"][0] == pytest.approx((n - 2) / (3 * n), abs=1e-14)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@every_flow
def test_hodge_rank_centres_each_component_at_zero(flow):
    frame = pd.concat([profile("ab", "ab", "xyz", "u"), profile("abxyzu", query="r")])
    method = HodgeRank(flow=flow, absent="ignore")
    with pytest.warns(NotComparedWarning, match="In 1 of 2 queries .* Query 'q' has 3 components, of 3, 2 and 1 items"):
        score = method.fit_transform(frame).set_index(["query", "item"])["score"]["q"]
    assert method.query_info_["n_components"].tolist() == [4 - 1, 1]
    assert score["u"] == 0.0 and score["y"] == pytest.approx(0.0, abs=1e-15)
    assert score["a"] == -score["b"] > 0 and score["x"] == pytest.approx(-score["z"])
    # What is compared in one part changes nothing in the others.
    alone = HodgeRank(flow=flow, absent="ignore").fit_transform(profile("ab", "ab")).set_index("item")["score"]
    assert score["a"] == pytest.approx(alone["a"])
    assert HodgeRank(flow=flow).fit(frame).query_info_["n_components"].tolist() == [1, 1]


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@every_flow
@every_absence
def test_hodge_rank_inconsistency_is_nan_without_preferences(flow, absent):
    tied = profile("ab").assign(rank=1)
    silent = profile("ab", query="r").assign(weight=0.0)
    drawn = profile("cd", "cd", "dc", query="s").assign(weight=[0.1, 0.1, 0.2, 0.2, 0.3, 0.3])
    single = profile("a", query="t")
    method = HodgeRank(flow=flow, absent=absent)
    found = method.fit_transform(
        pd.concat([one.assign(weight=one.get("weight", 1.0)) for one in (tied, silent, drawn, single)])
    )
    assert (found["score"] == 0).all() and method.query_info_["inconsistency"].isna().all()
    assert method.query_info_["n_components"].tolist() == [1, 2, 1, 1]


def test_hodge_rank_recovers_the_order_from_neighbouring_opponents():
    # Items meet their neighbours only, and the better one wins two of three.
    items = [f"i{k:02d}" for k in range(12)]
    pairs = [pair for one, two in pairwise(items) for pair in ([one, two], [one, two], [two, one])]
    for flow in ("margin", "logit"):
        found = HodgeRank(flow=flow, absent="ignore").fit_transform(profile(*pairs))
        assert found["item"].tolist() == items
        np.testing.assert_allclose(-np.diff(found["score"]), 1 / 3 if flow == "margin" else np.log(5 / 3), rtol=1e-12)


@every_flow
@every_absence
def test_hodge_rank_is_independent_of_other_queries_and_counting_algorithm(flow, absent, monkeypatch):
    frame = example_lists(n_queries=8, n_voters=20, n_items=12)
    lists = RankedLists.from_frame(frame)
    method = HodgeRank(flow=flow, absent=absent)
    together = method.transform(lists)
    alone = pd.concat([method.fit_transform(one) for _, one in frame.groupby("query")], ignore_index=True)
    assert together["item"].tolist() == alone["item"].tolist()
    np.testing.assert_allclose(together["score"], alone["score"], rtol=0, atol=1e-13)
    monkeypatch.setattr(_pairwise, "is_dense", lambda lists, constant: np.ones(lists.n_queries, dtype=bool))
    dense = method.transform(lists)
    assert together["item"].tolist() == dense["item"].tolist()
    np.testing.assert_allclose(together["score"], dense["score"], rtol=0, atol=1e-13)
