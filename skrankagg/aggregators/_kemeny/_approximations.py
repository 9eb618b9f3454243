"""Fast methods that find an order near Kemeny's order: KwikSort and PickAPerm."""

from numbers import Integral
from typing import Literal

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import candidates_of, rank_matrix
from ..._arrays._preferences import margins
from ..._arrays._weight_units import count_in_units
from ..._kernels import draw_places, order_costs, pivot_orders
from ..._support._random import draw_seed
from ..._support._sklearn import Interval, StrOptions
from ...base import BaseAggregator, Consensus
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._stacks import by_item, n_below_place, preference_and_tie_blocks, rank_stack, scores

__all__ = ["KwikSort", "PickAPerm"]

ABSENT = {"absent": [StrOptions({"last", "ignore"})]}


class BaseNearKemeny(BaseAggregator):
    """Base class of methods that find an order of each query's items and report its Kemeny score.

    A subclass defines ``_rank_items(lists, queries, prefer, tied, given)`` for queries with the same number of items.
    `prefer` and `tied` have shape (n_queries, n, n). They contain the weight of the lists that prefer the row's item to
    the column's item, and the weight of the lists that tie the two items. `given` is the result of
    ``_prepare_search(lists)``, which is called once for all queries.

    ``_rank_items`` returns three arrays of shape (n_queries, n). The first array contains the orders. The other two
    arrays number the places of each order; tied neighbours have the same number. The Kemeny score is computed from the
    second array, and the published scores from the third.
    """

    _tags = {"neutral": False, "unanimity": False}
    _query_columns = ("kemeny_score",)

    def _prepare_search(self, lists):
        return None

    def _aggregate(self, lists):
        score, cost = np.empty(lists.n_candidates), np.empty(lists.n_queries)
        given = self._prepare_search(lists)
        lists, unit = count_in_units(lists)
        for queries, prefer, tied in preference_and_tie_blocks(lists, self.absent):
            order, place, shown = self._rank_items(lists, queries, prefer, tied, given)
            cost[queries] = unit[queries] * scores(by_item(order, place), prefer, tied)
            score[candidates_of(lists, queries)] = by_item(order, n_below_place(shown))
        return Consensus(score, queries={"kemeny_score": cost})


class KwikSort(BaseNearKemeny):
    r"""Sort items by majorities around random pivots, and keep the best of several orders.

    The method is quicksort with a majority vote for each comparison.

    Parameters
    ----------
    n_init : int, default=10
        Number of orders to try; the order with the lowest Kemeny score is kept.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
    random_state : int, RandomState instance or None, default=0
        Source of the random pivots. Each query starts from the same random state; an int gives the same consensus on
        every call.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query` and `kemeny_score` of the order, with a penalty of 0.5.

    See Also
    --------
    Kemeny : Finds an order with a lower score, and a bound on the score.

    Notes
    -----
    An item goes above the pivot if a majority prefers the item, and below if a majority prefers the pivot. If there is
    no majority, the item goes to a random side [1]_. A variant of the method also picks a list at random, and returns
    this list if it costs less than the order of KwikSort. If all lists are full, the expected cost of this variant is
    at most 11/7 times the optimum. `score` is the number of items below the item. Two neighbours tie if no majority
    prefers one to the other. Counting the pairs takes :math:`O(m n^2)`, and each order then takes :math:`O(n \log n)`
    comparisons.

    References
    ----------
    .. [1] N. Ailon, M. Charikar and A. Newman, "Aggregating inconsistent information: ranking and clustering", Journal
       of the ACM 55(5), 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import KwikSort
    >>> KwikSort().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    """

    _guide = {"absent": "as `Kemeny`", "ties": "not compared", "cost": r"$m n^2$, then $n \log n$ for each order"}
    _cost_terms = ("m n^2", "n^2")
    _parameter_constraints: dict = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        **ABSENT,
        "random_state": ["random_state"],
        **VOTER_WEIGHTS,
    }
    _tags = {"condorcet_winner": True}
    _pair_bytes = 50.0

    def __init__(
        self,
        *,
        n_init: int = 10,
        absent: Literal["last", "ignore"] = "last",
        random_state: int | np.random.RandomState | None = 0,
        voter_weights: VoterWeights | None = None,
    ):
        self.n_init = n_init
        self.absent = absent
        self.random_state = random_state
        self.voter_weights = voter_weights

    def _prepare_search(self, lists):
        return draw_seed(self.random_state)

    def _rank_items(self, lists, queries, prefer, tied, given):
        margin = margins(prefer)
        b, n = margin.shape[:2]
        orders = pivot_orders(margin, self.n_init, lambda k: np.random.PCG64(given).random_raw(k))
        place = np.broadcast_to(np.arange(n), orders.shape)
        query = np.repeat(np.arange(b), self.n_init)
        flat = orders.reshape(-1, n), place.reshape(-1, n)
        costs = order_costs(margin, np.empty(0), query, *flat).reshape(b, self.n_init)
        # Among the cheapest orders, take the first; costs that differ only by rounding count as equal.
        tolerance = 2 * TOLERANCE * np.abs(margin).sum(axis=(1, 2))
        best = np.argmax(costs <= (costs.min(axis=1) + tolerance)[:, None], axis=1)
        order = orders[np.arange(b), best]
        return order, place[:, 0], draw_places(margin, order)


