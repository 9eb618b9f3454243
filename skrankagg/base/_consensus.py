"""Results of an aggregation: the value that ``_aggregate`` returns, and the final order of the candidates."""

from dataclasses import dataclass, field
from typing import Any, Self, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._arrays import TOLERANCE
from .._arrays._places import class_starts
from .._arrays._plain_ids import FEW, best_first
from .._arrays._ragged import expand, group_order, positions, sparse_rows, starts_to_ptr
from .._data._frames import frame_of, take_ids
from .._data._ranked_lists import RankedLists

__all__ = ["Consensus"]


@dataclass
class Consensus:
    """Result of a method that returns more than a score for each candidate.

    A method without further results returns only the array of scores.

    Parameters
    ----------
    score : ndarray of shape (n_candidates,), dtype=float64
        Consensus score of each candidate, higher is better.
    columns : dict of str to ndarray of shape (n_candidates,), optional
        Further columns of the result; the attribute ``_result_columns`` contains their names.
    queries : dict of str to ndarray of shape (n_queries,), optional
        Information about each query; the class attribute ``_query_columns`` contains the names.
    scale : ndarray of shape (n_candidates,), dtype=float64, optional
        Size of the terms that were added up for each score. The rounding error depends on this size. Two scores of a
        query tie if their difference is less than 1e-12 times the largest scale of the query. None means the absolute
        values of the scores. Give the scale if positive and negative terms may cancel in the sums.
    additive : bool, default=False
        Whether a score is the sum of one value from each list that contains the item. If only one list contains an
        item, the item's score has no rounding error. Suppose two items are in the same list, and in no other list. They
        then tie only if their scores are equal, even if other items have scores between theirs.

    See Also
    --------
    BaseAggregator : Accepts a Consensus as the result of ``_aggregate``.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg.base import BaseAggregator, Consensus
    >>> class Popularity(BaseAggregator):
    ...     '''Rank items by the weight of their lists, and show their best rank.'''
    ...     _result_columns = ("best",)
    ...     def _aggregate(self, lists):
    ...         best = np.full(lists.n_candidates, np.inf)
    ...         np.minimum.at(best, lists.candidate, lists.rank)
    ...         return Consensus(lists.candidate_weight, columns={"best": best})
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"],
    ...     "item": ["a", "b", "b"], "rank": [1, 2, 2]})
    >>> Popularity().fit_transform(lists)
      query item  score  rank  best
    0     q    b    2.0     1   1.0
    1     q    a    1.0     2   1.0
    """

    score: NDArray[Any]
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    queries: dict[str, NDArray[Any]] = field(default_factory=dict)
    scale: NDArray[np.float64] | None = None
    additive: bool = False


@dataclass
class Contributions:
    """Values that the lists add to the scores, for methods whose scores are sums over lists.

    Except for rounding, the values of an item add up to its score.

    Parameters
    ----------
    held : ndarray of shape (n_rows,), dtype=float64
        Value that each row adds to the score of its candidate, including the weight of the list.
    absent : ndarray of shape (n_lists,), dtype=float64, or None
        Value that each list adds to the scores of the items absent from the list; None means 0.
    factor : ndarray of shape (n_candidates,), dtype=float64, or None
        Factor by which all values of a candidate are multiplied, as in CombMNZ; None means 1.
    """

    held: NDArray[np.float64]
    absent: NDArray[np.float64] | None = None
    factor: NDArray[np.float64] | None = None


