"""Times of measures, compared with pytrec_eval (in C), and times of Kendall's distances between many lists.

Run it from anywhere as `python benchmarks/evaluation.py [small|large|kendall]`; pytrec-eval-terrier comes with
the extra `test`. The dicts for pytrec_eval are built beforehand, and its judgements are parsed beforehand.

- small: five measures of 1000 queries x 100 items
- large: five measures of 1000 queries x 1000 items
- kendall: distances of all pairs of 200 lists x 1000 items
"""

import argparse
import importlib.util

import numpy as np
import pandas as pd
from _measure import best_time, table

from skrankagg import Qrels, RankedLists, evaluate
from skrankagg.metrics import agreement_matrix

MEASURES = {"map": "map", "ndcg_cut_10": "ndcg@10", "P_10": "p@10", "recall_100": "recall@100", "recip_rank": "mrr"}


def run_and_qrels(n_queries, n_items):
    """Generate a run with distinct scores, and grades for a fifth of its items and for as many random items."""
    rng = np.random.default_rng(0)
    pool = np.array([f"doc{k:06d}" for k in range(5 * n_items)])
    query = np.repeat([f"q{k:04d}" for k in range(n_queries)], n_items)
    items = np.concatenate([rng.choice(pool, n_items, replace=False) for _ in range(n_queries)])
    score = np.tile(np.arange(n_items, 0, -1) / 4, n_queries)  # the same in float32, which pytrec_eval rounds to
    run = pd.DataFrame({"query": query, "item": items, "score": score})
    judged = run.groupby("query").sample(frac=0.2, random_state=0)[["query", "item"]]
    others = pd.DataFrame(
        {
            "query": np.repeat([f"q{k:04d}" for k in range(n_queries)], n_items // 5),
            "item": np.concatenate([rng.choice(pool, n_items // 5, replace=False) for _ in range(n_queries)]),
        }
    )
    qrels = pd.concat([judged, others]).drop_duplicates(ignore_index=True)
    return run, qrels.assign(relevance=rng.integers(0, 4, len(qrels)))


def as_dicts(frame, column, kind):
    """Build the dicts that pytrec_eval needs."""
    return {
        query: dict(zip(rows["item"], rows[column].map(kind), strict=True)) for query, rows in frame.groupby("query")
    }


def compare(n_queries, n_items, repeat):
    """Print the times of this library and of pytrec_eval."""
    seconds = measure(n_queries, n_items, lambda function: best_time(function, repeat))
    base = seconds["pytrec_eval, from dicts"]
    print(f"five measures, {n_queries} queries x {n_items} items")
    rows = []
    for name, one in seconds.items():
        ratio = f"{base / one:.1f}x" if base and one else "-"
        rows.append([name, f"{1e3 * one:.1f}" if one else "not installed", ratio])
    table(rows, ["", "ms", "faster by"])


def measure(n_queries, n_items, timed):
    """Time each way to compute five measures by the function `timed`; check that all values are equal.

    Without pytrec_eval, its times are None.
    """
    run, qrels = run_and_qrels(n_queries, n_items)
    names = list(MEASURES.values())
    options = {"gain": "linear", "per_query": True}
    dicts = as_dicts(run, "score", float)
    found = {"pytrec_eval, from dicts": None, "pytrec_eval, from frames": None}
    if importlib.util.find_spec("pytrec_eval"):
        found = _measure_pytrec_eval(run, qrels, dicts, timed, evaluate(run, qrels, names, **options))
    encoded, judged = RankedLists.from_frame(run), Qrels.from_frame(qrels)
    categories = run.astype({"query": "category", "item": "category"})
    return found | {
        "skrankagg, from dicts": timed(lambda: evaluate({"run": dicts}, judged, names, **options)),
        "skrankagg, from frames": timed(lambda: evaluate(run, qrels, names, **options)),
        "skrankagg, from a frame and Qrels": timed(lambda: evaluate(run, judged, names, **options)),
        "skrankagg, from categories and Qrels": timed(lambda: evaluate(categories, judged, names, **options)),
        "skrankagg, from codes": timed(lambda: evaluate(encoded, judged, names, **options)),
    }


def _measure_pytrec_eval(run, qrels, dicts, timed, ours):
    """Time pytrec_eval, and check that its values are equal to ours."""
    import pytrec_eval

    evaluator = pytrec_eval.RelevanceEvaluator(
        as_dicts(qrels, "relevance", int),
        {name.replace("cut_", "cut.").replace("P_", "P.").replace("recall_", "recall.") for name in MEASURES},
    )
    theirs = evaluator.evaluate(dicts)
    for theirs_name, name in MEASURES.items():
        np.testing.assert_allclose(ours[name], [theirs[query][theirs_name] for query in ours.index], rtol=1e-12)
    return {
        "pytrec_eval, from dicts": timed(lambda: evaluator.evaluate(dicts)),
        "pytrec_eval, from frames": timed(
            lambda: pytrec_eval.RelevanceEvaluator(as_dicts(qrels, "relevance", int), {*MEASURES}).evaluate(
                as_dicts(run, "score", float)
            )
        ),
    }


def kendall(repeat):
    """Print the times of matrices of distances between all lists."""
    rng = np.random.default_rng(0)
    lists = pd.DataFrame(
        {
            "query": "q",
            "voter": np.repeat(np.arange(200), 1000),
            "item": np.concatenate([rng.permutation(1000) for _ in range(200)]),
            "rank": np.tile(np.arange(1, 1001), 200),
        }
    )
    half = RankedLists.from_frame(lists[lists["rank"] <= 500])
    lists = RankedLists.from_frame(lists)
    rows = [
        [f"{name}, {kind}", f"{best_time(lambda d=data, m=name: agreement_matrix(d, m), repeat):.2f}"]
        for kind, data in (("full lists", lists), ("upper halves", half))
        for name in ("kendall-distance", "tau-b", "spearman")
        if (name, kind) != ("spearman", "upper halves")
    ]
    print("all pairs of 200 lists x 1000 items")
    table(rows, ["", "s"])


def main():
    """Run the requested part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("small", "large", "kendall"), nargs="?", default="small")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--queries", type=int, default=1000)
    arguments = parser.parse_args()
    if arguments.part == "kendall":
        kendall(arguments.repeat)
    else:
        compare(arguments.queries, 100 if arguments.part == "small" else 1000, arguments.repeat)


if __name__ == "__main__":
    main()
