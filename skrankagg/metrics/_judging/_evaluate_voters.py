"""Evaluation of the voters' own lists, as a baseline for a consensus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from ..._arrays._ragged import gather_ranges, group_order
from ..._data._frames import plain_index
from ..._data._qrels import check_qrels, encode_qrels
from ..._data._ranked_lists import check_lists, encode_plain
from ..._data._types import AnyQrels, PlainLists
from .._relevance._conventions import Conventions, check_conventions
from .._relevance._inputs import GradedRun, check_order, find_fault
from .._relevance._ranked_relevance import RankedRelevance, RelevanceList
from .._relevance._registry import MeasureLike, get_measures, note_measures

__all__ = ["evaluate_voters"]


def evaluate_voters(
    lists: PlainLists,
    qrels: AnyQrels,
    metrics: MeasureLike | Sequence[MeasureLike] = ("map", "p@10", "ndcg@10"),
    *,
    missing_queries: Literal["skip", "zero"] = "skip",
    **conventions: Unpack[Conventions],
) -> pd.DataFrame:
    """Measure each voter's own lists against relevance judgements.

    Parameters
    ----------
    lists : DataFrame or RankedLists, or dict or list of lists
        Ranked lists; see RankedLists.from_runs for a dict and RankedLists.from_lists for a list.
    qrels : DataFrame, Qrels or dict
        Judgements.
    metrics : str, Measure, callable or sequence of these, default=("map", "p@10", "ndcg@10")
        Names of measures, see :func:`~skrankagg.metrics.measure_names`.
    missing_queries : {"skip", "zero"}, default="skip"
        Treatment of a judged query for which a voter has no list although other voters have lists. "skip" leaves the
        query out, and "zero" treats it as an empty list.
    **conventions
        Conventions of the measures, as in :func:`~skrankagg.metrics.evaluate`.

    Returns
    -------
    pandas.DataFrame of shape (n_judged_voters, n_metrics + 1)
        The rows are indexed by `voter`. The columns are the measures and `n_queries`, the number of judged queries for
        which the voter has a list. Each measure is averaged over these queries, or summed if it is a count. Voters
        without judged queries are left out. With ``missing_queries="zero"`` all judged queries of the lists are used
        for every voter.

    See Also
    --------
    evaluate : Measures each voter over all judged queries, in the same way as a run.
    skrankagg.model_selection.Comparator : Measures methods, and with ``with_voters=True`` also the voters.

    Notes
    -----
    Only the queries of the lists are measured, so judgements of other queries are ignored. :func:`evaluate` includes
    these queries as queries without results.

    A voter's list contains fewer items than a consensus, so a voter's highest possible recall is lower than the highest
    possible recall of a consensus.

    If voters have lists for different queries, their means are computed over different queries. A voter with a list for
    only one easy query may then come first. With ``missing_queries="zero"`` all means are over the same queries. These
    means can be compared with each other, with the means of a consensus and with the results of a
    :class:`~skrankagg.Comparator`. By default, a voter is measured only over the lists that the voter has, even if
    there are only a few lists.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import evaluate_voters
    >>> lists = pd.DataFrame({"query": "q", "voter": list("uuv"), "item": list("aba"),
    ...     "rank": [1, 2, 1]})
    >>> qrels = pd.DataFrame({"query": "q", "item": ["a", "b"], "relevance": [0, 1]})
    >>> evaluate_voters(lists, qrels, "map")
           map  n_queries
    voter
    u      0.5          1
    v      0.0          1

    The second voter has a list for only one of two queries:

    >>> lists = pd.DataFrame({"query": list("pqq"), "voter": list("uuv"),
    ...     "item": list("aab"), "rank": 1})
    >>> qrels = pd.DataFrame({"query": list("pq"), "item": list("ab"), "relevance": 1})
    >>> evaluate_voters(lists, qrels, "map")
           map  n_queries
    voter
    u      0.5          2
    v      1.0          1
    >>> evaluate_voters(lists, qrels, "map", missing_queries="zero")
           map  n_queries
    voter
    u      0.5          2
    v      0.5          2
    """
    check_conventions({"missing_queries": missing_queries})
    check_order("evaluate_voters", lists, qrels)
    lists, qrels = check_lists(encode_plain(lists)), check_qrels(qrels)
    encoded = encode_qrels(qrels, lists)
    measures = get_measures(metrics, **conventions)
    queries = plain_index(qrels.queries).get_indexer(plain_index(lists.queries))[encoded.judged]
    rows = {}
    for voter, graded in look_up_voters(lists, qrels, encoded.relevance, queries, missing_queries):
        if len(graded.queries):
            values = [measure.summarize(measure._values(graded.ranked)) for measure in measures.values()]
            rows[voter] = [*values, len(graded.queries)]
    voters = plain_index(lists.voters)
    index = voters[voters.isin(list(rows))].rename("voter")
    return note_measures(pd.DataFrame(list(rows.values()), index=index, columns=[*measures, "n_queries"]), measures)


def look_up_voters(lists, qrels, relevance, queries, missing_queries):
    """Look up the grades of each voter's lists, and yield them one voter at a time.

    Parameters
    ----------
    lists : RankedLists
    qrels : Qrels
    relevance : ndarray of shape (n_candidates,), dtype=float64
        Grade of each candidate of the lists.
    queries : ndarray of shape (n_chosen,), dtype=int
        Positions in `qrels` of the judged queries to evaluate.
    missing_queries : {"zero", "skip"} or None
        Treatment of queries for which a voter has no list; only "skip" leaves them out.

    Yields
    ------
    voter : object
        Id of the voter. Voters are in the order of ``lists.voters``.
    graded : GradedRun
    """
    query = plain_index(lists.queries).get_indexer(plain_index(qrels.queries)[queries])
    by_voter = group_order(lists.list_voter, lists.list_query)
    voter_ptr = np.searchsorted(lists.list_voter[by_voter], np.arange(lists.n_voters + 1))
    rows, judged_ptr = gather_ranges(qrels.ptr, queries)
    every = RelevanceList(qrels.best_first[rows], judged_ptr)
    for v, voter in enumerate(plain_index(lists.voters).tolist()):
        own = by_voter[voter_ptr[v] : voter_ptr[v + 1]]
        of_query = np.full(lists.n_queries + 1, -1)  # the last element is for queries without a list
        of_query[lists.list_query[own]] = own
        place, chosen, judged = of_query[query], queries, every
        if missing_queries == "skip":
            place, chosen = place[place >= 0], queries[place >= 0]
            rows, judged_ptr = gather_ranges(qrels.ptr, chosen)
            judged = RelevanceList(qrels.best_first[rows], judged_ptr)
        ranked = RankedRelevance.from_lists(lists, place, relevance, judged)
        fault = None
        if np.isnan(ranked.grade).all():
            rows, _ = gather_ranges(lists.row_ptr, own)
            items = lists.items[np.unique(lists.candidate_item[lists.candidate[rows]])]
            fault = find_fault(lists.queries[lists.list_query[own]], items, qrels)
        yield voter, GradedRun(ranked, pd.Index(qrels.queries[chosen], name="query"), fault)
