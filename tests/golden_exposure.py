"""Golden results of every exposure measure, one line for each: name, options, ranking, groups of the items, value."""

from math import log, log2

__all__ = ["MEASURES"]

# Item n has no group, z is not in the ranking.
GROUPS = {"a": "x", "b": "x", "c": "y", "d": "y", "z": "w"}
KL_FIRST = log(2)
KL_THIRD = 2 / 3 * log(4 / 3) + 1 / 3 * log(2 / 3)
Z = [1 / log2(i + 1) for i in range(1, 6)]

MEASURES = [
    ("exposure_difference", {}, "a n c b d", GROUPS, (1 + 1 / log2(5)) / 2 - (1 / 2 + 1 / log2(6)) / 2),
    ("exposure_difference", {"k": 3}, "a n c b d", GROUPS, 1 / 2 - 1 / 4),
    ("exposure_ratio", {"k": 3}, "a n c b d", GROUPS, 1 / 2),
    ("attention_difference", {"persistence": 0.5}, "a n c b d", GROUPS, (1 / 2 + 1 / 16) / 2 - (1 / 8 + 1 / 32) / 2),
    ("attention_ratio", {"persistence": 0.5, "k": 4}, "a n c b d", GROUPS, (1 / 8) / (1 / 2 + 1 / 16)),
    ("rank_parity", {}, "a n c b d", GROUPS, 3 / 4 - 1 / 4),
    ("min_skew", {"k": 4}, "a n c b d", GROUPS, log((1 / 3) / (1 / 2))),
    ("max_skew", {"k": 4}, "a n c b d", GROUPS, log((2 / 3) / (1 / 2))),
    (
        "ndkl",
        {},
        "a n c b d",
        GROUPS,
        ((Z[0] + Z[1]) * KL_FIRST + Z[3] * KL_THIRD) / sum(Z),
    ),
    ("ndkl", {"k": 2}, "n a c b d", GROUPS, KL_FIRST),
]
