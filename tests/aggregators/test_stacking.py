"""StackedFusion, compared with a plain matrix and with the estimator fitted directly."""

import inspect
import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import sklearn
from learners import logistic_regression_cv
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingRegressor,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_selection import SelectFromModel
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    TunedThresholdClassifierCV,
    cross_val_score,
)
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

import skrankagg
from skrankagg import (
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    Kemeny,
    LocalKemenization,
    Qrels,
    RankedLists,
    RobustRankAggregation,
    StackedFusion,
    evaluate,
)
from skrankagg._arrays._normalize import NORMS
from skrankagg.aggregators._learned import _whole_queries
from skrankagg.aggregators._learned._features import FEATURES, center_columns
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError, MemoryLimitError
from skrankagg.metrics import make_ranking_scorer
from skrankagg.preprocessing import TopK


@pytest.fixture(scope="module")
def data():
    frame, qrels, _ = make_ranked_lists(
        n_queries=14, n_voters=4, n_items=20, list_length=9, quality_spread=1.0, random_state=3
    )
    # A voter lacks some queries, and a query has no relevant item.
    frame = frame[~((frame["voter"] == "v4") & frame["query"].isin(frame["query"].unique()[[1, 5]]))]
    qrels = qrels[qrels["query"] != "q09"]
    nothing = frame[frame["query"] == "q10"][["query", "item"]].drop_duplicates().assign(relevance=0)
    return frame, pd.concat([qrels[qrels["query"] != "q10"], nothing])


class Recorder(BaseEstimator):
    """A regressor that stores its input."""

    def fit(self, X, y):
        self.X_, self.y_ = X.copy(), y.copy()
        return self

    def predict(self, X):
        self.seen_ = X.copy()
        return X @ np.arange(1.0, X.shape[1] + 1)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def plain(frame, voters, features, center):
    """Build the matrix from the frame, with a row for each candidate, indexed by query and item."""
    one = {"borda": lambda r, length, n: 1 - (r - 1) / n, "rank": lambda r, length, n: 1 - (r - 1) / length}
    one["reciprocal"] = lambda r, length, n: 61 / (60 + r)
    one["simple-borda"], one["present"] = one["borda"], lambda r, length, n: 1.0
    parts = []
    for query, lists in frame.groupby("query"):
        items = sorted(lists["item"].unique())
        columns = {}
        for voter in voters:
            own = lists[lists["voter"] == voter].set_index("item")
            rank = own["score"].rank(ascending=False)
            for feature in features:
                missing = np.nan if feature == "score" else 0.0
                if feature == "borda" and len(own):
                    missing = (len(items) - len(own) + 1) / (2 * len(items))
                value = pd.Series(missing, index=items)
                if feature == "score":
                    value[own.index] = own["score"]
                elif feature == "min-max" and len(own):
                    value[own.index] = (own["score"] - own["score"].min()) / (own["score"].max() - own["score"].min())
                elif len(own):
                    value[own.index] = one[feature](rank, len(own), len(items))
                columns[voter, feature] = value
        table = pd.DataFrame(columns)
        table = table - table.mean() if center else table
        parts.append(table.set_index(pd.MultiIndex.from_product([[query], items])))
    return pd.concat(parts)


def gains(qrels, index):
    grade = qrels.set_index(["query", "item"])["relevance"]
    return 2 ** grade.reindex(index).fillna(0).clip(lower=0) - 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(
    "features",
    [("borda", "present"), ("min-max", "rank"), ("score",), ("reciprocal", "score", "simple-borda"), ("present",)],
    ids=" ".join,
)
def test_stacked_fusion_builds_the_expected_matrix(data, features, center):
    frame, qrels = data
    stacked = StackedFusion(Recorder(), features, center=center, qrels=Qrels.from_frame(qrels)).fit(frame)
    expected = plain(frame, ["v1", "v2", "v3", "v4"], features, center)
    assert stacked.columns_.to_numpy().tolist() == [list(column) for column in expected.columns]
    learnt = ~expected.index.get_level_values(0).isin(["q09", "q10"])  # no judgements, and nothing relevant
    assert_allclose(stacked.estimator_.X_, expected[learnt], atol=1e-12)
    assert_allclose(stacked.estimator_.y_, gains(qrels, expected.index[learnt]))
    if "score" not in features:
        found = stacked.transform(frame).set_index(["query", "item"])["score"]
        assert_allclose(stacked.estimator_.seen_, expected, atol=1e-12)
        assert_allclose(found.reindex(expected.index), expected @ np.arange(1.0, len(expected.columns) + 1), atol=1e-9)


