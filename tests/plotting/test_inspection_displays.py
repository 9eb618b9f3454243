"""Displays of one consensus show the computed values, and their texts do not collide."""

import warnings

import numpy as np
import pandas as pd
import pytest
from test_displays import assert_apart_and_inside

from skrankagg import BordaCount, CombSUM, Copeland, RankedLists, ReciprocalRankFusion
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import FewListsWarning, InputError, InputTypeError
from skrankagg.inspection import (
    preference_probabilities,
    rank_confidence,
    rank_stability,
    voter_contributions,
    voter_influence,
)
from skrankagg.plotting import (
    ContributionDisplay,
    PreferenceProbabilityDisplay,
    RankStabilityDisplay,
    VoterInfluenceDisplay,
)

FEW = {"n_resamples": 50}


def make(n_queries=1, n_voters=8, n_items=10, **kwargs):
    given = {"list_length": None, "quality": 0.6, "random_state": 0, **kwargs}
    return make_ranked_lists(n_queries=n_queries, n_voters=n_voters, n_items=n_items, **given)[0]


def named(frame, length):
    """Return the lists with names of a given length that contain formula-like text."""
    names = {
        column: {one: f"{one} $x_1$ [".ljust(length, "w")[:length] for one in frame[column].unique()}
        for column in ("item", "voter")
    }
    return frame.replace(names)


@pytest.fixture(scope="module")
def lists():
    return make()


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


# ---------------------------------------------------------------------- places


def test_rank_stability_display_shows_ranks_and_intervals(plt, lists):
    frame = rank_stability(BordaCount(), lists, places=[1, 3], **FEW)
    display = RankStabilityDisplay.from_estimator(BordaCount(), lists, top=6, **FEW)
    assert labels(display.ax_) == frame["item"].head(6).tolist() and display.ax_.yaxis_inverted()
    assert display.points_.get_offsets()[:, 0].tolist() == [1, 2, 3, 4, 5, 6]
    assert [bar.get_x() + 0.25 for bar in display.bars_] == frame["rank_low"].head(6).tolist()
    assert [bar.get_x() + bar.get_width() - 0.25 for bar in display.bars_] == frame["rank_high"].head(6).tolist()
    assert [bar.get_width() for bar in display.chance_ax_.patches] == frame["top_3"].head(6).tolist()
    assert display.ax_.get_title(loc="left") == "first 6 of 10 items"
    assert display.ax_.get_xlabel() == "place: dot, in the consensus; bar, in 95 % of 50 draws of lists"
    ends = np.flatnonzero(np.diff(frame["tied_group"].head(6))) + 0.5
    lines = [line.get_ydata()[0] for line in display.ax_.lines]
    assert lines == ends.tolist()


def test_rank_stability_display_accepts_frames_of_both_functions(plt, lists):
    stability = rank_stability(BordaCount(), lists, places=[1, 4, 10], **FEW)
    display = RankStabilityDisplay.from_frame(stability)
    assert display.n_places == 4  # all ten are among the first ten
    assert display.ax_.get_xlabel().endswith("bar, interval over 50 draws")
    assert RankStabilityDisplay.from_frame(stability, n_places=1).chance_ax_.get_xlabel() == "first in the draws"
    sets = rank_confidence(BordaCount(), lists, **FEW)
    display = RankStabilityDisplay.from_frame(sets, top=5, color="black")
    assert display.n_places is None and display.chance_ax_ is None and not display.ax_.lines
    assert display.ax_.get_xlabel().endswith("bar, confidence set")
    assert [bar.get_x() + 0.25 for bar in display.bars_] == sets["rank_low"].head(5).tolist()
    assert display.bars_[0].get_facecolor() == (0, 0, 0, 1)
    with pytest.raises(InputError, match=r"`n_places` must be one of 1, 4, 10; got 3\. To show another number"):
        RankStabilityDisplay.from_frame(stability, n_places=3)
    with pytest.raises(InputError, match="the table has no such column"):
        RankStabilityDisplay.from_frame(sets, n_places=3)


