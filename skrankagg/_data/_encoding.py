"""Encoding of a frame's columns as the arrays of :class:`~skrankagg.RankedLists`.

Rows are sorted by query, voter and rank, unless they are already in this order. Invalid lists raise an error.
"""

import numpy as np
import pandas as pd

from .._arrays._ragged import gather_ranges, group_order, mid_ranks, number_codes, sort_codes, starts_to_ptr
from .._support._warn import warn_user
from ..exceptions import InputError, RankScoreConflictWarning, SplitQueryWarning
from ._conflicts import CONFLICT_ADVICE, find_conflicts, find_merged
from ._covariates import fields_of_columns, key_of
from ._frames import first_row, show_id
from ._list_columns import constant_in_lists, grouping_column, or_none, read_marks

#: Ids of the query and the voter if a frame has no columns for them.
ONE_QUERY, ONE_VOTER = "q", "consensus"

# With at most this number of rows, numbering the candidates by sorting is faster than by a table.
_FEW = 4_000

# Codes of candidates have 32 bits.
_MOST_CANDIDATES = 2**31 - 1


def encode_lists(columns, groups=(), covariates=()):
    """Encode the :class:`Columns` of a frame; return a dict with the fields of :class:`~skrankagg.RankedLists`.

    `groups` contains the names of columns that are constant within each list, such as the judge. `covariates` contains
    the names of columns of numbers that a model may use, such as the length of an answer.
    """
    with_rank, with_score = columns.has("rank"), columns.has("score")
    if columns.name("query") is None:
        list_code, queries = np.zeros(columns.n_rows, dtype=np.int32), pd.Index([ONE_QUERY])
    else:
        list_code, queries = columns.ids("query")
    if columns.has("voter"):
        voter, voters = columns.ids("voter")
        if len(queries) * len(voters) >= 2**31:
            list_code = list_code.astype(np.int64)
        list_code *= len(voters)
        list_code += voter
        del voter
    else:
        voters = pd.Index([ONE_VOTER])
    item, items = columns.ids("item")
    score = columns.numbers("score") if with_score else None
    value = columns.numbers("rank", whole=True) if with_rank else -score
    if with_rank:
        _refuse_negative(value, columns.name("rank"))
    _warn_of_row_splits(columns.index, list_code, value, with_rank)
    # Columns that are constant within each list.
    of_lists = {"weight": columns.numbers("weight")} if columns.has("weight") else {}
    if columns.has("duel"):
        of_lists["duel"] = read_marks(columns.numbers("duel"), columns.name("duel"))
    categories = {}
    for name in groups:
        of_lists[name], categories[name] = columns.ids(name)
    of_rows = {name: columns.numbers(key_of(name)) for name in covariates}
    # Numbers beyond 2 ** 53 may round to the same float64. Rows are therefore sorted by the exact numbers.
    exact_score = columns.exact_order("score") if with_score else None
    exact = columns.exact_order("rank") if with_rank else None if exact_score is None else -exact_score
    value = value if exact is None else exact
    del exact

    if _in_order(list_code, value):
        # The arrays are copied, so that later changes of the frame do not change them.
        score = score.copy() if with_score else None
        of_rows = {name: values.copy() for name, values in of_rows.items()}
    else:
        order = group_order(list_code, value)
        item, list_code, value = item[order], list_code[order], value[order]
        score = score[order] if with_score else None
        exact_score = None if exact_score is None else exact_score[order]
        of_lists = {name: values[order] for name, values in of_lists.items()}
        of_rows = {name: values[order] for name, values in of_rows.items()}
        del order
    list_start = _starts(list_code)
    tie_start = list_start | _starts(value)
    del value
    if not tie_start.all():
        _sort_ties_by_item(tie_start, item, score, exact_score, *of_rows.values())

    row_ptr = starts_to_ptr(list_start)
    list_query, list_voter = np.divmod(list_code[row_ptr[:-1]], len(voters))
    list_ptr = starts_to_ptr(_starts(list_query))
    lengths = row_ptr[1:] - row_ptr[:-1]
    del list_code, list_start

    def name_list(v):
        return f"query {show_id(queries, list_query[v])}, voter {show_id(voters, list_voter[v])}"

    conflict = find_conflicts(row_ptr, tie_start, score) if with_rank and with_score else None
    if conflict is not None:
        _warn_of_conflicts(conflict, name_list)
    candidates = number_codes(row_ptr[list_ptr], item, len(items), row_ptr) if len(item) > _FEW else None
    if candidates is None:
        candidates = _sort_candidates(list_query, list_voter, lengths, item, queries, voters, items)
    candidate, candidate_ptr, candidate_item = candidates
    del candidates
    del item
    weight, marks = of_lists.get("weight"), of_lists.get("duel")
    if marks is not None:
        marks = or_none(constant_in_lists(marks, row_ptr, name_list, "mark in the column 'duel'"))
    group_columns = {
        name: grouping_column(constant_in_lists(of_lists[name], row_ptr, name_list, repr(name)), index)
        for name, index in categories.items()
    }
    return {
        "queries": queries,
        "voters": voters,
        "items": items,
        "list_ptr": list_ptr,
        "list_voter": list_voter.astype(np.int32),
        "list_weight": _list_weights(weight, row_ptr, name_list),
        "list_conflict": conflict,
        "list_merged": None if exact_score is None else find_merged(row_ptr, score, exact_score),
        "row_ptr": row_ptr,
        "candidate": candidate,
        "rank": mid_ranks(row_ptr, tie_start),
        "score": score,
        "candidate_ptr": candidate_ptr,
        "candidate_item": candidate_item,
        "list_duel": marks,
        "list_groups": pd.DataFrame(group_columns) if group_columns else None,
        **fields_of_columns(of_rows),
    }


