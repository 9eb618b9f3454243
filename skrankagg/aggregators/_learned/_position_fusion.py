"""SlideFuse, ProbFuse and SegFuse: scores from the share of relevant items at the same positions of training lists."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Literal

import numpy as np

from ..._arrays._ragged import positions
from ..._data._frames import frame_of, take_ids
from ..._data._types import AnyQrels
from ..._kernels import ragged_cumsum
from ..._support._sklearn import Interval, StrOptions
from ...base._norms import normalize
from ...base._voter_weights import VoterWeights
from ._position_tables import CellSums, LearnsFromPositions, tie_means

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ProbFuse", "SegFuse", "SlideFuse"]


class _Probabilities(LearnsFromPositions):
    """Base class of methods that learn, for each voter, the share of relevant items in each cell of its lists.

    A cell is a position in a list, or a segment (several consecutive positions).
    """

    #: Whether a list that is too short to reach a cell counts as 0 in the mean of the cell; with False it is left out.
    _counts_short_lists = True

    def _learn_probabilities(self, lists, judged, cell):
        """Learn a table of probabilities for each voter, and return the tables as a frame.

        A cell is a position or a segment of a list. The frame has a column of cell numbers, from 1; the parameter
        `cell` is the name of this column.
        """
        relevant = self._relevant(lists, judged).astype(np.float64)
        sums = CellSums(lists, self._cells(lists))
        hits = sums.of_rows(tie_means(lists, relevant[lists.candidate]))
        size = self._sizes(lists, judged, sums)
        share = np.divide(hits, size, out=np.zeros(len(hits)), where=size > 0)
        total = sums.of_lists(share)
        if self._counts_short_lists:
            weight = np.repeat(sums.voter_weight, np.diff(sums.ptr))
            n_lists = np.repeat(sums.voter_lists, np.diff(sums.ptr))
            pooled_weight = sums.voter_weight.sum()
        else:
            weight, n_lists = sums.of_lists(np.ones(len(hits))), sums.n_lists()
            pooled_weight = sums.pool(weight)
        probability = total / weight
        self._keep_tables(lists, sums, probability, sums.pool(total) / pooled_weight)
        return frame_of(
            {
                "voter": take_ids(lists.voters, np.repeat(sums.voters, np.diff(sums.ptr))),
                cell: sums.place + 1,
                "probability": probability,
                "n_lists": n_lists,
            }
        )

    def _sizes(self, lists, judged, sums):
        """Return the denominator of the share of relevant items, for each cell (position or segment) of each list."""
        return sums.sizes()

    def _probability(self, number, lists, cell):
        """Look up the learnt share of relevant items for each row.

        `number` contains the number of each list's table, and `cell` contains the cell (position or segment) of each
        row.
        """
        return self._table[self._entries(number, lists.row_list, cell)]


class SlideFuse(_Probabilities):
    r"""Rank each item by the share of relevant items that each voter's training lists have near its position.

    The method learns the share of relevant items at each position in each voter's lists. It averages these shares over
    neighbouring positions. So the method needs no formula that turns ranks into scores.

    On real runs the mean average precision is less than half a percentage point higher than with Borda points (on short
    lists) or with reciprocal ranks (on deep lists). This gain is within noise. Learnt weights of voters gain more
    (``benchmarks/metasearch.py``).

    Parameters
    ----------
    window : int, default=5
        Number of positions on each side that are included in the mean share, at least 0. With 0 the method is PosFuse.
    relevance_threshold : float, default=None
        Lowest grade of a relevant item, above 0; None means every grade above 0.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists. "mean" uses the probabilities of all voters together,
        "ignore" uses none, and "error" raises an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists, in training and in aggregation.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries; None if the judgements are passed to ``fit``.

    Attributes
    ----------
    positions_ : DataFrame
        Columns `voter`, `position`, `probability` and `n_lists`. `probability` is the share of relevant items, before
        it is averaged over neighbouring positions. `n_lists` is the number of training lists that reach the position.

    Warns
    -----
    UnknownVoterWarning
        If ``unknown_voter="mean"`` and no voter of the lists was in the training lists.

    See Also
    --------
    ProbFuse : Divides every list into the same number of segments.
    SegFuse : Uses segments that grow with depth, and scores.
    BayesFuse : Adds up log ratios of probabilities; an absent item also gets a ratio.
    LearnedWeights : Learns one weight for each voter.

    Notes
    -----
    Consider the judged training queries where the list of voter :math:`v` has at least :math:`p` items. Let
    :math:`P_v(p)` be the share of these queries where the item at position :math:`p` is relevant. Let :math:`p` be the
    position of item :math:`i` in the list of voter :math:`v`, :math:`L` the length and :math:`w_v` the weight of this
    list, and :math:`w` the window. The score is [1]_

    .. math:: \mathrm{SlideFuse}(i) = \sum_{v \ni i} w_v \frac{1}{b - a + 1} \sum_{q=a}^{b} P_v(q), \qquad
              a = \max(1, p - w),\; b = \min(L, p + w).

    PosFuse uses :math:`P_v(p)` itself [2]_. Items without a judgement are treated as not relevant. Positions beyond the
    end of a voter's longest training list have the probability of this list's last position. A tied item counts with
    equal shares at all positions of its tie group, in training and in scoring. An absent item gets 0. In the papers,
    the window is chosen on training queries; use ``GridSearchCV`` to do this. The default 5 is not from the authors.
    The time is linear in the number of rows.

    With few training queries the probabilities are coarse: with 10 queries a probability is a multiple of 1/10.
    Judgements of queries without lists are not used.

    References
    ----------
    .. [1] D. Lillis, F. Toolan, R. Collier and J. Dunnion, "Extending probabilistic data fusion using sliding windows",
       ECIR 2008.
    .. [2] D. Lillis, L. Zhang, F. Toolan, R. Collier, D. Leonard and J. Dunnion, "Estimating probabilities for
       effective data fusion", SIGIR 2010.

    Examples
    --------
    >>> from skrankagg import Qrels, RankedLists, SlideFuse
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:10], lists[10:]
    >>> method = SlideFuse(window=2).fit(train, qrels.align(train))
    >>> method.positions_.head(3)
      voter  position  probability  n_lists
    0    v1         1          1.0       10
    1    v1         2          1.0       10
    2    v1         3          1.0       10
    >>> method.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _guide = {"absent": "0", "ties": "as `BayesFuse`", "cost": "$N$, and the same for learning"}
    _parameter_constraints: dict = {
        "window": [Interval(Integral, 0, None, closed="left")],
        **LearnsFromPositions._parameter_constraints,
    }
    _counts_short_lists = False

    positions_: pd.DataFrame

    def __init__(
        self,
        *,
        window: int = 5,
        relevance_threshold: float | None = None,
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        voter_weights: VoterWeights | None = None,
        qrels: AnyQrels | None = None,
    ):
        super().__init__(
            relevance_threshold=relevance_threshold,
            unknown_voter=unknown_voter,
            voter_weights=voter_weights,
            qrels=qrels,
        )
        self.window = window

    def _cells(self, lists):
        return positions(lists.row_ptr) - 1

    def _learn(self, lists, judged):
        self.positions_ = self._learn_probabilities(lists, judged, "position")
        self._sums = ragged_cumsum(self._table, self._ptr)

    def _values(self, lists):
        lists, number = self._match(lists)
        position = positions(lists.row_ptr)
        if not self.window:
            return lists, tie_means(lists, self._probability(number, lists, position - 1)), None
        window = min(self.window, lists.n_rows)
        first = np.maximum(position - window, 1)
        last = np.minimum(position + window, lists.list_length[lists.row_list])
        value = self._sum_up_to(number, lists, last) - self._sum_up_to(number, lists, first - 1)
        value /= last - first + 1
        return lists, tie_means(lists, value), None

    def _sum_up_to(self, number, lists, position):
        """Add up the probabilities of each row's voter, from position 1 to the number in `position`.

        `position` contains a number for each row. If this number is 0, the sum is 0.
        """
        entry = self._entries(number, lists.row_list, np.maximum(position, 1) - 1)
        beyond = position - np.diff(self._ptr)[number][lists.row_list]
        return np.where(position > 0, self._sums[entry] + np.maximum(beyond, 0) * self._table[entry], 0.0)


