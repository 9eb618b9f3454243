"""Methods that sum a decreasing function of the rank: a reciprocal, an inverse square or a geometric sequence."""

from numbers import Integral, Real
from typing import Literal

import numpy as np

from ..._data._frames import first_row, show_id
from ..._data._voter_names import warn_of_misspelt_names
from ..._support._sklearn import Interval, StrOptions
from ...base import BaseAggregator, Consensus
from ...base._consensus import Contributions
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import BY_VOTER, VOTER_WEIGHTS, VoterWeights, voter_values
from ...exceptions import InputError
from ._row_sums import sum_rows, sum_rows_again, weigh_rows

__all__ = ["InverseSquareRank", "RankBiasedCentroid", "ReciprocalRankFusion"]


class _RankDecay(BaseAggregator):
    """Base class of methods that sum a gain for each rank, and that may multiply the sum of a candidate by a factor.

    Subclasses define the gain and the factor.
    """

    _any_numbering = True
    _repeats_columns = True
    _tags = {"smooth": True}

    def _gain(self, lists):
        """Return the gain of each row, not yet multiplied by the weight of its list."""
        raise NotImplementedError

    def _factor(self, lists):
        """Return the factor of each candidate's sum; None means that all factors are 1."""
        factor = self._factor_again(lists)
        return None if factor is None else factor(lists.list_weight)

    def _factor_again(self, lists):
        """Return a function that computes each candidate's factor from list weights, or None if all factors are 1."""
        return None

    def _aggregate(self, lists):
        score, factor = sum_rows(lists, self._gain(lists)), self._factor(lists)
        # Gains of deep ranks are so close that their differences could be mistaken for rounding errors.
        return Consensus(score if factor is None else score * factor, additive=True)

    def _contributions(self, lists):
        return Contributions(weigh_rows(lists, self._gain(lists)), factor=self._factor(lists))

    def _repeat(self, lists):
        score, factor = sum_rows_again(lists, self._gain(lists)), self._factor_again(lists)
        return score if factor is None else lambda weight: score(weight) * factor(weight)


