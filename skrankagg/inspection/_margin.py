"""Smallest weight of lists whose removal ends the leader's lead."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from .._arrays import TOLERANCE
from .._arrays._ragged import sparse_rows
from .._arrays._weight_units import common_unit
from .._data._frames import frame_of, show_id, take_ids
from .._data._types import PlainLists
from .._support._checks import check_count
from .._support._values import is_real
from ..base import BaseAggregator, Consensus
from ..exceptions import InputError
from ._arguments import begin, silence_repeated_warnings
from ._margin_bounds import lead_bound
from ._removals import Clock, Trials, lightest_cover

__all__ = ["margin_of_victory"]

# Largest number of scores that are computed at once, and of sets of lists that are tried at once.
_CELLS, _MOST_COLUMNS = 1 << 18, 512
# Largest number of rivals for which a separate order of removals is searched.
_MOST_RIVALS = 8
# Largest number of ranks in a matrix of groups by items.
_MOST_RANKS = 20_000_000


def margin_of_victory(
    aggregator: BaseAggregator,
    lists: PlainLists,
    *,
    votes: bool | None = None,
    time_limit: float | None = 10.0,
    max_lists: int | None = None,
) -> pd.DataFrame:
    r"""Find the smallest weight of lists whose removal ends the lead of the first item.

    Parameters
    ----------
    aggregator : aggregator
        Any method that accepts weights of lists. If the method learns from judgements or by ``weighting="global"``, fit
        it first; it is not fitted again. Other methods need no fit.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists, as for ``aggregator.transform``.
    votes : bool or None, default=None
        Whether a list of weight w consists of w equal votes, which are removed one by one. If False, a list is always
        removed as one unit. None treats lists as votes only in queries with integer weights, such as numbers of equal
        ballots.
    time_limit : float or None, default=10.0
        Time limit for the search in each query, in seconds above 0; None means no limit.
    max_lists : int, default=None
        Largest number of lists or votes, at least 1, in the sets that are tried systematically. None means no limit.
        Greedy searches may find larger sets. The limit is ignored for methods whose scores are sums, because these
        methods need no trials.

    Returns
    -------
    DataFrame of shape (n_queries, 7)
        A row for each query:

        - `query`, and `leader`, the first item of the consensus;
        - `margin`, float64: the smallest total weight found of lists whose removal lets another item reach the leader's
          score. It is 0 if the leader already shares the highest score, and infinite if no such lists were found. If
          `optimal` is true, it is proven that the removal of lighter lists never ends the lead;
        - `lower_bound`, float64: proven lower bound of the smallest total weight whose removal ends the lead;
        - `upper_bound`, float64: the same as `margin`;
        - `optimal`, bool: whether the two bounds are equal. If both are infinite, the leader leads as long as one list
          is left;
        - `removed`, dict: lists whose removal ends the lead. It maps the voter of each list to the number of votes
          removed from the list. The dict is empty if no such lists were found.

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator; pipelines are not accepted.
    ValueError
        If the method does not accept weights of lists, fails without some lists, or cannot aggregate the lists. If a
        parameter is out of range. If ``votes=True`` and weights are not integers.
    sklearn.exceptions.NotFittedError
        If the method must be fitted and is not.

    See Also
    --------
    voter_influence : Changes of the consensus without each single list.
    rank_stability : Places of the items when the lists are drawn again.

    Notes
    -----
    A list is removed by setting its weight to 0, so that its items stay candidates. At least one list of positive
    weight stays. The weight of a list is its weight in the lists, times the aggregator's `voter_weights`. A tie at the
    top ends the lead, because only the order of ids decides which of the tied items comes first. In elections, this is
    the margin of victory by deletion of votes [1]_. If votes are changed instead of removed, fewer votes may be enough.
    With ``votes=False``, equal ballots merged into one list are removed together, and the margin is larger.

    Some scores are sums of independent per-list scores: :class:`~skrankagg.aggregators.BordaCount` with its default,
    :class:`~skrankagg.aggregators.CombSUM`, :class:`~skrankagg.aggregators.ReciprocalRankFusion` and others. With such
    scores, the removal of a list changes the leader's lead over each rival by a fixed amount. The smallest weight that
    ends the lead over a rival is then the solution of a covering problem. The problem is solved by branch and bound, or
    by a sort if the lists have equal weight. An aggregation then confirms the solution.

    For other methods, sets of lists are tried in order of weight until a set ends the lead. This proves that no lighter
    set ends the lead. If the method does not distinguish voters or groups of lists, equal lists of equal weight are
    interchangeable, and only the number of removed lists is varied. If there are g different lists of equal weight and
    the margin is k lists, the trials take up to :math:`\binom{g + k}{k}` aggregations.

    Greedy searches find an upper bound before these trials. The searches remove lists that rank the leader high, or far
    above a rival, and then put back the lists whose removal is not needed. At least one search runs even if the time is
    over. `margin` is finite if any removal that was tried ends the lead.

    Three kinds of methods have a lower bound that needs no trials:

    - Some methods always elect the Condorcet winner, for example Schulze's method. If the leader is the Condorcet
      winner, the margin is at least the leader's smallest majority over a rival.
    - For :class:`~skrankagg.aggregators.SequentialElimination`, the margin is at least the smallest difference in any
      round between the votes of a leaving item and the votes of a remaining item. With ``"borda"``, the difference is
      divided by twice the number of rivals in this round. With ``"borda-mean"``, the smallest distance of an item to
      the mean is divided by the number of rivals.
    - For :class:`~skrankagg.aggregators.Bucklin`, the bound follows from the votes of all items up to the depth at
      which the leader reaches a majority.

    If the bounds are equal, the margin is proven, even in elections with many votes. Otherwise, the bounds depend on
    the time limit and on the speed of the machine.

    References
    ----------
    .. [1] L. Xia, "Computing the margin of victory for various voting rules", EC 2012.

    Examples
    --------
    >>> from skrankagg import BordaCount, Copeland
    >>> from skrankagg.inspection import margin_of_victory
    >>> lists = {voter: ["a", "b", "c"] for voter in "stuv"} | {"w": ["b", "c", "a"],
    ...     "x": ["b", "a", "c"]}
    >>> margin_of_victory(Copeland(), lists).iloc[0].to_dict()
    {'query': 'q', 'leader': 'a', 'margin': 2.0, 'lower_bound': 2.0, 'upper_bound': 2.0, 'optimal': True,
     'removed': {'s': 1, 't': 1}}
    >>> margin_of_victory(BordaCount(), lists)["removed"].tolist()
    [{'s': 1}]
    >>> from skrankagg import RankedLists
    >>> ballots = RankedLists.from_ballots(["a > b > c", "b > c > a", "b > a > c"],
    ...     counts=[4, 1, 1])
    >>> [margin_of_victory(Copeland(), ballots, votes=votes)["margin"].item()
    ...  for votes in (None, False)]
    [2.0, 4.0]
    """
    if votes is not None and not isinstance(votes, bool):
        raise InputError(f"`votes` must be True, False or None; got {votes!r}.")
    if time_limit is not None and (not is_real(time_limit) or not time_limit > 0):
        raise InputError(f"`time_limit` must be a number of seconds above 0, or None; got {time_limit!r}.")
    if max_lists is not None:
        check_count("max_lists", max_lists)
    lists = begin(aggregator, lists)
    if not aggregator.__sklearn_tags__().aggregator_tags.voter_weights:
        raise InputError(
            "`aggregator` must accept weights of lists, because a list is removed by setting its weight to 0; got "
            f"{aggregator!r}. Choose another method."
        )
    ranked = aggregator._rank(lists)
    leader = ranked.order[lists.candidate_ptr[:-1]]
    final_weight = ranked.lists.list_weight
    joint = _scores_of_all(aggregator, lists) if aggregator._joins_queries else None
    rows = []
    with silence_repeated_warnings():
        for q, first in enumerate(lists.candidate_ptr[:-1]):
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            part = lists if lists.n_queries == 1 else lists.take([q])
            lead = _Lead(aggregator, part, int(leader[q] - first), final_weight[own], votes, joint and joint(q))
            lower, upper, chosen, votes_of = lead.least_removal(Clock(time_limit), max_lists)
            voters = lists.voters.take(lists.list_voter[own][chosen]).tolist()
            removed = dict(zip(voters, votes_of.tolist(), strict=True))
            rows.append((lower, upper, removed))
    lower, upper, removed = zip(*rows, strict=True)
    lower, upper = np.array(lower), np.array(upper)
    optimal = lower == upper
    votes_by_voter = np.empty(len(removed), dtype=object)
    votes_by_voter[:] = removed
    return frame_of(
        {
            "query": take_ids(lists.queries, np.arange(lists.n_queries)),
            "leader": take_ids(lists.items, lists.candidate_item[leader]),
            "margin": upper.copy(),
            "lower_bound": lower,
            "upper_bound": upper,
            "optimal": optimal,
            "removed": votes_by_voter,
        }
    )


def _scores(aggregator, lists):
    """Return a function that computes scores for many weightings of the lists, and the scale of each candidate's score.

    The scale is the size of the terms that are summed to a score; it determines how large rounding errors can be. It is
    None if the terms of a sum cannot cancel each other.
    """
    consensus = aggregator._aggregate_what_fits(lists)
    return aggregator._repeat_many(lists), consensus.scale if isinstance(consensus, Consensus) else None


def _scores_of_all(aggregator, lists):
    """Return a function that takes the number of a query, and returns the two results of `_scores` for this query.

    The function is used if the scores depend on all queries. Only the weights of the query's lists vary; all other
    weights are fixed.
    """
    score, scale = _scores(aggregator, lists)

    def of_query(q):
        own, candidates = slice(*lists.list_ptr[q : q + 2]), slice(*lists.candidate_ptr[q : q + 2])

        def score_query(weights):
            everything = np.repeat(lists.list_weight[:, None], weights.shape[1], axis=1)
            everything[own] = weights
            return score(everything)[candidates]

        return score_query, None if scale is None else scale[candidates]

    return of_query


class _Lead:
    """Lead of one item of a query over the other items, computed from the lists of positive weight.

    A member is the unit of removal: a list, or one vote of a list. Members that are interchangeable form a group, so
    they need not be tried separately.
    """

    def __init__(self, aggregator, lists, leader, final_weight, votes, scores=None):
        self.aggregator, self.lists, self.leader = aggregator, lists, leader
        self.heard = np.flatnonzero(final_weight > 0)
        #: Number and weight of the members of each list in `heard`.
        self.n_votes, self.member_weight = self._split(votes)
        self.group = self._groups(final_weight)
        n_groups = int(self.group.max(initial=-1)) + 1
        #: First list of each group, and the number of members of each group.
        self.head = np.unique(self.group, return_index=True)[1]
        self.count = np.bincount(self.group, weights=self.n_votes, minlength=n_groups).astype(np.int64)
        # Members of a group are removed from its first list, then from its second list, and so on.
        order = np.argsort(self.group, kind="stable")
        before = np.cumsum(self.n_votes[order]) - self.n_votes[order]
        self.before = np.empty(len(order), dtype=np.int64)
        self.before[order] = before - (np.cumsum(self.count) - self.count)[self.group[order]]
        self.rivals = np.delete(np.arange(lists.n_candidates), leader)
        self.score, self.scale = _scores(aggregator, lists) if scores is None else scores
        weight = self.member_weight[self.head]
        unit = common_unit(weight)
        # Sums of integers are exact, so weights are expressed in a common unit if they have one.
        multiple = weight / unit
        whole = np.round(multiple)
        self.whole = bool((np.abs(multiple - whole) <= 1e-9 * multiple).all())
        self.unit, self.weight = (unit, whole) if self.whole else (1.0, weight)
        size = lists.n_candidates + lists.n_lists + n_groups
        self.n_columns = max(1, min(_MOST_COLUMNS, _CELLS // size))

    def _split(self, votes):
        """Return the number of members of each list (its votes, or 1 for the list), and the weight of one member."""
        weight = self.lists.list_weight[self.heard]
        whole = bool((weight % 1 == 0).all())
        if votes is False or (votes is None and not whole):
            return np.ones(len(weight), dtype=np.int64), weight
        if not whole:
            query = show_id(self.lists.queries, 0)
            raise InputError(
                f"`votes` must be False or None if some weights are not integers; query {query} has such weights. "
                "Give integer weights, or pass votes=False."
            )
        return weight.astype(np.int64), np.ones(len(weight))

    def _groups(self, final_weight):
        """Divide the members (lists or votes) into groups of interchangeable members; return the group of each list.

        The result contains only lists of positive weight. Members of different voters are interchangeable only if the
        method does not distinguish voters.
        """
        lists = self.lists
        tells_voters = self.aggregator.__sklearn_tags__().requires_fit or hasattr(self.aggregator, "voter_weights_")
        extra = lists.list_groups is not None or lists.covariates is not None
        if tells_voters or extra or self.aggregator._joins_queries:
            return np.arange(len(self.heard))
        known, group = {}, np.empty(len(self.heard), dtype=np.int64)
        duel = np.zeros(lists.n_lists, dtype=bool) if lists.list_duel is None else lists.list_duel != 0
        for k, one in enumerate(self.heard):
            rows = slice(*lists.row_ptr[one : one + 2])
            order = np.lexsort((lists.candidate[rows], lists.rank[rows]))
            key = (
                lists.candidate[rows][order].tobytes(),
                lists.rank[rows][order].tobytes(),
                None if lists.score is None else lists.score[rows][order].tobytes(),
                bool(duel[one]),
                float(self.member_weight[k]),
                float(final_weight[one] / lists.list_weight[one]),
            )
            group[k] = known.setdefault(key, len(known))
        return group

    def _of_lists(self, counts):
        """Convert the number of votes (or lists) removed from each group to the number removed from each list."""
        return np.clip(counts[self.group] - self.before[:, None], 0, self.n_votes[:, None])

    def ends(self, counts):
        """For each column of `counts`, return whether the removal ends the lead, and how large a lead remains.

        A column contains the number of members (lists or votes) that are removed from each group.
        """
        weights = np.repeat(self.lists.list_weight[:, None], counts.shape[1], axis=1)
        weights[self.heard] -= self._of_lists(counts) * self.member_weight[:, None]
        scores = self.score(weights)
        size = np.abs(scores) if self.scale is None else np.broadcast_to(self.scale[:, None], scores.shape)
        largest = np.where(np.isinf(size), 0.0, size).max(axis=0)
        own, best = scores[self.leader], scores[self.rivals].max(axis=0)
        with np.errstate(invalid="ignore"):
            lead = np.where(own == best, 0.0, own - best)
        return lead <= TOLERANCE * largest, lead

    def least_removal(self, clock, max_lists):
        """Return a lower and an upper bound of the margin of victory, and two arrays that describe a removal.

        The margin is the smallest total weight whose removal ends the lead. The upper bound is the weight of the best
        removal found. The first array contains its lists, and the second array contains the number of votes to remove
        from each list. Both arrays are empty if no removal that ends the lead was found.
        """
        nothing = np.zeros(0, dtype=np.int64)
        if not len(self.rivals):
            return math.inf, math.inf, nothing, nothing
        if not len(self.heard) or self.ends(np.zeros((len(self.count), 1), dtype=np.int64))[0][0]:
            return 0.0, 0.0, nothing, nothing
        found = self._by_sums(clock)
        if found is None:
            # Reduce the bound by the largest possible rounding error. The margin is an integer if all weights are.
            lower = lead_bound(self.aggregator, self.lists, self.leader) / self.unit * (1 - 1e-9)
            lower = float(np.ceil(lower)) if self.whole else lower
            trials = Trials(self.ends, self.weight, self.count, self.n_columns, clock)
            found = trials.lightest(self._orders(), lower, max_lists)
        lower, upper, counts = found
        if counts is None:
            return lower * self.unit, upper * self.unit, nothing, nothing
        votes = self._of_lists(counts[:, None])[:, 0]
        some = votes > 0
        return lower * self.unit, upper * self.unit, self.heard[some], votes[some]

    def _orders(self):
        """Return orders in which groups of equal lists or votes can be removed, most promising groups first.

        There is an order for each of the strongest rivals. The strongest is the rival that most lists rank above the
        leader. An order begins with the groups that rank the leader furthest above the rival. One more order begins
        with the groups that rank the leader furthest above all rivals. Absent items are treated as ranked last. If
        there are very many groups, the result contains a single order, sorted by the leader's place.
        """
        lists = self.lists
        if len(self.head) * lists.n_candidates > _MOST_RANKS:
            one = self.heard[self.head]
            rows = np.flatnonzero(lists.candidate == self.leader)
            place = np.full(lists.n_lists, lists.n_candidates + 1.0)
            place[lists.row_list[rows]] = lists.rank[rows]
            return [np.argsort(place[one], kind="stable")]
        rank = np.full((len(self.head), lists.n_candidates), lists.n_candidates + 1.0)
        for group, one in enumerate(self.heard[self.head]):
            rows = slice(*lists.row_ptr[one : one + 2])
            rank[group, lists.candidate[rows]] = lists.rank[rows]
        own = rank[:, self.leader]
        rivals = sorted(self.rivals, key=lambda rival: -float(self.count @ (rank[:, rival] < own)))[:_MOST_RIVALS]
        best = rank[:, self.rivals].min(axis=1)
        return [
            *(np.lexsort((self.weight, own - rank[:, rival])) for rival in rivals),
            np.lexsort((self.weight, own - best)),
        ]

    def _by_sums(self, clock):
        """Find the lightest lists or votes whose removal ends the lead; return None if scores are not sums over lists.

        The result has the same form as the result of :meth:`Trials.lightest`.
        """
        try:
            gain, _, _ = self.aggregator._linear_gains(self.lists)
        except InputError:
            return None
        lists, heads = self.lists, self.heard[self.head]
        weight = self.member_weight[self.head]
        table = sparse_rows(lists.row_ptr, lists.candidate, gain, lists.n_candidates).toarray()[heads]
        # Amount by which the removal of a member reduces the lead over each rival.
        loss = (table[:, [self.leader]] - table[:, self.rivals]) * weight[:, None]
        size = (np.abs(table * weight[:, None]) * self.count[:, None]).sum(axis=0).max()
        need = (loss * self.count[:, None]).sum(axis=0) - TOLERANCE * size
        # The lead over a rival never ends if every list ranks the leader above the rival.
        order = [r for r in np.argsort(need, kind="stable") if (loss[:, r] <= 0).any()]
        upper, chosen, lower = math.inf, None, math.inf
        for r in order:
            useful = np.flatnonzero(loss[:, r] > 0)
            given = loss[useful, r], self.weight[useful], self.count[useful], need[r], upper, self.whole, clock
            least, total, counts = lightest_cover(*given)
            lower = min(lower, least)
            if counts is not None:
                upper, chosen = total, np.zeros_like(self.count)
                chosen[useful] = counts
        if chosen is None:
            return lower, upper, None
        # If the lead ends only by a rounding error, return None, so that sets of lists are tried instead.
        return (min(lower, upper), upper, chosen) if self.ends(chosen[:, None])[0][0] else None
