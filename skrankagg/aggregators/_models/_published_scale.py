"""Conversion of log-worths to published scores: log-worths or Elo points, shifted to a given mean or anchor."""

import math
from numbers import Real

import numpy as np

from ..._data._frames import first_row, plain_index, show_id
from ..._support._values import is_finite, show
from ...exceptions import InputError

#: Elo points for a factor of e in the odds, and the mean of the Elo points of a query.
ELO_POINTS, ELO_MEAN = 400 / math.log(10), 1000.0


class PublishedScale:
    """Conversion of log-worths to published scores, which are shifted log-worths or Elo points.

    Parameters
    ----------
    lists : RankedLists
        Lists from which the log-worths are estimated.
    scale : {"log", "elo"}
        "log" keeps the log-worths. "elo" multiplies them by 400 / log(10); without an anchor, the scores of each query
        are then shifted to the mean 1000.
    anchor : mapping or Series of one item to float, or None
        Item with a known score. All scores of each query are shifted so that the item has this score.
    """

    def __init__(self, lists, scale, anchor):
        self.factor = ELO_POINTS if scale == "elo" else 1.0
        self.ptr, self.query = lists.candidate_ptr, lists.candidate_query
        self.mean = ELO_MEAN if scale == "elo" else None
        #: Candidate that is the anchor of each query, of shape (n_queries,); None without an anchor.
        self.anchor, self.value = None, None
        if anchor is not None:
            item, self.value = _item_and_value(anchor)
            self.anchor = _candidates(lists, item)

    def __call__(self, log_worth):
        """Return the scores for log-worths of shape (n_candidates,) or (n_candidates, n_replicates)."""
        score = log_worth * self.factor if self.factor != 1 else log_worth
        if self.anchor is not None:
            return score + (self.value - score[self.anchor])[self.query]
        if self.mean is None:
            return score
        sizes = np.diff(self.ptr).reshape(-1, *[1] * (log_worth.ndim - 1))
        return score + (self.mean - np.add.reduceat(score, self.ptr[:-1], axis=0) / sizes)[self.query]


def _item_and_value(anchor):
    item, value = next(iter(anchor.items()), (None, None))
    if len(anchor) != 1 or not isinstance(value, Real) or not is_finite(value):
        raise InputError(
            f"`anchor` must map one item to a finite score, such as {{'gpt-4': 1300}}; got {show(anchor)}. Keep one "
            "item."
        )
    return item, float(value)


def _candidates(lists, item):
    """Return the candidate of each query that is the given item; raise InputError if a query does not have it."""
    place = plain_index(lists.items).get_indexer([item])[0]
    of_item = np.flatnonzero(lists.candidate_item == place)
    found = np.zeros(lists.n_queries, dtype=bool)
    found[lists.candidate_query[of_item]] = True
    if not found.all():
        raise InputError(
            f"`anchor` must be an item of every query; query {show_id(lists.queries, first_row(~found))} has no item "
            f"{item!r}. Choose another item, or leave out anchor."
        )
    return of_item
