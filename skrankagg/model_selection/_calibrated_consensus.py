"""CalibratedConsensus: a probability of relevance for each item of a consensus."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.model_selection import BaseCrossValidator

from .._data._types import AnyQrels
from .._support._sklearn import Interval, StrOptions
from ..exceptions import InputError
from ..metrics._judging._consensus_rows import keep_rows
from ._judged_consensus import JudgedConsensus

if TYPE_CHECKING:
    from sklearn.isotonic import IsotonicRegression
    from sklearn.pipeline import Pipeline

__all__ = ["CalibratedConsensus"]

#: From this number of judged queries on, method="auto" chooses isotonic regression.
MANY_QUERIES = 100

# The inverse penalty of the sigmoid, which makes the penalty negligible for standardised features.
_NEARLY_FREE = 1e6


class CalibratedConsensus(JudgedConsensus):
    r"""Learn from judged queries how probably an item is relevant, and add this probability to a consensus.

    The scores of a consensus order the items of one query. They are not probabilities, and the scores of different
    queries may have different scales. This estimator learns how often items with a similar score or rank were relevant
    in the judged queries.

    The probabilities are right on average over many queries: 30 % of all items with a probability of 0.3 are relevant.
    They may be wrong for a single query, because the lists do not show how many relevant items the query has. In one
    query, all items with a probability of 0.3 may be relevant, and in another query none. For the same reason, a
    minimum probability cuts the rankings at the right depth only on average.

    Parameters
    ----------
    aggregator : estimator
        The method whose consensus is calibrated: an aggregator, or a pipeline or search that ends in one. Set the
        parameters of the method with names such as ``aggregator__k``.
    method : {"auto", "sigmoid", "isotonic"}, default="auto"
        Form of the probability as a function of the feature. "sigmoid" fits a logistic curve. "isotonic" fits an
        increasing function of any shape [2]_. "auto" uses the sigmoid below 100 judged queries, and isotonic regression
        from 100 on.
    feature : {"min-max", "rank", "score", "all"}, default="min-max"
        Number that determines the probability. "min-max" is the score, scaled from 0 for the last items of the
        query to 1 for the first items. "rank" is the logarithm of the rank. "score" is the score itself; it is suitable
        only if the scores of all queries have the same scale. "all" is a logistic regression of seven numbers, listed
        in the notes. With "all" an item may have a higher probability than an item above it.
    min_probability : float, default=None
        Items with a lower probability are left out of the result. A query may then have no items. None keeps all items.
    cv : int, splitter or iterable, default=5
        Folds of whole queries, as in :func:`cross_val_consensus`. Isotonic regression is fitted to each fold, and the
        probabilities are averaged. If the aggregator learns from judgements, the consensus of each judged query comes
        from a fit on the other folds. The number of folds is at most the number of queries with relevant items.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries. None if the judgements are passed to ``fit``, as ``qrels=`` or as `y` from
        :meth:`~skrankagg.Qrels.align`.

    Attributes
    ----------
    aggregator_ : estimator
        The method, fitted on all queries.
    calibrators_ : list of estimators
        The ``IsotonicRegression`` of each fold, or a single pipeline that ends in a ``LogisticRegression``.
    method_ : {"sigmoid", "isotonic"}
        The form that was used.
    n_queries_ : int
        Number of judged queries.
    n_relevant_ : int
        Number of relevant items in the consensus of the judged queries.

    See Also
    --------
    TopSet : Returns the first items, so that a relevant item is among them with a given confidence.
    skrankagg.plotting.ReliabilityDisplay : Compares the probabilities with the shares of relevant items.
    sklearn.calibration.CalibratedClassifierCV : Calibrates the probabilities of classifiers.

    Notes
    -----
    The samples are the items of all judged queries. An item counts as relevant if its grade is above 0. An item
    without a judgement counts as not relevant, so the result is the probability that an item is judged relevant.
    Queries without a relevant item are used, too. All samples have the same weight, so queries with many items weigh
    more.

    The seven features of ``"all"`` describe the score, the rank and the lists. The score gives three features: the
    score itself, the score scaled as with "min-max", and the z-score within the query. The rank gives two features: its
    logarithm, and the rank divided by the number of items. The last two features are the share of the lists that
    contain the item, and the logarithm of the number of items.

    There is an isotonic regression for each fold. The mean of these regressions changes in smaller steps than a single
    regression. Scikit-learn's ``CalibratedClassifierCV`` computes the same mean from the same scores and folds. A
    sigmoid is fitted only once, not for each fold.

    The sigmoid is fitted to the targets of Platt [1]_. With r relevant and s other samples, the target of a relevant
    sample is :math:`(r + 1)/(r + 2)`, and the target of any other sample is :math:`1/(s + 2)`. Tied items have the same
    probability, except with ``"all"`` if different numbers of lists contain them.

    If few items are relevant, as in lists of a thousand documents, evaluate the probabilities of the first items only.
    Over all items, any method that gives nearly every item a probability near 0 has a small error. On such lists the
    sigmoid is wrong by .1 and more for the first ten items, while isotonic regression is not. The
    [page about probabilities](../../user_guide/probabilities.md) has these numbers, and numbers for few judged queries.

    References
    ----------
    .. [1] J. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized likelihood
       methods", Advances in Large Margin Classifiers, 1999.
    .. [2] B. Zadrozny and C. Elkan, "Transforming classifier scores into accurate multiclass probability estimates",
       KDD 2002.

    Examples
    --------
    >>> from skrankagg import Qrels, RankedLists, ReciprocalRankFusion
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.model_selection import CalibratedConsensus
    >>> lists, qrels, _ = make_ranked_lists(n_queries=60, quality=0.3, random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> calibrated = CalibratedConsensus(ReciprocalRankFusion()).fit(lists[:50], qrels)
    >>> calibrated.transform(lists[50:]).columns.tolist()
    ['query', 'item', 'score', 'rank', 'probability']
    >>> calibrated.method_, calibrated.n_queries_
    ('sigmoid', 50)
    >>> likely = calibrated.set_params(min_probability=0.8).transform(lists[50:])
    >>> len(likely) < lists[50:].n_candidates
    True
    """

    _parameter_constraints: dict = {
        **JudgedConsensus._parameter_constraints,
        "method": [StrOptions({"auto", "sigmoid", "isotonic"})],
        "feature": [StrOptions({"min-max", "rank", "score", "all"})],
        "min_probability": [Interval(Real, 0, 1, closed="both"), None],
    }

    calibrators_: list[IsotonicRegression | Pipeline]
    method_: str
    n_queries_: int
    n_relevant_: int

    def __init__(
        self,
        aggregator: Any,
        *,
        method: Literal["auto", "sigmoid", "isotonic"] = "auto",
        feature: Literal["min-max", "rank", "score", "all"] = "min-max",
        min_probability: float | None = None,
        cv: int | BaseCrossValidator | Iterable[Any] = 5,
        qrels: AnyQrels | None = None,
    ) -> None:
        self.aggregator = aggregator
        self.method = method
        self.feature = feature
        self.min_probability = min_probability
        self.cv = cv
        self.qrels = qrels

    def _validate_params(self):
        super()._validate_params()
        if self.feature == "all" and self.method == "isotonic":
            raise InputError(
                "`method` must be 'auto' or 'sigmoid' if feature='all', because isotonic regression needs a single "
                "feature; got 'isotonic'. Choose another method, or feature='min-max'."
            )

    def _learn(self, rows, relevant, folds):
        n_queries = rows.n_queries
        self.n_queries_, self.n_relevant_ = n_queries, int(relevant.sum())
        self.method_ = self.method
        if self.method == "auto":
            self.method_ = "sigmoid" if n_queries < MANY_QUERIES or self.feature == "all" else "isotonic"
        X = self._features(rows)
        if self.method_ == "isotonic":
            from sklearn.isotonic import IsotonicRegression

            members = [np.isin(rows.query, test) for _, test in folds()]
            self.calibrators_ = [
                IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(X[own], relevant[own])
                for own in members
                if own.any()
            ]
        else:
            self.calibrators_ = [_fit_sigmoid(X, relevant, 1.0 if self.feature == "all" else _NEARLY_FREE)]

    def _features(self, rows):
        """Return the features of each item of a consensus, as an array of shape (n_rows, n_features).

        The parameter `feature` of the estimator determines the features, such as the score. Higher values suggest
        relevance. `rows` contains a row for each item.
        """
        if self.feature == "min-max":
            columns = [rows.min_max()]
        elif self.feature == "rank":
            columns = [-np.log(rows.mid_rank())]
        elif self.feature == "score":
            columns = [rows.score]
        else:
            rank, n = rows.mid_rank(), rows.n_rows()
            columns = [
                *(rows.score, rows.min_max(), rows.z_score()),
                *(-np.log(rank), -rank / n, rows.list_share(), np.log(n)),
            ]
        if self.feature in ("score", "all") and not np.isfinite(rows.frame["score"].to_numpy()).all():
            raise InputError(
                f"`feature` must be 'min-max' or 'rank' if some score of the consensus is infinite; got "
                f"{self.feature!r}. Choose feature='min-max'."
            )
        return np.stack(columns, axis=1)

    def _add(self, rows):
        X = self._features(rows)
        if self.method_ == "isotonic":
            probability = np.mean([calibrator.predict(X) for calibrator in self.calibrators_], axis=0)
        else:
            probability = self.calibrators_[0].predict_proba(X)[:, 1]
        frame = rows.frame.assign(probability=probability)
        return frame if self.min_probability is None else keep_rows(rows, probability >= self.min_probability, frame)


def _fit_sigmoid(X, relevant, C):
    """Fit a logistic regression of relevance on the features `X`, and return it with its scaler as a pipeline.

    Platt's targets, which are probabilities, replace the labels 1 (relevant) and 0. A row of `X` with the target t is
    used twice: as relevant with weight t, and as not relevant with weight 1 - t.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    n_relevant = relevant.sum()
    target = np.where(relevant, (n_relevant + 1) / (n_relevant + 2), 1 / (len(relevant) - n_relevant + 2))
    pipeline = make_pipeline(StandardScaler(), LogisticRegression(C=C, max_iter=1000))
    return pipeline.fit(
        np.concatenate([X, X]),
        np.repeat([True, False], len(X)),
        logisticregression__sample_weight=np.concatenate([target, 1 - target]),
    )
