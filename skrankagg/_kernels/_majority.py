"""Pairwise majorities over top-k lists."""

from librt.vecs import vec
from mypy_extensions import i64


def majority_points(
    first: i64,
    last: i64,
    list_ptr: vec[i64],
    row_ptr: vec[i64],
    rank: vec[float],
    pair: vec[i64],
    list_weight: vec[float],
    pair_ptr: vec[i64],
    held: vec[float],
    tolerance: vec[float],
) -> tuple[vec[float], vec[float]]:
    # The wins and the draws of each item of queries first..last - 1 against the query's other items.
    #
    # An absent item is below every ranked one and two absent items are not compared, so with P[i, j] the weight of the
    # lists that hold both and prefer i, the margin of i over j is held[i] - held[j] + P[i, j] - P[j, i]: what the lists
    # that hold only one of the two say follows from the totals, and only pairs inside a list are ever touched.
    base: i64 = pair_ptr[first]
    n_points: i64 = pair_ptr[last] - base
    wins = vec[float]([0.0] * n_points)
    draws = vec[float]([0.0] * n_points)
    for q in range(first, last):
        start: i64 = pair_ptr[q]
        n: i64 = pair_ptr[q + 1] - start
        prefers = vec[float]([0.0] * (n * n))
        for v in range(list_ptr[q], list_ptr[q + 1]):
            weight = list_weight[v]
            end: i64 = row_ptr[v + 1]
            p: i64 = row_ptr[v]
            while p < end:
                # Rows p to below - 1 tie: none of them is preferred to another.
                below: i64 = p + 1
                while below < end and rank[below] == rank[p]:
                    below += 1
                while p < below:
                    row: i64 = (pair[p] - start) * n - start
                    b: i64 = below
                    while b < end:
                        prefers[row + pair[b]] += weight
                        b += 1
                    p += 1
        limit = tolerance[q]
        offset: i64 = start - base
        for i in range(n):
            held_i = held[start + i]
            row_i: i64 = i * n
            for j in range(i + 1, n):
                margin = held_i - held[start + j] + prefers[row_i + j] - prefers[j * n + i]
                if margin > limit:
                    wins[offset + i] += 1.0
                elif margin < -limit:
                    wins[offset + j] += 1.0
                else:
                    draws[offset + i] += 1.0
                    draws[offset + j] += 1.0
    return wins, draws
