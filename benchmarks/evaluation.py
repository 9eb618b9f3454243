"""Times of measures, compared with pytrec_eval (in C), and times of Kendall's distances between many lists.

Run it from anywhere as `python benchmarks/evaluation.py [small|large|dicts|many|kendall]`; pytrec-eval-terrier comes
with the extra `test`. The dicts for pytrec_eval are built beforehand, and its judgements are parsed beforehand.

- small: five measures of 1000 queries x 100 items
- large: five measures of 1000 queries x 1000 items
- dicts: five measures, given dicts, of 10 queries x 100, 50 queries x 1000 and 500 queries x 1000 items; CPU times of
  calls in turns
- many: 31 measures, and the curve of precision at eleven recalls, of 1000 queries x 100 items; CPU times of calls in
  turns
- kendall: distances of all pairs of 200 lists x 1000 items
"""

import argparse
import importlib.util
import random
import time

import numpy as np
import pandas as pd
from _measure import best_time, table

from skrankagg import Qrels, RankedLists, evaluate
from skrankagg.metrics import agreement_matrix

RECALLS = [f"iprec@{k / 10:g}" for k in range(11)]
COUNTS = ["num_ret", "num_rel", "num_rel_ret", "map", "gmap", "rprec", "bpref", "mrr", "11pt", "ndcg", "infap"]
MANY = [*COUNTS, *RECALLS, *(f"p@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000))]
THEIR_MANY = {"num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "11pt_avg", "ndcg"}
THEIR_MANY |= {"infAP", "iprec_at_recall", "P"}
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
    their_qrels = as_dicts(qrels, "relevance", int)
    categories = run.astype({"query": "category", "item": "category"})
    return found | {
        "skrankagg, from dicts": timed(lambda: evaluate({"run": dicts}, their_qrels, names, **options)),
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


def in_turns(calls, repeat):
    """Return the least CPU time of each call; the calls are made in turns."""
    times = dict.fromkeys(calls, float("inf"))
    for _ in range(repeat):
        for name, call in calls.items():
            start = time.process_time()
            call()
            times[name] = min(times[name], time.process_time() - start)
    return times


def make_dicts(n_queries, n_items, order):
    """Generate dicts of a run and of judgements; the items of a query are in descending or in random order."""
    rng = random.Random(0)
    pool = [f"doc{k:06d}" for k in range(5 * n_items)]
    run, qrels = {}, {}
    for q in range(n_queries):
        items = rng.sample(pool, n_items)
        scored = [(item, (n_items - k) / 4) for k, item in enumerate(items)]
        if order == "random":
            rng.shuffle(scored)
        run[f"q{q:04d}"] = dict(scored)
        judged = [*rng.sample(items, n_items // 5), *rng.sample(pool, n_items // 5)]
        qrels[f"q{q:04d}"] = {item: rng.randrange(4) for item in judged}
    return run, qrels


def dicts(repeat):
    """Print the CPU times of five measures given dicts."""
    import pytrec_eval

    theirs = {name.replace("cut_", "cut.").replace("P_", "P.").replace("recall_", "recall.") for name in MEASURES}
    rows = []
    for n_queries, n_items, times in ((10, 100, 100), (50, 1000, 10), (500, 1000, 1)):
        for order in ("descending", "random"):
            run, qrels = make_dicts(n_queries, n_items, order)
            parsed = pytrec_eval.RelevanceEvaluator(qrels, theirs)
            calls = {
                "pytrec_eval": lambda e=parsed, r=run: e.evaluate(r),
                "and judgements": lambda r=run, q=qrels: pytrec_eval.RelevanceEvaluator(q, theirs).evaluate(r),
                "each query": lambda r=run, q=qrels: evaluate(
                    {"run": r}, q, list(MEASURES.values()), gain="linear", per_query=True
                ),
                "means": lambda r=run, q=qrels: evaluate({"run": r}, q, list(MEASURES.values()), gain="linear"),
            }
            found = in_turns(calls, repeat * times)
            ours = found["each query"]
            rows.append(
                [f"{n_queries} x {n_items}, {order}"]
                + [f"{1e3 * one:.2f}" for one in found.values()]
                + [f"{found['pytrec_eval'] / ours:.2f}x", f"{found['and judgements'] / ours:.2f}x"]
            )
    print("five measures given dicts, ms of CPU time; faster than pytrec_eval, without and with parsing of judgements")
    table(rows, ["queries x items", "pytrec_eval", "and judgements", "each query", "means", "without", "with"])


def many(repeat, n_queries=1000):
    """Print the CPU times of 31 measures and of the curve of precision at eleven recalls."""
    run, qrels = run_and_qrels(n_queries, 100)
    their_run, their_qrels = as_dicts(run, "score", float), as_dicts(qrels, "relevance", int)
    encoded, judged = RankedLists.from_frame(run), Qrels.from_frame(qrels)
    calls = dict.fromkeys(("31 measures, pytrec_eval, from dicts", "curve, pytrec_eval, from dicts"))
    if importlib.util.find_spec("pytrec_eval"):
        import pytrec_eval

        for name, measures in zip(calls, (THEIR_MANY, {"iprec_at_recall"}), strict=True):
            parsed = pytrec_eval.RelevanceEvaluator(their_qrels, measures)
            calls[name] = lambda parsed=parsed: parsed.evaluate(their_run)
    options = {"gain": "linear", "rounding": "up", "per_query": True}
    calls |= {
        "31 measures, skrankagg, from dicts": lambda: evaluate({"run": their_run}, their_qrels, MANY, **options),
        "31 measures, skrankagg, from frames": lambda: evaluate(run, qrels, MANY, **options),
        "31 measures, skrankagg, from codes": lambda: evaluate(encoded, judged, MANY, **options),
        "curve, skrankagg, from codes": lambda: evaluate(encoded, judged, RECALLS, **options),
    }
    found = in_turns({name: call for name, call in calls.items() if call}, 4 * repeat)
    rows = []
    for name in calls:
        theirs = found.get(name.partition(",")[0] + ", pytrec_eval, from dicts")
        if name in found:
            ratio = f"{theirs / found[name]:.1f}x" if theirs else "-"
            rows.append([name, f"{1e3 * found[name]:.1f}", ratio])
        else:
            rows.append([name, "not installed", "-"])
    print(f"{n_queries} queries x 100 items, CPU time")
    table(rows, ["", "ms", "faster by"])


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
    parser.add_argument("part", choices=("small", "large", "dicts", "many", "kendall"), nargs="?", default="small")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--queries", type=int, default=1000)
    arguments = parser.parse_args()
    parts = {"dicts": dicts, "kendall": kendall}
    if arguments.part == "many":
        many(arguments.repeat, arguments.queries)
    elif arguments.part in parts:
        parts[arguments.part](arguments.repeat)
    else:
        compare(arguments.queries, 100 if arguments.part == "small" else 1000, arguments.repeat)


if __name__ == "__main__":
    main()
