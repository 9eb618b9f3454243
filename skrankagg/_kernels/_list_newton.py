"""Most likely log-worths under the Plackett-Luce model, by Newton's method for one small query after another."""

import math
from typing import Final, cast

from librt.vecs import vec
from mypy_extensions import i64

# These constants equal the constants of skrankagg.aggregators._models._pair_newton.
_STEPS: Final = 100
_NEAR: Final = 1e-8
_NEAR_MEAN: Final = 1e-3


def newton_of_lists(
    queries_in: object,
    list_ptr_in: object,
    row_ptr_in: object,
    candidate_in: object,
    candidate_ptr_in: object,
    list_weight_in: object,
    below_in: object,
    start_in: object,
    prior: float,
    tol: float,
    max_iter: i64,
) -> tuple[vec[float], vec[i64], vec[i64]]:
    # Returns three vectors, one query after the other: the log-worths of the candidates, the number of steps of each
    # query, and 1 for each query that has converged.
    queries = cast(vec[i64], queries_in)
    list_ptr = cast(vec[i64], list_ptr_in)
    row_ptr = cast(vec[i64], row_ptr_in)
    candidate = cast(vec[i64], candidate_in)
    candidate_ptr = cast(vec[i64], candidate_ptr_in)
    list_weight = cast(vec[float], list_weight_in)
    below = cast(vec[i64], below_in)
    start = cast(vec[float], start_in)
    size: i64 = 0
    largest: i64 = 0
    for q in queries:
        n: i64 = candidate_ptr[q + 1] - candidate_ptr[q]
        size += n
        if n > largest:
            largest = n
    found = vec[float]([0.0] * size)
    n_iter = vec[i64]([0] * len(queries))
    converged = vec[i64]([0] * len(queries))
    x = vec[float]([0.0] * largest)
    worth = vec[float]([0.0] * largest)
    step = vec[float]([0.0] * largest)
    matrix = vec[float]([0.0] * (largest * largest))
    order = vec[i64]([0] * largest)
    place = vec[i64]([0] * largest)
    left = vec[float]([0.0] * largest)
    if max_iter > _STEPS:
        max_iter = _STEPS
    done: i64 = 0
    for k in range(len(queries)):
        q2: i64 = queries[k]
        first: i64 = candidate_ptr[q2]
        n2: i64 = candidate_ptr[q2 + 1] - first
        for i in range(n2):
            x[i] = start[first + i]
        before = math.inf
        for _ in range(max_iter):
            _derive(
                list_ptr[q2],
                list_ptr[q2 + 1],
                first,
                n2,
                row_ptr,
                candidate,
                list_weight,
                below,
                prior,
                x,
                worth,
                step,
                matrix,
                order,
                place,
                left,
            )
            if not _solve(n2, matrix, step):
                break
            highest = step[0]
            lowest = step[0]
            for i2 in range(n2):
                if step[i2] > highest:
                    highest = step[i2]
                if step[i2] < lowest:
                    lowest = step[i2]
            size_of_step = highest if highest > -lowest else -lowest
            if not size_of_step < math.inf:
                break
            # The worth of the invented item of the prior is constant. Damped steps never lower the posterior.
            reach = (highest if highest > 0.0 else 0.0) - (lowest if lowest < 0.0 else 0.0)
            length = math.log(1.0 + reach) / reach if reach > 1.0 else 1.0
            for i3 in range(n2):
                x[i3] += length * step[i3]
            n_iter[k] += 1
            near = size_of_step <= _NEAR or (size_of_step <= _NEAR_MEAN and highest - lowest <= _NEAR)
            if size_of_step <= tol or (near and size_of_step > before / 2.0):
                converged[k] = 1
                break
            before = size_of_step
        for i4 in range(n2):
            found[done + i4] = x[i4]
        done += n2
    return found, n_iter, converged


