"""Step-down tests of differences between the scores of items, from the scores in repeated draws of the lists."""

import numpy as np
import pandas as pd

from .._arrays import TOLERANCE
from .._data._compared_items import n_components
from .._data._frames import show_id
from ..exceptions import InputError
from ._resampling import FEW

# Largest number of pairs of items times draws that are tested at one time; the numbers take 8 MB.
_CELLS = 1 << 20
_MOST_ITEMS = 300
# A difference of scores is constant if its standard deviation is below this share of the difference.
_CONSTANT = 1e-9
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class GapTests:
    """Tests of whether the scores of two items differ, for pairs of each query; the p-values are columns of the result.

    Parameters
    ----------
    resampling : Resampling
        The draws, with the changes of the scores in each draw.
    ranked : EncodedConsensus
        The consensus of all lists.
    scale : ndarray of shape (n_queries,) or None
        Largest size of the terms in the scores of each query; None means the largest absolute score.
    confidence : float
        1 minus the probability that a query has a pair of items that are wrongly found to differ.
    pairs : {"next", "all"}
        Which pairs of items are tested.
    """

    def __init__(self, resampling, ranked, scale, confidence, pairs):
        lists = resampling.lists
        self.resampling, self.ranked, self.scale = resampling, ranked, scale
        self.level, self.pairs = 1 - confidence, pairs
        self.one = n_components(lists, resampling.component) == 1
        self.p_next = np.full(lists.n_candidates, np.nan)
        self.group = np.full(lists.n_candidates, np.nan)
        self.letters = np.full(lists.n_candidates, None, dtype=object)
        if pairs == "all" and (lists.query_n_items > _MOST_ITEMS).any():
            q = int(np.argmax(lists.query_n_items))
            raise InputError(
                f"`pairs` must be 'next' for queries of more than {_MOST_ITEMS} items; got 'all', and query "
                f"{show_id(lists.queries, q)} has {lists.query_n_items[q]} items."
            )

    def test(self, q, moves):
        """Test the pairs of items in query `q`, and store the p-values and the resulting groups and letters.

        A new group begins where two neighbours in the consensus differ significantly. Items share a letter if they do
        not differ significantly. `moves`, of shape (n_items, n_resamples), contains the score of each candidate in each
        valid draw, minus its score in the consensus.
        """
        lists = self.resampling.lists
        # Count only the units of this query, because other queries may contain more units.
        n_units = self.resampling.draws.n_units_of(np.arange(*lists.list_ptr[q : q + 2]))
        if n_units < FEW or moves.shape[1] < 2:
            return
        own = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
        order, score = self.ranked.order[own], self.ranked.score[own]
        n = len(order)
        upper, lower = np.triu_indices(n, 1) if self.pairs == "all" else (np.arange(n - 1), np.arange(1, n))
        component = self.resampling.component[order]
        same = component[upper] == component[lower]
        upper, lower = upper[same], lower[same]
        size = np.abs(score).max() if self.scale is None else self.scale[q]
        moves, gap = moves[order - own.start], score[upper] - score[lower]
        p, constant = step_down(gap, upper, lower, moves, 10 * TOLERANCE * size)
        for k in np.flatnonzero(constant & (gap > 0)):
            n_units = min(self._n_units(q, order[upper[k]]), self._n_units(q, order[lower[k]]))
            p[k] = np.exp2(1.0 - n_units)
        next_one = lower == upper + 1
        self.p_next[own.start + upper[next_one]] = p[next_one]
        if self.one[q] and not np.isnan(p).any():
            self.group[own.start] = 1
            self.group[own.start + 1 : own.stop] = 1 + np.cumsum(self._found(p[next_one]))
            if self.pairs == "all":
                apart = np.zeros((n, n), dtype=bool)
                apart[upper, lower] = apart[lower, upper] = self._found(p)
                self.letters[own] = letter_display(apart)

    def columns(self):
        """Return a dict of the columns that the tests add to the result; its rows are in the order of the consensus."""
        found = pd.array(np.where(np.isnan(self.p_next), np.nan, self._found(self.p_next)), dtype="boolean")
        columns = {"separated_next": found, "p_next": self.p_next, "gap_group": pd.array(self.group, dtype="Int64")}
        if self.pairs == "all":
            missing = np.equal(self.letters, None)
            # pandas 2 would convert None to the text "None".
            columns["letters"] = pd.Series(np.where(missing, "", self.letters), dtype=str).mask(missing).array
        return columns

    def _found(self, p):
        return p <= self.level + TOLERANCE  # 1 - 0.95 is slightly above 0.05

    def _n_units(self, q, candidate):
        """Return the number of units (such as lists or voters) with positive weight whose lists contain a candidate."""
        lists = self.resampling.lists
        rows = slice(lists.row_ptr[lists.list_ptr[q]], lists.row_ptr[lists.list_ptr[q + 1]])
        return self.resampling.draws.n_units_of(lists.row_list[rows][lists.candidate[rows] == candidate])


