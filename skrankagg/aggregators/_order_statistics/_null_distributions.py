r"""Lower tails of sums of independent numbers, where each number is drawn from a finite list of values.

The p-value of a rank sum or a rank product is such a tail probability, if every list gives an item one of the list's
values at random. The distribution is computed by convolution on a grid, with exponential tilting. Tilting multiplies
the probability of each sum s by :math:`e^{-\theta s}`. For a suitable :math:`\theta`, the far tail becomes the middle
of the tilted distribution, where the rounding error of a Fourier transform is harmless. So probabilities of 1e-300 have
as many correct digits as probabilities of 1e-3. Several tilts :math:`\theta` cover the range of the sum; the centres of
neighbouring tilted distributions are a few standard deviations apart. The tail at a sum is computed with the tilt under
which this sum is most likely.

If the values lie on the grid, the tail is exact. Otherwise each value is rounded down by less than one grid cell, so
the tail of the rounded sum is an upper bound. For a lower bound, one cell is subtracted from the sum for each rounded
value before the same tail is evaluated.

>>> import numpy as np
>>> from skrankagg.aggregators._order_statistics._null_distributions import SumOfDraws
>>> dice = SumOfDraws([np.arange(6.0)], [np.ones(6)], [2], unit=1.0)
>>> np.exp(dice.log_tail(np.array([0.0, 1.0, 10.0]))) * 36
array([ 1.,  3., 36.])
"""

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft

from ..._arrays import TOLERANCE

# Limits for the overlap of neighbouring tilts. The overlap is the logarithm of the sum of the geometric means of the
# two tilted distributions. The overlap of two normal distributions is -4 if each sum between their means is within 2.8
# deviations of one of the means.
_LEAST_OVERLAP, _MOST_OVERLAP = -5.0, -3.0
# Largest log probability outside the range of a convolution, on either side; this probability wraps around.
_OUTSIDE = -45.0
# Target for the relative distance of the two bounds on a probability, and the largest distance that is accepted.
_WIDTH, _WIDEST = 0.01, 0.1
# Smallest and largest number of grid cells of a convolution with rounded values; 2^22 cells take some 150 MB.
_FEWEST_CELLS, _MOST_CELLS = 1 << 16, 1 << 22
# Tilts are added until the smallest sum has at least this log probability under the last tilt.
_CORNER = np.log(1e-3)
# Number of smallest values of a draw that stay separate for the choice of tilts. Larger values are merged in blocks of
# 1 %.
_SINGLE_VALUES = 256


