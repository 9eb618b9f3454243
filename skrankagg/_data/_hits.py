"""Reading of Python lists that contain ids, (id, score) pairs, or hits of search clients."""

from collections.abc import Mapping, Set

import numpy as np
import pandas as pd

from .._support._values import is_hashable, is_integer, is_real, show
from ..exceptions import InputError, InputTypeError
from ._hit_forms import find_form, first_of_other_form, is_low_better, is_scored_hit, open_response, read_scores
from ._voter_names import near_voters

#: Accepted forms of lists, for error messages.
KINDS = "lists of ids, lists of (id, score), or dicts of id to score"


def as_hits(hits, caller, voter, *, scores):
    """Return the hits of a voter as a list; with `scores`, a dict of id to score is returned unchanged."""
    found = None if isinstance(hits, str | bytes) else open_response(hits)
    if found is not None:
        return found
    if scores and isinstance(hits, Mapping):
        return hits
    if isinstance(hits, str | bytes | Mapping | Set) or not np.iterable(hits):
        raise InputTypeError(
            f"`hits` of {caller} must have a list of hits for each voter, best first; voter {show(voter)} has "
            f"{show(hits)}. Pass the list that the client returns."
        )
    return list(hits)


def read_list(one, key, caller, name, *, declared=False, score=None):
    """Read a list of ids, pairs or hits, a dict of id to score, or the response of a search client.

    Returns four values: a list of the ids, the scores or None, the hits, and True if lower scores are better. If the
    list has only ids and scores, the ids are also the hits.

    `key` is the location of the id in a hit, or None. `score` is the location of the score, or None. With `declared`,
    the user has stated whether lower scores are better, so this is not inferred from the order of the hits.
    """
    if not isinstance(one, list | tuple):
        found = None if isinstance(one, np.ndarray) else open_response(one)
        if found is not None:
            one = found
        elif isinstance(one, Mapping):
            ids = list(one)
            return ids, list(one.values()), ids, False
        elif isinstance(one, np.ndarray | pd.Series | pd.Index) and one.ndim:
            _refuse_scores(one, caller, name)
            one = one.tolist()
        else:
            missing = one is None or isinstance(one, BaseException)
            raise InputTypeError(
                f"`lists` of {caller} must be {KINDS}; list {show(name)} is of type {type(one).__name__}. "
                + ("Leave it out, or pass strict=False." if missing else "Convert it to a list, best first.")
            )
    if not one:
        return [], None, [], False
    first = one[0]
    if key is None and score is None and _is_plain(first):
        return _read_plain(one, caller, name)
    if score is None and is_scored_hit(first):
        return _read_scored_hits(one, key, caller, name, declared)
    form = find_form(first)
    if form is not None:
        _check_form(form, one, caller, name)
    if key is not None:
        ids = [read_hit(hit, key, caller, name, place, form) for place, hit in enumerate(one, 1)]
        if hold_pairs(ids):
            ids, scores = split_pairs(ids, caller, lambda: f"list {show(name)}")
            return ids, scores, list(one), False
    elif form is not None:
        ids = _ids_of_form(form, one, caller, name)
    elif score is None:
        return _read_plain(one, caller, name)
    else:
        ids = list(one)
    if score is not None:
        scores = [read_score(hit, score, caller, name, place) for place, hit in enumerate(one, 1)]
        return ids, scores, list(one), False
    if form is None:
        return ids, None, list(one), False
    scores, lower = read_scores(form, one, caller, name, declared)
    return ids, scores, list(one), lower


def _refuse_scores(one, caller, name):
    """Raise an error for a Series of numbers, if its index probably contains the ids."""
    if not isinstance(one, pd.Series) or not pd.api.types.is_numeric_dtype(one.dtype):
        return
    if one.dtype.kind == "f" or not pd.api.types.is_integer_dtype(one.index.dtype):
        raise InputTypeError(
            f"`lists` of {caller} must be {KINDS}; list {show(name)} is a Series of numbers. Pass series.to_dict() if "
            "its index contains the ids, or series.tolist() if its values are the ids."
        )


def _is_plain(first):
    """Return True for an id that is a str or an int, or for a tuple that begins with such an id."""
    kind = type(first[0]) if type(first) is tuple and first else type(first)
    return kind is str or kind is int


def _read_plain(one, caller, name):
    """Read a list of ids or of (id, score) pairs."""
    if hold_pairs(one):
        ids, scores = split_pairs(one, caller, lambda: f"list {show(name)}")
        return ids, scores, ids, False
    ids = one if isinstance(one, list) else list(one)
    return ids, None, ids, False


