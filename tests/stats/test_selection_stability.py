"""selection_stability, compared with exact fractions, single pairs and the jackknife, and interval coverage."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from skrankagg.stats import StabilityResult, selection_stability


def by_definition(matrix):
    """Compute Nogueira's index in exact fractions from the variances of the columns."""
    n, d = len(matrix), len(matrix[0])
    shares = [Fraction(sum(column), n) for column in zip(*matrix, strict=True)]
    observed = sum(Fraction(n, n - 1) * p * (1 - p) for p in shares) / d
    mean_share = Fraction(sum(map(sum, matrix)), n * d)
    return 1 - observed / (mean_share * (1 - mean_share))


def over_pairs(sets, index):
    values = [index(first, second) for first, second in combinations(sets, 2)]
    return sum(values) / len(values)


def matrices():
    return st.tuples(st.integers(2, 6), st.integers(2, 7)).flatmap(
        lambda shape: st.lists(
            st.lists(st.booleans(), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
        )
    )


@given(matrix=matrices())
@settings(max_examples=150, deadline=None)
def test_selection_stability_equals_nogueiras_definition(matrix):
    assume(0 < sum(map(sum, matrix)) < len(matrix) * len(matrix[0]))
    found = selection_stability(matrix)
    assert found.stability == pytest.approx(float(by_definition(matrix)), abs=1e-13)
    assert -1 / (len(matrix) - 1) - 1e-12 <= found.stability <= 1
    assert found.low <= found.stability <= found.high


@given(n=st.integers(2, 6), d=st.integers(2, 8), data=st.data())
@settings(max_examples=150, deadline=None)
def test_selection_stability_kuncheva_equals_its_definition_and_nogueira(n, d, data):
    k = data.draw(st.integers(1, d - 1))
    sets = [set(data.draw(st.permutations(range(d)))[:k]) for _ in range(n)]
    expected = over_pairs(sets, lambda a, b: Fraction(len(a & b) * d - k * k, k * (d - k)))
    kuncheva = selection_stability(sets, d, method="kuncheva")
    assert kuncheva.stability == pytest.approx(float(expected), abs=1e-13)
    assert kuncheva == selection_stability(sets, d)


@given(matrix=matrices())
@settings(max_examples=100, deadline=None)
def test_selection_stability_jaccard_equals_its_definition(matrix):
    sets = [{column for column, held in enumerate(row) if held} for row in matrix]
    assume(sum(not one for one in sets) < 2)
    expected = over_pairs(sets, lambda a, b: Fraction(len(a & b), len(a | b)))
    found = selection_stability(sets, method="jaccard")
    assert found.stability == pytest.approx(float(expected), abs=1e-13)
    assert np.isnan([found.std_error, found.low, found.high]).all() and found.n_items is None


def test_selection_stability_equals_an_example_by_hand():
    # Ten items; a and b in all three selections, c in two, d in one: p (1 - p) is 2/9 twice, times 3/2, over 10 items.
    # The mean size is 3, so that random selections have 3/10 * 7/10.
    found = selection_stability([["a", "b", "c"], ["c", "b", "a"], ["a", "b", "d"]], n_items=10)
    assert found.stability == pytest.approx(1 - (2 / 3 / 10) / 0.21)
    assert (found.n_selections, found.n_items, found.mean_size) == (3, 10, 3.0)
    # Pairs share 3, 2 and 2 items: Kuncheva's are 1, (20 - 9) / 21 twice; Jaccard's 1, 2/4 twice.
    assert found.stability == pytest.approx((1 + 2 * 11 / 21) / 3)
    jaccard = selection_stability([["a", "b", "c"], ["c", "b", "a"], ["a", "b", "d"]], method="jaccard")
    assert jaccard.stability == pytest.approx(2 / 3)


def test_selection_stability_is_1_for_equal_and_minus_1_for_opposite_selections():
    same = selection_stability([{1, 2, 3}] * 7, n_items=11)
    assert same == StabilityResult(1.0, 0.0, 1.0, 1.0, 7, 11, 3.0)
    assert selection_stability([[1, 0], [0, 1]]).stability == -1.0


def test_selection_stability_std_error_is_close_to_the_jackknife():
    # Leaving out one selection at a time estimates the same variance in another way.
    rng = np.random.default_rng(0)
    matrix = rng.random((300, 25)) < np.concatenate([np.full(6, 0.8), np.full(19, 0.15)])
    n = len(matrix)
    without = [selection_stability(np.delete(matrix, k, axis=0)).stability for k in range(n)]
    jackknife = np.sqrt((n - 1) / n * ((without - np.mean(without)) ** 2).sum())
    assert selection_stability(matrix).std_error == pytest.approx(jackknife, rel=0.02)


@given(matrix=matrices())
@settings(max_examples=60, deadline=None)
def test_selection_stability_std_error_equals_its_definition(matrix):
    # Nogueira, Sechidis and Brown (2018), theorem 7, in exact fractions.
    n, d = len(matrix), len(matrix[0])
    assume(0 < sum(map(sum, matrix)) < n * d)
    stability, share = by_definition(matrix), [Fraction(sum(column), n) for column in zip(*matrix, strict=True)]
    mean, influence = Fraction(sum(map(sum, matrix)), n * d), []
    for row in matrix:
        own = Fraction(sum(row), d)
        agreement = sum(p for p, held in zip(share, row, strict=True) if held) / d
        pull = stability / 2 * (2 * mean * own - own - mean + 1)
        influence.append((agreement - own * mean + pull) / (mean * (1 - mean)))
    centre = sum(influence) / n
    variance = Fraction(4, n**2) * sum((one - centre) ** 2 for one in influence)
    assert selection_stability(matrix).std_error == pytest.approx(float(variance) ** 0.5, abs=1e-12)


def test_stability_result_is_immutable():
    found = selection_stability([[1, 0], [0, 1]])
    with pytest.raises(FrozenInstanceError):
        found.stability = 1.0


def test_selection_stability_jaccard_accepts_one_item():
    assert selection_stability([{"a"}, {"a"}], n_items=1, method="jaccard").stability == 1.0


def test_selection_stability_interval_has_nominal_coverage():
    # Each item is selected by itself with its own probability, so that the stability of the procedure is known.
    rng = np.random.default_rng(1)
    p = np.concatenate([np.full(5, 0.9), np.full(5, 0.5), np.full(20, 0.1)])
    truth = 1 - (p * (1 - p)).mean() / (p.mean() * (1 - p.mean()))
    covered, repeat = 0, 600
    for _ in range(repeat):
        found = selection_stability(rng.random((50, len(p))) < p, confidence=0.9)
        covered += found.low <= truth <= found.high
    assert 0.86 <= covered / repeat <= 0.94  # 0.9, with a standard deviation of 0.012


def test_selection_stability_of_random_selections_has_mean_zero():
    rng = np.random.default_rng(2)
    found = [
        selection_stability(rng.permuted(np.tile(np.arange(12) < 4, (5, 1)), axis=1)).stability for _ in range(500)
    ]
    assert abs(np.mean(found)) < 0.02


def test_selection_stability_accepts_matrices_and_ids():
    matrix = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 0, 0]], dtype=bool)
    expected = selection_stability(matrix)
    as_ids = [np.flatnonzero(row) for row in matrix]
    names = [[f"x{k}" for k in row] for row in as_ids]
    for same in (
        matrix.astype(int),
        matrix.astype(float),
        matrix.tolist(),
        list(matrix),
        pd.DataFrame(matrix, columns=list("abcd")),
    ):
        assert selection_stability(same) == expected
    for same in (as_ids, [set(one) for one in names], names, map(frozenset, names), [one[::-1] for one in names]):
        assert selection_stability(same, n_items=4) == expected
    # Lists of 0 and 1 are ids where the number of items is given.
    assert selection_stability([[0, 1], [1, 0]], n_items=4).stability == 1.0
    assert selection_stability([[0, 1], [1, 0]]).stability == -1.0
    assert selection_stability(matrix, n_items=4) == expected
    with pytest.raises(ValueError, match="got 4 columns and n_items=3"):
        selection_stability(matrix, n_items=3)


