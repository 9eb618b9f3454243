"""Sums of ranks or scores over the plain Python lists of one query.

This module needs neither NumPy nor pandas, so a small program that only merges lists starts at once. Unlike the other
kernels, this kernel accepts Python lists and dicts: for a few hundred ids, the conversion to arrays would take longer
than everything else.
"""

import sys

from mypy_extensions import i64

from .plain_vectors import vectors

with vectors():
    from librt.vecs import vec

    from . import _plain_sums, _plain_values

_VF = vec[float]
_VI = vec[i64]
#: The methods.
RECIPROCAL_RANKS = _plain_sums.RECIPROCAL_RANKS
BORDA_POINTS = _plain_sums.BORDA_POINTS
SCORE_SUMS = _plain_sums.SCORE_SUMS
COUNTED_SCORE_SUMS = _plain_sums.COUNTED_SCORE_SUMS
#: Methods with details: first the methods that use ranks, then the methods that use scores.
SIMPLE_POINTS = _plain_values.SIMPLE_POINTS
POINTS_INSIDE = _plain_values.POINTS_INSIDE
INVERSE_SQUARES = _plain_values.INVERSE_SQUARES
TABLE = _plain_values.TABLE
RANK_SHARES = _plain_values.RANK_SHARES
POINT_SHARES = _plain_values.POINT_SHARES
SHARED_POINT_SHARES = _plain_values.SHARED_POINT_SHARES
RECIPROCAL_SHARES = _plain_values.RECIPROCAL_SHARES
MIN_MAX = _plain_values.MIN_MAX
Z_SCORES = _plain_values.Z_SCORES
DISTRIBUTION = _plain_values.DISTRIBUTION
BY_MAXIMUM = _plain_values.BY_MAXIMUM
BY_TOTAL = _plain_values.BY_TOTAL
BY_LENGTH = _plain_values.BY_LENGTH
AS_GIVEN = _plain_values.AS_GIVEN
#: Factors of the sums of methods with details.
NO_FACTOR = _plain_values.NO_FACTOR
SUPPORT = _plain_values.SUPPORT
INVERSE_SUPPORT = _plain_values.INVERSE_SUPPORT
MEAN = _plain_values.MEAN
NORMALIZED = _plain_values.NORMALIZED
OF_SUPPORT = _plain_values.OF_SUPPORT
#: True if the kernel is compiled; as plain Python, it is slower than NumPy.
IS_COMPILED = not _plain_sums.__file__.endswith(".py")


def sum_lists(lists, method, k, voter_weights, allow_others, details, weights, top, explain):
    """Merge the lists of one query; return None for unusual input, which only the general code of `fuse` can process.

    `lists`, `weights` and `explain` are the arguments of :func:`skrankagg.fuse`. `voter_weights` is a dict of weights
    by voter, or None. If `allow_others` is false, a dict with the name of a voter that has no list is unusual input.
    `top` is the number of items to return; 0 means all. `method` is RECIPROCAL_RANKS with the damping constant `k`,
    BORDA_POINTS, SCORE_SUMS of min-max scores, or COUNTED_SCORE_SUMS, which are these sums times the weight of the
    lists that contain the item. These four methods ignore `details`. The other methods need `details`, see
    :func:`details_of`.

    Usual lists are a list, or a dict with texts as keys. The elements are lists of ids, lists of tuples (id, score), or
    dicts of id to score. All ids are texts or all ids are integers. Scores are floats or integers, and integers must be
    below 2**53. If there are more than four distinct items, no list has exactly two items. Methods that use ranks need
    scores in descending order. Weights are floats or integers of ordinary size, in a list or, for named lists, in a
    dict. At most eight lists have weights.

    The result is equal to the result of the general code, to the last bit.
    """
    return _plain_sums.sum_lists(
        lists, method, k, voter_weights, allow_others, details, weights, top, explain, _order_many
    )


def details_of(factor=NO_FACTOR, *, use_lowest=False, helper=None, warn=None):
    """Return the argument `details` of :func:`sum_lists`: factors, values of absent items, and two functions.

    Parameters
    ----------
    factor : int
        Factor of an item's sum. SUPPORT is the total weight h of the lists that contain the item, and INVERSE_SUPPORT
        is 1 / h. MEAN divides the sum and the shares by h. NORMALIZED divides the sum of reciprocal ranks with the
        damping constant `k` by the highest possible sum. `helper` computes OF_SUPPORT.
    use_lowest : bool
        Whether each list gives its lowest value to the items missing from it.
    helper : callable or None
        For TABLE, ``helper(length)`` returns the values of the ranks 1, 1.5, 2 and so on, at least up to `length`. For
        OF_SUPPORT, ``helper(support, 0)`` returns the factors of all items. Without weights, ``helper(None, m)``
        returns the factors of the supports 0 to m. Each result is a vector of floats. If ``helper`` returns an empty
        vector of factors, `sum_lists` returns None.
    warn : callable or None
        Called without arguments if most lists lack more than half of the items.

    Returns
    -------
    tuple
        The argument `details`.
    """
    return factor, use_lowest, helper, warn


def as_vector(values):
    """Convert an array of float64 to a vector, the type that `helper` must return."""
    return _VF(values)


def _order_many(values):
    """Return the positions that sort a vector of values, largest first, or None if NumPy is not loaded."""
    numpy = sys.modules.get("numpy")
    return None if numpy is None else _VI(numpy.argsort(-numpy.asarray(values)))
