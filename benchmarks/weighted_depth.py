"""Measure DIBRA on lists of different depths and with few voters, and compare it with milder weights and no weights.

python benchmarks/weighted_depth.py [--repeat 20] [--genes 20]

The script prints three tables of means over --repeat random data sets; the last table uses --genes data sets. "sum" is
CombSUM(norm="borda"). "DIBRA" weights the voters of this sum by the rule of DIBRA's paper. "unscaled" is DIBRA with
weight_norm=None, and "tau" is DIBRA with weight_norm=None and distance="tau". "cut" marks methods after TopK. The last
columns are the difference of "tau" from "DIBRA", and the standard error of this difference over the data sets.

- nDCG@10 on the kinds of data of docs/user_guide/choosing.md, and with 2 to 5 voters;
- nDCG@10 with lists cut to different depths, 400 items;
- the share of the true first 100 among the first 100 of the consensus, on simulated gene lists. The generator is from
  B. Wang et al., "Systematic comparison of ranking aggregation methods for gene lists in experimental results",
  Bioinformatics 38, 2022. There are 20,000 genes, and 1,000 genes have a signal. The noise and the length of each list
  are drawn from log-normal distributions. "0" has 11 ranked lists and 21 unranked lists, which only name their genes.
  "1" has 5 ranked lists and 5 unranked lists, which are longer. r leaves out the unranked lists, and m keeps each
  unranked list as one tie. D is the variance of the logarithm of the noise.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from skrankagg import DIBRA, CombSUM, Qrels, RankedLists, ReciprocalRankFusion, evaluate
from skrankagg.datasets import make_ranked_lists
from skrankagg.preprocessing import TopK

BORDA = CombSUM(norm="borda")
PAPER = DIBRA(BORDA, distance="cosine", weight_norm="min-max")


def methods_of(depth):
    """Return the methods by name: RRF, the sum of Borda points, variants of DIBRA; "cut" means TopK(depth)."""
    return {
        "RRF": ReciprocalRankFusion(),
        "sum": BORDA,
        "DIBRA": PAPER,
        "cut sum": make_pipeline(TopK(depth), BORDA),
        "cut DIBRA": make_pipeline(TopK(depth), PAPER),
        "unscaled": DIBRA(BORDA, distance="cosine", weight_norm=None),
        "tau": DIBRA(BORDA, distance="tau", weight_norm=None),
    }


USUAL = {"n_queries": 20, "n_voters": 10, "quality": 0.5, "quality_spread": 0.0}
KINDS = {
    "top 30": {},
    "full": {"list_length": None},
    "half seen": {"list_length": None, "absent_share": 0.5},
    "uneven": {"quality_spread": 1.5},
    "adversarial": {"adversarial_share": 0.3},
    "2 voters": {"n_voters": 2},
    "3 voters": {"n_voters": 3},
    "4 voters": {"n_voters": 4},
    "5 voters": {"n_voters": 5},
    **{f"{n} uneven voters": {"n_voters": n, "quality_spread": 1.5} for n in (2, 3, 4, 5)},
}
DEPTHS = {
    "four of 30": (30,) * 4,
    "60, three of 30": (60, 30, 30, 30),
    "200, three of 30": (200, 30, 30, 30),
    "200, nine of 30": (200, *[30] * 9),
    "5, 10, 20, 40, 80, 160": (5, 10, 20, 40, 80, 160),
}

N_GENES, N_SIGNALS, N_TOP = 20_000, 1_000, 100
#: Number of lists of each kind, with mean and deviation of the logarithm of their lengths.
GENES = {"0": ((11, 5.3597, 1.8055), (21, 3.4365, 1.6937)), "1": ((5, 7.4141, 1.8634), (5, 2.9905, 1.3390))}
NOISE = 3.0


def cut_to(lists, depths):
    """Cut each voter's lists to that voter's depth."""
    depth = dict(zip(sorted(lists["voter"].unique()), depths, strict=True))
    return lists[lists["rank"] <= lists["voter"].map(depth)].reset_index(drop=True)


def make_gene_lists(kind, unranked, variance, seed):
    """Draw gene lists, and return the genes with the strongest signals."""
    random = np.random.default_rng(seed)
    # Ties are broken by name, so names must carry no information.
    name = random.permutation(N_GENES)
    k = np.arange(1, N_SIGNALS + 1)
    decay = 0.1405463 * np.exp(-0.00990575 * k) + 0.06253942
    signal = np.concatenate([2 * decay / decay[0], np.zeros(N_GENES - N_SIGNALS)])
    frames = []
    for n_lists, mean, deviation in GENES[kind][: 1 + unranked]:
        tied = bool(frames)
        for number in range(n_lists):
            noise = np.exp(random.normal(np.log(NOISE), np.sqrt(variance)))
            seen = signal + noise * random.standard_normal(N_GENES)
            length = min(int(np.exp(random.normal(mean, deviation)) + 2), N_GENES)
            rank = np.ones(length, dtype=int) if tied else np.arange(1, length + 1)
            voter = f"{'named' if tied else 'ranked'} {number:02d}"
            frames.append(pd.DataFrame({"voter": voter, "item": name[np.argsort(-seen)[:length]], "rank": rank}))
    return pd.concat(frames, ignore_index=True).assign(query=0), name[:N_TOP]


def compare(name, methods, data, measure, rows):
    """Add a row with the mean of each method over the data sets, and the gain of "tau" over the default."""
    found = {title: [] for title in methods}
    for lists, judged in data:
        encoded = RankedLists.from_frame(lists)
        for title, method in methods.items():
            found[title].append(measure(method.fit_transform(encoded), judged))
    gain = np.subtract(found["tau"], found["DIBRA"])
    error = gain.std(ddof=1) / np.sqrt(len(gain))
    means = {title: np.mean(values) for title, values in found.items()}
    rows[name] = {**means, "tau - DIBRA": gain.mean(), "error": error}


def ndcg(consensus, qrels):
    """Compute mean nDCG@10 over the queries."""
    return evaluate(consensus, qrels, "ndcg@10").iloc[0, 0]


def top_genes(consensus, best):
    """Compute the share of the truly best genes that are among the first genes of the consensus."""
    return consensus["item"].head(N_TOP).isin(best).mean()


def ranked_data(setting, depths, repeat):
    """Generate data sets of 20 queries with the guide's usual settings, changed by `setting`; cut lists to `depths`."""
    for seed in range(repeat):
        lists, qrels, _ = make_ranked_lists(**{**USUAL, **setting}, random_state=seed)
        yield (lists if depths is None else cut_to(lists, depths)), Qrels.from_frame(qrels)


