"""Types that users may pass as ranked lists and as judgements."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from ._frames import AnyRows
from ._qrels import AlignedQrels, Qrels
from ._ranked_lists import RankedLists

#: Ranked lists: a long frame, an iterable of named tuples, RankedLists, or a dict of voter to run.
AnyLists: TypeAlias = AnyRows | RankedLists | Mapping[Any, Any]
#: The types of AnyLists, or the lists of one query.
PlainLists: TypeAlias = AnyLists | Sequence[Any]
#: Judgements: a frame, an iterable of named tuples, a dict keyed by query, Qrels, or AlignedQrels. AlignedQrels are
#: restricted to the queries of the aligned lists.
AnyQrels: TypeAlias = AnyRows | Qrels | AlignedQrels | Mapping[Any, Any]
#: Judgements that may be passed to a call as `qrels`. Frames are refused, because scikit-learn would split them.
CallQrels: TypeAlias = Qrels | AlignedQrels | Mapping[Any, Any] | Iterable[tuple[Any, ...]]
#: Judgements that may be passed as `y`: the types of CallQrels, or an array of query ids. Sample k of an array gets the
#: judgements of query ``y[k]``.
Judgements: TypeAlias = CallQrels | ArrayLike
