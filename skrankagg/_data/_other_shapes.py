"""Errors about frames that are not in long form, such as a frame with a column for each voter."""

from ..exceptions import InputError
from ._from_comparisons import comparison_columns
from ._titles import canonical

# Number of columns that a message lists.
_SHOWN = 8
_PAIRS = (
    "a column of items and a column of numbers for each voter",
    "RankedLists.from_wide(frame, pairs=True, lower_is_better=True) if the numbers are p-values, or with "
    "lower_is_better=False if they are scores",
)


def refuse_other_shape(columns):
    """Raise an error for a frame that is not in long form; the message names the constructor that reads the frame.

    `columns` is the :class:`Columns` of the frame. A frame is accepted if it has a column of items, or if its shape is
    unknown. But if each voter has two columns, with repeated titles such as "gene" and "gene.1", the frame is refused
    even if "gene" is the column of items. Otherwise, the other voters would be lost.

    >>> import pandas as pd
    >>> from skrankagg import RankedLists
    >>> RankedLists.from_frame(pd.DataFrame({"Ann": ["a"], "Bob": ["b"]}))
    Traceback (most recent call last):
        ...
    skrankagg.exceptions.InputError: `X` must have a row for each item of each list; its columns ['Ann', 'Bob']
    look like a column of items for each voter. Read it with RankedLists.from_wide(frame).
    """
    item = columns.name("item")
    if item != "item" and isinstance(item, str) and f"{item}.1" in columns.available and holds_pairs(columns):
        shape = _PAIRS
    elif item != "item" or "item" in columns.available:
        return
    else:
        shape = _shape(columns)
    if shape is not None:
        raise InputError(
            f"`X` must have a row for each item of each list; its columns {show_titles(columns)} look like {shape[0]}. "
            f"Read it with {shape[1]}."
        )


def holds_pairs(columns):
    """Return True for a frame whose columns alternate between text and numbers, such as genes and p-values."""
    kinds = _kinds(columns)
    return len(kinds) > 1 and kinds == ["text", "number"] * (len(kinds) // 2)


def show_titles(columns):
    """Return the titles of the columns as text for a message; for wide frames, only the first titles."""
    titles = ", ".join(map(repr, columns.available[:_SHOWN]))
    n_titles = len(columns.available)
    return f"[{titles}]" if n_titles <= _SHOWN else f"[{titles}, ...] ({n_titles} in all)"


def _shape(columns):
    """Return a description of the frame's shape and the constructor that reads it, or None if the shape is unknown."""
    titles = [one for one in columns.available if isinstance(one, str)]
    if comparison_columns(titles):
        return "a row for each comparison", "RankedLists.from_comparisons(frame)"
    titles = columns.available
    if len(set(titles)) < max(2, len(titles)) or any(isinstance(one, str) and canonical(one) for one in titles):
        return None
    kinds = _kinds(columns)
    if kinds == ["number"] * len(kinds):
        return "a column of numbers for each voter", "RankedLists.from_matrix(frame, kind='rank') or kind='score'"
    if kinds == ["text"] * len(kinds):
        return "a column of items for each voter", "RankedLists.from_wide(frame)"
    return _PAIRS if len(kinds) > 2 and holds_pairs(columns) else None


def _kinds(columns):
    return ["number" if columns.series(one).dtype.kind in "iuf" else "text" for one in columns.available]
