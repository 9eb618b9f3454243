"""The only door to scikit-learn's private names: when upstream moves one, this file changes and no other."""

from numbers import Integral

from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, Hidden, InvalidParameterError, RealNotInt, StrOptions
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils._repr_html.estimator import _VisualBlock as VisualBlock
from sklearn.utils._set_output import _get_output_config as get_output_config
from sklearn.utils._user_interface import _print_elapsed_time as print_elapsed_time
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.metaestimators import _BaseComposition as BaseComposition
from sklearn.utils.parallel import _threadpool_controller_decorator as limit_threads
from sklearn.utils.validation import check_is_fitted

from ._numbers import is_real

__all__ = [
    "N_JOBS",
    "UNUSED",
    "BaseComposition",
    "BaseEstimator",
    "FitFailedWarning",
    "HasMethods",
    "Hidden",
    "Interval",
    "InvalidParameterError",
    "NotFittedError",
    "RealNotInt",
    "StrOptions",
    "Tags",
    "TransformerMixin",
    "VisualBlock",
    "accept_lists",
    "check_is_fitted",
    "clone",
    "get_output_config",
    "limit_threads",
    "print_elapsed_time",
]


class Interval(_Interval):
    """Scikit-learn's constraint of a number to an interval, without True and False, which it takes for 1 and 0."""

    def is_satisfied_by(self, val):
        """Whether a value is a number of the interval."""
        return is_real(val) and super().is_satisfied_by(val)


#: Threads as joblib counts them: 1 and more, or negative ones from the number of cores.
N_JOBS = [Interval(Integral, 1, None, closed="left"), Interval(Integral, None, -1, closed="right"), None]


def accept_lists(tags):
    """Say in an estimator's tags that it takes ranked lists, and no matrix of numbers.

    Parameters
    ----------
    tags : Tags
        Changed in place.

    Returns
    -------
    Tags
    """
    tags.input_tags.two_d_array = False
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags
