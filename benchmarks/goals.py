"""Goals for speed, and the values reached, in one table for each environment.

Run it from anywhere as `python benchmarks/goals.py [--python OTHER ...]`. Each OTHER is the Python of another
environment, such as one without pyarrow, in which the table is also printed. Peers are the packages of `pip install
'skrankagg[bench]'` and pytrec_eval; lines of a missing peer are marked. Times are CPU times in one thread. For PyFLAGR
and ranx, the shortest time in separate processes is used.
"""

import argparse
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"))

import encoding
import evaluation
import fuse as fuse_benchmark
import methods
import numpy as np
import pandas as pd
import ranx_fusion
from _measure import cpu_time, table

from skrankagg import Copeland, RankedLists, ReciprocalRankFusion, fuse
from skrankagg.aggregators import BordaCount, CombMNZ, CombSUM, SimpleBorda
from skrankagg.base import SupervisedAggregator
from skrankagg.datasets import make_ranked_lists, make_rasdagen
from skrankagg.utils.discovery import all_aggregators

ROWS = []
WIDE = ["Condorcet", "Copeland", "MarkovChain", "Outranking", "PreferenceRelations"]
LINEAR = [BordaCount(), SimpleBorda(), CombSUM(), CombMNZ(), ReciprocalRankFusion()]


def add(name, reached, goal, unit, *, most=True):
    """Store a line of the table with the value reached and the goal; `most` states that the goal is an upper limit."""
    met = reached <= goal if most else reached >= goal
    sign = "<=" if most else ">="
    ROWS.append([name, f"{sign} {goal:g} {unit}", f"{reached:.3g} {unit}", "yes" if met else "NO"])


def missing(name, library):
    """If a library is missing, store a line that states this, and return True."""
    if importlib.util.find_spec(library) is None:
        ROWS.append([name, "", f"{library} is not installed", "-"])
        return True
    return False


def against_pyflagr(folder):
    """Compare times of methods that read a frame with PyFLAGR's times, which include reading a CSV file."""
    if missing("PyFLAGR", "pyflagr"):
        return
    seed, _ = make_rasdagen()
    wide = methods.full_lists(200, 1000)
    for part, lists, chosen in (("20 x 50 x 30", seed, None), ("1 x 200 x 1000", wide, WIDE)):
        for name, method in methods.default_methods():
            if name not in methods.PEERS or (chosen and not any(name.startswith(one) for one in chosen)):
                continue
            if name == "Kemeny" or (chosen and name == "MarkovChain[chain=mc2]"):
                continue
            theirs = methods.their_time(name, lists, folder / "lists.csv", 3, 120)
            if isinstance(theirs, float):
                ours = cpu_time(lambda one=method, lists=lists: one.fit_transform(lists), 3)
                goal = 40 if chosen else 100 if name == "Agglomerative" else 5
                add(f"{part}: {name}, PyFLAGR's time by ours", theirs / ours, goal, "x", most=False)


def against_ranx():
    """Compare times with ranx on 1000 queries x 5 runs x 100 items."""
    if missing("ranx", "ranx"):
        return
    goal = 10 if importlib.util.find_spec("pyarrow") else 7
    for name, (codes, frame, theirs) in ranx_fusion.measure_warm(sys.executable, cpu_time).items():
        if name != "measures":
            add(
                f"1000 x 5 x 100: {name} from codes, ranx's time by ours",
                theirs / codes,
                10 if name == "CombMED" else 20,
                "x",
                most=False,
            )
            add(f"1000 x 5 x 100: {name} from a frame, ranx's time by ours", theirs / frame, goal, "x", most=False)


def against_pytrec_eval():
    """Compare times with pytrec_eval for five measures of 1000 queries x 100 items."""
    if missing("pytrec_eval", "pytrec_eval"):
        return
    seconds = evaluation.measure(1000, 100, lambda call: cpu_time(call, 3))
    dicts, frames = seconds["pytrec_eval, from dicts"], seconds["pytrec_eval, from frames"]
    ours = seconds["skrankagg, from frames"]
    add(
        "five measures from codes, by pytrec_eval from dicts",
        dicts / seconds["skrankagg, from codes"],
        4,
        "x",
        most=False,
    )
    given = seconds["skrankagg, from dicts"]
    add("five measures from dicts, by pytrec_eval from dicts", dicts / given, 1, "x", most=False)
    add("five measures from frames, by pytrec_eval from dicts", dicts / ours, 1.5, "x", most=False)
    add("five measures from frames, by pytrec_eval from frames", frames / ours, 6, "x", most=False)


