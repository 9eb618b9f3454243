"""Importances of features, read from attributes of a fitted estimator, such as coefficients, scores or ranks."""

from operator import attrgetter

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import Pipeline

from ..exceptions import InputError

#: Attributes in which meta-estimators store their fitted estimator.
_INSIDE = ("best_estimator_", "estimator_", "regressor_")


def read_importances(estimator, getter, n_features, name):
    """Return the importances of the features in a fitted estimator, as an array of shape (n_features,).

    A higher importance is better, and NaN marks a feature without an importance. `getter` is as in scikit-learn's
    SelectFromModel: "auto", a path of attributes, or a function of the estimator. Messages contain the `name` of the
    estimator.
    """
    value = _by_getter(estimator, getter, name)
    if value.shape != (n_features,):
        shape = f"{len(value)} numbers" if value.ndim == 1 else f"an array of shape {value.shape}"
        raise InputError(
            f"Each estimator must give a number for each of {n_features} features; {name!r} gives {shape}. Choose an "
            "estimator that keeps the features, or another importance_getter."
        )
    if np.isnan(value).all():
        raise InputError(
            f"Each estimator must rank some features; {name!r} gives NaN for all of them, for example "
            "because all features are constant. Check the data that the estimator is fitted on, or drop the estimator."
        )
    return value


def top_places(value, n_top):
    """Return a mask of the features in the first `n_top` places of a list, without splitting groups of ties.

    A tie group that is only partly within these places is left out, unless it is the first group of the list.

    >>> import numpy as np
    >>> from skrankagg.feature_selection._importances import top_places
    >>> top_places(np.array([3.0, 0.0, 5.0, 0.0, np.nan]), 3).tolist()
    [True, False, True, False, False]
    """
    known = value[~np.isnan(value)]
    least = np.sort(known)[::-1]
    end = min(n_top, len(known))
    # If the place after the cut has the same value as the last place, the features of this value are left out. If the
    # list begins with this value, they are kept.
    threshold = least[end - 1]
    if end < len(known) and least[end] == threshold and threshold != least[0]:
        return value > threshold
    return value >= threshold


def _by_getter(estimator, getter, name, order=1):
    if isinstance(getter, str) and getter == "auto":
        return _automatic(estimator, name, order)
    if not isinstance(getter, str):
        return _sizes(getter(estimator), order)
    try:
        return _sizes(attrgetter(getter)(estimator), order)
    except AttributeError as error:
        raise InputError(
            f"`importance_getter` must be the path of an attribute that every fitted estimator has; got {getter!r}, "
            f"which {name!r} lacks: {error}. Give a getter for each estimator, such as "
            f"importance_getter={{{name!r}: 'auto'}}."
        ) from None


def _automatic(estimator, name, order=1):
    if isinstance(estimator, Pipeline):
        value = _automatic(estimator.steps[-1][1], name, order)
        for title, step in reversed(estimator.steps[:-1]):
            value = _before_step(step, value, title, name)
        return value
    if hasattr(estimator, "ranking_"):  # RFE and similar selectors: 1 is best
        return -np.asarray(estimator.ranking_, dtype=np.float64)
    if isinstance(estimator, SelectFromModel):
        return _by_getter(estimator.estimator_, estimator.importance_getter, name, estimator.norm_order)
    if hasattr(estimator, "get_support"):
        value = estimator.scores_ if hasattr(estimator, "scores_") else estimator.get_support()
        return np.asarray(value, dtype=np.float64)
    for attribute in ("coef_", "feature_importances_"):
        if hasattr(estimator, attribute):
            return _sizes(getattr(estimator, attribute), order)
    for attribute in _INSIDE:
        if hasattr(estimator, attribute):
            return _automatic(getattr(estimator, attribute), name, order)
    raise InputError(
        "Each estimator must have coef_, feature_importances_, scores_, ranking_ or get_support once it is fitted; "
        f"{name!r} ({type(estimator).__name__}) has none of these. Pass importance_getter, or choose another "
        "estimator."
    )


def _sizes(value, order):
    """Return the absolute importances; if there is a row for each class, return the norm of each column instead.

    `order` is the order of the norm, as in :func:`numpy.linalg.norm`.
    """
    value = np.asarray(value.toarray() if issparse(value) else value, dtype=np.float64)
    return np.linalg.norm(value, ord=order, axis=0) if value.ndim == 2 else np.abs(value)


def _before_step(step, value, title, name):
    """Map the importances of the output columns of a step to its input columns; dropped columns get NaN.

    The columns are matched by name. A step without column names is assumed to keep all columns. Error messages contain
    `title`, the name of the step, and `name`, the name of the pipeline.
    """
    if isinstance(step, str) or step is None:
        return value
    before, after = _column_names(step)
    if after is None or len(after) != len(value):
        return value
    place = {column: k for k, column in enumerate(before)}
    made = [column for column in after if column not in place]
    if made or len(place) != len(before) or len(set(after)) != len(after):
        column = f", such as {made[0]!r}" if made else ""
        raise InputError(
            f"Steps of {name!r} must keep or drop features; step {title!r} makes new columns{column}, and the "
            "importances belong to the new columns. Leave such a step out, or put it before the selector."
        )
    whole = np.full(len(before), np.nan)
    whole[[place[column] for column in after]] = value
    return whole


def _column_names(step):
    """Return the input and output column names of a fitted step; the output names are None if they are unknown."""
    n_columns = getattr(step, "n_features_in_", None)
    try:
        after = [str(column) for column in step.get_feature_names_out()]
    except (AttributeError, ValueError, NotImplementedError):
        return [], None
    if n_columns is None:
        return [], None
    before = getattr(step, "feature_names_in_", [f"x{k}" for k in range(n_columns)])
    return [str(column) for column in before], after
