"""Errors and warnings of the command line, each on one line."""

import contextlib
import re
import shlex
import sys
import warnings
import zlib

from .._support._sklearn import InvalidParameterError
from ..exceptions import InputError, InputTypeError, MissingLibraryError


class UserError(Exception):
    """Error that the user can correct; the message of the error is printed on one line."""

    def __init__(self, message, parameter=None):
        super().__init__(message)
        self.parameter = parameter


#: Errors that a user can correct. For any other error, which is a defect, the traceback is printed.
USER_MISTAKES = (UserError, InputError, InputTypeError, MissingLibraryError, InvalidParameterError)


def say(text):
    """Print a line about the work of a command on standard error, so that standard output contains only results."""
    print(f"skrankagg: {text}", file=sys.stderr, flush=True)


def one_line(message):
    return " ".join(str(message).split())


# Pattern of a value in a message: one or several words in quotes, a list, or a number. The value may be missing.
_QUOTED = r"'[^']*'|\"[^\"]*\""
_VALUE = r"('[^']*'(?:, '[^']*')*(?: or '[^']*')?|\"[^\"]*\"|\[[^\]]*\]|\d+|(?!\w))"


def in_flags(message, flags, parameter=None):
    """Replace Python arguments in a message of the library by the flags of the command.

    Parameters
    ----------
    message : str
        Message, with arguments as in Python: ``cv=5``, ``voter='file'``, ``columns=[...]``.
    flags : dict of str to (str, str)
        Maps the name of an argument to the flag and to the placeholder of the flag's value.
    parameter : str, default=None
        Name of the parameter that the message is about, as stored in :class:`~skrankagg.exceptions.InputError`.

    Returns
    -------
    str
    """
    for name, (flag, value) in flags.items():

        def write(found, flag=flag, value=value):
            if found[1][:1] in ("", "["):
                return f"{flag} {value}"
            return f"{flag} {re.sub(_QUOTED, lambda word: shlex.quote(word[0][1:-1]), found[1])}"

        message = re.sub(rf"(?<![\w-]){name}={_VALUE}", write, message)
        if name.startswith("no_"):
            message = message.replace(f"{name.removeprefix('no_')}=False", flag)
    if parameter in flags:
        message = message.replace(f"`{parameter}`", flags[parameter][0])
    # The user of a command does not call these functions.
    return re.sub(r"\bread_(?:lists|qrels|preflib|comparisons) (?=cannot read|expects)", "", message)


@contextlib.contextmanager
def name_file_in_errors(path, deed):
    """Return a context in which an error about a file becomes a UserError whose message names the file.

    `deed` is the verb of the message, such as read.
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
def warnings_in_one_line(flags):
    seen = set()

    def show(message, category, filename, lineno, file=None, line=None):
        text = one_line(message)
        if text not in seen:
            seen.add(text)
            print(f"skrankagg: warning: {in_flags(text, flags)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.filterwarnings("always", category=UserWarning)
        warnings.showwarning = show
        yield
