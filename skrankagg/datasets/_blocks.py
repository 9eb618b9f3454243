"""Fast reading of text tables in blocks of whole lines, with the CSV parser of pyarrow or of pandas.

A block is parsed fast if its bytes are usual: no quotes, no control characters, and in TREC files one blank between two
fields. The rest of a file, from the first unusual block on, is read by one pass of pandas' C parser, which also splits
at several blanks. Each parser refuses blocks that it might misread.
"""

import csv
import importlib.util
import io
import re
import sys

import numpy as np
import pandas as pd

from .._data._arrow_text import repeated_text
from .._data._frames import frame_of
from .._data._id_codes import addresses
from .._data._text_order import is_arrow_text
from ..exceptions import InputError
from ._layouts import IDS, SEPARATORS
from ._sources import BOM, opened

# Bytes in a block. The texts of a larger block do not stay in the cache while pandas converts them. Smaller blocks
# waste memory between their short columns.
_BLOCK = 2**21
# Rows in a chunk of the rest of a file.
_CHUNK = 2**18
# pandas cuts text at a NUL. It treats the other control characters as blanks around numbers.
_ODD = (b"\0", b"\x0b", b"\x0c")
_WORD = re.compile(rb"[^ \t\r]+")

# Before pandas 3.1, the default converter could miss the nearest double by one bit. Surplus fields in the first line of
# a chunk were not detected, so the rest of a file must be one chunk.
OLD_PANDAS = tuple(int(part) for part in pd.__version__.split(".")[:2]) < (3, 1)
_EXACT = {"float_precision": "round_trip"} if OLD_PANDAS else {}


class _Guard(io.RawIOBase):
    """Binary stream that reads another stream without its byte order mark and without the line ends at its end.

    The attribute `has_odd` is True if the bytes read so far contain characters that parsers may read in a wrong way.
    `has_quote` is True if they contain a quotation mark.
    """

    def __init__(self, stream):
        self.stream = stream
        self.begun = False
        self.held = b""
        self.returned = b""
        self.has_odd = False
        self.has_quote = False

    def readable(self):
        return True

    def read(self, size=-1):
        if self.returned:
            data, self.returned = self.returned, b""
            return data
        while data := self.stream.read(size):
            if body := self._checked(data):
                return body
        return b""

    def block(self):
        """Return the next block of whole lines, or b"" at the end of the file.

        The last line is returned without its line end.
        """
        # The line end after the previous block is not a blank line of this block.
        self.held = self.held.removeprefix(b"\r").removeprefix(b"\n")
        while data := self.stream.read(_BLOCK):
            if body := self._checked(data + self.stream.readline()):
                return body
        return b""

    def give_back(self, block):
        """Put back the latest block, so that `read` returns it again."""
        self.returned = block

    def _checked(self, data):
        """Return the bytes `data` without the line ends after the last line, and set the flags for unusual bytes."""
        if not self.begun:
            self.begun = True
            data = data.removeprefix(BOM)
            if data.startswith(BOM):
                raise InputError("the file must not begin with two byte order marks, because pandas drops both")
        self.has_odd = self.has_odd or any(one in data for one in _ODD)
        self.has_quote = self.has_quote or b'"' in data
        # Line ends are kept until other bytes follow, because blank lines at the end of the file are not rows.
        data = self.held + data
        body = data.rstrip(b"\r\n")
        self.held = data[len(body) :]
        # If lines end with only a carriage return, pandas may skip more lines than requested.
        self.has_odd = self.has_odd or (b"\r" in body and body.count(b"\r") != body.count(b"\r\n"))
        return body


