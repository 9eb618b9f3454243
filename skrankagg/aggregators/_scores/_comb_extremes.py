"""The maximum, the minimum and the median of normalised scores."""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._ragged import group_order, starts_to_ptr
from ..._data._frames import first_row, show_id
from ...base import Consensus
from ...base._tags import TagsOfAggregator
from ...exceptions import InputError
from ._combinations import BaseComb

__all__ = ["CombMAX", "CombMED", "CombMIN"]

# Largest number of cells (lists times items) of queries that are processed together. A larger query is processed alone.
_CELLS = 1 << 22


class _BaseChoice(BaseComb):
    """Base class of methods whose score is one of an item's normalised scores, or the mean of two of them.

    Lists of weight 0 are ignored.
    """

    # One list's value decides. If this list contains only one of two items, either item may come first.
    _tags = {"unanimity": False, "absent_below": False}
    _variants = ({"norm": "min-max"}, {"norm": None}, {"norm": "z-score", "absent_score": "min"})
    #: Whether a score is one of the values; if not, the score is the mean of two values.
    _is_one_value = True

    def _aggregate(self, lists):
        value, absent = self._values(lists)
        if not np.isfinite(value).all():
            row = first_row(~np.isfinite(value))
            raise InputError(
                f"{self!r} cannot compute the value of item "
                f"{show_id(lists.items, lists.candidate_item[lists.candidate[row]])}, because the value is outside "
                "the range of floating-point numbers. Choose norm='min-max'."
            )
        weight = lists.list_weight[lists.row_list]
        rows = slice(None) if not lists.is_weighted else weight > 0
        candidate, value, weight = lists.candidate[rows], value[rows], weight[rows]
        score = np.zeros(lists.n_candidates)
        if absent is None:
            self._choose(score, candidate, value, weight)
        else:
            self._choose_for_all(score, lists, absent, candidate, value, weight)
        # Without a norm, scores are copies of given scores, so even the smallest difference is real.
        exact = self.norm is None and self._is_one_value
        return Consensus(score, scale=np.zeros(len(score)) if exact else None, additive=absent is None)

    @staticmethod
    def _choose(score, candidate, value, weight):
        """Compute the score of each candidate from its values and their positive weights, and store it in `score`.

        `candidate`, `value` and `weight` have shape (n_values,).
        """
        raise NotImplementedError

    def _choose_for_all(self, score, lists, absent, candidate, value, weight):
        """Compute scores like `_choose`, but also use the value in `absent` that each list gives to absent items."""
        # Take some queries at a time: the values of absent items need more memory than the rows.
        for rows, cells, owners in _absent_cells(lists, candidate):
            given = lists.list_weight[owners] > 0
            cells, owners = cells[given], owners[given]
            self._choose(
                score,
                np.concatenate([candidate[rows], cells]),
                np.concatenate([value[rows], absent[owners]]),
                np.concatenate([weight[rows], lists.list_weight[owners]]),
            )

    def _memory(self, lists):
        if self.absent_score == "zero" and self.norm != "borda":
            return None
        # Measured: masks, positions, values and their sorted copies for each list and item of a query.
        return 80.0 * lists.query_n_items * np.diff(lists.list_ptr)


def _absent_cells(lists, candidate):
    """Pair each candidate with the lists of its query that do not contain it.

    A few queries are processed at a time. For each batch of queries, three results are yielded: a slice of their rows,
    the candidate of each pair, and the list of each pair.

    `candidate` contains the candidate of each row whose list has a positive weight. A list of weight 0 is treated as if
    it did not contain its items.
    """
    n_lists = np.diff(lists.list_ptr)
    cells = lists.query_n_items * n_lists
    part = np.cumsum(cells) // _CELLS
    starts = np.flatnonzero(np.diff(part, prepend=-1))
    row_list = lists.row_list if len(candidate) == lists.n_rows else lists.row_list[lists.row_weight > 0]
    row_query = lists.list_query[row_list]
    for first, stop in zip(starts, [*starts[1:], lists.n_queries], strict=True):
        queries = np.arange(first, stop)
        rows = slice(*np.searchsorted(row_query, [first, stop]))
        ptr = np.concatenate([[0], np.cumsum(cells[queries])])
        query = row_query[rows] - first
        held = np.zeros(ptr[-1], dtype=bool)
        item = candidate[rows] - lists.candidate_ptr[first + query]
        held[ptr[query] + item * n_lists[first + query] + row_list[rows] - lists.list_ptr[first + query]] = True
        cell = np.flatnonzero(~held)
        query = np.searchsorted(ptr, cell, side="right") - 1
        item, voter = np.divmod(cell - ptr[query], n_lists[first + query])
        yield rows, lists.candidate_ptr[first + query] + item, lists.list_ptr[first + query] + voter


