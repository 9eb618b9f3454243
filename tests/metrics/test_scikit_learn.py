"""Scorers, splitters, and every entry point of scikit-learn's model selection, each with a known result.

The expected numbers are computed differently: aggregate all queries at once, measure each, average over the folds.
"""

import pickle
from itertools import combinations

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.stats import uniform
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    LearningCurveDisplay,
    RandomizedSearchCV,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.pipeline import make_pipeline

from skrankagg import DIBRA, CombSUM, Comparator, Copeland, Qrels, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.datasets import make_ranked_lists
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import QueryKFold, QueryShuffleSplit
from skrankagg.preprocessing import TopK

FRAME, QRELS, _ = make_ranked_lists(
    n_queries=11, n_voters=6, n_items=25, list_length=20, absent_share=0.1, quality=0.3, random_state=0
)
QRELS = QRELS[QRELS["query"] != "q04"].reset_index(drop=True)  # it is not judged
LISTS = RankedLists.from_frame(FRAME)
ENCODED = Qrels.from_frame(QRELS)
QUERIES = np.asarray(LISTS.queries)
SCORER = make_ranking_scorer("ndcg@10", qrels=QRELS)
FOLDS = [test for _, test in KFold(4).split(QUERIES)]
KS = [1, 20, 200]
NORMS = ["borda", "rank", "min-max"]
INPUTS = pytest.mark.parametrize(("X", "cv"), [(LISTS, 4), (FRAME, QueryKFold(4))], ids=["RankedLists", "frame"])


def per_query(method, metric="ndcg@10"):
    return evaluate(method.fit_transform(FRAME), QRELS, [metric], per_query=True)[metric]


def by_fold(method, metric="ndcg@10"):
    values = per_query(method, metric)
    return [values[values.index.isin(QUERIES[test])].mean() for test in FOLDS]


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# ---------------------------------------------------------------------- the scorer


def test_ranking_scorer_measures_the_judged_queries_of_its_lists():
    method = CombSUM().fit(LISTS)
    values = per_query(method)
    assert SCORER(method, FRAME) == SCORER(method, LISTS) == pytest.approx(values.mean(), rel=1e-12)
    part = LISTS[[0, 3, 5]]  # q04 is the one at 3
    assert SCORER(method, part) == pytest.approx(values[QUERIES[[0, 5]]].mean(), rel=1e-12)


def test_weighted_mean_of_fold_scores_equals_the_overall_score():
    method = CombSUM()
    judged = [np.isin(QUERIES[test], ENCODED.queries).sum() for test in FOLDS]
    scores = cross_val_score(method, LISTS, scoring=SCORER, cv=4)
    assert len(set(judged)) > 1
    assert np.average(scores, weights=judged) == pytest.approx(SCORER(method, LISTS), rel=1e-12)


def test_ranking_scorer_computes_several_measures_from_one_aggregation():
    class Counting(CombSUM):
        calls = 0

        def _aggregate(self, lists):
            Counting.calls += 1
            return super()._aggregate(lists)

    scores = make_ranking_scorer(["map", "p@5[relevance_threshold=2]", "num_rel"], qrels=QRELS)(Counting(), LISTS)
    assert Counting.calls == 1
    expected = evaluate(CombSUM().fit_transform(FRAME), QRELS, list(scores)).loc["run"]
    assert list(scores) == ["map", "p@5[relevance_threshold=2]", "num_rel"]
    close(list(scores.values()), expected)
    assert all(type(score) is float for score in scores.values())


def test_make_ranking_scorer_passes_conventions_to_measures():
    linear = make_ranking_scorer("ndcg@10", qrels=QRELS, gain="linear")
    assert linear(CombSUM(), LISTS) == make_ranking_scorer("ndcg@10[gain=linear]", qrels=QRELS)(CombSUM(), LISTS)
    assert linear(CombSUM(), LISTS) != SCORER(CombSUM(), LISTS)


def test_ranking_scorer_counts_a_judged_query_without_results_as_zero():
    class Forgetful(CombSUM):
        def transform(self, X):
            return super().transform(X).query("query != 'q01'").reset_index(drop=True)

    class Wrapped(sklearn.base.TransformerMixin, sklearn.base.BaseEstimator):
        def fit(self, X, y=None):
            return self

        def transform(self, X):
            return Forgetful().transform(X)

    values = per_query(CombSUM())
    assert SCORER(Wrapped(), LISTS) == pytest.approx(values.drop("q01").sum() / len(values), rel=1e-12)


