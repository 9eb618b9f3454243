"""Exact Kemeny: proven instances, times, and the gap of other instances; heuristics compared with the optimum.

Run it from anywhere as `python benchmarks/kemeny.py [mallows|preflib|flagr|weak|heuristics] [--limit 60] [--goals]`. It
uses one process. Times are for the solver, without encoding the lists. SKRANKAGG_DATA names the folder with the real
data.

- mallows: orders around a centre with dispersion phi, where 1 is uniform noise; these families have goals
- preflib: the files of PrefLib, with their known optima
- flagr: 20 queries of 100 items, each with 50 top-30 lists
- weak: a consensus with ties, from orders with ties
- heuristics: local searches on proven instances
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np
from _measure import extra_memory, table

from skrankagg import BordaCount, Copeland, Kemeny, KwikSort, RankedLists
from skrankagg.aggregators import kemeny_score, pairwise_preferences
from skrankagg.datasets import make_mallows, read_lists, read_preflib

# Dispersion, items, voters, and the seconds that the goal allows.
MUST = [
    *((phi, 200, m, 5) for phi in (0.5, 0.8, 0.9) for m in (5, 10, 50)),
    *((0.95, 150, m, 5) for m in (5, 10, 50)),
    *((0.95, 200, m, 60) for m in (5, 10, 50)),
    (0.98, 60, 5, 60),
    (0.98, 150, 10, 60),
    (0.98, 150, 50, 60),
    *((1.0, 60, m, 2) for m in (5, 10, 50)),
    *((1.0, 80, m, 60) for m in (5, 10, 50)),
]
AMBITIOUS = [
    *((0.9, 500, m, 60) for m in (5, 10, 50)),
    *((0.95, 300, m, 60) for m in (5, 10, 50)),
    (0.98, 100, 5, 60),
    (0.98, 200, 10, 60),
    (0.98, 200, 50, 60),
    *((1.0, 100, m, 60) for m in (5, 10, 50)),
]
BEYOND = [*((1.0, 150, m, 60) for m in (5, 10, 50)), *((1.0, 200, m, 60) for m in (5, 10, 50))]
HEADER = ["instance", "n", "proven", "score", "gap", "gap %", "s"]


def solve(lists, limit, **parameters):
    """Solve a query; return the seconds, and the information that the solver reports about the query."""
    start = time.perf_counter()
    info = Kemeny(method="exact", time_limit=limit, verbose=False, **parameters).aggregate(lists)[1].loc[0]
    return time.perf_counter() - start, info


def row(name, lists, limit, goal, **parameters):
    """Build a line of the table, and print it at once."""
    seconds, info = solve(lists, limit, **parameters)
    score = info["kemeny_score"]
    line = [
        name,
        lists.n_items,
        "yes" if info["optimal"] else info["stop_reason"],
        f"{score:g}",
        f"{info['gap']:g}",
        f"{100 * info['gap'] / score if score else 0:.3f}",
        f"{seconds:.2f}",
        goal,
    ]
    print(*line, file=sys.stderr, flush=True)  # shows progress
    return line


def mallows_lists(phi, n, m, seed=0):
    """Generate one query by Mallows' model."""
    return RankedLists.from_frame(make_mallows(n_items=n, n_voters=m, phi=phi, random_state=seed))


def data(folder):
    """Return the path of a folder with real data."""
    root = os.environ.get("SKRANKAGG_DATA")
    if root is None or not (Path(root) / folder).is_dir():
        raise SystemExit(f"SKRANKAGG_DATA must be the folder of the real data, which contains {folder}. Set it.")
    return Path(root) / folder


