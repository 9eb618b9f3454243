"""Where a file's bytes come from: the disk, or a stream that can be read only once; and who is blamed for them.

The readers look at a file several times: at its beginning for its format, and again wherever the fast parser is in
doubt. A regular file is opened each time. A pipe, a device and an open file are read once, into memory.
"""

import gzip
import io
import os
import re
import stat
import zlib
from contextlib import contextmanager
from typing import Protocol, TypeAlias

from ..exceptions import InputError, InputTypeError

BOM = b"\xef\xbb\xbf"
_GZIP_MAGIC = b"\x1f\x8b"
# Where a file opened again may go on where the last reader stopped, even if it is a regular one.
_ONCE = re.compile(r"/dev/(stdin|fd/\d+)|/proc/(self|\d+)/fd/\d+")


class BinaryFile(Protocol):
    """An open file of bytes, such as ``sys.stdin.buffer``."""

    def read(self, size: int = -1, /) -> bytes:
        """Read bytes."""
        ...


#: A path, or a file that is open for bytes.
FileLike: TypeAlias = str | os.PathLike[str] | BinaryFile


class Fault(InputError):
    """What is wrong with a file, as a clause without a subject, with a remedy of its own."""

    def __init__(self, clause, remedy):
        super().__init__(clause)
        self.remedy = remedy


class Held:
    """What was read from a stream, decompressed, under the name that messages give it."""

    def __init__(self, name, data):
        self.name = name
        self.data = data


def is_file(source):
    """Whether a reader can take this: a path, or something that can be read."""
    return isinstance(source, (str, os.PathLike)) or hasattr(source, "read")


def file_name(source):
    """Name of a path, of an open file or of what was read from one, for messages."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and name else "<stream>"


def hold(source, caller):
    """Make of a source what can be opened many times: a regular file as it is, all else read into memory.

    Parameters
    ----------
    source : path or open file
    caller : str
        Who reads, for messages.

    Returns
    -------
    path or Held
    """
    if not isinstance(source, (str, os.PathLike)):
        data = _read_open_file(source, caller)
    elif _is_read_once(source):
        with open(source, "rb") as stream:
            data = stream.read()
    else:
        return source
    if data[:2] == _GZIP_MAGIC:
        data = gzip.decompress(data)
    return Held(file_name(source), data)


def _is_read_once(path):
    """Whether a path leads to a pipe or a device, or to what this process has open; a missing file is left to open."""
    path = os.fspath(path)
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _ONCE.fullmatch(str(path)) is not None


def _read_open_file(source, caller):
    if isinstance(source, io.TextIOBase):
        raise _text_mode(source, caller)
    try:
        data = source.read()
    except (io.UnsupportedOperation, ValueError) as error:
        raise Fault(
            f"expected a file that is open for reading, got one that is not ({error})", "open it again."
        ) from None
    if isinstance(data, str):
        raise _text_mode(source, caller)
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InputTypeError(
            f"{caller} expects bytes of the open file {file_name(source)!r}, got {type(data).__name__}; give a file "
            "opened with mode 'rb'."
        )
    return bytes(data)


def _text_mode(source, caller):
    return InputTypeError(
        f"{caller} expects a file that is open for bytes, got {file_name(source)!r} open for text; open it with mode "
        "'rb', or give its buffer, such as sys.stdin.buffer."
    )


@contextmanager
def opened_raw(source):
    """Open a source as a binary stream of the bytes that it holds, compressed or not."""
    if isinstance(source, Held):
        yield io.BufferedReader(io.BytesIO(source.data))
    else:
        with open(source, "rb") as stream:
            yield stream


@contextmanager
def opened(source):
    """Open a source, compressed or not, as a binary stream; its first bytes decide, not its name."""
    with opened_raw(source) as stream:
        # What is held was decompressed when it was read.
        if not isinstance(source, Held) and stream.peek(2)[:2] == _GZIP_MAGIC:
            with gzip.open(stream) as unpacked:
                yield unpacked
        else:
            yield stream


@contextmanager
def blamed_on(caller, source, remedy):
    """Turn a clause about a file into the sentence that the user reads."""
    name = file_name(source)
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{caller} cannot read {name!r}: expected a whole gzip file, got a damaged one ({error}); fetch or "
            "compress it again."
        ) from None
    except ValueError as error:
        remedy = getattr(error, "remedy", remedy)
        raise InputError(f"{caller} cannot read {name!r}: {error}; {remedy}") from None


@contextmanager
def encoding_checked(source):
    """Name the byte and the line where a source is not UTF-8."""
    try:
        yield
    except UnicodeDecodeError:
        number = 1
        with opened(source) as stream:
            for line in stream:
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    byte, number = line[error.start], number + _line_ends(line[: error.start])
                    raise InputError(f"expected UTF-8 text, got the byte 0x{byte:02x} on line {number}") from None
                number += _line_ends(line)
        raise


def _line_ends(data):
    return len(re.findall(rb"\r\n|\r|\n", data))
