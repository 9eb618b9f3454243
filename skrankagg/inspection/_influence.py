"""Influence of each list on the consensus, and search for lists with unusually low agreement with the others."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd

from .._arrays._ragged import (
    dense_ranks,
    expand,
    gather_ranges,
    group_order,
    positions,
    sparse_rows,
    tie_starts,
)
from .._data._frames import frame_of, known_or_missing, take_ids, whole_or_missing
from .._data._list_columns import grouping
from .._data._types import PlainLists
from .._support._checks import check_choice, check_count
from .._support._warn import warn_user
from ..base import BaseAggregator, Consensus
from ..base._consensus import rank_scores, rank_sums, sole_lists_again
from ..exceptions import InputError
from ..metrics._agreement._kendall import ratio_or_nan
from ..metrics._agreement._pair_counts import count_pairs
from ._agreement import agreement_with_classes, robust_z
from ._arguments import begin, silence_repeated_warnings

__all__ = ["voter_influence"]

_MODES = ("silence", "drop")
# Largest number of scores and weights that are in memory at one time.
_CELLS = 1 << 21


def voter_influence(
    aggregator: BaseAggregator,
    lists: PlainLists,
    *,
    top: int = 10,
    mode: Literal["silence", "drop"] = "silence",
    unit: str = "list",
) -> pd.DataFrame:
    r"""Measure how the consensus changes without each list, and how well the list agrees with the other lists.

    Parameters
    ----------
    aggregator : aggregator
        Any method. If the method learns from judgements or by ``weighting="global"``, fit it first; it is not fitted
        again. Other methods need no fit.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists, as for ``aggregator.transform``.
    top : int, default=10
        Number of first places that `top_changed` compares.
    mode : {"silence", "drop"}, default="silence"
        The way to leave out a list. "silence" sets the weight of the list to 0, so that its items stay candidates; the
        method must accept weights of lists. "drop" removes the rows of the list, so that items found in no other list
        are absent.
    unit : {"list"} or str, default="list"
        The unit that is left out: each list, or all lists of a group in a query. The name of a grouping, such as
        "judge", leaves out all comparisons of one judge at a time.

    Returns
    -------
    DataFrame of shape (n_lists, 10)
        A row for each list, sorted by query and voter. With a grouping, there is a row for each query and group, and
        "the list" means all lists of the group:

        - `query` and `voter`; with a grouping, `voter` contains the id of the group;
        - `weight`, float64: the weight of the list times the aggregator's `voter_weights`, without learned weights;
        - `agreement`, float64 from -1 to 1: Kendall's :math:`\tau_b` of the list and the consensus of the other lists,
          on the items that both the list and this consensus contain;
        - `z`, float64: the agreement minus the median agreement of the query's lists, in units of 1.4826 times the
          median absolute deviation. It is NaN if the query has fewer than 5 lists or the deviation is 0;
        - `threshold`, float64: the list is an outlier if its agreement is below this value, see Notes. The threshold is
          NaN if the list is too short to test, or the query has fewer than 5 lists that can be tested;
        - `outlier`, boolean: whether the agreement is below the threshold; NA if there is no threshold;
        - `distance`, float64 from 0 to 1: share of the pairs of items whose order is swapped; a pair that is tied in
          only one of the two orders counts half;
        - `top_changed`, Int64: number of the first `top` items that are not among the first `top` items of the
          consensus without the list;
        - `leader_changed`, boolean: whether another item is first without the list.

        Values that need the consensus without the list are missing if no other list of the query has a weight above 0,
        or if the method fails without the list.

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator; pipelines are not accepted.
    ValueError
        If `top`, `mode` or `unit` is invalid, or "silence" is used with a method that does not accept weights of lists.
        If the method cannot aggregate the lists, or fails for every list that is left out.
    sklearn.exceptions.NotFittedError
        If the method must be fitted and is not.

    Warns
    -----
    UserWarning
        If the method fails without some of the lists.

    See Also
    --------
    voter_contributions : The contribution of each list to each score, for methods whose scores are sums.
    compare_consensus : Compares any two consensuses.
    margin_of_victory : Finds the smallest weight of lists whose removal ends the leader's lead.
    skrankagg.metrics.consensus_agreement : Agreement of the voters with a consensus that includes their lists.

    Notes
    -----
    The full consensus is compared with the consensus without the list. This second consensus is the result of
    ``aggregator.transform`` after the weight of the list is set to 0 or its rows are removed. `top_changed` and
    `leader_changed` use the published order, in which ties are broken by the weight of the lists that contain the item,
    then by item. `distance` and `agreement` treat items of equal score as tied. Weights that a method learns within a
    query are learned again without the list. Everything learned by ``fit`` stays unchanged.

    With a grouping, the pairs of all lists of the group are counted together, each with the weight of its list. The
    agreement of a judge is then Kendall's :math:`\tau_b` of the judge's comparisons with the consensus of the others.

    The agreement is measured against the *other* lists. A list always agrees more with a consensus that includes the
    list. This effect is stronger if there are fewer lists.

    `outlier` marks a list that agrees significantly less with the other lists than similar lists do. Each list has a
    one-sided test at level 0.05. Let there be m untied pairs of items and an agreement :math:`\tau`. Then :math:`d = m
    (1 - \tau) / 2` pairs are discordant. The angle [1]_

    .. math:: \varphi = 2 \arcsin \sqrt{\frac{d + 3/8}{m + 3/4}}

    has about the same spread for high and for low agreement. As a correction for continuity, the angle is computed from
    :math:`d - 1/2`. A list is an outlier if its angle exceeds the median of the query's k lists by more than
    :math:`1.645 (1 + 3/k)` times the spread of the angle. This spread is the largest of three values:

    - 1.4826 times the median absolute deviation of the angles;
    - 1.4826 times the list's own :math:`\sigma`, times the median of the absolute deviations, each divided by the
      :math:`\sigma` of its list; with this value, shorter lists may vary more;
    - :math:`\sigma / \sqrt{2}`.

    Here :math:`\sigma` is the standard deviation of :math:`\tau` of random lists of the same length and ties [2]_.
    Outliers can hide each other. A second pass therefore computes the medians only from lists that are not yet
    outliers.

    Lists of up to 3 items are not tested. Lists with so many ties that full agreement could be chance are not tested
    either. In 33 simulated designs, 0 to 4.4 % of the good lists were wrongly marked as outliers
    (``benchmarks/outliers.py``). On leaderboards of 12 models and 30 tasks, with 20 % of the results missing, 3 % of
    the good lists were marked. With 10 lists of 50 items, 2 % were marked. With 25 lists, each of 5 out of 40 items, 3
    % were marked. On the leaderboards, all tasks with reversed lists of at least 10 models were found. With three times
    the noise, 16 to 32 % of these tasks were found. The test found 3 to 86 % of reversed lists of 5 items, depending on
    the noise. When a quarter of 12 voters of unequal quality were reversed, the test found 69 to 100 % of these voters,
    depending on the method. The test does not show in which way a list is wrong. Lists that are copied from the same
    bad source support each other.

    All queries are aggregated together. The number of aggregations is the largest number of lists of a query.

    References
    ----------
    .. [1] F. J. Anscombe, "The transformation of Poisson, binomial and negative-binomial data", Biometrika 35, 1948.
    .. [2] M. G. Kendall, "Rank Correlation Methods", 4th edition, Griffin, 1970, chapter 4.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from skrankagg import BordaCount
    >>> from skrankagg.inspection import voter_influence
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": np.repeat(list("stuvw"), 6),
    ...     "rank": [1, 2, 3, 4, 5, 6] * 5,
    ...     "item": [item for order in ("abcdef", "abdcef", "acbdef", "abcdfe", "fedcba")
    ...              for item in order],
    ... })
    >>> voter_influence(BordaCount(), lists).drop(columns=["query", "weight", "z"]).round(2)
      voter  agreement  threshold  outlier  distance  top_changed  leader_changed
    0     s       0.97       0.11    False      0.03            0           False
    1     t       0.79       0.10    False      0.07            0           False
    2     u       0.79       0.10    False      0.07            0           False
    3     v       0.87       0.13    False      0.00            0           False
    4     w      -1.00       0.13     True      0.00            0           False
    """
    check_count("top", top)
    check_choice("mode", mode, _MODES)
    lists = begin(aggregator, lists, unit=None if unit == "list" else unit)
    units = _Units(lists, unit)
    if mode == "silence" and not aggregator.__sklearn_tags__().aggregator_tags.voter_weights:
        raise InputError(
            f"`mode` must be 'drop' for {type(aggregator).__name__}, which does not accept weights of lists; got "
            "'silence'. Pass mode='drop'."
        )
    ranked = aggregator._rank(lists)
    place, tie_class = _places_and_classes(lists.candidate_ptr, ranked.order, ranked.score)
    heard = (ranked.lists.list_weight > 0).astype(np.int64)
    n = len(units.query)
    others = lists.sum_over_lists(heard)[units.query] - np.bincount(units.of_list, weights=heard, minlength=n) > 0
    distance, top_changed, leader_changed = np.full(n, np.nan), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    row_class = np.full(lists.n_rows, -1)
    failures: list[Exception] = []
    left_out = np.zeros(n, dtype=bool)
    make = _silence if mode == "silence" else _drop
    with silence_repeated_warnings():
        for queries in [np.arange(lists.n_queries)] if aggregator._joins_queries else _alike(lists):
            for without in make(aggregator, lists, ranked.lists, queries, units, others, failures):
                one = without.unit
                left_out[one] = True
                distance[one], top_changed[one], leader_changed[one] = _differences(
                    lists, units, without, place, tie_class, top
                )
                rows, classes = _classes_of_rows(lists, units, without)
                row_class[rows] = classes
    _tell_of_failures(aggregator, failures, int(others.sum()), "list" if unit == "list" else "group")
    agreement, threshold = agreement_with_classes(lists, row_class, *units.grouped())
    return frame_of(
        {
            "query": take_ids(lists.queries, units.query),
            "voter": take_ids(units.ids, units.id),
            "weight": np.bincount(units.of_list, weights=lists.list_weight, minlength=n),
            "agreement": agreement,
            "z": robust_z(units.query, agreement),
            "threshold": threshold,
            "outlier": known_or_missing(np.where(np.isnan(threshold), None, (agreement < threshold).astype(object))),
            "distance": distance,
            "top_changed": whole_or_missing(top_changed, left_out),
            "leader_changed": known_or_missing(np.where(left_out, leader_changed.astype(object), None)),
        }
    )


class _Units:
    """Units that are left out one at a time: single lists, or the groups of lists of each query.

    `of_list`, of shape (n_lists,), contains the unit of each list. Units are numbered by query, then by the id of the
    list's voter or group. `query` and `id`, of shape (n_units,), contain the query of each unit and the position of its
    id in `ids`. `ptr`, of shape (n_queries + 1,), contains the offsets of the queries among the units.
    """

    def __init__(self, lists, unit):
        self._lists, self.is_list = lists, unit == "list"
        if self.is_list:
            self.of_list, self.query = np.arange(lists.n_lists), lists.list_query
            self.id, self.ids, self.ptr = lists.list_voter, lists.voters, lists.list_ptr
            return
        group, self.ids = grouping(lists, unit, "unit", ("list",))
        code = lists.list_query.astype(np.int64) * len(self.ids) + group
        code, self.of_list = np.unique(code, return_inverse=True)
        self.query, self.id = np.divmod(code, len(self.ids))
        self.ptr = np.searchsorted(self.query, np.arange(lists.n_queries + 1))
        self._order = np.argsort(self.of_list, kind="stable")
        self._lists_ptr = np.searchsorted(self.of_list[self._order], np.arange(len(code) + 1))

    def lists_of(self, units):
        """Return the lists of some units, and the offsets of the units among these lists."""
        if self.is_list:
            return units, np.arange(len(units) + 1)
        places, ptr = gather_ranges(self._lists_ptr, units)
        return self._order[places], ptr

    def position(self, lists):
        """Return the position of the unit of each list among the units of its query, counted from 0."""
        return self.of_list[lists] - self.ptr[self._lists.list_query[lists]]

    def grouped(self):
        """Return the unit of each list and the query of each unit, or an empty tuple if each list is a unit."""
        return () if self.is_list else (self.of_list, self.query)


class _Without(NamedTuple):
    """Several consensuses, each computed without one unit, stored as consecutive groups of candidates.

    `unit`, of shape (n_groups,), contains the unit that each consensus leaves out. Group ``g`` has the candidates
    ``candidate[ptr[g]:ptr[g + 1]]``. For each of these candidates, `place` is the place in the consensus, counted from
    1. `tie_class` is the number of the candidate's tie class, which increases with the place.
    """

    unit: np.ndarray
    ptr: np.ndarray
    candidate: np.ndarray
    place: np.ndarray
    tie_class: np.ndarray


def _places_and_classes(ptr, order, score):
    """Return each candidate's place in its group, counted from 1, and the number of its tie class."""
    place, tie_class = np.empty(len(order), dtype=np.int64), np.empty(len(order), dtype=np.int64)
    place[order] = positions(ptr)
    tie_class[order] = np.cumsum(tie_starts(ptr, score))
    return place, tie_class


