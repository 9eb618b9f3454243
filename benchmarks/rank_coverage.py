"""Measure how often intervals and confidence sets of ranks contain the true rank, for growing numbers of lists.

python benchmarks/rank_coverage.py [--draws 400] [--items 30] generates full lists of items whose worths are spread
evenly. BordaCount ranks the items. At a spread of 0, all items are equal, and a set must contain all places.
"""

import argparse
import time

import numpy as np
import pandas as pd

from skrankagg import BordaCount, RankedLists
from skrankagg.inspection import rank_confidence, rank_stability


def plackett_luce(n_draws, n_lists, n_items, spread, seed=0):
    """Generate full lists of many queries by the model of Plackett and Luce; the true rank of item i is i + 1."""
    rng = np.random.default_rng(seed)
    worth = np.linspace(spread * np.sqrt(3), -spread * np.sqrt(3), n_items)
    order = np.argsort(-(worth + rng.gumbel(size=(n_draws, n_lists, n_items))), axis=2)
    query, voter, place = (index.ravel() for index in np.indices(order.shape))
    return RankedLists.from_frame(
        pd.DataFrame({"query": query, "voter": voter, "item": order.ravel(), "rank": place + 1})
    )


def main():
    """Print the share of items whose set contains the true rank, and the number of places in the set."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--items", type=int, default=30)
    options = parser.parse_args()
    kinds = {
        "interval (rank_stability)": lambda lists: rank_stability(BordaCount(), lists),
        "set (rank_confidence)": lambda lists: rank_confidence(BordaCount(), lists),
        "simultaneous set": lambda lists: rank_confidence(BordaCount(), lists, simultaneous=True),
    }
    rows = []
    for n_lists in (10, 20, 50):
        for spread in (1.0, 0.65, 0.3, 0.0):
            lists = plackett_luce(options.draws, n_lists, options.items, spread)
            for kind, function in kinds.items():
                start = time.process_time()
                frame = function(lists)
                seconds = time.process_time() - start
                true = frame["item"].to_numpy() + 1
                low, high = frame["rank_low"].to_numpy(float), frame["rank_high"].to_numpy(float)
                equal = spread == 0
                holds = (low <= 1) & (high >= options.items) if equal else (low <= true) & (true <= high)
                together = holds.reshape(options.draws, -1).all(axis=1)
                best = np.nan if equal else holds[true == 1].mean()
                width = (high - low + 1).mean()
                rows.append((n_lists, spread, kind, holds.mean(), best, together.mean(), width, seconds))
    names = ["lists", "spread", "kind", "holds", "best item holds", "all of a query hold", "places", "CPU s"]
    print(pd.DataFrame(rows, columns=names).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