@pytest.mark.exhaustive
def test_stacked_fusion_accepts_every_norm_as_feature(data):
    frame, qrels = data
    assert set(FEATURES) == {"present", "score", "support", *NORMS} - {None}
    lists = RankedLists.from_frame(frame)
    for name in set(NORMS) - {None}:
        stacked = StackedFusion(Recorder(), [name], center=False, qrels=Qrels.from_frame(qrels)).fit(lists)
        stacked.transform(lists)
        total = CombSUM(norm=name).fit_transform(lists).set_index(["query", "item"])["score"]
        index = plain(frame, ["v1"], ["present"], False).index
        assert_allclose(stacked.estimator_.seen_.sum(axis=1), total.reindex(index), atol=1e-12)


def test_stacked_fusion_adds_support_and_consensus_columns(data):
    frame, qrels = data
    features = ["support", "present", BordaCount(), RobustRankAggregation()]
    stacked = StackedFusion(Recorder(), features, center=False, qrels=Qrels.from_frame(qrels)).fit(frame)
    stacked.transform(frame)
    assert stacked.columns_["feature"].tolist() == ["present"] * 4 + ["support", "BordaCount()", repr(features[3])]
    assert stacked.columns_["voter"].dropna().tolist() == ["v1", "v2", "v3", "v4"]
    seen = pd.DataFrame(stacked.estimator_.seen_, index=plain(frame, ["v1"], ["present"], False).index)
    assert (seen[4] == seen[[0, 1, 2, 3]].sum(axis=1)).all()
    for column, method in ((5, BordaCount()), (6, features[3])):
        score = method.fit_transform(frame).set_index(["query", "item"])["score"].reindex(seen.index)
        by_query = score.groupby(level=0)
        low, high = by_query.transform("min"), by_query.transform("max")
        assert_allclose(seen[column], (score - low) / (high - low), atol=1e-12)
    assert all(
        hasattr(one, "fit") and one is not given for one, given in zip(stacked.aggregators_, features[2:], strict=True)
    )


def test_stacked_fusion_column_of_a_fully_tied_consensus_is_0():
    frame = pd.DataFrame({"query": "q", "voter": ["u", "u", "v", "v"], "item": list("abba"), "rank": [1, 2, 1, 2]})
    stacked = StackedFusion(Recorder(), [Copeland()], center=False, qrels=Qrels.from_dict({"q": ["a"]})).fit(frame)
    assert stacked.estimator_.X_.tolist() == [[0.0], [0.0]]


def test_stacked_fusion_makes_infinite_consensus_scores_finite():
    class Extreme(BordaCount):
        def _aggregate(self, lists):
            return np.array([np.inf, 1.0, -np.inf])

    frame = pd.DataFrame({"query": "q", "voter": "u", "item": list("abc"), "rank": [1, 2, 3]})
    stacked = StackedFusion(Recorder(), [Extreme()], center=False, qrels=Qrels.from_dict({"q": ["a"]})).fit(frame)
    assert stacked.estimator_.X_.ravel().tolist() == [1.0, 0.5, 0.0]


def test_centring_columns_in_blocks_equals_centring_at_once():
    rng = np.random.default_rng(0)
    size = rng.integers(1, 9000, 12)
    ptr = np.concatenate([[0], np.cumsum(size)])
    for share in (0.0, 0.7):
        matrix = rng.random((ptr[-1], 2))
        matrix[rng.random(matrix.shape) < share] = np.nan
        frame = pd.DataFrame(matrix)
        expected = frame - frame.groupby(np.repeat(np.arange(12), size)).transform("mean")
        center_columns(matrix, ptr)
        assert_allclose(matrix, expected, atol=1e-12)
    lonely = np.array([[np.nan], [np.nan], [3.0]])  # a query in which no list has a score
    center_columns(lonely, np.array([0, 2, 3]))
    assert np.isnan(lonely[:2]).all() and lonely[2] == 0


# ---------------------------------------------------------------------- estimators


def parts(data):
    frame, qrels = data
    lists, qrels = RankedLists.from_frame(frame), Qrels.from_frame(qrels)
    return lists[:8], lists[8:], qrels


