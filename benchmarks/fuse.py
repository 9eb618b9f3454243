"""Time fuse on plain lists, and compare it with loops over dicts, frames, rankops and ranx.

Run it from anywhere as `python benchmarks/fuse.py`. `pip install 'skrankagg[bench]'` installs rankops and ranx; their
rows state whether they are missing. The names of the tables are lists x ids; the ids are drawn from a pool of 2.5
times as many. The batch is 1000 queries of 5 lists of 100 ids. Each time is the least CPU time over rounds, and each
round runs every call in a loop. The ratio compares a call with the loop of the same kind. The runs for ranx are built
and compiled beforehand. On Linux, `python benchmarks/fuse.py start` measures the import and the first call in new
processes.
"""

import argparse
import importlib
import json
import random
import subprocess
import sys
import time
from operator import itemgetter

import pandas as pd
from _measure import table

from skrankagg import (
    BordaCount,
    CombANZ,
    CombMNZ,
    CombSUM,
    InverseSquareRank,
    LearnedWeights,
    RankedLists,
    ReciprocalRankFusion,
    SimpleBorda,
    fuse,
)

#: Number of lists, number of ids in each list, and calls in a loop.
SIZES = ((2, 10, 500), (3, 100, 50), (5, 1000, 4))
RRF, COMB = "loop over a dict, RRF", "loop over a dict, CombSUM"
START = """
import json, sys, time
from skrankagg import fuse
lists = [[(f"d{v * k}", 1 / k) for k in range(1, 101)] for v in range(1, 4)]
fuse(lists, *map(eval, sys.argv[1:]))
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([time.process_time(), int(peak) / 1024, "numpy" in sys.modules]))
"""
FIRST_CALLS = ("", "'rrf'", "'combsum'", "'Copeland'", "__import__('skrankagg').CombSUM()")


def by_score(scores, ties):
    """Sort items by score; if `ties` is true, sort tied items by id, so that every call has the same result."""
    if ties:
        return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return sorted(scores.items(), key=itemgetter(1), reverse=True)


