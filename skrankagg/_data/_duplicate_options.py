"""Type of the options for items that a list contains twice; this module imports no large library."""

from typing import Literal, TypeAlias

Duplicates: TypeAlias = Literal["error", "first", "best", "mean"]