def scores(consensus, index):
    return consensus.set_index(["query", "item"])["score"].reindex(index)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (LogisticRegression(), "decision_function"),
        (LinearSVC(), "decision_function"),
        (RandomForestClassifier(10, random_state=0), "predict_proba"),
        (CalibratedClassifierCV(LogisticRegression(), cv=2), "predict_proba"),
        (make_pipeline(StandardScaler(), LogisticRegression()), "decision_function"),
        (Ridge(), "predict"),
        (make_pipeline(StandardScaler(), Ridge()), "predict"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_stacked_fusion_scores_equal_those_of_the_estimator(data, estimator, method):
    train, test, qrels = parts(data)
    voters, features = ["v1", "v2", "v3", "v4"], ("borda", "present")
    X, Z = (plain(lists.to_frame(), voters, features, True) for lists in (train, test))
    target = gains(qrels.to_frame(), X.index)
    if method != "predict":
        target = (target > 0).astype(int)
    learner = clone(estimator)
    if hasattr(learner, "cv"):
        learner.set_params(cv=folds_of_queries(X.index, learner.cv))
    expected = getattr(learner.fit(X.to_numpy(), target), method)(Z.to_numpy())
    expected = expected[:, 1] if expected.ndim == 2 else expected
    stacked = StackedFusion(estimator).fit(train, qrels.align(train))
    assert_allclose(scores(stacked.transform(test), Z.index), expected, atol=1e-7)


def folds_of_queries(index, n_folds):
    """Return folds of neighbouring queries, with all rows of a query in one fold."""
    query = index.get_level_values(0)
    parts = np.array_split(query.unique(), n_folds)
    return PredefinedSplit(np.sum([k * query.isin(part) for k, part in enumerate(parts)], axis=0))


ALPHAS = np.logspace(-3, 4, 15)
SPLITTERS = {
    "RidgeCV": (RidgeCV(ALPHAS, cv=4), "cv", 4),
    "RidgeCV, rows": (RidgeCV(ALPHAS), "cv", 5),
    "LassoCV": (LassoCV(alphas=ALPHAS, cv=3), "cv", 3),
    "LogisticRegressionCV": (logistic_regression_cv(Cs=6, cv=3, scoring="neg_log_loss"), "cv", 3),
    "GridSearchCV": (GridSearchCV(Ridge(), {"alpha": ALPHAS}), "cv", 5),
    "GridSearchCV of a pipeline": (
        GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": ALPHAS}, cv=2),
        "cv",
        2,
    ),
    "pipeline": (make_pipeline(StandardScaler(), RidgeCV(ALPHAS, cv=3)), "ridgecv__cv", 3),
    "voting": (VotingRegressor([("a", RidgeCV(ALPHAS, cv=3)), ("b", DummyRegressor())]), "a__cv", 3),
    "StackingRegressor": (
        StackingRegressor([("a", Ridge()), ("b", DecisionTreeRegressor(random_state=0))], Ridge(), cv=3),
        "cv",
        3,
    ),
    "halving": (HalvingGridSearchCV(Ridge(), {"alpha": ALPHAS[::4]}, cv=2, random_state=0), "cv", 2),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("estimator", "name", "n_folds"), SPLITTERS.values(), ids=SPLITTERS)
def test_stacked_fusion_makes_inner_cross_validation_split_between_queries(data, estimator, name, n_folds):
    train, test, qrels = parts(data)
    X, Z = (plain(lists.to_frame(), ["v1", "v2", "v3", "v4"], ("borda", "present"), True) for lists in (train, test))
    target = gains(qrels.to_frame(), X.index)
    if is_classifier(estimator):
        target = (target > 0).astype(int)

    def values(one):
        return one.decision_function(Z.to_numpy()) if is_classifier(one) else one.predict(Z.to_numpy())

    by_hand = clone(estimator).set_params(**{name: folds_of_queries(X.index, n_folds)}).fit(X.to_numpy(), target)
    stacked = StackedFusion(estimator).fit(train, qrels)
    assert_allclose(scores(stacked.transform(test), Z.index), values(by_hand), atol=1e-7)
    shown = stacked.estimator_.get_params()[name]
    assert shown == estimator.get_params()[name]  # as it was given, and no positions
    groups = clone(estimator).set_params(**{name: GroupKFold(n_folds)})
    query = X.index.get_level_values(0)
    by_hand = clone(estimator).set_params(**{name: list(GroupKFold(n_folds).split(X, groups=query))})
    by_hand.fit(X.to_numpy(), target)
    stacked = StackedFusion(groups).fit(train, qrels)
    assert_allclose(scores(stacked.transform(test), Z.index), values(by_hand), atol=1e-7)


def test_stacked_fusion_search_is_not_misled_by_rows_of_one_query():
    # Each query has a level of its own, which the rows of a query share: held-out rows of it look predictable.
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        [(f"q{q:02d}", f"v{v}", f"i{i}", rng.normal(q)) for q in range(30) for v in range(3) for i in range(8)],
        columns=["query", "voter", "item", "score"],
    )
    judged = frame[["query", "item"]].drop_duplicates()
    qrels = Qrels.from_frame(judged.assign(relevance=np.repeat(rng.permutation(30) % 3, 8) + rng.integers(0, 2, 240)))
    search = GridSearchCV(
        KNeighborsRegressor(), {"n_neighbors": [1, 5, 150]}, cv=KFold(5, shuffle=True, random_state=0)
    )
    by_queries = clone(search).set_params(cv=5)
    stacked = StackedFusion(by_queries, ("score",), center=False, gain="linear", qrels=qrels).fit(frame)
    assert stacked.estimator_.best_params_ == {"n_neighbors": 150}
    recorded = StackedFusion(Recorder(), ("score",), center=False, gain="linear", qrels=qrels).fit(frame).estimator_
    assert search.fit(recorded.X_, recorded.y_).best_params_ == {"n_neighbors": 5}


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (
            RidgeCV(cv=KFold(5)),
            r"`cv` of RidgeCV must keep the rows of a query together; got KFold\(.*which puts rows of \d que",
        ),
        (GridSearchCV(Ridge(), {}, cv=ShuffleSplit(2, random_state=0)), "`cv` of GridSearchCV must keep the rows"),
        (RidgeCV(cv=9), "from 2 to 8, the number of training queries with relevant items; got 9"),
        (
            TunedThresholdClassifierCV(LogisticRegression(), cv=0.3),
            "must be a whole number of folds, or a splitter",
        ),
        (
            GridSearchCV(RidgeCV(), {"alpha_per_target": [False]}),
            "got RidgeCV inside GridSearchCV, where it receives only some rows",
        ),
        (
            make_pipeline(BaggingRegressor(RidgeCV(cv=2))),
            "got RidgeCV inside BaggingRegressor, where it receives only some rows",
        ),
        (StackingRegressor([("a", make_pipeline(LassoCV()))], Ridge()), "got LassoCV inside StackingRegressor, where"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_stacked_fusion_rejects_estimators_that_split_rows_of_a_query(data, estimator, words):
    train, _, qrels = parts(data)
    with pytest.raises(InputError, match=words):
        StackedFusion(estimator).fit(train, qrels)


def test_stacked_fusion_accepts_a_calibrated_frozen_estimator(data):
    train, test, qrels = parts(data)
    X = plain(train.to_frame(), ["v1", "v2", "v3", "v4"], ("borda", "present"), True)
    fitted = FrozenEstimator(LogisticRegression().fit(X.to_numpy(), gains(qrels.to_frame(), X.index) > 0))
    found = StackedFusion(CalibratedClassifierCV(fitted, cv=2)).fit(train, qrels).transform(test)
    assert found["score"].nunique() > 10


def test_stacked_fusion_uses_logistic_regression_by_default(data):
    train, test, qrels = parts(data)
    found = StackedFusion().fit(train, qrels).transform(test)
    expected = StackedFusion(LogisticRegression(max_iter=1000)).fit(train, qrels).transform(test)
    pd.testing.assert_frame_equal(found, expected)


class ByGroup(Recorder):
    def fit(self, X, y, sample_weight=None, group=None):
        self.group_ = group
        return super().fit(X, y)


class ByQuery(Recorder):
    def fit(self, X, y, *, group=None, qid=None):
        self.qid_ = qid
        return super().fit(X, y)


def test_stacked_fusion_passes_grades_and_queries_to_rankers(data):
    train, _, qrels = parts(data)
    judged = plain(train.to_frame(), ["v1"], ["present"], False).index
    sizes = judged.get_level_values(0).value_counts(sort=False)
    grade = qrels.to_frame().set_index(["query", "item"])["relevance"].reindex(judged).fillna(0)
    for ranker in (ByGroup(), ByQuery()):
        fitted = StackedFusion(ranker).fit(train, qrels).estimator_
        assert fitted.y_.tolist() == grade.tolist() and fitted.y_.max() > 1
        if isinstance(ranker, ByGroup):
            assert fitted.group_.tolist() == sizes.tolist()
        else:
            assert (np.diff(fitted.qid_) >= 0).all()
            assert np.unique(fitted.qid_, return_counts=True)[1].tolist() == sizes.tolist()


@pytest.mark.parametrize("routing", [False, True])
def test_stacked_fusion_passes_grades_and_queries_to_a_ranker_in_a_pipeline(data, routing):
    train, test, qrels = parts(data)
    for ranker in (ByGroup(), ByQuery()):
        alone = StackedFusion(ranker, center=False).fit(train, qrels).estimator_
        inner = make_pipeline(StandardScaler(), clone(ranker))
        for pipeline in (inner, Pipeline([("first", MaxAbsScaler()), ("then", clone(inner))])):
            with sklearn.config_context(enable_metadata_routing=routing):
                stacked = StackedFusion(pipeline, center=False).fit(train, qrels)
            last = stacked.estimator_
            while hasattr(last, "steps"):
                last = last[-1]
            assert last.y_.tolist() == alone.y_.tolist() and last.y_.max() > 1  # grades, and no gains
            name = "group_" if isinstance(ranker, ByGroup) else "qid_"
            assert getattr(last, name).tolist() == getattr(alone, name).tolist()
            assert_allclose(last.X_, StandardScaler().fit_transform(alone.X_), atol=1e-12)
            found, matrix = stacked.transform(test), StackedFusion(Recorder(), center=False).fit(train, qrels)
            matrix.transform(test)
            expected = pd.Series(stacked.estimator_.predict(matrix.estimator_.seen_))
            assert_allclose(sorted(found["score"]), sorted(expected), atol=1e-12)


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (
            lambda: GridSearchCV(ByGroup(), {}, scoring="r2"),
            "a ranker only as its last step; got ByGroup at 'estimator'",
        ),
        (lambda: BaggingRegressor(make_pipeline(ByQuery())), "got ByQuery at 'estimator__byquery'"),
        (lambda: make_pipeline(SelectFromModel(ByGroup()), ByQuery()), "got ByGroup at 'selectfrommodel__estimator'"),
    ],
)
def test_stacked_fusion_rejects_a_ranker_that_cannot_receive_queries(data, estimator, words):
    train, _, qrels = parts(data)
    with pytest.raises(InputError, match=words):
        StackedFusion(estimator()).fit(train, qrels)


