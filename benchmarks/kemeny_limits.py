"""Accuracy of Kemeny's time limit: seconds requested, seconds taken, and the remaining gap.

Run it from anywhere as `python benchmarks/kemeny_limits.py [--limits 1 5 20] [--sizes 100 200 300 400]`. The first data
are uniform orders of 5 voters. From about a hundred items on, no solver proves an optimum for such orders. The other
data are 41 lists of 332 items, and each list lacks 30 % of the items. Times are for `aggregate`, without encoding the
lists. A limit is kept if the time exceeds the limit by at most a tenth or 0.2 s.
"""

import argparse
import sys
import time

import numpy as np
from _measure import table

from skrankagg import Kemeny, RankedLists
from skrankagg.datasets import make_mallows


def uniform(n, m, missing=0.0):
    """Generate one query of uniform orders, in which a share of the rows is missing."""
    frame = make_mallows(n_items=n, n_voters=m, phi=1.0, random_state=0)
    frame = frame[np.random.default_rng(0).random(len(frame)) >= missing].copy()
    frame["rank"] = frame.groupby("voter")["rank"].rank()
    return RankedLists.from_frame(frame)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", type=float, nargs="+", default=[1.0, 5.0, 20.0], help="seconds")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 300, 400], help="items of uniform orders")
    arguments = parser.parse_args()
    cases = {f"{n} x 5": uniform(n, 5) for n in arguments.sizes}
    cases["332 x 41, 30 % missing"] = uniform(332, 41, 0.3)
    rows = []
    for name, lists in cases.items():
        for ties in ("strict", "weak"):
            for limit in arguments.limits:
                start = time.perf_counter()
                info = (
                    Kemeny(method="exact", consensus_ties=ties, time_limit=limit, verbose=False)
                    .aggregate(lists)[1]
                    .loc[0]
                )
                taken = time.perf_counter() - start
                kept = "yes" if taken <= limit + max(0.1 * limit, 0.2) else "NO"
                share = 100 * info["gap"] / info["kemeny_score"]
                rows.append([name, ties, f"{limit:g}", f"{taken:.2f}", kept, f"{info['gap']:g}", f"{share:.2f}"])
                print(*rows[-1], file=sys.stderr, flush=True)  # shows progress
    table(rows, ["items x lists", "ties", "asked s", "taken s", "kept", "gap", "gap %"])
    print(f"{sum(row[4] == 'yes' for row in rows)} of {len(rows)} kept")


if __name__ == "__main__":
    main()
