"""JSON Lines: each line is an item, a list or a query, and a broken line is named by its number."""

import gzip
import io
import json

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from golden_files import frame_of
from skrankagg import Qrels, RankedLists, evaluate
from skrankagg.datasets import make_ranked_lists, read_lists, read_qrels
from skrankagg.exceptions import AmbiguousInputWarning, InputError

pytestmark = pytest.mark.twice

FRAME, QRELS, _ = make_ranked_lists(n_queries=4, n_voters=3, n_items=9, list_length=5, random_state=0)
FRAME = FRAME[["query", "voter", "item", "score"]].astype({"query": str, "voter": str, "item": str})
LISTS = RankedLists.from_frame(FRAME)


def as_file(records):
    """Return an open file with one JSON object a line; texts are written unchanged."""
    return io.BytesIO("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in records).encode())


def lists_of(make):
    """Return an object for each list of FRAME; `make` converts pairs of item and score."""
    return [
        {"query": query, "voter": voter, "items": make(list(zip(rows["item"], rows["score"], strict=True)))}
        for (query, voter), rows in FRAME.groupby(["query", "voter"])
    ]


def by_query(make):
    found = {}
    for one in lists_of(make):
        found.setdefault(one["query"], {})[one["voter"]] = one["items"]
    return [{"query": query, "lists": lists} for query, lists in found.items()]


def objects(hits):
    return [{"_id": item, "_score": score, "_source": {"text": "x"}} for item, score in hits]


def response(hits):
    return {"took": 3, "hits": {"total": {"value": 9}, "hits": objects(hits)}}


SHAPES = {
    "items one by one": lambda: FRAME.to_dict("records"),
    "pairs": lambda: lists_of(lambda hits: [list(hit) for hit in hits]),
    "dicts": lambda: lists_of(dict),
    "hits of Elasticsearch": lambda: [{"hits": objects(one.pop("items").items()), **one} for one in lists_of(dict)],
    "results": lambda: [{"results": one.pop("items"), **one} for one in lists_of(dict)],
    "responses of Elasticsearch": lambda: by_query(response),
    "response of each voter": lambda: [
        {"voter": one["voter"], "query": one["query"], **response(one["items"].items())} for one in lists_of(dict)
    ],
    "queries with pairs": lambda: by_query(lambda hits: [list(hit) for hit in hits]),
    "queries with dicts": lambda: by_query(dict),
    "queries with objects": lambda: by_query(objects),
    "lists, then query": lambda: [{"lists": one["lists"], "query": one["query"]} for one in by_query(dict)],
}


@pytest.mark.parametrize("format", ["auto", "jsonl"])
@pytest.mark.parametrize("shape", SHAPES)
def test_read_lists_reads_scores_in_each_shape(shape, format):
    found = read_lists(as_file(SHAPES[shape]()), format=format)
    assert list(found) == ["query", "voter", "item", "score"] and found["item"].dtype == FRAME["item"].dtype
    assert RankedLists.from_frame(found).equals(LISTS)


@pytest.mark.parametrize("make", [lists_of, by_query], ids=["lists", "queries"])
def test_items_without_scores_are_ranked_by_their_order(make):
    ordered = {one["query"] + one["voter"]: list(one["items"]) for one in lists_of(dict)}
    for form in (dict.fromkeys, list):
        records = make(lambda hits, form=form: [{"id": item} for item in dict(hits)] if form is not list else
                       [item for item, _ in hits])  # fmt: skip
        found = read_lists(as_file(records))
        assert list(found) == ["query", "voter", "item", "rank"] and found["rank"].dtype == "int64"
        for (query, voter), rows in found.groupby(["query", "voter"]):
            assert rows["item"].tolist() == ordered[query + voter]
            assert rows["rank"].tolist() == list(range(1, len(rows) + 1))


def test_one_line_is_enough(tmp_path):
    path = tmp_path / "bm25.jsonl"
    path.write_text('{"qid": 7, "hits": [{"docno": "b", "score": 2}, {"docno": 11, "score": 0.5}]}')
    expected = frame_of(query=["7"] * 2, voter=["consensus"] * 2, item=["b", "11"], score=[2.0, 0.5])
    assert_frame_equal(read_lists(path), expected)
    assert read_lists(path, voter="file")["voter"].unique().tolist() == ["bm25"]
    packed = tmp_path / "bm25.jsonl.gz"
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf\n" + path.read_bytes() + b"\r\n\r\n"))
    assert_frame_equal(read_lists(packed), expected)
    assert read_lists(packed, voter="file")["voter"].unique().tolist() == ["bm25"]


def test_ranks_scores_and_weights_are_read_together():
    lines = [
        {"query": "q", "voter": "u", "weight": 2, "hits": [{"id": "a", "rank": 1, "score": 9}]},
        {"voter": "v", "query": "q", "weight": 1.5, "hits": [{"score": 2**60 + 1, "rank": 3, "id": "b"}]},
    ]
    found = read_lists(as_file(lines))
    expected = frame_of(query=["q", "q"], voter=["u", "v"], item=["a", "b"], rank=[1, 3], score=[9, 2**60 + 1],
                        weight=[2.0, 1.5])  # fmt: skip
    assert_frame_equal(found, expected)


def test_a_query_text_beside_its_id_is_skipped_with_one_warning():
    lines = [{"qid": k, "query": "what is", "hits": ["a"]} for k in (1, 2)]
    with pytest.warns(AmbiguousInputWarning, match="'qid'") as caught:
        found = read_lists(as_file(lines))
    assert found["query"].tolist() == ["1", "2"] and len(caught) == 1


def test_empty_lists_have_no_rows():
    lines = [{"query": "q", "voter": "u", "items": []}, {"query": "q", "voter": "v", "items": {"a": 1}}]
    assert read_lists(as_file(lines))["voter"].tolist() == ["v"]
    with pytest.raises(InputError, match="expected at least one row, got none"):
        read_lists(as_file(lines[:1]))


def test_read_qrels_reads_json_lines():
    qrels = QRELS.astype({"query": str, "item": str})
    records = qrels.to_dict("records")
    grouped = [
        {"query": query, "items": dict(zip(rows["item"], rows["relevance"].tolist(), strict=True))}
        for query, rows in qrels.groupby("query")
    ]
    objects = [
        {"qid": one["query"], "items": [{"docid": item, "rel": grade} for item, grade in one["items"].items()]}
        for one in grouped
    ]
    for lines in (records, grouped, objects):
        found = read_qrels(as_file(lines))
        assert found["relevance"].dtype == "int64"
        assert_frame_equal(Qrels.from_frame(found).to_frame(), Qrels.from_frame(qrels).to_frame())
    read = read_lists(as_file(by_query(dict)))
    one = read[read["voter"] == read["voter"].iloc[0]]
    assert evaluate(one, found)["map"].tolist() == evaluate(FRAME[FRAME["voter"] == one["voter"].iloc[0]], qrels)[
        "map"].tolist()  # fmt: skip


LINE = '{"query": "q", "voter": "v", "items": ["a"]}'
ROW = '{"query": "q", "voter": "v", "item": "a", "rank": 1}'


@pytest.mark.parametrize(
    ("lines", "clause"),
    [
        ([LINE, "", '{"query": "p", "voter": "v", "items": ["a"'], "JSON object on line 3, got an error in column 43"),
        (['{"query": "p", "voter": "v", "items"', LINE], "a JSON object on line 1, got an error in column 37"),
        ([ROW, "[1]"], "expected an object of fields on line 2, got an array"),
        ([ROW, "5"], "expected an object of fields on line 2, got 5"),
        ([ROW, "[" * 100_000], "a JSON object on line 2, got JSON that is nested too deeply to be read"),
        ([ROW, ROW.replace("}", ', "item": "b"}')], "expected each field once on line 2, got 'item' twice"),
        ([ROW, ROW.replace("1}", '"x"}')], "a finite number as rank on line 2, for query 'q', item 'a', got 'x'"),
        ([ROW, ROW.replace("rank", "score")], "fields for query, voter, item, rank on line 2, as on line 1, got"),
        ([ROW, ROW.replace('"q"', "null")], "expected text as query on line 2, got null"),
        ([ROW, ROW.replace('"q"', '""')], "expected an id as query on line 2, got empty text"),
        ([ROW, LINE], "expected one item on line 2, as on line 1, got a list in 'items'"),
        ([LINE, ROW], "expected a list, such as 'items', on line 2, as on line 1, got one item"),
        ([LINE, LINE], "each list on one line; query 'q', voter 'v' is on line 1 and on line 2; "),
        (['{"query": "q", "items": {"a": 1, "b": 2, "a": 3}}'], "expected each item once on line 1, got 'a' twice"),
        (['{"query": "q", "items": "a"}', LINE], "expected an array or object of items on line 1, got 'a'"),
        (['{"query": "q", "items": ["a", ["b", 1]]}'], "expected items of one kind on line 1, got 'a' and others"),
        (['{"query": "q", "items": [["a", 1], ["b"]]}'], "pairs of item and score on line 1, got an array of 1"),
        (['{"query": "q", "items": [["a", null]]}'], "a finite number as score on line 1, item 'a', got null"),
        (['{"query": "q", "hits": [{"text": "a"}]}'], "expected fields for item on line 1, item 1, got 'text'"),
        (['{"query": "q", "hits": [{"id": "a", "_id": "a"}]}'], "field for the item on line 1, item 1, got 'id' and"),
        (['{"query": "q", "hits": [{"id": "a"}, {"id": "b", "score": 1}]}'], "on line 1, item 2, as in the first item"),
        (['{"query": "q", "hits": [{"id": "a", "score": null}]}'], "number as score on line 1, item 'a', got null"),
        (['{"query": "q", "hits": [true]}'], "expected text as item on line 1, got true"),
        (['{"query": "q", "weight": "x", "hits": ["a"]}'], "expected a finite number as weight on line 1, got 'x'"),
        (['{"query": "q", "lists": ["a"]}'], "expected an object of voters and their lists on line 1, got an array"),
        (['{"query": "q", "lists": {"v": 1}}'], "an array or object of items on line 1, voter 'v', got 1"),
        (['{"query": "q", "voter": "v", "lists": {"v": ["a"]}}'], "only in 'lists' on line 1, got the field 'voter'"),
        (['{"voter": "v", "items": ["a"]}'], "expected a field for the query on line 1, got 'voter, items'"),
        (['{"query": "q", "text": "x"}'], "one of items, hits, results, lists on line 1, got 'query, text'"),
        (['{"q1": {"a": 1}}', '{"q2": {"a": 1}}'], "fields for query, item and rank or score, or for query and"),
        ([LINE, LINE.replace('"q"', '"p"').replace('["a"]', '{"a": 1}')],
         "item, rank on line 2, as on line 1, got query, voter, item, score"),
    ],
)  # fmt: skip
def test_read_lists_names_the_broken_line(lines, clause):
    with pytest.raises(InputError) as caught:
        read_lists(as_file(lines))
    message = str(caught.value)
    assert clause in message and message.startswith("read_lists cannot read '<stream>': ")
    assert message.endswith("; repair the file.") and len(message) < 230


def test_read_lists_names_the_line_with_another_encoding():
    with pytest.raises(InputError, match="expected UTF-8 text, got the byte 0xe9 on line 2"):
        read_lists(io.BytesIO(LINE.encode() + b'\n{"query": "\xe9", "voter": "v", "items": ["a"]}\n'))


def test_read_qrels_refuses_items_without_grades():
    with pytest.raises(InputError, match="expected each item with its relevance on line 1, got 'a'"):
        read_qrels(as_file(['{"query": "q", "items": ["a"]}']))
    with pytest.raises(InputError, match="or for query and one of items on line 1, got 'query, lists'"):
        read_qrels(as_file(['{"query": "q", "lists": {"v": ["a"]}}']))


@pytest.mark.parametrize(
    "text",
    [
        '{"query": {"a": 1.0}}',
        '{"q": {"item": 1.0}}',
        '{"query":\n{"item": 1.0}\n}',
        '{\n "items": {\n  "a": 1.0\n }\n}\n',
        '{"lists": {"q": {"a": 1.0}}}',
    ],
)
def test_objects_of_one_json_file_are_not_lines(text):
    found = read_lists(io.BytesIO(text.encode()))
    assert found["score"].tolist() == [1.0]
    assert_frame_equal(found, read_lists(io.BytesIO(text.encode()), format="json"))


def test_a_long_first_line_is_recognised_by_its_first_key(monkeypatch):
    monkeypatch.setattr("skrankagg.datasets._json_lines._MOST_CHARACTERS", 40)
    lines = [{"query": "q", "items": [f"d{k}" for k in range(50)]}]
    assert read_lists(as_file(lines))["rank"].tolist() == list(range(1, 51))
    run = {"q": {f"d{k}": 50 - k for k in range(50)}}
    assert len(read_lists(io.BytesIO(json.dumps(run).encode()))) == 50


def test_lists_on_several_files_are_joined(tmp_path):
    (tmp_path / "a.jsonl").write_text(LINE + "\n")
    (tmp_path / "b.json").write_text('{"w": {"q": {"a": 1}}}')
    with pytest.raises(InputError, match="All files must have the same columns"):
        read_lists([tmp_path / "a.jsonl", tmp_path / "b.json"])
    (tmp_path / "c.ndjson").write_text(LINE.replace('"v"', '"w"') + "\n")
    found = read_lists([tmp_path / "a.jsonl", tmp_path / "c.ndjson"])
    assert found["voter"].tolist() == ["v", "w"] and isinstance(found, pd.DataFrame)
