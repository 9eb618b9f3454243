"""What users may pass as ranked lists and as judgements, as types."""

from typing import TypeAlias

from ._frames import AnyFrame
from ._qrels import Qrels
from ._ranked_lists import RankedLists

__all__ = ["AnyFrame", "AnyLists", "AnyQrels"]

#: Ranked lists: a long frame, or encoded.
AnyLists: TypeAlias = AnyFrame | RankedLists
#: Judgements: a frame, or encoded.
AnyQrels: TypeAlias = AnyFrame | Qrels
