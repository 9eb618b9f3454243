"""Merging of equal lists of two items: millions of paired comparisons usually compare only a few pairs."""

import numpy as np
from scipy.sparse import csr_array


def pair_queries(lists):
    """Return a mask of the queries whose lists all have two items."""
    return np.logical_and.reduceat(lists.list_length == 2, lists.list_ptr[:-1])


def _pairs(lists, chosen=slice(None)):
    """Return the upper and the lower candidate of the chosen lists of two items, and a mask of ties."""
    upper = lists.row_ptr[:-1][chosen]
    first, second = lists.candidate[upper].astype(np.int64), lists.candidate[upper + 1].astype(np.int64)
    return first, second, lists.rank[upper] == lists.rank[upper + 1]


def merge_equal_pairs(lists):
    """Merge lists of two items that rank the same items equally, in queries where all lists have two items.

    Returns lists with the weights added up, and the new position of each old list. If no lists can be merged, returns
    the lists themselves and None. The candidates stay the same.
    """
    is_pair = pair_queries(lists)[lists.list_query]
    chosen = np.flatnonzero(is_pair)
    first, second, tied = _pairs(lists, chosen)
    # In a tie the order of the two items does not matter.
    low, high = np.where(tied, np.minimum(first, second), first), np.where(tied, np.maximum(first, second), second)
    code = (low * lists.n_candidates + high) * 2 + tied
    _, kept, number = np.unique(code, return_index=True, return_inverse=True)
    if len(kept) == len(chosen):
        return lists, None
    mask = ~is_pair
    mask[chosen[kept]] = True
    merged, candidate = lists.keep_lists(mask)
    if len(candidate) != lists.n_candidates:
        raise AssertionError("each pair of items is kept once, so that no item can vanish")
    # Kept lists stay in their order, the order of the queries.
    pattern = np.cumsum(mask) - 1
    pattern[chosen] = pattern[chosen[kept]][number]
    return merged.with_list_weight(np.bincount(pattern, weights=lists.list_weight, minlength=mask.sum())), pattern


class PairCounts:
    """Counts of paired comparisons, in queries whose lists have at most two items, under many list weights at once.

    A tie counts as one win for each of the two items.
    """

    def __init__(self, lists):
        self.lists = lists
        first, second, tied = _pairs(lists)
        low, high = np.minimum(first, second), np.maximum(first, second)
        code, pair = np.unique(low * lists.n_candidates + high, return_inverse=True)
        self.one, self.other = np.divmod(code, lists.n_candidates)
        n_lists, each = lists.n_lists, np.arange(lists.n_lists)
        self.compared = csr_array((np.where(tied, 2.0, 1.0), (pair, each)), shape=(len(code), n_lists))
        winner = np.concatenate([first, second[tied]])
        self.won = csr_array(
            (np.ones(len(winner)), (winner, np.concatenate([each, each[tied]]))), shape=(lists.n_candidates, n_lists)
        )
        pairs = np.arange(len(code))
        self.takes_part = csr_array(
            (np.ones(2 * len(code)), (np.concatenate([self.one, self.other]), np.concatenate([pairs, pairs]))),
            shape=(lists.n_candidates, len(code)),
        )
        query = lists.candidate_query[self.one]
        self.of_query = csr_array((np.ones(len(code)), (query, pairs)), shape=(lists.n_queries, len(code)))

    def likelihood(self, weights):
        """Return the wins of each candidate, of shape (n_candidates, n_replicates), and a function of the log-worths.

        The function returns the log-likelihood without its constant, of shape (n_queries, n_replicates), and the
        derivatives of the log-likelihood.
        """
        lists = self.lists
        compared, won = self.compared @ weights, self.won @ weights
        heads, query = lists.candidate_ptr[:-1], lists.candidate_query
        # Each of the two items of a comparison takes half of the shift of its worth.
        n_compared = self.takes_part @ compared / 2

        def value_and_gradient(log_worth):
            shift = np.maximum.reduceat(log_worth, heads, axis=0)[query]
            worth = np.exp(log_worth - shift)
            both = worth[self.one] + worth[self.other]
            terms = compared * np.log(both)
            value = np.add.reduceat(won * log_worth - shift * n_compared, heads, axis=0)
            value -= self.of_query @ terms
            gradient = won - worth * (self.takes_part @ (compared / both))
            return value, gradient

        return won, value_and_gradient
