"""Searches for the lightest set of lists or votes whose removal has an effect, by sums of values or by trials.

A member is a list or a vote. Equal members form a group, and a set is stored as the number of its members from each
group. Equal members are therefore never tried separately.
"""

import heapq
from time import monotonic

import numpy as np

# Number of search nodes, or of skipped sets, between two checks of the clock.
_NODES = 256
# Largest excess of a bound over an integer that counts as a rounding error.
_SLACK = 1e-9
# Number of steps that the greedy search would need to remove all members.
_STEPS = 200
# Numbers of sets that are tried in one call of `happens`: by `_along`, by `_reduce` and by `_survivors`.
_ALONG, _BACK, _SOLE = 3, 15, 16


class Clock:
    """Clock that counts down a number of seconds; None means no limit."""

    def __init__(self, seconds):
        self.end = None if seconds is None else monotonic() + seconds

    def is_over(self):
        """Return True if no time is left."""
        return self.end is not None and monotonic() > self.end


def sets_by_weight(weight, count, most):
    """Yield all sets of 1 to `most` members in ascending order of weight.

    A member is a list or a vote that can be removed. Each set is a tuple of its weight and a dict. The dict maps each
    group to the number of members that the set contains. Group k has ``count[k]`` members, each of weight
    ``weight[k]``.

    >>> from skrankagg.inspection._removals import sets_by_weight
    >>> [total for total, _ in sets_by_weight([1.0, 3.0], [2, 1], 2)]
    [1.0, 2.0, 3.0, 4.0]
    >>> list(sets_by_weight([1.0, 3.0], [2, 1], 1))
    [(1.0, {0: 1}), (3.0, {1: 1})]
    """
    order = sorted((k for k in range(len(weight)) if count[k] > 0), key=lambda k: weight[k])
    # In the heap, a set is a tuple of pairs (position in `order`, number of members). Each set is pushed only once.
    heap = [(weight[order[0]], 1, ((0, 1),))] if order and most > 0 else []
    while heap:
        total, size, taken = heapq.heappop(heap)
        yield total, {order[place]: n for place, n in taken}
        last, n = taken[-1]
        own = weight[order[last]]
        if size < most and n < count[order[last]]:
            heapq.heappush(heap, (total + own, size + 1, (*taken[:-1], (last, n + 1))))
        if last + 1 < len(order):
            added = weight[order[last + 1]]
            if size < most:
                heapq.heappush(heap, (total + added, size + 1, (*taken, (last + 1, 1))))
            if n == 1:
                heapq.heappush(heap, (total - own + added, size, (*taken[:-1], (last + 1, 1))))


def lightest_cover(value, weight, count, need, most, whole, clock):
    """Find the lightest set of members whose values add up to at least `need` and whose weight is below `most`.

    A member is a list or a vote that can be removed. Group k has ``count[k]`` members, each with the value ``value[k]``
    and the weight ``weight[k]``. All values must be above 0. `whole` means that all weights are integers. A sum that is
    below `need` by a relative error of at most 1e-9 counts as equal to `need`.

    The function returns three values. The first is a proven lower bound of the weight, at most `most`. The second is
    the weight of the set. The third is its number of members from each group. If no set was found, the weight is `most`
    and the numbers are None.

    >>> import numpy as np
    >>> from skrankagg.inspection._removals import Clock, lightest_cover
    >>> value, weight, count = np.array([5.0, 4.0, 3.0]), np.array([3.0, 2.0, 2.0]), np.array([1, 2, 1])
    >>> lightest_cover(value, weight, count, 11.0, np.inf, True, Clock(None))
    (6.0, 6.0, array([0, 2, 1]))
    """
    order = np.argsort(-value / weight, kind="stable")
    each, own, most_of = value[order].tolist(), weight[order].tolist(), count[order].tolist()
    values = np.concatenate([[0.0], np.cumsum(value[order] * count[order])])
    weights = np.concatenate([[0.0], np.cumsum(weight[order] * count[order])])
    close = _SLACK * need  # a smaller rest of `need` is a rounding error

    def bound(start, left):
        """Return the smallest weight of members whose values add up to `left`.

        The members are from group `start` and later groups. Fractions of members are allowed, so the result is a lower
        bound.
        """
        if left <= close:
            return 0.0
        place = int(np.searchsorted(values, values[start] + left))
        if place == len(values):
            return np.inf
        part = (values[start] + left - values[place - 1]) / (values[place] - values[place - 1])
        least = weights[place - 1] - weights[start] + part * (weights[place] - weights[place - 1])
        return float(np.ceil(least - _SLACK)) if whole else float(least)

    # A node contains the sets with at most n members of the group `start`, and any members of later groups.
    found, n_nodes, open_nodes = None, 0, []

    def open_node(start, total, left, taken, n):
        rest = left - n * each[start]
        least = total + n * own[start] + bound(start + 1, rest)
        if least < most:
            open_nodes.append((least, start, total, left, taken, n))

    def enter(start, total, left, taken):
        if start < len(each):
            enough = int(np.ceil((left - close / 2) / each[start]))  # leaves a rest below `close` despite rounding
            open_node(start, total, left, taken, min(most_of[start], enough))

    if need <= 0:
        return 0.0, 0.0, np.zeros(len(value), dtype=np.int64)
    enter(0, 0.0, need, ())
    while open_nodes:
        n_nodes += 1
        if n_nodes % _NODES == 0 and clock.is_over():
            return float(min([most, *(node[0] for node in open_nodes)])), float(most), found
        least, start, total, left, taken, n = open_nodes.pop()
        if least >= most:
            continue
        if n > 0:
            open_node(start, total, left, taken, n - 1)
        total, left = total + n * own[start], left - n * each[start]
        taken = (*taken, (int(order[start]), n)) if n else taken
        if left <= close:
            most, found = total, np.zeros(len(value), dtype=np.int64)
            for group, number in taken:
                found[group] = number
            continue
        enter(start + 1, total, left, taken)
    return float(most), float(most), found


