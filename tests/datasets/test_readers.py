"""Readers and the writer: every row survives unchanged, or the file is refused."""

import gzip
import importlib.util
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from skrankagg import BordaCount, evaluate
from skrankagg._kernels import COMPILED
from skrankagg.datasets import _blocks, make_rasdagen, read_lists, read_qrels, write_run
from skrankagg.datasets import _delimited as _tables
from skrankagg.exceptions import AmbiguousInputWarning, InputError

pytestmark = pytest.mark.twice

FLAGR_5 = "1,V-0,a,1.00000,S\n1,V-0,b,0.50000,S\n"
FLAGR_6 = "1,V-0,a,1,1.00000,S\n1,V-0,b,2,0.50000,S\n"
TREC = "301 Q0 a 1 2.5 bm25\n301\tQ0\tb\t2\t  1.5\tbm25\n"
CONSENSUS = "query,item,score,rank\nq,a,2.5,1\nq,b,1.5,2\n"

AWKWARD = [
    "NA",
    "null",
    "nan",
    "None",
    "007",
    "1.0",
    "1e5",
    "a,b",
    'say "hi"',
    '"',
    " outer ",
    "é日本\u00a0x",
    "x" * 500,
]


@pytest.fixture
def written(tmp_path):
    """Write text, or bytes, to a file and return its path."""

    def write(content, name="lists.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def rows(frame):
    return list(frame.itertuples(index=False, name=None))


def consensus(items, query="q", scores=None):
    n = len(items)
    scores = np.arange(n, 0, -1.0) if scores is None else scores
    return pd.DataFrame({"query": query, "item": items, "score": scores, "rank": np.arange(1, n + 1)})


# --- Formats -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("format", ["auto", "flagr"])
def test_read_lists_reads_flagr_files_of_five_and_six_fields(written, format):
    five, six = (read_lists(written(text), format=format) for text in (FLAGR_5, FLAGR_6))
    assert five.columns.tolist() == ["query", "voter", "item", "score"]
    assert rows(five) == [("1", "V-0", "a", 1.0), ("1", "V-0", "b", 0.5)]
    assert six.columns.tolist() == ["query", "voter", "item", "rank", "score"]
    assert rows(six) == [("1", "V-0", "a", 1, 1.0), ("1", "V-0", "b", 2, 0.5)]
    assert [six["rank"].dtype, six["score"].dtype] == [np.int64, np.float64]


@pytest.mark.parametrize("format", ["auto", "trec"])
def test_read_lists_reads_trec_runs_with_blanks_and_tabs(written, format):
    lists = read_lists(written(TREC), format=format)
    assert lists.columns.tolist() == ["query", "voter", "item", "rank", "score"]
    assert rows(lists) == [("301", "bm25", "a", 1, 2.5), ("301", "bm25", "b", 2, 1.5)]


@pytest.mark.parametrize("format", ["auto", "csv"])
@pytest.mark.parametrize(
    "header",
    [
        "Query,Voter,ItemID,Rank,Score,Aggregator",
        "qid,system,docno,rank,score,x",
        "TOPIC,Run ID,doc_id,Position,sim,y",
    ],
)
def test_read_lists_accepts_many_header_names(written, header, format):
    lists = read_lists(written(f"{header}\n1,PyFLAGR,Q1-E39,1,0.037625,401\n"), format=format)
    assert lists.columns.tolist() == ["query", "voter", "item", "rank", "score"]
    assert rows(lists) == [("1", "PyFLAGR", "Q1-E39", 1, 0.037625)]


def test_read_lists_accepts_columns_in_any_order(written):
    lists = read_lists(written("weight,score,note,item,query\n2,0.5,x,a,q\n2,0.25,y,b,q\n"))
    assert lists.columns.tolist() == ["query", "voter", "item", "score", "weight"]
    assert rows(lists) == [("q", "consensus", "a", 0.5, 2.0), ("q", "consensus", "b", 0.25, 2.0)]


def test_read_lists_reads_a_consensus_as_one_voter(written):
    assert rows(read_lists(written(CONSENSUS))) == [
        ("q", "consensus", "a", 1, 2.5),
        ("q", "consensus", "b", 2, 1.5),
    ]


def test_read_lists_accepts_column_names_for_a_csv_without_a_header(written):
    path = written("10002,1,GX008,32\n10002,2,GX008,1\n")
    lists = read_lists(path, columns=["query", "voter", "item", "rank"])
    assert rows(lists) == [("10002", "1", "GX008", 32), ("10002", "2", "GX008", 1)]
    assert rows(read_lists(path, columns=("query", None, "item", "score"))) == [
        ("10002", "consensus", "GX008", 32.0),
        ("10002", "consensus", "GX008", 1.0),
    ]


@pytest.mark.parametrize(("second", "dtype"), [("2", np.int64), ("2.0", np.int64), ("2.5", np.float64)])
def test_read_lists_returns_integer_ranks_if_possible(written, second, dtype):
    lists = read_lists(written(f"item,rank,query\na,1,q\nb,{second},q\n"))
    assert lists["rank"].dtype == dtype
    assert lists["rank"].tolist() == [1, float(second)]


def test_read_lists_keeps_ranks_from_zero_and_out_of_order(written):
    lists = read_lists(written("q Q0 a 5 1 t\nq Q0 b 0 2 t\nq Q0 c 5 1 t\n"))
    assert lists["rank"].tolist() == [5, 0, 5]
    assert lists["item"].tolist() == ["a", "b", "c"]


def test_read_lists_ignores_trailing_words_on_request(written):
    path = written("q Q0 a 1 2 t more junk at\nq Q0 b 2 1 t\nq Q0 c 3 0 t end of lines.\n")
    lists = read_lists(path, trailing="ignore")
    assert rows(lists) == [("q", "t", "a", 1, 2.0), ("q", "t", "b", 2, 1.0), ("q", "t", "c", 3, 0.0)]
    with pytest.raises(ValueError, match="expected a FLAGR CSV"):
        read_lists(path)


# --- Bytes that other readers change ------------------------------------------------------------------------------


@pytest.mark.parametrize("item", AWKWARD)
def test_write_run_and_read_lists_keep_awkward_ids_in_csv(tmp_path, item):
    frame = consensus(["x", item + "2", item], query=item)
    write_run(frame, tmp_path / "a.csv")
    lists = read_lists(tmp_path / "a.csv")
    assert_frame_equal(lists.drop(columns="voter")[frame.columns], frame, check_dtype=False)


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_write_run_and_read_lists_keep_a_carriage_return_in_an_id(tmp_path, suffix):
    frame = consensus(["a\rb", "c\r", "\r\n"])
    write_run(frame, tmp_path / f"a{suffix}")
    assert read_lists(tmp_path / f"a{suffix}")["item"].tolist() == ["a\rb", "c\r", "\r\n"]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("close", ["", "1", "3"])
@pytest.mark.parametrize("text", [FLAGR_5, FLAGR_6, TREC, CONSENSUS])
def test_read_lists_accepts_line_ends_of_all_systems(written, text, end, close):
    expected = read_lists(written(text, "plain"))
    lines = text.splitlines()
    assert_frame_equal(read_lists(written(end.join(lines) + end * int(close or 0), "other")), expected)


@pytest.mark.parametrize("text", [FLAGR_5, TREC, CONSENSUS])
def test_read_lists_removes_a_byte_order_mark(written, text):
    assert_frame_equal(read_lists(written(b"\xef\xbb\xbf" + text.encode(), "b")), read_lists(written(text)))


@pytest.mark.parametrize("text", [FLAGR_6, TREC, CONSENSUS])
def test_read_lists_recognises_gzip_by_content(written, text):
    assert_frame_equal(read_lists(written(gzip.compress(text.encode()), "no_suffix")), read_lists(written(text)))


@pytest.mark.parametrize("text", ["1,v,a,1,s\n\n  \n1,v,b,2,s\n", " 1,v,a,1,s\n1,v, b,2,s\n"])
def test_read_lists_skips_blank_lines_and_keeps_blanks_in_fields(written, text):
    lists = read_lists(written(text))
    fields = [line.split(",") for line in text.splitlines() if line.strip()]
    assert rows(lists) == [(q, v, i, float(s)) for q, v, i, s, _ in fields]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=ascii)
