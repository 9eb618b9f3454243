"""Readers of pipes, open files and other sources that can be read only once."""

import gzip
import io
import os
import subprocess
import sys
import tempfile
import threading

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg.datasets import make_rasdagen, read_lists, read_qrels, write_run
from skrankagg.exceptions import InputError, InputTypeError

pytestmark = pytest.mark.twice

LISTS = "query,voter,item,rank,score\nq,v,a,1,9007199254740993\nq,v,b,2,1\nq,w,a,1,2\n"
QUOTED = 'Query,Item,Score\nq,"a, b",2\n\nq,"say ""hi""\nthere",1.5e0\nq,c,1\n'
TREC = "q1 Q0 d1 1 2.5 run\nq1 Q0 d2 2 1.5 run\n"
QRELS = "q 0 a 1\nq 0 b 0.5\n"


def packed(text):
    return gzip.compress(text.encode(), mtime=0)


CASES = [(read_lists, text.encode()) for text in (LISTS, LISTS.replace(",", "\t"), QUOTED, TREC)]
CASES += [(read_lists, packed(QUOTED)), (read_qrels, QRELS.encode()), (read_qrels, packed(QRELS))]


@pytest.fixture
def pipe():
    """Write bytes into a pipe, and return its path."""
    opened = []

    def fed(data):
        end, start = os.pipe()

        def feed():
            with open(start, "wb") as stream:
                stream.write(data)

        thread = threading.Thread(target=feed)
        thread.start()
        opened.append((end, thread))
        return f"/dev/fd/{end}"

    yield fed
    for end, thread in opened:
        os.close(end)
        thread.join()


needs_pipes = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="no pipes with a name")


@needs_pipes
@pytest.mark.parametrize(("reader", "data"), CASES)
def test_readers_read_pipes_and_open_files_like_paths(tmp_path, pipe, reader, data):
    path = tmp_path / "file"
    path.write_bytes(data)
    assert_frame_equal(reader(pipe(data)), reader(path))
    assert_frame_equal(reader(io.BytesIO(data)), reader(path))
    with path.open("rb") as stream:
        assert_frame_equal(reader(stream), reader(path))
        assert not stream.closed


@needs_pipes
def test_read_lists_reads_pipes_larger_than_their_buffer(tmp_path, pipe):
    lists, _ = make_rasdagen(n_queries=20, n_voters=20)
    write_run(lists, tmp_path / "lists.csv")
    data = (tmp_path / "lists.csv").read_bytes()
    assert len(data) > 2**17
    assert_frame_equal(read_lists(pipe(data)), lists)


