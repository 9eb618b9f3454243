"""Scales of PlackettLuce: Elo points, anchors, their standard errors, and draws on the same scale."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from sklearn.base import clone

from skrankagg import PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons
from skrankagg.exceptions import InputError
from skrankagg.inspection import rank_stability
from skrankagg.utils.estimator_checks import example_lists

ELO = 400 / np.log(10)


@pytest.fixture(scope="module")
def duels():
    """Encode comparisons of five items by six judges."""
    games = make_comparisons(5, 600, n_voters=6, tie_probability=0.2, random_state=0).comparisons
    return RankedLists.from_comparisons(games, tie="tie", voter="judge")


@pytest.mark.parametrize("errors", ["model", "voters", "judge"])
def test_elo_points_are_log_worths_times_a_constant_around_1000(duels, errors):
    log = PlackettLuce(std_errors=errors).fit_transform(duels)
    elo = PlackettLuce(std_errors=errors, scale="elo").fit_transform(duels)
    assert elo["item"].tolist() == log["item"].tolist() and elo["score"].mean() == pytest.approx(1000)
    np.testing.assert_allclose(np.diff(elo["score"]), ELO * np.diff(log["score"]), rtol=1e-12)
    np.testing.assert_allclose(elo["std_error"], ELO * log["std_error"], rtol=1e-12)
    np.testing.assert_array_equal(elo["worth"], log["worth"])
    # A lead of 400 points means odds of 10 to 1.
    ahead = elo["score"].iloc[0] - elo["score"].iloc[4]
    assert elo["worth"].iloc[0] / elo["worth"].iloc[4] == pytest.approx(10 ** (ahead / 400))


@pytest.mark.parametrize("scale", ["log", "elo"])
def test_anchor_has_its_value_and_errors_of_differences_from_it(duels, scale):
    plain = PlackettLuce(scale=scale).fit_transform(duels).set_index("item")["score"]
    found = PlackettLuce(scale=scale, anchor={"i3": 1200}, std_errors="model").fit_transform(duels).set_index("item")
    np.testing.assert_allclose(found["score"], plain - plain["i3"] + 1200, rtol=1e-12)
    assert found.loc["i3", "std_error"] == 0
    # The variance of a difference by the inverse of the information without the anchor's row and column.
    method = PlackettLuce()
    stages, _, variables, *_ = method._estimate(duels, None)
    information = next(stages.information(variables))
    kept = np.flatnonzero(duels.items != "i3")
    expected = np.sqrt(np.diag(np.linalg.inv(information[np.ix_(kept, kept)])))
    factor = ELO if scale == "elo" else 1.0
    np.testing.assert_allclose(found.loc[duels.items[kept], "std_error"], factor * expected, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.FewListsWarning")
def test_draws_are_on_the_scale_of_the_scores(duels):
    options = {"n_resamples": 60, "unit": "judge"}
    log = rank_stability(PlackettLuce(anchor={"i3": 0}), duels, **options)
    elo = rank_stability(PlackettLuce(scale="elo", anchor={"i3": 1200}), duels, **options)
    np.testing.assert_allclose(elo["score_se"], ELO * log["score_se"], rtol=1e-9, atol=1e-9)
    assert elo.loc[elo["item"] == "i3", "score_se"].item() == pytest.approx(0, abs=1e-9)
    assert_frame_equal(elo[["item", "rank", "rank_low", "rank_high"]], log[["item", "rank", "rank_low", "rank_high"]])
    lists = RankedLists.from_frame(example_lists(1, n_queries=2, n_voters=5, n_items=4))
    one, other = (rank_stability(PlackettLuce(scale=scale), lists, n_resamples=20) for scale in ("log", "elo"))
    assert one["item"].tolist() == other["item"].tolist()
    assert (other["score_se"] / one["score_se"]).between(0.5 * ELO, 1.1 * ELO).all()


def test_anchor_shifts_each_query():
    frame = example_lists(1, n_queries=3, n_voters=5, n_items=5)
    item = frame["item"].iloc[0]
    found = PlackettLuce(scale="elo", anchor={item: 1500}).fit_transform(frame)
    assert found.loc[found["item"] == item, "score"].tolist() == [1500] * found["query"].nunique()


def test_anchor_must_be_one_item_of_every_query(duels):
    for anchor in ({}, {"i1": 1, "i2": 2}, {"i1": "high"}, {"i1": np.inf}):
        with pytest.raises(InputError, match="`anchor` must map one item to a finite score"):
            PlackettLuce(anchor=anchor).fit_transform(duels)
    with pytest.raises(InputError, match="query 'q' has no item 'i9'"):
        PlackettLuce(anchor={"i9": 1000}).fit_transform(duels)
    lists = pd.DataFrame({"query": ["p", "p", "q", "q"], "voter": "v", "item": list("abbc"), "rank": [1, 2, 1, 2]})
    with pytest.raises(InputError, match="query 'q' has no item 'a'"):
        PlackettLuce(anchor={"a": 0}).fit_transform(lists)


def test_anchor_may_be_a_series(duels):
    expected = PlackettLuce(anchor={"i3": 2.5}).fit_transform(duels)
    assert_frame_equal(PlackettLuce(anchor=pd.Series({"i3": 2.5})).fit_transform(duels), expected)
    assert_frame_equal(clone(PlackettLuce(anchor=pd.Series([2.5], index=["i3"]))).fit_transform(duels), expected)
    for wrong in (pd.Series({"i3": 2.5, "i1": 0.0}), pd.Series([1.0, 2.0], index=["i3", "i3"]), pd.Series(dtype=float)):
        with pytest.raises(InputError, match="`anchor` must map one item to a finite score"):
            PlackettLuce(anchor=wrong).fit(duels)
