"""Distinction between the two meanings of a list weight: a number of votes, that is, of equal lists, or a factor.

Two equal lists provide more evidence about the variation between lists than one list of twice the weight. Sums are the
same in both cases, but standard errors and resampling must distinguish the two cases.
"""

import numpy as np

from .._support._warn import warn_user
from ._frames import first_row, show_id


def are_votes(lists, votes, advice):
    """Return a mask of shape (n_queries,): True for each query whose weights are numbers of votes.

    A bool `votes` decides for all queries. With None, weights are votes in queries where all weights are integers.
    Ambiguous weights cause a warning that ends with `advice`.
    """
    if votes is not None:
        return np.full(lists.n_queries, votes)
    heads, is_whole = lists.list_ptr[:-1], lists.list_weight % 1 == 0
    whole = np.logical_and.reduceat(is_whole, heads)
    mixed = np.logical_or.reduceat(is_whole & (lists.list_weight > 1), heads) & ~whole
    if mixed.any():
        n, q = int(mixed.sum()), first_row(mixed)
        warn_user(
            f"{n} of {lists.n_queries} queries {'has' if n == 1 else 'have'} integer weights above 1, such as numbers "
            f"of votes, and also fractional weights (the first is {show_id(lists.queries, q)}). votes=None treats "
            f"all these weights as factors. {advice}",
            UserWarning,
        )
    return whole
