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
from ._removals import Clock, lightest_cover, lightest_set

__all__ = ["margin_of_victory"]

# Number of scores that are computed at once, and largest number of sets of lists that are tried at once.
_CELLS, _MOST_COLUMNS = 1 << 18, 512
# Largest product of a query's votes and items for which votes are counted separately.
_MOST_VOTE_CELLS = 20_000_000


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
        Largest number of lists, or of votes, in a set to try, at least 1; None means no limit. The limit is ignored for
        methods whose scores are sums, because these methods need no trials.

    Returns
    -------
    DataFrame of shape (n_queries, 7)
        A row for each query:

        - `query`, and `leader`, the first item of the consensus;
        - `margin`, float64: the smallest total weight of lists whose removal lets another item reach the leader's
          score. It is 0 if the leader already shares the highest score. It is infinity if the leader keeps the lead as
          long as one list is left. NaN means that the margin is not proven;
        - `lower_bound`, float64: proven lower bound of the margin;
        - `upper_bound`, float64: total weight of the lists or votes in `removed`; infinity if no lists were found that
          end the lead;
        - `optimal`, bool: whether the two bounds are equal;
        - `removed`, tuple: the voters of a set of lists whose removal ends the lead, in the order of the voters. A
          voter occurs once for each vote removed from its list. The tuple is empty if no lists were found.

    Raises
    ------
    TypeError
        If `aggregator` is not an aggregator; pipelines are not accepted.
    ValueError
        If the method does not accept weights of lists, fails without some lists, or cannot aggregate the lists. If a
        parameter is out of range. If ``votes=True`` and weights are not integers. If there are too many votes to count
        separately.
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
    set ends the lead. If m lists have equal weight and the margin is k lists, this takes :math:`\binom{m}{k}`
    aggregations. Margins of more than a few lists are therefore rarely proven. If a margin is not proven, `upper_bound`
    comes from a greedy choice. The bounds that are proven within the time limit depend on the speed of the machine.

    References
    ----------
    .. [1] L. Xia, "Computing the margin of victory for various voting rules", EC 2012.

    Examples
    --------
    >>> from skrankagg import BordaCount, Copeland
    >>> from skrankagg.inspection import margin_of_victory
    >>> lists = {voter: ["a", "b", "c"] for voter in "stuv"} | {"w": ["b", "c", "a"], "x": ["b", "a", "c"]}
    >>> margin_of_victory(Copeland(), lists).iloc[0].to_dict()
    {'query': 'q', 'leader': 'a', 'margin': 2.0, 'lower_bound': 2.0, 'upper_bound': 2.0, 'optimal': True,
     'removed': ('s', 't')}
    >>> margin_of_victory(BordaCount(), lists)["removed"].tolist()
    [('s',)]
    >>> from skrankagg import RankedLists
    >>> ballots = RankedLists.from_ballots(["a > b > c", "b > c > a", "b > a > c"], counts=[4, 1, 1])
    >>> [margin_of_victory(Copeland(), ballots, votes=votes)["margin"].item() for votes in (None, False)]
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
            f"`aggregator` must accept weights of lists, because lists are removed by weight 0; got {aggregator!r}. "
            "Choose another method."
        )
    ranked = aggregator._rank(lists)
    leader = ranked.order[lists.candidate_ptr[:-1]]
    heard = ranked.lists.list_weight > 0
    joint = _scores_of_all(aggregator, lists) if aggregator._joins_queries else None
    rows = []
    with silence_repeated_warnings():
        for q, first in enumerate(lists.candidate_ptr[:-1]):
            own = slice(lists.list_ptr[q], lists.list_ptr[q + 1])
            part = lists if lists.n_queries == 1 else lists.take([q])
            lead = _Lead(aggregator, part, int(leader[q] - first), heard[own], votes, joint and joint(q))
            lower, upper, chosen = lead.least_removal(Clock(time_limit), max_lists)
            removed = tuple(lists.voters.take(lists.list_voter[own][chosen]).tolist())
            rows.append((lower, upper, removed))
    lower, upper, removed = zip(*rows, strict=True)
    lower, upper = np.array(lower), np.array(upper)
    optimal = lower == upper
    voters = np.empty(len(removed), dtype=object)
    voters[:] = removed
    return frame_of(
        {
            "query": take_ids(lists.queries, np.arange(lists.n_queries)),
            "leader": take_ids(lists.items, lists.candidate_item[leader]),
            "margin": np.where(optimal, upper, np.nan),
            "lower_bound": lower,
            "upper_bound": upper,
            "optimal": optimal,
            "removed": voters,
        }
    )


def _scores(aggregator, lists):
    """Return the function of many weights of the lists that computes the scores, and the scale of the scores."""
    consensus = aggregator._aggregate_what_fits(lists)
    return aggregator._repeat_many(lists), consensus.scale if isinstance(consensus, Consensus) else None


