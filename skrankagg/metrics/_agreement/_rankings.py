"""Rankings as users write them, turned into ranks over a common set of items.

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

#: Items, best first, of which a set or a list in the place of an item ties; or the rank of each item.
Ranking: TypeAlias = Sequence[Any] | Mapping[Any, float] | pd.Series

_TIES = (set, frozenset, list)


def tie_places(rank):
    """First and last place, from 1, of the items that tie with each item, of shape (n_items,); no rank is NaN."""
    ordered = np.sort(rank)  # several times faster than scipy's rankdata for the few items of most lists
    return np.searchsorted(ordered, rank, side="left") + 1, np.searchsorted(ordered, rank, side="right")


def mid_rank(rank):
    """Mean place of each item and those that tie with it, from 1."""
    first, last = tie_places(rank)
    return (first + last) / 2


def align(*rankings):
    """Rank the union of the items: mid-ranks of shape (n_rankings, n_items), NaN where a ranking lacks the item."""
    ranks = [_ranks(ranking) for ranking in rankings]
    items = {item: k for k, item in enumerate(dict.fromkeys(item for rank in ranks for item in rank))}
    table = np.full((len(ranks), len(items)), np.nan)
    for row, rank in zip(table, ranks, strict=True):
        # Python compares numbers exactly; float64 makes several integers beyond 2 ** 53 one.
        number = {value: k for k, value in enumerate(sorted(set(rank.values())))}
        row[[items[item] for item in rank]] = mid_rank(
            np.array([number[value] for value in rank.values()], dtype=np.int64)
        )
    return table


def _ranks(ranking):
    if isinstance(ranking, (Mapping, pd.Series)):
        ranks = {item: int(rank) if isinstance(rank, Integral) else float(rank) for item, rank in ranking.items()}
        if len(ranks) != len(ranking) or not all(isinstance(rank, int) or isfinite(rank) for rank in ranks.values()):
            raise InputError("A ranking by item needs a finite rank for each item, once; drop the others.")
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
        raise InputError("A ranking must hold an item once; drop the repeats.")
    return ranks
