"""Neighbouring items of a Kemeny order that can be swapped at little or no cost."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

import numpy as np
import pandas as pd

from .._arrays._pairwise import preference_blocks
from .._arrays._preferences import margins
from .._data._frames import frame_of, known_or_missing, take_ids, whole_or_missing
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._values import is_real
from ..aggregators import Kemeny, condorcet_components
from ..base._voter_weights import VoterWeights
from ..exceptions import InputError
from ._arguments import begin

__all__ = ["kemeny_ties"]


def kemeny_ties(
    lists: PlainLists,
    *,
    max_cost: float = 0.0,
    query: Hashable | None = None,
    absent: Literal["last", "ignore"] = "last",
    voter_weights: VoterWeights | None = None,
    time_limit: float | None = None,
) -> pd.DataFrame:
    r"""Find neighbouring items in Kemeny's order that can be swapped at little or no cost.

    Parameters
    ----------
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists.
    max_cost : float, default=0.0
        Largest amount, at least 0, that a swap may add to the Kemeny score; ``math.inf`` returns all neighbours.
    query : id, default=None
        Id of the only query to examine; None examines all queries.
    absent : {"last", "ignore"}, default="last"
        How to treat items absent from a list. "last" ties these items below the items of the list, and "ignore" leaves
        them out, as in :class:`~skrankagg.aggregators.Kemeny`.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which are multiplied by the weights of the lists.
    time_limit : float, default=None
        Time limit for each query, in seconds. None means no limit; a heuristic then searches components of more than 60
        items.

    Returns
    -------
    DataFrame of shape (n_pairs, 7)
        A row for each pair of neighbours whose `cost` is at most `max_cost`. Rows are sorted by query, then in the
        order of the consensus:

        - `query`, `item` and `next_item`; `next_item` directly follows `item` in Kemeny's consensus;
        - `cost`, float64: the amount that swapping the two items adds to the Kemeny score, in units of list weight;
        - `component`, Int64: number of the Condorcet component that contains both items, counted from 1 at the top; NA
          if the items are in different components;
        - `optimal`, bool: whether the order is proven to be one of the best orders of the whole query;
        - `unique`, boolean: whether the order is proven to be the only best order; NA if this is not known.

        A query without such pairs of neighbours has no row.

    Raises
    ------
    ValueError
        If `max_cost` is not a number of at least 0, or the lists do not contain the query.

    See Also
    --------
    skrankagg.aggregators.Kemeny : Finds the order; ``query_info_`` contains `optimal` and `unique` for every query.
    skrankagg.aggregators.condorcet_components : Splits a query into its components.
    voter_influence : The influence of each list on the order.

    Notes
    -----
    Let :math:`W_{ij}` be the weight of the lists that rank item :math:`i` above item :math:`j`. Swapping the neighbours
    :math:`i` and :math:`j` adds :math:`W_{ij} - W_{ji}` to the score and affects no other pair. If the `cost` is 0 in
    an `optimal` order, the order with the two items swapped is therefore also a best order: the lists do not separate
    the two items. Making several swaps of cost 0 at the same time does not always give a best order. Suppose that a, b
    and c follow each other, and that two swaps have cost 0: a with b, and b with c. Then c can come before a at no cost
    only if :math:`W_{ac} = W_{ca}`.

    A pair that is *not* listed does not necessarily have the same order in all best orders. The reason is that best
    orders may also differ in the place of a whole block of items. In a cycle of three equal majorities, no two
    neighbours can be swapped at no cost, but each of the three rotations of the cycle is a best order. `unique` is then
    False. If `unique` is True, no other order is best. Two items of different components have the same order in every
    best order, unless :math:`W_{ij} = W_{ji}` for these items [1]_.

    If the order is not proven to be best, each `cost` is still exact for this order.

    References
    ----------
    .. [1] M. Truchon, "An extension of the Condorcet criterion and Kemeny orders", Université Laval, 1998.

    Examples
    --------
    >>> from skrankagg.inspection import kemeny_ties
    >>> kemeny_ties([["a", "b", "c", "d"], ["b", "a", "c", "d"], ["a", "b", "d", "c"],
    ...              ["b", "a", "c", "d"]])
      query item next_item  cost  component  optimal  unique
    0     q    a         b   0.0       <NA>     True   False
    """
    if not is_real(max_cost) or not max_cost >= 0:
        raise InputError(
            f"`max_cost` must be a number of at least 0; got {max_cost!r}. Pass 0 to list only swaps that cost nothing."
        )
    lists = encode_plain(lists)
    if query is not None:
        lists = check_lists(lists).select(queries=[query])
    kemeny = Kemeny(absent=absent, voter_weights=voter_weights, time_limit=time_limit, verbose=False)
    lists = begin(kemeny, lists)
    ranked = kemeny._rank(lists)
    # Cost of swapping each candidate with the next one, and component of each candidate.
    cost, part = np.full(lists.n_candidates, np.nan), np.zeros(lists.n_candidates, dtype=np.int64)
    order = ranked.order
    for queries, prefer in preference_blocks(lists, absent):
        for q, margin, own in zip(queries, margins(prefer), prefer, strict=True):
            rows = np.arange(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
            here = order[rows] - rows[0]
            for number, items in enumerate(condorcet_components(own), 1):
                part[rows[0] + items] = number
            # Additional cost of placing the lower item first.
            cost[rows[:-1]] = margin[here[1:], here[:-1]]
    above = np.flatnonzero(cost <= max_cost)
    first, second = order[above], order[above + 1]
    own = lists.candidate_query[first]
    return frame_of(
        {
            "query": take_ids(lists.queries, own),
            "item": take_ids(lists.items, lists.candidate_item[first]),
            "next_item": take_ids(lists.items, lists.candidate_item[second]),
            "cost": cost[above],
            "component": whole_or_missing(part[first], part[first] == part[second]),
            "optimal": ranked.queries["optimal"][own],
            "unique": known_or_missing(ranked.queries["unique"].take(own).to_numpy(dtype=object, na_value=None)),
        }
    )
