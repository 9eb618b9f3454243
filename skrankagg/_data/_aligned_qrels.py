"""Judgements aligned with the samples of ranked lists, to be passed as ``y``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..exceptions import InputError
from ._frames import plain_index, show_id
from ._immutable import Immutable

if TYPE_CHECKING:
    from ._qrels import Qrels

__all__ = ["AlignedQrels"]


@dataclass(frozen=True, eq=False, repr=False)
class AlignedQrels(Immutable):
    """Judgements with a sample for each query of some lists: the ``y`` of scikit-learn's searches and curves.

    Make one with :meth:`Qrels.align`. Splitters cut it along with the lists. Judgements are looked up by the ids of the
    queries and never by their positions, so no order of the samples can mix them up.

    Parameters
    ----------
    qrels : Qrels
        The judgements.
    queries : pandas.Index of shape (n_queries,)
        Ids of the samples' queries; some of them may have no judgements.

    See Also
    --------
    Qrels : The judgements alone, which scikit-learn passes on whole.

    Examples
    --------
    >>> import pandas as pd
    >>> from skrankagg import Qrels, RankedLists
    >>> frame = pd.DataFrame({"query": list("pqr"), "voter": "v", "item": "a", "rank": 1})
    >>> y = Qrels.from_dict({"p": ["a"], "q": {"a": 0}}).align(RankedLists.from_frame(frame))
    >>> y
    AlignedQrels(n_queries=3, n_judged=2, n_relevant=1)
    >>> y[[1, 2]]
    AlignedQrels(n_queries=2, n_judged=1, n_relevant=0)
    """

    qrels: Qrels
    queries: pd.Index

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def shape(self) -> tuple[int]:
        """Number of samples, as a shape."""
        return (len(self.queries),)

    def __getitem__(self, chosen: Any) -> AlignedQrels:
        """Select the judgements of some samples, with an array's indexes: positions, a slice or a mask."""
        if isinstance(chosen, tuple):  # scikit-learn writes y[indices, ...]
            if len(chosen) != 2 or chosen[1] is not Ellipsis:
                raise IndexError("AlignedQrels has one axis, its queries; index it with a single index.")
            chosen = chosen[0]
        return AlignedQrels(self.qrels, self.queries[np.atleast_1d(np.arange(len(self))[chosen])])

    def own_qrels(self) -> Qrels:
        """Return the judgements of the samples' queries alone.

        Returns
        -------
        Qrels

        Raises
        ------
        ValueError
            If no query has judgements.
        """
        place = np.unique(plain_index(self.qrels.queries).get_indexer(plain_index(self.queries)))
        place = place[place >= 0]
        if not len(place):
            raise InputError(
                f"`y` must have judgements for some of its {len(self)} queries, such as {show_id(self.queries, 0)}; it "
                "has none. If this is a fold of unjudged queries only, split lists.judged(qrels), or use "
                "QueryKFold(qrels=qrels)."
            )
        if len(place) == self.qrels.n_queries:
            return self.qrels
        return self.qrels.reassign(self.qrels.queries[place], place)

    def __repr__(self) -> str:
        place = plain_index(self.qrels.queries).get_indexer(plain_index(self.queries))
        relevant = np.add.reduceat(self.qrels.relevance > 0, self.qrels.ptr[:-1])
        judged = np.unique(place[place >= 0])
        return (
            f"AlignedQrels(n_queries={len(self)}, n_judged={int((place >= 0).sum())}, "
            f"n_relevant={int(relevant[judged].sum())})"
        )
