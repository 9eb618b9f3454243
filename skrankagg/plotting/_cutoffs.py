"""A measure at every cutoff, for each method of a comparison."""

import numpy as np

from ._comparison import import_pyplot, make_axes

__all__ = ["CutoffDisplay"]

# As many colours as matplotlib's largest qualitative map has; beyond, lines differ in their dashes and bars in hatches.
_COLOURS = "tab20"
_DASHES = ("-", "--", ":", "-.")
_HATCHES = ("", "///", "...", "xxx")


class CutoffDisplay:
    """Methods as groups of bars, or as lines, over the cutoffs.

    Where one method is better at the very top, another may be further down.

    Parameters
    ----------
    values : DataFrame of shape (n_cutoffs, n_methods)
        The measure; the index holds the cutoffs, the columns the names of the methods.
    label : str, default="score"
        What the numbers are, for the axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure around it.

    See Also
    --------
    ComparisonDisplay : One measure for each method, best on top.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.plotting import CutoffDisplay
    >>> values = pd.DataFrame({"CombSUM": [0.5, 0.4], "Copeland": [0.4, 0.45]}, index=[1, 2])
    >>> display = CutoffDisplay(values, label="Precision").plot(kind="line")
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['CombSUM', 'Copeland']
    """

    def __init__(self, values, *, label="score"):
        self.values = values
        self.label = label

    def plot(self, ax=None, *, kind="line", figsize=None, grid=True):
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        kind : {"line", "bar"}, default="line"
            Lines, or bars in a group for each cutoff.
        figsize : (float, float), default=None
            Size of a new figure in inches.
        grid : bool, default=True
            Whether to draw a grid.

        Returns
        -------
        CutoffDisplay
            Itself, with `ax_` and `figure_`.
        """
        if kind not in {"line", "bar"}:
            raise ValueError(f"kind must be 'line' or 'bar'; got {kind!r}.")
        colours = import_pyplot().get_cmap(_COLOURS)
        ax = make_axes(ax, figsize or (9.0, 5.0))
        cutoffs = np.asarray(self.values.index)
        n_methods = self.values.shape[1]
        width = 0.8 / n_methods
        for k, (name, value) in enumerate(self.values.items()):
            colour, again = colours(k % colours.N), k // colours.N
            if kind == "line":
                ax.plot(cutoffs, value, color=colour, linestyle=_DASHES[again % 4], marker="o", label=name)
            else:
                place = cutoffs + (k - (n_methods - 1) / 2) * width
                ax.bar(place, value, width, color=colour, hatch=_HATCHES[again % 4], label=name)
        ax.set_xticks(cutoffs)
        ax.set_xlabel("List cutoff point")
        ax.set_ylabel(self.label)
        ax.set_axisbelow(True)
        ax.grid(grid)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        self.ax_, self.figure_ = ax, ax.figure
        return self
