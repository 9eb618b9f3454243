"""Line plots of a measure at growing cutoffs, and of precision at growing recall, for each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

from .._data._types import AnyLists, AnyQrels
from .._support._checks import check_choice
from ..exceptions import InputError
from ..metrics import Measure, get_measure
from ..metrics._relevance._own_measure import OwnMeasure
from ..metrics._relevance._registry import column_measures
from ._display import Display
from ._layout import BEST_BAR, DARK_RULE, OTHER_BAR, SOFT_TEXT, label_rows, line_style, longest
from ._plotted_values import evaluate_runs, summaries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from ..model_selection import Comparator

__all__ = ["CutoffDisplay", "InterpolatedPrecisionDisplay"]

_LEVELS = tuple(level / 10 for level in range(11))


class _Lines(Display):
    """Base class of displays that draw a line for each row of a table, with a point for each column."""

    table: pd.DataFrame

    def _draw_lines(self, ax, line_kwargs, greater_is_better=True):
        """Draw the lines, and a legend to the right of the axes; the method with the best mean is listed first."""
        table = self.table
        # The legend to the right of the axes needs the width of the longest name, and a row for each name.
        size = 6.4 + 0.075 * longest(table.index), max(4.2, 0.8 + 0.19 * len(table))
        ax = self._new_axes(ax, *size)
        ax.set_xticks(list(table.columns))
        lines = []
        for k, (name, values) in enumerate(table.iterrows()):
            style = {"linewidth": 1.2, "markersize": 4.0, **line_style(k), **line_kwargs}
            label = f"{name} (no value)" if values.isna().all() else str(name)
            lines += ax.plot(table.columns.to_numpy(dtype=float), values.to_numpy(), label=label, **style)
        ax.spines[["top", "right"]].set_visible(False)
        self._grid("y", DARK_RULE)
        means = table.mean(axis=1).to_numpy()
        best_first = np.argsort(means if greater_is_better is False else -means, kind="stable")
        self._legend([lines[k] for k in best_first], handlelength=3.4)
        return lines


@dataclass(eq=False, repr=False)
class CutoffDisplay(_Lines):
    r"""Plot of a measure at growing cutoffs, with a line or a row of bars for each method.

    Create a display with :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_cutoffs)
        The measure of each method; the columns are cutoffs.
    label : str, default="score"
        Label of the axis.
    greater_is_better : bool or None, default=True
        Whether the highest value is the best. With False, the lowest value is the best. None marks no bar.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    lines_ : list of matplotlib Line2D, or of BarContainer
        One line for each method, or one container of bars for each cutoff.

    See Also
    --------
    ComparisonDisplay : Shows one cutoff with intervals.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import CutoffDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())], qrels=Qrels.from_frame(qrels))
    >>> display = CutoffDisplay.from_comparator(comparator.fit(lists), "ndcg", cutoffs=[1, 5, 10])
    >>> len(display.lines_)
    2
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "score"
    greater_is_better: bool | None = True

    _alt = "nDCG at cutoffs from 1 to 10, a line for each of five methods"

    @classmethod
    def from_comparator(
        cls,
        comparator: Comparator,
        metric: str | Measure | None = None,
        *,
        cutoffs: Sequence[int] | None = None,
        kind: Literal["line", "bar"] = "line",
        qrels: AnyQrels | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a measure of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        metric : str or Measure, default=None
            Name of a measure that accepts a cutoff, such as "ndcg" or "p"; the name is given without a cutoff. None
            uses the first such measure that the Comparator has computed.
        cutoffs : sequence of int, default=None
            Cutoffs. None uses the cutoffs that the Comparator has computed. If these are fewer than two cutoffs, the
            cutoffs 1 to 10 are used.
        kind : {"line", "bar"}, default="line"
            The kind of plot.
        qrels : DataFrame, Qrels or dict, default=None
            Judgements for cutoffs that the comparator has not computed; None uses the judgements of the comparator.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`, or to :meth:`matplotlib.axes.Axes.barh` for bars.

        Returns
        -------
        CutoffDisplay
        """
        cls._check_fitted(comparator)
        measured = column_measures(comparator.per_query_).values()
        if metric is None:
            metric = next((measure.name for measure in measured if isinstance(measure.k, int)), "ndcg")
        if cutoffs is None:
            cutoffs = sorted({one.k for one in measured if one.name == metric and isinstance(one.k, int)})
            cutoffs = cutoffs if len(cutoffs) > 1 else range(1, 11)
        values = cls._measured(comparator, [_at(metric, k) for k in cutoffs], qrels)
        return cls._from_queries(values, metric, cutoffs).plot(kind, ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        qrels: AnyQrels,
        metric: str | Measure = "ndcg",
        *,
        cutoffs: Sequence[int] = range(1, 11),
        kind: Literal["line", "bar"] = "line",
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a measure of existing runs.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        qrels : DataFrame, Qrels or dict
            Judgements.
        metric : str or Measure, default="ndcg"
            Name of a measure that accepts a cutoff; the name is given without a cutoff.
        cutoffs : sequence of int, default=range(1, 11)
            Cutoffs.
        kind : {"line", "bar"}, default="line"
            The kind of plot.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`, or to :meth:`matplotlib.axes.Axes.barh` for bars.

        Returns
        -------
        CutoffDisplay
        """
        values = evaluate_runs(runs, qrels, [_at(metric, k) for k in cutoffs])
        return cls._from_queries(values, metric, cutoffs).plot(kind, ax, **kwargs)

    @classmethod
    def _from_queries(cls, values, metric, cutoffs):
        table = summaries(values).set_axis(list(cutoffs), axis=1)
        measure = get_measure(_at(metric, 1))
        return cls(table, label=measure.title.removesuffix(" at 1"), greater_is_better=measure.greater_is_better)

    def plot(self, kind: Literal["line", "bar"] = "line", ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the lines or bars.

        Parameters
        ----------
        kind : {"line", "bar"}, default="line"
            The kind of plot.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`, or to :meth:`matplotlib.axes.Axes.barh` for bars.

        Returns
        -------
        CutoffDisplay
            This display, with `ax_`, `figure_` and `lines_`.
        """
        check_choice("kind", kind, ("line", "bar"))
        return super().plot(ax, kind=kind, **kwargs)

    def _draw(self, ax, kind="line", **kwargs):
        # of Line2D, or of BarContainer for bars
        self.lines_: list[Any] = (self._draw_curves if kind == "line" else self._draw_bars)(ax, kwargs)

    def _draw_curves(self, ax, kwargs):
        lines = self._draw_lines(ax, kwargs, self.greater_is_better)
        self.ax_.set_xlabel("cutoff k")
        self.ax_.set_ylabel(f"{self.label} at k")
        return lines

    def _draw_bars(self, ax, kwargs):
        ax = self._new_axes(ax, 2.2 + 0.95 * self.table.shape[1], 1.4 + 0.24 * len(self.table))
        # One panel for each cutoff, from left to right, on one scale; methods are in the same rows.
        lowest_first = self.greater_is_better is False
        last = self.table.iloc[:, -1].to_numpy()
        table = self.table.iloc[np.argsort(last if lowest_first else -last, kind="stable")]
        width = float(np.nanmax(table.to_numpy())) or 1.0
        step = 1.18 * width
        containers = []
        for k, cutoff in enumerate(table.columns):
            values = table[cutoff].to_numpy()
            is_best = values == (np.nanmin(values) if lowest_first else np.nanmax(values))
            colors = np.where(is_best & (self.greater_is_better is not None), BEST_BAR, OTHER_BAR)
            style = {"height": 0.72, "color": colors, "zorder": 2, **kwargs}
            containers.append(ax.barh(np.arange(len(table)), values, left=k * step, **style))
            ax.axvline(k * step, color=SOFT_TEXT, linewidth=0.8, zorder=3)
            ax.axvline(k * step + width, color=DARK_RULE, linewidth=0.6, zorder=1)
        ax.set_xlim(-0.02 * step, step * len(table.columns))
        known = table.notna().any(axis=1)
        labels = [str(name) if known[name] else f"{name} (no value)" for name in table.index]
        label_rows(ax, labels)
        ax.set_xticks(
            [k * step + width / 2 for k in range(len(table.columns))], labels=[f"k = {k}" for k in table.columns]
        )
        ax.set_xlabel(f"{self.label} at k, each panel from 0 to {width:.3g}")
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(length=0)
        return containers

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), "ndcg", ax=ax)


