"""Fast construction of ranked lists and judgements from usual Python lists and dicts, with a compiled kernel.

Usual lists have ids of one type, and scores that float64 represents exactly. All other lists are read more slowly, as
columns of a frame.
"""

from itertools import chain

import numpy as np
import pandas as pd

from .._arrays._plain_ids import code_lists, codes_lists
from .._arrays._ragged import positions
from ._encoding import encode_lists
from ._id_codes import encode_ids
from ._similar_ids import warn_of_similar_ids

_DEFAULTS = {"lower_is_better": False, "duplicates": "error", "missing_ids": "error", "strip": False, "weights": None}


def encode_usual_runs(cls, runs, options):
    """Encode a dict of voter to run if a fast path can read it; otherwise return None.

    A run is a dict of query to results. The results are a dict of item to score, a list of items, or a list of (item,
    score) tuples. The ids of the voters must be all text or all integers. The same applies to the ids of the queries
    and of the items. `options` contains the options of :meth:`RankedLists.from_runs`, which must have their default
    values.
    """
    if any(type(value) is not type(_DEFAULTS[name]) or value != _DEFAULTS[name] for name, value in options.items()):
        return None
    if not all(type(run) is dict for run in runs.values()):
        return None
    queries = list(chain.from_iterable(runs.values()))
    lists = list(chain.from_iterable(run.values() for run in runs.values()))
    held = _held(lists)
    if held is None or not (_have_one_type(runs) and _have_one_type(queries)):
        return None
    query_code, query_ids = _encode(queries, held)
    voter = np.repeat(np.arange(len(runs)), np.fromiter(map(len, runs.values()), dtype=np.int64, count=len(runs)))
    voter_code, voters = _encode(list(runs), voter[held])
    # Lists are sorted by query and voter, so their rows are already in the order that the encoding needs.
    order = np.lexsort((voter_code, query_code))
    found = _code([lists[v] for v in held[order].tolist()])
    if found is None:
        return None
    lengths, items, item_code, score = found
    columns = _CodedColumns(
        lengths,
        {"query": (query_code[order], query_ids), "voter": (voter_code[order], voters)},
        (item_code, items),
        score,
    )
    encoded = cls(**encode_lists(columns))
    warn_of_similar_ids(encoded, "RankedLists.from_frame")
    return encoded


def code_dict(judgements):
    """Encode a dict of judgements by query if a fast path can read it; otherwise return None.

    The judgements of a query are a dict of item to grade, or a list of relevant items. Queries without items are left
    out. Returns six values. The first three are the ids of the queries, the code of each query, and the number of
    judged items of each query. The other values are the ids of the items, and the code and the grade of each judged
    item. Queries and their items are in the order of the dict. If no item has a grade, the last value is None.
    """
    if type(judgements) is not dict:
        return None
    lists = list(judgements.values())
    held = _held(lists)
    if held is None or not _have_one_type(judgements):
        return None
    query_code, queries = _encode(list(judgements), held)
    found = _code([lists[k] for k in held.tolist()])
    # Other constructors may choose another dtype for large integers.
    if found is None or any(ids.dtype.kind == "u" for ids in (queries, found[1])):
        return None
    lengths, items, item_code, grade = found
    if grade is not None and list in set(map(type, lists)):  # the items are tuples
        return None
    return queries, query_code, lengths, items, item_code, grade


def _held(lists):
    """Return the positions of nonempty lists and dicts; return None if all are empty, or if there are other objects."""
    if not codes_lists() or not {dict, list}.issuperset(map(type, lists)):
        return None
    held = np.flatnonzero(np.fromiter(map(len, lists), dtype=np.int64, count=len(lists)))
    return held if len(held) else None


def _code(lists):
    """Return four values: the lengths of the lists, the distinct items, and the item code and score of each row.

    Returns None if the kernel cannot read the lists. If they have no scores, the last value is None.
    """
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    found = code_lists(lists, int(lengths.sum()))
    if found is None:
        return None
    items, code, score = found
    item_code, index = encode_ids(pd.Series(items))
    return lengths, index, item_code[code], score


def _have_one_type(ids):
    """Return True if all ids are text, or if all ids are integers."""
    kinds = set(map(type, ids))
    return kinds == {str} or kinds == {int}


def _encode(ids, chosen):
    """Encode the ids at the `chosen` positions, with the dtype that pandas infers from all ids."""
    return encode_ids(pd.Series(ids).take(chosen))


class _CodedColumns:
    """Columns of ids that are already encoded; :func:`encode_lists` reads them like the columns of a frame.

    Parameters
    ----------
    lengths : ndarray of shape (n_lists,), dtype=int64
        Number of rows of each list.
    of_lists : dict of str to tuple
        For "query" and "voter": the code of each list, and the ids that the codes refer to.
    item : tuple of ndarray of shape (n_rows,) and pandas.Index
        Code of each row's item, and the ids that the codes refer to.
    score : ndarray of shape (n_rows,), or None
        Score of each row; None if the lists have no scores, so that the order of the rows gives the ranks.
    """

    index = None

    def __init__(self, lengths, of_lists, item, score):
        self.n_rows = len(item[0])
        self._lengths, self._of_lists, self._item, self._score = lengths, of_lists, item, score

    def name(self, column):
        return column

    def has(self, column):
        return column == "voter" or column == ("rank" if self._score is None else "score")

    def ids(self, column):
        if column == "item":
            return self._item
        codes, ids = self._of_lists[column]
        return np.repeat(codes, self._lengths), ids

    def numbers(self, column, *, whole=False):
        if column == "score":
            return self._score
        return positions(np.concatenate([[0], np.cumsum(self._lengths)])).astype(np.float64)

    def exact_order(self, column):
        return None  # float64 represents all these numbers
