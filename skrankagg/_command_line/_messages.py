"""Errors, warnings and progress: one line each."""

import contextlib
import io
import sys
import warnings
import zlib

from .._support._sklearn import InvalidParameterError
from ..exceptions import InputError, InputTypeError, MissingLibraryError

__all__ = ["USER_MISTAKES", "StatusLine", "UserError", "naming", "one_line", "warnings_in_one_line"]


class UserError(Exception):
    """A mistake of the user's that nothing below has put into words."""


#: What a user can mend. Any other error is a defect, and its traceback is shown.
USER_MISTAKES = (UserError, InputError, InputTypeError, MissingLibraryError, InvalidParameterError)


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
    except (InputError, InputTypeError) as error:
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