def test_ranking_scorer_is_an_estimator():
    assert "metrics='ndcg@10'" in repr(clone(SCORER))
    again = pickle.loads(pickle.dumps(SCORER))
    assert again(CombSUM(), LISTS) == SCORER(CombSUM(), LISTS)
    assert clone(SCORER).set_params(metrics="map")(CombSUM(), LISTS) == make_ranking_scorer("map", qrels=QRELS)(
        CombSUM(), LISTS
    )


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: make_ranking_scorer("ndgc@10"), ValueError, "'ndgc@10' is not a measure"),
        (lambda: make_ranking_scorer([]), ValueError, "at least one measure"),
        (lambda: make_ranking_scorer("map", gains="linear"), ValueError, "'gains' is not a convention"),
        (lambda: make_ranking_scorer("map", qrels=[1]), TypeError, "data frame"),
        (lambda: make_ranking_scorer("map")(CombSUM(), LISTS), ValueError, "needs judgements"),
        (lambda: SCORER(CombSUM(), LISTS, QRELS), TypeError, "`y` must be a Qrels.*Qrels.from_frame"),
        (lambda: SCORER(CombSUM(), LISTS, qrels=QRELS), TypeError, "`qrels` must be a Qrels.*Qrels.from_frame"),
        (
            lambda: SCORER(CombSUM(), LISTS, np.zeros(11)),
            ValueError,
            r"are strings, such as 'q01'; got 0\.0\. If",
        ),
        (lambda: SCORER(CombSUM(), LISTS, [*"abcdefghijk"]), ValueError, "`y` must have ids of judged queries"),
        (lambda: SCORER(CombSUM(), LISTS, QUERIES[:4]), ValueError, "for each of the 11 samples"),
        (lambda: SCORER(CombSUM(), FRAME, FRAME["query"]), ValueError, "RankedLists.from_frame"),
        (lambda: SCORER(CombSUM(), LISTS[[3]]), ValueError, "share no query id"),
    ],
)
def test_ranking_scorer_rejects_invalid_input(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


# ---------------------------------------------------------------------- splitters


def test_query_k_fold_equals_k_fold_on_ranked_lists():
    for (train, test), (queries, held_out) in zip(QueryKFold(4).split(FRAME), KFold(4).split(LISTS), strict=True):
        assert set(FRAME["query"].iloc[train]) == set(QUERIES[queries])
        assert set(FRAME["query"].iloc[test]) == set(QUERIES[held_out])
        assert sorted([*train, *test]) == list(range(len(FRAME)))
    for ours, theirs in zip(QueryKFold(4).split(LISTS), KFold(4).split(LISTS), strict=True):
        assert ours[0].tolist() == theirs[0].tolist() and ours[1].tolist() == theirs[1].tolist()


@pytest.mark.parametrize("shuffled", [FRAME, FRAME.sample(frac=1, random_state=1)], ids=["sorted", "shuffled"])
def test_query_splitters_keep_queries_whole(shuffled):
    splitters = (QueryKFold(3, shuffle=True, random_state=0), QueryShuffleSplit(5, test_size=0.3, random_state=0))
    for splitter in splitters:
        assert splitter.get_n_splits() == len(list(splitter.split(shuffled)))
        for train, test in splitter.split(shuffled):
            assert not set(shuffled["query"].iloc[train]) & set(shuffled["query"].iloc[test])
    train, test = next(QueryShuffleSplit(1, test_size=2, train_size=3, random_state=0).split(shuffled))
    assert shuffled["query"].iloc[train].nunique() == 3 and shuffled["query"].iloc[test].nunique() == 2


def test_query_k_fold_accepts_any_frame_and_column_name():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({name: FRAME[name].to_list() for name in FRAME.columns})
    for (train, _), (expected, _) in zip(QueryKFold(4).split(frame), QueryKFold(4).split(FRAME), strict=True):
        assert train.tolist() == expected.tolist()
    renamed = FRAME.rename(columns={"query": "qid"})
    train, _ = next(QueryKFold(4, query="qid").split(renamed))
    assert train.tolist() == next(QueryKFold(4).split(FRAME))[0].tolist()
    shown = " ".join(repr(QueryKFold(4)).split())
    assert shown == "QueryKFold(n_splits=4, qrels=None, query='query', random_state=None, shuffle=False)"


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: QueryKFold(1), ValueError, "n_splits=2 or more"),
        (lambda: QueryKFold(5, random_state=0), ValueError, "shuffle"),
        (lambda: list(QueryKFold(12).split(FRAME)), ValueError, "number of queries, which is 11; got 12"),
        (lambda: list(QueryKFold().split(FRAME.drop(columns="query"))), ValueError, "missing the column"),
        (lambda: list(QueryKFold().split([[1]])), TypeError, r"got list\. Encode it with RankedLists\.from_runs"),
    ],
)
def test_query_splitters_reject_invalid_input(make, kind, words):
    with pytest.raises(kind, match=words):
        make()


