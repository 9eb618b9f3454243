"""Kemeny's rule: PyFLAGR's class KemenyOptimal."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...aggregators import Kemeny, kemeny_order
from ._method import Method

__all__ = ["KemenyOptimal"]

# Largest number of items for which all permutations are compared.
_MOST_PERMUTED = 8


class KemenyOptimal(Method):
    """Ranking of items by Kemeny's rule: the order that agrees best with all lists.

    Parameters
    ----------
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.Kemeny : The method as defined in the paper.

    Notes
    -----
    If several orders are best, FLAGR returns the first best order in its search. For queries of up to 8 items, this
    method returns the same order. Larger queries are solved by :func:`~skrankagg.aggregators.kemeny_order`. FLAGR
    cannot solve them; it needs more than a minute for 12 items.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Kemeny
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Kemeny.KemenyOptimal().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 4.0, 'a': 3.0, 'c': 2.0}
    """

    _number = 400

    def _paper(self):
        return Kemeny(method="exact")

    def _scores(self, table):
        start = table.hash_order if "sum.file_order" in self._quirks else np.arange(table.shape[1])
        order = start[best_order(self._gains(table)[:, start][:, :, start])]
        score = np.empty(len(order))
        score[order] = np.arange(len(order) + 1, 1, -1)
        return table, score

    def _gains(self, table):
        """Compute the agreement of each list with placing the row's item above the column's item.

        The result has the shape (n_lists, n_items, n_items). The consensus is the order with the largest sum of these
        values; see :func:`best_order`.
        """
        if "kemeny.tau_mean" not in self._quirks:
            return (table.rank[:, :, None] < table.rank[:, None, :]).astype(np.float64)
        held = table.held
        above = (table.place[:, :, None] < table.place[:, None, :]) & held[:, :, None] & held[:, None, :]
        # A list with fewer than two items has no pairs. In FLAGR, all results are then NaN. Here, the list has no
        # influence.
        n_candidates = table.length * (table.length - 1.0) / 2.0
        return above / np.maximum(n_candidates, 1.0)[:, None, None]


def best_order(gains: NDArray[np.float64]) -> NDArray[np.int64]:
    """Find the order with the largest total gain.

    Parameters
    ----------
    gains : ndarray of shape (n_lists, n_items, n_items), dtype=float64
        Value that each list adds to the total if the row's item is placed above the column's item. All gains of a list
        are integer multiples of the same number.

    Returns
    -------
    ndarray of shape (n_items,), dtype=int64
        Items, best first. If several orders of up to 8 items are best, the first best order in the search is returned.
    """
    return _best_permutation(gains) if gains.shape[1] <= _MOST_PERMUTED else kemeny_order(gains.sum(axis=0))


def _permutations(n):
    # Each place is swapped with itself and with all later places, depth first, and swapped back. The shape is (n!, n).
    orders = np.arange(n)[None, :]
    for place in range(n - 1):
        swapped = np.repeat(orders[:, None, :], n - place, axis=1)
        other = np.arange(place, n)
        branch = np.arange(n - place)
        swapped[:, branch, place] = orders[:, other]
        swapped[:, branch, other] = orders[:, place, None]
        orders = swapped.reshape(-1, n)
    return orders


def _best_permutation(gains):
    n = gains.shape[1]
    orders = _permutations(n)
    total = np.zeros(len(orders))
    if n > 1:
        better, worse = np.array(list(combinations(range(n), 2))).T
        pairs = orders[:, better] * n + orders[:, worse]
        # A list's gain is an integer number of units, so only one division can round. The lists are added in order.
        for gain in gains:
            unit = gain.max(initial=0.0)
            if unit > 0:
                total += np.take(np.rint(gain.ravel() / unit), pairs).sum(axis=1) / np.rint(1.0 / unit)
    return orders[np.argmax(total)]
