"""Random runs with judgements, and their measures by pytrec_eval."""

import re

import numpy as np
import pandas as pd
import pytest


def random_judged_runs(seed, n_queries=30, n_scores=12):
    """Draw a run with many ties, and graded and negative judgements; some queries lack results or relevant items."""
    rng = np.random.default_rng(seed)
    run, qrels = [], []
    for q in range(n_queries):
        pool = rng.permutation(120)
        if q % 7:
            items = pool[: rng.integers(1, 110)]
            scores = rng.integers(0, n_scores, len(items)) / 8  # exact in float32
            run.append(pd.DataFrame({"query": f"q{q}", "item": items, "score": scores}))
        judged = rng.permutation(120)[: rng.integers(1, 90)]
        grades = rng.integers(-2 if q % 3 else 0, 4, len(judged)) * (q % 5 > 0)
        qrels.append(pd.DataFrame({"query": f"q{q}", "item": judged, "relevance": grades}))
    run, qrels = pd.concat(run, ignore_index=True), pd.concat(qrels, ignore_index=True)
    return run.assign(item="d" + run["item"].astype(str)), qrels.assign(item="d" + qrels["item"].astype(str))


def nested(frame, column, kind=float):
    return {
        query: dict(zip(rows["item"], rows[column].map(kind), strict=True)) for query, rows in frame.groupby("query")
    }


def pytrec(run, qrels, names, **options):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    asked = {re.sub(r"_(\d+(\.\d+)?)$", r".\1", name) if not name.startswith("11") else name for name in names}
    evaluator = pytrec_eval.RelevanceEvaluator(nested(qrels, "relevance", int), asked, **options)
    return pd.DataFrame.from_dict(evaluator.evaluate(nested(run, "score")), orient="index")
