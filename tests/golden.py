"""The frame of the docstrings, and what every method makes of it: one line for each variant.

These estimators are the ones that every common check runs on.
"""

from math import log10

import pandas as pd

from skrankagg import (
    BordaCount,
    CombMNZ,
    CombSUM,
    Condorcet,
    Copeland,
    RankStatistic,
    ReciprocalRankFusion,
    RobustRankAggregation,
    SimpleBorda,
)


def lists():
    """Three lists of four items: c and d are absent from some list, a and d tie in one."""
    return pd.DataFrame(
        {
            "query": "q",
            "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
            "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
            "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
        }
    )


# By hand: ranks are a 1, b 2, c 3 | b 1, a and d 2.5 | b 1, c 2; n = 4 items, lists of 3, 3 and 2.
GOLDEN = [
    (CombSUM(norm="borda"), "b a c d", [2.75, 2.0, 1.5, 1.25]),
    (CombSUM(norm="simple-borda"), "b a c d", [2.75, 1.625, 1.25, 0.625]),
    (CombSUM(norm="rank"), "b a c d", [8 / 3, 1.5, 5 / 6, 0.5]),
    (CombSUM(norm="score"), "b a c d", [2.5, 1.0, 0.0, 0.0]),
    (
        CombSUM(norm="z-score"),
        "b a d c",
        [1 + 2**0.5, 1.5**0.5 - 0.5**0.5, -(0.5**0.5), -1 - 1.5**0.5],
    ),
    (CombMNZ(norm="borda"), "b a c d", [8.25, 4.0, 3.0, 1.25]),
    (CombMNZ(norm="simple-borda"), "b a c d", [8.25, 3.25, 2.5, 0.625]),
    (CombMNZ(norm="rank"), "b a c d", [8.0, 3.0, 5 / 3, 0.5]),
    (CombMNZ(norm="score"), "b a c d", [7.5, 2.0, 0.0, 0.0]),
    (
        CombMNZ(norm="z-score"),
        "b a d c",
        [3 + 3 * 2**0.5, 2 * (1.5**0.5 - 0.5**0.5), -(0.5**0.5), -2 - 2 * 1.5**0.5],
    ),
    (BordaCount(), "b a c d", [11.0, 8.0, 6.0, 5.0]),
    (SimpleBorda(), "b a c d", [11.0, 6.5, 5.0, 2.5]),
    (Condorcet(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (Copeland(), "b a c d", [3.0, 2.0, 1.0, 0.0]),
    (ReciprocalRankFusion(), "b a c d", [1 / 62 + 2 / 61, 1 / 61 + 1 / 62.5, 1 / 63 + 1 / 62, 1 / 62.5]),
    (ReciprocalRankFusion(k=0), "b a c d", [2.5, 1.4, 1 / 3 + 0.5, 0.4]),
    # Ranks over 4, ascending: a 1/4 5/8 1, b 1/4 1/4 1/2, c 1/2 3/4 1, d 5/8 1 1.
    (RankStatistic(), "b a c d", [1.0, -0.75, -1.5, -2.25]),
    (RankStatistic(statistic="geometric-mean"), "b a c d", [-log10(x) / 3 for x in (1 / 32, 5 / 32, 3 / 8, 5 / 8)]),
    (RankStatistic(statistic="median"), "b a c d", [-log10(x) for x in (1 / 4, 5 / 8, 3 / 4)] + [0.0]),
    (RankStatistic(statistic="min"), "b a c d", [-log10(x) for x in (1 / 4, 1 / 4, 1 / 2, 5 / 8)]),
    (RankStatistic(statistic="stuart"), "b a c d", [-log10(q) for q in (1 / 16, 121 / 256, 25 / 32, 485 / 512)]),
    # Over the lists' lengths: a 1/3 5/6, b 1/3 1/2 2/3, c 1 1, d 5/6.
    (RankStatistic(full=True), "b a d c", [0.0, -(24**0.5) / 12, -(12**0.5) / 3, -(24**0.5) / 2]),
    # rho is 1/8 for b (k = 3), 37/64 for a (k = 1), 27/32 for c (k = 2), 485/512 for d (k = 1).
    (RobustRankAggregation(), "b a c d", [log10(8 / 3), 0.0, 0.0, 0.0]),
    # P(U_(k) <= b_k for some k), b the three quantiles at rho: in fractions, the quantiles by bisection.
    (
        RobustRankAggregation(exact=True),
        "b a c d",
        [0.5728646369112225, 0.08507654886434995, 0.012972224249470544, 0.0018323417551223707],
    ),
    (RobustRankAggregation(full=True), "d b a c", [log10(6 / 5), log10(9 / 8), 0.0, 0.0]),
]
