"""Whether a user is watching, and what to show while a long computation runs."""

import builtins
import sys
import time
from contextlib import contextmanager

__all__ = ["Progress", "is_interactive", "tell_elapsed_time"]


def is_interactive():
    """Whether output goes to a terminal or a notebook."""
    return sys.stdout.isatty() or hasattr(builtins, "__IPYTHON__")


@contextmanager
def tell_elapsed_time(source, message):
    """Write how long the block took, as scikit-learn's pipelines do, unless the message is None."""
    start = time.perf_counter()
    yield
    if message is not None:
        elapsed = time.perf_counter() - start
        took = f" {message}, total={elapsed / 60:4.1f}min" if elapsed > 60 else f" {message}, total= {elapsed:5.1f}s"
        print(f"[{source}] {took:.>{max(67 - len(source), 0)}}")


class Progress:
    """A line that is written over itself, at most once a second.

    Parameters
    ----------
    name : str
        What the line begins with.
    verbose : bool or "auto"
        Whether to write; "auto" does in a terminal and a notebook.
    """

    def __init__(self, name, verbose):
        self.name = name
        self.active = is_interactive() if verbose == "auto" else verbose
        self.written = False
        self.start = self.last = time.monotonic()

    def show(self, text):
        """Write, unless the last time is less than a second ago.

        Parameters
        ----------
        text : str
        """
        now = time.monotonic()
        if self.active and now - self.last >= 1:
            self.last, self.written = now, True
            print(f"\r[{self.name}] {text}, {now - self.start:.0f} s", end="", flush=True)

    def close(self):
        """End the line, if any was written."""
        if self.written:
            print()