class PickAPerm(BaseNearKemeny):
    r"""Return the list that disagrees least with all the other lists.

    The consensus is the list of one of the voters.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list when its distance to another list is measured: "last" ties them below the
        items of the list; "ignore" leaves them out. In the consensus itself, the items missing from the chosen list
        always tie at the end.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query` and `kemeny_score` of the list, with a penalty of 0.5.

    See Also
    --------
    Kemeny : Finds the best of all orders.

    Notes
    -----
    The method chooses the list with the lowest Kemeny score, with a penalty of 0.5. This score is below twice the
    optimum if all lists are full [1]_. If several lists have the lowest score, the item with the first id decides: the
    list that gives this item the best rank is chosen. If several of these lists give this item the same rank, the item
    with the second id decides, and so on. Lists of weight 0 are never chosen. `score` is the number of items below the
    item; items that are tied in the list stay tied. The time is :math:`O(m n^2)`.

    References
    ----------
    .. [1] N. Ailon, M. Charikar and A. Newman, "Aggregating inconsistent information: ranking and clustering", Journal
       of the ACM 55(5), 2008.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import PickAPerm
    >>> PickAPerm().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    1.0     2
    2     q    d    1.0     3
    3     q    c    0.0     4
    """

    _guide = {
        "absent": "as in `Kemeny` when costs are computed; tied at the end of the list that is chosen",
        "ties": "half a disagreement with a list that orders them",
        "cost": "$m n^2$",
    }
    _cost_terms = ("m n^2", "n^2")
    _parameter_constraints: dict = {**ABSENT, **VOTER_WEIGHTS}
    # The items absent from the chosen list always come last, for both values of `absent`.
    _tags = {"unanimity": True, "absent_below": True}
    _pair_bytes, _cell_bytes = 36.0, 16.0

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _rank_items(self, lists, queries, prefer, tied, given):
        ranks, query = _ranks(lists, queries)
        order = np.argsort(ranks, axis=1, kind="stable")
        place = np.zeros(ranks.shape, dtype=np.int64)
        ordered = np.take_along_axis(ranks, order, axis=1)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=place[:, 1:])
        # These costs leave out the part that is the same for all lists of a query, and count the remaining part twice.
        costs = order_costs(prefer.swapaxes(1, 2) - prefer, tied, query, order, place)
        start = np.searchsorted(query, np.arange(len(queries)))
        tolerance = 2 * TOLERANCE * (prefer.sum(axis=(1, 2)) + tied.sum(axis=(1, 2)))
        left = np.flatnonzero(costs <= (np.minimum.reduceat(costs, start) + tolerance)[query])
        best = left[_first_lexically(ranks[left], query[left])]
        return order[best], place[best], place[best]


def _ranks(lists, queries):
    """Return the ranks of all items in each list that PickAPerm may choose, and the query of each list.

    The ranks have shape (n_lists, n). The query of a list is its position in `queries`.
    """
    if len(queries) == 1:
        ranks = rank_matrix(lists, queries[0])
        chosen, query = slice(*lists.list_ptr[queries[0] : queries[0] + 2]), np.zeros(len(ranks), dtype=np.int64)
    else:
        absent = np.full(lists.n_lists, lists.query_n_items[queries[0]] + 1.0)
        chosen, query, ranks = rank_stack(lists, queries, lists.rank, absent)
    counts = lists.list_weight[chosen] > 0
    if counts.all():
        return ranks, query
    # Lists of weight 0 are only chosen in a query without other lists.
    counts |= np.bincount(query, weights=counts, minlength=len(queries))[query] == 0
    return ranks[counts], query[counts]


def _first_lexically(ranks, query):
    """For each query, return the position of its lexicographically smallest row of ranks.

    `query` contains the query of each row, in ascending order.
    """
    left = np.arange(len(ranks))
    for column in ranks.T:
        start = np.flatnonzero(np.append(True, query[left][1:] != query[left][:-1]))
        if len(start) == len(left):
            break
        least = np.repeat(np.minimum.reduceat(column[left], start), np.diff(np.append(start, len(left))))
        left = left[column[left] == least]
    return left[np.unique(query[left], return_index=True)[1]]
