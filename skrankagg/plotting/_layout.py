"""Helpers for plots: colours, labels, rows with names, a second column of axes, and a matrix of cells."""

import re
import textwrap
from collections.abc import Sequence

import numpy as np

from .._support._values import as_float, show
from ..exceptions import InputError

# The palette of Okabe and Ito, which colour-blind readers can distinguish. Its yellow is left out, because it is too
# light for lines.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
BLUE, ORANGE, GREEN = COLORS[:3]
# Two shades of blue that differ in lightness for every reader and printer, and are light enough for dark whiskers.
BEST_BAR, OTHER_BAR = "#3b8dc4", "#c3daec"
TEXT, SOFT_TEXT, RULE, DARK_RULE, BAR, GREY = "#1a1a1a", "#333333", "#e5e5e5", "#d9d9d9", "#a6cbe3", "#8c8c8c"
DASHES = (0, (4, 2))
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "p")
# Longer names are shortened in the middle, because numbered names differ at the end.
_LONGEST = 60
CHARACTER = 0.072  # width of a character of the small font, in inches
_GAP = 0.22  # inches between two columns of axes


def line_style(k):
    """Return the colour, dashes and marker of the k-th line; the first 77 lines differ in colour or marker."""
    return {
        "color": COLORS[k % len(COLORS)],
        "linestyle": _DASHES[k // len(COLORS) % len(_DASHES)],
        "marker": _MARKERS[k % len(_MARKERS)],
    }


def one_line(value):
    """Convert a value to text on one line."""
    return " ".join(str(value).split())


def labels_of(ids):
    """Convert each id to a label on one line; long labels are shortened."""
    names = map(one_line, ids)
    return [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 21]}…{name[-20:]}" for name in names]


def longest(names):
    """Return the number of characters of the longest name."""
    return max((len(str(name)) for name in names), default=0)


def title_of(query, n_shown, n_all, what):
    """Return a title that contains the query if there is one, and the number of rows if only some are shown.

    `what` is the noun for the rows, such as "items" or "voters".
    """
    parts = [] if query is None else [f"query {labels_of([query])[0]}"]
    if n_shown < n_all:
        parts.append(f"first {n_shown} of {n_all} {what}")
    return ", ".join(parts)


def size_of_rows(names, width):
    """Return the size, in inches, of axes that have a row for each name and space for the names."""
    return width + CHARACTER * longest(names), 1.25 + 0.235 * len(names)


def label_rows(ax, names, **text):
    """Label the rows from top to bottom, and hide the ticks and the frame of the axes."""
    ax.set_yticks(np.arange(len(names)), labels=names, parse_math=False, **text)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)


def write_rows(ax, names, title=""):
    """Label the rows from top to bottom, write the title, and use a small font on both axes."""
    label_rows(ax, names, fontsize="small")
    _shrink_numbers(ax)
    write_title(ax, title)


def write_title(ax, title):
    """Write a title, if there is one, above the left end of the axes; dollar signs are printed literally."""
    if title:
        ax.set_title(title, fontsize="medium", loc="left", parse_math=False)


def note_missing_intervals(label, values, known, note="no item has an interval"):
    """Return the label of an axis, with a note on a second line if there are values but no intervals.

    The mask `known` is True for each value with an interval.
    """
    return f"{label}\n{note}" if np.isfinite(values).any() and not known.any() else label


def write_reason(ax, sentence):
    """Write a sentence in the middle of axes without data, and remove the ticks of numeric scales."""
    from matplotlib.ticker import FixedLocator

    for axis in (ax.xaxis, ax.yaxis):
        # Ticks of names and of cutoffs are fixed. They stay, because they show which names or cutoffs have no value.
        if not isinstance(axis.get_major_locator(), FixedLocator):
            axis.set_ticks([])
    figure = ax.figure.figure
    figure.draw_without_rendering()
    n_characters = max(24, int(ax.get_window_extent().width / figure.dpi / CHARACTER))
    style = {"ha": "center", "va": "center", "fontsize": "small", "color": SOFT_TEXT, "backgroundcolor": "white"}
    ax.text(0.5, 0.5, textwrap.fill(sentence, n_characters), transform=ax.transAxes, zorder=6, **style)


