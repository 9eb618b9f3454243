"""Pairs that two rankings order oppositely."""

import numpy as np

from . import _inversions
from .loading import as_vi, blocks


def discordant_pairs(ptr, tie_end, other):
    """Count the pairs that a second ranking reverses, for many rankings at once.

    Lists, `ptr` (n_lists + 1,), are sorted by the first ranking. `tie_end` (n_rows,) is the row after the last one that
    ties with this one there. `other` (n_rows,) is a number of the row's item that rises along the second ranking, equal
    for ties, from 0 and below the length of the list. Returns the numbers of pairs that the two rankings order
    oppositely, and of pairs that both order, float64 (n_lists,), read-only. Each list of length L costs O(L log L).
    """
    length = np.diff(ptr)
    parts = []
    # A row climbs a tree three times.
    for first, last in blocks(np.cumsum(length * (3.0 * np.log2(length + 1.0) + 1.0))):
        start, end = ptr[first], ptr[last]
        arrays = ptr[first : last + 1] - start, tie_end[start:end] - start, other[start:end]
        parts.append(_inversions.discordant_pairs(*map(as_vi, arrays)))
    discordant, ordered = zip(*parts, strict=True) if parts else ((np.empty(0),), (np.empty(0),))
    return np.concatenate(list(map(np.asarray, discordant))), np.concatenate(list(map(np.asarray, ordered)))
