"""Base class of immutable containers of arrays, which scikit-learn neither converts nor copies."""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Self

import numpy as np

from ._portable import pack, unpack


class Immutable:
    """Base class of frozen dataclasses with read-only arrays; only the fields are pickled."""

    def __post_init__(self) -> None:
        for value in self.__dict__.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __sklearn_clone__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def _fields(self) -> dict[str, Any]:
        """Return the fields as a dict keyed by name; the constructor accepts them as arguments."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    # `__getstate__` and `__setstate__` are for libraries such as skops, which decompose the state into arrays and text.
    # Pickling and copying use `__reduce__`.

    def __getstate__(self) -> dict[str, Any]:
        return {name: pack(value) for name, value in self._fields().items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({name: unpack(value) for name, value in state.items()})
        self.__post_init__()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return make, (type(self), *self._fields().values())


def make(kind, *values):
    """Create a container of class `kind` from the values of its fields.

    Pickles refer to this function instead of the class. Otherwise, skops would mistake the field values for the state
    of the object.
    """
    return kind(*values)
