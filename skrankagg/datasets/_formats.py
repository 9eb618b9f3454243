"""Formats of lists and judgements, and their detection from the first line of a file.

A format is recognised by a beginning that no other format has: numbers in the right fields, or a header with known
names. A file that fits no format, or two, is refused; a guess could silently misread a column.
"""

from .._data._frames import LIST_COLUMNS
from .._data._titles import canonical, query_ids
from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning, InputError
from ._delimited import SEPARATORS, Layout, clip, has_blanks_between_tabs, head, is_number
from ._parquet import check_parquet, is_parquet, parquet_columns
from ._sources import BOM, Fault, opened

__all__ = []

_NUMERIC = {"rank", "score", "weight", "relevance"}

FORMATS = ("auto", "flagr", "csv", "tsv", "trec", "parquet", "json")

_SHOWN = {"csv": "commas", "trec": "a TREC file", "parquet": "a Parquet file", "json": "JSON"}

_PIECE = 2**12

# Styles of tables with a header, by format.
_STYLES = {"auto": ("csv", "semicolon", "tsv"), "csv": ("csv", "semicolon"), "tsv": ("tsv",)}


class Kind:
    """Content and formats that a reader accepts.

    Parameters
    ----------
    expected : str
        Description of all formats, for messages.
    known : tuple of str
        Columns that a header may name.
    trec : tuple of str or None
        Content of the fields of a TREC file; None for fields that are skipped.
    flagr : dict of int to tuple
        Content of the fields of a FLAGR file, by their number.
    suffices : callable
        Function that returns True if a set of columns is enough.
    """

    def __init__(self, *, expected, known, trec, flagr, suffices):
        self.expected = expected
        self.known = known
        self.trec = trec
        self.flagr = flagr
        self.suffices = suffices


LISTS = Kind(
    expected=(
        "a FLAGR CSV of 5 or 6 fields (query, voter, item, [rank,] score, source), a CSV or TSV whose header names "
        "query, item and rank or score, a TREC run (query Q0 item rank score tag), a Parquet file, or JSON"
    ),
    known=LIST_COLUMNS,
    trec=("query", None, "item", "rank", "score", "voter"),
    flagr={
        5: ("query", "voter", "item", "score", None),
        6: ("query", "voter", "item", "rank", "score", None),
    },
    suffices=lambda names: {"query", "item"} <= names and not names.isdisjoint({"rank", "score"}),
)
QRELS = Kind(
    expected=(
        "a FLAGR CSV (query, 0, item, relevance), a CSV or TSV whose header names query, item and relevance, "
        "TREC qrels (query 0 item relevance), a Parquet file, or JSON"
    ),
    known=("query", "item", "relevance"),
    trec=("query", None, "item", "relevance"),
    flagr={4: ("query", "iteration", "item", "relevance")},
    suffices=lambda names: {"query", "item", "relevance"} <= names,
)


def _numbers_fit(fields, names, decimal="."):
    return all(is_number(field, decimal) for field, name in zip(fields, names, strict=False) if name in _NUMERIC)


def _first(path, style):
    """Return the fields of the first line, read in one style; no fields if its quotes are invalid."""
    try:
        rows = head(path, style, 1)
    except UnicodeDecodeError:
        raise
    except ValueError:
        return []
    if not rows:
        raise InputError("expected at least one row, got an empty file")
    return rows[0][2]


def held(kind, header):
    """Return the content of the columns of a header; None if necessary columns are missing."""
    names = [canonical(title) for title in header]
    names = [name if name in kind.known else None for name in names]
    ids = query_ids(header)
    if ids:
        names = [None if title == "query" else name for title, name in zip(header, names, strict=True)]
    if not kind.suffices(set(names)):
        return None
    for name in kind.known:
        titles = [title for title, held in zip(header, names, strict=True) if held == name]
        if len(titles) > 1:
            raise InputError(f"expected one column for the {name}, got {' and '.join(map(repr, titles))}")
    if ids:
        warn_user(
            f"The ids of the queries are read from {ids[0]!r} instead of 'query', which usually contains the text. If "
            "'query' contains the ids, rename one of the two columns.",
            AmbiguousInputWarning,
        )
    return tuple(names)


def _header_layout(path, kind, header, style, decimal):
    """Return the layout of a table that begins with a header; None if the line is not a header."""
    # A header has no numbers, so a row of a FLAGR file, which must have some, is never read as one.
    names = None if any(is_number(title, mark) for title in header for mark in ".,") else held(kind, header)
    if names is None:
        return None
    shown = clip((";" if style == "semicolon" else ",").join(header))
    rows = head(path, style, 2)
    if len(rows) == 1:
        raise InputError(f"expected rows after the header {shown!r}, got none")
    # The first row sets the width for the fast parser, so it must be right.
    _, line, fields = rows[1]
    if len(fields) != len(names):
        raise InputError(
            f"expected {len(names)} fields as in the header {shown!r}, got {len(fields)} in the first row, on line "
            f"{line}"
        )
    return Layout(style, names, rows[0][0] + 1, decimal=decimal)


def _is_json(path):
    """Return True if a file begins with an object or an array; no table should."""
    with opened(path) as stream:
        data = stream.read(_PIECE).removeprefix(BOM)
        while data and not data.lstrip(b" \t\r\n"):
            data = stream.read(_PIECE)
    return data.lstrip(b" \t\r\n")[:1] in (b"{", b"[")


def _parquet_layout(path, kind, format):
    """Return the layout of a Parquet file."""
    if format not in {"auto", "parquet"}:
        raise InputError(f"expected format={format!r}, got a Parquet file")
    check_parquet("read_lists" if kind is LISTS else "read_qrels")
    columns = parquet_columns(path)
    names = held(kind, columns)
    if names is None:
        needed = "query, item and rank or score" if kind is LISTS else "query, item and relevance"
        raise InputError(f"expected columns for {needed}, got {clip(', '.join(columns))!r}")
    return Layout("parquet", names)


def _named_layout(path, kind, columns, format, decimal):
    """Return the layout of a table without a header, with columns named by the caller."""
    names = tuple(columns)
    held = [name for name in names if name is not None]
    if not set(held) <= set(kind.known) or len(set(held)) < len(held) or not kind.suffices(set(held)):
        raise InputError(
            f"expected distinct names out of {', '.join(kind.known)} in columns=, enough of them, and None to skip "
            f"one, got {names}"
        )
    rows = {style: _first(path, style) for style in _STYLES[format]}
    fitting = [style for style, fields in rows.items() if len(fields) == len(names)]
    if not fitting:
        most = max(map(len, rows.values()))
        raise InputError(f"expected the {len(names)} fields that columns= names, got {most} in the first line")
    if len(fitting) > 1:  # only one of several separators can leave numbers in the right fields
        fitting = [style for style in fitting if _numbers_fit(rows[style], names, decimal)]
    if len(fitting) != 1:
        raise InputError(
            f"expected one separator that splits the first line into {len(names)} fields, as in columns=, got "
            f"{clip(SEPARATORS['csv'].join(rows['csv']))!r}, which several separators split so"
        )
    return Layout(fitting[0], names, decimal=decimal)


def _refuse_lookalike(kind, fields, first):
    """Refuse files that are easily mistaken for FLAGR's lists."""
    if kind is LISTS and len(fields) == 5 and is_number(fields[4]):
        raise InputError(f"expected query, voter, item, score, source, got numbers in the last two fields of {first!r}")
    if kind is LISTS and fields[1] == "Q0":
        raise InputError(f"expected a voter in the second field, got the Q0 of a TREC run in {first!r}")


def detect(path, kind, format="auto", columns=None, decimal=".", trailing=False):
    """Detect the layout of a file.

    Parameters
    ----------
    path : path or Held
        File, plain or gzip.
    kind : Kind
        Allowed content.
    format : one of FORMATS, default="auto"
        The only format to try.
    columns : sequence of str or None, default=None
        Columns of a table without a header.
    decimal : {".", ","}, default="."
        Decimal mark of numbers.
    trailing : bool, default=False
        Whether words may follow the tag of a TREC run.

    Returns
    -------
    Layout
        Layout in the only format that the first line fits.

    Raises
    ------
    ValueError
        If the first line fits no format, or several; the message is a clause without a subject.
    """
    layout = _detect(path, kind, format, columns, trailing, decimal)
    if decimal == "," and layout.style not in {"tsv", "semicolon"}:
        raise Fault(
            f"expected fields separated by tabs or semicolons, for decimal=',', got {_SHOWN.get(layout.style)}",
            "leave out decimal.",
        )
    return layout


def _detect(path, kind, format, columns, trailing, decimal):
    if columns is not None:
        return _named_layout(path, kind, columns, format, decimal)
    if is_parquet(path):
        return _parquet_layout(path, kind, format)
    if format == "json" or (format == "auto" and _is_json(path)):
        return Layout("json", None)
    words, fields = _first(path, "trec"), _first(path, "csv")
    first = clip(" ".join(words) if len(fields) < 2 else ",".join(fields))
    found = {}
    if format in {"auto", "trec"}:
        n_extra = len(words) - len(kind.trec)
        fits = (n_extra == 0 or (trailing and n_extra > 0)) and _numbers_fit(words, kind.trec)
        # Tab-separated rows without a header, whose ids contain blanks, would look like TREC files but for this field.
        if fits and (format == "trec" or words[1] in {"0", "Q0"} or not has_blanks_between_tabs(path)):
            found["trec"] = Layout("trec", kind.trec, 0, trailing)
    if format in {"auto", "flagr"} and len(fields) in kind.flagr:
        names = kind.flagr[len(fields)]
        if _numbers_fit(fields, names):
            if format == "auto":
                _refuse_lookalike(kind, fields, first)
            found["flagr"] = Layout("csv", names)
    for style in _STYLES.get(format, ()):
        layout = _header_layout(path, kind, fields if style == "csv" else _first(path, style), style, decimal)
        if layout is not None:
            found[style] = layout

    if len(found) > 1:
        fits = " and ".join(found)
        raise InputError(f"expected one format, got the first line {first!r}, which fits {fits}")
    if not found:
        asked = "" if format == "auto" else f" (of these, format={format!r})"
        raise InputError(f"expected {kind.expected}{asked}, got the first line {first!r}")
    return next(iter(found.values()))