def _derive(
    first_list: i64,
    last_list: i64,
    first: i64,
    n: i64,
    row_ptr: vec[i64],
    candidate: vec[i64],
    list_weight: vec[float],
    below: vec[i64],
    prior: float,
    x: vec[float],
    worth: vec[float],
    gradient: vec[float],
    matrix: vec[float],
    order: vec[i64],
    place: vec[i64],
    left: vec[float],
) -> None:
    # Computes the gradient of the log-posterior, and minus its second derivatives in the lower triangle of `matrix`.
    top = x[0]
    for i in range(n):
        if x[i] > top:
            top = x[i]
    for i in range(n):
        worth[i] = math.exp(x[i] - top)
        gradient[i] = 0.0
        place[i] = -1
    for cell in range(n * n):
        matrix[cell] = 0.0
    v: i64 = first_list
    while v < last_list:
        weight = list_weight[v]
        if weight > 0.0:
            length: i64 = 0
            row: i64 = row_ptr[v]
            while row < row_ptr[v + 1]:
                order[length] = candidate[row] - first
                length += 1
                row += 1
            # Start with the items that are still available after all items of the list: the absent items if the list
            # ranks them last, otherwise none.
            end: i64 = length
            rest = 0.0
            if below[v] != 0 and length < n:
                for k in range(length):
                    place[order[k]] = v
                for i in range(n):
                    if place[i] != v:
                        order[end] = i
                        end += 1
                        rest += worth[i]
            k2: i64 = length - 1
            while k2 >= 0:
                rest += worth[order[k2]]
                left[k2] = rest
                k2 -= 1
            total = 0.0
            squares = 0.0
            k3: i64 = 0
            while k3 < end:
                one: i64 = order[k3]
                if k3 < length:
                    share = weight / left[k3]
                    total += share
                    squares += share / left[k3]
                    gradient[one] += weight
                gradient[one] -= worth[one] * total
                # Two items are both available until the upper one is chosen.
                k4: i64 = k3 + 1
                while k4 < end:
                    other: i64 = order[k4]
                    if one > other:
                        matrix[one * n + other] += squares
                    else:
                        matrix[other * n + one] += squares
                    k4 += 1
                k3 += 1
        v += 1
    # The rows of the matrix of the likelihood add up to 0, because equal changes of all log-worths change nothing.
    for i in range(n):
        for j in range(i):
            both = matrix[i * n + j] * worth[i] * worth[j]
            matrix[i * n + j] = -both
            matrix[i * n + i] += both
            matrix[j * n + j] += both
    if prior > 0.0:
        for i in range(n):
            odds = math.exp(-abs(x[i]))
            slope = prior * (1.0 - odds) / (1.0 + odds)
            gradient[i] -= slope if x[i] > 0.0 else -slope
            matrix[i * n + i] += 2.0 * prior * odds / ((1.0 + odds) * (1.0 + odds))
    else:
        # This term keeps the sum of the log-worths constant.
        constant = 0.0
        for i in range(n):
            constant += matrix[i * n + i]
        constant /= float(n * n)
        for i in range(n):
            for j in range(i + 1):
                matrix[i * n + j] += constant


def _solve(n: i64, matrix: vec[float], value: vec[float]) -> bool:
    # Replaces `value` by the solution of the equations, by Cholesky's decomposition of the lower triangle. Returns
    # False if the matrix is not positive definite in floating point.
    for i in range(n):
        for j in range(i):
            total = matrix[i * n + j]
            for k in range(j):
                total -= matrix[i * n + k] * matrix[j * n + k]
            matrix[i * n + j] = total / matrix[j * n + j]
        total = matrix[i * n + i]
        for k in range(i):
            total -= matrix[i * n + k] * matrix[i * n + k]
        if not total > 0.0:
            return False
        matrix[i * n + i] = math.sqrt(total)
        total = value[i]
        for k in range(i):
            total -= matrix[i * n + k] * value[k]
        value[i] = total / matrix[i * n + i]
    i2: i64 = n - 1
    while i2 >= 0:
        total = value[i2]
        for k in range(i2 + 1, n):
            total -= matrix[k * n + i2] * value[k]
        value[i2] = total / matrix[i2 * n + i2]
        i2 -= 1
    return True
