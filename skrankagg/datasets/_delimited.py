"""Reading of text tables of known layout with a fast parser, and with a slower strict parser in case of doubt.

First, `read_fast` reads the file with the CSV parser of pyarrow or of pandas. The C parser of pandas is fast but
accepts damaged lines. It pads short lines, skips lines that look blank, and joins text after a closing quote to the
field. If it may have missed a fault, the strict parser `_records` reads the same file again. The strict parser either
returns the rows or raises an error that contains the number of the wrong line.
"""

import csv
import io
import math
import re
from itertools import islice

import pandas as pd

from ..exceptions import InputError
from ._blocks import OLD_PANDAS, read_fast
from ._layouts import IDS, SEPARATORS
from ._parquet import read_parquet
from ._sources import Fault, opened

_CHUNK = 2**18
# The time to match these patterns is linear in the length of a field.
_NUMBER = {
    mark: re.compile(rf"[ \t]*[+-]?(\d+({re.escape(mark)}\d*)?|{re.escape(mark)}\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)
    for mark in ".,"
}


def separator_of(text):
    """Return the separator (comma, tab or semicolon) that occurs most often in the first line of a text."""
    return max(SEPARATORS.values(), key=text.partition("\n")[0].count)


def header_of(text):
    """List the titles in the first line of a text, without blanks around them."""
    first = text.partition("\n")[0].rstrip("\r")
    return [title.strip() for title in next(csv.reader([first], delimiter=separator_of(first)), [])]


def is_number(text, decimal="."):
    """Return True if a field is the decimal notation of a finite number."""
    return _NUMBER[decimal].fullmatch(text) is not None and math.isfinite(to_number(text, decimal))


def to_number(text, decimal="."):
    """Convert the text of a field to a float."""
    return float(text.replace(",", ".") if decimal == "," else text)


def clip(text):
    """Shorten a long text for a message; keep its beginning."""
    return text if len(text) <= 60 else f"{text[:57]}..."


class _Remembered:
    """Iterator over lines that remembers the latest line."""

    def __init__(self, lines):
        self.lines = lines
        self.latest = ""

    def __iter__(self):
        return self

    def __next__(self):
        self.latest = next(self.lines)
        return self.latest


def _fields(style, lines):
    """Split lines into records; for each record, yield the number of its first line and its list of fields.

    Raises an error for damaged quotes.
    """
    if style == "trec":
        for number, line in enumerate(lines, 1):
            stripped = line.strip(" \t\r\n")
            if stripped:
                yield number, re.split(r"[ \t]+", stripped)
        return
    remembered = _Remembered(lines)
    reader = csv.reader(remembered, delimiter=SEPARATORS[style], strict=True)
    while True:
        number = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise InputError(f"line {number} has a damaged quoted field ({error})") from None
        if (
            len(fields) == 1 and '"' in remembered.latest and not fields[0].strip(" \t")
        ):  # such a line would count as a blank line
            raise InputError(f"line {number} contains only a quoted field without text")
        yield number, fields


def _is_blank(fields):
    return not fields or (len(fields) == 1 and not fields[0].strip(" \t"))


def _text(stream):
    return io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")


def head(path, style, n=2):
    """Return the first n non-blank records of a file.

    Each record is a tuple of three values: the number of records before it, its line number, and its fields.
    """
    found = []
    with opened(path) as stream, _text(stream) as lines:
        for index, (number, fields) in enumerate(_fields(style, lines)):
            if not _is_blank(fields):
                found.append((index, number, fields))
            if len(found) == n:
                break
    return found


def has_blanks_between_tabs(path):
    """Return True if some tab-separated field of the file contains a blank."""
    with opened(path) as stream, _text(stream) as lines:
        return any(" " in field.strip(" \r\n") for line in lines if "\t" in line for field in line.split("\t"))


def line_of(path, layout, row):
    """Return the number of the line on which a row begins; rows are numbered from 0 in the order of the file."""
    with opened(path) as stream, _text(stream) as lines:
        records = enumerate(_fields(layout.style, lines))
        numbers = (n for index, (n, fields) in records if index >= layout.n_skip and not _is_blank(fields))
        return next(islice(numbers, row, None))


def _records(path, layout, numeric):
    """Yield the rows of a file; raise InputError with the line number if a row does not fit the layout."""
    width = len(layout.names)
    ids = [(k, name) for k, name in enumerate(layout.names) if name in IDS]
    numbers = [(k, name) for k, name in enumerate(layout.names) if name in numeric]
    with opened(path) as stream, _text(stream) as lines:
        for index, (number, fields) in enumerate(_fields(layout.style, lines)):
            if index < layout.n_skip or _is_blank(fields):
                continue
            if len(fields) < width or (len(fields) > width and not layout.trailing):
                shown = ", ".join(name or "..." for name in layout.names)
                raise InputError(f"expected {width} fields ({shown}) on line {number}, got {len(fields)}")
            if "\0" in "".join(fields):
                place = next(k for k, field in enumerate(fields, 1) if "\0" in field)
                raise InputError(f"expected text on line {number}, got a NUL character in field {place}")
            for k, name in ids:
                if not fields[k]:
                    raise InputError(f"expected an id as {name} on line {number}, got an empty field")
            for k, name in numbers:
                if not is_number(fields[k], layout.decimal):
                    raise _no_number(fields[k], name, number, layout)
            yield fields[:width]


def _no_number(field, name, number, layout):
    clause = f"expected a finite number as {name} on line {number}, got {clip(field)!r}"
    other = "." if layout.decimal == "," else ","
    if layout.style in {"tsv", "semicolon"} and is_number(field, other):
        meant = "a comma is" if other == "," else "a point is"
        return Fault(clause, f"pass decimal={other!r} if {meant} the decimal mark of all numbers.")
    return InputError(clause)


def _read_slowly(path, layout, numeric):
    records = _records(path, layout, numeric)
    chunks = []
    # The rows are processed in pieces. With five million small lists at once, the garbage collector would need a
    # minute.
    while rows := list(islice(records, _CHUNK)):
        columns = {name: column for name, column in zip(layout.names, zip(*rows, strict=True), strict=True) if name}
        for name in numeric.intersection(columns):
            columns[name] = [to_number(field, layout.decimal) for field in columns[name]]
        chunks.append(pd.DataFrame(columns).astype({name: str for name in columns if name not in numeric}))
    return pd.concat(chunks, ignore_index=True)


def read_table(path, layout, numeric):
    """Read a file of known layout.

    Parameters
    ----------
    path : str or path-like
        The file, plain or compressed by gzip.
    layout : Layout
        Description of the file's lines, such as the names of their fields.
    numeric : set of str
        Names of the fields with finite numbers, which are read as float64. All other fields are read as str, unchanged.

    Returns
    -------
    DataFrame
        One column for each named field, in the order of the file.

    Raises
    ------
    ValueError
        If a line does not fit the layout. The message contains the number of the line. The message does not name the
        file; the caller adds the name.
    """
    if layout.style == "parquet":
        return read_parquet(path, layout, numeric)
    if layout.decimal != "." and OLD_PANDAS:  # pandas' exact converter treats a point like a comma
        return _read_slowly(path, layout, numeric)
    try:
        frame, doubtful = read_fast(path, layout, numeric)
    except ValueError:  # ValueError includes pandas' ParserError
        return _read_slowly(path, layout, numeric)
    # Not yet checked: the number of fields in each line, quotes, and other kinds of blanks around numbers.
    if doubtful and sum(1 for _ in _records(path, layout, numeric)) != len(frame):
        return _read_slowly(path, layout, numeric)
    return frame
