"""The least cost of an order of few items, by what each set of first items costs at least."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def cheapest_orders(
    first: i64, last: i64, n_sets: i64, size_in: object, start_in: object, margin_in: object, most_in: object
) -> tuple[vec[float], vec[i64]]:
    # For each of the matrices first..last - 1 of margins, of size[k] items and from start[k] on: the least cost of an
    # order, and in how many ways it is reached, 2 for several. Costs add up what the positive margins of items over
    # those below them come to; the margins are whole numbers, so that equal costs are equal. most[k] is the cost of a
    # known order, n_sets at least 2 ** size[k].
    #
    # A set of items that come first costs what its pairs, and its items before all others, cost at least; a set that
    # costs more than `most` is left out. Where majorities agree on most pairs, few are left. Sets come by their size.
    size = cast(vec[i64], size_in)
    start = cast(vec[i64], start_in)
    margin = cast(vec[float], margin_in)
    most = cast(vec[float], most_in)
    least = vec[float]([0.0] * n_sets)
    ways = vec[i64]([0] * n_sets)  # 0 for a set not reached
    queue = vec[i64]([0] * n_sets)
    rest = vec[i64]([0] * 64)
    found = vec[float]([0.0] * (last - first))
    n_found = vec[i64]([0] * (last - first))
    for k in range(first, last):
        n: i64 = size[k]
        base: i64 = start[k]
        limit = most[k]
        ways[0] = 1
        least[0] = 0.0
        queue[0] = 0
        done: i64 = 0
        n_queued: i64 = 1
        while done < n_queued:
            chosen: i64 = queue[done]
            done += 1
            n_rest: i64 = 0
            for i in range(n):
                if (chosen >> i) & 1 == 0:
                    rest[n_rest] = i
                    n_rest += 1
            for r in range(n_rest):
                item: i64 = rest[r]
                row: i64 = base + item * n
                cost = least[chosen]
                for s in range(n_rest):
                    against = margin[row + rest[s]]
                    if against > 0.0:
                        cost += against
                        if cost > limit:
                            break
                if cost > limit:
                    continue
                larger: i64 = chosen | (1 << item)
                if ways[larger] == 0:
                    queue[n_queued] = larger
                    n_queued += 1
                    least[larger] = cost
                    ways[larger] = ways[chosen]
                elif cost < least[larger]:
                    least[larger] = cost
                    ways[larger] = ways[chosen]
                elif cost == least[larger]:
                    ways[larger] = 2
        whole: i64 = (1 << n) - 1
        found[k - first] = least[whole]
        n_found[k - first] = ways[whole]
        for p in range(n_queued):
            ways[queue[p]] = 0
    return found, n_found
