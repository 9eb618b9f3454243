"""Borda points, with and without points for unranked items."""

from typing import Literal

import numpy as np

from ..._support._sklearn import StrOptions
from ...base import BaseAggregator
from ...base._consensus import Contributions
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._row_sums import sum_rows, sum_rows_again, times, weigh_rows

__all__ = ["BordaCount", "SimpleBorda"]


class _BaseBorda(BaseAggregator):
    _any_numbering = True
    _repeats_columns = True
    _parameter_constraints: dict = {**VOTER_WEIGHTS}

    def __init__(self, *, voter_weights: VoterWeights | None = None):
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        return sum_rows(lists, self._points(lists))

    def _contributions(self, lists):
        return Contributions(weigh_rows(lists, self._points(lists)))

    def _repeat(self, lists):
        return sum_rows_again(lists, self._points(lists))

    def _linear_gains(self, lists):
        return self._points(lists), None, lists.query_n_items.astype(np.float64)

    @staticmethod
    def _points(lists):
        """A point for the item itself and one for each item below it."""
        return lists.query_n_items[lists.candidate_query[lists.candidate]] + 1 - lists.rank


class BordaCount(_BaseBorda):
    r"""Rank items by Borda points; unranked items share the points that a list leaves over.

    Each list gives its first item as many points as there are items, its second one less, and so on down.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        Whether a list gives the items that it does not hold the points that it leaves over, or has no opinion on them:
        it then gives points among its own items, and each item's mean over the lists that hold it is taken, which lists
        of what each voter happened to see need. See Notes for lists of unequal length.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    SimpleBorda : Unranked items get nothing.
    CombSUM : With ``norm="borda"`` the same order; its scores are these divided by the number of items.
    RankStatistic : With ``absent="ignore"`` ranks are divided by the length of their list.

    Notes
    -----
    With :math:`n` the number of distinct items of the query, :math:`r_v(i)` the rank of item :math:`i` in list
    :math:`v` and :math:`L_v` the list's length [1]_, [2]_,

    .. math:: B(i) = \sum_{v \ni i} w_v (n + 1 - r_v(i)) + \sum_{v \not\ni i} w_v \frac{n - L_v + 1}{2}.

    With ``absent="ignore"`` an item gets a point for itself and one for each item of the list below it, as in an
    election among the items of the list, and

    .. math:: B(i) = \frac{\sum_{v \ni i} w_v (L_v + 1 - r_v(i))}{\sum_{v \ni i} w_v},

    which orders full lists as the default does. To be first of many is then worth more than to be first of few, so that
    lists of unequal length put the items of long lists ahead; :class:`RankStatistic` divides by the length. On top-k
    lists this reading puts an item that a single list ranks first before one that every list ranks second. An item that
    only lists of weight 0 hold scores 0.

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
    >>> BordaCount(absent="ignore").fit_transform(lists)
      query item     score  rank
    0     q    b  2.333333     1
    1     q    a  2.250000     2
    2     q    d  1.500000     3
    3     q    c  1.000000     4
    """

    _parameter_constraints: dict = {"absent": [StrOptions({"last", "ignore"})], **_BaseBorda._parameter_constraints}
    _variants = ({}, {"absent": "ignore"})

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        super().__init__(voter_weights=voter_weights)
        self.absent = absent

    def _aggregate(self, lists):
        if self.absent == "ignore":
            lists = _scale_weights(lists)
            return _mean(sum_rows(lists, self._points_inside(lists)), lists.candidate_weight)
        return super()._aggregate(lists) + lists.sum_over_absent(self._left_over(lists) * lists.list_weight)

    def _contributions(self, lists):
        if self.absent == "ignore":
            lists = _scale_weights(lists)
            points = weigh_rows(lists, self._points_inside(lists))
            return Contributions(_mean(points, lists.candidate_weight[lists.candidate]))
        return Contributions(super()._contributions(lists).held, self._left_over(lists) * lists.list_weight)

    def _repeat(self, lists):
        held = sum_rows_again(lists, np.ones(lists.n_rows))
        if self.absent == "ignore":
            inside = sum_rows_again(lists, self._points_inside(lists))

            def mean(weight):
                weight = _scaled(lists, weight)
                return _mean(inside(weight), held(weight))

            return mean
        points, left_over = super()._repeat(lists), self._left_over(lists)

        def score(weight):
            given = times(left_over, weight)
            return points(weight) + (lists.sum_over_lists(given)[lists.candidate_query] - held(given))

        return score

    def _linear_gains(self, lists):
        if self.absent == "ignore":
            return BaseAggregator._linear_gains(self, lists)  # a mean
        points, _, first = super()._linear_gains(lists)
        left_over = self._left_over(lists)
        return points - left_over[lists.row_list], left_over, first

    @staticmethod
    def _left_over(lists):
        """The mean of the points that each list has not given, (n_lists,)."""
        return (lists.query_n_items[lists.list_query] - lists.list_length + 1) / 2

    @staticmethod
    def _points_inside(lists):
        """A point for the item itself and one for each item of its list below it, (n_rows,)."""
        return lists.list_length[lists.row_list] + 1 - lists.rank

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.absent_below = self.absent == "last"
        return tags


def _scale_weights(lists):
    return lists.with_list_weight(_scaled(lists, lists.list_weight)) if lists.is_weighted else lists


def _scaled(lists, weight):
    """Weights as a mean takes them: times a power of two that keeps the products of each query's in range, exactly."""
    _, exponent = np.frexp(np.maximum.reduceat(weight, lists.list_ptr[:-1]))
    return np.ldexp(weight, -exponent[lists.list_query])


def _mean(total, weight):
    """0 where nothing has any weight."""
    return total / np.where(weight > 0, weight, 1.0)


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
