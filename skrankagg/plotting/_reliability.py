"""Plot of calibrated probabilities against the shares of relevant items."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from .._data._frames import AnyFrame, Columns
from .._data._qrels import check_qrels, grades_at, match_ids
from .._data._types import AnyQrels, PlainLists
from .._support._checks import check_count
from ..exceptions import InputError
from ._display import Display
from ._layout import BLUE, DASHES, ORANGE, SOFT_TEXT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["ReliabilityDisplay"]

# Colour and marker of each line.
_LINES = {"all": (BLUE, "o"), "top": (ORANGE, "s")}


@dataclass(eq=False, repr=False)
class ReliabilityDisplay(Display):
    r"""Plot of the share of relevant items against the estimated probability of relevance.

    One line shows all items, and a second line shows the first items of each query. Create a display with
    :meth:`from_estimator` or :meth:`from_predictions`. The items are sorted by probability and divided into equal
    parts; each part is a point. Calibrated probabilities are on the diagonal. If most items are not relevant, the
    points of all items are near 0, so only the line of the first items shows errors.

    Parameters
    ----------
    table : DataFrame of shape (n_points, 4)
        A row for each point, with the columns `items` ("all" or "top"), `probability` (mean over the items of the
        part), `relevant` (share of relevant items) and `n_items`.
    top : int
        Number of first items of each query in the second line.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes of the plot.
    figure_ : matplotlib Figure
        Figure that contains the axes.
    lines_ : dict of str to matplotlib Line2D
        The lines, keyed by "all" and "top".

    See Also
    --------
    skrankagg.model_selection.CalibratedConsensus : Computes the probabilities.
    sklearn.calibration.CalibrationDisplay : The same plot for classifiers.

    Examples
    --------
    >>> from skrankagg import Qrels, RankedLists, ReciprocalRankFusion
    >>> from skrankagg.datasets import make_ranked_lists
    >>> from skrankagg.model_selection import CalibratedConsensus
    >>> from skrankagg.plotting import ReliabilityDisplay
    >>> lists, qrels, _ = make_ranked_lists(n_queries=60, quality=0.1, random_state=0)
    >>> lists, qrels = RankedLists.from_frame(lists), Qrels.from_frame(qrels)
    >>> calibrated = CalibratedConsensus(ReciprocalRankFusion()).fit(lists[:40], qrels)
    >>> display = ReliabilityDisplay.from_estimator(calibrated, lists[40:], qrels)
    >>> display.errors["all"] < 0.1
    True
    """

    table: pd.DataFrame
    _: KW_ONLY
    top: int

    _alt = (
        "Two lines of points near the diagonal: the mean probability of each part of the items on the horizontal axis, "
        "the share of relevant items on the vertical axis, one line for all items and one for the first ten of each "
        "query"
    )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        lists: PlainLists,
        qrels: AnyQrels,
        *,
        top: int = 10,
        n_parts: int = 15,
        ax: Axes | None = None,
        **plot_kwargs: Any,
    ) -> Self:
        """Draw the probabilities that a fitted estimator computes for new lists.

        Parameters
        ----------
        estimator : CalibratedConsensus, or pipeline
            A fitted estimator whose result has a column `probability`. It must not have been fitted on these lists.
        lists : DataFrame or RankedLists, or dict or list of lists
            Ranked lists.
        qrels : DataFrame, Qrels or dict
            Judgements of the lists; queries without judgements are left out.
        top : int, default=10
            Number of first items of each query that the second line shows.
        n_parts : int, default=15
            Number of parts into which all items are divided. For the first items, the number of parts is two thirds of
            this number.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        ReliabilityDisplay
        """
        return cls.from_predictions(estimator.transform(lists), qrels, top=top, n_parts=n_parts, ax=ax, **plot_kwargs)

    @classmethod
    def from_predictions(
        cls,
        frame: AnyFrame,
        qrels: AnyQrels,
        *,
        top: int = 10,
        n_parts: int = 15,
        ax: Axes | None = None,
        **plot_kwargs: Any,
    ) -> Self:
        """Draw the probabilities of an existing consensus, such as the result of ``cross_val_consensus``.

        Parameters
        ----------
        frame : DataFrame
            A consensus with the columns `query`, `item`, `rank` and `probability`.
        qrels : DataFrame, Qrels or dict
            Judgements; queries without judgements are left out. Items without a judgement are not relevant.
        top : int, default=10
            Number of first items of each query that the second line shows.
        n_parts : int, default=15
            Number of parts into which all items are divided. For the first items, the number of parts is two thirds of
            this number.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure.
        **plot_kwargs
            Passed on to :meth:`matplotlib.axes.Axes.plot`.

        Returns
        -------
        ReliabilityDisplay

        Raises
        ------
        ValueError
            If the frame has no column `probability`, or `top` or `n_parts` is not a whole number of at least 1.
        """
        check_count("top", top)
        check_count("n_parts", n_parts, 2)
        rank, probability, relevant = _judged_columns(frame, check_qrels(qrels))
        first = rank <= top
        parts = {
            "all": _parts(probability, relevant, n_parts),
            "top": _parts(probability[first], relevant[first], max(2, 2 * n_parts // 3)),
        }
        return cls(pd.concat(parts, names=["items"]).reset_index(level=0), top=top).plot(ax, **plot_kwargs)

    @staticmethod
    def error_of(probability: ArrayLike, relevant: ArrayLike, n_parts: int = 15) -> float:
        """Compute the calibration error: the mean distance between probability and share of relevant items.

        Parameters
        ----------
        probability : array-like of shape (n_items,)
            Probabilities.
        relevant : array-like of shape (n_items,), dtype=bool
            Mask of the relevant items.
        n_parts : int, default=15
            Number of equal parts into which the items are divided after sorting by probability.

        Returns
        -------
        float
            Mean over the parts, weighted by the number of items; NaN without items.
        """
        return _error(_parts(np.asarray(probability, dtype=np.float64), np.asarray(relevant, dtype=bool), n_parts))

    @property
    def errors(self) -> dict[str, float]:
        """Return the calibration error of all items and of the first items, as a dict with the keys "all" and "top"."""
        return {items: _error(self.table[self.table["items"] == items]) for items in _LINES}

    def _reason(self):
        values = self.table[["probability", "relevant"]].to_numpy(dtype=np.float64)
        return "" if np.isfinite(values).all(axis=1).any() else "No query with probabilities has judgements."

    def _draw(self, ax, **plot_kwargs):
        ax = self._new_axes(ax, 4.2, 4.5)
        values = self.table[["probability", "relevant"]].to_numpy(dtype=np.float64)
        end = min(1.0, 1.08 * float(np.nanmax(values, initial=0.0))) or 1.0
        ax.plot([0, end], [0, end], color=SOFT_TEXT, linewidth=0.9, linestyle=DASHES)
        names = {"all": "all items", "top": f"first {self.top} of each query"}
        self.lines_: dict[str, Line2D] = {}
        for items, (color, marker) in _LINES.items():
            rows = self.table[self.table["items"] == items]
            error = self.errors[items]
            label = names[items] if np.isnan(error) else f"{names[items]}: error {error:.3f}"
            style = {"color": color, "marker": marker, "markersize": 4.5, "linewidth": 1.2, "label": label}
            (line,) = ax.plot(rows["probability"], rows["relevant"], **{**style, **plot_kwargs})
            self.lines_[items] = line
        ax.set_xlim(0, end)
        ax.set_ylim(0, end)
        ax.set_aspect("equal")
        ax.set_xlabel("mean probability")
        ax.set_ylabel("share of relevant items")
        ax.spines[["top", "right"]].set_visible(False)
        self._grid("both")
        self._legend(list(self.lines_.values()), "above", gap=0.06, ncols=1)

    @classmethod
    def _example(cls, data, ax=None):
        return cls.from_predictions(data.probabilities(), data.search()[1], ax=ax)


def _judged_columns(frame, qrels):
    """Return three arrays for the items of judged queries: the ranks, the probabilities, and a mask.

    The mask is True for each relevant item.
    """
    names = {name: name for name in ("query", "item", "rank", "probability")}
    columns = Columns(frame, names, "ReliabilityDisplay.from_predictions")
    if not columns.has("probability"):
        raise InputError(
            f"`frame` must have a column 'probability'; its columns are {columns.available}. Create the frame with "
            "CalibratedConsensus."
        )
    columns.require(*names)
    (query, queries), (item, items) = columns.ids("query"), columns.ids("item")
    query = match_ids(queries, qrels.queries, "query")[query]
    relevant = grades_at(qrels, query, match_ids(items, qrels.items, "item")[item]) > 0
    judged = query >= 0
    return columns.numbers("rank")[judged], columns.numbers("probability")[judged], relevant[judged]


def _parts(probability, relevant, n_parts):
    """Sort the items by probability, and divide them into `n_parts` parts of about equal size.

    The result is a frame with a row for each part that is not empty. Its columns are the mean probability, the share
    of relevant items (`relevant`), and the number of items.
    """
    order = np.argsort(probability, kind="stable")
    parts = [part for part in np.array_split(order, n_parts) if len(part)]
    return pd.DataFrame(
        {
            "probability": [float(probability[part].mean()) for part in parts],
            "relevant": [float(relevant[part].mean()) for part in parts],
            "n_items": [len(part) for part in parts],
        }
    )


def _error(parts):
    """Average the distance between `probability` and `relevant` over the rows of `parts`, weighted by `n_items`.

    `parts` is a result of :func:`_parts`.
    """
    if not len(parts):
        return float("nan")
    distance = (parts["probability"] - parts["relevant"]).abs()
    return float(np.average(distance, weights=parts["n_items"]))
