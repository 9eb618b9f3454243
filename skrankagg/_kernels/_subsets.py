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
    # costs more than `most` is left out, as most are where majorities seldom contradict each other. Sets come by size.
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


def cheapest_buckets(
    n: i64, before_in: object, level_in: object, most: float, n_steps: i64
) -> tuple[float, i64, i64, vec[i64]]:
    # The least cost of an order with ties of n items; in how many ways it is reached, 2 for several, 0 where no order
    # costs up to `most`, -1 where so many steps were too few to tell; the most pairs that such an order ties; and one
    # that ties them, as the bucket of each item, from 0 for the last. before[i * n + j] is the cost of i before j,
    # level[i * n + j] that of a tie; all are whole and at least 0.
    #
    # A set of items that come first is followed by each bucket of others that is not too dear: whether it takes each of
    # them is decided in turn.
    before = cast(vec[float], before_in)
    level = cast(vec[float], level_in)
    n_sets: i64 = 1 << n
    least = vec[float]([0.0] * n_sets)
    ways = vec[i64]([0] * n_sets)
    tied = vec[i64]([0] * n_sets)
    final = vec[i64]([0] * n_sets)  # the last bucket of a set
    place = vec[i64]([0] * n)
    rest = vec[i64]([0] * (n + 1))
    taken = vec[i64]([0] * (n + 1))  # 1 for taken, 0 for left, 2 before that is decided
    cost = vec[float]([0.0] * (n + 1))
    ways[0] = 1
    for chosen in range(n_sets - 1):
        if ways[chosen] == 0:
            continue
        n_rest: i64 = 0
        for i in range(n):
            if (chosen >> i) & 1 == 0:
                rest[n_rest] = i
                n_rest += 1
        limit = most - least[chosen]
        p: i64 = 0
        size: i64 = 0
        bucket: i64 = 0
        taken[0] = 2
        while p >= 0:
            if p == n_rest:
                if size > 0:
                    larger: i64 = chosen | bucket
                    total = least[chosen] + cost[p]
                    pairs: i64 = tied[chosen] + size * (size - 1) // 2
                    if ways[larger] == 0 or total < least[larger]:
                        least[larger] = total
                        ways[larger] = ways[chosen]
                        tied[larger] = pairs
                        final[larger] = bucket
                    elif total == least[larger]:
                        ways[larger] = 2
                        if pairs > tied[larger]:
                            tied[larger] = pairs
                            final[larger] = bucket
                p -= 1
                continue
            item: i64 = rest[p]
            if taken[p] == 0:
                p -= 1
                continue
            if taken[p] == 1:
                taken[p] = 0
                size -= 1
                bucket ^= 1 << item
            else:
                taken[p] = 1
            n_steps -= p + 4
            if n_steps < 0:
                return 0.0, -1, 0, place
            more = cost[p]
            if taken[p] == 1:
                size += 1
                bucket |= 1 << item
                row: i64 = item * n
                for s in range(p):
                    if taken[s] == 1:
                        more += level[row + rest[s]]
                    else:
                        more += before[row + rest[s]]
            else:
                for s in range(p):
                    if taken[s] == 1:
                        more += before[rest[s] * n + item]
            if more <= limit:
                cost[p + 1] = more
                p += 1
                if p < n_rest:
                    taken[p] = 2
    whole: i64 = n_sets - 1
    k: i64 = 0
    left: i64 = whole
    while left > 0 and ways[whole] > 0:
        for i in range(n):
            if (final[left] >> i) & 1 == 1:
                place[i] = k
        left ^= final[left]
        k += 1
    return least[whole], ways[whole], tied[whole], place
