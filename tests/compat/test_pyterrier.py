"""as_pyterrier in PyTerrier's pipelines and experiments, without Java except for the last test."""

import pickle
import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from skrankagg import (
    BordaCount,
    CombSUM,
    LearnedWeights,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    evaluate,
)
from skrankagg.compat.pyterrier import as_pyterrier, to_pyterrier
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError, MissingLibraryError
from skrankagg.preprocessing import TopK, VoterWeighter

pt = pytest.importorskip("pyterrier", reason="tests of PyTerrier's transformers need python-terrier")

# PyTerrier calls pandas in ways that pandas will remove, and recommends other plans of experiments.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
    pytest.mark.filterwarnings("ignore:There are shared pipeline components"),
]

FRAME, JUDGED, _ = make_ranked_lists(n_queries=8, n_voters=3, n_items=30, list_length=12, random_state=1)
LISTS, QRELS = RankedLists.from_frame(FRAME), Qrels.from_frame(JUDGED)
#: The topics are not in the order of their ids.
TOPICS = pd.DataFrame({"qid": LISTS.queries[::-1].tolist()}).assign(query=lambda topics: "text of " + topics["qid"])
PT_QRELS = JUDGED.rename(columns={"query": "qid", "item": "docno", "relevance": "label"}).astype({"label": int})
RRF = ReciprocalRankFusion(k=60)


def results_of(voter):
    """Return the results of a voter as a retriever of PyTerrier returns them, with the text of each document."""
    rows = FRAME[FRAME["voter"] == voter].rename(columns={"query": "qid", "item": "docno"})
    rows = rows[["qid", "docno", "score"]].merge(TOPICS, on="qid").assign(text=lambda one: "text of " + one["docno"])
    return rows.assign(rank=rows.groupby("qid")["score"].rank(method="first", ascending=False).astype(int) - 1)


RESULTS = {voter: results_of(voter) for voter in FRAME["voter"].unique()}
RETRIEVERS = {voter: pt.Transformer.from_df(rows) for voter, rows in RESULTS.items()}


def expected(aggregator, lists=LISTS):
    """Return the consensus by the library alone, as (qid, docno, score, rank from 0), in the order of the topics."""
    consensus = aggregator.transform(lists)
    rows = {
        query: [(query, item, score, rank - 1) for item, score, rank in own[["item", "score", "rank"]].to_numpy()]
        for query, own in consensus.groupby("query")
    }
    return [row for query in TOPICS["qid"] for row in rows[query]]


def rows_of(frame):
    return [tuple(row) for row in frame[["qid", "docno", "score", "rank"]].itertuples(index=False)]


@pytest.mark.parametrize("aggregator", [RRF, CombSUM(), BordaCount()], ids=repr)
def test_retrievers_are_merged_as_by_the_aggregator(aggregator):
    found = as_pyterrier(aggregator, RETRIEVERS).transform(TOPICS)
    assert found.columns.tolist() == ["qid", "query", "docno", "text", "score", "rank"]
    assert rows_of(found) == expected(aggregator)
    assert (found["query"] == "text of " + found["qid"]).all() and (found["text"] == "text of " + found["docno"]).all()
    assert rows_of(as_pyterrier(aggregator, list(RETRIEVERS.values())).transform(TOPICS)) == expected(aggregator)


def test_reciprocal_ranks_are_summed():
    sums = {}
    for rows in RESULTS.values():
        for query, item, rank in rows[["qid", "docno", "rank"]].itertuples(index=False):
            sums[query, item] = sums.get((query, item), 0) + 1 / (61 + rank)
    found = as_pyterrier(RRF, RETRIEVERS)(TOPICS)
    scores = dict(zip(zip(found["qid"], found["docno"], strict=True), found["score"], strict=True))
    assert scores == pytest.approx(sums, rel=1e-12)
    assert all((own["score"].diff().dropna() <= 0).all() for _, own in found.groupby("qid"))


def test_weights_name_retrievers():
    weights = {"v1": 2.0, "v2": 0.0, "v3": 0.5}
    found = as_pyterrier(CombSUM(voter_weights=weights), RETRIEVERS).transform(TOPICS)
    assert rows_of(found) == expected(CombSUM(voter_weights=weights))


