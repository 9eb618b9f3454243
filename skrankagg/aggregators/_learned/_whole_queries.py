"""Fit scikit-learn estimators so that the rows of a query stay together.

Rankers get the queries as groups, and estimators that cross-validate get folds of whole queries.
"""

from contextlib import nullcontext
from inspect import signature
from numbers import Real
from warnings import catch_warnings, filterwarnings

import numpy as np
from sklearn import config_context

from ..._support._values import is_integer
from ...exceptions import InputError

# Number of folds if cv is None, as in scikit-learn.
_N_FOLDS = 5


def ranks_queries(estimator):
    """Return True if an estimator is a ranker, or a pipeline whose last step is a ranker."""
    return _query_parameter(_last_step(estimator)[1]) is not None


def fit_whole_queries(estimator, matrix, target, query):
    """Fit an estimator so that the rows of a query stay together, and return the fitted estimator.

    `query` contains the query of each row, in ascending order. If the last step is a ranker, the queries are passed to
    its ``fit``. During the fit, every parameter `cv` is replaced by folds of whole queries.
    """
    path, last = _last_step(estimator)
    name = _query_parameter(last)
    given = {}
    if name is not None:
        size = np.bincount(query)
        given[f"{path}__{name}" if path else name] = query if name == "qid" else size[size > 0]
    params = estimator.get_params(deep=True)
    _refuse_inner_rankers(params, path)
    cv = {key: value for key, value in params.items() if _is_splitter(key, value)}
    for key in cv:
        _refuse_resampled(key, estimator, params)
    for key, value in cv.items():
        estimator.set_params(**{key: _folds(value, _owner(key, estimator, params), target, query)})
    # Metadata routing is switched off, because with it a pipeline does not accept parameters of its steps by name.
    with config_context(enable_metadata_routing=False) if given and path else nullcontext():
        fitted = estimator.fit(matrix, target, **given)
    if cv:
        estimator.set_params(**cv)  # restore the user's values, because the folds contain row indices
    return fitted


def _last_step(estimator):
    """Return the path of the last step of nested pipelines, and the step itself.

    The path is a name such as "outer__inner". If the estimator is not a pipeline, return an empty path and the
    estimator itself.
    """
    path = []
    while hasattr(estimator, "steps"):
        name, estimator = estimator.steps[-1]
        path.append(name)
    return "__".join(path), estimator


def _query_parameter(estimator):
    """Return the name of the parameter of ``fit`` that accepts queries: "qid", "group", or None if there is none."""
    parameters = signature(estimator.fit).parameters if hasattr(estimator, "fit") else ()
    return next((name for name in ("qid", "group") if name in parameters), None)


def _refuse_inner_rankers(params, path):
    for key, value in params.items():
        inner = hasattr(value, "get_params") and not isinstance(value, type)
        if inner and key != path and _query_parameter(value) is not None:
            name = type(value).__name__
            raise InputError(
                f"`estimator` may contain a ranker only as its last step; got {name} at {key!r}, where {name} does not "
                f"receive the query of each row. Pass {name}() itself, or a pipeline with {name}() as its last step. "
                f"To tune {name}, search over StackedFusion with parameter names such as estimator__alpha."
            )


def _is_splitter(key, value):
    return key.rpartition("__")[2] == "cv" and not isinstance(value, str)  # "prefit" splits nothing


def _owner(key, estimator, params):
    path = key.rpartition("__")[0]
    return params[path] if path else estimator


def _refuse_resampled(key, estimator, params):
    """Raise InputError if an outer estimator may pass only some rows to the estimator with the parameter `key`.

    The folds of the inner estimator would then not consist of whole queries.
    """
    from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
    from sklearn.ensemble import VotingClassifier, VotingRegressor
    from sklearn.feature_selection import SelectFromModel
    from sklearn.pipeline import FeatureUnion, Pipeline

    whole = (
        *(Pipeline, FeatureUnion, ColumnTransformer, VotingClassifier, VotingRegressor),
        *(TransformedTargetRegressor, SelectFromModel),
    )
    inside, path = type(_owner(key, estimator, params)).__name__, key.rpartition("__")[0]
    while path:
        path = path.rpartition("__")[0]
        outer = params[path] if path else estimator
        if not isinstance(outer, whole):
            raise InputError(
                f"`estimator` must keep the rows of a query together; got {inside} inside {type(outer).__name__}, "
                f"where it receives only some rows, and not the query of each row. "
                f"Search over StackedFusion({inside}()) instead, with parameter names such as estimator__alpha."
            )


def _folds(cv, owner, target, query):
    """Return a pair of arrays for each fold: the training rows and the test rows.

    If `cv` is a splitter, it gets the queries as groups.
    """
    from sklearn.model_selection import KFold, check_cv

    name, queries = type(owner).__name__, np.unique(query)
    if cv is None or is_integer(cv):
        n_folds = min(_N_FOLDS, len(queries)) if cv is None else cv
        if not 2 <= n_folds <= len(queries):
            raise InputError(
                f"`cv` of {name} must be a number of folds from 2 to {len(queries)}, the number of training queries "
                f"with relevant items; got {cv}. Choose fewer folds, or judge more queries."
            )
        tests = [np.isin(query, queries[test]) for _, test in KFold(n_folds).split(queries)]
        return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]
    if isinstance(cv, Real):
        raise InputError(f"`cv` of {name} must be a whole number of folds, or a splitter; got {cv}. Choose cv=5.")
    with catch_warnings():
        # If the splitter ignores the groups, the check below raises an error.
        filterwarnings("ignore", "The groups parameter is ignored", UserWarning)
        folds = list(check_cv(cv).split(query, target, query))
    torn = sum(len(np.intersect1d(query[train], query[test])) for train, test in folds)
    if torn:
        raise InputError(
            f"`cv` of {name} must keep the rows of a query together; got {cv!r}, which puts rows of {torn} queries "
            "into both the training and the test rows. Choose a number of folds, or a splitter such as GroupKFold(5), "
            "to which the queries are passed as groups."
        )
    return folds
