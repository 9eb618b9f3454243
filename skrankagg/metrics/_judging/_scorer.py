"""Scorers that compute measures of relevance, for scikit-learn's parameter ``scoring``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from ..._data._fitted_rows import check_untorn
from ..._data._frames import plain_index
from ..._data._named_queries import judge_by, names_queries, read_rows
from ..._data._qrels import AlignedQrels, check_qrels, choose_qrels
from ..._data._ranked_lists import check_lists, encode_plain
from ..._data._types import AnyLists, AnyQrels, CallQrels, Judgements
from ..._support._sklearn import UNUSED, BaseEstimator
from ...exceptions import InputError
from .._relevance._conventions import AllConventions
from .._relevance._registry import Measure, MeasureLike, get_measures, orient
from ._judged_lists import JudgedLists, rank

__all__ = ["RankingScorer", "make_ranking_scorer"]


def make_ranking_scorer(
    metrics: MeasureLike | Sequence[MeasureLike],
    *,
    qrels: AnyQrels | None = None,
    **conventions: Unpack[AllConventions],
) -> RankingScorer:
    """Turn one or more measures into a scorer for scikit-learn's ``scoring``.

    Parameters
    ----------
    metrics : str, Measure, callable or list of these
        Names of measures, see :func:`measure_names`. With several measures, the scorer aggregates only once and returns
        a dict of name to score, as ``cross_validate`` and ``GridSearchCV(refit=name)`` require. If lower values of a
        measure are better, as for "rbp_resid", the score is the negated value. In a dict, the negated value has the
        name "neg_rbp_resid".
    qrels : Qrels, DataFrame or dict, default=None
        Judgements; None if they are passed when scoring, as metadata or as a `y` that is aligned with the lists.
    **conventions
        Conventions of the measures: `gain`, `discount`, `ideal`, `ap_denominator`, `relevance_threshold`.

    Returns
    -------
    RankingScorer
        A scorer, which is called with a fitted estimator and ranked lists, and returns the score.

    Raises
    ------
    ValueError
        If a measure or a convention is unknown. If there is only one measure, and neither higher nor lower values of
        this measure are better, as for "num_ret".

    See Also
    --------
    skrankagg.model_selection.QueryKFold : Splits a frame into folds of whole queries.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skrankagg import CombSUM, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import make_ranking_scorer
    >>> lists, qrels, _ = make_ranked_lists(n_queries=10, random_state=0)
    >>> search = GridSearchCV(
    ...     CombSUM(), {"norm": ["borda", "rank", "min-max"]},
    ...     scoring=make_ranking_scorer("ndcg@10", qrels=qrels), cv=5
    ... )
    >>> search.fit(RankedLists.from_frame(lists)).best_params_
    {'norm': 'min-max'}
    """
    scorer = RankingScorer(metrics, qrels=None if qrels is None else check_qrels(qrels), conventions=conventions)
    scorer._measures()
    return scorer


class RankingScorer(BaseEstimator):
    """Scorer that measures an estimator's consensus of ranked lists against judgements.

    The lists are aggregated only once for all measures.

    Parameters
    ----------
    metrics : str, Measure, callable or list of these
        Names of measures; with a list, :meth:`score` returns a dict.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements; None if they are passed when scoring. They are then passed as a `y` that :meth:`Qrels.align`
        returned, or as metadata with ``scorer.set_score_request(qrels=True)``.
    conventions : dict, default=None
        Conventions of the measures, as in :func:`make_ranking_scorer`.

    See Also
    --------
    make_ranking_scorer : Constructs a scorer and checks the names immediately.

    Notes
    -----
    The measure is averaged, or summed if it is a count, over the queries of `X` that have judgements. Judgements of
    other queries are ignored. Therefore, to get the mean over all queries from a cross-validation, average the folds
    and weight each fold by its number of judged queries. If the estimator returns nothing for a judged query, the query
    counts as an empty list.

    Examples
    --------
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import RankingScorer
    >>> lists, qrels, _ = make_ranked_lists(n_queries=10, random_state=0)
    >>> scores = RankingScorer(["map", "p@10"], qrels=qrels)(CombSUM().fit(lists), lists)
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'map': 0.941, 'p@10': 0.97}
    """

    # The argument `estimator` of `score` is not metadata.
    __metadata_request__score = {"estimator": UNUSED}

    def __init__(
        self,
        metrics: MeasureLike | Sequence[MeasureLike],
        *,
        qrels: AnyQrels | None = None,
        conventions: AllConventions | None = None,
    ) -> None:
        self.metrics = metrics
        self.qrels = qrels
        self.conventions = conventions

    @property
    def __name__(self) -> str:
        """Return the name of the score; scikit-learn displays this name with learning and validation curves."""
        return ", ".join(_score_name(name, measure) for name, measure in self._measures().items())

    def __call__(self, estimator: Any, X: AnyLists, y: Judgements | None = None, **params: Any) -> Any:
        """Score a fitted estimator, as :meth:`score` does."""
        return self.score(estimator, X, y, **params)

    def score(
        self,
        estimator: Any,
        X: AnyLists,
        y: Judgements | None = None,
        *,
        qrels: CallQrels | None = None,
    ) -> Any:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator with ``transform``
            An aggregator, a pipeline or a search whose transform returns a consensus.
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_samples,), default=None
            Judgements, or the result of :meth:`~skrankagg.Qrels.align`. An array contains, for each sample of `X`, the
            id of the query whose judgements are used for this sample. Each id occurs once.
            ``permutation_test_score(estimator, lists, lists.queries, ...)`` permutes such an array.
        qrels : Qrels or dict, default=None
            Judgements. They take precedence over `y`, and `y` takes precedence over the constructor's judgements.

        Returns
        -------
        float, or dict of str to float
            Score over the judged queries of `X`; greater is better. If lower values of a measure are better, the value
            is negated, and its name in a dict is prefixed with ``neg_``.

        Raises
        ------
        ValueError
            If there are no judgements, or if no query or no item of `X` is judged. If an array `y` does not contain
            each query id once, for example because it contains class labels.
        TypeError
            If the judgements are a plain frame in `y` or in metadata.
        """
        measures = self._measures()
        X = encode_plain(X, sequences=False)
        lists = check_lists(X)
        check_untorn(estimator, X, lists)
        _check_aligned(y, lists)
        y, qrels = read_rows(y, X, lists), read_rows(qrels, X, lists)
        named = names_queries(y)
        qrels = choose_qrels(self, None if named else y, qrels)
        if named:
            qrels = judge_by(lists, qrels, y, X)
        consensus = rank(estimator, X, lists)
        values = JudgedLists(lists, qrels).measure(consensus, measures)
        scores = {
            _score_name(name, measures[name]): orient(measures[name].summarize(value), measures[name])
            for name, value in values.items()
        }
        return next(iter(scores.values())) if self._is_single() else scores

    def _measures(self):
        measures = get_measures(self.metrics, **(self.conventions or {}))
        if self._is_single() and next(iter(measures.values())).greater_is_better is None:
            raise InputError(
                f"`metrics` must be a measure that states whether higher or lower values are better; got "
                f"{self.metrics}, which does not. Choose another measure, or pass a list with further measures."
            )
        return measures

    def _is_single(self):
        return isinstance(self.metrics, str | Measure) or callable(self.metrics)


def _score_name(name, measure):
    # As in scikit-learn, a greater score is better. The prefix of a name marks a negated score.
    return f"neg_{name}" if measure.greater_is_better is False else name


def _check_aligned(y, lists):
    """Raise InputError if the aligned judgements `y` contain a query that is not in `lists`.

    Nothing is checked if `y` and `lists` have different numbers of queries. If the numbers are equal, such a query
    occurs only if `y` was permuted, as in ``permutation_test_score``.
    """
    if not isinstance(y, AlignedQrels) or len(y) != lists.n_queries:
        return
    other = plain_index(y.queries).difference(plain_index(lists.queries))
    if len(other):
        raise InputError(
            f"`y` must be aligned with the queries of X; query {other[0]!r} is only in y. permutation_test_score "
            "permutes y, but aligned judgements cannot be permuted, because they contain the ids of queries. "
            "Pass y=lists.queries there, and qrels=... to the scorer and to each method that learns from judgements."
        )
