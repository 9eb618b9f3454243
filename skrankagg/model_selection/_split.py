"""Splitters of ranked lists that keep each query whole."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator, KFold, ShuffleSplit

from .._data._frames import Columns
from .._data._peer_objects import is_ranx, read_tuples
from .._data._qrels import Qrels, check_qrels, find_queries
from .._data._ranked_lists import RankedLists
from .._data._types import AnyLists, AnyQrels
from .._support._checks import check_count
from ..exceptions import InputError, InputTypeError

__all__ = ["QueryKFold", "QueryShuffleSplit"]


class _QuerySplitter(BaseCrossValidator):
    """Base class of splitters that keep each query whole; samples are rows of a frame, or queries of RankedLists.

    A subclass must have the parameters `qrels` and `query`, and the method ``_splitter(n_queries)``.
    """

    def split(
        self, X: AnyLists, y: object = None, groups: object = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Generate the samples of each training and test set.

        Parameters
        ----------
        X : DataFrame or RankedLists of n_queries queries
            Ranked lists, or any frame with the column `query`. The samples of a frame are its rows.
        y, groups : object
            Ignored, because the queries are in `X`.

        Yields
        ------
        train, test : ndarray of shape (n_samples_of_the_set,), dtype=int64
            Positions of the samples in ascending order. All rows of a query are in the same set.

        Raises
        ------
        ValueError
            If there are fewer queries, or fewer judged queries, than folds. If there is no column `query`.
        """
        X = read_tuples(X)
        if isinstance(X, Mapping | list | tuple) or is_ranx(X):
            raise InputTypeError(
                f"`X` of {type(self).__name__} must have samples that can be split, which are queries or rows; got "
                f"{type(X).__name__}. Encode it with RankedLists.from_runs before you split it."
            )
        if isinstance(X, RankedLists):
            code, queries = np.arange(X.n_queries), X.queries
        else:
            columns = Columns(X, {"query": self.query}, type(self).__name__, lazy=False)
            columns.require("query")
            code, queries = columns.ids("query")
        judged = np.ones(len(queries), dtype=bool) if self.qrels is None else find_queries(self.qrels, queries)
        chosen = np.flatnonzero(judged)
        for train, test in self._splitter(len(chosen)).split(chosen):
            side = np.where(judged, 0, 1)  # queries without judgements go to training, where methods may use them
            side[chosen[train]], side[chosen[test]] = 1, 2
            side = side[code]
            yield np.flatnonzero(side == 1), np.flatnonzero(side == 2)

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of splits.

        Parameters
        ----------
        X, y, groups : object
            Ignored.

        Returns
        -------
        int
            The parameter `n_splits`.
        """
        return self.n_splits


class QueryKFold(_QuerySplitter):
    """Split queries into folds; each fold is the test set once.

    All rows of a query are in the same set, so no list is divided.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=False
        Whether to shuffle the queries. Otherwise each fold consists of neighbouring queries in the order of the ids.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffle.
    query : str, default="query"
        Name of the column of query ids.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements. Only the judged queries are then divided into folds, so that every test set contains judged queries.
        Queries without judgements are in every training set and in no test set. None divides all queries.

    See Also
    --------
    QueryShuffleSplit : Splits queries at random several times.
    skrankagg.RankedLists : Encoded lists; scikit-learn's own splitters split them by query.
    skrankagg.RankedLists.judged : Leaves out queries without judgements, so that they are in no set.

    Notes
    -----
    A splitter of rows, such as ``cv=5`` on a frame, divides lists: some rows of a query are used for fitting, and
    others for scoring. The scorers raise an error in this case. Scikit-learn replaces the error by NaN unless
    ``error_score="raise"`` is set. On :class:`~skrankagg.RankedLists`, ``cv=5`` makes the same folds as this splitter.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import QueryKFold
    >>> lists = pd.DataFrame({"query": list("aabb"), "voter": "v", "item": list("xyxy"),
    ...     "rank": [1, 2, 1, 2]})
    >>> for train, test in QueryKFold(2).split(lists):
    ...     print(train, test)
    [2 3] [0 1]
    [0 1] [2 3]

    If two of three queries are judged, the third query is only in the training sets:

    >>> lists = pd.DataFrame({"query": list("abc"), "voter": "v", "item": "x", "rank": 1})
    >>> qrels = pd.DataFrame({"query": ["a", "c"], "item": "x", "relevance": 1})
    >>> for train, test in QueryKFold(2, qrels=qrels).split(lists):
    ...     print(train, test)
    [1 2] [0]
    [0 1] [2]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = False,
        random_state: int | np.random.RandomState | None = None,
        query: str = "query",
        qrels: AnyQrels | None = None,
    ) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.query = query
        self.qrels: Qrels | None = None if qrels is None else check_qrels(qrels)
        self._splitter()  # raises for invalid arguments

    def _splitter(self, n_queries=None):
        if n_queries is not None and n_queries < self.n_splits:
            kind = "queries" if self.qrels is None else "judged queries"
            raise InputError(
                f"`n_splits` of QueryKFold must be at most the number of {kind}, which is {n_queries}; got "
                f"{self.n_splits}. Choose fewer folds."
            )
        return KFold(self.n_splits, shuffle=self.shuffle, random_state=self.random_state)


class QueryShuffleSplit(_QuerySplitter):
    """Split queries at random, several times.

    All rows of a query are in the same set. A query may be tested in several splits or in no split.

    Parameters
    ----------
    n_splits : int, default=10
        Number of splits.
    test_size, train_size : float or int, default=None
        Share or number of the queries in each set, as in :class:`sklearn.model_selection.ShuffleSplit`.
    random_state : int, RandomState instance or None, default=None
        Seed.
    query : str, default="query"
        Name of the column of query ids.
    qrels : Qrels, DataFrame or dict, default=None
        Judgements. Only the judged queries are then split, and `test_size` and `train_size` refer to the judged
        queries. Queries without judgements are in every training set and in no test set. None splits all queries.

    See Also
    --------
    QueryKFold : Splits queries into folds, so that each query is tested once.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.model_selection import QueryShuffleSplit
    >>> lists = pd.DataFrame({"query": list("aabb"), "voter": "v", "item": list("xyxy"),
    ...     "rank": [1, 2, 1, 2]})
    >>> for train, test in QueryShuffleSplit(1, test_size=1, random_state=0).split(lists):
    ...     print(train, test)
    [0 1] [2 3]
    """

    def __init__(
        self,
        n_splits: int = 10,
        *,
        test_size: float | None = None,
        train_size: float | None = None,
        random_state: int | np.random.RandomState | None = None,
        query: str = "query",
        qrels: AnyQrels | None = None,
    ) -> None:
        check_count("n_splits", n_splits)
        self.n_splits = n_splits
        self.test_size = test_size
        self.train_size = train_size
        self.random_state = random_state
        self.query = query
        self.qrels: Qrels | None = None if qrels is None else check_qrels(qrels)

    def _splitter(self, n_queries=None):
        return ShuffleSplit(
            self.n_splits, test_size=self.test_size, train_size=self.train_size, random_state=self.random_state
        )
