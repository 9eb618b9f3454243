"""Randomly damaged files: all rows are read, or a one-sentence error names the file and the place."""

import gzip
import json
import random
import warnings

import pytest
from fuzzing import KINDS, damaged_file, fault, make_file

from skrankagg.datasets import read_lists

FILES = 2000  # benchmarks/fuzz_files.py reads more


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(4))
def test_readers_read_damaged_files_completely_or_name_the_fault(tmp_path, part):
    failures, n_read = [], 0
    for number in range(part, FILES, 4):
        file = damaged_file(0, number)
        found, is_read = fault(file, tmp_path / file.kind)
        n_read += is_read
        if found is not None:
            failures.append(f"python benchmarks/fuzz_files.py --files 1 --first {number}: {found}")
    assert not failures
    assert 0.3 < n_read / (FILES / 4) < 0.7  # damage is neither harmless nor fatal


def test_damaged_file_is_reproducible():
    for number in range(60):
        if not KINDS[number % len(KINDS)].endswith("parquet"):
            assert damaged_file(1, number) == damaged_file(1, number)
    assert damaged_file(1, 0) != damaged_file(2, 0)


def lossy(frame):
    return frame.iloc[1:]


def altered(frame):
    return frame.assign(item=frame["item"] + "x")


def rounded(frame):
    return frame.assign(score=frame["score"] + 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lossy, "1 rows were read of 2"),
        (altered, "the item is not a column of the file"),
        (rounded, "the score is not a column of the file"),
        (KeyError("x"), "KeyError: 'x'"),
        (ValueError("bad"), "ValueError: bad"),
        (UserWarning, "UserWarning: bad"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "trec", "packed"])
def test_fault_detects_wrong_results(tmp_path, change, words, kind):
    data = b"q Q0 a 1 2.5 t\nq Q0 b 2 1.5 t\n" if kind == "trec" else b"query,item,score\nq,a,2.5\n\nq,b,1\n"
    file = damaged_file(0, KINDS.index("lists-trec" if kind == "trec" else "lists-csv"))
    file.data, file.options = gzip.compress(data) if kind == "packed" else data, {}
    assert fault(file, tmp_path / "x") == (None, True)

    def reader(path, **options):
        if isinstance(change, Exception):
            raise change
        if change is UserWarning:
            warnings.warn("bad", change, stacklevel=2)
            return None
        return change(read_lists(path, **options))

    file.reader = reader
    assert fault(file, tmp_path / "x")[0].startswith(words)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", KINDS)
def test_make_file_returns_valid_files(tmp_path, kind):
    n_read = 0
    for seed in range(20):
        file = make_file(random.Random(seed), kind)
        found, is_read = fault(file, tmp_path / "x")
        assert found is None
        n_read += is_read
    assert n_read > (5 if kind.endswith(("json", "jsonl", "parquet")) else 19)  # which are damaged as they are made


def test_fault_counts_the_leaves_of_json(tmp_path):
    file = damaged_file(0, KINDS.index("lists-json"))
    file.data, file.options = json.dumps({"v": {"q": {"a": 1, "b": 2}, "p": {}}}).encode(), {}
    assert fault(file, tmp_path / "x") == (None, True)
    file.reader = lambda path: read_lists(path).iloc[1:]
    assert fault(file, tmp_path / "x")[0] == "1 rows were read of 2"
