"""Line plots of a measure at growing cutoffs, and of precision at growing recall, for each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

from .._data._types import AnyLists, AnyQrels
from .._support._checks import check_choice, check_count
from ..exceptions import InputError
from ..metrics import Measure, get_measure
from ..metrics._relevance._own_measure import OwnMeasure
from ..metrics._relevance._registry import column_measures
from ._display import Display
from ._layout import (
    BEST_BAR,
    COLORS,
    DARK_RULE,
    DASHES,
    OTHER_BAR,
    SOFT_TEXT,
    TEXT,
    label_rows,
    line_style,
    longest,
)
from ._plotted_values import evaluate_runs, summaries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from ..model_selection import Comparator

__all__ = ["CutoffDisplay", "InterpolatedPrecisionDisplay"]

_LEVELS = tuple(level / 10 for level in range(11))
# Number of methods in colour, if there are more methods than colours.
_N_BEST = 5
_BASELINE = {
    "color": TEXT,
    "linestyle": DASHES,
    "linewidth": 1.8,
    "marker": "o",
    "markerfacecolor": "white",
    "zorder": 3,
}
# Grey lines also have points, because a value between two missing values would not be visible without a point.
_OTHER = {"color": "#c9c9c9", "linewidth": 0.8, "marker": "o", "markersize": 1.6, "zorder": 1.5}


class _Lines(Display):
    """Base class of displays that draw a line for each row of a table, with a point for each column."""

    table: pd.DataFrame
    baseline: str | None

    # Noun for the columns of the table.
    _column: str

    def _reason(self):
        values = self.table.to_numpy(dtype=float)
        if np.isnan(values).all():
            return f"No method has a value at any {self._column}."
        return "" if np.nan_to_num(values).any() else "All values are 0."

    def _check_methods(self, n_methods):
        """Raise InputError if the number of methods in colour is invalid, or the baseline is not a row of the table."""
        if n_methods is not None:
            check_count("n_methods", n_methods)
        if self.baseline is not None:
            check_choice("baseline", self.baseline, self.table.index)

    def _draw_lines(self, ax, line_kwargs, n_methods, greater_is_better=True):
        """Draw the lines, and a legend to the right of the axes; the method with the best mean is listed first.

        The best methods and the baseline are in colour. The other methods are grey, with one entry in the legend.
        """
        table = self.table
        means = table.mean(axis=1).to_numpy()
        best_first = np.argsort(means if greater_is_better is False else -means, kind="stable")
        own, others = self._in_color(best_first, n_methods)
        labels = self._labels()
        entries = [labels[k] for k in own] + _names_of_others(table.iloc[others])
        # The legend to the right of the axes needs the width of the longest name, and a row for each name.
        size = 6.4 + 0.075 * longest(entries), max(4.2, 0.8 + 0.19 * len(entries))
        ax = self._new_axes(ax, *size)
        ax.set_xticks(list(table.columns))
        styles = self._styles(own)
        lines = []
        for k, values in enumerate(table.to_numpy(dtype=float)):
            style = {"linewidth": 1.2, "markersize": 4.0, **styles.get(k, _OTHER), **line_kwargs}
            lines += ax.plot(table.columns.to_numpy(dtype=float), values, label=labels[k], **style)
        ax.spines[["top", "right"]].set_visible(False)
        self._grid("y", DARK_RULE)
        handles = [lines[k] for k in [*own, *others[:1]]]
        if handles:
            self._legend(handles, labels=entries, handlelength=3.4)
        return lines

    def _in_color(self, best_first, n_methods):
        """Return the positions of the methods drawn in colour, best first, and the positions of the grey methods."""
        if n_methods is None:
            n_methods = len(best_first) if len(best_first) <= len(COLORS) else _N_BEST
        names = self.table.index[best_first]
        is_own = (np.arange(len(names)) < n_methods) | (names == self.baseline)
        return best_first[is_own].tolist(), best_first[~is_own].tolist()

    def _styles(self, own):
        """Return the line style of each method drawn in colour, as a dict with the method's position as key.

        The baseline is black. If there is a baseline, no other line is black.
        """
        rest = [k for k in sorted(own) if self.table.index[k] != self.baseline]
        skips = len(rest) < len(own)
        styles = {k: line_style(i + i // (len(COLORS) - 1) if skips else i) for i, k in enumerate(rest)}
        return {**dict.fromkeys(own, _BASELINE), **styles}

    def _labels(self):
        """Return the labels of the methods, with a note if a method is the baseline or has no value."""
        known = self.table.notna().any(axis=1)
        return [
            f"{name}{' (baseline)' * (name == self.baseline)}{'' if has_value else ' (no value)'}"
            for name, has_value in zip(self.table.index, known, strict=True)
        ]


def _names_of_others(table):
    """Return a list with one legend entry for all methods in `table`, which are drawn as grey lines.

    If `table` is empty, the list is empty.
    """
    n, n_unknown = len(table), int(table.isna().all(axis=1).sum())
    note = f", {n_unknown} without a value" if n_unknown else ""
    return [f"{n} other{'s' if n > 1 else ''}{note}"] if n else []


@dataclass(eq=False, repr=False)
class CutoffDisplay(_Lines):
    r"""Plot of a measure at growing cutoffs, with a line or a row of bars for each method.

    Create a display with :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    table : DataFrame of shape (n_methods, n_cutoffs)
        The measure of each method; the columns are cutoffs.
    label : str, default="score"
        Label of the axis of the measure.
    greater_is_better : bool or None, default=True
        Whether the highest value is the best. With False, the lowest value is the best. None marks no bar.
    baseline : str, default=None
        Name of the method that the others are compared with; None means that there is no baseline.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    lines_ : list of matplotlib Line2D, or of BarContainer
        One line for each method, in the order of `table`, or one container of bars for each cutoff.

    See Also
    --------
    ComparisonDisplay : Shows one cutoff with intervals.

    Notes
    -----
    Up to seven methods are drawn in colour. If there are more methods, only the five best methods and the baseline are
    in colour. The other lines are grey, and the legend has one entry for all of them. Set `n_methods` of the
    constructors or of :meth:`plot` to draw another number of methods in colour. The best methods have the best mean
    over the cutoffs. If neither higher nor lower values are better, the methods with the highest means are in colour.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import CutoffDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())],
    ...     qrels=Qrels.from_frame(qrels))
    >>> display = CutoffDisplay.from_comparator(comparator.fit(lists), "ndcg",
    ...     cutoffs=[1, 5, 10])
    >>> len(display.lines_)
    2
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "score"
    greater_is_better: bool | None = True
    baseline: str | None = None

    _column = "cutoff"
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
        baseline: str | None = None,
        n_methods: int | None = None,
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
        baseline : str, default=None
            Name of a method that is always drawn in colour; None means that there is no baseline.
        n_methods : int, default=None
            Number of methods to draw in colour, besides the baseline; the best methods are chosen. None draws all
            methods in colour if there are at most seven, and otherwise the best five. It must be None for bars, which
            need no colours because each row has the name of its method.
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
        values = cls._measured(comparator, _at_each(metric, cutoffs), qrels)
        return cls._from_queries(values, metric, cutoffs, baseline).plot(kind, ax, n_methods=n_methods, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        qrels: AnyQrels,
        metric: str | Measure = "ndcg",
        *,
        cutoffs: Sequence[int] = range(1, 11),
        kind: Literal["line", "bar"] = "line",
        baseline: str | None = None,
        n_methods: int | None = None,
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
        baseline : str, default=None
            Name of a method that is always drawn in colour; None means that there is no baseline.
        n_methods : int, default=None
            Number of methods to draw in colour, besides the baseline; the best methods are chosen. None draws all
            methods in colour if there are at most seven, and otherwise the best five. It must be None for bars, which
            need no colours because each row has the name of its method.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`, or to :meth:`matplotlib.axes.Axes.barh` for bars.

        Returns
        -------
        CutoffDisplay
        """
        values = evaluate_runs(runs, qrels, _at_each(metric, cutoffs))
        return cls._from_queries(values, metric, cutoffs, baseline).plot(kind, ax, n_methods=n_methods, **kwargs)

    @classmethod
    def _from_queries(cls, values, metric, cutoffs, baseline):
        table = summaries(values).set_axis(list(cutoffs), axis=1)
        measure = get_measure(_at(metric, 1))
        label, greater = measure.title.removesuffix(" at 1"), measure.greater_is_better
        return cls(table, label=label, greater_is_better=greater, baseline=baseline)

    def plot(
        self,
        kind: Literal["line", "bar"] = "line",
        ax: Axes | None = None,
        *,
        n_methods: int | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the lines or bars.

        Parameters
        ----------
        kind : {"line", "bar"}, default="line"
            The kind of plot.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        n_methods : int, default=None
            Number of methods to draw in colour, besides the baseline; the best methods are chosen. None draws all
            methods in colour if there are at most seven, and otherwise the best five. It must be None for bars, which
            need no colours because each row has the name of its method.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`, or to :meth:`matplotlib.axes.Axes.barh` for bars.

        Returns
        -------
        CutoffDisplay
            This display, with `ax_`, `figure_` and `lines_`.
        """
        check_choice("kind", kind, ("line", "bar"))
        self._check_methods(n_methods)
        if kind == "bar" and n_methods is not None:
            raise InputError(
                f"`n_methods` must be None if kind='bar', because bars always have the name of their method; got "
                f"{n_methods}. Leave out `n_methods`."
            )
        return super().plot(ax, kind=kind, n_methods=n_methods, **kwargs)

    def _draw(self, ax, kind="line", n_methods=None, **kwargs):
        # Line2D objects, or BarContainer objects for bars.
        self.lines_: list[Any] = (
            self._draw_curves(ax, n_methods, kwargs) if kind == "line" else self._draw_bars(ax, kwargs)
        )

    def _draw_curves(self, ax, n_methods, kwargs):
        lines = self._draw_lines(ax, kwargs, n_methods, self.greater_is_better)
        self.ax_.set_xlabel("cutoff k")
        self.ax_.set_ylabel(f"{self.label} at k")
        return lines

    def _draw_bars(self, ax, kwargs):
        ax = self._new_axes(ax, 2.2 + 0.95 * self.table.shape[1], 1.4 + 0.24 * len(self.table))
        # Draw a panel for each cutoff, from left to right. All panels have the same scale and the same rows.
        lowest_first = self.greater_is_better is False
        last = self.table.iloc[:, -1].to_numpy()
        order = np.argsort(last if lowest_first else -last, kind="stable")
        table, labels = self.table.iloc[order], self._labels()
        numbers = table.to_numpy(dtype=float)
        width = float(np.max(numbers, where=np.isfinite(numbers), initial=0.0)) or 1.0
        step = 1.18 * width
        containers = []
        for k, cutoff in enumerate(table.columns):
            values = table[cutoff]
            is_best = (values == (values.min() if lowest_first else values.max())).to_numpy()
            colors = np.where(is_best & (self.greater_is_better is not None), BEST_BAR, OTHER_BAR)
            style = {"height": 0.72, "color": colors, "zorder": 2, **kwargs}
            containers.append(ax.barh(np.arange(len(table)), values, left=k * step, **style))
            ax.axvline(k * step, color=SOFT_TEXT, linewidth=0.8, zorder=3)
            ax.axvline(k * step + width, color=DARK_RULE, linewidth=0.6, zorder=1)
        ax.set_xlim(-0.02 * step, step * len(table.columns))
        label_rows(ax, [labels[k] for k in order])
        ax.set_xticks(
            [k * step + width / 2 for k in range(len(table.columns))], labels=[f"k = {k}" for k in table.columns]
        )
        scale = f", each panel from 0 to {width:.3g}" if np.isfinite(numbers).any() else ""
        ax.set_xlabel(f"{self.label} at k{scale}")
        ax.spines["bottom"].set_visible(False)
        ax.tick_params(length=0)
        return containers

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), "ndcg", ax=ax)


def _at_each(metric, cutoffs):
    """Return the names of a measure at each cutoff; raise InputError if there is no cutoff."""
    names = [_at(metric, k) for k in cutoffs]
    if not names:
        raise InputError("`cutoffs` must contain at least one cutoff, such as 10; got none.")
    return names


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
    baseline : str, default=None
        Name of the method that the others are compared with; None means that there is no baseline.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    lines_ : list of matplotlib Line2D
        One line for each method, in the order of `table`.

    See Also
    --------
    skrankagg.metrics.interpolated_precision : Computes the values.
    CutoffDisplay : Shows a measure at growing cutoffs.

    Notes
    -----
    Up to seven methods are drawn in colour. If there are more methods, only the five best methods and the baseline are
    in colour, as in :class:`CutoffDisplay`. The best methods have the highest mean over the eleven recalls.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import InterpolatedPrecisionDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> comparator = Comparator([("CombSUM", CombSUM()), ("Copeland", Copeland())],
    ...     qrels=Qrels.from_frame(qrels))
    >>> display = InterpolatedPrecisionDisplay.from_comparator(comparator.fit(lists))
    >>> display.ax_.get_xlabel()
    'recall'
    """

    table: pd.DataFrame
    _: KW_ONLY
    baseline: str | None = None

    _column = "recall"
    _alt = "Interpolated precision at recalls from 0 to 1, a falling line for each of five methods"

    @classmethod
    def from_comparator(
        cls,
        comparator: Comparator,
        *,
        qrels: AnyQrels | None = None,
        baseline: str | None = None,
        n_methods: int | None = None,
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
        baseline : str, default=None
            Name of a method that is always drawn in colour; None means that there is no baseline.
        n_methods : int, default=None
            Number of methods to draw in colour, besides the baseline; the best methods are chosen. None draws all
            methods in colour if there are at most seven, and otherwise the best five.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **line_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
        """
        values = cls._measured(comparator, [f"iprec@{level}" for level in _LEVELS], qrels)
        display = cls(summaries(values).set_axis(_LEVELS, axis=1), baseline=baseline)
        return display.plot(ax, n_methods=n_methods, **line_kwargs)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        qrels: AnyQrels,
        *,
        baseline: str | None = None,
        n_methods: int | None = None,
        ax: Axes | None = None,
        **line_kwargs: Any,
    ) -> Self:
        """Draw the interpolated precision of existing runs.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        qrels : DataFrame, Qrels or dict
            Judgements.
        baseline : str, default=None
            Name of a method that is always drawn in colour; None means that there is no baseline.
        n_methods : int, default=None
            Number of methods to draw in colour, besides the baseline; the best methods are chosen. None draws all
            methods in colour if there are at most seven, and otherwise the best five.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **line_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
        """
        values = evaluate_runs(runs, qrels, [f"iprec@{level}" for level in _LEVELS])
        display = cls(summaries(values).set_axis(_LEVELS, axis=1), baseline=baseline)
        return display.plot(ax, n_methods=n_methods, **line_kwargs)

    def plot(self, ax: Axes | None = None, *, n_methods: int | None = None, **line_kwargs: Any) -> Self:
        """Draw the lines.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        n_methods : int, default=None
            Number of methods to draw in colour, besides the baseline; the best methods are chosen. None draws all
            methods in colour if there are at most seven, and otherwise the best five.
        **line_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        InterpolatedPrecisionDisplay
            This display, with `ax_`, `figure_` and `lines_`.
        """
        self._check_methods(n_methods)
        return super().plot(ax, n_methods=n_methods, **line_kwargs)

    def _draw(self, ax, n_methods=None, **line_kwargs):
        self.lines_: list[Line2D] = self._draw_lines(ax, line_kwargs, n_methods)
        self.ax_.set_xlabel("recall")
        self.ax_.set_ylabel("interpolated precision")

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), ax=ax)
