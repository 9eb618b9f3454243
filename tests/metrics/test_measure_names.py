"""Measures given by name or as objects, without repetition, and the direction of improvement."""

import dataclasses

import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_validate

from skrankagg import CombSUM, Comparator, Copeland, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg._command_line import main
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.metrics import evaluate_voters, get_measure, make_ranking_scorer, measure_names
from skrankagg.model_selection import (
    compare_methods,
    compare_ranks,
    latex_table,
    markdown_table,
    select_results,
    significance_marks,
    style_table,
    text_table,
)
from skrankagg.preprocessing import VoterSelector

FRAME, QRELS, _ = make_ranked_lists(n_queries=12, quality=0.4, quality_spread=1.0, random_state=3)
QRELS = QRELS.sample(frac=0.5, random_state=0)  # so that methods differ in how many of their items are judged
LISTS = RankedLists.from_frame(FRAME)
METHODS = [
    ("sum", CombSUM(norm="borda")),
    ("copeland", Copeland()),
    ("rrf", ReciprocalRankFusion(k=1)),
]
NDCG, AP = get_measure("ndcg@10", gain="linear"), get_measure("map")
RUNS = {name: method.fit_transform(LISTS) for name, method in METHODS}


def comparator(metrics):
    return Comparator(METHODS, metrics=metrics, qrels=QRELS).fit(LISTS)


@pytest.fixture
def pyplot():
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


# ---------------------------------------------------------------------- objects for names


def test_functions_accept_measures_next_to_names():
    names, mixed = ["ndcg@10[gain=linear]", "map", "p@5"], [NDCG, AP, "p@5"]
    pd.testing.assert_frame_equal(evaluate(RUNS, QRELS, mixed), evaluate(RUNS, QRELS, names))
    pd.testing.assert_frame_equal(
        evaluate(RUNS, QRELS, mixed, per_query=True), evaluate(RUNS, QRELS, names, per_query=True)
    )
    pd.testing.assert_frame_equal(evaluate(RUNS["sum"], QRELS, AP), evaluate(RUNS["sum"], QRELS, "map"))
    pd.testing.assert_frame_equal(evaluate_voters(LISTS, QRELS, mixed), evaluate_voters(LISTS, QRELS, names))
    ours, theirs = comparator(mixed), comparator(names)
    pd.testing.assert_frame_equal(ours.per_query_, theirs.per_query_)
    assert comparator(AP).best_score_ == comparator("map").best_score_
    method = CombSUM(norm="borda")
    scores = [make_ranking_scorer(metrics, qrels=QRELS)(method, LISTS) for metrics in (mixed, names)]
    assert scores[0] == scores[1] and list(scores[0]) == names
    assert make_ranking_scorer(AP, qrels=QRELS)(method, LISTS) == scores[0]["map"]


def test_comparator_methods_accept_measures():
    fitted = comparator(["ndcg@10[gain=linear]", "P@5"])
    p = get_measure("p@5")  # which stands in the column P@5
    pd.testing.assert_frame_equal(fitted.compare("sum", metric=p), fitted.compare("sum", metric="P@5"))
    pd.testing.assert_frame_equal(fitted.select_results(metric=p), fitted.select_results(metric="P@5"))
    pd.testing.assert_frame_equal(
        select_results(fitted.results_, metric=[p, NDCG]), fitted.select_results(metric=["P@5", "ndcg"])
    )
    assert fitted.latex_table(metric=[NDCG]) == fitted.latex_table(metric="ndcg")
    pd.testing.assert_frame_equal(
        significance_marks(fitted.per_query_, "sum", [p]), significance_marks(fitted.per_query_, "sum", ["P@5"])
    )
    pd.testing.assert_series_equal(
        compare_ranks(fitted.per_query_, metric=p)[0], compare_ranks(fitted.per_query_, metric="P@5")[0]
    )
    with pytest.raises(ValueError, match=r"must be one of .*got 'map'"):
        fitted.compare(metric=AP)


