"""The published order, by score, tiebreaker, support and id, compared with loops."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg import RankedLists
from skrankagg.base import Consensus
from skrankagg.base._consensus import best_items, order_candidates, rank_scores, rank_sums, sole_lists_again
from skrankagg.utils.estimator_checks import example_lists


def in_classes(members, value, tolerance):
    """Return classes of members by descending value; neighbours in a class differ by at most the tolerance."""
    classes = []
    for member in sorted(members, key=lambda member: -value[member]):
        last = classes[-1][-1] if classes else None
        if last is None or (value[last] != value[member] and value[last] - value[member] > tolerance):
            classes.append([])
        classes[-1].append(member)
    return classes


def separated_by_source(upper, lower, source):
    """Return whether the only source of some member of each side keeps their unequal scores from being a tie."""
    for a, b in itertools.product(source[upper], source[lower]):
        if a == b >= 0 or (a == -2 and b != -1) or (b == -2 and a != -1):
            return True
    return False


def ranked(members, score, support, total, scale, source, tiebreak):
    """Return the members of one group, best first, and their scores."""
    size = np.abs(score) if scale is None else scale
    largest = max([size[member] for member in members if np.isfinite(size[member])], default=0.0)
    classes = []
    for run in in_classes(members, score, 0.0):
        close = classes and score[classes[-1][-1][-1]] - score[run[0]] <= 1e-12 * largest
        if close and not (source is not None and any(separated_by_source(upper, run, source) for upper in classes[-1])):
            classes[-1].append(run)
        else:
            classes.append([run])
    order, scores = [], []
    for runs in classes:
        equal = [sorted(itertools.chain.from_iterable(runs))]
        if tiebreak is not None:
            most = 1e-12 * max(abs(tiebreak[member]) for member in members)
            equal = [part for one in equal for part in in_classes(one, tiebreak, most)]
        equal = [part for one in equal for part in in_classes(one, support, 1e-12 * total)]
        order += [member for one in equal for member in sorted(one)]
        scores += [score[runs[0][0]]] * sum(map(len, runs))
    return order, scores


def nearly(rng, n, values):
    """Draw from a few values, most of them with rounding errors."""
    return rng.choice(values, n) * (1 + rng.integers(-1, 2, n) * rng.choice([0, 1e-14, 1e-10]))


@given(seed=st.integers(0, 10**9))
@settings(max_examples=400, deadline=None)
def test_group_order_with_ties_equals_a_loop_over_members(seed):
    rng = np.random.default_rng(seed)
    length = rng.integers(1, 9, rng.integers(1, 5))
    ptr, n = np.concatenate([[0], np.cumsum(length)]), int(length.sum())
    score = nearly(rng, n, [0.0, 1.0, 2.0, -2.0, 3.0] + [np.inf, -np.inf] * rng.integers(2)) * rng.choice([1.0, 1e-3])
    support, total = nearly(rng, n, [0.0, 1.0, 2.0]), rng.integers(2, 5, len(length)) * 1.0
    scale = None if rng.random() < 0.5 else np.abs(score) * rng.choice([1.0, 100.0])
    source = None if rng.random() < 0.3 else rng.integers(-2, rng.integers(1, 5), n)
    tiebreak = None if rng.random() < 0.5 else nearly(rng, n, [-3.0, 1.0, 2.0])
    order, found = rank_scores(
        ptr,
        score,
        support,
        total,
        None if scale is None else scale.copy(),
        None if source is None else lambda: source,
        tiebreak,
    )
    for g in range(len(length)):
        expected = ranked(range(ptr[g], ptr[g + 1]), score, support, total[g], scale, source, tiebreak)
        assert order[ptr[g] : ptr[g + 1]].tolist() == expected[0]
        assert found[ptr[g] : ptr[g + 1]].tolist() == expected[1]


@given(seed=st.integers(0, 10**6), additive=st.booleans(), silent=st.booleans())
@settings(max_examples=150, deadline=None)
def test_candidate_order_equals_a_loop_over_the_lists(seed, additive, silent):
    rng = np.random.default_rng(seed)
    frame = example_lists(seed, n_queries=int(rng.integers(1, 4)), n_voters=3, n_items=7)
    weight = {f"v{v}": rng.choice([0.0, 1.0, 0.5] if silent else [1.0]) for v in range(3)}
    lists = RankedLists.from_frame(frame.assign(weight=frame["voter"].map(weight)))
    score = nearly(rng, lists.n_candidates, [1.0, 2.0, 3.0])
    source = np.full(lists.n_candidates, -2)
    for row in range(lists.n_rows):
        if lists.list_weight[lists.row_list[row]] > 0:
            own = lists.candidate[row]
            source[own] = lists.row_list[row] if source[own] == -2 else -1
    order, found = order_candidates(lists, score, additive=additive)
    for q in range(lists.n_queries):
        own = range(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
        total = lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]].sum()
        sources = source if additive else None
        expected = ranked(own, score, lists.candidate_weight, total, None, sources, None)
        assert order[own.start : own.stop].tolist() == expected[0]
        assert found[own.start : own.stop].tolist() == expected[1]


@pytest.mark.exhaustive
@given(seed=st.integers(0, 10**6), additive=st.booleans(), top=st.sampled_from([None, 1, 3]))
@settings(max_examples=400, deadline=None)
def test_best_items_equals_the_order_of_the_published_consensus(seed, additive, top):
    rng = np.random.default_rng(seed)
    frame = example_lists(seed, n_queries=1, n_voters=3, n_items=7)
    weight = dict(zip(["v0", "v1", "v2"], nearly(rng, 3, [0.0, 0.3, 0.3]) * rng.choice([1.0, 1e-13]), strict=True))
    lists = RankedLists.from_frame(frame.assign(weight=frame["voter"].map(weight)) if seed % 3 else frame)
    score = nearly(rng, lists.n_candidates, [0.5, 1.0, 2.0] + [np.inf, -np.inf] * rng.integers(2))
    score *= rng.choice([1.0, 1e-3])
    scale = None if rng.random() < 0.5 else np.abs(nearly(rng, lists.n_candidates, [0.0, 1.0, 100.0]))
    order, expected = order_candidates(lists, score, None if scale is None else scale.copy(), additive)
    ids = [f"i{k}" for k in range(lists.n_candidates)]
    found = best_items(lists, ids, Consensus(score, scale=scale, additive=additive), top)
    assert found == [(ids[one], value) for one, value in zip(order, expected.tolist(), strict=True)][:top]
    if scale is None and not additive:
        assert best_items(lists, ids, score, top) == found


@pytest.mark.parametrize("seed", range(8))
def test_sole_list_finds_the_only_list_of_an_item_under_each_weight(seed):
    rng = np.random.default_rng(seed)
    lists = RankedLists.from_frame(example_lists(seed, n_queries=3, n_voters=4, n_items=9))
    weight = rng.choice([0.0, 0.5, 2.0], (lists.n_lists, 5))
    expected = np.full((lists.n_candidates, 5), -2)
    for item, column in itertools.product(range(lists.n_candidates), range(5)):
        holding = lists.row_list[(lists.candidate == item) & (weight[lists.row_list, column] > 0)]
        if len(holding):
            expected[item, column] = holding[0] if len(holding) == 1 else -1
    np.testing.assert_array_equal(sole_lists_again(lists)(weight), expected)
    assert (expected == -2).any() and (expected >= 0).any()


@pytest.mark.parametrize("seed", range(8))
def test_rank_sums_equals_a_loop_over_the_lists(seed):
    rng = np.random.default_rng(seed)
    lists = RankedLists.from_frame(example_lists(seed, n_queries=3, n_voters=4, n_items=6))
    weight = rng.integers(0, 4, (lists.n_lists, 3)) * 1.0
    expected = np.zeros((lists.n_candidates, 3))
    for v in range(lists.n_lists):
        q, rows = lists.list_query[v], slice(lists.row_ptr[v], lists.row_ptr[v + 1])
        own = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
        n, length = own.stop - own.start, lists.list_length[v]
        rank = np.full(n, np.mean(np.arange(length + 1, n + 1)) if length < n else np.nan)
        rank[lists.candidate[rows] - own.start] = lists.rank[rows]
        expected[own] -= rank[:, None] * weight[v]
    np.testing.assert_array_equal(rank_sums(lists, weight), expected)
    np.testing.assert_array_equal(rank_sums(lists, weight[:, 0]), expected[:, 0])
