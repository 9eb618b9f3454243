"""Positional scoring: plurality, veto, Dowdall's rule, and custom points."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..._arrays._ragged import positions, starts_to_ptr, tie_starts
from ..._support._sklearn import StrOptions
from ...base import Consensus
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VoterWeights
from ...exceptions import InputError
from .._scores._point_sums import SharedPointSums

__all__ = ["PositionalScoring"]


class PositionalScoring(SharedPointSums):
    r"""Rank items by the points of their places: plurality, veto, Dowdall's rule, or custom points.

    Each list gives a fixed number of points to its first item, another number to its second item, and so on. The points
    of an item are added up over the lists.

    Parameters
    ----------
    points : {"plurality", "veto", "dowdall"} or array-like of float, default="plurality"
        Points by place:

        - "plurality": 1 for the first place, 0 for all others;
        - "veto": 1 for every place except the last; this rule is also called antiplurality;
        - "dowdall": 1 for the first place, 1/2 for the second, 1/3 for the third, and so on;
        - an array: the points of the first place, of the second place, and so on. They must be at least 0 and must not
          increase from one place to the next. In a query of n items only the first n entries are used; places beyond
          the end of the array get 0 points. With ``[1, 1, 1]`` each list approves its first three items.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list. With "last" these items share the points of the places after the last
        item of the list. With "ignore" each list gives points only to its own items, and the score of an item is the
        mean of its points over the lists that contain it. Use "ignore" when each voter saw only some items.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    BordaCount : Adds up points that fall by 1 from place to place.
    ReciprocalRankFusion : With ``k=0``, uses Dowdall's points, but gives no points to absent items.
    SequentialElimination : Removes the item with the fewest points and counts again.
    Bucklin : Counts more and more places until an item has a majority.

    Notes
    -----
    Let :math:`s_k` be the points of place :math:`k` among :math:`n` items. Let :math:`P` be the places that item
    :math:`i` and the items tied with it occupy in list :math:`v`. The list gives item :math:`i` the mean of the points
    of these places, and the score is [1]_

    .. math:: S(i) = \sum_v w_v \, \frac{1}{|P|} \sum_{k \in P} s_k.

    The items missing from a list of :math:`L_v` items form one more group, on the places :math:`L_v + 1` to :math:`n`.
    So under "veto" the absent items of a list share the last place, and under "plurality" absent items never get any
    points. In a championship, absent items should get no points at all. For this purpose, `points` must not have more
    entries than the shortest list has items.

    With ``absent="ignore"``, only the :math:`L_v` items of the list have places, and

    .. math:: S(i) = \frac{\sum_{v \ni i} w_v \, \frac{1}{|P|} \sum_{k \in P} s_k}{\sum_{v \ni i} w_v}.

    Under "plurality" this score is the share of the lists that rank the item first, among the lists that contain the
    item. With custom points the score can be, for example, the mean of a driver's points over the races that the driver
    entered. If only lists of weight 0 contain an item, its score is 0.

    Items with equal points tie. Under "plurality" an item that no list ranks first has no points, so all such items
    tie. The time is linear in the number of rows.

    References
    ----------
    .. [1] H. P. Young, "Social choice scoring functions", SIAM Journal on Applied Mathematics 28, 1975.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import PositionalScoring
    >>> PositionalScoring().fit_transform(lists)
      query item  score  rank
    0     q    b    2.0     1
    1     q    a    1.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    >>> PositionalScoring(points=[5, 3, 1]).fit_transform(lists)
      query item  score  rank
    0     q    b   13.0     1
    1     q    a    7.5     2
    2     q    c    4.0     3
    3     q    d    2.5     4
    """

    _guide = {
        "absent": (
            '`absent="last"`: the mean of the points of the remaining places; `"ignore"`: the '
            "list is left out of the item's mean"
        ),
        "ties": "the mean of the points of their places",
        "cost": "$N$",
    }
    _tag_notes = {"unanimity": 'yes with `points="dowdall"`'}
    _parameter_constraints: dict = {
        "points": [StrOptions({"plurality", "veto", "dowdall"}), "array-like"],
        **SharedPointSums._parameter_constraints,
    }
    _variants = ({}, {"points": "veto"}, {"points": "dowdall"}, {"absent": "ignore"})

    def __init__(
        self,
        *,
        points: Literal["plurality", "veto", "dowdall"] | Sequence[float] | NDArray[Any] = "plurality",
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.points = points
        self.absent = absent
        self.voter_weights = voter_weights

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # With the other rules two places may give the same points.
        tags.aggregator_tags.unanimity = isinstance(self.points, str) and self.points == "dowdall"
        return tags

    def _prepare(self, X):
        lists = super()._prepare(X)
        self._own_points()
        return lists

    def _aggregate(self, lists):
        # Dowdall's points of neighbouring deep places differ by less than the tolerance for ties; `additive` keeps them
        # apart. The user's points may be equal, and their mean may have a rounding error.
        return Consensus(self._add_up(lists), additive=self._own_points() is None and self.points == "dowdall")

    def _own_points(self):
        """Return the user's points as a float64 array of shape (n_given,), or None if `points` names a rule."""
        if isinstance(self.points, str):
            return None
        try:
            points = np.asarray(self.points, dtype=np.float64)
        except (TypeError, ValueError):
            points = np.array(np.nan)
        if points.ndim != 1 or len(points) == 0 or not np.isfinite(points).all():
            raise InputError(
                f"`points` must be a list of finite numbers, one for each place, beginning with the first place; got "
                f"{self.points!r}. Pass for example [5, 3, 1]."
            )
        if (np.diff(points) > 0).any() or points[-1] < 0 or points[0] == 0:
            raise InputError(
                "`points` must begin with a number above 0, must not increase, and must not be negative; got "
                f"{self.points!r}. Sort them in descending order, without negative numbers."
            )
        return points

    def _by_place(self, n_places):
        """Return the points of the places from 1 to `n_places` for all rules except "veto"."""
        own = self._own_points()
        if own is None:
            place = np.arange(1.0, n_places + 1)
            return 1.0 / place if self.points == "dowdall" else (place == 1).astype(np.float64)
        by_place = np.zeros(n_places)
        by_place[: len(own)] = own[:n_places]
        return by_place

    def _give(self, lists, n_places):
        """Return the points that the item of each row gets from its list.

        List v gives points for ``n_places[v]`` places, and its items occupy the first of these places. Tied items share
        the points of their places equally.
        """
        place = positions(lists.row_ptr)
        if self._own_points() is None and self.points == "veto":
            given = (place != n_places[lists.row_list]).astype(np.float64)
        else:
            given = self._by_place(int(n_places.max()))[place - 1]
        start = tie_starts(lists.row_ptr, lists.rank)
        if not start.all():
            ptr = starts_to_ptr(start)
            size = np.diff(ptr)
            given = np.repeat(np.add.reduceat(given, ptr[:-1]) / size, size)
        return given

    def _points(self, lists):
        return self._give(lists, lists.query_n_items[lists.list_query])

    def _points_inside(self, lists):
        return self._give(lists, lists.list_length)

    def _left_over(self, lists):
        n_places, length = lists.query_n_items[lists.list_query], lists.list_length
        n_left = n_places - length
        if self._own_points() is None and self.points == "veto":
            total = n_left - 1.0
        else:
            until = np.concatenate([[0.0], np.cumsum(self._by_place(int(n_places.max())))])
            total = until[n_places] - until[length]
        # A full list has no points left over, so the result is exactly 0.
        return np.where(n_left > 0, total / np.maximum(n_left, 1), 0.0)

    def _first_place(self, lists):
        own = self._own_points()
        return 1.0 if own is None else float(own[0])