# ---------------------------------------------------------------------- entry points


@INPUTS
def test_cross_val_score_equals_per_fold_evaluation(X, cv):
    close(cross_val_score(CombSUM(), X, scoring=SCORER, cv=cv), by_fold(CombSUM()))


@INPUTS
def test_cross_validate_supports_several_measures(X, cv):
    scorer = make_ranking_scorer(["ndcg@10", "map"], qrels=QRELS)
    result = cross_validate(Copeland(), X, scoring=scorer, cv=cv, return_estimator=True, return_indices=True)
    close(result["test_ndcg@10"], by_fold(Copeland()))
    close(result["test_map"], by_fold(Copeland(), "map"))


@pytest.mark.sampled(1)
@INPUTS
@pytest.mark.parametrize("n_jobs", [None, "threads", "loky"])
def test_grid_search_selects_the_best_parameter(X, cv, n_jobs):
    search = GridSearchCV(CombSUM(), {"norm": NORMS}, scoring=SCORER, cv=cv, n_jobs=None if n_jobs is None else 2)
    with joblib.parallel_config("threading" if n_jobs == "threads" else "loky"):
        search.fit(X)
    expected = [np.mean(by_fold(CombSUM(norm=norm))) for norm in NORMS]
    close(search.cv_results_["mean_test_score"], expected)
    assert search.best_params_ == {"norm": NORMS[int(np.argmax(expected))]}
    pd.testing.assert_frame_equal(search.transform(X), CombSUM(**search.best_params_).fit_transform(FRAME))
    assert search.score(X) == pytest.approx(per_query(CombSUM(**search.best_params_)).mean(), rel=1e-12)


@INPUTS
def test_grid_search_supports_several_measures(X, cv):
    scorer = make_ranking_scorer(["map", "ndcg@10"], qrels=QRELS)
    search = GridSearchCV(ReciprocalRankFusion(), {"k": KS}, scoring=scorer, cv=cv, refit="ndcg@10").fit(X)
    close(search.cv_results_["mean_test_ndcg@10"], [np.mean(by_fold(ReciprocalRankFusion(k=k))) for k in KS])
    close(search.cv_results_["mean_test_map"], [np.mean(by_fold(ReciprocalRankFusion(k=k), "map")) for k in KS])


@INPUTS
def test_randomized_search_scores_equal_per_fold_evaluation(X, cv):
    search = RandomizedSearchCV(
        ReciprocalRankFusion(), {"k": uniform(1, 100)}, n_iter=3, scoring=SCORER, cv=cv, random_state=0
    ).fit(X)
    expected = [np.mean(by_fold(ReciprocalRankFusion(k=k))) for k in search.cv_results_["param_k"]]
    close(search.cv_results_["mean_test_score"], expected)


def test_halving_search_uses_queries_as_resource():
    judged = LISTS[[k for k in range(11) if k != 3]]
    search = HalvingGridSearchCV(
        CombSUM(), {"norm": NORMS}, scoring=SCORER, cv=2, min_resources=4, factor=2, random_state=0
    ).fit(judged)
    assert search.n_resources_ == [4, 8]
    last = search.cv_results_["iter"] == 1
    assert last.sum() == 2
    for norm, score in zip(
        search.cv_results_["param_norm"][last], search.cv_results_["mean_test_score"][last], strict=True
    ):
        # The search chooses eight queries; its score is the mean of two folds of four of them.
        values = per_query(CombSUM(norm=norm))
        assert any(abs(np.mean(eight) - score) < 1e-12 for eight in combinations(values, 8))


