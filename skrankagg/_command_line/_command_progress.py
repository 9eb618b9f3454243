"""Progress messages of a long command on standard error."""

import itertools
import sys
import threading
import time

# Seconds before the first message, between two messages at a terminal, and between two lines of a log.
_PATIENCE, _BLINK, _PAUSE = 2.0, 0.5, 10.0


class Progress:
    """Context manager that writes progress messages; the first message is written after two seconds.

    At a terminal, each message overwrites the previous message, and the line is cleared at the end. In a log, a line is
    written when the activity changes, and every ten seconds.

    Parameters
    ----------
    quiet : bool
        If True, nothing is written.
    """

    def __init__(self, quiet):
        self.quiet, self.text, self._shown = quiet, "", False
        self.terminal = sys.stderr.isatty()
        self._begin, self._end = time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        if not self.quiet:
            self._thread.start()
        return self

    def __exit__(self, *exception):
        self._end.set()
        if not self.quiet:
            self._thread.join()
        if self._shown and self.terminal:
            print(f"\r{'':78}", end="\r", file=sys.stderr, flush=True)

    def say(self, text):
        """Set the text of the current activity."""
        self.text = text

    def counter(self, what, total):
        """Return a function to call after each step; each call updates the message, such as "methods: 3 of 7"."""
        steps = itertools.count()

        def step(*_):
            self.say(f"{what}: {min(next(steps), total)} of {total}")

        step()
        return step

    def _run(self):
        last, when = "", 0.0
        wait = _PATIENCE
        while not self._end.wait(wait):
            wait, now = _BLINK, time.monotonic()
            if not self.text or (not self.terminal and self.text == last and now - when < _PAUSE):
                continue
            line = f"skrankagg: {self.text}, {now - self._begin:.0f} s"
            if self.terminal:
                print(f"\r{line[:78]:78}", end="\r", file=sys.stderr, flush=True)
            elif now - when >= _PATIENCE:
                print(line, file=sys.stderr, flush=True)
            else:
                continue
            last, when, self._shown = self.text, now, True
