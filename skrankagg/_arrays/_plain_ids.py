"""Numbering and ordering of one query's items, given as Python lists of ids instead of a data frame.

For a few hundred ids, these functions are faster than a single operation on a data frame. :func:`skrankagg.fuse` uses
them.

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

#: Up to this number of scores, a stable sort takes no longer than another sort.
FEW = 400


def number_items(lists, n_rows):
    """Number the ids of the lists of one query in order of appearance.

    `lists` contains lists of ids, with `n_rows` ids in total. Returns four values. The first is a list of the distinct
    ids. The second contains the number of each row's id, read-only int64 of shape (n_rows,). The third is the first row
    that repeats an id of its own list, or -1 if no row does. The fourth is the first row with an id whose type differs
    from the type of the first id, or -1 if there is no such row. Numbering stops at such a row.
    """
    return _kernels.number_items(lists, n_rows)


def gather_scores(lists, n_rows):
    """Gather the scores of all lists; `n_rows` is the total number of scores.

    Returns three values. The first is a read-only float64 array of all scores. The second is the largest absolute
    score, which is infinite if a score is NaN. The third is True if each list is in descending order. Raises TypeError
    if a score is neither float nor int, and OverflowError if an int is too large.
    """
    return _kernels.gather_scores(lists, n_rows)


def code_lists(lists, n_rows):
    """Number the ids of the lists of many queries, and gather the scores; return None if the kernel cannot read them.

    See :func:`skrankagg._kernels.coded_lists.code_lists`.
    """
    return _kernels.code_lists(lists, n_rows)


def codes_lists():
    """Return True if the kernel of :func:`code_lists` is compiled; otherwise that function always returns None."""
    return _kernels.coded_lists.IS_COMPILED


def best_first(items, score, support, tolerance, support_tolerance, find_source=None, top=None):
    """Order the items of one query; return a list of (id, score) with the `top` best items, or all if `top` is None.

    Items are sorted by descending `score`, then by descending `support`, both of shape (n_items,), then by id. The
    support of an item is the total weight of the lists that contain it.

    Neighbouring scores within the tolerance count as equal, and all of these items get the highest of their scores. If
    different scores would count as equal, `find_source` is called. For each item, it returns the number of the only
    list that contributes to the score, in an array of shape (n_items,). -1 means that several lists contribute, and -2
    means that no list contributes. Two different scores never count as equal if the same single list contributes to
    both. They also never count as equal if exactly one list contributes to one score, and no list contributes to the
    other score.
    """
    # The order of equal scores matters only for zeros of both signs. A stable sort of many scores would be slow.
    order = np.argsort(-score, kind="stable" if len(score) <= FEW else None)
    top = len(items) if top is None else min(top, len(items))
    return _kernels.best_first(items, order, score, support, tolerance, support_tolerance, find_source, top)
