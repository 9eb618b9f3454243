"""Base classes of aggregators and list transformers that learn from relevance judgements."""

from collections.abc import Mapping
from typing import Any, Self, overload

import numpy as np
import pandas as pd

from .._data._frames import AnyFrame
from .._data._named_queries import resolve_names
from .._data._qrels import choose_qrels, encode_qrels
from .._data._ranked_lists import RankedLists, encode_plain
from .._data._types import AnyLists, CallQrels, Judgements, PlainLists
from .._support._sklearn import Tags, check_is_fitted
from ..exceptions import InputError
from ._aggregator import BaseAggregator
from ._cost import warn_of_cost
from ._transformer import ListTransformer

__all__ = ["SupervisedAggregator"]


class SupervisedAggregator(BaseAggregator):
    """Base class of the aggregators that learn from relevance judgements.

    A subclass defines ``_learn(lists, judged)``, which sets the fitted attributes. `lists` contains only the training
    queries with judgements. ``judged.relevance`` contains the grade of each candidate of these queries, or NaN if the
    candidate is not judged. The hook ``_aggregate(lists)`` is the same as in :class:`BaseAggregator`. The constructor
    has a parameter `qrels`. Judgements may also be passed to ``fit``: either as ``qrels=``, or as ``y`` in the form
    that :meth:`~skrankagg.Qrels.align` returns.

    See Also
    --------
    BaseAggregator : Base class of all aggregators.
    WeightedAggregator : Base class of the aggregators that learn voter weights from the lists alone.

    Notes
    -----
    Judgements of queries that are not in the lists are never used. So the judgements of all queries may be passed to
    the constructor: in a parameter search, each training fold only uses the judgements of its own queries.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.base import SupervisedAggregator
    >>> class ByExperience(SupervisedAggregator):
    ...     '''Rank items by the mean grade of training items with the same best rank.'''
    ...     def __init__(self, *, qrels=None):
    ...         self.qrels = qrels
    ...     def _best(self, lists):
    ...         best = np.full(lists.n_candidates, np.inf)
    ...         np.minimum.at(best, lists.candidate, lists.rank)
    ...         return np.floor(best).astype(int)
    ...     def _learn(self, lists, judged):
    ...         grade, best = np.nan_to_num(judged.relevance), self._best(lists)
    ...         self.grade_ = np.bincount(best,
    ...             weights=grade) / np.maximum(np.bincount(best), 1)
    ...     def _aggregate(self, lists):
    ...         return self.grade_[np.minimum(self._best(lists), len(self.grade_) - 1)]
    >>> from skrankagg import Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> lists, qrels, _ = make_ranked_lists(n_queries=10, random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> ByExperience().fit(lists[:5], qrels.align(lists[:5])).transform(lists[5:]).head(2)[
    ...     "rank"].tolist()
    [1, 2]
    """

    _tags = {"supervised": True}

    def fit(self, X: AnyLists, y: Judgements | None = None, *, qrels: CallQrels | None = None) -> Self:
        """Learn from the judged queries of the lists.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists to learn from. A dict has the form of ``RankedLists.from_runs``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements. ``Qrels.align(lists)`` makes an object that scikit-learn splits together with the lists. An
            array contains a query id for each query of `X`: the judgements with this id are used for the query. They
            come from `qrels` or the constructor. ``permutation_test_score(estimator, lists, lists.queries, ...)``
            permutes such an array.
        qrels : Qrels or dict, default=None
            Judgements; they take precedence over `y`, and `y` takes precedence over the constructor's judgements.

        Returns
        -------
        self : object
            The aggregator itself.

        Raises
        ------
        ValueError
            If there are no judgements, if no judgement concerns a query or an item of `X`, or if no judged item is
            relevant. It is also raised if `y` is an array that repeats a query id or contains a value that is not a
            query id.
        TypeError
            If the judgements are a plain frame, or a list of n_queries named tuples. Scikit-learn would split such an
            object along with the lists.
        """
        X = encode_plain(X, sequences=False)
        lists = self._begin(X)
        with self._fit_or_restore(lists, y):
            self._fit_judged(lists, *resolve_names(self, X, lists, y, qrels))
            self._remember_rows(X, lists)
        return self

    def fit_transform(
        self, X: PlainLists, y: Judgements | None = None, *, qrels: CallQrels | None = None
    ) -> pd.DataFrame:
        """Learn from lists and aggregate the same lists.

        Evaluating the result on the training judgements overstates quality.
        :func:`~skrankagg.model_selection.cross_val_consensus` aggregates every query with an estimator that was fitted
        on the other queries.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists. A dict has the form of ``RankedLists.from_runs``, and a list has the form of
            ``RankedLists.from_lists``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements, as in :meth:`fit`.
        qrels : Qrels or dict, default=None
            Judgements, as in :meth:`fit`.

        Returns
        -------
        DataFrame
            The consensus, see :meth:`transform`.

        Raises
        ------
        ValueError
            If the lists or the judgements are malformed or do not suit the method, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists, or if the judgements have a wrong type.
        """
        X = encode_plain(X)
        with self._fit_or_restore(X, y):
            ranked = self._fit_rank(X, y, qrels)
            self._remember_rows(X, ranked.lists)
        return ranked.to_frame()

    def _fit_rank(self, X, y=None, qrels=None):
        lists = self._begin(X)
        self._fit_judged(lists, *resolve_names(self, X, lists, y, qrels))
        return self._rank(lists)

    def _fit_lists(self, lists):
        # If another method fits this method, it passes no judgements, so the constructor's judgements are used.
        self._fit_judged(lists, None, None)

    def _fit_judged(self, lists, y, qrels):
        judged = judged_part(self, lists, y, qrels)
        self._check_memory(judged[0], self._memory(judged[0]))
        warn_of_cost(self, judged[0], ("learning",))
        self._learn(*judged)

    def _learn(self, lists, judged):
        raise NotImplementedError(f"{type(self).__name__} must define _learn(lists, judged).")

    def _rank(self, lists):
        check_is_fitted(self)
        return super()._rank(lists)


