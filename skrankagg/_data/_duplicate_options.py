"""The options for items that a list contains twice, in a module that imports no large library."""

from typing import Literal, TypeAlias

Duplicates: TypeAlias = Literal["error", "first", "best", "mean"]
