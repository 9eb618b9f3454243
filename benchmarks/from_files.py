"""Times from a file to the consensus, compared with PyFLAGR given the same file; and times of reading files.

Run it from anywhere as `python benchmarks/from_files.py [flagr|readers]`; `pip install 'skrankagg[bench]'` installs
PyFLAGR, which runs in separate processes. Each time is the shortest of several runs.

- flagr: the 20 queries x 50 lists x 30 items of FLAGR's test data, as a CSV file. A file is PyFLAGR's only input, and a
  frame is written to a file first. Our time is for `read_lists` and `fit_transform`. PyFLAGR's Kemeny and Agglomerative
  are left out, because they take seconds
- readers: files of 1000 queries x 10 lists x 100 items, which is a million rows. The table contains the time to read
  and encode a file, and the time of pandas alone to read it
"""

import argparse
import importlib.util
import tempfile
import warnings
from pathlib import Path

import methods
import numpy as np
import pandas as pd
from _measure import best_time, table

from skrankagg.datasets import make_rasdagen, read_lists

LEFT_OUT = ("Kemeny", "Agglomerative")


def flagr(sizes, repeat, timeout, folder):
    """Print the times of this library and of PyFLAGR from a CSV file to the consensus."""
    lists = methods.full_lists(sizes[1], sizes[2], sizes[0]) if sizes else make_rasdagen()[0]
    path, rows = folder / "lists.csv", []
    for name, method in methods.all_methods().items():
        if name not in methods.PEERS or name in LEFT_OUT:
            continue
        theirs = methods.their_time(name, lists, path, repeat, timeout, from_file=True)
        # PyFLAGR may write files into the folder, so the file is written again.
        lists.assign(source="x").to_csv(path, header=False, index=False)
        ours = best_time(lambda m=method: m.fit_transform(read_lists(path)), repeat)
        measured = isinstance(theirs, float)
        cells = (f"{1e3 * theirs:.1f}", f"{theirs / ours:.1f}x") if measured else (theirs, "-")
        rows.append([name, f"{1e3 * ours:.1f}", *cells])
    table(rows, ["method", "skrankagg ms", "PyFLAGR ms", "faster by"])


def make_frame(n_queries, n_lists, length):
    """Generate a frame of lists with text ids and scores."""
    rng = np.random.default_rng(0)
    size = n_queries * n_lists
    items = np.argsort(rng.random((size, 3 * length), dtype=np.float32), axis=1)[:, :length].ravel()
    return pd.DataFrame(
        {
            "query": np.repeat([f"q{k:04d}" for k in range(n_queries)], n_lists * length),
            "voter": np.tile(np.repeat([f"run{k}" for k in range(n_lists)], length), n_queries),
            "item": np.array([f"doc{k:05d}" for k in range(3 * length)])[items],
            "rank": np.tile(np.arange(1, length + 1), size),
            "score": np.sort(rng.random((size, length)).round(6), axis=1)[:, ::-1].ravel(),
        }
    )


def readers(sizes, repeat, folder):
    """Print the times of reading files of several formats, alone by pandas and with encoding by this library."""
    frame = make_frame(*(sizes or (1000, 10, 100)))
    trec = frame.assign(Q0="Q0")[["query", "Q0", "item", "rank", "score", "voter"]]
    trec.to_csv(folder / "lists.trec", sep=" ", header=False, index=False)
    frame.to_csv(folder / "lists.csv", index=False)
    calls = {
        "TREC": lambda: pd.read_csv(folder / "lists.trec", sep=" ", header=None),
        "CSV": lambda: pd.read_csv(folder / "lists.csv"),
    }
    if importlib.util.find_spec("pyarrow"):
        frame.to_parquet(folder / "lists.parquet")
        calls["Parquet"] = lambda: pd.read_parquet(folder / "lists.parquet")
    rows = []
    for name, read in calls.items():
        path = folder / f"lists.{name.lower()}"
        ours = best_time(lambda path=path: read_lists(path, as_frame=False), repeat)
        alone = best_time(read, repeat)
        rows.append([name, f"{1e3 * ours:.0f}", f"{1e3 * alone:.0f}", f"{ours / alone:.2f}"])
    if "Parquet" not in calls:
        rows.append(["Parquet", "needs pyarrow", "-", "-"])
    table(rows, ["file", "skrankagg ms", "pandas alone ms", "ratio"])


def main():
    """Run the requested part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("flagr", "readers"), nargs="?", default="flagr")
    parser.add_argument("--repeat", type=int, default=5, help="number of calls of each side; the shortest counts")
    parser.add_argument(
        "--timeout", type=int, default=60, help="seconds allowed for a method of PyFLAGR; 0 leaves PyFLAGR out"
    )
    parser.add_argument("--sizes", type=int, nargs=3, metavar=("QUERIES", "LISTS", "ITEMS"), help="other sizes")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        if arguments.part == "flagr":
            flagr(arguments.sizes, arguments.repeat, arguments.timeout, Path(folder))
        else:
            readers(arguments.sizes, arguments.repeat, Path(folder))


if __name__ == "__main__":
    main()
