"""Voter weights learnt from judgements, all together, so that voters who agree share their weight."""

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


class LearnedWeights(SupervisedAggregator):
    r"""Learn the weight of each voter from judged queries, for a method that adds up contributions of the lists.

    The weights are learnt together: voters who nearly agree share the weight that one of them would get, and a voter
    who adds nothing gets 0. Two dozen voters need twenty judged queries or more; with fewer choose
    :class:`~skrankagg.preprocessing.VoterWeighter`.

    Parameters
    ----------
    aggregator : aggregator, default=None
        The method that uses the weights; its scores must be sums over the lists. None is
        :class:`ReciprocalRankFusion`, which suits deep lists and short ones. ``BordaCount()`` suits short lists.
    alpha : float, default=1.0
        Strength of the ridge that keeps weights small, above 0. The larger it is, the less the weights depend on the
        particular judgements, which helps if there are few of them.
    positive : bool, default=True
        Whether weights are at least 0. Without the bound a voter may count against an item, which gains a little with
        hundreds of judged queries and loses with few.
    gain : {"exponential", "linear"}, default="exponential"
        Gain of a grade r: :math:`2^r - 1`, or r itself. Grades below 0 gain nothing.
    unjudged : {"nonrelevant", "skip"}, default="nonrelevant"
        Treatment of an item without a judgement: "nonrelevant" counts it as not relevant, and "skip" leaves it out of
        the training.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Weight of a voter that ``fit`` has not seen. "mean" gives it the mean of the other weights, "ignore" gives it
        weight 0, and "error" raises an error.
    max_iter : int, default=200
        Largest number of steps.
    tol : float, default=1e-6
        Largest slope of the loss, divided by the number of queries, at which the iteration ends.
    std_errors : bool, default=False
        Whether `voter_weights_` has a column `std_error`.
    qrels : Qrels or DataFrame, default=None
        Judgements of training queries; None if they come with ``fit``, as ``qrels=`` or as the `y` that
        :meth:`~skrankagg.Qrels.align` makes.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter`, `weight`, with absolute values of mean 1, and with ``std_errors=True`` `std_error`.
    n_iter_ : int
        Number of steps.
    loss_ : float
        Loss at the learnt weights, including the ridge.
    n_queries_ : int
        Number of training queries: those with a relevant item in some list.

    Warns
    -----
    ConvergenceWarning
        If the weights are not within `tol` after `max_iter` steps.
    UserWarning
        If all weights would be 0, because no voter ranks relevant items higher; then all are 1.

    See Also
    --------
    skrankagg.preprocessing.VoterWeighter : Weighs each voter by a measure of its own, for any method.
    skrankagg.model_selection.weight_grid : Weights to search among, for any method and measure.
    DIBRA : Learns weights without judgements.

    Notes
    -----
    Let :math:`g_v(i)` be the contribution of list :math:`v` to item :math:`i` under `aggregator`, scaled so that a
    first place contributes 1. Let :math:`t_q(i)` be the item's gain divided by the sum of the gains of its query. The
    weights minimise

    .. math:: -\sum_q \sum_i t_q(i) \log \frac{\exp \sum_v w_v g_v(i)}{\sum_j \exp \sum_v w_v g_v(j)}
              + \frac{\alpha}{2} \sum_v w_v^2,

    the listwise loss of ListNet [1]_ for a linear model. It is convex: the best weights are unique, and do not depend
    on the order of queries, items or voters. Queries without a relevant item in any list carry no information. The
    consensus is `aggregator`'s with these weights as list weights, and treats ties and absent items in the same way. A
    list weight multiplies the list's contribution, in training and after it. For two voters it is the convex
    combination, tuned automatically. Weights of 0 leave the items of a voter in the result, behind the others.

    Each step is linear in the number of rows; a few dozen are taken. The standard errors are those of a penalised
    likelihood, from its second derivatives; a weight at the bound of 0 has none. They treat queries as independent, and
    the scale of the weights as known.

    References
    ----------
    .. [1] Z. Cao, T. Qin, T.-Y. Liu, M.-F. Tsai and H. Li, "Learning to rank: from pairwise approach to listwise
       approach", ICML 2007.

    Examples
    --------
    >>> from skrankagg import LearnedWeights, Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=40, n_voters=4, quality_spread=1.0, random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:20], lists[20:]
    >>> method = LearnedWeights().fit(train, qrels.align(train))
    >>> method.voter_weights_.round(2)
      voter  weight
    0    v1    2.30
    1    v2    0.36
    2    v3    0.81
    3    v4    0.52
    >>> method.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _guide = {
        "absent": "what its `aggregator` gives",
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

    def __init__(
        self,
        aggregator: BaseAggregator | None = None,
        *,
        alpha: float = 1.0,
        positive: bool = True,
        gain: Literal["exponential", "linear"] = "exponential",
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
        self.unjudged = unjudged
        self.unknown_voter = unknown_voter
        self.max_iter = max_iter
        self.tol = tol
        self.std_errors = std_errors
        self.qrels = qrels

    def export(self) -> dict[str, Any]:
        """Export the weights as plain numbers, and as the parameters of engines that compute the same consensus.

        Returns
        -------
        dict
            Consists of numbers, text, lists and dicts alone, so that ``json.dumps`` accepts it. `aggregator` is its
            repr, and `weights` the weights by voter, as text. `engines` contains, by name, the part of a request or a
            constructor with the weights, for engines with the same method and weights of at least 0. It is empty if the
            aggregator has a `depth` or `voter_weights` of its own, which engines do not support.

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
        base = ReciprocalRankFusion() if self.aggregator is None else clone(self.aggregator)
        if not isinstance(base, BaseAggregator):
            raise InputError(
                f"`aggregator` must be an aggregator whose scores are sums over the lists; got {base!r}. Put other "
                "steps of a pipeline before LearnedWeights."
            )
        return base

    # Threads of the linear algebra wait for each other longer than they work on vectors of this size.
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
                f"{self!r} has not found the best weights in {self.max_iter} steps; raise max_iter, tol or alpha.",
                ConvergenceWarning,
            )
        self.loss_, self.n_queries_ = float(loss(weight)[0]), len(ptr) - 1
        size = np.abs(weight).mean()
        if size == 0:
            warn_user(
                f"{type(self).__name__} gives all voters weight 1: none ranks relevant items higher than chance does "
                f"in {self.n_queries_} training quer{'y' if self.n_queries_ == 1 else 'ies'}. Judge more queries.",
                UserWarning,
            )
            weight, size = np.ones(len(weight)), 1.0
        columns = {"voter": take_ids(lists.voters, voters), "weight": weight / size}
        if self.std_errors:
            columns["std_error"] = _std_errors(loss, weight, self.positive) / size
        self.voter_weights_ = frame_of(columns)

    def _relevance(self, lists, relevance):
        """Return the training candidates, pointers to them by query, and the share of each in the gain of its query."""
        grade = np.nan_to_num(relevance)
        with np.errstate(over="ignore"):
            gain = np.maximum(2.0**grade - 1 if self.gain == "exponential" else grade, 0.0)
        if not np.isfinite(gain).all():
            raise InputError(
                f"Gains must be finite; got an infinite gain for grade {grade.max():g} with gain='exponential'. "
                "Choose gain='linear'."
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
        """Return lists with the weights that `base` itself gives them, and the learnt weight of each list."""
        advice = "fit it on lists of these voters"
        return match_weights(self, base._prepare(lists), self.voter_weights_, advice)[:2]

    def _merge(self, lists):
        """Return the consensus, and the lists whose weights decide the order of items with equal scores."""
        base = self._base()
        lists, weight = self._weigh(base, lists)
        if (weight >= 0).all():
            # Among equals, items of more list weight come first, as with the same weights given by the user.
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
        tags.aggregator_tags.unanimity = inside.unanimity and self.positive
        tags.aggregator_tags.absent_below = inside.absent_below and self.positive
        tags.aggregator_tags.compares = inside.compares
        tags.aggregator_tags.lenient = inside.lenient
        return tags


def _gains_by_voter(base, lists):
    """Return the contributions of voters to candidates, a csr_array (n_candidates, n_found), and these voters."""
    gain, _, first = base._linear_gains(lists)
    if np.ndim(first):
        first = first[lists.list_query[lists.row_list]]
    weight = lists.row_weight
    value = gain / first if weight is None else gain * weight / first
    voters, column = np.unique(lists.list_voter, return_inverse=True)
    cells = value, (lists.candidate, column[lists.row_list])
    return csr_array(cells, shape=(lists.n_candidates, len(voters))), voters


def _signed_gains(base, lists, weight):
    """Return each row's gain beyond an absent item, and each list's gain for all items, times weights of any sign."""
    gain, given, _ = base._linear_gains(lists)
    return gain * weight[lists.row_list], None if given is None else given * weight


def _std_errors(loss, weight, positive):
    """Compute the standard errors of the weights; return NaN for weights at the bound of 0."""
    free = weight > 0 if positive else np.ones(len(weight), dtype=bool)
    errors = np.full(len(weight), np.nan)
    errors[free] = np.sqrt(np.diag(np.linalg.inv(loss.hessian(weight)[np.ix_(free, free)])))
    return errors