def test_stacked_fusion_unjudged_skip_omits_unjudged_items():
    frame = pd.DataFrame({"query": list("pppqqr"), "voter": "v", "item": list("abcabc"), "rank": [1, 2, 3, 1, 2, 1]})
    qrels = Qrels.from_dict({"p": {"a": 2, "c": -1}, "q": {"b": 1}, "r": {"c": 0}})
    for ranker in (ByGroup(), ByQuery(), Recorder()):
        fitted = StackedFusion(ranker, ["rank"], center=False, unjudged="skip", qrels=qrels).fit(frame).estimator_
        assert fitted.X_.ravel().tolist() == pytest.approx([1, 1 / 3, 1 / 2])
        assert fitted.y_.tolist() == ([3, 0, 1] if type(ranker) is Recorder else [2, 0, 1])
    fitted = StackedFusion(ByGroup(), ["rank"], unjudged="skip", qrels=qrels).fit(frame).estimator_
    assert fitted.group_.tolist() == [2, 1]


def test_stacked_fusion_target_applies_gain_and_relevance_threshold():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": list("abcd"), "rank": [1, 2, 3, 4]})
    qrels = Qrels.from_dict({"q": {"a": 1, "b": 3, "c": 2.5, "d": -2}})

    def target(estimator=None, **params):
        estimator = Recorder() if estimator is None else estimator
        return StackedFusion(estimator, qrels=qrels, **params).fit(frame).estimator_.y_.tolist()

    assert target() == pytest.approx([1, 7, 2**2.5 - 1, 0])
    assert target(gain="linear") == [1, 3, 2.5, 0]
    assert target(gain="linear", relevance_threshold=2) == [0, 3, 2.5, 0]
    assert target(ByGroup(), relevance_threshold=3) == [0, 3, 0, 0]
    with pytest.raises(InputError, match=r"`relevance_threshold` must be at most the highest grade, 3; got 4\. Lower"):
        target(relevance_threshold=4)
    huge = Qrels.from_dict({"q": {"a": 2000}})
    with pytest.raises(InputError, match=r"which overflows for the grade 2000\. Choose gain='linear'"):
        StackedFusion(Recorder(), qrels=huge).fit(frame)
    assert StackedFusion(Recorder(), gain="linear", qrels=huge).fit(frame).estimator_.y_[0] == 2000


