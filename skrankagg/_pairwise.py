"""Pairwise preferences between the items of a query, counted over its lists.

An absent item is below every ranked one; two absent or two tied items are not compared. Two ways lead to the same
counts:
NumPy compares all items of a list with all at once, which suits long lists that hold most items; a kernel visits only
the pairs inside each list, which suits the top of long rankings. Which one is faster is estimated for each query.

>>> import numpy as np
>>> preference_counts(np.array([[1, 2, 3], [2, 1, 3]], dtype=np.int16))
array([[0, 1, 2],
       [1, 0, 2],
       [0, 0, 0]], dtype=int32)
"""

import numpy as np

from ._kernels import COMPILED, majority_points

__all__ = ["count_above", "majority", "majority_agreement", "preference_counts", "rank_matrix"]

# Nanoseconds, measured: the dense way for a pair of items, for each list and once; the kernel for a visit of a pair.
_DENSE_NS, _DENSE_ONCE_NS = 0.25, 8.0
_KERNEL_NS = 0.9 if COMPILED else 100.0
# A query is worth the calls of the dense way from this many nanoseconds on.
_WORTH_NS = 300_000
# Bytes of one block of lists times items times items.
_BLOCK = 1 << 20
# Items that the dense way takes at most: its matrices grow with the square.
_DENSE_ITEMS = 4096


def rank_matrix(lists, q):
    """Ranks of all items of a query in all of its lists.

    Parameters
    ----------
    lists : RankedLists
    q : int
        Position of the query.

    Returns
    -------
    ndarray of shape (n_query_lists, n_query_items), dtype=int16 or int32
        Twice the mid-rank, so that halves are whole; absent items have the same number above all others.
    """
    first, last = lists.list_ptr[q], lists.list_ptr[q + 1]
    rows = slice(lists.row_ptr[first], lists.row_ptr[last])
    n = int(lists.pair_ptr[q + 1] - lists.pair_ptr[q])
    dtype = np.int16 if 2 * n + 2 < 2**15 else np.int32
    ranks = np.full((last - first, n), 2 * n + 2, dtype=dtype)
    ranks[lists.row_list[rows] - first, lists.pair[rows] - lists.pair_ptr[q]] = 2 * lists.rank[rows]
    return ranks


def preference_counts(ranks, weight=None):
    """Count the lists that rank one item above another.

    Parameters
    ----------
    ranks : ndarray of shape (n_lists, n_items), dtype=int
        Lower is better.
    weight : ndarray of shape (n_lists,), dtype=float64, default=None
        Weight of each list; None counts each once.

    Returns
    -------
    ndarray of shape (n_items, n_items), dtype=int32, with weights float64
        Number, or total weight, of the lists that prefer the row's item to the column's.
    """
    n = ranks.shape[1]
    if weight is not None:
        total = np.zeros((n, n))
        for rank, one in zip(ranks, weight, strict=True):
            total += np.multiply(rank[:, None] < rank[None, :], one)
        return total
    counts = np.zeros((n, n), dtype=np.int32)
    # Bytes add up four times faster than integers, and 255 lists fit into one.
    some = np.zeros((n, n), dtype=np.uint8)
    above = np.empty((n, n), dtype=bool)
    for k, rank in enumerate(ranks, 1):
        np.less(rank[:, None], rank[None, :], out=above)
        np.add(some, above.view(np.uint8), out=some)
        if k % 255 == 0:
            counts += some
            some[:] = 0
    counts += some
    return counts


def majority_agreement(ranks, counts):
    """Count the pairs of items on which each list agrees with a strict majority.

    Parameters
    ----------
    ranks : ndarray of shape (n_lists, n_items), dtype=int
        Lower is better; absent items have one number above all others.
    counts : ndarray of shape (n_items, n_items)
        Number of lists that prefer the row's item to the column's.

    Returns
    -------
    ndarray of shape (n_lists,), dtype=float64

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg._pairwise import majority_agreement
    >>> majority_agreement(np.array([[1, 2], [2, 1], [1, 2]]), np.array([[0, 2], [1, 0]]))
    array([1., 0., 1.])
    """
    return count_above(ranks, counts > counts.T)


def count_above(ranks, chosen):
    """Count, of some ordered pairs of items, those of which each list ranks the first above the second.

    Parameters
    ----------
    ranks : ndarray of shape (n_lists, n_items), dtype=int
        Lower is better.
    chosen : ndarray of shape (n_items, n_items), dtype=bool
        The pairs: the row's item and the column's.

    Returns
    -------
    ndarray of shape (n_lists,), dtype=float64
    """
    n_lists, n = ranks.shape
    count = np.empty(n_lists)
    step = max(1, _BLOCK // (n * n))
    for start in range(0, n_lists, step):
        block = ranks[start : start + step]
        above = block[:, :, None] < block[:, None, :]
        above &= chosen
        count[start : start + step] = np.count_nonzero(above.reshape(len(block), -1), axis=1)
    return count


def majority(lists):
    """Count each item's majority wins and draws against the other items of its query.

    Parameters
    ----------
    lists : RankedLists

    Returns
    -------
    wins, draws : ndarray of shape (n_pairs,), dtype=float64
        Numbers of opponents beaten by a weighted majority, and of opponents at a draw.
    """
    wins, draws = np.empty(lists.n_pairs), np.empty(lists.n_pairs)
    dense = _is_dense(lists)
    for q in np.flatnonzero(dense):
        pairs = slice(lists.pair_ptr[q], lists.pair_ptr[q + 1])
        counts = preference_counts(rank_matrix(lists, q))
        wins[pairs] = np.count_nonzero(counts > counts.T, axis=1)
        draws[pairs] = np.count_nonzero(counts == counts.T, axis=1) - 1
    sparse = np.flatnonzero(~dense)
    if len(sparse):
        rest = lists if len(sparse) == lists.n_queries else lists.take(sparse)
        pairs = np.repeat(~dense, np.diff(lists.pair_ptr))
        wins[pairs], draws[pairs] = majority_points(
            rest.list_ptr,
            rest.row_ptr,
            rest.rank,
            rest.pair,
            rest.list_weight,
            rest.pair_ptr,
            rest.pair_weight,
            rest.row_list,
            *rest.rows_by_pair,
        )
    return wins, draws


def _is_dense(lists):
    """Queries for which comparing all items at once is estimated to be faster; weights are the kernel's."""
    if lists.is_weighted:
        return np.zeros(lists.n_queries, dtype=bool)
    squares = lists.query_n_items.astype(np.float64) ** 2
    visits = lists.sum_over_lists(lists.list_length.astype(np.float64) ** 2) + squares
    kernel = _KERNEL_NS * visits
    dense = (_DENSE_NS * np.diff(lists.list_ptr) + _DENSE_ONCE_NS) * squares
    return (kernel > _WORTH_NS) & (dense < kernel) & (lists.query_n_items <= _DENSE_ITEMS)
