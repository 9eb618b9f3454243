"""LearnedWeights: weights of all voters, learnt jointly from relevance judgements."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from ..._data._frames import frame_of, take_ids
from ..._data._types import AnyQrels
from ..._support._sklearn import HasMethods, Interval, StrOptions, check_is_fitted, clone
from ..._support._threads import one_blas_thread
from ..._support._warn import warn_user
from ...base import BaseAggregator, Consensus, SupervisedAggregator
from ...base._consensus import Contributions
from ...base._tags import TagsOfAggregator
from ...base._weighted import match_weights
from ...exceptions import InputError
from .._scores._rank_decay import ReciprocalRankFusion
from .._scores._row_sums import sum_rows, sum_sizes, weigh_rows
from ._export import export_weights
from ._listwise import ListwiseLoss, minimize_loss

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LearnedWeights"]

# Constant k of reciprocal rank fusion with learnt weights. With five or ten judged queries, it was the best constant
# from 5 to 60.
_K = 20


class LearnedWeights(SupervisedAggregator):
    r"""Learn the weight of each voter from judged queries, for a method that adds up contributions of the lists.

    The weights are learnt jointly, so voters who nearly agree share the weight that one of them would get alone. A
    voter who adds no information gets a small weight. Five judged queries with twenty judgements each are enough for a
    start. :func:`~skrankagg.inspection.items_to_judge` chooses the items to judge.

    Parameters
    ----------
    aggregator : aggregator, default=None
        The method that uses the weights; its scores must be sums over the lists. None means
        ``ReciprocalRankFusion(k=20)``. ``BordaCount()`` is suitable for short lists.
    alpha : float, default=1.0
        Strength of the ridge penalty that keeps weights small, above 0. With a larger value, the weights depend less on
        the particular judgements. This helps if there are few judgements.
    positive : bool, default=True
        Whether weights must be at least 0. With False a weight can be negative: the voter's lists then lower the scores
        of their items. Negative weights improve quality a little with hundreds of judged queries, and reduce it with
        few judged queries.
    gain : {"exponential", "linear"}, default="exponential"
        Gain of a grade :math:`r`: :math:`2^r - 1` ("exponential") or :math:`r` itself ("linear"). Grades below 0 have
        gain 0.
    shrinkage : float, default=10.0
        Strength of the shrinkage towards equal weights, at least 0, expressed as a number of relevant items. If the
        judgements contain exactly this number of relevant items, the weights are halfway between the learnt weights and
        equal weights. With 0 the learnt weights are used unchanged.
    unjudged : {"nonrelevant", "skip"}, default="nonrelevant"
        Treatment of an item without a judgement: "nonrelevant" counts it as not relevant, and "skip" leaves it out of
        the training. Choose "skip" only if the judged items were drawn at random. If the judged items are the first
        items of the lists, "skip" lowers average precision.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Weight of a voter that was not in the training lists. With "mean" the voter gets the mean of the other weights,
        and with "ignore" the voter gets weight 0. "error" raises an error.
    max_iter : int, default=200
        Largest number of steps.
    tol : float, default=1e-6
        The iteration ends when the largest component of the gradient of the loss, divided by the number of queries, is
        at most this number.
    std_errors : bool, default=False
        Whether `voter_weights_` has a column `std_error`.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries. None if the judgements are passed to ``fit``, as ``qrels=`` or as `y` from
        :meth:`~skrankagg.Qrels.align`.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter` and `weight`. With ``positive=True`` the weights have mean 1. Otherwise their absolute values
        have mean 1 before the weights are shrunk. With ``std_errors=True`` there is also a column `std_error`.
    n_iter_ : int
        Number of steps.
    loss_ : float
        Loss of the learnt weights, including the ridge penalty, before the weights are scaled and shrunk.
    n_queries_ : int
        Number of training queries: the judged queries with a relevant item in some list.
    n_relevant_ : int
        Number of relevant items in the lists of the training queries. An item with a gain above 0 is relevant.

    Warns
    -----
    ConvergenceWarning
        If the iteration does not end within `max_iter` steps.
    UserWarning
        If all learnt weights are 0, because no voter ranks relevant items higher than chance would. In this case all
        weights are set to 1.

    See Also
    --------
    skrankagg.inspection.items_to_judge : Chooses the items to judge.
    skrankagg.inspection.expected_gain : Estimates the gain on new queries.
    skrankagg.preprocessing.VoterWeighter : Weighs each voter by a measure of its lists, for any method.
    skrankagg.model_selection.weight_grid : Lists candidate weights for a grid search, for any method and measure.
    DIBRA : Learns weights without judgements.

    Notes
    -----
    Let :math:`g_v(i)` be the contribution of list :math:`v` to item :math:`i` under `aggregator`, scaled so that a
    first place contributes 1. Let :math:`t_q(i)` be the item's gain divided by the sum of the gains of its query. The
    weights minimise

    .. math:: -\sum_q \sum_i t_q(i) \log \frac{\exp \sum_v w_v g_v(i)}{\sum_j \exp \sum_v w_v g_v(j)}
              + \frac{\alpha}{2} \sum_v w_v^2,

    the listwise loss of ListNet [1]_ for a linear model. The loss is convex, so the best weights are unique, and they
    do not depend on the order of queries, items or voters. Queries without a relevant item in any list carry no
    information.

    These weights are divided by the mean of their absolute values, and then shrunk towards equal weights. With
    :math:`r` relevant items and the shrinkage :math:`s`, the final weight is

    .. math:: \frac{r w_v + s}{r + s}.

    With hundreds of relevant items the shrinkage changes little. With few relevant items, it keeps the weights close to
    equal.

    The consensus is the consensus of `aggregator` with the final weights as list weights; ties and absent items are
    treated as in `aggregator`. If the lists already have weights, these weights multiply the contributions of the
    lists, in training and in aggregation. For two voters the method is the convex combination of two lists, with an
    automatically tuned weight. If a voter has weight 0, the items that only this voter ranks stay in the result, behind
    the other items.

    The method was measured on 24 judged collections, with lists cut at rank 100. The weights were learnt from five
    queries with twenty judgements each. On the other queries, they gained 2.4 points of nDCG@10 and 1.5 points of
    average precision over reciprocal rank fusion with k = 60. The gain in nDCG@10 was significant on 12 collections,
    the gain in average precision on 15, and no loss was significant. In these experiments k = 20 gained .6 to .8 points
    over k = 60. Values of k from 10 to 30 were within .2 points of k = 20.

    The time of each step is linear in the number of rows; a fit takes a few dozen steps. The standard errors are
    computed from the second derivatives of the loss, and multiplied by :math:`r / (r + s)`. A weight at the bound of 0
    has no standard error. The standard errors treat queries as independent, and the scale of the weights as known.

    References
    ----------
    .. [1] Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai and H. Li, "Learning to rank: from pairwise approach to listwise
       approach", ICML 2007.

    Examples
    --------
    >>> from skrankagg import LearnedWeights, Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=40, n_voters=4, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:20], lists[20:]
    >>> method = LearnedWeights().fit(train, qrels.align(train))
    >>> method.voter_weights_.round(2)
      voter  weight
    0    v1    2.47
    1    v2    0.30
    2    v3    0.77
    3    v4    0.47
    >>> method.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _guide = {
        "absent": "as its `aggregator`",
        "ties": "as its aggregator",
        "cost": "as its aggregator; to learn, a few dozen times $N$",
    }
    _tag_notes = {
        "needs_scores": "as the aggregator inside",
        "unanimity": "not with `positive=False`",
        "absent_below": "as its `aggregator`; `positive=True`",
    }
    _parameter_constraints: dict = {
        "aggregator": [HasMethods(["fit", "transform"]), None],
        "alpha": [Interval(Real, 0, None, closed="neither")],
        "positive": ["boolean"],
        "gain": [StrOptions({"exponential", "linear"})],
        "shrinkage": [Interval(Real, 0, None, closed="left")],
        "unjudged": [StrOptions({"nonrelevant", "skip"})],
        "unknown_voter": [StrOptions({"mean", "ignore", "error"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "std_errors": ["boolean"],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports errors in anything else
    }

    voter_weights_: pd.DataFrame
    n_iter_: int
    loss_: float
    n_queries_: int
    n_relevant_: int

    def __init__(
        self,
        aggregator: BaseAggregator | None = None,
        *,
        alpha: float = 1.0,
        positive: bool = True,
        gain: Literal["exponential", "linear"] = "exponential",
        shrinkage: float = 10.0,
        unjudged: Literal["nonrelevant", "skip"] = "nonrelevant",
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        max_iter: int = 200,
        tol: float = 1e-6,
        std_errors: bool = False,
        qrels: AnyQrels | None = None,
    ):
        self.aggregator = aggregator
        self.alpha = alpha
        self.positive = positive
        self.gain = gain
        self.shrinkage = shrinkage
        self.unjudged = unjudged
        self.unknown_voter = unknown_voter
        self.max_iter = max_iter
        self.tol = tol
        self.std_errors = std_errors
        self.qrels = qrels

    def export(self) -> dict[str, Any]:
        """Return the weights as plain numbers, and as settings of search engines that compute the same consensus.

        Returns
        -------
        dict
            The dict contains only numbers, text, lists and dicts, so that ``json.dumps`` accepts it. The entry
            `aggregator` is the repr of the aggregator. The entry `weights` contains the weights by voter; the ids of
            the voters are text. For each search engine with the same method, the entry `engines` contains the part of a
            request or a constructor call that sets the weights. This entry is empty if a weight is below 0, or if the
            aggregator has a `depth` or `voter_weights`, because engines do not support these.

        Raises
        ------
        NotFittedError
            Before ``fit``.

        Examples
        --------
        >>> from skrankagg import LearnedWeights, Qrels
        >>> from skrankagg.datasets import make_ranked_lists
        >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=2, random_state=0)
        >>> exported = LearnedWeights(qrels=qrels).fit(lists).export()
        >>> sorted(exported), sorted(exported["weights"])
        (['aggregator', 'engines', 'weights'], ['v1', 'v2'])
        """
        check_is_fitted(self, "voter_weights_")
        voters, weights = self.voter_weights_["voter"].tolist(), self.voter_weights_["weight"].tolist()
        return export_weights(self._base(), dict(zip(map(str, voters), weights, strict=True)))

    # ------------------------------------------------------------------ learning

    def _base(self):
        base = ReciprocalRankFusion(k=_K) if self.aggregator is None else clone(self.aggregator)
        if not isinstance(base, BaseAggregator):
            raise InputError(
                f"`aggregator` must be an aggregator whose scores are sums over the lists; got {base!r}. Put other "
                "steps of a pipeline before LearnedWeights."
            )
        return base

    # With vectors of this size, threads of the linear algebra wait for each other longer than they compute.
    @one_blas_thread
    def _learn(self, lists, judged):
        base = self._base()
        lists = base._prepare(lists)
        kept, ptr, share = self._relevance(lists, judged.relevance)
        gains, voters = _gains_by_voter(base, lists)
        loss = ListwiseLoss(gains[kept], ptr, share, self.alpha)
        weight, self.n_iter_, converged = minimize_loss(
            loss, positive=self.positive, max_iter=self.max_iter, tol=self.tol
        )
        if not converged:
            warn_user(
                f"{self!r} did not converge in {self.max_iter} steps. Raise max_iter, tol or alpha.",
                ConvergenceWarning,
            )
        self.loss_, self.n_queries_, self.n_relevant_ = float(loss(weight)[0]), len(ptr) - 1, np.count_nonzero(share)
        size = np.abs(weight).mean()
        if size == 0:
            warn_user(
                f"{type(self).__name__} gives all voters weight 1, because no voter ranks relevant items higher than "
                f"a random order would. The weights were learned from {self.n_queries_} "
                f"quer{'y' if self.n_queries_ == 1 else 'ies'}; judge more queries.",
                UserWarning,
            )
            weight, size = np.ones(len(weight)), 1.0
        # This formula does not round: a shrinkage of 0 returns the learnt weights, and equal weights stay equal.
        both, scaled = self.n_relevant_ + self.shrinkage, weight / size
        columns = {"voter": take_ids(lists.voters, voters), "weight": scaled + self.shrinkage / both * (1 - scaled)}
        if self.std_errors:
            columns["std_error"] = _std_errors(loss, weight, self.positive) / size * (self.n_relevant_ / both)
        self.voter_weights_ = frame_of(columns)

    def _relevance(self, lists, relevance):
        """Select the training candidates, and compute the share of each candidate in the total gain of its query.

        Returns the indices of the candidates, the offsets of each query's candidates, and the shares.
        """
        grade = np.nan_to_num(relevance)
        with np.errstate(over="ignore"):
            gain = np.maximum(2.0**grade - 1 if self.gain == "exponential" else grade, 0.0)
        if not np.isfinite(gain).all():
            raise InputError(
                "With gain='exponential', the gain 2 ** grade - 1 must be finite; it overflows for grade "
                f"{grade.max():g}. Choose gain='linear'."
            )
        total = np.add.reduceat(gain, lists.candidate_ptr[:-1])
        kept = (total > 0)[lists.candidate_query]
        if self.unjudged == "skip":
            kept &= ~np.isnan(relevance)
        n_kept = np.bincount(lists.candidate_query[kept], minlength=lists.n_queries)
        ptr = np.concatenate([[0], np.cumsum(n_kept[n_kept > 0])])
        return np.flatnonzero(kept), ptr, (gain / np.where(total > 0, total, 1.0)[lists.candidate_query])[kept]

    # ------------------------------------------------------------------ merging

    def _weigh(self, base, lists):
        """Prepare the lists for the aggregator `base`, and return them with the learnt weight of each list."""
        advice = "fit it on lists of these voters"
        return match_weights(self, base._prepare(lists), self.voter_weights_, advice)[:2]

    def _merge(self, lists):
        """Return the weighted lists and their consensus.

        Items with equal scores are sorted later, by the total weight of the lists that contain them.
        """
        base = self._base()
        lists, weight = self._weigh(base, lists)
        if (weight >= 0).all():
            # Items with equal scores are sorted by the total weight of their lists, as if the user had set these
            # weights.
            lists = lists.with_list_weight(lists.list_weight * weight)
            return lists, base._aggregate_what_fits(lists)
        gain, given = _signed_gains(base, lists, weight)
        return lists, Consensus(sum_rows(lists, gain, given), scale=sum_sizes(lists, gain, given))

    def _aggregate(self, lists):
        return self._merge(lists)[1]

    def _rank(self, lists):
        check_is_fitted(self)
        return self._publish(*self._merge(lists))

    def _contributions(self, lists):
        base = self._base()
        lists, weight = self._weigh(base, lists)
        if (weight >= 0).all():
            return base._contributions(lists.with_list_weight(lists.list_weight * weight))
        gain, given = _signed_gains(base, lists, weight)
        if given is None:
            return Contributions(weigh_rows(lists, gain))
        return Contributions(weigh_rows(lists, gain + given[lists.row_list]), given * lists.list_weight)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        inside = self._base().__sklearn_tags__().aggregator_tags
        tags.aggregator_tags.needs_scores = inside.needs_scores
        tags.aggregator_tags.smooth = inside.smooth
        tags.aggregator_tags.unanimity = inside.unanimity and self.positive
        tags.aggregator_tags.absent_below = inside.absent_below and self.positive
        tags.aggregator_tags.compares = inside.compares
        tags.aggregator_tags.lenient = inside.lenient
        return tags


def _gains_by_voter(base, lists):
    """Return a csr_array with the contribution of each voter to each candidate's score, and the voter of each column.

    The rows of the array are candidates.
    """
    gain, _, first = base._linear_gains(lists)
    if np.ndim(first):
        first = first[lists.list_query[lists.row_list]]
    weight = lists.row_weight
    value = gain / first if weight is None else gain * weight / first
    voters, column = np.unique(lists.list_voter, return_inverse=True)
    cells = value, (lists.candidate, column[lists.row_list])
    return csr_array(cells, shape=(lists.n_candidates, len(voters))), voters


def _signed_gains(base, lists, weight):
    """Multiply the gains of rows and of absent items by the weights of their lists; weights may be negative.

    A gain is the amount that a list of weight 1 adds to the score of an item; a row is an item in a list. The first
    result contains a number for each row: the gain of its item minus the gain of an absent item, times the weight. The
    second result, of shape (n_lists,), contains the weighted gain of the items that each list lacks. It is None if all
    gains of absent items are 0.
    """
    gain, given, _ = base._linear_gains(lists)
    return gain * weight[lists.row_list], None if given is None else given * weight


def _std_errors(loss, weight, positive):
    """Compute the standard errors of the weights; with `positive`, a weight of 0 gets NaN."""
    free = weight > 0 if positive else np.ones(len(weight), dtype=bool)
    errors = np.full(len(weight), np.nan)
    errors[free] = np.sqrt(np.diag(np.linalg.inv(loss.hessian(weight)[np.ix_(free, free)])))
    return errors
