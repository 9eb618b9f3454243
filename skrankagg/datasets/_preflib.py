"""Reader of PrefLib's election files, which contain orders with or without ties, complete or incomplete."""

import os
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

import numpy as np
import pandas as pd

from .._data._encoding import ONE_QUERY
from ..exceptions import InputError, InputTypeError
from ._delimited import clip
from ._sources import AnyFile, add_file_to_errors, encoding_checked, file_name, is_file, make_rereadable, opened

__all__ = ["read_preflib"]

_TYPES = {"soc", "soi", "toc", "toi"}
#: Beginning of a line in the header of a PrefLib file.
HEADER = re.compile(
    r"#\s*(FILE NAME|TITLE|DESCRIPTION|DATA TYPE|MODIFICATION TYPE|RELATES TO|RELATED FILES|PUBLICATION DATE|"
    r"MODIFICATION DATE|NUMBER (ALTERNATIVES|VOTERS|UNIQUE ORDERS)|ALTERNATIVE NAME \d+)\s*:",
    re.IGNORECASE,
)
_BUCKET = re.compile(r"\{([^{}]*)\}|([^,{}]+)")
_NAME = re.compile(r"ALTERNATIVE NAME (\d+)[ \t]*:(.*)", re.IGNORECASE | re.ASCII)
_BLANKS = " \t"
# Integers with at most this number of digits fit into 64 bits.
_MOST_DIGITS = 18


