"""read_importances for each kind of fitted estimator, and top_places."""

import numpy as np
import pandas as pd
import pytest
from learners import logistic_regression_cv
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.cluster import KMeans
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_iris, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.feature_selection import (
    RFE,
    RFECV,
    SelectFdr,
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    VarianceThreshold,
    f_classif,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from skrankagg.feature_selection import ConsensusSelector
from skrankagg.feature_selection._importances import read_importances, top_places

X, Y = load_iris(return_X_y=True)
SCALED = StandardScaler().fit_transform(X)
LOGISTIC = LogisticRegression().fit(SCALED, Y)
COEF = np.abs(LOGISTIC.coef_).sum(axis=0)


def read(estimator, getter="auto", table=X, y=Y):
    return read_importances(estimator.fit(table, y), getter, table.shape[1], "one")


def test_read_importances_of_models():
    assert_allclose(read(LogisticRegression(), table=SCALED), COEF)
    assert_allclose(read(make_pipeline(StandardScaler(), LogisticRegression())), COEF)
    tree = DecisionTreeClassifier(random_state=0)
    assert_allclose(read(tree), tree.feature_importances_)
    ridge = Ridge()
    assert_allclose(read(ridge), np.abs(ridge.fit(X, Y).coef_))
    svc = SVC(kernel="linear")
    assert_allclose(read(svc), np.abs(svc.coef_).sum(axis=0))
    cv = logistic_regression_cv(cv=3, scoring="accuracy")  # its scores_ are of folds
    assert_allclose(read(cv, table=SCALED), np.abs(cv.coef_).sum(axis=0))


def test_read_importances_of_sparse_coefficients():
    model = SVC(kernel="linear").fit(csr_array(X), Y)
    assert_allclose(read_importances(model, "auto", 4, "one"), np.abs(model.coef_.toarray()).sum(axis=0))


def test_read_importances_of_selectors():
    assert_allclose(read(SelectKBest(k=1)), f_classif(X, Y)[0])
    assert_allclose(read(SelectFdr()), f_classif(X, Y)[0])
    rfe = RFE(LogisticRegression(max_iter=500), n_features_to_select=1)
    assert read(rfe).tolist() == [-rank for rank in rfe.ranking_]
    rfecv = RFECV(DecisionTreeClassifier(random_state=0), cv=3)
    assert read(rfecv).tolist() == [-rank for rank in rfecv.ranking_]
    assert read(VarianceThreshold(0.6)).tolist() == [1, 0, 1, 0]
    chosen = SequentialFeatureSelector(DecisionTreeClassifier(random_state=0), n_features_to_select=2, cv=3)
    assert read(chosen).tolist() == chosen.get_support().astype(float).tolist()


def test_read_importances_of_select_from_model_equals_its_model():
    assert_allclose(read(SelectFromModel(LogisticRegression()), table=SCALED), COEF)
    largest = np.abs(LOGISTIC.coef_).max(axis=0)
    assert_allclose(read(SelectFromModel(LogisticRegression(), norm_order=np.inf), table=SCALED), largest)
    inside = make_pipeline(StandardScaler(), LogisticRegression())
    named = SelectFromModel(inside, importance_getter="named_steps.logisticregression.coef_")
    assert_allclose(read(named), COEF)


def test_read_importances_of_meta_estimators():
    search = GridSearchCV(make_pipeline(StandardScaler(), LogisticRegression()), {"logisticregression__C": [1.0]})
    assert_allclose(read(search), COEF)
    target = TransformedTargetRegressor(Ridge())
    assert_allclose(read(target, y=Y.astype(float)), np.abs(target.regressor_.coef_))
    nested = ConsensusSelector([("anova", SelectKBest(k="all"))], cv=None)
    assert read(nested).tolist() == [-rank for rank in nested.ranking_]


def test_read_importances_applies_importance_getters():
    model = make_pipeline(StandardScaler(), LogisticRegression())
    assert_allclose(read(model, "named_steps.logisticregression.coef_"), COEF)
    assert_allclose(read(model, lambda fitted: fitted[-1].coef_[0]), np.abs(LOGISTIC.coef_[0]))
    assert read(VarianceThreshold(), "variances_").tolist() == pytest.approx(X.var(axis=0))
    with pytest.raises(ValueError, match=r"an attribute that every .* estimator has; got .*, which 'one' lacks"):
        read(model, "coef_")


class Unnamed(FunctionTransformer):
    """A step that does not name its columns."""


@pytest.mark.parametrize("frame", [False, True])
def test_read_importances_gives_nan_for_columns_a_step_drops(frame):
    table = np.column_stack([np.ones(len(X)), X[:, 0], np.zeros(len(X)), X[:, 1:]])
    if frame:
        table = pd.DataFrame(table, columns=list("gfedcb"))
    expected = [np.nan, COEF[0], np.nan, *COEF[1:]]
    steps = VarianceThreshold(), StandardScaler(), LogisticRegression()
    assert_allclose(read(make_pipeline(*steps), table=table), expected)
    assert_allclose(read(make_pipeline("passthrough", Unnamed(), *steps), table=table), expected)
    twice = make_pipeline(VarianceThreshold(), StandardScaler(), SelectKBest(k=2), LogisticRegression())
    assert np.isnan(read(twice, table=table)).tolist() == [True, True, True, True, False, False]
    inside = Pipeline([("outer", make_pipeline(*steps[:2])), ("model", steps[2])])
    assert_allclose(read(inside, table=table), expected)


class Named(TransformerMixin, BaseEstimator):
    """A step that names the columns of its output, but not the number of columns of its input."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X

    def get_feature_names_out(self, names=None):
        return [f"new {k}" for k in range(4)]


def test_read_importances_assumes_that_a_step_of_unknown_input_keeps_all_columns():
    assert_allclose(read(make_pipeline(Named(), StandardScaler(), LogisticRegression())), COEF)


def test_read_importances_gives_nan_for_columns_an_imputer_drops():
    table = np.column_stack([X[:, 0], np.full(len(X), np.nan), X[:, 1:]])
    with pytest.warns(UserWarning, match="without any observed values"):
        value = read(make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression()), table=table)
    assert_allclose(value, [COEF[0], np.nan, *COEF[1:]])


@pytest.mark.parametrize("step", [PCA(), PCA(2), PolynomialFeatures(2)])
def test_read_importances_rejects_importances_of_generated_columns(step):
    with pytest.raises(ValueError, match=r"step '(pca|polynomialfeatures)' makes new columns, such"):
        read(make_pipeline(step, LogisticRegression(max_iter=1000)))


def test_read_importances_rejects_estimators_without_importances():
    for model in (HistGradientBoostingClassifier(max_iter=2), SVC(), KMeans(2, n_init=1)):
        with pytest.raises(ValueError, match=rf"'one' \({type(model).__name__}\) has none of these"):
            read(model)
    with pytest.raises(ValueError, match="must give a number for each of 4 features; 'one' gives 3 numbers"):
        read(LogisticRegression(), lambda fitted: fitted.coef_[:, 0], table=SCALED)
    with pytest.raises(ValueError, match=r"an array of shape \(\)"):
        read(Lasso(), "intercept_")
    with pytest.raises(ValueError, match="gives NaN for all of them"), pytest.warns((UserWarning, RuntimeWarning)):
        read(SelectKBest(k=1), table=np.ones_like(X))


@pytest.mark.parametrize(
    ("value", "n_top", "expected"),
    [
        ([3, 1, 2], 2, [1, 0, 1]),
        ([3, 2, 2, 1], 2, [1, 0, 0, 0]),  # ties cross the end and are left out
        ([2, 2, 2, 1], 2, [1, 1, 1, 0]),  # unless the list begins with them
        ([2, 2, 1, 1], 2, [1, 1, 0, 0]),
        ([1, 1, 1], 2, [1, 1, 1]),
        ([np.nan, 5, np.nan, 4], 3, [0, 1, 0, 1]),
        ([np.nan, 5, 5, 4], 1, [0, 1, 1, 0]),
        ([np.inf, 5, -np.inf], 2, [1, 1, 0]),
        ([4, 3, 2], 3, [1, 1, 1]),
    ],
)
def test_top_places_never_splits_ties(value, n_top, expected):
    assert top_places(np.array(value, dtype=float), n_top).astype(int).tolist() == expected


def test_read_importances_of_a_forest_equals_its_attribute():
    table, y = make_classification(random_state=0)
    forest = RandomForestClassifier(5, random_state=0)
    assert_allclose(read(forest, table=table, y=y), forest.feature_importances_)
