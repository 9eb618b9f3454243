"""PrefLib files and the models of rankings."""

import gzip
import io
import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest

from skrankagg import Kemeny, RankedLists
from skrankagg.aggregators import kemeny_score, pairwise_preferences
from skrankagg.datasets import make_mallows, make_plackett_luce, read_preflib

NEW = """# FILE NAME: lunch.toi
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# NUMBER VOTERS: 7
# NUMBER UNIQUE ORDERS: 2
# ALTERNATIVE NAME 1: pea soup, hot
# ALTERNATIVE NAME 2: rice: fried
# ALTERNATIVE NAME 3: cake
# ALTERNATIVE NAME 4: tea
5: 3,{1,2}
2: {2,3},1
"""
OLD = """4
1,pea soup, hot
2,rice: fried
3,cake
4,tea
7,7,2
5,3,{1,2}
2,{2,3},1
"""


def write(folder, text, name="lunch.toi"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text", [NEW, OLD, NEW.replace("\n", "\r\n"), "\ufeff" + NEW], ids=["new", "old", "crlf", "bom"]
)
def test_read_preflib_accepts_old_and_new_headers(tmp_path, text):
    lists, alternatives = read_preflib(write(tmp_path, text), return_alternatives=True)
    expected = pd.DataFrame(
        {
            "query": "lunch",
            "voter": ["v1"] * 3 + ["v2"] * 3,
            "item": ["cake", "pea soup, hot", "rice: fried", "rice: fried", "cake", "pea soup, hot"],
            "rank": [1, 2, 2, 1, 1, 3],
            "weight": [5.0] * 3 + [2.0] * 3,
        }
    ).astype(dict.fromkeys(["query", "voter", "item"], str))
    pd.testing.assert_frame_equal(lists, expected)
    assert alternatives["name"].tolist() == ["pea soup, hot", "rice: fried", "cake", "tea"]
    numbered = read_preflib(write(tmp_path, text), with_names=False)
    assert numbered["item"].tolist() == [3, 1, 2, 2, 3, 1] and numbered["item"].dtype == np.int64


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("5: 3,{1,2}", "5: 3,{1,2", "line 10 is '5: 3,{1,2' instead of a number, the separator ':' and an order"),
        ("5: 3,{1,2}", "x: 3,{1,2}", "line 10 has 'x' instead of a whole number"),
        ("5: 3,{1,2}", "5: 3,{1,3}", "line 10 contains the alternative 3 twice"),
        ("5: 3,{1,2}", "5: 3,9", "line 10 contains the alternative 9, which is not in the header"),
        ("TYPE: toi", "TYPE: cat", "line 2 names the data type 'cat'; supported are soc, soi, toc, toi"),
        ("5: 3,{1,2}\n2: {2,3},1\n", "", "without any ballot"),
    ],
)
def test_read_preflib_names_bad_lines(tmp_path, old, new, words):
    with pytest.raises(ValueError) as error:
        read_preflib(write(tmp_path, NEW.replace(old, new)))
    assert words in str(error.value) and "lunch.toi" in str(error.value)


def test_read_preflib_rejects_repeated_names_and_empty_files(tmp_path):
    with pytest.raises(ValueError, match=r"'cake' twice.* with_names=False"):
        read_preflib(write(tmp_path, NEW.replace("tea", "cake")))
    with pytest.raises(ValueError, match="empty file"):
        read_preflib(write(tmp_path, "\n"))
    with pytest.raises(ValueError, match="line 1 begins a header that names no alternatives"):
        read_preflib(write(tmp_path, "# DATA TYPE: toi\n5: 1,2\n"))
    with pytest.raises(ValueError, match="line 3 is '2 b' instead of a number, a comma and a name"):
        read_preflib(write(tmp_path, "2\n1,a\n2 b\n1,1,1\n1,1,2\n"))
    with pytest.raises(TypeError, match=r"a path, an open file, or a sequence of them; got \[3\]"):
        read_preflib([3])


def test_read_preflib_reads_several_files_as_several_queries(tmp_path):
    paths = [write(tmp_path, NEW), write(tmp_path, OLD, "dinner.toi")]
    assert read_preflib(paths)["query"].unique().tolist() == ["lunch", "dinner"]
    with pytest.raises(ValueError, match="files of different names"):
        read_preflib([paths[0], paths[0]])