def test_a_column_of_voters_is_merged():
    joined = pd.concat([rows.assign(voter=voter) for voter, rows in RESULTS.items()])
    pipeline = pt.Transformer.from_df(joined) >> as_pyterrier(RRF)
    assert rows_of(pipeline.transform(TOPICS)) == expected(RRF)
    ranked = joined.drop(columns="score")
    lists = RankedLists.from_runs({voter: rows.drop(columns="score") for voter, rows in RESULTS.items()})
    assert sorted(rows_of(as_pyterrier(RRF).transform(ranked))) == sorted(expected(RRF, lists))


def test_features_of_the_union_operator_are_voters():
    candidates = RESULTS["v1"]
    shift = pt.apply.doc_score(lambda row: float(len(row["docno"])) + int(row["docno"][1:]) % 7)
    pipeline = pt.Transformer.from_df(candidates) >> (pt.Transformer.identity() ** shift) >> as_pyterrier(CombSUM())
    found = pipeline.transform(TOPICS)
    runs = {
        1: candidates[["qid", "docno", "score"]],
        2: candidates[["qid", "docno"]].assign(score=lambda one: 3.0 + one["docno"].str[1:].astype(int) % 7),
    }
    assert rows_of(found) == expected(CombSUM(), RankedLists.from_runs(runs))
    assert "features" not in found and (found["text"] == "text of " + found["docno"]).all()


def test_an_empty_frame_of_features_has_an_empty_result():
    candidates = RESULTS["v1"].assign(features=[np.array([1.0, 2.0])] * len(RESULTS["v1"]))
    merged = as_pyterrier(CombSUM())
    found = merged.transform(candidates.iloc[:0])
    assert len(found) == 0 and found.columns.tolist() == merged.transform(candidates).columns.tolist()


def test_operators_of_pyterrier():
    merged = as_pyterrier(RRF, RETRIEVERS)
    found = merged.transform(TOPICS)
    cut = (merged % 5).transform(TOPICS)
    assert rows_of(cut) == rows_of(found[found["rank"] < 5])
    doubled = (2 * merged).transform(TOPICS)
    assert doubled.sort_values(["qid", "docno"])["score"].tolist() == pytest.approx(
        (2 * found.sort_values(["qid", "docno"])["score"]).tolist()
    )
    again = as_pyterrier(BordaCount(), [merged, RETRIEVERS["v1"]]).transform(TOPICS)
    assert set(again["qid"]) == set(TOPICS["qid"])
    one = merged.search("any text", qid="q3")
    assert rows_of(one) == [row for row in expected(RRF) if row[0] == "q3"]
    records = merged(TOPICS.to_dict("records"))
    assert [(one["qid"], one["docno"]) for one in records] == [row[:2] for row in expected(RRF)]


@pytest.mark.parametrize("plan", ["linear", "tree"])
def test_experiment_measures_the_transformer(plan):
    merged = as_pyterrier(CombSUM(), RETRIEVERS)
    systems = {**RETRIEVERS, "merged": merged, "cut": merged % 5}
    table = pt.Experiment(
        list(systems.values()), TOPICS, PT_QRELS, ["map", "P_5", "recip_rank"], names=list(systems), plan=plan
    ).set_index("name")
    runs = {voter: LISTS.select(voters=[voter]) for voter in RETRIEVERS} | {"merged": CombSUM().transform(LISTS)}
    for name, run in runs.items():
        own = evaluate(run, QRELS, ["map", "p@5", "mrr"]).iloc[0]
        np.testing.assert_allclose(table.loc[name, ["map", "P_5", "recip_rank"]].astype(float), own, rtol=1e-9)
    assert table.loc["cut", "P_5"] == table.loc["merged", "P_5"]
    assert table.loc["cut", "map"] < table.loc["merged", "map"]


