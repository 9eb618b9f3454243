"""The generator of FLAGR's test data, compared with the data, the C library and the C++ program."""

import hashlib

import numpy as np
import pandas as pd
import pytest

from skrankagg.datasets import make_rasdagen
from skrankagg.datasets._rasdagen import _glibc_rand

FESO = {"n_queries": 20, "n_voters": 10, "list_length": 30, "n_items": 30, "bias": 3, "threshold": 7}


def flagr_files(lists, qrels):
    """Return the lines of FLAGR's three example files."""
    ranked, plain, labels = [], [], []
    for query, voter, item, rank, score in lists.itertuples(index=False):
        ranked.append(f"{query},{voter},{item},{rank},{score:.5f},SyntheticMOSO\n")
        plain.append(f"{query},{voter},{item},{score:.5f},SyntheticMOSO\n")
    for query, item, relevance in qrels.itertuples(index=False):
        labels.append(f"{query},0,{item},{relevance}\n")
    return {"testdata_ranked.csv": ranked, "testdata.csv": plain, "testdata_qrels.csv": labels}


def sha256(lines):
    return hashlib.sha256("".join(lines).encode()).hexdigest()


# The first row is in every textbook; the others were drawn with glibc. 0 means 1, and large seeds are negative.
@pytest.mark.parametrize(
    ("seed", "values"),
    [
        (1, [1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386, 1649760492]),
        (0, [1804289383, 846930886, 1681692777, 1714636915]),
        (42, [71876166, 708592740, 1483128881, 907283241]),
        (2**31 - 1, [1065668062, 2142264300, 1066566375, 1064012770]),
        (2**31, [1336741213, 1210407648, 1447044896, 337392383]),
        (2**32 - 1, [254925627, 1205188300, 366127624, 1401405153]),
    ],
)
def test_glibc_rand_equals_glibc(seed, values):
    assert _glibc_rand(seed, len(values)).tolist() == values


def test_glibc_rand_equals_glibc_at_the_ten_thousandth_number():
    assert _glibc_rand(1, 10_000)[-1] == 1908609430


def test_make_rasdagen_defaults_have_the_hashes_of_flagrs_files():
    files = {name: sha256(lines) for name, lines in flagr_files(*make_rasdagen()).items()}
    assert files == {
        "testdata_ranked.csv": "b2870aa807c48f85b7cf19fdc6d3786691224b31f88a823bf51afb8705d92c35",
        "testdata.csv": "f68fb045d5f0a6beb547a4392c22816d23d96def18bc17c68462cabf883977ff",
        "testdata_qrels.csv": "a6d2306f193849093b58099680f4a77303cb676eb4c9cb8c11c130f7abe01650",
    }


def test_make_rasdagen_defaults_equal_flagrs_files(shared_data):
    for name, lines in flagr_files(*make_rasdagen()).items():
        assert "".join(lines) == (shared_data / "flagr" / name).read_text()


def test_make_rasdagen_equals_the_output_of_the_c_program():
    lists, qrels = make_rasdagen(**FESO)
    rows = [f"{q},{v},{i},{r},{s:.5f}\n" for q, v, i, r, s in lists.itertuples(index=False)]
    assert sha256(rows) == "3ab1a3bac2215cb2fcc46972e2c8717e4b997ab8efa5e61b11d78f7fa4c14c00"
    labels = [f"{q},{i},{r}\n" for q, i, r in qrels.itertuples(index=False)]
    assert sha256(labels) == "9acda6b0cb24b3ed872dfafd886782607cabad5ddb6079d77dba1bb6b24ca30e"


def test_make_rasdagen_with_fractional_bias_equals_the_output_of_the_c_program():
    lists, qrels = make_rasdagen(
        n_queries=2, n_voters=2, list_length=2, n_items=3, bias=2.5, threshold=3.5, random_state=7
    )
    assert lists["item"].tolist() == ["Q1-E3", "Q1-E2", "Q2-E1", "Q2-E3", "Q1-E3", "Q1-E2", "Q2-E1", "Q2-E2"]
    assert qrels["item"].tolist() == ["Q1-E3", "Q1-E2", "Q1-E1", "Q2-E1", "Q2-E2", "Q2-E3"]
    assert qrels["relevance"].tolist() == [1, 1, 1, 1, 0, 1]


def test_make_rasdagen_returns_canonical_frames():
    lists, qrels = make_rasdagen(n_queries=2, n_voters=3, list_length=2, n_items=4)
    assert lists.columns.tolist() == ["query", "voter", "item", "rank", "score"]
    assert qrels.columns.tolist() == ["query", "item", "relevance"]
    assert [lists[name].dtype for name in ("rank", "score")] == [np.int64, np.float64]
    assert qrels["relevance"].dtype == np.int64
    for frame in (lists, qrels):
        assert isinstance(frame.index, pd.RangeIndex)
        assert pd.api.types.is_string_dtype(frame["query"])


def test_make_rasdagen_lists_no_item_twice_and_judges_each_item_once():
    lists, qrels = make_rasdagen(n_queries=3, n_voters=4, list_length=7, n_items=7, random_state=5)
    assert not lists.duplicated(["query", "voter", "item"]).any()
    assert set(zip(lists["query"], lists["item"], strict=True)) == set(zip(qrels["query"], qrels["item"], strict=True))
    assert not qrels.duplicated().any()


def test_make_rasdagen_default_labels_are_independent_of_the_lists():
    _, qrels = make_rasdagen()
    n_shuffled = 20 * 50 * 100
    noise = _glibc_rand(1, n_shuffled + 2000)[n_shuffled:] % 9 >= 5
    assert qrels["relevance"].tolist() == noise.tolist()


def test_make_rasdagen_labels_follow_the_lists_with_a_large_bias():
    lists, qrels = make_rasdagen(n_voters=1, bias=9, threshold=4.5)
    points = lists.set_index(["query", "item"])["score"]
    expected = [9 * points.get((q, i), 0) > 4.5 for q, i in zip(qrels["query"], qrels["item"], strict=True)]
    assert qrels["relevance"].tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"list_length": 101}, "`list_length` must be at most `n_items`, 100; got 101"),
        ({"bias": 9.5}, "`bias` must be a number from 0 to 9; got 9.5"),
        ({"bias": -1}, "`bias` must be a number from 0 to 9; got -1"),
        ({"bias": float("nan")}, "`bias` must be a number from 0 to 9; got nan"),
        ({"threshold": float("inf")}, "`threshold` must be a finite number; got inf"),
        ({"n_queries": 0}, "`n_queries` must be a whole number of at least 1; got 0"),
        ({"n_voters": 2.0}, "`n_voters` must be a whole number of at least 1; got 2.0"),
        ({"n_items": True}, "`n_items` must be a whole number of at least 1; got True"),
        ({"list_length": "a"}, "`list_length` must be a whole number of at least 1; got 'a'"),
        ({"random_state": -1}, "`random_state` must be an int from 0 to 2**32 - 1, the seed of srand(); got -1"),
    ],
)
def test_make_rasdagen_rejects_input_that_crashes_the_program(arguments, message):
    with pytest.raises(ValueError) as caught:
        make_rasdagen(**arguments)
    assert message in str(caught.value)
