"""Rankings from scores, and sums in a fixed order. The order of additions determines which items tie."""

import numpy as np

from ...base._consensus import order_candidates, rank_scores


def add_up(terms):
    """Add up the rows of a matrix, strictly from the first to the last.

    Parameters
    ----------
    terms : ndarray of shape (n_terms, n_sums), dtype=float64

    Returns
    -------
    ndarray of shape (n_sums,), dtype=float64
        Sums that are bitwise equal to the sums of a loop over the rows.
    """
    if terms.shape[1] == 1:  # NumPy would add a single column pairwise
        return np.cumsum(terms[:, 0])[-1:] if len(terms) else np.zeros(1)
    return np.add.reduce(np.ascontiguousarray(terms), axis=0)


def rank_table(table, score, quirks):
    """Order the items of a query by score, then by the number of lists that contain them, then by item.

    Parameters
    ----------
    table : QueryTable
    score : ndarray of shape (n_items,), dtype=float64
        Higher is better.
    quirks : frozenset of str

    Returns
    -------
    order : ndarray of shape (n_items,), dtype=int64
    score : ndarray of shape (n_items,), dtype=float64
        Scores of the items in this order.
    """
    if "sum.file_order" in quirks:
        order = np.lexsort((-table.hits, -score))
        return order, score[order]
    ptr = np.array([0, len(score)])
    return rank_scores(ptr, score, table.hits.astype(np.float64), np.array([float(table.shape[0])]))


def rank_groups(lists, score, quirks):
    """Order the items of all queries at once, as :func:`rank_table` does.

    Parameters
    ----------
    lists : RankedLists
    score : ndarray of shape (n_candidates,), dtype=float64
    quirks : frozenset of str

    Returns
    -------
    order : ndarray of shape (n_candidates,), dtype=int64
    score : ndarray of shape (n_candidates,), dtype=float64
    """
    if "sum.file_order" in quirks:
        order = np.lexsort((-lists.candidate_weight, -score, lists.candidate_query))
        return order, score[order]
    return order_candidates(lists, score)


def single(value, quirks):
    """Round a parameter to 32 bits, as FLAGR stores it."""
    return float(np.float32(value)) if "float32" in quirks else float(value)
