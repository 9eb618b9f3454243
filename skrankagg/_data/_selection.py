"""Selection of ranked lists by ids, and equality of two containers."""

from collections.abc import Collection, Hashable, Iterable
from typing import Self

import numpy as np
import pandas as pd

from ..exceptions import InputError, InputTypeError
from ._frames import plain_index
from ._voter_names import near_voters, type_hint

__all__ = ["Selection"]


class Selection:
    """Methods of :class:`~skrankagg.RankedLists` that use ids rather than positions."""

    def select(
        self,
        *,
        queries: Collection[Hashable] | None = None,
        voters: Collection[Hashable] | None = None,
        items: Collection[Hashable] | None = None,
    ) -> Self:
        """Select the lists of some queries and voters, with some items, by their ids.

        Parameters
        ----------
        queries, voters, items : collection of ids, default=None
            Ids to keep, in any order; None keeps all.

        Returns
        -------
        RankedLists
            The lists in their original order. Ranks close up where items are left out. Lists without any of the items
            are dropped, and so are queries without lists. ``voters`` and ``items`` remain those of the whole data set,
            as in :meth:`take`.

        Raises
        ------
        TypeError
            If ids are not given as a collection.
        ValueError
            If an id is unknown, or nothing is left.

        See Also
        --------
        take : Queries by their positions, such as ``lists[[0]]``.
        judged : Queries that have judgements.
        keep_lists, keep_rows : By masks.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> lists = RankedLists.from_lists({"Smith": ["TP53", "KRAS"], "Wu": ["KRAS", "MYC", "TP53"], "Lee": ["MYC"]})
        >>> lists.select(voters=["Wu", "Smith"], items=["TP53", "MYC"]).to_runs()
        {'Smith': {'q': ['TP53']}, 'Wu': {'q': ['MYC', 'TP53']}}
        """
        query_kept = _mask(self.queries, queries, "queries")
        voter_kept, item_kept = _mask(self.voters, voters, "voters"), _mask(self.items, items, "items")
        if voter_kept is None and item_kept is None:
            return self if query_kept is None else self.take(np.flatnonzero(query_kept))
        list_kept = np.ones(self.n_lists, dtype=bool)
        if query_kept is not None:
            list_kept &= query_kept[self.list_query]
        if voter_kept is not None:
            list_kept &= voter_kept[self.list_voter]
        row_kept = list_kept[self.row_list]
        if item_kept is not None:
            row_kept &= item_kept[self.candidate_item][self.candidate]
            list_kept = np.logical_or.reduceat(row_kept, self.row_ptr[:-1])
        if not list_kept.any():
            raise InputError(
                "No list matches queries=, voters= and items= together, although each id is known. Drop one of the "
                "three."
            )
        return self._keep(list_kept, row_kept)[0]

    def equals(self, other: object) -> bool:
        """Return True if another container has the same lists.

        Parameters
        ----------
        other : RankedLists
            Anything else is not equal.

        Returns
        -------
        bool
            Whether the queries are the same, in the same order, and so are the voters, items, ranks, scores and weights
            of their lists, to the last bit. Ids are compared by value and not by dtype. Voters and items without a
            list, which :meth:`take` and :meth:`select` leave, do not count.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> lists = RankedLists.from_lists({"u": ["a", "b"], "v": ["b"]})
        >>> lists.equals(RankedLists.from_frame(lists.to_frame())), lists.equals(lists.select(voters=["u"]))
        (True, False)
        """
        if not isinstance(other, Selection):
            return False
        if self is other:
            return True
        if (self.n_queries, self.n_lists, self.has_scores) != (other.n_queries, other.n_lists, other.has_scores):
            return False
        return (
            all(
                np.array_equal(getattr(self, name), getattr(other, name))
                for name in ("list_ptr", "row_ptr", "list_weight", "candidate_ptr")
            )
            and plain_index(self.queries).equals(plain_index(other.queries))
            and _same_ids(self.voters, self.list_voter, other.voters, other.list_voter)
            and _same_ids(self.items, self.candidate_item, other.items, other.candidate_item)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ("candidate", "rank"))
            and (not self.has_scores or np.array_equal(self.score, other.score))
        )


def _mask(index, ids, kind):
    """Mark the requested ids of an index, bool (n_ids,); None for all."""
    if ids is None:
        return None
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise InputTypeError(f"`{kind}` must be a list of ids; got {ids!r}. Write {kind}=[{ids!r}].")
    wanted = pd.Index([*ids], tupleize_cols=False)
    known = plain_index(index)
    place = known.get_indexer(wanted)
    unknown = wanted[place < 0]
    if len(unknown):
        raise InputError(
            f"`{kind}` must be among the ids of the lists; {_say_unknown(unknown, known, kind)}. Correct or drop "
            f"{'it' if len(unknown) == 1 else 'them'}."
        )
    kept = np.zeros(len(index), dtype=bool)
    kept[place] = True
    return kept


def _say_unknown(unknown, known, kind):
    first = unknown.tolist()[0]
    near = near_voters([first], known.tolist()) if kind == "voters" else []
    if near:
        hint = f" (did you mean {near[0][1]!r}?)"
    else:
        hint = type_hint(known, unknown, known_as="the ids of the lists", given_as="the requested ones")
    if len(unknown) == 1:
        return f"{first!r} is not one of them{hint}"
    return f"{len(unknown)} requested ids are not, the first is {first!r}{hint}"


def _same_ids(ours, our_codes, theirs, their_codes):
    """Return True if codes (n,) of two indexes stand for the same ids."""
    if ours is theirs:
        return np.array_equal(our_codes, their_codes)
    place = plain_index(ours).get_indexer(plain_index(theirs))
    return np.array_equal(our_codes, place[their_codes])
