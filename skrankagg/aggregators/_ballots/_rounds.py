"""Rounds of elimination for all queries at once: each round counts votes and removes the items with the lowest count.

Votes for the first or the last place are counted list by list. A list votes for the same group of tied items until all
items of the group have left. Borda points are sums of margins. When items leave, their margins are subtracted from
these sums.
"""

import numpy as np
from scipy.sparse import csr_array

from ..._arrays import TOLERANCE
from ..._arrays._preferences import margins
from ..._arrays._ragged import gather_ranges, starts_to_ptr, tie_starts
from ..._data._ranked_lists import RankedLists

# With more items than this, and more items per list than this, it is faster to count a round by classes of items
# (measured).
_MANY, _MANY_FOR_EACH = 8192, 16


def leave_by_votes(lists, rule, absent):
    """Return the number of rounds that each candidate survives, as float64; `rule` is "plurality" or "veto"."""
    score, tolerance = np.empty(lists.n_candidates), TOLERANCE * lists.sum_over_lists(lists.list_weight)
    candidates, n_rounds = np.arange(lists.n_candidates), 0
    while True:
        # Whenever half of the items have left, copy the remaining items, so that no pass reads many items that have
        # left.
        many = lists.n_candidates > max(_MANY, _MANY_FOR_EACH * lists.n_lists)
        votes = (_VotesByClass if many else Votes)(lists, rule, absent)
        n_left = len(candidates)
        while 2 * n_left > len(candidates):
            leaving = votes.least(tolerance)
            score[candidates[leaving]] = n_rounds
            votes.remove(leaving)
            n_left -= len(leaving)
            n_rounds += 1
        if n_left == 0:
            return score
        # Lists without a remaining item are exhausted: they give the same votes to all items.
        left = np.logical_or.reduceat(votes.stays, lists.candidate_ptr[:-1])
        lists, kept = lists._keep(votes.n_held > 0, votes.stays[lists.candidate])
        candidates, tolerance = candidates[kept], tolerance[left]


