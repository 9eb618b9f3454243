"""Number of majority wins and majority ties of items."""

import numpy as np

from . import _majority
from .loading import as_vf, as_vi, blocks


def majority_points(
    list_ptr, row_ptr, rank, candidate, list_weight, candidate_ptr, held, row_list, candidate_row_ptr, candidate_rows
):
    """Count each item's majority wins and majority ties against the other items of its query.

    A list prefers the items that it contains to absent items. But if the caller passes 0 in `held` for all candidates,
    a list compares only the items that it contains. A list does not compare two absent or two tied items. A margin of
    at most 1e-12 times the query's total weight is a majority tie, so rounding never creates a majority.

    `list_ptr`, of shape (n_queries + 1,), delimits the lists of each query. `row_ptr`, of shape (n_lists + 1,),
    delimits the rows of each list, best first. `rank`, `candidate` and `row_list`, of shape (n_rows,), contain the
    rank, the candidate and the list of each row; tied neighbours have equal ranks. `list_weight`, of shape (n_lists,),
    contains the weights of the lists. `candidate_ptr`, of shape (n_queries + 1,), delimits the candidates of each
    query. `held`, of shape (n_candidates,), is the total weight of the lists that contain each candidate.
    `candidate_rows`, of shape (n_rows,), contains the rows sorted by candidate, and `candidate_row_ptr`, of shape
    (n_candidates + 1,), delimits the rows of each candidate.

    Returns two float64 arrays of shape (n_candidates,): the number of other candidates that each candidate beats, and
    the number of other candidates with which it has a majority tie.
    """
    total_weight = np.add.reduceat(list_weight, list_ptr[:-1])
    arrays = (
        as_vi(row_ptr),
        as_vf(rank),
        as_vi(candidate),
        as_vf(list_weight),
        as_vi(candidate_ptr),
        as_vf(held),
        as_vf(1e-12 * total_weight),
        as_vi(row_list),
        as_vi(candidate_row_ptr),
        as_vi(candidate_rows),
    )
    # A candidate is compared with all other candidates of its query, and with all other candidates of its lists.
    length, n_items = np.diff(row_ptr), np.diff(candidate_ptr)
    work = np.bincount(candidate, weights=np.repeat(length, length), minlength=candidate_ptr[-1])
    work += np.repeat(n_items, n_items)
    points = []
    for first, last in blocks(np.cumsum(work)):
        q = int(np.searchsorted(candidate_ptr, first, side="right")) - 1
        points.append(_majority.majority_points(first, last, q, *arrays))
    wins, draws = zip(*points, strict=True)
    return np.concatenate([np.asarray(won) for won in wins]), np.concatenate([np.asarray(drawn) for drawn in draws])
