"""A number for each feature from what an estimator has learnt: importances, coefficients, scores, ranks or a choice."""

from operator import attrgetter

import numpy as np
from scipy.sparse import issparse
from sklearn.feature_selection import SelectFromModel
from sklearn.pipeline import Pipeline

from ..exceptions import InputError

#: Where meta-estimators keep the estimator that they have fitted.
_INSIDE = ("best_estimator_", "estimator_", "regressor_")


def read_importances(estimator, getter, n_features, name):
    """Importances of the features by a fitted estimator, float64 (n_features,), higher is better; NaN for none.

    `getter` is as in scikit-learn's SelectFromModel: "auto", a path of attributes, or a function of the estimator.
    Messages call the estimator by its `name`.
    """
    value = _by_getter(estimator, getter, name)
    if value.shape != (n_features,):
        shape = f"{len(value)} numbers" if value.ndim == 1 else f"an array of shape {value.shape}"
        raise InputError(
            f"Each estimator must give a number for each of {n_features} features; {name!r} gives {shape}. Give it the "
            "features as they are, or a function as importance_getter that returns one number for each."
        )
    if np.isnan(value).all():
        raise InputError(
            f"Each estimator must rank some features; {name!r} gives NaN for all of them, as scores of constant "
            "features are. Look at the data that it is fitted on, or drop it."
        )
    return value


def top_places(value, n_top):
    """Which features stand in the first `n_top` places of a list, bool (n_features,), without cutting through ties.

    Tied features that begin within these places and end behind them are left out, unless the list begins with them.

    >>> import numpy as np
    >>> from skrankagg.feature_selection._importances import top_places
    >>> top_places(np.array([3.0, 0.0, 5.0, 0.0, np.nan]), 3).tolist()
    [True, False, True, False, False]
    """
    known = value[~np.isnan(value)]
    least = np.sort(known)[::-1]
    end = min(n_top, len(known))
    # The value of the last place is out where the next place has it, too, unless the first place has it.
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
            f"importance_getter={getter!r} must be a path of attributes of every fitted estimator; {name!r} lacks it: "
            f"{error}. Give a getter for each estimator, such as importance_getter={{{name!r}: 'auto'}}."
        ) from None


def _automatic(estimator, name, order=1):
    if isinstance(estimator, Pipeline):
        value = _automatic(estimator.steps[-1][1], name, order)
        for title, step in reversed(estimator.steps[:-1]):
            value = _before_step(step, value, title, name)
        return value
    if hasattr(estimator, "ranking_"):  # RFE and its kind: 1 for the best
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
        f"{name!r}, {type(estimator).__name__}, has none of them. Say where its importances are by importance_getter, "
        "or choose another estimator."
    )


def _sizes(value, order):
    """Absolute values, or norms over the rows where there is a row for each class."""
    value = np.asarray(value.toarray() if issparse(value) else value, dtype=np.float64)
    return np.linalg.norm(value, ord=order, axis=0) if value.ndim == 2 else np.abs(value)


def _before_step(step, value, title, name):
    """The importances of what a step of a pipeline got, from those of what it gave: NaN for what it left out.

    The names of its columns tell which these are. A step that does not name them is taken to keep its columns.
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
            f"The importances of {name!r} are those of the columns that its step {title!r} makes{column}, and not of "
            "the features. Leave such a step out, or put it before the selector."
        )
    whole = np.full(len(before), np.nan)
    whole[[place[column] for column in after]] = value
    return whole


def _column_names(step):
    """Names of the columns that a fitted step gets and gives; None for the latter where it has no names."""
    n_columns = getattr(step, "n_features_in_", None)
    try:
        after = [str(column) for column in step.get_feature_names_out()]
    except (AttributeError, ValueError, NotImplementedError):
        return [], None
    if n_columns is None:
        return [], None
    before = getattr(step, "feature_names_in_", [f"x{k}" for k in range(n_columns)])
    return [str(column) for column in before], after
