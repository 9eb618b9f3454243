"""Delay of Ctrl-C: seconds from the signal to KeyboardInterrupt during the longest steps of each method.

Run it from anywhere as `python benchmarks/interrupts.py [--after 0.5 2 5] [NAME ...]`. Each case runs in its own
process, which sends SIGINT to itself after --after seconds. "done" means that the call had ended before the signal.
"""

import argparse
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
from _measure import table

from skrankagg import (
    DIBRA,
    Agglomerative,
    Condorcet,
    Copeland,
    FootruleOptimal,
    Kemeny,
    KwikSort,
    LocalKemenization,
    MarkovChain,
    Minimax,
    Outranking,
    PickAPerm,
    PreferenceRelations,
    RankedLists,
    RankedPairs,
    RankStatistic,
    RobustRankAggregation,
    Schulze,
)

# Method, items, lists, weight of each list.
CASES = {
    "Condorcet": (Condorcet(), 20_000, 20, 1),
    "Copeland": (Copeland(), 20_000, 20, 1),
    "Copeland, 4000 items": (Copeland(), 4000, 400, 1),
    "Schulze": (Schulze(), 6000, 5, 1),
    "RankedPairs": (RankedPairs(), 3000, 5, 1),
    "Minimax": (Minimax(), 6000, 5, 1),
    "Outranking": (Outranking(), 5000, 20, 1),
    "MarkovChain": (MarkovChain(), 5000, 20, 1),
    "Kemeny": (Kemeny(method="exact"), 300, 5, 1),
    "Kemeny, weak": (Kemeny(method="exact", consensus_ties="weak"), 300, 5, 1),
    "Kemeny, weak search": (Kemeny(method="local-search", consensus_ties="weak"), 3000, 5, 1),
    "Kemeny, search": (Kemeny(method="iterated-local-search"), 3000, 5, 1),
    "KwikSort": (KwikSort(n_init=100), 5000, 5, 1),
    "PickAPerm": (PickAPerm(), 5000, 20, 1),
    "FootruleOptimal": (FootruleOptimal(), 4000, 20, 1),
    "LocalKemenization": (LocalKemenization(), 6000, 20, 1),
    "PreferenceRelations": (PreferenceRelations(), 5000, 40, 1),
    "Agglomerative": (Agglomerative(), 1000, 1500, 1),
    "DIBRA": (DIBRA(distance="tau", tol=1e-12), 20_000, 200, 1),
    "RankStatistic, stuart": (RankStatistic(statistic="stuart"), 200, 5, 3000),
    "RobustRankAggregation": (RobustRankAggregation(exact=True), 200, 5, 3000),
}


def random_lists(n, m, weight):
    """Generate one query of random complete lists."""
    rng = np.random.default_rng(0)
    item = np.concatenate([rng.permutation(n) for _ in range(m)])
    frame = pd.DataFrame(
        {"query": "q", "voter": np.repeat(np.arange(m), n), "item": item, "rank": np.tile(np.arange(1, n + 1), m)}
    )
    return RankedLists.from_frame(frame.assign(weight=weight) if weight != 1 else frame)


def run(name, after):
    """Run one case in this process, and print the seconds from the signal to the interrupt."""
    method, *size = CASES[name]
    lists, sent = random_lists(*size), []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, interrupt)
    try:
        timer.start()
        method.fit_transform(lists)
        timer.cancel()
        print("done")
    except KeyboardInterrupt:
        print(f"{time.perf_counter() - sent[0]:.2f}")


def main():
    """Print the table, or run one case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CASES)}; all by default")
    parser.add_argument("--after", type=float, nargs="+", default=[0.5, 2.0, 5.0], help="seconds")
    parser.add_argument("--here", action="store_true", help="run the case in this process")
    arguments = parser.parse_args()
    if arguments.here:
        run(arguments.names[0], arguments.after[0])
        return
    rows = []
    for name in arguments.names or CASES:
        times = []
        for after in arguments.after:
            command = [sys.executable, __file__, "--here", "--after", str(after), "--", name]
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
            times.append(ran.stdout.strip() or ran.stderr.strip().splitlines()[-1])
        rows.append([name, *CASES[name][1:3], *times])
        print(*rows[-1], file=sys.stderr, flush=True)  # shows progress
    table(rows, ["method", "items", "lists", *(f"after {after:g} s" for after in arguments.after)])


if __name__ == "__main__":
    main()
