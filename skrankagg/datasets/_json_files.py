"""Reading of lists and judgements from JSON files with nested objects or with an array of records."""

import json
import math

import numpy as np
import pandas as pd

from .._data._frames import EXACT_LIMIT
from ..exceptions import InputError
from ._delimited import clip
from ._integers import integers_for
from ._kinds import LISTS, held
from ._layouts import IDS
from ._sources import BOM, opened

# The time in which Python reads an integer grows with the square of its digits. float64 has at most 309 digits.
_MOST_DIGITS = 400


_PIECE = 2**12


def is_json(source):
    """Return True if a file begins with ``{`` or ``[``, like a JSON object or array but unlike most tables."""
    with opened(source) as stream:
        data = stream.read(_PIECE).removeprefix(BOM)
        while data and not data.lstrip(b" \t\r\n"):
            data = stream.read(_PIECE)
    return data.lstrip(b" \t\r\n")[:1] in (b"{", b"[")


class Doubled(dict):
    """JSON object in which a key occurs more than once; the attribute `key` is the first such key."""

    def __init__(self, pairs):
        super().__init__(pairs)
        seen = set()
        self.key = next(key for key, _ in pairs if key in seen or seen.add(key))


def read_object(pairs):
    members = dict(pairs)
    return members if len(members) == len(pairs) else Doubled(pairs)


def read_integer(text):
    return int(text) if len(text) <= _MOST_DIGITS else float(text)


def _parse(source):
    with opened(source) as stream:
        text = stream.read().decode("utf-8-sig")
    if not text.strip(" \t\r\n"):
        raise InputError("expected at least one row, got an empty file")
    try:
        return json.loads(text, object_pairs_hook=read_object, parse_int=read_integer)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"expected valid JSON, got an error on {place} ({clip(error.msg)})") from None
    except RecursionError:
        raise InputError(
            "expected JSON of at most three levels, got JSON that is nested too deeply to be read"
        ) from None


def read_json(source, kind):
    """Read a file that contains one JSON object or array.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    kind : Kind
        Kind of the expected content.

    Returns
    -------
    DataFrame
        The columns of `kind` that the file contains, with rows in the order of the file. Ids are str; numbers are
        float64, or 64-bit integers if float64 would round them.

    Raises
    ------
    ValueError
        If the content is invalid. The message contains the place in the file. The message does not name the file; the
        caller adds the name.
    """
    data = _parse(source)
    if isinstance(data, list):
        names, rows = _records(data, kind)
    elif isinstance(data, dict):
        names, rows = _leaves(data, kind)
    else:
        raise InputError(f"expected a JSON object or array, got {shown(data)}")
    return rows_frame(names, rows, kind)


def rows_frame(names, rows, kind):
    """Return rows as a frame with the columns `names`; ids are text, and numbers are float64 or 64-bit integers."""
    if not rows:
        raise InputError("expected at least one row, got none")
    if kind is not LISTS:
        _check_judgements(names, rows)
    columns = zip(names, zip(*rows, strict=True), strict=True)
    return pd.DataFrame(
        {name: pd.Series(column, dtype=str) if name in IDS else _numbers(column, kind) for name, column in columns}
    )


def _check_judgements(names, rows):
    """Raise InputError if all judgements are integers, but some integer does not fit into int64."""
    query, item, number = (names.index(name) for name in ("query", "item", "relevance"))
    grades = [row[number] for row in rows]
    if all(type(grade) is int for grade in grades) and integers_for(min(grades), max(grades)) is not np.int64:
        row = next(row for row in rows if integers_for(row[number], row[number]) is not np.int64)
        place = f"for query {clip(row[query])!r}, item {clip(row[item])!r}"
        raise InputError(f"expected a judgement that fits into a 64-bit integer {place}, got {shown(row[number])}")


def _numbers(values, kind):
    if all(type(value) is int for value in values):
        low, high = min(values), max(values)
        if kind is not LISTS:
            return np.array(values, dtype=np.int64)
        if max(-low, high) >= EXACT_LIMIT and integers_for(low, high):
            return np.array(values, dtype=integers_for(low, high))
    return np.array([float(value) for value in values])


