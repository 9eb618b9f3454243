"""Covariates: additional numbers for each row, such as the length of an answer, that a model may take into account.

RankedLists stores the names of the covariates, and an array with a row for each row of the lists. Only PlackettLuce
uses covariates, and only if its parameter `covariates` names them.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd

from .._support._suggestions import did_you_mean
from .._support._values import show
from ..exceptions import InputError, InputTypeError
from ._list_columns import check_groupings

#: A frame with a row for each query and covariate.
CoefficientFrame: TypeAlias = pd.DataFrame
#: Name of the covariate that from_comparisons adds with position=True.
POSITION = "position"
#: Prefixes of the columns about each covariate, as in "coefficient_length".
OF_COVARIATES = ("coefficient", "std_error", "p")


def check_covariates(names, available, caller, groups=()):
    """Return the names of covariates as a list; raise an error for a name that is not a column.

    Also raises an error for a name in `groups`, which contains the columns that are constant within each list.
    """
    names = check_groupings(names, available, caller, "covariates")
    _refuse_groups(names, groups, caller)
    return names


def titles_of_sides(covariates, position, available, caller, groups, by_side):
    """Return a dict that maps the name of each covariate of comparisons to the names of its columns.

    A covariate has two columns with its values for the two items, or a single column with the difference of these
    values. The covariate "position" has no columns. `by_side` is True if the frame has one column for the first item
    and one for the second item, rather than columns for winner and loser.
    """
    if covariates is None:
        titles = {}
    elif isinstance(covariates, Mapping):
        titles = {name: _read_titles(name, value, caller) for name, value in covariates.items()}
        check_groupings(dict.fromkeys(one for pair in titles.values() for one in pair), available, caller, "covariates")
        check_groupings(titles, titles, caller, "covariates")
    else:
        titles = {name: (name,) for name in check_groupings(covariates, available, caller, "covariates")}
    if position:
        if not by_side:
            raise InputError(
                f"`position` of {caller} must be False for columns of winners and losers, because it is unknown which "
                "item was shown first. Pass the column names as first=, second= and outcome=."
            )
        if POSITION in titles:
            raise InputError(
                f"`covariates` of {caller} must not contain {POSITION!r} if position=True, because position=True adds "
                "a covariate of this name. Rename the column."
            )
        titles[POSITION] = ()
    _refuse_groups(titles, groups, caller)
    return titles


def _read_titles(name, value, caller):
    titles = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, tuple | list) else ()
    if len(titles) not in (1, 2):
        raise InputTypeError(
            f"`covariates` of {caller} must map each name to a pair of columns, or to one column of differences; got "
            f"{show(value)} for {show(name)}."
        )
    return titles


def _refuse_groups(names, groups, caller):
    both = [name for name in names if name in groups]
    if both:
        raise InputError(
            f"`covariates` and `groups` of {caller} must be different columns; {both[0]!r} is in both. Remove it from "
            "one of them."
        )


def read_sides(columns, titles):
    """Return a dict that maps each covariate to its values for the first items and for the second items.

    `titles` is the result of :func:`titles_of_sides`. If a covariate has only one column, this column contains the
    difference. The first item gets half of the difference, and the second item gets the negative half.
    """
    values = {}
    for name, pair in titles.items():
        numbers = [columns.numbers(key_of(title)) for title in pair]
        if not pair:
            numbers = [np.broadcast_to(one, columns.n_rows) for one in (1.0, 0.0)]  # takes no memory
        elif len(pair) == 1:
            numbers = [numbers[0] / 2, -numbers[0] / 2]
        values[name] = tuple(numbers)
    return values


def key_of(title):
    """Return the key of a covariate's column in :class:`Columns`; it differs from the keys of all other columns."""
    return f"covariate {title}"


