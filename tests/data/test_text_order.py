"""Sorting strings by numbers made of their characters gives the same order as comparing the strings."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg._data import _text_order
from skrankagg._data._text_order import factorize_text, order_of_names, order_of_text

pytestmark = pytest.mark.twice

# Differences between strings: zeros at the end, characters beyond ASCII, long beginnings in common.
NAMES = (
    st.text(alphabet="ab\0é日😀", max_size=20)
    | st.integers(0, 99).map("document {:020d}".format)
    | st.integers(0, 3).map(lambda k: "y" * 30 * k)
    | st.lists(st.integers(0, 2), min_size=3, max_size=3).map(lambda k: "clueweb-{:04d}-{:02d}-{:05d}".format(*k))
)
ASCII = st.text(alphabet="ab\0", max_size=20).map("doc{}".format)
LISTS = st.lists(NAMES, min_size=1, max_size=60, unique=True) | st.lists(ASCII, min_size=1, max_size=60, unique=True)


def in_order(names, order):
    return names if order is None else [names[k] for k in order]


@pytest.mark.parametrize("few", [0, 3, 2000])
@given(names=LISTS)
@settings(max_examples=150, deadline=None)
def test_order_of_names_equals_sorted(few, names):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text_order, "_FEW", few)
        order = order_of_names(names)
    assert in_order(names, order) == sorted(names)
    assert (order is None) == (names == sorted(names))


@pytest.mark.parametrize("few", [0, 3])
@given(names=LISTS, sliced=st.booleans(), divided=st.booleans())
@settings(max_examples=150, deadline=None)
def test_order_of_text_in_arrow_equals_sorted(few, names, sliced, divided):
    pytest.importorskip("pyarrow", reason="sorts text of Arrow")
    dtype = pd.StringDtype("pyarrow", na_value=np.nan) if pd.__version__ >= "3" else "string[pyarrow]"
    column = pd.Series(["another", *names, "third"] if sliced else names, dtype=dtype)
    column = column.iloc[1:-1] if sliced else column
    if divided:
        column = pd.concat([column.iloc[:2], column.iloc[2:]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text_order, "_FEW", few)
        order = order_of_text(pd.Index(column.array))
    assert in_order(names, order) == sorted(names)
    assert (order is None) == (names == sorted(names))


@given(names=st.lists(NAMES | st.none(), min_size=1, max_size=40), divided=st.booleans())
@settings(max_examples=100, deadline=None)
def test_factorize_text_equals_factorize_of_pandas(names, divided):
    pytest.importorskip("pyarrow", reason="numbers text of Arrow")
    column = pd.Series(names, dtype="string[pyarrow]")
    array = (pd.concat([column.iloc[:2], column.iloc[2:]]) if divided else column).array
    codes, found = factorize_text(array)
    expected, distinct = pd.factorize(np.array(names, dtype=object))
    assert codes.tolist() == expected.tolist() and found.tolist() == distinct.tolist()
    assert codes.dtype == np.int32 and found.dtype == column.dtype


def test_order_of_names_sorts_many_strings_with_long_common_parts():
    rng = np.random.default_rng(0)
    names = [f"collection-en{a:04d}-{b:02d}-{c:05d}" for a, b, c in rng.integers(0, [3, 4, 9000], (20_000, 3)).tolist()]
    names = list(dict.fromkeys(names))
    assert in_order(names, order_of_names(names)) == sorted(names)
