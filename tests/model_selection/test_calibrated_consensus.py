"""CalibratedConsensus: isotonic and logistic fits by definition, features, folds of whole queries, and errors."""

import importlib
import pickle
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline

from skrankagg import (
    BordaCount,
    Comparator,
    Copeland,
    LearnedWeights,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    evaluate,
)
from skrankagg.base import BaseAggregator, SupervisedAggregator
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import make_ranking_scorer
from skrankagg.metrics._judging._consensus_rows import ConsensusRows
from skrankagg.model_selection import CalibratedConsensus, cross_val_consensus
from skrankagg.model_selection._judged_consensus import JudgedConsensus
from skrankagg.preprocessing import TopK, VoterWeighter

pytestmark = pytest.mark.twice

RRF = ReciprocalRankFusion()


def data(n_queries=30, **sizes):
    sizes = {"n_items": 14, "list_length": 9, "quality": 0.3, "random_state": 0} | sizes
    lists, qrels, _ = make_ranked_lists(n_queries=n_queries, **sizes)
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels)


LISTS, QRELS = data()


def with_relevant(consensus, qrels=QRELS):
    judged = qrels.to_frame()
    judged = judged[judged["relevance"] > 0].assign(relevant=True)[["query", "item", "relevant"]]
    both = consensus.merge(judged, on=["query", "item"], how="left")
    return both.assign(relevant=both["relevant"].eq(True))


def min_max(frame):
    scores = frame.groupby("query")["score"]
    low, high = scores.transform("min"), scores.transform("max")
    return ((frame["score"] - low) / (high - low).where(high > low)).fillna(1.0)


def tied_rank(frame):
    return frame.groupby("query")["score"].rank(ascending=False)


def isotonic(feature, relevant):
    """Return a dict from each value of the feature to the isotonic probability, by its formula, with fractions."""
    rows = sorted(zip(feature, relevant, strict=True))
    groups = [(value, [one for _, one in same]) for value, same in groupby(rows, key=lambda row: row[0])]
    total = [0]
    count = [0]
    for _, own in groups:
        total.append(total[-1] + sum(map(int, own)))
        count.append(count[-1] + len(own))
    return {
        value: float(
            max(
                min(Fraction(total[t] - total[s], count[t] - count[s]) for t in range(i + 1, len(groups) + 1))
                for s in range(i + 1)
            )
        )
        for i, (value, _) in enumerate(groups)
    }


@pytest.mark.parametrize("feature, values", [("min-max", min_max), ("rank", lambda one: -np.log(tied_rank(one)))])
def test_isotonic_probabilities_equal_the_definition(feature, values):
    lists = LISTS[:8]
    folds = [(np.arange(3, 8), np.arange(3)), (np.arange(3), np.arange(3, 8))]
    calibrated = CalibratedConsensus(BordaCount(), method="isotonic", feature=feature, cv=folds, qrels=QRELS)
    found = calibrated.fit_transform(lists)
    rows = with_relevant(found)
    x, every = values(rows).round(12), []
    for _, test in folds:
        own = rows["query"].isin(lists.queries[test])
        fitted = pd.Series(isotonic(x[own], rows["relevant"][own]))
        # Between two values of the feature the probability is interpolated; beyond them it is constant.
        every.append(np.interp(x, fitted.index, fitted))
    np.testing.assert_allclose(found["probability"], np.mean(every, axis=0), atol=1e-12)


@pytest.mark.parametrize("feature", ["min-max", "rank", "score"])
def test_sigmoid_minimises_the_loss_of_platts_targets(feature):
    found = CalibratedConsensus(RRF, method="sigmoid", feature=feature, qrels=QRELS).fit_transform(LISTS)
    rows = with_relevant(found)
    x = {"min-max": min_max(rows), "rank": -np.log(tied_rank(rows)), "score": rows["score"]}[feature].to_numpy()
    y = rows["relevant"].to_numpy()
    x = (x - x.mean()) / x.std()
    target = np.where(y, (y.sum() + 1) / (y.sum() + 2), 1 / ((~y).sum() + 2))

    def loss(line):
        z = line[0] + line[1] * x
        return float(np.sum(np.logaddexp(0, z) - target * z))

    best = minimize(loss, [0.0, 1.0], method="BFGS").x
    np.testing.assert_allclose(found["probability"], 1 / (1 + np.exp(-best[0] - best[1] * x)), atol=2e-4)


