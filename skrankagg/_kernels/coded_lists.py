"""Codes and scores of the plain Python lists of many queries.

Unlike most kernels, this kernel accepts Python dicts and lists, because the conversion to arrays would take most of the
time.
"""

import numpy as np

from . import _coded_lists

#: True if the kernel is compiled; as plain Python, it is slower than the general code.
IS_COMPILED = not _coded_lists.__file__.endswith(".py")


def code_lists(lists, n_rows):
    """Number the ids of lists in order of appearance, and gather their scores; return None for unusual input.

    Usual lists are dicts of id to score, or lists of ids or of tuples (id, score). They are not empty. Either all lists
    have scores, or no list has scores. All ids are texts, or all ids are integers, and no list repeats an id. Scores
    are finite floats, or integers below 2**53. Any other input is unusual. If the kernel is not compiled, every input
    is treated as unusual. `n_rows` is the number of ids in all lists.

    Returns a list of the distinct ids, the number of each row's id (int64 of shape (n_rows,)), and the score of each
    row (float64 of shape (n_rows,)) or None.
    """
    found = _coded_lists.code_lists(lists, n_rows) if IS_COMPILED else None
    if found is None:
        return None
    items, code, score, scored = found
    return items, np.asarray(code), np.asarray(score) if scored else None