@pytest.mark.parametrize("n_blank", [1, 2, 3, 7])
def test_read_lists_skips_blank_lines_before_the_header(written, end, n_blank):
    text = end * n_blank + CONSENSUS.replace("\n", end)
    assert_frame_equal(read_lists(written(text)), read_lists(written(CONSENSUS)))


def test_read_qrels_skips_blank_lines(written):
    assert rows(read_qrels(written("1,0,a,1\n\n1,0,b,2\n"))) == [("1", "a", 1), ("1", "b", 2)]
    assert rows(read_qrels(written("1 0 a 1\n\n \n1 0 b 2\n"))) == [("1", "a", 1), ("1", "b", 2)]


def test_readers_do_not_take_tab_separated_rows_with_blanks_for_trec(written):
    for read, text in ((read_qrels, "q\tnew york\t2\n"), (read_lists, "q\tnew york\t1\t2\tv\n")):
        path = written(text)
        with pytest.raises(ValueError, match="got the first line 'q new york"):
            read(path)
        assert len(read(path, format="trec")) == 1
    with pytest.raises(ValueError, match="got the first line 'query item rele0 -1'"):
        read_qrels(written("query\titem\trele0\t-1\nq0\tx y1\t0\n"))
    assert rows(read_qrels(written("q 0\ta\t2\n"))) == [("q", "a", 2)]
    assert rows(read_qrels(written("q\tx\t  a \t2\n"))) == [("q", "a", 2)]


def test_read_lists_keeps_quotes_in_trec_runs(written):
    lists = read_lists(written('q Q0 "a 1 2 t\nq Q0 b" 2 1 t\n'))
    assert lists["item"].tolist() == ['"a', 'b"']


def test_read_lists_separates_trec_fields_only_at_blanks_and_tabs(written):
    assert read_lists(written("q Q0 a\u00a0b\u2003c 1 2 t\n"))["item"].tolist() == ["a\u00a0b\u2003c"]


def test_read_lists_accepts_an_empty_last_field(written):
    assert rows(read_lists(written("1,v,a,1,\n1,v,b,2,s\n"))) == [("1", "v", "a", 1.0), ("1", "v", "b", 2.0)]


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("1,v,a,1,s\n1,v,,2,s\n", "item", 2),
        ("1,v,a,1,s\n1,v,b,1,s\n1,,c,2,s\n", "voter", 3),
        ("1,v,,1,2,s\n", "item", 1),
        ("query,item,score\n1,a,1\n,b,2\n", "query", 3),
        ('query,item,score\n1,"a\nb",1\n1,"",2\n', "item", 4),
        ("item\tquery\trank\na\t1\t1\n\t1\t2\n", "item", 3),
    ],
)
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_read_lists_rejects_an_empty_id_with_its_line(written, text, name, line, pack):
    with pytest.raises(InputError, match=f"expected an id as {name} on line {line}, got an empty field"):
        read_lists(written(pack(text)))


@pytest.mark.parametrize("text", ["1,0,a,1\n1,0,,2\n", "query,item,rel\n,b,2\n"])
def test_read_qrels_rejects_an_empty_id(written, text):
    with pytest.raises(InputError, match=r"expected an id as (item|query) on line 2, got an empty field"):
        read_qrels(written(text))


