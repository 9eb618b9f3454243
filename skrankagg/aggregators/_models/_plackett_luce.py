"""Plackett and Luce's model, and for pairs Bradley and Terry's: the worths under which the lists are likeliest."""

from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import preference_matrix
from ..._data._frames import show_id
from ..._support._sklearn import Interval, StrOptions
from ..._support._warn import warn_user
from ...base import BaseAggregator, Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ...exceptions import InputError
from .._kemeny._components import strong_components
from ._duels import PairCounts, holds_pairs, merge_equal_pairs
from ._many_minima import minimise
from ._stages import Stages

__all__ = ["PlackettLuce"]

# Pairs and replicates that are fitted at one time.
_CELLS = 1 << 20


class PlackettLuce(BaseAggregator):
    r"""Rank items by the worths under which the lists are likeliest, if each item is chosen in proportion to its worth.

    A list is read as choices: its first item from all items, its second one from the others, and so on. Lists of two
    items are the model of Bradley and Terry.

    Parameters
    ----------
    prior : float, default=0.5
        Number of comparisons that each item wins, and loses, against an item of worth 1 that is made up: more draws the
        worths together. 0 is the maximum of the likelihood, which must exist, see Notes.
    absent : {"last", "ignore"}, default="last"
        Whether the items that a list does not hold are left over when it ends, as those of a list that is cut are, or
        were not there to be chosen, as in races, panels and paired comparisons.
    ties : {"efron", "breslow"}, default="efron"
        How tied items of a list are chosen, see Notes.
    std_errors : {"model", "voters"}, default=None
        Whether to compute standard errors: by the curvature of the likelihood, or by how much the lists differ
        ("voters"), which holds also where the model does not. None computes none.
    max_iter : int, default=500
        Largest number of iterations.
    tol : float, default=1e-12
        Largest step of a log-worth that a converged iteration would still take.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        For each query of `fit`: `query`, `log_likelihood` of its lists without the prior, `n_iter`, and `converged`.

    Raises
    ------
    InputError
        With ``prior=0``, if the worths of a query have no maximum: some items were never ranked below, or never above,
        the others.

    Warns
    -----
    ConvergenceWarning
        If the iteration of some query ends before it is within `tol`.

    See Also
    --------
    skrankagg.aggregators.MarkovChain : With ``chain="mct"`` a random walk on the same comparisons.
    skrankagg.inspection.rank_stability : How the places change when the lists are drawn again.
    skrankagg.datasets.make_plackett_luce : Draws lists by the model.

    Notes
    -----
    With :math:`t_i` the logarithm of the worth of item :math:`i`, a list that ranks items :math:`1, \dots, L`
    has the log-likelihood [1]_, [2]_

    .. math:: \sum_{j=1}^{L} \Big(t_j - \log \sum_{i \in A_j} e^{t_i}\Big),

    :math:`A_j` being the items that are left before the j-th choice: the list's own ("ignore") and those that it does
    not hold ("last"). List weights multiply it. The score is :math:`t_i`; the column `worth` is :math:`e^{t_i}` as a
    share of the query. **Scores of different queries cannot be compared**: each query has a scale of its own.

    The prior adds :math:`p\,t_i - 2p \log(1 + e^{t_i})` for each item [3]_, so that there is one finite answer for all
    data. Without it there is one only if from each item to each other a chain of lists leads down [2]_; scores then
    have the mean 0.

    Of a class of :math:`d` tied items the r-th choice, from 0, is from the sum less :math:`r / d` of the class
    ("efron") or from the whole sum ("breslow"), as for tied times in Cox's model, whose partial likelihood this
    is [4]_. A tie at the end of a list is evidence that its items are alike. If it only means "not ranked", leave its
    items out.

    Standard errors are of :math:`t_i` less the mean of the query, at the estimate and without the prior, which is no
    data. They are infinite where the lists leave worths open. With "voters" a list of a whole weight w counts as w
    lists. Log-worths that differ by less than ten times `tol` tie.

    The cost is that of about 30 passes over the rows; standard errors take the square of the length of each list and
    the cube of the number of items.

    References
    ----------
    .. [1] R. L. Plackett, "The analysis of permutations", Applied Statistics 24, 1975.
    .. [2] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, 2004.
    .. [3] H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the PlackettLuce package",
       Computational Statistics 35, 2020.
    .. [4] B. Efron, "The efficiency of Cox's likelihood function for censored data", JASA 72, 1977.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import PlackettLuce
    >>> PlackettLuce().fit_transform(lists).round(3)
      query item  score  rank  worth
    0     q    b  1.346     1  0.640
    1     q    a  0.101     2  0.184
    2     q    c -0.447     3  0.107
    3     q    d -0.889     4  0.069
    """

    _parameter_constraints: dict = {
        "prior": [Interval(Real, 0, None, closed="left")],
        "absent": [StrOptions({"last", "ignore"})],
        "ties": [StrOptions({"efron", "breslow"})],
        "std_errors": [StrOptions({"model", "voters"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        **VOTER_WEIGHTS,
    }
    _variants = ({}, {"absent": "ignore"})
    _query_columns = ("log_likelihood", "n_iter", "converged")

    def __init__(
        self,
        *,
        prior: float = 0.5,
        absent: Literal["last", "ignore"] = "last",
        ties: Literal["efron", "breslow"] = "efron",
        std_errors: Literal["model", "voters"] | None = None,
        max_iter: int = 500,
        tol: float = 1e-12,
        voter_weights: VoterWeights | None = None,
    ):
        self.prior = prior
        self.absent = absent
        self.ties = ties
        self.std_errors = std_errors
        self.max_iter = max_iter
        self.tol = tol
        self.voter_weights = voter_weights

    @property
    def _result_columns(self):
        return ("worth",) if self.std_errors is None else ("worth", "std_error")

    def _aggregate(self, lists):
        if self.prior == 0:
            self._check_connected(lists)
        merged, pattern = merge_equal_pairs(lists)
        stages = Stages(merged, self.absent, self.ties)
        log_worth, n_iter, converged = self._fit(stages, np.zeros(lists.n_candidates))
        if not converged.all():
            warn_user(
                f"{self!r} did not come within tol in {self.max_iter} iterations for {int((~converged).sum())} of "
                f"{lists.n_queries} queries; raise max_iter, tol or prior.",
                ConvergenceWarning,
            )
        columns = {"worth": _shares_of_query(lists, log_worth)}
        if self.std_errors is not None:
            columns["std_error"] = self._std_errors(stages, lists, pattern, log_worth)
        queries = {
            "log_likelihood": stages.value_and_gradient(log_worth)[0],
            "n_iter": n_iter,
            "converged": converged,
        }
        return Consensus(log_worth, columns, queries, scale=self._scale(log_worth))

    def _repeat(self, lists):
        if self.prior == 0:
            return super()._repeat(lists)
        merged, pattern = merge_equal_pairs(lists)
        stages = Stages(merged, self.absent, self.ties)
        start = self._fit(stages, np.zeros(lists.n_candidates))[0]

        def score(weight):
            if pattern is not None:
                weight = np.bincount(pattern, weights=weight, minlength=merged.n_lists)
            return self._fit(stages.with_list_weight(weight), start)[0]

        return score

    def _repeat_many(self, lists):
        if self.prior == 0 or self.absent == "last" or not holds_pairs(lists):
            return super()._repeat_many(lists)
        merged, pattern = merge_equal_pairs(lists)
        pairs, start = PairCounts(merged), self._fit(Stages(merged, "ignore", "efron"), np.zeros(lists.n_candidates))[0]
        some = max(1, _CELLS // max(len(pairs.one), lists.n_candidates))

        def scores(weights):
            if pattern is not None:
                weights = np.stack(
                    [np.bincount(pattern, weights=one, minlength=merged.n_lists) for one in weights.T], 1
                )
            parts = [self._fit_pairs(pairs, weights[:, k : k + some], start) for k in range(0, weights.shape[1], some)]
            return np.concatenate(parts, axis=1)

        return scores

    def _fit_pairs(self, pairs, weights, start):
        """Log-worths under many weights of lists of two items, (n_candidates, n_replicates)."""
        lists, n = pairs.lists, weights.shape[1]
        won, likelihood = pairs.likelihood(weights)
        shape = lists.n_candidates, n

        def minus_log_posterior(log_worth):
            log_worth = log_worth.reshape(shape)
            value, gradient = likelihood(log_worth)
            terms = self.prior * log_worth - 2 * self.prior * np.logaddexp(0.0, log_worth)
            value = value + np.add.reduceat(terms, lists.candidate_ptr[:-1], axis=0)
            return -value.ravel(), -(gradient + self.prior * np.tanh(-log_worth / 2)).ravel()

        group = (lists.candidate_query[:, None].astype(np.int64) * n + np.arange(n)).ravel()
        options = {"tol": self.tol, "max_iter": self.max_iter}
        start = np.repeat(start[:, None], n, axis=1).ravel()
        found = minimise(minus_log_posterior, start, group, lists.n_queries * n, (won + self.prior).ravel(), **options)
        return found[0].reshape(shape)

    def _fit(self, stages, start):
        """Log-worths, iterations and whether they converged, of each query."""
        lists, prior = stages.lists, self.prior
        query, n_queries = lists.candidate_query, lists.n_queries

        def minus_log_posterior(log_worth):
            value, gradient = stages.value_and_gradient(log_worth)
            if prior:
                terms = prior * log_worth - 2 * prior * np.logaddexp(0.0, log_worth)
                value = value + np.bincount(query, weights=terms, minlength=n_queries)
                gradient = gradient + prior * np.tanh(-log_worth / 2)
            return -value, -gradient

        curvature = stages.n_choices() + prior
        log_worth, _, n_iter, converged = minimise(
            minus_log_posterior,
            start,
            query,
            n_queries,
            np.where(curvature > 0, curvature, 1.0),
            tol=self.tol,
            max_iter=self.max_iter,
        )
        if prior == 0:
            log_worth = log_worth - _mean_of_query(lists, log_worth)
        return log_worth, n_iter, converged

    def _scale(self, log_worth):
        """Size of the terms: what the iteration leaves open decides nothing."""
        return np.maximum(np.abs(log_worth), 10 * self.tol / TOLERANCE)

    def _std_errors(self, stages, lists, pattern, log_worth):
        error = np.empty(lists.n_candidates)
        weight = lists.list_weight
        for q in range(lists.n_queries):
            own = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
            inverse, open_ = invert_information(stages.information(log_worth, q))
            if self.std_errors == "voters":
                mine = slice(stages.lists.list_ptr[q], stages.lists.list_ptr[q + 1])
                scores = stages.by_list(log_worth, q)
                square = _weights_of_squares(weight, pattern, stages.lists)[mine]
                inverse = inverse @ (scores.T * square) @ scores @ inverse
            # The contrast to the mean of the query.
            inverse = inverse - inverse.mean(axis=0)
            inverse = inverse - inverse.mean(axis=1)[:, None]
            error[own] = np.where(open_, np.inf, np.sqrt(np.maximum(np.diag(inverse), 0.0)))
        return error

    def _check_connected(self, lists):
        for q in range(lists.n_queries):
            prefer, _ = preference_matrix(lists, q, absent=self.absent)
            own, both = preference_matrix(lists, q, absent="ignore")
            # Tied items are each as good as above the other.
            above = (prefer > 0) | (both - own - own.T > TOLERANCE * both)
            np.fill_diagonal(above, False)
            n_parts, label = strong_components(above)
            if n_parts > 1:
                self._refuse(lists, q, above, n_parts, label)

    def _refuse(self, lists, q, above, n_parts, label):
        def name(items):
            few = [show_id(lists.items, lists.candidate_item[lists.candidate_ptr[q] + item]) for item in items[:5]]
            return ", ".join(few) + (f" and {len(items) - 5} more" if len(items) > 5 else "")

        # Items of parts that nothing leads out of, and that nothing leads into; not of the largest part.
        across = above & (label[:, None] != label)
        largest = np.bincount(label).argmax()
        ends = {
            which: np.flatnonzero(~np.isin(label, np.unique(label[arcs.any(axis=1)])) & (label != largest))
            for which, arcs in (("above", across), ("below", across.T))
        }
        found = " and ".join(
            f"no list ranks {name(items)} {which} others" for which, items in ends.items() if len(items)
        )
        raise InputError(
            f"With prior=0 a chain of lists must lead from each item down to each other; the items of query "
            f"{show_id(lists.queries, q)} fall into {n_parts} parts: {found}, so that the worths have no maximum. "
            "Choose prior=0.5, or leave these items out."
        )

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # An item above another in all lists that hold both may be in weaker company elsewhere.
        tags.aggregator_tags.unanimity = False
        tags.aggregator_tags.absent_below = self.absent == "last"
        return tags


def invert_information(information):
    """Pseudo-inverse of the information (n, n), and the items whose worth it leaves open to a contrast, bool (n,)."""
    size, vectors = np.linalg.eigh(information)
    n = len(size)
    null = size <= 1e-9 * max(size[-1], np.finfo(np.float64).tiny)
    inverse = (vectors[:, ~null] / size[~null]) @ vectors[:, ~null].T
    # That all worths may be multiplied is no matter; any other direction is open.
    left = vectors[:, null]
    open_ = np.einsum("ij,ij->i", left, left) - 1.0 / n > 1e-6
    # The mean that the others are compared with is open as well.
    return inverse, np.full(n, bool(open_.any()))


def _weights_of_squares(weight, pattern, merged):
    """What the square of the derivatives of a list counts: whole weights are copies, others are factors."""
    copies = weight if (weight % 1 == 0).all() else weight**2
    if pattern is None:
        return copies
    return np.bincount(pattern, weights=copies, minlength=merged.n_lists)


def _shares_of_query(lists, log_worth):
    heads = lists.candidate_ptr[:-1]
    worth = np.exp(log_worth - np.maximum.reduceat(log_worth, heads)[lists.candidate_query])
    return worth / np.add.reduceat(worth, heads)[lists.candidate_query]


def _mean_of_query(lists, value):
    return (np.add.reduceat(value, lists.candidate_ptr[:-1]) / lists.query_n_items)[lists.candidate_query]
