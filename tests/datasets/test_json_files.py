"""JSON files: readers read every number of every item or name the place of the fault."""

import gzip
import io
import json

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

from skrankagg.datasets import make_rasdagen, read_lists, read_qrels
from skrankagg.exceptions import InputError


def as_file(data):
    text = data if isinstance(data, str) else json.dumps(data)
    return io.BytesIO(text if isinstance(text, bytes) else text.encode())


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


RUN = {"q1": {"d1": 2.5, "007": -1, "é, \n": 1e-300}, "q2": {"d1": 3}}


@pytest.mark.parametrize("format", ["auto", "json"])
def test_read_lists_reads_json_objects_of_items_by_query(tmp_path, format):
    expected = [(query, "consensus", item, score) for query, items in RUN.items() for item, score in items.items()]
    text = json.dumps(RUN, indent=1)
    lists = read_lists(as_file(text), format=format)
    assert lists.columns.tolist() == ["query", "voter", "item", "score"] and rows(lists) == expected
    assert lists["score"].dtype == np.float64 and lists["item"].dtype == lists["query"].dtype
    for k, data in enumerate([b"\xef\xbb\xbf \r\n\t" + text.encode(), gzip.compress(b" " * 9999 + text.encode())]):
        (tmp_path / f"{k}.json.gz").write_bytes(data)
        assert_frame_equal(read_lists(tmp_path / f"{k}.json.gz", format=format), lists)
    assert read_lists(tmp_path / "1.json.gz", voter="file")["voter"].unique().tolist() == ["1"]


def test_read_lists_reads_json_runs_by_voter():
    lists = read_lists(as_file({"v": RUN, "w": {"q1": {}, "q2": {"d9": 0}}}))
    assert lists["voter"].tolist() == ["v"] * 4 + ["w"]
    assert lists["query"].tolist() == ["q1"] * 3 + ["q2"] * 2 and lists["score"].tolist()[-1] == 0.0
    with pytest.raises(InputError, match="expected a finite number as relevance for query 'v', item 'q1', got an obj"):
        read_qrels(as_file({"v": RUN}))


def test_read_qrels_returns_integers_if_all_json_grades_are_integers():
    qrels = read_qrels(as_file({"q": {"a": 1, "b": -1}, "p": {"a": 2}}))
    assert rows(qrels) == [("q", "a", 1), ("q", "b", -1), ("p", "a", 2)] and qrels["relevance"].dtype == np.int64
    assert read_qrels(as_file({"q": {"a": 1, "b": 0.5}}))["relevance"].tolist() == [1.0, 0.5]
    with pytest.raises(
        InputError, match="a judgement that fits into a 64-bit integer for query 'q', item 'a', got 9223372036854775808"
    ):
        read_qrels(as_file({"q": {"a": 2**63}}))


def test_readers_accept_json_records():
    lists, qrels = make_rasdagen(n_queries=2, n_voters=3)
    assert_frame_equal(read_lists(as_file(lists.to_json(orient="records"))), lists)
    assert_frame_equal(read_qrels(as_file(qrels.to_json(orient="records"))), qrels)
    data = [
        {"Query ID": 7, "docno": "a", "sim": 1, "note": [{"deep": 1}]},
        {"sim": 2.5, "docno": 8, "Query ID": "x"},
    ]
    assert rows(read_lists(as_file(data))) == [("7", "consensus", "a", 1.0), ("x", "consensus", "8", 2.5)]