def _read_scored_hits(pairs, key, caller, name, declared):
    """Read a list of (hit, score) pairs."""
    odd = next((place for place, one in enumerate(pairs, 1) if not is_scored_hit(one)), None)
    if odd is not None:
        raise InputError(
            f"A list of hits passed to {caller} must have scores for all hits, or for none; entry {odd} of list "
            f"{show(name)} is {show(pairs[odd - 1])}. Pass (hit, score) pairs, or only hits."
        )
    hits, scores = ([pair[k] for pair in pairs] for k in (0, 1))
    form = find_form(hits[0])
    _check_form(form, hits, caller, name)
    if key is None:
        ids = _ids_of_form(form, hits, caller, name)
    else:
        ids = [read_hit(hit, key, caller, name, place, form) for place, hit in enumerate(hits, 1)]
        if hold_pairs(ids):
            ids, scores = split_pairs(ids, caller, lambda: f"list {show(name)}")
            return ids, scores, hits, False
    return ids, scores, hits, not declared and is_low_better(scores, caller, name)


def _check_form(form, hits, caller, name):
    odd = first_of_other_form(form, hits)
    if odd is not None:
        raise InputError(
            f"All hits of a list passed to {caller} must have the same type and fields; hit {odd} of voter "
            f"{show(name)} differs from hit 1. Drop such hits, or pass a list of ids."
        )


def _ids_of_form(form, hits, caller, name):
    ids = list(map(form.read_id, hits))
    if None in ids:
        raise InputError(
            f"Every hit passed to {caller} must have an id; hit {ids.index(None) + 1} of voter {show(name)} has none. "
            "Name the field that contains the id with key=, such as key='page_content' for a LangChain Document."
        )
    return ids


def negate(scores):
    """Return the scores with the opposite sign; 0 stays 0, and values that are not numbers stay unchanged."""
    return [0 - one if is_real(one) else one for one in scores]


def check_key(key, names, strict, caller):
    """If `key` is a mapping, check it; raise InputError if the lists have no names.

    If `strict` is true, also raise InputError if the mapping contains a name that no list has.
    """
    if not isinstance(key, Mapping):
        return
    if names is None:
        raise InputError(
            f"`key` of {caller} must be a single key for unnamed lists; got a dict. Pass the lists as a dict, too."
        )
    if strict:
        refuse_other_names("key", key, names)


def refuse_other_names(parameter, given, names):
    """Raise an error if the mapping `given` has a key that is not the name of a list."""
    other = next((name for name in given if name not in names), None)
    if other is not None:
        raise InputError(
            f"With strict=True, `{parameter}` must name only lists that are passed; got {show(other)}"
            f"{suggest_list(other, names)}. The lists are {show(list(names))}."
        )


def suggest_list(name, names):
    """Return " (did you mean ...?)" with the most similar name of a list, or an empty text if no name is similar."""
    near = near_voters([name], list(names))
    return f" (did you mean {show(near[0][1])}?)" if near else ""


def is_pair(one):
    """Return True for an (item, score) pair; a list of two numbers is a list of two ids, not a pair."""
    if not isinstance(one, list | tuple) or len(one) != 2 or not is_real(one[1]):
        return False
    return isinstance(one, tuple) or isinstance(one[0], str)


def hold_pairs(places):
    """Return True for a list of (item, score) pairs.

    Either the first entry is a pair, or it is another list or tuple and a later entry is a pair.
    """
    if not len(places):
        return False
    return is_pair(places[0]) or (isinstance(places[0], list | tuple) and any(map(is_pair, places)))


def split_pairs(pairs, caller, where):
    """Split a list of (item, score) pairs into a list of items and a list of scores.

    `where` is a function that returns the description of the list for an error message.
    """
    try:
        items, scores = zip(*pairs, strict=True)
    except (TypeError, ValueError):
        odd = next(one for one in pairs if not is_pair(one))
        raise InputError(
            f"If a list passed to {caller} begins with an (item, score) pair, it must contain only pairs; {where()} "
            f"has {show(odd)}. Give a score to every item or to no item."
        ) from None
    return list(items), list(scores)


def read_hit(hit, where, caller, voter, place, form=None):
    """Return the id or the score of a hit, found by `where`: a key of a dict, an attribute, or a function of the hit.

    If `form` is given and the hit lacks this key or attribute, the metadata of the hit are searched.
    """
    try:
        if callable(where):
            return where(hit)
        return hit[where] if isinstance(hit, Mapping) else getattr(hit, where)
    except (KeyError, AttributeError, TypeError, IndexError) as error:
        fields = None if form is None or callable(where) else form.read_fields(hit)
        if isinstance(fields, Mapping) and is_hashable(where) and where in fields:
            return fields[where]
        raise InputError(
            f"Every hit passed to {caller} must have {show(where)}; hit {place} of voter {show(voter)} does not. Drop "
            f"that hit, or choose another key={'' if caller == 'fuse' else ' or score='}."
        ) from (error if callable(where) else None)


def read_score(hit, where, caller, voter, place):
    """Return the score of a hit as a number; integers are not converted to floats, so large integers stay exact."""
    value = read_hit(hit, where, caller, voter, place)
    if is_integer(value):
        return value
    try:
        if isinstance(value, str | bytes):  # float would convert text
            raise TypeError
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"The score of every hit passed to {caller} must be a number; hit {place} of voter {show(voter)} has "
            f"{show(value)}. Convert it with float."
        ) from None