def one_query():
    """Measure times of one query of several sizes, by the loop over a dict that merges reciprocal ranks."""
    rng = random.Random(0)
    for (n_lists, length, repeat), goal in zip(fuse_benchmark.SIZES, (1.5, 0.82, 0.7), strict=True):
        ids, pairs, dicts = fuse_benchmark.make_query(rng, n_lists, length, length * 5 // 2)
        times = fuse_benchmark.cpu_times(fuse_benchmark.usual_calls(ids, pairs, dicts), 60, repeat)
        size = f"{n_lists} x {length}: fuse"
        for name in ("RRF", "CombSUM, dicts", "CombMNZ", "BordaCount"):
            add(f"{size}, {name}, by the loop of RRF", times[f"fuse, {name}"] / times[fuse_benchmark.RRF], goal, "x")
        given = times["fuse, RRF, weights="]
        add(f"{size}, RRF, voter_weights=, by weights=", times["fuse, RRF, voter_weights="] / given, 1.3, "x")
        add(f"{size}, LearnedWeights, by weights=", times["fuse, LearnedWeights"] / given, 1.3, "x")
        if length == 100:
            add(f"{size}, RRF, explain, by RRF", times["fuse, RRF, explain"] / times["fuse, RRF"], 2.5, "x")
    ids, _, dicts = fuse_benchmark.make_query(random.Random(0), 3)
    frame = RankedLists.from_lists(dicts).to_frame()
    calls = {
        "loop": lambda: fuse_benchmark.loop_comb(dicts),
        **{f"fuse, {method!r}": lambda one=method: fuse(dicts, one) for method in LINEAR},
        "frame in, frame out, RRF": lambda: ReciprocalRankFusion().fit_transform(frame),
    }
    times = fuse_benchmark.cpu_times(calls, 60, 20)
    for method in LINEAR:
        add(f"3 x 100: fuse, {method!r}, by the loop of CombSUM", times[f"fuse, {method!r}"] / times["loop"], 3, "x")
    add("3 x 100: frame in, frame out, RRF", 1e6 * times["frame in, frame out, RRF"], 1000, "us")
    batch = [fuse_benchmark.make_query(random.Random(k), 5)[0] for k in range(1000)]
    add("1000 x 5 x 100: fuse, RRF", 1e3 * cpu_time(lambda: fuse(batch)), 134, "ms")


def small_queries():
    """Measure times of 1000 queries of 5 lists, where each list has 10 of 15 items."""
    rng = np.random.default_rng(0)
    rows = [
        (f"q{q:04d}", f"v{v}", f"i{item:02d}", rank)
        for q in range(1000)
        for v in range(5)
        for rank, item in enumerate(rng.permutation(15)[:10], 1)
    ]
    frame = pd.DataFrame(rows, columns=["query", "voter", "item", "rank"])
    lists = RankedLists.from_frame(frame.assign(score=-frame["rank"]))
    for name, kind in all_aggregators().items():
        if issubclass(kind, SupervisedAggregator):  # without judgements they have nothing to learn
            continue
        variants = (
            {name: kind()}
            if name != "Kemeny"
            else {name: kind(), f"{name}[consensus_ties=weak]": kind(consensus_ties="weak")}
        )
        for variant, method in variants.items():
            ours = cpu_time(lambda one=method: one.fit_transform(lists), 3) / 1000
            add(f"5 x 10 of 15: {variant}, a query", 1e6 * ours, 1000 if name == "Kemeny" else 60, "us")


def frames():
    """Compare the time to encode 5M rows of string ids with the time of pandas.factorize for their three columns."""
    for shuffled, goal in ((False, 1.6), (True, 1.8)):
        frame = encoding.make_lists(1000, 50, 100, "str", shuffled, "rank")
        factorize = cpu_time(lambda one=frame: [pd.factorize(one[name]) for name in ("query", "voter", "item")], 3)
        encode = cpu_time(lambda one=frame: RankedLists.from_frame(one), 3)
        add(f"5M rows {'shuffled' if shuffled else 'in order'}: encoding by factorizing", encode / factorize, goal, "x")


def many_weights():
    """Measure times of aggregating 20 queries x 50 lists with 1000 vectors of weights."""
    frame = make_ranked_lists(n_queries=20, n_voters=50, list_length=100, random_state=0)[0]
    lists = RankedLists.from_frame(frame)
    weights = np.random.default_rng(0).random((1000, lists.n_lists))
    for method, goal in (*((one, 0.5) for one in LINEAR), (Copeland(), 0.8)):
        score = method._repeat(lists)
        few = weights[:20] if isinstance(method, Copeland) else weights
        seconds = cpu_time(lambda score=score, few=few: [score(weight) for weight in few], 1) * 1000 / len(few)
        add(f"1000 weights, 20 x 50 x 100: {method!r}", seconds, goal, "s")


def main(others):
    """Print the table of this environment, and the tables of other environments."""
    warnings.simplefilter("ignore")
    arrow = "with pyarrow" if importlib.util.find_spec("pyarrow") else "plain, without pyarrow"
    print(f"{arrow}: Python {sys.version.split()[0]}, pandas {pd.__version__}, NumPy {np.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        against_pyflagr(Path(folder))
    for part in (against_ranx, against_pytrec_eval, one_query, small_queries, frames, many_weights):
        part()
    table(ROWS, ["", "goal", "reached", "met"])
    print(f"{sum(row[-1] == 'yes' for row in ROWS)} of {sum(row[-1] in ('yes', 'NO') for row in ROWS)} goals are met")
    for other in others:
        print(flush=True)
        subprocess.run([other, __file__], check=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="*", default=[], help="Pythons of other environments")
    main(parser.parse_args().python)
