"""Preferences between items that occur in the same list."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def co_ranked(
    first: i64,
    last: i64,
    v: i64,
    row_ptr_in: object,
    item_in: object,
    rank_in: object,
    weight_in: object,
    base_in: object,
    n_items: i64,
    with_ties: bool,
    above_in: object,
    level_in: object,
) -> None:
    # Adds the preferences of rows first..last - 1 to square matrices; the first row is in list v. The matrix of list v
    # begins at base[v]. In `above`, cell (i, j) gets the weight of i's row in each list that ranks j above i. In
    # `level`, it gets the weight of i's row in each list that ties i and j.
    #
    # All contributions of one row of a list go to one row of its matrix, which stays in the cache.
    row_ptr = cast(vec[i64], row_ptr_in)
    item = cast(vec[i64], item_in)
    rank = cast(vec[float], rank_in)
    weight = cast(vec[float], weight_in)
    base = cast(vec[i64], base_in)
    above = cast(vec[float], above_in)
    level = cast(vec[float], level_in)
    done: i64 = first
    while done < last:
        end: i64 = row_ptr[v + 1]
        begin: i64 = row_ptr[v]
        first_tied: i64 = done
        while first_tied > begin and rank[first_tied - 1] == rank[done]:
            first_tied -= 1
        stop: i64 = end
        if stop > last:
            stop = last
        for p in range(done, stop):
            if rank[p] != rank[first_tied]:
                first_tied = p
            cell: i64 = base[v] + item[p] * n_items
            mine = weight[p]
            for s in range(begin, first_tied):
                above[cell + item[s]] += mine
            if with_ties:
                t: i64 = first_tied
                while t < end and rank[t] == rank[p]:
                    level[cell + item[t]] += mine
                    t += 1
            else:
                level[cell + item[p]] += mine
        done = stop
        v += 1
