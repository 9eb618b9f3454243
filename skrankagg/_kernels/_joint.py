"""Joint probability of the order statistics of uniform numbers."""

from math import exp, lgamma, log, pi
from typing import cast

from librt.vecs import vec
from mypy_extensions import i64

# Chances below this share of the largest chance are omitted. Their share of Q is about this number times the number of
# steps.
NEGLIGIBLE = 2.0**-64
# For smaller means, the chances of a Poisson number start with the chance of 0.
FEW = 10.0
# Chances are scaled up before they become this small.
SMALL = 1e-30


def _place(x: vec[float], start: i64, m: i64, top: float, k: i64) -> float:
    # Returns the place of the k-th point; point 0 is at 0 and point m at the top.
    if k == 0:
        return 0.0
    if k == m:
        return top
    return x[start + k - 1]


def _find_corners(x: vec[float], start: i64, held: i64, m: i64, top: float, corner: vec[i64]) -> None:
    # Finds the corners of the least concave curve above all points (x_k, k), from (0, 0) to (top, m).
    corner[0] = 0
    size: i64 = 1
    k: i64 = 0
    while k < m:
        k += 1
        if k > held or x[start + k - 1] >= top:
            k = m
        here = _place(x, start, m, top, k)
        while size > 1:
            a = corner[size - 2]
            b = corner[size - 1]
            left = _place(x, start, m, top, a)
            middle = _place(x, start, m, top, b)
            if float(b - a) * (here - left) > float(k - a) * (middle - left):
                break
            size -= 1
        corner[size] = k
        size += 1


def _spread(mean: float, most: i64, chance: vec[float]) -> tuple[i64, i64]:
    # Computes the chances of a Poisson number with the given mean, up to `most`. Begins with the likeliest number and
    # continues in both directions. Returns the range of the numbers.
    if mean < FEW:
        last: i64 = 0
        here = exp(-mean)
        chance[0] = here
        least = NEGLIGIBLE * here
        while last < most and (here > least or float(last) < mean):
            last += 1
            here *= mean / float(last)
            chance[last] = here
        return 0, last
    first: i64 = int(mean)
    last = first
    chance[first] = 1.0
    total = 1.0
    here = 1.0
    while here > NEGLIGIBLE:
        last += 1
        here *= mean / float(last)
        chance[last] = here
        total += here
    here = 1.0
    while here > NEGLIGIBLE and first > 0:
        here *= float(first) / mean
        first -= 1
        chance[first] = here
        total += here
    for n in range(first, last + 1):
        chance[n] /= total
    return first, last


def _convolve(chance: vec[float], u: vec[float], first: i64, last: i64, i: i64) -> float:
    # Computes the sum of chance[n] u[i - n] for n = first..last. Adds to four sums in turn, so that an addition need
    # not wait for the previous one.
    one = 0.0
    two = 0.0
    three = 0.0
    four = 0.0
    n = first
    while n + 3 <= last:
        one += chance[n] * u[i - n]
        two += chance[n + 1] * u[i - n - 1]
        three += chance[n + 2] * u[i - n - 2]
        four += chance[n + 3] * u[i - n - 3]
        n += 4
    while n <= last:
        one += chance[n] * u[i - n]
        n += 1
    return (one + two) + (three + four)


def _tilt(u: vec[float], lowest: i64, highest: i64, k: i64, ratio: float) -> float:
    # Changes u from the slope before the k-th point to the slope after it; returns the largest chance.
    factor = 1.0
    if lowest > k:
        factor = exp(float(lowest - k) * log(ratio))
    largest = 0.0
    for i in range(lowest, highest + 1):
        u[i] *= factor
        factor *= ratio
        if u[i] > largest:
            largest = u[i]
    return largest


def _slope_log(x: vec[float], start: i64, m: i64, top: float, a: i64, b: i64) -> float:
    # Computes the contribution to log Q of the piece of the curve from corner a to corner b.
    width = _place(x, start, m, top, b) - _place(x, start, m, top, a)
    return float(b - a) * log(width * (float(m) / float(b - a)))


