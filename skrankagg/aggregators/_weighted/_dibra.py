"""DIBRA: voter weights that are learnt from the distance of each list to the consensus."""

from numbers import Integral, Real
from typing import Literal

import numpy as np

from ..._arrays._list_distances import LIST_DISTANCES
from ..._arrays._places import places_again
from ..._arrays._ragged import gather_ranges
from ..._support._callbacks import fit_task
from ..._support._sklearn import Interval, StrOptions, clone
from ...base import BaseAggregator, WeightedAggregator
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VoterWeights
from ...base._weighted import WEIGHTING
from ...exceptions import InputError
from .._scores._combinations import CombSUM
from ._pruning import keep_by_confidence, keep_by_weight
from ._voter_scales import scale_again, scale_weights

__all__ = ["DIBRA"]

# Largest number of rows of the queries whose weights are learnt together. The other queries are removed if less than
# the share _SHARE of the queries still changes.
_BLOCK, _SHARE = 1 << 15, 0.4


class DIBRA(WeightedAggregator):
    r"""Weigh voters by their distance to the consensus, in several iterations, and aggregate with these weights.

    Voters close to the current consensus gain weight. The new weights then move the consensus.

    Parameters
    ----------
    aggregator : estimator, default=None
        Method that aggregates the weighted lists; any method that can weigh lists is allowed. None means
        ``CombSUM(norm="borda")``. Set parameters of the aggregator with a prefix, for example ``aggregator__norm``.
    distance : {"cosine", "footrule", "local-footrule", "rho", "tau"}, default="cosine"
        Distance of a list to the consensus, see Notes.
    gamma : float, default=1.5
        Decay rate, above 0. Voters gain less weight if they are farther from the consensus, and all voters gain less in
        later iterations. A larger rate strengthens both effects.
    weight_norm : {"min-max", "z-score"} or None, default="min-max"
        Scaling of the weights before they are used. "min-max" gives weight 0 to the most distant voter of a query. The
        paper uses "min-max" together with ``distance="cosine"``.
    tol : float, default=0.01
        Tolerance, above 0. The iteration ends when no weight of the query grows by more than `tol`.
    max_iter : int, default=50
        Largest number of iterations.
    prune : {"low", "wire"} or None, default=None
        How to cut the lists after the weights are learnt. "low" cuts each list to a share that depends on the weight of
        its voter. "wire" keeps the items that trusted lists contain, and then learns the weights again.
    d1, d2 : float, default=0.4, 0.1
        Shares, from 0 to 1, that determine how far the lists are cut, see Notes.
    n_buckets : int, default=3
        Number of classes of trust into which ``prune="wire"`` divides the voters.
    weighting : {"query", "global"}, default="query"
        Source of the weights: "query" learns the weights of each query from its own lists; "global" gives each voter
        one weight, pooled over the queries given to ``fit``.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists, with ``weighting="global"``. "mean" gives the voter the
        mean weight; if weights are scaled, it gives the mean of the scaled weights of the query. "ignore" gives the
        voter weight 0. Its lists then have no effect, except that their items are candidates. "error" raises an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights given in advance; they multiply the weights of the lists.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter` and `weight`. The weights are pooled over the queries; the average voter has weight 1.
    query_voter_weights_ : DataFrame
        Columns `query`, `voter` and `weight`. These are the weights after the last iteration.

    Warns
    -----
    UnequalLengthWarning
        If the longest list of a query outweighs all other lists.
    UnknownVoterWarning
        With ``weighting="global"``, if no voter of the lists was in the training lists.

    See Also
    --------
    PreferenceRelations : Learns weights from pairwise majorities.
    Agglomerative : Learns weights from pairwise majorities, and merges lists two by two.

    Notes
    -----
    Weights start at 1. In iteration :math:`t = 1, 2, \dots` the lists are aggregated with the scaled weights. Let
    :math:`d_v` be the distance of list :math:`v` to this consensus. The weights then change to [1]_

    .. math:: w_v \leftarrow w_v + e^{-\gamma t d_v}.

    The iteration ends when no weight of the query grows by more than `tol`, or after `max_iter` iterations. The weight
    of a list equal to the consensus grows by 1 in each iteration, without limit, as long as the consensus stays the
    same. The result uses the final weights. In the distances, :math:`r` is the rank in the list, :math:`L` is the
    length of the list and :math:`a` is the place in the consensus. The number of items is :math:`n`. :math:`b` is the
    place in the consensus after all items outside the list are removed:

    ================ ==============================================================================================
    "cosine"         1 - the cosine of the points :math:`L + 1 - r` (absent 0) and :math:`n + 1 - a`
    "footrule"       :math:`\frac{2}{L} \sum |r/L - a/n|`
    "local-footrule" :math:`\sum |r - b| / \lfloor L^2/2 \rfloor`
    "rho"            :math:`(1 - \rho) / 2`, where :math:`\rho` is Spearman's correlation of :math:`r` and :math:`b`
    "tau"            share of discordant pairs among the pairs that the list and the consensus both order
    ================ ==============================================================================================

    A list that agrees with the consensus must have a small distance, as the abstract of the paper demands. In FLAGR,
    the author's program, this is not so: the two vectors of the cosine point in opposite directions, and correlations
    are used as distances. This class does neither.

    ``prune="low"`` keeps the first :math:`\lfloor (d_1 + d_2 w'_v) L_v \rfloor` items of each list, at least one, where
    :math:`w'` is the min-max scaled weight. ``prune="wire"`` [2]_ sorts the voters of a query by weight into
    `n_buckets` buckets of equal size. Let :math:`m` be the number of voters with a weight above 0. All lists in bucket
    :math:`b` of :math:`B` get the confidence :math:`c = d_1 + (1 - d_1) e^{-(B - b) B / m}`. For each item, the
    confidences of the lists that contain it are added up. Each list then keeps the :math:`\lfloor d_2 \lceil c L_v
    \rceil \rfloor` items with the largest sums. The aggregator then uses only the cut lists. Items missing from all cut
    lists come last, in the order that they had before the cut. The scores of these items are lower than all other
    scores. The gap between these two groups of scores is the largest absolute score of the query.

    Under "cosine" and "footrule" a long list is near the consensus because the list contains more items of the
    consensus. If lengths differ much, the longest list of a query outweighs all other lists and becomes the consensus;
    :class:`~skrankagg.exceptions.UnequalLengthWarning` reports this. In this case, cut all lists to the same depth with
    :class:`~skrankagg.preprocessing.TopK` before you use DIBRA. With few voters of about equal quality it is best to
    learn no weights. ``distance="tau"`` with ``weight_norm=None`` is the most cautious variant: it loses least with
    voters of equal quality, and gains least with voters of unequal quality. The user guide contains the measurements.

    Ties and absent items are treated as in `aggregator`. If all weights of a query are equal, for example with one
    voter or one item, the scaled weights are 1. Each iteration costs one aggregation, and with ``distance="tau"`` also
    :math:`O(L \log L)` for each list.

    References
    ----------
    .. [1] L. Akritidis, A. Fevgas, P. Bozanis and Y. Manolopoulos, "An unsupervised distance-based model for weighted
       rank aggregation with list pruning", Expert Systems with Applications 202, 2022.
    .. [2] L. Akritidis and P. Bozanis, "WIRE: A Weighted Item Removal Method for Unsupervised Rank Aggregation",
       Algorithms 18(6):362, 2025.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import DIBRA
    >>> dibra = DIBRA()
    >>> dibra.fit_transform(lists)["item"].tolist()
    ['b', 'a', 'd', 'c']
    >>> dibra.query_voter_weights_.round(2)
      query voter  weight
    0     q     u    6.06
    1     q     v   19.84
    2     q     w    3.13
    """

    _guide = {
        "absent": "the same as in its `aggregator`",
        "ties": "as its aggregator",
        "cost": "iterations (at most 50) times the aggregator",
    }
    _cost_terms = ("aggregator",)
    _tag_notes = {
        "needs_scores": "as its `aggregator`",
        "unanimity": "only with `prune=None`",
        "absent_below": "as its `aggregator`",
    }
    _parameter_constraints: dict = {
        "aggregator": [BaseAggregator, None],
        "distance": [StrOptions(set(LIST_DISTANCES))],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "weight_norm": [StrOptions({"min-max", "z-score"}), None],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "prune": [StrOptions({"low", "wire"}), None],
        "d1": [Interval(Real, 0, 1, closed="both")],
        "d2": [Interval(Real, 0, 1, closed="both")],
        "n_buckets": [Interval(Integral, 1, None, closed="left")],
        **WEIGHTING,
    }
    _variants = ({}, {"prune": "low"}, {"prune": "wire"})

    def __init__(
        self,
        aggregator: BaseAggregator | None = None,
        *,
        distance: Literal["cosine", "footrule", "local-footrule", "rho", "tau"] = "cosine",
        gamma: float = 1.5,
        weight_norm: Literal["min-max", "z-score"] | None = "min-max",
        tol: float = 0.01,
        max_iter: int = 50,
        prune: Literal["low", "wire"] | None = None,
        d1: float = 0.4,
        d2: float = 0.1,
        n_buckets: int = 3,
        weighting: Literal["query", "global"] = "query",
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        voter_weights: VoterWeights | None = None,
    ):
        self.aggregator = aggregator
        self.distance = distance
        self.gamma = gamma
        self.weight_norm = weight_norm
        self.tol = tol
        self.max_iter = max_iter
        self.prune = prune
        self.d1 = d1
        self.d2 = d2
        self.n_buckets = n_buckets
        self.weighting = weighting
        self.unknown_voter = unknown_voter
        self.voter_weights = voter_weights

    @property
    def _length_advice(self):
        if self.distance == "tau" and self.weight_norm is None:
            return super()._length_advice
        return (
            "cut all lists to the same depth with TopK, set distance='tau' and weight_norm=None, or choose a method "
            "that learns no weights"
        )

    def _prepare(self, X):
        lists = super()._prepare(X)
        aggregator = self._aggregator()
        if aggregator.__sklearn_tags__().requires_fit:
            learns = aggregator.__sklearn_tags__().aggregator_tags.supervised
            why = (
                "which learns from judgements. Choose another aggregator"
                if learns
                else "which has weighting='global'. Set its weighting='query'"
            )
            raise InputError(
                f"`aggregator` of DIBRA must be a method that needs no fit, because DIBRA aggregates the same lists "
                f"repeatedly; got {aggregator!r}, {why}."
            )
        tags = aggregator.__sklearn_tags__().aggregator_tags
        if not tags.voter_weights or tags.integer_weights:
            raise InputError(
                f"`aggregator` of DIBRA must accept fractional list weights; got {aggregator!r}, which does not "
                "accept them. Choose another aggregator, such as CombSUM(norm='borda')."
            )
        return aggregator._prepare(lists)

    @property
    def _scores_hint(self):
        return self._aggregator()._scores_hint

    def _aggregator(self) -> BaseAggregator:
        return CombSUM(norm="borda") if self.aggregator is None else clone(self.aggregator)

    def _voter_weights(self, lists):
        # Queries do not depend on each other; a block of them stays in the cache.
        block = lists.row_ptr[lists.list_ptr[:-1]] // _BLOCK
        blocks = np.split(np.arange(lists.n_queries), np.flatnonzero(np.diff(block)) + 1)
        # With "wire" the lists are cut and their weights learnt once more.
        task = fit_task(self, len(blocks) * (1 + (self.prune == "wire")))
        if len(blocks) == 1:
            return self._iterate(lists, task.part("all queries", self.max_iter))
        names = [f"queries {lists.queries[queries[0]]!r} to {lists.queries[queries[-1]]!r}" for queries in blocks]
        tasks = [task.part(name, self.max_iter) for name in names]
        return np.concatenate(
            [self._iterate(lists.take(block), task) for block, task in zip(blocks, tasks, strict=True)]
        )

    def _iterate(self, lists, task):
        weight, voters = np.ones(lists.n_lists), _Iterating(self, lists)
        with task:
            for t in range(1, self.max_iter + 1):
                with task.part(f"iteration {t}") as iteration:
                    growth = np.exp(-self.gamma * t * voters.distances(weight))
                    weight[voters.running] += voters.stop(growth)
                if iteration.stop or not voters.go_on():
                    break
        return weight

    def _consensus_again(self, lists, known=None):
        """Return a function that computes the scores of the candidates from the unscaled weights of the lists.

        `known` marks the lists from which the scale of the weights is computed.
        """
        score = self._aggregator()._repeat(lists)
        scale = scale_again(lists.list_ptr, lists.list_weight, self.weight_norm, known=known)
        return lambda weight: score(lists.list_weight * scale(weight))

    def _aggregate_weighted(self, lists, weight, known):
        score = self._consensus_again(lists, known)(weight)
        if self.prune is None:
            return score
        # Lists of weight 0 are left out of the cut, unless all lists of a query have weight 0.
        voting = lists.list_weight > 0
        voting |= ~np.logical_or.reduceat(voting, lists.list_ptr[:-1])[lists.list_query]
        heard, candidate = lists.keep_lists(voting)
        weight, known = weight[voting], None if known is None else known[voting]
        if self.prune == "low":
            kept = keep_by_weight(heard, weight, self.d1, self.d2, known=known)
        else:
            kept = keep_by_confidence(heard, weight, self.d1, self.d2, self.n_buckets)
        cut, held = heard.keep_rows(kept)
        if self.prune == "wire" and self.weighting == "query":
            weight = self._voter_weights(cut)
        cut_score = self._consensus_again(cut, known)(weight)
        # Items missing from all cut lists come last, in their former order.
        heads = lists.candidate_ptr[:-1]
        # The first of these items is as far below the other items as the largest score is from 0.
        size = np.maximum.reduceat(np.abs(score), heads)
        size = np.maximum(size, np.maximum.reduceat(np.abs(cut_score), cut.candidate_ptr[:-1]))
        lowest = np.minimum.reduceat(cut_score, cut.candidate_ptr[:-1]) - np.where(size > 0, size, 1.0)
        score = score - np.maximum.reduceat(score, heads)[lists.candidate_query] + lowest[lists.candidate_query]
        score[candidate[held]] = cut_score
        return score

    def _contributions(self, lists):
        if self.prune is not None:
            return super()._contributions(lists)
        lists, weight, known = self._weigh(lists)
        scaled = scale_weights(weight, lists.list_ptr, lists.list_weight, self.weight_norm, known=known)
        return self._aggregator()._contributions(lists.with_list_weight(lists.list_weight * scaled))

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        own, base = tags.aggregator_tags, self._aggregator().__sklearn_tags__().aggregator_tags
        own.needs_scores, own.scale_free = base.needs_scores, base.scale_free
        # All voters of positive weight, or all cut lists, may agree on two items although not all lists agree.
        own.unanimity = base.unanimity and self.prune is None
        own.absent_below = base.absent_below
        own.compares, own.lenient = base.compares, base.lenient
        return tags


