"""Displays of comparisons show the computed values, and their texts do not collide."""

import itertools

import numpy as np
import pandas as pd
import pytest

from skrankagg import DIBRA, BordaCount, Comparator, Copeland, Qrels, evaluate
from skrankagg.aggregators import CombMNZ, CombSUM
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.metrics import agreement_matrix, agreement_names
from skrankagg.model_selection import compare_ranks
from skrankagg.plotting import (
    AgreementDisplay,
    ComparisonDisplay,
    ContributionDisplay,
    CriticalDifferenceDisplay,
    CutoffDisplay,
    InterpolatedPrecisionDisplay,
    QueryGainDisplay,
    VoterInfluenceDisplay,
    VoterWeightsDisplay,
    WeightCurveDisplay,
)
from skrankagg.stats import friedman_nemenyi


@pytest.fixture(scope="module")
def comparator(data):
    lists, qrels = data
    methods = [("mnz", CombMNZ()), ("sum $x_1$", CombSUM()), ("Copeland", Copeland()), ("DIBRA", DIBRA())]
    return Comparator(methods, metrics=["map", "ndcg@1", "ndcg@5", "num_rel_ret"], qrels=qrels).fit(lists)


NAMES = [f"SomeRatherLongMethodName[weighting=query,k={k}]" for k in range(21)]


def boxes(texts):
    return [text.get_window_extent() for text in texts if text.get_visible() and text.get_text()]


def assert_apart_and_inside(display, texts):
    display.figure_.draw_without_rendering()
    page, found = display.figure_.bbox, boxes(texts)
    assert found
    assert all(page.x0 - 1 <= box.x0 and box.x1 <= page.x1 + 1 for box in found)
    assert all(page.y0 - 1 <= box.y0 and box.y1 <= page.y1 + 1 for box in found)
    x0, y0, x1, y1 = np.array([box.extents for box in found]).T
    together = (x0 < x1[:, None]) & (x0[:, None] < x1) & (y0 < y1[:, None]) & (y0[:, None] < y1)
    assert (together == np.eye(len(found), dtype=bool)).all()


# ---------------------------------------------------------------------- content


def test_cutoff_display_lines_show_the_measure_at_each_cutoff(plt, comparator, data):
    _, qrels = data
    display = CutoffDisplay.from_comparator(comparator)  # ndcg at the cutoffs that were computed
    assert display.table.columns.tolist() == [1, 5]
    for line, (name, values) in zip(display.lines_, display.table.iterrows(), strict=True):
        assert line.get_ydata().tolist() == values.tolist()
        assert values[5] == pytest.approx(comparator.results_.loc[name, "ndcg@5"])
    more = CutoffDisplay.from_comparator(comparator, "p", cutoffs=[2, 4])
    expected = evaluate(dict(comparator.runs_), qrels, ["p@2", "p@4"])
    np.testing.assert_allclose(more.table, expected)
    assert more.ax_.get_ylabel() == "Precision at k"
    runs = CutoffDisplay.from_predictions(dict(comparator.runs_), qrels, "ndcg[gain=linear]", cutoffs=[3])
    np.testing.assert_allclose(runs.table[3], evaluate(dict(comparator.runs_), qrels, "ndcg@3[gain=linear]").iloc[:, 0])


def test_cutoff_display_lines_have_distinct_styles(plt):
    table = pd.DataFrame(np.random.default_rng(0).random((21, 3)), index=NAMES, columns=[1, 2, 3])
    lines = CutoffDisplay(table).plot(n_methods=21).lines_
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 21


def many(n):
    """Return a table of n methods; the method k is the k-th best, and the rows are shuffled."""
    values = np.linspace(0.9, 0.1, n)[:, None] * np.array([0.8, 0.9, 1.0])
    table = pd.DataFrame(values, index=[f"m{k:02d}" for k in range(n)], columns=[1, 5, 10])
    return table.sample(frac=1, random_state=0)


def colors(display):
    """Return a dict from each method to the colour of its line."""
    return dict(zip(display.table.index, (line.get_color() for line in display.lines_), strict=True))


