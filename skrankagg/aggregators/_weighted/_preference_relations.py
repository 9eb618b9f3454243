"""Voter weights from pairwise majorities, by the method of preference relations."""

from numbers import Real
from typing import Literal

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import count_above, preference_counts, rank_matrix
from ..._arrays._ragged import starts_to_ptr, tie_starts
from ..._arrays._rank_stacks import agree_stack, count_stack, is_small, rank_stacks
from ..._support._sklearn import Interval
from ...base import WeightedAggregator
from ...base._consensus import Contributions
from ...base._voter_weights import VoterWeights
from ...base._weighted import WEIGHTING

__all__ = ["PreferenceRelations"]


def alpha_majority(counts, total, alpha, beta):
    """Return a mask of item pairs, True where a large majority prefers the row's item to the column's item.

    The weight of the lists that compare the two items must be at least `beta` times `total`. The weight of the lists
    that prefer the column's item must be less than `alpha` times the weight of the comparing lists. `counts` contains
    the weight of the lists that prefer the row's item.
    """
    against = counts.swapaxes(-1, -2)
    compared = counts + against
    margin = TOLERANCE * total
    return (compared >= beta * total - margin) & (alpha * compared - margin > against)


def disagreements(ranks, absent, majority):
    """Count, for each list, the pairs of items on which the list opposes a large majority.

    `majority` is the mask of pairs with a large majority. A pair in this mask counts as one half if the list contains
    neither item. `ranks` and `absent` have shape (n_lists, n_items); `absent` marks the items missing from each list.
    """
    n = ranks.shape[1]
    against = count_above(ranks, majority.T)
    # Sums of ones in 32 bits are exact up to 2^24, the square of 4096 items.
    absent = absent.astype(np.float32 if n <= 4096 else np.float64)
    silent = np.einsum("ki,ki->k", absent @ majority.astype(absent.dtype), absent, dtype=np.float64)
    return against + silent / 2


