"""Normalisations, which convert the ranks or scores of each list to values that can be compared between lists.

Every function accepts encoded lists and returns two arrays. The first array contains the value of each row and has
shape (n_rows,). The second array contains the value of an absent item for each list and has shape (n_lists,). If absent
items get no value, None is returned instead of the second array. In the formulas, ``r`` is the rank of the row, ``s``
is its score, and ``L`` is the length of its list. ``n`` is the number of distinct items of the query.

>>> from skrankagg._arrays._normalize import NORMS
>>> sorted(filter(None, NORMS))
['borda', 'dbsf', 'l2', 'max', 'min-max', 'rank', 'reciprocal', 'simple-borda', 'sum', 'z-score']
"""

import numpy as np

# The squares of scores above this number, or below its inverse, may leave the range of floating point.
_LARGE = 1e150
# Damping of the norm "reciprocal", the default of ReciprocalRankFusion.
_DAMPING = 60


def rank(lists):
    """Compute ``1 - (r - 1) / L`` from rank ``r`` and list length ``L``: 1 for the first item, 1/L for the last."""
    value = 1 - lists.rank
    value /= lists.list_length[lists.row_list]
    value += 1
    return value, None


def simple_borda(lists):
    """Compute ``1 - (r - 1) / n`` for rank ``r`` in a query of ``n`` items; absent items get no value."""
    value = 1 - lists.rank
    value /= lists.query_n_items[lists.candidate_query[lists.candidate]]
    value += 1
    return value, None


def borda(lists):
    """Compute ``1 - (r - 1) / n`` for rank ``r`` in a query of ``n`` items; an absent item gets a mean value.

    This value is the mean of the values for the ranks that a list of length ``L`` leaves free, ``L + 1`` to ``n``. It
    equals ``(n - L + 1) / (2 n)``.
    """
    value, _ = simple_borda(lists)
    n = lists.query_n_items[lists.list_query]
    return value, (n - lists.list_length + 1) / (2 * n)


def reciprocal(lists):
    """Compute ``(k + 1) / (k + r)`` for rank ``r``, with k = 60 as in reciprocal rank fusion; the first item gets 1."""
    return (_DAMPING + 1) / (_DAMPING + lists.rank), None


def min_max(lists):
    """Compute ``(s - min) / (max - min)`` for each score ``s`` of a list; every item of a constant list gets 1."""
    score, low, high = _moderate_scores(lists)
    span = high - low
    constant = span == 0
    span[constant] = 1
    value = score - low[lists.row_list]
    value /= span[lists.row_list]
    if constant.any():  # a listed item must have a higher value than an absent item
        value[constant[lists.row_list]] = 1
    return value, None


def bounded_min_max(lists, lower, upper, *, clip):
    """Compute ``(s - lower) / (upper - lower)`` for each score ``s`` of a list.

    The bounds have shape (n_lists,). A NaN bound is replaced by the list's lowest or highest score. With `clip`, a
    score beyond a bound is replaced by the bound. If the bounds of a list are equal, the divisor is 1. If the lower
    bound of such a list was NaN, 1 is added to each value, so all items of a constant list get 1. A negative ``upper -
    lower`` is possible only with ``clip=False``; the caller must reject it.
    """
    heads = lists.row_ptr[:-1]
    score = lists.score
    if clip:
        score = np.fmin(np.fmax(score, lower[lists.row_list]), upper[lists.row_list])
    low, high = np.minimum.reduceat(score, heads), np.maximum.reduceat(score, heads)
    low, high = np.where(np.isnan(lower), low, lower), np.where(np.isnan(upper), high, upper)
    large = np.maximum(np.abs(low), np.abs(high)) > _LARGE
    if large.any():  # only the ratio matters, and a quarter of a float is exact
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
    """Compute ``(s - mean) / sd`` for each score ``s`` of a list; every item of a constant list gets 0.

    ``sd`` is the population standard deviation of the list's scores.
    """
    score, low, high = _moderate_scores(lists)
    heads, length = lists.row_ptr[:-1], lists.list_length
    # The smallest score is subtracted first: a large common offset would use up the digits in which scores differ.
    value = score - low[lists.row_list]
    value -= (np.add.reduceat(value, heads) / length)[lists.row_list]
    sd = np.sqrt(np.add.reduceat(value**2, heads) / length)
    constant = low == high
    value[constant[lists.row_list]] = 0.0
    sd[constant] = 1.0
    value /= sd[lists.row_list]
    return value, None


def dbsf(lists):
    """Compute ``(s - mean + 3 sd) / (6 sd)`` for each score ``s`` of a list; every item of a constant list gets 1/2.

    ``sd`` is the population standard deviation of the list's scores.
    """
    value, _ = z_score(lists)
    value += 3.0
    value /= 6.0
    return value, None


def maximum(lists):
    """Compute ``s / max`` for each score ``s`` of a list; the caller checks that the greatest score is above 0."""
    high = np.maximum.reduceat(lists.score, lists.row_ptr[:-1])
    with np.errstate(over="ignore"):
        return lists.score / high[lists.row_list], None


def total(lists):
    """Compute ``(s - min) / sum(s - min)`` for each score ``s`` of a list, so that the values of a list sum to 1.

    Every item of a constant list of length L gets 1/L.
    """
    score, low, high = _moderate_scores(lists)
    value = score - low[lists.row_list]
    constant = low == high
    if constant.any():
        value[constant[lists.row_list]] = 1.0
    value /= np.add.reduceat(value, lists.row_ptr[:-1])[lists.row_list]
    return value, None


def l2(lists):
    """Compute ``s / sqrt(sum of s^2)`` for each score ``s`` of a list; a list of zeros keeps its zeros.

    This scales the scores of each list to Euclidean norm 1.
    """
    score, _, _ = _moderate_scores(lists)
    length = np.sqrt(np.add.reduceat(score**2, lists.row_ptr[:-1]))
    length[length == 0] = 1.0
    return score / length[lists.row_list], None


def _moderate_scores(lists):
    """Return scores in a range in which they can be squared.

    Returns three arrays: the scores of all rows, the lowest score of each list, and the highest score of each list.

    If squares of a list's scores would overflow or underflow, the scores of this list are multiplied by a power of two.
    This multiplication is exact.
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
    """Return a tuple: the scores unchanged, and None, which means that absent items get no value."""
    return lists.score.copy(), None


def lowest_values(lists, value):
    """Return the lowest value of each list, as an array of shape (n_lists,); `value` has shape (n_rows,)."""
    return np.minimum.reduceat(value, lists.row_ptr[:-1])


NORMS = {  # the default of CombSUM comes first
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
#: Normalisations that use scores; all others use only ranks.
SCORE_NORMS = frozenset({"min-max", "z-score", "max", "sum", "l2", "dbsf", None})
#: Text of the remedy in the message about lists without scores.
SCORES_HINT = "add a column 'score', or choose a norm that uses ranks, norm='borda' or norm='rank'"