def _advance(
    x: vec[float],
    start: i64,
    held: i64,
    m: i64,
    top: float,
    k: i64,
    log_q: float,
    at: vec[i64],
    corner: vec[i64],
    u: vec[float],
    chance: vec[float],
    n_values: i64,
) -> tuple[i64, float]:
    # Advances from u_k to u of a later k, past at most n_values values. Stops before the values that equal the top.
    lowest = at[0]
    highest = at[1]
    piece = at[2]
    while k < held and x[start + k] < top and n_values > 0:
        n_values -= 1
        before = _place(x, start, m, top, k)
        here = x[start + k]
        k += 1
        while k < held and x[start + k] == here:
            k += 1
        a = corner[piece]
        b = corner[piece + 1]
        slope = float(b - a) / (_place(x, start, m, top, b) - _place(x, start, m, top, a))
        first, last = _spread(slope * (here - before), m - lowest, chance)
        stop = lowest + first
        if stop < k:
            stop = k
        i = highest + last
        if i > m:
            i = m
        new_highest = i
        largest = 0.0
        # Go downwards, so that no value is overwritten before it is read.
        while i >= stop:
            low = i - highest
            if low < first:
                low = first
            high = i - lowest
            if high > last:
                high = last
            u[i] = _convolve(chance, u, low, high, i)
            if u[i] > largest:
                largest = u[i]
            i -= 1
        lowest = stop
        highest = new_highest
        if k == b:
            piece += 1
            log_q += _slope_log(x, start, m, top, a, b)
            c = corner[piece + 1]
            ratio = float(c - b) / (_place(x, start, m, top, c) - here) / slope
            largest = _tilt(u, lowest, highest, k, ratio)
        while u[highest] < NEGLIGIBLE * largest:
            highest -= 1
        while u[lowest] < NEGLIGIBLE * largest:
            lowest += 1
        if largest < SMALL:
            for j in range(lowest, highest + 1):
                u[j] /= largest
            log_q += log(largest)
    at[0] = lowest
    at[1] = highest
    at[2] = piece
    return k, log_q


def _end(
    x: vec[float],
    start: i64,
    m: i64,
    top: float,
    k: i64,
    log_q: float,
    at: vec[i64],
    corner: vec[i64],
    u: vec[float],
    chance: vec[float],
) -> float:
    # All values after the k-th value equal the top, so only v(m) is needed.
    a = corner[at[2]]
    here = _place(x, start, m, top, k)
    slope = float(m - a) / (top - _place(x, start, m, top, a))
    first, last = _spread(slope * (top - here), m - at[0], chance)
    low = m - at[1]
    if low < first:
        low = first
    high = m - at[0]
    if high > last:
        high = last
    log_q += log(_convolve(chance, u, low, high, m)) + _slope_log(x, start, m, top, a, m)
    # log of m! e^m / m^m. Stirling's series is used if the terms of the plain sum would cancel each other.
    n = float(m)
    if m < 32:
        return log_q + lgamma(n + 1.0) - n * log(n) + n
    square = n * n
    series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / n
    return log_q + 0.5 * log(2.0 * pi * n) + series


def log_joint_probability(
    first: i64,
    last: i64,
    ptr_in: object,
    x_in: object,
    size_in: object,
    u_in: object,
    chance_in: object,
    corner_in: object,
    at_in: object,
    k: i64,
    log_q: float,
    n_values: i64,
    out: object,
) -> tuple[i64, float]:
    # Writes log Q of each of the items first..last - 1 into out. An item has m = size ascending values x_1..x_m, and
    # missing values are 1. Q is the probability that, for every k, at least k of m uniform numbers are at most x_k.
    #
    # Let v_k(i) be the volume of i ascending numbers, all at most x_k, with at least j of them at most x_j for each j
    # <= k. Then v_0(0) = 1, Q = m! v_m(m), and with d = x_k - x_(k-1)
    #
    #     v_k(i) = sum over l of d^l / l! v_(k-1)(i - l),   i >= k:
    #
    # with positive terms only. The stored u_k(i) is v_k(i) s^i up to a factor that does not depend on i, so that the
    # weights become the chances of a Poisson number of mean s d. Let s be the slope, at x_k, of the least concave curve
    # from (0, 0) to (top, m) above all points (x_k, k). Then both u_k(i) and the contribution of i to Q are largest
    # near this curve, which is the likeliest course of the numbers given Q. Even if Q is very small, no significant
    # value underflows. Only the significant part of u is stored, about ten standard deviations on either side. The sum
    # of s d along a piece of the curve is the rise of the piece, so the factors can be collected:
    #
    #     Q = m! e^m / m^m  product over pieces of (m width / rise)^rise  sum over i of u_k(i) P(m - i numbers follow).
    #
    # If k is not 0, the first item continues from u_k; `at` contains its range and its piece. An item passes at most
    # n_values values. Returns 0 if the last item has passed all its values, otherwise the place that it has reached.
    ptr = cast(vec[i64], ptr_in)
    x = cast(vec[float], x_in)
    size = cast(vec[i64], size_in)
    u = cast(vec[float], u_in)
    chance = cast(vec[float], chance_in)
    corner = cast(vec[i64], corner_in)
    at = cast(vec[i64], at_in)
    log_of = cast(vec[float], out)
    for s in range(first, last):
        start: i64 = ptr[s]
        held: i64 = ptr[s + 1] - start
        m: i64 = size[s]
        if held == 0:
            continue
        top = 1.0
        if held == m:
            top = x[start + m - 1]
        if x[start] >= top:
            log_of[s] = float(m) * log(top)
            continue
        if k == 0:
            _find_corners(x, start, held, m, top, corner)
            u[0] = 1.0
            at[0] = 0
            at[1] = 0
            at[2] = 0
            log_q = 0.0
        k, log_q = _advance(x, start, held, m, top, k, log_q, at, corner, u, chance, n_values)
        if k < held and x[start + k] < top:
            return k, log_q
        log_of[s] = _end(x, start, m, top, k, log_q, at, corner, u, chance)
        k = 0
    return 0, 0.0
