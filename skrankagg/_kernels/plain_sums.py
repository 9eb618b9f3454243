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

    from . import _plain_sums

_VI = vec[i64]
#: The methods.
RECIPROCAL_RANKS = _plain_sums.RECIPROCAL_RANKS
BORDA_POINTS = _plain_sums.BORDA_POINTS
SCORE_SUMS = _plain_sums.SCORE_SUMS
COUNTED_SCORE_SUMS = _plain_sums.COUNTED_SCORE_SUMS
#: True if the kernel is compiled; as plain Python, it is slower than NumPy.
IS_COMPILED = not _plain_sums.__file__.endswith(".py")


def sum_lists(lists, method, k, voter_weights, allow_others, weights, top, explain):
    """Merge the lists of one query; return None for anything unusual, which only the general code of `fuse` accepts.

    `lists`, `weights` and `explain` are the arguments of :func:`skrankagg.fuse`. `voter_weights` is a dict of weights
    by voter, or None. If `allow_others` is false, names of other voters in this dict are unusual. `top` is the number
    of items to return; 0 means all. `method` is RECIPROCAL_RANKS with the damping constant `k`, BORDA_POINTS,
    SCORE_SUMS of min-max scores, or COUNTED_SCORE_SUMS, which are these sums times the weight of the lists that contain
    the item. The other methods ignore `k`.

    Usual lists are a list, or a dict with texts as keys. The elements are lists of ids, lists of tuples (id, score), or
    dicts of id to score. All ids are texts or all ids are integers. Scores are floats or integers, and integers must be
    below 2**53. With more than four distinct items, no list has two items. Methods of ranks need scores in descending
    order. Weights are floats or integers of ordinary size, in a list or, for named lists, in a dict. At most eight
    lists have weights.

    The result equals the result of the general code, to the last bit.
    """
    return _plain_sums.sum_lists(lists, method, k, voter_weights, allow_others, weights, top, explain, _order_many)


def _order_many(values):
    """Return the order of a vector of values, largest first, or None if NumPy is not loaded."""
    numpy = sys.modules.get("numpy")
    return None if numpy is None else _VI(numpy.argsort(-numpy.asarray(values)))
