"""Measure the constants of the estimated costs, and write them to skrankagg/base/costs.json.

Run it from anywhere as `python benchmarks/measure_costs.py [METHOD ...] [--plain]`. It measures the named methods, such
as Copeland, or all methods. Use a machine without other work; all methods take about a quarter of an hour.

Each variant of a method runs on lists of several sizes. The constants are those with the least squared errors of the
logarithms of the times. The terms of a method are its `_cost_terms`. Times are CPU times in one thread. If a size is
expected to take longer than `--limit` seconds, it is left out. With --plain, the kernels run as plain Python, in a copy
of the package without compiled kernels.
"""

import argparse
import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np
from _measure import best_time, cpu_with_processes, extra_memory
from scipy.optimize import least_squares, nnls
from sklearn.base import clone

from skrankagg import Copeland, Qrels, RankedLists
from skrankagg._kernels.loading import COMPILED
from skrankagg.base import SupervisedAggregator
from skrankagg.base._cost import SHARED_TERMS, TERMS, Sizes, announced_costs, probe
from skrankagg.datasets import make_ranked_lists
from skrankagg.exceptions import InputError
from skrankagg.utils.discovery import all_aggregators

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "skrankagg" / "base" / "costs.json"

# Numbers of queries, voters and items, and the length of the lists. A size is left out if it would take too long.
SIZES = (
    (1, 5, 20, 20),
    (300, 5, 20, 20),
    (20, 10, 100, 30),
    (1, 10, 200, 200),
    (1, 100, 50, 50),
    (1, 400, 20, 20),
    (2, 100, 200, 200),
    (1, 10, 500, 500),
    (1, 10, 1000, 100),
    (1, 1000, 20, 20),
    (1, 10, 1000, 1000),
    (1, 2000, 10, 10),
    (1000, 10, 200, 50),
    (1, 10, 2000, 2000),
    (1, 200, 1000, 1000),
    (1, 8000, 10, 10),
    (20_000, 5, 10, 10),
    (1, 10, 5000, 5000),
    (100, 10, 1000, 1000),
    (1, 1000, 500, 500),
)
# Sizes for memory, from the largest; the first one that takes less than the limit is measured.
MEMORY_SIZES = ((100, 10, 1000, 1000), (400, 10, 100, 100), (300, 5, 20, 20))
#: A constant that adds less than this share to all times is left out.
LEAST_SHARE = 1e-3
# Sizes for lists with weights; the first one that takes less than the limit is measured.
WEIGHTED_SIZES = ((4, 30, 300, 150), (20, 10, 100, 30), (1, 5, 20, 20))
#: A factor of weights below this number is left out.
LEAST_FACTOR = 1.5
#: Least bytes of a row, for the result and the encoded lists.
LEAST_BYTES = 40.0


@cache
def make_lists(size):
    """Return lists of a size, and judgements of their queries."""
    n_queries, n_voters, n_items, length = size
    lists, qrels, _ = make_ranked_lists(
        n_queries=n_queries, n_voters=n_voters, n_items=n_items, list_length=length, random_state=0
    )
    lists["score"] += 1 - lists["score"].min()  # some norms divide by the greatest score of a list
    lists = RankedLists.from_frame(lists)
    data = lists, Qrels.from_frame(qrels).align(lists)
    gc.freeze()  # otherwise the collection before each measurement would visit the ids of all lists
    return data


def seconds_of(function):
    """Return the CPU seconds of a call: the least of several calls if a call is short."""
    first = best_time(function, 1, cpu_with_processes)
    repeat = 3 if first < 0.05 else 1 if first < 0.5 else 0
    return min(first, best_time(function, repeat, cpu_with_processes)) if repeat else first


class Fit:
    """Seconds of calls of several sizes, and the constants that fit them."""

    def __init__(self, method):
        self.method = method
        self.terms = tuple(dict.fromkeys((*SHARED_TERMS, *method._cost_terms)))
        self.rows, self.seconds, self.constants = [], [], None

    def values(self, lists, method=None):
        """Return the value of each term, summed over the queries; the first term is the call itself."""
        sizes = Sizes.of_lists(lists)
        found = [1.0]
        for term in self.terms:
            if term == "aggregator":
                inner = (method or self.method)._aggregator()
                inner.fit_transform(lists)
                found.append(seconds_of(lambda inner=inner: inner._aggregate(lists)))
            else:
                found.append(TERMS[term](sizes).sum())
        return np.array(found)

    def add(self, lists, seconds, method=None):
        """Add a measurement, and fit the constants again; `method` has another aggregator inside."""
        self.rows.append(self.values(lists, method))
        self.seconds.append(seconds)
        rows, seconds = np.array(self.rows), np.array(self.seconds)
        self.constants = nnls(rows / seconds[:, None], np.ones(len(seconds)))[0]
        used = self.constants > 0
        wrong = lambda logs: np.log(rows[:, used] @ np.exp(logs)) - np.log(seconds)  # noqa: E731
        self.constants[used] = np.exp(least_squares(wrong, np.log(self.constants[used])).x)
        self.constants[(rows * self.constants < LEAST_SHARE * seconds[:, None]).all(axis=0)] = 0.0

    def expect(self, lists):
        """Return the expected seconds, or 0 while there are too few measurements."""
        return 0.0 if len(self.rows) < 3 else float(self.values(lists) @ self.constants)

    def worst(self):
        """Return the largest factor between a measured time and its fit."""
        return float(np.exp(np.abs(np.log(np.array(self.rows) @ self.constants / self.seconds)).max()))

    def as_dict(self):
        """Return the constants above 0, by term."""
        return {
            term: float(f"{value:.4g}")
            for term, value in zip(("call", *self.terms), self.constants, strict=True)
            if value > 0
        }


