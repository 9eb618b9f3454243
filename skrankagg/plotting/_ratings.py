"""Plot of ratings with their intervals; the shade changes where a test found a gap between two neighbours."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._checks import check_count
from ..base import BaseAggregator
from ..exceptions import InputTypeError
from ..inspection import rank_stability
from ._display import Display
from ._layout import (
    BAR,
    BLUE,
    CHARACTER,
    GREY,
    TEXT,
    labels_of,
    longest,
    note_missing_intervals,
    side_axes,
    size_of_rows,
    title_of,
    write_rows,
)
from ._plotted_values import as_numbers, half_widths, lists_of_query, number_of_units, rows_of_query, unit_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer

__all__ = ["RatingsDisplay"]

_ERRORS = ("std_error", "score_se")
_BAND = "#eceff2"
# Smallest width of the column of letters in which its label fits, in inches.
_NARROWEST = 1.4


@dataclass(eq=False, repr=False)
class RatingsDisplay(Display):
    r"""Ratings of the first items, with a dot for each rating and a bar for its interval.

    Two neighbours in the ranking have the same shade if the test of their difference found no gap. Create a display
    with :meth:`from_estimator` or :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame of shape (n_items, n_columns)
        Rows of one query with the columns `item`, `score`, `low` and `high`, and, if known, `gap_group` and `letters`.
        A missing `low` or `high` means that the interval is unknown.
    label : str, default="score"
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
    letters_ax_ : matplotlib Axes or None
        Axes of the second column, which contains the letters.

    See Also
    --------
    RankStabilityDisplay : Shows the places of the items with their intervals.
    skrankagg.inspection.rank_stability : Computes the tests with ``adjust="max-t"``.
    skrankagg.aggregators.PlackettLuce : Computes ratings on the scale of Elo, with standard errors.

    Notes
    -----
    An interval is the rating plus and minus a multiple of the standard error. The multiple is a quantile of the t
    distribution if the number of independent units, such as judges, is known. Otherwise it is a quantile of the normal
    distribution. :meth:`from_estimator` counts the units that are drawn: lists, voters, queries or groups. Weighted
    lists are not counted, because one list may represent many ballots. The confidence level refers to each single
    interval.

    The shades need the column `gap_group`, which :func:`~skrankagg.inspection.rank_stability` computes with
    ``adjust="max-t"``. **A shade is not a set of equal items.** The shade changes where a gap between neighbours was
    found. Items of one shade that are far apart may well differ. Two items may be separated although their intervals
    overlap, because the error of a difference is not the sum of the two errors.

    With ``pairs="all"``, a second column contains letters. No difference was found between two items if, and only if,
    they share a letter.

    Examples
    --------
    >>> from skrankagg import PlackettLuce, RankedLists
    >>> from skrankagg.datasets import make_comparisons
    >>> from skrankagg.plotting import RatingsDisplay
    >>> made = make_comparisons(n_items=5, n_comparisons=600, random_state=0).comparisons
    >>> duels = RankedLists.from_comparisons(made)
    >>> display = RatingsDisplay.from_estimator(PlackettLuce(scale="elo"), duels,
    ...     n_resamples=200)
    >>> display.table[["item", "score", "low", "high", "gap_group"]].round(0)
      item   score     low    high  gap_group
    0   i1  1302.0  1239.0  1365.0          1
    1   i5   992.0   955.0  1030.0          2
    2   i3   931.0   892.0   969.0          2
    3   i4   895.0   857.0   934.0          2
    4   i2   880.0   840.0   920.0          2
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "score"
    title: str = ""

    _alt = (
        "A dot for the rating of each of twelve models with a bar for its interval, on bands whose shade changes where "
        "a gap between neighbours was found, and in a second column letters that models share if they do not differ"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        lists: PlainLists,
        *,
        query: Any = None,
        top: int = 20,
        n_resamples: int = 1000,
        confidence: float = 0.95,
        unit: str = "list",
        votes: bool | None = None,
        pairs: Literal["next", "all"] = "next",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw lists of a query at random many times, and show the ratings with intervals and tests from the draws.

        Parameters
        ----------
        aggregator : aggregator
            A method whose scores are sums over the lists, or are estimated by a model such as PlackettLuce. The tests
            need such scores.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        query : object, default=None
            Id of the query; None if there is only one query, or if `unit` is "query".
        top : int, default=20
            Number of items to show.
        n_resamples : int, default=1000
            Number of random draws.
        confidence : float, default=0.95
            Confidence level of each interval, and joint confidence level of all tests.
        unit : {"list", "voter", "query"} or str, default="list"
            The unit that is drawn at random.
        votes : bool or None, default=None
            Whether weights are numbers of ballots, as in :func:`~skrankagg.inspection.rank_stability`.
        pairs : {"next", "all"}, default="next"
            The pairs of items to test: "next" tests each item against the next item, and "all" tests all pairs. "all"
            also adds the column of letters.
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
        RatingsDisplay
        """
        own = lists_of_query(cls.__name__, lists, query, unit)
        frame = rank_stability(
            aggregator,
            own,
            n_resamples=n_resamples,
            confidence=confidence,
            places=[1],
            unit=unit,
            votes=votes,
            adjust="max-t",
            pairs=pairs,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        label = (
            f"{_scale_of(aggregator)}; bar, {100 * confidence:g} % interval from {n_resamples} draws of "
            f"{unit_words(unit)}"
        )
        n_units = number_of_units(check_lists(encode_plain(own)), unit)
        if n_units == 1:
            # With a single unit, all draws are equal, so their standard error of 0 is meaningless.
            frame, n_units = frame.assign(score_se=np.nan), None
        options = {"confidence": confidence, "n_units": n_units, "label": label, "ax": ax}
        return cls.from_frame(frame, query=None if unit == "query" else query, top=top, **options, **bar_kwargs)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        query: Any = None,
        top: int = 20,
        confidence: float = 0.95,
        n_units: int | None = None,
        label: str | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw the result of a model with standard errors, or a result of ``rank_stability``.

        Parameters
        ----------
        table : DataFrame
            Columns `item`, `score`, and `std_error` or `score_se`. If the table has both, `std_error` is used. The
            columns `gap_group` and `letters` are drawn if the table has them.
        query : object, default=None
            Id of the query; None if there is only one query.
        top : int, default=20
            Number of items to show.
        confidence : float, default=0.95
            Confidence level of each interval.
        n_units : int, default=None
            Number of independent units, such as judges, that the standard errors come from. The intervals then use
            the t distribution with `n_units` - 1 degrees of freedom. None uses the normal distribution.
        label : str, default=None
            Label of the axis; None uses a label with the confidence level.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        RatingsDisplay
        """
        check_count("top", top)
        rows = rows_of_query(cls.__name__, table, query, ["item", "score"])
        error = next((name for name in _ERRORS if name in rows), None)
        if error is None:
            raise InputTypeError(
                "`table` must have a column 'std_error' or 'score_se' for the intervals. Use PlackettLuce(std_errors=) "
                "or rank_stability."
            )
        shown = rows.head(top)
        score, half = as_numbers(shown["score"]), half_widths(as_numbers(shown[error]), confidence, n_units)
        kept = [name for name in ("query", "item", "rank", "gap_group", "letters") if name in shown]
        shown = shown[kept].assign(score=score, low=score - half, high=score + half)
        label = f"score; bar, {100 * confidence:g} % interval" if label is None else label
        title = title_of(query, top, len(rows), "items")
        return cls(shown, label=label, title=title).plot(ax, **bar_kwargs)

    def _reason(self):
        return "" if np.isfinite(as_numbers(self.table["score"])).any() else "No item has a rating."

    def _draw(self, ax, **bar_kwargs):
        names = labels_of(self.table["item"])
        score, low, high = (as_numbers(self.table[name]) for name in ("score", "low", "high"))
        known, place = np.isfinite(low) & np.isfinite(high), np.arange(len(names))
        letters = self._letters()
        wide = 0.0 if letters is None else max(_NARROWEST, 0.1 + CHARACTER * longest(letters)) + 0.3
        ax = self._new_axes(ax, *size_of_rows(names, 5.6 + wide))
        shade = self._shades()
        style = {"height": 0.52, "color": BAR, "zorder": 2, **bar_kwargs}
        self.bars_: BarContainer = ax.barh(place[known], (high - low)[known], left=low[known], **style)
        # A rating without an interval is a hollow circle, so that it does not look certain.
        style = {"c": [BLUE if one else "white" for one in known], "edgecolors": BLUE, "linewidths": 1.2}
        self.points_: PathCollection = ax.scatter(score, place, s=22, zorder=3, **style)
        write_rows(ax, names, self.title)
        ax.set_xlabel(note_missing_intervals(self.label, score, known))
        ax.use_sticky_edges = False
        ax.autoscale_view()
        self._grid("x")
        self.letters_ax_: Axes | None = None if letters is None else self._write_letters(ax, letters, wide - 0.3)
        for one in (ax, self.letters_ax_):
            for row in place[shade == 1]:
                if one is not None:
                    one.axhspan(row - 0.5, row + 0.5, color=_BAND, linewidth=0, zorder=0)
        if self._has_groups():
            words = "the shade changes where a gap was found; items of one shade may differ"
            self._legend([_key(words if shade.any() else "no gap was found; the items may still differ")], "below")

    def _shades(self):
        """Return 0 (no shade) or 1 (shade) for the background of each item.

        The number changes between two neighbours if the test of their difference found a gap.
        """
        if not self._has_groups():
            return np.zeros(len(self.table), dtype=np.int64)
        return (as_numbers(self.table["gap_group"]).astype(np.int64) - 1) % 2

    def _has_groups(self):
        return "gap_group" in self.table and self.table["gap_group"].notna().all()

    def _letters(self):
        if "letters" not in self.table or self.table["letters"].isna().any():
            return None
        return self.table["letters"].tolist()

    def _write_letters(self, ax, letters, width):
        """Write the letters of each item in a second column.

        No difference was found between two items if, and only if, they share a letter.
        """
        side = side_axes(ax, width)
        side.set_xlim(0.0, 1.0)
        side.set_xticks([])
        side.spines["bottom"].set_visible(False)
        for row, text in enumerate(letters):
            side.text(0.0, row, text, va="center", fontsize="small", color=TEXT)
        side.set_xlabel("share a letter:\nno difference found", loc="left")
        return side

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.RATING, data.arena(), unit="judge", pairs="all", n_resamples=500, ax=ax)


def _key(words):
    """Return a legend entry that shows the shade of the background, with the explanation `words`."""
    from matplotlib.patches import Patch

    return Patch(facecolor=_BAND, edgecolor=GREY, linewidth=0.6, label=words)


def _scale_of(aggregator):
    """Return the name of the scale of the method's scores, such as "log-worth", for the label of an axis."""
    return {"elo": "rating on the scale of Elo", "log": "log-worth"}.get(getattr(aggregator, "scale", None), "score")
