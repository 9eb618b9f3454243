"""Lists that say the same once: paired comparisons come in millions, of few pairs."""

import numpy as np

__all__ = ["merge_equal_pairs"]


def merge_equal_pairs(lists):
    """Merge the lists of two items that rank the same items alike, where all lists are such.

    Returns lists with the weights added up, and for each list before which one it has become; the lists themselves and
    None where that would change nothing. The candidates stay as they are.
    """
    if lists.n_rows != 2 * lists.n_lists or (lists.list_length != 2).any():
        return lists, None
    first, second = lists.candidate[0::2].astype(np.int64), lists.candidate[1::2].astype(np.int64)
    tied = lists.rank[0::2] == lists.rank[1::2]
    # A tie says the same of both items.
    low, high = np.where(tied, np.minimum(first, second), first), np.where(tied, np.maximum(first, second), second)
    code = (low * lists.n_candidates + high) * 2 + tied
    _, kept, pattern = np.unique(code, return_index=True, return_inverse=True)
    if len(kept) == lists.n_lists:
        return lists, None
    # Kept lists stay in their order: that of the queries.
    place = np.empty(len(kept), dtype=np.int64)
    place[np.argsort(kept)] = np.arange(len(kept))
    mask = np.zeros(lists.n_lists, dtype=bool)
    mask[kept] = True
    merged, candidate = lists.keep_lists(mask)
    if len(candidate) != lists.n_candidates:
        raise AssertionError("each pair of items is kept once, so that no item can vanish")
    pattern = place[pattern]
    return merged.with_list_weight(np.bincount(pattern, weights=lists.list_weight, minlength=len(kept))), pattern
