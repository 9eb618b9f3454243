"""Computation of the arrays of RankedLists for a subset of queries, lists or rows."""

import numpy as np

from .._arrays._ragged import gather_ranges, mid_ranks, tie_starts
from ._conflicts import find_conflicts, still_merged
from ._covariates import covariates_of_rows
from ._list_columns import extras_of


def small_arrays(whole, chosen):
    """Return a dict with the fields of a RankedLists for the chosen queries, without the large arrays.

    Arrays with an entry for each row or candidate are large.
    """
    lists, list_ptr = gather_ranges(whole.list_ptr, chosen)

    def marks(name):
        whole_marks = getattr(whole, name)
        return whole_marks[lists] if whole_marks is not None and whole_marks[lists].any() else None

    return {
        "queries": whole.queries[chosen],
        "voters": whole.voters,
        "items": whole.items,
        "list_ptr": list_ptr,
        "list_voter": whole.list_voter[lists],
        "list_weight": whole.list_weight[lists],
        "list_conflict": marks("list_conflict"),
        "list_merged": marks("list_merged"),
        "row_ptr": np.concatenate([[0], np.cumsum(whole.list_length[lists])]),
        "candidate_ptr": np.concatenate([[0], np.cumsum(whole.query_n_items[chosen])]),
        **extras_of(whole, lists),
        "covariates": whole.covariates,
        # Only missing arrays of rows are set here, to None. The other arrays of rows are copied when they are first
        # read.
        **({} if whole.has_scores else {"score": None}),
        **({} if whole.covariates is not None else {"row_covariates": None}),
    }


def kept_arrays(lists, list_kept, row_kept):
    """Compute the fields of a RankedLists that keeps only the lists and the rows in two masks.

    Returns the fields as a dict, and the old position of each remaining candidate.
    """
    length = np.add.reduceat(row_kept, lists.row_ptr[:-1], dtype=np.int64)[list_kept]
    row_ptr = np.concatenate([[0], np.cumsum(length)])
    rank, score = lists.rank[row_kept], lists.score[row_kept] if lists.has_scores else None
    tie_start = tie_starts(row_ptr, rank)
    candidate_kept = np.zeros(lists.n_candidates, dtype=bool)
    candidate_kept[lists.candidate[row_kept]] = True
    number = np.concatenate([[0], np.cumsum(candidate_kept, dtype=np.int32)])
    n_lists = np.add.reduceat(list_kept, lists.list_ptr[:-1], dtype=np.int64)
    left = n_lists > 0
    arrays = {
        "queries": lists.queries if left.all() else lists.queries[left],
        "voters": lists.voters,
        "items": lists.items,
        "list_ptr": np.concatenate([[0], np.cumsum(n_lists[left])]),
        "list_voter": lists.list_voter[list_kept],
        "list_weight": lists.list_weight[list_kept],
        # Removing rows cannot create a conflict.
        "list_conflict": None if lists.list_conflict is None else find_conflicts(row_ptr, tie_start, score),
        "list_merged": None
        if lists.list_merged is None
        else still_merged(lists.list_merged[list_kept], row_ptr, rank, score),
        "row_ptr": row_ptr,
        "candidate": number[lists.candidate[row_kept]],
        "rank": mid_ranks(row_ptr, tie_start),
        "score": score,
        "candidate_ptr": np.append(number[lists.candidate_ptr[:-1]][left], number[-1]).astype(np.int64),
        "candidate_item": lists.candidate_item[candidate_kept],
        **extras_of(lists, list_kept),
        **covariates_of_rows(lists, row_kept),
    }
    return arrays, np.flatnonzero(candidate_kept)


def gather_of_queries(whole, chosen, name, candidate_ptr):
    """Return the entries of the array `name` that belong to the chosen queries, as a read-only array.

    The array has an entry for each row or candidate. `candidate_ptr` contains the offsets of the chosen queries'
    candidates in the new numbering.
    """
    row_ptr = whole.row_ptr[whole.list_ptr]
    value = getattr(whole, name)[_ranges(whole.candidate_ptr if name == "candidate_item" else row_ptr, chosen)]
    if name == "candidate":
        moved = (candidate_ptr[:-1] - whole.candidate_ptr[chosen]).astype(np.int32)
        same = (moved == moved[0]).all()
        value = value + (moved[0] if same else np.repeat(moved, np.diff(row_ptr)[chosen]))
    value.flags.writeable = False
    return value


def _ranges(ptr, chosen):
    """Return an index array of the elements of the chosen ranges, or a slice if the ranges are consecutive.

    Range k has the elements ``ptr[k]`` to ``ptr[k + 1] - 1``.
    """
    if (np.diff(chosen) == 1).all():
        return slice(ptr[chosen[0]], ptr[chosen[-1] + 1])
    return gather_ranges(ptr, chosen)[0]