@pytest.mark.parametrize("text", [NEW, OLD], ids=["new", "old"])
def test_read_preflib_reads_open_files_and_bytes(tmp_path, text):
    path = write(tmp_path, text)
    expected = read_preflib(path, return_alternatives=True)
    for mode in ("r", "rb"):
        with open(path, mode) as stream:
            found = read_preflib(stream, return_alternatives=True)
        for mine, theirs in zip(found, expected, strict=True):
            pd.testing.assert_frame_equal(mine, theirs)
    with gzip.open(tmp_path / "packed.toi.gz", "wt", encoding="utf-8") as stream:
        stream.write(text)
    with open(tmp_path / "packed.toi.gz", "rb") as stream:
        assert read_preflib(stream)["query"].unique().tolist() == ["packed"]
    unnamed = expected[0].assign(query=pd.Series("q", index=expected[0].index, dtype=str))
    for given in (io.StringIO(text), io.BytesIO(text.encode()), text.encode(), gzip.compress(text.encode()), str(path)):
        pd.testing.assert_frame_equal(read_preflib(given), expected[0] if isinstance(given, str) else unnamed)
    with open(path, encoding="utf-8") as stream:
        several = read_preflib([stream, io.StringIO(text)])
    assert several["query"].unique().tolist() == ["lunch", "q"]


def test_read_preflib_names_the_bad_line_of_an_open_file(tmp_path):
    text = NEW.replace("2: {2,3},1", "2: {2,3},9")
    with (
        open(write(tmp_path, text), encoding="utf-8") as stream,
        pytest.raises(ValueError, match=r"lunch\.toi': line 11 contains the alternative 9"),
    ):
        read_preflib(stream)
    with pytest.raises(ValueError, match=r"'<stream>': line 11 contains the alternative 9"):
        read_preflib(text.encode())
    with pytest.raises(ValueError, match="'<stream>': expected UTF-8 text, got the byte 0xff on line 1"):
        read_preflib(b"\xff")
    with pytest.raises(ValueError, match="files of different names"):
        read_preflib([io.StringIO(text.replace("9", "1")), io.StringIO(NEW)])


def proven_optimum(folder, name, reference):
    """Return the Kemeny score of a file and the constant for alternatives that no ballot ranks."""
    lists, alternatives = read_preflib(folder / name, with_names=False, return_alternatives=True)
    consensus, info = Kemeny(method="exact", time_limit=60).aggregate(lists)
    n_items, n_never = consensus["item"].nunique(), len(alternatives) - consensus["item"].nunique()
    assert n_items + n_never == reference["n"]
    ballots = lists.groupby("voter")["weight"].agg(["first", "size"])
    # Of a vote's ties: never ranked with each other, and with those that it leaves out.
    apart = ballots["first"] * (n_never * (n_never - 1) / 2 + n_never * (n_items - ballots["size"]))
    prefer, tied = pairwise_preferences(lists)
    rank = consensus.sort_values("item")["rank"]
    assert kemeny_score(rank, prefer, tied) == pytest.approx(info.loc[0, "kemeny_score"])
    return info.loc[0], apart.sum() / 2


def test_kemeny_exact_reaches_the_optima_of_preflib(shared_data):
    folder = shared_data / "preflib"
    instances = json.loads((folder / "optimal_kemeny.json").read_text())["instances"]
    quick = {name: reference for name, reference in instances.items() if reference["n"] <= 130}
    assert len(quick) > 15
    for name, reference in quick.items():
        info, apart = proven_optimum(folder, name, reference)
        assert info["optimal"], name
        assert info["kemeny_score"] + apart == pytest.approx(reference["optimum"], abs=1e-6), name


