"""Look-up of the voters that a user names, with hints about misspelt names and about ids of another type.

The functions accept ids as indexes, such as ``RankedLists.voters``.
"""

import difflib
import re

import pandas as pd

from .._support._warn import warn_user
from ..exceptions import UnknownVoterWarning
from ._frames import plain_index

# Largest numbers of names and of voters whose spellings are compared, because the cost is their product. If more names
# are unknown, they are probably not misspelt.
_MOST_NAMES, _MOST_VOTERS = 20, 1000
# Pattern of numbers and single letters, which distinguish names of a series, such as v1 and v2, or run_a and run_b.
_NUMBER = re.compile(r"\d+|(?<![^\W_])[^\W\d_](?![^\W_])")


def find_voters(known, voters):
    """Look up voters among the known voters; return an array of their positions, -1 for an unknown voter."""
    return plain_index(known).get_indexer(plain_index(voters))


def unmatched(names, voters):
    """Return a mask of shape (n_names,): True for each name that is not the id of a voter."""
    return find_voters(voters, names) < 0


def near_voters(names, voters):
    """For each misspelt name, find the id of the voter that it probably means; return a list of (name, id) pairs.

    A pair is returned for each name that resembles exactly one id. A name resembles an id if they differ only in case,
    outer blanks, leading zeros or type. If there is no such id, a name resembles the ids with a similar spelling. Ids
    that differ in a number or a single letter, such as v1 and v10 or run_a and run_b, do not resemble each other.

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
    """Warn about names in a parameter that are probably misspelt ids of voters.

    `given` is the value of the parameter, a mapping or Series keyed by voter. An unknown name that resembles no id
    causes no warning. It may be the name of a voter whose lists are in another part of the data, such as another fold
    of a cross-validation.
    """
    known = plain_index(voters).tolist()
    if {*given.keys()}.issubset(known):
        return
    names = pd.Index(list(given.keys()))
    found = near_voters(names[unmatched(names, voters)].tolist(), known)
    if found:
        meant = "; ".join(f"{name!r} (did you mean {voter!r}?)" for name, voter in found)
        voters = "a voter that has no list" if len(found) == 1 else f"{len(found)} voters that have no list"
        warn_user(f"{parameter} names {voters}: {meant}. Correct or drop misspelt names.", UnknownVoterWarning)


def type_hint(known, given, *, known_as="the ids seen in fit", given_as="the ids here"):
    """Return a clause for an error message if the ids of two indexes have different types, otherwise an empty text.

    >>> import pandas as pd
    >>> from skrankagg._data._voter_names import type_hint
    >>> type_hint(pd.Index([1, 2]), pd.Index(["1", "2"]))
    " (the ids seen in fit are int, such as 1, the ids here str, such as '1')"
    """
    first, second = (plain_index(index)[[0]].tolist()[0] for index in (known, given))
    if type(first) is type(second):
        return ""
    kinds = type(first).__name__, type(second).__name__
    return f" ({known_as} are {kinds[0]}, such as {first!r}, {given_as} {kinds[1]}, such as {second!r})"


def _canonical(name):
    return re.sub(r"\d+", lambda digits: digits[0].lstrip("0") or "0", str(name).strip().casefold())
