"""Transformers that change the scores or the length of each list."""

from numbers import Integral, Real
from typing import Literal

import numpy as np

from .._arrays._normalize import SCORE_NORMS, SCORES_HINT, bounded_min_max
from .._arrays._ragged import positions, starts_to_ptr, tie_starts
from .._data._conflicts import check_scores
from .._data._frames import first_row, show_id
from .._data._voter_names import find_voters, warn_of_misspelt_names
from .._support._sklearn import Interval, StrOptions
from ..base import ListTransformer
from ..base._norms import NORM, Norm, normalize
from ..base._voter_weights import BY_VOTER, VoterWeights, voter_series
from ..exceptions import InputError

__all__ = ["ScoreNormalizer", "TopK"]


class ScoreNormalizer(ListTransformer):
    r"""Rescale the scores of each list, or compute scores from its ranks.

    The scores of different voters may have different scales. Scores on a common scale can be added and compared.

    Parameters
    ----------
    norm : str or None, default="min-max"
        Normalisation, as in :class:`~skrankagg.aggregators.CombSUM`: "min-max", "z-score", "dbsf", "max", "sum" and
        "l2" need scores; "borda", "rank", "reciprocal" and "simple-borda" use ranks. None leaves the scores unchanged.
    lower : float, or mapping or pandas.Series of voter to float, default=None
        Score that "min-max" maps to 0, such as the lowest possible score: 0 for BM25, -1 for a cosine. None uses the
        lowest score of each list. The same applies to voters missing from a mapping.
    upper : float, or mapping or pandas.Series of voter to float, default=None
        Score that "min-max" maps to 1; None uses the highest score of each list.
    clip : bool, default=True
        Whether scores beyond a bound are set to the bound. Otherwise they are mapped to values below 0 or above 1.

    Raises
    ------
    ValueError
        If bounds are given with a norm other than "min-max", or an upper bound is not above the lower bound. If
        ``clip=False`` and all scores of a list lie beyond its only bound. The scale is then unknown.

    See Also
    --------
    skrankagg.aggregators.CombSUM : Normalises scores itself; with ``norm=None`` it uses the scores from this step.

    Notes
    -----
    With bounds, the value is :math:`(x - lower) / (upper - lower)`. The theoretical minimum replaces the observed
    minimum [1]_. Depending on its score, the last item of a list may then have a higher value than an absent item. The
    method TM2C2 of [1]_ is a convex combination of two voters on this scale. In this library, TM2C2 is a pipeline of
    this step and ``CombSUM(norm=None, voter_weights=...)``. If all scores of a list equal the lower bound, the values
    are 0. If all scores are equal, differ from the lower bound, and have no upper bound, the values are 1.

    Ranks do not change. In some norms, such as "borda", items absent from a list also receive points. An absent item
    has no row, so this transformer drops these points; :class:`~skrankagg.aggregators.CombSUM` keeps them. The time is
    linear in the number of rows.

    References
    ----------
    .. [1] S. Bruch, S. Gai and A. Ingber, "An analysis of fusion functions for hybrid retrieval", ACM TOIS 42, 2023.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.preprocessing import ScoreNormalizer
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "v"], "item": list("abc"),
    ...     "score": [9.0, 6.0, 5.0]})
    >>> ScoreNormalizer().fit_transform(lists)
      query voter item  rank  score
    0     q     v    a   1.0   1.00
    1     q     v    b   2.0   0.25
    2     q     v    c   3.0   0.00
    >>> ScoreNormalizer(lower=0, upper={"v": 10}).fit_transform(lists)
      query voter item  rank  score
    0     q     v    a   1.0    0.9
    1     q     v    b   2.0    0.6
    2     q     v    c   3.0    0.5
    """

    _parameter_constraints: dict = {
        **NORM,
        "lower": [Interval(Real, None, None, closed="neither"), *BY_VOTER, None],
        "upper": [Interval(Real, None, None, closed="neither"), *BY_VOTER, None],
        "clip": ["boolean"],
    }

    def __init__(
        self,
        norm: Norm | None = "min-max",
        *,
        lower: float | VoterWeights | None = None,
        upper: float | VoterWeights | None = None,
        clip: bool = True,
    ) -> None:
        self.norm = norm
        self.lower = lower
        self.upper = upper
        self.clip = clip

    def _validate_params(self):
        super()._validate_params()
        if self.norm != "min-max" and not (self.lower is None and self.upper is None):
            raise InputError(f"`lower` and `upper` must be None if norm={self.norm!r}; only 'min-max' has bounds.")

    def _prepare(self, X):
        lists = super()._prepare(X)
        if self.norm in SCORE_NORMS:
            check_scores(lists, self, SCORES_HINT)
        return lists

    def _transform_lists(self, lists):
        if self.lower is None and self.upper is None:
            return lists.with_score(normalize(lists, self.norm)[0])
        lower, upper = self._bound(lists, "lower"), self._bound(lists, "upper")
        self._refuse_empty_spans(lists, lower, upper)
        return lists.with_score(bounded_min_max(lists, lower, upper, clip=self.clip))

    def _bound(self, lists, name):
        """Return the lower or upper bound of the scores of each list; NaN means no bound.

        `name` is "lower" or "upper", the parameter that contains the bounds.
        """
        bound = getattr(self, name)
        if bound is None or isinstance(bound, Real):
            return np.full(lists.n_lists, np.nan if bound is None else float(bound))
        warn_of_misspelt_names(bound, lists.voters, name)
        bound = voter_series(bound, name)
        place = find_voters(bound.index, lists.voters)
        value = np.where(place < 0, np.nan, bound.to_numpy()[place])
        wrong = (place >= 0) & ~np.isfinite(value)
        if wrong.any():
            voter = first_row(wrong)
            raise InputError(
                f"`{name}` must contain finite numbers; got {value[voter]} for {show_id(lists.voters, voter)}. Leave "
                "out voters that have no bound."
            )
        return value[lists.list_voter]

    def _refuse_empty_spans(self, lists, lower, upper):
        heads = lists.row_ptr[:-1]
        low = np.where(np.isnan(lower), np.minimum.reduceat(lists.score, heads), lower)
        high = np.where(np.isnan(upper), np.maximum.reduceat(lists.score, heads), upper)
        both = ~np.isnan(lower) & ~np.isnan(upper)
        wrong = (both & (high <= low)) | (~both & (high < low) & (not self.clip))
        if not wrong.any():
            return
        one = first_row(wrong)
        voter, query = show_id(lists.voters, lists.list_voter[one]), show_id(lists.queries, lists.list_query[one])
        if both[one]:
            raise InputError(
                f"`upper` must be above `lower`; got upper={high[one]:g} and lower={low[one]:g} for voter {voter}. "
                "Swap the bounds, or declare lower_is_better=True where the lists are read."
            )
        raise InputError(
            f"`clip` must be True if all scores of a list lie beyond the given bound; got False, and the list of voter "
            f"{voter} for query {query} is such a list. Choose clip=True, correct the bound, or give both bounds."
        )


