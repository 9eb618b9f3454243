"""Discordant pairs between two rankings of the same items."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def discordant_pairs(ptr_in: object, tie_end_in: object, other_in: object) -> tuple[vec[float], vec[float]]:
    # For each segment of rows, counts the pairs that two rankings put in opposite orders, and the pairs that neither
    # ranking ties. The rows are sorted by the first ranking. tie_end contains the end of each row's tie group in the
    # first ranking. `other` contains integers that order the rows by the second ranking, and are equal for ties. They
    # are at least 0 and below the length of the segment.
    ptr = cast(vec[i64], ptr_in)
    tie_end = cast(vec[i64], tie_end_in)
    other = cast(vec[i64], other_in)
    n_segments: i64 = len(ptr) - 1
    discordant = vec[float]([0.0] * n_segments)
    ordered = vec[float]([0.0] * n_segments)
    longest: i64 = 0
    for s in range(n_segments):
        if ptr[s + 1] - ptr[s] > longest:
            longest = ptr[s + 1] - ptr[s]
    # A Fenwick tree over the second ranking counts the rows of the earlier tie groups.
    tree = vec[i64]([0] * (longest + 1))
    for s in range(n_segments):
        start: i64 = ptr[s]
        end: i64 = ptr[s + 1]
        n: i64 = end - start
        for k in range(n + 1):
            tree[k] = 0
        worse: i64 = 0
        pairs: i64 = 0
        p: i64 = start
        while p < end:
            group_end: i64 = tie_end[p]
            above: i64 = p - start
            for r in range(p, group_end):
                below_or_equal: i64 = 0
                k2: i64 = other[r] + 1
                while k2 > 0:
                    below_or_equal += tree[k2]
                    k2 -= k2 & (-k2)
                below: i64 = 0
                k2 = other[r]
                while k2 > 0:
                    below += tree[k2]
                    k2 -= k2 & (-k2)
                worse += above - below_or_equal
                pairs += above - (below_or_equal - below)
            while p < group_end:
                k3: i64 = other[p] + 1
                while k3 <= n:
                    tree[k3] += 1
                    k3 += k3 & (-k3)
                p += 1
        discordant[s] = float(worse)
        ordered[s] = float(pairs)
    return discordant, ordered