@dataclass
class EncodedConsensus:
    """Consensus in its final order, with integer codes instead of ids.

    Measures use the codes; :meth:`to_frame` builds a frame.

    Parameters
    ----------
    lists : RankedLists
        The aggregated lists.
    order : ndarray of shape (n_candidates,), dtype=int64
        Numbers of the candidates. The queries have the order of `lists`, and each query's best candidate comes first.
    score : ndarray of shape (n_candidates,), dtype=float64
        Scores of the candidates, in the order of `order`; tied candidates have the same score.
    columns : dict of str to ndarray of shape (n_candidates,)
        Further columns of the result, in the order of `order`.
    queries : dict of str to ndarray of shape (n_queries,)
        Information about each query.

    See Also
    --------
    order_candidates : Finds the order.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base._consensus import EncodedConsensus, order_candidates
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> lists = RankedLists.from_frame(frame)
    >>> EncodedConsensus(lists, *order_candidates(lists, np.array([1.0, 5.0]))).to_frame()
      query item  score  rank
    0     q    b    5.0     1
    1     q    a    1.0     2
    """

    lists: RankedLists
    order: NDArray[np.int64]
    score: NDArray[np.float64]
    columns: dict[str, NDArray[Any]] = field(default_factory=dict)
    queries: dict[str, NDArray[Any]] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """Return the consensus as a frame: `query`, `item`, `score`, `rank`, and the further columns of the method."""
        lists = self.lists
        return frame_of(
            {
                "query": take_ids(lists.queries, lists.candidate_query),
                "item": take_ids(lists.items, lists.candidate_item[self.order]),
                "score": self.score.copy(),
                "rank": positions(lists.candidate_ptr),
                **{name: column.copy() for name, column in self.columns.items()},
            }
        )

    def info_frame(self) -> pd.DataFrame:
        """Return the information about the queries as a frame with one row for each query."""
        return info_frame(self.lists.queries, self.queries)


def info_frame(queries, columns):
    """Return a frame with the column `query` and the given columns, each of shape (n_queries,)."""
    ids = take_ids(queries, np.arange(len(queries)))
    return frame_of({"query": ids, **{name: column.copy() for name, column in columns.items()}})


class QueryInfo:
    """Descriptor of the attribute ``query_info_``; it builds the frame when the attribute is first read.

    For one small query, building the frame takes as long as the rest of a fit, and few callers need the frame.
    """

    _NAME = "query_info_"

    @overload
    def __get__(self, aggregator: None, owner: type) -> Self: ...
    @overload
    def __get__(self, aggregator: object, owner: type) -> pd.DataFrame: ...
    def __get__(self, aggregator, owner):
        if aggregator is None:
            return self
        state = vars(aggregator)
        if self._NAME not in state:
            raise AttributeError(f"{type(aggregator).__name__!r} object has no attribute {self._NAME!r}")
        if not isinstance(state[self._NAME], pd.DataFrame):
            state[self._NAME] = info_frame(*state[self._NAME])
        return state[self._NAME]

    def __set__(self, aggregator: object, value: EncodedConsensus | pd.DataFrame) -> None:
        if isinstance(value, EncodedConsensus):
            value = value.lists.queries, value.queries
        vars(aggregator)[self._NAME] = value


def order_candidates(lists, score, scale=None, additive=False, tiebreak=None):
    """Order the candidates of each query by score, then by the weight of the lists that contain them, then by item.

    `score`, of shape (n_candidates,), contains no NaN; higher scores are better. The arguments `scale` and `additive`
    are as in :class:`Consensus`. If `tiebreak`, of shape (n_candidates,), is given, tied candidates are first ordered
    by `tiebreak`, the largest value first, and then by the weight of the lists.

    Returns two arrays of shape (n_candidates,). The first contains the candidates of the first query, best first, then
    the candidates of the second query, and so on. The second contains their scores in this order. Neighbours whose
    scores differ by less than 1e-12 times the query's largest scale form a tie class. All members of a tie class get
    the highest score of the class. In this example two items tie, and more lists contain the second item:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base._consensus import order_candidates
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> order_candidates(RankedLists.from_frame(frame), np.array([1.0, 1.0]))
    (array([1, 0]), array([1., 1.]))
    """
    # For few candidates of one query, the function for Python lists is faster, and its sort is stable.
    if tiebreak is None and lists.n_queries == 1 and lists.n_candidates <= FEW:
        best = best_items(lists, list(range(lists.n_candidates)), Consensus(score, scale=scale, additive=additive))
        ordered = np.array(best, dtype=np.float64)
        return ordered[:, 0].astype(np.int64), ordered[:, 1].copy()
    total = lists.sum_over_lists(lists.list_weight)
    sole_source = (lambda: _sole_lists(lists)) if additive else None
    return rank_scores(lists.candidate_ptr, score, lists.candidate_weight, total, scale, sole_source, tiebreak)


