"""CPU time of each method on many small queries; with --many, also memory.

Run it from anywhere as `python benchmarks/many_small.py [--many] [NAME ...]`. It uses 1000 queries of 5 lists, and each
list contains 10 of 15 items. It prints CPU microseconds for each query. `--many` uses 100,000 queries of 3 lists of 5
items. Each method then runs in its own process, and the table contains CPU seconds and peak memory of one call. Lists
are encoded beforehand.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings

import numpy as np
import pandas as pd
from _measure import extra_memory, table

from skrankagg import RankedLists
from skrankagg.utils.discovery import default_methods

SIZES = {"small": (1000, 5, 10, 15), "many": (100_000, 3, 5, 5)}


def random_lists(n_queries, n_lists, length, n_items):
    """Generate lists that contain some of a query's items in random order."""
    rng = np.random.default_rng(0)
    item = np.argsort(rng.random((n_queries * n_lists, n_items)), axis=1)[:, :length]
    rank = np.tile(np.arange(1, length + 1), n_queries * n_lists)
    frame = pd.DataFrame(
        {
            "query": np.repeat(np.arange(n_queries), n_lists * length),
            "voter": np.tile(np.repeat(np.arange(n_lists), length), n_queries),
            "item": item.ravel(),
            "rank": rank,
            "score": -rank.astype(np.float64),
        }
    )
    return RankedLists.from_frame(frame)


def cpu_time(method, lists):
    """Measure the CPU seconds of one call."""
    start = time.process_time()
    method.fit_transform(lists)
    return time.process_time() - start


def run(name):
    """Run a method on the many queries in this process, and print the seconds and the bytes."""
    lists, seconds = random_lists(*SIZES["many"]), []
    method = dict(default_methods())[name]
    memory, _ = extra_memory(lambda: seconds.append(cpu_time(method, lists)))
    print(json.dumps([seconds[0], memory]))


def main():
    """Print the table, or run one case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="parts of names; default: all")
    parser.add_argument("--many", action="store_true", help="100,000 queries of 3 lists of 5 items")
    parser.add_argument("--repeat", type=int, default=3, help="number of calls; the shortest counts")
    parser.add_argument("--here", action="store_true", help="run the case in this process")
    parser.add_argument("--timeout", type=int, default=600, help="seconds allowed for a method on the many queries")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.here:
        run(arguments.names[0])
        return
    lists, rows = random_lists(*SIZES["small"]), []
    for name, method in default_methods():
        if arguments.names and not any(part in name for part in arguments.names):
            continue
        if arguments.many:
            command = [sys.executable, __file__, "--here", name]
            try:
                ran = subprocess.run(command, capture_output=True, text=True, check=True, timeout=arguments.timeout)
            except subprocess.TimeoutExpired:
                rows.append([name, f"> {arguments.timeout}", "-"])
            else:
                seconds, memory = json.loads(ran.stdout)
                rows.append([name, f"{seconds:.2f}", f"{memory / 2**20:.0f}"])
        else:
            method.fit_transform(lists)
            seconds = min(cpu_time(method, lists) for _ in range(arguments.repeat))
            rows.append([name, f"{1e6 * seconds / lists.n_queries:.1f}"])
        print(*rows[-1], file=sys.stderr, flush=True)  # shows progress
    table(rows, ["method", "CPU s", "memory MiB"] if arguments.many else ["method", "CPU us a query"])


if __name__ == "__main__":
    main()
