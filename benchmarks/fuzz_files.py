"""Read damaged files of every format; an error must be one sentence that names the file and the place.

python benchmarks/fuzz_files.py [--files 100000] [--seed 0] [--first 0] [--jobs 2] [--keep fuzzed]

A file must be read completely or refused. The script prints how many files of each kind were read, and how many were
refused. Any other outcome is a failure: a traceback, a warning, a wrong number of rows or a message without a place.
Such a file is kept, and its seed and number are printed.
"""

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from _measure import table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "datasets"))

from fuzzing import KINDS, damaged_file, fault

PART = 500


def run_part(seed, numbers, keep):
    """Count the files that are read and the files that are refused; return the counts and descriptions of failures."""
    counts, failures = Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            file = damaged_file(seed, number)
            found, is_read = fault(file, Path(folder) / f"{file.kind}.file")
            counts[file.kind, "read" if is_read else "refused"] += 1
            if found is not None:
                path = Path(keep) / f"{file.kind}-{seed}-{number}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.data)
                failures.append(f"seed {seed}, number {number}, {file.options}, kept in {path}: {found}")
    return counts, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="fuzzed", help="folder for files that fail")
    args = parser.parse_args()
    start = time.perf_counter()
    last = args.first + args.files
    parts = [range(first, min(first + PART, last)) for first in range(args.first, last, PART)]
    counts, failures = Counter(), []
    with ProcessPoolExecutor(args.jobs) as pool:
        done = pool.map(run_part, [args.seed] * len(parts), parts, [args.keep] * len(parts))
        for part_counts, part_failures in done:
            counts += part_counts
            failures += part_failures
            for one in part_failures:
                print(one, flush=True)
    table([[kind, counts[kind, "read"], counts[kind, "refused"]] for kind in KINDS], ["kind", "read", "refused"])
    print(f"{args.files} files in {time.perf_counter() - start:.0f} s, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
