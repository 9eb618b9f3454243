"""ReliabilityDisplay shows the mean probability and the share of relevant items of equal parts."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import Qrels, ReciprocalRankFusion
from skrankagg.exceptions import InputError
from skrankagg.model_selection import CalibratedConsensus
from skrankagg.plotting import ReliabilityDisplay

CONSENSUS = pd.DataFrame(
    {
        "query": ["p"] * 4 + ["q"] * 4 + ["unjudged"],
        "item": list("abcdabcda"),
        "rank": [1, 2, 3, 4] * 2 + [1],
        "score": [4.0, 3.0, 2.0, 1.0] * 2 + [1.0],
        "probability": [0.9, 0.6, 0.4, 0.1, 0.8, 0.5, 0.3, 0.2, 1.0],
    }
)
QRELS = Qrels.from_dict({"p": {"a": 1, "b": 0, "c": 2}, "q": {"b": 1, "e": 1, "a": -1}, "other": ["a"]})


def test_points_are_means_of_equal_parts():
    display = ReliabilityDisplay.from_predictions(CONSENSUS, QRELS, top=2, n_parts=4)
    every, top = (display.table[display.table["items"] == items] for items in ("all", "top"))
    # Sorted: .1 d, .2 d | .3 c, .4 c+ | .5 b+, .6 b | .8 a, .9 a+
    assert every["probability"].tolist() == pytest.approx([0.15, 0.35, 0.55, 0.85])
    assert every["relevant"].tolist() == [0.0, 0.5, 0.5, 0.5]
    assert every["n_items"].tolist() == [2, 2, 2, 2]
    assert top["probability"].tolist() == pytest.approx([0.55, 0.85]) and top["relevant"].tolist() == [0.5, 0.5]
    assert display.errors == {
        "all": pytest.approx((0.15 + 0.15 + 0.05 + 0.35) / 4),
        "top": pytest.approx((0.05 + 0.35) / 2),
    }
    for items, rows in (("all", every), ("top", top)):
        line = display.lines_[items]
        np.testing.assert_array_equal(line.get_xdata(), rows["probability"])
        np.testing.assert_array_equal(line.get_ydata(), rows["relevant"])
    texts = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert texts == ["all items: error 0.175", "first 2 of each query: error 0.200"]


def test_error_of_unequal_parts_weighs_items():
    probability, relevant = [0.0, 0.0, 0.6], [False, True, True]
    assert ReliabilityDisplay.error_of(probability, relevant, 2) == pytest.approx((2 * 0.5 + 1 * 0.4) / 3)
    assert np.isnan(ReliabilityDisplay.error_of([], []))


def test_from_estimator_and_no_judgements():
    lists = CONSENSUS.assign(voter="v").drop(columns=["probability", "score"])
    calibrated = CalibratedConsensus(ReciprocalRankFusion(), qrels=QRELS).fit(lists)
    display = ReliabilityDisplay.from_estimator(calibrated, lists, QRELS, top=1, n_parts=2)
    expected = ReliabilityDisplay.from_predictions(calibrated.transform(lists), QRELS, top=1, n_parts=2)
    pd.testing.assert_frame_equal(display.table, expected.table)
    empty = ReliabilityDisplay.from_predictions(CONSENSUS, {"elsewhere": ["a"]})
    assert empty._reason() == "No query with probabilities has judgements."


@pytest.mark.parametrize(
    "change, message",
    [
        ({"frame": CONSENSUS.drop(columns="probability")}, "must have a column 'probability'"),
        ({"top": 0}, "`top` must be a whole number of at least 1"),
        ({"n_parts": 1}, "`n_parts` must be a whole number of at least 2"),
    ],
)
def test_refused(change, message):
    arguments = {"frame": CONSENSUS, "qrels": QRELS} | change
    with pytest.raises(InputError, match=message):
        ReliabilityDisplay.from_predictions(arguments.pop("frame"), arguments.pop("qrels"), **arguments)
