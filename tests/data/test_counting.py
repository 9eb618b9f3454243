"""Counting sort gives the same order of rows as comparison sorting."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import RankedLists
from skrankagg._arrays import _code_tables, _ragged
from skrankagg._arrays._ragged import column_products, count_codes, group_order, number_codes, row_products, sparse_rows
from skrankagg._data import _encoding
from skrankagg.exceptions import InputError

pytestmark = pytest.mark.twice

#: Queries of lists of distinct items.
QUERIES = st.lists(
    st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True), min_size=1, max_size=4),
    min_size=1,
    max_size=8,
)


def pointers(lengths):
    return np.concatenate([[0], np.cumsum(lengths)])


@pytest.mark.parametrize("way", ["tables", "counting"])
@pytest.mark.parametrize("chunk", [1, 5, 1 << 18])
@given(queries=QUERIES)
@settings(max_examples=100, deadline=None)
def test_number_codes_equals_sorting(chunk, way, queries):
    code = np.array([item for query in queries for one in query for item in one], dtype=np.int32)
    parts = pointers([len(one) for query in queries for one in query])
    ptr = pointers([sum(map(len, query)) for query in queries])
    with pytest.MonkeyPatch.context() as patch:
        if way == "tables":
            patch.setattr(_code_tables, "_ROWS", chunk)
            patch.setattr(_code_tables, "_CELLS", max(chunk, 10))
            patch.setattr(_ragged, "_FEW", len(code))
        else:
            patch.setattr(_code_tables, "_CELLS_PER_ROW", 0)
            patch.setattr(_ragged, "_CHUNK", chunk)
            patch.setattr(_ragged, "_FEW", 0)
        number, new_ptr, found = number_codes(ptr, code, 10, parts)
    distinct = [sorted({item for one in query for item in one}) for query in queries]
    assert found.tolist() == [one for codes in distinct for one in codes]
    assert new_ptr.tolist() == pointers([*map(len, distinct)]).tolist()
    group = np.repeat(np.arange(len(queries)), np.diff(ptr))
    assert number.tolist() == [new_ptr[g] + distinct[g].index(one) for g, one in zip(group, code, strict=True)]
    assert number.dtype == found.dtype == np.int32 and new_ptr.dtype == np.int64


@pytest.mark.parametrize("cells", [0, 16], ids=["counting", "tables"])
def test_number_codes_allows_repeats_in_a_group_but_not_in_a_part(cells, monkeypatch):
    monkeypatch.setattr(_code_tables, "_CELLS_PER_ROW", cells)
    monkeypatch.setattr(_ragged, "_FEW", 0)
    ptr, code = np.array([0, 2, 5]), np.array([3, 3, 0, 1, 0], dtype=np.int32)
    assert number_codes(ptr, code, 4, np.array([0, 1, 2, 4, 5])) is not None
    assert number_codes(ptr, code, 4, np.array([0, 1, 2, 5])) is None
    assert number_codes(ptr, code, 4, ptr) is None


def test_number_by_table_refuses_codes_that_are_far_apart():
    ptr, parts = np.array([0, 4]), np.array([0, 2, 4])
    assert _code_tables.number_by_table(ptr, np.array([0, 31, 0, 31], dtype=np.int32), parts) is not None
    # The lists need too many cells; the lists need few cells, but the group needs too many.
    assert _code_tables.number_by_table(ptr, np.array([0, 63, 0, 63], dtype=np.int32), parts) is None
    assert _code_tables.number_by_table(ptr, np.array([0, 1, 63, 64], dtype=np.int32), parts) is None


@pytest.mark.parametrize(("size", "times"), [(6, 72), (40, 1), (2**31, 1)], ids=["table", "sorting", "wide"])
@given(rows=st.lists(st.tuples(st.integers(0, 5), st.just(0), st.integers(0, 1), st.integers(0, 5)), max_size=60))
@settings(max_examples=100, deadline=None)
def test_count_codes_equals_counting_by_hand(size, times, rows):
    codes = np.array(rows * times, dtype=np.int32).reshape(-1, 4).T
    found, count = count_codes(list(codes), [size, 1, 2, size])
    expected = sorted(Counter(rows * times).items())
    assert list(zip(*(one.tolist() for one in found), strict=True)) == [row for row, _ in expected]
    assert count.tolist() == [n for _, n in expected]
    assert all(one.dtype == np.int64 for one in (*found, count))


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 7)), min_size=30, max_size=60),
    low=st.sampled_from([0, -(2**53), 2**31, 2**62, -3]),
    kind=st.sampled_from([float, np.int64]),
)
@settings(max_examples=100, deadline=None)
def test_group_order_of_integers_equals_lexsort(rows, low, kind):
    group, value = np.array(rows).T
    value = (value + low).astype(kind)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ragged, "_FEW", 1)
        order = group_order(group.astype(np.int32), value)
    assert order.tolist() == np.lexsort((value, group)).tolist() and order.dtype == np.int64


@pytest.mark.parametrize("cells", [0, 16], ids=["counting", "tables"])
@given(queries=QUERIES, seed=st.integers(0, 99), tied=st.booleans())
@settings(max_examples=100, deadline=None)
def test_from_frame_is_the_same_with_counting_and_sorting(cells, queries, seed, tied):
    rows = [
        (f"q{q}", f"v{v}", f"i{item}", place // 2 if tied else place)
        for q, query in enumerate(queries)
        for v, one in enumerate(query)
        for place, item in enumerate(one)
    ]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    frame = frame.sample(frac=1, random_state=seed, ignore_index=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_encoding, "_FEW", 0)
        patch.setattr(_ragged, "_FEW", 1)
        patch.setattr(_code_tables, "_CELLS_PER_ROW", cells)
        counted = RankedLists.from_frame(frame)
    assert counted.equals(RankedLists.from_frame(frame))


def test_from_frame_rejects_a_repeated_item_in_many_rows():
    frame = pd.DataFrame(
        {"query": np.repeat(np.arange(200), 100), "voter": "v", "item": np.tile(np.arange(100), 200), "rank": 1}
    )
    assert RankedLists.from_frame(frame).n_candidates == 20_000
    frame.loc[7042, "item"] = 41
    with pytest.raises(InputError, match=r"1 rows repeat an item \(the first is query 70, voter 'v', item 41\)"):
        RankedLists.from_frame(frame)


@pytest.mark.parametrize("chunk", [64, 1 << 18])
@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=20),
    even=st.booleans(),
    long=st.integers(0, 400),
    seed=st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_group_order_of_contiguous_groups_equals_lexsort(chunk, sizes, even, long, seed):
    # Even groups, uneven groups, and one group that is longer than all others together.
    sizes = [sizes[0]] * len(sizes) if even else [*sizes, long + 1]
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    value = rng.choice(rng.random(20), len(group))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_ragged, "_FEW", 0)
        patch.setattr(_ragged, "_CHUNK", chunk)
        found = group_order(group, value)
    assert found.tolist() == np.lexsort((value, group)).tolist()


@pytest.mark.parametrize("few", [0, 10**9])
def test_products_equal_dense_products_and_sparse_products_to_the_last_bit(monkeypatch, few):
    monkeypatch.setattr(_ragged, "_FEW_PRODUCTS", few)
    rng = np.random.default_rng(0)
    ptr = np.array([0, 7, 7, 12, 30])
    column = np.concatenate([rng.permutation(20)[:size] for size in np.diff(ptr)])
    value, left, right = rng.normal(size=30), rng.normal(size=(4, 3)), rng.normal(size=20)
    table = sparse_rows(ptr, column, value, 20)
    np.testing.assert_allclose(row_products(ptr, column, value, 20)(right), table.toarray() @ right, rtol=1e-12)
    np.testing.assert_array_equal(row_products(ptr, column, value, 20)(right), table @ right)
    product = column_products(ptr, column, value, 20)
    for one in (left, left[:, 0]):
        np.testing.assert_allclose(product(one), table.toarray().T @ one, rtol=1e-12)
        np.testing.assert_array_equal(product(one), table.T @ one)