class _Iterating:
    """State of the iteration: the lists of the queries that are still being iterated, and values that are reused."""

    def __init__(self, method, lists):
        self.method, self.running = method, np.arange(lists.n_lists)
        self._prepare(lists)

    def _prepare(self, lists):
        self.lists, self.moving = lists, np.ones(lists.n_queries, dtype=bool)
        self.heads, self.voting = lists.list_ptr[:-1], lists.list_weight > 0
        self.consensus = self.method._consensus_again(lists)
        self.places = places_again(lists.candidate_ptr)
        self.distance = LIST_DISTANCES[self.method.distance](lists)

    def distances(self, weight):
        """Compute the distance of each list to the consensus, for the queries that are still being iterated.

        `weight` contains the weights of all lists, including the lists of queries that are finished.
        """
        return self.distance(self.places(self.consensus(weight[self.running])))

    def stop(self, growth):
        """Stop the queries in which no weight grows by more than the tolerance; lists of list weight 0 do not count.

        Returns the growth of the weights of all lists in the current state. The growth is 0 in queries that stopped
        before.
        """
        if not self.moving.all():
            growth = np.where(self.moving[self.lists.list_query], growth, 0.0)
        self.moving &= np.maximum.reduceat(np.where(self.voting, growth, 0.0), self.heads) > self.method.tol
        return growth

    def go_on(self):
        """Remove the stopped queries if there are many of them; return True if any query needs another iteration."""
        if self.moving.all():
            return True
        chosen = np.flatnonzero(self.moving)
        # Preparing the remaining queries again takes as long as some iterations.
        if 0 < len(chosen) < _SHARE * len(self.moving):
            self.running = self.running[gather_ranges(self.lists.list_ptr, chosen)[0]]
            self._prepare(self.lists.take(chosen))
        return len(chosen) > 0
