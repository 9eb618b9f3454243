"""Measure feature selection by consensus and by scikit-learn's selectors, in a nested cross-validation.

python benchmarks/feature_selection.py [--repeat 2] [--data "breast cancer" digits wide] [--n-features 5 16 20]

Each row of the table is a pipeline of StandardScaler, the selector and LogisticRegression. The data are scikit-learn's
breast cancer and digits data, and generated data of 120 rows and 500 columns; 30 of these columns are informative.

Each repeat has 5 outer folds, which measure the accuracy (mean and standard deviation). Three inner folds of each
training part determine the number of features. All selectors use the same grid, and the smallest of several equally
good numbers is chosen. RFECV chooses the number with its own cross-validation, with the same number of folds.
--n-features sets the number for each data set instead.

"features" is the mean number of features kept. "stability" is the index of Nogueira and others over the sets of the
outer folds. "seconds" is the CPU time of one fit of the selector on an outer training part, with the chosen number.

--aggregators compares aggregators in the row "Consensus of the three, cv=5", for given numbers of features.

All selectors use the same models: a logistic regression, a forest of 100 trees, and an F-test.
"""

import argparse
import time
import warnings

import numpy as np
from _measure import table
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, RFECV, SelectFromModel, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from skrankagg import (
    DIBRA,
    BordaCount,
    CombSUM,
    Copeland,
    MarkovChain,
    RankStatistic,
    ReciprocalRankFusion,
    RobustRankAggregation,
)
from skrankagg.feature_selection import ConsensusSelector
from skrankagg.stats import selection_stability


def made(return_X_y):
    """Generate 120 rows and 500 columns: 15 columns determine two classes, and 15 more are combinations of these."""
    return make_classification(120, 500, n_informative=15, n_redundant=15, class_sep=1.5, random_state=0)


#: Data, the numbers of features to choose from, and the number of features that a recursive elimination removes at a
#: time, so that it has a set of each of these sizes.
DATA = {
    "breast cancer": (load_breast_cancer, (2, 4, 6, 8, 10, 14, 18, 22, 26, 30), 2),
    "digits": (load_digits, (8, 16, 24, 32, 40, 48, 56, 64), 4),
    "wide": (made, (5, 10, 20, 40, 80, 160), 5),
}
LOGISTIC = LogisticRegression(max_iter=1000)
FOREST = RandomForestClassifier(100, random_state=0)
THREE = [("anova", SelectKBest(k="all")), ("logistic", LOGISTIC), ("forest", FOREST)]
AGGREGATORS = {
    "BordaCount()": BordaCount(),
    "ReciprocalRankFusion()": ReciprocalRankFusion(),
    "ReciprocalRankFusion(k=5)": ReciprocalRankFusion(k=5),
    "CombSUM()": CombSUM(),
    "Copeland()": Copeland(),
    "MarkovChain()": MarkovChain(),
    "RobustRankAggregation()": RobustRankAggregation(),
    'RankStatistic("median")': RankStatistic(statistic="median"),
    "DIBRA()": DIBRA(),
}
INNER = StratifiedKFold(3, shuffle=True, random_state=0)


def contenders(step):
    """Return a dict from the name of each selector to a function that builds it for a given number of features."""
    return {
        "no selection": None,
        "SelectKBest, F-test": lambda k: SelectKBest(k=k),
        "SelectFromModel, logistic": lambda k: SelectFromModel(LOGISTIC, threshold=-np.inf, max_features=k),
        "SelectFromModel, forest": lambda k: SelectFromModel(FOREST, threshold=-np.inf, max_features=k),
        "RFE, logistic": lambda k: RFE(LOGISTIC, n_features_to_select=k, step=step),
        "RFECV, logistic": RFECV(LOGISTIC, step=step, cv=INNER),
        "Consensus of the three, cv=None": lambda k: ConsensusSelector(THREE, cv=None, n_features=k),
        "Consensus of the three, cv=5": lambda k: ConsensusSelector(THREE, n_features=k),
        "Consensus of RFE, cv=5": lambda k: ConsensusSelector(
            [("rfe", RFE(LOGISTIC, n_features_to_select=1, step=step))], n_features=k
        ),
        "Consensus of logistic, cv=5": lambda k: ConsensusSelector(THREE[1:2], n_features=k),
        "Consensus of forest, cv=5": lambda k: ConsensusSelector(THREE[2:], n_features=k),
    }


def order(selector):
    """Order features by a fitted selector, best first; a selection of k features consists of the first k."""
    if hasattr(selector, "ranking_"):
        return np.argsort(selector.ranking_, kind="stable")
    if isinstance(selector, SelectKBest):
        return np.argsort(-np.nan_to_num(selector.scores_), kind="stable")
    model = selector.estimator_
    value = np.abs(model.coef_).sum(axis=0) if hasattr(model, "coef_") else model.feature_importances_
    return np.argsort(-value, kind="stable")


