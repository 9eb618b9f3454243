"""How far lists agree with orders of their items, and whether that is more than random lists reach."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from .._arrays import TOLERANCE
from .._arrays._ragged import dense_ranks, group_order, starts_to_ptr, tie_starts
from .._data._frames import known_or_missing
from .._kernels import discordant_pairs
from ..metrics._agreement._kendall import FROM_COUNTS

__all__ = []

# Lists of a query from which on their agreement has a median and a spread to speak of.
_FEW_LISTS = 5
# Of the test whether a list agrees with the others more than a random one, and what makes a MAD a standard deviation.
_LEVEL, _MAD_TO_SD = 0.05, 1.4826022185056018


class _Pairs(NamedTuple):
    """Counts of pairs of items, (n_groups,) each: as :func:`skrankagg.metrics._agreement._kendall.pair_counts` has."""

    discordant: np.ndarray
    both: np.ndarray
    first: np.ndarray
    second: np.ndarray
    all: np.ndarray


def count_pairs(ptr, first, second):
    """Count the pairs of groups sorted by classes `first` (n_rows,), the second ones numbered from 0 in each group."""
    tie_ptr = starts_to_ptr(tie_starts(ptr, first))
    discordant, both = discordant_pairs(ptr, np.repeat(tie_ptr[1:], np.diff(tie_ptr)), second)
    n = np.diff(ptr)
    pairs = n * (n - 1) / 2
    ties = [_sum_over_ties(ptr, one, lambda t: t * (t - 1) / 2) for one in (_dense(ptr, first), second)]
    return _Pairs(discordant, both, pairs - ties[0], pairs - ties[1], pairs)


def _dense(ptr, ordered):
    """Number the classes of each group from 0, of rows sorted by class."""
    number = np.cumsum(tie_starts(ptr, ordered))
    return number - np.repeat(number[ptr[:-1]], np.diff(ptr))


def _sum_over_ties(ptr, dense, value):
    """Add up a function of the sizes of the classes of each group, which `dense` numbers from 0; none is empty."""
    size = np.bincount(dense + np.repeat(ptr[:-1], np.diff(ptr)), minlength=ptr[-1]).astype(np.float64)
    return np.add.reduceat(value(size), ptr[:-1])


def agreement_with_classes(lists, row_class):
    """Kendall's tau-b of each list with the classes of its rows, and whether it is no higher than chance, None too."""
    kept = row_class >= 0
    length = np.bincount(lists.row_list[kept], minlength=lists.n_lists)
    kept &= (length > 1)[lists.row_list]
    chosen = np.flatnonzero(length > 1)
    ptr = np.concatenate([[0], np.cumsum(length[chosen])])
    agreement, is_outlier = np.full(lists.n_lists, np.nan), np.full(lists.n_lists, None, dtype=object)
    if not len(chosen):
        return agreement, known_or_missing(is_outlier)
    first, second = lists.rank[kept], dense_ranks(ptr, row_class[kept])
    pairs = count_pairs(ptr, first, second)
    agreement[chosen] = FROM_COUNTS["b"](*pairs)
    sd = null_deviation(ptr, _dense(ptr, first), second)
    needed = 1 + ndtri(1 - _LEVEL) * sd
    possible = np.minimum(pairs.first, pairs.second) > needed
    told = ~np.isnan(agreement[chosen]) & possible
    is_outlier[chosen[told]] = (pairs.both - 2 * pairs.discordant <= needed)[told]
    return agreement, known_or_missing(is_outlier)


def null_deviation(ptr, first, second):
    """Standard deviation of concordant less discordant pairs of two orders with these ties, one of them random."""
    n = np.diff(ptr).astype(np.float64)
    (a2, a3, a5), (b2, b3, b5) = (
        [
            _sum_over_ties(ptr, one, value)
            for value in (
                lambda t: t * (t - 1),
                lambda t: t * (t - 1) * (t - 2),
                lambda t: t * (t - 1) * (2 * t + 5),
            )
        ]
        for one in (first, second)
    )
    variance = (n * (n - 1) * (2 * n + 5) - a5 - b5) / 18 + a2 * b2 / (2 * n * (n - 1))
    # Two items have no third moment.
    triples = n * (n - 1) * (n - 2)
    variance += np.divide(a3 * b3, 9 * triples, out=np.zeros(len(n)), where=triples > 0)
    return np.sqrt(np.maximum(variance, 0.0))


def robust_z(query, agreement):
    """Distance from the median of the query in robust standard deviations; NaN for few lists, or without a spread."""
    known = np.flatnonzero(~np.isnan(agreement))
    z = np.full(len(agreement), np.nan)
    group, value = query[known], agreement[known]
    median = _medians(group, value)
    spread = _MAD_TO_SD * _medians(group, np.abs(value - median))
    enough = np.bincount(group, minlength=1)[group] >= _FEW_LISTS
    told = enough & (spread > TOLERANCE)
    z[known[told]] = (value - median)[told] / spread[told]
    return z


def _medians(group, value):
    """Median of the group of each value; groups are sorted."""
    if not len(group):
        return value
    order = group_order(group, value)
    ptr = starts_to_ptr(np.append(True, group[1:] != group[:-1]))
    low, high = (ptr[:-1] + ptr[1:] - 1) // 2, (ptr[:-1] + ptr[1:]) // 2
    return np.repeat((value[order[low]] + value[order[high]]) / 2, np.diff(ptr))
