"""PyFLAGR's table of measures, with a row for each query and a row for all queries."""

import numpy as np
import pandas as pd

from ...metrics import get_measure
from ...metrics._relevance._ranked_relevance import RankedRelevance, RelevanceList

_COUNTS = ["num_ret", "num_rel", "num_rel_ret"]


def evaluate_run(profile, encoded, run, eval_pts, quirks):
    """Compute PyFLAGR's table of measures for aggregated lists.

    Parameters
    ----------
    profile : Profile
    encoded : EncodedQrels
    run : Run
        The aggregated lists.
    eval_pts : int
        Largest cutoff.
    quirks : frozenset of str

    Returns
    -------
    DataFrame of shape (n_queries + 1, 5 + 4 * eval_pts)
        The measures. The values of queries without judgements are 0.
    """
    judged = RelevanceList(encoded.best_first, encoded.judged_ptr)
    grade = np.nan_to_num(encoded.relevance[run.candidate])
    found = np.where(run.score > 0, grade, 0.0) if "eval.positive_only" in quirks else grade
    hits = RankedRelevance(found, run.ptr, judged)
    gains = RankedRelevance(grade, run.ptr, judged)
    ideal = "retrieved" if "eval.idcg_retrieved" in quirks else "judged"
    length = np.diff(run.ptr)
    counts = [length, *(get_measure(name)._values(hits) for name in _COUNTS[1:])]
    counts = np.stack(counts, axis=1).astype(np.int64)
    cutoffs = range(1, eval_pts + 1)
    tables = {
        "P": [get_measure(f"p@{k}")._values(hits) for k in cutoffs],
        "recall": [get_measure(f"recall@{k}")._values(hits) for k in cutoffs],
        "dcg_cut": [get_measure(f"dcg@{k}")._values(gains) for k in cutoffs],
        "ndcg_cut": [get_measure(f"ndcg@{k}", ideal=ideal)._values(gains) for k in cutoffs],
    }
    values = np.concatenate([np.stack(table, axis=1) for table in tables.values()], axis=1)
    if "eval.zero_past_end" in quirks:
        values[np.tile(length[:, None] < np.array(cutoffs), len(tables))] = 0.0
    values = np.concatenate([get_measure("map")._values(hits)[:, None], values], axis=1)
    values = np.concatenate([values, values.mean(axis=0, keepdims=True)])
    if "six_decimals" in quirks:
        values = np.round(values, 6)
    names = ["map", *(f"{name}_{k}" for name in tables for k in cutoffs)]
    parts = [
        pd.DataFrame({"q": [*(f"Topic {name}" for name in profile.queries), "all"]}),
        pd.DataFrame(np.concatenate([counts, counts.sum(axis=0, keepdims=True)]), columns=_COUNTS),
        pd.DataFrame(values, columns=names),
    ]
    return pd.concat(parts, axis=1)
