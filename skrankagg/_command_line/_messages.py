"""Errors and warnings of the command line, which are printed on one line each."""

import contextlib
import sys
import warnings
import zlib

from .._support._sklearn import InvalidParameterError
from ..exceptions import InputError, InputTypeError, MissingLibraryError
from ._python_words import in_flags


class UserError(Exception):
    """Error that the user can correct; its message is printed on one line without a traceback."""

    def __init__(self, message, parameter=None):
        super().__init__(message)
        self.parameter = parameter


#: Errors that a user can correct. Any other error is a defect and prints a traceback.
USER_MISTAKES = (UserError, InputError, InputTypeError, MissingLibraryError, InvalidParameterError)


def say(text):
    """Print a line on standard error, so that standard output contains only results."""
    print(f"skrankagg: {text}", file=sys.stderr, flush=True)


def one_line(message):
    return " ".join(str(message).split())


@contextlib.contextmanager
def name_file_in_errors(path, deed):
    """Return a context manager that converts errors about a file to UserError, and adds the name of the file.

    `deed` is the verb of the message, such as "read".
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        path, reason = getattr(error, "filename", None) or path, getattr(error, "strerror", None) or error
        raise UserError(f"cannot {deed} {path!r}: {reason}.") from error
    except (InputError, InputTypeError) as error:
        named = "" if repr(path) in str(error) else f"{path}: "
        raise UserError(f"{named}{error}", getattr(error, "parameter", None)) from error


@contextlib.contextmanager
def warnings_in_one_line(flags, files):
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        text = one_line(message)
        if text not in seen:
            seen.add(text)
            print(f"skrankagg: warning: {in_flags(text, flags, files=files)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=UserWarning)
        warnings.showwarning = show
        yield
