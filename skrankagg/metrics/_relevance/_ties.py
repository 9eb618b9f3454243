r"""Rules for items of equal score.

If items have equal scores, the value of a measure depends on the order of these items. The rule ``"order"`` keeps the
order of the run. ``"trec_eval"`` ignores the ranks and sorts items of equal score by the bytes of their ids, in
descending order. ``"trec_eval_float32"`` does the same after rounding the scores to single precision. ``"optimistic"``
puts the item with the higher grade first, and ``"pessimistic"`` puts the item with the lower grade first.
``"expected"`` uses the mean over all orders of the tied items, which is computed from closed formulas [1]_.

References
----------
.. [1] F. McSherry and M. Najork, "Computing information retrieval performance measures efficiently in the presence of
   tied scores", ECIR 2008.
"""

from functools import cached_property

import numpy as np
from scipy.stats import hypergeom

from ..._arrays._ragged import expand, positions, starts_to_ptr, tie_starts
from ..._data._frames import plain_index
from ..._kernels import ragged_cumsum
from ...exceptions import InputError
from ._ranked_relevance import GAINS, RankedRelevance


class ExpectedRelevance(RankedRelevance):
    r"""Graded lists whose measures are expectations over all orders of the tied items.

    Parameters
    ----------
    grade, ptr, judged, score, rank, item
        As in :class:`RankedRelevance`, sorted by score.
    tie_ptr : ndarray of shape (n_groups + 1,), dtype=int64
        Start of the rows of each group of tied items, and the end of the last group.

    Notes
    -----
    A group of tied items occupies the c places after the first s places. It contains r relevant items, and B relevant
    items precede it. In a measure that is a sum over places, each place of the group has the mean value of the group.
    The expected precision at a relevant place i is :math:`(B + 1 + (i - s - 1)(r - 1)/(c - 1))/i`. The first relevant
    item of the group is at its j-th place with probability :math:`\binom{c - j}{r - 1}/\binom{c}{r}`. Consider a
    relevant item of the group, and count the nonrelevant judged items of the group above this item. This number is 0,
    1, ... with equal probability. Let :math:`x_i` be the probability that a user continues past item i of the group.
    The user then continues past the first t of the c places with probability :math:`e_t(x)/\binom{c}{t}`, where
    :math:`e_t` is the elementary symmetric polynomial of degree t.
    """

    def __init__(self, grade, ptr, judged, tie_ptr, **columns):
        super().__init__(grade, ptr, judged, **columns)
        self.tie_ptr = tie_ptr

    @cached_property
    def tie_size(self):
        """Return the number of items in each row's tie group."""
        return self._spread(np.diff(self.tie_ptr))

    @cached_property
    def row_tie(self):
        """Return the index of each row's tie group."""
        return expand(self.tie_ptr)

    @cached_property
    def place_in_tie(self):
        """Return the place of each row in its tie group, counted from 1."""
        return self.position - self._spread(self.position[self.tie_ptr[:-1]]) + 1

    def hits(self, threshold=None, k=None):
        """For each list, compute the expected number of relevant items among the first `k` items."""
        return self._sum_first(("hits", threshold), lambda: self.rate(self.relevant(threshold)), k)

    def hits_from(self, border, threshold, k):
        """Compute the expected number of relevant items with at least the grade `border` among the first `k` items."""
        return self.total(self.rate(self.grade >= border[self.row_query]), k)

    def gains(self, k, gain, discount):
        """For each list, compute the expected discounted cumulative gain of the first `k` rows."""
        return self._sum_first(
            ("gains", gain, discount),
            lambda: self.rate(GAINS[gain](self.grade)) / self._discounts(discount)[self.position],
            k,
        )

    def _sum_first(self, key, values, k):
        """For each list, sum ``values()`` over the first `k` rows; the running sums are cached under `key`."""
        total = self.once(key, lambda: ragged_cumsum(values(), self.ptr))
        start, end = self.ptr[:-1], self.ptr[1:]
        if k is not None:
            end = np.minimum(end, start + k)
        return np.where(end > start, total[end - 1], 0.0)

    def rate(self, value):
        """Replace the value of each row by the mean value of the row's tie group."""
        return self._group_totals(value.astype(np.float64, copy=False)) / self.tie_size

    def _group_totals(self, value):
        return self._spread(np.add.reduceat(value, self.tie_ptr[:-1])) if len(value) else np.zeros(0)

    def _spread(self, value):
        return np.repeat(value, np.diff(self.tie_ptr))

    def _before(self, value, inside):
        # The total over the groups above the row's own group.
        return self._spread((ragged_cumsum(value, self.ptr) - value)[self.tie_ptr[:-1]]) if len(inside) else inside

    def precisions(self, threshold=None, k=None):
        """Compute the expected sum of the precisions at the relevant items among the first `k` items of each list."""
        relevant = self.relevant(threshold).astype(np.float64)
        inside, size = self._group_totals(relevant), self.tie_size
        more = (self.place_in_tie - 1) * (inside - 1) / np.maximum(size - 1, 1)
        return self.total(inside / size * (self._before(relevant, inside) + 1 + more) / self.position, k)

    def mean_precisions(self, threshold=None, k=None):
        """Compute the expected mean of the precisions at the relevant items among the first `k` items of each list.

        If the cutoff divides a tie group, the number of relevant items above the cutoff depends on the order of the
        tied items. Suppose that the group has t places above the cutoff, with h relevant items in them. Then every
        choice of h of the t places is equally probable.
        """
        value = np.zeros(self.n_queries)
        query = np.flatnonzero(np.diff(self.ptr))
        last = np.minimum(self.ptr[query + 1], np.inf if k is None else self.ptr[query] + k).astype(np.int64) - 1
        relevant = self.relevant(threshold).astype(np.float64)
        inside = self._group_totals(relevant)
        size, taken, hits = self.tie_size[last], self.place_in_tie[last], inside[last].astype(np.int64)
        before = self._before(relevant, inside)[last]
        first = last - taken + 1
        above = np.zeros(self.n_queries, dtype=np.int64)
        above[query] = first - self.ptr[query]
        reached = np.flatnonzero(self.row_tie == np.repeat(self.row_tie[last], np.diff(self.ptr)[query]))
        reached = reached[reached <= np.repeat(last, np.diff(self.ptr)[query])[reached]]
        inverse = np.bincount(self.row_query[reached], 1 / self.position[reached], self.n_queries)[query]
        share = (self.place_in_tie[reached] - 1) / self.position[reached]
        share = np.bincount(self.row_query[reached], share, self.n_queries)[query]

        lowest = np.maximum(taken - (size - hits), 0)
        ptr = np.concatenate([[0], np.cumsum(np.minimum(taken, hits) - lowest + 1)])
        case = expand(ptr)
        found = lowest[case] + positions(ptr) - 1
        chance = hypergeom.pmf(found, size[case], hits[case], taken[case])
        more = np.where(taken > 1, share / np.maximum(taken - 1, 1), 0.0)[case] * (found - 1)
        total = self.precisions(threshold, above)[query][case]
        total = total + found / taken[case] * ((before[case] + 1) * inverse[case] + more)
        mean = total / np.maximum(before[case] + found, 1)
        value[query] = np.bincount(case, chance * mean, len(query))
        return value

    def firsts(self, threshold=None, k=None):
        """Return the query and the place of each row, and the probability that the row is the first relevant one.

        Only the first `k` rows of a list are included.
        """
        relevant = self.relevant(threshold).astype(np.float64)
        inside = self._group_totals(relevant)
        # The first place is a hit with probability r / c. If it is not, the second place is a hit with probability r /
        # (c - 1), and so on.
        left = self.tie_size - self.place_in_tie + 1
        chance = np.minimum(inside / left, 1.0)
        chance[self._before(relevant, inside) > 0] = 0.0
        with np.errstate(divide="ignore"):
            missed = np.log1p(-chance)
        before = np.zeros(len(chance))
        before[1:] = ragged_cumsum(missed, self.tie_ptr)[:-1]
        before[self.tie_ptr[:-1]] = 0.0
        near = slice(None) if k is None else self.position <= k
        return self.row_query[near], self.position[near], (chance * np.exp(before))[near]

    def stops(self, chance):
        """Compute, for each row, the probability that a user who reads the list from the top stops at this row.

        `chance` contains, for each item, the probability that a user who reaches the item stops there.
        """
        goes_on = np.log1p(-chance)
        arrives = np.exp(self._before(goes_on, goes_on))
        stop = chance.copy()
        for group in np.flatnonzero(np.diff(self.tie_ptr) > 1):
            rows = slice(self.tie_ptr[group], self.tie_ptr[group + 1])
            stop[rows] = -np.diff(_mean_products(1 - chance[rows]))
        return arrives * stop

    def preferences(self, threshold=None):
        """Compute the expectation of the sum over the relevant rows in the formula of :func:`bpref`, for each list."""
        others = self.not_relevant(threshold).astype(np.float64)
        inside = self._group_totals(others)
        low = self._before(others, inside)
        worst, scale = (value[self.row_query] for value in self._preference_scale(threshold))
        # The mean of min(t, worst) over t = low, ..., low + inside, where t is the number of nonrelevant items above.
        high = low + inside
        turn = np.clip(worst, low, high)
        total = (low + turn) * (turn - low + 1) / 2 + worst * (high - turn)
        mean = np.where(worst <= low, worst, total / (inside + 1))
        return self.total(np.where(self.relevant(threshold), 1 - mean / scale, 0.0))