@pytest.mark.parametrize("suffix", ["csv", "tsv.gz"])
def test_write_run_rejects_an_empty_id(tmp_path, suffix):
    with pytest.raises(InputError, match="an id in every row; got an empty item in row 1"):
        write_run(consensus(["a", ""]), tmp_path / f"run.{suffix}")
    assert not list(tmp_path.iterdir())


def test_read_lists_returns_scores_as_nearest_doubles(written):
    random = np.random.RandomState(0)
    scores = random.standard_normal(2000) * 10.0 ** random.randint(-300, 300, 2000)
    scores = np.r_[scores, 5e-324, -0.0, 1.7976931348623157e308, 0.1 + 0.2]
    lists = read_lists(written("".join(f"q,v,i{k},{score!r},s\n" for k, score in enumerate(scores.tolist()))))
    assert lists["score"].to_numpy().tobytes() == scores.tobytes()


def test_read_lists_is_independent_of_the_chunk_size(written, monkeypatch):
    lists, _ = make_rasdagen(n_queries=2, n_voters=3)
    text = lists.to_csv(index=False)
    whole = read_lists(written(text))
    monkeypatch.setattr(_tables, "_CHUNK", 7)
    monkeypatch.setattr(_blocks, "_CHUNK", 7)
    monkeypatch.setattr(_blocks, "_BLOCK", 7)
    assert_frame_equal(read_lists(written(text)), whole)
    assert_frame_equal(read_lists(written(text.replace("\n", "\n\n", 9))), whole)
    assert_frame_equal(whole, lists)


# --- Refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("", "expected at least one row, got an empty file"),
        ("\n \n", "expected at least one row, got an empty file"),
        ("query,item,score\n", "expected rows after the header 'query,item,score', got none"),
        ("1,v,a,0.5\n", "got the first line '1,v,a,0.5'"),
        ("query:item:score\nq:a:1\n", "got the first line 'query:item:score'"),
        ("who,what,score\nq,a,1\n", "got the first line 'who,what,score'"),
        ("query,item,relevance\nq,a,1\n", "got the first line 'query,item,relevance'"),
        ("query,item,doc,score\nq,a,b,1\n", "expected one column for the item, got 'item' and 'doc'"),
        (
            "query,item,score\nq,a,1,2\n",
            "expected 3 fields as in the header 'query,item,score', got 4 in the first row",
        ),
        ("1,v,a,1,0.5\n", "got the line '1,v,a,1,0.5', whose last two fields are numbers"),
        ("1,Q0,a,1,0.5,tag\n", "got the Q0 of a TREC run in '1,Q0,a,1,0.5,tag'"),
        ("q Q0 a,b,c,2,e 1 2.5 t\n", "which fits flagr and trec"),
        ("q Q0 a first 2.5 t\n", "got the first line 'q Q0 a first 2.5 t'"),
        ("x" * 500 + "\n", "got the first line '" + "x" * 57 + "...'"),
        (FLAGR_5 + "1,V-0,c,0.2\n", "expected 5 fields (query, voter, item, score, ...) on line 3, got 4"),
        (
            FLAGR_5 + "1,V-0,c,0.2,S,S\n",
            "expected 5 fields (query, voter, item, score, ...) on line 3, got 6",
        ),
        (FLAGR_5 + "1,V-0,c,0.2,S,S,,,\n", "on line 3, got 9"),
        (FLAGR_5 + "\n1,V-0,c,nan,S\n", "expected a finite number as score on line 4, got 'nan'"),
        (FLAGR_5 + "1,V-0,c,,S\n", "expected a finite number as score on line 3, got ''"),
        (FLAGR_5 + "1,V-0,c,1_0,S\n", "expected a finite number as score on line 3, got '1_0'"),
        (FLAGR_5 + "1,V-0,c,1e999,S\n", "expected a finite number as score on line 3, got '1e999'"),
        (FLAGR_6 + "1,V-0,c,x,1,S\n", "expected a finite number as rank on line 3, got 'x'"),
        (FLAGR_5 + '1,V-0,"c\nd",0.2,S\n1,V-0,e,0.1\n', "on line 5, got 4"),
        (FLAGR_5 + '1,V-0,"c,0.2,S\n1,V-0,"d,0.1,S\n', "line 3 has a damaged quoted field"),
        (FLAGR_5 + '1,V-0,"c,0.2,S\n', "line 3 has a damaged quoted field"),
        (FLAGR_5 + "1,V-0,c\0d,0.2,S\n", "expected text on line 3, got a NUL character"),
        (
            TREC + "301 Q0 c 3 1.0\n",
            "expected 6 fields (query, ..., item, rank, score, voter) on line 3, got 5",
        ),
        (
            TREC + "301 Q0 c d 3 1.0 bm25\n",
            "expected 6 fields (query, ..., item, rank, score, voter) on line 3, got 7",
        ),
        (TREC + "301 Q0 c 3 high bm25\n", "expected a finite number as score on line 3, got 'high'"),
        (CONSENSUS + "q,c,1.0,\n", "expected a finite number as rank on line 4, got ''"),
        (FLAGR_5.encode() + b"1,V-0,caf\xe9,0.2,S\n", "expected UTF-8 text, got the byte 0xe9 on line 3"),
        (FLAGR_5.encode("utf-16"), "expected UTF-8 text, got the byte 0xff on line 1"),
    ],
)
def test_read_lists_rejects_ambiguous_text_with_its_place(written, text, clause):
    path = written(text)
    with pytest.raises(ValueError) as caught:
        read_lists(path)
    message = str(caught.value)
    assert message.startswith(f"read_lists cannot read {str(path)!r}: ")
    assert clause in message
    assert "format='flagr', 'csv', 'tsv'" in message


