"""Run a benchmark here and in the environment of another Python, and print one table with the times of both.

python benchmarks/both.py PYTHON SCRIPT [argument ...], such as `python benchmarks/both.py $PLAIN_PYTHON methods.py
table`. PYTHON is the Python of a plain environment, without pyarrow. Next to each column of this library's times, the
table has the column of the same times in the plain environment. Columns of ratios and of other libraries are from this
environment alone. If PYTHON is "-", only this environment is measured, and the plain columns contain dashes.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from _measure import read_tables, table

FOLDER = Path(__file__).resolve().parent
# Columns with one of these words are times of other libraries, or belong to one environment only.
OTHERS = re.compile(r"PyFLAGR|ranx|faster|goal|loop|has NumPy")
TIME = re.compile(r"\b(us|ms|s)\b")


def output_of(python, script, arguments):
    """Run a script of this folder by the given Python, and return the text that it prints."""
    call = [python, str(FOLDER / script), *arguments]
    return subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout


def join(first, second):
    """Return the header and the rows of two tables of the same labels, with the times of both."""
    places = [k for k, name in enumerate(first.header) if k and TIME.search(name) and not OTHERS.search(name)]
    others = {row[0]: row for row in second.rows} if second else {}
    header, rows = [], [[] for _ in first.rows]
    for k, name in enumerate(first.header):
        header.append(name)
        for row, cells in zip(rows, first.rows, strict=True):
            row.append(cells[k])
        if k in places:
            header.append(f"plain {name}")
            for row, cells in zip(rows, first.rows, strict=True):
                row.append(others[cells[0]][k] if cells[0] in others else "-")
    return header, rows


def main():
    """Print the joined tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="the Python of the plain environment, or -")
    parser.add_argument("script", help="a script of this folder")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the arguments of the script")
    options = parser.parse_args()
    here = read_tables(output_of(sys.executable, options.script, options.arguments))
    plain = [None] * len(here)
    if options.python != "-":
        plain = read_tables(output_of(options.python, options.script, options.arguments))
    for k, (first, second) in enumerate(zip(here, plain, strict=True)):
        if k:
            print()
        if first.title:
            print(first.title)
        header, rows = join(first, second)
        table(rows, header)


if __name__ == "__main__":
    main()
