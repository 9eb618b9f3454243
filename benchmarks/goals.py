"""Goals for speed: the values of an older commit, the goals, and the values reached, in one table.

python benchmarks/goals.py [--only PART ...] [--python OTHER ...] [--before PYTHON] [--cache FOLDER]

The column "before" has the values of commit 3e100f08 on a machine with two processors. PYTHON is the Python of an
environment with an older version of the package. The same lines are then measured there, in the same run, and these
values replace the column. Each OTHER is the Python of another environment, such as one without pyarrow, in which the
table is also printed. Times are CPU times in one thread. Most are least times of loops of calls, with warm caches. Use
an idle machine, because the times of PyFLAGR and ranx are wall-clock times of other processes. Lines of a missing
library state this. Each measured part is kept in FOLDER, so a later call continues.

A goal is one of these: "3x faster" than before, at most a time or a ratio ("<="), or at least a ratio (">=").
"""

import argparse
import functools
import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"))

import encoding
import evaluation
import from_files
import fuse as fuse_benchmark
import methods
import numpy as np
import pandas as pd
import ranx_fusion
import ways_in
from _measure import best_time, cpu_time, table

import skrankagg
from skrankagg import (
    DIBRA,
    BordaCount,
    CombMNZ,
    CombSUM,
    Copeland,
    Kemeny,
    KwikSort,
    MarkovChain,
    Minimax,
    PlackettLuce,
    Qrels,
    RankedLists,
    RankedPairs,
    ReciprocalRankFusion,
    RobustRankAggregation,
    Schulze,
    SimpleBorda,
    evaluate,
    fuse,
)
from skrankagg.datasets import make_comparisons, make_ranked_lists, make_rasdagen, read_lists
from skrankagg.inspection import rank_stability

ARROW = importlib.util.find_spec("pyarrow") is not None
SCALE = {"s": 1.0, "ms": 1e3, "us": 1e6, "x": 1.0}
#: Parts of the table, by name: functions that return the values of their lines, in seconds or as ratios.
PARTS = {}


class Goal(NamedTuple):
    """A line of the table: its unit, the value before, the goal, and the goal with pyarrow if this differs."""

    unit: str
    before: float | None
    goal: str
    with_arrow: str | None = None

    def text(self):
        """Return the goal in this environment."""
        return self.with_arrow if ARROW and self.with_arrow else self.goal

    def is_met(self, reached, before):
        """Return whether a value meets the goal, or None if that is unknown."""
        text = self.text()
        number = float(re.search(r"[\d.]+", text)[0])
        if text.endswith("faster"):
            return None if before is None else before / reached >= number
        return reached <= number if text.startswith("<=") else reached >= number