@pytest.mark.sampled(2)
@pytest.mark.parametrize("chunk", [3, 2**18])
@pytest.mark.parametrize("style", [",", " "])
@pytest.mark.parametrize("change", [-1, 1, 3])
def test_read_lists_finds_a_ragged_line_anywhere(written, monkeypatch, chunk, style, change):
    monkeypatch.setattr(_blocks, "_CHUNK", chunk)
    monkeypatch.setattr(_blocks, "_BLOCK", chunk)
    fields = ["q", "v", "a", "1", "2", "s"] if style == "," else ["q", "Q0", "a", "1", "2", "t"]
    for k in range(2, 12):
        lines = [style.join(fields)] * 12
        lines[k - 1] = style.join((fields + ["x"] * 3)[: 6 + change])
        with pytest.raises(ValueError, match=rf"on line {k}, got {6 + change};"):
            read_lists(written("\n".join(lines)))


def test_read_lists_with_a_given_format_reads_ambiguous_text_of_that_format(written):
    uncertain = written("q Q0 a,b,c,2,e 1 2.5 t\n")
    assert rows(read_lists(uncertain, format="trec")) == [("q", "t", "a,b,c,2,e", 1, 2.5)]
    assert rows(read_lists(uncertain, format="flagr")) == [("q Q0 a", "b", "c", 2.0)]
    assert rows(read_lists(written("1,v,a,1,0.5\n"), format="flagr")) == [("1", "v", "a", 1.0)]
    for text, format in [(FLAGR_5, "trec"), (TREC, "flagr"), (CONSENSUS, "flagr"), (FLAGR_6, "csv")]:
        with pytest.raises(ValueError, match=f"format='{format}'"):
            read_lists(written(text), format=format)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"format": "ods"},
            ValueError,
            "`format` must be one of 'auto', 'flagr', 'csv', 'tsv', ",
        ),
        (
            {"voter": "bm25"},
            ValueError,
            "`voter` must be 'auto', 'file' or one name for each of 1 path(s); got 'bm25'",
        ),
        ({"voter": ["a", "b"]}, ValueError, "one name for each of 1 path(s); got ['a', 'b']"),
        ({"trailing": True}, ValueError, "`trailing` must be one of 'error', 'ignore'; got True"),
        ({"columns": "query"}, ValueError, "`columns` must be a sequence of names; got 'query'"),
        (
            {"columns": ["query"], "format": "trec"},
            ValueError,
            "`format` must be 'auto', 'csv' or 'tsv' if `columns` is given; got 'trec'",
        ),
        (
            {"columns": ["query", "what", "item", "rank", None]},
            ValueError,
            "with distinct names from",
        ),
        (
            {"columns": ["query", "item", "item", "rank", None]},
            ValueError,
            "with distinct names from",
        ),
        (
            {"columns": ["query", "voter", "item", None, None]},
            ValueError,
            "with distinct names from",
        ),
        (
            {"columns": ["query", "item", "rank"]},
            ValueError,
            "expected the 3 fields that columns= names, got 5",
        ),
    ],
)
def test_read_lists_rejects_invalid_arguments(written, arguments, error, message):
    with pytest.raises(error) as caught:
        read_lists(written(FLAGR_5), **arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize("blank", ["\n", "\r", "\v", "\f"], ids=ascii)
def test_read_lists_allows_only_blanks_and_tabs_around_numbers(written, blank):
    for score in (f"2{blank}", f"{blank}2"):
        with pytest.raises(ValueError, match="expected a finite number as score on line 2, got "):
            read_lists(written(f'query,item,score\nq,a,"{score}"\nq,b,1\n'))
    assert read_lists(written('query,item,score\nq,a," 2\t"\n'))["score"].tolist() == [2.0]


def test_read_lists_removes_only_one_byte_order_mark(written):
    for text in (FLAGR_5, TREC):
        lists = read_lists(written(b"\xef\xbb\xbf" * 2 + text.encode()))
        assert lists["query"].tolist() == ["\ufeff" + text.split(" ")[0].split(",")[0], text[: text.index("1")] + "1"]


def test_read_lists_names_the_field_of_a_nul_character(written):
    with pytest.raises(ValueError, match="expected text on line 2, got a NUL character in field 3"):
        read_lists(written("1,v,a,2,s\n1,v,b\0,1,s\n"))


def test_readers_raise_file_not_found_for_a_missing_file(tmp_path):
    for read in (read_lists, read_qrels):
        with pytest.raises(FileNotFoundError, match="nowhere"):
            read(tmp_path / "nowhere.csv")


def test_read_lists_accepts_paths_and_rejects_other_values(written):
    path = written(FLAGR_5)
    with pytest.raises(ValueError, match="at least one path"):
        read_lists([])
    with (
        path.open() as stream,
        pytest.raises(TypeError, match=r"open in binary mode; got '.*', which is open in text mode"),
    ):
        read_lists(stream)
    with pytest.raises(TypeError, match="must be a path, a file open in binary mode, or a sequence of them; got 5"):
        read_lists(5)
    assert_frame_equal(read_lists(one for one in [path]), read_lists(str(path)))


# --- Several files ------------------------------------------------------------------------------------------------


def test_read_lists_concatenates_several_files(written):
    paths = [written(TREC.replace("bm25", tag), f"{tag}.run") for tag in ("x", "y")]
    lists = read_lists(paths)
    assert lists["voter"].tolist() == ["x", "x", "y", "y"]
    assert lists.index.equals(pd.RangeIndex(4))
    assert_frame_equal(lists, read_lists([str(path) for path in paths]))


def test_read_lists_reads_integers_beyond_64_bits_alike_from_one_file_and_from_two(tmp_path):
    header, first, second = "query,voter,item,score\n", "q,u,a,-5\n", f"q,v,a,{2**64 - 1}\nq,v,b,{2**63}\n"
    for name, rows in (("whole", first + second), ("first", first), ("second", second)):
        (tmp_path / f"{name}.csv").write_text(header + rows)
    found = read_lists([tmp_path / "first.csv", tmp_path / "second.csv"])
    assert found["score"].tolist() == [-5.0, float(2**64), float(2**63)]  # no integer type contains all of them
    assert_frame_equal(found, read_lists(tmp_path / "whole.csv"))


def test_read_lists_rejects_files_with_the_same_tag_unless_named(written):
    paths = [written(TREC, "one.run.gz"), written(TREC.replace("301", "302"), "two.v2.txt")]
    with pytest.raises(ValueError, match=r"got 'bm25' in .*one.run.gz.* and .*two.v2.txt.*voter='file'"):
        read_lists(paths)
    assert read_lists(paths, voter="file")["voter"].tolist() == ["one", "one", "two.v2", "two.v2"]
    assert read_lists(paths, voter=["a", "b"])["voter"].tolist() == ["a", "a", "b", "b"]
    # Parts of one run, split by topic, may share a given name.
    assert read_lists(paths, voter=["a", "a"])["voter"].tolist() == ["a"] * 4


def test_read_lists_allows_files_to_share_voters_but_not_lists(written):
    parts = [written(FLAGR_5, "1.csv"), written(FLAGR_5.replace("1,V", "2,V"), "2.csv")]
    assert read_lists(parts)["query"].tolist() == ["1", "1", "2", "2"]
    with pytest.raises(ValueError, match=r"got 'V-0' in .*1.csv' and .*1.csv'"):
        read_lists([parts[0], parts[0]])
    with pytest.raises(ValueError, match="got 'consensus'"):
        read_lists([written(CONSENSUS, "a"), written(CONSENSUS, "b")])


def test_read_lists_rejects_one_voter_name_for_a_file_of_many_voters(written):
    path = written(FLAGR_5 + "1,V-1,a,1,S\n")
    for voter in ("file", ["me"]):
        with pytest.raises(ValueError, match="must contain only one voter if `voter` gives new names; got 2"):
            read_lists(path, voter=voter)


def test_read_lists_rejects_files_with_different_columns(written):
    with pytest.raises(ValueError, match="All files must have the same columns"):
        read_lists([written(FLAGR_5, "5"), written(FLAGR_6.replace("V-0", "V-1"), "6")])


# --- Judgements ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1,0,a,1\n1,0,b,-1\n2,0,007,2\n",
        "1 0 a 1\n1\t0\tb\t-1\n2 0 007 2\n",
        "relevance,item,query\n1,a,1\n-1,b,1\n2,007,2\n",
        "qid,Q0,docno,label\n1,0,a,1\n1,0,b,-1\n2,0,007,2\n",
    ],
)
def test_read_qrels_reads_three_formats(written, text):
    qrels = read_qrels(written(text))
    assert qrels.columns.tolist() == ["query", "item", "relevance"]
    assert rows(qrels) == [("1", "a", 1), ("1", "b", -1), ("2", "007", 2)]
    assert qrels["relevance"].dtype == np.int64


