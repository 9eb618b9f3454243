"""Find every aggregator of the library."""

import inspect

from .. import aggregators
from ..base import BaseAggregator

__all__ = ["all_aggregators", "default_methods", "describe"]


def all_aggregators():
    """List the aggregator classes.

    Returns
    -------
    dict of str to type
        Name to class, sorted by name.

    Examples
    --------
    >>> from skrankagg.utils.discovery import all_aggregators
    >>> "CombSUM" in all_aggregators()
    True
    """
    return {
        name: member
        for name, member in sorted(vars(aggregators).items())
        if inspect.isclass(member) and issubclass(member, BaseAggregator)
    }


def default_methods():
    """Make one estimator of each aggregator and variant: what is compared where nobody chose.

    Returns
    -------
    list of (str, estimator) tuples
        Named after the class and what differs from its defaults, as in "CombSUM[norm=rank]".

    Examples
    --------
    >>> from skrankagg.utils.discovery import default_methods
    >>> dict(default_methods())["CombSUM[norm=rank]"]
    CombSUM(norm='rank')
    """
    methods = []
    for name, aggregator in all_aggregators().items():
        for params in getattr(aggregator, "_variants", ({},)):
            text = ",".join(f"{key}={value}" for key, value in params.items())
            methods.append((f"{name}[{text}]" if text else name, aggregator(**params)))
    return methods


def describe(aggregator):
    """First line of an aggregator's docstring.

    Parameters
    ----------
    aggregator : type

    Returns
    -------
    str

    Examples
    --------
    >>> from skrankagg import Condorcet
    >>> from skrankagg.utils.discovery import describe
    >>> describe(Condorcet)
    'Rank items by the number of opponents that they beat by a majority of the lists.'
    """
    return inspect.getdoc(aggregator).partition("\n")[0]
