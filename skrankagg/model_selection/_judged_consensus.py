"""Base class of estimators that add information learned from judgements to the consensus of another estimator.

If the other estimator learns from judgements itself, the consensus of each judged query comes from a fit on other
queries. The information is then as reliable for new queries as for the judged queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from .._arrays._ragged import expand, mid_ranks, positions, tie_starts
from .._data._fitted_rows import RemembersRows
from .._data._frames import plain_index
from .._data._named_queries import resolve_names
from .._data._output import check_output
from .._data._qrels import choose_qrels
from .._data._ranked_lists import RankedLists, check_lists, encode_plain
from .._data._types import AnyLists, AnyQrels, CallQrels, Judgements, PlainLists
from .._support._callbacks import CallbackSupport, fitting
from .._support._checks import check_count
from .._support._sklearn import (
    BaseEstimator,
    HasMethods,
    Tags,
    TransformerMixin,
    accept_lists,
    check_is_fitted,
    clone,
    keep_out_of_html,
)
from .._support._values import is_integer
from ..base._supervised import judged_part
from ..exceptions import InputError
from ..metrics._judging._find_judgements import find_judgements
from ..metrics._judging._folds import fit_judged, hold_out, spread_folds
from ..metrics._judging._judged_lists import join_parts, rank
from ._held_out import query_folds

#: Training queries and test queries of each fold.
Folds: TypeAlias = list[tuple[NDArray[np.intp], NDArray[np.intp]]]

# A score beyond this limit is set to the limit, so that the difference of two scores is finite.
_LIMIT = np.finfo(np.float64).max / 4


@dataclass(frozen=True, eq=False)
class ConsensusRows:
    """Rows of a consensus, query by query and best first, with the features that calibration uses.

    Parameters
    ----------
    frame : DataFrame of shape (n_rows, n_columns)
        The consensus.
    lists : RankedLists
        The aggregated lists.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        Rows of query q of the lists are ``ptr[q]`` to ``ptr[q + 1] - 1``; a query may have no rows.
    candidate : ndarray of shape (n_rows,), dtype=int64
        Candidate of each row, as a position among the candidates of the lists.
    """

    frame: pd.DataFrame
    lists: RankedLists
    ptr: NDArray[np.int64]
    candidate: NDArray[np.int64]

    @classmethod
    def from_result(cls, result: Any, lists: RankedLists) -> Self:
        """Read the consensus that an estimator returned for lists, as an EncodedConsensus or as a frame."""
        joined = join_parts(lists, [result], [np.arange(lists.n_queries)])
        frame = joined if isinstance(joined, pd.DataFrame) else joined.to_frame()
        query = plain_index(lists.queries).get_indexer(plain_index(pd.Index(frame["query"])))
        item = plain_index(lists.items).get_indexer(plain_index(pd.Index(frame["item"])))
        order = np.lexsort((frame["rank"].to_numpy(), query))
        if (order[1:] < order[:-1]).any():
            frame, query, item = frame.iloc[order].reset_index(drop=True), query[order], item[order]
        known = lists.candidate_query.astype(np.int64) * lists.n_items + lists.candidate_item
        wanted = query * np.int64(lists.n_items) + item
        candidate = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        if ((query < 0) | (item < 0) | (known[candidate] != wanted)).any():
            raise InputError(
                "`aggregator` must return only items of the lists; some item is not in the lists of its query. End a "
                "pipeline with an aggregator."
            )
        ptr = np.searchsorted(query, np.arange(lists.n_queries + 1))
        return cls(frame, lists, ptr, candidate)

    @property
    def n_queries(self) -> int:
        """Number of queries, including queries without rows."""
        return len(self.ptr) - 1

    @property
    def query(self) -> NDArray[np.int32]:
        """Query of each row, as a position in the lists."""
        return expand(self.ptr)

    @property
    def score(self) -> NDArray[np.float64]:
        """Score of each row; infinite scores become very large numbers."""
        return np.clip(self.frame["score"].to_numpy(dtype=np.float64), -_LIMIT, _LIMIT)

    @property
    def place(self) -> NDArray[np.int64]:
        """Place of each row in its query, from 1."""
        return positions(self.ptr)

    def mid_rank(self) -> NDArray[np.float64]:
        """Return the rank of each row; tied rows share the mean of their places."""
        held = np.append(self.ptr[0], self.ptr[1:][np.diff(self.ptr) > 0])
        return mid_ranks(held, tie_starts(held, self.score))

    def min_max(self) -> NDArray[np.float64]:
        """Scale the scores of each query from 0 for the last items to 1 for the first items.

        If all scores of a query are equal, they become 1.
        """
        score, heads = self.score, self.ptr[:-1][np.diff(self.ptr) > 0]
        low, high = (np.repeat(f.reduceat(score, heads), self._sizes()) for f in (np.minimum, np.maximum))
        span = high - low
        return np.divide(score - low, span, out=np.ones(len(score)), where=span > 0)

    def z_score(self) -> NDArray[np.float64]:
        """Subtract the mean of a query's scores, and divide by their standard deviation unless it is 0."""
        scaled = self.min_max()
        heads, sizes = self.ptr[:-1][np.diff(self.ptr) > 0], self._sizes()
        scaled -= np.repeat(np.add.reduceat(scaled, heads) / sizes, sizes)
        deviation = np.repeat(np.sqrt(np.add.reduceat(scaled**2, heads) / sizes), sizes)
        return np.divide(scaled, deviation, out=np.zeros(len(scaled)), where=deviation > 0)

    def list_share(self) -> NDArray[np.float64]:
        """Return the share of its query's lists that contain each row's item, with the weights of the lists."""
        total = self.lists.sum_over_lists(self.lists.list_weight)[self.lists.candidate_query[self.candidate]]
        weight = self.lists.candidate_weight[self.candidate]
        return np.divide(weight, total, out=np.zeros(len(weight)), where=total > 0)

    def n_rows(self) -> NDArray[np.int64]:
        """Return the number of rows of each row's query."""
        return np.repeat(self._sizes(), self._sizes())

    def _sizes(self):
        sizes = np.diff(self.ptr)
        return sizes[sizes > 0]


