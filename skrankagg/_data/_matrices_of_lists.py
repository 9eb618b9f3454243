"""Checks of matrices of items by voters: their orientation, and the range of p-values."""

import numpy as np
import pandas as pd

from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning, InputError
from ._frames import Columns, is_frame

#: Number of rows that are sorted at a time.
_ROWS = 4096


def as_table(values, caller):
    """Convert a frame of any library to pandas and keep its column names; return any other object unchanged."""
    if isinstance(values, pd.DataFrame | np.ndarray | list | tuple) or not is_frame(values):
        return values
    columns = Columns(values, {}, caller, lazy=False)
    table = {name: columns.series(name) for name in columns.available}
    return pd.DataFrame({
        name: one.to_numpy(dtype=np.float64, na_value=np.nan) if one.hasnans and one.dtype.kind in "iu" else one
        for name, one in table.items()
    })  # fmt: skip


def warn_of_rows(matrix, index, caller):
    """Warn if the rows of a matrix may be voters.

    A warning is issued if there are more rows than columns, and if the rows are numbered or are permutations of the
    same numbers. `index` contains the names of the rows; None means that the rows have no names.
    """
    n_rows, n_columns = matrix.shape
    if n_rows <= n_columns:
        return
    if index is None or list(index) == list(range(n_rows)):
        what = f"the {n_rows} rows are numbered"
    elif n_columns > 1 and are_permutations(matrix):
        what = f"each of the {n_rows} rows has the same {n_columns} numbers, as in a ballot"
    else:
        return
    warn_user(
        f"{caller} reads rows as items and columns as voters. There are more rows than columns, and {what}. Pass "
        "rows='voters' if each row is the list of a voter, or rows='items'.",
        AmbiguousInputWarning,
    )


def check_pvalues(matrix, items, voters, lower_is_better):
    """Raise InputError unless every cell of a matrix contains a p-value from 0 to 1."""
    if not isinstance(lower_is_better, bool | np.bool_):
        raise InputError(
            "`lower_is_better` must be left out with kind='pvalue', where lower is better for all voters; got "
            f"{lower_is_better!r}. Pass kind='score' if some voters have scores."
        )
    bad = ~((matrix >= 0) & (matrix <= 1))
    if bad.any():
        item, voter = np.argwhere(bad)[0].tolist()
        raise InputError(
            f"With kind='pvalue', every cell must contain a number from 0 to 1; {int(bad.sum())} cells do not. The "
            f"first of them contains {matrix[item, voter]:g} for item {items[item]!r} and voter {voters[voter]!r}. If "
            "a voter lacks items, pass kind='score' and lower_is_better=True."
        )


def are_permutations(matrix):
    """Return True if all rows contain the same numbers, and if no row contains a number twice."""
    first = np.sort(matrix[0])
    if not (first[1:] > first[:-1]).all():
        return False
    parts = (np.sort(matrix[start : start + _ROWS], axis=1) for start in range(0, len(matrix), _ROWS))
    return all(bool((part == first).all()) for part in parts)