def best_items(lists, ids, consensus, top=None):
    """Order the items of one query as :func:`order_candidates` does; return a list of (id, score), best first.

    `ids` contains the ids of the candidates, in any order. `top` is the number of items to return; None means all.
    """
    if not isinstance(consensus, Consensus):
        consensus = Consensus(consensus)
    score = consensus.score
    size = np.abs(score) if consensus.scale is None else consensus.scale
    largest = float(size.max())
    if largest == np.inf:
        largest = float(size[size < np.inf].max(initial=0.0))
    tolerance = TOLERANCE * largest
    sole_source = (lambda: _chains(score, tolerance, _sole_lists(lists))) if consensus.additive else None
    total = float(np.add.reduceat(lists.list_weight, [0])[0]) if lists.is_weighted else float(lists.n_lists)
    return best_first(ids, score, lists.candidate_weight, tolerance, TOLERANCE * total, sole_source, top)


def _sole_lists(lists):
    """Return, for each candidate that is in a single list, the index of this list.

    Only lists of positive weight count. A candidate in several of these lists gets -1, and a candidate in none gets -2.
    """
    rows = np.flatnonzero(lists.list_weight[lists.row_list] > 0)
    sole = np.full(lists.n_candidates, -2)
    sole[lists.candidate[rows]] = lists.row_list[rows]
    sole[np.bincount(lists.candidate[rows], minlength=lists.n_candidates) > 1] = -1
    return sole


def sole_lists_again(lists):
    """Return a function that computes the result of `_sole_lists` for many sets of list weights at once.

    The function turns list weights, of shape (n_lists, n_replicates), into an array of shape (n_candidates,
    n_replicates).
    """
    holds = sparse_rows(lists.row_ptr, lists.candidate, np.ones(lists.n_rows), lists.n_candidates).T
    number = np.arange(lists.n_lists)[:, None]

    def sole(weights):
        counted = (weights > 0).astype(np.float64)
        n, which = holds @ counted, holds @ (counted * number)
        return np.where(n == 1, which, np.where(n == 0, -2, -1)).astype(np.int64)

    return sole


def _chains(score, tolerance, source):
    """Return a number for each item, for use as the `source` of :func:`best_first`; the numbers encode the tie classes.

    A tie class contains the items that tie with each other. `best_first` never ties two unequal scores that have the
    same source. So two items with neighbouring unequal scores get the same number if they are in different tie classes,
    and different numbers if they are in the same class.
    """
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    run_start = np.append(True, ordered[1:] != ordered[:-1])
    class_start = class_starts(ordered, np.arange(len(score)) == 0, np.ones(len(score)), tolerance)
    class_start = _divide_classes(class_start, run_start, source[order])
    chain = np.empty(len(score), dtype=np.int64)
    chain[order] = np.cumsum(run_start & ~class_start)
    return chain


def rank_sums(lists, weight):
    """Return each candidate's weighted sum of ranks over the lists of its query, multiplied by -1.

    An absent item gets the mean of the ranks after the list's last item. Weights of shape (n_lists,) give a result of
    shape (n_candidates,). Weights of shape (n_lists, n_replicates) give shape (n_candidates, n_replicates). The result
    is exact for integer weights.
    """
    left_over = (lists.query_n_items[lists.list_query] + lists.list_length + 1) / 2
    value = left_over[lists.row_list] - lists.rank
    gain = sparse_rows(lists.row_ptr, lists.candidate, value, lists.n_candidates).T @ weight
    return gain - lists.sum_over_lists((left_over * weight.T).T)[lists.candidate_query]


