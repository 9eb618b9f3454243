"""Preferences between items that a list holds both of."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def co_ranked(
    row_ptr_in: object,
    item_in: object,
    rank_in: object,
    weight_in: object,
    base_in: object,
    n_items: i64,
    n_cells: i64,
    with_ties: bool,
) -> tuple[vec[float], vec[float]]:
    # Square matrices, one after the other: in row i and column j the weight of i's rows in the lists that rank j above
    # i, and of those that rank the two alike. List v's matrix begins at base[v].
    #
    # Everything that one row of a list adds falls into one row of its matrix, which stays in the cache.
    row_ptr = cast(vec[i64], row_ptr_in)
    item = cast(vec[i64], item_in)
    rank = cast(vec[float], rank_in)
    weight = cast(vec[float], weight_in)
    base = cast(vec[i64], base_in)
    above = vec[float]([0.0] * n_cells)
    level = vec[float]([0.0] * n_cells)
    n_lists: i64 = len(base)
    for v in range(n_lists):
        end: i64 = row_ptr[v + 1]
        begin: i64 = row_ptr[v]
        first_tied: i64 = begin
        for p in range(begin, end):
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
    return above, level
