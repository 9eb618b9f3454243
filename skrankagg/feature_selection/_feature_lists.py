"""Conversion of feature importances to ranked lists: one query, with a list for each estimator and fold."""

import warnings
from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from .._data._ranked_lists import RankedLists
from .._support._values import is_real
from ..exceptions import InputError, SimilarIdsWarning
from ._members import of_each_name


def lists_frame(found, weights, *, by_split):
    """Turn an array of importances, of shape (n_splits, n_estimators, n_features), into a frame of ranked lists.

    The array is `found`. The items of the lists are the numbers of the columns (features).

    `weights` maps the name of each estimator to its weight. If `by_split` is true, each estimator has a separate voter
    name for each fold. Besides the columns of ranked lists, the frame has a column `split` with the number of the fold.
    A feature whose importance is NaN is absent from the list. Positive infinite scores are replaced by the largest
    finite score of the list, and negative infinite scores by the smallest one. If the list has no finite score, 1 and 0
    are used. The ranks do not change.
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
    """Convert a frame from :func:`lists_frame` to RankedLists."""
    with warnings.catch_warnings():
        # Columns of a table are different features, even if their names are similar. The same applies to estimators.
        warnings.simplefilter("ignore", SimilarIdsWarning)
        return RankedLists.from_frame(frame.drop(columns="split"))


def named_lists(frame, names):
    """Convert a frame to RankedLists of feature names, or of column numbers if names are missing or repeated."""
    if names is not None and len(set(names)) == len(names):
        frame = frame.assign(item=names[frame["item"].to_numpy()])
    return encode(frame)


def list_weights(given, names):
    """Return a dict that maps the name of each estimator to its weight.

    The argument `given` is a sequence of weights, a mapping that may omit names, or None.
    """
    if given is not None and not isinstance(given, Mapping):
        if len(given) != len(names):
            raise InputError(
                f"`weights` must have a number for each of {len(names)} estimators; got {len(given)} "
                "numbers. Give each estimator a number, or pass a mapping of name to weight."
            )
        given = dict(zip(names, given, strict=True))
    weights = of_each_name(1.0 if given is None else given, names, 1.0, "weights")
    for name, weight in weights.items():
        if not (is_real(weight) and 0 <= weight < np.inf):
            raise InputError(f"`weights` must be finite numbers of at least 0; got {weight!r} for {name!r}.")
    return weights