def test_read_qrels_returns_float64_for_fractional_grades(written):
    qrels = read_qrels(written("1 0 a 1\n1 0 b 0.5\n"))
    assert qrels["relevance"].dtype == np.float64
    assert qrels["relevance"].tolist() == [1.0, 0.5]


def test_read_qrels_ignores_the_iteration_of_trec_judgements(written):
    assert rows(read_qrels(written("1 7 a 1\n1 x b 0\n"))) == [("1", "a", 1), ("1", "b", 0)]


def test_read_qrels_rejects_lists(written):
    path = written("10002,0,GX008,32\n10002,2,GX008,1\n")
    with pytest.raises(
        ValueError, match=r"in the second field of judgements \(a file of lists has the voter there\), got '2'"
    ):
        read_qrels(path)
    assert rows(read_qrels(path, format="flagr"))[1] == ("10002", "GX008", 1)


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("", "got an empty file"),
        ("1,a,1\n", "got the first line '1,a,1'"),
        ("1,0,a,R\n", "got the first line '1,0,a,R'"),
        ("1,0,a,1\n1,0,b,R\n", "expected a finite number as relevance on line 2, got 'R'"),
        ("1 0 a 1\n1 0 b inf\n", "expected a finite number as relevance on line 2, got 'inf'"),
        ("1 0 a 1\n1 0 b\n", "expected 4 fields (query, ..., item, relevance) on line 2, got 3"),
        ("1 0 a 1\n1 0 b 1 2\n", "expected 4 fields (query, ..., item, relevance) on line 2, got 5"),
        (
            "1 0 a 1\n1 0 b 9223372036854775808\n",
            "a judgement that fits into a 64-bit integer on line 2, got '9223372036854775808'",
        ),
    ],
)
def test_read_qrels_rejects_ambiguous_text(written, text, clause):
    with pytest.raises(ValueError) as caught:
        read_qrels(written(text))
    assert clause in str(caught.value)


# --- Writing ------------------------------------------------------------------------------------------------------

names = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=8
) | st.sampled_from(AWKWARD)
words = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z"], exclude_characters="\ufeff"), min_size=1, max_size=8
)
doubles = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(names, names, doubles), min_size=1, max_size=6), st.sampled_from(["csv", "tsv", "parquet"]))
def test_write_run_and_read_lists_round_trip_in_csv_tsv_and_parquet(tmp_path_factory, drawn, suffix):
    if suffix == "parquet":
        pytest.importorskip("pyarrow")
    queries, items, scores = zip(*drawn, strict=True)
    frame = consensus(list(items), query=list(queries), scores=list(scores))
    path = tmp_path_factory.mktemp("run") / f"run.{suffix}"
    write_run(frame, path)
    assert_frame_equal(read_lists(path)[["query", "item", "score", "rank"]], frame, check_dtype=False, rtol=0, atol=0)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(words, words, doubles), min_size=1, max_size=6), words)