SMALL, HALF = "one encoded query of 3 lists x 20 items", "2x faster"
_FUSED = {
    "RRF": (37, 69, 570),
    "CombSUM, dicts": (64, 104, 725),
    "CombMNZ": (64, 104, 725),
    "BordaCount": (None, None, None),
}
GOALS = {
    "a TREC file of a million rows": Goal("ms", 630, "1.5x faster", "2.5x faster"),
    "a CSV file of a million rows": Goal("ms", 430, "1.2x faster", "2x faster"),
    "a Parquet file of a million rows": Goal("ms", 77, "3x faster"),
    "from a file, least factor to PyFLAGR: sums, RRA, DIBRA": Goal("x", 1.6, ">= 2.5 x", ">= 4 x"),
    "dicts of 500,000 rows": Goal("ms", 218, "1.5x faster"),
    "five measures of dicts, factor to pytrec_eval": Goal("x", 0.5, ">= 1 x"),
    "categories of a million rows, RRF, frame": Goal("ms", 97, "<= 70 ms"),
    "categories of a million rows, encoding": Goal("ms", 66, "<= 40 ms"),
    "strings of a million rows, encoding by factorizing": Goal("x", 1.8, "<= 1.8 x", "<= 1.3 x"),
    **{
        f"fuse, {name}, {size}": Goal("us", before, f"<= {most} us")
        for name, values in _FUSED.items()
        for size, before, most in zip(("2 x 10", "3 x 100", "5 x 1000"), values, (6, 44, 750), strict=True)
    },
    "fuse, slowest other linear method by RRF, 3 x 100": Goal("x", None, "<= 1.5 x"),
    "fuse, voter_weights= by weights=, 3 x 100": Goal("x", 10, "<= 1.3 x"),
    "fuse, LearnedWeights by weights=, 3 x 100": Goal("x", 10, "<= 1.3 x"),
    "fuse, explain by RRF, 3 x 100": Goal("x", 4, "<= 2.5 x"),
    f"{SMALL}: slowest method of sums": Goal("ms", 0.39, "<= 0.2 ms"),
    f"{SMALL}: Copeland": Goal("ms", 0.55, "<= 0.3 ms"),
    f"{SMALL}: slowest of Schulze, Minimax, RankedPairs": Goal("ms", 0.9, "<= 0.5 ms"),
    f"{SMALL}: KwikSort": Goal("ms", 1.2, HALF),
    f"{SMALL}: Kemeny": Goal("ms", 1.9, HALF),
    f"{SMALL}: PlackettLuce": Goal("ms", 3.8, HALF),
    f"{SMALL}: DIBRA": Goal("ms", 5, HALF),
    "a new process, fuse by rrf": Goal("s", 1.2, "<= 0.05 s"),
    "a new process, fuse by combsum": Goal("s", 1.2, "<= 0.05 s"),
    "DIBRA(prune='wire') from a frame, factor to PyFLAGR": Goal("x", 4.8, ">= 6 x"),
    "MarkovChain, 'mc1', 500 items": Goal("ms", 12, "<= 4 ms"),
    "MarkovChain, 'mc2', 500 items": Goal("ms", 12, "<= 4 ms"),
    "PlackettLuce, 1000 queries of 5 x 10, a query": Goal("us", 109, "<= 60 us"),
    "rank_stability, 1000 draws, MarkovChain": Goal("s", 15, "<= 1 s"),
    "rank_stability, 1000 draws, RobustRankAggregation": Goal("s", 11, "<= 1 s"),
    "a million duels, by choix": Goal("x", 2.4, "<= 1 x"),
    "ranx's measures from a frame, factor": Goal("x", 2, ">= 5 x"),
    "31 measures from frames, factor to pytrec_eval from dicts": Goal("x", 0.89, ">= 1.5 x"),
    "eleven-point curve from codes, factor to pytrec_eval": Goal("x", 2.1, ">= 4 x"),
    "slowest pairwise method, 1000 items by 500 items": Goal("x", 5, "<= 4.2 x"),
}


def part(function):
    """Register a function that measures lines of the table."""
    PARTS[function.__name__] = function
    return function


def least(function, loops=1, repeat=20):
    """Return the least CPU seconds of a call, in loops of calls."""

    def loop():
        for _ in range(loops):
            function()

    function()
    return cpu_time(loop, repeat) / loops


def is_missing(library):
    """Return whether a library is not installed."""
    return importlib.util.find_spec(library) is None


@part
def files(folder):
    """Measure the time to read and encode files of a million rows."""
    frame = from_files.make_frame(1000, 10, 100)
    trec = frame.assign(Q0="Q0")[["query", "Q0", "item", "rank", "score", "voter"]]
    trec.to_csv(folder / "lists.trec", sep=" ", header=False, index=False)
    frame.to_csv(folder / "lists.csv", index=False)
    if ARROW:
        frame.to_parquet(folder / "lists.parquet")
    for kind in ("TREC", "CSV", "Parquet"):
        path = folder / f"lists.{kind.lower()}"
        seconds = None
        if path.exists():
            seconds = cpu_time(lambda path=path: read_lists(path, as_frame=False), 5)
        yield f"a {kind} file of a million rows", seconds


