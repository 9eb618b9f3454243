"""Reading of lists and judgements from JSON Lines: files with one JSON object on each line.

Each line contains one item of a list, one list, or all lists of one query. The keys of the first line determine the
form of the file.
"""

import io
import json
import re

from .._data._hit_forms import open_response
from .._data._titles import canonical
from ..exceptions import InputError
from ._delimited import clip
from ._json_files import (
    check_fields,
    check_names,
    is_finite,
    members,
    read_field,
    read_id,
    read_integer,
    read_object,
    record_layout,
    rows_frame,
    shown,
)
from ._kinds import LISTS, held
from ._sources import BOM, opened

# Keys whose value is a list of items, by the kind of content.
_ITEMS = {"lists": ("items", "hits", "results"), "qrels": ("items",)}
# Key whose value is an object with a list of items for each voter.
_VOTERS = "lists"
# Columns that a line states once for all items of its list.
_OF_LISTS = ("query", "voter", "weight")
# A longer line is not parsed to find the format of its file.
_MOST_CHARACTERS = 2**20
# json.loads would create a decoder for each line.
_DECODER = json.JSONDecoder(object_pairs_hook=read_object, parse_int=read_integer)
_FIRST_KEY = re.compile(r'\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\S)')


def is_json_lines(source):
    """Return True if a file is JSON Lines rather than one JSON object.

    A file of JSON Lines begins with two objects on two lines, or with an object that has a key such as "query". A JSON
    file has queries or voters as keys, and their values are objects.
    """
    first, second = _first_lines(source)
    if not first.startswith("{"):
        return False
    try:
        record = json.loads(first) if len(first) < _MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        record = None
    if record is None:  # the line is damaged or very long
        key = _FIRST_KEY.match(first)
        return key is not None and _is_of_line(key[1], key[2])
    return any(_is_of_line(key, _kind(value)) for key, value in record.items()) or second.startswith("{")


def _kind(value):
    return "{" if isinstance(value, dict) else "[" if isinstance(value, list) else "1"


def _is_of_line(key, begin):
    """Return True if a line of JSON Lines can contain this key with a value of this type.

    `begin` is "{" for an object, "[" for an array, and "1" for any other value.
    """
    return key in _ITEMS["lists"] if begin == "[" else canonical(key) is not None and begin != "{"


def _first_lines(source):
    """Return the first two non-blank lines of a file, stripped; a missing line is replaced by an empty string."""
    found = []
    with opened(source) as stream:
        while len(found) < 2 and (line := stream.readline(_MOST_CHARACTERS)):
            text = line.removeprefix(BOM).decode("utf-8", errors="replace").strip(" \t\r\n")
            if text:
                found.append(text)
    return (*found, "", "")[:2]


def read_json_lines(source, kind):
    """Read a file of JSON Lines.

    Parameters
    ----------
    source : path or StreamContent
        The file, plain or compressed by gzip.
    kind : Kind
        Kind of the expected content.

    Returns
    -------
    DataFrame
        The columns of `kind` that the file contains, with rows in the order of the file, as from
        :func:`~skrankagg.datasets._json_files.read_json`.

    Raises
    ------
    ValueError
        If the content is invalid. The message contains the number of the line. The message does not name the file; the
        caller adds the name.
    """
    rows = _Rows(kind)
    with opened(source) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            text = line.strip(" \t\r\n")
            if text:
                rows.add(_parse(text, number), number)
    return rows_frame(rows.names, rows.rows, kind)


def _parse(text, number):
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"expected a JSON object on line {number}, got an error in column {error.colno} ({clip(error.msg)})"
        ) from None
    except RecursionError:
        raise InputError(
            f"expected a JSON object on line {number}, got JSON that is nested too deeply to be read"
        ) from None


class _Rows:
    """Rows of a table, collected from the lines of the file that were read so far.

    Parameters
    ----------
    kind : Kind
        Kind of the expected content.

    Attributes
    ----------
    names : tuple of str or None
        Columns of the rows; None before the first row.
    rows : list of tuple
        Values of the columns in each row.
    """

    def __init__(self, kind):
        self.kind, self.names, self.rows = kind, None, []
        self._first = None  # the line that determines the columns
        self._container = None  # key of the list in the first line; "" if each line contains one item
        self._layouts, self._lists = {}, {}

    def add(self, record, number):
        """Add the rows of the JSON object on one line."""
        place = f" on line {number}"
        check_fields(record, place)
        keys = tuple(record)
        if keys not in self._layouts:
            self._layouts[keys] = _line_layout(keys, self.kind, place)
        container, layout = self._layouts[keys]
        if self._container is None:
            self._container, self._first = container, number
        if bool(container) != bool(self._container):
            expected, got = "one item", f"a list in {container!r}"
            if not container:
                expected, got = f"a list, such as {self._container!r},", "one item"
            raise InputError(f"expected {expected}{place}, as on line {self._first}, got {got}")
        if not container:
            check_names(layout, self.names, keys, place, f"on line {self._first}")
            self.names = self.names or tuple(layout)
            self.rows.append(tuple(read_field(record, layout, name, place) for name in self.names))
            return
        common = {name: _common_field(record[key], name, place) for name, key in layout.items()}
        if container != _VOTERS:
            self._add_list(common, record[container], number, place)
            return
        for voter, hits in members(record[_VOTERS], "voter", "voters and their lists", place):
            self._add_list({**common, "voter": voter}, hits, number, f"{place}, voter {clip(voter)!r}")

    def _add_list(self, common, hits, number, place):
        """Add the rows of one list; `common` contains the values that are equal in all rows, such as the query."""
        if self.kind is LISTS:
            key = common["query"], common.get("voter")
            if key in self._lists:
                voter = f", voter {clip(key[1])!r}" if key[1] is not None else ""
                raise InputError(
                    f"expected each list on one line; query {clip(key[0])!r}{voter} is on line {self._lists[key]} and "
                    f"on line {number}"
                )
            self._lists[key] = number
        columns, rows = _read_hits(hits, self.kind, place)
        if not rows:
            return
        names = (*common, *columns)
        if self.names is None:
            self.names, self._first = names, number
        if set(names) != set(self.names):
            raise InputError(
                f"expected fields for {', '.join(self.names)}{place}, as on line {self._first}, got {', '.join(names)}"
            )
        same = tuple(common.values())
        order = None if names == self.names else [names.index(name) for name in self.names]
        for row in rows:
            row = same + row
            self.rows.append(row if order is None else tuple(row[k] for k in order))


