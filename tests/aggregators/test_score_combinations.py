"""Score norms, the combinations of Fox and Shaw, and rank gains, compared with exact fractions."""

from math import log

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracles import ballots, combine, order
from skrankagg import (
    CombANZ,
    CombMAX,
    CombMED,
    CombMIN,
    CombMNZ,
    CombSUM,
    InverseSquareRank,
    RankBiasedCentroid,
    RankedLists,
    ReciprocalRankFusion,
    fuse,
)
from skrankagg._arrays._normalize import NORMS, SCORE_NORMS
from skrankagg.aggregators._scores import _comb_extremes
from skrankagg.exceptions import InputError
from skrankagg.utils.estimator_checks import example_lists

# Each method, its name in the oracle, and its power of the number of lists.
COMBINATIONS = {
    "sum": (CombSUM(), "gmnz", 0),
    "mnz": (CombMNZ(), "gmnz", 1),
    "gmnz": (CombMNZ(gamma=-2), "gmnz", -2),
    "anz": (CombANZ(), "gmnz", -1),
    "max": (CombMAX(), "max", 0),
    "min": (CombMIN(), "min", 0),
    "med": (CombMED(), "med", 0),
}


def query(seed, weights=(1.0,)):
    lists = example_lists(seed, n_queries=1)
    rng = np.random.default_rng(seed)
    lists["score"] = (lists["score"] - lists["score"].min() + 0.25).round(2)
    one_item = lists.iloc[:1].assign(voter="v9", score=0.5, rank=1)
    lists = pd.concat([lists, one_item], ignore_index=True)
    return lists.assign(weight=lists["voter"].map(lambda voter: weights[int(voter[1:]) % len(weights)])), rng


def agrees(consensus, expected, lists, weights):
    assert consensus["item"].tolist() == order(
        {item: round(float(score), 11) for item, score in expected.items()}, lists, weights
    )
    np.testing.assert_allclose(
        consensus["score"], [float(expected[item]) for item in consensus["item"]], rtol=1e-11, atol=1e-11
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", COMBINATIONS)
@given(
    seed=st.integers(0, 10**6),
    weights=st.sampled_from([(1.0,), (1.0, 2.0, 3.0), (0.5, 0.0, 0.25), (0.1, 0.2, 0.3)]),
    absent_score=st.sampled_from(["zero", "min"]),
)
# Four items score 5/14 under "borda": where they stand in one list, and what another gives items that it lacks.
@example(seed=212639, weights=(1.0,), absent_score="zero")
@settings(max_examples=12, deadline=None)
def test_score_combinations_equal_exact_fractions(name, norm, seed, weights, absent_score):
    method, how, gamma = COMBINATIONS[name]
    absent_score = absent_score if norm in SCORE_NORMS else "zero"
    frame, _ = query(seed, weights)
    lists, weight_of = ballots(frame)
    method = method.__class__(**method.get_params() | {"norm": norm, "absent_score": absent_score})
    expected = combine(lists, weight_of, norm, how, gamma=gamma, absent_score=absent_score)
    agrees(method.fit_transform(frame), expected, lists, weight_of)


@pytest.mark.parametrize("method", [CombMAX, CombMIN, CombMED])
def test_score_combinations_are_independent_of_blocks_of_queries(method, monkeypatch):
    # Queries of several numbers of lists.
    frames = [example_lists(k, n_queries=1, n_voters=2 + k * 3 % 5).assign(query=k) for k in range(8)]
    lists = RankedLists.from_frame(pd.concat(frames))
    lists = lists.with_list_weight(np.resize([1.0, 0.0, 2.0], lists.n_lists))
    estimator = method(norm="z-score", absent_score="min")
    whole = estimator.fit_transform(lists)
    for cells in (10, 60, 100):
        monkeypatch.setattr(_comb_extremes, "_CELLS", cells)
        pd.testing.assert_frame_equal(estimator.fit_transform(lists), whole)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 4)), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_combmed_treats_integer_weights_as_copies(votes):
    # Items tie in no list: a second item has the score that makes the scale 0 to 9 in each.
    copies = [score for score, weight in votes for _ in range(weight)]
    weighted = {f"v{k}": {"a": score, "top": 9, "low": 0.0 if score else -1} for k, (score, _) in enumerate(votes)}
    found = dict(fuse(weighted, CombMED(norm=None), weights={f"v{k}": weight for k, (_, weight) in enumerate(votes)}))
    assert found["a"] == np.median(copies)


