"""Values that lists of one query give to their items, for the sums in `_plain_sums`."""

import math
from typing import Any, Final, cast

from librt.vecs import vec
from mypy_extensions import i64

# Values of ranks. `_plain_sums` computes methods below the first of these numbers.
SIMPLE_POINTS: Final = 4
POINTS_INSIDE: Final = 5
INVERSE_SQUARES: Final = 6
TABLE: Final = 7
RANK_SHARES: Final = 8
POINT_SHARES: Final = 9
SHARED_POINT_SHARES: Final = 10
RECIPROCAL_SHARES: Final = 11
# Values of scores.
MIN_MAX: Final = 12
Z_SCORES: Final = 13
DISTRIBUTION: Final = 14
BY_MAXIMUM: Final = 15
BY_TOTAL: Final = 16
BY_LENGTH: Final = 17
AS_GIVEN: Final = 18

# Factors of the sums.
NO_FACTOR: Final = 0
SUPPORT: Final = 1
INVERSE_SUPPORT: Final = 2
MEAN: Final = 3
NORMALIZED: Final = 4
OF_SUPPORT: Final = 5

# The damping constant of the norm "reciprocal".
_DAMPING: Final = 60.0
# NumPy divides a sum of more values than this number into two sums.
_BLOCK: Final = 128
# Squares of scores between these bounds neither overflow nor underflow.
_SMALL_SCORE: Final = 1e-149
# Values between these bounds cannot leave the range of floating point in a sum or product.
_LEAST_VALUE: Final = 1e-90
_MOST_VALUE: Final = 1e60


def values_of_ranks(
    method: i64, n: i64, helper: Any, score: vec[float], scored: bool, ptr: vec[i64], value: vec[float]
) -> bool:
    # Stores the value of each row in `value`, computed from ranks. Ties have their mean rank. Returns False for unusual
    # lists, which are not in descending order.
    table = vec[float]()
    if method == TABLE:
        longest: i64 = 0
        for v in range(len(ptr) - 1):
            if ptr[v + 1] - ptr[v] > longest:
                longest = ptr[v + 1] - ptr[v]
        table = cast(vec[float], helper(longest))
    items = float(n)
    for v in range(len(ptr) - 1):
        start: i64 = ptr[v]
        stop: i64 = ptr[v + 1]
        length = float(stop - start)
        row: i64 = start
        while row < stop:
            end: i64 = row + 1
            if scored:
                while end < stop and score[end] == score[row]:
                    end += 1
                if end < stop and score[end] > score[row]:
                    return False
            rank = float(row + 1 + end) / 2.0 - float(start)
            if method == SIMPLE_POINTS:
                given = items + 1.0 - rank
            elif method == POINTS_INSIDE:
                given = length + 1.0 - rank
            elif method == INVERSE_SQUARES:
                given = 1.0 / (rank * rank)
            elif method == TABLE:
                # The table has a value for each half of a rank.
                given = table[row + end - 1 - 2 * start]
            elif method == RANK_SHARES:
                given = (1.0 - rank) / length + 1.0
            elif method == RECIPROCAL_SHARES:
                given = (_DAMPING + 1.0) / (_DAMPING + rank)
            else:
                given = (1.0 - rank) / items + 1.0
            while row < end:
                value[row] = given
                row += 1
    return True


def values_of_scores(method: i64, score: vec[float], ptr: vec[i64], value: vec[float]) -> bool:
    # Stores the value of each row in `value`, computed from scores. Returns False for unusual scores, for which the
    # general code has checks or errors. Also returns False for unsorted scores, which NumPy would add in another order.
    for v in range(len(ptr) - 1):
        start: i64 = ptr[v]
        stop: i64 = ptr[v + 1]
        if start == stop:
            continue
        high = score[start]
        low = score[stop - 1]
        before = high
        row: i64 = start
        while row < stop:
            this = score[row]
            if this > before or (this == 0.0 and math.copysign(1.0, this) < 0.0):
                return False
            before = this
            row += 1
        largest = high if high > -low else -low
        if 0.0 < largest < _SMALL_SCORE:
            return False
        if not _scale(method, score, start, stop, low, high, value):
            return False
        row = start
        while row < stop:
            size = value[row] if value[row] > 0.0 else -value[row]
            if not (size == 0.0 or _LEAST_VALUE < size < _MOST_VALUE):
                return False
            row += 1
    return True


