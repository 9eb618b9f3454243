"""Relevance judgements: encoding, alignment with ranked lists, and look-up by query id."""

from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from .._arrays._ragged import expand, gather_ranges, group_order, starts_to_ptr
from .._support._values import show
from .._support._warn import warn_user
from ..exceptions import InputError, InputTypeError, NothingJudgedWarning
from ._frames import AnyRows, Columns, first_row, frame_of, plain_index, show_id, take_ids
from ._grades import read_container, read_labels
from ._immutable import Immutable
from ._peer_objects import holds_tuples, is_ranx, plain_object, read_tuples
from ._usual_lists import code_dict

# Grades may be looked up in a table of queries by items. The table of all queries may have at most _DENSE_SHARE cells
# for each candidate and judgement. It is filled for a few queries at a time, with about _TABLE_CELLS cells.
_DENSE_SHARE = 16
_TABLE_CELLS = 1 << 18

# Types of ids, keyed by pandas' name of the type. Ids of different types are never equal.
_ID_TYPES = {
    "string": "strings",
    "bytes": "bytes",
    **dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal"), "numbers"),
    **dict.fromkeys(("datetime", "datetime64", "date"), "dates"),
}


class QueryIds(Protocol):
    """Protocol for the attributes that :meth:`Qrels.align` reads from ranked lists."""

    @property
    def queries(self) -> pd.Index: ...

    @property
    def candidate_ptr(self) -> NDArray[np.int64]: ...


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(Immutable):
    """Relevance judgements: the relevant items of each query, with their grades.

    Build a Qrels with :meth:`from_frame`, :meth:`from_dict` or :meth:`from_labels`. A Qrels is immutable and is not a
    sequence. Scikit-learn therefore passes a Qrels on unchanged and never slices it along with the samples.

    Parameters
    ----------
    queries, items : pandas.Index
        Sorted distinct ids of the judged queries and items, with the dtype of the input.
    ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The judgements of query ``q`` are at positions ``ptr[q]`` to ``ptr[q + 1] - 1``, sorted by item.
    item : ndarray of shape (n_judgements,), dtype=int32
        Item of each judgement, as a position in `items`.
    relevance : ndarray of shape (n_judgements,), dtype=float64
        Grade of each judgement. Items with a grade of at most 0 are not relevant.

    See Also
    --------
    RankedLists : The judged lists.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import Qrels
    >>> qrels = Qrels.from_frame(pd.DataFrame({"query": ["q", "q"], "item": ["a", "b"],
    ...     "relevance": [2, 0]}))
    >>> qrels
    Qrels(n_queries=1, n_judgements=2, n_relevant=1)
    """

    queries: pd.Index
    items: pd.Index
    ptr: NDArray[np.int64]
    item: NDArray[np.int32]
    relevance: NDArray[np.float64]

    @classmethod
    def from_dict(cls, judgements: Mapping[Any, Any]) -> "Qrels":
        """Encode a dict that contains the judgements of each query.

        Parameters
        ----------
        judgements : dict of query to dict, list or set, or Qrels of ranx
            For each query, a dict of item to grade, or a list or set of relevant items. Items in a list or set get
            grade 1.

        Returns
        -------
        Qrels

        Raises
        ------
        TypeError
            If the judgements of a query are of another type.
        ValueError
            If there are no judgements, or a grade is not a finite number.

        See Also
        --------
        from_frame : Encodes a long frame of judgements.

        Examples
        --------
        >>> from skrankagg import Qrels
        >>> Qrels.from_dict({"q1": {"d1": 2, "d2": 0}, "q2": ["d3"]})
        Qrels(n_queries=2, n_judgements=3, n_relevant=2)
        """
        judgements = plain_object(judgements) if is_ranx(judgements) else judgements
        if not isinstance(judgements, Mapping):
            raise InputTypeError(
                f"`judgements` must be a dict keyed by query; got {type(judgements).__name__}. Encode the classes of "
                "samples with Qrels.from_labels."
            )
        usual = _usual_fields(judgements)
        if usual is not None:
            return cls(**usual)
        rows = [
            (query, item, grade)
            for query, judged in judgements.items()
            for item, grade in read_container(judged, query).items()
        ]
        return cls.from_frame(pd.DataFrame(rows, columns=["query", "item", "relevance"]))

    @classmethod
    def from_frame(
        cls,
        frame: AnyRows,
        *,
        query: str = "query",
        item: str = "item",
        relevance: str = "relevance",
    ) -> "Qrels":
        """Check and encode a frame of judgements.

        Parameters
        ----------
        frame : DataFrame of pandas, polars or pyarrow, lazy frame of polars, DuckDB or Ibis, or iterable of tuples
            A row for each judged (query, item), in any order. Other columns are ignored. Named tuples, such as ``Qrel``
            of ir_measures or the qrels of ir_datasets, are read as rows, with their fields as columns.
        query, item, relevance : str, default="query", "item", "relevance"
            Names of the columns. If a column is missing under its default name, other common names are tried. For
            queries and items, these names are ``qid``, ``docno`` and others, as in :meth:`RankedLists.from_frame`. For
            relevance, they are ``rel, label, grade``. If the frame has both `query` and ``qid``, ``qid`` is read and a
            warning is issued. There is no warning for a frame with PyTerrier's columns.

        Returns
        -------
        Qrels

        Raises
        ------
        TypeError
            If `frame` is not a data frame, or if ids cannot be sorted.
        ValueError
            If a column or an id is missing, there are no rows, a grade is NaN or infinite, or an item is judged twice.
            If two columns have names with the same meaning, such as ``rel`` and ``label``.
        """
        names = {"query": query, "item": item, "relevance": relevance}
        columns = Columns(read_tuples(frame), names, "Qrels.from_frame")
        columns.require("query", "item", "relevance")
        query_code, queries = columns.ids("query")
        item_code, items = columns.ids("item")
        grade = columns.numbers("relevance")
        order = group_order(query_code, item_code)
        query_code, item_code = query_code[order], item_code[order]
        query_start = np.ones(len(order), dtype=bool)
        np.not_equal(query_code[1:], query_code[:-1], out=query_start[1:])
        repeated = np.zeros(len(order), dtype=bool)
        np.equal(item_code[1:], item_code[:-1], out=repeated[1:])
        repeated &= ~query_start
        if repeated.any():
            row = first_row(repeated)
            raise InputError(
                f"Each item of a query must be judged once; {int(repeated.sum())} rows repeat an item (the first is "
                f"query {show_id(queries, query_code[row])}, item {show_id(items, item_code[row])}). Keep one row."
            )
        return cls(queries=queries, items=items, ptr=starts_to_ptr(query_start), item=item_code, relevance=grade[order])

    @classmethod
    def from_labels(cls, labels: ArrayLike, *, queries: Sequence[Hashable] | pd.Index | None = None) -> "Qrels":
        """Encode the true classes of samples as judgements, for measuring the consensus of classifiers.

        Parameters
        ----------
        labels : array-like of shape (n_samples,)
            Class of each sample, such as the target `y` of a classifier.
        queries : sequence of hashable, default=None
            Id of each sample. None numbers the samples from 0, as :meth:`RankedLists.from_scores` does for arrays. The
            index of a Series must then be 0, 1, 2, and so on.

        Returns
        -------
        Qrels
            Each sample is a query. Its class is the only relevant item and has grade 1.

        Raises
        ------
        TypeError
            If the labels are not an array, or cannot be sorted.
        ValueError
            If the labels do not have one dimension, or a label is missing. If there are no labels, or the number of ids
            differs from the number of labels. If `queries` is None and the index of a Series is not 0, 1, 2, and so on.
            In this case, it is unclear if the frames of scores have the same index.

        See Also
        --------
        RankedLists.from_scores : Encodes the probabilities that classifiers predict.
        from_dict : Encodes several relevant items, or grades, for each query.

        Notes
        -----
        If each list ranks all classes, ``p@1`` (the precision at 1) is the accuracy, and ``success@k`` is the accuracy
        of the first k classes.

        Examples
        --------
        >>> from skrankagg import BordaCount, Qrels, RankedLists, evaluate
        >>> lists = RankedLists.from_scores({"lr": [[0.9, 0.1], [0.4, 0.6]],
        ...     "rf": [[0.6, 0.4], [0.3, 0.7]]})
        >>> float(evaluate(BordaCount().fit_transform(lists), Qrels.from_labels([0, 0]),
        ...     "p@1")["p@1"].iloc[0])
        0.5
        """
        items = read_labels(labels)
        if queries is None and isinstance(labels, pd.Series) and not labels.index.equals(pd.RangeIndex(len(labels))):
            raise InputError(
                f"`queries` must be given for a Series whose index is not 0, 1, 2, ...; its index begins with "
                f"{show(labels.index[:3].tolist())}. Pass queries=y.index if the scores are in frames with this index. "
                "Pass y.to_numpy() if the scores are in arrays."
            )
        ids = range(len(items)) if queries is None else queries
        if isinstance(ids, str | bytes | Mapping | Set) or not hasattr(ids, "__len__") or len(ids) != len(items):
            raise InputError(f"`queries` must be {len(items)} ids, one for each label; got {show(ids)}. Pass a list.")
        return cls.from_frame(pd.DataFrame({"query": pd.Series(ids).array, "item": items, "relevance": 1.0}))

    def align(self, lists: QueryIds) -> "AlignedQrels":
        """Align the judgements with the queries of lists, for use as ``y`` in scikit-learn's searches.

        Parameters
        ----------
        lists : RankedLists of n_queries queries
            Ranked lists; some of their queries may have no judgements.

        Returns
        -------
        AlignedQrels
            Judgements with one sample for each query of the lists. Splitters divide the judgements together with the
            lists. Methods that learn from judgements, and scorers without other judgements, look up these judgements by
            query id.

        Raises
        ------
        TypeError
            If `lists` is a frame, because the samples of a frame are its rows.

        Examples
        --------
        >>> from sklearn.model_selection import cross_val_score
        >>> from skrankagg import BordaCount, Qrels, RankedLists
        >>> from skrankagg.datasets import make_ranked_lists
        >>> from skrankagg.metrics import make_ranking_scorer
        >>> lists, qrels, _ = make_ranked_lists(n_queries=10, random_state=0)
        >>> lists = RankedLists.from_frame(lists)
        >>> y = Qrels.from_frame(qrels).align(lists)
        >>> cross_val_score(BordaCount(), lists, y, scoring=make_ranking_scorer("map"),
        ...     cv=2).round(2)
        array([0.95, 0.92])
        """
        if not hasattr(lists, "candidate_ptr"):
            raise InputTypeError(
                f"`lists` must be RankedLists, whose samples are queries; got {type(lists).__name__}. Encode it first, "
                "with RankedLists.from_frame, from_runs or from_lists."
            )
        return AlignedQrels(self, lists.queries)

    @property
    def n_queries(self) -> int:
        """Number of judged queries."""
        return len(self.queries)

    @property
    def n_judgements(self) -> int:
        """Number of judged (query, item) pairs."""
        return len(self.relevance)

    @cached_property
    def best_first(self) -> NDArray[np.float64]:
        """Grades of each query's ideal ranking, in descending order, as float64 of shape (n_judgements,)."""
        return self.relevance[group_order(expand(self.ptr), -self.relevance)]

    def reassign(self, queries: pd.Index, place: NDArray[np.int64]) -> "Qrels":
        """Return a Qrels for other queries, each with the judgements of one query of this Qrels.

        Parameters
        ----------
        queries : pandas.Index
            Sorted distinct ids of the new Qrels.
        place : ndarray of shape (n_queries,), dtype=int
            For each of `queries`, the position of the query in this Qrels that provides the judgements, or -1 for no
            judgements.

        Returns
        -------
        Qrels
            The judgements, without the `queries` whose position is -1.
        """
        rows, ptr = gather_ranges(self.ptr, place[place >= 0])
        return Qrels(queries[place >= 0], self.items, ptr, self.item[rows], self.relevance[rows])

    def _look_up(self, lists, query, item, rows, judged_ptr):
        """Return the grade of each candidate; the grade is NaN if the candidate is not judged."""
        n_items = lists.n_items
        if lists.n_queries * n_items > _DENSE_SHARE * (lists.n_candidates + len(rows)):
            return grades_at(self, query[lists.candidate_query], item[lists.candidate_item])
        # The table has a row for each query of a batch, and a column for each item. Judgements are written into the
        # table, and the grades of candidates are read from it.
        code = np.full(len(self.items) + 1, -1, dtype=np.int64)  # the last column is for items without judgements
        code[item] = np.arange(n_items)
        code = code[self.item[rows]]
        relevance = np.empty(lists.n_candidates)
        width = max(1, _TABLE_CELLS // n_items)
        table = np.empty(width * n_items)
        for first in range(0, lists.n_queries, width):
            last = min(first + width, lists.n_queries)
            table[: (last - first) * n_items] = np.nan
            mine = slice(judged_ptr[first], judged_ptr[last])
            cell = code[mine] + np.repeat(np.arange(last - first) * n_items, np.diff(judged_ptr[first : last + 1]))
            known = code[mine] >= 0
            table[cell[known]] = self.relevance[rows[mine]][known]
            candidates = slice(lists.candidate_ptr[first], lists.candidate_ptr[last])
            cell = np.repeat(np.arange(last - first) * n_items, np.diff(lists.candidate_ptr[first : last + 1]))
            cell += lists.candidate_item[candidates]
            relevance[candidates] = table[cell]
        return relevance

    def to_frame(self) -> pd.DataFrame:
        """Write the judgements as a frame, sorted by query and item.

        Returns
        -------
        pandas.DataFrame
            Columns `query`, `item`, `relevance`.
        """
        return frame_of(
            {
                "query": take_ids(self.queries, expand(self.ptr)),
                "item": take_ids(self.items, self.item),
                "relevance": self.relevance.copy(),
            }
        )

    def __repr__(self) -> str:
        relevant = int((self.relevance > 0).sum())
        return f"Qrels(n_queries={self.n_queries}, n_judgements={self.n_judgements}, n_relevant={relevant})"

    def _repr_html_(self) -> str:
        """Show the repr of the judgements, and the most relevant items of the first query."""
        rows = slice(0, self.ptr[1])
        top = pd.DataFrame({"item": self.items.take(self.item[rows]), "relevance": self.relevance[rows]})
        top = top.sort_values("relevance", ascending=False, kind="stable").head(5)
        query = escape(show_id(self.queries, 0))
        return f"<p><code>{escape(repr(self))}</code></p><p>query {query}</p>{top.to_html(index=False)}"


@dataclass(frozen=True, eq=False, repr=False)
class AlignedQrels(Immutable):
    """Judgements with one sample for each query of some lists, for use as ``y`` in scikit-learn's searches and curves.

    :meth:`Qrels.align` creates AlignedQrels. Splitters divide the judgements together with the lists. Judgements are
    looked up by query id and never by position, so the order of the samples does not matter.

    Parameters
    ----------
    qrels : Qrels
        The judgements.
    queries : pandas.Index of shape (n_queries,)
        Ids of the samples' queries; some of them may have no judgements.

    See Also
    --------
    Qrels : The judgements without samples, which scikit-learn passes on unchanged.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import Qrels, RankedLists
    >>> frame = pd.DataFrame({"query": list("pqr"), "voter": "v", "item": "a", "rank": 1})
    >>> y = Qrels.from_dict({"p": ["a"], "q": {"a": 0}}).align(RankedLists.from_frame(frame))
    >>> y
    AlignedQrels(n_queries=3, n_judged=2, n_relevant=1)
    >>> y[[1, 2]]
    AlignedQrels(n_queries=2, n_judged=1, n_relevant=0)
    """

    qrels: Qrels
    queries: pd.Index

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def shape(self) -> tuple[int]:
        """Shape (n_queries,): there is one sample for each query."""
        return (len(self.queries),)

    def __getitem__(self, chosen: Any) -> "AlignedQrels":
        """Select the judgements of some samples by positions, a slice or a mask, as in an array."""
        if isinstance(chosen, tuple):  # scikit-learn writes y[indices, ...]
            if len(chosen) != 2 or chosen[1] is not Ellipsis:
                raise IndexError("AlignedQrels has one axis, its queries; index it with a single index.")
            chosen = chosen[0]
        return AlignedQrels(self.qrels, self.queries[np.atleast_1d(np.arange(len(self))[chosen])])

    def own_qrels(self) -> Qrels:
        """Return the judgements of the samples' queries, without the judgements of other queries.

        Returns
        -------
        Qrels

        Raises
        ------
        ValueError
            If no query has judgements.
        """
        place = np.unique(plain_index(self.qrels.queries).get_indexer(plain_index(self.queries)))
        place = place[place >= 0]
        if not len(place):
            raise InputError(
                f"`y` must have judgements for at least one of its {len(self)} queries, such as "
                f"{show_id(self.queries, 0)}; it has none. If these are the queries of a fold, split only the judged "
                "queries (lists.judged(qrels)), or use QueryKFold(qrels=qrels)."
            )
        if len(place) == self.qrels.n_queries:
            return self.qrels
        return self.qrels.reassign(self.qrels.queries[place], place)

    def __repr__(self) -> str:
        place = plain_index(self.qrels.queries).get_indexer(plain_index(self.queries))
        relevant = np.add.reduceat(self.qrels.relevance > 0, self.qrels.ptr[:-1])
        judged = np.unique(place[place >= 0])
        return (
            f"AlignedQrels(n_queries={len(self)}, n_judged={int((place >= 0).sum())}, "
            f"n_relevant={int(relevant[judged].sum())})"
        )


@dataclass(frozen=True, eq=False)
class EncodedQrels:
    """Judgements of the queries and candidates of one :class:`RankedLists`, found by their ids.

    :func:`encode_qrels` looks up the ids once and returns EncodedQrels. Candidates in any order can then be graded
    without another look-up.

    Parameters
    ----------
    relevance : ndarray of shape (n_candidates,), dtype=float64
        Grade of each candidate, NaN if it is not judged.
    judged : ndarray of shape (n_queries,), dtype=bool
        Mask of the queries that have judgements.
    judged_ptr : ndarray of shape (n_queries + 1,), dtype=int64
        The grades of query ``q`` of the lists are at positions ``judged_ptr[q]`` to ``judged_ptr[q + 1] - 1`` of
        `best_first`.
    best_first : ndarray of shape (n_judgements_used,), dtype=float64
        All grades of each query in descending order, including the grades of items that no list contains.

    See Also
    --------
    Qrels : The judgements before alignment.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import Qrels, RankedLists
    >>> from skrankagg._data._qrels import encode_qrels
    >>> lists = RankedLists.from_frame(pd.DataFrame({"query": "q", "item": ["a", "b", "c"], "rank": [1, 2, 3]}))
    >>> qrels = Qrels.from_frame(pd.DataFrame({"query": "q", "item": ["a", "b", "d"], "relevance": [0, 2, 1]}))
    >>> encoded = encode_qrels(qrels, lists)
    >>> encoded.relevance, encoded.best_first
    (array([ 0.,  2., nan]), array([2., 1., 0.]))
    """

    relevance: NDArray[np.float64]
    judged: NDArray[np.bool_]
    judged_ptr: NDArray[np.int64]
    best_first: NDArray[np.float64]


# Types of judgements that a call accepts. Scikit-learn splits AlignedQrels along with the lists, and does not split the
# other types.
_UNSPLIT = (Qrels, AlignedQrels, Mapping, Iterator)


def check_qrels(qrels):
    """Convert a dict, a frame or another library's judgements to a Qrels; return a Qrels unchanged.

    For AlignedQrels, return the judgements of the aligned queries only.
    """
    if isinstance(qrels, AlignedQrels):
        return qrels.own_qrels()
    if isinstance(qrels, Qrels):
        return qrels
    return Qrels.from_dict(qrels) if isinstance(qrels, Mapping) or is_ranx(qrels) else Qrels.from_frame(qrels)


def choose_qrels(owner, y=None, qrels=None, *, purpose="measure by"):
    """Return the judgements that were passed as `qrels` or `y` to a call, or to the constructor of `owner`.

    Frames and lists are refused if they are passed to a call. Scikit-learn would split them if their length equals the
    number of samples, and the results would be wrong. Dicts, ranx's Qrels and iterators are accepted, because
    scikit-learn cannot split them. Raises InputError if there are no judgements.
    """
    for given, where in ((y, "y"), (qrels, "qrels")):
        if given is not None and not (isinstance(given, _UNSPLIT) or is_ranx(given)):
            if isinstance(given, list) and given and all(isinstance(one, Mapping | set) for one in given):
                advice = "A splitter divided a dict; wrap the dict: Qrels.from_dict(judgements)."
            elif hasattr(given, "columns"):
                advice = "Wrap it: Qrels.from_frame(df)."
            elif holds_tuples(given):
                advice = "Wrap it: Qrels.from_frame(judgements)."
            else:
                advice = (
                    f"Encode classes with Qrels.from_labels(y). If `{where}` has ids of queries, also pass qrels=... "
                    "to the constructor."
                )
            raise InputTypeError(
                f"`{where}` must be a Qrels or the result of qrels.align(lists), so that scikit-learn splits it "
                f"correctly; got {type(given).__name__}. {advice}"
            )
    chosen = next((given for given in (qrels, y) if given is not None), None)
    if chosen is None and isinstance(chosen := getattr(owner, "qrels", None), Iterator):
        raise InputTypeError(
            f"`qrels` of {type(owner).__name__} must be judgements that can be read several times; got "
            f"{type(chosen).__name__}. Pass Qrels.from_frame(judgements)."
        )
    if chosen is None:
        raise InputError(
            f"{type(owner).__name__} needs judgements to {purpose}; got none. Pass qrels=Qrels.from_frame(df) to the "
            "call or to the constructor. In scikit-learn's searches, pass y=qrels.align(lists)."
        )
    return check_qrels(chosen)


def _usual_fields(judgements):
    """Encode a dict of judgements with the compiled kernel, and return the fields of a Qrels.

    The values of the dict are dicts of item to grade, or lists of relevant items. Returns None if the kernel cannot
    read the dict.
    """
    coded = code_dict(judgements)
    if coded is None:
        return None
    queries, query_code, lengths, items, item_code, grade = coded
    query_code = np.repeat(query_code, lengths)
    order = group_order(query_code, item_code)
    relevance = np.ones(len(order)) if grade is None else grade[order]
    ptr = np.searchsorted(query_code[order], np.arange(len(queries) + 1))
    return {"queries": queries, "items": items, "ptr": ptr, "item": item_code[order], "relevance": relevance}


def encode_qrels(qrels, lists):
    """Look up the judgements of ranked lists by id, and return them as :class:`EncodedQrels`.

    Raises InputError if no query of the lists is judged, or if ids of the lists and of the judgements can never be
    equal, such as integers and strings. Warns with NothingJudgedWarning if no item of the lists is judged.
    """
    encoded = _encode(qrels, lists, _match_queries(qrels, lists.queries))
    if np.isnan(encoded.relevance).all() and (match_ids(lists.items, qrels.items, "item") < 0).all():
        warn_user(
            f"The lists contain no judged item: they have {show_ids(lists.items)}, but the qrels judge "
            f"{show_ids(qrels.items)}. Every measure that counts judged items is 0. Check the ids.",
            NothingJudgedWarning,
        )
    return encoded


def grades_at(qrels, query, item):
    """Return the grade of each (query, item) pair, or NaN if the pair is not judged.

    `query` and `item` contain positions in the ids of the qrels; -1 is an unknown id.
    """
    known = (query >= 0) & (item >= 0)
    keys = expand(qrels.ptr).astype(np.int64) * len(qrels.items) + qrels.item
    wanted = query[known].astype(np.int64) * len(qrels.items) + item[known]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    grade = np.full(len(query), np.nan)
    grade[known] = np.where(keys[place] == wanted, qrels.relevance[place], np.nan)
    return grade


def encode_run(qrels, run):
    """Look up the judgements of a run, which has one list for each query, and return :class:`EncodedQrels`.

    Some queries and items of the run may be unjudged. Raises InputError if ids of the run and of the judgements can
    never be equal, such as integers and strings.
    """
    return _encode(qrels, run, match_ids(run.queries, qrels.queries, "query"))


def _encode(qrels, run, query):
    """Look up the judgements of a run; `query` contains the position of each query among the judged queries, or -1."""
    item = match_ids(run.items, qrels.items, "item")
    judged = query >= 0
    rows, judged_ptr = gather_ranges(np.append(qrels.ptr, qrels.n_judgements), np.where(judged, query, qrels.n_queries))
    relevance = qrels._look_up(run, query, item, rows, judged_ptr)
    return EncodedQrels(relevance, judged, judged_ptr, qrels.best_first[rows])


def find_queries(qrels, queries):
    """Return a mask of shape (n_queries,): True for each judged query; raise InputError if no query is judged."""
    return _match_queries(qrels, queries) >= 0


def _match_queries(qrels, queries):
    """Return the position of each query among the judged queries, or -1; raise InputError if no query is judged."""
    query = match_ids(queries, qrels.queries, "query")
    if (query < 0).all():
        raise InputError(
            "The qrels must judge at least one query of the lists; they share no query id: the lists have "
            f"{show_ids(queries)}, and the qrels have {show_ids(qrels.queries)}. Check the ids. If these lists are a "
            "fold without judged queries, split only the judged queries (lists.judged(qrels)), or use "
            "QueryKFold(qrels=qrels)."
        )
    return query


def match_ids(theirs, ours, kind):
    """Return the position of each id of the lists among the ids of the judgements, as int64 of shape (n_ids,).

    An id that is not found gets position -1. Raises InputError if ids of the two indexes can never be equal, such as
    integers and strings. `kind` is the word for these ids in the error message, such as "query".
    """
    found = plain_index(ours).get_indexer(plain_index(theirs))
    if (found < 0).all():
        types = [id_type(ids) for ids in (theirs, ours)]
        if None not in types and types[0] != types[1]:
            raise InputError(
                f"The qrels must use the ids of the lists; they share no {kind} id: the lists have "
                f"{show_ids(theirs)}, the qrels have {show_ids(ours)}, and {types[0]} never equal {types[1]}. Convert "
                "one column."
            )
    return found


def id_type(ids, *, booleans="numbers"):
    """Return the name of the type of ids, or None if the type is ambiguous; `booleans` is the name for booleans."""
    inferred = pd.api.types.infer_dtype(plain_index(ids))
    return booleans if inferred == "boolean" else _ID_TYPES.get(inferred)


def show_ids(ids):
    """Return the first two ids of an index as text for an error message."""
    return ", ".join(repr(value) for value in ids[:2].tolist()) + (", ..." if len(ids) > 2 else "")