def step_down(gap, upper, lower, moves, dust):
    """Test whether the scores of the two items of each pair differ, by the step-down method of Westfall and Young.

    Parameters
    ----------
    gap : ndarray of shape (n_pairs,)
        Differences of the scores of the two items of each pair, at least 0.
    upper, lower : ndarray of shape (n_pairs,)
        Numbers of the two items.
    moves : ndarray of shape (n_items, n_resamples)
        Score of each item in each draw, minus its score in the data.
    dust : float
        Standard deviation that rounding errors alone may cause.

    Returns
    -------
    p : ndarray of shape (n_pairs,)
        Adjusted p-values; 1 if a difference is constant, and NaN if a score is infinite.
    constant : ndarray of shape (n_pairs,), dtype=bool
        True if the difference is the same in all draws.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.inspection._max_t import step_down
    >>> moves = np.array([[0.0, 1.0, -1.0], [1.0, 0.0, -1.0], [0.0, 0.0, 0.0]])
    >>> step_down(np.array([2.0, 0.5]), np.array([0, 1]), np.array([1, 2]), moves, 1e-12)[0]
    array([0.25, 0.75])
    """
    n_pairs, n_draws = len(gap), moves.shape[1]
    some = max(1, _CELLS // n_draws)
    parts = [slice(k, k + some) for k in range(0, n_pairs, some)]
    spread = np.empty(n_pairs)
    with np.errstate(invalid="ignore"):
        for part in parts:
            spread[part] = (moves[upper[part]] - moves[lower[part]]).std(axis=1, ddof=1)
    finite = np.isfinite(gap) & np.isfinite(spread)
    constant = finite & (spread <= np.maximum(dust, _CONSTANT * gap))
    p = np.where(finite, 1.0, np.nan)
    tested = np.flatnonzero(finite & ~constant)
    distance = gap[tested] / spread[tested]
    rising = np.argsort(distance, kind="stable")
    largest = np.zeros(n_draws)
    for part in parts:
        now = tested[rising[part]]
        if not len(now):
            break
        farthest = np.abs(moves[upper[now]] - moves[lower[now]])
        farthest /= spread[now, None]
        np.maximum(farthest[0], largest, out=farthest[0])
        np.maximum.accumulate(farthest, axis=0, out=farthest)
        largest = farthest[-1].copy()
        p[now] = (1 + (farthest >= distance[rising[part], None]).sum(axis=1)) / (n_draws + 1)
    falling = tested[rising[::-1]]
    p[falling] = np.maximum.accumulate(p[falling])
    return p, constant


def letter_display(apart):
    """Return a text of letters for each item; two items share a letter if, and only if, they do not differ.

    `apart`, of shape (n_items, n_items), is a symmetric boolean matrix that marks the pairs of items that differ
    significantly. Items are in the order of the consensus. Each letter stands for a set in which no two items differ,
    and to which no further item can be added. Letters begin with the first items. After z come A to Z, and then numbers
    in brackets.

    >>> import numpy as np
    >>> from skrankagg.inspection._max_t import letter_display
    >>> apart = np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    >>> letter_display(apart)
    ['a', 'ab', 'b']
    """
    n = len(apart)
    together = ~apart
    # Number of sets that contain both items of a pair.
    covered = np.zeros((n, n), dtype=np.int64)
    sets = []
    for i in range(n):
        # The first pair is the item with itself, so an item that differs from all others gets a letter, too.
        while (left := np.flatnonzero(together[i, i:] & (covered[i, i:] == 0))).size:
            members = np.zeros(n, dtype=bool)
            members[[i, i + left[0]]] = True
            possible = together[i] & together[i + left[0]] & ~members
            while possible.any():
                k = np.argmax(possible)
                members[k] = True
                possible &= together[k]
                possible[k] = False
            covered += members[:, None] & members
            sets.append(members)
    for number in range(len(sets) - 1, -1, -1):  # later sets may contain all pairs of an earlier set
        both = sets[number][:, None] & sets[number]
        if (covered[both] > 1).all():
            covered -= both
            del sets[number]
    sets.sort(key=lambda members: (np.flatnonzero(members)[0], np.flatnonzero(members)[-1]))
    names = [_LETTERS[k] if k < len(_LETTERS) else f"({k + 1})" for k in range(len(sets))]
    return ["".join(name for name, members in zip(names, sets, strict=True) if members[i]) for i in range(n)]
