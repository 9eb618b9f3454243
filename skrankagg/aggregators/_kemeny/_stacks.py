"""Stacks of matrices for small queries with the same number of items: preferences, margins, ranks and scores.

A stack is an array of shape (n_queries, n, n). It contains the matrices of several queries; other modules use one
matrix of shape (n, n) for each query. A large query forms a stack by itself, so that it needs no additional memory.
"""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import gather_queries, hold_both, prefer_held, preference_stacks
from ..._arrays._preferences import query_preferences, ties
from ..._arrays._ragged import is_whole
from ._costs import kemeny_score

# Largest number of items of a query that shares a stack, and largest number of cells in a stack of several queries.
# Such a stack fits into the cache.
_SMALL, _CELLS = 64, 1 << 16


def preference_and_tie_blocks(lists, absent):
    """Yield three arrays for each block of queries with the same number of items.

    The first contains the positions of the queries. The second and third have shape (n_queries, n, n), and contain
    the matrices of preferences and of ties for each query. Their values are exactly the same as the results of
    ``query_preferences``.
    """
    small = lists.query_n_items <= _SMALL
    if np.count_nonzero(small) < 2:
        small[:] = False
    for q in np.flatnonzero(~small):
        yield np.array([q]), *(matrix[None] for matrix in query_preferences(lists, q, absent))
    if not small.any():
        return
    chosen = np.flatnonzero(small)
    lists = lists if small.all() else lists.take(chosen)
    weight = np.add.reduceat(lists.list_weight, lists.list_ptr[:-1])
    if not (lists.list_weight % 1 == 0).all():  # sum in the same order as for a single query
        weight = np.array([one.sum() for one in np.split(lists.list_weight, lists.list_ptr[1:-1])])
    for block, above, level in preference_stacks(lists):
        step = max(1, _CELLS // above.shape[1] ** 2)
        for first in range(0, len(block), step):
            part = slice(first, first + step)
            yield chosen[block[part]], *_preferences(above[part], level[part], weight[block[part]], absent)


def _preferences(prefer, level, weight, absent):
    both = hold_both(prefer, level)
    if absent == "last":
        prefer, both = prefer_held(prefer, both), weight[:, None, None]
    return prefer, ties(prefer, both)


def rank_stack(lists, queries, value, absent):
    """Arrange the values of rows as a matrix with a row for each list and a column for each item.

    All queries must have the same number of items.

    `value`, of shape (n_rows,), contains the value of each row of `lists` (an item in a list). `absent`, of shape
    (n_lists,), contains for each list the value of the items that it lacks. Returns three arrays for the m lists of the
    queries. The first two contain the number of each list, and the position in `queries` of its query. The third is the
    matrix, of shape (m, n).
    """
    chosen, list_ptr, rows, row_ptr, item = gather_queries(lists, queries)
    of_query = np.repeat(np.arange(len(queries)), np.diff(list_ptr))
    matrix = np.repeat(absent[chosen][:, None], lists.query_n_items[queries[0]], axis=1)
    matrix[np.repeat(np.arange(len(chosen)), np.diff(row_ptr)), item] = value[rows]
    return chosen, of_query, matrix


def scores(rank, prefer, tied):
    """Compute the Kemeny score of each query, with a penalty of 0.5, from ranks of shape (n_queries, n)."""
    if len(rank) == 1 or not (is_whole(prefer) and is_whole(tied)):
        return np.array([kemeny_score(*one) for one in zip(rank, prefer, tied, strict=True)])
    # Sums of whole numbers and halves are exact in any order.
    above, level = rank[:, :, None] < rank[:, None, :], rank[:, :, None] == rank[:, None, :]
    cost = above * (prefer.swapaxes(1, 2) + 0.5 * tied) + level * (0.5 * prefer)
    return cost.reshape(len(rank), -1).sum(axis=1)


def n_below_place(place):
    """Return an array of shape (n_queries, n): for each place of an order, the number of items below the place.

    `place`, of shape (n_queries, n), numbers the places in ascending order; tied neighbours have the same number.
    """
    b, n = place.shape
    end = np.where(
        np.append(place[:, 1:] != place[:, :-1], np.ones((b, 1), dtype=bool), axis=1), np.arange(1, n + 1), n
    )
    return n - np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1].astype(np.float64)


def by_item(order, value):
    """Assign the value of each place in an order to the item at this place; all arrays have shape (n_queries, n)."""
    out = np.empty_like(value)
    out[np.arange(len(order))[:, None], order] = value
    return out


def interchangeable(table, order):
    """Number the places of each order from first to last; interchangeable neighbours get the same number.

    Two neighbours are interchangeable if their rows in `table` are equal up to rounding.
    """
    step = np.abs(np.diff(np.take_along_axis(table, order[:, :, None], axis=1), axis=1)).max(axis=2)
    scale = np.maximum(table.max(axis=(1, 2)), -table.min(axis=(1, 2)))
    place = np.zeros(order.shape, dtype=np.int64)
    np.cumsum(step > TOLERANCE * scale[:, None], axis=1, out=place[:, 1:])
    return place
