"""Time the Comparator of PyFLAGR's notebook with 21 methods, alternately here and in PyFLAGR 1.0.21.

python benchmarks/pyflagr_notebook.py [--repeat 3]; `pip install 'skrankagg[bench]'` installs PyFLAGR.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from _measure import table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from flagr_notebook import NOTEBOOK, write_data

_RUN = """
import contextlib, io, sys, time
library, folder, cells = sys.argv[1], sys.argv[2], sys.argv[3:]
names = {"folder": folder}
for cell in cells[:-1]:
    exec(cell.replace("skrankagg.compat.pyflagr", library), names)
wall, processor = time.perf_counter(), time.process_time()
with contextlib.redirect_stdout(io.StringIO()):
    exec(cells[-1], names)
print("TIME", time.perf_counter() - wall, time.process_time() - processor)
assert names["cmp"].results.shape == (441, 47)
"""


def run(library, folder):
    """Call aggregate in a separate process; measure wall and processor time, including costs of the first call."""
    arguments = [sys.executable, "-c", _RUN, library, folder, *NOTEBOOK[:5]]
    environment = {**os.environ, "TMPDIR": folder, "MPLBACKEND": "agg"}
    done = subprocess.run(arguments, capture_output=True, text=True, check=True, env=environment)
    (line,) = [line for line in done.stdout.splitlines() if "TIME" in line]
    return [float(number) for number in line.partition("TIME")[2].split()]


def main():
    """Print the times and the ratio of the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        write_data(Path(folder), ranks=True)  # PyFLAGR cannot read files of five columns
        for _ in range(repeat):
            ours, theirs = run("skrankagg.compat.pyflagr", folder), run("pyflagr", folder)
            for name, one, other in zip(("wall", "processor"), ours, theirs, strict=True):
                rows.append([name, f"{one:.3f}", f"{other:.3f}", f"{other / one:.1f}x"])
    table(rows, ["time", "skrankagg s", "PyFLAGR s", "faster by"])


if __name__ == "__main__":
    main()
