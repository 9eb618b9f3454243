"""CPU time of encoding frames of polars, DuckDB and Arrow, with and without a Python object for each string.

All times are from one process. "objects" is the time if columns of text are read as arrays of Python strings, as for
all other libraries. "ratio" is "objects" divided by "arrow". The row of pandas, which needs no conversion, shows the
time of the encoding alone. The time of DuckDB includes the time in which DuckDB collects its rows.

python benchmarks/frames_of_libraries.py [--rows 1000000] [--voters 20] [--length 100] [--repeat 3]
"""

import argparse
from unittest.mock import patch

import numpy as np
import pandas as pd
from _measure import cpu_time, table
from ways_in import make_frame

from skrankagg import RankedLists


def frames_of(frame):
    """Return a dict from the name of a library to the same rows as a frame of this library."""
    import duckdb
    import polars
    import pyarrow as pa

    arrow = pa.Table.from_pandas(frame, preserve_index=False)
    connection = duckdb.connect()
    connection.register("arrow", arrow)
    connection.execute("CREATE TABLE lists AS SELECT * FROM arrow")
    polar = polars.from_arrow(arrow)
    ids = ["query", "voter", "item"]
    plain = {name: arrow[name].cast(pa.string()) for name in ids}
    codes = {name: arrow[name].dictionary_encode() for name in ids}
    return {
        "polars": polar,
        "polars, lazy": polar.lazy(),
        "polars, categories": polar.with_columns(polars.col(ids).cast(polars.Categorical)),
        "DuckDB": connection.table("lists"),
        "Arrow, large_string": arrow,
        "Arrow, string": pa.table({**plain, "score": arrow["score"]}),
        "Arrow, dictionaries": pa.table({**codes, "score": arrow["score"]}),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--voters", type=int, default=20)
    parser.add_argument("--length", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    frame = make_frame(arguments.rows, arguments.voters, arguments.length)
    rows = []
    for order in ("in order", "shuffled"):
        if order == "shuffled":
            frame = frame.sample(frac=1, random_state=0, ignore_index=True)
        expected = RankedLists.from_frame(frame)
        alone = cpu_time(lambda frame=frame: RankedLists.from_frame(frame), arguments.repeat)
        rows.append([f"pandas, {order}", "-", f"{alone:.2f}", "-"])
        for library, given in frames_of(frame).items():
            found = RankedLists.from_frame(given)
            if not (found.equals(expected) and found.items.equals(expected.items)):
                raise RuntimeError(f"{library} must give the same lists as pandas; it gives others.")

            def encode(given=given):
                return RankedLists.from_frame(given)

            new = cpu_time(encode, arguments.repeat)
            with patch("skrankagg._data._frames.arrow_text", lambda values: None):
                old = cpu_time(encode, arguments.repeat)
            rows.append([f"{library}, {order}", f"{old:.2f}", f"{new:.2f}", f"{old / new:.1f}"])
    kind = pd.Series([""]).dtype
    print(f"{len(frame):,} rows; pandas stores text as {kind!r}; NumPy {np.__version__}")
    table(rows, ["frame", "objects, s", "arrow, s", "ratio"])


if __name__ == "__main__":
    main()
