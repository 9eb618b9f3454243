"""Borda points, with and without points for unranked items."""

import numpy as np

from ...base import BaseAggregator
from ...base._consensus import Contributions
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._row_sums import sum_rows, sum_rows_again, weigh_rows

__all__ = ["BordaCount", "SimpleBorda"]


class _BaseBorda(BaseAggregator):
    _any_numbering = True
    _parameter_constraints: dict = {**VOTER_WEIGHTS}

    def __init__(self, *, voter_weights: VoterWeights | None = None):
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        return sum_rows(lists, self._points(lists))

    def _contributions(self, lists):
        return Contributions(weigh_rows(lists, self._points(lists)))

    def _repeat(self, lists):
        return sum_rows_again(lists, self._points(lists))

    @staticmethod
    def _points(lists):
        """A point for the item itself and one for each item below it."""
        return lists.query_n_items[lists.candidate_query[lists.candidate]] + 1 - lists.rank


class BordaCount(_BaseBorda):
    r"""Rank items by Borda points; unranked items share the points that a list leaves over.

    Each list gives its first item as many points as there are items, its second one less, and so on down.

    Parameters
    ----------
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    SimpleBorda : Unranked items get nothing.
    CombSUM : With ``norm="borda"`` the same order; its scores are these divided by the number of items.

    Notes
    -----
    With :math:`n` the number of distinct items of the query, :math:`r_v(i)` the rank of item :math:`i` in list
    :math:`v` and :math:`L_v` the list's length [1]_, [2]_,

    .. math:: B(i) = \sum_{v \ni i} w_v (n + 1 - r_v(i)) + \sum_{v \not\ni i} w_v \frac{n - L_v + 1}{2}.

    Tied items share their mean rank, hence their mean points. Linear in the number of rows.

    References
    ----------
    .. [1] J.-C. de Borda, "Mémoire sur les élections au scrutin", 1781.
    .. [2] J. A. Aslam and M. Montague, "Models for metasearch", SIGIR 2001.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import BordaCount
    >>> BordaCount().fit_transform(lists)
      query item  score  rank
    0     q    b   11.0     1
    1     q    a    8.0     2
    2     q    c    6.0     3
    3     q    d    5.0     4
    """

    def _aggregate(self, lists):
        return super()._aggregate(lists) + lists.sum_over_absent(self._left_over(lists) * lists.list_weight)

    def _contributions(self, lists):
        return Contributions(super()._contributions(lists).held, self._left_over(lists) * lists.list_weight)

    def _repeat(self, lists):
        points, held = super()._repeat(lists), sum_rows_again(lists, np.ones(lists.n_rows))
        left_over = self._left_over(lists)

        def score(weight):
            given = left_over * weight
            return points(weight) + (lists.sum_over_lists(given)[lists.candidate_query] - held(given))

        return score

    @staticmethod
    def _left_over(lists):
        """The mean of the points that each list has not given, (n_lists,)."""
        return (lists.query_n_items[lists.list_query] - lists.list_length + 1) / 2


class SimpleBorda(_BaseBorda):
    r"""Rank items by Borda points; unranked items get none.

    The last item of a list still gets more points than an item that the list does not hold.

    Parameters
    ----------
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    BordaCount : Unranked items share the points left over.
    CombSUM : With ``norm="simple-borda"`` the same order; its scores are these divided by the number of items.

    Notes
    -----
    With :math:`n` the number of distinct items of the query and :math:`r_v(i)` the rank of item :math:`i` in list
    :math:`v` [1]_,

    .. math:: B(i) = \sum_{v \ni i} w_v (n + 1 - r_v(i)).

    Tied items share their mean rank; an absent item gets 0. Linear in the number of rows.

    References
    ----------
    .. [1] L. Akritidis, M. Alamaniotis and P. Bozanis, "FLAGR: A flexible high-performance library for rank
       aggregation", SoftwareX 21, 2023.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import SimpleBorda
    >>> SimpleBorda().fit_transform(lists)
      query item  score  rank
    0     q    b   11.0     1
    1     q    a    6.5     2
    2     q    c    5.0     3
    3     q    d    2.5     4
    """
