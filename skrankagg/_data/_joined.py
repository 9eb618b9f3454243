"""Combination of several RankedLists into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._support._values import show
from ..exceptions import InputError
from ._covariates import covariate_names
from ._frames import plain_index
from ._list_columns import group_names

if TYPE_CHECKING:
    from ._ranked_lists import RankedLists


def concat(cls, lists: Sequence[RankedLists]):
    """Combine several RankedLists into one.

    Parameters
    ----------
    lists : sequence of RankedLists
        Containers without common (query, voter) pairs. Either all or none must have scores. All must have the same
        groupings and the same covariates. Voters of paired comparisons are renumbered, so that no two comparisons have
        the same voter. If the voters of other lists have names, the voters of comparisons are called "comparison 0",
        "comparison 1", and so on.

    Returns
    -------
    RankedLists

    Raises
    ------
    ValueError
        If there are no containers, if two containers have a list of the same voter for the same query, or if only some
        containers have scores. If groupings or covariates differ.

    See Also
    --------
    take : Selects queries.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> monday = RankedLists.from_lists({"bm25": ["a", "b"]}, query="q1")
    >>> tuesday = RankedLists.from_lists({"bm25": ["c", "a"]}, query="q2")
    >>> RankedLists.concat([monday, tuesday]).n_queries
    2
    """
    parts = list(lists)
    if not parts or not all(isinstance(part, cls) for part in parts):
        raise InputError(f"`lists` of RankedLists.concat must contain at least one RankedLists; got {parts!r}.")
    if len({part.has_scores for part in parts}) > 1:
        raise InputError(
            "`lists` of RankedLists.concat must all have scores, or all lack scores; only some have scores. Remove "
            "these scores with RankedLists.from_frame(part.to_frame(), score=None)."
        )
    for kind, names_of in (("groupings", group_names), ("covariates", covariate_names)):
        if any(names_of(part) != names_of(parts[0]) for part in parts):
            raise InputError(
                f"`lists` of RankedLists.concat must all have the same {kind}; got "
                f"{', '.join(str(names_of(part)) for part in parts)}."
            )
    return cls.from_frame(
        _join_frames(parts), groups=group_names(parts[0]), covariates=covariate_names(parts[0]) or None
    )


def _join_frames(parts):
    """Return one long frame with the lists of several RankedLists, which have groupings of the same names.

    A grouping is a column that is constant within each list, such as the judge.

    Comparisons of different RankedLists get different numbers in the column `duel`. If one of these RankedLists
    contains only comparisons, its voters are renumbered.
    """
    frames = [part.to_frame().assign(weight=part.list_weight[part.row_list]) for part in parts]
    of_duels = [part.list_duel is not None and bool(part.list_duel.all()) for part in parts]
    if not all(of_duels):  # comparisons that were read from a frame may have named voters
        of_duels = [one and _are_numbers(part.voters) for one, part in zip(of_duels, parts, strict=True)]
    others = [part for part, is_duels in zip(parts, of_duels, strict=True) if not is_duels]
    name_of = _free_names([plain_index(part.voters) for part in others])
    n_lists = n_duels = 0
    for part, frame, is_duels in zip(parts, frames, of_duels, strict=True):
        if is_duels:
            frame["voter"] = name_of(part.row_list + np.int64(n_lists))
            n_lists += part.n_lists
        if part.list_duel is not None:
            frame["duel"] = np.where(frame["duel"] > 0, frame["duel"] + n_duels, frame["duel"])
            n_duels += max(int(part.list_duel.max()), 0)
        elif any(other.list_duel is not None for other in parts):
            frame["duel"] = 0
    if others:
        _refuse_common(others)
    return pd.concat(frames)


def _are_numbers(voters):
    return pd.api.types.is_integer_dtype(plain_index(voters).dtype)


def _free_names(taken):
    """Return a function that turns the numbers of comparisons into new ids of voters, which are not in `taken`.

    `taken` is a list of indexes with the ids of all other voters. If all these ids are integers, the new ids are
    integers, too.
    """
    if all(map(_are_numbers, taken)):
        least = max((int(voters.max()) + 1 for voters in taken), default=0)
        return lambda numbers: numbers + max(least, 0)
    names, prefix = {str(one) for voters in taken for one in voters}, "comparison"
    while any(one.startswith(f"{prefix} ") for one in names):
        prefix += "_"

    def name_of(numbers):
        found, number = np.unique(numbers, return_inverse=True)
        # Numbers with leading zeros keep the comparisons in order when the names are sorted.
        width = len(str(found[-1]))
        return pd.Series([f"{prefix} {one:0{width}d}" for one in found.tolist()]).take(number).array

    return name_of


def _refuse_common(parts):
    """Raise InputError if two of the RankedLists in `parts` have a list of the same voter for the same query."""
    pairs = pd.concat(
        [
            pd.DataFrame(
                {
                    "query": plain_index(part.queries).take(part.list_query),
                    "voter": plain_index(part.voters).take(part.list_voter),
                }
            )
            for part in parts
        ]
    )
    twice = pairs.duplicated().to_numpy()
    if twice.any():
        query, voter = (show(one) for one in pairs.iloc[int(np.argmax(twice))])
        raise InputError(
            f"`lists` of RankedLists.concat must contain only one list for each query and voter; query {query} has "
            f"two lists of voter {voter}. Rename the voter, or drop one of the lists."
        )
