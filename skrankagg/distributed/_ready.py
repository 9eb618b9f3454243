"""Whether an estimator can work on the queries of each partition by themselves."""

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from .._support._sklearn import check_is_fitted
from ..exceptions import InputError, InputTypeError

__all__ = ["check_ready", "check_seeds"]


def check_ready(estimator):
    """Raise an error unless an estimator can aggregate the queries of any partition by themselves."""
    if not hasattr(estimator, "transform") or not hasattr(estimator, "get_feature_names_out"):
        raise InputTypeError(
            f"transform_partitions expects an aggregator, or a pipeline with one; got {type(estimator).__name__}."
        )
    check_seeds(estimator)
    for step in [step for _, step in estimator.steps] if isinstance(estimator, Pipeline) else [estimator]:
        if hasattr(step, "fit") and get_tags(step).requires_fit:
            check_is_fitted(step)


def check_seeds(estimator):
    """Raise InputError where a parameter is a source of random numbers, from which partitions would draw in turn."""
    for name, value in estimator.get_params(deep=True).items():
        if name.rpartition("__")[2] == "random_state" and (value is None or isinstance(value, np.random.RandomState)):
            raise InputError(
                f"{name}={value!r} draws other numbers in every partition, so that no result could be repeated; give "
                "a whole number, from which each query starts."
            )
