"""Whether an estimator can work on the queries of each partition by themselves."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._support._sklearn import check_is_fitted
from ..exceptions import InputError, InputTypeError


def steps_of(estimator):
    """The steps of a pipeline, those of pipelines in it in their place; of another estimator, itself."""
    if not isinstance(estimator, Pipeline):
        return [estimator]
    steps = [step for _, step in estimator.steps if step is not None and step != "passthrough"]
    return [one for step in steps for one in steps_of(step)]


def check_ready(estimator):
    """Raise an error unless an estimator can aggregate the queries of any partition by themselves.

    Returns what aggregates: of a search, the best estimator that it has found.
    """
    if isinstance(estimator, type) or not hasattr(estimator, "transform"):
        raise InputTypeError(
            f"transform_partitions expects an aggregator, or a pipeline with one; got {_name(estimator)}."
        )
    check_seeds(estimator)
    for step in steps_of(estimator):
        if get_tags(step).requires_fit:
            check_is_fitted(step)
    return getattr(estimator, "best_estimator_", estimator)


def _name(value):
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__


def check_seeds(estimator):
    """Raise InputError where a parameter is a source of random numbers, from which partitions would draw in turn."""
    for name, value in estimator.get_params(deep=True).items():
        if name.rpartition("__")[2] == "random_state" and (value is None or isinstance(value, np.random.RandomState)):
            raise InputError(
                f"{name}={value!r} draws other numbers in every partition, so that no result could be repeated; give "
                "a whole number, from which each query starts."
            )
