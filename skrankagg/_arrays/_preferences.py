"""Quantities derived from a matrix of pairwise preferences: margins, ties, and the number of items below each item.

>>> import numpy as np
>>> from skrankagg._arrays._preferences import margins
>>> margins(np.array([[0.0, 2.0], [1.0, 0.0]]))
array([[ 0., -1.],
       [ 1.,  0.]])
"""

import numpy as np

from . import TOLERANCE
from ._pairwise import preference_matrix


def query_preferences(lists, q, absent):
    """Return two matrices of list weights for the pairs of items of query `q`: for preferences, and for ties.

    Both matrices have shape (n, n), and their rows and columns are the items of the query. The first contains the total
    weight of the lists that prefer the row's item to the column's item. The second contains the total weight of the
    lists that tie the two items.
    """
    prefer, both = preference_matrix(lists, q, absent=absent)
    if absent == "last":
        both = lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]].sum()
    return prefer, ties(prefer, both)


def ties(prefer, both):
    """Return the total weight of the lists that compare two items but prefer neither item.

    `prefer` contains the total weight of the lists that prefer the row's item to the column's item. `both` contains the
    total weight of the lists that compare the two items. All arrays have shape (..., n, n).
    """
    # In place, because the matrices may be large.
    tied = prefer + prefer.swapaxes(-1, -2)
    np.subtract(both, tied, out=tied)
    np.maximum(tied, 0.0, out=tied)
    item = np.arange(tied.shape[-1])
    tied[..., item, item] = 0.0
    return tied


def margins(prefer):
    """Return the weight of lists that prefer the column's item, minus the weight of lists that prefer the row's item.

    `prefer` has shape (..., n, n). Row i and column j contain the weight of the lists that prefer item i to item j. The
    result has the same shape. A margin is 0 if the two weights are equal, up to rounding.
    """
    prefer = np.asarray(prefer, dtype=np.float64)
    margin = prefer.swapaxes(-1, -2) - prefer
    # Rounding must not create a majority.
    matrix = {"axis": (-1, -2), "keepdims": True, "initial": 0.0}
    tolerance = TOLERANCE * np.maximum(prefer.max(**matrix), -prefer.min(**matrix))
    margin[(margin <= tolerance) & (margin >= -tolerance)] = 0.0
    return margin


def n_below(rank):
    """For each item, count the items with a worse rank; return float64 of shape (n,)."""
    return len(rank) - np.searchsorted(np.sort(rank), rank, side="right").astype(np.float64)


def n_rows_above(rows):
    """For each row of a matrix, count the rows that are greater in lexicographic order.

    `rows` contains unsigned integers and has shape (..., n, k). Returns float64 of shape (..., n).
    """
    n, width = rows.shape[-2:]
    if width == 0:
        return np.zeros(rows.shape[:-1])
    # The bytes of big-endian numbers have the same order as the numbers, so the bytes of a row can be sorted as text.
    big_endian = np.ascontiguousarray(rows, dtype=rows.dtype.newbyteorder(">"))
    text = big_endian.view(f"S{width * rows.dtype.itemsize}")[..., 0]
    order = np.argsort(text, axis=-1)
    ordered = np.take_along_axis(text, order, axis=-1)
    # Ends of the classes of equal rows. A row ends a class if it is the last row or differs from the next row.
    end = np.full(order.shape, n)
    end[..., :-1] = np.where(ordered[..., 1:] != ordered[..., :-1], np.arange(1, n), n)
    end = np.minimum.accumulate(end[..., ::-1], axis=-1)[..., ::-1]
    above = np.empty(order.shape)
    np.put_along_axis(above, order, (n - end).astype(np.float64), axis=-1)
    return above
