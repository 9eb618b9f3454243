"""Search for the curve of MAIC by scipy's trust-region method, without the cost of its general wrappers.

`scipy.optimize.curve_fit` takes 0.3 ms for each step of a search with four parameters. Nearly all of this time goes
into checks and wrappers. A search that does not converge takes hundreds of steps. The functions here take the same
steps as scipy's method "trf", with the same arithmetic operations in the same order as SciPy before 1.18. The curve is
therefore equal to SciPy's to the last bit. A search that stops at a tolerance of 1e-8 amplifies rounding, so another
order of operations would alter the curve.
"""

from math import copysign, inf

import numpy as np
from scipy.linalg import get_lapack_funcs

_EPS = float(np.finfo(np.float64).eps)
_STEP = _EPS**0.5
# scipy's tolerance for the squared errors, the parameters and the gradient, and its largest number of evaluations.
_TOLERANCE = 1e-8
_MOST_EVALUATIONS = 400


def search_curve(place, target, spread, start, lowest):
    """Fit the curve a exp(-b x) - c x + d by least squares, with the same steps as `scipy.optimize.curve_fit`.

    The errors are divided by `spread`, and the search begins at the parameters `start`. `lowest` contains lower bounds
    of the parameters, which are at least 0. Returns the parameters, or None if no curve is found.

    >>> import numpy as np
    >>> from skrankagg.aggregators._gene_lists._curve_search import search_curve
    >>> place = np.arange(1.0, 31.0)
    >>> target = 2.0 * np.exp(-0.5 * place) - 0.01 * place + 1.0
    >>> search_curve(place, target, np.ones(30), [3.0, 0.01, 0.0001, 1.0], [0.0, 0.0, 1e-8, 0.0]).round(6)
    array([2.  , 0.5 , 0.01, 1.  ])
    """
    lowest = np.array(lowest)
    x = _strictly_inside(np.array(start), lowest)
    try:
        return _Search(_Residuals(place, target, 1.0 / spread), lowest).run(x)
    except ValueError:  # numbers beyond the range of floats; NumPy's LinAlgError is also a ValueError
        return None


class _Residuals:
    """Weighted residuals of a curve, and their derivatives by scipy's one-sided differences."""

    def __init__(self, place, target, weight):
        self.place, self.target, self.weight = place, target, weight

    def __call__(self, x):
        """Return the residuals for the parameters `x`, and store intermediate results for `derivatives`."""
        a, b, c, d = x.tolist()
        self.decay, self.line = np.exp(-b * self.place), c * self.place
        self.curve = a * self.decay
        return self.weight * (self.curve - self.line + d - self.target)

    def derivatives(self, x, found):
        """Return the derivatives at the parameters `x` of the last call; `found` is the result of that call."""
        moved = x + _STEP * np.maximum(1.0, np.abs(x))
        a, _, _, d = x.tolist()
        a1, b1, c1, d1 = moved.tolist()
        result = np.empty((4, len(found)))
        np.multiply(a1, self.decay, out=result[0])
        np.multiply(a, np.exp(-b1 * self.place), out=result[1])
        result[2:] = self.curve
        result[:2] -= self.line
        result[2] -= c1 * self.place
        result[3] -= self.line
        result[:3] += d
        result[3] += d1
        result -= self.target
        result *= self.weight
        result -= found
        result /= (moved - x)[:, None]
        return result.T


