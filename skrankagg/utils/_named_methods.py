"""Methods that are given by name, for the command line."""

from .. import aggregators
from ..base._classes import find_method, find_values


def read_method(text, hint=""):
    """Return the full name and the aggregator that a text such as ``CombSUM[norm=rank]`` describes.

    If the method is unknown, InputError is raised, and its message ends with `hint`.
    """
    return find_method(text, aggregators, hint)


def read_values(key, text):
    """Return the values of a parameter in a text such as ``10,60``; a value of `aggregator` may be a method."""
    return find_values(key, text, aggregators)
