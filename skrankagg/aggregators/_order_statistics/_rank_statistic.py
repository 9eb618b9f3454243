"""Statistics of normalised ranks: mean (rank sum), geometric mean (rank product), median, minimum, Stuart's Q."""

from typing import Literal

import numpy as np
from scipy.special import ndtr

from ... import _kernels
from ..._support._sklearn import StrOptions
from ...base import Consensus
from ...base._consensus import Contributions
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VoterWeights
from ...exceptions import InputError
from ._normalised_ranks import BaseNormalisedRanks, minimum_by_candidate
from ._probabilities import sorted_places
from ._random_ranks import random_rank_pvalues
from ._small_queries import small_pvalues

__all__ = ["RankStatistic"]

# A statistic returns the scores of the candidates, of shape (n_candidates,), computed from their normalised ranks. The
# normalised rank of an absent item is 1. Arguments are the candidate and the normalised rank of each row, the number of
# lists of each candidate, and the number of equal rows that each row stands for, or None.


def _mean(candidate, x, n_lists, weight):
    held = np.bincount(candidate, weights=weight, minlength=len(n_lists))
    total = np.bincount(candidate, weights=x if weight is None else x * weight, minlength=len(n_lists)) + (
        n_lists - held
    )
    return (0.5 - total / n_lists) * np.sqrt(12.0 * n_lists)


def _geometric_mean(candidate, x, n_lists, weight):
    log_x = np.log10(x) if weight is None else np.log10(x) * weight
    return -np.bincount(candidate, weights=log_x, minlength=len(n_lists)) / n_lists + 0.0


