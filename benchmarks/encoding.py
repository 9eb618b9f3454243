"""Time the encoding of 5 million rows, and a pandas factorize of their id columns; or time one small query.

Two kinds of pandas strings are measured: strings in pyarrow, if pyarrow is installed, and Python strings. Python
strings are measured twice. Either the rows with equal ids share a string, as after read_csv, or each row has its own
strings.

python benchmarks/encoding.py [rows] [--queries 1000] [--voters 50] [--length 100]
python benchmarks/encoding.py small     # one query of 3 lists x 100 items, from a frame to a frame
"""

import argparse
import sys

import numpy as np
import pandas as pd
from _measure import best_time, extra_memory, table

from skrankagg import RankedLists, ReciprocalRankFusion

# Kinds of id columns: their names and dtypes.
PLAIN = pd.StringDtype("python", na_value=np.nan)
WITHOUT_PYARROW = {"str without pyarrow": PLAIN, "the same, rows apart": PLAIN}
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


def make_lists(n_queries, n_voters, length, dtype, shuffled, by, *, apart=False):
    """Generate a long frame with ids of 25 characters; each query has its own pool of items.

    If `apart` is true, each row has its own strings.
    """
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
    if apart:
        for name in frame.columns:
            frame[name] = pd.Series(["".join(list(one)) for one in frame[name]], dtype=dtype)
    place = np.tile(np.arange(1, length + 1), n_queries * n_voters)
    frame[by] = (
        place.astype(np.int64) if by == "rank" else np.sort(rng.random((n_queries * n_voters, length)))[:, ::-1].ravel()
    )
    return frame.sample(frac=1, random_state=0, ignore_index=True) if shuffled else frame


def size_of(lists):
    arrays = [value for value in vars(lists).values() if isinstance(value, np.ndarray)]
    return sum(array.nbytes for array in arrays)


def small(repeat, calls=100):
    """Print the time to encode, and the time to merge, a frame of one query of 3 lists of 100 items."""
    rows = []
    for kind, dtype in {**STRINGS, "str without pyarrow": PLAIN}.items():
        frame = make_lists(1, 3, 100, dtype, False, "score")
        for function in (RankedLists.from_frame, ReciprocalRankFusion().fit_transform):

            def call(function=function, frame=frame):
                for _ in range(calls):
                    function(frame)

            rows.append([f"{function.__name__}, {kind}", f"{1e6 * best_time(call, repeat) / calls:.0f}"])
    table(rows, ["one query of 3 lists x 100 items", "us"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("rows", "small"), nargs="?", default="rows")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--voters", type=int, default=50)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.part == "small":
        small(arguments.repeat)
        return
    rows = []
    for kind, shuffled, by in CASES:
        sizes = arguments.queries, arguments.voters, arguments.length
        frame = make_lists(*sizes, KINDS[kind], shuffled, by, apart="apart" in kind)
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