# ---------------------------------------------------------------------- voters


def test_stacked_fusion_treats_unknown_voters_as_absent(data):
    frame, qrels = data
    queries = frame["query"].unique()
    train, test = frame[frame["query"].isin(queries[:8])], frame[frame["query"].isin(queries[8:])]
    stranger = test[test["voter"] == "v2"].assign(voter="new")
    stacked = StackedFusion(Ridge(), features=("reciprocal", "present"), qrels=Qrels.from_frame(qrels)).fit(train)
    more = pd.concat([test, stranger])  # which adds no candidates
    found, expected = stacked.transform(more), stacked.transform(test)
    index = expected.set_index(["query", "item"]).index
    assert_allclose(scores(found, index), scores(expected, index), atol=1e-12)
    fewer = test[test["voter"] != "v3"]
    assert len(stacked.transform(fewer)) == len(fewer[["query", "item"]].drop_duplicates())
    with pytest.raises(
        InputError, match=r"has no columns for voter 'new', because it was not fitted on this voter\. Fit it"
    ):
        clone(stacked).set_params(unknown_voter="error").fit(train).transform(more)
    clone(stacked).set_params(unknown_voter="error", features=["support"]).fit(train).transform(more)


def test_stacked_fusion_needs_support_for_queries_of_unknown_voters(data):
    frame, qrels = data
    others = frame.assign(voter=frame["voter"] + "x")
    for voters in (others, frame.assign(voter=frame["voter"].str[1:].astype(int))):
        stacked = StackedFusion(Ridge(), qrels=Qrels.from_frame(qrels)).fit(frame)
        words = r"was not fitted on any voter of query 'q01'.*that does not depend on single voters, such as 'support'"
        with pytest.raises(InputError, match=words) as caught:
            stacked.transform(voters)
        assert ("the ids here int" in str(caught.value)) == (voters is not others)
    with_support = StackedFusion(Ridge(), ["borda", CombSUM(norm="borda")], qrels=Qrels.from_frame(qrels)).fit(frame)
    assert with_support.transform(others)["score"].nunique() > 20