def test_all_uses_seven_features():
    lists = LISTS[:12]
    calibrated = CalibratedConsensus(RRF, feature="all", qrels=QRELS).fit(lists)
    assert calibrated.method_ == "sigmoid"
    frame = RRF.fit_transform(lists)
    rank, n = tied_rank(frame), frame.groupby("query")["item"].transform("size")
    scores = frame.groupby("query")["score"]
    held = lists.to_frame().groupby(["query", "item"])["voter"].nunique().rename("held").reset_index()
    n_lists = lists.to_frame().groupby("query")["voter"].nunique()
    held = frame.merge(held, on=["query", "item"])["held"] / frame["query"].map(n_lists)
    z = (frame["score"] - scores.transform("mean")) / scores.transform("std", ddof=0)
    expected = np.stack([frame["score"], min_max(frame), z, -np.log(rank), -rank / n, held, np.log(n)], axis=1)
    scaler, model = calibrated.calibrators_[0]
    varies = expected.std(axis=0) > 1e-12
    np.testing.assert_allclose(scaler.mean_, expected.mean(axis=0), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scaler.scale_[varies], expected.std(axis=0)[varies], rtol=1e-6)
    assert model.C == 1.0 and model.coef_.shape == (1, 7)
    np.testing.assert_allclose(
        calibrated.transform(lists)["probability"], calibrated.calibrators_[0].predict_proba(expected)[:, 1], rtol=1e-9
    )


@pytest.mark.parametrize("n_queries, method", [(99, "sigmoid"), (100, "isotonic")])
def test_auto_depends_on_the_number_of_judged_queries(n_queries, method):
    lists, qrels = data(n_queries=105, n_items=5, list_length=4)
    judged = Qrels.from_frame(qrels.to_frame().loc[lambda one: one["query"].isin(lists.queries[:n_queries])])
    calibrated = CalibratedConsensus(RRF).fit(lists, judged)
    assert (calibrated.method_, calibrated.n_queries_) == (method, n_queries)
    given = CalibratedConsensus(RRF, method=method).fit(lists, judged)
    np.testing.assert_array_equal(calibrated.transform(lists), given.transform(lists))


def test_order_and_scores_are_those_of_the_aggregator():
    for feature in ("min-max", "rank", "score", "all"):
        found = CalibratedConsensus(Copeland(), feature=feature, qrels=QRELS).fit(LISTS).transform(LISTS)
        pd.testing.assert_frame_equal(found.drop(columns="probability"), Copeland().fit_transform(LISTS))
        assert found["probability"].between(0, 1).all()
        if feature != "all":
            falls = found.groupby("query")["probability"].diff().fillna(0.0) <= 1e-12
            assert falls.all()
            tied = found.groupby(["query", "score"])["probability"].agg(["min", "max", "size"])
            assert (tied["size"] > 1).any() and np.allclose(tied["min"], tied["max"], rtol=1e-12)


class Convertible:
    """A frame of another library."""

    def __init__(self, frame):
        self.frame = frame

    def to_pandas(self):
        return self.frame


def test_rows_of_a_consensus_are_sorted_and_belong_to_the_lists():
    lists = LISTS.take([0, 1, 2])
    expected = ConsensusRows.from_result(RRF._rank(lists), lists)
    frame = RRF.transform(lists).sample(frac=1, random_state=0)
    for result in (frame, Convertible(frame)):
        rows = ConsensusRows.from_result(result, lists)
        pd.testing.assert_frame_equal(rows.frame[[*expected.frame]], expected.frame)
        np.testing.assert_array_equal(rows.candidate, expected.candidate)
        np.testing.assert_array_equal(rows.ptr, expected.ptr)
    with pytest.raises(InputTypeError, match="transform must return a frame; got int"):
        ConsensusRows.from_result(3, lists)
    for name in ("query", "item"):
        changed = frame.assign(**{name: frame[name].where(np.arange(len(frame)) > 0, "other")})
        with pytest.raises(InputError, match="must return only items of the lists; some item is not in the lists"):
            ConsensusRows.from_result(changed, lists)


class Unfinished(JudgedConsensus):
    def __init__(self, aggregator=RRF, cv=2, qrels=None):
        self.aggregator, self.cv, self.qrels = aggregator, cv, qrels


def test_a_judged_consensus_names_its_missing_hooks():
    with pytest.raises(NotImplementedError, match=r"Unfinished must define _learn\(rows, relevant, folds\)\."):
        Unfinished().fit(LISTS, qrels=QRELS)

    class Half(Unfinished):
        def _learn(self, rows, relevant, folds):
            pass

    with pytest.raises(NotImplementedError, match=r"Half must define _add\(rows\)\."):
        Half().fit(LISTS, qrels=QRELS)


