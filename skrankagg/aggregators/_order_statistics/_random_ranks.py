"""P-values of rank sums and rank products.

A p-value is the probability that random lists give an item ranks at least as good as its actual ranks.

A random list gives an item one of the places of the actual list; all places have the same probability. The places are
the normalised ranks in the list, with ties unchanged, and a place 1 for each item missing from the list. In other
words, every assignment of the list's places to the items is equally likely. So the p-values are valid for lists that
have ties, are cut, or rank different numbers of items.
"""

from math import lcm

import numpy as np

from ..._arrays._ragged import positions
from ..._data._frames import show_id
from ...exceptions import InputError
from ._null_distributions import SumOfDraws

# Largest number of lists of a null distribution. The number of tilts grows with the square root of this number.
_MOST_LISTS = 1 << 16


def random_rank_pvalues(lists, n_items, *, logarithms, ignore_absent):
    """Compute the log p-value of each candidate's rank sum.

    The p-value is the probability that random lists give the candidate a rank sum at or below the actual sum. The ranks
    in the sum are normalised: `n_items`, float64 of shape (n_lists,), contains the number by which the ranks of each
    list are divided. If `logarithms` is true, the logarithms of the normalised ranks are added up instead. Sums that
    are equal up to rounding have the same probability. Each null distribution is computed only once, even if candidates
    of several queries share it.
    """
    kind, example = list_kinds(lists, n_items)
    kinds = [_places(lists, v, n_items[v], not ignore_absent) for v in example]
    of_candidate, number, copies, ptr = null_numbers(lists, kind, ignore_absent)
    total = sums_above_least(lists, n_items, logarithms, ignore_absent)
    log_p = np.zeros(lists.n_candidates)
    order = np.argsort(of_candidate, kind="stable")
    ends = np.searchsorted(of_candidate[order], np.arange(len(ptr)))
    for g in range(len(ptr) - 1):
        members = order[ends[g] : ends[g + 1]]
        held = slice(ptr[g], ptr[g + 1])
        null = _null_distribution([kinds[k] for k in number[held]], copies[held], logarithms)
        if null is None or null.too_wide:
            _refuse(lists, members[0], copies[held].sum())
        log_p[members] = null.log_tail(np.maximum(total[members], 0.0))
    return log_p


def _refuse(lists, candidate, n_lists):
    query = show_id(lists.queries, lists.candidate_query[candidate])
    most = f"allows at most {_MOST_LISTS} lists"
    if n_lists <= _MOST_LISTS:
        most = "allows only a few hundred lists if the p-value is a bound, so that the bound is at most 10 % too high"
    raise InputError(
        f"exact=True {most}; got {n_lists:.0f} lists for query {query}, where a list of weight w counts as w lists. "
        "Pass exact=False, or give smaller weights."
    )


def list_kinds(lists, n_items):
    """Assign a number to each kind of list; lists of one kind contain the same normalised ranks.

    Returns the number of each list's kind, and the index of one list of each kind.
    """
    odd = lists.rank != positions(lists.row_ptr)
    is_tied = np.bincount(lists.row_list[odd], minlength=lists.n_lists) > 0
    tie = np.zeros(lists.n_lists, dtype=np.int64)
    seen: dict[bytes, int] = {}
    for v in np.flatnonzero(is_tied):
        ranks = lists.rank[lists.row_ptr[v] : lists.row_ptr[v + 1]]
        tie[v] = seen.setdefault(ranks.tobytes(), len(seen) + 1)
    return _number_alike(n_items, lists.list_length, tie)


def _number_alike(*columns):
    """Assign numbers to the distinct rows of a table, in ascending order; `columns` are the columns of the table.

    Returns the number of each row, and the index of the first row with each number.
    """
    number = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        _, value = np.unique(column, return_inverse=True)
        _, example, number = np.unique(
            number * np.int64(value.max(initial=0) + 1) + value, return_index=True, return_inverse=True
        )
    return number, example


def _places(lists, v, n_items, lacks_others):
    """Return the distinct ranks that list `v` can give, their counts, and the number by which the ranks are divided.

    If `lacks_others` is true, the items missing from the list have the last rank, `n_items`.
    """
    ranks, counts = np.unique(lists.rank[lists.row_ptr[v] : lists.row_ptr[v + 1]], return_counts=True)
    n_absent = n_items - counts.sum()
    if lacks_others and n_absent > 0:
        ranks, counts = np.append(ranks, n_items), np.append(counts, n_absent)
    return ranks, counts.astype(np.float64), int(n_items)