def test_write_run_and_read_lists_round_trip_in_trec_without_white_space(tmp_path_factory, drawn, tag):
    queries, items, scores = zip(*drawn, strict=True)
    frame = consensus(list(items), query=list(queries), scores=list(scores))
    path = tmp_path_factory.mktemp("run") / "run.trec"
    write_run(frame, path, tag=tag)
    lists = read_lists(path, format="trec")
    assert set(lists["voter"]) == {tag}
    assert_frame_equal(lists[["query", "item", "score", "rank"]], frame, check_dtype=False, rtol=0, atol=0)


def test_write_run_writes_the_exact_bytes_of_a_trec_run(tmp_path):
    write_run(consensus(["b", "a"], scores=[0.1 + 0.2, -1e-20]), tmp_path / "x.run")
    assert (tmp_path / "x.run").read_bytes() == (b"q Q0 b 1 0.30000000000000004 skrankagg\nq Q0 a 2 -1e-20 skrankagg\n")


def test_write_run_writes_the_exact_bytes_of_a_csv_with_all_columns(tmp_path):
    write_run(consensus(["b,c", "a"]).assign(pvalue=[0.5, 0.25]), tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes() == b'query,item,score,rank,pvalue\nq,"b,c",2.0,1,0.5\nq,a,1.0,2,0.25\n'


def test_write_run_quotes_tsv_fields_only_if_needed(tmp_path):
    write_run(consensus(["b,c", "a\td"]), tmp_path / "x.tsv.gz")
    text = gzip.decompress((tmp_path / "x.tsv.gz").read_bytes())
    assert text == b'query\titem\tscore\trank\nq\tb,c\t2.0\t1\nq\t"a\td"\t1.0\t2\n'
    assert read_lists(tmp_path / "x.tsv.gz", voter="file")["voter"].unique().tolist() == ["x"]


def test_read_qrels_recognises_tsv_by_its_header(written):
    path = written("topic\tdocno\trel\textra\n1\ta b\t2\tx\n1\tc\t0\ty\n", "qrels.tsv")
    assert rows(read_qrels(path)) == [("1", "a b", 2), ("1", "c", 0)]
    assert rows(read_qrels(path, format="tsv")) == rows(read_qrels(path))
    with pytest.raises(ValueError, match="format='csv'"):
        read_qrels(path, format="csv")
    with pytest.raises(ValueError, match=r"expected 3 fields .* on line 3, got 2"):
        read_lists(written("query\titem\trank\nq\ta\t1\nq\tb\n"))
    with pytest.raises(ValueError, match="expected rows after the header 'query,item,rank', got none"):
        read_lists(written("query\titem\trank\n"))


def test_readers_recognise_parquet_by_content_and_read_it_by_column_names(tmp_path):
    pytest.importorskip("pyarrow")
    lists, qrels = make_rasdagen(n_queries=2, n_voters=3, list_length=4, n_items=5)
    write_run(lists.assign(source="x"), tmp_path / "lists.parquet")
    assert_frame_equal(read_lists(tmp_path / "lists.parquet"), lists)
    other = qrels.rename(columns={"query": "Topic_ID", "item": "docno", "relevance": "rel"}).astype(
        {"docno": "category"}
    )
    other.set_index("rel", append=True).to_parquet(tmp_path / "no_suffix")
    assert_frame_equal(read_qrels(tmp_path / "no_suffix"), qrels)
    numbered = qrels.assign(query=7, relevance=qrels["relevance"] / 2)
    numbered.to_parquet(tmp_path / "numbered.parquet")
    assert_frame_equal(read_qrels(tmp_path / "numbered.parquet", format="parquet"), numbered.assign(query="7"))
    one = lists[lists["voter"] == lists["voter"].iloc[0]]
    one.to_parquet(tmp_path / "bm25.parquet")
    assert read_lists(tmp_path / "bm25.parquet", voter="file")["voter"].unique().tolist() == ["bm25"]


def test_readers_prefer_query_ids_to_query_texts(tmp_path):
    text = "qid,query,doc,score\n1,ties,a,2\n2,ties,a,1\n"
    (tmp_path / "lists.csv").write_text(text)
    with pytest.warns(AmbiguousInputWarning, match="reads the ids of the queries from 'qid' instead of 'query'"):
        assert read_lists(tmp_path / "lists.csv")["query"].tolist() == ["1", "2"]
    (tmp_path / "qrels.csv").write_text(text.replace("score", "rel").replace(",", "\t").replace("qid", "Query_ID"))
    with pytest.warns(AmbiguousInputWarning, match="from 'Query_ID'"):
        assert read_qrels(tmp_path / "qrels.csv")["query"].tolist() == ["1", "2"]
    with pytest.raises(ValueError, match="one column for the query, got 'qid' and 'query_id'"):
        (tmp_path / "lists.csv").write_text(text.replace("score", "query_id,score").replace(",a,", ",a,b,"))
        read_lists(tmp_path / "lists.csv")
    for name in ("run.csv", "run.run", "run.json"):
        with pytest.raises(ValueError, match=r"got 'qid', which could be read as the query\. .*\. Rename or drop this"):
            write_run(consensus(["a"]).assign(qid="1"), tmp_path / name)


@pytest.mark.parametrize(
    ("frame", "clause"),
    [
        (consensus(["a"]).rename(columns={"item": "thing"}), "expected columns for query, item and rank or score, got"),
        (consensus(["a"]).assign(docno="b"), "expected one column for the item, got 'item' and 'docno'"),
        (consensus(["a", None]), "expected a value as item in every row, got none in row 1"),
        (consensus(["a", "b"], scores=[1, np.inf]), "expected a finite number as score in row 1, got inf"),
        (consensus(["a", "b"], scores=["1", "2"]), "expected numbers as score, got "),
        (consensus(["a"]).iloc[:0], "expected at least one row, got none"),
    ],
)
def test_read_lists_rejects_parquet_files_that_are_not_lists(tmp_path, frame, clause):
    pytest.importorskip("pyarrow")
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError) as caught:
        read_lists(tmp_path / "x.parquet")
    assert str(caught.value).startswith(f"read_lists cannot read {str(tmp_path / 'x.parquet')!r}: {clause}")
    with pytest.raises(ValueError, match="expected format='trec', got a Parquet file"):
        read_lists(tmp_path / "x.parquet", format="trec")


