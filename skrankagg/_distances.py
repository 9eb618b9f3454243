"""Distances from each list to a consensus of its query: 0 where they agree, at most 1.

Every function takes encoded lists and the place of each (query, item) pair in the consensus, 1 for the best, ties at
their mean place, as float64 of shape (n_pairs,); it returns float64 of shape (n_lists,). With ``r`` the rank of an item
in the list, ``L`` the length of the list, ``a`` the place of the item and ``n`` the number of items of the query;
*local* places ``b`` are those among the items of the list alone.

>>> sorted(LIST_DISTANCES)
['cosine', 'footrule', 'local-footrule', 'rho', 'tau']
"""

import numpy as np

from ._grouped import dense_ranks, group_order, mid_ranks
from ._kernels import discordant_pairs

__all__ = ["LIST_DISTANCES", "consensus_places", "cosine", "footrule", "local_footrule", "rho", "tau"]


def consensus_places(lists, order, score):
    """Places of the pairs in a consensus, ties at their mean.

    Parameters
    ----------
    lists : RankedLists
    order : ndarray of shape (n_pairs,), dtype=int
        Pairs of each query, best first.
    score : ndarray of shape (n_pairs,), dtype=float64
        Scores in this order; equal neighbours tie.

    Returns
    -------
    ndarray of shape (n_pairs,), dtype=float64
    """
    start = np.ones(len(score), dtype=bool)
    start[1:] = score[1:] != score[:-1]
    start[lists.pair_ptr[:-1]] = True
    place = np.empty(lists.n_pairs)
    place[order] = mid_ranks(lists.pair_ptr, start)
    return place


def cosine(lists, place):
    """``1 - cos(u, v)``: points ``u = L + 1 - r`` of the list's items, 0 for others, and ``v = n + 1 - a`` of all "
    "items.
    """
    heads = lists.row_ptr[:-1]
    points = lists.list_length[lists.row_list] + 1 - lists.rank
    consensus = lists.query_n_items[lists.pair_query] + 1 - place
    inner = np.add.reduceat(points * consensus[lists.pair], heads)
    size = np.add.reduceat(points**2, heads)
    length = np.add.reduceat(consensus**2, lists.pair_ptr[:-1])[lists.list_query]
    return np.clip(1 - inner / np.sqrt(size * length), 0.0, 1.0)


def footrule(lists, place):
    """``(2 / L) * sum |r / L - a / n|`` over the list's items, at most 1."""
    share = place / lists.query_n_items[lists.pair_query]
    apart = np.abs(lists.rank / lists.list_length[lists.row_list] - share[lists.pair])
    return np.minimum(2 * np.add.reduceat(apart, lists.row_ptr[:-1]) / lists.list_length, 1.0)


def local_footrule(lists, place):
    """``sum |r - b|`` over the list's items, divided by its largest value, ``floor(L^2 / 2)``; 0 for a single item."""
    apart = np.add.reduceat(np.abs(lists.rank - _local_places(lists, place)), lists.row_ptr[:-1])
    return apart / np.maximum(lists.list_length**2 // 2, 1)


def rho(lists, place):
    """``(1 - rho) / 2``: Spearman's correlation of ``r`` and ``b``; 1/2 where one of the two ties all items, 0 for "
    "one item.
    """
    heads, mean = lists.row_ptr[:-1], (lists.list_length + 1) / 2
    first = lists.rank - mean[lists.row_list]
    second = _local_places(lists, place) - mean[lists.row_list]
    inner = np.add.reduceat(first * second, heads)
    scale = np.sqrt(np.add.reduceat(first**2, heads) * np.add.reduceat(second**2, heads))
    correlation = np.divide(inner, scale, out=np.zeros_like(inner), where=scale > 0)
    return np.where(lists.list_length == 1, 0.0, (1 - np.clip(correlation, -1.0, 1.0)) / 2)


def tau(lists, place):
    """Share of discordant pairs among the pairs that list and consensus both order; 0 where there is none."""
    local = _local_places(lists, place)
    dense = dense_ranks(lists.row_ptr, local)
    start = np.ones(lists.n_rows, dtype=bool)
    start[1:] = lists.rank[1:] != lists.rank[:-1]
    start[lists.row_ptr[:-1]] = True
    ptr = np.append(np.flatnonzero(start), lists.n_rows)
    tie_end = np.repeat(ptr[1:], np.diff(ptr))
    discordant, ordered = discordant_pairs(lists.row_ptr, tie_end, dense)
    return np.divide(discordant, ordered, out=np.zeros_like(discordant), where=ordered > 0)


LIST_DISTANCES = {
    "cosine": cosine,
    "footrule": footrule,
    "local-footrule": local_footrule,
    "rho": rho,
    "tau": tau,
}


def _local_places(lists, place):
    order = group_order(lists.row_list, place[lists.pair])
    value = place[lists.pair][order]
    start = np.ones(lists.n_rows, dtype=bool)
    start[1:] = value[1:] != value[:-1]
    start[lists.row_ptr[:-1]] = True
    local = np.empty(lists.n_rows)
    local[order] = mid_ranks(lists.row_ptr, start)
    return local
