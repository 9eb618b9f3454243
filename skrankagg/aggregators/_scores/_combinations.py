"""Sums of normalised scores, optionally multiplied by a power of the number of lists."""

from numbers import Real

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._normalize import NORMS, SCORE_NORMS, SCORES_HINT
from ..._data._frames import first_row, show_id
from ..._support._sklearn import Interval
from ...base import BaseAggregator, Consensus
from ...base._consensus import Contributions
from ...base._norms import ABSENT_SCORE, NORM, AbsentScore, Norm, check_absent_score, normalize
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ...exceptions import InputError
from ._row_sums import smallest_size, sum_rows, sum_rows_again, sum_sizes, weigh_rows

__all__ = ["CombANZ", "CombMNZ", "CombSUM"]

# The smallest positive float64 with full precision.
_TINY = np.finfo(np.float64).tiny

#: Norms under which a list may give its own item less than 0, the value of an absent item.
_MAY_BE_NEGATIVE = frozenset({"z-score", "dbsf", "max", "l2", None})


class BaseComb(BaseAggregator):
    """Base class of all methods that combine normalised scores; it contains their parameters and checks."""

    _tag_notes = {"needs_scores": 'not with `norm="borda"`, `"rank"`, `"reciprocal"` or `"simple-borda"`'}
    _any_numbering = True
    _parameter_constraints: dict = {**NORM, **ABSENT_SCORE, **VOTER_WEIGHTS}
    _scores_hint = SCORES_HINT

    def __init__(
        self,
        *,
        norm: Norm | None = "min-max",
        absent_score: AbsentScore = "zero",
        voter_weights: VoterWeights | None = None,
    ):
        self.norm = norm
        self.absent_score = absent_score
        self.voter_weights = voter_weights

    def _validate_params(self):
        super()._validate_params()
        check_absent_score(self.norm, self.absent_score)

    def _values(self, lists):
        """Return the normalised score of each row, and the score that each list gives to absent items.

        The second result is None if all its values are 0.
        """
        return normalize(lists, self.norm, self.absent_score)

    def _check_range(self, lists, points, scale=None, *, lost=None):
        """Raise InputError if a sum overflows, or if the mask `lost` marks a query whose sums all underflow."""
        finite = np.isfinite(points) if scale is None else np.isfinite(points) & np.isfinite(scale)
        bad = ~finite if lost is None else ~finite | lost[lists.candidate_query]
        if not bad.any():
            return
        where = lists.candidate_query[first_row(bad)]
        lightest, heaviest = smallest_size(lists.list_weight), lists.list_weight.max()
        raise InputError(
            f"The sums of query {show_id(lists.queries, where)} must fit into float64; {self!r} got weights from "
            f"{lightest:g} to {heaviest:g}"
            + (f" and scores up to {np.abs(lists.score).max():g}" if self.norm in (None, "max") else "")
            + ". Multiply all weights, or all scores, by one number."
        )

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.needs_scores = self.norm in SCORE_NORMS
        if self.norm == "z-score" and self.absent_score == "zero":
            tags.aggregator_tags.lenient = "absent_score"
        return tags


class _SumsOfScores(BaseComb):
    """Base class of methods that sum normalised scores over all lists, including lists that do not contain the item."""

    _repeats_columns = True
    _tags = {"smooth": True}

    def _aggregate(self, lists):
        gain, absent = self._gains(lists)
        cancels = self.norm == "z-score" or (self.norm in _MAY_BE_NEGATIVE and gain.min() < 0)
        if absent is not None and self.norm in _MAY_BE_NEGATIVE:
            cancels = cancels or absent.min() < 0
        lost = None
        with np.errstate(over="ignore", invalid="ignore"):
            points = sum_rows(lists, gain, absent)
            scale = sum_sizes(lists, gain, absent) if cancels else None
            if lists.is_weighted and absent is None and smallest_size(lists.list_weight) * smallest_size(gain) < _TINY:
                lost = _underflow(lists, points, sum_sizes(lists, gain), gain)
        self._check_range(lists, points, scale, lost=lost)
        return Consensus(points, scale=scale, additive=absent is None)

    def _repeat(self, lists):
        return sum_rows_again(lists, *self._gains(lists))

    def _contributions(self, lists):
        value, absent = self._values(lists)
        return Contributions(weigh_rows(lists, value), None if absent is None else absent * lists.list_weight)

    def _gains(self, lists):
        """Return the values to add up: one for each row, and one for each list.

        The value of a list is added to all items of its query. The value of a row is also added to the item of the row.
        The second result is None if all its values are 0.
        """
        gain, absent = self._values(lists)
        if absent is not None:
            gain = gain - absent[lists.row_list]  # the value of the row minus the value of an absent item
        return gain, absent

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # An absent item has the value 0. A list may give its own item less than 0, so a ranked item may get less than
        # an absent item.
        tags.aggregator_tags.unanimity = self.norm not in _MAY_BE_NEGATIVE or self.absent_score == "min"
        tags.aggregator_tags.absent_below = self.norm not in _MAY_BE_NEGATIVE - {"dbsf"} or self.absent_score == "min"
        return tags


