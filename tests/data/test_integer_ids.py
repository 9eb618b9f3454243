"""Every constructor keeps the type of integer ids next to missing ids, however large they are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import duels
from skrankagg import RankedLists
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.twice

LARGE = 2**53
IDS = st.integers(-3, 3) | st.integers(LARGE - 2, LARGE + 6) | st.integers(2**63 - 4, 2**63 - 1)
PLACES = st.lists(IDS, min_size=1, max_size=6, unique=True).flatmap(
    lambda ids: st.lists(st.booleans(), min_size=len(ids), max_size=len(ids)).map(
        lambda gaps: [one for id, gap in zip(ids, gaps, strict=True) for one in ([None, id] if gap else [id])]
    )
)


def check(lists, given):
    """Check that each list contains its integers in order, without missing ids."""
    assert lists.items.dtype == np.int64
    found = {voter: by_query["q"] for voter, by_query in lists.to_runs().items()}
    assert found == {voter: [one for one in places if one is not None] for voter, places in given.items()}
    assert lists.items.tolist() == sorted({one for places in found.values() for one in places})


def as_table(library, columns):
    n = max(map(len, columns.values()))
    columns = {name: one + [None] * (n - len(one)) for name, one in columns.items()}
    if library == "pandas":
        return pd.DataFrame({name: pd.array(one, dtype="Int64") for name, one in columns.items()})
    module = pytest.importorskip(library)
    if library == "pyarrow":
        return module.table({name: module.array(one, module.int64()) for name, one in columns.items()})
    return module.DataFrame({name: module.Series(one, dtype=module.Int64) for name, one in columns.items()})


@pytest.mark.exhaustive
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@given(data=st.dictionaries(st.sampled_from("uvw"), PLACES, min_size=1))
@settings(max_examples=60, deadline=None)
def test_constructors_keep_integer_ids_next_to_missing_ids(library, data):
    check(RankedLists.from_wide(as_table(library, data), missing_ids="drop"), data)
    check(RankedLists.from_lists(data, missing_ids="drop"), data)
    check(RankedLists.from_lists({v: np.array(one, dtype=object) for v, one in data.items()}, missing_ids="drop"), data)
    check(RankedLists.from_runs({v: {"q": one} for v, one in data.items()}, missing_ids="drop"), data)
    rows = [(v, one, place) for v, places in data.items() for place, one in enumerate(places)]
    voters, ids, ranks = zip(*rows, strict=True)
    own = as_table(library, {"item": list(ids), "rank": list(ranks)})
    frame = own.append_column("voter", [list(voters)]) if library == "pyarrow" else own.insert_column(
        0, pytest.importorskip("polars").Series("voter", voters))  # fmt: skip
    check(RankedLists.from_frame(frame, query=None, missing_ids="drop"), data)
    masked = RankedLists.from_wide(as_table("pandas", data), missing_ids="drop")
    assert masked.items.dtype == "Int64" and masked.items.tolist() == sorted({one for one in ids if one is not None})


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("dtype", ["int8", "int32", "uint16", "uint64"])
def test_from_wide_keeps_the_width_of_integer_ids(library, dtype):
    module = pytest.importorskip(library)
    name = {"polars": {"int8": "Int8", "int32": "Int32", "uint16": "UInt16", "uint64": "UInt64"}[dtype]}.get(
        library, dtype
    )
    kind = getattr(module, name) if library == "polars" else getattr(module, name)()
    top = np.iinfo(dtype).max
    for places in ([int(top), 1, None, int(top) - 1], [int(top), 1, int(top) - 1, None]):
        if library == "polars":
            table = module.DataFrame({"u": module.Series(places, dtype=kind)})
        else:
            table = module.table({"u": module.array(places, kind)})
        lists = RankedLists.from_wide(table, missing_ids="drop")
        assert lists.items.dtype == dtype and lists.items.tolist() == [1, top - 1, top]


def test_constructors_reject_missing_ids_by_default():
    for call in (
        lambda: RankedLists.from_lists([[LARGE, None, LARGE + 1]]),
        lambda: RankedLists.from_wide(as_table("polars", {"u": [LARGE, None, LARGE + 1]})),
    ):
        with pytest.raises(InputError, match="must have an item; 1 have None or NaN"):
            call()
    frame = as_table("polars", {"item": [LARGE, None], "rank": [1, 2]})
    with pytest.raises(InputError, match="'item' must have an id in every row; 1 are missing, the first in row 1"):
        RankedLists.from_frame(frame, query=None)
    with pytest.raises(InputError, match=r"'rank' must have finite numbers; 1 rows have NaN .* row 1 \(nan\)"):
        RankedLists.from_frame(as_table("polars", {"item": [1, 2], "rank": [1, None]}), query=None)


def test_from_lists_accepts_integers_next_to_other_numbers():
    assert RankedLists.from_lists([[1, 2.5], [2.5, 3]]).items.tolist() == [1.0, 2.5, 3.0]
    mixed = RankedLists.from_lists([[LARGE, LARGE + 1, 0.5], [LARGE + 1, 2.0]])
    assert mixed.to_runs() == {1: {"q": [LARGE, LARGE + 1, 0.5]}, 2: {"q": [LARGE + 1, 2.0]}}
    assert RankedLists.from_lists([[2**63, None, 2**63 + 1]], missing_ids="drop").items.tolist() == [2**63, 2**63 + 1]
    huge = RankedLists.from_lists([[2**70, None, 2**70 + 1]], missing_ids="drop")
    assert huge.items.tolist() == [2**70, 2**70 + 1]


def test_from_wide_restores_integers_that_pandas_turned_into_floats():
    table = pd.DataFrame({"u": [LARGE, LARGE + 1, 7], "v": [7, np.nan, np.nan], "w": [np.nan, 7, 1]})
    lists = RankedLists.from_wide(table, missing_ids="drop")
    assert lists.items.dtype == np.int64
    assert lists.to_runs() == {"u": {"q": [LARGE, LARGE + 1, 7]}, "v": {"q": [7]}, "w": {"q": [7, 1]}}
    assert RankedLists.from_wide(table[["v"]]).items.dtype == np.float64  # no integer says what they were
    with pytest.raises(InputError, match=r"because floats are rounded; got 9007199254740992\. Read the column"):
        RankedLists.from_wide(pd.DataFrame({"u": [LARGE, LARGE + 1], "v": [LARGE + 1, np.nan]}))


def test_from_comparisons_accepts_two_integer_types():
    games = pd.DataFrame({"winner": [LARGE + 1, LARGE], "loser": np.array([LARGE, LARGE + 2], dtype=np.uint64)})
    lists = RankedLists.from_comparisons(games)
    assert duels(lists) == [f"{LARGE} > {LARGE + 2}", f"{LARGE + 1} > {LARGE}"] and lists.n_items == 3
