"""Measure the voters themselves: what aggregating has to beat."""

import numpy as np
import pandas as pd

from .._conflicts import describe_conflict
from .._frames import plain_index
from .._grouped import gather_ranges
from .._lists import check_lists
from .._qrels import check_qrels
from ._registry import get_measure
from ._relevance import RankedRelevance, RelevanceList

__all__ = ["evaluate_voters"]


def evaluate_voters(lists, qrels, metrics=("map", "p@10", "ndcg@10"), **conventions):
    """Measure each voter's own lists against relevance judgements.

    Parameters
    ----------
    lists : DataFrame or RankedLists
        Ranked lists.
    qrels : DataFrame or Qrels
        Judgements.
    metrics : str or sequence of str, default=("map", "p@10", "ndcg@10")
        Names of measures, see :func:`~skrankagg.metrics.measure_names`.
    **conventions
        Conventions of the measures, as in :func:`~skrankagg.metrics.evaluate`.

    Returns
    -------
    pandas.DataFrame of shape (n_judged_voters, n_metrics + 1)
        Indexed by `voter`: each measure over the judged queries for which the voter has a list (the mean, of counts the
        sum), and `n_queries`, the number of queries for which it has one. Voters without a judged query are left out.

    See Also
    --------
    skrankagg.model_selection.Comparator : The same for methods.

    Notes
    -----
    A voter's list holds fewer items than a consensus does, so its recall has a lower ceiling. Voters with lists for
    different queries are not comparable: look at `n_queries`.

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
    """
    lists = check_lists(lists)
    encoded = check_qrels(qrels).encode(lists)
    names = [metrics] if isinstance(metrics, str) else list(metrics)
    measures = {name: get_measure(name, **conventions) for name in names}
    rows = {}
    for voter in range(lists.n_voters):
        own = np.flatnonzero(lists.list_voter == voter)
        judged = own[encoded.judged[lists.list_query[own]]]
        if len(judged) == 0:
            continue
        places, ptr = gather_ranges(lists.row_ptr, judged)
        grades, judged_ptr = gather_ranges(encoded.judged_ptr, lists.list_query[judged])
        ranked = RankedRelevance(
            encoded.relevance[lists.pair[places]],
            ptr,
            RelevanceList(encoded.best_first[grades], judged_ptr),
            score=lists.score[places] if lists.has_scores else None,
            rank=lists.rank[places],
            item=(lists.pair_item[lists.pair[places]], lists.items),
            conflict=describe_conflict(lists, np.isin(np.arange(lists.n_lists), judged)),
        )
        rows[voter] = [*(measure.summarize(measure(ranked)) for measure in measures.values()), len(own)]
    index = plain_index(lists.voters)[list(rows)].rename("voter")
    return pd.DataFrame(list(rows.values()), index=index, columns=[*names, "n_queries"])
