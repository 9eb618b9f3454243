"""Text of polars, DuckDB and Arrow is encoded without Python strings, and with the same result as in pandas."""

import datetime
from dataclasses import fields

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pytest

from skrankagg import BordaCount, Qrels, RankedLists
from skrankagg._data._arrow_text import arrow_text
from skrankagg._data._text_order import is_arrow_text
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.twice

IDS = ["query", "voter", "item"]
# The order of UTF-8 bytes equals the order of characters, also for characters that need two units of UTF-16.
# Options of RankedLists.from_frame read columns in pandas, where "a\0b" equals "a" up to version 2.
NAMES = ["b", "", "é", "\U0001f600", "￿", "a\0b" if pd.__version__ >= "3" else "ab", "a", "NA", "007", "x" * 300]


def rows(n=5000):
    """Return a frame in which each list contains each item once, in random order of rows."""
    rng = np.random.default_rng(0)
    cells = rng.permutation(60 * 12 * len(NAMES))[:n]
    query, rest = np.divmod(cells, 12 * len(NAMES))
    voter, item = np.divmod(rest, len(NAMES))
    return pd.DataFrame({
        "query": [f"topic {k}" for k in query], "voter": [f"v{k}" for k in voter],
        "item": [NAMES[k] for k in item], "score": rng.random(n),
    })  # fmt: skip


FRAME = rows()


def convert(frame, kind):
    """Return the rows as a frame of another library; `kind` names the library, and the type of the columns of text."""
    library, _, form = kind.partition(" ")
    if library == "polars":
        polars = pytest.importorskip("polars", reason="polars has other frames")
        found = polars.DataFrame(frame.to_dict("list"))
        if form == "categories":
            return found.with_columns(polars.col(IDS).cast(polars.Categorical))
        if form == "enum":
            return found.with_columns(polars.col(n).cast(polars.Enum(sorted(set(frame[n])))) for n in IDS)
        return found.lazy() if form == "lazy" else found
    pa = pytest.importorskip("pyarrow", reason="Arrow has other types of text")
    table = pa.table(frame.to_dict("list"))
    if library == "DuckDB":
        duckdb = pytest.importorskip("duckdb", reason="DuckDB has other frames")
        connection = duckdb.connect()
        connection.register("rows", table)
        connection.execute("CREATE TABLE lists AS SELECT * FROM rows")
        return connection.table("lists")
    if form == "chunks":
        return pa.concat_tables([table.slice(start, 777) for start in range(0, table.num_rows, 777)])
    if form == "dictionaries":
        of = {"query": pa.string(), "voter": pa.large_string(), "item": pa.string()}
        parts = [table.slice(0, 1999), table.slice(1999)]  # each part has a dictionary of its own
        return pa.concat_tables(
            part.set_column(0, "query", part["query"].cast(of["query"]).combine_chunks().dictionary_encode())
            .set_column(1, "voter", part["voter"].cast(of["voter"]).combine_chunks().dictionary_encode())
            .set_column(2, "item", part["item"].cast(of["item"]).combine_chunks().dictionary_encode())
            for part in parts
        )
    if form == "views":
        if not hasattr(pa, "string_view"):
            pytest.skip("this version of pyarrow has no string_view")
        return pa.table({**{n: pa.array(frame[n].tolist(), pa.string_view()) for n in IDS}, "score": table["score"]})
    return table.cast(pa.schema([(n, pa.large_string() if n in IDS else pa.float64()) for n in table.column_names]))


KINDS = [
    "polars", "polars lazy", "polars categories", "polars enum", "DuckDB", "arrow", "arrow chunks",
    "arrow dictionaries", "arrow views",
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_frames_of_other_libraries_are_encoded_as_in_pandas(kind):
    expected, found = RankedLists.from_frame(FRAME), RankedLists.from_frame(convert(FRAME, kind))
    for field in fields(RankedLists):
        mine, theirs = getattr(expected, field.name), getattr(found, field.name)
        if isinstance(mine, pd.Index):
            assert mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist(), field.name
        elif mine is None:
            assert theirs is None, field.name
        else:
            assert mine.dtype == theirs.dtype and np.array_equal(mine, theirs), field.name
    options = {"strip": True, "missing_ids": "drop", "weights": dict.fromkeys(expected.voters, 2.0)}
    assert RankedLists.from_frame(convert(FRAME, kind), **options).equals(RankedLists.from_frame(FRAME, **options))


@pytest.mark.parametrize("kind", KINDS)
def test_no_column_of_text_becomes_an_array_of_python_strings(kind, monkeypatch):
    if not is_arrow_text(pd.Series([""]).dtype):
        pytest.skip("without Arrow, pandas stores text as Python strings")
    converted = []
    original = nw.Series.to_numpy

    def to_numpy(values):
        converted.append(values.dtype)
        return original(values)

    given = convert(FRAME, kind)
    monkeypatch.setattr(nw.Series, "to_numpy", to_numpy)
    RankedLists.from_frame(given)
    assert set(converted) == {nw.Float64}


@pytest.mark.parametrize("kind", KINDS)
def test_a_null_in_a_column_of_text_is_a_missing_id(kind):
    names = FRAME["item"].tolist()
    names[4321] = None
    if kind == "polars enum":
        polars = pytest.importorskip("polars", reason="polars has other frames")
        with_null = polars.DataFrame({**FRAME.drop(columns="item").to_dict("list"), "item": names})
        with_null = with_null.with_columns(polars.col("item").cast(polars.Enum(sorted(set(NAMES)))))
    else:
        with_null = convert(FRAME.assign(item=pd.Series(names, dtype=object)), kind)
    message = "Column 'item' must have an id in every row; 1 are missing"
    if kind != "DuckDB":  # an engine that may reorder rows has no number of the row
        message += ", the first in row 4321"
    with pytest.raises(InputError, match=message):
        RankedLists.from_frame(with_null)
    kept = FRAME.drop(index=4321)
    assert RankedLists.from_frame(with_null, missing_ids="drop").equals(RankedLists.from_frame(kept))


def test_a_null_inside_an_arrow_dictionary_is_a_missing_id():
    pa = pytest.importorskip("pyarrow", reason="Arrow has dictionaries")
    item = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int8()), pa.array(["a", None, "b"]))
    with pytest.raises(InputError, match=r"1 are missing, the first in row 1"):
        RankedLists.from_frame(pa.table({"query": ["q"] * 3, "item": item, "rank": [1, 2, 3]}))


