"""Encoding of a column of ids as integer codes and a sorted index of its distinct values in their own dtype.

Most of the time is spent on strings. Strings that pandas stores as Python objects are numbered directly, without the
checks that pandas makes for columns. If many rows refer to the same objects, the rows are numbered by the addresses of
these objects.
"""

from itertools import islice, pairwise
from operator import lt

import numpy as np
import pandas as pd

# Names that pandas gives to types of objects; the values of each of these types can be sorted.
_ORDERED = {"string", "bytes", "integer", "decimal", "boolean", "date", "datetime", "datetime64"}

# With at most this number of strings, calling pandas and Arrow costs more time than the work itself.
_FEW = 2_000

# Longer strings are sorted as strings, because the table of all characters would be as wide as the longest string.
_MOST_CHARACTERS = 64

# Number of sampled rows, which show whether rows share their objects.
_SAMPLE = 8192

# Number of rows in one step of a long pass.
_CHUNK = 1 << 18


def encode_ids(values):
    """Give the distinct values of a Series integer codes in sorted order; return the codes and an index of the values.

    The codes are int32 of shape (n_rows,); a missing value has code -1. Categories stay categories.

    >>> import pandas as pd
    >>> from skrankagg._data._id_codes import encode_ids
    >>> codes, index = encode_ids(pd.Series(["b", "a", "b"]))
    >>> codes, list(index)
    (array([1, 0, 1], dtype=int32), ['a', 'b'])
    """
    if isinstance(values.dtype, pd.CategoricalDtype):
        return _encode_categories(values)
    runs = _run_starts(values)
    if runs is None:
        return factorize(values)
    codes, index = factorize(values.iloc[runs])
    return np.repeat(codes, np.diff(np.append(runs, len(values)))), index


def factorize(values):
    """Encode a Series without categories as :func:`encode_ids` does."""
    # The values are sorted here, because pandas would allocate several columns of 64-bit codes.
    dtype = values.dtype
    is_text = isinstance(dtype, pd.StringDtype)
    if is_text and (dtype.storage == "python" or len(values) < _FEW):
        return _encode_text(np.asarray(values.array, dtype=object), dtype)
    if pd.api.types.is_object_dtype(dtype):
        codes, found = _factorize_objects(values.to_numpy())
        index = pd.Index(found, dtype=object, copy=False)
        is_text = pd.api.types.infer_dtype(index) == "string"
        order = _string_order(index.tolist()) if is_text else _order(index)
    else:
        codes, index = pd.factorize(values)
        index = pd.Index(index)
        if is_text:  # Arrow compares all neighbours at once
            order = None if (index.array[1:] > index.array[:-1]).all() else _string_order(index.tolist())
        else:
            order = _order(index)
    if order is not None:
        index = index[order]
    _check_ordered(index)
    return _renumber(codes, order), index


def _encode_text(objects, dtype):
    codes, found = _factorize_objects(objects)
    order = _string_order(found.tolist())
    index = pd.Index(found if order is None else found[order], dtype=dtype, copy=False)
    return _renumber(codes, order), index


def is_arrow_text(dtype):
    """Return True for a dtype of strings that are stored by Arrow."""
    return isinstance(dtype, pd.StringDtype) and dtype.storage != "python"


def encode_together(parts):
    """Encode two or more columns of text with common codes; return the codes of each column, and one index.

    All columns are Series of one dtype of strings that Arrow stores. Numbering each column first saves a copy of all
    strings.

    >>> import pandas as pd
    >>> from skrankagg._data._id_codes import encode_together
    >>> encode_together([pd.Series(["b", None], dtype="str"), pd.Series(["a", "b"], dtype="str")])[0]
    [array([ 1, -1], dtype=int32), array([0, 1], dtype=int32)]
    """
    found = [part.array.factorize() for part in parts]
    names = np.concatenate([np.asarray(some, dtype=object) for _, some in found])
    number, index = _encode_text(names, parts[0].dtype)
    ptr = np.cumsum([0, *(len(some) for _, some in found)])
    # The last place is for missing values, code -1.
    numbers = [np.append(number[slice(*some)], np.int32(-1)) for some in pairwise(ptr)]
    return [mine[codes] for mine, (codes, _) in zip(numbers, found, strict=True)], index


def _order(index):
    return None if index.is_monotonic_increasing else index.argsort()


def _renumber(codes, order):
    """Replace codes in the order of appearance by codes in sorted order; return int32 codes.

    `order` sorts the values. None means that the values are already sorted.
    """
    if order is None:
        return codes.astype(np.int32)
    new_code = np.full(len(order) + 1, -1, dtype=np.int32)  # the last place is for missing values, code -1
    new_code[order] = np.arange(len(order), dtype=np.int32)
    return new_code[codes]


