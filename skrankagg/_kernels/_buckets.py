"""Local search among orders with ties: move an item to another bucket, or to a new bucket between two buckets."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def descend(
    before_in: object, tied_in: object, bucket_in: object, n: i64, tolerance: float, at_in: object, n_steps: i64
) -> None:
    # before[a * n + b] is the cost of placing item a before item b, and tied[a * n + b] is the cost of a tie. bucket
    # contains the bucket of each item, numbered from 0 without gaps. Moves items until no single move lowers the cost
    # by more than the tolerance, or until n_steps items have been examined. `at` contains the next item and the number
    # of items examined since the last move.
    before = cast(vec[float], before_in)
    tied = cast(vec[float], tied_in)
    bucket = cast(vec[i64], bucket_in)
    at = vec[float]([0.0] * (2 * n + 2))  # cost of each place: place 2 k + 1 is bucket k, and 2 k is the gap before it
    ahead = vec[float]([0.0] * (n + 1))
    behind = vec[float]([0.0] * (n + 1))
    level = vec[float]([0.0] * (n + 1))
    number = vec[i64]([0] * (2 * n + 2))
    state = cast(vec[i64], at_in)
    x: i64 = state[0]
    quiet: i64 = state[1]
    while quiet < n and n_steps > 0:
        n_steps -= 1
        n_buckets: i64 = 0
        for y in range(n):
            if bucket[y] >= n_buckets:
                n_buckets = bucket[y] + 1
        for k in range(n_buckets):
            ahead[k] = 0.0
            behind[k] = 0.0
            level[k] = 0.0
        row: i64 = x * n
        for y in range(n):
            if y != x:
                k2: i64 = bucket[y]
                ahead[k2] += before[y * n + x]
                behind[k2] += before[row + y]
                level[k2] += tied[row + y]
        cost = 0.0
        for k in range(n_buckets):
            cost += behind[k]
        at[0] = cost
        for k in range(n_buckets):
            at[2 * k + 1] = cost - behind[k] + level[k]
            cost += ahead[k] - behind[k]
            at[2 * k + 2] = cost
        here: i64 = 2 * bucket[x] + 1
        best = at[here] - tolerance
        to: i64 = here
        for k in range(2 * n_buckets + 1):
            if at[k] < best:
                best = at[k]
                to = k
        if to == here:
            quiet += 1
        else:
            quiet = 0
            for k in range(2 * n_buckets + 1):
                number[k] = 0
            for y in range(n):
                bucket[y] = 2 * bucket[y] + 1
            bucket[x] = to
            for y in range(n):
                number[bucket[y]] = 1
            seen: i64 = 0
            for k in range(2 * n_buckets + 1):
                if number[k] > 0:
                    number[k] = seen
                    seen += 1
            for y in range(n):
                bucket[y] = number[bucket[y]]
        x += 1
        if x == n:
            x = 0
    state[0] = x
    state[1] = quiet
