"""The Comparator: its results, its choice of the best method and its errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline

from skrankagg import DIBRA, CombMNZ, CombSUM, Comparator, Condorcet, Copeland, Qrels, RankedLists, evaluate
from skrankagg._support._sklearn import BaseEstimator, TransformerMixin
from skrankagg.base import BaseAggregator
from skrankagg.datasets import make_ranked_lists
from skrankagg.metrics import ConsensusScorer, evaluate_voters, make_ranking_scorer
from skrankagg.preprocessing import AggregatorUnion, TopK, VoterSelector
from skrankagg.utils.discovery import default_methods
from skrankagg.utils.estimator_checks import example_lists

LISTS = example_lists(1, n_queries=6)
RNG = np.random.default_rng(0)
QRELS = LISTS[["query", "item"]].drop_duplicates(ignore_index=True)
QRELS = QRELS.assign(relevance=RNG.integers(0, 3, len(QRELS)))
QRELS = QRELS[QRELS["query"] != "q5"]  # not judged
METRICS = ("ndcg@3", "map", "p@2", "num_rel")
METHODS = [("sum", CombSUM()), ("mnz", CombMNZ(norm="rank")), ("copeland", Copeland())]


class Backwards(TransformerMixin, BaseEstimator):
    """A foreign re-ranker: a frame in, a frame out."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return X.assign(rank=X.groupby("query")["rank"].rank(ascending=False), score=-X["score"])


@pytest.fixture(scope="module")
def fitted():
    return Comparator(METHODS, metrics=METRICS, qrels=QRELS).fit(LISTS)


def test_comparator_results_equal_evaluating_each_method(fitted):
    assert fitted.results_.index.tolist() == ["sum", "mnz", "copeland"] and fitted.results_.index.name == "method"
    assert fitted.results_.columns.tolist() == [*METRICS, "time"]
    for name, method in METHODS:
        run = method.fit_transform(LISTS)
        expected = evaluate(run, QRELS, METRICS)
        np.testing.assert_allclose(fitted.results_.loc[name, list(METRICS)], expected.loc["run"], rtol=1e-12)
        per_query = evaluate(run, QRELS, METRICS, per_query=True)
        pd.testing.assert_frame_equal(fitted.per_query_.loc[name], per_query)
        pd.testing.assert_frame_equal(fitted.runs_[name], run)
    assert (fitted.results_["time"] > 0).all()


def test_comparator_aggregates_but_does_not_measure_unjudged_queries(fitted):
    assert "q5" in set(fitted.runs_["sum"]["query"])
    assert "q5" not in set(fitted.per_query_.index.get_level_values("query"))


def test_comparator_best_name_has_the_highest_first_measure(fitted):
    best = fitted.results_["ndcg@3"].idxmax()
    assert fitted.best_name_ == best
    assert fitted.best_score_ == fitted.results_.loc[best, "ndcg@3"]
    assert fitted.best_estimator_ is fitted.named_aggregators_[best]
    pd.testing.assert_frame_equal(fitted.transform(LISTS), fitted.runs_[best])
    assert fitted.score(LISTS) == fitted.best_score_
    assert fitted.get_feature_names_out().tolist() == ["query", "item", "score", "rank"]


def test_comparator_score_of_a_subset_uses_its_judged_queries(fitted):
    lists = RankedLists.from_frame(LISTS)
    column = fitted.per_query_.loc[fitted.best_name_, "ndcg@3"]
    parts = [lists[[0, 1]], lists[[2, 3, 4, 5]]]
    scores = [fitted.score(part) for part in parts]
    assert scores == pytest.approx([column[:2].mean(), column[2:].mean()])
    assert np.average(scores, weights=[2, 3]) == pytest.approx(fitted.best_score_)


def test_comparator_best_name_is_the_first_of_equal_methods():
    comparator = Comparator([("b", CombSUM()), ("a", CombSUM())], qrels=QRELS).fit(LISTS)
    assert comparator.best_name_ == "b"


@pytest.mark.parametrize("give", ["constructor frame", "constructor", "fit", "y"])
def test_comparator_accepts_judgements_in_four_ways(fitted, give):
    qrels = Qrels.from_frame(QRELS)
    comparator = Comparator(
        METHODS, metrics=METRICS, qrels={"constructor frame": QRELS, "constructor": qrels}.get(give)
    )
    comparator.fit(LISTS, **{"fit": {"qrels": qrels}, "y": {"y": qrels}}.get(give, {}))
    columns = list(METRICS)
    pd.testing.assert_frame_equal(comparator.results_[columns], fitted.results_[columns])


