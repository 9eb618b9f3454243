"""The frame of the docstrings, and what every method makes of it: one line for each variant.

These estimators are the ones that every common check runs on.
"""

import pandas as pd

from skrankagg import (
    DIBRA,
    Agglomerative,
    BordaCount,
    CombMNZ,
    CombSUM,
    Condorcet,
    Copeland,
    PreferenceRelations,
    ReciprocalRankFusion,
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


#: What DIBRA's weights 6.056..., 19.836... and 3.134... of u, v and w make of u when v has 1 and w 0.
S = (6.056332128285967 - 3.1348626768432593) / (19.836387251497346 - 3.1348626768432593)

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
    # No majority is contradicted, so all weights are 1; then u, v and w each lose the half of one decided pair.
    (PreferenceRelations(), "b a c d", [8.0, 4.0, 3.0, 1.0]),
    (PreferenceRelations(alpha=0.5, absent_edges=False), "b a c d", [10 / 3, 5 / 3, 0.0, 0.0]),
    # Weights 5, 4, 4; in exact fractions.
    (Agglomerative(), "b a c d", [34 / 9, 22 / 9, -2.0, -38 / 9]),
    (Agglomerative(weight_update="similarity"), "a b c d", [14 / 3, 8 / 3, -2.0, -16 / 3]),
    # Scaled weights s = 0.174922..., 1 and 0 (by plain loops): b has 0.75 s + 1, a s + 0.625, d s/4 + 0.625, c s/2 +
    # 0.25.
    (DIBRA(), "b a d c", [1 + 0.75 * S, 0.625 + S, 0.625 + S / 4, 0.25 + S / 2]),
    # Cut to a, b and b: b has 1 + s/2, a s + 1/2; d and c follow a at 1 and what they lay behind b before.
    (DIBRA(prune="low"), "b a d c", [1 + S / 2, 0.5 + S, S - 0.5 - (0.375 + S / 2), S - 0.5 - (0.75 + S / 4)]),
    # All three lists are cut to b.
    (DIBRA(prune="wire"), "b a d c", [3.0, 2 - (0.375 - S / 4), 2 - (0.375 + S / 2), 2 - (0.75 + S / 4)]),
]