def accuracy(X, y, train, test, columns):
    """Fit a logistic regression of some columns on the training rows, and compute its accuracy on the test rows."""
    model = clone(LOGISTIC).fit(X[train][:, columns], y[train])
    return model.score(X[test][:, columns], y[test])


def choose(make, X, y, grid):
    """Choose the number of features with the highest mean accuracy over inner folds; for ties, the smallest number."""
    found = np.zeros((INNER.get_n_splits(), len(grid)))
    for fold, (train, test) in enumerate(INNER.split(X, y)):
        scaled = StandardScaler().fit(X[train]).transform(X)
        best = order(make(grid[0]).fit(scaled[train], y[train]))
        found[fold] = [accuracy(scaled, y, train, test, best[:k]) for k in grid]
    return grid[int(np.argmax(found.mean(axis=0)))]


def measure(make, X, y, grid, outer):
    """Measure one selector on the outer folds; return the columns of its row in the table."""
    scores, sets, seconds = [], [], []
    for train, test in outer.split(X, y):
        if make is None:
            model = make_pipeline(StandardScaler(), LOGISTIC).fit(X[train], y[train])
            held = np.ones(X.shape[1], dtype=bool)
        else:
            k = None
            if callable(make):
                k = grid[0] if len(grid) == 1 else choose(make, X[train], y[train], grid)
            selector = make(k) if callable(make) else clone(make)
            model = make_pipeline(StandardScaler(), selector, LOGISTIC).fit(X[train], y[train])
            held = model[1].get_support()
            if k is not None and set(order(model[1])[:k]) != set(np.flatnonzero(held)):
                raise RuntimeError(f"{selector!r} must select the beginning of its own order. Check `order`.")
            scaled = model[0].transform(X[train])
            start = time.process_time()
            clone(selector).fit(scaled, y[train])
            seconds.append(time.process_time() - start)
        scores.append(model.score(X[test], y[test]))
        sets.append(held)
    sets = np.array(sets)
    stability = "-" if sets.all() else f"{selection_stability(sets).stability:.2f}"
    return [
        f"{np.mean(scores):.4f}",
        f"{np.std(scores, ddof=1):.4f}",
        f"{sets.sum(axis=1).mean():.1f}",
        stability,
        f"{np.mean(seconds):.2f}" if seconds else "-",
    ]


def measure_aggregators(X, y, number, outer):
    """Return a row for each aggregator; all of them merge the lists that three estimators produced on five folds."""
    scores, sets = {name: [] for name in AGGREGATORS}, {name: [] for name in AGGREGATORS}
    for train, test in outer.split(X, y):
        scaled = StandardScaler().fit(X[train]).transform(X)
        lists = ConsensusSelector(THREE).fit(scaled[train], y[train]).lists_
        for name, aggregator in AGGREGATORS.items():
            best = aggregator.fit_transform(lists)["item"].to_numpy()[:number]
            scores[name].append(accuracy(scaled, y, train, test, best))
            sets[name].append(best)
    return [
        [
            name,
            f"{np.mean(scores[name]):.4f}",
            f"{np.std(scores[name], ddof=1):.4f}",
            f"{selection_stability(sets[name], n_items=X.shape[1]).stability:.2f}",
        ]
        for name in AGGREGATORS
    ]


def main():
    """Print a table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=2, help="repeats of the five outer folds")
    parser.add_argument("--n-features", type=int, nargs="+", help="a number for each data set, instead of a search")
    parser.add_argument("--data", nargs="+", choices=list(DATA), default=list(DATA), help="data sets to use")
    parser.add_argument("--aggregators", action="store_true", help="compare aggregators of the lists instead")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    outer = RepeatedStratifiedKFold(n_splits=5, n_repeats=arguments.repeat, random_state=0)
    numbers = arguments.n_features or [None] * len(arguments.data)
    if arguments.aggregators and not arguments.n_features:
        parser.error("--aggregators needs --n-features")
    if len(numbers) != len(arguments.data):
        parser.error(f"--n-features takes {len(arguments.data)} numbers")
    with threadpool_limits(1):
        for title, number in zip(arguments.data, numbers, strict=True):
            load, grid, step = DATA[title]
            X, y = load(return_X_y=True)
            if arguments.aggregators:
                rows = measure_aggregators(X, y, number, outer)
                table(rows, [title, "accuracy", "std", "stability"])
                print(flush=True)
                continue
            grid = grid if number is None else (number,)
            rows = []
            for name, make in contenders(step).items():
                if number is not None and not callable(make):
                    continue
                rows.append([name, *measure(make, X, y, grid, outer)])
            table(rows, [title, "accuracy", "std", "features", "stability", "seconds"])
            print(flush=True)


if __name__ == "__main__":
    main()
