"""Majority wins and draws of items."""

import numpy as np

from . import _majority
from .loading import as_vf, as_vi, blocks


def majority_points(
    list_ptr, row_ptr, rank, candidate, list_weight, candidate_ptr, held, row_list, candidate_row_ptr, candidate_rows
):
    """Count each item's majority wins and draws against the other items of its query.

    A list prefers a ranked item to an absent one, unless `held` is 0 throughout: then it compares only its own items.
    It does not compare two absent or two tied items. Margins within 1e-12 of the query's total weight are draws, so
    that rounding never creates a majority.

    `list_ptr` (n_queries + 1,) gives the lists of each query, and `row_ptr` (n_lists + 1,) the rows of each list, best
    first. `rank` and `candidate` (n_rows,) belong to each row, with equal ranks for tied neighbours; `row_list`
    (n_rows,) is its list. `list_weight` is of shape (n_lists,), and `candidate_ptr` (n_queries + 1,) gives the
    candidates of each query. `held` (n_candidates,) is the total weight of the lists that contain each candidate.
    `candidate_rows` (n_rows,) are the rows sorted by candidate; the rows of a candidate begin at `candidate_row_ptr`
    (n_candidates + 1,). Returns the numbers of opponents beaten by a weighted majority, and of opponents at a draw,
    float64 (n_candidates,).
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
    # A candidate is compared with all others, and with the others of its lists.
    length, n_items = np.diff(row_ptr), np.diff(candidate_ptr)
    work = np.bincount(candidate, weights=np.repeat(length, length), minlength=candidate_ptr[-1])
    work += np.repeat(n_items, n_items)
    points = []
    for first, last in blocks(np.cumsum(work)):
        q = int(np.searchsorted(candidate_ptr, first, side="right")) - 1
        points.append(_majority.majority_points(first, last, q, *arrays))
    wins, draws = zip(*points, strict=True)
    return np.concatenate([np.asarray(won) for won in wins]), np.concatenate([np.asarray(drawn) for drawn in draws])
