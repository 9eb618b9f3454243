"""The items of one query as plain ids: numbered, and put in order.

Both cost less for a few hundred ids than one operation of a data frame, and serve :func:`skrankagg.fuse`.

>>> import numpy as np
>>> from skrankagg._arrays._plain_ids import best_first, number_items
>>> items, code, repeated, odd = number_items([["x", "b"], ["b", "a"]], 4)
>>> items, code.tolist(), repeated, odd
(['x', 'b', 'a'], [0, 1, 1, 2], -1, -1)
>>> best_first(items, np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0, 1.0]), 1e-12, 1e-12)
[('b', 2.0), ('a', 1.0), ('x', 1.0)]
"""

import numpy as np

from .. import _kernels

__all__ = ["best_first", "gather_scores", "number_items"]


def number_items(lists, n_rows):
    """Number the ids of the lists of one query in the order in which they first come.

    Lists are lists of ids, `n_rows` of them altogether. Returns the distinct ids; the number of each row's id, int64 of
    shape (n_rows,), read-only; the first row that repeats an id of its own list; and the first whose id is of another
    type than the first id; -1 for none. Nothing is numbered from such a row on.
    """
    return _kernels.number_items(lists, n_rows)


def gather_scores(lists, n_rows):
    """Gather the scores of lists, `n_rows` of them altogether.

    Returns them in one array, float64, read-only; the largest size of one, infinite where one is NaN; and whether each
    list falls. Raises TypeError where one is neither float nor int, and OverflowError where an int is too large.
    """
    return _kernels.gather_scores(lists, n_rows)


def best_first(items, score, support, tolerance, support_tolerance, find_source=None, top=None):
    """Put the items of one query in order: a list of (id, score), the `top` best, or all where it is None.

    By descending score (n_items,), equal ones by descending support (n_items,), and then by id. Neighbours that are no
    further apart than the tolerance are equal, and have the highest score of them. `find_source`, called where unequal
    scores would be equal, gives the only source of each score, int (n_items,), -1 for several and -2 for none: unequal
    scores of one source, or of one and none, are never equal.
    """
    order = np.argsort(-score)  # the order of equal scores decides nothing
    top = len(items) if top is None else min(top, len(items))
    return _kernels.best_first(items, order, score, support, tolerance, support_tolerance, find_source, top)
