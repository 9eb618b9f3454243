"""Plot of each voter's agreement with the others, and of the changes of the consensus if the voter is left out."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import pandas as pd

from .._data._frames import plain_index
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._checks import check_count
from ..base import BaseAggregator
from ..inspection import voter_influence
from ._display import Display
from ._layout import (
    BAR,
    BLUE,
    GREY,
    ORANGE,
    RULE,
    TEXT,
    labels_of,
    side_axes,
    size_of_rows,
    title_of,
    write_beside,
    write_rows,
)
from ._plotted_values import as_numbers, rows_of_query

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.container import BarContainer

__all__ = ["VoterInfluenceDisplay"]


@dataclass(eq=False, repr=False)
class VoterInfluenceDisplay(Display):
    r"""Plot of each voter's agreement with the others, and of the changes of the consensus if the voter is left out.

    Outliers are marked. Create a display with :meth:`from_estimator` or :meth:`from_frame`.

    Parameters
    ----------
    table : DataFrame of shape (n_lists, n_columns)
        Result of :func:`~skrankagg.inspection.voter_influence` for one or more queries, with columns `voter`,
        `agreement`, `threshold`, `outlier`, `distance` and `leader_changed`.
    title : str, default=""
        Title.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the agreement.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    points_ : matplotlib PathCollection
        A dot for each list.
    bars_ : matplotlib BarContainer
        The distances, with a bar for each voter.
    distance_ax_ : matplotlib Axes
        Axes of the second column.

    See Also
    --------
    skrankagg.inspection.voter_influence : Computes the numbers.
    ContributionDisplay : Shows the contribution of each list to the scores.
    VoterWeightsDisplay : Shows weights that a method has learned.

    Notes
    -----
    Voters are sorted by their agreement with the consensus of the other voters. The voter with the highest agreement is
    on top. Voters whose agreement is unknown are above all others and have no dot. They are the first to be left out if
    there are too many voters. For several queries, a voter has a dot for each list. A short line then shows the mean
    agreement, and the bar shows the mean distance.

    The agreement of random lists is 0 on average. In a plot of one query, a grey mark shows the threshold of each list.
    A list whose agreement is below this threshold is an outlier. The thresholds of short lists are lower than the
    thresholds of long lists.

    Examples
    --------
    >>> from skrankagg import BordaCount
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import VoterInfluenceDisplay
    >>> lists, _, _ = make_ranked_lists(
    ...     n_queries=1, n_voters=6, n_items=20, list_length=None, quality=1.5,
    ...     adversarial_share=0.2, random_state=0
    ... )
    >>> display = VoterInfluenceDisplay.from_estimator(BordaCount(), lists)
    >>> display.table[["voter", "agreement", "threshold", "outlier"]].round(2)
      voter  agreement  threshold  outlier
    0    v1      -0.81       0.14     True
    1    v2       0.53       0.14    False
    2    v3       0.62       0.14    False
    3    v4       0.55       0.14    False
    4    v5       0.36       0.14    False
    5    v6       0.44       0.14    False
    """

    table: pd.DataFrame
    _: KW_ONLY
    title: str = ""

    _alt = (
        "Tasks sorted by their agreement with the others, outliers marked by orange diamonds, and in a second column "
        "the share of pairs that swap without each of them"
    )

    @classmethod
    def from_estimator(
        cls,
        aggregator: BaseAggregator,
        lists: PlainLists,
        *,
        query: Any = None,
        mode: Literal["silence", "drop"] = "silence",
        n_voters: int = 50,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Leave out one list at a time, aggregate the other lists, and show the changes of the consensus.

        Parameters
        ----------
        aggregator : aggregator
            Any method, see :func:`~skrankagg.inspection.voter_influence`.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        query : object, default=None
            Id of the query; None shows all queries.
        mode : {"silence", "drop"}, default="silence"
            The way to leave out a list. "silence" sets its weight to 0, and "drop" removes its rows.
        n_voters : int, default=50
            Largest number of voters to show. If there are more voters, the voters with the lowest agreement are shown.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        VoterInfluenceDisplay
        """
        lists = check_lists(encode_plain(lists))
        if query is not None:
            lists = lists.select(queries=[query])
        display = cls._of_rows(voter_influence(aggregator, lists, mode=mode), query)
        return display.plot(ax, n_voters=n_voters, **bar_kwargs)

    @classmethod
    def from_frame(
        cls,
        table: pd.DataFrame,
        *,
        query: Any = None,
        n_voters: int = 50,
        ax: Axes | None = None,
        **bar_kwargs: Any,
    ) -> Self:
        """Draw a result of ``voter_influence``.

        Parameters
        ----------
        table : DataFrame
            Result of :func:`~skrankagg.inspection.voter_influence`.
        query : object, default=None
            Id of the query; None shows all queries.
        n_voters : int, default=50
            Largest number of voters to show. If there are more voters, the voters with the lowest agreement are shown.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        VoterInfluenceDisplay
        """
        return cls._of_rows(table, query).plot(ax, n_voters=n_voters, **bar_kwargs)

    @classmethod
    def _of_rows(cls, frame, query):
        columns = ["voter", "agreement", "threshold", "outlier", "distance", "leader_changed"]
        one = frame if query is not None or "query" not in frame else frame.drop(columns="query")
        kept = rows_of_query(cls.__name__, one, query, columns)
        if query is None and "query" in frame:
            kept.insert(0, "query", frame["query"].to_numpy())
        return cls(kept, title=title_of(query, 0, 0, "voters"))

    def plot(self, ax: Axes | None = None, *, n_voters: int = 50, **bar_kwargs: Any) -> Self:
        """Draw the agreement of each voter, and the changes of the consensus if the voter is left out.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        n_voters : int, default=50
            Largest number of voters to show. If there are more voters, the voters with the lowest agreement are shown.
        **bar_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.barh`.

        Returns
        -------
        VoterInfluenceDisplay
            This display, with `ax_`, `figure_`, `points_`, `bars_` and `distance_ax_`.
        """
        check_count("n_voters", n_voters)
        return super().plot(ax, n_voters=n_voters, **bar_kwargs)

    def _reason(self):
        if np.isfinite(as_numbers(self.table["agreement"])).any():
            return ""
        return "No agreement has a value. An agreement needs two lists with at least two items in common."

    def _draw(self, ax, n_voters=50, **bar_kwargs):
        table = self.table.assign(voter=plain_index(self.table["voter"]))
        n_queries = table["query"].nunique() if "query" in table else 1
        mean = table.groupby("voter", observed=True)[["agreement", "distance"]].mean()
        mean = mean.sort_values("agreement", ascending=False, kind="stable", na_position="first")
        title = self.title
        if len(mean) > n_voters:
            n_all, n_known = len(mean), int(mean["agreement"].notna().sum())
            mean = mean.tail(min(n_voters, n_known) or n_voters)
            shown = f"{len(mean)} of {n_all} voters"
            if n_known:
                shown = f"the {shown} " + ("that agree least" if n_known > n_voters else "whose agreement is known")
            title = f"{title}, {shown}" if title else shown
        place = pd.Series(np.arange(len(mean)), index=mean.index)
        table = table[table["voter"].isin(mean.index)]
        row = table["voter"].map(place).to_numpy(dtype=float)
        names = labels_of(mean.index)
        ax = self._new_axes(ax, *size_of_rows(names, 7.0))
        is_outlier = table["outlier"].fillna(False).to_numpy(dtype=bool)
        agreement = as_numbers(table["agreement"])
        single = n_queries == 1
        ax.axvline(0.0, color=TEXT, linewidth=0.8, zorder=1)
        style = {"s": 30.0, "linewidths": 0} if single else {"s": 12.0, "linewidths": 0, "alpha": 0.55}
        colors = np.where(is_outlier, ORANGE, BLUE)
        self.points_: PathCollection = ax.scatter(agreement, row, c=colors, zorder=3, **style)
        handles = []
        if is_outlier.any():
            # Outliers have another shape too, because not all readers can distinguish the colours.
            marks = ax.scatter(
                agreement[is_outlier], row[is_outlier], marker="D", color=ORANGE, zorder=4, label="outlier", **style
            )
            handles.append(marks)
        if single and table["threshold"].notna().any():
            known = table["threshold"].notna().to_numpy()
            style = {"s": 90, "color": GREY, "linewidths": 1.5, "zorder": 2, "label": "outliers agree less than this"}
            handles.append(ax.scatter(as_numbers(table["threshold"])[known], row[known], marker="|", **style))
        if not single:
            style = {"s": 80, "color": TEXT, "linewidths": 1.8, "zorder": 5, "label": "mean"}
            handles.append(ax.scatter(mean["agreement"], place, marker="|", **style))
        write_rows(ax, names, title)
        ax.set_xlabel(
            "agreement with the others (tau-b)" + ("" if single else f"\na dot for each of {n_queries} queries")
        )
        self._grid("both")
        if handles:
            self._legend(handles, "above", gap=0.3 if title else 0.05, handletextpad=0.2)
        first_changes = np.bincount(
            row[table["leader_changed"].fillna(False).to_numpy(dtype=bool)].astype(int), minlength=len(mean)
        )
        distance = 100 * mean["distance"].to_numpy(dtype=float)
        side, bars = _draw_distances(ax, np.nan_to_num(distance), first_changes, single, bar_kwargs)
        self.distance_ax_: Axes = side
        self.bars_: BarContainer = bars

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_estimator(data.BORDA, data.leaderboard(), ax=ax)


def _draw_distances(ax, distance, first_changes, single, bar_kwargs):
    """Draw a second column with a bar for each voter; return the new axes and the bars.

    A bar shows `distance`, the percentage of pairs of items that swap if the voter is left out. The text next to the
    bar states how often the first item then changes.
    """
    side = side_axes(ax, 2.0)
    bars = side.barh(np.arange(len(distance)), distance, **{"height": 0.6, "color": BAR, "zorder": 2, **bar_kwargs})
    for k in np.flatnonzero(first_changes):
        words = "first item changes" if single else f"first changes in {first_changes[k]}"
        write_beside(side, words, distance[k], k, 3, fontsize="x-small", color=TEXT)
    widest = float(distance.max(initial=0.0)) or 1.0
    side.set_xlim(0.0, widest * (2.3 if first_changes.any() else 1.05))
    side.locator_params(axis="x", nbins=4)
    side.set_xlabel("% of pairs that\nswap without it")
    side.grid(axis="x", color=RULE, linewidth=0.6)
    return side, bars
