"""Repeated aggregation under many weights is bitwise equal to aggregating anew."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from skrankagg import DIBRA, MarkovChain, PlackettLuce, RankedLists, ReciprocalRankFusion, RobustRankAggregation
from skrankagg._arrays import _pairwise, _places
from skrankagg._arrays._list_distances import LIST_DISTANCES, consensus_places
from skrankagg._kernels import majority_walks
from skrankagg.aggregators import CombSUM
from skrankagg.aggregators._markov import _many_draws, _markov_chain
from skrankagg.aggregators._markov._chains import CHAINS
from skrankagg.aggregators._order_statistics import _rho_of_draws
from skrankagg.aggregators._weighted import _dibra
from skrankagg.aggregators._weighted._voter_scales import scale_weights
from skrankagg.base import BaseAggregator
from skrankagg.base._consensus import order_candidates
from skrankagg.utils.discovery import all_aggregators, default_methods
from skrankagg.utils.estimator_checks import example_lists

pytestmark = pytest.mark.twice

REPEATING = [
    method
    for _, method in default_methods()
    # A model starts from its previous solution and is only accurate to its tolerance.
    if type(method)._repeat is not BaseAggregator._repeat and not isinstance(method, PlackettLuce)
]
REPEATING.append(ReciprocalRankFusion(normalize=True))


def test_additive_methods_override_repeat():
    names = {type(method).__name__ for method in REPEATING}
    assert {"BordaCount", "CombMNZ", "CombSUM", "ReciprocalRankFusion", "SimpleBorda"} <= names


@pytest.mark.sampled(2)
@pytest.mark.parametrize("method", REPEATING, ids=repr)
def test_repeat_equals_aggregating_with_new_weights(method):
    for seed in range(5):
        lists = RankedLists.from_frame(example_lists(seed, n_queries=3, n_voters=6, n_items=12))
        rng = np.random.default_rng(seed)
        score = method._repeat(lists)
        for _ in range(10):
            weight = rng.choice([0.0, 0.1, 1.0, 2.5, 1 / 3], lists.n_lists)
            if getattr(method, "support", None) == "log":
                weight = np.ceil(weight)  # less than one list has a logarithm below 0, and is refused
            if method.__sklearn_tags__().aggregator_tags.integer_weights:
                weight = np.ceil(weight)
            np.testing.assert_array_equal(score(weight), BaseAggregator._repeat(method, lists)(weight))


MANY = [
    method for _, method in default_methods() if type(method).__sklearn_tags__(method).aggregator_tags.voter_weights
]
MANY.append(ReciprocalRankFusion(k={f"v{k}": 10 + k for k in range(6)}, normalize=True))
MANY.append(CombSUM(norm="z-score", absent_score="min"))


@pytest.mark.sampled(9)
@pytest.mark.parametrize("unit", [1.0, 0.3, 0.1 + 1e-9], ids=["whole", "with a unit", "without a unit"])
@pytest.mark.parametrize("method", MANY, ids=repr)
def test_repeat_many_equals_repeat(method, unit):
    if method.__sklearn_tags__().aggregator_tags.integer_weights and unit != 1.0:
        pytest.skip("its weights are whole numbers")
    frame = example_lists(3, n_queries=3, n_voters=6, n_items=9)
    lists = method._prepare(RankedLists.from_frame(frame))
    rng = np.random.default_rng(0)
    weights = unit * rng.multinomial(6, [1 / 6] * 6, size=(lists.n_lists, 4))[:, :, 0]
    if unit not in (1.0, 0.3):
        weights[0] += 1 / 3
    if getattr(method, "support", None) == "log":
        weights = np.ceil(weights)
    found, one = method._repeat_many(lists)(weights), method._repeat(lists)
    assert found.shape == (lists.n_candidates, 4)
    # Solving linear systems with weights in other units rounds in another way.
    rtol = 1e-11 if isinstance(method, MarkovChain) else 0.0
    for score, weight in zip(found.T, weights.T, strict=True):
        np.testing.assert_allclose(score, one(weight), rtol=rtol, atol=0.0)


@pytest.mark.parametrize("kernel", [True, False])
@pytest.mark.parametrize("few", [_rho_of_draws._FEW, 0], ids=["all", "needed"])
@pytest.mark.parametrize(
    "options", [{}, {"absent": "ignore"}, {"n_items": 50, "depth_share": 0.5}, {"exact": True}], ids=str
)
def test_robust_rank_aggregation_computes_draws_together(options, few, kernel, monkeypatch):
    monkeypatch.setattr(_rho_of_draws, "_HAS_KERNEL", kernel)
    monkeypatch.setattr(_rho_of_draws, "_FEW", few)
    monkeypatch.setattr(_rho_of_draws, "_CELLS", 200)
    method = RobustRankAggregation(**options)
    lists = method._prepare(RankedLists.from_frame(example_lists(5, n_queries=3, n_voters=7, n_items=12)))
    weights = np.random.default_rng(1).integers(0, 4, (lists.n_lists, 40)).astype(np.float64)
    weights[:, 0] = 0.0
    for scale in (1.0, 2.0**20):  # with so many lists, the draws are computed one by one
        if scale > 1 and options.get("exact"):
            continue
        expected = BaseAggregator._repeat_many(method, lists)(scale * weights)
        with monkeypatch.context() as patch:
            if scale == 1 and not options.get("exact"):
                patch.setattr(BaseAggregator, "_aggregate_what_fits", None)
            np.testing.assert_array_equal(method._repeat_many(lists)(scale * weights), expected)


def test_robust_rank_aggregation_computes_draws_one_by_one_if_there_are_too_many_probabilities(monkeypatch):
    method = RobustRankAggregation()
    lists = method._prepare(RankedLists.from_frame(example_lists(5, n_queries=2, n_voters=4, n_items=9)))
    weights = np.random.default_rng(1).integers(0, 3, (lists.n_lists, 6)).astype(np.float64)
    expected = method._repeat_many(lists)(weights)
    monkeypatch.setattr(_rho_of_draws, "_MOST", 12)  # more than the lists of a draw
    assert _rho_of_draws.RhoOfDraws(lists, lists.rank / 9, "last")(weights) == (None, None)
    np.testing.assert_array_equal(method._repeat_many(lists)(weights), expected)


@pytest.mark.parametrize("absent", ["last", "ignore"])
@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("cells", [_many_draws._CELLS, 1], ids=["whole", "in parts"])
def test_markov_chain_computes_draws_together(chain, absent, cells, monkeypatch):
    # The last query is solved draw by draw.
    frames = [example_lists(seed, n_queries=1, n_voters=6, n_items=4 + 3 * seed) for seed in range(3)]
    frame = pd.concat([one.assign(query=f"q{k}") for k, one in enumerate(frames)])
    method = MarkovChain(chain=chain, absent=absent)
    lists = method._prepare(RankedLists.from_frame(frame))
    assert _pairwise._has_ties(lists).any()
    weights = np.random.default_rng(0).integers(0, 4, (lists.n_lists, 7)).astype(np.float64)
    weights[:, 0] = 0.0  # all lists have weight 0
    expected = BaseAggregator._repeat_many(method, lists)(weights)
    monkeypatch.setattr(_many_draws, "_CELLS", cells)
    monkeypatch.setattr(_many_draws, "_SOLVED_CELLS", cells)
    for module in (_many_draws, _markov_chain):
        monkeypatch.setattr(module, "MOST_ITEMS", 9, raising=False)
    np.testing.assert_allclose(method._repeat_many(lists)(weights), expected, rtol=1e-11)
    monkeypatch.setattr(BaseAggregator, "_aggregate_what_fits", None)
    few = lists.take(np.flatnonzero(lists.query_n_items <= 9))
    assert 0 < few.n_queries < 3
    method._repeat_many(few)(weights[: few.n_lists])


@pytest.mark.parametrize("absent", ["last", "ignore"])
def test_markov_chain_walks_of_draws_equal_the_linear_systems(absent, monkeypatch):
    monkeypatch.setattr(_many_draws, "_HAS_KERNEL", True)
    failed = []

    def some_fail(*arguments):
        shares, converged = majority_walks(*arguments)
        failed.append((~converged).sum())
        converged[:2] = False
        return np.where(converged[:, None], shares, np.nan), converged

    for seed in range(12):
        lists = RankedLists.from_frame(example_lists(seed, n_queries=1, n_voters=6, n_items=5 + 2 * seed))
        counts = np.random.default_rng(seed).integers(0, 4, (lists.n_lists, 9)).astype(np.float32)
        if seed % 3 == 0:
            counts += 1  # so that all draws contain all items
        else:
            counts[:, 0] = 0
        arguments = lists, 0, CHAINS["mc4"], absent, (0.15, 0.5, 0.01)[seed % 3], counts
        ranks = _pairwise.rank_matrix(lists, 0)
        expected = _many_draws._solved(lists, 0, ranks, *arguments[2:])
        with monkeypatch.context() as patch:
            if seed % 2:
                patch.setattr(_many_draws, "majority_walks", some_fail)
            found = _many_draws.scores_of_draws(*arguments)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=0)
        np.testing.assert_array_equal(found == 0, expected == 0)
    assert sum(failed) <= 6  # of 54; walks with few jumps may take long


def test_markov_chain_computes_draws_of_long_walks_one_by_one(monkeypatch):
    lists = RankedLists.from_frame(example_lists(0, n_queries=1, n_voters=4, n_items=6))
    weights = np.random.default_rng(0).integers(1, 4, (lists.n_lists, 3)).astype(np.float64)
    for options in ({"ergodic_number": 0.0}, {"ergodic_number": 1.0}, {"tol": 1e-16}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            method = MarkovChain(chain="mct", absent="last", max_iter=50, **options)
            expected = BaseAggregator._repeat_many(method, lists)(weights)
            np.testing.assert_array_equal(method._repeat_many(lists)(weights), expected)


def test_repeat_many_is_vectorized_for_sums_and_majorities(monkeypatch):
    lists = RankedLists.from_frame(example_lists(n_queries=2))
    weights = np.ones((lists.n_lists, 3))
    monkeypatch.setattr(BaseAggregator, "_aggregate_what_fits", None)
    names = ("BordaCount", "CombMNZ", "CombSUM", "Condorcet", "Copeland", "Minimax", "RankedPairs", "Schulze")
    for name in (*names, "SimpleBorda", "ReciprocalRankFusion", "RankBiasedCentroid", "InverseSquareRank"):
        all_aggregators()[name]()._repeat_many(lists)(weights)


@pytest.mark.parametrize(
    ("small", "large"), [(64, 1024), (0, 1024), (0, 0)], ids=["insertion", "insertion if nearly sorted", "from scratch"]
)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_places_again_equals_the_places_of_the_consensus(small, large, seed):
    rng = np.random.default_rng(seed)
    lists = RankedLists.from_frame(example_lists(seed, n_queries=3, n_voters=4, n_items=9))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_places, "_SMALL", small)
        patch.setattr(_places, "_LARGE", large)
        places = _places.places_again(lists.candidate_ptr)
    for _ in range(4):
        # Ties, gaps that rounding explains and gaps that it does not, and infinite scores.
        score = rng.choice(
            [-2.0, 0.0, 1.0, 3.0, 1e-13, 1e300, -np.inf, np.inf][: rng.integers(2, 9)], lists.n_candidates
        )
        score *= 1 + rng.choice([0.0, 3e-13, -8e-13, 4e-12], lists.n_candidates)
        for value in (
            score,
            score * (1 + 1e-3 * (np.arange(len(score)) % 5 == 0)),
        ):  # another order, and nearly the same
            expected = consensus_places(lists, *order_candidates(lists, value))
            np.testing.assert_array_equal(places(value), expected)


def weights_of_one_query(method, lists):
    """Iterate one query by the definition, recomputing everything in each step."""
    weight = np.ones(lists.n_lists)
    for t in range(1, method.max_iter + 1):
        scaled = scale_weights(weight, lists.list_ptr, lists.list_weight, method.weight_norm)
        score = CombSUM(norm="borda")._aggregate(lists.with_list_weight(lists.list_weight * scaled)).score
        place = consensus_places(lists, *order_candidates(lists, score))
        growth = np.exp(-method.gamma * t * LIST_DISTANCES[method.distance](lists)(place))
        weight += growth
        if growth[lists.list_weight > 0].max() <= method.tol:
            break
    return weight


@pytest.mark.sampled(1)
@pytest.mark.filterwarnings("ignore::skrankagg.exceptions.UnequalLengthWarning")  # some lists are very short
@pytest.mark.parametrize("block", [1, 100, 1 << 15])
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("distance", sorted(LIST_DISTANCES))
def test_dibra_learns_queries_independently(monkeypatch, distance, share, block):
    monkeypatch.setattr(_dibra, "_BLOCK", block)
    monkeypatch.setattr(_dibra, "_SHARE", share)
    frame = example_lists(5, n_queries=12, n_voters=6, n_items=12)
    frame["weight"] = frame["voter"].map({"v0": 2.0, "v1": 0.0}).fillna(1.0)
    lists = RankedLists.from_frame(frame)
    method = DIBRA(distance=distance, tol=0.2)
    alone = [weights_of_one_query(method, one) for one in lists]
    np.testing.assert_array_equal(method.fit(lists).query_voter_weights_["weight"], np.concatenate(alone))