class _Table:
    """Parser of one file, which is read in blocks of whole lines; it uses pyarrow if this is installed, or pandas."""

    def __init__(self, layout, numeric):
        self.layout, self.numeric = layout, numeric
        self.is_trec = layout.style == "trec"
        self.columns = [name or f"_{k}" for k, name in enumerate(layout.names)]
        self.wanted = [name for name in layout.names if name]
        # Every field of a TREC file is text without blanks, so an empty field shows that blanks stand side by side.
        self.filled = [name for name in self.columns if name not in numeric] if self.is_trec else []
        self.ids = [name for name in self.wanted if name in IDS]
        self.separator = None if self.is_trec else SEPARATORS[layout.style]
        self.has_arrow = importlib.util.find_spec("pyarrow") is not None
        self.is_doubtful = False

    def options(self, separator):
        """Return the arguments with which ``pandas.read_csv`` reads the columns of this file."""
        return {
            "sep": separator,
            "quoting": csv.QUOTE_NONE if self.is_trec else csv.QUOTE_MINIMAL,
            "header": None,
            "names": self.columns,
            "index_col": False,
            "usecols": range(len(self.columns)) if self.layout.trailing else None,
            "dtype": {name: "float64" if name in self.numeric else str for name in self.columns},
            # Otherwise pandas would treat a blank first field as blanks at the beginning of the line, and drop the
            # field.
            "skip_blank_lines": self.is_trec,
            "na_filter": False,
            "low_memory": False,
            "decimal": self.layout.decimal,
            **_EXACT,
        }

    def first_row(self, block, blanks):
        """Return the first line that pandas reads as a row of the block.

        In TREC files, pandas skips lines that contain only bytes of `blanks`.
        """
        return (block.lstrip(blanks) if self.is_trec else block).partition(b"\n")[0]

    def check_first_line(self, block):
        """Raise ValueError if the first line of a block has too many fields; pandas would drop the surplus fields."""
        if block.startswith(BOM):
            raise InputError("an id must not begin with a byte order mark, because pandas drops the mark")
        line = self.first_row(block, b" \t\r\n")
        if self.is_trec:
            n_fields = len(_WORD.findall(line))
        elif b'"' in block:
            lines = io.StringIO(block.decode(errors="replace"), newline="")
            try:
                n_fields = len(next(csv.reader(lines, delimiter=self.separator)))
            except csv.Error as error:
                raise InputError(str(error)) from None
        else:
            n_fields = line.count(self.separator.encode()) + 1
        if n_fields > len(self.columns) or (self.is_trec and n_fields == 0):
            raise InputError(f"the block must begin with a line of 1 to {len(self.columns)} fields; got {n_fields}")

    def checked(self, chunk):
        """Check the parsed rows `chunk`, a frame, and return its columns as a dict without the skipped columns.

        Raises InputError, a ValueError, if an id is empty or a number is not finite.
        """
        # A line that is too short is padded with empty fields, so its last field is empty.
        last = self.columns[-1]
        self.is_doubtful |= last not in self.numeric and _has_empty(chunk[last])
        if not all(np.isfinite(chunk[name].to_numpy()).all() for name in self.wanted if name in self.numeric):
            raise InputError("all numbers of the block must be finite")
        if any(_has_empty(chunk[name]) for name in self.ids):
            raise InputError("all ids of the block must be nonempty")
        # Copies do not keep the memory of the other columns.
        return {
            name: chunk[name].to_numpy(copy=True) if name in self.numeric else chunk[name].copy()
            for name in self.wanted
        }

    def usual_block(self, guard, block):
        """Return the columns of a block as a dict, or None if only the slower reading by :func:`_rest` is safe."""
        if guard.has_odd or (guard.has_quote and not self.is_trec) or self.layout.trailing:
            return None
        if block.startswith(BOM):  # both parsers would drop it
            return None
        if self.is_trec:
            if self.separator is None:
                self.separator = "\t" if b"\t" in block.partition(b"\n")[0] else " "
            if (b" " if self.separator == "\t" else b"\t") in block:
                return None
        if not (block.isascii() or _is_utf8(block)):
            return None
        try:
            if self.has_arrow:
                return self._by_arrow(block)
            return self._by_pandas(block)
        except ValueError:  # ValueError includes the errors of both parsers
            return None

    def _by_arrow(self, block):
        """Parse a block with pyarrow, which refuses lines with too few or too many fields."""
        import pyarrow as pa
        from pyarrow import compute
        from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, read_csv

        read = list(dict.fromkeys([*self.wanted, *self.filled]))
        types = {name: pa.float64() if name in self.numeric else pa.large_string() for name in read}
        table = read_csv(
            pa.BufferReader(pa.py_buffer(block)),
            # A block of Arrow must contain a whole line. One thread is used, as everywhere in this package.
            ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=self.columns),
            ParseOptions(delimiter=self.separator, quote_char=False, ignore_empty_lines=self.is_trec),
            ConvertOptions(column_types=types, include_columns=read, null_values=[], decimal_point=self.layout.decimal),
        )
        for name in read:
            if name in self.numeric:
                is_valid = np.isfinite(table[name].to_numpy()).all()
            elif name in self.ids or name in self.filled:
                is_valid = compute.min(compute.binary_length(table[name])).as_py()
            else:
                is_valid = True
            if not is_valid:
                return None
        return {name: table[name].to_numpy() if name in self.numeric else table[name] for name in self.wanted}

    def _by_pandas(self, block):
        """Parse a block with pandas' C parser."""
        # pandas would drop surplus fields of the first line.
        if self.first_row(block, b"\r\n").count(self.separator.encode()) >= len(self.columns):
            return None
        chunk = pd.read_csv(io.BytesIO(block), **self.options(self.separator))
        if any(_has_empty(chunk[name]) for name in self.filled):
            return None
        return self.checked(chunk)