def test_results_in_batches_are_equal():
    merged = as_pyterrier(CombSUM(), RETRIEVERS)
    batches = pd.concat(list(merged.transform_gen(TOPICS, batch_size=3)), ignore_index=True)
    assert_frame_equal(batches, merged.transform(TOPICS))


@pytest.mark.parametrize("make", [LearnedWeights, lambda: make_pipeline(VoterWeighter("map"), RRF)])
def test_methods_that_learn_are_fitted_on_topics(make):
    train, test = TOPICS.iloc[:5], TOPICS.iloc[5:]
    merged = as_pyterrier(make(), RETRIEVERS)
    merged.fit(train, PT_QRELS)
    lists = LISTS.select(queries=train["qid"].tolist())
    fitted = make().fit(lists, QRELS)
    rest = fitted.transform(LISTS.select(queries=test["qid"].tolist()))
    found = merged.transform(test)
    assert sorted(rows_of(found)) == sorted(
        (query, item, score, rank - 1)
        for query, item, score, rank in rest[["query", "item", "score", "rank"]].itertuples(index=False)
    )
    # A fitted aggregator stays fitted, and is copied.
    assert rows_of(as_pyterrier(fitted, RETRIEVERS).transform(test)) == rows_of(found)
    joined = pd.concat([rows.assign(voter=voter) for voter, rows in RESULTS.items()])
    pipeline = pt.Transformer.from_df(joined) >> as_pyterrier(make())
    pipeline.fit(train, PT_QRELS)
    assert rows_of(pipeline.transform(test)) == rows_of(found)


def test_methods_that_learn_must_be_fitted():
    with pytest.raises(NotFittedError, match="LearnedWeights"):
        as_pyterrier(LearnedWeights(), RETRIEVERS).transform(TOPICS)
    method = LearnedWeights()
    as_pyterrier(method, RETRIEVERS).fit(TOPICS, PT_QRELS)
    assert not hasattr(method, "voter_weights_")  # the transformer fits its own copy


def test_grid_search_of_pyterrier_tunes_the_aggregator():
    merged = as_pyterrier(CombSUM(), RETRIEVERS)
    values = [{"v1": 1.0, "v2": 0.0, "v3": 0.0}, {"v1": 0.0, "v2": 0.0, "v3": 1.0}]

    def measure(aggregator):
        return evaluate(aggregator.transform(LISTS), QRELS, "map", ties="trec_eval").iloc[0, 0]

    found = pt.GridScan(merged, {merged: {"voter_weights": values}}, TOPICS, PT_QRELS, ["map"], dataframe=False)
    measured = [one["map"] for *_, one in found]
    own = [measure(CombSUM(voter_weights=value)) for value in values]
    assert measured == pytest.approx(own, rel=1e-9)
    assert merged.get_parameter("norm") == CombSUM().norm
    merged.set_parameter("norm", "rank")
    assert rows_of(merged.transform(TOPICS)) == expected(CombSUM(norm="rank", voter_weights=values[-1]))
    with pytest.raises(ValueError, match="Invalid parameter name absent_parameter"):
        merged.set_parameter("absent_parameter", 1)


def test_steps_before_the_aggregator_may_drop_documents():
    found = as_pyterrier(make_pipeline(TopK(3), RRF), RETRIEVERS).transform(TOPICS)
    assert rows_of(found) == expected(make_pipeline(TopK(3), RRF))


def test_a_retriever_without_results_is_absent():
    nothing = pt.Transformer.from_df(RESULTS["v1"].iloc[:0])
    some = pt.Transformer.from_df(RESULTS["v2"][RESULTS["v2"]["qid"] != "q2"])
    found = as_pyterrier(RRF, {"v1": nothing, "v2": some, "v3": RETRIEVERS["v3"]}).transform(TOPICS)
    lists = RankedLists.from_frame(
        FRAME[(FRAME["voter"] == "v3") | ((FRAME["voter"] == "v2") & (FRAME["query"] != "q2"))]
    )
    assert rows_of(found) == expected(RRF, lists)
    empty = as_pyterrier(RRF, [nothing, nothing]).transform(TOPICS)
    assert len(empty) == 0 and empty.columns.tolist() == found.columns.tolist()
    with pytest.raises(InputError, match="must return at least one document"):
        as_pyterrier(RRF, [nothing]).fit(TOPICS, PT_QRELS)