def test_learning_curve_counts_queries():
    sizes, train, test = learning_curve(
        CombSUM(), LISTS, None, scoring=SCORER, cv=QueryKFold(4), train_sizes=[2, 5, 8], error_score="raise"
    )
    assert sizes.tolist() == [2, 5, 8]
    for column in test:  # it learns nothing
        close(column, by_fold(CombSUM()))
    values = per_query(CombSUM())
    first = QUERIES[np.setdiff1d(np.arange(11), FOLDS[1])[:5]]
    assert train[1, 1] == pytest.approx(values[values.index.isin(first)].mean(), rel=1e-12)


def test_learning_curve_display_is_labelled_with_the_measure():
    pytest.importorskip("matplotlib").use("Agg")
    display = LearningCurveDisplay.from_estimator(CombSUM(), LISTS, None, scoring=SCORER, cv=2, train_sizes=[2, 5])
    assert display.ax_.get_ylabel() == "Ndcg@10"  # scikit-learn's capital
    assert make_ranking_scorer(["map", "p@5"]).__name__ == "map, p@5"


@INPUTS
def test_validation_curve_equals_per_fold_evaluation(X, cv):
    _, test = validation_curve(
        ReciprocalRankFusion(), X, None, param_name="k", param_range=KS, scoring=SCORER, cv=cv, error_score="raise"
    )
    close(test, [by_fold(ReciprocalRankFusion(k=k)) for k in KS])


@pytest.mark.parametrize("y", [QUERIES, LISTS.queries], ids=["array", "index"])
def test_permutation_test_score_permutes_judgements_between_queries(y):
    score, permuted, pvalue = permutation_test_score(
        CombSUM(), LISTS, y, scoring=SCORER, cv=4, n_permutations=20, random_state=0
    )
    assert score == pytest.approx(np.mean(by_fold(CombSUM())), rel=1e-12)
    assert permuted.max() < score and pvalue == pytest.approx(1 / 21)
    swapped = QUERIES[[1, 0, *range(2, 11)]]
    q0, q1 = (QRELS.assign(query=QRELS["query"].map({"q01": "q02", "q02": "q01"}).fillna(QRELS["query"])), QRELS)
    assert SCORER(CombSUM(), LISTS, swapped) == make_ranking_scorer("ndcg@10", qrels=q0)(CombSUM(), LISTS)
    assert SCORER(CombSUM(), LISTS, QUERIES) == make_ranking_scorer("ndcg@10", qrels=q1)(CombSUM(), LISTS)


# The ids of the queries are 0 to n - 1, so that every class label is the id of some query.
NUMBERED = RankedLists.from_frame(FRAME.assign(query=FRAME["query"].str[1:].astype(int) - 1))
NUMBERED_QRELS = QRELS.assign(query=QRELS["query"].str[1:].astype(int) - 1)
NUMBERED_SCORER = make_ranking_scorer("ndcg@10", qrels=NUMBERED_QRELS)
LABELS = np.arange(11) % 2


@pytest.mark.parametrize(
    ("y", "words"),
    [
        (LABELS, "`y` must have each id of a query once; got 0 for 6 of the 11 samples. If y has class labels"),
        (LABELS.tolist(), "got 0 for 6 of the 11 samples"),
        (1 - LABELS.astype(float), r"got 1\.0 for 6 of the 11 samples"),
        (pd.Series(LABELS, dtype="category"), "got 0 for 6 of the 11 samples"),
        (np.array([*range(10), 3]), "got 3 for 2 of the 11 samples"),
        (LABELS == 1, "ids of queries, which are numbers, such as 0; got False. If"),
        (LABELS.astype(str), "ids of queries, which are numbers, such as 0; got '0'. If"),
        (np.arange(11) + 0.5, r"ids of queries, such as 0; got 0\.5\. If"),
        (np.array([0.0, np.nan, *range(2, 11)]), "ids of queries, such as 0; got nan. If"),
    ],
    ids=lambda part: "" if isinstance(part, str) else str(np.asarray(part).dtype),
)
def test_ranking_scorer_rejects_class_labels_as_y(y, words):
    with pytest.raises(ValueError, match=words):
        NUMBERED_SCORER(CombSUM(), NUMBERED, y)


