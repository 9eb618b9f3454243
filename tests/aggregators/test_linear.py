"""Linear combinations and reciprocal ranks, compared with exact fractions, and special cases."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import ballots, borda_means, comb, order, reciprocal
from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    LocalKemenization,
    RankedLists,
    ReciprocalRankFusion,
    SimpleBorda,
)
from skrankagg.aggregators._scores._row_sums import sum_rows
from skrankagg.utils.estimator_checks import example_lists


def query(seed, weighted):
    lists = example_lists(seed, n_queries=1)
    if weighted:
        weights = np.random.default_rng(seed).integers(0, 4, 5) / 2
        lists["weight"] = lists["voter"].str[1:].astype(int).map(dict(enumerate(weights)))
    return lists


def agrees(consensus, expected, lists, weights):
    assert consensus["item"].tolist() == order(expected, lists, weights)
    np.testing.assert_allclose(
        consensus["score"], [float(expected[item]) for item in consensus["item"]], rtol=1e-12, atol=1e-12
    )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("norm", ["borda", "simple-borda", "rank", "min-max", None])
@pytest.mark.parametrize(("method", "mnz"), [(CombSUM, False), (CombMNZ, True)])
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=15, deadline=None)
def test_comb_methods_equal_exact_fractions(method, mnz, norm, seed, weighted):
    frame = query(seed, weighted)
    lists, weights = ballots(frame)
    agrees(method(norm=norm).fit_transform(frame), comb(lists, weights, norm, mnz), lists, weights)


@given(seed=st.integers(0, 10**6), weighted=st.booleans(), k=st.sampled_from([0, 1, 60]))
@settings(max_examples=25, deadline=None)
def test_reciprocal_rank_fusion_equals_exact_fractions(seed, weighted, k):
    frame = query(seed, weighted)
    lists, weights = ballots(frame)
    agrees(ReciprocalRankFusion(k=k).fit_transform(frame), reciprocal(lists, weights, k), lists, weights)


@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=25, deadline=None)
def test_borda_methods_equal_combsum_with_borda_norms(seed, weighted):
    frame = query(seed, weighted)
    n = frame["item"].nunique()
    for points, norm in ((BordaCount(), "borda"), (SimpleBorda(), "simple-borda")):
        ours, theirs = points.fit_transform(frame), CombSUM(norm=norm).fit_transform(frame)
        assert ours["item"].tolist() == theirs["item"].tolist()
        np.testing.assert_allclose(ours["score"], n * theirs["score"], atol=1e-12)


def test_borda_count_distributes_all_points_on_full_lists():
    frame = example_lists(n_queries=1, full=True)
    n, m = 8, 5
    assert BordaCount().fit_transform(frame)["score"].sum() == m * n * (n + 1) / 2


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
@given(seed=st.integers(0, 10**6), weighted=st.booleans())
@settings(max_examples=25, deadline=None)
def test_borda_count_with_absent_ignore_equals_exact_fractions(seed, weighted):
    frame = query(seed, weighted)
    lists, weights = ballots(frame)
    agrees(BordaCount(absent="ignore").fit_transform(frame), borda_means(lists, weights), lists, weights)


def test_borda_count_with_absent_ignore_keeps_the_order_on_full_lists():
    frame = example_lists(full=True)
    means, points = BordaCount(absent="ignore").fit_transform(frame), BordaCount().fit_transform(frame)
    assert means["item"].tolist() == points["item"].tolist()
    np.testing.assert_allclose(5 * means["score"], points["score"], rtol=1e-12)


@pytest.mark.parametrize("factor", [1e-320, 1e-300, 3.0, 1e307])
def test_borda_count_with_absent_ignore_is_independent_of_weight_scale(factor):
    # Tenths of 1e-320 are whole multiples of the smallest number, which has no halves.
    frame = query(2, False).assign(weight=lambda lists: lists["voter"].str[1:].astype(int) % 3 + 1)
    expected = BordaCount(absent="ignore").fit_transform(frame)
    found = BordaCount(absent="ignore").fit_transform(frame.assign(weight=frame["weight"] * factor))
    assert found["item"].tolist() == expected["item"].tolist()
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-12 if factor > 1e-300 else 1e-3)


@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.NotComparedWarning")
def test_borda_count_with_absent_ignore_gives_0_to_items_without_weight():
    frame = pd.DataFrame({"query": "q", "voter": list("uvv"), "item": list("aba"), "rank": [1, 1, 2]})
    consensus = BordaCount(absent="ignore", voter_weights={"u": 1, "v": 0}).fit_transform(frame)
    assert consensus["item"].tolist() == ["a", "b"] and consensus["score"].tolist() == [1.0, 0.0]
    nothing = BordaCount(absent="ignore", voter_weights={"u": 0, "v": 0}).fit_transform(frame)
    assert nothing["score"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(("norm", "value"), [("min-max", 1.0), ("z-score", 0.0)])
@pytest.mark.parametrize("n", [1, 3])
def test_combsum_gives_equal_scores_for_constant_lists(norm, value, n):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": list("abc")[:n], "score": 0.1})
    assert CombSUM(norm=norm).fit_transform(frame)["score"].tolist() == [value] * n


def test_combsum_z_score_treats_rounding_differences_as_constant():
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": [f"i{k}" for k in range(7)], "score": 0.1 + 0.2})
    assert CombSUM(norm="z-score").fit_transform(frame)["score"].tolist() == [0.0] * 7


def test_combsum_breaks_ties_by_the_number_of_lists(X):
    # c and d both score 0 under min-max, c is in two lists and d in one.
    tied = CombSUM(norm="min-max").fit_transform(X)
    assert tied.tail(2)["item"].tolist() == ["c", "d"] and tied.tail(2)["score"].tolist() == [0.0, 0.0]


def test_aggregators_tie_scores_that_differ_by_rounding():
    # 0.1 + 0.2 and 0.3 are one score, whatever their last bits: the item's id decides.
    frame = pd.DataFrame(
        {
            "query": "q",
            "voter": ["u", "v", "w", "u", "v", "w", "u", "v", "w"],
            "item": list("bbbaaaccc"),
            "score": [0.1, 0.2, 0.0, 0.3, 0.0, 0.0, 9.0, 9.0, 9.0],
        }
    )

    class RawSum(CombSUM):
        def _aggregate(self, lists):
            return np.bincount(lists.candidate, weights=lists.score)

    assert 0.1 + 0.2 != 0.3
    consensus = RawSum().fit_transform(frame[frame["item"] != "c"].reset_index(drop=True))
    assert consensus["item"].tolist() == ["a", "b"] and consensus["score"].nunique() == 1


@pytest.mark.parametrize("norm", ["min-max", "z-score", None])
def test_combsum_rejects_ranks_for_score_norms_with_a_hint(norm):
    frame = pd.DataFrame({"query": "q", "voter": "v", "item": ["a"], "rank": 1})
    with pytest.raises(
        ValueError, match=r"CombSUM\(.*\) needs scores, but the lists have only ranks; .*norm='borda' or norm='rank'"
    ):
        CombSUM(norm=norm).fit(frame)


@pytest.mark.parametrize(("method", "expected"), [(CombSUM, [2.5, 1.0, 0.0, 0.0]), (CombMNZ, [7.5, 2.0, 0.0, 0.0])])
def test_comb_methods_use_min_max_by_default(X, method, expected):
    frame = example_lists()
    pd.testing.assert_frame_equal(method().fit_transform(frame), method(norm="min-max").fit_transform(frame))
    assert method().fit_transform(X)["score"].tolist() == expected
    with pytest.raises(ValueError, match=r"^Comb...\(\) needs scores, but the lists have only ranks; add a column"):
        method().fit(frame.drop(columns="score"))


@pytest.mark.parametrize("method", [DIBRA, LocalKemenization])
def test_meta_methods_reject_ranks_with_the_hint_of_the_base_method(method):
    with pytest.raises(ValueError, match=r"\(aggregator=CombSUM\(\)\) needs scores.*norm='borda' or norm='rank'"):
        method(CombSUM()).fit(example_lists().drop(columns="score"))


def test_combsum_lists_the_norms_for_an_unknown_norm():
    with pytest.raises(
        ValueError, match=r"The 'norm' parameter of CombSUM must be a str among .*'borda'.*Got 'minmax'"
    ):
        CombSUM(norm="minmax").fit(example_lists())


# ---------------------------------------------------------------------- voters' weights


def test_voter_weights_multiply_list_weights(X):
    both = CombSUM(voter_weights={"u": 2, "v": 1, "w": 3}).fit_transform(X.assign(weight=[2] * 3 + [1] * 5))
    once = CombSUM().fit_transform(X.assign(weight=[4] * 3 + [1] * 3 + [3] * 2))
    pd.testing.assert_frame_equal(both, once)


def test_voter_of_weight_zero_is_ignored_but_its_items_are_ranked(X):
    consensus = SimpleBorda(voter_weights=pd.Series({"u": 1.0, "v": 0.0, "w": 0.0})).fit_transform(X)
    assert consensus["item"].tolist() == ["a", "b", "c", "d"]
    assert consensus["score"].tolist() == [4.0, 3.0, 2.0, 0.0]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (
            {"u": 1, "v": 1},
            "none for 1 of 3 voters. The first of them is 'w'.*weight 0 ignores a voter, but the items in its",
        ),
        ({"u": 1, "v": -1, "w": 1}, "at least 0; got -1 for 'v'"),
        ({"u": 1, "v": np.nan, "w": 1}, "got nan for 'v'"),
        (3.0, "'voter_weights' parameter of CombSUM must be"),
    ],
)
def test_combsum_rejects_invalid_voter_weights(X, weights, words):
    with pytest.raises(ValueError, match=words):
        CombSUM(voter_weights=weights).fit(X)


def test_voter_weights_of_voters_without_lists_are_ignored(X):
    weights = {"u": 1, "v": 1, "w": 1, "x": 7, "y": np.nan}
    pd.testing.assert_frame_equal(CombSUM(voter_weights=weights).fit_transform(X), CombSUM().fit_transform(X))


def test_sum_rows_adds_scores_by_candidate(X):
    lists = RankedLists.from_frame(X)
    assert sum_rows(lists, lists.score).tolist() == pytest.approx([3.6, 7.9, 5.0, 0.6])