def test_each_query_alone():
    calibrated = CalibratedConsensus(RRF, feature="all", qrels=QRELS).fit(LISTS[:20])
    together = calibrated.transform(LISTS)
    for q in (0, 25):
        alone = calibrated.transform(LISTS[[q]])
        expected = together[together["query"] == LISTS.queries[q]].reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, expected)


def test_queries_without_judgements_do_not_count_and_queries_without_relevant_items_do():
    frame = QRELS.to_frame()
    half = Qrels.from_frame(frame[frame["query"].isin(LISTS.queries[:15])])
    expected = CalibratedConsensus(RRF).fit(LISTS[:15], QRELS).transform(LISTS)
    pd.testing.assert_frame_equal(CalibratedConsensus(RRF).fit(LISTS, half).transform(LISTS), expected)
    nothing = frame.assign(relevance=frame["relevance"].where(frame["query"] != LISTS.queries[0], 0))
    calibrated = CalibratedConsensus(RRF).fit(LISTS, Qrels.from_frame(nothing))
    assert calibrated.n_queries_ == 30
    full = CalibratedConsensus(RRF).fit(LISTS, QRELS)
    assert calibrated.n_relevant_ < full.n_relevant_
    assert calibrated.transform(LISTS)["probability"].mean() < full.transform(LISTS)["probability"].mean() - 0.002


class Memory(SupervisedAggregator):
    """Return the grades of queries of the training data, and reciprocal rank fusion for other queries."""

    def __init__(self, *, qrels=None):
        self.qrels = qrels

    def _learn(self, lists, judged):
        ids = zip(lists.queries[lists.candidate_query], lists.items[lists.candidate_item], strict=True)
        self.known_ = dict(zip(ids, np.nan_to_num(judged.relevance), strict=True))

    def _aggregate(self, lists):
        score = RRF._aggregate(lists)
        score = getattr(score, "score", score)
        ids = zip(lists.queries[lists.candidate_query], lists.items[lists.candidate_item], strict=True)
        return np.array([self.known_.get(key, one / 100) for key, one in zip(ids, score, strict=True)])


@pytest.mark.parametrize("cv", [5, 3, KFold(4, shuffle=True, random_state=1)])
def test_a_method_that_learns_is_calibrated_out_of_fold(cv):
    calibrated = CalibratedConsensus(Memory(), method="isotonic", cv=cv).fit(LISTS, QRELS)
    honest = CalibratedConsensus(RRF, method="isotonic", cv=cv).fit(LISTS, QRELS)
    # Out of fold, the method is reciprocal rank fusion.
    for one, other in zip(calibrated.calibrators_, honest.calibrators_, strict=True):
        np.testing.assert_allclose(one.X_thresholds_, other.X_thresholds_, atol=1e-12)
        np.testing.assert_allclose(one.y_thresholds_, other.y_thresholds_, atol=1e-12)
    new, _ = data(n_queries=3, random_state=5)
    new = RankedLists.from_frame(new.to_frame().assign(query=lambda one: "new " + one["query"]))
    np.testing.assert_allclose(
        calibrated.transform(new)["probability"], honest.transform(new)["probability"], atol=1e-12
    )


def test_learned_weights_out_of_fold():
    folds = list(KFold(3).split(np.arange(30)))
    calibrated = CalibratedConsensus(LearnedWeights(), method="isotonic", cv=folds).fit(LISTS, QRELS)
    rows = with_relevant(cross_val_consensus(LearnedWeights(), LISTS, QRELS, cv=folds))
    for calibrator, (_, test) in zip(calibrated.calibrators_, folds, strict=True):
        own = rows["query"].isin(LISTS.queries[test])
        expected = isotonic(min_max(rows)[own].round(12), rows["relevant"][own])
        x = np.array(sorted(expected))
        np.testing.assert_allclose(calibrator.predict(x), [expected[value] for value in x], atol=1e-9)
    assert calibrated.aggregator_.n_queries_ == 30


