"""Base class of aggregators that learn voter weights.

Weights are learned from the lists alone: a voter who agrees with the other voters gains weight. With
``weighting="query"`` the weights of a query are computed from its own lists. With ``weighting="global"`` a voter's
weights in the training queries are pooled into one weight, which is then used for any query.
"""

import numpy as np
import pandas as pd

from .._arrays._ragged import group_medians, group_order
from .._data._frames import first_row, frame_of, plain_index, show_id, take_ids
from .._data._list_columns import grouping
from .._data._voter_names import find_voters, type_hint
from .._support._sklearn import StrOptions, check_is_fitted
from .._support._warn import warn_user
from ..exceptions import InputError, UnequalLengthWarning, UnknownVoterWarning
from ._aggregator import BaseAggregator
from ._tags import TagsOfAggregator
from ._voter_weights import VOTER_WEIGHTS

__all__ = ["WeightedAggregator"]

WEIGHTING = {
    "weighting": [StrOptions({"query", "global"})],
    "unknown_voter": [StrOptions({"mean", "ignore", "error"})],
    **VOTER_WEIGHTS,
}


def pool_weights(lists, weight, owners=None):
    """Pool the learned weights of lists into one weight for each voter, which is NaN for a voter without lists.

    The learned weight of each list is divided by the mean learned weight of its query's lists. The pooled weight of a
    voter is the mean of these relative weights over the voter's lists. Both means are weighted by the original weights
    of the lists, which are in `lists`. To pool weights for groups of lists instead, give `owners`. This is a pair: an
    array with the number of each list's group, and the ids of the groups.
    """
    return pooled_sums(sums_to_pool(lists, weight, owners))


def sums_to_pool(lists, weight, owners=None):
    """Compute, for each voter, the four sums that :func:`pooled_sums` needs, as an array of shape (n_voters, 4).

    Let w be the original weight of a list. The relative weight r of a list is its learned weight divided by the mean
    learned weight of its query's lists. The four columns contain the sums of w * r, w, r and 1 over the lists of each
    voter. If the queries are divided into several parts, the sums of the parts can be added up.
    """
    total = lists.sum_over_lists(lists.list_weight)
    learnt = lists.sum_over_lists(weight * lists.list_weight)
    mean = np.divide(learnt, total, out=np.zeros_like(total), where=total > 0)[lists.list_query]
    relative = np.divide(weight, mean, out=np.ones_like(weight), where=mean > 0)
    terms = (lists.list_weight * relative, lists.list_weight, relative, np.ones_like(relative))
    number, ids = (lists.list_voter, lists.voters) if owners is None else owners
    return np.stack([np.bincount(number, weights=one, minlength=len(ids)) for one in terms], axis=1)


def pooled_sums(sums):
    """Compute each voter's pooled weight from its sums; return NaN for a voter without lists."""
    # If all lists of a voter have the original weight 0, the voter does not change the mean weights. All lists of the
    # voter then count the same.
    own = np.where(sums[:, 1:2] > 0, sums[:, :2], sums[:, 2:])
    return np.divide(own[:, 0], own[:, 1], out=np.full(len(sums), np.nan), where=own[:, 1] > 0)


def outweighed_queries(lists, weight, *, length_factor=2.0, weight_factor=5.0):
    """Return a mask of the queries whose longest list outweighs all other lists.

    In such a query, the list with the largest weight is longer than every other list. Its length is at least
    `length_factor` times the median length, and its weight is above `weight_factor` times the median weight. Lists of
    weight 0 are ignored. `weight`, of shape (n_lists,), contains the weights, which are at least 0.
    """
    voting = np.flatnonzero(lists.list_weight > 0)
    found = np.zeros(lists.n_queries, dtype=bool)
    if not len(voting):
        return found
    query, weight, length = lists.list_query[voting], weight[voting], lists.list_length[voting]
    ends = np.append(np.flatnonzero(np.diff(query)), len(query) - 1)
    heads = np.concatenate([[0], ends[:-1] + 1])

    def median(value):
        return group_medians(query, value, lists.n_queries)[query[heads]]

    heaviest = group_order(query, weight)[ends]
    shorter = length < np.repeat(length[heaviest], ends - heads + 1)
    longest = np.add.reduceat(shorter, heads, dtype=np.int64) == ends - heads
    long = longest & (length[heaviest] >= length_factor * median(length))
    found[query[heads]] = long & (weight[heaviest] > weight_factor * median(weight))
    return found