def test_columns_of_documents_come_from_the_first_list_that_has_them():
    left = pd.DataFrame({"qid": "q1", "docno": ["a", "b"], "score": [2.0, 1.0], "docid": [5, 6], "url": ["A", None]})
    right = pd.DataFrame({"qid": "q1", "docno": ["b", "c"], "score": [2.0, 1.0], "docid": [6, 9], "url": ["B", "C"]})
    merged = as_pyterrier(RRF, [pt.Transformer.from_df(one, uniform=True) for one in (left, right)])
    found = merged.transform(TOPICS).set_index("docno")
    assert found["url"].to_dict() == {"a": "A", "b": "B", "c": "C"}
    assert found["docid"].to_dict() == {"a": 5, "b": 6, "c": 9}
    other = pt.Transformer.from_df(right.assign(docid=[0, 1]), uniform=True)
    assert "docid" not in as_pyterrier(RRF, [merged, other]).transform(TOPICS)


def test_pyterrier_inspects_the_transformer(monkeypatch):
    merged = as_pyterrier(RRF, RETRIEVERS)
    columns = ["qid", "query", "docno", "text", "score", "rank"]
    assert pt.inspect.transformer_outputs(merged, ["qid", "query"]) == columns
    assert pt.inspect.subtransformers(merged) == {"retrievers": list(RETRIEVERS.values())}
    assert ["qid", "docno", "voter", "score"] in pt.inspect.transformer_inputs(as_pyterrier(RRF))
    monkeypatch.setattr(pt.documentation, "url_for_class", lambda *_: None)  # it would download an index of pages
    assert "skrankagg" in pt.schematic.draw(merged >> pt.Transformer.identity())
    assert repr(merged).startswith("as_pyterrier(ReciprocalRankFusion(), {'v1':")
    assert rows_of(merged.compile().transform(TOPICS)) == expected(RRF)
    joined = pd.concat([rows.assign(voter=voter) for voter, rows in RESULTS.items()])
    assert rows_of((pt.Transformer.from_df(joined) >> as_pyterrier(RRF).compile()).transform(TOPICS)) == expected(RRF)


def test_the_transformer_can_be_pickled():
    merged = pickle.loads(pickle.dumps(as_pyterrier(RRF, RETRIEVERS)))
    assert rows_of(merged.transform(TOPICS)) == expected(RRF)


def test_as_pyterrier_rejects_wrong_arguments():
    with pytest.raises(
        InputTypeError, match=r"must be an aggregator such as CombSUM\(\).*Pass the retrievers as the second"
    ):
        as_pyterrier(RETRIEVERS["v1"])
    with pytest.raises(InputTypeError, match="must be an aggregator"):
        as_pyterrier(CombSUM)
    with pytest.raises(
        InputTypeError, match=r"must be transformers of PyTerrier; 1 is of type DataFrame\. Pass a frame"
    ):
        as_pyterrier(RRF, [RESULTS["v1"]])
    with pytest.raises(InputTypeError, match=r"a list or a dict.*; got \w+\. Write \[bm25, dense\]"):
        as_pyterrier(RRF, RETRIEVERS["v1"])
    with pytest.raises(InputError, match="at least one transformer"):
        as_pyterrier(RRF, [])
    with pytest.raises(InputError, match="`duplicates` must be one of"):
        as_pyterrier(RRF, RETRIEVERS, duplicates="last")
    with pytest.raises(pt.validate.InputValidationError, match=r"must have the columns.*as_pyterrier\(aggregator, \["):
        as_pyterrier(RRF).transform(RESULTS["v1"])
    with pytest.raises(
        InputError, match=r"must return the columns qid, docno and score; 'queries' returns \['qid', 'qu"
    ):
        as_pyterrier(RRF, {"queries": pt.Transformer.identity()}).transform(TOPICS)
    twice = pt.Transformer.from_df(pd.concat([RESULTS["v1"], RESULTS["v1"]]))
    with pytest.raises(InputError, match="item"):
        as_pyterrier(RRF, [twice]).transform(TOPICS)
    assert len(as_pyterrier(RRF, [twice], duplicates="first").transform(TOPICS)) == len(RESULTS["v1"])


