"""Measures of the voters: over which queries, and how many."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import Comparator, Copeland, Qrels, RankedLists, evaluate
from skrankagg.metrics import evaluate_voters

METRICS = ["map", "ndcg@3", "p@2", "gmap", "num_rel_ret", "rbp_resid", "recall@2[relevance_threshold=2]"]


def crowd(seed, whole_numbers=False):
    """Lists of voters that leave out queries, and judgements that lack queries and have others."""
    rng = np.random.default_rng(seed)
    rows = []
    for query in range(8):
        for voter in range(5):
            if rng.random() < 0.6 or voter == 0:
                items = rng.permutation(9)[: rng.integers(1, 7)]
                rows += [(query, voter, item, rank, -float(rank)) for rank, item in enumerate(items, 1)]
    rows += [(1, 5, 0, 1, 0.0), (1, 5, 1, 2, -1.0)]  # answers only a query that is not judged
    lists = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "score"])
    judged = [(query, item, rng.integers(-1, 4)) for query in (0, 2, 3, 5, 6, 7, 90, 91) for item in range(6)]
    qrels = pd.DataFrame(judged, columns=["query", "item", "relevance"])
    if whole_numbers:
        return lists, qrels
    names = {"query": "q", "voter": "v", "item": "i"}
    for name, letter in names.items():
        lists[name] = letter + lists[name].astype(str)
        if name in qrels:
            qrels[name] = letter + qrels[name].astype(str)
    return lists, qrels


@pytest.mark.parametrize("whole_numbers", [False, True])
@pytest.mark.parametrize("scores", [False, True])
@pytest.mark.parametrize("missing", ["skip", "zero"])
def test_measures_are_those_of_each_voters_run(missing, scores, whole_numbers):
    for seed in range(5):
        lists, qrels = crowd(seed, whole_numbers)
        lists = lists if scores else lists.drop(columns="score")
        found = evaluate_voters(lists, qrels, METRICS, missing=missing)
        asked = qrels[qrels["query"].isin(lists["query"])]
        voters = []
        for voter, run in lists.groupby("voter"):
            answered = sorted(set(run["query"]) & set(asked["query"]))
            if not answered:
                if missing == "zero":
                    assert found.loc[voter, METRICS].round(4).eq(0).all()
                    voters.append(voter)
                continue
            voters.append(voter)
            expected = evaluate(run.drop(columns="voter"), asked, METRICS, missing=missing)
            np.testing.assert_allclose(found.loc[voter, METRICS], expected.iloc[0], rtol=1e-12)
            assert found.loc[voter, "n_queries"] == (len(answered) if missing == "skip" else asked["query"].nunique())
        assert found.index.tolist() == voters and found.index.name == "voter"


def test_means_add_up_by_their_numbers_of_queries():
    lists, qrels = crowd(0)
    judged = lists[lists["query"].isin(qrels["query"])]
    table = evaluate_voters(lists, qrels, "ndcg@3")
    # The mean over all judged lists is that of the voters, each counted as often as n_queries says.
    run = judged.assign(query=judged["query"] + " " + judged["voter"]).drop(columns="voter")
    pairs = judged[["query", "voter"]].drop_duplicates()
    graded = qrels.merge(pairs, on="query")
    graded = graded.assign(query=graded["query"] + " " + graded["voter"]).drop(columns="voter")
    assert table["n_queries"].sum() == len(pairs)
    expected = evaluate(run, graded, "ndcg@3").iloc[0, 0]
    assert np.average(table["ndcg@3"], weights=table["n_queries"]) == pytest.approx(expected)


def test_an_unjudged_query_changes_nothing():
    lists, qrels = crowd(1)
    judged = lists[lists["query"].isin(qrels["query"])]
    for missing in ("skip", "zero"):
        more = evaluate_voters(lists, qrels, METRICS, missing=missing).drop(index="v5", errors="ignore")
        fewer = evaluate_voters(judged, qrels, METRICS, missing=missing)
        pd.testing.assert_frame_equal(more, fewer)


def test_a_voter_and_a_method_are_measured_on_the_same_queries():
    # The consensus of one voter's lists is its lists; with all queries in the lists it is measured like the voter.
    lists, qrels = crowd(2)
    encoded = RankedLists.from_frame(lists)
    table = evaluate_voters(encoded, Qrels.from_frame(qrels), "map", missing="zero")
    own = lists[lists["voter"] == "v1"]
    run = Copeland().fit_transform(own)
    assert set(own["query"]) < set(lists["query"])
    asked = qrels[qrels["query"].isin(lists["query"])]
    assert table.loc["v1", "map"] == pytest.approx(evaluate(run, asked, "map").iloc[0, 0])
    comparator = Comparator([("all", Copeland())], metrics="map", qrels=qrels).fit(lists)
    assert table.loc["v1", "n_queries"] == len(comparator.per_query_)


def test_missing_is_one_of_two_rules():
    lists, qrels = crowd(0)
    with pytest.raises(ValueError, match="missing must be one of zero, skip; got 'none'"):
        evaluate_voters(lists, qrels, missing="none")