def test_read_lists_keeps_large_json_integers_exact():
    large = 2**53 + 1
    assert read_lists(as_file({"q": {"a": large, "b": 1}}))["score"].tolist() == [large, 1]
    lists = read_lists(as_file([{"query": "q", "item": "a", "score": 2**64 - 1, "rank": large, "weight": 2}]))
    assert lists["score"].tolist() == [2**64 - 1] and lists["rank"].tolist() == [large]
    assert lists["weight"].dtype == np.float64
    assert read_lists(as_file({"q": {"a": 10**30, "b": 1}}))["score"].tolist() == [1e30, 1.0]
    assert read_lists(as_file({"q": {"a": large, "b": 0.5}}))["score"].tolist() == [2.0**53, 0.5]


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("{}", "expected at least one row, got none"),
        ('{"q": {}}', "expected at least one row, got none"),
        ("[]", "expected at least one row, got none"),
        ('{"q": {"a": 1}', "expected valid JSON, got an error on line 1, column 15 (Expecting ',' delimiter)"),
        ('{"q":\n{"a": 01}}', "expected valid JSON, got an error on line 2, column 8"),
        ('{"q": {"a": 1}} {"p": {"a": 1}}', "expected valid JSON, got an error on line 1, column 17 (Extra data)"),
        ("[" * 100_000, "expected JSON of at most three levels, got JSON that is nested too deeply to be read"),
        ('{"q":' * 100_000, "expected JSON of at most three levels, got JSON that is nested too deeply to be read"),
        ('{"q": {"a": ' + "[" * 500 + "]" * 500 + "}}", "as score for query 'q', item 'a', got an array"),
        ('{"q": {"a": NaN}}', "expected a finite number as score for query 'q', item 'a', got nan"),
        ('{"q": {"a": -Infinity}}', "as score for query 'q', item 'a', got -inf"),
        ('{"q": {"a": 1e999}}', "as score for query 'q', item 'a', got inf"),
        ('{"q": {"a": ' + "9" * 5000 + "}}", "as score for query 'q', item 'a', got inf"),
        ('{"q": {"a": ' + "9" * 390 + "}}", "as score for query 'q', item 'a', got 999"),
        ('{"q": {"a": "1"}}', "as score for query 'q', item 'a', got '1'"),
        ('{"q": {"a": true}}', "as score for query 'q', item 'a', got true"),
        ('{"q": {"a": null}}', "as score for query 'q', item 'a', got null"),
        ('{"q": {"a": 1, "b": {}}}', "as score for query 'q', item 'b', got an object"),
        (
            '{"v": {"q": {"a": 1}, "p": 1}}',
            "expected an object of items and their score for voter 'v', query 'p', got 1",
        ),
        ('{"v": {"q": {"a": "x"}}}', "as score for voter 'v', query 'q', item 'a', got 'x'"),
        ('{"q": ["a", "b"]}', "expected an object of items and their score for query 'q', got an array"),
        ('{"q": {"a": 1, "b": 2, "a": 3}}', "expected each item once for query 'q', got 'a' twice"),
        ('{"q": {"a": 1}, "q": {"b": 1}}', "expected each query once, got 'q' twice"),
        ('{"v": {}, "v": {"q": {"a": 1}}}', "expected each voter once, got 'v' twice"),
        ('{"q": {"": 1}}', "expected an id as item for query 'q', got empty text"),
        ('{"": {"a": 1}}', "expected an id as query, got empty text"),
        ('{"q": {"a\\u0000": 1}}', "expected text as item for query 'q', got a NUL character"),
        ('{"q": {"\\ud800": 1}}', "expected text as item for query 'q', got half of a surrogate pair"),
        ('["a", "b"]', "expected an object of fields in record 1, got 'a'"),
        ('[{"query": "q", "item": "a", "item": "b"}]', "expected each field once in record 1, got 'item' twice"),
        (
            '[{"query": "q", "item": "a"}]',
            "expected fields for query, item and rank or score in record 1, got 'query, item'",
        ),
        (
            '[{"query": "q", "item": "a", "doc": "b", "rank": 1}]',
            "expected one column for the item, got 'item' and 'doc'",
        ),
        (
            '[{"query": "q", "item": "a", "rank": 1}, {"query": "q", "item": "b", "score": 1}]',
            "expected fields for query, item, rank in record 2, as in the first record, got 'query, item, score'",
        ),
        (
            '[{"query": "q", "item": "a", "rank": 1}, {"query": "q", "item": "b", "rank": "x"}]',
            "expected a finite number as rank in record 2, for query 'q', item 'b', got 'x'",
        ),
        ('[{"query": "q", "item": 1.5, "rank": 1}]', "expected text as item in record 1, got 1.5"),
        ('[{"query": null, "item": "a", "rank": 1}]', "expected text as query in record 1, got null"),
        ('[{"query": "", "item": "a", "rank": 1}]', "expected an id as query in record 1, got empty text"),
    ],
)
def test_read_lists_names_the_place_of_a_json_fault(tmp_path, text, clause):
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError) as caught:
        read_lists(tmp_path / "x.json")
    message = str(caught.value)
    assert message.startswith(f"read_lists cannot read {str(tmp_path / 'x.json')!r}: ") and clause in message
    assert len(message) < 600 and "\n" not in message


def test_read_lists_rejects_other_text_with_format_json():
    for text, clause in [
        ("5", "expected a JSON object or array, got 5"),
        (" \n", "expected at least one row, got an empty file"),
        ("q Q0 a 1 1 t\n", "expected valid JSON, got an error on line 1, column 1"),
    ]:
        with pytest.raises(InputError, match=clause):
            read_lists(as_file(text), format="json")
    with pytest.raises(InputError, match=r"got the first line '{\"q\": {\"a\": 1}}'"):
        read_lists(as_file(RUN and '{"q": {"a": 1}}'), format="csv")
    with pytest.raises(InputError, match="got JSON; leave out decimal"):
        read_lists(as_file(RUN), decimal=",")
    assert read_lists(as_file("[q],v,a,1,s\n"), format="flagr")["query"].tolist() == ["[q]"]
    with pytest.raises(InputError, match="got the byte 0xe9 on line 2"):
        read_lists(io.BytesIO(b'{"q":\n{"\xe9": 1}}'))
