"""Comparator(with_voters=True) measures voters next to methods."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from skrankagg import CombSUM, Comparator, Copeland, RankedLists, evaluate
from skrankagg._support._sklearn import FitFailedWarning
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.metrics import agreement_matrix, evaluate_voters, make_measure
from skrankagg.model_selection import compare_methods, compare_ranks, markdown_table, text_table

LISTS, QRELS, _ = make_ranked_lists(n_queries=10, n_voters=4, quality_spread=1.0, random_state=1)
LISTS = LISTS[(LISTS["voter"] != "v2") | ~LISTS["query"].isin(["q03", "q04"])]  # v2 has no list for these
QRELS = QRELS[QRELS["query"] != "q05"]  # not judged
METHODS = [("sum", CombSUM()), ("copeland", Copeland())]
METRICS = ["map", "ndcg@10", "num_rel_ret"]
VOTERS = ["v1", "v2", "v3", "v4"]


class Failing(CombSUM):
    """A method that fails."""

    def _fit_rank(self, lists):
        raise ValueError("no")


@pytest.fixture(scope="module")
def fitted():
    return Comparator(METHODS, metrics=METRICS, qrels=QRELS, with_voters=True).fit(LISTS)


def test_with_voters_measures_voters_on_the_queries_of_the_methods(fitted):
    assert fitted.results_.index.tolist() == ["sum", "copeland", *VOTERS]
    expected = evaluate_voters(LISTS, QRELS, METRICS, missing_queries="zero")
    np.testing.assert_allclose(fitted.results_.loc[VOTERS, METRICS], expected[METRICS], rtol=1e-13)
    assert fitted.results_.loc[VOTERS, "time"].isna().all() and (fitted.results_["time"][:2] > 0).all()
    per_query = fitted.per_query_
    assert per_query.index.equals(pd.MultiIndex.from_product([fitted.results_.index, per_query.loc["sum"].index]))
    assert "q05" not in per_query.loc["v2"].index and (per_query.loc["v2"].loc[["q03", "q04"]] == 0).all(axis=None)
    own = evaluate(LISTS, QRELS, METRICS, missing_queries="zero", per_query=True)
    for voter in VOTERS:
        pd.testing.assert_frame_equal(per_query.loc[voter], own.loc[voter])


def test_with_voters_does_not_change_results_of_methods(fitted):
    alone = Comparator(METHODS, metrics=METRICS, qrels=QRELS).fit(LISTS)
    pd.testing.assert_frame_equal(fitted.results_.iloc[:2][METRICS], alone.results_[METRICS])
    pd.testing.assert_frame_equal(fitted.per_query_.loc[["sum", "copeland"]], alone.per_query_)
    assert (fitted.best_name_, fitted.best_score_) == (alone.best_name_, alone.best_score_)
    assert list(fitted.named_aggregators_) == ["sum", "copeland"] and len(fitted.aggregators_) == 2
    pd.testing.assert_frame_equal(fitted.transform(LISTS), alone.transform(LISTS))
    assert fitted.score(LISTS) == alone.score(LISTS)


def test_with_voters_adds_the_lists_of_voters_to_runs(fitted):
    assert list(fitted.runs_) == ["sum", "copeland", *VOTERS]
    for voter in VOTERS:
        own = LISTS[LISTS["voter"] == voter].drop(columns="voter").sort_values(["query", "rank"], ignore_index=True)
        run = fitted.runs_[voter]
        assert "voter" not in run and (run[["query", "item"]] == own[["query", "item"]]).all(axis=None)
        again = evaluate(run, QRELS, METRICS, missing_queries="zero")
        np.testing.assert_allclose(again.iloc[0], fitted.results_.loc[voter, METRICS], rtol=1e-13)
    assert agreement_matrix(fitted, "rbo").index.tolist() == ["sum", "copeland", *VOTERS]


def test_with_voters_never_selects_a_voter_as_best():
    # One voter equals the truth, the others are noise.
    best = QRELS.sort_values(["query", "relevance"], ascending=[True, False])
    best = best.assign(rank=best.groupby("query").cumcount() + 1, voter="oracle")
    lists = pd.concat([LISTS[["query", "voter", "item", "rank"]], best[["query", "voter", "item", "rank"]]])
    fitted = Comparator([("copeland", Copeland())], metrics="ndcg@10", qrels=QRELS, with_voters=True).fit(lists)
    assert fitted.results_["ndcg@10"].idxmax() == "oracle"
    assert fitted.best_name_ == "copeland" and fitted.best_score_ == fitted.results_.loc["copeland", "ndcg@10"]


def test_compare_accepts_a_voter_as_baseline(fitted):
    found = fitted.compare(baseline="v1", n_resamples=99)
    assert found.index.tolist() == ["v1", "sum", "copeland", "v2", "v3", "v4"]
    frame = fitted.per_query_["map"].unstack(level=0)
    assert found.loc["sum", "difference"] == pytest.approx((frame["sum"] - frame["v1"]).mean())
    assert compare_methods(fitted.per_query_, "v1", metric="map", n_resamples=99).equals(found)
    ranks, result = compare_ranks(fitted.per_query_)
    assert set(ranks.index) == {"sum", "copeland", *VOTERS} and result.n_queries == 9
    assert fitted.select_results(metric="map", query="q03").loc["v2"].item() == 0


def test_tables_include_voters(fitted):
    latex = fitted.latex_table(metric="map", baseline="v1")
    assert latex.count("\\\\") >= 7 and all(voter in latex for voter in VOTERS)
    assert text_table(fitted.results_).splitlines()[-1].split()[-1] == "-"  # no time
    assert markdown_table(fitted.results_).count("\n| v") == 4


@pytest.mark.exhaustive
def test_plots_include_voters(fitted):
    pyplot = pytest.importorskip("matplotlib")
    pyplot.use("Agg")
    from skrankagg.plotting import (
        AgreementDisplay,
        ComparisonDisplay,
        CriticalDifferenceDisplay,
        CutoffDisplay,
        InterpolatedPrecisionDisplay,
        QueryGainDisplay,
        VoterWeightsDisplay,
    )

    names = {"sum", "copeland", *VOTERS}
    assert set(ComparisonDisplay.from_comparator(fitted).results.index) == names
    assert set(CriticalDifferenceDisplay.from_comparator(fitted).names) == names
    cut = CutoffDisplay.from_comparator(fitted, "ndcg", cutoffs=[1, 10]).table
    assert set(cut.index) == names
    np.testing.assert_allclose(cut[10], fitted.results_["ndcg@10"].loc[cut.index], rtol=1e-13)
    assert set(InterpolatedPrecisionDisplay.from_comparator(fitted).table.index) == names
    assert QueryGainDisplay.from_comparator(fitted, "sum", "v1").difference.shape == (9,)
    AgreementDisplay.from_comparator(fitted)
    with pytest.raises(InputError, match="must be one of 'sum', 'copeland'; got 'v1'"):
        VoterWeightsDisplay.from_comparator(fitted, "v1")
    from matplotlib import pyplot

    pyplot.close("all")


def test_with_voters_rejects_a_voter_named_like_a_method():
    with pytest.raises(InputError, match=r"'v1' is the name of both\. Rename the method"):
        Comparator([("v1", CombSUM())], qrels=QRELS, with_voters=True).fit(LISTS)
    assert Comparator([("v1", CombSUM())], qrels=QRELS).fit(LISTS).best_name_ == "v1"
    with pytest.raises(ValueError, match="'with_voters' parameter of Comparator"):
        Comparator(METHODS, qrels=QRELS, with_voters="all").fit(LISTS)


def test_with_voters_converts_integer_voters_to_strings():
    lists = LISTS.assign(voter=LISTS["voter"].str[1:].astype(int))
    fitted = Comparator(METHODS, metrics="map", qrels=QRELS, with_voters=True).fit(RankedLists.from_frame(lists))
    assert fitted.results_.index.tolist() == ["sum", "copeland", "1", "2", "3", "4"]
    assert fitted.compare(baseline="1").index[0] == "1"


def test_with_voters_works_with_failing_methods_and_custom_measures():
    def length(ranking):
        return len(ranking)

    methods = [*METHODS, ("bad", Failing())]
    metrics = ["map", make_measure(length, greater_is_better=None)]
    with pytest.warns(FitFailedWarning, match="1 of 3 methods failed"):
        fitted = Comparator(methods, metrics=metrics, qrels=QRELS, with_voters=True).fit(LISTS)
    assert fitted.results_.index.tolist() == ["sum", "copeland", "bad", *VOTERS] and list(fitted.failures_) == ["bad"]
    assert fitted.results_.loc["bad"].isna().all() and fitted.per_query_.loc["v2", "length"].loc["q03"] == 0
    assert "v1" in fitted.latex_table(baseline="sum") and np.isnan(fitted.compare("v1").loc["bad", "mean"])


def test_comparator_with_voters_can_be_cloned_and_pickled(fitted):
    assert clone(fitted).with_voters is True
    again = pickle.loads(pickle.dumps(fitted))
    pd.testing.assert_frame_equal(again.results_, fitted.results_)
    pd.testing.assert_frame_equal(again.runs_["v2"], fitted.runs_["v2"])


# ---------------------------------------------------------------------- voters without methods


@pytest.mark.parametrize("aggregators", [[], [("sum", "drop")]])
def test_voters_are_measured_without_methods(aggregators, fitted):
    alone = Comparator(aggregators, metrics=METRICS, qrels=QRELS, with_voters=True).fit(LISTS)
    pd.testing.assert_frame_equal(alone.results_, fitted.results_.loc[VOTERS], check_names=False)
    assert alone.per_query_.equals(fitted.per_query_.loc[VOTERS]) and list(alone.runs_) == VOTERS
    # All comparisons with the best run are tests of the voters alone.
    best = alone.results_["map"].idxmax()
    expected = compare_methods(fitted.per_query_.loc[VOTERS], best, metric="map", n_resamples=99)
    for baseline in (None, "best", "best voter", best):
        assert alone.compare(baseline, n_resamples=99).equals(expected)
    table = alone.latex_table(baseline="best", decimals=3)
    assert [line.split(" & ")[0] for line in table.splitlines()[4:8]] == VOTERS and f"than {best}" in table
    assert table.count("midrule") == 1 and table.count("textbf") == 2  # counts have no best row
    assert alone.failures_ == {} and alone.named_aggregators_ == {}


def test_a_comparator_without_methods_cannot_aggregate():
    alone = Comparator([("sum", CombSUM())], metrics=METRICS, qrels=QRELS, with_voters=True).fit(LISTS)
    assert alone.best_name_ == "sum"
    alone.set_params(aggregators=[]).fit(LISTS)
    assert not any(hasattr(alone, name) for name in ("best_name_", "best_estimator_", "best_score_"))
    for call in (lambda: alone.transform(LISTS), lambda: alone.score(LISTS), alone.get_feature_names_out):
        with pytest.raises(
            InputError, match="`aggregators` must contain at least one method to aggregate lists; got none"
        ):
            call()
    with pytest.raises(InputError, match="`rows` must be 'all' if the Comparator has no methods"):
        alone.compare(rows="methods")
    assert "Comparator" in alone._repr_html_() and clone(alone).get_params()["aggregators"] == []
    with pytest.raises(InputError, match="at least one method"):
        alone.set_params(with_voters=False).fit(LISTS)
