"""Encoding ids gives the same codes and the same sorted index by every algorithm."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import RankedLists
from skrankagg._data import _id_codes, _text_order
from skrankagg._data._id_codes import can_encode_together, distinct_objects, encode_ids, encode_together, factorize
from skrankagg.aggregators import BordaCount, Condorcet

pytestmark = pytest.mark.twice

# The strings of pandas 3; earlier versions have objects in their place.
PLAIN = pd.StringDtype("python", na_value=np.nan) if pd.__version__ >= "3" else object
DTYPES = [PLAIN, pd.StringDtype("python"), "str", "string", object]
# Differences between strings: zeros at the end, characters beyond ASCII, long beginnings in common.
NAMES = st.text(alphabet="ab\0é日😀", max_size=12) | st.integers(0, 99).map("document {:020d}".format)


def by_hand(ids):
    """Return codes in Python's string order, -1 where missing, and the distinct ids."""
    found = sorted({one for one in ids if isinstance(one, str)})
    return [found.index(one) if isinstance(one, str) else -1 for one in ids], found


@pytest.mark.parametrize("few", [0, 10_000], ids=["many", "few"])
@given(ids=st.lists(NAMES | st.none(), min_size=1, max_size=40), dtype=st.sampled_from(DTYPES))
@settings(max_examples=150, deadline=None)
def test_encode_ids_numbers_strings_in_sorted_order(few, ids, dtype):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_id_codes, "_FEW", few)
        patch.setattr(_text_order, "_FEW", few)
        column = pd.Series(ids, dtype=dtype)
        codes, index = encode_ids(column)
    expected, found = by_hand(ids)
    assert codes.tolist() == expected and index.tolist() == found
    assert codes.dtype == np.int32 and index.dtype == column.dtype


# Categories of each kind, and a key that sorts them. Equal values of different types never occur together.
CATEGORIES = {
    "strings": st.lists(NAMES, max_size=30, unique=True),
    "integers": st.lists(st.integers(-50, 50), max_size=30, unique=True),
    "numbers": st.lists(st.integers(-50, 50) | st.sampled_from([0.5, 1.5, -7.25]), max_size=30, unique=True),
    "tuples": st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=30, unique=True),
}


@pytest.mark.parametrize("few", [0, 10_000], ids=["many", "few"])
@pytest.mark.parametrize("kind", CATEGORIES)
@given(data=st.data(), ordered=st.booleans(), in_order=st.booleans(), long=st.booleans())
@settings(max_examples=60, deadline=None)
def test_encode_ids_sorts_the_categories_that_occur_by_value(kind, few, data, ordered, in_order, long):
    categories = data.draw(CATEGORIES[kind])
    categories = sorted(categories) if in_order else categories
    ids = data.draw(st.lists(st.sampled_from(categories) | st.none() if categories else st.none(), min_size=1))
    ids = [one for one in ids for _ in range(5000)] if long else ids  # long runs of equal ids
    # Categorical would turn a list of tuples into levels.
    index = pd.Index(categories, tupleize_cols=False, dtype="str" if kind == "strings" else None)
    codes = np.array([-1 if one is None else categories.index(one) for one in ids])
    dtype = pd.CategoricalDtype(index, ordered=ordered)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text_order, "_FEW", few)
        found, index = encode_ids(pd.Series(pd.Categorical.from_codes(codes, dtype=dtype)))
    present = sorted({one for one in ids if one is not None})
    assert index.tolist() == present and index.dtype == dtype
    assert found.tolist() == [-1 if one is None else present.index(one) for one in ids]
    assert found.dtype == np.int32 and found.flags.writeable


