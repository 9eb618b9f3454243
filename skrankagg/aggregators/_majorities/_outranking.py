"""Outranking: an item outranks another item if enough lists agree and not too many lists object."""

from numbers import Integral
from typing import Literal

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import candidates_of, preference_counts, rank_matrix
from ..._arrays._rank_stacks import count_stack, is_small, rank_stacks
from ..._arrays._weight_units import count_in_units
from ..._support._sklearn import Interval, RealNotInt, StrOptions
from ...base import BaseAggregator
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights

__all__ = ["Outranking"]

_THRESHOLD = [Interval(Integral, 0, None, closed="left"), Interval(RealNotInt, 0, 1, closed="both")]


def outranking_relation(concordant, discordant, *, concordance, discordance):
    """Return a mask of shape (..., n, n): True if the row's item outranks the column's item.

    `concordant` and `discordant`, of the same shape, contain the weights of the lists that agree and of the lists that
    object.
    """
    relation = (concordant >= concordance) & (discordant <= discordance)
    items = np.arange(relation.shape[-1])
    relation[..., items, items] = False
    return relation


def net_qualification(relation):
    """Return the number of classes below each item's class, given an outranking relation of shape (..., n, n).

    The balance of an item is the number of items that it outranks minus the number of items that outrank it. The items
    with the largest balance form one class and are removed. Then the balances are counted again among the remaining
    items, and so on.
    """
    n = relation.shape[-1]
    stack = relation.reshape(-1, n, n).astype(np.int8)
    balance = stack - stack.swapaxes(1, 2)
    qualification = balance.sum(axis=2, dtype=np.int32)
    taken = np.int32(-4 * n)  # below any balance, even after all changes
    place = np.zeros(qualification.shape)
    left = np.full(len(stack), n)
    active = np.arange(len(stack))
    step = 0
    while len(active):
        now = qualification[active]
        query, item = np.nonzero(now == now.max(axis=1, keepdims=True))
        place[active[query], item] = step
        # Taking the best items out changes the balance of the items that they outrank or that outrank them.
        starts = np.flatnonzero(np.diff(query, prepend=-1))
        now += np.add.reduceat(balance[active[query], item], starts, axis=0, dtype=np.int32)
        now[query, item] = taken
        now[now < -2 * n] = taken
        qualification[active] = now
        left[active] -= np.bincount(query, minlength=len(active))
        active = active[left[active] > 0]
        step += 1
    return (place.max(axis=1, keepdims=True) - place).reshape(relation.shape[:-1])