def test_a_missing_pyterrier_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "skrankagg.compat._pyterrier_transformer", raising=False)
    monkeypatch.setitem(sys.modules, "pyterrier", None)
    with pytest.raises(MissingLibraryError, match="needs PyTerrier, but pyterrier is missing"):
        as_pyterrier(RRF)


def test_to_pyterrier_writes_frames_for_experiments():
    consensus = CombSUM().fit_transform(LISTS)
    found = to_pyterrier(consensus, TOPICS)
    assert found.columns.tolist() == ["qid", "query", "docno", "score", "rank"]
    assert sorted(rows_of(found)) == sorted(expected(CombSUM()))
    assert (found["query"] == "text of " + found["qid"]).all()
    table = pt.Experiment([found], TOPICS, PT_QRELS, ["map"])
    assert table["map"].item() == pytest.approx(evaluate(consensus, QRELS, "map").iloc[0, 0], rel=1e-9)
    assert RankedLists.from_frame(found).equals(RankedLists.from_frame(to_pyterrier(found)))
    numbered = to_pyterrier(pd.DataFrame({"query": [7, 7, 7], "item": [1, 3, 2], "rank": [1, 2, 2]}))
    assert rows_of(numbered) == [("7", "1", 0.0, 0), ("7", "2", -1.0, 1), ("7", "3", -2.0, 2)]
    with pytest.raises(InputError, match=r"1 queries are missing \(the first is 'q8'\)"):
        to_pyterrier(consensus, TOPICS[TOPICS["qid"] != "q8"])
    with pytest.raises(InputError, match="A run must have one list for each query"):
        to_pyterrier(LISTS)


TEXTS = {"d1": "cats and dogs", "d2": "dogs chase cars", "d3": "the cat sleeps all day", "d4": "cars and trains"}
DOCUMENTS = [{"docno": name, "text": text} for name, text in TEXTS.items()]
QUESTIONS = pd.DataFrame([["2", "cars"], ["1", "cats dogs"]], columns=["qid", "query"])


def check_engine(*retrievers):
    """Check that the merged results of real retrievers equal the merged runs, and that an experiment measures them."""
    merged = as_pyterrier(RRF, retrievers)
    found = merged.transform(QUESTIONS)
    runs = RankedLists.from_runs([retriever.transform(QUESTIONS).drop(columns="rank") for retriever in retrievers])
    assert sorted(rows_of(found)) == sorted(rows_of(to_pyterrier(RRF.transform(runs))))
    assert found["qid"].unique().tolist() == ["2", "1"]
    assert found.groupby("qid")["query"].first().to_dict() == {"1": "cats dogs", "2": "cars"}
    qrels = pd.DataFrame([["1", "d1", 1], ["2", "d2", 1]], columns=["qid", "docno", "label"])
    table = pt.Experiment([*retrievers, merged % 2], QUESTIONS, qrels, ["recall_2"])
    assert table["recall_2"].iloc[-1] == 1.0


def test_retrievers_of_pisa_are_merged(tmp_path):
    pisa = pytest.importorskip("pyterrier_pisa", reason="merges results of the search engine PISA")
    index = pisa.PisaIndex(str(tmp_path / "index"), text_field="text")
    index.index(DOCUMENTS)
    check_engine(index.bm25(), index.dph())


@pytest.mark.skipif(shutil.which("java") is None, reason="Terrier's retrievers need Java")
def test_retrievers_of_terrier_are_merged(tmp_path):
    try:
        pt.java.init()
    except OSError as error:  # Terrier's jars are downloaded when Java starts
        pytest.skip(f"Terrier cannot be downloaded: {error}")
    index = pt.IterDictIndexer(str(tmp_path / "index")).index(DOCUMENTS)
    check_engine(*(pt.terrier.Retriever(index, wmodel=model) for model in ("BM25", "TF_IDF")))
