"""Voter weights from the distance of each list to the consensus."""

from numbers import Integral, Real

import numpy as np

from ..._arrays._list_distances import LIST_DISTANCES, consensus_places
from ..._arrays._ragged import dense_ranks, expand, gather_ranges, group_order, starts_to_ptr, tie_starts
from ..._support._sklearn import Interval, StrOptions, clone
from ...base import BaseAggregator, WeightedAggregator
from ...base._consensus import order_candidates
from ...base._weighted import WEIGHTING
from ...exceptions import InputError
from .._scores._linear import CombSUM

__all__ = ["DIBRA", "item_confidence", "scale_weights"]


def scale_weights(weight, list_ptr, list_weight, norm, *, known=None):
    """Bring the voter weights of each query onto one scale.

    Parameters
    ----------
    weight : ndarray of shape (n_lists,), dtype=float64
        Weights, at least 0.
    list_ptr : ndarray of shape (n_queries + 1,), dtype=int
        Lists of each query.
    list_weight : ndarray of shape (n_lists,), dtype=float64
        How often each list counts.
    norm : {"minmax", "z"} or None
        ``(w - min) / (max - min)``, or ``w * variance / max``, or as they are.
    known : ndarray of shape (n_lists,), dtype=bool, default=None
        Lists that set the scale; the others get the mean of what it makes of these. None scales by all lists.

    Returns
    -------
    ndarray of shape (n_lists,), dtype=float64
        Where the norm would divide by 0, as when all weights of a query are equal, 1 for each list.

    See Also
    --------
    DIBRA : Scales the weights of each iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import scale_weights
    >>> scale_weights(np.array([1.0, 2.0, 3.0, 5.0, 5.0]), np.array([0, 3, 5]), np.ones(5), "minmax")
    array([0. , 0.5, 1. , 1. , 1. ])
    """
    if norm is None:
        return weight
    heads, query = list_ptr[:-1], expand(list_ptr)
    # A list of weight 0 neither sets the scale nor uses it.
    counted = list_weight if known is None else np.where(known, list_weight, 0.0)
    voting = counted > 0
    high = np.maximum.reduceat(np.where(voting, weight, -np.inf), heads)
    low = np.minimum.reduceat(np.where(voting, weight, np.inf), heads)
    flat = ~(high - low > 1e-12 * high)
    total = np.add.reduceat(counted, heads)
    total = np.where(total > 0, total, 1.0)
    if norm == "minmax":
        scaled = (weight - low[query]) / np.where(flat, 1.0, high - low)[query]
    else:
        mean = np.add.reduceat(weight * counted, heads) / total
        square = np.add.reduceat((weight - mean[query]) ** 2 * counted, heads)
        scaled = weight * (square / total / np.where(flat, 1.0, high))[query]
    scaled = np.where(flat[query], 1.0, np.clip(scaled, 0.0, None))
    if known is None:
        return scaled
    mean = np.where(flat, 1.0, np.add.reduceat(scaled * counted, heads) / total)
    return np.where(known, scaled, mean[query])


def item_confidence(candidate, confidence, n_candidates):
    """Add up the confidences of the lists that hold each item.

    Parameters
    ----------
    candidate : ndarray of shape (n_rows,), dtype=int32
        Candidate of each row.
    confidence : ndarray of shape (n_rows,), dtype=float64
        Confidence in the row's list.
    n_candidates : int
        Number of candidates.

    Returns
    -------
    ndarray of shape (n_candidates,), dtype=float64
        How much each item deserves to be preserved.

    See Also
    --------
    DIBRA : Where it decides which items of a list are kept.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import item_confidence
    >>> item_confidence(np.array([0, 1, 0]), np.array([1.0, 1.0, 0.5]), 2)
    array([1.5, 1. ])
    """
    return np.bincount(candidate, weights=confidence, minlength=n_candidates)


