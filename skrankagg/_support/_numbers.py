"""Numbers as parameters: True and False, which are integers to Python, do not count as numbers."""

import math
from numbers import Integral, Real


def is_integer(value):
    """Return True for an integer of Python or NumPy that is not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value):
    """Return True for a real number of Python or NumPy, including integers but not bools."""
    return isinstance(value, Real) and not isinstance(value, bool)


def as_float(value):
    """Convert a real number to a float, infinite if it is too large for one; NaN for anything else."""
    try:
        return float(value) if is_real(value) else math.nan
    except OverflowError:
        return math.inf


def is_finite(value):
    """Return True for a bool, and for a finite real number that fits into a float."""
    if type(value) is float:
        return math.isfinite(value)
    return isinstance(value, bool) or math.isfinite(as_float(value))
