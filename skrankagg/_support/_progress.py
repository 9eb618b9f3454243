"""Whether somebody is watching, and what to show them while a long computation runs."""

import builtins
import sys
import time

__all__ = ["Progress", "is_interactive"]


def is_interactive():
    """Whether output goes to a terminal or a notebook."""
    return sys.stdout.isatty() or hasattr(builtins, "__IPYTHON__")


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
