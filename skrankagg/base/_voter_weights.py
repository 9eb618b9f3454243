"""Weights that users give voters by name."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from .._data._frames import first_row, plain_index, show_id
from .._data._voter_names import near_voters, type_hint, unmatched
from ..exceptions import InputError

__all__ = ["VOTER_WEIGHTS", "VoterWeights", "voter_values"]

#: A number for each voter: what users give as weights, numbers of items or cutoffs.
VoterWeights: TypeAlias = Mapping[Any, float] | pd.Series
VOTER_WEIGHTS = {"voter_weights": [Mapping, pd.Series, None]}


def voter_values(lists, given, name, advice):
    """Look up what a mapping or Series gives each voter: float64 (n_voters,), 0 for voters without a list.

    Raises InputError if a voter that has a list is missing, with `advice` on those, or one has two values.

    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base._voter_weights import voter_values
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "w"], "item": ["a", "b"], "rank": [1, 1]})
    >>> voter_values(RankedLists.from_frame(frame), {"w": 2.0, "v": 0.5}, "voter_weights", "Give those a weight.")
    array([0.5, 2. ])
    """
    given = pd.Series(given, dtype=np.float64)
    if given.index.has_duplicates:
        twice = show_id(given.index, first_row(given.index.duplicated()))
        raise InputError(f"{name} must hold one value for each voter; it holds several for {twice}. Drop all but one.")
    place = plain_index(given.index).get_indexer(plain_index(lists.voters))
    voting = np.zeros(lists.n_voters, dtype=bool)
    voting[lists.list_voter] = True
    unknown = voting & (place < 0)
    if unknown.any():
        raise InputError(
            f"{name} must hold a value for every voter; {int(unknown.sum())} have none, the first is "
            f"{show_id(lists.voters, first_row(unknown))}{_near_miss(lists, given.index, unknown)}. {advice}"
        )
    return np.where(voting, given.to_numpy()[place], 0.0)


def _near_miss(lists, names, unknown):
    # A name that no list has may be the voter's, misspelt or of another type.
    if unknown.all() and len(names):
        return type_hint(names, lists.voters, known_as="the names", given_as="the voters")
    spare = names[unmatched(names, lists.voters)].tolist()
    near = near_voters(lists.voters[[first_row(unknown)]].tolist(), spare)
    return f" (the name {near[0][1]!r} has no list: is it meant?)" if near else ""