def test_unused_and_repeated_entries_of_an_arrow_dictionary_change_nothing():
    pa = pytest.importorskip("pyarrow", reason="Arrow has dictionaries")
    item = pa.DictionaryArray.from_arrays(pa.array([3, 0, 1], pa.int8()), pa.array(["b", "c", "unused", "a"]))
    query = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1], pa.int8()), pa.array(["q", "q"]))
    lists = RankedLists.from_frame(pa.table({"query": query, "item": item, "rank": [1, 2, 3]}))
    assert lists.to_runs() == {"consensus": {"q": ["a", "b", "c"]}} and lists.items.tolist() == ["a", "b", "c"]


def test_columns_that_are_not_text_are_read_as_before():
    polars = pytest.importorskip("polars", reason="polars has other frames")
    days = [datetime.date(2026, 1, 2), datetime.date(2026, 1, 1)]
    frame = polars.DataFrame({"query": [7, 7], "voter": [True, True], "item": days, "rank": [1, 2]})
    assert all(arrow_text(nw.from_native(frame, eager_only=True)[name]) is None for name in frame.columns)
    lists = RankedLists.from_frame(frame)
    assert lists.queries.dtype == np.int64 and [str(one)[:10] for one in lists.items] == ["2026-01-01", "2026-01-02"]


@pytest.mark.parametrize("kind", KINDS)
def test_python_strings_are_used_if_pandas_stores_them(kind):
    given = convert(FRAME, kind)
    with pd.option_context("mode.string_storage", "python"):
        lists = RankedLists.from_frame(given)
    assert lists.equals(RankedLists.from_frame(FRAME)) and not is_arrow_text(lists.items.dtype)
    names = FRAME["item"].tolist()
    names[17] = None
    with_null = FRAME.assign(item=pd.Series(names, dtype=object))
    if kind != "polars enum":
        with pd.option_context("mode.string_storage", "python"), pytest.raises(InputError, match="1 are missing"):
            RankedLists.from_frame(convert(with_null, kind))


@pytest.mark.parametrize("kind", KINDS)
def test_judgements_and_methods_read_frames_of_other_libraries(kind):
    judged = FRAME.drop_duplicates(["query", "item"]).assign(score=1.0)
    qrels = Qrels.from_frame(convert(judged, kind), relevance="score")
    expected = Qrels.from_frame(judged, relevance="score")
    pd.testing.assert_frame_equal(qrels.to_frame(), expected.to_frame())
    pd.testing.assert_frame_equal(BordaCount().fit_transform(convert(FRAME, kind)), BordaCount().fit_transform(FRAME))


@pytest.mark.parametrize("kind", ["polars", "polars lazy", "pyarrow"])
def test_nul_characters_at_the_end_of_short_columns_are_kept(kind):
    frame = pd.DataFrame({"query": ["q\0", "q\0", "q"], "voter": "v\0", "item": ["a\0", "a", "a\0"]})
    found = RankedLists.from_frame(convert(frame.assign(score=[2.0, 1.0, 3.0]), kind))
    assert found.to_runs() == {"v\0": {"q": {"a\0": 3.0}, "q\0": {"a\0": 2.0, "a": 1.0}}}


def test_means_of_duplicates_do_not_depend_on_the_type_of_the_scores():
    pytest.importorskip("pyarrow", reason="pandas adds numbers of Arrow in another function")
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": list("aabc"), "score": [0.1, 0.2, -0.0, 0.7]})
    expected = RankedLists.from_frame(frame, duplicates="mean")
    for kind in ("double[pyarrow]", "Float64"):
        found = RankedLists.from_frame(frame.astype({"score": kind}), duplicates="mean")
        assert found.score.tobytes() == expected.score.tobytes()
