"""Tests of paired differences: for each query, one method's value minus another method's value.

Each test accepts the differences, float64 of shape (n_queries,), and returns a statistic and a two-sided p-value. If
all differences are zero, the p-value is 1.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .._arrays import TOLERANCE
from .._support._checks import check_count
from ..exceptions import InputError

__all__ = ["paired_t_test", "randomization_test", "sign_test", "wilcoxon_test"]

# Up to this number of differences, all choices of signs (at most 2 ** 20) are enumerated. Otherwise signs are drawn.
_EXACT = 20


def check_differences(difference):
    difference = np.asarray(difference, dtype=np.float64)
    if difference.ndim != 1 or len(difference) == 0 or not np.isfinite(difference).all():
        raise InputError(
            "`difference` must be a vector of finite numbers, one for each query; got an array of shape "
            f"{difference.shape}{'' if np.isfinite(difference).all() else ' with NaN or infinity'}."
        )
    return difference


def check_n_resamples(n_resamples):
    """Raise InputError unless `n_resamples` is an integer of at least 1."""
    check_count("n_resamples", n_resamples)


def paired_t_test(difference: ArrayLike) -> tuple[float, float]:
    """Compute Student's paired t-test.

    Parameters
    ----------
    difference : array-like of shape (n_queries,)
        Values of one method minus the values of the other method, on each of at least two queries.

    Returns
    -------
    statistic, pvalue : float
        Student's t and the p-value. If all differences are equal but not zero, t is infinite.

    See Also
    --------
    randomization_test : A test without the assumption of normal differences.

    Examples
    --------
    >>> from skrankagg.stats import paired_t_test
    >>> statistic, pvalue = paired_t_test([0.1, 0.2, 0.3, 0.0])
    >>> round(statistic, 4), round(pvalue, 4)
    (2.3238, 0.1027)
    """
    difference = check_differences(difference)
    if not difference.any():
        return 0.0, 1.0
    if len(difference) < 2:
        return np.nan, np.nan
    if np.ptp(difference) <= TOLERANCE * np.abs(difference).max():
        return float(np.copysign(np.inf, difference[0])), 0.0  # no variation
    found = stats.ttest_1samp(difference, 0.0)
    return float(found.statistic), float(found.pvalue)


def wilcoxon_test(difference: ArrayLike) -> tuple[float, float]:
    """Compute Wilcoxon's signed-rank test; queries with a difference of 0 are left out.

    Parameters
    ----------
    difference : array-like of shape (n_queries,)
        Values of one method minus the values of the other method, on each query.

    Returns
    -------
    statistic, pvalue : float
        The smaller of the rank sums of the positive and the negative differences, and the p-value. The p-value is exact
        for few queries without ties.

    See Also
    --------
    sign_test : A test that uses only the signs of the differences.

    Examples
    --------
    >>> from skrankagg.stats import wilcoxon_test
    >>> wilcoxon_test([0.1, 0.2, 0.3, -0.05, 0.15])
    (1.0, 0.125)
    """
    difference = check_differences(difference)
    difference = difference[np.abs(difference) > TOLERANCE * np.abs(difference).max()]
    if len(difference) == 0:
        return 0.0, 1.0
    found = stats.wilcoxon(difference)
    return float(found.statistic), float(found.pvalue)


def sign_test(difference: ArrayLike) -> tuple[float, float]:
    """Compute the sign test, which counts the queries on which each of two methods is better.

    Parameters
    ----------
    difference : array-like of shape (n_queries,)
        Values of one method minus the values of the other method, on each query.

    Returns
    -------
    statistic, pvalue : float
        The number of queries with a positive difference, and the exact binomial p-value. Queries with a difference of 0
        are left out.

    See Also
    --------
    wilcoxon_test : A test that also uses the sizes of the differences.
    win_tie_loss : The counts that this function tests.

    Examples
    --------
    >>> from skrankagg.stats import sign_test
    >>> sign_test([0.1, 0.2, 0.3, -0.05, 0.0])
    (3.0, 0.625)
    """
    difference = check_differences(difference)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    if wins + losses == 0:
        return 0.0, 1.0
    return float(wins), float(stats.binomtest(wins, wins + losses).pvalue)


def randomization_test(
    difference: ArrayLike, *, n_resamples: int = 100_000, random_state: int | np.random.RandomState | None = 0
) -> tuple[float, float]:
    r"""Compute Fisher's randomisation test, in which the differences have random signs under the null hypothesis.

    Parameters
    ----------
    difference : array-like of shape (n_queries,)
        Values of one method minus the values of the other method, on each query.
    n_resamples : int, default=100_000
        Number of random choices of the signs. If at most 20 differences are not zero, all choices are enumerated
        instead.
    random_state : int, RandomState instance or None, default=0
        Source of the random numbers.

    Returns
    -------
    statistic, pvalue : float
        The mean difference, and the p-value. The p-value is the share of the sign choices that give a mean at least as
        far from 0 as the mean difference. If at most 20 differences are not zero, the p-value is exact. Otherwise the
        p-value is :math:`(b + 1)/(n + 1)`, where b is the number of such sign choices among n random choices.

    See Also
    --------
    paired_t_test : A test that assumes normal differences.
    bootstrap_interval : A confidence interval of the mean difference.

    References
    ----------
    .. [1] M. D. Smucker, J. Allan and B. Carterette, "A comparison of statistical significance tests for information
       retrieval evaluation", CIKM 2007.

    Examples
    --------
    >>> from skrankagg.stats import randomization_test
    >>> statistic, pvalue = randomization_test([0.1, 0.2, 0.3, -0.05])
    >>> pvalue
    0.25
    """
    difference = check_differences(difference)
    check_n_resamples(n_resamples)
    mean = float(difference.mean())
    size = np.abs(difference[difference != 0])
    if len(size) == 0:
        return mean, 1.0
    least = abs(difference.sum()) - TOLERANCE * size.sum()
    if len(size) <= _EXACT:
        # The sums for all choices of signs. Each difference is once subtracted and once added.
        sums = np.zeros(1)
        for one in size:
            sums = np.concatenate([sums - one, sums + one])
        return mean, float((np.abs(sums) >= least).mean())
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31)
    generator = np.random.default_rng(random_state)
    beyond, left = 0, int(n_resamples)
    while left:
        n = min(left, max(1, 5_000_000 // len(size)))
        # The sum of all sizes minus twice the sum of the sizes with a negative sign.
        negative = generator.integers(0, 2, size=(n, len(size)), dtype=np.int8).astype(np.float64) @ size
        beyond += int((np.abs(size.sum() - 2 * negative) >= least).sum())
        left -= n
    return mean, (beyond + 1) / (n_resamples + 1)


#: Tests of paired differences by name.
PAIRED_TESTS = {
    "t": paired_t_test,
    "wilcoxon": wilcoxon_test,
    "sign": sign_test,
    "randomization": randomization_test,
}
