"""Reading of the outcomes of paired comparisons, which are words or numbers, as published by arenas and LLM judges."""

from collections.abc import Mapping
from numbers import Real

import numpy as np
import pandas as pd

from .._support._values import is_finite, is_real, show
from ..exceptions import InputError, InputTypeError
from ._frames import first_row

#: Words for a win of the first item, a win of the second item, and a tie; in lower case, without outer blanks.
FIRST = ("model_a", "a", "first", "left", "x")
SECOND = ("model_b", "b", "second", "right", "y")
TIE = ("tie", "draw", "both", "tie (bothbad)", "bothbad", "both_bad", "both bad", "=")
WORDS = {**dict.fromkeys(FIRST, 1.0), **dict.fromkeys(SECOND, 0.0), **dict.fromkeys(TIE, 0.5)}

# Number of unknown values that a message lists.
_SHOWN = 5


def read_outcomes(values, first, second, names, given, titles):
    """Read a column of outcomes; return the first item's share of the win and the weight factor of each comparison.

    `first` and `second`, of shape (n_rows,), contain the compared items, as positions in `names`. `given` maps further
    outcomes to a share, or to a pair of a share and a factor. If `given` is None, only the usual words and numbers are
    accepted. `titles` is a dict of the names of the columns `first`, `second` and `outcome`. Both results have the
    shape (n_rows,) and the dtype float64.
    """
    title = titles["outcome"]
    try:
        # Strings are numbered before they become Python objects, which is faster because there are few different
        # outcomes.
        is_text = isinstance(values.dtype, pd.StringDtype)
        codes, found = values.array.factorize() if is_text else pd.factorize(np.asarray(values, dtype=object))
        found = np.asarray(found, dtype=object)
    except TypeError as error:
        raise InputTypeError(
            f"Column {title!r} must have words or numbers; got other values ({error}). Convert them to words."
        ) from None
    if (codes < 0).any():
        raise InputError(
            f"Column {title!r} must have an outcome in every row; {int((codes < 0).sum())} are missing, the first in "
            f"row {first_row(codes < 0)}. Drop those rows."
        )
    mapped = _read_map(given)
    given = {_plain(titles["first"]): (1.0, 1.0), _plain(titles["second"]): (0.0, 1.0), **mapped}
    meaning = [_meaning(_plain(one), given) for one in found]
    _refuse_two_codes(found, meaning, mapped, title)
    place = {_of_python(name): code for code, name in enumerate(names)}
    called = {_plain(name) for name in names}
    items = np.array([_place(one, place) for one in found], dtype=np.int64)
    _refuse_unclear(found, meaning, called, given, title)
    share = np.array([np.nan if pair is None else pair[0] for pair in meaning])[codes]
    factor = np.array([1.0 if pair is None else pair[1] for pair in meaning])[codes]
    # A word or a number with a meaning is an outcome, even if an item has the same name.
    winner = np.where(np.isnan(share), items[codes], -1)
    neither = np.isnan(share) & (winner != first) & (winner != second)
    if neither.any():
        _refuse_unknown(found, codes, items, neither, first, second, names, title)
    share = np.where(np.isnan(share), winner == first, share)
    return share, factor


