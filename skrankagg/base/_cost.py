"""Estimates of the time and the memory of a method, before it runs.

A class declares the terms of its cost in ``_cost_terms``, for example m n^2. ``costs.json`` contains the seconds that
each term took on a reference machine; ``benchmarks/measure_costs.py`` writes this file. A probe takes some milliseconds
and compares the speed of this machine with the speed of the reference machine.
"""

import json
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arrays import COMPILED
from .._support._memory import available_memory, format_bytes
from .._support._progress import format_seconds
from .._support._warn import warn_user
from ..exceptions import CostWarning

#: Seconds above which a call warns.
LONG = 60.0
#: This machine is not probed for a call that is expected to take fewer seconds on the reference machine.
_WORTH = 1.0 if COMPILED else 0.05
#: Number of repetitions of the probe; the fastest repetition counts.
_PROBES = 5
#: Clock of the probe: other work on the machine does not count, except on Windows, whose CPU clock is too coarse.
_CLOCK = time.perf_counter if sys.platform == "win32" else time.thread_time
_FILE = Path(__file__).parent / "costs.json"
_METHODS = f"{__name__.partition('.')[0]}.aggregators."

#: Terms of a cost. Each is a function of the sizes, which returns a value for each query.
TERMS = {
    "queries": lambda sizes: np.ones(sizes.n_queries),
    "m": lambda sizes: sizes.n_lists,
    "N": lambda sizes: sizes.n_rows,
    "N log N": lambda sizes: sizes.n_rows * np.log2(sizes.n_rows + 1),
    "m n": lambda sizes: sizes.n_lists * sizes.n_items,
    "N n": lambda sizes: sizes.n_rows * sizes.n_items,
    "N sqrt m": lambda sizes: sizes.n_rows * np.sqrt(sizes.n_lists),
    "sum L^2": lambda sizes: sizes.sum_over_lists(sizes.list_length**2),
    "n^2": lambda sizes: sizes.n_items**2,
    "n^2 log n": lambda sizes: sizes.n_items**2 * np.log2(sizes.n_items + 1),
    "m n^2": lambda sizes: sizes.n_lists * sizes.n_items**2,
    "n^3": lambda sizes: sizes.n_items**3,
    "m^2": lambda sizes: sizes.n_lists**2,
    "m^2 n": lambda sizes: sizes.n_lists**2 * sizes.n_items,
    "m^3": lambda sizes: sizes.n_lists**3,
}
#: Terms in the cost of every method. One more term, "call", is added once for a call, not for each query.
SHARED_TERMS = ("queries", "m", "N")

_announced: ContextVar[bool] = ContextVar("announced", default=False)


class EstimatedCost(NamedTuple):
    """Estimated time and memory of a method, as a named tuple.

    :func:`~skrankagg.inspection.estimated_cost` returns it. ``repr`` shows rounded numbers with units.

    Parameters
    ----------
    seconds : float
        Time of ``fit_transform`` for encoded lists, in one thread.
    bytes : int
        Peak memory that the call adds.

    See Also
    --------
    skrankagg.inspection.estimated_cost : Estimates the time and the memory of a method.

    Examples
    --------
    >>> from skrankagg.inspection import EstimatedCost
    >>> cost = EstimatedCost(seconds=594.2, bytes=290_000_000)
    >>> cost
    EstimatedCost(about 10 minutes and 290 MB)
    >>> seconds, n_bytes = cost
    >>> seconds
    594.2
    """

    seconds: float
    bytes: int

    def __repr__(self) -> str:
        return f"EstimatedCost(about {format_seconds(self.seconds)} and {format_bytes(self.bytes)})"


