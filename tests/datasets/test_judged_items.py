"""read_judged_items: tables as items_to_judge writes them and spreadsheets save them, and faults by line."""

import gzip

import pandas as pd
import pytest

from skrankagg.datasets import read_judged_items
from skrankagg.datasets._judged_items import is_judged_items
from skrankagg.exceptions import InputError, UnfilledWarning
from skrankagg.inspection import items_to_judge


@pytest.fixture
def write(tmp_path):
    def write(text, encoding="utf-8"):
        path = tmp_path / "todo.csv"
        path.write_bytes(text.encode(encoding))
        return path

    return write


@pytest.mark.parametrize("separator", [",", "\t", ";"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_read_judged_items_reads_what_spreadsheets_write(write, separator, end):
    rows = ["query,item,text,relevance", 'q1,d1,"two words, then\nanother line",2', "q1,007, x ,0", ",,,", "q2,d1,, 1 "]
    text = end.join(row.replace(",", separator) if "words" not in row else row for row in rows)
    if separator != ",":
        text = text.replace('q1,d1,"two words, then\nanother line",2', separator.join(["q1", "d1", '"a\nb"', "2"]))
    frame = read_judged_items(write("\ufeff" + text))
    expected = pd.DataFrame({"query": ["q1", "q1", "q2"], "item": ["d1", "007", "d1"], "relevance": [2, 0, 1]})
    pd.testing.assert_frame_equal(frame, expected)


def test_read_judged_items_reads_the_filled_table_of_items_to_judge(tmp_path):
    frame = items_to_judge({"u": {"1": ["a", "b"]}, "v": {"1": ["c"], "2": ["d"]}}, random_state=0)
    frame["relevance"] = [0.5, 1, 0, 2]
    frame.to_csv(tmp_path / "todo.csv", index=False)
    pd.testing.assert_frame_equal(read_judged_items(tmp_path / "todo.csv"), frame)


def test_read_judged_items_counts_empty_rows_and_names_queries_without_judgements(write):
    path = write("query,item,relevance\nq1,a,1\nq1,b,\nq2,a,\nq2,b, \nq3,a,\nq3,b,0\n")
    with pytest.warns(
        UnfilledWarning, match=r"skipped 4 rows without a judgement. Queries without a judged item are left out: q2\."
    ):
        frame = read_judged_items(path)
    assert frame["query"].tolist() == ["q1", "q3"] and frame["relevance"].tolist() == [1, 0]
    with pytest.raises(InputError, match="must have at least one judged item; its column 'relevance' is empty"):
        read_judged_items(write("query,item,relevance\nq1,a,\n"))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q1,a,1\nq1,b,yes\n", "line 3: `relevance` must be a number of at least 0, or empty; got 'yes'"),
        ("q1,a,-1\n", "line 2: `relevance` must be a number of at least 0, or empty; got '-1'"),
        ("q1,a,nan\n", "line 2: .* got 'nan'"),
        ("q1,a,inf\n", "line 2: .* got 'inf'"),
        ("q1,a,1\nq1,b,0\nq1,a,1\n", "line 4: item 'a' of query 'q1' must occur once; it is also on line 2"),
        ("q1,a,1\nq1,a,\n", "line 3: item 'a' of query 'q1' must occur once"),
        ("q1,,1\n", "line 2: `query` and `item` must not be empty"),
        ("q1,a\n", "line 2 must have 3 fields like the header; got 2"),
    ],
)
def test_read_judged_items_rejects_faults_by_line(write, rows, message):
    with pytest.raises(InputError, match=message):
        read_judged_items(write(f"query,item,relevance\n{rows}"))


def test_read_judged_items_rejects_other_files(write):
    with pytest.raises(InputError, match="must have a header with query, item and relevance; got 'q1', 'a', '1'"):
        read_judged_items(write("q1,a,1\n"))
    with pytest.raises(InputError, match="must be in UTF-8"):
        read_judged_items(write("query,item,relevance\nq\xe9,a,1\n", encoding="latin-1"))


def test_is_judged_items_recognises_the_header(tmp_path, write):
    assert is_judged_items(write("Query ID;DocNo;text;Relevance\n"))
    assert not is_judged_items(write("q1 0 a 1\n")) and not is_judged_items(write("query,item,score\n"))
    assert not is_judged_items(tmp_path / "missing.csv")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"query,item,relevance\n"))
    assert not is_judged_items(tmp_path / "packed.gz")
