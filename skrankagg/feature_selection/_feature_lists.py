"""Importances of features as ranked lists: one query, a list for each estimator and fold."""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from .._data._ranked_lists import RankedLists
from .._support._numbers import is_real
from ..exceptions import InputError, SimilarIdsWarning
from ._members import of_each_name


def lists_frame(found, weights, *, by_split):
    """Importances (n_splits, n_estimators, n_features) as a long frame, in which the items are numbers of columns.

    `weights` has the weight of each estimator by name. The column `split` is not one of lists. Features of which an
    importance is NaN are not in its list; infinite scores become the largest and the smallest finite one of the list, 1
    and 0 where it has none, and keep their ranks.
    """
    n_columns = found.shape[2]
    value = found.reshape(-1, n_columns)
    names = list(weights)
    split, member = np.divmod(np.arange(len(value)), len(names))
    row, item = np.nonzero(~np.isnan(value))
    rank = rankdata(-value, method="min", axis=1, nan_policy="omit")
    finite = np.isfinite(value)
    some = finite.any(axis=1, keepdims=True)
    low = np.min(value, axis=1, where=finite, initial=np.inf, keepdims=True)
    high = np.max(value, axis=1, where=finite, initial=-np.inf, keepdims=True)
    score = np.clip(value, np.where(some, low, 0.0), np.where(some, high, 1.0))
    voters = [f"{names[m]}__split{s}" if by_split else names[m] for s, m in zip(split, member, strict=True)]
    frame = pd.DataFrame(
        {
            "query": "features",
            "voter": np.array(voters, dtype=object)[row],
            "item": item,
            "rank": rank[row, item],
            "score": score[row, item],
            "split": split[row],
        }
    )
    if any(weight != 1 for weight in weights.values()):
        frame["weight"] = np.array([weights[name] for name in names], dtype=np.float64)[member[row]]
    return frame


def encode(frame):
    """Encode the lists of such a frame."""
    with warnings.catch_warnings():
        # Columns of one table are different features, however alike their names are, and so are named estimators.
        warnings.simplefilter("ignore", SimilarIdsWarning)
        return RankedLists.from_frame(frame.drop(columns="split"))


def named_lists(frame, names):
    """The same with the names of the features as items, unless there are none or one is that of several features."""
    if names is not None and len(set(names)) == len(names):
        frame = frame.assign(item=names[frame["item"].to_numpy()])
    return encode(frame)


def list_weights(given, names):
    """Weight of each estimator by name, from a mapping that may leave some out, a number for each, or None."""
    if given is not None and not isinstance(given, Mapping):
        if len(given) != len(names):
            raise InputError(
                f"weights must have a number for each of {len(names)} estimators; got {len(given)}. Give one to each, "
                "or a mapping of name to weight."
            )
        given = dict(zip(names, given, strict=True))
    weights = of_each_name(1.0 if given is None else given, names, 1.0, "weights")
    for name, weight in weights.items():
        if not (is_real(weight) and 0 <= weight < np.inf):
            raise InputError(f"weights must be finite numbers of at least 0; that of {name!r} is {weight!r}.")
    return weights
