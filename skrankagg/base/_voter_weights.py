"""Weights that users assign to voters by name."""

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from .._data._frames import first_row, show_id
from .._data._voter_names import find_voters, near_voters, type_hint, unmatched
from ..exceptions import InputError, InputTypeError

#: A number for each voter, such as weights, numbers of items or cutoffs.
VoterWeights: TypeAlias = Mapping[Any, float] | pd.Series
#: Types that such a parameter may have, for the check.
BY_VOTER = [Mapping, pd.Series]
VOTER_WEIGHTS = {"voter_weights": [*BY_VOTER, None]}


def voter_series(given, name, *, whole=False):
    """Convert a mapping or Series, which contains a number for each voter, to a float64 Series.

    Raises InputTypeError if a value is not a number, and InputError if a voter has two values. Raises InputError if
    `whole` is true and a value is not an integer.
    """
    values = []
    for voter, value in given.items():
        if not isinstance(value, Real | Decimal | np.bool_) and value is not pd.NA and value is not None:
            raise InputTypeError(
                f"`{name}` must have a number for each voter; got {value!r} for {_plain(voter)!r}. Convert it, for "
                "example with float."
            )
        try:
            values.append(np.nan if value is pd.NA or value is None else float(value))
        except OverflowError:
            raise InputError(
                f"`{name}` must have numbers that fit into float64; got a larger number for {_plain(voter)!r}. Scale "
                "the numbers."
            ) from None
        if whole and np.isfinite(values[-1]) and values[-1] % 1:
            raise InputError(
                f"`{name}` must have whole numbers; got {values[-1]} for {_plain(voter)!r}. Round this number up."
            )
    given = pd.Series(values, index=given.index if isinstance(given, pd.Series) else list(given), dtype=np.float64)
    if given.index.has_duplicates:
        twice = show_id(given.index, first_row(given.index.duplicated()))
        raise InputError(f"`{name}` must have one value for each voter; got several for {twice}. Keep one value.")
    return given


def _plain(voter):
    return voter.item() if isinstance(voter, np.generic) else voter


def voter_values(lists, given, name, advice, *, whole=False):
    """Look up the value of each voter in `given`, a mapping or Series; return a float64 array.

    Voters without lists get 0.

    Raises InputError if a voter has two values, or if a voter with a list has no value; the message then contains
    `advice`. Raises InputTypeError if a value is not a number, and InputError if `whole` is true and a value is not an
    integer.

    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base._voter_weights import voter_values
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "w"], "item": ["a", "b"], "rank": [1, 1]})
    >>> voter_values(RankedLists.from_frame(frame), {"w": 2.0, "v": 0.5}, "voter_weights", "Give it a weight.")
    array([0.5, 2. ])
    """
    given = voter_series(given, name, whole=whole)
    place, voting = _look_up(lists, given, f"`{name}` must have a value", advice)
    return np.where(voting, given.to_numpy()[place], 0.0)


def _look_up(lists, given, rule, advice):
    """Return the position of each voter in the Series `given`, and a mask of the voters that have a list.

    Both results are arrays with a value for each voter of `lists`. The position of a voter that is missing from `given`
    is -1. Raises InputError if a voter with a list is missing from `given`. The message starts with `rule` and ends
    with `advice`.
    """
    place, voting = find_voters(given.index, lists.voters), np.zeros(lists.n_voters, dtype=bool)
    voting[lists.list_voter] = True
    unknown = voting & (place < 0)
    if unknown.any():
        raise InputError(
            f"{rule} for every voter; got none for {int(unknown.sum())} of {int(voting.sum())} voters. The first of "
            f"them is {show_id(lists.voters, first_row(unknown))}{_near_miss(lists, given.index, unknown)}. {advice}"
        )
    return place, voting


def _near_miss(lists, names, unknown):
    # A name without a list may be a misspelt name of a voter, or a name of another type.
    if unknown.all() and len(names):
        return type_hint(names, lists.voters, known_as="the names", given_as="the voters")
    spare = names[unmatched(names, lists.voters)].tolist()
    near = near_voters(lists.voters[[first_row(unknown)]].tolist(), spare)
    return f" (the name {near[0][1]!r} has no list; check its spelling)" if near else ""
