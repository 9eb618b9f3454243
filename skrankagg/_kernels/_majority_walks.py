"""Long-run distributions of walkers that move to items preferred by a majority."""

from typing import Final, cast

from librt.vecs import vec
from mypy_extensions import i64

# Iterations after which another method must take over, and the largest relative change in the last iteration.
_MOST: Final = 100
_NEAR: Final = 1e-13


def majority_walks(
    exception_in: object,
    wins_in: object,
    ptr_in: object,
    upper_in: object,
    lower_in: object,
    start_in: object,
    n_states_in: object,
    n: i64,
    jump: float,
) -> tuple[vec[float], vec[i64]]:
    # Returns the distributions of all draws, one after the other, and 1 for each draw that has converged.
    #
    # In a draw without exceptions, each item beats all items after it. The equations are then triangular: the share of
    # an item follows from the shares of the items after it. Each exception adds or removes one term. The method of
    # Gauss and Seidel repeats the substitution until the shares no longer change.
    exception = cast(vec[i64], exception_in)
    wins = cast(vec[i64], wins_in)
    ptr = cast(vec[i64], ptr_in)
    upper = cast(vec[i64], upper_in)
    lower = cast(vec[i64], lower_in)
    start = cast(vec[float], start_in)
    n_states = cast(vec[float], n_states_in)
    n_draws: i64 = len(n_states)
    share = vec[float]([0.0] * (n_draws * n))
    converged = vec[i64]([0] * n_draws)
    x = vec[float]([0.0] * n)
    stays = vec[float]([0.0] * n)
    gain = vec[float]([0.0] * n)
    most: i64 = 0
    for d in range(n_draws):
        if ptr[d + 1] - ptr[d] > most:
            most = ptr[d + 1] - ptr[d]
    # The exceptions of a draw: the lower items, sorted by the upper item, and the pairs in which the lower item wins.
    other = vec[i64]([0] * most)
    row_ptr = vec[i64]([0] * (n + 1))
    winner = vec[i64]([0] * most)
    loser = vec[i64]([0] * most)
    for d in range(n_draws):
        for i in range(n):
            x[i] = 0.0
            stays[i] = float(i)
        n_rows: i64 = 0
        n_wins: i64 = 0
        item: i64 = 0
        for k in range(ptr[d], ptr[d + 1]):
            above: i64 = upper[exception[k]]
            below: i64 = lower[exception[k]]
            while item <= above:
                row_ptr[item] = n_rows
                item += 1
            other[n_rows] = below
            n_rows += 1
            stays[below] -= 1.0
            if wins[k] != 0:
                stays[above] += 1.0
                winner[n_wins] = below
                loser[n_wins] = above
                n_wins += 1
        while item <= n:
            row_ptr[item] = n_rows
            item += 1
        rate = (1.0 - jump) / n_states[d]
        for i in range(n):
            stays[i] = jump + rate * stays[i]
        for _ in range(_MOST):
            for i in range(n):
                gain[i] = jump / rate * start[d * n + i]
            for k in range(n_wins):
                gain[winner[k]] += x[loser[k]]
            passed = 0.0
            near = True
            item = n - 1
            while item >= 0:
                given = gain[item] + passed
                for row in range(row_ptr[item], row_ptr[item + 1]):
                    given -= x[other[row]]
                value = rate * given / stays[item]
                change = value - x[item]
                if change > _NEAR * value or -change > _NEAR * value:
                    near = False
                x[item] = value
                passed += value
                item -= 1
            if near:
                converged[d] = 1
                break
        total = 0.0
        for i in range(n):
            if x[i] < 0.0:
                x[i] = 0.0
            total += x[i]
        for i in range(n):
            share[d * n + i] = x[i] / total
    return share, converged
