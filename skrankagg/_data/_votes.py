"""Distinction between two meanings of a list's weight: the number of equal lists (votes), or a factor of importance.

Sums are the same for two equal lists and for one list of weight 2. But two lists provide more evidence about the
variation between lists, so standard errors and resampling must distinguish the two cases.
"""

import numpy as np

from .._support._warn import warn_user
from ._frames import first_row, show_id
from ._list_columns import COUNTED, NO_DUEL, WEIGHTED


def are_votes(lists, votes, advice):
    """Return a mask of shape (n_lists,): True for each list whose weight is a number of votes.

    A list may represent a comparison of two items. If equal comparisons have been merged, the weight is a number of
    votes. If the comparison has a fractional outcome or a weight factor, the weight is not a number of votes. For all
    other lists, the bool `votes` states whether weights are numbers of votes. If `votes` is None, the weights of a
    query are numbers of votes if all of them are integers. Ambiguous weights cause a warning that ends with `advice`.
    """
    marks = np.zeros(lists.n_lists, dtype=np.int64) if lists.list_duel is None else lists.list_duel
    is_open = (marks == NO_DUEL) | (marks == WEIGHTED)
    if votes is not None:
        return np.where(is_open, votes, marks == COUNTED)
    heads, is_whole = lists.list_ptr[:-1], lists.list_weight % 1 == 0
    whole = np.logical_and.reduceat(is_whole | ~is_open, heads)
    mixed = np.logical_or.reduceat(is_open & is_whole & (lists.list_weight > 1), heads) & ~whole
    if mixed.any():
        n, q = int(mixed.sum()), first_row(mixed)
        warn_user(
            f"In {n} of {lists.n_queries} queries (the first is {show_id(lists.queries, q)}), some weights are "
            "integers above 1, which may be numbers of votes, and other weights are fractions. votes=None treats "
            f"none of these weights as a number of votes. {advice}",
            UserWarning,
        )
    return np.where(is_open, whole[lists.list_query], marks == COUNTED)


def first_of_each_unit(lists):
    """For each list, return the position of the first list that belongs to the same comparison of two items.

    A comparison with a fractional outcome is stored as several lists. Any other list gets its own position.
    """
    each = np.arange(lists.n_lists)
    if lists.list_duel is None:
        return each
    shared = np.flatnonzero(lists.list_duel > 0)
    code = np.stack([lists.list_query[shared], lists.list_duel[shared]])
    _, first, number = np.unique(code, axis=1, return_index=True, return_inverse=True)
    each[shared] = shared[first[number.ravel()]]
    return each
