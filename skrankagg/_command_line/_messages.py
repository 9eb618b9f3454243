"""Errors, warnings and progress, one line each."""

import contextlib
import re
import sys
import warnings
import zlib

from .._support._sklearn import InvalidParameterError
from ..exceptions import InputError, InputTypeError, MissingLibraryError


class UserError(Exception):
    """A user's mistake that the library itself does not report."""


#: Mistakes that a user can correct. Any other error is a defect, and its traceback is shown.
USER_MISTAKES = (UserError, InputError, InputTypeError, MissingLibraryError, InvalidParameterError)


def one_line(message):
    return " ".join(str(message).split())


# Forms of Python's arguments on the command line.
_FLAGS = (
    (r"\bcolumns=\[[^\]]*\]", "--columns NAMES"),
    (r"\bcolumns=", "--columns "),
    (r"\bformat=('\w+'(?:, '\w+')* or '\w+')", lambda found: "--format " + found[1].replace("'", "")),
    (r"\b(format|decimal|voter|ties|gain|missing)=['\"]([^'\"]*)['\"]", r"--\1 \2"),
    (r"\b(cv|n_jobs|random_state)=(\d+)", r"--\1 \2"),
    (r"\bbaseline='([^']*)'", r"--baseline \1"),
    (r"\bjob=('[^']*'|\"[^\"]*\")", r"--job \1"),
    (r"\bjob= with a name", "--job NAME"),
    (r"^(.*: )?`?job`? must be", r"\1--job must be"),
    (r"\bresume=False", "--no-resume"),
    (r"--(n_jobs|random_state)", lambda found: found[0].replace("_", "-")),
    (r"\bread_(lists|qrels) (cannot read|expects)", lambda found: found[2]),
)


def in_flags(message):
    """Replace arguments in a message of the library by the flags of the command line."""
    for pattern, flag in _FLAGS:
        message = re.sub(pattern, flag, message)
    return message


@contextlib.contextmanager
def name_file_in_errors(path, deed):
    """Name the file of a mistake, unless the message names it."""
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
            print(f"skrankagg: warning: {in_flags(text)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=UserWarning)
        warnings.showwarning = show
        yield
