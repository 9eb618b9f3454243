"""Scale the voter weights of each query."""

import numpy as np

from ..._arrays import TOLERANCE
from ..._arrays._ragged import expand


def scale_weights(weight, list_ptr, list_weight, norm, *, known=None):
    """Scale the weights of the lists within each query.

    `weight` has shape (n_lists,) and is at least 0. `known` marks the lists from which the scale is computed; the other
    lists get the mean of the scaled weights. If the norm would divide by 0, for example if all weights of a query are
    equal, each list gets 1.
    """
    return scale_again(list_ptr, list_weight, norm, known=known)(weight)


def scale_again(list_ptr, list_weight, norm, *, known=None):
    """Return a function that turns weights into the result of :func:`scale_weights`; use it for many calls."""
    if norm is None:
        return lambda weight: weight
    heads, query = list_ptr[:-1], expand(list_ptr)
    # A list of weight 0 neither sets the scale nor uses it.
    counted = list_weight if known is None else np.where(known, list_weight, 0.0)
    voting = counted > 0
    all_voting = voting.all()
    total = np.add.reduceat(counted, heads)
    total = np.where(total > 0, total, 1.0)

    def scale(weight):
        high = np.maximum.reduceat(weight if all_voting else np.where(voting, weight, -np.inf), heads)
        low = np.minimum.reduceat(weight if all_voting else np.where(voting, weight, np.inf), heads)
        flat = ~(high - low > TOLERANCE * high)
        if norm == "min-max":
            scaled = (weight - low[query]) / np.where(flat, 1.0, high - low)[query]
        else:
            mean = np.add.reduceat(weight * counted, heads) / total
            square = np.add.reduceat((weight - mean[query]) ** 2 * counted, heads)
            scaled = weight * (square / total / np.where(flat, 1.0, high))[query]
        scaled = np.where(flat[query], 1.0, np.maximum(scaled, 0.0))
        if known is None:
            return scaled
        mean = np.where(flat, 1.0, np.add.reduceat(scaled * counted, heads) / total)
        return np.where(known, scaled, mean[query])

    return scale
