"""Steps that change each list by itself: its scores, its length."""

from numbers import Integral
from typing import Literal

import numpy as np

from .._arrays._normalize import NORMS, SCORE_NORMS, SCORES_HINT
from .._arrays._ragged import positions, starts_to_ptr, tie_starts
from .._data._conflicts import check_scores
from .._support._sklearn import Interval, StrOptions
from ..base import ListTransformer

__all__ = ["ScoreNormalizer", "TopK"]


class ScoreNormalizer(ListTransformer):
    """Rescale the scores of each list, or make scores of its ranks.

    Each voter has its own scale; on a common scale scores can be added and compared.

    Parameters
    ----------
    norm : {"borda", "min-max", "rank", "simple-borda", "z-score"}, default="min-max"
        How, as in :class:`~skrankagg.aggregators.CombSUM`; "min-max" (to 0 to 1) and "z-score" need scores, the others
        read ranks.

    See Also
    --------
    skrankagg.aggregators.CombSUM : Normalises by itself; with ``norm=None`` it takes the scores as they come out here.

    Notes
    -----
    Ranks stay. What a norm gives an item that a list does not hold ("borda" does) has no row, and is lost:
    :class:`~skrankagg.aggregators.CombSUM` keeps it. Linear in the number of rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.preprocessing import ScoreNormalizer
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "v"], "item": list("abc"), "score": [9.0, 6.0, 5.0]})
    >>> ScoreNormalizer().fit_transform(lists)
      query voter item  rank  score
    0     q     v    a   1.0   1.00
    1     q     v    b   2.0   0.25
    2     q     v    c   3.0   0.00
    """

    _parameter_constraints: dict = {"norm": [StrOptions(set(NORMS) - {None})]}

    def __init__(self, norm: Literal["borda", "min-max", "rank", "simple-borda", "z-score"] = "min-max") -> None:
        self.norm = norm

    def _prepare(self, X):
        lists = super()._prepare(X)
        if self.norm in SCORE_NORMS:
            check_scores(lists, repr(self), SCORES_HINT)
        return lists

    def _transform_lists(self, lists):
        value, _ = NORMS[self.norm](lists)
        return lists.with_score(value)


class TopK(ListTransformer):
    """Keep the first items of each list.

    Later items are absent from then on, and the next step treats them as it treats absent items.

    Parameters
    ----------
    k : int, default=100
        Number of items to keep, at least 1.
    ties : {"cut", "keep"}, default="cut"
        What to do with items tied across the cut: keep k items in all, in the order of their
        ids, or keep every item that ties with the k-th.

    See Also
    --------
    VoterSelector : Leaves out whole lists.
    ScoreNormalizer : Rescales the scores; before the cut or after it makes a difference.

    Notes
    -----
    The items kept are ranked again, which changes the ranks of tied ones only. Linear in the number of rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.preprocessing import TopK
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"], "item": ["a", "b", "b"], "rank": [1, 2, 1]})
    >>> TopK(1).fit_transform(lists)
      query voter item  rank
    0     q     v    a   1.0
    1     q     w    b   1.0
    """

    _parameter_constraints: dict = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "ties": [StrOptions({"cut", "keep"})],
    }

    def __init__(self, k: int = 100, *, ties: Literal["cut", "keep"] = "cut") -> None:
        self.k = k
        self.ties = ties

    def _transform_lists(self, lists):
        place = positions(lists.row_ptr)
        if self.ties == "keep":
            tie_ptr = starts_to_ptr(tie_starts(lists.row_ptr, lists.rank))
            place = np.repeat(place[tie_ptr[:-1]], np.diff(tie_ptr))
        kept = place <= self.k
        return lists if kept.all() else lists.keep_rows(kept)[0]
