"""What the lists of a query say of each pair of items, what an order costs, and what no order can save."""

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..._arrays._pairwise import preference_matrix
from ..._data._ranked_lists import check_lists
from ...exceptions import InputError

__all__ = ["condorcet_components", "kemeny_lower_bound", "kemeny_score", "mean_tau_x", "pairwise_preferences"]

#: What absent items are.
ABSENT = ("last", "ignore")
#: Margins within this share of the total weight are draws.
TOLERANCE = 1e-12


def pairwise_preferences(X, *, absent="last"):
    """Weigh the lists that prefer one item to another, and those that tie the two.

    Parameters
    ----------
    X : DataFrame or RankedLists of one query
        Ranked lists.
    absent : {"last", "ignore"}, default="last"
        Whether a list ties the items that it does not hold with each other, below those that it holds, or says nothing
        of them.

    Returns
    -------
    prefer : ndarray of shape (n_items, n_items), dtype=float64
        Total weight of the lists that prefer the row's item to the column's; items in the order of their ids.
    tied : ndarray of shape (n_items, n_items), dtype=float64
        Total weight of the lists that tie the two; 0 on the diagonal.

    See Also
    --------
    kemeny_score : What an order costs by these matrices.

    Notes
    -----
    Linear in the number of lists and quadratic in the number of items.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.aggregators import pairwise_preferences
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "c"], "rank": [1, 2, 1]})
    >>> prefer, tied = pairwise_preferences(lists)
    >>> prefer
    array([[0., 1., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    >>> tied
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    >>> pairwise_preferences(lists, absent="ignore")[0]
    array([[0., 1., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    lists = check_lists(X)
    if lists.n_queries != 1:
        raise InputError(
            f"pairwise_preferences expects the lists of one query; there are {lists.n_queries}. Take one: "
            "RankedLists.from_frame(df)[[0]]."
        )
    if absent not in ABSENT:
        raise InputError(f"absent must be one of {', '.join(map(repr, ABSENT))}; got {absent!r}.")
    return query_preferences(lists, 0, absent)


def query_preferences(lists, q, absent):
    """Make the two matrices of :func:`pairwise_preferences` for a query of encoded lists."""
    prefer, both = preference_matrix(lists, q, absent=absent)
    if absent == "last":
        both = lists.list_weight[lists.list_ptr[q] : lists.list_ptr[q + 1]].sum()
    tied = np.maximum(both - (prefer + prefer.T), 0.0)
    np.fill_diagonal(tied, 0.0)
    return prefer, tied


def kemeny_score(rank, prefer, tied=None, *, penalty=0.5):
    r"""Add up the disagreements of an order, with or without ties, with the lists.

    Parameters
    ----------
    rank : array-like of shape (n_items,)
        Lower is better, equal is tied; only the order of the numbers counts.
    prefer, tied : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns them; without `tied` no list ties any items.
    penalty : float, default=0.5
        What a pair costs that is tied on one side only.

    Returns
    -------
    float
        0 where all lists agree with the order.

    See Also
    --------
    kemeny_lower_bound : What every order costs at least.

    Notes
    -----
    The total weight of the lists times their generalised Kendall distance :math:`K^{(p)}` to the order [1]_: a pair in
    opposite orders costs 1, a pair tied on one side only `penalty`.

    References
    ----------
    .. [1] R. Fagin, R. Kumar, M. Mahdian, D. Sivakumar and E. Vee, "Comparing partial rankings", SIAM Journal on
       Discrete Mathematics 20(3), 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import kemeny_score
    >>> prefer = np.array([[0, 2, 3], [1, 0, 2], [0, 1, 0]])
    >>> kemeny_score([1, 2, 3], prefer), kemeny_score([1, 1, 2], prefer)
    (2.0, 2.5)
    """
    rank, prefer = np.asarray(rank), np.asarray(prefer, dtype=np.float64)
    above, level = rank[:, None] < rank[None, :], rank[:, None] == rank[None, :]
    np.fill_diagonal(level, False)
    score = prefer.T[above].sum() + penalty * prefer[level].sum()
    return float(score if tied is None else score + penalty * np.asarray(tied, dtype=np.float64)[above].sum())


def kemeny_lower_bound(prefer, tied=None, *, penalty=0.5, ties="strict"):
    """Add up what each pair of items costs at least, in any order.

    Parameters
    ----------
    prefer, tied : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns them; without `tied` no list ties any items.
    penalty : float, default=0.5
        What a pair costs that is tied on one side only.
    ties : {"strict", "weak"}, default="strict"
        Whether the order may tie items.

    Returns
    -------
    float
        No order costs less; without majority cycles a strict order costs just that.

    See Also
    --------
    Kemeny : Proves a bound that takes the cycles into account.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import kemeny_lower_bound
    >>> kemeny_lower_bound(np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]]))
    3.0
    """
    before, level = pair_costs(prefer, tied, penalty)
    least = np.minimum(before, before.T)
    if ties == "weak":
        least = np.minimum(least, level)
    return float(np.triu(least, 1).sum())


def mean_tau_x(rank, prefer, tied, total_weight):
    r"""Average the correlation tau_x of an order, with or without ties, with the lists.

    Parameters
    ----------
    rank : array-like of shape (n_items,)
        Lower is better, equal is tied; at least 2 items.
    prefer, tied : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns them.
    total_weight : float
        Total weight of the lists.

    Returns
    -------
    float
        1 for the order of all lists, -1 for its reverse.

    See Also
    --------
    kemeny_score : The order of the highest tau_x is the one of the lowest score with a penalty of 0.5.

    Notes
    -----
    Emond and Mason [1]_ give an order the scores :math:`a_{ij} = 1` if :math:`i` is above or tied with :math:`j`, else
    -1, and 0 if a list does not hold both; :math:`\tau_x = \sum_{i \ne j} a_{ij} b_{ij} / (n (n - 1))`. A pair that
    list and order place alike, tied or not, adds 2 to the sum, one in opposite orders takes 2 away and one tied on one
    side only adds nothing: so, with :math:`N` the total weight of the pairs that lists hold and :math:`K` the Kemeny
    score at penalty 1/2, the mean is :math:`(2 N - 4 K) / (n (n - 1) m)`.

    References
    ----------
    .. [1] E. J. Emond and D. W. Mason, "A new rank correlation coefficient with application to the consensus ranking
       problem", Journal of Multi-Criteria Decision Analysis 11, 2002.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import mean_tau_x
    >>> mean_tau_x([1, 2, 3], np.array([[0, 2, 2], [0, 0, 1], [0, 1, 0]]), np.zeros((3, 3)), 2)
    0.6666666666666666
    """
    n = len(prefer)
    held = np.triu(prefer + prefer.T + tied, 1).sum()
    score = kemeny_score(rank, prefer, tied, penalty=0.5)
    return float((2 * held - 4 * score) / (n * (n - 1) * total_weight))


def pair_costs(prefer, tied, penalty):
    """Cost of the row's item before the column's, and of a tie of the two."""
    prefer = np.asarray(prefer, dtype=np.float64)
    before = prefer.T.copy()
    if tied is not None:
        before += penalty * np.asarray(tied, dtype=np.float64)
    return before, penalty * (prefer + prefer.T)


def margins(prefer):
    """What an order costs more with the row's item before the column's than the other way round; draws are 0."""
    prefer = np.asarray(prefer, dtype=np.float64)
    margin = prefer.T - prefer
    # Rounding makes no majority.
    margin[np.abs(margin) <= TOLERANCE * np.abs(prefer).max(initial=0.0)] = 0.0
    return margin


def condorcet_components(prefer):
    """Split items into groups that every Kemeny order puts one after the other.

    Parameters
    ----------
    prefer : ndarray of shape (n_items, n_items)
        As :func:`pairwise_preferences` returns it.

    Returns
    -------
    list of ndarray of int
        The strongly connected components of the strict majorities, best first, each sorted. All majorities between two
        components point from the earlier one to the later one.

    See Also
    --------
    Kemeny : Orders the items within the components.

    Notes
    -----
    An order that is optimal within each component is optimal as a whole, for all pairs across components have the
    majority's order, the cheapest there is. This is the extended Condorcet criterion [1]_. Components that no majority
    orders come by the mean margin of their items, then by id. :math:`O(n^2)`.

    References
    ----------
    .. [1] M. Truchon, "An extension of the Condorcet criterion and Kemeny orders", Universite Laval, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from skrankagg.aggregators import condorcet_components
    >>> condorcet_components(np.array([[0, 1, 1, 1], [2, 0, 2, 1], [2, 1, 0, 2], [2, 2, 1, 0]]))
    [array([1, 2, 3]), array([0])]
    """
    margin = margins(prefer)
    return ordered_components(margin < 0, margin.sum(axis=1))


def ordered_components(arc, strength):
    """Strongly connected components, topologically ordered.

    Parameters
    ----------
    arc : ndarray of shape (n, n), dtype=bool
    strength : ndarray of shape (n,)
        Components that no path orders come by the mean of this, the lowest first, then by their first item.

    Returns
    -------
    list of ndarray of int
    """
    n_components, label = connected_components(arc, directed=True, connection="strong")
    if n_components == 1:
        return [np.arange(len(arc))]
    member = np.zeros((n_components, len(arc)))
    member[label, np.arange(len(arc))] = 1.0
    between = member @ arc @ member.T > 0
    np.fill_diagonal(between, False)
    strength = member @ strength / member.sum(axis=1)
    # Equal but for rounding is equal.
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


def granularity(value):
    """Largest number that all values are whole multiples of, or 0 where there is none.

    Parameters
    ----------
    value : ndarray of float64

    Returns
    -------
    float
        0 where all are 0, and where the number would be below a ten-thousandth of the largest value.
    """
    value = np.unique(np.abs(value))
    value = value[value > 0]
    if len(value) == 0:
        return 0.0
    if (value % 1 == 0).all() and value[-1] < 2**53:
        return float(np.gcd.reduce(value.astype(np.int64)))
    largest = step = float(value[-1])
    for rest in map(float, value):
        while rest > 1e-9 * largest:
            step, rest = rest, step % rest
            if step - rest <= 1e-9 * largest:  # a whole multiple, but for rounding
                rest = 0.0
        if step < 1e-4 * largest:
            return 0.0
    multiple = value / step
    return step if (np.abs(multiple - np.round(multiple)) < 1e-9 * multiple[-1]).all() else 0.0


def draws(margin, order):
    """Number the places of an order; neighbours share one as long as no majority orders any two of them."""
    rank = np.empty(len(order), dtype=np.int64)
    start = 0
    for place, item in enumerate(order):
        if margin[order[start:place], item].any():
            start = place
        rank[item] = start
    return rank


def n_below(rank):
    """Count the items of a lower rank than each item's."""
    return len(rank) - np.searchsorted(np.sort(rank), rank, side="right").astype(np.float64)