def _mean_products(value):
    """For t = 0, ..., c, return the mean product of t values, over all choices of t out of the c values.

    The computation adds only positive terms, so rounding errors remain small.
    """
    mean = np.zeros(len(value) + 1)
    mean[0] = 1.0
    for n, one in enumerate(value, start=1):
        t = np.arange(1, n + 1)
        mean[1 : n + 1] = ((n - t) * mean[1 : n + 1] + t * one * mean[:n]) / n
    return mean


def _by_value(ranked, *keys):
    """Sort the rows of each list by score, best first; return the order of the rows and the main sort key.

    A row is an item of a list. The main sort key contains the negated scores, or the ranks of lists without scores.
    `keys` are arrays that sort the rows of equal score. If there are neither scores nor ranks, both results are None.
    """
    value = -ranked.score if ranked.score is not None else ranked.rank
    if value is None:
        return None, None
    return np.lexsort((*keys, value, ranked.row_query)), value


def _reorder(ranked, order, kind=RankedRelevance, **more):
    columns = {
        "score": None if ranked.score is None else ranked.score[order],
        "rank": None if ranked.rank is None else ranked.rank[order],
        "item": None if ranked.item is None else (ranked.item[0][order], ranked.item[1]),
    }
    return kind(ranked.grade[order], ranked.ptr, ranked.judged, **more, **columns)


