"""Scorers: measures of relevance where scikit-learn asks for ``scoring``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..._data._aligned_qrels import AlignedQrels
from ..._data._fitted_rows import check_untorn
from ..._data._frames import plain_index, show_id
from ..._data._qrels import Qrels, check_qrels, choose_qrels
from ..._data._ranked_lists import check_lists
from ..._data._types import AnyLists, AnyQrels
from ..._support._sklearn import UNUSED, BaseEstimator
from ...exceptions import InputError
from .._relevance._conventions import AllConventions
from .._relevance._registry import Measure, MeasureLike, get_measures, orient
from ._judged_lists import JudgedLists, rank

__all__ = ["RankingScorer", "make_ranking_scorer"]

#: What a scorer takes for y: judgements, or the query by whose judgements each sample is measured.
Judgements: TypeAlias = Qrels | AlignedQrels | ArrayLike


def make_ranking_scorer(
    metrics: MeasureLike | Sequence[MeasureLike],
    *,
    qrels: AnyQrels | None = None,
    **conventions: Unpack[AllConventions],
) -> RankingScorer:
    """Make a scorer of one measure, or of several, for scikit-learn's ``scoring``.

    Parameters
    ----------
    metrics : str, Measure, callable or list of these
        Names of measures, see :func:`measure_names`. A list makes a scorer that aggregates once and returns a dict, as
        ``cross_validate`` and ``GridSearchCV(refit=name)`` take it. Of a measure of which less is better, such as
        "rbp_resid", the score is the negative, in a dict under the name "neg_rbp_resid".
    qrels : Qrels or DataFrame, default=None
        Judgements; None if they come as `y`, aligned with the lists, or as metadata.
    **conventions
        Conventions of the measures: `gain`, `discount`, `ideal`, `ap_denominator`, `relevance_threshold`.

    Returns
    -------
    RankingScorer
        A function of a fitted estimator and ranked lists.

    Raises
    ------
    ValueError
        If a measure or a convention is unknown, or if the only measure is one such as "num_ret", of which neither more
        nor less is better.

    See Also
    --------
    skrankagg.model_selection.QueryKFold : Splits a frame between queries.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from skrankagg import CombSUM, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import make_ranking_scorer
    >>> lists, qrels = make_ranked_lists(n_queries=10, random_state=0)
    >>> search = GridSearchCV(
    ...     CombSUM(), {"norm": ["borda", "rank", "min-max"]}, scoring=make_ranking_scorer("ndcg@10", qrels=qrels), cv=5
    ... )
    >>> search.fit(RankedLists.from_frame(lists)).best_params_
    {'norm': 'min-max'}
    """
    scorer = RankingScorer(metrics, qrels=None if qrels is None else check_qrels(qrels), conventions=conventions)
    scorer._measures()
    return scorer


class RankingScorer(BaseEstimator):
    """Measure an estimator's consensus of ranked lists against judgements.

    The lists are aggregated once, however many measures there are.

    Parameters
    ----------
    metrics : str, Measure, callable or list of these
        Names of measures; a list makes :meth:`score` return a dict.
    qrels : Qrels or DataFrame, default=None
        Judgements; None if they come as `y`, aligned with the lists by :meth:`Qrels.align`, or as metadata:
        ``scorer.set_score_request(qrels=True)``.
    conventions : dict, default=None
        Conventions of the measures, as in :func:`make_ranking_scorer`.

    See Also
    --------
    make_ranking_scorer : Makes one, and checks the names at once.

    Notes
    -----
    The measure is averaged over the queries of `X` that have judgements (of a count it is the sum); judgements of other
    queries are not looked at. So the mean over the folds of a cross-validation, weighted by their numbers of judged
    queries, is the measure over all queries. A judged query that the estimator returns nothing for counts as an empty
    list.

    Examples
    --------
    >>> from skrankagg import CombSUM
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.metrics import RankingScorer
    >>> lists, qrels = make_ranked_lists(n_queries=10, random_state=0)
    >>> scores = RankingScorer(["map", "p@10"], qrels=qrels)(CombSUM().fit(lists), lists)
    >>> {name: round(score, 4) for name, score in scores.items()}
    {'map': 0.941, 'p@10': 0.97}
    """

    # The estimator that is scored is not metadata.
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
        """Name of the score in scikit-learn's displays of learning and validation curves."""
        return ", ".join(_score_name(name, measure) for name, measure in self._measures().items())

    def __call__(self, estimator: Any, X: AnyLists, y: Judgements | None = None, **params: Any) -> Any:
        """Score a fitted estimator, see :meth:`score`."""
        return self.score(estimator, X, y, **params)

    def score(
        self,
        estimator: Any,
        X: AnyLists,
        y: Judgements | None = None,
        *,
        qrels: Qrels | None = None,
    ) -> Any:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator with ``transform``
            An aggregator, a pipeline, a search: its transform returns a consensus.
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists.
        y : Qrels, AlignedQrels or array-like of shape (n_samples,), default=None
            Judgements, or what :meth:`~skrankagg.Qrels.align` makes of them; or for each sample of `X` the id of the
            query whose judgements it is measured by, so that
            ``permutation_test_score(estimator, lists, lists.queries, ...)`` has something to permute.
        qrels : Qrels, default=None
            Judgements; they come before `y`, and both before those of the constructor.

        Returns
        -------
        float, or dict of str to float
            Over the judged queries of `X`; greater is better, so that a measure of which less is better is negated, in
            a dict under its name prefixed with ``neg_``.

        Raises
        ------
        ValueError
            If there are no judgements, or none of a query or an item of `X`.
        TypeError
            If the judgements are a plain frame in `y` or in metadata.
        """
        measures = self._measures()
        lists = check_lists(X)
        check_untorn(estimator, X, lists)
        qrels, queries = self._judgements(y, qrels)
        consensus = rank(estimator, X, lists)
        if queries is not None:
            qrels = _judge_by(lists, qrels, queries, X)
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
                f"A scorer needs a measure of which more, or less, is better; of {self.metrics} neither is. Choose "
                "another one, or put it in a list with others, where it is only reported."
            )
        return measures

    def _is_single(self):
        return isinstance(self.metrics, str | Measure) or callable(self.metrics)

    def _judgements(self, y, qrels):
        """Judgements, and the query ids in `y` if that is what it holds."""
        queries = None if y is None or isinstance(y, Qrels | AlignedQrels | pd.DataFrame) else y
        return choose_qrels(self, None if queries is not None else y, qrels), queries


def _score_name(name, measure):
    # As in scikit-learn, a greater score is better, and the name of a negated one says so.
    return f"neg_{name}" if measure.greater_is_better is False else name


def _judge_by(lists, qrels, queries, X):
    """Give each query the judgements of the query that is named for it."""
    if X is not lists:
        raise InputError(
            "y names a query for each sample, and the samples of a frame are its rows; give the lists as "
            "RankedLists.from_frame(df), whose samples are queries, or leave y out."
        )
    named = pd.Index(np.asarray(queries))
    if named.shape != (lists.n_queries,):
        raise InputError(
            f"y must name a query for each of the {lists.n_queries} samples; its shape is {np.shape(queries)}. "
            "Leave it out unless the judgements are to be permuted."
        )
    place = plain_index(qrels.queries).get_indexer(named)
    if (place < 0).all():
        raise InputError(
            f"y must hold ids of judged queries, or be a Qrels; it holds {named[0]!r}, and the qrels know "
            f"{show_id(qrels.queries, 0)}. Leave it out: pass judgements as qrels=..."
        )
    return qrels.reassign(lists.queries, place)
