"""Scores from pairwise comparisons of items; the numbers and the order of additions are the same as in FLAGR."""

import numpy as np

from ..._arrays._pairwise import preference_counts, weigh_by_list
from ...aggregators._majorities._outranking import net_qualification, outranking_relation
from ._ranking import add_up, single


def _weigh(upper, lower, weight):
    # Numbers of lists may be added in any order. Weights are added in the order of the lists.
    if weight is None:
        return preference_counts(upper, lower, gap=0).astype(np.float64)
    return weigh_by_list(upper, lower, np.broadcast_to(weight[:, None], upper.shape))


def _not_behind(table, gap, weight):
    """For each pair of items, sum the weights of the lists that rank the row's item at least ``gap / 2`` places higher.

    `gap` is a difference of doubled ranks, which are integers even for ties. With a `gap` of 0, lists that tie the two
    items are included. If `weight` is None, the lists are counted.
    """
    if gap == 0 and weight is None:
        return len(table.rank) - table.above.T
    ranks = table.whole_ranks(gap + 1)
    return _weigh(ranks + ranks.dtype.type(gap), ranks, weight)


def majority_scores(table, draw, weight=None):
    """Score each item by its number of majority wins, plus `draw` for each opponent that it ties with.

    Parameters
    ----------
    table : QueryTable
    draw : float
        Value of a tie.
    weight : ndarray of shape (n_lists,), dtype=float64, default=None
        Weights of the lists.

    Returns
    -------
    ndarray of shape (n_items,), dtype=float64
    """
    ranks = table.twice_rank
    prefer = table.above if weight is None else _weigh(ranks + np.int16(1), ranks, weight)
    draws = np.count_nonzero(prefer == prefer.T, axis=1) - 1
    return np.count_nonzero(prefer > prefer.T, axis=1) + draw * draws


def outranking_scores(table, thresholds, quirks, weight=None, order=None):
    """Compute a score for each item from the outranking relation between the items.

    Parameters
    ----------
    table : QueryTable
    thresholds : tuple of float
        Preference and veto as shares of the number of items, then concordance and discordance as shares of the number
        of lists.
    quirks : frozenset of str
    weight : ndarray of shape (n_lists,), dtype=float64, default=None
        Weights of the lists.
    order : ndarray of shape (n_items,), dtype=int64, default=None
        The items, in the order in which their concordances are added up.

    Returns
    -------
    ndarray of shape (n_items,), dtype=float64
    """
    m, n = table.shape
    limits = [single(share, quirks) * whole for share, whole in zip(thresholds, (n, n, m, m), strict=True)]
    if "outrank.truncate" in quirks:
        limits = [float(int(limit)) for limit in limits]
    preference, veto, concordance, discordance = limits
    # Differences of doubled ranks are integers, so a threshold is equivalent to the next integer.
    preference, veto = (int(np.ceil(2 * places)) for places in (preference, veto))
    concordant = _not_behind(table, preference, weight)
    discordant = _not_behind(table, veto, weight).T
    if "outrank.both_absent" not in quirks:
        silent = (~table.held).astype(np.float64)
        both = silent.T @ (silent if weight is None else silent * weight[:, None])
        concordant = concordant - both * (preference <= 0)
        discordant = discordant - both * (veto <= 0)
    relation = outranking_relation(concordant, discordant, concordance=concordance, discordance=discordance)
    if "outrank.sum" not in quirks:
        return net_qualification(relation)
    order = np.arange(n) if order is None else order
    return add_up(np.where(relation, concordant, 0.0).T[order])