def _median(candidate, x, n_lists, weight):
    rows, place = sorted_places(candidate, x, len(n_lists), weight=weight)
    candidate = candidate[rows]
    start, end = (np.searchsorted(candidate, np.arange(len(n_lists)), side=side) for side in ("left", "right"))
    value = np.append(x[rows], 1.0)

    def order_statistic(k):
        row = start + np.bincount(candidate[place < k[candidate]], minlength=len(n_lists))
        return value[np.where(row < end, row, len(rows))]

    return -np.log10((order_statistic((n_lists + 1) // 2) + order_statistic(n_lists // 2 + 1)) / 2) + 0.0


def _min(candidate, x, n_lists, weight):
    if weight is not None:
        candidate, x = candidate[weight > 0], x[weight > 0]
    return -np.log10(minimum_by_candidate(candidate, x, len(n_lists), start=1.0)) + 0.0


def _stuart(candidate, x, n_lists, weight):
    rows, _ = sorted_places(candidate, x, len(n_lists), weight=weight)
    if weight is not None:
        rows = np.repeat(rows, weight[rows].astype(np.int64))
    ptr = np.searchsorted(candidate[rows], np.arange(len(n_lists) + 1))
    log_q = _kernels.log_joint_probability(ptr, x[rows], n_lists)
    return -np.minimum(log_q, 0.0) / np.log(10) + 0.0


STATISTICS = {"geometric-mean": _geometric_mean, "mean": _mean, "median": _median, "min": _min, "stuart": _stuart}
#: Statistics that are sums over the ranks.
SUMS = ("geometric-mean", "mean")


class RankStatistic(BaseNormalisedRanks):
    r"""Rank items by the mean, median, minimum or joint probability of their normalised ranks.

    A rank is divided by the number of items that could have been ranked, so that lists of different lengths are
    comparable. The statistic then reduces the ranks of an item to one number. These statistics are used in studies that
    combine lists of genes.

    Parameters
    ----------
    statistic : {"geometric-mean", "mean", "median", "min", "stuart"}, default="mean"
        Statistic of the ranks, see Notes.
    exact : bool or "auto", default="auto"
        With True, the p-values of "mean" and "geometric-mean" are computed from the ranks that random lists can give.
        With False, "mean" uses a normal distribution, and its small p-values are far too large. With "auto", the
        p-values of "mean" are exact in small queries, see Notes, and come from a normal distribution in other queries.
        "geometric-mean" has p-values only with True. The other statistics have no p-values.
    n_items : int, or mapping or pandas.Series of voter to int, default=None
        Number of items that could have been ranked, for all lists or for each voter. None means the number of distinct
        items of each query.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" gives them the worst normalised rank, 1. "ignore" leaves them out
        and divides each rank by the length of its list, as if the list were complete. If some items are in far more
        lists than others, choose "geometric-mean", see Notes.
    voter_weights : mapping or pandas.Series of voter to int, default=None
        Weights of the voters; they multiply the weights of the lists. All weights must be integers.

    Attributes
    ----------
    query_info_ : DataFrame
        Columns `query` and `exact`, with a row for each query of `fit`. `exact` is True if the p-values come from the
        ranks that random lists can give, and False if they come from a normal distribution. The attribute only exists
        if there are p-values.

    See Also
    --------
    RobustRankAggregation : Ranks by the least likely order statistic of an item, and computes its p-value.

    Notes
    -----
    Let :math:`x_1 \le \dots \le x_m` be the normalised ranks of the item in the m lists of the query. The scores are

    ================ ===============================================================================================
    statistic        score
    ================ ===============================================================================================
    "mean"           :math:`z = (1/2 - \bar x) \sqrt{12 m}`; column `pvalue`: :math:`\Phi(-z)`, or exact
    "geometric-mean" :math:`-\log_{10} (x_1 \cdots x_m)^{1/m}`
    "median"         :math:`-\log_{10}` of the median (the mean of the two middle ranks if m is even)
    "min"            :math:`-\log_{10} x_1`
    "stuart"         :math:`-\log_{10} Q`, :math:`Q = P(U_{(1)} \le x_1, \dots, U_{(m)} \le x_m)` for m uniform numbers
                     [1]_, [2]_
    ================ ===============================================================================================

    The scores give the same order as the R package RobustRankAggreg [3]_. Q is not a p-value, because random ranks
    reach Q or less with a probability larger than Q itself. The logarithm of Q is computed with positive terms only,
    with an error of about 1e-13. The usual alternating sum loses digits with every list; with 40 lists, most digits are
    lost.

    With ``exact=True``, and in small queries with "auto", the column `pvalue` contains

    .. math:: p = P(Y_1 + \dots + Y_m \le y_1 + \dots + y_m),

    where y is x for "mean" (the rank sum) and :math:`\log x` for "geometric-mean" (the rank product [4]_). Each
    :math:`Y_v` is drawn from the places of list v, all with the same probability. The places are the ranks in the list,
    with ties unchanged, and 1 for each item missing from the list. So p is valid for lists that have ties, are cut, or
    differ in the number of items that could have been ranked. The numbers of places and ties are taken as given. To
    compute p, the places of the lists are convolved on a grid. Exponential tilting keeps the digits of small p-values.

    For "mean" the relative error of p is at most 1e-11, however small p is, if the numbers of items have a common
    multiple up to some 50,000. Otherwise, and for "geometric-mean", values are rounded down to the grid, and p is an
    upper bound. The bound is similar to the bound in [5]_, but lists may have any lengths. For up to about 60 lists,
    the bound is at most the p-value of a rank product that is 1 % larger. This p-value is rarely more than 1 % above
    the exact p-value. For about 250 lists, the bound is at most the p-value of a rank product that is 10 % larger. More
    lists are refused. The smallest p-values are exact.

    The normal approximation has a larger error. For example, an item that is first of 100 items in each of 3 lists has
    p = 1e-6, but :math:`\Phi(-z)` is .0016. With "auto", a query is small if its rank sums have at most 1024 possible
    values. Without ties, m lists of n items have m (n - 1) + 1 possible rank sums. Ties double this number. Lists with
    different numbers of items increase it several times. With ``absent="ignore"``, items that are in different sets of
    lists have different possible sums. A query is then small if all these sets together have at most 4096 possible
    sums. The rule uses only the lists of the query, so the result for a query never depends on other queries. A
    thousand different queries take at most a second. Ten thousand queries of five lists of ten items take .3 s.
    ``exact=True`` takes milliseconds for each query.

    Tied items share their mean rank. An absent item has :math:`x = 1`. With ``absent="ignore"`` it has no rank, and m
    is the number of lists that contain the item. The mean and Q then measure how unusual the ranks of an item would be
    in random lists. The same ranks in more lists are more unusual. If voters see some items more often than others, the
    order depends on this as well as on quality. The effect is strongest in paired comparisons: their normalised ranks
    are 1/2 and 1, and these are never better than the middle. The geometric mean has no such bias.

    A list of weight w counts as w lists. Weights must be integers, because fractional weights have no meaning for order
    statistics. The weights of a query may add up to at most :math:`2^{53}`. The time is linear in the number of rows,
    except for sorting. For each rank of an item, "stuart" takes some :math:`100 \sqrt{m}` steps. "stuart" also
    processes a list of weight w as w lists. So its time grows with the weights to the power of 1.5, and its memory
    grows in proportion to the weights. Weights are refused if these lists have more than :math:`2^{24}` ranks in total,
    and also more ranks than the original lists.

    References
    ----------
    .. [1] J. M. Stuart, E. Segal, D. Koller and S. K. Kim, "A gene-coexpression network for global discovery of
       conserved genetic modules", Science 302, 2003.
    .. [2] S. Aerts et al., "Gene prioritization through genomic data fusion", Nature Biotechnology 24, 2006.
    .. [3] R. Kolde, S. Laur, P. Adler and J. Vilo, "Robust rank aggregation for gene list integration and
       meta-analysis", Bioinformatics 28, 2012.
    .. [4] R. Breitling, P. Armengaud, A. Amtmann and P. Herzyk, "Rank products: a simple, yet powerful, new method to
       detect differentially regulated genes in replicated microarray experiments", FEBS Letters 573, 2004.
    .. [5] T. Heskes, R. Eisinga and R. Breitling, "A fast algorithm for determining bounds and accurate approximate
       p-values of the rank product statistic for replicate experiments", BMC Bioinformatics 15, 2014.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import RankStatistic
    >>> RankStatistic().fit_transform(lists)
      query item  score  rank    pvalue
    0     q    b   1.00     1  0.046875
    1     q    a  -0.75     2  0.515625
    2     q    c  -1.50     3  0.765625
    3     q    d  -2.25     4  0.937500
    >>> RankStatistic(statistic="stuart").fit_transform(lists)
      query item  score  rank
    0     q    b   1.20     1
    1     q    a   0.33     2
    2     q    c   0.11     3
    3     q    d   0.02     4
    >>> RankStatistic(statistic="geometric-mean", exact=True,
    ...               n_items=1000).fit_transform(lists)
      query item  score  rank        pvalue
    0     q    b   2.90     1  3.000000e-09
    1     q    a   1.87     2  1.098900e-05
    2     q    c   1.74     3  1.896800e-05
    3     q    d   0.87     4  6.984012e-03
    """

    _guide = {
        "absent": 'the normalised rank 1, the worst (`absent="ignore"`: the list is ignored for this item)',
        "ties": "mean rank",
        "cost": (
            r'$N \log N$; `"stuart"`: some $100 \sqrt{m} N$; exact p-values add a convolution for each shape '
            r"of lists"
        ),
    }
    _cost_terms = ("N log N", "N sqrt m", "m^2")
    _tag_notes = {"absent_below": 'not with `statistic="min"`'}
    _parameter_constraints: dict = {
        "statistic": [StrOptions(set(STATISTICS))],
        "exact": ["boolean", StrOptions({"auto"})],
        **BaseNormalisedRanks._parameter_constraints,
    }
    _variants = (
        *({"statistic": statistic} for statistic in STATISTICS),
        *({"statistic": statistic, "exact": True} for statistic in SUMS),
        {"statistic": "mean", "exact": False},
    )

    def __init__(
        self,
        *,
        statistic: Literal["geometric-mean", "mean", "median", "min", "stuart"] = "mean",
        exact: bool | Literal["auto"] = "auto",
        n_items: int | VoterWeights | None = None,
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.statistic = statistic
        self.exact = exact
        self.n_items = n_items
        self.absent: Literal["last", "ignore"] = absent
        self.voter_weights = voter_weights

    @property
    def _has_pvalues(self):
        return self.statistic == "mean" or (self._always_exact and self.statistic in SUMS)

    @property
    def _always_exact(self):
        return self.exact != "auto" and bool(self.exact)

    @property
    def _result_columns(self):
        return ("pvalue",) if self._has_pvalues else ()

    @property
    def _query_columns(self):
        return ("exact",) if self._has_pvalues else ()

    def _prepare(self, X):
        lists = super()._prepare(X)
        if self._always_exact and self.statistic not in SUMS:
            raise InputError(
                f"`statistic` must be 'mean' or 'geometric-mean' if exact=True; got {self.statistic!r}. Choose one of "
                "these or RobustRankAggregation, or leave exact='auto'."
            )
        return lists

    def _score(self, lists):
        if self.statistic == "stuart":
            copies = lists.list_weight * np.maximum(lists.list_length, 1)
            self._check_copies(lists, lists.sum_over_lists(copies), "statistic='stuart'")
        x, n_lists = self._normalise(lists)
        score = STATISTICS[self.statistic](lists.candidate, x, n_lists, lists.row_weight)
        silent = lists.sum_over_lists(lists.list_weight) == 0
        # If all lists of a query have weight 0, `_normalise` counts one empty list. This list must not add anything, so
        # the scores are 0.
        return np.where(silent[lists.candidate_query], 0.0, score) if silent.any() else score

    def _aggregate(self, lists):
        score = self._score(lists)
        if not self._has_pvalues:
            return score
        pvalue, is_exact = self._pvalues(lists, score)
        return Consensus(score, {"pvalue": pvalue}, {"exact": is_exact})

    def _pvalues(self, lists, score):
        """Return the p-value of each candidate, and a mask of the queries with exact p-values."""
        ignore = self.absent == "ignore"
        if self._always_exact:
            logarithms = self.statistic == "geometric-mean"
            log_p = random_rank_pvalues(lists, self._list_n_items(lists), logarithms=logarithms, ignore_absent=ignore)
            return np.exp(log_p), np.ones(lists.n_queries, dtype=bool)
        normal = ndtr(-score)
        if self.exact != "auto":
            return normal, np.zeros(lists.n_queries, dtype=bool)
        pvalue, is_small = small_pvalues(lists, self._list_n_items(lists), ignore_absent=ignore)
        return np.where(is_small[lists.candidate_query], pvalue, normal), is_small

    def _repeat(self, lists):
        # Replicates need no p-values.
        return lambda weight: self._score(lists.with_list_weight(weight))

    def _contributions(self, lists):
        if self.statistic not in ("mean", "geometric-mean"):
            return super()._contributions(lists)
        x, n_lists = self._normalise(lists)
        if self.statistic == "geometric-mean":
            return Contributions(-np.log10(x) * lists.list_weight[lists.row_list], factor=1 / n_lists)
        absent = None if self.absent == "ignore" else -0.5 * lists.list_weight
        return Contributions((0.5 - x) * lists.list_weight[lists.row_list], absent, np.sqrt(12.0 / n_lists))

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # With "min", a list that does not contain the item has no effect on its score.
        tags.aggregator_tags.absent_below &= self.statistic != "min"
        tags.aggregator_tags.smooth = self.statistic in ("mean", "geometric-mean")
        tags.aggregator_tags.scale_free = self.statistic != "stuart"  # probabilities depend on the number of lists
        return tags
