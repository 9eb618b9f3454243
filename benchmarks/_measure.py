"""Time and memory of one call, measured in this process; and tables, printed and read again."""

import gc
import os
import re
import time
from pathlib import Path
from typing import NamedTuple


def best_time(function, repeat=5, clock=time.perf_counter):
    """Run a function several times; return the seconds of the fastest run by the given clock."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def cpu_time(function, repeat=5):
    """Run a function several times; return the CPU seconds of the cheapest run, over all threads of this process."""
    return best_time(function, repeat, time.process_time)


def cpu_with_processes():
    """Return the CPU seconds of this process and of its finished child processes."""
    return time.process_time() + sum(os.times()[2:4])


def extra_memory(function):
    """Measure the peak resident memory that a call adds; return this memory and the result. Linux only."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # reset the peak
    before = _resident("VmRSS")
    result = function()
    return _resident("VmHWM") - before, result


def held_memory(function):
    """Measure the resident memory that the result of a call occupies; return this memory and the result. Linux only."""
    gc.collect()
    before = _resident("VmRSS")
    result = function()
    gc.collect()
    return max(_resident("VmRSS") - before, 0), result


def _resident(field):
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status must have {field}; it is missing. Run this on Linux.")


def table(rows, header):
    """Print a header and rows in right-aligned columns."""
    text = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[k]) for row in text) for k in range(len(header))]
    for row in text:
        print(
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
        )


class Table(NamedTuple):
    """A printed table: the line above it if there is one, the header, and the rows; cells are texts."""

    title: str
    header: list
    rows: list

    @property
    def labels(self):
        """Return the first cell of each row."""
        return [row[0] for row in self.rows]


def read_tables(output):
    """Return the tables of an output. Columns are separated by at least two spaces, and tables by blank lines."""
    tables = []
    for part in re.split(r"\n\s*\n", output.strip("\n")):
        lines = [re.split(r"\s{2,}", line.strip()) for line in part.splitlines() if line.strip()]
        # A header may lack its first cell, which is the name of the column of labels.
        title = lines.pop(0)[0] if lines and len(lines[0]) == 1 and len(lines) > 2 else ""
        if len(lines) < 2:
            continue
        header, *rows = lines
        if part.splitlines()[1 if title else 0].startswith("  "):
            header = ["", *header]
        # A row may end early, such as the row of a method that refuses its input.
        rows = [row + ["-"] * (len(header) - len(row)) for row in rows if len(row) > 1]
        tables.append(Table(title, header, rows))
    return tables
