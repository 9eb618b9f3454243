"""Krippendorff's alpha: agreement of judges who rate items, corrected for chance, with a confidence interval."""

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ..._support._checks import check_choice, check_count, check_share
from ..._support._values import show
from ...exceptions import InputError, InputTypeError

__all__ = ["KrippendorffAlpha", "krippendorff_alpha"]


class KrippendorffAlpha(NamedTuple):
    """Krippendorff's alpha with a confidence interval.

    :func:`krippendorff_alpha` returns this object.

    Parameters
    ----------
    alpha : float
        1 for perfect agreement, 0 for agreement by chance; NaN if all ratings are equal, or no item has two ratings.
    low, high : float
        Bounds of the confidence interval, computed from random draws of the items. They are NaN if alpha is NaN, or if
        only one item has at least two ratings.
    n_items : int
        Number of items with at least two ratings. Alpha ignores all other items.

    See Also
    --------
    krippendorff_alpha : Computes alpha.

    Examples
    --------
    >>> from skrankagg.metrics import KrippendorffAlpha
    >>> KrippendorffAlpha(alpha=0.7, low=0.6, high=0.8, n_items=50).alpha
    0.7
    """

    alpha: float
    low: float
    high: float
    n_items: int


def krippendorff_alpha(
    ratings: ArrayLike | pd.DataFrame,
    *,
    level: Literal["nominal", "ordinal", "interval"] = "nominal",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: int = 0,
) -> KrippendorffAlpha:
    r"""Compute Krippendorff's alpha and its confidence interval; alpha measures how far judges agree in their ratings.

    Parameters
    ----------
    ratings : array-like of shape (n_items, n_voters), or DataFrame
        The rating of each item by each judge; None or NaN if a judge did not rate an item. Nominal ratings may be text,
        such as the winner of a comparison. Other ratings are numbers.
    level : {"nominal", "ordinal", "interval"}, default="nominal"
        Kind of the ratings: names without an order, ordered grades, or numbers with meaningful differences.
    confidence : float, default=0.95
        Confidence level of the interval.
    n_resamples : int, default=1000
        Number of random draws of the items, from which the interval is computed.
    random_state : int, default=0
        Seed of the draws.

    Returns
    -------
    KrippendorffAlpha
        A named tuple of alpha, low, high and n_items.

    Raises
    ------
    TypeError
        If ordinal or interval ratings are not numbers.
    ValueError
        If the ratings do not form a matrix, or a rating is infinite.

    See Also
    --------
    kendall_w : Agreement of complete rankings.
    agreement_matrix : Agreement of every two voters.

    Notes
    -----
    Item u has :math:`m_u \ge 2` ratings :math:`x_{ui}`, and n is the number of ratings of all these items. Alpha is
    :math:`1 - D_o / D_e` [1]_ with

    .. math::
        D_o = \frac1n \sum_u \frac{1}{m_u - 1} \sum_{i \ne j} \delta^2(x_{ui}, x_{uj}), \qquad
        D_e = \frac{1}{n (n - 1)} \sum_{(u,i) \ne (v,j)} \delta^2(x_{ui}, x_{vj}).

    The distance :math:`\delta^2` is 0 or 1 for nominal ratings, and the squared difference for interval ratings. For
    ordinal ratings it is the squared difference of the mid-ranks of the two grades among all n ratings. The bounds of
    the confidence interval are quantiles of alpha over draws of the items with replacement. If all ratings in a draw
    are equal, the alpha of this draw is set to 1. The time grows with the number of ratings times the number of draws.

    References
    ----------
    .. [1] K. Krippendorff, "Content Analysis: An Introduction to Its Methodology", 4th edition, SAGE, 2018,
       doi:10.4135/9781071878781.

    Examples
    --------
    Three judges name the better of two answers to five prompts:

    >>> from skrankagg.metrics import krippendorff_alpha
    >>> verdicts = [["a", "a", "a"], ["b", "b", None], ["a", "b", "a"], ["b", "b", "b"],
    ...             ["a", None, None]]
    >>> result = krippendorff_alpha(verdicts)
    >>> round(result.alpha, 3), result.n_items
    (0.667, 4)
    """
    check_choice("level", level, ("nominal", "ordinal", "interval"))
    check_share("confidence", confidence, low=False, high=False)
    check_count("n_resamples", n_resamples, least=2)
    item, code, grades = _read(ratings, level)
    size = np.bincount(item)
    kept = (size >= 2)[item]
    item, code = np.unique(item[kept], return_inverse=True)[1], code[kept]
    n_items = int(item.max(initial=-1)) + 1
    if not n_items:
        return KrippendorffAlpha(np.nan, np.nan, np.nan, 0)
    parts = _Parts(item, code, grades, level)
    alpha = parts.alpha(np.ones(n_items))
    if np.isnan(alpha) or n_items == 1:
        return KrippendorffAlpha(alpha, np.nan, np.nan, n_items)
    rng = np.random.default_rng(random_state)
    drawn = [
        parts.alpha(np.bincount(rng.integers(0, n_items, n_items), minlength=n_items).astype(np.float64))
        for _ in range(n_resamples)
    ]
    drawn = np.where(np.isnan(drawn), 1.0, drawn)
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])
    return KrippendorffAlpha(alpha, float(low), float(high), n_items)


