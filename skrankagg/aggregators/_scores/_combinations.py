"""Sums of normalised scores, and the other combinations of them that Fox and Shaw named."""

from typing import Literal

import numpy as np

from ..._arrays._normalize import NORMS, SCORE_NORMS, SCORES_HINT
from ..._data._frames import first_row, show_id
from ..._support._sklearn import StrOptions
from ...base import BaseAggregator, Consensus
from ...base._consensus import Contributions
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ...exceptions import InputError
from ._row_sums import smallest_size, sum_rows, sum_rows_again, weigh_rows

__all__ = ["CombMNZ", "CombSUM"]

# The smallest number that has all its digits.
_TINY = np.finfo(np.float64).tiny


class _BaseComb(BaseAggregator):
    _sums_rows = True
    _parameter_constraints: dict = {"norm": [StrOptions(set(NORMS) - {None}), None], **VOTER_WEIGHTS}
    _variants = tuple({"norm": norm} for norm in NORMS)
    _scores_hint = SCORES_HINT

    def __init__(
        self,
        *,
        norm: Literal["borda", "min-max", "rank", "simple-borda", "z-score"] | None = "min-max",
        voter_weights: VoterWeights | None = None,
    ):
        self.norm = norm
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        gain, absent = self._gains(lists)
        with np.errstate(over="ignore", invalid="ignore"):
            points = sum_rows(lists, gain)
            if absent is not None:
                points += lists.sum_over_lists(absent * lists.list_weight)[lists.candidate_query]
                self._check_range(lists, points)
                return Consensus(points)
            # Terms of both signs may cancel, and rounding is of their size.
            cancels = self.norm == "z-score" or (self.norm is None and gain.min() < 0)
            scale = sum_rows(lists, np.abs(gain)) if cancels else None
        vanishes = False
        if lists.is_weighted:
            # Under the other norms what is smaller than this next to 1 decides nothing.
            least = smallest_size(gain) if self.norm is None else 1e-16
            vanishes = smallest_size(lists.list_weight) * least < _TINY
        self._check_range(lists, points, scale, vanishes=vanishes)
        return Consensus(points, scale=scale, additive=True)

    def _check_range(self, lists, points, scale=None, *, vanishes=False):
        """Raise InputError where numbers have left the range of floating point, or vanish in it by their weights."""
        finite = np.isfinite(points) if scale is None else np.isfinite(points) & np.isfinite(scale)
        if finite.all() and not vanishes:
            return
        where = lists.candidate_query[first_row(~finite)] if not finite.all() else 0
        lightest, heaviest = smallest_size(lists.list_weight), lists.list_weight.max()
        raise InputError(
            f"{self!r} must add up numbers that fit into floating point; those of query "
            f"{show_id(lists.queries, where)} do not, with weights from {lightest:g} to {heaviest:g}"
            + (f" and scores up to {np.abs(lists.score).max():g}" if self.norm is None else "")
            + ". Multiply the weights, or the scores, of all lists by one number that brings them closer to 1."
        )

    def _repeat(self, lists):
        gain, absent = self._gains(lists)
        total = sum_rows_again(lists, gain)

        def score(weight):
            points = total(weight)
            if absent is not None:
                points += lists.sum_over_lists(absent * weight)[lists.candidate_query]
            return points

        return score

    def _contributions(self, lists):
        value, absent = NORMS[self.norm](lists)
        return Contributions(weigh_rows(lists, value), None if absent is None else absent * lists.list_weight)

    def _gains(self, lists):
        """What each row adds, (n_rows,), and what each list gives all items, (n_lists,) or None for nothing."""
        gain, absent = NORMS[self.norm](lists)
        if absent is not None:
            gain -= absent[lists.row_list]  # a held item's gain minus what absence gives
        return gain, absent

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.needs_scores = self.norm in SCORE_NORMS
        # A mean score is 0 and any score may be below 0, where an absent item's is: being ranked can be worse.
        tags.aggregator_tags.unanimity = self.norm not in ("z-score", None)
        tags.aggregator_tags.absent_below = self.norm not in ("z-score", None)
        return tags


