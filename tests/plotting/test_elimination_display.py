"""EliminationDisplay shows the votes of each round, for rules with shares and for Borda points."""

import numpy as np
import pytest
from test_displays import assert_apart_and_inside

from skrankagg import BordaCount, RankedLists, SequentialElimination
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.inspection import elimination_rounds
from skrankagg.plotting import EliminationDisplay

BALLOTS = RankedLists.from_ballots(["Ann > Bob", "Bob > Ann", "Cy > Bob", "Cy"], counts=[6, 5, 3, 1])


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_bars_contain_the_votes_of_each_round(plt):
    display = EliminationDisplay.from_estimator(SequentialElimination(), BALLOTS)
    # Round 1: Ann 6, Bob 5, Cy 4. Round 2: Bob 8, Ann 6, one ballot exhausted.
    widths = {name: [bar.get_width() for bar in bars] for name, bars in display.parts_.items()}
    assert widths == {"Bob": [5, 8], "Ann": [6, 6], "Cy": [4, 0], "exhausted": [0, 1]}
    starts = {name: [bar.get_x() for bar in bars] for name, bars in display.parts_.items()}
    assert starts == {"Bob": [0, 0], "Ann": [5, 8], "Cy": [11, 14], "exhausted": [15, 14]}
    assert texts(display.ax_) == ["5", "8", "6", "6 ×", "4 ×"]
    legend = display.ax_.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == list(display.parts_)
    assert all(patch.get_visible() for patch in legend.get_patches()) and legend.get_patches()[-1].get_hatch() == "///"
    assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["round 1", "round 2"]
    halves = {segment[0][0] for one in display.ax_.collections for segment in one.get_segments()}
    assert halves == {7.5, 7.0} and display.ax_.get_xlabel().startswith("votes (×: leaves; black marks: half")


def test_bars_of_last_places_have_no_marks_at_half_of_the_votes(plt):
    display = EliminationDisplay.from_estimator(SequentialElimination(rule="veto"), BALLOTS, color="red")
    assert display.ax_.get_xlabel() == "last places (×: leaves)" and not display.ax_.collections
    assert display.parts_["Bob"][0].get_facecolor() == (1, 0, 0, 1)


def test_narrow_parts_of_bars_have_no_number(plt):
    lists = RankedLists.from_ballots(["a > b > c", "b > a > c", "c > b > a"], counts=[600, 399, 1])
    display = EliminationDisplay.from_estimator(SequentialElimination(), lists)
    assert [bar.get_width() for bar in display.parts_["c"]] == [1, 0]
    assert texts(display.ax_) == ["600", "600", "399", "400 ×"]


def test_further_items_share_a_part_of_the_bar(plt):
    rng = np.random.default_rng(0)
    lists = RankedLists.from_ballots([[f"$c_{k}$" for k in rng.permutation(9)[:4]] for _ in range(60)])
    display = EliminationDisplay.from_estimator(SequentialElimination(), lists)
    rounds = elimination_rounds(SequentialElimination(), lists).frame
    assert list(display.parts_)[-2:] == ["3 other items", "exhausted"] and len(display.parts_) == 8
    total = sum(np.array([bar.get_width() for bar in bars]) for bars in display.parts_.values())
    assert total.tolist() == pytest.approx([60] * int(rounds["round"].max()))
    assert display.ax_.get_legend().get_texts()[0].get_text() == rounds.loc[~rounds["leaves"], "item"].iloc[-1]
    assert_apart_and_inside(display, display.ax_.texts)


@pytest.mark.parametrize("method", [SequentialElimination(rule="borda"), SequentialElimination(absent="ignore")])
def test_lines_contain_the_votes_of_each_round(plt, method):
    lists = RankedLists.from_ballots(["a > b > c", "b > a > c", "c > a > b"], counts=[4, 3, 2])
    display = EliminationDisplay.from_estimator(method, lists, linewidth=3)
    rounds = elimination_rounds(method, lists).frame
    for item, own in rounds.groupby("item"):
        drawn = display.parts_[item].get_ydata()
        assert drawn[: len(own)].tolist() == own["votes"].tolist() and np.isnan(drawn[len(own) :]).all()
        assert display.parts_[item].get_linewidth() == 3
    assert (
        display.ax_.collections[0].get_offsets().data[:, 1].tolist() == rounds.loc[rounds["leaves"], "votes"].tolist()
    )
    assert display.ax_.get_ylabel() == ("Borda points" if method.rule == "borda" else "votes")


def test_display_selects_the_query_and_checks_its_arguments(plt):
    both = RankedLists.concat([BALLOTS, RankedLists.from_ballots(["x > y", "y"], counts=[1, 2], query="p")])
    table = SequentialElimination().fit(both).rounds_
    display = EliminationDisplay.from_frame(table, query="p")
    assert list(display.parts_) == ["y", "x"] and display.ax_.get_title(loc="left") == "query p"
    with pytest.raises(InputError, match="EliminationDisplay shows one query"):
        EliminationDisplay.from_frame(table)
    with pytest.raises(InputTypeError, match="must have the columns round, item"):
        EliminationDisplay.from_frame(table.drop(columns="leaves"))
    with pytest.raises(InputTypeError, match="must be a SequentialElimination"):
        EliminationDisplay.from_estimator(BordaCount(), BALLOTS)