class SumOfDraws:
    """Lower tail of the distribution of a sum of independent draws.

    Draws from the same distribution are of one kind. `values` contains, for each kind, an ascending array of the values
    that can be drawn; the smallest value is 0. `masses` contains the frequency of each value, and `copies` contains the
    number of draws of each kind. If `unit` is not None, all values are integer multiples of `unit`, up to rounding. The
    result for one sum does not depend on the other sums of the same call.
    """

    def __init__(self, values, masses, copies, *, unit=None):
        self._constant = all(len(value) == 1 for value in values)
        self._kinds = [
            (value, mass / mass.sum(), int(count))
            for value, mass, count in zip(values, masses, copies, strict=True)
            if len(value) > 1
        ]
        if self._constant:
            return
        self._greatest = sum(value[-1] * count for value, _, count in self._kinds)
        self._least_step = min(value[1] for value, _, _ in self._kinds)
        self._n_rounded = sum(count for _, _, count in self._kinds)
        self._moments = _Moments(self._kinds)
        self._tilts, below, log_norms = _choose_tilts(self._moments)
        self._low, self._high = _ranges(self._tilts, log_norms, below, self._greatest)
        # The ranges of two neighbouring tilts meet at the sum that has the same probability under both tilts.
        self._ends = (log_norms[:-1] - log_norms[1:]) / np.diff(self._tilts)
        self._choose_cells(unit)

    def _choose_cells(self, unit):
        span = self._high - self._low
        self.exact = unit is not None and (span / unit).max() < _MOST_CELLS
        if self.exact:
            self._cells = np.full(len(span), float(unit))
            self.width = 0.0
            return
        # From one sum to a larger sum, the logarithm of the tail rises by at most the tilt times the difference of the
        # sums. The tilt counts as at least 1. So the bounds for a sum of logarithms are also within 1 % for the
        # product.
        slope = np.maximum(np.append(self._tilts[1:], 2 * self._tilts[-1]), 1.0)
        cells = np.minimum(_WIDTH / (self._n_rounded * slope), span / _FEWEST_CELLS)
        # The value of greatest mass, which is the value of absent items, lies on the grid: the width of a cell is this
        # value times a power of 2. Cells are finer towards the smallest sums. A finer grid can only lower the bounds,
        # so the bounds rise with the sum.
        base = max(self._kinds, key=lambda kind: kind[1][-1] * kind[2])[0][-1]
        cells = base * 2.0 ** np.floor(np.log2(np.maximum(cells, span / _MOST_CELLS) / base))
        cells[cells < span / _MOST_CELLS] *= 2
        self._cells = np.maximum.accumulate(cells[::-1])[::-1]
        self.width = float(np.expm1(self._n_rounded * (self._cells * slope).max()))

    @property
    def too_wide(self):
        """Return True if the upper bound of :meth:`log_tail` may be more than 10 % above the exact probability.

        Such a bound is not reported as a p-value.
        """
        return not self._constant and self.width > _WIDEST

    def log_tail(self, x):
        """Compute, for each x, the log probability that the sum is at most x.

        If `exact` is False, the result is an upper bound.
        """
        return self.log_bounds(x)[1]

    def log_bounds(self, x, gap=0.0):
        """Return, for each x, a lower and an upper bound on the log probability that the sum is at most x.

        The two bounds are equal if `exact` is True. Each x must be a sum that can occur, up to rounding. No sum that
        can occur may lie strictly between x and ``x + gap``.
        """
        x, gap = np.broadcast_arrays(np.asarray(x, dtype=np.float64), gap)
        lower, upper = np.zeros(len(x)), np.zeros(len(x))
        if self._constant:
            return lower, upper
        window = np.searchsorted(-self._ends, -x, side="right")
        for w in np.unique(window):
            of_w = np.flatnonzero(window == w)
            lower[of_w], upper[of_w] = self._bounds(w, x[of_w], gap[of_w])
        certain = x >= self._greatest * (1 - TOLERANCE)
        upper = np.where(certain, 0.0, np.minimum(upper, 0.0))
        return (upper if self.exact else np.where(certain, 0.0, np.minimum(lower, upper))), upper

    def _bounds(self, w, x, gap):
        cell, tilt = self._cells[w], self._tilts[w]
        first = int(np.floor(self._low[w] / cell))
        n_cells = next_fast_len(int(np.ceil(self._high[w] / cell)) - first + 2, real=True)
        share, log_norm, noise = self._convolve(cell, tilt, n_cells, np.ceil(self._high[w] / cell))
        share = np.roll(share, -(first % n_cells))
        # Work relative to the upper end of this tilt's sums, so that no power of e overflows.
        end = n_cells - 1 if w == 0 else min(int(np.ceil(self._ends[w - 1] / cell)) - first, n_cells - 1)
        step = tilt * cell
        tail = share[: end + 1] * np.exp(step * np.arange(-end, 1.0))
        np.cumsum(tail, out=tail)
        log_scale = log_norm + step * (first + end)
        if self.exact:
            place = np.rint(x / cell).astype(np.int64) - first
            log_tail = _log(tail[np.clip(place, 0, end)]) + log_scale
            return log_tail, log_tail
        # A sum is rounded down by less than a cell for each draw whose value is not the smallest value.
        place = np.maximum(np.floor(x / cell + 1e-6).astype(np.int64), 0)
        rounded = np.minimum(self._n_rounded, np.floor(x / self._least_step + 1e-6))
        lower = np.floor((x + gap) / cell * (1 - TOLERANCE) - 1e-6 * (rounded > 0)).astype(np.int64) - rounded
        lower, upper = (np.asarray(one - first, dtype=np.int64) for one in (np.minimum(lower, place), place))
        found = []
        for one, sign in ((lower, -1), (upper, 1)):
            one = np.minimum(one, end)
            # Rounding of the transform adds the same noise to each cell.
            reach = np.minimum(one + 1.0, 1 / -np.expm1(-step) if step > 0 else np.inf)
            error = sign * noise * reach * np.exp(step * (one - end))
            found.append(np.where(one < 0, -np.inf, _log(tail[np.maximum(one, 0)] + error) + log_scale))
        return found

    def _convolve(self, cell, tilt, n_cells, most):
        """Return the tilted probability of each grid cell, the log norm of the tilt, and the rounding error.

        The tilt multiplies the probability of each sum by exp(-tilt * sum). The log norm is the logarithm of the
        expectation of this factor. The grid divides the range of the sum into cells of width `cell`. Cells are numbered
        modulo `n_cells`.
        """
        transform, log_norm = None, 0.0
        for value, mass, count in self._kinds:
            place = np.rint(value / cell) if self.exact else np.floor(value / cell * (1 + 1e-15))
            kept = place <= most
            place, mass = place[kept], mass[kept] * np.exp(-tilt * cell * place[kept])
            total = mass.sum()
            log_norm += count * np.log(total)
            share = np.bincount(place.astype(np.int64) % n_cells, weights=mass / total, minlength=n_cells)
            factor = _power(rfft(share), count)
            transform = factor if transform is None else np.multiply(transform, factor, out=transform)
        share = irfft(transform, n_cells)
        noise = np.finfo(float).eps * (8 + self._n_rounded) * np.sqrt((share @ share) / n_cells)
        return share, log_norm, noise


