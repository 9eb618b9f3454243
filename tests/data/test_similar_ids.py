"""Ids that differ in case or blanks only: one warning that names them, and nothing is put together."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skrankagg import BordaCount, RankedLists
from skrankagg._data._similar_ids import MOST_IDS
from skrankagg.exceptions import SimilarIdsWarning

pytestmark = pytest.mark.twice

FRAME = pd.DataFrame(
    {
        "query": ["q1", "q1", "q1", "Q1 "],
        "voter": ["BM25", "BM25", "bm25 ", "dense"],
        "item": ["TP53", "New York", "tp53", "new  york"],
        "rank": [1, 2, 1, 1],
    }
)


def warned(call, *args, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call(*args, **options)
    return result, [str(one.message) for one in caught if one.category is SimilarIdsWarning]


@pytest.mark.parametrize("dtype", ["str", object, "category"])
def test_one_warning_names_the_first_two_of_each_kind(dtype):
    lists, messages = warned(RankedLists.from_frame, FRAME.astype(dict.fromkeys(["query", "voter", "item"], dtype)))
    (message,) = messages
    assert "'Q1 ' and 'q1' of the queries" in message and "'BM25' and 'bm25 ' of the voters" in message
    assert "'New York' and 'new  york' and 1 more of the items" in message and "pass strip=True" in message
    assert (lists.n_queries, lists.n_voters, lists.n_items) == (2, 3, 4)


def test_every_way_in_warns_once_and_so_does_an_estimator():
    for call, given in (
        (RankedLists.from_lists, {"u": ["a", "b"], "U": ["b"]}),
        (RankedLists.from_wide, pd.DataFrame({"u": ["a", "A"]})),
        (RankedLists.from_runs, {"u": {"q": ["a"], "Q": ["a"]}}),
        (RankedLists.from_ballots, ["A > a"]),
        (BordaCount().fit_transform, FRAME),
    ):
        assert len(warned(call, given)[1]) == 1, call


@pytest.mark.parametrize(
    "items",
    [
        ["a", "b", "a b", "ab", "b a"],
        ["", "a"],
        [1, 2],
        [1.5, 2.5],
        pd.to_datetime(["2020-01-01", "2020-01-02"]),
        [b"a", b"A"],
        ["straße", "strasse2"],
    ],
)
def test_ids_that_differ_in_more_are_quiet(items):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": items, "rank": np.arange(len(items))})
    assert warned(RankedLists.from_frame, frame)[1] == []


@pytest.mark.parametrize("pair", [("a", "A"), ("a", " a"), ("a", "a\t"), ("a b", "a  B"), ("a\nb", "a b"), ("ß", "SS")])
def test_ids_that_differ_in_case_or_blanks_are_found_among_others(pair):
    items = [*pair, "x", "y z", "w"]
    _, messages = warned(RankedLists.from_lists, [items])
    assert len(messages) == 1 and all(repr(one) in messages[0] for one in pair)


def test_more_ids_than_the_limit_are_not_compared():
    for n, expected in ((MOST_IDS, 1), (MOST_IDS + 1, 0)):
        items = ["x", "X", *(f"d{k}" for k in range(n - 2))]
        frame = pd.DataFrame({"query": "q", "voter": "v", "item": items, "rank": np.arange(n)})
        assert len(warned(RankedLists.from_frame, frame)[1]) == expected


def test_stripped_ids_are_quiet():
    rows = FRAME.assign(item=["TP53", "New York", "tp63", "York"], query="q", voter=["BM25", "BM25", "dense", " dense"])
    assert len(warned(RankedLists.from_frame, rows)[1]) == 1
    assert warned(RankedLists.from_frame, rows, strip=True)[1] == []
