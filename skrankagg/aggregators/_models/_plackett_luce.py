"""Plackett and Luce's model, and for pairs Bradley and Terry's: the worths under which the lists are likeliest."""

from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._arrays import TOLERANCE
from ..._arrays._pairwise import prefer_held, preference_matrix
from ..._arrays._preferences import ties
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
from ._tied_stages import MOST_TIED, TiedStages

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
    ties : {"efron", "breslow", "davidson"}, default="efron"
        How tied items of a list are chosen, see Notes. "davidson" estimates how frequent ties are.
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
        For each query of `fit`: `query`, `log_likelihood` of its lists without the prior, `n_iter`, `converged`, and
        with ``ties="davidson"`` `tie_prevalence`, :math:`d_2`, 0 where no two items tie.

    Raises
    ------
    InputError
        With ``prior=0``, if the worths of a query have no maximum: some items were never ranked below, or never above,
        the others. With ``ties="davidson"``, if more than 20 items tie in a list.

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
    is [4]_. With "davidson" a set of k items is chosen at once, in proportion to :math:`d_k` times the geometric mean
    of its worths, :math:`d_1 = 1` and the others estimated for each query [3]_, [5]_; the sum over all sets is an
    elementary symmetric polynomial, which takes the square of the largest class for each row. The comparisons of the
    prior may then tie, too. A tie at the end of a list is evidence that its items are alike. If it only means "not
    ranked", leave its items out.

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
    .. [5] R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
       JASA 65, 1970.

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
        "ties": [StrOptions({"efron", "breslow", "davidson"})],
        "std_errors": [StrOptions({"model", "voters"}), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        **VOTER_WEIGHTS,
    }
    _variants = ({}, {"absent": "ignore"})

    def __init__(
        self,
        *,
        prior: float = 0.5,
        absent: Literal["last", "ignore"] = "last",
        ties: Literal["efron", "breslow", "davidson"] = "efron",
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
    def _query_columns(self):
        own = ("tie_prevalence",) if self.ties == "davidson" else ()
        return ("log_likelihood", "n_iter", "converged", *own)

    @property
    def _result_columns(self):
        return ("worth",) if self.std_errors is None else ("worth", "std_error")

    def _aggregate(self, lists):
        if self.prior == 0:
            self._check_connected(lists)
        merged, pattern = merge_equal_pairs(lists)
        stages = self._stages(merged)
        variables, n_iter, converged = self._fit(stages, stages.start(np.zeros(lists.n_candidates)))
        log_worth = variables[: lists.n_candidates]
        if not converged.all():
            warn_user(
                f"{self!r} did not come within tol in {self.max_iter} iterations for {int((~converged).sum())} of "
                f"{lists.n_queries} queries; raise max_iter, tol or prior.",
                ConvergenceWarning,
            )
        columns = {"worth": _shares_of_query(lists, log_worth)}
        if self.std_errors is not None:
            columns["std_error"] = self._std_errors(stages, lists, pattern, variables)
        queries = {
            "log_likelihood": stages.value_and_gradient(variables)[0],
            "n_iter": n_iter,
            "converged": converged,
        }
        if self.ties == "davidson":
            prevalence = stages.prevalence(variables)
            queries["tie_prevalence"] = prevalence[:, 1] if prevalence.shape[1] > 1 else np.zeros(lists.n_queries)
        return Consensus(log_worth, columns, queries, scale=self._scale(log_worth))

    def _repeat(self, lists):
        if self.prior == 0:
            return super()._repeat(lists)
        merged, pattern = merge_equal_pairs(lists)
        stages = self._stages(merged)
        start = self._fit(stages, stages.start(np.zeros(lists.n_candidates)))[0]

        def score(weight):
            if pattern is not None:
                weight = np.bincount(pattern, weights=weight, minlength=merged.n_lists)
            return self._fit(stages.with_list_weight(weight), start)[0][: lists.n_candidates]

        return score

    def _stages(self, lists):
        if self.ties != "davidson":
            return Stages(lists, self.absent, self.ties)
        stages = TiedStages(lists, self.absent)
        if stages.largest > MOST_TIED:
            raise InputError(
                f"ties='davidson' takes up to {MOST_TIED} tied items of a list; some list ties {stages.largest}. "
                "Choose ties='efron', or leave out the end of the list where the tie means that it was not ranked."
            )
        return stages

    def _repeat_many(self, lists):
        if self.prior == 0 or self.absent == "last" or self.ties == "davidson" or not holds_pairs(lists):
            return super()._repeat_many(lists)
        merged, pattern = merge_equal_pairs(lists)
        pairs, start = PairCounts(merged), self._fit(self._stages(merged), np.zeros(lists.n_candidates))[0]
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
            terms, slopes = _plain_prior(self.prior, log_worth)
            value = value + np.add.reduceat(terms, lists.candidate_ptr[:-1], axis=0)
            return -value.ravel(), -(gradient + slopes).ravel()

        group = (lists.candidate_query[:, None].astype(np.int64) * n + np.arange(n)).ravel()
        options = {"tol": self.tol, "max_iter": self.max_iter}
        start = np.repeat(start[:, None], n, axis=1).ravel()
        found = minimise(minus_log_posterior, start, group, lists.n_queries * n, (won + self.prior).ravel(), **options)
        return found[0].reshape(shape)

    def _fit(self, stages, start):
        """Log-worths and parameters of ties, iterations of each query, and whether it converged."""
        lists = stages.lists
        n, n_queries = lists.n_candidates, lists.n_queries
        group = np.concatenate([lists.candidate_query, stages.extra_query()])

        def minus_log_posterior(variables):
            value, gradient = stages.value_and_gradient(variables)
            if self.prior:
                terms, slopes, tie_slopes = self._log_prior(stages, variables)
                value = value + np.bincount(lists.candidate_query, weights=terms, minlength=n_queries)
                gradient[:n] += slopes
                gradient[n:] += tie_slopes
            return -value, -gradient

        curvature = stages.n_choices()
        curvature[:n] += self.prior
        options = {"tol": self.tol, "max_iter": self.max_iter}
        scale = np.where(curvature > 0, curvature, 1.0)
        variables, _, n_iter, converged = minimise(minus_log_posterior, start, group, n_queries, scale, **options)
        if self.prior == 0:
            variables[:n] -= _mean_of_query(lists, variables[:n])
        return variables, n_iter, converged

    def _log_prior(self, stages, variables):
        """Of each candidate, with its derivatives by the log-worths and by the parameters of ties."""
        lists, prior = stages.lists, self.prior
        log_worth, extra = np.split(variables, [lists.n_candidates])
        if not len(extra):
            return *_plain_prior(prior, log_worth), extra
        # A comparison with the item of worth 1 may end in a tie.
        log_tie = np.where(stages.seen[:, 0], extra.reshape(stages.seen.shape)[:, 0], -np.inf)[lists.candidate_query]
        terms = np.stack([np.zeros_like(log_worth), log_worth, log_tie + log_worth / 2])
        greatest = terms.max(axis=0)
        total = np.log(np.exp(terms - greatest).sum(axis=0)) + greatest
        share, tied = np.exp(log_worth - total), np.exp(terms[2] - total)
        slopes = np.zeros(stages.seen.shape)
        slopes[:, 0] = np.bincount(lists.candidate_query, weights=-2 * prior * tied, minlength=lists.n_queries)
        return prior * log_worth - 2 * prior * total, prior - 2 * prior * (share + tied / 2), slopes.ravel()

    def _scale(self, log_worth):
        """Size of the terms: what the iteration leaves open decides nothing."""
        return np.maximum(np.abs(log_worth), 10 * self.tol / TOLERANCE)

    def _std_errors(self, stages, lists, pattern, variables):
        errors, squares = [], _weights_of_squares(lists.list_weight, pattern, stages.lists)
        voters = self.std_errors == "voters"
        scores_of_queries = stages.by_list(variables) if voters else [None] * lists.n_queries
        queries = zip(lists.query_n_items, stages.information(variables), scores_of_queries, strict=True)
        for q, (n, information, scores) in enumerate(queries):
            inverse, is_open = invert_information(information)
            if voters:
                mine = slice(stages.lists.list_ptr[q], stages.lists.list_ptr[q + 1])
                inverse = inverse @ (scores.T * squares[mine]) @ scores @ inverse
            # The contrast to the mean of the query.
            inverse = inverse[:n, :n] - inverse[:n, :n].mean(axis=0)
            inverse = inverse - inverse.mean(axis=1)[:, None]
            errors.append(np.full(n, np.inf) if is_open else np.sqrt(np.maximum(np.diag(inverse), 0.0)))
        return np.concatenate(errors)

    def _check_connected(self, lists):
        for q in range(lists.n_queries):
            prefer, both = preference_matrix(lists, q, absent="ignore")
            # Tied items are each as good as above the other.
            above = (prefer > 0) | (ties(prefer, both) > TOLERANCE * both)
            if self.absent == "last":
                above |= prefer_held(prefer[None], both[None])[0] > 0
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


def _plain_prior(prior, log_worth):
    """Log-prior of each log-worth, where comparisons with the item of worth 1 cannot tie, and its derivative."""
    return prior * log_worth - 2 * prior * np.logaddexp(0.0, log_worth), prior * np.tanh(-log_worth / 2)


def invert_information(information):
    """Pseudo-inverse of the information, and whether it leaves contrasts of worths open."""
    size, vectors = np.linalg.eigh(information)
    null = size <= 1e-9 * max(size[-1], np.finfo(np.float64).tiny)
    inverse = (vectors[:, ~null] / size[~null]) @ vectors[:, ~null].T
    # All worths may be multiplied by a number, which changes no contrast; any other direction leaves one open.
    return inverse, bool(np.count_nonzero(null) > 1)


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