def codes_to_merge(sides, row, turned):
    """Return a code for each of n lists, so that lists with equal codes have equal covariates and can be merged.

    `sides` is the result of :func:`read_sides`. `row` selects the row of each list. `turned`, of shape (n,), marks the
    lists where the second item of the row is ranked first. Returns None if there are more than n / 2 different codes.
    """
    n = len(turned)
    code, size = np.zeros(n, dtype=np.int64), 1
    for first, second in sides.values():
        for one, other in ((first, second), (second, first)):
            values = np.where(turned, other[row], one[row])
            if _has_more_values(values, n // 2):
                return None
            found, distinct = pd.factorize(values)
            if size == 1:
                code, size = found, len(distinct)
            else:
                code, distinct = pd.factorize(code * len(distinct) + found)
                size = len(distinct)
            if size > n // 2:
                return None
    return code


def _has_more_values(values, n):
    """Return True if hashes prove that an array of floats has more than n different values.

    Counting different hashes is much faster than numbering the values. But different values may share a hash, so False
    does not prove that there are at most n values.
    """
    n_bits = max(4 * len(values), 1).bit_length()
    hashes = (values + 0.0).view(np.uint64)  # -0.0 becomes 0.0
    hashes *= np.uint64(0x9E3779B97F4A7C15)
    hashes >>= np.uint64(64 - n_bits)
    seen = np.zeros(1 << n_bits, dtype=bool)
    seen[hashes.view(np.int64)] = True
    return int(np.count_nonzero(seen)) > n


def covariate_names(lists):
    """Return the names of the covariates as a list."""
    return [] if lists.covariates is None else list(lists.covariates)


def covariates_of_rows(lists, rows):
    """Return the covariates of some rows as a dict of RankedLists fields; `rows` is a mask, an array or a slice."""
    values = lists.row_covariates
    return {"covariates": lists.covariates, "row_covariates": None if values is None else values[rows]}


def fields_of_columns(columns):
    """Return the RankedLists fields for covariates; `columns` maps each name to an array of shape (n_rows,)."""
    if not columns:
        return {"covariates": None, "row_covariates": None}
    return {"covariates": tuple(columns), "row_covariates": np.stack(list(columns.values()), axis=1)}


def fields_of_pairs(sides, rows, turned):
    """Return the RankedLists fields for the covariates of comparisons.

    `sides` is the result of :func:`read_sides`. `rows` contains the row of each list, and `turned` marks the lists
    where the second item of the row is ranked first.
    """
    if not sides:
        return fields_of_columns({})
    values = np.empty((len(turned), 2, len(sides)))
    for k, pair in enumerate(sides.values()):
        first, second = (one[rows] for one in pair)
        values[:, 0, k] = np.where(turned, second, first)
        values[:, 1, k] = np.where(turned, first, second)
    return {"covariates": tuple(sides), "row_covariates": values.reshape(-1, len(sides))}


def select_covariates(lists, names, caller):
    """Return the covariates `names` as an array of shape (n_rows, n_names); raise InputError for invalid names."""
    known = covariate_names(lists)
    for name in names:
        if name not in known:
            there = f"the lists have {known}" if known else "the lists have none"
            raise InputError(
                f"`covariates` of {caller} must be names of covariates; got {show(name)}, and "
                f"{there}{did_you_mean(name, known)}. Pass RankedLists.from_frame(df, covariates=...) instead of a "
                "frame."
            )
    if len(set(names)) < len(names):
        raise InputError(f"`covariates` of {caller} must be different names; got {list(names)}. Name each one once.")
    if list(names) == known:
        return lists.row_covariates
    return lists.row_covariates[:, [known.index(name) for name in names]]


def same_covariates(one, other):
    """Return True if two RankedLists with the same rows have the same covariates."""
    return covariate_names(one) == covariate_names(other) and (
        one.covariates is None or np.array_equal(one.row_covariates, other.row_covariates)
    )


def coefficient_frame(info: pd.DataFrame, names: Sequence[str], *, with_query: bool) -> CoefficientFrame:
    """Convert the frame `info`, with a row for each query, to a frame with a row for each (query, covariate) pair."""
    parts = [
        info[["query"]].assign(covariate=name, **{part: info[f"{part}_{name}"] for part in OF_COVARIATES})
        for name in names
    ]
    order = np.argsort(np.tile(np.arange(len(info)), len(parts)), kind="stable")
    frame = pd.concat(parts).iloc[order].reset_index(drop=True)
    with np.errstate(over="ignore"):  # exp overflows if the coefficient of a covariate is very large
        frame["odds_ratio"] = np.exp(frame["coefficient"])
    return frame if with_query else frame.drop(columns="query")