def test_stacked_fusion_has_no_columns_for_voters_of_unjudged_queries():
    frame = pd.DataFrame({"query": list("ppqq"), "voter": list("uvvw"), "item": list("abab"), "rank": 1})
    stacked = StackedFusion(Ridge(), qrels=Qrels.from_dict({"p": ["a"]})).fit(frame)
    assert stacked.voters_.tolist() == ["u", "v"]
    assert len(stacked.transform(frame)) == 4


def test_stacked_fusion_keeps_the_type_of_integer_voters():
    frame = pd.DataFrame({"query": "p", "voter": [1, 1, 2], "item": list("aba"), "rank": [1, 2, 1]})
    stacked = StackedFusion(Ridge(), ["borda", "support"], qrels=Qrels.from_dict({"p": ["a"]})).fit(frame)
    assert stacked.voters_.dtype == np.int64 and stacked.columns_["voter"].dropna().tolist() == [1, 2]
    assert stacked.transform(frame)["item"].tolist() == ["a", "b"]


def test_stacked_fusion_is_independent_of_names(data):
    frame, qrels = data
    stacked = StackedFusion(LinearRegression(), features=("borda", "min-max"))
    expected = stacked.fit_transform(frame, qrels=Qrels.from_frame(qrels))
    rng = np.random.default_rng(0)
    voters, items = (
        dict(zip(ids, rng.permutation(ids), strict=True)) for ids in (frame["voter"].unique(), frame["item"].unique())
    )
    renamed = frame.assign(voter=frame["voter"].map(voters), item=frame["item"].map(items))
    other = Qrels.from_frame(qrels.assign(item=qrels["item"].map(lambda item: items.get(item, item + "unseen"))))
    found = clone(stacked).fit_transform(renamed, qrels=other)
    expected = expected.assign(item=expected["item"].map(items)).set_index(["query", "item"])["score"]
    assert_allclose(scores(found, expected.index), expected, atol=1e-9)


# ---------------------------------------------------------------------- with scikit-learn


def test_stacked_fusion_accepts_judgements_in_three_ways_and_ignores_others(data):
    train, test, qrels = parts(data)
    expected = StackedFusion(Ridge()).fit(train, qrels.align(train)).transform(test)
    reversed_elsewhere = qrels.to_frame()
    elsewhere = reversed_elsewhere["query"].isin(test.queries)
    reversed_elsewhere.loc[elsewhere, "relevance"] = 5 - reversed_elsewhere.loc[elsewhere, "relevance"]
    for found in (
        StackedFusion(Ridge(), qrels=qrels).fit(train),
        StackedFusion(Ridge()).fit(train, qrels=qrels),
        StackedFusion(Ridge()).fit(train, qrels),
        StackedFusion(Ridge(), qrels=Qrels.from_frame(reversed_elsewhere)).fit(train),
    ):
        pd.testing.assert_frame_equal(found.transform(test), expected)


def test_grid_search_selects_estimator_parameters_and_features(data):
    frame, qrels = data
    lists, qrels = RankedLists.from_frame(frame), Qrels.from_frame(qrels)
    lists = lists.judged(qrels)
    y, scorer = qrels.align(lists), make_ranking_scorer("ndcg@5")
    grid = {"estimator__alpha": [0.1, 100.0], "features": [("borda",), ("min-max", "present"), ("rank", BordaCount())]}
    search = GridSearchCV(StackedFusion(Ridge()), grid, scoring=scorer, cv=3, error_score="raise").fit(lists, y)
    assert len(search.cv_results_["params"]) == 6 and search.best_estimator_.estimator_.alpha in (0.1, 100.0)
    best = clone(search.best_estimator_)
    assert cross_val_score(best, lists, y, scoring=scorer, cv=3).mean() == pytest.approx(search.best_score_)
    # By hand: the folds of KFold, fitted on the other queries alone.
    by_hand = []
    for test in np.array_split(np.arange(len(lists)), [5, 9]):
        train = np.setdiff1d(np.arange(len(lists)), test)
        run = clone(best).fit(lists[train], qrels).transform(lists[test])
        by_hand.append(evaluate(run, qrels, "ndcg@5", missing_queries="skip")["ndcg@5"].item())
    assert np.mean(by_hand) == pytest.approx(search.best_score_)