def measure(method, limit):
    """Return the constants of one variant, and a text that describes the fit."""
    learns = isinstance(method, SupervisedAggregator)
    run = (lambda lists: method.transform(lists)) if learns else (lambda lists: method.fit_transform(lists))
    fits = {"seconds": Fit(method)} | ({"learning": Fit(method)} if learns else {})
    for size in SIZES:
        lists, qrels = make_lists(size)
        if sum(fit.expect(lists) for fit in fits.values()) > limit:
            continue
        if learns:
            fits["learning"].add(lists, seconds_of(lambda lists=lists, qrels=qrels: method.fit(lists, qrels)))
        try:
            fits["seconds"].add(lists, seconds_of(lambda lists=lists: run(lists)))
        except InputError:  # exact variants refuse many lists
            continue
        if fits["seconds"].seconds[-1] > 5 * limit:
            break
    if "aggregator" in method._cost_terms:
        # The aggregator inside may also be quadratic in the items.
        other = clone(method).set_params(aggregator=Copeland())
        for size in WEIGHTED_SIZES:
            lists, _ = make_lists(size)
            other.fit_transform(lists)
            fits["seconds"].add(lists, seconds_of(lambda lists=lists: other.fit_transform(lists)), other)
    for size in MEMORY_SIZES:
        lists, qrels = make_lists(size)
        if fits["seconds"].expect(lists) <= limit:
            break
    if learns:
        method.fit(lists, qrels)
    peak, _ = extra_memory(lambda: run(lists))
    needed = method._memory(lists)
    peak -= 0 if needed is None else needed.max()
    constants = {name: fit.as_dict() for name, fit in fits.items()}
    constants["row_bytes"] = round(max(peak / lists.n_rows, LEAST_BYTES))
    weighted = slower_with_weights(method, limit, fits["seconds"])
    if weighted > LEAST_FACTOR:
        constants["weighted"] = weighted
    fit = fits["seconds"]
    return constants, f"{len(fit.rows)} sizes, to {max(fit.seconds):.2f} s, worst factor {fit.worst():.2f}"


def slower_with_weights(method, limit, fit):
    """Return the time with fractional weights of lists, divided by the time without weights; 1 if it does not apply."""
    tags = method.__sklearn_tags__().aggregator_tags
    if tags.supervised or tags.integer_weights or not tags.voter_weights:
        return 1.0
    lists, _ = next(one for one in map(make_lists, WEIGHTED_SIZES) if fit.expect(one[0]) <= limit)
    weights = np.random.default_rng(0).random(lists.n_lists) + 1.0
    weighed = lists.with_list_weight(weights)
    return round(seconds_of(lambda: method.fit_transform(weighed)) / seconds_of(lambda: method.fit_transform(lists)), 2)


def variants_of(kind):
    """Return the parameters of the variants of a class, without repeats; the default comes first."""
    found = []
    for params in ({}, *getattr(kind, "_variants", ()), *kind._cost_variants):
        if params not in found:
            found.append(params)
    return found


def in_plain_python(arguments):
    """Run this script in a copy of the package without compiled kernels, which writes the same file."""
    with tempfile.TemporaryDirectory() as folder:
        ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__", "_compiled.json")
        shutil.copytree(ROOT / "skrankagg", Path(folder) / "skrankagg", ignore=ignored)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([folder, str(Path(__file__).parent)])}
        code = "import sys, measure_costs; measure_costs.main(sys.argv[1:])"
        subprocess.run([sys.executable, "-P", "-c", code, *arguments], env=environment, cwd=folder, check=True)


def main(arguments=None):
    """Measure the chosen methods, and write the file after each method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="*", help="names of classes; default: all")
    parser.add_argument("--limit", type=float, default=1.5, help="seconds that a call may be expected to take")
    parser.add_argument("--plain", action="store_true", help="run the kernels as plain Python")
    options = parser.parse_args(arguments)
    if options.plain and COMPILED:
        return in_plain_python(sys.argv[1:])
    warnings.simplefilter("ignore")
    kinds = all_aggregators()
    unknown = set(options.methods) - set(kinds)
    if unknown:
        parser.error(f"methods must be among {', '.join(kinds)}; got {', '.join(sorted(unknown))}")
    speed = _probe()
    for name in options.methods or kinds:
        measured = []
        for params in variants_of(kinds[name]):
            with announced_costs():
                constants, fit = measure(kinds[name](**params), options.limit)
            measured.append({"params": params, **constants})
            print(f"{name} {params}: {fit}", flush=True)
        # The file is read again, because another run may have changed it.
        table = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"compiled": {}, "plain": {}}
        if not options.methods and COMPILED:
            table["probe"] = float(f"{speed:.4g}")
        # Times are converted to the machine of the probe in the file.
        _scale(measured, table["probe"] / speed)
        own = table["compiled" if COMPILED else "plain"] | {name: measured}
        table["compiled" if COMPILED else "plain"] = {one: own[one] for one in sorted(own)}
        FILE.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


def _probe():
    """Return the seconds of the fastest of several probes."""
    return min(probe() for _ in range(10))


def _scale(measured, factor):
    """Multiply the seconds of all variants by a factor."""
    for one in measured:
        for part in {"seconds", "learning"} & set(one):
            one[part] = {term: float(f"{value * factor:.4g}") for term, value in one[part].items()}


if __name__ == "__main__":
    main()