def _scale(method: i64, score: vec[float], start: i64, stop: i64, low: float, high: float, value: vec[float]) -> bool:
    # Computes the values of one list. Each step rounds like the functions of `skrankagg._arrays._normalize`.
    row: i64 = start
    if method == AS_GIVEN:
        while row < stop:
            value[row] = score[row]
            row += 1
    elif method == BY_MAXIMUM:
        if high <= 0.0:
            return False
        while row < stop:
            value[row] = score[row] / high
            row += 1
    elif method == BY_LENGTH:
        while row < stop:
            value[row] = score[row] * score[row]
            row += 1
        norm = math.sqrt(add_up(value, start, stop))
        if norm == 0.0:
            norm = 1.0
        row = start
        while row < stop:
            value[row] = score[row] / norm
            row += 1
    elif method == BY_TOTAL:
        while row < stop:
            value[row] = 1.0 if low == high else score[row] - low
            row += 1
        total = add_up(value, start, stop)
        row = start
        while row < stop:
            value[row] /= total
            row += 1
    elif method == MIN_MAX:
        span = high - low
        while row < stop:
            value[row] = 1.0 if span == 0.0 else (score[row] - low) / span
            row += 1
    else:
        _standardize(score, start, stop, low, low == high, value)
        if method == DISTRIBUTION:
            while row < stop:
                value[row] = (value[row] + 3.0) / 6.0
                row += 1
    return True


def _standardize(score: vec[float], start: i64, stop: i64, low: float, constant: bool, value: vec[float]) -> None:
    length = float(stop - start)
    row: i64 = start
    if constant:
        while row < stop:
            value[row] = 0.0
            row += 1
        return
    while row < stop:
        value[row] = score[row] - low
        row += 1
    mean = add_up(value, start, stop) / length
    square = vec[float]([0.0] * (stop - start))
    row = start
    while row < stop:
        this = value[row] - mean
        value[row] = this
        square[row - start] = this * this
        row += 1
    sd = math.sqrt(add_up(square, 0, stop - start) / length)
    row = start
    while row < stop:
        value[row] /= sd
        row += 1


def add_up(value: vec[float], start: i64, stop: i64) -> float:
    # Adds one or more values in the order of np.add.reduceat, which adds the first value to the sum of all others.
    if stop == start + 1:
        return value[start]
    return value[start] + _add_pairwise(value, start + 1, stop)


def _add_pairwise(value: vec[float], start: i64, stop: i64) -> float:
    # Adds values like NumPy, which computes eight running sums of a block, and adds the sums of blocks in pairs.
    n: i64 = stop - start
    row: i64 = start
    if n < 8:
        total = 0.0
        while row < stop:
            total += value[row]
            row += 1
        return total
    if n > _BLOCK:
        half: i64 = n // 2
        half -= half % 8
        return _add_pairwise(value, start, start + half) + _add_pairwise(value, start + half, stop)
    a, b, c, d = value[start], value[start + 1], value[start + 2], value[start + 3]
    e, f, g, h = value[start + 4], value[start + 5], value[start + 6], value[start + 7]
    row += 8
    last: i64 = stop - n % 8
    while row < last:
        a += value[row]
        b += value[row + 1]
        c += value[row + 2]
        d += value[row + 3]
        e += value[row + 4]
        f += value[row + 5]
        g += value[row + 6]
        h += value[row + 7]
        row += 8
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    while row < stop:
        total += value[row]
        row += 1
    return total


def is_partial(n: i64, code: vec[i64], ptr: vec[i64], weight: vec[float]) -> bool:
    # Returns True if lists with less than half of the items have more than half of the weight. Items that only lists of
    # weight 0 contain do not count.
    m: i64 = len(ptr) - 1
    n_items: i64 = n
    if len(weight) > 0:
        held = vec[i64]([0] * n)
        n_items = 0
        for v in range(m):
            row: i64 = ptr[v]
            while row < ptr[v + 1] and weight[v] > 0.0:
                n_items += 1 - held[code[row]]
                held[code[row]] = 1
                row += 1
    short = vec[float]([0.0] * m)
    every = vec[float]([0.0] * m)
    n_held: i64 = 0
    for v2 in range(m):
        length: i64 = ptr[v2 + 1] - ptr[v2]
        if length > 0:
            w = weight[v2] if len(weight) > 0 else 1.0
            every[n_held] = w
            if 2 * length < n_items:
                short[n_held] = w
            n_held += 1
    return 2.0 * add_up(short, 0, n_held) > add_up(every, 0, n_held)


def is_connected(n: i64, code: vec[i64], ptr: vec[i64], weight: vec[float]) -> bool:
    # Returns True if lists of positive weight connect all items. Items in one list are connected.
    parent = vec[i64]([0] * n)
    for c in range(n):
        parent[c] = c
    n_left: i64 = n
    for v in range(len(ptr) - 1):
        if ptr[v] == ptr[v + 1] or (len(weight) > 0 and weight[v] == 0.0):
            continue
        root: i64 = _find_root(parent, code[ptr[v]])
        row: i64 = ptr[v] + 1
        while row < ptr[v + 1]:
            other: i64 = _find_root(parent, code[row])
            if other != root:
                parent[other] = root
                n_left -= 1
            row += 1
    return n_left == 1


