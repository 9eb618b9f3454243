"""Wall times of the library's `n_jobs`, and of scikit-learn's `GridSearchCV`, with one and with several workers.

Run it from anywhere as `python benchmarks/parallel.py [PART ...] [--n-jobs 2] [--repeat 3]`, on a machine without other
work. Runs with one and with several workers alternate, and the shortest time of each counts. The linear algebra uses
one thread, so that only `n_jobs` starts workers. "gain" is the time of one worker divided by the time of several.
"""

import argparse
import os
import time
import warnings

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

from _measure import table
from sklearn.model_selection import GridSearchCV

from skrankagg import (
    BordaCount,
    CombSUM,
    Comparator,
    Copeland,
    FootruleOptimal,
    HodgeRank,
    Kemeny,
    LearnedWeights,
    MarkovChain,
    Qrels,
    RankedLists,
    ReciprocalRankFusion,
    Schulze,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.inspection import rank_stability
from skrankagg.metrics import make_ranking_scorer
from skrankagg.model_selection import cross_val_consensus
from skrankagg.preprocessing import AggregatorUnion

LINEAR = [("sum", CombSUM()), ("rrf", ReciprocalRankFusion()), ("borda", BordaCount())]
PAIRS = [
    ("copeland", Copeland()),
    ("schulze", Schulze()),
    ("mc4", MarkovChain(absent="last")),
    ("mct", MarkovChain(chain="mct", absent="last")),
]
CUBIC = [("schulze", Schulze()), ("footrule", FootruleOptimal()), ("hodge", HodgeRank())]


def make_lists(n_queries, n_voters, n_items, length, **options):
    """Return encoded lists and their judgements."""
    sizes = {"n_queries": n_queries, "n_voters": n_voters, "n_items": n_items, "list_length": length}
    lists, qrels, _ = make_ranked_lists(**sizes, random_state=0, **options)
    return RankedLists.from_frame(lists), Qrels.from_frame(qrels)


def cases():
    """Yield the name of each case and a function of `n_jobs`."""
    many, judged = make_lists(1000, 10, 200, 100)
    wide, judged_wide = make_lists(20, 20, 600, 400)
    mixed = [*LINEAR, *PAIRS]
    yield (
        "Comparator, 3 linear methods, 1000 queries",
        lambda n: Comparator(LINEAR, qrels=judged, n_jobs=n, verbose=False).fit(many),
    )
    yield (
        "Comparator, 7 methods, 20 queries of 600 items",
        lambda n: Comparator(mixed, qrels=judged_wide, n_jobs=n, verbose=False).fit(wide),
    )
    yield (
        "Comparator, 3 cubic methods, 20 queries of 600 items",
        lambda n: Comparator(CUBIC, qrels=judged_wide, n_jobs=n, verbose=False).fit(wide),
    )
    yield "AggregatorUnion, 3 linear methods", lambda n: AggregatorUnion(LINEAR, n_jobs=n).fit_transform(many)
    yield "AggregatorUnion, 4 pairwise methods", lambda n: AggregatorUnion(PAIRS, n_jobs=n).fit_transform(wide)
    yield (
        "cross_val_consensus, LearnedWeights, 5 folds",
        lambda n: cross_val_consensus(LearnedWeights(), many, qrels=judged, n_jobs=n),
    )
    few, _ = make_lists(10, 40, 300, 100)
    for method, draws in ((ReciprocalRankFusion(), 200), (Copeland(), 200), (Schulze(), 20)):
        yield (
            f"rank_stability, {type(method).__name__}, {draws} draws",
            lambda n, one=method, d=draws: rank_stability(one, few, n_resamples=d, random_state=0, n_jobs=n),
        )
    hard, _ = make_lists(12, 6, 40, 40, quality=0.1)
    yield "Kemeny, 12 queries of 40 items", lambda n: Kemeny(n_jobs=n, verbose=False).fit_transform(hard)
    scorer = make_ranking_scorer("ndcg@10")
    targets, wide_targets = judged.align(many), judged_wide.align(wide)
    yield (
        "GridSearchCV, 4 candidates of RRF, 1000 queries",
        lambda n: GridSearchCV(ReciprocalRankFusion(), {"k": [1, 10, 30, 60]}, scoring=scorer, n_jobs=n).fit(
            many, targets
        ),
    )
    yield (
        "GridSearchCV, 4 candidates of MC4, 20 queries of 600 items",
        lambda n: GridSearchCV(
            MarkovChain(absent="last"), {"ergodic_number": [0.05, 0.1, 0.15, 0.3]}, scoring=scorer, n_jobs=n
        ).fit(wide, wide_targets),
    )


def main():
    """Print the times of each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="parts of names of cases; default: all cases")
    parser.add_argument("--n-jobs", type=int, default=2, help="number of workers")
    parser.add_argument("--repeat", type=int, default=3, help="number of runs; the shortest counts")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name, call in cases():
        if options.parts and not any(part in name for part in options.parts):
            continue
        best = {None: float("inf"), options.n_jobs: float("inf")}
        for _ in range(options.repeat + 1):  # the first run starts the workers
            for n_jobs in best:
                start = time.perf_counter()
                call(n_jobs)
                best[n_jobs] = min(best[n_jobs], time.perf_counter() - start)
        one, several = best.values()
        rows.append([name, f"{one:.2f}", f"{several:.2f}", f"{one / several:.2f}x"])
        print(*rows[-1], flush=True)
    print()
    table(rows, ["", "1 worker, s", f"{options.n_jobs} workers, s", "gain"])


if __name__ == "__main__":
    main()
