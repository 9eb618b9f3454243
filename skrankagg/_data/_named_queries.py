"""Judgements for a ``y`` of query ids: sample k gets the judgements of query ``y[k]``."""

import numpy as np
import pandas as pd

from ..exceptions import InputError
from ._frames import first_row, is_frame, plain_index, show_id
from ._peer_objects import holds_tuples, is_judgements
from ._qrels import AlignedQrels, Qrels, check_qrels, id_type
from ._ranked_lists import RankedLists


def names_queries(y):
    """Return True if `y` has a value for each sample, such as a query id; return False for None and for judgements."""
    return not (y is None or isinstance(y, Qrels | AlignedQrels) or is_judgements(y))


def read_rows(given, X, lists):
    """Convert a dict, named tuples or ranx's Qrels to a Qrels; return any other object unchanged.

    If the number of named tuples equals the number of samples in `X`, scikit-learn may have split the tuples. They are
    then returned unchanged, and ``choose_qrels`` refuses them later. `lists` contains the encoded lists of `X`.
    """
    if isinstance(given, Qrels | AlignedQrels) or not is_judgements(given) or is_frame(given):
        return given
    n_samples = lists.n_queries if isinstance(X, RankedLists) else lists.n_rows
    may_be_split = holds_tuples(given) and hasattr(given, "__len__") and len(given) == n_samples
    return given if may_be_split else check_qrels(given)


def resolve_names(owner, X, lists, y, qrels):
    """Replace query ids in `y` by the judgements of these queries; return the new `y` and `qrels`.

    Any other `y` is returned unchanged. If `y` is replaced, the new `qrels` are None.

    The judgements are taken from `qrels`, or from the constructor of `owner` if `qrels` is None. Without judgements,
    the ids are returned unchanged, and ``choose_qrels`` refuses them later.
    """
    y, qrels = read_rows(y, X, lists), read_rows(qrels, X, lists)
    known = qrels if qrels is not None else getattr(owner, "qrels", None)
    if known is None or not names_queries(y):
        return y, qrels
    return judge_by(lists, check_qrels(known), y, X), None


def judge_by(lists, qrels, y, X):
    """Return judgements in which query k of `lists` has the judgements of query ``y[k]``; `X` is the user's input."""
    if not isinstance(X, RankedLists):
        raise InputError(
            "`y` must not contain query ids if `X` is a frame, because the samples of a frame are its rows. Pass "
            "RankedLists.from_frame(df) as `X`, or leave y out."
        )
    named = plain_index(pd.Index(np.asarray(y)) if np.ndim(y) == 1 else pd.Index([]))
    if len(named) != lists.n_queries:
        raise InputError(
            f"`y` must contain a query id for each of the {lists.n_queries} samples; got shape {np.shape(y)}. Leave y "
            "out, because the queries of the lists are known."
        )
    _check_names(named, plain_index(lists.queries))
    place = plain_index(qrels.queries).get_indexer(named)
    if (place < 0).all():
        raise InputError(
            f"`y` must have ids of judged queries; got ids such as {show_id(named, 0)}, but the qrels have ids such as "
            f"{show_id(qrels.queries, 0)}. Leave y out and pass judgements as qrels=..."
        )
    return qrels.reassign(lists.queries, place)


def _check_names(named, queries):
    """Raise an error if an id in `named` is missing or repeated, or has another type than the ids in `queries`."""
    types = [id_type(ids, booleans="booleans") for ids in (named, queries)]
    if None not in types and types[0] != types[1]:
        _refuse(f"ids of queries, which are {types[1]}, such as {show_id(queries, 0)}", named, 0)
    foreign = named.isna()
    if queries.dtype.kind in "iu" and named.dtype.kind == "f":
        foreign = foreign | (named % 1 != 0)
    if foreign.any():
        _refuse(f"ids of queries, such as {show_id(queries, 0)}", named, first_row(foreign))
    repeated = named.duplicated(keep=False)
    if repeated.any():
        first = first_row(repeated)
        count = int((named == named[first]).sum())
        _refuse("each id of a query once", named, first, f" for {count} of the {len(named)} samples")


def _refuse(expected, named, place, where=""):
    raise InputError(
        f"`y` must have {expected}; got {show_id(named, place)}{where}. If y has class labels, pass "
        "Qrels.from_labels(y). To use labels only for the split, leave y out and pass "
        "cv=list(splitter.split(lists, labels))."
    )