class CombSUM(_SumsOfScores):
    r"""Rank items by the sum of their normalised scores.

    An item scores high if many lists contain it and rank it high.

    Parameters
    ----------
    norm : str or None, default="min-max"
        How each list is rescaled before summing, see Notes. "min-max", "z-score", "dbsf", "max", "sum" and "l2" need
        scores; None also needs scores, and uses them unchanged. "borda", "rank", "reciprocal" and "simple-borda" use
        ranks.
    absent_score : {"zero", "min"}, default="zero"
        Value of an item in a list that does not contain it: "zero" means 0, and "min" means the lowest value of the
        list. "min" can only be combined with a norm that uses scores.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    CombMNZ : Multiplies the sum by the number of lists that contain the item.
    CombANZ : Divides the sum by the number of lists that contain the item.
    CombMAX : Ranks by the greatest value.
    CombMIN : Ranks by the least value.
    CombMED : Ranks by the median value.
    BordaCount : Gives the same order as ``norm="borda"``; its scores are Borda points.
    ReciprocalRankFusion : Gives the same order as ``norm="reciprocal"`` at its default, ``k=60``.
    skrankagg.preprocessing.ScoreNormalizer : Scales scores by known bounds; use it before ``norm=None``.

    Notes
    -----
    Let :math:`s_v(i)` be the normalised score that list :math:`v` gives item :math:`i`. The score is [1]_

    .. math:: \mathrm{CombSUM}(i) = \sum_{v} w_v s_v(i),

    where the sum is over all lists of the query, with weights :math:`w_v`. Let :math:`r` be the item's rank in the
    list, with ties at their mean rank, and :math:`x` the item's score. Let :math:`L_v` be the length of the list and
    :math:`n` the number of distinct items of the query. :math:`min`, :math:`max`, :math:`mean` and :math:`sd` describe
    the scores of the list; :math:`sd` is the population standard deviation. The norms are [2]_, [3]_:

    ============== ========================================= ========================== =====================
    norm           ranked                                    absent                     a list of equal scores
    ============== ========================================= ========================== =====================
    "borda"        :math:`1 - (r - 1) / n`                   :math:`(n - L_v + 1) / 2n`
    "simple-borda" :math:`1 - (r - 1) / n`                   0
    "rank"         :math:`1 - (r - 1) / L_v`                 0
    "reciprocal"   :math:`61 / (60 + r)`                     0
    "min-max"      :math:`(x - min) / (max - min)`           0                          1
    "z-score"      :math:`(x - mean) / sd`                   0                          0
    "dbsf"         :math:`(x - mean + 3 sd) / (6 sd)`        0                          1/2
    "max"          :math:`x / max`                           0                          1
    "sum"          :math:`(x - min) / \sum (x - min)`        0                          :math:`1 / L_v`
    "l2"           :math:`x / \sqrt{\sum x^2}`               0                          :math:`1 / \sqrt{L_v}`
    None           :math:`x`                                 0                          :math:`x`
    ============== ========================================= ========================== =====================

    Under "borda", each absent item of a list gets the mean of the values that belong to the places after the list's
    last item. "max" needs a score above 0 in every list. "max", "l2" and None depend on the zero point of the scores;
    the other norms that use scores do not. With ``norm=None`` the scores must be calibrated: equal scores must mean the
    same in all lists. They should also be above 0, because an absent item counts as 0.

    With ``absent_score="min"`` an absent item gets the lowest value of the list instead of 0 [4]_. Under "z-score", 0
    is the mean value of each list. An absent item with the value 0 would then be above the lower items of the list. So
    choose "min" for lists that are cut at some rank. With "min", a list of one item gives the same value to all items,
    so it does not change their order. The time is linear in the number of rows.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.
    .. [2] M. E. Renda and U. Straccia, "Web metasearch: rank vs. score based rank aggregation methods", SAC 2003.
    .. [3] M. Montague and J. A. Aslam, "Relevance score normalization for metasearch", CIKM 2001: "sum", "z-score".
    .. [4] X. Ma, K. Sun, R. Pradeep and J. Lin, "A replication study of dense passage retriever", arXiv:2104.05740,
       2021.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import CombSUM
    >>> CombSUM(norm="min-max").fit_transform(lists)
      query item  score  rank
    0     q    b    2.5     1
    1     q    a    1.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": (
            '`norm="borda"`: the mean of the remaining values, (n - L + 1) / 2n; other norms: 0, which under '
            '`"z-score"` is the list\'s mean; `absent_score="min"`: the lowest value of the list'
        ),
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": "$N$",
    }
    _tag_notes = {
        "unanimity": 'not with `norm="z-score"`, `"dbsf"`, `"max"`, `"l2"` or `None`, unless `absent_score="min"`',
        "absent_below": 'not with `norm="z-score"`, `"max"`, `"l2"` or `None`, unless `absent_score="min"`',
    }
    _variants = (*({"norm": norm} for norm in NORMS), {"norm": "z-score", "absent_score": "min"})

    def _linear_gains(self, lists):
        return *self._gains(lists), 1.0


class _Supported(_SumsOfScores):
    """Base class of methods that multiply the sum of an item's scores by the factor ``h ** gamma``.

    Here h is the total weight of the lists that contain the item.
    """

    gamma: float

    def _aggregate(self, lists):
        total, factor = super()._aggregate(lists), self._factor(lists.candidate_weight)
        with np.errstate(over="ignore", invalid="ignore"):
            points = total.score * factor
            scale = None if total.scale is None else total.scale * factor
        lost = self._forgotten(lists, total.score, factor, points) if lists.is_weighted else None
        if lists.is_weighted and ((np.abs(points) < _TINY) & (total.score != 0) & (factor != 0)).any():
            lost |= _underflow(lists, points, np.abs(points), self._gains(lists)[0])
        self._check_range(lists, points, scale, lost=lost)
        return Consensus(points, scale=scale, additive=total.additive)

    def _forgotten(self, lists, total, factor, points):
        """Return a mask of the queries in which an item's sum underflows to 0, but its score would not be tiny.

        The score is the sum times `factor`, which may be very large.
        """
        heads = lists.candidate_ptr[:-1]
        matters = np.maximum(TOLERANCE * np.maximum.reduceat(np.abs(points), heads), _TINY / np.finfo(np.float64).eps)
        with np.errstate(over="ignore", invalid="ignore"):
            forgotten = (total == 0) & (factor * _TINY > matters[lists.candidate_query])
            if forgotten.any():
                gain, absent = self._gains(lists)
                forgotten &= sum_sizes(lists, gain, absent) < _TINY
                counted = lists.with_list_weight((lists.list_weight > 0).astype(np.float64))
                forgotten &= sum_sizes(counted, gain, absent) > 0
        return np.logical_or.reduceat(forgotten, heads)

    def _contributions(self, lists):
        shares = super()._contributions(lists)
        return Contributions(shares.held, shares.absent, self._factor(lists.candidate_weight))

    def _repeat(self, lists):
        total, held = super()._repeat(lists), sum_rows_again(lists, np.ones(lists.n_rows))
        return lambda weight: total(weight) * self._factor(held(weight))

    def _factor(self, held):
        """Raise each candidate's total weight `held` to the power `gamma`; a negative power of 0 is defined as 0."""
        if self.gamma == 1:
            return held
        with np.errstate(over="ignore", divide="ignore"):
            return np.where((held == 0) & (self.gamma < 0), 0.0, held**self.gamma)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # More lists make a negative sum more negative; under a negative power they make any sum smaller.
        tags.aggregator_tags.unanimity &= self.gamma >= 0 and (self.norm not in _MAY_BE_NEGATIVE or self.gamma == 0)
        tags.aggregator_tags.absent_below &= self.gamma > -1
        # The lowest value of a list is negative, and a larger number of lists makes it more negative.
        if tags.aggregator_tags.lenient == "absent_score" and self.gamma > 0:
            tags.aggregator_tags.lenient = "norm"
        return tags


