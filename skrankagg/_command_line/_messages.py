"""Errors, warnings and progress: one line each."""

import contextlib
import io
import sys
import traceback
import warnings
import zlib

__all__ = ["StatusLine", "UserError", "is_deliberate", "naming", "one_line", "warnings_in_one_line"]

_PACKAGE = __name__.partition(".")[0]


class UserError(Exception):
    """A mistake of the user's that nothing below has put into words."""


def is_deliberate(error):
    """Whether a library raised this in so many words, rather than stumbled over it.

    What is wrong with data comes to light on every level, and always by a raise statement with a sentence for the
    user. Arrays that do not fit together raise where nothing says raise: that is a mistake of ours.
    """
    if isinstance(error, UserError):
        return True
    if error.__cause__ is not None:  # what is said of an error is as deliberate as the error
        return is_deliberate(error.__cause__)
    last = traceback.extract_tb(error.__traceback__)[-1]
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    package = frame.f_globals.get("__name__", "").partition(".")[0]
    return package in {_PACKAGE, "sklearn", "joblib"} and (last.line or "").startswith("raise ")


def one_line(message):
    return " ".join(str(message).split())


@contextlib.contextmanager
def naming(path, deed):
    """Say which file a mistake is in, unless the message does."""
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        path, reason = getattr(error, "filename", None) or path, getattr(error, "strerror", None) or error
        raise UserError(f"cannot {deed} {path!r}: {reason}.") from error
    except (ValueError, TypeError) as error:
        if not is_deliberate(error):
            raise
        named = "" if repr(path) in str(error) else f"{path}: "
        raise UserError(f"{named}{error}") from error


@contextlib.contextmanager
def warnings_in_one_line():
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        text = one_line(message)
        if text not in seen:
            seen.add(text)
            print(f"skrankagg: warning: {text}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=UserWarning)
        warnings.showwarning = show
        yield


class StatusLine(io.TextIOBase):
    """Shows what is printed meanwhile on one line of the terminal, the next over the last, and clears it in the end."""

    def __enter__(self):
        self._redirection = contextlib.redirect_stdout(self)
        self._redirection.__enter__()
        return self

    def __exit__(self, *exception):
        self._redirection.__exit__(*exception)
        self._show("")

    def write(self, text):
        if text.strip():
            self._show(text.strip())
        return len(text)

    def _show(self, text):
        print(f"\r{text[:78]:78}", end="\r", file=sys.stderr, flush=True)
