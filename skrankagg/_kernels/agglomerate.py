"""Merging of the most similar lists."""

import numpy as np

from . import _agglomerate, loading
from .loading import VF, VI, as_vf, as_vi, blocks


def merge_lists(score, weight, list_ptr, c1, c2, by_similarity):
    """Merge the two most similar lists of each query until one list is left; return the scores of this list.

    `score`, of shape (n_lists, n_items), contains the scores of each list for at least 2 items; higher scores are
    better. `weight`, of shape (n_lists,), contains the weights of the lists. `list_ptr` delimits the lists of each
    query; every query has at least one list. `c1` and `c2` are coefficients in the formula for the weight of a merged
    list. With `by_similarity`, this weight also depends on the similarity of the merged list to the other lists.
    Returns float64 of shape (n_queries, n_items).
    """
    n, m = score.shape[1], np.diff(list_ptr)
    # Costs: all pairs of lists are compared, and all pairs are scanned before each merge. All lists are sorted, and one
    # more list is sorted for each merge.
    work = m**2.0 * (n + m / 3.0) + 40.0 * m * n
    numbers, options = (as_vf(score.ravel()), as_vf(weight)), (float(c1), float(c2), bool(by_similarity))
    list_ptr, rank, merged = as_vi(list_ptr), VF(np.zeros(score.size)), np.empty((len(m), n))
    for first, last in blocks(np.cumsum(work)):
        if work[first] > loading.BLOCK:
            own = slice(list_ptr[first], list_ptr[last])
            merged[first] = merge_many_lists(score[own], weight[own], *options)
        else:
            left = _agglomerate.merge_stack(first, last, list_ptr, *numbers, n, rank, *options)
            merged[first:last] = np.asarray(numbers[0]).reshape(-1, n)[np.asarray(left)]
    return merged


def merge_many_lists(score, weight, c1, c2, by_similarity):
    """Merge the lists of one query as :func:`merge_lists` does, for queries with many lists.

    The work is divided into several kernel calls. Returns the scores of the last remaining list as an array of shape
    (n_items,).
    """
    m, n = score.shape
    score, weight, rank, similarity = as_vf(score.ravel()), as_vf(weight), VF(np.zeros(m * n)), VF(np.zeros(m * m))
    order, spare, closest = as_vi(np.arange(n)), as_vi(np.arange(n)), VF(np.zeros(m))
    partner, tied, heavy, heavier = (VI(np.zeros(m, dtype=np.int64)) for _ in range(4))
    # A list is sorted and then compared with all lists before it.
    for first, last in blocks(np.cumsum(n * (np.arange(m) + 20.0))):
        _agglomerate.compare(first, last, score, n, order, spare, rank, similarity, closest, partner)
    alive = VI(np.arange(m))
    # Before a merge, all pairs are scanned in the worst case. After it, all lists are compared with the new list.
    lists = np.arange(m, 1.0, -1.0)
    for first, last in blocks(np.cumsum(lists * (lists + n))):
        arrays = order, spare, rank, similarity, closest, partner, tied, heavy, heavier
        _agglomerate.merge(last - first, m - first, alive, score, weight, n, *arrays, c1, c2, by_similarity)
    return np.asarray(score).reshape(m, n)[alive[0]]
