"""evaluate_voters, and evaluate of lists: the queries they use and their numbers."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import Comparator, Copeland, Qrels, RankedLists, evaluate
from skrankagg.exceptions import InputTypeError, MissingQueriesWarning, NothingJudgedWarning
from skrankagg.metrics import average_precision, evaluate_voters, get_measure, ndcg, reciprocal_rank

METRICS = ["map", "ndcg@3", "p@2", "gmap", "num_rel_ret", "rbp_resid", "recall@2[relevance_threshold=2]"]


def crowd(seed, whole_numbers=False):
    """Return lists with missing queries, and judgements that lack some queries and have others."""
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


@pytest.mark.sampled(1)
@pytest.mark.parametrize("whole_numbers", [False, True])
@pytest.mark.parametrize("scores", [False, True])
@pytest.mark.parametrize("missing_queries", ["skip", "zero"])
def test_evaluate_voters_equals_evaluating_each_voters_run(missing_queries, scores, whole_numbers):
    for seed in range(5):
        lists, qrels = crowd(seed, whole_numbers)
        lists = lists if scores else lists.drop(columns="score")
        found = evaluate_voters(lists, qrels, METRICS, missing_queries=missing_queries)
        asked = qrels[qrels["query"].isin(lists["query"])]
        voters = []
        for voter, run in lists.groupby("voter"):
            answered = sorted(set(run["query"]) & set(asked["query"]))
            if not answered:
                if missing_queries == "zero":
                    assert found.loc[voter, METRICS].round(4).eq(0).all()
                    voters.append(voter)
                continue
            voters.append(voter)
            expected = evaluate(run.drop(columns="voter"), asked, METRICS, missing_queries=missing_queries)
            np.testing.assert_allclose(found.loc[voter, METRICS], expected.iloc[0], rtol=1e-12)
            assert found.loc[voter, "n_queries"] == (
                len(answered) if missing_queries == "skip" else asked["query"].nunique()
            )
        assert found.index.tolist() == voters and found.index.name == "voter"


def test_evaluate_voters_means_weighted_by_n_queries_give_the_overall_mean():
    lists, qrels = crowd(0)
    judged = lists[lists["query"].isin(qrels["query"])]
    table = evaluate_voters(lists, qrels, "ndcg@3")
    # The mean over all judged lists equals the voters' means weighted by n_queries.
    run = judged.assign(query=judged["query"] + " " + judged["voter"]).drop(columns="voter")
    pairs = judged[["query", "voter"]].drop_duplicates()
    graded = qrels.merge(pairs, on="query")
    graded = graded.assign(query=graded["query"] + " " + graded["voter"]).drop(columns="voter")
    assert table["n_queries"].sum() == len(pairs)
    expected = evaluate(run, graded, "ndcg@3").iloc[0, 0]
    assert np.average(table["ndcg@3"], weights=table["n_queries"]) == pytest.approx(expected)


def test_evaluate_voters_ignores_unjudged_queries():
    lists, qrels = crowd(1)
    judged = lists[lists["query"].isin(qrels["query"])]
    for missing_queries in ("skip", "zero"):
        more = evaluate_voters(lists, qrels, METRICS, missing_queries=missing_queries).drop(index="v5", errors="ignore")
        fewer = evaluate_voters(judged, qrels, METRICS, missing_queries=missing_queries)
        pd.testing.assert_frame_equal(more, fewer)


def test_evaluate_voters_and_comparator_use_the_same_queries():
    # The consensus of one voter's lists is its lists; with all queries in the lists it is measured like the voter.
    lists, qrels = crowd(2)
    encoded = RankedLists.from_frame(lists)
    table = evaluate_voters(encoded, Qrels.from_frame(qrels), "map", missing_queries="zero")
    own = lists[lists["voter"] == "v1"]
    run = Copeland().fit_transform(own)
    assert set(own["query"]) < set(lists["query"])
    asked = qrels[qrels["query"].isin(lists["query"])]
    assert table.loc["v1", "map"] == pytest.approx(evaluate(run, asked, "map").iloc[0, 0])
    comparator = Comparator([("all", Copeland())], metrics="map", qrels=qrels).fit(lists)
    assert table.loc["v1", "n_queries"] == len(comparator.per_query_)


def test_evaluate_voters_rejects_an_unknown_missing_queries_option():
    lists, qrels = crowd(0)
    with pytest.raises(ValueError, match="`missing_queries` must be one of 'zero', 'skip'; got 'none'"):
        evaluate_voters(lists, qrels, missing_queries="none")


# ---------------------------------------------------------------------- voters in evaluate


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.MissingQueriesWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NothingJudgedWarning")
@pytest.mark.parametrize("whole_numbers", [False, True])
@pytest.mark.parametrize("ties", ["order", "trec_eval", "expected"])
@pytest.mark.parametrize("missing_queries", [None, "skip", "zero"])
def test_evaluate_of_lists_equals_evaluate_of_each_voters_run(missing_queries, ties, whole_numbers):
    for seed in range(3):
        lists, qrels = crowd(seed, whole_numbers)
        lists["score"] = np.round(lists["score"] / 2)  # ties
        runs = {voter: run.drop(columns="voter") for voter, run in lists.groupby("voter")}
        for per_query in (False, True):
            options = {"missing_queries": missing_queries, "ties": ties, "per_query": per_query}
            expected = evaluate(runs, Qrels.from_frame(qrels), METRICS, **options)
            for X in (lists, RankedLists.from_frame(lists)):
                found = evaluate(X, qrels, METRICS, **options)
                pd.testing.assert_frame_equal(found, expected.rename_axis(index={"run": "voter"}))


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NothingJudgedWarning")
def test_evaluate_and_evaluate_voters_differ_in_queries():
    lists, qrels = crowd(0)
    asked = qrels[qrels["query"].isin(lists["query"])]
    assert len(asked) < len(qrels)
    by_run = evaluate(lists, asked, METRICS, missing_queries="zero")
    by_voter = evaluate_voters(lists, qrels, METRICS, missing_queries="zero")
    pd.testing.assert_frame_equal(by_run, by_voter[METRICS])
    everything = evaluate(lists, qrels, METRICS, missing_queries="zero")
    assert (everything["map"] <= by_run["map"]).all() and everything.loc["v0", "map"] < by_run.loc["v0", "map"]


def test_evaluate_treats_queries_with_one_voter_each_as_one_run():
    lists = pd.DataFrame({"query": ["p", "q"], "voter": ["u", "v"], "item": ["a", "a"], "rank": 1})
    qrels = pd.DataFrame({"query": ["p", "q"], "item": "a", "relevance": [1, 0]})
    assert evaluate(lists, qrels, "map").to_dict() == {"map": {"run": 0.5}}


def test_evaluate_warnings_name_the_voter():
    lists, qrels = crowd(0)
    few = qrels[qrels["query"] == "q1"] if "q1" in set(qrels["query"]) else qrels
    with pytest.warns(
        NothingJudgedWarning, match=r"The voter 'v5' contains no judged query: it has 'q1', but the qrels"
    ):
        evaluate(lists, few, "map", missing_queries="zero")
    lists = lists[(lists["voter"] != "v5") & ((lists["voter"] != "v1") | (lists["query"] == "q2"))]
    lists = pd.concat([lists, pd.DataFrame({"query": ["q2"], "voter": "v1", "item": "i0", "rank": 99, "score": -99.0})])
    lists = lists.drop_duplicates(["query", "voter", "item"])
    with pytest.warns(MissingQueriesWarning, match=r"have no results from the voter 'v\d' and .* from 1 other voter"):
        evaluate(lists, qrels, "map")


# ---------------------------------------------------------------------- the order of the arguments

RUN = pd.DataFrame({"query": ["q", "q"], "item": ["a", "b"], "rank": [1, 2]})
JUDGED = pd.DataFrame({"query": ["q"], "item": ["b"], "relevance": [1]})
SWAPPED = {
    "frames": (JUDGED, RUN, "a frame with a column relevance but without rank or score as the run"),
    "frame and lists": (JUDGED, RankedLists.from_frame(RUN), "a RankedLists as the judgements"),
    "Qrels": (Qrels.from_frame(JUDGED), RUN, "a Qrels as the run"),
    "Qrels and dict": (Qrels.from_frame(JUDGED), {"q": {"a": 0.5}}, "a Qrels as the run"),
    "dict and lists": ({"q": {"b": 1}}, RankedLists.from_frame(RUN), "a RankedLists as the judgements"),
    "dict and frame": (
        {"q": {"b": 1}},
        RUN,
        "a frame with a column rank or score but without relevance as the judgements",
    ),
    "sets by query": (
        {"q": {"b"}},
        {"q": ["a", "b"]},
        "a set, which has no order, as the run",
    ),
    "sets": ([{"b"}], [["a", "b"]], "a set, which has no order"),
    "one set": (frozenset("b"), ["a", "b"], "a set, which has no order"),
}


@pytest.mark.parametrize("way", SWAPPED)
@pytest.mark.parametrize("call", [evaluate, ndcg, average_precision, get_measure("p@1"), evaluate_voters])
def test_measures_reject_judgements_passed_as_run(call, way):
    first, second, what = SWAPPED[way]
    if call is evaluate_voters and isinstance(second, dict | list):
        pytest.skip("takes no plain lists")
    name = getattr(call, "__name__", "precision")
    message = (
        f"{name} must be called with the run first, then the judgements; got {what}.* Call {name}\\(run, qrels\\)\\."
    )
    with pytest.raises(InputTypeError, match=message):
        call(first, second)


def test_evaluate_rejects_judgements_among_several_runs():
    with pytest.raises(
        InputTypeError, match="evaluate must be called with the run first, then the judgements; got a Qrels"
    ):
        evaluate({"bm25": RUN, "dense": Qrels.from_frame(JUDGED)}, JUDGED)
    with pytest.raises(
        InputTypeError, match="evaluate must be called with the run first, then the judgements; got a set"
    ):
        evaluate({"bm25": {"q": {"a", "b"}}}, {"q": {"a": 1}})


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_evaluate_detects_swapped_arguments_in_other_frame_libraries(library):
    convert = {
        "polars": lambda frame: module.from_pandas(frame),
        "pyarrow": lambda frame: module.Table.from_pandas(frame),
    }
    module = pytest.importorskip(library)
    with pytest.raises(InputTypeError, match="evaluate must be called with the run first"):
        evaluate(convert[library](JUDGED), convert[library](RUN))
    assert evaluate(convert[library](RUN), convert[library](JUDGED), "mrr").iloc[0, 0] == 0.5


def test_measures_accept_arguments_that_may_be_runs_or_judgements():
    # Grades look like scores, and a run may have been joined with its judgements.
    assert reciprocal_rank({"q": {"b": 1, "a": 2}}, {"q": {"b": 1}}) == 0.5
    assert evaluate(RUN.assign(relevance=0), JUDGED, "mrr").iloc[0, 0] == 0.5
    assert evaluate(["a", "b"], {"b"}, "mrr").iloc[0, 0] == 0.5
