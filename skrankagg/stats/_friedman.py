"""Friedman's and Nemenyi's tests, which compare several methods by their ranks on the same queries."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, f, rankdata, studentized_range

from .._support._checks import check_share
from ..exceptions import InputError

__all__ = ["FriedmanResult", "friedman_nemenyi"]


@dataclass(frozen=True)
class FriedmanResult:
    """Result of Friedman's test and of Nemenyi's comparison of all pairs of methods.

    Friedman's test decides whether any methods differ. Nemenyi's test decides which pairs differ.

    Parameters
    ----------
    statistic, pvalue : float
        Friedman's chi-square, corrected for ties, and its p-value.
    f_statistic, f_pvalue : float
        Statistic and p-value of Iman and Davenport's less conservative form of Friedman's test.
    mean_ranks : ndarray of shape (n_methods,)
        Mean rank of each method; 1 if the method is the best on every query.
    critical_difference : float
        Two methods differ if their mean ranks differ by more than this value.
    pvalues : ndarray of shape (n_methods, n_methods)
        Nemenyi's p-value of each pair.
    n_queries : int
        Number of queries on which the methods were ranked.
    alpha : float
        Significance level of the critical difference.

    See Also
    --------
    friedman_nemenyi : Computes this result.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.stats import friedman_nemenyi
    >>> found = friedman_nemenyi(
    ...     np.array([[0.9, 0.8, 0.1], [0.7, 0.5, 0.2], [0.6, 0.6, 0.3], [0.8, 0.4, 0.1]]))
    >>> round(found.pvalue, 4), found.groups()
    (0.0224, [[0, 1], [1, 2]])
    """

    statistic: float
    pvalue: float
    f_statistic: float
    f_pvalue: float
    mean_ranks: NDArray[np.float64]
    critical_difference: float
    pvalues: NDArray[np.float64]
    n_queries: int
    alpha: float

    def groups(self) -> list[list[int]]:
        """Find the largest groups of methods that the test cannot distinguish.

        Returns
        -------
        list of list of int
            For each group, the positions of its methods in `mean_ranks`, best method first. Groups of one method are
            left out.
        """
        order = np.argsort(self.mean_ranks, kind="stable")
        ranks = self.mean_ranks[order]
        groups, reached = [], 0
        for first in range(len(order)):
            last = int(np.searchsorted(ranks, ranks[first] + self.critical_difference, side="right"))
            if last > reached and last - first > 1:
                groups.append(order[first:last].tolist())
                reached = last
        return groups


def friedman_nemenyi(values: ArrayLike, *, alpha: float = 0.05) -> FriedmanResult:
    r"""Test whether any methods differ on the same queries, and which pairs of methods differ.

    Parameters
    ----------
    values : array-like of shape (n_queries, n_methods)
        Values of a measure for which higher values are better, for at least two queries and two methods.
    alpha : float, default=0.05
        Significance level of the critical difference.

    Returns
    -------
    FriedmanResult
        Statistics and p-values of both tests. ``groups()`` returns the groups of methods that the test cannot
        distinguish.

    See Also
    --------
    paired_t_test : Compares two methods.
    adjust_pvalues : Corrects the p-values of any pairwise tests.
    skrankagg.plotting.CriticalDifferenceDisplay : Plots this result.

    Notes
    -----
    On each of N queries the k methods are ranked, and tied methods share their mean rank. Method j has the mean rank
    :math:`R_j`. Friedman's statistic is :math:`\chi^2_F = \frac{12 N}{k (k + 1)} \sum_j (R_j - \frac{k + 1}{2})^2`,
    divided by a correction for ties. The correction is :math:`1 - \sum (t^3 - t) / (N (k^3 - k))`, with a sum over
    all groups of t tied methods on all queries. Iman and Davenport's statistic is :math:`\frac{(N - 1) \chi^2_F}{N (k -
    1) - \chi^2_F}`. Two methods differ if their mean ranks are at least :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}`
    apart, where :math:`q_\alpha` is the quantile of the studentized range, divided by :math:`\sqrt 2` [1]_.

    Demšar does not correct for ties. His example has ties on 4 of 14 data sets. In the paper, Friedman's statistic is
    9.28, and Iman and Davenport's statistic is 3.69. This function returns 10.23 and 4.19. Nemenyi's test has the same
    values as in the paper.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.stats import friedman_nemenyi
    >>> found = friedman_nemenyi(
    ...     np.array([[0.9, 0.8, 0.1], [0.7, 0.5, 0.2], [0.6, 0.6, 0.3], [0.8, 0.4, 0.1]]))
    >>> found.mean_ranks, round(found.critical_difference, 4)
    (array([1.125, 1.875, 3.   ]), 1.6572)
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) < 2 or not np.isfinite(values).all():
        raise InputError(
            "`values` must be a matrix of finite values, with at least two queries and two methods; got an array of "
            f"shape {values.shape}{'' if np.isfinite(values).all() else ' with NaN or infinity'}."
        )
    check_share("alpha", alpha, low=False, high=False)
    n, k = values.shape
    # Values that differ only by rounding are tied.
    ranks = rankdata(-np.round(values, 12), axis=1)
    mean_ranks = ranks.mean(axis=0)
    spread = ((ranks - (k + 1) / 2) ** 2).sum()
    between = n * ((mean_ranks - (k + 1) / 2) ** 2).sum()
    statistic = float((k - 1) * n * between / spread) if spread > 0 else 0.0
    rest = n * (k - 1) - statistic
    f_statistic = (n - 1) * statistic / rest if rest > 1e-9 else np.inf
    scale = np.sqrt(k * (k + 1) / (6 * n))
    apart = np.abs(mean_ranks[:, None] - mean_ranks)
    pvalues = studentized_range.sf(apart / scale * np.sqrt(2), k, np.inf)
    np.fill_diagonal(pvalues, 1.0)
    return FriedmanResult(
        statistic=statistic,
        pvalue=float(chi2.sf(statistic, k - 1)),
        f_statistic=float(f_statistic),
        f_pvalue=float(f.sf(f_statistic, k - 1, (k - 1) * (n - 1))),
        mean_ranks=mean_ranks,
        critical_difference=float(studentized_range.ppf(1 - alpha, k, np.inf) / np.sqrt(2) * scale),
        pvalues=pvalues,
        n_queries=n,
        alpha=alpha,
    )
