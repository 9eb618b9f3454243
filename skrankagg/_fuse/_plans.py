"""Plans of aggregators; a plan contains arguments for the kernel of :func:`fuse` that replace an aggregator."""

from __future__ import annotations

from functools import lru_cache, partial
from operator import attrgetter, is_
from types import SimpleNamespace
from weakref import ref

import numpy as np
import pandas as pd

from .._data._compared_items import warn_of_a_partial_query
from .._kernels import plain_sums
from .._kernels.plain_sums import as_vector, details_of
from ..aggregators import (
    BordaCount,
    CombANZ,
    CombMNZ,
    CombSUM,
    InverseSquareRank,
    LearnedWeights,
    RankBiasedCentroid,
    ReciprocalRankFusion,
    SimpleBorda,
)
from ..base._tags import checked_tags

# The kernel's method for each norm.
_NORMS = {
    "borda": plain_sums.SHARED_POINT_SHARES,
    "dbsf": plain_sums.DISTRIBUTION,
    "l2": plain_sums.BY_LENGTH,
    "max": plain_sums.BY_MAXIMUM,
    "min-max": plain_sums.MIN_MAX,
    "rank": plain_sums.RANK_SHARES,
    "reciprocal": plain_sums.RECIPROCAL_SHARES,
    "simple-borda": plain_sums.POINT_SHARES,
    "sum": plain_sums.BY_TOTAL,
    "z-score": plain_sums.Z_SCORES,
    None: plain_sums.AS_GIVEN,
}
# With a much larger damping constant, neighbouring reciprocal ranks would differ by rounding errors only.
_MOST_K = 1e6
# Powers of the support with larger exponents may leave the range of floating point.
_MOST_GAMMA = 4


def read_plan(aggregator):
    """Return the arguments of :func:`~skrankagg._kernels.plain_sums.sum_lists` that describe an aggregator.

    They are the kernel's method, the damping constant, the weights of the voters, whether these weights may name voters
    that have no list, and the details of the method. The result is None if the kernel cannot compute the aggregator's
    consensus.
    """
    read = _PLANS.get(type(aggregator))
    return None if read is None else read(aggregator)


# ---------------------------------------------------------------------- methods that use ranks


def _plan_rrf(method):
    k, depth, normalize = method.k, method.depth, method.normalize
    if type(k) not in (float, int) or not 0 <= k < _MOST_K:
        return None
    if depth is None and normalize is False:
        return _plan(plain_sums.RECIPROCAL_RANKS, method, None, float(k))
    if type(normalize) is not bool or not (depth is None or (type(depth) is int and depth >= 1)):
        return None
    helper = _table(ReciprocalRankFusion, k=k, depth=depth)
    factor = plain_sums.NORMALIZED if normalize else plain_sums.NO_FACTOR
    return _plan(plain_sums.TABLE, method, details_of(factor, helper=helper), float(k))


def _plan_centroid(method):
    p = method.persistence
    if type(p) is not float or not 0 < p < 1:
        return None
    return _plan(
        plain_sums.TABLE,
        method,
        details_of(helper=_table(RankBiasedCentroid, persistence=p)),
    )


def _plan_inverse_squares(method):
    if _is(method.support, "count"):
        return _plan(plain_sums.INVERSE_SQUARES, method, _TIMES_SUPPORT)
    if _is(method.support, "log") and type(method.sigma) in (float, int) and 0 <= method.sigma < _MOST_K:
        return _plan(plain_sums.INVERSE_SQUARES, method, _details_of_logarithms(method.sigma))
    return None


def _plan_borda(method):
    if _is(method.absent, "last"):
        return _plan(plain_sums.BORDA_POINTS, method, None)
    if _is(method.absent, "ignore"):
        return _plan(plain_sums.POINTS_INSIDE, method, _MEAN)
    return None


def _plan_simple_borda(method):
    return _plan(plain_sums.SIMPLE_POINTS, method, _PLAIN)


