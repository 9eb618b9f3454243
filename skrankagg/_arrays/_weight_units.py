"""Conversion of weights that are multiples of one unit to integers, which can be added without rounding.

In floating point, 0.1 + 0.2 and 0.3 differ because of rounding, but 1 + 2 and 3 are equal. Methods use these integers
if their result must not depend on the scale of the weights.

>>> import numpy as np
>>> from skrankagg._arrays._weight_units import common_unit
>>> common_unit(np.array([0.1, 0.2, 0.30000000000000004, 0.0]))
0.1
"""

import numpy as np

# Largest number of units in a weight; and the largest relative rounding error of a multiple, as after a few products.
_MOST, _ROUNDING = 2**17, 16 * np.finfo(np.float64).eps


def common_unit(weight):
    """Return the largest unit for which every weight is an integer multiple of the unit, up to rounding.

    Weights must be at least 0. Returns the largest weight if there is no such unit, and 1 if all weights are 0.
    """
    weight = np.unique(weight[weight > 0])
    if len(weight) == 0:
        return 1.0
    largest = float(weight[-1])
    if (weight % 1 == 0).all() and largest < 2**53:
        return float(np.gcd.reduce(weight.astype(np.int64)))
    step = largest
    for rest in map(float, weight):
        while rest > 1e-9 * largest:
            step, rest = rest, step % rest
            if step - rest <= 1e-9 * largest:  # an integer multiple, up to rounding
                rest = 0.0
        if step * _MOST < largest:
            return largest
    multiple = np.round(weight / step)
    unit = largest / float(multiple[-1])
    return unit if (np.abs(weight - multiple * unit) <= _ROUNDING * weight).all() else largest


def count_in_units(lists):
    """Divide the weights of each query by their common unit; return the lists with the new weights, and the units.

    The common unit of a query is the largest number that divides all its weights (see :func:`common_unit`). The units
    have shape (n_queries,). The new weights of a query are integers if its weights have a common unit.
    """
    unit = np.ones(lists.n_queries)
    if not lists.is_weighted:
        return lists, unit
    count, known = np.empty(lists.n_lists), {}
    for q in range(lists.n_queries):
        own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
        weight = lists.list_weight[own]
        key = weight.tobytes()
        if key not in known:
            one = common_unit(weight)
            multiple = weight / one
            whole = np.round(multiple)
            near = np.abs(multiple - whole) <= _ROUNDING * multiple
            known[key] = one, whole if near.all() and one <= weight.max(initial=0.0) else multiple
        unit[q], count[own] = known[key]
    return lists.with_list_weight(count), unit
