"""Compare the exposure measures with FairRankTune 0.0.7 on random rankings; exit with an error if a value differs.

FairRankTune is not a dependency of the project. Its releases do not declare their own dependencies, so install both:

    pip install FairRankTune==0.0.7 numpy pandas
    python benchmarks/exposure_peers.py

FairRankTune adds the exposure of several rankings instead of averaging it, and counts the items of the dictionary
instead of the items of the ranking. So each ranking is compared alone, with a dictionary of its own items. FairRankTune
has no skew at k.
"""

import argparse

import numpy as np
import pandas as pd
from FairRankTune import Metrics

from skrankagg import metrics


def compare(rng):
    """Return a dict from measure to the value of this library and the value of FairRankTune, for a random ranking."""
    n, n_groups = int(rng.integers(2, 30)), int(rng.integers(1, 5))
    items = [f"d{k}" for k in rng.permutation(n)]
    groups = {item: "wxyz"[rng.integers(n_groups)] for item in items}
    frame, p = pd.DataFrame({"r": items}), float(rng.uniform(0.05, 0.95))
    names = {"exposure": metrics.exposure_difference, "attention": metrics.attention_difference}
    ratios = {"exposure": metrics.exposure_ratio, "attention": metrics.attention_ratio}
    options = {"exposure": {}, "attention": {"persistence": 1 - p}}
    table = metrics.group_exposure(items, groups, persistence=1 - p).set_index("group")
    found = {"ndkl": (metrics.ndkl(items, groups), Metrics.NDKL(frame, groups))}
    for kind in ("exposure", "attention"):
        scale = 100.0 if kind == "attention" else 1.0

        def theirs(combo, kind=kind):
            return Metrics.EXP(frame, groups, combo) if kind == "exposure" else Metrics.AWRF(frame, groups, p, combo)

        found[f"{kind} difference"] = scale * names[kind](items, groups, **options[kind]), theirs("MaxMinDiff")[0]
        found[f"{kind} ratio"] = ratios[kind](items, groups, **options[kind]), theirs("MinMaxRatio")[0]
        for group, value in theirs("MaxMinDiff")[1].items():
            found[f"{kind} of {group}"] = scale * table.loc[group, kind], value
    if len(set(groups.values())) > 1:
        value, shares = Metrics.ARP(frame, groups, "MaxMinDiff")
        found["rank parity"] = metrics.rank_parity(items, groups), value
        for group, share in shares.items():
            found[f"favored pairs of {group}"] = table.loc[group, "favored_pairs"], share
    return found


def main():
    """Compare random rankings and print the largest difference of each measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rankings", type=int, default=1000)
    rng, largest, count = np.random.default_rng(0), {}, {}
    for _ in range(parser.parse_args().rankings):
        for name, (own, other) in compare(rng).items():
            name = name.partition(" of ")[0] + (" by group" if " of " in name else "")
            difference = abs(own - other) / max(1.0, abs(other))
            largest[name] = max(largest.get(name, 0.0), difference)
            count[name] = count.get(name, 0) + 1
            # FairRankTune adds 1e-7 to each share in NDKL.
            if not difference <= (1e-5 if name == "ndkl" else 1e-9):
                raise SystemExit(f"{name}: {own} differs from {other}")
    print(pd.DataFrame({"values": count, "largest difference": largest}).to_string())


if __name__ == "__main__":
    main()