def test_encode_ids_rejects_categories_without_a_total_order():
    column = pd.Series(pd.Categorical([frozenset([0]), frozenset([1])]))
    with pytest.raises(TypeError, match="is smaller"):
        encode_ids(column)
    column = pd.Series(pd.Categorical.from_codes([0, 1], categories=pd.Index(["a", 1], dtype=object)))
    with pytest.raises(TypeError, match="not supported between"):
        encode_ids(column)
    # A category that does not occur is not compared.
    codes, index = encode_ids(column.iloc[[1, 1]])
    assert codes.tolist() == [0, 0] and index.tolist() == [1]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("dtype", [PLAIN, object], ids=str)
@pytest.mark.parametrize("shared", [True, False], ids=["shared", "apart"])
@pytest.mark.parametrize("arrangement", ["runs", "shuffled", "with gaps", "missing"])
def test_encode_ids_handles_many_rows_of_few_objects(dtype, shared, arrangement, monkeypatch):
    rng = np.random.default_rng(0)
    code = rng.integers(0, 500, 40_000)
    if arrangement == "runs":
        code.sort()
    names = [f"item {k}" for k in range(500)]
    ids = [names[k] if shared else "".join(list(names[k])) for k in code]
    if arrangement == "missing":
        ids[7:9000:3] = [None] * len(ids[7:9000:3])
    column = pd.Series(ids, dtype=dtype)
    if arrangement == "with gaps":
        column = pd.concat([column, column]).iloc[::2]
    seen = []
    share = _id_codes._share_objects
    monkeypatch.setattr(_id_codes, "_share_objects", lambda objects: seen.append(share(objects)) or seen[-1])
    codes, index = encode_ids(column)
    expected, found = by_hand(column.tolist())
    np.testing.assert_array_equal(codes, expected)
    assert index.tolist() == found
    if arrangement in {"shuffled", "missing"}:
        assert seen == [shared]


def test_encode_ids_handles_missing_ids_in_runs_of_one_object():
    column = pd.Series(["a"] * 5000 + [None] * 5000 + ["b"] * 5000, dtype=PLAIN)
    codes, index = encode_ids(column)
    assert np.unique(codes).tolist() == [-1, 0, 1] and (codes[5000:10_000] == -1).all() and index.tolist() == ["a", "b"]


@pytest.mark.parametrize("few", [0, 10_000], ids=["many", "few"])
@given(
    parts=st.lists(st.lists(NAMES | st.none(), min_size=1, max_size=30), min_size=2, max_size=3),
    dtype=st.sampled_from(DTYPES),
)
@settings(max_examples=100, deadline=None)
def test_encode_together_equals_encoding_the_concatenated_columns(few, parts, dtype):
    columns = [pd.Series(ids, dtype=dtype) for ids in parts]
    assert can_encode_together(columns)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_id_codes, "_FEW", few)
        found, index = encode_together(columns)
    codes, expected = encode_ids(pd.concat(columns))
    np.testing.assert_array_equal(np.concatenate(found), codes)
    assert [len(one) for one in found] == [len(one) for one in parts]
    assert all(one.dtype == np.int32 for one in found)
    pd.testing.assert_index_equal(index, expected, exact=True)


@pytest.mark.parametrize("few", [0, 10_000], ids=["many", "few"])
def test_encode_together_keeps_the_first_of_equal_objects(few, monkeypatch):
    monkeypatch.setattr(_id_codes, "_FEW", few)
    columns = [pd.Series(ids, dtype=object) for ids in ([2, 1.0, None], [1, True, 2.0])]
    found, index = encode_together(columns)
    assert [one.tolist() for one in found] == [[1, 0, -1], [0, 0, 1]]
    assert [repr(one) for one in index] == ["1.0", "2"]
    with pytest.raises(TypeError, match="not supported between"):
        encode_together([columns[0], pd.Series(["1"], dtype=object)])
    assert not can_encode_together([columns[0], pd.Series(["1"], dtype="category")])


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "apart"])
def test_distinct_objects_contains_each_object(shared):
    cells = [["a list"], "text", 3, None]
    objects = np.empty(50_000, dtype=object)
    objects[:] = [cells[k % 4] if shared else f"{k}" for k in range(len(objects))]
    found = distinct_objects(objects).tolist()
    assert found == (cells if shared else objects.tolist())


