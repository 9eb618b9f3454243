"""Heat map of how often each item is above every other item if the lists are drawn at random many times."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import PlainLists
from .._support._checks import check_count
from ..base import BaseAggregator
from ..exceptions import InputError, InputTypeError
from ..inspection import preference_probabilities
from ._display import Display
from ._layout import CHARACTER, TEXT, check_limits, diverging, draw_matrix, labels_of, longest, title_of, write_title
from ._plotted_values import lists_of_query

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import LineCollection
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

__all__ = ["PreferenceProbabilityDisplay"]

# Largest number of items for which cells show their numbers.
_MAX_NUMBERED = 20


@dataclass(eq=False, repr=False)
class PreferenceProbabilityDisplay(Display):
    r"""Heat map of the share of random draws in which the item of a row is above the item of a column.

    Each draw aggregates lists that are drawn at random from the given lists. A line surrounds the pairs that have the
    same order in nearly all draws. Create a display with :meth:`from_estimator` or :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame of shape (n_items, n_items)
        Result of :func:`~skrankagg.inspection.preference_probabilities`, or a part of it.
    confidence : float, default=0.95
        Pairs are framed if one item is above the other in at least this share of the draws.
    title : str, default=""
        Title.
    limits : tuple of two floats, default=None
        Lowest and highest value of the colours, with 1/2 between them. None uses the smallest symmetric range around
        1/2 that contains all shares.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    image_ : matplotlib AxesImage
        The coloured cells. The colour for 1/2 is white.
    text_ : list of matplotlib Text
        Numbers in the cells, if there are at most 20 items.
    frame_ : matplotlib LineCollection
        The line around the pairs whose share reaches `confidence`.

    See Also
    --------
    skrankagg.inspection.preference_probabilities : Computes the numbers.
    RankStabilityDisplay : Shows one interval for each item.
    AgreementDisplay : Shows the agreement of voters.

    Notes
    -----
    Items are in the order of the consensus. Above the diagonal, the item of the row therefore ranks higher than the
    item of the column. Uncertain pairs lie along the diagonal, outside of the two framed areas. If they form a broad
    band, the draws disagree. Each pair is treated separately. If there are many pairs, some exceed 95 % by chance.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import PreferenceProbabilityDisplay
    >>> lists = make_ranked_lists(n_queries=1, n_voters=20, n_items=4, list_length=None,
    ...     quality=0.5, random_state=0)[0]
    >>> display = PreferenceProbabilityDisplay.from_estimator(BordaCount(), lists)
    >>> display.table.round(2)
          i1    i3    i4    i2
    i1  0.50  0.61  0.92  1.00
    i3  0.39  0.50  0.90  1.00
    i4  0.08  0.10  0.50  0.91
    i2  0.00  0.00  0.09  0.50
    """

    table: pd.DataFrame
    _: KW_ONLY
    confidence: float = 0.95
    title: str = ""
    limits: tuple[float, float] | None = None

    _alt = (
        "A heat map of twelve models by twelve: the share of the draws in which the row is above the column, with a "
        "line around the pairs that are in one order in nearly all draws"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        lists: PlainLists,
        *,
        query: Any = None,
        top: int = 20,
        confidence: float = 0.95,
        n_resamples: int = 1000,
        unit: str = "list",
        votes: bool | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        limits: tuple[float, float] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw lists of a query at random many times, and show how often each item is above every other item.

        Parameters
        ----------
        aggregator : aggregator
            Any method that accepts weights of lists, see :func:`~skrankagg.inspection.preference_probabilities`.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        query : object, default=None
            Id of the query; None if there is only one query, or if `unit` is "query".
        top : int, default=20
            Number of items to show.
        confidence : float, default=0.95
            Pairs are framed if one item is above the other in at least this share of the draws.
        n_resamples : int, default=1000
            Number of random draws.
        unit : {"list", "voter", "query"} or str, default="list"
            The unit that is drawn at random.
        votes : bool or None, default=None
            Whether weights are numbers of ballots, as in :func:`~skrankagg.inspection.rank_stability`.
        random_state : int, RandomState instance or None, default=0
            Source of the draws.
        n_jobs : int, default=None
            Number of processes that share the draws.
        limits : tuple of two floats, default=None
            Lowest and highest value of the colours; None uses the smallest symmetric range around 1/2 that contains all
            shares.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.

        Returns
        -------
        PreferenceProbabilityDisplay
        """
        table = preference_probabilities(
            aggregator,
            lists_of_query(cls.__name__, lists, query, unit),
            n_resamples=n_resamples,
            unit=unit,
            votes=votes,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        return cls._of_top(table, top, confidence, query, limits).plot(ax)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        top: int = 20,
        confidence: float = 0.95,
        limits: tuple[float, float] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a result of ``preference_probabilities``.

        Parameters
        ----------
        table : DataFrame of shape (n_items, n_items)
            Result of :func:`~skrankagg.inspection.preference_probabilities`.
        top : int, default=20
            Number of items to show.
        confidence : float, default=0.95
            Pairs are framed if one item is above the other in at least this share of the draws.
        limits : tuple of two floats, default=None
            Lowest and highest value of the colours; None uses the smallest symmetric range around 1/2 that contains all
            shares.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.

        Returns
        -------
        PreferenceProbabilityDisplay
        """
        if not isinstance(table, pd.DataFrame) or table.shape[0] != table.shape[1]:
            raise InputTypeError("`table` must be a square data frame. Pass the result of preference_probabilities.")
        return cls._of_top(table, top, confidence, None, limits).plot(ax)

    @classmethod
    def _of_top(cls, table, top, confidence, query, limits):
        check_count("top", top)
        title = title_of(query, top, len(table), "items")
        return cls(table.iloc[:top, :top], confidence=confidence, title=title, limits=limits)

    def _reason(self):
        if len(self.table) == 1:
            return "There is only one item, so there is no pair."
        known = np.isfinite(self.table.to_numpy(dtype=float)) & ~np.eye(len(self.table), dtype=bool)
        return "" if known.any() else "No pair of items has a value, because no chain of lists connects two items."

    def _draw(self, ax):
        if isinstance(self.confidence, bool) or not 0.5 < self.confidence <= 1:
            raise InputError(f"`confidence` must be above 1/2 and at most 1, such as 0.95; got {self.confidence!r}.")
        from matplotlib.collections import LineCollection

        n = len(self.table)
        names = labels_of(self.table.index)
        numbered = n <= _MAX_NUMBERED
        width = CHARACTER * longest(names)
        cells = max(1.6, (0.36 if numbered else 0.2) * n)
        ax = self._new_axes(ax, cells + width + 1.6, cells + width + 0.7)
        shown = pd.DataFrame(self.table.to_numpy(dtype=float), index=names, columns=names).mask(np.eye(n, dtype=bool))
        label = "share of the draws in which\nthe row is above the column"
        low, high = _range_of(shown.to_numpy()) if self.limits is None else check_limits(self.limits)
        # The darkest colours are left out, because the line around the pairs would not be visible on them.
        image, text = draw_matrix(ax, shown, label, (low, high), diverging(low, high, 0.5, end=0.16), numbered)
        self.image_: AxesImage = image
        self.text_: list[Text] = text
        image.colorbar.ax.tick_params(labelsize="small")
        image.colorbar.set_label(label, fontsize="small")
        ax.tick_params(axis="x", rotation=90)
        sure = are_sure(shown.to_numpy(), self.confidence)
        borders = LineCollection(_borders(sure), colors=TEXT, linewidths=1.4, capstyle="projecting")
        self.frame_: LineCollection = borders
        ax.add_collection(borders, autolim=False)
        # Without this, half of the line would be cut off at the edge of the cells.
        borders.set_clip_on(False)
        write_title(ax, self.title)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.BORDA, data.leaderboard(), ax=ax)


def are_sure(shares, confidence):
    """Return a mask of the pairs in which one item is above the other in enough of the draws.

    `shares` contains, for each pair, the share of the draws in which the first item is above the second. The mask is
    True if this share is at least `confidence`, or at most 1 - `confidence`. It is False if the share is NaN.
    """
    return np.maximum(shares, 1 - shares) >= confidence - 1e-12


def _range_of(shares):
    """Return the smallest symmetric range around 1/2 that contains all shares, or 0 and 1 if all shares are 1/2."""
    shares = shares[np.isfinite(shares)]
    far = float(np.abs(shares - 0.5).max(initial=0.0))
    return (0.5 - far, 0.5 + far) if far > 1e-9 else (0.0, 1.0)


def _borders(inside):
    """Return the edges between True cells and False cells of the mask `inside`; each edge is a pair of points."""
    padded = np.pad(inside, 1)
    across = np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]) - 0.5
    down = np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]) - 0.5
    return [
        *([(column, row), (column + 1, row)] for row, column in across),
        *([(column, row), (column, row + 1)] for row, column in down),
    ]