def _has_empty(column):
    """Return True if a column of strings contains an empty string."""
    if is_arrow_text(column.dtype):
        return bool((column == "").any())
    texts = np.asarray(column.array, dtype=object)
    # Neighbouring equal texts are often the same object, so only the first of them is checked. Counting nonempty texts
    # is faster than comparing texts with "".
    address = addresses(np.ascontiguousarray(texts))
    differs = np.flatnonzero(address[1:] != address[:-1]) + 1
    starts = texts[np.append(0, differs)] if len(texts) else texts  # a block of blank lines has no rows
    return np.count_nonzero(starts) < len(starts)


def _is_utf8(block):
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _frame_of(parts):
    """Join the blocks of a table, given as dicts of columns, into one frame.

    The dicts are emptied, so that only one column at a time is in memory twice.
    """
    return frame_of({name: _joined([part.pop(name) for part in parts]) for name in list(parts[0])})


def _joined(pieces):
    """Join the pieces of a column: arrays of numbers, Series of text, or chunked arrays of Arrow."""
    if isinstance(pieces[0], np.ndarray):
        return np.concatenate(pieces)
    if all(isinstance(piece, pd.Series) for piece in pieces):
        return pd.concat(pieces, ignore_index=True)
    if any(isinstance(piece, pd.Series) for piece in pieces):
        texts = [piece if isinstance(piece, pd.Series) else repeated_text(piece.chunks) for piece in pieces]
        return pd.concat(texts, ignore_index=True)
    return repeated_text([chunk for piece in pieces for chunk in piece.chunks])


def _rest(guard, table, block, n_skip, is_first):
    """Read the rest of a file with pandas, beginning with `block`; return a list of dicts of columns.

    This slower reader is used if :meth:`_Table.usual_block` refuses `block`.
    """
    if not is_first:
        table.check_first_line(block)
    guard.give_back(block)
    reader = pd.read_csv(
        guard,
        **table.options(r"\s+" if table.is_trec else table.separator),
        skiprows=n_skip,
        chunksize=sys.maxsize if OLD_PANDAS else _CHUNK,
    )
    with reader:
        return [table.checked(chunk) for chunk in reader]


def read_fast(path, layout, numeric):
    """Read a text table; return the frame, and whether the parser may have missed a fault.

    Parameters
    ----------
    path : path or StreamContent
        The file, plain or compressed by gzip.
    layout : Layout
        Description of the file's lines.
    numeric : set of str
        Names of the fields with finite numbers, which are read as float64.

    Returns
    -------
    frame : DataFrame
        One column for each named field.
    is_doubtful : bool
        Whether the slow parser must check the file.

    Raises
    ------
    ValueError
        If a line does not fit the layout. The message does not contain the line.
    """
    table = _Table(layout, numeric)
    parts = []
    n_skip = layout.n_skip
    with opened(path) as stream:
        guard = _Guard(stream)
        while block := guard.block():
            rows = block
            for _ in range(n_skip):
                rows = rows.partition(b"\n")[2]
            part = table.usual_block(guard, rows) if rows else None
            if part is None:
                parts += _rest(guard, table, block, n_skip, is_first=not parts)
                break
            parts.append(part)
            n_skip = 0
    return _frame_of(parts), table.is_doubtful or guard.has_odd or (guard.has_quote and not table.is_trec)
