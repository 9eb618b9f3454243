"""Recognition and conversion of the runs and judgements of other libraries, without importing these libraries.

In ir_measures and ir_datasets, runs and judgements are iterables of named tuples. The tuples become the rows of a data
frame. The classes ``Run`` and ``Qrels`` of ranx become dicts keyed by query.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ..exceptions import InputError
from ._titles import canonical


def plain_object(given):
    """Convert an object of ranx to a dict, or named tuples to a data frame; return any other object unchanged.

    >>> from collections import namedtuple
    >>> from skrankagg._data._peer_objects import plain_object
    >>> Qrel = namedtuple("Qrel", "query_id doc_id relevance")
    >>> plain_object([Qrel("q1", "d1", 1), Qrel("q1", "d2", 0)])
      query_id doc_id  relevance
    0       q1     d1          1
    1       q1     d2          0
    >>> plain_object([("q1", "d1", 1)])
    [('q1', 'd1', 1)]
    """
    if is_ranx(given):
        return {query: dict(items) for query, items in given.to_dict().items()}
    return read_tuples(given)


def plain_objects(given):
    """Convert all runs of a dict by :func:`plain_object`; in a list, convert only the runs of named tuples.

    Runs of ranx in a list stay unchanged, because their names are read later.
    """
    if isinstance(given, Mapping):
        return {name: plain_object(one) for name, one in given.items()}
    if isinstance(given, list | tuple) and not holds_tuples(given):
        return [read_tuples(one) for one in given]
    return given


def plain_runs(given):
    """Convert one or several runs of other libraries; return any other object unchanged.

    A run of named tuples becomes a frame. A run of ranx becomes a dict with the run's name as its only key. Several
    runs may be the values of a dict or the elements of a list. A list of ranx's runs becomes a dict keyed by their
    names.
    """
    if is_ranx(given):
        return {_name(given): plain_object(given)}
    if isinstance(given, list | tuple) and given and all(map(is_ranx, given)):
        names = [_name(one) for one in given]
        if len(set(names)) < len(names):
            raise InputError(f"The runs must have different names; got {names}. Set the attribute `name` of each run.")
        return dict(zip(names, map(plain_object, given), strict=True))
    return plain_objects(read_tuples(given))


def _name(run):
    name = getattr(run, "name", None)
    return "run" if name is None else name


def is_ranx(given):
    """Return True for an object like ranx's Run or Qrels, which stores a dict in an attribute `run` or `qrels`."""
    held = getattr(given, "__dict__", {})
    return hasattr(given, "to_dict") and any(isinstance(held.get(name), Mapping) for name in ("run", "qrels"))


def holds_tuples(given):
    """Return True for a collection whose first element is a named tuple with fields for a query and an item.

    Returns False for an iterator, because reading its first element would consume this element.
    """
    if isinstance(given, Iterator) or not _may_hold_tuples(given):
        return False
    return _is_row(next(iter(given), None))


def holds_rows(given):
    """Return True if a dict or list contains a list of named tuples; this quick check is for `fuse`."""
    lists = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
    return any(isinstance(one, list) and one and hasattr(one[0], "_fields") for one in lists)


def is_judgements(given):
    """Return True for an object that may contain judgements: an object of another library, a dict or a data frame."""
    return (
        isinstance(given, Mapping | Iterator)
        or is_ranx(given)
        or holds_tuples(given)
        or hasattr(type(given), "columns")
    )


def read_tuples(given):
    """Convert an iterable of named tuples to a data frame; return any other object unchanged."""
    if not _may_hold_tuples(given):
        return given
    rows = iter(given)
    first = next(rows, None)
    return pd.DataFrame([first, *rows], columns=list(first._fields)) if _is_row(first) else given


def _may_hold_tuples(given):
    """Return True for an iterable that may contain named tuples, and is not text, a range, a frame or an array."""
    if isinstance(given, Sequence):
        return not isinstance(given, str | bytes | range)
    if not isinstance(given, Iterable) or isinstance(given, Mapping | np.ndarray | set | frozenset):
        return False
    # Reading `columns` of a lazy frame may be slow, so only the attributes of the class are examined.
    return not hasattr(type(given), "columns") and not hasattr(type(given), "n_candidates")


def _is_row(one):
    fields = {canonical(name) for name in getattr(one, "_fields", ())} if isinstance(one, tuple) else ()
    return "query" in fields and "item" in fields