class CombMAX(_BaseChoice):
    r"""Rank items by the greatest of their normalised scores.

    A single list that ranks an item first is enough to bring the item to the top. Use this method if the lists cover
    different items, for example if they come from the shards of one index.

    Parameters
    ----------
    norm : str or None, default="min-max"
        How each list is rescaled before the greatest score is chosen, as in :class:`CombSUM`. "borda" also gives a
        value to absent items.
    absent_score : {"zero", "min"}, default="zero"
        Value of an item in a list that does not contain it. With "zero" the list has no effect on the item (the
        name of the option comes from :class:`CombSUM`, where the list adds 0). With "min" the value is the lowest value
        of the list.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists. All weights above 0 have the same effect.

    See Also
    --------
    CombMIN : Ranks by the least score.
    CombMED : Ranks by the median score.
    CombSUM : Ranks by the sum; its Notes define the norms.

    Notes
    -----
    Let :math:`s_v(i)` be the normalised score that list :math:`v` gives item :math:`i`. The score is [1]_

    .. math:: \mathrm{CombMAX}(i) = \max_{v \ni i} s_v(i).

    A list of weight 2 acts like two copies of the list, and a copy does not change the maximum. So the size of a weight
    does not matter. Under "min-max" the first item of every list scores 1, so all items that come first in some list
    tie. They are sorted by the number of lists that contain them. Tied items of a list share their mean rank. Lists
    that do not contain an item have no effect on its score, except with ``absent_score="min"``. If only lists of weight
    0 contain an item, its score is 0. The time is linear in the number of rows.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import CombMAX
    >>> CombMAX().fit_transform(lists)
      query item  score  rank
    0     q    b    1.0     1
    1     q    a    1.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": 'the list is ignored for this item; `norm="borda"` and `absent_score="min"`: as in `CombSUM`',
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": "$N$",
    }
    _cost_terms = ("m n",)

    @staticmethod
    def _choose(score, candidate, value, weight):
        _reduce(np.maximum, score, candidate, value)

    def _choose_for_all(self, score, lists, absent, candidate, value, weight):
        self._choose(score, candidate, value, weight)
        # A list never gives one of its own items less than an absent item, so all lists of the query may count.
        counted = np.where(lists.list_weight > 0, absent, -np.inf)
        greatest = np.maximum.reduceat(counted, lists.list_ptr[:-1])[lists.candidate_query]
        counts = np.isfinite(greatest)
        silent = np.ones(len(score), dtype=bool)
        silent[candidate] = False
        score[silent & counts] = -np.inf
        np.maximum(score, greatest, out=score, where=counts)

    def _memory(self, lists):
        return None

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # The lowest value of a list is seldom the greatest value of an item, so "min" hardly changes anything.
        tags.aggregator_tags.lenient = None
        return tags


class CombMIN(_BaseChoice):
    r"""Rank items by the least of their normalised scores.

    Use this method if every list contains every item, and if one bad rank should rule an item out. If lists are cut at
    some rank, items in many lists are at a disadvantage, because more lists can give them a low value. Choose
    :class:`CombSUM`, or ``absent_score="min"``, for such lists.

    Parameters
    ----------
    norm : str or None, default="min-max"
        How each list is rescaled before the least score is chosen, as in :class:`CombSUM`. "borda" also gives a value
        to absent items.
    absent_score : {"zero", "min"}, default="zero"
        Value of an item in a list that does not contain it. With "zero" the list has no effect on the item (the
        name of the option comes from :class:`CombSUM`, where the list adds 0). With "min" the value is the lowest value
        of the list.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists. All weights above 0 have the same effect.

    See Also
    --------
    CombMAX : Ranks by the greatest score.
    CombMED : Ranks by the median score.
    CombSUM : Ranks by the sum; its Notes define the norms.

    Notes
    -----
    Let :math:`s_v(i)` be the normalised score that list :math:`v` gives item :math:`i`. The score is [1]_

    .. math:: \mathrm{CombMIN}(i) = \min_{v \ni i} s_v(i).

    A list of weight 2 acts like two copies of the list, and a copy does not change the minimum. So the size of a weight
    does not matter. Tied items of a list share their mean rank. Lists that do not contain an item have no effect on its
    score, except with ``absent_score="min"``. If only lists of weight 0 contain an item, its score is 0. The time is
    linear in the number of rows. With ``absent_score="min"`` it is linear in the number of lists times the number of
    items.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import CombMIN
    >>> CombMIN().fit_transform(lists)
      query item  score  rank
    0     q    b    0.5     1
    1     q    a    0.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": "as in `CombMAX`",
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": '$N$; `absent_score="min"`: $m n$',
    }
    _cost_terms = ("m n",)

    @staticmethod
    def _choose(score, candidate, value, weight):
        _reduce(np.minimum, score, candidate, value)


