"""Bucklin's rule: how deep into the lists a majority must look to have the item."""

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
    r"""Rank items by the depth at which more than half of the lists hold them: the median rank.

    The first places of all lists are counted, then the first and the second, and so on, until more than half of the
    lists hold the item; items of equal depth are ordered by how many lists hold them there.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        Whether a list ties the items that it does not hold, below those that it holds, or has no opinion on them: then
        more than half of the lists that hold the item is asked for, which lists of what each voter happened to see
        need.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    RankStatistic : With ``statistic="median"`` the median of the ranks divided by the number of items.
    PositionalScoring : Points by place.

    Notes
    -----
    With :math:`r_v(i)` the rank of item :math:`i` in list :math:`v`, the depth is the least rank that a majority of
    the weight reaches, a weighted median of the ranks, and the share is the part of the weight that reaches it [1]_,
    [2]_,

    .. math:: d(i) = \min \{ d : \sum_{v : r_v(i) \le d} w_v > \tfrac12 \sum_v w_v \}, \qquad
       p(i) = \frac{\sum_{v : r_v(i) \le d(i)} w_v}{\sum_v w_v}.

    Items are ordered by depth, those of one depth by share, in one number,

    .. math:: B(i) = -d(i) - \frac{1 - p(i)}{2}.

    Depths differ by at least 1/2, and the second term is below 1/4, as :math:`p` is above 1/2; so it decides only
    between items of one depth. An item that every list ranks first scores -1. The result has both as columns, `depth`
    and `share`.

    Tied items share their mean rank, so depths may be halves. With ``absent="last"`` the items that a list of
    :math:`L_v` of the :math:`n` items does not hold share the rank :math:`(L_v + 1 + n) / 2`; with "ignore" the sums
    are over the lists that hold the item, whose ranks are compared as they are, however long the lists. What differs
    from half of the weight by no more than :math:`10^{-12}` of it is not a majority. An item that only lists of weight
    0 hold has no depth (NaN) and is below all others that have one.

    An item that more than half of the lists rank first comes first. As a median, the depth does not move with what less
    than half of the lists say. :math:`O(N \log n)` for :math:`N` rows.

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
            '`absent="last"`: the mean of the places left over, (L + 1 + n) / 2; `"ignore"`: nothing, and the '
            "list does not count in the item's majority"
        ),
        "ties": "mean rank",
        "cost": r"$N \log n$",
    }
    _parameter_constraints: dict = {"absent": [StrOptions({"last", "ignore"})], **VOTER_WEIGHTS}
    _variants = ({}, {"absent": "ignore"})
    _result_columns = ("depth", "share")

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        # In whole units sums do not round, so that exactly half is not a majority whatever the order of the lists.
        lists = count_in_units(lists)[0]
        reached, total = _reached_by_depth(lists, self.absent)
        n_items = lists.query_n_items[lists.candidate_query]
        # Twice the depth is whole. All lists reach twice the number of items.
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
    """Make a function of twice a depth for each candidate, (n_candidates,), and the weight that it is a share of.

    The function returns the total weight of the lists that rank the candidate no deeper, (n_candidates,).
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
    # Lists by the rank of what they do not hold, and the weight of those up to each: then, without the lists that hold
    # the item, this is what the others add. Full lists have no such rank.
    unheld = np.where(short, lists.list_length + 1 + n_items, 2 * n_items + 1)
    width = 2 * int(n_items.max()) + 2
    key = lists.list_query.astype(np.int64) * width + unheld
    order = np.argsort(key, kind="stable")
    key = key[order]
    # Sums of each query by itself, which round as they do where it is alone.
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
