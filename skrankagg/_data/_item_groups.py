"""Reading of the parameter `item_groups`, which assigns items to groups, and look-up of the groups of candidates."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .._support._values import show
from ..exceptions import InputError, InputTypeError
from ._frames import AnyRows, Columns, first_row, is_frame, plain_index, show_id
from ._id_codes import encode_ids
from ._peer_objects import read_tuples
from ._qrels import id_type, show_ids

#: A dict of item to group, or a frame with the columns `item`, `group` and, if the groups differ by query, `query`.
AnyItemGroups: TypeAlias = Mapping[Any, Hashable] | AnyRows

_CALLER = "item_groups"


@dataclass(frozen=True, eq=False)
class ItemGroups:
    """Groups of items, either the same for all queries or different for each query.

    :func:`read_item_groups` builds this object.

    Parameters
    ----------
    groups : pandas.Index of shape (n_groups,)
        Sorted distinct groups, with the dtype of the input.
    items : pandas.Index of shape (n_items,)
        Distinct items that are assigned to groups.
    item : ndarray of shape (n_rows,), dtype=int32
        Item of each assignment, as a position in `items`.
    group : ndarray of shape (n_rows,), dtype=int32
        Group of each assignment, as a position in `groups`; -1 means that the item has no group.
    queries : pandas.Index of shape (n_queries,), or None
        Distinct queries; None if the groups are the same for all queries.
    query : ndarray of shape (n_rows,), dtype=int32, or None
        Query of each assignment, as a position in `queries`.
    """

    groups: pd.Index
    items: pd.Index
    item: NDArray[np.int32]
    group: NDArray[np.int32]
    queries: pd.Index | None = None
    query: NDArray[np.int32] | None = None

    def of_candidates(self, lists):
        """Return the group of each candidate of RankedLists, as a position in `groups`; -1 means no group.

        Parameters
        ----------
        lists : RankedLists
            Ranked lists, or a consensus that is encoded as ranked lists.

        Returns
        -------
        ndarray of shape (n_candidates,), dtype=int32

        Raises
        ------
        ValueError
            If the ids of the lists and of the groups can never be equal, such as integers and strings.

        Examples
        --------
        >>> from skrankagg import RankedLists
        >>> from skrankagg._data._item_groups import read_item_groups
        >>> groups = read_item_groups({"a": "new", "b": "old"})
        >>> groups.of_candidates(RankedLists.from_lists([["b", "a", "c"]]))
        array([ 0,  1, -1], dtype=int32)
        """
        return self.of_rows(lists.queries, lists.candidate_query, lists.items, lists.candidate_item)

    def of_rows(self, queries, query, items, item):
        """Return the group of each row, as a position in `groups`; -1 means no group.

        Parameters
        ----------
        queries, items : pandas.Index
            Distinct ids.
        query, item : ndarray of shape (n_rows,), dtype=int
            Query and item of each row, as positions in `queries` and `items`.

        Returns
        -------
        ndarray of shape (n_rows,), dtype=int32
        """
        item = _match(items, self.items, "item")[item]
        if self.query is None:
            group = np.full(len(self.items) + 1, -1, dtype=np.int32)  # the last element is for items that are not found
            group[self.item] = self.group
            return group[item]
        query = _match(queries, self.queries, "query")[query]
        found = np.flatnonzero((query >= 0) & (item >= 0))
        known = self.query.astype(np.int64) * len(self.items) + self.item
        order = np.argsort(known)
        wanted = query[found] * len(self.items) + item[found]
        row = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(order) - 1)]
        group = np.full(len(item), -1, dtype=np.int32)
        group[found] = np.where(known[row] == wanted, self.group[row], -1)
        return group


def read_item_groups(item_groups):
    """Check the parameter `item_groups` and return it as :class:`ItemGroups`.

    Parameters
    ----------
    item_groups : dict of item to group, or DataFrame
        A dict, or a frame of pandas, polars or pyarrow with the columns `item` and `group`. If the frame also has a
        column `query`, the groups of each query are separate. Items that are missing, or whose group is None or NaN,
        have no group.

    Returns
    -------
    ItemGroups

    Raises
    ------
    TypeError
        If `item_groups` is neither a dict nor a frame, or if items or groups cannot be sorted.
    ValueError
        If a column or an id is missing, no item has a group, or an item is assigned twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg._data._item_groups import read_item_groups
    >>> frame = pd.DataFrame({"query": ["p", "q"], "item": ["a", "a"], "group": ["new", "old"]})
    >>> list(read_item_groups(frame).groups)
    ['new', 'old']
    """
    if isinstance(item_groups, ItemGroups):
        return item_groups
    if isinstance(item_groups, Mapping):
        return _read_mapping(item_groups)
    frame = read_tuples(item_groups)
    if not is_frame(frame):
        raise InputTypeError(
            "`item_groups` must be a dict of item to group, or a data frame with the columns 'item' and 'group'; got "
            f"{show(item_groups)}. Pass a dict."
        )
    columns = Columns(frame, {"query": "query", "item": "item", "group": "group"}, _CALLER)
    missing = [name for name in ("item", "group") if not columns.has(name)]
    if missing:
        raise InputError(
            f"`item_groups` must have the columns 'item' and 'group'; its columns are {columns.available}. "
            f"Rename the column that contains the {missing[0]}s.",
            parameter="item_groups",
        )
    columns.require("item", "group")
    item, items = columns.ids("item")
    group, groups = _encode_groups(columns.series(columns.name("group")))
    query, queries = columns.ids("query") if columns.has("query") else (None, None)
    key = item.astype(np.int64) if query is None else query.astype(np.int64) * len(items) + item
    repeated = pd.Series(key).duplicated().to_numpy()
    if repeated.any():
        row = first_row(repeated)
        where = "" if query is None else f" of query {show_id(queries, query[row])}"
        raise InputError(
            f"`item_groups` must assign each item to one group; {int(repeated.sum())} rows repeat an item (the first "
            f"is item {show_id(items, item[row])}{where}). Keep one row for each item.",
            parameter="item_groups",
        )
    return ItemGroups(groups, items, item, group, queries, query)


def _read_mapping(item_groups):
    """Read a dict of item to group."""
    inner = next((value for value in item_groups.values() if isinstance(value, Mapping)), None)
    if inner is not None:
        raise InputTypeError(
            "`item_groups` must map each item to one group; got a dict as a group. For groups that differ by query, "
            "pass a data frame with the columns 'query', 'item' and 'group'."
        )
    if not item_groups:
        raise InputError("`item_groups` must assign at least one item; got an empty dict.", parameter="item_groups")
    values = list(item_groups.values())
    as_series = pd.Series(values, dtype=None if len({type(one) for one in values if one is not None}) == 1 else object)
    group, groups = _encode_groups(as_series)
    items = pd.Index(list(item_groups), tupleize_cols=False)
    return ItemGroups(groups, items, np.arange(len(items), dtype=np.int32), group)


def _encode_groups(values):
    """Return the code of each row's group (-1 if the group is missing), and a sorted index of the groups."""
    try:
        code, groups = encode_ids(values)
    except TypeError as error:
        raise InputTypeError(
            "`item_groups` must have groups that can be sorted, such as strings or integers; got mixed, unhashable or "
            f"unordered groups ({error}). Convert them to one type, such as strings."
        ) from None
    if not len(groups):
        raise InputError("`item_groups` must assign at least one item to a group; every group is missing.")
    return code, plain_index(groups)


def _match(theirs, ours, kind):
    """Return the position of each id of `theirs` in the index `ours`, or -1 for an id that `ours` lacks.

    `theirs` contains ids of the lists, and `ours` contains ids of `item_groups`. `kind` is the word for them in
    messages.

    Raises InputError if no id is found because the ids of the lists and of `item_groups` have different types.
    """
    found = plain_index(ours).get_indexer(plain_index(theirs))
    if (found < 0).all():
        types = [id_type(ids) for ids in (theirs, ours)]
        if None not in types and types[0] != types[1]:
            raise InputError(
                f"`item_groups` must use the ids of the lists; they share no {kind} id: the lists have "
                f"{show_ids(theirs)}, and item_groups has {show_ids(ours)}. {types[0].capitalize()} never equal "
                f"{types[1]}. Convert one of the two.",
                parameter="item_groups",
            )
    return found
