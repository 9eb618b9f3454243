"""Local Kemenization: repair of another method's consensus with the least change."""

from typing import Literal

import numpy as np

from ..._arrays._pairwise import candidates_of
from ..._arrays._preferences import margins
from ..._kernels import majority_insertions
from ..._support._sklearn import check_is_fitted, clone
from ...base import BaseAggregator
from ...base._tags import TagsOfAggregator
from .._scores._borda import BordaCount
from ._approximations import ABSENT, BaseNearKemeny
from ._stacks import interchangeable

__all__ = ["LocalKemenization"]


class LocalKemenization(BaseNearKemeny):
    r"""Repair another method's consensus so that no two neighbours contradict a majority.

    Among all orders in which no two neighbours contradict a majority, the repaired order is the closest to the
    consensus. If there is a Condorcet winner, it comes first in the repaired order, whatever the method.

    Parameters
    ----------
    aggregator : estimator, default=None
        Method whose consensus is repaired; None means ``BordaCount()``. Set the parameters of the method with names
        such as ``aggregator__alpha``.
    absent : {"last", "ignore"}, default="last"
        How the repair treats items missing from a list: "last" ties them below the items of the list; "ignore" leaves
        them out. The parameter does not affect `aggregator`.

    Attributes
    ----------
    aggregator_ : estimator
        The fitted method.
    query_info_ : DataFrame
        Columns `query` and `kemeny_score` of the repaired order, with a penalty of 0.5.

    See Also
    --------
    local_kemenization : Repairs an order.
    Kemeny : Finds the best order; ``method="local-search"`` improves Borda's order more than this repair.

    Notes
    -----
    Items are inserted one by one in the order of the consensus. Each item moves up as long as a majority prefers it to
    the item just above it [1]_. The Kemeny score never rises. The repaired order meets the extended Condorcet
    criterion: if all majorities between two groups of items are for the first group, this group comes first. `score` is
    the number of items below the item. Two neighbours tie if they have the same margins against all items. The repair
    takes :math:`O(m n^2)`, in addition to the time of the method.

    References
    ----------
    .. [1] C. Dwork, R. Kumar, M. Naor and D. Sivakumar, "Rank aggregation methods for the web", WWW 2001.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg import CombSUM, LocalKemenization
    >>> CombSUM(norm="z-score").fit_transform(lists)["item"].tolist()
    ['b', 'a', 'd', 'c']
    >>> LocalKemenization(CombSUM(norm="z-score")).fit_transform(lists)["item"].tolist()
    ['b', 'a', 'c', 'd']
    """

    _guide = {
        "absent": "first as its `aggregator`, then as `Kemeny` in the repair",
        "ties": "not compared",
        "cost": "$m n^2$ after its aggregator",
    }
    _cost_terms = ("m n^2", "n^2", "aggregator")
    _tag_notes = {"needs_scores": "as its `aggregator`", "absent_below": '`absent="last"`, or as its `aggregator`'}
    _parameter_constraints: dict = {"aggregator": [BaseAggregator, None], **ABSENT}
    _tags = {"condorcet_winner": True}
    _pair_bytes = 41.0

    def __init__(self, aggregator: BaseAggregator | None = None, *, absent: Literal["last", "ignore"] = "last"):
        self.aggregator = aggregator
        self.absent = absent

    @property
    def _scores_hint(self):
        return self._aggregator()._scores_hint

    def _aggregator(self) -> BaseAggregator:
        return BordaCount() if self.aggregator is None else clone(self.aggregator)

    def _fit_lists(self, lists):
        self._check_memory(lists, self._memory(lists))  # before the aggregator runs, which may take long
        self.aggregator_: BaseAggregator = self._aggregator()
        self.aggregator_._fit_lists(self.aggregator_._prepare(lists))
        return super()._fit_lists(lists)

    def _prepare_search(self, lists):
        aggregator = self._aggregator()
        if aggregator.__sklearn_tags__().requires_fit:
            check_is_fitted(self, "aggregator_")
            aggregator = self.aggregator_
        return aggregator._rank(aggregator._prepare(lists)).order

    def _rank_items(self, lists, queries, prefer, tied, given):
        margin = margins(prefer)
        order = majority_insertions(
            margin, given[candidates_of(lists, queries)] - lists.candidate_ptr[queries][:, None]
        )
        place = np.broadcast_to(np.arange(order.shape[1]), order.shape)
        return order, place, interchangeable(margin, order)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        base = self._aggregator().__sklearn_tags__()
        tags.requires_fit = base.requires_fit
        own = tags.aggregator_tags
        # If no list compares two items, the repair keeps them in the order of the method.
        own.absent_below |= base.aggregator_tags.absent_below
        if self.absent == "ignore":
            own.compares = base.aggregator_tags.compares
        own.lenient = base.aggregator_tags.lenient
        own.needs_scores = base.aggregator_tags.needs_scores
        own.voter_weights = base.aggregator_tags.voter_weights
        own.scale_free = base.aggregator_tags.scale_free
        own.integer_weights = base.aggregator_tags.integer_weights
        return tags
