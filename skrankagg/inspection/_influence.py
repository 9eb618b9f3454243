"""Change of a consensus without each of its lists, and lists that agree with the others less than lists like them."""

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
from .._data._types import PlainLists
from .._support._checks import check_choice, check_count
from .._support._warn import warn_user
from ..base import BaseAggregator, Consensus
from ..base._consensus import rank_scores, rank_sums, sole_lists_again
from ..exceptions import InputError
from ..metrics._agreement._kendall import ratio_or_nan
from ._agreement import agreement_with_classes, count_pairs, robust_z
from ._arguments import begin, told_already

__all__ = ["voter_influence"]

_MODES = ("silence", "drop")
# Scores and weights of the replicates that are made at once.
_CELLS = 1 << 21


def voter_influence(
    aggregator: BaseAggregator, lists: PlainLists, *, top: int = 10, mode: Literal["silence", "drop"] = "silence"
) -> pd.DataFrame:
    r"""What changes in the consensus without each list, and how far the list agrees with the others.

    Parameters
    ----------
    aggregator : aggregator
        Any method. One that learns from judgements, or by ``weighting="global"``, must be fitted and is used as fitted;
        others need no fit.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists, as ``aggregator.transform`` takes them.
    top : int, default=10
        Number of first places that `top_changed` looks at.
    mode : {"silence", "drop"}, default="silence"
        What it is to be without a list: "silence" gives it weight 0, so that its items stay candidates, which needs a
        method that can weigh lists; "drop" removes its rows, so that items which no other list holds vanish.

    Returns
    -------
    DataFrame of shape (n_lists, 10)
        A row for each list, sorted by query and voter:

        - `query` and `voter`;
        - `weight`, float64: that of the list, times the aggregator's `voter_weights`; weights that it learns are not
          in it;
        - `agreement`, float64 from -1 to 1: Kendall's :math:`\tau_b` of the list with the consensus of the others, on
          the items that both hold;
        - `z`, float64: the agreement less the median of the query's lists, in units of 1.4826 times the median absolute
          deviation; NaN in a query of fewer than 5 lists, and where the deviation is 0;
        - `threshold`, float64: the agreement below which a list like it is an outlier, see Notes; NaN where the list is
          too short to tell, or the query has fewer than 5 such lists;
        - `outlier`, boolean: whether the agreement is below the threshold; NA where there is none;
        - `distance`, float64 from 0 to 1: share of the pairs of items whose order is swapped; a pair tied in one of the
          two orders only counts half;
        - `top_changed`, Int64: number of the first `top` items that are no longer among them;
        - `leader_changed`, boolean: whether the first item is no longer the first.

        Where no other list of the query has a weight above 0, and where the method fails without the list, the values
        are missing.

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator; a pipeline is none.
    ValueError
        If `top` or `mode` is not one of these values, the method cannot weigh lists as "silence" needs, it fails
        without whichever list, or the lists are not what it can take.
    sklearn.exceptions.NotFittedError
        If the method must be fitted and is not.

    Warns
    -----
    UserWarning
        If the method fails without some of the lists.

    See Also
    --------
    voter_contributions : The share of each list in each score, for methods of sums.
    compare_consensus : The same comparison of any two consensuses.
    margin_of_victory : The fewest lists without which the leader no longer leads.
    skrankagg.metrics.consensus_agreement : Agreement of the voters with a consensus that they are part of.

    Notes
    -----
    The full consensus is compared with the one without the list: what ``aggregator.transform`` returns if the weight of
    the list is 0, or its rows are gone. Both are taken in their published order, ties by the weight of the lists that
    hold the item and by item, for `top_changed` and `leader_changed`; for `distance` and `agreement` items of equal
    score tie. A method that learns the weights of a query from its lists learns them again without the list; what was
    learnt by ``fit`` stays.

    The agreement is that with the *other* lists. A list always looks closer to a consensus that it is part of, the more
    so the fewer lists there are.

    `outlier` marks a list that agrees significantly less with the others than lists like it do, by a one-sided test at
    level 0.05 of each list. With m untied pairs of items and agreement :math:`\tau`, :math:`d = m (1 - \tau) / 2` pairs
    are discordant. The angle [1]_

    .. math:: \varphi = 2 \arcsin \sqrt{\frac{d + 3/8}{m + 3/4}}

    has about the same spread for good and for poor agreement. A list is an outlier if its angle, with half a pair less
    for continuity, exceeds the median of the query's lists by more than :math:`1.645 (1 + 3/k)` times its spread, k
    being their number. The spread is the largest of three: 1.4826 times the median absolute deviation of the angles;
    that deviation in units of :math:`\sigma`, times the list's own :math:`\sigma`, which allows shorter lists to vary
    more; and :math:`\sigma / \sqrt{2}`. Here :math:`\sigma` is the standard deviation of :math:`\tau` of random lists
    of the same length and ties [2]_. Outliers hide each other, so a second pass takes medians of the other lists only.

    Lists of up to 3 items, and lists with so many ties that full agreement could be chance, are not tested. In 33
    simulated designs 0 to 4.4 % of the good lists were marked (``benchmarks/outliers.py``): 3 % on boards of 12 models
    and 30 tasks with one cell in five missing, 2 % of 10 lists of 50 items, 3 % of 25 lists of 5 of 40 items. All
    reversed tasks of 10 models and more were found on those boards, and 16 to 32 % if the noise was three times as
    large. Of reversed lists of 5 items 3 to 86 % were found, by the noise. Where a quarter of 12 voters of unequal
    quality were reversed, 69 to 100 % were found, by method. The test says nothing about how a list is wrong, and lists
    that follow one bad source support each other.

    Cost: as many aggregations as the largest number of lists of a query, of all queries at once.

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
    ...     "query": "q", "voter": np.repeat(list("stuvw"), 6), "rank": [1, 2, 3, 4, 5, 6] * 5,
    ...     "item": [item for order in ("abcdef", "abdcef", "acbdef", "abcdfe", "fedcba") for item in order],
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
    lists = begin(aggregator, lists)
    if mode == "silence" and not aggregator.__sklearn_tags__().aggregator_tags.voter_weights:
        raise InputError(
            f"mode='silence' gives a list weight 0, and {type(aggregator).__name__} cannot weigh lists; choose "
            "mode='drop'."
        )
    ranked = aggregator._rank(lists)
    place, tie_class = _places_and_classes(lists.candidate_ptr, ranked.order, ranked.score)
    heard = ranked.lists.list_weight > 0
    others = lists.sum_over_lists(heard.astype(np.int64))[lists.list_query] - heard > 0
    n = lists.n_lists
    distance, top_changed, leader_changed = np.full(n, np.nan), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool)
    row_class = np.full(lists.n_rows, -1)
    failures: list[Exception] = []
    left_out = np.zeros(n, dtype=bool)
    make = _silence if mode == "silence" else _drop
    with told_already():
        for queries in _alike(lists):
            for without in make(aggregator, lists, ranked.lists, queries, others, failures):
                one = without.list
                left_out[one] = True
                distance[one], top_changed[one], leader_changed[one] = _differences(
                    lists, without, place, tie_class, top
                )
                rows, classes = _classes_of_rows(lists, without)
                row_class[rows] = classes
    _tell_of_failures(aggregator, failures, int(others.sum()))
    agreement, threshold = agreement_with_classes(lists, row_class)
    return frame_of(
        {
            "query": take_ids(lists.queries, lists.list_query),
            "voter": take_ids(lists.voters, lists.list_voter),
            "weight": lists.list_weight.copy(),
            "agreement": agreement,
            "z": robust_z(lists.list_query, agreement),
            "threshold": threshold,
            "outlier": known_or_missing(np.where(np.isnan(threshold), None, (agreement < threshold).astype(object))),
            "distance": distance,
            "top_changed": whole_or_missing(top_changed, left_out),
            "leader_changed": known_or_missing(np.where(left_out, leader_changed.astype(object), None)),
        }
    )


class _Without(NamedTuple):
    """The consensus without some lists, each of another query or in another replicate.

    `list` (n_groups,) are the lists left out; group ``g`` has the candidates ``candidate[ptr[g]:ptr[g + 1]]``, with
    their `place`, from 1, and the number of their tie class, which rises with it.
    """

    list: np.ndarray
    ptr: np.ndarray
    candidate: np.ndarray
    place: np.ndarray
    tie_class: np.ndarray


def _places_and_classes(ptr, order, score):
    """Place of each member in its group, from 1, and the number of its tie class, from their order and scores."""
    place, tie_class = np.empty(len(order), dtype=np.int64), np.empty(len(order), dtype=np.int64)
    place[order] = positions(ptr)
    tie_class[order] = np.cumsum(tie_starts(ptr, score))
    return place, tie_class


def _alike(lists):
    """Queries in groups that have about as many lists, as each group has as many replicates as its largest one."""
    size = np.frexp(np.diff(lists.list_ptr))[1]
    return [np.flatnonzero(size == one) for one in np.unique(size)]


def _silence(aggregator, lists, heard, queries, others, failures):
    """Give each list of some queries weight 0 in turn, those of all these queries at once."""
    own_lists, list_ptr = gather_ranges(lists.list_ptr, queries)
    own_candidates, _ = gather_ranges(lists.candidate_ptr, queries)
    part = lists if len(queries) == lists.n_queries else lists.take(queries)
    score = aggregator._repeat_many(part)
    consensus = aggregator._aggregate_what_fits(part)
    if not isinstance(consensus, Consensus):
        consensus = Consensus(consensus)
    scale, sole = consensus.scale, sole_lists_again(part) if consensus.additive else None
    # What the weights that decide between ties are multiplied by: learnt weights, and 0 for voters to be ignored.
    learnt = np.divide(
        heard.list_weight[own_lists], part.list_weight, out=np.zeros(len(own_lists)), where=part.list_weight > 0
    )
    holds = sparse_rows(part.row_ptr, part.candidate, np.ones(part.n_rows), part.n_candidates).T
    position = positions(list_ptr) - 1
    n_columns = max(1, _CELLS // (part.n_candidates + part.n_lists))
    for first in range(0, int(position.max()) + 1, n_columns):
        silenced = np.flatnonzero((position >= first) & (position < first + n_columns) & others[own_lists])
        if not len(silenced):
            continue
        column = position[silenced] - first
        weights = np.repeat(part.list_weight[:, None], int(column.max()) + 1, axis=1)
        weights[silenced, column] = 0.0
        scores = _try_scores(aggregator, part, weights, score, failures)
        n_columns_here = weights.shape[1]
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
        yield _Without(own_lists[silenced], chosen_ptr, candidate, place[chosen], tie_class[chosen])


def _try_scores(aggregator, lists, weights, score, failures):
    """Scores (n_candidates, n_replicates) under each column of weights; NaN where aggregation fails."""
    try:
        scores = score(weights)
        if not np.isnan(scores).any():
            return scores
        raise InputError("scores are NaN")
    except MemoryError:
        raise
    except Exception as error:
        if weights.shape[1] > 1:
            columns = np.split(weights, weights.shape[1], axis=1)
            return np.concatenate([_try_scores(aggregator, lists, one, score, failures) for one in columns], axis=1)
        if lists.n_queries > 1:
            own = [
                (lists.take([q]), weights[lists.list_ptr[q] : lists.list_ptr[q + 1]]) for q in range(lists.n_queries)
            ]
            return np.concatenate(
                [_try_scores(aggregator, one, weight, aggregator._repeat_many(one), failures) for one, weight in own]
            )
        failures.append(error)
        return np.full((lists.n_candidates, 1), np.nan)


def _drop(aggregator, lists, heard, queries, others, failures):
    """Remove the rows of each list of some queries in turn, those of all these queries at once."""
    own_lists, list_ptr = gather_ranges(lists.list_ptr, queries)
    position = positions(list_ptr) - 1
    for number in range(int(position.max()) + 1):
        dropped = own_lists[(position == number) & others[own_lists]]
        if len(dropped):
            yield from _try_without(aggregator, lists, dropped, failures)


def _try_without(aggregator, lists, dropped, failures):
    """Consensus of the queries of some lists, one of each, without these; nothing where aggregation fails."""
    kept = np.zeros(lists.n_queries, dtype=bool)
    kept[lists.list_query[dropped]] = True
    kept = kept[lists.list_query]
    kept[dropped] = False
    left, candidates = lists.keep_lists(kept)
    try:
        ranked = aggregator._rank(left)
    except MemoryError:
        raise
    except Exception as error:
        if len(dropped) > 1:
            for one in dropped:
                yield from _try_without(aggregator, lists, np.array([one]), failures)
        else:
            failures.append(error)
        return
    yield _Without(
        dropped, left.candidate_ptr, candidates, *_places_and_classes(left.candidate_ptr, ranked.order, ranked.score)
    )


def _differences(lists, without, place, tie_class, top):
    """Share of swapped pairs, how many of the top leave it, and whether the leader changes, (n_groups,) each."""
    group, before = expand(without.ptr), place[without.candidate]
    order = group_order(group, before)
    after = dense_ranks(without.ptr, without.tie_class[order])
    pairs = count_pairs(without.ptr, tie_class[without.candidate[order]], after)
    turned = pairs.discordant + 0.5 * (pairs.first - pairs.both + pairs.second - pairs.both)
    stays = np.bincount(group[(before <= top) & (without.place <= top)], minlength=len(without.list))
    leads = np.bincount(group[(before == 1) & (without.place == 1)], minlength=len(without.list)) > 0
    n_top = np.minimum(top, lists.query_n_items[lists.list_query[without.list]])
    return ratio_or_nan(turned, pairs.all), n_top - stays, ~leads


def _classes_of_rows(lists, without):
    """Rows of the lists left out, and the tie class of each one's item without the list, -1 where it is gone."""
    n = lists.n_candidates
    keys = expand(without.ptr).astype(np.int64) * n + without.candidate
    rows, ptr = gather_ranges(lists.row_ptr, without.list)
    wanted = expand(ptr).astype(np.int64) * n + lists.candidate[rows]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return rows, np.where(keys[place] == wanted, without.tie_class[place], -1)


def _tell_of_failures(aggregator, failures, n_tried):
    if not failures:
        return
    first = f"{type(failures[0]).__name__}: {failures[0]}"
    if len(failures) == n_tried:
        raise InputError(
            f"{aggregator!r} must succeed without some list, and failed without each; the first error was {first}"
        ) from failures[0]
    lists = "1 list" if len(failures) == 1 else f"{len(failures)} lists"
    warn_user(
        f"{aggregator!r} failed without {lists} of {n_tried}, whose values are missing; the first error was {first}",
        UserWarning,
    )
