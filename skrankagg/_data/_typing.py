"""Types at the public border: what a parameter takes that is lists, a run or judgements."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from narwhals.stable.v2.typing import IntoDataFrame

from ._qrels import Qrels
from ._ranked_lists import RankedLists

__all__ = ["Judgements", "Lists", "RandomState", "Runs"]

#: Ranked lists, or one list for each query: encoded, or a frame of pandas, polars or pyarrow.
Lists: TypeAlias = RankedLists | IntoDataFrame
#: Judgements, encoded or a frame.
Judgements: TypeAlias = Qrels | IntoDataFrame
#: Runs by name; a single one as a frame, or as plain lists or dicts of items.
Runs: TypeAlias = Lists | Mapping[Any, Any] | Sequence[Any]
#: What random numbers come from.
RandomState: TypeAlias = int | np.random.RandomState | None
