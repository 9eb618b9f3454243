"""ConsensusSelector: consensus by hand, folds, ties, weights, scikit-learn's checks, searches and errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    VarianceThreshold,
    f_classif,
    f_regression,
    mutual_info_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import parametrize_with_checks

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Copeland,
    LearnedWeights,
    RankStatistic,
    ReciprocalRankFusion,
)
from skrankagg.feature_selection import ConsensusSelector
from skrankagg.feature_selection._feature_lists import lists_frame, named_lists
from skrankagg.preprocessing import TopK, VoterWeighter
from skrankagg.stats import selection_stability
from skrankagg.utils.discovery import default_methods

X, Y = make_classification(120, 10, n_informative=4, n_redundant=2, shuffle=False, class_sep=0.6, random_state=3)
LOGISTIC = make_pipeline(StandardScaler(), LogisticRegression())
ANOVA = SelectKBest(k="all")
TREE = DecisionTreeClassifier(max_depth=4, random_state=0)
MEMBERS = [("anova", ANOVA), ("logistic", LOGISTIC), ("tree", TREE)]


class Given(BaseEstimator):
    """A model whose importances are given."""

    def __init__(self, importances):
        self.importances = importances

    def fit(self, X, y=None):
        self.feature_importances_ = np.array(self.importances, dtype=float)
        return self


class Scored(Given):
    """A selector whose scores are given, of any sign."""

    def fit(self, X, y=None):
        self.scores_ = np.array(self.importances, dtype=float)
        return self

    def get_support(self):
        raise NotImplementedError


def given(*importances, kind=Scored, **params):
    members = [(f"v{k}", kind(one)) for k, one in enumerate(importances)]
    return ConsensusSelector(members, **{"cv": None, **params}).fit(np.zeros((6, len(importances[0]))))


@pytest.mark.sampled(6)
@parametrize_with_checks(
    [
        ConsensusSelector([("anova", ANOVA), ("tree", TREE)]),
        ConsensusSelector([("logistic", LOGISTIC), ("rfe", RFE(LogisticRegression()))], cv=2, aggregator=Copeland()),
        ConsensusSelector([("ridge", Ridge()), ("lasso", SelectFromModel(Lasso(alpha=0.01)))], cv=None),
        ConsensusSelector([("variance", VarianceThreshold())], cv=2, n_features=0.3),
        ConsensusSelector([("imputed", make_pipeline(SimpleImputer(), StandardScaler(), Ridge()))], cv=3),
    ]
)
def test_consensus_selector_passes_scikit_learns_checks(estimator, check):
    check(estimator)


# ---------------------------------------------------------------------- the consensus


def importances_by_hand(X, y, cv):
    """Yield the importances of each fold and estimator from the estimators themselves."""
    for train, _ in cv.split(X, y):
        yield f_classif(X[train], y[train])[0]
        yield np.abs(clone(LOGISTIC).fit(X[train], y[train])[-1].coef_).sum(axis=0)
        yield clone(TREE).fit(X[train], y[train]).feature_importances_


def test_consensus_selector_ranks_by_the_mean_rank_by_default():
    selector = ConsensusSelector(MEMBERS, n_features=4).fit(X, Y)
    importances = np.array(list(importances_by_hand(X, Y, StratifiedKFold(5))))
    mean_rank = rankdata(-importances, axis=1).mean(axis=0)
    order = np.lexsort((np.arange(10), mean_rank.round(9)))
    assert selector.ranking_[order].tolist() == list(range(1, 11))
    assert_allclose(selector.scores_, 15 * (11 - mean_rank))
    assert np.flatnonzero(selector.support_).tolist() == sorted(order[:4])
    assert selector.get_support(indices=True).tolist() == sorted(order[:4])
    assert (selector.n_features_, selector.n_splits_, selector.n_features_in_) == (4, 5, 10)
    lists = selector.lists_.to_frame()
    assert lists["voter"].unique().tolist() == sorted(f"{name}__split{k}" for name, _ in MEMBERS for k in range(5))
    table = lists.pivot_table(index="voter", columns="item", values="score")
    assert_allclose(table.loc["tree__split3"], importances[11])
    assert_allclose(selector.transform(X), X[:, selector.support_])
    assert set(lists["query"]) == {"features"}


def test_consensus_selector_stability_is_that_of_the_selections_by_fold():
    selector = ConsensusSelector(MEMBERS, n_features=4).fit(X, Y)
    importances = np.array(list(importances_by_hand(X, Y, StratifiedKFold(5)))).reshape(5, 3, 10)
    rank = rankdata(-importances, axis=2)
    of_folds = [set(np.lexsort((np.arange(10), one.mean(axis=0).round(9)))[:4]) for one in rank]
    assert selector.stability_ == selection_stability(of_folds, n_items=10).stability
    for k, (name, _) in enumerate(MEMBERS):
        sets = [set(np.argsort(one[k])[:4]) for one in rank]
        assert selector.estimator_stability_[name] == selection_stability(sets, n_items=10).stability
    assert np.isnan(ConsensusSelector(MEMBERS, n_features=10).fit(X, Y).stability_)
    alone = ConsensusSelector(MEMBERS, cv=None).fit(X, Y)
    assert np.isnan([alone.stability_, *alone.estimator_stability_.values()]).all()


def test_consensus_selector_breaks_ties_by_column():
    assert given([1, 2, 2, 2], [1, 2, 2, 2], n_features=2).support_.tolist() == [False, True, True, False]
    # Eleven columns: their numbers are compared as numbers, also where they have names.
    table = pd.DataFrame(np.zeros((6, 12)), columns=[f"x{k}" for k in range(11, -1, -1)])
    selector = ConsensusSelector([("v", Given([1] * 12))], cv=None, n_features=3).fit(table)
    assert selector.get_feature_names_out().tolist() == ["x11", "x10", "x9"]
    assert selector.ranking_.tolist() == list(range(1, 13))


def test_consensus_selector_ranks_nan_and_unlisted_features_last():
    nan = np.nan
    selector = given([nan, 5, nan, -1], [nan, 1, nan, 3], n_features=3)
    assert selector.ranking_.tolist() == [3, 1, 4, 2]
    assert np.isnan(selector.scores_).tolist() == [True, False, True, False]
    assert selector.lists_.n_rows == 4 and selector.support_.tolist() == [True, True, False, True]
    # In one list only, an absent feature ties with others of the kind, below the list's own.
    assert given([nan, 5, 4, nan], [1, 2, 3, 4]).ranking_.tolist() == [4, 1, 2, 3]


def test_consensus_selector_ranks_a_constant_feature_last_with_an_f_test():
    table = np.column_stack([np.ones(len(X)), X])
    with pytest.warns((UserWarning, RuntimeWarning)):
        selector = ConsensusSelector([("anova", ANOVA)]).fit(table, Y)
    assert selector.ranking_[0] == 11 and selector.lists_.n_items == 10


def test_consensus_selector_makes_infinite_scores_finite_and_keeps_their_rank():
    inf = np.inf
    selector = given([inf, 5, -inf, -1], [3, 4, 1, 2], aggregator=CombSUM())
    assert selector.scores_.tolist() == pytest.approx([1 + 2 / 3, 2, 0, 1 / 3])
    lists = selector.lists_.to_frame().query("voter == 'v0'")
    assert lists["item"].tolist() == [0, 1, 3, 2] and lists["score"].tolist() == [5, 5, -1, -1]
    assert lists["rank"].tolist() == [1, 2, 3, 4]
    assert given([inf, -inf, inf], n_features=1).ranking_.tolist() == [1, 3, 2]


@pytest.mark.sampled(19)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
@pytest.mark.parametrize("aggregator", [method for _, method in default_methods()], ids=repr)
def test_consensus_selector_accepts_every_default_method(aggregator):
    lists = [9, 8, 7, 6, 5, 4], [9, 7, 8, 6, 5, 4], [9, 8, 6, 7, 4, 5]
    selector = given(*lists, aggregator=aggregator, n_features=2)
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5, 6] and selector.support_.sum() == 2
    assert repr(selector.aggregator_) == repr(aggregator) and selector.aggregator is aggregator


def test_consensus_selector_accepts_a_pipeline_and_ranks_cut_features_last():
    selector = given([4, 3, 2, 1], [3, 4, 1, 2], aggregator=make_pipeline(TopK(1), ReciprocalRankFusion()))
    assert (
        selector.ranking_.tolist() == [1, 2, 3, 4] and np.isnan(selector.scores_).tolist() == [False] * 2 + [True] * 2
    )


def test_consensus_selector_lists_can_be_aggregated_by_other_methods():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selector = ConsensusSelector(MEMBERS[:1], n_features=3).fit(X, y)
    order = X.columns[np.argsort(selector.ranking_)].tolist()
    assert BordaCount().fit_transform(selector.lists_)["item"].tolist()[:3] == order[:3]
    assert sorted(Copeland().fit_transform(selector.lists_)["item"]) == sorted(X.columns)


def test_consensus_selector_accepts_similar_or_repeated_feature_names():
    table = pd.DataFrame(np.zeros((6, 3)), columns=["a", "A", "a "])
    selector = ConsensusSelector([("v", Given([1, 2, 3]))], cv=None).fit(table)
    assert selector.lists_.to_frame()["item"].tolist() == ["a ", "A", "a"]
    # Not every version of scikit-learn refuses a table in which a name stands twice.
    frame = lists_frame(np.array([[[1.0, 2.0, 3.0]]]), {"v": 1.0}, by_split=False)
    assert named_lists(frame, np.array(["a", "a", "b"])).to_frame()["item"].tolist() == [2, 1, 0]


# ---------------------------------------------------------------------- folds


def parts(selector, X, y):
    """Return the rows an estimator was fitted on in each fold."""
    seen = []

    class Spy(Given):
        def fit(self, X, y=None):
            seen.append(X[:, 0].astype(int).tolist())
            return super().fit(X, y)

    table = np.column_stack([np.arange(len(X)), X])
    name, inside = selector.estimators[0]
    spy = Spy(np.ones(table.shape[1]))
    clone(selector).set_params(estimators=[("spy", spy), (name, inside)]).fit(table, y)
    return seen


@pytest.mark.parametrize(
    ("estimator", "y", "stratified"),
    [
        (TREE, Y, True),
        (LOGISTIC, Y, True),
        (RFE(TREE), Y, True),
        (SelectFromModel(LOGISTIC, importance_getter=lambda one: one[-1].coef_), Y, True),
        (make_pipeline(StandardScaler(), SelectFromModel(LogisticRegression())), Y, True),
        (ANOVA, Y, True),
        (ANOVA, Y.astype(str), True),
        (Ridge(), Y, False),
        (SelectKBest(f_regression, k="all"), Y + 0.5, False),
        (ANOVA, np.arange(len(Y)) // 4, False),  # four rows of each value, in five folds
        (VarianceThreshold(), None, False),
    ],
    ids=[
        "tree",
        "pipeline",
        "RFE",
        "SelectFromModel",
        "SelectFromModel in a pipeline",
        "SelectKBest",
        "words",
        "regressor",
        "fractions",
        "many values",
        "no target",
    ],
)
def test_consensus_selector_stratifies_folds_for_classification(estimator, y, stratified):
    order = np.argsort(Y, kind="stable")  # sorted, so that plain folds lack most of a class
    y = None if y is None else y if len(np.unique(y)) > 2 else y[order]
    selector = ConsensusSelector([("one", estimator)])
    splitter = StratifiedKFold(5) if stratified else KFold(5)
    assert parts(selector, X[order], y) == [train.tolist() for train, _ in splitter.split(X, y)]


@pytest.mark.parametrize("stratified", [True, False])
def test_consensus_selector_stratifies_a_pipeline_without_a_last_step_by_the_target(stratified):
    order = np.argsort(Y, kind="stable")
    pipeline = make_pipeline(ANOVA, "passthrough")
    selector = ConsensusSelector([("one", pipeline)], importance_getter={"one": lambda fitted: fitted[0].scores_})
    y = Y[order] if stratified else np.arange(len(Y)) // 4
    splitter = StratifiedKFold(5) if stratified else KFold(5)
    assert parts(selector, X[order], y) == [train.tolist() for train, _ in splitter.split(X, y)]


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("kind", [list, pd.Series, pd.DataFrame, lambda y: pd.Series(y).astype("category")])
def test_consensus_selector_stratifies_targets_of_any_type(kind):
    order = np.argsort(Y, kind="stable")
    found = parts(ConsensusSelector([("anova", ANOVA)]), X[order], kind(Y[order]))
    assert found == [train.tolist() for train, _ in StratifiedKFold(5).split(X, Y[order])]


def test_consensus_selector_cv_accepts_splitters_iterables_groups_and_none():
    assert parts(ConsensusSelector([("one", TREE)], cv=None), X, Y) == [list(range(len(X)))]
    splitter = ShuffleSplit(3, train_size=0.5, random_state=0)
    expected = [train.tolist() for train, _ in splitter.split(X)]
    assert parts(ConsensusSelector([("one", TREE)], cv=splitter), X, Y) == expected
    assert parts(ConsensusSelector([("one", TREE)], cv=list(splitter.split(X))), X, Y) == expected
    groups = np.arange(len(X)) % 7
    selector = ConsensusSelector([("one", TREE)], cv=GroupKFold(3)).fit(X, Y, groups=groups)
    assert selector.n_splits_ == 3
    used_up = iter([])
    with pytest.raises(ValueError, match="`cv` must give at least one split"):
        ConsensusSelector([("one", TREE)], cv=used_up).fit(X, Y)
    with pytest.raises(ValueError, match="must be None if cv=None, because only a splitter uses groups"):
        ConsensusSelector([("one", TREE)], cv=None).fit(X, Y, groups=groups)


# ---------------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("n_features", "expected"), [(None, 5), (3, 3), (np.int64(3), 3), (0.35, 3), (1, 1), (1.0, 10), (0.01, 1), (10, 10)]
)
def test_consensus_selector_n_features_accepts_numbers_and_shares(n_features, expected):
    selector = ConsensusSelector([("tree", TREE)], n_features=n_features, cv=2).fit(X, Y)
    assert selector.n_features_ == selector.support_.sum() == selector.transform(X).shape[1] == expected


def test_consensus_selector_weights_members():
    lists = [3, 2, 1], [1, 2, 3], [1, 2, 3]
    assert given(*lists).ranking_.tolist() == [3, 2, 1]
    for weights in ([3, 1, 1], {"v0": 3}, np.array([3.0, 1.0, 1.0]), {"v0": 1, "v1": 0, "v2": 0.5}):
        selector = given(*lists, weights=weights)
        assert selector.ranking_.tolist() == [1, 2, 3] and selector.lists_.is_weighted
    twice = given([3, 1, 2], [1, 3, 2], weights=[2, 1])
    assert_allclose(twice.scores_, given([3, 1, 2], [3, 1, 2], [1, 3, 2]).scores_)
    dropped = given(*lists, weights=[3, 1, 1]).set_params(v1="drop").fit(np.zeros((6, 3)))
    assert dropped.lists_.n_lists == 2 and dropped.ranking_.tolist() == [1, 2, 3]


def test_consensus_selector_importance_getter_accepts_a_dict_by_name():
    members = [("anova", ANOVA), ("logistic", LOGISTIC)]
    getter = {"logistic": "named_steps.logisticregression.coef_"}
    named = ConsensusSelector(members, importance_getter=getter).fit(X, Y)
    assert_allclose(named.scores_, ConsensusSelector(members).fit(X, Y).scores_)
    lengths = ConsensusSelector(members[1:], importance_getter=lambda one: one[-1].coef_[0]).fit(X, Y)
    assert_allclose(lengths.scores_, ConsensusSelector(members[1:]).fit(X, Y).scores_)


def test_consensus_selector_exposes_parameters_of_members_and_aggregator():
    selector = ConsensusSelector(MEMBERS, aggregator=ReciprocalRankFusion())
    selector.set_params(tree__max_depth=2, aggregator__k=5, logistic__logisticregression__C=0.5, anova="drop", cv=3)
    assert selector.get_params()["tree__max_depth"] == 2 and selector.aggregator.k == 5
    assert selector.fit(X, Y).lists_.n_lists == 6
    copy = clone(selector)
    assert copy.get_params()["logistic__logisticregression__C"] == 0.5 and not hasattr(copy, "ranking_")
    TREE.set_params(max_depth=4), LOGISTIC.set_params(logisticregression__C=1.0)


@pytest.mark.exhaustive
def test_grid_search_sets_every_parameter_of_consensus_selector():
    selector = ConsensusSelector(clone_members(), aggregator=ReciprocalRankFusion(), cv=2)
    model = make_pipeline(selector, StandardScaler(), LogisticRegression())
    grid = {
        "consensusselector__n_features": [2, 0.5],
        "consensusselector__aggregator": [BordaCount(), ReciprocalRankFusion(k=1)],
        "consensusselector__tree__max_depth": [2],
        "consensusselector__tree": [DecisionTreeClassifier(random_state=0), "drop"],
    }
    grid["consensusselector__tree"].pop()
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(X, Y)
    assert 0.5 < search.best_score_ <= 1 and search.best_estimator_[0].n_features_ in (2, 5)
    assert cross_val_score(search.best_estimator_, X, Y, cv=2).min() > 0.4


def clone_members():
    return [(name, clone(one)) for name, one in MEMBERS]


# ---------------------------------------------------------------------- input


def test_consensus_selector_is_the_same_for_sparse_matrices_and_frames():
    members = [("anova", ANOVA), ("tree", TREE), ("logistic", LogisticRegression())]
    expected = ConsensusSelector(members).fit(X, Y)
    sparse = ConsensusSelector(members).fit(csr_array(X), Y)
    assert sparse.ranking_.tolist() == expected.ranking_.tolist()
    assert_allclose(sparse.transform(csr_array(X)).toarray(), expected.transform(X))
    assert_allclose(expected.inverse_transform(expected.transform(X))[:, expected.support_], X[:, expected.support_])
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(10)])
    named = ConsensusSelector(members).fit(frame, pd.Series(Y, index=range(50, 170)))
    assert named.ranking_.tolist() == expected.ranking_.tolist()
    kept = frame.columns[named.support_].tolist()
    assert named.get_feature_names_out().tolist() == kept
    assert named.set_output(transform="pandas").transform(frame).columns.tolist() == kept
    tags = expected.__sklearn_tags__()
    assert tags.input_tags.sparse and not tags.input_tags.allow_nan and tags.target_tags.required
    imputed = ConsensusSelector([("one", make_pipeline(SimpleImputer(), LogisticRegression()))])
    assert imputed.__sklearn_tags__().input_tags.allow_nan


@pytest.mark.parametrize(
    "wrong",
    [[TREE], 3, [("a", DecisionTreeClassifier)], [("a", object())]],
    ids=["estimator", "number", "class", "object"],
)
def test_consensus_selector_has_default_tags_until_fit_reports_invalid_members(wrong):
    # The members of the second selector are all dropped, so none of them changes a tag.
    assert ConsensusSelector(wrong).__sklearn_tags__() == ConsensusSelector([("a", "drop")]).__sklearn_tags__()
    with pytest.raises((TypeError, ValueError)):
        ConsensusSelector(wrong).fit(X, Y)


def test_consensus_selector_allows_nan_if_all_members_do():
    table = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    members = [("one", make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()))]
    found = ConsensusSelector(members).fit(table, Y).transform(table)
    assert found.shape == (120, 5) and np.isnan(found).any()
    mixed = ConsensusSelector([*members, ("anova", ANOVA)])
    assert not mixed.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="NaN"):
        mixed.fit(table, Y)


def test_consensus_selector_passes_frames_unchanged_to_its_members():
    frame = pd.DataFrame({"x": X[:, 0], "word": np.where(Y, "yes", "no"), "z": X[:, 1]})

    class Lengths(Given):
        def fit(self, X, y=None):
            assert list(X.columns) == ["x", "word", "z"]
            return super().fit(X, y)

    selector = ConsensusSelector([("one", Lengths([1, 3, 2]))], n_features=1).fit(frame, Y)
    assert selector.get_feature_names_out().tolist() == ["word"]
    assert selector.transform(frame)[:2].ravel().tolist() == frame["word"].tolist()[:2]


def test_consensus_selector_accepts_and_returns_polars_frames():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(X, schema=[f"f{k}" for k in range(10)])
    expected = ConsensusSelector(MEMBERS).fit(X, Y)
    found = ConsensusSelector(MEMBERS).fit(frame, Y)
    assert found.ranking_.tolist() == expected.ranking_.tolist()
    assert found.set_output(transform="polars").transform(frame).columns == found.get_feature_names_out().tolist()


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_consensus_selector_is_independent_of_configured_output(output):
    pytest.importorskip(output)
    expected = ConsensusSelector(MEMBERS).fit(X, Y)
    with sklearn.config_context(transform_output=output):
        found = ConsensusSelector(MEMBERS).fit(X, Y)
    assert found.ranking_.tolist() == expected.ranking_.tolist() and found.stability_ == expected.stability_


def test_consensus_selector_needs_no_target_for_unsupervised_members():
    selector = ConsensusSelector([("variance", VarianceThreshold())], importance_getter="variances_", n_features=2)
    assert selector.fit(X * [1, 1, 1, 50, 1, 1, 1, 1, 90, 1]).get_support(indices=True).tolist() == [3, 8]
    assert not selector.__sklearn_tags__().target_tags.required


# ---------------------------------------------------------------------- metadata


def test_consensus_selector_passes_sample_weight_of_the_fold_to_members():
    members = [("tree", TREE), ("logistic", LogisticRegression()), ("model", SelectFromModel(TREE))]
    weight = np.where(np.arange(len(X)) % 3, 1.0, 0.0)
    cv = KFold(3)
    found = ConsensusSelector(members, cv=cv).fit(X, Y, sample_weight=weight).lists_.to_frame()
    for split, (train, _) in enumerate(cv.split(X)):
        model = clone(TREE).fit(X[train], Y[train], sample_weight=weight[train])
        for name in ("tree", "model"):
            rows = found[found["voter"] == f"{name}__split{split}"].sort_values("item")
            assert_allclose(rows["score"], model.feature_importances_)
    assert len(ConsensusSelector(members).fit(X, Y, sample_weight=None).ranking_) == 10


def test_consensus_selector_rejects_metadata_that_members_do_not_accept():
    for name, one in [("anova", ANOVA), ("logistic", LOGISTIC)]:
        with pytest.raises(
            ValueError, match=f"{name!r} accepts no weights. Leave out sample_weight, or enable metadata routing"
        ):
            ConsensusSelector([("tree", TREE), (name, one)]).fit(X, Y, sample_weight=np.ones(len(X)))
    with pytest.raises(ValueError, match="fit accepts sample_weight and groups; got colour"):
        ConsensusSelector(MEMBERS).fit(X, Y, colour=1)


def test_consensus_selector_routes_no_metadata_to_dropped_members():
    with sklearn.config_context(enable_metadata_routing=True):
        router = ConsensusSelector([("anova", ANOVA), ("tree", "drop")], cv=None).get_metadata_routing()
        both = ConsensusSelector([("anova", ANOVA), ("tree", TREE)], cv=None).get_metadata_routing()
    assert "tree" in str(both) and "tree" not in str(router) and "anova" in str(router)


def test_consensus_selector_routes_metadata():
    weight, groups = np.arange(len(X)) % 2 + 0.0, np.arange(len(X)) % 6
    with sklearn.config_context(enable_metadata_routing=True):
        tree = clone(TREE).set_fit_request(sample_weight=True)
        members = [("anova", ANOVA), ("tree", tree)]
        selector = ConsensusSelector(members, cv=GroupKFold(3)).fit(X, Y, sample_weight=weight, groups=groups)
        train = next(iter(GroupKFold(3).split(X, groups=groups)))[0]
        expected = clone(TREE).fit(X[train], Y[train], sample_weight=weight[train]).feature_importances_
        rows = selector.lists_.to_frame().query("voter == 'tree__split0'").sort_values("item")
        assert_allclose(rows["score"], expected)
        for cv in (3, None, list(KFold(3).split(X))):
            assert ConsensusSelector(members, cv=cv).fit(X, Y, sample_weight=weight).n_features_ == 5
            assert ConsensusSelector(members, cv=cv).fit(X, Y).n_features_ == 5
        with pytest.raises(TypeError, match="unexpected argument"):
            ConsensusSelector([("anova", ANOVA)]).fit(X, Y, sample_weight=weight)
        pipeline = make_pipeline(selector, LogisticRegression().set_fit_request(sample_weight=False))
        assert pipeline.fit(X, Y, sample_weight=weight, groups=groups)[0].n_features_ == 5


# ---------------------------------------------------------------------- the rest


@pytest.mark.exhaustive
def test_consensus_selector_is_reproducible_and_can_be_pickled():
    first = ConsensusSelector(MEMBERS, aggregator=DIBRA()).fit(X, Y)
    second = ConsensusSelector(MEMBERS, aggregator=DIBRA(), n_jobs=2).fit(X, Y)
    third = pickle.loads(pickle.dumps(first))
    for other in (second, third):
        assert other.ranking_.tolist() == first.ranking_.tolist() and other.scores_.tolist() == first.scores_.tolist()
        assert other.stability_ == first.stability_ and other.estimator_stability_ == first.estimator_stability_
        assert other.lists_.to_frame().equals(first.lists_.to_frame())
    assert first.aggregator_.voter_weights_["voter"].tolist()[0] == "anova__split0"


def test_consensus_selector_html_shows_the_members():
    page = ConsensusSelector(MEMBERS)._repr_html_()
    assert all(word in page for word in ("SelectKBest", "LogisticRegression", "DecisionTreeClassifier", "anova"))
    assert "wrong" in ConsensusSelector([("wrong", "drop")])._repr_html_()


def test_consensus_selector_supports_regression():
    X, y = make_regression(100, 8, n_informative=2, shuffle=False, random_state=0)
    members = [
        ("ridge", Ridge()),
        ("tree", DecisionTreeRegressor(random_state=0)),
        ("f", SelectKBest(f_regression, k="all")),
    ]
    selector = ConsensusSelector(members, n_features=2).fit(X, y)
    assert selector.support_[:2].all() and selector.stability_ == 1.0


@pytest.mark.exhaustive
def test_consensus_selector_finds_strong_features_among_noise():
    X, y = make_classification(200, 100, n_informative=5, n_redundant=0, class_sep=2, shuffle=False, random_state=0)
    members = [
        ("anova", ANOVA),
        ("information", SelectKBest(lambda X, y: mutual_info_classif(X, y, random_state=0), k="all")),
        ("forest", RandomForestClassifier(20, random_state=0)),
    ]
    assert ConsensusSelector(members, n_features=5).fit(X, y).support_[:5].sum() >= 4


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"estimators": []}, ValueError, r"a list of \(name, estimator\) tuples with at least one"),
        ({"estimators": [TREE]}, ValueError, r"a list of \(name, estimator\) tuples"),
        ({"estimators": [(1, TREE)]}, ValueError, r"a list of \(name, estimator\) tuples"),
        ({"estimators": [("a", TREE), ("a", ANOVA)]}, ValueError, "must be unique; got 'a' more than once"),
        ({"estimators": [("cv", TREE)]}, ValueError, "conflict with constructor arguments"),
        ({"estimators": [("a__b", TREE)]}, ValueError, "must not contain __"),
        ({"estimators": [("a", "drop")]}, ValueError, "all of them are 'drop'"),
        ({"estimators": [("a", "dropp")]}, TypeError, "'a' is 'dropp'"),
        ({"estimators": [("a", DecisionTreeClassifier)]}, TypeError, "models or selectors with fit"),
        ({"estimators": [("a", HistGradientBoostingClassifier())]}, ValueError, r"'a' \(.*\) has none of these"),
        ({"estimators": [("a", make_pipeline(OneHotEncoder(), TREE))]}, ValueError, "makes new columns, such as"),
        ({"n_features": 11}, ValueError, "at most the number of features, 10; got 11"),
        ({"n_features": 0}, ValueError, "'n_features' parameter"),
        ({"n_features": 1.5}, ValueError, "'n_features' parameter"),
        ({"n_features": True}, ValueError, "'n_features' parameter"),
        ({"cv": 121}, ValueError, "at most the number of rows, n_samples=120; got 121"),
        ({"weights": [1, 1]}, ValueError, "for each of 3 estimators; got 2"),
        ({"weights": {"tre": 1}}, ValueError, r"got 'tre' \(did you mean 'tree'\?\)"),
        ({"weights": {"tree": -1}}, ValueError, "at least 0; got -1 for 'tree'"),
        ({"weights": [np.nan, 1, 1]}, ValueError, "got nan for 'anova'"),
        (
            {"importance_getter": {"forest": "auto"}},
            ValueError,
            "must name estimators among 'anova', 'logistic', 'tree'",
        ),
        ({"importance_getter": "coef"}, ValueError, "got 'coef', which 'anova' lacks"),
        ({"aggregator": StandardScaler()}, TypeError, "must be an aggregator, or a pipeline that ends in one"),
        ({"aggregator": LearnedWeights()}, ValueError, "must not learn from judgements, .*got LearnedWeights"),
        ({"aggregator": make_pipeline(VoterWeighter("map"), BordaCount())}, ValueError, "got VoterWeighter"),
        ({"aggregator": "borda"}, ValueError, "'aggregator' parameter"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_consensus_selector_rejects_invalid_parameters(change, error, message):
    selector = ConsensusSelector(**{"estimators": MEMBERS, **change})
    with pytest.raises(error, match=message):
        selector.fit(X, Y)
    assert not hasattr(selector, "ranking_")


def test_consensus_selector_errors_name_estimator_and_split():
    with pytest.raises(ValueError, match="has none of these") as caught:
        ConsensusSelector([("tree", TREE), ("hist", HistGradientBoostingClassifier(max_iter=1))]).fit(X, Y)
    assert caught.value.__notes__ == ["ConsensusSelector was fitting 'hist' on split 0."]


def test_consensus_selector_accepts_rank_statistic():
    assert given([3, 2, 1], [3, 1, 2], aggregator=RankStatistic(statistic="median")).ranking_[0] == 1