class _Moments:
    """Log norm and standard deviation of a sum of draws under exponential tilts.

    A tilt multiplies the probability of each sum by exp(-tilt * sum). Its log norm is the logarithm of the expectation
    of this factor. Two correct digits suffice to choose tilts and ranges, so neighbouring values of a long list are
    merged.
    """

    def __init__(self, kinds):
        values, masses, sizes = [], [], []
        for value, mass, _ in kinds:
            if len(value) > _SINGLE_VALUES:
                ends = _SINGLE_VALUES * 1.01 ** np.arange(np.log(len(value) / _SINGLE_VALUES) / np.log(1.01))
                start = np.unique(np.concatenate([np.arange(_SINGLE_VALUES), ends, [len(value) - 1]]).astype(np.int64))
                total = np.add.reduceat(mass, start)
                value, mass = np.add.reduceat(value * mass, start) / total, total
            values.append(value)
            masses.append(mass)
            sizes.append(len(value))
        self._value, self._mass = np.concatenate(values), np.concatenate(masses)
        self._start = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        self._kind = np.repeat(np.arange(len(sizes)), sizes)
        self._copies = np.array([count for _, _, count in kinds], dtype=np.float64)
        self._last = self._value[np.cumsum(sizes) - 1]
        self._log_first = float(self._copies @ np.log(self._mass[self._start]))

    def _tilted(self, tilt):
        # Values are relative to the smallest value, or to the greatest value if the tilt is negative. So nothing
        # underflows.
        base = self._last if tilt < 0 else np.zeros_like(self._last)
        share = self._mass * np.exp(-tilt * (self._value - base[self._kind]))
        return share, np.add.reduceat(share, self._start), base

    def log_norm(self, tilt):
        _, total, base = self._tilted(tilt)
        return float(self._copies @ (np.log(total) - tilt * base))

    def deviation(self, tilt):
        share, total, _ = self._tilted(tilt)
        mean = np.add.reduceat(share * self._value, self._start) / total
        apart = share * (self._value - mean[self._kind]) ** 2
        return float(np.sqrt(self._copies @ (np.add.reduceat(apart, self._start) / total)))

    def log_corner(self, log_norm):
        """Return the log probability of the smallest sum under a tilt, given the log norm of this tilt.

        A tilt multiplies the probability of each sum by exp(-tilt * sum); the log norm normalizes the result.
        """
        return self._log_first - log_norm


def _choose_tilts(moments):
    """Choose tilts below 0, and tilts from 0 upwards until the smallest sum is likely under the last tilt.

    A tilt multiplies the probability of each sum by exp(-tilt * sum). The log norm of a tilt is the logarithm of the
    expectation of this factor. There are three results. The first contains the tilts of at least 0, in ascending order.
    The second is a list of pairs, each of a tilt below 0 and its log norm. The third contains the log norms of the
    tilts in the first result.
    """
    deviation = moments.deviation(0.0)
    tilts, log_norms = [0.0], [0.0]
    while moments.log_corner(log_norms[-1]) < _CORNER:
        tilt, log_norm = tilts[-1], log_norms[-1]

        def overlap(step, tilt=tilt, log_norm=log_norm):
            return moments.log_norm(tilt + step / 2) - (log_norm + moments.log_norm(tilt + step)) / 2

        step = np.sqrt(-8 * _MOST_OVERLAP) / max(moments.deviation(tilt), TOLERANCE * deviation)
        while overlap(step) < _LEAST_OVERLAP:
            step /= 1.5
        while overlap(step * 1.5) > _MOST_OVERLAP:
            step *= 1.5
            if moments.log_corner(moments.log_norm(tilt + step)) >= _CORNER:
                break
        tilts.append(tilt + step)
        log_norms.append(moments.log_norm(tilt + step))
    below = [(tilt, moments.log_norm(tilt)) for tilt in -np.array([5.0, 10.0, 20.0]) / deviation]
    return np.array(tilts), below, np.array(log_norms)


def _ranges(tilts, log_norms, below, greatest):
    """Return, for each tilt, the smallest and the greatest sum of the range in which probabilities are computed.

    Under the tilt, sums outside this range have a negligible probability. The limits are found with Chernoff's bounds,
    which use the log norms of the other tilts. For tilts and log norms see :func:`_choose_tilts`.
    """
    all_tilts = np.concatenate([[tilt for tilt, _ in below], tilts])
    all_norms = np.concatenate([[norm for _, norm in below], log_norms])
    low, high = np.zeros(len(tilts)), np.full(len(tilts), greatest)
    for w, (tilt, log_norm) in enumerate(zip(tilts, log_norms, strict=True)):
        more, less = all_tilts > tilt, all_tilts < tilt
        if more.any():
            low[w] = max(0.0, ((_OUTSIDE - all_norms[more] + log_norm) / (all_tilts[more] - tilt)).max())
        high[w] = min(greatest, ((all_norms[less] - log_norm - _OUTSIDE) / (tilt - all_tilts[less])).min())
    return low, high


def _log(x):
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(x, 0.0))


def _power(x, count):
    """Compute integer powers by repeated squaring, which keeps the relative error of complex numbers small."""
    power = None
    while count:
        if count & 1:
            power = x if power is None else power * x
        count >>= 1
        x = x * x if count else x
    return power
