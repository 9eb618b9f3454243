"""The scripts of docs/scaling_out.md run as printed there, and give the result of one machine."""

import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from processes import environment

from public_api import DOCS
from skrankagg import DIBRA, CombSUM
from skrankagg.datasets import make_ranked_lists
from skrankagg.metrics import evaluate

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
    """Run a script in its own process, so that the workers of a cluster can import it."""
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
    """Return lists in random order, and judgements that include a query without lists."""
    frame, qrels, _ = make_ranked_lists(n_queries=40, n_voters=6, list_length=15, quality=0.5, random_state=0)
    unseen = pd.DataFrame({"query": [UNSEEN], "item": [qrels["item"].iloc[0]], "relevance": [1]}).astype(qrels.dtypes)
    return frame.sample(frac=1, random_state=0), pd.concat([qrels, unseen], ignore_index=True)


def write_lists(frame, folder):
    """Write lists as four files, each with some rows of every query."""
    folder.mkdir()
    for k in range(4):
        frame.iloc[k::4].to_parquet(folder / f"part_{k}.parquet", index=False)


def assert_same_consensus(found, expected, **options):
    """Check that rows are bitwise equal; only the string library may differ."""
    found, expected = (
        one.sort_values(["query", "rank"], ignore_index=True).astype({"query": object, "item": object})
        for one in (found, expected)
    )
    assert_frame_equal(found, expected, **(options or {"check_exact": True}))


LEARNT = {"rtol": 1e-9}  # sums over partitions are added in another order


@pytest.mark.exhaustive
def test_dask_script_of_the_page_equals_one_machine(data, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    frame, qrels = data
    write_lists(frame, tmp_path / "lists")
    qrels.to_parquet(tmp_path / "qrels.parquet")
    # The work must be done in another process than the script's; one worker is enough.
    code = script("With Dask")
    assert code.count('"n_workers": 2') == 1
    out = run(code.replace('"n_workers": 2', '"n_workers": 1'), tmp_path)
    assert [line.split()[0] for line in out.splitlines()] == ["sum", "dibra", "global"]
    methods = {"sum": CombSUM(), "dibra": DIBRA(), "global": DIBRA(weighting="global")}
    for name, method in methods.items():
        found = pd.read_parquet(tmp_path / "consensus" / name)
        assert_same_consensus(found, method.fit_transform(frame), **(LEARNT if name == "global" else {}))
        measured = pd.read_parquet(tmp_path / f"measures_{name}.parquet")
        assert measured.loc[UNSEEN].tolist() == [0.0, 0.0]
        expected = evaluate(found, qrels, METRICS, per_query=True)
        assert_frame_equal(measured, expected, check_exact=True, check_index_type=False)


@pytest.mark.skipif(
    os.environ.get("SKRANKAGG_SPARK") != "1", reason="starts Spark, which needs Java: set SKRANKAGG_SPARK=1"
)
def test_spark_script_of_the_page_equals_one_machine(data, tmp_path):
    frame, qrels = data
    write_lists(frame, tmp_path / "lists")
    qrels.to_parquet(tmp_path / "qrels.parquet")
    run(script("With Spark"), tmp_path, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    found = pd.read_parquet(tmp_path / "consensus" / "spark")
    assert_same_consensus(found, DIBRA(weighting="global").fit_transform(frame), **LEARNT)
    measured = pd.read_parquet(tmp_path / "measures_spark.parquet")
    assert_frame_equal(measured, evaluate(found, qrels, METRICS), check_index_type=False)
