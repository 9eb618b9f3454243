"""Feature matrices computed from ranks and scores, with a row for each candidate and columns for each voter."""

import numpy as np

from ..._arrays._normalize import NORMS, SCORE_NORMS
from ..._arrays._ragged import expand, gather_ranges
from ...base._norms import normalize

#: Features with a column for each voter.
PER_VOTER = ("present", "score", *(name for name in NORMS if name is not None))
#: Names of all features; aggregators can also be features.
FEATURES = (*PER_VOTER, "support")
#: Features that are computed from scores.
SCORED = frozenset({"score"} | SCORE_NORMS - {None})
# Number of rows that are filled or centred at a time. It is small, so that temporary copies need little memory.
_ROWS = 1 << 14


def fill_voters(matrix, lists, column, features):
    """Write the features of each voter's lists into the voter's columns of the matrix.

    `column`, of shape (n_lists,), contains the first column of each list's voter, or -1 if the voter has no columns. A
    voter has one column for each of the `features`, in their order. The matrix has shape (n_candidates, n_columns).
    Before the call it must contain NaN in the columns of "score", and 0 in all other columns.
    """
    held = column[lists.row_list] >= 0
    candidate, first = lists.candidate[held], column[lists.row_list][held]
    known = np.flatnonzero(column >= 0)
    for shift, name in enumerate(features):
        if name == "present":
            matrix[candidate, first + shift] = 1.0
            continue
        value, absent = normalize(lists, None if name == "score" else name)
        if absent is not None:
            size = lists.query_n_items[lists.list_query[known]]
            for some in _split(known, (np.cumsum(size) - size) // _ROWS):
                members, ptr = gather_ranges(lists.candidate_ptr, lists.list_query[some])
                matrix[members, np.repeat(column[some] + shift, np.diff(ptr))] = np.repeat(absent[some], np.diff(ptr))
        matrix[candidate, first + shift] = value[held]


def _split(values, block):
    """Split `values` into arrays; a new array starts wherever the number in `block` changes."""
    return np.split(values, np.flatnonzero(np.diff(block)) + 1)


def support(lists):
    """Count the lists that contain each candidate."""
    return np.bincount(lists.candidate, minlength=lists.n_candidates)


def consensus_scores(ranked):
    """Scale the scores of a consensus, from 0 for the last items to 1 for the first items of each query."""
    lists, limit = ranked.lists, np.finfo(np.float64).max / 4
    score = np.empty(lists.n_candidates)
    score[ranked.order] = np.clip(ranked.score, -limit, limit)
    heads = lists.candidate_ptr[:-1]
    low, high = np.minimum.reduceat(score, heads), np.maximum.reduceat(score, heads)
    span = high - low
    span[span == 0] = 1.0
    score -= low[lists.candidate_query]
    score /= span[lists.candidate_query]
    return score


def center_columns(matrix, ptr):
    """Subtract from each column its mean over the candidates of each query, in place; NaN values are ignored."""
    query_rows = np.diff(ptr)
    for queries in _split(np.arange(len(query_rows)), ptr[:-1] // _ROWS):
        first, last = ptr[queries[0]], ptr[queries[-1] + 1]
        own = ptr[queries[0] : queries[-1] + 2] - first
        part = matrix[first:last]
        missing = np.isnan(part)
        if missing.any():
            total = np.add.reduceat(np.where(missing, 0.0, part), own[:-1])
            n = np.maximum(np.add.reduceat(~missing, own[:-1], dtype=np.int64), 1)
        else:
            total, n = np.add.reduceat(part, own[:-1]), query_rows[queries][:, None]
        part -= (total / n)[expand(own)]
