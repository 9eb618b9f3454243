"""Reading of ballots from a table of ranks, or from a table of names, such as one with a column for each place."""

import re
from collections.abc import Hashable
from itertools import groupby

import numpy as np
import pandas as pd

from .._support._checks import check_choice
from .._support._values import is_finite, show
from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning, InputError
from ._ballots import as_counts, split_level
from ._frames import EXACT_LIMIT
from ._matrices_of_lists import are_permutations, as_table, look_like_ballots, warn_of_rows
from ._matrix_cells import read_cells
from ._titles import canonical

# Titles of columns that contain places, such as "first", "2nd" or "choice 3".
_PLACE = re.compile(r"(first|second|third|\d+(st|nd|rd|th)\b|(rank|choice|place|preference|pref)[\s._-]?\d)", re.I)
_CANDIDATES = {"candidate", "candidates", "items", "option", "options"}
_VOTERS, _COUNTS = {"ballot", "ballots", "voters", "id"}, {"count", "counts", "votes", "number", "n", "weight"}


def read_ballot_table(frame, counts, cells, rows, caller):
    """Return the distinct ballots of a table as lists of levels, and the count of each ballot.

    A level is a list of tied candidates. Ballots without any candidate are left out. `cells` states whether the cells
    contain ranks or items. `rows` states whether each row is an item or a voter. None means that this is inferred from
    the table.
    """
    check_choice("cells", cells, (None, "rank", "item"))
    check_choice("rows", rows, (None, "items", "voters"))
    table = as_table(frame, caller)
    names = list(table.columns)
    if len(set(names)) != len(names):
        raise InputError(
            f"`ballots` of {caller} must have columns of different names; got {show(names)}. Rename repeated columns."
        )
    if isinstance(counts, str):
        if counts not in names:
            raise InputError(
                f"`counts` must be a sequence of numbers or the name of a column; got {counts!r}. The columns are "
                f"{names}."
            )
        table, counts, by_column = table.drop(columns=counts), table[counts].tolist(), True
    else:
        by_column = False
    table = _without_blank_text(table)
    text = [name for name in table.columns if not _is_numeric(table[name], caller)]
    owner = _find_owner(table, text, cells)
    if cells is None:
        cells = _find_cells(table, text, owner, caller)
    if cells == "item":
        _refuse_column_of_voters(table, owner, caller)
        if rows == "items":
            raise InputError(
                "`rows` must be None or 'voters' if the cells are names; got 'items'. Use RankedLists.from_wide if "
                "each column is a ballot."
            )
        return _from_names(table.drop(columns=[] if owner is None else [owner]), counts, caller)
    if owner is not None:
        table = table.set_index(owner)
        rows = rows or _rows_of_title(owner)
    if by_column:
        if rows == "items":
            raise InputError(
                "If each row is a candidate, `counts` must be a sequence of numbers, one for each voter; got the name "
                "of a column. Pass rows='voters' if each row is a ballot."
            )
        rows = "voters"
    return _from_ranks(table, counts, rows, caller)


def _without_blank_text(table):
    """Replace blank text by missing values in columns that also contain numbers, and return the new table."""
    mixed = {}
    for name in table.columns:
        column = table[name]
        if column.dtype == object and column.map(_is_blank).any() and column.map(is_finite).any():
            mixed[name] = column.where(~column.map(_is_blank), None)
    return table.assign(**mixed) if mixed and all(isinstance(name, str) for name in mixed) else table


def _is_blank(cell):
    return isinstance(cell, str) and not cell.strip()


def _refuse_column_of_voters(table, owner, caller):
    """Raise an error if all titles except the first are places, such as "1st".

    The first column then probably contains the voters.
    """
    if owner is not None or not len(table.columns):
        return
    first, *others = table.columns
    if others and not _is_place(first) and all(map(_is_place, others)):
        raise InputError(
            f"The titles of all columns of `ballots` of {caller} must be places, such as '1st' or 'rank 1'; only "
            f"{show(first)} is not a place. If this column contains the voters, drop it or rename it 'voter'."
        )


def _is_place(title):
    return isinstance(title, str) and _PLACE.match(title.strip()) is not None


def _is_numeric(column, caller):
    """Return True if a column contains only numbers and missing cells."""
    if pd.api.types.is_bool_dtype(column.dtype):
        raise InputError(
            f"Column {show(column.name)} of the table passed to {caller} must contain ranks or names; it contains True "
            "and False. Write rank 1 for each approved candidate, and leave the other cells empty."
        )
    if pd.api.types.is_numeric_dtype(column.dtype):
        return True
    return not any(isinstance(one, str) or not np.isscalar(one) for one in column[column.notna()])


