"""The recipes of docs/scaling_out.md run as printed there, and give the result of one machine."""

import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from processes import environment
from sklearn.pipeline import make_pipeline

from public_api import DOCS
from skrankagg import DIBRA, CombSUM
from skrankagg.aggregators import RobustRankAggregation
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import SplitQueryWarning
from skrankagg.metrics import evaluate
from skrankagg.preprocessing import TopK, VoterSelector

METRICS = ["map", "ndcg@10"]
UNSEEN = "never asked"


def script(section):
    """Join the code blocks of a section of the page, without the examples with prompts."""
    page = (DOCS / "scaling_out.md").read_text(encoding="utf-8")
    text = page.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    pieces = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert pieces and ">>>" not in "".join(pieces)
    return "\n\n".join(pieces)


def run(code, folder, **variables):
    """Run a script as its user does: the workers of a cluster import it themselves."""
    (folder / "recipe.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "recipe.py"],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def data():
    """Lists in random order, and judgements, some of them of a query without lists."""
    frame, qrels = make_ranked_lists(n_queries=40, n_voters=6, list_length=15, quality=0.5, random_state=0)
    unseen = pd.DataFrame({"query": [UNSEEN], "item": [qrels["item"].iloc[0]], "relevance": [1]}).astype(qrels.dtypes)
    return frame.sample(frac=1, random_state=0), pd.concat([qrels, unseen], ignore_index=True)


def write_lists(frame, folder):
    """Write lists as four files, each with some rows of every query."""
    folder.mkdir()
    for k in range(4):
        frame.iloc[k::4].to_parquet(folder / f"part_{k}.parquet", index=False)


def assert_same_consensus(found, expected):
    """Row by row, to the last bit; only the library that holds the strings may differ."""
    found, expected = (
        one.sort_values(["query", "rank"], ignore_index=True).astype({"query": object, "item": object})
        for one in (found, expected)
    )
    assert_frame_equal(found, expected, check_exact=True)


def assert_same_measures(found, expected):
    assert_frame_equal(found.sort_index(), expected.sort_index(), check_exact=True, check_index_type=False)


# ---------------------------------------------------------------------- Dask on a cluster


def test_a_cluster_gets_what_one_machine_gets(data, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    frame, qrels = data
    write_lists(frame, tmp_path / "lists")
    qrels.to_parquet(tmp_path / "qrels.parquet")
    # What matters is that the work is done in another process than the script's: one worker is one.
    code = script("With Dask")
    assert code.count('"n_workers": 2') == 1
    assert "{'norm': '" in run(code.replace('"n_workers": 2', '"n_workers": 1'), tmp_path)
    for name, method in (("sum", CombSUM()), ("dibra", DIBRA()), ("global", None)):
        found = pd.read_parquet(tmp_path / "consensus" / name)
        if method is None:  # it was fitted on a sample; its result is compared below
            assert found["query"].nunique() == frame["query"].nunique()
        else:
            assert_same_consensus(found, method.fit_transform(frame))
        measured = pd.read_parquet(tmp_path / f"measures_{name}.parquet")
        assert measured.loc[UNSEEN].tolist() == [0.0, 0.0]
        assert_same_measures(measured, evaluate(found, qrels, METRICS, per_query=True))


# ---------------------------------------------------------------------- Dask in this process


@pytest.fixture
def recipe(data, tmp_path):
    """Names of the script, with the lists as a Dask frame in which queries are split."""
    dask = pytest.importorskip("dask", reason="Dask is not installed")
    import dask.dataframe as dd

    write_lists(data[0], tmp_path / "lists")
    names = {"__name__": "recipe"}
    exec(script("With Dask"), names)
    with dask.config.set(scheduler="sync"):
        yield {**names, "lists": dd.read_parquet(tmp_path / "lists")}


# Dask calls what newer versions of pandas deprecate.
in_this_process = pytest.mark.filterwarnings("ignore")


@in_this_process
def test_what_is_fitted_on_a_sample(recipe, data):
    lists = recipe["lists"].shuffle("query")
    sample = recipe["sample_queries"](lists, share=0.5)
    size = sample.groupby("query").size().to_dict()
    assert len(size) == 20 and size.items() <= data[0].groupby("query").size().to_dict().items()
    for method in (DIBRA(weighting="global"), make_pipeline(VoterSelector(n_voters=3), TopK(5), CombSUM())):
        method.fit(sample)
        assert_same_consensus(recipe["aggregate"](lists, method).compute(), method.transform(data[0]))


@in_this_process
def test_partitions_without_queries_and_columns_of_a_method(recipe, data):
    frame, qrels = data
    few = sorted(frame["query"].unique())[:5]
    frame, lists = frame[frame["query"].isin(few)], recipe["lists"]
    lists = lists[lists["query"].isin(few)].shuffle("query", npartitions=8)
    assert 0 in lists.map_partitions(len).compute().tolist()
    method = RobustRankAggregation()
    consensus = recipe["aggregate"](lists, method)
    assert list(consensus.columns) == ["query", "item", "score", "rank", "pvalue"]
    recipe["check_whole"](consensus)
    expected = method.transform(frame)
    assert_same_consensus(consensus.compute(), expected)
    measured = recipe["evaluate_all"](consensus, qrels, METRICS)
    assert_same_measures(measured, evaluate(expected, qrels, METRICS, per_query=True))


@in_this_process
@pytest.mark.parametrize(
    ("tear", "error"),
    [
        (lambda lists: lists, ValueError),
        (lambda lists: lists.shuffle("voter"), ValueError),
        (lambda lists: lists.shuffle("item"), SplitQueryWarning),
        (lambda lists: lists.shuffle("query").sample(frac=0.5, random_state=0), SplitQueryWarning),
    ],
    ids=["as it was", "by voter", "by item", "some rows"],
)
def test_split_queries_are_detected(recipe, tear, error):
    consensus = recipe["aggregate"](tear(recipe["lists"]), CombSUM())
    with pytest.raises(error, match=r"queries were split|lists have lost rows"):
        recipe["check_whole"](consensus)


# ---------------------------------------------------------------------- Spark


@pytest.mark.skipif(
    os.environ.get("SKRANKAGG_SPARK") != "1", reason="starts Spark, which needs Java: set SKRANKAGG_SPARK=1"
)
def test_spark_gets_what_one_machine_gets(data, tmp_path):
    frame, _ = data
    write_lists(frame, tmp_path / "lists")
    run(script("With Spark"), tmp_path, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    assert_same_consensus(pd.read_parquet(tmp_path / "consensus" / "spark"), CombSUM().transform(frame))
