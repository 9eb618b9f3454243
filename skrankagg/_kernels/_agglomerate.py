"""Agglomerative merging of lists."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def _rank_row(score: vec[float], start: i64, n: i64, order: vec[i64], spare: vec[i64], rank: vec[float]) -> None:
    # Writes mid-ranks of score[start:start + n] into rank, highest score first; neighbours within rounding tie. A merge
    # sort from the bottom up: vectors have no sort, and the rows are a thousand items long.
    for i in range(n):
        order[i] = i
    width: i64 = 1
    while width < n:
        low: i64 = 0
        while low < n:
            middle: i64 = low + width
            if middle > n:
                middle = n
            high: i64 = middle + width
            if high > n:
                high = n
            a: i64 = low
            b: i64 = middle
            for k in range(low, high):
                if a < middle and (b >= high or score[start + order[a]] >= score[start + order[b]]):
                    spare[k] = order[a]
                    a += 1
                else:
                    spare[k] = order[b]
                    b += 1
            low = high
        for i in range(n):
            order[i] = spare[i]
        width *= 2
    largest = score[start + order[0]]
    smallest = score[start + order[n - 1]]
    if -smallest > largest:
        largest = -smallest
    tolerance = 1e-12 * largest
    first: i64 = 0
    while first < n:
        last: i64 = first
        while last + 1 < n and score[start + order[last]] - score[start + order[last + 1]] <= tolerance:
            last += 1
        place = float(first + last) / 2.0 + 1.0
        while first <= last:
            rank[start + order[first]] = place
            first += 1


def _squared_distance(rank: vec[float], a: i64, b: i64, n: i64) -> float:
    # Sums over the rows of ranks that begin at a and at b.
    total = 0.0
    for i in range(n):
        d = rank[a + i] - rank[b + i]
        total += d * d
    return total


def compare(
    first: i64, last: i64, score_in: object, n: i64, order_in: object, spare_in: object, rank_in: object, out: object
) -> None:
    # Computes mid-ranks of lists first..last - 1, and their similarities to the lists before them, (m, m) and
    # symmetric.
    score = cast(vec[float], score_in)
    rank = cast(vec[float], rank_in)
    order = cast(vec[i64], order_in)
    spare = cast(vec[i64], spare_in)
    _compare(0, len(score) // n, first, last, score, n, order, spare, rank, cast(vec[float], out))


def _compare(
    base: i64,
    m: i64,
    first: i64,
    last: i64,
    score: vec[float],
    n: i64,
    order: vec[i64],
    spare: vec[i64],
    rank: vec[float],
    similarity: vec[float],
) -> None:
    # As `compare`, for the m lists from `base` on.
    norm = float(n) * float(n) * float(n) - float(n)
    for k in range(first, last):
        row: i64 = (base + k) * n
        _rank_row(score, row, n, order, spare, rank)
        for o in range(k):
            similarity[k * m + o] = 1.0 - 6.0 * _squared_distance(rank, row, (base + o) * n, n) / norm
            similarity[o * m + k] = similarity[k * m + o]


def merge(
    n_merges: i64,
    n_alive: i64,
    alive_in: object,
    score_in: object,
    weight_in: object,
    n: i64,
    order_in: object,
    spare_in: object,
    rank_in: object,
    similarity_in: object,
    c1: float,
    c2: float,
    by_similarity: bool,
) -> None:
    # Merges the two most similar lists n_merges times; alive contains the n_alive remaining lists, in their old order.
    weight = cast(vec[float], weight_in)
    alive = cast(vec[i64], alive_in)
    score = cast(vec[float], score_in)
    rank = cast(vec[float], rank_in)
    order = cast(vec[i64], order_in)
    spare = cast(vec[i64], spare_in)
    similarity = cast(vec[float], similarity_in)
    m: i64 = len(weight)
    _merge(0, m, n_merges, n_alive, alive, score, weight, n, order, spare, rank, similarity, c1, c2, by_similarity)


def _merge(
    base: i64,
    m: i64,
    n_merges: i64,
    n_alive: i64,
    alive: vec[i64],
    score: vec[float],
    weight: vec[float],
    n: i64,
    order: vec[i64],
    spare: vec[i64],
    rank: vec[float],
    similarity: vec[float],
    c1: float,
    c2: float,
    by_similarity: bool,
) -> None:
    # As `merge`, for the m lists from `base` on, which `alive` and `similarity` number from 0.
    norm = float(n) * float(n) * float(n) - float(n)
    for _ in range(n_merges):
        best = -2.0
        heaviest = 1.0
        for x in range(n_alive):
            row: i64 = alive[x] * m
            if weight[base + alive[x]] > heaviest:
                heaviest = weight[base + alive[x]]
            for y in range(x):
                if similarity[row + alive[y]] > best:
                    best = similarity[row + alive[y]]
        # Among pairs that are equal up to rounding, takes the heaviest, and then the first. The two weights of a pair,
        # the greater one first, do not depend on the order of its lists.
        tolerance = 1e-10 * heaviest
        first: i64 = -1
        second: i64 = -1
        high = 0.0
        low = 0.0
        for x in range(n_alive):
            row = alive[x] * m
            for y in range(x):
                if similarity[row + alive[y]] >= best - 1e-10:
                    heavy = weight[base + alive[x]]
                    light = weight[base + alive[y]]
                    if light > heavy:
                        heavy, light = light, heavy
                    if first < 0 or heavy > high + tolerance or (heavy >= high - tolerance and light > low + tolerance):
                        first = y
                        second = x
                        high = heavy
                        low = light
        a: i64 = alive[first]
        b: i64 = alive[second]
        row_a: i64 = (base + a) * n
        row_b: i64 = (base + b) * n
        total = weight[base + a] + weight[base + b]
        share = 0.5
        if total > 0.0:
            share = weight[base + a] / total
        for i in range(n):
            score[row_a + i] = share * score[row_a + i] + (1.0 - share) * score[row_b + i]
        for x in range(second, n_alive - 1):
            alive[x] = alive[x + 1]
        n_alive -= 1
        _rank_row(score, row_a, n, order, spare, rank)
        closeness = 0.0
        for x in range(n_alive):
            o2: i64 = alive[x]
            if o2 != a:
                similarity[a * m + o2] = 1.0 - 6.0 * _squared_distance(rank, row_a, (base + o2) * n, n) / norm
                similarity[o2 * m + a] = similarity[a * m + o2]
                closeness += similarity[a * m + o2]
        if by_similarity:
            merged = c1 * (weight[base + a] + weight[base + b]) / 2.0
            if n_alive > 1:
                merged += c2 * closeness / float(n_alive - 1)
            weight[base + a] = merged / (c1 + c2)
            if weight[base + a] < 0.0:
                weight[base + a] = 0.0
        else:
            # The lighter of the two comes first, whichever was found first.
            weight[base + a] = (c1 * low + c2 * high) / (c1 + c2)


def merge_stack(
    first: i64,
    last: i64,
    ptr_in: object,
    score_in: object,
    weight_in: object,
    n: i64,
    rank_in: object,
    c1: float,
    c2: float,
    by_similarity: bool,
) -> vec[i64]:
    # Merges the lists ptr[q]..ptr[q + 1] - 1 of each of the queries first..last - 1, with n >= 2 items each, until one
    # is left. Returns the number of the remaining list.
    ptr = cast(vec[i64], ptr_in)
    score = cast(vec[float], score_in)
    weight = cast(vec[float], weight_in)
    rank = cast(vec[float], rank_in)
    most: i64 = 0
    for q in range(first, last):
        if ptr[q + 1] - ptr[q] > most:
            most = ptr[q + 1] - ptr[q]
    order = vec[i64]([0] * n)
    spare = vec[i64]([0] * n)
    alive = vec[i64]([0] * most)
    similarity = vec[float]([0.0] * (most * most))
    left = vec[i64]([0] * (last - first))
    for q in range(first, last):
        base: i64 = ptr[q]
        m: i64 = ptr[q + 1] - base
        for k in range(m):
            alive[k] = k
        if m > 1:
            _compare(base, m, 0, m, score, n, order, spare, rank, similarity)
            _merge(base, m, m - 1, m, alive, score, weight, n, order, spare, rank, similarity, c1, c2, by_similarity)
        left[q - first] = base + alive[0]
    return left
