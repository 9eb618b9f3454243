"""Transformer that weights the lists of each voter."""

from numbers import Real
from typing import Any, Literal

import numpy as np
import pandas as pd

from .._data._frames import first_row
from .._data._types import AnyQrels
from .._support._sklearn import Interval, StrOptions, check_is_fitted
from .._support._warn import warn_user
from ..base._weighted import match_weights
from ..exceptions import InputError
from ._voter_values import BY, VoterValuer, voter_scores

__all__ = ["VoterWeighter"]


class VoterWeighter(VoterValuer):
    r"""Weight the lists of each voter by the quality of the voter on judged queries.

    Put this step before a method in a pipeline. The method must accept weights of lists.

    Parameters
    ----------
    by : str, Measure, callable, estimator, mapping or pandas.Series, default="map"
        Source of a value for each voter, as in :class:`VoterSelector`. A measure is averaged over the judged queries
        for which the voter has a list; higher values must be better. An estimator must learn voter weights, and a
        mapping contains a number for each voter.
    power : float, default=1.0
        Exponent of at least 0. The weight is the value raised to this power. With 0 all weights are equal. Powers above
        1 increase the influence of the best voters.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        How to treat a voter that was not in ``fit``. "mean" uses the mean of the other weights, "ignore" gives the
        voter no weight, and "error" raises an error.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries, which a measure needs. None if the judgements are passed to ``fit``, as
        ``qrels=`` or as `y` from :meth:`~skrankagg.Qrels.align`.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter` and `weight`. If `by` is a measure, there is also `n_queries`, the number of queries from which
        the value was computed.

    Warns
    -----
    UserWarning
        If all values are 0. All voters then have weight 1.
    UnknownVoterWarning
        If no voter of the lists has a value, or a mapping `by` seems to misspell a voter.

    See Also
    --------
    VoterSelector : Keeps the best voters.
    skrankagg.aggregators.LearnedWeights : Learns the weights of all voters together, but needs more judgements.

    Notes
    -----
    The weight of a voter's lists is multiplied by :math:`m^p`, where :math:`m` is the voter's value and :math:`p` is
    the power. A pipeline of this step and ``ReciprocalRankFusion(k=0)`` is called MAPFuse [1]_. With
    :class:`~skrankagg.aggregators.BordaCount` the pipeline is called weighted Borda fuse, and with
    :class:`~skrankagg.aggregators.Condorcet` weighted Condorcet fuse. With :class:`~skrankagg.aggregators.CombMNZ` it
    is called weighted CombMNZ. Powers of 2 to 4 have been proposed [2]_. If several voters have nearly equal lists,
    each of these voters still has its full weight.

    References
    ----------
    .. [1] D. Lillis, F. Toolan, R. Collier and J. Dunnion, "Estimating probabilities for effective data fusion", SIGIR
       2010.
    .. [2] S. Wu, Y. Bi, X. Zeng and L. Han, "Assigning appropriate weights for the linear combination data fusion
       method in information retrieval", Information Processing & Management 45, 2009.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg import Qrels, RankedLists, ReciprocalRankFusion
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.preprocessing import VoterWeighter
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:10], lists[10:]
    >>> mapfuse = make_pipeline(VoterWeighter("map"), ReciprocalRankFusion(k=0))
    >>> mapfuse.fit(train, qrels.align(train))[0].voter_weights_.round(3)
      voter  weight  n_queries
    0    v1   0.973         10
    1    v2   0.454         10
    2    v3   0.638         10
    >>> mapfuse.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    """

    _parameter_constraints: dict = {
        "by": BY,
        "power": [Interval(Real, 0, None, closed="left")],
        "unknown_voter": [StrOptions({"mean", "ignore", "error"})],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports what is wrong with anything else
    }

    voter_weights_: pd.DataFrame

    def __init__(
        self,
        by: Any = "map",
        *,
        power: float = 1.0,
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        qrels: AnyQrels | None = None,
    ) -> None:
        self.by = by
        self.power = power
        self.unknown_voter = unknown_voter
        self.qrels = qrels

    def _fit_judged(self, lists, qrels):
        value, n_queries = voter_scores(self, lists, qrels)
        bad = ~(np.isfinite(value) & (value >= 0)).to_numpy()
        if bad.any():
            raise InputError(
                f"Values of voters must be finite and at least 0 to become weights; got "
                f"{value.iloc[first_row(bad)]:g} for {value.index[first_row(bad)]!r}. Choose another measure, or give "
                "each voter a number."
            )
        weight = value.to_numpy() ** self.power
        if not weight.any():
            warn_user(
                f"{type(self).__name__} gives all voters weight 1, because all their values are 0. Check the "
                "judgements, or give more queries.",
                UserWarning,
            )
            weight = np.ones(len(weight))
        self.voter_weights_ = pd.DataFrame({"voter": value.index, "weight": weight})
        if n_queries is not None:
            self.voter_weights_["n_queries"] = n_queries.to_numpy()

    def _transform_lists(self, lists):
        check_is_fitted(self, "voter_weights_")
        lists, weight, _ = match_weights(self, lists, self.voter_weights_, "fit it on lists of these voters")
        return lists.with_list_weight(lists.list_weight * weight)
