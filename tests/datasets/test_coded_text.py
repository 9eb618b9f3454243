"""Text of Parquet files that is stored as codes, equal strings as one object, and the memory of the readers."""

import importlib.util
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg.datasets import _blocks, _parquet, make_rasdagen, read_lists
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.twice

IDS = ["query", "voter", "item"]
N = 600


def table_of_ids():
    """Return a table of Arrow whose ids look like the same numbers."""
    arrow = pytest.importorskip("pyarrow", reason="it writes a Parquet file")
    items = np.resize(np.array(["007", "7", "1", "1.0", "é日", " x", "NA", ""], dtype=object)[:7], N)
    return arrow.table(
        {
            "query": [f"{k // 7:03d}" for k in range(N)],
            "voter": np.resize(["1", "01"], N),
            "item": items,
            "rank": [k % 7 + 1 for k in range(N)],
        }
    )


@pytest.mark.parametrize("storage", ["python", "pyarrow"])
@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_read_lists_reads_equal_frames_of_codes_and_of_text_from_parquet(tmp_path, kind, storage):
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    from pyarrow import parquet

    table = table_of_ids()
    for k, name in enumerate(IDS):
        table = table.set_column(k, name, table[name].cast(kind))
    with pd.option_context("mode.string_storage", storage):
        frames = []
        for coded in (IDS, False):
            parquet.write_table(table, tmp_path / "a.parquet", use_dictionary=coded, row_group_size=300)
            found = _parquet._coded_text(parquet.read_metadata(tmp_path / "a.parquet"))
            assert set(found) == set(coded or ())
            frames.append(read_lists(tmp_path / "a.parquet"))
        categories = table.set_column(2, "item", pa.chunked_array(table["item"].dictionary_encode().chunks))
        parquet.write_table(categories, tmp_path / "a.parquet")
        frames.append(read_lists(tmp_path / "a.parquet"))
        for frame in frames:
            assert_frame_equal(frame, frames[-1])
            for name in IDS:
                assert frame[name].tolist() == table[name].to_pylist()
            frame.iloc[0, 3] = 9  # the numbers are writeable
            assert frame["rank"].tolist()[:2] == [9, 2]


def test_read_lists_names_the_row_of_a_missing_id_that_is_stored_as_a_code(tmp_path):
    table = table_of_ids()
    from pyarrow import parquet

    items = table["item"].to_pylist()
    items[431] = None
    parquet.write_table(table.set_column(2, "item", [items]), tmp_path / "a.parquet", row_group_size=200)
    assert "item" in _parquet._coded_text(parquet.read_metadata(tmp_path / "a.parquet"))
    with pytest.raises(InputError, match="expected a value as item in every row, got none in row 431"):
        read_lists(tmp_path / "a.parquet")


def test_read_parquet_reads_columns_of_many_distinct_texts_as_text(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="it writes a Parquet file")
    from pyarrow import parquet

    ids = [f"d{k:06d}" for k in range(3000)]
    parquet.write_table(arrow.table({"query": ["q"] * 3000, "item": ids, "score": range(3000)}), tmp_path / "a")
    assert _parquet._coded_text(parquet.read_metadata(tmp_path / "a")) == ["query"]
    assert read_lists(tmp_path / "a")["item"].tolist() == ids


@pytest.mark.parametrize("suffix", ["run", "csv"])
def test_readers_share_equal_strings_and_hold_only_one_column_twice(tmp_path, monkeypatch, suffix):
    lists = make_rasdagen()[0]
    lists = pd.concat([lists.assign(query=lists["query"] + end) for end in "abcd"])
    path = tmp_path / f"lists.{suffix}"
    if suffix == "csv":
        lists.to_csv(path, index=False)
    else:
        fields = lists.assign(Q0="Q0")[["query", "Q0", "item", "rank", "score", "voter"]]
        fields.to_csv(path, sep=" ", header=False, index=False)
    monkeypatch.setattr(_blocks, "_BLOCK", 2**16)
    with pd.option_context("mode.string_storage", "python"):
        read_lists(path)  # the first call imports modules
        tracemalloc.start()
        try:
            found = read_lists(path)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    texts = np.asarray(found["query"].array, dtype=object)
    assert len({id(text) for text in texts}) < len(texts) / 20
    # A row has three pointers and two numbers, which are 40 bytes, and a share of the strings. Two copies of all
    # columns would need more than 100 bytes. With pyarrow, the conversion of a column needs some 60 bytes more.
    assert peak < (170 if importlib.util.find_spec("pyarrow") else 95) * len(found)