def test_model_selection_tools_reject_class_labels_as_y():
    for call in (
        lambda: cross_val_score(CombSUM(), NUMBERED, LABELS, scoring=NUMBERED_SCORER, cv=3, error_score="raise"),
        lambda: GridSearchCV(CombSUM(), {"norm": NORMS}, scoring=NUMBERED_SCORER, cv=3, error_score="raise").fit(
            NUMBERED, LABELS
        ),
        lambda: permutation_test_score(CombSUM(), NUMBERED, LABELS, scoring=NUMBERED_SCORER, cv=3),
    ):
        with pytest.raises(ValueError, match=r"`y` must have each id of a query once; got 0 for 2 of the 4 samples"):
            call()
    # As the message advises, labels only choose the folds.
    by_label = list(StratifiedKFold(3).split(NUMBERED, LABELS))
    found = cross_val_score(CombSUM(), NUMBERED, scoring=NUMBERED_SCORER, cv=by_label)
    values = per_query(CombSUM())
    close(found, [values[values.index.isin(QUERIES[test])].mean() for _, test in by_label])


def test_permutation_test_score_accepts_numeric_query_ids():
    for y in (NUMBERED.queries, NUMBERED.queries.tolist(), np.arange(11.0)):
        score, permuted, _ = permutation_test_score(
            CombSUM(), NUMBERED, y, scoring=NUMBERED_SCORER, cv=4, n_permutations=20, random_state=0
        )
        assert score == pytest.approx(np.mean(by_fold(CombSUM())), rel=1e-12)
        assert permuted.max() < score


@INPUTS
def test_nested_cross_validation_equals_manual_selection(X, cv):
    inner = GridSearchCV(CombSUM(), {"norm": NORMS}, scoring=SCORER, cv=2 if X is LISTS else QueryKFold(2))
    found = cross_val_score(inner, X, scoring=SCORER, cv=cv)
    values = {norm: per_query(CombSUM(norm=norm)) for norm in NORMS}
    for k, test in enumerate(FOLDS):
        train = QUERIES[np.setdiff1d(np.arange(11), test)]
        halves = np.array_split(train, 2)
        inside = {
            norm: np.mean([values[norm][values[norm].index.isin(half)].mean() for half in halves]) for norm in NORMS
        }
        best = max(NORMS, key=inside.get)
        chosen = values[best]
        assert found[k] == pytest.approx(chosen[chosen.index.isin(QUERIES[test])].mean(), rel=1e-12)


SPLITTERS = [4, KFold(4, shuffle=True, random_state=0), ShuffleSplit(3, test_size=4, random_state=1)]


@pytest.mark.parametrize("cv", SPLITTERS, ids=["folds", "shuffled folds", "random splits"])
def test_cross_val_score_is_the_same_with_queries_as_y(cv):
    expected = cross_val_score(CombSUM(norm="borda"), LISTS, scoring=SCORER, cv=cv)
    for y in (QUERIES, LISTS.queries, QUERIES.tolist()):
        close(cross_val_score(CombSUM(norm="borda"), LISTS, y, scoring=SCORER, cv=cv), expected)


def test_train_test_split_splits_lists_and_queries_alike():
    train, test, y_train, y_test = train_test_split(LISTS, LISTS.queries, random_state=0)
    assert train.queries.tolist() == list(y_train) and test.queries.tolist() == list(y_test)
    method = CombSUM(norm="borda").fit(train)
    assert SCORER(method, test, y_test) == pytest.approx(SCORER(method, test), rel=1e-12)
    score, _, _ = permutation_test_score(method, train, y_train, scoring=SCORER, cv=2, n_permutations=2, random_state=0)
    close(score, cross_val_score(method, train, scoring=SCORER, cv=2).mean())


def test_train_test_split_and_shuffle_split_split_between_queries():
    train, test = train_test_split(LISTS, test_size=0.3, random_state=0)
    assert (len(train), len(test)) == (7, 4) and not set(train.queries) & set(test.queries)
    cv = ShuffleSplit(3, test_size=4, random_state=1)
    expected = per_query(CombSUM())
    expected = [expected[expected.index.isin(QUERIES[held_out])].mean() for _, held_out in cv.split(QUERIES)]
    close(cross_val_score(CombSUM(), LISTS, scoring=SCORER, cv=cv), expected)


