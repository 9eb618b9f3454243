"""What the selector asks of its parts: of the estimators that rank the features, and of what merges their lists."""

from collections import Counter
from collections.abc import Mapping
from numbers import Integral

import numpy as np
from sklearn.base import is_regressor
from sklearn.model_selection import check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import has_fit_parameter

from .._support._row_parts import take_rows, take_rows_of_params
from .._support._sklearn import clone, is_classifier
from .._support._suggestions import did_you_mean
from ..exceptions import InputError, InputTypeError
from ._importances import read_importances


def fit_and_read(name, estimator, X, y, rows, params, getter, split):
    """Importances of the features by a copy of an estimator that is fitted on some rows, all if None; its fit is lost.

    An error of the estimator says which one it was, and on which split.
    """
    n_rows, n_columns = X.shape
    if rows is not None:
        X, y, params = take_rows(X, rows), take_rows(y, rows), take_rows_of_params(params, rows, n_rows)
    try:
        fitted = clone(estimator).fit(X, y, **params)
        return read_importances(fitted, getter, n_columns, name)
    except Exception as error:
        error.add_note(f"ConsensusSelector was fitting {name!r}{'' if rows is None else f' on split {split}'}.")
        raise


def training_parts(cv, X, y, estimators, params):
    """Rows of the training part of each fold; None for all rows."""
    if cv is None:
        return [None]
    if isinstance(cv, Integral) and cv > X.shape[0]:
        raise InputError(
            f"cv must be at most the number of rows, n_samples={X.shape[0]}; got {cv}. Give more rows, or choose "
            "cv=None, which fits each estimator once."
        )
    classes = isinstance(cv, Integral) and _has_classes(estimators, y, cv)
    parts = [train for train, _ in check_cv(cv, y, classifier=classes).split(X, y, **params)]
    if not parts:
        raise InputError(f"cv must give at least one split; {cv!r} gives none. A generator gives its splits once.")
    return parts


def _has_classes(estimators, y, n_splits):
    """Whether folds are to keep the shares of the values of y."""
    if any(_is_built_on(one, is_classifier) for one in estimators):
        return True
    if y is None or any(_is_built_on(one, is_regressor) for one in estimators):
        return False
    return type_of_target(y) in ("binary", "multiclass") and min(Counter(np.ravel(y).tolist()).values()) >= n_splits


def _is_built_on(estimator, is_kind):
    """Whether an estimator, the one that it wraps, or the last step of a pipeline is of a kind."""
    if isinstance(estimator, str) or not hasattr(estimator, "get_params"):
        return False
    if is_kind(estimator):
        return True
    inside = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else getattr(estimator, "estimator", None)
    return inside is not None and _is_built_on(inside, is_kind)


def accepts_nan(estimator):
    """Whether an estimator takes NaN; a pipeline whose first step does may replace them."""
    if isinstance(estimator, Pipeline) and not isinstance(estimator.steps[0][1], str):
        return accepts_nan(estimator.steps[0][1])
    return get_tags(estimator).input_tags.allow_nan


def check_takes_weights(name, estimator):
    """Refuse an estimator whose fit has no sample_weight; one that wraps another passes it on."""
    passes_on = not isinstance(estimator, Pipeline) and hasattr(estimator, "estimator")
    if not has_fit_parameter(estimator.estimator if passes_on else estimator, "sample_weight"):
        raise InputError(
            f"sample_weight goes to every estimator, and {name!r} does not take it. Enable metadata routing, "
            "sklearn.set_config(enable_metadata_routing=True), and let those estimators request it that take it, by "
            "set_fit_request(sample_weight=True)."
        )


def check_aggregator(aggregator):
    """Refuse what is no aggregator, and one that learns from judgements, which features do not have."""
    last = aggregator.steps[-1][1] if isinstance(aggregator, Pipeline) else aggregator
    if not hasattr(_tags(last), "aggregator_tags"):
        raise InputTypeError(
            f"aggregator must be an aggregator, or a pipeline that ends in one; got {aggregator!r}. Choose one of "
            "skrankagg.aggregators, such as BordaCount()."
        )
    for part in (aggregator, *aggregator.get_params(deep=True).values()):
        if _is_supervised(part):
            raise InputError(
                f"aggregator must merge lists of features, for which there are no judgements; {type(part).__name__} "
                "learns from judgements. Choose a method that does not, such as BordaCount(), or DIBRA(), which weighs "
                "the voters by the lists alone."
            )


def _is_supervised(part):
    asks = getattr(part, "_needs_judgements", None)
    if getattr(getattr(_tags(part), "aggregator_tags", None), "supervised", False):
        return True
    return asks is not None and not isinstance(part, type) and asks()


def _tags(part):
    return get_tags(part) if hasattr(part, "__sklearn_tags__") and not isinstance(part, type) else None


def of_each_name(given, names, default, parameter):
    """A parameter's value for each name, from a mapping that may leave some out, or one value for all."""
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    for name in given:
        if name not in names:
            raise InputError(
                f"{parameter} must name estimators, {', '.join(map(repr, names))}; got {name!r}"
                f"{did_you_mean(name, names)}."
            )
    return {name: given.get(name, default) for name in names}
