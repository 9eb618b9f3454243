"""WeightCurveDisplay: its points are measured, and its texts do not collide."""

import numpy as np
import pandas as pd
import pytest
from test_displays import assert_apart_and_inside

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Copeland,
    Qrels,
    RankedLists,
    RankStatistic,
    ReciprocalRankFusion,
    evaluate,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.plotting import WeightCurveDisplay
from skrankagg.stats import bootstrap_interval


@pytest.fixture(scope="module")
def hybrid():
    frame, qrels, _ = make_ranked_lists(n_queries=25, n_voters=3, quality=0.4, quality_spread=0.5, random_state=0)
    names = {"v1": "dense", "v2": "bm25", "v3": "splade"}
    return frame.assign(voter=frame["voter"].map(names)), qrels


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", [CombSUM(), ReciprocalRankFusion(k=10), Copeland()], ids=repr)
def test_weight_curve_display_shows_the_measure_at_each_weight(plt, hybrid, method):
    frame, qrels = hybrid
    display = WeightCurveDisplay.from_estimator(
        method, frame, qrels, voters=("bm25", "dense"), metric="ndcg@5", weights=[0.8, 0, 0.25]
    )
    two = frame[frame["voter"] != "splade"]
    assert display.table.index.tolist() == [0, 0.25, 0.8] == display.line_.get_xdata().tolist()
    for weight, row in display.table.iterrows():
        run = type(method)(**{**method.get_params(), "voter_weights": {"bm25": 1 - weight, "dense": weight}})
        values = evaluate(run.fit_transform(two), qrels, "ndcg@5", per_query=True)["ndcg@5"]
        assert row["mean"] == pytest.approx(values.mean())
        low, high = bootstrap_interval(values, method="percentile", n_resamples=20_000, random_state=1)
        assert row[["low", "high"]].tolist() == pytest.approx([low, high], abs=0.006)
    np.testing.assert_allclose(display.line_.get_ydata(), display.table["mean"])
    assert method.get_params()["voter_weights"] is None  # it was cloned
    alone = {
        voter: evaluate(frame[frame["voter"] == voter], qrels, "ndcg@5")["ndcg@5"].item() for voter in ("bm25", "dense")
    }
    equal = evaluate(method.fit_transform(two), qrels, "ndcg@5")["ndcg@5"].item()
    assert display.levels.tolist() == pytest.approx([alone["bm25"], alone["dense"], equal])
    assert [line.get_ydata()[0] for line in display.levels_] == display.levels.tolist()


def test_weight_curve_display_marks_and_names_the_best_weight(plt, hybrid):
    frame, qrels = hybrid
    two = frame[frame["voter"] != "splade"]
    display = WeightCurveDisplay.from_estimator(CombSUM(), two, qrels, metric="map")
    best = display.table["mean"].idxmax()
    first, *_, last = (text.get_text() for text in display.ax_.get_legend().get_texts())
    assert first == f"both: best {display.table['mean'].max():.3f} at {best:g}"
    assert last == f"equal weights: {display.levels['equal weights']:.3f}"
    marks = [line for line in display.ax_.lines if line.get_markersize() == 7.5]
    assert [line.get_xdata().tolist() for line in marks] == [[best]]
    assert display.ax_.get_xlabel() == "weight of dense\nthe rest for bm25" and display.voters == ("bm25", "dense")
    assert display.ax_.get_ylabel().endswith("mean over 25 queries")
    lowest = WeightCurveDisplay(display.table, display.levels, voters=("u", "v"), greater_is_better=False).plot()
    assert f"at {display.table['mean'].idxmin():g}" in lowest.ax_.get_legend().get_texts()[0].get_text()
    neither = WeightCurveDisplay(display.table, display.levels, voters=("u", "v"), greater_is_better=None).plot()
    assert neither.ax_.get_legend().get_texts()[0].get_text() == "both, by weight"


def test_weight_curve_display_uses_the_same_resamples_for_each_weight(plt, hybrid):
    frame, qrels = hybrid
    arguments = (CombSUM(), frame, qrels, ("bm25", "dense"))
    first, again = (WeightCurveDisplay.from_estimator(*arguments, weights=[0.3, 0.3000001]) for _ in range(2))
    pd.testing.assert_frame_equal(first.table, again.table)
    assert first.table["low"].tolist() == pytest.approx([first.table["low"].iloc[0]] * 2, abs=1e-12)
    other = WeightCurveDisplay.from_estimator(*arguments, weights=[0.3, 0.4], random_state=np.random.RandomState(5))
    assert other.table["low"].iloc[0] != first.table["low"].iloc[0]


