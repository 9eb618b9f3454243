"""Agreement between lists and other orders of their items, and a test for lists with unusually low agreement."""

import numpy as np
from scipy.special import ndtri

from .._arrays import TOLERANCE
from .._arrays._ragged import dense_ranks, group_medians
from ..metrics._agreement._kendall import FROM_COUNTS
from ..metrics._agreement._pair_counts import class_numbers, count_pairs, sum_over_ties

# A query with fewer lists has no meaningful median and spread of agreement.
_FEW_LISTS = 5
# Level of the test for outliers, and the factor that turns a median absolute deviation (MAD) into a standard deviation.
LEVEL, _MAD_TO_SD = 0.05, 1.4826022185056018
# Smallest variance of an agreement, as a share of its variance for random lists. Without this minimum, the spread would
# be 0 if most lists agree in all pairs, and each list with one swap would be an outlier.
_LEAST_VARIANCE = 0.5
# For n normal values, quantiles of (value - median) / MAD are about 1 + 2 / n times as large as normal quantiles. This
# factor is 3 instead of 2 because agreements are skewed.
_FEW_VALUES = 3.0


def agreement_with_classes(lists, row_class, unit=None, unit_query=None):
    """Return the agreement of each list with another order of its items, and the threshold for outliers.

    A tie class consists of items that are tied with each other. `row_class`, of shape (n_rows,), contains the number of
    the tie class of each row's item in the other order. The numbers increase from the best class to the worst. Rows of
    class -1 are left out. The agreement is Kendall's tau-b. A list is an outlier if its agreement is below its
    threshold. Without `unit`, each list has its own agreement. `unit`, of shape (n_lists,), may instead assign each
    list to a unit, such as all lists of one judge. The pairs of all lists of a unit are then counted together, and each
    pair has the weight of its list. The results then have the shape of `unit_query`, which contains the query of each
    unit.
    """
    n_units = lists.n_lists if unit is None else len(unit_query)
    kept = row_class >= 0
    length = np.bincount(lists.row_list[kept], minlength=lists.n_lists)
    kept &= (length > 1)[lists.row_list]
    chosen = np.flatnonzero(length > 1)
    ptr = np.concatenate([[0], np.cumsum(length[chosen])])
    agreement, threshold = np.full(n_units, np.nan), np.full(n_units, np.nan)
    if not len(chosen):
        return agreement, threshold
    first, second = lists.rank[kept], dense_ranks(ptr, row_class[kept])
    pairs = count_pairs(ptr, first, second)
    sd = null_deviation(ptr, class_numbers(ptr, first), second)
    query_of = lists.list_query
    if unit is not None:
        # The orders of the lists are independent, so their variances can be added.
        weight, query_of, owner = lists.list_weight[chosen], unit_query, unit[chosen]
        pairs = type(pairs)(*(np.bincount(owner, weights=weight * one, minlength=n_units) for one in pairs))
        sd = np.sqrt(np.bincount(owner, weights=weight * sd**2, minlength=n_units))
        chosen = np.arange(n_units)
    agreement[chosen] = FROM_COUNTS["b"](*pairs)
    # Very short lists are not tested, because even agreement in all pairs could be due to chance.
    long = ~np.isnan(agreement[chosen]) & (np.minimum(pairs.first, pairs.second) > 1 + ndtri(1 - LEVEL) * sd)
    tested = chosen[long]
    n_pairs = np.sqrt(pairs.first * pairs.second)[long]
    query, sd = query_of[tested], sd[long] / n_pairs
    found = _thresholds(query, agreement[tested], n_pairs, sd, np.ones(len(tested), dtype=bool))
    # Outliers hide each other, so the second pass computes the thresholds without the outliers of the first pass.
    others = ~(agreement[tested] < found)
    enough = np.bincount(query[others], minlength=lists.n_queries)[query] >= _FEW_LISTS
    threshold[tested] = _thresholds(query, agreement[tested], n_pairs, sd, others | ~enough)
    return agreement, threshold


