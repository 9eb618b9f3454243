"""Progress of a long command, written to standard error, at a terminal or in a log."""

import contextlib
import io
import sys
import threading
import time

# Seconds before the first line, between two changes of a terminal's line, and between two lines of a log.
_PATIENCE, _BLINK, _PAUSE = 2.0, 0.5, 10.0


class Progress:
    """Progress messages that start after two seconds; leaving the context manager clears the line.

    At a terminal one line is overwritten. Elsewhere a line is written when the activity changes, and every ten seconds.

    Parameters
    ----------
    quiet : bool
        Whether to write nothing.
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

    @contextlib.contextmanager
    def counting(self, what, total, mark):
        """Count the printed lines of the block that contain `mark`, as steps of a total; the lines are not shown."""
        counter = _Counter(self, what, total, mark)
        self.say(f"{what}: 0 of {total}")
        with contextlib.redirect_stdout(counter):
            yield

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


class _Counter(io.TextIOBase):
    def __init__(self, progress, what, total, mark):
        self.progress, self.what, self.total, self.mark = progress, what, total, mark
        self.done = 0

    def write(self, text):
        if self.mark in text:
            self.done += text.count(self.mark)
            self.progress.say(f"{self.what}: {min(self.done, self.total)} of {self.total}")
        return len(text)
