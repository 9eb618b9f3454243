"""MAIC: lists are weighted by the scores of their items, and items are scored by the weights of their lists."""

from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._arrays._ragged import gather_ranges, sort_codes
from ..._data._list_columns import grouping
from ..._support._sklearn import Interval, StrOptions
from ..._support._warn import warn_user
from ...base import Consensus, WeightedAggregator
from ...base._consensus import Contributions
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._curves import CURVES

__all__ = ["MAIC"]


class MAIC(WeightedAggregator):
    r"""Rank items by the weights of their lists, where each list is weighted by the scores of its items.

    MAIC (meta-analysis by information content) updates the scores of the items and the weights of the lists
    alternately. A list gains weight from items that other lists also contain. The top of a list has more weight than
    its end if the other lists contain the items at the top. Lists may have any length, and they need not have an order.

    Parameters
    ----------
    groups : str, default=None
        Name of the grouping that contains the category of each list, such as the platform of its experiment. In each
        category, only the list that gives an item the largest weight contributes to the score of this item. With None,
        each list is a separate category.
    curve : {"running-mean", "exponential"}, default="running-mean"
        Shape of the decrease in weight from the top of a list to its end. "running-mean" follows the scores of the
        items. "exponential" fits a smooth curve to the weights, as in the authors' program, see Notes.
    tol : float, default=0.01
        Tolerance, above 0. The iteration of a query ends when no list's weight changes by more than `tol`.
    max_iter : int, default=100
        Largest number of iterations.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Known weights of the voters, which are not learnt; they multiply the weights that come with the lists.

    Attributes
    ----------
    voter_weights_ : DataFrame
        Columns `voter` and `weight`. The weights are pooled over the queries; the average voter has weight 1.
    query_voter_weights_ : DataFrame
        Columns `query`, `voter` and `weight`. `weight` is the weight of the voter's whole list.
    query_info_ : DataFrame
        For each query of `fit`: `query`, `n_iter` and `converged`.

    Warns
    -----
    ConvergenceWarning
        If the weights of some query still change by more than `tol` after `max_iter` iterations.

    See Also
    --------
    BIRRA : Learns the value of each place of a list.
    RobustRankAggregation : Computes p-values.
    DIBRA : Weighs voters by their distance to the consensus; suited to lists of equal length.
    skrankagg.datasets.make_gene_lists : Generates lists of genes with a known truth.

    Notes
    -----
    Let :math:`S(i)` be the score of item :math:`i`. The weight of place :math:`x` of list :math:`v` is the square root
    of the mean score of the list's first :math:`x` items. Each category :math:`c` adds to the score of an item the
    largest weight that any list of the category gives the item [1]_

    .. math:: w_v(x) = \sqrt{\frac{1}{x} \sum_{y \le x} S(i_{vy})}, \qquad
       S(i) = \sum_c \max_{v \in c,\, v \ni i} u_v \, w_v(x_v(i)),

    where :math:`x_v(i)` is the place of the item and :math:`u_v` the weight given with the list. The weight :math:`u_v`
    has no other effect. All weights :math:`w_v` begin at 1. In each iteration, first the scores and then the weights
    are updated. The iteration ends when the weight :math:`w_v(L_v)` of each whole list changes by at most `tol`; then
    the scores are updated once more. A list adds nothing to the score of an item that it does not contain.

    For tied items, the mean includes all items of their tie class. An unranked list is a list in which all items tie,
    so each of its items has the weight of the whole list.

    **The order within lists has an effect only if the lists contain different items.** If all lists contain the same
    items, as complete rankings do, all weights stay equal and all items tie. The same holds for the items of a single
    list, and for the items of lists that share no items. Tied items are sorted by mean rank, and only then by the
    number of lists that contain them. For the mean rank, an item missing from a list gets the mean of the ranks after
    the list's last item. For complete lists this is the order of :class:`BordaCount`. Weights may increase towards the
    end of a list, because an item gains if it comes after an item that many lists contain.

    In lists of more than one tie class, ``curve="exponential"`` replaces the weights by the nearest curve :math:`a
    e^{-bx} - cx + d` with :math:`a, b, d \ge 0` and :math:`c \ge 10^{-8}`. In this fit, squared errors are divided by
    :math:`(L_v - x + 1)^2`. The search for the curve takes the same steps from the same start as scipy's `curve_fit`,
    which the authors' program calls [2]_. So it reproduces the results of that program. This option takes some hundred
    times as long and is no more accurate. If the search finds no curve, all places of the list get nearly the same
    weight. This happens in two of the 99 fits to the authors' example. The authors' program cuts lists to their first
    2000 items; use :class:`~skrankagg.preprocessing.TopK` in a pipeline for this.

    A list of weight 2 counts as two lists of different categories, but not as two lists of one category. `tol` is an
    absolute difference. If all lists have larger weights, the scores change more in each iteration, and the iteration
    ends later. The learned weights are valid only for their query, so `transform` learns weights again. Each iteration
    takes one pass over the rows. Usually there are about ten iterations.

    References
    ----------
    .. [1] B. Li, S. M. Clohisey, B. S. Chia, B. Wang, et al., "Genome-wide CRISPR screen identifies host dependency
       factors for influenza A virus infection", Nature Communications 11:164, 2020.
    .. [2] https://github.com/baillielab/maic

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import MAIC
    >>> method = MAIC()
    >>> method.fit_transform(lists).round(3)
      query item  score  rank
    0     q    b  8.217     1
    1     q    c  4.971     2
    2     q    a  4.273     3
    3     q    d  2.209     4
    >>> method.query_voter_weights_.round(3)
      query voter  weight
    0     q     u   2.408
    1     q     v   2.209
    2     q     w   2.563
    """

    _guide = {
        "absent": "0",
        "ties": "the weight of the last place of their tie class",
        "cost": "iterations (about 10) times $N$",
    }
    _cost_variants = ({"curve": "exponential"},)
    # With complete lists all items tie. With larger given weights, more iterations are needed until a step is within
    # `tol`.
    _tags = {"unanimity": False, "scale_free": False, "ties_by_rank": True}
    _parameter_constraints: dict = {
        "groups": [str, None],
        "curve": [StrOptions(set(CURVES))],
        "tol": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        **VOTER_WEIGHTS,
    }
    _query_columns = ("n_iter", "converged")
    #: Not a parameter: weights do not carry over to the lists of other queries.
    weighting = "query"

    def __init__(
        self,
        *,
        groups: str | None = None,
        curve: Literal["running-mean", "exponential"] = "running-mean",
        tol: float = 0.01,
        max_iter: int = 100,
        voter_weights: VoterWeights | None = None,
    ):
        self.groups = groups
        self.curve = curve
        self.tol = tol
        self.max_iter = max_iter
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        return self._converge(lists)[0]

    def _rank(self, lists):
        return self._publish(lists, self._aggregate(lists))

    def _learn_and_rank(self, lists):
        consensus, weight, _ = self._converge(lists)
        self._keep_weights(lists, weight)
        return self._keep_info(self._publish(lists, consensus))

    def _contributions(self, lists):
        _, _, place_weight = self._converge(lists)
        return Contributions(_CategorySums(lists, self._categories(lists)).shares(place_weight))

    @property
    def _named_groups(self):
        return (self.groups,)

    def _categories(self, lists):
        """Return the category number of each list, or None if each list is a separate category."""
        return None if self.groups is None else grouping(lists, self.groups, "groups")[0]

    def _converge(self, lists):
        """Compute scores and weights in turn until the weights of the lists converge, or for `max_iter` iterations.

        Returns the consensus, the weight of each list, and the weight of each row's place in its list.
        """
        weight, place_weight = np.ones(lists.n_lists), np.ones(lists.n_rows)
        n_iter, converged = np.zeros(lists.n_queries, dtype=np.int64), np.zeros(lists.n_queries, dtype=bool)
        category, running = self._categories(lists), np.arange(0)
        for t in range(1, self.max_iter + 1):
            if t == 1 or converged[running].any():
                running = np.flatnonzero(~converged)
                part, own_lists, own_rows = _take(lists, running)
                total = _CategorySums(part, None if category is None else category[own_lists])
                curve = CURVES[self.curve](part)
            place_weight[own_rows], moved = curve(total(place_weight[own_rows]))
            # The weight of a list with the given weight 0 has no effect.
            change = np.where(part.list_weight > 0, np.abs(moved - weight[own_lists]), 0.0)
            weight[own_lists] = moved
            n_iter[running] = t
            converged[running] = np.maximum.reduceat(change, part.list_ptr[:-1]) <= self.tol
            if converged.all():
                break
        if not converged.all():
            warn_user(
                f"{self!r} did not converge in {self.max_iter} iterations for {int((~converged).sum())} of "
                f"{lists.n_queries} queries; raise max_iter or tol.",
                ConvergenceWarning,
            )
        score = _CategorySums(lists, category)(place_weight)
        return Consensus(score, queries={"n_iter": n_iter, "converged": converged}), weight, place_weight