def test_readers_and_writers_of_parquet_report_missing_pyarrow_first(tmp_path, monkeypatch):
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find_spec(name))
    with pytest.raises(ImportError, match=r"read_lists needs pyarrow for Parquet\. Install it with pip"):
        read_lists(tmp_path / "x.parquet")
    for path, options in ((tmp_path / "y.parquet", {}), (tmp_path / "y.csv", {"format": "parquet"})):
        with pytest.raises(ImportError, match=r"needs pyarrow for Parquet\. Install it with pip install pyarrow"):
            write_run(consensus(["a"]), path, **options)
        assert not path.exists()


@pytest.mark.parametrize(
    ("name", "format", "is_csv"),
    [
        ("x.run", "auto", False),
        ("x.TREC", "auto", False),
        ("x.txt.gz", "auto", False),
        ("x.csv", "auto", True),
        ("x.csv.gz", "auto", True),
        ("x.csv", "trec", False),
        ("x", "csv", True),
    ],
)
def test_write_run_uses_the_given_format_or_the_suffix(tmp_path, name, format, is_csv):
    write_run(consensus(["a"]), tmp_path / name, format=format)
    data = (tmp_path / name).read_bytes()
    text = gzip.decompress(data) if name.endswith(".gz") else data
    assert text.startswith(b"query," if is_csv else b"q Q0")
    assert read_lists(tmp_path / name)["item"].tolist() == ["a"]


def test_write_run_is_deterministic(tmp_path):
    frame = consensus(list("abc"))
    for name in ("one.run.gz", "two.run.gz"):
        write_run(frame, tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.run.gz", "two.run.gz"))
    assert one == two
    assert one[4:8] == bytes(4)  # gzip's time stamp


def test_write_run_and_read_lists_round_trip_lists_of_several_voters(tmp_path):
    lists, _ = make_rasdagen(n_queries=2, n_voters=3, list_length=4, n_items=5)
    write_run(lists, tmp_path / "lists.csv")
    assert_frame_equal(read_lists(tmp_path / "lists.csv"), lists)


def test_write_run_accepts_other_frame_libraries_and_id_types(tmp_path):
    plain = pd.DataFrame({"query": [1, 1], "item": [7, 8], "score": np.float32([0.1, 0.05]), "rank": [1, 2]})
    frames = [
        plain,
        plain.astype({"query": "category", "item": object, "score": "Float32"}),
        pl.from_pandas(plain),
    ]
    texts = []
    for k, frame in enumerate(frames):
        before = frame.to_dict()
        write_run(frame, tmp_path / f"{k}.run")
        assert str(frame.to_dict()) == str(before)
        texts.append((tmp_path / f"{k}.run").read_text())
    assert texts[0] == texts[1] == texts[2]
    back = read_lists(tmp_path / "0.run")
    assert back["item"].tolist() == ["7", "8"]
    assert (back["score"].to_numpy() == plain["score"].to_numpy(dtype=np.float64)).all()


GOOD = consensus(["a", "b"])


@pytest.mark.parametrize(
    ("frame", "name", "options", "error", "message"),
    [
        (
            {"query": ["q"]},
            "x.run",
            {},
            TypeError,
            "must be a data frame of pandas, polars or pyarrow; got dict",
        ),
        (
            GOOD,
            "x.dat",
            {},
            ValueError,
            "each optionally followed by .gz, or in .parquet; rename it, or pass a format, such as format='trec'",
        ),
        (GOOD, "x", {}, ValueError, "expected a name whose suffix determines the format"),
        (GOOD, "x.parquet.gz", {}, ValueError, "expected a name that ends in"),
        (GOOD, "x.run", {"format": "ods"}, ValueError, "`format` must be one of 'auto', 'csv', 'tsv', "),
        (GOOD.assign(item=["a", "a\0"]), "x.tsv", {}, ValueError, "got a NUL character"),
        (GOOD.assign(tag="t"), "x.tsv", {}, ValueError, "got 'tag', which could be read as the voter"),
        (GOOD.drop(columns="item"), "x.csv", {}, ValueError, "got ['query', 'score', 'rank']"),
        (GOOD.drop(columns="score"), "x.run", {}, ValueError, "got ['query', 'item', 'rank']"),
        (GOOD.drop(columns=["score", "rank"]), "x.csv", {}, ValueError, "got ['query', 'item']"),
        (GOOD.iloc[:0], "x.csv", {}, ValueError, "at least one row"),
        (GOOD.assign(tag="t"), "x.csv", {}, ValueError, "got 'tag', which could be read as the voter"),
        (
            pd.concat([GOOD, GOOD[["item"]]], axis=1),
            "x.run",
            {},
            ValueError,
            "got 'item', which could be read as the item",
        ),
        (
            GOOD.assign(score=[1, np.nan]),
            "x.csv",
            {},
            ValueError,
            "finite numbers as score; got nan in row 1",
        ),
        (GOOD.assign(item=["a", None]), "x.csv", {}, ValueError, "got a missing item in row 1"),
        (GOOD.assign(item=["a", "a\0"]), "x.csv", {}, ValueError, "got a NUL character"),
        (
            GOOD.assign(item=["a", "new york"]),
            "x.run",
            {},
            ValueError,
            "as item of a TREC run; got 'new york'",
        ),
        (GOOD.assign(query=""), "x.run", {}, ValueError, "as query of a TREC run; got ''"),
        (GOOD.assign(query="q\u00a01"), "x.run", {}, ValueError, "as query of a TREC run; got 'q\\xa01'"),
        (GOOD, "x.run", {"tag": "my run"}, ValueError, "as tag of a TREC run; got 'my run'"),
        (GOOD, "x.run", {"tag": "run\udcff"}, ValueError, "that UTF-8 can encode; got '\\udcff'"),
        (
            GOOD.assign(voter=["u", "v"]),
            "x.run",
            {},
            ValueError,
            "of only one voter to be written as a TREC run; got 2",
        ),
    ],
)
def test_write_run_rejects_frames_that_cannot_be_read_back(tmp_path, frame, name, options, error, message):
    with pytest.raises(error) as caught:
        write_run(frame, tmp_path / name, **options)
    assert message in str(caught.value)
    assert not (tmp_path / name).exists()


# --- Real files ---------------------------------------------------------------------------------------------------


def test_readers_read_flagrs_files_as_generated(shared_data):
    lists, qrels = make_rasdagen()
    assert_frame_equal(read_lists(shared_data / "flagr" / "testdata_ranked.csv"), lists)
    assert_frame_equal(read_lists(shared_data / "flagr" / "testdata.csv"), lists.drop(columns="rank"))
    assert_frame_equal(read_qrels(shared_data / "flagr" / "testdata_qrels.csv"), qrels)


def test_read_lists_reads_consensus_files_of_pyflagr(shared_data):
    lists = read_lists(sorted((shared_data / "flagr" / "pyflagr-1.0.18").glob("Comb*_out.csv")), voter="file")
    assert lists["voter"].nunique() == 6
    assert "CombMNZ-Borda_out" in set(lists["voter"])
    assert lists["query"].nunique() == 20


def test_read_lists_reads_as_many_robust_rows_as_trec_eval(shared_data):
    folder = shared_data / "robust03"
    expected = pd.read_csv(folder / "expected_trec_eval_9.tsv.gz", sep="\t", names=["run", "measure", "query", "n"])
    expected = expected.query("measure == 'num_ret' and query == 'all'").set_index("run")["n"].astype(int)
    paths = sorted((folder / "runs").iterdir())[:: 1 if COMPILED else 6]
    lists = read_lists(paths)
    read = {f"input.{tag}": n for tag, n in lists["voter"].value_counts().items()}
    assert read == {path.name.removesuffix(".gz"): expected[path.name.removesuffix(".gz")] for path in paths}


def test_read_lists_equals_splitting_the_lines_of_a_robust_run(shared_data):
    path = shared_data / "robust03" / "runs" / "input.humR03dc.gz"
    split = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    assert rows(read_lists(path)) == [(q, tag, i, int(rank), float(s)) for q, _, i, rank, s, tag in split]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "grades"),
    [
        ("robust03/robust03_qrels.txt.gz", {0: 122722, 1: 5667, 2: 407}),
        ("trec_eval/qrels-302.test", None),
        ("trec_eval/qrels.123", None),
        ("trec_eval/qrels.rel_level", None),
        ("trec_eval/qrels.test", None),
        ("mq2008agg/rel_agg.csv.gz", None),
    ],
)
def test_read_qrels_equals_splitting_the_lines_of_real_files(shared_data, name, grades):
    path = shared_data / name
    qrels = read_qrels(path)
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    split = [re.split(r"[,\s]+", line) for line in data.decode().splitlines()]
    assert rows(qrels) == [(q, i, int(r)) for q, _, i, r in split]
    if grades:
        assert qrels["relevance"].value_counts().to_dict() == grades


