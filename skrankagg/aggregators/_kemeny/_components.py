"""Components of the majority relation: groups of items that stay together in every Kemeny order."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.sparse.csgraph import connected_components

from ..._arrays._preferences import margins
from ..._support._memory import check_matrix

__all__ = ["condorcet_components"]

# Up to this number of items, matrix products find the reachable items faster than a walk over sparse arcs.
_FEW_ITEMS = 32


def condorcet_components(prefer: npt.ArrayLike) -> list[npt.NDArray[np.int64]]:
    """Split items into groups that form contiguous blocks in every Kemeny order.

    Parameters
    ----------
    prefer : ndarray of shape (n_items, n_items)
        Preferences as :func:`pairwise_preferences` returns them.

    Returns
    -------
    list of ndarray of int
        The strongly connected components of the strict majorities, best first. The items of each component are sorted.
        Every majority between two components prefers the item of the earlier component.

    See Also
    --------
    Kemeny : Orders the items within the components.

    Notes
    -----
    An order that is optimal within each component is optimal for all items: pairs of items from different components
    have the order of their majority, which is the cheapest order. This is the extended Condorcet criterion [1]_. Two
    components without any majority between them are sorted by the mean margin of their items, then by id. The time is
    :math:`O(n^2)`.

    References
    ----------
    .. [1] M. Truchon, "An extension of the Condorcet criterion and Kemeny orders", Université Laval, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import condorcet_components
    >>> condorcet_components(
    ...     np.array([[0, 1, 1, 1], [2, 0, 2, 1], [2, 1, 0, 2], [2, 2, 1, 0]]))
    [array([1, 2, 3]), array([0])]
    """
    check_matrix("condorcet_components", len(prefer), 34.0)
    margin = margins(prefer)
    return ordered_components(margin < 0, margin.sum(axis=1))


def stacked_components(margin):
    """Find the components of the majority relation of each query, from margins of shape (n_queries, n, n).

    If the margins are integers, the components are exactly the same as from `condorcet_components`, because sums of
    integers are exact in any order.
    """
    b, n = margin.shape[:2]
    reach = reached(margin < 0)
    same = reach & reach.swapaxes(1, 2)
    same[:, np.arange(n), np.arange(n)] = True
    first = same.argmax(axis=2)
    strength = (same @ margin.sum(axis=2)[:, :, None])[:, :, 0] / same.sum(axis=2)
    # Round as in ordered_components.
    strength = np.round(strength / np.maximum(np.abs(strength).max(axis=1, keepdims=True), 1e-300), 10)
    # The depth of an item is the number of steps in the longest path to its component. Components of the same depth are
    # sorted by their strength.
    below, depth = reach & ~same, np.zeros((b, n), dtype=np.int64)
    while True:
        deeper = np.where(below, depth[:, :, None] + 1, 0).max(axis=1)
        if (deeper == depth).all():
            break
        depth = deeper
    order = np.lexsort((first, strength, depth))
    first = np.take_along_axis(first, order, axis=1)
    query, place = np.nonzero(first[:, 1:] != first[:, :-1])
    ends = np.split(place + 1, np.searchsorted(query, np.arange(1, b)))
    return [
        [items[start:end] for start, end in pairwise([0, *own.tolist(), n])]
        for items, own in zip(order, ends, strict=True)
    ]


def ordered_components(arc, strength):
    """Return the strongly connected components of a graph in topological order, as a list of arrays of items.

    `arc`, of shape (n, n), is True where an arc leads from the row's item to the column's item. `strength`, of shape
    (n,), contains a number for each item. Components without a path between them are sorted by the mean of these
    numbers, lowest first, then by their first item.
    """
    n_components, label = strong_components(arc)
    if n_components == 1:
        return [np.arange(len(arc))]
    member = np.zeros((n_components, len(arc)))
    member[label, np.arange(len(arc))] = 1.0
    tail, head = np.nonzero(arc)
    between = np.zeros((n_components, n_components), dtype=bool)
    between[label[tail], label[head]] = True
    np.fill_diagonal(between, False)
    strength = member @ strength / member.sum(axis=1)
    # Make strengths equal if they differ only by rounding errors.
    strength = np.round(strength / max(np.abs(strength).max(), 1e-300), 10)
    first = member.argmax(axis=1)
    left, order, n_above = np.ones(n_components, dtype=bool), [], between.sum(axis=0)
    while left.any():
        free = np.flatnonzero(left & (n_above == 0))
        free = free[np.lexsort((first[free], strength[free]))]
        order.extend(free)
        left[free] = False
        n_above = n_above - between[free].sum(axis=0)
    return [np.flatnonzero(label == component) for component in order]


def strong_components(arc):
    """Count the strongly connected components of a graph, and return the component number of each item."""
    n = len(arc)
    if n > _FEW_ITEMS:
        return connected_components(arc, directed=True, connection="strong")
    reach = reached(arc[None])[0]
    np.fill_diagonal(reach, True)
    first = (reach & reach.T).argmax(axis=1)
    own = first == np.arange(n)
    return int(np.count_nonzero(own)), (np.cumsum(own) - 1)[first]


def reached(arc):
    """Return a mask of shape (n_queries, n, n): True if a path of arcs leads from the row's to the column's item."""
    reach = arc.astype(np.float32)
    for _ in range(max(1, arc.shape[1] - 1).bit_length()):
        reach = ((reach + reach @ reach) > 0).astype(np.float32)
    return reach > 0
