"""Means over all orders of tied items, for Plackett and Luce's likelihood of lists with ties.

A class of d tied items contains no information about the order of its items. Its log-likelihood is the mean over its d!
orders. Let R be the worth of the items below the class. Before each choice some set D of items of the class is left.
Its total worth is w(D), and the worth available is x = R + w(D). All sets of a size k are equally likely, with
probability 1 / binom(d, k). The mean of log x over the orders is therefore the sum of log x / binom(d, k) over the
non-empty sets. Means of 1 / x and of 1 / x^2 are computed in the same way.

Up to 10 items the sums run over all sets. Up to 100 items they are integrals, because 1 / x is the integral of
exp(-x s) over all s. The sum over all sets of exp(-w(D) s) / binom(d, k) is itself an integral of a product over the
items. In larger classes Efron's rule replaces all choices except the last two.

All functions work on many classes of one size at once. A class is a column, so its sums never depend on other classes.
"""

from functools import cache
from itertools import combinations
from math import comb

import numpy as np

# Largest classes for which all sets are listed, and for which the integrals are computed.
_MOST_LISTED, _MOST_INTEGRATED = 10, 100
# The integrals over s are sums over a grid of log s with the step _STEP. The grid starts at s = _FIRST / max(x), and
# ends at s = _LAST / min(x), where exp(-x s) is negligible. Each class has its own grid.
_STEP, _FIRST, _LAST = 0.35, 1e-8, 40.0
# The number of grid points is a multiple of this number.
_POINTS = 32
# Largest number of array elements that are computed at a time.
_CELLS = 1 << 20


def mean_logs(worth, below):
    """Compute, for each class of tied items, the means of sums of log x and of 1 / x over all orders of its items.

    x is the total worth of the items that are available at a choice, and the sums are over the choices in a class.
    `worth`, of shape (n_items, n_classes), contains the worths of the items of each class. `below`, of shape
    (n_classes,), contains the total worth of the items below each class. The first result, of shape (n_classes,),
    contains the means for log x. The other two are the results of :func:`mean_powers` for the power 1.
    """
    return _in_parts(_LOGS, worth, below)


def mean_powers(worth, below, power):
    """Compute means of sums of 1 / x^power over all orders of the tied items, for each class and each item of a class.

    x is the total worth of the items that are available at a choice. The sum for a class includes all choices in the
    class. The sum for an item includes only the choices at which the item is available. `power` is 1 or 2. The results
    have the shapes (n_classes,) and (n_items, n_classes). For the other arguments see :func:`mean_logs`.
    """
    return _in_parts(_POWERS, worth, below, power)


def mean_squares_of_pairs(worth, below):
    """Compute the mean of a sum of 1 / x^2 over all orders of the tied items of a class, for each pair of these items.

    The sum for a pair includes only the choices at which both items are available. The result has shape (n_items,
    n_items, n_classes). For x and the arguments see :func:`mean_logs`.
    """
    return _in_parts(_PAIRS, worth, below)[0]


def _in_parts(functions, worth, below, *options):
    """Call one of three functions, depending on the number of items in each class of tied items.

    `functions` contains the functions for small, medium and large classes, in this order. Each function returns a tuple
    of arrays.
    """
    n_items = len(worth)
    listed, integrated, efron = functions
    if n_items <= _MOST_LISTED:
        return _cut(listed, 2**n_items, worth, below, *options)
    if n_items <= _MOST_INTEGRATED:
        return _by_points(integrated, worth, below, *options)
    return _cut(efron, n_items, worth, below, *options)


def _cut(function, cells, worth, below, *options):
    """Apply a function to the classes of tied items in chunks, and join the results.

    `cells` is the number of array elements that the function needs for each class.
    """
    some = max(1, _CELLS // cells)
    if worth.shape[1] <= some:
        return function(worth, below, *options)
    parts = [function(worth[:, k : k + some], below[k : k + some], *options) for k in range(0, worth.shape[1], some)]
    return tuple(np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))


def _tree_sum(values):
    """Sum an array along its first axis; the sum of a column does not depend on other columns."""
    while len(values) > 1:
        half = len(values) // 2
        rest = values[2 * half :]
        values = values[:half] + values[half : 2 * half]
        if len(rest):
            values = np.concatenate([values, rest])
    return values[0]


# ---------------------------------------------------------------------------------------------------- lists of all sets