def mallows(limit, part, scale):
    """Solve generated orders."""
    cases = {"must": MUST, "ambitious": AMBITIOUS, "beyond": BEYOND}[part]
    return [row(f"phi {phi} m {m}", mallows_lists(phi, n // scale, m), limit, goal) for phi, n, m, goal in cases]


def preflib(limit, part, scale):
    """Solve the elections of PrefLib whose optima are known; return a row for each election."""
    folder = data("preflib")
    instances = json.loads((folder / "optimal_kemeny.json").read_text())["instances"]
    return [
        row(name, RankedLists.from_frame(read_preflib(folder / name, with_names=False)), limit, 60)
        for name in instances
    ]


def flagr(limit, part, scale):
    """Solve the queries of FLAGR's test data."""
    lists = RankedLists.from_frame(read_lists(data("flagr") / "testdata.csv"))
    return [row(f"query {query}", lists[[q]], limit, 30) for q, query in enumerate(lists.queries)]


def weak(limit, part, scale):
    """Solve for consensus with ties."""
    lines = []
    for n, m in ((15, 100), (50, 100), (100, 100)):
        frame = make_mallows(n_items=n, n_voters=m, phi=0.95, random_state=0)
        # Places in bands of three: bucket orders.
        frame["rank"] = (frame["rank"] + 2) // 3
        lists = RankedLists.from_frame(frame)
        lines.append(row(f"weak m {m}", lists, limit, 1 if n <= 50 else 60, consensus_ties="weak", absent="ignore"))
    return lines


def heuristics(limit, part, scale):
    """Compute each heuristic's time, and its excess over the optimum if the optimum is proven."""
    cases = [(phi, n, m) for phi in (0.8, 0.9, 0.95, 0.98, 1.0) for n in (20, 40, 60, 100) for m in (5, 10, 50)]
    cases = [(phi, n // scale, m) for phi, n, m in cases]
    methods = {
        "BordaCount": BordaCount(),
        "Copeland": Copeland(),
        "KwikSort": KwikSort(n_init=1),
        "KwikSort best of 10": KwikSort(),
        "local search": Kemeny(method="local-search"),
        "iterated local search": Kemeny(method="iterated-local-search"),
    }
    excess, seconds, proven = {name: [] for name in methods}, {name: [] for name in methods}, 0
    for phi, n, m in cases:
        lists = mallows_lists(phi, n, m)
        _, info = solve(lists, limit)
        if not info["optimal"]:
            continue
        proven += 1
        prefer, tied = pairwise_preferences(lists)
        for name, method in methods.items():
            start = time.perf_counter()
            consensus = method.fit_transform(lists)
            seconds[name].append(time.perf_counter() - start)
            score = kemeny_score(consensus.sort_values("item")["rank"], prefer, tied)
            excess[name].append(100 * (score / info["kemeny_score"] - 1))
    print(f"{proven} of {len(cases)} instances proven; per cent above the optimum")
    lines = [
        [
            name,
            f"{np.mean(excess[name]):.4f}",
            f"{np.max(excess[name]):.4f}",
            f"{100 * np.mean(np.array(excess[name]) < 1e-9):.0f}",
            f"{1000 * np.median(seconds[name]):.1f}",
            f"{1000 * np.max(seconds[name]):.1f}",
        ]
        for name in methods
    ]
    table(lines, ["method", "mean %", "max %", "optimal %", "median ms", "max ms"])
    lists = mallows_lists(0.9, 400 // scale, 50)
    memory, _ = extra_memory(lambda: solve(lists, limit))
    print(f"memory at n = {400 // scale}: {memory / 2**20:.0f} MiB")


def main():
    """Run the requested part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "family", choices=("mallows", "preflib", "flagr", "weak", "heuristics"), nargs="?", default="mallows"
    )
    parser.add_argument("--part", choices=("must", "ambitious", "beyond"), default="must", help="families of Mallows")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for an instance")
    parser.add_argument("--scale", type=int, default=1, help="divide the numbers of items of generated orders")
    parser.add_argument("--goals", action="store_true", help="also print the seconds that the project aims at")
    arguments = parser.parse_args()
    lines = globals()[arguments.family](arguments.limit, arguments.part, arguments.scale)
    if lines:
        print()
        if arguments.goals:
            table(lines, [*HEADER, "goal s"])
        else:
            table([line[:-1] for line in lines], HEADER)
        seconds = [float(line[6]) for line in lines]
        met = sum(line[2] == "yes" and float(line[6]) <= line[7] for line in lines)
        within = f", {met} within their goal" if arguments.goals else ""
        print(f"proven {sum(line[2] == 'yes' for line in lines)} of {len(lines)}{within}; ", end="")
        print(f"median {np.median(seconds):.2f} s, longest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
