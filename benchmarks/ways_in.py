"""CPU time and memory of encoding the same rows as runs (a dict of dicts) and as a long frame.

Each way is measured in its own process. The peak memory is the memory that the call uses in addition to its input, so
the size of the input is printed next to the peak. For runs, the call also builds the columns of a frame.

python benchmarks/ways_in.py [--rows 200000] [--voters 50] [--length 100] [--repeat 3]

5 million rows: python benchmarks/ways_in.py --rows 5000000 --repeat 1
"""

import argparse
import json
import subprocess
import sys

import numpy as np
import pandas as pd
from _measure import cpu_time, extra_memory, held_memory, table

from skrankagg import RankedLists

WAYS = ("from_frame", "from_runs, scores", "from_runs, lists")


def make_rows(n_rows, n_voters, length):
    """Generate codes of query, voter and item, and scores; each query has its own pool of items."""
    n_lists = max(1, n_rows // length)
    n_queries = -(-n_lists // n_voters)
    rng = np.random.default_rng(0)
    pool = 4 * length
    item = rng.random((n_lists, pool), dtype=np.float32).argpartition(length, axis=1)[:, :length].ravel()
    query, voter = np.divmod(np.repeat(np.arange(n_lists), length), n_voters)
    score = np.sort(rng.random((n_lists, length)), axis=1)[:, ::-1].ravel()
    return n_queries, query, voter, item + query * pool, score


def make_frame(n_rows, n_voters, length):
    n_queries, query, voter, item, score = make_rows(n_rows, n_voters, length)
    names = {"query": (query, n_queries), "voter": (voter, n_voters), "item": (item, 4 * length * n_queries)}
    columns = {
        name: pd.Series([f"{name}{k}" for k in range(size)]).take(codes).reset_index(drop=True)
        for name, (codes, size) in names.items()
    }
    return pd.DataFrame({**columns, "score": score})


def make_runs(n_rows, n_voters, length, with_scores):
    _, query, voter, item, score = make_rows(n_rows, n_voters, length)
    runs = {}
    for start in range(0, len(item), length):
        rows = slice(start, start + length)
        items = [f"item{k}" for k in item[rows].tolist()]  # separate strings, as from a file or a client
        results = dict(zip(items, score[rows].tolist(), strict=True)) if with_scores else items
        runs.setdefault(f"voter{voter[start]}", {})[f"query{query[start]}"] = results
    return runs


def measure(way, n_rows, n_voters, length, repeat):
    """Return the CPU seconds of a way to encode rows, the bytes of its input, its peak bytes and the number of rows."""

    def make():
        if way == "from_frame":
            return make_frame(n_rows, n_voters, length)
        return make_runs(n_rows, n_voters, length, with_scores=way.endswith("scores"))

    def call():
        return RankedLists.from_frame(data) if way == "from_frame" else RankedLists.from_runs(data)

    linux = sys.platform == "linux"
    size, data = held_memory(make) if linux else (None, make())
    peak, lists = extra_memory(call) if linux else (None, call())
    return {"seconds": cpu_time(call, repeat), "input": size, "peak": peak, "rows": lists.n_rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--voters", type=int, default=50)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)  # the way that a child process measures
    arguments = parser.parse_args()
    sizes = [arguments.rows, arguments.voters, arguments.length, arguments.repeat]
    if arguments.way:
        print(json.dumps(measure(arguments.way, *sizes)))
        return
    options = [f"--{name}={size}" for name, size in zip(("rows", "voters", "length", "repeat"), sizes, strict=True)]
    rows, frame_seconds = [], None
    for way in WAYS:
        child = subprocess.run(
            [sys.executable, __file__, *options, f"--way={way}"], stdout=subprocess.PIPE, check=True, text=True
        )
        found = json.loads(child.stdout)
        frame_seconds = frame_seconds or found["seconds"]
        memory = ["-", "-", "-"]
        if found["peak"] is not None:
            memory = [
                f"{found['input'] / 2**20:.0f}",
                f"{found['peak'] / 2**20:.0f}",
                f"{found['peak'] / max(found['input'], 1):.2f}",
            ]
        rows.append(
            [way, f"{found['rows']:,}", f"{found['seconds']:.2f}", f"{found['seconds'] / frame_seconds:.1f}", *memory]
        )
    table(rows, ["way", "rows", "CPU s", "of from_frame", "input MiB", "peak over input MiB", "peak / input"])


if __name__ == "__main__":
    main()