def write_beside(ax, text, end, row, gap, **style):
    """Write a text in a row, `gap` points to the right of the end of a bar."""
    return ax.annotate(text, (end, row), xytext=(gap, 0), textcoords="offset points", va="center", **style)


def side_axes(ax, width):
    """Return new axes to the right of `ax`, `width` inches wide, with the same rows but without labels of the rows."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    # The width is given in inches. A relative width would change with the layout, which depends on the width of these
    # axes.
    inches = ax.figure.dpi_scale_trans + ScaledTranslation(1.0, 0.0, ax.transAxes)
    side = ax.inset_axes((_GAP, 0.0, width, 1.0), transform=blended_transform_factory(inches, ax.transAxes))
    side.set_yticks([])
    side.set_ylim(ax.get_ylim())
    side.spines[["top", "right", "left"]].set_visible(False)
    _shrink_numbers(side)
    return side


def _shrink_numbers(ax):
    ax.tick_params(axis="x", labelsize="small")
    ax.xaxis.label.set_fontsize("small")


def check_limits(limits):
    """Return the two ends of a colour scale as numbers; raise InputError unless the first is below the second."""
    ends = tuple(map(as_float, limits)) if isinstance(limits, Sequence | np.ndarray) else ()
    if len(ends) != 2 or not ends[0] < ends[1] or not np.isfinite(ends).all():
        raise InputError(f"`limits` must be a lower and a higher number, such as (0, 1); got {show(limits)}.")
    return ends


def diverging(low, high, center, end=0.0):
    """Return colours from orange to purple for the values from `low` to `high`, with white at `center`.

    Colours of equal darkness belong to values with the same distance from the centre. `end` is the share of the colours
    that is left out at each end of the scale, because a line would not be visible on these dark colours.
    """
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    far = max(center - low, high - center)
    places = 0.5 + (np.linspace(low, high, 256) - center) / far * (0.5 - end)
    return ListedColormap(colormaps["PuOr"](places), name="PuOr")


def draw_matrix(ax, table, label, limits, cmap, numbered):
    """Draw a coloured cell for each value, and write the value in the cell if `numbered` is true."""
    values = table.to_numpy(dtype=np.float64)
    n_rows, n_columns = np.maximum(values.shape, 1)  # an image without cells needs an area, too
    image = ax.imshow(
        values,
        cmap=cmap,
        vmin=limits[0],
        vmax=limits[1],
        aspect="auto",
        extent=(-0.5, n_columns - 0.5, n_rows - 0.5, -0.5),
    )
    columns, rows = ([str(name) for name in names] for names in (table.columns, table.index))
    rotation = 0 if fit_upright(columns) else 90
    ax.set_xticks(np.arange(len(columns)), labels=columns, rotation=rotation, parse_math=False, fontsize="small")
    ax.set_yticks(np.arange(len(rows)), labels=rows, parse_math=False, fontsize="small")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, label=label, shrink=0.8)
    bar.outline.set_visible(False)
    if not np.isfinite(values).any():
        bar.set_ticks([])
    texts = []
    if numbered:
        size = 8 if max(values.shape) <= 12 else 7.5
        show = _number_format(values)
        for (i, j), value in np.ndenumerate(values):
            if np.isfinite(value):
                r, g, b, _ = image.cmap(image.norm(value))
                dark = 0.299 * r + 0.587 * g + 0.114 * b < 0.5
                color = "white" if dark else "black"
                texts.append(ax.text(j, i, show(value), ha="center", va="center", fontsize=size, color=color))
    return image, texts


def fit_upright(names):
    """Return True if the names fit next to each other below the cells without rotation."""
    return longest(names) <= 3 and len(names) <= 12


def _number_format(values):
    """Return a function that formats numbers without a leading zero.

    Numbers have two decimals, or fewer decimals if the largest of `values` is at least 10.
    """
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    decimals = 2 if largest < 10 else 1 if largest < 100 else 0

    def show(value):
        shown = f"{value:z.{decimals}f}"  # z: no minus before zero
        return shown.removesuffix(".00") if shown in ("1.00", "-1.00") else re.sub(r"^(-?)0\.", r"\1.", shown)

    return show
