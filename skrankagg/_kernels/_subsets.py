"""Least cost of an order of few items, computed from the least cost of each set of first items."""

from typing import cast

from librt.vecs import append, vec
from mypy_extensions import i64


def cheapest_orders(
    first: i64, last: i64, n_sets: i64, size_in: object, start_in: object, margin_in: object, most_in: object
) -> tuple[vec[float], vec[i64]]:
    # For each of the matrices first..last - 1, finds the least cost of an order, and the number of orders with this
    # cost, where 2 means several. Matrix k contains the margins of size[k] items and begins at start[k]. The cost of an
    # order is the sum of the positive margins of items over the items below them. The margins are integers, so equal
    # costs are exactly equal. most[k] is the cost of a known order, and n_sets must be at least 2 ** size[k].
    #
    # The cost of a set of first items is the least cost of the pairs with at least one item in the set. Sets that cost
    # more than `most` are left out. If majorities seldom contradict each other, most sets are left out. Sets are
    # processed in order of size.
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
) -> tuple[float, i64, i64, i64, vec[i64]]:
    # Returns five values for orders with ties of n items:
    # - the least cost;
    # - the number of orders with this cost: 2 for several, 0 if no order costs up to `most`, -1 if n_steps are too few;
    # - the largest number of pairs that such an order ties;
    # - the number of orders with this cost and this number of ties, 2 for several;
    # - one of these orders, as the bucket of each item, where bucket 0 is the last.
    # before[i * n + j] is the cost of placing i before j, and level[i * n + j] is the cost of a tie. All costs are
    # integers of at least 0. The search needs the fewest steps if the items are numbered roughly from the last item of
    # a cheap order to its first item.
    #
    # A set of first items is followed by each bucket of other items that is not too expensive. The items of the bucket
    # are decided one by one. The cost of an undecided item is at least the smaller of two costs with the decided items:
    # its cost if it is taken, and its cost if it is left out. Few sets are reached. They are numbered in the order in
    # which they are reached, and their numbers are stored in pages of 64 sets.
    before = cast(vec[float], before_in)
    level = cast(vec[float], level_in)
    page = vec[i64]([-1] * (((1 << n) >> 6) + 1))
    number = vec[i64]([])  # 0 for a set not reached
    chosen_set = vec[i64]([0])
    least = vec[float]([0.0])
    ways = vec[i64]([1])
    tied = vec[i64]([0])
    tied_ways = vec[i64]([1])
    final = vec[i64]([0])  # the last bucket of a set
    following = vec[i64]([-1])  # the next set with the same number of items
    of_size = vec[i64]([-1] * (n + 1))
    of_size[0] = 0
    place = vec[i64]([0] * n)
    rest = vec[i64]([0] * (n + 1))
    taken = vec[i64]([0] * (n + 1))  # 1 for taken, 0 for left out, 2 if undecided
    cost = vec[float]([0.0] * (n + 1))
    # Row k contains the costs after k decisions: the cost of each other item if it is taken, and if it is left out.
    if_taken = vec[float]([0.0] * ((n + 1) * n))
    if_left = vec[float]([0.0] * ((n + 1) * n))
    n_done: i64 = 0
    at: i64 = 0
    while n_done < n:
        if at < 0:
            n_done += 1
            at = of_size[n_done]
            continue
        here: i64 = at
        at = following[here]
        chosen: i64 = chosen_set[here]
        n_rest: i64 = 0
        for i in range(n):
            if (chosen >> i) & 1 == 0:
                rest[n_rest] = i
                n_rest += 1
        limit = most - least[here]
        p: i64 = 0
        size: i64 = 0
        bucket: i64 = 0
        taken[0] = 2
        while p >= 0:
            if p == n_rest:
                if size > 0:
                    larger: i64 = chosen | bucket
                    entry: i64 = page[larger >> 6]
                    if entry < 0:
                        entry = len(number)
                        page[larger >> 6] = entry
                        for _ in range(64):
                            number = append(number, 0)
                    entry += larger & 63
                    there: i64 = number[entry]
                    total = least[here] + cost[p]
                    pairs: i64 = tied[here] + size * (size - 1) // 2
                    if there == 0:
                        there = len(least)
                        number[entry] = there
                        chosen_set = append(chosen_set, larger)
                        least = append(least, total)
                        ways = append(ways, ways[here])
                        tied = append(tied, -1)
                        tied_ways = append(tied_ways, 0)
                        final = append(final, 0)
                        following = append(following, of_size[n_done + size])
                        of_size[n_done + size] = there
                    elif total < least[there]:
                        least[there] = total
                        ways[there] = ways[here]
                        tied[there] = -1
                    elif total == least[there]:
                        ways[there] = 2
                    if total == least[there]:
                        if pairs > tied[there]:
                            tied[there] = pairs
                            tied_ways[there] = tied_ways[here]
                            final[there] = bucket
                        elif pairs == tied[there]:
                            tied_ways[there] = 2
                p -= 1
                continue
            item: i64 = rest[p]
            if taken[p] == 0:
                p -= 1
                continue
            old: i64 = p * n
            if taken[p] == 1:
                taken[p] = 0
                size -= 1
                bucket ^= 1 << item
                more = cost[p] + if_left[old + p]
            else:
                taken[p] = 1
                size += 1
                bucket |= 1 << item
                more = cost[p] + if_taken[old + p]
            n_steps -= 4
            if n_steps < 0:
                return 0.0, -1, 0, 0, place
            if more > limit:
                continue
            new: i64 = old + n
            foreseen = more
            s: i64 = p + 1
            n_steps -= n_rest - s
            while s < n_rest and foreseen <= limit:
                other: i64 = rest[s]
                with_it = if_taken[old + s]
                without = if_left[old + s]
                if taken[p] == 1:
                    with_it += level[item * n + other]
                    without += before[item * n + other]
                else:
                    with_it += before[other * n + item]
                if_taken[new + s] = with_it
                if_left[new + s] = without
                foreseen += with_it if with_it < without else without
                s += 1
            if foreseen <= limit:
                cost[p + 1] = more
                p += 1
                if p < n_rest:
                    taken[p] = 2
    if of_size[n] < 0:
        return 0.0, 0, 0, 0, place
    whole: i64 = of_size[n]  # the only set of all items
    k: i64 = 0
    left: i64 = (1 << n) - 1
    while left > 0:
        last: i64 = final[number[page[left >> 6] + (left & 63)]]
        for i in range(n):
            if (last >> i) & 1 == 1:
                place[i] = k
        left ^= last
        k += 1
    return least[whole], ways[whole], tied[whole], tied_ways[whole], place
