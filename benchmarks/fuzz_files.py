"""Read damaged files of every format; an error must be one sentence that names the file and the place.

python benchmarks/fuzz_files.py [--files 100000] [--seed 0] [--first 0] [--jobs 2] [--keep fuzzed] [--ways]

A file must be read completely or refused. The script prints how many files of each kind were read, and how many were
refused. Any other outcome is a failure: a traceback, a warning, a wrong number of rows or a message without a place.
Such a file is kept, and its seed and number are printed. With --ways, random tables are read in blocks and by a single
pass of pandas' C parser instead, and the frames or messages must be equal.
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

import pytest
from fuzzing import KINDS, damaged_file, fault
from two_ways import difference

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


def compare_ways(seed, numbers):
    """Read tables in two ways; return the number of tables that were read in blocks, and descriptions of failures."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        found = [difference(seed, number, Path(folder) / "table", monkeypatch) for number in numbers]
    return sum(in_blocks for _, in_blocks in found), [one for one, _ in found if one is not None]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default="fuzzed", help="folder for files that fail")
    parser.add_argument("--ways", action="store_true", help="read valid and irregular tables in two ways")
    args = parser.parse_args()
    if args.ways:
        n_in_blocks, failures = compare_ways(args.seed, range(args.first, args.first + args.files))
        print(*failures, f"{args.files} tables, {n_in_blocks} in blocks, {len(failures)} failures", sep="\n")
        sys.exit(bool(failures))
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
