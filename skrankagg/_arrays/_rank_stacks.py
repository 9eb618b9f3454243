"""Ranks of many small queries stacked in one array, and pairwise preferences counted for all of them at once.

All queries in the array have the same number of items. Each list is a row of the array; query ``q`` has the rows
``list_ptr[q]`` to ``list_ptr[q + 1] - 1``. Preferences are added up step by step. The first step adds the first list of
each query, the second step adds the second list, and so on.

>>> import numpy as np
>>> from skrankagg._arrays._rank_stacks import count_stack
>>> ranks = np.array([[1, 2], [2, 1], [1, 2]])
>>> count_stack(ranks + 1, ranks, np.array([0, 2, 3]))
array([[[0, 1],
        [1, 0]],
<BLANKLINE>
       [[0, 1],
        [0, 0]]], dtype=int32)
"""

import numpy as np

from ._pairwise import gather_queries, query_blocks

# Largest numbers of rank comparisons and of lists for a query that is compared together with other queries. Beyond
# these limits, the overhead of separate calls is small.
_SMALL, _FEW_LISTS = 50_000, 64


def is_small(lists):
    """Return a mask of shape (n_queries,): True for each query that is faster to process together with similar queries.

    Queries with the same number of items are processed together. Step k processes list k of each query, so the number
    of steps is the largest number of lists in a query. One step takes about a third of the time that one query takes
    alone.
    """
    m, n = np.diff(lists.list_ptr), lists.query_n_items
    n_equal = np.bincount(n)[n]
    return (m * n.astype(np.float64) ** 2 <= _SMALL) & (m <= np.minimum(2 * n_equal, _FEW_LISTS))


def rank_stacks(lists, chosen=None):
    """Group queries with equal numbers of items into blocks; yield the ranks of each block.

    If the mask `chosen` is given, other queries are left out. For each block, yields four arrays. The first contains
    the positions of the queries and has shape (n_block_queries,). The second contains the positions of the queries'
    lists and has shape (n_block_lists,). The third is the `list_ptr` of these lists. The fourth contains the ranks and
    has shape (n_block_lists, n_items). The ranks are doubled, as in ``rank_matrix``.
    """
    for queries in query_blocks(lists, chosen):
        n = int(lists.query_n_items[queries[0]])
        own, list_ptr, rows, row_ptr, item = gather_queries(lists, queries)
        ranks = np.full((len(own), n), 4 * n + 2, dtype=np.int16 if 6 * n + 4 < 2**15 else np.int32)
        place = np.repeat(np.arange(len(own)), np.diff(row_ptr))
        ranks[place, item] = 2 * lists.rank[rows]
        yield queries, own, list_ptr, ranks


def count_stack(upper, lower, list_ptr, weight=None):
    """For each query and each pair of items i and j, count the lists k with ``upper[k, i] <= lower[k, j]``.

    `upper` and `lower`, of shape (n_lists, n_items), contain ranks, see
    :func:`~skrankagg._arrays._pairwise.weigh_by_list`. Returns int32 of shape (n_queries, n_items, n_items). If
    `weight` is given, the result is the total weight of these lists instead of their number, as float64.
    """
    n_queries, n = len(list_ptr) - 1, upper.shape[1]
    counts = np.zeros((n_queries, n, n), dtype=np.int32 if weight is None else np.float64)
    for queries, own in _rounds(list_ptr):
        above = upper[own][:, :, None] <= lower[own][:, None, :]
        if weight is not None:
            above = above * weight[own][:, None, None]
        if len(queries) == n_queries:
            counts += above
        else:
            counts[queries] += above
    return counts


def agree_stack(upper, lower, list_ptr, chosen):
    """For each list k of query q, count the pairs (i, j) with ``chosen[q, i, j]`` and ``upper[k, i] <= lower[k, j]``.

    `upper` and `lower` are as in :func:`count_stack`. `chosen` is a mask of shape (n_queries, n_items, n_items).
    Returns float64 of shape (n_lists,).
    """
    count = np.empty(len(upper))
    for queries, own in _rounds(list_ptr):
        above = upper[own][:, :, None] <= lower[own][:, None, :]
        above &= chosen[queries]
        count[own] = np.count_nonzero(above.reshape(len(own), -1), axis=1)
    return count


def _rounds(list_ptr):
    """For k = 0, 1, ..., yield the queries with more than k lists, and the position of list k of each such query."""
    size = np.diff(list_ptr)
    for k in range(size.max(initial=0)):
        queries = np.flatnonzero(size > k)
        yield queries, list_ptr[queries] + k