def _starts(code):
    start = np.ones(len(code), dtype=bool)
    np.not_equal(code[1:], code[:-1], out=start[1:])
    return start


def _in_order(list_code, value):
    fine = value[1:] >= value[:-1]
    fine &= list_code[1:] == list_code[:-1]
    fine |= list_code[1:] > list_code[:-1]
    return bool(fine.all())


def _refuse_negative(rank, name):
    if (rank < 0).any():
        row = first_row(rank < 0)
        raise InputError(
            f"Column {name!r} must have ranks of at least 0; got {rank[row]:g} in row {row}. If these are scores, "
            f"call RankedLists.from_frame(df, rank=None, score={name!r})."
        )


def _sort_ties_by_item(tie_start, *columns):
    # The order of the frame's rows must not affect the result, so tied rows are sorted by item.
    ptr = starts_to_ptr(tie_start)
    tied, _ = gather_ranges(ptr, np.flatnonzero(np.diff(ptr) > 1))
    group = np.cumsum(tie_start)[tied]
    order = tied[np.lexsort((columns[0][tied], group))]
    for column in columns:
        if column is not None:
            column[tied] = column[order]


def _sort_candidates(list_query, list_voter, lengths, item, queries, voters, items):
    # To save memory, the codes are computed one column at a time. Each column of codes is as large as the result.
    codes = (code if code is item else np.repeat(code, lengths) for code in (list_query, item, list_voter))
    order, (query_start, candidate_start, row_start) = sort_codes(codes, [len(queries), len(items), len(voters)])
    if not row_start.all():
        row = order[first_row(~row_start)]
        v = int(np.searchsorted(np.cumsum(lengths), row, side="right"))
        raise InputError(
            f"Each list must contain each item only once; {int((~row_start).sum())} rows repeat an item (the first is "
            f"query {show_id(queries, list_query[v])}, voter {show_id(voters, list_voter[v])}, item "
            f"{show_id(items, item[row])}). Keep one of them, for example with RankedLists.from_frame(df, "
            "duplicates='first'), 'best' or 'mean'."
        )
    n_candidates = int(np.count_nonzero(candidate_start))
    if n_candidates > _MOST_CANDIDATES:  # larger data sets always take this path
        raise InputError(
            f"`X` must have at most {_MOST_CANDIDATES:,} (query, item) pairs; got {n_candidates:,}. Split the queries "
            "into several frames."
        )
    candidate_item = item[order[candidate_start]]
    number = np.cumsum(candidate_start, dtype=np.int32)
    number -= 1
    candidate_ptr = np.append(number[query_start], len(candidate_item)).astype(np.int64)
    candidate = np.empty(len(order), dtype=np.int32)
    candidate[order] = number
    return candidate, candidate_ptr, candidate_item


