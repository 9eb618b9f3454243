"""Borda points, with and without points for unranked items."""

from typing import Literal

import numpy as np

from ...base._voter_weights import VoterWeights
from ._point_sums import PointSums, SharedPointSums

__all__ = ["BordaCount", "SimpleBorda"]


class _BordaPoints(PointSums):
    def _points(self, lists):
        """Return the points of each row: one for the item itself, and one for each item of the query below it."""
        return lists.query_n_items[lists.candidate_query[lists.candidate]] + 1 - lists.rank

    def _first_place(self, lists):
        return lists.query_n_items.astype(np.float64)


class BordaCount(_BordaPoints, SharedPointSums):
    r"""Rank items by Borda points; items missing from a list share the remaining points of the list.

    Each list gives its first item as many points as the query has items. It gives its second item one point less, and
    so on.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: with "last" they share the points that the list has not given to its own
        items. With "ignore" each list gives points only to its own items. The score of an item is then the mean of its
        points over the lists that contain it. Use "ignore" when each voter saw only some items. See Notes for lists of
        unequal length.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    SimpleBorda : Unranked items get no points.
    CombSUM : With ``norm="borda"`` it gives the same order; its scores are Borda points divided by the number of items.
    RankStatistic : With ``absent="ignore"`` it divides each rank by the length of the list.

    Notes
    -----
    Let :math:`n` be the number of distinct items of the query, :math:`r_v(i)` the rank of item :math:`i` in list
    :math:`v`, :math:`L_v` the length of the list and :math:`w_v` its weight. The score is [1]_, [2]_

    .. math:: B(i) = \sum_{v \ni i} w_v (n + 1 - r_v(i)) + \sum_{v \not\ni i} w_v \frac{n - L_v + 1}{2}.

    With ``absent="ignore"`` an item gets one point for itself and one for each item below it in the list, as in an
    election among the items of the list. The score is

    .. math:: B(i) = \frac{\sum_{v \ni i} w_v (L_v + 1 - r_v(i))}{\sum_{v \ni i} w_v}.

    On full lists this gives the same order as the default. With lists of unequal length, the first place of a long list
    is worth more than the first place of a short list. So the items of long lists tend to come first.
    :class:`RankStatistic` avoids this, because it divides ranks by the length of the list. Do not use "ignore" for
    lists that are cut to their first items. An item that a single list ranks first would then come before an item that
    every list ranks second. If only lists of weight 0 contain an item, its score is 0.

    Tied items share their mean rank, and therefore their mean points. The time is linear in the number of rows.

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

    _guide = {
        "absent": (
            '`absent="last"`: the mean of the points of the remaining places, (n - L + 1) / 2; `"ignore"`: the '
            "list is left out of the item's mean"
        ),
        "ties": "mean rank, so mean points",
        "cost": "$N$",
    }
    _variants = ({}, {"absent": "ignore"})

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _left_over(self, lists):
        return (lists.query_n_items[lists.list_query] - lists.list_length + 1) / 2

    def _points_inside(self, lists):
        """Return the points of each row: one for the item itself, and one for each item below it in the same list."""
        return lists.list_length[lists.row_list] + 1 - lists.rank


class SimpleBorda(_BordaPoints):
    r"""Rank items by Borda points; unranked items get no points.

    The last item of a list still gets more points than an item missing from the list.

    Parameters
    ----------
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    BordaCount : Unranked items share the points that the list has not given to its own items.
    CombSUM : With ``norm="simple-borda"`` it gives the same order; its scores are these points divided by the number of
        items.

    Notes
    -----
    Let :math:`n` be the number of distinct items of the query, :math:`r_v(i)` the rank of item :math:`i` in list
    :math:`v` and :math:`w_v` the weight of the list. The score is [1]_

    .. math:: B(i) = \sum_{v \ni i} w_v (n + 1 - r_v(i)).

    Tied items share their mean rank; an absent item gets 0 points. The time is linear in the number of rows.

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

    _guide = {"absent": "0", "ties": "mean rank, so mean points", "cost": "$N$"}

    def __init__(self, *, voter_weights: VoterWeights | None = None):
        self.voter_weights = voter_weights
