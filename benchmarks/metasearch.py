"""Fusion methods on real runs, compared with published results, for LETOR's MQ2008-agg and TREC's Robust track.

`python benchmarks/metasearch.py letor FOLDER` reads MQ2008-agg. The folder contains `rank_agg.csv[.gz]` (query, voter,
item, value) and `rel_agg.csv[.gz]` (query, 0, item, relevance). The values are scores, and higher scores are better.
LETOR's measures have the gain 2^r - 1, no discount at the first two places, and the mean over all queries, including
queries without a relevant item.

`python benchmarks/metasearch.py trec QRELS RUN...` accepts any runs and judgements in TREC's formats. It prints MAP and
nDCG@10 with linear gain over the judged queries, as in trec_eval. The six runs of 2003 are pircRBa1, uwmtCR0,
UIUC03Rd1, THUIRr0301, SABIR03BASE and aplrob03a.

`python benchmarks/metasearch.py learn-letor FOLDER` and `... learn-trec QRELS RUN...` evaluate supervised methods on
queries outside their training data. For LETOR, the five folds of the data are used, with three parts for training and
one part for testing. For TREC, ten random partitions of the topics into five folds are used. The interval is for the
difference in MAP to the unsupervised method. The interval is computed by a paired bootstrap over queries. `time` is the
CPU seconds of a fit.

Values are in percent.
"""

import argparse
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import table
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline

import skrankagg as sk
from skrankagg.datasets import read_lists, read_qrels
from skrankagg.exceptions import ExposureWarning, UnequalLengthWarning
from skrankagg.preprocessing import VoterWeighter

# NDCG@1, NDCG@5 and MAP as published, on the same queries. The first is LETOR's own baseline: it treated the values as
# ranks, so it ranks the items in reverse.
PUBLISHED = {
    "BordaCount, as LETOR publishes it": (23.68, 37.13, 39.45),
    "CPS, best (Qin et al. 2010), supervised": (26.52, 40.04, 41.02),
    "SVP (Gleich & Lim 2011)": (32.49, 41.85, 43.61),
    "Plackett-Luce (Volkovs & Zemel 2014)": (35.2, 41.6, 42.2),
    "Bradley-Terry (Volkovs & Zemel 2014)": (38.1, 42.6, 44.4),
    "RRF (Volkovs & Zemel 2014)": (38.77, 47.17, 47.71),
    "CRF (Volkovs & Zemel 2013), supervised": (42.29, 51.03, 50.41),
}