def test_min_probability_cuts_and_ranks_again():
    full = CalibratedConsensus(RRF, qrels=QRELS).fit(LISTS).transform(LISTS)
    limit = float(full["probability"].quantile(0.7))
    for feature in ("min-max", "all"):
        calibrated = CalibratedConsensus(RRF, feature=feature, min_probability=limit, qrels=QRELS).fit(LISTS)
        cut = calibrated.transform(LISTS)
        full = calibrated.set_params(min_probability=None).transform(LISTS)
        expected = full[full["probability"] >= limit].reset_index(drop=True)
        pd.testing.assert_frame_equal(cut.drop(columns="rank"), expected.drop(columns="rank"))
        assert cut.groupby("query")["rank"].apply(lambda one: one.tolist() == list(range(1, len(one) + 1))).all()
        assert 0 < len(cut) < len(full)
    highest = calibrated.set_params(min_probability=1.0).transform(LISTS)
    assert highest.empty and list(highest) == list(cut)
    assert evaluate(cut, QRELS, "p@1", missing_queries="zero")["p@1"].iloc[0] > 0


def test_pipelines_searches_and_comparators():
    learned = make_pipeline(VoterWeighter("map"), RRF)
    calibrated = CalibratedConsensus(learned).fit(LISTS, QRELS.align(LISTS))
    assert calibrated.transform(LISTS)["probability"].between(0, 1).all()
    assert calibrated.get_feature_names_out().tolist() == ["query", "item", "score", "rank", "probability"]
    search = GridSearchCV(
        CalibratedConsensus(RRF, qrels=QRELS),
        {"aggregator__k": [1, 60], "min_probability": [None, 0.5]},
        scoring=make_ranking_scorer("map", qrels=QRELS),
        cv=3,
    ).fit(LISTS)
    assert search.best_params_["min_probability"] is None
    methods = [("rrf", RRF), ("calibrated", CalibratedConsensus(RRF))]
    with pytest.raises(InputError, match="`cv` must be given"):
        Comparator(methods, metrics=["map"], qrels=QRELS, verbose=False).fit(LISTS)
    results = Comparator(methods, metrics=["map"], qrels=QRELS, cv=3, verbose=False).fit(LISTS).results_
    assert results.loc["rrf", "map"] == pytest.approx(results.loc["calibrated", "map"])
    cut = make_pipeline(TopK(3), RRF)
    assert CalibratedConsensus(cut).fit(LISTS, QRELS).transform(LISTS)["probability"].between(0, 1).all()


def test_copies_pickles_and_ways_to_pass_judgements():
    expected = CalibratedConsensus(RRF).fit(LISTS, QRELS).transform(LISTS)
    for made in (
        CalibratedConsensus(RRF, qrels=QRELS).fit(LISTS),
        CalibratedConsensus(RRF).fit(LISTS, qrels=QRELS),
        CalibratedConsensus(RRF).fit(LISTS, QRELS.align(LISTS)),
        CalibratedConsensus(RRF, qrels=QRELS.to_frame()).fit(LISTS.to_frame()),
        pickle.loads(pickle.dumps(CalibratedConsensus(RRF).fit(LISTS, QRELS))),
    ):
        pd.testing.assert_frame_equal(made.transform(LISTS), expected)
    with pytest.raises(NotFittedError):
        clone(made).transform(LISTS)


def test_frames_of_polars():
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow", reason="polars needs it for text")
    calibrated = CalibratedConsensus(RRF, qrels=QRELS).set_output(transform="polars").fit(LISTS)
    found = calibrated.transform(LISTS)
    assert isinstance(found, polars.DataFrame) and found.columns[-1] == "probability"


class Infinite(BaseAggregator):
    """Give the first item of each query an infinite score."""

    def _aggregate(self, lists):
        score = np.zeros(lists.n_candidates)
        score[lists.candidate_ptr[:-1]] = np.inf
        return score


def test_a_learner_with_a_single_query_with_relevant_items_is_refused_and_other_methods_are_not():
    frame = QRELS.to_frame()
    one = Qrels.from_frame(frame.assign(relevance=frame["relevance"].where(frame["query"] == LISTS.queries[3], 0)))
    with pytest.raises(InputError, match=r"at least 2 judged queries with relevant items.*LearnedWeights"):
        CalibratedConsensus(LearnedWeights()).fit(LISTS, one)
    assert len(CalibratedConsensus(RRF, method="isotonic").fit(LISTS, one).calibrators_) == 1
    assert len(CalibratedConsensus(RRF, method="isotonic").fit(LISTS, QRELS).calibrators_) == 5
    assert len(CalibratedConsensus(RRF).fit(LISTS, QRELS).calibrators_) == 1


