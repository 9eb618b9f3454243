"""make_ranked_lists: the effect of each option is measured on generated data."""

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from skrankagg.datasets import _make_ranked_lists as _ranked_lists
from skrankagg.datasets import make_ranked_lists


def with_utility(lists, truth):
    return lists.merge(truth.utilities, on=["query", "item"], validate="many_to_one")


def mean_ndcg(run, qrels, k=10):
    """Return the mean nDCG@k over queries of a frame with query, item and score."""
    discount = 1 / np.log2(np.arange(2, k + 2))
    judged = run.merge(qrels, on=["query", "item"]).sort_values("score", ascending=False)
    values = []
    for query, ideal in qrels.groupby("query")["relevance"]:
        gain = judged.loc[judged["query"] == query, "relevance"].to_numpy()[:k]
        best = np.sort(ideal.to_numpy())[::-1][:k]
        values.append(gain @ discount[: len(gain)] / (best @ discount))
    return np.mean(values)


def borda(lists, weight=None):
    points = 31.0 - lists["rank"]
    if weight is not None:
        points = points * lists["voter"].map(weight)
    return lists.assign(score=points).groupby(["query", "item"], as_index=False)["score"].sum()


def test_make_ranked_lists_returns_sorted_canonical_frames():
    lists, qrels, truth = make_ranked_lists(n_queries=12, random_state=0)
    assert lists.columns.tolist() == ["query", "voter", "item", "rank", "score"]
    assert qrels.columns.tolist() == ["query", "item", "relevance"]
    assert truth.voters.columns.tolist() == ["voter", "quality", "adversarial"]
    assert truth.utilities.columns.tolist() == ["query", "item", "utility"]
    assert [lists["rank"].dtype, lists["score"].dtype] == [np.int64, np.float64]
    assert qrels["relevance"].dtype == np.int64
    assert lists.index.equals(pd.RangeIndex(12 * 10 * 30))
    assert_frame_equal(lists, lists.sort_values(["query", "voter", "rank"], kind="stable"))
    assert_frame_equal(qrels, qrels.sort_values(["query", "item"], kind="stable"))
    assert not lists.duplicated(["query", "voter", "item"]).any()


def test_make_ranked_lists_pads_names_with_zeros():
    lists, qrels, _ = make_ranked_lists(n_queries=11, n_voters=3, n_items=101, list_length=None, random_state=0)
    assert qrels["query"].unique().tolist() == [f"q{i:02d}" for i in range(1, 12)]
    assert lists["voter"].unique().tolist() == ["v1", "v2", "v3"]
    assert sorted(lists["item"].unique()) == [f"i{i:03d}" for i in range(1, 102)]


def test_make_ranked_lists_is_reproducible():
    first, again, other = (make_ranked_lists(n_queries=2, random_state=seed) for seed in (3, 3, 4))
    for one, two in zip([*first[:2], *first[2]], [*again[:2], *again[2]], strict=True):
        assert_frame_equal(one, two)
    assert not first[0].equals(other[0])


def test_make_ranked_lists_advances_a_random_state():
    random = np.random.RandomState(3)
    first, second = (make_ranked_lists(n_queries=2, random_state=random)[0] for _ in range(2))
    assert_frame_equal(first, make_ranked_lists(n_queries=2, random_state=3)[0])
    assert not first.equals(second)


def test_make_ranked_lists_keeps_the_first_queries_when_n_queries_grows():
    options = {"n_voters": 4, "list_length": (5, 20), "tie_probability": 0.3, "absent_share": 0.4, "random_state": 8}
    few = make_ranked_lists(n_queries=10, **options)[0]
    many = make_ranked_lists(n_queries=90, **options)[0]
    assert_frame_equal(few, many[many["query"] <= "q10"])