def _reduce(choose, score, candidate, value):
    """Set the score of each candidate to the greatest or the least of its values, in place.

    `choose` is np.maximum or np.minimum. `value` contains the values, and `candidate` the candidate of each value.
    """
    score[candidate] = value
    choose.at(score, candidate, value)


class CombMED(_BaseChoice):
    r"""Rank items by the median of their normalised scores.

    The result tolerates arbitrary errors in up to half of the lists that contain an item. Lists that do not contain the
    item are ignored. So if lists are cut at some rank, items in many lists are at a disadvantage. Choose
    :class:`CombSUM`, or ``absent_score="min"``, for such lists.

    Parameters
    ----------
    norm : str or None, default="min-max"
        How each list is rescaled before the median score is chosen, as in :class:`CombSUM`. "borda" also gives a value
        to absent items.
    absent_score : {"zero", "min"}, default="zero"
        Value of an item in a list that does not contain it. With "zero" the list has no effect on the item (the
        name of the option comes from :class:`CombSUM`, where the list adds 0). With "min" the value is the lowest value
        of the list.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    CombMAX : Ranks by the greatest score.
    CombMIN : Ranks by the least score.
    CombANZ : Ranks by the mean over the lists that contain the item.
    CombSUM : Ranks by the sum; its Notes define the norms.
    RankStatistic : With ``statistic="median"`` it ranks by the median of the ranks.

    Notes
    -----
    Let :math:`s_v(i)` be the normalised score that list :math:`v` gives item :math:`i`. The score is [1]_

    .. math:: \mathrm{CombMED}(i) = \operatorname{median}_{v \ni i} s_v(i),

    where the median of an even number of values is the mean of the two values in the middle. With weights, the lower
    median is the least value :math:`x` such that the values up to :math:`x` have at least half of the total weight. The
    upper median is the least :math:`x` such that these values have more than half. The score is the mean of the two
    medians, so a list with an integer weight w counts as w copies. A fraction of the weight that differs from one half
    only by rounding is treated as one half. Tied items of a list share their mean rank. Lists that do not contain an
    item have no effect on its score, except with ``absent_score="min"``. If only lists of weight 0 contain an item, its
    score is 0. The method sorts the rows by item and value. With ``absent_score="min"`` it sorts one value for each
    list and item.

    References
    ----------
    .. [1] E. A. Fox and J. A. Shaw, "Combination of multiple searches", TREC-2, 1994.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import CombMED
    >>> CombMED().fit_transform(lists)
      query item  score  rank
    0     q    b    1.0     1
    1     q    a    0.5     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": "as in `CombMAX`",
        "ties": "mean rank; with norms that use scores: their scores",
        "cost": r'$N \log N$; `absent_score="min"`: $m n \log(m n)$',
    }
    _cost_terms = ("N log N", "m n")
    _is_one_value = False

    @staticmethod
    def _choose(score, candidate, value, weight):
        if not len(candidate):
            return
        order = group_order(candidate, value)
        candidate, value, weight = candidate[order], value[order], weight[order]
        ptr = starts_to_ptr(np.concatenate([[True], candidate[1:] != candidate[:-1]]))
        if (weight == 1).all():
            size = np.diff(ptr)
            lower, upper = value[ptr[:-1] + (size - 1) // 2], value[ptr[:-1] + size // 2]
        else:
            lower, upper = _weighted_medians(ptr, value, weight)
        score[candidate[ptr[:-1]]] = lower / 2 + upper / 2


def _weighted_medians(ptr, value, weight):
    """Return the lower and the upper weighted median of each group, as two arrays of shape (n_groups,).

    Group g consists of ``value[ptr[g]:ptr[g + 1]]``, in ascending order. All weights are positive. Weights are added up
    separately within each group, so rounding in one group does not depend on other groups.
    """
    head, size = ptr[:-1], np.diff(ptr)
    half = np.add.reduceat(weight, head) / 2
    reached = np.zeros(len(head))
    lower, upper = value[ptr[1:] - 1], value[ptr[1:] - 1]
    at_half, beyond = np.zeros(len(head), dtype=bool), np.zeros(len(head), dtype=bool)
    left = np.arange(len(head))
    for place in range(size.max()):
        left = left[(size[left] > place) & ~beyond[left]]
        row = head[left] + place
        reached[left] += weight[row]
        tolerance = TOLERANCE * half[left]
        for passed, found, median in (
            (reached[left] >= half[left] - tolerance, at_half, lower),
            (reached[left] > half[left] + tolerance, beyond, upper),
        ):
            new = passed & ~found[left]
            median[left[new]] = value[row[new]]
            found[left[new]] = True
    return lower, upper
