"""Lower bounds of the margin of victory that need no search, for rules such as Schulze, Bucklin and elimination."""

import numpy as np

from .._arrays._pairwise import rank_matrix
from .._arrays._preferences import query_preferences
from ..aggregators import Bucklin, SequentialElimination


def lead_bound(aggregator, lists, leader):
    """Return a lower bound of the total weight of lists whose removal ends the lead of the item `leader`.

    `lists` contains one query, in which the leader alone has the highest score. The bound is 0 for methods without a
    known bound.

    - A method with the tag `condorcet_winner` elects the leader as long as the leader beats every other item. The
      removal of lists of weight x lowers each majority by at most x.
    - In an elimination, the removal of lists of weight x changes the difference between the counts of two items by at
      most x. With Borda points, the change is at most a multiple of x. The items leave in the same order as long as the
      change is less than the smallest difference between a leaving and a remaining item.
    - Under Bucklin's rule, the leader's depth is the first place up to which a majority ranks the leader. The leader
      leads as long as three conditions are true. The leader has a majority at its depth. No rival has a majority at a
      lower depth. At the leader's depth, each rival has no majority, or fewer votes than the leader.
    """
    bound = 0.0
    if aggregator.__sklearn_tags__().aggregator_tags.condorcet_winner:
        absent = getattr(aggregator, "absent", "last")
        if absent in ("last", "ignore"):
            prefer, _ = query_preferences(lists, 0, absent)
            majority = np.delete(prefer[leader] - prefer[:, leader], leader)
            bound = max(bound, float(majority.min()))
    if isinstance(aggregator, SequentialElimination):
        bound = max(bound, _smallest_gap(aggregator, lists))
    if isinstance(aggregator, Bucklin) and aggregator.absent == "last":
        bound = max(bound, _bucklin_gap(lists, leader))
    return bound


def _bucklin_gap(lists, leader):
    """Return a lower bound of the total weight of lists whose removal ends the leader's lead under Bucklin's rule."""
    n, weight = lists.n_candidates, lists.list_weight
    rank = rank_matrix(lists, 0)  # twice the ranks
    rank = np.where(rank > 2 * n, (lists.list_length + 1 + n)[:, None], rank)
    total = weight.sum()
    own = np.sort(np.unique(rank[:, leader]))
    depth = next(one for one in own if 2 * (weight @ (rank[:, leader] <= one)) > total)
    at_depth, before = weight @ (rank <= depth), weight @ (rank < depth)
    rivals = np.delete(np.arange(n), leader)
    ahead = np.maximum(at_depth[leader] - at_depth[rivals], total - 2 * at_depth[rivals])
    least = min(2 * at_depth[leader] - total, (total - 2 * before[rivals]).min(), ahead.min())
    return max(0.0, float(least))


def _smallest_gap(aggregator, lists):
    """Return a lower bound of the weight of lists whose removal changes the order in which items are eliminated."""
    rule, least = aggregator.rule, np.inf
    for _, own in aggregator._rounds(lists).groupby("round"):
        votes, leaves = own["votes"].to_numpy(), own["leaves"].to_numpy()
        if rule == "veto":
            votes = -votes
        if rule == "borda-mean":
            # For an item exactly at the mean, the gap is 0, because any removal may move the item below the mean.
            least = min(least, np.abs(votes).min() / (len(own) - 1))
            continue
        # Items without first places remain so after any removal. Any other tie may end after the smallest removal.
        none = rule == "plurality" and aggregator.absent == "last" and (votes[leaves] == 0).all()
        if leaves.sum() > 1 and not none:
            return 0.0
        gap = votes[~leaves].min() - votes[leaves].max()
        least = min(least, gap / (2 * (len(own) - 1)) if rule == "borda" else gap)
    return float(least)
