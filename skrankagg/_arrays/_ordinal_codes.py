"""Conversion of numbers to unsigned integers with the same order, for algorithms that only compare numbers.

The greater of two numbers has the greater code, and equal numbers have the same code.

>>> import numpy as np
>>> from skrankagg._arrays._ordinal_codes import dense_codes, span_codes
>>> span_codes(np.array([[0, 5], [-1, 5]]))
(array([[1, 6],
       [0, 6]], dtype=uint8), array([-1.,  0.,  1.,  2.,  3.,  4.,  5.]))
>>> dense_codes(np.array([0.0, 2.5, 2.5]))
(array([0, 1, 1], dtype=uint32), array([0. , 2.5]))
"""

import numpy as np

from ._ragged import is_whole

# Numbers of values that one byte, and two bytes, can represent.
_BYTE, _TWO_BYTES = 1 << 8, 1 << 16


def span_codes(value):
    """Convert integers to codes of one or two bytes; return the codes, and the value of each code.

    The least integer has code 0, the next integer code 1, and so on. Returns (codes, values); the codes have the shape
    of the input, and ``values[codes]`` restores the input. Returns None if some number is not an integer, or if the
    range is too large for two bytes.
    """
    flat = value.reshape(-1).astype(np.float64, copy=False)
    low, high = flat.min(initial=np.inf), flat.max(initial=-np.inf)
    if not (low < high + 1 and high < low + _TWO_BYTES and is_whole(flat)):
        return None
    code = np.empty(flat.shape, dtype=np.uint8 if high - low < _BYTE else np.uint16)
    np.subtract(flat, low, out=code, casting="unsafe")
    values = np.arange(low, high + 1)
    if len(values) > _BYTE:
        used = np.zeros(len(values), dtype=bool)
        used[code] = True
        if np.count_nonzero(used) <= _BYTE:
            code, values = (np.cumsum(used) - 1).astype(np.uint8)[code], values[used]
    return code.reshape(value.shape), values


def dense_codes(value):
    """Number the distinct values of an array in ascending order; return these numbers and the distinct values.

    The numbers, called codes, are uint32 and have the shape of the array. ``values[codes]`` restores the array, which
    must not contain NaN.
    """
    flat = value.reshape(-1)
    order = np.argsort(flat)
    ordered = flat[order]
    first = np.ones(len(flat), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    values = ordered[first]
    del ordered  # the matrices may be large
    number = np.cumsum(first, dtype=np.uint32)
    number -= 1
    code = np.empty(len(flat), dtype=np.uint32)
    code[order] = number
    return code.reshape(value.shape), values


def ordered_bits(value):
    """Convert floats to unsigned 64-bit integers that sort in the same order; the floats must not be NaN."""
    bits = (np.asarray(value, dtype=np.float64) + 0.0).view(np.int64)  # adding 0 turns -0 into 0
    negative = bits < 0
    np.bitwise_xor(bits, np.int64(np.iinfo(np.int64).min), out=bits, where=~negative)
    np.invert(bits, out=bits, where=negative)
    return bits.view(np.uint64)