class Votes:
    """Votes that each list casts for its first or its last remaining candidate."""

    def __init__(self, lists, rule, absent):
        self.lists, self.sign, self.absent = lists, 1 if rule == "plurality" else -1, absent
        self.stays = np.ones(lists.n_candidates, dtype=bool)
        self.n_held = lists.list_length.copy()
        start = tie_starts(lists.row_ptr, lists.rank)
        self.row_group = np.cumsum(start) - 1
        self.group_ptr = starts_to_ptr(start)
        self.n_in_group = np.diff(self.group_ptr)
        self.strict = bool(start.all())
        end = lists.row_ptr[:-1] if self.sign == 1 else lists.row_ptr[1:] - 1
        # The group of tied items that each list votes for.
        self.group = self.row_group[end]
        self.n_staying = lists.query_n_items.copy()

    def least(self, tolerance):
        """Return the candidates whose total exceeds the least total of their query by at most the tolerance."""
        lists = self.lists
        total = np.where(self.stays, self.count(), np.inf)
        least = np.minimum.reduceat(total, lists.candidate_ptr[:-1]) + tolerance
        return np.flatnonzero(self.stays & (total <= least[lists.candidate_query]))

    def count(self):
        """Return the total of each candidate: its votes for the first place, or minus its votes for the last place.

        If absent items are ignored, the numbers that a list adds to the totals of its remaining items are shifted so
        that their mean is 0.
        """
        lists = self.lists
        own, by_absence, even = self._ways()
        rows, weight = self._votes(own)
        total = np.bincount(lists.candidate[rows], weights=weight, minlength=lists.n_candidates)
        total = total.astype(np.float64, copy=False)  # without rows NumPy counts in integers
        if by_absence is not None:
            total += lists.sum_over_absent(by_absence)
        total *= self.sign
        if even is not None:
            total -= np.bincount(lists.candidate, weights=even[lists.row_list], minlength=lists.n_candidates)
        return total

    def _ways(self):
        """Describe how each list votes; return three arrays.

        The first array contains the positions of the lists that give their vote to an item that they contain. The other
        two arrays have shape (n_lists,). The second contains the vote that each list gives to every item missing from
        the list. The third contains the mean that each list subtracts from every item in the list. Each of these two
        arrays is None if all its values are 0.
        """
        lists, weight = self.lists, self.lists.list_weight
        voting = self.n_held > 0
        even = self.sign * weight / np.maximum(self.n_held, 1) if self.absent == "ignore" else None
        if self.sign == 1 or self.absent == "ignore":
            return np.flatnonzero(voting), None, even
        # The items missing from a list, if there are any, share its last place.
        n_absent = self.n_staying[lists.list_query] - self.n_held
        shared = voting & (n_absent > 0)
        given = np.where(shared, weight / np.maximum(n_absent, 1), 0.0) if shared.any() else None
        return np.flatnonzero(voting & ~shared), given, even

    def _votes(self, own):
        """Return the rows that get votes from the lists in `own`, and the weights of the votes.

        Tied items share the vote of their list equally.
        """
        lists, group, weight = self.lists, self.group[own], self.lists.list_weight[own]
        rows = self.group_ptr[group]
        if not self.strict:
            rows, ptr = gather_ranges(self.group_ptr, group)
            weight = np.repeat(weight / self.n_in_group[group], np.diff(ptr))
            staying = self.stays[lists.candidate[rows]]
            rows, weight = rows[staying], weight[staying]
        return rows, weight

    def remove(self, leaving):
        """Remove candidates; a list without items left in its group of tied items then votes for its next group.

        The next group with remaining items is lower in the list. If votes are counted for the last place, it is higher.
        """
        lists = self.lists
        self.stays[leaving] = False
        np.subtract.at(self.n_staying, lists.candidate_query[leaving], 1)
        ptr, by_candidate = lists.rows_by_candidate
        rows = by_candidate[gather_ranges(ptr, leaving)[0]]
        np.subtract.at(self.n_in_group, self.row_group[rows], 1)
        np.subtract.at(self.n_held, lists.row_list[rows], 1)
        moving = lists.row_list[rows]
        while len(moving):
            moving = moving[(self.n_held[moving] > 0) & (self.n_in_group[self.group[moving]] == 0)]
            self.group[moving] += self.sign


class _VotesByClass(Votes):
    """Votes in queries with many items per list, counted by classes of items so that a round visits only a few items.

    A round visits only the items that get votes from lists that contain them. The total of any other item depends only
    on the lists that contain the item. Items contained in the same lists form a class. All items of a class therefore
    have the same total, except the visited items.
    """

    def __init__(self, lists, rule, absent):
        super().__init__(lists, rule, absent)
        ptr, rows = lists.rows_by_candidate
        self.class_of, example = _classes(lists, ptr, lists.row_list[rows])
        self.class_query = lists.candidate_query[example]
        held, class_ptr = gather_ranges(ptr, example)
        ones = np.ones(len(held))
        shape = len(example), lists.n_lists
        self.holds = csr_array((ones, lists.row_list[rows[held]], class_ptr), shape=shape)
        self.members = np.argsort(self.class_of, kind="stable")
        self.n_members = np.bincount(self.class_of)
        self.member_ptr = np.append(0, np.cumsum(self.n_members))

    def least(self, tolerance):
        lists = self.lists
        own, by_absence, even = self._ways()
        base = np.zeros(len(self.class_query))
        if by_absence is not None:
            base -= lists.sum_over_lists(by_absence)[self.class_query] - self.holds @ by_absence
        if even is not None:
            base -= self.holds @ even
        rows, weight = self._votes(own)
        voted, place = np.unique(lists.candidate[rows], return_inverse=True)
        of_class = self.class_of[voted]
        total = self.sign * np.bincount(place, weights=weight, minlength=len(voted)) + base[of_class]
        # Mark the classes that have members without a vote from their own lists.
        others = self.n_members > np.bincount(of_class, minlength=len(base))
        bound = np.full(lists.n_queries, np.inf)
        np.minimum.at(bound, self.class_query[others], base[others])
        np.minimum.at(bound, lists.candidate_query[voted], total)
        bound += tolerance
        leaving = voted[total <= bound[lists.candidate_query[voted]]]
        chosen = np.flatnonzero(others & (base <= bound[self.class_query]))
        if len(chosen):
            members = self.members[gather_ranges(self.member_ptr, chosen)[0]]
            leaving = np.concatenate([leaving, np.setdiff1d(members[self.stays[members]], voted)])
        np.subtract.at(self.n_members, self.class_of[leaving], 1)
        return leaving


