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


def log_joint_probability(first: i64, last: i64, ptr_in: object, x_in: object, size_in: object) -> vec[float]:
    # For each of the items first..last - 1, with m = size ascending values x_1..x_m, of which those that are not there
    # are 1, the log of Q, the probability that of m uniform numbers at least k are at most x_k, for every k.
    #
    # Let v_k(i) be the volume of i ascending numbers, all at most x_k, of which for each j <= k at least j are at most
    # x_j. Then v_1(i) = x_1^i / i!, Q = m! v_m(m), and with d = x_k - x_(k-1)
    #
    #     v_k(i) = sum over l of d^l / l! v_(k-1)(i - l),   i >= k,   l <= i - k + 1:
    #
    # positive terms only. What is kept is the fraction g(i) = v(i - 1) / v(i), which neither overflows nor vanishes,
    # and the log of v_k(k). The terms, t_0 = 1 in units of v_(k-1)(i) and t_(l+1) = t_l d / (l + 1) g(i - l), rise and
    # then fall, ever faster: once they are small and fall, the rest is smaller still.
    ptr = cast(vec[i64], ptr_in)
    x = cast(vec[float], x_in)
    size = cast(vec[i64], size_in)
    widest: i64 = 0
    for s in range(first, last):
        if size[s] > widest:
            widest = size[s]
    n: i64
    log_q = vec[float]([0.0] * (last - first))
    step = vec[float]([0.0] * (widest + 1))
    g = vec[float]([0.0] * (widest + 1))
    new = vec[float]([0.0] * (widest + 1))
    for s in range(first, last):
        start: i64 = ptr[s]
        held: i64 = ptr[s + 1] - start
        m: i64 = size[s]
        if held == 0:
            continue
        top = 1.0
        if held == m:
            top = x[start + m - 1]
        here = x[start]
        log_v = log(here)
        for n in range(1, m + 1):
            g[n] = float(n) / here
        k: i64 = 1
        while k < held and x[start + k] < top:
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
            g, new = new, g
        # All values from here on are the same: only v(m) is needed.
        for n in range(k + 1, m + 1):
            log_v -= log(g[n])
        if k < m:
            for n in range(1, m - k + 1):
                step[n] = (top - here) / float(n)
            total, scale = _sum(step, g, m, k + 1)
            log_v += log(total) + LOG_SCALE * float(scale)
        log_q[s - first] = log_v + lgamma(float(m) + 1.0)
    return log_q
