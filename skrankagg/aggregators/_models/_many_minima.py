"""Minimisation of many smooth convex functions at once by L-BFGS.

Each function has its own group of variables, and each group has its own steps.
"""

import numpy as np

# Number of remembered steps and gradients.
_MEMORY = 10
# A step must reach the share _ENOUGH of the decrease that the slope predicts. _ROUNDING is the relative size of
# rounding errors.
_ENOUGH, _ROUNDING = 1e-4, 1e-13
# If steps are below _NEAR and have not halved in _STUCK iterations, rounding prevents further progress.
_NEAR, _STUCK = 1e-8, 25
# With fewer variables, selecting groups takes longer than computing all groups.
_MANY = 2000


def minimise(
    function, start, group, n_groups, scale, *, tol, max_iter, largest_step=np.inf, converged=None, narrow=None
):
    """Minimise a sum of functions, where each function depends on its own group of variables.

    `function` accepts the variables, of shape (n,), and returns the value for each group, of shape (n_groups,), and the
    gradient, of shape (n,). `group` contains the group of each variable, and `scale` approximates the second
    derivatives; both arrays have shape (n,). The gradient divided by `scale` approximates a step to the minimum. A
    group has converged if this step would move no variable by more than `tol`, or if rounding prevents further
    progress. No variable moves by more than `largest_step` in one iteration. This limit prevents overflow of
    exponentials in the function. `converged`, of shape (n_groups,), marks groups whose variables must not change; with
    None, all variables may change.

    ``narrow(groups)`` returns the same function, restricted to the given groups and their variables; the groups are in
    ascending order. It is called to leave out the groups that have converged. The results stay the same to the last
    bit. With None, all groups are computed until the last one has converged.

    Returns the variables and, for each group, the value, the number of iterations and whether the group has converged.
    """

    def dot(one, other):
        return np.bincount(group, weights=one * other, minlength=n_groups)

    x = np.array(start, dtype=np.float64)
    value, gradient = function(x)
    steps, changes, inverse = [], [], []
    n_iter = np.zeros(n_groups, dtype=np.int64)
    converged = np.zeros(n_groups, dtype=bool) if converged is None else converged
    nearest, since = np.full(n_groups, np.inf), np.zeros(n_groups, dtype=np.int64)
    # Results of all groups, and the numbers of the groups and variables that are still computed.
    results, groups, variables = None, np.arange(n_groups), np.arange(len(x))
    for _ in range(max_iter):
        largest = np.zeros(n_groups)
        np.maximum.at(largest, group, np.abs(gradient) / scale)
        since = np.where(largest < nearest / 2, 0, since + 1)
        nearest = np.where(since == 0, largest, nearest)
        converged = (largest <= tol) | ((since >= _STUCK) & (largest <= _NEAR)) | converged
        if converged.all():
            break
        if narrow is not None and len(x) >= _MANY and 2 * np.count_nonzero(converged) >= n_groups:
            results = _store(results, groups, variables, x, value, n_iter, converged)
            left = ~converged
            mine = left[group]
            groups, variables, n_groups = groups[left], variables[mine], int(left.sum())
            function, group = narrow(groups), (np.cumsum(left) - 1)[group[mine]]
            x, gradient, scale = x[mine], gradient[mine], scale[mine]
            value, n_iter, converged, nearest, since = (one[left] for one in (value, n_iter, converged, nearest, since))
            steps, changes = [one[mine] for one in steps], [one[mine] for one in changes]
            inverse = [one[left] for one in inverse]
        n_iter += ~converged
        direction = -_two_loops(gradient, steps, changes, inverse, scale, group, dot)
        direction[converged[group]] = 0.0
        slope = dot(direction, gradient)
        uphill = slope > 0
        if uphill.any():
            # Rounding may have spoilt the remembered steps; the plain gradient always goes downhill.
            direction[uphill[group]] = -(gradient / scale)[uphill[group]]
            slope = dot(direction, gradient)
        reach = np.zeros(n_groups)
        np.maximum.at(reach, group, np.abs(direction))
        length, new = np.minimum(1.0, largest_step / np.maximum(reach, np.finfo(np.float64).tiny)), None
        open_groups, selects = None, narrow is not None and len(x) >= _MANY
        for _ in range(60):
            new = x + length[group] * direction
            with np.errstate(divide="ignore", over="ignore", invalid="ignore"):  # a step that is too long is halved
                if open_groups is None or not selects or 4 * np.count_nonzero(open_groups) > n_groups:
                    new_value, new_gradient = function(new)
                else:
                    mine = open_groups[group]
                    new_value[open_groups], new_gradient[mine] = narrow(groups[open_groups])(new[mine])
            limit = value + _ENOUGH * length * slope + _ROUNDING * np.abs(value)
            # Near the minimum values differ by rounding alone, and the slope is more informative.
            flat = np.abs(dot(new_gradient, direction)) <= np.abs(slope)
            good = (new_value <= limit) | (flat & (new_value <= value + 1e-9 * np.abs(value)))
            good &= np.isfinite(new_value)
            good |= converged | ~np.isfinite(slope)
            if good.all():
                break
            open_groups = ~good
            length[open_groups] *= 0.5
        step, change = new - x, new_gradient - gradient
        curvature = dot(step, change)
        steps.append(step)
        changes.append(change)
        inverse.append(np.divide(1.0, curvature, out=np.zeros(n_groups), where=curvature > 0))
        if len(steps) > _MEMORY:
            del steps[0], changes[0], inverse[0]
        x, value, gradient = new, new_value, new_gradient
    return _store(results, groups, variables, x, value, n_iter, converged)


def _store(results, groups, variables, x, value, n_iter, converged):
    """Write the results of some groups into `results`, the results of all groups, and return `results`.

    `groups` and `variables` contain the indices of these groups and of their variables. If `results` is None, `x`,
    `value`, `n_iter` and `converged` are already the results of all groups, and are returned.
    """
    if results is None:
        return x, value, n_iter, converged
    results[0][variables] = x
    for whole, part in zip(results[1:], (value, n_iter, converged), strict=True):
        whole[groups] = part
    return results


def _two_loops(gradient, steps, changes, inverse, scale, group, dot):
    """Multiply the gradient by the inverse Hessian, which is estimated from the last steps.

    `changes` contains the change of the gradient in each of these steps.
    """
    direction, shares = gradient.copy(), []
    for step, change, rho in zip(reversed(steps), reversed(changes), reversed(inverse), strict=True):
        share = rho * dot(step, direction)
        shares.append(share)
        direction -= share[group] * change
    direction /= scale
    if steps:
        # Ratio of the true curvature along the last step to the scale.
        size = dot(changes[-1], changes[-1] / scale)
        ratio = np.divide(1.0, inverse[-1] * size, out=np.ones_like(size), where=(inverse[-1] > 0) & (size > 0))
        direction *= np.clip(ratio, 1e-3, 1e3)[group]
    for step, change, rho, share in zip(steps, changes, inverse, reversed(shares), strict=True):
        direction += (share - rho * dot(change, direction))[group] * step
    return direction
