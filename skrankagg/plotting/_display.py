"""What the plots share: matplotlib when it is needed, colours, values from two sources."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..exceptions import InputError, MissingLibraryError
from ..metrics import evaluate, get_measure
from ..metrics._relevance._registry import find_column, find_measure
from ..stats._effects import interval_of_mean

# The palette of Okabe and Ito without its yellow, which is too light for lines: colour-blind readers tell them apart.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
_RESAMPLES = 2000
_LEAST = 1e-5  # what the geometric mean takes for lower values
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")


def line_style(k):
    """Colour, dashes and marker of the k-th line: no two of the first 77 have the same colour and marker."""
    return {
        "color": _COLORS[k % len(_COLORS)],
        "linestyle": _DASHES[k // len(_COLORS) % len(_DASHES)],
        "marker": _MARKERS[k % len(_MARKERS)],
    }


def import_pyplot():
    """Import ``matplotlib.pyplot``, or say how to install it."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise MissingLibraryError("Plots need matplotlib; install it with pip install 'skrankagg[plot]'.") from None
    return matplotlib.pyplot


def plot_formats():
    """Suffixes of the files that plots can be saved in, without their dots."""
    import_pyplot()
    from matplotlib.backend_bases import FigureCanvasBase

    return sorted(FigureCanvasBase.get_supported_filetypes())


def new_axes(ax, size):
    """Axes to draw on: those given, or those of a new figure of a size in inches."""
    plt = import_pyplot()
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def legend_beside(ax, handles, side="right", gap=0.0, **options):
    """A legend outside of the axes, where it covers no data; it writes dollar signs as they are.

    It is on the "right"; or in one row "above" the axes, `gap` inches away, or "below" the label of their lower axis.
    """
    from matplotlib.transforms import ScaledTranslation

    if side == "below":
        # The numbers and the label of the axis are this high, whatever the layout does to the axes.
        ax.figure.figure.draw_without_rendering()
        bottom = ax.xaxis.get_tightbbox()
        gap = (0.0 if bottom is None else (bottom.y0 - ax.bbox.y0) / ax.figure.dpi) - 0.1
    place = {
        "right": ("upper left", (1.01, 1.0)),
        "above": ("lower left", (0.0, 1.0)),
        "below": ("upper right", (1.0, 0.0)),
    }
    loc, anchor = place[side]
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


def summary_interval(measure, values, random_state=0):
    """The 95 % interval of the mean of a measure over queries, (NaN, NaN) of a total or fewer than two queries.

    One seed draws the same resamples, so that methods and weights are measured on the same queries.
    """
    values = np.asarray(values, dtype=np.float64)
    values = values[~np.isnan(values)]
    if measure.is_total or len(values) < 2:
        return np.nan, np.nan
    # The geometric mean is drawn as the mean of logarithms.
    geometric = measure.summary == "gmean"
    values = np.log(np.maximum(values, _LEAST)) if geometric else values
    ends = interval_of_mean(values, 0.95, _RESAMPLES, "percentile", random_state)
    return tuple(np.exp(ends).tolist()) if geometric else ends


def check_fitted(display, comparator):
    """Raise ValueError unless a Comparator is fitted."""
    if not hasattr(comparator, "results_"):
        raise InputError(f"{display} expects a fitted Comparator; call its fit(lists) first.")


def measured_values(display, comparator, names, qrels=None):
    """Measures of each query of a fitted Comparator, by method and query, NaN where a method failed.

    Those that it has not computed are measured on its runs, against `qrels` or, where these are None, its own.
    """
    check_fitted(display, comparator)
    measured = comparator._measured()
    given, names = names, [find_column(measured, name) for name in names]
    if set(names) <= set(measured.columns):
        return measured[names]
    given = [name if name in measured.columns else one for name, one in zip(names, given, strict=True)]
    qrels = comparator.qrels if qrels is None else qrels
    if qrels is None:
        lacking = [name for name in names if name not in measured.columns]
        raise InputError(
            f"{display} expects measures that the Comparator has computed, and {', '.join(lacking[:3])} "
            f"{'is' if len(lacking) == 1 else 'are'} not among {', '.join(measured.columns)}. Name them in its "
            "metrics, or give qrels=."
        )
    # A Comparator measures the judged queries of its own lists: the others have no results, and are left out below.
    # Methods that failed have no run.
    table = evaluate_runs(dict(comparator.runs_), qrels, given, missing_queries="zero")
    return table.reindex(measured.index)


def summaries(values):
    """Summaries of shape (n_methods, n_measures) of measures by method and query, NaN where a method has no value."""

    def summarize(name):
        measure = find_measure(name, values)
        # The sum of no counts would be 0.
        return lambda column: np.nan if column.isna().all() else measure.summarize(column)

    return pd.DataFrame({name: values[name].groupby(level=0, sort=False).agg(summarize(name)) for name in values})


def evaluate_runs(runs, qrels, names, **conventions):
    """Measures of each query of some runs, indexed by method and query."""
    runs = runs if isinstance(runs, Mapping) else {"run": runs}
    for name in names:
        get_measure(name, **conventions)
    table = evaluate(runs, qrels, names, per_query=True, **conventions)
    return table.rename_axis(["method", table.index.names[-1]])
