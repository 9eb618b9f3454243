"""Estimated worths from paired comparisons and lists: quality of the orders for unequal exposure, and CPU time.

Run it from anywhere as `python benchmarks/arena.py [--draws 20] [--repeat 3] [--only orders|costs]`; it takes
about half a minute. The packages evalica and choix are measured too if they are installed.

The first table contains Kendall's tau with the true worths of 30 items, as mean and minimum over draws. A draw has
20,000 duels, in which some items occur far more often than others. The second table contains the CPU seconds of the
cheapest of several runs, for these tasks:

- races: 36 races of 43 out of 87 drivers, of the size of the NASCAR data of Hunter (2004)
- lists: 1000 lists of 1000 items
- queries: 20 queries of 50 lists of 100 items
- duels: a million duels of 100 models in a frame of text ids; each step is timed
- judged duels: a million duels with 50 judges; one tenth of the duels are ties between equally good models
- draws: 1000 draws of 100,000 duels of 100 models, by rank_stability; --resamples changes the number of draws
"""

import argparse
import importlib.util
import warnings

import numpy as np
import pandas as pd
from _measure import cpu_time, table
from scipy.stats import kendalltau

from skrankagg import MarkovChain, PlackettLuce, RankedLists
from skrankagg.aggregators._models._duels import merge_equal_pairs
from skrankagg.datasets import make_comparisons, make_plackett_luce
from skrankagg.inspection import rank_stability

METHODS = [
    PlackettLuce(absent="ignore"),
    MarkovChain(chain="mct"),
    MarkovChain(chain="mct", ergodic_number=0.0),
    MarkovChain(chain="rank-centrality"),
]


def of_evalica(duels):
    """Compute scores with evalica's Bradley-Terry model, as a Series indexed by item."""
    import evalica

    won = [evalica.Winner.X] * len(duels)
    return evalica.bradley_terry(duels["winner"], duels["loser"], won, limit=10_000).scores


def of_choix(duels):
    """Compute scores with choix from the matrix of wins, as a Series indexed by item."""
    import choix

    code, items = pd.factorize(pd.concat([duels["winner"], duels["loser"]]), sort=True)
    n = len(items)
    wins = np.bincount(code[: len(duels)] * n + code[len(duels) :], minlength=n * n).reshape(n, n)
    return pd.Series(choix.ilsr_pairwise_dense(wins.astype(np.float64), alpha=1e-6), index=items)


OTHERS = {"evalica": of_evalica, "choix": of_choix}
MISSING = [name for name in OTHERS if importlib.util.find_spec(name) is None]


def recovery(n_draws):
    """Compute the first table: a row for each method, with mean and minimum of tau over the draws."""
    found = {}
    for seed in range(n_draws):
        made = make_comparisons(30, 20_000, exposure="unequal", random_state=seed)
        worth = made.worth.set_index("item")["worth"]
        lists = RankedLists.from_comparisons(made.comparisons)
        scores = {repr(method): method.fit_transform(lists).set_index("item")["score"] for method in METHODS}
        scores |= {name: of(made.comparisons) for name, of in OTHERS.items() if name not in MISSING}
        for name, one in scores.items():
            found.setdefault(name, []).append(kendalltau(worth, one.reindex(worth.index))[0])
    rows = [[name, f"{np.mean(taus):.3f}", f"{np.min(taus):.3f}"] for name, taus in found.items()]
    return rows + [[name, "not installed", "-"] for name in MISSING]


def races():
    """Generate 36 races, each with 43 of 87 drivers."""
    rng = np.random.default_rng(0)
    frame = make_plackett_luce(n_voters=36, n_items=87, random_state=0)
    kept = rng.random((36, 87)).argsort(axis=1).argsort(axis=1) < 43
    driver = frame["item"].str[1:].astype(int).to_numpy() - 1
    return RankedLists.from_frame(frame[kept[frame["voter"].str[1:].astype(int) - 1, driver]])


def costs(repeat, scale, n_resamples):
    """Yield the rows of the second table; each row is a description and its CPU seconds.

    The number of lists and duels is divided by `scale`.
    """
    model = PlackettLuce(absent="ignore")
    sizes = {
        "lists": {"n_voters": 1000 // scale, "n_items": 1000},
        "queries": {"n_queries": 20, "n_voters": 50, "n_items": 100},
    }
    all_lists = {"races": races()}
    for name, size in sizes.items():
        all_lists[name] = RankedLists.from_frame(make_plackett_luce(**size, random_state=0))
    for name, lists in all_lists.items():
        yield name, cpu_time(lambda lists=lists: model.fit_transform(lists), repeat)

    duels = make_comparisons(100, 1_000_000 // scale, exposure="unequal", random_state=0).comparisons
    encode = cpu_time(lambda: RankedLists.from_comparisons(duels), repeat)
    lists = RankedLists.from_comparisons(duels)
    fit = cpu_time(lambda: model.fit_transform(lists), repeat)
    yield "duels, from_comparisons", encode
    yield "duels, merging the lists of from_comparisons", cpu_time(lambda: merge_equal_pairs(lists), repeat)
    yield "duels, PlackettLuce, with merging", fit
    yield "duels, all of ours", encode + fit
    for name, of in OTHERS.items():
        yield f"duels, {name}", None if name in MISSING else cpu_time(lambda of=of: of(duels), repeat)

    judged = make_comparisons(
        100, 1_000_000 // scale, n_voters=50, tie_probability=0.1, exposure="unequal", random_state=0
    ).comparisons
    encode = cpu_time(lambda: RankedLists.from_comparisons(judged, tie="tie", voter="judge"), repeat)
    judged = RankedLists.from_comparisons(judged, tie="tie", voter="judge")
    yield "judged duels, from_comparisons", encode
    yield "judged duels, PlackettLuce, with merging", cpu_time(lambda: model.fit_transform(judged), repeat)

    lists = RankedLists.from_comparisons(duels[: 100_000 // scale])
    yield "draws", cpu_time(lambda: rank_stability(model, lists, n_resamples=n_resamples), 1)


def main():
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=("orders", "costs"), help="print only the first or the second table")
    parser.add_argument("--resamples", type=int, default=1000, help="number of draws of the last row")
    parser.add_argument("--scale", type=int, default=1, help="divide the number of lists and duels of the second table")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.only != "costs":
        table(recovery(arguments.draws), ["tau with the worths", "mean", "min"])
    if arguments.only is None:
        print()
    if arguments.only != "orders":
        found = costs(arguments.repeat, arguments.scale, arguments.resamples)
        rows = [[name, "not installed" if seconds is None else f"{seconds:.3f}"] for name, seconds in found]
        table(rows, ["task", "CPU s"])


if __name__ == "__main__":
    main()
