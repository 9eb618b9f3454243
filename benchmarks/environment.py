"""Print the versions, processors and memory of the machine on which the performance page is measured.

python benchmarks/environment.py [PYTHON]; PYTHON is the Python of the plain environment, whose versions are a second
column.
"""

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path

from _measure import read_tables, table

from skrankagg import _kernels

PACKAGES = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy",
    "scikit-learn",
    "pyflagr",
    "ranx",
    "numba",
    "rankops",
    "pytrec-eval-terrier",
    "evalica",
    "choix",
)


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def processor():
    """Return the model of the processor, or its architecture if the system does not report the model."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def commit():
    """Return the short name of the commit that is checked out, or "unknown" without Git."""
    call = ["git", "-C", str(Path(__file__).resolve().parent), "rev-parse", "--short=8", "HEAD"]
    try:
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main(plain=None):
    """Print the table."""
    rows = [
        ["commit", commit()],
        ["Python", platform.python_version()],
        ["kernels", "compiled" if _kernels.COMPILED else "plain Python"],
    ]
    rows += [[name, version(name)] for name in PACKAGES]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    rows += [["processor", processor()], ["processors", os.cpu_count()], ["memory GiB", f"{memory:.0f}"]]
    header = ["what", "version"]
    if plain:
        printed = subprocess.run([plain, __file__], check=True, capture_output=True, text=True).stdout
        found = {row[0]: row[1] for row in read_tables(printed)[0].rows}
        rows, header = [[*row, found[row[0]]] for row in rows], [*header, "plain environment"]
    table(rows, header)


if __name__ == "__main__":
    main(*sys.argv[1:2])
