"""Optional columns with a value for each list: marks of duels, and groupings.

A *duel* is a comparison of two items by a judge who saw only these two items. A list of two items without a mark may
instead contain the best two of all items. Items and ranks do not show this difference, so duels are marked.

A *grouping* is a named column that is constant within a list, such as the judge or the prompt.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from .._support._suggestions import did_you_mean
from .._support._values import show
from ..exceptions import InputError, InputTypeError
from ._frames import first_row, is_frame, known_frame, plain_index, titles_of

#: Marks of lists. NO_DUEL: not a duel. COUNTED: equal duels, with their number as the weight. WEIGHTED: the weight may
#: be a number of duels or a factor. Lists of a query with the same positive mark together represent one duel.
NO_DUEL, COUNTED, WEIGHTED = 0, -1, -2

#: Names that a grouping must not have, because they are names of other columns or values of parameters.
_REFUSED = ("list", "voter", "query", "model", "item", "rank", "score", "weight", "duel")


def check_groupings(groups, available, caller, parameter="groups"):
    """Return the names of groupings (see the module docstring) as a list; raise an error for an invalid name.

    A name is invalid if it is not in `available`, or if it is the usual name of another column, such as "item".
    """
    if groups is None:
        return []
    if isinstance(groups, str | bytes) or not isinstance(groups, Iterable):
        raise InputTypeError(
            f"`{parameter}` of {caller} must be a list of column names; got {show(groups)}. Write "
            f"{parameter}=[{groups!r}]."
        )
    groups = list(groups)
    for name in groups:
        if not isinstance(name, str):
            raise InputTypeError(
                f"`{parameter}` of {caller} must be column names of type str; got {show(name)}. Rename the column."
            )
        if name in _REFUSED:
            raise InputError(
                f"`{parameter}` of {caller} must not contain {name!r}, because a column of this name has a fixed "
                f"meaning. Rename the column, for example to {'length' if parameter == 'covariates' else 'judge'!r}."
            )
        if name not in available:
            raise InputError(
                f"`{parameter}` of {caller} must be columns of the frame; {name!r} is not among "
                f"{list(available)}{did_you_mean(name, [one for one in available if isinstance(one, str)])}."
            )
    if len(set(groups)) < len(groups):
        raise InputError(f"`{parameter}` of {caller} must be different columns; got {groups}. Name each column once.")
    return groups


def constant_in_lists(values, row_ptr, name_list, what):
    """Return the value of each list from the values of its rows; raise InputError if the value varies within a list."""
    first = values[row_ptr[:-1]]
    varies = np.minimum.reduceat(values, row_ptr[:-1]) != np.maximum.reduceat(values, row_ptr[:-1])
    if varies.any():
        raise InputError(
            f"All rows of a list must have the same {what}; it varies in the list of {name_list(first_row(varies))}. "
            "Correct the values, or do not read the column."
        )
    return first


def read_marks(values, title):
    """Return a column of marks of comparisons as int64; raise InputError for a number that is not a valid mark.

    The marks are explained at `list_duel` of :class:`~skrankagg.RankedLists`.
    """
    marks = values.astype(np.int64)
    bad = (marks != values) | (marks < WEIGHTED)
    if bad.any():
        raise InputError(
            f"Column {title!r} must have whole numbers of at least {WEIGHTED}, as to_frame writes them; got "
            f"{values[first_row(bad)]:g}. Pass duel=None if the column has another meaning."
        )
    return marks


def grouping_column(codes, index):
    """Return a grouping (see the module docstring) as a categorical column.

    `codes` are positions in `index`, which contains the categories.
    """
    return pd.Categorical.from_codes(codes, plain_index(index))


def or_none(marks):
    """Return the marks of paired comparisons unchanged, or None if no list is marked."""
    return marks if marks is not None and marks.any() else None


def extras_of(lists, chosen):
    """Return `list_duel` and `list_groups` of some lists as a dict of RankedLists fields.

    `chosen` is a mask of the lists, or their positions.
    """
    marks, groups = lists.list_duel, lists.list_groups
    return {
        "list_duel": None if marks is None else or_none(marks[chosen]),
        "list_groups": None if groups is None else groups.iloc[chosen].reset_index(drop=True),
    }


def frame_columns(lists):
    """Return the last columns of `to_frame` as a dict: the column "duel", the groupings and the covariates."""
    columns = {}
    if lists.list_duel is not None:
        columns["duel"] = lists.list_duel[lists.row_list]
    if lists.list_groups is not None:
        for name, values in lists.list_groups.items():
            columns[name] = pd.Series(values.array.take(lists.row_list))
    for k, name in enumerate(lists.covariates or ()):
        columns[name] = lists.row_covariates[:, k].copy()
    return columns


def columns_of_groups(X, names):
    """Return a list of the distinct `names` that are columns of the frame `X` and not reserved.

    Return None if there is no such name, or if `X` is not a frame.
    """
    wanted = [one for one in dict.fromkeys(names) if isinstance(one, str) and one not in _REFUSED]
    if not wanted or not is_frame(X):
        return None
    titles = titles_of(known_frame(X, "RankedLists.from_frame"))
    return [one for one in wanted if one in titles] or None


def group_names(lists):
    """Return the names of the groupings (see the module docstring) as a list."""
    return [] if lists.list_groups is None else list(lists.list_groups.columns)


def grouping(lists, name, parameter, words=()):
    """Return the code of each list's group in the grouping `name`, and the ids of the groups.

    `words` contains the other values that the parameter accepts; they appear in the error message.
    """
    names = group_names(lists)
    if name not in names:
        known = f"the lists have {names}" if names else "the lists have none"
        others = "".join(f"{word!r}, " for word in words)
        raise InputError(
            f"`{parameter}` must be {others}{'or ' if words else ''}the name of a grouping; got {name!r}, and "
            f"{known}{did_you_mean(name, [*names, *words])}. Pass a frame with a column of this name, or "
            "RankedLists.from_frame(df, groups=...)."
        )
    values = lists.list_groups[name].array
    return np.asarray(values.codes, dtype=np.int64), values.categories


def same_extras(one, other):
    """Return True if `list_duel` and `list_groups` of two RankedLists are equal."""
    if (one.list_duel is None) != (other.list_duel is None) or group_names(one) != group_names(other):
        return False
    return (one.list_duel is None or np.array_equal(one.list_duel, other.list_duel)) and all(
        one.list_groups[name].astype(object).equals(other.list_groups[name].astype(object)) for name in group_names(one)
    )
