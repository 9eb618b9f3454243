"""Majority winners of a query: the Condorcet winner and the Smith set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ..._arrays._preferences import margins
from ..._arrays._ragged import expand, positions
from ..._data._compared_items import check_absent
from ..._data._frames import frame_of, take_ids, take_or_missing
from ..._data._ranked_lists import check_lists, encode_plain
from ..._support._memory import check_matrix
from ...exceptions import InputError
from .._majorities._copeland import Copeland

if TYPE_CHECKING:
    import pandas as pd

    from ..._data._types import PlainLists

__all__ = ["condorcet_winner", "smith_set"]


@overload
def condorcet_winner(lists: NDArray[Any], *, absent: Literal["last", "ignore"] = "last") -> int | None: ...
@overload
def condorcet_winner(lists: PlainLists, *, absent: Literal["last", "ignore"] = "last") -> pd.DataFrame: ...
def condorcet_winner(
    lists: PlainLists | NDArray[Any], *, absent: Literal["last", "ignore"] = "last"
) -> pd.DataFrame | int | None:
    """Find the item of each query that beats every other item by a majority.

    Parameters
    ----------
    lists : DataFrame, RankedLists, dict, list of lists, or ndarray of shape (n_items, n_items)
        Ranked lists, or the preferences of one query as :func:`pairwise_preferences` returns them.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        For a matrix the parameter has no effect, because absent items were already treated when the matrix was
        computed.

    Returns
    -------
    DataFrame of shape (n_queries, 2), or int or None
        A frame with columns `query` and `item` and one row for each query. The item is missing if no item beats all
        others. For a matrix, the result is the item's position in the matrix, or None if no item beats all others.

    See Also
    --------
    smith_set : Finds the smallest set of items that beat all other items.
    Copeland : Puts a Condorcet winner first.

    Notes
    -----
    In a comparison of two items, the first item wins if the lists that rank it above the second item have more weight
    than the lists that rank it below. An item that wins against every other item is the Condorcet winner [1]_. There is
    at most one Condorcet winner. If majorities form a cycle at the top, there is no Condorcet winner. A draw is not a
    win: margins of at most :math:`10^{-12}` times the query's total weight are draws. If a query has a single item,
    this item is the winner. With ``absent="ignore"`` the duel of two items that never appear in the same list is a
    draw. The running time is the same as for :class:`Condorcet`.

    References
    ----------
    .. [1] M. de Condorcet, "Essai sur l'application de l'analyse à la probabilité des décisions rendues à la pluralité
       des voix", 1785.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators import condorcet_winner, pairwise_preferences
    >>> cycle = RankedLists.from_ballots(["a > b > c > d", "b > c > a > d",
    ...     "c > a > b > d"], counts=[4, 3, 2])
    >>> condorcet_winner(cycle)
      query  item
    0     q  NaN
    >>> lists = pd.DataFrame({"query": ["p", "p", "q"], "voter": "v",
    ...     "item": ["a", "b", "c"], "rank": [1, 2, 1]})
    >>> condorcet_winner(lists)
      query item
    0     p    a
    1     q    c
    >>> condorcet_winner(pairwise_preferences(cycle)[0]) is None
    True
    """
    check_absent(absent)
    if isinstance(lists, np.ndarray):
        found = np.flatnonzero(_matrix_majority(lists, "condorcet_winner")[0] == len(lists) - 1)
        return int(found[0]) if len(found) else None
    lists = check_lists(encode_plain(lists))
    wins, _ = _list_majority(lists, absent)
    best = np.flatnonzero(wins == lists.query_n_items[lists.candidate_query] - 1)
    winner = np.full(lists.n_queries, -1)
    winner[lists.candidate_query[best]] = lists.candidate_item[best]
    return frame_of(
        {
            "query": take_ids(lists.queries, np.arange(lists.n_queries)),
            "item": take_or_missing(lists.items, winner),
        }
    )


@overload
def smith_set(lists: NDArray[Any], *, absent: Literal["last", "ignore"] = "last") -> NDArray[np.int64]: ...
@overload
def smith_set(lists: PlainLists, *, absent: Literal["last", "ignore"] = "last") -> pd.DataFrame: ...
def smith_set(
    lists: PlainLists | NDArray[Any], *, absent: Literal["last", "ignore"] = "last"
) -> pd.DataFrame | NDArray[np.int64]:
    r"""Find, for each query, the smallest set of items that beat all other items by majorities.

    Parameters
    ----------
    lists : DataFrame, RankedLists, dict, list of lists, or ndarray of shape (n_items, n_items)
        Ranked lists, or the preferences of one query as :func:`pairwise_preferences` returns them.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        For a matrix the parameter has no effect, because absent items were already treated when the matrix was
        computed.

    Returns
    -------
    DataFrame or ndarray of int
        A frame with columns `query` and `item` and one row for each item of each set, sorted by query and item. For a
        matrix, the result contains the positions of the set's items in the matrix.

    See Also
    --------
    condorcet_winner : Finds the Condorcet winner; if there is one, the set contains no other item.
    condorcet_components : Splits all items into such sets, but treats draws differently.

    Notes
    -----
    Every item of the set beats every item outside of it, and no smaller nonempty set has this property [1]_, [2]_. If
    there is a Condorcet winner, it is the only item of the set. If majorities form a cycle at the top, the set contains
    all items of the cycle, and also items that draw with one of them. Rules such as :class:`Copeland`,
    :class:`Schulze`, :class:`RankedPairs` and :class:`Kemeny` elect an item of the set.

    The Copeland score of an item is the number of its wins plus half of its draws. Let :math:`c_1 \ge c_2 \ge \dots` be
    the Copeland scores of the :math:`n` items in descending order. The set contains the first :math:`k` items, for the
    least :math:`k` with

    .. math:: \sum_{j \le k} c_j = \frac{k (k - 1)}{2} + k (n - k).

    The right side is the largest total score that :math:`k` items can have. Each duel between two of these items adds
    one point in total, and each duel with an item outside this group adds at most one point. Margins within
    :math:`10^{-12}` of the query's total weight are draws. The running time is the same as for :class:`Copeland`.

    References
    ----------
    .. [1] I. J. Good, "A note on Condorcet sets", Public Choice 10, 1971.
    .. [2] J. H. Smith, "Aggregation of preferences with variable electorate", Econometrica 41, 1973.

    Examples
    --------
    >>> from skrankagg import RankedLists
    >>> from skrankagg.aggregators import pairwise_preferences, smith_set
    >>> cycle = RankedLists.from_ballots(["a > b > c > d", "b > c > a > d",
    ...     "c > a > b > d"], counts=[4, 3, 2])
    >>> smith_set(cycle)
      query item
    0     q    a
    1     q    b
    2     q    c
    >>> smith_set(pairwise_preferences(cycle)[0])
    array([0, 1, 2])
    """
    check_absent(absent)
    if isinstance(lists, np.ndarray):
        wins, draws = _matrix_majority(lists, "smith_set")
        return np.flatnonzero(_in_smith_set(wins, draws, np.array([0, len(wins)])))
    lists = check_lists(encode_plain(lists))
    wins, draws = _list_majority(lists, absent)
    members = np.flatnonzero(_in_smith_set(wins, draws, lists.candidate_ptr))
    return frame_of(
        {
            "query": take_ids(lists.queries, lists.candidate_query[members]),
            "item": take_ids(lists.items, lists.candidate_item[members]),
        }
    )


def _list_majority(lists, absent):
    """For each candidate, return the number of candidates that it beats by majority, and the number of its draws."""
    method = Copeland(absent=absent)
    method._check_memory(lists, method._memory(lists))
    return method._majorities(lists)


def _matrix_majority(prefer, caller):
    """For each item of one query, return the number of items that it beats and the number of its draws.

    `prefer` is the matrix of pairwise preferences. `caller` is the name of the function in error messages.
    """
    if prefer.ndim != 2 or prefer.shape[0] != prefer.shape[1] or not len(prefer):
        raise InputError(
            f"`lists` must be ranked lists or a square matrix of preferences; got an array of shape {prefer.shape}. "
            f"Pass the first result of pairwise_preferences to {caller}."
        )
    check_matrix(caller, len(prefer), 34.0)
    margin = margins(prefer)  # cost of putting the row's item first
    return np.count_nonzero(margin < 0, axis=1), np.count_nonzero(margin == 0, axis=1) - 1


def _in_smith_set(wins, draws, ptr):
    """Return a mask of the candidates in the Smith set of their query.

    `wins` contains the number of candidates that each candidate beats, and `draws` the number of candidates with which
    it draws. Query q has the candidates ``ptr[q]`` to ``ptr[q + 1] - 1``.
    """
    query, n = expand(ptr), np.diff(ptr)
    twice = 2.0 * wins + draws
    order = np.lexsort((-twice, query))
    until = np.cumsum(twice[order])
    until -= np.concatenate([[0.0], until])[ptr[:-1]][query]
    k = positions(ptr)
    closed = until == k * (k - 1) + 2 * k * (n[query] - k)
    # The set of all items of a query always meets this condition.
    size = np.minimum.reduceat(np.where(closed, k, n[query]), ptr[:-1])
    member = np.empty(len(order), dtype=bool)
    member[order] = k <= size[query]
    return member
