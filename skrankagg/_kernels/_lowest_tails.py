"""Smallest probabilities of robust rank aggregation, for many draws of the lists."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def lowest_tails(
    count_in: object,
    row_list_in: object,
    which_in: object,
    ptr_in: object,
    first_cell_in: object,
    table_in: object,
    n_lists: i64,
    n_distinct: i64,
) -> vec[float]:
    # Returns the smallest probability of each candidate in each draw, one draw after the other.
    count = cast(vec[i64], count_in)
    row_list = cast(vec[i64], row_list_in)
    which = cast(vec[i64], which_in)
    ptr = cast(vec[i64], ptr_in)
    first_cell = cast(vec[i64], first_cell_in)
    table = cast(vec[float], table_in)
    n_items: i64 = len(ptr) - 1
    n_draws: i64 = len(first_cell)
    found = vec[float]([0.0] * (n_draws * n_items))
    for d in range(n_draws):
        for c in range(n_items):
            cell: i64 = first_cell[d]
            lowest = 0.0
            row: i64 = ptr[c]
            while row < ptr[c + 1]:
                copies: i64 = count[d * n_lists + row_list[row]]
                if copies > 0:
                    cell += copies * n_distinct
                    value = table[cell + which[row]]
                    if value < lowest:
                        lowest = value
                row += 1
            found[d * n_items + c] = lowest
    return found
