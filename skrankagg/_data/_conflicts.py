"""Lists whose scores contradict their ranks: p-values and distances next to ranks, or two columns of different lists.

Methods of ranks use the ranks. Whatever reads the order of the scores refuses such lists, by :func:`check_scores`.
"""

import numpy as np

from .._arrays._ragged import starts_to_ptr
from ..exceptions import InputError
from ._frames import first_row, show_id

__all__ = ["CONFLICT_ADVICE", "check_scores", "describe_conflict", "find_conflicts"]

#: What to do about such lists, for messages.
CONFLICT_ADVICE = (
    "Drop the wrong one of the two columns, or pass rank=None or score=None to RankedLists.from_frame; negate scores "
    "of which lower is better."
)


def find_conflicts(row_ptr, tie_start, score):
    """Find lists with an item of better score than one of better rank: bool (n_lists,), None without such a list.

    The rows (n_rows,) of each list, best rank first, are given by `row_ptr` (n_lists + 1,); `tie_start` (n_rows,) marks
    those that open a list or a group of equal ranks.
    """
    ptr = starts_to_ptr(tie_start)
    worst, best = np.minimum.reduceat(score, ptr[:-1]), np.maximum.reduceat(score, ptr[:-1])
    turn = best[1:] > worst[:-1]
    turn &= ~np.isin(ptr[1:-1], row_ptr[1:-1], assume_unique=True)  # the next group opens another list
    if not turn.any():
        return None
    conflict = np.zeros(len(row_ptr) - 1, dtype=bool)
    conflict[np.searchsorted(row_ptr, ptr[1:-1][turn], side="right") - 1] = True
    return conflict


def check_scores(lists, reader, hint):
    """Raise InputError where scores are missing, or contradict the ranks in a list of weight above 0.

    For the message, `reader` is what reads the scores, and `hint` what to do about lists without any.
    """
    if not lists.has_scores:
        raise InputError(f"{reader} needs scores and the lists have ranks only; {hint}.")
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if conflict is not None:
        raise InputError(f"{reader} needs scores that order a list as its ranks do; {conflict}. {CONFLICT_ADVICE}")


def describe_conflict(lists, chosen):
    """Say how many of the `chosen` lists, bool (n_lists,), have scores that contradict their ranks; None for none."""
    if lists.list_conflict is None or not (conflict := lists.list_conflict & chosen).any():
        return None
    n, v = int(conflict.sum()), first_row(conflict)
    return (
        f"those of {n} list{'s' if n > 1 else ''} order {'their' if n > 1 else 'its'} items differently, the first is "
        f"query {show_id(lists.queries, lists.list_query[v])}, voter {show_id(lists.voters, lists.list_voter[v])}"
    )
