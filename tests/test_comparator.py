"""The Comparator: what it reports, chooses, refuses."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from skrankagg import CombMNZ, CombSUM, Comparator, Condorcet, Copeland, Qrels, RankedLists, evaluate
from skrankagg._sklearn import BaseEstimator, TransformerMixin
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
    """A stranger's re-ranker: a frame in, a frame out."""

    def fit(self, X, y=None):
        self.fitted_ = True
        return self

    def transform(self, X):
        return X.assign(rank=X.groupby("query")["rank"].rank(ascending=False), score=-X["score"])


@pytest.fixture(scope="module")
def fitted():
    return Comparator(METHODS, metrics=METRICS, qrels=QRELS).fit(LISTS)


def test_results_are_those_of_evaluating_each_method(fitted):
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


def test_queries_that_nobody_judged_are_aggregated_and_not_measured(fitted):
    assert "q5" in set(fitted.runs_["sum"]["query"])
    assert "q5" not in set(fitted.per_query_.index.get_level_values("query"))


def test_the_best_has_the_highest_first_measure(fitted):
    best = fitted.results_["ndcg@3"].idxmax()
    assert fitted.best_name_ == best
    assert fitted.best_score_ == fitted.results_.loc[best, "ndcg@3"]
    assert fitted.best_estimator_ is fitted.named_estimators_[best]
    pd.testing.assert_frame_equal(fitted.transform(LISTS), fitted.runs_[best])
    assert fitted.score(LISTS) == fitted.best_score_
    assert fitted.get_feature_names_out().tolist() == ["query", "item", "score", "rank"]


def test_the_score_of_a_part_is_over_the_judged_queries_of_that_part(fitted):
    lists = RankedLists.from_frame(LISTS)
    column = fitted.per_query_.loc[fitted.best_name_, "ndcg@3"]
    parts = [lists[[0, 1]], lists[[2, 3, 4, 5]]]
    scores = [fitted.score(part) for part in parts]
    assert scores == pytest.approx([column[:2].mean(), column[2:].mean()])
    assert np.average(scores, weights=[2, 3]) == pytest.approx(fitted.best_score_)


def test_of_equals_the_first_is_best():
    comparator = Comparator([("b", CombSUM()), ("a", CombSUM())], qrels=QRELS).fit(LISTS)
    assert comparator.best_name_ == "b"


@pytest.mark.parametrize("give", ["constructor frame", "constructor", "fit", "y"])
def test_judgements_may_be_given_in_four_ways(fitted, give):
    qrels = Qrels.from_frame(QRELS)
    comparator = Comparator(
        METHODS, metrics=METRICS, qrels={"constructor frame": QRELS, "constructor": qrels}.get(give)
    )
    comparator.fit(LISTS, **{"fit": {"qrels": qrels}, "y": {"y": qrels}}.get(give, {}))
    columns = list(METRICS)
    pd.testing.assert_frame_equal(comparator.results_[columns], fitted.results_[columns])


def test_threads_and_containers_change_nothing(fitted):
    for lists, n_jobs in ((RankedLists.from_frame(LISTS), 2), (LISTS.astype({"item": "category"}), None)):
        other = Comparator(METHODS, metrics=METRICS, qrels=QRELS, n_jobs=n_jobs).fit(lists)
        pd.testing.assert_frame_equal(other.per_query_, fitted.per_query_)


def test_parameters_reach_into_the_methods():
    comparator = Comparator(METHODS)
    assert comparator.get_params()["mnz__norm"] == "rank"
    comparator = clone(comparator).set_params(mnz__norm="score", sum="drop", metrics="map", qrels=QRELS).fit(LISTS)
    assert comparator.named_estimators_["mnz"].norm == "score"
    assert comparator.results_.index.tolist() == ["mnz", "copeland"]
    assert METHODS[1][1].norm == "rank" and not hasattr(METHODS[1][1], "query_info_")


