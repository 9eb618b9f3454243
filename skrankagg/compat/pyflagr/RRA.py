"""Robust rank aggregation: PyFLAGR's class RRA."""

import numpy as np

from ... import aggregators
from ...aggregators._order_statistics._robust import rho_pvalue, rho_score
from ._method import Convention, Method, Run
from ._ranking import rank_groups

__all__ = ["RRA"]


class RRA(Method):
    """Ranking of items by p-value; a small p-value means that an item's ranks are better than random ranks.

    FLAGR's exact p-values are not reproduced. FLAGR computes them as an alternating sum; with 50 lists, no digit of
    this sum is correct. The p-values here are correct; see the page "Coming from PyFLAGR" of the documentation.

    Parameters
    ----------
    %(eval_pts)s
    exact : bool, default=False
        Whether p-values are exact. Otherwise they are upper bounds.
    %(convention)s

    See Also
    --------
    skrankagg.aggregators.RobustRankAggregation : The method as defined in the paper.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.compat.pyflagr import RRA
    >>> lists = pd.DataFrame({
    ...     "query": "q", "voter": ["u", "u", "u", "v", "v", "w", "w"], "item": ["a", "b", "c", "b", "a", "b", "c"],
    ...     "rank": [1, 2, 3, 1, 2, 1, 2], "score": [3.0, 2.0, 1.0, 0.9, 0.6, 5.0, 4.0],
    ... })
    >>> df_out, _ = RRA.RRA().aggregate(input_df=lists)
    >>> dict(zip(df_out["ItemID"], df_out["Score"], strict=True))
    {'b': 0.777778, 'a': 1.0, 'c': 1.0}
    """

    _number = 401

    def __init__(self, eval_pts: int = 10, exact: bool = False, *, convention: Convention = "flagr") -> None:
        super().__init__(eval_pts, convention=convention)
        self.exact: bool = bool(exact)

    def _paper(self):
        return aggregators.RobustRankAggregation(exact=self.exact)

    def _paper_score(self, ranked):
        return ranked.columns["pvalue"]

    def _run(self, profile):
        lists = profile.lists
        if self._follows_paper():
            return super()._run(profile)
        n_items = lists.query_n_items[lists.candidate_query]
        n_lists = np.diff(lists.list_ptr)[lists.candidate_query]
        if profile.absent_voters:
            n_lists[:] = lists.n_voters
        # Ranks may start at 0 in the file, or exceed the number of items.
        x = np.clip(profile.rank / n_items[lists.candidate], np.finfo(np.float64).tiny, 1.0)
        log_rho = rho_score(lists.candidate, x, n_lists)
        pvalue = np.exp(rho_pvalue(log_rho, n_lists, exact=self.exact))
        order, score = rank_groups(lists, -pvalue, self._quirks)
        return Run(order, lists.candidate_ptr, -score)
