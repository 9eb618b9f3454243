"""HodgeRank: scores that are fitted to pairwise comparisons by least squares."""

from typing import Literal

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import candidates_of, hold_both, preference_stacks
from ..._data._compared_items import component_labels
from ..._support._sklearn import StrOptions
from ..._support._threads import one_blas_thread
from ...base import BaseAggregator, Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ...base._weight_range import refuse_weights

__all__ = ["HodgeRank"]


class HodgeRank(BaseAggregator):
    r"""Rank items by the scores whose differences fit the margins of pairwise comparisons best (least squares).

    For each pair of items, the lists that compare the two items measure the difference of their scores. These
    measurements are the flow of the query. Weighted least squares fits the scores to the flow: a pair counts more if
    more lists compare it. The inconsistency of a query is the share of its flow that no scores can explain.

    Parameters
    ----------
    flow : {"margin", "logit"}, default="margin"
        Target for the difference of two scores. "margin" is the share of the lists that prefer the first item, minus
        the share of the lists that prefer the second item. "logit" is the logarithm of the ratio of these shares; half
        a list is first added to each of the two sides.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ranks them below the items of the list; "ignore", the rule of the
        paper, compares only the items of the list. Use "ignore" when each voter saw only some items. Two absent items
        are not compared.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : pandas.DataFrame
        For each query of `fit`: `query`, `inconsistency` and `n_components`. `inconsistency` is the share, from 0 to 1,
        of the squared flow that the scores leave unexplained (NaN if all flow is 0). `n_components` is the number of
        components of the query; no list compares items of different components, see
        :meth:`RankedLists.components <skrankagg.RankedLists.components>`.

    See Also
    --------
    BordaCount : Gives the same order if all lists contain all items.
    PlackettLuce : Ranks by the worths that make the lists most likely.
    MarkovChain : With ``chain="rank-centrality"`` it ranks by a random walk on the same comparisons.

    Notes
    -----
    Let :math:`w_{ij}` be the total weight of the lists that compare items :math:`i` and :math:`j`. Let :math:`W_{ij}`
    be the total weight of the lists that rank :math:`i` above :math:`j`, plus half the weight of the lists that tie the
    two items. The scores :math:`s` minimise [1]_

    .. math:: \sum_{i < j} w_{ij} (s_i - s_j - Y_{ij})^2, \qquad
       Y_{ij} = \frac{W_{ij} - W_{ji}}{w_{ij}} \quad\text{or}\quad
       Y_{ij} = \log \frac{W_{ij} + 1/2}{W_{ji} + 1/2},

    with the first form for "margin" and the second for "logit". A component is a set of items that comparisons connect;
    in each component the scores have the mean 0. **Items of different components cannot be compared**: if
    `n_components` is above 1, no list compares items of different components, and the method warns. An item that is
    compared with no other item has the score 0.

    The inconsistency is the minimum of the first sum divided by :math:`\sum w_{ij} Y_{ij}^2`. It is 1 if the flow only
    goes round in circles, for example with the lists abc, bca and cab. All scores are then 0. Margins do not add up
    along an order even if all lists are the same: identical lists of :math:`n` items have the inconsistency :math:`(n -
    2) / 3n` with "margin". Compare the inconsistency only between queries with about the same number of items.

    A tie is a comparison whose margin is 0. If all lists contain all items, the score with "margin" is the mean of the
    item's margins over all :math:`n` items. This mean is an increasing function of Borda's points. With "margin" the
    scale of the weights does not matter. With "logit" a list of weight 3 counts as three lists, and more lists are more
    evidence.

    The time for each query is :math:`O(\sum_v L_v^2 + n^3)`, with :math:`L_v` the lengths of its lists and :math:`n`
    the number of its items. The method needs memory for some matrices of :math:`n^2` numbers.

    References
    ----------
    .. [1] X. Jiang, L.-H. Lim, Y. Yao and Y. Ye, "Statistical ranking and combinatorial Hodge theory", Mathematical
       Programming 127, 2011.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import HodgeRank
    >>> method = HodgeRank()
    >>> method.fit_transform(lists).round(3)
      query item  score  rank
    0     q    b  0.583     1
    1     q    a  0.133     2
    2     q    c -0.250     3
    3     q    d -0.467     4
    >>> method.query_info_.round(3)
      query  inconsistency  n_components
    0     q          0.027             1
    """

    _guide = {
        "absent": (
            '`absent="last"`: a margin of 1 below each item of the list; `"ignore"`: no comparison; two absent items '
            "are not compared"
        ),
        "ties": "a comparison of margin 0",
        "cost": r"$\sum_v L_v^2 + n^3$",
    }
    _cost_terms = ("sum L^2", "n^2", "n^3")
    _parameter_constraints: dict = {
        "flow": [StrOptions({"margin", "logit"})],
        "absent": [StrOptions({"last", "ignore"})],
        **VOTER_WEIGHTS,
    }
    _tags = {"smooth": True}
    _variants = ({}, {"absent": "ignore"}, {"flow": "logit"}, {"flow": "logit", "absent": "ignore"})
    _query_columns = ("inconsistency", "n_components")
    _pair_bytes = 58.0

    def __init__(
        self,
        *,
        flow: Literal["margin", "logit"] = "margin",
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.flow = flow
        self.absent = absent
        self.voter_weights = voter_weights

    # Threads would wait for each other, and their number would change the last digits, as in MarkovChain.
    @one_blas_thread
    def _aggregate(self, lists):
        score, scale = np.zeros(lists.n_candidates), np.empty(lists.n_candidates)
        label = component_labels(lists, self.absent)
        inconsistency, n_components = np.empty(lists.n_queries), np.empty(lists.n_queries, dtype=np.int64)
        for queries, above, level in preference_stacks(lists):
            own = candidates_of(lists, queries)
            compared, gain = _comparisons(above, level, self.absent)
            if self.flow == "logit":
                # 2 W_ij is the weight of the comparing lists plus the margin; rounding may make it negative.
                odds, against = compared + gain, compared - gain
                for one in (odds, against):
                    np.log1p(np.maximum(one, 0.0, out=one), out=one)
                gain = compared * (odds - against)
                del odds, against  # the matrices may be large
            try:
                score[own], inconsistency[queries] = least_squares(compared, gain, label[own])
            except np.linalg.LinAlgError:  # some weights are too small in comparison with others
                refuse_weights(self, lists, queries[0])
            n_components[queries] = label[own].max(axis=1)
            flow = np.divide(gain, compared, out=gain, where=compared > 0)
            scale[own] = np.abs(flow).max(axis=(1, 2))[:, None] + np.abs(score[own])
        queries = {"inconsistency": inconsistency, "n_components": n_components}
        return Consensus(score, queries=queries, scale=scale)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.aggregator_tags.scale_free = self.flow == "margin"
        return tags


def _comparisons(above, level, absent):
    """Return, for each pair of items, the weight of the lists that compare them, and the margin of the row's item."""
    compared, gain = hold_both(above, level), above - above.swapaxes(1, 2)
    items = np.arange(compared.shape[1])
    if absent == "last":
        # A list that contains only one of the two items prefers this item.
        held = compared[:, items, items]
        gain += held[:, :, None]
        gain -= held[:, None, :]
        np.subtract(held[:, :, None] + held[:, None, :], compared, out=compared)
    compared[:, items, items] = 0.0
    gain[np.abs(gain) <= TOLERANCE * compared] = 0.0  # a tie, up to rounding
    return compared, gain


def least_squares(weight, gain, label):
    """Fit the differences of scores to ``gain / weight`` by weighted least squares, for k queries of n items.

    The scores have shape (k, n). The second result, of shape (k,), is the share of the squared flow that the scores
    leave unexplained. It is NaN for a query without flow. `gain` and `weight` have shape (k, n, n). `weight` is
    symmetric, and 0 where items are not compared; `gain` is antisymmetric. `label` has shape (k, n) and contains the
    component of each item; components are numbered from 1.

    >>> import numpy as np
    >>> from skrankagg.aggregators._models._hodge_rank import least_squares
    >>> weight, gain = np.array([[[0.0, 2.0], [2.0, 0.0]]]), np.array([[[0.0, 1.0], [-1.0, 0.0]]])
    >>> least_squares(weight, gain, np.array([[1, 1]]))
    (array([[ 0.25, -0.25]]), array([0.]))
    """
    k, n = weight.shape[:2]
    n_found = label.max(axis=1)
    label = (label - 1 + (np.cumsum(n_found) - n_found)[:, None]).ravel()
    first = np.unique(label, return_index=True)[1]
    # The score of each component's first item is fixed at 0, so that the solution is unique. The means are subtracted
    # below.
    items = np.arange(n)
    system = -weight
    system[:, items, items] = weight.sum(axis=2)
    divergence = gain.sum(axis=2)
    stack, item = np.divmod(first, n)
    system[stack, item, :] = 0.0
    system[stack, :, item] = 0.0
    system[stack, item, item] = 1.0
    divergence[stack, item] = 0.0
    score = np.linalg.solve(system, divergence[:, :, None])[:, :, 0].ravel()
    del system
    score -= (np.bincount(label, weights=score) / np.bincount(label))[label]
    score = score.reshape(k, n)
    return score, _unexplained(weight, gain, score)


def _unexplained(weight, gain, score):
    apart = weight == 0
    flow = gain / np.where(apart, 1.0, weight)
    flow[apart] = 0.0
    total = np.einsum("kij,kij,kij->k", weight, flow, flow)
    flow -= score[:, :, None] - score[:, None, :]
    left = np.einsum("kij,kij,kij->k", weight, flow, flow)
    share = np.full(len(total), np.nan)
    np.divide(left, total, out=share, where=total > 0)
    return np.minimum(share, 1.0)
