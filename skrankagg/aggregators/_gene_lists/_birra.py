"""BIRRA: repeated naive Bayes that treats the current top items as the true items."""

from numbers import Integral, Real

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._places import class_starts
from ..._arrays._ragged import group_order, positions, starts_to_ptr
from ..._support._sklearn import Interval
from ...base import BaseAggregator, Consensus
from ...base._consensus import Contributions, rank_sums
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._tukey import smooth_3rs3r

__all__ = ["BIRRA"]

# Number of bins of the lists that are processed at one time. The factors of these bins stay in the cache.
_BLOCK = 1 << 17


class BIRRA(BaseAggregator):
    r"""Rank items by repeated naive Bayes, where the current top items are treated as the true items.

    The true items are the items that belong at the top. In each round, the first items of the current consensus are
    treated as true. The places of each list are divided into bins of neighbouring places. The weight of a bin is learnt
    from the number of true items at the list's places down to this bin. The top of a list therefore has a large weight
    if it contains the leading items of the consensus. No single list decides the result.

    Parameters
    ----------
    prior : float, default=0.05
        Share of the items that are treated as true in each round, above 0 and below 1.
    n_bins : int, default=50
        Number of bins of equal width for the places of each list.
    max_iter : int, default=10
        Largest number of rounds.
    voter_weights : mapping or pandas.Series of voter to int, default=None
        Weights of the voters; they multiply the weights of the lists. All weights must be integers.

    Attributes
    ----------
    query_info_ : pandas.DataFrame
        For each query of `fit`: `query`, `n_iter` and `converged`. `n_iter` is the number of rounds. `converged` is
        True if the true items stayed the same in the last round.

    See Also
    --------
    MAIC : Handles lists without an order, and categories of lists.
    RobustRankAggregation : Computes p-values.
    RankStatistic : Ranks by fixed statistics of the same ranks.

    Notes
    -----
    A query has :math:`n` items, and each list has :math:`B` bins (`n_bins`). In a list of :math:`L` items, the item of
    rank :math:`r` is in bin :math:`\lceil B r / n \rceil`. All absent items are in the bin of rank :math:`(L + 1 + n) /
    2`, the mean of the remaining ranks. The first round starts from the order of the mean ranks. In each round the
    first :math:`\lfloor \pi n \rfloor` items, at least one, are treated as true, where :math:`\pi` is the `prior`. Let
    :math:`T_{vb}` be the number of true items in the bins up to :math:`b` of list :math:`v`, and :math:`F_{vb}` the
    number of other items in these bins. The factor of the bin is [1]_

    .. math:: f_{vb} = \log \frac{T_{vb} + 1}{F_{vb} + 1} - \log \frac{\pi}{1 - \pi},

    the logarithm of a Bayes factor. The factors of a list are smoothed along its bins by Tukey's 3RS3R [2]_. Then each
    factor is raised to the largest later factor of its list, if this is larger, so that factors never increase from one
    bin to the next. Finally, in each bin the largest factor of all lists is lowered to the second largest, so no single
    list decides the result. The score is the sum of the factors of the item's bins. Rounds end when the true items are
    the same as in the round before, or after `max_iter` rounds.

    Tied items share their mean rank, and therefore their bin. A group of tied items may extend beyond the first
    :math:`\lfloor \pi n \rfloor` places. The items of this group then share the remaining places equally, and each of
    them counts as a fraction of a true item. The authors' program chooses the items that come first in the data
    instead. Two items tie if every list puts them into the same bin. Such ties are frequent in queries of a few hundred
    items or more, because all items of a list shorter than :math:`n / B` are in one bin. Tied items are sorted by mean
    rank, and only then by the number of lists that contain them. A list of weight w counts as w lists, so weights must
    be integers. In a query of one list no factor is lowered.

    Scores are not calibrated: the method assumes that the lists are independent given the true items, but it estimates
    the true items from the agreement of the lists. Each round passes over the rows once, computes :math:`B` numbers for
    each list, and sorts the items.

    References
    ----------
    .. [1] M. A. Badgeley, S. C. Sealfon and M. D. Chikina, "Hybrid Bayesian-rank integration approach improves the
       predictive power of genomic dataset aggregation", Bioinformatics 31, 2015.
    .. [2] J. W. Tukey, "Exploratory Data Analysis", Addison-Wesley 1977.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import BIRRA
    >>> BIRRA().fit_transform(lists).round(3)
      query item   score  rank
    0     q    b  10.220     1
    1     q    c   8.022     2
    2     q    a   7.735     3
    3     q    d   7.329     4
    """

    _guide = {
        "absent": "the bin of the mean of the remaining ranks, (L + 1 + n) / 2",
        "ties": "mean rank, and therefore the same bin",
        "cost": r"rounds (at most 10) times $N \log N$, and `n_bins` for each list",
    }
    _cost_terms = ("N log N",)
    # If a single list has the largest factor, this factor is lowered; if three lists have it, the factor stays.
    _tags = {"integer_weights": True, "scale_free": False, "ties_by_rank": True}
    _parameter_constraints: dict = {
        "prior": [Interval(Real, 0, 1, closed="neither")],
        "n_bins": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **VOTER_WEIGHTS,
    }
    _query_columns = ("n_iter", "converged")

    def __init__(
        self,
        *,
        prior: float = 0.05,
        n_bins: int = 50,
        max_iter: int = 10,
        voter_weights: VoterWeights | None = None,
    ):
        self.prior = prior
        self.n_bins = n_bins
        self.max_iter = max_iter
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        # Queries do not depend on each other.
        block = lists.list_ptr[:-1] * self.n_bins // _BLOCK
        blocks = np.split(np.arange(lists.n_queries), np.flatnonzero(np.diff(block)) + 1)
        parts = [self._rounds(lists if len(blocks) == 1 else lists.take(queries)) for queries in blocks]
        score, scale, n_iter, converged, _ = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        return Consensus(score, queries={"n_iter": n_iter, "converged": converged}, scale=scale)

    def _contributions(self, lists):
        *_, factor = self._rounds(lists)
        held, absent = _Bins(lists, self.n_bins).shares(factor)
        return Contributions(held, absent)

    def _rounds(self, lists):
        """Run the rounds of all queries, and return five arrays.

        Each round treats the best items of the round before as the true items. The first two arrays contain the score
        of each candidate, and the sum of the absolute values of the terms of this score. The next two contain the
        number of rounds of each query, and a mask of the queries whose true items did not change in the last round. The
        last array, of shape (n_lists, n_bins), contains the log Bayes factor of each bin of each list.
        """
        heads, by_rank = lists.candidate_ptr[:-1], rank_sums(lists, lists.list_weight)
        n_true = np.maximum(np.floor(self.prior * lists.query_n_items * (1 + TOLERANCE)), 1.0)
        binned = _Bins(lists, self.n_bins)
        true = _share_of_first(lists, by_rank, np.abs(by_rank), n_true)
        n_iter = np.zeros(lists.n_queries, dtype=np.int64)
        moving = np.ones(lists.n_queries, dtype=bool)
        for _ in range(self.max_iter):
            # If the true items of a query stay the same, its scores also stay the same, bit by bit.
            n_iter += moving
            factor = self._factors(lists, *binned.count(true))
            score, scale = binned.sum_factors(factor)
            before, true = true, _share_of_first(lists, score, scale, n_true)
            moving = np.logical_or.reduceat(true != before, heads)
            if not moving.any():
                break
        return score, scale, n_iter, ~moving, factor

    def _factors(self, lists, n_true, n_others):
        """Compute the smoothed log Bayes factor of each bin of each list, as an array of shape (n_lists, n_bins).

        `n_true` and `n_others` are the results of ``_Bins.count``.
        """
        factor = np.log((n_true + 1) / (n_others + 1)) - np.log(self.prior / (1 - self.prior))
        factor = smooth_3rs3r(factor)
        factor = np.maximum.accumulate(factor[:, ::-1], axis=1)[:, ::-1]
        return _lower_largest(factor, lists)