# ---------------------------------------------------------------------- errors


def test_cross_val_score_is_nan_for_a_fold_without_judged_queries():
    with pytest.warns(UserWarning, match="share no query id"):
        scores = cross_val_score(CombSUM(), LISTS, scoring=SCORER, cv=11)
    assert np.isnan(scores[3]) and not np.isnan(np.delete(scores, 3)).any()
    close(np.delete(scores, 3), per_query(CombSUM()))
    with pytest.raises(ValueError, match="share no query id"):
        cross_val_score(CombSUM(), LISTS, scoring=SCORER, cv=11, error_score="raise")


def test_cross_val_score_rejects_a_frame_of_judgements_as_y():
    y = pd.DataFrame({"query": QUERIES, "item": "i01", "relevance": 1})  # as long as the lists: it would be sliced
    with pytest.raises(TypeError, match=r"`y` must be a Qrels.*Qrels\.from_frame"):
        cross_val_score(CombSUM(), LISTS, y, scoring=SCORER, cv=4, error_score="raise")


# ---------------------------------------------------------------------- metadata routing


@INPUTS
def test_metadata_routing_passes_qrels_unsplit(X, cv):
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("ndcg@10").set_score_request(qrels=True)
        close(cross_val_score(CombSUM(), X, scoring=scorer, cv=cv, params={"qrels": ENCODED}), by_fold(CombSUM()))
        search = GridSearchCV(CombSUM(), {"norm": NORMS}, scoring=scorer, cv=cv).fit(X, qrels=ENCODED)
        close(search.cv_results_["mean_test_score"], [np.mean(by_fold(CombSUM(norm=norm))) for norm in NORMS])
        with pytest.raises(TypeError, match=r"`qrels` must be a Qrels.*Qrels\.from_frame"):
            cross_val_score(CombSUM(), X, scoring=scorer, cv=cv, params={"qrels": QRELS}, error_score="raise")


def test_metadata_routing_passes_qrels_to_a_comparator():
    members = [("rrf", ReciprocalRankFusion()), ("sum", CombSUM())]
    expected = cross_val_score(Comparator(members, metrics="ndcg@10", qrels=ENCODED), LISTS, cv=4)
    with sklearn.config_context(enable_metadata_routing=True):
        comparator = Comparator(members, metrics="ndcg@10").set_fit_request(qrels=True).set_score_request(qrels=True)
        close(cross_val_score(comparator, LISTS, cv=4, params={"qrels": ENCODED}), expected)


def test_comparator_can_be_the_last_step_of_a_pipeline():
    comparator = Comparator([("rrf", ReciprocalRankFusion()), ("sum", CombSUM())], metrics="ndcg@10", qrels=ENCODED)
    pipeline = make_pipeline(TopK(5), comparator)
    close(cross_val_score(pipeline, LISTS, cv=4), cross_val_score(comparator, TopK(5).fit_transform(LISTS), cv=4))
    assert pipeline.fit(LISTS).transform(LISTS).columns.tolist() == ["query", "item", "score", "rank"]


@pytest.mark.twice
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_cross_val_score_accepts_frames_of_other_libraries(library):
    module = pytest.importorskip(library)
    make = module.DataFrame if library == "polars" else module.table
    frame = make({name: FRAME[name].to_list() for name in FRAME.columns})
    close(cross_val_score(CombSUM(), frame, scoring=SCORER, cv=QueryKFold(4)), by_fold(CombSUM()))


def test_metadata_routing_rejects_qrels_without_request():
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("ndcg@10")
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="qrels"):
            cross_val_score(CombSUM(), LISTS, scoring=scorer, cv=4, params={"qrels": ENCODED})


# ---------------------------------------------------------------------- the Comparator


