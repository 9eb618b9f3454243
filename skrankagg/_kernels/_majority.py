"""Pairwise majorities over top-k lists."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def majority_points(
    first: i64,
    last: i64,
    q: i64,
    row_ptr_in: object,
    rank_in: object,
    candidate_in: object,
    list_weight_in: object,
    candidate_ptr_in: object,
    held_in: object,
    tolerance_in: object,
    row_list_in: object,
    candidate_row_ptr_in: object,
    candidate_rows_in: object,
) -> tuple[vec[float], vec[float]]:
    # Counts the majority wins and the majority ties of candidates first..last - 1 against the other items of their
    # query; q is the query of the first candidate.
    #
    # An absent item is below every ranked item, and two absent items are not compared. Let P[i, j] be the weight of the
    # lists that contain both items and prefer i. Then the margin of i over j is held[i] - held[j] + P[i, j] - P[j, i].
    # Lists with only one of the two items enter through `held`, so only pairs within a list are visited. One row of
    # margins fits into the cache, but the whole matrix would not.
    row_ptr = cast(vec[i64], row_ptr_in)
    rank = cast(vec[float], rank_in)
    candidate = cast(vec[i64], candidate_in)
    list_weight = cast(vec[float], list_weight_in)
    candidate_ptr = cast(vec[i64], candidate_ptr_in)
    held = cast(vec[float], held_in)
    tolerance = cast(vec[float], tolerance_in)
    row_list = cast(vec[i64], row_list_in)
    candidate_row_ptr = cast(vec[i64], candidate_row_ptr_in)
    candidate_rows = cast(vec[i64], candidate_rows_in)
    wins = vec[float]([0.0] * (last - first))
    draws = vec[float]([0.0] * (last - first))
    done: i64 = first
    while done < last:
        start: i64 = candidate_ptr[q]
        n: i64 = candidate_ptr[q + 1] - start
        margin = vec[float]([0.0] * n)
        limit = tolerance[q]
        stop: i64 = start + n
        if stop > last:
            stop = last
        for i in range(done - start, stop - start):
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
                # Add without a branch, because the processor cannot predict the direction of a majority.
                won += i64(value > limit)
                not_lost += i64(value >= -limit)
            wins[start + i - first] = float(won)
            draws[start + i - first] = float(not_lost - won)
        done = stop
        q += 1
    return wins, draws
