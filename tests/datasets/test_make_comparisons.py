"""Paired comparisons and Plackett-Luce lists: generated data have the probabilities of the models."""

import itertools

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg import Qrels, RankedLists
from skrankagg.datasets import make_comparisons, make_plackett_luce
from skrankagg.datasets._make_comparisons import _draw_pairs

MANY = 40_000


def shares(comparisons):
    """Return for each pair the number of comparisons and the shares of first-item wins and ties."""
    low, high = comparisons[["winner", "loser"]].min(axis=1), comparisons[["winner", "loser"]].max(axis=1)
    won = (comparisons["winner"] == low) & ~comparisons["tie"]
    found = pd.DataFrame({"low": low, "high": high, "won": won, "tied": comparisons["tie"]})
    return found.groupby(["low", "high"]).agg(n=("won", "size"), won=("won", "mean"), tied=("tied", "mean"))


@pytest.mark.parametrize("ties", [0.0, 0.3])
@pytest.mark.parametrize("reliability", [1.0, 0.5, -1.0])
def test_make_comparisons_draws_outcomes_with_their_defined_probabilities(ties, reliability):
    worth = np.array([1.0, 2.0, 6.0])
    made = make_comparisons(
        n_comparisons=MANY, worth=worth, tie_probability=ties, reliability=[reliability], random_state=0
    )
    found = shares(made.comparisons)
    nu = 2 * ties / (1 - ties)
    for i, j in itertools.combinations(range(3), 2):
        a, b = worth[[i, j]] ** reliability
        middle = nu * np.sqrt(a * b)
        expected = np.array([a, middle]) / (a + b + middle)
        n, *mine = found.loc[(f"i{i + 1}", f"i{j + 1}")]
        np.testing.assert_allclose(mine, expected, atol=4.5 * np.sqrt(0.25 / n))
        assert n == pytest.approx(MANY / 3, abs=4.5 * np.sqrt(MANY * 2 / 9))


def test_make_comparisons_ties_equal_items_with_tie_probability():
    made = make_comparisons(2, MANY, spread=0.0, tie_probability=0.4, random_state=1).comparisons
    assert made["tie"].mean() == pytest.approx(0.4, abs=0.012)
    assert (made.loc[made["tie"], "winner"] == "i1").mean() == pytest.approx(0.5, abs=0.02)


def test_make_comparisons_draws_voters_with_their_reported_reliability():
    made = make_comparisons(2, MANY, worth=[1.0, 3.0], n_voters=4, reliability_spread=1.0, random_state=2)
    assert made.voters["judge"].tolist() == ["v1", "v2", "v3", "v4"]
    right = (made.comparisons["winner"] == "i2").groupby(made.comparisons["judge"]).agg(["mean", "size"])
    expected = 1 / (1 + 3.0 ** -made.voters["reliability"].to_numpy())
    np.testing.assert_allclose(right["mean"], expected, atol=0.02)
    assert right["size"].min() > MANY / 4 - 500
    many = make_comparisons(2, 1, n_voters=4000, reliability_spread=0.5, random_state=0).voters["reliability"]
    assert np.log(many).mean() == pytest.approx(0.0, abs=0.03) and np.log(many).std() == pytest.approx(0.5, abs=0.03)


def test_make_comparisons_draws_unequal_exposure_on_request():
    def counts(exposure):
        made = make_comparisons(20, MANY, exposure=exposure, random_state=3)
        seen = pd.concat([made.comparisons["winner"], made.comparisons["loser"]]).value_counts()
        return seen.reindex(made.worth["item"], fill_value=0)

    assert counts("equal").max() / counts("equal").min() < 1.15
    assert counts("unequal").max() / counts("unequal").min() > 10


def test_draw_pairs_draws_the_second_item_from_the_others():
    exposure = np.array([1.0, 2.0, 5.0])
    pairs = _draw_pairs(exposure, MANY, np.random.RandomState(0))
    assert (pairs[:, 0] != pairs[:, 1]).all()
    for i, j in itertools.permutations(range(3), 2):
        expected = exposure[i] / 8 * exposure[j] / (8 - exposure[i])
        assert (pairs == [i, j]).all(axis=1).mean() == pytest.approx(expected, abs=0.012)


def test_make_comparisons_keeps_other_draws_when_an_option_changes():
    plain = make_comparisons(n_comparisons=300, random_state=4)
    odd = make_comparisons(n_comparisons=300, tie_probability=0.5, random_state=4)
    assert_frame_equal(plain.worth, odd.worth)
    pairs = [np.sort(made.comparisons[["winner", "loser"]].to_numpy(dtype=object), axis=1) for made in (plain, odd)]
    assert (pairs[0] == pairs[1]).all()
    assert_frame_equal(
        odd.comparisons, make_comparisons(n_comparisons=300, tie_probability=0.5, random_state=4).comparisons
    )