def _classes(lists, ptr, held):
    """Return the class number of each candidate, and one candidate of each class.

    Two candidates of a query are in the same class if they are contained in the same lists. ``held[ptr[c]:ptr[c + 1]]``
    contains the lists of candidate c in ascending order.
    """
    length = np.diff(ptr)
    label = length * lists.n_queries + lists.candidate_query
    for place in range(int(length.max(initial=0))):
        longer = np.flatnonzero(length > place)
        label = np.unique(label, return_inverse=True)[1]
        label[longer] = label[longer] * lists.n_lists + held[ptr[longer] + place] + len(label)
    _, example, label = np.unique(label, return_index=True, return_inverse=True)
    return label, example


def repeat_lists(lists, n_times):
    """Copy all queries and their lists `n_times` times, so that many sets of list weights can be counted at once.

    The list weights of the result are ordered by copy, then by list. The result has no scores.
    """
    times = np.arange(n_times)

    def shift(ptr):
        return np.append((ptr[:-1] + ptr[-1] * times[:, None]).ravel(), n_times * ptr[-1])

    return RankedLists(
        queries=lists.queries.take(np.tile(np.arange(lists.n_queries), n_times)),
        voters=lists.voters,
        items=lists.items,
        list_ptr=shift(lists.list_ptr),
        list_voter=np.tile(lists.list_voter, n_times),
        list_weight=np.tile(lists.list_weight, n_times),
        list_conflict=None,
        list_merged=None,
        row_ptr=shift(lists.row_ptr),
        candidate=(lists.candidate + lists.n_candidates * times[:, None]).ravel().astype(np.int32),
        rank=np.tile(lists.rank, n_times),
        score=None,
        candidate_ptr=shift(lists.candidate_ptr),
        candidate_item=np.tile(lists.candidate_item, n_times),
    )


def leave_by_margins(prefer, total, below_mean):
    """For queries of equal size, return the number of rounds that each item survives if rounds count Borda points.

    All queries have the same number of items. `prefer`, of shape (n_queries, n_items, n_items), contains the weights of
    the lists that prefer the row's item to the column's item. `total`, of shape (n_queries,), contains the total weight
    of each query's lists. In each round, the items with the fewest points leave. If `below_mean` is true, all items
    with fewer points than the mean leave instead.

    >>> import numpy as np
    >>> from skrankagg.aggregators._ballots._rounds import leave_by_margins
    >>> leave_by_margins(np.array([[[0.0, 2.0, 3.0], [1.0, 0.0, 3.0], [0.0, 0.0, 0.0]]]), np.array([3.0]), False)
    array([[2., 1., 0.]])
    """
    deficit = margins(prefer)  # cost of putting the row's item first: its defeats minus its wins
    points = -deficit.sum(axis=2)
    n_queries, n = points.shape
    tolerance = TOLERANCE * n * total[:, None]
    score, stays, n_rounds = np.empty((n_queries, n)), np.ones((n_queries, n), dtype=bool), 0
    while stays.any():
        least = np.where(stays, points, np.inf).min(axis=1, keepdims=True)
        bound = np.where(least < -tolerance, -tolerance, np.inf) if below_mean else least + tolerance
        leaving = stays & ((points < bound) if below_mean else (points <= bound))
        score[leaving] = n_rounds
        stays &= ~leaving
        # The remaining items lose the points that they won from the leaving items.
        query, item = np.nonzero(leaving & stays.any(axis=1, keepdims=True))
        if len(query):
            first = np.flatnonzero(np.diff(query, prepend=-1))
            points[query[first]] -= np.add.reduceat(deficit[query, item], first, axis=0)
        n_rounds += 1
    return score
