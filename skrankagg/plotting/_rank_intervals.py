"""Forest plot of each item's rank and interval, and of the chance that the item is among the first places."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

from .._data._types import PlainLists
from .._support._checks import check_choice, check_count
from ..base import BaseAggregator
from ..exceptions import InputError
from ..inspection import rank_stability
from ._display import Display
from ._layout import (
    BAR,
    BLUE,
    GREY,
    TEXT,
    labels_of,
    note_missing_intervals,
    side_axes,
    size_of_rows,
    title_of,
    write_rows,
)
from ._plotted_values import as_numbers, lists_of_query, rows_of_query, unit_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer

__all__ = ["RankStabilityDisplay"]

_CHANCE = "#e0a458"
# The axis of places is logarithmic if an interval extends beyond this many times the number of items shown.
_FAR = 5
_NO_INTERVALS = "no intervals: they need two lists, and a chain of lists that connects all items"


@dataclass(eq=False, repr=False)
class RankStabilityDisplay(Display):
    r"""Forest plot of the places of the first items, with a dot for the rank and a bar for the interval.

    A second column shows the chance that an item is among the first k places. Lines separate groups of items. Create a
    display with :meth:`from_estimator` or :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame of shape (n_items, n_columns)
        Rows of one query from :func:`~skrankagg.inspection.rank_stability` or
        :func:`~skrankagg.inspection.rank_confidence`. The columns are `item`, `rank`, `rank_low` and `rank_high`. A
        column `top_k`, and a column `gap_group` or `tied_group`, are optional.
    n_places : int, default=None
        Number k of places; the second column shows the chances in the column `top_k`. None draws no second column.
    label : str, default="place"
        Label of the axis.
    title : str, default=""
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    points_ : matplotlib PathCollection
        A dot for each item. The dots of items without an interval are hollow.
    bars_ : matplotlib BarContainer
        The intervals, in the order of the items that have an interval.
    chance_ax_ : matplotlib Axes or None
        Axes of the second column.

    See Also
    --------
    skrankagg.inspection.rank_stability : Computes the numbers.
    skrankagg.inspection.rank_confidence : Computes confidence sets, which can also be drawn.
    PreferenceProbabilityDisplay : Shows how often each item is above every other item in the draws.

    Notes
    -----
    A bar runs from the middle of the first place of an interval to the middle of the last place. The bar extends a
    little beyond both ends, so that a bar of a single place is visible. A line marks the end of each group of items
    that :func:`~skrankagg.inspection.rank_stability` found. The item above the line ranks higher than the next item in
    nearly all draws; the share of these draws is at least `confidence`. If the table has the column `gap_group`, a line
    marks a gap that the test with ``adjust="max-t"`` found. Items of one group may still differ, because only
    neighbours are compared. If there is only one list, draws are not possible, and neither chances nor lines are shown.

    Two items may be clearly separated although their intervals overlap, because their places change together.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import RankStabilityDisplay
    >>> lists = make_ranked_lists(n_queries=1, n_voters=20, n_items=6, list_length=None,
    ...     quality=0.5, random_state=0)[0]
    >>> display = RankStabilityDisplay.from_estimator(BordaCount(), lists, top=4,
    ...     n_places=1)
    >>> display.table[["item", "rank", "rank_low", "rank_high", "top_1",
    ...     "tied_group"]].round(2)
      item  rank  rank_low  rank_high  top_1  tied_group
    0   i1     1         1          3   0.71           1
    1   i3     2         1          3   0.27           1
    2   i4     3         2          5   0.01           1
    3   i2     4         2          5   0.01           1
    """

    table: pd.DataFrame
    _: KW_ONLY
    n_places: int | None = None
    label: str = "place"
    title: str = ""

    _alt = (
        "A dot for the place of each of twelve models with a bar for its interval, and in a second column the chance "
        "of the first place"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        lists: PlainLists,
        *,
        query: Any = None,
        top: int = 20,
        n_places: int = 3,
        n_resamples: int = 1000,
        confidence: float = 0.95,
        unit: str = "list",
        votes: bool | None = None,
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw lists of a query at random many times, aggregate each draw, and show the places of the items.

        Parameters
        ----------
        aggregator : aggregator
            Any method that accepts weights of lists, see :func:`~skrankagg.inspection.rank_stability`.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        query : object, default=None
            Id of the query; None if there is only one query, or if `unit` is "query".
        top : int, default=20
            Number of items to show.
        n_places : int, default=3
            Number k of places; the second column shows the chance that an item is among the first k places.
        n_resamples : int, default=1000
            Number of random draws.
        confidence : float, default=0.95
            Share of the draws that an interval covers.
        unit : {"list", "voter", "query"} or str, default="list"
            The unit that is drawn at random.
        votes : bool or None, default=None
            Whether weights are numbers of ballots, as in :func:`~skrankagg.inspection.rank_stability`.
        random_state : int, RandomState instance or None, default=0
            Source of the draws.
        n_jobs : int, default=None
            Number of processes that share the draws.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        RankStabilityDisplay
        """
        check_count("top", top)
        frame = rank_stability(
            aggregator,
            lists_of_query(cls.__name__, lists, query, unit),
            n_resamples=n_resamples,
            confidence=confidence,
            places=[n_places],
            unit=unit,
            votes=votes,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        label = (
            f"place: dot, in the consensus; bar, in {100 * confidence:g} % of {n_resamples} draws of {unit_words(unit)}"
        )
        display = cls(frame.head(top), n_places=n_places, label=label, title=title_of(query, top, len(frame), "items"))
        return display.plot(ax, **bar_kwargs)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        query: Any = None,
        top: int = 20,
        n_places: int | None = None,
        label: str | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw a result of ``rank_stability`` or ``rank_confidence``.

        Parameters
        ----------
        table : DataFrame
            Result of :func:`~skrankagg.inspection.rank_stability` or :func:`~skrankagg.inspection.rank_confidence`.
        query : object, default=None
            Id of the query; None if there is only one query.
        top : int, default=20
            Number of items to show.
        n_places : int, default=None
            Number k of places; the second column shows the chances in the column `top_k`. None uses the column with the
            largest k below the number of items, if there is such a column.
        label : str, default=None
            Label of the axis; None uses a label that names the kind of the intervals.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        RankStabilityDisplay
        """
        check_count("top", top)
        rows = rows_of_query(cls.__name__, table, query, ["item", "rank", "rank_low", "rank_high"])
        known = sorted(int(name[4:]) for name in rows if name.startswith("top_") and name[4:].isdecimal())
        if n_places is None:
            n_places = max((one for one in known if one < len(rows)), default=None)
        elif n_places not in known:
            choices = ", ".join(map(str, known)) or "the k of a column top_k, but the table has no such column"
            raise InputError(
                f"`n_places` must be one of {choices}; got {n_places!r}. "
                "To show another number of places, include it in the argument `places` of rank_stability."
            )
        if label is None:
            drawn = f"interval over {rows['n_resamples'].max()} draws" if "n_resamples" in rows else "confidence set"
            label = f"place: dot, in the consensus; bar, {drawn}"
        display = cls(rows.head(top), n_places=n_places, label=label, title=title_of(query, top, len(rows), "items"))
        return display.plot(ax, **bar_kwargs)

    def plot(
        self, ax: Axes | None = None, *, scale: Literal["auto", "linear", "log"] = "auto", **bar_kwargs: Any
    ) -> Self:
        """Draw the ranks with their intervals, and the chances in a second column.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        scale : {"auto", "linear", "log"}, default="auto"
            Scale of the places; "auto" is logarithmic if an interval extends beyond five times the number of items
            shown.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        RankStabilityDisplay
            This display, with `ax_`, `figure_`, `points_`, `bars_` and `chance_ax_`.
        """
        check_choice("scale", scale, ("auto", "linear", "log"))
        return super().plot(ax, scale=scale, **bar_kwargs)

    def _reason(self):
        return "" if np.isfinite(as_numbers(self.table["rank"])).any() else "No item has a place."

    def _draw(self, ax, scale="auto", **bar_kwargs):
        names = labels_of(self.table["item"])
        n = len(names)
        rank, low, high = (as_numbers(self.table[name]) for name in ("rank", "rank_low", "rank_high"))
        known = ~np.isnan(low)
        last = max(float(rank[np.isfinite(rank)].max(initial=1.0)), float(high[known].max(initial=1.0)))
        has_chances = self.n_places is not None and known.any()
        ax = self._new_axes(ax, *size_of_rows(names, 7.0 if has_chances else 5.6))
        place = np.arange(n)
        style = {"height": 0.52, "color": BAR, "zorder": 2, **bar_kwargs}
        self.bars_: BarContainer = ax.barh(place[known], (high - low + 0.5)[known], left=(low - 0.25)[known], **style)
        # A place without an interval is a hollow circle, so that it does not look certain.
        style = {"c": [BLUE if one else "white" for one in known], "edgecolors": BLUE, "linewidths": 1.2}
        self.points_: PathCollection = ax.scatter(rank, place, s=22, zorder=3, **style)
        write_rows(ax, names, self.title)
        if scale == "log" or (scale == "auto" and last > _FAR * max(n, 4)):
            _logarithmic(ax, last)
        else:
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.set_xlim(0.3, last + 0.7)
        ax.set_xlabel(note_missing_intervals(self.label, rank, known, _NO_INTERVALS))
        self._grid("x")
        self.chance_ax_: Axes | None = self._draw_chances(ax, place[known]) if has_chances else None
        for row in self._ends_of_groups(known):
            for one in (ax, self.chance_ax_):
                if one is not None:
                    one.axhline(row + 0.5, color=GREY, linewidth=0.7, linestyle=(0, (4, 2.5)), zorder=1)

    def _draw_chances(self, ax, place):
        chance = as_numbers(self.table[f"top_{self.n_places}"])[place]
        side = side_axes(ax, 1.35)
        side.barh(place, np.nan_to_num(chance), height=0.52, color=_CHANCE, zorder=2)
        side.set_xlim(0.0, 1.38)
        side.set_xticks([0.0, 0.5, 1.0], labels=["0", "50", "100 %"])
        side.spines["bottom"].set_bounds(0.0, 1.0)
        side.set_xlabel("first in the draws" if self.n_places == 1 else f"among the first {self.n_places}")
        for row, value in zip(place, chance, strict=True):
            if np.isfinite(value):
                side.text(value + 0.04, row, percent(value), va="center", fontsize="x-small", color=TEXT)
        return side

    def _ends_of_groups(self, known):
        group = next((name for name in ("gap_group", "tied_group") if name in self.table), None)
        if group is None:
            return np.empty(0)
        return np.flatnonzero((np.diff(as_numbers(self.table[group])) > 0) & known[1:])

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.BORDA, data.leaderboard(), n_places=1, ax=ax)


def percent(share):
    """Return a share in per cent as text, such as "71"; values near 0 or 100 are written as "<1" or ">99"."""
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1 else f"{100 * share:.0f}"


def _logarithmic(ax, last):
    from matplotlib.ticker import NullLocator

    ax.set_xscale("log")
    ticks = [m * 10**e for e in range(7) for m in (1, 2, 5) if m * 10**e <= last * 1.05]
    ticks = ticks if len(ticks) <= 8 else [tick for tick in ticks if str(tick).startswith("1")]
    ax.set_xticks(ticks, labels=[f"{tick:g}" if tick < 10**6 else f"{tick:.0e}" for tick in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlim(0.72, last * 1.15)
