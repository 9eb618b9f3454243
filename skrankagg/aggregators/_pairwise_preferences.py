"""Pairwise preferences between the items of one query, for majority rules and Kemeny's rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from .._arrays._preferences import query_preferences
from .._data._compared_items import check_absent
from .._data._ranked_lists import check_lists, encode_plain
from .._data._types import PlainLists
from .._support._memory import check_matrix
from ..exceptions import InputError

if TYPE_CHECKING:
    pass

__all__ = ["pairwise_preferences"]


def pairwise_preferences(
    lists: PlainLists, *, absent: Literal["last", "ignore"] = "last"
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Compute the total weight of the lists that prefer one item to another, and of the lists that tie the two items.

    Parameters
    ----------
    lists : DataFrame or RankedLists of one query, or dict or list of lists
        Ranked lists. A dict must have the form that RankedLists.from_runs accepts. A list of lists must have the form
        that RankedLists.from_lists accepts.
    absent : {"last", "ignore"}, default="last"
        How to treat items missing from a list: "last" ties them below the items of the list; "ignore" leaves them out.

    Returns
    -------
    prefer : ndarray of shape (n_items, n_items), dtype=float64
        Total weight of the lists that prefer the item of the row to the item of the column. Items are sorted by id.
    tied : ndarray of shape (n_items, n_items), dtype=float64
        Total weight of the lists that tie the two items. The diagonal is 0.

    See Also
    --------
    kemeny_score : Computes the cost of an order from these matrices.

    Notes
    -----
    The time is linear in the number of lists and quadratic in the number of items.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg.aggregators import pairwise_preferences
    >>> lists = pd.DataFrame({"query": "q", "voter": ["v", "v", "w"],
    ...     "item": ["a", "b", "c"], "rank": [1, 2, 1]})
    >>> prefer, tied = pairwise_preferences(lists)
    >>> prefer
    array([[0., 1., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    >>> tied
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    >>> pairwise_preferences(lists, absent="ignore")[0]
    array([[0., 1., 0.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    lists = check_lists(encode_plain(lists))
    if lists.n_queries != 1:
        raise InputError(
            f"`lists` of pairwise_preferences must contain exactly one query; got {lists.n_queries} queries. Select "
            "one query: RankedLists.from_frame(df)[[0]]."
        )
    check_absent(absent)
    check_matrix("pairwise_preferences", int(lists.query_n_items[0]), 33.0)
    return query_preferences(lists, 0, absent)
