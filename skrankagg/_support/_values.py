"""Checks of the types of values that users pass, and conversion of values to text for messages.

True and False are not treated as numbers here, although they are numbers in Python.
"""

import math
import re
from numbers import Integral, Real

import numpy as np

_LONGEST = 80


def is_integer(value):
    """Return True for an integer of Python or NumPy that is not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value):
    """Return True for a real number of Python or NumPy, including integers but not bools."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_float(value):
    """Convert a real number to a float; a number that is too large becomes infinite. Any other value becomes NaN."""
    try:
        return float(value) if is_real(value) else math.nan
    except OverflowError:
        return math.inf


def is_finite(value):
    """Return True for a bool, and for a finite real number that fits into a float."""
    if type(value) is float:
        return math.isfinite(value)
    return isinstance(value, bool) or math.isfinite(as_float(value))


def is_hashable(value):
    """Return True for a value that can be a key of a dict; for example, a tuple of lists cannot be a key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def show(value: object) -> str:
    """Return the repr of a value on one line, for an error message; a long repr is cut at its end.

    >>> from skrankagg._support._values import show
    >>> show("d1"), show("x" * 100)[-6:]
    ("'d1'", 'xxx...')
    """
    try:
        text = repr(value.item() if isinstance(value, np.generic) else value)
    except Exception:  # a class defined by the user
        text = f"<{type(value).__name__}>"
    text = re.sub(r"\s*\n\s*", " ", text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
