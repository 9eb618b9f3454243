"""CPU seconds of a thousand draws of the lists in one thread, computed together and one after another.

python benchmarks/replicates.py uses 20 queries x 50 full lists x 100 items, and one board of 332 items x 41 lists that
lacks 30 % of its cells. The time of separate draws is extrapolated from a few draws.
"""

import time

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from skrankagg import (
    BordaCount,
    CombMNZ,
    CombSUM,
    Condorcet,
    Copeland,
    MarkovChain,
    Minimax,
    RankedLists,
    ReciprocalRankFusion,
    RobustRankAggregation,
)
from skrankagg.datasets import make_ranked_lists
from skrankagg.inspection import rank_stability

N_RESAMPLES = 1000


def seconds_of(function):
    """Measure the CPU seconds of a call."""
    start = time.process_time()
    function()
    return time.process_time() - start


def main():
    """Print a row for each method."""
    lists = RankedLists.from_frame(
        make_ranked_lists(n_queries=20, n_voters=50, n_items=100, list_length=None, random_state=0)[0]
    )
    board = RankedLists.from_frame(
        make_ranked_lists(n_queries=1, n_voters=41, n_items=332, list_length=None, absent_share=0.3, random_state=0)[0]
    )
    sums = (CombSUM(), CombMNZ(), BordaCount(), ReciprocalRankFusion())
    methods = (*sums, Condorcet(), Copeland(), Minimax(), MarkovChain(), RobustRankAggregation())
    cases = [*((repr(method), method, lists) for method in methods), ("BordaCount(), board", BordaCount(), board)]
    rows = []
    for name, method, data in cases:
        whole = min(seconds_of(lambda m=method, d=data: rank_stability(m, d)) for _ in range(3))
        few = 5
        weights = np.random.default_rng(0).integers(0, 3, (few, data.n_lists)).astype(float)
        single = seconds_of(lambda m=method, d=data, w=weights: [m.transform(d.with_list_weight(one)) for one in w])
        rows.append((name, whole, single / few * N_RESAMPLES))
    frame = pd.DataFrame(rows, columns=["method", "rank_stability s", "one by one s"]).set_index("method")
    frame["faster by"] = frame["one by one s"] / frame["rank_stability s"]
    print(frame.round({"rank_stability s": 2, "one by one s": 1, "faster by": 0}).to_string())


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
