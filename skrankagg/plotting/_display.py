"""Base class of all displays, and functions that import matplotlib when a plot is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from ..exceptions import InputError, MissingLibraryError
from ..metrics._relevance._registry import find_column
from ._layout import RULE, write_reason
from ._plotted_values import evaluate_runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def import_pyplot():
    """Import ``matplotlib.pyplot``; if it is missing, raise an error that explains how to install it."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise MissingLibraryError("Plots need matplotlib; install it with pip install 'skrankagg[plot]'.") from None
    return matplotlib.pyplot


def plot_formats():
    """Return the suffixes of the file formats in which plots can be saved, without their dots."""
    import_pyplot()
    from matplotlib.backend_bases import FigureCanvasBase

    return sorted(FigureCanvasBase.get_supported_filetypes())


def new_axes(width, height):
    """Return the axes of a new figure; the size is given in inches."""
    _, ax = import_pyplot().subplots(figsize=(width, height), layout="constrained")
    return ax


class Display:
    """Base class of all displays; it creates the axes, draws the grid and the legend, and checks a Comparator.

    A display is a dataclass that contains the values to draw. A subclass defines

    - constructors `from_...`, which compute the values and return ``cls(...).plot(ax, **kwargs)``;
    - `_draw(ax, **kwargs)`, which begins with ``ax = self._new_axes(ax, width, height)``, where the size is in inches;
    - `_reason()`, which returns a sentence if there is nothing to draw; `plot` writes this sentence in the axes;
    - `_example(data, ax)`, which draws the picture for the page of the class; `data` is the module
      docs/display_plots.py;
    - `_alt`, a description of the picture for readers who cannot see it.
    """

    _alt = ""

    ax_: Axes
    figure_: Figure

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the values, or write a sentence in the axes if there is nothing to draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes a new figure, whose size depends on the values and their names.
        **kwargs
            Passed on to a method of :class:`matplotlib.axes.Axes`. The docstrings of the constructors name this method.
            If they name no method, no keywords are accepted.

        Returns
        -------
        Display
            This display, with all attributes.
        """
        self._draw(ax, **kwargs)
        reason = self._reason()
        if reason:
            write_reason(self.ax_, reason)
        return self

    def _reason(self) -> str:
        """Return a sentence that explains why there is nothing to draw, or "" if there are values to draw."""
        raise NotImplementedError

    def _draw(self, ax: Axes | None, **kwargs: Any) -> None:
        """Draw the values, and set the attributes of the class."""
        raise NotImplementedError

    @classmethod
    def _example(cls, data: Any, ax: Axes | None = None) -> Self:
        """Draw the example on the page of this class, from the data of the documentation."""
        raise NotImplementedError

    def _new_axes(self, ax, width, height):
        """Store and return the axes to draw on: the given axes, or the axes of a new figure of this size in inches."""
        self.ax_ = new_axes(width, height) if ax is None else ax
        self.figure_ = self.ax_.figure
        return self.ax_

    def _grid(self, axis, color=RULE):
        """Draw thin lines at the ticks of an axis, behind the data."""
        self.ax_.grid(axis=axis, color=color, linewidth=0.6)
        self.ax_.set_axisbelow(True)

    def _legend(self, handles, side="right", gap=0.0, **options):
        """Draw a legend outside of the axes, so that it covers no data; dollar signs are printed literally.

        If `side` is "right", the legend is to the right of the axes. If it is "above", the legend is in one row `gap`
        inches above the axes. If it is "below", the legend is in one row below the label of the lower axis.
        """
        from matplotlib.transforms import ScaledTranslation

        ax = self.ax_
        if side == "below":
            # Height of the tick labels and of the axis label, independent of the layout.
            ax.figure.figure.draw_without_rendering()
            bottom = ax.xaxis.get_tightbbox()
            gap = (0.0 if bottom is None else (bottom.y0 - ax.bbox.y0) / ax.figure.dpi) - 0.1
        loc, anchor = {
            "right": ("upper left", (1.01, 1.0)),
            "above": ("lower left", (0.0, 1.0)),
            "below": ("upper right", (1.0, 0.0)),
        }[side]
        row = {} if side == "right" else {"ncols": len(handles), "columnspacing": 1.4, "handletextpad": 0.5}
        legend = ax.legend(
            handles=handles,
            loc=loc,
            bbox_to_anchor=anchor,
            bbox_transform=ax.transAxes + ScaledTranslation(0.0, gap, ax.figure.dpi_scale_trans),
            frameon=False,
            fontsize="small",
            borderaxespad=0.0,
            borderpad=0.0,
            labelspacing=0.35,
            **{**row, **options},
        )
        for text in legend.get_texts():
            text.set_parse_math(False)

    @classmethod
    def _check_fitted(cls, comparator):
        """Raise ValueError unless a Comparator is fitted."""
        if not hasattr(comparator, "results_"):
            raise InputError(f"`comparator` of {cls.__name__} must be fitted. Call its fit(lists) first.")

    @classmethod
    def _measured(cls, comparator, names, qrels=None):
        """Return a frame of measures of a fitted Comparator, indexed by method and query; NaN for failed methods.

        The name None selects the first measure that the comparator has computed. Measures that the comparator has not
        computed are computed from its runs and `qrels`. If `qrels` is None, the comparator's judgements are used.
        """
        cls._check_fitted(comparator)
        measured = comparator._measured()
        given = [measured.columns[0] if name is None else name for name in names]
        names = [find_column(measured, name) for name in given]
        if set(names) <= set(measured.columns):
            return measured[names]
        given = [name if name in measured.columns else one for name, one in zip(names, given, strict=True)]
        qrels = comparator.qrels if qrels is None else qrels
        if qrels is None:
            lacking = [name for name in names if name not in measured.columns]
            raise InputError(
                f"`metric` of {cls.__name__} must be a measure of the Comparator, which has "
                f"{', '.join(measured.columns)}; got {', '.join(lacking[:3])}. Add it to the Comparator's metrics, or "
                "pass qrels=."
            )
        # A Comparator measures the judged queries of its own lists; other queries have no results and are left out
        # below. Failed methods have no run.
        table = evaluate_runs(dict(comparator.runs_), qrels, given, missing_queries="zero")
        return table.reindex(measured.index)
