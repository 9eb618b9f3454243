"""Checks of matrices and ballots: recognition of matrices, the axis of the voters, and the range of p-values."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .._support._values import is_real
from .._support._warn import warn_user
from ..exceptions import AmbiguousInputWarning, InputError
from ._frames import Columns, is_frame
from ._titles import canonical

#: Number of rows that are sorted at a time, to limit the memory.
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


def holds_matrices(given):
    """Return True if all values of a dict are matrices of numbers: arrays, data frames, or lists of lists.

    A data frame with a title such as "item" is not a matrix. A list of tuples is not a matrix either, because it may
    contain (item, score) pairs.

    >>> import numpy as np
    >>> from skrankagg._data._matrices_of_lists import holds_matrices
    >>> holds_matrices({"lr": np.ones((3, 2))}), holds_matrices({"lr": np.ones(3)}), holds_matrices({"lr": ["d1"]})
    (True, False, False)
    """
    return isinstance(given, Mapping) and len(given) > 0 and all(map(_is_matrix, given.values()))


def _is_matrix(one):
    if isinstance(one, np.ndarray):
        return one.ndim == 2 and one.dtype.kind in "iuf"
    if isinstance(one, list):
        return (
            len(one) > 0
            and all(isinstance(row, list) and len(row) == len(one[0]) > 1 for row in one)
            and all(is_real(cell) for row in one for cell in row)
        )
    if not isinstance(one, pd.DataFrame) or any(isinstance(title, str) and canonical(title) for title in one):
        return False
    return len(one.columns) > 1 and all(pd.api.types.is_numeric_dtype(kind) for kind in one.dtypes)


def warn_of_rows(matrix, index, caller, *, ranks=False):
    """Warn if the rows of a matrix may be voters.

    A warning is issued if there are more rows than columns, and the rows are numbered from 0 or are permutations of the
    same numbers. With `ranks`, a warning is also issued if each row contains a rank 1, but some columns do not. `index`
    contains the names of the rows; None means that the rows have no names.
    """
    n_rows, n_columns = matrix.shape
    if n_rows > n_columns and (index is None or list(index) == list(range(n_rows))):
        what = f"There are more rows than columns, and the {n_rows} rows are numbered"
    elif n_rows > n_columns > 1 and are_permutations(matrix):
        same = f"each of the {n_rows} rows has the same {n_columns} numbers, as in a ballot"
        what = f"There are more rows than columns, and {same}"
    elif ranks and look_like_ballots(matrix) and not look_like_ballots(matrix.T):
        what = "Each row contains a rank 1, as a ballot does, but some columns do not"
    else:
        return
    warn_user(
        f"{caller} reads rows as items and columns as voters. {what}. Pass rows='voters' if each row is the list of a "
        "voter, otherwise rows='items'.",
        AmbiguousInputWarning,
    )


def check_pvalues(matrix, items, voters, lower_is_better):
    """Raise InputError if a cell of a matrix does not contain a p-value from 0 to 1."""
    if not isinstance(lower_is_better, bool | np.bool_):
        raise InputError(
            "`lower_is_better` must be left out if kind='pvalue', because lower p-values are always better; got "
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


def look_like_ballots(matrix):
    """Return True if the lowest rank in each row is 1; rows without ranks do not count."""
    best = np.where(np.isnan(matrix), np.inf, matrix).min(axis=1, initial=np.inf)
    return bool((best[np.isfinite(best)] == 1).all())


def are_permutations(matrix):
    """Return True if all rows contain the same numbers, and if no row contains a number twice."""
    first = np.sort(matrix[0])
    if not (first[1:] > first[:-1]).all():
        return False
    parts = (np.sort(matrix[start : start + _ROWS], axis=1) for start in range(0, len(matrix), _ROWS))
    return all(bool((part == first).all()) for part in parts)
