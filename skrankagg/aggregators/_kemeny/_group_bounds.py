"""Bounds on the number of items of each group among the first places, and a check that some order meets them.

Let k be a number of places, and let c(g, k) be the number of items of group g among the first k places. A bound limits
c(g, k) from below or from above. The items without bounds form one more group. Counts alone decide whether some order
satisfies all bounds. Take two numbers of places a <= b. Let L(g, b) be the highest lower bound of group g for at most b
places. Let U(g, a) be the lowest upper bound of the group for at least a places. Group g then needs L(g, b) - U(g, a)
of the places a + 1 to b. Some order satisfies all bounds if and only if, for all a <= b, the positive needs add up to
at most b - a.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._arrays import TOLERANCE
from ..._support._values import is_integer

# Number of combinations of two cuts and a bound that the search for a conflict examines together.
_CELLS = 1 << 20


class Bound(NamedTuple):
    """Lower or upper bound of a group in a GroupBounds.

    `group` is the column of the bound in the arrays ``low`` and ``high``, and `prefix` is its row.
    """

    group: int
    lower: bool
    prefix: int


@dataclass(frozen=True)
class GroupBounds:
    """Lower and upper bounds on the items of each group among the first places, for one query.

    Parameters
    ----------
    group : ndarray of shape (n_items,), dtype=int64
        Group of each item, from 0 to n_groups. The last number, n_groups, is for items without bounds.
    prefix : ndarray of shape (n_prefixes,), dtype=int64
        Each k for which the first k places have bounds, in ascending order; k is at most n_items.
    low, high : ndarray of shape (n_prefixes, n_groups), dtype=int64
        Least and largest number of items of each group among the first k places. Without a bound, the number is 0 in
        `low` and n_items in `high`.
    """

    group: NDArray[np.int64]
    prefix: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @property
    def size(self):
        """Return the number of items of each group, followed by the number of items without bounds."""
        return np.bincount(self.group, minlength=self.low.shape[1] + 1)

    @property
    def members(self):
        """Return the bounds that exclude something, as a list of Bound.

        A lower bound of 0 and an upper bound of n_items exclude nothing.
        """
        lower, upper = np.argwhere(self.low > 0).tolist(), np.argwhere(self.high < len(self.group)).tolist()
        return [Bound(g, True, k) for k, g in lower] + [Bound(g, False, k) for k, g in upper]

    def only(self, members):
        """Return a copy with only the bounds in `members`; all other bounds are removed."""
        low, high = np.zeros_like(self.low), np.full_like(self.high, len(self.group))
        for g, lower, k in members:
            if lower:
                low[k, g] = self.low[k, g]
            else:
                high[k, g] = self.high[k, g]
        return replace(self, low=low, high=high)

    def kept_by(self, place):
        """Return True if an order satisfies all bounds; `place` contains the place of each item, counted from 0."""
        present = np.zeros((len(self.group) + 1, self.low.shape[1] + 1), dtype=np.int64)
        present[place + 1, self.group] = 1
        count = present.cumsum(axis=0)[self.prefix, :-1]
        return bool((count >= self.low).all() and (count <= self.high).all())


def number_of_places(bound, n_places, *, up):
    """Convert a bound to a number of items among the first k places, for each k in `n_places`.

    An integer bound is the number of items itself, and a float is a share of the places. With `up` the product of the
    share and k is rounded up, and otherwise down. A product that differs from an integer only by rounding counts as
    this integer.

    >>> import numpy as np
    >>> from skrankagg.aggregators._kemeny._group_bounds import number_of_places
    >>> number_of_places(0.29, np.array([10, 100]), up=False), number_of_places(2, np.array([10, 100]), up=True)
    (array([ 2, 29]), array([2, 2]))
    """
    if is_integer(bound):
        return np.full(len(n_places), int(bound))
    exact = float(bound) * n_places
    nearest = np.rint(exact)
    rounded = np.ceil(exact) if up else np.floor(exact)
    return np.where(np.abs(exact - nearest) <= TOLERANCE * np.maximum(exact, 1.0), nearest, rounded).astype(np.int64)


def query_bounds(group, prefixes, at_least, at_most):
    """Return the GroupBounds of a query, and the number of groups whose lower bound exceeds the size of the group.

    Such a lower bound is reduced to the size of the group. `group`, of shape (n_items,), contains the group of each
    item, from 0 to n_groups. `prefixes` contains each k for which the first k places have bounds, in ascending order.
    If k exceeds the number of items, all items are among the first k places. `at_least` and `at_most` contain the bound
    of each group, or None.
    """
    n, shape = len(group), (len(prefixes), len(at_least))
    size = np.bincount(group, minlength=shape[1] + 1)[:-1]
    low, high = np.zeros(shape, dtype=np.int64), np.full(shape, n)
    for g, (least, most) in enumerate(zip(at_least, at_most, strict=True)):
        if least is not None:
            low[:, g] = number_of_places(least, prefixes, up=False)
        if most is not None:
            high[:, g] = np.minimum(number_of_places(most, prefixes, up=True), n)
    n_capped = int((low > size).any(axis=0).sum())
    np.minimum(low, size, out=low)
    prefix, start = np.unique(np.minimum(prefixes, n), return_index=True)
    if len(prefix) < len(prefixes):
        low, high = np.maximum.reduceat(low, start, axis=0), np.minimum.reduceat(high, start, axis=0)
    return GroupBounds(group, prefix, low, high), n_capped


def _limits(bounds):
    """Return the cuts, and the bounds L and U of each group at each cut.

    The cuts are the numbers of first places to consider: 0, each k with bounds, and n_items. The top of the module
    defines L and U; their shape is (n_cuts, n_groups + 1).
    """
    n, size = len(bounds.group), bounds.size
    cut = np.unique(np.concatenate([[0], bounds.prefix, [n]]))
    low, high = np.zeros((len(cut), len(size)), dtype=np.int64), np.tile(size, (len(cut), 1))
    at = np.searchsorted(cut, bounds.prefix)
    low[at, :-1] = bounds.low
    high[at, :-1] = np.minimum(high[at, :-1], bounds.high)
    low[-1], high[0] = np.maximum(low[-1], size), 0
    return cut, np.maximum.accumulate(low, axis=0), np.minimum.accumulate(high[::-1], axis=0)[::-1]


def _excess(cut, low, high):
    """For all cuts a <= b, add up the groups' needs for the places a + 1 to b, and subtract the number of places b - a.

    `cut`, `low` and `high` are the results of :func:`_limits`. The top of the module defines the need of a group. If
    an entry of the result is at most 0, the places a + 1 to b suffice for the needs.
    """
    excess = cut[:, None] - cut
    for least, most in zip(low.T, high.T, strict=True):
        excess = excess + np.maximum(least - most[:, None], 0)
    return np.where(cut[:, None] <= cut, excess, -cut[-1])


def is_feasible(bounds):
    """Return True if some order satisfies all bounds."""
    return bool((_excess(*_limits(bounds)) <= 0).all())


def smallest_conflict(bounds):
    """Return a smallest list of bounds that contradict each other; the bounds must not be feasible."""
    cut, low, high = _limits(bounds)
    first, last = np.nonzero(_excess(cut, low, high) > 0)
    step, best = max(1, _CELLS // (2 * low.shape[1])), []
    for start in range(0, len(first), step):
        a, b = first[start : start + step], last[start : start + step]
        count = _n_bounds(*_needs(bounds, cut, low, high, a, b))
        k = int(np.argmin(count))
        best.append((int(count[k]), int(a[k]), int(b[k])))
    _, a, b = min(best)
    needs, room = _needs(bounds, cut, low, high, np.array([a]), np.array([b]))
    return [_strictest(bounds, g, lower, cut[a], cut[b]) for g, lower in _fewest(needs, int(room[0]))]


def _needs(bounds, cut, low, high, a, b):
    """Return the number of places that each group needs between two cuts, and the number of places between these cuts.

    `a` and `b` contain the indices of the first and the second cut of each pair. The top of the module defines the need
    of a group. The first result contains a dict for each group. Its keys are pairs of bools: the first is True if the
    group's lower bounds are used, and the second is True if its upper bounds are used. If its bounds are not used, a
    group still has no items among the first 0 places, and all its items among all n places.
    """
    from_start, to_end = cut[a] == 0, cut[b] == cut[-1]
    needs = []
    for g, n_own in enumerate(bounds.size[:-1]):
        least = {False: n_own * to_end, True: low[b, g]}
        most = {False: n_own * ~from_start, True: high[a, g]}
        needs.append({(by, at): np.maximum(least[by] - most[at], 0) for by in least for at in most})
    return needs, cut[b] - cut[a] - bounds.size[-1] * (from_start & to_end)


def _n_bounds(needs, room):
    """Return, for each number of places in `room`, the least number of bounds that together require more places.

    `needs` and `room` are results of :func:`_needs`.
    """
    largest = [np.zeros_like(room)]
    for own in needs:
        by_number = own[False, False], np.maximum(own[True, False], own[False, True]), own[True, True]
        extended = [np.zeros_like(room)] * (len(largest) + 2)
        for k, need in enumerate(largest):
            for more, value in enumerate(by_number):
                extended[k + more] = np.maximum(extended[k + more], need + value)
        largest = extended
    return np.argmax(np.array(largest) > room, axis=0)


def _strictest(bounds, g, lower, a, b):
    """Return the strictest lower or upper bound of a group.

    If `lower` is true, this is the largest lower bound among the bounds on the first k places with k <= b. Otherwise it
    is the smallest upper bound among the bounds with k >= a.
    """
    if lower:
        inside = np.flatnonzero(bounds.prefix <= b)
        return Bound(g, True, int(inside[np.argmax(bounds.low[inside, g])]))
    inside = np.flatnonzero(bounds.prefix >= a)
    return Bound(g, False, int(inside[np.argmin(bounds.high[inside, g])]))


def _fewest(needs, room):
    """Return the smallest set of bounds that together require more places than `room`.

    Each bound is a pair: its group, and True if it is a lower bound.

    `needs` is the first result of :func:`_needs`, computed for a single pair of cuts.
    """
    largest = {0: (0, ())}  # for each number of bounds, the largest need and the bounds
    for g, own in enumerate(needs):
        extended = {}
        for need, chosen in largest.values():
            for (lower, upper), more in own.items():
                new, more = chosen + ((g, True),) * lower + ((g, False),) * upper, int(more[0])
                if need + more > extended.get(len(new), (-1,))[0]:
                    extended[len(new)] = need + more, new
        largest = extended
    return min((chosen for need, chosen in largest.values() if need > room), key=len)


class GroupChoice:
    """Choice of a group for each place, from the first place to the last, so that all bounds can be satisfied.

    A group may take a place if its upper bounds allow it, and if enough places remain for all lower bounds. The bounds
    must be feasible; then some group may always take the next place.
    """

    def __init__(self, bounds):
        n = len(bounds.group)
        self._cut, self._low, self._high = _limits(bounds)
        self._next_cut = np.searchsorted(self._cut, np.arange(1, n + 1))
        self.taken, self._place = np.zeros(self._low.shape[1], dtype=np.int64), 0

    def allowed(self):
        """Return a mask of the groups that may take the next place."""
        k = self._next_cut[self._place]
        owed = np.maximum(self._low[k:] - self.taken, 0)
        full = self._cut[k:] - self._place == owed.sum(axis=1)
        return (self.taken < self._high[k]) & (owed[full] > 0).all(axis=0)

    def take(self, group):
        """Give the next place to a group."""
        self.taken[group] += 1
        self._place += 1


def feasible_pattern(bounds, order):
    """Return the group of each place in an order that satisfies all bounds and is near `order`.

    Each place gets the group of the first remaining item in `order`, among the groups that may take the place. The
    bounds must be feasible.
    """
    n, choice = len(bounds.group), GroupChoice(bounds)
    rank = np.empty(n, dtype=np.int64)
    rank[order] = np.arange(n)
    # The ranks of each group's items, best first, followed by n.
    waiting = [np.append(np.sort(rank[bounds.group == g]), n) for g in range(len(bounds.size))]
    pattern = np.empty(n, dtype=np.int64)
    for p in range(n):
        first = np.array([ranks[k] for ranks, k in zip(waiting, choice.taken, strict=True)])
        pattern[p] = np.argmin(np.where(choice.allowed(), first, n + 1))
        choice.take(pattern[p])
    return pattern