def _at(metric, k):
    if callable(metric) and (not isinstance(metric, Measure) or isinstance(metric, OwnMeasure)):
        raise InputError(
            f"`metric` must be a measure that accepts a cutoff; got {get_measure(metric)}. Choose another measure."
        )
    name, bracket, options = str(metric).partition("[")
    return f"{name}@{k}{bracket}{options}"


@dataclass(eq=False, repr=False)
class InterpolatedPrecisionDisplay(_Lines):
    r"""Plot of interpolated precision at eleven recalls, with a line for each method.

    Create a display with :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_recalls)
        Mean precision of each method; the columns are recalls.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    lines_ : list of matplotlib Line2D
        One line for each method.

    See Also
    --------
    skrankagg.metrics.interpolated_precision : Computes the values.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import InterpolatedPrecisionDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())], qrels=Qrels.from_frame(qrels))
    >>> display = InterpolatedPrecisionDisplay.from_comparator(comparator.fit(lists))
    >>> display.ax_.get_xlabel()
    'recall'
    """

    table: pd.DataFrame

    _alt = "Interpolated precision at recalls from 0 to 1, a falling line for each of five methods"

    @classmethod
    def from_comparator(
        cls,
        comparator: Comparator,
        *,
        qrels: AnyQrels | None = None,
        ax: Axes | None = None,
        **line_kwargs: Any,
    ) -> Self:
        """Draw the interpolated precision of the methods of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        qrels : DataFrame, Qrels or dict, default=None
            Judgements; None uses the judgements of the Comparator's constructor.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **line_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
        """
        values = cls._measured(comparator, [f"iprec@{level}" for level in _LEVELS], qrels)
        return cls(summaries(values).set_axis(_LEVELS, axis=1)).plot(ax, **line_kwargs)

    @classmethod
    def from_predictions(
        cls, runs: Mapping[str, AnyLists], qrels: AnyQrels, *, ax: Axes | None = None, **line_kwargs: Any
    ) -> Self:
        """Draw the interpolated precision of existing runs.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        qrels : DataFrame, Qrels or dict
            Judgements.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **line_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
        """
        values = evaluate_runs(runs, qrels, [f"iprec@{level}" for level in _LEVELS])
        return cls(summaries(values).set_axis(_LEVELS, axis=1)).plot(ax, **line_kwargs)

    def _draw(self, ax, **line_kwargs):
        self.lines_: list[Line2D] = self._draw_lines(ax, line_kwargs)
        self.ax_.set_xlabel("recall")
        self.ax_.set_ylabel("interpolated precision")

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), ax=ax)
