"""Differences between two consensuses of the same queries."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._arrays._ragged import dense_ranks, expand, group_order, positions, tie_starts
from .._data._frames import frame_of, known_or_missing, plain_index, take_ids, whole_or_missing
from .._data._ranked_lists import check_run
from .._data._types import AnyLists
from .._data._voter_names import type_hint
from .._support._checks import check_count
from ..exceptions import InputError
from ..metrics._agreement._kendall import FROM_COUNTS, ratio_or_nan
from ..metrics._agreement._pair_counts import count_pairs

__all__ = ["compare_consensus"]


def compare_consensus(first: AnyLists, second: AnyLists, *, top: int = 10) -> pd.DataFrame:
    r"""Compare two consensuses of the same queries, such as the results of two methods or of two years.

    Parameters
    ----------
    first, second : DataFrame or RankedLists
        Consensus frames from ``transform``, with `query`, `item`, and `score` or `rank` or both. Other runs with one
        list for each query are also accepted.
    top : int, default=10
        Number of first places in which `top_overlap` compares the items.

    Returns
    -------
    DataFrame of shape (n_queries, 9)
        A row for each query of `first`, in its order, followed by the queries found only in `second`:

        - `query`;
        - `n_common`, int64: number of items that are in both consensuses;
        - `tau_b`, float64 from -1 to 1: Kendall's :math:`\tau_b` on the common items; items of equal score are tied;
        - `top_overlap`, float64 from 0 to 1: number of items that are among the first `top` of both consensuses,
          divided by `top`. For a consensus of fewer than `top` items, its length is used instead of `top`. The divisor
          is then the mean of the numbers used for the two consensuses;
        - `leader_changed`, boolean: whether the first items of the two consensuses differ;
        - `largest_rise`, Int64: the largest number of places by which an item is higher in `second` than in `first`,
          counted among the common items;
        - `rising_item`: the item with the largest rise; among several such items, the one ranked highest in `first`;
        - `largest_fall` and `falling_item`: the corresponding values for items that are lower in `second`.

        If no item rises, no item falls either. `largest_rise` and `largest_fall` are then 0, and `rising_item` and
        `falling_item` are missing. For a query found in only one of the two consensuses, `n_common` is 0 and all other
        values are missing. Without common items, `tau_b` and the rises and falls are missing. The columns of items have
        the type of the ids, or object if some are missing.

    Raises
    ------
    TypeError
        If `first` or `second` is not a data frame or RankedLists.
    ValueError
        If the two consensuses have no query in common, if one of them has several lists for a query, or if `top` is not
        a positive integer.

    See Also
    --------
    voter_influence : Compares the consensus with the consensuses obtained by leaving out one list at a time.
    skrankagg.metrics.kendall_tau : The correlation of two rankings.
    skrankagg.metrics.overlap : The overlap of two rankings. With ``ties="w"``, short lists do not lower the overlap.
    skrankagg.metrics.agreement_matrix : Computes the agreement of every two methods.

    Notes
    -----
    The published order, `rank`, determines the first items, the overlap, the rises and the falls, even among items of
    equal score. The scores determine which items are tied in `tau_b`. Without ranks, items of equal score are in the
    order of their ids.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import BordaCount, Copeland
    >>> from skrankagg.inspection import compare_consensus
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": list("uuuuvvvvwwww"), "item": list("abcdabcdbcda"),
    ...     "rank": [1, 2, 3, 4] * 3
    ... })
    >>> found = compare_consensus(Copeland().fit_transform(lists),
    ...     BordaCount().fit_transform(lists), top=2)
    >>> found.iloc[0].to_dict()
    {'query': 'q', 'n_common': 4, 'tau_b': 0.66..., 'top_overlap': 1.0, 'leader_changed': True, 'largest_rise': 1,
     'rising_item': 'b', 'largest_fall': 1, 'falling_item': 'a'}
    """
    check_count("top", top)
    first, second = check_run(first), check_run(second)
    queries, items = plain_index(first.queries), plain_index(first.items)
    query_of = queries.get_indexer(plain_index(second.queries))
    if (query_of < 0).all():
        raise InputError(
            "`first` and `second` must share at least one query; they have none in "
            f"common{type_hint(queries, plain_index(second.queries))}. Compare consensuses of the same queries."
        )
    # Give the queries and items of `second` the numbers that they have in `first`. Then match rows with the same query
    # and item.
    item_of = items.get_indexer(plain_index(second.items))
    query, item = query_of[second.list_query[second.row_list]], item_of[second.candidate_item[second.candidate]]
    shared = np.flatnonzero((query >= 0) & (item >= 0))
    keys = query[shared] * np.int64(len(items)) + item[shared]
    order = np.argsort(keys)
    keys, shared = keys[order], shared[order]
    wanted = first.row_list * np.int64(len(items)) + first.candidate_item[first.candidate]
    found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    held = keys[found] == wanted if len(keys) else np.zeros(len(wanted), dtype=bool)
    in_b = shared[found[held]] if len(keys) else shared
    place_b = positions(second.row_ptr)

    n = first.n_queries
    n_common = np.bincount(first.row_list[held], minlength=n)
    in_both = np.isin(np.arange(n), query_of)
    some = n_common > 0
    ptr = np.concatenate([[0], np.cumsum(n_common[some])])
    tau, rise, fall = np.full(n, np.nan), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    risen, fallen = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if some.any():
        tau[some] = FROM_COUNTS["b"](*count_pairs(ptr, _classes(first)[held], dense_ranks(ptr, _classes(second)[in_b])))
        moves = _moves(ptr, place_b[in_b])
        items_held = first.candidate_item[first.candidate[held]]
        for largest, moved, up in ((rise, risen, moves), (fall, fallen, -moves)):
            largest[some], at = _first_largest(ptr, up)
            moved[some] = items_held[at]
    place_a = positions(first.row_ptr)[held]
    near = (place_a <= top) & (place_b[in_b] <= top)
    in_top = np.bincount(first.row_list[held][near], minlength=n)
    length_b = np.zeros(n, dtype=np.int64)
    length_b[query_of[query_of >= 0]] = second.list_length[query_of >= 0]
    held_there = (np.minimum(first.list_length, top) + np.minimum(length_b, top)) / 2
    same = np.bincount(first.row_list[held][(place_a == 1) & (place_b[in_b] == 1)], minlength=n) > 0

    only_b = plain_index(second.queries)[query_of < 0]
    n_more = len(only_b)
    known = np.append(some, np.zeros(n_more, dtype=bool))
    both = np.append(in_both, np.zeros(n_more, dtype=bool))
    columns = {
        "query": queries.append(only_b) if n_more else take_ids(first.queries, np.arange(n)),
        "n_common": np.append(n_common, np.zeros(n_more, dtype=np.int64)),
        "tau_b": np.append(tau, np.full(n_more, np.nan)),
        "top_overlap": np.append(np.where(in_both, ratio_or_nan(in_top, held_there), np.nan), np.full(n_more, np.nan)),
        "leader_changed": known_or_missing(np.where(both, np.append(~same, [True] * n_more).astype(object), None)),
    }
    for largest, name, moved in ((rise, "rise", risen), (fall, "fall", fallen)):
        largest, moved = (np.append(one, np.zeros(n_more, dtype=np.int64)) for one in (largest, moved))
        columns[f"largest_{name}"] = whole_or_missing(largest, known)
        columns["rising_item" if name == "rise" else "falling_item"] = _items_or_none(
            first, moved, known & (largest > 0)
        )
    return frame_of(columns)


def _classes(run):
    """Return the number of the tie class of each row; if rows of the same list have equal scores, they form a class.

    The numbers increase within each list, and differ between lists.
    """
    start = tie_starts(run.row_ptr, run.rank)
    if run.has_scores:
        by_rank = np.zeros(run.n_lists, dtype=bool)
        for marked in (run.list_conflict, run.list_merged):
            if marked is not None:
                by_rank |= marked
        start &= tie_starts(run.row_ptr, run.score) | by_rank[run.row_list]
    return np.cumsum(start)


def _moves(ptr, place):
    """Return the number of places that each row rises when the rows of its group are sorted by `place`.

    The number is negative for rows that fall. The rows of group g begin at ``ptr[g]``.
    """
    order = group_order(expand(ptr), place)
    here = positions(ptr)
    there = np.empty(len(place), dtype=np.int64)
    there[order] = here
    return here - there


def _first_largest(ptr, value):
    """For each group, return the largest value, and the first row that has this value."""
    largest = np.maximum.reduceat(value, ptr[:-1])
    rows = np.flatnonzero(value == np.repeat(largest, np.diff(ptr)))
    start = np.append(True, np.diff(expand(ptr)[rows]) > 0)
    return largest, rows[start]


def _items_or_none(run, item, known):
    if known.all():
        return take_ids(run.items, item)
    found = np.full(len(item), None, dtype=object)
    found[known] = plain_index(run.items).take(item[known]).tolist()
    return pd.Series(found, dtype=object)
