"""What the weights of lists are: numbers of equal lists, which are votes, or factors.

Two equal lists teach more of how much lists differ than one list of twice the weight does. Sums cannot tell the two
apart; standard errors and draws of the lists must.
"""

import numpy as np

from .._support._warn import warn_user
from ._frames import first_row, show_id

__all__ = ["are_votes"]


def are_votes(lists, votes, advice):
    """Whether the weights of each query are numbers of votes, bool (n_queries,).

    `votes` says so for all of them; None takes them for votes in the queries whose weights are all whole. Weights that
    look like both are told of, with what to do instead.
    """
    if votes is not None:
        return np.full(lists.n_queries, votes)
    heads, is_whole = lists.list_ptr[:-1], lists.list_weight % 1 == 0
    whole = np.logical_and.reduceat(is_whole, heads)
    mixed = np.logical_or.reduceat(is_whole & (lists.list_weight > 1), heads) & ~whole
    if mixed.any():
        n, q = int(mixed.sum()), first_row(mixed)
        warn_user(
            f"{n} of {lists.n_queries} queries {'has' if n == 1 else 'have'} whole weights above 1, as numbers of "
            f"votes are, and others that are not whole, the first is {show_id(lists.queries, q)}: votes=None takes "
            f"them all for factors. {advice}",
            UserWarning,
        )
    return whole