def test_comparator_results_are_independent_of_n_jobs_and_container(fitted):
    for lists, n_jobs in ((RankedLists.from_frame(LISTS), 2), (LISTS.astype({"item": "category"}), None)):
        other = Comparator(METHODS, metrics=METRICS, qrels=QRELS, n_jobs=n_jobs).fit(lists)
        pd.testing.assert_frame_equal(other.per_query_, fitted.per_query_)


def test_comparator_exposes_parameters_of_its_methods():
    comparator = Comparator(METHODS)
    assert comparator.get_params()["mnz__norm"] == "rank"
    comparator = clone(comparator).set_params(mnz__norm="min-max", sum="drop", metrics="map", qrels=QRELS).fit(LISTS)
    assert comparator.named_aggregators_["mnz"].norm == "min-max"
    assert comparator.results_.index.tolist() == ["mnz", "copeland"]
    assert METHODS[1][1].norm == "rank" and not hasattr(METHODS[1][1], "query_info_")


def test_comparator_accepts_pipelines_and_foreign_estimators():
    methods = [("plain", CombSUM()), ("reversed", make_pipeline(CombSUM(), Backwards()))]
    comparator = Comparator(methods, metrics=METRICS, qrels=QRELS).fit(LISTS)
    reversed_run = make_pipeline(CombSUM(), Backwards()).fit(LISTS).transform(LISTS)
    expected = evaluate(reversed_run, QRELS, METRICS, per_query=True)
    pd.testing.assert_frame_equal(comparator.per_query_.loc["reversed"], expected)
    assert comparator.score(LISTS) == comparator.best_score_