def entries(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@pytest.mark.parametrize("display", [CutoffDisplay, InterpolatedPrecisionDisplay])
def test_display_of_many_methods_colours_the_best_five_and_the_baseline(plt, display):
    drawn = display(many(41), baseline="m30").plot()
    assert entries(drawn) == ["m00", "m01", "m02", "m03", "m04", "m30 (baseline)", "35 others"]
    found = colors(drawn)
    own = [found.pop(f"m{k:02d}") for k in (0, 1, 2, 3, 4, 30)]
    assert len(set(own)) == 6 and len(set(found.values())) == 1 and not set(own) & set(found.values())
    # Each line shows the values of its method, and the grey lines are behind the others.
    for line, (name, values) in zip(drawn.lines_, drawn.table.iterrows(), strict=True):
        assert line.get_ydata().tolist() == values.tolist()
        assert (line.get_zorder() < 2) == (name in found)
    assert entries(display(many(41)).plot())[-2:] == ["m04", "36 others"]


def test_cutoff_display_without_baseline_colours_up_to_seven_methods(plt):
    seven = CutoffDisplay(many(7)).plot()
    assert len(set(colors(seven).values())) == 7 and len(entries(seven)) == 7
    assert entries(CutoffDisplay(many(8)).plot()) == ["m00", "m01", "m02", "m03", "m04", "3 others"]
    lowest = CutoffDisplay(many(8), greater_is_better=False).plot()
    assert entries(lowest) == ["m07", "m06", "m05", "m04", "m03", "3 others"]


def test_cutoff_display_baseline_is_the_only_black_line(plt):
    for n, n_methods in ((7, None), (20, 19)):
        found = colors(CutoffDisplay(many(n), baseline="m02").plot(n_methods=n_methods))
        black = [name for name, color in found.items() if color in (found["m02"], "#000000")]
        assert black == ["m02"]


def test_cutoff_display_number_of_methods_in_colour(plt, comparator, data):
    assert entries(CutoffDisplay(many(9)).plot(n_methods=1)) == ["m00", "8 others"]
    assert entries(CutoffDisplay(many(9)).plot(n_methods=8)) == [f"m{k:02d}" for k in range(8)] + ["1 other"]
    assert entries(CutoffDisplay(many(9)).plot(n_methods=20)) == [f"m{k:02d}" for k in range(9)]
    more = {"baseline": "Copeland", "n_methods": 1}
    runs = dict(comparator.runs_)
    for display in (
        CutoffDisplay.from_comparator(comparator, **more),
        CutoffDisplay.from_predictions(runs, data[1], **more),
        InterpolatedPrecisionDisplay.from_comparator(comparator, **more),
        InterpolatedPrecisionDisplay.from_predictions(runs, data[1], **more),
    ):
        assert display.baseline == "Copeland"
        assert [entry for entry in entries(display) if entry.startswith("Copeland")] == ["Copeland (baseline)"]
        assert entries(display)[-1].endswith(" others")


def test_cutoff_display_counts_grey_methods_without_a_value(plt):
    table = many(12)
    table.loc[["m02", "m09"]] = np.nan
    assert entries(CutoffDisplay(table).plot()) == ["m00", "m01", "m03", "m04", "m05", "7 others, 2 without a value"]
    alone = CutoffDisplay(table, baseline="m09").plot()
    assert entries(alone)[-2:] == ["m09 (baseline) (no value)", "6 others, 1 without a value"]


def test_cutoff_display_draws_a_single_cutoff_of_grey_methods(plt):
    display = CutoffDisplay(many(12)[[5]]).plot()
    assert all(line.get_marker() not in ("", "None") for line in display.lines_)


def test_cutoff_display_bars_mark_the_baseline_and_keep_all_names(plt):
    display = CutoffDisplay(many(12), baseline="m03").plot("bar")
    names = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert names == [f"m{k:02d}" + " (baseline)" * (k == 3) for k in range(12)]


def test_cutoff_display_rejects_unknown_methods_and_empty_cutoffs(plt, comparator, data):
    with pytest.raises(InputError, match=r"`baseline` must be one of .* got 'mzn' \(did you mean 'mnz'\?\)"):
        CutoffDisplay.from_comparator(comparator, baseline="mzn")
    with pytest.raises(InputError, match="`baseline` must be one of"):
        InterpolatedPrecisionDisplay.from_comparator(comparator, baseline="bm25")
    with pytest.raises(InputError, match="`n_methods` must be a whole number of at least 1; got 0"):
        CutoffDisplay.from_comparator(comparator, n_methods=0)
    with pytest.raises(InputError, match=r"`n_methods` must be None if kind='bar', because bars .* got 3"):
        CutoffDisplay.from_comparator(comparator, kind="bar", n_methods=3)
    for make, given in (
        (CutoffDisplay.from_comparator, [comparator]),
        (CutoffDisplay.from_predictions, [dict(comparator.runs_), data[1]]),
    ):
        with pytest.raises(InputError, match="`cutoffs` must contain at least one cutoff, such as 10; got none"):
            make(*given, cutoffs=[])


def test_cutoff_display_bars_have_a_panel_for_each_cutoff(plt, comparator):
    display = CutoffDisplay.from_comparator(comparator, kind="bar")
    assert len(display.lines_) == 2
    best_first = display.table.sort_values(5, ascending=False, kind="stable")
    for container, k in zip(display.lines_, (1, 5), strict=True):
        assert [bar.get_width() for bar in container] == pytest.approx(best_first[k].tolist())
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == best_first.index.tolist()
    with pytest.raises(ValueError, match="`kind` must be one of 'line', 'bar'"):
        display.plot("pie")


def test_interpolated_precision_display_shows_eleven_recalls(plt, comparator, data):
    _, qrels = data
    display = InterpolatedPrecisionDisplay.from_comparator(comparator)
    expected = evaluate(dict(comparator.runs_), qrels, ["iprec@0.0", "iprec@1.0", "11pt"])
    np.testing.assert_allclose(display.table[0.0], expected["iprec@0.0"])
    np.testing.assert_allclose(display.table.mean(axis=1), expected["11pt"])
    other = InterpolatedPrecisionDisplay.from_predictions(dict(comparator.runs_), qrels)
    np.testing.assert_allclose(other.table, display.table)


def test_query_gain_display_sorts_and_counts_gains_and_losses(plt, comparator, data):
    _, qrels = data
    display = QueryGainDisplay.from_comparator(comparator, "mnz", "Copeland")
    table = comparator.per_query_["map"].unstack("method")
    expected = (table["mnz"] - table["Copeland"]).sort_values(ascending=False)
    assert [bar.get_height() for bar in display.bars_] == pytest.approx(expected.tolist())
    found = comparator.compare("Copeland").loc["mnz"]
    title = display.ax_.get_title(loc="left")
    assert title.endswith(f"{found['wins']:.0f} won, {found['ties']:.0f} tied, {found['losses']:.0f} lost")
    other = QueryGainDisplay.from_predictions(dict(comparator.runs_), qrels, "mnz", "Copeland")
    assert other.difference.tolist() == pytest.approx(display.difference.tolist())
    with pytest.raises(ValueError, match="must be one of '"):
        QueryGainDisplay.from_comparator(comparator, "mnz", "x")


@pytest.mark.parametrize("n", [60, 61])
def test_query_gain_display_names_at_most_sixty_queries(plt, n):
    gains = pd.Series(np.linspace(1, -1, n), index=[f"q{k}" for k in range(n)])
    display = QueryGainDisplay(gains, method="new", baseline="old").plot()
    names = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert names == (gains.index.tolist() if n == 60 else [])
    assert len(display.bars_) == n and display.ax_.get_xlabel() == f"{n} queries"


def test_agreement_display_shows_the_matrix_without_its_diagonal(plt, comparator, data):
    lists, _ = data
    display = AgreementDisplay.from_lists(lists, "rbo", persistence=0.8)
    pd.testing.assert_frame_equal(
        display.table, agreement_matrix(lists, "rbo", persistence=0.8).loc[display.table.index, display.table.columns]
    )
    shown = np.ma.filled(display.image_.get_array(), np.nan)
    assert np.isnan(np.diag(shown)).all()
    methods = AgreementDisplay.from_comparator(comparator, sort=False)
    assert methods.table.index.tolist() == ["mnz", "sum $x_1$", "Copeland", "DIBRA"]
    assert len(methods.text_) == 12
    runs = AgreementDisplay.from_predictions(dict(comparator.runs_), sort=False)
    pd.testing.assert_frame_equal(runs.table, methods.table)


def luminance(display, value):
    """Return the brightness of the colour of a value, from 0 to 1."""
    return np.dot(display.image_.get_cmap()(display.image_.norm(value))[:3], [0.299, 0.587, 0.114])


OPTIONS = {"average-overlap": {"k": 5}, "overlap": {"k": 5}, "rbo": {}}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("measure", agreement_names())
def test_agreement_display_colours_span_the_range_of_the_data(plt, data, measure):
    lists, _ = data
    display = AgreementDisplay.from_lists(lists, measure, **OPTIONS.get(measure, {}))
    others = display.table.to_numpy()[~np.eye(len(display.table), dtype=bool)]
    assert display.image_.get_clim() == (others.min(), others.max())
    is_diverging = others.min() < 0 < others.max()
    assert display.image_.get_cmap().name == ("PuOr" if is_diverging else "cividis")


def test_agreement_display_colours_are_white_at_0_and_equally_dark_on_both_sides(plt):
    table = pd.DataFrame([[1.0, -0.2, 0.8], [-0.2, 1.0, 0.1], [0.8, 0.1, 1.0]])
    display = AgreementDisplay(table).plot()
    assert display.image_.get_clim() == (-0.2, 0.8)
    assert luminance(display, 0.0) > 0.95 > luminance(display, 0.2) > luminance(display, 0.8)
    assert luminance(display, 0.2) == pytest.approx(luminance(display, -0.2), abs=0.05)
    # The same colours as on a scale from -0.8 to 0.8.
    wide = AgreementDisplay(table, limits=(-0.8, 0.8)).plot()
    for value in (-0.2, 0.0, 0.4, 0.8):
        assert luminance(display, value) == pytest.approx(luminance(wide, value), abs=0.02)


@pytest.mark.parametrize("n", [25, 26])
def test_agreement_display_writes_numbers_for_at_most_25_rankings(plt, n):
    table = pd.DataFrame(np.linspace(0.1, 0.9, n * n).reshape(n, n))
    display = AgreementDisplay(table).plot()
    assert len(display.text_) == (25 * 24 if n == 25 else 0)  # without the diagonal
    assert display.image_.get_array().shape == (n, n)


def test_agreement_display_accepts_limits(plt, comparator, data):
    lists, _ = data
    narrow = {"limits": (0.2, 0.4)}
    for display in (
        AgreementDisplay.from_lists(lists, **narrow),
        AgreementDisplay.from_comparator(comparator, **narrow),
        AgreementDisplay.from_predictions(dict(comparator.runs_), **narrow),
    ):
        assert display.image_.get_clim() == (0.2, 0.4)


@pytest.mark.parametrize("limits", [(0.4, 0.2), (1, 1), (0,), (0, 1, 2), "ab", (0, np.nan), (0, np.inf), 3])
def test_agreement_display_rejects_limits_that_are_not_two_rising_numbers(plt, data, limits):
    with pytest.raises(InputError, match=r"`limits` must be a lower and a higher number, such as \(0, 1\); got "):
        AgreementDisplay.from_lists(data[0], limits=limits)


@pytest.mark.parametrize(("value", "limits"), [(0.6, (0, 1)), (-0.6, (-1, 1)), (12, (0, 12)), (-12, (-12, 12))])
def test_agreement_display_of_equal_values_has_the_range_of_a_measure(plt, value, limits):
    table = pd.DataFrame(np.full((3, 3), float(value)))
    table.iloc[0, 1] += 1e-13  # rounding
    assert AgreementDisplay(table).plot().image_.get_clim() == pytest.approx(limits)


def test_agreement_display_shows_short_numbers_and_unsigned_zeros(plt):
    table = pd.DataFrame([[1.0, -0.001, -0.25], [0.001, 1.0, 1.0], [-1.0, 0.999, 1.0]])
    assert [text.get_text() for text in AgreementDisplay(table).plot().text_] == [".00", "-.25", ".00", "1", "-1", "1"]
    for values, shown in (([[0, 10.2], [20.4, 0]], ["10.2", "20.4"]), ([[0, 7.5], [120, 0]], ["8", "120"])):
        texts = AgreementDisplay(pd.DataFrame(values)).plot().text_
        assert [text.get_text() for text in texts if text.get_text() not in ("0", "0.0", ".0")] == shown


def test_agreement_display_places_similar_runs_next_to_each_other(plt):
    camp = [0, 1] * 4  # two camps, their members in turn
    runs = {
        f"m{k}": pd.DataFrame({"query": "q", "item": list("abcd" if camp[k] else "dcba"), "rank": [1, 2, 3, 4]})
        for k in range(8)
    }
    order = AgreementDisplay.from_predictions(runs, "spearman").table.index
    sides = [camp[int(name[1])] for name in order]
    assert sum(a != b for a, b in itertools.pairwise(sides)) == 1


def test_voter_weights_display_shows_points_by_query_and_means(plt, comparator):
    display = VoterWeightsDisplay.from_comparator(comparator, "DIBRA")
    weights = comparator.named_aggregators_["DIBRA"].query_voter_weights_
    assert len(display.points_.get_offsets()) == len(weights)
    mean = weights.groupby("voter")["weight"].mean().sort_values(ascending=False)
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == mean.index.tolist()
    with pytest.raises(
        ValueError, match=r"such as DIBRA, that learns voter weights; got Copeland\(\), which has no weights"
    ):
        VoterWeightsDisplay.from_estimator(Copeland())
    with pytest.raises(ValueError, match=r"`method` must be one of 'mnz', 'sum .*', 'Copeland', 'DIBRA'; got 'Dibra'"):
        VoterWeightsDisplay.from_comparator(comparator, "Dibra")


def test_critical_difference_display_joins_indistinguishable_methods(plt, comparator):
    rng = np.random.default_rng(0)
    base = np.array([0.5, 0.9, 0.5, 0.9, 0.1])
    result = friedman_nemenyi(base + rng.normal(0, 0.01, (60, 5)))
    display = CriticalDifferenceDisplay(result, list("abcde")).plot()
    assert len(display.bars_) == 2
    for bar, group in zip(display.bars_, result.groups(), strict=True):
        low, high = bar.get_xdata()
        inside = [low <= rank <= high for rank in result.mean_ranks]
        assert np.flatnonzero(inside).tolist() == sorted(group)
    fitted = CriticalDifferenceDisplay.from_comparator(comparator, "ndcg@5")
    np.testing.assert_allclose(
        fitted.result.mean_ranks, compare_ranks(comparator.per_query_, metric="ndcg@5")[1].mean_ranks
    )
    assert fitted.label == "mean rank by ndcg@5 over 6 queries"


def test_comparison_display_from_predictions_equals_from_comparator(plt, comparator, data):
    _, qrels = data
    ours = ComparisonDisplay.from_comparator(comparator)
    other = ComparisonDisplay.from_predictions(dict(comparator.runs_), qrels, "map")
    assert other.results.tolist() == pytest.approx(ours.results.tolist())
    pd.testing.assert_frame_equal(other.interval, ours.interval)


# ---------------------------------------------------------------------- legible


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n_methods", [2, 21])
@pytest.mark.parametrize("kind", ["line", "bar"])
def test_cutoff_display_names_do_not_collide(plt, kind, n_methods):
    table = pd.DataFrame(np.random.default_rng(0).random((n_methods, 10)), index=NAMES[:n_methods])
    more = {"n_methods": n_methods} if kind == "line" else {}
    display = CutoffDisplay(table.set_axis(range(1, 11), axis=1)).plot(kind, **more)
    legend = display.ax_.get_legend()
    names = legend.get_texts() if kind == "line" else display.ax_.get_yticklabels()
    assert len(names) == n_methods
    assert_apart_and_inside(display, names)
    assert_apart_and_inside(display, display.ax_.get_xticklabels())


@pytest.mark.parametrize("n_methods", [3, 21])
def test_critical_difference_display_names_do_not_collide(plt, n_methods):
    values = np.random.default_rng(1).random((30, n_methods)) + np.linspace(0, 1.5, n_methods)
    display = CriticalDifferenceDisplay(friedman_nemenyi(values), NAMES[:n_methods]).plot()
    assert_apart_and_inside(display, display.ax_.texts)


@pytest.mark.exhaustive
@pytest.mark.parametrize("n", [2, 21])
def test_agreement_display_names_do_not_collide(plt, n):
    table = pd.DataFrame(np.random.default_rng(0).random((n, n)), index=NAMES[:n], columns=NAMES[:n])
    display = AgreementDisplay(table).plot()
    assert_apart_and_inside(display, display.ax_.get_yticklabels())
    assert_apart_and_inside(display, display.ax_.get_xticklabels())
    assert_apart_and_inside(display, display.text_)


def test_agreement_display_cells_keep_their_size_with_long_names(plt):
    table = pd.DataFrame(np.random.default_rng(0).random((8, 8)))
    sizes = []
    for names in ([f"v{k}" for k in range(8)], NAMES[:8]):
        display = AgreementDisplay(table.set_axis(names, axis=0).set_axis(names, axis=1)).plot()
        assert_apart_and_inside(display, display.text_)
        sizes.append(display.ax_.get_window_extent())
    assert sizes[1].width == pytest.approx(sizes[0].width, rel=0.15)
    assert sizes[1].height == pytest.approx(sizes[0].height, rel=0.15)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n_voters", "length"), [(3, 50), (40, 0)])
def test_display_legends_are_outside_the_axes_and_inside_the_figure(plt, n_voters, length):
    frame, qrels, _ = make_ranked_lists(n_queries=4, n_voters=n_voters, random_state=0)
    frame["voter"] = [f"{name}$x_1$".rjust(length, "w") for name in frame["voter"]]
    methods = [("DIBRA", DIBRA()), ("sum", CombSUM())]
    comparator = Comparator(methods, qrels=Qrels.from_frame(qrels), with_voters=True, verbose=False).fit(frame)
    one = frame[frame["query"] == "q1"]
    two = frame["voter"].unique()[:2].tolist()
    for display in (
        ComparisonDisplay.from_comparator(comparator),
        CutoffDisplay.from_comparator(comparator, "ndcg", cutoffs=[1, 2]),
        InterpolatedPrecisionDisplay.from_comparator(comparator),
        QueryGainDisplay.from_comparator(comparator, "DIBRA", "sum"),
        VoterWeightsDisplay.from_comparator(comparator, "DIBRA"),
        ContributionDisplay.from_estimator(CombSUM(), one),
        VoterInfluenceDisplay.from_estimator(BordaCount(), one),
        VoterInfluenceDisplay.from_estimator(BordaCount(), one, query="q1"),
        WeightCurveDisplay.from_estimator(CombSUM(), frame, qrels, two, weights=[0, 1]),
    ):
        display.figure_.draw_without_rendering()
        legend = display.ax_.get_legend()
        if legend is None:
            # Three lists have no lists like them, and so neither outliers nor thresholds to explain.
            assert isinstance(display, VoterInfluenceDisplay) and n_voters == 3
            continue
        box, page = legend.get_window_extent(), display.figure_.bbox
        assert page.x0 <= box.x0 and box.x1 <= page.x1 + 1 and page.y0 <= box.y0 and box.y1 <= page.y1 + 1
        axes = [display.ax_, *display.ax_.child_axes]
        assert not any(box.overlaps(ax.get_window_extent()) for ax in axes)
        labels = [display.ax_.title, display.ax_._left_title, *(ax.xaxis.label for ax in axes)]
        texts = [*labels, *(text for ax in axes for text in (*ax.get_xticklabels(), *ax.get_yticklabels()))]
        shown = [text for text in texts if text.get_text() and text.get_visible()]
        assert not any(box.overlaps(text.get_window_extent()) for text in shown)
        assert not any(text.get_parse_math() for text in legend.get_texts())
        plt.close("all")


def test_query_gain_display_keeps_a_long_title_inside_the_figure(plt):
    display = QueryGainDisplay(pd.Series([0.1, -0.2]), method=NAMES[0], baseline=NAMES[1]).plot()
    assert_apart_and_inside(display, [display.ax_._left_title])


# ---------------------------------------------------------------------- errors


def test_critical_difference_display_computes_or_rejects_missing_measures(data):
    lists, qrels = data
    fitted = Comparator([("sum", CombSUM()), ("mnz", CombMNZ())], metrics="map").fit(lists, qrels=qrels)
    with pytest.raises(ValueError, match=r"which has map; got err@5. Add it to the Comparator.s metrics, or pass"):
        CriticalDifferenceDisplay.from_comparator(fitted, "err@5")
    assert len(CriticalDifferenceDisplay.from_comparator(fitted, "p@5", qrels=qrels).names) == 2
