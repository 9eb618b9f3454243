"""CPU time of a new fit when comparisons are added, as a multiple of the time to read the file.

Run it from anywhere as `python benchmarks/refit.py [--duels 100000]`; it takes some seconds.

A file has comparisons of 100 models. A thousand new comparisons are added, and the board is fitted again from all
comparisons. The times are for reading the CSV file with pandas, for RankedLists.from_comparisons, for
RankedLists.concat of the old and the new comparisons, and for PlackettLuce without and with standard errors.
"""

import argparse
import tempfile
from pathlib import Path

import pandas as pd
from _measure import cpu_time, table

from skrankagg import PlackettLuce, RankedLists
from skrankagg.datasets import make_comparisons


def main():
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--duels", type=int, default=100_000)
    n = parser.parse_args().duels
    made = make_comparisons(n_items=100, n_comparisons=n + 1000, tie_probability=0.2, random_state=0).comparisons
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "battles.csv"
        made.to_csv(path, index=False)
        reading = cpu_time(lambda: pd.read_csv(path))
    old, new = (RankedLists.from_comparisons(part, tie="tie") for part in (made[:n], made[n:]))
    every = RankedLists.from_comparisons(made, tie="tie")
    steps = {
        "reading the file (pandas)": reading,
        "from_comparisons(all)": cpu_time(lambda: RankedLists.from_comparisons(made, tie="tie")),
        "concat([old, new])": cpu_time(lambda: RankedLists.concat([old, new])),
        "PlackettLuce()": cpu_time(lambda: PlackettLuce().fit_transform(every)),
        'PlackettLuce(std_errors="model")': cpu_time(lambda: PlackettLuce(std_errors="model").fit_transform(every)),
    }
    rows = [[name, f"{time / reading:.2f}"] for name, time in steps.items()]
    table(rows, [f"{n + 1000:,} comparisons of 100 models", "time / reading"])


if __name__ == "__main__":
    main()
