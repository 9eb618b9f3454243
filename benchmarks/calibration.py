"""Errors of calibrated probabilities out of fold, the number of queries they need, and the coverage of top sets.

`python benchmarks/calibration.py FOLDER...` prints three tables for each collection. A folder contains MQ2008-agg
(`rank_agg.csv.gz` and `rel_agg.csv.gz`), or TREC runs in a folder `runs` and one file `*qrels*`. Options: `--draws 40`
and `--halves 200` set the number of random draws, and `--parts errors queries tops` chooses tables.

The first table is for five folds of whole queries. "error" is the mean distance between probability and share of
relevant items in 15 equal parts of the items, sorted by probability. "top ten" is the same in 10 parts of the first ten
items of each query. "by query" is the mean distance between a query's mean probability and its share of relevant items.
The rows with "sklearn" are scikit-learn's CalibratedClassifierCV, with the same scores and folds. The second table is
for training queries drawn at random, measured on 200 other queries. The third table is for random halves of the judged
queries: the depth comes from one half, and the other half is measured.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _measure import table
from metasearch import letor_data
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GroupKFold

from skrankagg import BordaCount, CombSUM, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg.datasets import load_trec, make_ranked_lists
from skrankagg.model_selection import CalibratedConsensus, QueryKFold, TopSet, cross_val_consensus
from skrankagg.plotting import ReliabilityDisplay

METHODS = {"RRF": ReciprocalRankFusion(), "Borda": BordaCount()}
SETTINGS = [
    ("score", "isotonic"),
    ("min-max", "isotonic"),
    ("min-max", "sigmoid"),
    ("rank", "isotonic"),
    ("rank", "sigmoid"),
    ("all", "sigmoid"),
]
SIZES = (5, 10, 20, 50, 100, 300)


def read(folder):
    """Return the judged lists and the judgements of a collection."""
    folder = Path(folder)
    if (folder / "rank_agg.csv.gz").exists():
        lists, qrels = letor_data(folder)
    else:
        lists, qrels = load_trec(folder / "runs" / "*.gz", next(folder.glob("*qrels*")))
        lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    return lists.judged(qrels), qrels


def add_relevant(consensus, qrels):
    """Add a column that is True for each relevant item of a consensus."""
    judged = qrels.to_frame()
    judged = judged[judged["relevance"] > 0][["query", "item"]].assign(relevant=True)
    both = consensus.merge(judged, on=["query", "item"], how="left")
    return both.assign(relevant=both["relevant"].eq(True))


def errors(frame, probability):
    """Return the error over all items, the error of the first ten items, and the mean error of a query."""
    frame = frame.assign(probability=probability)
    relevant = frame["relevant"].to_numpy()
    top = (frame["rank"] <= 10).to_numpy()
    by_query = frame.groupby("query")[["probability", "relevant"]].mean()
    return (
        ReliabilityDisplay.error_of(frame["probability"].to_numpy(), relevant, 15),
        ReliabilityDisplay.error_of(frame["probability"].to_numpy()[top], relevant[top], 10),
        float((by_query["probability"] - by_query["relevant"]).abs().mean()),
    )


class GivenScore(ClassifierMixin, BaseEstimator):
    """Classifier whose decision function is its only feature."""

    def fit(self, X, y):
        """Learn nothing but the classes."""
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        """Return the feature."""
        return X[:, 0]

    def predict(self, X):
        """Return the second class where the feature is above 0."""
        return self.classes_[(X[:, 0] > 0).astype(int)]


def min_max(frame):
    """Scale the scores of each query to the range from 0 to 1."""
    scores = frame.groupby("query")["score"]
    low, high = scores.transform("min"), scores.transform("max")
    return ((frame["score"] - low) / (high - low).where(high > low)).fillna(1.0)


def by_scikit_learn(frame, feature, method, ensemble):
    """Return probabilities out of fold by CalibratedClassifierCV, with folds of whole queries inside and outside."""
    X = {"min-max": min_max, "rank": lambda one: -np.log(one["rank"])}[feature](frame).to_numpy()[:, None]
    y, query = frame["relevant"].to_numpy(), frame["query"].to_numpy()
    places = pd.factorize(query)[0]
    probability = np.empty(len(frame))
    for train, test in QueryKFold(5).split(frame[["query"]]):
        inner = list(GroupKFold(5).split(X[train], groups=places[train]))
        model = CalibratedClassifierCV(GivenScore(), method=method, cv=inner, ensemble=ensemble)
        probability[test] = model.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    return probability


def print_errors(lists, qrels):
    """Print the errors of each setting out of fold."""
    for name, aggregator in METHODS.items():
        plain = add_relevant(aggregator.fit_transform(lists), qrels)
        rows = [["base rate", *errors(plain, float(plain["relevant"].mean()))]]
        for feature, method in SETTINGS:
            one = CalibratedConsensus(aggregator, method=method, feature=feature)
            found = add_relevant(cross_val_consensus(one, lists, qrels=qrels), qrels)
            rows.append([f"{feature}, {method}", *errors(found, found["probability"])])
            if feature in ("min-max", "rank"):
                for ensemble in (True, False):
                    theirs = by_scikit_learn(plain, feature, method, ensemble)
                    label = f"  sklearn, {'mean of folds' if ensemble else 'one fit'}"
                    rows.append([label, *errors(plain, theirs)])
        print(f"\n{name}, {len(plain):,} items of {lists.n_queries} queries")
        table([[row[0], *(f"{value:.4f}" for value in row[1:])] for row in rows], ["", "error", "top ten", "by query"])


def print_queries(lists, qrels, draws):
    """Print the error on 200 other queries for several numbers of training queries."""
    rows = []
    for size in (size for size in SIZES if size + 200 <= lists.n_queries):
        found = {"isotonic": [], "sigmoid": [], "auto": []}
        for draw in range(draws):
            order = np.random.default_rng(draw).permutation(lists.n_queries)
            train, test = lists[order[:size]], lists[order[size : size + 200]]
            for method, values in found.items():
                one = CalibratedConsensus(METHODS["RRF"], method=method).fit(train, qrels)
                values.append(
                    errors(*(lambda frame: (frame, frame["probability"]))(add_relevant(one.transform(test), qrels)))[0]
                )
        rows.append([size, *(f"{np.mean(values):.3f}" for values in found.values())])
    if rows:
        print(f"\nerror on 200 other queries, RRF, min-max, mean of {draws} draws")
        table(rows, ["training queries", "isotonic", "sigmoid", "auto"])


def cover(lists, qrels, holds, halves, confidence=0.9):
    """Return the coverage and the sizes of the top sets of one half of the queries, learned from the other half."""
    consensus = METHODS["RRF"].fit_transform(lists)
    once = RankedLists.from_frame(consensus.drop(columns="rank"))
    relevant = add_relevant(consensus, qrels)
    total = relevant.groupby("query")["relevant"].sum()
    n_items = relevant.groupby("query").size()
    coverage, sizes, shares = [], [], []
    for draw in range(halves):
        order = np.random.default_rng(draw).permutation(lists.n_queries)
        train, test = (once[np.sort(part)] for part in np.array_split(order, 2))
        top = add_relevant(
            TopSet(CombSUM(norm=None), holds, confidence=confidence).fit(train, qrels).transform(test), qrels
        )
        found = top.groupby("query")["relevant"].agg(["sum", "size"])
        known = total[found.index] > 0
        needed = np.ones(len(found)) if holds == "one" else np.ceil(holds * total[found.index] - 1e-9)
        coverage.append((found["sum"] >= needed)[known].mean())
        sizes.append(found["size"].median())
        shares.append((found["size"] / n_items[found.index]).mean())
    return np.mean(coverage), np.median(sizes), np.mean(shares), n_items.median()


def print_tops(lists, qrels, halves):
    """Print coverage and sizes of top sets."""
    rows = []
    for holds in ("one", 0.5):
        coverage, size, share, n_items = cover(lists, qrels, holds, halves)
        rows.append([holds, f"{coverage:.3f}", f"{size:g} of {n_items:g}", f"{share:.3f}"])
    print(f"\ntop sets of {halves} random halves, confidence .9")
    table(rows, ["holds", "coverage", "median size", "mean share of the list"])


def main():
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--halves", type=int, default=200)
    parser.add_argument("--parts", nargs="+", default=["errors", "queries", "tops"])
    parser.add_argument("--generated", type=int, default=0, help="number of generated queries for top sets")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    collections = {Path(folder).name: read(folder) for folder in args.folders}
    if args.generated:
        lists, qrels, _ = make_ranked_lists(n_queries=args.generated, quality=0.1, random_state=0)
        collections["generated queries"] = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    for name, (lists, qrels) in collections.items():
        print(f"\n# {name}")
        if "errors" in args.parts:
            print_errors(lists, qrels)
        if "queries" in args.parts:
            print_queries(lists, qrels, args.draws)
        if "tops" in args.parts:
            print_tops(lists, qrels, args.halves)


if __name__ == "__main__":
    main()