def test_selection_stability_counts_unselected_items():
    sets = [{"a", "b"}, {"a", "c"}]
    values = [selection_stability(sets, n_items=n).stability for n in (3, 10, 1000)]
    assert values == sorted(values) and values[-1] < 0.5


@pytest.mark.parametrize(
    ("selections", "options", "message"),
    [
        ([{1}], {"n_items": 3}, "at least two selections; got 1"),
        ([{1}, {2}], {}, "needs `n_items`"),
        ([{1}, {2}], {"n_items": 0}, "whole number of at least 1; got 0"),
        ([{1}, {2}], {"n_items": True}, "whole number of at least 1; got True"),
        ([{1, 2}, {3}], {"n_items": 2}, "number of selected items, 3; got 2"),
        ([[1, 1], [2, 3]], {"n_items": 4}, "position 0 repeats 1"),
        ([set(), set()], {"n_items": 3}, "are all empty, so their stability is 0/0"),
        ([{1, 2}, {2, 1}], {"n_items": 2}, "contain all 2 items, so their stability is 0/0"),
        ([set(), set(), {1}], {"method": "jaccard"}, "got 2 empty"),
        ([{1}, {1, 2}], {"n_items": 5, "method": "kuncheva"}, "the sizes vary from 1 to 2 items"),
        ([{1}, {2}], {"n_items": 5, "method": "kunchewa"}, "did you mean 'kuncheva'"),
        ([{1}, {2}], {"n_items": 5, "confidence": 95}, "between 0 and 1, both excluded; got 95"),
        (np.ones((2, 3), dtype=bool), {"n_items": 4}, "3 columns and n_items=4"),
        (np.array([[0.2, 0.8], [0.1, 0.3]]), {}, "True and False"),
        (np.zeros(4, dtype=bool), {}, "1 dimension"),
    ],
)
def test_selection_stability_rejects_undefined_cases(selections, options, message):
    with pytest.raises(ValueError, match=message):
        selection_stability(selections, **options)


@pytest.mark.parametrize("selections", ["abc", {"a": 1}, 5, ["ab", "cd"], [1, 2], [{"a": 1}, {"b": 2}]])
def test_selection_stability_rejects_other_types(selections):
    with pytest.raises(TypeError, match=r"sets? or (sets or )?lists? of items"):
        selection_stability(selections, n_items=5)
