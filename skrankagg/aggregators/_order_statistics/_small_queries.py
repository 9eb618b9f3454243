"""Exact p-values of rank sums in small queries; the distributions of many queries are computed together.

As in :mod:`._random_ranks`, a random list gives an item one of the places of the actual list. Only positive terms are
added up, so even p-values of 1e-300 have a relative error of only about 1e-13.
"""

import numpy as np

from ..._arrays._ragged import expand, gather_ranges, positions
from ._random_ranks import list_kinds, null_numbers, sums_above_least

# Largest number of cells (possible sums) of a distribution, and of all distributions of a query together. The time for
# a distribution grows with the square of its number of cells, and is at most about a millisecond.
_MOST_CELLS, _MOST_CELLS_OF_QUERY = 1 << 10, 1 << 12
# Largest number of cells of the distributions that are convolved at a time.
_CELLS_AT_ONCE = 1 << 15


def small_pvalues(lists, n_items, *, ignore_absent):
    """Compute the p-values of rank sums in small queries.

    Returns the p-value of each candidate, which is NaN in queries that are not small, and a mask of the small queries.
    `n_items` contains the number by which the ranks of each list are divided, as float64 of shape (n_lists,). A query
    is small if its distributions have few cells; a cell is one possible sum of normalised ranks. This depends only on
    the lists of the query. The range from 0 to 1 is divided into a common multiple of the numbers in `n_items`, so
    every normalised rank is a whole number of cells.
    """
    pvalue, is_small = np.full(lists.n_candidates, np.nan), np.zeros(lists.n_queries, dtype=bool)
    # This is a lower bound on the number of cells, because a common grid only adds cells.
    least = 1 + lists.sum_over_lists(_widths(lists, n_items, ignore_absent) * lists.list_weight)
    queries = np.flatnonzero(_are_few(least, least * _most_distributions(lists, ignore_absent)))
    if not len(queries):
        return pvalue, is_small
    own_lists, _ = gather_ranges(lists.list_ptr, queries)
    candidates, _ = gather_ranges(lists.candidate_ptr, queries)
    part = lists if len(queries) == lists.n_queries else lists.take(queries)
    pvalue[candidates], is_small[queries] = _pvalues(part, n_items[own_lists], ignore_absent)
    return pvalue, is_small


def _are_few(most_of_one, of_all):
    return (most_of_one <= _MOST_CELLS) & (of_all <= _MOST_CELLS_OF_QUERY)


def _most_distributions(lists, ignore_absent):
    """Return, for each query, an upper bound on the number of different null distributions of its candidates.

    With `ignore_absent` the bound is 1 plus the number of items that are missing from at least one list of positive
    weight. Otherwise it is 1.
    """
    if not ignore_absent:
        return 1
    counted = lists.list_weight > 0
    n_lists = lists.sum_over_lists(counted.astype(np.float64))
    held = np.bincount(lists.candidate, weights=counted[lists.row_list], minlength=lists.n_candidates)
    lacked = held < n_lists[lists.candidate_query]
    return 1 + np.bincount(lists.candidate_query, weights=lacked, minlength=lists.n_queries)


def _widths(lists, n_items, ignore_absent):
    """Compute, for each list, the worst rank minus the best rank that the list can give to an item."""
    width = np.zeros(lists.n_lists)
    held = lists.list_length > 0
    width[held] = lists.rank[lists.row_ptr[1:][held] - 1] - lists.rank[lists.row_ptr[:-1][held]]
    if not ignore_absent:
        cut = held & (lists.list_length < n_items)
        width[cut] = n_items[cut] - lists.rank[lists.row_ptr[:-1][cut]]
    return width


def _pvalues(lists, n_items, ignore_absent):
    kind, example = list_kinds(lists, n_items)
    null, number, copies, ptr = null_numbers(lists, kind, ignore_absent)
    draws = _Draws(lists, n_items, example, ignore_absent)
    per_one, n_cells = draws.grid(number, copies, ptr)
    query, own = np.divmod(np.unique(lists.candidate_query * np.int64(len(n_cells)) + null), len(n_cells))
    most = np.zeros(lists.n_queries)
    np.maximum.at(most, query, n_cells[own])
    is_small = _are_few(most, np.bincount(query, weights=n_cells[own], minlength=lists.n_queries))
    total = sums_above_least(lists, n_items, False, ignore_absent)
    pvalue = np.full(lists.n_candidates, np.nan)
    order = np.argsort(null, kind="stable")
    ends = np.searchsorted(null[order], np.arange(len(ptr)))
    for some in _alike(np.unique(null[is_small[lists.candidate_query]]), n_cells):
        tail = np.minimum(np.cumsum(draws.convolve(some, number, copies, ptr, per_one, n_cells), axis=1), 1.0)
        # The greatest sum has probability 1.
        tail[np.arange(len(some)), n_cells[some].astype(np.int64) - 1] = 1.0
        members, of_members = gather_ranges(ends, some)
        members, row = order[members], expand(of_members)
        own = is_small[lists.candidate_query[members]]
        members, row = members[own], row[own]
        place = np.rint(total[members] * per_one[null[members]])
        pvalue[members] = tail[row, np.clip(place, 0, n_cells[some][row] - 1).astype(np.int64)]
    return pvalue, is_small


