"""Base class of estimators that use judgements to improve the consensus of an aggregator.

If the aggregator learns from judgements itself, the consensus of each judged query comes from a fit on other queries.
The result is then as reliable for new queries as for the judged queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from .._data._fitted_rows import RemembersRows
from .._data._named_queries import resolve_names
from .._data._output import check_output
from .._data._qrels import choose_qrels
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import AnyLists, AnyQrels, CallQrels, Judgements, PlainLists
from .._support._callbacks import fitting
from .._support._checks import check_count
from .._support._sklearn import (
    BaseEstimator,
    CallbackSupport,
    HasMethods,
    Tags,
    TransformerMixin,
    accept_lists,
    check_is_fitted,
    keep_out_of_html,
)
from .._support._values import is_integer
from ..exceptions import InputError
from ..metrics._judging._consensus_rows import ConsensusRows, judged_rows
from ..metrics._judging._folds import spread_folds
from ..metrics._judging._judged_lists import rank
from ._held_out import query_folds

#: Training queries and test queries of each fold.
Folds: TypeAlias = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


class JudgedConsensus(RemembersRows, CallbackSupport, TransformerMixin, BaseEstimator):
    """Base class of estimators that learn which items of an aggregator's consensus are relevant.

    A subclass defines ``_learn(rows, relevant, folds)``, which sets the fitted attributes, and ``_add(rows)``, which
    returns the result. `rows` is a :class:`ConsensusRows` object, and `relevant` is a mask of the relevant rows. The
    function `folds` returns the training and the test queries of each fold.
    """

    _parameter_constraints: dict = {
        "aggregator": [HasMethods(["fit", "transform"])],
        "cv": "no_validation",  # query_folds reports errors
        "qrels": "no_validation",  # a frame or a Qrels; check_qrels reports errors in anything else
    }

    aggregator: Any
    cv: int | BaseCrossValidator | Iterable[Any]
    qrels: AnyQrels | None
    aggregator_: Any

    def fit(self, X: AnyLists, y: Judgements | None = None, *, qrels: CallQrels | None = None) -> Self:
        """Fit the aggregator, and learn from the judged queries of the lists.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists to learn from. A dict has the form of ``RankedLists.from_runs``.
        y : Qrels, AlignedQrels, dict or array-like of shape (n_queries,), default=None
            Judgements. ``Qrels.align(lists)`` makes an object that scikit-learn splits together with the lists. An
            array contains, for each query of `X`, the id of the query whose judgements are used.
        qrels : Qrels or dict, default=None
            Judgements; they take precedence over `y`, and `y` takes precedence over the constructor's judgements.

        Returns
        -------
        self : object
            The estimator itself.

        Raises
        ------
        ValueError
            If there are no judgements, if no item of the judged queries is relevant, if there are too few judged
            queries, or if a parameter has a wrong value.
        TypeError
            If the judgements are a plain frame, or the aggregator does not return a consensus.
        """
        X = encode_plain(X, sequences=False)
        self._validate_params()
        check_output(self, X)
        lists = check_lists(X)
        qrels = choose_qrels(self, *resolve_names(self, X, lists, y, qrels), purpose="learn from")
        with fitting(self, lists, y):
            self.aggregator_, rows, relevant, folds = judged_rows(self, lists, qrels, self._folds)
            self._learn(rows, relevant, folds)
            self._columns_out = list(self._add(rows).columns)
            self._remember_rows(X, lists)
        return self

    def _folds(self, lists, has_relevant, learns):
        """Return the training and the test queries of each fold.

        If `cv` is an int, every fold contains queries with relevant items, so there may be fewer folds than `cv`. If
        the aggregator does not learn from judgements, there may be only one fold.
        """
        if not is_integer(self.cv):
            return query_folds(self.cv, lists)
        check_count("cv", self.cv, 2)
        n_folds = min(self.cv, int(has_relevant.sum()))
        if learns and n_folds < 2:
            raise InputError(
                f"{type(self).__name__} must have at least 2 judged queries with relevant items, because "
                f"{self.aggregator!r} learns from some queries and ranks the others; got 1. Judge more queries."
            )
        return spread_folds(has_relevant, n_folds)

    def fit_transform(
        self, X: AnyLists, y: Judgements | None = None, *, qrels: CallQrels | None = None
    ) -> pd.DataFrame:
        """Fit the estimator and transform the same lists.

        If the aggregator learns from judgements, its consensus of the training queries is better than its consensus of
        new queries. :func:`cross_val_consensus` transforms every query with a fit on the other queries.

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
        DataFrame
            See :meth:`transform`.
        """
        X = encode_plain(X, sequences=False)
        return self.fit(X, y, qrels=qrels).transform(X)

    def transform(self, X: PlainLists) -> pd.DataFrame:
        """Aggregate the lists of each query.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict or list of lists
            Ranked lists. A dict has the form of ``RankedLists.from_runs``, and a list has the form of
            ``RankedLists.from_lists``.

        Returns
        -------
        DataFrame
            The columns of the aggregator's consensus, and the columns that this estimator adds.
        """
        check_is_fitted(self)
        X = encode_plain(X)
        check_output(self, X)
        lists = check_lists(X)
        return self._add(ConsensusRows.from_result(rank(self.aggregator_, lists, lists), lists))

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the column names of the result.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            Names, in the order of the columns.
        """
        keep_out_of_html()
        check_is_fitted(self)
        return np.array(self._columns_out, dtype=object)

    def _learn(self, rows: ConsensusRows, relevant: NDArray[np.bool_], folds: Callable[[], Folds]) -> None:
        raise NotImplementedError(f"{type(self).__name__} must define _learn(rows, relevant, folds).")

    def _add(self, rows: ConsensusRows) -> pd.DataFrame:
        raise NotImplementedError(f"{type(self).__name__} must define _add(rows).")

    def _needs_judgements(self):
        """Return True, because a Comparator must measure this estimator on queries outside its training data."""
        return True

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "aggregator_")

    def __sklearn_tags__(self) -> Tags:
        tags = accept_lists(super().__sklearn_tags__())
        tags.target_tags.required = False
        tags.requires_fit = True
        return tags