def test_rank_stability_display_shows_groups_and_chances_separately(plt):
    frame = pd.DataFrame({"item": list("abc"), "rank": [1, 2, 3], "rank_low": 1, "rank_high": [1, 3, 3]})
    grouped = RankStabilityDisplay(frame.assign(tied_group=[1, 2, 2])).plot()
    assert grouped.chance_ax_ is None and [line.get_ydata()[0] for line in grouped.ax_.lines] == [0.5]
    chances = RankStabilityDisplay(frame.assign(top_1=[0.75, np.nan, 0.25]), n_places=1).plot()
    assert [text.get_text() for text in chances.chance_ax_.texts] == ["75", "25"] and not chances.ax_.lines


def test_rank_stability_display_draws_hollow_dots_without_intervals(plt, lists):
    with pytest.warns(FewListsWarning):
        display = RankStabilityDisplay.from_estimator(BordaCount(), lists[lists["voter"] == "v1"], **FEW)
    assert len(display.bars_) == 0 and display.chance_ax_ is None and not display.ax_.lines
    assert (display.points_.get_facecolors()[:, :3] == 1).all()
    both = RankStabilityDisplay.from_estimator(BordaCount(), lists, **FEW).points_.get_facecolors()
    assert (both[:, 0] < 0.1).all()


def test_rank_stability_display_uses_a_log_axis_for_wide_intervals(plt):
    frame = pd.DataFrame({"item": list("abc"), "rank": [1, 2, 3], "rank_low": 1, "rank_high": [30, 900, 1500]})
    assert RankStabilityDisplay(frame).plot().ax_.get_xscale() == "log"
    assert RankStabilityDisplay(frame).plot(scale="linear").ax_.get_xscale() == "linear"
    assert RankStabilityDisplay(frame.assign(rank_high=15)).plot().ax_.get_xscale() == "linear"
    ticks = RankStabilityDisplay(frame).plot().ax_.get_xticklabels()
    assert [tick.get_text() for tick in ticks] == ["1", "10", "100", "1000"]
    with pytest.raises(InputError, match="`scale` must be one of 'auto', 'linear', 'log'; got 'lin'"):
        RankStabilityDisplay(frame).plot(scale="lin")


def test_rank_stability_display_by_query_shows_one_pooled_board(plt):
    frame = make(n_queries=6)
    display = RankStabilityDisplay.from_estimator(BordaCount(), frame, unit="query", **FEW)
    assert display.ax_.get_xlabel().endswith("draws of queries") and len(display.table) == 10
    with pytest.raises(InputError, match="must be None if unit='query', which pools the lists of all queries"):
        RankStabilityDisplay.from_estimator(BordaCount(), frame, query="q1", unit="query", **FEW)


# ---------------------------------------------------------------------- shares


def test_contribution_display_stacks_end_at_the_score(plt, lists):
    consensus = BordaCount().fit_transform(lists)
    display = ContributionDisplay.from_estimator(BordaCount(), lists, top=4)
    assert labels(display.ax_) == display.table.index.tolist() == consensus["item"].head(4).tolist()
    assert len(display.bars_) == 7  # 8 voters: six with a colour, and the rest
    assert list(display.bars_)[-1] == "2 other voters"
    last = display.bars_["2 other voters"][0]
    assert [bar.get_x() + bar.get_width() for bar in last] == pytest.approx(consensus["score"].head(4).tolist())
    assert [float(text.get_text()) for text in display.ax_.texts] == consensus["score"].head(4).tolist()
    every = ContributionDisplay.from_estimator(BordaCount(), lists[lists["voter"] != "v8"])
    assert len(every.bars_) == 7 and not any("other" in name for name in every.bars_)
    few = ContributionDisplay.from_frame(voter_contributions(BordaCount(), lists), n_voters=2)
    assert list(few.bars_)[-1] == "6 other voters" and len(few.bars_) == 3
    sizes = few.table.abs().sum()
    assert list(few.bars_)[:2] == sizes.sort_values(ascending=False, kind="stable").index[:2].tolist()


