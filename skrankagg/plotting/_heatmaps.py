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
from ._layout import CHARACTER, COLORS, draw_matrix, fit_upright, label_rows, labels_of, longest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.image import AxesImage
    from matplotlib.text import Text

    from ..model_selection import Comparator

__all__ = ["AgreementDisplay", "VoterWeightsDisplay"]

# Largest number of rows for which cells show their numbers.
_MAX_NUMBERED = 25
# Ranges of the measures. Distances that are not normalised have no upper limit.
_CORRELATIONS = frozenset({"gamma", "spearman", "tau-a", "tau-ap", "tau-b", "tau-x", "weighted-tau"})
_SHARES = frozenset({"average-overlap", "overlap", "rbo"})
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
        Lowest and highest value of the colours. None uses 0 and 1, or -1 and 1 if there are negative values. If the
        absolute value of some numbers exceeds 1, as in some distances, the largest absolute value replaces 1.

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
    The colours span the range of the measure:

    - -1 to 1 for correlations, such as Kendall's tau, with white for 0;
    - 0 to 1 for overlaps, RBO and normalised distances;
    - 0 to the largest value for other distances.

    In the first two cases, equal values therefore have the same colour in all plots of a measure. Use `limits` to set
    other ends.

    Examples
    --------
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.plotting import AgreementDisplay
    >>> lists = make_ranked_lists(n_queries=3, n_voters=4, random_state=0)[0]
    >>> display = AgreementDisplay.from_lists(lists, "rbo", persistence=0.8)
    >>> display.table.shape, display.limits
    ((4, 4), (0.0, 1.0))
    >>> AgreementDisplay.from_lists(lists, "tau-b").limits
    (-1.0, 1.0)
    """

    table: pd.DataFrame
    _: KW_ONLY
    label: str = "agreement"
    limits: tuple[float, float] | None = None

    _alt = (
        "A heat map of Kendall's tau between eight search engines, similar ones together, on a scale from -1 to 1 with "
        "white at 0"
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
            Lowest and highest value of the colours; None uses the range of the measure.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Options of the measure.

        Returns
        -------
        AgreementDisplay
        """
        table = agreement_matrix(lists, metric, **options)
        if sort and len(table) > 2:
            place = _similar_together(table.to_numpy(), metric in _DISTANCES)
            table = table.iloc[place, place]
        limits = _range_of(metric, options) if limits is None else limits
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
            Lowest and highest value of the colours; None uses the range of the measure.
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
            Lowest and highest value of the colours; None uses the range of the measure.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **options
            Options of the measure.

        Returns
        -------
        AgreementDisplay
        """
        return cls.from_lists(runs, metric, sort=sort, limits=limits, ax=ax, **options)

    def _draw(self, ax):
        n = len(self.table)
        names = labels_of(self.table.index)
        # Cells have the same size, however long the names are.
        cells = max(2.8, 0.34 * n) if n <= _MAX_NUMBERED else max(6.0, 0.17 * n)
        names_beside = 0.25 + CHARACTER * longest(names)
        names_below = 0.25 if fit_upright(names) else names_beside
        ax = self._new_axes(ax, cells + names_beside + 1.3, cells + names_below)
        # The diagonal is left blank, because each voter agrees with itself.
        table = self.table.set_axis(names, axis=0).set_axis(names, axis=1).mask(np.eye(n, dtype=bool))
        low, high = _range_around(table.to_numpy(dtype=np.float64)) if self.limits is None else self.limits
        # Cividis, and purple to orange around 0, look the same for every colour vision.
        cmap = "PuOr" if low < 0 else "cividis"
        image, text = draw_matrix(ax, table, self.label, (low, high), cmap, n <= _MAX_NUMBERED)
        self.image_: AxesImage = image
        self.text_: list[Text] = text

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_lists(data.search()[0], "tau-b", ax=ax)


def _range_of(measure, options):
    """Return the lowest and the highest value of a measure of agreement; None for a distance without an upper bound."""
    if measure in _CORRELATIONS:
        return -1.0, 1.0
    return (0.0, 1.0) if measure in _SHARES or options.get("normalize") else None


def _range_around(values):
    """Return the range of the colours: 0 to 1, or -1 to 1 if a value is negative.

    If the largest absolute value exceeds 1, it replaces 1.
    """
    values = values[np.isfinite(values)]
    largest = np.abs(values).max(initial=0.0)
    high = float(largest) if largest > 1 + 1e-9 else 1.0  # rounding errors do not extend the scale beyond 1
    return (-high if values.min(initial=0.0) < 0 else 0.0), high


def _similar_together(values, is_distance):
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
                f"`aggregator` must be a fitted method that learns voter weights, such as DIBRA; got {aggregator!r}, "
                "which has no weights. Call its fit(lists) first."
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
