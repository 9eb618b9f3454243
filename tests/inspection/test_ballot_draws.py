"""Distribution of the random draws of weighted lists."""

import numpy as np
import pytest
from scipy import stats

from skrankagg.inspection._draws import _draw_ballots, _poisson_counts


@pytest.mark.parametrize("n_ballots", [500, 1_400, 3_000])
def test_draws_of_ballots_follow_the_multinomial_distribution(n_ballots):
    """Counts of three groups of 160 lists occur as often as scipy.stats.multinomial expects, for each way to draw."""
    ballots = np.full(160, (n_ballots - 7) // 157, dtype=np.int64)
    ballots[:3] = 1, 2, 1
    ballots[-1] += n_ballots - ballots.sum()
    counts = _draw_ballots(np.random.default_rng(5), ballots, 20_000)
    assert counts.shape == (160, 20_000) and counts.flags.c_contiguous and (counts % 1 == 0).all()
    np.testing.assert_array_equal(counts.sum(axis=0), n_ballots)
    # Lists 0 and 2 in the first group, list 1 in the second group, all others in the third group.
    first, second = (counts[0] + counts[2]).astype(int), counts[1].astype(int)
    share = np.array([2, 2, n_ballots - 4]) / n_ballots
    pairs = [(a, b) for a in range(6) for b in range(6)]
    expected = 20_000 * stats.multinomial.pmf([(a, b, n_ballots - a - b) for a, b in pairs], n_ballots, share)
    found = np.array([np.sum((first == a) & (second == b)) for a, b in pairs])
    often = expected >= 5
    rest = 20_000 - expected[often].sum(), 20_000 - found[often].sum()
    assert stats.chisquare([*found[often], rest[1]], [*expected[often], rest[0]]).pvalue > 0.001


def test_poisson_counts_above_the_total_are_drawn_again():
    ballots = np.full(2, 5_000)
    mean = (ballots * (1 - 4 / np.sqrt(10_000)))[:, None]
    plain = np.random.default_rng(0).poisson(mean, size=(2, 200_000))
    above = plain.sum(axis=0) > 10_000
    assert 0 < above.sum() < 20  # four standard deviations above the mean
    counts = _poisson_counts(np.random.default_rng(0), ballots, 200_000)
    np.testing.assert_array_equal(counts[:, ~above], plain[:, ~above])
    assert (counts.sum(axis=0) <= 10_000).all()


def test_draws_of_ballots_have_the_variance_and_covariance_of_the_multinomial_distribution():
    rng = np.random.default_rng(2)
    ballots = rng.integers(1, 22, 200)
    n, share = ballots.sum(), ballots / ballots.sum()
    assert 8 * 200 <= n < (200 / 4) ** 2  # Poisson numbers and single draws
    counts = _draw_ballots(rng, ballots, 20_000)
    error = (counts.mean(axis=1) - n * share) / np.sqrt(n * share * (1 - share) / 20_000)
    assert abs(error).max() < 4.5 and stats.kstest(error, "norm").pvalue > 0.001
    half = counts[:100].sum(axis=0)
    p = share[:100].sum()
    assert stats.kstest(half + rng.random(20_000) - 0.5, stats.norm(n * p, np.sqrt(n * p * (1 - p))).cdf).pvalue > 0.001
    one = counts[0] - n * share[0]
    assert abs(np.mean(one**2) / (n * share[0] * (1 - share[0])) - 1) < 0.06
