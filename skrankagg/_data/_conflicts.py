"""Lists whose scores order their items differently from their ranks.

Such scores are p-values or distances next to ranks, columns of different lists, or integers beyond 2 ** 53 that round
to the same float64. Methods of ranks use the ranks. Code that reads the order of the scores refuses such lists through
:func:`check_scores`.
"""

import numpy as np

from .._arrays._ragged import expand, group_order, starts_to_ptr
from ..exceptions import InputError
from ._frames import EXACT_LIMIT, first_row, show_id

#: Remedy for lists whose scores contradict their ranks, for messages.
CONFLICT_ADVICE = (
    "Drop the wrong one of the two columns, or pass rank=None or score=None to RankedLists.from_frame, or "
    "lower_is_better=True where lower scores are better."
)

_MERGED_ADVICE = (
    "Subtract the smallest score of each list, in integers, before RankedLists.from_frame, or choose a method of "
    "ranks; the ranks of these lists are exact."
)


def find_conflicts(row_ptr, tie_start, score):
    """Mark the lists in which an item has a better score than an item of a better rank.

    Return a mask of shape (n_lists,), or None if there is no such list. `row_ptr`, of shape (n_lists + 1,), delimits
    the rows of each list, which are sorted by rank. `tie_start`, of shape (n_rows,), marks rows that open a list or a
    group of equal ranks.
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
    """Mark the lists in which distinct scores round to the same float64.

    Return a mask of shape (n_lists,), or None if there is no such list. `row_ptr`, of shape (n_lists + 1,), delimits
    the rows of each list. `score` is rounded; `exact` numbers the exact scores in their order.
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
    """Mark, as :func:`find_merged` does, the lists with merged scores that remain after rows were removed."""
    # The exact scores are gone: large equal scores of different ranks must have been rounded.
    one = (np.diff(rank) != 0) & (np.diff(score) == 0) & (np.abs(score[1:]) >= EXACT_LIMIT)
    row_list = expand(row_ptr)
    left = np.zeros(len(merged), dtype=bool)
    left[row_list[1:][one & (np.diff(row_list) == 0)]] = True
    left &= merged
    return left if left.any() else None


def check_scores(lists, reader, hint):
    """Raise InputError if scores are missing, or contradict the ranks in a list of positive weight.

    For the message, `reader` names the reader of the scores, and `hint` is the remedy for lists without scores.
    """
    if not lists.has_scores:
        raise InputError(f"{reader} needs scores and the lists have ranks only; {hint}.")
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if conflict is not None:
        what, advice = conflict
        raise InputError(f"{reader} needs scores that order a list as its ranks do; {what}. {advice}")


def describe_conflict(lists, chosen):
    """Describe, for a message, the `chosen` lists whose scores order items differently from their ranks.

    `chosen` is a mask of shape (n_lists,). Returns the problem as a clause that names the first list, and the remedy as
    a sentence. Returns None if there is no such list.
    """
    for marked, advice in [(lists.list_conflict, CONFLICT_ADVICE), (lists.list_merged, _MERGED_ADVICE)]:
        if marked is None or not (found := marked & chosen).any():
            continue
        n, v = int(found.sum()), first_row(found)
        if advice is CONFLICT_ADVICE:
            wrong = f"order {'their' if n > 1 else 'its'} items differently"
        else:
            wrong = "differ by less than float64 can represent"
        first = (
            f"query {show_id(lists.queries, lists.list_query[v])}, voter {show_id(lists.voters, lists.list_voter[v])}"
        )
        return f"the scores of {n} list{'s' if n > 1 else ''} {wrong}, the first is {first}", advice
    return None
