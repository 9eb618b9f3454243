"""Results of an aggregation: the value of a hook, and its published order, which rounding never decides."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._arrays import TOLERANCE
from .._arrays._places import class_starts
from .._arrays._plain_ids import best_first
from .._arrays._ragged import expand, group_order, positions, sparse_rows, starts_to_ptr
from .._data._frames import frame_of, take_ids
from .._data._ranked_lists import RankedLists

__all__ = ["Consensus"]


@dataclass
class Consensus:
    """Result of a method that is more than a score for each candidate.

    A method with nothing to add returns the array of scores.

    Parameters
    ----------
    score : ndarray of shape (n_candidates,), dtype=float64
        Consensus score of each candidate, higher is better.
    columns : dict of str to ndarray of shape (n_candidates,), optional
        More columns of the result, named in the attribute ``_result_columns``.
    queries : dict of str to ndarray of shape (n_queries,), optional
        Information about each query, named in the class attribute ``_query_columns``.
    scale : ndarray of shape (n_candidates,), dtype=float64, optional
        Size of the terms that were added up for each score, which rounding depends on. Scores of a query tie if they
        differ by less than 1e-12 of its largest scale. None takes the largest absolute score; a method whose terms may
        cancel states it.
    additive : bool, default=False
        Whether a score is a sum over the lists that contain the item, each adding its own value for the item. Then two
        items that only one list contains, the same list, never tie if their scores differ, because nothing was added
        up. This holds even if other items have scores between them.

    See Also
    --------
    BaseAggregator : Accepts it from ``_aggregate``.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg.base import BaseAggregator, Consensus
    >>> class Popularity(BaseAggregator):
    ...     '''Rank items by the weight of the lists that contain them, and show their best rank.'''
    ...     _result_columns = ("best",)
    ...     def _aggregate(self, lists):
    ...         best = np.full(lists.n_candidates, np.inf)
    ...         np.minimum.at(best, lists.candidate, lists.rank)
    ...         return Consensus(lists.candidate_weight, columns={"best": best})
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 2]})
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
    """Shares of the lists in the scores, for methods whose scores are sums over lists.

    The shares of an item add up to its score, within rounding.

    Parameters
    ----------
    held : ndarray of shape (n_rows,), dtype=float64
        Share of each row in the score of its candidate, the weight of its list included.
    absent : ndarray of shape (n_lists,), dtype=float64, or None
        Share of each list in the scores of the items that are absent from it; None stands for 0.
    factor : ndarray of shape (n_candidates,), dtype=float64, or None
        Factor of all shares of a candidate, as in CombMNZ; None stands for 1.
    """

    held: NDArray[np.float64]
    absent: NDArray[np.float64] | None = None
    factor: NDArray[np.float64] | None = None


@dataclass
class EncodedConsensus:
    """A consensus in its published order, still encoded.

    Measures read its codes; a frame is built on request.

    Parameters
    ----------
    lists : RankedLists
        The aggregated lists.
    order : ndarray of shape (n_candidates,), dtype=int64
        Candidates, query by query, best first.
    score : ndarray of shape (n_candidates,), dtype=float64
        Scores of the candidates in this order, with one score for each tie class.
    columns : dict of str to ndarray of shape (n_candidates,)
        More columns, in this order.
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

    def to_frame(self):
        """Write the consensus as a frame with columns `query`, `item`, `score`, `rank` and the method's own."""
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

    def info_frame(self):
        """Write the information about each query as a frame with one row per query."""
        return pd.DataFrame({"query": self.lists.queries, **self.queries})


def order_candidates(lists, score, scale=None, additive=False, tiebreak=None):
    """Order the candidates of each query by score, then by the weight of the lists with the item, then by item.

    Scores (n_candidates,) are higher-is-better and not NaN. The arguments `scale` and `additive` are as in
    :class:`Consensus`; a higher `tiebreak` (n_candidates,) comes first, before the weight decides.
    Returns the candidates, query by query, best first, and their scores in this order. Neighbours closer than 1e-12
    times the query's largest scale form one tie class and share one score, the highest of the class. The two items here
    tie, and more lists contain the second one:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.base._consensus import order_candidates
    >>> frame = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> order_candidates(RankedLists.from_frame(frame), np.array([1.0, 1.0]))
    (array([1, 0]), array([1., 1.]))
    """
    total = lists.sum_over_lists(lists.list_weight)
    sole_source = (lambda: _sole_lists(lists)) if additive else None
    return rank_scores(lists.candidate_ptr, score, lists.candidate_weight, total, scale, sole_source, tiebreak)