class JudgedConsensus(RemembersRows, CallbackSupport, TransformerMixin, BaseEstimator):
    """Base class of estimators that learn from the judgements of another estimator's consensus.

    A subclass defines ``_learn(rows, relevant, folds)`` and ``_add(rows)``, where `rows` is :class:`ConsensusRows`. The
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
            part, judged = judged_part(self, lists, qrels, None)
            has_relevant = np.logical_or.reduceat(judged.relevance > 0, part.candidate_ptr[:-1])
            if find_judgements(self.aggregator) is not None:
                folds = self._folds(part, has_relevant)
                self._check_folds(folds)
                result = hold_out(self.aggregator, part, qrels.align(part), folds)
                self.aggregator_ = fit_judged(clone(self.aggregator), lists, qrels.align(lists))
            else:
                self.aggregator_ = clone(self.aggregator).fit(lists)
                result = rank(self.aggregator_, part, part)
            rows = ConsensusRows.from_result(result, part)
            self._learn(rows, judged.relevance[rows.candidate] > 0, lambda: self._folds(part, has_relevant))
            self._columns_out = list(self._add(rows).columns)
            self._remember_rows(X, lists)
        return self

    def _folds(self, lists, has_relevant):
        """Return the training and the test queries of each fold.

        If `cv` is a number, every fold has queries with relevant items, so there may be fewer folds, even a single one.
        """
        if not is_integer(self.cv):
            return query_folds(self.cv, lists)
        check_count("cv", self.cv, 2)
        return spread_folds(has_relevant, min(self.cv, int(has_relevant.sum())))

    def _check_folds(self, folds):
        """Raise InputError if there is a single fold, which leaves no queries to learn from."""
        if len(folds) < 2:
            raise InputError(
                f"{type(self).__name__} must have at least 2 judged queries with relevant items, because "
                f"{self.aggregator!r} learns from some queries and ranks the others; got 1. Judge more queries."
            )

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
        """Return True: a Comparator must measure this estimator on queries outside its training data."""
        return True

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "aggregator_")

    def __sklearn_tags__(self) -> Tags:
        tags = accept_lists(super().__sklearn_tags__())
        tags.target_tags.required = False
        tags.requires_fit = True
        return tags


def keep_rows(rows: ConsensusRows, kept: NDArray[np.bool_], frame: pd.DataFrame) -> pd.DataFrame:
    """Return the kept rows of a consensus with new ranks from 1 in each query."""
    if kept.all():
        return frame
    sizes = np.bincount(rows.query[kept], minlength=rows.n_queries)
    shortened = frame[kept].reset_index(drop=True)
    return shortened.assign(rank=positions(np.concatenate([[0], np.cumsum(sizes)])))
