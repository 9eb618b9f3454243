"""Bar plot of a measure for each method of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import AnyLists, AnyQrels
from ..exceptions import InputError
from ..metrics._relevance._registry import MeasureLike, find_column, find_measure
from ._display import Display
from ._layout import BEST_BAR, DASHES, ORANGE, OTHER_BAR, TEXT, label_rows, longest, write_beside
from ._plotted_values import evaluate_runs, summaries, summary_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

    from ..model_selection import Comparator

__all__ = ["ComparisonDisplay"]

# Colour of the bars of voters, lighter than the other bars.
_VOTERS = "#dedede"


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Display):
    r"""Horizontal bars that show a measure of each method, with 95 % intervals; the best method is on top.

    If the voters are measured as well, a line marks the best voter. Create a display with :meth:`from_comparator` or
    :meth:`from_predictions`.

    Parameters
    ----------
    results : Series of shape (n_methods,)
        Measure of each method, indexed by the name of the method. A method with NaN, such as a failed method, is drawn
        last and without a bar.
    interval : DataFrame of shape (n_methods, 2) or None, default=None
        Ends of the interval of each method, in the columns `low` and `high`, with the same index as `results`. If the
        ends are NaN, or if `interval` is None, no whiskers are drawn.
    label : str, default="score"
        Label of the axis.
    greater_is_better : bool or None, default=True
        Whether the highest value is the best. With False, the lowest value is the best. None highlights no bar.
    voters : sequence of str, default=()
        Names of the results that belong to single voters. Their bars are grey, and a line marks the best voter.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    bars_ : matplotlib BarContainer
        The bars, best first.
    voter_line_ : matplotlib Line2D or None
        The line at the best voter, or None if there are no voters.

    See Also
    --------
    skrankagg.model_selection.Comparator : Computes the comparison.

    Notes
    -----
    The whiskers show the 95 % interval of the mean. This interval indicates how much the mean would change with other
    queries. The interval is computed by the percentile bootstrap over queries, see
    :func:`~skrankagg.stats.bootstrap_interval`. With fewer than 20 queries, the intervals are too short.

    All methods are measured on the same queries, so their values change together. Overlapping intervals therefore do
    not mean that two methods are equal. :meth:`Comparator.compare <skrankagg.model_selection.Comparator.compare>`
    returns the interval of the difference. Totals, such as the number of relevant items, have no interval. A single
    query has no interval either.

    The best voter is found in hindsight, by the same judgements. A method whose bar ends beyond the line is better than
    every single voter.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import ComparisonDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> methods = [("CombSUM", CombSUM()), ("Copeland", Copeland())]
    >>> comparator = Comparator(methods, qrels=Qrels.from_frame(qrels)).fit(lists)
    >>> display = ComparisonDisplay.from_comparator(comparator, "ndcg@10")
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]  # best first
    ['CombSUM', 'Copeland']
    >>> display.figure_.savefig("ndcg.png")  # doctest: +SKIP

    Do the methods beat the best voter?

    >>> comparator = comparator.set_params(with_voters=True).fit(lists)
    >>> display = ComparisonDisplay.from_comparator(comparator, "ndcg@10")
    >>> print(display.voter_line_)
    Line2D(best voter: v01 (0.8649))
    """

    results: pd.Series
    _: KW_ONLY
    interval: pd.DataFrame | None = None
    label: str = "score"
    greater_is_better: bool | None = True
    voters: Sequence[str] = ()

    _alt = (
        "Bars of five methods and of eight voters, in grey, with 95 % intervals, best on top, and a dashed line at the "
        "best voter"
    )

    @classmethod
    def from_comparator(
        cls, comparator: Comparator, metric: MeasureLike | None = None, *, ax: Axes | None = None, **bar_kwargs: Any
    ) -> Self:
        """Draw a measure of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        metric : str or Measure, default=None
            A measure that the comparator has computed; None uses its first measure.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ComparisonDisplay

        Raises
        ------
        ValueError
            If the comparator is not fitted or has not computed the measure.
        """
        cls._check_fitted(comparator)
        measured = list(comparator.per_query_.columns)
        metric = measured[0] if metric is None else find_column(measured, metric)
        if metric not in measured:
            raise InputError(
                f"`metric` must be one of the measures that the Comparator has computed, {', '.join(measured)}; "
                f"got {metric!r}."
            )
        voters = [name for name in comparator.results_.index if name not in comparator.named_aggregators_]
        return cls._from_queries(comparator._measured()[[metric]], metric, voters).plot(ax, **bar_kwargs)

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
        """Draw a measure of existing runs.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        qrels : DataFrame, Qrels or dict
            Judgements.
        metric : str or Measure, default="map"
            A measure.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ComparisonDisplay
        """
        values = evaluate_runs(runs, qrels, [metric])
        return cls._from_queries(values, values.columns[0]).plot(ax, **bar_kwargs)

    @classmethod
    def _from_queries(cls, values, metric, voters=()):
        measure = find_measure(metric, values)
        label = f"{measure.title} ({metric})"
        queries = values[metric].groupby(level=0, sort=False)
        results = summaries(values)[metric]
        n_queries = int(queries.size().iloc[0])
        interval = None
        if n_queries > 1 and not measure.is_total:  # one query has no spread
            ends = [summary_interval(measure, column) for _, column in queries]
            interval = pd.DataFrame(ends, columns=["low", "high"], index=results.index)
            label += f"\nmean and 95 % interval over {n_queries} queries"
        return cls(
            results, interval=interval, label=label, greater_is_better=measure.greater_is_better, voters=tuple(voters)
        )

    def _reason(self):
        return "" if self.results.notna().any() else "No method has a value."

    def _draw(self, ax, **bar_kwargs):
        lowest_first = self.greater_is_better is False
        results = self.results.sort_values(ascending=lowest_first, kind="stable")
        best_voter = self._best_voter(results)
        width = 5.5 + 0.075 * longest(results.index)
        ax = self._new_axes(ax, width, 1.2 + 0.28 * len(results) + 0.2 * (best_voter is not None))
        is_best = results.to_numpy() == (results.min() if lowest_first else results.max())
        level = is_best.sum() == results.notna().sum()
        marks_best = self.greater_is_better is not None and not level
        rest = np.where(results.index.isin(list(self.voters)), _VOTERS, OTHER_BAR)
        colors = [BEST_BAR if best and marks_best else color for best, color in zip(is_best, rest, strict=True)]
        values = results.to_numpy(dtype=np.float64)
        low, high, error = values, values, None
        if self.interval is not None:
            ends = self.interval.reindex(results.index)
            low, high = (ends[end].fillna(results).to_numpy(dtype=np.float64) for end in ("low", "high"))
            # A list, because Matplotlib 3.9 calls a deprecated function for an array of one row.
            error = np.maximum([values - low, high - values], 0.0).tolist()
        style = {"height": 0.72, "color": colors, "xerr": error, "ecolor": TEXT, "capsize": 2.5, **bar_kwargs}
        self.bars_: BarContainer = ax.barh(np.arange(len(values)), values, **style)
        label_rows(ax, results.index)
        ax.set_xlabel(self.label)
        self.voter_line_: Line2D | None = None
        if best_voter is not None:
            value = results[best_voter]
            label = f"best voter: {best_voter} ({_written(value)})"
            # The line is in front of the bars and behind the whiskers.
            self.voter_line_ = ax.axvline(value, color=ORANGE, linewidth=1.3, linestyle=DASHES, label=label, zorder=1.5)
        # The line would run through numbers next to the bars, so the numbers are written in a column.
        ends = high if best_voter is None else np.where(np.isnan(high), high, np.nanmax(high))
        if self.results.notna().any():
            _write_values(ax, values, np.nanmin(low), ends)
        if self.voter_line_ is not None:
            self._legend([self.voter_line_], "below", handlelength=3.0)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(voters=True), ax=ax)

    def _best_voter(self, results):
        """Return the name of the best voter; None if no voter has a value, or if the measure has no best value."""
        voters = results[results.index.isin(list(self.voters))].dropna()
        return None if self.greater_is_better is None or not len(voters) else voters.index[0]


def _written(value):
    return f"{value:.4f}" if value < 10 else f"{value:.0f}"


def _write_values(ax, values, low, ends):
    """Write each value to the right of its bar and its whisker. Extend the axis to make space for the values."""
    texts = []
    for k, (value, end) in enumerate(zip(values, ends, strict=True)):
        text, place = ("no value", 0.0) if np.isnan(value) else (_written(value), end)
        texts.append(write_beside(ax, text, place, k, 5, fontsize="small"))
    # The axis must have space for the longest whisker and the number next to it, even in a narrow figure.
    figure = ax.figure.figure
    figure.draw_without_rendering()
    margin = max(text.get_window_extent().width for text in texts) + 8 * figure.dpi / 72
    share = min(margin / ax.get_window_extent().width, 0.5)
    ax.set_xlim(min(0.0, low), np.nanmax(ends) / (1 - share) or 1.0)