class _Bins:
    """Assignment of rows to bins: the ranks of each list are divided into `n_bins` bins of equal width.

    The absent items of a list share one rank, so all of them are in one bin of the list. The methods of this class
    count the items in each bin, and add up the log Bayes factors of the bins (see :class:`BIRRA`).
    """

    def __init__(self, lists, n_bins):
        self.lists, self.n_bins = lists, n_bins
        n_items = lists.query_n_items[lists.list_query]
        self.n_absent = n_items - lists.list_length
        # A full list also has a bin for absent items, which is empty.
        absent_rank = np.minimum((lists.list_length + 1 + n_items) / 2, n_items)
        row_bin = np.ceil(lists.rank * n_bins / n_items[lists.row_list]).astype(np.int64) - 1
        absent_bin = np.ceil(absent_rank * n_bins / n_items).astype(np.int64) - 1
        of_list = n_bins * np.arange(lists.n_lists)
        self.row_cell, self.absent_cell = row_bin + of_list[lists.row_list], absent_bin + of_list
        self.n_up_to = self._up_to(None, self.n_absent)

    def count(self, true):
        """For each bin of each list, count the true items and the other items in this bin and in all better bins.

        `true`, of shape (n_candidates,), is 1 for a true item and 0 for any other item. It is a fraction for items that
        tie at the limit between them. Returns two arrays of shape (n_lists, n_bins).
        """
        lists = self.lists
        held = true[lists.candidate]
        total = np.add.reduceat(true, lists.candidate_ptr[:-1])[lists.list_query]
        absent = total - np.add.reduceat(held, lists.row_ptr[:-1])
        n_true = self._up_to(held, np.where(self.n_absent > 0, absent, 0.0))
        return n_true, self.n_up_to - n_true

    def _up_to(self, held, absent):
        lists = self.lists
        cells = np.bincount(self.row_cell, weights=held, minlength=lists.n_lists * self.n_bins).astype(np.float64)
        cells[self.absent_cell] += absent
        return np.cumsum(cells.reshape(lists.n_lists, self.n_bins), axis=1)

    def shares(self, factor):
        """Return what each row adds to the score of its item, and what each list adds to the scores of absent items.

        The first result has shape (n_rows,). The second has shape (n_lists,) and is added to the score of each item
        that the list lacks. `factor`, of shape (n_lists, n_bins), contains the log Bayes factor of each bin of each
        list.
        """
        factor, weight = factor.ravel(), self.lists.list_weight
        return factor[self.row_cell] * weight[self.lists.row_list], factor[self.absent_cell] * weight

    def sum_factors(self, factor):
        """Compute the score of each candidate: the sum over the lists of the log Bayes factor of the item's bin.

        Each factor is multiplied by the weight of its list. Returns the scores, and the sums of the absolute values of
        their terms. `factor` has shape (n_lists, n_bins).
        """
        lists = self.lists
        held, absent = self.shares(factor)
        gain = held - absent[lists.row_list]
        sums = []
        for of_rows, of_lists in ((gain, absent), (np.abs(gain), np.abs(absent))):
            total = np.bincount(lists.candidate, weights=of_rows, minlength=lists.n_candidates)
            sums.append(total + lists.sum_over_lists(of_lists)[lists.candidate_query])
        return sums


