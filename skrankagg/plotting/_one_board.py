"""What the plots of one consensus share: the rows of one query, ids as labels, a second column of axes."""

import numpy as np

from .._data._ranked_lists import check_lists, encode_plain
from ..exceptions import InputError, InputTypeError
from ._display import new_axes

TEXT, RULE, POINT, BAR, GREY = "#1a1a1a", "#e5e5e5", "#0072b2", "#a6cbe3", "#8c8c8c"
UNITS = {"list": "lists", "voter": "voters", "query": "queries"}
# Longer names are cut in the middle, which keeps what numbered names differ in.
_LONGEST = 60
CHARACTER = 0.072  # inches, of the small font
_GAP = 0.22  # inches between two columns of axes


def lists_of_query(display, X, query, unit="list"):
    """Lists of one query; of all where `unit` makes one board of them."""
    lists = check_lists(encode_plain(X))
    if unit == "query":
        if query is not None:
            raise InputError("unit='query' makes one board of all queries; leave out query.")
        return lists
    if query is not None:
        return lists.select(queries=[query])
    if lists.n_queries > 1:
        raise InputError(
            f"{display} shows one query; query must be the id of one of the {lists.n_queries}, such as "
            f"{lists.queries[0]!r}."
        )
    return lists


def rows_of_query(display, frame, query, columns):
    """Rows of one query in a frame that has these columns, numbered from 0."""
    lacking = [name for name in columns if name not in getattr(frame, "columns", ())]
    if lacking:
        raise InputTypeError(f"{display} expects a frame with the columns {', '.join(columns)}; it lacks {lacking[0]}.")
    if "query" in frame:
        queries = frame["query"].unique()
        if query is None and len(queries) > 1:
            raise InputError(
                f"{display} shows one query; query must be the id of one of the {len(queries)}, such as {queries[0]!r}."
            )
        if query is not None:
            frame = frame[frame["query"] == query]
    if not len(frame):
        raise InputError(f"{display} expects rows, and there are none" + (f" of query {query!r}." if query else "."))
    return frame.reset_index(drop=True)


def one_line(value):
    """A value as text of one line."""
    return " ".join(str(value).split())


def labels_of(ids):
    """Ids as labels of one line."""
    names = map(one_line, ids)
    return [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 21]}…{name[-20:]}" for name in names]


def title_of(query, n_shown, n_all, what):
    """The query, where its id says something, and how many of its items or voters are shown."""
    parts = [] if query is None else [f"query {labels_of([query])[0]}"]
    if n_shown < n_all:
        parts.append(f"first {n_shown} of {n_all} {what}")
    return ", ".join(parts)


def as_numbers(column):
    """Values of a column as float64, NaN where they are missing."""
    return column.astype("Float64").to_numpy(dtype=np.float64, na_value=np.nan)


def new_board(ax, names, width):
    """Axes with a row for each name: those given, or new ones that are wide enough for the names."""
    longest = max(map(len, names), default=0)
    return new_axes(ax, (width + CHARACTER * longest, 1.25 + 0.235 * len(names)))


def write_rows(ax, names, title=""):
    """Name the rows, first on top."""
    ax.set_yticks(np.arange(len(names)), labels=names, parse_math=False, fontsize="small")
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    _leave_only_bottom(ax)
    if title:
        ax.set_title(title, fontsize="medium", loc="left", parse_math=False)


def side_axes(ax, width):
    """Axes on the right of others, so many inches wide, with the same rows and no names."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    # In inches: a share of the width would change with the layout, which depends on the width of these axes.
    inches = ax.figure.dpi_scale_trans + ScaledTranslation(1.0, 0.0, ax.transAxes)
    side = ax.inset_axes((_GAP, 0.0, width, 1.0), transform=blended_transform_factory(inches, ax.transAxes))
    side.set_yticks([])
    side.set_ylim(ax.get_ylim())
    _leave_only_bottom(side)
    return side


def _leave_only_bottom(ax):
    """Leave the bottom of the frame, with small numbers, behind what is drawn."""
    ax.tick_params(axis="x", labelsize="small")
    ax.xaxis.label.set_fontsize("small")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.set_axisbelow(True)
