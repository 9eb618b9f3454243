"""List normalisations: how much each row gives its item, and what a list gives an item that it does not hold.

Every function takes encoded lists and returns two arrays: the value of each row, of shape (n_rows,), and the value of
an absent item for each list, of shape (n_lists,), or None where an absent item gets nothing. ``r`` is the row's rank,
``L`` the length of its list, ``n`` the number of distinct items of the query, ``s`` the row's score.

>>> from skrankagg._arrays._normalize import NORMS
>>> sorted(filter(None, NORMS))
['borda', 'dbsf', 'l2', 'max', 'min-max', 'rank', 'reciprocal', 'simple-borda', 'sum', 'z-score']
"""

import numpy as np

# Beyond it, and below its inverse, the squares of scores leave the range of numbers.
_LARGE = 1e150
# Damping of the norm "reciprocal", as ReciprocalRankFusion has it.
_DAMPING = 60

__all__ = ["NORMS", "SCORES_HINT", "SCORE_NORMS", "bounded_min_max", "lowest_values"]


def rank(lists):
    """``1 - (r - 1) / L``: from 1 for the first down to 1/L for the last."""
    value = 1 - lists.rank
    value /= lists.list_length[lists.row_list]
    value += 1
    return value, None


def simple_borda(lists):
    """``1 - (r - 1) / n``, nothing for absent items."""
    value = 1 - lists.rank
    value /= lists.query_n_items[lists.candidate_query[lists.candidate]]
    value += 1
    return value, None


def borda(lists):
    """``1 - (r - 1) / n``; an absent item gets the mean of the values left over, ``(n - L + 1) / (2 n)``."""
    value, _ = simple_borda(lists)
    n = lists.query_n_items[lists.list_query]
    return value, (n - lists.list_length + 1) / (2 * n)


def reciprocal(lists):
    """``(k + 1) / (k + r)`` with k = 60: from 1 for the first on, as reciprocal rank fusion damps ranks."""
    return (_DAMPING + 1) / (_DAMPING + lists.rank), None


def min_max(lists):
    """``(s - min) / (max - min)`` within the list; every item of a constant list gets 1."""
    score, low, high = _moderate_scores(lists)
    span = high - low
    constant = span == 0
    span[constant] = 1
    value = score - low[lists.row_list]
    value /= span[lists.row_list]
    if constant.any():  # a held item must beat an absent one
        value[constant[lists.row_list]] = 1
    return value, None


def bounded_min_max(lists, lower, upper, *, clip):
    """``(s - lower) / (upper - lower)`` with bounds (n_lists,), NaN for those that the list's own scores are.

    Scores beyond a bound count as the bound if `clip` says so. A list of equal scores that neither bound tells apart
    gives 1, but one of scores at its lower bound gives 0. No span is negative unless `clip` is False; then the caller
    has refused it.
    """
    heads = lists.row_ptr[:-1]
    score = lists.score
    if clip:
        score = np.fmin(np.fmax(score, lower[lists.row_list]), upper[lists.row_list])
    low, high = np.minimum.reduceat(score, heads), np.maximum.reduceat(score, heads)
    low, high = np.where(np.isnan(lower), low, lower), np.where(np.isnan(upper), high, upper)
    large = np.maximum(np.abs(low), np.abs(high)) > _LARGE
    if large.any():  # only the proportion counts, and a quarter is exact
        part = np.where(large, 0.25, 1.0)
        score, low, high = score * part[lists.row_list], low * part, high * part
    span = high - low
    constant = span == 0
    span[constant] = 1
    value = (score - low[lists.row_list]) / span[lists.row_list]
    if constant.any():
        value += (constant & np.isnan(lower))[lists.row_list]
    return value


def z_score(lists):
    """``(s - mean) / sd`` within the list, with the population's sd; a constant list gives 0."""
    score, low, high = _moderate_scores(lists)
    heads, length = lists.row_ptr[:-1], lists.list_length
    # From the smallest score on: what all of them share would take the digits in which they differ.
    value = score - low[lists.row_list]
    value -= (np.add.reduceat(value, heads) / length)[lists.row_list]
    sd = np.sqrt(np.add.reduceat(value**2, heads) / length)
    constant = low == high
    value[constant[lists.row_list]] = 0.0
    sd[constant] = 1.0
    value /= sd[lists.row_list]
    return value, None


def dbsf(lists):
    """``(s - mean + 3 sd) / (6 sd)``, not clipped, with the population's sd; a constant list gives 1/2."""
    value, _ = z_score(lists)
    value += 3.0
    value /= 6.0
    return value, None


def maximum(lists):
    """``s / max``; the greatest score of each list must be above 0, which the caller checks."""
    high = np.maximum.reduceat(lists.score, lists.row_ptr[:-1])
    with np.errstate(over="ignore"):
        return lists.score / high[lists.row_list], None


def total(lists):
    """``(s - min) / sum(s - min)``, which add up to 1 in each list; every item of a constant list gets 1/L."""
    score, low, high = _moderate_scores(lists)
    value = score - low[lists.row_list]
    constant = low == high
    if constant.any():
        value[constant[lists.row_list]] = 1.0
    value /= np.add.reduceat(value, lists.row_ptr[:-1])[lists.row_list]
    return value, None


def l2(lists):
    """``s / sqrt(sum of s^2)``: scores as a vector of length 1; a list of zeros gives 0."""
    score, _, _ = _moderate_scores(lists)
    length = np.sqrt(np.add.reduceat(score**2, lists.row_ptr[:-1]))
    length[length == 0] = 1.0
    return score / length[lists.row_list], None


def _moderate_scores(lists):
    """The scores, and the least and the greatest of each list.

    Where squares would leave the range of numbers, each list comes multiplied by a power of two, which is exact.
    """
    heads = lists.row_ptr[:-1]
    low, high = np.minimum.reduceat(lists.score, heads), np.maximum.reduceat(lists.score, heads)
    top = np.maximum(high, -low)
    moderate = (top < _LARGE) & ((top > 1 / _LARGE) | (top == 0))
    if moderate.all():
        return lists.score, low, high
    power = np.where(moderate, 0, -np.frexp(top)[1])
    return np.ldexp(lists.score, power[lists.row_list]), np.ldexp(low, power), np.ldexp(high, power)


def as_given(lists):
    """The scores as they are."""
    return lists.score.copy(), None


def lowest_values(lists, value):
    """The lowest of the values (n_rows,) of each list, (n_lists,)."""
    return np.minimum.reduceat(value, lists.row_ptr[:-1])


NORMS = {  # the default of CombSUM first
    "min-max": min_max,
    "borda": borda,
    "rank": rank,
    "z-score": z_score,
    "simple-borda": simple_borda,
    "max": maximum,
    "sum": total,
    "l2": l2,
    "dbsf": dbsf,
    "reciprocal": reciprocal,
    None: as_given,
}
#: Normalisations that read scores; the others read ranks only.
SCORE_NORMS = frozenset({"min-max", "z-score", "max", "sum", "l2", "dbsf", None})
#: What to do about lists without scores, for the message.
SCORES_HINT = "add a column 'score', or choose a norm of ranks, norm='borda' or norm='rank'"
