"""Pass malformed dicts and lists to every call that accepts plain Python.

python benchmarks/fuzz_structures.py [--cases 100000] [--seed 0] [--first 0]

A call must return a right result, or raise an error of one sentence. For each call, the script prints how many
structures were read, and how many were refused. Any other outcome is a failure: an internal error, a wrong result or a
message that is not one sentence. Such a call is printed with its number.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from _measure import table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "data"))

from malformed import KINDS, fault, malformed_case


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    args = parser.parse_args()
    start, counts, failures = time.perf_counter(), Counter(), Counter()
    for number in range(args.first, args.first + args.cases):
        case = malformed_case(args.seed, number)
        found, is_read = fault(case)
        counts[case.kind, is_read] += 1
        if found is not None:
            failures[case.kind] += 1
            print(f"seed {args.seed}, number {number}, {case.kind}: {found}", flush=True)
    rows = [[kind, counts[kind, True], counts[kind, False], failures[kind]] for kind in KINDS]
    table(rows, ["call", "read", "refused", "failures"])
    print(f"{args.cases} cases in {time.perf_counter() - start:.0f} s, {failures.total()} failures")
    sys.exit(failures.total() > 0)


if __name__ == "__main__":
    main()
