"""Accuracy on simulated gene lists, compared with the table of Wang et al. (2022), who used the same simulation.

python benchmarks/gene_lists.py [--repeats 100] takes about three minutes. Accuracy is the share of the 100 truly best
items (of 20,000) that are among the first 100 items of a consensus. The median noise M is 3, and the heterogeneity D is
1 or 3. Types of data are named as in the paper. The lists are large (0) or small (1). There are only ranked lists (r),
or ranked and unranked lists (m).

The published means and standard errors are from 100 repeats. The study's supplementary files have a row for each
repeat. The study is B. Wang et al., "Systematic comparison of ranking aggregation methods for gene lists in
experimental results", Bioinformatics 38:4927, 2022, doi:10.1093/bioinformatics/btac621. z is the difference divided by
its standard error, which includes the repeats of the study and of this script. All methods of one type and D rank the
same lists, so their z values are not independent.
"""

import argparse
import warnings

import numpy as np
from _measure import table
from sklearn.pipeline import make_pipeline

from skrankagg import (
    BIRRA,
    DIBRA,
    MAIC,
    BordaCount,
    CombSUM,
    PlackettLuce,
    RankedLists,
    RankStatistic,
    ReciprocalRankFusion,
    RobustRankAggregation,
)
from skrankagg.datasets import make_gene_lists
from skrankagg.exceptions import UnequalLengthWarning
from skrankagg.metrics import evaluate
from skrankagg.preprocessing import TopK

N_ITEMS = 20_000  # N in all calls of R in the study
HETEROGENEITY = (1, 3)
PRESETS = {"0r": "large-ranked", "0m": "large-mixed", "1r": "small-ranked", "1m": "small-mixed"}

# By type of data, mean and standard error at D = 1 and D = 3. Their rank statistics, RRA and BIRRA leave out unranked
# lists, so 0m and 1m repeat 0r and 1r; the variants named Mix include them.
PUBLISHED = {
    "MAIC": {
        "0m": ((0.4526, 0.0179), (0.7457, 0.0125)),
        "0r": ((0.2509, 0.0176), (0.5109, 0.0237)),
        "1m": ((0.2158, 0.0167), (0.3961, 0.0243)),
        "1r": ((0.1705, 0.0154), (0.2764, 0.0233)),
    },
    "BIRRA": {"0r": ((0.2586, 0.0204), (0.5486, 0.0268)), "1r": ((0.1574, 0.0155), (0.2852, 0.0271))},
    "rGEO": {"0r": ((0.2383, 0.0159), (0.4751, 0.0219)), "1r": ((0.1731, 0.0150), (0.3122, 0.0237))},
    "rMixGEO": {"0m": ((0.4017, 0.0157), (0.6821, 0.0132)), "1m": ((0.2134, 0.0154), (0.3949, 0.0227))},
    "stuart": {"0r": ((0.2341, 0.0161), (0.4801, 0.0223)), "1r": ((0.1714, 0.0147), (0.3139, 0.0238))},
    "MixStuart": {"0m": ((0.3759, 0.0157), (0.6701, 0.0139)), "1m": ((0.2069, 0.0154), (0.3988, 0.0236))},
    "RRA": {"0r": ((0.2118, 0.0151), (0.4691, 0.0234)), "1r": ((0.1532, 0.0134), (0.2990, 0.0244))},
    "rMEAN": {"0r": ((0.2022, 0.0142), (0.4265, 0.0216)), "1r": ((0.1384, 0.0116), (0.2136, 0.0201))},
    "rMixMEAN": {"0m": ((0.3613, 0.0158), (0.6515, 0.0146)), "1m": ((0.1790, 0.0135), (0.3018, 0.0201))},
    "rMED": {"0r": ((0.0806, 0.0128), (0.1643, 0.0242)), "1r": ((0.1166, 0.0120), (0.2107, 0.0225))},
    "rMixMED": {"0m": ((0.0784, 0.0129), (0.1540, 0.0238)), "1m": ((0.0870, 0.0131), (0.1958, 0.0278))},
}

METHODS = {
    "MAIC": MAIC(),
    "MAIC, lists cut at 2000": make_pipeline(TopK(2000), MAIC()),  # the default of the authors' program
    "BIRRA": BIRRA(),
    "geometric mean": RankStatistic(statistic="geometric-mean", n_items=N_ITEMS),
    "Stuart": RankStatistic(statistic="stuart", n_items=N_ITEMS),
    "RRA": RobustRankAggregation(n_items=N_ITEMS),
    "mean": RankStatistic(n_items=N_ITEMS),
    "median": RankStatistic(statistic="median", n_items=N_ITEMS),
    "RRF": ReciprocalRankFusion(),
    "CombSUM, norm rank": CombSUM(norm="rank"),
    "Borda": BordaCount(),
    "DIBRA": DIBRA(),
    "Plackett-Luce": PlackettLuce(ties="efron"),
}
# Most of a long list is noise: the same methods with each list cut at the number of requested items.
METHODS |= {
    f"cut at 100: {name}": make_pipeline(TopK(100), METHODS[name])
    for name in ("MAIC", "BIRRA", "geometric mean", "DIBRA", "Plackett-Luce")
}

