"""Pairwise majorities over top-k lists."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def _majority_points(
    first: i64,
    last: i64,
    list_ptr: vec[i64],
    row_ptr: vec[i64],
    rank: vec[float],
    candidate: vec[i64],
    list_weight: vec[float],
    candidate_ptr: vec[i64],
    held: vec[float],
    tolerance: vec[float],
    row_list: vec[i64],
    candidate_row_ptr: vec[i64],
    candidate_rows: vec[i64],
) -> tuple[vec[float], vec[float]]:
    # The wins and the draws of each item of queries first..last - 1 against the query's other items.
    #
    # An absent item is below every ranked one and two absent items are not compared, so with P[i, j] the weight of the
    # lists that hold both and prefer i, the margin of i over j is held[i] - held[j] + P[i, j] - P[j, i]: what the lists
    # that hold only one of the two say follows from the totals, and only pairs inside a list are ever touched. One row
    # of margins at a time stays in the cache, where the whole matrix would not fit.
    base: i64 = candidate_ptr[first]
    n_points: i64 = candidate_ptr[last] - base
    wins = vec[float]([0.0] * n_points)
    draws = vec[float]([0.0] * n_points)
    for q in range(first, last):
        start: i64 = candidate_ptr[q]
        n: i64 = candidate_ptr[q + 1] - start
        margin = vec[float]([0.0] * n)
        limit = tolerance[q]
        for i in range(n):
            held_i = held[start + i]
            for j in range(n):
                margin[j] = held_i - held[start + j]
            for k in range(candidate_row_ptr[start + i], candidate_row_ptr[start + i + 1]):
                row: i64 = candidate_rows[k]
                v: i64 = row_list[row]
                weight = list_weight[v]
                place = rank[row]
                begin: i64 = row_ptr[v]
                end: i64 = row_ptr[v + 1]
                p: i64 = row + 1
                while p < end and rank[p] == place:
                    p += 1
                while p < end:
                    margin[candidate[p] - start] += weight
                    p += 1
                p = row - 1
                while p >= begin and rank[p] == place:
                    p -= 1
                while p >= begin:
                    margin[candidate[p] - start] -= weight
                    p -= 1
            margin[i] = -limit - limit - 1.0  # not against itself
            won: i64 = 0
            not_lost: i64 = 0
            for value in margin:
                # Added, not branched on: which way a majority goes is a coin toss to the processor.
                won += i64(value > limit)
                not_lost += i64(value >= -limit)
            wins[start + i - base] = float(won)
            draws[start + i - base] = float(not_lost - won)
    return wins, draws


def majority_points(
    first: i64,
    last: i64,
    list_ptr: object,
    row_ptr: object,
    rank: object,
    candidate: object,
    list_weight: object,
    candidate_ptr: object,
    held: object,
    tolerance: object,
    row_list: object,
    candidate_row_ptr: object,
    candidate_rows: object,
) -> tuple[vec[float], vec[float]]:
    return _majority_points(
        first,
        last,
        cast(vec[i64], list_ptr),
        cast(vec[i64], row_ptr),
        cast(vec[float], rank),
        cast(vec[i64], candidate),
        cast(vec[float], list_weight),
        cast(vec[i64], candidate_ptr),
        cast(vec[float], held),
        cast(vec[float], tolerance),
        cast(vec[i64], row_list),
        cast(vec[i64], candidate_row_ptr),
        cast(vec[i64], candidate_rows),
    )
