"""StackedFusion: learning to rank from the ranks and scores in the voters' lists, with any scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..._data._frames import first_row, frame_of, show_id
from ..._data._types import AnyQrels
from ..._data._voter_names import find_voters, type_hint
from ..._support._memory import check_memory
from ..._support._sklearn import HasMethods, Interval, StrOptions, clone, is_classifier
from ..._support._suggestions import did_you_mean
from ...base import BaseAggregator
from ...base._supervised import SupervisedAggregator
from ...base._tags import TagsOfAggregator
from ...exceptions import InputError, InputTypeError
from ._features import FEATURES, PER_VOTER, SCORED, center_columns, consensus_scores, fill_voters, support
from ._whole_queries import fit_whole_queries, ranks_queries

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["StackedFusion"]

# Bytes for each cell of the matrix, including the copies that linear models and boosted trees make (measured).
_CELL_BYTES = 26


class StackedFusion(SupervisedAggregator):
    r"""Learn to predict the relevance of an item from its ranks in all lists, with any scikit-learn estimator.

    Each item of a query is a sample, and its features are its ranks in the lists of the voters. The estimator learns to
    predict the relevance of the item. The estimator can be a regressor, a classifier or a ranker.

    Parameters
    ----------
    estimator : estimator, default=None
        Estimator that learns; it may be the last step of a pipeline. A regressor predicts the gain of an item, and a
        classifier predicts whether an item is relevant. A ranker predicts the order within each query; its ``fit`` must
        accept `group` or `qid`. None means ``LogisticRegression(max_iter=1000)``. Set parameters of the estimator with
        names such as ``estimator__alpha``. Some estimators, such as ``RidgeCV`` and ``GridSearchCV``, have a parameter
        `cv`. Their folds then consist of whole queries. The parameter `cv` may be a number of folds, None for 5 folds,
        or a splitter of groups such as ``GroupKFold(5)``.
    features : list or tuple of str or aggregators, default=("borda", "present")
        Features of an item. Three kinds of features have a column for each voter. "present" is 1 if the voter's list
        contains the item, and 0 otherwise. "score" is the unchanged score, or NaN if the list does not contain the
        item. The name of a norm, such as "borda", selects the normalised rank or score, as in :class:`CombSUM`. Two
        kinds of features have a single column. "support" is the number of lists that contain the item. For an
        aggregator, the column contains its consensus, scaled from 0 for the last items of a query to 1 for the first
        items.
    center : bool, default=True
        Whether to subtract from each column its mean over the items of the query. This removes differences between
        queries, which do not affect the order of the items within a query.
    gain : {"exponential", "linear"}, default="exponential"
        Target of a regressor for an item of grade :math:`r`: :math:`2^r - 1` ("exponential") or :math:`r` ("linear").
        The target of a ranker is always the grade.
    unjudged : {"nonrelevant", "skip"}, default="nonrelevant"
        Treatment of items without a judgement: "nonrelevant" gives them grade 0, and "skip" leaves them out of the
        training samples.
    relevance_threshold : float, default=None
        Lowest grade of a relevant item, above 0; lower grades are treated as 0. With None every grade above 0 is
        relevant.
    unknown_voter : {"ignore", "error"}, default="ignore"
        Treatment of the lists of a voter that was not in the training lists: "ignore" does not use them, and "error"
        raises an error.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements of training queries. None if the judgements are passed to ``fit``, as ``qrels=`` or as `y` from
        :meth:`~skrankagg.Qrels.align`.

    Attributes
    ----------
    estimator_ : estimator
        The estimator, fitted.
    aggregators_ : list of estimators
        The aggregators among the features, fitted.
    voters_ : pandas.Index
        Voters of the training queries; each of these voters has columns in the matrix.
    columns_ : DataFrame
        A row for each column of the matrix that `estimator_` was fitted on, with columns `voter` and `feature`. `voter`
        is missing if the column does not belong to a voter.

    See Also
    --------
    LearnedWeights : Learns one weight for each voter from a listwise loss; fewer judgements suffice.
    skrankagg.preprocessing.VoterWeighter : Weighs voters by a measure.
    sklearn.ensemble.StackingRegressor : The same idea for regressors.

    Notes
    -----
    Let :math:`x_q(i)` be the features of item :math:`i` in query :math:`q`, and :math:`\bar{x}_q` their mean over the
    items of the query. The score is :math:`f(x_q(i) - \bar{x}_q)`. For a regressor or ranker, :math:`f` is its method
    ``predict``. For a classifier, :math:`f` is its method ``decision_function``. If a classifier does not have this
    method, :math:`f` is the probability that the item is relevant. Items with equal features tie. If a voter has no
    list for a query, the voter's columns are 0, or NaN for "score". Items absent from a list have the value that the
    norm defines for absent items. Judged queries without a relevant item among their candidates are left out of
    training, because they carry no information about the order.

    The rows of a query also stay together within the estimator. An estimator that cross-validates is fitted with folds
    of whole queries in place of its `cv`. ``RidgeCV(cv=None)`` usually leaves out single rows; here it uses five folds
    of queries. An error is raised if the rows of a query cannot stay together. This happens if another estimator passes
    only some rows to the estimator with `cv`, or if a ranker is not the last step. There is one exception: boosted
    trees hold out random rows for early stopping, regardless of queries.

    Lists cannot be weighted, because the estimator learns how much each voter's lists count. An aggregator that learns
    from judgements cannot be a feature: its consensus would be better for the training queries than for other queries.
    Make such an aggregator a voter with :class:`~skrankagg.preprocessing.AggregatorUnion`. The union ranks each
    training query with a fit on the other training queries.

    If there are :math:`p` features for each of :math:`m` voters, the matrix has :math:`m p` columns and a row for each
    item of each query. The matrix is dense and float64, and most estimators copy it. Everything except the estimator
    takes time linear in the size of the matrix.

    On LETOR's MQ2008-agg, out of sample, stacking has a MAP of 50.4 to 51.1 with linear models, and a MAP of 49.8 to
    50.0 with boosted trees. The sum of Borda points has a MAP of 47.8, and :class:`LearnedWeights` with Borda points
    has a MAP of 50.5 to 50.7. So nonlinear models are not better on these data. Centring improves a linear model by up
    to one point and changes little for trees. ``python benchmarks/metasearch.py learn-letor FOLDER`` prints these
    numbers.

    References
    ----------
    .. [1] D. Wolpert, "Stacked generalization", Neural Networks 5, 1992.
    .. [2] T.-Y. Liu, "Learning to rank for information retrieval", Foundations and Trends in Information Retrieval 3,
       2009.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skrankagg import Qrels, RankedLists, StackedFusion
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, n_voters=3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> train, test = lists[:10], lists[10:]
    >>> stacked = StackedFusion(Ridge(), features=("borda",)).fit(train, qrels.align(train))
    >>> stacked.transform(test).columns.tolist()
    ['query', 'item', 'score', 'rank']
    >>> stacked.columns_.assign(weight=stacked.estimator_.coef_.round(2))
      voter feature  weight
    0    v1   borda    3.15
    1    v2   borda    0.37
    2    v3   borda    0.41
    """

    _guide = {
        "absent": (
            'the value that the norm of the feature defines, as in `CombSUM`; `"present"`: 0; `"score"`: NaN; the '
            "effect of these values is learnt"
        ),
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": "$m n$ for each feature, plus the cost of the estimator",
    }
    _cost_terms = ("m n",)
    _tag_notes = {
        "needs_scores": "yes with features that use scores",
        "neutral": "as the aggregators among its features",
    }
    _parameter_constraints: dict = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "features": [list, tuple],
        "center": ["boolean"],
        "gain": [StrOptions({"exponential", "linear"})],
        "unjudged": [StrOptions({"nonrelevant", "skip"})],
        "relevance_threshold": [Interval(Real, 0, None, closed="neither"), None],
        "unknown_voter": [StrOptions({"ignore", "error"})],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports errors in anything else
    }
    _tags = {"voter_weights": False, "unanimity": False}
    _scores_hint = "add a column 'score', or choose features of ranks, such as 'borda' and 'present'"

    estimator_: Any
    aggregators_: list[BaseAggregator]
    voters_: pd.Index
    columns_: pd.DataFrame

    def __init__(
        self,
        estimator: Any | None = None,
        features: Sequence[str | BaseAggregator] = ("borda", "present"),
        *,
        center: bool = True,
        gain: Literal["exponential", "linear"] = "exponential",
        unjudged: Literal["nonrelevant", "skip"] = "nonrelevant",
        relevance_threshold: float | None = None,
        unknown_voter: Literal["ignore", "error"] = "ignore",
        qrels: AnyQrels | None = None,
    ):
        self.estimator = estimator
        self.features = features
        self.center = center
        self.gain = gain
        self.unjudged = unjudged
        self.relevance_threshold = relevance_threshold
        self.unknown_voter = unknown_voter
        self.qrels = qrels

    def _validate_params(self):
        super()._validate_params()
        if isinstance(self.estimator, type):
            raise InputTypeError(
                f"`estimator` must be an estimator; got the class {self.estimator.__name__}. Write "
                f"{self.estimator.__name__}()."
            )
        if not len(self.features):
            raise InputError(
                f"`features` must not be empty; got {self.features!r}. Choose among {', '.join(FEATURES)}, or give "
                "aggregators."
            )
        for feature in self.features:
            if isinstance(feature, BaseAggregator):
                if _learns(feature):
                    raise InputError(
                        f"`features` must not contain an aggregator that learns from judgements; got {feature!r}. Its "
                        "consensus would look better on the training queries than on other queries. Before this step, "
                        "put an AggregatorUnion, which adds the aggregator's consensus as a voter."
                    )
            elif not isinstance(feature, str):
                raise InputTypeError(
                    f"`features` must be names or aggregators; got {type(feature).__name__}. Choose among "
                    f"{', '.join(FEATURES)}, or give an aggregator such as BordaCount()."
                )
            elif feature not in FEATURES:
                raise InputError(
                    f"`features` must be among {', '.join(FEATURES)}, or aggregators; got "
                    f"{feature!r}{did_you_mean(feature, FEATURES)}."
                )

    def _voter_features(self):
        return [one for one in self.features if isinstance(one, str) and one in PER_VOTER]

    def _query_features(self):
        return [one for one in self.features if not (isinstance(one, str) and one in PER_VOTER)]

    # ------------------------------------------------------------------ the matrix

    def _fit_columns(self, lists):
        """Determine the columns from the training lists, and return the feature matrix of these lists."""
        voters, features, others = (
            np.unique(lists.list_voter),
            self._voter_features(),
            self._query_features(),
        )
        self.voters_ = lists.voters[voters]
        names = [*features * len(voters), *(one if isinstance(one, str) else repr(one) for one in others)]
        owner = self.voters_.repeat(len(features))
        if others:
            owner = np.array([*owner.tolist(), *[None] * len(others)], dtype=object)
        self.columns_ = frame_of({"voter": owner, "feature": names})
        self._check_size(lists)
        self.aggregators_ = [clone(one) for one in others if isinstance(one, BaseAggregator)]
        ranked = []
        for aggregator in self.aggregators_:
            prepared = aggregator._prepare(lists)
            found = aggregator._fit_lists(prepared)
            ranked.append(aggregator._rank(prepared) if found is None else found)
        return self._matrix(lists, ranked)

    def _matrix(self, lists, ranked):
        """Return the features as a matrix of shape (n_candidates, n_columns).

        `ranked` contains an EncodedConsensus for each aggregator among the features.
        """
        features, others = self._voter_features(), self._query_features()
        n_own = len(self.voters_) * len(features)
        matrix = np.zeros((lists.n_candidates, n_own + len(others)))
        if features:
            if "score" in features:
                matrix[:, features.index("score") : n_own : len(features)] = np.nan
            place = self._places(lists)
            fill_voters(matrix, lists, np.where(place >= 0, place * len(features), -1), features)
        ranked = iter(ranked)
        for column, feature in enumerate(others, start=n_own):
            matrix[:, column] = support(lists) if isinstance(feature, str) else consensus_scores(next(ranked))
        if self.center:
            center_columns(matrix, lists.candidate_ptr)
        return matrix

    def _places(self, lists):
        """Return the index of each list's voter in `voters_`, or -1 if the voter was not in the training lists."""
        place = find_voters(self.voters_, lists.voters)[lists.list_voter]
        known = place >= 0
        if known.all():
            return place
        hint = "" if known.any() else type_hint(self.voters_, lists.voters[lists.list_voter])
        if self.unknown_voter == "error":
            raise InputError(
                f"{type(self).__name__} has no columns for voter "
                f"{show_id(lists.voters, lists.list_voter[first_row(~known)])}, because it was not fitted on this "
                f"voter{hint}. Fit it with this voter, or choose unknown_voter='ignore'."
            )
        left = np.logical_or.reduceat(known, lists.list_ptr[:-1])
        if not left.all() and not self._query_features():
            raise InputError(
                f"{type(self).__name__} was not fitted on any voter of query {show_id(lists.queries, first_row(~left))}"
                f"{hint}, so the items of this query have no features. Fit it with some of these voters, or drop the "
                "query. Or add a feature that does not depend on single voters, such as 'support' or BordaCount()."
            )
        return place

    def _check_size(self, lists):
        n, p = lists.n_candidates, len(self.columns_)
        check_memory(
            float(_CELL_BYTES) * n * p,
            lambda: (
                f"{type(self).__name__}",
                f"a matrix of {n} candidates x {p} columns and copies of it",
                "fit or transform fewer queries at a time, or choose fewer features",
            ),
        )

    # ------------------------------------------------------------------ learning and scoring

    def _learn(self, lists, judged):
        grade = self._grades(judged.relevance)
        used = np.ones(len(grade), dtype=bool) if self.unjudged == "nonrelevant" else ~np.isnan(judged.relevance)
        telling = np.logical_or.reduceat(grade > 0, lists.candidate_ptr[:-1])
        if not telling.all():
            chosen = telling[lists.candidate_query]
            lists, grade, used = lists.take(np.flatnonzero(telling)), grade[chosen], used[chosen]
        matrix, query = self._fit_columns(lists), lists.candidate_query
        if not used.all():
            matrix, grade, query = matrix[used], grade[used], query[used]
        estimator = self._estimator()
        self._refuse_missing(estimator, matrix)
        if is_classifier(estimator):
            self._check_classes(estimator, grade)
            target = (grade > 0).astype(np.int64)
        else:
            target = grade if ranks_queries(estimator) else self._gains(grade)
        self.estimator_ = fit_whole_queries(estimator, matrix, target, query)

    def _estimator(self):
        if self.estimator is not None:
            return clone(self.estimator)
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(max_iter=1000)

    def _grades(self, relevance):
        """Return the grade of each candidate; a candidate that is not relevant has grade 0."""
        grade = np.where(relevance > 0, relevance, 0.0)
        if self.relevance_threshold is not None:
            grade[grade < self.relevance_threshold] = 0.0
            if not grade.any():
                raise InputError(
                    f"`relevance_threshold` must be at most the highest grade, {np.nanmax(relevance):g}; got "
                    f"{self.relevance_threshold:g}. Lower the threshold."
                )
        return grade

    def _gains(self, grade):
        if self.gain == "linear":
            return grade
        with np.errstate(over="ignore"):
            gain = np.exp2(grade) - 1
        if not np.isfinite(gain).all():
            raise InputError(
                f"gain='exponential' computes 2 ** grade - 1, which overflows for the grade {grade.max():g}. Choose "
                "gain='linear', or give smaller grades."
            )
        return gain

    def _check_classes(self, estimator, grade):
        if (grade > 0).all():
            raise InputError(
                "A classifier needs relevant and nonrelevant items, but all training samples are relevant. Add "
                "judgements of nonrelevant items, choose unjudged='nonrelevant', or choose a regressor."
            )
        if not hasattr(estimator, "decision_function") and not hasattr(estimator, "predict_proba"):
            raise InputError(
                f"A classifier as `estimator` must have a decision_function or predict_proba; got {estimator!r}. "
                "Choose another classifier, or a regressor."
            )

    def _refuse_missing(self, estimator, matrix):
        """Raise InputError if the matrix contains NaN but the estimator does not accept NaN.

        For a pipeline, the first step must accept NaN.
        """
        if "score" not in self.features or not np.isnan(matrix).any():
            return
        first = estimator.steps[0][1] if hasattr(estimator, "steps") else estimator
        if hasattr(first, "__sklearn_tags__") and not first.__sklearn_tags__().input_tags.allow_nan:
            raise InputError(
                f"The feature 'score' is NaN if a list does not contain the item, but {type(first).__name__} does not "
                "accept NaN. Replace 'score' by 'min-max' and 'present', or choose an estimator that accepts NaN, such "
                "as HistGradientBoostingRegressor. A SimpleImputer before the estimator also removes NaN."
            )

    def _aggregate(self, lists):
        self._check_size(lists)
        ranked = [aggregator._rank(aggregator._prepare(lists)) for aggregator in self.aggregators_]
        matrix, estimator = self._matrix(lists, ranked), self.estimator_
        self._refuse_missing(estimator, matrix)
        if not is_classifier(estimator):
            score = estimator.predict(matrix)
        elif hasattr(estimator, "decision_function"):
            score = estimator.decision_function(matrix)
        else:
            score = estimator.predict_proba(matrix)[:, 1]
        return np.asarray(score, dtype=np.float64).reshape(-1)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        own = tags.aggregator_tags
        features = self.features if isinstance(self.features, list | tuple) else ()
        inner = [one.__sklearn_tags__().aggregator_tags for one in features if isinstance(one, BaseAggregator)]
        own.needs_scores = any(one.needs_scores for one in inner) or any(
            isinstance(one, str) and one in SCORED for one in features
        )
        own.neutral = all(one.neutral for one in inner)
        return tags


def _learns(aggregator):
    """Return True if an aggregator, or an aggregator among its parameters, learns from judgements."""
    parts = (aggregator, *aggregator.get_params(deep=True).values())
    return any(one.__sklearn_tags__().aggregator_tags.supervised for one in parts if isinstance(one, BaseAggregator))
