"""Reading of files of elections: PrefLib files, ballots, and tables with a column of ranks or scores for each voter."""

import csv
import io
import os
import re
from itertools import islice

import numpy as np
import pandas as pd

from .. import RankedLists
from .._data._titles import canonical
from ..datasets import read_preflib
from ..datasets._delimited import clip, is_number, separator_of, to_number
from ..datasets._preflib import HEADER
from ..datasets._sources import encoding_checked, file_name, opened
from ..exceptions import InputError
from ._messages import UserError

# First lines of PrefLib's format before 2022.
_OLD_PREFLIB = re.compile(r"\s*\d+\s*\n\s*1\s*,")
# A ballot after the number of equal ballots, as in "12: A > B".
_COUNT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*:(.*)", re.DOTALL)
# Titles of the columns of choices, such as "choice 1" or "2nd preference".
_CHOICE = re.compile(
    r"(?:(?:choice|preference|pref|rank|place)\s*(\d+)|(\d+)(?:st|nd|rd|th)?\s*(?:choice|preference|pref|rank|place))"
)
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_BALLOTS = {"ballot", "ranking", "order", "preferences"}
_COUNTS = {"count", "counts", "votes", "weight", "n", "number", "voters"}
# Number of lines that are read to find out if a file contains ballots.
_SAMPLE = 20


def election_format(source, format="auto", decimal="."):
    """Return the format of a file of an election, or None for a file of other data.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    format : str, default="auto"
        Value of --format. Only "auto" examines the file.
    decimal : {".", ","}, default="."
        Decimal mark of numbers.

    Returns
    -------
    {"preflib", "ballots", "ranks", "scores"} or None

    Raises
    ------
    UserError
        If the file is a table of numbers, and it is unclear if they are ranks or scores.
    """
    if format in _READERS:
        return format
    if format != "auto":
        return None
    try:
        with opened(source) as stream:
            lines = [line.decode("utf-8-sig") for line in islice(stream, _SAMPLE)]
        header = _cells(next(filter(str.strip, lines), ""))
    except (OSError, ValueError, csv.Error):  # the reader of lists raises a better error
        return None
    lines = [line for line in lines if line.strip()]
    if not lines or lines[0].lstrip()[0] in "{[":  # JSON may be one very long line
        return None
    if HEADER.match(lines[0].lstrip()) or _OLD_PREFLIB.match("".join(lines[:2])):
        return "preflib"
    if {"query", "item"} <= set(map(canonical, header)):
        return None
    if len(header) > 1 and (_choices(header) or _BALLOTS & set(header)):
        return "ballots"
    if _are_ballots(lines):
        return "ballots"
    return _kind_of_numbers(source, header, lines, decimal)


def _cells(line):
    return [_plain(title) for title in next(csv.reader([line], delimiter=separator_of(line)), [])]


def _plain(title):
    return re.sub(r"[\s._-]+", " ", title).strip().casefold()


def _are_ballots(lines):
    """Return True if the lines are ballots such as `A > B = C`, and not lists with ids that contain ">"."""

    def may_be(line):
        words, fields = line.split(), line.split(",")
        is_run = len(words) >= 6 and is_number(words[3]) and is_number(words[4])
        is_flagr = len(fields) >= 5 and is_number(fields[3].strip())
        return not is_run and not is_flagr and "\t" not in line

    # A ballot may name only one item.
    return all(map(may_be, lines)) and 2 * sum(">" in line for line in lines) >= len(lines)


def _choices(header):
    """Return the positions of the columns of the first choice, the second choice, and so on, or an empty list."""
    found = {}
    for place, title in enumerate(header):
        match = _CHOICE.fullmatch(title)
        word = title.removesuffix(" choice").removesuffix(" preference")
        number = int(match[1] or match[2]) if match else _ORDINALS.get(word)
        if number is not None:
            found[number] = place
    wanted = range(1, len(found) + 1)
    return [found[k] for k in wanted] if len(found) > 1 and set(found) == set(wanted) else []


def _kind_of_numbers(source, header, lines, decimal):
    """Return "ranks" for a table of ranks with a row for each item or voter; return None for other data."""
    names = [canonical(title) for title in header]
    is_other = any(name not in (None, "tie") for name in names[1:]) or names[0] not in (None, "item", "voter")
    if len(header) < 3 or len(lines) < 2 or is_other or any(map(is_number, header)):
        return None
    first = [cell.strip() for cell in next(csv.reader([lines[1]], delimiter=separator_of(lines[0])), [])]
    if not all(cell == "" or is_number(cell, decimal) for cell in first[1:]):
        return None
    columns = _read_numbers(source, "ranks", decimal).to_numpy()
    lists = columns if names[0] == "voter" else columns.T
    if all(_is_ranking(one[~np.isnan(one)]) for one in lists):
        return "ranks"
    raise UserError(
        f"{file_name(source)!r} is a table of numbers, which may be ranks or scores. Choose --format ranks or --format "
        "scores."
    )


