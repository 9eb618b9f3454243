"""Reading of ballots, given as text or as lists of levels, and counting of equal ballots."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence, Set
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from .._support._checks import check_flag
from .._support._values import as_float, show
from ..exceptions import InputError, InputTypeError

#: A ballot is a tuple of levels, best first. Each level is a sorted tuple of tied items.
Levels = tuple[tuple[Hashable, ...], ...]


def count_ballots(ballots: Any, counts: Any, caller: str, *, strip: bool) -> Counter[Levels]:
    """Return a Counter of the distinct ballots and their total counts, in order of first appearance."""
    check_flag("strip", strip)
    if isinstance(ballots, str | bytes) or not isinstance(ballots, Sequence | np.ndarray) or not np.iterable(ballots):
        raise InputTypeError(f"`ballots` of {caller} must be a sequence of ballots; got {type(ballots).__name__}.")
    counts = [1] * len(ballots) if counts is None else as_counts(counts, caller)
    if len(counts) != len(ballots):
        raise InputError(
            f"`counts` of {caller} must have one number for each ballot; got {len(counts)} numbers and "
            f"{len(ballots)} ballots."
        )
    total: Counter[Levels] = Counter()
    for ballot, count in zip(ballots, counts, strict=True):
        total[_levels(ballot, caller, strip)] += count
    return total


def as_counts(counts, caller):
    """Return the count of each ballot as a list; raise an error if a count is negative or not finite."""
    if isinstance(counts, str | bytes | Mapping | Set) or not np.iterable(counts):
        raise InputTypeError(
            f"`counts` of {caller} must be a sequence of numbers, one for each ballot; got {type(counts).__name__}."
        )
    counts = list(counts)
    for count in counts:
        if not 0 <= as_float(count) < np.inf:
            raise InputError(
                f"`counts` must be finite numbers of at least 0; got {show(count)} for one ballot. Drop that ballot."
            )
    return counts


def _levels(ballot, caller, strip):
    """Return the levels of a ballot as a tuple, best level first; a level is a sorted tuple of items that tie."""
    if isinstance(ballot, str):
        levels = [split_level(level) for level in ballot.split(">")]
    elif isinstance(ballot, bytes | Mapping | Set) or not np.iterable(ballot):
        raise InputTypeError(
            f"Each ballot passed to {caller} must be text such as 'A > B = C', or a list of items, best first, in "
            f"which tied items form a list; got {show(ballot)}."
        )
    else:
        levels = [list(level) if _is_level(level) else [level] for level in ballot]
        if strip:
            levels = [[one.strip() if isinstance(one, str) else one for one in level] for level in levels]
    items = list(chain.from_iterable(levels))
    try:
        repeated = len(set(items)) != len(items)
        ordered = tuple(tuple(sorted(level)) for level in levels)
    except TypeError as error:
        raise InputTypeError(
            f"Tied items in a ballot passed to {caller} must be of one sortable type, such as str or int; "
            f"got {show(ballot)} ({error}). Write tied items as a list inside the ballot."
        ) from None
    if not items or not all(levels) or _any_missing(items) or "" in items:
        raise InputError(
            f"Each place of a ballot passed to {caller} must contain at least one item, as in 'A > B = C'; got "
            f"{show(ballot)}."
        )
    if repeated:
        raise InputError(f"Each ballot passed to {caller} must contain an item only once; got {show(ballot)}.")
    return ordered


def split_level(text):
    """Split the text of one level of a ballot into its tied items.

    >>> from skrankagg._data._ballots import split_level
    >>> split_level(" B = C ")
    ['B', 'C']
    """
    return [item.strip() for item in text.split("=")]


def _is_level(one):
    return isinstance(one, list | tuple | Set | np.ndarray) and np.iterable(one)


def _any_missing(items):
    return set(map(type, items)) != {str} and any(pd.isna(one) is True for one in items)