@pytest.mark.exhaustive
def test_read_preflib_reads_every_ranking_of_the_reference_data(shared_data):
    folder = shared_data / "preflib"
    paths = sorted(path for path in folder.iterdir() if path.suffix in {".soc", ".soi", ".toc", ".toi"})
    sizes = {
        name: one["n"] for name, one in json.loads((folder / "optimal_kemeny.json").read_text())["instances"].items()
    }
    assert len(paths) == 28 and {path.name for path in paths} == set(sizes)
    for path in paths:
        lists, alternatives = read_preflib(path, return_alternatives=True)
        lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        ballots = [line.partition(":") for line in lines if line and not line.startswith("#")]
        ballots = [(int(count), re.findall(r"\d+", order)) for count, _, order in ballots]
        assert len(alternatives) == sizes[path.name]
        assert lists.groupby("voter").size().tolist() == [len(items) for _, items in ballots if items]
        assert lists.groupby("voter")["weight"].first().tolist() == [count for count, items in ballots if items]
        numbered = read_preflib(path, with_names=False)
        assert numbered["item"].tolist() == [int(item) for _, items in ballots for item in items]
        assert alternatives.set_index("number")["name"].loc[numbered["item"]].tolist() == lists["item"].tolist()
        assert RankedLists.from_frame(lists).n_rows == len(lists)


# ---------------------------------------------------------------------- models


def test_make_mallows_draws_orders_with_their_defined_probabilities():
    phi, n = 0.6, 4
    lists, centre = make_mallows(n_voters=20_000, n_items=n, phi=phi, return_centre=True, random_state=0)
    place = {item: k for k, item in enumerate(centre["item"])}
    orders = lists["item"].map(place).to_numpy().reshape(-1, n)
    found = pd.Series(map(tuple, orders)).value_counts(normalize=True)
    weight = {
        order: phi ** sum(a > b for a, b in itertools.combinations(order, 2))
        for order in itertools.permutations(range(n))
    }
    total = sum(weight.values())
    for order, one in weight.items():
        assert found.get(order, 0) == pytest.approx(one / total, abs=5 * (one / total / 20_000) ** 0.5)


def test_make_plackett_luce_draws_orders_with_their_defined_probabilities():
    worth = np.array([1.0, 2.0, 4.0])
    lists = make_plackett_luce(n_voters=20_000, worth=worth, random_state=1)
    orders = lists["item"].str[1:].astype(int).to_numpy().reshape(-1, 3) - 1
    found = pd.Series(map(tuple, orders)).value_counts(normalize=True)
    for i, j, k in itertools.permutations(range(3)):
        expected = worth[i] / worth.sum() * worth[j] / (worth[j] + worth[k])
        assert found[i, j, k] == pytest.approx(expected, abs=0.015)


def test_make_mallows_and_make_plackett_luce_apply_seed_and_list_length():
    for make in (make_mallows, make_plackett_luce):
        lists = make(n_queries=2, n_voters=3, n_items=5, list_length=2, random_state=3)
        assert lists.groupby(["query", "voter"]).size().tolist() == [2] * 6
        pd.testing.assert_frame_equal(lists, make(n_queries=2, n_voters=3, n_items=5, list_length=2, random_state=3))
    uniform = make_mallows(phi=1.0, n_voters=4000, n_items=3, random_state=0)["item"].to_numpy().reshape(-1, 3)
    counts = pd.Series(map(tuple, uniform)).value_counts()
    assert len(counts) == 6 and counts.min() > 550
    _, worth = make_plackett_luce(n_items=3, return_worth=True, random_state=0)
    assert (worth["worth"] > 0).all()


@pytest.mark.parametrize(
    ("make", "wrong", "words"),
    [
        (make_mallows, {"phi": 1.5}, "`phi` must be from 0 to 1; got 1.5"),
        (make_mallows, {"n_items": 0}, "`n_items` must be a whole number of at least 1; got 0"),
        (make_mallows, {"list_length": 30}, "`list_length` must be a whole number from 1 to n_items=20"),
        (make_plackett_luce, {"worth": [1, 0]}, "finite numbers above 0"),
        (make_plackett_luce, {"spread": -1}, "`spread` must be a finite number of at least 0"),
    ],
)
def test_make_mallows_and_make_plackett_luce_reject_invalid_parameters(make, wrong, words):
    with pytest.raises(ValueError) as error:
        make(**wrong)
    assert words in str(error.value)


def test_read_preflib_accepts_a_header_without_the_number_of_alternatives(tmp_path):
    short = NEW.replace("# NUMBER ALTERNATIVES: 4\n", "")
    assert short != NEW
    pd.testing.assert_frame_equal(read_preflib(write(tmp_path, short)), read_preflib(write(tmp_path, NEW)))