def test_combmed_tolerates_rounding_of_half_weights():
    lists = {"u": {"a": 0.0, "b": 9.0}, "v": {"a": 1.0, "b": 9.0}, "w": {"a": 2.0, "b": 9.0}}
    for scale in (1, 0.1, 1 / 3, 1e-9):
        weights = {"u": scale * 0.1, "v": scale * 0.2, "w": scale * 0.3}
        assert dict(fuse(lists, CombMED(norm=None), weights=weights))["a"] == 1.5


@pytest.mark.parametrize("more", [1e-6, 1e-9])
def test_combmed_follows_a_voter_with_more_than_half_of_the_weight(more):
    lists = {"u": {"a": 0.0, "b": 9.0}, "v": {"a": 1.0, "b": 9.0}}
    for heavy, score in (("u", 0.0), ("v", 1.0)):
        weights = {"u": 1.0, "v": 1.0, heavy: 1 + more}
        assert dict(fuse(lists, CombMED(norm=None), weights=weights))["a"] == score


@pytest.mark.parametrize("absent_score", ["zero", "min"])
@pytest.mark.parametrize("kind", [CombMAX, CombMED, CombMIN])
def test_comb_extremes_give_score_0_if_no_list_has_a_positive_weight(kind, absent_score):
    lists = RankedLists.from_frame(example_lists(0, n_queries=2, n_voters=3, n_items=4))
    consensus = kind(absent_score=absent_score).fit_transform(lists.with_list_weight(np.zeros(lists.n_lists)))
    assert consensus["score"].tolist() == [0.0] * lists.n_candidates


def test_combmax_without_norm_compares_scores_exactly():
    # 1 and 1 + 1e-15 are two scores: nothing was computed that could have rounded.
    lists = {"u": {"a": 1.0, "b": 0.0, "c": 5.0}, "v": {"b": 1.0 + 1e-15, "a": 0.0, "c": 5.0}}
    assert [item for item, _ in fuse(lists, CombMAX(norm=None))] == ["c", "b", "a"]


def test_absent_score_min_needs_a_score_norm():
    with pytest.raises(InputError, match=r"absent_score='min' needs a norm that uses scores; norm='rank' uses ranks"):
        CombSUM(norm="rank", absent_score="min").fit(example_lists())
    with pytest.raises(InputError, match="absent_score='min' needs a norm that uses scores"):
        fuse([{"a": 1.0}], CombSUM(norm="borda", absent_score="min"))


@pytest.mark.parametrize("top", [0.0, -1.0])
def test_norm_max_rejects_lists_without_positive_scores(top):
    lists = {"u": {"a": 2.0, "b": 1.0, "c": -3.0}, "v": {"a": top, "b": top - 1, "c": top - 2}}
    with pytest.raises(InputError, match=r"norm='max' divides .* It is not above 0 for voter 'v' in query 'q'"):
        fuse(lists, CombSUM(norm="max"))