def test_make_ranked_lists_is_independent_of_the_block_size(monkeypatch):
    options = {"n_queries": 7, "n_items": 12, "list_length": (3, 9), "tie_probability": 0.5, "absent_share": 0.2}
    whole = make_ranked_lists(**options, random_state=1)
    monkeypatch.setattr(_ranked_lists, "_BLOCK", 300)
    parts = make_ranked_lists(**options, random_state=1)
    assert_frame_equal(whole[0], parts[0])
    assert_frame_equal(whole[1], parts[1])
    assert_frame_equal(whole[2].utilities, parts[2].utilities)


def test_make_ranked_lists_keeps_other_draws_when_options_change():
    plain, qrels, _ = make_ranked_lists(list_length=None, random_state=2)
    odd, odd_qrels, _ = make_ranked_lists(list_length=(1, 40), absent_share=0.5, adversarial_share=0, random_state=2)
    assert_frame_equal(qrels, odd_qrels)
    both = odd.merge(plain, on=["query", "voter", "item"])
    assert len(both) == len(odd)
    assert (both["score_x"] == both["score_y"]).all()


def test_make_ranked_lists_without_ties_has_distinct_ranks_and_scores():
    lists = make_ranked_lists(n_queries=3, random_state=0)[0]
    for _, one in lists.groupby(["query", "voter"]):
        assert one["rank"].tolist() == list(range(1, 31))
        assert one["score"].is_monotonic_decreasing
        assert one["score"].is_unique


def test_make_ranked_lists_draws_lengths_from_the_range():
    lists = make_ranked_lists(n_queries=30, list_length=(2, 5), random_state=0)[0]
    lengths = lists.groupby(["query", "voter"]).size()
    assert len(lengths) == 300
    assert set(lengths) == {2, 3, 4, 5}


def test_make_ranked_lists_without_list_length_returns_full_lists():
    lists = make_ranked_lists(n_queries=2, n_items=17, list_length=None, random_state=0)[0]
    assert set(lists.groupby(["query", "voter"])["item"].nunique()) == {17}


def test_make_ranked_lists_gives_ties_one_score_and_the_lowest_rank():
    lists = make_ranked_lists(n_queries=30, tie_probability=0.4, random_state=0)[0]
    n_tied = 0
    for _, one in lists.groupby(["query", "voter"]):
        assert one["rank"].tolist() == one["score"].rank(method="min", ascending=False).tolist()
        n_tied += 30 - one["rank"].nunique()
    # 8700 chances of 0.4: the share has a standard deviation of 0.005.
    assert n_tied / (300 * 29) == pytest.approx(0.4, abs=0.025)


def test_make_ranked_lists_with_tie_probability_1_ties_whole_lists():
    lists = make_ranked_lists(n_queries=2, tie_probability=1, random_state=0)[0]
    assert set(lists["rank"]) == {1}
    assert set(lists.groupby(["query", "voter"])["score"].nunique()) == {1}


def test_make_ranked_lists_absent_share_removes_random_items():
    lists = make_ranked_lists(n_queries=40, n_items=20, list_length=None, absent_share=0.25, random_state=0)[0]
    assert set(lists.groupby(["query", "voter"]).size()) == {15}
    known = lists.groupby("item").size() / 400
    assert known.between(0.65, 0.85).all()


def test_make_ranked_lists_keeps_at_least_one_item_per_list():
    lists = make_ranked_lists(n_queries=3, n_items=5, list_length=4, absent_share=0.99, random_state=0)[0]
    assert set(lists.groupby(["query", "voter"]).size()) == {1}
    assert np.isfinite(lists["score"]).all()


def test_make_ranked_lists_noise_is_inverse_to_quality():
    lists, _, truth = make_ranked_lists(n_queries=40, list_length=None, random_state=0)
    merged = with_utility(lists, truth)
    noise = (merged["score"] - merged["utility"]).groupby(merged["voter"]).std()
    assert noise.to_numpy() * truth.voters["quality"].to_numpy() == pytest.approx(np.ones(10), abs=0.05)


