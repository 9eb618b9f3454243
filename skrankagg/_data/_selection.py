"""Selection of ranked lists by ids, and equality of two containers."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..exceptions import InputError, InputTypeError
from ._covariates import same_covariates
from ._frames import plain_index
from ._list_columns import same_extras
from ._voter_names import near_voters, type_hint


def mark_ids(index, ids, kind):
    """Return a mask of the ids of an index that are in `ids`; return None if `ids` is None."""
    if ids is None:
        return None
    if isinstance(ids, str | bytes) or not isinstance(ids, Iterable):
        raise InputTypeError(f"`{kind}` must be a list of ids; got {ids!r}. Write {kind}=[{ids!r}].")
    kept = np.zeros(len(index), dtype=bool)
    kept[find_ids(index, ids, kind)] = True
    return kept


def find_ids(index, ids, kind):
    """Return the position of each id in the index; raise InputError if the parameter named `kind` has unknown ids."""
    wanted = pd.Index([*ids], tupleize_cols=False)
    known = plain_index(index)
    place = known.get_indexer(wanted)
    unknown = wanted[place < 0]
    if len(unknown):
        raise InputError(
            f"`{kind}` must be among the ids of the lists; {_say_unknown(unknown, known, kind)}. Correct or drop "
            f"{'it' if len(unknown) == 1 else 'them'}."
        )
    return place


def _say_unknown(unknown, known, kind):
    first = unknown.tolist()[0]
    near = near_voters([first], known.tolist()) if kind == "voters" else []
    if near:
        hint = f" (did you mean {near[0][1]!r}?)"
    else:
        hint = type_hint(known, unknown, known_as="the ids of the lists", given_as="the requested ones")
    if len(unknown) == 1:
        return f"{first!r} is not one of them{hint}"
    return f"{len(unknown)} requested ids are not (the first is {first!r}){hint}"


def selected(lists, query_kept, voter_kept, item_kept):
    """Combine masks of queries, voters and items; return a mask of the selected lists, and one of the selected rows."""
    list_kept = np.ones(lists.n_lists, dtype=bool)
    if query_kept is not None:
        list_kept &= query_kept[lists.list_query]
    if voter_kept is not None:
        list_kept &= voter_kept[lists.list_voter]
    row_kept = list_kept[lists.row_list]
    if item_kept is not None:
        row_kept &= item_kept[lists.candidate_item][lists.candidate]
        list_kept = np.logical_or.reduceat(row_kept, lists.row_ptr[:-1])
    if not list_kept.any():
        raise InputError(
            "At least one list must match `queries`, `voters` and `items` together; no list matches all of them. Drop "
            "one of the three."
        )
    return list_kept, row_kept


def same_lists(one, other):
    """Return True if two containers have exactly the same lists; ids are compared by value."""
    if (one.n_queries, one.n_lists, one.has_scores) != (other.n_queries, other.n_lists, other.has_scores):
        return False
    return (
        all(
            np.array_equal(getattr(one, name), getattr(other, name))
            for name in ("list_ptr", "row_ptr", "list_weight", "candidate_ptr")
        )
        and plain_index(one.queries).equals(plain_index(other.queries))
        and _same_ids(one.voters, one.list_voter, other.voters, other.list_voter)
        and _same_ids(one.items, one.candidate_item, other.items, other.candidate_item)
        and all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("candidate", "rank"))
        and (not one.has_scores or np.array_equal(one.score, other.score))
        and same_extras(one, other)
        and same_covariates(one, other)
    )


def _same_ids(ours, our_codes, theirs, their_codes):
    """Return True if two arrays of codes, which are positions in two indexes, represent the same ids."""
    if ours is theirs:
        return np.array_equal(our_codes, their_codes)
    place = plain_index(ours).get_indexer(plain_index(theirs))
    return np.array_equal(our_codes, place[their_codes])
