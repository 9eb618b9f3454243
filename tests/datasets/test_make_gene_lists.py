"""make_gene_lists: lengths, noise and truth follow their defined distributions."""

import math

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scipy.special import ndtr
from scipy.stats import kstest, norm

from skrankagg import RankedLists
from skrankagg.datasets import make_gene_lists
from skrankagg.metrics import evaluate, precision

SMALL = {"n_items": 300, "n_true": 40, "n_top": 10}


def test_make_gene_lists_returns_sorted_canonical_frames():
    lists, qrels, truth = make_gene_lists(3, **SMALL, random_state=0)
    assert lists.columns.tolist() == ["query", "voter", "item", "rank"] and lists["rank"].dtype == np.int64
    assert_frame_equal(lists, lists.sort_values(["query", "voter", "rank", "item"]).reset_index(drop=True))
    assert qrels.columns.tolist() == ["query", "item", "relevance"] and qrels["relevance"].dtype == np.int64
    assert_frame_equal(qrels, qrels.sort_values(["query", "item"]).reset_index(drop=True))
    assert qrels.groupby("query")["relevance"].value_counts().unstack().to_numpy().tolist() == [[30, 10]] * 3
    assert_frame_equal(truth.items[["query", "item"]], qrels[["query", "item"]])
    assert truth.voters.columns.tolist() == ["query", "voter", "ranked", "length", "noise"]
    names = [*(f"r{k:02d}" for k in range(1, 12)), *(f"u{k:02d}" for k in range(1, 22))]
    assert truth.voters["voter"].tolist() == names * 3
    assert (truth.voters["ranked"] == truth.voters["voter"].str.startswith("r")).all()
    sizes = lists.groupby(["query", "voter"]).size()
    assert sizes.tolist() == truth.voters["length"].tolist()
    encoded = RankedLists.from_frame(lists)
    assert encoded.n_queries == 3 and encoded.n_lists == 96 and encoded.n_rows == len(lists)


def test_make_gene_lists_ties_all_items_of_unranked_lists():
    lists, _, truth = make_gene_lists(2, **SMALL, random_state=1)
    for (_, voter), one in lists.groupby(["query", "voter"]):
        assert one["item"].is_unique
        expected = range(1, len(one) + 1) if voter.startswith("r") else [1] * len(one)
        assert one["rank"].tolist() == list(expected)
    assert truth.voters["length"].min() >= 2


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("preset", "n_ranked", "n_unranked", "ranked_length", "unranked_length"),
    [
        ("large-mixed", 11, 21, (5.3597, 1.8055), (3.4365, 1.6937)),
        ("large-ranked", 11, 0, (5.3597, 1.8055), None),
        ("small-mixed", 5, 5, (7.4141, 1.8634), (2.9905, 1.3390)),
        ("small-ranked", 5, 0, (7.4141, 1.8634), None),
    ],
)
def test_presets_have_the_list_lengths_of_the_study(preset, n_ranked, n_unranked, ranked_length, unranked_length):
    made = make_gene_lists(150, preset=preset, random_state=2)[2].voters
    for ranked, n, moments in ((True, n_ranked, ranked_length), (False, n_unranked, unranked_length)):
        length = made.loc[made["ranked"] == ranked, "length"].to_numpy()
        assert len(length) == 150 * n
        if n:
            mean, deviation = moments
            # The share of lists up to a length is within 4.5 standard deviations of the normal distribution's.
            for quantile in (0.1, 0.3, 0.5, 0.7, 0.9):
                bound = math.floor(math.exp(norm.ppf(quantile, mean, deviation)) + 2)
                share = norm.cdf(math.log(bound - 1), mean, deviation) if bound < 20_000 else 1.0
                assert (length <= bound).mean() == pytest.approx(share, abs=4.5 * math.sqrt(0.25 / len(length)))
            assert length.min() >= 2 and length.max() <= 20_000


def test_make_gene_lists_draws_log_normal_noise_with_heterogeneity_as_variance():
    for noise, heterogeneity in ((3.0, 1.0), (0.5, 3.0)):
        truth = make_gene_lists(100, **SMALL, noise=noise, heterogeneity=heterogeneity, random_state=3)[2]
        z = (np.log(truth.voters["noise"]) - math.log(noise)) / math.sqrt(heterogeneity)
        assert kstest(z, "norm").pvalue > 0.001
    equal = make_gene_lists(2, **SMALL, noise=2.0, heterogeneity=0, random_state=3)[2]
    assert equal.voters["noise"].tolist() == [2.0] * 64