def _lower_largest(factor, lists):
    """For each query and bin, lower the largest log Bayes factor of all lists to the second largest.

    `factor`, of shape (n_lists, n_bins), contains the factor of each bin of each list. A list of weight 2 counts as two
    lists. If only one list of a query has a weight above 0, no factor is lowered.
    """
    heads, query = lists.list_ptr[:-1], lists.list_query
    voting = np.where(lists.list_weight[:, None] > 0, factor, -np.inf)
    largest = np.maximum.reduceat(voting, heads, axis=0)
    leads = voting == largest[query]
    second = np.maximum.reduceat(np.where(leads, -np.inf, voting), heads, axis=0)
    n_leading = np.add.reduceat(leads * lists.list_weight[:, None], heads, axis=0)
    limit = np.where((n_leading < 2) & (second > -np.inf), second, largest)
    return np.where(leads & np.isfinite(voting), limit[query], factor)


def _share_of_first(lists, score, scale, n_first):
    """Return 1 for each candidate among the first `n_first` candidates of its query, and 0 for the other candidates.

    If candidates tie across this limit, the remaining places are divided equally among them. Each of these candidates
    then gets a number between 0 and 1.
    """
    heads = lists.candidate_ptr[:-1]
    order = group_order(lists.candidate_query, -score)
    start = np.zeros(len(score), dtype=bool)
    start[heads] = True
    start = class_starts(score[order], start, np.maximum.reduceat(scale, heads)[lists.candidate_query])
    ptr = starts_to_ptr(start)
    size = np.diff(ptr)
    before = positions(lists.candidate_ptr)[ptr[:-1]] - 1
    share = np.clip((n_first[lists.candidate_query[ptr[:-1]]] - before) / size, 0.0, 1.0)
    first = np.empty(len(score))
    first[order] = np.repeat(share, size)
    return first
