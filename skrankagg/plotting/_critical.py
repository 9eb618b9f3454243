"""Plot of critical differences: mean ranks on a line, and bars that join methods without a clear difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .._data._types import AnyLists, AnyQrels
from ..exceptions import InputError
from ..metrics._relevance._registry import MeasureLike, orient
from ..stats import FriedmanResult, friedman_nemenyi
from ._display import Display
from ._layout import ORANGE, TEXT, longest
from ._plotted_values import evaluate_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

    from ..model_selection import Comparator

__all__ = ["CriticalDifferenceDisplay"]


@dataclass(eq=False, repr=False)
class CriticalDifferenceDisplay(Display):
    r"""Plot of the mean rank of each method; a bar joins methods that Nemenyi's test does not distinguish.

    Create a display with :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    result : FriedmanResult
        Result of :func:`~skrankagg.stats.friedman_nemenyi`.
    names : sequence of str
        Names of the methods, in the order of `result`.
    label : str, default="mean rank"
        Label of the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    bars_ : list of matplotlib Line2D
        One line for each group of methods that the test does not distinguish.

    See Also
    --------
    skrankagg.model_selection.compare_ranks : Computes the numbers.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> from skrankagg import CombSUM, Comparator, Copeland, Qrels
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import CriticalDifferenceDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=5, random_state=0)
    >>> methods = [("CombSUM", CombSUM()), ("rank", CombSUM(norm="rank")),
    ...            ("Copeland", Copeland())]
    >>> comparator = Comparator(methods, qrels=Qrels.from_frame(qrels)).fit(lists)
    >>> display = CriticalDifferenceDisplay.from_comparator(comparator, "ndcg@10")
    >>> len(display.bars_)
    1
    """

    result: FriedmanResult
    names: Sequence[Any]
    _: KW_ONLY
    label: str = "mean rank"

    _alt = (
        "Mean ranks of five methods on a line, with the critical difference above it and bars that join methods which "
        "do not differ"
    )

    @classmethod
    def from_comparator(
        cls,
        comparator: Comparator,
        metric: MeasureLike | None = None,
        *,
        alpha: float = 0.05,
        qrels: AnyQrels | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the mean ranks of the methods of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        metric : str or Measure, default=None
            Measure; None uses the first measure of the comparator.
        alpha : float, default=0.05
            Level of the test.
        qrels : DataFrame, Qrels or dict, default=None
            Judgements for a measure that the comparator has not computed; None uses the judgements of the comparator.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        return cls._from_queries(cls._measured(comparator, [metric], qrels), alpha).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        qrels: AnyQrels,
        metric: MeasureLike = "map",
        *,
        alpha: float = 0.05,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the mean ranks of existing runs.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        qrels : DataFrame, Qrels or dict
            Judgements.
        metric : str or Measure, default="map"
            A measure.
        alpha : float, default=0.05
            Level of the test.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.

        Returns
        -------
        CriticalDifferenceDisplay
        """
        return cls._from_queries(evaluate_runs(runs, qrels, [metric]), alpha).plot(ax)

    @classmethod
    def _from_queries(cls, values, alpha):
        metric = values.columns[0]
        names = values.index.get_level_values(0).unique()
        table = values[metric].unstack(level=0)[names].dropna(axis="columns", how="all")
        left_out = [str(name) for name in names if name not in table]
        table = table.dropna()
        n_queries, n_methods = table.shape
        if n_queries < 2 or n_methods < 2:
            raise InputError(
                f"{cls.__name__} needs two methods with values, and two queries on which all these methods have a "
                f"value; got {n_methods} methods and {n_queries} queries. Add methods or queries."
            )
        result = friedman_nemenyi(orient(table, metric, values), alpha=alpha)
        label = f"mean rank by {metric} over {result.n_queries} queries"
        if left_out:
            label += f"\nwithout a value: {', '.join(left_out)}"
        return cls(result, table.columns.tolist(), label=label)

    def _reason(self):
        return ""  # there is always something to draw, because a test has at least two methods

    def _draw(self, ax):
        result = self.result
        order = np.argsort(result.mean_ranks, kind="stable")
        k = len(order)
        n_left = (k + 1) // 2
        groups = result.groups()
        step, gap = 0.24, 0.12  # height in inches of a row of names, and of a bar
        height = 0.85 + gap * (len(groups) + 1) + step * (n_left + 0.3)
        # Length of the line, and margins on both sides for the longest name, in inches.
        line, margin = 4.0, 0.75 + 0.075 * longest(self.names)
        ax = self._new_axes(ax, line + 2 * margin, height + 0.3)
        low, high = 1.0, float(k)
        inch = (high - low) / line
        ax.set_xlim(low - margin * inch, high + margin * inch)
        # The vertical position 0 is the line, and other positions are inches below it.
        ax.set_ylim(height - 0.85, -0.85)
        ax.set_axis_off()
        ax.plot([low, high], [0, 0], color=TEXT, linewidth=1.0)
        above = {"ha": "center", "va": "bottom", "fontsize": 8, "color": TEXT}
        ticks = np.arange(1, k + 1) if k <= 25 else np.linspace(1, k, 11).round()
        for tick in ticks:
            ax.plot([tick, tick], [0, -0.06], color=TEXT, linewidth=0.8)
            ax.text(tick, -0.1, f"{tick:g}", **above)
        reach = min(result.critical_difference, high - low)
        ax.plot([low, low + reach], [-0.42, -0.42], color=ORANGE, linewidth=1.6)
        for end in (low, low + reach):
            ax.plot([end, end], [-0.37, -0.47], color=ORANGE, linewidth=1.6)
        words = f"critical difference {result.critical_difference:.2f} (p < {result.alpha:g})"
        ax.text(low + reach / 2, -0.5, words, **above)
        self.bars_: list[Line2D] = []
        for row, group in enumerate(groups):
            ranks, level, pad = result.mean_ranks[group], gap * (row + 1), 0.004 * (high - low)
            ends = [ranks.min() - pad, ranks.max() + pad]
            self.bars_ += ax.plot(ends, [level, level], color=ORANGE, linewidth=3, solid_capstyle="butt")
        below = gap * (len(groups) + 1)
        for place, method in enumerate(order):
            left = place < n_left
            row = place if left else k - 1 - place
            level = below + step * (row + 0.7)
            name, rank = self.names[method], result.mean_ranks[method]
            away = -(high - low) if left else high - low
            edge = (low if left else high) + 0.03 * away
            ax.plot([rank, rank, edge], [0, level, level], color="#808080", linewidth=0.7, zorder=1)
            text, align = (f"{name}  {rank:.2f}", "right") if left else (f"{rank:.2f}  {name}", "left")
            style = {"ha": align, "va": "center", "fontsize": 8.5, "color": TEXT, "parse_math": False}
            ax.text(edge + 0.01 * away, level, text, **style)
        ax.set_title(self.label, fontsize=9, parse_math=False)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), ax=ax)