class PreferenceRelations(WeightedAggregator):
    r"""Rank items by the number of items below them; lists that seldom oppose a large majority have more weight.

    A list loses weight for each pair on which it contradicts almost all other lists. Each list then counts the items
    below each of its items, and the score is the weighted sum of these counts.

    Parameters
    ----------
    alpha : float, default=0.1
        Limit on the size of a minority, above 0 and at most 1/2. Consider the lists that compare two items. Their
        majority only counts if the share of these lists that opposes it is below `alpha`.
    beta : float, default=0.5
        Smallest share of all lists that must compare two items so that their majority is used, from 0 to 1.
    absent_edges : bool, default=True
        Whether an item of a list also gets a point for each item that is missing from the list.
    weighting : {"query", "global"}, default="query"
        Source of the weights: "query" learns the weights of each query from its own lists; "global" gives each voter
        one weight, pooled over the queries given to ``fit``.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists, with ``weighting="global"``. "mean" gives the voter the
        mean weight. "ignore" gives the voter weight 0. Its lists then have no effect, except that their items are
        candidates. "error" raises an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights given in advance; they multiply the weights of the lists.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter` and `weight`. The weights are pooled over the queries; the average voter has weight 1.
    query_voter_weights_ : DataFrame
        Columns `query`, `voter` and `weight`.

    Warns
    -----
    UnequalLengthWarning
        If the longest list of a query outweighs all other lists.
    UnknownVoterWarning
        With ``weighting="global"``, if no voter of the lists was in the training lists.

    See Also
    --------
    DIBRA : Learns weights from the distance to the consensus.

    Notes
    -----
    A list compares two items if it ranks one above the other, or contains only one of them. The pair is decided [1]_ if
    at least :math:`\beta m` of the :math:`m` lists compare it, and if the minority's share of these lists is less than
    :math:`\alpha`. Let :math:`D_v` be the number of decided pairs that list :math:`v` orders the other way, plus half
    the number of decided pairs with neither item in the list. The weight of the list and the score of an item are

    .. math:: w_v = 1 - D_v / \tbinom{n}{2}, \qquad s(i) = \sum_v w_v |\{j : v \text{ ranks } i \text{ above } j\}|,

    where :math:`s(i)` is the weighted in-degree of :math:`i` in the graph of preferences. Tied items are not compared.
    An absent item is below every ranked item; in the score this holds only with ``absent_edges=True``. In a query of a
    single item all weights are 1. The value 1/2 for a pair with neither item in the list is taken from two existing
    implementations of the paper. These implementations differ in the points for absent items, so the parameter
    `absent_edges` offers both variants. The time for each query is :math:`O(m n^2)`, and the memory is :math:`O(n^2)`.

    References
    ----------
    .. [1] M. S. Desarkar, S. Sarkar and P. Mitra, "Preference relations based unsupervised rank aggregation for
       metasearch", Expert Systems with Applications 49, 2016.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import PreferenceRelations
    >>> PreferenceRelations(alpha=0.5).fit_transform(lists)["item"].tolist()
    ['b', 'a', 'c', 'd']
    """

    _guide = {
        "absent": (
            "a defeat against each item of the list (`absent_edges=False`: only in learning weights); two absent "
            "items are not compared"
        ),
        "ties": "not compared",
        "cost": "$m n^2$",
    }
    _cost_terms = ("m n^2", "n^2")
    _parameter_constraints: dict = {
        "alpha": [Interval(Real, 0, 0.5, closed="right")],
        "beta": [Interval(Real, 0, 1, closed="both")],
        "absent_edges": ["boolean"],
        **WEIGHTING,
    }
    _pair_bytes, _cell_bytes = 27.0, 24.0

    def __init__(
        self,
        *,
        alpha: float = 0.1,
        beta: float = 0.5,
        absent_edges: bool = True,
        weighting: Literal["query", "global"] = "query",
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        voter_weights: VoterWeights | None = None,
    ):
        self.alpha = alpha
        self.beta = beta
        self.absent_edges = absent_edges
        self.weighting = weighting
        self.unknown_voter = unknown_voter
        self.voter_weights = voter_weights

    def _voter_weights(self, lists):
        weight, several, small = np.ones(lists.n_lists), lists.query_n_items > 1, is_small(lists)
        for _, lists_here, list_ptr, ranks in rank_stacks(lists, several & small):
            n, list_weight = ranks.shape[1], lists.list_weight[lists_here]
            counts = count_stack(ranks + 1, ranks, list_ptr, list_weight if lists.is_weighted else None)
            total = np.add.reduceat(list_weight, list_ptr[:-1])[:, None, None]
            majority = alpha_majority(counts, total, self.alpha, self.beta)
            against = agree_stack(ranks + 1, ranks, list_ptr, majority.swapaxes(1, 2))
            absent = ranks > 2 * n
            if absent.any():
                against += agree_stack(~absent, absent.view(np.int8) - 1, list_ptr, majority) / 2
            weight[lists_here] = 1 - against / (n * (n - 1) / 2)
        for q in np.flatnonzero(several & ~small):
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            ranks = rank_matrix(lists, q)
            n, list_weight = ranks.shape[1], lists.list_weight[own]
            counts = preference_counts(ranks, weight=list_weight if lists.is_weighted else None)
            majority = alpha_majority(counts, list_weight.sum(), self.alpha, self.beta)
            weight[own] = 1 - disagreements(ranks, ranks > 2 * n, majority) / (n * (n - 1) / 2)
        return weight

    def _aggregate_weighted(self, lists, weight, known):
        counted = self._out_degrees(lists, weight)
        return np.bincount(lists.candidate, weights=counted, minlength=lists.n_candidates)

    def _contributions(self, lists):
        lists, weight, _ = self._weigh(lists)
        return Contributions(self._out_degrees(lists, weight))

    def _out_degrees(self, lists, weight):
        """For each row, multiply the weight of its list by the number of items below the row in this list."""
        tie_ptr = starts_to_ptr(tie_starts(lists.row_ptr, lists.rank))
        below = lists.row_ptr[1:][lists.row_list] - np.repeat(tie_ptr[1:], np.diff(tie_ptr))
        if self.absent_edges:
            below = below + (lists.query_n_items[lists.list_query] - lists.list_length)[lists.row_list]
        return below * (weight * lists.list_weight)[lists.row_list]
