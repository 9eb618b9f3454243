"""Search for the lightest set of members, such as lists, that has a given effect: by a cover, or by trials."""

import heapq
from time import monotonic

import numpy as np

# Nodes of the search between two checks of the clock.
_NODES = 256
# Largest excess of a bound over an integer that counts as a rounding error.
_SLACK = 1e-9


class Clock:
    """Clock that counts down a number of seconds; None means no limit."""

    def __init__(self, seconds):
        self.end = None if seconds is None else monotonic() + seconds

    def is_over(self):
        """Return True if no time is left."""
        return self.end is not None and monotonic() > self.end


def sets_by_weight(weight, most):
    """For each set of 1 to `most` members, yield its weight and its members; lighter sets come first.

    >>> from skrankagg.inspection._removals import sets_by_weight
    >>> list(sets_by_weight([1.0, 1.0, 3.0], 2))
    [(1.0, (0,)), (1.0, (1,)), (2.0, (0, 1)), (3.0, (2,)), (4.0, (0, 2)), (4.0, (1, 2))]
    """
    order = sorted(range(len(weight)), key=lambda k: weight[k])
    heap = [(weight[order[0]], (0,))] if len(weight) and most > 0 else []
    while heap:
        total, members = heapq.heappop(heap)
        yield total, tuple(sorted(order[k] for k in members))
        last = members[-1] + 1
        if last < len(order):
            added = weight[order[last]]
            heapq.heappush(heap, (total - weight[order[last - 1]] + added, (*members[:-1], last)))
            if len(members) < most:
                heapq.heappush(heap, (total + added, (*members, last)))


def lightest_cover(value, weight, need, most, whole, clock):
    """Find the lightest set of members whose values add up to at least `need` and whose weight is below `most`.

    All values must be above 0. `whole` means that all weights are integers. The function returns a proven lower bound
    of the weight, which is at most `most`, then the weight of the set, then its members. If there is no such set, or no
    set is found in time, the weight is `most` and the members are None.

    >>> import numpy as np
    >>> from skrankagg.inspection._removals import Clock, lightest_cover
    >>> lightest_cover(np.array([5.0, 4.0, 3.0]), np.array([3.0, 2.0, 2.0]), 7.0, np.inf, True, Clock(None))
    (4.0, 4.0, [1, 2])
    """
    order = np.argsort(-value / weight, kind="stable")
    values = np.concatenate([[0.0], np.cumsum(value[order])])
    weights = np.concatenate([[0.0], np.cumsum(weight[order])])

    def bound(start, left):
        """Return the smallest weight of members whose values add up to `left`.

        Only members from `start` on are used. Fractions of members are allowed, so the result is a lower bound.
        """
        if left <= 0:
            return 0.0
        place = int(np.searchsorted(values, values[start] + left))
        if place == len(values):
            return np.inf
        part = (values[start] + left - values[place - 1]) / (values[place] - values[place - 1])
        least = weights[place - 1] - weights[start] + part * (weights[place] - weights[place - 1])
        return float(np.ceil(least - _SLACK)) if whole else float(least)

    found, open_nodes, n_nodes = None, [(bound(0, need), 0, 0.0, need, ())], 0
    while open_nodes:
        n_nodes += 1
        if n_nodes % _NODES == 0 and clock.is_over():
            return float(min([most, *(node[0] for node in open_nodes)])), float(most), found
        least, start, total, left, members = open_nodes.pop()
        if least >= most:
            continue
        if left <= 0:
            most, found = total, sorted(int(order[k]) for k in members)
            continue
        one = order[start]
        without = total + bound(start + 1, left)
        if without < most:
            open_nodes.append((without, start + 1, total, left, members))
        rest = left - value[one]
        with_it = total + weight[one] + bound(start + 1, rest)
        if with_it < most:
            open_nodes.append((with_it, start + 1, total + weight[one], rest, (*members, start)))
    return float(most), float(most), found


def lightest_set(happens, weight, most_members, n_columns, clock):
    """Find the lightest set of members that has the effect which `happens` tests, by trying sets.

    ``happens(sets)`` is called with masks of shape (n_members, n_sets). For each set, the function returns whether the
    set has the effect, and a distance to the effect. A smaller distance means that the set is nearer to the effect. A
    set has from 1 to `most_members` members. `n_columns` sets are tried at once. The first returned value is a proven
    lower bound of the weight; it is infinite if no set has the effect. The other values are the weight and the members
    of the lightest set found. If no set was found, they are infinity and None.
    """
    n = len(weight)
    allowed = n - 1 if most_members is None else min(most_members, n - 1)
    upper, found = _greedy(happens, weight, allowed, n_columns, clock)
    sets = sets_by_weight(weight.tolist(), allowed)
    while True:
        batch = []
        for total, members in sets:
            batch.append((total, members))
            if len(batch) == n_columns or total >= upper:
                break
        batch, beyond = [one for one in batch if one[0] < upper], len(batch) and batch[-1][0] >= upper
        if batch:
            if clock.is_over():
                return batch[0][0], upper, found
            masks = np.zeros((n, len(batch)), dtype=bool)
            for column, (_, members) in enumerate(batch):
                masks[list(members), column] = True
            done = np.flatnonzero(happens(masks)[0])
            if len(done):
                total, members = batch[done[0]]
                return total, total, list(members)
        if beyond:
            return upper, upper, found
        if not batch:
            break
    if allowed < n - 1:
        # Larger sets have not been tried.
        return min(upper, float(np.sort(weight)[: allowed + 1].sum())), upper, found
    return upper, upper, found


def _greedy(happens, weight, allowed, n_columns, clock):
    """Find a set that has the effect which `happens` tests, by a greedy search.

    The search adds the members that come closest to the effect in relation to their weight, and then drops members that
    are not needed.

    Return the weight and the members of the set. If no set was found, return infinity and None.
    """
    chosen = np.zeros(len(weight), dtype=bool)
    distance = happens(chosen[:, None])[1][0]
    while chosen.sum() < allowed:
        others = np.flatnonzero(~chosen)
        done, nearer = [], []
        for part in np.split(others, range(n_columns, len(others), n_columns)):
            if clock.is_over():
                return np.inf, None
            masks = np.repeat(chosen[:, None], len(part), axis=1)
            masks[part, np.arange(len(part))] = True
            for collected, one in zip((done, nearer), happens(masks), strict=True):
                collected.append(one)
        done, nearer = np.concatenate(done), np.concatenate(nearer)
        if done.any():
            chosen[others[done][np.argmin(weight[others[done]])]] = True
            break
        one = int(np.argmin((nearer - distance) / weight[others]))
        chosen[others[one]], distance = True, nearer[one]
    else:
        return np.inf, None
    for one in sorted(np.flatnonzero(chosen), key=lambda k: -weight[k]):
        chosen[one] = False
        if not chosen.any() or not happens(chosen[:, None])[0][0]:
            chosen[one] = True
    return float(weight[chosen].sum()), np.flatnonzero(chosen).tolist()
