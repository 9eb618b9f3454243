"""ComparisonDisplay."""

import itertools
import sys

import numpy as np
import pandas as pd
import pytest

from skrankagg import Comparator, Copeland
from skrankagg.aggregators import CombMNZ, CombSUM
from skrankagg.plotting import ComparisonDisplay
from skrankagg.stats import bootstrap_interval


@pytest.fixture(scope="module")
def comparator(data):
    lists, qrels = data
    methods = [("CombMNZ[norm=dbsf]", CombMNZ(norm="dbsf")), ("sum $x_1$", CombSUM()), ("Copeland", Copeland())]
    return Comparator(methods, metrics=["map", "ndcg@10", "num_rel_ret"], qrels=qrels).fit(lists)


def texts(display):
    return [text.get_text() for text in display.ax_.texts]


def test_comparison_display_sorts_and_labels_bars(plt, comparator):
    display = ComparisonDisplay.from_comparator(comparator)
    best_first = comparator.results_["map"].sort_values(ascending=False)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == list(best_first.index)
    assert [bar.get_width() for bar in display.bars_] == best_first.tolist()
    assert texts(display) == [f"{value:.4f}" for value in best_first]
    assert display.ax_.yaxis_inverted()
    assert display.figure_ is display.ax_.figure


def test_comparison_display_whiskers_are_labelled_95_percent_intervals(plt, comparator):
    display = ComparisonDisplay.from_comparator(comparator, "ndcg@10")
    [whiskers] = display.bars_.errorbar.lines[2]
    best_first = comparator.results_["ndcg@10"].sort_values(ascending=False).index
    for name, segment in zip(best_first, whiskers.get_segments(), strict=True):
        values = comparator.per_query_.loc[name, "ndcg@10"]
        with pytest.warns(UserWarning, match="6 values is too short"):
            low, high = bootstrap_interval(values, n_resamples=50_000, method="percentile", random_state=1)
        assert segment[:, 0].tolist() == pytest.approx([low, high], abs=0.01)
        assert display.interval.loc[name].tolist() == segment[:, 0].tolist()
    assert display.ax_.get_xlabel() == "Normalised DCG at 10 (ndcg@10)\nmean and 95 % interval over 6 queries"


def test_comparison_display_interval_contains_the_geometric_mean(plt, comparator, data):
    _, qrels = data
    display = ComparisonDisplay.from_predictions(dict(comparator.runs_), qrels, "gmap")
    assert (display.interval["low"] < display.results).all() and (display.results < display.interval["high"]).all()
    assert (display.interval["high"] - display.interval["low"] < 0.5).all()


@pytest.fixture(scope="module")
def with_voters(data):
    lists, qrels = data
    methods = [("CombSUM", CombSUM()), ("Copeland", Copeland())]
    return Comparator(methods, metrics=["map", "rbp_resid", "num_ret"], qrels=qrels, with_voters=True).fit(lists)


def test_comparison_display_marks_the_best_voter_with_a_named_line(plt, with_voters):
    display = ComparisonDisplay.from_comparator(with_voters)
    voters = with_voters.results_["map"].drop(["CombSUM", "Copeland"])
    assert set(display.voters) == set(voters.index)
    assert display.voter_line_.get_xdata() == [voters.max()] * 2
    [entry] = display.ax_.get_legend().get_texts()
    assert entry.get_text() == f"best voter: {voters.idxmax()} ({voters.max():.4f})"
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    grey = {bar.get_facecolor() for name, bar in zip(names, display.bars_, strict=True) if name in voters}
    assert len(grey) == 1 and not grey & {bar.get_facecolor() for bar in display.bars_[:2]}


def test_comparison_display_voter_line_crosses_no_numbers(plt, with_voters):
    display = ComparisonDisplay.from_comparator(with_voters)
    display.figure_.draw_without_rendering()
    line = display.voter_line_.get_window_extent()
    assert all(text.get_window_extent().x0 > line.x1 for text in display.ax_.texts)


def test_comparison_display_best_voter_has_the_lowest_value_if_lower_is_better(plt, with_voters):
    display = ComparisonDisplay.from_comparator(with_voters, "rbp_resid")
    assert display.voter_line_.get_xdata()[0] == with_voters.results_["rbp_resid"].iloc[2:].min()
    assert ComparisonDisplay.from_comparator(with_voters, "num_ret").voter_line_ is None  # neither is better