class SupervisedListTransformer(ListTransformer):
    """Base class of the list transformers that can learn from relevance judgements.

    A subclass defines ``_fit_judged(lists, qrels)``, where `qrels` is a function that returns the judgements. If no
    judgements are needed with the current parameters, the subclass must not call this function. The constructor has a
    parameter `qrels`.
    """

    def fit(self, X: AnyLists, y: object = None, *, qrels: CallQrels | None = None) -> Self:
        """Check the lists; if the transformer learns, also learn from the lists and their judgements.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements. ``Qrels.align(lists)`` makes an object that scikit-learn splits together with the lists. An
            array contains a query id for each query of `X`: the judgements with this id are used for the query. See
            :meth:`SupervisedAggregator.fit`.
        qrels : Qrels or dict, default=None
            Judgements; they take precedence over `y`, and `y` takes precedence over the constructor's judgements.

        Returns
        -------
        self : object
            The transformer itself.

        Raises
        ------
        ValueError
            If the lists or the judgements are malformed or missing, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists, or if the judgements have a wrong type.
        """
        X = encode_plain(X, sequences=False)
        lists = self._prepare(X)
        self._fit(lists, *resolve_names(self, X, lists, y, qrels))
        self._remember_rows(X, lists)
        return self

    @overload
    def fit_transform(
        self, X: RankedLists | Mapping[Any, Any], y: object = None, *, qrels: CallQrels | None = None
    ) -> RankedLists: ...
    @overload
    def fit_transform(self, X: AnyFrame, y: object = None, *, qrels: CallQrels | None = None) -> pd.DataFrame: ...
    def fit_transform(self, X, y=None, *, qrels=None):
        """Fit the transformer and transform the same lists, which are encoded only once.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements, as in :meth:`fit`.
        qrels : Qrels or dict, default=None
            Judgements, as in :meth:`fit`.

        Returns
        -------
        DataFrame or RankedLists
            See :meth:`transform`.

        Raises
        ------
        ValueError
            If the lists or the judgements are malformed or missing, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists, or if the judgements have a wrong type.
        """
        X = encode_plain(X, sequences=False)
        lists = self._prepare(X)
        result = self._fit_transform(lists, *resolve_names(self, X, lists, y, qrels))
        self._remember_rows(X, lists)
        return self._publish(result, X)

    def _fit(self, lists, y=None, qrels=None):
        self._fit_judged(lists, lambda purpose="measure the voters by": choose_qrels(self, y, qrels, purpose=purpose))
        return self._remember_columns(self._transform_lists(lists))

    def _fit_transform(self, lists, y, qrels):
        """Fit the transformer, and return the transformed lists from which the next step of a pipeline learns."""
        return self._fit(lists, y, qrels)

    def _fit_judged(self, lists, qrels):
        raise NotImplementedError(f"{type(self).__name__} must define _fit_judged(lists, qrels).")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        return tags


def judged_part(owner, lists, y, qrels):
    """Return lists and judgements of the judged queries only; raise InputError if no judged item is relevant."""
    qrels = choose_qrels(owner, y, qrels, purpose="learn from")
    judged = encode_qrels(qrels, lists)
    if not judged.judged.all():
        lists = lists.take(np.flatnonzero(judged.judged))
        judged = encode_qrels(qrels, lists)
    if not (judged.relevance > 0).any():
        raise InputError(
            f"{type(owner).__name__} learns from relevant items, but no list of the {lists.n_queries} judged "
            f"quer{'y' if lists.n_queries == 1 else 'ies'} contains a relevant item. Check the judgements, or give "
            "more queries."
        )
    return lists, judged
