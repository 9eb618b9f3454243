"""The class RankedLists, which contains ranked lists in checked and encoded form.

Users pass ranked lists as a long frame, with a row for each item of each list. All internal code works on integer codes
instead of ids. Rows are sorted by query, voter and rank, so each list is a slice of rows. Each row has the code of its
*candidate*, the (query, item) pair that gets a score. Many methods add up values over the rows of each candidate.

>>> import pandas as pd
>>> from skrankagg import RankedLists
>>> frame = pd.DataFrame({
...     "query": ["q", "q", "q", "q"],
...     "voter": ["v", "v", "w", "w"],
...     "item": ["a", "b", "b", "c"],
...     "rank": [1, 2, 1, 2],
... })
>>> lists = RankedLists.from_frame(frame)
>>> lists
RankedLists(n_queries=1, n_voters=2, n_items=3, n_lists=2, n_rows=4, ranks)
>>> lists.candidate
array([0, 1, 1, 2], dtype=int32)
"""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from threading import RLock
from typing import Any, Concatenate, Literal, ParamSpec

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .._arrays._ragged import expand, sort_codes
from ..exceptions import InputError, InputTypeError
from . import _from_comparisons, _from_frame, _from_python, _from_scores, _from_tables, _joined
from ._compared_items import check_absent, component_labels, labels_of_held
from ._frames import AnyFrame, first_row, frame_of, sample_index, show_id, take_ids
from ._immutable import Immutable, make
from ._list_columns import COUNTED, WEIGHTED, columns_of_groups, frame_columns
from ._qrels import Qrels, check_qrels, find_queries
from ._selection import mark_ids, same_lists, selected
from ._subset import gather_of_queries, kept_arrays, small_arrays

_Parameters = ParamSpec("_Parameters")

# Numbers of places and voters that the notebook view of a query shows.
_SHOWN_PLACES, _SHOWN_VOTERS = 5, 8


def _constructor(
    function: Callable[Concatenate[Any, _Parameters], Any],
) -> Callable[[Any], "classmethod[RankedLists, _Parameters, RankedLists]"]:
    """Turn a function of another module into a classmethod of RankedLists; the function gets the class first.

    As a decorator, it keeps the signature for type checkers; a plain assignment would lose the signature.
    """
    return lambda _: classmethod(function)


