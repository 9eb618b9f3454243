"""Weights that MAIC gives to the places of a list, computed from the scores of the items down to each place."""

import numpy as np

from ... import _kernels
from ..._arrays._ragged import positions, starts_to_ptr, tie_starts
from ._curve_search import search_curve

# If no curve is found, the weight decreases by this number from place to place.
_DESCENT = 1e-8
# Weights are rounded to this number of digits before the search for a curve. The search would amplify the rounding
# errors of sums, which depend on names and on the order of the lists.
_DIGITS = 10


class RunningMean:
    """Weight of each place of a list: the square root of the mean score of the items down to this place.

    If the item of a place ties with later items, the mean also includes these items.
    """

    def __init__(self, lists):
        self.lists, self.place, self.last = lists, positions(lists.row_ptr), lists.row_ptr[1:] - 1
        start = tie_starts(lists.row_ptr, lists.rank)
        self.class_end = None
        if not start.all():
            ptr = starts_to_ptr(start)
            self.class_end = np.repeat(ptr[1:] - 1, np.diff(ptr))

    def __call__(self, score):
        """Compute the weight of each row, and the weight of each whole list, from the scores of the candidates."""
        weight = self._to_class_ends(self._roots(score[self.lists.candidate]))
        return weight, weight[self.last]

    def _roots(self, score):
        # Average the excess over the least score of the list. Often all scores are equal; the result is then exact.
        ptr = self.lists.row_ptr
        least = np.minimum.reduceat(score, ptr[:-1])[self.lists.row_list]
        return np.sqrt(_kernels.ragged_cumsum(score - least, ptr) / self.place + least)

    def _to_class_ends(self, weight):
        return weight if self.class_end is None else weight[self.class_end]


class Exponential(RunningMean):
    """Weight of each place of a list: a curve in x fitted to the weights of :class:`RunningMean`.

    The curve is a exp(-b x) - c x + d, where x is the number of the place. If all items of a list tie, the weights of
    :class:`RunningMean` are used unchanged.
    """

    def __init__(self, lists):
        super().__init__(lists)
        heads = lists.row_ptr[:-1]
        self.ordered = np.flatnonzero((heads if self.class_end is None else self.class_end[heads]) < self.last)

    def __call__(self, score):
        weight, of_list = super().__call__(score)
        weight = weight.copy()
        for v in self.ordered:
            rows = slice(self.lists.row_ptr[v], self.lists.row_ptr[v + 1])
            weight[rows] = fit_exponential(weight[rows])
        return self._to_class_ends(weight), of_list


def fit_exponential(weight):
    """Fit the curve of :class:`Exponential` to the weights of a list's places, and return the values of the curve.

    `weight` has one element for each place; the last element is also the weight of the whole list. The start, the
    bounds and the weights of the squared errors follow the program that the authors of MAIC published. Squared errors
    get a larger weight towards the end of the list. If the search finds no curve, all places of the list get almost
    the same weight, as in that program.

    >>> import numpy as np
    >>> from skrankagg.aggregators._gene_lists._curves import fit_exponential
    >>> fit_exponential(np.array([2.0, 1.5, 1.3, 1.2])).round(2)
    array([2. , 1.5, 1.3, 1.2])
    """
    if (weight == 0).all():
        return weight
    rounded = np.round(weight, _DIGITS - int(np.floor(np.log10(weight.max()))))
    n_places, of_list = len(rounded), rounded[-1]
    if (rounded == of_list).all():
        return weight
    place = np.arange(1.0, n_places + 1)
    spread = of_list * (n_places - place + 1) / n_places
    found = search_curve(place, rounded, spread, [3.0, 0.01, 0.0001, of_list], [0.0, 0.0, _DESCENT, 0.0])
    if found is None:
        return of_list + _DESCENT * (n_places / 2 + 1 - place)
    return np.maximum(_curve(place, *found), 0.0)


def _curve(x, a, b, c, d):
    return a * np.exp(-b * x) - c * x + d


CURVES = {"running-mean": RunningMean, "exponential": Exponential}
