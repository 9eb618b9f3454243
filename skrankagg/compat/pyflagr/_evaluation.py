"""PyFLAGR's table of measures: a row for each query, and one for all of them."""

import numpy as np
import pandas as pd

from ...metrics import RankedRelevance, RelevanceList, average_precision, dcg, ndcg, num_rel, num_rel_ret
from ...metrics import precision as precision_at
from ...metrics import recall as recall_at

__all__ = ["evaluate_run"]

_COUNTS = ["num_ret", "num_rel", "num_rel_ret"]


def evaluate_run(profile, encoded, run, eval_pts, quirks):
    """Measure aggregate lists.

    Parameters
    ----------
    profile : Profile
    encoded : EncodedQrels
    run : Run
        Aggregate lists.
    eval_pts : int
        Largest cutoff.
    quirks : frozenset of str

    Returns
    -------
    DataFrame of shape (n_queries + 1, 5 + 4 * eval_pts)
        Queries without judgements count, with 0.
    """
    judged = RelevanceList(encoded.best_first, encoded.judged_ptr)
    grade = np.nan_to_num(encoded.relevance[run.pair])
    found = np.where(run.score > 0, grade, 0.0) if "eval.positive_only" in quirks else grade
    hits = RankedRelevance(found, run.ptr, judged)
    gains = RankedRelevance(grade, run.ptr, judged)
    ideal = "retrieved" if "eval.idcg_retrieved" in quirks else "judged"
    length = np.diff(run.ptr)
    columns = {
        "num_ret": length,
        "num_rel": num_rel(hits).astype(np.int64),
        "num_rel_ret": num_rel_ret(hits).astype(np.int64),
        "map": average_precision(hits),
    }
    cutoffs = range(1, eval_pts + 1)
    measures = {
        "P": lambda k: precision_at(hits, k),
        "recall": lambda k: recall_at(hits, k),
        "dcg_cut": lambda k: dcg(gains, k),
        "ndcg_cut": lambda k: ndcg(gains, k, ideal=ideal),
    }
    for name, measure in measures.items():
        for k in cutoffs:
            value = measure(k)
            columns[f"{name}_{k}"] = np.where(length >= k, value, 0.0) if "eval.zero_past_end" in quirks else value
    whole = {name: value.sum() if name in _COUNTS else value.mean() for name, value in columns.items()}
    table = {"q": [*(f"Topic {name}" for name in profile.queries), "all"]}
    for name, value in columns.items():
        column = np.append(value, whole[name])
        table[name] = np.round(column, 6) if "six_decimals" in quirks and name not in _COUNTS else column
    return pd.DataFrame(table)