@pytest.mark.parametrize("n_rows", [3, 50_000])
def test_factorize_rejects_ids_without_a_total_order(n_rows):
    column = pd.Series([frozenset([k % 2]) for k in range(n_rows)], dtype=object)
    with pytest.raises(TypeError, match=r"neither of frozenset\(\{0\}\) and frozenset\(\{1\}\) is smaller"):
        factorize(column)


@pytest.mark.parametrize("dtype", [*DTYPES, "category", "Int64", np.int8], ids=str)
def test_output_frames_own_their_memory_and_keep_the_dtypes(dtype):
    ids = [1, 2, 1, 3] if dtype in ("Int64", np.int8) else ["a", "b", "a", "c"]
    frame = pd.DataFrame({"query": "q", "voter": ["u", "u", "v", "v"], "item": pd.Series(ids, dtype=dtype)})
    lists = RankedLists.from_frame(frame.assign(score=[4.0, 3.0, 2.0, 1.0]))
    for make in (lists.to_frame, lambda: BordaCount().fit_transform(lists), lambda: Condorcet().fit_transform(lists)):
        first = make()
        assert first["item"].dtype == frame["item"].dtype and first["query"].dtype == frame["query"].dtype
        for name in first.columns.difference(["query", "voter", "item"]):
            first.loc[0, name] = 77
        assert (first.loc[0, ["score", "rank"]] == 77).all()
        first.columns.name = "column"
        assert make().columns.name is None
        columns = pd.DataFrame(columns=first.columns.tolist()).columns
        pd.testing.assert_index_equal(make().columns, columns, exact=True)
        assert not (make()["rank"] == 77).any() and not (make()["score"] == 77).any()


def test_encode_ids_numbers_many_rows_of_shared_objects():
    names = ["b", "a", "é", "a\0"]
    objects = np.empty(140_000, dtype=object)  # several steps; all but the first contain no new object
    objects[:] = [names[k % 4] for k in range(len(objects))]
    codes, index = encode_ids(pd.Series(objects, dtype=object))
    assert index.tolist() == sorted(names)
    assert codes.dtype == np.int32 and codes.tolist() == [2, 0, 3, 1] * 35_000


def test_encode_ids_numbers_equal_objects_at_several_addresses_alike():
    copies = ["".join(["b", "b"]), "".join(["b", "b"]), "a"]
    objects = np.empty(60_000, dtype=object)
    objects[:] = copies * 20_000
    assert copies[0] is not copies[1]
    codes, index = encode_ids(pd.Series(objects, dtype=object))
    assert index.tolist() == ["a", "bb"] and codes.tolist() == [1, 1, 0] * 20_000


def test_encode_ids_accepts_a_column_of_a_table_of_objects():
    table = np.empty((5_000, 2), dtype=object)
    table[:] = [["b", "x"]] * 4_000 + [["a", "y"]] * 1_000
    column = pd.Series(table[:, 0], dtype=object, copy=False)
    codes, index = encode_ids(column)
    assert index.tolist() == ["a", "b"] and codes.tolist() == [1] * 4_000 + [0] * 1_000


def test_encode_ids_numbers_runs_that_become_short():
    ids = [0] * 5_000 + [1, 2] * 3_000
    codes, index = encode_ids(pd.Series(ids))
    assert index.tolist() == [0, 1, 2] and codes.tolist() == ids


def test_encode_ids_sorts_categories_of_plain_objects():
    categories = pd.Index(["é", "b", "a\0", "a"], dtype=object)
    column = pd.Series(pd.Categorical.from_codes([0, 3, -1, 2], categories=categories))
    codes, index = encode_ids(column)
    assert index.tolist() == ["a", "a\0", "é"] and codes.tolist() == [2, 0, -1, 1]
