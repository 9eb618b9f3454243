"""Locking of the arcs of a graph one after the other; an arc that would close a cycle is not locked."""

from typing import cast

from librt.vecs import vec
from mypy_extensions import i64


def lock(
    first: i64,
    n_steps: i64,
    n: i64,
    n_words: i64,
    arc_in: object,
    reach_in: object,
    source_in: object,
    heads_in: object,
    power_in: object,
) -> i64:
    # Continues with arc number first, and returns the number of the next arc after about n_steps steps. An arc is a
    # cell of a square matrix of n rows, and leads from the row's item to the column's item. The matrices follow each
    # other.
    #
    # reach and source contain two sets for each item: the items to which it leads, and the items that lead to it. A set
    # is stored in n_words words of 32 bits. Sets only grow, and a set is visited only when it grows. All arcs together
    # therefore need n^2 visits of n_words steps each.
    arc = cast(vec[i64], arc_in)
    reach = cast(vec[i64], reach_in)
    source = cast(vec[i64], source_in)
    heads = cast(vec[i64], heads_in)
    power = cast(vec[i64], power_in)  # powers of 2, because a shifted literal 1 is compiled to a signed 32-bit number
    n_arcs: i64 = len(arc)
    steps: i64 = 0
    k: i64 = first
    while k < n_arcs and steps < n_steps:
        row: i64 = arc[k] // n
        below: i64 = arc[k] - row * n
        base: i64 = row - row % n
        above: i64 = row - base
        k += 1
        steps += 1
        from_above: i64 = row * n_words
        from_below: i64 = (base + below) * n_words
        above_word: i64 = above >> 5
        below_word: i64 = below >> 5
        above_bit: i64 = power[above & 31]
        below_bit: i64 = power[below & 31]
        if (reach[from_above + below_word] & below_bit) != 0 or (reach[from_below + above_word] & above_bit) != 0:
            continue
        # The upper item and the items that lead to it, if they do not lead to the lower item yet.
        for w in range(n_words):
            heads[w] = source[from_above + w]
        heads[above_word] |= above_bit
        for w in range(n_words):
            heads[w] &= ~source[from_below + w]
        item: i64 = 0
        # The lower item and the items to which it leads, if the upper item does not lead to them yet.
        for w in range(n_words):
            item = 32 * w
            bits: i64 = reach[from_below + w]
            if w == below_word:
                bits |= below_bit
            bits &= ~reach[from_above + w]
            while bits != 0:
                if (bits & 255) == 0:
                    bits >>= 8
                    item += 8
                    continue
                if (bits & 1) != 0:
                    start: i64 = (base + item) * n_words
                    for v in range(n_words):
                        source[start + v] |= source[from_above + v]
                    source[start + above_word] |= above_bit
                    steps += n_words
                bits >>= 1
                item += 1
        for w in range(n_words):
            item = 32 * w
            bits = heads[w]
            while bits != 0:
                if (bits & 255) == 0:
                    bits >>= 8
                    item += 8
                    continue
                if (bits & 1) != 0:
                    start = (base + item) * n_words
                    for v in range(n_words):
                        reach[start + v] |= reach[from_below + v]
                    reach[start + below_word] |= below_bit
                    steps += n_words
                bits >>= 1
                item += 1
        steps += 4 * n_words
    return k
