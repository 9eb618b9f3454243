"""Stacked bars that show the contribution of each list to the scores of the first items."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import PlainLists
from .._support._checks import check_count
from ..base import BaseAggregator
from ..inspection import voter_contributions
from ._display import Display
from ._layout import CHARACTER, TEXT, labels_of, line_style, longest, size_of_rows, title_of, write_beside, write_rows
from ._plotted_values import lists_of_query, rows_of_query

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

__all__ = ["ContributionDisplay"]

_OTHERS = "#c9c9c9"
# Largest number of colours that readers can distinguish side by side. The bars of all other voters are grey.
_MOST_COLORS = 7


@dataclass(eq=False, repr=False)
class ContributionDisplay(Display):
    r"""Stacked bars of the contribution of each list to the scores of the first items.

    The plot shows why an item is first, and which lists lower the score of an item. Negative contributions are drawn to
    the left of 0. Create a display with :meth:`from_estimator` or :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame of shape (n_items, n_voters)
        Contribution of each list to the score of each item, best item first; NaN if a list adds nothing to an item.
    label : str, default="score, by the list that it comes from"
        Label of the axis.
    title : str, default=""
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    bars_ : dict of str to list of matplotlib BarContainer
        Maps each name in the legend to its bars: the bars to the right of 0 and, if there are any, the bars to the left
        of 0.

    See Also
    --------
    skrankagg.inspection.voter_contributions : Computes the numbers.
    VoterInfluenceDisplay : Shows how the consensus changes if a list is left out; it accepts any method.

    Notes
    -----
    The score of an item is the sum of the parts of its bar to the right of 0, minus the sum of the parts to the left.
    The score is written at the end of the bar. If there are negative contributions, a line marks the score. The voters
    with the largest contributions to the items shown have their own colours, in the order of the legend. All other
    voters share one part of the bar.

    Examples
    --------
    >>> from skrankagg import ReciprocalRankFusion
    >>> from skrankagg.plotting import ContributionDisplay
    >>> hits = {"bm25": ["a", "b", "c"], "dense": ["b", "d", "a"],
    ...         "splade": ["b", "a", "d"]}
    >>> display = ContributionDisplay.from_estimator(ReciprocalRankFusion(), hits, top=2)
    >>> display.table.round(4)
    voter    bm25   dense  splade
    item
    b      0.0161  0.0164  0.0164
    a      0.0164  0.0159  0.0161
    >>> list(display.bars_)
    ['bm25', 'splade', 'dense']
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "score, by the list that it comes from"
    title: str = ""

    _alt = "A stacked bar for each of seven documents: what each of three search engines adds to its score"

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        lists: PlainLists,
        *,
        query: Any = None,
        top: int = 10,
        n_voters: int = 7,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Aggregate the lists of a query, and show how much each list adds to the scores.

        Parameters
        ----------
        aggregator : aggregator
            A method whose scores are sums over the lists, see :func:`~skrankagg.inspection.voter_contributions`.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        query : object, default=None
            Id of the query; None if there is only one query.
        top : int, default=10
            Number of items to show.
        n_voters : int, default=7
            Number of voters with their own colour, up to 7.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ContributionDisplay
        """
        frame = voter_contributions(aggregator, lists_of_query(cls.__name__, lists, query))
        return cls.from_frame(frame, query=query, top=top, n_voters=n_voters, ax=ax, **bar_kwargs)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        query: Any = None,
        top: int = 10,
        n_voters: int = 7,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw a result of ``voter_contributions``.

        Parameters
        ----------
        table : DataFrame
            Result of :func:`~skrankagg.inspection.voter_contributions`: columns `voter`, `item` and `contribution`,
            with items in the order of the consensus.
        query : object, default=None
            Id of the query; None if there is only one query.
        top : int, default=10
            Number of items to show.
        n_voters : int, default=7
            Number of voters with their own colour, up to 7.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ContributionDisplay
        """
        check_count("top", top)
        rows = rows_of_query(cls.__name__, table, query, ["voter", "item", "contribution"])
        items = rows["item"].drop_duplicates()
        kept = rows[rows["item"].isin(items.head(top))]
        table = kept.pivot(index="item", columns="voter", values="contribution").reindex(items.head(top))
        table.index.name = "item"
        display = cls(table, title=title_of(query, top, len(items), "items"))
        return display.plot(ax, n_voters=n_voters, **bar_kwargs)

    def plot(self, ax: Axes | None = None, *, n_voters: int = 7, **bar_kwargs: Any) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        n_voters : int, default=7
            Number of voters with their own colour, up to 7.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        ContributionDisplay
            This display, with `ax_`, `figure_` and `bars_`.
        """
        check_count("n_voters", n_voters)
        return super().plot(ax, n_voters=n_voters, **bar_kwargs)

    def _reason(self):
        return "" if self.table.notna().to_numpy().any() else "No list contributes to the score of an item."

    def _draw(self, ax, n_voters=7, **bar_kwargs):
        parts = self._parts(min(n_voters, _MOST_COLORS))
        names = labels_of(self.table.index)
        ax = self._new_axes(ax, *size_of_rows(names, 5.6 + CHARACTER * longest(name for name, _, _ in parts)))
        place, left, right = np.arange(len(names)), np.zeros(len(names)), np.zeros(len(names))
        self.bars_: dict[str, list[BarContainer]] = {}
        handles, entries = [], []
        for name, color, values in parts:
            style = {"height": 0.7, "color": color, "edgecolor": "white", "linewidth": 0.7, **bar_kwargs}
            # The grey bar of the other voters may extend to both sides of 0.
            up, down = np.maximum(values, 0.0).sum(axis=1), np.minimum(values, 0.0).sum(axis=1)
            drawn = [ax.barh(place, up, left=right, **style)]
            if (down < 0).any():
                drawn.append(ax.barh(place, down, left=left, **style))
            right, left = right + up, left + down
            self.bars_[name] = drawn
            handles.append(drawn[0])
            entries.append(name)
        score = right + left
        write_rows(ax, names, self.title)
        if (left < 0).any():
            ax.axvline(0.0, color=TEXT, linewidth=0.8)
            handles.append(ax.vlines(score, place - 0.42, place + 0.42, color=TEXT, linewidth=2.0, zorder=3))
            entries.append("score")
        if not self._reason():
            _write_scores(ax, place, score, right, left)
        ax.set_xlabel(self.label)
        self._grid("x")
        if handles:
            self._legend(handles, labels=entries, handlelength=1.2)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.FUSION, data.HITS, ax=ax)

    def _parts(self, n_colors):
        """Return the coloured parts of the stacked bars, with the largest contributions first.

        Each part is a tuple of its name, its colour, and contributions of shape (n_items, n_voters). A part belongs to
        one voter, or to all voters without a colour of their own.
        """
        values = np.nan_to_num(self.table.to_numpy(dtype=np.float64))
        size = np.abs(values).sum(axis=0)
        # Voters whose contributions differ only by rounding keep their order.
        order = np.argsort(-np.round(size / (size.max(initial=0.0) or 1.0), 9), kind="stable")
        n_own = len(order) if len(order) <= n_colors else n_colors - (n_colors == _MOST_COLORS)
        names = labels_of(self.table.columns)
        own = [(names[k], line_style(place)["color"], values[:, [k]]) for place, k in enumerate(order[:n_own])]
        rest = order[n_own:]
        return [*own, (f"{len(rest)} other voters", _OTHERS, values[:, rest])] if len(rest) else own


def _write_scores(ax, place, score, right, left):
    """Write the score of each item at the end of its bar. Extend the axis to make space for the scores."""
    low, high = min(left.min(), 0.0), max(right.max(), 0.0)
    decimals = max(0, 2 - int(np.floor(np.log10(np.abs(score).max())))) if np.abs(score).max() > 0 else 0
    for row, value, end in zip(place, score, right, strict=True):
        write_beside(ax, f"{value:z.{min(decimals, 8)}f}", end, row, 4, fontsize="x-small", color=TEXT)
    span = (high - low) or 1.0
    ax.set_xlim(low - 0.02 * span if low < 0 else 0.0, high + 0.14 * span)