class DIBRA(WeightedAggregator):
    r"""Weigh voters by their distance to the consensus, again and again, and aggregate with those weights.

    Who stands close to what all say together is believed more, which changes what all say together.

    Parameters
    ----------
    aggregator : estimator, default=None
        Method that aggregates, any that can weigh lists; None is ``CombSUM(norm="borda")``. Its parameters are reached
        as ``aggregator__norm``.
    distance : {"cosine", "footrule", "local-footrule", "rho", "tau"}, default="cosine"
        Distance of a list to the consensus, see Notes.
    gamma : float, default=1.5
        How fast trust fades with distance and with the iterations, above 0.
    weight_norm : {"minmax", "z"} or None, default="minmax"
        How weights are scaled before they are used. "minmax" silences the most distant voter of a query. With
        ``distance="cosine"`` it is the rule of the paper.
    tol : float, default=0.01
        The iteration ends when no weight of the query grows by more; above 0.
    max_iter : int, default=50
        Iterations at most.
    prune : {"low", "wire"} or None, default=None
        Whether lists are cut in the end: to a share that depends on the voter ("low"), or to the items that trusted
        lists hold ("wire", after which weights are learnt again).
    d1, d2 : float, default=0.4, 0.1
        Shares of the cut, from 0 to 1, see Notes.
    n_buckets : int, default=3
        Classes of trust of ``prune="wire"``.
    weighting : {"query", "global"}, default="query"
        Whether each query's weights are learnt from its own lists, or each voter has one weight, pooled over the
        queries given to ``fit``.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        With ``weighting="global"``, what a voter gets that ``fit`` has not seen: the mean weight, of the scaled weights
        of its query where they are scaled; weight 0, so that its lists change nothing and only their items are
        candidates; or an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights given in advance, which multiply those of the lists.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter`, `weight`: pooled over the queries, 1 is the average voter.
    query_voter_weights_ : DataFrame
        Columns `query`, `voter`, `weight`: what the iteration ended with.

    Warns
    -----
    UnequalLengthWarning
        If the longest list of a query outweighs all others.
    UnknownVoterWarning
        With ``weighting="global"``, if ``fit`` has not seen any voter of the lists.

    See Also
    --------
    scale_weights : The scales.
    PreferenceRelations : Weights from pairwise majorities.
    Agglomerative : Weights from pairwise majorities, lists merged two by two.

    Notes
    -----
    Weights start at 1. In iteration :math:`t = 1, 2, \dots` the lists are aggregated with the scaled weights, and with
    :math:`d_v` the distance of list :math:`v` to the consensus [1]_

    .. math:: w_v \leftarrow w_v + e^{-\gamma t d_v}

    until no weight of the query grows by more than `tol`, and at most `max_iter` times: the weight of a list that is
    the consensus itself grows for ever, as :math:`t` does, while the consensus stays. It is made with the final
    weights. With :math:`r` the rank in the list, :math:`L` its length, :math:`a` the place in the consensus, :math:`n`
    the number of items and :math:`b` the place among the items of the list alone:

    ================ ==============================================================================================
    "cosine"         1 - the cosine of the points :math:`L + 1 - r` (absent 0) and :math:`n + 1 - a`
    "footrule"       :math:`\frac{2}{L} \sum |r/L - a/n|`
    "local-footrule" :math:`\sum |r - b| / \lfloor L^2/2 \rfloor`
    "rho"            :math:`(1 - \rho) / 2`, Spearman's correlation of :math:`r` and :math:`b`
    "tau"            share of discordant candidates among those that both order
    ================ ==============================================================================================

    The abstract demands that agreement is a small distance; the program of the author, FLAGR, sets the two vectors of
    the cosine in opposite directions and takes correlations for distances, which is not followed. ``prune="low"`` keeps
    the first :math:`\lfloor (d_1 + d_2 w'_v) L_v \rfloor` items of each list, at least one, with :math:`w'` the min-max
    scaled weight. ``prune="wire"`` [2]_ sorts the voters of a query into `n_buckets` buckets of equal size by weight,
    gives bucket :math:`b` the confidence :math:`c = d_1 + (1 - d_1) e^{-(B - b) B / m}`, adds up the confidences of the
    lists that hold an item, and lets each list keep its best :math:`\lfloor d_2 \lceil c L_v \rceil \rfloor` items by
    that sum. The aggregator then sees the cut lists alone; items that none of them holds come last, in the order they
    had before, rather than getting lost.

    Under "cosine" and "footrule" a long list is near the consensus because it holds more of its items: where lengths
    differ much, the longest list of a query outweighs all others and becomes the consensus, which
    :class:`~skrankagg.exceptions.UnequalLengthWarning` tells. Cut all lists to one depth first, with
    :class:`~skrankagg.preprocessing.TopK`. With few voters of about equal quality no weights are best. Of all variants
    ``distance="tau"`` with ``weight_norm=None`` is the mildest: it loses least there, and gains least from voters of
    unequal quality. The user guide has the figures.

    Ties and absent items are the business of `aggregator`. If all weights of a query are equal, as with one voter or
    one item, they are 1. Each iteration costs one aggregation, and ``distance="tau"`` :math:`O(L \log L)` for each
    list.

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

    _parameter_constraints: dict = {
        "aggregator": [BaseAggregator, None],
        "distance": [StrOptions(set(LIST_DISTANCES))],
        "gamma": [Interval(Real, 0, None, closed="neither")],
        "weight_norm": [StrOptions({"minmax", "z"}), None],
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
        aggregator=None,
        *,
        distance="cosine",
        gamma=1.5,
        weight_norm="minmax",
        tol=0.01,
        max_iter=50,
        prune=None,
        d1=0.4,
        d2=0.1,
        n_buckets=3,
        weighting="query",
        unknown_voter="mean",
        voter_weights=None,
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
            "cut all lists to one depth with TopK, set distance='tau' and weight_norm=None, or choose a method that "
            "learns no weights"
        )

    # ------------------------------------------------------------------ the iteration

    def _prepare(self, X):
        lists = super()._prepare(X)
        aggregator = self._aggregator()
        tags = aggregator.__sklearn_tags__().aggregator_tags
        if not tags.voter_weights or tags.integer_weights:
            raise InputError(
                f"DIBRA needs an aggregator that can weigh lists, by fractions too; {aggregator!r} cannot. Choose "
                "another, such as CombSUM(norm='borda')."
            )
        return aggregator._prepare(lists)

    @property
    def _scores_hint(self):
        return self._aggregator()._scores_hint

    def _voter_weights(self, lists):
        return self._iterate(lists)

    def _aggregate_weighted(self, lists, weight, known):
        score = self._score(lists, weight, known)
        if self.prune is None:
            return score
        # What is in a list of weight 0 alone is in no cut list, unless all lists of its query are such.
        voting = lists.list_weight > 0
        voting |= ~np.logical_or.reduceat(voting, lists.list_ptr[:-1])[lists.list_query]
        heard, candidate = lists.keep_lists(voting)
        weight, known = weight[voting], None if known is None else known[voting]
        cut, held = heard.keep_rows(self._kept_rows(heard, weight, known))
        if self.prune == "wire" and self.weighting == "query":
            weight = self._iterate(cut)
        cut_score = self._score(cut, weight, known)
        # Items that no cut list holds come last, in the order that they had before.
        heads = lists.candidate_ptr[:-1]
        lowest = np.minimum.reduceat(cut_score, cut.candidate_ptr[:-1]) - 1
        score = score - np.maximum.reduceat(score, heads)[lists.candidate_query] + lowest[lists.candidate_query]
        score[candidate[held]] = cut_score
        return score

    def _aggregator(self):
        return CombSUM(norm="borda") if self.aggregator is None else clone(self.aggregator)

    def _score(self, lists, weight, known=None, score=None):
        score = self._aggregator()._repeat(lists) if score is None else score
        scaled = scale_weights(weight, lists.list_ptr, lists.list_weight, self.weight_norm, known=known)
        return score(lists.list_weight * scaled)

    def _iterate(self, lists):
        weight = np.ones(lists.n_lists)
        running, rest, moving = np.arange(lists.n_lists), lists, None
        for t in range(1, self.max_iter + 1):
            if t == 1 or not moving.all():
                score = self._aggregator()._repeat(rest)
                distance = LIST_DISTANCES[self.distance](rest)
            order, ordered = order_candidates(rest, self._score(rest, weight[running], score=score))
            growth = np.exp(-self.gamma * t * distance(consensus_places(rest, order, ordered)))
            weight[running] += growth
            moving = self._moving(rest, growth)
            if not moving.any():
                break
            if not moving.all():
                chosen = np.flatnonzero(moving)
                running = running[gather_ranges(rest.list_ptr, chosen)[0]]
                rest = rest.take(chosen)
        return weight

    def _moving(self, lists, step):
        """Queries of which some voting list takes a step above the tolerance."""
        return np.maximum.reduceat(np.where(lists.list_weight > 0, step, 0.0), lists.list_ptr[:-1]) > self.tol

    # ------------------------------------------------------------------ pruning

    def _kept_rows(self, lists, weight, known=None):
        if self.prune == "low":
            scaled = scale_weights(weight, lists.list_ptr, lists.list_weight, "minmax", known=known)
            kept = np.floor((self.d1 + self.d2 * scaled) * lists.list_length + 1e-9)
            return _first_places(lists, lists.rank) <= np.maximum(kept, 1)[lists.row_list]
        confidence = self._confidence(lists, weight)
        counted = (confidence * lists.list_weight)[lists.row_list]
        preservation = item_confidence(lists.candidate, counted, lists.n_candidates)
        kept = np.floor(self.d2 * np.ceil(confidence * lists.list_length - 1e-9) + 1e-9)
        # Sums of the same confidences in another order are one value: rounding keeps no item.
        scale = np.maximum.reduceat(preservation, lists.candidate_ptr[:-1])[lists.candidate_query]
        level = np.round(preservation / np.where(scale > 0, scale, 1.0), 10)[lists.candidate]
        # By preservation, and of equals the better ranked.
        worth = dense_ranks(lists.row_ptr, -level) * (lists.list_length[lists.row_list] + 1) + lists.rank
        return _first_places(lists, worth) <= np.maximum(kept, 1)[lists.row_list]

    def _confidence(self, lists, weight):
        """Confidence in each list, by the bucket of its weight; equal weights share the higher bucket."""
        order = group_order(lists.list_query, weight)
        cumulated = np.cumsum(lists.list_weight[order])
        ends = np.append(np.diff(lists.list_query[order]) != 0, True)
        last_of_value = ends.copy()
        last_of_value[:-1] |= np.diff(weight[order]) > 1e-12 * weight[order][1:]
        group = np.cumsum(np.concatenate([[True], last_of_value[:-1]])) - 1
        total = lists.sum_over_lists(lists.list_weight)
        before = np.concatenate([[0.0], np.cumsum(total)[:-1]])[lists.list_query[order]]
        m = total[lists.list_query[order]]
        at_most = (cumulated[last_of_value][group] - before) / np.where(m > 0, m, 1.0)
        bucket = np.ceil(self.n_buckets * at_most - 1e-9)
        confidence = np.empty(lists.n_lists)
        exponent = (self.n_buckets - bucket) * self.n_buckets / np.where(m > 0, m, 1.0)
        confidence[order] = self.d1 + (1 - self.d1) * np.exp(-exponent)
        return confidence

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        own, base = tags.aggregator_tags, self._aggregator().__sklearn_tags__().aggregator_tags
        own.needs_scores = base.needs_scores
        # A silenced voter or a cut list is not heard, and unanimity among the others may not be that of all.
        own.unanimity = base.unanimity and self.prune is None
        own.condorcet_winner = False
        own.absent_below = base.absent_below
        return tags


def _first_places(lists, value):
    """Place of each row in its list by ascending value; ties all have the first of their places, and stay together."""
    order = group_order(lists.row_list, value)
    tie_ptr = starts_to_ptr(tie_starts(lists.row_ptr, value[order]))
    first = np.empty(lists.n_rows, dtype=np.int64)
    first[order] = np.repeat(tie_ptr[:-1] + 1, np.diff(tie_ptr))
    return first - np.repeat(lists.row_ptr[:-1], lists.list_length)