def _line_layout(keys, kind, place):
    """Return the key under which a JSON object on one line has its items, and a dict that maps columns to other keys.

    The key is an empty text if the line contains a single item. The dict maps the name of each column, such as "query",
    to the key under which the object has the column's value.
    """
    known = (*_ITEMS[kind.name], _VOTERS) if kind is LISTS else _ITEMS[kind.name]
    containers = [key for key in keys if key in known]
    if held(kind, keys) is not None:
        return "", record_layout(keys, kind, place)
    if len(containers) != 1:
        raise InputError(
            f"expected fields for {kind.needed}, or for query and one of {', '.join(known)}{place}, got "
            f"{clip(', '.join(keys))!r}"
        )
    # The keys of a line with a list do not include the columns of its items, but `held` needs these columns.
    titles = [key for key in keys if canonical(key) in _OF_LISTS]
    items = ("item", "rank" if kind is LISTS else "relevance")
    found = held(kind, (*titles, *items))
    if found is None:
        raise InputError(f"expected a field for the query{place}, got {clip(', '.join(keys))!r}")
    layout = {name: key for name, key in zip(found, titles, strict=False) if name is not None}
    if "voter" in layout and containers[0] == _VOTERS:
        raise InputError(f"expected voters only in {_VOTERS!r}{place}, got the field {layout['voter']!r}")
    return containers[0], layout


def _common_field(value, name, place):
    if name != "weight":
        return read_id(value, name, place)
    if not is_finite(value):
        raise InputError(f"expected a finite number as weight{place}, got {shown(value)}")
    return value


def _read_hits(hits, kind, place):
    """Read the items of one list; return the names of their columns, and a row for each item."""
    number = "score" if kind is LISTS else "relevance"
    response = open_response(hits) if kind is LISTS and isinstance(hits, dict) else None
    hits = hits if response is None else response
    if isinstance(hits, dict):
        rows = list(members(hits, "item", f"items and their {number}", place))
        return ("item", number), [(item, _read_number(value, number, item, place)) for item, value in rows]
    if not isinstance(hits, list):
        raise InputError(f"expected an array or object of items{place}, got {shown(hits)}")
    kinds = {dict if isinstance(hit, dict) else list if isinstance(hit, list) else str for hit in hits}
    if len(kinds) > 1:
        raise InputError(f"expected items of one kind{place}, got {shown(hits[0])} and others")
    if dict in kinds:
        return _read_objects(hits, kind, place)
    if list in kinds:
        for hit in hits:
            if len(hit) != 2:
                raise InputError(f"expected pairs of item and {number}{place}, got an array of {len(hit)}")
        rows = [(read_id(item, "item", place), value) for item, value in hits]
        return ("item", number), [(item, _read_number(value, number, item, place)) for item, value in rows]
    if kind is not LISTS and hits:
        raise InputError(f"expected each item with its {number}{place}, got {shown(hits[0])}")
    return ("item", "rank"), [(read_id(hit, "item", place), rank) for rank, hit in enumerate(hits, 1)]


def _read_objects(hits, kind, place):
    """Read items that are objects; without ranks and scores, the order of the items determines their ranks."""
    layouts, names, rows = {}, None, []
    for count, hit in enumerate(hits, 1):
        where = f"{place}, item {count}"
        check_fields(hit, where)
        keys = tuple(hit)
        if keys not in layouts:
            layouts[keys] = _hit_layout(keys, kind, where)
            check_names(layouts[keys], names, keys, where, "in the first item")
        layout = layouts[keys]
        names = names or tuple(layout)
        item = read_id(hit[layout["item"]], "item", where)
        values = (item if name == "item" else _read_number(hit[layout[name]], name, item, place) for name in names)
        rows.append((*values, count) if len(names) == 1 else tuple(values))
    return names if len(names) > 1 else ("item", "rank"), rows


def _hit_layout(keys, kind, place):
    """Return a dict that maps each column (item, rank, score or relevance) to its key in the JSON object of an item."""
    found = {name: [key for key in keys if canonical(key) == name] for name in ("item", *_numbers_of(kind))}
    found["item"] = found["item"] or [key for key in keys if key in {"id", "_id"}]
    for name, titles in found.items():
        if len(titles) > 1:
            raise InputError(f"expected one field for the {name}{place}, got {' and '.join(map(repr, titles))}")
    required = ("item",) if kind is LISTS else ("item", "relevance")
    if not all(found[name] for name in required):
        raise InputError(f"expected fields for {' and '.join(required)}{place}, got {clip(', '.join(keys))!r}")
    return {name: titles[0] for name, titles in found.items() if titles}


def _numbers_of(kind):
    return ("rank", "score") if kind is LISTS else ("relevance",)


def _read_number(value, name, item, place):
    if not is_finite(value):
        raise InputError(f"expected a finite number as {name}{place}, item {clip(item)!r}, got {shown(value)}")
    return value
