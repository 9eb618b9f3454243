"""Types that users may pass as ranked lists and as judgements."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from ._frames import AnyFrame
from ._qrels import AlignedQrels, Qrels
from ._ranked_lists import RankedLists

#: Ranked lists: a long frame, or encoded.
AnyLists: TypeAlias = AnyFrame | RankedLists
#: As AnyLists, or a dict of runs by voter, or the lists of one query.
PlainLists: TypeAlias = AnyLists | Mapping[Any, Any] | Sequence[Any]
#: Judgements: a frame, or encoded, or aligned with lists and then restricted to their queries.
AnyQrels: TypeAlias = AnyFrame | Qrels | AlignedQrels
#: Judgements as `y`: encoded, or aligned with the lists, or the query whose judgements each sample gets.
Judgements: TypeAlias = Qrels | AlignedQrels | ArrayLike
