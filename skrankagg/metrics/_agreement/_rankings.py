"""Conversion of users' rankings to ranks over a common set of items.

>>> from skrankagg.metrics._agreement._rankings import align
>>> align(["a", ["b", "c"]], {"c": 1, "d": 2})
array([[1. , 2.5, 2.5, nan],
       [nan, nan, 1. , 2. ]])
"""

from collections.abc import Mapping, Sequence
from math import isfinite
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from ...exceptions import InputError, InputTypeError

#: A list of items, best first, in which a nested set or list contains tied items; or a mapping of item to rank.
Ranking: TypeAlias = Sequence[Any] | Mapping[Any, float] | pd.Series

_TIES = (set, frozenset, list)


def tie_places(rank):
    """Return the first and the last place of each item's tie group, as two arrays of shape (n_items,).

    Places are counted from 1. The ranks must not contain NaN.
    """
    ordered = np.sort(rank)  # several times faster than scipy's rankdata for the few items of most lists
    return np.searchsorted(ordered, rank, side="left") + 1, np.searchsorted(ordered, rank, side="right")


def mid_rank(rank):
    """Return the mean place of each item's tie group, counted from 1."""
    first, last = tie_places(rank)
    return (first + last) / 2


def align(*rankings):
    """Return the mid-ranks of several rankings as a matrix of shape (n_rankings, n_items); NaN marks absent items."""
    ranks = [_ranks(ranking) for ranking in rankings]
    items = {item: k for k, item in enumerate(dict.fromkeys(item for rank in ranks for item in rank))}
    table = np.full((len(ranks), len(items)), np.nan)
    for row, rank in zip(table, ranks, strict=True):
        # Python compares numbers exactly; in float64 several integers beyond 2 ** 53 would be equal.
        number = {value: k for k, value in enumerate(sorted(set(rank.values())))}
        row[[items[item] for item in rank]] = mid_rank(
            np.array([number[value] for value in rank.values()], dtype=np.int64)
        )
    return table


def _ranks(ranking):
    if isinstance(ranking, (Mapping, pd.Series)):
        ranks = {item: int(rank) if isinstance(rank, Integral) else float(rank) for item, rank in ranking.items()}
        if len(ranks) != len(ranking) or not all(isinstance(rank, int) or isfinite(rank) for rank in ranks.values()):
            raise InputError(
                "A mapping of item to rank must have exactly one finite rank for each item. Drop the items whose rank "
                "is repeated, missing or infinite."
            )
        return ranks
    if isinstance(ranking, (str, set, frozenset)) or not np.iterable(ranking):
        raise InputTypeError(
            "A ranking must be a list of items, best first, or a mapping of item to rank; got "
            f"{type(ranking).__name__}."
        )
    ranks, n_items = {}, 0
    for place, group in enumerate(ranking):
        group = group if isinstance(group, _TIES) else [group]
        ranks.update(dict.fromkeys(group, float(place)))
        n_items += len(group)
    if len(ranks) != n_items:
        raise InputError("A ranking must contain each item only once. Drop the repeats.")
    return ranks