def _find_owner(table, text, cells):
    """Return the title of the column with the names of the rows, or None if the index contains these names.

    The rows of a table are candidates or voters.
    """
    first = next(iter(table.columns), None)
    if first not in text or len(table.columns) == 1:
        titled = _names_voters(first) if cells == "item" else _rows_of_title(first) is not None
        return first if len(table.columns) > 1 and titled else None
    others = [name for name in table.columns if name != first]
    if cells != "item" and text == [first] and not _is_empty(table, others):
        return first
    return first if _names_voters(first) else None


def _is_empty(table, names):
    """Return True if all cells of the given columns are missing, or if no columns are given."""
    chosen = [k for k, name in enumerate(table.columns) if name in names]  # True as a title would select rows
    return bool(table.iloc[:, chosen].isna().to_numpy().all())


def _names_voters(title):
    return _rows_of_title(title) == "voters"


def _rows_of_title(title):
    """Return "voters" or "items" if the title describes a column with names of voters or items, otherwise None."""
    if not isinstance(title, str):
        return None
    plain = title.strip().casefold()
    if canonical(title) == "voter" or plain in _VOTERS:
        return "voters"
    return "items" if canonical(title) == "item" or plain in _CANDIDATES else None


def _find_cells(table, text, owner, caller):
    """Return "rank" or "item" for the contents of the cells; raise an error if the contents are mixed or ambiguous."""
    others = [name for name in table.columns if name != owner]
    numeric = [name for name in others if name not in text]
    likely = [name for name in numeric if isinstance(name, str) and name.strip().casefold() in _COUNTS]
    if text and likely:
        raise InputError(
            f"`counts` of {caller} must name the column with the number of voters of each ballot. Column "
            f"{likely[0]!r} probably contains these numbers. Pass counts={likely[0]!r}."
        )
    if len(numeric) < len(others) and _is_empty(table, numeric):
        _refuse_numbers_as_text(table, others, caller)
        return "item"
    if len(numeric) < len(others):
        for name in text:
            word = next((one for one in table[name] if isinstance(one, str)), None)
            if word is not None and table[name].map(is_finite).any():
                raise InputError(
                    f"`ballots` of {caller} must be a table of ranks or of names; column {show(name)} contains numbers "
                    f"and the text {show(word)}. Leave cells without a rank empty."
                )
        word = next(name for name in others if name in text)
        raise InputError(
            f"`ballots` of {caller} must be a table of ranks or of names; column {show(word)} contains text, and "
            f"{show(numeric[0])} contains numbers. Pass counts= for a column of counts, or drop one of the columns."
        )
    if not _is_empty(table, numeric) and any(map(_is_place, numeric)):
        raise InputError(
            f"`cells` of {caller} must be 'rank' or 'item' if the titles of the columns are places and the cells are "
            f"numbers; got None. Pass cells='item' if the numbers are the candidates."
        )
    return "rank"


def _refuse_numbers_as_text(table, others, caller):
    """Raise an error if all cells, except perhaps in the first column, are numbers written as text, such as ranks."""
    words = [name for name in others if not table[name].map(_is_number_as_text).all()]
    rest = [name for name in others if name not in words and table[name].notna().any()]
    if not rest or words not in ([], others[:1]) or any(map(_is_place, rest)):
        return
    raise InputError(
        f"`cells` of {caller} must be 'rank' or 'item' if cells contain numbers written as text; got None, and column "
        f"{show(rest[0])} contains such cells. If the numbers are ranks, convert them with pandas.to_numeric; if the "
        "numbers are candidates, pass cells='item'."
    )


def _is_number_as_text(cell):
    if not isinstance(cell, str):
        return pd.isna(cell) is True
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def _merge(codes):
    """Find equal rows of a matrix of codes, and number the groups of equal rows in order of appearance.

    Returns the position of the first row of each group, and the group number of each row.
    """
    _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[inverse.ravel()]


def _total(counts, n, group, n_groups, caller):
    """Add up the counts of each group of equal ballots; if `counts` is None, each ballot counts once."""
    if counts is None:
        return np.bincount(group, minlength=n_groups).tolist()
    counts = as_counts(counts, caller)
    if len(counts) != n:
        raise InputError(
            f"`counts` of {caller} must have one number for each ballot; got {len(counts)} numbers and {n} ballots."
        )
    total = [0] * n_groups
    for k, count in zip(group.tolist(), counts, strict=True):
        total[k] += count
    return total


