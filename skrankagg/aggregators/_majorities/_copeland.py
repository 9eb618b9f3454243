"""Rules that compare every two items in a duel and count the wins and draws of each item."""

from typing import Literal

import numpy as np

from ..._arrays._many_weights import count_many_majorities, score_many_weights
from ..._arrays._pairwise import is_dense, majority
from ..._arrays._weight_units import count_in_units
from ..._support._sklearn import StrOptions
from ...base import BaseAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights

__all__ = ["Condorcet", "Copeland"]


class _BaseMajority(BaseAggregator):
    _parameter_constraints: dict = {"absent": [StrOptions({"last", "ignore"})], **VOTER_WEIGHTS}
    _tags = {"condorcet_winner": True}
    _variants = ({}, {"absent": "ignore"})

    def __init__(self, *, absent: Literal["last", "ignore"] = "last", voter_weights: VoterWeights | None = None):
        self.absent = absent
        self.voter_weights = voter_weights

    def _majorities(self, lists):
        return majority(count_in_units(lists)[0], self.absent)

    def _repeat_many(self, lists):
        def score_query(ranks, counts):
            return self._points(*count_many_majorities(ranks, counts, self.absent))

        return score_many_weights(lists, score_query, super()._repeat_many(lists))

    @staticmethod
    def _points(wins, draws):
        """Compute scores from the number of wins and the number of draws of each item."""
        raise NotImplementedError

    def _aggregate(self, lists):
        return self._points(*self._majorities(lists))

    def _memory(self, lists):
        # Only queries of up to a few thousand items use matrices, because matrices are faster for these queries.
        return is_dense(lists) * 7.0 * lists.query_n_items.astype(np.float64) ** 2


class Condorcet(_BaseMajority):
    r"""Rank items by the number of opponents that they beat by a majority of the lists.

    Every two items meet in a duel. An item that wins all of its duels is the Condorcet winner and comes first.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" when each voter saw only some items.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    Copeland : Also counts each draw as half a win.

    Notes
    -----
    Let :math:`W_{ij}` be the total weight of the lists that rank item :math:`i` above item :math:`j` [1]_. The score is

    .. math:: C(i) = |\{j \ne i : W_{ij} > W_{ji}\}|.

    By default a ranked item is above an absent item [2]_; with ``absent="ignore"`` the pair is not compared. A list
    never compares two absent items or two tied items. Margins of at most :math:`10^{-12}` times the query's total
    weight are draws. The time is :math:`O(\sum_v L_v^2 + n^2)` for each query, where the :math:`L_v` are the lengths of
    its lists and :math:`n` is the number of its items. The memory is linear in the number of rows.

    References
    ----------
    .. [1] M. de Condorcet, "Essai sur l'application de l'analyse à la probabilité des décisions rendues à la pluralité
       des voix", 1785.
    .. [2] M. Montague and J. A. Aslam, "Condorcet fusion for improved retrieval", CIKM 2002.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Condorcet
    >>> Condorcet().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    """

    _guide = {
        "absent": (
            '`absent="last"`: a defeat against every item of the list; `"ignore"`: no opinion; two absent items '
            "are not compared"
        ),
        "ties": "not compared",
        "cost": r"$\sum_v L_v^2 + n^2$",
    }
    _cost_terms = ("sum L^2", "n^2")

    @staticmethod
    def _points(wins, draws):
        return wins


class Copeland(_BaseMajority):
    r"""Rank items by the number of opponents that they beat by a majority of the lists; a draw counts half.

    The rule is a tournament between all items. A win is worth one point and a draw is worth half a point.

    Parameters
    ----------
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.
        Use "ignore" when each voter saw only some items.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters; they multiply the weights of the lists.

    See Also
    --------
    Condorcet : Counts only wins, not draws.

    Notes
    -----
    Let :math:`W_{ij}` be the total weight of the lists that rank item :math:`i` above item :math:`j` [1]_. The score is

    .. math:: C(i) = |\{j \ne i : W_{ij} > W_{ji}\}| + \tfrac12 |\{j \ne i : W_{ij} = W_{ji}\}|.

    The number of wins minus the number of defeats gives the same order. By default a ranked item is above an absent
    item. With ``absent="ignore"`` the pair is not compared, so the duel of two items that never appear in the same list
    is a draw. A list never compares two absent items or two tied items. Margins of at most :math:`10^{-12}` times the
    query's total weight are draws. The time is :math:`O(\sum_v L_v^2 + n^2)` for each query, where the :math:`L_v` are
    the lengths of its lists and :math:`n` is the number of its items. The memory is linear in the number of rows.

    References
    ----------
    .. [1] A. H. Copeland, "A reasonable social welfare function", University of Michigan, 1951.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import Copeland
    >>> Copeland().fit_transform(lists)
      query item  score  rank
    0     q    b    3.0     1
    1     q    a    2.0     2
    2     q    c    1.0     3
    3     q    d    0.0     4
    """

    _guide = {"absent": "as `Condorcet`", "ties": "not compared", "cost": r"$\sum_v L_v^2 + n^2$"}
    _cost_terms = ("sum L^2", "n^2")

    @staticmethod
    def _points(wins, draws):
        return wins + draws / 2