@pytest.mark.parametrize("norm", sorted(filter(None, SCORE_NORMS)))
@pytest.mark.parametrize("scale", [1e-200, 1e300])
def test_score_norms_handle_extreme_scales(norm, scale):
    frame, _ = query(3)
    expected = CombSUM(norm=norm).fit_transform(frame)
    found = CombSUM(norm=norm).fit_transform(frame.assign(score=frame["score"] * scale))
    assert found["item"].tolist() == expected["item"].tolist()
    np.testing.assert_allclose(found["score"], expected["score"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("norm", ["min-max", "z-score", "sum", "dbsf"])
def test_shift_invariant_norms_ignore_a_constant_offset(norm):
    frame, _ = query(5)
    found = CombSUM(norm=norm).fit_transform(frame.assign(score=frame["score"] - 100))
    pd.testing.assert_frame_equal(found, CombSUM(norm=norm).fit_transform(frame), check_exact=False, atol=1e-10)


def test_score_combinations_reject_overflow():
    lists = {"u": {"a": 1e-300, "b": -1e300}, "v": {"a": 1.0, "b": 0.5}}
    messages = {CombMAX: "outside the range of floating-point numbers", CombSUM: "must fit into float64"}
    for method, message in messages.items():
        with pytest.raises(InputError, match=message):
            fuse(lists, method(norm="max"))


def test_absent_score_min_ignores_lists_of_one_item():
    lists = {"u": {"a": 3.0, "b": 2.0}, "v": {"b": 9.0}}
    assert dict(fuse(lists, CombSUM())) == {"a": 1.0, "b": 1.0}
    assert dict(fuse(lists, CombSUM(absent_score="min"))) == {"a": 2.0, "b": 1.0}


# ---------------------------------------------------------------------- gains of the rank


def plain(weight=(1.0, 1.0, 1.0)):
    lists = {"u": ["a", "b", "c"], "v": ["b", "a", "d"], "w": ["b", "c"]}
    return {"lists": lists, "weights": dict(zip("uvw", weight, strict=True))}


def scores(aggregator, **options):
    return dict(fuse(**plain(**options), aggregator=aggregator))


def test_reciprocal_rank_fusion_accepts_k_by_voter():
    expected = {"b": 1 / 2 + 1 / 2 + 1 / 11, "a": 1 + 1 / 3, "c": 1 / 3 + 1 / 12, "d": 1 / 4}
    for k in ({"u": 0, "v": 1, "w": 10}, pd.Series({"w": 10, "v": 1, "u": 0})):
        assert scores(ReciprocalRankFusion(k=k)) == pytest.approx(expected)
    with pytest.raises(InputError, match=r"for every voter; got none for 1 of 3 voters. The first of them is 'v'"):
        scores(ReciprocalRankFusion(k={"u": 0, "w": 10}))
    with pytest.raises(InputError, match=r"`k` must be finite and at least 0; got -1 for 'v'"):
        scores(ReciprocalRankFusion(k={"u": 0, "v": -1, "w": 10}))


def test_reciprocal_rank_fusion_combines_k_with_weights_by_voter():
    lists = {"u": ["a", "b", "c"], "v": ["b", "a", "d"], "w": ["c", "d", "b"]}
    for k in (0, {"u": 0, "v": 0, "w": 0}):
        by_voter = fuse(lists, ReciprocalRankFusion(k=k, voter_weights={"u": 1, "v": 2, "w": 4}))
        assert by_voter == fuse(lists, ReciprocalRankFusion(k=k), weights={"u": 1, "v": 2, "w": 4})


@pytest.mark.parametrize("persistence", [-0.5, 0, 1, 1.5])
def test_rank_biased_centroid_rejects_persistence_outside_0_to_1(persistence):
    with pytest.raises(ValueError, match="'persistence' parameter"):
        scores(RankBiasedCentroid(persistence=persistence))


def test_reciprocal_rank_fusion_depth_gives_deeper_items_0():
    assert scores(ReciprocalRankFusion(k=0, depth=2)) == pytest.approx({"b": 2.5, "a": 1.5, "c": 0.5, "d": 0.0})
    tied = pd.DataFrame({"query": "q", "voter": "v", "item": list("abc"), "rank": [1, 2, 2]})
    assert ReciprocalRankFusion(k=0, depth=2).fit_transform(tied)["score"].tolist() == [1.0, 0.0, 0.0]


@given(seed=st.integers(0, 10**6), k=st.sampled_from([0, 60, {f"v{v}": float(v) for v in range(6)}]))
@settings(max_examples=20, deadline=None)
def test_reciprocal_rank_fusion_normalize_gives_shares_of_the_maximum(seed, k):
    frame = example_lists(seed, n_voters=6).assign(weight=lambda lists: lists["voter"].str[1:].astype(float))
    raw, share = (ReciprocalRankFusion(k=k, normalize=normalize).fit_transform(frame) for normalize in (False, True))
    assert share["item"].tolist() == raw["item"].tolist() and share["score"].max() <= 1 + 1e-12
    first = frame.assign(item="top", rank=0, score=99.0)[["query", "voter", "item", "rank", "score", "weight"]]
    with_top = pd.concat([first.drop_duplicates(["query", "voter"]), frame.assign(rank=frame["rank"] + 1)])
    found = ReciprocalRankFusion(k=k, normalize=True).fit_transform(with_top)
    np.testing.assert_allclose(found.loc[found["item"] == "top", "score"], 1.0)


def test_reciprocal_rank_fusion_normalize_gives_0_if_all_weights_are_0():
    assert set(scores(ReciprocalRankFusion(normalize=True), weight=(0.0, 0.0, 0.0)).values()) == {0.0}


def test_rank_biased_centroid_and_inverse_square_rank_equal_examples_by_hand():
    assert scores(RankBiasedCentroid(persistence=0.5), weight=(1.0, 2.0, 3.0)) == pytest.approx(
        {"b": 0.25 + 1.0 + 1.5, "a": 0.5 + 0.5, "c": 0.125 + 0.75, "d": 0.25}
    )
    weight = (1.0, 2.0, 3.0)
    sums = {"b": 0.25 + 2 + 3, "a": 1 + 0.5, "c": 1 / 9 + 0.75, "d": 2 / 9}
    held = {"b": 6, "a": 3, "c": 4, "d": 2}
    assert scores(InverseSquareRank(), weight=weight) == pytest.approx({item: held[item] * sums[item] for item in sums})
    for sigma in (0.0, 0.01, 1.0):
        assert scores(InverseSquareRank(support="log", sigma=sigma), weight=weight) == pytest.approx(
            {item: log(held[item] + sigma) * sums[item] for item in sums}
        )


def test_rank_biased_centroid_keeps_the_order_of_a_deep_list():
    items = [f"i{k:04d}" for k in range(2000)]
    assert [item for item, _ in fuse([items], RankBiasedCentroid())] == items


def test_inverse_square_rank_rejects_negative_logarithms():
    with pytest.raises(InputError, match=r"must be at least 1 - sigma; got 0.5 for 'd'. Multiply"):
        scores(InverseSquareRank(support="log"), weight=(1.0, 0.5, 1.0))
    assert scores(InverseSquareRank(support="log", sigma=0.5), weight=(1.0, 0.5, 1.0))["d"] == 0.0
    assert scores(InverseSquareRank(support="log"), weight=(1.0, 0.0, 1.0))["d"] == 0.0


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (InverseSquareRank(), True),
        (InverseSquareRank(support="log", sigma=0.5), True),
        (InverseSquareRank(support="log", sigma=0), False),
    ],
    ids=repr,
)
def test_unanimity_tag_of_rank_gains_depends_on_parameters(method, expected):
    assert method.__sklearn_tags__().aggregator_tags.unanimity == expected
    # One list ranks b above a; where the tag is not set, both have the score 0.
    found = method.fit_transform(RankedLists.from_lists({"v": ["b", "a"]}))
    assert (found["score"].nunique() == 2) == expected


