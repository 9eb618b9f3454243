"""Damaged files: readers return lists or a one-sentence error naming the file, and allocate little memory."""

import gzip
import io
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from skrankagg import Qrels, RankedLists
from skrankagg.datasets import read_lists, read_preflib, read_qrels
from skrankagg.datasets._sources import encoding_checked
from skrankagg.exceptions import InputError, InputTypeError

LISTS = "query,voter,item,rank,score\n" + "".join(
    f"q{k // 6},v{k % 6 // 3},i{k % 3},{k % 3 + 1},{5.5 - k % 3}\n" for k in range(12)
)
QUOTED = 'Query,Item,Score\nq,"a, b",2\nq,"say ""hi""\nthere",1.5e0\nq,c,1\n'
FLAGR = "1,V-0,a,2.5,s\n1,V-0,b,1.5,s\n1,V-1,a,-1e3,s\n"
TREC = "q1 Q0 d1 1 2.5 run\nq1 Q0 d2 2 1.5 run\nq2\tQ0\td1\t1\t9007199254740993\trun\n"
NEW = (
    "# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 7\n# ALTERNATIVE NAME 1: p, s\n"
    "# ALTERNATIVE NAME 2: r\n# ALTERNATIVE NAME 3: c\n5: 3,{1,2}\n2: {2,3}, 1\n"
)
OLD = "3\n1,p, s\n2,r\n3,c\n7,7,2\n5,3,{1,2}\n2,{2,3},1\n"


def parquet(text):
    pytest.importorskip("pyarrow")
    stream = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(stream)
    return stream.getvalue()