def test_comparator_supports_grid_search_and_cross_validation():
    comparator = Comparator([("rrf", ReciprocalRankFusion()), ("sum", CombSUM())], metrics="ndcg@10", qrels=QRELS)
    grid = {"rrf__k": [1, 200], "sum__norm": ["rank", "min-max"]}
    search = GridSearchCV(comparator, grid, cv=4).fit(LISTS)
    candidates = {
        (k, norm): [per_query(ReciprocalRankFusion(k=k)), per_query(CombSUM(norm=norm))]
        for k in grid["rrf__k"]
        for norm in grid["sum__norm"]
    }
    for params, row in zip(search.cv_results_["params"], range(4), strict=True):
        methods = candidates[params["rrf__k"], params["sum__norm"]]
        for fold, test in enumerate(FOLDS):
            held_out = methods[0].index.isin(QUERIES[test])
            best = max(methods, key=lambda values: values[~held_out].mean())
            found = search.cv_results_[f"split{fold}_test_score"][row]
            assert found == pytest.approx(best[held_out].mean(), rel=1e-12)
    assert search.best_estimator_.best_name_ in {"rrf", "sum"}
    scorer = make_ranking_scorer("ndcg@10", qrels=QRELS)
    close(cross_val_score(comparator, LISTS, cv=4), cross_val_score(comparator, LISTS, scoring=scorer, cv=4))


def test_grid_search_can_replace_and_drop_members_of_a_comparator():
    comparator = Comparator([("one", CombSUM()), ("two", Copeland())], metrics="map", qrels=QRELS)
    search = GridSearchCV(comparator, {"two": ["drop", ReciprocalRankFusion()]}, cv=4).fit(LISTS)
    close(search.cv_results_["mean_test_score"][0], np.mean(by_fold(CombSUM(), "map")))


def test_grid_search_sets_nested_parameters_of_meta_estimators():
    search = GridSearchCV(DIBRA(CombSUM()), {"aggregator__norm": ["rank", "min-max"]}, scoring=SCORER, cv=4).fit(LISTS)
    expected = [np.mean(by_fold(DIBRA(CombSUM(norm=norm)))) for norm in ("rank", "min-max")]
    close(search.cv_results_["mean_test_score"], expected)


# ---------------------------------------------------------------------- weights that are learnt


@pytest.mark.parametrize("unknown_voter", ["mean", "ignore"])
def test_dibra_weights_from_training_queries_improve_held_out_queries(unknown_voter):
    frame, qrels, _ = make_ranked_lists(
        n_queries=40, n_voters=20, list_length=8, quality=0.3, quality_spread=1.0, adversarial_share=0.2, random_state=2
    )
    lists, scorer = RankedLists.from_frame(frame), make_ranking_scorer("ndcg@10", qrels=qrels)
    train, test = lists[np.arange(30)], lists[np.arange(30, 40)]
    base = scorer(CombSUM(norm="borda").fit(train), test)
    learnt = DIBRA(weighting="global", unknown_voter=unknown_voter).fit(train)
    assert scorer(learnt, test) > base + 0.1
    folds = {
        weighting: cross_val_score(
            DIBRA(weighting=weighting, unknown_voter=unknown_voter), lists, scoring=scorer, cv=5
        ).mean()
        for weighting in ("query", "global")
    }
    plain = cross_val_score(CombSUM(norm="borda"), lists, scoring=scorer, cv=5).mean()
    assert folds["global"] > folds["query"] + 0.05 and folds["query"] > plain + 0.05


def test_dibra_applies_unknown_voter_to_voters_absent_from_training():
    train = FRAME[FRAME["voter"] != "v3"]
    weights = DIBRA(weighting="global", weight_norm=None).fit(train).voter_weights_
    seen = dict(zip(weights["voter"], weights["weight"], strict=True))
    for policy, weight in (("mean", np.mean(list(seen.values()))), ("ignore", 0.0)):
        given = CombSUM(norm="borda", voter_weights={**seen, "v3": weight})
        learnt = DIBRA(weighting="global", unknown_voter=policy, weight_norm=None).fit(train)
        pd.testing.assert_frame_equal(learnt.transform(FRAME), given.fit_transform(FRAME))
    with pytest.raises(ValueError, match="'v3'"):
        DIBRA(weighting="global", unknown_voter="error").fit(train).transform(FRAME)


# ---------------------------------------------------------------------- progress


def test_grid_search_reports_progress_to_callbacks():
    callback = pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")

    class Count:
        """A callback that counts the tasks of a search."""

        ended = 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context, **data):
            pass

        def on_fit_task_end(self, estimator, context, **data):
            Count.ended += 1

    assert isinstance(Count(), callback.FitCallback)
    search = GridSearchCV(CombSUM(), {"norm": NORMS}, scoring=SCORER, cv=4).set_callbacks(Count())
    search.fit(LISTS)
    assert Count.ended >= len(NORMS) * 4
