"""Measure how often 95 % intervals of bootstrap_interval contain the mean, for growing numbers of values.

python benchmarks/interval_coverage.py [--draws 1000] uses normal and exponential values.
"""

import argparse
import warnings

import numpy as np
import pandas as pd

from skrankagg.stats import bootstrap_interval


def main():
    """Print the share of intervals that contain the mean."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=1000)
    n_draws = parser.parse_args().draws
    warnings.simplefilter("ignore")
    rows = []
    for name in ("normal", "exponential"):
        for n in (5, 10, 15, 20, 40):
            rng = np.random.default_rng(0)
            values = rng.normal(size=(n_draws, n)) + 1 if name == "normal" else rng.exponential(size=(n_draws, n))
            row = {"values": name, "n": n}
            for method in ("bca", "percentile", "basic", "t"):
                ends = [
                    bootstrap_interval(one, method=method, n_resamples=999, random_state=seed)
                    for seed, one in enumerate(values)
                ]
                row[method] = np.mean([low <= 1 <= high for low, high in ends])
            rows.append(row)
    print(pd.DataFrame(rows).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
