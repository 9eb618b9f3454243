"""Results are independent of the scale of weights and scores; overflow raises an error."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from golden import GOLDEN
from skrankagg import (
    DIBRA,
    MAIC,
    BordaCount,
    CombSUM,
    Copeland,
    HodgeRank,
    InverseSquareRank,
    Kemeny,
    KwikSort,
    LocalKemenization,
    Minimax,
    PlackettLuce,
    PreferenceRelations,
    RankedPairs,
    RankStatistic,
    RobustRankAggregation,
    Schulze,
)
from skrankagg._arrays._weight_units import common_unit
from skrankagg.aggregators._order_statistics import _normalised_ranks
from skrankagg.datasets import make_mallows, make_ranked_lists
from skrankagg.exceptions import ExposureWarning, InputError

TAGS = [(one, get_tags(one).aggregator_tags) for one, *_ in GOLDEN]
WEIGHABLE = [one for one, tags in TAGS if tags.voter_weights and tags.scale_free]


def tie_classes(consensus):
    new = (consensus["score"] != consensus["score"].shift()) | (consensus["query"] != consensus["query"].shift())
    return list(zip(consensus["query"], consensus["item"], new, strict=True))


def weighted(seed, n_items=7):
    rng = np.random.default_rng(seed)
    frame = make_ranked_lists(
        n_queries=3, n_voters=5, n_items=n_items, list_length=n_items - 2, absent_share=0.1, random_state=seed
    )[0]
    weight = rng.integers(1, 4, 5) if seed % 2 else rng.random(5)
    frame["score"] += 5.0  # norms that divide by the greatest score need one above 0
    return frame.assign(weight=frame["voter"].map(dict(zip(sorted(frame["voter"].unique()), weight, strict=True))))


@pytest.mark.exhaustive
@pytest.mark.parametrize("method", WEIGHABLE, ids=repr)
def test_aggregators_are_independent_of_the_scale_of_weights(method):
    integers = get_tags(method).aggregator_tags.integer_weights
    # Each query has weights of its own; one call for all of them.
    frame = pd.concat(
        weighted(seed).assign(query=lambda lists, seed=seed: f"{seed}, " + lists["query"])
        for seed in ((1, 3, 5, 7, 9, 13, 23) if integers else (1, 3, 4, 5, 13, 14, 23))
    )
    expected = tie_classes(clone(method).fit_transform(frame))
    for factor in (3,) if integers else (0.1, 1e-12, 3, 2.0**-40):
        scaled = frame.assign(weight=frame["weight"] * factor)
        assert tie_classes(clone(method).fit_transform(scaled)) == expected, factor


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "method", [Kemeny(), Kemeny(consensus_ties="weak"), KwikSort(), Schulze(), RankedPairs(), Minimax()]
)
def test_kemeny_methods_select_the_same_order_at_each_weight_scale(method):
    # Four voters on twelve items: many draws, and many orders of equal cost.
    for seed in range(4):
        frame = make_mallows(n_items=12, n_voters=4, phi=1.0, random_state=seed)
        expected = clone(method).fit_transform(frame)
        for factor in (0.1, 1e-12, 3.0, 2.0**-40, 2.0**60):
            found, info = clone(method).aggregate(frame.assign(weight=factor))
            pd.testing.assert_frame_equal(found, expected)
        if isinstance(method, Kemeny):
            assert info["kemeny_score"][0] == 2.0**60 * clone(method).aggregate(frame)[1]["kemeny_score"][0]
            assert info["optimal"][0]


def test_majority_methods_add_tenths_exactly():
    # 0.1 + 0.2 against 0.3 is a draw.
    frame = pd.DataFrame(
        {"query": "q", "voter": list("uuvvww"), "item": list("ababba"), "rank": [1, 2] * 3, "weight": 0.1}
    )
    frame["weight"] = [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]
    for method in (Copeland(), Schulze(), Minimax(), KwikSort(), Kemeny()):
        assert method.fit_transform(frame)["score"].nunique() == 1, method


def test_common_unit_finds_the_largest_unit():
    assert common_unit(np.array([6.0, 4.0, 0.0])) == 2
    assert common_unit(np.array([0.1, 0.2, 0.1 * 7])) == pytest.approx(0.1)
    assert common_unit(np.array([2.0**60, 3 * 2.0**60])) == 2.0**60
    assert common_unit(np.zeros(2)) == 1
    # What differs by more than rounding has no common unit.
    assert common_unit(np.array([1.0, 1.0 + 1e-10])) == 1.0 + 1e-10
    assert common_unit(np.array([1.0, 2**0.5])) == 2**0.5


@pytest.mark.parametrize("method", [Schulze, RankedPairs, Minimax])
def test_cycle_rules_round_integers_above_2_to_53(method):
    # In floats the three sums of the same weights, in the order of the lists, are not equal.
    weights = {"u": 2.0**60, "v": 2.0**60 / 3 // 1, "w": 2.0**60 / 7 // 1}
    rows = []
    # a over b by u, v, w in this order; b over c in another; c over a in a third: three equal majorities.
    for k, (voters, pair) in enumerate((("uvw", "ab"), ("wvu", "bc"), ("vwu", "ca"))):
        for voter in voters:
            rows += [("q", f"{k}{voter}", item, rank, weights[voter]) for rank, item in enumerate(pair, 1)]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"])
    frame = frame.sample(frac=1, random_state=0)
    consensus = method(absent="ignore").fit_transform(frame)
    if method is RankedPairs:  # equal majorities are locked in the order of ids
        assert consensus["item"].tolist() == ["a", "b", "c"]
    else:
        assert consensus["score"].nunique() == 1


def test_round_changes_only_large_integer_matrices():
    from skrankagg.aggregators._majorities._cycles import _round

    large = np.array([[0.0, 2.0**60], [2.0**60 + 2**9, 0.0]])
    small = np.array([[0.0, 3.0], [2.0, 0.0]])
    rounded = _round(np.stack([large, small]))
    assert rounded[0, 0, 1] == rounded[0, 1, 0] == _round(large[None])[0, 0, 1]
    assert (rounded[1] == small).all()
    small = small[None]
    assert _round(small) is small


# ---------------------------------------------------------------------- DIBRA's cut lists


@pytest.mark.parametrize("prune", ["low", "wire"])
def test_dibra_prune_is_independent_of_the_scale_of_scores(prune):
    frame = weighted(2).drop(columns="weight")
    method = DIBRA(CombSUM(norm=None), prune=prune)
    expected = method.fit_transform(frame)
    assert expected["score"].nunique() > 12
    for factor in (1e-13, 2.0**-40, 3.0, 1e13):
        found = method.fit_transform(frame.assign(score=frame["score"] * factor))
        assert tie_classes(found) == tie_classes(expected)


@pytest.mark.parametrize(
    "inner", [PreferenceRelations(weighting="global"), LocalKemenization(DIBRA(weighting="global"))]
)
def test_dibra_rejects_an_aggregator_that_requires_fit(inner):
    for call in ("fit", "fit_transform", "aggregate"):
        with pytest.raises(InputError, match="must be a method that needs no fit"):
            getattr(DIBRA(inner), call)(weighted(0))
    DIBRA(PreferenceRelations()).fit(weighted(0))


# ---------------------------------------------------------------------- weights that count lists


@pytest.mark.parametrize(
    "method",
    [RankStatistic(), RankStatistic(statistic="median"), RobustRankAggregation(), LocalKemenization(RankStatistic())],
    ids=repr,
)
def test_rank_methods_reject_more_lists_than_floats_can_count(method):
    frame = weighted(1)
    for weight in (2.0**53, 2.0**62, 2.0**63, 1e300):
        with pytest.raises(InputError, match=r"at most 2\^53 lists in a query; got .* lists in query"):
            clone(method).fit_transform(frame.assign(weight=weight))
    items = clone(method).fit_transform(frame.assign(weight=1))["item"].tolist()
    if getattr(method, "statistic", "mean") in ("mean", "median") and isinstance(method, RankStatistic):
        assert clone(method).fit_transform(frame.assign(weight=2**50))["item"].tolist() == items


def test_rank_statistic_median_treats_weights_as_copies():
    rng = np.random.default_rng(0)
    for seed in range(10):
        frame = weighted(seed)
        weight = dict(zip(sorted(frame["voter"].unique()), rng.integers(0, 5, 5), strict=True))
        frame["weight"] = frame["voter"].map(weight)
        copies = [
            frame[frame["voter"] == voter].assign(voter=f"{voter}{k}", weight=1)
            for voter, w in weight.items()
            for k in range(w)
        ]
        if not copies:
            continue
        copied = RankStatistic(statistic="median").fit_transform(pd.concat(copies))
        heavy = RankStatistic(statistic="median", n_items=7).fit_transform(frame)
        kept = heavy.merge(copied[["query", "item"]])
        held = copied.merge(heavy[["query", "item"]])
        if held.groupby("query")["item"].nunique().eq(7).all():
            np.testing.assert_allclose(
                kept.sort_values(["query", "item"])["score"], held.sort_values(["query", "item"])["score"]
            )


@pytest.mark.parametrize(
    "method",
    [RankStatistic(statistic="stuart"), RobustRankAggregation(exact=True)],
    ids=repr,
)
def test_rank_methods_reject_too_many_copies_before_allocating(method, monkeypatch):
    frame = weighted(1)
    with pytest.raises(
        InputError, match=r"treats a list of weight w as w copies\. All copies together must have at most 16777216"
    ):
        clone(method).fit_transform(frame.assign(weight=1e9))
    expected = clone(method).fit_transform(frame.assign(weight=2))
    monkeypatch.setattr(_normalised_ranks, "_MOST_COPIES", 0)
    with pytest.raises(InputError, match="Give smaller weights"):
        clone(method).fit_transform(frame.assign(weight=40))
    # The number of unweighted lists is not limited.
    clone(method).fit_transform(frame.assign(weight=1))
    assert len(expected)


def test_depth_share_by_voter_rejects_too_many_copies():
    frame = weighted(1)
    share = dict.fromkeys(frame["voter"].unique(), 1.0) | {frame["voter"].iloc[0]: 0.9}
    with pytest.raises(InputError, match="depth_share for each voter treats a list of weight w as w copies"):
        RobustRankAggregation(depth_share=share, n_items=10).fit_transform(frame.assign(weight=1e9))


# ---------------------------------------------------------------------- weights at the end of the range

EXTREME = {
    "1e300": lambda n: np.full(n, 1e300),
    "up to 3e300": lambda n: np.resize([3e300, 1e300, 2e300], n),
    "one of 1e300": lambda n: np.append(1e300, np.ones(n - 1)),
    "one of 1e17": lambda n: np.append(1e17, np.ones(n - 1)),
    "one of 1e6": lambda n: np.append(1e6, np.ones(n - 1)),
    "1.7e308": lambda n: np.full(n, 1.7e308),
}
WITH_ERRORS = [PlackettLuce(std_errors="model"), PlackettLuce(std_errors="voters", absent="ignore")]


@pytest.mark.sampled(14)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore::RuntimeWarning")
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")
@pytest.mark.parametrize("name", EXTREME)
@pytest.mark.parametrize("method", [*[one for one, *_ in GOLDEN], *WITH_ERRORS], ids=repr)
def test_aggregators_return_finite_scores_or_an_error_for_extreme_weights(method, name):
    tags = get_tags(method).aggregator_tags
    if not tags.voter_weights or (tags.integer_weights and name == "one of 1e6"):  # a million lists take their time
        return
    frame = weighted(1)
    number = frame.groupby(["query", "voter"]).ngroup()
    frame["weight"] = EXTREME[name](number.max() + 1)[number]
    method = clone(method)
    if "max_iter" in method.get_params(deep=False):
        method.set_params(max_iter=30)  # few weights let a model converge
    try:
        found = method.fit_transform(frame)
    except InputError as error:
        assert str(error).count(". ") <= 1 and "weight" in str(error)
    else:
        assert np.isfinite(found["score"]).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("method", [InverseSquareRank(), MAIC(), PlackettLuce(), HodgeRank(absent="ignore")], ids=repr)
def test_error_for_extreme_weights_names_query_and_weights(method):
    pair = pd.DataFrame({"query": "r", "voter": list("uuvv"), "item": list("abba"), "rank": [1, 2] * 2, "weight": 1.0})
    chain = [
        ("q", "u", "a", 1),
        ("q", "u", "b", 2),
        ("q", "v", "b", 1),
        ("q", "v", "c", 2),
        ("q", "w", "c", 1),
        ("q", "w", "d", 2),
    ]
    frame = pd.DataFrame([(*row, 1e300 if row[1] != "v" else 1.0) for row in chain], columns=pair.columns)
    if isinstance(method, PlackettLuce):
        frame = weighted(1)[["query", "voter", "item", "rank"]].query("query == 'q1'").assign(query="q", weight=1.0)
        frame.loc[frame["voter"] == "v1", "weight"] = 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExposureWarning)
        with pytest.raises(InputError) as caught:
            clone(method).fit_transform(pd.concat([pair, frame], ignore_index=True))
        assert str(caught.value) == (
            f"Results of {method!r} must fit into floating-point numbers; query 'q' has too large or too small "
            "results, because its weights are from 1 to 1e+300. Choose weights closer to 1."
        )
        clone(method).fit_transform(pair)


def test_hodge_rank_logit_is_finite_for_large_weights():
    """Rounding can make the weight against an item slightly negative."""
    rng = np.random.default_rng(0)
    for absent in ("last", "ignore"):
        for _ in range(20):
            frame = weighted(1)
            weight = rng.random(5) * 1e17
            frame["weight"] = weight[frame["voter"].str[1:].astype(int) - 1]
            assert np.isfinite(HodgeRank(flow="logit", absent=absent).fit_transform(frame)["score"]).all()


def test_aggregators_reject_weights_whose_sum_overflows():
    frame = weighted(1).drop(columns="rank")
    frame["weight"] = np.where(frame["query"] == "q2", 1e308, 1.0)
    for method in (Copeland(), Kemeny(), DIBRA(), BordaCount()):
        with pytest.raises(
            InputError, match=r"query 'q2' has too large or too small results, because its weights are from 1e\+308"
        ):
            method.fit_transform(frame)
