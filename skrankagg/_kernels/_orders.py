"""Costs of orders, quicksort of items around random pivots, and insertion of items by majorities."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def order_costs(
    first: i64,
    last: i64,
    n: i64,
    margin_in: object,
    tied_in: object,
    query_in: object,
    order_in: object,
    bucket_in: object,
) -> vec[float]:
    # Returns the costs of the orders first..last - 1 of n items. A cost is the sum of the margins of each item over all
    # items below it. For two items in one bucket, their value in tied is subtracted instead. Buckets belong to places,
    # and their numbers increase along an order.
    margin = cast(vec[float], margin_in)
    tied = cast(vec[float], tied_in)
    query = cast(vec[i64], query_in)
    order = cast(vec[i64], order_in)
    bucket = cast(vec[i64], bucket_in)
    cost = vec[float]([0.0] * (last - first))
    for v in range(first, last):
        begin: i64 = v * n
        end: i64 = begin + n
        base: i64 = query[v] * n * n
        total = 0.0
        for p in range(begin, end):
            row: i64 = base + order[p] * n
            mine: i64 = bucket[p]
            s: i64 = p + 1
            while s < end and bucket[s] == mine:
                total -= tied[row + order[s]]
                s += 1
            while s < end:
                total += margin[row + order[s]]
                s += 1
        cost[v - first] = total
    return cost


def pivot_orders(
    first: i64,
    last: i64,
    n: i64,
    n_orders: i64,
    margin_in: object,
    low_in: object,
    high_in: object,
    number_in: object,
    order_in: object,
) -> i64:
    # Writes n_orders orders of n items for each of the queries first..last - 1 into `order`. Returns the first query
    # for which there were not enough random numbers, or `last`. Every query uses the same stream. `low` and `high`
    # contain the 32-bit halves of the k-th draw of 64 bits, and `number` contains the number from 0 to 1 that both
    # halves give.
    #
    # A pivot is drawn as NumPy's Generator draws an integer below 2 ** 32. It uses the lower half of a new draw, and
    # the upper half for the next pivot. The upper half is kept even if other numbers are drawn in between.
    margin = cast(vec[float], margin_in)
    low = cast(vec[i64], low_in)
    high = cast(vec[i64], high_in)
    number = cast(vec[float], number_in)
    order = cast(vec[i64], order_in)
    left_from = vec[i64]([0] * (n + 1))
    left_to = vec[i64]([0] * (n + 1))
    below = vec[i64]([0] * n)
    n_drawn: i64 = len(low)
    for q in range(first, last):
        base: i64 = q * n * n
        at: i64 = 0
        half: i64 = -1
        for k in range(n_orders):
            begin: i64 = ((q - first) * n_orders + k) * n
            for i in range(n):
                order[begin + i] = i
            n_left: i64 = 1
            left_from[0] = begin
            left_to[0] = begin + n
            while n_left > 0:
                n_left -= 1
                start: i64 = left_from[n_left]
                stop: i64 = left_to[n_left]
                size: i64 = stop - start
                if size < 2:
                    continue
                chosen: i64 = -1
                while chosen < 0:
                    bits: i64 = half
                    if bits >= 0:
                        half = -1
                    else:
                        if at >= n_drawn:
                            return q
                        bits = low[at]
                        half = high[at]
                        at += 1
                    product: i64 = bits * size
                    rest: i64 = product & 4294967295
                    # Reject the few values that would make some numbers more likely than others.
                    if rest >= size or rest >= (4294967296 - size) % size:
                        chosen = product >> 32
                pivot: i64 = order[start + chosen]
                column: i64 = base + pivot
                n_above: i64 = start
                n_below: i64 = 0
                for p in range(start, stop):
                    item: i64 = order[p]
                    if item == pivot:
                        continue
                    against = margin[column + item * n]
                    goes_above = against < 0.0
                    if against == 0.0:
                        # An item that ties with the pivot goes to a random side.
                        if at >= n_drawn:
                            return q
                        goes_above = number[at] < 0.5
                        at += 1
                    if goes_above:
                        order[n_above] = item
                        n_above += 1
                    else:
                        below[n_below] = item
                        n_below += 1
                order[n_above] = pivot
                for p in range(n_below):
                    order[n_above + 1 + p] = below[p]
                left_from[n_left] = n_above + 1
                left_to[n_left] = stop
                left_from[n_left + 1] = start
                left_to[n_left + 1] = n_above
                n_left += 2
    return last


def majority_insertions(first: i64, last: i64, n: i64, margin_in: object, order_in: object) -> None:
    # Improves the orders of n items of the queries first..last - 1 in place. Each item moves up as long as a majority
    # prefers it to the item above.
    margin = cast(vec[float], margin_in)
    order = cast(vec[i64], order_in)
    for q in range(first, last):
        begin: i64 = q * n
        for p in range(begin, begin + n):
            item: i64 = order[p]
            row: i64 = q * n * n + item * n
            place: i64 = p
            while place > begin and margin[row + order[place - 1]] < 0.0:
                order[place] = order[place - 1]
                place -= 1
            order[place] = item


def draw_places(first: i64, last: i64, n: i64, margin_in: object, order_in: object) -> vec[i64]:
    # For each place of the orders of n items of the queries first..last - 1, finds the first place of its tie group. A
    # new group begins with an item whose margin against some item of the group is not 0.
    margin = cast(vec[float], margin_in)
    order = cast(vec[i64], order_in)
    places = vec[i64]([0] * ((last - first) * n))
    for q in range(first, last):
        begin: i64 = q * n
        start: i64 = 0
        for p in range(n):
            column: i64 = q * n * n + order[begin + p]
            for s in range(start, p):
                if margin[column + order[begin + s] * n] != 0.0:
                    start = p
                    break
            places[(q - first) * n + p] = start
    return places
