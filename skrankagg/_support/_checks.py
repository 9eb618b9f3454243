"""Checks of single arguments. All functions use these checks, so that messages are uniform."""

import math
from numbers import Number

import numpy as np

from ..exceptions import InputError, InputTypeError
from ._suggestions import did_you_mean
from ._values import as_float, is_integer, is_real, show


def check_flag(name, value):
    """Raise InputTypeError unless the argument `name` is a bool of Python or NumPy."""
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"`{name}` must be True or False; got {show(value)}. Pass one of the two.")


def check_choice(name, value, options):
    """Raise InputError unless a value is one of the `options`.

    >>> from skrankagg._support._checks import check_choice
    >>> check_choice("ties", "b", ["a", "b"])
    >>> check_choice("norm", "minmax", ["min-max", "z-score"])
    Traceback (most recent call last):
    ...
    skrankagg.exceptions.InputError: `norm` must be one of 'min-max', 'z-score'; got 'minmax' (did you mean 'min-max'?).
    """
    options = list(options)
    # Other types are refused before the comparison, because comparing an array with a string gives an array.
    if not isinstance(value, str | Number | type(None)) or value not in options:
        hint = did_you_mean(value, options)
        listed = ", ".join(map(repr, options))
        raise InputError(f"`{name}` must be one of {listed}; got {show(value)}{hint}.", parameter=name)


def check_count(name, value, least=1):
    """Raise InputError unless a value is an integer of at least `least`.

    >>> from skrankagg._support._checks import check_count
    >>> check_count("top", True)
    Traceback (most recent call last):
    ...
    skrankagg.exceptions.InputError: `top` must be a whole number of at least 1; got True.
    """
    if not is_integer(value) or value < least:
        raise InputError(f"`{name}` must be a whole number of at least {least}; got {show(value)}.", parameter=name)


def check_number(name, value, low, high=math.inf, *, whole=False):
    """Raise InputError unless a value is a finite number from `low` to `high`; with `whole`, it must be an integer.

    >>> from skrankagg._support._checks import check_number
    >>> check_number("absent", 2, 0, 1)
    Traceback (most recent call last):
    ...
    skrankagg.exceptions.InputError: `absent` must be a finite number from 0 to 1; got 2.
    """
    if (is_integer(value) if whole else is_real(value)) and low <= value <= high and math.isfinite(as_float(value)):
        return
    noun = "a whole number" if whole else "a finite number"
    span = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
    raise InputError(f"`{name}` must be {noun} {span}; got {show(value)}.", parameter=name)


def check_share(name, value, *, low=True, high=True):
    """Raise InputError unless a value is a number between 0 and 1.

    0 is allowed if `low` is true, and 1 is allowed if `high` is true.

    >>> from skrankagg._support._checks import check_share
    >>> check_share("confidence", 1.0, low=False, high=False)
    Traceback (most recent call last):
    ...
    skrankagg.exceptions.InputError: `confidence` must be between 0 and 1, both excluded; got 1.0.
    """
    number = as_float(value)
    if (0 < number < 1) or (low and number == 0) or (high and number == 1):
        return
    bounds = {
        (True, True): "from 0 to 1",
        (False, True): "above 0 and at most 1",
        (True, False): "at least 0 and below 1",
        (False, False): "between 0 and 1, both excluded",
    }[low, high]
    raise InputError(f"`{name}` must be {bounds}; got {show(value)}.", parameter=name)
