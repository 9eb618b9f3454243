"""Helpers for the estimators and the aggregator of ConsensusSelector."""

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
    """Fit a copy of an estimator on `rows`, or on all rows if `rows` is None, and return the importances.

    The copy is not kept. If fitting or reading fails, a note with the estimator's name and the split is added to the
    error.
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
    """Return a list with the training rows of each fold; without folds, the list is [None], which means all rows."""
    if cv is None:
        return [None]
    if isinstance(cv, Integral) and cv > X.shape[0]:
        raise InputError(
            f"`cv` must be at most the number of rows, n_samples={X.shape[0]}; got {cv}. Give more rows, or choose "
            "cv=None, which fits each estimator once."
        )
    classes = isinstance(cv, Integral) and _has_classes(estimators, y, cv)
    parts = [train for train, _ in check_cv(cv, y, classifier=classes).split(X, y, **params)]
    if not parts:
        raise InputError(
            f"`cv` must give at least one split; got {cv!r}. A generator can be used only once; pass a list."
        )
    return parts


def _has_classes(estimators, y, n_splits):
    """Return True if the folds must be stratified by the classes in y."""
    if any(_is_built_on(one, is_classifier) for one in estimators):
        return True
    if y is None or any(_is_built_on(one, is_regressor) for one in estimators):
        return False
    return type_of_target(y) in ("binary", "multiclass") and min(Counter(np.ravel(y).tolist()).values()) >= n_splits


def _is_built_on(estimator, is_kind):
    """Return True if `is_kind` returns True for an estimator, the estimator inside it, or a pipeline's last step."""
    if isinstance(estimator, str) or not hasattr(estimator, "get_params"):
        return False
    if is_kind(estimator):
        return True
    inside = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else getattr(estimator, "estimator", None)
    return inside is not None and _is_built_on(inside, is_kind)


def accepts_nan(estimator):
    """Return True if an estimator accepts NaN; a pipeline accepts NaN if its first step does."""
    if isinstance(estimator, Pipeline) and not isinstance(estimator.steps[0][1], str):
        return accepts_nan(estimator.steps[0][1])
    return get_tags(estimator).input_tags.allow_nan


def check_takes_weights(name, estimator):
    """Raise an error if an estimator, or the estimator inside a meta-estimator, cannot be fitted with sample_weight."""
    passes_on = not isinstance(estimator, Pipeline) and hasattr(estimator, "estimator")
    if not has_fit_parameter(estimator.estimator if passes_on else estimator, "sample_weight"):
        raise InputError(
            f"`sample_weight` must be None if an estimator does not accept weights; {name!r} accepts no weights. Leave "
            "out sample_weight, or enable metadata routing with sklearn.set_config(enable_metadata_routing=True) and "
            "call set_fit_request(sample_weight=True) on the estimators that accept weights."
        )


def check_aggregator(aggregator):
    """Raise an error unless `aggregator` is an aggregator that needs no judgements."""
    last = aggregator.steps[-1][1] if isinstance(aggregator, Pipeline) else aggregator
    if not hasattr(_tags(last), "aggregator_tags"):
        raise InputTypeError(
            f"`aggregator` must be an aggregator, or a pipeline that ends in one; got {aggregator!r}. Choose one of "
            "skrankagg.aggregators, such as BordaCount()."
        )
    for part in (aggregator, *aggregator.get_params(deep=True).values()):
        if _is_supervised(part):
            raise InputError(
                "`aggregator` must not learn from judgements, because features have none; got "
                f"{type(part).__name__}. Choose another method, such as BordaCount(), or DIBRA(), which weighs the "
                "voters by the lists alone."
            )


def _is_supervised(part):
    asks = getattr(part, "_needs_judgements", None)
    if getattr(getattr(_tags(part), "aggregator_tags", None), "supervised", False):
        return True
    return asks is not None and not isinstance(part, type) and asks()


def _tags(part):
    return get_tags(part) if hasattr(part, "__sklearn_tags__") and not isinstance(part, type) else None


def of_each_name(given, names, default, parameter):
    """Return a dict that maps each name to its value of a parameter.

    `given` is one value for all names, or a mapping. Names missing from the mapping have the value `default`.
    """
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, given)
    for name in given:
        if name not in names:
            raise InputError(
                f"`{parameter}` must name estimators among {', '.join(map(repr, names))}; got {name!r}"
                f"{did_you_mean(name, names)}."
            )
    return {name: given.get(name, default) for name in names}