def shown(value):
    """Describe a JSON value for a message, without its nested contents."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "an array"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return clip(repr(value))


def is_finite(value):
    if type(value) not in (int, float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def members(value, name, of, place):
    """Check a JSON object, and yield its keys and values.

    The other arguments are texts for error messages. `name` describes a key, `of` describes the expected values, and
    `place` describes the location of the object.
    """
    if not isinstance(value, dict):
        raise InputError(f"expected an object of {of}{place}, got {shown(value)}")
    if isinstance(value, Doubled):
        raise InputError(f"expected each {name} once{place}, got {clip(value.key)!r} twice")
    for key, member in value.items():
        _check_id(key, name, place)
        yield key, member


def _check_id(text, name, place):
    if not text:
        raise InputError(f"expected an id as {name}{place}, got empty text")
    if "\0" in text:
        raise InputError(f"expected text as {name}{place}, got a NUL character")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InputError(f"expected text as {name}{place}, got half of a surrogate pair") from None


def _leaves(data, kind):
    """Convert a dict ``{query: {item: number}}`` or ``{voter: {query: {item: number}}}`` to a table.

    Returns a list of the names of the columns, and a list of the rows.
    """
    number = "score" if kind is LISTS else "relevance"
    inner = (leaf for middle in data.values() if isinstance(middle, dict) for leaf in middle.values())
    by_voter = kind is LISTS and isinstance(next(inner, None), dict)
    if not by_voter:
        return ["query", "item", number], list(_walk(data, number, ""))
    rows = []
    for voter, queries in members(data, "voter", "voters", ""):
        rows += [(voter, *row) for row in _walk(queries, number, f" for voter {clip(voter)!r}")]
    return ["voter", "query", "item", number], rows


def _walk(queries, number, voter):
    for query, items in members(queries, "query", "queries", voter):
        place = f"{voter}, query {clip(query)!r}" if voter else f" for query {clip(query)!r}"
        for item, value in members(items, "item", f"items and their {number}", place):
            if not is_finite(value):
                place = f"{place}, item {clip(item)!r}"
                raise InputError(f"expected a finite number as {number}{place}, got {shown(value)}")
            yield query, item, value


def _records(data, kind):
    """Read rows from an array of objects; the keys of an object are names of columns."""
    names, rows, layouts = None, [], {}
    for count, record in enumerate(data, 1):
        place = f" in record {count}"
        check_fields(record, place)
        keys = tuple(record)
        if keys not in layouts:
            layouts[keys] = record_layout(keys, kind, place)
            check_names(layouts[keys], names, keys, place, "in the first record")
        layout = layouts[keys]
        names = names or tuple(layout)
        rows.append(tuple(read_field(record, layout, name, place) for name in names))
    return names, rows


def check_fields(record, place):
    """Raise InputError if `record` is not a JSON object, or if a key occurs twice in it."""
    if not isinstance(record, dict) or isinstance(record, Doubled):
        list(members(record, "field", "fields", place))


def record_layout(keys, kind, place):
    """Return a dict that maps each column to the key under which the records contain the column's value."""
    found = held(kind, keys)
    if found is None:
        raise InputError(f"expected fields for {kind.needed}{place}, got {clip(', '.join(keys))!r}")
    return {name: key for name, key in zip(found, keys, strict=True) if name is not None}


def check_names(layout, names, keys, place, first):
    """Raise InputError if the columns of a record differ from `names`, the columns of the first record.

    For the first record itself, `names` is None and nothing is checked.
    """
    if names is not None and set(layout) != set(names):
        raise InputError(f"expected fields for {', '.join(names)}{place}, as {first}, got {clip(', '.join(keys))!r}")


def read_field(record, layout, name, place):
    """Return the value of a column in a record; raise InputError if it is not a valid id or number."""
    value = record[layout[name]]
    if name in IDS:
        return read_id(value, name, place)
    if not is_finite(value):
        query, item = (clip(str(record[layout[one]])) for one in ("query", "item"))
        raise InputError(
            f"expected a finite number as {name}{place}, for query {query!r}, item {item!r}, got {shown(value)}"
        )
    return value


def read_id(value, name, place):
    """Return an id as text; raise InputError for a value that is neither text nor an integer."""
    if type(value) is int:
        return str(value)
    if not isinstance(value, str):
        raise InputError(f"expected text as {name}{place}, got {shown(value)}")
    _check_id(value, name, place)
    return value
