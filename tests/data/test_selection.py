"""RankedLists.select and RankedLists.equals."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import BordaCount, RankedLists
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError

pytestmark = pytest.mark.twice

FRAME = make_ranked_lists(n_queries=4, n_voters=4, n_items=12, list_length=6, random_state=0)[0]
FRAME["weight"] = FRAME["voter"].map({"v1": 2.0, "v2": 1.0, "v3": 0.5, "v4": 1.0})
LISTS = RankedLists.from_frame(FRAME)


def subset_of(ids):
    return st.none() | st.lists(st.sampled_from(ids), unique=True, min_size=1)


@given(
    queries=subset_of(LISTS.queries.tolist()),
    voters=subset_of(LISTS.voters.tolist()),
    items=subset_of(LISTS.items.tolist()),
)
@settings(max_examples=80, deadline=None)
def test_select_equals_encoding_the_selected_rows(queries, voters, items):
    rows = FRAME
    for name, ids in (("query", queries), ("voter", voters), ("item", items)):
        rows = rows if ids is None else rows[rows[name].isin(ids)]
    rows = rows.reset_index(drop=True)
    if rows.empty:
        with pytest.raises(InputError, match=r"must match .* together; no list matches all of them"):
            LISTS.select(queries=queries, voters=voters, items=items)
        return
    found, expected = LISTS.select(queries=queries, voters=voters, items=items), RankedLists.from_frame(rows)
    assert found.equals(expected) and expected.equals(found)
    pd.testing.assert_frame_equal(found.to_frame(), expected.to_frame())
    pd.testing.assert_frame_equal(BordaCount().fit_transform(found), BordaCount().fit_transform(expected))


def test_select_accepts_any_collection_and_keeps_the_order_of_lists():
    turned = LISTS.take([3, 1, 0, 2])
    assert turned.select(queries=["q1", "q4", "q2"]).queries.tolist() == ["q4", "q2", "q1"]
    assert turned.select(queries={"q2", "q4"}, voters=("v4", "v1")).queries.tolist() == ["q4", "q2"]
    for voters in (np.array(["v2"], dtype=object), pd.Series(["v2"]), pd.Index(["v2"]), {"v2": 1}, ["v2", "v2"]):
        assert LISTS.select(voters=voters).to_frame()["voter"].unique().tolist() == ["v2"]
    assert LISTS.select() is LISTS
    assert LISTS.select(voters=["v2"]).voters is LISTS.voters
    whole = RankedLists.from_lists({(1, 2): ["a"], (3, 4): ["b"]})
    assert whole.select(voters=[(3, 4)]).n_lists == 1
    as_categories = RankedLists.from_frame(FRAME.astype({"voter": "category"}))
    assert as_categories.select(voters=["v2"]).equals(LISTS.select(voters=["v2"]))


@pytest.mark.parametrize(
    ("ids", "error", "words"),
    [
        (
            {"voters": ["v1", "V2 "]},
            InputError,
            r"`voters` .*; 'V2 ' is not one of them \(did you mean 'v2'\?\)\. Correct",
        ),
        ({"voters": ["x", "y"]}, InputError, r"2 requested ids are not \(the first is 'x'\)\. Correct or drop them"),
        (
            {"queries": [1]},
            InputError,
            r"1 is not one of them \(the ids of the lists are str, .*, the requested .* int",
        ),
        ({"items": ["gene"]}, InputError, "`items` must be among the ids of the lists; 'gene' is not one of them"),
        ({"voters": "v1"}, InputTypeError, r"`voters` must be a list of ids; got 'v1'\. Write voters=\['v1'\]"),
        ({"queries": 1}, InputTypeError, r"`queries` must be a list of ids; got 1"),
        ({"items": []}, InputError, "must match .* together; no list matches all of them"),
        ({"queries": []}, InputError, "at least one position"),
    ],
)
def test_select_rejects_unknown_or_invalid_ids(ids, error, words):
    with pytest.raises(error, match=words):
        LISTS.select(**ids)


def test_equals_detects_every_difference():
    assert LISTS.equals(RankedLists.from_frame(FRAME.sample(frac=1, random_state=0)[::-1].reset_index(drop=True)))
    for other in (
        FRAME.assign(weight=1.0),
        FRAME.drop(columns="score"),
        FRAME.assign(score=FRAME["score"] * (1 + 2**-50)),
        FRAME.assign(rank=FRAME["rank"] // 2 + 1),
        FRAME[FRAME["query"] != "q1"],
        FRAME[FRAME["voter"] != "v1"],
        FRAME.replace({"voter": {"v1": "v0"}}),
        FRAME.replace({"query": {"q1": "q0"}}),
        FRAME.assign(item=FRAME["item"] + "x"),
        FRAME[:-1],
    ):
        changed = RankedLists.from_frame(other.reset_index(drop=True))
        assert not LISTS.equals(changed) and not changed.equals(LISTS)
    assert not LISTS.equals(LISTS.take([1, 0, 2, 3])) and LISTS.take([1, 0]).equals(LISTS.take([1, 0]))
    assert not LISTS.equals(FRAME) and not LISTS.equals(None)


def test_equals_compares_ids_by_value():
    numbers = FRAME.assign(item=FRAME["item"].str[1:].astype("int8"))
    lists = RankedLists.from_frame(numbers)
    for kind in ("int64", "float64", "category"):
        assert lists.equals(RankedLists.from_frame(numbers.astype({"item": kind})))
    assert not lists.equals(RankedLists.from_frame(numbers.astype({"item": str})))
    for kind in (object, "category"):
        again = RankedLists.from_frame(FRAME.astype({"voter": kind, "query": kind}))
        assert again.equals(LISTS) and LISTS.equals(again)
