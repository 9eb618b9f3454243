"""Encode 5 million rows, compared with one pandas factorize of the three id columns.

Strings are measured as pandas stores them with pyarrow, if that is installed, and as it stores them without.

python benchmarks/encoding.py [--queries 1000] [--voters 50] [--length 100]
"""

import argparse
import sys

import numpy as np
import pandas as pd
from _measure import best_time, extra_memory, table

from skrankagg import RankedLists

# Kinds of id columns: their names and dtypes.
WITHOUT_PYARROW = {"str without pyarrow": pd.StringDtype("python", na_value=np.nan)}
try:
    STRINGS = {"str": pd.StringDtype("pyarrow", na_value=np.nan)}
except ImportError:
    STRINGS = {}
KINDS = {**STRINGS, **WITHOUT_PYARROW, "object": object, "category": "category"}
CASES = [
    *((kind, shuffled, by) for kind in STRINGS for shuffled in (False, True) for by in ("rank", "score")),
    *((kind, shuffled, "rank") for kind in (*WITHOUT_PYARROW, "object") for shuffled in (False, True)),
    ("category", False, "rank"),
]


def make_lists(n_queries, n_voters, length, dtype, shuffled, by):
    """Long frame with ids of 25 characters; each query has its own pool of items."""
    rng = np.random.default_rng(0)
    pool = 4 * length
    query = np.repeat(np.arange(n_queries), n_voters * length)
    voter = np.tile(np.repeat(np.arange(n_voters), length), n_queries)
    item = rng.random((n_queries * n_voters, pool), dtype=np.float32).argpartition(length, axis=1)[:, :length].ravel()
    item += query * pool
    frame = pd.DataFrame(
        {
            name: pd.Series(np.array([f"{name:<7}{k:018d}" for k in range(size)], dtype=object), dtype=dtype)
            .take(codes)
            .reset_index(drop=True)
            for name, codes, size in (
                ("query", query, n_queries),
                ("voter", voter, n_voters),
                ("item", item, n_queries * pool),
            )
        }
    )
    place = np.tile(np.arange(1, length + 1), n_queries * n_voters)
    frame[by] = (
        place.astype(np.int64) if by == "rank" else np.sort(rng.random((n_queries * n_voters, length)))[:, ::-1].ravel()
    )
    return frame.sample(frac=1, random_state=0, ignore_index=True) if shuffled else frame


def size_of(lists):
    arrays = [value for value in vars(lists).values() if isinstance(value, np.ndarray)]
    return sum(array.nbytes for array in arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--voters", type=int, default=50)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    rows = []
    for kind, shuffled, by in CASES:
        frame = make_lists(arguments.queries, arguments.voters, arguments.length, KINDS[kind], shuffled, by)
        factorize = best_time(
            lambda frame=frame: [pd.factorize(frame[name]) for name in ("query", "voter", "item")], arguments.repeat
        )
        encode = best_time(lambda frame=frame: RankedLists.from_frame(frame), arguments.repeat)
        column = frame["item"].memory_usage(index=False, deep=False)
        if sys.platform == "linux":
            extra, lists = extra_memory(lambda frame=frame: RankedLists.from_frame(frame))
            over = f"{(extra - size_of(lists)) / 2**20:.0f}"
        else:
            lists, over = RankedLists.from_frame(frame), "-"
        rows.append(
            [
                f"{kind}, {'shuffled' if shuffled else 'in order'}, {by}s",
                f"{len(frame):,}",
                f"{factorize:.2f}",
                f"{encode:.2f}",
                f"{encode / factorize:.2f}",
                over,
                f"{(size_of(lists) + column) / 2**20:.0f}",
            ]
        )
        del frame, lists
    table(
        rows, ["frame", "rows", "factorize s", "encode s", "ratio", "memory over result MiB", "encoding + column MiB"]
    )


if __name__ == "__main__":
    main()
