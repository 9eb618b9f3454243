"""Compare aggregators on the same lists against the same judgements."""

import time
from collections.abc import Mapping
from numbers import Integral

import numpy as np
import pandas as pd
from joblib import Parallel, delayed

from .._frames import plain_index
from .._lists import check_lists, check_run
from .._progress import is_interactive
from .._qrels import Qrels, check_qrels
from .._sklearn import (
    BaseComposition,
    StrOptions,
    TransformerMixin,
    VisualBlock,
    available_if,
    check_is_fitted,
    clone,
    print_elapsed_time,
)
from ..base import BaseAggregator
from ..metrics import RankedRelevance, RelevanceList, get_measure

__all__ = ["Comparator"]


class Comparator(TransformerMixin, BaseComposition):
    """Compare aggregators head to head, and stand in for the best of them.

    Lists and judgements are encoded once; every method aggregates and is measured on the codes.

    Parameters
    ----------
    estimators : list of (str, estimator) tuples
        Methods to compare, under names of their own. An estimator may be the string "drop".
    metrics : str or sequence of str, default=("map", "p@10", "ndcg@10")
        Measures, see :func:`~skrankagg.metrics.measure_names`. The first one decides which method is best.
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
        Name of the method with the highest first measure, the first of equals.
    best_estimator_ : estimator
        That method, fitted.
    best_score_ : float
        Its first measure.
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
    >>> from skrankagg import CombSUM, Comparator, Copeland
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
        "metrics": [str, list, tuple],
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels says what is wrong with anything else
        "n_jobs": [Integral, None],
        "verbose": ["boolean", StrOptions({"auto"})],
    }

    def __init__(self, estimators, *, metrics=("map", "p@10", "ndcg@10"), qrels=None, n_jobs=None, verbose="auto"):
        self.estimators = estimators
        self.metrics = metrics
        self.qrels = qrels
        self.n_jobs = n_jobs
        self.verbose = verbose

    def get_params(self, deep=True):
        """Get the parameters, with ``deep`` those of the methods too, as ``name__parameter``.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict
        """
        return self._get_params("estimators", deep=deep)

    def set_params(self, **params):
        """Set parameters, of the Comparator, of a method (``name__parameter``), or a whole method (``name``).

        Parameters
        ----------
        **params : dict

        Returns
        -------
        self : object
        """
        return self._set_params("estimators", **params)

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

        Raises
        ------
        ValueError
            If there are no judgements, or they share no query or no item with the lists.
        TypeError
            If the judgements are a plain frame, which scikit-learn would cut into pieces like data.
        """
        self._validate_params()
        members = self._members()
        measures = self._measures()
        lists = check_lists(X)
        qrels = self._judgements(y, qrels)
        encoded = qrels.encode(lists)
        judged = RelevanceList(encoded.best_first, encoded.judged_ptr)
        verbose = is_interactive() if self.verbose == "auto" else self.verbose

        def run(k, name, estimator):
            message = f"({k} of {len(members)}) {name}" if verbose else None
            with print_elapsed_time("Comparator", message):
                start = time.perf_counter()
                estimator = clone(estimator)
                result = _fit_rank(estimator, lists)
                elapsed = time.perf_counter() - start
                ranked = _grade(result, lists, qrels, encoded, judged)
                values = {name: measure(ranked)[encoded.judged] for name, measure in measures.items()}
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
        queries = plain_index(lists.queries)[encoded.judged]
        self.per_query_ = pd.DataFrame(
            {name: np.concatenate([outcome[3][name] for outcome in outcomes]) for name in measures},
            index=pd.MultiIndex.from_product([names, queries], names=["method", "query"]),
        )
        best = int(np.argmax(self.results_[next(iter(measures))].to_numpy()))
        self.best_name_ = names[best]
        self.best_estimator_ = self.estimators_[best]
        self.best_score_ = float(self.results_.iloc[best, 0])
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
            The first measure over the queries of `X` that have judgements.
        """
        check_is_fitted(self)
        lists, qrels = check_lists(X), self._judgements(y, qrels)
        encoded = qrels.encode(lists)
        result = _rank(self.best_estimator_, lists)
        ranked = _grade(result, lists, qrels, encoded, RelevanceList(encoded.best_first, encoded.judged_ptr))
        measure = next(iter(self._measures().values()))
        return measure.summarize(measure(ranked)[encoded.judged])

    @available_if(lambda self: hasattr(self, "best_estimator_"))
    def get_feature_names_out(self, input_features=None):
        """Columns of the best method's consensus.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
        """
        return self.best_estimator_.get_feature_names_out()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _sk_visual_block_(self):
        names, estimators = zip(*self.estimators, strict=True)
        return VisualBlock("parallel", estimators, names=names)

    # ------------------------------------------------------------------ what came in

    def _members(self):
        if not self.estimators or not all(isinstance(member, tuple) and len(member) == 2 for member in self.estimators):
            raise ValueError(
                "estimators must be a list of (name, estimator) tuples with at least one method, such as "
                f"[('sum', CombSUM())]; got {self.estimators!r}."
            )
        self._validate_names([name for name, _ in self.estimators])
        members = [(name, estimator) for name, estimator in self.estimators if estimator != "drop"]
        for name, estimator in members:
            if not hasattr(estimator, "transform"):
                raise TypeError(
                    f"Each method must be an aggregator, with fit and transform, or 'drop'; {name!r} is {estimator!r}."
                )
        if not members:
            raise ValueError("estimators must hold at least one method; all of them are 'drop'.")
        return members

    def _measures(self):
        metrics = [self.metrics] if isinstance(self.metrics, str) else list(self.metrics)
        if not metrics:
            raise ValueError("metrics must name at least one measure, such as 'ndcg@10'; the list is empty.")
        return {str(name): get_measure(name) for name in metrics}

    def _judgements(self, y, qrels):
        for given, where in ((y, "y"), (qrels, "qrels")):
            if given is not None and not isinstance(given, Qrels):
                raise TypeError(
                    f"{where} must be a Qrels, which scikit-learn passes on whole; got {type(given).__name__}. Wrap "
                    "it: Qrels.from_frame(df)."
                )
        qrels = next((given for given in (qrels, y, self.qrels) if given is not None), None)
        if qrels is None:
            raise ValueError(
                "Comparator needs judgements to compare by; none came. Give them to the constructor or to fit as "
                "qrels=Qrels.from_frame(df)."
            )
        return check_qrels(qrels)


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


def _fit_rank(estimator, lists):
    # Our own aggregators stay on the codes; a pipeline, or anybody's transformer, gives a frame.
    if isinstance(estimator, BaseAggregator):
        return estimator._fit_rank(lists)
    return estimator.fit(lists).transform(lists)


def _rank(estimator, lists):
    if isinstance(estimator, BaseAggregator):
        return estimator._rank(estimator._prepare(lists))
    return estimator.transform(lists)


def _grade(result, lists, qrels, encoded, judged):
    if not isinstance(result, pd.DataFrame):
        return RankedRelevance.from_codes(lists, result.order, encoded, judged)
    run = check_run(result)
    place = plain_index(qrels.queries).get_indexer(plain_index(lists.queries)[encoded.judged])
    ranked = RankedRelevance.from_run(run, qrels, place)
    # The measures of unjudged queries are never read: empty lists stand in for them.
    sizes = np.zeros(lists.n_queries, dtype=np.int64)
    sizes[encoded.judged] = ranked.n_retrieved
    return RankedRelevance(ranked.grade, np.concatenate([[0], np.cumsum(sizes)]), judged)
