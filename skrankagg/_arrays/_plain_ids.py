"""Items of one query as plain ids: numbering and ordering.

For a few hundred ids both cost less than one operation of a data frame; :func:`skrankagg.fuse` uses them.

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


def number_items(lists, n_rows):
    """Number the ids of the lists of one query in order of appearance.

    Lists are lists of ids, with `n_rows` ids in total. Returns the distinct ids and the number of each row's id, int64
    of shape (n_rows,), read-only. Then come the first row that repeats an id of its own list, and the first row whose
    id has another type than the first id; -1 for none. Rows from such a row on are not numbered.
    """
    return _kernels.number_items(lists, n_rows)


def gather_scores(lists, n_rows):
    """Gather the scores of lists, `n_rows` in total.

    Returns the scores in one array, float64, read-only; the largest absolute score, infinite if a score is NaN; and
    whether each list is in descending order. Raises TypeError if a score is neither float nor int, and OverflowError if
    an int is too large.
    """
    return _kernels.gather_scores(lists, n_rows)


def best_first(items, score, support, tolerance, support_tolerance, find_source=None, top=None):
    """Order the items of one query: a list of (id, score), the `top` best, or all if it is None.

    Items are sorted by descending score (n_items,), then by descending support (n_items,), then by id. Neighbours
    within the tolerance are equal, and get their highest score. `find_source` is called if unequal scores would be
    equal. It gives the only source of each score, int (n_items,), -1 for several and -2 for none. Unequal scores of one
    source, or of one source and none, are never equal.
    """
    order = np.argsort(-score)  # the order of equal scores does not matter
    top = len(items) if top is None else min(top, len(items))
    return _kernels.best_first(items, order, score, support, tolerance, support_tolerance, find_source, top)