class _Search:
    """One search by scipy's method "trf", with lower bounds and without upper bounds."""

    def __init__(self, residuals, lowest):
        self.residuals, self.lowest = residuals, lowest
        n_places = len(residuals.place)
        self.stacked, self.padded = np.zeros((n_places + 4, 4)), np.zeros(n_places + 4)
        self.diagonal = n_places * 4 + 5 * np.arange(4)
        self.gesdd, lwork = get_lapack_funcs(("gesdd", "gesdd_lwork"), (self.stacked,))
        self.lwork = int(lwork(n_places + 4, 4, compute_uv=True, full_matrices=False)[0].real)

    def run(self, x):
        """Search from the parameters `x`; return the parameters, or None after too many evaluations."""
        f = self.residuals(x)
        if not np.isfinite(f).all():
            return None
        n_places, n_evaluations, alpha = len(f), 1, 0.0
        jacobian, cost = self.residuals.derivatives(x, f), 0.5 * f.dot(f)
        gradient = jacobian.T.dot(f)
        radius = _norm(x / self._distances(x, gradient)[0] ** 0.5)
        radius = 1.0 if radius == 0 else radius
        flat = self.stacked.reshape(-1)
        while True:
            room, bounded = self._distances(x, gradient)
            largest = np.abs(gradient * room).max()
            if largest < _TOLERANCE:
                return x
            if n_evaluations == _MOST_EVALUATIONS:
                return None
            scale = room**0.5
            curvature = gradient * bounded
            scaled = scale * gradient
            self.padded[:n_places] = f
            np.multiply(jacobian, scale, out=self.stacked[:n_places])
            flat[self.diagonal] = curvature**0.5
            u, s, v = self._decompose()
            v, uf = v.T, u.T.dot(self.padded)
            theta = max(0.995, 1 - largest)
            model = _Model(self.stacked[:n_places], scaled, curvature)
            gain = -1.0
            while gain <= 0 and n_evaluations < _MOST_EVALUATIONS:
                hat, alpha = _trust_region_step(n_places, uf, s, v, radius, alpha)
                step, hat, expected = self._select_step(x, model, hat, scale, radius, theta)
                new = x + step
                below = new <= self.lowest
                if below.any():
                    new[below] = np.nextafter(self.lowest[below], inf)
                f_new = self.residuals(new)
                n_evaluations += 1
                length = _norm(hat)
                if not np.isfinite(f_new).all():
                    radius = 0.25 * length
                    continue
                cost_new = 0.5 * f_new.dot(f_new)
                gain = cost - cost_new
                if expected > 0:
                    ratio = gain / expected
                else:
                    ratio = 1 if expected == gain == 0 else 0
                new_radius = radius
                if ratio < 0.25:
                    new_radius = 0.25 * length
                elif ratio > 0.75 and length > 0.95 * radius:
                    new_radius = radius * 2.0
                small_gain = gain < _TOLERANCE * cost and ratio > 0.25
                if small_gain or _norm(step) < _TOLERANCE * (_TOLERANCE + _norm(x)):
                    return new if gain > 0 else x
                alpha *= radius / new_radius
                radius = new_radius
            if gain > 0:
                x, f, cost = new, f_new, cost_new
                jacobian = self.residuals.derivatives(x, f)
                gradient = jacobian.T.dot(f)

    def _distances(self, x, gradient):
        """Return the distance of each parameter to its lower bound, or 1 if its entry in `gradient` is not positive.

        In the second case, a step against the gradient does not approach the bound. The second result contains the
        derivatives of these distances, which are 1 or 0.
        """
        bounded = gradient > 0
        return np.where(bounded, x - self.lowest, 1.0), bounded.astype(np.float64)

    def _decompose(self):
        if not np.isfinite(self.stacked).all():
            raise ValueError("The derivatives exceed the range of floats.")
        u, s, v, info = self.gesdd(self.stacked, compute_uv=True, lwork=self.lwork, full_matrices=False)
        if info:
            raise ValueError("LAPACK's gesdd did not converge, so the singular values are unknown.")
        return u, s, v

    def _select_step(self, x, model, hat, scale, radius, theta):
        """Choose among the trust-region step, its reflection at a bound, and the step along the negative gradient.

        `hat` is the trust-region step in scaled parameters; ``scale * hat`` is the same step in the original
        parameters. Returns the chosen step, this step in scaled parameters, and the reduction of the error that `model`
        predicts.
        """
        step = scale * hat
        if (x + step >= self.lowest).all():
            return step, hat, -model.value(hat)
        stride, hits = self._stride(x, step)
        reflected = np.copy(hat)
        reflected[hits] *= -1
        turned = scale * reflected
        step *= stride
        hat *= stride
        to_radius = _to_radius(hat, reflected, radius)
        to_bound = self._stride(x + step, turned)[0]
        length = min(to_bound, to_radius)
        low, high = 0, -1
        if length > 0:
            low = (1 - theta) * stride / length
            high = theta * to_bound if length == to_bound else to_radius
        reflected_value = inf
        if low <= high:
            length, reflected_value = _lowest_point(*model.along(reflected, hat), low, high)
            reflected *= length
            reflected += hat
            turned = reflected * scale
        step *= theta
        hat *= theta
        value = model.value(hat)
        descent = -model.gradient
        descent_step = scale * descent
        to_radius = radius / _norm(descent)
        to_bound = self._stride(x, descent_step)[0]
        length = theta * to_bound if to_bound < to_radius else to_radius
        length, descent_value = _lowest_point(*model.along(descent), 0, length)
        descent *= length
        descent_step *= length
        if value < reflected_value and value < descent_value:
            return step, hat, -value
        if reflected_value < value and reflected_value < descent_value:
            return turned, reflected, -reflected_value
        return descent_step, descent, -descent_value

    def _stride(self, x, step):
        """Return the factor for which ``x + factor * step`` first reaches a bound, and a mask.

        The mask is True for the parameters that reach their bounds with this factor.
        """
        strides = np.full(4, inf)
        moves = np.flatnonzero(step)
        with np.errstate(over="ignore"):
            strides[moves] = np.maximum((self.lowest - x)[moves] / step[moves], inf / step[moves])
        stride = strides.min()
        return stride, (strides == stride) & (step != 0)


