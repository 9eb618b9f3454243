"""Statistics of ranked lists for a diagnosis: similarity of voters, agreement with other lists, direction and scale.

All functions take lists of positive weight, and are vectorised over the queries.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array, triu
from scipy.special import ndtri

from .._arrays._ragged import expand, gather_ranges, group_order, mid_ranks, sparse_rows, tie_starts
from .._data._ranked_lists import RankedLists

#: Likeness of two lists is the cosine of their vectors, which contain 1 / (10 + rank) for each item.
_DAMPING = 10.0
# The agreement of a list is measured by the first ten items of the reciprocal rank fusion of the other lists. Points
# are multiples of 2 ** -30, so that sums do not depend on the order of addition.
_HEAD, _RRF_K, _UNIT = 10, 60.0, 2.0**30
# The correlation of a list with the other lists is computed only if they share at least this number of items.
_FEWEST = 5
# Largest number of table cells (lists times candidates) in memory at one time.
_CELLS = 1 << 21


class Likeness(NamedTuple):
    """Cosine similarities of each pair of voters, as matrices of shape (n_voters, n_voters).

    `cosine` is the mean cosine similarity of the two voters' lists over their common queries, and `n_queries` is the
    number of these queries. The vector of a list contains 1 / (10 + rank) for each of its items. All values except
    `n_queries` are NaN for two voters without a common query. `expected` and `sd` are the mean and the standard
    deviation of `cosine` for random lists of the same lengths and the same overlap. `overlap` is the mean share of
    common items among the items of the shorter list.
    """

    cosine: np.ndarray
    n_queries: np.ndarray
    expected: np.ndarray
    sd: np.ndarray
    overlap: np.ndarray


def likeness(lists: RankedLists) -> Likeness:
    """Compute the cosine similarity of the lists of each pair of voters; return a :class:`Likeness`."""
    value = 1.0 / (_DAMPING + lists.rank)
    value /= np.sqrt(np.add.reduceat(value**2, lists.row_ptr[:-1]))[lists.row_list]
    total, length = np.add.reduceat(value, lists.row_ptr[:-1]), lists.list_length.astype(np.float64)
    # The mean product of two different entries of a list, and the mean of an entry.
    pairs = np.divide(total**2 - 1, length * (length - 1), out=np.zeros(len(length)), where=length > 1)
    mean = total / length

    def products(rows):
        matrix = sparse_rows(lists.row_ptr, lists.candidate, rows, lists.n_candidates)
        return triu(matrix @ matrix.T, k=1, format="coo")

    cosine, common = products(value), products(np.ones(lists.n_rows))
    voters = (lists.n_voters, lists.n_voters)

    def sums(cells, number):
        """For each pair of voters, sum `number` over the pairs of lists that consist of one list of each voter.

        The result is a symmetric matrix. `cells` is a sparse matrix whose entries are the pairs of lists, and `number`
        has a value for each entry.
        """
        matrix = coo_array((number, (lists.list_voter[cells.row], lists.list_voter[cells.col])), shape=voters).toarray()
        return matrix + matrix.T

    a, b, c = common.row, common.col, common.data
    expected = c * mean[a] * mean[b]
    square = c / (length[a] * length[b]) + c * (c - 1) * pairs[a] * pairs[b]
    held = sparse_rows(lists.list_ptr, lists.list_voter, np.ones(lists.n_lists), lists.n_voters)
    n_queries = (held.T @ held).toarray()
    np.fill_diagonal(n_queries, 0.0)
    with np.errstate(invalid="ignore"):
        found = [
            np.where(n_queries > 0, one, np.nan) / n_queries
            for one in (
                sums(cosine, cosine.data),
                sums(common, expected),
                sums(common, np.maximum(square - expected**2, 0.0)),
                sums(common, c / np.minimum(length[a], length[b])),
            )
        ]
        cosine, expected, variance, overlap = found
        return Likeness(cosine, n_queries, expected, np.sqrt(variance / n_queries), overlap)


def random_limit(like: Likeness, level: float) -> np.ndarray:
    """Compute, for each pair of voters, an upper limit of the mean cosine similarity of random lists.

    The result is an array of shape (n_voters, n_voters). If all lists are random, the probability that no pair exceeds
    its limit is ``1 - level``.
    """
    n_pairs = max(int((like.n_queries > 0).sum()) // 2, 1)
    return like.expected + ndtri(1 - level / n_pairs) * like.sd


def expected_distance(distance: np.ndarray) -> np.ndarray:
    """Estimate the distance of each pair of voters under the assumption that voters err independently.

    The result has the shape (n_voters, n_voters), like the matrix `distance` of observed distances. If voters err
    independently, the distance of two voters is the sum of two parts, one for each voter. The median distance of a
    voter to the others is then the voter's own part plus a typical part. The median of all distances is twice the
    typical part.
    """
    apart = np.where(np.eye(len(distance), dtype=bool), np.nan, distance)
    row = np.nanmedian(apart, axis=1)
    return row[:, None] + row - np.nanmedian(apart)


class Agreement(NamedTuple):
    """Agreement of each list with the fusion of the other lists of its query, as arrays of shape (n_lists,).

    `precision` is the average precision of the list if the first ten items of the fusion are the relevant items; it is
    NaN if the other lists have no items. `correlation` is Spearman's correlation of the list with the fusion, for the
    items of the list. It is NaN if the list or the fusion ties all these items, or if fewer than five of these items
    are in other lists. `spread` is the standard deviation of the correlation for a random list.
    """

    precision: np.ndarray
    correlation: np.ndarray
    spread: np.ndarray


def agreement_with_others(lists: RankedLists) -> Agreement:
    """Compare each list with the reciprocal rank fusion of the other lists of its query."""
    points = np.rint(_UNIT * lists.list_weight[lists.row_list] / (_RRF_K + lists.rank)).astype(np.int64)
    total = np.zeros(lists.n_candidates, dtype=np.int64)
    np.add.at(total, lists.candidate, points)
    others = total[lists.candidate] - points
    return Agreement(_precision(lists, total, points), *_correlation(lists, others))


def _precision(lists, total, points):
    """Return the average precision of each list; the relevant items are the first ten in the fusion of the other lists.

    `points` contains the points that each row of the lists gives to its item, and `total` contains the sum of these
    points for each candidate.
    """
    precision = np.full(lists.n_lists, np.nan)
    n_items = lists.query_n_items[lists.list_query]
    order = np.argsort(n_items, kind="stable")
    step = 0
    while step < len(order):
        # Lists of queries with similar numbers of items are processed in the same table.
        widest = n_items[order[min(step + max(_CELLS // int(n_items[order[step]]), 1), len(order)) - 1]]
        chosen = order[step : step + max(_CELLS // int(widest), 1)]
        precision[chosen] = _precision_of_table(lists, total, points, chosen, int(n_items[chosen].max()))
        step += len(chosen)
    return precision


def _precision_of_table(lists, total, points, chosen, width):
    """Return the average precision of the lists `chosen`, as in :func:`_precision`.

    The values are computed in arrays of shape (n_chosen, width). `width` is the largest number of candidates in a query
    of these lists.
    """
    first = lists.candidate_ptr[lists.list_query[chosen]]
    size = lists.query_n_items[lists.list_query[chosen]]
    column = np.arange(width)
    inside = column < size[:, None]
    others = np.where(inside, total[np.minimum(first[:, None] + column, len(total) - 1)], 0)
    place = np.full(others.shape, np.inf)
    rows, ptr = gather_ranges(lists.row_ptr, chosen)
    line = expand(ptr)
    cell = line, lists.candidate[rows] - first[line]
    others[cell] -= points[rows]
    place[cell] = lists.rank[rows]
    # Among items with equal points, the item with the first id comes first.
    key = others * width + (width - 1 - column)
    if width > _HEAD:
        head = np.argpartition(key, width - _HEAD, axis=1)[:, width - _HEAD :]
    else:
        head = np.broadcast_to(column, key.shape)
    relevant = np.take_along_axis(others, head, axis=1) > 0
    found = np.sort(np.where(relevant, np.take_along_axis(place, head, axis=1), np.inf), axis=1)
    n_relevant = relevant.sum(axis=1)
    gain = np.minimum(np.arange(1, found.shape[1] + 1) / found, 1.0).sum(axis=1)
    return np.divide(gain, n_relevant, out=np.full(len(chosen), np.nan), where=n_relevant > 0)


def _correlation(lists, others):
    """Return Spearman's correlation of each list with the values in `others`, as an array of shape (n_lists,).

    `others` contains a value for each row of the lists. Also return the standard deviation of the correlation for
    random lists.
    """
    order = group_order(lists.row_list, -others)
    ordered = others[order]
    rank = np.empty(lists.n_rows)
    rank[order] = mid_ranks(lists.row_ptr, tie_starts(lists.row_ptr, ordered))
    middle = ((lists.list_length + 1) / 2)[lists.row_list]
    heads = lists.row_ptr[:-1]
    first, second = lists.rank - middle, rank - middle
    size = np.sqrt(np.add.reduceat(first**2, heads) * np.add.reduceat(second**2, heads))
    known = (size > 0) & (np.add.reduceat(others > 0, heads, dtype=np.int64) >= _FEWEST)
    correlation = np.divide(
        np.add.reduceat(first * second, heads), size, out=np.full(lists.n_lists, np.nan), where=known
    )
    spread = np.full(lists.n_lists, np.nan)
    spread[known] = 1 / np.sqrt(lists.list_length[known] - 1)
    return correlation, spread


class Scores(NamedTuple):
    """Maximum, mean absolute value and standard deviation of each list's scores, as arrays of shape (n_lists,)."""

    greatest: np.ndarray
    size: np.ndarray
    spread: np.ndarray


