"""Recognition of the runs and judgements of other libraries, without importing these libraries.

ir_measures and ir_datasets describe a run or judgements as an iterable of named tuples, with a tuple for each row. They
become a data frame with a column for each field. The classes ``Run`` and ``Qrels`` of ranx become dicts keyed by query.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from ..exceptions import InputError
from ._titles import canonical


def plain_object(given):
    """Convert an object of ranx to a dict, and named tuples to a data frame; return anything else unchanged.

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
    """Convert the values of a dict with :func:`plain_object`, or the elements of a list that contain named tuples.

    Runs of ranx in a list stay unchanged, because their names are still needed.
    """
    if isinstance(given, Mapping):
        return {name: plain_object(one) for name, one in given.items()}
    if isinstance(given, list | tuple) and not holds_tuples(given):
        return [read_tuples(one) for one in given]
    return given


def plain_runs(given):
    """Convert one or several runs of other libraries; return anything else unchanged.

    One run becomes a frame or, if it has a name, a dict with this name as the only key. Several runs are the values of
    a dict or the elements of a list. Several runs of ranx become a dict keyed by their names.
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
    """Return True for an object like ranx's Run or Qrels, whose dict is in an attribute `run` or `qrels`."""
    held = getattr(given, "__dict__", {})
    return hasattr(given, "to_dict") and any(isinstance(held.get(name), Mapping) for name in ("run", "qrels"))


def holds_tuples(given):
    """Return True for a collection whose first element is a named tuple with fields for a query and an item.

    An iterator is not a collection, because reading its first element would remove this element.
    """
    if isinstance(given, Iterator) or not _may_hold_tuples(given):
        return False
    return _is_row(next(iter(given), None))


def holds_rows(given):
    """Return True if a list in a dict or in a list begins with a named tuple; this check is fast enough for `fuse`."""
    lists = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
    return any(isinstance(one, list) and one and hasattr(one[0], "_fields") for one in lists)


def is_judgements(given):
    """Return True for judgements of another library, for a dict, and for a data frame."""
    return (
        isinstance(given, Mapping | Iterator)
        or is_ranx(given)
        or holds_tuples(given)
        or hasattr(type(given), "columns")
    )


def read_tuples(given):
    """Return an iterable of named tuples as a data frame; return anything else unchanged."""
    if not _may_hold_tuples(given):
        return given
    rows = iter(given)
    first = next(rows, None)
    return pd.DataFrame([first, *rows], columns=list(first._fields)) if _is_row(first) else given


def _may_hold_tuples(given):
    """Return True for an iterable that is neither a frame, nor an array, nor a container of other elements."""
    if isinstance(given, Sequence):
        return not isinstance(given, str | bytes | range)
    if not isinstance(given, Iterable) or isinstance(given, Mapping | np.ndarray | set | frozenset):
        return False
    # Reading `columns` of a lazy frame may be slow, so only its class is examined.
    return not hasattr(type(given), "columns") and not hasattr(type(given), "n_candidates")


def _is_row(one):
    fields = {canonical(name) for name in getattr(one, "_fields", ())} if isinstance(one, tuple) else ()
    return "query" in fields and "item" in fields