def best_items(lists, ids, consensus, top=None):
    """Order the items of one query as :func:`order_candidates` does; return a list of (id, score), best first.

    `ids` are the candidates' ids, in any order; `top` is the number of items to return, None for all.
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
    """For each candidate, find the only list of positive weight that contains it; -1 means several, -2 means none."""
    rows = np.flatnonzero(lists.list_weight[lists.row_list] > 0)
    sole = np.full(lists.n_candidates, -2)
    sole[lists.candidate[rows]] = lists.row_list[rows]
    sole[np.bincount(lists.candidate[rows], minlength=lists.n_candidates) > 1] = -1
    return sole


def sole_lists_again(lists):
    """Return a function that computes `_sole_lists` from list weights, as (n_candidates, n_replicates)."""
    holds = sparse_rows(lists.row_ptr, lists.candidate, np.ones(lists.n_rows), lists.n_candidates).T
    number = np.arange(lists.n_lists)[:, None]

    def sole(weights):
        counted = (weights > 0).astype(np.float64)
        n, which = holds @ counted, holds @ (counted * number)
        return np.where(n == 1, which, np.where(n == 0, -2, -1)).astype(np.int64)

    return sole


def _chains(score, tolerance, source):
    """Number the items so that two neighbours in value have the same number if a class ends between them.

    Used as sources, these numbers keep neighbours of one source apart, and divide classes as `source` does.
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
    """Return minus the weighted sum of each candidate's ranks, in columns if the weights have columns.

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

    Groups are given by `ptr` (n_groups + 1,), and the order of their members decides last. `support` (n_members,)
    decides between equal scores (n_members,), and `total` (n_groups,) is its scale, for the tolerance. `scale`
    (n_members,) is the scale of the scores; None takes their absolute values. `tiebreak` (n_members,) decides before
    `support`.

    `sole_source` is called if unequal scores would tie. It gives the only source of each member's score, -1 for several
    and -2 for none. Unequal scores of one source, or of one source and none, never tie, nor do scores equal to these.

    Returns the members, group by group, best first, and their scores in this order, one for each tie class.
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
        # Each tie-breaker divides the classes that the one before has left.
        by_value = np.lexsort((-value[member], group))
        member, group = member[by_value], group[by_value]
        group = np.cumsum(class_starts(value[member], np.diff(group, prepend=-1) != 0, size[member_group[member]]))
    order[tied] = member[np.lexsort((member, group))]
    return order, score


def _tie_breakers(tiebreak, support, total, heads):
    """Yield the tie-breakers in order; each is an array of shape (n_members,), with the rounding size of each group."""
    if tiebreak is not None:
        yield tiebreak, np.maximum.reduceat(np.abs(tiebreak), heads)
    yield support, total


def _divide_classes(class_start, run_start, source):
    """Divide classes so that two unequal values of one source, or of one source and none, are never in one class.

    Members are in descending order; `run_start` marks each value that differs from the one before. `source`
    (n_members,) is as in :func:`rank_scores`. Classes grow from the top: one ends before the first value that it cannot
    include. Any two members can keep their values apart, so the order of equal values, by id, decides nothing.
    Returns where classes start, bool (n_members,).
    """
    heads = np.flatnonzero(run_start)
    run = np.cumsum(run_start) - 1
    class_start, place = class_start.copy(), np.arange(len(heads))

    def latest_before(member):
        """For each run, find the latest earlier run that has a marked member; -1 means that there is none."""
        has = np.zeros(len(heads), dtype=bool)
        has[run[member]] = True
        return np.append(-1, np.maximum.accumulate(np.where(has, place, -1))[:-1]), has

    silent, is_silent = latest_before(source == -2)
    known, is_known = latest_before(source != -1)
    # The latest earlier run that each run cannot share a class with.
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
