"""Shared parts of the plots: import of matplotlib on demand, colours, and values from comparators or runs."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..exceptions import InputError, MissingLibraryError
from ..metrics import evaluate, get_measure
from ..metrics._relevance._registry import find_column, find_measure
from ..stats._effects import interval_of_mean

# The palette of Okabe and Ito, which colour-blind readers can distinguish; without its yellow, too light for lines.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
_RESAMPLES = 2000
_LEAST = 1e-5  # floor of the geometric mean
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")


def line_style(k):
    """Return colour, dashes and marker of the k-th line; the first 77 lines differ in colour or marker."""
    return {
        "color": _COLORS[k % len(_COLORS)],
        "linestyle": _DASHES[k // len(_COLORS) % len(_DASHES)],
        "marker": _MARKERS[k % len(_MARKERS)],
    }


def import_pyplot():
    """Import ``matplotlib.pyplot``; if it is missing, raise an error that explains how to install it."""
    try:
        import matplotlib.pyplot
    except ImportError:
        raise MissingLibraryError("Plots need matplotlib; install it with pip install 'skrankagg[plot]'.") from None
    return matplotlib.pyplot


def plot_formats():
    """Return the suffixes of the file formats that plots can be saved in, without their dots."""
    import_pyplot()
    from matplotlib.backend_bases import FigureCanvasBase

    return sorted(FigureCanvasBase.get_supported_filetypes())


def new_axes(ax, size):
    """Return the given axes, or those of a new figure of a size in inches."""
    plt = import_pyplot()
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    return ax


def legend_beside(ax, handles, side="right", gap=0.0, **options):
    """Draw a legend outside of the axes, where it covers no data; dollar signs are written as they are.

    The `side` is "right"; or in one row "above" the axes, `gap` inches away, or "below" the label of the lower axis.
    """
    from matplotlib.transforms import ScaledTranslation

    if side == "below":
        # Height of the tick labels and of the axis label, independent of the layout.
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
    """Return the 95 % interval of a measure's mean over queries, (NaN, NaN) for totals or fewer than two queries.

    Equal seeds draw the same resamples, so that methods and weights are measured on the same queries.
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
        raise InputError(f"`comparator` of {display} must be fitted. Call its fit(lists) first.")


def measured_values(display, comparator, names, qrels=None):
    """Return measures of each query of a fitted Comparator, by method and query, NaN where a method failed.

    Measures that the comparator has not computed are computed for its runs, against `qrels` or, if None, its own.
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
            f"`metric` of {display} must be computed by the Comparator, which has {', '.join(measured.columns)}; got "
            f"{', '.join(lacking[:3])}. Name it in the Comparator's metrics, or give qrels=."
        )
    # A Comparator measures the judged queries of its own lists; other queries have no results and are left out below.
    # Failed methods have no run.
    table = evaluate_runs(dict(comparator.runs_), qrels, given, missing_queries="zero")
    return table.reindex(measured.index)


def summaries(values):
    """Return summaries (n_methods, n_measures) of measures by method and query; NaN where a method has no value."""

    def summarize(name):
        measure = find_measure(name, values)
        # Without this check, the sum of no counts would be 0.
        return lambda column: np.nan if column.isna().all() else measure.summarize(column)

    return pd.DataFrame({name: values[name].groupby(level=0, sort=False).agg(summarize(name)) for name in values})


def evaluate_runs(runs, qrels, names, **conventions):
    """Evaluate each query of some runs; the result is indexed by method and query."""
    runs = runs if isinstance(runs, Mapping) else {"run": runs}
    for name in names:
        get_measure(name, **conventions)
    table = evaluate(runs, qrels, names, per_query=True, **conventions)
    return table.rename_axis(["method", table.index.names[-1]])