METHODS = {
    "BordaCount": sk.BordaCount(),
    "BordaCount, absent ignored": sk.BordaCount(absent="ignore"),
    "SimpleBorda": sk.SimpleBorda(),
    "ReciprocalRankFusion, k=60": sk.ReciprocalRankFusion(),
    "ReciprocalRankFusion, k=10": sk.ReciprocalRankFusion(k=10),
    "RankBiasedCentroid, .8": sk.RankBiasedCentroid(persistence=0.8),
    "RankBiasedCentroid, .95": sk.RankBiasedCentroid(),
    "RankBiasedCentroid, .98": sk.RankBiasedCentroid(persistence=0.98),
    "InverseSquareRank": sk.InverseSquareRank(),
    "InverseSquareRank, log": sk.InverseSquareRank(support="log"),
    "CombSUM, scores as given": sk.CombSUM(norm=None),
    "CombSUM, min-max": sk.CombSUM(),
    "CombSUM, z-score": sk.CombSUM(norm="z-score"),
    "CombSUM, z-score, absent lowest": sk.CombSUM(norm="z-score", absent_score="min"),
    "CombSUM, dbsf": sk.CombSUM(norm="dbsf"),
    "CombSUM, sum": sk.CombSUM(norm="sum"),
    "CombSUM, l2": sk.CombSUM(norm="l2"),
    "CombMNZ, min-max": sk.CombMNZ(),
    "CombMNZ, rank": sk.CombMNZ(norm="rank"),
    "CombMAX, min-max": sk.CombMAX(),
    "CombMED, min-max": sk.CombMED(),
    "CombMIN, min-max": sk.CombMIN(),
    "CombANZ, min-max": sk.CombANZ(),
    "CombMAX, run-wide min-max": "max",
    "CombSUM, run-wide min-max": "sum",
    "CombMIN, run-wide min-max": "min",
    "Condorcet": sk.Condorcet(),
    "Condorcet, absent ignored": sk.Condorcet(absent="ignore"),
    "Copeland": sk.Copeland(),
    "Copeland, absent ignored": sk.Copeland(absent="ignore"),
    "Outranking": sk.Outranking(),
    "RobustRankAggregation": sk.RobustRankAggregation(),
    "DIBRA": sk.DIBRA(),
    "HodgeRank": sk.HodgeRank(),
    "PlackettLuce": sk.PlackettLuce(),
    "MarkovChain, mc4": sk.MarkovChain(chain="mc4"),
    "MarkovChain, mc4, absent last": sk.MarkovChain(chain="mc4", absent="last"),
    "MarkovChain, mct": sk.MarkovChain(chain="mct"),
    "MarkovChain, mct, absent last": sk.MarkovChain(chain="mct", absent="last"),
    "MarkovChain, mc1": sk.MarkovChain(chain="mc1"),
    "MarkovChain, mc1, absent last": sk.MarkovChain(chain="mc1", absent="last"),
}
# Methods whose time grows with the cube of the number of items, or that need many passes.
SLOW = (sk.HodgeRank, sk.MarkovChain, sk.PlackettLuce)
# Supervised methods.
LEARNERS = {
    "LearnedWeights over Borda": sk.LearnedWeights(sk.BordaCount()),
    "LearnedWeights over Borda, any sign": sk.LearnedWeights(sk.BordaCount(), positive=False),
    "LearnedWeights over RRF": sk.LearnedWeights(),
    "LearnedWeights over RRF, any sign": sk.LearnedWeights(positive=False),
    "LearnedWeights over CombSUM": sk.LearnedWeights(sk.CombSUM()),
    "SlideFuse": sk.SlideFuse(),
    "PosFuse": sk.SlideFuse(window=0),
    "ProbFuse": sk.ProbFuse(),
    "SegFuse": sk.SegFuse(),
    "BayesFuse": sk.BayesFuse(),
    "VoterWeighter, BordaCount": make_pipeline(VoterWeighter("map"), sk.BordaCount()),
    "VoterWeighter, RRF": make_pipeline(VoterWeighter("map"), sk.ReciprocalRankFusion()),
    "VoterWeighter, RRF k=0 (MAPFuse)": make_pipeline(VoterWeighter("map"), sk.ReciprocalRankFusion(k=0)),
    **{
        f"StackedFusion, {type(one).__name__}, {' + '.join(features)}": sk.StackedFusion(one, features)
        for features in (("borda", "present"), ("borda",))
        for one in (
            Ridge(),
            LogisticRegression(max_iter=1000),
            HistGradientBoostingRegressor(max_iter=50, random_state=0),
        )
    },
}
_COMBINE = {"sum": sk.CombSUM(norm=None), "max": sk.CombMAX(norm=None), "min": sk.CombMIN(norm=None)}


def letor_data(folder):
    """Read the lists of MQ2008-agg, whose values are scores, and the judgements."""
    frames = []
    for name, columns in (
        ("rank_agg", ["query", "voter", "item", "score"]),
        ("rel_agg", ["query", "iter", "item", "relevance"]),
    ):
        path = next(Path(folder).glob(f"{name}.csv*"))
        frames.append(pd.read_csv(path, names=columns, dtype={"query": str, "item": str}))
    lists, qrels = frames
    return sk.RankedLists.from_frame(lists), sk.Qrels.from_frame(qrels[["query", "item", "relevance"]])