def test_infinite_scores_and_single_items():
    found = CalibratedConsensus(Infinite(), method="isotonic", qrels=QRELS).fit(LISTS).transform(LISTS)
    assert found["probability"].notna().all()
    with pytest.raises(InputError, match="`feature` must be 'min-max' or 'rank'"):
        CalibratedConsensus(Infinite(), feature="score", qrels=QRELS).fit(LISTS)
    one = RankedLists.from_lists([["d"]])
    calibrated = CalibratedConsensus(RRF, qrels=QRELS).fit(LISTS)
    best = calibrated.transform(LISTS).groupby("query")["probability"].first().iloc[0]
    assert calibrated.transform(one)["probability"].tolist() == [pytest.approx(best)]


def test_all_items_relevant():
    qrels = Qrels.from_frame(LISTS.to_frame()[["query", "item"]].drop_duplicates().assign(relevance=1))
    for feature, method in (("min-max", "sigmoid"), ("min-max", "isotonic"), ("all", "auto")):
        found = CalibratedConsensus(RRF, feature=feature, method=method, qrels=qrels).fit(LISTS).transform(LISTS)
        assert (found["probability"] > 0.99).all()


@pytest.mark.parametrize(
    "params, error, message",
    [
        ({"method": "isotonic", "feature": "all"}, InputError, "'auto' or 'sigmoid' if feature='all'"),
        ({"method": "platt"}, ValueError, "'method' parameter of CalibratedConsensus"),
        ({"feature": "minmax"}, ValueError, "did you mean 'min-max'"),
        ({"min_probability": 1.5}, ValueError, "'min_probability' parameter"),
        ({"aggregator": "rrf"}, ValueError, "'aggregator' parameter"),
        ({"aggregator": LearnedWeights(), "cv": 1}, InputError, "`cv` must be a whole number of at least 2"),
        ({"method": "isotonic", "cv": 2.5}, ValueError, "cv"),
        ({"qrels": None}, InputError, "needs judgements to learn from"),
        ({"qrels": Qrels.from_frame(QRELS.to_frame().assign(relevance=0))}, InputError, "learns from relevant items"),
    ],
)
def test_refused(params, error, message):
    arguments = {"aggregator": RRF, "qrels": QRELS} | params
    with pytest.raises(error, match=message):
        CalibratedConsensus(**arguments).fit(LISTS)


# ---------------------------------------------------------------------- real collections


def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return importlib.import_module("calibration")


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.parametrize("folder", ["mq2008agg", "robust03"])
def test_errors_on_real_collections_are_close_to_scikit_learn(shared_data, monkeypatch, folder):
    tools = benchmark(monkeypatch)
    lists, qrels = tools.read(shared_data / folder)
    for method in (RRF, BordaCount()):
        judged = tools.Judged(lists, qrels, method)
        for feature in ("min-max", "rank"):
            probability = judged.out_of_fold(method="isotonic", feature=feature)
            theirs = judged.by_scikit_learn(feature, "isotonic", ensemble=True)
            np.testing.assert_allclose(probability, theirs, atol=1e-9)
            found = judged.errors(probability)
            assert found[0] <= judged.errors(theirs)[0] + 0.003
            if folder == "robust03":
                assert found[1] <= 0.10


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
def test_the_benchmark_computes_what_the_classes_return(shared_data, monkeypatch):
    tools = benchmark(monkeypatch)
    lists, qrels = tools.read(shared_data / "mq2008agg")
    lists = lists[:120]
    judged = tools.Judged(lists, qrels, RRF)
    train, test = np.arange(80), np.arange(80, 120)
    for feature in ("min-max", "all"):
        calibrated = CalibratedConsensus(RRF, feature=feature).fit(lists[train], qrels)
        found = calibrated.transform(lists[test])["probability"]
        np.testing.assert_allclose(judged.calibrate(train, test, feature=feature)[0], found, rtol=1e-9)
    folds = cross_val_consensus(CalibratedConsensus(RRF, method="isotonic"), lists, qrels=qrels)
    np.testing.assert_allclose(judged.out_of_fold(method="isotonic"), folds["probability"], rtol=1e-9)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.ExposureWarning")
@pytest.mark.parametrize("folder, one, half", [("mq2008agg", 6, 8), ("robust03", 8, 800)])
def test_top_sets_on_real_collections(shared_data, monkeypatch, folder, one, half):
    tools = benchmark(monkeypatch)
    judged = tools.Judged(*tools.read(shared_data / folder), RRF)
    for holds, largest in (("one", one), (0.5, half)):
        coverage, size, _ = tools.cover(judged, holds, halves=200)
        assert 0.89 <= coverage <= 0.95
        assert size <= largest