def test_contribution_display_draws_negative_contributions_to_the_left(plt, lists):
    display = ContributionDisplay.from_estimator(CombSUM(norm="z-score"), lists)
    score = CombSUM(norm="z-score").fit_transform(lists)["score"].to_numpy()
    up, down = np.zeros(10), np.zeros(10)
    for drawn in display.bars_.values():
        for container in drawn:
            width = np.array([bar.get_width() for bar in container])
            up, down = up + np.maximum(width, 0), down + np.minimum(width, 0)
    np.testing.assert_allclose(up, display.table.clip(lower=0).sum(axis=1))
    np.testing.assert_allclose(up + down, score, atol=1e-12)
    (marks,) = display.ax_.collections
    assert [segment[0, 0] for segment in marks.get_segments()] == pytest.approx(score.tolist())
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][-1] == "score"
    assert display.ax_.get_xlim()[0] < down.min()


def test_contribution_display_draws_no_bar_for_absent_items(plt):
    hits = {"u": ["a", "b"], "v": ["b"]}
    display = ContributionDisplay.from_estimator(ReciprocalRankFusion(), hits)
    assert display.table.isna().loc["a", "v"]
    assert [bar.get_width() for bar in display.bars_["v"][0]] == [pytest.approx(1 / 61), 0.0]


def test_contribution_display_rejects_other_methods_with_advice(lists):
    with pytest.raises(InputError, match="Use voter_influence, which measures for every method how"):
        ContributionDisplay.from_estimator(Copeland(), lists)


# ---------------------------------------------------------------------- influence


def test_voter_influence_display_sorts_voters_and_marks_outliers(plt):
    frame = make(n_voters=10, n_items=20, quality=0.8, adversarial_share=0.2)
    expected = voter_influence(BordaCount(), frame).sort_values("agreement", ascending=False, kind="stable")
    display = VoterInfluenceDisplay.from_estimator(BordaCount(), frame)
    assert labels(display.ax_) == expected["voter"].tolist()
    assert sorted(display.points_.get_offsets()[:, 0]) == pytest.approx(sorted(expected["agreement"]))
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], 100 * expected["distance"])
    legend = {text.get_text() for text in display.ax_.get_legend().get_texts()}
    assert legend == {"outlier", "outliers agree less than this"}
    marked = next(one for one in display.ax_.collections if one.get_label() == "outlier").get_offsets()
    assert len(marked) == expected["outlier"].sum() > 0
    limits = next(one for one in display.ax_.collections if one.get_label() == "outliers agree less than this")
    np.testing.assert_allclose(np.sort(limits.get_offsets()[:, 0]), np.sort(expected["threshold"]))
    again = VoterInfluenceDisplay.from_frame(voter_influence(BordaCount(), frame))
    assert labels(again.ax_) == labels(display.ax_)
    lowest = VoterInfluenceDisplay.from_frame(expected, n_voters=3)
    assert labels(lowest.ax_) == expected["voter"].tail(3).tolist()
    assert lowest.ax_.get_title(loc="left") == "the 3 of 10 voters that agree least"


def test_voter_influence_display_does_not_mark_short_lists(plt):
    hits = {f"voter {k}": ["a", "b", "c"] if k % 2 else ["c", "b", "a"] for k in range(8)}
    display = VoterInfluenceDisplay.from_estimator(BordaCount(), hits)
    assert display.table["threshold"].isna().all() and display.table["outlier"].isna().all()
    assert display.ax_.get_legend() is None


def with_unknown(n_known, n_unknown):
    """Return full lists of eight items, and voters with one item each."""
    known = make(n_voters=max(n_known, 1), n_items=8)
    known = known[known["voter"].isin(known["voter"].unique()[:n_known])]
    single = pd.DataFrame({"query": "q1", "voter": [f"one {k:02d}" for k in range(n_unknown)], "item": "i1", "rank": 1})
    single["score"] = 1.0
    return pd.concat([known, single])


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("n_known", "n_unknown"), [(6, 2), (6, 40), (40, 40), (0, 40)])
def test_voter_influence_display_lists_voters_of_unknown_agreement_last(plt, n_known, n_unknown):
    frame = with_unknown(n_known, n_unknown)
    display = VoterInfluenceDisplay.from_estimator(BordaCount(), frame, n_voters=30)
    shown, title = labels(display.ax_), display.ax_.get_title(loc="left")
    unknown = [name for name in shown if name.startswith("one")]
    points = np.isfinite(display.points_.get_offsets()[:, 0]).sum()
    if n_known == 0:
        assert len(shown) == 30 and title == "30 of 40 voters"
        [text] = display.ax_.texts
        assert text.get_text().startswith("No agreement has a value. An agreement needs two lists")
        return
    assert points == min(n_known, 30) and not display.ax_.texts
    if n_unknown == 2:
        assert shown[:2] == unknown and len(shown) == 8 and title == ""
    elif n_known == 6:
        assert not unknown and title == "the 6 of 46 voters whose agreement is known"
    else:
        assert not unknown and title == "the 30 of 80 voters that agree least"


