"""Effect of learning the reliability of voters, measured by Kendall's tau with the true worths.

Ten voters rank ten items by Plackett and Luce's model. Run it with

    python benchmarks/reliabilities.py
"""

import numpy as np
from scipy.stats import kendalltau

from skrankagg import DIBRA, BordaCount, PlackettLuce
from skrankagg.datasets import make_plackett_luce

VOTERS = {"all alike": [1.0] * 10, "1, .5 and 0": [1.0] * 4 + [0.5] * 3 + [0.0] * 3, "half 0": [1.0] * 5 + [0.0] * 5}
METHODS = {
    "plain": PlackettLuce(),
    "query": PlackettLuce(weighting="query"),
    "global": PlackettLuce(weighting="global"),
    "Borda": BordaCount(),
    "DIBRA, global": DIBRA(BordaCount(), weighting="global"),
}
N_DRAWS = 40


def tau(method, n_queries, reliability, seed):
    """Compute the mean tau over the queries; methods learn on the same lists, but never from the true worths."""
    lists, worth = make_plackett_luce(
        n_queries=n_queries, n_items=10, reliability=reliability, return_worth=True, random_state=seed
    )
    truth = worth.rename(columns={"worth": "truth"})
    both = method.fit_transform(lists).merge(truth, on=["query", "item"])
    return np.mean([kendalltau(one["score"], one["truth"]).statistic for _, one in both.groupby("query")])


def main():
    """Print the table."""
    print(f"{'reliabilities':14s}{'queries':>8s}" + "".join(f"{name:>15s}" for name in METHODS))
    for name, reliability in VOTERS.items():
        for n_queries in (1, 5, 25):
            row = [
                np.mean([tau(method, n_queries, reliability, seed) for seed in range(N_DRAWS)])
                for method in METHODS.values()
            ]
            print(f"{name:14s}{n_queries:8d}" + "".join(f"{value:15.3f}" for value in row), flush=True)


if __name__ == "__main__":
    main()
