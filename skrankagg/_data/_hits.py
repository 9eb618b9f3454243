"""The places of a list as people have them: an item with its score, or a hit of a search client."""

from collections.abc import Mapping

from .._support._numbers import is_real
from ..exceptions import InputError

__all__ = ["is_pair", "read_hit", "split_pairs"]


def is_pair(one):
    """Whether this is an item with its score, rather than an item or a list: a list of two numbers is a list."""
    if not isinstance(one, list | tuple) or len(one) != 2 or not is_real(one[1]):
        return False
    return isinstance(one, tuple) or isinstance(one[0], str)


def split_pairs(pairs, caller, where):
    """The items and the scores of a list of (item, score)."""
    try:
        items, scores = zip(*pairs, strict=True)
    except (TypeError, ValueError):
        odd = next(one for one in pairs if not is_pair(one))
        raise InputError(
            f"{caller} expects an item and a score at each place of a list that begins with such a pair; {where} holds "
            f"{odd!r}."
        ) from None
    return list(items), list(scores)


def read_hit(hit, where, caller, voter, place):
    """The id or the score of a hit: by a key of a dict, an attribute of an object, or a function of the hit."""
    try:
        if callable(where):
            return where(hit)
        return hit[where] if isinstance(hit, Mapping) else getattr(hit, where)
    except (KeyError, AttributeError):
        raise InputError(f"{caller} expects {where!r} in every hit; hit {place} of voter {voter!r} has none.") from None
