"""Imports from scikit-learn, mainly of private names, and base classes that extend scikit-learn's classes.

If scikit-learn moves one of these names, only this file must change. Private names that classes need are imported at
the top. Other private names are imported inside the functions that use them.

This file also handles all differences between scikit-learn 1.7 and later versions. Callbacks exist since version 1.9.
Since version 1.8, `l1_ratio` determines the penalty of a logistic regression; earlier versions use `penalty`.
"""

import importlib.metadata
import sys
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Self

from sklearn import __version__, get_config
from sklearn.base import BaseEstimator as _BaseEstimator
from sklearn.base import TransformerMixin, clone, is_classifier
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, InvalidParameterError, RealNotInt, StrOptions
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import _BaseComposition
from sklearn.utils.validation import check_is_fitted

from ._suggestions import did_you_mean
from ._values import is_real

#: Version of scikit-learn, as a pair of integers.
VERSION = tuple(map(int, __version__.split(".")[:2]))

if TYPE_CHECKING:

    class CallbackSupport:
        """Class that type checkers read instead of scikit-learn's callback mixin."""

        def set_callbacks(self, *callbacks: object) -> Self:
            """Set the callbacks of a fit; a call without callbacks removes them."""
            ...

else:
    # Callbacks are experimental, so a later version may also lack these names.
    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
        from sklearn.callback._callback_support import callback_management_context
    except ImportError:

        class CallbackSupport:
            """Empty class that replaces scikit-learn's mixin if scikit-learn has no callbacks."""


def lasso_logistic_regression(**params):
    """Return a logistic regression with an L1 penalty, for any supported version of scikit-learn."""
    from sklearn.linear_model import LogisticRegression

    penalty = {"l1_ratio": 1} if VERSION >= (1, 8) else {"penalty": "l1"}
    return LogisticRegression(**penalty, **params)


@lru_cache(maxsize=1)
def documentation():
    """Return the address of the documentation from pyproject.toml, or "" if there is no such address."""
    try:
        addresses = importlib.metadata.metadata("skrankagg").get_all("Project-URL") or []
    except importlib.metadata.PackageNotFoundError:
        return ""
    return next((one.partition(", ")[2].rstrip("/") for one in addresses if one.startswith("Documentation,")), "")


class _Documented:
    """Mixin that links scikit-learn's HTML display of an estimator to the API reference, if its address is known."""

    _doc_link_module = "skrankagg"

    @property
    def _doc_link_template(self):
        # Classes that users derive have no page. _doc_link_module ensures that they get no link.
        site = documentation()
        return f"{site}/api/generated/{{estimator_module}}.{{estimator_name}}.html" if site else ""


class _Suggesting:
    """Mixin that adds a suggestion ("did you mean ...?") to error messages about misspelt options."""

    def _validate_params(self):
        try:
            super()._validate_params()
        except InvalidParameterError as error:
            raise InvalidParameterError(_suggest(str(error), self)) from None


def _suggest(message, estimator):
    for name, value in estimator.get_params(deep=False).items():
        if isinstance(value, str) and message.startswith(f"The {name!r} parameter of "):
            constraints = estimator._parameter_constraints.get(name, ())
            words = [word for one in constraints if isinstance(one, StrOptions) for word in sorted(one.options)]
            return message.replace(f"Got {value!r} instead", f"Got {value!r}{did_you_mean(value, words)} instead")
    return message


class BaseEstimator(_Suggesting, _Documented, _BaseEstimator):
    """Base class of estimators: scikit-learn's class, with documentation links and suggestions in error messages."""

    @classmethod
    def _get_param_names(cls):
        return list(_param_names(cls, cls.__init__))


@lru_cache(maxsize=512)
def _param_names(cls, init):
    """Return the parameter names of a class from a cache, because scikit-learn reads the signature at each call."""
    return super(BaseEstimator, cls)._get_param_names()


# Values of these types cannot change, so results that depend only on them can be cached.
_PLAIN = frozenset((str, int, float, bool, type(None)))
_KEPT: dict = {}
_MOST_KEPT = 1024


def keep_for_parameters(estimator, compute):
    """Return ``compute(estimator)``, and cache the result for later estimators of the same class and parameters.

    `compute` must be a function of a module, and its result must depend only on the class and the parameters. The cache
    is used only if each parameter is a string, a number, a bool or None, and if scikit-learn checks parameters. Errors
    are not cached.
    """
    values = [getattr(estimator, name) for name in _param_names(type(estimator), type(estimator).__init__)]
    types = tuple(map(type, values))
    if not _PLAIN.issuperset(types):
        return compute(estimator)
    key = compute, type(estimator), types, tuple(values)
    try:
        return _KEPT[key]
    except KeyError:
        found = compute(estimator)
    if not get_config()["skip_parameter_validation"]:
        if len(_KEPT) >= _MOST_KEPT:
            _KEPT.clear()
        _KEPT[key] = found
    return found


class BaseComposition(_Suggesting, _Documented, _BaseComposition):
    """Base class of estimators that contain named estimators, with the same additions as :class:`BaseEstimator`."""


class Interval(_Interval):
    """Scikit-learn's parameter constraint for a number in an interval; this version refuses True and False."""

    def is_satisfied_by(self, val):
        """Return True for a number in the interval."""
        return is_real(val) and super().is_satisfied_by(val)


#: Number of threads in joblib's notation: 1 or more, or a negative number that is counted from the number of cores.
N_JOBS = [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None]


def accept_lists(tags):
    """Change an estimator's tags so that its input is ranked lists instead of a matrix of numbers.

    Parameters
    ----------
    tags : Tags
        Tags, which are changed in place.

    Returns
    -------
    Tags
    """
    tags.input_tags.two_d_array = False
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags


def output_format(estimator):
    """Return the output format that the user set for ``transform``: "default", "pandas" or "polars"."""
    from sklearn.utils._set_output import _get_output_config

    return _get_output_config("transform", estimator=estimator)["dense"]


def show_in_parallel(names, estimators):
    """Show named estimators side by side in scikit-learn's HTML display."""
    from sklearn.utils._repr_html.estimator import _VisualBlock

    return _VisualBlock("parallel", estimators, names=names)


def keep_out_of_html():
    """Raise NotImplementedError if scikit-learn's HTML display has called ``get_feature_names_out``.

    ``get_feature_names_out`` must call this function directly. The error removes the feature names from the display.
    Otherwise, the display would show "4 features" for a consensus, although its columns are not features.
    """
    if sys._getframe(2).f_globals.get("__name__", "").startswith("sklearn.utils._repr_html"):
        raise NotImplementedError("The columns of a frame of lists are not features.")


def is_in_html():
    """Return True if scikit-learn's HTML display is reading the property that calls this function."""
    frame = sys._getframe(2)
    for _ in range(4):
        if frame is None:
            return False
        if frame.f_code.co_name == "_get_fitted_attr_html":
            return True
        frame = frame.f_back
    return False