def _scores_of_all(aggregator, lists):
    """Return a function of a query that returns what `_scores` does, for weights of the lists of this query.

    The lists of the other queries keep their weights.
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
    """Lead of one item of a query over the other items, computed from the lists of positive weight."""

    def __init__(self, aggregator, lists, leader, heard, votes, scores=None):
        self.aggregator, self.lists, self.leader = aggregator, lists, leader
        #: The list that each member belongs to. A member is a list or one vote of a list.
        self.members = np.flatnonzero(heard)
        self.member_weight = lists.list_weight[self.members]
        self._count_votes(votes)
        # Members of one list follow each other.
        self.heads = np.flatnonzero(np.diff(self.members, prepend=-1))
        self.rivals = np.delete(np.arange(lists.n_candidates), leader)
        self.score, self.scale = _scores(aggregator, lists) if scores is None else scores
        weight = self.member_weight
        unit = common_unit(weight)
        # Sums of integers are exact, so weights are expressed in a common unit if they have one.
        count = weight / unit
        whole = np.round(count)
        self.whole = bool((np.abs(count - whole) <= 1e-9 * count).all())
        self.unit, self.weight = (unit, whole) if self.whole else (1.0, weight)
        size = lists.n_candidates + lists.n_lists + len(self.members)
        self.n_columns = max(1, min(_MOST_COLUMNS, _CELLS // size))

    def _count_votes(self, votes):
        """Replace each list in `members` by its separate votes, unless lists are removed as a whole."""
        weight = self.member_weight
        whole = bool((weight % 1 == 0).all())
        if votes is False or (votes is None and not whole):
            return
        query = show_id(self.lists.queries, 0)
        if not whole:
            raise InputError(
                f"`votes` must be False or None if some weights are not integers; query {query} has such weights. "
                "Give integer weights, or pass votes=False."
            )
        if weight.sum() * self.lists.n_candidates > _MOST_VOTE_CELLS:
            raise InputError(
                f"Query {query} has {weight.sum():g} votes, which are too many to count separately. Pass votes=False, "
                "which removes whole lists and gives an upper bound of the margin."
            )
        self.members = np.repeat(self.members, weight.astype(np.int64))
        self.member_weight = np.ones(len(self.members))

    def ends(self, masks):
        """For each set of lists or votes, return True if its removal ends the lead, and the lead that remains."""
        weights = np.repeat(self.lists.list_weight[:, None], masks.shape[1], axis=1)
        removed = np.add.reduceat(masks * self.member_weight[:, None], self.heads, axis=0)
        weights[self.members[self.heads]] -= removed
        scores = self.score(weights)
        size = np.abs(scores) if self.scale is None else np.broadcast_to(self.scale[:, None], scores.shape)
        largest = np.where(np.isinf(size), 0.0, size).max(axis=0)
        own, best = scores[self.leader], scores[self.rivals].max(axis=0)
        with np.errstate(invalid="ignore"):
            lead = np.where(own == best, 0.0, own - best)
        return lead <= TOLERANCE * largest, lead

    def least_removal(self, clock, max_lists):
        """Return a lower and an upper bound of the margin of victory, and the numbers of the lists to remove.

        If no lists were found that end the lead, the third value is empty. A list occurs once for each removed vote.
        """
        nothing: list[int] = []
        if not len(self.rivals):
            return math.inf, math.inf, nothing
        if not len(self.members) or self.ends(np.zeros((len(self.members), 1), dtype=bool))[0][0]:
            return 0.0, 0.0, nothing
        found = self._by_sums(clock)
        if found is None:
            found = lightest_set(self.ends, self.weight, max_lists, self.n_columns, clock)
        lower, upper, chosen = found
        return lower * self.unit, upper * self.unit, self.members[chosen] if chosen is not None else nothing

    def _by_sums(self, clock):
        """Find the lightest set of lists or votes whose removal ends the lead; return None if scores are not sums.

        The result has the form of the result of :func:`lightest_set`.
        """
        try:
            gain, _, _ = self.aggregator._linear_gains(self.lists)
        except InputError:
            return None
        lists, weight = self.lists, self.member_weight
        table = sparse_rows(lists.row_ptr, lists.candidate, gain, lists.n_candidates).toarray()[self.members]
        # Amount by which the removal of each member reduces the lead over each rival.
        loss = (table[:, [self.leader]] - table[:, self.rivals]) * weight[:, None]
        size = np.abs(table * weight[:, None]).sum(axis=0).max()
        need = loss.sum(axis=0) - TOLERANCE * size
        # The lead over a rival never ends if every list ranks the leader above it.
        order = [r for r in np.argsort(need, kind="stable") if (loss[:, r] <= 0).any()]
        upper, chosen, lower = math.inf, None, math.inf
        for r in order:
            useful = np.flatnonzero(loss[:, r] > 0)
            given = loss[useful, r], self.weight[useful], need[r], upper, self.whole, clock
            least, total, members = lightest_cover(*given)
            lower = min(lower, least)
            if members is not None:
                upper, chosen = total, useful[members].tolist()
        if chosen is None:
            return lower, upper, None
        mask = np.zeros((len(self.members), 1), dtype=bool)
        mask[chosen] = True
        # If only rounding would end the lead, sets of lists are tried instead.
        return (min(lower, upper), upper, chosen) if self.ends(mask)[0][0] else None
