"""The order of the least total distance between places: an assignment."""

from typing import Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from ..._arrays import TOLERANCE
from ..._arrays._preferences import n_below, query_preferences
from ..._arrays._ragged import positions
from ..._arrays._weight_units import count_in_units
from ...base import Consensus
from ...base._consensus import order_candidates
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._costs import kemeny_score
from ._near import ABSENT, BaseNearKemeny, interchangeable
from ._worker import Unstarted, Worker

__all__ = ["FootruleOptimal"]

# Items from which the assignment, which nothing can stop, takes a fraction of a second: a process of its own can be
# ended by Ctrl-C.
_OWN_PROCESS = 1000


def _footrule_costs(lists, q):
    """Total distance of each item from each place, (n_items, n_places)."""
    first, last = lists.list_ptr[q], lists.list_ptr[q + 1]
    n = int(lists.candidate_ptr[q + 1] - lists.candidate_ptr[q])
    rows = slice(lists.row_ptr[first], lists.row_ptr[last])
    # Absent items share the places that are left.
    place = np.repeat((lists.list_length[first:last] + 1 + n)[:, None] / 2.0, n, axis=1)
    place[lists.row_list[rows] - first, lists.candidate[rows] - lists.candidate_ptr[q]] = lists.rank[rows]
    weight = lists.list_weight[first:last]
    cost = np.column_stack([weight @ np.abs(place - position) for position in range(1, n + 1)])
    if (weight % 1 == 0).all():
        return cost
    # Sums of the same weights in another order are one number: rounding decides between no two assignments.
    grid = 2.0 ** np.ceil(np.log2(TOLERANCE * n * cost.max(initial=1.0)))
    return np.round(cost / grid) * grid


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
    """Place of each item, from 0, at the least total cost, and that cost."""
    items, places = _solve_assignment(cost)
    found = np.empty(len(cost), dtype=np.int64)
    found[items] = places
    return found, float(cost[items, places].sum())


class FootruleOptimal(BaseNearKemeny):
    r"""Rank items in the order whose places are nearest to those in the lists.

    Spearman's footrule instead of Kendall's distance: an assignment of items to places, solved exactly.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How `kemeny_score` in ``query_info_`` counts absent items; it does not change the order.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query`, `footrule`, the total distance, and `kemeny_score` of the order in
        which the consensus lists the items, with a penalty of 0.5.

    See Also
    --------
    Kemeny : Minimises the number of pairs in opposite orders.

    Notes
    -----
    The order :math:`a` that minimises :math:`\sum_v w_v \sum_i |r_v(i) - a(i)|` over all permutations, with :math:`r_v`
    the mid-ranks in list :math:`v`; the :math:`n - L_v` items that a list does not hold share the mean of the places
    that it leaves, :math:`(L_v + 1 + n) / 2`. It costs at most twice the Kemeny optimum if all lists are full [1]_.
    `score` is the number of items below; neighbours that cost the same in every place tie. There may be several best
    orders. :math:`O(m n^2 + n^3)`.

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

    _parameter_constraints: dict = {**ABSENT, **VOTER_WEIGHTS}
    _query_columns = ("footrule", "kemeny_score")
    _pair_bytes, _cell_bytes = 34.0, 26.0

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        score, kemeny, distance = np.empty(lists.n_candidates), np.empty(lists.n_queries), np.empty(lists.n_queries)
        counted, unit = count_in_units(lists)
        for q in range(lists.n_queries):
            cost = _footrule_costs(counted, q)
            place, distance[q] = _assign(cost)
            rank = interchangeable(cost, np.argsort(place))
            score[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]] = n_below(rank)
        # Items that cost the same in every place may change places, which changes the pairs: those of the order that is
        # published count.
        rank = np.empty(lists.n_candidates)
        rank[order_candidates(lists, score)[0]] = positions(lists.candidate_ptr)
        for q in range(lists.n_queries):
            own = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
            kemeny[q] = kemeny_score(rank[own], *query_preferences(counted, q, self.absent))
        return Consensus(score, queries={"footrule": unit * distance, "kemeny_score": unit * kemeny})

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.absent_below = True  # `absent` changes the score reported, not the order
        return tags
