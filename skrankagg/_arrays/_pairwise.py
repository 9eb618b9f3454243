"""Matrices of pairwise preferences between the items of a query, counted over the query's lists.

If a list contains two items, the list prefers the item with the better rank. A list does not compare two tied items. A
list may contain only one item of a pair. Methods then use one of two rules. Either the absent item is treated as ranked
below the listed item, or the list is ignored for this pair. Two absent items are never compared.

Two algorithms give the same counts. NumPy compares each item of a list with every item of the query. This is fast for
long lists that contain most items. A kernel visits only the pairs inside each list. This is fast for short lists from
long rankings, and for many small queries at once. For each query, the module estimates which algorithm is faster.

>>> import numpy as np
>>> from skrankagg._arrays._pairwise import preference_counts
>>> preference_counts(np.array([[1, 2, 3], [2, 1, 3]], dtype=np.int16))
array([[0, 1, 2],
       [1, 0, 2],
       [0, 0, 0]], dtype=int32)
"""

import contextlib

import numpy as np

from .._kernels import COMPILED, co_ranked, majority_points
from ._ragged import gather_ranges, tie_starts

# The dense algorithm is used only if the cost of the kernel is at least this number. A comparison of two ranks costs 1.
_WORTH = 1_200_000
# Largest number of items for the dense algorithm, because the size of its matrices grows with the square.
_DENSE_ITEMS = 4096
# Above each of these numbers of items, the kernel takes longer for a pair of items. Above the second number, its matrix
# does not fit into the cache. `_SLOWER` contains the measured factors.
_FEW_ITEMS, _CACHED_ITEMS = 300, 700
_SLOWER = 2.0, 3.5
# Number of matrix rows that are counted at once if only half of the matrix is computed.
_STRIP_ITEMS = 128
# Number of cells of a whole matrix that are counted at once.
_STRIP_CELLS = 1 << 18
# Rows of at least this length are compared directly with a number. Copying several rows first is slower, as measured.
_LONG_ROW = 512
# Number of matrix cells that are built at once, unless one query needs more cells. The second number is for matrices
# that are used in many steps: they must fit into the cache.
_BLOCK_CELLS = 1 << 20
_CACHED_CELLS = 1 << 16


def rank_matrix(lists, q):
    """Return the ranks of the items of query `q` in its lists, as an array of shape (n_query_lists, n_query_items).

    The ranks are int16 or int32. They are twice the mid-ranks, in which tied items share the mean of their ranks. For n
    items, they are therefore integers from 2 to 2 n. Absent items have the rank 4 n + 2. The gap between an absent item
    and any listed item is therefore larger than the gap between any two listed items.
    """
    n = int(lists.candidate_ptr[q + 1] - lists.candidate_ptr[q])
    # Sums of a rank and a gap of up to 2 n + 1 are compared; these sums must not overflow.
    dtype = np.int16 if 6 * n + 4 < 2**15 else np.int32
    return _spread(lists, q, 2 * lists.rank[_query_rows(lists, q)], 4 * n + 2, dtype)


def _query_rows(lists, q):
    return slice(lists.row_ptr[lists.list_ptr[q]], lists.row_ptr[lists.list_ptr[q + 1]])


def _spread(lists, q, value, absent, dtype):
    """Arrange the values of the rows of query `q` in a matrix with a row for each list and a column for each item.

    `value` contains the value of each row of the query. Cells of items that are absent from the list contain `absent`.
    """
    first, last = lists.list_ptr[q], lists.list_ptr[q + 1]
    rows = _query_rows(lists, q)
    matrix = np.full((last - first, lists.candidate_ptr[q + 1] - lists.candidate_ptr[q]), absent, dtype=dtype)
    matrix[lists.row_list[rows] - first, lists.candidate[rows] - lists.candidate_ptr[q]] = value
    return matrix


def preference_counts(ranks, lower=None, *, gap=1, weight=None):
    """Count the lists that prefer item i to item j, for each pair of items, as int32 of shape (n_items, n_items).

    ``ranks`` has shape (n_lists, n_items), and lower ranks are better. If ``lower`` is given, the rank of the worse
    item of a pair is read from ``lower`` instead of ``ranks``. In ``lower``, -1 marks an item that is never the worse
    item. A list prefers item i to item j if the rank of i is lower by at least ``gap``. With gap 0, two tied items
    count as preferred in both directions, and each item counts as preferred to itself.

    If ``weight`` is given, the result is the total weight of these lists instead of their number, as float64.
    ``weight`` has shape (n_lists,) or (n_lists, n_items). In the first case, it contains one weight for each list. In
    the second case, the weight of a list's preference also depends on the worse item of the pair.
    """
    upper, lower = ranks + gap, ranks if lower is None else lower
    m, n = ranks.shape
    if weight is None:
        if m >= 8 * n:
            return _count_by_item(upper, lower)
        return (
            _count_mirrored(ranks)
            if lower is ranks and gap == 1 and _is_strict(ranks)
            else _count_by_list(upper, lower)
        )
    weight = np.broadcast_to(weight if weight.ndim == 2 else weight[:, None], (m, n))
    # According to measurements, list by list, a comparison costs more, but there is one call for each list, not item.
    by_list = m * (1 + 3 * n**2 / 20_000) < n
    return (weigh_by_list if by_list else _weigh_by_item)(upper, lower, weight)


