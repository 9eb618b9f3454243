"""Votes by round of an elimination: stacked bars of first or last places, or lines of Borda points."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import PlainLists
from ..base import BaseAggregator
from ..inspection import elimination_rounds
from ._display import Display
from ._layout import CHARACTER, GREY, SOFT_TEXT, TEXT, label_rows, labels_of, line_style, longest, write_title
from ._plotted_values import lists_of_query, rows_of_query

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

__all__ = ["EliminationDisplay"]

_COLUMNS = ("round", "item", "votes", "share", "leaves", "exhausted")
_OTHERS, _EXHAUSTED = "#c9c9c9", "#f0f0f0"
# Largest number of colours in a bar. The items that stay longest have their own colours; all others share one colour.
_MOST_COLORS = 7
# Width of the axes in inches, without the names.
_WIDTH = 6.4
_LABELS = {"plurality": "votes", "veto": "last places"}


@dataclass(eq=False, repr=False)
class EliminationDisplay(Display):
    r"""Bars of the votes that each item has in each round of an elimination, such as instant runoff.

    The plot shows when an item leaves, who gets its votes, and how many ballots are exhausted. Create a display with
    :meth:`from_estimator` or :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame
        The rounds of one query, as in ``SequentialElimination.rounds_``.
    label : str, default="votes"
        Label of the axis of votes.
    title : str, default=""
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    parts_ : dict of str to matplotlib BarContainer or Line2D
        The bars of each item, or its line if the plot has lines, keyed by the name in the legend.

    See Also
    --------
    skrankagg.inspection.elimination_rounds : Computes the table, and describes it in words.
    skrankagg.aggregators.SequentialElimination : Computes the consensus.

    Notes
    -----
    Each row is a round. The items that stay longest come first, so the winner is at the left end of each bar.
    A cross marks an item that leaves after this round. Under rules that eliminate the items with the fewest votes,
    black marks at each bar show half of the votes that are not exhausted. Up to seven items have their own colours. If
    there are more items, the items that leave first share one part of the bar.

    Borda points may be negative, and with ``absent="ignore"`` votes may also be negative. In these cases the plot has a
    line for each item instead of bars, with the rounds from left to right.

    Examples
    --------
    >>> from skrankagg import RankedLists, SequentialElimination
    >>> from skrankagg.plotting import EliminationDisplay
    >>> ballots = RankedLists.from_ballots(["Ann > Bob", "Bob > Ann", "Cy > Bob"],
    ...     counts=[4, 3, 2])
    >>> display = EliminationDisplay.from_estimator(SequentialElimination(), ballots)
    >>> list(display.parts_)
    ['Bob', 'Ann', 'Cy']
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "votes"
    title: str = ""

    _alt = (
        "A stacked bar of votes for each of two rounds: the candidate who leads at first is overtaken in the last round"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        lists: PlainLists,
        *,
        query: Any = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Run an elimination on the lists of a query, and draw the votes by round.

        Parameters
        ----------
        aggregator : aggregator
            The rule, a :class:`~skrankagg.aggregators.SequentialElimination`.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists, such as ballots.
        query : object, default=None
            Id of the query; None if there is only one query.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`, or to :meth:`matplotlib.axes.Axes.plot` for lines.

        Returns
        -------
        EliminationDisplay
        """
        rounds = elimination_rounds(aggregator, lists_of_query(cls.__name__, lists, query))
        label = _LABELS.get(aggregator.get_params()["rule"], "Borda points")
        return cls.from_frame(rounds.frame, query=query, label=label, ax=ax, **kwargs)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        query: Any = None,
        label: str = "votes",
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw a table of rounds.

        Parameters
        ----------
        table : DataFrame
            ``SequentialElimination.rounds_``, or the frame of :func:`~skrankagg.inspection.elimination_rounds`.
        query : object, default=None
            Id of the query; None if there is only one query.
        label : str, default="votes"
            Label of the axis of votes.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`, or to :meth:`matplotlib.axes.Axes.plot` for lines.

        Returns
        -------
        EliminationDisplay
        """
        rows = rows_of_query(cls.__name__, table, query, _COLUMNS)
        title = "" if query is None else f"query {labels_of([query])[0]}"
        return cls(rows, label=label, title=title).plot(ax, **kwargs)

    def _reason(self):
        return "" if (self.table["votes"].fillna(0.0) != 0).any() else "No item has a vote."

    def _draw(self, ax, **kwargs):
        self.parts_: dict[str, BarContainer | Line2D] = {}
        if self._reason():
            self._new_axes(ax, _WIDTH, 1.3)
        elif self.table["share"].isna().all():
            self._draw_lines(ax, **kwargs)
        else:
            self._draw_bars(ax, **kwargs)
        write_title(self.ax_, self.title)

    def _draw_bars(self, ax, **bar_kwargs):
        votes = self._votes()
        n_rounds = votes.shape[1]
        ax = self._new_axes(ax, _WIDTH + CHARACTER * min(longest(votes.index), 40), 1.3 + 0.5 * n_rounds)
        place = np.arange(n_rounds)
        exhausted = self.table.groupby("round")["exhausted"].first().to_numpy()
        leaving = self.table[self.table["leaves"]].groupby("round")["item"].agg(list)
        left, handles = np.zeros(n_rounds), []
        counted = votes.fillna(0.0).sum().to_numpy()
        whole = float((counted + exhausted).max())
        parts = self._parts(votes)
        for name, color, items in parts:
            width = votes.loc[items].fillna(0.0).sum().to_numpy()
            style = {"color": color, "height": 0.62, "edgecolor": "white", "linewidth": 0.8, "label": name}
            self.parts_[name] = ax.barh(place, width, left=left, **{**style, **bar_kwargs})
            handles.append(self.parts_[name])
            for row in np.flatnonzero(width > 0):
                gone = len(items) == 1 and items[0] in leaving.get(row + 1, [])
                self._write(left[row] + width[row] / 2, row, width[row], whole, color, gone)
            left += width
        if exhausted.any():
            from matplotlib.patches import Patch

            style = {"facecolor": _EXHAUSTED, "edgecolor": GREY, "linewidth": 0.6, "hatch": "///", "label": "exhausted"}
            self.parts_["exhausted"] = ax.barh(place, exhausted, left=left, height=0.62, **style)
            for bar in self.parts_["exhausted"]:
                bar.set_visible(bar.get_width() > 0)  # the edge of an empty bar would be visible
            handles.append(Patch(**style))
        words = "×: leaves"
        if self._fewest_leave():
            for end in (-0.42, 0.33):  # above and below the bar, so that no number is covered
                ax.vlines(counted / 2, place + end, place + end + 0.09, color=TEXT, linewidth=1.6)
            words += "; black marks: half of the votes that are not exhausted"
        label_rows(ax, [f"round {k + 1}" for k in place], fontsize="small")
        ax.set_xlim(0.0, whole * 1.01 or 1.0)
        ax.set_xlabel(f"{self.label} ({words})", fontsize="small")
        ax.tick_params(axis="x", labelsize="small")
        self._grid("x")
        self._legend(handles, handlelength=1.2)

    def _write(self, middle, row, width, whole, color, gone):
        """Write the number of votes, `width`, into a part of the bar of a round, if there is space.

        If `gone` is true, the item of this part leaves after the round, and a cross follows the number.
        """
        text = f"{width:.10g}" if abs(width - round(width)) < 1e-9 else f"{width:.1f}"
        text += " ×" if gone else ""
        inches = _WIDTH * width / whole
        if CHARACTER * len(text) * 0.95 < inches:
            dark = color != _OTHERS and line_style(4)["color"] != color and line_style(5)["color"] != color
            shade = "white" if dark else TEXT
            self.ax_.text(middle, row, text, ha="center", va="center", fontsize="small", color=shade, clip_on=True)

    def _draw_lines(self, ax, **line_kwargs):
        votes = self._votes()
        n_rounds = votes.shape[1]
        names = labels_of(votes.index)
        ax = self._new_axes(ax, _WIDTH + CHARACTER * min(longest(names), 40), 3.6)
        x = np.arange(1, n_rounds + 1)
        for k, (name, row) in enumerate(zip(names, votes.to_numpy(), strict=True)):
            style = {**line_style(k), "markersize": 5, "linewidth": 1.4, "label": name}
            (self.parts_[name],) = ax.plot(x, row, **{**style, **line_kwargs})
        gone = self.table[self.table["leaves"]]
        ax.scatter(gone["round"] + 0.03 * n_rounds, gone["votes"], marker="x", s=36, color=SOFT_TEXT, zorder=3)
        ax.set_xticks(x)
        ax.set_xlim(0.7, n_rounds + 0.3)
        ax.set_xlabel("round (×: leaves)", fontsize="small")
        ax.set_ylabel(self.label, fontsize="small")
        ax.tick_params(labelsize="small")
        ax.spines[["top", "right"]].set_visible(False)
        self._grid("y")
        self._legend(list(self.parts_.values()))

    def _fewest_leave(self):
        """Return True if the items with the fewest votes leave, False if the items with the most last places leave."""
        least = self.table.groupby("round")["votes"].transform("min")
        return bool((self.table["votes"] == least)[self.table["leaves"]].all())

    def _votes(self):
        """Return the votes of each item (row) in each round (column), NaN after the item has left.

        Items that stay longer come first. If two items leave in the same round, the item with more votes comes first.
        """
        last = self.table.sort_values(["round"], kind="stable").drop_duplicates("item", keep="last")
        order = last.assign(wins=~last["leaves"]).sort_values(
            ["wins", "round", "share", "votes"], ascending=False, kind="stable"
        )
        return self.table.pivot(index="item", columns="round", values="votes").reindex(order["item"])

    def _parts(self, votes):
        """Return the parts of the bars as tuples of a name, a colour and a list of items.

        Each part shows the votes of one item. If there are too many items, the last part shows the total votes of the
        other items.
        """
        items = votes.index.tolist()
        n_own = len(items) if len(items) <= _MOST_COLORS else _MOST_COLORS - 1
        own = [(name, line_style(k)["color"], [items[k]]) for k, name in enumerate(labels_of(items[:n_own]))]
        rest = items[n_own:]
        return [*own, (f"{len(rest)} other items", _OTHERS, rest)] if rest else own

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.RUNOFF, data.BALLOTS, ax=ax)