@dataclass
class Sizes:
    """Sizes of ranked lists, which determine the estimated cost of a method.

    The attributes have the same names and shapes as in RankedLists. All queries of these
    lists occur `repeat` times.
    """

    query_n_items: NDArray
    list_length: NDArray
    list_ptr: NDArray
    repeat: int = 1
    is_weighted: bool = False

    @classmethod
    def of_lists(cls, lists):
        """Return the sizes of RankedLists."""
        return cls(
            lists.query_n_items.astype(float), lists.list_length.astype(float), lists.list_ptr, 1, lists.is_weighted
        )

    @classmethod
    def of_numbers(cls, n_queries, n_voters, n_items, list_length=None):
        """Return the sizes of queries that all have the same numbers of voters and items."""
        length = min(n_items, n_items if list_length is None else list_length)
        return cls(
            np.array([float(min(n_items, n_voters * length))]),
            np.full(n_voters, float(length)),
            np.array([0, n_voters]),
            n_queries,
        )

    def cut(self, depth):
        """Return the sizes after all lists are cut to a depth."""
        length = np.minimum(self.list_length, depth)
        n_items = np.minimum(self.query_n_items, self.sum_over_lists(length))
        return Sizes(n_items, length, self.list_ptr, self.repeat, self.is_weighted)

    def sum_over_lists(self, value):
        """For each query, sum the values of its lists."""
        return np.add.reduceat(np.asarray(value, dtype=float), self.list_ptr[:-1])

    @property
    def n_queries(self):
        return len(self.query_n_items)

    @property
    def n_items(self):
        return self.query_n_items

    @property
    def n_lists(self):
        return np.diff(self.list_ptr).astype(float)

    @property
    def n_rows(self):
        return self.sum_over_lists(self.list_length)

    def __str__(self):
        n_queries = self.n_queries * self.repeat
        queries = "1 query of" if n_queries == 1 else f"{n_queries:,} queries of up to"
        n_lists, n_items = int(self.n_lists.max()), int(self.query_n_items.max())
        return f"{queries} {n_lists:,} list{'s' * (n_lists != 1)} and {n_items:,} item{'s' * (n_items != 1)}"


@contextmanager
def announced_costs():
    """Return a context manager that suppresses warnings about cost, because the caller has already warned."""
    token = _announced.set(True)
    try:
        yield
    finally:
        _announced.reset(token)


def estimate(estimator, sizes):
    """Estimate the cost of fitting an estimator and aggregating the same lists; return None if the cost is unknown.

    The estimator may be an aggregator, or a pipeline with aggregators. Other steps of a pipeline count as free.
    """
    if not hasattr(estimator, "steps"):
        return _of_aggregator(estimator, sizes, ("seconds", "learning"))
    found = []
    for _, step in estimator.steps:
        if hasattr(step, "_cut_sizes"):
            sizes = step._cut_sizes(sizes)
        elif hasattr(step, "_cost_terms"):
            found.append(_of_aggregator(step, sizes, ("seconds", "learning")))
            sizes = Sizes.of_numbers(sizes.n_queries * sizes.repeat, 1, int(sizes.query_n_items.max()))
    if not found or None in found:
        return None
    return EstimatedCost(sum(one.seconds for one in found), max(one.bytes for one in found))


def _of_aggregator(aggregator, sizes, parts):
    seconds, n_bytes = _reference_seconds(aggregator, sizes, parts), _bytes(aggregator, sizes)
    return None if seconds is None else EstimatedCost(_scaled(aggregator, sizes, seconds), n_bytes)


def _scaled(aggregator, sizes, seconds):
    """Return the total seconds on this machine, given the reference machine's seconds for a call and for each query."""
    once, each = (machine_factor() * one for one in seconds)
    return float(once + sizes.repeat * aggregator._limited_seconds(each, sizes.repeat * len(each)).sum())


