"""Renaming of parameters; the old name of a parameter causes a warning until a later release refuses it."""

import functools
import inspect

from ..exceptions import InputTypeError
from ._warn import warn_user


def renamed(old, new, *, since, removed):
    """Decorate a function so that it accepts a parameter under its old name, with a FutureWarning.

    Parameters
    ----------
    old, new : str
        Old and new name of the parameter.
    since, removed : str
        The release that renamed the parameter, and the release that will refuse the old name.

    Returns
    -------
    callable
        Decorator of a function, or of the ``__init__`` of a class. The class must not be an estimator, because
        scikit-learn reads the parameters of an estimator from its signature.

    Examples
    --------
    >>> import warnings
    >>> from skrankagg._support._deprecation import renamed
    >>> @renamed("cutoff", "k", since="1.1", removed="1.3")
    ... def first(items, *, k=1):
    ...     return items[:k]
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     first("abc", cutoff=2)
    'ab'
    >>> print(caught[0].message)
    `cutoff` of first was renamed to `k` in 1.1; release 1.3 will refuse `cutoff`. Pass k=.
    """

    def decorate(function):
        if new not in inspect.signature(function).parameters:
            raise TypeError(f"{function.__qualname__} has no parameter {new!r}.")

        @functools.wraps(function)
        def call(*args, **kwargs):
            if old in kwargs:
                if new in kwargs:
                    raise InputTypeError(
                        f"`{new}` must be given once; got {new}= and its old name {old}=. Drop {old}=."
                    )
                name = function.__qualname__.removesuffix(".__init__")
                warn_user(
                    f"`{old}` of {name} was renamed to `{new}` in {since}; "
                    f"release {removed} will refuse `{old}`. Pass {new}=.",
                    FutureWarning,
                )
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate
