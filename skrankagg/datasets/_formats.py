"""File formats of lists, judgements and runs; the tuple `FORMATS` contains a `Format` for each of them.

The format is recognised from the beginning of the file: either from a header with known names, or from the positions of
the fields that contain numbers. If a file fits no format or several formats, an error is raised, because a guess could
silently misread a column.

Three things are generated from the tuple: the type hints for `format`, its description in docstrings, and the choices
on the command line.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .._data._from_comparisons import comparison_columns
from ..exceptions import InputError
from ._delimited import clip, has_blanks_between_tabs, head, is_number, line_of, read_table
from ._integers import NUMERIC_OF_LISTS, judgements, restore_integers
from ._json_files import is_json, read_json
from ._json_lines import is_json_lines, read_json_lines
from ._kinds import LISTS, held
from ._layouts import SEPARATORS, Layout
from ._parquet import check_parquet, is_parquet, parquet_bytes, parquet_columns
from ._preflib import HEADER
from ._run_text import csv_text, json_text, lines_text, trec_text
from ._sources import Fault

_NUMERIC = {"rank", "score", "weight", "duel", "relevance"}

# Beginning of a line in a LETOR file: relevance, query, and the number of a voter with its value.
_LETOR = re.compile(r"\S+ qid:\S+ \d+:\S+")


class Look:
    """The beginning of a file, which each `Format` examines to determine if it can read the file.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    kind : Kind
        Expected kind of content.
    format : str
        The only format to try, or "auto".
    decimal : {".", ","}
        Decimal mark of numbers.
    trailing : bool
        Whether words may follow the tag of a TREC run.
    """

    def __init__(self, source, kind, format, decimal, trailing):
        self.source, self.kind, self.format = source, kind, format
        self.decimal, self.trailing = decimal, trailing
        self._rows = {}

    def fields(self, style):
        """Split the first line in the given style; return its fields, or an empty list if its quotes are invalid."""
        if style not in self._rows:
            self._rows[style] = self._first(style)
        return self._rows[style]

    def _first(self, style):
        try:
            rows = head(self.source, style, 1)
        except UnicodeDecodeError:
            raise
        except ValueError:
            return []
        if not rows:
            raise InputError("expected at least one row, got an empty file")
        return rows[0][2]

    @property
    def line(self):
        """First line of the file, shortened for messages."""
        words, fields = self.fields("trec"), self.fields("csv")
        return clip(" ".join(words) if len(fields) < 2 else ",".join(fields))


def read_rows(source, layout, kind, named):
    """Read the rows of a table.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    layout : Layout
        Layout of the file.
    kind : Kind
        Kind of the file's content.
    named : bool
        Whether the caller has named the format.

    Returns
    -------
    DataFrame
        The named columns of the layout; columns of numbers have numeric types.
    """
    if kind is LISTS:
        return restore_integers(read_table(source, layout, NUMERIC_OF_LISTS), source, layout)
    frame = read_table(source, layout, set())
    if "iteration" in frame and not named:
        other = ~frame["iteration"].isin(["0", "Q0"]).to_numpy()
        if other.any():
            row = int(other.argmax())
            raise InputError(
                "expected 0 in the second field of judgements (a file of lists has the voter there), got "
                f"{clip(frame['iteration'].iloc[row])!r} on line {line_of(source, layout, row)}"
            )
    frame["relevance"] = judgements(source, layout, frame["relevance"])
    return frame


@dataclass(frozen=True, kw_only=True)
class Format:
    """File format: its names, and functions to recognise, read and write it.

    Parameters
    ----------
    name : str
        Name of the format, a value of the parameter `format`.
    suffixes : tuple of str, default=()
        Suffixes of the names of files in this format.
    holds : dict of str to str
        Descriptions of a file's content for docstrings. The keys are "lists" and "qrels" for files that are read, and
        "run" for files that are written. A kind without a key cannot be read or written in this format.
    expected : dict of str to str
        Descriptions of a file in this format, for the error message if a file fits no format. The keys are "lists" and
        "qrels".
    alone : str, default=""
        Description of a file in this format, for the error message if the caller has named the format. It may contain
        ``{needed}`` for the columns that a header must name. If it is empty, the description is taken from `expected`.
    shown : str
        Description of a file in this format, for the error message if a comma is not allowed as the decimal mark.
    sniff : callable, default=None
        Function whose argument is a :class:`Look`. It returns a list of the layouts that the file may have; the list is
        empty if the file has another format.
    decides : bool, default=False
        Whether a file that fits this format cannot fit another format. If True, this format is tried first, even if
        another format was requested.
    read : callable, default=read_rows
        Function that reads a file and returns a frame. The arguments are the source, the layout, the kind, and a bool
        that is True if the caller has named the format.
    write : callable, default=None
        Function that returns the content of a written run as bytes. The arguments are a frame, a tag and the rule for
        ties.
    is_table : bool, default=False
        Whether the written file has all columns of the frame.
    needs : frozenset of str, default=frozenset()
        Columns, besides query and item, that a run needs for this format.
    has_ranks : bool, default=True
        Whether files contain ranks. Tied items can share a rank only in formats with ranks.
    is_compressed : bool, default=True
        Whether the name of a file may end in .gz.
    """

    name: str
    suffixes: tuple[str, ...] = ()
    holds: dict[str, str]
    expected: dict[str, str] = field(default_factory=dict)
    alone: str = ""
    shown: str = ""
    sniff: Callable | None = None
    decides: bool = False
    read: Callable = read_rows
    write: Callable | None = None
    is_table: bool = False
    needs: frozenset[str] = frozenset()
    has_ranks: bool = True
    is_compressed: bool = True


# ---------------------------------------------------------------------- tables with a header


def _header_layout(look, style):
    """Return the Layout of a table (its columns, and the line after which its rows begin) as given by its header.

    `look` gives access to the first line of the file. The result is None if this line, split in the given style, is not
    a header.
    """
    header, decimal = look.fields(style), look.decimal
    # A header contains no numbers. A row of a FLAGR file must contain numbers, so it never counts as a header.
    names = None if any(is_number(title, mark) for title in header for mark in ".,") else held(look.kind, header)
    if names is None:
        return None
    shown = clip((";" if style == "semicolon" else ",").join(header))
    rows = head(look.source, style, 2)
    if len(rows) == 1:
        raise InputError(f"expected rows after the header {shown!r}, got none")
    # The first row determines the number of fields for the fast parser, so it must be valid.
    _, line, fields = rows[1]
    if len(fields) != len(names):
        raise InputError(
            f"expected {len(names)} fields as in the header {shown!r}, got {len(fields)} in the first row, on line "
            f"{line}"
        )
    return Layout(style, names, rows[0][0] + 1, decimal=decimal)


def _sniff_headers(*styles):
    """Return a function that recognises tables with a header, for use as `sniff` of a Format.

    A style names the separator of the table: "csv" (commas), "semicolon" or "tsv" (tabs). The function returns a list
    of the layouts that fit the file.
    """
    return lambda look: [layout for style in styles if (layout := _header_layout(look, style)) is not None]


CSV = Format(
    name="csv",
    suffixes=(".csv",),
    holds={
        "lists": "with a header, separated by commas or semicolons",
        "qrels": "with a header, separated by commas or semicolons",
        "run": "a table with a header and all columns",
    },
    expected={
        "lists": "a CSV or TSV whose header names query, item and rank or score",
        "qrels": "a CSV or TSV whose header names query, item and relevance",
    },
    alone="a CSV whose header names {needed}",
    shown="commas",
    sniff=_sniff_headers("csv", "semicolon"),
    write=lambda frame, tag, rank_ties: csv_text(frame, ",").encode(),
    is_table=True,
)
TSV = Format(
    name="tsv",
    suffixes=(".tsv",),
    holds=dict.fromkeys(("lists", "qrels", "run"), "the same with tabs"),
    alone="a TSV whose header names {needed}",
    sniff=_sniff_headers("tsv"),
    write=lambda frame, tag, rank_ties: csv_text(frame, "\t").encode(),
    is_table=True,
)

# ---------------------------------------------------------------------- rows without a header

# Contents of the fields, by the number of fields; None stands for a skipped field.
_FLAGR_FIELDS = {
    "lists": {5: ("query", "voter", "item", "score", None), 6: ("query", "voter", "item", "rank", "score", None)},
    "qrels": {4: ("query", "iteration", "item", "relevance")},
}
_TREC_FIELDS = {
    "lists": ("query", None, "item", "rank", "score", "voter"),
    "qrels": ("query", None, "item", "relevance"),
}


def _numbers_fit(fields, names, decimal="."):
    return all(is_number(field, decimal) for field, name in zip(fields, names, strict=False) if name in _NUMERIC)


def _sniff_flagr(look):
    fields = look.fields("csv")
    names = _FLAGR_FIELDS[look.kind.name].get(len(fields))
    if names is None or not _numbers_fit(fields, names):
        return []
    if look.format == "auto":
        _refuse_lookalike(look.kind, fields, look.line)
    return [Layout("csv", names)]


def _refuse_lookalike(kind, fields, first):
    """Raise InputError if the first line has as many fields as in a FLAGR file, but one field has the wrong content."""
    if kind is LISTS and len(fields) == 5 and is_number(fields[4]):
        raise InputError(
            f"expected the fields query, voter, item, score and source, got the line {first!r}, whose last two fields "
            "are numbers"
        )
    if kind is LISTS and fields[1] == "Q0":
        raise InputError(f"expected a voter in the second field, got the Q0 of a TREC run in {first!r}")


def _sniff_trec(look):
    words, names = look.fields("trec"), _TREC_FIELDS[look.kind.name]
    n_extra = len(words) - len(names)
    fits = (n_extra == 0 or (look.trailing and n_extra > 0)) and _numbers_fit(words, names)
    # Without this check, a file separated by tabs, without a header, and with blanks in ids would count as a TREC file.
    if fits and (look.format == "trec" or words[1] in {"0", "Q0"} or not has_blanks_between_tabs(look.source)):
        return [Layout("trec", names, 0, look.trailing)]
    return []


FLAGR = Format(
    name="flagr",
    holds={
        "lists": "query, voter, item, score, source, or query, voter, item, rank, score, source, without a header",
        "qrels": "query, 0, item, relevance, separated by commas, without a header",
    },
    expected={
        "lists": "a FLAGR CSV of 5 or 6 fields (query, voter, item, [rank,] score, source)",
        "qrels": "a FLAGR CSV (query, 0, item, relevance)",
    },
    sniff=_sniff_flagr,
)
TREC = Format(
    name="trec",
    suffixes=(".run", ".trec", ".txt"),
    holds={
        "lists": "query, Q0, item, rank, score, tag, separated by blanks or tabs",
        "qrels": "query, 0, item, relevance, separated by blanks or tabs",
        "run": "query, Q0, item, rank, score, tag",
    },
    expected={"lists": "a TREC run (query Q0 item rank score tag)", "qrels": "TREC qrels (query 0 item relevance)"},
    shown="a TREC file",
    sniff=_sniff_trec,
    write=lambda frame, tag, rank_ties: trec_text(frame, tag).encode(),
    needs=frozenset({"score", "rank"}),
)

# The styles that a table without a header may have, by format.
_STYLES = {"auto": ("csv", "semicolon", "tsv"), "csv": ("csv", "semicolon"), "tsv": ("tsv",)}


def _names_comparisons(titles):
    """Return True if the titles of a table name the columns of paired comparisons."""
    try:
        return comparison_columns(titles) is not None
    except InputError:  # several columns may contain the outcome
        return True


def _comparisons_fault(titles):
    """Return the error for a file of paired comparisons, which `read_lists` does not read."""
    return Fault(
        f"expected ranked lists, got paired comparisons with the columns {clip(', '.join(titles))!r}",
        "read it with skrankagg.datasets.read_comparisons, and pass the frame to RankedLists.from_comparisons.",
    )


# ---------------------------------------------------------------------- Parquet, JSON, JSON Lines, text


def _sniff_parquet(look):
    if not is_parquet(look.source):
        return []
    if look.format not in {"auto", "parquet"}:
        raise InputError(f"expected format={look.format!r}, got a Parquet file")
    check_parquet(f"read_{look.kind.name}")
    columns = parquet_columns(look.source)
    names = held(look.kind, columns)
    if names is None and look.kind is LISTS and _names_comparisons(columns):
        raise _comparisons_fault(columns)
    if names is None:
        raise InputError(f"expected columns for {look.kind.needed}, got {clip(', '.join(columns))!r}")
    return [Layout("parquet", names)]


def _sniff_json(look):
    begins = look.format == "json" or (
        look.format == "auto" and is_json(look.source) and not is_json_lines(look.source)
    )
    return [Layout("json", None)] if begins else []


def _sniff_json_lines(look):
    begins = look.format == "jsonl" or (look.format == "auto" and is_json_lines(look.source))
    return [Layout("jsonl", None)] if begins else []


PARQUET = Format(
    name="parquet",
    suffixes=(".parquet",),
    holds={
        "lists": "columns named as in a header; pyarrow must be installed",
        "qrels": "columns named as in a header; pyarrow must be installed",
        "run": "all columns; pyarrow must be installed",
    },
    expected=dict.fromkeys(("lists", "qrels"), "a Parquet file"),
    shown="a Parquet file",
    sniff=_sniff_parquet,
    decides=True,
    write=lambda frame, tag, rank_ties: parquet_bytes(frame),
    is_table=True,
    is_compressed=False,
)
JSON = Format(
    name="json",
    suffixes=(".json",),
    holds={
        "lists": (
            "``{query: {item: score}}``, ``{voter: {query: {item: score}}}``, or an array of records "
            '``{"query": ..., "item": ..., "score": ...}``'
        ),
        "qrels": (
            '``{query: {item: relevance}}``, or an array of records ``{"query": ..., "item": ..., "relevance": ...}``'
        ),
        "run": "``{query: {item: score}}``, the format of ranx",
    },
    expected=dict.fromkeys(("lists", "qrels"), "JSON"),
    shown="JSON",
    sniff=_sniff_json,
    decides=True,
    read=lambda source, layout, kind, named: read_json(source, kind),
    write=lambda frame, tag, rank_ties: json_text(frame).encode(),
    needs=frozenset({"score"}),
    has_ranks=False,
)
JSON_LINES = Format(
    name="jsonl",
    suffixes=(".jsonl", ".ndjson"),
    holds={
        "lists": (
            'JSON Lines, one object a line: an item ``{"query": ..., "voter": ..., "item": ..., "score": ...}``, a '
            'list ``{"query": ..., "voter": ..., "items": [...]}``, or a query ``{"query": ..., "hits": [...]}`` or '
            '``{"query": ..., "lists": {voter: [...]}}``'
        ),
        "qrels": (
            'JSON Lines, one object a line: ``{"query": ..., "item": ..., "relevance": ...}``, or '
            '``{"query": ..., "items": {item: relevance}}``'
        ),
    },
    expected=dict.fromkeys(("lists", "qrels"), "JSON Lines"),
    shown="JSON Lines",
    sniff=_sniff_json_lines,
    decides=True,
    read=lambda source, layout, kind, named: read_json_lines(source, kind),
)
TEXT = Format(
    name="text",
    holds={"run": "a line for each query, such as ``q1: A > B``; see :func:`ranking_text`"},
    write=lambda frame, tag, rank_ties: lines_text(frame, rank_ties).encode(),
    has_ranks=False,  # lines_text applies `rank_ties` itself
)

FORMATS = (FLAGR, CSV, TSV, TREC, PARQUET, JSON, JSON_LINES, TEXT)


def readable(kind):
    """Return the formats from which content of this kind (lists or judgements) can be read."""
    return [one for one in FORMATS if one.sniff is not None and kind.name in one.holds]


def written():
    """Return the formats in which runs can be written."""
    return [one for one in FORMATS if one.write is not None]


def alternatives(texts):
    """Join texts into one text, such as "a, b or c"."""
    *others, last = texts
    return f"{', '.join(others)} or {last}" if others else last


def find_format(source, kind, format="auto", columns=None, decimal=".", trailing=False):
    """Find the format and the layout of a file.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    kind : Kind
        Expected kind of content.
    format : str, default="auto"
        The only format to try; "auto" tries all formats.
    columns : sequence of str or None, default=None
        Columns of a table without a header.
    decimal : {".", ","}, default="."
        Decimal mark of numbers.
    trailing : bool, default=False
        Whether words may follow the tag of a TREC run.

    Returns
    -------
    format : Format
        The format that fits the beginning of the file.
    layout : Layout
        The layout of the file.

    Raises
    ------
    ValueError
        If the first line fits no format or several formats. The message does not name the file; the caller adds the
        name.
    """
    look = Look(source, kind, format, decimal, trailing)
    found, layout = _find(look) if columns is None else (CSV, _named_layout(look, columns))
    if decimal == "," and layout.style not in {"tsv", "semicolon"}:
        raise Fault(
            f"expected fields separated by tabs or semicolons, as decimal=',' requires, got {found.shown or CSV.shown}",
            "leave out decimal.",
        )
    return found, layout


def _find(look):
    formats = readable(look.kind)
    for one in formats:
        if one.decides and (layouts := one.sniff(look)):
            return one, layouts[0]
    found = {}
    for one in formats:
        if not one.decides and look.format in {"auto", one.name}:
            layouts = one.sniff(look)
            found |= {one.name if len(layouts) == 1 else layout.style: (one, layout) for layout in layouts}
    if len(found) > 1:
        fits = " and ".join(found)
        raise InputError(f"expected a first line that fits only one format, got {look.line!r}, which fits {fits}")
    if not found:
        raise _unknown(look, formats)
    return next(iter(found.values()))


def _unknown(look, formats):
    """Return the error for a file that fits no format, or that does not fit the format that the caller has named."""
    if _LETOR.match(" ".join(look.fields("trec"))):
        return Fault(
            f"expected another format, got a LETOR file that begins with {look.line!r}",
            "read it in Python by skrankagg.datasets.load_letor_agg, which returns the lists and the judgements.",
        )
    titles = next((titles for style in _STYLES["auto"] if len(titles := look.fields(style)) > 1), [])
    if look.kind is LISTS and _names_comparisons(titles):
        return _comparisons_fault(titles)
    if HEADER.match(" ".join(look.fields("trec"))):
        return Fault(
            f"expected another format, got a file of PrefLib that begins with {look.line!r}",
            "read it in Python by skrankagg.datasets.read_preflib, which returns the ballots.",
        )
    kind = look.kind.name
    if look.format != "auto":
        one = next(one for one in formats if one.name == look.format)
        alone = one.alone.format(needed=look.kind.needed) or one.expected[kind]
        return InputError(f"expected {alone}, got the first line {look.line!r}")
    expected = [one.expected[kind] for one in formats if kind in one.expected]
    return InputError(f"expected {', '.join(expected[:-1])}, or {expected[-1]}, got the first line {look.line!r}")


def _named_layout(look, columns):
    """Find the separator of a table without a header, and return the table's Layout.

    `look` gives access to the first line of the file. `columns` contains the name of each column, or None for a skipped
    column.
    """
    names, kind, decimal = tuple(columns), look.kind, look.decimal
    held = [name for name in names if name is not None]
    if not set(held) <= set(kind.known) or len(set(held)) < len(held) or not kind.suffices(set(held)):
        raise InputError(
            f"expected columns= with distinct names from {', '.join(kind.known)}, including {kind.needed}, and None "
            f"for skipped columns, got {names}"
        )
    rows = {style: look.fields(style) for style in _STYLES[look.format]}
    fitting = [style for style, fields in rows.items() if len(fields) == len(names)]
    if not fitting:
        most = max(map(len, rows.values()))
        raise InputError(f"expected the {len(names)} fields that columns= names, got {most} in the first line")
    if len(fitting) > 1:  # with the wrong separator, numbers are not in the fields of numbers
        fitting = [style for style in fitting if _numbers_fit(rows[style], names, decimal)]
    if len(fitting) != 1:
        raise InputError(
            f"expected a first line that only one separator splits into the {len(names)} fields of columns=, got "
            f"{clip(SEPARATORS['csv'].join(rows['csv']))!r}, which several separators split into {len(names)} fields"
        )
    return Layout(fitting[0], names, decimal=decimal)