def warn_of_cost(aggregator, lists, parts=("seconds",)):
    """Warn if a call of an aggregator is expected to take more than a minute.

    Small lists are skipped, because the estimate would take a large share of the call's time.
    """
    if lists.n_rows < aggregator._quick_rows or _announced.get():
        return
    sizes = Sizes.of_lists(lists)
    seconds = _reference_seconds(aggregator, sizes, parts)
    if seconds is None or seconds[0] + seconds[1].sum() < _WORTH:
        return
    scaled = _scaled(aggregator, sizes, seconds)
    if scaled <= LONG:
        return
    needed = aggregator._memory(lists)
    if needed is None or needed.max() <= available_memory():  # otherwise the call is refused, so it takes no time
        warn_user(
            f"{aggregator!r} will take about {format_seconds(scaled)} for {sizes}; {aggregator._cost_advice}. "
            "warnings.simplefilter('ignore', CostWarning) hides this warning.",
            CostWarning,
        )


def _reference_seconds(aggregator, sizes, parts):
    """Return the seconds for a call, and the seconds for each query, on the reference machine; None if unknown.

    The costs of all methods were measured on the reference machine. `parts` contains the names of the groups of
    measured constants that are used, such as "seconds".
    """
    constants = constants_of(aggregator)
    if constants is None:
        return None
    once, each = 0.0, np.zeros(sizes.n_queries)
    for part in parts:
        for term, seconds in constants.get(part, {}).items():
            if term == "call":
                once += seconds
            elif term == "aggregator":
                # The method aggregates the lists repeatedly, with learned weights.
                inner = _reference_seconds(aggregator._aggregator(), replace(sizes, is_weighted=True), ("seconds",))
                if inner is None:
                    return None
                each += seconds * inner[1]
            else:
                each += seconds * TERMS[term](sizes)
    # Some methods have a faster algorithm for lists without weights.
    return once, each * (constants.get("weighted", 1.0) if sizes.is_weighted else 1.0)


def _bytes(aggregator, sizes):
    constants = constants_of(aggregator)
    if constants is None:
        return 0
    needed = aggregator._memory(sizes)
    return int(constants["row_bytes"] * sizes.n_rows.sum() * sizes.repeat + (0 if needed is None else needed.max()))


def constants_of(aggregator):
    """Return the measured constants that determine the cost of an aggregator, or None if it was not measured.

    Constants may have been measured for several variants of a method, which differ in their parameters. Among the
    variants that match the aggregator's parameters, the variant with the most parameters is used.
    """
    methods = _table()["seconds"]
    variants = next((methods[name] for name in map(_key, type(aggregator).__mro__) if name in methods), ())
    params = aggregator.get_params(deep=False) if variants else {}
    matching = [one for one in variants if all(params.get(key) == value for key, value in one["params"].items())]
    return max(matching, key=lambda one: len(one["params"]), default=None)


def _key(kind):
    # A class outside of the package may have the name of one of its methods.
    return kind.__name__ if kind.__module__.startswith(_METHODS) else ""


@cache
def _table():
    """Read the measured constants of all methods, and the seconds of :func:`probe` on the reference machine.

    The costs of all methods were measured on the reference machine.

    If the kernels run as plain Python, the constants for plain Python are used. Methods without such constants keep the
    constants for compiled kernels.
    """
    table = json.loads(_FILE.read_text(encoding="utf-8"))
    return {"probe": table["probe"], "seconds": table["compiled"] | ({} if COMPILED else table["plain"])}


@cache
def machine_factor():
    """Return the seconds of :func:`probe` on this machine, divided by its seconds on the reference machine.

    The costs of all methods were measured on the reference machine. The probe takes about 20 milliseconds, and runs
    once in each process.
    """
    return probe() / _table()["probe"]


def probe():
    """Measure the seconds that a fixed piece of work takes in NumPy and Python."""
    rng = np.random.default_rng(0)
    values, codes = rng.random(40_000), rng.integers(0, 1000, 40_000)
    square = values[:22_500].reshape(150, 150)
    best = np.inf
    for _ in range(_PROBES):
        start = _CLOCK()
        np.sort(values)
        np.bincount(codes, weights=values, minlength=1000)
        (square[:, None, :50] > square[None, :, :50]).sum(axis=2)
        sum(k * k for k in range(10_000))
        best = min(best, _CLOCK() - start)
    return best