def test_stacked_fusion_works_in_a_pipeline_and_can_be_pickled(data):
    train, test, qrels = parts(data)
    pipeline = make_pipeline(TopK(5), StackedFusion(Ridge(), ("borda", BordaCount())))
    found = pipeline.fit(train, qrels.align(train)).transform(test)
    step = pipeline[-1]
    expected = clone(step).fit(TopK(5).fit_transform(train), qrels).transform(TopK(5).fit_transform(test))
    pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(pipeline)).transform(test), expected)


def test_stacked_fusion_transform_treats_queries_independently(data):
    train, test, qrels = parts(data)
    stacked = StackedFusion(DecisionTreeRegressor(random_state=0), ("borda", "support")).fit(train, qrels)
    whole = stacked.transform(test)
    for query in range(len(test)):
        alone = stacked.transform(test[[query]])
        expected = whole[whole["query"] == test.queries[query]].reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, expected)
    in_sample = clone(stacked).fit_transform(train, qrels)
    pd.testing.assert_frame_equal(in_sample, stacked.transform(train))


def test_stacked_fusion_improves_on_borda():
    frame, qrels, _ = make_ranked_lists(n_queries=60, n_voters=5, quality_spread=2.0, quality=0.3, random_state=1)
    lists, qrels = RankedLists.from_frame(frame), Qrels.from_frame(qrels)
    train, test = lists[:30], lists[30:]
    runs = {"borda": BordaCount().fit_transform(test)}
    for name, estimator in (("ridge", Ridge()), ("logistic", None)):
        runs[name] = StackedFusion(estimator).fit(train, qrels).transform(test)
    measured = evaluate(runs, qrels, "map", missing_queries="skip")["map"]
    assert measured["ridge"] > measured["borda"] + 0.03 and measured["logistic"] > measured["borda"] + 0.03


def test_comparator_without_cv_rejects_stacked_fusion(data):
    frame, qrels = data
    with pytest.raises(InputError, match="'stacked'"):
        Comparator([("stacked", StackedFusion(Ridge())), ("borda", BordaCount())], qrels=qrels).fit(frame)


# ---------------------------------------------------------------------- errors


@pytest.mark.exhaustive
def test_stacked_fusion_rejects_nan_features_for_estimators_without_nan(data):
    train, test, qrels = parts(data)
    words = "The feature 'score' is NaN if a list does not contain the item, but Ridge does not accept NaN. Replace"
    with pytest.raises(InputError, match=words):
        StackedFusion(Ridge(), ["score"]).fit(train, qrels)
    for estimator in (HistGradientBoostingRegressor(max_iter=5), make_pipeline(SimpleImputer(), Ridge())):
        found = StackedFusion(estimator, ["score", "present"]).fit(train, qrels).transform(test)
        assert found["score"].nunique() > 10
    # Full lists have no NaN: what was learnt on them can still meet some.
    full, judged, _ = make_ranked_lists(n_queries=4, n_items=6, list_length=None, random_state=0)
    stacked = StackedFusion(Ridge(), ["score"]).fit(full, Qrels.from_frame(judged))
    assert stacked.transform(full)["score"].nunique() > 4
    with pytest.raises(InputError, match="Ridge does not accept NaN"):
        stacked.transform(full.iloc[1:].reset_index(drop=True))


@pytest.mark.parametrize(("estimator", "name"), [(Ridge(), "Ridge"), (make_pipeline(PCA(1), Ridge()), "PCA")])
def test_stacked_fusion_rejects_nan_scores_if_the_first_step_does_not_accept_nan(data, estimator, name):
    train, _, qrels = parts(data)
    with pytest.raises(InputError, match=f"'score' is NaN .* but {name} does not accept NaN"):
        StackedFusion(estimator, ["score"]).fit(train, qrels)
    accepting = make_pipeline(SimpleImputer(), Ridge())
    StackedFusion(accepting, ["score"]).fit(train, qrels)


def test_folds_of_a_splitter_of_groups_are_those_of_the_splitter():
    query = np.repeat(np.arange(7), 3)
    found = _whole_queries._folds(GroupKFold(3), Ridge(), np.zeros(21), query)
    expected = list(GroupKFold(3).split(query[:, None], groups=query))
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(np.concatenate(one), np.concatenate(other))
    assert sorted(np.concatenate([test for _, test in found])) == list(range(21))