class ReciprocalRankFusion(_RankDecay):
    r"""Rank items by the sum of their reciprocal ranks, each damped by a constant.

    The first places count most, and the tail of a list hardly counts at all. Scores are not used.

    Parameters
    ----------
    k : float, or mapping or pandas.Series of voter to float, default=60
        Damping constant, at least 0. The larger the constant, the less the first places stand out. A mapping has a
        value for each voter.
    depth : int, default=None
        Last rank of each list that is used, at least 1; with None all ranks are used. Items beyond this rank stay in
        the result, but the list adds 0 to their scores.
    normalize : bool, default=False
        Whether to divide scores by the greatest possible score. An item that comes first in every list of its query
        then scores 1. The order is the same.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    RankBiasedCentroid : Its gains fall geometrically with the rank.
    InverseSquareRank : Its gains fall with the square of the rank.
    BordaCount : Its points fall linearly with the rank.
    CombSUM : With ``norm="reciprocal"`` it gives the same order as RRF with ``k=60``. CombMNZ and others also accept
        this norm.

    Notes
    -----
    Let :math:`r_v(i)` be the rank of item :math:`i` in list :math:`v`, counted from 1, and :math:`w_v` the weight of
    the list. The score is [1]_

    .. math:: \mathrm{RRF}(i) = \sum_{v \ni i} \frac{w_v}{k + r_v(i)}.

    Tied items share their mean rank; an absent item gets 0. The time is linear in the number of rows.

    The paper chose 60 for runs of a thousand items, and 60 is the default here. :func:`~skrankagg.fuse` uses 30. On 24
    judged collections, with lists cut at 100, a `k` of 30 gained .5 points of nDCG@10 over 60 on average. It lost 1.8
    points on the worst collection. A `k` of 10 gained .1 points on average, and lost 4.4 points on the worst
    collection. :class:`~skrankagg.aggregators.LearnedWeights` uses 20. With weights learnt from five judged queries, a
    `k` of 20 gained .6 to .8 points over 60.

    At ``k=60`` the number of lists that contain an item matters more than the ranks of the item. For example, rank 30
    in two lists beats rank 1 in one list. With two lists of at most ``k + 1`` items, the items that are in both lists
    come before all other items. With lists of a few dozen items choose `k` by cross-validation. The benchmark
    ``benchmarks/hybrid.py`` fuses the first 30 items of two simulated retrievers. With good retrievers, nDCG@10 is .005
    higher for k=10 than for k=60; with weak retrievers, it is .006 lower. Scores depend only on ranks and do not
    measure relevance. So a score that means "relevant" in one query may mean nothing in another query.

    References
    ----------
    .. [1] G. V. Cormack, C. L. A. Clarke and S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
       rank learning methods", SIGIR 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import ReciprocalRankFusion
    >>> ReciprocalRankFusion(k=1).fit_transform(lists)
      query item  score  rank
    0     q    b  1.333     1
    1     q    a  0.786     2
    2     q    c  0.583     3
    3     q    d  0.286     4
    """

    _guide = {"absent": "0", "ties": "mean rank", "cost": "$N$"}
    _tag_notes = {"unanimity": "not with a `depth`"}
    _parameter_constraints: dict = {
        "k": [Interval(Real, 0, None, closed="left"), *BY_VOTER],
        "depth": [Interval(Integral, 1, None, closed="left"), None],
        "normalize": ["boolean"],
        **VOTER_WEIGHTS,
    }

    def __init__(
        self,
        *,
        k: float | VoterWeights = 60,
        depth: int | None = None,
        normalize: bool = False,
        voter_weights: VoterWeights | None = None,
    ):
        self.k = k
        self.depth = depth
        self.normalize = normalize
        self.voter_weights = voter_weights

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.unanimity = self.depth is None  # beyond it all items of a list are equal
        return tags

    def _prepare(self, X):
        lists = super()._prepare(X)
        if not isinstance(self.k, Real):
            warn_of_misspelt_names(self.k, lists.voters, "k")
        return lists

    def _names_voters(self):
        return super()._names_voters() or not isinstance(self.k, Real)

    def _gain(self, lists):
        k = self._damping(lists)
        gain = 1.0 / ((k if isinstance(k, Real) else k[lists.row_list]) + lists.rank)
        if self.depth is not None:
            gain[lists.rank > self.depth] = 0.0
        return gain

    def _damping(self, lists):
        """Return one damping constant for all lists, or an array of shape (n_lists,) with the constant of each list."""
        if isinstance(self.k, Real):
            return self.k
        k = voter_values(lists, self.k, "k", "Give each voter its own damping, or all voters one number.")
        bad = ~(np.isfinite(k) & (k >= 0))
        if bad.any():
            voter = first_row(bad)
            raise InputError(
                f"`k` must be finite and at least 0; got {k[voter]:g} for {show_id(lists.voters, voter)}. "
                "Choose for example 60."
            )
        return k[lists.list_voter]

    def _linear_gains(self, lists):
        return self._gain(lists), None, float(np.max(1.0 / (self._damping(lists) + 1.0)))

    def _factor_again(self, lists):
        if not self.normalize:
            return None
        first = self._damping(lists) + 1.0

        def factor(weight):
            highest = lists.sum_over_lists((weight.T / first).T)
            # Where all lists of a query have weight 0, all its scores are 0.
            return np.divide(1.0, highest, out=np.zeros_like(highest), where=highest > 0)[lists.candidate_query]

        return factor


class RankBiasedCentroid(_RankDecay):
    r"""Rank items by the attention that readers of the lists give them.

    Each list has a reader, who looks at the first item of the list. After each item, the reader continues to the next
    item with a fixed probability.

    Parameters
    ----------
    persistence : float, default=0.95
        Probability that the reader continues to the next item, above 0 and below 1. A lower probability gives more
        weight to the first places.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    ReciprocalRankFusion : Its gains fall more slowly, so deep places still count.
    skrankagg.metrics.rank_biased_precision : A measure that assumes the same reader.

    Notes
    -----
    Let :math:`p` be the persistence, :math:`r_v(i)` the rank of item :math:`i` in list :math:`v` and :math:`w_v` the
    weight of the list. The score is [1]_

    .. math:: \mathrm{RBC}(i) = \sum_{v \ni i} w_v (1 - p) p^{r_v(i) - 1}.

    Tied items share their mean rank; an absent item gets 0. The paper tries values of :math:`p` from .9 to .99. Items
    tie if their gains are less than 1e-12 times the gain of the first place; with :math:`p = .95` these are the items
    beyond rank 540. There is an exception: two such items do not tie if both are in the same list and in no other list.
    Gains too small for floating point are 0; with :math:`p = .95` these are the gains from rank 14,500 on. The time is
    linear in the number of rows.

    References
    ----------
    .. [1] P. Bailey, A. Moffat, F. Scholer and P. Thomas, "Retrieval consistency in the presence of query variations",
       SIGIR 2017.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import RankBiasedCentroid
    >>> RankBiasedCentroid(persistence=0.5).fit_transform(lists).round(3)
      query item  score  rank
    0     q    b  1.250     1
    1     q    a  0.677     2
    2     q    c  0.375     3
    3     q    d  0.177     4
    """

    _guide = {"absent": "0", "ties": "mean rank", "cost": "$N$"}
    _parameter_constraints: dict = {"persistence": [Interval(Real, 0, 1, closed="neither")], **VOTER_WEIGHTS}

    def __init__(self, *, persistence: float = 0.95, voter_weights: VoterWeights | None = None):
        self.persistence = persistence
        self.voter_weights = voter_weights

    def _gain(self, lists):
        return (1 - self.persistence) * self.persistence ** (lists.rank - 1)

    def _linear_gains(self, lists):
        return self._gain(lists), None, 1 - self.persistence


