"""Stability of a consensus: places of its items when the lists are drawn again, and tests of gaps between items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pandas as pd

from .._data._compared_items import n_components
from .._data._frames import plain_index
from .._data._types import PlainLists
from .._support._checks import check_choice, check_count
from ..base import BaseAggregator
from ..exceptions import InputError
from ._arguments import encode_with_groups
from ._draws import UNITS
from ._max_t import GapTests
from ._resampling import Resampling, quantile_of_draws

__all__ = ["preference_probabilities", "rank_stability"]


def rank_stability(
    aggregator: BaseAggregator,
    lists: PlainLists,
    *,
    n_resamples: int = 1000,
    confidence: float = 0.95,
    places: Sequence[int] = (1, 10),
    unit: str = "list",
    votes: bool | None = None,
    adjust: Literal["max-t"] | None = None,
    pairs: Literal["next", "all"] = "next",
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
    verbose: bool | Literal["auto"] = False,
) -> pd.DataFrame:
    r"""Compute the places of the items of a consensus when its lists are drawn again.

    The result shows how much the order depends on the choice of the voters. It describes the stability of the order,
    and is not an inference about the true order. If two items are equally good, and one of them is ahead in the lists
    by chance, this item is also ahead in most draws; see Notes.

    Parameters
    ----------
    aggregator : aggregator
        Any method that accepts weights of lists. If the method learns from judgements or by ``weighting="global"``, fit
        it first; it is not fitted again. Weights that a method learns for each query are learned again in each draw.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists.
    n_resamples : int, default=1000
        Number of draws.
    confidence : float, default=0.95
        Share of the draws that the interval of an item covers.
    places : sequence of int, default=(1, 10)
        For each number k in `places`, the chance that an item is among the first k places is returned.
    unit : {"list", "voter", "query"} or str, default="list"
        The unit that is drawn. "list" draws the lists of each query separately. "voter" draws voters, each with its
        lists of all queries. "query" draws queries; the lists of all queries are pooled into one query, see Notes. The
        name of a grouping, such as "judge", draws the groups of this grouping, each with all its lists.
    votes : bool or None, default=None
        Whether a list of weight w represents w equal ballots, which are drawn separately. Each draw then contains the
        same number of ballots as the query. If False, the list is drawn as one unit, and its weight multiplies the
        number of times that it is drawn. None treats lists as ballots only in queries with integer weights. The
        parameter applies only to ``unit="list"``; voters and queries are always drawn with their weights.
    adjust : {"max-t"} or None, default=None
        "max-t" also tests each difference between neighbours of the consensus, see Notes. The method must be a sum or a
        model (tag ``smooth`` of :class:`~skrankagg.base.AggregatorTags`). None makes no tests.
    pairs : {"next", "all"}, default="next"
        Which pairs of items are tested together. "next" tests each item against the next item. "all" tests all pairs of
        the items of a query, at most 300 items, and adds the column `letters`. Only for ``adjust="max-t"``.
    random_state : int, RandomState instance or None, default=0
        Source of the draws. The draws of a query do not depend on which other queries are present.
    n_jobs : int, default=None
        Number of processes that share the draws, for slow methods such as Kemeny. None means 1, and -1 means the number
        of cores.
    verbose : bool or "auto", default=False
        Whether to report progress. "auto" reports progress only in a terminal or a notebook.

    Returns
    -------
    DataFrame of shape (n_candidates, 11 + n_top)
        A row for each item of each query, in the order of the consensus:

        - `query`, `item`, `score`, `rank`: the consensus of the original lists. With ``unit="query"``, the query is
          ``all``
        - `rank_low`, `rank_high`: the best and the worst place of the interval, Int64; missing if a query has only one
          list
        - `rank_mean`, `score_se`: mean of the place and standard deviation of the score over the draws
        - `top_1`, `top_10`: the share of the draws in which the item is among the first k places, for each k of
          `places`
        - `above_next`: share of the draws in which the item is above the next item of the consensus, where ties count
          half; NaN for the last item
        - `tied_group`: number of the group of items that contains the item, counted from 1, Int64. A group ends after
          an item whose `above_next` is at least `confidence`
        - `n_resamples`: the number of valid draws

        ``adjust="max-t"`` adds these columns:

        - `separated_next`: True if the test finds a gap between the item and the next item, boolean. The value is
          missing for the last item, for neighbours that the lists do not connect, and if there are fewer than five
          units
        - `p_next`: adjusted p-value of this test
        - `gap_group`: number of the group of items that contains the item, counted from 1, Int64. A group ends where a
          gap was found. Within a group, no gap was found; its items are not necessarily equal
        - `letters`, only with ``pairs="all"``: a text of letters. No difference was found between two items if, and
          only if, they share a letter

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator.
    ValueError
        If the method does not accept weights of lists, or an argument is out of range. If ``adjust="max-t"`` is given
        for a method that lacks the tag ``smooth``.

    Warns
    -----
    FewListsWarning
        If there are fewer than five units to draw from.
    NotComparedWarning
        If the method compares items and no chain of lists connects all items of a query.
    UserWarning
        If a query has both integer weights above 1 and weights that are not integers, and `votes` is None.

    See Also
    --------
    rank_confidence : Sets that contain the true rank, which are also valid for equally good items.
    preference_probabilities : Share of the draws in which one item is above another, for all items of a query.
    voter_influence : Changes of the consensus when one list is left out.

    Notes
    -----
    If a query has n lists, a draw consists of n lists, drawn with replacement. The weight of a list is multiplied by
    the number of times that the list is drawn, a multinomial count with expectation 1. If lists are ballots (see
    `votes`), a list of weight w represents w ballots, and the ballots are drawn instead. Repeated lists and weighted
    lists then have the same result. Weights that are not numbers of ballots, and the weights in `voter_weights`,
    multiply the number of times that a list is drawn. An item stays a candidate even if no list that contains it is
    drawn.

    **Items that are not compared**: the items of a query may belong to several components (see
    :meth:`RankedLists.components <skrankagg.RankedLists.components>`). Then `above_next` is NaN if the two items belong
    to different components, and all columns that count places among all items are missing for the whole query.

    Items that are tied in a draw share their places. The interval begins at the quantile of the first shared place and
    ends at the quantile of the last shared place. The quantiles are values of the inverse distribution function, so
    they are always places. The mean uses the middle of the shared places. For the chance of the first k places, a tied
    item counts as the fraction of its shared places that are among the first k.

    With ``unit="query"`` the lists of all queries are pooled, and queries are drawn with all of their lists. Use this
    unit for a leaderboard whose tasks are queries. If the tasks of a leaderboard are the voters of one query, draw
    lists.

    A draw is invalid for a query if it contains no list of positive weight, or if the method fails. If the method
    fails in all draws, its error is raised.

    Intervals have their nominal coverage of the true rank only if the items differ and there are many lists. Over 400
    generated queries of 30 items, ranked by BordaCount, 95 % intervals covered the true rank as follows
    (``benchmarks/rank_coverage.py``). If the items differed much, the coverage was 98 % with 50 lists and 94 % with 10
    lists. If the items differed little, the coverage was 95 % with 50 lists and 88 % with 10 lists. If all items were
    equally good, all places were true ranks of each item, but hardly any interval contained all places.

    Coverage is lower for the first place. If the items differed moderately, the interval of the best item covered its
    true rank in about 81 % of cases with 10 lists, 90 % with 20 and 95 % with 50. The intervals of all items covered
    the true rank in 93, 96 and 98 % of cases. If the items differed little, the coverage for the best item was 62, 75
    and 87 %. If you have fewer than 50 lists, use :func:`rank_confidence` for the first place.

    **Who is above whom** (``adjust="max-t"``): let :math:`d \ge 0` be the difference between the scores of two
    neighbours in the consensus. Let :math:`d^*` be the difference of the same two scores in a draw. The test statistic
    is :math:`d / \hat\sigma`, where :math:`\hat\sigma` is the standard deviation of :math:`d^*`. It is compared with
    the maximum of :math:`|d^* - d| / \hat\sigma` over this pair and all pairs with a smaller statistic. This is the
    two-sided step-down procedure of Westfall and Young [2]_. If the maximum is at least as large as the statistic in k
    of B draws, the p-value is :math:`(1 + k) / (1 + B)`. A p-value is raised to the largest p-value of the pairs with
    larger statistics. The test finds a gap between two items if their p-value is at most 1 - `confidence`. The
    probability that any separation in a query is wrong is therefore at most 1 - `confidence`, up to the error of the
    bootstrap.

    The test has this level if there are many units. The level is hardest to keep on leaderboards with pairs of equal
    items that are far from all other pairs. For six such pairs, 6,000 comparisons and the level 0.05, 62 of 1,000
    leaderboards had a wrong separation (``benchmarks/max_t_level.py``). The rule of `tied_group` was wrong for 526 of
    them. If all items are equal, neighbours are hardly ever separated, so such leaderboards do not test the level.

    If the difference is the same in all draws, :math:`\hat\sigma` is 0. Such a pair is not separated if its difference
    is 0. Otherwise its p-value is :math:`2^{1 - n}`, as in a sign test in which all n units agree. Here n is the
    smaller of two numbers: the number of units that contain the first item, and the number of units that contain the
    second item.

    The lists are aggregated `n_resamples` times. For sums, majorities, :class:`~skrankagg.aggregators.MarkovChain` and
    :class:`~skrankagg.aggregators.RobustRankAggregation`, all draws are computed together.

    References
    ----------
    .. [1] P. Hall and H. Miller, "Using the bootstrap to quantify the authority of an empirical ranking", Annals of
       Statistics 37, 2009.
    .. [2] P. H. Westfall and S. S. Young, "Resampling-based multiple testing", Wiley, 1993.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.inspection import rank_stability
    >>> lists = make_ranked_lists(n_queries=1, n_voters=20, n_items=6, list_length=None,
    ...     quality=0.5, random_state=0)[0]
    >>> stability = rank_stability(BordaCount(), lists, places=[1, 3])
    >>> stability[["item", "rank", "rank_low", "rank_high", "top_1", "above_next",
    ...            "tied_group"]].round(2)
      item  rank  rank_low  rank_high  top_1  above_next  tied_group
    0   i1     1         1          3   0.71        0.72           1
    1   i3     2         1          3   0.27        0.88           1
    2   i4     3         2          5   0.01        0.65           1
    3   i2     4         2          5   0.01        0.85           1
    4   i6     5         3          5   0.00        1.00           1
    5   i5     6         6          6   0.00         NaN           2
    >>> tested = rank_stability(BordaCount(), lists, adjust="max-t", pairs="all")
    >>> tested[["item", "p_next", "separated_next", "gap_group", "letters"]].round(2)
      item  p_next  separated_next  gap_group letters
    0   i1    0.85           False          1       a
    1   i3    0.59           False          1       a
    2   i4    0.85           False          1      ab
    3   i2    0.64           False          1      ab
    4   i6    0.01            True          1       b
    5   i5     NaN            <NA>          2       c
    """
    for k in places:
        check_count("places", k)
    places = sorted(set(map(int, places)))
    check_choice("adjust", adjust, (None, "max-t"))
    check_choice("pairs", pairs, ("next", "all"))
    if adjust is None and pairs != "next":
        raise InputError(f"`pairs` must be 'next' unless adjust='max-t'; got {pairs!r}. Pass adjust='max-t'.")
    resampling = Resampling(
        aggregator,
        lists,
        n_resamples=n_resamples,
        confidence=confidence,
        unit=unit,
        votes=votes,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
        keep_moves=adjust is not None,
    )
    ranked, scale = resampling.aggregate()
    tests = None if adjust is None else GapTests(resampling, ranked, scale, confidence, pairs)
    lists, n = resampling.lists, resampling.lists.n_candidates
    columns = {name: np.full(n, np.nan) for name in ("rank_low", "rank_high", "rank_mean", "score_se")}
    columns |= {f"top_{k}": np.full(n, np.nan) for k in places} | {"above_next": np.full(n, np.nan)}
    # Places and groups compare all items, so they exist only if the query has one component.
    one = n_components(lists, resampling.component) == 1
    columns |= {"tied_group": np.where(one[lists.candidate_query], 1.0, np.nan)}
    columns |= {"n_resamples": np.zeros(n, dtype=np.int64)}
    for block in resampling.replicates(ranked, scale):
        for q, score_se, first, last in block.of_queries():
            own = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
            order = ranked.order[own] - own.start
            columns["n_resamples"][own] = first.shape[1]
            if first.shape[1] == 0:
                continue
            if tests is not None:
                tests.test(q, block.moves_of(q))
            # The items of all arrays below are in the order of the consensus.
            same = last is first
            first = first[order]
            last = first if same else last[order]
            columns["score_se"][own] = score_se[order]
            above = _share_above(first[:-1], first[1:])
            component = resampling.component[own][order]
            columns["above_next"][own.start : own.stop - 1] = np.where(component[:-1] == component[1:], above, np.nan)
            if not one[q]:
                continue
            columns["tied_group"][own.start + 1 : own.stop] = 1 + np.cumsum(above >= confidence)
            if resampling.draws.n_units_by_query[q] > 1:
                columns["rank_low"][own] = quantile_of_draws(first, (1 - confidence) / 2)
                columns["rank_high"][own] = quantile_of_draws(last, (1 + confidence) / 2)
            columns["rank_mean"][own] = (first.mean(axis=1) + last.mean(axis=1)) / 2
            for k in places:
                columns[f"top_{k}"][own] = _share_of_top(first, last, k)
    for name in ("rank_low", "rank_high", "tied_group"):
        columns[name] = pd.array(columns[name], dtype="Int64")
    if tests is not None:
        columns |= tests.columns()
    return ranked.to_frame()[["query", "item", "score", "rank"]].assign(**columns)


def preference_probabilities(
    aggregator: BaseAggregator,
    lists: PlainLists,
    query: object = None,
    *,
    n_resamples: int = 1000,
    unit: str = "list",
    votes: bool | None = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> pd.DataFrame:
    """For every two items of a query, compute the share of random draws in which one item is above the other.

    Parameters
    ----------
    aggregator : aggregator
        Any method that accepts weights of lists, as in :func:`rank_stability`.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists.
    query : object, default=None
        Id of the query; None if there is only one query.
    n_resamples : int, default=1000
        Number of draws.
    unit : {"list", "voter", "query"} or str, default="list"
        The unit that is drawn, as in :func:`rank_stability`.
    votes : bool or None, default=None
        Whether weights are numbers of ballots, as in :func:`rank_stability`.
    random_state : int, RandomState instance or None, default=0
        Source of the draws, which are the same as in :func:`rank_stability`.
    n_jobs : int, default=None
        Number of processes that share the draws. None means 1, and -1 means the number of cores.

    Returns
    -------
    DataFrame of shape (n_items, n_items)
        Rows and columns are the items in the order of the consensus. A value is the share of the draws in which the
        item of the row is above the item of the column; ties count half. The value is 1/2 on the diagonal, and NaN for
        two items that no chain of lists connects.

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator.
    ValueError
        If there is no such query, if the method does not accept weights of lists, or if the method fails in all draws.

    Warns
    -----
    FewListsWarning
        If there are fewer than five units to draw from.
    NotComparedWarning
        If the method compares items and no chain of lists connects all items of a query.
    UserWarning
        If a query has both integer weights above 1 and weights that are not integers, and `votes` is None.

    See Also
    --------
    rank_stability : Computes an interval for the place of each item.
    skrankagg.aggregators.pairwise_preferences : The preferences of the original lists.

    Notes
    -----
    These are shares of draws, not probabilities that an item is better; see the Notes of :func:`rank_stability`. The
    time grows with the square of the number of items.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.inspection import preference_probabilities
    >>> lists = make_ranked_lists(n_queries=1, n_voters=20, n_items=4, list_length=None,
    ...     quality=0.5, random_state=0)[0]
    >>> preference_probabilities(BordaCount(), lists).round(2)
          i1    i3    i4    i2
    i1  0.50  0.61  0.92  1.00
    i3  0.39  0.50  0.90  1.00
    i4  0.08  0.10  0.50  0.91
    i2  0.00  0.00  0.09  0.50
    """
    lists, q = _choose_query(aggregator, lists, query, unit)
    resampling = Resampling(
        aggregator,
        lists,
        n_resamples=n_resamples,
        confidence=0.5,
        unit=unit,
        votes=votes,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    ranked, scale = resampling.aggregate()
    lists = resampling.lists
    (block,) = resampling.replicates(ranked, scale)
    _, _, first, _ = next(one for one in block.of_queries() if one[0] == q)
    if first.shape[1] == 0:
        raise InputError(
            "`lists` must have a list of positive weight in at least one draw; no draw has such a list. Check the "
            "weights."
        )
    own = slice(lists.candidate_ptr[q], lists.candidate_ptr[q + 1])
    order = ranked.order[own]
    first = first[order - own.start]
    items = lists.items.take(lists.candidate_item[order])
    shares = np.stack([_share_above(place, first) for place in first])
    component = resampling.component[order]
    shares[component[:, None] != component] = np.nan
    return pd.DataFrame(shares, index=items, columns=items)


def _choose_query(aggregator, X, query, unit):
    """Return the lists to aggregate, and the position of the chosen query in these lists.

    Lists of other queries are left out, unless the aggregator or the unit "query" uses all queries together.
    """
    lists = encode_with_groups(aggregator, X, None if unit in UNITS else unit)
    if query is not None:
        if unit == "query":
            raise InputError(
                f"`query` must be None if unit='query', which pools the lists of all queries; got {query!r}. Leave "
                "it out."
            )
        chosen = lists.select(queries=[query])
        return (lists, plain_index(lists.queries).get_loc(query)) if aggregator._joins_queries else (chosen, 0)
    if lists.n_queries > 1 and unit != "query":
        raise InputError(
            f"`query` must be the id of one of the {lists.n_queries} queries, such as {lists.queries[0]!r}; got None."
        )
    return lists, 0


def _share_of_top(first, last, k):
    """For each item, return the share of random draws in which the item is in the first k places.

    A tied item contributes the fraction of its shared places that are among the first k.
    """
    if last is first:
        return (first <= k).mean(axis=1)
    return np.clip((k + 1 - first) / (last - first + 1), 0.0, 1.0).mean(axis=1)


def _share_above(one, other):
    """Return the share of random draws in which the first item is above the second; ties count half."""
    return ((one < other).mean(axis=-1) + (one <= other).mean(axis=-1)) / 2