# Methods that need minutes rank only the first of the repeats.
SLOW, N_SLOW = ("Plackett-Luce",), 20

# Methods with many tied items, which are also ordered as in the study.
COARSE = ("BIRRA", "median")

# Counterparts of each published row.
OURS = {
    "MAIC": ("MAIC", "MAIC, lists cut at 2000"),
    "BIRRA": ("BIRRA", "BIRRA, ties as in R"),
    "rGEO": ("geometric mean",),
    "rMixGEO": ("geometric mean",),
    "stuart": ("Stuart",),
    "MixStuart": ("Stuart",),
    "RRA": ("RRA",),
    "rMEAN": ("mean",),
    "rMixMEAN": ("mean",),
    "rMED": ("median", "median, ties as in R"),
    "rMixMED": ("median", "median, ties as in R"),
}


def ties_as_in_r(consensus, lists, seed):
    """Order items of equal score by their first appearance, list by list, as R's stable sort does.

    Unranked lists appear in random order, as in the study.
    """
    within = lists[["query", "voter", "rank"]]  # frames of make_gene_lists are in this order
    tie_class = (within != within.shift()).any(axis=1).cumsum()
    order = lists.iloc[np.lexsort([np.random.RandomState(seed).random_sample(len(lists)), tie_class])]
    first = order.drop_duplicates(["query", "item"])[["query", "item"]]
    first["appearance"] = np.arange(len(first))
    found = consensus.merge(first, on=["query", "item"]).sort_values(
        ["query", "score", "appearance"], ascending=[True, False, True]
    )
    return found[["query", "item"]].assign(rank=found.groupby("query").cumcount() + 1)


def cell(kind, heterogeneity, n_repeats, methods):
    """Return a dict from each method's name to its accuracies on one kind of data, with a value for each repeat."""
    # Ranked and mixed data of one size have the same ranked lists, as in the study; other cells are independent.
    seed = 10 * int(kind[0]) + heterogeneity
    frame, qrels, _ = make_gene_lists(
        n_repeats, preset=PRESETS[kind], heterogeneity=heterogeneity, n_items=N_ITEMS, random_state=seed
    )
    lists = RankedLists.from_frame(frame)
    few = lists[: min(N_SLOW, n_repeats)]
    runs = {name: method.fit_transform(few if name in SLOW else lists) for name, method in methods.items()}
    runs |= {f"{name}, ties as in R": ties_as_in_r(runs[name], frame, seed) for name in COARSE if name in runs}
    found = evaluate(runs, qrels, "p(rel=2)@100", per_query=True, missing_queries="skip").iloc[:, 0]
    return {name: found[name].to_numpy() for name in runs}


def compare(found):
    """Compare published with measured accuracies; for each kind of data and D, return both means, the error and z."""
    values = {}
    for theirs, by_kind in PUBLISHED.items():
        for ours in OURS[theirs]:
            for kind, published in by_kind.items():
                row = values[theirs, ours, kind] = []
                for heterogeneity, (mean, error) in zip(HETEROGENEITY, published, strict=True):
                    accuracy = found[kind, heterogeneity][ours]
                    both = np.hypot(accuracy.std(ddof=1) / np.sqrt(len(accuracy)), error)
                    row.append((mean, accuracy.mean(), both, (accuracy.mean() - mean) / both))
    return values


def flag(z):
    """Format a value of z; a star marks absolute values above three."""
    return f"{z:+.1f}{' ' if abs(z) <= 3 else '*'}"


def main():
    """Print the table next to the published values, and a table of all methods."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=100)
    options = parser.parse_args()
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnequalLengthWarning)  # DIBRA warns of the very effect that is measured
        for kind in PRESETS:
            for heterogeneity in HETEROGENEITY:
                found[kind, heterogeneity] = cell(kind, heterogeneity, options.repeats, METHODS)

    values = compare(found)
    columns = [name for heterogeneity in HETEROGENEITY for name in (f"D = {heterogeneity}", "ours", "s.e.", "z ")]
    rows = [
        (
            *names,
            *(text for mean, ours, error, z in row for text in (f"{mean:.3f}", f"{ours:.3f}", f"{error:.3f}", flag(z))),
        )
        for names, row in values.items()
    ]
    table(rows, ["published as", "here", "type", *columns])
    every = [one[-1] for row in values.values() for one in row]
    n_within = sum(abs(z) <= 3 for z in every)
    print(f"{options.repeats} repeats; {n_within} of {len(every)} cells within three standard errors, * outside\n")

    cells = list(found)

    def means(name, n_repeats=None):
        return [f"{found[one][name][:n_repeats].mean():.3f}" for one in cells]

    rows = [(name, *means(name)) for name in METHODS if name not in SLOW]
    rows += [(f"first {N_SLOW}: {name}", *means(name, N_SLOW)) for name in (*SLOW, "geometric mean")]
    table(rows, ["accuracy", *(f"{kind} D={heterogeneity}" for kind, heterogeneity in cells)])


if __name__ == "__main__":
    main()