def match_voters(owner, lists, known, what, equal, advice, owners=None):
    """Find, for each list, the row of its voter in the frame `known`; return the lists and the row numbers.

    The column `voter` of `known` contains the voters on which the estimator `owner` was fitted. The row number is -1 if
    the voter of a list is missing from `known`. If ``owner.unknown_voter`` is "ignore", the lists of these unknown
    voters get weight 0 in the returned lists. The arguments `what`, `equal` and `advice` are texts for messages. `what`
    names the value learned for a voter. `equal` describes the values that are used if all voters are unknown. `advice`
    ends the warning about this case. If `known` contains ids of groups of lists instead of voters, `owners` gives the
    group of each list, as in :func:`pool_weights`.
    """
    number, ids = (lists.list_voter, lists.voters) if owners is None else owners
    fitted = pd.Index(known["voter"])
    place = find_voters(fitted, ids)[number]
    found = place >= 0
    if found.all():
        return lists, place
    hint = "" if found.any() else type_hint(fitted, ids[number])
    name = type(owner).__name__
    if owner.unknown_voter == "error":
        raise InputError(
            f"{name} learned no {what} for voter {show_id(ids, number[first_row(~found)])}, which was not "
            f"among the voters in fit{hint}; fit {name} with this voter, or choose unknown_voter='mean' or 'ignore'."
        )
    if owner.unknown_voter == "ignore":
        left = np.logical_or.reduceat(found, lists.list_ptr[:-1])
        if not left.all():
            raise InputError(
                f"{name} was not fitted on any voter of query {show_id(lists.queries, first_row(~left))}{hint}, and "
                f"with unknown_voter='ignore' this query has no lists left. Fit {name} with some of these voters, "
                "choose unknown_voter='mean', or drop the query."
            )
        return lists.with_list_weight(np.where(found, lists.list_weight, 0.0)), place
    if not found.any():
        warn_user(
            f"{name} was not fitted on any voter of these lists{hint}, so all voters get {equal}; give the voters the "
            f"ids used in fit, or {advice}.",
            UnknownVoterWarning,
        )
    return lists, place


def match_weights(owner, lists, learnt, advice, owners=None):
    """Look up the learned weight of each list's voter.

    Returns three values: the lists, the weight of each list, and a mask of the lists whose voter has a learned weight.

    `learnt` is a frame with columns `voter` and `weight`. The parameter `unknown_voter` of the estimator `owner`
    determines how an unknown voter is treated. With "mean", the voter gets the mean weight. With "ignore", its lists
    get weight 0 in the returned lists. With "error", an error is raised. The mask is None if all voters are known, or
    if unknown voters are ignored. If no voter is known, a warning is issued, which ends with the text `advice`. If
    `learnt` contains ids of groups of lists instead of voters, `owners` gives the group of each list, as in
    :func:`pool_weights`.
    """
    equal = "equal weights and no learned weight is used"
    lists, place = match_voters(owner, lists, learnt, "weight", equal, advice, owners)
    weight, known = learnt["weight"].to_numpy(), place >= 0
    if known.all():
        return lists, weight[place], None
    # An unknown voter gets the mean weight.
    weight = np.where(known, weight[place], weight.mean())
    return lists, weight, None if owner.unknown_voter == "ignore" else known


