"""FootruleOptimal: an assignment problem finds the order with the least total distance to the places in the lists."""

from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import candidates_of, query_blocks
from ..._arrays._ragged import positions
from ..._arrays._weight_units import count_in_units
from ...base import Consensus
from ...base._consensus import order_candidates
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._approximations import ABSENT, BaseNearKemeny
from ._stacks import by_item, interchangeable, n_below_place, preference_and_tie_blocks, rank_stack, scores
from ._worker import Unstarted, Worker

__all__ = ["FootruleOptimal"]

# From this number of items on, the assignment takes a fraction of a second or longer. The solver cannot be interrupted,
# so it then runs in a separate process, which Ctrl-C can end.
_OWN_PROCESS = 1000
# Number of cells in the costs of the queries that are processed together.
_CELLS = 1 << 14


def _footrule_costs(lists, queries):
    """For each item and each place, return the total distance between the item's ranks in the lists and the place.

    The result has shape (n_queries, n, n); the rows are items, and the columns are places.
    """
    n = int(lists.query_n_items[queries[0]])
    # Absent items share the remaining places.
    chosen, query, place = rank_stack(lists, queries, lists.rank, (lists.list_length + 1 + n) / 2.0)
    weight = lists.list_weight[chosen]
    if (weight % 1 == 0).all():
        return _whole_costs(query, place, weight, len(queries))
    start, position = np.searchsorted(query, np.arange(len(queries) + 1)), np.arange(1, n + 1)
    cost = np.empty((len(queries), n, n))
    for k in range(len(queries)):
        own = slice(start[k], start[k + 1])
        for p in position:
            cost[k, :, p - 1] = weight[own] @ np.abs(place[own] - p)
        if not (weight[own] % 1 == 0).all():
            # Sums of the same weights in another order differ by rounding. Make them equal, so that this difference
            # does not decide the assignment.
            grid = 2.0 ** np.ceil(np.log2(TOLERANCE * n * cost[k].max(initial=1.0)))
            cost[k] = np.round(cost[k] / grid) * grid
    return cost


def _whole_costs(query, place, weight, n_queries):
    """Compute the result of :func:`_footrule_costs` for integer weights, whose sums are exact in any order."""
    n = place.shape[1]
    cost, first = np.zeros((n_queries, n, n)), np.zeros(n_queries * n)
    cost[:, :, 0] = -np.bincount(query, weight, minlength=n_queries)[:, None]
    bend = cost.reshape(-1)
    # Consider an item in a list. Up to the item's rank, the distance falls by the list's weight from one place to the
    # next. Beyond the rank the distance rises by this weight. So the slope changes by twice the weight at the rank. If
    # the rank is between two places, the slope changes by the weight at each of the two places. A change of the slope
    # at a place is stored at the next place. The last place has no next place, so its change is left out.
    step = max(1, _CELLS // n)
    for start in range(0, len(place), step):
        some = slice(start, start + step)
        row = (query[some, None] * n + np.arange(n)).ravel()
        ranks, share = place[some].ravel(), np.repeat(weight[some], n)
        np.add.at(first, row, share * (ranks - 1.0))
        for nearest in (np.floor(ranks), np.ceil(ranks)):
            inner = nearest < n
            np.add.at(bend, row[inner] * n + nearest[inner].astype(np.int64), share[inner])
    np.cumsum(cost, axis=2, out=cost)
    cost[:, :, 0] = first.reshape(n_queries, n)
    return np.cumsum(cost, axis=2, out=cost)


def _solve_assignment(cost):
    if len(cost) < _OWN_PROCESS:
        return linear_sum_assignment(cost)
    worker = Worker()
    try:
        return worker.call(linear_sum_assignment, cost)
    except Unstarted:
        return linear_sum_assignment(cost)
    finally:
        worker.close()


def _assign(cost):
    """Assign items to places with the least total cost; return the place of each item and the total cost.

    Places are counted from 0.
    """
    items, places = _solve_assignment(cost)
    found = np.empty(len(cost), dtype=np.int64)
    found[items] = places
    return found, float(cost[items, places].sum())


class FootruleOptimal(BaseNearKemeny):
    r"""Rank items so that the places of the items are as near as possible to their places in the lists.

    The order minimises Spearman's footrule instead of Kendall's distance. Finding this order is an assignment problem
    between items and places, and the problem is solved exactly.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How `kemeny_score` in ``query_info_`` treats absent items. The parameter does not change the order.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query`, `footrule` and `kemeny_score`. `footrule` is the total distance of the order from the lists.
        `kemeny_score` is the Kemeny score of the published order, without ties, with a penalty of 0.5.

    See Also
    --------
    Kemeny : Minimises the number of pairs in opposite orders.

    Notes
    -----
    The order :math:`a` minimises :math:`\sum_v w_v \sum_i |r_v(i) - a(i)|` over all permutations, where :math:`r_v(i)`
    is the mid-rank of item :math:`i` in list :math:`v`. The :math:`n - L_v` items missing from a list share the mean of
    the remaining places, :math:`(L_v + 1 + n) / 2`. If all lists are full, the Kemeny score of the order is at most
    twice the optimum [1]_.

    `score` is the number of items below the item. Two neighbours tie if both have the same cost at every place. If
    there are several best orders, one of them is returned. The time is :math:`O(m n^2 + n^3)`.

    References
    ----------
    .. [1] C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the web", WWW 2001.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import FootruleOptimal
    >>> FootruleOptimal().aggregate(lists)[1]
      query  footrule  kemeny_score
    0     q       8.0           4.0
    """

    _guide = {
        "absent": "the mean of the remaining places, (L + 1 + n) / 2; its `absent` only changes the reported score",
        "ties": "mean rank",
        "cost": "$m n^2 + n^3$",
    }
    _cost_terms = ("m n^2", "n^3")
    _parameter_constraints: dict = {**ABSENT, **VOTER_WEIGHTS}
    # `absent` only changes the reported score; it does not change the order.
    _tags = {"absent_below": True, "compares": "last"}
    _query_columns = ("footrule", "kemeny_score")
    _pair_bytes, _cell_bytes = 37.0, 26.0

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        score, kemeny, distance = np.empty(lists.n_candidates), np.empty(lists.n_queries), np.empty(lists.n_queries)
        counted, unit = count_in_units(lists)
        for queries in query_blocks(lists):
            # Compute the costs of a few queries at a time, so that they stay in the cache.
            n = int(lists.query_n_items[queries[0]])
            step = max(1, _CELLS // n**2)
            for first in range(0, len(queries), step):
                some = queries[first : first + step]
                cost = _footrule_costs(counted, some)
                place = np.empty((len(some), n), dtype=np.int64)
                for k, q in enumerate(some):
                    place[k], distance[q] = _assign(cost[k])
                order = np.argsort(place, axis=1)
                score[candidates_of(lists, some)] = by_item(order, n_below_place(interchangeable(cost, order)))
        # Items that cost the same in every place are interchangeable, but swapping them changes the pairs. The score is
        # computed for the published order.
        rank = np.empty(lists.n_candidates)
        rank[order_candidates(lists, score)[0]] = positions(lists.candidate_ptr)
        for queries, prefer, tied in preference_and_tie_blocks(counted, self.absent):
            kemeny[queries] = scores(rank[candidates_of(lists, queries)], prefer, tied)
        return Consensus(score, queries={"footrule": unit * distance, "kemeny_score": unit * kemeny})