@part
def pyflagr(folder):
    """Compare methods with PyFLAGR, from a file and from a frame."""
    lists, factors = make_rasdagen()[0], []
    path = folder / "seed.csv"
    for name, method in methods.default_methods():
        if name not in methods.PEERS or (methods.PEERS[name][0] not in ("Linear", "RRA") and "DIBRA" not in name):
            continue
        theirs = methods.their_time(name, lists, path, 5, 60, from_file=True)
        if isinstance(theirs, float):
            lists.assign(source="x").to_csv(path, header=False, index=False)
            factors.append(theirs / best_time(lambda m=method: m.fit_transform(read_lists(path)), 5))
    yield "from a file, least factor to PyFLAGR: sums, RRA, DIBRA", min(factors, default=None)
    theirs = methods.their_time("DIBRA[prune=wire]", lists, path, 5, 60)
    wire = DIBRA(prune="wire")
    found = theirs / best_time(lambda: wire.fit_transform(lists), 5) if isinstance(theirs, float) else None
    yield "DIBRA(prune='wire') from a frame, factor to PyFLAGR", found


@part
def frames(_):
    """Measure dicts of runs, and frames of categories and of strings."""
    runs = ways_in.make_runs(500_000, 50, 100, True)
    yield "dicts of 500,000 rows", cpu_time(lambda: RankedLists.from_runs(runs), 5)
    categories = encoding.make_lists(200, 50, 100, "category", False, "rank")
    rrf = ReciprocalRankFusion()
    yield "categories of a million rows, RRF, frame", cpu_time(lambda: rrf.fit_transform(categories), 5)
    yield "categories of a million rows, encoding", cpu_time(lambda: RankedLists.from_frame(categories), 5)
    strings = encoding.make_lists(200, 50, 100, "str", False, "rank")
    factorize = cpu_time(lambda: [pd.factorize(strings[name]) for name in ("query", "voter", "item")], 5)
    encode = cpu_time(lambda: RankedLists.from_frame(strings), 5)
    yield "strings of a million rows, encoding by factorizing", encode / factorize


@part
def plain_lists(_):
    """Measure fuse for one query."""
    rng = random.Random(0)
    for n_lists, length, repeat in fuse_benchmark.SIZES:
        ids, pairs, dicts = fuse_benchmark.make_query(rng, n_lists, length, length * 5 // 2)
        calls = {name: call for name, call in fuse_benchmark.usual_calls(ids, pairs, dicts).items() if "fuse" in name}
        if length == 100:
            others = SimpleBorda(), *(CombSUM(norm=norm) for norm in ("borda", "rank", "z-score", None))
            calls |= {f"other {method}": lambda one=method, d=dicts: fuse(d, one) for method in others}
        times = fuse_benchmark.cpu_times(calls, 40, repeat)
        for name in _FUSED:
            yield f"fuse, {name}, {n_lists} x {length}", times[f"fuse, {name}"]
        if length == 100:
            slowest = max(seconds for name, seconds in times.items() if name.startswith("other"))
            given = times["fuse, RRF, weights="]
            yield "fuse, slowest other linear method by RRF, 3 x 100", slowest / times["fuse, RRF"]
            yield "fuse, voter_weights= by weights=, 3 x 100", times["fuse, RRF, voter_weights="] / given
            yield "fuse, LearnedWeights by weights=, 3 x 100", times["fuse, LearnedWeights"] / given
            yield "fuse, explain by RRF, 3 x 100", times["fuse, RRF, explain"] / times["fuse, RRF"]


@part
def small_queries(_):
    """Measure fit_transform of one small encoded query."""
    lists = RankedLists.from_lists(fuse_benchmark.make_query(random.Random(0), 3, 20, 50)[2])

    def slowest(*given):
        return max(least(lambda one=method: one.fit_transform(lists), 20) for method in given)

    sums = slowest(ReciprocalRankFusion(), CombSUM(), CombMNZ(), BordaCount(), SimpleBorda())
    yield f"{SMALL}: slowest method of sums", sums
    yield f"{SMALL}: Copeland", slowest(Copeland())
    yield f"{SMALL}: slowest of Schulze, Minimax, RankedPairs", slowest(Schulze(), Minimax(), RankedPairs())
    for method in (KwikSort(), Kemeny(), PlackettLuce(), DIBRA()):
        yield f"{SMALL}: {type(method).__name__}", slowest(method)


@part
def first_calls(_):
    """Measure new processes that import fuse and call it once."""
    for name in ("rrf", "combsum"):
        command = [sys.executable, "-c", fuse_benchmark.START, repr(name)]
        runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout)[0] for _ in range(5)]
        yield f"a new process, fuse by {name}", min(runs)


