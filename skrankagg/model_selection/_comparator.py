"""Comparison of aggregators on the same lists and judgements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, Self, Unpack

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from .._data._fitted_rows import RemembersRows, check_untorn
from .._data._named_queries import resolve_names
from .._data._output import check_output
from .._data._qrels import choose_qrels
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import AnyLists, AnyQrels, CallQrels, Judgements, PlainLists
from .._support._callbacks import fit_task, fitting
from .._support._checks import check_choice
from .._support._composition import Composition
from .._support._progress import is_interactive, tell_elapsed_time
from .._support._sklearn import (
    N_JOBS,
    CallbackSupport,
    Interval,
    StrOptions,
    Tags,
    TransformerMixin,
    accept_lists,
    check_is_fitted,
    clone,
    keep_out_of_html,
)
from ..exceptions import InputError
from ..inspection import diagnose
from ..inspection._diagnose import sentence
from ..inspection._planned_costs import announced_costs, plan
from ..metrics._judging._find_judgements import lacks_judgements
from ..metrics._judging._judged_lists import JudgedLists, rank
from ..metrics._relevance._registry import Measure, MeasureLike, get_measures, note_measures, orient
from ._held_out import query_folds
from ._learners import find_learners, refuse_learners, refuse_learnt
from ._report_tables import VOTERS, LatexOptions, latex_table
from ._results import REASON, select_results
from ._runs import (
    Measuring,
    Runs,
    measure_voters,
    name_voters,
    run_held_out,
    run_method,
    skip_method,
    warn_of_failures,
)
from ._significance import ComparisonOptions, PairedTestOptions, compare_methods, significance_marks

__all__ = ["Comparator"]

#: Beginning of a printed line about the lists. A line about a method begins with the number of the method instead.
LISTS_LINE = "[Comparator] lists: "
#: Value of `baseline` that selects the measured voter with the best mean.
BEST_VOTER = "best voter"


class Comparator(RemembersRows, CallbackSupport, TransformerMixin, Composition):
    """Compare aggregators on the same queries, and aggregate with the best aggregator.

    All methods use the same lists and judgements, which are encoded once. A method that uses the lists alone is
    measured on the queries that it is fitted on. A method that learns from judgements is measured on held-out queries
    and needs `cv`.

    Parameters
    ----------
    aggregators : list of (str, estimator) tuples
        Methods to compare, with their names. A method given as the string "drop" is left out. With
        ``with_voters=True`` the list may be empty, and only the voters are measured.
    metrics : str, Measure, callable or sequence of these, default=("map", "p@10", "ndcg@10")
        Measures, each at most once, see :func:`~skrankagg.metrics.measure_names`. The first measure determines the best
        method.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements. Judgements passed to :meth:`fit` take precedence.
    n_jobs : int, default=None
        Number of threads that run methods at the same time. None means 1, and -1 means the number of processors. The
        times of methods can be compared only with 1 thread. Threads help only if most of the time is spent in NumPy and
        SciPy on large matrices, as with Schulze, FootruleOptimal and HodgeRank on queries of many hundred items.
    verbose : bool, "auto" or callable, default="auto"
        Whether to print a line for each warning of :func:`~skrankagg.inspection.diagnose` about the lists, and a line
        when a method ends. "auto" prints lines only in a terminal or a notebook. If a function is given, it is called
        with each line, and nothing is printed.
    learns : list or tuple of str, default=()
        Names of methods whose ``fit`` learns from judgements in a way that cannot be detected. The named methods are
        treated like the detected methods, see Notes.
    error_score : "raise" or float, default=nan
        Value of every measure for a method that fails, as in scikit-learn's searches. A FitFailedWarning names the
        method, and the other methods are kept. "raise" raises the error of the method.
    with_voters : bool, default=False
        Whether to measure the voters too. The rows of the voters follow the rows of the methods. The label of such a
        row is the id of the voter as a str.
    cv : int, splitter, iterable or None, default=None
        Folds of the queries on which methods that learn from judgements are measured, as in
        :func:`~skrankagg.model_selection.cross_val_consensus`. None raises an error for such methods.
    skip_slower_than : float, default=None
        Time limit for each method, in seconds above 0. A method is skipped if
        :func:`~skrankagg.inspection.estimated_cost` predicts a longer time for all folds of `cv` together. The row of a
        skipped method has NaN, whatever `error_score` is. Methods with an unknown cost are never skipped. None skips no
        method.

    Attributes
    ----------
    results_ : DataFrame of shape (n_methods, n_metrics + 1)
        Each measure, and the `time` in seconds. Measures are averaged over the judged queries; counts are summed. The
        rows are indexed by `method` in the order given. The time includes fit and aggregation. With `cv` the time
        includes all folds and the fit on all queries. The measures of a failed method are `error_score`, and its time
        is NaN. With ``with_voters=True`` a row for each voter follows, with a time of NaN. With `skip_slower_than`, a
        column `reason` follows. It contains the reason why a method was skipped or failed, and "" for other rows.
    per_query_ : DataFrame of shape (n_methods * n_judged_queries, n_metrics)
        The measures of each query, indexed by `method` and `query`. With ``with_voters=True`` the voters are included.
    runs_ : mapping of str to DataFrame
        The consensus of each method that did not fail. If the method learns from judgements, the consensus of each
        query comes from a fit on other queries. With ``with_voters=True`` the lists of each voter are included.
    failures_ : dict of str to str
        The error of each failed method, and the reason for each skipped method.
    skipped_ : list of str
        Names of the methods that were skipped because of `skip_slower_than`.
    best_name_ : str
        Name of the successful method with the best value of the first measure. If several methods are equally good, it
        is the first of them. The best value is the highest, or the lowest if lower values are better, as for
        "rbp_resid". A voter is never the best method. If there are no methods, the attributes that begin with `best`
        are missing.
    best_estimator_ : estimator
        The best method, fitted on all queries.
    best_score_ : float
        Value of the first measure for the best method, negated if lower values are better.
    aggregators_ : list of estimators
        All methods, fitted on all queries unless they failed.
    named_aggregators_ : dict of str to estimator
        The estimators of `aggregators_`, keyed by name.

    See Also
    --------
    skrankagg.metrics.evaluate : Measures existing runs.
    skrankagg.metrics.evaluate_voters : Measures only voters, by default over the queries of each voter's lists.
    skrankagg.model_selection.cross_val_consensus : The held-out consensus of one method.
    skrankagg.inspection.diagnose : Examines the lists without judgements.

    Notes
    -----
    Queries without judgements are aggregated but not measured. Voters are measured over the same queries as the
    methods; a query for which a voter has no list counts as an empty list. Do not use the voter that is best in these
    results as a baseline, because it was determined by the same judgements. Choose the voter beforehand:
    ``compare(baseline="bm25")``. Parameters of the methods are parameters of the Comparator, as in
    ``Comparator([("sum", CombSUM())]).set_params(sum__norm="rank")``.

    A method learns from judgements in any of these cases:

    - One of its parameters, at any depth, contains judgements. Such a parameter is a :class:`~skrankagg.Qrels`, or is
      named ``qrels`` and is not None.
    - One of its parameters, at any depth, is a :class:`~skrankagg.metrics.RankingScorer`. Or a parameter named
      ``scoring`` contains a scorer other than :class:`~skrankagg.metrics.ConsensusScorer`, which uses the lists alone.
    - The method, or an estimator inside it, has the aggregator tag ``supervised``, weights or selects voters by a
      measure, or is a Comparator.
    - `learns` contains its name.

    With `cv`, each consensus of such a method comes from a fit on other queries. All methods are measured over the same
    judged queries. Afterwards the method is fitted on all queries. The method is called with RankedLists. If a part of
    the method needs judgements and contains none, the Comparator passes its own judgements of the training queries as
    `y`.

    Before ``fit``, a parameter may have been learned from the same queries. For example, voter weights may have been
    measured on them. In this case, `cv` cannot hold the queries out. If `learns` contains a method whose ``fit`` itself
    learns nothing, an error is raised, whatever `cv` is. Let the Comparator fit the estimator that learns the
    parameter, or learn the parameter on other queries. The choice of the best method also uses judgements. To include
    this choice in an evaluation, call ``cross_val_score`` with the Comparator.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())],
    ...     metrics=["map"])
    >>> comparator.fit(lists, qrels=Qrels.from_frame(qrels)).results_.columns.tolist()
    ['map', 'time']
    >>> comparator.best_name_ in {"CombSUM", "Copeland"}
    True

    Does merging beat a voter?

    >>> comparator.set_params(with_voters=True).fit(lists,
    ...     qrels=Qrels.from_frame(qrels)).results_.index[:4].tolist()
    ['CombSUM', 'Copeland', 'v01', 'v02']
    >>> comparator.compare(baseline="v01").loc[["CombSUM", "Copeland"],
    ...     ["wins", "ties", "losses"]]
              wins  ties  losses
    method
    CombSUM      5     0       0
    Copeland     5     0       0

    Without methods, the voters alone are measured, for example the runs of a paper. ``latex_table(baseline="best")``
    writes the table for the paper:

    >>> runs = Comparator([], metrics=["map", "ndcg@10"], with_voters=True).fit(lists,
    ...     qrels=Qrels.from_frame(qrels))
    >>> runs.results_.index.tolist()[:2]
    ['v01', 'v02']
    >>> runs.latex_table(baseline="best").count("textbf")
    2

    Does it help to weight the voters by their quality, measured on other queries?

    >>> from sklearn.pipeline import make_pipeline
    >>> from skrankagg import RankedLists
    >>> from skrankagg.preprocessing import VoterWeighter
    >>> lists, qrels, _ = make_ranked_lists(n_queries=20, quality=0.3, quality_spread=1.0,
    ...     random_state=0)
    >>> methods = [("equal", CombSUM()),
    ...            ("weighed", make_pipeline(VoterWeighter("map"), CombSUM()))]
    >>> comparator = Comparator(methods, metrics="map", cv=5).fit(lists,
    ...     qrels=Qrels.from_frame(qrels))
    >>> comparator.results_[["map"]].round(3)
               map
    method
    equal    0.721
    weighed  0.823
    """

    _parameter_constraints: dict = {
        "aggregators": [list],
        "metrics": [str, Measure, callable, list, tuple],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports what is wrong with anything else
        "n_jobs": N_JOBS,
        "verbose": ["boolean", StrOptions({"auto"}), callable],
        "learns": [list, tuple],
        "error_score": [StrOptions({"raise"}), Real],
        "with_voters": ["boolean"],
        "cv": ["cv_object"],
        "skip_slower_than": [Interval(Real, 0, None, closed="neither"), None],
    }

    results_: pd.DataFrame
    per_query_: pd.DataFrame
    runs_: Mapping[str, pd.DataFrame]
    failures_: dict[str, str]
    skipped_: list[str]
    best_name_: str
    best_estimator_: Any
    best_score_: float
    aggregators_: list[Any]
    named_aggregators_: dict[str, Any]

    def __init__(
        self,
        aggregators: list[tuple[str, Any]],
        *,
        metrics: MeasureLike | Sequence[MeasureLike] = ("map", "p@10", "ndcg@10"),
        qrels: AnyQrels | None = None,
        n_jobs: int | None = None,
        verbose: bool | Literal["auto"] | Callable[[str], object] = "auto",
        learns: list[str] | tuple[str, ...] = (),
        error_score: float | Literal["raise"] = np.nan,
        with_voters: bool = False,
        cv: int | BaseCrossValidator | Iterable[Any] | None = None,
        skip_slower_than: float | None = None,
    ) -> None:
        self.aggregators = aggregators
        self.metrics = metrics
        self.qrels = qrels
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.learns = learns
        self.error_score = error_score
        self.with_voters = with_voters
        self.cv = cv
        self.skip_slower_than = skip_slower_than

    def fit(self, X: PlainLists, y: Judgements | None = None, *, qrels: CallQrels | None = None) -> Self:
        """Run and measure every method.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements, as an alternative to `qrels`. An array contains, for each query, the id of the query whose
            judgements are used.
        qrels : Qrels or dict, default=None
            Judgements; None uses the constructor's judgements.

        Returns
        -------
        self : object
            The Comparator itself.

        Raises
        ------
        ValueError
            If there are no judgements, or if no judgement concerns a query or an item of the lists. If a method
            learns from judgements and `cv` is None. If `cv` does not test every query once. If all methods fail. If
            neither higher nor lower values of the first measure are better, as for "num_ret". If a measured voter and a
            method have the same name.
        TypeError
            If the judgements are a plain frame, which scikit-learn would split like data.

        Warns
        -----
        CostWarning
            If all methods together are expected to take more than a minute.
        FitFailedWarning
            If some methods fail and `error_score` is a number.
        """
        self._validate_params()
        X = encode_plain(X)
        check_output(self, X)
        members = self._members(required=not self.with_voters)
        self._check_learns()
        learners = find_learners(members, self.learns)
        if self.cv is None:
            refuse_learners(learners)
        refuse_learnt(members, self.learns)
        measures = get_measures(self.metrics)
        _first_measure(measures)  # raises if the measure cannot determine the best method
        lists = check_lists(X)
        voters = name_voters(lists, members) if self.with_voters else []
        chosen = choose_qrels(self, *resolve_names(self, X, lists, y, qrels))
        judged = JudgedLists(lists, chosen)
        measuring = Measuring(judged, measures, self.error_score)
        folds = [] if self.cv is None else query_folds(self.cv, lists)
        aligned = chosen.align(lists)
        verbose = is_interactive() if self.verbose == "auto" else self.verbose
        if verbose:
            found = diagnose(lists).frame
            for row in found[found["level"] == "warning"].itertuples(index=False):
                (verbose if callable(verbose) else print)(f"{LISTS_LINE}{sentence(row)}")

        # An estimator that cannot be cloned is a mistake in the list of methods, not the failure of one method.
        members = [(name, clone(estimator)) for name, estimator in members]
        skipped = plan(members, learners, lists, len(folds), self.n_jobs, self.skip_slower_than)

        def run(k, name, estimator, task):
            if name in skipped:
                if verbose:
                    (verbose if callable(verbose) else print)(f"[Comparator] ({k} of {len(members)}) {name} is skipped")
                return skip_method(name, estimator, skipped[name], measuring)
            in_folds = f", {len(folds)} folds" if name in learners else ""
            message = f"({k} of {len(members)}) {name}{in_folds}" if verbose else None
            say = verbose if callable(verbose) else print
            with tell_elapsed_time("Comparator", message, say), announced_costs():
                if name not in learners:
                    with task.propagate(estimator), task:
                        return run_method(name, estimator, X, lists, measuring)
                given = aligned if name in self.learns or lacks_judgements(estimator) else None
                with task:
                    return run_held_out(name, estimator, lists, given, folds, measuring)

        with fitting(self, lists, chosen):
            whole = fit_task(self, len(members))
            # All tasks are created here, so that their numbers do not depend on the threads.
            tasks = [whole.part(name) for name, _ in members]
            outcomes = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(run)(k, *member, task) for k, (member, task) in enumerate(zip(members, tasks, strict=True), 1)
            )
            rivals = measure_voters(voters, lists, judged, measures) if voters else []
            self._keep(outcomes, rivals, measures, judged.queries)
            self._remember_rows(X, lists)
        return self

    def _keep(self, outcomes, rivals, measures, queries):
        """Set the fitted attributes from the results of the methods (`outcomes`) and of the voters (`rivals`)."""
        failures = warn_of_failures(outcomes, self.error_score)
        methods = [outcome.name for outcome in outcomes]
        self.failures_ = failures
        self.skipped_ = [outcome.name for outcome in outcomes if outcome.skipped]
        self.aggregators_ = [outcome.estimator for outcome in outcomes]
        self.named_aggregators_ = dict(zip(methods, self.aggregators_, strict=True))
        outcomes = [*outcomes, *rivals]
        names = [outcome.name for outcome in outcomes]
        self.runs_ = Runs({one.name: one.result for one in outcomes if one.name not in failures}, failures)
        summaries = {
            name: [
                one.failed_value(self.error_score) if one.name in failures else measure.summarize(one.measured[name])
                for one in outcomes
            ]
            for name, measure in measures.items()
        }
        self.results_ = pd.DataFrame(
            {**summaries, "time": [outcome.elapsed for outcome in outcomes]}, index=pd.Index(names, name="method")
        )
        if self.skip_slower_than is not None:
            self.results_[REASON] = [failures.get(name, "") for name in names]
        self.per_query_ = pd.DataFrame(
            {name: np.concatenate([outcome.measured[name] for outcome in outcomes]) for name in measures},
            index=pd.MultiIndex.from_product([names, queries], names=["method", "query"]),
        )
        for frame in (self.results_, self.per_query_):
            note_measures(frame, measures)
            if rivals:
                frame.attrs[VOTERS] = [rival.name for rival in rivals]
        if not methods:
            for name in ("best_name_", "best_estimator_", "best_score_"):
                vars(self).pop(name, None)  # an earlier fit may have set it
            return
        # The best method must not have failed, and must have a value in some query.
        first = next(iter(measures))
        scores = orient(self.results_[first].iloc[: len(methods)], measures[first])
        best = methods.index(scores.drop(list(failures)).fillna(-np.inf).idxmax())
        self.best_name_ = methods[best]
        self.best_estimator_ = self.aggregators_[best]
        self.best_score_ = float(scores.iloc[best])

    def transform(self, X: PlainLists) -> pd.DataFrame:
        """Aggregate with the best method.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.

        Returns
        -------
        DataFrame
            Columns `query`, `item`, `score` and `rank`, and further columns of the method.
        """
        check_is_fitted(self)
        best = self._best()
        X = encode_plain(X)
        check_output(self, X)
        return best.transform(X)

    def score(self, X: AnyLists, y: Judgements | None = None, *, qrels: CallQrels | None = None) -> float:
        """Measure the best method on other lists.

        On the lists of ``fit``, the value of a method that learns from judgements is too high. Use the held-out value,
        ``best_score_``, instead.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements, as an alternative to `qrels`. An array contains, for each query, the id of the query whose
            judgements are used.
        qrels : Qrels or dict, default=None
            Judgements; None uses the constructor's judgements.

        Returns
        -------
        float
            The first measure over the judged queries of `X`. If lower values are better, the value is negated, because
            in scikit-learn the greatest score is the best.
        """
        check_is_fitted(self)
        best = self._best()
        X = encode_plain(X, sequences=False)
        lists = check_lists(X)
        check_untorn(self, X, lists)
        judged = JudgedLists(lists, choose_qrels(self, *resolve_names(self, X, lists, y, qrels)))
        measures = get_measures(self.metrics)
        first = _first_measure(measures)
        values = judged.measure(rank(best, X, lists), {first: measures[first]})
        return orient(measures[first].summarize(values[first]), measures[first])

    def compare(
        self,
        baseline: str | None = None,
        *,
        rows: Literal["all", "methods"] = "all",
        **options: Unpack[ComparisonOptions],
    ) -> pd.DataFrame:
        """Test which methods differ from a baseline.

        Parameters
        ----------
        baseline : str, default=None
            Name of the method or measured voter to compare with. None or "best" uses the row with the best mean, and
            "best voter" uses the measured voter with the best mean.
        rows : {"all", "methods"}, default="all"
            Rows to compare with the baseline. "methods" leaves out the measured voters, so that the correction of
            p-values counts only the comparisons of methods. A voter can still be the baseline.
        **options
            Options of :func:`~skrankagg.model_selection.compare_methods`: `metric`, `test`, `correction`, `confidence`,
            `n_resamples`, `random_state`. If `metric` is None, the methods are compared by the first measure, which
            also determines the best method.

        Returns
        -------
        DataFrame of shape (n_methods, 10)
            Mean, difference, interval of the difference, effect size, counts of queries won, tied and lost, and
            p-values. Failed methods have NaN, whatever `error_score` is. The correction of p-values does not count
            failed methods.
        """
        check_is_fitted(self)
        if options.get("metric") is None:
            options["metric"] = self.per_query_.columns[0]
        return compare_methods(*self._compared(baseline, rows, options["metric"]), **options)

    def select_results(
        self,
        *,
        k: int | None = None,
        metric: MeasureLike | Sequence[MeasureLike] | None = None,
        query: object = None,
        per_query: bool = False,
    ) -> pd.DataFrame:
        """Select measures and queries of the results.

        Parameters
        ----------
        k : int, default=None
            Largest cutoff to show; None shows all cutoffs.
        metric : str, Measure or sequence of these, default=None
            Measures. A name without a cutoff, such as "ndcg", selects the measure at all cutoffs; "ndcg@10" selects one
            cutoff. None selects all measures.
        query : object or list, default=None
            The id of a query, or a list of ids. None selects the summary of all queries.
        per_query : bool, default=False
            Whether to show a row for each method and query instead of the summaries.

        Returns
        -------
        DataFrame
            A row for each method, or for each method and query; failed methods have `error_score`.
        """
        check_is_fitted(self)
        table = self.per_query_ if per_query or query is not None else self.results_
        return select_results(table, k=k, metric=metric, query=query)

    def latex_table(
        self,
        *,
        k: int | None = None,
        metric: MeasureLike | Sequence[MeasureLike] | None = None,
        query: object = None,
        per_query: bool = False,
        baseline: str | None = None,
        rows: Literal["all", "methods"] = "all",
        **options: Unpack[LatexOptions],
    ) -> str:
        """Write results as a LaTeX table in the style of booktabs, with the best value of each measure in bold.

        A failed method is never the best. If `error_score` is NaN, the cells of a failed method are dashes.

        Parameters
        ----------
        k : int, default=None
            Largest cutoff to show, as in :meth:`select_results`.
        metric : str, Measure or sequence of these, default=None
            Measures, as in :meth:`select_results`.
        query : object or list, default=None
            Queries, as in :meth:`select_results`.
        per_query : bool, default=False
            Whether to show each query, as in :meth:`select_results`.
        baseline : str, default=None
            Name of a method or a measured voter, "best" or "best voter", as in :meth:`compare`. The first shown measure
            determines the best row. Rows that are significantly better or worse are marked with a raised + or -, and a
            legend below the table explains the marks. None marks nothing.
        rows : {"all", "methods"}, default="all"
            Rows to compare with the baseline, as in :meth:`compare`. All rows are shown.
        **options
            Options of :func:`~skrankagg.model_selection.latex_table`: `decimals`, `caption`, `label`, `test`,
            `correction` and others. ``time="time"`` adds the column of times.

        Returns
        -------
        str
            The tabular environment or, with a caption or a label, the complete table environment.
        """
        table = self.select_results(k=k, metric=metric, query=query, per_query=per_query)
        tests = {name: options.pop(name) for name in PairedTestOptions.__annotations__ if name in options}
        marks = None
        if baseline is not None:
            first = None if table.empty else table.columns[0]
            marks = significance_marks(*self._compared(baseline, rows, first), list(table.columns), **tests)
        if options.get("time") is not None and table.index.equals(self.results_.index):
            table = table.assign(**{options["time"]: self.results_["time"]})
        if self.failures_ and options.get("mark_best", True) is True:
            options["mark_best"] = [name for name in self.results_.index if name not in self.failures_]
        return latex_table(table, marks=marks, **options)

    def _compared(self, baseline, rows, metric):
        """Return the values for each query of the compared methods and voters, and the name of the baseline.

        If `rows` is "methods", only the methods and the baseline are compared.
        """
        check_choice("rows", rows, ("all", "methods"))
        if rows == "methods" and not self.named_aggregators_:
            raise InputError("`rows` must be 'all' if the Comparator has no methods; got 'methods'. Leave it out.")
        table = self._measured()
        names = table.index.get_level_values(0)
        voters = [name for name in self.results_.index if name not in self.named_aggregators_]
        if baseline == BEST_VOTER and baseline not in self.results_.index:
            if not voters:
                raise InputError(
                    "`baseline` must be the name of a row; got 'best voter', but no voter was measured. Pass "
                    "with_voters=True."
                )
            baseline = compare_methods(table[names.isin(voters)], metric=metric, confidence=None).index[0]
        if rows == "methods":
            table = table[names.isin([*self.named_aggregators_, baseline])]
        return table, baseline

    def _measured(self):
        """Return `per_query_` with NaN instead of `error_score` for failed methods."""
        failed = self.per_query_.index.get_level_values(0).isin(list(self.failures_))
        return self.per_query_.mask(np.broadcast_to(failed[:, None], self.per_query_.shape))

    def _check_learns(self):
        # `learns` may also name dropped methods, because a grid may drop a method and leave `learns` unchanged.
        names = [name for name, _ in self.aggregators]
        unknown = [name for name in self.learns if name not in names]
        if unknown:
            raise InputError(
                f"`learns` must name methods among {', '.join(names)}; got {unknown[0]!r}. Correct the name."
            )

    def _needs_judgements(self):
        """Return True, because the Comparator uses judgements to choose the best method."""
        return True

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the columns of the best method's consensus.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            Names of the columns in order.

        Raises
        ------
        NotFittedError
            If ``fit`` was not called, because ``fit`` determines the best method.
        """
        keep_out_of_html()
        check_is_fitted(self)
        return self._best().get_feature_names_out()

    def _best(self):
        """Return the best method; raise InputError if only voters were measured."""
        if not self.named_aggregators_:
            raise InputError(
                "`aggregators` must contain at least one method to aggregate lists; got none, so only the voters were "
                "measured. Add a method, such as ('sum', CombSUM()), and fit again."
            )
        return self.best_estimator_

    def __sklearn_tags__(self) -> Tags:
        return accept_lists(super().__sklearn_tags__())


def _first_measure(measures):
    """Return the name of the measure that determines the best method."""
    first = next(iter(measures))
    if measures[first].greater_is_better is None:
        raise InputError(
            f"The first of `metrics` determines the best method; got {first!r}, for which neither higher nor lower "
            "values are better. Put another measure first."
        )
    return first
