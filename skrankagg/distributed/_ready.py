"""Checks that an estimator can work on the queries of each partition separately."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._support._sklearn import check_is_fitted
from ..exceptions import InputError, InputTypeError


def steps_of(estimator):
    """List the steps of a pipeline and of nested pipelines; for another estimator, list only this estimator."""
    if not isinstance(estimator, Pipeline):
        return [estimator]
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    return [one for step in steps for one in steps_of(step)]


def check_ready(estimator):
    """Raise an error if an estimator cannot aggregate the queries of each partition separately.

    Returns the best estimator of a search, such as GridSearchCV. Any other estimator is returned unchanged.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "transform"):
        raise InputTypeError(
            f"`aggregator` must be an aggregator, or a pipeline that contains one; got {_name(estimator)}."
        )
    check_seeds(estimator)
    for step in steps_of(estimator):
        if get_tags(step).requires_fit:
            check_is_fitted(step)
    return getattr(estimator, "best_estimator_", estimator)


def _name(value):
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def check_seeds(estimator):
    """Raise InputError if a `random_state` is not a fixed seed, because results could then not be repeated."""
    for name, value in estimator.get_params(deep=True).items():
        if name.rpartition("__")[2] == "random_state" and (value is None or isinstance(value, np.random.RandomState)):
            raise InputError(
                f"{name}={value!r} gives different numbers in every partition, so results could not be repeated. Pass "
                "a whole number, which is the seed of the random numbers for each query."
            )
