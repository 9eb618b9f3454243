"""Robust rank aggregation: PyFLAGR's RRA."""

import numpy as np

from ... import aggregators
from ._method import Method

__all__ = ["RRA"]


class RRA(Method):
    """P-values of ranks that are better than random ones, small ones first.

    FLAGR's exact form is not followed: its alternating sum has no right digit left at 50 lists. The p-values here are
    right, see the page of the documentation on coming from PyFLAGR.

    Parameters
    ----------
    eval_pts : int, default=10
        Largest cutoff of the measures.
    exact : bool, default=False
        Whether p-values are exact, or a bound.
    convention : {"flagr", "papers"} or collection of str, default="flagr"
        Which quirks to follow, see :data:`~skrankagg.compat.pyflagr.QUIRKS`.

    See Also
    --------
    skrankagg.aggregators.RobustRankAggregation : By the paper.
    """

    _number = 401
    _ascending = True

    def __init__(self, eval_pts=10, exact=False, *, convention="flagr"):
        super().__init__(eval_pts, convention=convention)
        self.exact = bool(exact)

    def _paper(self):
        return aggregators.RobustRankAggregation(exact=self.exact)

    def _paper_score(self, ranked):
        return ranked.columns["pvalue"]

    def _scores(self, table):
        m, n = table.shape
        item, row = np.nonzero(table.held.T)
        # Ranks may be written from 0, or exceed the number of items.
        x = np.clip(table.rank[row, item] / n, np.finfo(np.float64).tiny, 1.0)
        n_lists = np.full(n, m)
        log_p = aggregators.rho_pvalue(aggregators.rho_score(item, x, n_lists), n_lists, exact=self.exact)
        return table, np.exp(log_p)