def test_voter_influence_display_shows_dots_by_query_and_means(plt):
    frame = make(n_queries=5)
    display = VoterInfluenceDisplay.from_estimator(BordaCount(), frame)
    assert len(display.points_.get_offsets()) == 40
    mean = voter_influence(BordaCount(), frame).groupby("voter")[["agreement", "distance"]].mean()
    mean = mean.sort_values("agreement", ascending=False, kind="stable")
    assert labels(display.ax_) == mean.index.tolist()
    np.testing.assert_allclose([bar.get_width() for bar in display.bars_], 100 * mean["distance"])
    assert display.ax_.get_xlabel().endswith("a dot for each of 5 queries")
    one = VoterInfluenceDisplay.from_estimator(BordaCount(), frame, query="q3")
    assert len(one.points_.get_offsets()) == 8 and one.ax_.get_title(loc="left") == "query q3"
    same = VoterInfluenceDisplay.from_frame(voter_influence(BordaCount(), frame), query="q3")
    assert labels(same.ax_) == labels(one.ax_)


def test_voter_influence_display_notes_changed_leaders(plt):
    hits = {"u": list("abcdef"), "v": list("bacdef"), "w": list("abcdfe")}
    frame = voter_influence(Copeland(), hits)
    display = VoterInfluenceDisplay.from_frame(frame)
    assert len(display.distance_ax_.texts) == frame["leader_changed"].sum()


# ---------------------------------------------------------------------- pairs


@pytest.mark.parametrize(
    ("shares", "limits"), [([0.6, 0.9, 0.7], (0.1, 0.9)), ([1.0, 0.9, 0.2], (0.0, 1.0)), ([0.5] * 3, (0.0, 1.0))]
)
def test_preference_probability_display_colours_have_a_half_in_the_middle(plt, shares, limits):
    values, upper = np.full((3, 3), 0.5), np.triu_indices(3, 1)
    values[upper], values[upper[::-1]] = shares, 1 - np.array(shares)
    table = pd.DataFrame(values, index=list("abc"), columns=list("abc"))
    display = PreferenceProbabilityDisplay.from_frame(table)
    assert display.image_.get_clim() == pytest.approx(limits)
    # White is the middle of the colours, also if the limits are not symmetric.
    for drawn in (display, PreferenceProbabilityDisplay.from_frame(table, limits=(0.3, 1.0))):
        assert min(drawn.image_.get_cmap()(drawn.image_.norm(0.5))[:3]) > 0.93
    assert drawn.image_.get_clim() == drawn.limits == (0.3, 1.0)
    with pytest.raises(InputError, match="`limits` must be a lower and a higher number"):
        PreferenceProbabilityDisplay.from_frame(table, limits=(1, 0))


def test_preference_probability_display_has_frames(plt, lists):
    table = preference_probabilities(BordaCount(), lists, **FEW)
    display = PreferenceProbabilityDisplay.from_estimator(BordaCount(), lists, **FEW)
    pd.testing.assert_frame_equal(display.table, table)
    assert display.image_.get_clim() == (0.0, 1.0)
    assert len(display.text_) == 90 and np.ma.getmaskarray(display.image_.get_array()).sum() == 10
    # Each side of the frame has a pair that is beyond 95 % on exactly one side.
    sure = np.pad(np.maximum(table, 1 - table).to_numpy() >= 0.95, 1)
    for (x0, y0), (_, y1) in display.frame_.get_segments():
        row, column = int(y0 + 1.5), int(x0 + 1.5)
        before = sure[row - 1, column] if y0 == y1 else sure[row, column - 1]
        assert before != sure[row, column]
    n_sides = (sure[1:] != sure[:-1]).sum() + (sure[:, 1:] != sure[:, :-1]).sum()
    assert len(display.frame_.get_segments()) == n_sides
    part = PreferenceProbabilityDisplay.from_frame(table, top=4)
    assert part.table.shape == (4, 4) and part.ax_.get_title(loc="left") == "first 4 of 10 items"
    assert PreferenceProbabilityDisplay.from_frame(table.round() * 0 + 0.5).frame_.get_segments() == []
    with pytest.raises(InputError, match="`confidence` must be above 1/2"):
        PreferenceProbabilityDisplay.from_frame(table, confidence=0.4)
    with pytest.raises(InputTypeError, match="must be a square data frame"):
        PreferenceProbabilityDisplay.from_frame(table.iloc[:3])


# ---------------------------------------------------------------------- all of them

DISPLAYS = [
    lambda X, **more: RankStabilityDisplay.from_estimator(BordaCount(), X, n_resamples=20, top=40, **more),
    lambda X, **more: ContributionDisplay.from_estimator(CombSUM(norm="z-score"), X, top=40, **more),
    lambda X, **more: VoterInfluenceDisplay.from_estimator(BordaCount(), X, **more),
    lambda X, **more: PreferenceProbabilityDisplay.from_estimator(BordaCount(), X, n_resamples=20, top=40, **more),
]
NAMES = ["places", "shares", "influence", "pairs"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("length", [3, 45, 90])
@pytest.mark.parametrize(("n_items", "n_voters"), [(8, 3), (40, 30)])
@pytest.mark.parametrize("draw", DISPLAYS, ids=NAMES)
def test_inspection_display_texts_do_not_collide(plt, draw, n_items, n_voters, length):
    frame = make(n_items=n_items, n_voters=n_voters, adversarial_share=0.2)
    frame = frame if length == 3 else named(frame, length)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewListsWarning)
        display = draw(frame)
    assert not any(label.get_parse_math() for label in display.ax_.get_yticklabels())
    assert_apart_and_inside(display, display.ax_.get_yticklabels())
    legend = display.ax_.get_legend()
    texts = [*display.ax_.texts, display.ax_.xaxis.label, display.ax_.title, *(legend.get_texts() if legend else [])]
    for side in ("chance_ax_", "distance_ax_"):
        other = getattr(display, side, None)
        if other is not None:
            texts += [*other.texts, other.xaxis.label]
    if any(text.get_text() for text in texts):
        assert_apart_and_inside(display, texts)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("draw", DISPLAYS, ids=NAMES)
def test_inspection_displays_draw_one_query_on_the_given_axes(plt, draw):
    frame = make(n_queries=2)
    _, ax = plt.subplots()
    display = draw(frame, query="q2", ax=ax)
    assert display.ax_ is ax and display.figure_ is ax.figure
    assert "query q2" in ax.get_title(loc="left")
    assert display.plot().ax_ is not ax


@pytest.mark.parametrize("draw", [DISPLAYS[0], DISPLAYS[1], DISPLAYS[3]], ids=[NAMES[0], NAMES[1], NAMES[3]])
def test_inspection_displays_need_a_query_if_there_are_several(plt, draw):
    with pytest.raises(InputError, match=r"`query` must be the id of one of the 2 queries, such as 'q1'\."):
        draw(RankedLists.from_frame(make(n_queries=2)))


def test_inspection_displays_reject_invalid_arguments(plt, lists):
    frame = rank_stability(BordaCount(), lists, **FEW)
    with pytest.raises(InputError, match="`top` must be a whole number of at least 1; got 0"):
        RankStabilityDisplay.from_frame(frame, top=0)
    with pytest.raises(InputTypeError, match="columns item, rank, rank_low, rank_high; rank_low is missing"):
        RankStabilityDisplay.from_frame(BordaCount().fit_transform(lists))
    with pytest.raises(InputTypeError, match="item is missing"):
        RankStabilityDisplay.from_frame([1])
    with pytest.raises(InputError, match="must have rows of query 'x'; got none"):
        RankStabilityDisplay.from_frame(frame, query="x")
    two = rank_stability(BordaCount(), make(n_queries=2), **FEW)
    with pytest.raises(InputError, match="shows one query"):
        RankStabilityDisplay.from_frame(two)
    with pytest.raises(InputError, match="`n_voters` must be a whole number"):
        VoterInfluenceDisplay.from_estimator(BordaCount(), lists, n_voters=0)
