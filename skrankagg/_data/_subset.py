"""Ranked lists as scikit-learn's splitters see them: a container whose samples are queries."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arrays._ragged import gather_ranges
from ..exceptions import InputError, InputTypeError

__all__ = ["QueryContainer", "gather_of_queries", "small_arrays"]


class QueryContainer:
    """Base of :class:`~skrankagg.RankedLists` for scikit-learn: ``n_queries`` samples, indexed like an array.

    The subclass is a frozen dataclass of the arrays that :meth:`take` fills in.
    """

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def shape(self) -> tuple[int]:
        """Number of samples, (n_queries,), in the form that scikit-learn expects."""
        return (len(self),)

    def __getitem__(self, key: Any) -> Self:
        if isinstance(key, tuple):  # scikit-learn writes X[indices, ...]
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError("RankedLists has one axis, its queries; index it with a single index.")
            key = key[0]
        chosen = np.arange(len(self))[key]
        return self.take(np.atleast_1d(chosen))

    def __iter__(self) -> Iterator[Self]:
        return (self.take([q]) for q in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        raise InputTypeError(
            "RankedLists is a container of queries, not an array. Use to_frame() for its rows, or its arrays "
            "`candidate`, `rank` and `score`."
        )

    def take(self, indices: ArrayLike) -> Self:
        """Select the lists of some queries.

        Parameters
        ----------
        indices : array-like of shape (n_chosen,), dtype=int
            Positions of distinct queries.

        Returns
        -------
        RankedLists
            Its queries are in the requested order, so that data sliced along with them, as scikit-learn slices `y`,
            still match. It has the same voters and items, so that codes keep their meaning. Its rows are gathered when
            they are first read; until then it refers to this container.

        Raises
        ------
        IndexError
            If a position is out of range.
        ValueError
            If a query is requested twice, or none at all.
        """
        chosen = np.arange(len(self))[np.asarray(indices, dtype=np.intp)]
        if len(np.unique(chosen)) != len(chosen):
            raise InputError(
                "`indices` must be distinct; some position is repeated. Queries cannot be repeated: give copies other "
                "ids in the frame."
            )
        if len(chosen) == 0:
            raise InputError("`indices` must have at least one position; got none.")
        return self._take(chosen)

    def _take(self, chosen: NDArray[np.int64]) -> Self:
        raise NotImplementedError


def small_arrays(whole, chosen):
    """Return the arrays of some queries of ranked lists that have an entry for each query or list, by name."""
    lists, list_ptr = gather_ranges(whole.list_ptr, chosen)

    def marks(name):
        whole_marks = getattr(whole, name)
        return whole_marks[lists] if whole_marks is not None and whole_marks[lists].any() else None

    return {
        "queries": whole.queries[chosen],
        "voters": whole.voters,
        "items": whole.items,
        "list_ptr": list_ptr,
        "list_voter": whole.list_voter[lists],
        "list_weight": whole.list_weight[lists],
        "list_conflict": marks("list_conflict"),
        "list_merged": marks("list_merged"),
        "row_ptr": np.concatenate([[0], np.cumsum(whole.list_length[lists])]),
        "candidate_ptr": np.concatenate([[0], np.cumsum(whole.query_n_items[chosen])]),
    }


def gather_of_queries(whole, chosen, name, candidate_ptr):
    """Return one array of some queries of ranked lists that has an entry for each row or candidate, read-only.

    ``candidate_ptr`` delimits the candidates of the chosen queries in the new numbering.
    """
    row_ptr = whole.row_ptr[whole.list_ptr]
    value = getattr(whole, name)[_ranges(whole.candidate_ptr if name == "candidate_item" else row_ptr, chosen)]
    if name == "candidate":
        moved = (candidate_ptr[:-1] - whole.candidate_ptr[chosen]).astype(np.int32)
        same = (moved == moved[0]).all()
        value = value + (moved[0] if same else np.repeat(moved, np.diff(row_ptr)[chosen]))
    value.flags.writeable = False
    return value


def _ranges(ptr, chosen):
    """Index the elements of some ranges: a slice, which copies nothing, if the ranges are consecutive."""
    if (np.diff(chosen) == 1).all():
        return slice(ptr[chosen[0]], ptr[chosen[-1] + 1])
    return gather_ranges(ptr, chosen)[0]
