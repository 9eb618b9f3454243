"""Majority methods: PyFLAGR's classes CondorcetWinners, CopelandWinners and OutrankingApproach."""

from ... import aggregators
from ._comparison_table import majority_scores, outranking_scores
from ._method import Convention, Method

__all__ = ["CondorcetWinners", "CopelandWinners", "OutrankingApproach"]


class CondorcetWinners(Method):
    """Ranking of items by the number of other items that they beat by a majority.

    Parameters
    ----------
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.Condorcet : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Majoritarian
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Majoritarian.CondorcetWinners().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 2.0, 'a': 1.0, 'c': 0.0}
    """

    _number = 200

    def _scores(self, table):
        return table, majority_scores(table, draw=0.0)

    def _paper(self):
        return aggregators.Condorcet()


class CopelandWinners(Method):
    """Ranking of items by the number of other items that they beat by a majority; a tie counts as half a win.

    Parameters
    ----------
    %(eval_pts)s
    %(convention)s

    See Also
    --------
    skrankagg.Copeland : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Majoritarian
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Majoritarian.CopelandWinners().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 2.0, 'a': 1.0, 'c': 0.0}
    """

    _number = 201

    def _scores(self, table):
        return table, majority_scores(table, draw=0.5)

    def _paper(self):
        return aggregators.Copeland()


class OutrankingApproach(Method):
    """Ranking of items by outranking: an item outranks another if enough lists prefer it and few lists veto this.

    Parameters
    ----------
    %(eval_pts)s
    preference, veto : float, default=0.0, 0.75
        Thresholds on the difference between the ranks of two items, as shares of the number of items.
    concordance, discordance : float, default=0.0, 0.25
        Thresholds on the number of lists that agree or veto, as shares of the number of all lists.
    %(convention)s

    See Also
    --------
    skrankagg.aggregators.Outranking : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import Majoritarian
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = Majoritarian.OutrankingApproach().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 5.0, 'a': 0.0, 'c': 0.0}
    """

    _number = 300

    def __init__(
        self,
        eval_pts: int = 10,
        preference: float = 0.0,
        veto: float = 0.75,
        concordance: float = 0.0,
        discordance: float = 0.25,
        *,
        convention: Convention = "flagr",
    ) -> None:
        super().__init__(eval_pts, convention=convention)
        self.preference_t = preference
        self.veto_t = veto
        self.concordance_t = concordance
        self.discordance_t = discordance

    def _scores(self, table):
        thresholds = self.preference_t, self.veto_t, self.concordance_t, self.discordance_t
        return table, outranking_scores(table, thresholds, self._quirks)

    def _paper(self):
        return aggregators.Outranking(
            preference=float(self.preference_t),
            veto=float(self.veto_t),
            concordance=float(self.concordance_t),
            discordance=float(self.discordance_t),
        )