def _is_strict(ranks):
    """Return True if every list orders all items without ties."""
    seen = np.zeros((len(ranks), int(ranks.max(initial=0)) + 1), dtype=bool)
    seen[np.arange(len(ranks))[:, None], ranks] = True
    return np.count_nonzero(seen) == ranks.size


def _count_mirrored(ranks):
    m, n = ranks.shape
    counts = np.empty((n, n), dtype=np.int32)
    # Every list prefers one item of each pair, so half of the matrix determines the other half. The half is computed in
    # strips that stay in the cache.
    for start in range(0, n, _STRIP_ITEMS):
        strip = slice(start, start + _STRIP_ITEMS)
        counts[strip, start:] = _count_by_list(ranks[:, strip] + 1, ranks[:, start:])
        counts[start:, strip] = m - counts[strip, start:].T
    np.fill_diagonal(counts, 0)
    return counts


def _count_by_list(upper, lower):
    n_upper, n_lower = upper.shape[1], lower.shape[1]
    counts = np.empty((n_upper, n_lower), dtype=np.int32)
    # The matrix is counted in strips that stay in the cache.
    n_rows = max(1, _STRIP_CELLS // n_lower)
    with _unbuffered(n_lower):
        for start in range(0, n_upper, n_rows):
            strip = slice(start, start + n_rows)
            _count_strip(upper[:, strip], lower, counts[strip])
    return counts


def _count_strip(upper, lower, counts):
    # Adding bytes is four times faster than adding integers, and 255 lists fit into one byte.
    some = np.zeros(counts.shape, dtype=np.uint8)
    above = np.empty(counts.shape, dtype=bool)
    counts[:] = 0
    for k, (better, worse) in enumerate(zip(upper, lower, strict=True), 1):
        np.less_equal(better[:, None], worse[None, :], out=above)
        np.add(some, above.view(np.uint8), out=some)
        if k % 255 == 0:
            counts += some
            some[:] = 0
    counts += some


@contextlib.contextmanager
def _unbuffered(n):
    """Return a context manager in which NumPy compares long rows of n numbers without copying them into a buffer."""
    if n < _LONG_ROW:
        yield
        return
    size = np.setbufsize(_LONG_ROW // 2)
    try:
        yield
    finally:
        np.setbufsize(size)


def weigh_by_list(upper, lower, weight):
    """For each pair of items i and j, sum the weights of the lists that prefer item i to item j.

    Returns float64 of shape (n_items, n_items). The weights are added in the order of the lists, so that rounding
    depends only on this order.

    ``upper`` contains the ranks of the better item of a pair, and ``lower`` the ranks of the worse item. ``weight``
    contains the weight of each list's preferences for each worse item. All three arrays have shape (n_lists, n_items).
    List k prefers item i to item j if ``upper[k, i] <= lower[k, j]``.
    """
    n = upper.shape[1]
    counts = np.zeros((n, n))
    some = np.empty((n, n))
    for better, worse, mine in zip(upper, lower, weight, strict=True):
        np.multiply(better[:, None] <= worse[None, :], mine[None, :], out=some)
        counts += some
    return counts


def _count_by_item(upper, lower):
    upper, lower = np.ascontiguousarray(upper.T), np.ascontiguousarray(lower.T)
    return np.stack([np.count_nonzero(upper <= worse, axis=1) for worse in lower], axis=1).astype(np.int32)


def _weigh_by_item(upper, lower, weight):
    upper, lower, weight = (np.ascontiguousarray(matrix.T) for matrix in (upper, lower, weight))
    counts = np.empty((len(upper), len(upper)))
    for j, (worse, mine) in enumerate(zip(lower, weight, strict=True)):
        counts[j] = (upper <= worse) @ mine
    return counts.T


def query_blocks(lists, chosen=None, n_cells=_CACHED_CELLS):
    """Group queries with equal numbers of items into blocks, so that the matrices of a block can be stacked.

    If the mask `chosen` is given, other queries are left out. For each block, yields the positions of its queries as an
    int64 array. A block of several queries is limited in size: the square matrices of its queries have at most about
    `n_cells` cells in total. Its lists contain at most about `n_cells` ranks.
    """
    queries = np.arange(lists.n_queries) if chosen is None else np.flatnonzero(chosen)
    if len(queries) == 1:
        yield queries
        return
    sizes, n_lists = lists.query_n_items, np.diff(lists.list_ptr)
    for n in np.unique(sizes[queries]):
        equal = queries[sizes[queries] == n]
        cells = np.cumsum(int(n) * np.maximum(int(n), n_lists[equal]))
        yield from np.split(equal, np.flatnonzero(np.diff(cells // n_cells)) + 1)


def candidates_of(lists, queries):
    """Return the candidates of each query, as an array of shape (n_queries, n_items).

    All queries must have the same number of items.
    """
    return lists.candidate_ptr[queries][:, None] + np.arange(lists.query_n_items[queries[0]])


def gather_queries(lists, queries):
    """Return the positions of the lists and rows of the given queries, and pointer arrays that delimit them.

    Returns five arrays. The first contains the positions of the lists and has shape (n_chosen_lists,). The second is
    the `list_ptr` of these lists. The third contains the positions of the rows and has shape (n_chosen_rows,). The
    fourth is the `row_ptr` of these rows. The fifth contains the number of each row's item within its query and has
    shape (n_chosen_rows,).
    """
    if lists.n_queries == 1:
        return np.arange(lists.n_lists), lists.list_ptr, np.arange(lists.n_rows), lists.row_ptr, lists.candidate
    own, list_ptr = gather_ranges(lists.list_ptr, queries)
    rows, row_ptr = gather_ranges(lists.row_ptr, own)
    item = lists.candidate[rows] - np.repeat(lists.candidate_ptr[queries], np.diff(row_ptr[list_ptr]))
    return own, list_ptr, rows, row_ptr, item


def preference_stacks(lists, row_weight=None):
    """Compute weighted preferences between items that appear in the same list; yield results by blocks of queries.

    ``row_weight``, of shape (n_rows,), contains a weight for the item of each row of the lists. A list counts a pair
    with the weight of the worse item. Tied rows of a list must have equal weights. If `row_weight` is None, each list
    counts every pair with the weight of the list.

    The queries of a block have the same number of items. For each block, yields three arrays. The first contains the
    positions of the queries and has shape (n_block_queries,). The other two, `above` and `level`, have shape
    (n_block_queries, n_items, n_items) and may be read-only. In `above`, the cell of items i and j is the total weight
    of the lists that contain both items and rank i above j. In `level`, the cell is the total weight of the lists that
    tie both items. The diagonal of `level` contains the total weight of the lists that contain each item. The total
    weight of all lists with both items is ``above + above.T + level``.
    """
    ties = _has_ties(lists)
    if row_weight is None:
        row_weight = lists.list_weight[lists.row_list]
    dense = is_dense(lists, row_weight)
    for queries in query_blocks(lists, ~dense, _BLOCK_CELLS):
        yield queries, *_sparse_preferences(lists, queries, row_weight, bool(ties[queries].any()))
    if dense.any():
        constant = _is_constant(lists, row_weight)
        for q in np.flatnonzero(dense):
            above, level = _dense_preferences(lists, q, row_weight, constant[q], ties[q])
            yield np.array([q]), above[None], level[None]


def _has_ties(lists):
    """Return a mask of shape (n_queries,): True for each query in which some list ties items."""
    return np.logical_or.reduceat(~tie_starts(lists.row_ptr, lists.rank), lists.row_ptr[lists.list_ptr[:-1]])


def _is_constant(lists, row_weight):
    """Return a mask of shape (n_queries,): True for each query in which all rows have the same weight."""
    first_row = lists.row_ptr[lists.list_ptr[:-1]]
    return np.maximum.reduceat(row_weight, first_row) == np.minimum.reduceat(row_weight, first_row)


def _sparse_preferences(lists, queries, row_weight, ties):
    """Use a kernel to compute the results `above` and `level` of :func:`preference_stacks` for some queries.

    All these queries have the same number of items.
    """
    n = int(lists.query_n_items[queries[0]])
    _, list_ptr, rows, row_ptr, item = gather_queries(lists, queries)
    matrix = np.repeat(np.arange(len(queries)), np.diff(list_ptr))
    below, level = co_ranked(row_ptr, item, lists.rank[rows], row_weight[rows], matrix, n, len(queries), ties=ties)
    return below.swapaxes(1, 2), level


def _dense_preferences(lists, q, row_weight, constant, ties):
    ranks = rank_matrix(lists, q)
    lower = _below_held_only(ranks)
    row_weight = row_weight[_query_rows(lists, q)]
    weight = None if constant else _spread(lists, q, row_weight, 0.0, np.float64)
    above = preference_counts(ranks, lower, weight=weight)
    if ties:
        level = preference_counts(ranks, lower, gap=0, weight=weight) - above
    else:
        level = np.diag((lower > 0).sum(axis=0) if constant else weight.sum(axis=0))
    if constant:
        return above * row_weight[0], level * row_weight[0]
    return above, level


def _below_held_only(ranks):
    """Replace the ranks of absent items by -1, for use as ``lower`` in :func:`preference_counts`.

    A list then compares only the items that it contains.
    """
    absent = ranks > 2 * ranks.shape[1]
    return np.where(absent, -1, ranks) if absent.any() else ranks


def preference_matrix(lists, q, *, absent="last"):
    """Return two matrices of list weights for the pairs of items of query `q`.

    Both matrices have shape (n, n). The first contains the total weight of the lists that prefer the row's item to the
    column's item. The second contains the total weight of the lists that contain both items.

    With ``absent="last"``, absent items count as ranked below the items of a list. With "ignore", a list compares only
    its own items.

    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg._arrays._pairwise import preference_matrix
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> preference_matrix(RankedLists.from_frame(frame), 0)
    (array([[0., 1.],
           [1., 0.]]), array([[1., 1.],
           [1., 2.]]))
    >>> preference_matrix(RankedLists.from_frame(frame), 0, absent="ignore")[0]
    array([[0., 1.],
           [0., 0.]])
    """
    query = lists if lists.n_queries == 1 else lists.take([q])
    ((_, prefer, level),) = preference_stacks(query)
    both = hold_both(prefer, level)
    del level  # the matrices may be large
    if absent == "last":
        prefer = prefer_held(prefer, both)
    return prefer[0], both[0]


def preference_blocks(lists, absent):
    """Compute the first result of :func:`preference_matrix` for all queries; yield results by blocks of queries.

    The queries of a block have the same number of items. For each block, yields two arrays. The first contains the
    positions of the queries and has shape (n_block_queries,). The second contains the total weight of the lists that
    prefer the row's item to the column's item. It has shape (n_block_queries, n_items, n_items) and may be read-only. A
    large query forms a block of its own.
    """
    row_weight, ties = lists.list_weight[lists.row_list], bool(_has_ties(lists).any())
    dense = is_dense(lists, row_weight)
    for queries in query_blocks(lists, ~dense):
        prefer, level = _sparse_preferences(lists, queries, row_weight, ties)
        if absent == "last":
            prefer = prefer_held(prefer, hold_both(prefer, level))
        del level
        yield queries, prefer
    for q in np.flatnonzero(dense):
        yield np.array([q]), preference_matrix(lists, q, absent=absent)[0][None]


def hold_both(prefer, level):
    """Return the total weight of the lists that contain both items of each pair: ``prefer + prefer.T + level``.

    `prefer` and `level` are the second and third array of :func:`preference_stacks`.
    """
    both = prefer + prefer.swapaxes(1, 2)
    both += level
    return both


def prefer_held(prefer, both):
    """Return the total weight of the lists that prefer one item to another, if lists rank absent items last.

    `prefer` contains the total weight of the lists that contain both items and prefer the item of the row. The weight
    of the lists that contain only the item of the row is added to it.

    `both` contains the weight of the lists that contain both items of a pair. Its diagonal contains the weight of the
    lists that contain each single item.
    """
    above = np.diagonal(both, axis1=1, axis2=2)[:, :, None] - both
    above += prefer
    return above


def majority_agreement(ranks, counts):
    """For each list, count the pairs of items that the list and a strict majority put in the same order.

    Returns float64 of shape (n_lists,).

    ``ranks`` has shape (n_lists, n_items), and lower ranks are better. All absent items of a list have the same rank,
    which is greater than the ranks of the list's items. ``counts``, of shape (n_items, n_items), counts the lists that
    prefer the row's item to the column's item.

    >>> import numpy as np
    >>> from skrankagg._arrays._pairwise import majority_agreement
    >>> majority_agreement(np.array([[1, 2], [2, 1], [1, 2]]), np.array([[0, 2], [1, 0]]))
    array([1., 0., 1.])
    """
    return count_above(ranks, counts > counts.T)


def count_above(ranks, chosen):
    """For each list, count the pairs (i, j) for which ``chosen[i, j]`` is True and the list ranks i above j."""
    m, n = ranks.shape
    if m * n**2 <= _BLOCK_CELLS:
        above = ranks[:, :, None] < ranks[:, None, :]
        above &= chosen
        return np.count_nonzero(above.reshape(m, -1), axis=1).astype(np.float64)
    places = np.ascontiguousarray(ranks.T)
    count = np.zeros(len(ranks))
    for place, row in zip(places, chosen, strict=True):
        others = np.flatnonzero(row)
        # The bytes of 255 items add up without overflow.
        for first in range(0, len(others), 255):
            above = place < places[others[first : first + 255]]
            count += np.add.reduce(above.view(np.uint8), axis=0, dtype=np.uint8)
    return count


def majority(lists, absent="last"):
    """For each item, count the opponents that the item beats by a weighted majority, and the opponents it ties with.

    Returns two arrays of shape (n_candidates,): the numbers of beaten opponents, and the numbers of ties.

    ``absent`` is as in :func:`preference_matrix`.
    """
    wins, draws = np.empty(lists.n_candidates), np.empty(lists.n_candidates)
    dense = is_dense(lists)
    for q in np.flatnonzero(dense):
        candidates = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
        ranks = rank_matrix(lists, q)
        counts = preference_counts(ranks, _below_held_only(ranks) if absent == "ignore" else None)
        wins[candidates] = np.count_nonzero(counts > counts.T, axis=1)
        draws[candidates] = np.count_nonzero(counts == counts.T, axis=1) - 1
    sparse = np.flatnonzero(~dense)
    if len(sparse):
        rest = lists if len(sparse) == lists.n_queries else lists.take(sparse)
        candidates = np.repeat(~dense, np.diff(lists.candidate_ptr))
        # Comparisons of a listed item with an absent item are included in the totals.
        held = rest.candidate_weight if absent == "last" else np.zeros(rest.n_candidates)
        wins[candidates], draws[candidates] = majority_points(
            rest.list_ptr,
            rest.row_ptr,
            rest.rank,
            rest.candidate,
            rest.list_weight,
            rest.candidate_ptr,
            held,
            rest.row_list,
            *rest.rows_by_candidate,
        )
    return wins, draws


def is_dense(lists, row_weight=None):
    """Return a mask of shape (n_queries,): True for each query that NumPy probably processes faster than a kernel.

    NumPy compares all items of a query; a kernel visits only the pairs inside each list. The kernel is ``co_ranked`` if
    the weights of the rows are given, and ``majority_points`` otherwise. For ``majority_points`` and weighted lists,
    the mask is False everywhere.
    """
    # For few rows, an upper limit of the number of visited pairs is enough, because the exact number takes longer.
    n_rows = int(lists.list_length.sum())
    few = n_rows <= _FEW_ITEMS and _kernel_cost(2 * n_rows**2) <= _WORTH
    if few or (row_weight is None and lists.is_weighted):
        return np.zeros(lists.n_queries, dtype=bool)
    m, n = np.diff(lists.list_ptr), lists.query_n_items.astype(np.float64)
    inside = lists.sum_over_lists(lists.list_length.astype(np.float64) ** 2)
    if row_weight is None:
        kernel, dense = _kernel_cost(inside + n**2), _dense_cost(m, n, weighted=False)
    else:
        kernel, dense = _kernel_cost(inside / 2), _dense_cost(m, n, weighted=~_is_constant(lists, row_weight))
        if not lists.is_weighted:  # otherwise the two algorithms may round in different ways
            kernel *= np.where(n > _CACHED_ITEMS, _SLOWER[1], np.where(n > _FEW_ITEMS, _SLOWER[0], 1.0))
    return (kernel > _WORTH) & (dense < kernel) & (n <= _DENSE_ITEMS)


def _kernel_cost(n_visits):
    """Estimate the cost of a kernel that visits `n_visits` pairs; one comparison by NumPy costs 1.

    The cost of a single pair, which depends on compilation, was found by time measurements.
    """
    return n_visits * (3.6 if COMPILED else 400.0)


def _dense_cost(m, n, *, weighted):
    """Estimate the cost of comparing all n items with each other in m lists.

    The unit is the cost of one comparison of two ranks by NumPy. The constants were found by time measurements.

    Without weights, the fixed cost of a query equals the cost of 32 lists. With weights, a comparison costs 2.4 times
    as much, and each item needs a separate NumPy call of fixed cost.
    """
    return np.where(weighted, 2.4 * m * n**2 + 24_000 * n, (m + 32) * n**2)
