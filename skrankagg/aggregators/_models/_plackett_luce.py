"""Plackett and Luce's model of ranked lists; for lists of two items it is the model of Bradley and Terry."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..._arrays import TOLERANCE
from ..._arrays._ragged import gather_ranges
from ..._data._compared_items import ranks_absent_last
from ..._data._covariates import OF_COVARIATES, CoefficientFrame, coefficient_frame
from ..._support._sklearn import Interval, StrOptions
from ..._support._warn import warn_user
from ...base import Consensus, WeightedAggregator
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import BY_VOTER, VoterWeights
from ...base._weight_range import check_range
from ...base._weighted import WEIGHTING
from ...exceptions import InputError
from ._averaged_stages import AveragedStages
from ._connected import check_connected, check_maximum
from ._covariate_model import CovariateModel
from ._covariate_repeats import CovariateFits
from ._duels import PairCounts, merge_equal_pairs, pair_queries
from ._pair_fits import PairFits
from ._posterior import most_likely
from ._published_scale import PublishedScale
from ._reliabilities import learn_reliabilities
from ._reliable_stages import ReliableStages
from ._stages import Stages
from ._standard_errors import standard_errors
from ._tied_stages import MOST_TIED, TiedStages, pair_prevalence

__all__ = ["PlackettLuce"]

# Bytes that standard errors need for each ordered pair of items of a query, and with "voters" also for each list and
# item.
_ERROR_BYTES, _SCORE_BYTES = 80.0, 32.0


class PlackettLuce(WeightedAggregator):
    r"""Rank items by the worths that make the lists most likely under the model of Plackett and Luce.

    In this model a list is a sequence of choices: its first item is chosen from all items, its second item from the
    remaining items, and so on. Each item is chosen with a probability in proportion to its worth. For lists of two
    items this is the model of Bradley and Terry.

    Parameters
    ----------
    prior : float, default=0.5
        Number of comparisons that each item wins against an invented item of worth 1. Each item also loses the same
        number of comparisons. A larger prior moves the worths closer together. With 0 the worths maximise the
        likelihood alone. This maximum must exist, see Notes.
    absent : {"auto", "last", "ignore"}, default="auto"
        How to treat items missing from a list. "last" assumes that they were available but not chosen, as in a list
        that is cut. "ignore" assumes that they were not available, as in races, panels and paired comparisons. "auto"
        is "ignore" for lists that were read as paired comparisons, and "last" for all others.
    ties : {"average", "efron", "breslow", "davidson"}, default="average"
        Model of the choice among tied items of a list, see Notes. "average" takes the mean over all orders of the tied
        items; a tie of two items is half a win for each. "davidson" estimates how frequent ties are.
    std_errors : {"model", "voters"} or str, default=None
        Method for standard errors. "model" uses the curvature of the likelihood. "voters" uses the differences between
        the lists; this method is also valid if the model is wrong. If the lists of a group resemble each other, pass
        the name of the grouping, such as "judge". The differences between the groups are then used. With None, no
        standard errors are computed.
    scale : {"log", "elo"}, default="log"
        Scale of the scores. "log" publishes the log-worths. "elo" multiplies them by 400 / log(10), so that a lead of
        400 points means odds of 10 to 1, and shifts the mean of each query to 1000.
    anchor : mapping or pandas.Series of one item to float, default=None
        An item whose score is known, such as ``{"gpt-4": 1300}``. All scores of a query are shifted, so that the item
        has this score. Standard errors then refer to the difference from this item.
    covariates : list of str, default=None
        Names of covariates that the model takes into account, such as ``["position", "length"]``, see Notes. The
        covariates must have been read together with the lists. None ignores the covariates of the lists.
    coefficients : {"query", "all"}, default="query"
        Whether each query has its own coefficients of the covariates ("query"), or all queries share one set ("all").
        Choose "all" if queries have few lists.
    ridge : float, default=0.0
        Penalty on the coefficients: ``ridge / 2`` times the sum of their squares. For the penalty, covariates are
        scaled to unit variation within lists. A ridge keeps a coefficient finite if the covariate separates winners
        from losers.
    votes : bool or None, default=None
        Meaning of weights with ``std_errors="voters"``. With True, a list of weight w counts as w equal lists, even if
        w is fractional. With False, it counts as one list whose log-likelihood is multiplied by w. With None, weights
        are numbers of lists only in queries where all weights are integers. A query with both integer weights above 1
        and fractional weights then causes a warning.
    max_iter : int, default=500
        Largest number of iterations.
    tol : float, default=1e-12
        The iteration of a query has converged if its next step would change no log-worth by more than `tol`, or if
        rounding prevents further progress.
    weighting : {None, "query", "global"}, default=None
        How to learn the reliability of each voter, see Notes. None learns nothing: all voters are equal. "query" learns
        the reliabilities from the lists of each query; `transform` learns them again from its own lists. "global"
        learns one number for each voter from all queries of `fit`, and `transform` applies this number to any query.
    reliability_of : str, default=None
        Name of a grouping, such as "judge"; ``weighting`` then learns one reliability for each group. With None, each
        voter has its own reliability. Do not use None for paired comparisons, because each comparison is then a
        separate voter, see Examples.
    reliability_prior : float, default=10.0
        Shape of the gamma distribution of the reliabilities, see Notes. A larger shape moves the reliabilities closer
        together.
    unknown_voter : {"mean", "ignore", "error"}, default="mean"
        Treatment of a voter that was not in the training lists, with ``weighting="global"``. "mean" gives the voter the
        mean reliability, "ignore" gives it weight 0, and "error" raises an error.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    query_info_ : DataFrame
        For each query of `fit`: `query`, `log_likelihood` of its lists without the prior, `n_iter` and `converged`.
        With ``ties="davidson"`` there is also `tie_prevalence`, the number :math:`d_2`. It is 0 if no two items tie.
        With ``prior=0`` it is infinite if two items tie at every choice where a tie of two items is possible. With
        `covariates` there are also `coefficient_NAME`, `std_error_NAME` and `p_NAME` for each covariate.
    coefficients_ : DataFrame
        For each query and covariate: `query`, `covariate`, `coefficient`, `std_error`, `p` and `odds_ratio`. With
        ``coefficients="all"`` there is no column `query`. The attribute does not exist with ``covariates=None``.
    voter_weights_ : DataFrame
        Columns `voter` and `weight`; `weight` is the reliability of the voter. With ``weighting="query"`` the
        reliability of each list is first divided by the mean reliability in its query. The weight of a voter is then
        the mean over the voter's lists. The attribute does not exist with ``weighting=None``.
    query_voter_weights_ : DataFrame
        Columns `query`, `voter` and `weight`; `weight` is the reliability of the list. The attribute does not exist
        with ``weighting=None``.

    Raises
    ------
    InputError
        - If `covariates` are combined with ``absent="last"``, ``ties="davidson"`` or `weighting`.
        - If `ridge` or `coefficients` is set without `covariates`.
        - If a covariate is constant in each list, or is a linear combination of item effects and earlier covariates.
          With ``ridge=0``, this error is also raised if a covariate separates winners from losers.
        - With `covariates`, if all lists of a query have weight 0.
        - If a query lacks the item of `anchor`.
        - With ``prior=0``, if the likelihood of a query has no maximum: some items are never ranked below the other
          items, or never above them. With ``ties="davidson"``, this error is also raised if some items only tie with
          the other items.
        - With ``ties="davidson"``, if more than 20 items tie in a list.

    Warns
    -----
    ConvergenceWarning
        If the iteration of some query has not converged after `max_iter` iterations.
    UserWarning
        With ``std_errors="voters"`` and ``votes=None``, if a query has both integer weights above 1 and fractional
        weights.

    See Also
    --------
    skrankagg.aggregators.MarkovChain : With ``chain="mct"`` it ranks by a random walk on the same comparisons.
    skrankagg.RankedLists.from_comparisons : Reads paired comparisons with covariates.
    skrankagg.inspection.rank_stability : Measures how the ranks change when the lists are resampled.
    skrankagg.datasets.make_plackett_luce : Draws lists from the model.

    Notes
    -----
    Let :math:`t_i` be the logarithm of the worth of item :math:`i`. A list that ranks items :math:`1, \dots, L` has the
    log-likelihood [1]_, [2]_

    .. math:: \sum_{j=1}^{L} \Big(t_j - \log \sum_{i \in A_j} e^{t_i}\Big),

    where :math:`A_j` contains the items that remain before the j-th choice; with "last" it also contains all absent
    items. List weights multiply the log-likelihood. The score is :math:`t_i`, on the chosen scale. The column `worth`
    is :math:`e^{t_i}` divided by its sum over the items of the query. **Scores of different queries cannot be
    compared**: each query has its own scale.

    The prior adds :math:`p\,t_i - 2p \log(1 + e^{t_i})` to the log-likelihood for each item [3]_. With the prior, there
    is always exactly one solution, and its worths are finite. Without the prior a solution may not exist. It exists if
    each item is above every other item, in one list or through a chain of lists [2]_. For example, a is above c through
    two lists that rank a above b and b above c. The scores then have the mean 0. With "davidson" there may be no
    solution if ties alone connect some items.

    **Ties.** A class :math:`C` of :math:`d` tied items contains no information about the order of its items. With
    "average" its log-likelihood is the mean over all orders of the class. Let R be the worth of the items below the
    class and :math:`w(D)` the worth of a set D of tied items. The mean is

    .. math:: \sum_{i \in C} t_i - \sum_{\emptyset \ne D \subseteq C} \log(R + w(D)) \Big/ \binom{d}{|D|}.

    If a list contains only two items and ties them, the tie is half a win for each, as in arenas and in Elo's system.
    The formula is the mean of the logarithms, not the logarithm of the mean. The sum over sets is exact for up to 10
    tied items. For up to 100 items it is an integral with an error of about 1e-11. For larger classes, Efron's rule
    replaces all choices except the last two. "efron" and "breslow" count a class of :math:`d` tied items as :math:`d`
    choices. For the choices :math:`r = 0, \dots, d - 1` within the class, "efron" subtracts :math:`r / d` of the total
    worth of the class from the sum over :math:`A_j`. "breslow" subtracts nothing. Both are rules for tied times in
    Cox's model; the likelihood above is the partial likelihood of that model [4]_. With "davidson" a set of k items is
    chosen at once, in proportion to :math:`d_k` times the geometric mean of its worths. Here :math:`d_1 = 1`, and the
    other :math:`d_k` are estimated for each query [3]_, [5]_. The sum over all sets is an elementary symmetric
    polynomial. The time for each row grows with the square of the size of the largest class. With "davidson", the
    comparisons of the prior may also end in ties. Suppose that sets of size k are chosen whenever they can be, as in
    approval ballots of k items each. Then the estimate of :math:`d_k` is infinite, and the result is the limit for
    growing :math:`d_k`. Consider the choices where size k is possible. In this limit, their sums leave out each size
    that is never chosen at any of them. A tie at the end of a list is evidence that the tied items are equally good. If
    the tie only means "not ranked", leave these items out.

    **Reliabilities.** A voter of reliability :math:`\eta` chooses in proportion to :math:`e^{\eta t_i}` [6]_. With a
    reliability near 0, choices are nearly random. With "query" the mean reliability over the voters of each query is 1.
    With "global" the mean over all voters is 1. With "davidson" :math:`d_k^\eta` replaces :math:`d_k`. Reliabilities
    have a gamma distribution of shape `reliability_prior`, before they are divided by their mean. Without this
    distribution, the voter who agrees most with the others would be infinitely reliable. An EM algorithm [7]_ learns
    the reliabilities. Each round first finds the worths of maximum likelihood. Then it finds the reliabilities that
    maximise the likelihood minus a penalty of :math:`\tfrac12 \eta^2 \sum_j \mathrm{Var}_j` for each voter. Here
    :math:`\mathrm{Var}_j` is the variance at the voter's j-th choice that is due to the uncertainty of the worths. The
    rounds end when no :math:`\log \eta` moves by more than 1e-6. If the likelihood were maximised over worths and
    reliabilities jointly, a single voter would dominate the result of many short queries. A list of weight w counts as
    w voters; with `reliability_of` it counts as w lists of one voter. A voter who prefers bad items gets a reliability
    near 0, but never below 0. Standard errors treat the reliabilities as known.

    **Covariates.** With covariates :math:`x_{li}` of item i in list l, the utility :math:`t_i + x_{li}^\top b` replaces
    :math:`t_i`; this is the rank-ordered or exploded logit [8]_. The scores are the :math:`t_i`, so they compare items
    at equal covariates. Only differences within a list matter. The coefficients `b` are effects on the log-odds in the
    units of the data, even with ``scale="elo"``. Items absent from a list have no covariates, so lists that are not
    paired comparisons need ``absent="ignore"``. Standard errors of worths and of coefficients are computed from their
    joint information matrix. With ``std_errors=None``, `coefficients_` contains the errors of ``"model"``. P-values use
    the normal distribution, or the t distribution with G - 1 degrees of freedom for a grouping of G groups. For
    `ridge`, each covariate is divided by the root mean square of its deviation from the list's mean. In queries where
    all lists have two items, the divisor is the root mean square of the difference of the two items. Covariates are
    never centred over several lists, because this would change the effect of a position. With few lists in each query,
    the coefficients of ``coefficients="all"`` are biased away from 0, because the worths of each query are estimated
    from the same lists. The fit takes about six Newton steps.

    **Standard errors** refer to the score minus the mean of the query, or minus the score of the anchor. They are
    computed at the estimate. The prior is ignored, because it is not data. Standard errors are infinite in queries
    whose lists do not determine all differences of worths. `votes` refers to the weights in the lists, multiplied by
    `voter_weights`. Comparisons that were merged are still counted one by one. A comparison counts once, even if its
    outcome is a share of a win, or has a weight factor in ``outcomes=``. With a grouping of G groups, the derivatives
    of the log-likelihood are summed by group, and the sum of their squares is multiplied by G / (G - 1). For intervals,
    use the quantiles of the t distribution with G - 1 degrees of freedom. Two items tie if their log-worths differ by
    less than ten times `tol`.

    The fit takes about 30 passes over the rows. With "average", classes of more than ten tied items take many times
    longer than with "efron". The time of standard errors grows with the square of the length of each list and the cube
    of the number of items. They need memory for ten matrices of all pairs of items. This memory is checked before the
    fit. With `weighting` the fit takes about a dozen times as long. With `weighting` and ``absent="last"`` the time
    grows with the number of lists times the number of items.

    References
    ----------
    .. [1] R. L. Plackett, "The analysis of permutations", Applied Statistics 24, 1975.
    .. [2] D. R. Hunter, "MM algorithms for generalized Bradley-Terry models", Annals of Statistics 32, 2004.
    .. [3] H. L. Turner, J. van Etten, D. Firth and I. Kosmidis, "Modelling rankings in R: the PlackettLuce package",
       Computational Statistics 35, 2020.
    .. [4] B. Efron, "The efficiency of Cox's likelihood function for censored data", JASA 72, 1977.
    .. [5] R. R. Davidson, "On extending the Bradley-Terry model to accommodate ties in paired comparison experiments",
       JASA 65, 1970.
    .. [6] K. Raman and T. Joachims, "Methods for ordinal peer grading", KDD 2014.
    .. [7] A. P. Dempster, N. M. Laird and D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm",
       JRSS B 39, 1977.
    .. [8] S. Beggs, S. Cardell and J. Hausman, "Assessing the potential demand for electric cars", Journal of
       Econometrics 17, 1981.

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
    0     q    b  1.350     1  0.639
    1     q    a  0.148     2  0.192
    2     q    c -0.464     3  0.104
    3     q    d -0.930     4  0.065

    In this example, the last of three judges decides by chance:

    >>> from skrankagg import RankedLists
    >>> from skrankagg.datasets import make_comparisons
    >>> games = make_comparisons(8, 900, reliability=[1.0, 1.0, 0.0],
    ...     random_state=0).comparisons
    >>> duels = RankedLists.from_comparisons(games, voter="judge")
    >>> model = PlackettLuce(weighting="global", reliability_of="judge").fit(duels)
    >>> model.voter_weights_.set_index("voter")["weight"].round(2).to_dict()
    {'v1': 1.31, 'v2': 1.22, 'v3': 0.47}

    In this example, the first answer of each duel has an advantage:

    >>> battles = [("a", "b", 1), ("b", "a", 1), ("a", "b", 1), ("b", "c", 1),
    ...            ("c", "b", 0.5), ("c", "a", 0)]
    >>> duels = RankedLists.from_comparisons(battles, position=True)
    >>> model = PlackettLuce(covariates=["position"]).fit(duels)
    >>> model.coefficients_.round(2)
      query covariate  coefficient  std_error     p  odds_ratio
    0     q  position         2.09       1.78  0.24        8.07
    """

    _guide = {
        "absent": (
            '`absent="last"`: a place below the items of the list, because it is never chosen; `"ignore"`: nothing, '
            'because the list does not count for it. `"auto"`: `"ignore"` for paired comparisons, else `"last"`'
        ),
        "ties": 'the mean over all orders, `"average"`; or one class, `"efron"`, `"breslow"` or `"davidson"`',
        "cost": 'some 30 passes over the rows; `weighting="query"`, `"global"`: over $m n$',
    }
    _cost_terms = ("m n",)
    _tag_notes = {"learns_weights": 'yes with `weighting="query"` and `"global"`'}
    _parameter_constraints: dict = {
        "prior": [Interval(Real, 0, None, closed="left")],
        "absent": [StrOptions({"auto", "last", "ignore"})],
        "ties": [StrOptions({"average", "efron", "breslow", "davidson"})],
        "std_errors": [str, None],
        "scale": [StrOptions({"log", "elo"})],
        "anchor": [*BY_VOTER, None],
        "covariates": [list, tuple, None],
        "coefficients": [StrOptions({"query", "all"})],
        "ridge": [Interval(Real, 0, None, closed="left")],
        "votes": ["boolean", None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither")],
        **WEIGHTING,
        "weighting": [StrOptions({"query", "global"}), None],
        "reliability_of": [str, None],
        "reliability_prior": [Interval(Real, 0, None, closed="neither")],
    }
    # An item may be above another item in all lists that contain both, but compete with weaker items in other lists.
    # Three equal lists are more evidence against the prior than one list.
    _tags = {"unanimity": False, "scale_free": False, "smooth": True}
    _variants = ({}, {"absent": "ignore"})

    def __init__(
        self,
        *,
        prior: float = 0.5,
        absent: Literal["auto", "last", "ignore"] = "auto",
        ties: Literal["average", "efron", "breslow", "davidson"] = "average",
        std_errors: str | None = None,
        scale: Literal["log", "elo"] = "log",
        anchor: VoterWeights | None = None,
        covariates: Sequence[str] | None = None,
        coefficients: Literal["query", "all"] = "query",
        ridge: float = 0.0,
        votes: bool | None = None,
        max_iter: int = 500,
        tol: float = 1e-12,
        weighting: Literal["query", "global"] | None = None,
        reliability_of: str | None = None,
        reliability_prior: float = 10.0,
        unknown_voter: Literal["mean", "ignore", "error"] = "mean",
        voter_weights: VoterWeights | None = None,
    ):
        self.prior = prior
        self.absent = absent
        self.ties = ties
        self.std_errors = std_errors
        self.scale = scale
        self.anchor = anchor
        self.covariates = covariates
        self.coefficients = coefficients
        self.ridge = ridge
        self.votes = votes
        self.max_iter = max_iter
        self.tol = tol
        self.weighting = weighting
        self.reliability_of = reliability_of
        self.reliability_prior = reliability_prior
        self.unknown_voter = unknown_voter
        self.voter_weights = voter_weights

    @property
    def _query_columns(self):
        own = ("tie_prevalence",) if self.ties == "davidson" else ()
        own += tuple(f"{part}_{name}" for name in self.covariates or () for part in OF_COVARIATES)
        return ("log_likelihood", "n_iter", "converged", *own)

    @property
    def _result_columns(self):
        return ("worth",) if self.std_errors is None else ("worth", "std_error")

    @property
    def _joins_queries(self):
        return bool(self.covariates) and self.coefficients == "all"

    def _aggregate_weighted(self, lists, weight, known):
        # Check before the fit, which may take long.
        smaller = "leave out the covariates" if self.covariates else "choose std_errors=None"
        self._check_memory(lists, self._error_memory(lists), smaller)
        published = PublishedScale(lists, self.scale, self.anchor)
        if self.covariates:
            return self._with_covariates(lists, published)
        stages, pattern, variables, n_iter, converged = self._estimate(lists, weight)
        log_worth = variables[: lists.n_candidates]
        columns = {"worth": _shares_of_query(lists, log_worth)}
        if self.std_errors is not None:
            error = standard_errors(
                stages, lists, pattern, variables, self.std_errors, votes=self.votes, anchor=published.anchor
            )
            columns["std_error"] = published.factor * error
        queries = {
            "log_likelihood": stages.log_likelihood(variables),
            "n_iter": n_iter,
            "converged": converged,
        }
        if self.ties == "davidson":
            queries["tie_prevalence"] = pair_prevalence(stages, variables)
        score = published(log_worth)
        return Consensus(score, columns, queries, scale=self._scale(score, published.factor))

    def _prepare(self, X):
        lists = super()._prepare(X)
        if self.covariates:
            for name, refused in (("ties", self.ties == "davidson"), ("weighting", self.weighting is not None)):
                if refused:
                    raise InputError(
                        f"`{name}` of PlackettLuce must not be {getattr(self, name)!r} if covariates are given. Choose "
                        f"{name}={self._plain_choice[name]!r}, or covariates=None."
                    )
        elif self.ridge != 0 or self.coefficients != "query":
            name = "ridge" if self.ridge != 0 else "coefficients"
            raise InputError(
                f"Without covariates, `{name}` of PlackettLuce must be {'0' if name == 'ridge' else repr('query')}; "
                f"got {getattr(self, name)!r}. Name the covariates, or leave out {name}."
            )
        return lists

    #: Values of parameters that are possible with covariates.
    _plain_choice = {"ties": "average", "weighting": None}

    def _with_covariates(self, lists, published):
        """Return the consensus of a model with covariates."""
        if self.prior == 0:
            check_connected(lists, "ignore")
        model = CovariateModel(lists, self)
        errors = None if self.std_errors is None else {"votes": self.votes, "anchor": published.anchor}
        found = model.estimate(errors=errors)
        check_range(self, lists, found.log_worth, far=False)
        self._warn_unless(found.converged, lists)
        columns = {"worth": _shares_of_query(lists, found.log_worth)}
        if errors is not None:
            columns["std_error"] = published.factor * found.worth_error
        queries = {"log_likelihood": found.log_likelihood, "n_iter": found.n_iter, "converged": found.converged}
        for k, name in enumerate(self.covariates):
            for part, values in zip(OF_COVARIATES, (found.coefficients, found.errors, found.p), strict=True):
                queries[f"{part}_{name}"] = values[:, k]
        score = published(found.log_worth)
        return Consensus(score, columns, queries, scale=self._scale(score, published.factor))

    def _keep_info(self, ranked):
        ranked = super()._keep_info(ranked)
        self.__dict__.pop("coefficients_", None)
        if self.covariates:
            info = self.query_info_.iloc[:1] if self.coefficients == "all" else self.query_info_
            self.coefficients_: CoefficientFrame = coefficient_frame(
                info, self.covariates, with_query=self.coefficients == "query"
            )
        return ranked

    def _error_memory(self, lists):
        """Return the number of bytes that standard errors need in each query, or None if none are computed."""
        if self.std_errors is None and not self.covariates:
            return None
        n, m = lists.query_n_items.astype(np.float64), np.diff(lists.list_ptr)
        return n * (_ERROR_BYTES * n + (_SCORE_BYTES * m if self.std_errors not in ("model", None) else 0.0))

    def _estimate(self, lists, reliability):
        """Fit the worths of all queries to the lists.

        Equal lists may be merged before the fit. Returns five results. The first two are the likelihood, and the index
        of each list among the merged lists, which is None without merging. The third contains the fitted log-worths,
        followed by the tie parameters. The last two contain the number of iterations of each query, and a mask of the
        queries that have converged.
        """
        needs_ties = check_connected(lists, self.absent) if self.prior == 0 else None
        stages, pattern = self._stages(lists) if reliability is None else self._reliable_stages(lists, reliability)
        variables, n_iter, converged = self._fit(stages, stages.start(np.zeros(lists.n_candidates)))
        if needs_ties is not None and self.ties == "davidson":
            check_maximum(lists, stages, variables, needs_ties)
        check_range(self, lists, variables[: lists.n_candidates], far=False)
        self._warn_unless(converged, lists)
        return stages, pattern, variables, n_iter, converged

    def _voter_weights(self, lists):
        if self.prior == 0:
            check_connected(lists, self.absent)
        stages = ReliableStages(lists, self._group_of_lists(lists), self._plain_stages, self.absent)
        # Without groups, a list of weight w counts as w voters. With groups, a judge is one voter with many
        # comparisons.
        size = lists.list_weight if self.reliability_of is None else (lists.list_weight > 0).astype(np.float64)
        options = {"prior": self.prior, "tol": self.tol, "max_iter": self.max_iter}
        reliability, converged = learn_reliabilities(
            stages, self.reliability_prior, size, of_query=self.weighting == "query", **options
        )
        self._warn_unless(converged, lists)
        return reliability

    def _log_likelihood_after(self, lists, others):
        """Fit the worths to `lists`, and compute each query's log-likelihood of `others` with these worths.

        `lists` and `others` have the same rows and different list weights. The second result contains the
        log-likelihoods of `others` with equal worths. Both results have shape (n_queries,).
        """
        if self.covariates:
            return CovariateModel(lists, self).log_likelihoods(others.list_weight)
        reliability = None if self.weighting is None else self._voter_weights(lists)
        learnt, _, variables, *_ = self._estimate(lists, reliability)
        stages = self._plain_stages(others) if reliability is None else self._reliable_stages(others, reliability)[0]
        stages.tie_sizes_of(learnt)
        equal = variables.copy()
        equal[: lists.n_candidates] = 0.0
        with np.errstate(divide="ignore", invalid="ignore"):  # choices that were never seen have probability 0
            return stages.log_likelihood(variables), stages.log_likelihood(equal)

    def _pool(self, lists, weight):
        if self.weighting == "query":
            return super()._pool(lists, weight)
        owner, ids = self._owners(lists)
        reliability = np.full(len(ids), np.nan)
        reliability[owner] = weight
        return reliability

    @property
    def _grouping(self):
        return "reliability_of", self.reliability_of

    @property
    def _named_groups(self):
        return (None if self.std_errors in ("model", "voters") else self.std_errors), self.reliability_of

    def _warn_unless(self, converged, lists):
        if not converged.all():
            n_open = lists.n_queries if len(converged) == 1 else int((~converged).sum())
            warn_user(
                f"{self!r} did not converge in {self.max_iter} iterations for {n_open} of {lists.n_queries} "
                "queries. Raise max_iter, tol or prior.",
                ConvergenceWarning,
            )

    def _repeat(self, lists):
        if self.covariates and self.prior > 0:
            scores = self._repeat_many(lists)
            return lambda weight: scores(weight[:, None])[:, 0]
        if self.prior == 0 or self.weighting is not None:
            return super()._repeat(lists)
        stages, pattern = self._stages(lists)
        start = self._fit(stages, stages.start(np.zeros(lists.n_candidates)))[0]
        published = PublishedScale(lists, self.scale, self.anchor)

        def score(weight):
            if pattern is not None:
                weight = np.bincount(pattern, weights=weight, minlength=stages.lists.n_lists)
            return published(self._fit(stages.with_list_weight(weight), start)[0][: lists.n_candidates])

        return score

    def _stages(self, lists):
        """Merge equal lists of two items; return the likelihood, and the index of each list among the merged lists.

        The second result is None if no lists were merged.
        """
        merged, pattern = merge_equal_pairs(lists)
        return self._plain_stages(merged), pattern

    def _reliable_stages(self, lists, weight):
        """Return the likelihood for voters of known reliability, and the index of each list among the merged lists.

        `weight`, of shape (n_lists,), contains the reliability of each list's voter.
        """
        # Voters of equal reliability act as one voter.
        voter = np.unique(weight, return_inverse=True)[1]
        stages = ReliableStages(lists, voter, self._plain_stages, self.absent).known(weight)
        return stages, stages.pattern

    def _plain_stages(self, lists, owner=None):
        if self.ties == "average":
            return AveragedStages(lists, self.absent)
        if self.ties != "davidson":
            return Stages(lists, self.absent, self.ties)
        stages = TiedStages(lists, self.absent, owner, has_prior=self.prior > 0)
        if stages.largest > MOST_TIED:
            raise InputError(
                f"ties='davidson' allows at most {MOST_TIED} tied items in a list; got {stages.largest} in some list. "
                "Choose ties='average'. If the tie means that these items were not ranked, leave them out."
            )
        return stages

    def _repeat_many(self, lists):
        if self.covariates:
            if self.prior == 0:
                return super()._repeat_many(lists)
            return CovariateFits(CovariateModel(lists, self), PublishedScale(lists, self.scale, self.anchor))
        plain = self.prior > 0 and self.weighting is None and self.ties != "davidson"
        below = np.logical_or.reduceat(ranks_absent_last(lists, self.absent), lists.list_ptr[:-1])
        of_pairs = pair_queries(lists) & ~below & plain
        if not of_pairs.any():
            return super()._repeat_many(lists)
        if not of_pairs.all():
            return self._repeat_kinds(lists, [np.flatnonzero(of_pairs), np.flatnonzero(~of_pairs)])
        pairs = PairCounts(lists, tied_win=0.5 if self.ties == "average" else 1.0)
        stages, _ = self._stages(lists)
        start = self._fit(stages, np.zeros(lists.n_candidates))[0]
        published = PublishedScale(lists, self.scale, self.anchor)
        return PairFits(pairs, start, published, prior=self.prior, tol=self.tol, max_iter=self.max_iter)

    def _repeat_kinds(self, lists, kinds):
        """Call `_repeat_many` separately for several sets of queries, and combine the results into one function.

        `kinds` contains one array of queries for each set; together they contain all queries. The returned function
        computes the scores of all candidates for any list weights of shape (n_lists, n_replicates).
        """
        parts = [
            (
                gather_ranges(lists.list_ptr, queries)[0],
                gather_ranges(lists.candidate_ptr, queries)[0],
                self._repeat_many(lists.take(queries)),
            )
            for queries in kinds
        ]

        def scores(weights):
            found = np.empty((lists.n_candidates, weights.shape[1]))
            for mine, candidates, score in parts:
                found[candidates] = score(weights[mine])
            return found

        return scores

    def _fit(self, stages, start):
        return most_likely(stages, start, prior=self.prior, tol=self.tol, max_iter=self.max_iter)

    def _scale(self, score, factor):
        """Return the magnitude of each score, from which the tolerance for ties is computed.

        The scores are log-worths times `factor`. Items then tie if their scores differ by less than the error of the
        iteration.
        """
        return np.maximum(np.abs(score), factor * 10 * self.tol / TOLERANCE)

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        if self.prior == 0:
            tags.aggregator_tags.compares = None  # the method refuses lists that do not connect all items
        return tags


def _shares_of_query(lists, log_worth):
    heads = lists.candidate_ptr[:-1]
    worth = np.exp(log_worth - np.maximum.reduceat(log_worth, heads)[lists.candidate_query])
    return worth / np.add.reduceat(worth, heads)[lists.candidate_query]