# Read the lists from each source; before each but the first, the same input is given again.
_READ_EACH = """
import os, sys
from skrankagg.datasets import read_lists
path, redirected, *sources = sys.argv[1:]
for k, source in enumerate(sources):
    if k and redirected == "True":
        os.dup2(os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0)), 0)
    elif k:
        end, start = os.pipe()
        os.write(start, open(path, "rb").read())
        os.close(start)
        os.dup2(end, 0)
    print(read_lists(eval(source))["item"].tolist())
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize("redirected", [False, True])
def test_read_lists_reads_standard_input(tmp_path, redirected):
    sources = ["sys.stdin.buffer", *["'/dev/stdin'"] * os.path.exists("/dev/stdin"), "open(0, 'rb')"]
    path = tmp_path / "lists.csv"
    path.write_text(QUOTED)
    with path.open("rb") as stream:
        given = {"stdin": stream} if redirected else {"input": QUOTED.encode()}
        command = [sys.executable, "-c", _READ_EACH, str(path), str(redirected), *sources]
        done = subprocess.run(command, check=True, capture_output=True, timeout=60, **given)
    assert done.stdout.decode().splitlines() == len(sources) * [r"""['a, b', 'say "hi"\nthere', 'c']"""]


@pytest.mark.exhaustive
def test_read_lists_names_standard_input_in_errors():
    code = "import sys; from skrankagg.datasets import read_lists; read_lists(sys.stdin.buffer)"
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, capture_output=True, timeout=60, input=LISTS.encode() + b"q,v,c,3\n"
    )
    assert b"read_lists cannot read '<stdin>': expected 5 fields" in done.stderr


def test_read_lists_accepts_open_files_next_to_paths(tmp_path):
    for name in ("x", "y"):
        (tmp_path / f"{name}.run.gz").write_bytes(packed(TREC))
    with (tmp_path / "x.run.gz").open("rb") as first:
        lists = read_lists([first, tmp_path / "y.run.gz", io.BytesIO(TREC.encode())], voter="file")
    assert lists["voter"].unique().tolist() == ["x", "y", "<stream>"]
    with pytest.raises(InputError, match=r"got 'run' in .*y.run.gz' and '<stream>'"):
        read_lists([str(tmp_path / "y.run.gz"), io.BytesIO(TREC.encode())])


def test_read_lists_starts_at_the_position_of_an_open_file():
    stream = io.BytesIO(b"a comment\n" + TREC.encode())
    stream.readline()
    assert read_lists(stream)["item"].tolist() == ["d1", "d2"]
    with pytest.raises(InputError, match=r"cannot read '<stream>': expected at least one row, got an empty file"):
        read_lists(stream)


def test_read_lists_reads_parquet_from_open_files():
    pytest.importorskip("pyarrow")
    lists, _ = make_rasdagen(n_queries=2, n_voters=3)
    stream = io.BytesIO()
    lists.to_parquet(stream)
    stream.seek(0)
    assert_frame_equal(read_lists(stream), lists)
    with pytest.raises(InputError, match="'<stream>': expected a Parquet file that pyarrow can read"):
        read_lists(io.BytesIO(stream.getvalue()[:-20]))


class Odd:
    """A stream whose read returns a given value."""

    def __init__(self, answer):
        self.answer = answer
        self.name = 7

    def read(self, size=-1):
        return self.answer


@pytest.mark.parametrize("reader", [read_lists, read_qrels])
def test_readers_reject_files_open_for_text(tmp_path, reader):
    path = tmp_path / "lists.csv"
    path.write_text(LISTS)
    with path.open() as stream, tempfile.NamedTemporaryFile("w+", encoding="utf-8") as wrapped:
        for text, name in ((stream, "lists.csv"), (wrapped, ""), (io.StringIO(LISTS), "<stream>"), (Odd(""), "<str")):
            with pytest.raises(
                InputTypeError, match=f"got '.*{name}.*', which is open in text mode. Open it with mode 'rb', or"
            ):
                reader(text)
    with pytest.raises(InputTypeError, match="'<stream>' returned NoneType"):
        reader(Odd(None))
    assert len(read_lists(Odd(bytearray(LISTS.encode())))) == 3


@pytest.mark.parametrize("reader", [read_lists, read_qrels])
def test_readers_reject_unreadable_files(tmp_path, reader):
    words = r"x': expected a file that is open for reading, got .*; open it again"
    with (tmp_path / "x").open("wb") as stream, pytest.raises(InputError, match=words):
        reader(stream)
    with pytest.raises(InputError, match="expected a file that is open for reading, got"):
        reader(stream)
    with pytest.raises(InputTypeError, match="a path, "):
        reader(5)
    with pytest.raises(IsADirectoryError if os.name == "posix" else PermissionError):
        reader(tmp_path)


def test_read_lists_names_a_damaged_stream():
    for data in (packed(LISTS)[:-4], packed(LISTS)[:20], packed(LISTS)[:-8] + bytes(8)):
        with pytest.raises(InputError, match="cannot read '<stream>': expected a whole gzip file, got a damaged one"):
            read_lists(io.BytesIO(data))
    for end in ("\n", "\r\n", "\r"):
        text = LISTS.replace("\n", end).encode() + b"q,v,\xe9,1,1"
        with pytest.raises(InputError, match="'<stream>': expected UTF-8 text, got the byte 0xe9 on line 5"):
            read_lists(io.BytesIO(text))


# ---------------------------------------------------------------------- separators and decimal commas


def as_file(text):
    return io.BytesIO(text.encode())


@pytest.mark.parametrize("format", ["auto", "csv"])
def test_readers_recognise_semicolons_by_the_header(format):
    lists = read_lists(as_file('Topic;System;"Doc;No";DocNo;Score\n1;s;x;"a;b";1.5\n1;s;x;c, d;-1e0\n'), format=format)
    assert lists["item"].tolist() == ["a;b", "c, d"] and lists["score"].tolist() == [1.5, -1.0]
    qrels = read_qrels(as_file("query;item;rel\nq;a;1\nq;b;0\n"), format=format)
    assert qrels["relevance"].tolist() == [1, 0]
    with pytest.raises(InputError, match="format='tsv'"):
        read_qrels(as_file("query;item;rel\nq;a;1\n"), format="tsv")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_readers_read_decimal_commas_on_request(mark):
    text = f"query,item,score\nq,a,1:5\nq,b,-:25e1\nq,c,{2**53 + 1}\n".replace(",", mark).replace(":", ",")
    assert read_lists(as_file(text), decimal=",")["score"].tolist() == [1.5, -2.5, float(2**53)]
    large = read_lists(as_file(text.replace("1,5", "1").replace("-,25e1", "-2")), decimal=",")
    assert large["score"].tolist() == [1, -2, 2**53 + 1]
    assert read_lists(as_file(text + "\n\n" + f"q{mark}d{mark}1\n"), decimal=",")["score"].tolist()[-1] == 1.0
    words = r"expected a finite number as score on line 2, got '1,5'; pass decimal=',' if"
    with pytest.raises(InputError, match=f"'<stream>': {words}"):
        read_lists(as_file(text))
    with pytest.raises(InputError, match=r"as score on line 5, got '1\.5'; pass decimal='\.' if a point"):
        read_lists(as_file(f"{text}q{mark}d{mark}1.5\n"), decimal=",")
    for wrong in ("1.000,5", "1,000,5", "inf", "x,5", ",", "1,5,"):
        with pytest.raises(InputError, match=r"expected a finite number as score on line 5, got .*; repair"):
            read_lists(as_file(f'{text}q{mark}d{mark}"{wrong}"\n'), decimal=",")
    judged = text.replace("score", "label")
    assert read_qrels(as_file(judged), decimal=",")["relevance"].tolist() == [1.5, -2.5, float(2**53)]
    with pytest.raises(
        InputError, match="expected a finite number as relevance on line 2, got '1,5'; pass decimal=','"
    ):
        read_qrels(as_file(judged))


@pytest.mark.parametrize(
    ("reader", "text", "got"),
    [
        (read_lists, LISTS, "commas"),
        (read_lists, "1,v,a,2,s\n", "commas"),
        (read_lists, TREC, "a TREC file"),
        (read_qrels, "q,0,a,1\n", "commas"),
        (read_qrels, QRELS, "a TREC file"),
    ],
)
def test_readers_reject_decimal_commas_in_other_formats(reader, text, got):
    words = f"expected fields separated by tabs or semicolons, as decimal=',' requires, got {got}; leave out decimal"
    with pytest.raises(InputError, match=words):
        reader(as_file(text), decimal=",")
    with pytest.raises(InputError, match=r"`decimal` must be one of '\.', ','; got ';'"):
        reader(as_file(text), decimal=";")


@pytest.mark.parametrize("format", ["auto", "named"])
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_readers_infer_the_separator_from_named_columns(mark, format):
    named = ("tsv" if mark == "\t" else "csv") if format == "named" else "auto"
    text = "q,7,a,1\nq,8,b,2.5\n".replace(",", mark)
    columns = ["query", None, "item", "score"]
    assert read_lists(as_file(text), format=named, columns=columns)["score"].tolist() == [1.0, 2.5]
    qrels = read_qrels(as_file(text), format=named, columns=["query", None, "item", "relevance"])
    assert qrels["relevance"].tolist() == [1.0, 2.5]
    if mark != ",":
        text = text.replace("2.5", "2,5")
        assert read_lists(as_file(text), columns=columns, decimal=",")["score"].tolist() == [1.0, 2.5]
    with pytest.raises(InputError, match="expected the 3 fields that columns= names, got 4 in the first line"):
        read_lists(as_file(text), columns=["query", "item", "rank"], format=named)


def test_read_lists_chooses_the_separator_by_numbers_or_rejects_the_file():
    columns = ["query", "item", "score"]
    lists = read_lists(as_file("a,b;c,d;1\ne;f;2\n"), columns=columns)
    assert lists["item"].tolist() == ["c,d", "f"]
    with pytest.raises(
        InputError,
        match=r"expected a first line that only one separator .* got 'a,b;c,d;x', which several separators split",
    ):
        read_lists(as_file("a,b;c,d;x\n"), columns=columns)


def test_read_lists_rejects_a_line_with_only_an_empty_quoted_field():
    for line in ('""', '" "'):
        with pytest.raises(InputError, match="line 3 contains only a quoted field without text"):
            read_lists(as_file(f"query;item;score\nq;a;1\n{line}\nq;b;2\n"))


def test_read_lists_reads_a_spreadsheet_with_decimal_commas(tmp_path):
    frame = pd.DataFrame({"query": "q", "item": ["a", "b"], "score": [0.1 + 0.2, -1e-20]})
    frame.to_csv(tmp_path / "x.csv", sep=";", decimal=",", index=False)
    assert read_lists(tmp_path / "x.csv", decimal=",")["score"].tolist() == frame["score"].tolist()
