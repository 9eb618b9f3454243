"""Tables that are read in blocks give the frames and messages of the general way."""

import importlib.util

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from two_ways import are_equal, difference

from skrankagg.datasets import _blocks, make_rasdagen, read_lists
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.twice


def test_readers_return_the_same_frames_and_messages_in_blocks_as_in_one_pass(tmp_path, monkeypatch):
    failures, n_in_blocks = [], 0
    for number in range(60):  # benchmarks/fuzz_files.py --ways reads more
        found, is_in_blocks = difference(1, number, tmp_path / "file", monkeypatch)
        n_in_blocks += is_in_blocks
        if found is not None:
            failures.append(found)
    assert not failures
    assert n_in_blocks > 15


@pytest.mark.parametrize("size", [50, 300, 2**20])
def test_read_lists_is_independent_of_the_size_of_blocks(tmp_path, monkeypatch, size):
    lists, _ = make_rasdagen(n_queries=2, n_voters=3)
    path = tmp_path / "lists.csv"
    lists.to_csv(path, index=False)
    monkeypatch.setattr(_blocks, "_BLOCK", size)
    monkeypatch.setattr(_blocks, "_rest", None)  # calling it would raise an error
    assert_frame_equal(read_lists(path), lists)


@pytest.mark.parametrize("size", [1, 30])
def test_read_lists_keeps_ids_that_look_like_one_number_apart(tmp_path, monkeypatch, size):
    ids = ["007", "7", "7.0", "1", "1.0", "NA", "null", "1e0", "True"]
    path = tmp_path / "run"
    path.write_text("".join(f"{one} Q0 {one} {k + 1} {9 - k} {one}\n" for k, one in enumerate(ids)))
    monkeypatch.setattr(_blocks, "_BLOCK", size)
    lists = read_lists(path)
    assert lists["query"].tolist() == lists["voter"].tolist() == lists["item"].tolist() == ids


@pytest.mark.parametrize("blank", ["\n", "  \n", "\t\n"])
def test_read_lists_skips_a_block_of_blank_lines_in_a_run(tmp_path, monkeypatch, blank):
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 2 v\n" + blank * 3 + "q Q0 b 2 1 v\n")
    monkeypatch.setattr(_blocks, "_BLOCK", 1)
    assert read_lists(path)["item"].tolist() == ["a", "b"]


@pytest.mark.parametrize("blank", ["", "\n", "\r\n", "  \n", "\t\n", "\n \n"])
@pytest.mark.parametrize("surplus", [" x", "\tx", " x y"])
def test_read_lists_refuses_surplus_words_after_blank_lines_at_the_start_of_a_block(
    tmp_path, monkeypatch, blank, surplus
):
    path = tmp_path / "run"
    path.write_bytes(f"q Q0 a 1 2 v\n{blank}q Q0 b 2 1 v{surplus}\n".encode())
    monkeypatch.setattr(_blocks, "_BLOCK", 1)
    n_fields, line = 6 + len(surplus.split()), 2 + blank.count("\n")
    with pytest.raises(InputError, match=rf"expected 6 fields .* on line {line}, got {n_fields}"):
        read_lists(path)


def test_read_lists_keeps_a_byte_order_mark_at_the_start_of_a_block(tmp_path, monkeypatch):
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 2 v\n\ufeffq Q0 b 2 1 v\n", encoding="utf-8")
    monkeypatch.setattr(_blocks, "_BLOCK", 1)
    assert read_lists(path)["query"].tolist() == ["q", "\ufeffq"]


def test_read_lists_names_the_line_of_a_long_quoted_field_at_the_start_of_a_block(tmp_path, monkeypatch):
    path = tmp_path / "lists.csv"
    path.write_text('query,item,score\nq,a,2\nq,"' + "x" * 200_000 + '",1\n')
    monkeypatch.setattr(_blocks, "_BLOCK", 20)  # the first block has the header and a row
    with pytest.raises(InputError, match="line 3 has a damaged quoted field"):
        read_lists(path)


def test_read_lists_skips_many_blank_lines_at_the_end(tmp_path, monkeypatch):
    path = tmp_path / "lists.csv"
    path.write_text('query,item,score\nq,"a",2\nq,b,1' + "\n" * 600_000)  # pandas reads fewer bytes at once
    monkeypatch.setattr(_blocks, "_BLOCK", 30)
    assert read_lists(path)["item"].tolist() == ["a", "b"]


@pytest.mark.parametrize("size", [1, 2**20])
@pytest.mark.parametrize(
    "text",
    [
        "query,voter,item,score\nq,v,a,2\nq,v,b,1.5\n",
        "q Q0 a 1 2 v\nq Q0 b 2 1 v\n",
        "q\tQ0\ta\t1\t2\tv\nq\tQ0\tb\t2\t1\tv\n",
        "q Q0 a 1 2 v\n\nq Q0  b 2 1 v\n",
        "q Q0 a 1 2 v\nq  b 2 1 v\n",
        "q Q0 a 1 2 v\nq Q0 b 2 1 v x\n",
        "query,voter,item,score\nq,v,a,2\nq,v,,1.5\n",
    ],
    ids=["csv", "run", "tabs", "two blanks", "a blank as a field", "surplus", "empty id"],
)
def test_read_lists_reads_the_same_without_pyarrow(tmp_path, monkeypatch, text, size):
    path = tmp_path / "lists"
    path.write_text(text)

    def outcome():
        try:
            return read_lists(path)
        except InputError as error:
            return str(error)

    expected, find_spec = outcome(), importlib.util.find_spec
    monkeypatch.setattr(_blocks, "_BLOCK", size)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else find_spec(name))
    assert are_equal(outcome(), expected)


@pytest.mark.parametrize("dtype", [object, "string[python]", "str"])
def test_has_empty_finds_an_empty_text_anywhere(dtype):
    for texts, has_empty in (([], False), (["a", "a", "b"], False), (["", "a"], True), (["a", "a", "", ""], True)):
        assert bool(_blocks._has_empty(pd.Series(texts, dtype=dtype))) is has_empty


def test_are_equal_detects_other_bits_and_dtypes():
    lists, _ = make_rasdagen(n_queries=1, n_voters=2)
    assert are_equal(lists, lists.copy()) and are_equal("x", "x") and not are_equal("x", "y")
    assert not are_equal(lists, lists.assign(score=lists["score"] + 1e-9)) and not are_equal(lists, "x")
    assert not are_equal(lists, lists.astype({"item": "category"})) and not are_equal(lists, lists.iloc[1:])