def test_comparator_can_be_pickled_and_shows_its_members(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    pd.testing.assert_frame_equal(again.results_, fitted.results_)
    pd.testing.assert_frame_equal(again.transform(LISTS), fitted.transform(LISTS))
    page = fitted._repr_html_()
    assert "copeland" in page and "CombMNZ" in page
    assert "CombSUM" in repr(fitted)
    assert repr(fitted.runs_) == "<consensus of sum, mnz, copeland>" and len(fitted.runs_) == 3


def test_comparator_calls_a_function_with_each_line(capsys):
    lines = []
    Comparator(METHODS, qrels=QRELS, verbose=lines.append).fit(LISTS)
    assert len(lines) == len(METHODS) and all(line.startswith("[Comparator]") for line in lines)
    assert capsys.readouterr().out == ""


def test_comparator_prints_progress_only_if_verbose(capsys):
    Comparator(METHODS, qrels=QRELS).fit(LISTS)
    assert capsys.readouterr().out == ""
    Comparator(METHODS, qrels=QRELS, verbose=True).fit(LISTS)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and "(2 of 3) mnz" in lines[1]


def test_comparator_accepts_every_default_method():
    comparator = Comparator(default_methods(), metrics=METRICS, qrels=QRELS).fit(LISTS)
    assert len(comparator.results_) == len(default_methods())
    assert comparator.results_.notna().all(axis=None)


REFUSED = {
    "no judgements": ({}, {}, ValueError, "needs judgements to measure by"),
    "a frame as y": ({}, {"y": QRELS}, TypeError, r"`y` must be a Qrels.*got DataFrame\. Wrap it: Qrels\.from_frame"),
    "a frame as metadata": ({}, {"qrels": QRELS}, TypeError, "`qrels` must be a Qrels"),
    "judgements that are none": ({"qrels": [1]}, {}, TypeError, "input of Qrels.from_frame must be a data frame"),
    "no methods": ({"aggregators": [], "qrels": QRELS}, {}, ValueError, "list of .* tuples with at least one method"),
    "only dropped ones": ({"aggregators": [("a", "drop")], "qrels": QRELS}, {}, ValueError, "got only 'drop'"),
    "bare estimators": ({"aggregators": [CombSUM()], "qrels": QRELS}, {}, ValueError, "tuples"),
    "names twice": (
        {"aggregators": [("a", CombSUM()), ("a", Condorcet())], "qrels": QRELS},
        {},
        ValueError,
        "not unique",
    ),
    "no aggregator": ({"aggregators": [("a", 3)], "qrels": QRELS}, {}, TypeError, "'a' is 3"),
    "no measures": ({"metrics": [], "qrels": QRELS}, {}, ValueError, "at least one measure"),
    "an unknown measure": ({"metrics": "mapp", "qrels": QRELS}, {}, ValueError, "'mapp' is not a measure"),
    "ids of another kind": (
        {"qrels": QRELS.assign(query=QRELS["query"].str[1:].astype(int))},
        {},
        ValueError,
        "share no query id",
    ),
}


@pytest.mark.parametrize(("params", "given", "kind", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_comparator_rejects_invalid_arguments(params, given, kind, words):
    with pytest.raises(kind, match=words):
        Comparator(**{"aggregators": METHODS, **params}).fit(LISTS, **given)


# ---------------------------------------------------------------------- methods that learn from judgements

SCORER = make_ranking_scorer("ndcg@3", qrels=QRELS)
SELECTOR = VoterSelector("ndcg@3", n_voters=2, qrels=QRELS)


def search(method=CombSUM(norm="borda"), scoring=SCORER, **grid):  # noqa: B008
    return GridSearchCV(method, grid or {"norm": ["rank", "min-max"]}, scoring=scoring, cv=2)


class Supervised(BaseAggregator):
    """An aggregator whose tags declare that it is supervised."""

    def _aggregate(self, lists):
        return lists.candidate_weight

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.supervised = True
        return tags


class Holder(Supervised):
    """Learns nothing; stores its parameter under an uninformative name."""

    def __init__(self, thing=None):
        self.thing = thing

    def __sklearn_tags__(self):
        return BaseAggregator.__sklearn_tags__(self)


LEARNERS = {
    "a selector": (make_pipeline(SELECTOR, CombSUM()), "'voterselector__qrels' contains judgements"),
    "a selector of a selector": (
        make_pipeline(make_pipeline(SELECTOR), CombSUM()),
        "'pipeline__voterselector__qrels' contains judgements",
    ),
    "a search": (search(), "'scoring' is a RankingScorer"),
    "a search for several measures": (search(scoring={"map": SCORER}), "'scoring' is a scorer"),
    "a search by any function": (search(scoring=lambda estimator, X: 0.0), "'scoring' is a scorer"),
    "a search in a pipeline": (make_pipeline(TopK(3), search()), "'gridsearchcv__scoring' is a RankingScorer"),
    "a search in an aggregator": (DIBRA(search()), "'aggregator__scoring' is a RankingScorer"),
    "a scorer under another name": (Holder(make_ranking_scorer("map")), "'thing' is a RankingScorer"),
    "a scorer in a list": (Holder([{"by": SCORER}]), "'thing' is a RankingScorer"),
    "judgements under another name": (Holder(Qrels.from_frame(QRELS)), "'thing' contains judgements"),
    "a Comparator": (Comparator(METHODS, qrels=QRELS), "'qrels' contains judgements"),
    "a union": (make_pipeline(AggregatorUnion([("best", search())]), CombSUM()), "'aggregatorunion__best__scoring'"),
    "a tag": (Supervised(), "Supervised has the tag supervised"),
    "a tag in a pipeline": (make_pipeline(TopK(3), Supervised()), "'supervised', Supervised, has the tag supervised"),
    "a tag in an aggregator": (DIBRA(Supervised()), "'aggregator', Supervised, has the tag"),
    "a tag in a grid": (
        search(Pipeline([("sum", CombSUM())]), ConsensusScorer(), sum=[CombSUM(), Supervised()]),
        "'param_grid', Supervised, has the tag",
    ),
}


@pytest.mark.parametrize(("learner", "words"), LEARNERS.values(), ids=LEARNERS.keys())
@pytest.mark.parametrize("error_score", [np.nan, "raise"])
def test_comparator_without_cv_rejects_supervised_methods(learner, words, error_score):
    comparator = Comparator([("sum", CombSUM()), ("tuned", learner)], qrels=QRELS, error_score=error_score)
    with pytest.raises(ValueError, match=r"`cv` must be given.*'tuned' \(.*evaluate\(\{'tuned': run") as caught:
        comparator.fit(LISTS)
    assert words in str(caught.value) and "cross_val_score" in str(caught.value)
    assert not hasattr(comparator, "results_")
    # Out of sample it can be compared: dropped here, and measured by cross-validation.
    assert comparator.set_params(tuned="drop").fit(LISTS).results_.index.tolist() == ["sum"]


ALLOWED = {
    "a search without judgements": search(scoring=ConsensusScorer()),
    "a search by two distances": search(scoring={"a": ConsensusScorer(), "b": ConsensusScorer("rho")}).set_params(
        refit="a"
    ),
    "a selector by weights": make_pipeline(VoterSelector(n_voters=3), CombSUM()),
    "no judgements": make_pipeline(VoterSelector(DIBRA(), qrels=None), CombSUM()),
    "a word": Holder("qrels"),
    "a class": Holder(Supervised),
    "weights": CombSUM(voter_weights=dict.fromkeys(LISTS["voter"].unique(), 1.0)),
}


@pytest.mark.filterwarnings("ignore::UserWarning")  # queries that lose all of their lists
@pytest.mark.parametrize("method", ALLOWED.values(), ids=ALLOWED.keys())
def test_comparator_accepts_methods_that_learn_from_lists_only(method):
    comparator = Comparator([("sum", CombSUM()), ("other", method)], qrels=QRELS, error_score="raise").fit(LISTS)
    assert comparator.results_.notna().all(axis=None)


def test_comparator_rejects_methods_named_in_learns():
    weights = evaluate_voters(LISTS, QRELS, "map")["map"]
    methods = [("plain", CombSUM()), ("weighted", CombSUM(voter_weights=weights)), ("other", "drop")]
    comparator = Comparator(methods, qrels=QRELS, learns=["weighted", "other"])
    with pytest.raises(ValueError, match=r"got 'weighted' \(named by learns=\['weighted', 'other'\]\)\."):
        comparator.fit(LISTS)
    # Its fit learns nothing, so cross-validation would measure it on queries it was tuned on.
    with pytest.raises(
        ValueError, match=r"got 'weighted', whose fit learns nothing.*queries that it did not learn from"
    ):
        clone(comparator).set_params(cv=2).fit(LISTS)
    assert comparator.set_params(weighted="drop").fit(LISTS).results_.index.tolist() == ["plain"]
    with pytest.raises(ValueError, match="`learns` must name methods among plain, weighted, other; got 'weigthed'"):
        comparator.set_params(learns=("weigthed",)).fit(LISTS)
    with pytest.raises(ValueError, match="'learns' parameter of Comparator must be"):
        comparator.set_params(learns="weighted").fit(LISTS)


def test_comparator_names_all_supervised_methods_at_once():
    methods = [("a", search()), ("b", CombSUM()), ("c", make_pipeline(SELECTOR, CombSUM()))]
    with pytest.raises(ValueError, match=r"got 'a' \(its parameter 'scoring' .*\), 'c' \(its parameter"):
        Comparator(methods, qrels=QRELS).fit(LISTS)


@pytest.mark.exhaustive
def test_comparator_with_cv_measures_a_tuned_method_on_held_out_queries():
    # On noise, where the gain of tuning does not last.
    lists, qrels, _ = make_ranked_lists(n_queries=20, n_items=40, quality=0.01, random_state=0)
    lists = RankedLists.from_frame(lists)
    scorer = make_ranking_scorer("map", qrels=qrels)
    draws = np.random.default_rng(0).random((60, lists.n_voters))
    weights = [dict(zip(lists.voters, draw, strict=True)) for draw in draws]
    tuned = GridSearchCV(CombSUM(norm="borda"), {"voter_weights": weights}, scoring=scorer, cv=2)
    with pytest.raises(ValueError, match="learn from judgements"):
        Comparator([("plain", CombSUM(norm="borda")), ("tuned", tuned)], metrics="map", qrels=qrels).fit(lists)
    # The three ways that the message names.
    train, test = lists[np.arange(10)], lists[np.arange(10, 20)]
    tuned.fit(train)
    runs = {"tuned": tuned.transform(test), "plain": CombSUM(norm="borda").fit_transform(test)}
    held_out = evaluate(runs, qrels, "map", missing_queries="skip")["map"]
    fixed = [("plain", CombSUM(norm="borda")), ("tuned", tuned.best_estimator_)]
    comparator = Comparator(fixed, metrics="map", qrels=qrels).fit(test)
    assert comparator.results_["map"].to_dict() == pytest.approx(held_out.to_dict())
    nested = cross_val_score(tuned, lists, scoring=scorer, cv=2)
    assert nested[1] == pytest.approx(held_out["tuned"])
    assert scorer(tuned, train) > nested.mean() + 0.01


def test_unfitted_comparator_raises_not_fitted_error():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        Comparator(METHODS, qrels=QRELS).transform(LISTS)
    with pytest.raises(NotFittedError):
        Comparator(METHODS, qrels=QRELS).score(LISTS)
    with pytest.raises(NotFittedError):
        Comparator(METHODS).get_feature_names_out()


@pytest.mark.twice
@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: make_pipeline(one)], ids=["alone", "pipeline"])
def test_comparator_set_output_works_before_and_after_fit(wrap):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow", reason="polars takes strings of pandas through pyarrow")
    before = wrap(Comparator(METHODS, qrels=QRELS)).set_output(transform="polars").fit(LISTS)
    after = wrap(Comparator(METHODS, qrels=QRELS)).fit(LISTS).set_output(transform="polars")
    for comparator in (before, after):
        assert isinstance(comparator.transform(LISTS), polars.DataFrame)
