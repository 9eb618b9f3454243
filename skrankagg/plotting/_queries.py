"""Bar plot of a method's gain or loss on each query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import AnyLists, AnyQrels
from .._support._checks import check_choice
from ..exceptions import InputError
from ..metrics._relevance._registry import MeasureLike, find_measure, orient
from ._display import Display
from ._layout import BLUE, DASHES, SOFT_TEXT, longest, write_title
from ._plotted_values import evaluate_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from ..model_selection import Comparator

__all__ = ["QueryGainDisplay"]

# Colour of losses, which colour-blind readers can distinguish from blue, also by its lightness.
_LOSS = "#e08a5b"
# Smaller differences are treated as rounding errors.
_EQUAL = 1e-12
# Largest number of queries whose names are written.
_MAX_NAMES = 60


@dataclass(eq=False, repr=False)
class QueryGainDisplay(Display):
    r"""Sorted bars of the gain or loss of a method against a baseline, with a bar for each query.

    Create a display with :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    difference : Series of shape (n_queries,)
        Gain on each query, indexed by query. If lower values of the measure are better, the gain is the decrease.
    method, baseline : str
        Names of the method and of the baseline, for the title.
    label : str, default="score"
        Name of the measure, for the axis of the gains.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    bars_ : matplotlib BarContainer
        The bars, with the largest gain first.

    See Also
    --------
    skrankagg.model_selection.compare_methods : Tests whether the mean gain may be due to chance.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import QueryGainDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())],
    ...     qrels=Qrels.from_frame(qrels))
    >>> display = QueryGainDisplay.from_comparator(comparator.fit(lists), "Copeland",
    ...     "CombSUM")
    >>> len(display.bars_)
    5
    """

    difference: pd.Series
    _: KW_ONLY
    method: str
    baseline: str
    label: str = "score"

    _alt = (
        "A bar for each query, sorted from the largest gain to the largest loss of one method against another, with a "
        "dashed line at the mean"
    )

    @classmethod
    def from_comparator(
        cls,
        comparator: Comparator,
        method: str,
        baseline: str,
        metric: MeasureLike | None = None,
        *,
        qrels: AnyQrels | None = None,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw the gain of one method over another method of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        method, baseline : str
            Names of methods.
        metric : str or Measure, default=None
            Measure; None uses the first measure of the comparator.
        qrels : DataFrame, Qrels or dict, default=None
            Judgements for a measure that the comparator has not computed; None uses the judgements of the comparator.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.bar`.

        Returns
        -------
        QueryGainDisplay
        """
        values = cls._measured(comparator, [metric], qrels)
        return cls._from_queries(values, method, baseline).plot(ax, **bar_kwargs)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        qrels: AnyQrels,
        method: str,
        baseline: str,
        metric: MeasureLike = "map",
        *,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw the gain of one existing run over another.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        qrels : DataFrame, Qrels or dict
            Judgements.
        method, baseline : str
            Names of runs.
        metric : str or Measure, default="map"
            A measure.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.bar`.

        Returns
        -------
        QueryGainDisplay
        """
        values = evaluate_runs(runs, qrels, [metric])
        return cls._from_queries(values, method, baseline).plot(ax, **bar_kwargs)

    @classmethod
    def _from_queries(cls, values, method, baseline):
        metric = values.columns[0]
        table = values[metric].unstack(level=0)
        for parameter, name in (("method", method), ("baseline", baseline)):
            check_choice(parameter, name, table)
            if table[name].isna().all():
                raise InputError(
                    f"`{parameter}` must have values; got {name!r}, which has no values. Perhaps the method failed. "
                    "Choose another method."
                )
        measure = find_measure(metric, values)
        gain = orient(table[method] - table[baseline], measure)
        return cls(gain.dropna(), method=method, baseline=baseline, label=measure.title)

    def _reason(self):
        if self.difference.isna().all():
            return "No query has a value for both methods."
        return "" if (self.difference.abs() > _EQUAL).any() else "Both methods have the same value on every query."

    def _draw(self, ax, **bar_kwargs):
        difference = self.difference.sort_values(ascending=False, kind="stable")
        n = len(difference)
        wins, losses = int((difference > _EQUAL).sum()), int((difference < -_EQUAL).sum())
        title = f"{self.method}\nagainst {self.baseline}: {wins} won, {n - wins - losses} tied, {losses} lost"
        width = max(5.5, 1.5 + 0.2 * n, 1.2 + 0.085 * longest(title.split("\n")))
        ax = self._new_axes(ax, min(14.0, width), 4.2)
        colors = np.where(difference.to_numpy() >= 0, BLUE, _LOSS)
        place = np.arange(n)
        style = {"width": 0.8, "color": colors, **bar_kwargs}
        self.bars_: BarContainer = ax.bar(place, difference.to_numpy(), **style)
        ax.axhline(0.0, color=SOFT_TEXT, linewidth=0.8)
        mean = float(difference.mean())
        line = ax.axhline(mean, color=SOFT_TEXT, linewidth=0.9, linestyle=DASHES, label=f"mean {mean:+.4f}")
        if n <= _MAX_NAMES:
            ax.set_xticks(place, labels=[str(query) for query in difference.index], rotation=90, parse_math=False)
        else:
            ax.set_xticks([])
        ax.tick_params(axis="x", length=0, labelsize="small")
        ax.set_xlim(-0.7, n - 0.3)
        ax.set_xlabel(f"{n} queries")
        ax.set_ylabel(f"gain in {self.label[:1].lower() + self.label[1:]}")
        write_title(ax, title)
        ax.spines[["top", "right", "bottom"]].set_visible(False)
        if np.isfinite(mean):
            self._legend([line], "below", handlelength=3.0)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), "DIBRA", "RRF", ax=ax)
