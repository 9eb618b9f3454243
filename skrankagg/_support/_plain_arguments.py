"""Checks of plain Python arguments that any function may take."""

import numpy as np

from ..exceptions import InputTypeError
from ._shown import show


def check_flag(name, value):
    """Raise InputTypeError unless the argument `name` is True or False, of Python or NumPy."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"`{name}` must be True or False; got {show(value)}. Pass one of the two.")


def is_hashable(value):
    """Return True for a value that can be a key of a dict, as ids are; a tuple of lists cannot."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