def _take(lists, queries):
    """Select queries; return their lists, and the positions of these lists and of their rows in `lists`."""
    if len(queries) == lists.n_queries:
        return lists, slice(None), slice(None)
    own_lists, _ = gather_ranges(lists.list_ptr, queries)
    own_rows, _ = gather_ranges(lists.row_ptr, own_lists)
    return lists.take(queries), own_lists, own_rows


class _CategorySums:
    """Sum over the categories for each item: a category adds the largest weight that its lists give to the item.

    A category is a group of lists with the same value in the grouping `groups` of :class:`MAIC`. Without `groups`, each
    list is a separate category.
    """

    def __init__(self, lists, category):
        self.lists, self.rows = lists, None
        if category is not None:
            rows, (_, start) = sort_codes(
                [lists.candidate, category[lists.row_list]], [lists.n_candidates, int(category.max()) + 1]
            )
            # Sort the sums by the first row of each category. Category numbers depend on other queries, so the order of
            # the numbers must not have an effect.
            self.rows, self.start = rows, np.flatnonzero(start)
            self.first = np.argsort(rows[self.start])

    def __call__(self, place_weight):
        """Return the sum over the categories for each candidate, given the weight of each row's place."""
        given, candidate = self._given(place_weight), self.lists.candidate
        if self.rows is not None:
            given = np.maximum.reduceat(given[self.rows], self.start)[self.first]
            candidate = candidate[self.rows[self.start]][self.first]
        return np.bincount(candidate, weights=given, minlength=self.lists.n_candidates)

    def shares(self, place_weight):
        """Return the value that each row adds to the score of its candidate.

        If several lists of a category give an item the same largest value, the value is divided equally among them.
        """
        given = self._given(place_weight)
        if self.rows is None:
            return given
        size = np.diff(np.append(self.start, len(given)))
        ordered = given[self.rows]
        leads = ordered == np.repeat(np.maximum.reduceat(ordered, self.start), size)
        n_leading = np.repeat(np.add.reduceat(leads, self.start, dtype=np.int64), size)
        shares = np.empty(len(given))
        shares[self.rows] = np.where(leads, ordered / n_leading, 0.0)
        return shares

    def _given(self, place_weight):
        weight = self.lists.row_weight
        return place_weight if weight is None else place_weight * weight
