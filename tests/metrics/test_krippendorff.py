"""Krippendorff's alpha: published figures, a plain restatement, the package krippendorff, and the interval."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skrankagg.exceptions import InputError, InputTypeError
from skrankagg.metrics import krippendorff_alpha

# Krippendorff, "Computing Krippendorff's alpha-reliability", 2011, section C: four observers, twelve units.
PUBLISHED = pd.DataFrame(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
        [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
    ]
).T
MATRICES = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.sampled_from([None, 0, 1, 1, 2, 5]), min_size=n, max_size=n), min_size=1, max_size=7)
)


def plain_alpha(rows, level):
    """Compute alpha by loops over all pairs of ratings."""
    units = [[one for one in row if one is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    values = [one for unit in units for one in unit]
    if len(set(values)) < 2:
        return np.nan

    def place(one):
        return sum(other < one for other in values) + sum(other == one for other in values) / 2

    def apart(one, other):
        if level == "nominal":
            return float(one != other)
        return (one - other) ** 2 if level == "interval" else (place(one) - place(other)) ** 2

    n = len(values)
    observed = sum(sum(apart(*pair) for pair in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    return 1 - (n - 1) * observed / sum(apart(*pair) for pair in itertools.permutations(values, 2))


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorff_alpha_equals_the_published_figures(level, alpha):
    result = krippendorff_alpha(PUBLISHED, level=level)
    assert round(result.alpha, 3) == alpha and result.n_items == 11
    assert result.low < result.alpha < result.high <= 1


@settings(max_examples=60, deadline=None)
@given(MATRICES, st.sampled_from(["nominal", "ordinal", "interval"]))
def test_krippendorff_alpha_equals_loops_over_all_pairs(rows, level):
    found = krippendorff_alpha(rows, level=level, n_resamples=2).alpha
    assert found == pytest.approx(plain_alpha(rows, level), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_krippendorff_alpha_equals_the_package_krippendorff(level):
    krippendorff = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(0)
    for _ in range(20):
        ratings = rng.integers(0, 4, (30, 5)).astype(float)
        ratings[rng.random(ratings.shape) < 0.3] = np.nan
        expected = krippendorff.alpha(reliability_data=ratings.T, level_of_measurement=level)
        assert krippendorff_alpha(ratings, level=level, n_resamples=2).alpha == pytest.approx(expected, abs=1e-12)


def test_krippendorff_interval_covers_the_limit():
    # Two judges who both see the truth with probability .8, and guess otherwise: alpha is .64 in the limit.
    rng, hits = np.random.default_rng(1), 0
    for seed in range(60):
        truth = rng.integers(0, 2, (80, 1))
        ratings = np.where(rng.random((80, 2)) < 0.8, truth, rng.integers(0, 2, (80, 2)))
        result = krippendorff_alpha(ratings, n_resamples=200, random_state=seed)
        hits += result.low <= 0.64 <= result.high
    assert hits >= 52


def test_krippendorff_alpha_handles_ratings_without_information():
    for rows in ([["a", "a"], ["a", None]], [[1, None], [None, 2]]):
        result = krippendorff_alpha(rows)
        assert np.isnan([result.alpha, result.low, result.high]).all()
    assert np.isnan(krippendorff_alpha([[1, 2]]).low) and krippendorff_alpha([[1, 2]]).alpha == 0
    assert krippendorff_alpha([[1, 1], [2, 2]])[:3] == (1, 1, 1)
    names = pd.DataFrame({"Ann": ["x", "y", None], "Ben": ["x", "y", "y"]})
    assert krippendorff_alpha(names).alpha == 1


def test_krippendorff_alpha_rejects_other_ratings():
    with pytest.raises(InputTypeError, match="must be numbers if level='ordinal'; got 'a'"):
        krippendorff_alpha([["a", "b"]], level="ordinal")
    with pytest.raises(InputError, match="a row for each item and a column for each judge; got 1 dimension"):
        krippendorff_alpha([1, 2])
    with pytest.raises(InputError, match="must be finite"):
        krippendorff_alpha([[1, np.inf]], level="interval")
    with pytest.raises(InputError, match="`level` must be one of"):
        krippendorff_alpha([[1, 2]], level="ratio")