@pytest.mark.exhaustive
def test_plots_accept_measures(pyplot):
    from skrankagg.plotting import ComparisonDisplay, CriticalDifferenceDisplay, CutoffDisplay, QueryGainDisplay

    fitted = comparator(["P@5", "map"])
    p = get_measure("p@5")
    for one, other in ((p, "P@5"), (AP, "map")):
        first, second = (ComparisonDisplay.from_comparator(fitted, metric) for metric in (one, other))
        assert first.label == second.label and first.results.equals(second.results)
        first, second = (QueryGainDisplay.from_comparator(fitted, "rrf", "sum", metric) for metric in (one, other))
        assert first.difference.equals(second.difference)
        first, second = (CriticalDifferenceDisplay.from_comparator(fitted, metric) for metric in (one, other))
        assert first.label == second.label
    assert ComparisonDisplay.from_predictions(RUNS, QRELS, AP).results.equals(fitted.results_["map"])
    assert QueryGainDisplay.from_predictions(RUNS, QRELS, "rrf", "sum", AP).label == AP.title
    assert "map" in CriticalDifferenceDisplay.from_predictions(RUNS, QRELS, AP).label
    linear = get_measure("ndcg", gain="linear")
    pd.testing.assert_frame_equal(
        CutoffDisplay.from_predictions(RUNS, QRELS, linear, cutoffs=[1, 2]).table,
        CutoffDisplay.from_predictions(RUNS, QRELS, "ndcg[gain=linear]", cutoffs=[1, 2]).table,
    )


def test_voter_selector_accepts_a_measure():
    by_name, by_measure = (VoterSelector(by, n_voters=3, qrels=QRELS).fit(LISTS) for by in ("map", AP))
    pd.testing.assert_frame_equal(by_name.voter_scores_, by_measure.voter_scores_)


def test_get_measure_treats_none_as_the_default_convention():
    given = get_measure("map", relevance_threshold=None)
    assert given == AP and str(given) == "map" and get_measure(given) == AP
    assert get_measure("map", relevance_threshold=2) == get_measure("map[relevance_threshold=2]")
    assert hash(get_measure("map", relevance_threshold=2)) == hash(get_measure("map[relevance_threshold=2]"))
    assert get_measure(dataclasses.replace(AP, options={"relevance_threshold": None})) == AP


# ---------------------------------------------------------------------- each once

TWICE = [
    (["map", "map"], "'map' is repeated"),
    (["map", "p@5", "MAP"], "'map' and 'MAP' are the same"),
    (["hit_rate@5", "success@5"], "'hit_rate@5' and 'success@5' are the same"),
    ([AP, "map"], "'map' is repeated"),
    (["map[relevance_threshold=2]", "map[relevance_threshold=2.0]"], "are the same"),
]


@pytest.mark.parametrize(("metrics", "words"), TWICE)
@pytest.mark.parametrize(
    "call",
    [
        lambda metrics: evaluate(RUNS, QRELS, metrics),
        lambda metrics: evaluate(RUNS["sum"], QRELS, metrics, per_query=True),
        lambda metrics: evaluate_voters(LISTS, QRELS, metrics),
        lambda metrics: comparator(metrics),
        lambda metrics: make_ranking_scorer(metrics, qrels=QRELS),
    ],
    ids=["evaluate", "evaluate queries", "voters", "Comparator", "scorer"],
)
def test_functions_reject_a_repeated_measure(call, metrics, words):
    with pytest.raises(ValueError, match=words):
        call(metrics)


def test_evaluate_accepts_measures_that_differ_in_a_convention():
    assert list(evaluate(RUNS, QRELS, ["ndcg@5", "ndcg@5[gain=linear]", "ndcg@10"])) == [
        "ndcg@5",
        "ndcg@5[gain=linear]",
        "ndcg@10",
    ]


@pytest.mark.parametrize("metrics", [3, None])
def test_evaluate_rejects_metrics_that_are_not_names(metrics):
    with pytest.raises(TypeError, match="The name of a measure must be a str such as 'ndcg@10'; got"):
        evaluate(RUNS, QRELS, metrics)
    with pytest.raises(ValueError, match="at least one measure"):
        evaluate(RUNS, QRELS, [])


