"""Progress reports of long computations, and detection of interactive use."""

import builtins
import sys
import time
from contextlib import contextmanager


def is_interactive():
    """Return True if output goes to a terminal or a notebook."""
    return sys.stdout.isatty() or hasattr(builtins, "__IPYTHON__")


@contextmanager
def tell_elapsed_time(source, message, write=print):
    """Return a context manager that writes the time spent inside it, in the format of scikit-learn's pipelines.

    If `message` is None, nothing is written.
    """
    start = time.perf_counter()
    yield
    if message is not None:
        elapsed = time.perf_counter() - start
        took = f" {message}, total={elapsed / 60:4.1f}min" if elapsed > 60 else f" {message}, total= {elapsed:5.1f}s"
        write(f"[{source}] {took:.>{max(67 - len(source), 0)}}")


def format_seconds(seconds):
    """Return a duration as text such as "12 seconds" or "10 minutes"."""
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 1.5 * size:
            return f"{seconds / size:,.{0 if seconds >= 9.5 * size else 1}f} {unit}s"
    return f"{seconds:.0f} seconds" if seconds >= 9.5 else f"{seconds:.2g} seconds"


class Progress:
    """Progress display on a single line, which is overwritten at most once a second.

    Parameters
    ----------
    name : str
        Beginning of the line.
    verbose : bool or "auto"
        Whether to write; "auto" writes only in a terminal or a notebook.
    """

    def __init__(self, name, verbose):
        self.name = name
        self.active = is_interactive() if verbose == "auto" else verbose
        self.written = False
        self.start = self.last = time.monotonic()

    def show(self, text):
        """Write the text if at least a second has passed since the last text was written.

        Parameters
        ----------
        text : str
        """
        now = time.monotonic()
        if self.active and now - self.last >= 1:
            self.last, self.written = now, True
            print(f"\r[{self.name}] {text}, {now - self.start:.0f} s", end="", flush=True)

    def close(self):
        """End the line with a line break if something was written."""
        if self.written:
            print()