def test_comparison_display_has_no_voter_line_without_voters(plt, comparator):
    display = ComparisonDisplay.from_comparator(comparator)
    assert display.voter_line_ is None and display.voters == () and display.ax_.get_legend() is None
    lost = ComparisonDisplay(pd.Series([0.5, np.nan], index=["sum", "v1"]), voters=["v1"]).plot()
    assert lost.voter_line_ is None


def test_comparison_display_draws_in_a_subfigure(plt, with_voters):
    figure = plt.figure(layout="constrained")
    left, _ = figure.subfigures(1, 2)
    display = ComparisonDisplay.from_comparator(with_voters, ax=left.subplots())
    assert display.voter_line_ is not None


def test_comparison_display_has_no_whiskers_for_a_sum(plt, comparator):
    display = ComparisonDisplay.from_comparator(comparator, "num_rel_ret")
    assert display.bars_.errorbar is None
    assert display.ax_.get_xlabel() == "Relevant items returned (num_rel_ret)"
    assert texts(display)[0].isdecimal()


def test_comparison_display_has_no_whiskers_for_one_query(plt, data):
    lists, qrels = data
    comparator = Comparator([("CombSUM", CombSUM())], qrels=qrels).fit(lists[lists["query"] == "q1"])
    display = ComparisonDisplay.from_comparator(comparator)
    assert display.bars_.errorbar is None
    assert "interval" not in display.ax_.get_xlabel()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n_methods", [1, 7, 21, 60])
def test_comparison_display_texts_do_not_collide_or_leave_the_figure(plt, n_methods):
    names = [f"SomeRatherLongMethodName[weighting=query,k={k}]" for k in range(n_methods)]
    results = pd.Series(np.linspace(0.3, 0.9, n_methods), index=names)
    interval = pd.DataFrame({"low": results * 0.9, "high": results * 1.1})
    display = ComparisonDisplay(results, interval=interval, label="map").plot()
    display.figure_.draw_without_rendering()
    ax, page = display.ax_, display.figure_.bbox
    for column in (ax.texts, ax.get_yticklabels()):
        boxes = sorted((text.get_window_extent() for text in column), key=lambda box: box.y0)
        assert all(below.y1 <= above.y0 for below, above in itertools.pairwise(boxes))
        assert all(page.x0 <= box.x0 and box.x1 <= page.x1 for box in boxes)
    whisker_ends = ax.transData.transform([[x * 1.1, 0.0] for x in results.sort_values(ascending=False)])[:, 0]
    assert all(text.get_window_extent().x0 > end for text, end in zip(ax.texts, whisker_ends, strict=True))


def test_comparison_display_best_bar_is_darker_unless_all_are_equal(plt, comparator):
    colors = [bar.get_facecolor() for bar in ComparisonDisplay.from_comparator(comparator).bars_]
    assert sum(colors[0][:3]) < sum(colors[1][:3])
    assert colors[1] == colors[2]
    level = ComparisonDisplay(pd.Series([0.5, 0.5], index=["a", "b"])).plot()
    assert len({bar.get_facecolor() for bar in level.bars_}) == 1


def test_comparison_display_draws_on_the_given_axes(plt, comparator):
    figure, ax = plt.subplots()
    display = ComparisonDisplay.from_comparator(comparator, ax=ax, color="black")
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.bars_[0].get_facecolor() == (0, 0, 0, 1)


def test_comparison_display_does_not_parse_names_as_formulas(plt, comparator):
    display = ComparisonDisplay.from_comparator(comparator)
    assert not any(label.get_parse_math() for label in display.ax_.get_yticklabels())


def test_comparison_display_draws_zeros(plt):
    display = ComparisonDisplay(pd.Series([0.0, 0.0], index=["a", "b"])).plot()
    assert display.ax_.get_xlim() == (0.0, 1.0)


def test_comparison_display_rejects_a_measure_that_was_not_computed(comparator):
    with pytest.raises(ValueError, match=r"the Comparator has computed, map, ndcg@10, num_rel_ret; got 'p@10'"):
        ComparisonDisplay.from_comparator(comparator, "p@10")


def test_comparison_display_explains_how_to_install_matplotlib(comparator, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"Plots need matplotlib; install it with pip install 'skrankagg\[plot\]'\."):
        ComparisonDisplay.from_comparator(comparator)