def _thresholds(query, agreement, n_pairs, null_sd, counted):
    """Return an array with a threshold for each list; a list whose agreement is below its threshold is an outlier.

    The threshold is NaN if the list cannot be tested.

    `n_pairs` is the number of untied pairs of each list. `null_sd` is the standard deviation of the agreement of a
    random list with the same ties. The thresholds depend on medians over the lists of a query. The mask `counted`
    selects the lists that enter these medians.
    """

    def medians(value):
        return group_medians(query[counted], value[counted], query.max(initial=-1) + 1)[query]

    n_lists = np.bincount(query[counted], minlength=query.max(initial=0) + 1)[query]
    # Anscombe's transformation turns shares of discordant pairs into angles with about equal variances.
    angle = 2 * np.arcsin(np.sqrt(((1 - agreement) / 2 * n_pairs + 0.375) / (n_pairs + 0.75)))
    middle = medians(angle)
    apart = np.abs(angle - middle)
    # Use the largest of three spreads: a common spread of all lists, a spread that decreases with the length of the
    # list as for random lists, and the minimum.
    spread = np.maximum(
        _MAD_TO_SD * np.maximum(medians(apart), medians(apart / null_sd) * null_sd),
        np.sqrt(_LEAST_VARIANCE) * null_sd,
    )
    bound = middle + ndtri(1 - LEVEL) * (1 + _FEW_VALUES / n_lists) * spread
    # Subtract half a pair as the correction for continuity.
    discordant = 0.5 + np.sin(bound / 2) ** 2 * (n_pairs + 0.75) - 0.375
    threshold = 1 - 2 * discordant / n_pairs
    # The agreement is never below -1, so a threshold of -1 or less would find no outlier.
    told = (n_lists >= _FEW_LISTS) & (bound < np.pi) & (threshold > -1)
    return np.where(told, threshold, np.nan)


def null_deviation(ptr, first, second):
    """Return the standard deviation of Kendall's S between two random orders, for each group of rows.

    Kendall's S is the number of concordant pairs minus the number of discordant pairs. The rows of group g are
    ``ptr[g]`` to ``ptr[g + 1] - 1``. The two orders of a group are random, but have tie classes of the same sizes as
    `first` and `second`.
    """
    n = np.diff(ptr).astype(np.float64)
    (a2, a3, a5), (b2, b3, b5) = (
        [
            sum_over_ties(ptr, one, value)
            for value in (
                lambda t: t * (t - 1),
                lambda t: t * (t - 1) * (t - 2),
                lambda t: t * (t - 1) * (2 * t + 5),
            )
        ]
        for one in (first, second)
    )
    variance = (n * (n - 1) * (2 * n + 5) - a5 - b5) / 18 + a2 * b2 / (2 * n * (n - 1))
    # Two items form no triple, so the term of the triples is 0.
    triples = n * (n - 1) * (n - 2)
    variance += np.divide(a3 * b3, 9 * triples, out=np.zeros(len(n)), where=triples > 0)
    return np.sqrt(np.maximum(variance, 0.0))


def robust_z(query, agreement):
    """For each list, return a robust z-score of its agreement among the agreements of all lists of its query.

    The value is NaN if the query has fewer than five lists, or if the agreements in the query hardly differ.
    """
    known = np.flatnonzero(~np.isnan(agreement))
    z = np.full(len(agreement), np.nan)
    group, value = query[known], agreement[known]
    n_groups = group.max(initial=-1) + 1
    median = group_medians(group, value, n_groups)[group]
    spread = _MAD_TO_SD * group_medians(group, np.abs(value - median), n_groups)[group]
    enough = np.bincount(group, minlength=1)[group] >= _FEW_LISTS
    told = enough & (spread > TOLERANCE)
    z[known[told]] = (value - median)[told] / spread[told]
    return z