class CombSUM(_BaseComb):
    r"""Rank items by the sum of their normalised scores.

    Items score by how highly, and how often, they are ranked.

    Parameters
    ----------
    norm : {"borda", "min-max", "rank", "simple-borda", "z-score"} or None, default="min-max"
        How each list is rescaled before summing, see Notes. "min-max" and "z-score" need scores, and so does None,
        which takes them as they are.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    CombMNZ : Also multiplies by the number of lists that hold the item.
    BordaCount : The same order as ``norm="borda"``, with points for scores.

    Notes
    -----
    With :math:`s_v(i)` the normalised score that list :math:`v` gives item :math:`i` [1]_,

    .. math:: \mathrm{CombSUM}(i) = \sum_{v} w_v s_v(i),

    over all lists of the query, :math:`w_v` their weights. With :math:`r` the item's rank in the list, ties at their
    mean rank, :math:`L_v` the list's length, :math:`n` the number of distinct items of the query and :math:`x` the
    score [2]_:

    ============== ================================== =========================
    norm           ranked                             absent
    ============== ================================== =========================
    "borda"        :math:`1 - (r - 1) / n`            :math:`(n - L_v + 1) / 2n`
    "simple-borda" :math:`1 - (r - 1) / n`            0
    "rank"         :math:`1 - (r - 1) / L_v`          0
    "min-max"      :math:`(x - min) / (max - min)`    0
    "z-score"      :math:`(x - mean) / sd`            0
    None           :math:`x`                          0
    ============== ================================== =========================

    The value of an absent item under "borda" is the mean of the values that the list leaves unused. A list of equal
    scores gives each of its items 1 under "min-max" and 0 under "z-score". None needs calibrated scores: equal numbers
    must mean the same in all lists, and all must exceed the 0 of an absent item. Linear in the number of rows.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.
    .. [2] M. E. Renda and U. Straccia, "Web metasearch: rank vs. score based rank aggregation methods", SAC 2003.

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


class CombMNZ(_BaseComb):
    r"""Rank items by the sum of their normalised scores times the number of lists that hold them.

    Agreement is rewarded twice: once in the sum and once as a factor.

    Parameters
    ----------
    norm : {"borda", "min-max", "rank", "simple-borda", "z-score"} or None, default="min-max"
        How each list is rescaled before summing, as in :class:`CombSUM`. "min-max", "z-score" and None need scores.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    CombSUM : The sum alone; its Notes define the norms.

    Notes
    -----
    With :math:`h(i)` the total weight of the lists that hold item :math:`i`, their number where they are not weighted
    [1]_,

    .. math:: \mathrm{CombMNZ}(i) = h(i) \sum_{v} w_v s_v(i).

    Tied items of a list share their mean rank; an absent item counts as in :class:`CombSUM`. More lists make a
    negative sum, which "z-score" can give, and None with negative scores, more negative. Linear in the number of rows.

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
    >>> from skrankagg.aggregators import CombMNZ
    >>> CombMNZ(norm="min-max").fit_transform(lists)
      query item  score  rank
    0     q    b    7.5     1
    1     q    a    2.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    def _aggregate(self, lists):
        total, held = super()._aggregate(lists), lists.candidate_weight
        with np.errstate(over="ignore"):
            points = total.score * held
            scale = None if total.scale is None else total.scale * held
        vanishes = lists.is_weighted and ((np.abs(points) < _TINY) & (total.score != 0) & (held != 0)).any()
        self._check_range(lists, points, scale, vanishes=vanishes)
        return Consensus(points, scale=scale, additive=total.additive)

    def _contributions(self, lists):
        shares = super()._contributions(lists)
        return Contributions(shares.held, shares.absent, lists.candidate_weight)

    def _repeat(self, lists):
        total, held = super()._repeat(lists), sum_rows_again(lists, np.ones(lists.n_rows))
        return lambda weight: total(weight) * held(weight)
