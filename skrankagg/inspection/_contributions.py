"""Exact contribution of each list to the score of each item."""

from __future__ import annotations

import numpy as np
import pandas as pd

from .._arrays._ragged import expand, gather_ranges, sort_codes
from .._data._frames import frame_of, take_ids
from .._data._types import PlainLists
from .._support._memory import check_memory
from ..base import BaseAggregator
from ..exceptions import InputError
from ._arguments import begin

__all__ = ["voter_contributions"]

# Bytes per row of the result at the memory peak: two codes, an order, a share, and the four columns.
_ROW_BYTES = 72


def voter_contributions(aggregator: BaseAggregator, lists: PlainLists) -> pd.DataFrame:
    r"""Split the score of each item into contributions of the lists, for methods whose scores are sums over the lists.

    Parameters
    ----------
    aggregator : aggregator
        A method whose scores are sums, see Notes. If the method learns from judgements or by ``weighting="global"``,
        fit it first; it is not fitted again. Other methods need no fit.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists, as for ``aggregator.transform``.

    Returns
    -------
    DataFrame of shape (n_shares, 4)
        Columns `query`, `voter`, `item` and `contribution`, float64 in the unit of the score. There is a row for each
        item of a list. If the method gives points to the items absent from a list, there is also a row for each absent
        item. The rows are sorted by query, then by the item's rank in the consensus, then by voter. The contributions
        to an item add up to its score.

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator; pipelines are not accepted.
    ValueError
        If the method's scores are not sums over the lists, or the method cannot aggregate the lists.
    sklearn.exceptions.NotFittedError
        If the method requires a fit and is not fitted.
    MemoryError
        If the rows do not fit into memory.

    See Also
    --------
    voter_influence : Changes of the consensus when a list is left out, for any method.
    skrankagg.fuse : With ``explain=True`` returns the contributions of one query as plain Python objects.

    Notes
    -----
    A contribution includes the weight of the list. This weight is the list's own weight, times the aggregator's
    `voter_weights`, times any weight that the method learns. :class:`~skrankagg.aggregators.DIBRA`,
    :class:`~skrankagg.aggregators.PreferenceRelations` and :class:`~skrankagg.aggregators.LearnedWeights` learn
    weights. The contributions add up to the score, within a rounding error of :math:`10^{-12}` of the size of the
    terms.

    The scores of three groups of methods are sums over the lists:

    - :class:`~skrankagg.aggregators.CombSUM`, :class:`~skrankagg.aggregators.ReciprocalRankFusion` and the other sums
      of scores, points and reciprocal ranks;
    - :class:`~skrankagg.aggregators.ProbFuse` and related methods;
    - :class:`~skrankagg.aggregators.RankStatistic` with ``statistic="mean"``, or with ``statistic="geometric-mean"``,
      whose score is computed from logarithms.

    Some scores are a sum times a factor that depends on all lists. :class:`~skrankagg.aggregators.CombMNZ` multiplies
    by the number of lists that contain the item. Methods that compute means divide by this number. Each contribution is
    then multiplied by this factor; for CombMNZ it is :math:`h(i) \, w_v s_v(i)`. A contribution is a share of the
    current score. It is not the amount by which the score would decrease without the list.

    A negative contribution lowers the score, for example a "z-score" value below the mean. One kind of score does not
    come from any list. With ``absent="ignore"``, :class:`~skrankagg.aggregators.RankStatistic` gives the worst score to
    an item that occurs only in lists of weight 0, if other items occur in lists of positive weight. All contributions
    to such an item are 0.

    Scores of other methods, such as :class:`~skrankagg.aggregators.Copeland`, cannot be divided exactly among the
    lists.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import BordaCount
    >>> from skrankagg.inspection import voter_contributions
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": list("uuuvvw"), "item": list("abcbac"),
    ...     "rank": [1, 2, 3, 1, 2, 1]
    ... })
    >>> shares = voter_contributions(BordaCount(), lists)
    >>> shares.pivot(index="item", columns="voter",
    ...              values="contribution").assign(score=lambda table: table.sum(axis=1))
    voter    u    v    w  score
    item
    a      3.0  2.0  1.5    6.5
    b      2.0  3.0  1.5    6.5
    c      1.0  1.0  3.0    5.0
    """
    lists = begin(aggregator, lists)
    try:
        shares = aggregator._contributions(lists)
    except InputError as error:
        raise InputError(
            f"{error} Use voter_influence, which measures for every method how the consensus changes without a list."
        ) from None
    if shares.absent is None:
        _check_size(aggregator, lists.n_rows)
        candidate, row_list, share = lists.candidate, lists.row_list, shares.held
    else:
        n_lists = np.diff(lists.list_ptr)
        _check_size(aggregator, int(n_lists @ lists.query_n_items))
        # Each list gets a row for every candidate of its query. The list's own rows then overwrite the points for
        # absence.
        own, ptr = gather_ranges(lists.candidate_ptr, lists.list_query)
        candidate, row_list = own, expand(ptr)
        share = shares.absent[row_list].astype(np.float64)
        start = lists.candidate_ptr[lists.list_query]
        share[ptr[lists.row_list] + lists.candidate - start[lists.row_list]] = shares.held
    if shares.factor is not None:
        share = share * shares.factor[candidate]
    place = np.empty(lists.n_candidates, dtype=np.int64)
    place[aggregator._rank(lists).order] = np.arange(lists.n_candidates)
    # The rows of each candidate stay sorted by voter, because lists are sorted by query and voter.
    order, _ = sort_codes([place[candidate], row_list], [lists.n_candidates, lists.n_lists])
    candidate, row_list = candidate[order], row_list[order]
    return frame_of(
        {
            "query": take_ids(lists.queries, lists.list_query[row_list]),
            "voter": take_ids(lists.voters, lists.list_voter[row_list]),
            "item": take_ids(lists.items, lists.candidate_item[candidate]),
            "contribution": share[order],
        }
    )


def _check_size(aggregator, n_rows):
    def describe():
        advice = "take some of the queries, as lists[:10] does, or cut the lists with TopK"
        return f"voter_contributions({aggregator!r})", f"{n_rows} shares", advice

    check_memory(float(n_rows) * _ROW_BYTES, describe)