def test_read_lists_reads_runs_of_trec_eval(shared_data):
    folder = shared_data / "trec_eval"
    assert read_lists(folder / "results.test").shape == (1500, 5)
    assert read_lists(folder / "results-302.test")["query"].unique().tolist() == ["302"]
    with pytest.raises(ValueError, match="STANDARD more junk at"):
        read_lists(folder / "results.trunc")
    assert set(read_lists(folder / "results.trunc", trailing="ignore")["voter"]) == {"STANDARD"}


def test_read_lists_names_voters_by_file_for_runs_with_the_tag_indri(shared_data):
    paths = [shared_data / "polyfuse" / name for name in ("2-a.run", "2-b.run")]
    with pytest.raises(ValueError, match="got 'indri' in"):
        read_lists(paths)
    assert read_lists(paths, voter="file")["voter"].unique().tolist() == ["2-a", "2-b"]


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")  # some queries have many lists of two items
def test_read_lists_needs_column_names_for_mq2008(shared_data):
    path = shared_data / "mq2008agg" / "rank_agg.csv.gz"
    with pytest.raises(ValueError, match=r"columns=\[\.\.\.\]"):
        read_lists(path)
    # The last column is higher for better items: as ranks it would reverse the lists, and MAP falls to 0.395.
    lists = read_lists(path, columns=["query", "voter", "item", "score"])
    assert (lists["query"].nunique(), lists["voter"].nunique()) == (784, 25)
    qrels = read_qrels(shared_data / "mq2008agg" / "rel_agg.csv.gz")
    assert evaluate(BordaCount().fit_transform(lists), qrels, "map").loc["run", "map"] == pytest.approx(0.478, abs=5e-4)


def test_readers_reject_other_files_of_trec_eval(shared_data):
    for name in ("out.test", "zscores_file", "LICENSE.md"):
        with pytest.raises(ValueError, match="read_lists cannot read"):
            read_lists(shared_data / "trec_eval" / name)
    for name in ("out.test", "LICENSE.md", "results.test"):
        with pytest.raises(ValueError, match="read_qrels cannot read"):
            read_qrels(shared_data / "trec_eval" / name)


def test_read_lists_accepts_voter_names_for_some_files(tmp_path):
    for name, tag in (("one", "x"), ("two", "x")):
        (tmp_path / name).write_text(f"q1 Q0 a 1 2.5 {tag}\n")
    frame = read_lists([tmp_path / "one", tmp_path / "two"], voter=[None, "mine"])
    assert frame["voter"].tolist() == ["x", "mine"]
