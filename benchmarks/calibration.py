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
from sklearn.model_selection import KFold

from skrankagg import BordaCount, Qrels, RankedLists, ReciprocalRankFusion
from skrankagg._arrays._ragged import gather_ranges
from skrankagg._data._qrels import encode_qrels
from skrankagg.datasets import load_trec, make_ranked_lists
from skrankagg.metrics._judging._consensus_rows import ConsensusRows
from skrankagg.metrics._judging._folds import spread_folds
from skrankagg.model_selection import CalibratedConsensus, TopSet
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
        lists, qrels = number_items(RankedLists.from_frame(lists), qrels)
    return lists.judged(qrels), qrels


def number_items(lists, qrels):
    """Replace the ids of items by integers, which are faster to look up; leave out judgements of items in no list."""
    frame, items = lists.to_frame(), pd.Index(lists.items)
    qrels = qrels.assign(item=items.get_indexer(qrels["item"]))
    frame = frame.assign(item=items.get_indexer(frame["item"]))
    return RankedLists.from_frame(frame), Qrels.from_frame(qrels[qrels["item"] >= 0])


class Judged:
    """The consensus of a collection by a method, with the relevance of its items; it is computed only once.

    The methods here learn nothing, so the consensus of a query is the same in every fold and in every draw.
    """

    def __init__(self, lists, qrels, method):
        self.rows = ConsensusRows.from_result(method.fit_transform(lists), lists)
        self.relevant = encode_qrels(qrels, lists).relevance[self.rows.candidate] > 0
        self.n_queries = lists.n_queries

    def take(self, queries):
        """Return the rows of some queries, and their positions among all rows."""
        rows, ptr = gather_ranges(self.rows.ptr, queries)
        return ConsensusRows(self.rows.frame.iloc[rows], self.rows.lists, ptr, self.rows.candidate[rows]), rows

    def calibrate(self, train, test, **params):
        """Return the probabilities of the test queries, learned from the training queries, and the rows."""
        calibrated = CalibratedConsensus(None, **params)
        part, rows = self.take(train)
        calibrated._learn(part, self.relevant[rows], lambda: self.inner_folds(part, rows))
        part, rows = self.take(test)
        return calibrated._add(part)["probability"].to_numpy(), rows

    def inner_folds(self, part, rows):
        """Return the folds of training queries with which CalibratedConsensus fits isotonic regressions."""
        has_relevant = np.bincount(part.query, weights=self.relevant[rows], minlength=part.n_queries) > 0
        return spread_folds(has_relevant, min(5, int(has_relevant.sum())))

    def folds(self):
        """Return five folds of neighbouring queries."""
        return list(KFold(5).split(np.arange(self.n_queries)))

    def out_of_fold(self, **params):
        """Return the probabilities of all rows, learned from the other folds."""
        probability = np.empty(len(self.relevant))
        for train, test in self.folds():
            values, rows = self.calibrate(train, test, **params)
            probability[rows] = values
        return probability

    def by_scikit_learn(self, feature, method, ensemble):
        """Return probabilities out of fold by CalibratedClassifierCV, with whole queries inside and outside."""
        X = self.rows.min_max() if feature == "min-max" else -np.log(self.rows.mid_rank())
        X, probability = X[:, None], np.empty(len(self.relevant))
        for train, test in self.folds():
            (part, own), other = self.take(train), self.take(test)[1]
            members = [np.isin(part.query, queries) for _, queries in self.inner_folds(part, own)]
            inner = [(np.flatnonzero(~one), np.flatnonzero(one)) for one in members]
            model = CalibratedClassifierCV(GivenScore(), method=method, cv=inner, ensemble=ensemble)
            probability[other] = model.fit(X[own], self.relevant[own]).predict_proba(X[other])[:, 1]
        return probability

    def errors(self, probability, rows=slice(None)):
        """Return the error over all items, the error of the first ten items, and the mean error of a query."""
        relevant, query, top = self.relevant[rows], self.rows.query[rows], self.rows.place[rows] <= 10
        size = np.maximum(np.bincount(query), 1)
        means = (np.bincount(query, weights=values) / size for values in (probability, relevant))
        distance = np.abs(np.subtract(*means))[np.unique(query)]
        return (
            ReliabilityDisplay.error_of(probability, relevant, 15),
            ReliabilityDisplay.error_of(probability[top], relevant[top], 10),
            float(distance.mean()),
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


def print_errors(lists, qrels):
    """Print the errors of each setting out of fold."""
    for name, method in METHODS.items():
        judged = Judged(lists, qrels, method)
        rows = [["base rate", *judged.errors(np.full(len(judged.relevant), judged.relevant.mean()))]]
        for feature, form in SETTINGS:
            found = judged.out_of_fold(method=form, feature=feature)
            rows.append([f"{feature}, {form}", *judged.errors(found)])
            if feature in ("min-max", "rank"):
                for ensemble in (True, False):
                    theirs = judged.by_scikit_learn(feature, form, ensemble)
                    label = f"  sklearn, {'mean of folds' if ensemble else 'one fit'}"
                    rows.append([label, *judged.errors(theirs)])
        print(f"\n{name}, {len(judged.relevant):,} items of {lists.n_queries} queries")
        table([[row[0], *(f"{value:.4f}" for value in row[1:])] for row in rows], ["", "error", "top ten", "by query"])


def print_queries(lists, qrels, draws):
    """Print the error on 200 other queries for several numbers of training queries."""
    rows, judged = [], Judged(lists, qrels, METHODS["RRF"])
    for size in (size for size in SIZES if size + 200 <= lists.n_queries):
        found = {"isotonic": [], "sigmoid": []}
        for draw in range(draws):
            order = np.random.default_rng(draw).permutation(lists.n_queries)
            for form, values in found.items():
                if judged.relevant[judged.take(order[:size])[1]].any():
                    learned = judged.calibrate(order[:size], order[size : size + 200], method=form)
                    values.append(judged.errors(*learned)[0])
        rows.append([size, *(f"{np.mean(values):.3f}" for values in found.values())])
    if rows:
        print(f"\nerror on 200 other queries, RRF, min-max, mean of {draws} draws")
        table(rows, ["training queries", "isotonic", "sigmoid"])


def cover(judged, holds, halves, confidence=0.9):
    """Return the coverage and the sizes of the top sets of one half of the queries, learned from the other half."""
    coverage, sizes, shares = [], [], []
    for draw in range(halves):
        order = np.random.default_rng(draw).permutation(judged.n_queries)
        train, test = np.array_split(order, 2)
        top = TopSet(None, holds, confidence=confidence)
        part, rows = judged.take(train)
        top._learn(part, judged.relevant[rows], list)
        part, rows = judged.take(test)
        query, relevant, held = part.query, judged.relevant[rows], top._depths(part) <= top.depth_
        total, found, size = (
            np.bincount(query, weights=one, minlength=len(test)) for one in (relevant, relevant & held, held)
        )
        known = total > 0
        needed = np.ones(len(test)) if holds == "one" else np.ceil(holds * total - 1e-9)
        coverage.append((found >= needed)[known].mean())
        sizes.append(np.median(size[known]))
        shares.append((size / np.diff(part.ptr))[known].mean())
    return np.mean(coverage), np.median(sizes), np.mean(shares)


def print_tops(lists, qrels, halves):
    """Print coverage and sizes of top sets."""
    rows, judged = [], Judged(lists, qrels, METHODS["RRF"])
    has_relevant = np.bincount(judged.rows.query, weights=judged.relevant) > 0
    n_items = np.median(np.diff(judged.rows.ptr)[has_relevant])
    for holds in ("one", 0.5):
        coverage, size, share = cover(judged, holds, halves)
        rows.append([holds, f"{coverage:.3f}", f"{size:g} of {n_items:g}", f"{share:.3f}"])
    print(f"\ntop sets of {halves} random halves, {int(has_relevant.sum())} queries with relevant items, confidence .9")
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
        lists, qrels, _ = make_ranked_lists(
            n_queries=args.generated, n_items=40, list_length=30, quality=0.1, random_state=0
        )
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
