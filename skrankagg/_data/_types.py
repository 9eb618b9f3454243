"""Types that users may pass as ranked lists and as judgements."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from ._frames import AnyFrame
from ._qrels import AlignedQrels, Qrels
from ._ranked_lists import RankedLists

#: Ranked lists, as a long frame or encoded.
AnyLists: TypeAlias = AnyFrame | RankedLists
#: The types of AnyLists, a dict of runs by voter, or the lists of one query.
PlainLists: TypeAlias = AnyLists | Mapping[Any, Any] | Sequence[Any]
#: Judgements, as a frame, encoded, or aligned with lists. Aligned judgements are restricted to the queries of the
#: lists.
AnyQrels: TypeAlias = AnyFrame | Qrels | AlignedQrels
#: Judgements that may be passed as `y`: encoded, aligned with the lists, or the id of a query for each sample. Sample k
#: then gets the judgements of query ``y[k]``.
Judgements: TypeAlias = Qrels | AlignedQrels | ArrayLike
