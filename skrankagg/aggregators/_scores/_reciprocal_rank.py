"""Fusion by reciprocal ranks."""

from numbers import Real

from ..._support._sklearn import Interval
from ...base import BaseAggregator
from ...base._consensus import Contributions
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights
from ._row_sums import sum_rows, sum_rows_again, weigh_rows

__all__ = ["ReciprocalRankFusion"]


class ReciprocalRankFusion(BaseAggregator):
    r"""Rank items by the sum of their reciprocal ranks, each damped by a constant.

    The first places count most, the tail of a list hardly at all; scores are not read.

    Parameters
    ----------
    k : float, default=60
        Damping, at least 0: the larger, the less the first places stand out.
    voter_weights : mapping or pandas.Series of voter to float, default=None
        Weights of the voters, which multiply those of the lists.

    See Also
    --------
    BordaCount : Points that fall linearly with the rank.

    Notes
    -----
    With :math:`r_v(i)` the rank of item :math:`i` in list :math:`v`, from 1, and :math:`w_v` the list's weight [1]_,

    .. math:: \mathrm{RRF}(i) = \sum_{v \ni i} \frac{w_v}{k + r_v(i)}.

    Tied items share their mean rank; an absent item gets 0. Linear in the number of rows.

    References
    ----------
    .. [1] G. V. Cormack, C. L. A. Clarke and S. Büttcher, "Reciprocal rank fusion outperforms Condorcet and individual
       rank learning methods", SIGIR 2009.

    Examples
    --------
    >>> import pandas as pd
    >>> lists = pd.DataFrame({
    ...     "query": "q",
    ...     "voter": ["u", "u", "u", "v", "v", "v", "w", "w"],
    ...     "item": ["a", "b", "c", "b", "a", "d", "b", "c"],
    ...     "score": [3.0, 2.0, 1.0, 0.9, 0.6, 0.6, 5.0, 4.0],
    ... })
    >>> from skrankagg.aggregators import ReciprocalRankFusion
    >>> ReciprocalRankFusion(k=1).fit_transform(lists)
      query item  score  rank
    0     q    b  1.333     1
    1     q    a  0.786     2
    2     q    c  0.583     3
    3     q    d  0.286     4
    """

    _sums_rows = True
    _parameter_constraints: dict = {"k": [Interval(Real, 0, None, closed="left")], **VOTER_WEIGHTS}

    def __init__(self, *, k: float = 60, voter_weights: VoterWeights | None = None):
        self.k = k
        self.voter_weights = voter_weights

    def _aggregate(self, lists):
        return sum_rows(lists, 1.0 / (self.k + lists.rank))

    def _contributions(self, lists):
        return Contributions(weigh_rows(lists, 1.0 / (self.k + lists.rank)))

    def _repeat(self, lists):
        return sum_rows_again(lists, 1.0 / (self.k + lists.rank))
