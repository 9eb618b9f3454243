"""Voters that do not match: names that no list has, and ids of another type than those that were learnt.

Ids come as indexes, as ``RankedLists.voters`` is one.
"""

import difflib
import re

import pandas as pd

from .._support._warn import warn_user
from ..exceptions import UnknownVoterWarning
from ._frames import plain_index

__all__ = ["near_voters", "type_hint", "unmatched", "warn_of_misspelt_names"]

# Comparing spellings costs the product of the two; where more is to be compared, names differ for another reason.
_MOST_NAMES, _MOST_VOTERS = 20, 1000
# What tells voters of a series apart: a number, or a letter that stands alone.
_NUMBER = re.compile(r"\d+|(?<![^\W_])[^\W\d_](?![^\W_])")


def unmatched(names, voters):
    """Which names (n_names,) are not the id of any voter, bool of the same shape."""
    return plain_index(voters).get_indexer(plain_index(names)) < 0


def near_voters(names, voters):
    """Find the ids that names, none of which is an id, were probably meant for: a list of (name, id).

    A pair stands for each name that resembles one id and no other: equal but for case, outer blanks, leading zeros and
    type, or else of similar spelling. Ids that differ by a number or a single letter, as v1 and v10 or run_a and run_b,
    do not resemble each other.

    >>> from skrankagg._data._voter_names import near_voters
    >>> near_voters(["gogle", "v10", "7"], ["bing", "google", "v1", "v2", 7])
    [('gogle', 'google'), ('7', 7)]
    """
    texts = {}
    for voter in voters:
        texts.setdefault(_canonical(voter), []).append(voter)
    found = []
    for name in names[:_MOST_NAMES]:
        text = _canonical(name)
        near = [text] if text in texts else []
        if not near and len(texts) <= _MOST_VOTERS:
            others = [other for other in texts if _NUMBER.sub("#", other) != _NUMBER.sub("#", text)]
            near = difflib.get_close_matches(text, others, n=2, cutoff=0.8)
        meant = [voter for one in near for voter in texts[one]]
        if len(meant) == 1:
            found.append((name, meant[0]))
    return found


def warn_of_misspelt_names(given, voters, parameter):
    """Warn of names in a parameter, a mapping or Series of voters, that resemble the id of a voter and are not one.

    A name that resembles none may be that of a voter of the same data set who has no list in this part of it, as in a
    fold of a cross-validation.
    """
    names = pd.Index(list(given.keys()))
    found = near_voters(names[unmatched(names, voters)].tolist(), plain_index(voters).tolist())
    if found:
        meant = "; ".join(f"{name!r} (did you mean {voter!r}?)" for name, voter in found)
        voters = "a voter that has no list" if len(found) == 1 else f"{len(found)} voters that have no list"
        warn_user(f"{parameter} names {voters}: {meant}. Correct or drop what is misspelt.", UnknownVoterWarning)


def type_hint(known, given, *, known_as="the ids seen in fit", given_as="those here"):
    """Say, as a clause of a message, that ids of which none match are of different types; empty where they are not.

    >>> import pandas as pd
    >>> from skrankagg._data._voter_names import type_hint
    >>> type_hint(pd.Index([1, 2]), pd.Index(["1", "2"]))
    " (the ids seen in fit are int, as 1, those here str, as '1')"
    """
    first, second = (plain_index(index)[[0]].tolist()[0] for index in (known, given))
    if type(first) is type(second):
        return ""
    return f" ({known_as} are {type(first).__name__}, as {first!r}, {given_as} {type(second).__name__}, as {second!r})"


def _canonical(name):
    return re.sub(r"\d+", lambda digits: digits[0].lstrip("0") or "0", str(name).strip().casefold())
