"""Lists whose scores do not order their items as their ranks do.

They are p-values or distances next to ranks, two columns of different lists, or integers beyond 2 ** 53, of which
several are one float64. Methods of ranks use the ranks. Whatever reads the order of the scores refuses such lists, by
:func:`check_scores`.
"""

import numpy as np

from .._arrays._ragged import expand, group_order, starts_to_ptr
from ..exceptions import InputError
from ._frames import EXACT_LIMIT, first_row, show_id

__all__ = [
    "CONFLICT_ADVICE",
    "check_scores",
    "describe_conflict",
    "find_conflicts",
    "find_merged",
    "still_merged",
]

#: What to do about lists whose scores contradict their ranks, for messages.
CONFLICT_ADVICE = (
    "Drop the wrong one of the two columns, or pass rank=None or score=None to RankedLists.from_frame, or "
    "lower_is_better=True where lower scores are better."
)

_MERGED_ADVICE = (
    "Subtract the smallest score of each list, in integers, before RankedLists.from_frame, or choose a method of "
    "ranks; the ranks of these lists are exact."
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


def find_merged(row_ptr, score, exact):
    """Find the lists of which float64 makes several different scores one: bool (n_lists,), None without such a list.

    Of the rows (n_rows,) of each list, given by `row_ptr` (n_lists + 1,), `score` is rounded and `exact` numbers the
    exact scores in their order.
    """
    row_list = expand(row_ptr)
    order = group_order(row_list, exact)
    one = (np.diff(score[order]) == 0) & (np.diff(exact[order]) != 0) & (np.diff(row_list) == 0)
    if not one.any():
        return None
    merged = np.zeros(len(row_ptr) - 1, dtype=bool)
    merged[row_list[1:][one]] = True
    return merged


def still_merged(merged, row_ptr, rank, score):
    """Find the lists whose scores float64 still makes one after rows were taken from them; as :func:`find_merged`."""
    # The exact scores are gone: equal ones of different ranks, as large as that, were made one.
    one = (np.diff(rank) != 0) & (np.diff(score) == 0) & (np.abs(score[1:]) >= EXACT_LIMIT)
    row_list = expand(row_ptr)
    left = np.zeros(len(merged), dtype=bool)
    left[row_list[1:][one & (np.diff(row_list) == 0)]] = True
    left &= merged
    return left if left.any() else None


def check_scores(lists, reader, hint):
    """Raise InputError where scores are missing, or contradict the ranks in a list of weight above 0.

    For the message, `reader` is what reads the scores, and `hint` what to do about lists without any.
    """
    if not lists.has_scores:
        raise InputError(f"{reader} needs scores and the lists have ranks only; {hint}.")
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if conflict is not None:
        what, advice = conflict
        raise InputError(f"{reader} needs scores that order a list as its ranks do; {what}. {advice}")


def describe_conflict(lists, chosen):
    """Say how many of the `chosen` lists, bool (n_lists,), have scores that do not order their items as the ranks do.

    What is wrong, as a clause that names the first, and what to do about it, as a sentence; None for no such list.
    """
    for marked, advice in [(lists.list_conflict, CONFLICT_ADVICE), (lists.list_merged, _MERGED_ADVICE)]:
        if marked is None or not (found := marked & chosen).any():
            continue
        n, v = int(found.sum()), first_row(found)
        if advice is CONFLICT_ADVICE:
            wrong = f"order {'their' if n > 1 else 'its'} items differently"
        else:
            wrong = "differ by less than float64 can hold"
        first = (
            f"query {show_id(lists.queries, lists.list_query[v])}, voter {show_id(lists.voters, lists.list_voter[v])}"
        )
        return f"those of {n} list{'s' if n > 1 else ''} {wrong}, the first is {first}", advice
    return None