def letor_measures(consensus, qrels):
    """Compute NDCG@1, NDCG@5 and MAP of a consensus in percent, as in LETOR's script."""
    measures = [*(f"ndcg@{k}[discount=letor]" for k in (1, 5)), "map"]
    found = sk.evaluate(consensus, qrels, measures, missing_queries="zero")
    return 100 * found.to_numpy()[0]


def trec_measures(consensus, qrels, depth):
    """Compute MAP and nDCG@10 of the first items of a consensus in percent, as in trec_eval."""
    consensus = consensus[consensus["rank"] <= depth]
    return 100 * sk.evaluate(consensus, qrels, ["map", "ndcg@10[gain=linear]"], missing_queries="zero").to_numpy()[0]


def run_wide(lists):
    """Scale the scores of each voter to the range 0 to 1 over all queries together, as polyfuse does."""
    frame = lists.to_frame()
    by_voter = frame.groupby("voter", observed=True)["score"]
    low, high = by_voter.transform("min"), by_voter.transform("max")
    return sk.RankedLists.from_frame(frame.assign(score=(frame["score"] - low) / (high - low)))


def consensus_of(method, lists):
    """Aggregate the lists with a method; a str names a method whose scores are scaled by `run_wide` first."""
    return _COMBINE[method].fit_transform(run_wide(lists)) if isinstance(method, str) else method.fit_transform(lists)


def letor_folds(folder, lists):
    """Return LETOR's folds; each fold has three of five parts of the queries for training, and one for testing."""
    path = next(Path(folder).glob("rank_agg.csv*"))
    order = pd.read_csv(path, usecols=[0], names=["query"], dtype=str)["query"].unique()
    place = pd.Index(lists.queries).get_indexer(order)
    parts = np.array_split(place, 5)
    for k in range(5):
        yield np.concatenate([parts[(k + step) % 5] for step in range(3)]), parts[(k + 4) % 5]


def held_out(method, lists, qrels, folds):
    """Fit on the training queries of each fold, and aggregate its test queries; also return CPU seconds of a fit."""
    found, seconds = [], []
    for train, test in folds:
        method = clone(method)
        start = time.process_time()
        method.fit(lists[train], qrels.align(lists[train]))
        seconds.append(time.process_time() - start)
        found.append(method.transform(lists[test]))
    return pd.concat(found, ignore_index=True), np.mean(seconds)


def bootstrap(difference, n_resamples=10_000):
    """Compute the mean difference over the queries, and its 95 % bootstrap interval, in percent."""
    rng = np.random.default_rng(0)
    means = [difference[rng.integers(0, len(difference), len(difference))].mean() for _ in range(n_resamples)]
    return 100 * difference.mean(), *(100 * np.quantile(means, [0.025, 0.975]))


def average_precisions(consensus, qrels):
    """Compute the average precision of each judged query, in the order of the judgements."""
    return sk.evaluate(consensus, qrels, "map", per_query=True, missing_queries="zero")["map"].to_numpy()


def learn_letor(folder):
    """Build a row for each supervised method, measured on LETOR's folds."""
    lists, qrels = letor_data(folder)
    plain = average_precisions(sk.BordaCount().fit_transform(lists), qrels)
    rows = [["BordaCount", *(f"{value:.2f}" for value in letor_measures(sk.BordaCount().transform(lists), qrels))]]
    for name, method in LEARNERS.items():
        consensus, seconds = held_out(method, lists, qrels, letor_folds(folder, lists))
        mean, low, high = bootstrap(average_precisions(consensus, qrels) - plain)
        values = letor_measures(consensus, qrels)
        rows.append(
            [name, *(f"{value:.2f}" for value in values), f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]", f"{seconds:.3f}"]
        )
    rows += [[f"{name} (published)", *(f"{value:.2f}" for value in values)] for name, values in PUBLISHED.items()]
    table([[*row, *[""] * (6 - len(row))] for row in rows], ["", "NDCG@1", "NDCG@5", "MAP", "to BordaCount", "time"])


