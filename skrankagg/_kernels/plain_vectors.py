"""Replacement for the vectors of librt in plain Python, for platforms on which librt is not available.

The kernels import the extension module ``librt.vecs``. If librt is not installed, :func:`vectors` puts this module in
its place while the kernels are imported. The kernels then run as plain Python.
"""

import importlib
import sys
from array import array
from contextlib import contextmanager

from mypy_extensions import i64


class _Floats(array):
    def __new__(cls, values=()):
        return super().__new__(cls, "d", _content(values, "d"))


class _Integers(array):
    def __new__(cls, values=()):
        return super().__new__(cls, "q", _content(values, "q"))


def _content(values, code):
    # Bytes are copied unchanged. Any other input is converted and checked item by item.
    return values.tobytes() if getattr(getattr(values, "dtype", None), "char", None) in _CHARS[code] else values


#: NumPy's codes for the same types. An integer of 64 bits is a long on some platforms and a long long on others.
_CHARS = {"d": ("d",), "q": ("l", "q") if array("l").itemsize == 8 else ("q",)}


class vec:
    """Namespace of the vector types ``vec[float]`` and ``vec[i64]``, as in librt."""

    def __class_getitem__(cls, item):
        return {float: _Floats, i64: _Integers}[item]


def append(vector, value):
    """Append a value to a vector and return the vector, as in librt, where the returned vector may be a new object."""
    vector.append(value)
    return vector


@contextmanager
def vectors():
    """Return a context in which ``import librt.vecs`` finds this module if librt is not installed.

    After the context, ``sys.modules`` is unchanged, so other packages do not find this module as librt.
    """
    try:
        importlib.import_module("librt.vecs")
    except ImportError:
        stand_in = {"librt": sys.modules[__package__], "librt.vecs": sys.modules[__name__]}
        before = {name: sys.modules[name] for name in stand_in if name in sys.modules}
        sys.modules.update(stand_in)
        try:
            yield
        finally:
            for name in stand_in:
                del sys.modules[name]
            sys.modules.update(before)
    else:
        yield
