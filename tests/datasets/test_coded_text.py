"""Text of Parquet files that is stored as codes, equal strings as one object, and the memory of the readers."""

import importlib.util
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal, assert_index_equal

from skrankagg import RankedLists
from skrankagg._data._arrow_text import coded_text
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


def assert_encoded_like_the_frame(path, **options):
    """Assert that the encoded lists of a file equal those of its frame in all arrays, ids and types of ids."""
    encoded, frame = read_lists(path, as_frame=False, **options), read_lists(path, **options)
    for name, value in RankedLists.from_frame(frame)._fields().items():
        found = getattr(encoded, name)
        if isinstance(value, pd.Index):
            assert_index_equal(found, value, exact=True)
        else:
            np.testing.assert_array_equal(found, value, strict=True)
    return encoded


@pytest.mark.parametrize("storage", ["python", "pyarrow"])
@pytest.mark.parametrize("coded", [True, False])
def test_read_lists_encodes_codes_and_text_from_parquet_alike(tmp_path, coded, storage):
    table = table_of_ids()
    from pyarrow import parquet

    with pd.option_context("mode.string_storage", storage):
        parquet.write_table(table, tmp_path / "a.parquet", use_dictionary=coded, row_group_size=100)
        found = assert_encoded_like_the_frame(tmp_path / "a.parquet")
        assert list(found.items) == sorted(set(table["item"].to_pylist()))
        # Rows of a second file, whose texts are not stored as codes.
        parquet.write_table(table, tmp_path / "b.parquet", use_dictionary=False)
        files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
        more = read_lists(files[:1])["voter"].to_list()
        with pytest.raises(InputError, match="Different files must have different voters; got '1' in"):
            read_lists(files, as_frame=False)
        assert set(more) == {"1", "01"}
        rows = table.to_pandas()
        for path, voter, codes in zip(files, ("1", "01"), (coded, not coded), strict=True):
            rows[rows["voter"] == voter].to_parquet(path, use_dictionary=codes, index=False)
        assert list(assert_encoded_like_the_frame(files).voters) == ["01", "1"]
        for path, voter in zip(files, ("1", "01"), strict=True):
            rows[rows["voter"] == voter].to_parquet(path, use_dictionary=coded, index=False)
        assert list(assert_encoded_like_the_frame(files).voters) == ["01", "1"]
        assert list(assert_encoded_like_the_frame(files, voter="file").voters) == ["a", "b"]
        assert list(assert_encoded_like_the_frame(files, voter=["x", None]).voters) == ["01", "x"]


@pytest.mark.parametrize("suffix", ["csv", "run", "json"])
def test_read_lists_encodes_files_of_text_like_their_frames(tmp_path, suffix):
    rows = make_rasdagen()[0]
    if suffix == "csv":
        rows.to_csv(tmp_path / "a.csv", index=False)
    elif suffix == "run":
        lines = rows.assign(Q0="Q0", score=-rows["rank"])[["query", "Q0", "item", "rank", "score", "voter"]]
        lines.to_csv(tmp_path / "a.run", sep=" ", header=False, index=False)
    else:
        (tmp_path / "a.json").write_text(rows[["query", "voter", "item", "rank"]].to_json(orient="records"))
    assert assert_encoded_like_the_frame(tmp_path / f"a.{suffix}").n_rows == len(rows)


def test_read_lists_encodes_large_integers_of_parquet_exactly(tmp_path):
    arrow = pytest.importorskip("pyarrow", reason="it writes a Parquet file")
    from pyarrow import parquet

    ids = {"query": ["q"] * 4, "voter": ["v"] * 4, "item": list("abcd")}
    for score in ([2**53, 2**53 + 1, 5, 6], [2**53 - 1, 2**53 - 2, 5, -6], [-(2**53), 1, 2, 3]):
        parquet.write_table(arrow.table(ids | {"score": score}), tmp_path / "a.parquet")
        found = assert_encoded_like_the_frame(tmp_path / "a.parquet")
        in_order = sorted(zip(score, ids["item"], strict=True), reverse=True)
        assert found.to_frame()["item"].tolist() == [item for _, item in in_order]
        assert found.rank.tolist() == [1, 2, 3, 4]


def test_coded_text_reads_dictionaries_with_repeated_or_missing_texts_as_text():
    arrow = pytest.importorskip("pyarrow")
    for values, is_text in ((["a", "b"], False), (["a", "a"], True), (["a", None], True)):
        chunk = arrow.DictionaryArray.from_arrays(arrow.array([0, 1, 0]), arrow.array(values))
        found = coded_text([chunk])
        assert isinstance(found.dtype, pd.CategoricalDtype) != is_text
        assert found.astype(object).where(found.notna(), None).tolist() == [values[0], values[1], values[0]]


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
