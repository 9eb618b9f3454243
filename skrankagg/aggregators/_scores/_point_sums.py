"""Base classes of methods that add up points for ranks, with two ways to treat absent items."""

import numpy as np

from ..._support._sklearn import StrOptions
from ...base import BaseAggregator, Consensus
from ...base._consensus import Contributions
from ...base._voter_weights import VOTER_WEIGHTS
from ._row_sums import sum_rows, sum_rows_again, times, weigh_rows


class PointSums(BaseAggregator):
    """Base class of methods that sum the points of an item over the lists; a subclass computes the points in `_points`.

    Each list gives points only to its own items.
    """

    _any_numbering = True
    _repeats_columns = True
    _tags = {"smooth": True}
    _parameter_constraints: dict = {**VOTER_WEIGHTS}

    def _points(self, lists):
        """Return the points of each row, not yet multiplied by the weight of its list."""
        raise NotImplementedError

    def _first_place(self, lists):
        """Return the points for first place, as an array with a number per query or as one number for all queries."""
        raise NotImplementedError

    def _aggregate(self, lists):
        return Consensus(sum_rows(lists, self._points(lists)), additive=True)

    def _contributions(self, lists):
        return Contributions(weigh_rows(lists, self._points(lists)))

    def _repeat(self, lists):
        return sum_rows_again(lists, self._points(lists))

    def _linear_gains(self, lists):
        return self._points(lists), None, self._first_place(lists)


class SharedPointSums(PointSums):
    """Base class of methods that sum or average the points of an item over the lists.

    With ``absent="last"`` each list gives points to all items, and the score is the sum. With ``absent="ignore"`` each
    list gives points only to its own items, and the score is the mean.
    """

    _parameter_constraints: dict = {"absent": [StrOptions({"last", "ignore"})], **PointSums._parameter_constraints}

    def _left_over(self, lists):
        """Return the points that each list gives to an absent item; all absent items of a list get the same points."""
        raise NotImplementedError

    def _points_inside(self, lists):
        """Return the points of each row, computed as if the items of its list were the only items of the query."""
        raise NotImplementedError

    def _aggregate(self, lists):
        return self._add_up(lists)

    def _add_up(self, lists):
        """Compute the score of each candidate; return an array of shape (n_candidates,)."""
        if self.absent == "ignore":
            lists = _scale_weights(lists)
            return _mean(sum_rows(lists, self._points_inside(lists)), lists.candidate_weight)
        points = sum_rows(lists, self._points(lists))
        return points + lists.sum_over_absent(self._left_over(lists) * lists.list_weight)

    def _contributions(self, lists):
        if self.absent == "ignore":
            lists = _scale_weights(lists)
            points = weigh_rows(lists, self._points_inside(lists))
            return Contributions(_mean(points, lists.candidate_weight[lists.candidate]))
        return Contributions(super()._contributions(lists).held, self._left_over(lists) * lists.list_weight)

    def _repeat(self, lists):
        held = sum_rows_again(lists, np.ones(lists.n_rows))
        if self.absent == "ignore":
            inside = sum_rows_again(lists, self._points_inside(lists))

            def mean(weight):
                weight = _scaled(lists, weight)
                return _mean(inside(weight), held(weight))

            return mean
        points, left_over = super()._repeat(lists), self._left_over(lists)

        def score(weight):
            given = times(left_over, weight)
            return points(weight) + (lists.sum_over_lists(given)[lists.candidate_query] - held(given))

        return score

    def _linear_gains(self, lists):
        if self.absent == "ignore":
            return BaseAggregator._linear_gains(self, lists)  # raises an error: a mean is not a sum over the lists
        points, _, first = super()._linear_gains(lists)
        left_over = self._left_over(lists)
        return points - left_over[lists.row_list], left_over, first


def _scale_weights(lists):
    return lists.with_list_weight(_scaled(lists, lists.list_weight)) if lists.is_weighted else lists


def _scaled(lists, weight):
    """Scale the list weights of each query by a power of two, so that the largest is close to 1.

    The weighted means of points stay the same. The products of weights and points then neither overflow nor lose
    precision.
    """
    _, exponent = np.frexp(np.maximum.reduceat(weight, lists.list_ptr[:-1]))
    return np.ldexp(weight, -exponent[lists.list_query])


def _mean(total, weight):
    """Divide each weighted total by the total weight; return 0 where the total weight is 0."""
    return total / np.where(weight > 0, weight, 1.0)
