"""evaluate_partitions, compared with evaluate on the whole run."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

pytest.importorskip("pyarrow", reason="frames of Dask need pyarrow")
pytest.importorskip("dask", reason="Dask is not installed")
pytest.importorskip("dask.dataframe", reason="Dask has no data frames")

from frames_of_dask import as_dask, in_this_process, shuffled  # noqa: F401

from skrankagg import CombSUM, Qrels
from skrankagg.datasets import make_ranked_lists
from skrankagg.distributed import evaluate_partitions, scan_parquet, transform_partitions
from skrankagg.exceptions import MissingQueriesWarning, NothingJudgedWarning
from skrankagg.metrics import evaluate, make_measure

pytestmark = pytest.mark.twice

METRICS = ["map", "p@10", "ndcg@10", "gmap", "num_rel", "num_ret", "rbp"]


@pytest.fixture(scope="module")
def data():
    """Return a run, and judgements that include a query without results and one without judged results."""
    frame, qrels, _ = make_ranked_lists(n_queries=10, n_voters=4, list_length=8, quality=0.3, random_state=0)
    run = CombSUM().transform(frame)
    qrels = qrels[~qrels["query"].isin(["q03", "q04"])]
    qrels.loc[qrels["query"] == "q05", "item"] += "x"
    unseen = qrels.head(2).assign(query="never asked")
    return run, pd.concat([qrels, unseen], ignore_index=True)


def in_parts(kind, frame, tmp_path):
    """Pass the rows to an engine; return its frame and whether partitions contain whole queries."""
    if kind == "torn":
        return as_dask(shuffled(frame), 4), False
    if kind == "whole":
        return as_dask(shuffled(frame), 4).shuffle("query", npartitions=12), True
    frame.sort_values(["query", "rank"]).to_parquet(tmp_path / "run.parquet", row_group_size=17)
    return scan_parquet(tmp_path / "run.parquet", chunk_queries=3), False


KINDS = ["torn", "whole", "chunks"]


def assert_same(found, expected):
    assert_frame_equal(found, expected, check_exact=False, rtol=1e-13, check_index_type=False)
    assert found.attrs == expected.attrs


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing_queries", ["zero", "skip", None])
@pytest.mark.parametrize("judged", ["frame", "qrels", "engine"])
def test_evaluate_partitions_equals_evaluate(data, tmp_path, kind, missing_queries, judged):
    run, qrels = data
    parts, partitioned = in_parts(kind, run, tmp_path)
    if judged == "engine" and kind == "chunks":
        with pytest.raises(ValueError, match="must be a frame or Qrels"):
            evaluate_partitions(parts, as_dask(qrels, 3), METRICS)
        return
    given = {"frame": lambda: qrels, "qrels": lambda: Qrels.from_frame(qrels), "engine": lambda: as_dask(qrels, 3)}
    for per_query in (False, True):
        found = evaluate_partitions(
            parts,
            given[judged](),
            METRICS,
            per_query=per_query,
            missing_queries=missing_queries,
            partitioned=partitioned,
        )
        assert_same(found, evaluate(run, qrels, METRICS, per_query=per_query, missing_queries=missing_queries))


def _length(ranking):
    return len(ranking.items) + (ranking.query == "q01")


@pytest.mark.parametrize("judged", ["frame", "engine"])
def test_evaluate_partitions_accepts_custom_measures_and_conventions(data, judged):
    run, qrels = data
    length = make_measure(_length, name="length", summary="sum")
    metrics = [length, "ndcg@5", "p@3"]
    given = qrels if judged == "frame" else as_dask(qrels, 3)
    options = {"gain": "linear", "relevance_threshold": 1, "ties": "trec_eval"}
    found = evaluate_partitions(as_dask(shuffled(run)), given, metrics, **options)
    assert_same(found, evaluate(run, qrels, metrics, **options))
    assert not found.equals(evaluate(run, qrels, metrics))


def test_evaluate_partitions_accepts_a_consensus_of_transform_partitions(data):
    frame, qrels, _ = make_ranked_lists(n_queries=24, n_voters=4, list_length=8, random_state=0)
    consensus = transform_partitions(CombSUM(), as_dask(shuffled(frame)))
    found = evaluate_partitions(consensus, qrels, METRICS, partitioned=True)
    assert_same(found, evaluate(CombSUM().transform(frame), qrels, METRICS))


def test_evaluate_partitions_matches_integer_ids_of_different_widths(data):
    run, qrels = data
    known = qrels[qrels["query"] != "never asked"]
    codes = {query: k - 5 for k, query in enumerate(sorted({*run["query"]}))}
    run, known = (one.assign(query=one["query"].map(codes)) for one in (run, known))
    run["query"] = run["query"].astype("int32")
    found = evaluate_partitions(as_dask(shuffled(run)), as_dask(known, 3), METRICS)
    assert_same(found, evaluate(run, known, METRICS))


# ---------------------------------------------------------------------- warnings


@pytest.mark.parametrize("judged", ["frame", "engine"])
def test_evaluate_partitions_warns_about_missing_queries(data, judged):
    run, qrels = data
    few = run[run["query"].isin(["q01", "q02"])]
    given = qrels if judged == "frame" else as_dask(qrels, 3)
    with pytest.warns(MissingQueriesWarning, match="^7 of the 9 judged queries have no results and count as 0"):
        found = evaluate_partitions(as_dask(few, 2), given, METRICS)
    with pytest.warns(MissingQueriesWarning):
        assert_same(found, evaluate(few, qrels, METRICS))
    for missing_queries in ("zero", "skip"):
        found = evaluate_partitions(as_dask(few, 2), given, METRICS, missing_queries=missing_queries)
        assert_same(found, evaluate(few, qrels, METRICS, missing_queries=missing_queries))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("judged", ["frame", "engine"])
@pytest.mark.parametrize("missing_queries", ["zero", "skip"])
@pytest.mark.parametrize("wrong", ["query", "item"])
def test_evaluate_partitions_warns_about_a_run_without_judged_items(data, judged, missing_queries, wrong):
    run, qrels = data
    run = run.assign(**{wrong: run[wrong] + "other"})
    given = qrels if judged == "frame" else as_dask(qrels, 3)
    with pytest.warns(NothingJudgedWarning, match="contains no judged item") as caught:
        found = evaluate_partitions(as_dask(run, 2), given, METRICS, missing_queries=missing_queries)
    nothing = missing_queries == "skip" and wrong == "query"
    assert len(caught) == 1 and ("it scores NaN" in str(caught[0].message)) == nothing
    with pytest.warns(NothingJudgedWarning):
        assert_same(found, evaluate(run, qrels, METRICS, missing_queries=missing_queries))


@pytest.mark.parametrize("judged", ["frame", "engine"])
def test_evaluate_partitions_warns_about_an_empty_run(data, judged):
    run, qrels = data
    given = qrels if judged == "frame" else as_dask(qrels, 3)
    empty = as_dask(run, 2).query("query == 'none'")
    with pytest.warns(NothingJudgedWarning):
        found = evaluate_partitions(empty, given, ["map", "num_ret"])
    assert found.loc["run"].tolist() == [0.0, 0.0]
    with pytest.warns(NothingJudgedWarning, match="scores NaN"):
        found = evaluate_partitions(empty, given, ["map", "num_ret"], missing_queries="skip")
    assert np.isnan(found.loc["run", "map"]) and found.loc["run", "num_ret"] == 0
    with pytest.warns(NothingJudgedWarning):
        assert len(evaluate_partitions(empty, given, missing_queries="skip", per_query=True)) == 0


# ---------------------------------------------------------------------- refused


def test_evaluate_partitions_rejects_split_queries(data):
    run, qrels = data
    parts = as_dask(shuffled(run))
    with pytest.raises(ValueError, match="lost rows"):  # as the labels of the rows tell
        evaluate_partitions(parts, qrels, partitioned=True)
    parts = parts.map_partitions(lambda rows: rows.reset_index(drop=True))
    for per_query in (False, True):
        with pytest.raises(ValueError, match="the rows of 10 queries, such as"):
            evaluate_partitions(parts, qrels, partitioned=True, per_query=per_query)


def test_evaluate_partitions_rejects_split_queries_without_judgements(data):
    run, qrels = data
    parts = as_dask(run[run["query"] == "q03"], 2).map_partitions(lambda rows: rows.reset_index(drop=True))
    with pytest.raises(ValueError, match="the rows of 1 query, such as 'q03', are in several partitions"):
        evaluate_partitions(parts, qrels, partitioned=True, missing_queries="zero")


def test_evaluate_partitions_rejects_invalid_arguments(data, tmp_path):
    run, qrels = data
    parts = as_dask(shuffled(run))
    with pytest.raises(ValueError, match="one run without a column 'voter'"):
        evaluate_partitions(as_dask(run.assign(voter="v")), qrels)
    with pytest.raises(ValueError, match="nonsense"):
        evaluate_partitions(parts, qrels, "nonsense")
    with pytest.raises(ValueError, match="missing_queries"):
        evaluate_partitions(parts, qrels, missing_queries="none")
    numbers = qrels.assign(query=qrels["query"].astype("category").cat.codes)
    for given in (numbers, as_dask(numbers, 2)):
        with pytest.raises(ValueError, match=r"integers|strings|numbers"):
            evaluate_partitions(parts, given)
    with pytest.raises(TypeError, match="a Dask or Spark data frame, or the result of scan_parquet; got DataFrame"):
        evaluate_partitions(run, qrels)
    chunks, _ = in_parts("chunks", run, tmp_path)
    with pytest.raises(ValueError, match="`qrels` for a data set that is read in chunks must be a frame or Qrels"):
        evaluate_partitions(chunks, as_dask(qrels, 2))