def null_numbers(lists, kind, ignore_absent):
    """Assign numbers to the null distributions of the candidates' rank sums; equal distributions share a number.

    With `ignore_absent`, the distribution of a candidate covers the lists that contain the candidate. Otherwise it
    covers all lists of the query. Lists of weight 0 are ignored.

    Returns four arrays. The first contains the number of each candidate's distribution. Distribution g has the entries
    ``ptr[g]`` to ``ptr[g + 1] - 1``, where ``ptr`` is the fourth array. For each entry, the second array contains a
    kind of list, and the third array contains the number of lists of this kind. A list of weight w counts as w lists.
    """
    if ignore_absent:
        counted = lists.list_weight[lists.row_list] > 0
        v, owner = lists.row_list[counted], lists.candidate[counted]
        n_owners = lists.n_candidates
    else:
        v = np.flatnonzero(lists.list_weight > 0)
        owner, n_owners = lists.list_query[v], lists.n_queries
    # An owner is a candidate or a query. Sort the kinds of each owner, and count the lists of each kind.
    order = np.lexsort((kind[v], owner))
    v, owner = v[order], owner[order]
    new = np.ones(len(v), dtype=bool)
    new[1:] = (owner[1:] != owner[:-1]) | (kind[v][1:] != kind[v][:-1])
    start = np.flatnonzero(new)
    copies = np.add.reduceat(lists.list_weight[v], start) if len(v) else np.zeros(0)
    owner, number = owner[start], kind[v][start]
    ptr = np.searchsorted(owner, np.arange(n_owners + 1))
    # Two owners are equal if they have the same number of entries, and if their first entries, second entries and so on
    # are equal.
    entry, _ = _number_alike(number, copies)
    same, length = np.zeros(n_owners, dtype=np.int64), np.diff(ptr)
    for place in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > place)
        both = same[longer] * (len(entry) + 1) + entry[ptr[longer] + place]
        same[longer] = np.unique(both, return_inverse=True)[1]
    same, example = _number_alike(length, same)
    entries = [np.arange(ptr[o], ptr[o + 1]) for o in example]
    chosen = np.concatenate(entries) if entries else np.zeros(0, dtype=np.int64)
    new_ptr = np.concatenate([[0], np.cumsum([len(one) for one in entries])]).astype(np.int64)
    return (same if ignore_absent else same[lists.candidate_query]), number[chosen], copies[chosen], new_ptr


def sums_above_least(lists, n_items, logarithms, ignore_absent):
    """Return the sum of each candidate's normalised ranks, minus the smallest sum that its lists can give.

    If `logarithms` is true, the logarithms of the normalised ranks are added up instead.
    """
    measure = np.log if logarithms else np.asarray
    held = lists.list_length > 0
    least = np.ones(lists.n_lists)
    least[held] = lists.rank[lists.row_ptr[:-1][held]] / n_items[held]
    absent = measure(1.0)
    weight, least = lists.list_weight, measure(least)
    worse = measure(lists.rank / n_items[lists.row_list]) - (least[lists.row_list] if ignore_absent else absent)
    total = np.bincount(lists.candidate, weights=worse * weight[lists.row_list], minlength=lists.n_candidates)
    return total if ignore_absent else total + lists.sum_over_lists((absent - least) * weight)[lists.candidate_query]


def _null_distribution(kinds, copies, logarithms):
    """Build the null distribution of a rank sum minus its smallest value; return None if there are too many lists.

    `kinds` contains the result of :func:`_places` for each kind of list, and `copies` contains the number of lists of
    each kind. If `logarithms` is true, the logarithms of the normalised ranks are added up instead.
    """
    if copies.sum() > _MOST_LISTS:
        return None
    measure = np.log if logarithms else np.asarray
    values = [measure(ranks / n) for ranks, _, n in kinds]
    unit = None
    if not logarithms:
        # Mid-ranks are multiples of one half.
        halves = 2 if any((ranks % 1).any() for ranks, _, _ in kinds) else 1
        unit = 1 / (halves * lcm(*(n for _, _, n in kinds)))
    masses = [counts for _, counts, _ in kinds]
    return SumOfDraws([value - value[0] for value in values], masses, copies, unit=unit)
