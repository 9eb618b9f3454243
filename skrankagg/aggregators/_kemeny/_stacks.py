"""Small queries of equal size processed together: preferences, margins, ranks and scores in stacks of matrices.

A stack is an array of shape (n_queries, n, n), where the other modules have matrices (n, n) of one query. A large query
is a stack of its own, computed as it is alone, so that it needs no more memory.
"""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import gather_queries, hold_both, prefer_held, preference_stacks
from ..._arrays._preferences import query_preferences, ties
from ..._arrays._ragged import is_whole
from ._costs import kemeny_score

# Items up to which a query shares a stack, and cells of a stack, unless one query needs more: they fit into the cache.
_SMALL, _CELLS = 64, 1 << 16


def preference_and_tie_blocks(lists, absent):
    """Yield positions of queries of equal size, and their preferences and ties, two stacks.

    They equal the results of ``query_preferences``, to the last bit.
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
    if not (lists.list_weight % 1 == 0).all():  # add up as for a query on its own
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
    """Arrange values of the rows of queries of equal size by list and item.

    `value`, (n_rows,), contains the values, `absent`, (n_lists,), the value of each list for its absent items. Returns
    the lists, (m,), the position of each list's query among the chosen ones, (m,), and a matrix (m, n).
    """
    chosen, list_ptr, rows, row_ptr, item = gather_queries(lists, queries)
    of_query = np.repeat(np.arange(len(queries)), np.diff(list_ptr))
    matrix = np.repeat(absent[chosen][:, None], lists.query_n_items[queries[0]], axis=1)
    matrix[np.repeat(np.arange(len(chosen)), np.diff(row_ptr)), item] = value[rows]
    return chosen, of_query, matrix


def scores(rank, prefer, tied):
    """Compute Kemeny scores of the ranks (n_queries, n) of each query's items, with a penalty of 0.5: (n_queries,)."""
    if len(rank) == 1 or not (is_whole(prefer) and is_whole(tied)):
        return np.array([kemeny_score(*one) for one in zip(rank, prefer, tied, strict=True)])
    # Sums of whole numbers and halves are exact in any order.
    above, level = rank[:, :, None] < rank[:, None, :], rank[:, :, None] == rank[:, None, :]
    cost = above * (prefer.swapaxes(1, 2) + 0.5 * tied) + level * (0.5 * prefer)
    return cost.reshape(len(rank), -1).sum(axis=1)


def n_below_place(place):
    """Count the items below each place of orders, (n_queries, n), where tied neighbours share an ascending number."""
    b, n = place.shape
    end = np.where(
        np.append(place[:, 1:] != place[:, :-1], np.ones((b, 1), dtype=bool), axis=1), np.arange(1, n + 1), n
    )
    return n - np.minimum.accumulate(end[:, ::-1], axis=1)[:, ::-1].astype(np.float64)


def by_item(order, value):
    """Convert values by place of an order, both (n_queries, n), to values by item."""
    out = np.empty_like(value)
    np.put_along_axis(out, order, value, axis=1)
    return out


def interchangeable(table, order):
    """Number the places of orders, (n_queries, n), ascending; neighbours share a number if their table rows are equal.

    Rounding makes no difference.
    """
    step = np.abs(np.diff(np.take_along_axis(table, order[:, :, None], axis=1), axis=1)).max(axis=2)
    scale = np.maximum(table.max(axis=(1, 2)), -table.min(axis=(1, 2)))
    place = np.zeros(order.shape, dtype=np.int64)
    np.cumsum(step > TOLERANCE * scale[:, None], axis=1, out=place[:, 1:])
    return place
