"""Estimated and measured times of pairs of a method and a size, from .1 to 100 seconds.

Run it from anywhere as `python benchmarks/cost_estimates.py [--most SECONDS]`, on a machine without other work. Pairs
that are expected to take more than `--most` seconds are not run. The goal is that every ratio is between 1/3 and 3.
Times are CPU times in one thread, of a single call, and include processes that the method starts.
"""

import argparse
import os
import warnings

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

from _measure import cpu_with_processes, table

from skrankagg import (
    DIBRA,
    Agglomerative,
    BordaCount,
    CombSUM,
    Copeland,
    FootruleOptimal,
    HodgeRank,
    KwikSort,
    LocalKemenization,
    MarkovChain,
    Minimax,
    Outranking,
    PickAPerm,
    PlackettLuce,
    PreferenceRelations,
    RankedLists,
    RankStatistic,
    RobustRankAggregation,
    Schulze,
)
from skrankagg.aggregators import BIRRA
from skrankagg.datasets import make_ranked_lists
from skrankagg.inspection import estimated_cost

# A method, and numbers of queries, voters and items, and the length of the lists.
PAIRS = (
    (CombSUM(norm="z-score"), (5000, 15, 100, 60)),
    (BordaCount(), (600, 20, 500, 500)),
    (BIRRA(), (200, 20, 300, 300)),
    (RobustRankAggregation(exact=True), (3, 300, 400, 300)),
    (DIBRA(), (1000, 20, 100, 50)),
    (DIBRA(Copeland()), (20, 30, 300, 150)),
    (Copeland(), (40, 30, 1500, 800)),
    (Outranking(), (30, 40, 800, 600)),
    (PreferenceRelations(), (10, 30, 1500, 1500)),
    (Minimax(), (8, 30, 1500, 1000)),
    (LocalKemenization(), (30, 25, 1200, 1200)),
    (KwikSort(), (60, 15, 700, 700)),
    (PickAPerm(), (10, 150, 800, 800)),
    (PlackettLuce(), (200, 15, 200, 100)),
    (RankStatistic(statistic="stuart"), (50, 60, 300, 200)),
    (MarkovChain(), (100, 12, 1000, 1000)),
    (HodgeRank(), (30, 15, 1500, 1500)),
    (Schulze(), (40, 10, 1600, 1600)),
    (FootruleOptimal(), (30, 8, 1800, 1200)),
    (Agglomerative(), (4, 6000, 60, 60)),
)


def main():
    """Measure the pairs, and print each as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=float, default=200.0, help="largest expected time to run, in seconds")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows, ratios = [], []
    for method, (n_queries, n_voters, n_items, length) in PAIRS:
        name = " ".join(repr(method).split())
        seconds = estimated_cost(method, (n_queries, n_voters, n_items, length)).seconds
        size = f"{n_queries} x {n_voters} x {length} of {n_items}"
        if seconds > options.most:
            rows.append([name, size, f"{seconds:.2f}", "not run", "-"])
            continue
        lists, _, _ = make_ranked_lists(
            n_queries=n_queries, n_voters=n_voters, n_items=n_items, list_length=length, random_state=1
        )
        lists = RankedLists.from_frame(lists)
        expected = estimated_cost(method, lists).seconds
        start = cpu_with_processes()
        method.fit_transform(lists)
        measured = cpu_with_processes() - start
        ratios.append(expected / measured)
        rows.append([name, size, f"{expected:.2f}", f"{measured:.2f}", f"{ratios[-1]:.2f}"])
        print("  ".join(rows[-1]), flush=True)
    print()
    table(rows, ["method", "size", "estimated s", "measured s", "ratio"])
    inside = sum(1 / 3 <= one <= 3 for one in ratios)
    print(f"{inside} of {len(ratios)} measured pairs are within a factor of 3; {len(PAIRS) - len(ratios)} were not run")


if __name__ == "__main__":
    main()
