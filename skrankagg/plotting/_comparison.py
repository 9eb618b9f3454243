"""A bar for each method of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import AnyLists, AnyQrels
from ..exceptions import InputError
from ..metrics._relevance._registry import MeasureLike, find_column, find_measure
from ._display import check_fitted, evaluate_runs, import_pyplot, summaries

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure

    from ..model_selection import Comparator

__all__ = ["ComparisonDisplay"]

# Two shades of one blue: they differ in lightness, which every eye and every printer sees, and both are light
# enough for the dark whiskers.
_BEST, _OTHERS, _WHISKER = "#3b8dc4", "#c3daec", "#1a1a1a"


class ComparisonDisplay:
    r"""Methods as horizontal bars, best on top, with the number and the standard error of each.

    Make one with :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    results : Series of shape (n_methods,)
        Measure of each method, indexed by its name; NaN, as of a method that failed, is drawn last and without a bar.
    standard_error : Series of shape (n_methods,) or None, default=None
        Standard error of each mean over the queries, with the same index; None draws no whiskers.
    label : str, default="score"
        Label of the axis.
    greater_is_better : bool or None, default=True
        Whether the highest bar is the best, or the lowest; None colours none of them.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure around it.
    bars_ : matplotlib BarContainer
        The bars, best first.

    See Also
    --------
    skrankagg.model_selection.Comparator : Makes the comparison.

    Notes
    -----
    With n queries and s the standard deviation of the measure over them, the standard error is
    :math:`s / \sqrt{n}`. It tells how far the mean would move with other queries. Methods are measured on the
    same queries and move together, so whiskers that overlap do not mean that two methods are level.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import ComparisonDisplay
    >>> lists, qrels = make_ranked_lists(n_queries=5, random_state=0)
    >>> methods = [("CombSUM", CombSUM()), ("Copeland", Copeland())]
    >>> comparator = Comparator(methods, qrels=Qrels.from_frame(qrels)).fit(lists)
    >>> display = ComparisonDisplay.from_comparator(comparator, "ndcg@10")
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]  # best first
    ['CombSUM', 'Copeland']
    >>> display.figure_.savefig("ndcg.png")  # doctest: +SKIP
    """

    ax_: Axes
    figure_: Figure
    bars_: BarContainer

    def __init__(
        self,
        results: pd.Series,
        *,
        standard_error: pd.Series | None = None,
        label: str = "score",
        greater_is_better: bool | None = True,
    ) -> None:
        self.results = results
        self.standard_error = standard_error
        self.label = label
        self.greater_is_better = greater_is_better

    @classmethod
    def from_comparator(
        cls, comparator: Comparator, metric: MeasureLike | None = None, *, ax: Axes | None = None, **bar_kwargs: Any
    ) -> Self:
        """Draw a measure of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            Fitted.
        metric : str or Measure, default=None
            A measure that it has computed; None takes the first.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **bar_kwargs
            For :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ComparisonDisplay

        Raises
        ------
        ValueError
            If the comparator is not fitted or has not computed the measure.
        """
        check_fitted("ComparisonDisplay", comparator)
        measured = list(comparator.per_query_.columns)
        metric = measured[0] if metric is None else find_column(measured, metric)
        if metric not in measured:
            raise InputError(
                f"ComparisonDisplay expects a measure that the Comparator has computed, one of "
                f"{', '.join(measured)}; got {metric!r}."
            )
        return cls._from_queries(comparator._measured()[[metric]], metric).plot(ax, **bar_kwargs)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        qrels: AnyQrels,
        metric: MeasureLike = "map",
        *,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw a measure of runs that exist already.

        Parameters
        ----------
        runs : dict of str to DataFrame or RankedLists
            Runs by name.
        qrels : DataFrame or Qrels
            Judgements.
        metric : str or Measure, default="map"
            A measure.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        **bar_kwargs
            For :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ComparisonDisplay
        """
        values = evaluate_runs(runs, qrels, [metric])
        return cls._from_queries(values, values.columns[0]).plot(ax, **bar_kwargs)

    @classmethod
    def _from_queries(cls, values, metric):
        measure = find_measure(metric, values)
        label = f"{measure.title} ({metric})"
        queries = values[metric].groupby(level=0, sort=False)
        results = summaries(values)[metric]
        n_queries = int(queries.size().iloc[0])
        standard_error = None
        if n_queries > 1 and not measure.is_total:  # one query has no spread
            standard_error = queries.std().reindex(results.index) / np.sqrt(n_queries)
            label += f"\nmean ± standard error over {n_queries} queries"
        return cls(results, standard_error=standard_error, label=label, greater_is_better=measure.greater_is_better)

    def plot(self, ax: Axes | None = None, **bar_kwargs: Any) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure, as high as the number of methods asks for.
        **bar_kwargs
            For :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ComparisonDisplay
            Itself, with `ax_`, `figure_` and `bars_`.
        """
        plt = import_pyplot()
        lowest_first = self.greater_is_better is False
        results = self.results.sort_values(ascending=lowest_first, kind="stable")
        if ax is None:
            width = 5.5 + 0.075 * max(len(str(name)) for name in results.index)
            _, ax = plt.subplots(figsize=(width, 1.2 + 0.28 * len(results)), layout="constrained")
        is_best = results.to_numpy() == (results.min() if lowest_first else results.max())
        level = is_best.sum() == results.notna().sum()
        marks_best = self.greater_is_better is not None and not level
        colors = [_BEST if best and marks_best else _OTHERS for best in is_best]
        place = np.arange(len(results))
        error = None
        if self.standard_error is not None:
            error = self.standard_error.reindex(results.index).to_numpy()
        bars = ax.barh(
            place,
            results.to_numpy(),
            **{"height": 0.72, "color": colors, "xerr": error, "ecolor": _WHISKER, "capsize": 2.5, **bar_kwargs},
        )
        ax.set_yticks(place, labels=results.index, parse_math=False)
        ax.set_ylim(len(results) - 0.4, -0.6)
        ax.set_xlabel(self.label)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        self._write_values(ax, results.to_numpy(), 0.0 if error is None else np.nan_to_num(error))
        self.ax_, self.figure_, self.bars_ = ax, ax.figure, bars
        return self

    def _write_values(self, ax, values, error):
        texts = [
            ax.annotate(
                "no value" if np.isnan(value) else f"{value:.4f}" if value < 10 else f"{value:.0f}",
                (0.0 if np.isnan(value) else end, k),
                xytext=(5, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
            )
            for k, (value, end) in enumerate(zip(values, values + error, strict=True))
        ]
        # The axis must reach far enough for the longest whisker and the number next to it, whatever its width.
        ax.figure.draw_without_rendering()
        margin = max(text.get_window_extent().width for text in texts) + 8 * ax.figure.dpi / 72
        share = min(margin / ax.get_window_extent().width, 0.5)
        ax.set_xlim(min(0.0, np.nanmin(values - error)), np.nanmax(values + error) / (1 - share) or 1.0)
