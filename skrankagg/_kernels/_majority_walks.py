"""Long-run distributions of walkers that move to items preferred by a majority."""

from typing import Final, cast

from librt.vecs import vec
from mypy_extensions import i64

# Largest number of iterations, after which another method must be used, and largest relative error of the result.
_MOST: Final = 100
_NEAR: Final = 1e-14


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
    # Returns the distributions of all draws, one after the other, and a vector with 1 for each draw that has converged.
    #
    # In a draw without exceptions, each item beats all items after it. The equations are then triangular: the share of
    # an item follows from the shares of the items after it. Each exception adds or removes one term. The method of
    # Gauss and Seidel repeats the substitution until the shares no longer change. Fewer repetitions are needed if the
    # shares are scaled to the sum 1 after each of them.
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
    # The exceptions of a draw: for each item, the later items that it does not beat, and the pairs in which the later
    # item wins.
    unbeaten = vec[i64]([0] * most)
    unbeaten_ptr = vec[i64]([0] * (n + 1))
    winner = vec[i64]([0] * most)
    loser = vec[i64]([0] * most)
    for d in range(n_draws):
        for i in range(n):
            x[i] = 0.0
            gain[i] = 0.0
            stays[i] = float(i)
        n_rows: i64 = 0
        n_wins: i64 = 0
        item: i64 = 0
        for k in range(ptr[d], ptr[d + 1]):
            above: i64 = upper[exception[k]]
            below: i64 = lower[exception[k]]
            while item <= above:
                unbeaten_ptr[item] = n_rows
                item += 1
            unbeaten[n_rows] = below
            n_rows += 1
            stays[below] -= 1.0
            if wins[k] != 0:
                stays[above] += 1.0
                winner[n_wins] = below
                loser[n_wins] = above
                n_wins += 1
        while item <= n:
            unbeaten_ptr[item] = n_rows
            item += 1
        rate = (1.0 - jump) / n_states[d]
        for i in range(n):
            stays[i] = jump + rate * stays[i]
        before = 1.0
        scale = 1.0
        for _ in range(_MOST):
            for k in range(n_wins):
                gain[winner[k]] += x[loser[k]]
            passed = 0.0
            largest = 0.0
            item = n - 1
            while item >= 0:
                given = gain[item] * scale + passed
                gain[item] = 0.0
                for row in range(unbeaten_ptr[item], unbeaten_ptr[item + 1]):
                    given -= x[unbeaten[row]]
                value = (jump * start[d * n + item] + rate * given) / stays[item]
                if start[d * n + item] == 0.0:
                    value = 0.0  # not a state
                change = value - x[item] * scale
                if change < 0.0:
                    change = -change
                if change > largest * value:
                    largest = change / value
                x[item] = value
                passed += value
                item -= 1
            # The exact shares add up to 1.
            scale = 1.0 / passed
            # Stop if the next changes, which are expected to shrink by the same factor again, would be negligible.
            if largest <= _NEAR or largest * largest <= _NEAR * (before - largest):
                converged[d] = 1
                break
            before = largest
        for i in range(n):
            share[d * n + i] = x[i] * scale
    return share, converged
