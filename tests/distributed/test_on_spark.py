"""Partition functions on Spark data frames, compared with one process."""

import os
import sys

import pandas as pd
import pytest
from frames_and_files import assert_same_rows
from pandas.testing import assert_frame_equal
from processes import environment
from sklearn.pipeline import make_pipeline

from skrankagg import DIBRA, CombSUM, Copeland, RobustRankAggregation
from skrankagg.datasets import make_ranked_lists
from skrankagg.distributed import evaluate_partitions, fit_partitions, transform_partitions
from skrankagg.exceptions import MissingQueriesWarning, NothingJudgedWarning
from skrankagg.metrics import evaluate
from skrankagg.preprocessing import TopK

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("SKRANKAGG_SPARK") != "1", reason="starts Spark, which needs Java: set SKRANKAGG_SPARK=1"
    ),
    # PySpark warns that it does not fully support pandas 3, and leaves a socket to the garbage collector.
    pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning", "ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

METRICS = ["map", "ndcg@10", "gmap", "num_ret"]


@pytest.fixture(scope="module")
def spark():
    pyspark = pytest.importorskip("pyspark.sql", reason="Spark is not installed")
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "PYSPARK_PYTHON", "SPARK_LOCAL_IP")}
    os.environ.update(PYTHONPATH=environment()["PYTHONPATH"], PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4"}
    session = pyspark.SparkSession.builder.master("local[2,4]").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.fixture(scope="module")
def data():
    """Return lists, and judgements of some queries and of a query without lists."""
    frame, qrels, _ = make_ranked_lists(n_queries=24, n_voters=4, list_length=8, quality=0.4, random_state=0)
    unseen = qrels.head(2).assign(query="never asked")
    return frame, pd.concat([qrels[qrels["query"] != "q03"], unseen], ignore_index=True)


@pytest.fixture(scope="module")
def lists(spark, data, tmp_path_factory):
    """Return a Spark frame of the rows in random order, with an extra column, in five partitions."""
    path = tmp_path_factory.mktemp("spark") / "lists.parquet"
    data[0].sample(frac=1, random_state=1).assign(note="x").to_parquet(path, index=False)
    return spark.read.parquet(str(path)).repartition(5).cache()


def to_pandas(frame):
    found = frame.toPandas().sort_values(["query", "rank"], ignore_index=True)
    return found.astype({"query": object, "item": object})


METHODS = [CombSUM(), DIBRA(), RobustRankAggregation(), make_pipeline(TopK(5), Copeland())]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_transform_partitions_on_spark_equals_transform(data, lists, method):
    lazy = transform_partitions(method, lists)
    expected = method.fit_transform(data[0]).astype({"query": object, "item": object})
    assert_same_rows(to_pandas(lazy), expected)
    kinds = {"query": "string", "item": "string", "rank": "bigint"}
    assert dict(lazy.dtypes) == {name: kinds.get(name, "double") for name in expected}


def test_transform_partitions_on_spark_is_the_same_in_small_chunks(data, lists, monkeypatch):
    from skrankagg.distributed import _spark

    monkeypatch.setattr(_spark, "CHUNK_ROWS", 40)
    found = transform_partitions(CombSUM(), lists.repartition(3, "query"), partitioned=True)
    assert_same_rows(to_pandas(found), CombSUM().transform(data[0]).astype({"query": object, "item": object}))


def test_transform_partitions_on_spark_keeps_integer_ids(spark, data):
    codes = {name: data[0][name].astype("category").cat.codes.astype("int32") for name in ("query", "voter", "item")}
    frame = data[0].assign(**codes)
    found = transform_partitions(CombSUM(), spark.createDataFrame(frame))
    assert dict(found.dtypes)["query"] == "int"
    expected = CombSUM().transform(frame)
    assert_same_rows(found.toPandas().sort_values(["query", "rank"], ignore_index=True), expected)
    # Judgements of wider integers meet them.
    qrels = data[1][data[1]["query"] != "never asked"]
    ids = {name: dict(zip(data[0][name], codes[name], strict=True)) for name in ("query", "item")}
    qrels = qrels[qrels["item"].isin(ids["item"])]
    qrels = qrels.assign(query=qrels["query"].map(ids["query"]), item=qrels["item"].map(ids["item"])).astype("int64")
    measured = evaluate_partitions(found, spark.createDataFrame(qrels), METRICS)
    assert_frame_equal(measured, evaluate(expected, qrels, METRICS), check_index_type=False)


@pytest.mark.parametrize("judged", ["frame", "engine"])
@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("missing_queries", ["zero", "skip"])
def test_evaluate_partitions_on_spark_equals_evaluate(spark, data, lists, judged, per_query, missing_queries):
    consensus, qrels = transform_partitions(CombSUM(), lists), data[1]
    given = qrels if judged == "frame" else spark.createDataFrame(qrels)
    options = {"per_query": per_query, "missing_queries": missing_queries}
    found = evaluate_partitions(consensus, given, METRICS, partitioned=judged == "frame", **options)
    expected = evaluate(CombSUM().transform(data[0]), qrels, METRICS, **options)
    assert_frame_equal(found, expected, check_index_type=False, rtol=1e-12)


@pytest.mark.parametrize("judged", ["frame", "engine"])
def test_evaluate_partitions_on_spark_issues_warnings(spark, data, lists, judged):
    consensus = transform_partitions(CombSUM(), lists)
    given = data[1] if judged == "frame" else spark.createDataFrame(data[1])
    with pytest.warns(MissingQueriesWarning, match="23 of the 24|22 of the 24"):
        evaluate_partitions(consensus.filter("query in ('q01', 'q02')"), given)
    with pytest.warns(NothingJudgedWarning, match="contains no judged item"):
        evaluate_partitions(consensus.filter("query = 'none'"), given)


def test_fit_partitions_on_spark_equals_fit(data, lists):
    for make in (lambda: DIBRA(weighting="global"), lambda: make_pipeline(TopK(4), DIBRA(weighting="global"))):
        found, expected = fit_partitions(make(), lists), make().fit(data[0])
        found, expected = (one[-1] if hasattr(one, "steps") else one for one in (found, expected))
        assert_frame_equal(found.voter_weights_, expected.voter_weights_, rtol=1e-12, check_dtype=False)
    chosen = ["q03", "q04"]
    found = fit_partitions(DIBRA(weighting="global"), lists, queries=chosen)
    expected = DIBRA(weighting="global").fit(data[0][data[0]["query"].isin(chosen)].reset_index(drop=True))
    assert_frame_equal(found.voter_weights_, expected.voter_weights_, rtol=1e-12, check_dtype=False)


def test_partition_functions_on_spark_reject_split_queries(data, lists):
    method = DIBRA(weighting="global")
    for call in (
        lambda: transform_partitions(CombSUM(), lists, partitioned=True),
        lambda: fit_partitions(method, lists, partitioned=True),
        lambda: evaluate_partitions(lists.drop("voter", "score", "note"), data[1], partitioned=True),
    ):
        with pytest.raises(Exception, match=r"in several partitions|an item twice|repeat|once"):
            call()


def test_transform_partitions_on_spark_survives_a_dead_worker(data, lists, tmp_path):
    marker = str(tmp_path / "died")

    def die_once(batches):
        for batch in batches:
            try:
                open(marker, "x").close()
            except FileExistsError:
                yield batch
            else:
                os.kill(os.getpid(), 9)

    found = transform_partitions(CombSUM(), lists.mapInArrow(die_once, lists.schema))
    assert_same_rows(to_pandas(found), CombSUM().transform(data[0]).astype({"query": object, "item": object}))
    assert os.path.exists(marker)