def _factorize_objects(objects):
    """Give distinct objects codes in order of appearance; return the codes (-1 if missing) and the distinct objects."""
    if not _share_objects(objects):
        return pd.factorize(objects)
    # Hashing an address is several times faster than hashing the object.
    place, address = pd.factorize(addresses(objects))
    row = np.empty(len(address), dtype=np.intp)
    for start in range(0, len(place), _CHUNK):
        rows = slice(start, start + _CHUNK)
        row[place[rows]] = np.arange(start, min(start + _CHUNK, len(place)))
    codes, found = pd.factorize(objects[row])
    return codes.astype(np.int32)[place], found


def addresses(objects):
    """Return the addresses of the objects in an array, as intp of the same shape, without a copy."""
    return np.frombuffer(objects, dtype=np.intp)


def _share_objects(objects):
    """Return True if there are many rows and the rows probably share their objects.

    A sample of the rows must suggest that the number of distinct objects is at most about half the number of rows.
    """
    n_rows = len(objects)
    if n_rows < 4 * _SAMPLE or not objects.flags.c_contiguous:
        return False
    sample = np.sort(addresses(objects)[:: n_rows // _SAMPLE])
    # If k sampled rows refer to random objects out of m, about k ** 2 / 2m rows repeat an object.
    return np.count_nonzero(sample[1:] == sample[:-1]) >= len(sample) ** 2 / n_rows


def _string_order(names):
    """Return the positions, of shape (n,), that sort distinct strings, or None if the strings are sorted.

    If there are many strings, the first eight characters after their common prefix are converted to a number. The
    strings are sorted by this number; strings with equal numbers are then sorted as strings.
    """
    if all(map(lt, names, islice(names, 1, None))):
        return None
    text = _as_bytes(names)
    if text is None:
        return np.array(sorted(range(len(names)), key=names.__getitem__))
    width = text.shape[1]
    start = next((k for k in range(width) if (text[:, k] != text[0, k]).any()), width)
    word = np.zeros((len(text), 8), dtype=np.uint8)
    word[:, : width - start] = text[:, start : start + 8]
    number = word.view(">u8").ravel().astype(np.uint64)
    order = np.argsort(number)
    number = number[order]
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] = number[1:] == number[:-1]
    tied[:-1] |= tied[1:]
    # The order of the numbers never contradicts the order of the strings, so all of these can be sorted at once.
    order[tied] = sorted(order[tied].tolist(), key=names.__getitem__)
    return order


def _as_bytes(names):
    """Return a table of the characters of strings, as uint8 of shape (n, width); shorter strings are padded with zeros.

    Returns None if there are few strings, or if some string is long or not ASCII.
    """
    if len(names) < _FEW or max(map(len, names)) > _MOST_CHARACTERS:
        return None
    try:
        return np.array(names, dtype=np.bytes_).view(np.uint8).reshape(len(names), -1)
    except UnicodeEncodeError:
        return None


def _check_ordered(index):
    """Raise TypeError for values that are only partially ordered, such as sets.

    The result of sorting such values would depend on the row order.
    """
    if index.dtype != object or pd.api.types.infer_dtype(index) in _ORDERED:
        return
    values = index.tolist()
    for low, high in pairwise(values):
        if not low < high:
            raise TypeError(f"neither of {low!r} and {high!r} is smaller")


def _encode_categories(values):
    codes = values.cat.codes.to_numpy()
    categories = values.cat.categories
    used = np.zeros(len(categories) + 1, dtype=bool)  # the last place is for missing values, code -1
    used[codes] = True
    present = np.flatnonzero(used[:-1])
    # Categories are sorted by value, like ids of every other dtype. Their declared order is not used.
    present = present[np.asarray(categories[present].argsort())]
    _check_ordered(categories[present])
    new_code = np.full(len(categories) + 1, -1, dtype=np.int32)
    new_code[present] = np.arange(len(present), dtype=np.int32)
    return new_code[codes], pd.CategoricalIndex(pd.Categorical.from_codes(present, dtype=values.dtype))


def _run_starts(values, sample=4096):
    """Return the first row of each run of equal values; return None if the runs are short.

    Equal queries and voters usually stand in long runs of rows. Comparing neighbours is several times cheaper than
    hashing.
    """
    if len(values) < sample:
        return None
    array, differ = values.array, _differ
    if values.dtype == object or (isinstance(values.dtype, pd.StringDtype) and values.dtype.storage == "python"):
        objects = np.asarray(array, dtype=object)
        if not objects.flags.c_contiguous:
            return None
        # A run is a run of the same object, because comparing values would cost as much as hashing them.
        array, differ = addresses(objects), np.not_equal
    if np.mean(differ(array[1:sample], array[: sample - 1])) > 0.1:
        return None
    changed = differ(array[1:], array[:-1])
    if np.mean(changed) > 0.25:
        return None
    return np.concatenate([[0], np.flatnonzero(changed) + 1])


def _differ(array, other):
    # A missing value differs from every value, including itself, so it starts a new run.
    return np.asarray(pd.array(array != other, dtype="boolean").fillna(True), dtype=bool)