def test_make_gene_lists_true_means_follow_the_curve():
    _, qrels, truth = make_gene_lists(2, random_state=4)
    for _, one in truth.items.groupby("query"):
        # Names are independent of places and of whether an item is true.
        assert abs(np.corrcoef(np.arange(1000), one["place"])[0, 1]) < 4.5 / math.sqrt(1000)
        assert one["item"].str[1:].astype(int).mean() == pytest.approx(10_000, abs=4.5 * 20_000 / math.sqrt(12_000))
        one = one.sort_values("place")
        assert one["place"].tolist() == list(range(1, 1001))
        curve = [0.1405463 * math.exp(-0.00990575 * k) + 0.06253942 for k in range(1, 1001)]
        np.testing.assert_allclose(one["mean"], 2 * np.array(curve) / curve[0], rtol=1e-14)
        assert one["mean"].iloc[0] == 2.0 and one["mean"].iloc[-1] == pytest.approx(0.6202, abs=1e-4)
    assert (qrels["relevance"] == np.where(truth.items["place"] <= 100, 2, 1)).all()


def test_make_gene_lists_orders_items_by_mean_and_noise():
    """With one list of all items, an item beats one of mean 0 with probability Phi(mu / (sigma sqrt(2)))."""
    lists, _, truth = make_gene_lists(
        60, n_items=400, n_true=3, n_top=1, n_ranked=4, n_unranked=0, noise=1.5, heterogeneity=0,
        ranked_length=(50, 0), random_state=5,
    )  # fmt: skip
    assert (truth.voters["length"] == 400).all()
    both = lists.merge(truth.items, on=["query", "item"])
    for place, one in both.groupby("place"):
        mean = one["mean"].iloc[0]
        beaten = (400 - one["rank"]) / 399  # 2 of the 399 others are true items, next to no difference
        expected = ndtr(mean / (1.5 * math.sqrt(2)))
        assert beaten.mean() == pytest.approx(expected, abs=4.5 * 0.29 / math.sqrt(240)), place


def test_make_gene_lists_without_noise_lists_the_best_items():
    lists, qrels, truth = make_gene_lists(
        **SMALL, noise=1e-9, heterogeneity=0, n_ranked=1, n_unranked=1, ranked_length=(math.log(8.5), 0),
        unranked_length=(math.log(8.5), 0), random_state=6,
    )  # fmt: skip
    first = truth.items.sort_values("place")["item"].tolist()[:10]
    assert lists.loc[lists["voter"] == "r1", "item"].tolist() == first
    assert lists.loc[lists["voter"] == "u1", "item"].tolist() == sorted(first)
    assert precision(lists[lists["voter"] == "r1"], qrels, k=10, relevance_threshold=2) == 1.0


def test_accuracy_of_gene_lists_equals_precision_at_the_highest_grade():
    _, qrels, truth = make_gene_lists(1, n_items=2000, random_state=7)
    places = truth.items.set_index("item")["place"]
    run = pd.DataFrame({"query": "q1", "item": places.sort_values(ascending=False).index, "rank": range(1, 1001)})
    found = evaluate({"backwards": run}, qrels, ["p(rel=2)@100", "p(rel=2)@950", "p@1000"]).loc["backwards"]
    assert found.tolist() == [0.0, 50 / 950, 1.0]


def test_make_gene_lists_absent_share_removes_unmeasured_items():
    """A list of l items contains the best of the items that its study measured."""
    options = {
        "n_items": 1000, "n_true": 100, "n_top": 10, "noise": 1e-9, "heterogeneity": 0, "n_ranked": 30,
        "n_unranked": 0, "ranked_length": (math.log(98.5), 0), "random_state": 8,
    }  # fmt: skip
    for absent, known in ((0.0, 1000), (0.5, 550), (0.999, 101), (1.0, 100)):
        lists, _, truth = make_gene_lists(20, absent_share=absent, **options)
        assert (truth.voters["length"] == 100).all()
        n_true = lists.merge(truth.items, on=["query", "item"]).groupby(["query", "voter"])["place"]
        # Without noise the true items are best, so the list contains all that were measured.
        share = n_true.size().sum() / (600 * 100)
        assert share == pytest.approx(known / 1000, abs=4.5 * math.sqrt(0.25 / 60_000))
        assert all(places.is_monotonic_increasing for _, places in n_true)


