"""Checks of arguments of plain Python that any call may have."""

import numpy as np

from ..exceptions import InputTypeError
from ._shown import show

__all__ = ["check_flag", "is_hashable"]


def check_flag(name, value):
    """Refuse anything but True and False, of Python or NumPy, as the argument `name`."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{name} must be True or False; got {show(value)}. Pass one of the two.")


def is_hashable(value):
    """Return True for a value that can be a key of a dict, as ids are; a tuple of lists cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