def loop_rrf(lists, k=60, *, ties=False):
    """Merge lists by reciprocal ranks with a dict and one sort, as most services do."""
    scores = {}
    for ids in lists:
        for rank, item in enumerate(ids, 1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (k + rank)
    return by_score(scores, ties)


def loop_comb(lists, *, ties=False):
    """Merge lists by min-max scores with a dict and one sort."""
    scores = {}
    for one in lists:
        low, high = min(one.values()), max(one.values())
        span = high - low or 1.0
        for item, score in one.items():
            scores[item] = scores.get(item, 0.0) + (score - low) / span
    return by_score(scores, ties)


def make_query(rng, n_lists, length=100, pool=250):
    """Generate lists of ids; also return the lists with scores, as pairs and as dicts."""
    ids = [[f"doc{k:05d}" for k in rng.sample(range(pool), length)] for _ in range(n_lists)]
    dicts = [dict(zip(one, sorted((rng.random() for _ in one), reverse=True), strict=True)) for one in ids]
    return ids, [list(one.items()) for one in dicts], dicts


def cpu_times(calls, rounds, repeat):
    """Return a dict from the name of each call to its least CPU seconds; every round runs all calls.

    A call that is None belongs to a missing library, and its time is None.
    """
    missing = {name: None for name, call in calls.items() if call is None}
    calls = {name: call for name, call in calls.items() if call is not None}
    times = dict.fromkeys(calls, float("inf"))
    for call in calls.values():
        call()
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.process_time()
            for _ in range(repeat):
                call()
            times[name] = min(times[name], (time.process_time() - start) / repeat)
    return times | missing


def optional(name):
    """Import a library, or return None if the library is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def base(name):
    """Return the name of the loop with which a call is compared."""
    return RRF if "RRF" in name or "Learned" in name else COMB


def show(calls, rounds, repeat, unit):
    """Print the time of each call, and its ratio to the time of the loop of the same kind."""
    times = cpu_times(calls, rounds, repeat)
    scale, digits = {"us": (1e6, 1), "ms": (1e3, 0)}[unit]
    rows = [
        (name, f"{times[name] * scale:.{digits}f}", f"{times[name] / times[base(name)]:.2f}")
        if times[name] is not None
        else (name, "not installed", "-")
        for name in calls
    ]
    table(rows, ("call", unit, "to the loop"))


def usual_calls(ids, pairs, dicts):
    """Return calls of fuse with usual lists, which one kernel merges, and the loops."""
    named = {f"v{k}": one for k, one in enumerate(ids)}
    weights = {name: 0.5 + 0.1 * k for k, name in enumerate(named)}
    rrf, weighted, learned = ReciprocalRankFusion(), ReciprocalRankFusion(voter_weights=weights), LearnedWeights()
    learned.voter_weights_ = pd.DataFrame({"voter": list(weights), "weight": list(weights.values())})
    comb, mnz, borda = CombSUM(), CombMNZ(), BordaCount()
    return {
        RRF: lambda: loop_rrf(ids),
        "loop, ties by id, RRF": lambda: loop_rrf(ids, ties=True),
        "fuse, RRF": lambda: fuse(ids),
        "fuse, RRF, top=10": lambda: fuse(ids, top=10),
        "fuse, RRF, explain": lambda: fuse(ids, explain=True),
        "fuse, RRF, weights=": lambda: fuse(named, rrf, weights=weights),
        "fuse, RRF, voter_weights=": lambda: fuse(named, weighted),
        "fuse, LearnedWeights": lambda: fuse(named, learned),
        COMB: lambda: loop_comb(dicts),
        "loop, ties by id, CombSUM": lambda: loop_comb(dicts, ties=True),
        "fuse, CombSUM, dicts": lambda: fuse(dicts, comb),
        "fuse, CombSUM, pairs": lambda: fuse(pairs, comb),
        "fuse, CombMNZ": lambda: fuse(dicts, mnz),
        "fuse, BordaCount": lambda: fuse(dicts, borda),
    }


def method_calls(dicts):
    """Return calls of other methods that add up values; the kernel merges their lists, too."""
    norms = "z-score", "borda", "rank", None
    methods = *(CombSUM(norm=norm) for norm in norms), SimpleBorda(), CombANZ(), InverseSquareRank()
    return {f"fuse, {method}": lambda method=method: fuse(dicts, method) for method in methods}


def other_calls(pairs, dicts):
    """Return calls of frames and of other libraries."""
    calls = {}
    frame = RankedLists.from_lists(dicts).to_frame()
    calls["frame in, frame out, RRF"] = lambda: ReciprocalRankFusion().fit_transform(frame)
    calls |= rankops_calls(pairs)
    name, ranx = "ranx, RRF, runs built before", optional("ranx")
    if ranx is None:
        return calls | {name: None}
    runs = [ranx.Run({"q": one}) for one in dicts]
    return calls | {name: lambda: ranx.fuse(runs, norm=None, method="rrf", params={"k": 60})}


def rankops_calls(pairs):
    """Return calls of rankops; they are None if it is missing."""
    rankops = optional("rankops")
    if rankops is None:
        return {"rankops, RRF": None, "rankops, CombSUM": None}
    return {
        "rankops, RRF": lambda: rankops.rrf_multi(pairs),
        "rankops, CombSUM": lambda: rankops.combsum_multi(pairs),
    }


def queries(rounds):
    """Print a table for each size of a query, and one for a batch."""
    rng = random.Random(0)
    for n_lists, length, repeat in SIZES:
        ids, pairs, dicts = make_query(rng, n_lists, length, length * 5 // 2)
        print(f"One query: {n_lists} lists of {length} ids")
        others = other_calls(pairs, dicts) if length == 100 else rankops_calls(pairs)
        show(usual_calls(ids, pairs, dicts) | method_calls(dicts) | others, rounds, repeat, "us")
        print()
    batch = [make_query(rng, 5) for _ in range(1000)]
    plain, as_pairs, dicts = ([one[k] for one in batch] for k in range(3))
    calls = {
        RRF: lambda: [loop_rrf(one) for one in plain],
        "fuse, RRF": lambda: fuse(plain),
        COMB: lambda: [loop_comb(one) for one in dicts],
        "fuse, CombSUM, dicts": lambda: fuse(dicts, CombSUM()),
    }
    rankops = optional("rankops")
    calls["rankops, RRF"] = (lambda: [rankops.rrf_multi(one) for one in as_pairs]) if rankops else None
    print("A batch: 1000 queries of 5 lists of 100 ids")
    show(calls, max(rounds // 10, 1), 1, "ms")


def first_calls(rounds):
    """Print the CPU time and the peak memory of a new process that imports fuse and calls it once."""
    rows = []
    for argument in FIRST_CALLS:
        command = [sys.executable, "-c", START, *([argument] if argument else [])]
        runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout) for _ in range(rounds)]
        seconds, memory, has_numpy = map(min, zip(*runs, strict=True))
        name = argument.replace("__import__('skrankagg').", "")
        rows.append((f"fuse(lists{', ' * bool(name)}{name})", f"{seconds:.3f}", f"{memory:.0f}", has_numpy))
    bare = [sys.executable, "-c", START.replace("from skrankagg import fuse", "fuse = lambda *args: None")]
    seconds, memory, _ = map(min, zip(*(json.loads(subprocess.check_output(bare)) for _ in range(rounds)), strict=True))
    table([("Python alone", f"{seconds:.3f}", f"{memory:.0f}", False), *rows], ("process", "CPU s", "MiB", "has NumPy"))


def main():
    """Run the requested part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=("queries", "start"), default="queries")
    parser.add_argument("--rounds", type=int, default=0, help="default: 100, or 5 new processes")
    options = parser.parse_args()
    if options.part == "start":
        first_calls(options.rounds or 5)
    else:
        queries(options.rounds or 100)


if __name__ == "__main__":
    main()