def show(title, rows):
    """Print one table."""
    print(f"\n{title}\n{pd.DataFrame(rows).T.round(3).to_string()}", flush=True)


def main():
    """Print the three tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=20, help="data sets of each row, at least 2")
    parser.add_argument("--genes", type=int, default=20, help="sets of gene lists of each row, at least 2")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")

    rows, methods = {}, methods_of(30)
    for name, setting in KINDS.items():
        compare(name, methods, ranked_data(setting, None, arguments.repeat), ndcg, rows)
    show("The kinds of data of the guide, nDCG@10 (cut: to 30)", rows)

    rows = {}
    for spread in (0.0, 1.0):
        for name, depths in DEPTHS.items():
            setting = {"n_voters": len(depths), "n_items": 400, "list_length": max(depths), "quality_spread": spread}
            title = f"{name}{', uneven voters' if spread else ''}"
            compare(title, methods, ranked_data(setting, depths, arguments.repeat), ndcg, rows)
    show("Depths of the lists, nDCG@10 (cut: to 30)", rows)

    rows, methods = {}, methods_of(N_TOP)
    for kind in GENES:
        for unranked in (False, True):
            for variance in (1, 3):
                data = (
                    make_gene_lists(kind, unranked, variance, [seed, variance, unranked, int(kind)])
                    for seed in range(arguments.genes)
                )
                compare(f"{kind}{'m' if unranked else 'r'} D={variance}", methods, data, top_genes, rows)
    show(f"Gene lists, share of the true first {N_TOP} (cut: to {N_TOP})", rows)


if __name__ == "__main__":
    main()