class CombMNZ(_Supported):
    r"""Rank items by the sum of their normalised scores, times the number of lists that contain the item.

    An item in many lists benefits twice: its sum has more terms, and its factor is larger.

    Parameters
    ----------
    gamma : float, default=1.0
        Exponent of the number of lists: 0 gives :class:`CombSUM`, and -1 gives :class:`CombANZ`. The larger the
        exponent, the higher the method ranks items in many lists.
    norm : str or None, default="min-max"
        How each list is rescaled before summing, as in :class:`CombSUM`.
    absent_score : {"zero", "min"}, default="zero"
        Value of an item in a list that does not contain it, as in :class:`CombSUM`. This value is added to the
        sum, but the list does not increase the factor.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    CombSUM : Ranks by the sum alone; its Notes define the norms.
    CombANZ : Ranks by the mean over the lists that contain the item.

    Notes
    -----
    Let :math:`h(i)` be the total weight of the lists that contain item :math:`i`; without weights this is the number of
    these lists. The score is [1]_, [2]_

    .. math:: \mathrm{CombMNZ}(i) = h(i)^\gamma \sum_{v} w_v s_v(i).

    The family of methods with any exponent :math:`\gamma` is called GMNZ [2]_. Tied items of a list share their mean
    rank; absent items are treated as in :class:`CombSUM`. Sums can be negative with "z-score", and with ``norm=None``
    if scores are negative. A larger number of lists then makes the score more negative. If only lists of weight 0
    contain an item, its score is 0. The time is linear in the number of rows.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.
    .. [2] J. H. Lee, "Analyses of multiple evidence combination", SIGIR 1997.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import CombMNZ
    >>> CombMNZ(norm="min-max").fit_transform(lists)
      query item  score  rank
    0     q    b    7.5     1
    1     q    a    2.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": "as in `CombSUM`; the list does not increase the factor",
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": "$N$",
    }
    _tag_notes = {
        "unanimity": "as `CombSUM`, and not with `gamma` below 0",
        "absent_below": "not with the norms named for `CombSUM`",
    }
    _parameter_constraints: dict = {
        "gamma": [Interval(Real, None, None, closed="neither")],
        **BaseComb._parameter_constraints,
    }
    _variants = (
        *({"norm": norm} for norm in ("min-max", "borda", "rank", "z-score", "simple-borda", None)),
        {"gamma": 0.5},
    )

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        norm: Norm | None = "min-max",
        absent_score: AbsentScore = "zero",
        voter_weights: VoterWeights | None = None,
    ):
        super().__init__(norm=norm, absent_score=absent_score, voter_weights=voter_weights)
        self.gamma = gamma


class CombANZ(_Supported):
    r"""Rank items by the mean of their normalised scores over the lists that contain them.

    Use this method if each voter saw only some items. For lists cut at some rank, choose :class:`CombSUM` or
    :class:`CombMNZ` instead. CombANZ would rank an item near the top of a single list before an item that all lists
    rank nearly as high.

    Parameters
    ----------
    norm : str or None, default="min-max"
        How each list is rescaled before averaging, as in :class:`CombSUM`.
    absent_score : {"zero", "min"}, default="zero"
        Value of an item in a list that does not contain it, as in :class:`CombSUM`. This value is added to the
        sum, but the list does not increase the divisor.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    CombSUM : Ranks by the sum alone; its Notes define the norms.
    CombMNZ : Multiplies by the number of lists instead; with ``gamma=-1`` it is the same as CombANZ.

    Notes
    -----
    Let :math:`h(i)` be the total weight of the lists that contain item :math:`i`. The score is [1]_

    .. math:: \mathrm{CombANZ}(i) = \frac{1}{h(i)} \sum_{v} w_v s_v(i).

    Lists that do not contain the item have no effect, except that ``absent_score="min"`` adds their lowest values. The
    divisor does not include these lists. So if the added values are above 0, items in few lists come first. Tied items
    of a list share their mean rank. If only lists of weight 0 contain an item, its score is 0. The time is linear in
    the number of rows.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import CombANZ
    >>> CombANZ().fit_transform(lists).round(3)
      query item  score  rank
    0     q    b  0.833     1
    1     q    a  0.500     2
    2     q    c  0.000     3
    3     q    d  0.000     4
    """

    _guide = {
        "absent": "as in `CombSUM`; the list does not increase the divisor",
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": "$N$",
    }
    gamma: float = -1.0
    _variants = ({"norm": "min-max"}, {"norm": None})


def _underflow(lists, points, size, gain):
    """Set sums that are too small for full precision to 0, in place; return a mask of unusable queries.

    Such sums are caused by small list weights. A query is unusable if its weights make all its sums so small that
    different items would tie. `size` contains the sum of the absolute terms of each candidate. `gain` contains the term
    of each row before it is multiplied by the weight of its list.
    """
    given = np.abs(gain) * (lists.list_weight > 0)[lists.row_list]
    unweighted = np.bincount(lists.candidate, weights=given, minlength=lists.n_candidates)
    heads = lists.candidate_ptr[:-1]
    weighted = np.logical_or.reduceat(lists.list_weight != 1, lists.list_ptr[:-1])
    points[(np.abs(points) < _TINY) & weighted[lists.candidate_query]] = 0.0
    near, far = (np.maximum.reduceat(one, heads) * np.finfo(np.float64).eps < _TINY for one in (size, unweighted))
    return weighted & near & ~far
