"""Measure the voters themselves: the scores that a consensus has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Unpack

import numpy as np
import pandas as pd

from ..._arrays._ragged import gather_ranges
from ..._data._conflicts import describe_conflict
from ..._data._frames import plain_index
from ..._data._qrels import check_qrels
from ..._data._ranked_lists import check_lists
from ..._data._types import AnyLists, AnyQrels
from .._relevance._measure import check_conventions
from .._relevance._ranked_relevance import RankedRelevance, RelevanceList
from .._relevance._registry import Measure, get_measures
from ._conventions import Conventions

__all__ = ["evaluate_voters"]


def evaluate_voters(
    lists: AnyLists,
    qrels: AnyQrels,
    metrics: str | Measure | Sequence[str | Measure] = ("map", "p@10", "ndcg@10"),
    *,
    missing: Literal["skip", "zero"] = "skip",
    **conventions: Unpack[Conventions],
) -> pd.DataFrame:
    """Measure each voter's own lists against relevance judgements.

    Parameters
    ----------
    lists : DataFrame or RankedLists
        Ranked lists.
    qrels : DataFrame or Qrels
        Judgements.
    metrics : str, Measure or sequence of these, default=("map", "p@10", "ndcg@10")
        Names of measures, see :func:`~skrankagg.metrics.measure_names`.
    missing : {"skip", "zero"}, default="skip"
        What a judged query of the lists for which a voter has no list counts: nothing, or as an empty list.
    **conventions
        Conventions of the measures, as in :func:`~skrankagg.metrics.evaluate`.

    Returns
    -------
    pandas.DataFrame of shape (n_judged_voters, n_metrics + 1)
        Indexed by `voter`: each measure (the mean, of counts the sum) over the judged queries for which the voter has a
        list, and `n_queries`, their number; voters without one are left out. With ``missing="zero"`` over all judged
        queries of the lists, for every voter.

    See Also
    --------
    skrankagg.model_selection.Comparator : The same for methods.

    Notes
    -----
    A voter's list holds fewer items than a consensus does, so its recall has a lower ceiling.

    Voters with lists for different queries have means over different queries: one that has answered a single easy query
    may come first. With ``missing="zero"`` all means are over the same queries, and can be compared with each other and
    with those of a consensus or of a :class:`~skrankagg.Comparator`. The default rates the lists that a voter
    gives, however few they are.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.metrics import evaluate_voters
    >>> lists = pd.DataFrame({"query": "q", "voter": list("uuv"), "item": list("aba"), "rank": [1, 2, 1]})
    >>> qrels = pd.DataFrame({"query": "q", "item": ["a", "b"], "relevance": [0, 1]})
    >>> evaluate_voters(lists, qrels, "map")
           map  n_queries
    voter
    u      0.5          1
    v      0.0          1

    The second voter answers one of two queries:

    >>> lists = pd.DataFrame({"query": list("pqq"), "voter": list("uuv"), "item": list("aab"), "rank": 1})
    >>> qrels = pd.DataFrame({"query": list("pq"), "item": list("ab"), "relevance": 1})
    >>> evaluate_voters(lists, qrels, "map")
           map  n_queries
    voter
    u      0.5          2
    v      1.0          1
    >>> evaluate_voters(lists, qrels, "map", missing="zero")
           map  n_queries
    voter
    u      0.5          2
    v      0.5          2
    """
    check_conventions({"missing": missing})
    lists = check_lists(lists)
    encoded = check_qrels(qrels).encode(lists)
    measures = get_measures(metrics, **conventions)
    all_judged = np.flatnonzero(encoded.judged)
    rows = {}
    for voter in range(lists.n_voters):
        own = np.flatnonzero(lists.list_voter == voter)
        own = own[encoded.judged[lists.list_query[own]]]
        queries = all_judged if missing == "zero" else lists.list_query[own]
        if len(queries) == 0:
            continue
        length = np.zeros(lists.n_queries, dtype=np.int64)
        length[lists.list_query[own]] = lists.list_length[own]
        places, _ = gather_ranges(lists.row_ptr, own)
        grades, judged_ptr = gather_ranges(encoded.judged_ptr, queries)
        ranked = RankedRelevance(
            encoded.relevance[lists.candidate[places]],
            np.concatenate([[0], np.cumsum(length[queries])]),
            RelevanceList(encoded.best_first[grades], judged_ptr),
            score=lists.score[places] if lists.has_scores else None,
            rank=lists.rank[places],
            item=(lists.candidate_item[lists.candidate[places]], lists.items),
            conflict=describe_conflict(lists, np.isin(np.arange(lists.n_lists), own)),
        )
        rows[voter] = [*(measure.summarize(measure(ranked)) for measure in measures.values()), len(queries)]
    index = plain_index(lists.voters)[list(rows)].rename("voter")
    return pd.DataFrame(list(rows.values()), index=index, columns=[*measures, "n_queries"])