@part
def algorithms(_):
    """Measure chains, models and draws."""
    lists = RankedLists.from_frame(methods.full_lists(100, 500))
    for chain in ("mc1", "mc2"):
        method = MarkovChain(chain=chain)
        yield f"MarkovChain, '{chain}', 500 items", least(lambda one=method: one.fit_transform(lists))
    ten = methods.full_lists(5, 10, 1000)
    ten = RankedLists.from_frame(ten)
    model = PlackettLuce()
    yield "PlackettLuce, 1000 queries of 5 x 10, a query", least(lambda: model.fit_transform(ten), 1, 5) / 1000
    board = RankedLists.from_frame(
        make_ranked_lists(n_queries=20, n_voters=50, n_items=100, list_length=None, random_state=0)[0]
    )
    for method in (MarkovChain(), RobustRankAggregation()):
        seconds = cpu_time(lambda one=method: rank_stability(one, board), 2)
        yield f"rank_stability, 1000 draws, {type(method).__name__}", seconds
    sizes = [RankedLists.from_frame(methods.full_lists(50, n)) for n in (500, 1000)]
    growth = []
    for method in (Schulze(), Minimax(), RankedPairs(), Copeland()):
        few, many = (least(lambda one=method, x=data: one.fit_transform(x), 1, 5) for data in sizes)
        growth.append(many / few)
    yield "slowest pairwise method, 1000 items by 500 items", max(growth)


@part
def duels(_):
    """Compare the time to read and fit a million duels with choix."""
    name = "a million duels, by choix"
    if is_missing("choix"):
        yield name, None
        return
    import arena

    given = make_comparisons(100, 1_000_000, exposure="unequal", random_state=0).comparisons
    model = PlackettLuce(absent="ignore")
    ours = cpu_time(lambda: model.fit_transform(RankedLists.from_comparisons(given)), 5)
    yield name, ours / cpu_time(lambda: arena.of_choix(given), 5)


@part
def measures(_):
    """Compare measures with ranx and with pytrec_eval."""
    frame, qrels = ranx_fusion.make_data()
    theirs = None
    if not is_missing("ranx"):
        theirs = ranx_fusion.measure_ranx(sys.executable, frame, qrels, only="measures")["measures"]
    run, judged = frame[frame["voter"] == "run0"], Qrels.from_frame(qrels)
    ours = cpu_time(lambda: evaluate(run, judged, list(ranx_fusion.MEASURES)), 5)
    yield "ranx's measures from a frame, factor", theirs and theirs / ours
    names = (
        "five measures of dicts, factor to pytrec_eval",
        "31 measures from frames, factor to pytrec_eval from dicts",
        "eleven-point curve from codes, factor to pytrec_eval",
    )
    if is_missing("pytrec_eval"):
        yield from ((name, None) for name in names)
        return
    yield from zip(names, _against_pytrec_eval(), strict=True)


