"""What users may pass as ranked lists and as judgements, as types."""

from typing import TypeAlias

import pandas as pd
from narwhals.stable.v2.typing import IntoDataFrame

from ._qrels import Qrels
from ._ranked_lists import RankedLists

__all__ = ["AnyFrame", "AnyLists", "AnyQrels"]

#: A data frame of a library that narwhals knows, such as polars and pyarrow, or of pandas.
AnyFrame: TypeAlias = pd.DataFrame | IntoDataFrame
#: Ranked lists: a long frame, or encoded.
AnyLists: TypeAlias = AnyFrame | RankedLists
#: Judgements: a frame, or encoded.
AnyQrels: TypeAlias = AnyFrame | Qrels
