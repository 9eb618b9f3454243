"""Reading of a user's matrix of numbers, and of the names of its rows and columns."""

import numpy as np
import pandas as pd

from .._support._values import show
from ..exceptions import InputError, InputTypeError


def read_cells(values, caller, *, name="`values`", row="item", column="voter"):
    """Convert a matrix of numbers to float64, with NaN for missing cells; a matrix of integers keeps its dtype.

    Error messages call the matrix `name`; `row` and `column` are the words for a row and for a column.

    >>> from skrankagg._data._matrix_cells import read_cells
    >>> read_cells([[2, 1]], "from_matrix"), read_cells([[2, None]], "from_matrix")
    (array([[2, 1]]), array([[ 2., nan]]))
    """
    if isinstance(values, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(values), None, values.data.astype(object))
    try:
        cells = np.asarray(values)
    except (TypeError, ValueError):  # the rows have different lengths or are nested too deeply
        cells = np.array(None)
    if cells.ndim == 0 or cells.dtype.kind not in "biufO":
        held = "" if cells.ndim == 0 else f" of dtype {cells.dtype}"
        raise InputTypeError(
            f"{name} of {caller} must be a matrix of numbers with rows of equal length, one row for each {row} and "
            f"one column for each {column}; got {show(values)}{held}. Convert text with float; pass dicts keyed by "
            f"voter to RankedLists.{'from_lists' if row == 'item' else 'from_runs'}."
        )
    if cells.ndim != 2:
        raise InputError(
            f"{name} of {caller} must be a matrix with a row for each {row} and a column for each {column}; got "
            f"{cells.ndim} dimension(s)."
        )
    if cells.dtype.kind == "O":
        cells = np.array([_as_cell(one, caller, name) for one in cells.ravel()], dtype=np.float64).reshape(cells.shape)
    return cells if cells.dtype.kind in "iu" else cells.astype(np.float64)


def read_names(names, what, size, caller, turned=None):
    """Return the names of the rows or columns as a list; if `names` is None, the names are 0, 1, 2, and so on.

    `turned` is the number of names that the transposed matrix would need. If `names` has this length, the error message
    suggests transposing. None means that the matrix cannot be transposed.
    """
    if names is None:
        return list(range(size))
    if isinstance(names, str | bytes) or not np.iterable(names):
        raise InputTypeError(f"`{what}` of {caller} must be a sequence of names; got {show(names)}. Write a list.")
    names = list(names)
    try:
        n_different = len(set(names))
    except TypeError as error:
        raise InputTypeError(
            f"`{what}` of {caller} must be hashable, such as str or int; got {show(names)} ({error}). Convert them, "
            "for example with str."
        ) from None
    if len(names) != size or n_different != size:
        one = {"queries": "query"}.get(what, what[:-1])
        fits = len(names) == turned != size
        turn = " Pass rows='voters' if each row of the matrix is the list of a voter." if fits else ""
        raise InputError(
            f"`{what}` of {caller} must be {size} different names, one for each {one} in the matrix; got "
            f"{len(names)} names, {n_different} of them distinct.{turn}"
        )
    return names


def check_ranks(matrix, items, voters, caller):
    """Raise InputError if a rank is negative."""
    if (matrix < 0).any():
        item, voter = np.argwhere(matrix < 0)[0].tolist()
        raise InputError(
            f"`values` of {caller} must be ranks, where 1 is the best; got {matrix[item, voter]:g} for item "
            f"{show(items[item])} and voter {show(voters[voter])}. Pass kind='score' if these are scores."
        )


def _as_cell(one, caller, name):
    if one is None or one is pd.NA:
        return np.nan
    try:
        if not isinstance(one, str | bytes):  # float would convert text
            return float(one)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"Each cell of {name} of {caller} must be a number, None or NaN; got {show(one)}. Convert it with float."
    )
