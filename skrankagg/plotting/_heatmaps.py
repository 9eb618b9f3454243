"""Heat map of the agreement of voters or methods, and plot of the weights of voters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from .._data._types import AnyLists
from ..exceptions import InputError
from ..metrics import agreement_matrix
from ._display import Display
from ._layout import (
    CHARACTER,
    COLORS,
    check_limits,
    diverging,
    draw_matrix,
    fit_upright,
    label_rows,
    labels_of,
    longest,
)
from ._plotted_values import as_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

    from ..model_selection import Comparator

__all__ = ["AgreementDisplay", "VoterWeightsDisplay"]

# Largest number of rows for which cells show their numbers.
_MAX_NUMBERED = 25
# Smaller differences between values are treated as rounding errors.
_ROUNDING = 1e-9
_DISTANCES = frozenset({"footrule", "kendall-distance"})


@dataclass(eq=False, repr=False)
class AgreementDisplay(Display):
    r"""Heat map of the agreement of all pairs of voters or methods.

    Create a display with :meth:`from_lists`, :meth:`from_comparator` or :meth:`from_predictions`.

    Parameters
    ----------
    table : DataFrame of shape (n, n)
        Result of :func:`~skrankagg.metrics.agreement_matrix`.
    label : str, default="agreement"
        Label of the colour bar.
    limits : tuple of two floats, default=None
        Lowest and highest value of the colours; None uses the smallest and the largest value outside the diagonal.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    image_ : matplotlib AxesImage
        The coloured cells.
    text_ : list of matplotlib Text
        Numbers in the cells, if there are at most 25 rows.

    See Also
    --------
    skrankagg.metrics.agreement_matrix : Computes the numbers.

    Notes
    -----
    The colours go from the smallest to the largest value outside the diagonal, so that small differences are visible.
    If some values are positive and others negative, white means 0, and values of equal size have equally dark colours.
    If all values equal v, the colours go from 0 to max(1, v). If v is negative, they go from -max(1, -v) to max(1, -v).

    Equal colours in two plots may therefore mean different values. If readers compare plots, use the same `limits` in
    these plots, such as ``limits=(-1, 1)`` for Kendall's tau. If no voters agree, differences due to chance also get
    different colours, so read the numbers at the colour bar.

    Examples
    --------
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import AgreementDisplay
    >>> lists = make_ranked_lists(n_queries=3, n_voters=4, random_state=0)[0]
    >>> display = AgreementDisplay.from_lists(lists, "rbo", persistence=0.8)
    >>> low, high = display.image_.get_clim()
    >>> display.table.shape, round(low, 2), round(high, 2)
    ((4, 4), 0.25, 0.44)
    >>> AgreementDisplay.from_lists(lists, "rbo", limits=(0, 1)).image_.get_clim()
    (0.0, 1.0)
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "agreement"
    limits: tuple[float, float] | None = None

    _alt = (
        "A heat map of Kendall's tau between eight search engines, similar ones together, in colours from the smallest "
        "to the largest value"
    )

    @classmethod
    def from_lists(
        cls,
        lists: AnyLists | Mapping[str, AnyLists],
        metric: str = "tau-b",
        *,
        sort: bool = True,
        limits: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the agreement of voters.

        Parameters
        ----------
        lists : DataFrame or RankedLists
            Ranked lists.
        metric : str, default="tau-b"
            Name of a measure of agreement, see :func:`~skrankagg.metrics.agreement_names`.
        sort : bool, default=True
            Whether to place voters that agree next to each other.
        limits : tuple of two floats, default=None
            Lowest and highest value of the colours; None uses the smallest and the largest value of the table.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Options of the measure.

        Returns
        -------
        AgreementDisplay
        """
        table = agreement_matrix(lists, metric, **options)
        if sort and len(table) > 2 and np.isfinite(table.to_numpy()).any():
            place = _similar_together(table.to_numpy(), metric in _DISTANCES)
            table = table.iloc[place, place]
        return cls(table, label=metric, limits=limits).plot(ax)

    @classmethod
    def from_comparator(
        cls,
        comparator: Comparator,
        metric: str = "tau-b",
        *,
        sort: bool = True,
        limits: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the agreement of the methods of a fitted Comparator; failed methods are left out.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        metric : str, default="tau-b"
            Name of a measure of agreement.
        sort : bool, default=True
            Whether to place methods that agree next to each other.
        limits : tuple of two floats, default=None
            Lowest and highest value of the colours; None uses the smallest and the largest value of the table.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Options of the measure.

        Returns
        -------
        AgreementDisplay
        """
        cls._check_fitted(comparator)
        return cls.from_lists(dict(comparator.runs_), metric, sort=sort, limits=limits, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls,
        runs: Mapping[str, AnyLists],
        metric: str = "tau-b",
        *,
        sort: bool = True,
        limits: tuple[float, float] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Draw the agreement of existing runs.

        Parameters
        ----------
        runs : dict of str to DataFrame, RankedLists or dict
            Runs, keyed by name.
        metric : str, default="tau-b"
            Name of a measure of agreement.
        sort : bool, default=True
            Whether to place runs that agree next to each other.
        limits : tuple of two floats, default=None
            Lowest and highest value of the colours; None uses the smallest and the largest value of the table.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Options of the measure.

        Returns
        -------
        AgreementDisplay
        """
        return cls.from_lists(runs, metric, sort=sort, limits=limits, ax=ax, **options)

    def _reason(self):
        if len(self.table) == 1:
            return "There is only one row, but an agreement needs two."
        known = np.isfinite(self.table.to_numpy(dtype=np.float64)) & ~np.eye(len(self.table), dtype=bool)
        return (
            ""
            if known.any()
            else "No pair of rows has a value. Two rows need common items in the same query that are not all tied."
        )

    def _draw(self, ax):
        n = len(self.table)
        names = labels_of(self.table.index)
        # The size of a cell does not depend on the lengths of the names.
        cells = max(2.8, 0.34 * n) if n <= _MAX_NUMBERED else max(6.0, 0.17 * n)
        names_beside = 0.25 + CHARACTER * longest(names)
        names_below = 0.25 if fit_upright(names) else names_beside
        ax = self._new_axes(ax, cells + names_beside + 1.3, cells + names_below)
        # The diagonal is left blank, because each voter agrees with itself.
        table = self.table.set_axis(names, axis=0).set_axis(names, axis=1).mask(np.eye(n, dtype=bool))
        low, high = _range_of(table.to_numpy(dtype=np.float64)) if self.limits is None else check_limits(self.limits)
        # Colour-blind readers can distinguish the colours of cividis, and also purple from orange.
        cmap = diverging(low, high, 0.0) if low < -_ROUNDING and high > _ROUNDING else "cividis"
        image, text = draw_matrix(ax, table, self.label, (low, high), cmap, n <= _MAX_NUMBERED)
        self.image_: AxesImage = image
        self.text_: list[Text] = text

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_lists(data.search()[0], "tau-b", ax=ax)


def _range_of(values):
    """Return the smallest and the largest value as the limits of the colours.

    If all values equal v, the limits are 0 and max(1, v), or plus and minus max(1, -v) for a negative v. If there are
    no values, the limits are 0 and 1.
    """
    values = values[np.isfinite(values)]
    if len(values) and np.ptp(values) > _ROUNDING:
        return float(values.min()), float(values.max())
    high = max(1.0, float(np.abs(values).max(initial=0.0)))
    return (-high if values.min(initial=0.0) < 0 else 0.0), high


def _similar_together(values, is_distance):
    """Return an order of the rows that places similar rows next to each other."""
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import squareform

    apart = values if is_distance else np.nanmax(values) - values
    apart = np.nan_to_num((apart + apart.T) / 2, nan=np.nanmax(apart))
    np.fill_diagonal(apart, 0.0)
    condensed = squareform(apart, checks=False)
    return leaves_list(optimal_leaf_ordering(linkage(condensed, "average"), condensed))


@dataclass(eq=False, repr=False)
class VoterWeightsDisplay(Display):
    r"""Plot of the voter weights of a fitted method, with a point for each list and a mark at each voter's mean.

    Create a display with :meth:`from_estimator`.

    Parameters
    ----------
    table : DataFrame of shape (n_lists, 3)
        Columns `query`, `voter`, `weight`.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    points_ : matplotlib PathCollection
        A point for each list.

    See Also
    --------
    AgreementDisplay : Shows the agreement of voters with each other.
    WeightCurveDisplay : Shows how a measure depends on the weights of two voters.

    Examples
    --------
    >>> from skrankagg import DIBRA
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import VoterWeightsDisplay
    >>> lists = make_ranked_lists(n_queries=3, n_voters=4, random_state=0)[0]
    >>> display = VoterWeightsDisplay.from_estimator(DIBRA().fit(lists))
    >>> len(display.ax_.get_yticklabels())
    4
    """

    table: pd.DataFrame

    _alt = "The weights of eight search engines, a point for each query and a mark at the mean"

    @classmethod
    def from_estimator(cls, aggregator: Any, *, ax: Axes | None = None, **point_kwargs: Any) -> Self:
        """Draw the weights of a fitted aggregator.

        Parameters
        ----------
        aggregator : aggregator
            A fitted aggregator with `query_voter_weights_`.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **point_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.scatter`.

        Returns
        -------
        VoterWeightsDisplay
        """
        if not hasattr(aggregator, "query_voter_weights_"):
            raise InputError(
                "`aggregator` must be a fitted method, such as DIBRA, that learns voter weights; got "
                f"{aggregator!r}, which has no weights. Call its fit(lists) first."
            )
        return cls(aggregator.query_voter_weights_).plot(ax, **point_kwargs)

    @classmethod
    def from_comparator(
        cls, comparator: Comparator, method: str, *, ax: Axes | None = None, **point_kwargs: Any
    ) -> Self:
        """Draw the weights of a method of a fitted Comparator.

        Parameters
        ----------
        comparator : Comparator
            A fitted comparator.
        method : str
            Name of a method that learns voter weights.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **point_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.scatter`.

        Returns
        -------
        VoterWeightsDisplay
        """
        cls._check_fitted(comparator)
        if method in comparator.failures_:
            raise InputError(f"`method` must have weights; got {method!r}, which failed. Choose a fitted method.")
        if method not in comparator.named_aggregators_:
            raise InputError(
                f"`method` must be one of {', '.join(map(repr, comparator.named_aggregators_))}; got {method!r}."
            )
        return cls.from_estimator(comparator.named_aggregators_[method], ax=ax, **point_kwargs)

    def _reason(self):
        return "" if np.isfinite(as_numbers(self.table["weight"])).any() else "No list has a weight."

    def _draw(self, ax, **point_kwargs):
        weights = pd.DataFrame(self.table)
        mean = weights.groupby("voter", observed=True)["weight"].mean().sort_values(ascending=False, kind="stable")
        place = pd.Series(np.arange(len(mean)), index=mean.index)
        names = labels_of(mean.index)
        ax = self._new_axes(ax, 5.5 + CHARACTER * longest(names), 1.4 + 0.2 * len(mean))
        rows = weights["voter"].map(place).to_numpy(dtype=float)
        style = {"s": 12, "color": COLORS[4], "alpha": 0.6, "linewidths": 0, **point_kwargs}
        self.points_: PathCollection = ax.scatter(weights["weight"], rows, **style)
        marks = ax.scatter(mean, place, marker="|", s=70, color=COLORS[6], linewidths=1.8, label="mean")
        label_rows(ax, names, fontsize="small")
        ax.set_xlabel(f"weight; a point for each of {weights['query'].nunique()} queries")
        self._grid("y")
        self._legend([marks], "below")

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_comparator(data.comparator(), "DIBRA", ax=ax)
