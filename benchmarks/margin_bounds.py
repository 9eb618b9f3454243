"""Compare the bounds of margin_of_victory with the removal of every set of ballots, on 500 small elections.

    python benchmarks/margin_bounds.py [--elections 500]

Each election has up to nine ballots on up to five candidates. For each rule, the script compares three results with the
exact margin: the result without limits, the result without time, and the result with sets of one ballot. The script
stops with an error at the first wrong bound.
"""

import argparse
import sys
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "inspection"))
from small_elections import RULES, check_bounds

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--elections", type=int, default=500)
    n_elections = parser.parse_args().elections
    warnings.simplefilter("ignore")
    begun = time.process_time()
    n_bounds = sum(check_bounds(seed) for seed in range(n_elections))
    print(
        f"{n_elections} elections, {len(RULES)} rules: all {n_bounds} pairs of bounds enclose the exact margin "
        f"({time.process_time() - begun:.0f} s of CPU time)"
    )
