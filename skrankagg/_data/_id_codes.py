"""Encoding of a column of ids as integer codes and a sorted index of the distinct ids.

Strings take most of the time. Strings that pandas stores as Python objects are therefore numbered without pandas'
checks of columns. If many rows refer to the same objects, the rows are numbered by the addresses of these objects.
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from ._text_order import factorize_text, is_arrow_text, order_of_names, order_of_text

# Pandas' names of the types of objects that can be sorted.
_ORDERED = {"string", "bytes", "integer", "decimal", "boolean", "date", "datetime", "datetime64"}

# For fewer strings, calling pandas and Arrow takes longer than a plain loop.
_FEW = 2_000

_PANDAS_2 = pd.__version__ < "3"
_NO_TEXT = object()

# Number of rows that are sampled to find out if many rows share the same objects.
_SAMPLE = 8192

# Number of rows in one step of a loop over all rows.
_CHUNK = 1 << 16


def encode_ids(values):
    """Encode a Series of ids; return an integer code for each row, and a sorted index of the distinct ids.

    The codes are int32 of shape (n_rows,), with -1 for a missing value. The index has the dtype of the Series;
    categories stay categories.

    >>> import pandas as pd
    >>> from skrankagg._data._id_codes import encode_ids
    >>> codes, index = encode_ids(pd.Series(["b", "a", "b"]))
    >>> codes, list(index)
    (array([1, 0, 1], dtype=int32), ['a', 'b'])
    """
    encode = _encode_categories if isinstance(values.dtype, pd.CategoricalDtype) else factorize
    runs = _run_starts(values)
    if runs is None:
        return encode(values)
    codes, index = encode(values.iloc[runs])
    return np.repeat(codes, np.diff(np.append(runs, len(values)))), index


def factorize(values):
    """Encode a Series that is not categorical; return the same result as :func:`encode_ids`."""
    # The values are sorted here, because pandas would allocate several columns of 64-bit codes.
    dtype = values.dtype
    is_text = isinstance(dtype, pd.StringDtype)
    if pd.api.types.is_object_dtype(dtype) or (is_text and (dtype.storage == "python" or len(values) < _FEW)):
        return _encode_objects(np.asarray(values.array, dtype=object), dtype)
    codes, index = factorize_text(values.array) if is_text else pd.factorize(values)
    index = pd.Index(index)
    order = order_of_text(index) if is_text else _order(index)
    if order is not None:
        index = index[order]
    _check_ordered(index)
    return _renumber(codes, order), index


def _encode_objects(objects, dtype):
    """Encode an array of objects like :func:`encode_ids`; `dtype` is the dtype of the index, text or object."""
    codes, found = _factorize_objects(objects)
    is_text = isinstance(dtype, pd.StringDtype)
    index = None if is_text else pd.Index(found, dtype=object, copy=False)
    if is_text or pd.api.types.infer_dtype(index) == "string":
        order = order_of_names(found.tolist())
    else:
        order = _order(index)
    if is_text:
        return _renumber(codes, order), pd.Index(found if order is None else found[order], dtype=dtype, copy=False)
    if order is not None:
        index = index[order]
    _check_ordered(index)
    return _renumber(codes, order), index


def can_encode_together(parts):
    """Return True if :func:`encode_together` accepts these Series: all are text, or all have dtype object."""
    dtype = parts[0].dtype
    is_known = pd.api.types.is_object_dtype(dtype) or isinstance(dtype, pd.StringDtype)
    return is_known and all(part.dtype == dtype for part in parts)


def encode_together(parts):
    """Encode several columns with shared codes; return the codes of each column, and one index of all distinct ids.

    All columns are Series of the same dtype, which is text or object. The codes and the index are equal to the result
    of :func:`encode_ids` for the concatenated columns. Long columns are first numbered one by one, so that not all ids
    must be copied into one array.

    >>> import pandas as pd
    >>> from skrankagg._data._id_codes import encode_together
    >>> encode_together([pd.Series(["b", None], dtype="str"), pd.Series(["a", "b"], dtype="str")])[0]
    [array([ 1, -1], dtype=int32), array([0, 1], dtype=int32)]
    """
    dtype = parts[0].dtype
    if sum(map(len, parts)) < _FEW:
        ids = [np.asarray(part.array, dtype=object) for part in parts]
        codes, index = _encode_objects(np.concatenate(ids), dtype)
        return np.split(codes, np.cumsum([len(some) for some in ids])[:-1]), index
    found = [_factorize_part(part) for part in parts]
    number, index = _encode_objects(np.concatenate([some for _, some in found]), dtype)
    ptr = np.cumsum([0, *(len(some) for _, some in found)])
    # The last element is for missing values, code -1.
    numbers = [np.append(number[slice(*some)], np.int32(-1)) for some in pairwise(ptr)]
    return [mine.take(codes) for mine, (codes, _) in zip(numbers, found, strict=True)], index


def _factorize_part(part):
    """Number a column of text or objects in order of appearance; return the codes and the distinct objects."""
    if is_arrow_text(part.dtype):
        codes, found = factorize_text(part.array)
        return codes, np.asarray(found, dtype=object)
    return _factorize_objects(np.asarray(part.array, dtype=object))


def _order(index):
    return None if index.is_monotonic_increasing else index.argsort()


def _renumber(codes, order):
    """Convert codes that number values in order of appearance to int32 codes that number them in sorted order.

    `order` sorts the values. None means that the values are already sorted.
    """
    if order is None:
        return codes.astype(np.int32)  # a copy, which the caller may change
    new_code = np.full(len(order) + 1, -1, dtype=np.int32)  # the last element is for missing values, code -1
    new_code[order] = np.arange(len(order), dtype=np.int32)
    return new_code[codes]


def _factorize_objects(objects):
    """Number objects in order of appearance; return the codes (-1 for a missing object), and the distinct objects."""
    if not _share_objects(objects):
        return _number_objects(objects)
    place, row = _number_addresses(objects)
    codes, found = _number_objects(objects[row])
    codes = codes.astype(np.int32)
    return (place if len(found) == len(row) else codes[place]), found


def _number_objects(objects):
    r"""Return the result of ``pd.factorize`` for an array of objects, also for texts with NUL characters.

    Pandas 2 treats texts that differ only after a NUL character as equal if all objects are texts. To prevent this, an
    object that is not a text is appended to the array.

    >>> import numpy as np
    >>> from skrankagg._data._id_codes import _number_objects
    >>> _number_objects(np.array(["a\0b", "a", None], dtype=object))[0]
    array([ 0,  1, -1])
    """
    if not _PANDAS_2:
        return pd.factorize(objects)
    more = np.empty(len(objects) + 1, dtype=object)
    more[:-1] = objects
    more[-1] = _NO_TEXT
    codes, found = pd.factorize(more)
    return codes[:-1], found[:-1]


def distinct_objects(objects):
    """Return the distinct objects of an array if many rows share objects; otherwise return the array unchanged.

    Objects are compared by their addresses, so they need not be hashable.
    """
    return objects[_number_addresses(objects)[1]] if _share_objects(objects) else objects


def _number_addresses(objects):
    """Number the distinct objects of an array by address.

    Returns the number of each row's object, and for each number a row that contains the object with this number.

    Hashing an address is several times faster than hashing an object.
    """
    place, found = pd.factorize(addresses(objects))
    row, n_known = np.empty(len(found), dtype=np.intp), 0
    for start in range(0, len(place), _CHUNK):
        part = place[start : start + _CHUNK]
        most = int(part.max()) + 1
        if most > n_known:  # the part contains new addresses
            row[part] = np.arange(start, start + len(part))
            n_known = most
    return place, row


def addresses(objects):
    """Return the addresses of the objects in an array; the result is a view of the array, as intp of the same shape."""
    return np.frombuffer(objects, dtype=np.intp)


def _share_objects(objects):
    """Return True if there are many rows, and many of them probably refer to the same objects.

    A sample of the rows must suggest that there are at most about half as many distinct objects as rows.
    """
    n_rows = len(objects)
    if n_rows < 4 * _SAMPLE or not objects.flags.c_contiguous:
        return False
    sample = np.sort(addresses(objects)[:: n_rows // _SAMPLE])
    # If k sampled rows refer to m objects at random, about k ** 2 / (2 m) of the sampled rows repeat an object.
    return np.count_nonzero(sample[1:] == sample[:-1]) >= len(sample) ** 2 / n_rows


def _check_ordered(index):
    """Raise TypeError for values that are only partially ordered, such as sets.

    The sorted order of such values would depend on the order of the rows.
    """
    if index.dtype != object or pd.api.types.infer_dtype(index) in _ORDERED:
        return
    values = index.tolist()
    for low, high in pairwise(values):
        if not low < high:
            raise TypeError(f"neither of {low!r} and {high!r} is smaller")


def _encode_categories(values):
    codes, categories = values.array.codes, values.dtype.categories
    used = np.zeros(len(categories) + 1, dtype=bool)  # the last element is for missing values, code -1
    used[codes.astype(np.intp)] = True
    present = np.flatnonzero(used[:-1])
    all_present = len(present) == len(categories)
    # Categories are sorted by value, like all other ids. Their declared order is ignored.
    found = categories if all_present else categories[present]
    order = _order_of_categories(found)
    if order is not None:
        present, found = present[order], found[order]
    _check_ordered(found)
    index = pd.CategoricalIndex(pd.Categorical.from_codes(present, dtype=values.dtype))
    if all_present and order is None:
        return codes.astype(np.int32), index
    new_code = np.full(len(categories) + 1, -1, dtype=np.int32)
    new_code[present] = np.arange(len(present), dtype=np.int32)
    return new_code[codes], index


def _order_of_categories(categories):
    """Return the positions that sort distinct categories, or None if the categories are sorted."""
    if isinstance(categories.dtype, pd.StringDtype):
        return order_of_text(categories)
    if categories.dtype == object:
        kind = pd.api.types.infer_dtype(categories)
        if kind == "string":
            return order_of_names(categories.tolist())
        if kind not in _ORDERED:  # the values may be only partially ordered
            return np.asarray(categories.argsort())
    return _order(categories)


def _run_starts(values, sample=4096):
    """Return the first row of each group of consecutive equal values, or None if these groups are short.

    Rows of the same query or voter are usually consecutive. Comparing neighbours is several times faster than hashing.
    """
    if len(values) < sample:
        return None
    array, differ = values.array, _differ
    if isinstance(values.dtype, pd.CategoricalDtype):
        array, differ = array.codes, np.not_equal
    elif values.dtype == object or (isinstance(values.dtype, pd.StringDtype) and values.dtype.storage == "python"):
        objects = np.asarray(array, dtype=object)
        if not objects.flags.c_contiguous:
            return None
        # Addresses are compared, because comparing the objects would take as long as hashing them.
        array, differ = addresses(objects), np.not_equal
    if np.mean(differ(array[1:sample], array[: sample - 1])) > 0.1:
        return None
    changed = differ(array[1:], array[:-1])
    if np.mean(changed) > 0.25:
        return None
    return np.concatenate([[0], np.flatnonzero(changed) + 1])


def _differ(array, other):
    # A missing value differs from every value, including another missing value, so it begins a new group.
    return np.asarray(pd.array(array != other, dtype="boolean").fillna(True), dtype=bool)