def test_make_comparisons_returns_frames_for_from_comparisons():
    made = make_comparisons(12, 400, n_voters=3, tie_probability=0.2, random_state=5)
    assert made.comparisons.columns.tolist() == ["winner", "loser", "tie", "judge"]
    lists = RankedLists.from_comparisons(made.comparisons, tie="tie", voter="judge")
    assert lists.list_weight.sum() == 400
    assert lists.queries.tolist() == ["q"] == made.worth["query"].unique().tolist()
    truth = Qrels.from_frame(made.worth.rename(columns={"worth": "relevance"}))
    assert len(truth.align(lists)) == 1
    several = make_comparisons(4, 50, n_queries=10, random_state=5)
    assert several.comparisons.columns.tolist() == ["query", "winner", "loser", "tie", "judge"]
    assert several.comparisons["query"].value_counts(sort=False).to_dict() == {f"q{k:02d}": 50 for k in range(1, 11)}
    assert several.worth.shape == (40, 3) and several.worth["worth"].nunique() == 40


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"n_items": 1}, "`n_items` must be a whole number of at least 2; got 1"),
        ({"worth": [2.0]}, "`n_items` must be a whole number of at least 2; got 1"),
        ({"n_comparisons": 0}, "`n_comparisons` must be a whole number of at least 1; got 0"),
        ({"n_voters": 1.5}, "`n_voters` must be a whole number of at least 1; got 1.5"),
        ({"n_queries": True}, "`n_queries` must be a whole number of at least 1; got True"),
        ({"worth": [1, 0]}, "`worth` must be a list of finite numbers above 0; got [1.0, 0.0]."),
        ({"worth": [[1, 2]]}, "`worth` must be a list of finite numbers above 0"),
        ({"reliability": [np.nan]}, "`reliability` must be a list of finite numbers"),
        ({"spread": -1}, "`spread` must be a finite number of at least 0; got -1"),
        ({"reliability_spread": np.inf}, "`reliability_spread` must be a finite number of at least 0; got inf"),
        ({"tie_probability": 1}, "`tie_probability` must be at least 0 and below 1; got 1"),
        ({"exposure": "odd"}, "`exposure` must be one of 'equal', 'unequal'; got 'odd'"),
    ],
)
def test_make_comparisons_rejects_invalid_parameters(wrong, words):
    with pytest.raises(ValueError) as error:
        make_comparisons(**wrong)
    assert words in str(error.value)


# ---------------------------------------------------------------------- lists by worth


def test_make_plackett_luce_applies_the_reliability_of_voters():
    lists = make_plackett_luce(n_queries=MANY // 4, worth=[1.0, 3.0], reliability=[1.0, 0.0, -2.0, 0.5], random_state=0)
    first = lists[lists["rank"] == 1]
    right = (first["item"] == "i2").groupby(first["voter"]).mean()
    assert right.index.tolist() == ["v1", "v2", "v3", "v4"]
    np.testing.assert_allclose(right, 1 / (1 + 3.0 ** -np.array([1.0, 0.0, -2.0, 0.5])), atol=0.025)


def test_make_plackett_luce_ties_items_with_tie_probability():
    plain = make_plackett_luce(n_voters=300, n_items=30, random_state=1)
    tied = make_plackett_luce(n_voters=300, n_items=30, tie_probability=0.4, random_state=1)
    assert_frame_equal(plain.drop(columns="rank"), tied.drop(columns="rank"))
    assert plain["rank"].dtype == tied["rank"].dtype
    n_tied = 0
    for _, one in tied.groupby("voter"):
        assert one["rank"].tolist() == one["rank"].rank(method="min").tolist()
        n_tied += 30 - one["rank"].nunique()
    # 8700 chances of 0.4: the share has a standard deviation of 0.005.
    assert n_tied / (300 * 29) == pytest.approx(0.4, abs=0.025)
    assert set(make_plackett_luce(tie_probability=1, random_state=0)["rank"]) == {1}
    ones = make_plackett_luce(reliability=np.ones(10), random_state=0)
    assert_frame_equal(ones, make_plackett_luce(n_voters=10, random_state=0))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"tie_probability": 1.5}, "`tie_probability` must be from 0 to 1; got 1.5"),
        ({"tie_probability": float("nan")}, "`tie_probability` must be from 0 to 1; got nan"),
        ({"reliability": [1.0, float("inf")]}, "`reliability` must be a list of finite numbers"),
    ],
)
def test_make_plackett_luce_rejects_invalid_parameters(wrong, words):
    with pytest.raises(ValueError) as error:
        make_plackett_luce(**wrong)
    assert words in str(error.value)