class _Parts:
    """Prepared ratings, from which alpha is computed quickly for many random draws of the items.

    Items with fewer than two ratings are not included.
    """

    def __init__(self, item, code, grades, level):
        self.item, self.code, self.level, self.grades = item, code, level, grades
        self.size = np.bincount(item).astype(np.float64)
        # A cell is a pair of an item and a grade; `count` is the number of judges who gave the item this grade.
        cells, self.count = np.unique(item.astype(np.int64) * len(grades) + code, return_counts=True)
        self.cell_item, self.cell_code = np.divmod(cells, len(grades))

    def alpha(self, weight):
        """Return alpha of a draw in which item i occurs ``weight[i]`` times; NaN if all drawn ratings are equal."""
        total = np.bincount(self.cell_code, weights=self.count * weight[self.cell_item], minlength=len(self.grades))
        n = total.sum()
        if self.level == "nominal":
            # Pairs of different ratings, counted in both orders.
            squares = np.bincount(self.cell_item, weights=self.count**2, minlength=len(self.size))
            observed, expected = self.size**2 - squares, n**2 - total @ total
        else:
            value = self.grades if self.level == "interval" else np.cumsum(total) - total / 2
            value = value - (total @ value) / n
            of_cells = value[self.cell_code]
            sums = np.bincount(self.cell_item, weights=self.count * of_cells, minlength=len(self.size))
            squares = np.bincount(self.cell_item, weights=self.count * of_cells**2, minlength=len(self.size))
            observed, expected = 2 * (self.size * squares - sums**2), 2 * n * (total @ value**2)
        if np.count_nonzero(total) < 2:
            return np.nan
        return float(1 - (n - 1) * (weight @ (observed / (self.size - 1))) / expected)


def _read(ratings, level):
    """Return three arrays: the item of each rating, the index of each rating's grade, and the value of each grade.

    Grades are sorted by value. Nominal grades have no order; their values are 0, 1, 2 and so on.
    """
    cells = np.asarray(ratings.to_numpy(dtype=object) if isinstance(ratings, pd.DataFrame) else ratings, dtype=object)
    if cells.ndim != 2:
        raise InputError(
            f"`ratings` must be a matrix with a row for each item and a column for each judge; got {cells.ndim} "
            "dimension(s)."
        )
    item, judge = np.nonzero(~pd.isna(cells))
    values = cells[item, judge]
    if level == "nominal":
        code, grades = pd.factorize(values)
        return item, code, np.arange(len(grades), dtype=np.float64)
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        wrong = next(one for one in values if isinstance(one, str) or not np.isscalar(one))
        raise InputTypeError(
            f"`ratings` must be numbers if level={level!r}; got {show(wrong)}. Choose level='nominal' for names."
        ) from None
    if np.isinf(numbers).any():
        raise InputError("`ratings` must be finite; got infinity. Replace infinite ratings by NaN.")
    grades, code = np.unique(numbers, return_inverse=True)
    return item, code, grades
