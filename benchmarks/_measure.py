"""Time and memory of one call, measured in this process."""

import gc
import os
import time
from pathlib import Path


def best_time(function, repeat=5, clock=time.perf_counter):
    """Time of the fastest of several runs by a clock, in seconds: the least disturbed one."""
    times = []
    for _ in range(repeat):
        gc.collect()
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def cpu_time(function, repeat=5):
    """CPU time of the cheapest of several runs, in seconds, of all threads of this process."""
    return best_time(function, repeat, time.process_time)


def cpu_with_processes():
    """CPU seconds of this process and of those that it has started and waited for."""
    return sum(os.times()[:4])


def extra_memory(function):
    """Peak resident memory of a call in addition to that before it, and its result; Linux only."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # reset the peak
    before = _resident("VmRSS")
    result = function()
    return _resident("VmHWM") - before, result


def held_memory(function):
    """Resident memory that the result of a call holds, and the result; Linux only."""
    gc.collect()
    before = _resident("VmRSS")
    result = function()
    gc.collect()
    return max(_resident("VmRSS") - before, 0), result


def _resident(field):
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def table(rows, header):
    """Print rows under a header, right-aligned."""
    text = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[k]) for row in text) for k in range(len(header))]
    for row in text:
        print(
            "  ".join(
                cell.ljust(width) if k == 0 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
        )