def _alike(lists):
    """Divide the queries into groups that have similar numbers of lists.

    The queries of a group are processed together, and the query with the most lists determines the time.
    """
    size = np.frexp(np.diff(lists.list_ptr))[1]
    return [np.flatnonzero(size == one) for one in np.unique(size)]


def _silence(aggregator, lists, heard, queries, units, others, failures):
    """Leave out one unit at a time by setting its weights to 0; yield objects of :class:`_Without`.

    A unit is a list or a group of lists. Each object contains results for several of the `queries`. `heard` contains
    the lists with the final weights of the method. The mask `others` marks the units whose query has another list of
    positive weight; only these units are left out. Errors are added to `failures`.
    """
    own_lists, _ = gather_ranges(lists.list_ptr, queries)
    own_candidates, _ = gather_ranges(lists.candidate_ptr, queries)
    part = lists if len(queries) == lists.n_queries else lists.take(queries)
    score = aggregator._repeat_many(part)
    consensus = aggregator._aggregate_what_fits(part)
    if not isinstance(consensus, Consensus):
        consensus = Consensus(consensus)
    scale, sole = consensus.scale, sole_lists_again(part) if consensus.additive else None
    # Ties are broken by weights multiplied by these factors: learned weights, and 0 for ignored voters.
    learnt = np.divide(
        heard.list_weight[own_lists], part.list_weight, out=np.zeros(len(own_lists)), where=part.list_weight > 0
    )
    holds = sparse_rows(part.row_ptr, part.candidate, np.ones(part.n_rows), part.n_candidates).T
    unit = units.of_list[own_lists]
    # Each replicate leaves out one unit of each query, or a single unit if the scores depend on all queries.
    position = unit if aggregator._joins_queries else units.position(own_lists)
    n_columns = max(1, _CELLS // (part.n_candidates + part.n_lists))
    for first in range(0, int(position.max()) + 1, n_columns):
        silenced = np.flatnonzero((position >= first) & (position < first + n_columns) & others[unit])
        if not len(silenced):
            continue
        column = position[silenced] - first
        weights = np.repeat(part.list_weight[:, None], int(column.max()) + 1, axis=1)
        weights[silenced, column] = 0.0
        scores = _try_scores(aggregator, part, weights, score, failures)
        n_columns_here = weights.shape[1]
        # Keep only the first list of each unit, so that the consensus without the unit is compared once.
        silenced = silenced[np.unique(unit[silenced], return_index=True)[1]]
        column = position[silenced] - first
        failed = np.logical_or.reduceat(np.isnan(scores), part.candidate_ptr[:-1], axis=0)
        heard_weights = weights * learnt[:, None]
        ptr = (np.arange(n_columns_here)[:, None] * part.n_candidates + part.candidate_ptr[:-1]).ravel()
        ptr = np.append(ptr, n_columns_here * part.n_candidates)
        by_rank = aggregator.__sklearn_tags__().aggregator_tags.ties_by_rank
        order, ordered = rank_scores(
            ptr,
            np.nan_to_num(scores, posinf=np.inf, neginf=-np.inf).T.ravel(),
            (holds @ heard_weights).T.ravel(),
            np.add.reduceat(heard_weights, part.list_ptr[:-1], axis=0).T.ravel(),
            None if scale is None else np.tile(scale, n_columns_here),
            None if sole is None else lambda heard=heard_weights: sole(heard).T.ravel(),
            tiebreak=rank_sums(part, heard_weights).T.ravel() if by_rank else None,
        )
        place, tie_class = _places_and_classes(ptr, order, ordered)
        silenced, column = (one[~failed[part.list_query[silenced], column]] for one in (silenced, column))
        chosen, chosen_ptr = gather_ranges(ptr, column * part.n_queries + part.list_query[silenced])
        candidate = own_candidates[chosen % part.n_candidates]
        yield _Without(unit[silenced], chosen_ptr, candidate, place[chosen], tie_class[chosen])


def _try_scores(aggregator, lists, weights, score, failures):
    """Aggregate once for each column of weights; return the scores as an array of shape (n_candidates, n_replicates).

    Each column is a replicate. The scores of a query are NaN in the replicates in which its aggregation fails.
    """
    try:
        scores = score(weights)
        if not np.isnan(scores).any():
            return scores
        raise InputError("The scores are NaN.")
    except MemoryError:
        raise
    except InputError as error:
        if weights.shape[1] > 1:
            columns = np.split(weights, weights.shape[1], axis=1)
            return np.concatenate([_try_scores(aggregator, lists, one, score, failures) for one in columns], axis=1)
        if lists.n_queries > 1 and not aggregator._joins_queries:
            own = [
                (lists.take([q]), weights[lists.list_ptr[q] : lists.list_ptr[q + 1]]) for q in range(lists.n_queries)
            ]
            return np.concatenate(
                [_try_scores(aggregator, one, weight, aggregator._repeat_many(one), failures) for one, weight in own]
            )
        failures.append(error)
        return np.full((lists.n_candidates, 1), np.nan)


def _drop(aggregator, lists, heard, queries, units, others, failures):
    """Leave out one unit at a time by removing its rows; yield objects of :class:`_Without`.

    A unit is a list or a group of lists. Each object contains results for several of the `queries`. The mask `others`
    marks the units whose query has another list of positive weight; only these units are left out. Errors are added to
    `failures`.
    """
    if aggregator._joins_queries:
        for one in np.flatnonzero(others).tolist():
            yield from _try_without(aggregator, lists, units, np.array([one]), failures)
        return
    n_units = np.diff(units.ptr)[queries]
    for number in range(int(n_units.max())):
        dropped = units.ptr[queries[n_units > number]] + number
        dropped = dropped[others[dropped]]
        if len(dropped):
            yield from _try_without(aggregator, lists, units, dropped, failures)


def _try_without(aggregator, lists, units, dropped, failures):
    """Aggregate queries, each without one of its units, and yield the results as :class:`_Without`.

    A unit is a list or a group of lists. `dropped` contains the units to leave out, one for each query. If the
    aggregation of a query fails, the query is omitted, and the error is added to `failures`.
    """
    kept = np.full(lists.n_queries, aggregator._joins_queries)
    kept[units.query[dropped]] = True
    kept = kept[lists.list_query]
    kept[units.lists_of(dropped)[0]] = False
    left, candidates = lists.keep_lists(kept)
    try:
        ranked = aggregator._rank(left)
    except MemoryError:
        raise
    except InputError as error:
        if len(dropped) > 1:
            for one in dropped:
                yield from _try_without(aggregator, lists, units, np.array([one]), failures)
        else:
            failures.append(error)
        return
    ptr, (place, tie_class) = left.candidate_ptr, _places_and_classes(left.candidate_ptr, ranked.order, ranked.score)
    if aggregator._joins_queries:
        own = slice(*ptr[units.query[dropped[0]] :][:2])
        candidates, place, tie_class = candidates[own], place[own], tie_class[own]
        ptr = np.array([0, len(place)])
    yield _Without(dropped, ptr, candidates, place, tie_class)


def _differences(lists, units, without, place, tie_class, top):
    """Compare the consensus without each unit with the consensus of all lists; return three arrays.

    Each array has the shape (n_groups,). The first array contains the share of swapped pairs. The second array contains
    the number of items that leave the first `top` places. The third array is True if another item is first. The groups
    are defined in :class:`_Without`.
    """
    group, before = expand(without.ptr), place[without.candidate]
    order = group_order(group, before)
    after = dense_ranks(without.ptr, without.tie_class[order])
    pairs = count_pairs(without.ptr, tie_class[without.candidate[order]], after)
    turned = pairs.discordant + 0.5 * (pairs.first - pairs.both + pairs.second - pairs.both)
    stays = np.bincount(group[(before <= top) & (without.place <= top)], minlength=len(without.unit))
    leads = np.bincount(group[(before == 1) & (without.place == 1)], minlength=len(without.unit)) > 0
    n_top = np.minimum(top, lists.query_n_items[units.query[without.unit]])
    return ratio_or_nan(turned, pairs.all), n_top - stays, ~leads


def _classes_of_rows(lists, units, without):
    """Return the rows of each unit that is left out, and the tie class of each row's item.

    The tie classes are from the consensus without the unit. Class -1 marks an item that is not in this consensus.
    """
    n = lists.n_candidates
    keys = expand(without.ptr).astype(np.int64) * n + without.candidate
    own, list_ptr = units.lists_of(without.unit)
    rows, ptr = gather_ranges(lists.row_ptr, own)
    wanted = expand(list_ptr)[expand(ptr)].astype(np.int64) * n + lists.candidate[rows]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return rows, np.where(keys[place] == wanted, without.tie_class[place], -1)


def _tell_of_failures(aggregator, failures, n_tried, noun):
    if not failures:
        return
    first = f"{type(failures[0]).__name__}: {failures[0]}"
    if len(failures) == n_tried:
        raise InputError(
            f"{aggregator!r} failed for every {noun} that was left out. The first error was {first}"
        ) from failures[0]
    n = len(failures)
    some, which = (f"1 {noun}", f"this {noun}") if n == 1 else (f"{n} {noun}s", f"these {noun}s")
    warn_user(
        f"{aggregator!r} failed when {some} of {n_tried} {'was' if n == 1 else 'were'} left out ({noun}s are left out "
        f"one at a time), so the values of {which} are missing. The first error was {first}",
        UserWarning,
    )
