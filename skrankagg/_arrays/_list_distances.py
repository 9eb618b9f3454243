"""Distances between each list and a consensus of its query, from 0 (list and consensus agree) to 1.

Every function accepts encoded lists. It prepares everything that does not depend on the consensus, and returns a
function of the consensus. The argument of that function is the place of each candidate in the consensus, float64 of
shape (n_candidates,). The best place is 1, and tied candidates share their mean place. The result is one distance for
each list, as float64 of shape (n_lists,).

In the formulas, ``r`` is the rank of an item in the list, and ``L`` is the length of the list. ``a`` is the place of
the item in the consensus, and ``n`` is the number of items of the query. The *local* place ``b`` is the item's place in
the consensus after all items outside the list are removed.

>>> from skrankagg._arrays._list_distances import LIST_DISTANCES
>>> sorted(LIST_DISTANCES)
['cosine', 'footrule', 'local-footrule', 'rho', 'tau']
"""

import numpy as np

from .._kernels import discordant_pairs
from ._places import places_again
from ._ragged import mid_ranks, row_products, starts_to_ptr, tie_starts


def consensus_places(lists, order, score):
    """Return the place of each candidate in a consensus, as a float64 array of shape (n_candidates,).

    ``order`` contains the candidates of each query, best first. ``score`` contains their scores in this order.
    Neighbours with equal scores tie and share their mean place.
    """
    place = np.empty(lists.n_candidates)
    place[order] = mid_ranks(lists.candidate_ptr, tie_starts(lists.candidate_ptr, score))
    return place


def cosine(lists):
    """Return a function for the distance ``1 - cos(u, v)`` of two vectors: the points of a list and of the consensus.

    A list of length ``L`` gives ``u = L + 1 - r`` points to its item of rank ``r``, and 0 points to all other items.
    The consensus of ``n`` items gives ``v = n + 1 - a`` points to the item at place ``a``.
    """
    heads = lists.row_ptr[:-1]
    points = lists.list_length[lists.row_list] + 1 - lists.rank
    size = np.add.reduceat(points**2, heads)
    products = row_products(lists.row_ptr, lists.candidate, points, lists.n_candidates)
    most = lists.query_n_items[lists.candidate_query] + 1
    candidate_heads, list_query = lists.candidate_ptr[:-1], lists.list_query

    def distance(place):
        consensus = most - place
        length = np.add.reduceat(consensus**2, candidate_heads)[list_query]
        return np.minimum(np.maximum(1 - products(consensus) / np.sqrt(size * length), 0.0), 1.0)

    return distance


def footrule(lists):
    """Return a function for the distance ``(2 / L) * sum |r / L - a / n|``, summed over the items of the list.

    Distances above 1 are set to 1. ``r`` is the item's rank in the list, which has length ``L``. ``a`` is the item's
    place in the consensus, which has ``n`` items.
    """
    share = lists.rank / lists.list_length[lists.row_list]
    n_items = lists.query_n_items[lists.candidate_query]

    def distance(place):
        apart = np.abs(share - (place / n_items)[lists.candidate])
        return np.minimum(2 * np.add.reduceat(apart, lists.row_ptr[:-1]) / lists.list_length, 1.0)

    return distance


def local_footrule(lists):
    """Return a function for the distance ``sum |r - b|`` over the listed items, divided by the largest possible sum.

    The largest possible sum is ``floor(L^2 / 2)``. ``L`` is the length of the list, and ``r`` is the item's rank in the
    list. ``b`` is the item's place in the consensus after all items outside the list are removed. A list of a single
    item has distance 0.
    """
    largest, local_places = np.maximum(lists.list_length**2 // 2, 1), _local_places(lists)

    def distance(place):
        apart = np.abs(lists.rank - local_places(place))
        return np.add.reduceat(apart, lists.row_ptr[:-1]) / largest

    return distance


def rho(lists):
    """Return a function for the distance ``(1 - rho) / 2``; rho is Spearman's correlation of list and consensus.

    The correlation covers only the items of the list. The distance is 1/2 if the list or the consensus ties all these
    items. It is 0 for a list of a single item.
    """
    heads = lists.row_ptr[:-1]
    mean = ((lists.list_length + 1) / 2)[lists.row_list]
    first = lists.rank - mean
    spread, local_places = np.add.reduceat(first**2, heads), _local_places(lists)

    def distance(place):
        second = local_places(place) - mean
        inner = np.add.reduceat(first * second, heads)
        scale = np.sqrt(spread * np.add.reduceat(second**2, heads))
        correlation = np.divide(inner, scale, out=np.zeros_like(inner), where=scale > 0)
        return np.where(lists.list_length == 1, 0.0, (1 - np.clip(correlation, -1.0, 1.0)) / 2)

    return distance


def tau(lists):
    """Return a function for the share of discordant pairs among the pairs of listed items that are not tied.

    A pair is discordant if the list and the consensus order its items differently. Pairs that are tied in the list or
    in the consensus are not counted. The distance is 0 if all pairs are tied.
    """
    ptr = starts_to_ptr(tie_starts(lists.row_ptr, lists.rank))
    tie_end, local_places = np.repeat(ptr[1:], np.diff(ptr)), _local_places(lists)

    def distance(place):
        # Round the mean place of each group of ties down to an integer.
        number = local_places(place).astype(np.int64) - 1
        discordant, ordered = discordant_pairs(lists.row_ptr, tie_end, number)
        return np.divide(discordant, ordered, out=np.zeros_like(discordant), where=ordered > 0)

    return distance


LIST_DISTANCES = {
    "cosine": cosine,
    "footrule": footrule,
    "local-footrule": local_footrule,
    "rho": rho,
    "tau": tau,
}


def _local_places(lists):
    """Return a function that computes the local place of each row's item from the candidates' places in the consensus.

    The local place of an item is its place in the consensus after all items outside the row's list are removed. The
    function returns float64 of shape (n_rows,).
    """
    places = places_again(lists.row_ptr, 0.0)
    return lambda place: places(-place[lists.candidate])
