"""The two kinds of pruning in DIBRA; both use the weights of the voters to cut lists."""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._ragged import group_order, starts_to_ptr, tie_starts
from ..._kernels import ragged_cumsum
from ._voter_scales import scale_weights


def keep_by_weight(lists, weight, d1, d2, *, known=None):
    """Return a mask of the rows to keep: the first rows of each list, up to the share ``d1 + d2 * w`` of its rows.

    Here w is the min-max scaled weight of the list.
    """
    scaled = scale_weights(weight, lists.list_ptr, lists.list_weight, "min-max", known=known)
    # The rows of a list are sorted by rank.
    starts = tie_starts(lists.row_ptr, lists.rank)
    return _keep(lists, slice(None), starts, (d1 + d2 * scaled) * lists.list_length)


def keep_by_confidence(lists, weight, d1, d2, n_buckets):
    """Return a mask of the rows to keep: in each list, the items that are also in lists of high confidence.

    The confidence of a list depends on its weight. The higher the confidence of a list, the more of its items are kept.
    """
    confidence = _confidence(lists, weight, d1, n_buckets)
    counted = (confidence * lists.list_weight)[lists.row_list]
    preservation = np.bincount(lists.candidate, weights=counted, minlength=lists.n_candidates)
    # Sums of the same confidences in another order differ by rounding. Make them equal, so that this difference does
    # not decide.
    scale = np.maximum.reduceat(preservation, lists.candidate_ptr[:-1])[lists.candidate_query]
    level = np.round(preservation / np.where(scale > 0, scale, 1.0), 10)[lists.candidate]
    # Sort by preservation; rows of equal preservation stay sorted by rank.
    order = group_order(lists.row_list, -level)
    starts = tie_starts(lists.row_ptr, level[order]) | tie_starts(lists.row_ptr, lists.rank[order])
    return _keep(lists, order, starts, d2 * np.ceil(confidence * lists.list_length - 1e-9))


def _confidence(lists, weight, d1, n_buckets):
    """Compute each list's confidence from the bucket of its weight.

    The lists of a query are divided by weight into `n_buckets` buckets of equal size. If lists of equal weight are in
    several buckets, each of these lists gets the confidence of the highest bucket.
    """
    order = group_order(lists.list_query, weight)
    # Sums start again for each query, so that they round as they would for a single query.
    cumulated = ragged_cumsum(lists.list_weight[order], lists.list_ptr)
    ends = np.append(np.diff(lists.list_query[order]) != 0, True)
    last_of_value = ends.copy()
    last_of_value[:-1] |= np.diff(weight[order]) > TOLERANCE * weight[order][1:]
    group = np.cumsum(np.concatenate([[True], last_of_value[:-1]])) - 1
    total = lists.sum_over_lists(lists.list_weight)
    m = total[lists.list_query[order]]
    at_most = cumulated[last_of_value][group] / np.where(m > 0, m, 1.0)
    bucket = np.ceil(n_buckets * at_most - 1e-9)
    confidence = np.empty(lists.n_lists)
    # Count voters instead of their weights: a formula with weights would depend on the scale of the weights.
    voters = np.maximum(lists.sum_over_lists((lists.list_weight > 0).astype(np.float64)), 1.0)[lists.list_query[order]]
    confidence[order] = d1 + (1 - d1) * np.exp(-(n_buckets - bucket) * n_buckets / voters)
    return confidence


def _keep(lists, order, starts, most):
    """Mark the first rows of each list: at most `most` rows, but at least one row.

    `order` sorts the rows of each list, best first. `starts` marks, in this order, the first row of each group of rows
    that are kept or cut together, because the order does not distinguish them.
    """
    tie_ptr = starts_to_ptr(starts)
    first = np.empty(lists.n_rows, dtype=np.int64)
    first[order] = np.repeat(tie_ptr[:-1] + 1, np.diff(tie_ptr))
    first -= np.repeat(lists.row_ptr[:-1], lists.list_length)
    return first <= np.maximum(np.floor(most + 1e-9), 1)[lists.row_list]