@lru_cache(maxsize=64, typed=True)
def _table(kind, **parameters):
    """Return a function that maps a list length to a vector of the values of the ranks 1, 1.5, 2 and so on.

    The function is the argument `helper` of ``details_of`` for the method TABLE. `kind` is the class of the aggregator,
    and `parameters` are its parameters.
    """
    method = kind(**parameters)

    @lru_cache(maxsize=16)
    def gains(n_bits):
        return as_vector(method._gain(SimpleNamespace(rank=np.arange(2, 2 ** (n_bits + 1) + 1) / 2)))

    return lambda length: gains(length.bit_length())


# ---------------------------------------------------------------------- methods that use scores


def _plan_sum(method):
    if _is(method.norm, "min-max") and _is(method.absent_score, "zero"):
        return _plan(plain_sums.SCORE_SUMS, method, None)
    return _plan_norm(method, plain_sums.NO_FACTOR)


def _plan_mnz(method):
    gamma = method.gamma
    if type(gamma) not in (float, int) or not -_MOST_GAMMA <= gamma <= _MOST_GAMMA:
        return None
    if gamma == 1:
        if _is(method.norm, "min-max") and _is(method.absent_score, "zero"):
            return _plan(plain_sums.COUNTED_SCORE_SUMS, method, None)
        return _plan_norm(method, plain_sums.SUPPORT)
    return _plan_norm(method, plain_sums.OF_SUPPORT, gamma)


def _plan_anz(method):
    if type(method.gamma) is not float or method.gamma != -1:
        return None
    return _plan_norm(method, plain_sums.INVERSE_SUPPORT)


def _plan_norm(method, factor, gamma=None):
    norm, lowest = method.norm, method.absent_score
    if not (norm is None or type(norm) is str) or type(lowest) is not str or norm not in _NORMS:
        return None
    kernel_method = _NORMS[norm]
    if lowest != "zero" and (lowest != "min" or kernel_method < plain_sums.MIN_MAX):
        return None
    details = _details_of_norm(type(method), norm, lowest, factor, gamma)
    return _plan(kernel_method, method, details)


@lru_cache(maxsize=256)
def _details_of_norm(kind, norm, absent_score, factor, gamma):
    helper = None
    parameters = {"norm": norm, "absent_score": absent_score}
    if gamma is not None:
        parameters["gamma"] = gamma
        helper = _by_support(CombMNZ(gamma=gamma)._factor)
    lenient = checked_tags(kind(**parameters)).lenient
    warn = None if lenient is None else partial(warn_of_a_partial_query, lenient, kind.__name__)
    return details_of(factor, use_lowest=absent_score == "min", helper=helper, warn=warn)


@lru_cache(maxsize=64)
def _details_of_logarithms(sigma):
    method = InverseSquareRank(support="log", sigma=sigma)

    def factor(held):
        # The general code raises an error for lower weights.
        too_low = ((held > 0) & (held + sigma < 1)).any()
        return np.empty(0) if too_low else method._of_support(None, held)

    return details_of(plain_sums.OF_SUPPORT, helper=_by_support(factor))


def _by_support(factor):
    """Return a function that computes the factors by which the sums of the items are multiplied.

    The function is the argument `helper` of ``details_of`` for OF_SUPPORT. An item's support is the total weight of the
    lists that contain the item. `factor` is a function that maps an array of supports to an array of factors.
    """

    @lru_cache(maxsize=64)
    def table(n_lists):
        return as_vector(factor(np.arange(n_lists + 1, dtype=np.float64)))

    return lambda support, n_lists: table(n_lists) if support is None else as_vector(factor(np.asarray(support)))


# ---------------------------------------------------------------------- learnt weights


