"""Each format reads its golden file, by its beginning and by its name, and reads back what it writes."""

import gzip
import io
import re

import pytest
from pandas.testing import assert_frame_equal

from golden_files import FILES, RUN
from skrankagg.datasets import load_letor_agg, read_lists, read_preflib, read_qrels, write_run
from skrankagg.datasets._formats import FORMATS, readable, written
from skrankagg.datasets._kinds import LISTS, QRELS
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.twice


def test_every_format_has_a_golden_file():
    assert [name for name, *_ in FILES] == [one.name for one in readable(LISTS)]


def test_each_name_and_suffix_belongs_to_one_format():
    assert len({one.name for one in FORMATS}) == len(FORMATS)
    suffixes = [suffix for one in FORMATS for suffix in one.suffixes]
    assert len(set(suffixes)) == len(suffixes) and all(suffix.startswith(".") for suffix in suffixes)


@pytest.mark.parametrize(("name", "file", "frame"), FILES, ids=[name for name, *_ in FILES])
def test_read_lists_reads_the_golden_file_of_each_format(tmp_path, name, file, frame):
    path = tmp_path / "lists"
    path.write_bytes(file() if callable(file) else file)
    assert_frame_equal(read_lists(path), frame)
    assert_frame_equal(read_lists(path, format=name), frame)


@pytest.mark.parametrize("format", written(), ids=lambda one: one.name)
def test_written_files_read_back_equal(tmp_path, format):
    if format.name == "parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    path = tmp_path / f"run{format.suffixes[0] if format.suffixes else ''}"
    write_run(RUN, path, format="auto" if format.suffixes else format.name)
    if format not in readable(LISTS):
        assert path.read_text(encoding="utf-8") == "1: b > a\n2: b\n"
        return
    found = read_lists(path)
    columns = [name for name in RUN if name in found]
    assert set(RUN) - set(columns) <= (set() if format.has_ranks else {"rank"})
    assert_frame_equal(found[columns], RUN[columns])


def test_each_format_describes_its_content():
    for one in FORMATS:
        assert set(one.holds) <= {"lists", "qrels", "run"} and ("run" in one.holds) == (one.write is not None)
        assert (one in readable(LISTS) or one in readable(QRELS)) == (one.sniff is not None)


# Contents that fit no format, or only some formats.
CONTENTS = {
    "words": "these words are no list\n",
    "long words": "word " * 400 + "\n",
    "header of other columns": "gene,study,p\nTP53,s1,0.01\n",
    "header without rows": "query,item,score\n",
    "row of three": "q1,d1,2.5\n",
    "tabs": "q1\td1\t2.5\n",
    "broken row": "query,item,score\nq1,d1,x\n",
    "broken run": "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2\n",
    "run": "q1 Q0 d1 1 2.5 bm25\n",
    "flagr": "q1,v,d1,1,source\n",
    "json": '{"q1": {"d1": "x"}}',
    "json lines": '{"query": "q1", "items": ["d1"]}\n{"query": "q2"\n',
    "empty": "",
}


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(("reader", "kind"), [(read_lists, LISTS), (read_qrels, QRELS)], ids=["lists", "qrels"])
def test_a_message_about_a_named_format_is_short_and_about_this_format_alone(content, reader, kind):
    titles = {"flagr": "FLAGR", "csv": "CSV", "tsv": "TSV", "trec": "TREC", "parquet": "Parquet", "json": "JSON"}
    n_messages = 0
    for format in readable(kind):
        try:
            reader(io.BytesIO(CONTENTS[content].encode()), format=format.name)
        except InputError as error:
            message = str(error)
            n_messages += 1
            assert len(message) <= 270 and "\n" not in message, message
            named = [
                name for name in titles if re.search(rf"\b(a|{name}|expected) {titles[name]}\b(?! Lines)", message)
            ]
            assert set(named) <= {format.name, "json" if format.name == "jsonl" else format.name}, message
            advised = re.findall(r"format='(\w+)'", message)
            assert set(advised) <= {format.name}, message
            assert message.endswith((f"or leave out format={format.name!r}.", "; repair the file.")), message
    assert n_messages >= len(readable(kind)) - 2


def test_a_named_format_describes_what_it_needs():
    for format, words in [
        ("csv", "expected a CSV whose header names query, item and rank or score, got the first line 'a b'"),
        ("tsv", "expected a TSV whose header names query, item and rank or score, got the first line 'a b'"),
        ("trec", "expected a TREC run (query Q0 item rank score tag), got the first line 'a b'"),
        ("flagr", "expected a FLAGR CSV of 5 or 6 fields (query, voter, item, [rank,] score, source), got the first"),
        ("parquet", "expected a Parquet file, got the first line 'a b'"),
        ("jsonl", "expected a JSON object on line 1, got an error in column 1"),
    ]:
        with pytest.raises(InputError, match=re.escape(words)):
            read_lists(io.BytesIO(b"a b\n"), format=format)
    with pytest.raises(InputError, match="a CSV whose header names query, item and relevance, got"):
        read_qrels(io.BytesIO(b"a b\n"), format="csv")


LETOR = b"""2 qid:10 1:NULL 2:7 3:2 #docid = GX01 inc = 1 prob = 0.9
0 qid:10 1:4 2:3 3:NULL #docid = GX02 inc = 1 prob = 0.1
"""


@pytest.mark.parametrize("reader", [read_lists, read_qrels])
@pytest.mark.parametrize("format", ["auto", "trec", "csv", "tsv", "flagr"])
@pytest.mark.parametrize(
    "data", [LETOR, gzip.compress(LETOR, mtime=0), b"\n" + LETOR.replace(b" ", b"\t", 2)], ids=["plain", "gzip", "tabs"]
)
def test_readers_recognise_files_of_letor(reader, format, data):
    with pytest.raises(InputError) as caught:
        reader(io.BytesIO(data), format=format)
    message = str(caught.value)
    assert "got a LETOR file that begins with '2 qid:10 1:NULL 2:7 3:2 #docid" in message and len(message) < 260
    assert message.endswith("load_letor_agg, which returns the lists and the judgements.")
    lists, qrels = load_letor_agg(io.BytesIO(LETOR))  # the advice works
    assert len(lists) == 4 and len(qrels) == 2


PREFLIB = b"# FILE NAME: a.soc\n# NUMBER ALTERNATIVES: 2\n3: 1,2\n"


@pytest.mark.parametrize("reader", [read_lists, read_qrels])
@pytest.mark.parametrize("format", ["auto", "trec", "csv", "tsv", "flagr"])
@pytest.mark.parametrize("data", [PREFLIB, gzip.compress(PREFLIB, mtime=0), b"\n" + PREFLIB.replace(b"# ", b"#")])
def test_readers_recognise_files_of_preflib(reader, format, data):
    with pytest.raises(
        InputError, match=r"got a file of PrefLib that begins with '#.*datasets\.read_preflib"
    ) as caught:
        reader(io.BytesIO(data), format=format)
    assert len(str(caught.value)) < 260
    assert len(read_preflib(data)) == 2  # the advice works


def test_words_that_only_resemble_letor_are_not_called_letor():
    for text in ("2 qid 1 2 3\n", "q qid:1 d 1 2.5 tag x\n"):
        with pytest.raises(InputError) as caught:
            read_lists(io.BytesIO(text.encode()))
        assert "LETOR" not in str(caught.value)
    assert read_lists(io.BytesIO(b"2 qid:1 d 1 2.5 tag\n"))["query"].tolist() == ["2"]
