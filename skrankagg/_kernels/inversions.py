"""Number of pairs that two rankings put in opposite orders."""

import numpy as np

from . import _inversions
from .loading import as_vi, blocks


def discordant_pairs(ptr, tie_end, other):
    """Count the pairs of rows that two rankings order differently, for many pairs of rankings at once.

    `ptr`, of shape (n_lists + 1,), delimits the lists, which are sorted by the first ranking. `tie_end`, of shape
    (n_rows,), contains the first row after each row's tie group in the first ranking. `other`, of shape (n_rows,),
    contains integers that order the rows by the second ranking. The integer of a better item is smaller, and tied items
    have the same integer. All integers are at least 0 and below the length of the list. Returns two read-only float64
    arrays of shape (n_lists,): the number of pairs in opposite orders, and the number of pairs that neither ranking
    ties. A list of length L takes O(L log L) time.
    """
    length = np.diff(ptr)
    parts = []
    # For each row, a path of the tree is followed three times.
    for first, last in blocks(np.cumsum(length * (3.0 * np.log2(length + 1.0) + 1.0))):
        start, end = ptr[first], ptr[last]
        arrays = ptr[first : last + 1] - start, tie_end[start:end] - start, other[start:end]
        parts.append(_inversions.discordant_pairs(*map(as_vi, arrays)))
    discordant, ordered = zip(*parts, strict=True) if parts else ((np.empty(0),), (np.empty(0),))
    return np.concatenate(list(map(np.asarray, discordant))), np.concatenate(list(map(np.asarray, ordered)))
