"""Ids that differ only in case or blanks cause one warning that names them; they are never merged."""

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
def test_similar_ids_cause_one_warning_with_examples_of_each_kind(dtype):
    lists, messages = warned(RankedLists.from_frame, FRAME.astype(dict.fromkeys(["query", "voter", "item"], dtype)))
    (message,) = messages
    assert "'Q1 ' and 'q1' of the queries" in message and "'BM25' and 'bm25 ' of the voters" in message
    assert "'New York' and 'new  york' and 1 more of the items" in message and "pass strip=True" in message
    assert (lists.n_queries, lists.n_voters, lists.n_items) == (2, 3, 4)


def test_every_constructor_and_estimator_warns_once_about_similar_ids():
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
def test_from_frame_does_not_warn_about_clearly_different_ids(items):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": items, "rank": np.arange(len(items))})
    assert warned(RankedLists.from_frame, frame)[1] == []


@pytest.mark.parametrize("pair", [("a", "A"), ("a", " a"), ("a", "a\t"), ("a b", "a  B"), ("a\nb", "a b"), ("ß", "SS")])
def test_from_lists_warns_about_ids_that_differ_in_case_or_blanks(pair):
    items = [*pair, "x", "y z", "w"]
    _, messages = warned(RankedLists.from_lists, [items])
    assert len(messages) == 1 and all(repr(one) in messages[0] for one in pair)


def test_similar_ids_are_not_searched_beyond_the_limit():
    for n, expected in ((MOST_IDS, 1), (MOST_IDS + 1, 0)):
        items = ["x", "X", *(f"d{k}" for k in range(n - 2))]
        frame = pd.DataFrame({"query": "q", "voter": "v", "item": items, "rank": np.arange(n)})
        assert len(warned(RankedLists.from_frame, frame)[1]) == expected


def test_from_frame_with_strip_does_not_warn_about_blanks():
    rows = FRAME.assign(item=["TP53", "New York", "tp63", "York"], query="q", voter=["BM25", "BM25", "dense", " dense"])
    assert len(warned(RankedLists.from_frame, rows)[1]) == 1
    assert warned(RankedLists.from_frame, rows, strip=True)[1] == []
