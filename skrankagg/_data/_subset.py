"""Ranked lists as a container whose samples are queries: what scikit-learn's splitters see, and cheap subsets.

Cross-validation takes subsets again and again, and a method that learns nothing never looks into the lists that it is
fitted on. So a subset gathers its rows when somebody reads them, and not before.
"""

import numpy as np

from .._arrays._ragged import gather_ranges
from ..exceptions import InputError, InputTypeError

__all__ = ["QueryContainer"]

# Arrays along rows and along candidates; those along queries and lists are small, and gathered at once.
_LARGE = ("candidate", "rank", "score", "candidate_item")


class QueryContainer:
    """What :class:`~skrankagg.RankedLists` is to scikit-learn: a sequence of ``n_queries`` samples, indexed like an
    array.

    The subclass is a frozen dataclass of the arrays that :meth:`take` fills in.
    """

    def __len__(self):
        return len(self.queries)

    @property
    def shape(self):
        """The number of samples, (n_queries,), as scikit-learn asks for it."""
        return (len(self),)

    def __getitem__(self, key):
        if isinstance(key, tuple):  # scikit-learn writes X[indices, ...]
            if len(key) != 2 or key[1] is not Ellipsis:
                raise IndexError("RankedLists has one axis, its queries; index it with a single index.")
            key = key[0]
        chosen = np.arange(len(self))[key]
        return self.take(np.atleast_1d(chosen))

    def __iter__(self):
        return (self.take([q]) for q in range(len(self)))

    def __array__(self, dtype=None, copy=None):
        raise InputTypeError(
            "RankedLists is a container of queries and no array; use to_frame() for its rows, or its arrays "
            "`candidate`, `rank` and `score`."
        )

    def take(self, indices):
        """Lists of some queries.

        Parameters
        ----------
        indices : array-like of shape (n_chosen,), dtype=int
            Positions of distinct queries.

        Returns
        -------
        RankedLists
            Its queries come in the order in which they are asked for, so that whatever is sliced along with them, as
            scikit-learn slices `y`, still belongs to them. It has the same voters and items, so that codes keep their
            meaning. Its rows are gathered when they are first read; until then it refers to this container.

        Raises
        ------
        IndexError
            If a position is out of range.
        ValueError
            If a query is asked for twice, or none at all.
        """
        chosen = np.arange(len(self))[np.asarray(indices, dtype=np.intp)]
        if len(np.unique(chosen)) != len(chosen):
            raise InputError(
                "RankedLists.take expects distinct queries; some position came twice. Queries cannot be repeated: "
                "give copies other ids in the frame."
            )
        if len(chosen) == 0:
            raise InputError("RankedLists.take expects at least one query; no position came.")
        lists, list_ptr = gather_ranges(self.list_ptr, chosen)
        length = np.diff(self.row_ptr)[lists]
        n_items = np.diff(self.candidate_ptr)[chosen]
        conflict = None if self.list_conflict is None else self.list_conflict[lists]
        subset = object.__new__(type(self))
        subset.__setstate__(
            {
                "queries": self.queries[chosen],
                "voters": self.voters,
                "items": self.items,
                "list_ptr": list_ptr,
                "list_voter": self.list_voter[lists],
                "list_weight": self.list_weight[lists],
                "list_conflict": conflict if conflict is not None and conflict.any() else None,
                "row_ptr": np.concatenate([[0], np.cumsum(length)]),
                "candidate_ptr": np.concatenate([[0], np.cumsum(n_items)]),
                **({} if self.has_scores else {"score": None}),
                "_source": (self, chosen),
            }
        )
        return subset

    def __getattr__(self, name):
        # Only asked for what is not there yet; by now another thread may have gathered it.
        source = self.__dict__.get("_source")
        if name not in _LARGE or (source is None and name not in self.__dict__):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if source is None:
            return self.__dict__[name]
        whole, chosen = source
        value = getattr(whole, name)
        if name == "candidate_item":
            value = value[_ranges(whole.candidate_ptr, chosen)]
        else:
            value = value[_ranges(whole.row_ptr[whole.list_ptr], chosen)]
        if name == "candidate":
            value = _renumber(value, whole, chosen, self)
        value.flags.writeable = False
        self.__dict__[name] = value
        if all(large in self.__dict__ for large in _LARGE):
            self.__dict__.pop("_source", None)
        return value


def _ranges(ptr, chosen):
    """Index of the elements of some ranges: a slice, which copies nothing, where one follows the other."""
    if (np.diff(chosen) == 1).all():
        return slice(ptr[chosen[0]], ptr[chosen[-1] + 1])
    return gather_ranges(ptr, chosen)[0]


def _renumber(candidate, whole, chosen, subset):
    moved = (subset.candidate_ptr[:-1] - whole.candidate_ptr[chosen]).astype(np.int32)
    if (moved == moved[0]).all():
        return candidate + moved[0]
    return candidate + np.repeat(moved, np.diff(subset.row_ptr[subset.list_ptr]))