def _from_ranks(table, counts, rows, caller):
    matrix = read_cells(table, caller).astype(np.float64)
    known = matrix[~np.isnan(matrix)]
    if not len(known):
        raise InputError(f"`ballots` of {caller} must have at least one rank; got none. Check the columns.")
    if not np.isfinite(known).all() or known.min() < 0:
        bad = known[~(np.isfinite(known) & (known >= 0))][0]
        raise InputError(
            f"`ballots` of {caller} must contain finite ranks of at least 0; got {bad:g}. Give the best candidate "
            "rank 1, and leave cells without a rank empty."
        )
    rows = rows or _find_rows(table, matrix, caller)
    items = list(table.columns if rows == "voters" else table.index)
    if len(set(items)) != len(items) or any(pd.isna(one) is True for one in items):
        raise InputError(
            f"`ballots` of {caller} must have a different name for each candidate; got {show(items)}. Rename repeated "
            "candidates."
        )
    matrix = matrix if rows == "voters" else matrix.T
    first, group = _merge(np.where(np.isnan(matrix), -1.0, matrix))
    ballots = []
    for row in matrix[first]:
        ranked = sorted((rank, k) for k, rank in enumerate(row.tolist()) if rank == rank)
        ballots.append([[items[k] for _, k in level] for _, level in groupby(ranked, key=lambda pair: pair[0])])
    return _without_blank(ballots, caller, _total(counts, len(matrix), group, len(first), caller))


def _find_rows(table, matrix, caller):
    """Return "items" if each row of a table of ranks is a candidate, or "voters" if each row is a ballot.

    Rows or columns can be ballots if the lowest rank in each of them is 1. If only the columns can be ballots, the rows
    are candidates. If only the rows can be ballots, the result is "voters" for rows without names; rows with names
    raise an error. If both or neither can be ballots, rows with names are candidates; rows without names raise an
    error.
    """
    columns, rows = look_like_ballots(matrix.T), look_like_ballots(matrix)
    numbered = list(table.index) == list(range(len(table)))
    if not numbered and (columns or not rows):
        if are_permutations(matrix) and not are_permutations(matrix.T):
            warn_user(
                f"{caller} reads rows as candidates and columns as ballots, but only the rows look like ballots: each "
                f"row contains the same {matrix.shape[1]} ranks. Pass rows='voters' if each row is the list of a "
                "voter, otherwise rows='items'.",
                AmbiguousInputWarning,
            )
        else:
            warn_of_rows(matrix, table.index, caller)
        return "items"
    if numbered and columns != rows:
        return "items" if columns else "voters"
    seen = "only the rows look like ballots" if not numbered else "the ranks do not show what the rows are"
    raise InputError(
        f"`rows` of {caller} must be 'items' or 'voters'; got None, and {seen}. Pass 'voters' if the rows are ballots."
    )


def _from_names(table, counts, caller):
    columns = [_as_objects(table[name]) for name in table.columns]
    cells = np.empty((len(table), len(columns)), dtype=object)
    for k, column in enumerate(columns):
        # Lists of tied candidates become tuples, which can be counted.
        cells[:, k] = [one if one is None or isinstance(one, Hashable) else tuple(one) for one in column]
    codes, known = pd.factorize(cells.ravel())
    first, group = _merge(codes.reshape(cells.shape))
    if cells.shape[1] == 1:  # each cell is a whole ballot
        ballots = [one if one is None or isinstance(one, str) else [one] for one in cells[first, 0]]
        ballots = [[] if one is None or not str(one).strip() else one for one in ballots]
    else:
        levels = [_level(one, caller) for one in known]
        ballots = [[levels[k] for k in row if k >= 0 and levels[k]] for row in codes.reshape(cells.shape)[first]]
    return _without_blank(ballots, caller, _total(counts, len(cells), group, len(first), caller))


def _as_objects(column):
    """Convert a column to objects, with None for missing cells; if all floats are whole, they become integers."""
    known = column[column.notna()]
    if column.dtype.kind == "f" and (known % 1 == 0).all() and (known.abs() < EXACT_LIMIT).all():
        column = column.astype("Int64")
    return column.astype(object).where(column.notna(), None)


def _level(cell, caller):
    """Return a list of the candidates in a cell of a table of names; the list is empty for a blank cell."""
    if not isinstance(cell, str):
        return list(cell) if isinstance(cell, tuple) else [cell]
    if ">" in cell:
        raise InputError(
            "In a table with several columns, each cell must contain the candidates of one place, such as 'B = C'; got "
            f"{show(cell)}. Pass whole ballots to {caller} in a single column."
        )
    return split_level(cell) if cell.strip() else []


def _without_blank(ballots, caller, counts):
    """Return the ballots that contain at least one candidate, and their counts."""
    kept = [k for k, ballot in enumerate(ballots) if len(ballot)]
    if not kept:
        raise InputError(f"`ballots` of {caller} must have at least one candidate; got none. Check the columns.")
    return [ballots[k] for k in kept], [counts[k] for k in kept]