def _against_pytrec_eval():
    import pytrec_eval

    run, qrels = evaluation.run_and_qrels(1000, 100)
    judged, dicts = Qrels.from_frame(qrels), evaluation.as_dicts(run, "score", float)
    encoded, grades = RankedLists.from_frame(run), evaluation.as_dicts(qrels, "relevance", int)
    five = {
        name.replace("cut_", "cut.").replace("P_", "P.").replace("recall_", "recall.") for name in evaluation.MEASURES
    }

    def factor(their_names, *given, names):
        parsed = pytrec_eval.RelevanceEvaluator(grades, their_names)
        options = {"gain": "linear", "rounding": "up", "per_query": True}
        calls = {"theirs": lambda: parsed.evaluate(dicts), "ours": lambda: evaluate(*given, names, **options)}
        found = evaluation.in_turns(calls, 10)
        return found["theirs"] / found["ours"]

    yield factor(five, {"run": dicts}, grades, names=list(evaluation.MEASURES.values()))
    yield factor(evaluation.THEIR_MANY, run, qrels, names=evaluation.MANY)
    yield factor({"iprec_at_recall"}, encoded, judged, names=evaluation.RECALLS)


def measure(chosen, cache):
    """Measure the chosen parts; return a dict from line to its value, in seconds or as a ratio; None is missing."""
    found = {}
    for name, function in PARTS.items():
        if chosen and not any(one in name for one in chosen):
            continue
        path = cache and cache / f"{name}-{'arrow' if ARROW else 'plain'}-{_code()}.json"
        if path and path.exists():
            values = json.loads(path.read_text(encoding="ascii"))
        else:
            print(name, file=sys.stderr, flush=True)
            with tempfile.TemporaryDirectory() as folder:
                values = dict(function(Path(folder)))
            if unknown := values.keys() - GOALS.keys():
                raise KeyError(f"GOALS must have a goal for each line; {sorted(unknown)} are missing. Add them.")
            if path:
                path.write_text(json.dumps(values), encoding="ascii")
        found |= values
    return found


@functools.cache
def _code():
    """Return the commit of the package, which tells the kept lines of several versions apart."""
    folder = Path(skrankagg.__file__).parent
    done = subprocess.run(["git", "rev-parse", "HEAD:skrankagg"], cwd=folder, capture_output=True, text=True)
    return done.stdout.strip()[:10] or "installed"


def show(reached, before):
    """Print the table; `before` has measured values of an older version, or is None."""
    rows = []
    for name, goal in GOALS.items():
        if name not in reached:
            continue
        scale = SCALE[goal.unit]
        old = before[name] * scale if before and before.get(name) else goal.before
        first = [name, "-" if old is None else f"{old:.3g} {goal.unit}", goal.text()]
        if reached[name] is None:
            rows.append([*first, "not installed", "-"])
            continue
        value = reached[name] * scale
        met = goal.is_met(value, old)
        rows.append([*first, f"{value:.3g} {goal.unit}", "-" if met is None else "yes" if met else "NO"])
    table(rows, ["", "before", "goal", "reached", "met"])


def main():
    """Print the table of this environment, and the tables of other environments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="*", default=[], help="Pythons of other environments")
    parser.add_argument("--before", help="the Python of an environment with an older version of the package")
    parser.add_argument("--only", nargs="*", default=[], help=f"parts: {', '.join(PARTS)}")
    parser.add_argument("--cache", type=Path, help="a folder for measured parts; a later call continues with them")
    parser.add_argument("--json", action="store_true", help="print the values as JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.cache:
        options.cache.mkdir(parents=True, exist_ok=True)
    given = [*(["--only", *options.only] if options.only else [])]
    given += ["--cache", str(options.cache)] if options.cache else []
    before = None
    if options.before:
        call = [options.before, __file__, "--json", *given]
        before = json.loads(subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout)
    reached = measure(options.only, options.cache)
    if options.json:
        print(json.dumps(reached))
        return
    kind = "with pyarrow" if ARROW else "plain, without pyarrow"
    print(f"{kind}: Python {sys.version.split()[0]}, pandas {pd.__version__}, NumPy {np.__version__}")
    show(reached, before)
    for other in options.python:
        print(flush=True)
        subprocess.run([other, __file__, *given], check=True)


if __name__ == "__main__":
    main()
