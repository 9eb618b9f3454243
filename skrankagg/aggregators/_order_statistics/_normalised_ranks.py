"""Base class of methods that use normalised ranks; it defines the parameters that these methods share."""

from numbers import Integral
from typing import Literal

import numpy as np

from ..._data._frames import first_row, show_id
from ..._data._voter_names import warn_of_misspelt_names
from ..._support._sklearn import Interval, StrOptions
from ...base import BaseAggregator
from ...base._voter_weights import VOTER_WEIGHTS, VoterWeights, voter_values
from ...exceptions import InputError

#: Constraint of parameters that accept a mapping or Series of voter to number, or None.
PER_VOTER = VOTER_WEIGHTS["voter_weights"]


#: Largest total weight of the lists of a query; larger integers are not exact as float64.
MOST_LISTS = 2**53
# Largest number of rows after each row of weight w is repeated w times, as some methods need it. These rows take some
# hundred megabytes.
_MOST_COPIES = 2**24


class BaseNormalisedRanks(BaseAggregator):
    """Base class of methods that divide each rank by the number of items that could have been ranked.

    A subclass has the parameters `n_items`, `absent` and `voter_weights`, and calls :meth:`_normalise`.
    """

    n_items: int | VoterWeights | None
    absent: Literal["last", "ignore"]

    _tags = {"integer_weights": True}
    _parameter_constraints: dict = {
        "n_items": [Interval(Integral, 1, None, closed="left"), *PER_VOTER],
        "absent": [StrOptions({"last", "ignore"})],
        **VOTER_WEIGHTS,
    }

    def _prepare(self, X):
        lists = super()._prepare(X)
        total = lists.sum_over_lists(lists.list_weight)
        if (total > MOST_LISTS).any():
            q = first_row(total > MOST_LISTS)
            raise InputError(
                f"{type(self).__name__} counts a list of weight w as w lists, and allows at most 2^53 lists in a "
                f"query; got {total[q]:g} lists in query {show_id(lists.queries, q)}. Give smaller weights."
            )
        self._list_n_items(lists)
        if self.n_items is not None and not isinstance(self.n_items, Integral):
            warn_of_misspelt_names(self.n_items, lists.voters, "n_items")
        return lists

    def _list_n_items(self, lists):
        """Return the number by which the ranks of each list are divided, float64 of shape (n_lists,)."""
        if self.absent == "ignore":
            if self.n_items is not None:
                raise InputError(
                    "`n_items` must be None if absent='ignore', which divides each rank by the length of its list; "
                    f"got {self.n_items!r}. Leave out n_items, or choose absent='last'."
                )
            return lists.list_length.astype(np.float64)
        if self.n_items is None:
            return lists.query_n_items[lists.list_query].astype(np.float64)
        if isinstance(self.n_items, Integral):
            short = lists.query_n_items > self.n_items
            if short.any():
                q = first_row(short)
                raise InputError(
                    f"`n_items` must be at least the number of items of each query; got {self.n_items} for query "
                    f"{show_id(lists.queries, q)} with {lists.query_n_items[q]} items. Count all items that could have "
                    "been ranked."
                )
            return np.full(lists.n_lists, float(self.n_items))
        advice = "Give these voters the number of items that they could have ranked."
        n_items = voter_values(lists, self.n_items, "n_items", advice, whole=True)[lists.list_voter]
        short = ~(np.isfinite(n_items) & (n_items >= lists.list_length))
        if short.any():
            v = first_row(short)
            voter, query = show_id(lists.voters, lists.list_voter[v]), show_id(lists.queries, lists.list_query[v])
            raise InputError(
                f"`n_items` must be at least the length of each list; got {n_items[v]:g} for {voter}, whose list for "
                f"query {query} has {lists.list_length[v]} items. Count all items that the voter could have ranked."
            )
        return n_items

    def _check_copies(self, lists, copies, what):
        """Raise InputError if there are too many ranks after each list of weight w is replaced by w copies."""
        most = max(_MOST_COPIES, lists.n_rows)
        if lists.is_weighted and copies.sum() > most:
            q = int(np.argmax(copies))
            raise InputError(
                f"{what} treats a list of weight w as w copies. All copies together must have at most {most} ranks; "
                f"got {copies.sum():g} ranks, and {copies[q]:g} of these ranks are in query "
                f"{show_id(lists.queries, q)}. Give smaller weights, or choose another statistic."
            )

    def _normalise(self, lists):
        """Return the normalised rank of each row, and the number of lists from which each candidate gets a rank."""
        x = lists.rank / self._list_n_items(lists)[lists.row_list]
        weight = (
            lists.candidate_weight
            if self.absent == "ignore"
            else lists.sum_over_lists(lists.list_weight)[lists.candidate_query]
        )
        # If all lists have weight 0, one empty list is counted.
        return x, np.maximum(weight, 1).astype(np.int64)


def minimum_by_candidate(candidate, value, n_candidates, *, start):
    """Return the smallest value of each candidate, or `start` if the candidate has no value below `start`.

    `candidate` contains the candidate of each element of `value`.
    """
    smallest = np.full(n_candidates, start)
    np.minimum.at(smallest, candidate, value)
    return smallest