class _Kept:
    """Cached kernel arguments (plan) of one LearnedWeights object, and the values from which they were computed.

    A user may change the frame of weights, even in place, so :meth:`is_current` compares its values with copies. The
    values are read from the blocks of the frame, because reading a column takes longer than merging a small query.
    """

    __slots__ = ("blocks", "columns", "frame", "method", "plan", "readers", "state")

    def __init__(self, method, frame, inside):
        number = id(method)
        self.method = ref(method, lambda _: _KEPT.pop(number, None))
        self.state = list(vars(method).values())
        self.frame = frame
        self.blocks, self.columns, self.readers = _read_blocks(frame)
        by_voter = dict(zip(frame["voter"].tolist(), frame["weight"].tolist(), strict=True))
        self.plan = (*inside[:2], by_voter, True, inside[4]) if len(by_voter) == len(frame) else None

    def is_current(self, state):
        manager = self.frame._mgr
        if (
            manager.blocks is not self.blocks
            or manager.axes[0] is not self.columns
            or len(state) != len(self.state)
            or not all(map(is_, state.values(), self.state))
        ):
            return False
        for block, read, content in self.readers:
            found = read(block)
            if found is not content and found != content:
                return False
        return True


def _read_blocks(frame):
    """Read the internal blocks of a pandas frame, so that later changes of the frame can be detected.

    Returns the blocks, the columns of the frame, and a list with a tuple for each block: the block, a function that
    reads its content, and its present content. All three results are None if the type of a block is unusual, or if
    the version of pandas has no such blocks.
    """
    manager = getattr(frame, "_mgr", None)
    blocks = getattr(manager, "blocks", None)
    if blocks is None:
        return None, None, None
    readers = []
    for block in blocks:
        read = _reader(block.values)
        if read is None:
            return None, None, None
        readers.append((block, read, read(block)))
    return blocks, manager.axes[0], readers


def _reader(values):
    if type(values) is np.ndarray:
        return _read_objects if values.dtype.hasobject else _read_bytes
    if not isinstance(values.dtype, pd.StringDtype):
        return None
    return _READ_ARROW if hasattr(values, "_pa_array") else _read_texts if hasattr(values, "_ndarray") else None


def _read_bytes(block):
    return block.values.tobytes()  # noqa: PD011


def _read_objects(block):
    return block.values.tolist()  # noqa: PD011


def _read_texts(block):
    return block.values._ndarray.tolist()  # noqa: PD011


def _plan_learned(method):
    """Return the kernel arguments for the aggregator inside a LearnedWeights object, with the learnt weights."""
    state = vars(method)
    kept = _KEPT.get(id(method))
    if kept is not None and method.aggregator is None and kept.is_current(state):
        return kept.plan
    frame, aggregator = state.get("voter_weights_"), method.aggregator
    if type(frame) is not pd.DataFrame:
        return None
    inside = _INSIDE if aggregator is None else read_plan(aggregator)
    if inside is None or inside[2] is not None or not _is_plain_sum(inside[4]):
        return None
    if kept is None or not kept.is_current(state):
        try:
            checked_tags(method)
        except (TypeError, ValueError):  # an invalid parameter, which the general code reports
            return None
        kept = _Kept(method, frame, inside)
        if kept.readers is not None:
            _KEPT[id(method)] = kept
    if kept.plan is None:
        return None
    return *inside[:2], kept.plan[2], True, inside[4]  # the method inside may have other parameters than before


def _is_plain_sum(details):
    return details is None or (details[0] == plain_sums.NO_FACTOR and details[3] is None)


# ---------------------------------------------------------------------- common parts


def _plan(kernel_method, method, details, k=0.0):
    given = method.voter_weights
    return (kernel_method, k, given, False, details) if given is None or type(given) is dict else None


def _is(value, text):
    return type(value) is str and value == text


_PLAIN = details_of()
_MEAN = details_of(plain_sums.MEAN)
_TIMES_SUPPORT = details_of(plain_sums.SUPPORT)
# Classes, not their subclasses, which may compute something else.
_PLANS = {
    ReciprocalRankFusion: _plan_rrf,
    RankBiasedCentroid: _plan_centroid,
    InverseSquareRank: _plan_inverse_squares,
    BordaCount: _plan_borda,
    SimpleBorda: _plan_simple_borda,
    CombSUM: _plan_sum,
    CombMNZ: _plan_mnz,
    CombANZ: _plan_anz,
    LearnedWeights: _plan_learned,
}
_INSIDE = read_plan(LearnedWeights()._base())
_READ_ARROW = attrgetter("values._pa_array")  # the content of an array of Arrow never changes
_KEPT: dict[int, _Kept] = {}
