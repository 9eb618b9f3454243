"""Detection of lists where scores and ranks order the items differently.

There are three usual causes. The scores are p-values or distances, where lower is better. Or scores and ranks come from
different lists. Or the scores are integers above 2 ** 53 that round to the same float64. Methods that use only ranks
are not affected. Code that uses scores calls :func:`check_scores`, which refuses such lists.
"""

import numpy as np

from .._arrays._ragged import expand, group_order
from ..exceptions import InputError
from ._frames import EXACT_LIMIT, first_row, show_id

#: Advice in messages about lists where scores contradict ranks.
CONFLICT_ADVICE = (
    "If lower scores are better, pass lower_is_better=True to RankedLists.from_frame. Otherwise pass rank=None or "
    "score=None to ignore the wrong column."
)

_MERGED_ADVICE = (
    "Subtract the smallest score of each list, in integers, before RankedLists.from_frame. Or choose a method that "
    "uses ranks, because the ranks of these lists are exact."
)


def find_conflicts(row_ptr, tie_start, score):
    """Mark the lists where an item with a worse rank has a better score.

    Returns a mask of shape (n_lists,), or None if there is no such list. The rows of list ``v`` are ``row_ptr[v]`` to
    ``row_ptr[v + 1] - 1``, sorted by rank; no list may be empty. `tie_start`, of shape (n_rows,), marks the first row
    of each list and of each group of equal ranks.
    """
    start = np.flatnonzero(tie_start)
    worst = best = score
    if len(start) < len(score):
        worst, best = np.minimum.reduceat(score, start), np.maximum.reduceat(score, start)
    turn = best[1:] > worst[:-1]
    turn[np.searchsorted(start, row_ptr[1:-1]) - 1] = False  # the next group belongs to another list
    if not turn.any():
        return None
    conflict = np.zeros(len(row_ptr) - 1, dtype=bool)
    conflict[np.searchsorted(row_ptr, start[1:][turn], side="right") - 1] = True
    return conflict


def find_merged(row_ptr, score, exact):
    """Mark the lists where distinct scores round to the same float64.

    Returns a mask of shape (n_lists,), or None if there is no such list. The rows of list ``v`` are ``row_ptr[v]`` to
    ``row_ptr[v + 1] - 1``. `score` contains the rounded scores. `exact` contains integers that sort in the same order
    as the exact scores.
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
    """Mark the lists of the mask `merged` where distinct scores still round to one float64 after rows were removed.

    Returns a mask of shape (n_lists,), or None if there is no such list.
    """
    # The exact scores are no longer known. Large equal scores with different ranks must have been rounded.
    one = (np.diff(rank) != 0) & (np.diff(score) == 0) & (np.abs(score[1:]) >= EXACT_LIMIT)
    row_list = expand(row_ptr)
    left = np.zeros(len(merged), dtype=bool)
    left[row_list[1:][one & (np.diff(row_list) == 0)]] = True
    left &= merged
    return left if left.any() else None


def check_scores(lists, reader, hint):
    """Raise InputError if scores are missing, or if scores contradict ranks in a list of positive weight.

    The message contains `reader`, the name of the method that needs scores, and `hint`, the advice for lists without
    scores.
    """
    if not lists.has_scores:
        raise InputError(f"{reader} needs scores, but the lists have only ranks; {hint}.")
    conflict = describe_conflict(lists, lists.list_weight > 0)
    if conflict is not None:
        what, advice = conflict
        raise InputError(
            f"{reader} needs scores that order the items of each list in the same way as the ranks; {what}. {advice}"
        )


def describe_conflict(lists, chosen):
    """Describe the conflicts between scores and ranks in the `chosen` lists for an error message.

    `chosen` is a mask of shape (n_lists,). Returns two texts: a clause that states the problem and names the first
    list, and a sentence with advice. Returns None if no list has a conflict.
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
        return f"the scores of {n} list{'s' if n > 1 else ''} {wrong} (the first is {first})", advice
    return None