@dataclass(frozen=True, eq=False, repr=False)
class RankedLists(Immutable):
    """Encoded ranked lists of many voters for many queries; each query is a sample.

    Create RankedLists with :meth:`from_frame`, or from other data with :meth:`from_runs`, :meth:`from_lists`,
    :meth:`from_hits`, :meth:`from_ballots`, :meth:`from_wide`, :meth:`from_matrix`, :meth:`from_scores` or
    :meth:`from_comparisons`. RankedLists are immutable. Scikit-learn treats them as a container of ``n_queries``
    samples. Therefore ``cv=5``, ``train_test_split`` and every splitter separate whole queries and never divide a list.

    Parameters
    ----------
    queries, voters, items : pandas.Index
        Sorted distinct ids, with the dtype of the input. The result of :meth:`take` keeps all voters and items, and its
        queries are in the requested order.
    list_ptr : ndarray of shape (n_queries + 1,), dtype=int64
        Query ``q`` has the lists ``list_ptr[q]`` to ``list_ptr[q + 1] - 1``, sorted by voter.
    list_voter : ndarray of shape (n_lists,), dtype=int32
        Voter of each list, as a position in `voters`.
    list_weight : ndarray of shape (n_lists,), dtype=float64
        Weight of each list. A list with an integer weight w counts as w equal lists.
    list_conflict : ndarray of shape (n_lists,), dtype=bool, or None
        Mask of the lists where ranks and scores order the items differently; None if there is no such list.
    list_merged : ndarray of shape (n_lists,), dtype=bool, or None
        Mask of the lists where different scores round to the same `score`; None if there is no such list.
    row_ptr : ndarray of shape (n_lists + 1,), dtype=int64
        List ``v`` has the rows ``row_ptr[v]`` to ``row_ptr[v + 1] - 1``, best first; tied rows are sorted by item.
    candidate : ndarray of shape (n_rows,), dtype=int32
        Candidate of each row, as a position among all candidates.
    rank : ndarray of shape (n_rows,), dtype=float64
        Mid-rank in the list. Positions start at 1, and tied items share the mean of their positions.
    score : ndarray of shape (n_rows,), dtype=float64, or None
        Scores of the rows, rounded to float64; higher scores are better. None if the lists have only ranks.
    candidate_ptr : ndarray of shape (n_queries + 1,), dtype=int64
        Query ``q`` has the candidates ``candidate_ptr[q]`` to ``candidate_ptr[q + 1] - 1``, sorted by item.
    candidate_item : ndarray of shape (n_candidates,), dtype=int32
        Item of each candidate, as a position in `items`.
    list_duel : ndarray of shape (n_lists,), dtype=int64, or None
        Marks of the lists that were read as paired comparisons; None if there is no such list. The mark 0 means that
        the list is not a comparison. The mark -1 means that the weight of the list is a number of comparisons. The mark
        -2 means that the weight may be a number of comparisons or a factor. A positive mark identifies a comparison;
        lists of a query with the same positive mark together represent one comparison.
    list_groups : DataFrame with n_lists rows, or None
        A categorical column for each grouping of the lists, see :attr:`groups`.
    covariates : tuple of str, or None
        Names of the covariates; None if there are none.
    row_covariates : ndarray of shape (n_rows, n_covariates), dtype=float64, or None
        Covariates of the rows. Only `PlackettLuce` reads them, and only on request.

    See Also
    --------
    Qrels : Relevance judgements for the items.

    Notes
    -----
    Lists are sorted by ``rank``, or by descending ``score`` if there are no ranks. Only the order of the ranks matters,
    so ranks may have gaps or start at 0. A voter without rows for a query has no list for this query.

    Lists are sorted by the exact numbers. Integers above 2 ** 53, decimals of Arrow and long doubles stay distinct,
    even if they round to the same float64. Times are refused because they are not numbers; convert them to integers.

    Ranks and scores conflict if an item with a worse rank has a better score. Methods that use scores refuse such
    lists, and also lists where different scores round to the same float64. Lists of weight 0 are not checked. After
    :meth:`keep_rows`, only the remaining rows are checked.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> frame = pd.DataFrame({
    ...     "query": ["q1", "q1", "q2"], "voter": ["v", "v", "v"], "item": ["a", "b", "a"],
    ...     "score": [2.0, 9.0, 1.0]
    ... })
    >>> lists = RankedLists.from_frame(frame)
    >>> len(lists), lists.shape
    (2, (2,))
    >>> lists[[0]].to_frame()
      query voter item  rank  score
    0    q1     v    b   1.0    9.0
    1    q1     v    a   2.0    2.0
    """

    queries: pd.Index
    voters: pd.Index
    items: pd.Index
    list_ptr: NDArray[np.int64]
    list_voter: NDArray[np.int32]
    list_weight: NDArray[np.float64]
    list_conflict: NDArray[np.bool_] | None
    list_merged: NDArray[np.bool_] | None
    row_ptr: NDArray[np.int64]
    candidate: NDArray[np.int32]
    rank: NDArray[np.float64]
    score: NDArray[np.float64] | None
    candidate_ptr: NDArray[np.int64]
    candidate_item: NDArray[np.int32]
    list_duel: NDArray[np.int64] | None = None
    list_groups: pd.DataFrame | None = None
    covariates: tuple[str, ...] | None = None
    row_covariates: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.__dict__["queries"] = sample_index(self.queries)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return make, (RankedLists, *self._fields().values())  # with all rows, also for a lazy subclass

    # ------------------------------------------------------------------ constructors, functions of other modules

    @_constructor(_from_frame.from_frame)
    def from_frame(cls) -> None: ...
    @_constructor(_from_python.from_runs)
    def from_runs(cls) -> None: ...
    @_constructor(_from_python.from_lists)
    def from_lists(cls) -> None: ...
    @_constructor(_from_python.from_hits)
    def from_hits(cls) -> None: ...
    @_constructor(_from_python.from_ballots)
    def from_ballots(cls) -> None: ...
    @_constructor(_from_tables.from_wide)
    def from_wide(cls) -> None: ...
    @_constructor(_from_tables.from_matrix)
    def from_matrix(cls) -> None: ...
    @_constructor(_from_scores.from_scores)
    def from_scores(cls) -> None: ...
    @_constructor(_from_comparisons.from_comparisons)
    def from_comparisons(cls) -> None: ...
    @_constructor(_joined.concat)
    def concat(cls) -> None: ...

    # ------------------------------------------------------------------ a container of queries, for scikit-learn

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def shape(self) -> tuple[int]:
        """Shape (n_queries,); scikit-learn uses it as the number of samples."""
        return (len(self),)

    def __getitem__(self, key: Any) -> "RankedLists":
        if isinstance(key, tuple):  # scikit-learn writes X[indices, ...]
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError("RankedLists has one axis, its queries; index it with a single index.")
            key = key[0]
        chosen = np.arange(len(self))[key]
        return self.take(np.atleast_1d(chosen))

    def __iter__(self) -> Iterator["RankedLists"]:
        return (self.take([q]) for q in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise InputTypeError(
            "RankedLists is a container of queries, not an array. Use to_frame() for its rows, or its arrays "
            "`candidate`, `rank` and `score`."
        )

    def take(self, indices: ArrayLike) -> "RankedLists":
        """Select the lists of some queries.

        Parameters
        ----------
        indices : array-like of shape (n_chosen,), dtype=int
            Positions of distinct queries.

        Returns
        -------
        RankedLists
            The lists of these queries, in the requested order. Voters and items stay the same, so codes keep their
            meaning. Rows are copied when they are first read. Until then, the result keeps a reference to this
            container.

        Raises
        ------
        IndexError
            If a position is out of range.
        ValueError
            If a query is requested twice, or if no query is requested.
        """
        chosen = np.arange(len(self))[np.asarray(indices, dtype=np.intp)]
        if len(np.unique(chosen)) != len(chosen):
            raise InputError(
                "`indices` must be distinct; at least one position is repeated. To repeat a query, copy its rows in "
                "the frame under another id."
            )
        if len(chosen) == 0:
            raise InputError("`indices` must have at least one position; got none.")
        return _Subset(self, chosen)

    # ------------------------------------------------------------------ sizes

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.queries)

    @property
    def n_voters(self) -> int:
        """Number of voters in the whole data set."""
        return len(self.voters)

    @property
    def n_items(self) -> int:
        """Number of distinct items in the whole data set."""
        return len(self.items)

    @property
    def n_lists(self) -> int:
        """Number of lists, one for each pair of a query and a voter that ranks items of this query."""
        return len(self.list_voter)

    @property
    def n_rows(self) -> int:
        """Number of rows, which is the total length of all lists."""
        return int(self.row_ptr[-1])

    @property
    def n_candidates(self) -> int:
        """Number of candidates, the (query, item) pairs that an aggregation scores."""
        return int(self.candidate_ptr[-1])

    @property
    def has_scores(self) -> bool:
        """True if the lists have scores."""
        return self.score is not None

    @property
    def groups(self) -> pd.DataFrame | None:
        """Copy of the groupings, with a row for each list and a column for each grouping; None without groupings.

        A grouping is a named column that is constant within a list, such as the judge or the prompt.
        """
        return None if self.list_groups is None else self.list_groups.copy()

    # ------------------------------------------------------------------ derived arrays

    @cached_property
    def row_list(self) -> NDArray[np.int32]:
        """Position of each row's list, as int32 of shape (n_rows,)."""
        return expand(self.row_ptr)

    @cached_property
    def list_query(self) -> NDArray[np.int32]:
        """Position of each list's query, as int32 of shape (n_lists,)."""
        return expand(self.list_ptr)

    @cached_property
    def candidate_query(self) -> NDArray[np.int32]:
        """Position of each candidate's query, as int32 of shape (n_candidates,)."""
        return expand(self.candidate_ptr)

    @property
    def row_weight(self) -> NDArray[np.float64] | None:
        """Weight of each row's list, as float64 of shape (n_rows,), or None if every list weighs 1."""
        return self.list_weight[self.row_list] if self.is_weighted else None

    @property
    def list_length(self) -> NDArray[np.int64]:
        """Number of items in each list, as int64 of shape (n_lists,)."""
        return self.row_ptr[1:] - self.row_ptr[:-1]

    @property
    def query_n_items(self) -> NDArray[np.int64]:
        """Number of distinct items of each query, as int64 of shape (n_queries,)."""
        return self.candidate_ptr[1:] - self.candidate_ptr[:-1]

    @cached_property
    def is_weighted(self) -> bool:
        """True if any list has a weight other than 1."""
        return bool((self.list_weight != 1).any())

    @cached_property
    def candidate_weight(self) -> NDArray[np.float64]:
        """Total weight of the lists that contain each candidate's item, as float64 of shape (n_candidates,)."""
        return np.bincount(self.candidate, weights=self.row_weight, minlength=self.n_candidates).astype(np.float64)

    @cached_property
    def _labels_of_held(self) -> NDArray[np.int32]:
        return labels_of_held(self)

    @cached_property
    def rows_by_candidate(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Two arrays: offsets of shape (n_candidates + 1,), and row numbers of shape (n_rows,), sorted by candidate.

        The rows of candidate ``c`` are ``rows[offsets[c]:offsets[c + 1]]``.
        """
        rows, _ = sort_codes([self.candidate], [self.n_candidates])
        return np.concatenate([[0], np.cumsum(np.bincount(self.candidate, minlength=self.n_candidates))]), rows

    def sum_over_lists(self, value: NDArray[Any]) -> NDArray[Any]:
        """Sum the values of the lists of each query.

        Parameters
        ----------
        value : ndarray of shape (n_lists,)
            Value of each list, such as ``list_weight``.

        Returns
        -------
        ndarray of shape (n_queries,)
            The sum of each query.
        """
        return np.add.reduceat(value, self.list_ptr[:-1])

    def sum_over_absent(self, value: NDArray[Any]) -> NDArray[Any]:
        """For each candidate, sum the values of the query's lists that do not contain the candidate's item.

        Parameters
        ----------
        value : ndarray of shape (n_lists,)
            Value of each list, such as the score that the list gives to each absent item.

        Returns
        -------
        ndarray of shape (n_candidates,)
            The sum over the lists of the candidate's query that do not contain the item. It is 0 if all lists contain
            the item.
        """
        held = np.bincount(self.candidate, weights=value[self.row_list], minlength=self.n_candidates)
        return self.sum_over_lists(value)[self.candidate_query] - held

    def components(self, absent: Literal["last", "ignore"] = "ignore") -> pd.DataFrame:
        """Divide the items of each query into components; no list compares items of different components.

        Parameters
        ----------
        absent : {"last", "ignore"}, default="ignore"
            With "last", a list compares the items that it contains with all items of the query. With "ignore", a list
            compares the items that it contains only with each other.

        Returns
        -------
        pandas.DataFrame
            Columns `query`, `item` and `component`, sorted by query and item. `component` is the number of the item's
            connected component in a graph. An edge of the graph joins two items that a list of positive weight
            compares. The largest component of a query has number 1. Among components of equal size, the component with
            the first item has the lowest number.

        See Also
        --------
        skrankagg.exceptions.NotComparedWarning : Issued if a method orders items of several components.
        skrankagg.HodgeRank : Reports the number of components of each query.

        Notes
        -----
        The time is linear in the number of rows.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> lists = RankedLists.from_lists({"u": ["b", "a"], "v": ["a", "c"], "w": ["x", "y"]})
        >>> lists.components()
          query item  component
        0     q    a          1
        1     q    b          1
        2     q    c          1
        3     q    x          2
        4     q    y          2
        """
        check_absent(absent)
        columns = {
            "query": take_ids(self.queries, self.candidate_query),
            "item": take_ids(self.items, self.candidate_item),
            "component": component_labels(self, absent).astype(np.int64),
        }
        return frame_of(columns)

    # ------------------------------------------------------------------ lists derived from these lists

    def with_list_weight(self, weight: ArrayLike) -> "RankedLists":
        """Return the same lists with other weights.

        Parameters
        ----------
        weight : array-like of shape (n_lists,)
            New weight of each list, finite and at least 0.

        Returns
        -------
        RankedLists
            The lists with these weights; all other arrays are shared with this container.
        """
        weight = np.array(weight, dtype=np.float64)
        if weight.shape != (self.n_lists,) or not np.isfinite(weight).all() or (weight < 0).any():
            raise InputError(
                f"`weight` must be {self.n_lists} finite numbers of at least 0, one for each list; got an array of "
                f"shape {weight.shape}"
                f"{'' if weight.shape != (self.n_lists,) else ' with negative, infinite or missing numbers'}."
            )
        weight.flags.writeable = False
        lists = object.__new__(type(self))  # derived arrays that do not depend on weights are shared, too
        lists.__dict__.update(self.__dict__)
        lists.__dict__.update(list_weight=weight)
        if self.list_duel is not None:  # new weights may be numbers of comparisons or factors
            marks = np.where(self.list_duel == COUNTED, WEIGHTED, self.list_duel)
            marks.flags.writeable = False
            lists.__dict__.update(list_duel=marks)
        for name in ("is_weighted", "candidate_weight", "_labels_of_held"):
            lists.__dict__.pop(name, None)
        return lists

    def with_score(self, score: NDArray[np.float64]) -> "RankedLists":
        """Return the same lists, in the same order, with other scores.

        Parameters
        ----------
        score : ndarray of shape (n_rows,), dtype=float64
            Score of each row; the ranks stay unchanged. The new scores are not compared with the ranks, and all marks
            of conflicts are removed.

        Returns
        -------
        RankedLists
            The lists with these scores; all other arrays are shared with this container.
        """
        return RankedLists(**{**self._fields(), "score": score, "list_conflict": None, "list_merged": None})

    def keep_rows(self, kept: NDArray[np.bool_]) -> tuple["RankedLists", NDArray[np.int64]]:
        """Return the lists with only some of their rows.

        Parameters
        ----------
        kept : ndarray of shape (n_rows,), dtype=bool
            Mask of the rows to keep, with at least one row of each list. The kept rows get new ranks without gaps.

        Returns
        -------
        lists : RankedLists
            The remaining lists. If no remaining list of a query contains an item, the item is removed from the query.
        candidates : ndarray of shape (n_kept_candidates,), dtype=int64
            Positions of the remaining candidates among the candidates of this container.
        """
        return self._keep(np.ones(self.n_lists, dtype=bool), kept)

    def keep_lists(self, kept: NDArray[np.bool_]) -> tuple["RankedLists", NDArray[np.int64]]:
        """Return some of the lists; queries without a remaining list are dropped.

        Parameters
        ----------
        kept : ndarray of shape (n_lists,), dtype=bool
            Mask of the lists to keep, with at least one list.

        Returns
        -------
        lists : RankedLists
            The remaining lists. If no remaining list of a query contains an item, the item is removed from the query.
        candidates : ndarray of shape (n_kept_candidates,), dtype=int64
            Positions of the remaining candidates among the candidates of this container.
        """
        return self._keep(kept, kept[self.row_list])

    def _keep(self, list_kept, row_kept):
        arrays, candidates = kept_arrays(self, list_kept, row_kept)
        return RankedLists(**arrays), candidates

    def select(
        self,
        *,
        queries: Collection[Hashable] | None = None,
        voters: Collection[Hashable] | None = None,
        items: Collection[Hashable] | None = None,
    ) -> "RankedLists":
        """Select lists by the ids of their queries, voters and items.

        Parameters
        ----------
        queries, voters, items : collection of ids, default=None
            Ids to keep, in any order; None keeps all.

        Returns
        -------
        RankedLists
            The lists in their original order. If items are removed from a list, the remaining items get new ranks
            without gaps. Empty lists and queries without lists are dropped. ``voters`` and ``items`` still contain all
            ids of the data set, as in :meth:`take`.

        Raises
        ------
        TypeError
            If ids are not given as a collection.
        ValueError
            If an id is unknown, or if no list remains.

        See Also
        --------
        take : Selects queries by their positions, as ``lists[[0]]`` does.
        judged : Selects queries that have judgements.
        keep_lists, keep_rows : Select lists or rows by a mask.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> lists = RankedLists.from_lists({"Smith": ["TP53", "KRAS"],
        ...     "Wu": ["KRAS", "MYC", "TP53"], "Lee": ["MYC"]})
        >>> lists.select(voters=["Wu", "Smith"], items=["TP53", "MYC"]).to_runs()
        {'Smith': {'q': ['TP53']}, 'Wu': {'q': ['MYC', 'TP53']}}
        """
        query_kept = mark_ids(self.queries, queries, "queries")
        voter_kept, item_kept = mark_ids(self.voters, voters, "voters"), mark_ids(self.items, items, "items")
        if voter_kept is None and item_kept is None:
            return self if query_kept is None else self.take(np.flatnonzero(query_kept))
        return self._keep(*selected(self, query_kept, voter_kept, item_kept))[0]

    def judged(self, qrels: AnyFrame | Qrels | Mapping[Any, Any]) -> "RankedLists":
        """Select the lists of queries that have judgements.

        Parameters
        ----------
        qrels : Qrels, DataFrame or dict
            Judgements.

        Returns
        -------
        RankedLists
            The lists of the judged queries, with the same voters and items, as in :meth:`take`. If every query is
            judged, this container itself is returned.

        Raises
        ------
        ValueError
            If no query is judged.

        See Also
        --------
        skrankagg.model_selection.QueryKFold : Tests on judged queries only, but trains on unjudged queries, too.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> from skrankagg.datasets import make_ranked_lists
        >>> frame, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
        >>> lists = RankedLists.from_frame(frame)
        >>> lists.judged(qrels[qrels["query"] < "q3"]).queries.tolist()
        ['q1', 'q2']
        """
        judged = find_queries(check_qrels(qrels), self.queries)
        return self if judged.all() else self.take(np.flatnonzero(judged))

    def equals(self, other: object) -> bool:
        """Return True if another container has the same lists.

        Parameters
        ----------
        other : RankedLists
            Container to compare with. An object of another type is not equal.

        Returns
        -------
        bool
            True if both have the same queries in the same order, and if the voters, items, ranks, scores and weights of
            all lists are exactly equal. Ids are compared by value and not by dtype. Voters and items without lists, for
            example after :meth:`take` or :meth:`select`, are not compared.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> lists = RankedLists.from_lists({"u": ["a", "b"], "v": ["b"]})
        >>> lists.equals(RankedLists.from_frame(lists.to_frame())), lists.equals(
        ...     lists.select(voters=["u"]))
        (True, False)
        """
        return isinstance(other, RankedLists) and (self is other or same_lists(self, other))

    # ------------------------------------------------------------------ conversion to frames and dicts

    def to_frame(self) -> pd.DataFrame:
        """Return the lists as a long frame, sorted by query, voter and rank.

        Returns
        -------
        pandas.DataFrame
            Columns `query`, `voter`, `item`, `rank` (mid-ranks), `score` if there are scores, and `weight` if any
            weight is not 1. If lists are marked as paired comparisons, there is a column `duel`. There is also a column
            for each grouping and each covariate. :meth:`from_frame` restores the same lists if its parameters
            ``groups`` and ``covariates`` name these columns.
        """
        row_list = self.row_list
        columns = {
            "query": take_ids(self.queries, self.list_query[row_list]),
            "voter": take_ids(self.voters, self.list_voter[row_list]),
            "item": take_ids(self.items, self.candidate_item[self.candidate]),
            "rank": self.rank.copy(),
        }
        if self.score is not None:
            columns["score"] = self.score.copy()
        if self.is_weighted:
            columns["weight"] = self.list_weight[row_list]
        return frame_of(columns | frame_columns(self))

    def to_runs(self) -> dict[Any, dict[Any, Any]]:
        """Return the lists as a dict of voter to run, where a run is a dict of query to results.

        Returns
        -------
        dict of voter to dict
            The results for a query are a dict of item to score or, without scores, a list of items, best first.
            :meth:`from_runs` restores the same lists, but weights are lost. Without scores, ties are lost as well. With
            scores, ranks are lost if the scores do not determine them, for example if several scores round to one
            float64.
        """
        queries, voters = self.queries.tolist(), self.voters.tolist()
        items = self.items.take(self.candidate_item[self.candidate]).tolist()
        scores = self.score.tolist() if self.score is not None else None
        runs: dict[Any, dict[Any, Any]] = {}
        for v, (voter, query) in enumerate(zip(self.list_voter, self.list_query, strict=True)):
            rows = slice(self.row_ptr[v], self.row_ptr[v + 1])
            results = items[rows] if scores is None else dict(zip(items[rows], scores[rows], strict=True))
            runs.setdefault(voters[voter], {})[queries[query]] = results
        return runs

    def to_wide(self) -> pd.DataFrame:
        """Return the lists of one query as a table with a column for each list.

        Returns
        -------
        pandas.DataFrame
            Columns are voters, and item k of a list is in row k; None fills the end of shorter lists.

        Raises
        ------
        ValueError
            If there are several queries.
        """
        if self.n_queries != 1:
            raise InputError(
                f"`lists` must have one query for to_wide; got {self.n_queries}. Select one of them, such as "
                "lists[[0]]."
            )
        return _from_tables.wide_table(self)

    def __repr__(self) -> str:
        sizes = ", ".join(
            f"{name}={getattr(self, name)}" for name in ("n_queries", "n_voters", "n_items", "n_lists", "n_rows")
        )
        weighted = ", weighted" if self.is_weighted else ""
        return f"RankedLists({sizes}, {'ranks and scores' if self.has_scores else 'ranks'}{weighted})"

    def _repr_html_(self) -> str:
        """Show the repr of the lists, and a table of the first query's best items with a column for each voter."""
        rows = self.take([0]).to_frame().astype({"item": str})
        place = rows.groupby("voter", observed=True)["rank"].rank("dense").astype(int)
        table = rows.groupby([place, "voter"], observed=True)["item"].agg(_join_tied).unstack().fillna("")
        n_voters = table.shape[1]
        few = "" if n_voters <= _SHOWN_VOTERS else f", {_SHOWN_VOTERS} of its {n_voters} voters"
        top = table.iloc[:_SHOWN_PLACES, :_SHOWN_VOTERS].rename_axis(index=None, columns=None)
        query = escape(show_id(self.queries, 0))
        return f"<p><code>{escape(repr(self))}</code></p><p>query {query}{few}</p>{top.to_html()}"


# Only one thread copies at a time, because the copy must be complete before the reference to the source is dropped.
_GATHERING = RLock()


@dataclass(frozen=True, eq=False, repr=False, init=False)
class _Subset(RankedLists):
    """RankedLists of some queries of another container, with rows that are copied when they are first read.

    This saves time in cross-validation, which takes many subsets. A method that learns nothing never reads the rows of
    its training lists. A pickled or copied subset contains all its rows and becomes a RankedLists.
    """

    def __init__(self, whole, chosen):
        self.__dict__.update(small_arrays(whole, chosen), _source=(whole, chosen))
        self.__post_init__()

    @cached_property
    def candidate(self) -> NDArray[np.int32]:
        return self._gather("candidate")

    @cached_property
    def rank(self) -> NDArray[np.float64]:
        return self._gather("rank")

    @cached_property
    def score(self) -> NDArray[np.float64] | None:
        return self._gather("score")

    @cached_property
    def candidate_item(self) -> NDArray[np.int32]:
        return self._gather("candidate_item")

    @property
    def has_scores(self) -> bool:
        """True if the lists have scores; reading this property copies no rows."""
        return "score" not in self.__dict__ or self.score is not None

    @cached_property
    def row_covariates(self) -> NDArray[np.float64] | None:
        return self._gather("row_covariates")

    def _gather(self, name):
        """Copy an array from the source container; drop the reference to the source after the last array is copied."""
        gathered = self.__dict__
        with _GATHERING:
            if name not in gathered:  # another thread may have copied the array
                gathered[name] = gather_of_queries(*self._source, name, self.candidate_ptr)
                if gathered.keys() >= {"candidate", "rank", "score", "candidate_item", "row_covariates"}:
                    del gathered["_source"]
        return gathered[name]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        object.__setattr__(self, "__class__", RankedLists)


def _join_tied(items):
    return " = ".join(items[:3]) + (" = ..." if len(items) > 3 else "")


def check_lists(X, groups=()) -> RankedLists:
    """Encode a frame of lists with the canonical column names, or a dict of runs; return RankedLists unchanged.

    The columns whose names are in `groups` become groupings; None in `groups` is ignored.
    """
    if not isinstance(X, RankedLists):
        X = encode_plain(X, sequences=False)
    return X if isinstance(X, RankedLists) else RankedLists.from_frame(X, groups=columns_of_groups(X, groups))


def encode_plain(X, *, sequences=True):
    """Encode a dict or a list of ranked lists as RankedLists; return any other object unchanged.

    `fit` and scorers pass ``sequences=False`` to leave a list unchanged, because a splitter would treat its elements as
    samples.
    """
    return X if isinstance(X, RankedLists) else _from_python.plain_lists(RankedLists, X, sequences=sequences)


def check_run(X) -> RankedLists:
    """Encode a run, such as a consensus or a dict keyed by query; raise InputError if a query has several lists."""
    by_query = isinstance(X, Mapping) and not _from_python.holds_frames(X)
    lists = RankedLists.from_runs({"run": X}) if by_query else check_lists(X)
    if lists.n_lists != lists.n_queries:
        n_lists = np.diff(lists.list_ptr)
        q = first_row(n_lists > 1)
        raise InputError(
            f"A run must have one list for each query; query {show_id(lists.queries, q)} has {n_lists[q]}, one for "
            "each voter. Aggregate them first, or measure each voter's lists with evaluate(lists, qrels)."
        )
    return lists