class WeightedAggregator(BaseAggregator):
    """Base class of the aggregators that learn voter weights.

    A subclass defines two hooks. ``_voter_weights(lists)`` computes the weight of each list from the lists of its
    query; it returns a float64 array of shape (n_lists,) with values of at least 0. ``_aggregate_weighted(lists,
    weight, known)`` returns the same kind of result as ``_aggregate``. `known` is a mask of the lists with a learned
    weight; other lists have the mean weight. If all weights are learned, `known` is None.

    The constructor has the parameters `weighting`, `unknown_voter` and `voter_weights`; their constraints are defined
    in the base class. If the subclass allows ``weighting=None``, this value means that nothing is learned and `weight`
    is None.

    Attributes
    ----------
    query_voter_weights_ : DataFrame
        Columns `query`, `voter` and `weight`: the weights computed from the lists of each query given to ``fit``.
    voter_weights_ : DataFrame
        Columns `voter` and `weight`: the weights pooled over the queries. The weight of an average voter is 1.

    See Also
    --------
    BaseAggregator : Base class of all aggregators.
    skrankagg.aggregators.DIBRA : Learns weights from distances to the consensus.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import BordaCount
    >>> from skrankagg.base import WeightedAggregator
    >>> class BordaByLength(WeightedAggregator):
    ...     '''Borda points, each list weighted by its length.'''
    ...     def __init__(self, *, weighting="query", unknown_voter="mean",
    ...             voter_weights=None):
    ...         self.weighting = weighting
    ...         self.unknown_voter = unknown_voter
    ...         self.voter_weights = voter_weights
    ...     def _voter_weights(self, lists):
    ...         return lists.list_length.astype(float)
    ...     def _aggregate_weighted(self, lists, weight, known):
    ...         return BordaCount()._aggregate(lists.with_list_weight(lists.list_weight
    ...             * weight))
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"],
    ...     "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> method = BordaByLength().fit(lists)
    >>> method.transform(lists)
      query item  score  rank
    0     q    a    5.0     1
    1     q    b    4.0     2
    >>> method.query_voter_weights_
      query voter  weight
    0     q     v     2.0
    1     q     w     1.0
    """

    _parameter_constraints: dict = WEIGHTING
    #: Advice in the warning if weights follow the length of the lists.
    _length_advice = "cut all lists to the same depth with TopK, or choose a method that learns no weights"

    def _aggregate(self, lists):
        return self._aggregate_weighted(*self._weigh(lists))

    def _aggregate_what_fits(self, lists):
        return self._aggregate(lists)  # learning or merging, whichever comes first, checks memory

    def _merging_memory(self, lists):
        """Compute the bytes of memory that aggregating each query needs when the weights are already known.

        The method `_memory` also counts the bytes for learning the weights. The result is None if the memory grows only
        linearly with the number of rows of the lists, so that no check is needed.
        """
        return None

    def _rank(self, lists):
        weighed = self._weigh(lists)
        if self.weighting == "query":
            self._warn_of_length(lists, weighed[1])
        return self._publish(weighed[0], self._aggregate_weighted(*weighed))

    def _fit_rank(self, X):
        return self._learn_and_rank(self._begin(X))

    def _fit_lists(self, lists):
        if self._query_columns:
            return self._learn_and_rank(lists)
        self._learn(lists)
        return None

    def _learn_and_rank(self, lists):
        """Learn the weights, and return the consensus with these weights."""
        weighed = lists, None if self.weighting is None else self._learn(lists), None
        if self.weighting == "global":
            weighed = self._weigh(lists)
        ranked = self._publish(weighed[0], self._aggregate_weighted(*weighed))
        return self._keep_info(ranked) if self._query_columns else ranked

    def _learn(self, lists):
        weight = self._implied_weights(lists)
        self._keep_weights(lists, weight)
        return weight

    def _keep_weights(self, lists, weight):
        """Store the weight of each list and the pooled weight of each voter in the fitted attributes."""
        self._warn_of_length(lists, weight)
        owner, owners = self._owners(lists)
        self.query_voter_weights_: pd.DataFrame = frame_of(
            {
                "query": take_ids(lists.queries, lists.list_query),
                "voter": take_ids(owners, owner),
                "weight": weight.copy(),
            }
        )
        pooled = self._pool(lists, weight)
        known = np.flatnonzero(~np.isnan(pooled))
        self.voter_weights_: pd.DataFrame = frame_of({"voter": take_ids(owners, known), "weight": pooled[known]})

    def _pool(self, lists, weight):
        """Pool the weights of the lists into one weight for each voter."""
        return pool_weights(lists, weight, self._owners(lists))

    @property
    def _pools_sums(self):
        """Return True if the pooled weights can be computed from sums over separate parts of the queries."""
        return type(self)._pool is WeightedAggregator._pool

    def _sum_part(self, X):
        """Learn list weights from some of the queries, and return sums over the lists of these queries.

        There are four results. The first contains the voters. The second contains the sums of each voter, as in
        :func:`sums_to_pool`. The third is the number of queries in which the longest list outweighs all other lists.
        The fourth is the number of all queries.
        """
        lists = self._begin(X)
        weight = self._implied_weights(lists)
        outweighed = int(outweighed_queries(lists, weight).sum())
        return lists.voters, sums_to_pool(lists, weight), outweighed, lists.n_queries

    def _pool_parts(self, parts):
        """Compute the pooled weights of the voters; `parts` contains results of :meth:`_sum_part`."""
        sums = pd.concat([pd.DataFrame(sums, index=plain_index(voters)) for voters, sums, *_ in parts])
        sums = sums.groupby(level=0).sum()
        weight = pooled_sums(sums.to_numpy())
        known = ~np.isnan(weight)
        self.voter_weights_ = pd.DataFrame({"voter": sums.index[known], "weight": weight[known]})
        for name in ("query_voter_weights_", "query_info_"):  # remove attributes that an earlier fit has set
            self.__dict__.pop(name, None)
        n_outweighed, n_queries = (sum(part[k] for part in parts) for k in (2, 3))
        if n_outweighed:
            self._say_outweighed(n_outweighed, n_queries, "")

    @property
    def _grouping(self):
        """Return the name and the value of the parameter that divides the lists into groups.

        If the value is not None, all lists of a group get the same learned weight. If it is None, the lists are
        not grouped.
        """
        return "groups", None

    def _owners(self, lists):
        """Return an array with the number of each list's owner, and the ids of the owners.

        The owner of a list is its group if the parameter in :attr:`_grouping` is not None, and its voter otherwise. All
        lists of an owner have one learned weight.
        """
        parameter, name = self._grouping
        return (lists.list_voter, lists.voters) if name is None else grouping(lists, name, parameter)

    def _group_of_lists(self, lists):
        """Number the owners (see :meth:`_owners`) that have lists, and return for each list the number of its owner."""
        return pd.factorize(self._owners(lists)[0])[0]

    def _implied_weights(self, lists):
        self._check_memory(lists, self._memory(lists))
        return self._voter_weights(lists)

    def _weigh(self, lists):
        """Return the lists, the weight of each list, and a mask of the lists with a learned weight.

        With ``unknown_voter="ignore"``, the lists of voters without a learned weight have list weight 0 in the first
        result. The mask is None if all lists have a learned weight, if voters are ignored, or if nothing is learned. If
        nothing is learned, the second result is None too.
        """
        if self.weighting is None:
            return lists, None, None
        if self.weighting == "query":
            return lists, self._implied_weights(lists), None
        self._check_memory(lists, self._merging_memory(lists))
        check_is_fitted(self, "voter_weights_")
        return match_weights(self, lists, self.voter_weights_, "choose weighting='query'", self._owners(lists))

    def _warn_of_length(self, lists, weight):
        found = outweighed_queries(lists, weight)
        if found.any():
            first = f" (the first is {show_id(lists.queries, first_row(found))})"
            self._say_outweighed(int(found.sum()), lists.n_queries, first)

    def _say_outweighed(self, n_found, n_queries, first):
        queries = "1 query" if n_queries == 1 else f"{n_queries} queries"
        warn_user(
            f"The weights that {type(self).__name__} learned grow with the length of the lists in {n_found} of "
            f"{queries}{first}. In such a query the longest list is at least twice as long as the median list, and "
            f"has more than 5 times the median weight. This list decides most of the consensus; {self._length_advice}.",
            UnequalLengthWarning,
        )

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        tags.requires_fit = self.weighting == "global"
        tags.aggregator_tags.learns_weights = self.weighting is not None
        return tags
