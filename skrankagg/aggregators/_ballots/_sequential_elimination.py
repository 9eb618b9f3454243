"""Sequential elimination: the items with the lowest count leave, then the lists are counted again."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from ..._arrays._many_weights import score_many_weights, weigh_many_preferences
from ..._arrays._pairwise import candidates_of, preference_blocks
from ..._arrays._weight_units import count_in_units
from ..._support._sklearn import NotFittedError, StrOptions, is_in_html
from ...base import BaseAggregator
from ...base._tags import TagsOfAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._round_table import round_table
from ._rounds import leave_by_margins, leave_by_votes, repeat_lists

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SequentialElimination"]

# Replicates that are counted together have at most this number of matrix cells, and at most this number of rows.
_REPLICATE_CELLS, _REPLICATE_ROWS = 1 << 18, 1 << 18


class SequentialElimination(BaseAggregator):
    r"""Rank items by the round of their elimination, by the rule of instant runoff, Coombs, Baldwin or Nanson.

    In each round, the votes of all lists are counted, and the items with the lowest count leave. The next round counts
    the votes again, without these items. The rounds end when all remaining items have the same count. Items that leave
    later are ranked higher.

    Parameters
    ----------
    rule : {"plurality", "veto", "borda", "borda-mean"}, default="plurality"
        Which items leave in a round:

        - "plurality": the items with the fewest first places. This is instant-runoff voting, also called the
          alternative vote, ranked-choice voting and Hare's rule;
        - "veto": the items with the most last places. This is Coombs' rule;
        - "borda": the items with the fewest Borda points. This is Baldwin's rule;
        - "borda-mean": all items with fewer Borda points than the mean. This is Nanson's rule.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list. With "ignore" these items
        get the mean of the values that the list gives to its own items. Use "ignore" when each voter saw only some
        items.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    Attributes
    ----------
    rounds_ : DataFrame
        Rounds of the lists passed to ``fit`` or ``fit_transform``, with a row for each query, round and remaining item.
        In each round, the strongest item comes first. The estimator and its pickles contain these lists, and the table
        is computed from them each time the attribute is read. ``transform`` does not change the table. For other lists,
        call :func:`~skrankagg.inspection.elimination_rounds`, which also describes the rounds in words.

        - `query`, `round` (from 1) and `item`;
        - `votes`, float64: first places with "plurality", last places with "veto", and Borda points with "borda" and
          "borda-mean". Borda points are the number of items below minus the number of items above. With
          ``absent="ignore"``, each list's mean over its remaining items is subtracted;
        - `share`, float64: `votes` as a share of the weight of all lists with a remaining item. It is NaN for Borda
          points, with ``absent="ignore"``, and if there are no such lists;
        - `leaves`, bool: whether the item leaves in this round. The items that do not leave in the last round win;
        - `exhausted`, float64: weight of the exhausted lists, which contain none of the remaining items;
        - `tie`, str: "leave together" if several items have the lowest count and therefore leave in this round, and
          "win together" if several items remain at the end. Otherwise it is an empty text.

    See Also
    --------
    skrankagg.inspection.elimination_rounds : Describes the rounds in a table and in words.
    skrankagg.plotting.EliminationDisplay : Plots the votes by round.
    PositionalScoring : Counts points once, without rounds.
    BordaCount : Counts Borda points once, without rounds.
    condorcet_winner : Finds the Condorcet winner, which Baldwin's and Nanson's rules elect.

    Notes
    -----
    Let :math:`R` be the set of the items that remain in a round. The total :math:`T_R(i)` decides which items stay.
    Each list :math:`v` adds :math:`s_v(i) - \bar s_v` to the total, where :math:`\bar s_v` is the mean of :math:`s_v`
    over the items of :math:`R` in the list. The rule defines :math:`s_v(i)`:

    - "plurality" [1]_: 1 for the first of the items of :math:`R` in list :math:`v`;
    - "veto" [2]_: -1 for the last of these items;
    - "borda" [3]_ and "borda-mean" [4]_: the number of these items below :math:`i` minus the number above it.

    .. math:: T_R(i) = \sum_v w_v ( s_v(i) - \bar s_v )

    With full lists, subtracting the mean does not change the order of the items. For Borda points the mean is always 0.
    The items with the least :math:`T_R(i)` leave together. With "borda-mean" the items with :math:`T_R(i) < 0` leave;
    if there are no such items, all items have the same total. `score` is the number of rounds that an item stays; the
    items that leave first score 0. Items that leave together tie. The items that remain at the end also tie.

    **Ties in a list.** Tied items share the first place or the last place: if three items tie for the first place, each
    gets a third of the vote. In Borda points a tied pair gives no points to either item.

    **Absent items.** With ``absent="last"`` the absent items are one more group of ties at the end of the list. So a
    list with a single item ranks this item above all others. After all items of a list have left, the list is
    exhausted: it ties the remaining items and no longer has an effect. With "ignore" an absent item gets the mean, so
    the list adds 0 to the item's total. A list with a single remaining item also adds 0 to the total of this item.

    **Equal counts.** If several items have the lowest count of a round, all of them leave together. Neither chance nor
    earlier rounds decide between them. With "plurality", all items without a first place leave in the same round.
    Totals count as equal if they differ by at most :math:`10^{-12}` of the total weight. For Borda points this
    tolerance is multiplied by the number of items.

    **Majorities.** The rounds continue until all remaining items are equal, because the items below the winner are
    ordered as well. If lists with more than half of the weight rank an item first, this item wins by "plurality", but
    may lose by "veto". In elections Coombs' rule often stops at such a majority; here the rounds continue. Baldwin's
    and Nanson's rules elect a Condorcet winner. Instant runoff is independent of clones, unless several items leave
    together. Independence of clones concerns a new item that all lists rank next to the same old item. If the old item
    won before, the old or the new item wins now. Otherwise the winner stays the same.

    Preparing :math:`N` rows takes :math:`O(N)`, and the rounds by "plurality" take :math:`O(m n)`. The rounds by "veto"
    take the same time if the :math:`m` lists contain all :math:`n` items, and :math:`O(N n)` otherwise. Borda points
    take :math:`O(m n^2)` for each query, and memory :math:`O(n^2)`.

    References
    ----------
    .. [1] T. N. Tideman, "Independence of clones as a criterion for voting rules", Social Choice and Welfare 4, 1987.
    .. [2] C. H. Coombs, "A Theory of Data", Wiley, 1964.
    .. [3] J. M. Baldwin, "The technique of the Nanson preferential majority system of election", Proceedings of the
       Royal Society of Victoria 39, 1926.
    .. [4] E. J. Nanson, "Methods of election", Transactions and Proceedings of the Royal Society of Victoria 19, 1882.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import SequentialElimination
    >>> SequentialElimination().fit_transform(lists)
      query item  score  rank
    0     q    b    2.0     1
    1     q    a    1.0     2
    2     q    c    0.0     3
    3     q    d    0.0     4
    >>> SequentialElimination(rule="veto").fit_transform(lists)["score"].tolist()
    [3.0, 2.0, 1.0, 0.0]
    >>> SequentialElimination().fit(lists).rounds_[["round", "item", "votes", "leaves"]]
       round item  votes  leaves
    0      1    b    2.0   False
    1      1    a    1.0   False
    2      1    c    0.0    True
    3      1    d    0.0    True
    4      2    b    2.0   False
    5      2    a    1.0    True
    """

    _guide = {
        "absent": (
            '`absent="last"`: tied below every item of the list; `"ignore"`: the mean of the values that the list '
            "gives to its own items"
        ),
        "ties": "equal shares of the place; Borda points: not compared",
        "cost": '$N + m n$; `"veto"` of cut lists and `absent="ignore"`: $N n$; Borda points: $m n^2$',
    }
    _cost_terms = ("m n", "N n", "n^2", "m n^2")
    _tag_notes = {
        "unanimity": 'yes with `rule="veto"` and `"borda"`',
        "condorcet_winner": 'yes with `rule="borda"` and `"borda-mean"`',
    }
    _parameter_constraints: dict = {
        "rule": [StrOptions({"plurality", "veto", "borda", "borda-mean"})],
        "absent": [StrOptions({"last", "ignore"})],
        **VOTER_WEIGHTS,
    }
    _counted: tuple | None = None
    _variants = ({}, {"rule": "veto"}, {"rule": "borda"}, {"rule": "borda-mean"}, {"absent": "ignore"})

    def __init__(
        self,
        *,
        rule: Literal["plurality", "veto", "borda", "borda-mean"] = "plurality",
        absent: Literal["last", "ignore"] = "last",
        voter_weights: VoterWeights | None = None,
    ):
        self.rule = rule
        self.absent = absent
        self.voter_weights = voter_weights

    @property
    def rounds_(self) -> "pd.DataFrame":
        """Table of the elimination rounds of the lists that were passed to ``fit``."""
        if self._counted is None:
            raise NotFittedError(
                f"{type(self).__name__} has no rounds_ yet. Call fit or fit_transform first, or pass lists to "
                "skrankagg.inspection.elimination_rounds."
            )
        if is_in_html():
            raise AttributeError("rounds_ is not part of the HTML display, because the table may be large.")
        rule, absent, lists = self._counted
        return SequentialElimination(rule=rule, absent=absent)._rounds(lists)

    def _fit_lists(self, lists):
        ranked = super()._fit_lists(lists)
        # The table follows the parameters of this fit, even if they are set again before the table is read.
        self._counted = self.rule, self.absent, lists
        return ranked

    def _rounds(self, lists):
        """Return the table of elimination rounds of lists that already have the weights of their voters."""
        counted, unit = count_in_units(lists)
        return round_table(counted, unit, self._aggregate_what_fits(lists), self.rule, self.absent)

    def _aggregate(self, lists):
        # Sums of integer units do not round, so the order of the lists cannot make equal totals differ.
        lists = count_in_units(lists)[0]
        if not self._is_borda():
            return leave_by_votes(lists, self.rule, self.absent)
        score, total = np.empty(lists.n_candidates), lists.sum_over_lists(lists.list_weight)
        for queries, prefer in preference_blocks(lists, self.absent):
            score[candidates_of(lists, queries)] = leave_by_margins(prefer, total[queries], self.rule == "borda-mean")
        return score

    def _repeat_many(self, lists):
        if not self._is_borda():
            return self._repeat_votes(lists)

        def score_query(ranks, counts):
            some = max(1, _REPLICATE_CELLS // ranks.shape[1] ** 2)
            parts = (counts[:, first : first + some] for first in range(0, counts.shape[1], some))
            scores = [
                leave_by_margins(
                    weigh_many_preferences(ranks, part, self.absent), part.sum(axis=0), self.rule == "borda-mean"
                )
                for part in parts
            ]
            return np.concatenate(scores).T

        return score_many_weights(lists, score_query, super()._repeat_many(lists))

    def _repeat_votes(self, lists):
        """Return a function that computes the scores of the candidates for many sets of list weights.

        The function copies all queries once for each set, so that all sets can be counted at once.
        """
        n_some = max(1, _REPLICATE_ROWS // lists.n_rows)

        def score(weights):
            scores = np.empty((lists.n_candidates, weights.shape[1]))
            for first in range(0, weights.shape[1], n_some):
                part = weights[:, first : first + n_some]
                repeated = repeat_lists(lists, part.shape[1]).with_list_weight(part.T.ravel())
                scores[:, first : first + n_some] = self._aggregate(repeated).reshape(part.shape[1], -1).T
            return scores

        return score

    def _is_borda(self):
        return self.rule in ("borda", "borda-mean")

    def _memory(self, lists):
        return 40.0 * lists.query_n_items.astype(np.float64) ** 2 if self._is_borda() else None

    def __sklearn_tags__(self) -> TagsOfAggregator:
        tags = super().__sklearn_tags__()
        # Items that leave in one round tie: items without a first place, and items below the mean.
        tags.aggregator_tags.unanimity = self.rule in ("veto", "borda")
        tags.aggregator_tags.condorcet_winner = self._is_borda()
        return tags
