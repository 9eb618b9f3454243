"""Robust rank aggregation: rank items by their least likely order statistic, and compute its p-value."""

from numbers import Real
from typing import Literal

import numpy as np

from ..._data._frames import first_row, show_id
from ..._data._voter_names import warn_of_misspelt_names
from ..._support._sklearn import Interval
from ...base import Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VoterWeights, voter_values
from ...exceptions import InputError
from ._normalised_ranks import PER_VOTER, BaseNormalisedRanks, minimum_by_candidate
from ._probabilities import log_binomial_tail, log_crossing, log_poisson_binomial_tail, sorted_places
from ._rho_of_draws import RhoOfDraws

__all__ = ["RobustRankAggregation"]


def rho_score(candidate, x, n_lists, *, weight=None):
    """Compute log rho of each candidate from its normalised ranks `x`.

    For each order statistic of a candidate's ranks, there is a probability that random ranks give no larger value. rho
    is the smallest of these probabilities, so log rho is at most 0.
    """
    rows, place = sorted_places(candidate, x, len(n_lists), weight=weight)
    candidate = candidate[rows]
    return minimum_by_candidate(
        candidate, log_binomial_tail(place, n_lists[candidate], x[rows]), len(n_lists), start=0.0
    )


def rho_pvalue(log_rho, n_lists, *, exact=False, depth_share=1.0):
    """Compute the log p-value of each rho, or with ``exact=False`` the logarithm of an upper bound.

    The upper bound is the smaller of ``n_lists * rho`` and 1.
    """
    if not exact:
        return np.minimum(log_rho + np.log(n_lists), 0.0)
    log_p = np.empty_like(log_rho)
    for n in np.unique(n_lists):
        of_n = n_lists == n
        distinct, which = np.unique(log_rho[of_n], return_inverse=True)
        log_p[of_n] = log_crossing(distinct, int(n), most=depth_share)[which]
    return log_p