@cache
def _chances(n_items):
    """Return the weight 1 / binom(n_items, k) of each set of k items; bit i of a set's index stands for item i."""
    size = np.zeros(1, dtype=np.int64)
    for _ in range(n_items):
        size = np.concatenate([size, size + 1])
    chance = np.array([0.0, *(1 / comb(n_items, k) for k in range(1, n_items + 1))])[size]
    return chance[:, None]


def _sums_of_sets(worth, below):
    """Return an array of shape (2^n_items, n_classes): the available worth for each set of tied items still left.

    The available worth is the total worth of the set and of the items below the class.
    """
    x = below[None]
    for mine in worth:
        x = np.concatenate([x, x + mine])
    x[0] = 1.0  # the empty set has no choice
    return x


def _with_each(value, n_items):
    """Return the sum of the values of all sets of items, and for each item the sum over the sets with this item.

    `value` has one row for each set, in the order of :func:`_sums_of_sets`.
    """
    own = np.empty((n_items, value.shape[1]))
    for item in reversed(range(n_items)):
        half = len(value) // 2
        own[item] = _tree_sum(value[half:])
        value = value[:half] + value[half:]
    return value[0], own


def _listed_logs(worth, below):
    chance, x = _chances(len(worth)), _sums_of_sets(worth, below)
    return _tree_sum(chance * np.log(x)), *_with_each(chance / x, len(worth))


def _listed_powers(worth, below, power):
    return _with_each(_chances(len(worth)) / _sums_of_sets(worth, below) ** power, len(worth))


def _listed_pairs(worth, below):
    n_items = len(worth)
    value = _chances(n_items) / _sums_of_sets(worth, below) ** 2
    found = np.empty((n_items, n_items, worth.shape[1]))
    sets = np.arange(len(value))
    for i in range(n_items):
        mine = value[(sets >> i) & 1 == 1]
        found[i, i] = _tree_sum(mine)
        with_mine = sets[(sets >> i) & 1 == 1]
        for j in range(i):
            found[i, j] = found[j, i] = _tree_sum(mine[(with_mine >> j) & 1 == 1])
    return (found,)


# ------------------------------------------------------------------------------------------------------------ integrals


