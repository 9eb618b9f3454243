"""Agglomerative merging of lists."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def _rank_row(score: vec[float], start: i64, n: i64, order: vec[i64], spare: vec[i64], rank: vec[float]) -> None:
    # Writes mid-ranks of score[start:start + n] into rank, highest score first. Neighbours tie if they differ only by
    # rounding. This is a merge sort from the bottom up, because vectors have no method to sort them.
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
    # Returns the squared distance between the two rows of ranks that begin at a and at b.
    total = 0.0
    for i in range(n):
        d = rank[a + i] - rank[b + i]
        total += d * d
    return total


def compare(
    first: i64,
    last: i64,
    score_in: object,
    n: i64,
    order_in: object,
    spare_in: object,
    rank_in: object,
    similarity_in: object,
    closest_in: object,
    partner_in: object,
) -> None:
    # Computes mid-ranks of lists first..last - 1, and their similarities to the lists before them. The matrix of
    # similarities is symmetric, of shape (m, m). closest contains the greatest similarity of each list so far, and
    # partner contains the list to which it is most similar.
    score = cast(vec[float], score_in)
    rank = cast(vec[float], rank_in)
    order = cast(vec[i64], order_in)
    spare = cast(vec[i64], spare_in)
    similarity = cast(vec[float], similarity_in)
    closest = cast(vec[float], closest_in)
    partner = cast(vec[i64], partner_in)
    _compare(0, len(score) // n, first, last, score, n, order, spare, rank, similarity, closest, partner)


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
    closest: vec[float],
    partner: vec[i64],
) -> None:
    # Does the same as `compare` for the m lists that begin at `base`.
    norm = float(n) * float(n) * float(n) - float(n)
    for k in range(first, last):
        row: i64 = (base + k) * n
        _rank_row(score, row, n, order, spare, rank)
        closest[k] = -2.0
        partner[k] = -1
        for o in range(k):
            value = 1.0 - 6.0 * _squared_distance(rank, row, (base + o) * n, n) / norm
            similarity[k * m + o] = value
            similarity[o * m + k] = value
            if value > closest[k]:
                closest[k] = value
                partner[k] = o
            if value > closest[o]:
                closest[o] = value
                partner[o] = k


def _find_closest(
    k: i64, n_alive: i64, m: i64, alive: vec[i64], similarity: vec[float], closest: vec[float], partner: vec[i64]
) -> None:
    # Writes the greatest similarity of list k to another remaining list, and the first list with this similarity.
    row: i64 = k * m
    best = -2.0
    at: i64 = -1
    for y in range(n_alive):
        o: i64 = alive[y]
        if o != k and similarity[row + o] > best:
            best = similarity[row + o]
            at = o
    closest[k] = best
    partner[k] = at


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
    closest_in: object,
    partner_in: object,
    tied_in: object,
    heavy_in: object,
    heavier_in: object,
    c1: float,
    c2: float,
    by_similarity: bool,
) -> None:
    # Merges the two most similar lists n_merges times; alive contains the n_alive remaining lists, in their old order.
    # closest and partner are results of `compare`. tied, heavy and heavier are working space with an element for each
    # list.
    weight = cast(vec[float], weight_in)
    alive = cast(vec[i64], alive_in)
    score = cast(vec[float], score_in)
    rank = cast(vec[float], rank_in)
    order = cast(vec[i64], order_in)
    spare = cast(vec[i64], spare_in)
    similarity = cast(vec[float], similarity_in)
    closest = cast(vec[float], closest_in)
    partner = cast(vec[i64], partner_in)
    tied = cast(vec[i64], tied_in)
    heavy = cast(vec[i64], heavy_in)
    heavier = cast(vec[i64], heavier_in)
    m: i64 = len(weight)
    _merge(
        0,
        m,
        n_merges,
        n_alive,
        alive,
        score,
        weight,
        n,
        order,
        spare,
        rank,
        similarity,
        closest,
        partner,
        tied,
        heavy,
        heavier,
        c1,
        c2,
        by_similarity,
    )


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
    closest: vec[float],
    partner: vec[i64],
    tied: vec[i64],
    heavy: vec[i64],
    heavier: vec[i64],
    c1: float,
    c2: float,
    by_similarity: bool,
) -> None:
    # Does the same as `merge` for the m lists that begin at `base`. All other arrays number these lists from 0.
    norm = float(n) * float(n) * float(n) - float(n)
    for _ in range(n_merges):
        best = -2.0
        heaviest = 1.0
        for x in range(n_alive):
            k: i64 = alive[x]
            if weight[base + k] > heaviest:
                heaviest = weight[base + k]
            if partner[k] != -2 and closest[k] > best:
                best = closest[k]
        # A partner of -2 means that the greatest similarity of a list is unknown, but at most `closest`.
        for x in range(n_alive):
            k = alive[x]
            if partner[k] == -2 and closest[k] >= best - 1e-10:
                _find_closest(k, n_alive, m, alive, similarity, closest, partner)
                if closest[k] > best:
                    best = closest[k]
        floor = best - 1e-10
        n_tied: i64 = 0
        for x in range(n_alive):
            if closest[alive[x]] >= floor:
                tied[n_tied] = x
                n_tied += 1
        # Among pairs whose similarities differ only by rounding, takes the heaviest pair, and then the first one. The
        # greater weights of two pairs are compared first, so the order of the lists in a pair has no effect.
        tolerance = 1e-10 * heaviest
        first: i64 = -1
        second: i64 = -1
        high = 0.0
        low = 0.0
        n_heavy: i64 = 0
        n_heavier: i64 = 0
        for t in range(n_tied):
            k = alive[tied[t]]
            row: i64 = k * m
            own = weight[base + k]
            changed = False
            start: i64 = 0
            if first >= 0 and (own <= low + tolerance or own < high - tolerance):
                # A pair of this list cannot replace the best pair unless its other list is heavy. If this list is no
                # heavier than the lighter list of the best pair, the other list must even be heavier than both.
                start = t
                light = own <= low + tolerance
                count: i64 = n_heavier if light else n_heavy
                for h in range(count):
                    u: i64 = heavier[h] if light else heavy[h]
                    if u >= t:
                        break
                    if similarity[row + alive[tied[u]]] >= floor:
                        # Compare this pair and the later pairs of the list one by one.
                        start = u
                        break
            for u in range(start, t):
                o: i64 = alive[tied[u]]
                if similarity[row + o] >= floor:
                    more = own
                    less = weight[base + o]
                    if less > more:
                        more, less = less, more
                    if first < 0 or more > high + tolerance or (more >= high - tolerance and less > low + tolerance):
                        first = tied[u]
                        second = tied[t]
                        high = more
                        low = less
                        changed = True
            if changed:
                n_heavy = 0
                n_heavier = 0
                for u in range(n_tied):
                    other = weight[base + alive[tied[u]]]
                    if other >= high - tolerance:
                        heavy[n_heavy] = u
                        n_heavy += 1
                    if other > high + tolerance:
                        heavier[n_heavier] = u
                        n_heavier += 1
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
        closest[a] = -2.0
        partner[a] = -1
        closeness = 0.0
        for x in range(n_alive):
            o = alive[x]
            if o == a:
                continue
            value = 1.0 - 6.0 * _squared_distance(rank, row_a, (base + o) * n, n) / norm
            closeness += value
            similarity[a * m + o] = value
            similarity[o * m + a] = value
            if value > closest[a]:
                closest[a] = value
                partner[a] = o
            if value >= closest[o]:
                closest[o] = value
                partner[o] = a
            elif partner[o] == a or partner[o] == b:
                partner[o] = -2
        if by_similarity:
            merged = c1 * (weight[base + a] + weight[base + b]) / 2.0
            if n_alive > 1:
                merged += c2 * closeness / float(n_alive - 1)
            weight[base + a] = merged / (c1 + c2)
            if weight[base + a] < 0.0:
                weight[base + a] = 0.0
        else:
            # The lighter list comes first, even if it was found second.
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
    # Merges the lists of each query until one list is left, and returns the number of this list for each query. The
    # queries are first..last - 1, and query q has the lists ptr[q]..ptr[q + 1] - 1. Each list has n >= 2 items.
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
    closest = vec[float]([0.0] * most)
    partner = vec[i64]([0] * most)
    tied = vec[i64]([0] * most)
    heavy = vec[i64]([0] * most)
    heavier = vec[i64]([0] * most)
    left = vec[i64]([0] * (last - first))
    for q in range(first, last):
        base: i64 = ptr[q]
        m: i64 = ptr[q + 1] - base
        for k in range(m):
            alive[k] = k
        if m > 1:
            _compare(base, m, 0, m, score, n, order, spare, rank, similarity, closest, partner)
            _merge(
                base,
                m,
                m - 1,
                m,
                alive,
                score,
                weight,
                n,
                order,
                spare,
                rank,
                similarity,
                closest,
                partner,
                tied,
                heavy,
                heavier,
                c1,
                c2,
                by_similarity,
            )
        left[q - first] = base + alive[0]
    return left