class _Model:
    """Quadratic approximation of half the sum of squared errors near the present parameters.

    All arguments of this class and of its methods are in scaled parameters: each parameter is divided by ``scale`` in
    :meth:`_Search.run`.
    """

    def __init__(self, jacobian, gradient, curvature):
        self.jacobian, self.gradient, self.curvature = jacobian, gradient, curvature

    def value(self, step):
        """Return the change of half the sum of squared errors that the model predicts for a step."""
        moved = self.jacobian.dot(step)
        return 0.5 * (moved.dot(moved) + (step * self.curvature).dot(step)) + step.dot(self.gradient)

    def along(self, direction, origin=None):
        """Return the model along a line as a quadratic function of t: quadratic term, linear term and constant.

        The points of the line are ``origin + t * direction``. Without `origin`, the line begins at the present
        parameters.
        """
        moved = self.jacobian.dot(direction)
        square = (moved.dot(moved) + (direction * self.curvature).dot(direction)) * 0.5
        slope = self.gradient.dot(direction)
        if origin is None:
            return square, slope, 0
        at_origin = self.jacobian.dot(origin)
        slope += at_origin.dot(moved)
        fixed = 0.5 * at_origin.dot(at_origin) + self.gradient.dot(origin)
        slope += (origin * self.curvature).dot(direction)
        return square, slope, fixed + 0.5 * (origin * self.curvature).dot(origin)


def _norm(x):
    return np.sqrt(x.dot(x))


def _strictly_inside(x, lowest):
    near = x - lowest <= 1e-10 * np.maximum(1, np.abs(lowest))
    x[near] = lowest[near] + 1e-10 * np.maximum(1, np.abs(lowest[near]))
    return x


def _to_radius(x, direction, radius):
    """Return the factor for which ``x + factor * direction`` has the norm `radius`."""
    a = direction.dot(direction)
    if a == 0:
        raise ValueError("`direction` must not be zero, because it must lead to the boundary of the trust region.")
    b, c = x.dot(direction), x.dot(x) - radius**2
    if c > 0:
        raise ValueError("`x` must be inside the trust region; its norm exceeds `radius`.")
    q = -(b + copysign(np.sqrt(b * b - a * c), b))
    return max(q / a, c / q)


def _lowest_point(square, slope, fixed, low, high):
    """Return the point between two bounds where a quadratic function is lowest, and the function's value there."""
    points = [low, high]
    if square != 0:
        extremum = -0.5 * slope / square
        if low < extremum < high:
            points.append(extremum)
    points = np.asarray(points)
    values = points * (square * points + slope) + fixed
    best = values.argmin()
    return points[best], values[best]


def _trust_region_step(n_places, uf, s, v, radius, alpha):
    """Return the step of length at most `radius` that lowers the linearised squared errors most, and its damping.

    `s` and `v` are the singular values and the right singular vectors of the derivatives. `uf` contains the products of
    the left singular vectors with the residuals. The damping is a number that is added to the squares of `s` to shorten
    the step; `alpha` is a first guess of it.
    """
    suf = s * uf
    full_rank = n_places >= 4 and s[-1] > _EPS * n_places * s[0]
    if full_rank:
        step = -v.dot(uf / s)
        if _norm(step) <= radius:
            return step, 0.0
    squares, suf_squares = s**2, suf**2
    upper, lower = _norm(suf) / radius, 0.0
    if full_rank:
        excess, slope = _excess_length(0.0, suf, suf_squares, squares, radius)
        lower = -excess / slope
    if not full_rank and alpha == 0:
        alpha = max(0.001 * upper, (lower * upper) ** 0.5)
    for _ in range(10):
        if alpha < lower or alpha > upper:
            alpha = max(0.001 * upper, (lower * upper) ** 0.5)
        excess, slope = _excess_length(alpha, suf, suf_squares, squares, radius)
        if excess < 0:
            upper = alpha
        ratio = excess / slope
        lower = max(lower, alpha - ratio)
        alpha -= (excess + radius) * ratio / radius
        if np.abs(excess) < 0.01 * radius:
            break
    step = -v.dot(suf / (squares + alpha))
    step *= radius / _norm(step)
    return step, alpha


def _excess_length(alpha, suf, suf_squares, squares, radius):
    """Return how much the length of a step exceeds `radius`, and the derivative of this excess by `alpha`.

    `alpha` is the damping of the step (see :func:`_trust_region_step`). The excess is negative if the step is shorter
    than `radius`.
    """
    damped = squares + alpha
    length = _norm(suf / damped)
    return length - radius, -np.add.reduce(suf_squares / damped**3) / length