class RobustRankAggregation(BaseNormalisedRanks):
    r"""Rank items by how unlikely the best of their ranks would be if all lists were random.

    An item that some lists rank high gets a small p-value, wherever the other lists rank it. Lists that are pure noise
    therefore do little harm.

    Parameters
    ----------
    exact : bool, default=False
        Whether to compute the exact p-value instead of an upper bound. Suppose that items are in the same number of
        lists, and that their bounds are below 1. The exact p-value and the bound then give them the same order.
    n_items : int, or mapping or pandas.Series of voter to int, default=None
        Number of items that could have been ranked. P-values depend on this number. None means the number of distinct
        items of each query.
    depth_share : float, or mapping or pandas.Series of voter to float, default=None
        Largest share of all rankable items that a list can contain, above 0 and at most 1. For example, the share is
        0.1 if lists are cut after the best tenth of the items. An item missing from the list may have any rank after
        the cut. None means a share of 1. The parameter changes the result only if the shares differ or if the p-value
        is exact. An exact p-value needs one share for all lists.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" gives them the worst normalised rank, 1. "ignore" leaves them out
        and divides each rank by the length of its list, as if the list were complete. P-values then get smaller if more
        lists contain the item.
    voter_weights : mapping or pandas.Series of voter to int, default=None
        Weights of the voters; they multiply the weights of the lists. All weights must be integers.

    See Also
    --------
    RankStatistic : Ranks by other statistics of the same ranks.

    Notes
    -----
    Let :math:`x_1 \le \dots \le x_m` be the item's ranks in the m lists of the query, divided by the number of items.
    :math:`\mathrm{Beta}(k, m - k + 1)` is the distribution of the k-th smallest of m uniform numbers. Then [1]_

    .. math:: \rho = \min_k P(\mathrm{Beta}(k, m - k + 1) \le x_k), \qquad p = \min(1, m \rho),

    and the score is :math:`-\log_{10} p`. The column `pvalue` contains p. The p-value may underflow to 0, but the score
    is still correct. The exact p is the probability that random ranks have a :math:`\rho` that is not above the item's
    :math:`\rho`. Equivalently, it is the probability that at least one order statistic of random ranks is at most its
    :math:`\rho`-quantile. The relative error of the exact p is about 1e-12, however small p is. The usual alternating
    sum for p has no correct digit left with 30 lists and a :math:`\rho` of 1e-6.

    With shares :math:`\sigma_i` (`depth_share`), the k-th term of the minimum is the probability of at least k
    successes in independent trials of probabilities :math:`\min(x_k, \sigma_i)`. The term is 1 if k is above the number
    of lists that give the item a normalised rank below 1. Equal shares leave :math:`\rho` unchanged.

    Tied items share their mean rank. An absent item has :math:`x = 1`. With ``absent="ignore"`` it has no rank, and m
    is the number of lists that contain the item. All items with p = 1 tie; they are sorted by the number of lists that
    contain them.

    A list of weight w counts as w lists. Weights must be integers, because fractional weights have no meaning for order
    statistics. In a query the weights may add up to at most :math:`2^{53}`. With exact p-values or different shares,
    the m lists are processed one by one, and the weights may add up to at most :math:`2^{24}`. The time is linear in
    the number of rows, except for sorting. Exact p-values take about :math:`m^2 / 2` logarithms and powers for each
    distinct :math:`\rho`. With different shares, each distinct rank takes :math:`m k` steps, where :math:`k` is the
    largest index in the minimum.

    References
    ----------
    .. [1] R. Kolde, S. Laur, P. Adler and J. Vilo, "Robust rank aggregation for gene list integration and
       meta-analysis", Bioinformatics 28, 2012.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import RobustRankAggregation
    >>> RobustRankAggregation(n_items=10).fit_transform(lists)
      query item  score  rank  pvalue
    0     q    b   1.62     1   0.024
    1     q    a   0.33     2   0.469
    2     q    c   0.19     3   0.648
    3     q    d   0.00     4   1.000
    """

    _guide = {
        "absent": (
            'the normalised rank 1, the worst (`absent="ignore"`: the list is ignored for this item; '
            "`depth_share`: anything beyond the cut)"
        ),
        "ties": "mean rank",
        "cost": r"$N \log N$; exact: $m^2/2$ for each distinct p",
    }
    _cost_terms = ("N log N", "m^2", "m^2 n")
    _tag_notes = {"unanimity": "with `exact=True`"}
    _parameter_constraints: dict = {
        "exact": ["boolean"],
        "depth_share": [Interval(Real, 0, 1, closed="right"), *PER_VOTER],
        **BaseNormalisedRanks._parameter_constraints,
    }
    _result_columns = ("pvalue",)
    _variants = ({}, {"exact": True})

    def __init__(
        self,
        *,
        exact: bool = False,
        n_items: int | VoterWeights | None = None,
        depth_share: float | VoterWeights | None = None,
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.exact = exact
        self.n_items = n_items
        self.depth_share = depth_share
        self.absent: Literal["last", "ignore"] = absent
        self.voter_weights = voter_weights

    def _prepare(self, X):
        lists = super()._prepare(X)
        if self.depth_share is not None:
            self._list_cutoff(lists)
            if not isinstance(self.depth_share, Real):
                warn_of_misspelt_names(self.depth_share, lists.voters, "depth_share")
        return lists

    def _list_cutoff(self, lists):
        """Return the largest share of the items that each list can contain, float64 of shape (n_lists,)."""
        if self.absent == "ignore":
            raise InputError(
                "`depth_share` must be None if absent='ignore', which treats all lists as complete; got "
                f"{self.depth_share!r}. Leave out depth_share, or choose absent='last'."
            )
        if isinstance(self.depth_share, Real):
            cutoff = np.full(lists.n_lists, float(self.depth_share))
        elif self.exact:
            raise InputError(
                "`depth_share` must be a single number if exact=True, because no exact p-value for several shares is "
                "known; got a share for each voter. Give a single share, or set exact=False."
            )
        else:
            advice = "Give these voters a share; the share of a full list is 1."
            cutoff = voter_values(lists, self.depth_share, "depth_share", advice)
            cutoff = cutoff[lists.list_voter]
        # Rounding of a share must not count as an error.
        lowest = lists.list_length / self._list_n_items(lists)
        bad = ~((cutoff > 0) & (cutoff <= 1) & (lowest <= cutoff * (1 + 1e-9)))
        if bad.any():
            v = first_row(bad)
            raise InputError(
                "`depth_share` must be at most 1, and at least the share of the items that the list contains. For "
                f"{show_id(lists.voters, lists.list_voter[v])} in query {show_id(lists.queries, lists.list_query[v])} "
                f"this share is {lowest[v]:g}; got {cutoff[v]:g}. Choose a depth_share between {lowest[v]:g} and 1, "
                "or give a larger n_items."
            )
        return cutoff

    def _aggregate(self, lists):
        if self.exact or (self.depth_share is not None and not isinstance(self.depth_share, Real)):
            what = "exact=True" if self.exact else "depth_share for each voter"
            self._check_copies(lists, lists.sum_over_lists(lists.list_weight), what)
        x, n_lists = self._normalise(lists)
        cutoff = np.ones(lists.n_lists) if self.depth_share is None else self._list_cutoff(lists)
        if np.ptp(cutoff) == 0:
            log_rho = rho_score(lists.candidate, x, n_lists, weight=lists.row_weight)
        else:
            log_rho = _rho_of_cut_lists(lists, x, n_lists, cutoff)
        most = float(self.depth_share) if self.exact and self.depth_share is not None else 1.0
        log_p = rho_pvalue(log_rho, n_lists, exact=self.exact, depth_share=most)
        return Consensus(-log_p / np.log(10) + 0.0, {"pvalue": np.exp(log_p)})

    def _repeat_many(self, lists):
        one_by_one = super()._repeat_many(lists)
        if self.exact or not (self.depth_share is None or isinstance(self.depth_share, Real)):
            return one_by_one
        if self.depth_share is not None:
            self._list_cutoff(lists)
        draws = RhoOfDraws(lists, lists.rank / self._list_n_items(lists)[lists.row_list], self.absent)

        def score(weights):
            log_rho, n_lists = draws(weights)
            if log_rho is None:
                return one_by_one(weights)
            return -rho_pvalue(log_rho, n_lists) / np.log(10) + 0.0

        return score

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # Many items have the bound 1, so they tie.
        tags.aggregator_tags.unanimity = self.exact
        tags.aggregator_tags.scale_free = False  # probabilities depend on the number of lists
        return tags


def _rho_of_cut_lists(lists, x, n_lists, cutoff):
    rows, place = sorted_places(lists.candidate, x, lists.n_candidates, weight=lists.row_weight)
    candidate, x = lists.candidate[rows], x[rows]
    log_tail = np.zeros(len(rows))
    copies = lists.list_weight.astype(np.int64)
    ends = np.searchsorted(candidate, lists.candidate_ptr)
    for q in range(lists.n_queries):
        of_q = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
        chance = np.repeat(cutoff[of_q], copies[of_q])
        ranked = ends[q] + np.flatnonzero(x[ends[q] : ends[q + 1]] < 1)
        # For ranks up to the smallest share, all lists count as complete.
        beyond = x[ranked] > chance.min(initial=1.0)
        whole, cut = ranked[~beyond], ranked[beyond]
        log_tail[whole] = log_binomial_tail(place[whole], n_lists[candidate[whole]], x[whole])
        if len(cut):
            distinct, which = np.unique(x[cut], return_inverse=True)
            log_tail[cut] = log_poisson_binomial_tail(distinct, place[cut].max(), chance)[place[cut], which]
    return minimum_by_candidate(candidate, log_tail, lists.n_candidates, start=0.0)