@pytest.mark.parametrize("command", ["compare", "evaluate"])
def test_command_line_rejects_a_repeated_measure(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    RUNS["sum"].to_csv("sum.csv", index=False)
    QRELS.to_csv("qrels.csv", index=False)
    assert main([command, "sum.csv", "qrels.csv", "--metrics", "map", "map"]) == 1
    assert "--metrics must name each measure once; 'map' is repeated" in capsys.readouterr().err


# ---------------------------------------------------------------------- which values are better


def test_greater_is_better_is_set_for_every_measure():
    filled = [name.replace("@k", "@7").replace("@r", "@0.1").replace("@z1,z2,...", "@5,10") for name in measure_names()]
    others = {name: get_measure(name).greater_is_better for name in filled}
    others = {name: better for name, better in others.items() if better is not True}
    assert others == {"num_ret": None, "num_rel": None, "judged@7": None, "rbp_resid": False, "rbp_resid@7": False}


def test_comparator_best_name_has_the_lowest_residual():
    fitted = comparator(["rbp_resid@10", "map"])
    residual = fitted.results_["rbp_resid@10"]
    assert residual.nunique() > 1 and residual.idxmin() != residual.idxmax()
    assert fitted.best_name_ == residual.idxmin()
    assert fitted.best_score_ == -residual.min() == fitted.score(LISTS)
    assert fitted.best_estimator_ is fitted.named_aggregators_[residual.idxmin()]


def test_comparator_and_scorers_reject_counts_as_criterion():
    with pytest.raises(ValueError, match="got 'num_ret', for which neither higher nor lower values are better"):
        comparator(["num_ret", "map"])
    assert comparator(["map", "num_ret"]).best_name_ == comparator("map").best_name_
    for metric in ("num_ret", "judged@10"):
        with pytest.raises(ValueError, match="must be a measure that states whether higher or lower values"):
            make_ranking_scorer(metric, qrels=QRELS)
    scores = make_ranking_scorer(["map", "num_rel"], qrels=QRELS)(CombSUM(norm="borda"), LISTS)
    assert scores["num_rel"] == evaluate(RUNS["sum"], QRELS, "num_rel").iloc[0, 0]


def test_grid_search_selects_the_lowest_residual():
    scorer = make_ranking_scorer("rbp_resid@10", qrels=QRELS)
    grid = {"norm": ["borda", "rank", "min-max"]}
    residual = {
        norm: evaluate(CombSUM(norm=norm).fit_transform(LISTS), QRELS, "rbp_resid@10").iloc[0, 0]
        for norm in grid["norm"]
    }
    search = GridSearchCV(CombSUM(), grid, scoring=scorer, cv=2).fit(LISTS)
    lowest = min(residual, key=residual.get)
    assert len(set(residual.values())) == 3 and search.best_params_ == {"norm": lowest}
    assert search.best_score_ == pytest.approx(-residual[lowest])  # two folds of six queries each
    several = make_ranking_scorer(["map", "rbp_resid@10"], qrels=QRELS)
    result = cross_validate(CombSUM(norm="borda"), LISTS, scoring=several, cv=2)
    assert result["test_neg_rbp_resid@10"].mean() == pytest.approx(-residual["borda"])
    assert (result["test_map"] > 0).all() and several.__name__ == "map, neg_rbp_resid@10"
    refitted = GridSearchCV(CombSUM(), grid, scoring=several, cv=2, refit="neg_rbp_resid@10").fit(LISTS)
    assert refitted.best_params_ == {"norm": lowest}


def test_compare_counts_a_lower_residual_as_a_win():
    fitted = comparator(["rbp_resid@10"])
    mean = fitted.results_["rbp_resid@10"]
    low, high = mean.idxmin(), mean.idxmax()
    found = fitted.compare(n_resamples=99)
    assert found.index[0] == low
    table = fitted.per_query_["rbp_resid@10"].unstack(level=0)
    assert found.loc[high, "wins"] == (table[high] < table[low] - 1e-12).sum()
    assert found.loc[high, "losses"] == (table[high] > table[low] + 1e-12).sum() > 0
    assert found.loc[high, "difference"] == pytest.approx(mean[high] - mean[low])
    ranks, _ = compare_ranks(fitted.per_query_)
    assert ranks["sum"] == pytest.approx(table.rank(axis=1)["sum"].mean())


def test_compare_methods_needs_a_baseline_for_counts():
    per_query = comparator(["map", "num_ret"]).per_query_
    with pytest.raises(ValueError, match=r"`baseline` must be the name of a method, because .* of 'num_ret'"):
        compare_methods(per_query, metric="num_ret")
    assert compare_methods(per_query, "sum", metric="num_ret", confidence=None).index[0] == "sum"


def test_significance_marks_respects_the_direction_of_measures():
    index = pd.MultiIndex.from_product([["a", "b"], range(6)], names=["method", "query"])
    values = [0.5, 0.4, 0.6, 0.7, 0.5, 0.3, 0.6, 0.6, 0.7, 0.7, 0.8, 0.4]
    per_query = pd.DataFrame({"map": values, "rbp_resid": values, "judged@5": values}, index=index)
    assert significance_marks(per_query, "a").loc["b"].tolist() == ["+", "-", ""]


def test_tables_mark_the_lowest_residual_but_no_counts():
    results = pd.DataFrame(
        {"map": [0.5, 0.4], "rbp_resid": [0.2, 0.1], "num_ret": [1, 0], "judged@5": [0.5, 0.7], "dcg": [3.0, 2.0]},
        index=["a", "b"],
    )
    lines = [line.split() for line in text_table(results, decimals=2).splitlines()]
    assert lines[2:] == [
        ["a", "0.50*", "0.20", "1", "0.50", "3.00*"],
        ["b", "0.40", "0.10*", "0", "0.70", "2.00"],
    ]
    assert markdown_table(results).splitlines()[-1] == "| b | 0.4000 | **0.1000** | 0 | 0.7000 | 2.0000 |"
    assert latex_table(results[["rbp_resid"]], decimals=1).count(r"\textbf{0.1}") == 1
    assert style_table(results[["rbp_resid"]]).to_html().count("font-weight: bold") == 1


def test_plots_show_the_lowest_residual_first(pyplot):
    from skrankagg.plotting import ComparisonDisplay, CriticalDifferenceDisplay, CutoffDisplay, QueryGainDisplay

    fitted = comparator(["rbp_resid@10", "map", "num_ret"])
    residual = fitted.results_["rbp_resid@10"]
    low, high = residual.idxmin(), residual.idxmax()
    display = ComparisonDisplay.from_comparator(fitted)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(residual.sort_values().index)
    colors = [bar.get_facecolor() for bar in display.bars_]
    assert colors.count(colors[0]) == 1
    counts = ComparisonDisplay.from_comparator(fitted, "num_ret")
    assert len({bar.get_facecolor() for bar in counts.bars_}) == 1
    gain = QueryGainDisplay.from_comparator(fitted, low, high)
    table = fitted.per_query_["rbp_resid@10"].unstack(level=0)
    assert gain.difference.mean() == pytest.approx((table[high] - table[low]).mean()) and gain.difference.mean() > 0
    ranks = CriticalDifferenceDisplay.from_comparator(fitted).result.mean_ranks
    assert ranks == pytest.approx(table[[name for name, _ in METHODS]].rank(axis=1).mean().to_numpy())
    lines = CutoffDisplay.from_comparator(fitted, "rbp_resid", cutoffs=[5, 10])
    means = lines.table.mean(axis=1).sort_values()
    assert [text.get_text() for text in lines.ax_.get_legend().get_texts()] == list(means.index)
    bars = CutoffDisplay.from_comparator(fitted, "rbp_resid", cutoffs=[5, 10], kind="bar")
    last = bars.table[10].sort_values()
    assert [label.get_text() for label in bars.ax_.get_yticklabels()] == list(last.index)
    assert [bar.get_facecolor() for bar in bars.lines_[-1]].count(bars.lines_[-1][0].get_facecolor()) == 1


@pytest.mark.parametrize("by", ["rbp_resid", "num_ret", get_measure("rbp_resid@5")])
def test_voter_selector_rejects_measures_where_higher_is_not_better(by):
    with pytest.raises(ValueError, match=r"must be a measure where higher values are better.*'(rbp_resid|num_ret)"):
        VoterSelector(by, qrels=QRELS).fit(LISTS)


def test_command_line_shows_the_lowest_residual_first(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, run in RUNS.items():
        run.to_csv(f"{name}.csv", index=False)
    QRELS.to_csv("qrels.csv", index=False)
    FRAME.to_csv("lists.csv", index=False)
    residual = evaluate(RUNS, QRELS, "rbp_resid@10")["rbp_resid@10"].sort_values()
    assert main(["evaluate", *(f"{name}.csv" for name in RUNS), "qrels.csv", "--metrics", "rbp_resid@10"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.partition("\n\n")[0].splitlines()[2:]]
    assert [row[0] for row in rows] == [f"{name}.csv" for name in residual.index] and rows[0][1].endswith("*")
    methods = ["--methods", "CombSUM[norm=borda]", "Copeland", "ReciprocalRankFusion[k=1]"]
    assert main(["compare", "lists.csv", "qrels.csv", *methods, "--metrics", "rbp_resid@10"]) == 0
    lines = capsys.readouterr().out.splitlines()
    top = lines.index(next(line for line in lines if line.startswith("-----"))) + 1
    assert float(lines[top].split()[1].rstrip("*")) == pytest.approx(residual.iloc[0], abs=1e-4)
    voters = evaluate_voters(LISTS, QRELS, "rbp_resid@10")["rbp_resid@10"]
    assert any(f"(best single voter, {voters.idxmin()})" in line for line in lines)


def test_accuracy_is_the_precision_at_1():
    with pytest.raises(
        InputError, match=r"'accuracy' is not among the measures; the nearest is p@1 for classifiers, and"
    ):
        get_measure("accuracy")
