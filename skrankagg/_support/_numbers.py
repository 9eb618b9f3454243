"""What counts as a number where a parameter expects one: True and False, which are integers to Python, do not."""

from numbers import Integral, Real

__all__ = ["is_integer", "is_real"]


def is_integer(value):
    """Whether a value is an integer of Python or NumPy, and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_real(value):
    """Whether a value is a real number of Python or NumPy, an integer among them, and not a bool."""
    return isinstance(value, Real) and not isinstance(value, bool)