@overload
def read_preflib(
    path: AnyFile | Sequence[AnyFile],
    *,
    with_names: bool = True,
    return_alternatives: Literal[False] = False,
) -> pd.DataFrame: ...
@overload
def read_preflib(
    path: AnyFile | Sequence[AnyFile],
    *,
    with_names: bool = True,
    return_alternatives: Literal[True],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def read_preflib(
    path: AnyFile | Sequence[AnyFile],
    *,
    with_names: bool = True,
    return_alternatives: bool = False,
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Read ballots from PrefLib files.

    Parameters
    ----------
    path : str, path-like, file opened in text or binary mode, bytes, or a sequence of them
        Files of the kinds ``.soc``, ``.soi``, ``.toc`` and ``.toi`` in UTF-8, plain or compressed by gzip. Bytes are
        the content of a file. Headers may have the current format (``# TITLE: ...``) or the format used before 2022
        (the number of alternatives, then their names). Each file is a query. The id of the query is the name of the
        file without folders and suffix. It is ``q`` for bytes, and for an open file without a name.
    with_names : bool, default=True
        If True, items are the names of the alternatives; if False, they are the numbers of the alternatives, as int.
    return_alternatives : bool, default=False
        Whether to return the alternatives as well. Some alternatives may be on no ballot and therefore in no list.

    Returns
    -------
    lists : DataFrame
        Columns query, voter (str), item, rank (int64, from 1) and weight (float64). Tied alternatives share the lowest
        rank of their bucket. Each distinct order is one list. Its weight is the number of voters who cast this order.
        Voters are numbered in the order of the file.
    alternatives : DataFrame
        Columns query, number and name; only with ``return_alternatives=True``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a line cannot be read; the message then contains the line number. If a ballot repeats an alternative, or
        contains an alternative that is missing in the header. If alternatives share a name, or the header declares more
        alternatives than the file has characters.

    See Also
    --------
    read_lists : Reads ranked lists in other formats.

    Notes
    -----
    Alternatives that are not on a ballot are not in its list; the method decides how to treat them. Ballots without
    alternatives are left out. The format is described in [1]_.

    References
    ----------
    .. [1] N. Mattei and T. Walsh, "PrefLib: a library for preferences", ADT 2013.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from skrankagg.datasets import read_preflib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name) / "lunch.toi"
    >>> _ = path.write_text('''# NUMBER ALTERNATIVES: 3
    ... # ALTERNATIVE NAME 1: soup
    ... # ALTERNATIVE NAME 2: rice
    ... # ALTERNATIVE NAME 3: cake
    ... 5: 3,{1,2}
    ... 2: 1
    ... ''')
    >>> read_preflib(path)
       query voter  item  rank  weight
    0  lunch    v1  cake     1     5.0
    1  lunch    v1  soup     2     5.0
    2  lunch    v1  rice     2     5.0
    3  lunch    v2  soup     1     2.0
    >>> with path.open() as stream:
    ...     lists = read_preflib(stream)
    >>> lists.equals(read_preflib(path))
    True
    >>> folder.cleanup()
    """
    many = not _is_source(path) and hasattr(path, "__iter__")
    paths = list(path) if many else [path]
    if not paths or not all(map(_is_source, paths)):
        raise InputTypeError(
            f"`path` must be a path, an open file, or a sequence of them; got {clip(repr(path))}. Pass the names of "
            "files."
        )
    parts = [_read(path, with_names) for path in paths]
    stems = [lists["query"].iloc[0] for lists, _ in parts]
    if len(set(stems)) < len(stems):
        raise InputError(f"`path` must contain files of different names; got {stems}. Read them one by one.")
    lists, alternatives = (pd.concat(frames, ignore_index=True) for frames in zip(*parts, strict=True))
    return (lists, alternatives) if return_alternatives else lists


def _is_source(path):
    return is_file(path) or isinstance(path, bytes)


def _read(path, names):
    name = file_name(path)
    with add_file_to_errors("read_preflib", path, "repair the file."):
        source = make_rereadable(path, "read_preflib", with_text=True)
        with encoding_checked(source):
            numbered = _lines(source)
            new = numbered[0][1].startswith("#")
            alternatives, ballots, mark = _new_header(numbered) if new else _old_header(numbered)
            rows = _ballots(ballots, mark, alternatives)
    numbers, texts = list(alternatives), list(alternatives.values())
    if names and len(set(texts)) < len(texts):
        twice = Counter(texts).most_common(1)[0][0]
        raise InputError(
            f"The alternatives in {name!r} must have different names; got {twice!r} twice. Pass "
            "with_names=False to get numbers instead of names."
        )
    unnamed = name.startswith("<") and not isinstance(path, (str, os.PathLike))  # such as <stream> and <stdin>
    query = ONE_QUERY if unnamed else Path(name).name.partition(".")[0]
    ballot, number, rank, weight = (np.array(column) for column in zip(*rows, strict=True))
    width = len(str(ballot.max()))
    item = pd.Series([alternatives[k] for k in number], dtype=str) if names else number.astype(np.int64)
    frame = pd.DataFrame(
        {
            "query": pd.Series(query, index=range(len(rank)), dtype=str),
            "voter": pd.Series([f"v{k:0{width}d}" for k in ballot], dtype=str),
            "item": item,
            "rank": rank.astype(np.int64),
            "weight": weight.astype(np.float64),
        }
    )
    named = pd.DataFrame(
        {"query": pd.Series(query, index=range(len(numbers)), dtype=str), "number": numbers, "name": texts}
    )
    return frame, named


def _bad_line(number, what):
    return InputError(f"line {number} {what}")


def _lines(path):
    """Return a pair for each line that is not blank: the number of the line, and its text."""
    with opened(path) as stream:
        text = stream.read().decode("utf-8-sig")
    # Lines end as in other files. str.splitlines() is not used, because names may contain its other separators.
    numbered = enumerate(re.split(r"\r\n|\r|\n", text), 1)
    numbered = [(number, stripped) for number, line in numbered if (stripped := line.strip(_BLANKS))]
    if not numbered:
        raise InputError("expected ballots, got an empty file")
    return numbered


def _new_header(numbered):
    """Read a header in the current format.

    Returns three values. The first is a dict that maps the number of each alternative to its name. The second is a list
    of the lines with ballots, each with its line number. The third is the character that, in such a line, separates the
    number of voters from the order of the alternatives.
    """
    alternatives, declared, declared_on = {}, None, None
    for number, line in numbered:
        if not line.startswith("#"):
            continue
        text = line.lstrip("# ")
        key, _, value = text.partition(":")
        if key.upper() == "DATA TYPE" and value.strip().lower() not in _TYPES:
            raise _bad_line(
                number, f"names the data type {clip(value.strip())!r}; supported are {', '.join(sorted(_TYPES))}"
            )
        if key.upper() == "NUMBER ALTERNATIVES":
            declared, declared_on = _whole(number, value), number
        named = _NAME.match(text)
        if named:
            _name(alternatives, number, named[1], named[2])
    if declared is None and not alternatives:
        raise _bad_line(numbered[0][0], "begins a header that names no alternatives")
    if declared is not None:  # some names may be missing
        held = sum(len(line) for _, line in numbered)
        if declared > held:  # each declared alternative would use memory
            raise _bad_line(declared_on, f"declares {declared} alternatives, but the file has only {held} characters")
        alternatives = {k: alternatives.get(k, str(k)) for k in sorted({*alternatives, *range(1, declared + 1)})}
    return alternatives, [(number, line) for number, line in numbered if not line.startswith("#")], ":"


def _name(alternatives, number, key, name):
    """Store the name of an alternative in `alternatives`; if the name is empty, store the number instead."""
    alternative = _whole(number, key)
    if alternative in alternatives:
        raise _bad_line(number, f"repeats the alternative {alternative}")
    alternatives[alternative] = name.strip(_BLANKS) or str(alternative)


def _old_header(numbered):
    n = _whole(*numbered[0])
    if n + 2 > len(numbered):
        raise _bad_line(
            numbered[0][0], f"declares {n} alternatives and a line of totals, but only {len(numbered) - 1} lines follow"
        )
    alternatives = {}
    for number, line in numbered[1 : n + 1]:
        key, comma, name = line.partition(",")
        if not comma:
            raise _bad_line(number, f"is {clip(line)!r} instead of a number, a comma and a name")
        _name(alternatives, number, key, name)
    # The line of totals contains the number of voters, the sum of the counts, and the number of distinct orders.
    return alternatives, numbered[n + 2 :], ","


def _ballots(numbered, mark, alternatives):
    """Return a list with a tuple (ballot, alternative, rank, weight) for each alternative on each ballot.

    `numbered` contains the lines with ballots, and `mark` is the character that follows the number of voters in a line.
    This number becomes the weight.
    """
    rows, ballot = [], 0
    for number, line in numbered:
        count, found, order = line.partition(mark)
        weight = _whole(number, count)
        if not found or _BUCKET.sub("", order).strip(", \t"):  # the rest of the order has unmatched braces
            raise _bad_line(number, f"is {clip(line)!r} instead of a number, the separator {mark!r} and an order")
        place, seen = 1, set()
        for several, one in _BUCKET.findall(order):
            bucket = [_whole(number, text) for text in (several or one).split(",") if text.strip(_BLANKS)]
            for alternative in bucket:
                if alternative not in alternatives:
                    raise _bad_line(number, f"contains the alternative {alternative}, which is not in the header")
                if alternative in seen:
                    raise _bad_line(number, f"contains the alternative {alternative} twice")
                seen.add(alternative)
                rows.append((ballot + 1, alternative, place, weight))
            place += len(bucket)
        ballot += bool(seen)
    if not rows:
        raise _bad_line(numbered[-1][0] if numbered else 1, "ends the file without any ballot")
    return rows


def _whole(number, text):
    text = text.strip(_BLANKS)
    if not re.fullmatch(r"\d+", text, re.ASCII):
        raise _bad_line(number, f"has {clip(text)!r} instead of a whole number")
    if len(text) > _MOST_DIGITS:
        raise _bad_line(number, f"has {len(text)} digits in {clip(text)}; at most {_MOST_DIGITS} are supported")
    return int(text)
