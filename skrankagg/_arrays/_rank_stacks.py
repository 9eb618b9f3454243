"""Ranks of many small queries with equally many items in one array, and their lists' preferences between items.

A list is a row; query ``q`` has rows ``list_ptr[q]`` to ``list_ptr[q + 1] - 1``. Each step takes the first lists of all
queries, then the second ones, and so on, so that sums are accumulated list by list.

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

# Rank comparisons, and lists, up to which a query may be compared together with others; beyond these limits, the
# overhead of its own calls is small.
_SMALL, _FEW_LISTS = 50_000, 64


def is_small(lists):
    """Mark queries, bool of shape (n_queries,), worth comparing together with queries of equally many items.

    There is a step for each list, which costs a third as much as comparing one query.
    """
    m, n = np.diff(lists.list_ptr), lists.query_n_items
    n_equal = np.bincount(n)[n]
    return (m * n.astype(np.float64) ** 2 <= _SMALL) & (m <= np.minimum(2 * n_equal, _FEW_LISTS))


def rank_stacks(lists, chosen=None):
    """Divide queries, or queries chosen by a mask, into blocks of equally many items, and read their lists' ranks.

    Yields the positions of the queries, (n_block_queries,), the positions of their lists, (n_block_lists,), `list_ptr`
    over these, and the ranks, (n_block_lists, n_items), doubled as by ``rank_matrix``.
    """
    for queries in query_blocks(lists, chosen):
        n = int(lists.query_n_items[queries[0]])
        own, list_ptr, rows, row_ptr, item = gather_queries(lists, queries)
        ranks = np.full((len(own), n), 4 * n + 2, dtype=np.int16 if 6 * n + 4 < 2**15 else np.int32)
        place = np.repeat(np.arange(len(own)), np.diff(row_ptr))
        ranks[place, item] = 2 * lists.rank[rows]
        yield queries, own, list_ptr, ranks


def count_stack(upper, lower, list_ptr, weight=None):
    """Count, int32, or weigh, float64, the lists with ``upper[i] <= lower[j]``, (n_queries, n_items, n_items)."""
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
    """Count the chosen ordered pairs of items, (n_queries, n, n), with ``upper[i] <= lower[j]``: (n_lists,)."""
    count = np.empty(len(upper))
    for queries, own in _rounds(list_ptr):
        above = upper[own][:, :, None] <= lower[own][:, None, :]
        above &= chosen[queries]
        count[own] = np.count_nonzero(above.reshape(len(own), -1), axis=1)
    return count


def _rounds(list_ptr):
    """Yield the queries that have a k-th list, and this list of each, for k = 0, 1 and so on."""
    size = np.diff(list_ptr)
    for k in range(size.max(initial=0)):
        queries = np.flatnonzero(size > k)
        yield queries, list_ptr[queries] + k
