"""Bucklin's rule: items are ranked by the depth at which a majority of the lists contains them."""

from typing import Literal

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._weight_units import count_in_units
from ..._kernels import ragged_cumsum
from ..._support._sklearn import StrOptions
from ...base import BaseAggregator, Consensus
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights

__all__ = ["Bucklin"]


class Bucklin(BaseAggregator):
    r"""Rank items by their median rank: the depth down to which more than half of the lists contain the item.

    At depth 1, only the first places of all lists are counted; at depth 2, the first two places are counted; and so on.
    The depth of an item is the first depth at which more than half of the lists contain the item. Among items of equal
    depth, an item is ranked higher if more lists contain it down to this depth.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list. With "ignore" only the
        lists that contain the item are counted, and more than half of these lists must contain the item down to its
        depth. Use "ignore" when each voter saw only some items.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    RankStatistic : With ``statistic="median"``, ranks items by the median of the ranks divided by the number of items.
    PositionalScoring : Adds up points that depend on the place.

    Notes
    -----
    Let :math:`r_v(i)` be the rank of item :math:`i` in list :math:`v`. The depth :math:`d(i)` is a weighted median of
    the ranks. It is the least rank :math:`d` such that the lists that rank the item at :math:`d` or better have a
    majority of the weight. The share :math:`p(i)` is the weight of these lists divided by the total weight [1]_, [2]_,

    .. math:: d(i) = \min \{ d : \sum_{v : r_v(i) \le d} w_v > \tfrac12 \sum_v w_v \}, \qquad
       p(i) = \frac{\sum_{v : r_v(i) \le d(i)} w_v}{\sum_v w_v}.

    Items are ordered by depth, and items of equal depth are ordered by share. The score combines depth and share in one
    number,

    .. math:: B(i) = -d(i) - \frac{1 - p(i)}{2}.

    Different depths differ by at least 1/2. The second term is below 1/4, because :math:`p` is above 1/2. So the share
    decides only between items of equal depth. An item that every list ranks first scores -1. The result has columns
    `depth` and `share`.

    Tied items share their mean rank, so depths may be halves. With ``absent="last"``, the items missing from a list of
    length :math:`L_v` share the rank :math:`(L_v + 1 + n) / 2`, where :math:`n` is the number of items of the query.
    With "ignore" the sums are over the lists that contain the item. Ranks in lists of different lengths are compared
    without rescaling. A weight that exceeds half of the total weight by no more than :math:`10^{-12}` of the total
    weight is not a majority. If only lists of weight 0 contain an item, its depth is NaN, and it is ranked below all
    other items.

    If more than half of the lists rank an item first, this item comes first. Because the depth is a median, outliers in
    fewer than half of the lists do not change the depth much. The time is :math:`O(N \log n)` for :math:`N` rows.

    References
    ----------
    .. [1] C. G. Hoag and G. H. Hallett, "Proportional Representation", Macmillan, 1926.
    .. [2] R. Fagin, R. Kumar and D. Sivakumar, "Efficient similarity search and classification via rank aggregation",
       SIGMOD 2003.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Bucklin
    >>> Bucklin().fit_transform(lists).round(3)
      query item  score  rank  depth  share
    0     q    b -1.167     1    1.0  0.667
    1     q    a -2.667     2    2.5  0.667
    2     q    c -3.167     3    3.0  0.667
    3     q    d -3.667     4    3.5  0.667
    """

    _guide = {
        "absent": (
            '`absent="last"`: the mean of the remaining places, (L + 1 + n) / 2; `"ignore"`: the '
            "list is left out of the item's majority"
        ),
        "ties": "mean rank",
        "cost": r"$N \log n$",
    }
    _cost_terms = ("N log N",)
    _parameter_constraints: dict = {"absent": [StrOptions({"last", "ignore"})], **VOTER_WEIGHTS}
    _variants = ({}, {"absent": "ignore"})
    _result_columns = ("depth", "share")

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        # Sums of integer units do not round, so exactly half is never a majority, in any order of the lists.
        lists = count_in_units(lists)[0]
        reached, total = _reached_by_depth(lists, self.absent)
        n_items = lists.query_n_items[lists.candidate_query]
        # Twice the depth is an integer. If it is twice the number of items, all lists have reached the item.
        low, high = np.full(lists.n_candidates, 1), 2 * n_items
        enough = total * (0.5 + TOLERANCE)
        while (high - low > 1).any():
            middle = (low + high) // 2
            holds = reached(middle) > enough
            high, low = np.where(holds, middle, high), np.where(holds, low, middle)
        known = total > 0
        depth = np.where(known, high / 2, np.nan)
        share = np.where(known, reached(high) / np.where(known, total, 1.0), np.nan)
        score = np.where(known, -depth - (1.0 - share) / 2, -(n_items + 1.0))
        return Consensus(score, columns={"depth": depth, "share": share})


def _reached_by_depth(lists, absent):
    """Return a function that adds up the weights of the lists that rank each candidate at a given depth or better.

    A depth is a rank, such as 2 or 2.5. The argument of the function contains twice the depth for each candidate. The
    second result contains, for each candidate, the total weight of the lists that are counted for this candidate. All
    arrays have shape (n_candidates,).
    """
    weight = lists.list_weight[lists.row_list]
    rank = (2 * lists.rank).astype(np.int64)

    def held(depth):
        return np.bincount(lists.candidate, weights=weight * (rank <= depth[lists.candidate]), minlength=len(depth))

    n_items = lists.query_n_items[lists.list_query]
    short = lists.list_length < n_items
    total = lists.sum_over_lists(lists.list_weight)[lists.candidate_query]
    if absent == "ignore":
        return held, lists.candidate_weight
    if not short.any():
        return held, total
    # Sort the lists by the rank of their absent items, and add up their weights. From this sum, subtract the weights of
    # the lists that contain the item. What remains is the weight of the lists that lack the item and give it a rank at
    # the depth or higher. Full lists have no absent items, so they get a rank that no depth reaches.
    unheld = np.where(short, lists.list_length + 1 + n_items, 2 * n_items + 1)
    width = 2 * int(n_items.max()) + 2
    key = lists.list_query.astype(np.int64) * width + unheld
    order = np.argsort(key, kind="stable")
    key = key[order]
    # Sums start again for each query, so that they round as they would for a single query.
    until = np.concatenate([[0.0], ragged_cumsum(lists.list_weight[order], lists.list_ptr)])
    none = lists.list_ptr[:-1][lists.candidate_query]
    unheld = unheld[lists.row_list]

    def with_absent(depth):
        own = depth[lists.candidate]
        given = weight * ((rank <= own).astype(np.float64) - (unheld <= own))
        reached = np.searchsorted(key, lists.candidate_query * np.int64(width) + depth, side="right")
        others = np.where(reached > none, until[reached], 0.0)
        return np.bincount(lists.candidate, weights=given, minlength=len(depth)) + others

    return with_absent, total
