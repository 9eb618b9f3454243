"""Time and memory of one call, measured in this process."""

import gc
import os
import time
from pathlib import Path


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
