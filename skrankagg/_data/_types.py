"""Types that users may pass as ranked lists and as judgements."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from ._frames import AnyRows
from ._qrels import AlignedQrels, Qrels
from ._ranked_lists import RankedLists

#: Ranked lists, as a long frame, as rows, encoded, or as a dict of runs by voter.
AnyLists: TypeAlias = AnyRows | RankedLists | Mapping[Any, Any]
#: The types of AnyLists, or the lists of one query.
PlainLists: TypeAlias = AnyLists | Sequence[Any]
#: Judgements, as a frame, as rows, as a dict by query, encoded, or aligned with lists. Aligned judgements are
#: restricted to the queries of the lists.
AnyQrels: TypeAlias = AnyRows | Qrels | AlignedQrels | Mapping[Any, Any]
#: Judgements that may be passed to a call as `qrels`. Frames are refused, because scikit-learn would split them.
CallQrels: TypeAlias = Qrels | AlignedQrels | Mapping[Any, Any] | Iterable[tuple[Any, ...]]
#: Judgements that may be passed as `y`: the types of CallQrels, or the id of a query for each sample. Sample k then
#: gets the judgements of query ``y[k]``.
Judgements: TypeAlias = CallQrels | ArrayLike