def _find_root(parent: vec[i64], c: i64) -> i64:
    while parent[c] != c:
        parent[c] = parent[parent[c]]
        c = parent[c]
    return c


def absent_values(method: i64, n: i64, ptr: vec[i64], value: vec[float]) -> vec[float]:
    # Returns the value that each list gives to absent items.
    m: i64 = len(ptr) - 1
    absent = vec[float]([0.0] * m)
    for v in range(m):
        length: i64 = ptr[v + 1] - ptr[v]
        if length == 0:
            continue
        if method == SHARED_POINT_SHARES:
            absent[v] = float(n - length + 1) / float(2 * n)
        else:
            row: i64 = ptr[v]
            absent[v] = value[row]
            while row < ptr[v + 1]:
                if value[row] < absent[v]:
                    absent[v] = value[row]
                row += 1
    return absent


def has_negative(value: vec[float], ptr: vec[i64], absent: vec[float]) -> bool:
    # Returns True if a list adds a negative value to some item. If a list has a value for absent items, it adds only
    # the difference from this value to its items.
    for v in range(len(ptr) - 1):
        low = absent[v] if len(absent) > 0 else 0.0
        if low < 0.0:
            return True
        row: i64 = ptr[v]
        while row < ptr[v + 1]:
            if value[row] < low:
                return True
            row += 1
    return False


def add_values(
    value: vec[float],
    absent: vec[float],
    code: vec[i64],
    ptr: vec[i64],
    weight: vec[float],
    total: vec[float],
    support: vec[float],
    size: vec[float],
    share: vec[float],
) -> None:
    # Adds the values of all rows, and the values of absent items. `size` gets the sums of the absolute values.
    n: i64 = len(total)
    m: i64 = len(ptr) - 1
    given = vec[float]()
    sizes = vec[float]()
    if len(absent) > 0:
        given = vec[float]([0.0] * m)
        sizes = vec[float]([0.0] * m)
    n_held: i64 = 0
    for v in range(m):
        row: i64 = ptr[v]
        stop: i64 = ptr[v + 1]
        if row == stop:
            continue
        w = weight[v] if len(weight) > 0 else 1.0
        low = 0.0
        if len(absent) > 0:
            low = absent[v]
            given[n_held] = low * w
            sizes[n_held] = (low if low >= 0.0 else -low) * w
            n_held += 1
            if len(share) > 0:
                for c in range(n):
                    share[c * m + v] = low * w
        while row < stop:
            c2: i64 = code[row]
            gain = value[row] - low
            total[c2] += gain * w
            support[c2] += w
            if len(size) > 0:
                size[c2] += (gain if gain >= 0.0 else -gain) * w
            if len(share) > 0:
                share[c2 * m + v] = value[row] * w
            row += 1
    if len(absent) > 0:
        added = add_up(given, 0, n_held)
        for c3 in range(n):
            total[c3] += added
        if len(size) > 0:
            added = add_up(sizes, 0, n_held)
            for c4 in range(n):
                size[c4] += added


def factors(kind: i64, k: float, helper: Any, support: vec[float], ptr: vec[i64], weight: vec[float]) -> vec[float]:
    # Returns the factor of the sum of each item, or its divisor for MEAN. The result is empty if the general code must
    # raise an error.
    n: i64 = len(support)
    m: i64 = len(ptr) - 1
    if kind == SUPPORT:
        return support
    if kind == OF_SUPPORT and len(weight) > 0:
        return cast(vec[float], helper(support, 0))
    factor = vec[float]([0.0] * n)
    if kind == OF_SUPPORT:
        # Without weights, the support is a number of lists.
        table = cast(vec[float], helper(None, m))
        for c in range(n):
            held: i64 = int(support[c])
            factor[c] = table[held]
    elif kind == NORMALIZED:
        first = vec[float]([0.0] * m)
        n_held: i64 = 0
        for v in range(m):
            if ptr[v] < ptr[v + 1]:
                first[n_held] = (weight[v] if len(weight) > 0 else 1.0) / (k + 1.0)
                n_held += 1
        highest = add_up(first, 0, n_held)
        for c2 in range(n):
            factor[c2] = 1.0 / highest
    else:
        for c3 in range(n):
            if kind == MEAN:
                factor[c3] = support[c3] if support[c3] > 0.0 else 1.0
            elif support[c3] > 0.0:
                factor[c3] = 1.0 / support[c3]
    return factor


def multiply_by(kind: i64, factor: vec[float], total: vec[float], size: vec[float], share: vec[float], m: i64) -> None:
    for c in range(len(total)):
        by = factor[c]
        if kind == MEAN:
            total[c] /= by
        else:
            total[c] *= by
        if len(size) > 0:
            size[c] *= by
        if len(share) > 0:
            for v in range(m):
                if kind == MEAN:
                    share[c * m + v] /= by
                else:
                    share[c * m + v] *= by
