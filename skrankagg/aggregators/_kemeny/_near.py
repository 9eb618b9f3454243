"""Fast ways to an order near Kemeny's, each with a guarantee or a use of its own."""

from numbers import Integral
from typing import Literal

import numpy as np
from sklearn.utils import check_random_state

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import rank_matrix
from ..._arrays._preferences import draws, margins, n_below, query_preferences
from ..._arrays._weight_units import count_in_units
from ..._support._sklearn import Interval, StrOptions
from ...base import BaseAggregator, Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._costs import kemeny_score
from ._search import order_cost

__all__ = ["KwikSort", "PickAPerm"]

ABSENT = {"absent": [StrOptions({"last", "ignore"})]}


def kwik_sort(prefer, rng):
    """Sort items by majorities, as quicksort does, around random items: preferences (n, n) to an order (n,)."""
    margin = margins(prefer)
    order, left = [], [np.arange(len(margin))]
    while left:
        items = left.pop()
        if len(items) <= 1:
            order.extend(items)
            continue
        pivot = items[rng.integers(len(items))]
        others = items[items != pivot]
        # A draw goes to either side by chance.
        above = margin[others, pivot] < 0
        drawn = margin[others, pivot] == 0
        above[drawn] = rng.random(np.count_nonzero(drawn)) < 0.5
        left += [others[~above], np.array([pivot]), others[above]]
    return np.array(order, dtype=np.int64)


def interchangeable(table, order):
    """Places of an order, (n,); neighbours share one if their rows of the table are equal up to rounding."""
    step = np.abs(np.diff(table[order], axis=0)).max(axis=1) > TOLERANCE * np.abs(table).max()
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.append(0, np.cumsum(step))
    return rank


class BaseNearKemeny(BaseAggregator):
    """A method that finds an order of each query's items, and says what it costs.

    A subclass defines ``_rank_items(lists, q, prefer, tied, given)``, which returns the items' ranks, lower is better,
    and those that are shown, in which some items may tie; `given` is what its ``_prepare_search(lists)`` returns, once
    for all queries.
    """

    _query_columns = ("kemeny_score",)

    def _prepare_search(self, lists):
        return None

    def _aggregate(self, lists):
        score, cost = np.empty(lists.n_candidates), np.empty(lists.n_queries)
        given = self._prepare_search(lists)
        lists, unit = count_in_units(lists)
        for q in range(lists.n_queries):
            prefer, tied = query_preferences(lists, q, self.absent)
            rank, shown = self._rank_items(lists, q, prefer, tied, given)
            cost[q] = unit[q] * kemeny_score(rank, prefer, tied)
            score[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]] = n_below(shown)
        return Consensus(score, queries={"kemeny_score": cost})

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.neutral = False
        tags.aggregator_tags.unanimity = False
        tags.aggregator_tags.absent_below = self.absent == "last"
        return tags


class KwikSort(BaseNearKemeny):
    r"""Sort items by majorities around random pivots, and keep the best of several orders.

    Quicksort with a majority vote for each comparison.

    Parameters
    ----------
    n_init : int, default=10
        Number of orders, of which the one with the lowest Kemeny score is kept.
    absent : {"last", "ignore"}, default="last"
        Whether a list ties the items that it does not hold with each other, below those that it holds, or ignores
        them.
    random_state : int, RandomState instance or None, default=0
        Source of the pivots, the same for each query; an int gives the same consensus on every call.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query` and `kemeny_score`, of the order, with a penalty of 0.5.

    See Also
    --------
    Kemeny : A lower score, and a bound.

    Notes
    -----
    An item that a majority prefers to the pivot goes above it, one to which it prefers the pivot below, one at a draw
    to either side by chance [1]_. The better of this and of a list picked at random costs at most 11/7 times the
    optimum, expected over the pivots, if all lists are full. `score` is the number of items below; neighbours that no
    majority separates tie. :math:`O(n \log n)` comparisons for an order, after :math:`O(m n^2)` for the pairs.

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

    _parameter_constraints: dict = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        **ABSENT,
        "random_state": ["random_state"],
        **VOTER_WEIGHTS,
    }
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
        return check_random_state(self.random_state).randint(2**31 - 1)

    def _rank_items(self, lists, q, prefer, tied, given):
        rng = np.random.default_rng(given)
        margin = margins(prefer)
        orders = [kwik_sort(prefer, rng) for _ in range(self.n_init)]
        costs = np.array([order_cost(margin, order) for order in orders])
        # Of equally good orders the first, whatever rounding made of their costs.
        order = orders[np.argmax(costs <= costs.min() + TOLERANCE * np.abs(margin).sum())]
        return np.argsort(order), draws(margin, order)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.condorcet_winner = True
        return tags


class PickAPerm(BaseNearKemeny):
    r"""Take the list that disagrees least with all the others.

    The consensus is the list of one of the voters.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        Whether a list ties the items that it does not hold with each other, below those that it holds, or ignores
        them, when its distance to the list taken is measured. The list taken ends with the items that it does not hold,
        tied, either way.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query` and `kemeny_score`, of the list, with a penalty of 0.5.

    See Also
    --------
    Kemeny : The best of all orders.

    Notes
    -----
    The list of the lowest Kemeny score, with a penalty of 0.5, which is below twice the optimum if all lists are full
    [1]_. Of equally good lists the one is taken that ranks the first items, in the order of their ids, higher. Lists
    of weight 0 are not taken. `score` is the number of items below; ties stay. :math:`O(m n^2)`.

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

    _parameter_constraints: dict = {**ABSENT, **VOTER_WEIGHTS}
    _pair_bytes, _cell_bytes = 28.0, 16.0

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _rank_items(self, lists, q, prefer, tied, given):
        ranks = rank_matrix(lists, q)
        weight = lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]]
        ranks = np.unique(ranks[weight > 0] if (weight > 0).any() else ranks, axis=0)
        costs = np.array([kemeny_score(rank, prefer, tied) for rank in ranks])
        best = ranks[np.argmax(costs <= costs.min() + TOLERANCE * (prefer.sum() + tied.sum()))]
        return best, best

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.unanimity = True
        tags.aggregator_tags.absent_below = True  # the list taken ends with its absent items, whatever `absent`
        return tags
