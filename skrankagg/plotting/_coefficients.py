"""Plot of the coefficients of covariates with their intervals, as coefficients or as odds ratios."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._support._checks import check_flag
from ..base import BaseAggregator
from ..exceptions import InputError
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
from ._plotted_values import as_numbers, half_widths, rows_of_query

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

__all__ = ["CoefficientsDisplay"]

_COLUMNS = ["covariate", "coefficient", "std_error"]


@dataclass(eq=False, repr=False)
class CoefficientsDisplay(Display):
    r"""Coefficients and intervals of covariates, such as the position or the length of an answer.

    A line marks the coefficient 0, or the odds ratio 1. Create a display with :meth:`from_estimator` or
    :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame of shape (n_covariates, n_columns)
        Rows of one query with the columns `covariate`, `coefficient`, `low` and `high`, and, if known, the p-value in
        the column `p`. A missing `low` or `high` means that the interval is unknown.
    odds : bool, default=False
        Whether to draw odds ratios on a logarithmic axis instead of coefficients.
    label : str, default="coefficient"
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
        A dot for each covariate. The dots of covariates without an interval are hollow.
    bars_ : matplotlib BarContainer
        The intervals, in the order of the covariates that have an interval.
    zero_ : matplotlib Line2D
        Line at the coefficient 0, or at the odds ratio 1.
    p_ax_ : matplotlib Axes or None
        Axes of the second column, which contains the p-values.

    See Also
    --------
    RatingsDisplay : Shows the ratings of the items.
    skrankagg.aggregators.PlackettLuce : The model of the ratings.

    Notes
    -----
    An interval is the coefficient plus and minus a multiple of the standard error. The multiple is a quantile of the t
    distribution if the number of independent units, such as judges, is known. Otherwise it is a quantile of the normal
    distribution. The odds ratio is :math:`e^b` for the coefficient :math:`b`. If the covariate increases by 1, the odds
    of a win are multiplied by the odds ratio. The size of a coefficient therefore depends on the scale of the
    covariate. The interval of an odds ratio extends from :math:`e^{low}` to :math:`e^{high}`.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.plotting import CoefficientsDisplay
    >>> found = pd.DataFrame({"covariate": ["position", "length"],
    ...     "coefficient": [0.3, 0.1], "std_error": [0.05, 0.1]})
    >>> display = CoefficientsDisplay.from_frame(found, odds=True)
    >>> display.table.round(2)
      covariate  coefficient   low  high
    0  position          0.3  0.20  0.40
    1    length          0.1 -0.10  0.30
    """

    table: pd.DataFrame
    _: KW_ONLY
    odds: bool = False
    label: str = "coefficient"
    title: str = ""

    _alt = (
        "A dot for the odds ratio of each of four covariates with a bar for its interval, a line at 1, and a column of "
        "p-values"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        *,
        query: Any = None,
        odds: bool = False,
        confidence: float = 0.95,
        n_units: int | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw the coefficients of a fitted model.

        Parameters
        ----------
        aggregator : aggregator
            A fitted model with the attribute ``coefficients_``.
        query : object, default=None
            Id of the query; None if there is only one query, or if the coefficients belong to all queries.
        odds : bool, default=False
            Whether to draw odds ratios instead of coefficients.
        confidence : float, default=0.95
            Confidence level of each interval.
        n_units : int, default=None
            Number of independent units, such as judges, that the standard errors come from; see :meth:`from_frame`.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        CoefficientsDisplay
        """
        found = getattr(aggregator, "coefficients_", None)
        if found is None:
            raise InputError(
                f"`aggregator` must be a fitted model with covariates; got {aggregator!r}, which has no attribute "
                "coefficients_. Call its fit(lists) first."
            )
        options = {"query": query, "odds": odds, "confidence": confidence, "n_units": n_units, "ax": ax}
        return cls.from_frame(found, **options, **bar_kwargs)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        query: Any = None,
        odds: bool = False,
        confidence: float = 0.95,
        n_units: int | None = None,
        label: str | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw a frame of coefficients.

        Parameters
        ----------
        table : DataFrame
            Columns `covariate`, `coefficient` and `std_error`, and possibly `query` and `p`.
        query : object, default=None
            Id of the query; None if there is only one query, or no column `query`.
        odds : bool, default=False
            Whether to draw odds ratios instead of coefficients.
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
        CoefficientsDisplay
        """
        check_flag("odds", odds)
        rows = rows_of_query(cls.__name__, table, query, _COLUMNS)
        value = as_numbers(rows["coefficient"])
        half = half_widths(as_numbers(rows["std_error"]), confidence, n_units)
        shown = rows[[name for name in ("query", "covariate") if name in rows]]
        shown = shown.assign(coefficient=value, low=value - half, high=value + half)
        if "p" in rows:
            shown["p"] = as_numbers(rows["p"])
        if label is None:
            label = f"{'odds ratio' if odds else 'coefficient'}; bar, {100 * confidence:g} % interval"
        display = cls(shown, odds=bool(odds), label=label, title=title_of(query, 0, 0, "covariates"))
        return display.plot(ax, **bar_kwargs)

    def _reason(self):
        return "" if np.isfinite(as_numbers(self.table["coefficient"])).any() else "No coefficient has a finite value."

    def _draw(self, ax, **bar_kwargs):
        names = labels_of(self.table["covariate"])
        value, low, high = (as_numbers(self.table[name]) for name in ("coefficient", "low", "high"))
        if self.odds:
            with np.errstate(over="ignore"):
                value, low, high = np.exp(value), np.exp(low), np.exp(high)
        known, place = np.isfinite(low) & np.isfinite(high), np.arange(len(names))
        has_p = "p" in self.table and self.table["p"].notna().any()
        ax = self._new_axes(ax, *size_of_rows(names, 5.2 if has_p else 4.4))
        if self.odds:
            ax.set_xscale("log")
        style = {"height": 0.52, "color": BAR, "zorder": 2, **bar_kwargs}
        self.bars_: BarContainer = ax.barh(place[known], (high - low)[known], left=low[known], **style)
        self.zero_: Line2D = ax.axvline(1.0 if self.odds else 0.0, color=GREY, linewidth=1.0, zorder=1)
        # A coefficient without an interval is a hollow circle, so that it does not look certain.
        style = {"c": [BLUE if one else "white" for one in known], "edgecolors": BLUE, "linewidths": 1.2}
        self.points_: PathCollection = ax.scatter(value, place, s=22, zorder=3, **style)
        write_rows(ax, names, self.title)
        ax.set_xlabel(note_missing_intervals(self.label, value, known, "no coefficient has an interval"))
        ax.use_sticky_edges = False
        ax.autoscale_view()
        if self.odds:
            _plain_ticks(ax)
        self._grid("x")
        self.p_ax_: Axes | None = self._write_p(ax) if has_p else None

    def _write_p(self, ax):
        side = side_axes(ax, 0.7)
        side.set_xlim(0.0, 1.0)
        side.set_xticks([])
        side.spines["bottom"].set_visible(False)
        for row, value in enumerate(as_numbers(self.table["p"])):
            if np.isfinite(value):
                text = "< 0.001" if value < 0.001 else f"{value:.3f}"
                side.text(0.0, row, text, va="center", fontsize="small", color=TEXT)
        side.set_xlabel("p-value", loc="left")
        return side

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_frame(data.coefficients(), odds=True, ax=ax)


def _plain_ticks(ax):
    """Label the ticks of a logarithmic axis with plain numbers, and use so few ticks that the labels fit."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

    low, high = ax.get_xlim()
    write = FuncFormatter(lambda value, _: f"{value:g}")
    # Ticks at 1, 2 and 5 times powers of ten are too few for a narrow range, and too many for a very wide range.
    subs = (1, 2, 5) if high / low < 1000 else (1,)
    near = MaxNLocator(6, steps=[1, 2, 5, 10])
    ax.xaxis.set_major_locator(near if high / low < 20 else LogLocator(subs=subs, numticks=7))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter(write)
    ax.xaxis.set_minor_formatter(NullFormatter())
