"""Record of the rows that an estimator was fitted on, to detect queries that a splitter has divided.

Scikit-learn's splitters treat each row of a frame as a sample. An estimator is then fitted on some rows of a query and
scored on the other rows, so the score is wrong. After such a split, the training rows and the scored rows contain the
same query, but share no row of it. In valid uses, they have different queries or share rows. For example, they share
rows if the estimator is scored on its training data, or on longer lists of the same queries.
"""

from typing import Any

import numpy as np
import pandas as pd

from .._arrays._ragged import gather_ranges
from ..exceptions import InputError
from ._frames import first_row, plain_index, show_id
from ._portable import PortableState
from ._ranked_lists import RankedLists

_ATTRIBUTE = "_fitted_rows"

# With at most this number of rows, the lists are kept instead of their fingerprints.
_FEW = 2_000


class FittedRows:
    """Fingerprints of the rows of encoded lists; each fingerprint has 8 bytes.

    If there are few rows, the encoded lists are kept, and the fingerprints are computed when they are first needed.
    """

    def __init__(self, lists):
        self._lists = lists
        if lists.n_rows > _FEW:
            self._forget_lists(lists)

    def _forget_lists(self, lists):
        self._queries = plain_index(lists.queries)
        self._ptr = lists.row_ptr[lists.list_ptr]
        self._rows = _fingerprints(lists)
        self._lists = None  # cleared last, because another thread may be reading the lists

    def torn_queries(self, lists):
        """Return the positions of queries that the fitted data and `lists` both contain, but without a common row."""
        kept = self._lists
        if kept is not None:
            self._forget_lists(kept)
        place = self._queries.get_indexer(plain_index(lists.queries))
        common = np.flatnonzero(place >= 0)
        if not len(common):
            return common
        there = lists if len(common) == lists.n_queries else lists.take(common)
        rows, ptr = _fingerprints(there), there.row_ptr[there.list_ptr]
        place = place[common]
        # Usually all rows are shared, for example if the training data are scored. The first rows are then equal.
        torn = np.flatnonzero(self._rows[self._ptr[place]] != rows[ptr[:-1]])
        if not len(torn):
            return torn
        seen, _ = gather_ranges(self._ptr, place[torn])
        asked, asked_ptr = gather_ranges(ptr, torn)
        shared = np.logical_or.reduceat(np.isin(rows[asked], self._rows[seen]), asked_ptr[:-1])
        return common[torn[~shared]]


def _fingerprints(lists):
    """Return a hash of each row, computed from the ids of its query, voter and item."""
    one_list = hash_ids(lists.queries, "query")[lists.list_query] + hash_ids(lists.voters, "voter")[lists.list_voter]
    rows = np.repeat(one_list, lists.list_length)
    rows += hash_ids(lists.items, "item")[lists.candidate_item][lists.candidate]
    return rows


# Odd factors, so that the same id has different hashes as a query, a voter and an item.
_FACTOR = {
    "query": np.uint64(0x9E3779B97F4A7C15),
    "voter": np.uint64(0xC2B2AE3D27D4EB4F),
    "item": np.uint64(0x165667B19E3779F9),
}


def hash_ids(ids, role):
    """Return hashes of the ids of queries, voters or items, as uint64 of shape (n_ids,).

    Equal ids of the same `role`, such as "voter", have equal hashes in every dtype; for example, 1 may be an integer, a
    float or a category.
    """
    values = plain_index(ids)
    if pd.api.types.is_numeric_dtype(values.dtype):
        values = values.to_numpy()
        if values.dtype.kind == "f" and (values == np.floor(values)).all():
            values = values.astype(np.int64)
    else:
        values = values.to_numpy(dtype=object)
    return pd.util.hash_array(values, categorize=False) * _FACTOR[role]


class RemembersRows(PortableState):
    """Mixin of estimators that record the rows of the frame passed to `fit`; copies and pickles omit the record."""

    def _remember_rows(self, X, lists):
        """Record the rows of a frame `X`; for RankedLists, delete an earlier record.

        RankedLists need no record, because splitters cannot divide their queries.
        """
        if isinstance(X, RankedLists):
            self.__dict__.pop(_ATTRIBUTE, None)
        else:
            self._fitted_rows = FittedRows(lists)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != _ATTRIBUTE}


def _find_rows(estimator):
    """Return the rows that an estimator, or an estimator inside it, has recorded; None if there is no record."""
    found = getattr(estimator, _ATTRIBUTE, None)
    if found is not None:
        return found
    if hasattr(estimator, "best_estimator_"):
        return _find_rows(estimator.best_estimator_)
    for _, step in getattr(estimator, "steps", None) or ():
        if step is not None and not isinstance(step, str):
            return _find_rows(step)
    return None


def check_untorn(estimator, X, lists):
    """Raise InputError if a query is in both the fitted data and the frame `X`, but the two share no row of the query.

    `lists` contains the encoded lists of `X`.
    """
    fitted = None if isinstance(X, RankedLists) else _find_rows(estimator)
    if fitted is None:
        return
    torn = fitted.torn_queries(lists)
    if len(torn):
        is_torn = np.zeros(lists.n_queries, dtype=bool)
        is_torn[torn] = True
        raise InputError(
            f"`X` must have all rows of each query; {len(torn)} of its {lists.n_queries} queries have some rows in fit "
            f"and others in scoring (the first is {show_id(lists.queries, first_row(is_torn))}). A splitter may have "
            "treated the rows of a frame as samples, but each sample must be a whole query. Split "
            "RankedLists.from_frame(df), or use cv=QueryKFold(...). If you mean to score the same queries on the lists "
            "of other voters, pass RankedLists.from_frame(df) to fit and to the scorer."
        )
