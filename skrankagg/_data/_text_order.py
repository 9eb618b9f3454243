"""Fast numbering and sorting of strings; eight characters at a time are compared as one integer."""

from itertools import islice
from operator import lt

import numpy as np
import pandas as pd

# Fewer strings are compared directly, because converting characters to integers would take longer.
_FEW = 2_000

# Strings with the same first 64 characters are compared as strings.
_MOST_CHARACTERS = 64


def is_arrow_text(dtype):
    """Return True for a dtype of strings that are stored by Arrow."""
    return isinstance(dtype, pd.StringDtype) and dtype.storage != "python"


def order_of_text(index):
    """Return the positions that sort an index of distinct strings, or None if the index is already sorted.

    >>> import pandas as pd
    >>> from skrankagg._data._text_order import order_of_text
    >>> order_of_text(pd.Index(["b", "a"])).tolist(), order_of_text(pd.Index(["a", "b"]))
    ([1, 0], None)
    """
    if len(index) < _FEW or not is_arrow_text(index.dtype):
        return order_of_names(index.tolist())
    array = index.array
    if (array[1:] > array[:-1]).all():  # Arrow compares all neighbours at once
        return None
    return _order_of_characters(*_characters_in_arrow(array), lambda rows: index.take(rows).tolist())


def order_of_names(names):
    """Return the positions that sort a list of distinct strings, or None if the list is already sorted."""
    if all(map(lt, names, islice(names, 1, None))):
        return None
    text = "" if len(names) < _FEW else "".join(names)
    if not text or not text.isascii():
        return np.array(sorted(range(len(names)), key=names.__getitem__))
    ptr = np.zeros(len(names) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, names), dtype=np.int64, count=len(names)), out=ptr[1:])
    data = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    return _order_of_characters(data, ptr, lambda rows: list(map(names.__getitem__, rows.tolist())))


def factorize_text(array):
    """Number the distinct strings of an Arrow array in order of appearance.

    Returns an int32 code for each string (-1 for a missing string), and an array of the distinct strings with the dtype
    of `array`. In contrast, ``pd.factorize`` returns 64-bit codes.
    """
    encoded = _one_chunk(array.__arrow_array__().dictionary_encode())
    codes = encoded.indices.fill_null(-1) if encoded.null_count else encoded.indices
    return codes.to_numpy().astype(np.int32, copy=False), array.dtype.__from_arrow__(encoded.dictionary)


def _one_chunk(values):
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


def _characters_in_arrow(array):
    """Return the UTF-8 bytes of all strings, without a copy, and the offsets where each string begins and ends."""
    import pyarrow as pa

    text = _one_chunk(array.__arrow_array__().cast(pa.large_string()))
    _, ptr, data = text.buffers()
    ptr = np.frombuffer(ptr, dtype=np.int64, count=text.offset + len(text) + 1)[text.offset :]
    return np.frombuffer(data, dtype=np.uint8), ptr


def _order_of_characters(data, ptr, names):
    """Return the positions that sort distinct strings.

    String ``k`` has the bytes ``data[ptr[k]:ptr[k + 1]]``. The order of the bytes must be the order of the strings, as
    in UTF-8. The function `names` takes an array of positions, and returns a list of the strings at these positions.
    """
    begin, length = ptr[:-1], np.diff(ptr)
    start, shortest = 0, min(int(length.min()), _MOST_CHARACTERS)
    while start < shortest:
        one = data[begin + start]
        if (one != one[0]).any():
            break
        start += 1
    number = _numbers(data, begin, length, start)
    order = np.argsort(number)
    number = number[order]
    same = number[1:] == number[:-1]
    while np.count_nonzero(same) > _FEW and start < _MOST_CHARACTERS:
        # Strings with equal numbers are sorted by the next eight characters.
        start += 8
        tied = _tied(same)
        group = np.cumsum(np.append(True, ~same))[tied]
        rows = order[tied]
        number = _numbers(data, begin[rows], length[rows], start)
        inner = np.lexsort((number, group))
        order[tied] = rows[inner]
        number = number[inner]
        # Neighbours remain tied only if they belong to the same group.
        again = (group[1:] == group[:-1]) & (number[1:] == number[:-1])
        place = np.flatnonzero(tied)
        same[place[1:] - 1] = again
    if same.any():
        # The integers never contradict the order of the strings, so all remaining tied strings can be sorted at once.
        place = np.flatnonzero(_tied(same))
        rest = names(order[place])
        order[place] = order[place[sorted(range(len(rest)), key=rest.__getitem__)]]
    return order


def _tied(same):
    """Return a mask of the strings that equal a neighbour in the characters compared so far.

    ``same[k]`` is True if strings k and k + 1 are equal in these characters.
    """
    tied = np.zeros(len(same) + 1, dtype=bool)
    tied[1:] = same
    tied[:-1] |= same
    return tied


def _numbers(data, begin, length, start):
    """Return eight bytes of each string from offset `start` as one uint64, with zeros after the end of the string."""
    number = np.zeros(len(begin), dtype=np.uint64)
    shortest = int(length.min())
    for k in range(start, start + 8):
        number <<= np.uint64(8)
        if k < shortest:
            number |= data[begin + k]
        else:
            longer = length > k
            number[longer] |= data[begin[longer] + k]
    return number
