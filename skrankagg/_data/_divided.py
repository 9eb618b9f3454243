"""Division of each query of ranked lists into several queries: one for each group of lists, or one for each list."""

import numpy as np
import pandas as pd

from .._arrays._ragged import gather_ranges
from ._covariates import covariates_of_rows
from ._list_columns import extras_of
from ._ranked_lists import RankedLists


def divide_queries(lists, group, *, whole):
    """Divide each query into several queries, one for each group of its lists.

    `group`, of shape (n_lists,), contains the group of each list. If `whole` is true, each new query has all items of
    the old query. Otherwise, a new query has only the items that its lists contain.

    Returns the divided lists and four arrays. For each list of the result, the first array contains its position in
    `lists`. For each new query, the second array contains the old query, and the third array contains the group. For
    each new candidate, the fourth array contains its position among the old candidates.
    """
    n_groups = int(group.max()) + 1
    code = lists.list_query.astype(np.int64) * n_groups + group
    order = np.argsort(code, kind="stable")
    cells, n_lists = np.unique(code, return_counts=True)
    cell_query, cell_group = np.divmod(cells, n_groups)
    rows, row_ptr = gather_ranges(lists.row_ptr, order)
    row_cell = np.repeat(np.repeat(np.arange(len(cells)), n_lists), np.diff(row_ptr))
    candidate = lists.candidate[rows].astype(np.int64)
    if whole:
        origin, candidate_ptr = gather_ranges(lists.candidate_ptr, cell_query)
        candidate = candidate + (candidate_ptr[:-1] - lists.candidate_ptr[cell_query])[row_cell]
    else:
        held, candidate = np.unique(row_cell * lists.n_candidates + candidate, return_inverse=True)
        cell, origin = np.divmod(held, lists.n_candidates)
        candidate_ptr = np.searchsorted(cell, np.arange(len(cells) + 1))
    divided = RankedLists(
        queries=pd.RangeIndex(len(cells)),
        voters=lists.voters,
        items=lists.items,
        list_ptr=np.concatenate([[0], np.cumsum(n_lists)]),
        list_voter=lists.list_voter[order],
        list_weight=lists.list_weight[order],
        list_conflict=None,
        list_merged=None,
        row_ptr=row_ptr,
        candidate=candidate.astype(np.int32),
        rank=lists.rank[rows],
        score=None,
        candidate_ptr=np.asarray(candidate_ptr, dtype=np.int64),
        candidate_item=lists.candidate_item[origin],
        **extras_of(lists, order),
        **covariates_of_rows(lists, rows),
    )
    return divided, order, cell_query, cell_group, origin


def each_list_alone(lists):
    """Return the lists as separate queries, each with a single list."""
    n = lists.n_lists
    return RankedLists(
        queries=pd.RangeIndex(n),
        voters=pd.RangeIndex(1),
        items=lists.items,
        list_ptr=np.arange(n + 1),
        list_voter=np.zeros(n, dtype=np.int32),
        list_weight=lists.list_weight,
        list_conflict=None,
        list_merged=None,
        row_ptr=lists.row_ptr,
        candidate=np.arange(lists.n_rows, dtype=np.int32),
        rank=lists.rank,
        score=None,
        candidate_ptr=lists.row_ptr,
        candidate_item=lists.candidate_item[lists.candidate],
    )