def test_make_gene_lists_keeps_other_draws_when_options_change():
    few, few_qrels, _ = make_gene_lists(2, **SMALL, random_state=9)
    many, many_qrels, _ = make_gene_lists(5, **SMALL, random_state=9)
    assert_frame_equal(few, many[many["query"].isin(["q1", "q2"])])
    assert_frame_equal(few_qrels, many_qrels[many_qrels["query"].isin(["q1", "q2"])])
    ranked, ranked_qrels, _ = make_gene_lists(2, preset="large-ranked", **SMALL, random_state=9)
    assert_frame_equal(ranked, few[few["voter"].str.startswith("r")].reset_index(drop=True))
    assert_frame_equal(ranked_qrels, few_qrels)
    absent = make_gene_lists(2, **SMALL, absent_share=0.3, random_state=9)[2]
    plain = make_gene_lists(2, **SMALL, random_state=9)[2]
    assert_frame_equal(absent.voters, plain.voters)
    quiet = make_gene_lists(2, **SMALL, noise=1, heterogeneity=4, random_state=9)[2]
    assert_frame_equal(quiet.voters.drop(columns="noise"), plain.voters.drop(columns="noise"))
    np.testing.assert_allclose(np.log(quiet.voters["noise"]), 2 * np.log(plain.voters["noise"] / 3), atol=1e-12)


def test_make_gene_lists_is_reproducible():
    seeds = 10, np.random.RandomState(10)
    first, again = (make_gene_lists(**SMALL, absent_share=0.2, random_state=seed) for seed in seeds)
    for one, other in zip([*first[:2], *first[2]], [*again[:2], *again[2]], strict=True):
        assert_frame_equal(one, other)
    assert not make_gene_lists(**SMALL, random_state=11)[0].equals(make_gene_lists(**SMALL, random_state=10)[0])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"preset": "0m"},
            "`preset` must be one of 'large-mixed', 'large-ranked', 'small-mixed', 'small-ranked'; got '0m'",
        ),
        ({"preset": "large-both"}, "got 'large-both'"),
        ({"preset": None}, "got None"),
        ({"n_queries": 0}, "`n_queries` must be a whole number of at least 1; got 0"),
        ({"n_items": 1.5}, "`n_items` must be a whole number of at least 2; got 1.5"),
        ({"n_items": 500}, "`n_true` must be a whole number from 1 to 500; got 1000"),
        ({"n_true": 50}, "`n_top` must be a whole number from 0 to 50; got 100"),
        ({"n_ranked": -1}, "`n_ranked` must be a whole number of at least 0; got -1"),
        ({"n_unranked": True}, "`n_unranked` must be a whole number of at least 0; got True"),
        ({"noise": 0}, "`noise` must be above 0; got 0"),
        ({"noise": math.inf}, "`noise` must be a finite number of at least 0; got inf"),
        ({"heterogeneity": -1}, "`heterogeneity` must be a finite number of at least 0; got -1"),
        ({"absent_share": 1.5}, "`absent_share` must be a finite number from 0 to 1; got 1.5"),
        ({"n_ranked": 0, "n_unranked": 0}, "at least one list"),
        ({"preset": "small-ranked", "n_ranked": 0}, "got 0 and 0. Raise one of them"),
        ({"ranked_length": 5}, "ranked_length` must be a pair (mean, standard deviation)"),
        ({"ranked_length": (5, -1)}, "standard deviation in `ranked_length` must be at least 0; got -1.0"),
        ({"unranked_length": (math.nan, 1)}, "`unranked_length` must be a list of finite numbers"),
    ],
)
def test_make_gene_lists_rejects_invalid_parameters(wrong, words):
    with pytest.raises(ValueError) as error:
        make_gene_lists(**wrong)
    assert words in str(error.value)