class ProbFuse(_Probabilities):
    r"""Rank each item by the share of relevant items that its segment has in training lists; early segments count more.

    Every list is divided into the same number of segments, and the items of a segment tie. In a list of 1000 items,
    groups of 40 items tie. On such lists the method is far worse than reciprocal ranks: on six runs of TREC's Robust
    track of 2003 the mean average precision is .285 instead of .314. On short lists the method is worse than Borda
    points (``benchmarks/metasearch.py``). :class:`SlideFuse` avoids both the ties and the loss of quality.

    Parameters
    ----------
    n_segments : int, default=25
        Number of segments of each list, at least 1.
    unjudged : {"nonrelevant", "skip"}, default="nonrelevant"
        Treatment of items without a judgement: "nonrelevant" counts them as not relevant, and "skip" leaves them out of
        the share of relevant items.
    relevance_threshold : float, default=None
        Lowest grade of a relevant item, above 0; None means every grade above 0.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists. "mean" uses the probabilities of all voters together,
        "ignore" uses none, and "error" raises an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists, in training and in aggregation.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries; None if the judgements are passed to ``fit``.

    Attributes
    ----------
    segments_ : DataFrame
        Columns `voter`, `segment` (from 1), `probability` and `n_lists`. `n_lists` is the number of training lists of
        the voter, and `probability` is a mean over all of these lists.

    Warns
    -----
    UnknownVoterWarning
        If ``unknown_voter="mean"`` and no voter of the lists was in the training lists.

    See Also
    --------
    SlideFuse : Uses probabilities of single positions, averaged over neighbouring positions.
    SegFuse : Uses segments that grow with depth, and scores.

    Notes
    -----
    Let :math:`x` be the number of segments. In a list of :math:`L` items each segment has :math:`\lceil L / x \rceil`
    items, so a short list has fewer than :math:`x` segments. Let :math:`P_v(k)` be the mean share of relevant items in
    segment :math:`k`, over the judged training queries with a list of voter :math:`v`. A list without segment :math:`k`
    counts as 0 in this mean. Let :math:`k` be the segment of item :math:`i` in the list of voter :math:`v`, and
    :math:`w_v` the weight of the list. The score is [1]_

    .. math:: \mathrm{ProbFuse}(i) = \sum_{v \ni i} w_v \frac{P_v(k)}{k}.

    Segments that no training list of a voter reaches have the probability of the voter's last segment. A tied item
    counts with equal shares at all positions of its tie group, in training and in scoring. An absent item gets 0. The
    size of the segments is rounded as in ranx. The default of 25 segments is attributed to the authors by others. The
    paper itself may use another rounding or another default. Judgements of queries without lists are not used. The time
    is linear in the number of rows.

    References
    ----------
    .. [1] D. Lillis, F. Toolan, R. Collier and J. Dunnion, "ProbFuse: a probabilistic approach to data fusion", SIGIR
       2006.

    Examples
    --------
    >>> from skrankagg import ProbFuse, Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:10], lists[10:]
    >>> method = ProbFuse(n_segments=3).fit(train, qrels.align(train))
    >>> method.segments_.head(3).round(3)
      voter  segment  probability  n_lists
    0    v1        1         1.00       10
    1    v1        2         0.84       10
    2    v1        3         0.14       10
    >>> method.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _guide = {"absent": "0", "ties": "as `BayesFuse`", "cost": "$N$, and the same for learning"}
    _parameter_constraints: dict = {
        "n_segments": [Interval(Integral, 1, None, closed="left")],
        "unjudged": [StrOptions({"nonrelevant", "skip"})],
        **LearnsFromPositions._parameter_constraints,
    }

    segments_: pd.DataFrame

    def __init__(
        self,
        *,
        n_segments: int = 25,
        unjudged: Literal["nonrelevant", "skip"] = "nonrelevant",
        relevance_threshold: float | None = None,
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        voter_weights: VoterWeights | None = None,
        qrels: AnyQrels | None = None,
    ):
        super().__init__(
            relevance_threshold=relevance_threshold,
            unknown_voter=unknown_voter,
            voter_weights=voter_weights,
            qrels=qrels,
        )
        self.n_segments = n_segments
        self.unjudged = unjudged

    def _cells(self, lists):
        size = -(-lists.list_length // min(self.n_segments, lists.n_rows))
        return (positions(lists.row_ptr) - 1) // size[lists.row_list]

    def _sizes(self, lists, judged, sums):
        if self.unjudged == "nonrelevant":
            return super()._sizes(lists, judged, sums)
        known = (~np.isnan(judged.relevance)).astype(np.float64)
        return sums.of_rows(tie_means(lists, known[lists.candidate]))

    def _learn(self, lists, judged):
        self.segments_ = self._learn_probabilities(lists, judged, "segment")

    def _values(self, lists):
        lists, number = self._match(lists)
        cell = self._cells(lists)
        return lists, tie_means(lists, self._probability(number, lists, cell) / (cell + 1)), None


class SegFuse(_Probabilities):
    r"""Rank items by their scores in the lists; a score counts more in a segment with more relevant items.

    Segments grow with depth, from 5 items to hundreds of items. Within a segment, items of a list are distinguished by
    their scores. On real runs the mean average precision is less than half a percentage point higher than with Borda
    points (on short lists) or with reciprocal ranks (on deep lists). This gain is within noise
    (``benchmarks/metasearch.py``).

    Parameters
    ----------
    relevance_threshold : float, default=None
        Lowest grade of a relevant item, above 0; None means every grade above 0.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists. "mean" uses the probabilities of all voters together,
        "ignore" uses none, and "error" raises an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists, in training and in aggregation.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries; None if the judgements are passed to ``fit``.

    Attributes
    ----------
    segments_ : DataFrame
        Columns `voter`, `segment` (from 1), `probability` and `n_lists`. `n_lists` is the number of training lists of
        the voter, and `probability` is a mean over all of these lists.

    Warns
    -----
    UnknownVoterWarning
        If ``unknown_voter="mean"`` and no voter of the lists was in the training lists.

    See Also
    --------
    SlideFuse : Uses probabilities of single positions, averaged over neighbouring positions; needs no scores.
    ProbFuse : Divides every list into the same number of segments.

    Notes
    -----
    Segment :math:`k` has :math:`10 \cdot 2^{k-1} - 5` items: 5, 15, 35, 75 and so on. Let :math:`P_v(k)` be the mean
    share of relevant items among a list's items in segment :math:`k`, over the judged training queries with a list of
    voter :math:`v`. A list that ends before the segment counts as 0 in this mean. Let :math:`k` be the segment of item
    :math:`i` in the list of voter :math:`v`, and :math:`w_v` the weight of the list. Let :math:`s_v(i)` be the item's
    score, scaled to the range from 0 to 1 within the list. If all scores of a list are equal, :math:`s_v(i)` is 1. The
    score of the consensus is [1]_

    .. math:: \mathrm{SegFuse}(i) = \sum_{v \ni i} w_v P_v(k) (1 + s_v(i)).

    Here the numbers 5, 15, 35 and so on are the sizes of the segments. This is the common interpretation of the method;
    the paper may differ. In ranx the numbers are the last positions of the segments. If a list ends within a segment,
    ranx divides by the full size of the segment. Segments that no training list of a voter reaches have the probability
    of the voter's last segment. A tied item counts with equal shares at all positions of its tie group, in training and
    in scoring. An absent item gets 0. Judgements of queries without lists are not used. The time is linear in the
    number of rows.

    References
    ----------
    .. [1] M. Shokouhi, "Segmentation of search engine results for effective data-fusion", ECIR 2007.

    Examples
    --------
    >>> from skrankagg import Qrels, RankedLists, SegFuse
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:10], lists[10:]
    >>> method = SegFuse().fit(train, qrels.align(train))
    >>> method.segments_.head(3).round(3)
      voter  segment  probability  n_lists
    0    v1        1        1.000       10
    1    v1        2        0.893       10
    2    v1        3        0.140       10
    >>> method.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _guide = {
        "absent": "0",
        "ties": "as `BayesFuse`; then each item is weighted by its own score",
        "cost": "$N$, and the same for learning",
    }
    _tags = {"needs_scores": True}

    segments_: pd.DataFrame

    def _cells(self, lists):
        return np.searchsorted(_LAST_POSITIONS, positions(lists.row_ptr))

    def _learn(self, lists, judged):
        self.segments_ = self._learn_probabilities(lists, judged, "segment")

    def _values(self, lists):
        lists, number = self._match(lists)
        probability = tie_means(lists, self._probability(number, lists, self._cells(lists)))
        return lists, probability * (1 + normalize(lists, "min-max")[0]), None


#: Last position of each segment of SegFuse, up to lists of 10 ** 12 items.
_LAST_POSITIONS = np.cumsum(10 * 2 ** np.arange(37) - 5)