def _is_ranking(values):
    """Return True if numbers are ranks counted from 1.

    Tied items must share the lowest, the mean or the highest of the ranks that they occupy.
    """
    if not len(values):
        return True
    ranks = pd.Series(values)
    return any((ranks.rank(method=method) == ranks).all() for method in ("min", "average", "max"))


def read_election(source, kind, decimal="."):
    """Read the file of an election; the election becomes one query.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    kind : {"preflib", "ballots", "ranks", "scores"}
        Format of the file.
    decimal : {".", ","}, default="."
        Decimal mark of numbers.

    Returns
    -------
    DataFrame
        Columns query, voter, item, rank, and for some formats score or weight. The id of the query is the name of the
        file, without folders and suffix.
    """
    with encoding_checked(source):
        frame = _READERS[kind](source, decimal)
    return frame.astype({"voter": str})


def _query(source):
    name = os.path.basename(file_name(source))
    return "q" if name.startswith("<") or not name.partition(".")[0] else name.partition(".")[0]


def _lines(source):
    with opened(source) as stream:
        return stream.read().decode("utf-8-sig")


def _read_ballots(source, decimal):
    text = _lines(source)
    first = text.lstrip().partition("\n")[0]
    header = _cells(first)
    choices = _choices(header)
    is_table = bool(choices) or (len(header) > 1 and bool(_BALLOTS & set(header)))
    ballots, counts = (_table_of_ballots if is_table else _lines_of_ballots)(text, header, choices, decimal)
    if not ballots:
        raise InputError("expected ballots such as 'A > B = C', one in each line; got none.")
    lists = RankedLists.from_ballots(ballots, counts=counts, query=_query(source), strip=True)
    return lists.to_frame()


def _read_table(text):
    """Return the header of a table, and an iterator over its lines as (line number, cells); blank lines are skipped."""
    reader = csv.reader(io.StringIO(text), delimiter=separator_of(text))
    header = [title.strip() for title in next(reader, [])]

    def records():
        for row in reader:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                raise InputError(
                    f"line {reader.line_num} must have {len(header)} fields, like the header; got {len(row)}."
                )
            yield reader.line_num, [cell.strip() for cell in row]

    return header, records()


def _lines_of_ballots(text, header, choices, decimal):
    ballots, counts = [], []
    for line in text.splitlines():
        if line.strip():
            match = _COUNT.fullmatch(line)
            ballots.append((match[2] if match else line).strip())
            counts.append(float(match[1]) if match else 1.0)
    return ballots, counts


def _table_of_ballots(text, header, choices, decimal):
    """Read a table with a ballot in each row, either in a single column or with a column for each choice."""
    _, records = _read_table(text.lstrip())
    count = next((k for k, title in enumerate(header) if title in _COUNTS), None)
    one = next((k for k, title in enumerate(header) if title in _BALLOTS), None)
    ballots, counts = [], []
    for line, row in records:
        cells = [row[place] for place in choices]
        filled = [cell for cell in cells if cell]
        if choices and cells[: len(filled)] != filled:
            raise InputError(f"line {line} must not have an empty choice before a filled one; got {clip(str(cells))}.")
        ballot = [cell.split("=") for cell in filled] if choices else row[one]
        number = 1.0 if count is None else row[count]
        if count is not None and not is_number(number, decimal):
            raise InputError(f"line {line} must have a number of ballots; got {number!r}.")
        if ballot:
            ballots.append(ballot)
            counts.append(1.0 if count is None else to_number(number, decimal))
    return ballots, counts


def _read_numbers(source, kind, decimal):
    """Read a table of numbers as a frame, with the first column as its index; empty cells become NaN."""
    header, records = _read_table(_lines(source).lstrip("\r\n"))
    names, rows = [], []
    for line, (name, *values) in records:
        bad = next((cell for cell in values if cell and not is_number(cell, decimal)), None)
        if bad is not None:
            raise InputError(f"line {line} must have {kind} after the first field; got {clip(bad)!r}.")
        names.append(name)
        rows.append([to_number(cell, decimal) if cell else np.nan for cell in values])
    if not rows:
        raise InputError("expected rows after the header; got none.")
    return pd.DataFrame(rows, index=pd.Index(names, name=header[0]), columns=header[1:], dtype=np.float64)


def _read_matrix(kind):
    def read(source, decimal):
        table = _read_numbers(source, f"{kind}s", decimal)
        rows = "voters" if canonical(_plain(table.index.name)) == "voter" else "items"
        return RankedLists.from_matrix(table, kind=kind, rows=rows, query=_query(source)).to_frame()

    return read


_READERS = {
    "preflib": lambda source, decimal: read_preflib(source),
    "ballots": _read_ballots,
    "ranks": _read_matrix("rank"),
    "scores": _read_matrix("score"),
}
