"""Shared parts of the plots of one consensus: the rows of one query, ids as labels, a second column of axes."""

import numpy as np

from .._data._ranked_lists import check_lists, encode_plain
from ..exceptions import InputError, InputTypeError
from ._display import new_axes

TEXT, RULE, POINT, BAR, GREY = "#1a1a1a", "#e5e5e5", "#0072b2", "#a6cbe3", "#8c8c8c"
UNITS = {"list": "lists", "voter": "voters", "query": "queries"}
# Longer names are cut in the middle, which keeps the end, where numbered names differ.
_LONGEST = 60
CHARACTER = 0.072  # inches, of the small font
_GAP = 0.22  # inches between two columns of axes


def lists_of_query(display, X, query, unit="list"):
    """Return the lists of one query; or all lists if `unit` pools them into one board."""
    lists = check_lists(encode_plain(X))
    if unit == "query":
        if query is not None:
            raise InputError("`query` must be None with unit='query', which makes one board of all queries.")
        return lists
    if query is not None:
        return lists.select(queries=[query])
    if lists.n_queries > 1:
        raise InputError(
            f"{display} shows one query; `query` must be the id of one of the {lists.n_queries}, such as "
            f"{lists.queries[0]!r}."
        )
    return lists


def rows_of_query(display, frame, query, columns):
    """Return the rows of one query, numbered from 0, from a frame that must have these columns."""
    lacking = [name for name in columns if name not in getattr(frame, "columns", ())]
    if lacking:
        raise InputTypeError(f"`table` must have the columns {', '.join(columns)}; {lacking[0]} is missing.")
    if "query" in frame:
        queries = frame["query"].unique()
        if query is None and len(queries) > 1:
            raise InputError(
                f"{display} shows one query; `query` must be the id of one of the {len(queries)}, such as "
                f"{queries[0]!r}."
            )
        if query is not None:
            frame = frame[frame["query"] == query]
    if not len(frame):
        raise InputError("`table` must have rows" + (f" of query {query!r}; got none." if query else "; got none."))
    return frame.reset_index(drop=True)


def one_line(value):
    """Return a value as text of one line."""
    return " ".join(str(value).split())


def labels_of(ids):
    """Return ids as labels of one line."""
    names = map(one_line, ids)
    return [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 21]}…{name[-20:]}" for name in names]


def title_of(query, n_shown, n_all, what):
    """Return the query, if it is given, and how many of its items or voters are shown."""
    parts = [] if query is None else [f"query {labels_of([query])[0]}"]
    if n_shown < n_all:
        parts.append(f"first {n_shown} of {n_all} {what}")
    return ", ".join(parts)


def as_numbers(column):
    """Return the values of a column as float64, NaN where they are missing."""
    return column.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)


def new_board(ax, names, width):
    """Return axes with a row for each name: the given ones, or new ones wide enough for the names."""
    longest = max(map(len, names), default=0)
    return new_axes(ax, (width + CHARACTER * longest, 1.25 + 0.235 * len(names)))


def write_rows(ax, names, title=""):
    """Label the rows, first on top."""
    ax.set_yticks(np.arange(len(names)), labels=names, parse_math=False, fontsize="small")
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    _leave_only_bottom(ax)
    if title:
        ax.set_title(title, fontsize="medium", loc="left", parse_math=False)


def side_axes(ax, width):
    """Return axes to the right of others, this many inches wide, with the same rows and no names."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    # The width is in inches: a relative one would change with the layout, which depends on the width of these axes.
    inches = ax.figure.dpi_scale_trans + ScaledTranslation(1.0, 0.0, ax.transAxes)
    side = ax.inset_axes((_GAP, 0.0, width, 1.0), transform=blended_transform_factory(inches, ax.transAxes))
    side.set_yticks([])
    side.set_ylim(ax.get_ylim())
    _leave_only_bottom(side)
    return side


def _leave_only_bottom(ax):
    """Leave only the bottom of the frame, with small numbers."""
    ax.tick_params(axis="x", labelsize="small")
    ax.xaxis.label.set_fontsize("small")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_axisbelow(True)