def _trec_eval(ranked):
    order, _ = _by_value(ranked, *([] if ranked.item is None else [-byte_order(*ranked.item)]))
    return ranked if order is None else _reorder(ranked, order)


def _trec_eval_float32(ranked):
    columns = {"score": None if ranked.score is None else ranked.score.astype(np.float32)}
    columns |= {"rank": ranked.rank, "item": ranked.item}
    return _trec_eval(RankedRelevance(ranked.grade, ranked.ptr, ranked.judged, **columns))


def byte_order(code, index):
    """Return, for each row, the position of its id when all ids are sorted by their bytes.

    Parameters
    ----------
    code : ndarray of shape (n_rows,), dtype=int
        Position of each row's id in the index.
    index : pandas.Index
        Sorted ids.

    Returns
    -------
    ndarray of shape (n_rows,), dtype=int64
    """
    index = plain_index(index)
    if index.inferred_type == "string":  # strings are already sorted by code points, an order that UTF-8 keeps
        return code
    # Several ids may have the same text.
    _, place = np.unique(index.astype(str).to_numpy(dtype=object), return_inverse=True)
    return place[code]


def _best_or_worst(sign):
    def view(ranked):
        # Judged items precede unjudged items of the same merit, so that the rule also works for measures that count
        # judged items.
        merit = np.where(np.isnan(ranked.grade), -np.inf, np.fmax(ranked.grade, -1.0))
        order, _ = _by_value(ranked, -sign * merit)
        return ranked if order is None else _reorder(ranked, order)

    return view


def _expected(ranked):
    order, value = _by_value(ranked)
    if order is None:
        return ranked
    start = tie_starts(ranked.ptr, value[order])
    if start.all():
        return _reorder(ranked, order)
    return _reorder(ranked, order, ExpectedRelevance, tie_ptr=starts_to_ptr(start))


#: Functions that order a :class:`RankedRelevance`, by the name of the rule.
TIE_RULES = {
    "order": lambda ranked: ranked,
    "trec_eval": _trec_eval,
    "trec_eval_float32": _trec_eval_float32,
    "expected": _expected,
    "optimistic": _best_or_worst(1.0),
    "pessimistic": _best_or_worst(-1.0),
}


#: Rules that use only the ranks or only the scores. The other rules need ranks and scores that agree.
_ONE_COLUMN = {"order", "trec_eval", "trec_eval_float32"}


def order_ties(ranked, ties):
    """Order tied items by one of the rules for ties; the result for each rule is cached.

    Parameters
    ----------
    ranked : RankedRelevance
    ties : {"order", "trec_eval", "trec_eval_float32", "expected", "optimistic", "pessimistic"}

    Returns
    -------
    RankedRelevance

    Raises
    ------
    ValueError
        If the rule needs to order items of equal score, but the scores contradict the ranks.
    """
    if ranked.conflict is not None and ties not in _ONE_COLUMN:
        what, advice = ranked.conflict
        raise InputError(
            f"ties={ties!r} needs scores that order the items of a list in the same way as its ranks; {what}. {advice}"
        )
    if ties not in ranked.views:
        ranked.views[ties] = TIE_RULES[ties](ranked)
    return ranked.views[ties]