def _read_map(given):
    """Convert the parameter `outcomes` to a dict of outcome to (share, factor); a missing factor is 1."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputTypeError(
            "`outcomes` must map each word to the first item's share of the win, such as {'A>B': 1}; got "
            f"{show(given)}."
        )
    read = {}
    for word, value in given.items():
        share, factor = value if isinstance(value, tuple | list) and len(value) == 2 else (value, 1.0)
        if not (is_real(share) and is_real(factor) and 0 <= share <= 1 and is_finite(factor) and factor > 0):
            raise InputError(
                "`outcomes` must map each word to the first item's share of the win (0 to 1), or to (share, weight) "
                f"with a weight above 0; {show(word)} has {show(value)}."
            )
        if read.get(_plain(word), (float(share), float(factor))) != (float(share), float(factor)):
            raise InputError(
                f"`outcomes` must not give one word two meanings; {show(word)} occurs twice, because upper and lower "
                "case are not distinguished. Rename one of the outcomes in the data."
            )
        read[_plain(word)] = float(share), float(factor)
    # Outcomes that are numbers in the data may be text in the mapping, as in JSON.
    return {float(word): pair for word, pair in read.items() if isinstance(word, str) and _is_number(word)} | read


def _of_python(one):
    return one.item() if isinstance(one, np.generic) else one


def _plain(one):
    """Normalise a value for comparison: make text lower case without outer blanks; convert NumPy numbers to Python."""
    return one.strip().casefold() if isinstance(one, str) else _of_python(one)


def _place(one, place):
    """Return the code of the item with the id `one`, or -1 if there is no such item.

    `place` is a dict of id to code. If a text is not found, it is looked up again without outer blanks.
    """
    one = _of_python(one)
    return place.get(one, place.get(one.strip(), -1) if isinstance(one, str) else -1)


def _meaning(one, given):
    """Return the share and the factor of a known outcome; return None for any other value, such as an item's id.

    The share is 1 if the first item wins, 0.5 for a tie, and 0 if the second item wins. The factor multiplies the
    comparison's weight.
    """
    if one in given:
        return given[one]
    if isinstance(one, str):
        if one in WORDS:
            return WORDS[one], 1.0
        try:
            one = float(one)
        except ValueError:
            return None
        if one in given:  # files contain numbers as text
            return given[one]
    if isinstance(one, Real | np.bool_) and 0 <= one <= 1:
        return float(one), 1.0
    return None


def _refuse_two_codes(found, meaning, mapped, title):
    """Raise InputError if a number without an entry in `outcomes` has the same meaning as a number with an entry.

    `mapped` contains the values with an entry, and `meaning` contains the meaning of each value in `found`.

    Only entries for numbers below 0 or above 1 are checked. For example, 0 usually means that the second item wins. If
    2 is mapped to a win of the second item, 0 is likely to mean something else.
    """
    numbers = {float(one): pair for one, pair in zip(found, meaning, strict=True) if pair and _is_number(one)}
    codes = {pair[0]: one for one, pair in numbers.items() if one in mapped and not 0 <= one <= 1}
    for one, pair in numbers.items():
        if one not in mapped and pair[0] in codes:
            code = codes[pair[0]]
            same = {1.0: "the first item wins", 0.0: "the second item wins"}.get(pair[0], "the share is the same")
            raise InputError(
                f"`outcomes` must also map the value {one:g} of column {title!r}, because otherwise {one:g} and "
                f"{code:g} both mean that {same}. If {one:g} is a tie, pass outcomes={{{code:g}: {pair[0]:g}, "
                f"{one:g}: 0.5}}."
            )


def _refuse_unclear(found, meaning, called, given, title):
    """Raise InputError if a value has a meaning as an outcome, but is also the id of an item."""
    for one, pair in zip(map(_of_python, found), meaning, strict=True):
        if pair is not None and _plain(one) in called and _plain(one) not in given:
            share = f"{pair[0]:g}"
            raise InputError(
                f"Column {title!r} has {show(one)}, which is an outcome and also the id of an item. If {show(one)} "
                f"always means the outcome, pass outcomes={{{one!r}: {share}}}. If it means the item, rename the item."
            )


def _is_number(one):
    """Return True for a number or for text that is a number; files contain numbers as text."""
    try:
        float(one)
    except (TypeError, ValueError):
        return False
    return True


def _refuse_unknown(found, codes, items, neither, first, second, names, title):
    row = first_row(neither)
    if items[codes[row]] >= 0:
        raise InputError(
            f"Column {title!r} must name one of the two items of its row; row {row} compares {names[first[row]]!r} and "
            f"{names[second[row]]!r}, but its winner is {names[items[codes[row]]]!r}. Correct or drop the row."
        )
    unknown = list(dict.fromkeys(_of_python(found[code]) for code in codes[neither] if items[code] < 0))
    shown = ", ".join(map(show, unknown[:_SHOWN])) + (", ..." if len(unknown) > _SHOWN else "")
    if any(map(_is_number, unknown)):
        raise InputError(
            f"Column {title!r} must have words, or the first item's shares of the win (0 to 1); got {shown}. Numbers "
            "such as 0, 1, 2 have no fixed meaning. Map them, for example with outcomes={1: 1, 2: 0, 0: 0.5} for "
            "first, second and tie."
        )
    raise InputError(
        f"Column {title!r} must have known outcomes; got {shown}. Map them to the first item's share of the win, such "
        f"as outcomes={{{unknown[0]!r}: 0.5}} for a tie, or drop these rows."
    )