def rank_scores(ptr, score, support, total, scale=None, sole_source=None, tiebreak=None):
    """Order the members of consecutive groups, as :func:`order_candidates` orders the candidates of queries.

    Group g consists of the members ``ptr[g]`` to ``ptr[g + 1] - 1``. `score`, `support`, `scale` and `tiebreak` have
    shape (n_members,). The `support` of a member is, for example, the total weight of the lists that contain it.
    Members are ordered by `score`, then by `tiebreak`, then by `support`, then by their place in the group. The
    tolerance for ties of scores is relative to `scale`; None means the absolute scores. The tolerance for ties of the
    support is relative to `total`, of shape (n_groups,).

    A source of a score is a list that contributes to the score. The function `sole_source` is called if unequal scores
    would tie. For each member, it returns the number of the only source of the score, -1 for several sources, or -2 for
    no source. Two members with unequal scores never tie if both have the same source, or if one has exactly one source
    and the other has no source. Other members with the same two scores then do not tie either, whatever their sources
    are.

    Returns the members in their order, group by group, and the scores of the members in this order. Within a group the
    best member comes first. Tied members have the same score.

    >>> import numpy as np
    >>> from skrankagg.base._consensus import rank_scores
    >>> rank_scores(np.array([0, 3]), np.array([1.0, 2.0, 2.0]), np.array([1.0, 1.0, 2.0]), np.array([2.0]))
    (array([2, 1, 0]), array([2., 2., 1.]))
    """
    member_group = expand(ptr)
    order = group_order(member_group, -score)
    score = score[order]
    heads = ptr[:-1]
    size = np.abs(score) if scale is None else scale[order]
    size[np.isinf(size)] = 0.0
    largest = np.maximum.reduceat(size, heads)
    new_group = np.zeros(len(score), dtype=bool)
    new_group[heads] = True
    class_start = class_starts(score, new_group, largest[member_group])
    if sole_source is not None:
        differs = new_group.copy()
        differs[1:] |= score[1:] != score[:-1]
        if (differs & ~class_start).any():
            class_start = _divide_classes(class_start, differs, sole_source()[order])
    if class_start.all():
        return order, score
    class_ptr = starts_to_ptr(class_start)
    length = np.diff(class_ptr)
    score = np.repeat(score[class_ptr[:-1]], length)
    tied = np.flatnonzero(np.repeat(length > 1, length))
    group = np.cumsum(class_start)[tied]
    member = order[tied]
    for value, size in _tie_breakers(tiebreak, support, total, heads):
        # Each tie-breaker divides the classes that remain after the previous tie-breaker.
        by_value = np.lexsort((-value[member], group))
        member, group = member[by_value], group[by_value]
        group = np.cumsum(class_starts(value[member], np.diff(group, prepend=-1) != 0, size[member_group[member]]))
    order[tied] = member[np.lexsort((member, group))]
    return order, score


def _tie_breakers(tiebreak, support, total, heads):
    """Yield two arrays for each tie-breaker in turn: a value for each member, and a scale for each group.

    Members and groups are as in :func:`rank_scores`. The tolerance for ties of the values is relative to the scale.
    """
    if tiebreak is not None:
        yield tiebreak, np.maximum.reduceat(np.abs(tiebreak), heads)
    yield support, total


def _divide_classes(class_start, run_start, source):
    """Divide tie classes, so that no class contains two unequal values that must not tie.

    Two unequal values must not tie if they have the same source, or if one value has exactly one source and the other
    value has no source. Members are in descending order of their values. `run_start` marks each value that differs from
    the value before. `source`, of shape (n_members,), contains what `sole_source` of :func:`rank_scores` returns. A
    class ends before the first value that must not tie with a value in the class. All pairs of members are checked, so
    the order of members with equal values has no effect. Returns a mask of shape (n_members,), True where a class
    starts.
    """
    heads = np.flatnonzero(run_start)
    run = np.cumsum(run_start) - 1
    class_start, place = class_start.copy(), np.arange(len(heads))

    def latest_before(member):
        """For each tie group, return the nearest earlier group that contains a marked member, or -1 if there is none.

        A tie group consists of neighbours with equal values, and `member` marks members. Also returns a mask of the
        groups that contain a marked member.
        """
        has = np.zeros(len(heads), dtype=bool)
        has[run[member]] = True
        return np.append(-1, np.maximum.accumulate(np.where(has, place, -1))[:-1]), has

    silent, is_silent = latest_before(source == -2)
    known, is_known = latest_before(source != -1)
    # For each run of equal values, the latest earlier run that must be in another class.
    apart = np.maximum(np.where(is_known, silent, -1), np.where(is_silent, known, -1))
    sole = np.flatnonzero(source >= 0)
    sole = sole[np.argsort(source[sole], kind="stable")]
    same = (source[sole[1:]] == source[sole[:-1]]) & (run[sole[1:]] != run[sole[:-1]])
    np.maximum.at(apart, run[sole[1:][same]], run[sole[:-1][same]])
    first = 0
    starts = class_start[heads]
    for k in np.flatnonzero(starts | (apart >= 0)).tolist():
        if starts[k]:
            first = k
        elif apart[k] >= first:
            first = k
            class_start[heads[k]] = True
    return class_start
