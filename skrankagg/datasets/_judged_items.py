"""Reader of a table of items in which a person has filled in relevance judgements."""

from __future__ import annotations

import csv
import io
import os

import pandas as pd

from .._data._frames import frame_of
from .._support._warn import warn_user
from ..exceptions import InputError, UnfilledWarning
from ._delimited import header_of, separator_of
from ._kinds import QRELS, held
from ._sources import BOM

__all__ = ["read_judged_items"]


def read_judged_items(path: str | os.PathLike[str]) -> pd.DataFrame:
    r"""Read the table of :func:`~skrankagg.inspection.items_to_judge` after a person has filled in the judgements.

    Parameters
    ----------
    path : str or path-like
        Text file in UTF-8 with a header, separated by commas, tabs or semicolons, as a spreadsheet writes it. The file
        has the columns query, item and relevance; other columns, such as texts, are skipped. The relevance is a grade
        of at least 0, where 0 means not relevant. It is empty for items that are not judged.

    Returns
    -------
    DataFrame
        Columns query, item (str) and relevance (int64 if all grades are integers, otherwise float64), without the rows
        whose relevance is empty.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a column is missing, or no item is judged. The error is also raised if a grade is text or negative, an id is
        empty, or an item is judged twice. The message then contains the line number.

    Warns
    -----
    UnfilledWarning
        If rows have no grade. The warning contains the number of these rows, and the queries without any grade.

    See Also
    --------
    read_qrels : Reads complete judgements in all formats.
    skrankagg.inspection.items_to_judge : Chooses the items to judge.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg.datasets import read_judged_items
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "todo.csv"
    >>> _ = path.write_text("query,item,relevance\nq1,d7,2\nq1,d3,0\n")
    >>> read_judged_items(path)
      query item  relevance
    0    q1   d7          2
    1    q1   d3          0
    >>> folder.cleanup()
    """
    with open(path, "rb") as file:
        content = file.read()
    try:
        text = content.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{_named(path)} must be in UTF-8: {error}. Save it as CSV in UTF-8.") from error
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator_of(text))
    header = [title.strip() for title in next(lines, [])]
    names = held(QRELS, header)
    if names is None:
        raise InputError(
            f"{_named(path)} must have a header with query, item and relevance; got {', '.join(map(repr, header))}. "
            "Keep the header that items_to_judge writes."
        )
    rows, empty, lines_of = [], {}, {}
    for fields in lines:
        if not any(map(str.strip, fields)):
            continue
        where = f"{_named(path)}, line {lines.line_num}"
        if len(fields) != len(header):
            raise InputError(
                f"{where} must have {len(header)} fields like the header; got {len(fields)}. Correct the line."
            )
        row = {name: field.strip() for name, field in zip(names, fields, strict=True) if name is not None}
        key = row["query"], row["item"]
        if not all(key):
            raise InputError(f"{where}: `query` and `item` must not be empty; got {row}. Fill in the id.")
        if key in lines_of:
            raise InputError(
                f"{where}: item {key[1]!r} of query {key[0]!r} must occur once; it is also on line {lines_of[key]}. "
                "Keep one of the two."
            )
        lines_of[key] = lines.line_num
        if row["relevance"] == "":
            empty[key[0]] = empty.get(key[0], 0) + 1
        else:
            rows.append((*key, _grade(row["relevance"], where)))
    if not rows:
        raise InputError(
            f"{_named(path)} must have at least one judged item; its column 'relevance' is empty. Enter grades in "
            "this column."
        )
    _warn_of_empty(path, empty, {query for query, _, _ in rows})
    queries, items, grades = zip(*rows, strict=True)
    whole = all(grade.is_integer() and abs(grade) < 2**53 for grade in grades)
    relevance = pd.Series(grades, dtype="int64" if whole else "float64")
    return frame_of({"query": list(queries), "item": list(items), "relevance": relevance.to_numpy()})


def is_judged_items(path):
    """Return True if a path is a text file whose header names query, item and relevance."""
    try:
        with open(path, "rb") as file:
            first = file.readline().removeprefix(BOM).decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return False
    return held(QRELS, header_of(first)) is not None


def _grade(text, where):
    try:
        grade = float(text)
    except ValueError:
        grade = float("nan")
    if not 0 <= grade < float("inf"):
        raise InputError(
            f"{where}: `relevance` must be a number of at least 0, or empty; got {text!r}. Write 0 if the item is not "
            "relevant."
        )
    return grade


def _warn_of_empty(path, empty, judged):
    if empty:
        missing = sorted(set(empty) - judged)
        without = f" Queries without a judged item are left out: {', '.join(missing)}." if missing else ""
        warn_user(
            f"{_named(path)}: skipped {sum(empty.values())} rows without a judgement.{without}",
            UnfilledWarning,
        )


def _named(path):
    return f"The file {os.fspath(path)!r}"