def test_weight_curve_display_uses_judged_queries_of_the_two_voters(plt):
    rows = [("p", "u", "a", 1), ("p", "v", "b", 1), ("q", "u", "a", 1), ("r", "u", "a", 1), ("s", "w", "a", 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    qrels = Qrels.from_dict({"p": ["b"], "q": ["a"], "s": ["a"], "elsewhere": ["a"]})
    display = WeightCurveDisplay.from_estimator(
        BordaCount(), frame, qrels, voters=["u", "v"], metric="mrr", weights=[0, 1]
    )
    # u finds a in q; v has no list there.
    assert display.levels.tolist() == [0.5, 0.5, pytest.approx((1 / 2 + 1) / 2)]
    assert display.table["mean"].tolist() == [pytest.approx((1 / 2 + 1) / 2), 1.0]
    assert display.label.endswith("mean over 2 queries")


def test_weight_curve_display_has_no_band_for_totals_and_single_queries(plt, hybrid):
    frame, qrels = hybrid
    display = WeightCurveDisplay.from_estimator(CombSUM(), frame, qrels, ("bm25", "dense"), "num_rel_ret")
    assert display.band_ is None and display.label.endswith("total over 25 queries")
    assert display.table["mean"].iloc[0] == display.table["mean"].max() > 25
    one = frame[frame["query"] == "q01"]
    display = WeightCurveDisplay.from_estimator(CombSUM(), one, qrels, ("bm25", "dense"))
    assert display.band_ is None and display.line_ is not None


@pytest.mark.sampled(1)
@pytest.mark.parametrize("length", [4, 45, 90])
def test_weight_curve_display_texts_do_not_collide(plt, hybrid, length):
    frame, qrels = hybrid
    names = {name: f"{name}[$x_1$,".ljust(length, "w")[:length] for name in ("bm25", "dense")}
    lists = RankedLists.from_frame(frame[frame["voter"] != "splade"].replace({"voter": names}))
    display = WeightCurveDisplay.from_estimator(ReciprocalRankFusion(), lists, qrels)
    ticks = [label for label in display.ax_.get_xticklabels() if 0 <= label.get_position()[0] <= 1]
    texts = [*display.ax_.get_legend().get_texts(), display.ax_.xaxis.label, *ticks]
    assert_apart_and_inside(display, texts)


def test_weight_curve_display_draws_on_the_given_axes(plt, hybrid):
    frame, qrels = hybrid
    _, ax = plt.subplots()
    display = WeightCurveDisplay.from_estimator(CombSUM(), frame, qrels, ("bm25", "dense"), ax=ax, color="red")
    assert display.ax_ is ax and display.figure_ is ax.figure and display.line_.get_color() == "red"
    assert display.plot().ax_ is not ax


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"aggregator": RankStatistic}, InputTypeError, "must be an aggregator with voter_weights"),
        ({"aggregator": 3}, InputTypeError, "must be an aggregator with voter_weights, such as CombSUM"),
        ({"voters": None}, InputError, r"lists have 3. Choose two of them with voters=\('bm25', 'dense'\)"),
        ({"voters": ("bm25",)}, InputError, "must be the ids of two voters"),
        ({"voters": "ab"}, InputError, "must be the ids of two voters"),
        ({"voters": ("bm25", "bm25")}, InputError, "must be the ids of two voters"),
        (
            {"voters": ("bm25", "dens")},
            InputError,
            "got 'dens', which has no list. The voters are 'bm25', 'dense', 'splade'",
        ),
        ({"weights": [0.5, 1.5]}, InputError, "`weights` of the second voter must be from 0 to 1; got 1.5"),
        ({"weights": [0.5, "x"]}, InputError, "`weights` of the second voter must be from 0 to 1"),
        ({"weights": [0.5, 0.5]}, InputError, "at least two different weights"),
        ({"metric": "ndgc@5"}, ValueError, "ndcg"),
    ],
    ids=lambda part: repr(part)[:40],
)
def test_weight_curve_display_rejects_invalid_arguments(plt, hybrid, arguments, error, words):
    frame, qrels = hybrid
    given = {"aggregator": CombSUM(), "lists": frame, "qrels": qrels, "voters": ("bm25", "dense"), **arguments}
    with pytest.raises(error, match=words):
        WeightCurveDisplay.from_estimator(**given)


def test_weight_curve_display_accepts_methods_that_learn_weights(plt, hybrid):
    frame, qrels = hybrid
    display = WeightCurveDisplay.from_estimator(DIBRA(), frame, qrels, ("bm25", "dense"), weights=[0.2, 0.8])
    assert display.table["mean"].notna().all()