def learn_sizes(folder, sizes, n_draws=5):
    """For each number of training queries, compute mean, minimum and maximum of MAP over random draws of queries."""
    lists, qrels = letor_data(folder)
    rows = []
    for name, method in LEARNERS.items():
        for size in sizes:
            values = []
            for draw in range(n_draws):
                rng = np.random.default_rng(draw)
                folds = [(rng.permutation(train)[:size], test) for train, test in letor_folds(folder, lists)]
                values.append(letor_measures(held_out(method, lists, qrels, folds)[0], qrels)[2])
            rows.append([name, size, *(f"{value:.2f}" for value in (np.mean(values), min(values), max(values)))])
    table(rows, ["", "queries", "MAP", "least", "greatest"])


def learn_trec(qrels, runs):
    """Build a row for each supervised method; values are means over ten random partitions of the topics into folds."""
    qrels = sk.Qrels.from_frame(read_qrels(qrels))
    lists = sk.RankedLists.from_frame(read_lists(runs))
    lists = lists.judged(qrels)
    plain = average_precisions(sk.ReciprocalRankFusion().fit_transform(lists), qrels)
    rows = [["ReciprocalRankFusion", f"{100 * plain.mean():.2f}"]]
    for name, method in LEARNERS.items():
        by_partition, seconds = [], []
        for seed in range(10):
            folds = KFold(5, shuffle=True, random_state=seed).split(np.arange(len(lists)))
            consensus, one = held_out(method, lists, qrels, folds)
            by_partition.append(average_precisions(consensus, qrels))
            seconds.append(one)
        values = np.mean(by_partition, axis=0)
        mean, low, high = bootstrap(values - plain)
        rows.append(
            [name, f"{100 * values.mean():.2f}", f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]", f"{np.mean(seconds):.3f}"]
        )
    table([[*row, *[""] * (4 - len(row))] for row in rows], ["", "MAP", "to RRF", "time"])


def main():
    """Print the table of one data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="data", required=True)
    commands.add_parser("letor").add_argument("folder")
    trec = commands.add_parser("trec")
    trec.add_argument("qrels")
    trec.add_argument("runs", nargs="+")
    letor = commands.add_parser("learn-letor")
    letor.add_argument("folder")
    letor.add_argument("--sizes", type=int, nargs="+", help="numbers of training queries, for a table by this number")
    learnt = commands.add_parser("learn-trec")
    learnt.add_argument("qrels")
    learnt.add_argument("runs", nargs="+")
    trec.add_argument("--chains", action="store_true", help="also measure Markov chains, which need minutes")
    trec.add_argument("--depth", type=int, default=1000, help="number of items of each result to measure")
    arguments = parser.parse_args()
    # Short lists here are cut instead of compared in pairs, and DIBRA is deliberately measured on lists of unequal
    # length.
    warnings.simplefilter("ignore", ExposureWarning)
    warnings.simplefilter("ignore", UnequalLengthWarning)
    if arguments.data == "learn-letor":
        return learn_sizes(arguments.folder, arguments.sizes) if arguments.sizes else learn_letor(arguments.folder)
    if arguments.data == "learn-trec":
        return learn_trec(arguments.qrels, arguments.runs)
    if arguments.data == "letor":
        lists, qrels = letor_data(arguments.folder)
        rows = [[name, *(f"{value:.2f}" for value in values)] for name, values in PUBLISHED.items()]
        measure, header = letor_measures, ["", "NDCG@1", "NDCG@5", "MAP"]
    else:
        qrels, lists = read_qrels(arguments.qrels), read_lists(arguments.runs)
        lists, rows = sk.RankedLists.from_frame(lists), []
        measure, header = partial(trec_measures, depth=arguments.depth), ["", "MAP", "nDCG@10"]
    for name, method in METHODS.items():
        if arguments.data == "trec" and isinstance(method, SLOW) and not arguments.chains:
            continue  # with thousands of items in a query they need minutes
        values = measure(consensus_of(method, lists), qrels)
        rows.append([name, *(f"{value:.2f}" for value in values)])
    table(rows, header)


if __name__ == "__main__":
    main()
