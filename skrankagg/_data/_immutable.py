"""Containers of arrays that never change, and that scikit-learn passes on whole."""

from dataclasses import fields
from typing import Any, Self

import numpy as np

__all__ = ["Immutable"]


class Immutable:
    """Base of frozen dataclasses of arrays: the arrays are read-only, and derived ones are not pickled."""

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __sklearn_clone__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        return type(self), tuple(self.__getstate__().values())
