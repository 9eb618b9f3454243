"""Plackett and Luce's likelihood of lists with ties: the mean log-likelihood over all orders of the tied items."""

import numpy as np

from ..._kernels import ragged_cumsum
from ._order_average import mean_logs, mean_powers, mean_squares_of_pairs
from ._stages import Stages


class AveragedStages(Stages):
    """Plackett-Luce likelihood of ranked lists, with the mean log-likelihood over all orders of tied items.

    A tied class is a set of items that have the same rank in a list. Without ties, the results are bitwise equal to the
    results of Stages.

    Parameters
    ----------
    lists : RankedLists
        Lists of weight 0 are ignored.
    absent : {"auto", "last", "ignore"}
        How to treat items missing from a list. With "last" they are available at every choice but never chosen, and
        with "ignore" they are not available. "auto" is "ignore" for lists that were read as paired comparisons, and
        "last" for all others.
    """

    tied_win = 0.5

    def __init__(self, lists, absent, *, is_strict=None):
        super().__init__(lists, absent, "breslow", is_strict=is_strict)
        self.options = {"absent": absent}
        if self.is_strict:
            return
        size = np.diff(self.class_ptr)
        #: For each size of a tied class, the rows of the classes of this size, of shape (size, n_classes).
        self.classes = [
            self.class_ptr[:-1][size == d] + np.arange(d)[:, None] for d in np.unique(size[size > 1]).tolist()
        ]
        self.tied = size[self.row_class] > 1
        #: True for the last row of each list.
        self.ends = np.zeros(lists.n_rows, dtype=bool)
        self.ends[self.ptr[1:] - 1] = True

    def _without_chosen(self, mine, left):
        """Return a copy of `left`; rows in a tied class are set to the total worth of the items below the class."""
        below = np.append(left[1:], 0.0)
        below[self.ends] = 0.0
        left = left.copy()
        for rows in self.classes:
            left[rows] = below[rows[-1]]
        return left

    def _logs(self, worth, left):
        """Return, for each row, the logarithm of the total worth of the items that can be chosen.

        In a tied class, the logarithms are added up over all choices in the class, and the sum is averaged over all
        orders of the class. The first row of the class gets this mean, and its other rows get 0.
        """
        return super()._logs(worth, left) if self.is_strict else self._logs_and_slopes(worth, left)[0]

    def _logs_and_shares(self, worth, left):
        """Return the results of `_logs` and of `_shares`; sums over tied classes are computed only once."""
        if self.is_strict:
            return super()._logs_and_shares(worth, left)
        logs, slopes = self._logs_and_slopes(worth, left)
        return logs, *self._add_up(left, self.weight, 1, slopes)

    def _logs_and_slopes(self, worth, left):
        """Return the result of `_logs`, and the results of `mean_powers` for each size of tied classes."""
        logs, slopes = np.zeros_like(left), []
        logs[~self.tied] = np.log(left[~self.tied])
        for rows in self.classes:
            logs[rows[0]], *both = mean_logs(worth[self.candidate[rows]], left[rows[0]])
            slopes.append(both)
        return logs, slopes

    def _shares(self, worth, left, weight, *, order=1, both=False):
        """Compute, for each row, the sum of ``weight / left**order`` over the choices at which its item is available.

        A list is a series of choices, from the first item to the last.

        The second result contains the sum over all choices of each list. Inside a tied class, both sums are means over
        all orders of the class.
        """
        if self.is_strict:
            return super()._shares(worth, left, weight, order=order)
        slopes = [mean_powers(worth[self.candidate[rows]], left[rows[0]], order) for rows in self.classes]
        return self._add_up(left, weight, order, slopes)

    def _add_up(self, left, weight, order, slopes):
        """Compute the results of `_shares`; `slopes` contains the sums inside the tied classes of each size."""
        single = ~self.tied
        chance, own = np.zeros_like(left), np.empty_like(left)
        chance[single] = weight[single] / left[single] ** order
        for rows, (total, inside) in zip(self.classes, slopes, strict=True):
            chance[rows[0]] = weight[rows[0]] * total
            own[rows] = weight[rows] * inside
        running = ragged_cumsum(chance, self.ptr)
        share = running.copy()
        for rows in self.classes:
            share[rows] = self._before(running, rows) + own[rows]
        return share, self._of_whole_lists(running)

    def _before(self, running, rows):
        """Return, for tied classes of one size, the value of `running` before each class (0 at the start of a list).

        `running` contains the running sum of each list at each row. `rows`, of shape (size, n_classes), contains the
        rows of these classes.
        """
        return np.where(np.isin(rows[0], self.ptr[:-1]), 0.0, running[rows[0] - 1])

    def _pairs_of_classes(self, worth, left):
        """Return a function that corrects a list's matrix of second derivatives for pairs of tied items."""
        if self.is_strict:
            return None
        share, _ = self._shares(worth, left, self.weight, order=2)
        first, inside = {}, {}
        for rows in self.classes:
            found = mean_squares_of_pairs(worth[self.candidate[rows]], left[rows[0]])
            for k, row in enumerate(rows[0].tolist()):
                # The choices before the class add the same sum to all pairs of the class.
                inside[row] = self.weight[row] * found[..., k]
                first[row] = share[row] - inside[row][0, 0]

        def correct(rows, shared):
            for row in np.flatnonzero(self.tied[rows]) + rows.start:
                if row in inside:
                    place = slice(row - rows.start, row - rows.start + len(inside[row]))
                    shared[place, place] = first[row] + inside[row]

        return correct
