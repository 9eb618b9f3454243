"""The parameter `item_groups` gives each candidate its group, from a dict or from a frame."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import RankedLists
from skrankagg._data._item_groups import read_item_groups
from skrankagg.exceptions import InputError, InputTypeError

pytestmark = pytest.mark.twice


def random_lists(seed=0, n_queries=4, n_items=9):
    """Return lists of two voters with random items, in a frame."""
    rng = np.random.default_rng(seed)
    rows = [
        {"query": f"q{q}", "voter": voter, "item": f"d{item}", "rank": rank}
        for q in range(n_queries)
        for voter in "uv"
        for rank, item in enumerate(rng.permutation(n_items)[:5])
    ]
    return RankedLists.from_frame(pd.DataFrame(rows))


def names(lists, groups):
    """Return a dict of (query, item) to the name of the group, or None."""
    codes = groups.of_candidates(lists)
    assert codes.dtype == np.int32
    query = lists.queries[lists.candidate_query].tolist()
    item = lists.items[lists.candidate_item].tolist()
    found = [None if code < 0 else groups.groups[code] for code in codes]
    return dict(zip(zip(query, item, strict=True), found, strict=True))


def test_a_dict_gives_the_same_groups_to_all_queries():
    lists = random_lists()
    mapping = {f"d{k}": "abc"[k % 3] for k in range(7)} | {"elsewhere": "z", "d8": None}
    groups = read_item_groups(mapping)
    assert list(groups.groups) == ["a", "b", "c", "z"]
    found = names(lists, groups)
    assert found == {(query, item): mapping.get(item) for query, item in found}
    assert set(found.values()) == {"a", "b", "c", None}


@pytest.mark.parametrize("seed", range(3))
def test_a_frame_gives_each_query_its_groups(seed):
    lists = random_lists(seed)
    rng = np.random.default_rng(seed)
    rows = [(f"q{q}", f"d{k}", int(rng.integers(3))) for q in range(1, 6) for k in range(12) if rng.random() < 0.7]
    frame = pd.DataFrame(rows, columns=["query", "item", "group"]).sample(frac=1, random_state=seed)
    truth = {(query, item): group for query, item, group in rows}
    found = names(lists, read_item_groups(frame))
    assert found == {key: truth.get(key) for key in found}
    assert set(found.values()) == {0, 1, 2, None}
    chosen = lists[[3, 1]]  # other order of the queries
    assert names(chosen, read_item_groups(frame)) == {
        key: group for key, group in found.items() if key[0] in ("q1", "q3")
    }


def test_a_frame_without_queries_is_read_like_a_dict():
    lists = random_lists()
    mapping = {f"d{k}": k % 2 for k in range(6)}
    frame = pd.DataFrame({"docno": list(mapping), "group": list(mapping.values()), "note": "x"})
    assert names(lists, read_item_groups(frame)) == names(lists, read_item_groups(mapping))


def test_missing_groups_of_a_frame_are_no_group():
    frame = pd.DataFrame({"item": ["d0", "d1"], "group": [np.nan, 2.0]})
    found = names(random_lists(), read_item_groups(frame))
    assert {group for (_, item), group in found.items() if item == "d0"} == {None}
    assert {group for (_, item), group in found.items() if item == "d1"} == {2.0}


def test_frames_of_polars():
    polars = pytest.importorskip("polars")
    frame = {"query": ["q0", "q1"], "item": ["d0", "d1"], "group": ["x", "y"]}
    lists = random_lists()
    expected = names(lists, read_item_groups(pd.DataFrame(frame)))
    assert names(lists, read_item_groups(polars.DataFrame(frame))) == expected
    assert names(lists, read_item_groups(polars.LazyFrame(frame))) == expected


def test_items_that_are_tuples():
    groups = read_item_groups({("a", 1): "x", ("b", 2): "y"})
    assert len(groups.items) == 2 and list(groups.groups) == ["x", "y"]


def test_query_of_other_queries_has_no_groups():
    frame = pd.DataFrame({"query": ["elsewhere"], "item": ["d0"], "group": ["x"]})
    assert set(names(random_lists(), read_item_groups(frame)).values()) == {None}


@pytest.mark.parametrize(
    "given, error, message",
    [
        (None, InputTypeError, "must be a dict of item to group"),
        (["a", "b"], InputTypeError, "must be a dict of item to group"),
        ({}, InputError, "at least one item; got an empty dict"),
        ({"d0": None}, InputError, "every group is missing"),
        ({"q0": {"d0": "x"}}, InputTypeError, "columns 'query', 'item' and 'group'"),
        ({"d0": "x", "d1": 3}, InputTypeError, "groups that can be sorted"),
        (pd.DataFrame({"item": ["d0"]}), InputError, "columns 'item' and 'group'; its columns are"),
        (pd.DataFrame({"item": ["d0", None], "group": ["x", "y"]}), InputError, "must have an id in every row"),
        (
            pd.DataFrame({"query": ["q0"] * 3, "item": ["d0", "d1", "d0"], "group": ["x", "x", "y"]}),
            InputError,
            r"1 rows repeat an item \(the first is item 'd0' of query 'q0'\)",
        ),
        (pd.DataFrame({"item": ["d0", "d0"], "group": ["x", "x"]}), InputError, r"the first is item 'd0'\). Keep"),
        (pd.DataFrame({"item": [], "group": []}), InputError, "at least one row"),
    ],
)
def test_refused(given, error, message):
    with pytest.raises(error, match=message):
        read_item_groups(given)


def test_types_of_ids_that_never_match_are_refused():
    lists = random_lists()
    with pytest.raises(InputError, match=r"share no item id: the lists have .d0., .d1., ..., and item_groups has 0, 1"):
        read_item_groups({0: "x", 1: "y"}).of_candidates(lists)
    frame = pd.DataFrame({"query": [7], "item": ["d0"], "group": ["x"]})
    with pytest.raises(InputError, match="share no query id"):
        read_item_groups(frame).of_candidates(lists)
    assert (read_item_groups({"other": "x"}).of_candidates(lists) == -1).all()
