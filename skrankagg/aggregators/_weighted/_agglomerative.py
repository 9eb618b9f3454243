"""Aggregation that merges two lists at a time until one list is left."""

from numbers import Real
from typing import Literal

import numpy as np

from ..._arrays._pairwise import candidates_of, majority_agreement, preference_counts, rank_matrix
from ..._arrays._ragged import expand
from ..._arrays._rank_stacks import agree_stack, count_stack, is_small, rank_stacks
from ..._kernels import merge_lists
from ..._support._sklearn import Interval, StrOptions
from ...base import WeightedAggregator
from ...base._tags import TagsOfAggregator
from ...base._weighted import WEIGHTING
from ...exceptions import InputError

__all__ = ["Agglomerative"]


class Agglomerative(WeightedAggregator):
    r"""Merge the two most similar lists again and again; lists that agree with majorities have more weight.

    Nearly equal lists are merged early, so together they count as one list when they are later merged with other lists.

    Parameters
    ----------
    c1, c2 : float, default=0.1, 0.5
        Coefficients in the formula for the weight of a merged list, see Notes. Both are at least 0, and at least one is
        above 0.
    weight_update : {"mean", "similarity"}, default="mean"
        Weight of a merged list, see Notes.
    weighting : {"query", "global"}, default="query"
        Source of the weights: "query" learns the weights of each query from its own lists; "global" gives each voter
        one weight, pooled over the queries given to ``fit``.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists, with ``weighting="global"``. "mean" gives the voter the
        mean weight. "ignore" gives the voter weight 0. Its lists then have no effect, except that their items are
        candidates. "error" raises an error.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter` and `weight`. The weights are pooled over the queries; the average voter has weight 1.
    query_voter_weights_ : DataFrame
        Columns `query`, `voter` and `weight`. These are the weights before any list is merged.

    Warns
    -----
    UnequalLengthWarning
        If the longest list of a query outweighs all other lists.
    UnknownVoterWarning
        With ``weighting="global"``, if no voter of the lists was in the training lists.

    See Also
    --------
    PreferenceRelations : Learns weights from large majorities only.

    Notes
    -----
    The initial weight of a list is the number of pairs on which it agrees with a strict majority. A list gives the item
    of rank :math:`r` among :math:`n` items the score :math:`n (n + 1 - 2r) / 2` [1]_. The similarity of two lists is
    :math:`\rho = 1 - 6 \sum d^2 / (n^3 - n)`, where :math:`d` is the difference between an item's ranks in the two
    lists. The two lists with the greatest :math:`\rho` are merged:

    .. math:: s = \frac{w_1 s_1 + w_2 s_2}{w_1 + w_2}, \qquad
        w = \frac{c_1 w_1 + c_2 w_2}{c_1 + c_2} \quad\text{or}\quad
        w = \frac{c_1 (w_1 + w_2) / 2 + c_2 \bar\rho}{c_1 + c_2},

    where :math:`\bar\rho` is the mean similarity of the merged list to the other lists, and the merged list ranks its
    items by :math:`s`. The two formulas for :math:`w` come from two implementations that disagree, and the paper may
    use yet another formula. ``weight_update="mean"`` is the first formula, with :math:`w_1 \le w_2`, so the order of
    the voters does not matter. "similarity" is the second formula.

    Tied items share their mean rank. The items missing from a list tie below the items of the list. When majorities are
    counted, a list ranks its items above absent items and does not compare two absent items. If several pairs of lists
    have the greatest similarity, the pair that contains the list with the largest weight is merged. If several pairs
    remain, the weight of the other list decides, and then the content of the lists. The method does not accept list
    weights other than 1: two copies of a list merge into one list, so they do not act like one list of weight 2. The
    time for each query is usually :math:`O(m n^2 + m^2 n)`. At worst it is :math:`O(m n^2 + m^2 n + m^3)`, if very many
    pairs of lists are equally similar. The memory is :math:`O(n^2 + m n + m^2)`.

    References
    ----------
    .. [1] S. Chatterjee, A. Mukhopadhyay and M. Bhattacharyya, "A weighted rank aggregation approach towards crowd
       opinion analysis", Knowledge-Based Systems 149, 2018.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Agglomerative
    >>> Agglomerative().fit_transform(lists)["item"].tolist()
    ['b', 'a', 'c', 'd']
    """

    _guide = {
        "absent": "the mean of the remaining places, (L + 1 + n) / 2; in majorities, a place below the listed items",
        "ties": "mean rank",
        "cost": "$m n^2 + m^2 n$, at worst $+ m^3$",
    }
    _cost_terms = ("m n^2", "n^2", "m^2 n", "m^3")
    _tag_notes = {"absent_below": 'with `weight_update="mean"`'}
    _parameter_constraints: dict = {
        "c1": [Interval(Real, 0, None, closed="left")],
        "c2": [Interval(Real, 0, None, closed="left")],
        "weight_update": [StrOptions({"mean", "similarity"})],
        "weighting": WEIGHTING["weighting"],
        "unknown_voter": WEIGHTING["unknown_voter"],
    }
    _tags = {"voter_weights": False}
    _variants = ({}, {"weight_update": "similarity"})
    _pair_bytes, _cell_bytes = 7.0, 40.0

    def __init__(
        self,
        *,
        c1: float = 0.1,
        c2: float = 0.5,
        weight_update: Literal["mean", "similarity"] = "mean",
        weighting: Literal["query", "global"] = "query",
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
    ):
        self.c1 = c1
        self.c2 = c2
        self.weight_update = weight_update
        self.weighting = weighting
        self.unknown_voter = unknown_voter

    def _prepare(self, X):
        lists = super()._prepare(X)
        if self.c1 + self.c2 == 0:
            raise InputError(
                "`c1` and `c2` of Agglomerative must not both be 0, because the weight of a merged list is divided by "
                "c1 + c2. Raise one of the two numbers."
            )
        return lists

    def _memory(self, lists):
        return super()._memory(lists) + 8.0 * np.diff(lists.list_ptr).astype(np.float64) ** 2

    def _merging_memory(self, lists):
        return self._memory(lists) - self._pair_bytes * lists.query_n_items.astype(np.float64) ** 2

    def _voter_weights(self, lists):
        weight, small = np.empty(lists.n_lists), is_small(lists)
        for _, own, list_ptr, ranks in rank_stacks(lists, small):
            counts = count_stack(ranks + 1, ranks, list_ptr)
            weight[own] = agree_stack(ranks + 1, ranks, list_ptr, counts > counts.swapaxes(1, 2))
        for q in np.flatnonzero(~small):
            ranks = rank_matrix(lists, q)
            weight[lists.list_ptr[q] : lists.list_ptr[q + 1]] = majority_agreement(ranks, preference_counts(ranks))
        return weight

    def _aggregate_weighted(self, lists, weight, known):
        consensus = np.empty(lists.n_candidates)
        for queries, own, list_ptr, ranks in rank_stacks(lists):
            n, query = ranks.shape[1], expand(list_ptr)
            # Only lists of ignored voters have weight 0 here: they are not merged, and their items stay candidates.
            counted = np.flatnonzero(lists.list_weight[own] > 0)
            # Sort the lists by content, so that the names of the voters do not matter.
            order = counted[np.lexsort((weight[own[counted]], *ranks[counted].T[::-1], query[counted]))]
            ranks = ranks[order] / 2
            held = ranks <= n
            # Each absent item gets the mean of the places after the last item of the list.
            ranks = np.where(held, ranks, (held.sum(axis=1, keepdims=True) + 1 + n) / 2)
            score, own = n * (n + 1 - 2 * ranks) / 2, weight[own[order]]
            ptr = np.searchsorted(query[order], np.arange(len(queries) + 1))
            consensus[candidates_of(lists, queries)] = self._merge(score, own, ptr)
        return consensus

    def _merge(self, score, weight, list_ptr):
        """Repeatedly merge the two most similar lists of each query, until one list is left.

        Returns scores of shape (n_queries, n_items).
        """
        if score.shape[1] == 1:
            return score[list_ptr[:-1]]
        return merge_lists(score, weight, list_ptr, self.c1, self.c2, self.weight_update == "similarity")

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # With "similarity", the weight of a merged list depends less on its parts than on its similarity to others.
        tags.aggregator_tags.absent_below = self.weight_update == "mean"
        return tags
