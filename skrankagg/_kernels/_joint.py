"""The joint probability of all order statistics."""

from math import lgamma, log
from typing import cast

from librt.vecs import vec
from mypy_extensions import i64

LOG_SCALE = 200.0 * log(10.0)


def _sum(step: vec[float], g: vec[float], i: i64, k: i64) -> tuple[float, i64]:
    # The sum over l of the terms t_l, and how often it was scaled down.
    term = 1.0
    total = 1.0
    scale: i64 = 0
    n = i
    while n >= k:
        ratio = step[i - n + 1] * g[n]
        term *= ratio
        total += term
        if ratio < 0.5:
            if term < 1e-16 * total:
                break
        elif total > 1e200:
            term *= 1e-200
            total *= 1e-200
            scale += 1
        n -= 1
    return total, scale


def _begin(here: float, m: i64, g: vec[float]) -> float:
    # v_1: its fractions, and the log of v_1(1).
    for n in range(1, m + 1):
        g[n] = float(n) / here
    return log(here)


def _advance(
    x: vec[float],
    start: i64,
    held: i64,
    m: i64,
    top: float,
    k: i64,
    log_v: float,
    g: vec[float],
    new: vec[float],
    step: vec[float],
    n_values: i64,
) -> tuple[i64, float]:
    # From v_k to v of a later k: past so many values at most, and only those below the top one.
    here = x[start + k - 1]
    while k < held and x[start + k] < top and n_values > 0:
        n_values -= 1
        k += 1
        gap = x[start + k - 1] - here
        here = x[start + k - 1]
        log_v -= log(g[k])
        if gap == 0.0:
            continue
        for n in range(1, m - k + 2):
            step[n] = gap / float(n)
        below = 1.0
        scale_below: i64 = 0
        for i in range(k, m + 1):
            total, scale = _sum(step, g, i, k)
            if i == k:
                log_v += log(total) + LOG_SCALE * float(scale)
            else:
                factor = below / total
                while scale_below < scale:
                    factor *= 1e-200
                    scale_below += 1
                while scale_below > scale:
                    factor *= 1e200
                    scale_below -= 1
                new[i] = g[i] * factor
            below = total
            scale_below = scale
        for i in range(k + 1, m + 1):
            g[i] = new[i]
    return k, log_v


def _end(here: float, top: float, m: i64, k: i64, log_v: float, g: vec[float], step: vec[float]) -> float:
    # All values after the k-th are the top one: only v(m) is needed.
    for n in range(k + 1, m + 1):
        log_v -= log(g[n])
    if k < m:
        for n in range(1, m - k + 1):
            step[n] = (top - here) / float(n)
        total, scale = _sum(step, g, m, k + 1)
        log_v += log(total) + LOG_SCALE * float(scale)
    return log_v + lgamma(float(m) + 1.0)


def log_joint_probability(
    first: i64,
    last: i64,
    ptr_in: object,
    x_in: object,
    size_in: object,
    g_in: object,
    new_in: object,
    step_in: object,
    k: i64,
    log_v: float,
    n_values: i64,
    out: object,
) -> tuple[i64, float]:
    # Into out, for each of the items first..last - 1, with m = size ascending values x_1..x_m, of which those that are
    # not there are 1, the log of Q, the probability that of m uniform numbers at least k are at most x_k, for every k.
    #
    # Let v_k(i) be the volume of i ascending numbers, all at most x_k, of which for each j <= k at least j are at most
    # x_j. Then v_1(i) = x_1^i / i!, Q = m! v_m(m), and with d = x_k - x_(k-1)
    #
    #     v_k(i) = sum over l of d^l / l! v_(k-1)(i - l),   i >= k,   l <= i - k + 1:
    #
    # positive terms only. What is kept is the fraction g(i) = v(i - 1) / v(i), which neither overflows nor vanishes,
    # and the log of v_k(k). The terms, t_0 = 1 in units of v_(k-1)(i) and t_(l+1) = t_l d / (l + 1) g(i - l), rise and
    # then fall, ever faster: once they are small and fall, the rest is smaller still.
    #
    # The first item goes on from v_k with its fractions g and log v_k(k), unless k is 0; an item passes n_values values
    # at most. Returns where the last item stands if it has not passed them all, else 0.
    ptr = cast(vec[i64], ptr_in)
    x = cast(vec[float], x_in)
    size = cast(vec[i64], size_in)
    g = cast(vec[float], g_in)
    new = cast(vec[float], new_in)
    step = cast(vec[float], step_in)
    log_q = cast(vec[float], out)
    for s in range(first, last):
        start: i64 = ptr[s]
        held: i64 = ptr[s + 1] - start
        m: i64 = size[s]
        if held == 0:
            continue
        top = 1.0
        if held == m:
            top = x[start + m - 1]
        if k == 0:
            log_v = _begin(x[start], m, g)
            k = 1
        k, log_v = _advance(x, start, held, m, top, k, log_v, g, new, step, n_values)
        if k < held and x[start + k] < top:
            return k, log_v
        log_q[s] = _end(x[start + k - 1], top, m, k, log_v, g, step)
        k = 0
    return 0, 0.0
