"""Local search among orders: take an item out and insert it where the order becomes cheapest."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def _descend(
    margin: vec[float], order: vec[i64], n: i64, tolerance: float, at: vec[i64], total: float, n_steps: i64
) -> float:
    # margin[a * n + b] is the extra cost of placing item a before item b instead of after it. Changes the order in
    # place until no single insertion lowers the cost by more than the tolerance, or until n_steps items have been
    # examined. `at` contains the next place and the number of items examined since the last move. Returns the total
    # change of the cost.
    p: i64 = at[0]
    quiet: i64 = at[1]
    while quiet < n and n_steps > 0:
        n_steps -= 1
        item: i64 = order[p]
        row: i64 = item * n
        best = -tolerance
        to: i64 = p
        change = 0.0
        q: i64 = p - 1
        while q >= 0:
            change += margin[row + order[q]]
            if change < best:
                best = change
                to = q
            q -= 1
        change = 0.0
        for q in range(p + 1, n):
            change -= margin[row + order[q]]
            if change < best:
                best = change
                to = q
        if to == p:
            quiet += 1
            p += 1
        else:
            total += best
            quiet = 0
            q = p
            while q > to:
                order[q] = order[q - 1]
                q -= 1
            while q < to:
                order[q] = order[q + 1]
                q += 1
            order[to] = item
            if to < p:  # the item has moved up, past the item that is now at p
                p += 1
        if p >= n:
            p = 0
    at[0] = p
    at[1] = quiet
    return total


def descend(
    margin_in: object, order_in: object, n: i64, tolerance: float, at_in: object, total: float, n_steps: i64
) -> float:
    margin = cast(vec[float], margin_in)
    return _descend(margin, cast(vec[i64], order_in), n, tolerance, cast(vec[i64], at_in), total, n_steps)


def iterate(
    margin_in: object,
    current_in: object,
    n: i64,
    tolerance: float,
    start_in: object,
    uniform_in: object,
    n_moves: i64,
    span: i64,
    slack: float,
) -> tuple[vec[i64], vec[i64], vec[float]]:
    # Iterated local search. Each round displaces some items by a few places, and then descends. The search continues
    # from the result if its cost exceeds the best cost by at most the slack. start contains the costs of the current
    # and of the best order, minus the cost of the first order. uniform contains 2 * n_moves random numbers for each
    # round. Returns the best order found here, the current order, and the costs of both.
    margin = cast(vec[float], margin_in)
    current = cast(vec[i64], current_in)
    start = cast(vec[float], start_in)
    uniform = cast(vec[float], uniform_in)
    cost = start[0]
    least = start[1]
    best = vec[i64]([0] * n)
    for k in range(n):
        best[k] = current[k]
    order = vec[i64]([0] * n)
    n_rounds: i64 = len(uniform) // (2 * n_moves)
    at = vec[i64]([0, 0])
    endless: i64 = 1 << 62
    for r in range(n_rounds):
        for k in range(n):
            order[k] = current[k]
        change = 0.0
        for m in range(n_moves):
            u: i64 = 2 * (r * n_moves + m)
            p: i64 = i64(uniform[u] * float(n))
            q: i64 = p + i64((2.0 * uniform[u + 1] - 1.0) * float(span + 1))
            if q < 0:
                q = 0
            if q >= n:
                q = n - 1
            item: i64 = order[p]
            row: i64 = item * n
            while p > q:
                order[p] = order[p - 1]
                change += margin[row + order[p]]
                p -= 1
            while p < q:
                order[p] = order[p + 1]
                change -= margin[row + order[p]]
                p += 1
            order[q] = item
        at[0] = 0
        at[1] = 0
        change += _descend(margin, order, n, tolerance, at, 0.0, endless)
        if cost + change <= least + slack + tolerance:
            cost += change
            for k in range(n):
                current[k] = order[k]
            if cost < least - tolerance:
                least = cost
                for k in range(n):
                    best[k] = order[k]
    return best, current, vec[float]([cost, least])
