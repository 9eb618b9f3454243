"""Components of the comparison graph equal networkx's; several of them cause a warning."""

import warnings

import numpy as np
import pandas as pd
import pytest

from skrankagg import HodgeRank, RankedLists
from skrankagg.exceptions import ExposureWarning, InputError, NotComparedWarning

pytestmark = pytest.mark.twice


def random_board(rng, query):
    """Return rows of a query whose lists may be short, tied, or of weight 0."""
    rows, n_items = [], rng.integers(1, 13)
    # Items of one group are in the same lists, so that the graph often falls apart.
    group = rng.integers(0, rng.integers(1, 5), n_items)
    for voter in range(rng.integers(1, 7)):
        held = np.flatnonzero(group == rng.choice(group)) if rng.random() < 0.8 else np.arange(n_items)
        held = rng.permutation(held)[: rng.integers(1, len(held) + 1)]
        weight = rng.choice([0.0, 0.5, 1.0, 1e-3])
        rank = np.sort(rng.integers(1, len(held) + 1, len(held)))
        rows += [(query, voter, int(item), int(place), weight) for item, place in zip(held, rank, strict=True)]
    return rows


def random_boards(seed, n_boards):
    rng = np.random.default_rng(seed)
    rows = [row for query in range(n_boards) for row in random_board(rng, query)]
    return pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])


def components_of_networkx(networkx, rows, absent):
    """Return the components of a query as sets of items, largest first; equal sizes are sorted by first item."""
    graph, items = networkx.Graph(), set(rows["item"])
    graph.add_nodes_from(items)
    for _, one in rows[rows["weight"] > 0].groupby("voter"):
        held = set(one["item"])
        graph.add_edges_from((a, b) for a in held for b in (items if absent == "last" else held) if a != b)
    return sorted(networkx.connected_components(graph), key=lambda part: (-len(part), min(part)))


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_components_equal_those_of_networkx_on_1000_boards(absent):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed")
    frame = random_boards(0, 1000)
    expected = {query: components_of_networkx(networkx, rows, absent) for query, rows in frame.groupby("query")}
    lists = RankedLists.from_frame(frame)
    table = lists.components(absent)
    found = {
        query: [set(part["item"]) for _, part in rows.groupby("component")] for query, rows in table.groupby("query")
    }
    assert found == expected
    n_components = [len(parts) for parts in expected.values()]
    assert table.groupby("query")["component"].max().tolist() == n_components
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ExposureWarning)
        found = HodgeRank(absent=absent).fit(lists).query_info_
    assert found["n_components"].tolist() == n_components
    several = {query: parts for query, parts in expected.items() if len(parts) > 1}
    assert len(several) > (10 if absent == "last" else 300)
    (warning,) = caught
    assert warning.category is NotComparedWarning
    query, parts = next(iter(several.items()))
    sizes = ", ".join(str(len(part)) for part in parts[:5])
    sizes = f"{sizes} and {len(parts) - 5} more" if len(parts) > 5 else " and ".join(sizes.rsplit(", ", 1))
    words = (
        f"In {len(several)} of 1000 queries the items fall into several components, and each list contains items of "
        f"only one component. Query {query} has {len(parts)} components, "
    )
    assert f"{words}of {sizes} items" in str(warning.message)
    # Without these queries there is no warning; pytest turns any warning into an error.
    HodgeRank(absent=absent).fit(lists.select(queries=sorted(set(expected) - set(several))))


LISTS = RankedLists.from_lists({"u": ["b", "a"], "v": ["a", "c"], "w": ["x", "y"], "z": ["c", "x"]})


def numbers(lists, absent="ignore"):
    return dict(zip(lists.components(absent)["item"], lists.components(absent)["component"], strict=True))


def test_components_ignores_lists_of_weight_0():
    assert set(numbers(LISTS).values()) == {1}
    silent = LISTS.with_list_weight([1.0, 1.0, 1.0, 0.0])
    assert numbers(silent) == {"a": 1, "b": 1, "c": 1, "x": 2, "y": 2}
    assert set(numbers(LISTS).values()) == {1}  # components are not cached across weights
    assert numbers(silent, "last") == dict.fromkeys("abcxy", 1)
    nothing = LISTS.with_list_weight(np.zeros(4))
    for absent in ("last", "ignore"):
        assert numbers(nothing, absent) == {item: k for k, item in enumerate("abcxy", 1)}


def test_components_of_a_query_are_independent_of_other_queries():
    lists = RankedLists.from_frame(random_boards(1, 60))
    for absent in ("last", "ignore"):
        whole = lists.components(absent)
        alone = pd.concat([lists[[k]].components(absent) for k in range(60)], ignore_index=True)
        pd.testing.assert_frame_equal(alone, whole)
        turned = lists.take(np.arange(60)[::-1]).components(absent)
        pd.testing.assert_frame_equal(turned.sort_values(["query", "item"], ignore_index=True), whole)


def test_components_keeps_the_types_of_ids():
    table = RankedLists.from_frame(
        pd.DataFrame({"query": [7, 7], "voter": "v", "item": [2**60 + 1, 2**60], "rank": [1, 2]})
    ).components()
    assert table.dtypes.map(str).tolist() == ["int64", "int64", "int64"]
    assert table["item"].tolist() == [2**60, 2**60 + 1]


def test_components_counts_lists_with_tiny_weights():
    assert numbers(LISTS.with_list_weight([5e-324, 1e300, 1e-300, 1.0])) == dict.fromkeys("abcxy", 1)


@pytest.mark.parametrize("absent", ["Last", None, True])
def test_components_rejects_an_unknown_absent_option(absent):
    with pytest.raises(InputError, match=r"`absent` must be one of 'last', 'ignore'; got "):
        LISTS.components(absent)
