"""Reading of judgements from Python objects: dicts of item to grade, relevant items, or classes of samples."""

from collections.abc import Hashable, Mapping, Sequence, Set
from typing import Any

import numpy as np
import pandas as pd

from .._support._values import is_finite, show
from ..exceptions import InputError, InputTypeError


def read_container(judged: Any, query: Hashable) -> dict[Hashable, float]:
    """Return the grades of a query's items as a dict; raise an error if `judged` is not a dict, list, set or array."""
    if isinstance(judged, str | bytes) or not isinstance(judged, Mapping | Sequence | Set | np.ndarray):
        raise InputTypeError(
            "Judgements of a query in Qrels.from_dict must be a dict that maps items to grades, or a list or set of "
            f"relevant items; query {show(query)} has {type(judged).__name__}."
        )
    return read_grades(judged, query)


def read_grades(judged: Any, query: Hashable) -> dict[Hashable, float]:
    """Return the grades of a query's items as a dict; relevant items without grades get grade 1.

    >>> from skrankagg._data._grades import read_grades
    >>> read_grades({"a": 2, "b": 0}, "q"), read_grades(["c"], "q")
    ({'a': 2.0, 'b': 0.0}, {'c': 1.0})
    """
    if isinstance(judged, Mapping):
        return {item: _read_grade(item, grade, query) for item, grade in judged.items()}
    # An iterator can be read only once, so it would be empty for the next run.
    if isinstance(judged, str | bytes) or not np.iterable(judged) or not hasattr(judged, "__len__"):
        raise InputTypeError(
            f"Relevant items must be a list, a set or a dict; query {show(query)} has {show(judged)}. Write a list."
        )
    try:
        return dict.fromkeys(judged, 1.0)
    except TypeError as error:
        raise InputTypeError(
            f"Relevant items must be ids, such as str or int; query {show(query)} has items that cannot be hashed "
            f"({error}). Pass their ids."
        ) from None


def read_labels(labels: Any) -> Any:
    """Return the classes of samples as a pandas array of shape (n_samples,); refuse missing classes.

    >>> from skrankagg._data._grades import read_labels
    >>> list(read_labels(["no", "yes"]))
    ['no', 'yes']
    """
    if isinstance(labels, list | tuple):
        fits = not any(isinstance(one, Mapping | list | tuple | Set | np.ndarray) for one in labels)
        values = pd.Series(labels, dtype=None if labels else object)  # NumPy would convert labels of two types to text
    else:
        values = labels if isinstance(labels, pd.Series | pd.Index) else np.asarray(labels)
        fits = values.ndim == 1
    if not fits:
        raise InputError(
            f"`labels` must have one class for each sample; got {show(labels)}. Pass an array of shape (n_samples,), "
            "or encode several relevant items for each sample with Qrels.from_dict."
        )
    values = pd.Series(values).array
    missing = np.asarray(pd.isna(values))
    if missing.any():
        raise InputError(
            f"`labels` must have a class for each sample; {int(missing.sum())} are missing, the first at position "
            f"{int(missing.argmax())}. Drop these samples."
        )
    return values


def _read_grade(item, grade, query):
    if not is_finite(grade) and not isinstance(grade, np.bool_):
        raise InputError(
            f"Grades must be finite numbers; got {show(grade)} for item {show(item)} of query {show(query)}. Drop that "
            "item, or convert the grade with float."
        )
    return float(grade)
