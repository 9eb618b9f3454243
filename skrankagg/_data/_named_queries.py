"""Support for query ids as ``y``: sample k gets the judgements of query ``y[k]``."""

import numpy as np
import pandas as pd

from ..exceptions import InputError
from ._frames import first_row, is_frame, plain_index, show_id
from ._peer_objects import holds_tuples, is_judgements
from ._qrels import AlignedQrels, Qrels, check_qrels, id_type
from ._ranked_lists import RankedLists


def names_queries(y):
    """Return True if `y` is an array with a value for each sample; return False for a container of judgements."""
    return not (y is None or isinstance(y, Qrels | AlignedQrels) or is_judgements(y))


def read_rows(given, X, lists):
    """Convert a dict or named tuples with judgements, or ranx's Qrels, to a Qrels; return anything else unchanged.

    If a list of named tuples has as many elements as `X` has samples, scikit-learn may have split the list. The list is
    then returned unchanged, and ``choose_qrels`` later refuses it. `lists` contains the lists of `X` in encoded form.
    """
    if isinstance(given, Qrels | AlignedQrels) or not is_judgements(given) or is_frame(given):
        return given
    n_samples = lists.n_queries if isinstance(X, RankedLists) else lists.n_rows
    may_be_split = holds_tuples(given) and hasattr(given, "__len__") and len(given) == n_samples
    return given if may_be_split else check_qrels(given)


def resolve_names(owner, X, lists, y, qrels):
    """If `y` contains query ids, replace `y` by the judgements of these queries; return the new `y` and `qrels`.

    The judgements are `qrels`, or else the judgements passed to the owner's constructor. Without judgements `y` is
    returned unchanged, and ``choose_qrels`` later refuses it.
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
            "`y` names a query for each sample, but the samples of a frame are its rows. Pass the lists as "
            "RankedLists.from_frame(df), whose samples are queries, or leave y out."
        )
    named = plain_index(pd.Index(np.asarray(y)) if np.ndim(y) == 1 else pd.Index([]))
    if len(named) != lists.n_queries:
        raise InputError(
            f"`y` must name a query for each of the {lists.n_queries} samples; got shape {np.shape(y)}. Leave y out "
            "unless you want to permute the judgements."
        )
    _check_names(named, plain_index(lists.queries))
    place = plain_index(qrels.queries).get_indexer(named)
    if (place < 0).all():
        raise InputError(
            f"`y` must have ids of judged queries, or be a Qrels; got {show_id(named, 0)}, but the qrels have "
            f"{show_id(qrels.queries, 0)}. Leave y out and pass judgements as qrels=..."
        )
    return qrels.reassign(lists.queries, place)


def _check_names(named, queries):
    """Raise an error if `named` contains an id twice, or if ids in `named` and in `queries` have different types."""
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
        "Qrels.from_labels(y) instead, or leave y out; to split by labels pass cv=list(splitter.split(lists, labels))."
    )