def test_pipelines_and_strangers_are_members():
    methods = [
        ("plain", CombSUM()),
        ("reversed", make_pipeline(CombSUM(), Backwards())),
        ("best", Comparator(METHODS, qrels=QRELS)),
    ]
    comparator = Comparator(methods, metrics=METRICS, qrels=QRELS).fit(LISTS)
    reversed_run = make_pipeline(CombSUM(), Backwards()).fit(LISTS).transform(LISTS)
    expected = evaluate(reversed_run, QRELS, METRICS, per_query=True)
    pd.testing.assert_frame_equal(comparator.per_query_.loc["reversed"], expected)
    assert comparator.score(LISTS) == comparator.best_score_


def test_it_survives_pickling_and_shows_its_members(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    pd.testing.assert_frame_equal(again.results_, fitted.results_)
    pd.testing.assert_frame_equal(again.transform(LISTS), fitted.transform(LISTS))
    page = fitted._repr_html_()
    assert "copeland" in page and "CombMNZ" in page
    assert "CombSUM" in repr(fitted)
    assert repr(fitted.runs_) == "<consensus of sum, mnz, copeland>" and len(fitted.runs_) == 3


def test_progress_is_told_on_demand_only(capsys):
    Comparator(METHODS, qrels=QRELS).fit(LISTS)
    assert capsys.readouterr().out == ""
    Comparator(METHODS, qrels=QRELS, verbose=True).fit(LISTS)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and "(2 of 3) mnz" in lines[1]


def test_every_method_can_be_compared():
    comparator = Comparator(default_methods(), metrics=METRICS, qrels=QRELS).fit(LISTS)
    assert len(comparator.results_) == len(default_methods())
    assert comparator.results_.notna().all(axis=None)


REFUSED = {
    "no judgements": ({}, {}, ValueError, "needs judgements to measure by"),
    "a frame as y": ({}, {"y": QRELS}, TypeError, r"y must be a Qrels.*got DataFrame\. Wrap it: Qrels\.from_frame"),
    "a frame as metadata": ({}, {"qrels": QRELS}, TypeError, "qrels must be a Qrels"),
    "judgements that are none": ({"qrels": [1]}, {}, TypeError, "Qrels.from_frame expects a data frame"),
    "no methods": ({"estimators": [], "qrels": QRELS}, {}, ValueError, "list of .* tuples with at least one method"),
    "only dropped ones": ({"estimators": [("a", "drop")], "qrels": QRELS}, {}, ValueError, "all of them are 'drop'"),
    "bare estimators": ({"estimators": [CombSUM()], "qrels": QRELS}, {}, ValueError, "tuples"),
    "names twice": (
        {"estimators": [("a", CombSUM()), ("a", Condorcet())], "qrels": QRELS},
        {},
        ValueError,
        "not unique",
    ),
    "no aggregator": ({"estimators": [("a", 3)], "qrels": QRELS}, {}, TypeError, "'a' is 3"),
    "no measures": ({"metrics": [], "qrels": QRELS}, {}, ValueError, "at least one measure"),
    "an unknown measure": ({"metrics": "mapp", "qrels": QRELS}, {}, ValueError, "'mapp' is no measure"),
    "ids of another kind": (
        {"qrels": QRELS.assign(query=QRELS["query"].str[1:].astype(int))},
        {},
        ValueError,
        "share no query id",
    ),
}


@pytest.mark.parametrize(("params", "given", "kind", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_compared_is_told(params, given, kind, words):
    with pytest.raises(kind, match=words):
        Comparator(**{"estimators": METHODS, **params}).fit(LISTS, **given)


def test_unfitted_it_has_nothing_to_say():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        Comparator(METHODS, qrels=QRELS).transform(LISTS)
    with pytest.raises(NotFittedError):
        Comparator(METHODS, qrels=QRELS).score(LISTS)
    with pytest.raises(NotFittedError):
        Comparator(METHODS).get_feature_names_out()


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: make_pipeline(one)], ids=["alone", "pipeline"])
def test_the_output_is_set_before_fit_or_after(wrap):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow", reason="polars takes strings of pandas through pyarrow")
    before = wrap(Comparator(METHODS, qrels=QRELS)).set_output(transform="polars").fit(LISTS)
    after = wrap(Comparator(METHODS, qrels=QRELS)).fit(LISTS).set_output(transform="polars")
    for comparator in (before, after):
        assert isinstance(comparator.transform(LISTS), polars.DataFrame)
