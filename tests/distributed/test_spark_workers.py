"""Functions that Spark calls in its workers, called here without Spark."""

import pickle
from itertools import chain

import pytest

pa = pytest.importorskip("pyarrow", reason="Spark passes rows as tables of Arrow")
pytest.importorskip("pyspark", reason="Spark is not installed")

from frames_and_files import assert_same_rows  # noqa: E402

from skrankagg import CombSUM  # noqa: E402
from skrankagg.datasets import make_ranked_lists  # noqa: E402
from skrankagg.distributed import _spark  # noqa: E402

pytestmark = pytest.mark.twice


@pytest.fixture(scope="module")
def lists():
    frame = make_ranked_lists(n_queries=6, n_voters=3, list_length=5, random_state=0)[0]
    return frame.sort_values("query", kind="stable", ignore_index=True)


@pytest.fixture
def batches(lists, monkeypatch):
    """Return the 90 rows of six queries as an iterator of batches; a worker processes about 20 rows at once."""
    monkeypatch.setattr(_spark, "CHUNK_ROWS", 20)
    return iter(pa.Table.from_pandas(lists, preserve_index=False).to_batches(max_chunksize=7))


def results(batches):
    return [pickle.loads(one) for batch in batches for one in batch.column("result").to_pylist()]


def test_mapped_applies_the_method_to_whole_queries(lists, batches):
    expected = CombSUM().transform(lists)
    schema = pa.Table.from_pandas(expected, preserve_index=False).schema
    sizes = []

    def work(rows):
        sizes.append(rows.num_rows)
        return CombSUM().transform(rows.to_pandas())[expected.columns[::-1]]  # the schema has another order

    found = [*_spark._Mapped(work, schema)(batches)]
    assert {one.schema for one in found} == {schema}
    assert_same_rows(pa.Table.from_batches(found).to_pandas(), expected)
    assert len(sizes) > 1 and sum(sizes) == len(lists)


def test_on_chunks_returns_a_result_for_each_chunk_of_whole_queries(lists, batches):
    chunks = results(_spark._OnChunks(lambda rows: rows.column("query").to_pylist())(batches))
    assert [*chain(*chunks)] == lists["query"].tolist()
    assert len(chunks) > 1 and sum(len(set(chunk)) for chunk in chunks) == lists["query"].nunique()


def test_on_partition_returns_one_result(lists, batches):
    [found] = results(_spark._OnPartition(lambda rows: rows.to_pandas())(batches))
    assert_same_rows(found.astype(object), lists.astype(object))
    assert results(_spark._OnPartition(len)(iter([]))) == []


def test_on_pairs_removes_the_bucket(lists):
    rows = pa.Table.from_pandas(lists.assign(bucket=1), preserve_index=False)
    judged = pa.table({"query": ["q1"], "item": ["a"], "relevance": [1], "bucket": [1]})
    found = _spark._on_pairs(lambda *tables: [table.column_names for table in tables])(rows, judged)
    assert results(found.to_batches()) == [[[*lists], ["query", "item", "relevance"]]]
