"""Selector of features by a consensus: estimators fitted on folds are the voters, and features are the items."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.feature_selection import SelectorMixin
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from .._data._ranked_lists import RankedLists
from .._support._composition import Composition
from .._support._row_parts import to_table
from .._support._sklearn import N_JOBS, HasMethods, Interval, RealNotInt, Tags, check_is_fitted, clone
from ..aggregators import BordaCount
from ..exceptions import InputError, InputTypeError
from ..stats import selection_stability
from ._feature_lists import encode, list_weights, lists_frame, named_lists
from ._importances import top_places
from ._members import accepts_nan, check_aggregator, check_takes_weights, fit_and_read, of_each_name, training_parts

__all__ = ["ConsensusSelector"]

#: Name of the splitter in scikit-learn's metadata routing. An estimator must not have this name.
_SPLITTER = "cv"


class ConsensusSelector(SelectorMixin, Composition):
    """Select features by a consensus of several estimators, each fitted on several folds.

    Each estimator ranks the features once for each fold, on the fold's training part. An aggregator merges the lists,
    and the first `n_features` of the consensus are kept.

    Parameters
    ----------
    estimators : list of (str, estimator) tuples
        Models with ``coef_`` or ``feature_importances_``, selectors, and pipelines that end in a model or selector. The
        Notes list which values of an estimator are used. An estimator given as the string "drop" is left out.
    aggregator : aggregator, default=None
        Method that merges the lists, or a pipeline that ends in such a method. The method must not need judgements.
        None uses :class:`~skrankagg.aggregators.BordaCount`, which orders the features by their mean rank.
    n_features : int or float, default=None
        An int is the number of features to keep, and a float is the share of the features to keep. With a share, the
        number is rounded down, but at least one feature is kept. None keeps half of the features.
    cv : int, splitter, iterable or None, default=5
        The estimators are fitted on the training parts of these folds. An int is the number of folds. The Notes state
        when these folds are stratified. None fits each estimator once, on all rows.
    weights : mapping of str to float, or sequence of float in the order of the estimators, default=None
        Weight of each estimator's lists; estimators missing from a mapping have weight 1.
    importance_getter : str, callable or mapping of str to these, default="auto"
        Source of a fitted estimator's importances. It is a path of attributes, such as ``"named_steps.model.coef_"``,
        or a function of the estimator. A mapping contains a source for each name; missing names have "auto". The
        absolute values of the importances are used. If there is a row for each class, the absolute values are summed
        over the rows.
    n_jobs : int, default=None
        Number of jobs that fit estimators at the same time. None means 1, and -1 means the number of processors.

    Attributes
    ----------
    ranking_ : ndarray of shape (n_features,), dtype=int64
        Rank of each feature in the consensus, 1 to n, without repeats.
    scores_ : ndarray of shape (n_features,), dtype=float64
        Score of each feature in the consensus; higher is better, and NaN marks a feature that is in no list.
    support_ : ndarray of shape (n_features,), dtype=bool
        Mask of the features that are kept.
    n_features_ : int
        Number of features that are kept.
    lists_ : RankedLists
        Lists of a single query. The items are the names of the features, or the column numbers if there are no names.
        The voters are ``"name__split0"`` and so on, or ``"name"`` with ``cv=None``. The scores are the importances.
    aggregator_ : estimator
        The aggregator that was fitted on the lists.
    n_splits_ : int
        Number of folds; 1 with ``cv=None``.
    stability_ : float
        Similarity of the features that different folds select. Each fold is aggregated separately, and the sets of the
        first `n_features_` features are compared by :func:`~skrankagg.stats.selection_stability`. The value is NaN for
        a single fold, or if all features are kept.
    estimator_stability_ : dict of str to float
        For each estimator, the similarity of the features that it ranks first in different folds. The first
        `n_features_` features of each list are compared.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features; only set if all names are strings.

    See Also
    --------
    skrankagg.stats.selection_stability : Stability of the selected set over samples.
    skrankagg.RankedLists.from_matrix : Converts existing importances to ranked lists.
    sklearn.feature_selection.SelectFromModel : Selects by one model that is fitted once.
    sklearn.feature_selection.RFECV : Eliminates features by one model; cross-validation chooses the number of features.

    Notes
    -----
    Under ``importance_getter="auto"``, the first available source of a fitted estimator is read:

    ==========================  ===========================================================
    estimator                   source
    ==========================  ===========================================================
    a pipeline                  source of its last step, for the features that earlier steps keep
    RFE and similar             ``ranking_``, where 1 is the best rank; all selected features tie
    SelectFromModel             the importances of its model
    other selectors             ``scores_``, higher is better
    selectors without scores    ``get_support()``; the selected features tie, and the other features tie
    a model                     ``coef_``, else ``feature_importances_``
    a meta-estimator            source of its fitted estimator, such as ``best_estimator_``
    ==========================  ===========================================================

    Coefficients can be compared only if the features have the same scale. Put a StandardScaler before a linear model,
    as in ``make_pipeline(StandardScaler(), LogisticRegression())``.

    A feature whose score is NaN, such as a constant feature in an F-test, is absent from the list. A feature that a
    step of a pipeline leaves out is also absent. Most aggregators rank absent features below all features of the list
    and tie them with each other. An infinite score is the best score. In ``lists_`` the largest finite score replaces
    it. A feature that is in no list comes last. Features with equal consensus scores are ordered by the weight of the
    lists that contain them, then by column. If only some of these features are among the first `n_features`, this order
    decides which features are kept.

    If `cv` is an int, the rows are not shuffled, and the folds are stratified in two cases. In the first case, at least
    one estimator is a classifier or is built on a classifier. In the second case, no estimator is a regressor, `y` is
    discrete, and each value of `y` occurs in at least as many rows as there are folds.

    Any two folds share most of their training rows. Stability is therefore higher over folds than over new samples. To
    compare selectors, use a splitter whose training parts share fewer rows, such as
    ``StratifiedShuffleSplit(50, train_size=0.5)``. To measure the stability of the complete selection, fit the selector
    once on each of several outer folds. In an estimator's list, the place `n_features_` may be in the middle of a group
    of tied features. Such a group counts as selected only if it is the first group of the list.

    To compute `stability_`, the aggregator is called a second time, with each fold as a separate query.

    Without metadata routing, ``fit`` accepts ``sample_weight`` and ``groups``. It passes ``sample_weight`` to every
    estimator and ``groups`` to the splitter. With metadata routing, ``fit`` accepts the metadata that estimators and
    splitter request. Sparse matrices and NaN are accepted if all estimators accept them. A pipeline accepts NaN if its
    first step does. The fitted estimators are not kept.

    The selection uses `y`. Make the selector a step of the pipeline that is cross-validated; do not select features
    before the cross-validation. A search over `n_features` fits all estimators again for each value.

    References
    ----------
    .. [1] Y. Saeys, T. Abeel and Y. Van de Peer, "Robust feature selection using ensemble feature selection
       techniques", ECML PKDD 2008.
    .. [2] V. Bolón-Canedo and A. Alonso-Betanzos, "Ensembles for feature selection: a review and future trends",
       Information Fusion 52, 2019.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skrankagg.feature_selection import ConsensusSelector
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ConsensusSelector([
    ...     ("anova", SelectKBest(k="all")),
    ...     ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
    ...     ("forest", RandomForestClassifier(n_estimators=20, random_state=0)),
    ... ]).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.ranking_, selector.stability_
    (array([3, 4, 2, 1]), 1.0)
    >>> selector.lists_
    RankedLists(n_queries=1, n_voters=15, n_items=4, n_lists=15, n_rows=60, ranks and scores)
    """

    _members_name = "estimators"

    _parameter_constraints: dict = {
        "estimators": [list],
        "aggregator": [HasMethods(["fit_transform"]), None],
        "n_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right"), None],
        "cv": ["cv_object"],
        "weights": [Mapping, "array-like", None],
        "importance_getter": [str, callable, Mapping],
        "n_jobs": N_JOBS,
    }

    ranking_: NDArray[np.int64]
    scores_: NDArray[np.float64]
    support_: NDArray[np.bool_]
    n_features_: int
    lists_: RankedLists
    aggregator_: Any
    n_splits_: int
    stability_: float
    estimator_stability_: dict[str, float]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        estimators: list[tuple[str, Any]],
        *,
        aggregator: Any = None,
        n_features: int | float | None = None,
        cv: Any = 5,
        weights: Mapping[str, float] | Sequence[float] | None = None,
        importance_getter: str | Callable[[Any], Any] | Mapping[str, Any] = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimators = estimators
        self.aggregator = aggregator
        self.n_features = n_features
        self.cv = cv
        self.weights = weights
        self.importance_getter = importance_getter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Rank the features by each estimator on each fold, and merge the lists.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            Features, passed to the estimators unchanged.
        y : array-like of shape (n_samples,), default=None
            Target, if the estimators need a target.
        **params : dict
            ``sample_weight`` and ``groups``, or, with metadata routing, the metadata that estimators and splitter
            request.

        Returns
        -------
        self : object
            The selector itself.

        Raises
        ------
        TypeError
            If an estimator has no ``fit``.
        ValueError
            If a parameter contradicts other parameters or the data, if an estimator has no importances, or if the
            aggregator needs judgements.
        """
        self._validate_params()
        members = self._members()
        aggregator = BordaCount() if self.aggregator is None else clone(self.aggregator)
        check_aggregator(aggregator)
        X, y = indexable(to_table(X), y)
        if len(X.shape) != 2:
            raise InputError(
                f"{type(self).__name__} expects a table with a row for each sample and a column for each feature; got "
                f"an array of {len(X.shape)} dimension(s). Reshape the array."
            )
        validate_data(self, X, y, skip_check_array=True)
        n_top = self._n_to_keep(X.shape[1])
        found = self._fit_members(members, X, y, params)
        weights = list_weights(self.weights, [name for name, _ in self.estimators])
        frame = lists_frame(found, {name: weights[name] for name, _ in members}, by_split=self.cv is not None)
        consensus = aggregator.fit_transform(encode(frame))
        item = np.asarray(consensus["item"], dtype=np.int64)
        self.ranking_ = np.empty(X.shape[1], dtype=np.int64)
        order = np.concatenate([item, np.setdiff1d(np.arange(X.shape[1]), item)])
        self.ranking_[order] = np.arange(1, X.shape[1] + 1)
        self.scores_ = np.full(X.shape[1], np.nan)
        self.scores_[item] = np.asarray(consensus["score"], dtype=np.float64)
        self.support_ = self.ranking_ <= n_top
        self.n_features_ = n_top
        self.aggregator_, self.n_splits_ = aggregator, len(found)
        self.lists_ = named_lists(frame, getattr(self, "feature_names_in_", None))
        self.estimator_stability_ = {
            name: _stability(np.array([top_places(value, n_top) for value in found[:, k]]))
            for k, (name, _) in enumerate(members)
        }
        self.stability_ = self._consensus_stability(frame, clone(aggregator))
        return self

    # ------------------------------------------------------------------ parameters

    def _members(self):
        given = self.estimators
        if not given or not all(
            isinstance(member, tuple) and len(member) == 2 and isinstance(member[0], str) for member in given
        ):
            raise InputError(
                "`estimators` must be a list of (name, estimator) tuples with at least one estimator, such as "
                f"[('anova', SelectKBest()), ('forest', RandomForestClassifier())]; got {given!r}."
            )
        names = [name for name, _ in given]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise InputError(
                f"Names in `estimators` must be unique; got {twice!r} more than once. Rename an estimator."
            )
        self._validate_names(names)
        for name, estimator in given:
            if isinstance(estimator, type) or (not hasattr(estimator, "fit") and estimator != "drop"):
                raise InputTypeError(
                    f"`estimators` must be models or selectors with fit, or 'drop'; {name!r} is {estimator!r}."
                )
        members = [(name, estimator) for name, estimator in given if not isinstance(estimator, str)]
        if not members:
            raise InputError("`estimators` must contain at least one estimator; all of them are 'drop'.")
        return members

    def _n_to_keep(self, n_columns):
        if self.n_features is None:
            return max(n_columns // 2, 1)
        if not isinstance(self.n_features, Integral):
            return max(int(n_columns * self.n_features), 1)
        if self.n_features > n_columns > 0:
            raise InputError(
                f"`n_features` must be at most the number of features, {n_columns}; got {self.n_features}. Choose "
                "fewer features, or give a share, such as 0.5."
            )
        return int(self.n_features)

    # ------------------------------------------------------------------ fitting

    def _fit_members(self, members, X, y, params):
        """Fit each estimator on each fold, and return the importances of the features.

        The result is an array of shape (n_splits, n_estimators, n_features).
        """
        names = [name for name, _ in self.estimators]
        getters = of_each_name(self.importance_getter, names, "auto", "importance_getter")
        fit_params, split_params = self._route(members, params)
        parts = training_parts(self.cv, X, y, [estimator for _, estimator in members], split_params)
        found = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_and_read)(name, estimator, X, y, rows, fit_params[name], getters[name], split)
            for split, rows in enumerate(parts)
            for name, estimator in members
        )
        return np.array(found).reshape(len(parts), len(members), X.shape[1])

    def _route(self, members, params):
        """Return a dict that maps estimator names to fit parameters, and a dict of the splitter's parameters."""
        names = [name for name, _ in members]
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **params)
            return {name: routed[name].fit for name in names}, routed[_SPLITTER].split if self._splits() else {}
        unknown = sorted({*params} - {"sample_weight", "groups"})
        if unknown:
            raise InputError(
                f"fit accepts sample_weight and groups; got {', '.join(unknown)}. To pass more to the estimators, "
                "enable metadata routing with sklearn.set_config(enable_metadata_routing=True)."
            )
        given = {name: value for name, value in params.items() if value is not None}
        if "sample_weight" in given:
            for name, estimator in members:
                check_takes_weights(name, estimator)
        if "groups" in given and self.cv is None:
            raise InputError(
                "`groups` must be None if cv=None, because only a splitter uses groups. Leave out groups, or choose "
                "cv=GroupKFold()."
            )
        groups = given.pop("groups", None)
        return dict.fromkeys(names, given), {} if groups is None else {"groups": groups}

    def _consensus_stability(self, frame, aggregator):
        """Measure how similar the selected features are from fold to fold.

        Each fold is aggregated as a separate query.
        """
        if self.n_splits_ < 2 or self.n_features_ == self.n_features_in_:
            return np.nan
        consensus = aggregator.fit_transform(encode(frame.assign(query=frame["split"])))
        query, item, rank = (np.asarray(consensus[name]) for name in ("query", "item", "rank"))
        held = np.zeros((self.n_splits_, self.n_features_in_), dtype=bool)
        top = rank <= self.n_features_
        held[query[top], item[top]] = True
        return _stability(held)

    # ------------------------------------------------------------------ scikit-learn

    def _get_support_mask(self):
        check_is_fitted(self)
        return self.support_

    def _splits(self):
        """Return True if `cv` can request metadata: it is a number of folds or a splitter, not an iterable of folds."""
        return self.cv is not None and (isinstance(self.cv, Integral) or hasattr(self.cv, "split"))

    def get_metadata_routing(self) -> Any:
        """Return the rules by which metadata are routed to the estimators and to the splitter.

        Returns
        -------
        MetadataRouter
            The router, for scikit-learn.
        """
        router = MetadataRouter(owner=self)
        # Pipelines of scikit-learn 1.8 look up the routing of fit_transform, which calls fit.
        to_fit = MethodMapping().add(caller="fit", callee="fit").add(caller="fit_transform", callee="fit")
        to_split = MethodMapping().add(caller="fit", callee="split").add(caller="fit_transform", callee="split")
        for name, estimator in self.estimators:
            if not isinstance(estimator, str):
                router.add(**{name: estimator}, method_mapping=to_fit)
        if self._splits():
            router.add(**{_SPLITTER: check_cv(self.cv)}, method_mapping=to_split)
        return router

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        try:
            inside = [get_tags(estimator) for _, estimator in self.estimators if not isinstance(estimator, str)]
        except (TypeError, ValueError, AttributeError):  # fit reports invalid estimators
            inside = []
        if inside:
            tags.input_tags.allow_nan = all(accepts_nan(one) for _, one in self.estimators if not isinstance(one, str))
            tags.input_tags.sparse = all(one.input_tags.sparse for one in inside)
            tags.input_tags.positive_only = any(one.input_tags.positive_only for one in inside)
            tags.target_tags.required = any(one.target_tags.required for one in inside)
            tags.non_deterministic = any(one.non_deterministic for one in inside)
        return tags


def _stability(held):
    """Return the stability index of Nogueira and others, or NaN if the index is not defined.

    `held`, of shape (n_splits, n_features), is a mask of the features that each fold selects.
    """
    if len(held) < 2 or held.all() or not held.any():
        return np.nan
    return selection_stability(held).stability
