"""Functions that convert text from the command line to methods and parameter values."""

from .. import aggregators
from ..base._classes import find_method, find_values


def read_method(text, hint=""):
    """Read a text such as ``CombSUM[norm=rank]``; return the full name of the method, and the aggregator.

    An unknown method raises InputError with a message that ends with `hint`.
    """
    return find_method(text, aggregators, hint)


def read_values(key, text):
    """Convert a text such as ``10,60`` to the values of the parameter `key`.

    The values of the parameter `aggregator` are converted to methods.
    """
    return find_values(key, text, aggregators)
