"""Qrels and EncodedQrels: judgements aligned with lists."""

import pickle
from types import MappingProxyType

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from skrankagg import Qrels, RankedLists
from skrankagg._data._qrels import encode_qrels
from skrankagg.exceptions import NothingJudgedWarning

pytestmark = pytest.mark.twice


def judge(rows):
    return pd.DataFrame(rows, columns=["query", "item", "relevance"])


LISTS = pd.DataFrame(
    {"query": ["p", "p", "q", "q", "r"], "voter": "v", "item": ["a", "b", "a", "c", "a"], "rank": [1, 2, 1, 2, 1]}
)
QRELS = judge([("q", "a", 1), ("q", "z", 3), ("q", "c", 0), ("p", "b", 2), ("s", "a", 1)])


def test_encode_qrels_aligns_grades_with_the_candidates():
    lists = RankedLists.from_frame(LISTS)
    encoded = encode_qrels(Qrels.from_frame(QRELS), lists)
    assert encoded.judged.tolist() == [True, True, False]
    np.testing.assert_array_equal(encoded.relevance, [np.nan, 2, 1, 0, np.nan])  # p: a, b; q: a, c; r: a
    assert encoded.judged_ptr.tolist() == [0, 1, 4, 4]
    assert encoded.best_first.tolist() == [2, 3, 1, 0]


def test_encode_qrels_of_a_subset_equals_the_subset_of_grades():
    lists, qrels = RankedLists.from_frame(LISTS), Qrels.from_frame(QRELS)
    whole, part = encode_qrels(qrels, lists), encode_qrels(qrels, lists[[1]])
    np.testing.assert_array_equal(part.relevance, whole.relevance[2:4])
    assert part.best_first.tolist() == [3, 1, 0]


@pytest.mark.parametrize("dtype", ["category", object, "string"])
@pytest.mark.parametrize("side", ["lists", "qrels"])
def test_encode_qrels_matches_ids_of_different_dtypes_by_value(dtype, side):
    ids = {"query": dtype, "item": dtype}
    lists = RankedLists.from_frame(LISTS.astype(ids) if side == "lists" else LISTS)
    qrels = Qrels.from_frame(QRELS.astype(ids) if side == "qrels" else QRELS)
    np.testing.assert_array_equal(encode_qrels(qrels, lists).relevance, [np.nan, 2, 1, 0, np.nan])


def test_qrels_is_not_a_sequence_and_survives_cloning_and_pickling():
    qrels = Qrels.from_frame(QRELS)
    assert not any(hasattr(qrels, name) for name in ("__len__", "shape", "__array__", "__getitem__"))
    assert clone(qrels, safe=False) is qrels
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(qrels)).to_frame(), qrels.to_frame())
    assert repr(qrels) == "Qrels(n_queries=3, n_judgements=5, n_relevant=4)"


def test_qrels_to_frame_and_from_frame_round_trip():
    frame = Qrels.from_frame(QRELS.sample(frac=1, random_state=0)).to_frame()
    expected = QRELS.sort_values(["query", "item"], ignore_index=True)
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)


REFUSED = {
    "no frame": ({"q": {"a": 1}}, TypeError, "input of Qrels.from_frame must be a data frame"),
    "a missing column": (QRELS.drop(columns="relevance"), ValueError, r"'relevance'.*Qrels.from_frame\(df, relevance="),
    "no rows": (judge([]), ValueError, "has no rows"),
    "a missing item": (judge([("q", None, 1)]), ValueError, "'item' must have an id"),
    "a NaN grade": (judge([("q", "a", np.nan)]), ValueError, "'relevance' must have finite numbers"),
    "a grade in words": (judge([("q", "a", "good")]), ValueError, "'relevance' must have numbers"),
    "a pair judged twice": (judge([("q", "a", 1), ("q", "a", 1)]), ValueError, "judged once.*query 'q', item 'a'"),
}


@pytest.mark.parametrize(("qrels", "kind", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_from_frame_rejects_invalid_judgements(qrels, kind, words):
    with pytest.raises(kind, match=words):
        Qrels.from_frame(qrels)


def test_encode_qrels_rejects_judgements_without_shared_ids():
    numbered = LISTS.assign(query=[1, 1, 2, 2, 3])
    as_words = judge([("1", "a", 1), ("2", "a", 1)])
    with pytest.raises(ValueError, match=r"no query id: the lists have 1, 2, \.\.\., the qrels have '1', '2'"):
        encode_qrels(Qrels.from_frame(as_words), RankedLists.from_frame(numbered))
    numbered_items = RankedLists.from_frame(LISTS.assign(item=LISTS["item"].map(ord)))
    with pytest.raises(ValueError, match=r"share no item id.*numbers never equal strings"):
        encode_qrels(Qrels.from_frame(judge([("p", "A", 1)])), numbered_items)
    with pytest.raises(ValueError, match=r"share no query id: .*Check the ids"):
        encode_qrels(Qrels.from_frame(judge([("P", "a", 1)])), RankedLists.from_frame(LISTS))


def test_encode_qrels_warns_about_lists_without_judged_items():
    with pytest.warns(NothingJudgedWarning, match=r"no judged item.*they have 'a', 'b', .* but the qrels judge"):
        encoded = encode_qrels(Qrels.from_frame(judge([("p", "A", 1)])), RankedLists.from_frame(LISTS))
    assert np.isnan(encoded.relevance).all() and encoded.judged.tolist() == [True, False, False]


def test_html_shows_the_most_relevant_items_of_the_first_query():
    html = Qrels.from_frame(judge([("q", "a", 0), ("q", "b&c", 2), ("r", "d", 3)]))._repr_html_()
    assert html.index("b&amp;c") < html.index(">a<") and ">d<" not in html and "n_relevant=2" in html


def test_encode_qrels_finds_the_grades_of_many_items_in_few_lists():
    # Every query has its own items, so a table of all queries and items would be almost empty.
    n = 60
    lists = RankedLists.from_frame(
        pd.DataFrame({"query": np.arange(n).repeat(2), "voter": "v", "item": np.arange(2 * n), "rank": [1, 2] * n})
    )
    judged = pd.DataFrame({"query": np.arange(0, n, 2), "item": np.arange(1, 2 * n, 4)})
    encoded = encode_qrels(Qrels.from_frame(judged.assign(relevance=judged["query"] + 1)), lists)
    expected = [q + 1 if k == 1 and q % 2 == 0 else np.nan for q in range(n) for k in range(2)]
    np.testing.assert_array_equal(encoded.relevance, expected)


def test_from_dict_reads_any_mapping():
    grades = {"q": {"a": 2, "b": 0}, "p": {"b": 1}}
    found = Qrels.from_dict(MappingProxyType(grades)).to_frame()
    pd.testing.assert_frame_equal(found, Qrels.from_dict(grades).to_frame())
    assert found["relevance"].tolist() == [1, 2, 0]
