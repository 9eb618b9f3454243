"""Displays explain why there is nothing to draw, from the inputs of their constructors."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import BordaCount, CombSUM, Comparator, Copeland, Qrels, RankedLists
from skrankagg.exceptions import FewListsWarning, InputError
from skrankagg.plotting import (
    AgreementDisplay,
    CoefficientsDisplay,
    ComparisonDisplay,
    ContributionDisplay,
    CriticalDifferenceDisplay,
    CutoffDisplay,
    InterpolatedPrecisionDisplay,
    PreferenceProbabilityDisplay,
    QueryGainDisplay,
    RankStabilityDisplay,
    RatingsDisplay,
    VoterInfluenceDisplay,
    WeightCurveDisplay,
)

ONE_ITEM = {"u": ["a"], "v": ["a"], "w": ["a"]}
ONE_LIST = {"u": ["a", "b", "c"]}
# Each voter ranks another query.
APART = RankedLists.from_frame(
    pd.DataFrame(
        {
            "query": np.repeat(["q1", "q2", "q3"], 2),
            "voter": np.repeat(["u", "v", "w"], 2),
            "item": list("abababab"[:6]),
            "rank": [1, 2] * 3,
        }
    )
)
UNKNOWN = "No agreement has a value. An agreement needs two lists with at least two items in common."


def sentences(display):
    display.figure_.draw_without_rendering()
    return [text.get_text().replace("\n", " ") for text in display.ax_.texts]


def scored(**scores):
    """Return a run with the items a, b and c for each query."""
    rows = [(query, item, -place) for query, items in scores.items() for place, item in enumerate(items)]
    return pd.DataFrame(rows, columns=["query", "item", "score"])


@pytest.mark.parametrize("metric", ["tau-b", "spearman", "rbo"])
def test_agreement_display_without_common_queries(plt, metric):
    display = AgreementDisplay.from_lists(APART, metric)
    assert sentences(display) == [
        "No pair of rows has a value. Two rows need common items in the same query that are not all tied."
    ]
    assert display.table.shape == (3, 3)


def test_agreement_display_of_one_voter_or_one_item(plt):
    [sentence] = sentences(AgreementDisplay.from_lists(RankedLists.from_lists(ONE_LIST)))
    assert sentence == "There is only one row, but an agreement needs two."
    display = AgreementDisplay.from_lists(RankedLists.from_lists(ONE_ITEM))
    assert sentences(display)[0].startswith("No pair of rows has a value.")


def test_preference_probability_display_of_one_item(plt):
    with pytest.warns(FewListsWarning):
        display = PreferenceProbabilityDisplay.from_estimator(BordaCount(), ONE_ITEM, n_resamples=10)
    assert sentences(display) == ["There is only one item, so there is no pair."]


def test_preference_probability_display_of_items_that_no_list_compares(plt):
    table = pd.DataFrame([[0.5, np.nan], [np.nan, 0.5]], index=list("ab"), columns=list("ab"))
    [sentence] = sentences(PreferenceProbabilityDisplay.from_frame(table))
    assert sentence == "No pair of items has a value, because no chain of lists connects two items."


@pytest.mark.parametrize("lists", [ONE_LIST, ONE_ITEM])
def test_voter_influence_display_without_known_agreements(plt, lists):
    assert sentences(VoterInfluenceDisplay.from_estimator(BordaCount(), lists)) == [UNKNOWN]


def test_contribution_display_without_voters_has_no_legend(plt):
    display = ContributionDisplay(pd.DataFrame(index=["a", "b"])).plot()
    assert display.bars_ == {} and display.ax_.get_legend() is None
    assert sentences(display) == [display._reason()]


def test_places_and_ratings_of_one_list_have_no_intervals(plt):
    with pytest.warns(FewListsWarning):
        places = RankStabilityDisplay.from_estimator(BordaCount(), ONE_LIST, n_resamples=10)
    words = "no intervals: they need two lists, and a chain of lists that connects all items"
    assert places.ax_.get_xlabel().endswith(f"\n{words}") and len(places.bars_) == 0
    with pytest.warns(FewListsWarning):
        ratings = RatingsDisplay.from_estimator(BordaCount(), ONE_LIST, n_resamples=10)
    assert ratings.ax_.get_xlabel().endswith("\nno item has an interval") and len(ratings.bars_) == 0
    assert not sentences(places) and not sentences(ratings)
    known = {"u": ["a", "b"], "v": ["b", "a"]}
    with pytest.warns(FewListsWarning):
        assert "\n" not in RankStabilityDisplay.from_estimator(BordaCount(), known, n_resamples=10).ax_.get_xlabel()


def test_coefficients_without_standard_errors_have_no_intervals(plt):
    table = pd.DataFrame({"covariate": ["a", "b"], "coefficient": [0.5, 1.0], "std_error": np.nan})
    display = CoefficientsDisplay.from_frame(table)
    assert display.ax_.get_xlabel().endswith("\nno coefficient has an interval") and not sentences(display)
    for odds in (False, True):
        display = CoefficientsDisplay.from_frame(table.assign(coefficient=np.nan), odds=odds)
        assert sentences(display) == ["No coefficient has a finite value."]


def test_query_gain_display_of_equal_or_unknown_gains(plt):
    qrels = Qrels.from_dict({"q1": {"a": 1}, "q2": {"b": 1}})
    runs = {"one": scored(q1="abc", q2="bac"), "two": scored(q1="acb", q2="bca")}
    display = QueryGainDisplay.from_predictions(runs, qrels, "one", "two")
    assert sentences(display) == ["Both methods have the same value on every query."]
    runs["two"] = scored(q1="bac", q2="bac")
    assert sentences(QueryGainDisplay.from_predictions(runs, qrels, "one", "two")) == []
    unknown = QueryGainDisplay(pd.Series([], dtype=float), method="one", baseline="two").plot()
    assert sentences(unknown) == ["No query has a value for both methods."] and unknown.ax_.get_legend() is None


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NothingJudgedWarning")
@pytest.mark.parametrize("kind", ["line", "bar"])
def test_cutoff_display_of_runs_without_judged_queries(plt, kind):
    qrels, runs = Qrels.from_dict({"q9": {"a": 1}}), {"one": scored(q1="abc"), "two": scored(q1="acb")}
    assert sentences(CutoffDisplay.from_predictions(runs, qrels, kind=kind)) == ["All values are 0."]
    assert sentences(InterpolatedPrecisionDisplay.from_predictions(runs, qrels)) == ["All values are 0."]


@pytest.mark.parametrize("interval", [None, pd.DataFrame(np.nan, index=["one", "two"], columns=["low", "high"])])
def test_comparison_display_of_failed_methods_keeps_their_names(plt, interval):
    display = ComparisonDisplay(pd.Series(np.nan, index=["one", "two"]), interval=interval).plot()
    assert sentences(display) == ["No method has a value."]
    assert [text.get_text() for text in display.ax_.get_yticklabels()] == ["one", "two"]


@pytest.mark.parametrize("queries", [["q1"], ["q1", "q2"]])
def test_critical_difference_display_refuses_too_few_queries_or_methods(plt, data, queries):
    lists, qrels = data
    lists = lists[lists["query"].isin(queries)]
    methods = [("sum", CombSUM()), ("copeland", Copeland())][: len(queries) % 2 + 1]
    fitted = Comparator(methods, metrics="map", qrels=qrels).fit(lists)
    found = rf"needs two methods with values, and .* got {len(methods)} methods and {len(queries)} queries\."
    with pytest.raises(InputError, match=f"CriticalDifferenceDisplay {found}"):
        CriticalDifferenceDisplay.from_comparator(fitted)


def test_weight_curve_display_refuses_judgements_of_other_queries():
    with pytest.raises(InputError, match=r"`qrels` must judge a .* contain query 'q1', the judgements query 'q9'\."):
        WeightCurveDisplay.from_estimator(CombSUM(), APART, Qrels.from_dict({"q9": {"a": 1}}), voters=("u", "v"))


def test_weight_curve_display_without_values(plt):
    table = pd.DataFrame({"mean": [np.nan] * 2, "low": np.nan, "high": np.nan}, index=[0.0, 1.0])
    levels = pd.Series(np.nan, index=["u alone", "v alone", "equal weights"])
    display = WeightCurveDisplay(table, levels, voters=("u", "v")).plot()
    assert sentences(display) == ["The measure has no value at any weight."]
    names = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert names[1:] == ["u alone: no value", "v alone: no value", "equal weights: no value"]
