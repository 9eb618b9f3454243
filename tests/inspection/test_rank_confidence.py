"""Confidence sets: their coverage, and their definition written out."""

import numpy as np
import pandas as pd
import pytest

from skrankagg import BordaCount, CombSUM, Copeland, RankedLists, ReciprocalRankFusion
from skrankagg.exceptions import InputError
from skrankagg.inspection import rank_confidence, rank_stability
from skrankagg.inspection._resampling import Resampling
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.filterwarnings("ignore::skrankagg.exceptions.FewListsWarning")


def plackett_luce(n_draws, n_lists, n_items, spread, seed=0):
    """Return full lists of `n_draws` queries; the true rank of item i is i + 1 unless worths are equal."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(spread * np.sqrt(3), -spread * np.sqrt(3), n_items)
    order = np.argsort(-(worth + rng.gumbel(size=(n_draws, n_lists, n_items))), axis=2)
    query, voter, place = (index.ravel() for index in np.indices(order.shape))
    return RankedLists.from_frame(
        pd.DataFrame({"query": query, "voter": voter, "item": order.ravel(), "rank": place + 1})
    )


def coverage(frame, spread):
    """Return the share of items whose set covers the true rank, or all ranks if the items are equal."""
    true = frame["item"].to_numpy() + 1
    low, high = frame["rank_low"].to_numpy(float), frame["rank_high"].to_numpy(float)
    return ((low <= 1) & (high >= true.max()) if spread == 0 else (low <= true) & (true <= high)).mean()


# Three standard errors of a share of .95 in 400 independent draws.
LEAST = 0.95 - 3 * np.sqrt(0.95 * 0.05 / 400)


@pytest.mark.exhaustive
@pytest.mark.parametrize("spread", [1.0, 0.3, 0.0], ids=["distinct", "close", "equal"])
@pytest.mark.parametrize("n_lists", [10, 20, 50])
def test_rank_confidence_covers_the_true_rank(n_lists, spread):
    lists = plackett_luce(400, n_lists, 30, spread)
    assert coverage(rank_confidence(BordaCount(), lists, n_resamples=150), spread) >= LEAST
    if n_lists == 50 and spread > 0:
        assert coverage(rank_stability(BordaCount(), lists, n_resamples=150), spread) >= LEAST


def test_rank_confidence_simultaneous_sets_cover_all_true_ranks():
    lists = plackett_luce(400, 50, 10, 0.0, seed=1)
    frame = rank_confidence(BordaCount(), lists, n_resamples=300, simultaneous=True)
    all_hold = ((frame["rank_low"] <= 1) & (frame["rank_high"] >= 10)).groupby(frame["query"]).all()
    assert all_hold.mean() >= LEAST


def written_out(lists, weights, points, confidence, simultaneous):
    """Compute the sets by their definition; `weights` (n_lists, n_draws) count draws."""
    n_lists, n = points.shape

    def error(count, i, j):
        difference = points[:, i] - points[:, j]
        mean = (count * difference).sum() / count.sum()
        return np.sqrt((count * (difference - mean) ** 2).sum())

    ones = np.ones(n_lists)
    score = points.sum(axis=0)
    farthest = np.zeros((n, weights.shape[1]))
    for r, count in enumerate(weights.T):
        drawn = count @ points
        for j in range(n):
            farthest[j, r] = max(
                abs((drawn[i] - drawn[j]) - (score[i] - score[j])) / error(count, i, j) for i in range(n) if i != j
            )
    if simultaneous:
        farthest[:] = farthest.max(axis=0)
    bound = np.sort(farthest, axis=1)[:, int(np.ceil(confidence * weights.shape[1])) - 1]
    apart = np.array([[(score[i] - score[j]) / error(ones, i, j) if i != j else 0 for i in range(n)] for j in range(n)])
    return 1 + (apart > bound[:, None]).sum(axis=1), n - (-apart > bound[:, None]).sum(axis=1)


@pytest.mark.parametrize("simultaneous", [False, True])
def test_rank_confidence_equals_its_definition(simultaneous):
    lists = plackett_luce(1, 40, 6, 1.0, seed=4)
    options = {"n_resamples": 50, "confidence": 0.9, "random_state": 7}
    frame = rank_confidence(BordaCount(), lists, simultaneous=simultaneous, **options).sort_values("item")
    resampling = Resampling(BordaCount(), lists, unit="list", n_jobs=None, **options)
    weights = resampling.draws.weights(0, 1).dense()
    points = 7 - lists.to_frame().pivot(index="voter", columns="item", values="rank").to_numpy()
    low, high = written_out(lists, weights, points, 0.9, simultaneous)
    assert low.max() > 1 and high.min() < 6
    np.testing.assert_array_equal(frame["rank_low"].to_numpy(int), low)
    np.testing.assert_array_equal(frame["rank_high"].to_numpy(int), high)


def test_rank_confidence_is_certain_about_unanimous_pairs():
    frame = pd.DataFrame(
        [("q", v, item, k) for v in range(12) for k, item in enumerate("abcd" if v % 2 else "abdc", 1)],
        columns=["query", "voter", "item", "rank"],
    )
    sets = rank_confidence(BordaCount(), frame).set_index("item")
    assert sets[["rank_low", "rank_high"]].to_numpy(int).tolist() == [[1, 1], [2, 2], [3, 4], [3, 4]]


@pytest.mark.parametrize("method", [CombSUM(norm="z-score", absent_score="min"), ReciprocalRankFusion(k=3)], ids=repr)
@pytest.mark.parametrize("unit", ["list", "voter", "query"])
def test_rank_confidence_accepts_additive_methods_and_every_unit(method, unit):
    frame = example_lists(3, n_queries=6, n_voters=8, n_items=6)
    sets = rank_confidence(method, frame, unit=unit, n_resamples=60)
    assert (sets["rank_low"] <= sets["rank"]).all() and (sets["rank"] <= sets["rank_high"]).all()
    wider = rank_confidence(method, frame, unit=unit, n_resamples=60, simultaneous=True)
    assert (wider["rank_low"] <= sets["rank_low"]).all() and (wider["rank_high"] >= sets["rank_high"]).all()


def test_rank_confidence_is_the_same_for_merged_ballots():
    frame = pd.DataFrame(
        [("q", v, item, k) for v in range(40) for k, item in enumerate(("abc", "bac", "bca")[v % 7 // 3], 1)],
        columns=["query", "voter", "item", "rank"],
    )
    first = frame.groupby(frame["voter"] % 7 // 3)["voter"].transform("min")
    weight = frame["voter"].drop_duplicates().mod(7).floordiv(3).value_counts()
    lines = frame[frame["voter"] == first]
    lines = lines.assign(weight=(lines["voter"] % 7 // 3).map(weight))
    many, few = (rank_confidence(BordaCount(), one, n_resamples=4000) for one in (frame, lines))
    pd.testing.assert_frame_equal(many, few, check_dtype=False)


def test_rank_confidence_is_missing_for_a_query_of_one_list():
    frame = example_lists(3, n_queries=2, n_voters=8, n_items=6)
    frame = frame[(frame["query"] == "q0") | (frame["voter"] == "v1")]
    found = rank_confidence(BordaCount(), frame).set_index("query")
    assert found.loc["q1", ["rank_low", "rank_high"]].isna().all(axis=None)
    assert found.loc["q0", ["rank_low", "rank_high"]].notna().all(axis=None)


def test_points_by_unit_add_up_to_the_scores_of_each_draw():
    # A comparison with a share between 0 and 1 is stored as two lists, which are drawn together.
    shares = pd.DataFrame({"first": list("aaabbc"), "second": list("bccccb"), "outcome": [0.7, 1, 0.25, 0.5, 0, 0.9]})
    lists = RankedLists.from_comparisons(shares, first="first", second="second", outcome="outcome")
    options = {"n_resamples": 30, "confidence": 0.9, "unit": "list", "random_state": 0, "n_jobs": None}
    draws = Resampling(BordaCount(), lists, **options).draws
    says = np.random.default_rng(0).random((lists.n_lists, 3))
    total, drawn, expected = draws.by_unit(0, says * draws.weight[:, None])
    assert len(total) == len(shares) < lists.n_lists
    np.testing.assert_array_equal(expected, 1.0)
    np.testing.assert_allclose(total.T @ drawn, says.T @ draws.weights(0, 1).dense())


def test_rank_confidence_rejects_other_methods_with_a_hint():
    with pytest.raises(InputError, match=r"got Copeland\(\)\. For other methods use rank_stability"):
        rank_confidence(Copeland(), example_lists())