@pytest.mark.parametrize("method", [CombMIN, CombMED])
def test_combmin_and_combmed_need_memory_for_values_of_absent_items(method):
    lists = RankedLists.from_lists({"u": {"a": 2.0, "b": 1.0}, "v": {"b": 2.0, "c": 1.0}})
    assert method(norm="min-max")._memory(lists) is None
    for options in ({"norm": "min-max", "absent_score": "min"}, {"norm": "borda"}):
        assert (method(**options)._memory(lists) >= 8 * 3 * 2).all()


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (CombMNZ(norm="min-max"), True),
        (CombMNZ(norm="z-score"), False),
        (CombMNZ(norm="z-score", absent_score="min"), False),  # a product with a negative sum falls as support grows
        (CombMNZ(norm="z-score", absent_score="min", gamma=0), True),
        (CombMNZ(norm="min-max", gamma=-1), False),
    ],
    ids=repr,
)
def test_unanimity_tag_of_comb_methods_depends_on_parameters(method, expected):
    assert method.__sklearn_tags__().aggregator_tags.unanimity == expected


@pytest.mark.parametrize("k", [0.0, 5.0, 60.0])
def test_linear_gains_reports_the_gain_of_a_first_place(k):
    lists = RankedLists.from_lists({"u": ["a", "b"], "v": ["b", "c"]})
    gain, _, first = ReciprocalRankFusion(k=k)._linear_gains(lists)
    assert first == pytest.approx(gain[lists.rank == 1].max()) == pytest.approx(1 / (k + 1))
