"""Measure the effect of k in reciprocal rank fusion of two retrievers, such as BM25 and dense vectors.

python benchmarks/hybrid.py [--repeat 20]
python benchmarks/hybrid.py --runs bm25.run dense.run ... --qrels qrels.txt

The table contains nDCG@10 of the better retriever alone, of CombSUM() (min-max scores), and of ReciprocalRankFusion.
ReciprocalRankFusion is measured with k = 60, with k = 10, and with the k of 1, 2, 5, 10, 20, 60, 200 that is the best
on other queries. The last columns are the gain of k = 10 over k = 60 and the standard error of the gain. Queries are
split in two: the first half determines the better retriever and the best k, and everything is measured on the second
half.

Without files, the data are generated. Each row uses --repeat data sets of 100 queries and 1000 items, and 20 items are
relevant. Two retrievers return the first 10, 30 or 100 items. "good" and "weak" are retrievers of equal quality (1.5
and 0.7 in make_ranked_lists); "uneven" retrievers differ in quality (1.5, quality_spread=0.5). With files, all pairs of
runs are merged, after a cut to the same depths.
"""

import argparse
import itertools
import warnings

import numpy as np
from _measure import table

from skrankagg import CombSUM, Qrels, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.datasets import make_ranked_lists, read_lists, read_qrels
from skrankagg.preprocessing import TopK

DEPTHS = (10, 30, 100)
KINDS = {
    "good": {"quality": 1.5, "quality_spread": 0.0},
    "weak": {"quality": 0.7, "quality_spread": 0.0},
    "uneven": {"quality": 1.5, "quality_spread": 0.5},
}
DAMPINGS = (1, 2, 5, 10, 20, 60, 200)


def ndcg(run, qrels):
    """Compute mean nDCG@10 over the queries."""
    return evaluate(run, qrels, "ndcg@10", missing_queries="skip").iloc[0, 0]


def measure(lists, qrels):
    """Compute a row of the table: choose a retriever and k on half of the queries, and measure on the other half."""
    queries = lists.queries.tolist()
    choose, test = (lists.select(queries=half) for half in (queries[::2], queries[1::2]))
    alone = evaluate(choose, qrels, "ndcg@10", missing_queries="skip")["ndcg@10"]
    better = test.select(voters=[alone.idxmax()])
    best = max(DAMPINGS, key=lambda k: ndcg(ReciprocalRankFusion(k=k).fit_transform(choose), qrels))
    methods = [CombSUM(), *(ReciprocalRankFusion(k=k) for k in (60, 10, best))]
    return [
        ndcg(better, qrels),
        *(ndcg(method.fit_transform(test), qrels) for method in methods),
    ]


def made(kind, depth, repeat):
    """Generate `repeat` data sets with lists of two retrievers and judgements."""
    for seed in range(repeat):
        lists, qrels, _ = make_ranked_lists(
            n_queries=100,
            n_voters=2,
            n_items=1000,
            list_length=depth,
            relevant_share=0.02,
            random_state=seed,
            **KINDS[kind],
        )
        yield RankedLists.from_frame(lists), Qrels.from_frame(qrels)


def pairs_of(lists, qrels, depth):
    """Cut the runs to a depth, and yield the lists and judgements of each pair of runs."""
    cut = TopK(depth).fit_transform(lists)
    for pair in itertools.combinations(lists.voters.tolist(), 2):
        yield cut.select(voters=list(pair)), qrels


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20, help="data sets of each row, at least 2")
    parser.add_argument("--runs", nargs="+", help="three runs or more, one file each")
    parser.add_argument("--qrels", help="judgements for the runs")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.runs:
        lists = RankedLists.from_frame(read_lists(arguments.runs, voter="file"))
        qrels = Qrels.from_frame(read_qrels(arguments.qrels))
        cases = {("files", depth): pairs_of(lists, qrels, depth) for depth in DEPTHS}
    else:
        cases = {(kind, depth): made(kind, depth, arguments.repeat) for kind in KINDS for depth in DEPTHS}
    rows = []
    for (kind, depth), data in cases.items():
        found = np.array([measure(*one) for one in data])
        gain = found[:, 3] - found[:, 2]
        error = gain.std(ddof=1) / np.sqrt(len(gain))
        means = [f"{mean:.3f}" for mean in found.mean(axis=0)]
        rows.append([kind, depth, *means, f"{gain.mean():+.3f}", f"{error:.3f}"])
    table(rows, ["retrievers", "depth", "better one", "CombSUM", "k=60", "k=10", "k chosen", "10 - 60", "error"])


if __name__ == "__main__":
    main()
