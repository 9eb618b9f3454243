"""Pairwise methods process stacks of queries with bitwise the same results as single queries."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import oracles
from skrankagg import Agglomerative, Minimax, Outranking, PreferenceRelations, RankedLists, RankedPairs, Schulze
from skrankagg._arrays import _pairwise, _rank_stacks
from skrankagg._arrays._ordinal_codes import dense_codes, ordered_bits, span_codes
from skrankagg._arrays._preferences import n_rows_above
from skrankagg._arrays._weight_units import count_in_units
from skrankagg.aggregators import locked_pairs, widest_paths
from skrankagg.aggregators._majorities import _cycles

pytestmark = pytest.mark.twice

#: Weights of the voters: whole numbers, tenths, without a common unit, some 0, all of them far from 1.
WEIGHTS = {
    "none": lambda rng, m: np.ones(m),
    "whole": lambda rng, m: rng.integers(1, 4, m).astype(float),
    "tenths": lambda rng, m: rng.integers(1, 4, m) / 10,
    "roots": lambda rng, m: np.sqrt(rng.integers(2, 9, m)),
    "zeros": lambda rng, m: rng.integers(0, 2, m) * 1.5,
    "tiny": lambda rng, m: rng.random(m) * 1e-9,
}
PROFILES = {
    "seed": st.integers(0, 10**6),
    "weights": st.sampled_from(sorted(WEIGHTS)),
    "dense": st.booleans(),
    "n_cells": st.sampled_from([1, 100, _pairwise._CACHED_CELLS]),
}


def profile(seed, weights):
    """Draw queries of different sizes with partial lists, with and without ties."""
    rng = np.random.default_rng(seed)
    rows, ties = [], rng.random() < 0.7
    for q in range(rng.integers(1, 7)):
        n, m = rng.integers(1, 8), rng.integers(1, 7)
        for v, weight in enumerate(WEIGHTS[weights](rng, m)):
            chosen = rng.permutation(n)[: rng.integers(1, n + 1)]
            rank = rng.integers(1, n + 1, len(chosen)) if ties else np.arange(1, len(chosen) + 1)
            rows += [(q, v, i, r, weight) for i, r in zip(chosen, rank, strict=True)]
    return RankedLists.from_frame(pd.DataFrame(rows, columns=["query", "voter", "item", "rank", "weight"]))


def by_query(lists):
    """Yield ranks of each query, (n_lists, n_items), infinity for absent items, and weights."""
    for q in range(lists.n_queries):
        first, last, start = lists.list_ptr[q], lists.list_ptr[q + 1], lists.candidate_ptr[q]
        ranks = np.full((last - first, lists.query_n_items[q]), np.inf)
        rows = slice(lists.row_ptr[first], lists.row_ptr[last])
        ranks[lists.row_list[rows] - first, lists.candidate[rows] - start] = lists.rank[rows]
        yield ranks, lists.list_weight[first:last]


def scores(method, lists, dense, n_cells, hook="_aggregate", *args):
    with pytest.MonkeyPatch.context() as patch:
        if dense:
            patch.setattr(_pairwise, "is_dense", lambda lists, constant=None: np.ones(lists.n_queries, dtype=bool))
        patch.setattr(_pairwise.query_blocks, "__defaults__", (None, n_cells))
        return getattr(method, hook)(lists, *args)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", [Schulze, RankedPairs, Minimax])
@given(strength=st.sampled_from(["margin", "votes"]), absent=st.sampled_from(["last", "ignore"]), **PROFILES)
@settings(max_examples=60, deadline=None)
def test_cycle_rules_on_stacks_equal_the_oracle(rule, strength, absent, seed, weights, dense, n_cells):
    lists = profile(seed, weights)
    oracle = getattr(oracles, {Schulze: "schulze", RankedPairs: "ranked_pairs", Minimax: "minimax"}[rule])
    expected = [oracle(*query, strength, absent) for query in by_query(count_in_units(lists)[0])]
    found = scores(rule(strength=strength, absent=absent), lists, dense, n_cells)
    np.testing.assert_array_equal(found, np.concatenate(expected))


THRESHOLDS = [
    {},
    {"both_absent": "ignore"},
    {"preference": 1, "veto": 2, "concordance": 0.6, "discordance": 1},
    {"preference": 0.2, "veto": 0.5, "concordance": 1, "discordance": 0.4, "both_absent": "ignore"},
]


@pytest.fixture(params=["stacks", "one by one"])
def in_stacks(request, monkeypatch):
    """Compare all queries together with others, or each by itself."""
    together = request.param == "stacks"
    for module in ("_majorities._outranking", "_weighted._preference_relations", "_weighted._agglomerative"):
        name = f"skrankagg.aggregators.{module}.is_small"
        monkeypatch.setattr(name, lambda lists: np.full(lists.n_queries, together))


NOT_RESET = [HealthCheck.function_scoped_fixture]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("thresholds", THRESHOLDS, ids=str)
@given(**PROFILES)
@settings(max_examples=40, deadline=None, suppress_health_check=NOT_RESET)
def test_outranking_on_stacks_equals_the_oracle(in_stacks, thresholds, seed, weights, dense, n_cells):
    lists, method = profile(seed, weights), Outranking(**thresholds)
    expected = [oracles.net_outranking(*query, method) for query in by_query(method._count_lists(lists))]
    np.testing.assert_array_equal(scores(method, lists, dense, n_cells), np.concatenate(expected))


@given(alpha=st.sampled_from([0.1, 0.34, 0.5]), beta=st.sampled_from([0, 0.5, 0.8]), **PROFILES)
@settings(max_examples=60, deadline=None, suppress_health_check=NOT_RESET)
def test_preference_relations_weights_on_stacks_equal_the_oracle(in_stacks, alpha, beta, seed, weights, dense, n_cells):
    lists = profile(seed, weights)
    expected = [oracles.relation_weights(*query, alpha, beta) for query in by_query(lists)]
    found = scores(PreferenceRelations(alpha=alpha, beta=beta), lists, dense, n_cells, "_voter_weights")
    np.testing.assert_array_equal(found, np.concatenate(expected))


@given(**PROFILES)
@settings(max_examples=60, deadline=None, suppress_health_check=NOT_RESET)
def test_agglomerative_on_stacks_equals_the_oracle(in_stacks, seed, weights, dense, n_cells):
    lists, method = profile(seed, weights), Agglomerative(unknown_voter="ignore")
    found = scores(method, lists, dense, n_cells, "_voter_weights")
    expected = [oracles.agreement_weights(ranks) for ranks, _ in by_query(lists)]
    np.testing.assert_array_equal(found, np.concatenate(expected))
    # Lists of weight 0 are those of ignored voters; some are left in each query.
    lists = lists.with_list_weight(
        np.where(lists.sum_over_lists(lists.list_weight)[lists.list_query], lists.list_weight, 1)
    )
    score = scores(method, lists, dense, n_cells, "_aggregate_weighted", found, None)
    expected = [
        oracles.merged_scores(ranks[weight > 0], own[weight > 0], method._merge)
        for (ranks, weight), own in zip(by_query(lists), np.split(found, lists.list_ptr[1:-1]), strict=True)
    ]
    np.testing.assert_array_equal(score, np.concatenate(expected))


def equal_sizes(counts):
    """Return queries of three items with twice the given number of lists."""
    rows = [(q, v, v % 2 + r, r) for q, n in enumerate(counts) for v in range(2 * n) for r in (1, 2)]
    return RankedLists.from_frame(pd.DataFrame(rows, columns=["query", "voter", "item", "rank"]))


def test_is_small_excludes_a_query_of_many_lists():
    lists = equal_sizes([100] + 19 * [1])
    assert np.flatnonzero(~_rank_stacks.is_small(lists)).tolist() == [0]
    assert not _rank_stacks.is_small(lists[:1]).any()


def test_query_blocks_limits_the_number_of_cells():
    lists = equal_sizes([1 + k % 5 for k in range(40)])
    blocks = list(_pairwise.query_blocks(lists, n_cells=60))
    assert sorted(np.concatenate(blocks)) == list(range(40))
    sizes = [3 * np.maximum(3, np.diff(lists.list_ptr)[block]).sum() for block in blocks]
    assert max(sizes) < 60 + 3 * 10 and len(blocks) > 10


# Numbers that one byte holds, that two bytes hold, and that are not whole; few of them, or many.
NUMBERS = {
    "byte": lambda rng, shape: rng.integers(-100, 100, shape),
    "two bytes": lambda rng, shape: rng.integers(0, 60_000, shape),
    "few apart": lambda rng, shape: 250 * rng.integers(-100, 100, shape),
    "far apart": lambda rng, shape: rng.integers(0, 2**40, shape),
    "fractions": lambda rng, shape: rng.integers(-5, 6, shape) / 7,
    "infinite": lambda rng, shape: rng.choice([-np.inf, -1.5, -0.0, 0.0, np.inf], shape),
}


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(NUMBERS)), n=st.integers(1, 20))
@settings(max_examples=60, deadline=None)
def test_order_codes_preserve_order_and_equality(seed, kind, n):
    value = NUMBERS[kind](np.random.default_rng(seed), (n, 3, n)).astype(float)
    same, less = value[..., None] == value[:, :1, :1, None], value[..., None] < value[:, :1, :1, None]
    for codes, values in filter(None, (span_codes(value), dense_codes(value), (ordered_bits(value), None))):
        np.testing.assert_array_equal(codes[..., None] == codes[:, :1, :1, None], same)
        np.testing.assert_array_equal(codes[..., None] < codes[:, :1, :1, None], less)
        if values is not None:
            np.testing.assert_array_equal(values[codes], value)
    assert (span_codes(value) is not None) == (kind in ("byte", "two bytes", "few apart")) or n < 4


@given(seed=st.integers(0, 10**6), kind=st.sampled_from(sorted(NUMBERS)), n=st.integers(1, 70))
@settings(max_examples=60, deadline=None)
def test_widest_paths_and_locked_pairs_equal_the_oracle(seed, kind, n):
    rng = np.random.default_rng(seed)
    strength, second = (NUMBERS[kind](rng, (n, n)).astype(float) for _ in range(2))
    strength[rng.random((n, n)) < 0.3] = 0
    np.testing.assert_array_equal(widest_paths(strength), oracles.widest(strength))
    arcs = np.maximum(strength, 0)  # some items lead to themselves
    np.testing.assert_array_equal(locked_pairs(arcs), oracles.locked(arcs))
    np.testing.assert_array_equal(locked_pairs(arcs, second), oracles.locked(arcs, second))


@pytest.mark.parametrize("n", [1, 5, 6, 23])
def test_widest_paths_in_strips_of_rows_equal_the_oracle(n, monkeypatch):
    monkeypatch.setattr(_cycles, "_CACHED_BYTES", 0)
    monkeypatch.setattr(_cycles, "_ROWS", 6)
    rng = np.random.default_rng(n)
    for kind in NUMBERS:
        strength = NUMBERS[kind](rng, (n, n)).astype(float)
        strength[rng.random((n, n)) < 0.6] = 0
        np.testing.assert_array_equal(widest_paths(strength), oracles.widest(strength))
    stack = rng.integers(0, 9, (n, n, 3)).astype(np.uint8)
    expected = np.stack([_cycles._widen(stack[..., k].copy()) for k in range(3)], axis=-1)
    np.testing.assert_array_equal(_cycles._widen(stack), expected)


def test_widest_paths_propagates_nan():
    strength = np.array([[0.0, np.nan, 1.0], [2.0, 0.0, 3.0], [4.0, 5.0, 0.0]])
    np.testing.assert_array_equal(widest_paths(strength), oracles.widest(strength))


@given(seed=st.integers(0, 10**6), dtype=st.sampled_from([np.uint8, np.uint16, np.uint64]), width=st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_n_rows_above_compares_rows_lexicographically(seed, dtype, width):
    rows = np.random.default_rng(seed).choice(np.array([0, 1, 2, 255], dtype=dtype), (3, 6, width))
    rows[0] *= dtype(rows.dtype.itemsize)
    tuples = [[tuple(row) for row in matrix.tolist()] for matrix in rows]
    expected = [[sum(other > mine for other in matrix) for mine in matrix] for matrix in tuples]
    np.testing.assert_array_equal(n_rows_above(rows), expected)
