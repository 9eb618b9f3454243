"""TopSet: depths by definition, exact coverage of exchangeable queries, folds of whole queries, and errors."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from skrankagg import BordaCount, LearnedWeights, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.model_selection import TopSet, cross_val_consensus
from skrankagg.preprocessing import VoterWeighter

pytestmark = pytest.mark.twice

RRF = ReciprocalRankFusion()


def data(n_queries=40, **sizes):
    sizes = {"n_items": 25, "list_length": 20, "quality": 0.1, "random_state": 0} | sizes
    lists, qrels, _ = make_ranked_lists(n_queries=n_queries, **sizes)
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels)


LISTS, QRELS = data()


def relevant_rows(consensus, qrels):
    judged = qrels.to_frame()
    return consensus.merge(judged[judged["relevance"] > 0][["query", "item"]], on=["query", "item"])


def depth_of(query, holds, consensus, qrels):
    """Return the depth of a judged query by its definition; None without a relevant item."""
    rows = consensus[consensus["query"] == query]
    relevant = relevant_rows(rows, qrels).sort_values("rank")
    if relevant.empty:
        return None
    if holds == "one":
        return int(relevant["rank"].iloc[0])
    score = relevant["score"].iloc[math.ceil(round(holds * len(relevant), 9)) - 1]
    low, high = rows["score"].min(), rows["score"].max()
    return 1 - (score - low) / (high - low)


@pytest.mark.parametrize("holds", ["one", 0.25, 0.5, 0.7])
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9])
def test_depth_is_the_conformal_quantile(holds, confidence):
    top = TopSet(RRF, holds, confidence=confidence).fit(LISTS, QRELS)
    consensus = RRF.fit_transform(LISTS)
    depths = sorted(depth_of(query, holds, consensus, QRELS) for query in LISTS.queries)
    assert top.depth_ == pytest.approx(depths[math.ceil(round(41 * confidence, 9)) - 1], abs=1e-12)
    assert (top.n_queries_, top.n_left_out_) == (40, 0)
    found = top.transform(LISTS)
    if holds == "one":
        expected = consensus[consensus["rank"] <= top.depth_]
    else:
        scores = consensus.groupby("query")["score"]
        low, high = scores.transform("min"), scores.transform("max")
        expected = consensus[1 - (consensus["score"] - low) / (high - low) <= top.depth_ + 1e-12]
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True))


@pytest.mark.parametrize("holds", ["one", 0.5])
def test_leave_one_out_covers_exactly_the_promised_number_of_queries(holds):
    # If the depths of n + 1 exchangeable queries differ, the top learned from n queries covers the other one in exactly
    # ceil((n + 1) confidence) of the n + 1 cases.
    lists, qrels = data(n_queries=20, n_items=60, list_length=60)
    consensus = BordaCount().fit_transform(lists)
    depths = {query: depth_of(query, holds, consensus, qrels) for query in lists.queries}
    chosen = list({depth: query for query, depth in depths.items()}.values()) if holds == "one" else list(depths)
    lists = lists.select(queries=chosen)
    n = lists.n_queries
    assert n >= 4 and len({round(depths[query], 12) for query in lists.queries}) == n
    confidence = 0.6
    covered = 0
    for q in range(n):
        top = TopSet(BordaCount(), holds, confidence=confidence)
        top.fit(lists[np.delete(np.arange(n), q)], qrels)
        found = relevant_rows(top.transform(lists[[q]]), qrels)
        n_relevant = len(relevant_rows(consensus[consensus["query"] == lists.queries[q]], qrels))
        covered += len(found) >= (1 if holds == "one" else math.ceil(holds * n_relevant))
    assert covered == math.ceil(round(n * confidence, 9))


@pytest.mark.parametrize("holds", ["one", 0.5])
def test_mean_coverage_of_generated_queries(holds):
    lists, qrels = data(n_queries=300, n_items=30, list_length=25, random_state=3)
    lists = RankedLists.from_frame(RRF.fit_transform(lists).drop(columns="rank"))
    consensus = RRF.fit_transform(lists)
    total = relevant_rows(consensus, qrels).groupby("query").size()
    coverage = []
    for draw in range(40):
        order = np.random.default_rng(draw).permutation(300)
        top = TopSet(RRF, holds).fit(lists[order[:50]], qrels).transform(lists[order[50:]])
        found = relevant_rows(top, qrels).groupby("query").size().reindex(lists.queries[order[50:]], fill_value=0)
        needed = 1 if holds == "one" else np.ceil(holds * total[found.index])
        coverage.append((found >= needed).mean())
    assert 0.885 <= np.mean(coverage) <= 0.96


def test_queries_without_relevant_items_are_left_out_and_counted():
    frame = QRELS.to_frame()
    without = frame["query"].isin(LISTS.queries[:12])
    qrels = Qrels.from_frame(frame.assign(relevance=frame["relevance"].where(~without, 0)))
    top = TopSet(RRF).fit(LISTS, qrels)
    assert (top.n_queries_, top.n_left_out_) == (28, 12)
    assert top.depth_ == TopSet(RRF).fit(LISTS[12:], QRELS).depth_
    assert len(top.transform(LISTS[:12])) == 12 * top.depth_
    elsewhere = Qrels.from_frame(frame.assign(item=frame["item"].where(~without, "elsewhere " + frame["item"])))
    assert TopSet(RRF).fit(LISTS, elsewhere).n_left_out_ == 12


@pytest.mark.parametrize("confidence, fewest", [(0.9, 9), (0.5, 1), (0.8, 4), (0.95, 19), (0.99, 99), (0.75, 3)])
def test_fewest_queries(confidence, fewest):
    lists, qrels = data(n_queries=100, n_items=6, list_length=6)
    TopSet(RRF, confidence=confidence).fit(lists[:fewest], qrels)
    if fewest > 1:
        with pytest.raises(
            InputError, match=f"With confidence={confidence}, .* at least {fewest} judged .* got {fewest - 1}"
        ):
            TopSet(RRF, confidence=confidence).fit(lists[: fewest - 1], qrels)


def test_out_of_fold_for_methods_that_learn():
    folds = [(np.setdiff1d(np.arange(40), test), test) for test in np.array_split(np.arange(40), 4)]
    for method in (LearnedWeights(), make_pipeline(VoterWeighter("map"), RRF)):
        top = TopSet(method, 0.5, cv=folds).fit(LISTS, QRELS)
        consensus = cross_val_consensus(method, LISTS, QRELS, cv=folds)
        depths = sorted(depth_of(query, 0.5, consensus, QRELS) for query in LISTS.queries)
        assert top.depth_ == pytest.approx(depths[36], abs=1e-12)


def test_few_items_and_equal_scores():
    top = TopSet(RRF, 0.5).fit(LISTS, QRELS)
    assert len(top.transform(RankedLists.from_lists([["a"]]))) == 1
    tied = RankedLists.from_lists([["a", "b"], ["b", "a"]])
    assert len(top.transform(tied)) == 2
    assert top.get_feature_names_out().tolist() == ["query", "item", "score", "rank"]


@pytest.mark.parametrize("holds", ["all", 0, 1, 1.0, 1.5, True, None])
def test_refused_shares(holds):
    with pytest.raises(ValueError, match="'holds' parameter of TopSet"):
        TopSet(RRF, holds, qrels=QRELS).fit(LISTS)


def test_refused_confidence():
    with pytest.raises(ValueError, match="'confidence' parameter of TopSet"):
        TopSet(RRF, confidence=1.0, qrels=QRELS).fit(LISTS)