def test_make_ranked_lists_quality_has_the_given_median_and_spread():
    _, _, truth = make_ranked_lists(n_queries=1, n_voters=4000, n_items=2, list_length=1, quality=2.0, random_state=0)
    log_quality = np.log(truth.voters["quality"])
    assert log_quality.mean() == pytest.approx(np.log(2), abs=0.03)
    assert log_quality.std() == pytest.approx(0.5, abs=0.03)


def test_make_ranked_lists_without_quality_spread_has_equal_voters():
    _, _, truth = make_ranked_lists(quality=3, quality_spread=0, random_state=0)
    assert set(truth.voters["quality"]) == {3.0}


def test_make_ranked_lists_adversarial_voters_reverse_the_order():
    lists, _, truth = make_ranked_lists(adversarial_share=0.3, list_length=None, random_state=0)
    merged = with_utility(lists, truth)
    agreement = [one["score"].corr(one["utility"]) for _, one in merged.groupby("voter")]
    assert truth.voters["adversarial"].sum() == 3
    assert ((np.array(agreement) < 0) == truth.voters["adversarial"]).all()


def test_make_ranked_lists_grades_divide_the_best_items_equally():
    _, qrels, truth = make_ranked_lists(n_queries=4, n_items=50, n_grades=3, relevant_share=0.24, random_state=0)
    for query, one in qrels.groupby("query"):
        by_utility = one.assign(utility=truth.utilities["utility"]).sort_values("utility", ascending=False)
        assert by_utility["relevance"].tolist() == [3] * 4 + [2] * 4 + [1] * 4 + [0] * 38, query


def test_make_ranked_lists_has_at_least_one_relevant_item():
    _, qrels, _ = make_ranked_lists(n_items=30, relevant_share=0.001, random_state=0)
    assert set(qrels.groupby("query")["relevance"].sum()) == {2}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_borda_consensus_beats_the_best_voter_and_gains_from_weights(seed):
    lists, qrels, truth = make_ranked_lists(random_state=seed)
    best = max(mean_ndcg(one, qrels) for _, one in lists.groupby("voter"))
    together = mean_ndcg(borda(lists), qrels)
    weighted = mean_ndcg(borda(lists, truth.voters.set_index("voter")["quality"] ** 2), qrels)
    assert best < together < weighted


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_queries": 0}, "`n_queries` must be a whole number of at least 1; got 0"),
        ({"n_voters": 1.5}, "`n_voters` must be a whole number of at least 1; got 1.5"),
        ({"n_items": 20}, "`list_length` must be at most `n_items`, 20; got 30"),
        ({"list_length": (5, 3)}, "`list_length` must be a whole number of at least 1, a pair (low, high)"),
        ({"list_length": (1, 2, 3)}, "a pair (low, high)"),
        ({"list_length": 0}, "`list_length` must be a whole number of at least 1"),
        ({"list_length": "long"}, "`list_length` must be a whole number of at least 1"),
        ({"quality": 0}, "`quality` must be above 0; got 0"),
        ({"quality_spread": -0.1}, "`quality_spread` must be a finite number of at least 0; got -0.1"),
        ({"quality_spread": float("inf")}, "`quality_spread` must be a finite number of at least 0; got inf"),
        ({"adversarial_share": 1.2}, "`adversarial_share` must be a finite number from 0 to 1; got 1.2"),
        ({"tie_probability": float("nan")}, "`tie_probability` must be a finite number from 0 to 1; got nan"),
        ({"absent_share": 1}, "`absent_share` must be at least 0 and below 1; got 1"),
        ({"n_grades": 0}, "`n_grades` must be a whole number of at least 1; got 0"),
        ({"relevant_share": 0}, "`relevant_share` must be above 0 and at most 1; got 0"),
    ],
)
def test_make_ranked_lists_rejects_invalid_parameters(arguments, message):
    with pytest.raises(ValueError) as caught:
        make_ranked_lists(**arguments)
    assert message in str(caught.value)
