"""Compare aggregators on the same lists against the same judgements."""

import time
from collections.abc import Mapping

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from .._composition import Composition
from .._lists import check_lists
from .._output import check_output
from .._progress import is_interactive
from .._sklearn import (
    ANY_INTEGER,
    StrOptions,
    TransformerMixin,
    accept_lists,
    check_is_fitted,
    clone,
    print_elapsed_time,
)
from ..metrics._judged_lists import JudgedLists, fit_rank, rank
from ..metrics._registry import Measure, get_measures, orient
from ..metrics._scorer import choose_qrels
from ._compare import compare_methods, significance_marks
from ._results import select_flagr, select_results
from ._tables import latex_table

__all__ = ["Comparator"]


class Comparator(TransformerMixin, Composition):
    """Compare aggregators head to head, and stand in for the best of them.

    Lists and judgements are encoded once; every method aggregates and is measured on the codes.

    Parameters
    ----------
    estimators : list of (str, estimator) tuples
        Methods to compare, under names of their own. An estimator may be the string "drop".
    metrics : str, Measure or sequence of these, default=("map", "p@10", "ndcg@10")
        Measures, see :func:`~skrankagg.metrics.measure_names`, each once. The first one decides which method is best.
    qrels : Qrels or DataFrame, default=None
        Judgements; those given to :meth:`fit` come first.
    n_jobs : int, default=None
        Threads that run methods side by side; None means 1, -1 all processors. Times are fair with 1 only.
    verbose : bool or "auto", default="auto"
        Whether to print a line for each method as it ends; "auto" does in a terminal and a notebook.

    Attributes
    ----------
    results_ : DataFrame of shape (n_methods, n_metrics + 1)
        Each measure over the judged queries (the mean, of counts the sum), and the `time` in seconds of fit and
        aggregation; indexed by `method`, in the order given.
    per_query_ : DataFrame of shape (n_methods * n_judged_queries, n_metrics)
        The measures of each query, indexed by `method` and `query`.
    runs_ : mapping of str to DataFrame
        The consensus of each method.
    best_name_ : str
        Name of the method with the best first measure, the first of equals: the highest, or the lowest where less is
        better, as of "rbp_resid".
    best_estimator_ : estimator
        That method, fitted.
    best_score_ : float
        Its first measure, negated where less is better.
    estimators_ : list of estimators
        All methods, fitted.
    named_estimators_ : dict of str to estimator
        The same under their names.

    See Also
    --------
    skrankagg.metrics.evaluate : Measure runs that exist already.

    Notes
    -----
    Queries without judgements are aggregated and not measured. Parameters of the methods are parameters of the
    Comparator, as in ``Comparator([("sum", CombSUM())]).set_params(sum__norm="rank")``.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())], metrics=["map"])
    >>> comparator.fit(lists, qrels=Qrels.from_frame(qrels)).results_.columns.tolist()
    ['map', 'time']
    >>> comparator.best_name_ in {"CombSUM", "Copeland"}
    True
    """

    _parameter_constraints: dict = {
        "estimators": [list],
        "metrics": [str, Measure, list, tuple],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels says what is wrong with anything else
        "n_jobs": [ANY_INTEGER, None],
        "verbose": ["boolean", StrOptions({"auto"})],
    }

    def __init__(self, estimators, *, metrics=("map", "p@10", "ndcg@10"), qrels=None, n_jobs=None, verbose="auto"):
        self.estimators = estimators
        self.metrics = metrics
        self.qrels = qrels
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y=None, *, qrels=None):
        """Run and measure every method.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.
        y : Qrels or None, default=None
            Judgements, another way to give them.
        qrels : Qrels, default=None
            Judgements; None takes those of the constructor.

        Returns
        -------
        self : object
            The Comparator itself.

        Raises
        ------
        ValueError
            If there are no judgements, if they share no query or no item with the lists, or if the first measure is one
            such as "num_ret", of which neither more nor less is better.
        TypeError
            If the judgements are a plain frame, which scikit-learn would cut into pieces like data.
        """
        self._validate_params()
        check_output(self, X)
        members = self._members()
        measures = get_measures(self.metrics)
        first = _first_measure(measures)
        lists = check_lists(X)
        judged = JudgedLists(lists, choose_qrels(self, y, qrels))
        verbose = is_interactive() if self.verbose == "auto" else self.verbose

        def run(k, name, estimator):
            message = f"({k} of {len(members)}) {name}" if verbose else None
            with print_elapsed_time("Comparator", message):
                start = time.perf_counter()
                estimator = clone(estimator)
                result = fit_rank(estimator, X, lists)
                elapsed = time.perf_counter() - start
                values = judged.measure(result, measures)
            return estimator, result, elapsed, values

        outcomes = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(run)(k, name, estimator) for k, (name, estimator) in enumerate(members, 1)
        )
        names = [name for name, _ in members]
        self.estimators_ = [outcome[0] for outcome in outcomes]
        self.named_estimators_ = dict(zip(names, self.estimators_, strict=True))
        self.runs_ = _Runs(dict(zip(names, (outcome[1] for outcome in outcomes), strict=True)))
        self.results_ = pd.DataFrame(
            [
                {**{name: measures[name].summarize(value) for name, value in values.items()}, "time": elapsed}
                for _, _, elapsed, values in outcomes
            ],
            index=pd.Index(names, name="method"),
        )
        self.per_query_ = pd.DataFrame(
            {name: np.concatenate([outcome[3][name] for outcome in outcomes]) for name in measures},
            index=pd.MultiIndex.from_product([names, judged.queries], names=["method", "query"]),
        )
        scores = orient(self.results_[first].to_numpy(), measures[first])
        best = int(np.argmax(scores))
        self.best_name_ = names[best]
        self.best_estimator_ = self.estimators_[best]
        self.best_score_ = float(scores[best])
        return self

    def transform(self, X):
        """Aggregate with the best method.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.

        Returns
        -------
        DataFrame
            Columns `query`, `item`, `score`, `rank` and the method's own.
        """
        check_is_fitted(self)
        check_output(self, X)
        return self.best_estimator_.transform(X)

    def score(self, X, y=None, *, qrels=None):
        """Measure the best method on other lists.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.
        y : Qrels or None, default=None
            Judgements, another way to give them.
        qrels : Qrels, default=None
            Judgements; None takes those of the constructor.

        Returns
        -------
        float
            The first measure over the queries of `X` that have judgements, negated where less is better: scikit-learn
            takes the greatest score for the best.
        """
        check_is_fitted(self)
        lists = check_lists(X)
        judged = JudgedLists(lists, choose_qrels(self, y, qrels))
        measures = get_measures(self.metrics)
        first = _first_measure(measures)
        values = judged.measure(rank(self.best_estimator_, X, lists), {first: measures[first]})
        return orient(measures[first].summarize(values[first]), measures[first])

    def compare(self, baseline=None, **options):
        """Test which methods differ from one of them.

        Parameters
        ----------
        baseline : str, default=None
            Name of the method to compare with; None takes the best.
        **options
            Of :func:`~skrankagg.model_selection.compare_methods`: `metric`, `test`, `correction`, `confidence`,
            `n_resamples`, `random_state`.

        Returns
        -------
        DataFrame of shape (n_methods, 10)
            Mean, difference, its interval, effect size, counts of queries won, tied and lost, p-values.
        """
        check_is_fitted(self)
        return compare_methods(self.per_query_, baseline, **options)

    def get_results(self, cutoff=None, metric=None, query="all", *, layout="tidy"):
        """Choose measures and queries of the results.

        Parameters
        ----------
        cutoff : int, default=None
            Largest cutoff to show; None shows all.
        metric : str, Measure or sequence of these, default=None
            Measures, by name ("ndcg", at all cutoffs) or in full ("ndcg@10"); None takes all.
        query : object or list, default="all"
            "all" for the summaries; the id of a query, or a list of ids; None for every query.
        layout : {"tidy", "flagr"}, default="tidy"
            "flagr" gives them in FLAGR's columns, see :func:`~skrankagg.model_selection.flagr_table`: for "all" the
            rows `all`, for None these and the rows of every query.

        Returns
        -------
        DataFrame
            A row for each method, or for each method and query.
        """
        check_is_fitted(self)
        layouts = {"tidy": select_results, "flagr": select_flagr}
        if layout not in layouts:
            raise ValueError(f"layout must be one of {', '.join(layouts)}; got {layout!r}.")
        return layouts[layout](self.results_, self.per_query_, cutoff=cutoff, metric=metric, query=query)

    def convert_to_latex(self, cutoff=None, metric=None, query="all", *, baseline=None, **options):
        """Write results as a LaTeX table in the manner of booktabs, the best of each measure in bold.

        Parameters
        ----------
        cutoff : int, default=None
            Largest cutoff to show, as in :meth:`get_results`.
        metric : str, Measure or sequence of these, default=None
            Measures, as in :meth:`get_results`.
        query : object or list, default="all"
            Queries, as in :meth:`get_results`.
        baseline : str, default=None
            A method; those that are significantly better or worse get a raised + or -. None marks nothing.
        **options
            Of :func:`~skrankagg.model_selection.latex_table`: `decimals`, `caption`, `label` and others.

        Returns
        -------
        str
            The whole table environment.
        """
        table = self.get_results(cutoff, metric, query)
        marks = None if baseline is None else significance_marks(self.per_query_, baseline, list(table.columns))
        return latex_table(table, marks=marks, **options)

    def get_feature_names_out(self, input_features=None):
        """Columns of the best method's consensus.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            Names, in their order.

        Raises
        ------
        NotFittedError
            Before ``fit``: which method is best is not known yet.
        """
        check_is_fitted(self)
        return self.best_estimator_.get_feature_names_out()

    def __sklearn_tags__(self):
        return accept_lists(super().__sklearn_tags__())


def _first_measure(measures):
    """Name of the measure that decides which method is best."""
    first = next(iter(measures))
    if measures[first].greater_is_better is None:
        raise ValueError(
            f"The first of metrics decides which method is best; of {first!r} neither more nor less is better. Put "
            "another one first."
        )
    return first


class _Runs(Mapping):
    """Consensus frames by method, each built when it is asked for."""

    def __init__(self, results):
        self._results = results

    def __getitem__(self, name):
        result = self._results[name]
        return result if isinstance(result, pd.DataFrame) else result.to_frame()

    def __iter__(self):
        return iter(self._results)

    def __len__(self):
        return len(self._results)

    def __repr__(self):
        return f"<consensus of {', '.join(self)}>"