def _alike(nulls, n_cells):
    """Yield groups of null distributions that have similar numbers of cells and not too many cells in total.

    A cell is one possible sum of normalised ranks. `n_cells` contains the number of cells of each distribution.
    """
    size = np.frexp(n_cells[nulls])[1]
    for one in np.unique(size):
        of_size = nulls[size == one]
        n_at_once = max(1, _CELLS_AT_ONCE >> int(one))
        yield from (of_size[first : first + n_at_once] for first in range(0, len(of_size), n_at_once))


class _Draws:
    """Distributions of the normalised rank that a random list gives to an item, one for each kind of list.

    Lists of one kind contain the same normalised ranks. The methods compute distributions of sums of such ranks. The
    sum of distribution g has ``copies[e]`` terms from random lists of kind ``number[e]``, for each e in
    ``range(ptr[g], ptr[g + 1])``.
    """

    def __init__(self, lists, n_items, example, ignore_absent):
        self._lists, self._example = lists, example
        self._n_items = n_items[example]
        self._width = _widths(lists, n_items, ignore_absent)[example]
        self._n_absent = np.zeros(len(example)) if ignore_absent else self._n_items - lists.list_length[example]
        self._mass = lists.list_length[example] + self._n_absent
        # Mid-ranks are multiples of one half.
        odd = np.bincount(lists.row_list[lists.rank % 1 != 0], minlength=lists.n_lists) > 0
        self._halves = 1 + odd[example]

    def grid(self, number, copies, ptr):
        """Return, for each distribution, the number of cells from 0 to 1, and the number of cells for its whole range.

        A cell is one possible sum of normalised ranks. Every normalised rank is a whole number of cells.

        A number is infinite if there are too many cells.
        """
        per_one = np.ones(len(ptr) - 1)
        length = np.diff(ptr)
        for place in range(int(length.max(initial=0))):
            longer = np.flatnonzero(length > place)
            kind = number[ptr[longer] + place]
            # Lists with a single place change no difference between sums. They are left out, so that the common
            # multiples stay small.
            longer, kind = longer[self._width[kind] > 0], kind[self._width[kind] > 0]
            steps = (self._halves[kind] * self._n_items[kind]).astype(np.int64)
            known = np.minimum(per_one[longer], 2.0**31).astype(np.int64)
            per_one[longer] = np.where(per_one[longer] < 2.0**31, np.lcm(known, steps), np.inf)
        owner = expand(ptr)
        with np.errstate(invalid="ignore"):
            cells = copies * self._width[number] * (per_one[owner] / self._n_items[number])
        cells[self._width[number] == 0] = 0.0
        return per_one, 1 + np.rint(np.bincount(owner, weights=cells, minlength=len(ptr) - 1))

    def convolve(self, some, number, copies, ptr, per_one, n_cells):
        """Compute the probability of each possible sum for the distributions `some`.

        The result has shape (n_some, n_cells); the sums are in ascending order.
        """
        entry, entry_ptr = gather_ranges(ptr, some)
        counted = self._width[number[entry]] > 0
        entry, owner = entry[counted], expand(entry_ptr)[counted]
        times = copies[entry].astype(np.int64)
        kind, owner = np.repeat(number[entry], times), np.repeat(owner, times)
        draw_ptr = np.searchsorted(owner, np.arange(len(some) + 1))
        turn = positions(draw_ptr) - 1
        found = np.zeros((len(some), int(n_cells[some].max())))
        found[:, 0] = 1.0
        reach = 1
        for number_of_draw in range(int(turn.max(initial=-1)) + 1):
            now = turn == number_of_draw
            active = owner[now]
            chance = self._chances(kind[now], per_one[some[active]])
            before = found[active, :reach]
            reach = min(reach + chance.shape[1] - 1, found.shape[1])
            after = np.zeros((len(active), reach))
            for step in np.flatnonzero(chance.any(axis=0)):
                after[:, step : step + before.shape[1]] += before[:, : reach - step] * chance[:, step : step + 1]
            found[active, :reach] = after
        return found

    def _chances(self, kind, per_one):
        """Compute the distribution of an item's normalised rank in a random list, for each list kind in `kind`.

        Lists of one kind contain the same normalised ranks. The best rank of the list is subtracted from the item's
        rank, and the difference is measured in steps of ``1 / per_one``. The result has shape (n_some, n_steps). Its
        column j contains the probability that the difference is j steps.
        """
        scale = per_one / self._n_items[kind]
        rows, ptr = gather_ranges(self._lists.row_ptr, self._example[kind])
        owner, rank = expand(ptr), self._lists.rank[rows]
        step = np.rint((rank - rank[ptr[:-1]][owner]) * scale[owner]).astype(np.int64)
        last = np.rint(self._width[kind] * scale).astype(np.int64)
        shape = (len(kind), int(last.max()) + 1)
        chance = np.bincount(owner * shape[1] + step, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        chance[np.arange(len(kind)), last] += self._n_absent[kind]
        return chance / self._mass[kind][:, None]