def _list_weights(weight, row_ptr, name_list):
    if weight is None:
        return np.ones(len(row_ptr) - 1)
    first = weight[row_ptr[:-1]]
    low, high = np.minimum.reduceat(weight, row_ptr[:-1]), np.maximum.reduceat(weight, row_ptr[:-1])
    if (low < 0).any():
        v = first_row(low < 0)
        raise InputError(
            f"List weights must be at least 0; got {low[v]:g} for {name_list(v)}. Give a list weight 0 to ignore it "
            "but keep its items, or drop its rows."
        )
    if (low != high).any():
        v = first_row(low != high)
        raise InputError(
            f"All rows of a list must have the same weight; the weight varies from {low[v]:g} to {high[v]:g} in the "
            f"list of {name_list(v)}. Correct the weights, or drop the column."
        )
    return first.copy()


def _warn_of_conflicts(conflict, name_list):
    n_lists = f"{len(conflict)} list{'s' if len(conflict) > 1 else ''}"
    warn_user(
        f"Ranks and scores order the items differently in {conflict.sum()} of {n_lists}; the first is the list of "
        f"{name_list(first_row(conflict))}. Methods that use ranks ignore the scores. Methods that use scores refuse "
        f"these lists. {CONFLICT_ADVICE}",
        RankScoreConflictWarning,
    )


def _warn_of_row_splits(index, list_code, value, with_rank):
    # If a splitter has divided a list by rows, the row labels of the frame and the ranks have gaps. Without ranks, a
    # gap is recognised only if the rows of each list are sorted, best first.
    if index is None or not pd.api.types.is_integer_dtype(index.dtype):
        return
    if isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1:
        return
    label = index.to_numpy()
    if not index.is_monotonic_increasing:  # shuffled rows: look for gaps in the original order
        order = np.argsort(label, kind="stable")
        label, list_code, value = label[order], list_code[order], value[order]
    hole = np.diff(label, prepend=-1) - 1  # number of rows missing before each row
    same_list = list_code[1:] == list_code[:-1]
    if with_rank:
        cut = (hole > 0) & (value > 1) & (value - 1 <= hole)  # the missing rows may be the first rows of the list
        cut[1:] |= (hole[1:] > 0) & same_list
        suspects = list_code[cut]
        lists = suspects[_lack_ranks(suspects, list_code, value)] if len(suspects) else suspects
    else:
        best_first = not (np.diff(value)[same_list] < 0).any()
        lists = list_code[1:][(hole[1:] > 0) & same_list & best_first]
    if len(lists):
        n_lists = len(np.unique(lists))
        warn_user(
            f"{n_lists} list{' has' if n_lists == 1 else 's have'} lost rows, for example because a splitter treated "
            "the rows of a frame as samples. Each sample must be a whole query. Split RankedLists.from_frame(df), or "
            "use QueryKFold. If the rows were left out on purpose, reset the frame's index.",
            SplitQueryWarning,
        )


def _lack_ranks(suspects, list_code, rank):
    """Return a mask of the lists in `suspects` where some ranks are missing.

    Ranks are missing if the largest rank of a list exceeds the number of its rows.
    """
    codes, place = np.unique(suspects, return_inverse=True)
    slot = np.minimum(np.searchsorted(codes, list_code), len(codes) - 1)
    rows = np.flatnonzero(codes[slot] == list_code)
    last = np.zeros(len(codes))
    np.maximum.at(last, slot[rows], rank[rows])
    return (last > np.bincount(slot[rows], minlength=len(codes)))[place]
