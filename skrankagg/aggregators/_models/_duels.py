"""Merge equal lists of two items, and count the wins of each pair of items.

Millions of paired comparisons usually compare only a few pairs, so many of the lists are equal.
"""

import numpy as np
from scipy.sparse import csr_array


def pair_queries(lists):
    """Return a mask of the queries in which every list has two items."""
    return np.logical_and.reduceat(lists.list_length == 2, lists.list_ptr[:-1])


def list_pairs(lists, chosen=slice(None)):
    """Return the upper and the lower candidate of each chosen list of two items, and a mask of the tied lists."""
    upper = lists.row_ptr[:-1][chosen]
    first, second = lists.candidate[upper].astype(np.int64), lists.candidate[upper + 1].astype(np.int64)
    return first, second, lists.rank[upper] == lists.rank[upper + 1]


def strict_wins(lists, q):
    """Return a boolean matrix: True if some list of the query ranks the row's item above the column's item.

    Every list of the query must have two items. Lists of weight 0 are ignored.
    """
    chosen = slice(*lists.list_ptr[q : q + 2])
    upper, lower, tied = list_pairs(lists, chosen)
    wins = (lists.list_weight[chosen] > 0) & ~tied
    first, n = lists.candidate_ptr[q], lists.query_n_items[q]
    above = np.zeros((n, n), dtype=bool)
    above[(upper - first)[wins], (lower - first)[wins]] = True
    return above


def merge_equal_pairs(lists):
    """Merge equal lists in the queries where every list has two items.

    Two lists are equal if they rank the same items in the same way. The weight of a merged list is the sum of the
    weights of the equal lists. Returns the merged lists, and the index of the merged list for each original list. If no
    lists can be merged, returns the original lists and None. The candidates stay the same.
    """
    is_pair = pair_queries(lists)[lists.list_query]
    chosen = np.flatnonzero(is_pair)
    first, second, tied = list_pairs(lists, chosen)
    # In a tie the order of the two items does not matter.
    low, high = np.where(tied, np.minimum(first, second), first), np.where(tied, np.maximum(first, second), second)
    code = (low * lists.n_candidates + high) * 2 + tied
    if lists.list_duel is not None:  # lists that are not marked as duels may rank absent items last
        code = code * 2 + (lists.list_duel[chosen] == 0)
    _, kept, number = np.unique(code, return_index=True, return_inverse=True)
    if len(kept) == len(chosen):
        return lists, None
    mask = ~is_pair
    mask[chosen[kept]] = True
    merged, _ = lists.keep_lists(mask)  # each pair of items is kept, so no item is lost
    # The kept lists stay in their old order, so they are still sorted by query.
    pattern = np.cumsum(mask) - 1
    pattern[chosen] = pattern[chosen[kept]][number]
    return merged.with_list_weight(np.bincount(pattern, weights=lists.list_weight, minlength=mask.sum())), pattern


class PairCounts:
    """Counts of paired comparisons for many sets of list weights (replicates) at once.

    Every list must have two items. A tie counts as `tied_win` wins for each of the two items.
    """

    def __init__(self, lists, tied_win=1.0):
        self.lists = lists
        first, second, tied = list_pairs(lists)
        low, high = np.minimum(first, second), np.maximum(first, second)
        code, pair = np.unique(low * lists.n_candidates + high, return_inverse=True)
        self.one, self.other = np.divmod(code, lists.n_candidates)
        each, pairs = np.arange(lists.n_lists), np.arange(len(code))
        # The first n_pairs rows count the wins of `one`, and the last n_pairs rows count the wins of `other`.
        row = np.where(first == low, pair, len(code) + pair)
        also = np.where(first == low, len(code) + pair, pair)[tied]
        #: Wins in each list, of shape (2 * n_pairs, n_lists).
        self.directed = csr_array(
            (
                np.concatenate([np.where(tied, tied_win, 1.0), np.full(int(tied.sum()), tied_win)]),
                (np.concatenate([row, also]), np.concatenate([each, each[tied]])),
            ),
            shape=(2 * len(code), lists.n_lists),
        )
        self._wins = csr_array(
            (np.ones(2 * len(code)), (np.concatenate([self.one, self.other]), np.arange(2 * len(code)))),
            shape=(lists.n_candidates, 2 * len(code)),
        )
        self.takes_part = csr_array(
            (np.ones(2 * len(code)), (np.concatenate([self.one, self.other]), np.concatenate([pairs, pairs]))),
            shape=(lists.n_candidates, len(code)),
        )
        query = lists.candidate_query[self.one]
        self.of_query = csr_array((np.ones(len(code)), (query, pairs)), shape=(lists.n_queries, len(code)))

    def counts(self, wins):
        """Return the number of comparisons of each pair and the wins of each candidate, for each set of list weights.

        `wins`, of shape (2 * n_pairs, n_replicates), is the product of the attribute `directed` and the weights of the
        lists. Its first n_pairs rows are the wins of the first item of each pair, and the other rows are the wins of
        the second item.
        """
        return wins[: len(self.one)] + wins[len(self.one) :], self._wins @ wins

    def likelihood(self, compared, won):
        """Return the log-likelihood as a function of the log-worths.

        `compared`, of shape (n_pairs, n_replicates), contains the number of comparisons of each pair in each replicate.
        `won`, of shape (n_candidates, n_replicates), contains the wins of each candidate.

        The function leaves out the additive constant of the log-likelihood. It returns values of shape (n_queries,
        n_replicates), and their derivatives with respect to the log-worths.
        """
        lists = self.lists
        heads, query = lists.candidate_ptr[:-1], lists.candidate_query
        # Number of comparisons of each candidate; a comparison counts half for each of its two items.
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

        return value_and_gradient
