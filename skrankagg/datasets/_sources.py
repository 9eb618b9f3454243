"""Access to the bytes of files and streams, and error messages that name the file.

The readers may read a file several times. They read its beginning to find the format. They read the whole file again if
the fast parser may have overlooked an error in it. A regular file is opened each time. A pipe, a device and an open
file are read into memory once.
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
# Pattern of paths of open files. If such a path is opened again, reading may continue where the last reader stopped,
# even in a regular file.
_ONCE = re.compile(r"/dev/(stdin|fd/\d+)|/proc/(self|\d+)/fd/\d+")


class BinaryFile(Protocol):
    """File that is open in binary mode, such as ``sys.stdin.buffer``."""

    def read(self, size: int = -1, /) -> bytes:
        """Read at most `size` bytes, or all if `size` is negative."""
        ...


class TextFile(Protocol):
    """File that is open in text mode, such as ``sys.stdin`` or an ``io.StringIO``."""

    def read(self, size: int = -1, /) -> str:
        """Read at most `size` characters, or all if `size` is negative."""
        ...


#: A path, or a file that is open for bytes.
FileLike: TypeAlias = str | os.PathLike[str] | BinaryFile
#: A path, a file that is open for bytes or for text, or the content of a file.
AnyFile: TypeAlias = FileLike | TextFile | bytes


class Fault(InputError):
    """Error about the content of a file, with advice on how to correct it; the caller adds the file name."""

    def __init__(self, clause, remedy):
        super().__init__(clause)
        self.remedy = remedy


class StreamContent:
    """Decompressed content of a stream, and the name of the stream for error messages."""

    def __init__(self, name, data):
        self.name = name
        self.data = data


def is_file(source):
    """Return True if a reader can read this source: a path, an object with a method `read`, or a StreamContent."""
    return isinstance(source, (str, os.PathLike, StreamContent)) or hasattr(source, "read")


def file_name(source):
    """Return the name of a path, an open file or a StreamContent, for use in error messages."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) and name else "<stream>"


def make_rereadable(source, caller, *, with_text=False):
    """Return a source that can be opened many times; pipes, devices and open files are read into memory.

    Parameters
    ----------
    source : path, open file or StreamContent
        The file. A StreamContent, and the path of a regular file, are returned unchanged.
    caller : str
        Name of the reader for messages.
    with_text : bool, default=False
        Whether to also accept bytes, and files that are open in text mode.

    Returns
    -------
    path or StreamContent
    """
    if isinstance(source, StreamContent):
        return source
    if with_text and isinstance(source, bytes):
        data = source
    elif not isinstance(source, (str, os.PathLike)):
        data = _read_open_file(source, caller, with_text)
    elif _is_read_once(source):
        with open(source, "rb") as stream:
            data = stream.read()
    else:
        return source
    if data[:2] == _GZIP_MAGIC:
        data = gzip.decompress(data)
    return StreamContent(file_name(source), data)


def _is_read_once(path):
    """Return True if a path leads to a pipe, a device or an open file of this process.

    If there is no such file, return False.
    """
    path = os.fspath(path)
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) or _ONCE.fullmatch(str(path)) is not None


def _read_open_file(source, caller, with_text):
    if isinstance(source, io.TextIOBase) and not with_text:
        raise _text_mode(source, caller)
    try:
        data = source.read()
    except (io.UnsupportedOperation, ValueError) as error:
        raise Fault(
            f"expected a file that is open for reading, got one that cannot be read ({error})", "open it again."
        ) from None
    if isinstance(data, str):
        if with_text:
            return data.encode()
        raise _text_mode(source, caller)
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InputTypeError(
            f"{caller} must be called with a file open in binary mode; {file_name(source)!r} returned "
            f"{type(data).__name__} instead of bytes. Pass a file opened with mode 'rb'."
        )
    return bytes(data)


def _text_mode(source, caller):
    return InputTypeError(
        f"{caller} must be called with a file open in binary mode; got {file_name(source)!r}, which is open in text "
        "mode. Open it with mode 'rb', or pass its buffer, such as sys.stdin.buffer."
    )


@contextmanager
def opened_raw(source):
    """Open a source as a binary stream of its bytes, compressed or not."""
    if isinstance(source, StreamContent):
        yield io.BufferedReader(io.BytesIO(source.data))
    else:
        with open(source, "rb") as stream:
            yield stream


@contextmanager
def opened(source):
    """Open a source as a binary stream; decompress it if its first bytes identify a gzip file."""
    with opened_raw(source) as stream:
        # The content of a stream was decompressed when it was read.
        if not isinstance(source, StreamContent) and stream.peek(2)[:2] == _GZIP_MAGIC:
            with gzip.open(stream) as unpacked:
                yield unpacked
        else:
            yield stream


@contextmanager
def add_file_to_errors(caller, source, remedy):
    """Return a context manager that puts the names of the caller and the file in front of error messages.

    A message about the content of the file ends with the error's own remedy, or with `remedy` if it has none.
    """
    name = file_name(source)
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{caller} cannot read {name!r}: expected a whole gzip file, got a damaged one ({error}); download or "
            "compress the file again."
        ) from None
    except ValueError as error:
        remedy = getattr(error, "remedy", remedy)
        raise InputError(f"{caller} cannot read {name!r}: {error}; {remedy}") from None


@contextmanager
def encoding_checked(source):
    """Return a context manager that replaces a decoding error by an error that shows the invalid byte and its line."""
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