def score_statistics(lists: RankedLists) -> Scores:
    """Return the maximum, the mean absolute value and the standard deviation of the scores of each list."""
    heads, length = lists.row_ptr[:-1], lists.list_length
    # Divide by the largest score of the list, so that squares do not overflow.
    largest = np.maximum.reduceat(np.abs(lists.score), heads)
    scaled = lists.score / np.where(largest > 0, largest, 1.0)[lists.row_list]
    mean = np.add.reduceat(scaled, heads) / length
    spread = np.sqrt(np.add.reduceat((scaled - mean[lists.row_list]) ** 2, heads) / length)
    greatest, least = np.maximum.reduceat(lists.score, heads), np.minimum.reduceat(lists.score, heads)
    size = np.add.reduceat(np.abs(scaled), heads) / length
    return Scores(greatest, size * largest, np.where(greatest > least, spread * largest, 0.0))


def by_voter(lists: RankedLists, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each voter, return the mean of `value` over the lists of the voter, and the number of these lists.

    Lists whose value is NaN are left out.
    """
    known = ~np.isnan(value)
    count = np.bincount(lists.list_voter[known], minlength=lists.n_voters)
    total = np.bincount(lists.list_voter[known], weights=value[known], minlength=lists.n_voters)
    return np.divide(total, count, out=np.full(lists.n_voters, np.nan), where=count > 0), count
