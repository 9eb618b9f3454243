"""Grades of the ranked items of many queries, from dicts of scores and dicts of grades.

Unlike most kernels, this kernel accepts Python dicts, because the conversion to arrays would take most of the time.
"""

import numpy as np

from . import _graded_dicts
from .loading import VI

#: True if the kernel is compiled; as plain Python, it is slower than the general code.
IS_COMPILED = not _graded_dicts.__file__.endswith(".py")


def grade_dicts(run, qrels):
    """Rank the items of each judged query and look up their grades; return None for unusual input.

    `run` is a dict from query to dict of item to score, and `qrels` is a dict from query to dict of item to grade. The
    queries of both are texts, or the queries of both are integers. Scores and grades are finite floats, or integers
    below 2**53. Items of equal score are all texts or all integers. At least one item of the run is judged. Any other
    input is unusual. If the kernel is not compiled, every input is treated as unusual, because NumPy is then faster.

    Returns six objects. The first two are the grade (NaN if not judged) and the score of each item of the judged
    queries. The third is a pointer array that delimits the items of each query. The queries are in the order of the
    judgements, and their items are sorted by descending score and then by id. The fourth contains the grades of all
    judged items, in descending order for each query. The fifth is a pointer array that delimits these grades. The last
    is a list with the sorted items of each query, or None for a query that the run lacks.
    """
    found = _graded_dicts.grade_dicts(run, qrels, _order_many) if IS_COMPILED else None
    return None if found is None else (*map(np.asarray, found[:-1]), found[-1])


def _order_many(values):
    """Return the positions that sort a vector of values, largest first."""
    return VI(np.argsort(-np.asarray(values)))