class Trials:
    """Search by trials for the lightest set of members (lists or votes) whose removal has a given effect.

    The function ``happens(counts)`` tries many sets at once; `counts`, of shape (n_groups, n_sets), contains the
    numbers of removed members. The function returns two arrays: whether each set has the effect, and a distance, which
    is smaller for sets that are nearer to the effect. A set never contains all members. At most `n_columns` sets are
    tried at once.
    """

    def __init__(self, happens, weight, count, n_columns, clock):
        self.happens, self.weight, self.count = happens, weight, count
        self.n_columns, self.clock = n_columns, clock
        self.n_members = int(count.sum())
        #: Weight of the lightest set found, and its numbers of members; infinity and None if no set was found.
        self.upper, self.found = np.inf, None

    def lightest(self, orders, lower, most_members):
        """Search for the lightest set; return a lower bound of its weight, the weight of the set found, and the set.

        The set is stored as the number of its members from each group. The lower bound is proven; it is infinite if no
        set has the effect. If no set was found, the other values are infinity and None. Each of the `orders` begins
        with the groups whose removal is most likely to have the effect. `lower` is a bound that is already proven. Sets
        of at most `most_members` members are tried systematically; None means all sets. Larger sets are found only by
        the greedy searches. At least one search runs even if the time is over.
        """
        for k, order in enumerate(orders):
            if lower < self.upper and not (k and self.clock.is_over()):
                self._along(order, lower)
        if self.found is None:
            self._survivors(orders)
        if lower < self.upper:
            self._greedy()
            self._reduce()
        if lower >= self.upper * (1 - _SLACK):
            return self.upper, self.upper, self.found
        return self._systematic(lower, most_members)

    def _keep(self, counts):
        """Try the sets, and keep the lightest one that has the effect; return the two results of `happens`."""
        done, distance = self.happens(counts)
        total = self.weight @ counts
        for k in np.flatnonzero(done):
            if total[k] < self.upper:
                self.upper, self.found = float(total[k]), counts[:, k].copy()
        return done, distance

    def _survivors(self, orders):
        """Try the sets that contain all members (lists or votes) except one.

        The first sets to be tried leave out a member of the last groups in `orders`.
        """
        tried, width = set(), max(1, min(_SOLE, self.n_columns) // len(orders))
        for start in range(0, len(self.count), width):
            if start and (self.clock.is_over() or self.found is not None):
                return
            ends = np.concatenate([order[::-1][start : start + width] for order in orders]).tolist()
            part = [group for group in dict.fromkeys(ends) if group not in tried]
            tried.update(part)
            if not part:
                continue
            counts = np.repeat(self.count[:, None], len(part), axis=1)
            counts[part, np.arange(len(part))] -= 1
            self._keep(counts)

    def _along(self, order, lower):
        """Remove members (lists or votes) in the given order, and find the smallest number that has the effect.

        Sets that are lighter than `lower` cannot have the effect and are not tried.
        """
        ends, weights = np.cumsum(self.count[order]), np.cumsum(self.count[order] * self.weight[order])

        def beginnings(sizes):
            counts = np.zeros((len(order), len(sizes)), dtype=np.int64)
            counts[order] = np.clip(sizes[None, :] - (ends - self.count[order])[:, None], 0, self.count[order][:, None])
            return counts

        # The first `low` members are lighter than the lower bound, so fewer members cannot have the effect.
        least = lower * (1 - _SLACK)
        group = int(np.searchsorted(weights, least))
        low, high = self.n_members - 1, self.n_members
        if group < len(order):
            missing = weights[group] - least
            low = max(0, int(ends[group] - np.floor(missing / self.weight[order[group]])) - 1)
        sizes = np.array([low + 1])
        while high - low > 1:
            done = self._keep(beginnings(sizes))[0]
            if done.any():
                first = int(np.argmax(done))
                low, high = int(sizes[first - 1]) if first else low, int(sizes[first])
            else:
                low = int(sizes[-1])
            if self.found is not None and self.clock.is_over():
                return
            sizes = np.unique(np.linspace(low, high, min(_ALONG, self.n_columns) + 2)[1:-1].astype(np.int64))
            sizes = sizes[(sizes > low) & (sizes < high)]

    def _greedy(self):
        """Remove members (lists or votes) in steps, to find a set that has the effect.

        Each step removes the members that, per unit of weight, reduce the distance to the effect most.
        """
        chosen, step = np.zeros_like(self.count), max(1, self.n_members // _STEPS)
        distance = self.happens(chosen[:, None])[1][0]
        while chosen.sum() + 1 < self.n_members and self.weight @ chosen < self.upper:
            others = np.flatnonzero(chosen < self.count)
            done, nearer = [], []
            for start in range(0, len(others), self.n_columns):
                if self.clock.is_over():
                    return
                part = others[start : start + self.n_columns]
                counts = np.repeat(chosen[:, None], len(part), axis=1)
                counts[part, np.arange(len(part))] += 1
                for collected, one in zip((done, nearer), self._keep(counts), strict=True):
                    collected.append(one)
            if np.concatenate(done).any():
                return
            gain = (np.concatenate(nearer) - distance) / self.weight[others]
            number = min(step, self.n_members - 1 - int(chosen.sum()))
            nearest = others[np.argsort(gain, kind="stable")]
            left = self.count[nearest] - chosen[nearest]
            chosen[nearest] += np.clip(number - (np.cumsum(left) - left), 0, left)
            ends, now = self._keep(chosen[:, None])
            distance = now[0]
            if ends[0]:
                return

    def _reduce(self):
        """Make the found set smaller: drop members without which the set still has the effect, heavy ones first."""
        if self.found is None:
            return
        for group in np.argsort(-self.weight * (self.found > 0), kind="stable"):
            while self.found[group] and not self.clock.is_over():
                n = int(self.found[group])
                fewer = np.unique(np.linspace(0, n - 1, min(_BACK, self.n_columns, n)).astype(np.int64))
                counts = np.repeat(self.found[:, None], len(fewer), axis=1)
                counts[group] = fewer
                counts = counts[:, counts.sum(axis=0) > 0]
                if not counts.shape[1] or not self._keep(counts)[0].any():
                    break

    def _systematic(self, lower, most_members):
        """Try all sets in order of weight, until a set has the effect or is as heavy as the set already found."""
        allowed = self.n_members - 1 if most_members is None else min(most_members, self.n_members - 1)
        larger = self._lightest_of(allowed + 1) if allowed < self.n_members - 1 else np.inf
        sets = sets_by_weight(self.weight.tolist(), self.count.tolist(), allowed)
        n_tried, ended = 0, False
        while not ended:
            batch, ended = [], True
            for total, taken in sets:
                n_tried += 1
                if n_tried % _NODES == 0 and self.clock.is_over():
                    tried = min(batch[0][0] if batch else min(total, self.upper), larger)
                    return max(lower, tried), self.upper, self.found
                if total >= self.upper:
                    break
                # Sets below the lower bound cannot have the effect.
                if total >= lower * (1 - _SLACK):
                    batch.append((total, taken))
                    if len(batch) == self.n_columns:
                        ended = False
                        break
            if batch:
                if self.clock.is_over():
                    return max(lower, min(batch[0][0], larger)), self.upper, self.found
                counts = np.zeros((len(self.count), len(batch)), dtype=np.int64)
                for column, (_, taken) in enumerate(batch):
                    counts[list(taken), column] = list(taken.values())
                done = np.flatnonzero(self.happens(counts)[0])
                if len(done):
                    total = batch[done[0]][0]
                    return min(total, max(lower, min(total, larger))), total, counts[:, done[0]]
        return min(self.upper, max(lower, larger)), self.upper, self.found

    def _lightest_of(self, n):
        """Return the weight of the lightest set of n members, which consists of the lightest members."""
        ordered = np.argsort(self.weight, kind="stable")
        before = np.cumsum(self.count[ordered]) - self.count[ordered]
        return float(self.weight[ordered] @ np.clip(n - before, 0, self.count[ordered]))
