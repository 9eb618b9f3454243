"""Displays of ratings and of coefficients show the given values, and their texts do not collide."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t
from test_displays import assert_apart_and_inside

from skrankagg import BordaCount, Copeland, PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.exceptions import FewListsWarning, InputError, InputTypeError
from skrankagg.inspection import rank_stability
from skrankagg.plotting import CoefficientsDisplay, RankStabilityDisplay, RatingsDisplay

FEW = {"n_resamples": 100}


def duels(n_items=8, n_comparisons=2000, name="{}".format):
    made = make_comparisons(n_items=n_items, n_comparisons=n_comparisons, n_voters=10, random_state=1).comparisons
    made = made.assign(winner=made["winner"].map(name), loser=made["loser"].map(name))
    return RankedLists.from_comparisons(made, voter="judge")


@pytest.fixture(scope="module")
def lists():
    return duels()


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def texts(display, side):
    """Return all texts of a display; `side` contains the axes of its second column, or None."""
    display.figure_.draw_without_rendering()
    ax, legend = display.ax_, display.ax_.get_legend()
    found = [*ax.get_yticklabels(), *ax.get_xticklabels(), ax.xaxis.label, ax._left_title]
    found += [] if legend is None else legend.get_texts()
    found += [] if side is None else [*side.texts, side.xaxis.label]
    return [text for text in found if text.get_text() and inside(text, ax)]


def inside(text, ax):
    """Return False for the labels of ticks beyond the ends of the axis, which are not drawn."""
    if text not in ax.get_xticklabels():
        return True
    low, high = ax.get_xlim()
    return low <= text.get_position()[0] <= high


def ends(bars):
    return np.array([(bar.get_x(), bar.get_x() + bar.get_width()) for bar in bars])


def bands(ax):
    """Return the rows with a shade."""
    return sorted(
        round(float(patch.get_y()) + 0.5) for patch in ax.patches if patch.get_zorder() == 0 and patch.get_height() == 1
    )


# ---------------------------------------------------------------------- ratings


def test_ratings_display_shows_scores_intervals_and_shades(plt, lists):
    elo = PlackettLuce(scale="elo")
    frame = rank_stability(elo, lists, adjust="max-t", pairs="all", unit="judge", **FEW)
    display = RatingsDisplay.from_estimator(elo, lists, pairs="all", unit="judge", top=6, **FEW)
    shown = frame.head(6)
    assert labels(display.ax_) == shown["item"].tolist() and display.ax_.yaxis_inverted()
    assert display.points_.get_offsets()[:, 0].tolist() == shown["score"].tolist()
    half = t.ppf(0.975, 9) * shown["score_se"]  # ten judges
    np.testing.assert_allclose(ends(display.bars_), np.stack([shown["score"] - half, shown["score"] + half], axis=1))
    assert bands(display.ax_) == np.flatnonzero(shown["gap_group"] % 2 == 0).tolist() != []
    assert bands(display.letters_ax_) == bands(display.ax_)
    assert [text.get_text() for text in display.letters_ax_.texts] == shown["letters"].tolist()
    assert display.ax_.get_xlabel() == (
        "rating on the scale of Elo; bar, 95 % interval from 100 draws of groups of judge"
    )
    assert display.ax_.get_title(loc="left") == "first 6 of 8 items"
    (words,) = display.ax_.get_legend().get_texts()
    assert "items of one shade may differ" in words.get_text()


def test_ratings_display_accepts_standard_errors_of_a_model(plt, lists):
    board = PlackettLuce(std_errors="judge").fit_transform(lists)
    display = RatingsDisplay.from_frame(board, confidence=0.9, color="black")
    low, high = ends(display.bars_).T
    np.testing.assert_allclose(high - low, 2 * norm.ppf(0.95) * board["std_error"])
    np.testing.assert_allclose((high + low) / 2, board["score"])
    assert display.ax_.get_xlabel() == "score; bar, 90 % interval" and display.bars_[0].get_facecolor() == (0, 0, 0, 1)
    assert bands(display.ax_) == [] and display.letters_ax_ is None and display.ax_.get_legend() is None
    wider = RatingsDisplay.from_frame(board, n_units=10)
    np.testing.assert_allclose(wider.table["high"] - board["score"], t.ppf(0.975, 9) * board["std_error"])
    # A frame with both columns: the model's standard errors are drawn.
    both = RatingsDisplay.from_frame(board.assign(score_se=99.0))
    np.testing.assert_allclose(both.table["high"] - board["score"], norm.ppf(0.975) * board["std_error"])


def test_ratings_display_shows_that_no_gap_was_found(plt):
    frame = pd.DataFrame({"item": list("abc"), "score": [3.0, 2.0, 1.0], "std_error": 1.0, "gap_group": 1})
    display = RatingsDisplay.from_frame(frame)
    assert bands(display.ax_) == []
    assert display.ax_.get_legend().get_texts()[0].get_text() == "no gap was found; the items may still differ"
    missing = frame.assign(gap_group=pd.array([None] * 3, dtype="Int64"), letters=None)
    display = RatingsDisplay.from_frame(missing)
    assert display.ax_.get_legend() is None and display.letters_ax_ is None


def test_ratings_display_draws_hollow_dots_without_intervals(plt):
    frame = pd.DataFrame({"item": list("abc"), "score": [3.0, 2.0, 1.0], "std_error": [0.1, np.nan, 0.2]})
    display = RatingsDisplay.from_frame(frame)
    assert len(display.bars_) == 2
    assert display.points_.get_facecolors()[:, 0].round(1).tolist() == [0.0, 1.0, 0.0]


def test_ratings_display_of_other_units(plt):
    frame = pd.concat([duels(5, 40).to_frame().assign(query=query) for query in "pqrstu"])
    sums = BordaCount(absent="ignore")
    display = RatingsDisplay.from_estimator(sums, frame, unit="query", **FEW)
    board = rank_stability(sums, frame, unit="query", **FEW)
    np.testing.assert_allclose(display.table["high"] - board["score"], t.ppf(0.975, 5) * board["score_se"])
    assert display.ax_.get_xlabel().startswith("score; bar, 95 % interval from 100 draws of queries")
    one = RatingsDisplay.from_estimator(sums, frame, query="q", **FEW)
    assert one.ax_.get_title(loc="left") == "query q"
    with pytest.raises(InputError, match="RatingsDisplay shows one query"):
        RatingsDisplay.from_estimator(sums, frame)


def test_ratings_display_counts_no_merged_comparisons_as_units(plt):
    rows = [("ant", "bee", "ant")] * 60 + [("ant", "bee", "bee")] * 40  # two lists of weights 60 and 40
    duels = RankedLists.from_comparisons(rows)
    board = rank_stability(PlackettLuce(), duels, **FEW)
    display = RatingsDisplay.from_estimator(PlackettLuce(), duels, **FEW)
    np.testing.assert_allclose(display.table["high"] - board["score"], norm.ppf(0.975) * board["score_se"])
    twelve = RankedLists.from_lists([["ant", "bee"]] * 8 + [["bee", "ant"]] * 4)
    board = rank_stability(BordaCount(), twelve, **FEW)
    display = RatingsDisplay.from_estimator(BordaCount(), twelve, **FEW)
    np.testing.assert_allclose(display.table["high"] - board["score"], t.ppf(0.975, 11) * board["score_se"])


def test_ratings_display_rejects_wrong_input_with_advice(plt, lists):
    board = PlackettLuce().fit_transform(lists)
    with pytest.raises(InputTypeError, match="must have a column 'std_error' or 'score_se' for the intervals"):
        RatingsDisplay.from_frame(board)
    with pytest.raises(InputTypeError, match="`table` must have the columns item, score; score is missing"):
        RatingsDisplay.from_frame(board.drop(columns="score"))
    for wrong, message in (
        ({"n_units": 1}, "`n_units` must be a whole number of at least 2; got 1"),
        ({"confidence": 95}, "`confidence` must be between 0 and 1"),
        ({"top": 0}, "`top` must be a whole number of at least 1; got 0"),
    ):
        with pytest.raises(InputError, match=message):
            RatingsDisplay.from_frame(board.assign(std_error=1.0), **wrong)
    with pytest.raises(InputError, match="`adjust` must be None for Copeland"):
        RatingsDisplay.from_estimator(Copeland(), lists)


@pytest.mark.parametrize("n_items", [2, 12, 40])
def test_texts_of_ratings_display_are_apart_and_inside(plt, n_items):
    long = duels(n_items, 4000, lambda name: f"{name}-instruct-with-a-$long$_name" if name.endswith("3") else name)
    board = rank_stability(PlackettLuce(scale="elo"), long, adjust="max-t", pairs="all", **FEW)
    for frame in (board, board.drop(columns="letters")):
        display = RatingsDisplay.from_frame(frame, top=40)
        assert_apart_and_inside(display, texts(display, display.letters_ax_))


def test_rank_stability_display_prefers_gaps_that_a_test_found(plt, lists):
    frame = rank_stability(PlackettLuce(), lists, adjust="max-t", **FEW)
    frame["tied_group"] = 1
    lines = RankStabilityDisplay.from_frame(frame).ax_.lines
    assert [line.get_ydata()[0] for line in lines] == (
        np.flatnonzero(frame["separated_next"].fillna(False)) + 0.5
    ).tolist()
    assert lines
    few = RankedLists.from_lists([["a", "b", "c"]] * 3)
    with pytest.warns(FewListsWarning):
        frame = rank_stability(BordaCount(), few, adjust="max-t", **FEW)
    assert not RankStabilityDisplay.from_frame(frame).ax_.lines


# ---------------------------------------------------------------------- coefficients


@pytest.fixture
def found():
    return pd.DataFrame(
        {
            "query": "q",
            "covariate": ["position", "length", "markdown"],
            "coefficient": [0.3, -0.2, 1.0],
            "std_error": [0.1, 0.2, np.nan],
            "p": [0.0027, 0.00001, np.nan],
            "odds_ratio": np.exp([0.3, -0.2, 1.0]),
        }
    )


def test_coefficients_display_shows_coefficients_and_intervals(plt, found):
    display = CoefficientsDisplay.from_frame(found)
    assert labels(display.ax_) == found["covariate"].tolist() and display.ax_.get_xscale() == "linear"
    assert display.points_.get_offsets()[:, 0].tolist() == [0.3, -0.2, 1.0]
    z = norm.ppf(0.975)
    np.testing.assert_allclose(ends(display.bars_), [[0.3 - 0.1 * z, 0.3 + 0.1 * z], [-0.2 - 0.2 * z, -0.2 + 0.2 * z]])
    assert display.points_.get_facecolors()[:, 0].round(1).tolist() == [0.0, 0.0, 1.0]
    assert list(display.zero_.get_xdata()) == [0.0, 0.0]
    assert [text.get_text() for text in display.p_ax_.texts] == ["0.003", "< 0.001"]
    assert display.ax_.get_xlabel() == "coefficient; bar, 95 % interval"


def test_coefficients_display_shows_odds_ratios_on_a_logarithmic_axis(plt, found):
    display = CoefficientsDisplay.from_frame(found, odds=True, confidence=0.9, n_units=20)
    assert display.ax_.get_xscale() == "log" and list(display.zero_.get_xdata()) == [1.0, 1.0]
    np.testing.assert_allclose(display.points_.get_offsets()[:, 0], found["odds_ratio"])
    q = t.ppf(0.95, 19)
    np.testing.assert_allclose(ends(display.bars_)[0], np.exp([0.3 - 0.1 * q, 0.3 + 0.1 * q]))
    assert display.ax_.get_xlabel() == "odds ratio; bar, 90 % interval"
    for text in display.ax_.get_xticklabels():
        assert float(text.get_text()) > 0


def test_coefficients_display_accepts_a_label(plt, found):
    display = CoefficientsDisplay.from_frame(found, label="effect in log-odds")
    assert display.ax_.get_xlabel() == "effect in log-odds"


def test_coefficients_display_needs_neither_query_nor_p(plt, found):
    display = CoefficientsDisplay.from_frame(found.drop(columns=["query", "p", "odds_ratio"]))
    assert display.p_ax_ is None and display.table.columns.tolist() == ["covariate", "coefficient", "low", "high"]
    two = pd.concat([found, found.assign(query="r", coefficient=2.0)])
    with pytest.raises(InputError, match="CoefficientsDisplay shows one query"):
        CoefficientsDisplay.from_frame(two)
    display = CoefficientsDisplay.from_frame(two, query="r")
    assert display.points_.get_offsets()[:, 0].tolist() == [2.0] * 3 and display.ax_.get_title(loc="left") == "query r"


def test_coefficients_display_reads_a_fitted_model(plt, found):
    display = CoefficientsDisplay.from_estimator(SimpleNamespace(coefficients_=found), odds=True)
    np.testing.assert_allclose(display.points_.get_offsets()[:, 0], found["odds_ratio"])
    with pytest.raises(InputError, match=r"`aggregator` must be a fitted model with covariates; got BordaCount\(\)"):
        CoefficientsDisplay.from_estimator(BordaCount())
    with pytest.raises(InputTypeError, match="`table` must have the columns covariate, coefficient, std_error"):
        CoefficientsDisplay.from_frame(found.drop(columns="std_error"))
    with pytest.raises(InputTypeError, match="`odds` must be True or False; got 'yes'"):
        CoefficientsDisplay.from_frame(found, odds="yes")


@pytest.mark.parametrize("odds", [False, True])
@pytest.mark.parametrize(("n", "scale"), [(1, 0.05), (4, 0.5), (40, 3.0)])
def test_texts_of_coefficients_display_are_apart_and_inside(plt, n, scale, odds):
    rng = np.random.default_rng(n)
    names = [f"covariate {k} " + "x" * (50 if k % 9 == 2 else 0) for k in range(n)]
    frame = pd.DataFrame(
        {"covariate": names, "coefficient": scale * rng.normal(size=n), "std_error": scale / 2, "p": rng.random(n)}
    )
    display = CoefficientsDisplay.from_frame(frame, odds=odds)
    assert_apart_and_inside(display, texts(display, display.p_ax_))
