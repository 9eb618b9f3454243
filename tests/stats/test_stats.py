"""Statistics of comparisons: scipy, statsmodels, brute force and published numbers."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from skrankagg.stats import (
    adjust_pvalues,
    bootstrap_interval,
    cohen_d,
    friedman_nemenyi,
    hedges_g,
    paired_t_test,
    randomization_test,
    rank_biserial,
    sign_test,
    wilcoxon_test,
    win_tie_loss,
)
from skrankagg.stats._effects import _GENERATOR
from skrankagg.stats._paired import PAIRED_TESTS

RNG = np.random.default_rng(0)
DIFFERENCE = RNG.normal(0.05, 0.1, 40)


def test_paired_tests_equal_scipy():
    zeros = np.zeros(40)
    assert paired_t_test(DIFFERENCE) == pytest.approx(tuple(stats.ttest_rel(DIFFERENCE, zeros)))
    assert wilcoxon_test(DIFFERENCE) == pytest.approx(tuple(stats.wilcoxon(DIFFERENCE)))
    wins = int((DIFFERENCE > 0).sum())
    assert sign_test(DIFFERENCE) == (wins, pytest.approx(stats.binomtest(wins, 40, 0.5).pvalue))


@given(difference=st.lists(st.integers(-4, 4), min_size=1, max_size=8))
@settings(max_examples=50, deadline=None)
def test_randomization_test_enumerates_all_signs_of_few_queries(difference):
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, difference, strict=True)))
        for signs in itertools.product((-1, 1), repeat=len(difference))
    ]
    expected = np.mean([one >= abs(sum(difference)) for one in sums])
    statistic, pvalue = randomization_test(difference)
    assert pvalue == pytest.approx(expected) and statistic == pytest.approx(np.mean(difference))


def test_randomization_test_with_draws_is_accurate_and_reproducible():
    difference = RNG.normal(0.03, 0.1, 60)
    # For so many queries the t-test is close; the two agree to the noise of the draw.
    _, pvalue = randomization_test(difference)
    assert pvalue == pytest.approx(paired_t_test(difference)[1], abs=0.01)
    assert randomization_test(difference) == randomization_test(difference)
    other = randomization_test(difference, random_state=np.random.RandomState(1), n_resamples=999)[1]
    assert other == pytest.approx(pvalue, abs=0.06) and (other * 1000) % 1 == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("test", PAIRED_TESTS.values(), ids=PAIRED_TESTS)
def test_paired_tests_return_p_value_1_without_differences(test):
    assert test(np.zeros(5)) == (0.0, 1.0)
    assert test(np.ones(30))[1] < 1e-4
    with pytest.raises(ValueError, match="finite numbers"):
        test([0.1, np.nan])
    with pytest.raises(ValueError, match="one for each query"):
        test(np.zeros((2, 2)))


@pytest.mark.parametrize("test", PAIRED_TESTS.values(), ids=PAIRED_TESTS)
def test_paired_tests_are_symmetric(test):
    assert test(DIFFERENCE)[1] == pytest.approx(test(-DIFFERENCE)[1], abs=0.01)


@pytest.mark.exhaustive
def test_adjust_pvalues_equals_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    for seed in range(5):
        pvalues = np.random.default_rng(seed).random(12) ** 3
        for ours, theirs in {"holm": "holm", "bonferroni": "bonferroni", "bh": "fdr_bh", "by": "fdr_by"}.items():
            np.testing.assert_allclose(
                adjust_pvalues(pvalues, ours), multitest.multipletests(pvalues, method=theirs)[1]
            )


def test_adjust_pvalues_equals_examples_by_hand_and_skips_nan():
    assert adjust_pvalues([0.01, 0.02, 0.6], "holm").tolist() == pytest.approx([0.03, 0.04, 0.6])
    assert adjust_pvalues([0.01, 0.02, 0.6], "bonferroni").tolist() == pytest.approx([0.03, 0.06, 1.0])
    assert adjust_pvalues([0.01, 0.02, 0.6], "bh").tolist() == pytest.approx([0.03, 0.03, 0.6])
    found = adjust_pvalues([0.01, np.nan, 0.02])
    assert found[[0, 2]].tolist() == pytest.approx([0.02, 0.02]) and np.isnan(found[1])
    assert adjust_pvalues([0.01], "none") == 0.01
    assert len(adjust_pvalues([])) == 0
    with pytest.raises(ValueError, match="one of 'holm', 'bonferroni', 'bh', 'by', 'none'"):
        adjust_pvalues([0.1], "tukey")
    with pytest.raises(ValueError, match="must be from 0 to 1"):
        adjust_pvalues([1.5])


def test_bootstrap_interval_equals_scipy_and_is_reproducible():
    found = bootstrap_interval(DIFFERENCE, n_resamples=2000)
    assert len(DIFFERENCE) >= 20
    generator = {_GENERATOR: np.random.default_rng(0)}
    theirs = stats.bootstrap((DIFFERENCE,), np.mean, n_resamples=2000, **generator).confidence_interval
    assert found == pytest.approx(tuple(theirs), abs=0.003)
    assert found == bootstrap_interval(DIFFERENCE, n_resamples=2000)
    assert found[0] < DIFFERENCE.mean() < found[1]
    wide = bootstrap_interval(DIFFERENCE, n_resamples=2000, confidence=0.99, method="percentile")
    assert wide[0] < found[0] and found[1] < wide[1]
    assert bootstrap_interval([0.5] * 30) == bootstrap_interval([0.5, 0.5], method="t") == (0.5, 0.5)
    assert np.isnan(bootstrap_interval([0.5])).all() and np.isnan(bootstrap_interval([0.5], method="t")).all()
    for wrong in ({"method": "T"}, {"confidence": 1.0}):
        with pytest.raises(ValueError, match="must"):
            bootstrap_interval(DIFFERENCE, **wrong)


@pytest.mark.parametrize("n", [2, 5, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_bootstrap_interval_with_method_t_equals_students_interval(n, confidence):
    values = DIFFERENCE[:n]
    theirs = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
    found = bootstrap_interval(values, method="t", confidence=confidence)
    np.testing.assert_allclose(found, tuple(theirs), rtol=1e-12)
    assert found == bootstrap_interval(values, method="t", confidence=confidence, random_state=3, n_resamples=1)


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_bootstrap_interval_warns_about_few_values_with_measured_coverage(method):
    with pytest.warns(
        UserWarning, match=r"from 19 values is too short: .* 84 % .* 5 values, and in 90 % with 10\. .*'t'"
    ):
        bootstrap_interval(DIFFERENCE[:19], method=method, n_resamples=99)
    # Other warnings are errors.
    bootstrap_interval(DIFFERENCE[:20], method=method, n_resamples=99)
    bootstrap_interval(DIFFERENCE[:1], method=method, n_resamples=99)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n", "measured"), [(5, 0.84), (10, 0.90)])
def test_bootstrap_interval_warning_states_the_correct_coverage(n, measured):
    values = np.random.default_rng(1).normal(size=(400, n))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        covered = {
            method: np.mean(
                [
                    low <= 0 <= high
                    for low, high in (
                        bootstrap_interval(one, method=method, n_resamples=500, random_state=seed)
                        for seed, one in enumerate(values)
                    )
                ]
            )
            for method in ("bca", "t")
        }
    assert abs(covered["bca"] - measured) < 0.045
    assert abs(covered["t"] - 0.95) < 0.03


def test_bootstrap_interval_has_nominal_coverage():
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(150):
        low, high = bootstrap_interval(rng.exponential(size=40), n_resamples=400, random_state=rng.integers(1000))
        covered += low <= 1.0 <= high
    assert 0.86 <= covered / 150 <= 0.99  # 0.95, less a little for skew and few queries


def test_effect_sizes_equal_their_definitions():
    d = DIFFERENCE.mean() / DIFFERENCE.std(ddof=1)
    assert cohen_d(DIFFERENCE) == pytest.approx(d)
    assert hedges_g(DIFFERENCE) == pytest.approx(d * (1 - 3 / (4 * 39 - 1)))
    assert cohen_d(DIFFERENCE) == pytest.approx(paired_t_test(DIFFERENCE)[0] / np.sqrt(40))
    rank = stats.rankdata(np.abs(DIFFERENCE))
    assert rank_biserial(DIFFERENCE) == pytest.approx(
        (rank[DIFFERENCE > 0].sum() - rank[DIFFERENCE < 0].sum()) / rank.sum()
    )
    assert cohen_d([0.0, 0.0]) == 0.0 and cohen_d([1.0, 1.0]) == np.inf and rank_biserial([0.0]) == 0.0
    assert np.isnan(cohen_d([1.0])) and np.isnan(hedges_g([1.0])) and np.isnan(paired_t_test([1.0])).all()
    assert win_tie_loss([0.1, -0.1, 1e-14, 0.3]) == (2, 1, 1)


def test_friedman_nemenyi_equals_scipy_with_and_without_ties():
    for values in (RNG.random((15, 5)), RNG.integers(0, 3, (15, 5)).astype(float)):
        found = friedman_nemenyi(values)
        theirs = stats.friedmanchisquare(*values.T)
        assert (found.statistic, found.pvalue) == pytest.approx(tuple(theirs))
        f = (14 * found.statistic) / (15 * 4 - found.statistic)
        assert found.f_statistic == pytest.approx(f)


@pytest.mark.parametrize("n", [4, 20])
def test_friedman_nemenyi_f_statistic_equals_analysis_of_variance_of_ranks(n):
    # All queries agree except the first, which ties two methods; the residuals are almost 0.
    values = np.tile([3.0, 2.0, 1.0], (n, 1))
    values[0] = [2.0, 2.0, 1.0]
    found, ranks = friedman_nemenyi(values), stats.rankdata(-values, axis=1)
    # Rows have the same mean, so that they explain nothing.
    effects = ranks.mean(axis=0) - 2
    residual = ((ranks - 2 - effects) ** 2).sum()
    expected = (n * (effects**2).sum() / 2) / (residual / (2 * (n - 1)))
    assert found.f_statistic == pytest.approx(expected)
    assert found.f_pvalue == pytest.approx(stats.f.sf(expected, 2, 2 * (n - 1)))
    assert 1e-9 < n * 2 - found.statistic < 1


def test_randomization_test_p_value_of_one_difference_is_1():
    # Zeros carry no information, and one difference has two signs.
    assert randomization_test([0.0, 0.3, 0.0])[1] == 1.0
    assert randomization_test([0.3, 0.2])[1] == 0.5


def test_t_test_and_cohen_d_handle_a_small_spread():
    difference = 1 + 1e-9 * RNG.normal(size=12)
    assert paired_t_test(difference)[0] == pytest.approx(stats.ttest_1samp(difference, 0.0).statistic)
    assert cohen_d(difference) == pytest.approx(difference.mean() / difference.std(ddof=1))


@pytest.mark.parametrize("n_resamples", [0, -3, 1.5, True, "9"])
def test_n_resamples_must_be_an_int_of_at_least_1(n_resamples):
    for call in (randomization_test, bootstrap_interval):
        with pytest.raises(ValueError, match="`n_resamples` must be a whole number of at least 1"):
            call(RNG.normal(size=30), n_resamples=n_resamples)


def test_random_state_instance_draws_the_seed():
    difference, seed = RNG.normal(0.03, 0.1, 60), np.random.RandomState(7).randint(2**31)
    for call in (randomization_test, bootstrap_interval):
        drawn, given = (call(difference, random_state=one) for one in (np.random.RandomState(7), seed))
        assert drawn == given


def test_randomization_test_draws_signs_in_blocks_of_five_million():
    # A seed has the same p-value in all versions.
    difference, generator = RNG.normal(0.01, 0.1, 25), np.random.default_rng(3)
    signs = [1 - 2 * generator.integers(0, 2, (n, 25), dtype=np.int8) for n in (200_000, 100_000)]
    beyond = sum(int((np.abs(block @ np.abs(difference)) >= abs(difference.sum())).sum()) for block in signs)
    found = randomization_test(difference, n_resamples=300_000, random_state=3)[1]
    assert found == pytest.approx((beyond + 1) / 300_001, abs=1e-9)


def test_randomization_test_draws_different_signs_for_different_random_states():
    difference = RNG.normal(0.03, 0.1, 60)
    drawn = {
        randomization_test(difference, random_state=np.random.RandomState(seed), n_resamples=2000)[1]
        for seed in range(20)
    }
    assert len(drawn) > 5


def test_friedman_nemenyi_reproduces_demsars_critical_differences():
    # J. Demšar 2006, section 3.2.3: four classifiers on 14 data sets.
    assert friedman_nemenyi(RNG.random((14, 4))).critical_difference == pytest.approx(1.25, abs=0.005)
    assert friedman_nemenyi(RNG.random((14, 4)), alpha=0.10).critical_difference == pytest.approx(1.12, abs=0.005)


def test_friedman_nemenyi_corrects_demsars_example_for_ties():
    # The ranks of his Table 6. The paper has 9.28, and 3.69 by Iman and Davenport, both without a correction.
    ranks = np.array(
        """4 3 2 1; 1 2 3 4; 4 1 2 3; 4 1 3 2; 4 2 3 1; 1 2.5 4 2.5; 3 2 4 1; 2.5 2.5 4 1; 4 3 2 1; 2.5 2.5 2.5 2.5;
        4 2.5 1 2.5; 3 2 4 1; 4 1 2 3; 3 1 4 2""".replace(";", " ").split(),
        dtype=float,
    ).reshape(14, 4)
    found = friedman_nemenyi(-ranks)
    assert found.mean_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
    plain = 12 * 14 / 20 * ((found.mean_ranks - 2.5) ** 2).sum()
    assert plain == pytest.approx(9.28, abs=0.005) and 13 * plain / (42 - plain) == pytest.approx(3.69, abs=0.005)
    sizes = [np.unique(row, return_counts=True)[1] for row in ranks]
    correction = 1 - sum((size**3 - size).sum() for size in sizes) / (14 * (4**3 - 4))
    assert found.statistic == pytest.approx(plain / correction) == pytest.approx(10.23, abs=0.005)
    assert found.f_statistic == pytest.approx(4.19, abs=0.005)


@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)])
def test_friedman_nemenyi_reproduces_published_critical_values(k, q):
    found = friedman_nemenyi(RNG.random((6, k)))
    assert found.critical_difference / np.sqrt(k * (k + 1) / 36) == pytest.approx(q, abs=1e-3)


def test_friedman_nemenyi_groups_are_maximal_and_match_the_p_values():
    # Three clear classes on many queries, the methods in random order.
    base = np.array([0.5, 0.9, 0.5, 0.9, 0.1])
    found = friedman_nemenyi(base + RNG.normal(0, 0.01, (60, 5)))
    assert [sorted(group) for group in found.groups()] == [[1, 3], [0, 2]]
    apart = np.abs(found.mean_ranks[:, None] - found.mean_ranks)
    np.testing.assert_array_equal(found.pvalues < 0.05, apart > found.critical_difference)
    same = friedman_nemenyi(np.ones((4, 3)))
    assert (same.statistic, same.pvalue, same.groups()) == (0.0, 1.0, [[0, 1, 2]])
    with pytest.raises(ValueError, match="at least two queries and two methods"):
        friedman_nemenyi([[1.0, 2.0]])
    for alpha in (-0.1, 0, 1):
        with pytest.raises(ValueError, match="`alpha` must be between 0 and 1"):
            friedman_nemenyi(np.ones((4, 3)), alpha=alpha)