@cache
def _shares_left(n_items):
    """Return points and weights of a quadrature rule on [0, 1] for the sum over all sets (see the module docstring).

    The integrand is a product of one linear factor for each item, so it is a polynomial of degree n_items. Therefore
    n_items // 2 + 1 points integrate it exactly. For large classes, fewer points are enough for an error of 1e-13.
    """
    point, weight = np.polynomial.legendre.leggauss(min(n_items // 2 + 1, 14 + 18 * n_items // 100))
    return (point + 1) / 2, weight / 2 * (n_items + 1)


def _by_points(function, worth, below, *options):
    """Apply a function to groups of classes whose integrals need the same number of points, and join the results.

    A class consists of tied items. The points are values of s, the variable of the integrals in the module docstring.
    """
    smallest, greatest = below + worth.min(axis=0), below + _tree_sum(worth)
    length = np.log(_LAST / _FIRST) + np.log(greatest / smallest)
    n_points = (_POINTS * np.ceil(length / _STEP / _POINTS)).astype(np.int64)
    results = None
    for size in np.unique(n_points):
        mine, grid = np.flatnonzero(n_points == size), _FIRST * np.exp(_STEP * np.arange(size))[:, None]

        def integrate(worth, below, *options, grid=grid):
            return function(worth, below, grid / (below + _tree_sum(worth)), *options)

        found = _cut(integrate, int(size) * (len(worth) // 2 + 1), worth[:, mine], below[mine], *options)
        if results is None:
            results = tuple(np.empty((*one.shape[:-1], len(below))) for one in found)
        for whole, part in zip(results, found, strict=True):
            whole[..., mine] = part
    return results


def _integrated_logs(worth, below, s):
    n_items = len(worth)
    # With the mean of x as the centre, the integrand is proportional to s^2 near s = 0.
    centre = below + (n_items + 1) / (2 * n_items) * _tree_sum(worth)
    kept = np.exp(-s * worth[:, None])
    products = _products(kept)
    value = n_items * np.exp(-centre * s) - np.exp(-below * s) * _tree_sum(products[2])
    logs = n_items * np.log(centre) + _STEP * _tree_sum(value)
    return logs, *_powers_of_products(kept, products, below, s, 1)


def _integrated_powers(worth, below, s, power):
    kept = np.exp(-s * worth[:, None])
    return _powers_of_products(kept, _products(kept), below, s, power)


def _powers_of_products(kept, products, below, s, power):
    n_items, (share, of_sets, sets) = len(kept), products
    factor = _STEP * s**power * np.exp(-below * s)
    # Grid points below the first one would add a geometric series, which is negligible for power 2.
    start = _STEP * s[0] / np.expm1(_STEP) if power == 1 else 0.0
    total = _tree_sum(factor * _tree_sum(sets)) + start * n_items
    of_sets = of_sets * share
    own = [_tree_sum(factor * one * _tree_sum(of_sets / (1 - share + share * one))) for one in kept]
    return total, np.stack(own) + start * (n_items + 1) / 2


def _integrated_pairs(worth, below, s):
    n_items = len(worth)
    kept = np.exp(-s * worth[:, None])
    share, products, _ = _products(kept)
    products *= _STEP * s**2 * np.exp(-below * s)
    ratio = [share * one / (1 - share + share * one) for one in kept]
    found = np.empty((n_items, n_items, worth.shape[1]))
    for i in range(n_items):
        mine = products * ratio[i]
        found[i, i] = _tree_sum(_tree_sum(mine))
        for j in range(i):
            found[i, j] = found[j, i] = _tree_sum(_tree_sum(mine * ratio[j]))
    return (found,)


def _products(kept):
    """Return the points of the quadrature rule, and two weighted means of exp(-w(D) s) for each point.

    D is a random set of tied items, and w(D) is the sum of their worths w. At a point p, the set contains each item
    with probability p. s is a grid point of the integrals that the top of the module describes. The first mean is over
    all sets D; the second leaves out the empty set. Both are multiplied by the weights of the quadrature rule. `kept`,
    of shape (n_items, n_points, n_classes), contains exp(-w s) of each item. The points have the shape (n_shares, 1,
    1), and the means have the shape (n_shares, n_points, n_classes).
    """
    share, weight = (one[:, None, None] for one in _shares_left(len(kept)))
    sets, power = np.zeros((len(share), *kept.shape[1:])), np.ones_like(share)
    for one in kept:
        # Only positive terms are added, so that small sums stay exact.
        chosen = share * one
        sets *= 1 - share + chosen
        sets += power * chosen
        power = power * (1 - share)
    sets *= weight
    return share, sets + weight * power, sets


# -------------------------------------------------------------------------------------------------- very large classes


def _left_by_efron(worth, below):
    """Compute the available worth by Efron's rule, for all choices in a class except the last two.

    By this rule, each choice uses up the same share of the worth of the class. The second result contains, for each of
    these choices, the share of the class that is still available.
    """
    n_items = len(worth)
    share = 1 - np.arange(n_items - 2)[:, None] / n_items
    return below + share * _tree_sum(worth), share


def _efron_logs(worth, below):
    n_items = len(worth)
    left, _ = _left_by_efron(worth, below)
    value = _tree_sum(np.log(left)) + _tree_sum(np.log(below + worth)) / n_items
    last = np.zeros_like(below)
    for i, mine in enumerate(worth[1:], start=1):
        last += _tree_sum(np.log(below + mine + worth[:i]))
    return value + last / comb(n_items, 2), *_efron_powers(worth, below, 1)


def _efron_powers(worth, below, power):
    n_items = len(worth)
    left, share = _left_by_efron(worth, below)
    single, chance = (below + worth) ** -float(power) / n_items, 1 / comb(n_items, 2)
    own = np.empty_like(worth)
    for i, mine in enumerate(worth):
        others = np.concatenate([worth[:i], worth[i + 1 :]])
        own[i] = chance * _tree_sum((below + mine + others) ** -float(power))
    total = _tree_sum(left**-power) + _tree_sum(single) + _tree_sum(own) / 2
    return total, own + single + _tree_sum(share**power * left ** -float(power))


def _efron_pairs(worth, below):
    n_items = len(worth)
    left, share = _left_by_efron(worth, below)
    found = np.broadcast_to(_tree_sum(share**2 / left**2), (n_items, n_items, len(below))).copy()
    chance = 1 / comb(n_items, 2)
    for i, j in combinations(range(n_items), 2):
        value = chance / (below + worth[i] + worth[j]) ** 2
        for a, b in ((i, j), (j, i), (i, i), (j, j)):
            found[a, b] += value
    each = np.arange(n_items)
    found[each, each] += 1 / (below + worth) ** 2 / n_items
    return (found,)


_LOGS = (_listed_logs, _integrated_logs, _efron_logs)
_POWERS = (_listed_powers, _integrated_powers, _efron_powers)
_PAIRS = (_listed_pairs, _integrated_pairs, _efron_pairs)