class InverseSquareRank(_RankDecay):
    r"""Rank items by the sum of their inverse squared ranks, multiplied by the number of lists that contain them.

    The factor can also be the logarithm of this number. Only the first places of a list have a large effect. Items far
    down are mainly ordered by the number of lists that contain them.

    Parameters
    ----------
    support : {"count", "log"}, default="count"
        Factor of the sum: the number of lists that contain the item, or its logarithm.
    sigma : float, default=0.01
        Number that is added to the number of lists before the logarithm is taken, at least 0. It is only used with
        "log".
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    ReciprocalRankFusion : Its gains fall more slowly; it is better on most data.
    CombMNZ : Multiplies sums of normalised scores by the same factor.

    Notes
    -----
    Let :math:`r_v(i)` be the rank of item :math:`i` in list :math:`v`, :math:`w_v` the weight of the list and
    :math:`h(i)` the total weight of the lists that contain the item. The score is [1]_

    .. math:: \mathrm{ISR}(i) = g(h(i)) \sum_{v \ni i} \frac{w_v}{r_v(i)^2},

    where :math:`g(h) = h` for "count" and :math:`\log(h + \sigma)` for "log". With :math:`\sigma = 0` this is the
    authors' LogISR: every item in only one list has the score 0, so these items tie. With :math:`\sigma = 0.01` it is
    their LogN-ISR. A logarithm below 0 would reverse the order of ranks. So with "log" the lists that contain an item
    must have a total weight of at least :math:`1 - \sigma`. Tied items share their mean rank; an absent item gets 0.
    The time is linear in the number of rows.

    References
    ----------
    .. [1] A. Mourão, F. Martins and J. Magalhães, "Multimodal medical information retrieval with unsupervised rank
       fusion", Computerized Medical Imaging and Graphics 39, 2015.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import InverseSquareRank
    >>> InverseSquareRank().fit_transform(lists).round(3)
      query item  score  rank
    0     q    b  6.750     1
    1     q    a  2.320     2
    2     q    c  0.722     3
    3     q    d  0.160     4
    """

    _guide = {"absent": "0; the list does not increase the factor", "ties": "mean rank", "cost": "$N$"}
    _tag_notes = {"unanimity": 'not with `support="log"` and `sigma=0`'}
    _parameter_constraints: dict = {
        "support": [StrOptions({"count", "log"})],
        "sigma": [Interval(Real, 0, None, closed="left")],
        **VOTER_WEIGHTS,
    }
    _variants = ({}, {"support": "log"})

    def __init__(
        self,
        *,
        support: Literal["count", "log"] = "count",
        sigma: float = 0.01,
        voter_weights: VoterWeights | None = None,
    ):
        self.support = support
        self.sigma = sigma
        self.voter_weights = voter_weights

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # With sigma=0 the logarithm of one list is 0. All items that only one list contains therefore have score 0.
        tags.aggregator_tags.unanimity = self.support == "count" or self.sigma > 0
        tags.aggregator_tags.scale_free = self.support == "count"
        return tags

    def _gain(self, lists):
        return 1.0 / lists.rank**2

    def _factor(self, lists):
        return self._of_support(lists, lists.candidate_weight)

    def _factor_again(self, lists):
        held = sum_rows_again(lists, np.ones(lists.n_rows))
        return lambda weight: self._of_support(lists, held(weight))

    def _of_support(self, lists, candidate_weight):
        """Return each candidate's factor, computed from the total weight of the lists that contain it."""
        if self.support == "count":
            return candidate_weight
        low = (candidate_weight > 0) & (candidate_weight + self.sigma < 1)
        if low.any():
            one, *_ = np.unravel_index(np.argmax(low), low.shape)
            raise InputError(
                "With support='log', the total weight of each item's lists must be at least 1 - sigma; got "
                f"{candidate_weight[low][0]:g} for {show_id(lists.items, lists.candidate_item[one])}. Multiply all "
                "weights by one number above 1, or pass 'count'."
            )
        return np.log(np.where(candidate_weight > 0, candidate_weight + self.sigma, 1.0))