class TopK(ListTransformer):
    """Keep the first items of each list.

    Later items are removed. The next step of a pipeline treats them as absent items.

    Parameters
    ----------
    k : int, default=100
        Number of items to keep, at least 1.
    ties : {"cut", "keep"}, default="cut"
        How to treat items that are tied across the cut. "cut" keeps exactly k items; tied items are kept in the order
        of their ids. "keep" keeps every item that is tied with the k-th item.

    See Also
    --------
    VoterSelector : Leaves out all lists of some voters.
    ScoreNormalizer : Rescales the scores. The result depends on whether scores are rescaled before or after the cut.

    Notes
    -----
    The remaining items are ranked again. This changes only the ranks of tied items. The time is linear in the number of
    rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.preprocessing import TopK
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"],
    ...     "item": ["a", "b", "b"], "rank": [1, 2, 1]})
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

    def _cut_sizes(self, sizes):
        """Return the sizes after every list is cut to `k` items; `sizes` contains the lengths of the lists."""
        return sizes.cut(self.k)

    def _transform_lists(self, lists):
        place = positions(lists.row_ptr)
        if self.ties == "keep":
            tie_ptr = starts_to_ptr(tie_starts(lists.row_ptr, lists.rank))
            place = np.repeat(place[tie_ptr[:-1]], np.diff(tie_ptr))
        kept = place <= self.k
        return lists if kept.all() else lists.keep_rows(kept)[0]
