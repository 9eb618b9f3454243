"""Kemeny's rule: PyFLAGR's KemenyOptimal."""

from itertools import combinations

import numpy as np

from ._method import Method

__all__ = ["KemenyOptimal"]

# All permutations of so many items are tried; beyond, sets of items are, and then there are too many of these too.
_MOST_PERMUTED, _MOST_ITEMS = 8, 16


class KemenyOptimal(Method):
    """The order that agrees best with all lists.

    Parameters
    ----------
    eval_pts : int, default=10
        Largest cutoff of the measures.
    convention : {"flagr", "papers"} or collection of str, default="flagr"
        Which quirks to follow, see :data:`~skrankagg.compat.pyflagr.QUIRKS`.

    Notes
    -----
    Of several best orders FLAGR takes the first that its search meets, which is that of this search up to 8 items.
    Queries of more than 16 items are refused.

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

    def _run(self, profile):
        most = int(profile.lists.query_n_items.max())
        if most > _MOST_ITEMS:
            raise ValueError(
                f"KemenyOptimal takes queries of at most {_MOST_ITEMS} items; one has {most}. Cut the lists, or choose "
                "another method."
            )
        return super()._run(profile)

    def _paper(self):
        return None

    def _scores(self, table):
        start = table.hash_order if "sum.file_order" in self._quirks else np.arange(table.shape[1])
        order = start[best_order(self._gains(table)[:, start][:, :, start])]
        score = np.empty(len(order))
        score[order] = np.arange(len(order) + 1, 1, -1)
        return table, score

    def _gains(self, table):
        """What each list gains where the row's item is above the column's, of shape (n_lists, n_items, n_items)."""
        if "kemeny.tau_mean" not in self._quirks:
            return (table.rank[:, :, None] < table.rank[:, None, :]).astype(np.float64)
        held = table.held
        above = (table.place[:, :, None] < table.place[:, None, :]) & held[:, :, None] & held[:, None, :]
        # A list of fewer than two items has no pairs: there it made everything NaN, here it says nothing.
        n_pairs = table.length * (table.length - 1.0) / 2.0
        return above / np.maximum(n_pairs, 1.0)[:, None, None]


def best_order(gains):
    """Find the order with the largest total gain.

    Parameters
    ----------
    gains : ndarray of shape (n_lists, n_items, n_items), dtype=float64
        What a list gains if the row's item is above the column's; its gains are multiples of one number.

    Returns
    -------
    ndarray of shape (n_items,), dtype=int64
        Items, best first. Of several best orders of up to 8 items the first in the order of the search.
    """
    return _best_permutation(gains) if gains.shape[1] <= _MOST_PERMUTED else _best_of_sets(gains.sum(axis=0))


def _permutations(n):
    # Each place is swapped with itself and all that follow, depth first, and back: shape (n!, n).
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
        # A list's own gain is a whole number of units, divided once; lists are added one after the other.
        for gain in gains:
            unit = gain.max(initial=0.0)
            if unit > 0:
                total += np.take(np.rint(gain.ravel() / unit), pairs).sum(axis=1) / np.rint(1.0 / unit)
    return orders[np.argmax(total)]


def _best_of_sets(gain):
    """Best order by the best of each set of items: the last one of a set gains what all others gain above it."""
    n = len(gain)
    sets = np.arange(1 << n)
    members = (sets[:, None] >> np.arange(n)) & 1
    above = members @ gain
    best = np.full(1 << n, -np.inf)
    best[0] = 0.0
    last = np.zeros(1 << n, dtype=np.int64)
    size = members.sum(axis=1)
    for step in range(1, n + 1):
        chosen = sets[size == step]
        rest = chosen[:, None] & ~(1 << np.arange(n))
        value = np.where(members[chosen] == 1, best[rest] + above[rest, np.arange(n)], -np.inf)
        last[chosen] = value.argmax(axis=1)
        best[chosen] = value.max(axis=1)
    order, left = [], (1 << n) - 1
    while left:
        order.append(last[left])
        left &= ~(1 << last[left])
    return np.array(order[::-1])
