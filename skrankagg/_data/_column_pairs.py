"""Reading of a table with two columns for each voter: the items, and their scores or p-values."""

import re

import numpy as np
import pandas as pd

from .._support._values import is_real
from ..exceptions import InputError
from ._long_rows import is_nullable, join_ids

# Suffix that pandas appends to a repeated title, as in "gene.1".
_REPEATED = re.compile(r"\.\d+$")
# Characters that separate the words of a title, without brackets, and the pattern of a word.
_BETWEEN = " \t_.:;,/|-"
_WORD = re.compile(r"[^\s_.:;,/|()\[\]-]+")


def read_pairs(columns, frame, caller, missing_ids):
    """Read a table with two columns for each voter: the items, and a number for each item.

    Parameters
    ----------
    columns : Columns
        The columns of the table.
    frame : DataFrame
        The table itself. If it is a pandas frame, several columns may have the same title.
    caller : str
        Name of the constructor for messages.
    missing_ids : {"error", "drop"}
        Whether to raise an error for an item without a number, or to drop the item.

    Returns
    -------
    voters : list
        Names of the voters, one for each pair.
    rows : dict
        The columns `voter` (positions in `voters`), `item` and `score`. If a row of the table contains only a number,
        its item is missing.
    plain_ids : bool
        False if a column of items has a nullable pandas dtype; the encoded ids should then keep this dtype.
    """
    titles = columns.available
    if len(titles) % 2 or not titles:
        raise InputError(
            f"With pairs=True, `frame` of {caller} must have two columns for each voter: the items, then their "
            f"numbers; got {len(titles)} column{'s' * (len(titles) != 1)}. Drop other columns."
        )
    series = [frame.iloc[:, k] if columns.is_pandas else columns.series(title) for k, title in enumerate(titles)]
    voters = pair_names(titles)
    lengths, items, numbers = [], [], []
    for k, voter in enumerate(voters):
        item = series[2 * k].reset_index(drop=True)
        number = series[2 * k + 1].reset_index(drop=True)
        known, has_number = item.notna().to_numpy(), number.notna().to_numpy()
        if has_number.any() and not _is_numeric(_inferred(number[has_number])):
            raise _wrong_kind(item, number, titles[2 * k : 2 * k + 2], voter, caller)
        bare = known & ~has_number
        if bare.any() and missing_ids != "drop":
            raise InputError(
                f"Each item passed to {caller} must have a number in the next column; {int(bare.sum())} items of voter "
                f"{voter!r} have none, the first in row {int(bare.argmax())}. Pass missing_ids='drop' to drop them."
            )
        lengths.append(int(has_number.sum()))  # rows without a number are blank, or are dropped
        if lengths[-1]:
            items.append(item[has_number])
            numbers.append(_inferred(number[has_number]))
    if not items:
        raise InputError(f"`frame` of {caller} must have at least one item with a number; got none.")
    rows = {
        "voter": np.repeat(np.arange(len(voters)), lengths),
        "item": join_ids(items),
        "score": pd.concat(numbers, ignore_index=True),
    }
    return voters, rows, not (columns.is_pandas and any(is_nullable(one.dtype) for one in series[::2]))


def _inferred(values):
    try:
        return values.infer_objects()
    except OverflowError:  # pandas 2 converts integers to floats, and some integers are too large
        return values


def _is_numeric(values):
    return pd.api.types.is_numeric_dtype(values.dtype) and values.dtype.kind not in "bc"


def _can_be_number(cell):
    """Return True for a number, a bool or the text of a number, but False for NaN."""
    try:
        return (
            not np.isnan(float(cell))
            if isinstance(cell, str)
            else isinstance(cell, bool) or (is_real(cell) and cell == cell)
        )
    except ValueError:
        return False


def _wrong_kind(item, number, titles, voter, caller):
    if _is_numeric(item) and not any(map(_can_be_number, number)):
        return InputError(
            f"`frame` of {caller} must have the items of voter {voter!r} before their numbers; column {titles[0]!r} "
            f"has numbers, and column {titles[1]!r} has none. Swap the two columns of each pair."
        )
    return InputError(
        f"Column {titles[1]!r} of {caller} must have the numbers of the items in column {titles[0]!r}; its dtype is "
        f"{number.dtype}. Convert it with pandas.to_numeric."
    )


def pair_names(titles):
    """Name the voter of each pair of columns by the words that both titles share, or by the title of the first column.

    `titles` contains the two titles of the first pair, then the two titles of the second pair, and so on.

    If the titles do not distinguish the pairs, the voters are numbered from 1.

    >>> from skrankagg._data._column_pairs import pair_names
    >>> pair_names(["Smith gene", "Smith p", "Wu gene", "Wu p"]), pair_names(["Smith", "p", "Wu", "p.1"])
    (['Smith', 'Wu'], ['Smith', 'Wu'])
    >>> pair_names(["gene", "p", "gene.1", "p.1"])
    [1, 2]
    """
    pairs = list(zip(titles[::2], titles[1::2], strict=True))
    shared = [_shared(*pair) for pair in pairs]
    if all(one is not None for one in shared) and len(set(shared)) == len(pairs):
        return shared
    first = [_REPEATED.sub("", one) if isinstance(one, str) else one for one, _ in pairs]
    return [one for one, _ in pairs] if len(set(first)) == len(pairs) else list(range(1, len(pairs) + 1))


def _shared(first, second):
    """Return the common part of two titles: upper levels of a header, or words at the beginning or end.

    Returns None if the titles have no common part.
    """
    if isinstance(first, tuple) and isinstance(second, tuple):
        n_same = next((k for k, both in enumerate(zip(first, second, strict=False)) if both[0] != both[1]), len(first))
        return None if n_same == 0 else first[0] if n_same == 1 else first[:n_same]
    if not (isinstance(first, str) and isinstance(second, str)):
        return None
    return _beginning(first, second) or _end(first, second) or None


def _beginning(first, second):
    """Return the words at the beginning of both titles, in the spelling of the first title."""
    words, others = (list(_WORD.finditer(title)) for title in (first, second))
    n_same = _n_same(words, others)
    stop = words[n_same].start() if n_same < len(words) else len(first)
    return first[:stop].rstrip(_BETWEEN + "([").lstrip() if n_same else ""


def _end(first, second):
    """Return the words at the end of both titles, in the spelling of the first title."""
    words, others = (list(_WORD.finditer(title))[::-1] for title in (first, second))
    n_same = _n_same(words, others)
    start = words[n_same].end() if n_same < len(words) else 0
    found = first[start:].lstrip(_BETWEEN).rstrip() if n_same else ""
    return found[1:-1] if found[:1] + found[-1:] in {"()", "[]"} else found


def _n_same(words, others):
    """Return the number of equal words at the beginning of two lists of words."""
    most = min(len(words), len(others))
    return next((k for k in range(most) if words[k][0] != others[k][0]), most)
