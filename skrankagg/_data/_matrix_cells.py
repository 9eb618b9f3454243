"""Cells of a matrix of numbers, and names of its rows and columns, from whatever a user has."""

import numpy as np
import pandas as pd

from .._support._shown import show
from ..exceptions import InputError, InputTypeError

__all__ = ["check_ranks", "read_cells", "read_names"]


def read_cells(values, caller):
    """Read a matrix of numbers, float64 with NaN for missing cells; integers stay integers, which keeps their order.

    >>> from skrankagg._data._matrix_cells import read_cells
    >>> read_cells([[2, 1]], "from_matrix"), read_cells([[2, None]], "from_matrix")
    (array([[2, 1]]), array([[ 2., nan]]))
    """
    try:
        cells = np.asarray(values)
    except (TypeError, ValueError):  # of rows that differ in length, or too deep
        cells = np.array(None)
    if cells.ndim == 0 or cells.dtype.kind not in "biufO":
        held = "" if cells.ndim == 0 else f" of dtype {cells.dtype}"
        raise InputTypeError(
            f"{caller} expects numbers in rows of one length, items by voters; got {show(values)}{held}. Convert text "
            "with float; dicts by voter are for RankedLists.from_lists."
        )
    if cells.ndim != 2:
        raise InputError(f"{caller} expects a matrix of items by voters; got {cells.ndim} dimension(s).")
    if cells.dtype.kind == "O":
        cells = np.array([_as_cell(one, caller) for one in cells.ravel()], dtype=np.float64).reshape(cells.shape)
    return cells if cells.dtype.kind in "iu" else cells.astype(np.float64)


def read_names(names, what, size, caller, turned=None):
    """Read the names of the rows or the columns as a list; None numbers them from 0.

    `turned` is the size of the matrix the other way round, None where that is no way to read it.
    """
    if names is None:
        return list(range(size))
    if isinstance(names, str | bytes) or not np.iterable(names):
        raise InputTypeError(f"{caller} expects {what} as a sequence of names; got {show(names)}. Write a list.")
    names = list(names)
    try:
        n_different = len(set(names))
    except TypeError as error:
        raise InputTypeError(
            f"{caller} expects {what} that can be hashed, such as str or int; got {show(names)} ({error}). Convert "
            "them, say with str."
        ) from None
    if len(names) != size or n_different != size:
        fits = len(names) == turned != size
        turn = " Pass rows='voters' if each row of the matrix is the list of a voter." if fits else ""
        raise InputError(
            f"{caller} expects {size} different {what}, as the matrix has; got {len(names)}, {n_different} of them "
            f"different.{turn}"
        )
    return names


def check_ranks(matrix, items, voters, caller):
    """Refuse negative numbers as ranks."""
    if (matrix < 0).any():
        item, voter = np.argwhere(matrix < 0)[0].tolist()
        raise InputError(
            f"{caller} expects ranks, 1 for the best; that of item {show(items[item])}, voter {show(voters[voter])} is "
            f"{matrix[item, voter]:g}. Pass kind='score' if these are scores."
        )


def _as_cell(one, caller):
    if one is None or one is pd.NA:
        return np.nan
    try:
        if not isinstance(one, str | bytes):  # which float would read
            return float(one)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"{caller} expects a number in each cell, or None or NaN; one holds {show(one)}. Convert it with float."
    )
