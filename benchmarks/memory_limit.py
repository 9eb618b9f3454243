"""Measure the memory of methods; under a limit, each method must answer or raise a MemoryLimitError.

python benchmarks/memory_limit.py {limit,pairs} [--gigabytes 4] [--items 20000] [--seconds 120] [--methods part ...]
                                  [--pairs 800 1500]

- limit: every method aggregates one query of 20 lists. Each method runs in its own process, whose address space is
  limited to --gigabytes. The outcome is "answer", "refused" (a MemoryLimitError), "time" if the method takes longer
  than --seconds, or the cause of another end. There are two kinds of lists: "full" lists are random orders of all
  items, and "top" lists are the first 1,000 items of such orders. The seconds are for ``fit_transform`` alone. The peak
  is for the whole process, including imports and lists. Linux only.
- pairs: bytes for each ordered pair of items. One value is stated by the method. The other is measured by tracemalloc
  on 20 full lists of 800 and of 1500 items.
"""

import argparse
import json
import subprocess
import sys
import time
import tracemalloc
import warnings

import numpy as np
import pandas as pd
from _measure import table

from skrankagg import DIBRA, BordaCount, MarkovChain, RankedLists, Schulze
from skrankagg.exceptions import MemoryLimitError
from skrankagg.preprocessing import AggregatorUnion
from skrankagg.utils.discovery import default_methods

N_LISTS, TOP = 20, 1000


def all_methods():
    """Collect every default method, the variants of each method, and some compositions."""
    methods = dict(default_methods())
    methods["DIBRA(Schulze())"] = DIBRA(Schulze())
    methods["AggregatorUnion(BordaCount)"] = AggregatorUnion([("borda", BordaCount())])
    methods["AggregatorUnion(MarkovChain)"] = AggregatorUnion([("borda", BordaCount()), ("mc4", MarkovChain())])
    return methods


def random_lists(n_items, length):
    """Generate and encode the first items of random orders."""
    rng = np.random.default_rng(0)
    rank = np.tile(np.arange(1.0, length + 1), N_LISTS)
    frame = pd.DataFrame({"query": "q", "voter": np.repeat(np.arange(N_LISTS), length), "rank": rank, "score": -rank})
    return RankedLists.from_frame(
        frame.assign(item=np.concatenate([rng.permutation(n_items)[:length] for _ in range(N_LISTS)]))
    )


def run_one(name, n_items, length, n_bytes):
    """Run a method in this process, whose memory is limited, and print the outcome."""
    import resource

    warnings.simplefilter("ignore")
    method, lists = all_methods()[name], random_lists(n_items, length)
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes, n_bytes))
    start = time.perf_counter()
    try:
        method.fit_transform(lists)
        outcome = "answer"
    except MemoryLimitError:
        outcome = "refused"
    except MemoryError:
        outcome = "MemoryError"
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"outcome": outcome, "seconds": f"{seconds:.1f}", "peak": f"{peak / 1e6:.0f}"}))


def show_limit(options):
    """Print a row for each method, with both kinds of lists."""
    rows = []
    for name in all_methods():
        if options.methods and not any(part in name for part in options.methods):
            continue
        row = [name]
        for length in (options.items, min(TOP, options.items)):
            task = json.dumps([name, options.items, length, int(options.gigabytes * 1e9)])
            try:
                done = subprocess.run(
                    [sys.executable, __file__, "one", "--task", task],
                    capture_output=True,
                    text=True,
                    timeout=options.seconds + 15,
                )
            except subprocess.TimeoutExpired:
                row += ["time", f"> {options.seconds}", "-"]
                continue
            if done.returncode:
                row += [f"ended with {done.returncode}", "-", "-"]
                print(done.stderr[-1000:], file=sys.stderr)
                continue
            result = json.loads(done.stdout.splitlines()[-1])
            row += [result["outcome"], result["seconds"], result["peak"]]
        print(*row, file=sys.stderr, flush=True)
        rows.append(row)
    table(rows, ["method", "full", "s", "peak MB", "top", "s", "peak MB"])


def show_pairs(options):
    """Print a row for each method that stores matrices of all pairs of items."""
    warnings.simplefilter("ignore")
    rows, example = [], random_lists(800, 800)
    for name, method in default_methods():
        if options.methods and not any(part in name for part in options.methods):
            continue
        # Walks up long lists need no matrix.
        if not getattr(method, "_pair_bytes", 0) or not method._memory(example).any():
            continue
        row = [name, f"{method._pair_bytes:.0f}"]
        for n in options.pairs:
            lists = random_lists(n, n)
            tracemalloc.start()
            before = tracemalloc.get_traced_memory()[0]
            method.fit_transform(lists)
            row.append(f"{(tracemalloc.get_traced_memory()[1] - before) / n**2:.1f}")
            tracemalloc.stop()
        rows.append(row)
    table(rows, ["method", "stated", *(f"measured, {n}" for n in options.pairs)])


def main():
    """Read the command line, and run the chosen part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["limit", "pairs", "one"])
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--pairs", type=int, nargs="+", default=[800, 1500], help="numbers of items of the part pairs")
    parser.add_argument("--methods", nargs="+")
    parser.add_argument("--task", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.what == "one":
        run_one(*json.loads(options.task))
    else:
        {"limit": show_limit, "pairs": show_pairs}[options.what](options)


if __name__ == "__main__":
    main()