VALID = {
    "csv": (read_lists, lambda: LISTS.encode()),
    "tsv": (read_lists, lambda: LISTS.replace(",", "\t").encode()),
    "quoted": (read_lists, lambda: QUOTED.encode()),
    "flagr": (read_lists, lambda: FLAGR.encode()),
    "trec": (read_lists, lambda: TREC.encode()),
    "gzip": (read_lists, lambda: gzip.compress(LISTS.encode(), mtime=0)),
    "parquet": (read_lists, lambda: parquet(LISTS)),
    "qrels-flagr": (read_qrels, lambda: b"1,0,a,2\n1,0,b,0\n2,0,a,1\n"),
    "qrels-trec": (read_qrels, lambda: b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 -1\n"),
    "qrels-parquet": (read_qrels, lambda: parquet("query,item,relevance\nq,a,1\nq,b,0\n")),
    "preflib": (read_preflib, lambda: NEW.encode()),
    "preflib-old": (read_preflib, lambda: OLD.encode()),
    "preflib-gzip": (read_preflib, lambda: gzip.compress(NEW.encode(), mtime=0)),
}

# Bytes that damaged files are likely to contain or that readers may handle wrongly.
PIECES = [
    *(b"\0", b"\r", b"\n", b'"', b",", b"\t", b" ", b"{", b"}", b":", b"#", b"-", b".", b"\xff", b"\xef\xbb\xbf"),
    *("\x85\u2028\x1c".encode(), "\u0663".encode(), b"nan", b"inf", b"1e999", b"1e308", b"-0", b"0x1", b"1_0"),
    *(b"9" * 25, b"9" * 400, b"9" * 5000, b"18446744073709551616", b"9007199254740993", b"x" * 200_000, b"Q0", b"PAR1"),
    *(b"\x1f\x8b", b"query,item,score\n", b"# NUMBER ALTERNATIVES: 4000000000\n", b"# ALTERNATIVE NAME 1:\n"),
]


def mutate(rng, data):
    """Damage a file in one to four places: cut, repeat, swap, overwrite, insert."""
    for _ in range(rng.integers(1, 5)):
        at, to = sorted(rng.integers(0, len(data) + 1, 2))
        kind = rng.integers(7)
        if kind == 0:
            data = data[:at]
        elif kind == 1:
            data = data[:at] + data[to:]
        elif kind == 2:
            data = data[:to] + data[at:]
        elif kind == 3:
            data = data[:at] + bytes([rng.integers(256)]) + data[at + 1 :]
        elif kind == 4:
            data = data[:at] + PIECES[rng.integers(len(PIECES))] + data[at:]
        elif kind == 5:
            data = data[:at] + PIECES[rng.integers(len(PIECES))] + data[at + int(rng.integers(1, 4)) :]
        elif data:
            bits = bytearray(data)
            bits[rng.integers(len(bits))] ^= 1 << int(rng.integers(8))
            data = bytes(bits)
    return data


def outcome(reader, path):
    """Read and encode a file; return "answer" or the error message."""
    try:
        frame = reader(path)
        (Qrels if reader is read_qrels else RankedLists).from_frame(frame)
    except (InputError, InputTypeError, OSError) as error:
        assert str(error), "an empty message"
        return str(error)
    return "answer"


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.RankScoreConflictWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.SimilarIdsWarning")
@pytest.mark.parametrize("kind", VALID)
def test_readers_return_lists_or_a_one_sentence_error_for_damaged_files(tmp_path, kind):
    reader, make = VALID[kind]
    data, path = make(), tmp_path / f"{kind}.toi"
    path.write_bytes(data)
    assert outcome(reader, path) == "answer"
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        path.write_bytes(mutate(rng, data))
        refused += outcome(reader, path) != "answer"
    assert refused > 20


@pytest.mark.parametrize("kind", [kind for kind in VALID if "parquet" not in kind])
def test_readers_name_a_truncated_gzip_file(tmp_path, kind):
    reader, make = VALID[kind]
    data = make()
    whole = data if "gzip" in kind else gzip.compress(data, mtime=0)
    path = tmp_path / f"{kind}.toi"
    for length in (3, 15, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(
            InputError, match=rf"cannot read '.*{kind}\.toi': expected a whole gzip file, got a damaged"
        ):
            reader(path)
    path.write_bytes(whole[:-8] + b"\0" * 8)  # a wrong checksum
    with pytest.raises(InputError, match="expected a whole gzip file"):
        reader(path)


@pytest.mark.parametrize("kind", ["parquet", "qrels-parquet"])
def test_readers_name_a_truncated_parquet_file(tmp_path, kind):
    reader, make = VALID[kind]
    path = tmp_path / "cut.parquet"
    for length in (4, 50, -1):
        path.write_bytes(make()[:length])
        with pytest.raises(
            InputError, match=r"cannot read .*cut.parquet': expected a Parquet file that pyarrow can read"
        ):
            reader(path)


def test_read_lists_names_a_wrong_number_of_rows_in_a_parquet_footer(tmp_path):
    data, path = parquet(LISTS), tmp_path / "lists.parquet"
    # Thrift's codes of the number of rows, 12, and of the beginning of the list of row groups.
    assert data.count(b"\x16\x18\x19\x1c") == 1
    path.write_bytes(data.replace(b"\x16\x18\x19\x1c", b"\x16\x1a\x19\x1c"))
    with pytest.raises(InputError, match="expected 13 rows, the number in the footer of the Parquet file, got 12"):
        read_lists(path)


def test_read_lists_rejects_long_fields_quickly_with_a_short_message(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(FLAGR + f"1,V-2,a,{'9' * 100_000}x,s\n")  # minutes, if each digit were tried with each other
    with pytest.raises(InputError, match=r"expected a finite number as score on line 4, got '9+\.\.\.'") as error:
        read_lists(path)
    assert len(str(error.value)) < 1000


# ---------------------------------------------------------------------- sizes that a file declares


def traced(text, tmp_path):
    path = tmp_path / "big.toi"
    path.write_text(text)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as error:
            read_preflib(path)
        return str(error.value), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("declared", [1_000_000, 25999999999999999999992, "9" * 5000])
@pytest.mark.parametrize("text", [NEW, OLD], ids=["new", "old"])
def test_read_preflib_does_not_allocate_for_declared_alternatives(tmp_path, text, declared):
    text = text.replace("ALTERNATIVES: 3", f"ALTERNATIVES: {declared}") if text is NEW else f"{declared}{text[1:]}"
    message, peak = traced(text, tmp_path)
    assert f"line {2 if text.startswith('#') else 1} " in message and "big.toi" in message
    assert ("declares 1000000 alternatives" if declared == 1_000_000 else "digits in ") in message
    assert peak < 1_000_000


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("5: 3", f"{10**18}: 3", "line 7 has 19 digits in 1000000000000000000; at most 18 are supported"),
        ("NAME 1:", f"NAME {'1' * 5000}:", "line 4 has 5000 digits"),
        ("3,{1,2}", "3,}1,2{", "line 7 is '5: 3,}1,2{' instead"),
        ("3,{1,2}", "3,{{1},2}", "line 7 is '5: 3,{{1},2}' instead"),
        ("NAME 2:", "NAME 1:", "line 5 repeats the alternative 1"),
    ],
)
def test_read_preflib_names_wrong_numbers_and_braces(tmp_path, old, new, words):
    assert words in traced(NEW.replace(old, new), tmp_path)[0]


def test_read_preflib_accepts_large_numbers_of_voters(tmp_path):
    path = tmp_path / "many.toi"
    path.write_text(NEW.replace("5: 3", f"{10**18 - 1}: 3"))
    assert read_preflib(path)["weight"].tolist() == [1e18] * 3 + [2.0] * 3


def test_read_preflib_names_unnamed_alternatives_by_number(tmp_path):
    for text in (NEW, OLD):
        path = tmp_path / "nameless.toi"
        path.write_text(text.replace("2: r", "2:").replace("2,r", "2,"))
        assert read_preflib(path, return_alternatives=True)[1]["name"].tolist() == ["p, s", "2", "c"]


def test_read_preflib_accepts_gzip_files(tmp_path):
    plain, packed = tmp_path / "lunch.toi", tmp_path / "lunch.toi.gz"
    plain.write_text(NEW)
    packed.write_bytes(gzip.compress(NEW.encode()))
    pd.testing.assert_frame_equal(read_preflib(packed), read_preflib(plain))


def test_read_preflib_rejects_other_encodings(tmp_path):
    path = tmp_path / "latin.toi"
    path.write_bytes(NEW.replace("p, s", "caf\xe9").encode("latin-1"))
    with pytest.raises(InputError, match="expected UTF-8 text, got the byte 0xe9 on line 4; repair"):
        read_preflib(path)


def test_encoding_checked_keeps_the_error_of_another_text(tmp_path):
    valid, damaged = tmp_path / "valid", tmp_path / "damaged"
    valid.write_bytes("é\n".encode())
    damaged.write_bytes(b"a\n\xff")
    with pytest.raises(UnicodeDecodeError), encoding_checked(valid):
        b"\xff".decode()
    with pytest.raises(InputError, match="got the byte 0xff on line 2"), encoding_checked(damaged):
        b"\xff".decode()
