"""Estimate of the gain in nDCG@10 that learnt weights bring on new queries, computed from a few judged queries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.model_selection import LeaveOneOut

from .._data._qrels import check_qrels, encode_qrels
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import AnyQrels, PlainLists
from ..aggregators import LearnedWeights, ReciprocalRankFusion
from ..exceptions import InputError
from ..metrics import evaluate
from ..metrics._judging._folds import hold_out

__all__ = ["ExpectedGain", "expected_gain"]

# Linear functions that predict the gain on new queries from the mean difference on the left-out queries, in points.
# They were fitted on 22 judged collections. Each tuple contains the smallest number of judged queries, the intercept,
# the slope, and the standard deviation of the true gains.
_LINES = [(5, 1.6, 0.26, 2.2), (10, 1.6, 0.36, 1.7), (20, 2.0, 0.32, 1.9)]
# If the mean difference on the left-out queries is above this number of points, the gain was rarely negative.
_CLEAR = 2.0


class ExpectedGain(NamedTuple):
    """Gain in nDCG@10 from learnt weights, as numbers and as a text; ``print`` shows the text.

    :func:`expected_gain` returns this object. Gains are in points; one point is 0.01.

    Parameters
    ----------
    n_queries : int
        Number of judged queries with a relevant item in some list.
    left_out : float
        Mean nDCG@10 with learnt weights minus mean nDCG@10 with equal weights on the judged queries, in points. nDCG is
        computed with ``gain="linear"``. The lists of each query are merged with weights learnt from the other queries.
        The value is NaN if there are fewer than five queries.
    gain : float
        Expected gain over ``ReciprocalRankFusion(k=60)`` on new queries, in points. It is NaN if there are fewer than
        five queries, or if the method is not based on reciprocal rank fusion.
    std : float
        Standard deviation of the true gains around `gain`, in points; it was measured on the collections in the Notes
        of :func:`expected_gain`. It is NaN if `gain` is NaN.
    text : str
        The result in two to four sentences.

    See Also
    --------
    expected_gain : Estimates the gain.

    Examples
    --------
    >>> from skrankagg.inspection import ExpectedGain
    >>> print(ExpectedGain(n_queries=5, left_out=2.0, gain=2.1, std=2.2,
    ...     text="About +2.1 ± 2.2 points."))
    About +2.1 ± 2.2 points.
    """

    n_queries: int
    left_out: float
    gain: float
    std: float
    text: str

    def __str__(self) -> str:
        return self.text


def expected_gain(aggregator: LearnedWeights, lists: PlainLists, qrels: AnyQrels) -> ExpectedGain:
    """Estimate how much learnt weights gain on new queries.

    The lists of each judged query are merged with weights learnt from the other judged queries, and with equal weights.
    The two results are compared.

    Parameters
    ----------
    aggregator : LearnedWeights
        The method, fitted or not. It is not changed.
    lists : DataFrame or RankedLists of n_queries queries, or dict or list of lists
        Ranked lists; they may contain queries without judgements.
    qrels : DataFrame, Qrels or dict
        Judgements of some of the queries.

    Returns
    -------
    ExpectedGain
        A named tuple of `n_queries`, `left_out`, `gain`, `std` and `text`; ``print`` shows the text.

    Raises
    ------
    TypeError
        If the lists or the judgements are of another type.
    ValueError
        If `aggregator` is not LearnedWeights, or if no query of the lists is judged.

    See Also
    --------
    items_to_judge : Chooses the items to judge.
    skrankagg.model_selection.cross_val_consensus : Aggregates every query with a fit on other queries.

    Notes
    -----
    The expected gain is a linear function of the mean difference :math:`d`, which is `left_out`. The gain is :math:`1.6
    + .26 d` for 5 to 9 queries, :math:`1.6 + .36 d` for 10 to 19 queries, and :math:`2.0 + .32 d` for more queries. The
    standard deviations are 2.2, 1.7 and 1.9 points. The linear functions were fitted on 22 judged collections, with
    lists cut at 100 items. The judgements covered the twenty items of each query that :func:`items_to_judge` chose.

    The difference predicts the size of the gain, but not whether there is a gain. If the difference was negative with
    five queries, the weights still gained on new queries in three of four cases. With fewer than five queries, the
    difference predicts nothing. The function fits the method once for each judged query.

    Examples
    --------
    >>> from skrankagg import LearnedWeights, Qrels, RankedLists
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.inspection import expected_gain
    >>> lists, qrels, _ = make_ranked_lists(n_queries=6, quality=0.3, quality_spread=1.0,
    ...     random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> expected = expected_gain(LearnedWeights(), lists, qrels)
    >>> print(expected.n_queries, round(expected.left_out, 1), round(expected.gain, 1))
    6 9.3 4.0
    """
    if not isinstance(aggregator, LearnedWeights):
        raise InputError(
            f"`aggregator` must be LearnedWeights; got {aggregator!r}. Measure other methods with a Comparator and "
            "cv=5.",
            parameter="aggregator",
        )
    lists = check_lists(encode_plain(lists))
    judged = check_qrels(qrels)
    relevant = encode_qrels(judged, lists).relevance > 0
    informative = np.flatnonzero(np.logical_or.reduceat(relevant, lists.candidate_ptr[:-1]))
    n_queries = len(informative)
    if n_queries < _LINES[0][0]:
        text = (
            f"Judged queries with a relevant item in some list: {n_queries}. These are too few to estimate the gain on "
            f"new queries; judge {_LINES[0][0]} or more."
        )
        return ExpectedGain(n_queries, np.nan, np.nan, np.nan, text)
    base = aggregator._base()
    left_out = _left_out(aggregator, base, lists.take(informative), judged)
    return _forecast(base, n_queries, left_out)


def _left_out(aggregator, base, lists, qrels):
    """Return by how many points learnt voter weights change nDCG@10, compared with equal weights.

    The result is a mean over the queries; a point is 0.01. The weights for a query are learnt from the other queries.
    """
    runs = {
        "learnt": hold_out(aggregator, lists, qrels.align(lists), [*LeaveOneOut().split(lists)]).to_frame(),
        "equal": base.fit_transform(lists),
    }
    found = evaluate(runs, qrels, "ndcg@10", gain="linear")["ndcg@10"]
    return 100 * float(found["learnt"] - found["equal"])


def _forecast(base, n_queries, left_out):
    seen = (
        f"On your {n_queries} judged queries, each left out of its own fit, learnt weights change nDCG@10 by "
        f"{left_out:+.1f} points compared with equal weights."
    )
    if not isinstance(base, ReciprocalRankFusion):
        return ExpectedGain(n_queries, left_out, np.nan, np.nan, seen)
    _, level, slope, std = next(line for line in reversed(_LINES) if line[0] <= n_queries)
    gain = level + slope * left_out
    text = (
        f"{seen} On 22 collections, weights with this result changed nDCG@10 on new queries by about {gain:+.1f} ± "
        f"{std} points compared with reciprocal rank fusion with k = 60. {_chance(n_queries, left_out)}"
    )
    return ExpectedGain(n_queries, left_out, gain, std, text)


def _chance(n_queries, left_out):
    if left_out > _CLEAR or n_queries >= _LINES[2][0]:
        return "They were better in 19 of 20 cases."
    if n_queries >= _LINES[1][0]:
        return "They were better in 17 of 20 cases."
    return "They were better in 3 of 4 cases. Judge five more queries for a better estimate."