class Outranking(BaseAggregator):
    r"""Rank items by an outranking relation: an item outranks another if enough lists agree and not too many object.

    A majority alone is not enough. A minority of the lists has a veto if it ranks the two items the other way round,
    with a wide gap between them.

    Parameters
    ----------
    preference : int or float, default=0
        Preference threshold :math:`s_p`: a list agrees that an item outranks another item if it ranks the first item at
        least this many places above the second. An int is a number of places; a float from 0 to 1 is a share of the
        number of items of the query. At 0 a list that ties the two items agrees in both directions.
    veto : int or float, default=0.75
        Veto threshold :math:`s_v`: a list objects if it ranks the first item at least this many places below the
        second. Int and float values have the same meaning as for `preference`.
    concordance : int or float, default=0.5
        Least weight :math:`c_{min}` of the lists that agree. An int is a sum of list weights, which is a number of
        lists if all weights are 1. A float from 0 to 1 is a share of the total weight of the query's lists.
    discordance : int or float, default=0.25
        Largest weight :math:`d_{max}` of the lists that object. Int and float values have the same meaning as for
        `concordance`.
    both_absent : {"concordant", "ignore"}, default="concordant"
        How to treat two items that are missing from the same list. With "concordant" the list ties the two items, so at
        ``preference=0`` the list agrees in both directions. "ignore" leaves the pair out. See Notes.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    Copeland : Compares items by simple majorities, without thresholds.

    Notes
    -----
    Let :math:`r_k(i)` be the rank of item :math:`i` in list :math:`k`; tied items have their mean rank. Item :math:`i`
    outranks item :math:`j` [1]_ if

    .. math:: \sum_{k : r_k(i) \le r_k(j) - s_p} w_k \ge c_{min} \quad \text{and} \quad
        \sum_{k : r_k(i) \ge r_k(j) + s_v} w_k \le d_{max}.

    The net qualification of an item is the number of items that it outranks minus the number of items that outrank it.
    The items with the largest net qualification form one class and are removed. Then the net qualifications are counted
    again among the remaining items, and so on. The score of an item is the number of classes below its class, so the
    items of a class tie.

    The gap between a ranked item and an absent item exceeds every threshold. So the list always agrees that the ranked
    item outranks the absent item, and objects to the opposite. If absent items were instead placed directly after the
    last item, large gaps would be impossible. For example, top-30 lists of 100 items would have no veto at
    ``veto=0.75``.

    Two absent items have the same rank. By default, the formula applies to them, so at ``preference=0`` a list agrees
    in both directions. With ``both_absent="ignore"`` the list neither agrees nor objects, but its weight is still
    included in the total. If lists are short, few pairs then reach a concordance of one half, and there are few
    classes. For 50 random top-30 lists of 100 items, there are 1 or 2 classes instead of 44.

    Shares are not rounded to an integer number of places or lists. FLAGR rounds them. It also adds up the concordant
    lists of all pairs, instead of using the outranking relation. With FLAGR's default ``concordance=0`` every pair
    meets the first condition, so only vetoes matter. Two items can then belong to the same class, even if every list
    orders them in the same way. Comparisons of places have a tolerance of :math:`10^{-12}` times the number of items.
    Comparisons of weights have a tolerance of :math:`10^{-12}` times the total weight. The time is :math:`O(m n^2)` for
    each query of :math:`m` lists and :math:`n` items. The memory is a few matrices of :math:`n^2` numbers.

    References
    ----------
    .. [1] M. Farah and D. Vanderpooten, "An outranking approach for rank aggregation in information retrieval", SIGIR
       2007.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Outranking
    >>> Outranking().fit_transform(lists)
      query item  score  rank
    0     q    b    2.0     1
    1     q    a    1.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": (
            "a defeat against every item of the list, large enough for a veto; two absent items tie "
            '(`both_absent="ignore"`: no opinion)'
        ),
        "ties": "agree in both directions at `preference=0`",
        "cost": "$m n^2$",
    }
    _cost_terms = ("m n^2", "n^2")
    _tag_notes = {"unanimity": "with `preference=0` and a positive share as `concordance`"}
    _parameter_constraints: dict = {
        "preference": _THRESHOLD,
        "veto": _THRESHOLD,
        "concordance": _THRESHOLD,
        "discordance": _THRESHOLD,
        "both_absent": [StrOptions({"concordant", "ignore"})],
        **VOTER_WEIGHTS,
    }
    _variants = ({}, {"both_absent": "ignore"})
    _cell_bytes = 24.0

    @property
    def _pair_bytes(self):
        return 26.0 if self.both_absent == "ignore" else 19.0

    def __init__(
        self,
        *,
        preference: float = 0,
        veto: float = 0.75,
        concordance: float = 0.5,
        discordance: float = 0.25,
        both_absent: Literal["concordant", "ignore"] = "concordant",
        voter_weights: VoterWeights | None = None,
    ):
        self.preference = preference
        self.veto = veto
        self.concordance = concordance
        self.discordance = discordance
        self.both_absent = both_absent
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        score, lists = np.empty(lists.n_candidates), self._count_lists(lists)
        small = is_small(lists)
        for queries, own, list_ptr, ranks in rank_stacks(lists, small):
            weight = lists.list_weight[own]
            total = np.add.reduceat(weight, list_ptr[:-1])[:, None, None]
            weight = None if (weight == 1).all() else weight
            candidates = candidates_of(lists, queries)
            score[candidates] = net_qualification(self._relation(_StackCounts(ranks, list_ptr, weight), total))
        for q in np.flatnonzero(~small):
            weight = lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]]
            total = weight.sum()
            weight = None if (weight == 1).all() else weight
            relation = self._relation(_QueryCounts(rank_matrix(lists, q), weight), total)
            score[lists.candidate_ptr[q] : lists.candidate_ptr[q + 1]] = net_qualification(relation)
        return score

    def _count_lists(self, lists):
        # A threshold that is a number of lists is compared with their weights, which must keep their scale.
        absolute = any(isinstance(value, Integral) for value in (self.concordance, self.discordance))
        return lists if absolute else count_in_units(lists)[0]

    def _relation(self, counts, total):
        n = counts.ranks.shape[1]
        ignored = self.both_absent == "ignore"
        return outranking_relation(
            _not_behind(counts, _half_places(self.preference, n), total, ignored),
            _not_behind(counts, _half_places(self.veto, n), total, ignored).swapaxes(-1, -2),
            concordance=_threshold(self.concordance, total) - TOLERANCE * total,
            discordance=_threshold(self.discordance, total) + TOLERANCE * total,
        )

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # Suppose that all lists rank item a above item b. Then a outranks b, and a outranks all items that b outranks.
        # This is not certain if a must be several places above b, or if `concordance` is 0 or cannot be reached.
        share = not isinstance(self.concordance, Integral) and self.concordance > 0
        tags.aggregator_tags.unanimity = self.preference == 0 and share
        return tags


def _threshold(value, whole):
    return value if isinstance(value, Integral) else value * whole


def _half_places(value, n):
    """Convert a threshold to an integer number of half places, rounded up; more than n places count as n."""
    return int(np.ceil(2 * min(_threshold(value, n), n) - TOLERANCE * n))


def _not_behind(counts, gap, total, ignored):
    """Return the weight of the lists that rank the row's item at least `gap` half places above the column's item.

    If `gap` is 0, the lists that tie the two items are included.
    """
    if gap > 0:
        return counts.above(gap)
    level = total - counts.above(1).swapaxes(-1, -2)
    return level - counts.silent() if ignored else level


class _QueryCounts:
    """Ranks and weights of one query's lists; the methods add up the weights of lists for each pair of items."""

    def __init__(self, ranks, weight):
        self.ranks, self.weight = ranks, weight

    def above(self, gap):
        return preference_counts(self.ranks, gap=gap, weight=self.weight)

    def silent(self):
        silent = self.ranks > 2 * self.ranks.shape[1]
        return (silent.T * (1.0 if self.weight is None else self.weight)) @ silent.astype(np.float64)


class _StackCounts:
    """Ranks and weights of the lists of many queries; the methods are the same as in :class:`_QueryCounts`."""

    def __init__(self, ranks, list_ptr, weight):
        self.ranks, self.list_ptr, self.weight = ranks, list_ptr, weight

    def above(self, gap):
        return count_stack(self.ranks + gap, self.ranks, self.list_ptr, self.weight)

    def silent(self):
        silent = self.ranks > 2 * self.ranks.shape[1]
        return count_stack(~silent, silent.view(np.int8) - 1, self.list_ptr, self.weight)