def test_stacked_fusion_needs_scores_for_score_features_and_rejects_weights(data):
    frame, qrels = data
    ranks, qrels = (
        frame.assign(rank=frame.groupby(["query", "voter"])["score"].rank(ascending=False)),
        Qrels.from_frame(qrels),
    )
    ranks = ranks.drop(columns="score")
    for features in (["score"], ["borda", "min-max"], [CombSUM()]):
        with pytest.raises(InputError, match="or choose features of ranks, such as 'borda' and 'present'"):
            StackedFusion(Ridge(), features, qrels=qrels).fit(ranks)
    assert len(StackedFusion(Ridge(), ["rank", Kemeny()], qrels=qrels).fit_transform(ranks))
    with pytest.raises(InputError, match="StackedFusion cannot weigh lists"):
        StackedFusion(Ridge(), qrels=qrels).fit(frame.assign(weight=2.0))


@pytest.mark.parametrize(
    ("params", "error", "words"),
    [
        ({"features": ["bordas"]}, InputError, r"got 'bordas' \(did you mean 'borda'\?\)"),
        ({"features": []}, InputError, r"`features` must not be empty; got \[\]. Choose among present, score, min-max"),
        ({"features": "borda"}, ValueError, "'features' parameter of StackedFusion must be"),
        ({"features": [3]}, InputTypeError, "`features` must be names or aggregators; got int"),
        ({"features": [BordaCount]}, InputTypeError, "`features` must be names or aggregators; got"),
        (
            {"features": [StackedFusion()]},
            InputError,
            r"must not .* learns from judgements.*put an AggregatorUnion",
        ),
        (
            {"features": [LocalKemenization(StackedFusion())]},
            InputError,
            "must not contain an aggregator that learns from judgements",
        ),
        (
            {"estimator": Ridge},
            InputTypeError,
            r"`estimator` must be an estimator; got the class Ridge\. Write Ridge\(\)",
        ),
        ({"estimator": BordaCount()}, ValueError, "'estimator' parameter of StackedFusion must be"),
        ({"center": "auto"}, ValueError, "'center' parameter of StackedFusion must be"),
        ({"relevance_threshold": 0}, ValueError, "'relevance_threshold' parameter of StackedFusion must be"),
        (
            {"estimator": VotingClassifier([("a", LogisticRegression())])},
            InputError,
            "must have a decision_function or predict_proba",
        ),
    ],
    ids=lambda part: repr(part)[:50],
)
def test_stacked_fusion_rejects_invalid_parameters(data, params, error, words):
    train, _, qrels = parts(data)
    with pytest.raises(error, match=words):
        StackedFusion(**params).fit(train, qrels)


def test_stacked_fusion_rejects_a_classifier_with_one_class():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": list("ab"), "rank": [1, 2]})
    qrels = Qrels.from_dict({"q": ["a"]})
    with pytest.raises(InputError, match="A classifier needs relevant and nonrelevant items"):
        StackedFusion(unjudged="skip", qrels=qrels).fit(frame)
    assert StackedFusion(qrels=qrels).fit_transform(frame)["item"].tolist() == ["a", "b"]


def test_stacked_fusion_raises_memory_limit_error(data):
    train, test, qrels = parts(data)
    stacked = StackedFusion(DummyRegressor()).fit(train, qrels)
    cells = test.n_candidates * len(stacked.columns_)
    with skrankagg.config_context(memory_limit=26 * cells):
        stacked.transform(test)
    words = f"a matrix of {test.n_candidates} candidates x 8 columns"
    with skrankagg.config_context(memory_limit=26 * cells - 1):
        with pytest.raises(MemoryLimitError, match=words):
            stacked.transform(test)
        with pytest.raises(MemoryLimitError, match="StackedFusion needs about"):
            clone(stacked).fit(train[:0:-1], qrels)


def test_stacked_fusion_sets_nested_parameters():
    stacked = StackedFusion(Ridge()).set_params(estimator__alpha=7.0)
    assert stacked.estimator.alpha == 7.0
    assert inspect.signature(StackedFusion).parameters["features"].default == ("borda", "present")


@pytest.mark.exhaustive
def test_stacked_fusion_stated_memory_covers_the_peak():
    frame, qrels, _ = make_ranked_lists(n_queries=60, n_voters=40, n_items=200, list_length=20, random_state=0)
    lists, qrels = RankedLists.from_frame(frame), Qrels.from_frame(qrels)
    for estimator in (Ridge(), LinearRegression(), HistGradientBoostingRegressor(max_iter=2)):
        stacked = StackedFusion(estimator, ("borda", "present")).fit(lists, qrels)
        for call in (lambda one=stacked: one.fit(lists, qrels), lambda one=stacked: one._aggregate(lists)):
            tracemalloc.start()
            call()
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < 26 * lists.n_candidates * len(stacked.columns_)
