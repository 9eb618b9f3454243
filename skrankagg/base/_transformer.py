"""Base class of list transformers, which turn ranked lists into ranked lists of the same kind."""

from collections.abc import Mapping
from typing import Any, Self, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._data._covariates import covariate_names
from .._data._fitted_rows import RemembersRows
from .._data._frames import AnyFrame
from .._data._list_columns import group_names
from .._data._output import check_output
from .._data._ranked_lists import RankedLists, check_lists, encode_plain
from .._data._types import AnyLists
from .._support._callbacks import fitting
from .._support._sklearn import (
    BaseEstimator,
    CallbackSupport,
    NotFittedError,
    Tags,
    TransformerMixin,
    accept_lists,
    keep_out_of_html,
    output_format,
)
from ..exceptions import InputError

__all__ = ["ListTransformer"]


class ListTransformer(RemembersRows, CallbackSupport, TransformerMixin, BaseEstimator):
    """Base class of the steps before or after an aggregator; each step turns ranked lists into ranked lists.

    A subclass defines ``_transform_lists(lists)``, which gets and returns :class:`~skrankagg.RankedLists`. If the step
    learns something, the subclass also defines ``_fit_lists(lists)``. The subclass declares its parameters in
    ``_parameter_constraints``. The base class does everything else. For RankedLists the result is RankedLists, and for
    a frame the result is a frame. A step may also follow an aggregator: the consensus, which has no column `voter`, is
    treated as one list of the voter ``consensus``.

    See Also
    --------
    skrankagg.base.BaseAggregator : Base class of all aggregators, which combine the ranked lists of each query.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg.base import ListTransformer
    >>> class WithoutLast(ListTransformer):
    ...     '''Leave out the last item of each list, unless it is the only one.'''
    ...     def _transform_lists(self, lists):
    ...         kept = np.ones(lists.n_rows, dtype=bool)
    ...         kept[lists.row_ptr[1:] - 1] = lists.list_length == 1
    ...         return lists.keep_rows(kept)[0]
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"],
    ...     "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> WithoutLast().fit_transform(lists)
      query voter item  rank
    0     q     v    a   1.0
    1     q     w    b   1.0
    """

    _parameter_constraints: dict = {}

    def fit(self, X: AnyLists, y: object = None) -> Self:
        """Check the lists; if the transformer learns, also learn from the lists.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : None
            Ignored; scikit-learn's pipelines pass it.

        Returns
        -------
        self : object
            The transformer itself.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the transformer, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        """
        X = encode_plain(X, sequences=False)
        lists = self._prepare(X)
        with fitting(self, lists, y):
            self._fit(lists, y)
            self._remember_rows(X, lists)
        return self

    @overload
    def fit_transform(self, X: RankedLists | Mapping[Any, Any], y: object = None) -> RankedLists: ...
    @overload
    def fit_transform(self, X: AnyFrame, y: object = None) -> pd.DataFrame: ...
    def fit_transform(self, X, y=None):
        """Fit the transformer and transform the same lists, which are encoded only once.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.
        y : None
            Ignored.

        Returns
        -------
        DataFrame or RankedLists
            See :meth:`transform`.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the transformer, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        """
        X = encode_plain(X, sequences=False)
        lists = self._prepare(X)
        with fitting(self, lists, y):
            result = self._fit(lists, y)
            self._remember_rows(X, lists)
        return self._publish(result, X)

    @overload
    def transform(self, X: RankedLists | Mapping[Any, Any]) -> RankedLists: ...
    @overload
    def transform(self, X: AnyFrame) -> pd.DataFrame: ...
    def transform(self, X):
        """Transform lists.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries, or dict of runs
            Ranked lists. A dict has the form of ``RankedLists.from_runs``.

        Returns
        -------
        DataFrame or RankedLists
            RankedLists if `X` is RankedLists or a dict, and ``set_output`` does not request a frame. Otherwise a frame
            with the columns `query`, `voter`, `item` and `rank` (mid-ranks). There is also a column `score` if there
            are scores, and a column `weight` if the lists are weighted. The column `duel` marks lists that are
            comparisons of two items, and each grouping has its own column.

        Raises
        ------
        ValueError
            If the lists are malformed or do not suit the transformer, or if a parameter has a wrong value.
        TypeError
            If `X` is neither a frame nor lists.
        """
        X = encode_plain(X, sequences=False)
        return self._publish(self._transform_lists(self._prepare(X)), X)

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """Return the column names of the transformed lists.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of str objects
            Names, in the order of the columns.

        Raises
        ------
        NotFittedError
            If ``fit`` was not called. Before a fit, the columns are unknown, because they depend on the lists.
        """
        keep_out_of_html()
        if not hasattr(self, "_columns_out"):
            raise NotFittedError(f"{type(self).__name__} has no column names before fit; call fit first.")
        return np.array(self._columns_out, dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = accept_lists(super().__sklearn_tags__())
        tags.target_tags.required = False
        tags.requires_fit = False
        return tags

    # ------------------------------------------------------------------ from lists to lists

    def _transform_lists(self, lists: RankedLists) -> RankedLists:
        raise NotImplementedError(f"{type(self).__name__} must define _transform_lists(lists).")

    def _fit_lists(self, lists):
        """Learn from the lists; most transformers learn nothing."""

    def _prepare(self, X):
        self._validate_params()
        check_output(self, X, with_voters=True)
        return check_lists(X)

    def _fit(self, lists, y=None):
        self._fit_lists(lists)
        return self._remember_columns(self._transform_lists(lists))

    def _remember_columns(self, result):
        self._columns_out = columns_of(result)
        return result

    def _publish(self, result, X):
        as_frame = output_format(self) != "default"
        if isinstance(X, RankedLists) and not as_frame:
            return result
        frame = result.to_frame()
        if as_frame and hasattr(self, "_columns_out") and list(frame.columns) != self._columns_out:
            return self._as_fitted(frame)
        return frame

    def _as_fitted(self, frame):
        # scikit-learn names the columns of set_output after the columns of the fitted lists.
        if "weight" in self._columns_out and "weight" not in frame:
            frame["weight"] = 1.0
        if sorted(frame.columns) != sorted(self._columns_out):
            raise InputError(
                f"With set_output, the lists must have the same columns as the lists in fit, {self._columns_out}; got "
                f"{list(frame.columns)}. Fit the transformer on lists with the same columns."
            )
        return frame[self._columns_out]


def columns_of(lists):
    """Return the names of the columns that `lists` would have as a frame, without building the frame."""
    optional = [("score", lists.has_scores), ("weight", lists.is_weighted), ("duel", lists.list_duel is not None)]
    there = [name for name, is_there in optional if is_there]
    return ["query", "voter", "item", "rank", *there, *group_names(lists), *covariate_names(lists)]
