"""Reading of a list's entries from Python objects: (item, score) pairs, or hits of a search client."""

from collections.abc import Mapping, Set

import numpy as np

from .._support._values import is_integer, is_real, show
from ..exceptions import InputError, InputTypeError


def is_pair(one):
    """Return True for an (item, score) pair; a list of two numbers is read as two ids, not as a pair."""
    if not isinstance(one, list | tuple) or len(one) != 2 or not is_real(one[1]):
        return False
    return isinstance(one, tuple) or isinstance(one[0], str)


def hold_pairs(places):
    """Return True for a list of (item, score) pairs.

    The result is True if the first entry is a pair. It is also True if the first entry is some other list or tuple, and
    a later entry is a pair.
    """
    if not len(places):
        return False
    return is_pair(places[0]) or (isinstance(places[0], list | tuple) and any(map(is_pair, places)))


def split_pairs(pairs, caller, where):
    """Split a list of (item, score) pairs; return the items and the scores."""
    try:
        items, scores = zip(*pairs, strict=True)
    except (TypeError, ValueError):
        odd = next(one for one in pairs if not is_pair(one))
        raise InputError(
            f"A list for {caller} that begins with an (item, score) pair must contain only pairs; {where} "
            f"has {show(odd)}. Give a score to every item or to no item."
        ) from None
    return list(items), list(scores)


def as_hits(hits, caller, voter):
    """Return the hits of a voter as a list."""
    if isinstance(hits, str | bytes | Mapping | Set) or not np.iterable(hits):
        raise InputTypeError(
            f"`hits` of {caller} must have a list of hits for each voter, best first; voter {show(voter)} has "
            f"{show(hits)}. Pass the list that the client returns."
        )
    return list(hits)


def read_hit(hit, where, caller, voter, place):
    """Return the id or the score of a hit; `where` is a key of a dict, an attribute, or a function of the hit."""
    try:
        if callable(where):
            return where(hit)
        return hit[where] if isinstance(hit, Mapping) else getattr(hit, where)
    except (KeyError, AttributeError, TypeError, IndexError) as error:
        raise InputError(
            f"Every hit must have {show(where)} for {caller}; hit {place} of voter {show(voter)} has none. Drop that "
            "hit, or choose another key= or score=."
        ) from (error if callable(where) else None)


def read_score(hit, where, caller, voter, place):
    """Return the score of a hit as a number; integers stay integers, so that large integers keep their order."""
    value = read_hit(hit, where, caller, voter, place)
    if is_integer(value):
        return value
    try:
        if isinstance(value, str | bytes):  # which float would convert
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"The score of every hit must be a number for {caller}; hit {place} of voter {show(voter)} has "
            f"{show(value)}. Convert it with float."
        ) from None
